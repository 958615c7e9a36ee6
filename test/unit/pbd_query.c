// What can be asked of position-based rods: energies and forces, moments and sections, reactions of clamps,
// viscous parts; the same as of one whose steps are Newton's.
#include "corde_rods.h"
#include "model/pbd/pbd.h"
#include "world_parts.h"

#define SEEDS 6

// Flat, varying from edge to edge, curved and twisted at rest: open, closed, or glued.
static CordRodId add_crooked_pbd(CordWorld* world, Kind kind, uint64_t seed)
{
    Crooked made;
    crooked_def(&made, kind, seed);
    made.def.model = CORD_MODEL_PBD;
    made.def.dynamic_twist = true; // so that frames are where they are for Newton's method, too
    CordRodId rod = add_rod(world, &made.def);
    CHECK_OK(world_prepare(world));
    CHECK(world_rod(world, rod)->stepper == STEPPER_POSITION);
    return rod;
}

static const Kind loose_kinds[] = {LOOSE, RING, GLUED_RING};

// ---- energies

// Two elements of length l, turned against each other by phi about one axis: (EI or GJ) l / 2 Omega^2, Omega
// = (2/l) tan(phi/2).
TEST(a_turned_corner_has_the_energy_of_its_darboux_vector)
{
    const double l = 0.13, EI1 = 2e-3, EI2 = 5e-3, GJ = 3e-3;
    for (int axis = 0; axis < 3; axis++) {
        for (double phi = -2.7; phi <= 2.7; phi += 0.1) {
            double s = axis < 2 ? l * sin(phi) : 0.0, c = axis < 2 ? l * cos(phi) : l; // about m1 = y, m2 = z
            CordVec3 x[] = {{-l, 0, 0}, {0, 0, 0}, {c, axis == 1 ? s : 0.0, axis == 0 ? -s : 0.0}};
            CordWorld* world = new_weightless_world();
            CordRodDef def = line_def(3);
            def.model = CORD_MODEL_PBD, def.shape = cord_shape_points(x, 3), def.rest = CORD_REST_STRAIGHT;
            def.stiffness.EI1 = EI1, def.stiffness.EI2 = EI2, def.stiffness.GJ = GJ;
            def.m1 = (CordVec3){0, 1, 0}, def.twist = axis == 2 ? phi : 0.0;
            CordRodId rod = add_rod(world, &def);
            CordEnergy e = cord_rod_energy(world, rod);
            double omega = 2.0 / l * tan(0.5 * phi), right = 0.5 * l * omega * omega *
                                                             (axis == 0   ? EI1
                                                              : axis == 1 ? EI2
                                                                          : GJ);
            CHECK_NEAR(e.bend, axis < 2 ? right : 0.0,
                       1e-12 * (right + 1e-12)); // tan^2 makes 21 times the round-off of the axes
            CHECK_NEAR(e.twist, axis < 2 ? 0.0 : right, 1e-12 * (right + 1e-12));
            cord_world_destroy(world);
        }
    }
}

static double largest(const CordVec3* a, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, vec3_length(a[i]));
    }
    return most;
}

// ---- the same as Newton's method has it

typedef struct Answers {
    CordEnergy energy;
    CordVec3 f[CORDE_NODES], moment[CORDE_NODES], section[CORDE_NODES];
    double tension[CORDE_NODES], twist;
} Answers;

static Answers ask(CordWorld* world, CordRodId rod)
{
    Answers a = {.energy = cord_rod_energy(world, rod), .twist = cord_rod_twist(world, rod)};
    CHECK_OK(cord_rod_forces(world, rod, a.f));
    CHECK_OK(cord_rod_moments(world, rod, a.moment));
    CHECK_OK(cord_rod_section_forces(world, rod, a.section));
    CHECK_OK(cord_rod_tensions(world, rod, a.tension));
    return a;
}

static void check_same_vectors(const CordVec3* a, const CordVec3* b, double size)
{
    for (int i = 0; i < CORDE_NODES; i++) {
        CHECK_VEC3(a[i], b[i], 1e-12 * size);
    }
}

