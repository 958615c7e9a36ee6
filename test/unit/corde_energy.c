// Energies and potentials of friction of explicit corde rods against the forces and torques of the kernels:
// gradients by differences, in positions and velocities, in orientations and angular velocities.
#include "corde_rods.h"

#define SEEDS 8

// Each in every combination: the strains as printed or not, the kernels, the kinds. A check is told which
// potential it is about.
typedef void (*Check)(Rod* rod, const CordeKernels* kernels, RodEnergy of);

static void each_rod(Friction friction, Check check, RodEnergy of)
{
    const CordeKernels* kernels[] = {&corde_kernels_plain, corde_kernels()};
    for (int i = 0; i < 2 * KINDS * SEEDS * 2; i++) {
        CordWorld* world = new_weightless_world();
        Kind kind = (Kind)(i / 2 % KINDS);
        Rod* rod = thrown_rod(world, kind, friction, i % 2, 1.0, (uint64_t)i + 1);
        check(rod, kernels[i / 2 / KINDS % 2], of);
        cord_world_destroy(world);
    }
}

// ---- potentials

static double stretch_energy(Rod* rod)
{
    return corde_stretch_energy(corde_of(rod), &rod->line);
}

static double bend_energy(Rod* rod)
{
    return corde_bend_energy(corde_of(rod), &rod->line).bend;
}

static double twist_energy(Rod* rod)
{
    return corde_bend_energy(corde_of(rod), &rod->line).twist;
}

static double parallel_energy(Rod* rod)
{
    return corde_parallel_energy(corde_of(rod), &rod->line);
}

static double all_energy(Rod* rod)
{
    return stretch_energy(rod) + bend_energy(rod) + twist_energy(rod) + parallel_energy(rod);
}

static double friction(Rod* rod)
{
    return corde_stretch_friction(corde_of(rod), &rod->line) + corde_turn_friction(corde_of(rod), &rod->line);
}

// ---- what they are derived by

static void push_node(Rod* rod, int node, int component, double by)
{
    rod->line.v[component][slot_of(&rod->line, node)] += by;
    centerline_wrap(&rod->line, rod->line.v);
}

// one of its four numbers, off the unit sphere
static void shift_quaternion(Rod* rod, int edge, int component, double by)
{
    CordCorde* m = corde_of(rod);
    m->edges.q[component][slot_of(&rod->line, edge)] += by;
    corde_wrap(m, &rod->line);
}

static void spin_edge(Rod* rod, int edge, int component, double by)
{
    CordCorde* m = corde_of(rod);
    m->edges.omega[component][slot_of(&rod->line, edge)] += by;
    corde_wrap(m, &rod->line);
}

// ---- forces are minus the gradients

static void rest_rates(Rod* rod)
{
    for (int k = 0; k < 3; k++) {
        memset(rod->line.v[k], 0, (size_t)rod->line.slot_count * sizeof(double));
        memset(corde_of(rod)->edges.omega[k], 0, (size_t)rod->line.slot_count * sizeof(double));
    }
}

typedef struct Loads { // forces by node, torques by edge about its own axes
    CordVec3 f[CORDE_NODES], torque[CORDE_EDGES];
} Loads;

static Loads loads_of(const Rod* rod, const CordeKernels* kernels)
{
    Loads out = {0};
    CordeForces f = forces_now(rod, kernels);
    for (int i = 0; i < rod->line.node_count; i++) {
        out.f[i] = node_force(rod, &f, i);
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        out.torque[j] = slot_get(f.torque, slot_of(&rod->line, j));
    }
    return out;
}

// Positions and orientations, or their rates.
typedef struct Variables {
    RodMove node, edge;
    double far_node, far_edge; // of the differences
    double accuracy;           // of the largest force or torque
} Variables;

// Differences over 1e-3 of an edge, or 1e-3 rad: the fifth power of that, times what the stiffest corner
// (tan(phi/4), phi < 3) makes of it, and round-off over 1e-3 leave less than 1e-9 of the largest force.
#define FAR_TURN 1e-3
#define DIFFERENCES 1e-8
static const Variables by_state = {move_node, turn_edge, 1e-4, FAR_TURN, DIFFERENCES};

// The potentials of friction are quadratic in the rates, so that differences are exact but for round-off:
// 1e-16 of the potential over the distance, and of the forces that the rates were subtracted from.
static const Variables by_rates = {push_node, spin_edge, 1.0, 10.0, 1e-10};

