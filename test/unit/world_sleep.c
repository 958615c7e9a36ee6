// Sleep: what lets rods sleep, what wakes them, and what may not change by it.
#include "world/obstacle.h"
#include "world_rods.h"

#include <cordage/ledger.h>

static const double h = 1.0 / 120.0; // [s]
static const CordSleep soon = {.time = 0.2, .tolerance = 0.05};

typedef struct Scene {
    CordWorld* world;
    CordRodId lying, other;
    CordObstacleId ground;
} Scene;

static CordRodId add_rope(CordWorld* world, CordVec3 from, CordVec3 to)
{
    CordRodDef rod = cord_rod_def_default();
    CordRodId id;
    rod.model = CORD_MODEL_PBD;
    rod.section = cord_section_disc(0.005);
    rod.material.young = 1e7;
    rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
    rod.shape = cord_shape_line(from, to, 11);
    CHECK_OK(cord_rod_create(world, &rod, &id));
    return id;
}

// A rope in a corner of the ground, where it cannot roll, and one far from it that hangs from its clamp and
// swings.
static Scene lying_rope(const CordWorldDef* def, CordSleep sleep)
{
    Scene s = {.world = make_world(def)};
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef ground = cord_obstacle_def_default(), wall = ground;
    CordObstacleId id;
    contact.sleep = sleep;
    CHECK_OK(cord_world_set_contact(s.world, &contact));
    CHECK_OK(cord_obstacle_create(s.world, &ground, &s.ground));
    for (int side = -1; side <= 1; side += 2) {
        wall.solid.shape = CORD_SOLID_BOX, wall.solid.size = (CordVec3){1, 0.02, 0.02};
        wall.position = (CordVec3){0, side * 0.0151, 0.01};
        CHECK_OK(cord_obstacle_create(s.world, &wall, &id));
    }
    s.lying = add_rope(s.world, (CordVec3){-0.1, 0, 0.006}, (CordVec3){0.1, 0, 0.006});
    s.other = add_rope(s.world, (CordVec3){0, 1, 0.5}, (CordVec3){0.2, 1, 0.5});
    CordClampDef clamp = cord_clamp_def_default();
    CordClampId held;
    clamp.rod = s.other, clamp.at = cord_at_start(), clamp.fix = CORD_FIX_POSITION;
    CHECK_OK(cord_clamp_create(s.world, &clamp, &held));
    return s;
}

static Scene usual(void)
{
    CordWorldDef def = cord_world_def_default();
    return lying_rope(&def, soon);
}

static Scene asleep(void)
{
    Scene s = usual();
    run(s.world, h, 60);
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    CHECK(!cord_rod_is_asleep(s.world, s.other));
    return s;
}

static double farthest(const CordVec3* x, const CordVec3* y, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, vec3_length(vec3_sub(x[i], y[i])));
    }
    return most;
}

// ---- asleep

TEST(nothing_sleeps_unless_it_is_asked_for)
{
    CordWorldDef def = cord_world_def_default();
    Scene s = lying_rope(&def, (CordSleep){0});
    run(s.world, h, 120);
    CHECK_INT(cord_world_contact_report(s.world).asleep, 0);
    cord_world_destroy(s.world);
}

TEST(what_sleeps_stays_as_it_is_and_keeps_its_forces)
{
    Scene s = asleep();
    CordVec3 x[11], y[11], v[11], force, torque;
    CHECK_OK(cord_rod_positions(s.world, s.lying, x));
    int contacts = 0;
    run(s.world, h, 40);
    CHECK_OK(cord_rod_positions(s.world, s.lying, y));
    CHECK_OK(cord_rod_velocities(s.world, s.lying, v));
    CHECK(memcmp(x, y, sizeof x) == 0);
    for (int i = 0; i < 11; i++) {
        CHECK_VEC3(v[i], ((CordVec3){0, 0, 0}), 0.0);
    }
    CHECK_INT(cord_world_contact_report(s.world).asleep, 1);
    double push = 0.0, weight = 9.81 * cord_rod_mass(s.world, s.lying);
    for (int i = 0; i < cord_world_contact_count(s.world); i++) {
        const CordContact* c = &cord_world_contacts(s.world)[i];
        contacts += c->push > 0.0;
        push += c->push * c->normal.z + c->friction.z;
    }
    CHECK(contacts > 2);
    CHECK_NEAR(push, weight, 0.02 * weight); // the ground and the walls bear it, to the residual of contacts
    CHECK_OK(cord_obstacle_force(s.world, s.ground, &force, &torque));
    CHECK_NEAR(force.z, -weight, 0.02 * weight);
    cord_world_destroy(s.world);
}

