// The budget of contact: what a spent one leaves, and what it may not change.
#include "world_rods.h"

#include <cordage/body.h>
#include <cordage/contact.h>

static const double frame = 1.0 / 60.0; // [s]

// Ropes, 6 mm thick, that fall crosswise on each other and on the ground. At 1/60 s they move by several
// radii a step.
static CordWorld* crossed_ropes(const CordWorldDef* def, CordModel model, CordBudget budget)
{
    CordWorld* world = make_world(def);
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId id;
    contact.budget = budget;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_obstacle_create(world, &ground, &id));
    for (int i = 0; i < 6; i++) {
        CordRodDef rod = cord_rod_def_default();
        CordRodId rope;
        double z = 0.02 + 0.015 * i, side = 0.01 * (i / 2);
        CordVec3 from = {-0.1, side, z}, to = {0.1, side, z + 0.002};
        rod.model = model;
        rod.section = cord_section_disc(0.003);
        rod.material.young = 1e7;
        rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
        rod.shape = i % 2 == 0 ? cord_shape_line(from, to, 17)
                               : cord_shape_line((CordVec3){from.y, from.x, from.z},
                                                 (CordVec3){to.y, to.x, to.z}, 17);
        CHECK_OK(cord_rod_create(world, &rod, &rope));
    }
    return world;
}

static CordWorld* position_based_ropes(CordBudget budget)
{
    CordWorldDef def = cord_world_def_default();
    return crossed_ropes(&def, CORD_MODEL_PBD, budget);
}

static double energy_of(const CordWorld* world)
{
    double sum = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordEnergy e = cord_rod_energy(world, cord_world_rod(world, i));
        sum += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
    }
    return sum;
}

// ---- what it may not change

static uint64_t hash_of_step(CordWorld* world, int iterations, double h, bool* spent)
{
    CHECK_OK(cord_world_set_budget(world, (CordBudget){.iterations = iterations}));
    CHECK_OK(cord_world_step(world, h));
    *spent = cord_world_contact_report(world).spent;
    return cord_world_state_hash(world);
}

// Takes every step with a budget, and again without.
static int check_unspent_steps(CordModel model, double h, int steps, int iterations)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = crossed_ropes(&def, model, (CordBudget){0});
    size_t size = cord_world_state_size(world);
    int spent = 0, unspent = 0;
    for (int n = 0; n < steps; n++) {
        bool is_spent, no;
        size = cord_world_state_size(world);
        void* state = malloc(size);
        CHECK_OK(cord_world_state_get(world, state, size));
        uint64_t with = hash_of_step(world, iterations, h, &is_spent);
        CHECK_OK(cord_world_state_set(world, state, size));
        uint64_t without = hash_of_step(world, 0, h, &no);
        bool touches = cord_world_contact_report(world).contacts > 0;
        CHECK(is_spent || with == without);
        spent += is_spent, unspent += !is_spent && touches;
        free(state);
    }
    print_message("    %d iterations: %d steps spend them, %d in contact do not\n", iterations, spent,
                  unspent);
    cord_world_destroy(world);
    return unspent;
}

TEST(a_budget_that_is_not_spent_leaves_the_same_bits)
{
    const int budgets[] = {20, 50, 100};
    for (int i = 0; i < 3; i++) {
        int unspent = check_unspent_steps(CORD_MODEL_PBD, frame / 4.0, 160, budgets[i]);
        CHECK(budgets[i] == 20 || unspent > 0); // rounds of these steps are cut at seven sweeps
        CHECK(check_unspent_steps(CORD_MODEL_DER, 2e-5, 4000, budgets[i]) > 0);
    }
}

TEST(a_spent_budget_leaves_the_same_bits_at_any_thread_count)
{
    CordWorldDef one = cord_world_def_default(), two = one;
    two.tasks = cord_tasks_openmp(2);
    CordBudget budget = {.iterations = 4};
    CordWorld *a = crossed_ropes(&one, CORD_MODEL_PBD, budget),
              *b = crossed_ropes(&two, CORD_MODEL_PBD, budget);
    run(a, frame, 40);
    run(b, frame, 40);
    CHECK(cord_world_contact_report(a).spent_in_all > 10);
    CHECK(cord_world_state_hash(a) == cord_world_state_hash(b));
    cord_world_destroy(a);
    cord_world_destroy(b);
}

