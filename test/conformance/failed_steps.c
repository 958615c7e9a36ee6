// A step is a transaction: whatever makes it fail, the world is what it was before the call, and goes on as
// if the call had not been made.
#include "claims.h"

#include <cordage/body.h>
#include <cordage/contact.h>

// What a world holds beside the rod of the subject. Each brings a part of the step that can fail.
typedef struct Setting {
    const char* name;
    bool contact; // with a floor, close below
    bool body;    // welded to the end
    unsigned needs;
} Setting;

static const Setting settings[] = {
    {.name = "alone"},
    {.name = "contact", .contact = true},
    {.name = "body", .body = true, .needs = TAKES_WELDS},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

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
    stage.world = make_world(&def);
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

static void in_every_setting(const Subject* s, void (*claim)(const Subject* s, const Setting* setting))
{
    for (int k = 0; k < SETTINGS; k++) {
        if ((subject_traits(s) & settings[k].needs) == settings[k].needs) {
            print_message("  %s\n", settings[k].name);
            claim(s, &settings[k]);
        }
    }
}

// The state that so many steps lead to when nothing fails.
static uint64_t undisturbed(const Subject* s, const Setting* setting, int steps)
{
    Heap heap = {0};
    Stage stage = open_stage(s, setting, &heap);
    run(stage.world, s->step, steps);
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
            run(stage.world, s->step, 1);
        }
        run(stage.world, s->step, 3);
        CHECK(cord_world_state_hash(stage.world) == wanted);
        cord_world_destroy(stage.world);
        CHECK_INT(heap.held, 0);
        if (!failed) {
            break;
        }
    }
    print_message("    failed %d times\n", failures);
}

static void no_memory(const Subject* s)
{
    in_every_setting(s, first_step_without_memory);
}

// ---- divergence

// A force beyond all numbers makes velocities infinite. That it was set is part of the state.
static void diverging_step(const Subject* s, const Setting* setting)
{
    for (int steps = 0; steps <= 2; steps += 2) { // the first step, and a later one
        Heap heap = {0};
        Stage stage = open_stage(s, setting, &heap);
        run(stage.world, s->step, steps);
        CHECK_OK(cord_load_set_force(stage.world, stage.force, (CordVec3){0, 1e308, 1e308}));
        uint64_t before = cord_world_state_hash(stage.world);
        CordResult result = cord_world_step(stage.world, s->step);
        CHECK(result == CORD_DIVERGED || result == CORD_NOT_CONVERGED);
        CHECK(cord_world_state_hash(stage.world) == before);
        CHECK_OK(cord_load_set_force(stage.world, stage.force, (CordVec3){0, 0.01, 0}));
        run(stage.world, s->step, 3);
        CHECK(cord_world_state_hash(stage.world) == undisturbed(s, setting, steps + 3));
        cord_world_destroy(stage.world);
    }
}

static void divergence(const Subject* s)
{
    in_every_setting(s, diverging_step);
}

static const Claim claims[] = {
    {.name = "a first step without memory", .run = no_memory},
    {.name = "a step that diverges", .run = divergence},
};

CLAIM_GROUP(failed_steps)