static void check_same_place(const Scene* a, CordRodId rod, const Scene* b, CordRodId same, double most)
{
    CordVec3 x[11], y[11];
    CHECK_OK(cord_rod_positions(a->world, rod, x));
    CHECK_OK(cord_rod_positions(b->world, same, y));
    if (farthest(x, y, 11) > most) {
        print_error("sleep moves a rod by %g m\n", farthest(x, y, 11));
    }
    CHECK(farthest(x, y, 11) <= most);
}

// A rope that swings, solved in lanes beside the one that sleeps and wakes, keeps its bits. Sweeps over
// contacts end for all of them together, so that one that slides on the same ground, far away, does not: it
// keeps its place to the residual of contacts.
TEST(sleep_hardly_changes_what_is_far_away)
{
    CordWorldDef def = cord_world_def_default();
    Scene with = lying_rope(&def, soon), without = lying_rope(&def, (CordSleep){0});
    CordVec3 from = {0, -1, 0.006}, to = {0.2, -1, 0.02}, v[11];
    CordRodId slides = add_rope(with.world, from, to), same = add_rope(without.world, from, to);
    for (int i = 0; i < 11; i++) {
        v[i] = (CordVec3){1.5, 0.2, 0};
    }
    CHECK_OK(cord_rod_set_velocities(with.world, slides, v));
    CHECK_OK(cord_rod_set_velocities(without.world, same, v));
    int slept = 0;
    for (int n = 0; n < 150; n++) {
        if (n == 100) { // wakes it
            CHECK_OK(cord_world_set_gravity(with.world, cord_world_gravity(with.world)));
        }
        run(with.world, h, 1);
        run(without.world, h, 1);
        slept += cord_rod_is_asleep(with.world, with.lying);
        check_same_place(&with, with.other, &without, without.other, 0.0);
        check_same_place(&with, slides, &without, same, 1e-4 * 0.005);
    }
    CHECK(60 < slept && slept < 140);
    cord_world_destroy(with.world);
    cord_world_destroy(without.world);
}

// What falls on a rope that sleeps moves on as if that had been awake.
TEST(what_meets_a_sleeping_rope_moves_as_without_sleep)
{
    CordWorldDef def = cord_world_def_default();
    Scene with = lying_rope(&def, soon), without = lying_rope(&def, (CordSleep){0});
    CordVec3 from = {0.02, -0.06, 0.6}, to = {-0.01, 0.12, 0.62};
    CordRodId falls = add_rope(with.world, from, to), same = add_rope(without.world, from, to);
    run(with.world, h, 35);
    run(without.world, h, 35);
    CHECK(cord_rod_is_asleep(with.world, with.lying));
    for (int n = 0; n < 25; n++) {
        run(with.world, h, 1);
        run(without.world, h, 1);
        check_same_place(&with, falls, &without, same, 1e-4 * 0.005);
    }
    CHECK(!cord_rod_is_asleep(with.world, with.lying));
    cord_world_destroy(with.world);
    cord_world_destroy(without.world);
}

// The iterations of this rope never suffice.
TEST(what_sleeps_is_not_reported_as_unfinished)
{
    Scene s = usual();
    CordRodDef rod = cord_rod_def_default();
    CordRodId rope;
    CHECK_OK(cord_rod_destroy(s.world, s.lying));
    rod.model = CORD_MODEL_PBD, rod.section = cord_section_disc(0.005);
    rod.material.young = 1e7, rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
    rod.shape = cord_shape_line((CordVec3){-0.1, 0, 0.006}, (CordVec3){0.1, 0, 0.006}, 11);
    rod.pbd.iterations = 1, rod.pbd.tolerance = 1e-18;
    CHECK_WORLD_OK(s.world, cord_rod_create(s.world, &rod, &rope));
    run(s.world, h, 10);
    CHECK_INT(cord_world_step_report(s.world).unfinished, 1);
    run(s.world, h, 80);
    CHECK(cord_rod_is_asleep(s.world, rope));
    CHECK_INT(cord_world_step_report(s.world).unfinished, 0);
    cord_world_destroy(s.world);
}

