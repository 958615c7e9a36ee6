// The ledger with contact, its bytes, and its mistakes.
#include "heap.h"
#include "world_parts.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/ledger.h>

// A straight rod slides at 1 m/s along a floor of friction 0.3.
static CordWorld* sliding_world(CordIntegrator integrator)
{
    CordWorld* world = new_world(down);
    CordRodDef def = cord_rod_def_default();
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef floor = cord_obstacle_def_default();
    double radius = 0.01, above = integrator == CORD_INTEGRATOR_VERLET ? 0.0 : 0.06 * radius;
    def.integrator = integrator;
    def.section = cord_section_disc(radius);
    def.material.friction = floor.friction = 0.3;
    def.shape = cord_shape_line((CordVec3){0, 0, radius + above}, (CordVec3){1, 0, radius + above}, 21);
    def.velocity = (CordVec3){1, 0, 0};
    contact.on = true;
    add_rod(world, &def);
    CordObstacleId id;
    CHECK_WORLD_OK(world, cord_obstacle_create(world, &floor, &id));
    CHECK_WORLD_OK(world, cord_world_set_contact(world, &contact));
    return world;
}

static CordLedger read_ledger(CordWorld* world)
{
    CordLedger ledger;
    CHECK_WORLD_OK(world, cord_ledger_read(world, &ledger));
    return ledger;
}

static const CordWork* work_of(const CordLedger* ledger, CordLedgerKind kind)
{
    for (int i = 0; i < ledger->entry_count; i++) {
        if (ledger->entries[i].kind == kind) {
            return &ledger->entries[i].done;
        }
    }
    fail_msg("no entry of kind %d", (int)kind);
    return NULL;
}

static void run_with_ledger(CordWorld* world, double h, int steps)
{
    for (int n = 0; n < steps; n++) {
        run(world, h, 1);
        CHECK_WORLD_OK(world, cord_ledger_update(world));
    }
}

static void check_closed(CordWorld* world, double energy, double momentum)
{
    CordLedger l = read_ledger(world);
    double size = vec3_length(l.momentum.linear) + vec3_length(work_of(&l, CORD_LEDGER_GRAVITY)->impulse);
    print_message("    not accounted for: %.2g of %.3g J, %.2g of %.3g N s\n", l.error / l.turnover,
                  l.turnover, vec3_length(l.linear_error) / size, size);
    CHECK_NEAR(l.error, 0.0, energy * l.turnover);
    CHECK_NEAR(vec3_length(l.linear_error), 0.0, momentum * size);
}

// Friction takes what the rod loses, and the floor bears its weight.
TEST(friction_takes_the_energy_of_what_slides)
{
    const CordIntegrator kinds[] = {CORD_INTEGRATOR_VERLET, CORD_INTEGRATOR_BACKWARD_EULER,
                                    CORD_INTEGRATOR_MIDPOINT};
    const double steps[] = {2e-5, 1e-3, 1e-3};
    for (int i = 0; i < 3; i++) {
        CordWorld* world = sliding_world(kinds[i]);
        CHECK_WORLD_OK(world, cord_ledger_open(world));
        for (int n = 0; n < (int)(0.1 / steps[i] + 0.5); n++) {
            run(world, steps[i], 1);
            CHECK_WORLD_OK(world, cord_ledger_update(world));
        }
        CordLedger l = read_ledger(world);
        double lost = l.energy - l.energy_start, mass = cord_rod_mass(world, cord_world_rod(world, 0));
        print_message("    energy %.4g J, contact %.4g J, not accounted for %.2g\n", lost,
                      work_of(&l, CORD_LEDGER_CONTACT)->work, l.error / l.turnover);
        CHECK(lost < -0.1 * mass);
        CHECK_NEAR(work_of(&l, CORD_LEDGER_CONTACT)->work / lost, 1.0,
                   i == 0 ? 1e-3 : 2e-2); // backward Euler loses the last bounces: 0.6 %
        print_message("    impulse of the floor off by %.2g\n",
                      work_of(&l, CORD_LEDGER_OBSTACLE)->impulse.z / (mass * 9.81 * 0.1) - 1.0);
        CHECK_NEAR(work_of(&l, CORD_LEDGER_OBSTACLE)->impulse.z, mass * 9.81 * 0.1,
                   (i == 0 ? 1e-9 : 5e-4) * mass); // contact resists the half kick of what lags: exactly
        CHECK(i > 0 || fabs(l.error) < 1e-9 * l.turnover);
        CHECK_NEAR(work_of(&l, CORD_LEDGER_OBSTACLE)->work, 0.0, 0.0);
        cord_world_destroy(world);
    }
}

