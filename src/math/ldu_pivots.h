// What the pivots of a factorisation A = L D U without row exchanges tell about A.
#ifndef CORD_MATH_LDU_PIVOTS_H
#define CORD_MATH_LDU_PIVOTS_H

// `least` is the smallest |pivot| / |diagonal entry in its place|: what elimination has left of it, whatever
// the units of the unknowns. Near 1e-16 the matrix is singular to rounding; 0 means a pivot that is zero or
// not a number; it is never above 1. A diagonal entry that is zero to begin with (a Lagrange multiplier) has
// nothing to lose, and shows only if its pivot is zero. By Sylvester's law of inertia `negative` counts the
// negative eigenvalues of a symmetric matrix, if every unknown was eliminated; otherwise those of the Schur
// complement that is left must be added.
typedef struct LduPivots {
    int negative; // how many pivots are below zero
    double least; // 1 if there are no pivots
    int where;    // unknown with the smallest ratio; -1 if there are no pivots
} LduPivots;

#endif
