// Modal rods that touch obstacles, in steps of 1/30 s: what holds them up, friction, what hits them, and
// energy.
#include "contacts.h"
#include "modals.h"

static const double g = 9.8, frame_time = 1.0 / 30;

static double weight_of_rubber(void)
{
    return rubber_mass() * RUBBER_LENGTH * g;
}

static CordObstacleId add_floor(CordWorld* world, double depth) // the rod touches it once it is so far down
{
    CordObstacleDef def = cord_obstacle_def_default();
    def.position.z = -RUBBER_RADIUS - depth;
    return add_obstacle(world, &def);
}

static CordVec3 force_on(const CordWorld* world, CordObstacleId obstacle)
{
    CordVec3 force;
    CHECK_OK(cord_obstacle_force(world, obstacle, &force, NULL));
    return force;
}

static void step(CordWorld* world)
{
    CHECK_WORLD_OK(world, cord_world_step(world, frame_time));
}

// ---- what holds a rod up

// A thousand times as stiff as rubber, so that it deflects by a thousandth of its length: a ball holds its
// tip up.
static double propped(int modes)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rubber_def(31, modes);
    def.material.young *= 1000;
    def.modal.damping_ratio = 0.05;
    add_held(world, &def);
    touch_with(world, 0.0);
    CordObstacleDef ball = cord_obstacle_def_default();
    ball.solid.shape = CORD_SOLID_SPHERE, ball.solid.size.x = 0.02;
    ball.position = (CordVec3){RUBBER_LENGTH, 0, -RUBBER_RADIUS - 0.02};
    CordObstacleId prop = add_obstacle(world, &ball);
    for (int n = 0; n < 300; n++) {
        step(world);
    }
    double force = -force_on(world, prop).z;
    cord_world_destroy(world);
    return force;
}

// Modes left out: 4e-5 with 8 modes, 5e-6 with 32.
VALIDATE(a_prop_bears_three_eighths_of_a_cantilever, .source = "3/8 of the weight", .tolerance = 1e-4)
{
    return propped(8) / (0.375 * weight_of_rubber()) - 1.0;
}

VALIDATE(a_prop_bears_it_better_with_more_modes, .source = "3/8 of the weight", .tolerance = 1e-5)
{
    return propped(32) / (0.375 * weight_of_rubber()) - 1.0;
}

// Rubber falls on a floor 2 cm below in 8 modes, which alone would let 0.5 % of the radius into it, and three
// times that as it lands. What nodes yield beyond the modes keeps them out.
TEST(a_rod_does_not_sink_into_the_floor)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 0.05;
    CordRodId rod = add_held(world, &def);
    touch_with(world, 0.3);
    CordObstacleId ground = add_floor(world, 0.02);
    double most = 0.0, tolerance = cord_world_contact_def(world).tolerance;
    for (int n = 0; n < 300; n++) {
        step(world);
        for (int i = 0; i <= 31; i++) {
            most = fmax(most, -0.02 - node_of(world, rod, i).z);
        }
        CHECK(cord_world_contact_report(world).deepest <= tolerance);
    }
    CHECK(most <= tolerance * RUBBER_RADIUS);
    CHECK(-force_on(world, ground).z > 0.2 * weight_of_rubber());
    CHECK_NEAR(tip_of(world, rod).z, -0.02, 1e-5 * RUBBER_RADIUS); // it rests
    cord_world_destroy(world);
}

// ---- friction

typedef struct Conveyor {
    CordWorld* world;
    CordRodId rod;
    CordObstacleId belt;
} Conveyor;

// Rubber lies on a belt 2 cm below, which then moves along y.
static Conveyor conveyor(double mu)
{
    Conveyor c = {.world = new_world((CordVec3){0, 0, -g})};
    CordRodDef def = rubber_def(31, 12);
    // else the tip comes nearer to the clamp as it goes aside, and rubs for that, too
    def.modal.linear = true;
    def.modal.damping_ratio = 0.1;
    c.rod = add_held(c.world, &def);
    touch_with(c.world, mu);
    c.belt = add_floor(c.world, 0.02);
    for (int n = 0; n < 300; n++) {
        step(c.world);
    }
    return c;
}