TEST(a_state_goes_on_under_a_budget_as_it_did)
{
    CordWorld* world = position_based_ropes((CordBudget){.iterations = 4});
    run(world, frame, 15);
    size_t size = cord_world_state_size(world);
    void* state = malloc(size);
    CHECK_OK(cord_world_state_get(world, state, size));
    run(world, frame, 10);
    uint64_t hash = cord_world_state_hash(world);
    CHECK_OK(cord_world_state_set(world, state, size));
    run(world, frame, 10);
    CHECK(cord_world_state_hash(world) == hash);
    free(state);
    cord_world_destroy(world);
}

// ---- what a spent one leaves

// Falling ropes have no energy but their own: nothing may add to it. Overlaps that are put right lift what
// lies on them, by no more than a quarter of a radius.
static void check_small_budget(CordModel model, double h, int steps, int iterations)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = crossed_ropes(&def, model, (CordBudget){.iterations = iterations});
    double least = energy_of(world), weight = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        weight += 9.81 * cord_rod_mass(world, cord_world_rod(world, i));
    }
    for (int n = 0; n < steps; n++) {
        CHECK_OK(cord_world_step(world, h));
        CordContactReport report = cord_world_contact_report(world);
        CHECK(report.deepest <= 0.25);
        double energy = energy_of(world);
        CHECK(isfinite(energy));
        CHECK(energy <= least + weight * 0.25 * 0.003);
        least = fmin(least, energy);
    }
    CHECK(cord_world_contact_report(world).spent_in_all > 0);
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordVec3 x[17];
        CHECK_OK(cord_rod_positions(world, cord_world_rod(world, i), x));
        for (int k = 0; k < 17; k++) {
            CHECK(x[k].z > 0.5 * 0.003); // all still lie above the ground
        }
    }
    cord_world_destroy(world);
}

TEST(position_based_ropes_end_every_step_of_a_small_budget)
{
    check_small_budget(CORD_MODEL_PBD, frame, 60, 1);
    check_small_budget(CORD_MODEL_PBD, frame, 60, 8);
}

TEST(explicit_ropes_end_every_step_of_a_small_budget)
{
    check_small_budget(CORD_MODEL_DER, 2e-5, 5000, 2);
}

// A wire that is shot at a thin plate: one iteration cannot stop it, and its motion is limited.
TEST(what_a_budget_cannot_stop_is_limited_before_it_passes)
{
    CordWorld* world = new_weightless_world();
    CordContactDef contact = cord_contact_def_default();
    contact.budget.iterations = 1;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordObstacleDef plate = cord_obstacle_def_default();
    CordObstacleId id;
    plate.solid.shape = CORD_SOLID_BOX, plate.solid.size = (CordVec3){1, 1, 0.002};
    CHECK_OK(cord_obstacle_create(world, &plate, &id));
    CordRodDef rod = cord_rod_def_default();
    CordRodId wire;
    CordVec3 v[33], x[33];
    rod.model = CORD_MODEL_PBD;
    rod.section = cord_section_disc(0.001);
    rod.material.young = 2e11;
    rod.shape = cord_shape_line((CordVec3){-0.1, 0, 0.01}, (CordVec3){0.1, 0.01, 0.06}, 33);
    CHECK_OK(cord_rod_create(world, &rod, &wire));
    for (int i = 0; i < 33; i++) {
        v[i] = (CordVec3){0, 0, -20};
    }
    CHECK_OK(cord_rod_set_velocities(world, wire, v));
    double before = energy_of(world);
    for (int n = 0; n < 20; n++) {
        CHECK_OK(cord_world_step(world, frame));
        CHECK_OK(cord_rod_positions(world, wire, x));
        for (int i = 0; i < 33; i++) {
            CHECK(x[i].z > 0.001);
        }
    }
    CordContactReport report = cord_world_contact_report(world);
    CHECK(report.limited_in_all > 0 && report.spent_in_all > 0);
    CHECK(energy_of(world) <= before);
    cord_world_destroy(world);
}

