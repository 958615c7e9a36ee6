// Gradient and Hessian of bending and twisting energy at the inner nodes ("corners") of a rod, each between
// an edge e and the next edge f. Implicit and static solvers read them. The variables are the edge vectors
// and the angles phi by which the material frames turn about their tangents, on top of parallel transport.
#ifndef CORD_MODEL_CORNER_H
#define CORD_MODEL_CORNER_H

#include <stddef.h>

typedef struct CornerGradient { // by slot of the corner
    double *e[3], *f[3];        // with respect to the edge vectors [N]
    double *phi_e, *phi_f;      // with respect to the frame angles [N m]
} CornerGradient;

typedef struct CornerHessian { // by slot of the corner; xx xy xz yy yz zz where symmetric
    double *ee[6], *ff[6];     // [N/m]
    double* ef[9];             // row-major, a row for each component of e [N/m]
    double *e_phi_e[3], *e_phi_f[3], *f_phi_e[3], *f_phi_f[3]; // [N]
    double *phi_ee, *phi_ef, *phi_ff;                          // [N m]
} CornerHessian;

#define CORNER_GRADIENT_ARRAYS 8
#define CORNER_HESSIAN_ARRAYS 36

typedef struct CornerTerms {
    int base; // slot of the first entry of the arrays
    CornerGradient gradient;
    CornerHessian hessian;
} CornerTerms;

#define CORNER_TERMS_ARRAYS (CORNER_GRADIENT_ARRAYS + CORNER_HESSIAN_ARRAYS)

// Points the CORNER_TERMS_ARRAYS arrays of `terms` into the caller's memory, `stride` doubles apart.
void corner_terms_open(CornerTerms* terms, double* first, size_t stride);

#endif
