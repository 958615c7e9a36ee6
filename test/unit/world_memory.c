// No memory for what a world has beside its rods, and for what is solved for. test/conformance/memory.c asks
// the same of rods, clamps, loads and probes of every model.
#include "world_branches.h"

#include <cordage/surface.h>

static const CordVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void make_obstacles(CordWorld* world)
{
    CordKeyframe keys[2] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}}, {1.0, {0, 4, 0}, {0, 0, 0, 1}}};
    CordMotion motions[2] = {cord_motion_keyframes(keys, 2), cord_motion_keyframes(keys, 1)};
    CordSurfacePair pair = cord_surface_pair_default(1, 2, 0.5);
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef plane = cord_obstacle_def_default(), mesh = plane;
    CordObstacleId id;
    mesh.solid = (CordSolid){.shape = CORD_SOLID_MESH, .mesh = {.vertices = corners, .triangles = faces}};
    mesh.solid.mesh.vertex_count = mesh.solid.mesh.triangle_count = 4;
    mesh.motions = motions, mesh.motion_count = 2;
    contact.on = false, contact.pairs = &pair, contact.pair_count = 1;
    TRY(cord_obstacle_create(world, &mesh, &id));
    TRY(cord_obstacle_create(world, &plane, &id));
    TRY(cord_world_set_contact(world, &contact));
}

static void make_surface(CordWorld* world, CordRodId rod)
{
    CordSurfaceDef def = cord_surface_def_default();
    CordSurfaceId id;
    def.rod = rod, def.vertices = corners, def.vertex_count = 4;
    def.triangles = faces, def.triangle_count = 4;
    TRY(cord_surface_create(world, &def, &id));
}

static void make_bodies(CordWorld* world, CordRodId a, CordRodId b, CordBodyId* body, CordWeldId* weld)
{
    CordBodyDef ball = odd_body_def(origin, 0.1, 0.1);
    CordJointDef joint = joint_def(CORD_JOINT_WELD, a, cord_at_end(), b, cord_at_start());
    CordBodyId joined;
    TRY(cord_body_create(world, &ball, body));
    CordWeldDef weld_is = weld_def(a, cord_at_start(), *body, CORD_FIX_FRAME);
    TRY(cord_weld_create(world, &weld_is, weld));
    TRY(cord_joint_create(world, &joint, &joined));
}

static CordWorld* try_world(Heap* heap)
{
    CordWorldDef def = def_on(heap);
    CordWorld* world;
    if (cord_world_create(&def, &world) == CORD_NO_MEMORY) {
        CHECK(world == NULL);
        CHECK_OK(cord_world_create(&def, &world));
    }
    return world;
}

static uint64_t last_hash(Heap* heap, CordWorld* world) // of a world that is no longer needed
{
    heap->fail = 0;
    uint64_t hash = cord_world_state_hash(world);
    cord_world_destroy(world);
    return hash;
}

static uint64_t life(Heap* heap)
{
    CordWorld* world = try_world(heap);
    CordRodDef rope = line_def(9);
    CordRodId a, b;
    CordBodyId body;
    CordWeldId weld;
    CordVec3 v, w;
    CordFrame frame;
    rope.inextensible = true;
    TRY(cord_rod_create(world, &rope, &a));
    rope.shape = cord_shape_line((CordVec3){1, 0, 0}, (CordVec3){1, 1, 0}, 9);
    TRY(cord_rod_create(world, &rope, &b));
    make_obstacles(world);
    make_surface(world, a);
    make_bodies(world, a, b, &body, &weld);
    TRY(cord_world_step(world, 1e-4));
    TRY(cord_body_velocity(world, body, &v, &w));
    TRY(cord_weld_reaction(world, weld, &v, &w));
    TRY(cord_world_frame(world, &frame));
    CHECK(frame.obstacle_count == 2 && frame.surface_count == 1 && frame.body_count == 2);
    TRY(cord_world_step(world, 1e-4));
    return last_hash(heap, world);
}

// Equilibria, vibrations and a branch of two cantilevers, a round one and a flat one.
static uint64_t solves(Heap* heap)
{
    CordWorld* world = try_world(heap);
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    CordBranchDef branch_def = cord_branch_def_default();
    CordBranch* branch;
    double omega2[4];
    for (int flat = 0; flat < 2; flat++) {
        CordRodDef rod_def = line_def(20);
        rod_def.stiffness.EI2 = (1 + 2 * flat) * RODS_EI;
        CordClampDef clamp = clamp_def((CordRodId){0, 0}, cord_at_start(), CORD_FIX_FRAME);
        CordClampId id;
        TRY(cord_rod_create(world, &rod_def, &clamp.rod));
        TRY(cord_clamp_create(world, &clamp, &id));
    }
    TRY(cord_world_solve(world, &def, &report));
    TRY(cord_world_modes(world, 4, omega2, NULL));
    CHECK(omega2[0] > 0.0);
    CordResult result = cord_branch_create(world, &branch_def, &branch);
    CHECK((branch == NULL) == (result == CORD_NO_MEMORY));
    if (!branch) {
        TRY(cord_branch_create(world, &branch_def, &branch));
    }
    int64_t calls = heap->calls;
    next(world, branch);
    next(world, branch);
    CHECK_INT(heap->calls, calls); // points take nothing more
    cord_branch_destroy(branch);
    TRY(cord_world_step(world, 1e-4));
    return last_hash(heap, world);
}

static void fail_each_allocation(uint64_t (*scenario)(Heap* heap))
{
    Heap heap = {0};
    uint64_t expected = scenario(&heap);
    int64_t calls = heap.calls;
    CHECK_INT(heap.held, 0);
    CHECK(calls > 50);
    for (int64_t n = 1; n <= calls; n++) {
        heap = (Heap){.fail = n};
        CHECK(scenario(&heap) == expected);
        CHECK_INT(heap.held, 0);
    }
}

TEST(when_any_one_allocation_fails_the_call_says_so_and_changes_nothing)
{
    fail_each_allocation(life);
    fail_each_allocation(solves);
}

TEST_GROUP(world_memory)
