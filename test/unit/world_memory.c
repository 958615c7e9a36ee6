// No memory for what a world has beside its rods, and for what is solved for. test/conformance/memory.c asks
// the same of rods, clamps, loads and probes of every model.
#include "base_heap.h"
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

// ---- what brings lagging velocities up to date

typedef enum Cause { A_BODY, A_WELD, AN_IMPLICIT_ROD } Cause;

// An explicit rod in contact, whose velocities lag behind its positions. Each of the calls below switches it
// to Newton's method, and brings its velocities to the time of its positions.
static CordWorld* lagging_world(const CordWorldDef* def, CordRodId* rod)
{
    CordWorld* world = make_world(def);
    CordContactDef contact = cord_contact_def_default();
    CordRodDef rope = line_def(9);
    rope.velocity = (CordVec3){0, 0, 0.5};
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_rod_create(world, &rope, rod));
    return world;
}

static CordResult make_cause(CordWorld* world, Cause cause, CordRodId rod, CordBodyId ghost)
{
    CordBodyDef ball = odd_body_def((CordVec3){0, 1, 0}, 0.1, 0.1);
    CordRodDef implicit = line_def(5);
    CordWeldDef weld = weld_def(rod, cord_at_end(), ghost, CORD_FIX_POSITION);
    CordBodyId body;
    CordWeldId id;
    CordRodId other;
    implicit.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    implicit.shape = cord_shape_line((CordVec3){0, 2, 0}, (CordVec3){1, 2, 0}, 5);
    return cause == A_BODY   ? cord_body_create(world, &ball, &body)
           : cause == A_WELD ? cord_weld_create(world, &weld, &id)
                             : cord_rod_create(world, &implicit, &other);
}

// Tries the call without the n-th of its allocations. Returns whether it needed that one.
static bool fails_without(Cause cause, int64_t n)
{
    Heap heap = {0};
    CordWorldDef def = def_on(&heap);
    CordRodId rod;
    CordWorld* world = lagging_world(&def, &rod);
    CordBodyId ghost = {0, 0};
    CordBodyDef intangible = odd_body_def((CordVec3){1, 0, 0}, 0.1, 0.1);
    intangible.intangible = true;
    if (cause == A_WELD) {
        CHECK_OK(cord_body_create(world, &intangible, &ghost));
    }
    run(world, 1e-4, 20);
    uint64_t hash = cord_world_state_hash(world);
    heap.fail = heap.calls + n;
    CordResult result = make_cause(world, cause, rod, ghost);
    heap.fail = 0;
    CHECK(result == CORD_OK || result == CORD_NO_MEMORY);
    CHECK((cord_world_state_hash(world) == hash) == (result != CORD_OK));
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
    return result != CORD_OK;
}

TEST(a_call_that_fails_leaves_velocities_behind_positions)
{
    const int least[] = {2, 3, 5};
    for (Cause cause = A_BODY; cause <= AN_IMPLICIT_ROD; cause++) {
        int failed = 0;
        for (int64_t n = 1; n <= 60; n++) {
            failed += fails_without(cause, n);
        }
        CHECK(failed >= least[cause]);
    }
}

static CordResult create_nothing(void* user, const CordBodyDef* def, void** body)
{
    (void)user, (void)def, (void)body;
    return CORD_NOT_SUPPORTED;
}

TEST(a_body_that_the_engine_refuses_changes_nothing)
{
    Heap heap = {0};
    Memory memory = memory_on(&heap);
    FreeBodies all = {.memory = &memory};
    CordBodyEngine picky = body_engine_free;
    CordWorldDef def = cord_world_def_default();
    CordRodId rod;
    picky.name = "picky", picky.create = create_nothing;
    def.engine = &picky, def.engine_user = &all;
    CordWorld* world = lagging_world(&def, &rod);
    run(world, 1e-4, 20);
    uint64_t hash = cord_world_state_hash(world);
    CHECK_RESULT(make_cause(world, A_BODY, rod, (CordBodyId){0, 0}), CORD_NOT_SUPPORTED);
    CHECK(cord_world_state_hash(world) == hash);
    cord_world_destroy(world);
}

TEST_GROUP(world_memory)