static void check_slopes(Rod* rod, const Loads* is, RodEnergy of, const Variables* by)
{
    double round_f = by->accuracy * largest_length(is->f, CORDE_NODES);
    double round_torque = by->accuracy * largest_length(is->torque, CORDE_EDGES);
    CHECK(fmax(round_f, round_torque) > 0.0);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < rod->line.node_count; i++) {
            const double f[3] = {is->f[i].x, is->f[i].y, is->f[i].z};
            CHECK_NEAR(f[k], -energy_slope(rod, of, by->node, i, k, by->far_node), round_f);
        }
        for (int j = 0; j < rod->line.edge_count; j++) {
            const double torque[3] = {is->torque[j].x, is->torque[j].y, is->torque[j].z};
            CHECK_NEAR(torque[k], -energy_slope(rod, of, by->edge, j, k, by->far_edge), round_torque);
        }
    }
}

static bool acts_everywhere(const Loads* is)
{
    return largest_length(is->f, CORDE_NODES) > 0.0 && largest_length(is->torque, CORDE_EDGES) > 0.0;
}

// One energy at a time: with all stiffnesses but its own at zero.
static void keep_only(Rod* rod, RodEnergy of)
{
    CordCorde* m = corde_of(rod);
    for (int s = 0; s < rod->line.slot_count; s++) {
        m->edges.EA[s] *= of == stretch_energy;
        m->edges.kappa_l[s] *= of == parallel_energy;
        m->corners.K11[s] *= of == bend_energy, m->corners.K22[s] *= of == bend_energy;
        m->corners.K12[s] *= of == bend_energy, m->corners.K33[s] *= of == twist_energy;
    }
}

static void check_gradient(Rod* rod, const CordeKernels* kernels, RodEnergy of)
{
    if (of != all_energy) {
        keep_only(rod, of);
    }
    rest_rates(rod);
    Loads is = loads_of(rod, kernels);
    CHECK(of != all_energy || acts_everywhere(&is));
    check_slopes(rod, &is, of, &by_state);
}

TEST(forces_and_torques_are_minus_the_gradient_of_each_energy_and_of_all)
{
    each_rod(NONE, check_gradient, all_energy);
    each_rod(NONE, check_gradient, stretch_energy);
    each_rod(NONE, check_gradient, bend_energy);
    each_rod(NONE, check_gradient, twist_energy);
    each_rod(NONE, check_gradient, parallel_energy);
}

// The map of (39): torque = -(1/2) Q' dV/dq, where the columns of Q are what q' is at unit rates about the
// three axes, times two. V needs no meaning off the unit sphere, since the columns are tangent to it.
static CordVec3 mapped(CordQuat q, const double dV_dq[4])
{
    CordVec3 out;
    for (int k = 0; k < 3; k++) {
        CordQuat column = quat_mul(q, (CordQuat){k == 0, k == 1, k == 2, 0.0});
        double dot = column.x * dV_dq[0] + column.y * dV_dq[1] + column.z * dV_dq[2] + column.w * dV_dq[3];
        *(k == 0 ? &out.x : k == 1 ? &out.y : &out.z) = -0.5 * dot;
    }
    return out;
}

static void check_map(Rod* rod, const CordeKernels* kernels, RodEnergy of)
{
    rest_rates(rod);
    Loads is = loads_of(rod, kernels);
    double most = largest_length(is.torque, CORDE_EDGES);
    for (int j = 0; j < rod->line.edge_count; j++) {
        double dV_dq[4];
        for (int k = 0; k < 4; k++) {
            dV_dq[k] = energy_slope(rod, of, shift_quaternion, j, k, 0.5 * FAR_TURN);
        }
        CordQuat q = corde_orientation(corde_of(rod), slot_of(&rod->line, j));
        CHECK_VEC3(is.torque[j], mapped(q, dV_dq), DIFFERENCES * most);
    }
}

TEST(torques_are_the_derivatives_by_four_numbers_mapped_by_the_transpose_of_q)
{
    each_rod(NONE, check_map, all_energy);
}

// ---- friction

// What rates add to the forces and torques of the same positions and orientations at rest.
static Loads friction_loads(Rod* rod, const CordeKernels* kernels)
{
    Loads with = loads_of(rod, kernels);
    double rates[6][CORDE_NODES + 2 * CENTERLINE_HALO];
    double* const* array[2] = {rod->line.v, corde_of(rod)->edges.omega};
    size_t size = (size_t)rod->line.slot_count * sizeof(double);
    for (int k = 0; k < 6; k++) {
        memcpy(rates[k], array[k / 3][k % 3], size);
    }
    rest_rates(rod);
    Loads without = loads_of(rod, kernels);
    for (int k = 0; k < 6; k++) {
        memcpy(array[k / 3][k % 3], rates[k], size);
    }
    for (int i = 0; i < CORDE_NODES; i++) {
        with.f[i] = vec3_sub(with.f[i], without.f[i]);
        with.torque[i] = vec3_sub(with.torque[i], without.torque[i]);
    }
    return with;
}

