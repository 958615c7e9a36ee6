// What every claim of the conformance suite is checked on: each model with each way of stepping it, through
// the public interface alone.
#ifndef CORDAGE_TEST_SUBJECTS_H
#define CORDAGE_TEST_SUBJECTS_H

#include "vectors.h"
#include "worlds.h"

#include <cordage/adapt.h>

typedef struct Subject {
    const char* name;
    CordModel model;
    CordIntegrator integrator;
    bool inextensible;
    CordLengthMethod length_method;
    CordOrientations orientations; // of corde
    CordPbdSolver solver;          // of pbd
    CordPbdMethod method;          // of xpbd
    bool adaptive;
    bool dynamic_twist;
    double step; // length of the steps that it takes [s]
} Subject;

static const Subject subjects[] = {
    {.name = "der, verlet", .step = 1e-4},
    {.name = "der, symplectic euler", .integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER, .step = 1e-4},
    {.name = "der, rattle", .inextensible = true, .step = 1e-4},
    {.name = "der, fast projection",
     .inextensible = true,
     .length_method = CORD_LENGTH_FAST_PROJECTION,
     .step = 1e-4},
    {.name = "der, dynamic twist", .dynamic_twist = true, .step = 1e-4},
    {.name = "der, rattle, dynamic twist", .inextensible = true, .dynamic_twist = true, .step = 1e-4},
    {.name = "der, adaptive", .adaptive = true, .step = 1e-4},
    {.name = "der, midpoint", .integrator = CORD_INTEGRATOR_MIDPOINT, .step = 2e-3},
    {.name = "der, midpoint, inextensible",
     .integrator = CORD_INTEGRATOR_MIDPOINT,
     .inextensible = true,
     .step = 2e-3},
    {.name = "der, midpoint, dynamic twist",
     .integrator = CORD_INTEGRATOR_MIDPOINT,
     .dynamic_twist = true,
     .step = 2e-3},
    {.name = "der, backward euler, dynamic twist",
     .integrator = CORD_INTEGRATOR_BACKWARD_EULER,
     .dynamic_twist = true,
     .step = 2e-3},
    {.name = "der, backward euler", .integrator = CORD_INTEGRATOR_BACKWARD_EULER, .step = 2e-3},
    {.name = "der, backward euler, inextensible",
     .integrator = CORD_INTEGRATOR_BACKWARD_EULER,
     .inextensible = true,
     .step = 2e-3},
    {.name = "corde, quasistatic", .model = CORD_MODEL_CORDE, .step = 1e-4},
    {.name = "corde, explicit orientations",
     .model = CORD_MODEL_CORDE,
     .orientations = CORD_ORIENTATIONS_EXPLICIT,
     .step = 1e-5},
    {.name = "corde, adaptive", .model = CORD_MODEL_CORDE, .adaptive = true, .step = 1e-4},
    {.name = "corde, midpoint",
     .model = CORD_MODEL_CORDE,
     .integrator = CORD_INTEGRATOR_MIDPOINT,
     .step = 2e-3},
    {.name = "xpbd, direct", .model = CORD_MODEL_PBD, .step = 2e-3},
    {.name = "xpbd, dynamic twist", .model = CORD_MODEL_PBD, .dynamic_twist = true, .step = 2e-3},
    {.name = "xpbd, sweeps", .model = CORD_MODEL_PBD, .method = CORD_PBD_SWEEPS, .step = 2e-3},
    {.name = "xpbd, adaptive", .model = CORD_MODEL_PBD, .adaptive = true, .step = 2e-3},
    {.name = "pbd", .model = CORD_MODEL_PBD, .solver = CORD_PBD_PBD, .step = 2e-3},
    {.name = "pbd, backward euler",
     .model = CORD_MODEL_PBD,
     .integrator = CORD_INTEGRATOR_BACKWARD_EULER,
     .step = 2e-3},
    {.name = "modal", .model = CORD_MODEL_MODAL, .step = 2e-3},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// ---- what a subject can do

enum {
    IS_CHAIN = 1 << 0,    // has positions, frames and twist of its own: all but modal rods
    IS_PHYSICAL = 1 << 1, // obeys EI, GJ and EA: all but the weights of pbd
    IS_EXPLICIT = 1 << 2, // has a longest stable step
    IS_ADAPTIVE = 1 << 3, // takes in nodes
    TAKES_WELDS = 1 << 4,
    KEEPS_ANGULAR = 1 << 5, // angular momentum of a free rod changes by round-off alone
    IS_SOLVED = 1 << 6,     // its steps are solved to a tolerance: not those of weights, nor sweeps
    OWN_DIRECTORS = 1 << 7, // orientations move by themselves, so that positions alone do not make its energy
    IS_INEXTENSIBLE = 1 << 8,
    HAS_SPIN = 1 << 9, // frames have inertia and an angular velocity of their own
};

static inline bool subject_is_implicit(const Subject* s)
{
    return s->integrator == CORD_INTEGRATOR_MIDPOINT || s->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

static inline unsigned subject_traits(const Subject* s)
{
    bool modal = s->model == CORD_MODEL_MODAL, implicit = subject_is_implicit(s);
    bool position = s->model == CORD_MODEL_PBD && !implicit, weights = position && s->solver == CORD_PBD_PBD;
    bool sweeps = position && s->method == CORD_PBD_SWEEPS;
    bool fast = s->length_method == CORD_LENGTH_FAST_PROJECTION;
    unsigned traits = 0;
    traits |= modal ? 0 : IS_CHAIN;
    traits |= weights ? 0 : IS_PHYSICAL;
    traits |= weights || sweeps ? 0 : IS_SOLVED;
    traits |= modal || implicit || position ? 0 : IS_EXPLICIT;
    traits |= s->adaptive ? IS_ADAPTIVE : 0;
    traits |= s->inextensible ? IS_INEXTENSIBLE : 0;
    traits |= modal || fast || s->adaptive ? 0 : TAKES_WELDS;
    bool directors = s->orientations == CORD_ORIENTATIONS_EXPLICIT;
    traits |= directors ? OWN_DIRECTORS : 0;
    traits |= s->dynamic_twist || directors || (position && !weights) ? HAS_SPIN : 0;
    bool drifts = s->dynamic_twist && !position && s->integrator != CORD_INTEGRATOR_BACKWARD_EULER; // order 2
    traits |= modal || weights || sweeps || fast || drifts || s->adaptive ? 0 : KEEPS_ANGULAR;
    return traits;
}

static inline int subject_order(const Subject* s) // of its integrator
{
    bool position = s->model == CORD_MODEL_PBD && !subject_is_implicit(s);
    bool first = s->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER ||
                 s->integrator == CORD_INTEGRATOR_BACKWARD_EULER ||
                 s->length_method == CORD_LENGTH_FAST_PROJECTION;
    return first || position ? 1 : 2;
}

// Does it take energy away, and never give any?
static inline bool subject_is_lossy(const Subject* s)
{
    return subject_order(s) == 1 && s->integrator != CORD_INTEGRATOR_SYMPLECTIC_EULER;
}

// ---- rods of a subject

static inline CordRodDef subject_def(const Subject* s)
{
    CordRodDef def = cord_rod_def_default();
    def.model = s->model;
    def.integrator = s->integrator;
    def.inextensible = s->inextensible;
    def.length_method = s->length_method;
    def.corde.orientations = s->orientations;
    def.pbd.solver = s->solver;
    def.pbd.method = s->method;
    def.modal.modes = 6;
    def.adapt.on = s->adaptive;
    def.dynamic_twist = s->dynamic_twist;
    def.material.young = 1e6;
    def.section = cord_section_disc(0.01);
    return def;
}

// A metre of soft rod along x at a height of one metre, a little twisted where that makes sense.
static inline CordRodDef subject_rod(const Subject* s, int nodes)
{
    CordRodDef def = subject_def(s);
    def.shape = cord_shape_line((CordVec3){0, 0, 1}, (CordVec3){1, 0, 1}, nodes);
    def.twist = s->model == CORD_MODEL_MODAL ? 0.0 : 0.5;
    return def;
}

enum { TUMBLER_NODES = 13 };

// A free rod that flies and spins with every node thrown: an open rod bent from straight, or a twisted ring
// that is not plane; of a flat section, or a round one, which der has a kernel of its own for.
typedef enum Form { FLAT_OPEN, FLAT_RING, ROUND_OPEN, ROUND_RING, FORMS } Form;

static const char* const form_names[] = {"flat", "flat ring", "round", "round ring"};

typedef struct Tumbler {
    CordWorld* world;
    CordRodId rod;
} Tumbler;

static inline CordRodDef tumbler_def(const Subject* s, bool closed, CordVec3 x[TUMBLER_NODES])
{
    CordRodDef def = subject_def(s);
    uint64_t seed = 3;
    for (int i = 0; i < TUMBLER_NODES; i++) {
        double a = 2.0 * pi * i / TUMBLER_NODES, b = 0.2 * i;
        CordVec3 ring = {0.16 * cos(a), 0.16 * sin(a), 0.03 * sin(2.0 * a)};
        CordVec3 coil = {0.3 * cos(b), 0.3 * sin(b), 0.04 * i};
        x[i] = plus(closed ? ring : coil, random_vec3(&seed, 0.005));
    }
    def.shape = cord_shape_points(x, TUMBLER_NODES), def.closed = closed;
    def.rest = closed ? CORD_REST_AS_SHAPED : CORD_REST_STRAIGHT;
    def.section = cord_section_rectangle(0.02, 0.014), def.m1 = (CordVec3){0.2, 0.3, 1};
    def.velocity = (CordVec3){0.3, -0.2, 0.5}, def.spin = (CordVec3){2, -1, 1.5};
    def.twist = !closed ? 0.0 : s->adaptive ? 2.0 * pi : 2.0; // adaptive rings have whole turns
    return def;
}

static inline Tumbler make_tumbler(const Subject* s, Form form, CordVec3 gravity)
{
    CordVec3 x[TUMBLER_NODES], v[TUMBLER_NODES];
    CordRodDef def = tumbler_def(s, form % 2, x);
    uint64_t seed = 5;
    if (form >= ROUND_OPEN) {
        def.section = cord_section_disc(0.01), def.rest = CORD_REST_STRAIGHT;
    }
    Tumbler t = {.world = new_world(gravity)};
    t.rod = add_rod(t.world, &def);
    CHECK_OK(cord_rod_velocities(t.world, t.rod, v));
    for (int i = 0; i < TUMBLER_NODES; i++) {
        v[i] = plus(v[i], random_vec3(&seed, 0.1));
    }
    CHECK_OK(cord_rod_set_velocities(t.world, t.rod, v));
    return t;
}

// ---- a busy world

// Rods of a subject with all that a step has to see to: open and closed, flat and twisted, damped and not,
// on clamps that move, slide and let go, with forces, springs and drag.
static inline void add_busy_clamps(CordWorld* world, const Subject* s, CordRodId rod, bool closed)
{
    CordMotion motions[] = {cord_motion_oscillate((CordVec3){0, 0.01, 0}, 10.0, 0.0),
                            cord_motion_rotate((CordVec3){1, 0, 0}, 0.5, 0.0, 40.0 * s->step)};
    hold_moving(world, rod, cord_at_edge(0), CORD_FIX_FRAME, motions, 2);
    if (s->model == CORD_MODEL_MODAL) {
        return; // its supports neither slide nor let go
    }
    CordClampDef clamp = clamp_def(rod, closed ? cord_at_node(5) : cord_at_end(), CORD_FIX_POSITION);
    clamp.slides = true, clamp.axis = (CordVec3){1, 0, 0};
    clamp.release = closed ? INFINITY : 12.5 * s->step;
    add_clamp(world, &clamp);
    hold_until(world, rod, cord_at_edge(7), CORD_FIX_FRAME, 20.5 * s->step);
}

static inline CordRodDef busy_rod(const Subject* s, int index, CordVec3* x)
{
    bool modal = s->model == CORD_MODEL_MODAL;
    CordRodDef def = tumbler_def(s, index % 2, x);
    def.velocity = def.spin = (CordVec3){0, 0, 0}, def.twist = modal ? 0.0 : 1.0;
    def.rest = modal ? CORD_REST_AS_SHAPED : CORD_REST_STRAIGHT;
    def.material.young = modal ? 1e8 : 1e6; // modes are for small deformations
    def.section = index < 2 ? cord_section_rectangle(0.02, 0.014) : cord_section_disc(0.01);
    def.damping_time = index < 2 ? 1e-4 : 0.0;
    def.pbd.substeps = 1 + index / 2, def.pbd.damping = index < 2 ? 0.05 : 0.0;
    return def;
}

enum { BUSY_RODS = 4 };

static inline void add_busy_rods(CordWorld* world, const Subject* s)
{
    for (int i = 0; i < BUSY_RODS; i++) {
        CordVec3 x[TUMBLER_NODES];
        CordRodDef def = busy_rod(s, i, x);
        CordRodId rod = add_rod(world, &def);
        CordLoadDef spring = cord_load_def_default();
        add_busy_clamps(world, s, rod, i % 2);
        add_force(world, rod, cord_at_node(4), (CordVec3){0, 0.01, 0.02});
        spring.kind = CORD_LOAD_SPRING, spring.rod = rod, spring.at = cord_at_node(3);
        spring.target = (CordVec3){0.3, 0.1, 1}, spring.stiffness = 0.2, spring.damping = 0.01;
        add_load(world, &spring);
    }
}

static inline CordWorld* busy_world(const Subject* s, const CordWorldDef* def)
{
    CordWorld* world = make_world(def);
    add_busy_rods(world, s);
    add_drag(world, (CordRodId){0, 0}, 0.05);
    return world;
}

static inline CordWorld* busy(const Subject* s)
{
    CordWorldDef def = cord_world_def_default();
    return busy_world(s, &def);
}

#endif