// The documented bound: what a rod may travel in `after` seconds at rest.
TEST(sleep_changes_positions_by_less_than_the_motion_of_rest)
{
    CordWorldDef def = cord_world_def_default();
    Scene with = lying_rope(&def, soon), without = lying_rope(&def, (CordSleep){0});
    CordVec3 x[11], y[11];
    run(with.world, h, 360);
    run(without.world, h, 360);
    CHECK(cord_rod_is_asleep(with.world, with.lying));
    CHECK_OK(cord_rod_positions(with.world, with.lying, x));
    CHECK_OK(cord_rod_positions(without.world, without.lying, y));
    CHECK(farthest(x, y, 11) <= soon.tolerance * 0.005);
    cord_world_destroy(with.world);
    cord_world_destroy(without.world);
}

TEST(sleep_has_the_same_bits_at_any_thread_count)
{
    CordWorldDef one = cord_world_def_default(), two = one;
    two.tasks = cord_tasks_openmp(2);
    Scene a = lying_rope(&one, soon), b = lying_rope(&two, soon);
    run(a.world, h, 90);
    run(b.world, h, 90);
    CHECK_INT(cord_world_contact_report(b.world).asleep, 1);
    CHECK(cord_world_state_hash(a.world) == cord_world_state_hash(b.world));
    cord_world_destroy(a.world);
    cord_world_destroy(b.world);
}

TEST(a_state_keeps_what_sleeps)
{
    Scene s = asleep(), fresh = usual();
    size_t size = cord_world_state_size(s.world);
    void* state = malloc(size);
    CHECK_OK(cord_world_state_get(s.world, state, size));
    CHECK_OK(cord_world_state_set(fresh.world, state, size));
    CHECK(cord_rod_is_asleep(fresh.world, fresh.lying));
    CordRodId above = add_rope(s.world, (CordVec3){0, -0.1, 0.06}, (CordVec3){0, 0.1, 0.06}),
              same = add_rope(fresh.world, (CordVec3){0, -0.1, 0.06}, (CordVec3){0, 0.1, 0.06});
    (void)above, (void)same;
    run(s.world, h, 60);
    run(fresh.world, h, 60);
    CHECK(cord_world_state_hash(s.world) == cord_world_state_hash(fresh.world));
    free(state);
    cord_world_destroy(s.world);
    cord_world_destroy(fresh.world);
}

TEST(a_state_goes_on_with_what_sleeps)
{
    Scene s = asleep(), fresh = usual();
    size_t size = cord_world_state_size(s.world);
    void* state = malloc(size);
    CHECK_OK(cord_world_state_get(s.world, state, size));
    CHECK_OK(cord_world_state_set(fresh.world, state, size));
    run(s.world, h, 60);
    run(fresh.world, h, 60);
    CHECK(cord_rod_is_asleep(fresh.world, fresh.lying));
    CHECK(cord_world_state_hash(s.world) == cord_world_state_hash(fresh.world));
    free(state);
    cord_world_destroy(s.world);
    cord_world_destroy(fresh.world);
}

static double height(const CordWorld* world, CordRodId rod) // of the middle
{
    CordVec3 x[11];
    CHECK_OK(cord_rod_positions(world, rod, x));
    return x[5].z;
}

// What a call wakes is awake at once, so that a state taken before the next step has it.
TEST(a_state_keeps_what_a_call_has_woken)
{
    Scene s = asleep(), fresh = usual();
    double before = height(s.world, s.lying);
    CHECK_OK(cord_world_set_gravity(s.world, (CordVec3){0, 0, 5}));
    CHECK(!cord_rod_is_asleep(s.world, s.lying));
    Saved state = save(s.world);
    restore(s.world, &state);
    restore(fresh.world, &state);
    run(s.world, h, 20);
    run(fresh.world, h, 20);
    CHECK(height(s.world, s.lying) > before + 0.01);
    CHECK(cord_world_state_hash(s.world) == cord_world_state_hash(fresh.world));
    drop_saved(&state);
    cord_world_destroy(s.world);
    cord_world_destroy(fresh.world);
}

