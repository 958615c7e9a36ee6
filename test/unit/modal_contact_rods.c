// Contact of modal rods: what is remembered, what is told, and memory.
#include "step/modal.h"
#include "world/world.h"
#include "world_parts.h"

#include <cordage/body.h>
#include <cordage/modal.h>

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

enum { MOST_NODES = 31 };

TEST(the_compliance_of_all_nodes_fits_its_scratch)
{
    static double W[16 * MOST_NODES * MOST_NODES];
    const int counts[] = {9, 11, MOST_NODES};
    int every[MOST_NODES];
    for (int i = 0; i < MOST_NODES; i++) {
        every[i] = i;
    }
    for (int i = 0; i < 3; i++) {
        for (int modes = 7; modes <= 12; modes++) {
            CordWorld* world = new_world((CordVec3){0, 0, -9.8});
            add_rubber(world, cord_shape_line(origin, (CordVec3){0.2, 0, 0}, counts[i]), modes, 0.05);
            steps(world, 1);
            Rod* rod = slots_at(&world->rods, 0);
            StepInfo step = {world->time, 1.0 / 30, 1.0 / 30, world->gravity, true};
            Compliance wanted = {counts[i], every, W, NULL};
            Arena scratch = {0};
            CHECK(arena_reserve(&world->memory, &scratch, 2 * modal_compliance_scratch(rod)));
            modal_compliance(&rod, 1, &step, &wanted, &scratch);
            CHECK(scratch.used > 0 && scratch.used <= modal_compliance_scratch(rod));
            arena_free(&world->memory, &scratch);
            cord_world_destroy(world);
        }
    }
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

// Rods of other steppers lie on the same floor: explicit ones, and position-based ones.
TEST(other_rods_touch_beside_it)
{
    const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_PBD};
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.8});
        add_rubber_line(world);
        CordRodDef def = line_def(11);
        def.section = cord_section_disc(RADIUS), def.model = models[i];
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
        CHECK_NEAR(sum.z, force.z, 1e-9 * fabs(force.z)); // the floor does not turn normals
        cord_world_destroy(world);
    }
}

// A ball that touches the tip nine tenths of the tolerance too deep is put right in positions alone.
TEST(overlaps_do_not_become_speed)
{
    CordWorld* world = new_world(origin);
    CordRodId rod = add_rubber_line(world);
    add_floor(world, 1.0);
    CordObstacleDef ball = cord_obstacle_def_default();
    ball.solid.shape = CORD_SOLID_SPHERE, ball.solid.size.x = 0.02;
    ball.position = (CordVec3){0.2, 0, -0.02 - RADIUS * (1.0 - 0.9e-3)};
    add_obstacle(world, &ball);
    run(world, 1e-3, 1);
    CHECK(tip_of(world, rod).z > 0.6e-3 * RADIUS);
    CHECK_NEAR(cord_rod_energy(world, rod).kinetic, 0.0, 1e-20);
    cord_world_destroy(world);
}

// Jaws that close to less than the rod's thickness: the step is refused, and has changed nothing. The rod is
// not thrown out from between them either.
TEST(a_vice_is_refused)
{
    for (int steps = 0; steps < 6; steps++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.8});
        CordRodId rod = add_rubber_line(world);
        add_floor(world, 1.0);
        CordObstacleId jaws[2];
        for (int k = 0; k < 2; k++) {
            CordObstacleDef def = cord_obstacle_def_default();
            def.solid = (CordSolid){.shape = CORD_SOLID_BOX, .size = {0.1, 0.1, 0.1}};
            def.position = (CordVec3){0.19, 0, (k == 0 ? -1 : 1) * (0.05 + RADIUS + 1e-3)};
            jaws[k] = add_obstacle(world, &def);
        }
        run(world, 1e-3, steps);
        for (int k = 0; k < 2; k++) {
            CordVec3 by = {0, 0, (k == 0 ? 1 : -1) * 3e-3};
            CHECK_OK(cord_obstacle_move(world, jaws[k], by, (CordQuat){0, 0, 0, 1}));
        }
        uint64_t before = cord_world_state_hash(world);
        CHECK_INT(cord_world_step(world, 1e-3), CORD_NOT_CONVERGED);
        CHECK(strstr(cord_world_message(world), "is pressed against obstacle"));
        CHECK(cord_world_state_hash(world) == before);
        CHECK_NEAR(tip_of(world, rod).x, 0.2, 1e-4);
        cord_world_destroy(world);
    }
}

// Newton's method cannot solve for modes: contact beside rods, bodies and welds that need it is refused,
// unless the one or the other is left out of it.
TEST(contact_beside_what_needs_newtons_method_is_refused)
{
    for (int i = 0; i < 4; i++) {
        bool body = i % 2 == 1, intangible = i >= 2;
        CordWorld* world = new_world((CordVec3){0, 0, -9.8});
        CordRodDef def = line_def(11);
        def.shape = cord_shape_line((CordVec3){0, 0.1, 0}, (CordVec3){0.3, 0.1, 0}, 11);
        def.integrator = CORD_INTEGRATOR_BACKWARD_EULER, def.section = cord_section_disc(RADIUS);
        CordBodyDef ball = cord_body_def_default();
        if (body) {
            CordBodyId id;
            ball.intangible = intangible, ball.position.z = 1.0;
            CHECK_OK(cord_body_create(world, &ball, &id));
        } else {
            add_rod(world, &def);
        }
        CordRodDef modal = def;
        modal.shape = cord_shape_line(origin, (CordVec3){0.2, 0, 0}, 11);
        modal.model = CORD_MODEL_MODAL, modal.intangible = intangible && !body;
        modal.integrator = CORD_INTEGRATOR_VERLET;
        hold(world, add_rod(world, &modal), cord_at_start(), CORD_FIX_FRAME);
        add_floor(world, 0.02);
        CordResult result = cord_world_step(world, 1e-3);
        CHECK_INT(result, intangible ? CORD_OK : CORD_NOT_SUPPORTED);
        CHECK(intangible || strstr(cord_world_message(world), "is modal and shares its contacts with"));
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