static void check_friction(Rod* rod, const CordeKernels* kernels, RodEnergy of)
{
    Loads is = friction_loads(rod, kernels);
    CHECK(acts_everywhere(&is));
    check_slopes(rod, &is, of, &by_rates);
}

TEST(friction_is_minus_the_derivative_of_its_potentials_by_the_rates)
{
    each_rod(PAPER, check_friction, friction);
    each_rod(RETARDED, check_friction, friction);
}

// v = a + w x r, and every orientation turns at w.
static void move_rigidly(Rod* rod, uint64_t seed)
{
    CordCorde* m = corde_of(rod);
    const CordCenterline* c = &rod->line;
    CordVec3 a = random_vec3(&seed, 3.0), w = random_vec3(&seed, 20.0);
    for (int i = 0; i < c->node_count; i++) {
        slot_set(c->v, slot_of(c, i), vec3_add(a, vec3_cross(w, node_position(c, i))));
    }
    centerline_wrap(c, c->v);
    for (int j = 0; j < c->edge_count; j++) {
        CordQuat q = corde_orientation(m, slot_of(c, j));
        slot_set(m->edges.omega, slot_of(c, j), quat_rotate((CordQuat){-q.x, -q.y, -q.z, q.w}, w));
    }
    corde_wrap(m, c);
}

// Against the friction of rates as large, but not of one rigid motion.
static void check_rigid(Rod* rod, const CordeKernels* kernels, RodEnergy of)
{
    Loads any = friction_loads(rod, kernels);
    double size_f = largest_length(any.f, CORDE_NODES), size_torque = largest_length(any.torque, CORDE_EDGES);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        move_rigidly(rod, seed);
        Loads is = friction_loads(rod, kernels);
        CHECK_NEAR(largest_length(is.f, CORDE_NODES), 0.0, 1e-12 * size_f);
        CHECK_NEAR(largest_length(is.torque, CORDE_EDGES), 0.0, 1e-12 * size_torque);
        CHECK_NEAR(of(rod), 0.0, 1e-24 * (size_f * 3.0 + size_torque * 20.0) * CORDE_NODES);
    }
}

TEST(friction_resists_no_rigid_motion)
{
    each_rod(PAPER, check_rigid, friction);
    each_rod(RETARDED, check_rigid, friction);
}

// ---- the step's own forces are the same

#define KICK 1e-3
#define STEP 2e-3

static CordeKick kick_of(const Rod* rod, bool turns, bool gyroscopic)
{
    const CordCenterline* c = &rod->line;
    CordCorde* m = corde_of(rod);
    CordeKick k = {.in = corde_input(m, rod, true),
                   .w = c->w,
                   .gravity = {kick_gravity.x, kick_gravity.y, kick_gravity.z},
                   .kick = KICK,
                   .h = STEP,
                   .at_risk = &m->at_risk,
                   .gyroscopic = gyroscopic};
    for (int i = 0; i < 3; i++) {
        k.x_next[i] = c->x_next[i], k.v_next[i] = c->v_next[i];
        k.omega_next[i] = turns ? m->omega_next[i] : NULL;
    }
    return k;
}

static CordVec3 products(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static void check_kicked_edges(const Rod* rod, const Loads* is, bool gyroscopic)
{
    const CordCorde* m = corde_of(rod);
    double most = 0.0;
    for (int j = 0; j < rod->line.edge_count; j++) {
        most = fmax(most, m->edges.turn_w[0][slot_of(&rod->line, j)] * KICK * vec3_length(is->torque[j]));
    }
    for (int j = 0; j < rod->line.edge_count; j++) {
        int s = slot_of(&rod->line, j);
        CordVec3 omega = slot_get(m->edges.omega, s), push = is->torque[j];
        CordVec3 spin = vec3_cross(omega, products(slot_get(m->edges.inertia, s), omega));
        push = vec3_madd(push, spin, gyroscopic ? -1.0 : 0.0);
        push.z += m->edges.torque[s];
        CordVec3 next = vec3_madd(omega, products(push, slot_get(m->edges.turn_w, s)), KICK);
        CHECK_VEC3(slot_get(m->omega_next, s), next, 1e-14 * (10.0 + most));
    }
}

static void check_kick(Rod* rod, const CordeKernels* kernels, RodEnergy of)
{
    (void)of;
    Loads is = loads_of(rod, kernels);
    for (int i = 0; i < 3; i++) { // orientations that are no part of it, that turn freely, and as printed
        CordeKick k = kick_of(rod, i > 0, i > 1);
        CHECK(isfinite(kernels->kick(&k)));
        check_kicked(&rod->line, is.f, KICK, STEP, 1e-14);
        if (i > 0) {
            check_kicked_edges(rod, &is, i > 1);
        }
    }
}

TEST(a_kick_is_by_the_same_forces_and_torques)
{
    each_rod(NONE, check_kick, NULL);
    each_rod(PAPER, check_kick, NULL);
    each_rod(RETARDED, check_kick, NULL);
}

// One friction given as the paper has it, the other from the retardation time: each acts as it was given.
TEST(each_friction_acts_whatever_the_other_is)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        Crooked made;
        crooked_def(&made, LOOSE, 1);
        made.def.damping_time = 0.03;
        made.def.corde.friction_stretch = i == 1 ? 0.0 : i == 3 ? 0.4 : NAN;
        made.def.corde.friction_turn = i == 0 ? 0.0 : i == 2 ? 2e-4 : NAN;
        Rod* rod = add_crooked(world, LOOSE, &made.def);
        throw_about(rod, 1, MOST_TURN, 1.0);
        Loads of = friction_loads(rod, corde_kernels());
        CHECK((largest_length(of.f, CORDE_NODES) > 0.0) == (i != 1));
        CHECK((largest_length(of.torque, CORDE_EDGES) > 0.0) == (i != 0));
        check_kick(rod, corde_kernels(), NULL);
        cord_world_destroy(world);
    }
}