static void drive(const Conveyor* c, double from, double to, int steps)
{
    for (int n = 1; n <= steps; n++) {
        CordVec3 offset = {0, from + (to - from) * n / steps, 0};
        CHECK_OK(cord_obstacle_move(c->world, c->belt, offset, (CordQuat){0, 0, 0, 1}));
        step(c->world);
    }
}

// The surface that sticks turns with the last element as this sways aside: the tip hangs down, and its axis
// lags behind the belt by the radius times its slope times that turn.
static double lag_of_axis(const Conveyor* c)
{
    CordVec3 end = minus(tip_of(c->world, c->rod), node_of(c->world, c->rod, 30));
    return -RUBBER_RADIUS * end.z * end.y / (end.x * end.x + end.z * end.z);
}

// Across the tip by a force there. At the surface below a tip that hangs down it has a couple as well.
static double sway_by(const Conveyor* c, double force)
{
    CordVec3 end = minus(tip_of(c->world, c->rod), node_of(c->world, c->rod, 30));
    double couple = -1.5 * RUBBER_RADIUS / RUBBER_LENGTH * end.z / end.x;
    return force * (1.0 + couple) * pow(RUBBER_LENGTH, 3) / (3 * rubber_EI());
}

// It begins to slide where 3 EI / L^3 y is mu times what the floor bears: at 13 mm.
TEST(a_belt_carries_the_tip_along_until_friction_is_at_its_limit)
{
    double mu = 0.5;
    Conveyor c = conveyor(mu);
    double push = -force_on(c.world, c.belt).z, before = tip_of(c.world, c.rod).y;
    double limit = mu * push / (3 * rubber_EI() / pow(RUBBER_LENGTH, 3));
    drive(&c, 0.0, 0.6 * limit, 120);
    CHECK_NEAR(tip_of(c.world, c.rod).y - before + lag_of_axis(&c), 0.6 * limit, 1e-4 * limit);
    for (int i = 0; i < cord_world_contact_count(c.world); i++) {
        CHECK(!cord_world_contacts(c.world)[i].slides);
    }
    drive(&c, 0.6 * limit, 3.0 * limit, 240);
    // what friction lifted along the rod before it turned aside has changed what the floor bears
    double bears = -force_on(c.world, c.belt).z;
    CHECK_NEAR(bears, push, 0.02 * push);
    CHECK_NEAR(tip_of(c.world, c.rod).y, sway_by(&c, mu * bears), 2e-3 * limit); // modes left out
    CHECK(cord_world_contact_count(c.world) > 0);
    for (int i = 0; i < cord_world_contact_count(c.world); i++) {
        const CordContact* touch = &cord_world_contacts(c.world)[i];
        CHECK(touch->slides);
        // the turns that friction takes: 1e-3
        CHECK_NEAR(size_of(touch->friction), mu * touch->push, 2e-3 * mu * touch->push);
        CHECK(touch->friction.y > 0.0);
    }
    cord_world_destroy(c.world);
}

// The tip sticks beyond what kinetic friction bears, and is held by that alone once the belt leaves it
// behind.
TEST(a_tip_that_has_slipped_is_held_by_kinetic_friction)
{
    double mu = 0.5, kinetic = 0.3;
    Conveyor c = conveyor(mu);
    CordContactDef def = cord_world_contact_def(c.world);
    def.friction_kinetic = kinetic;
    CHECK_OK(cord_world_set_contact(c.world, &def));
    double push = -force_on(c.world, c.belt).z, before = tip_of(c.world, c.rod).y;
    double limit = mu * push / (3 * rubber_EI() / pow(RUBBER_LENGTH, 3));
    drive(&c, 0.0, 0.65 * limit, 180); // friction along the rod, from when it landed, takes its share
    CHECK_NEAR(tip_of(c.world, c.rod).y - before + lag_of_axis(&c), 0.65 * limit, 1e-4 * limit);
    drive(&c, 0.65 * limit, 20.0 * limit, 120);
    CHECK_NEAR(tip_of(c.world, c.rod).y, sway_by(&c, kinetic * -force_on(c.world, c.belt).z), 2e-3 * limit);
    for (int i = 0; i < cord_world_contact_count(c.world); i++) {
        const CordContact* touch = &cord_world_contacts(c.world)[i];
        CHECK(touch->slides);
        CHECK_NEAR(size_of(touch->friction), kinetic * touch->push, 2e-3 * kinetic * touch->push);
    }
    cord_world_destroy(c.world);
}

