// Frames of rods with other nodes: those of DER, with frames on every edge and without.
#include "heap.h"
#include "model/der/uniform.h"
#include "remesh_rods.h"
#include "step/stepper.h"

#define NODES 14

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

// What a crooked rod is made from, which a def borrows.
typedef struct Crooked {
    CordRodDef def;
    CordVec3 x[NODES];
    CordStiffness along[NODES];
} Crooked;

// A rod that is crooked, and, unless it is fast, so at rest, flat, and of another section from edge to edge;
// twisted by so much in all.
static void crooked_def(Crooked* a, Kind kind, double twist, uint64_t seed)
{
    a->def = line_def(NODES);
    for (int i = 0; i < NODES; i++) {
        double angle = 2 * CORD_PI * i / NODES;
        CordVec3 x = is_ring(kind) ? (CordVec3){0.2 * cos(angle), 0.2 * sin(angle), 0}
                                   : (CordVec3){0.1 * cos(0.3 * i), 0.1 * sin(0.3 * i), 0.08 * i};
        a->x[i] = vec3_add(x, random_vec3(&seed, 0.01));
        a->along[i] = a->def.stiffness;
        a->along[i].EI1 *= random_in(&seed, 0.5, 1.5), a->along[i].EI2 *= random_in(&seed, 2.0, 4.0);
        a->along[i].GJ *= random_in(&seed, 0.5, 1.5),
            a->along[i].mass_per_length *= random_in(&seed, 0.5, 1.5);
    }
    a->def.adapt.on = true;
    a->def.shape = cord_shape_points(a->x, NODES);
    a->def.closed = is_ring(kind);
    a->def.rest = is_fast(kind) || kind == GLUED_RING ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
    a->def.half_edge_start = a->def.half_edge_end = kind == HALF_EDGES;
    if (is_fast(kind)) {
        a->def.twist = twist;
        return;
    }
    a->def.stiffness = cord_stiffness_unset();
    a->def.stiffnesses = a->along, a->def.along_count = is_ring(kind) ? NODES : NODES - 1;
    a->def.rest_twist = kind == GLUED_RING ? 0.0 : twist; // at rest as it is
    a->def.twist = kind == GLUED_RING ? twist : 0.0;
}

static Rod* add_crooked(CordWorld* world, Kind kind, double twist, uint64_t seed)
{
    Crooked a;
    crooked_def(&a, kind, twist, seed);
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

static void rest_strains(const Rod* rod, double (*strain)[3])
{
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k);
        model_of(rod)->rest_strain(rod, i, strain[i]);
    }
}

static void check_frames(const Rod* rod, const CordVec3* expected, double tolerance)
{
    CordVec3 m1[NODES];
    CHECK_INT(rod->line.node_count, NODES);
    model_of(rod)->material_frames(rod, m1);
    for (int j = 0; j < rod->line.edge_count; j++) {
        CHECK_VEC3(m1[j], expected[j], tolerance);
    }
}

#define CHANGES 1000
#define ROUNDING                                                                                             \
    1e-12 // 1000 changes, each of which turns a frame or two by a product of numbers up to 10: 1e-15 each

// Twist is even along the rod, whose ends stay whole: so no frame is turned but as the twist has it, and all
// come back.
TEST(after_a_thousand_changes_there_and_back_all_is_as_it_was)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        CordWorld* world = new_weightless_world();
        const double twist =
            20 * CORD_PI; // 5 rad at a corner; whole turns, so that a ring's is even where it closes, too
        Rod* rod = add_crooked(world, kind, twist, (uint64_t)kind);
        CordVec3 m1[NODES];
        double strain[NODES][3] = {{0.0}}, now[NODES][3] = {{0.0}};
        double total = model_of(rod)->twist(rod), writhe = cord_rod_writhe(world, rod->id);
        model_of(rod)->material_frames(rod, m1);
        rest_strains(rod, strain);
        CHECK(fabs(total) > 50.0);
        uint64_t seed = (uint64_t)kind + 100;
        for (int n = 0; n < 10; n++) {
            remesh_at_random(world, rod, CHANGES / 10, false, &seed);
            CHECK_NEAR(model_of(rod)->twist(rod), total, ROUNDING * 60.0);
            // of the same polygon, in other parts
            CHECK_NEAR(cord_rod_writhe(world, rod->id), writhe, ROUNDING);
        }
        CHECK(rod->line.node_count > NODES);
        remesh_back(world, rod);
        CHECK_NEAR(model_of(rod)->twist(rod), total, ROUNDING * 60.0);
        if (kind != HALF_EDGES) { // whose twist is not even, since such an edge counts twice once it is held
            check_frames(rod, m1, ROUNDING);
        }
        rest_strains(rod, now);
        for (int i = 0; i < NODES; i++) {
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(now[i][k], strain[i][k],
                           // from the base, not from what there was: two turns of a vector, of up to 5 rad
                           1e-14);
            }
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
        def.rest_twist = 20.0;
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

static CordEnergy elastic(const Rod* rod)
{
    CordEnergy energy = {0};
    model_of(rod)->energy(rod, &energy);
    return energy;
}

static CordEnergy piece_energy(CordWorld* world, const Rod* rod, int first, int count)
{
    Remesh map = {0};
    Rod piece;
    Message message;
    CHECK(remesh_reserve(&world->memory, &map, count + 1, 1));
    remesh_fill_piece(&map, rod, first, count, -1);
    CHECK(remesh_rod(&world->memory, &piece, &map));
    rod_update_held(&piece);
    CHECK_OK(model_of(rod)->remesh(&world->memory, &piece, &map, &message));
    CordEnergy energy = elastic(&piece);
    model_of(rod)->destroy(&world->memory, &piece);
    rod_free_arrays(&world->memory, &piece);
    remesh_free(&world->memory, &map);
    return energy;
}

// Two pieces that have an edge in common have every corner between them, once: the first up to node k, the
// second from there on, around a ring.
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
        int n = rod->line.node_count;
        CordEnergy whole = elastic(rod);
        double most = whole.bend + whole.twist;
        for (int k = 1; k + 2 < n; k++) {
            CordEnergy a = piece_energy(world, rod, 0, k + 2),
                       b = piece_energy(world, rod, k, is_ring(kind) ? n - k + 2 : n - k);
            CHECK_NEAR(a.bend + b.bend, whole.bend, 1e-14 * n * most);
            // squares of twists with what was glued in
            CHECK_NEAR(a.twist + b.twist, whole.twist, 1e-13 * n * most);
        }
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

TEST_GROUP(framed_remesh, after_a_thousand_changes_there_and_back_all_is_as_it_was,
           frames_in_equilibrium_come_back_to_it, free_ends_of_a_twisted_rod_stay_without_stress,
           energies_of_pieces_are_those_of_their_corners, frames_that_find_no_memory_leave_nothing_behind)
