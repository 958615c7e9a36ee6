// The advised step: its bound of the highest frequency against the eigenvalues of the Hessian. What is
// prescribed to change.
#include "world_parts.h"

enum { NODES = 9, UNKNOWNS = 3 * NODES };

typedef struct Spectrum {
    CordWorld* world;
    CordRodId rod;
    CordVec3 x[NODES];
    double matrix[UNKNOWNS][UNKNOWNS]; // M^-1/2 H M^-1/2 [1/s^2]
} Spectrum;

static void forces_at(const Spectrum* s, int unknown, double shift, double f[UNKNOWNS])
{
    CordVec3 x[NODES], force[NODES];
    memcpy(x, s->x, sizeof x);
    double* moved[] = {&x[unknown / 3].x, &x[unknown / 3].y, &x[unknown / 3].z};
    *moved[unknown % 3] += shift;
    CHECK_WORLD_OK(s->world, cord_rod_set_positions(s->world, s->rod, x));
    CHECK_OK(cord_rod_forces(s->world, s->rod, force));
    for (int i = 0; i < NODES; i++) {
        f[3 * i] = force[i].x, f[3 * i + 1] = force[i].y, f[3 * i + 2] = force[i].z;
    }
}

// Central differences of the forces; frames are in equilibrium at each.
static void fill_matrix(Spectrum* s)
{
    double mass[NODES], shift = 1e-7, plus[UNKNOWNS], minus[UNKNOWNS];
    CHECK_OK(cord_rod_masses(s->world, s->rod, mass));
    for (int i = 0; i < UNKNOWNS; i++) {
        forces_at(s, i, shift, plus);
        forces_at(s, i, -shift, minus);
        for (int j = 0; j < UNKNOWNS; j++) {
            s->matrix[j][i] = -(plus[j] - minus[j]) / (2.0 * shift) / sqrt(mass[i / 3] * mass[j / 3]);
        }
    }
    forces_at(s, 0, 0.0, plus);
}

static void multiply(const Spectrum* s, double shift, const double* a, double* b)
{
    for (int i = 0; i < UNKNOWNS; i++) {
        b[i] = shift * a[i];
        for (int j = 0; j < UNKNOWNS; j++) {
            b[i] += 0.5 * (s->matrix[i][j] + s->matrix[j][i]) * a[j];
        }
    }
}

