// Orientations of corde rods with other nodes: explicit ones, and those of implicit rods, whose frames follow
// the tangents.
#include "corde_rods.h"
#include "heap.h"
#include "remesh_rods.h"
#include "step/stepper.h"

// Even twist: at rest as it is made, but for a ring that was glued, whose sections are round and alike.
static Rod* add_even(CordWorld* world, Kind kind, bool explicit_orientations, double twist)
{
    Crooked a;
    crooked_def(&a, kind, (uint64_t)kind);
    bool glued = kind == GLUED_RING;
    a.def.adapt.on = true;
    a.def.rest = glued ? CORD_REST_STRAIGHT : CORD_REST_AS_SHAPED;
    a.def.twist = is_ring(kind) && !glued ? 4.0 * CORD_PI : twist; // adaptive rings have whole turns
    a.def.rest_twist = glued ? 0.0 : a.def.twist;
    if (!explicit_orientations) {
        a.def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        a.def.corde.orientations = cord_rod_def_default().corde.orientations;
    }
    if (glued) {
        a.def.stiffness = line_def(2).stiffness;
        a.def.stiffness.rotary1 = a.def.stiffness.rotary2 = 1e-5, a.def.stiffness.spin_inertia = 2e-5;
        a.def.stiffnesses = NULL, a.def.along_count = 0;
    }
    if (explicit_orientations) {
        return add_crooked(world, kind, &a.def);
    }
    CordRodId id = add_rod(world, &a.def);
    CHECK_OK(world_prepare(world));
    CHECK(world_rod(world, id)->form == MODEL_FRAMED);
    return world_rod(world, id);
}

static const Kind kinds[] = {LOOSE, CLAMPED, RING, GLUED_RING, CLAMPED_RING};
#define EVEN_KINDS 5

// Orientations that are there, or the frames in place of them.
static void orientations(const Rod* rod, CordQuat* q, CordVec3* m1)
{
    for (int j = 0; j < rod->line.edge_count && rod->form == MODEL_QUATERNION; j++) {
        q[j] = corde_orientation(corde_of(rod), slot_of(&rod->line, j));
    }
    model_of(rod)->material_frames(rod, m1);
}

static double apart(CordQuat a, CordQuat b)
{
    return fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) + fabs(a.w - b.w);
}

// of the same turn, whichever of its two quaternions
static double turns_apart(CordQuat a, CordQuat b)
{
    return fmin(apart(a, b), apart(a, (CordQuat){-b.x, -b.y, -b.z, -b.w}));
}

TEST(after_a_thousand_changes_there_and_back_all_is_as_it_was)
{
    for (int n = 0; n < 2 * EVEN_KINDS; n++) {
        CordWorld* world = new_weightless_world();
        Rod* rod = add_even(world, kinds[n / 2], n % 2 == 0, 4 * CORD_PI); // a radian at a corner
        CordQuat q[CORDE_NODES], q_now[CORDE_NODES];
        CordVec3 m1[CORDE_NODES], m1_now[CORDE_NODES];
        orientations(rod, q, m1);
        // rest strains from alpha to angles and back: 1 / (1 - 1/16) at a radian
        check_there_and_back(world, rod, 10.0, 2e-14, (uint64_t)n);
        orientations(rod, q_now, m1_now);
        for (int j = 0; j < rod->line.edge_count; j++) {
            CHECK_VEC3(m1_now[j], m1[j], REMESH_ROUNDING);
            if (rod->form == MODEL_QUATERNION) {
                CHECK_NEAR(turns_apart(q_now[j], q[j]), 0.0, 4 * REMESH_ROUNDING);
            }
        }
        cord_world_destroy(world);
    }
}

// What an explicit orientation is, and how fast it turns, stays as it is where the edge does; its halves turn
// as it did.
TEST(orientations_of_edges_that_stay_are_the_same_bits)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        CordWorld* world = new_weightless_world();
        Crooked a;
        crooked_def(&a, kind, (uint64_t)kind);
        a.def.adapt.on = true;
        a.def.twist =
            is_ring(kind) && kind != GLUED_RING ? 0.0 : a.def.twist; // adaptive rings have whole turns
        Rod* rod = add_crooked(world, kind, &a.def);
        throw_about(rod, (uint64_t)kind, 0.3, 1.0);
        const CordCenterline* c = &rod->line;
        CordQuat q[CORDE_EDGES];
        CordVec3 omega[CORDE_EDGES];
        for (int j = 0; j < c->edge_count; j++) {
            q[j] = corde_orientation(corde_of(rod), slot_of(c, j));
            omega[j] = slot_get(corde_of(rod)->edges.omega, slot_of(c, j));
        }
        halve_edge(world, rod, 7);
        CHECK_INT(c->node_count, CORDE_NODES + 1);
        for (int j = 0; j < c->edge_count; j++) {
            int was = j <= 7 ? j : j - 1;
            CordQuat now = corde_orientation(corde_of(rod), slot_of(c, j));
            CHECK_VEC3(slot_get(corde_of(rod)->edges.omega, slot_of(c, j)), omega[was], 0.0);
            CHECK_NEAR(now.x * now.x + now.y * now.y + now.z * now.z + now.w * now.w, 1.0, 1e-14);
            if (was != 7) {
                CHECK_NEAR(turns_apart(now, q[was]), 0.0, 0.0);
            }
        }
        cord_world_destroy(world);
    }
}

TEST(energies_of_pieces_are_those_of_their_corners)
{
    for (int n = 0; n < 2 * EVEN_KINDS; n++) {
        CordWorld* world = new_weightless_world();
        Rod* rod = add_even(world, kinds[n / 2], n % 2 == 0, 2.0);
        uint64_t seed = (uint64_t)n;
        shake(world, rod->id, &seed, 0.005);
        rod->stepped = true;
        stepper_update_frames(rod, 0.0, 0.0);
        remesh_at_random(world, rod, 20, true, &seed);
        check_piece_energies(world, rod, 1e-13);
        cord_world_destroy(world);
    }
}

// Sections that are not round cannot be turned back by what was glued in.
TEST(a_piece_across_the_seam_of_a_flat_ring_is_refused)
{
    CordWorld* world = new_weightless_world();
    Crooked a;
    crooked_def(&a, GLUED_RING, 1);
    a.def.adapt.on = true;
    Rod* rod = add_crooked(world, GLUED_RING, &a.def);
    CordEnergy energy;
    Message message;
    CHECK_RESULT(piece_energy(world, rod, CORDE_NODES - 2, 5, &energy, &message), CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(message.text, "was glued there");
    CHECK_OK(piece_energy(world, rod, 0, 5, &energy, &message));
    cord_world_destroy(world);
}

TEST(orientations_that_find_no_memory_leave_nothing_behind)
{
    for (int n = 0; n < 2 * EVEN_KINDS; n++) {
        CordResult result = CORD_NO_MEMORY;
        int64_t fails = 0;
        for (; result != CORD_OK; fails++) {
            Heap heap = {0};
            CordWorld* world = world_on(&heap);
            Rod* rod = add_even(world, kinds[n / 2], n % 2 == 0, 2.0);
            result = remesh_without_memory(&heap, world, rod, 7, 1 + fails);
        }
        CHECK(fails > 1);
    }
}

TEST_GROUP(corde_remesh)
