// What the fuzzer of the C interface does with an input, and a test with the fuzzer's inputs: the bytes are
// calls of the public interface with values of any kind, ids that are gone and allocations that fail. Any
// result is fine, but a call that fails leaves the state as it was, and one that succeeds leaves it finite.
#ifndef CORDAGE_TEST_CALLS_INPUT_H
#define CORDAGE_TEST_CALLS_INPUT_H

#include "heap.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/solve.h>
#include <cordage/surface.h>

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALLS_MOST = 200,      // of an input
    CALLS_MOST_NODES = 12, // of a rod
    CALLS_MOST_RODS = 4,
    CALLS_PLACES = 8, // for ids of each kind
};

typedef struct Calls {
    const uint8_t *at, *end;
    Heap heap;
    CordWorld* world;
    uint64_t hash; // before the call
    bool extreme;  // a number was too large or too small for forces to be finite
    CordRodId rods[CALLS_PLACES];
    CordClampId clamps[CALLS_PLACES];
    CordBodyId bodies[CALLS_PLACES];
    CordWeldId welds[CALLS_PLACES];
    CordLoadId loads[CALLS_PLACES];
    CordObstacleId obstacles[CALLS_PLACES];
    CordProbeId probes[CALLS_PLACES];
    CordSurfaceId surfaces[CALLS_PLACES];
    void* state;
    size_t state_size;
    const char* call; // the last one
    bool told;        // with CALLS_TOLD in the environment, calls and their results are printed
} Calls;

static inline void calls_must(const Calls* c, bool condition, const char* what)
{
    if (!condition) {
        fprintf(stderr, "%s: %s (%s)\n", c->call, what, cord_world_message(c->world));
        abort();
    }
}

// ---- values

static inline uint8_t calls_byte(Calls* c) // 0 at the end of the input
{
    return c->at < c->end ? *c->at++ : 0;
}

static inline bool calls_chance(Calls* c) // one in four
{
    return calls_byte(c) >= 192;
}

static inline int calls_below(Calls* c, int count)
{
    return calls_byte(c) % count;
}

static inline double calls_number(Calls* c) // mostly such that it makes sense
{
    static const double usual[] = {0, 1, -1, 0.5, 0.1, 0.01, 1e-3, 1e-4, 2, 10, -0.3, 0.2, 3, 100, 1e5, 1e7};
    static const double odd[] = {NAN,   INFINITY, -INFINITY, 1e300, -1e300, 1e-300, -1e-300, 1e150,
                                 1e-20, 1e20,     -0.0,      1e-9,  1e9,    1e38,   -1e38,   5e-324};
    uint8_t byte = calls_byte(c);
    double value = byte < 232 ? usual[byte % 16] : odd[byte % 16];
    c->extreme |= isfinite(value) && value != 0.0 && (fabs(value) > 1e10 || fabs(value) < 1e-10);
    return value;
}

static inline int calls_count(Calls* c)
{
    static const int odd[] = {-1, INT_MAX, INT_MIN, 1000};
    uint8_t byte = calls_byte(c);
    return byte < 236 ? byte % 16 : odd[byte % 4];
}

static inline CordVec3 calls_vector(Calls* c)
{
    double x = calls_number(c), y = calls_number(c);
    return (CordVec3){x, y, calls_number(c)};
}

static inline CordQuat calls_rotation(Calls* c)
{
    if (!calls_chance(c)) {
        return (CordQuat){0, 0, 0, 1};
    }
    CordVec3 v = calls_vector(c);
    return (CordQuat){v.x, v.y, v.z, calls_number(c)};
}

static inline CordPlace calls_place(Calls* c)
{
    return (CordPlace){(CordPlaceKind)calls_below(c, 5 + calls_chance(c)), calls_count(c), calls_number(c)};
}

#define CALLS_ID(c, list) ((list)[calls_below((c), CALLS_PLACES)])

static inline CordSolid calls_solid(Calls* c)
{
    CordSolid solid = {.shape = (CordSolidShape)calls_below(c, CORD_SOLID_COUNT + calls_chance(c))};
    static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
    solid.size = calls_vector(c);
    solid.mesh = (CordSolidMesh){corners, 4, faces, calls_chance(c) ? calls_below(c, 2) : 4};
    return solid;
}