static double dot(const double* a, const double* b)
{
    double sum = 0.0;
    for (int i = 0; i < UNKNOWNS; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The largest eigenvalue, by power iteration; the shift makes all of them positive. Its Rayleigh quotient is
// never above it.
static double largest_eigenvalue(const Spectrum* s)
{
    double shift = 0.0, a[UNKNOWNS], b[UNKNOWNS];
    for (int i = 0; i < UNKNOWNS; i++) {
        shift += dot(s->matrix[i], s->matrix[i]);
        a[i] = 1.0 + 0.1 * ((7 * i) % 5) - 0.15 * ((3 * i) % 11);
    }
    shift = 0.3 * sqrt(shift);
    for (int n = 0; n < 300; n++) {
        double size = sqrt(dot(a, a));
        for (int i = 0; i < UNKNOWNS; i++) {
            a[i] /= size;
        }
        multiply(s, shift, a, b);
        memcpy(a, b, sizeof a);
    }
    multiply(s, 0.0, a, b);
    return dot(a, b) / dot(a, a);
}

// Edges between a fifth and three times their length; each turns from the one before by up to two radians.
static void deform(Spectrum* s, bool closed, uint64_t* seed, double most_turn)
{
    CordVec3 t = vec3_unit(random_vec3(seed, 1.0));
    for (int i = 1; i < NODES && !closed; i++) {
        CordVec3 across = vec3_unit(vec3_reject(random_vec3(seed, 1.0), t));
        double turn = random_in(seed, 0.0, most_turn), long_by = random_in(seed, 0.2, 3.0);
        t = vec3_madd(vec3_mul(t, cos(turn)), across, sin(turn));
        s->x[i] = vec3_madd(s->x[i - 1], t, long_by / (NODES - 1));
    }
    for (int i = 0; i < NODES && closed; i++) {
        s->x[i] = vec3_add(s->x[i], random_vec3(seed, 0.05));
    }
}

// Over many rods of the kind: the least and the greatest of the bound over the eigenvalue.
static void check_bound(const char* name, const CordRodDef* def, double most_turn)
{
    double least = INFINITY, greatest = 0.0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static Spectrum s;
        uint64_t random = seed;
        s.world = new_weightless_world();
        s.rod = add_rod(s.world, def);
        CHECK_OK(cord_rod_positions(s.world, s.rod, s.x));
        deform(&s, def->closed, &random, most_turn);
        fill_matrix(&s);
        double omega = 2.0 * CORD_PI * cord_world_step_advice(s.world).frequency;
        double ratio = omega * omega / largest_eigenvalue(&s);
        least = fmin(least, ratio), greatest = fmax(greatest, ratio);
        cord_world_destroy(s.world);
    }
    print_message("  %s: bound over eigenvalue from %.3g to %.3g\n", name, least, greatest);
    CHECK(least > 1.0 - 1e-6); // round-off of the differences
}

TEST(the_bound_holds_for_strongly_deformed_rods)
{
    CordRodDef soft = line_def(NODES), stiff = line_def(NODES), ring = ring_def(NODES);
    soft.stiffness.EI1 = soft.stiffness.EI2 = soft.stiffness.GJ = 1e-3 * RODS_EA / (NODES * NODES);
    stiff.stiffness.EI1 = stiff.stiffness.EI2 = stiff.stiffness.GJ = 1.0 * RODS_EA / (NODES * NODES);
    ring.twist = 3.0;
    const CordRodDef round[] = {soft, stiff, ring};
    const char* const names[] = {"soft", "stiff", "twisted ring"};
    for (int i = 0; i < 3; i++) {
        CordRodDef def = round[i], flat = def, curved = def, corde = def;
        print_message("  %s\n", names[i]);
        check_bound("uniform, bent a little", &def, 0.3);
        check_bound("uniform", &def, 2.0);
        flat.stiffness.EI2 *= 0.2;
        check_bound("flat", &flat, 2.0);
        flat.twist = flat.rest_twist = 6.0;
        check_bound("flat, twisted", &flat, 2.0);
        curved.rest = CORD_REST_AS_SHAPED;
        if (!def.closed) {
            curved.shape = cord_shape_helix(origin, (CordVec3){0, 0, 1}, 0.2, 0.2, 0.7, NODES);
        }
        check_bound("curved", &curved, 2.0);
        corde.model = CORD_MODEL_CORDE, corde.twist = 0.0;
        check_bound("corde", &corde, 2.0);
    }
}

// The advice for a stiff rod whose first edges are squeezed to a fifth and the last ones stretched by half,
// while one of its edges is stretched at the given rate.
static CordStepAdvice advice_while_stretched(CordModel model, int edge, double rate)
{
    CordRodDef def = line_def(NODES);
    def.model = model;
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1.0 * RODS_EA / (NODES * NODES);
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_rod(world, &def);
    CordVec3 x[NODES], v[NODES] = {{0, 0, 0}};
    CHECK_OK(cord_rod_positions(world, rod, x));
    CordVec3 along = vec3_sub(x[1], x[0]), length = {0, 0, 0};
    for (int i = 1; i < NODES; i++) {
        length = vec3_mul(along, i < 4 ? 0.2 : 1.5);
        x[i] = vec3_add(x[i - 1], length);
        v[i] = i == edge + 1 ? vec3_madd(v[i - 1], length, rate) : v[i - 1];
    }
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    CordStepAdvice advice = cord_world_step_advice(world);
    cord_world_destroy(world);
    return advice;
}

// Waves of the squeezed edges bound the step. Those that are stretched elsewhere do not change them.
TEST(edges_that_are_stretched_shorten_the_step_where_they_are)
{
    const CordModel models[] = {CORD_MODEL_DER, CORD_MODEL_CORDE};
    for (int i = 0; i < 2; i++) {
        CordStepAdvice still = advice_while_stretched(models[i], 1, 0.0);
        double rate = 0.01 / still.step; // 2 h, (h omega)^2 = 4 and a strain of 0.8: a drift of 0.03
        CordStepAdvice far = advice_while_stretched(models[i], NODES - 2, rate),
                       near = advice_while_stretched(models[i], 1, rate);
        CHECK(far.step == still.step && far.limit == still.limit && far.node == still.node);
        CHECK(near.limit == CORD_LIMIT_MOTION && near.node >= 0 && near.node <= 3);
        CHECK_NEAR(near.step, still.step * cbrt(3e-4 / (4.0 * 0.8 * 0.01)), 0.05 * still.step);
    }
}

// ---- what is prescribed to change

static bool clamp_changes(CordMotion motion, double from, double to)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(NODES);
    hold_moving(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME, &motion, 1);
    bool changes = cord_world_changes(world, from, to);
    CHECK(!cord_world_changes(world, to, from));
    cord_world_destroy(world);
    return changes;
}

