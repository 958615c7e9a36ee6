// Frames of rods with other nodes: those of DER, with frames on every edge and without.
#include "heap.h"
#include "model/der/uniform.h"
#include "remesh_rods.h"
#include "rod_crooked.h"
#include "step/stepper.h"

#define NODES CROOKED_NODES

// Rods that go by the fast loops have no frames of their own.
typedef enum Kind { FAST_OPEN, FAST_HELD, FAST_RING, OPEN, HELD, HALF_EDGES, RING, GLUED_RING, KINDS } Kind;

static bool is_fast(Kind kind)
{
    return kind <= FAST_RING;
}

static bool is_ring(Kind kind)
{
    return kind == FAST_RING || kind == RING || kind == GLUED_RING;
}

static bool is_held(Kind kind)
{
    return kind == FAST_HELD || kind == HELD || kind == HALF_EDGES;
}

// A crooked rod, twisted by so much in all; unless it is fast or glued, as it is at rest.
static Rod* add_crooked(CordWorld* world, Kind kind, double twist, uint64_t seed)
{
    Crooked a;
    bool wound = is_fast(kind) || kind == GLUED_RING;
    crooked_rod_def(&a, is_ring(kind), seed);
    a.def.adapt.on = true;
    a.def.rest = wound ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
    double whole = 2.0 * CORD_PI * fmax(1.0, round(twist / (2.0 * CORD_PI)));
    a.def.twist = is_ring(kind) && !wound ? whole : twist; // adaptive rings have whole turns
    a.def.rest_twist = wound ? 0.0 : a.def.twist;
    a.def.half_edge_start = a.def.half_edge_end = kind == HALF_EDGES;
    if (is_fast(kind)) {
        a.def.stiffness = line_def(2).stiffness;
        a.def.stiffnesses = NULL, a.def.along_count = 0;
    }
    CordRodId id = add_rod(world, &a.def);
    if (is_held(kind)) {
        hold(world, id, cord_at_start(), CORD_FIX_FRAME);
        hold(world, id, cord_at_end(), CORD_FIX_FRAME);
    }
    CHECK_OK(world_prepare(world));
    Rod* rod = world_rod(world, id);
    CHECK_INT(rod->form != MODEL_FRAMED, is_fast(kind));
    return rod;
}

// ---- there and back

static void check_frames(const Rod* rod, const CordVec3* expected, double tolerance)
{
    CordVec3 m1[NODES];
    CHECK_INT(rod->line.node_count, NODES);
    model_of(rod)->material_frames(rod, m1);
    for (int j = 0; j < rod->line.edge_count; j++) {
        CHECK_VEC3(m1[j], expected[j], tolerance);
    }
}

// Twist is even along the rod, whose ends stay whole: so no frame is turned but as the twist has it, and all
// come back.
TEST(after_a_thousand_changes_there_and_back_all_is_as_it_was)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        CordWorld* world = new_weightless_world();
        // 5 rad at a corner; whole turns, so that a ring's is even where it closes, too
        Rod* rod = add_crooked(world, kind, 20 * CORD_PI, (uint64_t)kind);
        CordVec3 m1[NODES];
        model_of(rod)->material_frames(rod, m1);
        check_there_and_back(world, rod, 50.0, 1e-14, (uint64_t)kind + 100); // two turns of up to 5 rad
        if (kind != HALF_EDGES) { // whose twist is not even, since such an edge counts twice once it is held
            check_frames(rod, m1, REMESH_ROUNDING);
        }
        cord_world_destroy(world);
    }
}

// ---- equilibrium

// Flat rods whose twist is not even. Where what becomes one has the frame of its middle, that is not where
// equilibrium has it, but equilibrium is found again.
TEST(frames_in_equilibrium_come_back_to_it)
{
    static const Kind kinds[] = {HELD, RING, GLUED_RING, HALF_EDGES};
    for (int k = 0; k < 4; k++) {
        CordWorld* world = new_weightless_world();
        Rod* rod = add_crooked(world, kinds[k], 3.0, (uint64_t)k);
        uint64_t seed = (uint64_t)k;
        shake(world, rod->id, &seed, 0.005);
        rod->stepped = true;
        stepper_jump_frames(rod, 0.0);
        CordVec3 m1[NODES];
        CordEnergy before = {0}, after = {0};
        model_of(rod)->material_frames(rod, m1);
        model_of(rod)->energy(rod, &before);
        remesh_at_random(world, rod, 200, false, &seed);
        remesh_back(world, rod);
        stepper_jump_frames(rod, 0.0);
        CHECK(!rod->unsettled);
        check_frames(rod, m1, 1e-8); // what is left of moments when frames count as in equilibrium
        model_of(rod)->energy(rod, &after);
        CHECK_NEAR(after.bend + after.twist, before.bend + before.twist,
                   1e-12 * (before.bend + before.twist)); // the square of it, at a minimum
        CHECK(before.bend + before.twist > 1e-4);
        cord_world_destroy(world);
    }
}

// A flat rod, straight and twisted at rest, has no stress where its free ends are halved, whether its frames
// go to equilibrium or have inertia.
TEST(free_ends_of_a_twisted_rod_stay_without_stress)
{
    for (int inertia = 0; inertia < 2; inertia++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(NODES);
        def.adapt.on = true;
        def.stiffness.EI2 *= 3.0;
        def.stiffness.spin_inertia = 1e-6;
        def.rest = CORD_REST_AS_SHAPED;
        def.twist = def.rest_twist = 20.0;
        def.dynamic_twist = inertia;
        Rod* rod = world_rod(world, add_rod(world, &def));
        CHECK_OK(world_prepare(world));
        rod->stepped = true;
        halve_edge(world, rod, 0);
        halve_edge(world, rod, rod->line.edge_count - 1);
        stepper_jump_frames(rod, 0.0);
        CordEnergy energy = {0};
        model_of(rod)->energy(rod, &energy);
        double turned = RODS_GJ * 20.0 * 20.0; // to the twist at rest, over a metre
        // squares of roundings, or of what equilibrium leaves
        CHECK_NEAR(energy.bend + energy.twist, 0.0, 1e-16 * turned);
        cord_world_destroy(world);
    }
}

// ---- energy

TEST(energies_of_pieces_are_those_of_their_corners)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        if (kind == HALF_EDGES) { // which count twice once they are held; these pieces are not
            continue;
        }
        CordWorld* world = new_weightless_world();
        Rod* rod = add_crooked(world, kind, 5.0, (uint64_t)kind);
        uint64_t seed = (uint64_t)kind;
        shake(world, rod->id, &seed, 0.005);
        stepper_jump_frames(rod, 0.0);
        remesh_at_random(world, rod, 20, true, &seed);
        check_piece_energies(world, rod, 1e-14);
        cord_world_destroy(world);
    }
}

// ---- no memory

TEST(frames_that_find_no_memory_leave_nothing_behind)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        CordResult result = CORD_NO_MEMORY;
        int64_t fails = 0;
        for (; result != CORD_OK; fails++) {
            Heap heap = {0};
            CordWorld* world = world_on(&heap);
            Rod* rod = add_crooked(world, kind, 3.0, 1);
            result = remesh_without_memory(&heap, world, rod, 6, 1 + fails);
        }
        CHECK(fails > 2);
    }
}

TEST_GROUP(framed_remesh)
