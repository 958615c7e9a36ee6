// Models and steppers, for tables that run over all of them.
#ifndef CORDAGE_TEST_VALIDATE_STEPPERS_H
#define CORDAGE_TEST_VALIDATE_STEPPERS_H

#include "contacts.h"

typedef struct Kind {
    const char* name;
    CordModel model;
    CordIntegrator integrator;
    bool is_explicit;
} Kind;

static const Kind kinds[] = {
    {"der explicit", CORD_MODEL_DER, CORD_INTEGRATOR_VERLET, true},
    {"der implicit", CORD_MODEL_DER, CORD_INTEGRATOR_BACKWARD_EULER, false},
    {"corde explicit", CORD_MODEL_CORDE, CORD_INTEGRATOR_VERLET, true},
    {"corde implicit", CORD_MODEL_CORDE, CORD_INTEGRATOR_BACKWARD_EULER, false},
    {"pbd position-based", CORD_MODEL_PBD, CORD_INTEGRATOR_VERLET, false},
    {"pbd implicit", CORD_MODEL_PBD, CORD_INTEGRATOR_BACKWARD_EULER, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static inline CordRodDef rod_of(const Kind* kind, double radius, double young)
{
    CordRodDef def = cord_rod_def_default();
    def.model = kind->model, def.integrator = kind->integrator;
    def.section = cord_section_disc(radius);
    def.material.young = young;
    return def;
}

#endif