// Sideways on a belt that stands still, and let go: it must not creep back. A hundred seconds.
TEST(what_sticks_does_not_creep)
{
    Conveyor c = conveyor(0.5);
    drive(&c, 0.0, 5e-3, 60);
    drive(&c, 5e-3, 5e-3, 60);
    double before = tip_of(c.world, c.rod).y;
    CHECK(before > 4e-3);
    drive(&c, 5e-3, 5e-3, 3000);
    CHECK_NEAR(tip_of(c.world, c.rod).y, before, 1e-5 * RUBBER_RADIUS); // the residual of contacts at rest
    cord_world_destroy(c.world);
}

// ---- a network

typedef struct Grid {
    CordWorld* world;
    CordRodId rod;
    CordObstacleId ball;
} Grid;

enum { GRID = 9 };

// A net of 9 x 9 nodes and 2 cm meshes, held along one side, that falls on a ball.
static Grid grid_over_ball(double mu, CordTasks tasks)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, -g};
    world_def.tasks = tasks;
    Grid out;
    CHECK_OK(cord_world_create(&world_def, &out.world));
    CordVec3 x[GRID * GRID];
    int ends[4 * GRID * GRID], edges = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        x[i] = (CordVec3){0.02 * (i % GRID), 0.02 * (i / GRID) - 0.08, 0};
        if (i % GRID + 1 < GRID) {
            ends[2 * edges] = i, ends[2 * edges + 1] = i + 1, edges++;
        }
        if (i + GRID < GRID * GRID) {
            ends[2 * edges] = i, ends[2 * edges + 1] = i + GRID, edges++;
        }
    }
    CordRodDef def = rubber_def(2, 24);
    def.shape = cord_shape_network(x, GRID * GRID, ends, edges);
    def.section = cord_section_disc(2e-3);
    def.modal.damping_ratio = 0.05;
    out.rod = add_rod(out.world, &def);
    for (int i = 0; i < GRID; i++) {
        hold_freedoms(out.world, out.rod, cord_at_node(i * GRID), 63);
    }
    touch_with(out.world, mu);
    CordObstacleDef ball =
        obstacle_def(CORD_SOLID_SPHERE, (CordVec3){0.05, 0, 0}, (CordVec3){0.11, 0.01, -0.08});
    out.ball = add_obstacle(out.world, &ball);
    return out;
}

// Of its edges, in ten parts each, over the radius.
static double depth_in_ball(const Grid* grid)
{
    CordFrame frame;
    double deepest = 0.0;
    CHECK_OK(cord_world_frame(grid->world, &frame));
    for (int j = 0; j < frame.edge_count; j++) {
        for (int k = 0; k <= 10; k++) {
            CordVec3 p = plus(times(frame.x[frame.ends[2 * j]], 1.0 - 0.1 * k),
                              times(frame.x[frame.ends[2 * j + 1]], 0.1 * k));
            deepest = fmax(deepest, (0.05 + 2e-3 - size_of(minus(p, (CordVec3){0.11, 0.01, -0.08}))) / 2e-3);
        }
    }
    return deepest;
}

// Rows of contacts add up to what the ball feels, once normals do not turn any more.
static void check_sums(const Grid* grid)
{
    CordVec3 force, torque, sum = {0, 0, 0}, turn = {0, 0, 0};
    CHECK_OK(cord_obstacle_force(grid->world, grid->ball, &force, &torque));
    for (int i = 0; i < cord_world_contact_count(grid->world); i++) {
        const CordContact* c = &cord_world_contacts(grid->world)[i];
        CordVec3 f = times(plus(times(c->normal, c->push), c->friction), -1.0);
        sum = plus(sum, f), turn = plus(turn, cross(minus(c->point, (CordVec3){0.11, 0.01, -0.08}), f));
        CHECK_NEAR(dot(c->normal, c->friction), 0.0, 1e-6 * c->push);
    }
    CHECK_VEC3(sum, force, 1e-4 * size_of(force));
    CHECK_VEC3(turn, torque, 1e-4 * 0.05 * size_of(force));
}

