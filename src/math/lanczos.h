// The lowest eigenvalues of K phi = lambda M phi, large and sparse: Lanczos' method on (K - shift M)^-1 M, by
// blocks and with restarts. Eigenvalues that coincide are all found, however many they are. The same bits
// everywhere.
#ifndef CORD_MATH_LANCZOS_H
#define CORD_MATH_LANCZOS_H

#include "base/memory.h"
#include "base/message.h"

#include <cordage/modal.h>

// Eigenvalues ascending into lambda (count), vectors into phi (count x size) as CordEigenSolver says.
// CORD_BAD_ARGUMENT: as many are not there, or K - shift M is not positive definite; CORD_NOT_CONVERGED: also
// if progress asks to stop.
CordResult lanczos_lowest(Memory* memory, const CordEigenProblem* p, double* lambda, double* phi,
                          Message* message);

#endif