TEST(a_velocity_that_is_set_outlasts_a_state_and_a_failed_step)
{
    Scene s = asleep();
    CordVec3 v[11], read[11];
    for (int i = 0; i < 11; i++) {
        v[i] = (CordVec3){0, 0, 1};
    }
    CHECK_OK(cord_rod_set_velocities(s.world, s.lying, v));
    Saved state = save(s.world);
    restore(s.world, &state);
    CHECK_OK(cord_rod_velocities(s.world, s.lying, read));
    CHECK(memcmp(v, read, sizeof v) == 0);
    uint64_t hash = cord_world_state_hash(s.world);
    CordVec3 up = {0, 0, 0.6}; // the ground would rise over the clamp that holds the other rope
    CHECK_OK(cord_obstacle_move(s.world, s.ground, up, (CordQuat){0, 0, 0, 1}));
    CHECK(cord_world_step(s.world, h) != CORD_OK);
    CHECK_OK(cord_obstacle_move(s.world, s.ground, (CordVec3){0, 0, 0}, (CordQuat){0, 0, 0, 1}));
    CHECK(cord_world_state_hash(s.world) == hash);
    CHECK_OK(cord_rod_velocities(s.world, s.lying, read));
    CHECK(memcmp(v, read, sizeof v) == 0);
    drop_saved(&state);
    cord_world_destroy(s.world);
}

TEST(a_failed_step_and_vibrations_wake_nothing)
{
    Scene s = asleep(), same = asleep();
    CordVec3 up = {0, 0, 0.6};
    double omega2[2];
    CHECK_OK(cord_obstacle_move(s.world, s.ground, up, (CordQuat){0, 0, 0, 1}));
    CHECK(cord_world_step(s.world, h) != CORD_OK);
    CHECK_OK(cord_obstacle_move(s.world, s.ground, (CordVec3){0, 0, 0}, (CordQuat){0, 0, 0, 1}));
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    CHECK_WORLD_OK(s.world, cord_world_modes(s.world, 2, omega2, NULL));
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    run(s.world, h, 30);
    run(same.world, h, 30);
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    CHECK(cord_world_state_hash(s.world) == cord_world_state_hash(same.world));
    cord_world_destroy(s.world);
    cord_world_destroy(same.world);
}

// Implicit rods never sleep. That they might, or that a state is read, changes nothing of their contacts.
TEST(implicit_rods_know_nothing_of_sleep)
{
    uint64_t hash[3];
    CordWork by_contact[3];
    for (int i = 0; i < 3; i++) {
        CordWorldDef def = cord_world_def_default();
        CordWorld* world = make_world(&def);
        CordContactDef contact = cord_contact_def_default();
        CordObstacleDef ground = cord_obstacle_def_default();
        CordObstacleId id;
        CordRodDef rod = cord_rod_def_default();
        CordRodId rope;
        contact.gap = 0.4, contact.sleep.time = i > 0 ? 1.0 : 0.0;
        CHECK_OK(cord_world_set_contact(world, &contact));
        CHECK_OK(cord_obstacle_create(world, &ground, &id));
        rod.section = cord_section_disc(0.005), rod.material.young = 1e6;
        rod.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        rod.shape = cord_shape_line((CordVec3){-0.1, 0, 0.006}, (CordVec3){0.12, 0, 0.009}, 8);
        rod.adapt.on = true, rod.adapt.shortest = 0.25;
        CHECK_WORLD_OK(world, cord_rod_create(world, &rod, &rope));
        CHECK_OK(cord_ledger_open(world));
        for (int n = 0; n < 60; n++) {
            Saved state = save(world);
            if (i == 2) {
                restore(world, &state);
            }
            run(world, 1e-3, 1);
            drop_saved(&state);
        }
        CordLedger ledger;
        CHECK_OK(cord_ledger_read(world, &ledger));
        for (int k = 0; k < ledger.entry_count; k++) {
            by_contact[i] =
                ledger.entries[k].kind == CORD_LEDGER_CONTACT ? ledger.entries[k].done : by_contact[i];
        }
        CHECK(cord_rod_adapt_report(world, rope).refined > 0);
        hash[i] = cord_world_state_hash(world);
        cord_world_destroy(world);
    }
    CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
    CHECK(by_contact[0].work == by_contact[1].work && by_contact[1].work == by_contact[2].work);
}