static inline CordMotion calls_motion(Calls* c)
{
    CordMotion m = cord_motion_translate(calls_vector(c), calls_number(c), calls_number(c));
    m.kind = (CordMotionKind)calls_below(c, 4 + calls_chance(c));
    m.axis = calls_vector(c), m.center = calls_vector(c), m.angle = calls_number(c);
    m.center_is_clamp = calls_chance(c), m.ease = (CordEase)calls_below(c, 2);
    m.frequency = calls_number(c), m.phase = calls_number(c);
    return m;
}

// ---- what must be true

static inline bool calls_is_finite(CordVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline void calls_check_rod(Calls* c, CordRodId rod)
{
    int nodes = cord_rod_node_count(c->world, rod), edges = cord_rod_edge_count(c->world, rod);
    CordVec3* x = malloc(sizeof *x * (size_t)(nodes + edges));
    bool good = x && cord_rod_positions(c->world, rod, x) == CORD_OK;
    for (int i = 0; good && i < nodes; i++) {
        calls_must(c, calls_is_finite(x[i]), "a position is not finite");
    }
    good = good && !c->extreme && cord_rod_velocities(c->world, rod, x) == CORD_OK;
    for (int i = 0; good && i < nodes; i++) {
        calls_must(c, calls_is_finite(x[i]), "a velocity is not finite");
    }
    good = good && cord_rod_material_frames(c->world, rod, x) == CORD_OK;
    for (int i = 0; good && i < edges; i++) {
        calls_must(c, calls_is_finite(x[i]), "a frame is not finite");
    }
    free(x);
}

static inline void calls_check_state(Calls* c)
{
    calls_must(c, isfinite(cord_world_time(c->world)), "the time is not finite");
    for (int i = 0; i < cord_world_rod_count(c->world); i++) {
        calls_check_rod(c, cord_world_rod(c->world, i));
    }
    for (int i = 0; i < cord_world_body_count(c->world); i++) {
        CordVec3 x, v, spin;
        CordQuat q;
        CordBodyId body = cord_world_body(c->world, i);
        bool placed = cord_body_pose(c->world, body, &x, &q) == CORD_OK;
        bool moves = !c->extreme && cord_body_velocity(c->world, body, &v, &spin) == CORD_OK;
        calls_must(c, !placed || (calls_is_finite(x) && isfinite(q.w)), "a body's pose is not finite");
        calls_must(c, !moves || (calls_is_finite(v) && calls_is_finite(spin)),
                   "a body's velocity is not finite");
    }
}

static inline void calls_begin(Calls* c, const char* call)
{
    c->call = call;
    int64_t fail = c->heap.fail;
    c->heap.fail = 0;
    c->hash = cord_world_state_hash(c->world);
    c->heap.fail = fail > 0 ? c->heap.calls + fail : 0;
}

static inline void calls_end(Calls* c, CordResult result)
{
    c->heap.fail = 0;
    if (c->told) {
        fprintf(stderr, "%s: %d %s\n", c->call, (int)result, result ? cord_world_message(c->world) : "");
    }
    if (result != CORD_OK) {
        calls_must(c, cord_world_message(c->world)[0] != '\0', "it failed without a word");
        calls_must(c, cord_world_state_hash(c->world) == c->hash, "it failed and changed the state");
    }
    calls_check_state(c);
}

// Evaluates the call, all of whose arguments must be there before.
#define CALLS_DO(c, call)                                                                                    \
    do {                                                                                                     \
        calls_begin((c), #call);                                                                             \
        CordResult result_ = (call);                                                                         \
        calls_end((c), result_);                                                                             \
    } while (0)

// ---- calls

static inline CordShape calls_shape(Calls* c, CordVec3 points[CALLS_MOST_NODES])
{
    int nodes = 2 + calls_below(c, CALLS_MOST_NODES - 1);
    CordVec3 from = {0.1 * calls_below(c, 8), 0, 0.1 * calls_below(c, 8)};
    CordShape shape = cord_shape_line(from, (CordVec3){from.x + 1, from.y, from.z}, nodes);
    if (!calls_chance(c)) {
        return shape;
    }
    for (int i = 0; i < CALLS_MOST_NODES; i++) {
        points[i] = calls_chance(c) ? calls_vector(c) : (CordVec3){0.1 * i, 0.01 * i * i, 0};
    }
    shape = cord_shape_points(points, calls_chance(c) ? calls_below(c, 3) : CALLS_MOST_NODES);
    shape.kind = (CordShapeKind)calls_below(c, 9 + calls_chance(c));
    shape.node_count = calls_chance(c) ? -calls_below(c, 3) : nodes;
    shape.p = calls_vector(c), shape.q = calls_vector(c);
    shape.axis1 = calls_vector(c), shape.axis2 = calls_vector(c);
    shape.a = calls_number(c), shape.b = calls_number(c), shape.turns = calls_number(c);
    shape.angle_from = calls_number(c), shape.angle_to = calls_number(c);
    shape.knot_p = calls_count(c) % 20, shape.knot_q = calls_count(c) % 20;
    shape.knot_name = cord_knot_name(calls_below(c, 20)), shape.knot_strand = calls_count(c);
    static const int ends[] = {0, 1, 1, 2, 2, 3, 1, 3};
    shape.ends = ends, shape.edge_count = calls_below(c, 5);
    return shape;
}

static inline void calls_vary_rod(Calls* c, CordRodDef* def)
{
    switch (calls_below(c, 30)) {
    case 0: def->inextensible = true; break;
    case 1: def->closed = true; break;
    case 2: def->section = cord_section_disc(calls_number(c)); break;
    case 3: def->material.young = calls_number(c); break;
    case 4: def->material.density = calls_number(c); break;
    case 5: def->rest = (CordRest)calls_below(c, 3 + calls_chance(c)); break;
    case 6: def->twist = calls_number(c); break;
    case 7: def->velocity = calls_vector(c); break;
    case 8: def->spin = calls_vector(c); break;
    case 9: def->dynamic_twist = true; break;
    case 10: def->adapt.on = true; break;
    case 11: def->damping_time = calls_number(c); break;
    case 12: def->stiffness.EI1 = calls_number(c); break;
    case 13: def->stiffness.GJ = calls_number(c); break;
    case 14: def->stiffness.EA = calls_number(c); break;
    case 15: def->stiffness.mass_per_length = calls_number(c); break;
    case 16: def->stiffness.EI12 = calls_number(c); break;
    case 17: def->stiffness.spin_inertia = calls_number(c); break;
    case 18: def->length_method = (CordLengthMethod)calls_below(c, 2); break;
    case 19: def->m1 = calls_vector(c); break;
    case 20: def->rest_twist = calls_number(c); break;
    case 21: def->step_error = calls_number(c); break;
    case 22: def->half_edge_start = def->half_edge_end = true; break;
    case 23: def->corde.orientations = (CordOrientations)calls_below(c, 2 + calls_chance(c)); break;
    case 24: def->corde.penalty = calls_number(c); break;
    case 25:
        def->pbd.solver = (CordPbdSolver)calls_below(c, 2 + calls_chance(c));
        def->pbd.method = (CordPbdMethod)calls_below(c, 2 + calls_chance(c));
        def->pbd.substeps = calls_count(c) % 100, def->pbd.iterations = calls_count(c) % 100;
        break;
    case 26: def->pbd.tolerance = calls_number(c); break;
    case 27: def->material.viscosity = calls_number(c); break;
    case 28: def->material.friction = calls_number(c); break;
    case 29: def->modal.modes = calls_count(c); break;
    }
}

static inline void calls_rod(Calls* c)
{
    CordVec3 points[CALLS_MOST_NODES];
    CordRodDef def = cord_rod_def_default();
    int place = calls_below(c, CALLS_PLACES), count = calls_below(c, 5);
    def.model = (CordModel)calls_below(c, CORD_MODEL_COUNT + calls_chance(c));
    def.integrator = (CordIntegrator)calls_below(c, 4 + calls_chance(c));
    def.material.young = 1e6;
    def.shape = calls_shape(c, points);
    def.modal.modes = 4;
    for (int i = 0; i < count; i++) {
        calls_vary_rod(c, &def);
    }
    if (cord_world_rod_count(c->world) < CALLS_MOST_RODS) {
        CALLS_DO(c, cord_rod_create(c->world, &def, &c->rods[place]));
    }
}

static inline void calls_clamp(Calls* c)
{
    CordClampDef def = cord_clamp_def_default();
    int place = calls_below(c, CALLS_PLACES);
    CordMotion motion;
    def.rod = CALLS_ID(c, c->rods);
    def.at = calls_place(c);
    def.fix = (CordFix)calls_below(c, 4 + calls_chance(c));
    if (calls_chance(c)) {
        motion = calls_motion(c);
        def.motions = &motion, def.motion_count = 1;
    }
    if (calls_chance(c)) {
        def.slides = true, def.axis = calls_vector(c);
    }
    if (calls_chance(c)) {
        def.has_torque = true, def.torque = calls_number(c);
    }
    def.freedoms = calls_byte(c);
    def.release = calls_chance(c) ? calls_number(c) : (double)INFINITY;
    def.guide = calls_chance(c);
    CALLS_DO(c, cord_clamp_create(c->world, &def, &c->clamps[place]));
}

static inline void calls_body(Calls* c)
{
    CordBodyDef def = cord_body_def_default();
    int place = calls_below(c, CALLS_PLACES);
    def.position = (CordVec3){1, 0.1 * calls_below(c, 4), 0.1 * calls_below(c, 4)};
    if (calls_chance(c)) {
        def.solid = calls_solid(c), def.mass = calls_number(c), def.rotation = calls_rotation(c);
        def.density = calls_number(c), def.inertia[calls_below(c, 6)] = calls_number(c);
    }
    if (calls_chance(c)) {
        def.position = calls_vector(c), def.velocity = calls_vector(c), def.spin = calls_vector(c);
    }
    if (cord_world_body_count(c->world) < CALLS_MOST_RODS) {
        CALLS_DO(c, cord_body_create(c->world, &def, &c->bodies[place]));
    }
}

static inline void calls_join(Calls* c)
{
    int place = calls_below(c, CALLS_PLACES);
    if (calls_chance(c)) {
        CordJointDef def = cord_joint_def_default();
        def.kind = (CordJointKind)calls_below(c, 2 + calls_chance(c));
        def.count = calls_chance(c) ? calls_count(c) : 2;
        for (int i = 0; i < 2; i++) {
            def.rods[i] = CALLS_ID(c, c->rods), def.at[i] = calls_place(c);
        }
        CALLS_DO(c, cord_joint_create(c->world, &def, &c->bodies[place]));
    } else {
        CordWeldDef def = cord_weld_def_default();
        def.rod = CALLS_ID(c, c->rods), def.body = CALLS_ID(c, c->bodies);
        def.at = calls_place(c), def.fix = (CordFix)calls_below(c, 4);
        CALLS_DO(c, cord_weld_create(c->world, &def, &c->welds[place]));
    }
}

static inline void calls_load(Calls* c)
{
    CordLoadDef def = cord_load_def_default();
    int place = calls_below(c, CALLS_PLACES);
    def.kind = (CordLoadKind)calls_below(c, CORD_LOAD_COUNT + calls_chance(c));
    def.rod = CALLS_ID(c, c->rods), def.at = calls_place(c);
    if (calls_chance(c)) {
        def.body = CALLS_ID(c, c->bodies);
    }
    def.force = calls_vector(c), def.torque = calls_vector(c), def.target = calls_vector(c);
    def.along = calls_number(c), def.across = calls_number(c);
    def.stiffness = calls_number(c), def.damping = calls_number(c);
    if (calls_chance(c)) {
        def.wind = (CordWind){calls_vector(c), calls_number(c), calls_number(c), calls_number(c), 1.0};
        def.from = calls_number(c), def.to = calls_number(c), def.ramp = calls_number(c);
        def.most = calls_number(c);
    }
    CALLS_DO(c, cord_load_create(c->world, &def, &c->loads[place]));
}

static inline void calls_obstacle(Calls* c)
{
    CordObstacleDef def = cord_obstacle_def_default();
    int place = calls_below(c, CALLS_PLACES);
    def.position = (CordVec3){0, 0, -0.1 * calls_below(c, 8)};
    if (calls_chance(c)) {
        def.solid = calls_solid(c), def.position = calls_vector(c), def.rotation = calls_rotation(c);
        def.friction = calls_number(c);
    }
    if (cord_world_obstacle_count(c->world) < CALLS_MOST_RODS) {
        CALLS_DO(c, cord_obstacle_create(c->world, &def, &c->obstacles[place]));
    }
}

static inline void calls_contact(Calls* c)
{
    CordContactDef def = cord_contact_def_default();
    def.on = !calls_chance(c), def.rods = !calls_chance(c), def.watch_topology = calls_chance(c);
    def.response = (CordResponse)calls_below(c, 2 + calls_chance(c));
    if (calls_chance(c)) {
        def.friction = calls_number(c), def.gap = calls_number(c), def.tolerance = calls_number(c);
        def.iterations = calls_count(c) % 100;
    }
    CALLS_DO(c, cord_world_set_contact(c->world, &def));
}

static inline void calls_step(Calls* c)
{
    static const double usual[] = {1e-5, 1e-4, 1e-3, 1e-2};
    double h = calls_chance(c) ? calls_number(c) : usual[calls_below(c, 4)];
    c->extreme = true; // explicit rods may be about to diverge
    if (calls_chance(c)) {
        int count = calls_count(c) % 4;
        c->call = "step_many"; // each of its steps is a transaction
        c->heap.fail = c->heap.fail > 0 ? c->heap.calls + c->heap.fail : 0;
        cord_world_step_many(c->world, h, count);
        c->heap.fail = 0;
        calls_check_state(c);
    } else {
        CALLS_DO(c, cord_world_step(c->world, h));
    }
}

// A solve that does not converge keeps the best state that it has found.
static inline void calls_solve(Calls* c)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    double omega2[4];
    def.iterations = 12;
    if (calls_chance(c)) {
        def.tolerance = calls_number(c), def.iterations = calls_count(c) % 100, def.seed = calls_byte(c);
    }
    def.accept_saddle = calls_chance(c);
    calls_begin(c, "solve");
    CordResult result = cord_world_solve(c->world, &def, &report);
    if (result == CORD_NOT_CONVERGED) {
        c->hash = cord_world_state_hash(c->world);
    }
    calls_end(c, result);
    if (calls_chance(c)) {
        int count = calls_below(c, 5);
        CALLS_DO(c, cord_world_modes(c->world, count, omega2, NULL));
    }
}

// Until the branch is destroyed the world refuses most calls.
static inline void calls_branch(Calls* c)
{
    CordBranchDef def = cord_branch_def_default();
    CordBranch* branch;
    CordBranchPoint point;
    def.method = (CordBranchMethod)calls_below(c, 2);
    def.solve.iterations = 12, def.points = 3;
    if (calls_chance(c)) {
        def.from = calls_number(c), def.to = calls_number(c), def.step = calls_number(c);
    }
    c->call = "branch";
    if (cord_branch_create(c->world, &def, &branch) != CORD_OK) {
        return;
    }
    for (int i = 0; i < 3 && cord_branch_next(branch, &point) == CORD_OK; i++) {
        calls_check_state(c);
    }
    cord_branch_switch(branch, calls_number(c));
    double h = calls_number(c);
    CALLS_DO(c, cord_world_step(c->world, h));
    cord_branch_destroy(branch);
    calls_check_state(c);
}

static inline void calls_save(Calls* c)
{
    free(c->state);
    c->state_size = cord_world_state_size(c->world);
    c->state = malloc(c->state_size + 1);
    if (!c->state || cord_world_state_get(c->world, c->state, c->state_size) != CORD_OK) {
        c->state_size = 0;
    }
}

static inline void calls_restore(Calls* c)
{
    size_t size = calls_chance(c) ? c->state_size / 2 : c->state_size;
    if (c->state && c->state_size > 0) {
        CALLS_DO(c, cord_world_state_set(c->world, c->state, size));
    }
}

static inline void calls_set_rod(Calls* c)
{
    CordRodId rod = CALLS_ID(c, c->rods);
    int nodes = cord_rod_node_count(c->world, rod), node = calls_count(c);
    CordVec3 value = calls_vector(c), *x = malloc(sizeof *x * (size_t)(nodes + 1));
    bool positions = calls_chance(c);
    if (x && (positions ? cord_rod_positions : cord_rod_velocities)(c->world, rod, x) == CORD_OK) {
        x[node >= 0 && node < nodes ? node : 0] = value;
        CALLS_DO(c, (positions ? cord_rod_set_positions : cord_rod_set_velocities)(c->world, rod, x));
    }
    free(x);
}

static inline void calls_move(Calls* c)
{
    CordVec3 a = calls_vector(c), b = calls_vector(c);
    CordQuat q = calls_rotation(c);
    CordClampId clamp = CALLS_ID(c, c->clamps);
    CordBodyId body = CALLS_ID(c, c->bodies);
    CordLoadId load = CALLS_ID(c, c->loads);
    CordObstacleId obstacle = CALLS_ID(c, c->obstacles);
    switch (calls_below(c, 9)) {
    case 0: CALLS_DO(c, cord_clamp_move(c->world, clamp, a, q)); break;
    case 1: CALLS_DO(c, cord_body_set_velocity(c->world, body, a, b)); break;
    case 2: CALLS_DO(c, cord_body_push(c->world, body, a, b)); break;
    case 3: CALLS_DO(c, cord_load_set_force(c->world, load, a)); break;
    case 4: CALLS_DO(c, cord_load_set_torque(c->world, load, a)); break;
    case 5: CALLS_DO(c, cord_load_set_target(c->world, load, a)); break;
    case 6: CALLS_DO(c, cord_obstacle_move(c->world, obstacle, a, q)); break;
    case 7: CALLS_DO(c, cord_world_set_gravity(c->world, a)); break;
    case 8: CALLS_DO(c, cord_world_set_time(c->world, a.x)); break;
    }
}

static inline void calls_destroy(Calls* c)
{
    CordRodId rod = CALLS_ID(c, c->rods);
    CordClampId clamp = CALLS_ID(c, c->clamps);
    CordBodyId body = CALLS_ID(c, c->bodies);
    CordWeldId weld = CALLS_ID(c, c->welds);
    CordLoadId load = CALLS_ID(c, c->loads);
    CordObstacleId obstacle = CALLS_ID(c, c->obstacles);
    CordSurfaceId surface = CALLS_ID(c, c->surfaces);
    switch (calls_below(c, 7)) {
    case 0: CALLS_DO(c, cord_rod_destroy(c->world, rod)); break;
    case 1: CALLS_DO(c, cord_clamp_destroy(c->world, clamp)); break;
    case 2: CALLS_DO(c, cord_body_destroy(c->world, body)); break;
    case 3: CALLS_DO(c, cord_weld_destroy(c->world, weld)); break;
    case 4: CALLS_DO(c, cord_load_destroy(c->world, load)); break;
    case 5: CALLS_DO(c, cord_obstacle_destroy(c->world, obstacle)); break;
    case 6: CALLS_DO(c, cord_surface_destroy(c->world, surface)); break;
    }
}

static inline void calls_remesh(Calls* c)
{
    CordRodId rod = CALLS_ID(c, c->rods);
    int index = calls_count(c);
    if (cord_rod_node_count(c->world, rod) > 4 * CALLS_MOST_NODES) {
        return;
    }
    switch (calls_below(c, 3)) {
    case 0: CALLS_DO(c, cord_rod_refine(c->world, rod, index)); break;
    case 1: CALLS_DO(c, cord_rod_merge(c->world, rod, index)); break;
    case 2: CALLS_DO(c, cord_world_untangle(c->world)); break;
    }
}

static inline void calls_watch(Calls* c)
{
    int place = calls_below(c, CALLS_PLACES);
    double values[CORD_PROBE_MOST];
    if (calls_chance(c)) {
        static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 0.1, 0}};
        static const int faces[] = {0, 1, 2};
        CordSurfaceDef def = cord_surface_def_default();
        def.rod = CALLS_ID(c, c->rods), def.vertices = corners, def.triangles = faces;
        def.vertex_count = 3, def.triangle_count = calls_chance(c) ? 0 : 1;
        CALLS_DO(c, cord_surface_create(c->world, &def, &c->surfaces[place]));
    } else {
        CordProbeDef def = cord_probe_def_default();
        def.rod = CALLS_ID(c, c->rods), def.at = calls_place(c);
        if (calls_chance(c)) {
            def.body = CALLS_ID(c, c->bodies), def.obstacle = CALLS_ID(c, c->obstacles);
        }
        def.measure = (CordMeasure)calls_below(c, 16);
        CALLS_DO(c, cord_probe_create(c->world, &def, &c->probes[place]));
        cord_probe_read(c->world, c->probes[place], values);
    }
}

