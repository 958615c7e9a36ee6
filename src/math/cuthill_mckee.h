// An order of the unknowns of a sparse symmetric matrix in which its rows begin near their diagonals: reverse
// Cuthill-McKee.
#ifndef CORD_MATH_CUTHILL_MCKEE_H
#define CORD_MATH_CUTHILL_MCKEE_H

#include "base/memory.h"

// The columns' entries as in CordEigenProblem. Neighbours with the same entries, such as the six freedoms of
// a node, stay together. order[i] is the unknown in place i. False: no memory.
bool reverse_cuthill_mckee(Memory* memory, int size, const int* start, const int* row, int* order);

#endif
