// Contact of modal rods: the springs that contacts are in the space of the modes, what is remembered, what is
// told, and memory.
#include "step/modal_springs.h"
#include "world_parts.h"

#include <cordage/modal.h>

// ---- springs

enum { MOST_SPRINGS = 12, MOST_FREEDOMS = 6 };

typedef struct Many {
    Spring all[MOST_SPRINGS];
    double rows[MOST_SPRINGS * 3 * MOST_FREEDOMS], scale[MOST_FREEDOMS];
    double room[MOST_FREEDOMS * MOST_FREEDOMS + 3 * MOST_FREEDOMS];
    Springs springs;
} Many;

static void fill_many(Many* m, uint64_t* seed, int count, int freedoms)
{
    for (int i = 0; i < count; i++) {
        m->all[i] = (Spring){.n = vec3_unit(random_vec3(seed, 1.0)),
                             .at = random_vec3(seed, 1.0),
                             .compliance = random_in(seed, 1e-4, 1e-2),
                             .compliance_across = random_in(seed, 1e-6, 1e-4),
                             .most = random_in(seed, 0.0, 2.0)};
        for (int k = 0; k < 3 * freedoms; k++) {
            m->rows[i * 3 * freedoms + k] = random_in(seed, -1.0, 1.0);
        }
    }
    for (int k = 0; k < freedoms; k++) {
        m->scale[k] = random_in(seed, 0.1, 1.0);
    }
    m->springs = (Springs){m->all, m->rows, m->scale, count, freedoms, m->room};
}

// y = B' f, where each f is what its spring does at v = at + B y: never a pull, never more friction than it
// may.
TEST(springs_balance_what_the_freedoms_cost)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 200; trial++) {
        Many m;
        int count = 1 + trial % MOST_SPRINGS, freedoms = 1 + trial % MOST_FREEDOMS;
        fill_many(&m, &seed, count, freedoms);
        double y[MOST_FREEDOMS] = {0}, sum[MOST_FREEDOMS] = {0}, size = 1e-9;
        springs_relax(&m.springs, y);
        for (int i = 0; i < count; i++) {
            bool slides;
            CordVec3 f = springs_force(&m.all[i], springs_move(&m.springs, i, y), &slides);
            double push = vec3_dot(f, m.all[i].n), rub = vec3_length(vec3_reject(f, m.all[i].n));
            CHECK(push >= -1e-12);
            CHECK(rub <= m.all[i].most * (1.0 + 1e-12));
            for (int k = 0; k < freedoms; k++) {
                const double* row = m.rows + i * 3 * freedoms + k;
                sum[k] += m.scale[k] * (row[0] * f.x + row[freedoms] * f.y + row[2 * freedoms] * f.z);
            }
            size += vec3_length(f);
        }
        for (int k = 0; k < freedoms; k++) {
            // Newton's method ends at 1e-10 of the forces, or at rounding over the least compliance
            CHECK_NEAR(sum[k], y[k], 1e-8 * size);
        }
    }
}

// One freedom, one contact half a unit deep: f = depth / (compliance + 1), and friction at its limit across.
TEST(one_spring_is_as_by_hand)
{
    double rows[3] = {0, 0, 1}, scale = 1.0, room[4], y = 0.0;
    Spring one = {
        .n = {0, 0, 1}, .at = {0.2, 0, -0.5}, .compliance = 0.25, .compliance_across = 1e-3, .most = 0.1};
    Springs springs = {&one, rows, &scale, 1, 1, room};
    bool slides;
    springs_relax(&springs, &y);
    CordVec3 f = springs_force(&one, springs_move(&springs, 0, &y), &slides);
    CHECK_NEAR(y, 0.4, 1e-12); // rounding
    CHECK_VEC3(f, ((CordVec3){-0.1, 0, 0.4}), 1e-12);
    CHECK(slides);
    one.at.z = 0.3, y = 0.0; // not in touch
    springs_relax(&springs, &y);
    CHECK_NEAR(y, 0.0, 0.0);
}

// An impulse that there was may be taken back, but not turned into a pull.
TEST(what_a_spring_had_is_taken_back_at_the_most)
{
    double rows[3] = {0, 0, 1}, scale = 1.0, room[4];
    Spring one = {.n = {0, 0, 1}, .had = {0, 0, 2}, .compliance = 1e-9, .compliance_across = 1e-9};
    Springs springs = {&one, rows, &scale, 1, 1, room};
    const double speeds[] = {1.0, 5.0, -1.0}, left[] = {0.0, 3.0, 0.0};
    for (int i = 0; i < 3; i++) {
        double y = 0.0;
        one.at.z = speeds[i];
        springs_relax(&springs, &y);
        CHECK_NEAR(speeds[i] + y, left[i], 1e-8); // what it gives way by
    }
}

// ---- in a world

#define RADIUS 4e-3

static CordRodId add_rubber(CordWorld* world, CordShape shape, int modes, double damping_ratio)
{
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_MODAL;
    def.material.young = 11e6, def.material.poisson = 0.5, def.material.density = 1100;
    def.section = cord_section_disc(RADIUS), def.shape = shape;
    def.modal.modes = modes, def.modal.damping_ratio = damping_ratio;
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    return rod;
}

static CordRodId add_rubber_line(CordWorld* world)
{
    return add_rubber(world, cord_shape_line(origin, (CordVec3){0.2, 0, 0}, 21), 8, 0.05);
}

static CordObstacleId add_floor(CordWorld* world, double depth)
{
    CordContactDef contact = cord_contact_def_default();
    contact.friction = 0.3;
    CHECK_OK(cord_world_set_contact(world, &contact));
    return add_ground(world, -RADIUS - depth);
}

static void steps(CordWorld* world, int count)
{
    run(world, 1.0 / 30, count);
}

