// Builds that have no ARPACK or no SuperLU.
#include <cordage/eigs.h>

const CordEigenSolver* cord_eigs_solver(void)
{
    return NULL;
}