// Of frames about their tangents, which position-based rods count in.
static double spin_energy(const Rod* rod)
{
    double sum = 0.0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        int s = slot_of(&rod->line, j);
        double inertia = rod_stiffness_at(rod, j)->spin_inertia * rod->line.rest_len[s];
        sum += 0.5 * inertia * pbd_of(rod)->framed->spin[s] * pbd_of(rod)->framed->spin[s];
    }
    return sum;
}

TEST(newtons_method_gives_the_same_answers)
{
    for (int i = 0; i < 6 * SEEDS; i++) {
        CordWorld* world = new_world(down);
        CordRodId rod = add_crooked_pbd(world, loose_kinds[i % 3], (uint64_t)i + 1);
        run(world, 1e-3, i / 3 % 2 ? 5 : 0); // as it was made, and after some steps
        Answers a = ask(world, rod);
        double spins = spin_energy(world_rod(world, rod));
        CHECK_OK(stepper_reserve_switch(&world->memory, world_rod(world, rod), &world->message));
        rod_switch_stepper(world, world_rod(world, rod), "a test");
        CHECK_OK(world_prepare(world));
        CHECK(world_rod(world, rod)->stepper != STEPPER_POSITION);
        Answers b = ask(world, rod);
        double most = fmax(largest(a.f, CORDE_NODES), largest(a.section, CORDE_NODES));
        CHECK_NEAR(a.energy.bend, b.energy.bend, 1e-12 * b.energy.bend);
        CHECK_NEAR(a.energy.twist, b.energy.twist, 1e-12 * (b.energy.twist + b.energy.bend));
        CHECK_NEAR(a.energy.stretch, b.energy.stretch, 1e-12 * (b.energy.stretch + b.energy.bend));
        spins = world_rod(world, rod)->dynamic_twist ? 0.0 : spins; // else Newton's method has no spin
        CHECK_NEAR(a.energy.kinetic, b.energy.kinetic + spins, 1e-12 * a.energy.kinetic);
        CHECK_NEAR(a.twist, b.twist, 0.0);
        check_same_vectors(a.f, b.f, most);
        check_same_vectors(a.section, b.section, most);
        check_same_vectors(a.moment, b.moment, largest(b.moment, CORDE_NODES));
        for (int j = 0; j < CORDE_NODES; j++) {
            CHECK_NEAR(a.tension[j], b.tension[j], 1e-12 * most);
        }
        cord_world_destroy(world);
    }
}

// ---- balance

// Node by node the forces of both sections; and, across an edge, moments of its ends and the arm of its
// section. About the tangent the rest turns the frame.
TEST(sections_and_moments_balance)
{
    for (int i = 0; i < 3 * SEEDS; i++) {
        CordWorld* world = new_weightless_world();
        CordRodId id = add_crooked_pbd(world, loose_kinds[i % 3], (uint64_t)i + 1);
        const Rod* rod = world_rod(world, id);
        const CordCenterline* c = &rod->line;
        Answers a = ask(world, id);
        double most = largest(a.section, c->edge_count), most_moment = largest(a.moment, c->node_count);
        for (int n = 0; n < c->node_count; n++) {
            bool first = !c->closed && n == 0, last = !c->closed && n == c->node_count - 1;
            CordVec3 after = last ? (CordVec3){0, 0, 0} : a.section[n];
            CordVec3 before =
                first ? (CordVec3){0, 0, 0} : a.section[(n + c->node_count - 1) % c->node_count];
            CHECK_VEC3(a.f[n], vec3_sub(after, before), 1e-13 * most);
        }
        for (int j = 0; j < c->edge_count; j++) {
            CordVec3 e = edge_vector(c, j), t = vec3_unit(e);
            CordVec3 sum =
                vec3_add(vec3_cross(e, a.section[j]), vec3_sub(a.moment[edge_end(c, j)], a.moment[j]));
            CHECK_VEC3(sum, vec3_mul(t, pbd_spin_moment(rod, j)), 1e-12 * most_moment);
            CHECK_NEAR(vec3_dot(a.section[j], t), a.tension[j], 1e-13 * most);
        }
        cord_world_destroy(world);
    }
}

// ---- viscous parts