// What sleeps has lost its velocity: the ledger says so as long as it counts that step.
TEST(the_ledger_remembers_that_rods_fell_asleep)
{
    Scene s = usual();
    CordLedger ledger;
    CHECK_OK(cord_ledger_open(s.world));
    run(s.world, h, 60);
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    CHECK_OK(cord_world_set_gravity(s.world, (CordVec3){0, 0, 5}));
    run(s.world, h, 2);
    CHECK_OK(cord_ledger_read(s.world, &ledger));
    CHECK_CONTAINS(ledger.hidden_losses, "fell asleep");
    CHECK_OK(cord_ledger_open(s.world));
    CHECK_OK(cord_ledger_read(s.world, &ledger));
    CHECK(!strstr(ledger.hidden_losses, "fell asleep"));
    cord_world_destroy(s.world);
}

// ---- what does not sleep

// A rope in the open about its own axis: its nodes are at rest.
static void check_spinning(CordModel model, double spin)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world = make_world(&def);
    CordContactDef contact = cord_contact_def_default();
    CordRodDef rod = cord_rod_def_default();
    CordRodId rope;
    double step = model == CORD_MODEL_PBD ? h : 5e-5;
    contact.sleep = (CordSleep){.time = 0.05, .tolerance = 0.05};
    CHECK_OK(cord_world_set_contact(world, &contact));
    rod.model = model, rod.dynamic_twist = true;
    rod.section = cord_section_disc(0.005), rod.material.young = 1e6;
    rod.shape = cord_shape_line((CordVec3){-0.1, 0, 0}, (CordVec3){0.1, 0, 0}, 11);
    rod.spin = (CordVec3){spin, 0, 0};
    CHECK_WORLD_OK(world, cord_rod_create(world, &rod, &rope));
    double before = cord_rod_momentum(world, rope).angular.x;
    run(world, step, (int)(0.1 / step));
    CHECK(cord_rod_is_asleep(world, rope) == (spin == 0.0));
    CHECK_NEAR(cord_rod_momentum(world, rope).angular.x, before, 1e-9 * fabs(before));
    cord_world_destroy(world);
}

TEST(what_spins_on_the_spot_does_not_sleep)
{
    const CordModel models[] = {CORD_MODEL_PBD, CORD_MODEL_DER, CORD_MODEL_CORDE};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        check_spinning(models[i], 100.0);
        check_spinning(models[i], 0.0);
    }
}

// A rope whose clamp creeps by less than what counts as rest, or turns it about its axis.
static void check_driven(CordMotion motion, CordFix fix)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world = make_world(&def);
    CordContactDef contact = cord_contact_def_default();
    CordClampDef clamp = cord_clamp_def_default();
    CordClampId held;
    contact.sleep = soon;
    CHECK_OK(cord_world_set_contact(world, &contact));
    clamp.rod = add_rope(world, (CordVec3){-0.1, 0, 0}, (CordVec3){0.1, 0, 0});
    clamp.fix = fix, clamp.motions = &motion, clamp.motion_count = 1;
    CHECK_WORLD_OK(world, cord_clamp_create(world, &clamp, &held));
    for (int n = 0; n < 100; n++) {
        run(world, h, 1);
        CHECK(!cord_rod_is_asleep(world, clamp.rod));
    }
    cord_world_destroy(world);
}

TEST(what_a_clamp_moves_does_not_sleep)
{
    check_driven(cord_motion_translate((CordVec3){1e-4, 0, 0}, 0.0, 10.0), CORD_FIX_POSITION);
    check_driven(cord_motion_rotate((CordVec3){1, 0, 0}, 1e-3, 0.0, 10.0), CORD_FIX_FRAME);
}

// ---- explicit rods

