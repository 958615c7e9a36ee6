// A step is a transaction: whatever makes it fail, the world is what it was before the call, and goes on as
// if the call had not been made.
#include "claims.h"
#include "frail_engine.h"

#include <cordage/contact.h>

typedef enum Engine { OWN_ENGINE, FRAIL_ENGINE, ODE_ENGINE } Engine;

// What a world holds beside the rod of the subject. Each brings a part of the step that can fail.
typedef struct Setting {
    const char* name;
    bool contact;
    CordResponse response;
    bool floor;    // rises, a little tilted, so that more and more edges touch it
    bool rods;     // two more, which come down across the first, one after the other
    bool weld;     // of a body, to the end
    bool ball;     // comes down on the rod
    bool vice;     // two boxes about the free end, which do not touch it yet
    Engine engine; // of the bodies
    int contacts;  // that there are at some time, or more
    unsigned needs, bars;
} Setting;

static const Setting settings[] = {
    {.name = "alone"},
    {.name = "a floor", .contact = true, .floor = true, .contacts = 4},
    {.name = "rods", .contact = true, .rods = true, .contacts = 2, .needs = IS_CHAIN},
    {.name = "a floor and rods, by impact zones",
     .contact = true,
     .response = CORD_RESPONSE_ZONES,
     .rods = true,
     .floor = true,
     .contacts = 4,
     .needs = IS_EXPLICIT},
    {.name = "a vice", .contact = true, .vice = true},
    {.name = "a vice, by impact zones",
     .contact = true,
     .response = CORD_RESPONSE_ZONES,
     .vice = true,
     .needs = IS_EXPLICIT},
    {.name = "a welded body", .weld = true, .needs = TAKES_WELDS},
    {.name = "a welded body of another engine", .weld = true, .engine = FRAIL_ENGINE, .needs = TAKES_WELDS},
#ifdef CORDAGE_ODE
    {.name = "a welded body of ODE", .weld = true, .engine = ODE_ENGINE, .needs = TAKES_WELDS},
#endif
    // explicit rods do not touch bodies
    {.name = "a ball", .contact = true, .ball = true, .contacts = 1, .needs = IS_CHAIN, .bars = IS_EXPLICIT},
    {.name = "a welded body and a ball of another engine",
     .contact = true,
     .weld = true,
     .ball = true,
     .engine = FRAIL_ENGINE,
     .contacts = 1,
     .needs = TAKES_WELDS,
     .bars = IS_EXPLICIT},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct Stage {
    CordWorld* world;
    CordRodId rod;
    CordLoadId force;
    CordObstacleId jaws[2];
    Heap heap;
    FrailEngine frail;
    void* ode;
    int halvings; // steps taken in halves, successful or not
} Stage;

static void count_halvings(void* user, CordLogLevel level, const char* text)
{
    (void)level;
    ((Stage*)user)->halvings += strstr(text, "in halves") != NULL;
}

// ---- what there is

enum { STEPS = 12 };

static const double first_gap = 1e-3;   // between the surfaces of the rod and of what comes at it [m]
static const double nearer = 2.5e-4;    // in each step [m]
static const double rod_radius = 0.01;  // of subject_def
static const double ball_radius = 0.01; // of cord_body_def_default

static void add_floor(Stage* stage, const Subject* s)
{
    CordObstacleDef floor = cord_obstacle_def_default();
    CordMotion rise = cord_motion_translate((CordVec3){0, 0, STEPS * nearer}, 0.0, STEPS * s->step);
    CordObstacleId id;
    floor.position = (CordVec3){1, 0, 1.0 - rod_radius - first_gap};
    floor.rotation = (CordQuat){0, -0.0015, 0, 1}; // its end is met first
    floor.motions = &rise, floor.motion_count = 1;
    CHECK_OK(cord_obstacle_create(stage->world, &floor, &id));
}

static void add_rods_across(Stage* stage, const Subject* s)
{
    for (int i = 1; i <= 2; i++) {
        CordRodDef def = subject_rod(s, 11);
        double x = 0.3 * i + 0.02, z = 1.0 + 2.0 * rod_radius + i * first_gap;
        def.shape = cord_shape_line((CordVec3){x, -0.4, z}, (CordVec3){x, 0.6, z}, 11);
        def.velocity = (CordVec3){0, 0, -nearer / s->step};
        def.adapt.placement = CORD_PLACEMENT_MIDPOINT;
        add_rod(stage->world, &def);
    }
}

static void add_vice(Stage* stage)
{
    for (int i = 0; i < 2; i++) {
        double up = i == 0 ? -1.0 : 1.0;
        CordObstacleDef jaw = cord_obstacle_def_default();
        jaw.solid = (CordSolid){.shape = CORD_SOLID_BOX, .size = {1.0, 1.0, 0.2}};
        jaw.position = (CordVec3){1.1, 0, 1.0 + up * (0.1 + rod_radius + first_gap)};
        CHECK_OK(cord_obstacle_create(stage->world, &jaw, &stage->jaws[i]));
    }
}

static void close_vice(Stage* stage, double by) // moves each jaw towards the rod [m]
{
    for (int i = 0; i < 2; i++) {
        CordVec3 offset = {0, 0, i == 0 ? by : 0.0 - by};
        CHECK_OK(cord_obstacle_move(stage->world, stage->jaws[i], offset, (CordQuat){0, 0, 0, 1}));
    }
}

static void add_bob(Stage* stage, bool intangible)
{
    CordBodyDef bob = cord_body_def_default();
    CordWeldDef weld = cord_weld_def_default();
    CordWeldId id;
    bob.position = (CordVec3){1.02, 0, 1};
    bob.velocity = (CordVec3){0, 0.3, -0.1}; // not what the rod allows at first
    bob.intangible = intangible;
    CHECK_OK(cord_body_create(stage->world, &bob, &weld.body));
    weld.rod = stage->rod;
    CHECK_OK(cord_weld_create(stage->world, &weld, &id));
}

static void add_ball(Stage* stage, const Subject* s)
{
    CordBodyDef ball = cord_body_def_default();
    CordBodyId id;
    ball.position = (CordVec3){0.52, 0, 1.0 + rod_radius + ball_radius + first_gap};
    ball.velocity = (CordVec3){0, 0, -nearer / s->step};
    CHECK_OK(cord_body_create(stage->world, &ball, &id));
}

static void add_contact(Stage* stage, const Setting* setting, const Subject* s)
{
    CordContactDef contact = cord_contact_def_default();
    contact.response = setting->response;
    contact.iterations = setting->response == CORD_RESPONSE_ZONES ? 10 : 50; // fail sooner
    CHECK_OK(cord_world_set_contact(stage->world, &contact));
    if (setting->floor) {
        add_floor(stage, s);
    }
    if (setting->rods) {
        add_rods_across(stage, s);
    }
    if (setting->vice) {
        add_vice(stage);
    }
    if (setting->ball) {
        add_ball(stage, s);
    }
}

static void choose_engine(Stage* stage, Engine engine, CordWorldDef* def)
{
    if (engine == FRAIL_ENGINE) {
        def->engine = &frail_engine, def->engine_user = &stage->frail;
    }
#ifdef CORDAGE_ODE
    CordOdeDef ode = cord_ode_def_default();
    if (engine == ODE_ENGINE) {
        CHECK_OK(cord_ode_create(&ode, &def->engine, &def->engine_user));
        stage->ode = def->engine_user;
        // the ground, which the body touches at once
        CHECK_OK(cord_ode_plane(stage->ode, (CordVec3){0, 0, 1}, 1.0 - ball_radius));
    }
#endif
}

static void open_stage(Stage* stage, const Subject* s, const Setting* setting)
{
    *stage = (Stage){0};
    CordWorldDef def = def_on(&stage->heap);
    CordRodDef rod = subject_rod(s, 11);
    rod.adapt.placement = CORD_PLACEMENT_MIDPOINT; // the search for a minimum does without its scratch
    def.log = (CordLog){count_halvings, stage};
    choose_engine(stage, setting->engine, &def);
    stage->world = make_world(&def);
    stage->rod = add_rod(stage->world, &rod);
    hold(stage->world, stage->rod, cord_at_start(), CORD_FIX_FRAME);
    stage->force = add_force(stage->world, stage->rod, cord_at_end(), (CordVec3){0, 0.01, 0});
    if (setting->weld) {
        add_bob(stage, setting->ball);
    }
    if (setting->contact) {
        add_contact(stage, setting, s);
    }
}

static void close_stage(Stage* stage)
{
    cord_world_destroy(stage->world);
    CHECK_INT(stage->heap.held, 0);
#ifdef CORDAGE_ODE
    if (stage->ode) {
        cord_ode_destroy(stage->ode);
    }
#endif
}

static void in_every_setting(const Subject* s, void (*claim)(const Subject* s, const Setting* setting))
{
    unsigned traits = subject_traits(s);
    for (int k = 0; k < SETTINGS; k++) {
        if ((traits & settings[k].needs) == settings[k].needs && !(traits & settings[k].bars)) {
            print_message("  %s\n", settings[k].name);
            claim(s, &settings[k]);
        }
    }
}

// ---- the run without failures

typedef struct Reference {
    uint64_t hash[STEPS + 1]; // after so many steps
    int most_contacts;
} Reference;

static Reference undisturbed(const Subject* s, const Setting* setting)
{
    Reference reference = {.most_contacts = 0};
    Stage stage;
    open_stage(&stage, s, setting);
    for (int k = 0; k <= STEPS; k++) {
        reference.hash[k] = cord_world_state_hash(stage.world);
        int contacts = cord_world_contact_count(stage.world);
        reference.most_contacts = contacts > reference.most_contacts ? contacts : reference.most_contacts;
        CHECK(reference.hash[k] != 0);
        if (k < STEPS) {
            run(stage.world, s->step, 1);
        }
    }
    close_stage(&stage);
    return reference;
}

// The world has the state that it had after so many steps, and gets from there to the next one.
static void check_goes_on(Stage* stage, const Subject* s, const Reference* reference, int steps)
{
    CHECK(cord_world_state_hash(stage->world) == reference->hash[steps]);
    run(stage->world, s->step, 1);
    CHECK(cord_world_state_hash(stage->world) == reference->hash[steps + 1]);
}

// ---- no memory

// Runs up to the step in which the allocation of that number fails. Returns whether there is one.
static bool run_without_memory(const Subject* s, const Setting* setting, const Reference* reference,
                               int number, bool from_then_on, int* failures)
{
    Stage stage;
    open_stage(&stage, s, setting);
    Heap* heap = &stage.heap;
    heap->fail = heap->calls + number, heap->from_then_on = from_then_on;
    CordResult result = CORD_OK;
    int steps = 0;
    while (steps < STEPS && heap->calls < heap->fail) {
        result = cord_world_step(stage.world, s->step);
        steps += result == CORD_OK;
    }
    bool reached = heap->calls >= heap->fail;
    heap->fail = 0;
    if (result != CORD_OK) { // few can do without
        ++*failures;
        CHECK_RESULT(result, CORD_NO_MEMORY);
        check_goes_on(&stage, s, reference, steps);
    }
    close_stage(&stage);
    return reached;
}

// Every allocation of a run fails in turn, alone or with all after it in the same step.
static void steps_without_memory(const Subject* s, const Setting* setting)
{
    Reference reference = undisturbed(s, setting);
    int failures = 0;
    for (int i = 0; i < 2; i++) {
        int number = 1 + (int)((s - subjects) + (setting - settings)) % HEAP_STRIDE;
        while (run_without_memory(s, setting, &reference, number, i == 1, &failures)) {
            number += HEAP_STRIDE;
        }
    }
    print_message("    failed %d times, up to %d contacts\n", failures, reference.most_contacts);
    CHECK(failures > 0);
    CHECK(reference.most_contacts >= setting->contacts);
}

static void no_memory(const Subject* s)
{
    in_every_setting(s, steps_without_memory);
}

// ---- divergence

// A force beyond all numbers makes velocities infinite. That it was set is part of the state.
static void diverging_step(const Subject* s, const Setting* setting)
{
    Reference reference = undisturbed(s, setting);
    for (int steps = 0; steps < STEPS; steps += 2) { // the first step, and later ones
        Stage stage;
        open_stage(&stage, s, setting);
        run(stage.world, s->step, steps);
        CHECK_OK(cord_load_set_force(stage.world, stage.force, (CordVec3){0, 1e308, 1e308}));
        uint64_t before = cord_world_state_hash(stage.world);
        CordResult result = cord_world_step(stage.world, s->step);
        CHECK(result == CORD_DIVERGED || result == CORD_NOT_CONVERGED);
        CHECK(cord_world_state_hash(stage.world) == before);
        CHECK_OK(cord_load_set_force(stage.world, stage.force, (CordVec3){0, 0.01, 0}));
        check_goes_on(&stage, s, &reference, steps);
        close_stage(&stage);
    }
}

static void divergence(const Subject* s)
{
    in_every_setting(s, diverging_step);
}

// ---- contacts that have nowhere to go

// A vice after some steps, whose jaws are told to close to less than the thickness of the rod. No number of
// halvings resolves that.
static void open_squeezed(Stage* stage, const Subject* s, const Setting* setting, int steps)
{
    open_stage(stage, s, setting);
    run(stage->world, s->step, steps);
    close_vice(stage, first_gap + 0.5 * rod_radius);
}

static uint64_t squeezed_hash(const Subject* s, const Setting* setting, int steps)
{
    Stage stage;
    open_squeezed(&stage, s, setting, steps);
    uint64_t hash = cord_world_state_hash(stage.world);
    close_stage(&stage);
    return hash;
}

// An allocation may fail on the reference, if its number is not zero. Returns whether there is one.
static bool squeeze(const Subject* s, const Setting* setting, const Reference* reference, int steps,
                    uint64_t before, int number)
{
    Stage stage;
    open_squeezed(&stage, s, setting, steps);
    Heap* heap = &stage.heap;
    heap->fail = number > 0 ? heap->calls + number : 0;
    CordResult result = cord_world_step(stage.world, s->step);
    bool reached = number > 0 && heap->calls >= heap->fail;
    heap->fail = 0;
    CHECK(result == CORD_NOT_CONVERGED || (reached && result == CORD_NO_MEMORY));
    CHECK(cord_world_state_hash(stage.world) == before);
    if (number == 0) {
        print_message("    %s: taken in halves %d times, %s\n", setting->name, stage.halvings,
                      cord_world_message(stage.world));
        CHECK(stage.halvings >= 12);
    }
    close_vice(&stage, 0.0);
    check_goes_on(&stage, s, reference, steps);
    close_stage(&stage);
    return number == 0 || reached;
}

static void hopeless_step(const Subject* s, const Setting* setting)
{
    if (!setting->vice) {
        return;
    }
    Reference reference = undisturbed(s, setting);
    for (int steps = 0; steps <= 2; steps += 2) { // the first step, and a later one
        uint64_t before = squeezed_hash(s, setting, steps);
        for (int number = 0; squeeze(s, setting, &reference, steps, before, number); number++) {
        }
    }
}

static void nowhere_to_go(const Subject* s)
{
    in_every_setting(s, hopeless_step);
}

// ---- bodies that fail

// Runs up to the step in which the engine fails, from the call of that number on. Returns whether there is
// one.
static bool run_until_engine_fails(const Subject* s, const Setting* setting, const Reference* reference,
                                   int number)
{
    Stage stage;
    open_stage(&stage, s, setting);
    FrailEngine* e = &stage.frail;
    e->fail = e->calls + number;
    CordResult result = CORD_OK;
    int steps = 0;
    while (steps < STEPS && e->calls < e->fail) {
        result = cord_world_step(stage.world, s->step);
        steps += result == CORD_OK;
    }
    bool reached = e->calls >= e->fail;
    e->fail = 0;
    if (reached) {
        CHECK(result == CORD_DIVERGED || result == CORD_NOT_CONVERGED);
        check_goes_on(&stage, s, reference, steps);
    }
    close_stage(&stage);
    return reached;
}

static void failing_engine(const Subject* s, const Setting* setting)
{
    int number = 1;
    if (setting->engine == FRAIL_ENGINE) {
        Reference reference = undisturbed(s, setting);
        while (run_until_engine_fails(s, setting, &reference, number)) {
            number++;
        }
        print_message("    failed %d times\n", number - 1);
        CHECK(number > 2 * STEPS); // add_wrench and step in every step
    }
}

static void engine_fails(const Subject* s)
{
    in_every_setting(s, failing_engine);
}

// ---- frames without an equilibrium

// A torque about the rod itself, which no clamp bears, begins within a step or acts before it. Frames without
// inertia find no equilibrium, and it is that very step which fails, alone or as one of many. One whose
// frames were in none at its start is not retried.
static void torque_that_nothing_bears(const Subject* s)
{
    for (int trial = 0; trial < 4; trial++) {
        bool many = trial & 1, before = trial & 2;
        Stage stage = {0};
        CordWorldDef world_def = cord_world_def_default();
        world_def.log = (CordLog){count_halvings, &stage};
        CordWorld* world = make_world(&world_def);
        CordRodDef def = subject_rod(s, 11);
        CordLoadDef torque = cord_load_def_default();
        def.twist = 0.0;
        def.adapt.refine_turn = 3.0, def.adapt.merge_time = 1e3; // it keeps its nodes
        torque.rod = add_rod(world, &def);
        torque.kind = CORD_LOAD_TORQUE, torque.at = cord_at_node(5), torque.torque = (CordVec3){1e-3, 0, 0};
        torque.from = before ? 0.0 : 4.5 * s->step;
        hold(world, torque.rod, cord_at_start(), CORD_FIX_POSITION);
        run(world, s->step, 4);
        CordLoadId load;
        if (cord_load_create(world, &torque, &load) == CORD_NOT_SUPPORTED) { // no model of its own for it
            cord_world_destroy(world);
            return;
        }
        uint64_t hash = cord_world_state_hash(world);
        CordResult result =
            many ? cord_world_step_many(world, s->step, STEPS) : cord_world_step(world, s->step);
        if (subject_traits(s) & HAS_SPIN) {
            CHECK_OK(result);
        } else {
            CHECK_RESULT(result, CORD_NOT_CONVERGED);
            CHECK(cord_world_state_hash(world) == hash);
            CHECK(!before || strstr(cord_world_message(world), "found no equilibrium"));
            CHECK(!before || stage.halvings == 0);
        }
        cord_world_destroy(world);
    }
}

// ---- supports that jump

// A support jumps by an element or more, so that the tangent at it turns by a right angle and more in one
// step. Either the step fails, or what it leaves is finite.
static void support_jumps(const Subject* s)
{
    const CordVec3 jumps[] = {{-0.13, 0.02, 0}, {-0.12, 0.1, 0}, {-0.3, 0.3, 0}, {0, 0.15, 0}, {-0.2, 0, 0}};
    for (size_t k = 0; k < sizeof jumps / sizeof *jumps; k++) {
        CordWorldDef world_def = cord_world_def_default();
        CordWorld* world = make_world(&world_def);
        CordRodDef def = subject_rod(s, 11);
        CordRodId rod = add_rod(world, &def);
        CordClampId clamp = hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
        run(world, s->step, 4);
        CHECK_OK(cord_clamp_move(world, clamp, jumps[k], (CordQuat){0, 0, 0, 1}));
        uint64_t before = cord_world_state_hash(world);
        CordResult result = cord_world_step(world, s->step);
        CordEnergy energy = cord_rod_energy(world, rod);
        CordVec3 force, torque;
        CHECK_OK(cord_clamp_reaction(world, clamp, &force, &torque));
        CHECK(isfinite(energy.kinetic + energy.stretch + energy.bend + energy.twist));
        CHECK(isfinite(force.x + force.y + force.z + torque.x + torque.y + torque.z));
        CHECK(result == CORD_OK || cord_world_state_hash(world) == before);
        cord_world_destroy(world);
    }
}

static const Claim claims[] = {
    {.name = "steps without memory", .run = no_memory},
    {.name = "a step that diverges", .run = divergence},
    // modal rods: test_unit modal_contact_rods
    {.name = "contact with nowhere to go", .needs = IS_CHAIN, .run = nowhere_to_go},
    {.name = "a torque that nothing bears", .needs = IS_CHAIN, .run = torque_that_nothing_bears},
    {.name = "a support that jumps", .needs = IS_CHAIN, .run = support_jumps},
    {.name = "a body engine that fails", .needs = TAKES_WELDS, .run = engine_fails},
};

CLAIM_GROUP(failed_steps)
