// The lowest eigenpairs of K phi = lambda M phi, large and sparse, by block Lanczos on the shift-inverted
// operator (K - shift M)^-1 M with thick restarts (Wu and Simon, SIAM J. Matrix Anal. Appl. 22, 2000). Each
// iteration costs one solve with the factor (math/envelope_cholesky.h) and one orthogonalisation. All copies
// of a multiple eigenvalue are found. The same bits everywhere.
#ifndef CORD_MATH_LANCZOS_H
#define CORD_MATH_LANCZOS_H

#include "base/memory.h"
#include "base/message.h"

#include <cordage/modal.h>

// Writes ascending eigenvalues to lambda (count) and vectors to phi (count x size), as CordEigenSolver says.
// CORD_BAD_ARGUMENT: there are fewer eigenvalues, or K - shift M is not positive definite.
// CORD_NOT_CONVERGED: also if progress asks to stop.
CordResult lanczos_lowest(Memory* memory, const CordEigenProblem* p, double* lambda, double* phi,
                          Message* message);

#endif