// The hash has contacts in it: those of the last step come back with the state, and the next steps are the
// same.
TEST(a_state_brings_contacts_back)
{
    CordWorld* world = new_world((CordVec3){0, 1, -9.8});
    add_rubber_line(world);
    CordObstacleId ground = add_floor(world, 0.02);
    steps(world, 20);
    Saved state = save(world);
    int count = cord_world_contact_count(world);
    CHECK(count > 0);
    CordContact first = cord_world_contacts(world)[0];
    steps(world, 20);
    uint64_t hash = cord_world_state_hash(world);
    restore(world, &state);
    CHECK_INT(cord_world_contact_count(world), count);
    const CordContact* again = cord_world_contacts(world);
    CHECK(again->edge == first.edge && again->push == first.push && again->gap == first.gap);
    CHECK_VEC3(again->point, first.point, 0.0);
    CHECK_VEC3(again->friction, first.friction, 0.0);
    CordVec3 force;
    CHECK_OK(cord_obstacle_force(world, ground, &force, NULL));
    CHECK(force.z < 0.0);
    steps(world, 20);
    CHECK(cord_world_state_hash(world) == hash);
    drop_saved(&state);
    cord_world_destroy(world);
}

TEST(steps_in_touch_allocate_nothing)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    def.gravity = (CordVec3){0, 0, -9.8};
    CordWorld* world = make_world(&def);
    add_rubber_line(world);
    add_floor(world, 0.02);
    steps(world, 60);
    int64_t calls = heap.calls;
    steps(world, 200);
    CHECK_INT(heap.calls, calls);
    CHECK(cord_world_contact_count(world) > 0);
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

// Rods of other models go on as before beside them: explicit ones, and implicit ones.
TEST(other_rods_touch_beside_it)
{
    const CordIntegrator integrators[] = {CORD_INTEGRATOR_SYMPLECTIC_EULER, CORD_INTEGRATOR_BACKWARD_EULER};
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.8});
        add_rubber_line(world);
        CordRodDef def = line_def(11);
        def.section = cord_section_disc(RADIUS), def.integrator = integrators[i];
        def.shape = cord_shape_line((CordVec3){0, 0.1, -0.015}, (CordVec3){0.3, 0.1, -0.015}, 11);
        add_rod(world, &def);
        CordObstacleId ground = add_floor(world, 0.02);
        run(world, 1e-3, 1000);
        int of[2] = {0, 0};
        CordVec3 sum = {0, 0, 0}, force;
        for (int k = 0; k < cord_world_contact_count(world); k++) {
            const CordContact* c = &cord_world_contacts(world)[k];
            of[c->rod]++;
            sum = vec3_sub(sum, vec3_madd(c->friction, c->normal, c->push));
        }
        CHECK(of[0] > 0 && of[1] > 0);
        CHECK_OK(cord_obstacle_force(world, ground, &force, NULL));
        // those of the other rod are of the state, not of the step
        CHECK_NEAR(sum.z, force.z, 0.02 * fabs(force.z));
        cord_world_destroy(world);
    }
}

// A square of two triangles, 2 cm below: as a floor. From below, too, as what presses up.
TEST(a_mesh_holds_from_either_side)
{
    const CordVec3 square[] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    const int triangles[] = {0, 1, 2, 0, 2, 3};
    for (int side = -1; side <= 1; side += 2) {
        CordWorld* world = new_world((CordVec3){0, 0, side * 9.8});
        CordRodId rod = add_rubber_line(world);
        add_floor(world, 1.0);
        CordObstacleDef def = cord_obstacle_def_default();
        def.solid.shape = CORD_SOLID_MESH, def.solid.mesh.vertices = square, def.solid.mesh.vertex_count = 4;
        def.solid.mesh.triangles = triangles, def.solid.mesh.triangle_count = 2;
        def.position.z = side * (0.02 + RADIUS);
        CordObstacleId id = add_obstacle(world, &def);
        CordVec3 force;
        for (int n = 0; n < 100; n++) {
            steps(world, 1);
            CHECK(side * tip_of(world, rod).z < 0.02 + 0.05 * RADIUS); // what it gives way by, as it lands
        }
        CHECK_OK(cord_obstacle_force(world, id, &force, NULL));
        CHECK_NEAR(side * tip_of(world, rod).z, 0.02, 0.01 * RADIUS);
        CHECK(side * force.z > 0.01); // [N], a fifth of 0.108
        cord_world_destroy(world);
    }
}

// A network's edges join any nodes: a ball between two of them that are not neighbours by number.
TEST(edges_of_a_network_are_touched_between_their_nodes)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.8});
    CordVec3 x[] = {{0, 0, 0}, {0.2, 0.1, 0}, {0.1, 0, 0}, {0.2, -0.1, 0}};
    int ends[] = {0, 2, 2, 1, 3, 2, 1, 3};
    add_rubber(world, cord_shape_network(x, 4, ends, 4), 6, 0.1);
    add_floor(world, 1.0);
    CordObstacleDef ball = cord_obstacle_def_default();
    ball.solid.shape = CORD_SOLID_SPHERE, ball.solid.size.x = 0.01,
    ball.position = (CordVec3){0.2, 0.01, -0.01 - RADIUS};
    add_obstacle(world, &ball);
    steps(world, 3); // later it tips over, and slides off
    CHECK_INT(cord_world_contact_count(world), 1);
    const CordContact* c = cord_world_contacts(world);
    CHECK_INT(c->edge, 3);
    CHECK_NEAR(c->at, 0.45, 0.02); // from y = 0.1 to -0.1, but for how it tips
    CHECK(c->push > 0.0 && c->normal.z > 0.9);
    cord_world_destroy(world);
}

TEST_GROUP(modal_contact_rods)
