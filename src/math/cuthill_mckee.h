// Reverse Cuthill-McKee order of a sparse symmetric matrix, which makes its envelope small (George and Liu,
// Computer Solution of Large Sparse Positive Definite Systems, 1981).
#ifndef CORD_MATH_CUTHILL_MCKEE_H
#define CORD_MATH_CUTHILL_MCKEE_H

#include "base/memory.h"

// start and row are the columns' entries as in CordEigenProblem. Neighbouring unknowns with the same pattern,
// such as the six degrees of freedom of a node, stay together. order[i] is the unknown at place i. False: no
// memory.
bool reverse_cuthill_mckee(Memory* memory, int size, const int* start, const int* row, int* order);

#endif