// Two rods that meet crosswise slide over each other at a slant, and over the floor. Friction twists their
// frames; what it does to them is as large as what it does to their nodes, and opposite. The one below is
// held by its frames, or lies free.
static CordWorld* rubbing_world(CordIntegrator integrator, bool held)
{
    const double radius = 0.01;
    CordWorld* world = new_world(down);
    CordRodDef def = cord_rod_def_default();
    CordContactDef contact = cord_contact_def_default();
    def.integrator = integrator;
    def.section = cord_section_disc(radius);
    def.material.young = 1e7, def.material.density = 1000.0;
    contact.on = true, contact.friction = 0.4;
    def.shape = cord_shape_line((CordVec3){0, 0, radius}, (CordVec3){0.4, 0, radius}, 11);
    CordRodId below = add_rod(world, &def);
    def.shape =
        cord_shape_line((CordVec3){0.02, -0.2, 3.001 * radius}, (CordVec3){0.04, 0.2, 3.001 * radius}, 11);
    def.velocity = (CordVec3){0.5, 0.4, 0};
    add_rod(world, &def);
    CordObstacleDef floor = cord_obstacle_def_default();
    CordObstacleId id;
    CHECK_WORLD_OK(world, cord_obstacle_create(world, &floor, &id));
    if (held) {
        hold(world, below, cord_at_start(), CORD_FIX_FRAME);
    }
    CHECK_WORLD_OK(world, cord_world_set_contact(world, &contact));
    return world;
}

TEST(the_moment_of_friction_on_frames_is_accounted_for)
{
    const CordIntegrator kinds[] = {CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_MIDPOINT};
    for (int i = 0; i < 4; i++) {
        CordWorld* world = rubbing_world(kinds[i / 2], i % 2);
        CHECK_WORLD_OK(world, cord_ledger_open(world));
        run(world, 5e-4, 200);
        CHECK_WORLD_OK(world, cord_ledger_update(world));
        CordLedger l = read_ledger(world);
        double lost = vec3_length(l.angular_error),
               moved = vec3_length(work_of(&l, CORD_LEDGER_OBSTACLE)->angular);
        print_message("    moment of %.2g not accounted for, of %.2g N m s\n", lost, moved);
        CHECK(work_of(&l, CORD_LEDGER_CONTACT)->work < -1e-4);
        CHECK(lost < 1e-7 * moved);
        cord_world_destroy(world);
    }
}

// Steps of any kind tell what impacts and their barriers take. Backward Euler has it among what it loses
// itself. A clamp bears what pushes at the nodes that it holds.
TEST(impacts_on_a_floor_are_accounted_for)
{
    const CordIntegrator kinds[] = {CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_MIDPOINT,
                                    CORD_INTEGRATOR_VERLET};
    const double steps[] = {1e-3, 1e-3, 2e-5};
    for (int i = 0; i < 3; i++) {
        CordWorld* world = sliding_world(kinds[i]);
        CordClampDef clamp = cord_clamp_def_default();
        CordMotion motion = cord_motion_oscillate((CordVec3){0, 0, 0.02}, 5.0, 0.0);
        CordClampId id;
        clamp.rod = cord_world_rod(world, 0), clamp.at = cord_at_edge(19), clamp.fix = CORD_FIX_FRAME;
        clamp.motions = &motion, clamp.motion_count = 1;
        CHECK_WORLD_OK(world, cord_clamp_create(world, &clamp, &id));
        CHECK_WORLD_OK(world, cord_ledger_open(world));
        run(world, steps[i], (int)(0.1 / steps[i] + 0.5));
        CordLedger l = read_ledger(world);
        double impulse = vec3_length(work_of(&l, CORD_LEDGER_GRAVITY)->impulse);
        print_message("    contact %.4g J, integrator %.4g J, not accounted for %.2g J, %.2g of %.3g N s\n",
                      work_of(&l, CORD_LEDGER_CONTACT)->work, work_of(&l, CORD_LEDGER_INTEGRATOR)->work,
                      l.error, vec3_length(l.linear_error) / impulse, impulse);
        CHECK(l.complete);
        CHECK(work_of(&l, i == 0 ? CORD_LEDGER_INTEGRATOR : CORD_LEDGER_CONTACT)->work < -0.01);
        // Newton's method ends at 1e-8 of an edge; the midpoint rule's forces are not the mean of both ends
        CHECK_NEAR(l.error, 0.0, (i == 0 ? 1e-8 : 5e-3) * l.turnover);
        CHECK_NEAR(vec3_length(l.linear_error), 0.0, 1e-9 * impulse);
        cord_world_destroy(world);
    }
}