// Two explicit ropes lie crosswise in the open: what is read of them is at rest, whatever their velocities
// lag behind, and where one is drawn away the other wakes and falls.
static void check_explicit(bool inextensible)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = make_world(&def);
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId id;
    CordRodId ropes[2];
    CordVec3 v[9], before[9], after[9];
    contact.sleep = (CordSleep){.time = 0.05, .tolerance = 0.05};
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_obstacle_create(world, &ground, &id));
    for (int k = 0; k < 2; k++) {
        CordRodDef rod = cord_rod_def_default();
        CordVec3 from = {-0.04, 0, 0.005 + 0.01 * k}, to = {0.04, 0, 0.005 + 0.01 * k};
        rod.section = cord_section_disc(0.005);
        rod.material.young = 1e6;
        rod.inextensible = inextensible;
        rod.shape = k ? cord_shape_line((CordVec3){0, -0.04, from.z}, (CordVec3){0, 0.04, to.z}, 9)
                      : cord_shape_line(from, to, 9);
        CHECK_OK(cord_rod_create(world, &rod, &ropes[k]));
    }
    CordLoadDef air = cord_load_def_default();
    CordLoadId drag;
    air.kind = CORD_LOAD_DRAG, air.along = air.across = 5.0;
    CHECK_OK(cord_load_create(world, &air, &drag));
    run(world, 5e-5, 6000);
    for (int k = 0; k < 2; k++) {
        CHECK(cord_rod_is_asleep(world, ropes[k]));
        CHECK_OK(cord_rod_velocities(world, ropes[k], v));
        for (int i = 0; i < 9; i++) {
            CHECK_VEC3(v[i], ((CordVec3){0, 0, 0}), 0.0);
        }
    }
    run(world, 5e-5, 100);
    CHECK_INT(cord_world_contact_report(world).asleep, 2);
    CHECK_OK(cord_obstacle_move(world, id, (CordVec3){0, 0, -0.02}, (CordQuat){0, 0, 0, 1}));
    CHECK_OK(cord_rod_positions(world, ropes[1], before));
    run(world, 5e-5, 400); // 20 ms: a free fall is 2 mm
    CHECK_OK(cord_rod_positions(world, ropes[1], after));
    CHECK_INT(cord_world_contact_report(world).asleep, 0);
    CHECK(after[4].z < before[4].z - 5e-4);
    cord_world_destroy(world);
}

TEST(explicit_ropes_sleep_and_wake)
{
    check_explicit(false);
    check_explicit(true);
}

// ---- waking

// Clamps let a rope go that falls on the sleeping one, by several radii a step.
TEST(what_comes_near_wakes_and_does_not_pass)
{
    Scene s = usual();
    CordRodId above = add_rope(s.world, (CordVec3){0, -0.1, 0.4}, (CordVec3){0, 0.1, 0.4});
    CordClampDef clamp = cord_clamp_def_default();
    CordClampId held;
    CordVec3 x[11], y[11];
    clamp.rod = above, clamp.fix = CORD_FIX_POSITION, clamp.release = 0.6;
    for (int k = 0; k < 2; k++) {
        clamp.at = k ? cord_at_end() : cord_at_start();
        CHECK_OK(cord_clamp_create(s.world, &clamp, &held));
    }
    run(s.world, h, 80);
    CHECK(cord_rod_is_asleep(s.world, s.lying)); // it falls already
    double last = 1.0, fall = 0.0;
    bool woken = false;
    for (int n = 0; n < 60; n++) {
        CHECK_OK(cord_world_step(s.world, h));
        woken |= !cord_rod_is_asleep(s.world, s.lying);
        CHECK_OK(cord_rod_positions(s.world, above, x));
        CHECK_OK(cord_rod_positions(s.world, s.lying, y));
        CHECK(x[5].z > y[5].z + 1.9 * 0.005);
        fall = fmax(fall, last - x[5].z), last = x[5].z;
    }
    CHECK(woken && fall > 0.01);
    cord_world_destroy(s.world);
}

static CordVec3 momentum_of(const CordWorld* world)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        sum = vec3_add(sum, cord_rod_momentum(world, cord_world_rod(world, i)).linear);
    }
    return sum;
}