static inline void calls_query(Calls* c)
{
    CordRodId rod = CALLS_ID(c, c->rods);
    CordRodId other = CALLS_ID(c, c->rods);
    CordClampId clamp = CALLS_ID(c, c->clamps), pair[2];
    CordBodyId body = CALLS_ID(c, c->bodies);
    CordVec3 a, b;
    CordFrame frame;
    CordContact deepest;
    int nodes = cord_rod_node_count(c->world, rod) + cord_rod_edge_count(c->world, rod) + 1;
    CordVec3* x = malloc(sizeof *x * (size_t)nodes);
    calls_begin(c, "queries");
    if (x) {
        cord_rod_forces(c->world, rod, x), cord_rod_moments(c->world, rod, x);
        cord_rod_tensions(c->world, rod, (double*)x), cord_rod_section_forces(c->world, rod, x);
        cord_rod_masses(c->world, rod, (double*)x), cord_rod_arcs(c->world, rod, (double*)x);
    }
    cord_rod_energy(c->world, rod), cord_rod_momentum(c->world, rod), cord_rod_twist(c->world, rod);
    cord_rod_writhe(c->world, rod), cord_rod_knot(c->world, rod), cord_rod_stretch(c->world, rod);
    cord_rod_linking_number(c->world, rod, other), cord_rod_penalty_limit(c->world, rod, 1e-3);
    cord_clamp_reaction(c->world, clamp, &a, &b), cord_body_energy(c->world, body);
    cord_world_step_advice(c->world), cord_world_contact_report(c->world);
    cord_world_overreach(c->world, calls_number(c), pair), cord_world_deepest(c->world, &deepest);
    cord_world_frame(c->world, &frame);
    c->heap.fail = 0;
    calls_must(c, cord_world_state_hash(c->world) == c->hash, "a query changed the state");
    free(x);
}