static void check_cones(const Grid* grid, double mu)
{
    for (int i = 0; i < cord_world_contact_count(grid->world); i++) {
        const CordContact* c = &cord_world_contacts(grid->world)[i];
        CHECK(c->push >= 0.0 && size_of(c->friction) <= mu * c->push * (1.0 + 1e-9));
        CHECK_INT(c->kind, CORD_TOUCH_OBSTACLE);
    }
}

TEST(a_net_that_falls_on_a_ball_comes_to_rest_on_it)
{
    Grid grid = grid_over_ball(0.3, cord_tasks_openmp(1));
    double most = 0.0;
    for (int n = 0; n < 600; n++) {
        step(grid.world);
        check_cones(&grid, 0.3);
        most = fmax(most, depth_in_ball(&grid));
    }
    check_sums(&grid);
    CHECK(most <= cord_world_contact_def(grid.world).tolerance);
    CHECK(cord_world_contact_count(grid.world) > 0);
    CHECK(cord_rod_energy(grid.world, grid.rod).kinetic < 1e-9);
    cord_world_destroy(grid.world);
}

TEST(threads_change_no_bit_of_it)
{
    Grid a = grid_over_ball(0.3, cord_tasks_openmp(1)), b = grid_over_ball(0.3, cord_tasks_openmp(2));
    for (int n = 0; n < 60; n++) {
        step(a.world);
        step(b.world);
    }
    CHECK(cord_world_state_hash(a.world) == cord_world_state_hash(b.world));
    cord_world_destroy(a.world);
    cord_world_destroy(b.world);
}

// ---- fast and thin

// Flung down at twenty radii in a step, on a plate a tenth of a radius thick.
TEST(a_thin_plate_is_not_passed)
{
    CordWorld* world = new_world((CordVec3){0, 0, -20 * g});
    CordRodDef def = rubber_def(31, 8);
    def.modal.damping_ratio = 0.05;
    CordRodId rod = add_held(world, &def);
    touch_with(world, 0.2);
    CordObstacleDef plate =
        obstacle_def(CORD_SOLID_BOX, (CordVec3){0.4, 0.4, 0.1 * RUBBER_RADIUS}, (CordVec3){0, 0, -0.05});
    add_obstacle(world, &plate);
    double top = plate.position.z + 0.5 * plate.solid.size.z, least = INFINITY;
    int touched = 0;
    for (int n = 0; n < 150; n++) {
        step(world);
        for (int i = 0; i <= 31; i++) {
            least = fmin(least, node_of(world, rod, i).z - top);
        }
        touched += cord_world_contact_count(world) > 0;
    }
    // the axis stays above it: by 0.2 to 0.4 of a radius as it lands, with 20 times the weight
    CHECK(least > 0.0);
    CHECK(touched > 20);
    cord_world_destroy(world);
}

// ---- energy

static double modal_energy(const CordWorld* world, CordRodId rod)
{
    double q[64], rate[64], sum = 0.0;
    CHECK_OK(cord_rod_amplitudes(world, rod, q, rate));
    for (int k = 0; k < mode_count(world, rod); k++) {
        double omega = omega_of(world, rod, k);
        sum += 0.5 * rate[k] * rate[k] + 0.5 * omega * omega * q[k] * q[k];
    }
    return sum;
}