// Twenty ropes fall on top of each other. A rope 50 m away flies on.
TEST(what_touches_nothing_is_not_limited)
{
    CordBudget budget = {.iterations = 4};
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = crossed_ropes(&def, CORD_MODEL_PBD, budget);
    CordRodDef rod = cord_rod_def_default();
    CordRodId flying;
    CordVec3 v[3];
    rod.model = CORD_MODEL_PBD, rod.section = cord_section_disc(0.005), rod.material.young = 1e7;
    rod.velocity = (CordVec3){0, 0, -2};
    for (int i = 0; i < 14; i++) {
        double side = 0.1 * (i % 3 - 1), z = 0.12 + 0.02 * i, reach = i % 2 ? 0.1 : 0.08;
        rod.shape = cord_shape_line((CordVec3){-reach, -side, z}, (CordVec3){reach, side, z}, 14);
        CHECK_OK(cord_rod_create(world, &rod, &flying));
    }
    rod.shape = cord_shape_line((CordVec3){50, 0, 100}, (CordVec3){50, 0.2, 100}, 3);
    rod.velocity = (CordVec3){5, 0, 0};
    CHECK_OK(cord_rod_create(world, &rod, &flying));
    for (int n = 0; n < 60; n++) {
        CHECK_OK(cord_world_step(world, frame));
    }
    CHECK(cord_world_contact_report(world).limited_in_all > 0);
    CHECK_OK(cord_rod_velocities(world, flying, v));
    CHECK_NEAR(v[1].x, 5.0, 1e-12); // round-off
    cord_world_destroy(world);
}

// Ropes under a plate that comes down press each other, and steps are retried at half their length: the
// report is of what the last part of a step has left.
TEST(a_report_counts_what_the_last_substep_left)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = crossed_ropes(&def, CORD_MODEL_PBD, (CordBudget){.iterations = 2});
    CordObstacleDef plate = cord_obstacle_def_default();
    CordMotion down = cord_motion_translate((CordVec3){0, 0, -0.11}, 0.0, 0.5);
    CordObstacleId id;
    plate.solid.shape = CORD_SOLID_BOX, plate.solid.size = (CordVec3){1, 1, 0.02};
    plate.position = (CordVec3){0, 0, 0.14};
    plate.motions = &down, plate.motion_count = 1;
    CHECK_OK(cord_obstacle_create(world, &plate, &id));
    int limited = 0;
    for (int n = 0; n < 40; n++) {
        int64_t retries = cord_world_retries(world);
        CHECK_OK(cord_world_step(world, frame));
        CordContactReport report = cord_world_contact_report(world);
        const CordContact* all = cord_world_contacts(world);
        int deep = 0;
        for (int i = 0; i < report.contacts; i++) {
            deep += -all[i].gap > 0.99e-3 * 0.003;
        }
        if (cord_world_retries(world) > retries) {
            print_message("    %d unmet, %d deep, %d limited\n", report.unmet, deep, report.limited);
        }
        CHECK(report.unmet <= deep + 1); // lists and steps may choose other points of a pair
        CHECK(report.limited <= 6);
        limited += report.limited;
    }
    CHECK(cord_world_retries(world) > 0 && limited > 0);
    cord_world_destroy(world);
}

// The spring of soft ground throws off two ropes without weight that lie crosswise in it. Returns the
// height of the upper one's middle after 20 ms [m].
static double throw_from_soft_ground(int iterations, int64_t* spent)
{
    CordWorld* world = new_weightless_world();
    CordContactDef contact = cord_contact_def_default();
    contact.budget.iterations = iterations;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId id;
    ground.stiffness = 2e4;
    CHECK_OK(cord_obstacle_create(world, &ground, &id));
    CordRodDef rod = cord_rod_def_default();
    CordRodId rope;
    CordVec3 x[17];
    rod.section = cord_section_disc(0.003);
    rod.material.young = 1e7;
    rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
    rod.shape = cord_shape_line((CordVec3){-0.1, 0, 0.0015}, (CordVec3){0.1, 0, 0.0015}, 17);
    CHECK_OK(cord_rod_create(world, &rod, &rope));
    rod.shape = cord_shape_line((CordVec3){0, -0.1, 0.0075}, (CordVec3){0, 0.1, 0.0075}, 17);
    CHECK_OK(cord_rod_create(world, &rod, &rope));
    run(world, 2e-5, 1000);
    CHECK_OK(cord_rod_positions(world, rope, x));
    *spent = cord_world_contact_report(world).spent_in_all;
    cord_world_destroy(world);
    return x[8].z;
}

TEST(a_spent_budget_lets_soft_ground_push)
{
    int64_t none, spent;
    double whole = throw_from_soft_ground(0, &none), cut = throw_from_soft_ground(1, &spent);
    print_message("    %g m, and %g m with %d steps that spend their budget\n", whole, cut, (int)spent);
    CHECK(spent > 10);
    CHECK_NEAR(cut, whole, 5e-6);
}

// ---- what may come after it

