// First and second derivatives of an energy that sits at the corners of a rod: at inner nodes, between an
// edge e and the next, f. What implicit and static solvers get from a model. Variables are the edge vectors
// and the turns phi of the edges' frames about their tangents, on top of parallel transport.
#ifndef CORD_MODEL_CORNER_H
#define CORD_MODEL_CORNER_H

#include <stddef.h>

typedef struct CornerGradient { // by slot of the corner
    double *e[3], *f[3];        // in the edge vectors [N]
    double *phi_e, *phi_f;      // in the turns of their frames [N m]
} CornerGradient;

typedef struct CornerHessian { // by slot of the corner; xx xy xz yy yz zz where symmetric
    double *ee[6], *ff[6];     // [N/m]
    double* ef[9];             // row-major, rows e
    double *e_phi_e[3], *e_phi_f[3], *f_phi_e[3], *f_phi_f[3]; // [N]
    double *phi_ee, *phi_ef, *phi_ff;                          // [N m]
} CornerHessian;

#define CORNER_GRADIENT_ARRAYS 8
#define CORNER_HESSIAN_ARRAYS 36

typedef struct CornerTerms {
    int base; // the slot that the arrays begin with
    CornerGradient gradient;
    CornerHessian hessian;
} CornerTerms;

#define CORNER_TERMS_ARRAYS (CORNER_GRADIENT_ARRAYS + CORNER_HESSIAN_ARRAYS)

// The arrays of the terms one after the other, for those who hand out memory.
void corner_terms_open(CornerTerms* terms, double* first, size_t stride);

#endif