// Without weight, undamped, flung about between things that do not move, and take energy with every hit.
static void check_energy(bool linear, double mu, double speed, double h, unsigned seed)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = rubber_def(31, 10);
    def.modal.linear = linear;
    def.modal.damping_ratio = 0.0;
    CordRodId rod = add_held(world, &def);
    touch_with(world, mu);
    add_floor(world, 0.01);
    CordObstacleDef ball =
        obstacle_def(CORD_SOLID_SPHERE, (CordVec3){0.02, 0, 0}, (CordVec3){0.15, 0.03, 0.02});
    add_obstacle(world, &ball);
    double q[64] = {0}, rate[64] = {0};
    for (int k = 0; k < mode_count(world, rod); k++) {
        rate[k] = speed * random_pm(&seed);
    }
    CHECK_OK(cord_rod_set_amplitudes(world, rod, q, rate));
    double before = modal_energy(world, rod), first = before;
    int touches = 0;
    for (int n = 0; n * h < 10.0; n++) {
        CHECK_WORLD_OK(world, cord_world_step(world, h));
        double now = modal_energy(world, rod);
        CHECK(now <= before + 1e-12 * first);
        before = now;
        touches += cord_world_contact_count(world) > 0;
    }
    CHECK(touches > 1);
    CHECK(before < 0.6 * first);
    cord_world_destroy(world);
}

TEST(contact_takes_energy)
{
    for (unsigned seed = 1; seed <= 8; seed++) {
        double mu = seed % 4 < 2 ? 0.0 : 0.4;
        check_energy(seed % 2, mu, 0.1, frame_time, seed);
        check_energy(seed % 2, mu, 0.1, 0.1 * frame_time, seed);
        check_energy(seed % 2, mu, 0.4, 0.1 * frame_time, seed);
    }
}

// Obstacles of five kinds wander about a rod, turn by jolts, and press it against each other, without end.
static void wander(CordWorld* world, const CordObstacleId* ids, int count, CordVec3* place, CordVec3* v,
                   unsigned* seed)
{
    for (int i = 0; i < count; i++) {
        CordVec3 push = {random_pm(seed), random_pm(seed), random_pm(seed)};
        v[i] = plus(times(v[i], 0.95), plus(times(push, 0.05), times(place[i], -0.1)));
        place[i] = plus(place[i], times(v[i], frame_time));
        CordQuat turn = {0.2 * random_pm(seed), 0.2 * random_pm(seed), 0.2 * random_pm(seed), 1};
        bool jolt = random_pm(seed) > 0.9;
        CHECK_OK(cord_obstacle_move(world, ids[i], place[i], jolt ? turn : (CordQuat){0, 0, 0, 1}));
    }
}

TEST(ten_thousand_steps_among_things_that_wander_stay_bounded)
{
    CordWorld* world = new_world((CordVec3){0, 0, -g});
    CordRodDef def = rubber_def(31, 12);
    def.modal.damping_ratio = 0.02;
    CordRodId rod = add_held(world, &def);
    touch_with(world, 0.5);
    const CordSolidShape shapes[] = {CORD_SOLID_SPHERE, CORD_SOLID_BOX, CORD_SOLID_CYLINDER,
                                     CORD_SOLID_CAPSULE, CORD_SOLID_TORUS};
    const CordVec3 sizes[] = {
        {0.03, 0, 0}, {0.06, 0.05, 0.01}, {0.02, 0, 0.1}, {0.02, 0, 0.1}, {0.05, 0.01, 0}};
    CordObstacleId ids[5];
    CordVec3 place[5] = {{0}}, v[5] = {{0}};
    unsigned seed = 7;
    for (int i = 0; i < 5; i++) {
        CordVec3 at = {0.12 + 0.03 * i, i % 2 == 0 ? 0.1 : -0.1, -0.15 + 0.06 * i};
        CordObstacleDef thing = obstacle_def(shapes[i], sizes[i], at);
        ids[i] = add_obstacle(world, &thing);
    }
    double most = 0.0, far = 0.0, deepest = 0.0;
    int touched = 0;
    for (int n = 0; n < 10000; n++) {
        wander(world, ids, 5, place, v, &seed);
        step(world);
        most = fmax(most, modal_energy(world, rod));
        far = fmax(far, size_of(tip_of(world, rod)));
        deepest = fmax(deepest, cord_world_contact_report(world).deepest);
        touched += cord_world_contact_count(world) > 0;
    }
    CHECK(touched > 500);
    CHECK(most < 1.0);                // [J]; 0.02 to 0.3 were measured. Its weight times its length is 0.02
    CHECK(far < 1.2 * RUBBER_LENGTH); // 0.21 m was measured
    CHECK(deepest <= cord_world_contact_def(world).tolerance);
    cord_world_destroy(world);
}

TEST_GROUP(modal_contact)