// "Elastic": friction is not in them.
TEST(forces_that_are_asked_for_are_elastic)
{
    for (int i = 0; i < 2; i++) {
        CordWorld* world = new_weightless_world();
        Rod* rod = thrown_rod(world, LOOSE, i == 0 ? PAPER : RETARDED, false, 1.0, 3);
        CordVec3 moving[CORDE_NODES] = {{0}}, still[CORDE_NODES] = {{0}};
        model_quaternion.gradient(rod, moving);
        rest_rates(rod);
        model_quaternion.gradient(rod, still);
        for (int n = 0; n < CORDE_NODES; n++) {
            CHECK_VEC3(moving[n], still[n], 0.0);
        }
        cord_world_destroy(world);
    }
}

// ---- both instruction sets

static void check_bits(Rod* rod, const CordeKernels* other, RodEnergy of)
{
    (void)of;
    if (other == &corde_kernels_plain) {
        return;
    }
    Loads plain = loads_of(rod, &corde_kernels_plain), wide = loads_of(rod, other);
    CHECK(memcmp(&plain, &wide, sizeof plain) == 0);
    double kicked[2][9][CORDE_NODES + 2 * CENTERLINE_HALO], sum[2];
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < 2; i++) {
        CordeKick k = kick_of(rod, true, true);
        sum[i] = (i ? other : &corde_kernels_plain)->kick(&k);
        for (int a = 0; a < 9; a++) {
            double* array = a < 3 ? k.x_next[a] : a < 6 ? k.v_next[a - 3] : k.omega_next[a - 6];
            memset(kicked[i][a], 0, sizeof kicked[i][a]);
            memcpy(kicked[i][a], array + c->halo, (size_t)c->edge_count * sizeof(double));
        }
    }
    CHECK(memcmp(kicked[0], kicked[1], sizeof kicked[0]) == 0);
    CHECK(c->closed || memcmp(&sum[0], &sum[1], sizeof sum[0]) == 0);
}

TEST(both_kernels_give_the_same_bits)
{
    each_rod(PAPER, check_bits, NULL);
    each_rod(RETARDED, check_bits, NULL);
}

// ---- the measure of strain

static CordVec3 strain_of(CordVec3 axis, double angle, bool printed)
{
    return corde_strain(cord_quat_about(axis, angle), printed);
}

// Round-off of a quaternion, at 3 rad times the slope of the tangent.
TEST(a_turn_is_measured_by_its_tangent_or_as_printed_by_its_sine)
{
    uint64_t seed = 1;
    for (int i = 0; i < 1000; i++) {
        double angle = random_in(&seed, -3.1, 3.1);
        CordVec3 axis = vec3_unit(random_vec3(&seed, 1.0));
        CHECK_VEC3(strain_of(axis, angle, false), vec3_mul(axis, 4.0 * tan(0.25 * angle)), 1e-14);
        CHECK_VEC3(strain_of(axis, angle, true), vec3_mul(axis, 2.0 * sin(0.5 * angle)), 1e-14);
    }
}

// Beyond half a turn the tangent goes on, for which quaternions must not be made to lie in one half; as
// printed, the shorter way round is meant.
TEST(beyond_half_a_turn_the_tangent_goes_on)
{
    CordVec3 z = {0, 0, 1};
    CHECK_NEAR(strain_of(z, 4.0, false).z, 4.0 * tan(1.0), 1e-14);
    CHECK_NEAR(strain_of(z, 4.0, true).z, 2.0 * sin(0.5 * (4.0 - 2.0 * CORD_PI)), 1e-14);
}

TEST_GROUP(corde_energy)