// A rope falls over a ball and rebounds from it. Overlaps are put right in positions alone, which is no push;
// and what parts is not put back.
TEST(rebounds_of_a_rope_on_a_ball_are_accounted_for)
{
    const CordIntegrator kinds[] = {CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_MIDPOINT,
                                    CORD_INTEGRATOR_VERLET};
    for (int i = 0; i < 6; i++) {
        CordWorld* world = new_world(down);
        CordRodDef def = cord_rod_def_default();
        CordContactDef contact = cord_contact_def_default();
        CordObstacleDef ball = cord_obstacle_def_default();
        def.integrator = kinds[i % 3], def.model = i % 3 == 2 ? CORD_MODEL_PBD : CORD_MODEL_DER;
        def.section = cord_section_disc(0.005), def.material.young = 1e6;
        def.material.friction = 0.3, def.material.restitution = i < 3 ? 0.0 : 0.7;
        def.shape = cord_shape_line((CordVec3){-0.25, 0, 0.11}, (CordVec3){0.25, 0, 0.11}, 31);
        ball.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.1, 0, 0}};
        ball.position = (CordVec3){0.02, 0, 0};
        contact.on = true;
        add_rod(world, &def);
        CordObstacleId id;
        CHECK_WORLD_OK(world, cord_obstacle_create(world, &ball, &id));
        CHECK_WORLD_OK(world, cord_world_set_contact(world, &contact));
        CHECK_WORLD_OK(world, cord_ledger_open(world));
        run_with_ledger(world, 1e-3, 250);
        // inner forces are read where overlaps have been put right, farther away by position-based rods
        check_closed(world, i % 3 == 2 ? 5e-3 : 1e-4, 1e-6);
        cord_world_destroy(world);
    }
}

// The bytes of a ledger and of a state go on to the same numbers.
TEST(a_ledger_goes_on_from_its_bytes)
{
    CordWorld* world = sliding_world(CORD_INTEGRATOR_VERLET);
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    run(world, 2e-5, 50);
    CHECK_WORLD_OK(world, cord_ledger_update(world));
    Saved state = save(world);
    size_t size = cord_ledger_state_size(world);
    uint8_t* bytes = malloc(size);
    CHECK_WORLD_OK(world, cord_ledger_state_get(world, bytes, size));
    run(world, 2e-5, 50);
    CordLedger first = read_ledger(world);
    CordWork contact = *work_of(&first, CORD_LEDGER_CONTACT);
    restore(world, &state);
    CHECK_WORLD_OK(world, cord_ledger_state_set(world, bytes, size));
    run(world, 2e-5, 50);
    CordLedger again = read_ledger(world);
    CHECK(again.error == first.error && again.turnover == first.turnover);
    CHECK(work_of(&again, CORD_LEDGER_CONTACT)->work == contact.work);
    CHECK_RESULT(cord_ledger_state_set(world, bytes, size - 1), CORD_BAD_STATE);
    free(bytes);
    drop_saved(&state);
    cord_world_destroy(world);
}

TEST(a_ledger_must_be_open)
{
    CordWorld* world = sliding_world(CORD_INTEGRATOR_VERLET);
    CordLedger ledger;
    CHECK(!cord_ledger_is_open(world) && cord_ledger_state_size(world) == 0);
    CHECK_RESULT(cord_ledger_update(world), CORD_BAD_ARGUMENT);
    CHECK_RESULT(cord_ledger_read(world, &ledger), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "cord_ledger_open");
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    CHECK(cord_ledger_is_open(world));
    cord_ledger_close(world);
    cord_ledger_close(world);
    cord_world_destroy(world);
}