// Pulled at a constant speed from end to end: EA / L (longer + retardation time times speed), whatever the
// substeps.
TEST(tension_counts_viscous_forces_in)
{
    for (int substeps = 1; substeps <= 3; substeps += 2) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(2);
        CordMotion pull = cord_motion_translate((CordVec3){0.2, 0, 0}, 0.0, 1.0);
        def.model = CORD_MODEL_PBD, def.damping_time = 0.05, def.pbd.substeps = substeps;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_node(0), CORD_FIX_POSITION);
        hold_moving(world, rod, cord_at_node(1), CORD_FIX_POSITION, &pull, 1);
        for (int n = 1; n <= 10; n++) {
            double tension;
            run(world, 0.01, 1);
            CHECK_OK(cord_rod_tensions(world, rod, &tension));
            CHECK_NEAR(tension, RODS_EA * 0.2 * (0.01 * n + 0.05),
                       1e-11); // positions' round-off over a substep, times the time
        }
        CordVec3 x[2] = {{0, 0, 0}, {1.1, 0, 0}};
        double tension;
        CHECK_OK(cord_rod_set_positions(world, rod, x)); // says nothing about rates
        CHECK_OK(cord_rod_tensions(world, rod, &tension));
        CHECK_NEAR(tension, RODS_EA * 0.1, 1e-12);
        cord_world_destroy(world);
    }
}

// Wound from both ends at a constant speed, the middle stands: of a corner the moment is K (beta + time times
// rate) (1 + beta^2/4), where the rate is that of the last substep.
TEST(moments_count_viscous_ones_in)
{
    const double time = 0.05, h = 0.01, speed = 3.0;
    for (int substeps = 1; substeps <= 2; substeps++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(4);
        def.model = CORD_MODEL_PBD, def.damping_time = time, def.pbd.substeps = substeps;
        def.pbd.iterations = 40, def.pbd.tolerance = 1e-13;
        CordRodId rod = add_rod(world, &def);
        for (int i = 0; i < 2; i++) {
            CordMotion wind = cord_motion_rotate((CordVec3){1, 0, 0}, i == 0 ? -speed : speed, 0.0, 1.0);
            hold_moving(world, rod, i == 0 ? cord_at_start() : cord_at_end(), CORD_FIX_FRAME, &wind, 1);
        }
        for (int n = 1; n <= 20; n++) {
            CordVec3 moment[4];
            run(world, h, 1);
            CHECK_OK(cord_rod_moments(world, rod, moment));
            double now = 2.0 * tan(0.5 * speed * h * n),
                   then = 2.0 * tan(0.5 * speed * h * (n - 1.0 / substeps));
            double K = RODS_GJ / (1.0 / 3.0),
                   right = K * (now + time * (now - then) / (h / substeps)) * (1 + 0.25 * now * now);
            CHECK_NEAR(moment[1].x, right, 1e-9 * right); // as far as the iteration goes
            CHECK_NEAR(moment[2].x, right, 1e-9 * right);
        }
        cord_world_destroy(world);
    }
}

// ---- folds

TEST(a_rod_that_is_all_but_folded_has_finite_answers)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(5);
    def.model = CORD_MODEL_PBD;
    CordRodId rod = add_rod(world, &def);
    for (double from_fold = 1e-1; from_fold > 1.5e-7; from_fold *= 0.1) {
        CordVec3 x[5] = {{0, 0, 0}, {0.25, 0, 0}, {0.5, 0, 0}}, v[5] = {{0, 0, 0}};
        for (int i = 1; i <= 2; i++) {
            x[2 + i] = (CordVec3){0.5 - 0.25 * i * cos(from_fold), 0.25 * i * sin(from_fold), 0};
        }
        CHECK_OK(cord_rod_set_positions(world, rod, x));
        CHECK_OK(cord_rod_set_velocities(world, rod, v));
        Answers a = ask(world, rod);
        CHECK(isfinite(elastic_energy(world, rod)) && elastic_energy(world, rod) > 0.0);
        CHECK(isfinite(largest(a.f, 5)) && isfinite(largest(a.section, 4)) && isfinite(largest(a.moment, 5)));
        run(world, 0.01, 20);
        CHECK_OK(cord_rod_positions(world, rod, x));
        CHECK(isfinite(largest(x, 5)));
    }
    cord_world_destroy(world);
}

TEST_GROUP(pbd_query)
