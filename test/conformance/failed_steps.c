// A step is a transaction: whatever makes it fail, the world is what it was before the call, and goes on as
// if the call had not been made.
#include "heap.h"
#include "subjects.h"

#include <cordage/body.h>
#include <cordage/contact.h>

// What a world holds beside the rod of the subject. Each brings a part of the step that can fail.
typedef struct Setting {
    const char* name;
    bool contact; // with a floor, close below
    bool body;    // welded to the end
    bool (*takes)(const Subject* s);
} Setting;

static bool takes_any(const Subject* s)
{
    (void)s;
    return true;
}

static bool takes_welds(const Subject* s)
{
    return s->model != CORD_MODEL_MODAL && s->length_method != CORD_LENGTH_FAST_PROJECTION && !s->adaptive;
}

static const Setting settings[] = {
    {.name = "alone", .takes = takes_any},
    {.name = "contact", .contact = true, .takes = takes_any},
    {.name = "body", .body = true, .takes = takes_welds},
};

#define SETTINGS ((int)(sizeof settings / sizeof *settings))

typedef struct Stage {
    CordWorld* world;
    CordRodId rod;
    CordLoadId force;
    CordClampId clamp;
    CordObstacleId floor;
} Stage;

static void add_floor(Stage* stage)
{
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef floor = cord_obstacle_def_default();
    floor.position = (CordVec3){0, 0, 0.985};
    CHECK_OK(cord_world_set_contact(stage->world, &contact));
    CHECK_OK(cord_obstacle_create(stage->world, &floor, &stage->floor));
}

static void add_bob(Stage* stage)
{
    CordBodyDef bob = cord_body_def_default();
    CordWeldDef weld = cord_weld_def_default();
    CordWeldId id;
    bob.position = (CordVec3){1.02, 0, 1};
    bob.velocity = (CordVec3){0, 0.3, 0.1}; // not what the rod allows at first
    CHECK_OK(cord_body_create(stage->world, &bob, &weld.body));
    weld.rod = stage->rod;
    CHECK_OK(cord_weld_create(stage->world, &weld, &id));
}

static Stage open_stage(const Subject* s, const Setting* setting, Heap* heap)
{
    Stage stage;
    CordWorldDef def = def_on(heap);
    CordRodDef rod = subject_rod(s, 11);
    CHECK_OK(cord_world_create(&def, &stage.world));
    stage.rod = add_rod(stage.world, &rod);
    stage.clamp = hold(stage.world, stage.rod, cord_at_start(), CORD_FIX_FRAME);
    stage.force = add_force(stage.world, stage.rod, cord_at_end(), (CordVec3){0, 0.01, 0});
    if (setting->contact) {
        add_floor(&stage);
    }
    if (setting->body) {
        add_bob(&stage);
    }
    return stage;
}

static void take_steps(const Stage* stage, const Subject* s, int count)
{
    for (int i = 0; i < count; i++) {
        CordResult result = cord_world_step(stage->world, s->step);
        if (result != CORD_OK) {
            print_error("%s: %s\n", s->name, cord_world_message(stage->world));
        }
        CHECK_OK(result);
    }
}

// Runs over every subject in every setting that takes it.
static void for_all(void (*claim)(const Subject* s, const Setting* setting))
{
    for (int i = 0; i < SUBJECTS; i++) {
        for (int k = 0; k < SETTINGS; k++) {
            if (settings[k].takes(&subjects[i])) {
                print_message("  %s, %s\n", subjects[i].name, settings[k].name);
                claim(&subjects[i], &settings[k]);
            }
        }
    }
}

// The state that so many steps lead to when nothing fails.
static uint64_t undisturbed(const Subject* s, const Setting* setting, int steps)
{
    Heap heap = {0};
    Stage stage = open_stage(s, setting, &heap);
    take_steps(&stage, s, steps);
    uint64_t hash = cord_world_state_hash(stage.world);
    cord_world_destroy(stage.world);
    return hash;
}

// ---- no memory

// Every allocation of the first step fails in turn, until the step needs no more of them.
static void first_step_without_memory(const Subject* s, const Setting* setting)
{
    uint64_t wanted = undisturbed(s, setting, 4);
    int failures = 0;
    for (int fail = 1;; fail++) {
        Heap heap = {0};
        Stage stage = open_stage(s, setting, &heap);
        uint64_t before = cord_world_state_hash(stage.world);
        CHECK(before != 0);
        heap.fail = heap.calls + fail;
        CordResult result = cord_world_step(stage.world, s->step);
        bool failed = heap.calls >= heap.fail;
        heap.fail = 0;
        if (result != CORD_OK) {
            failures++;
            CHECK_RESULT(result, CORD_NO_MEMORY);
            CHECK(cord_world_state_hash(stage.world) == before);
            take_steps(&stage, s, 1);
        }
        take_steps(&stage, s, 3);
        CHECK(cord_world_state_hash(stage.world) == wanted);
        cord_world_destroy(stage.world);
        CHECK_INT(heap.held, 0);
        if (!failed) {
            break;
        }
    }
    print_message("    failed %d times\n", failures);
}

TEST(a_first_step_without_memory_changes_nothing)
{
    for_all(first_step_without_memory);
}

// ---- divergence

// A force beyond all numbers makes velocities infinite. That it was set is part of the state.
static void diverging_step(const Subject* s, const Setting* setting)
{
    for (int steps = 0; steps <= 2; steps += 2) { // the first step, and a later one
        Heap heap = {0};
        Stage stage = open_stage(s, setting, &heap);
        take_steps(&stage, s, steps);
        CHECK_OK(cord_load_set_force(stage.world, stage.force, (CordVec3){0, 1e308, 1e308}));
        uint64_t before = cord_world_state_hash(stage.world);
        CordResult result = cord_world_step(stage.world, s->step);
        CHECK(result == CORD_DIVERGED || result == CORD_NOT_CONVERGED);
        CHECK(cord_world_state_hash(stage.world) == before);
        CHECK_OK(cord_load_set_force(stage.world, stage.force, (CordVec3){0, 0.01, 0}));
        take_steps(&stage, s, 3);
        CHECK(cord_world_state_hash(stage.world) == undisturbed(s, setting, steps + 3));
        cord_world_destroy(stage.world);
    }
}

TEST(a_step_that_diverges_changes_nothing)
{
    for_all(diverging_step);
}

TEST_GROUP(failed_steps, a_first_step_without_memory_changes_nothing, a_step_that_diverges_changes_nothing)