// A rope lies awake across the ends of two that sleep, too far from them to wake them. A third one hits its
// middle, and its ends are driven into those that sleep in the same step.
TEST(what_is_driven_into_a_sleeping_rod_pushes_it)
{
    const double r = 0.005, speed = 4.0 * r / h, start = 0.3 * speed;
    CordWorldDef def = cord_world_def_default();
    def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world = make_world(&def);
    CordContactDef contact = cord_contact_def_default();
    CordRodDef rod = cord_rod_def_default();
    CordRodId sleepers[2], across, falling;
    contact.sleep = soon;
    CHECK_OK(cord_world_set_contact(world, &contact));
    for (int k = 0; k < 2; k++) {
        double x = k ? 0.09 : -0.09;
        sleepers[k] = add_rope(world, (CordVec3){x, -0.05, -2.15 * r}, (CordVec3){x, 0.05, -2.15 * r});
    }
    rod.model = CORD_MODEL_PBD, rod.section = cord_section_disc(r);
    rod.material.young = rod.material.bend_modulus = rod.material.twist_modulus = 1e10;
    rod.shape = cord_shape_line((CordVec3){-0.1, 0, 0}, (CordVec3){0.1, 0, 0}, 12);
    CHECK_OK(cord_rod_create(world, &rod, &across));
    rod.shape = cord_shape_line((CordVec3){0, -0.03, 3 * r + start}, (CordVec3){0, 0.03, 3 * r + start}, 6);
    rod.velocity = (CordVec3){0, 0, -speed};
    CHECK_OK(cord_rod_create(world, &rod, &falling));
    CordLoadDef load = cord_load_def_default(); // of no force: rods with loads stay awake
    CordLoadId id;
    load.kind = CORD_LOAD_FORCE, load.rod = across, load.at = cord_at_start();
    CHECK_OK(cord_load_create(world, &load, &id));
    CordVec3 before = momentum_of(world);
    bool slept = false, woken = false;
    for (int n = 0; n < 60; n++) {
        bool now = cord_rod_is_asleep(world, sleepers[0]);
        slept |= now;
        run(world, h, 1);
        woken |= now && !cord_rod_is_asleep(world, sleepers[0]);
        CHECK_VEC3(momentum_of(world), before, 1e-9 * vec3_length(before));
    }
    CHECK(slept && woken);
    cord_world_destroy(world);
}

static void check_wakes(Scene* s, const char* what)
{
    CHECK_OK(cord_world_step(s->world, h));
    if (cord_rod_is_asleep(s->world, s->lying)) {
        print_error("%s does not wake\n", what);
    }
    CHECK(!cord_rod_is_asleep(s->world, s->lying));
    cord_world_destroy(s->world);
}

TEST(changes_wake)
{
    Scene s = asleep();
    CHECK_OK(cord_world_set_gravity(s.world, (CordVec3){0, 0, -5}));
    check_wakes(&s, "gravity");
    s = asleep();
    CordContactDef def = cord_world_contact_def(s.world);
    def.friction = 0.1;
    CHECK_OK(cord_world_set_contact(s.world, &def));
    check_wakes(&s, "the law of contact");
    s = asleep();
    CHECK_OK(cord_obstacle_move(s.world, s.ground, (CordVec3){0, 0, -1e-4}, (CordQuat){0, 0, 0, 1}));
    check_wakes(&s, "an obstacle that moves");
    s = asleep();
    CordLoadDef load = cord_load_def_default();
    CordLoadId id;
    load.kind = CORD_LOAD_FORCE, load.rod = s.lying, load.at = cord_at_end();
    load.force = (CordVec3){0, 0, 1};
    CHECK_OK(cord_load_create(s.world, &load, &id));
    check_wakes(&s, "a load");
    s = asleep();
    CHECK_OK(cord_world_set_sleep(s.world, (CordSleep){0}));
    check_wakes(&s, "turning it off");
    s = asleep();
    CordVec3 v[11] = {{0}};
    CHECK_OK(cord_rod_set_velocities(s.world, s.lying, v));
    check_wakes(&s, "a velocity that is set");
}

// The attempt at the whole step fails before it knows of any contacts. Those of the step before must not
// wake what they held.
TEST(what_turns_far_away_wakes_nothing)
{
    Scene s = usual();
    CordObstacleDef box = cord_obstacle_def_default();
    CordObstacleId id;
    box.solid.shape = CORD_SOLID_BOX, box.solid.size = (CordVec3){0.1, 0.1, 0.1};
    box.position = (CordVec3){-0.1, 1, 0.5}; // beside the clamp of the other rope
    CHECK_OK(cord_obstacle_create(s.world, &box, &id));
    while (!cord_rod_is_asleep(s.world, s.lying)) {
        run(s.world, h, 1);
    }
    CHECK_OK(cord_obstacle_move(s.world, id, (CordVec3){0, 0, 0}, cord_quat_about((CordVec3){0, 0, 1}, 3.0)));
    run(s.world, h, 1);
    CHECK(cord_world_retries(s.world) > 0);
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    cord_world_destroy(s.world);
}

