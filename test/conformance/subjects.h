// What every claim of the conformance tests is checked on: each model with each way of stepping it, through
// the public interface alone.
#ifndef CORDAGE_TEST_SUBJECTS_H
#define CORDAGE_TEST_SUBJECTS_H

#include "hold.h"

#include <math.h>

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
    double step; // that it is taken at [s]
} Subject;

static const Subject subjects[] = {
    {.name = "der, verlet", .step = 1e-4},
    {.name = "der, symplectic euler", .integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER, .step = 1e-4},
    {.name = "der, rattle", .inextensible = true, .step = 1e-4},
    {.name = "der, fast projection",
     .inextensible = true,
     .length_method = CORD_LENGTH_FAST_PROJECTION,
     .step = 1e-4},
    {.name = "der, adaptive", .adaptive = true, .step = 1e-4},
    {.name = "der, midpoint", .integrator = CORD_INTEGRATOR_MIDPOINT, .step = 2e-3},
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
    {.name = "corde, midpoint",
     .model = CORD_MODEL_CORDE,
     .integrator = CORD_INTEGRATOR_MIDPOINT,
     .step = 2e-3},
    {.name = "xpbd, direct", .model = CORD_MODEL_PBD, .step = 2e-3},
    {.name = "xpbd, sweeps", .model = CORD_MODEL_PBD, .method = CORD_PBD_SWEEPS, .step = 2e-3},
    {.name = "pbd", .model = CORD_MODEL_PBD, .solver = CORD_PBD_PBD, .step = 2e-3},
    {.name = "pbd, backward euler",
     .model = CORD_MODEL_PBD,
     .integrator = CORD_INTEGRATOR_BACKWARD_EULER,
     .step = 2e-3},
    {.name = "modal", .model = CORD_MODEL_MODAL, .step = 2e-3},
};

#define SUBJECTS ((int)(sizeof subjects / sizeof *subjects))

// A metre of soft rod along x at a height of one metre, a little twisted where that makes sense.
static inline CordRodDef subject_rod(const Subject* s, int nodes)
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
    def.material.young = 1e6;
    def.section = cord_section_disc(0.01);
    def.shape = cord_shape_line((CordVec3){0, 0, 1}, (CordVec3){1, 0, 1}, nodes);
    def.twist = s->model == CORD_MODEL_MODAL ? 0.0 : 0.5;
    return def;
}

#endif