static inline void calls_one(Calls* c)
{
    switch (calls_below(c, 24)) {
    case 0:
    case 1: calls_rod(c); break;
    case 2:
    case 3: calls_clamp(c); break;
    case 4: calls_body(c); break;
    case 5: calls_join(c); break;
    case 6: calls_load(c); break;
    case 7: calls_obstacle(c); break;
    case 8: calls_contact(c); break;
    case 9: calls_solve(c); break;
    case 10: calls_branch(c); break;
    case 11: calls_save(c); break;
    case 12: calls_restore(c); break;
    case 13: calls_set_rod(c); break;
    case 14:
    case 15: calls_move(c); break;
    case 16: calls_destroy(c); break;
    case 17: calls_remesh(c); break;
    case 18: calls_watch(c); break;
    case 19: calls_query(c); break;
    case 20: c->heap.fail = 1 + calls_below(c, 16); break; // an allocation of the next call fails
    default: calls_step(c); break;
    }
}

// Returns the number of steps that were taken.
static inline int64_t calls_input_run(const uint8_t* data, size_t size)
{
    Calls c = {.at = data, .end = data + size, .call = "create", .told = getenv("CALLS_TOLD")};
    CordWorldDef def = def_on(&c.heap);
    if (cord_world_create(&def, &c.world) != CORD_OK) {
        abort();
    }
    for (int i = 0; i < CALLS_MOST && c.at < c.end; i++) {
        calls_one(&c);
    }
    int64_t steps = cord_world_steps(c.world);
    cord_world_destroy(c.world);
    free(c.state);
    if (c.heap.held != 0) {
        abort(); // something was not given back
    }
    return steps;
}

#endif
