// Builds without ARPACK or SuperLU have no such solver.
#include <cordage/eigs.h>

const CordEigenSolver* cord_eigs_solver(void)
{
    return NULL;
}