// Steps with a budget of one iteration until something overlaps by more than a tenth of a radius.
static CordWorld* overlapping_ropes(void)
{
    CordWorld* world = position_based_ropes((CordBudget){.iterations = 1});
    for (int n = 0; cord_world_contact_report(world).deepest < 0.1; n++) {
        CHECK(n < 60);
        CHECK_OK(cord_world_step(world, frame));
    }
    return world;
}

static void check_recovers(CordWorld* world, double h, int steps)
{
    for (int n = 0; n < steps; n++) {
        CHECK_OK(cord_world_step(world, h));
    }
    print_message("    %g of a radius deep in the end\n", cord_world_contact_report(world).deepest);
    CHECK(cord_world_contact_report(world).deepest <= 1e-3);
    cord_world_destroy(world);
}

TEST(what_a_budget_has_left_is_put_right_without_one)
{
    CordWorld* world = overlapping_ropes();
    CHECK_OK(cord_world_set_budget(world, (CordBudget){0}));
    check_recovers(world, frame, 20);
}

TEST(a_world_without_a_budget_goes_on_from_what_one_has_left)
{
    CordWorld *before = overlapping_ropes(), *world = position_based_ropes((CordBudget){0});
    size_t size = cord_world_state_size(before);
    void* state = malloc(size);
    CHECK_OK(cord_world_state_get(before, state, size));
    CHECK_OK(cord_world_state_set(world, state, size));
    free(state);
    cord_world_destroy(before);
    check_recovers(world, frame, 20);
}

// A body makes the rods implicit.
TEST(implicit_steps_put_right_what_a_budget_has_left)
{
    CordWorld* world = overlapping_ropes();
    CordBodyDef ball = cord_body_def_default();
    CordBodyId id;
    ball.mass = 1.0, ball.position = (CordVec3){10, 0, 10};
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 1e-3;
    CHECK_OK(cord_body_create(world, &ball, &id));
    check_recovers(world, frame / 4.0, 40);
}

TEST(a_start_that_overlaps_is_refused_with_a_budget_as_without)
{
    CordWorld* world = position_based_ropes((CordBudget){.iterations = 4});
    CordVec3 x[17];
    CordRodId rope = cord_world_rod(world, 0);
    CHECK_OK(cord_rod_positions(world, rope, x));
    for (int i = 0; i < 17; i++) {
        x[i].z = 0.9 * 0.003;
    }
    CHECK_OK(cord_rod_set_positions(world, rope, x));
    CHECK_RESULT(cord_world_step(world, frame), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "overlaps");
    cord_world_destroy(world);
}

// ---- the clock

static double tick(void* user) // a clock that goes on by a millisecond whenever it is read
{
    return *(double*)user += 1e-3;
}

TEST(seconds_are_read_from_the_clock_of_the_world)
{
    double time = 0.0;
    CordWorldDef def = cord_world_def_default();
    def.clock = (CordClock){tick, &time};
    CordWorld* world = crossed_ropes(&def, CORD_MODEL_PBD, (CordBudget){.seconds = 0.03});
    run(world, frame, 40);
    CHECK(cord_world_contact_report(world).spent_in_all > 5);
    CHECK_OK(cord_world_set_budget(world, (CordBudget){.seconds = 1e6}));
    int64_t spent = cord_world_contact_report(world).spent_in_all;
    run(world, frame, 10);
    CHECK_INT(cord_world_contact_report(world).spent_in_all, spent);
    CHECK(!cord_world_contact_report(world).spent);
    cord_world_destroy(world);
}

TEST(a_budget_that_is_none_is_refused_and_changes_nothing)
{
    const struct {
        CordBudget budget;
        const char* message;
    } wrong[] = {{{.iterations = -1}, "0 for no limit"},
                 {{.seconds = -0.1}, "0 for no limit"},
                 {{.seconds = NAN}, "0 for no limit"},
                 {{.seconds = 0.01}, "CordWorldDef.clock"}};
    CordWorld* world = position_based_ropes((CordBudget){.iterations = 7});
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_RESULT(cord_world_set_budget(world, wrong[i].budget), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_world_message(world), wrong[i].message);
        CordContactDef def = cord_world_contact_def(world);
        def.budget = wrong[i].budget;
        CHECK_RESULT(cord_world_set_contact(world, &def), CORD_BAD_ARGUMENT);
        CHECK_INT(cord_world_contact_def(world).budget.iterations, 7);
    }
    cord_world_destroy(world);
}

TEST_GROUP(world_budget)
