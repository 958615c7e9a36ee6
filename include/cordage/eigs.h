// Cordage: an eigensolver for large networks of beams (ARPACK, with SuperLU for its linear systems), as a
// hook of a world (cordage/modal.h):
//
//     CordModalHooks hooks = {.solver = *cord_eigs_solver()}; // if there is one
//     CordWorldDef def = cord_world_def_default();
//     def.modal = &hooks;
//
// Library cord_eigs. Its results depend on these libraries in the last digits, so worlds that use it are not
// the same bits everywhere. It may be called from several threads; they wait for each other.
#ifndef CORDAGE_EIGS_H
#define CORDAGE_EIGS_H

#include <cordage/modal.h>

#ifdef __cplusplus
extern "C" {
#endif

// "arpack". Finds at most size - 2 modes; for more, and for small problems, there is the built-in solver.
// NULL: ARPACK or SuperLU was not found when Cordage was built.
CORD_API const CordEigenSolver* cord_eigs_solver(void);

#ifdef __cplusplus
}
#endif

#endif