// A step that fails has done no work, and the hash does not see the ledger.
TEST(a_failed_step_leaves_the_ledger_as_it_was)
{
    CordWorld* world = sliding_world(CORD_INTEGRATOR_VERLET);
    uint64_t hash = cord_world_state_hash(world);
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    CHECK(cord_world_state_hash(world) == hash);
    run(world, 2e-5, 20);
    CordWork before = *work_of(&(CordLedger[]){read_ledger(world)}[0], CORD_LEDGER_CONTACT);
    CHECK(cord_world_step(world, 1e300) != CORD_OK);
    CordLedger after = read_ledger(world);
    CHECK(work_of(&after, CORD_LEDGER_CONTACT)->work == before.work);
    cord_world_destroy(world);
}

static CordWorld* shaken_world(CordIntegrator integrator, double release)
{
    CordWorld* world = new_world(down);
    CordRodDef def = line_def(11);
    def.integrator = integrator;
    CordRodId rod = add_rod(world, &def);
    CordClampDef clamp = cord_clamp_def_default();
    CordMotion motion = cord_motion_oscillate((CordVec3){0, 0, 0.05}, 5.0, 0.0);
    CordClampId id;
    clamp.rod = rod, clamp.at = cord_at_edge(0), clamp.fix = CORD_FIX_FRAME;
    clamp.motions = &motion, clamp.motion_count = 1, clamp.release = release;
    CHECK_WORLD_OK(world, cord_clamp_create(world, &clamp, &id));
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    return world;
}

// The step in which a clamp lets go counts: backward Euler moves its nodes at 1.5 m/s then.
TEST(clamps_that_let_go_have_done_their_last_work)
{
    const CordIntegrator kinds[] = {CORD_INTEGRATOR_VERLET, CORD_INTEGRATOR_BACKWARD_EULER,
                                    CORD_INTEGRATOR_MIDPOINT};
    const double steps[] = {2e-5, 1e-3, 1e-3};
    for (int i = 0; i < 3; i++) {
        CordWorld* world = shaken_world(kinds[i], 0.2);
        run_with_ledger(world, steps[i], (int)(0.25 / steps[i] + 0.5));
        check_closed(world, 1e-4, i == 2 ? 1e-4 : 1e-9); // the mean of both ends is not the midpoint's force
        cord_world_destroy(world);
    }
}

// Trial steps that are undone leave no trace in the ledger.
TEST(trial_steps_that_are_undone_lose_nothing)
{
    for (int i = 0; i < 2; i++) {
        CordWork done[2];
        for (int tries = 0; tries < 2; tries++) {
            CordWorld* world =
                shaken_world(i == 0 ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET, INFINITY);
            run_with_ledger(world, 1e-3, 20);
            run(world, 1e-3, 1);
            if (tries) {
                Saved state = save(world);
                run(world, 2e-3, i == 0 ? 50 : 2);
                restore(world, &state);
                drop_saved(&state);
            }
            CordLedger l = read_ledger(world);
            done[tries] = *work_of(&l, i == 0 ? CORD_LEDGER_INTEGRATOR : CORD_LEDGER_CLAMP);
            CHECK_NEAR(l.error, 0.0, 1e-4 * l.turnover);
            cord_world_destroy(world);
        }
        print_message("    the integrator or the clamp has done %.6g J\n", done[0].work);
        CHECK(i == 0 ? done[0].work < 0.0 : done[0].work > 0.0);
        CHECK(done[0].work == done[1].work && done[0].angular.y == done[1].angular.y);
    }
}

// What goes leaves its work behind, and what comes brings its energy.
TEST(the_ledger_closes_over_what_comes_and_goes)
{
    CordWorld* world = shaken_world(CORD_INTEGRATOR_VERLET, INFINITY);
    CordRodDef other = line_def(5);
    CordBodyDef ball = cord_body_def_default();
    CordLoadDef force = cord_load_def_default();
    CordRodId second;
    CordBodyId body;
    CordLoadId load;
    force.kind = CORD_LOAD_FORCE, force.rod = cord_world_rod(world, 0), force.at = cord_at_end();
    force.force = (CordVec3){0.1, 0.3, 0};
    CHECK_WORLD_OK(world, cord_load_create(world, &force, &load));
    run_with_ledger(world, 2e-5, 500);
    other.velocity = (CordVec3){0, 2, 0}, ball.mass = 0.1, ball.velocity = (CordVec3){1, 0, 0};
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 1e-4;
    CHECK_WORLD_OK(world, cord_rod_create(world, &other, &second));
    CHECK_WORLD_OK(world, cord_body_create(world, &ball, &body));
    run_with_ledger(world, 2e-5, 500);
    CHECK_WORLD_OK(world, cord_load_destroy(world, load));
    CHECK_WORLD_OK(world, cord_clamp_destroy(world, cord_world_clamp(world, 0)));
    run_with_ledger(world, 2e-5, 500);
    check_closed(world, 1e-6, 1e-9);
    CHECK_WORLD_OK(world, cord_rod_destroy(world, second));
    CHECK_WORLD_OK(world, cord_body_destroy(world, body));
    run_with_ledger(world, 2e-5, 500);
    check_closed(world, 1e-6, 1e-9);
    cord_world_destroy(world);
}