TEST(a_clamp_that_moves_wakes_its_rod_alone)
{
    CordWorldDef def = cord_world_def_default();
    Scene s = lying_rope(&def, soon);
    CordClampDef clamp = cord_clamp_def_default();
    CordClampId held;
    clamp.rod = s.lying, clamp.at = cord_at_end(), clamp.fix = CORD_FIX_POSITION;
    CHECK_OK(cord_clamp_create(s.world, &clamp, &held));
    run(s.world, h, 90);
    CHECK(cord_rod_is_asleep(s.world, s.lying));
    CHECK_OK(cord_clamp_move(s.world, held, (CordVec3){0, 0, 1e-3}, (CordQuat){0, 0, 0, 1}));
    check_wakes(&s, "a clamp");
}

// ---- settings

TEST(settings_of_sleep_that_are_none_are_refused)
{
    const CordSleep wrong[] = {{.time = -1},
                               {.time = NAN},
                               {.time = 1, .tolerance = 0},
                               {.time = 1, .tolerance = -0.1},
                               {.time = 1, .tolerance = 2},
                               {.time = 1, .tolerance = NAN}};
    Scene s = asleep();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_RESULT(cord_world_set_sleep(s.world, wrong[i]), CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(cord_world_message(s.world), i < 2 ? "time of sleep" : "tolerance of sleep");
    }
    CHECK_OK(cord_world_step(s.world, h));
    CHECK(cord_rod_is_asleep(s.world, s.lying)); // what was refused has changed nothing
    cord_world_destroy(s.world);
}

TEST(the_default_lets_nothing_sleep)
{
    CordSleep def = cord_sleep_default();
    CHECK(def.time == 0.0 && def.tolerance == 0.01);
    CHECK(memcmp(&(CordSleep){cord_contact_def_default().sleep.time, 0.01}, &def, sizeof def) == 0);
}

// ---- not at rest

// Two ropes that touch are thrown up, and are slow where they turn back for longer than `time`.
static void throw_up(CordModel model, CordSleep sleep)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world = make_world(&def);
    CordContactDef contact = cord_contact_def_default();
    contact.sleep = sleep;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CordRodDef rod = cord_rod_def_default();
    CordRodId id;
    CordVec3 v[11];
    rod.model = model;
    rod.material.young = 1e6;
    rod.section = cord_section_disc(0.005);
    rod.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.2, 0, 0}, 11);
    CHECK_OK(cord_rod_create(world, &rod, &id));
    rod.shape = cord_shape_line((CordVec3){0.1, -0.1, 0.01}, (CordVec3){0.1, 0.1, 0.01}, 11);
    CHECK_OK(cord_rod_create(world, &rod, &id));
    for (int i = 0; i < 11; i++) {
        v[i] = (CordVec3){0, 0, 0.0981};
    }
    for (int i = 0; i < 2; i++) {
        CHECK_OK(cord_rod_set_velocities(world, cord_world_rod(world, i), v));
    }
    for (int n = 0; n < 200; n++) {
        run(world, 1e-4, 1);
        CHECK_INT(cord_world_contact_report(world).asleep, 0);
    }
    cord_world_destroy(world);
}

TEST(what_turns_back_in_flight_does_not_sleep)
{
    throw_up(CORD_MODEL_DER, (CordSleep){.time = 1e-3, .tolerance = 0.05});
    throw_up(CORD_MODEL_PBD, (CordSleep){.time = 1e-3, .tolerance = 0.05});
}

TEST(nothing_sleeps_in_its_first_steps)
{
    CordWorldDef def = cord_world_def_default();
    Scene s = lying_rope(&def, (CordSleep){.time = 1e-9, .tolerance = 1.0});
    run(s.world, 1e-3, 2);
    CHECK_INT(cord_world_contact_report(s.world).asleep, 0);
    cord_world_destroy(s.world);
}

TEST_GROUP(world_sleep)