TEST(motions_change_what_they_act_on_while_they_last)
{
    const CordVec3 up = {0, 0, 1}, none = {0, 0, 0};
    const CordKeyframe keys[] = {
        {.time = 1.0, .rotation = {0, 0, 0, 1}},
        {.time = 2.0, .rotation = {0, 0, 0, 1}},
        {.time = 3.0, .rotation = {0, 0, 1, 0}},
    };
    const CordMotion motions[] = {cord_motion_translate(up, 2.0, 3.0), cord_motion_rotate(up, 7.0, 2.0, 3.0),
                                  cord_motion_keyframes(keys, 3), cord_motion_translate(up, 2.5, 2.5)};
    for (int i = 0; i < 4; i++) {
        CHECK(clamp_changes(motions[i], 0.0, 2.9) && clamp_changes(motions[i], 2.1, 9.0));
        CHECK(!clamp_changes(motions[i], 0.0, 2.0) && !clamp_changes(motions[i], 3.0, 9.0));
    }
    CHECK(clamp_changes(cord_motion_oscillate(up, 1.0, 0.0), 5.0, 6.0)); // as far at both times
    CHECK(!clamp_changes(cord_motion_oscillate(none, 1.0, 0.0), 0.0, 0.7));
    CHECK(!clamp_changes(cord_motion_translate(none, 0.0, 1.0), 0.0, 1.0));
}

static bool load_changes_between(CordLoadDef def, double from, double to)
{
    CordWorld* world = new_weightless_world();
    CordRodDef line = line_def(NODES);
    def.rod = add_rod(world, &line);
    add_load(world, &def);
    bool changes = cord_world_changes(world, from, to);
    cord_world_destroy(world);
    return changes;
}

TEST(loads_change_while_they_grow_or_gust_and_where_they_come_and_go)
{
    CordLoadDef force = cord_load_def_default(), wind = force;
    force.at = cord_at_end(), force.force = (CordVec3){0, 0, 1};
    force.from = 1.0, force.to = 4.0, force.ramp = 1.0;
    wind.kind = CORD_LOAD_DRAG, wind.across = 1.0, wind.wind.velocity = (CordVec3){1, 0, 0};
    CHECK(load_changes_between(force, 0.0, 1.5) && load_changes_between(force, 1.5, 9.0));
    CHECK(load_changes_between(force, 3.0, 4.0)); // it ends
    CHECK(!load_changes_between(force, 2.0, 3.9) && !load_changes_between(force, 4.0, 9.0));
    CHECK(!load_changes_between(wind, 0.0, 1.0));
    wind.wind.gust = 0.5, wind.wind.period = 1.0;
    CHECK(load_changes_between(wind, 0.0, 1.0)); // as strong at both times
}

TEST(a_clamp_that_lets_go_is_a_change)
{
    CordWorld* world = new_weightless_world();
    CordRodDef line = line_def(NODES);
    CordClampDef def = cord_clamp_def_default();
    def.rod = add_rod(world, &line), def.release = 1.0;
    CordClampId id;
    CHECK_WORLD_OK(world, cord_clamp_create(world, &def, &id));
    CHECK(cord_world_changes(world, 0.0, 1.0) && !cord_world_changes(world, 0.0, 0.9));
    cord_world_destroy(world);
}

TEST_GROUP(world_advice)