// A torque that begins within a step, on a rod whose frame nothing holds, fails it. Samples of its parts are
// then forgotten.
TEST(samples_of_a_step_that_fails_are_forgotten)
{
    const CordIntegrator integrators[] = {CORD_INTEGRATOR_BACKWARD_EULER, CORD_INTEGRATOR_MIDPOINT};
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodDef def = cord_rod_def_default();
        CordLoadDef torque = cord_load_def_default();
        CordLoadId load;
        def.integrator = integrators[i];
        def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11);
        torque.rod = add_rod(world, &def), torque.at = cord_at_node(5), torque.kind = CORD_LOAD_TORQUE;
        torque.torque = (CordVec3){1e-3, 0, 0}, torque.from = 20.6e-3;
        CHECK_WORLD_OK(world, cord_load_create(world, &torque, &load));
        CHECK_WORLD_OK(world, cord_ledger_open(world));
        run_with_ledger(world, 1e-3, 20);
        size_t size = cord_ledger_state_size(world);
        uint8_t *before = malloc(size), *after = malloc(size);
        CHECK_WORLD_OK(world, cord_ledger_state_get(world, before, size));
        CHECK(cord_world_step(world, 1e-3) != CORD_OK);
        CHECK_WORLD_OK(world, cord_ledger_state_get(world, after, size));
        CHECK(memcmp(before, after, size) == 0);
        free(before);
        free(after);
        cord_world_destroy(world);
    }
}

// Without memory for its own copy the ledger cannot go back with a state, and tells.
TEST(what_is_not_counted_for_want_of_memory_is_told)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    CordWorld* world;
    CHECK_RESULT(cord_world_create(&def, &world), CORD_OK);
    CordRodDef rod = cord_rod_def_default();
    rod.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 11);
    add_rod(world, &rod);
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    run_with_ledger(world, 1e-5, 2);
    CHECK(read_ledger(world).complete);
    size_t size = cord_world_state_size(world);
    uint8_t* bytes = malloc(size);
    heap.fail = heap.calls + 1;
    CHECK_WORLD_OK(world, cord_world_state_get(world, bytes, size));
    CHECK(!read_ledger(world).complete);
    free(bytes);
    cord_world_destroy(world);
}

// A bent rod that is refined and merged by hand, between steps.
TEST(nodes_that_change_by_hand_are_accounted_for)
{
    CordWorld* world = new_world((CordVec3){0, 0, 0});
    CordRodDef def = cord_rod_def_default();
    CordVec3 points[4] = {{0, 0, 0}, {0.3, 0, 0.05}, {0.6, 0, 0.05}, {1, 0, 0}};
    def.adapt = cord_adapt_def_default();
    def.adapt.on = true;
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.rest = CORD_REST_STRAIGHT;
    def.section = cord_section_disc(5e-3);
    def.shape = cord_shape_spline(points, 4, 9);
    CordRodId rod = add_rod(world, &def);
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    run_with_ledger(world, 1e-3, 5);
    CHECK_WORLD_OK(world, cord_rod_refine(world, rod, 4));
    CHECK_WORLD_OK(world, cord_rod_refine(world, rod, 2));
    run_with_ledger(world, 1e-3, 5);
    CordLedger ledger = read_ledger(world);
    const CordWork* done = work_of(&ledger, CORD_LEDGER_REMESHING);
    CHECK(fabs(done->work) > 1e-3 * ledger.turnover);
    CHECK(fabs(ledger.error) < 1e-6 * ledger.turnover);
    double refined = done->work;
    CHECK_WORLD_OK(world, cord_rod_merge(world, rod, 3));
    ledger = read_ledger(world);
    CHECK(work_of(&ledger, CORD_LEDGER_REMESHING)->work != refined);
    CHECK(fabs(ledger.error) < 1e-6 * ledger.turnover);
    cord_world_destroy(world);
}

TEST_GROUP(world_ledger)
