// Modal rods: networks of beams of any shape, in their lowest modes of vibration, warped
// (docs/models/modal.md). This header has what can be asked of the modes, and the hooks of a world: the
// eigensolver for large networks, the place where modes are kept, and progress while they are found.
#ifndef CORDAGE_MODAL_H
#define CORDAGE_MODAL_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- modes

typedef enum CordModeKind { // which part of the elastic energy has nine tenths of it
    CORD_MODE_BEND,
    CORD_MODE_TWIST,
    CORD_MODE_STRETCH,
    CORD_MODE_COUPLED, // none has
} CordModeKind;

CORD_API const char* cord_mode_kind_name(CordModeKind kind); // "bend", ...

typedef struct CordMode {
    double omega2; // [1/s^2]
    double ratio;  // of critical damping
    CordModeKind kind;
    double bend, twist, stretch;      // shares of its elastic energy
    CordVec3 effective_mass;          // that moves when the supports shake along x, y and z [kg]
    int cluster_first, cluster_count; // the modes of its frequency, itself included
} CordMode;

// Modes are found when they are first needed: by these, by a step, by anything that looks at a state. That
// may take seconds for tens of thousands of elements. They are counted from 0, the lowest. Shapes are
// mass-normalised; displacements [m] and turns [rad] by node, either may be NULL.
CORD_API int cord_rod_mode_count(const CordWorld* world,
                                 CordRodId rod); // 0: not modal, or none were found, and the message says why
CORD_API CordResult cord_rod_mode(const CordWorld* world, CordRodId rod, int index, CordMode* mode);
CORD_API CordResult cord_rod_mode_shape(const CordWorld* world, CordRodId rod, int index,
                                        CordVec3* displacement, CordVec3* turn);

// The state: amplitudes of the modes [m kg^1/2] and their rates, (cord_rod_mode_count) each.
CORD_API CordResult cord_rod_amplitudes(const CordWorld* world, CordRodId rod, double* q, double* rate);
CORD_API CordResult cord_rod_set_amplitudes(CordWorld* world, CordRodId rod, const double* q,
                                            const double* rate);

typedef struct CordModalReport {
    int unknowns;       // freedoms that nothing holds
    int64_t nonzeros;   // of the stiffness matrix
    int asked, found;   // modes: more are found where the last ones asked for have others of their frequency
    int rigid;          // motions that no stiffness resists, which were left out
    bool kept;          // they came from the store
    const char* solver; // that found them: "built-in", ...
} CordModalReport;

CORD_API CordResult cord_rod_modal_report(const CordWorld* world, CordRodId rod, CordModalReport* report);

// How much of a force or torque on a modal rod the modes carry: the deflection at rest that it causes along
// itself, in the modes over that of the whole structure, from 0 to 1. NAN: of other loads, of one that
// supports bear, and where rigid motions were left out. Factors the stiffness matrix.
CORD_API CordResult cord_load_mode_share(const CordWorld* world, CordLoadId load, double* share);
// The same of the rod's own weight.
CORD_API CordResult cord_rod_weight_mode_share(const CordWorld* world, CordRodId rod, double* share);

// What finding the modes of a network would take, before it is made: upper bounds from the number of its
// nodes and edges, for a surface of triangles; chains and trees take far less.
typedef struct CordModalCost {
    double unknowns;
    double memory;  // [bytes]
    double seconds; // on one core of 3 GHz
} CordModalCost;

CORD_API CordModalCost cord_modal_cost(int node_count, int edge_count, int modes);

// ---- hooks

// K phi = lambda M phi, both symmetric and sparse, with the same entries; both triangles, column by column,
// rows ascending.
typedef struct CordEigenProblem {
    int size;
    const int* start; // of each column in the entries (size + 1)
    const int* row;   // (start[size])
    const double* K;  // (start[size])
    const double* M;  // (start[size])
    int count;        // wanted, from the lowest
    double shift;     // below 0: K - shift M is positive definite [1/s^2]
    double tolerance; // of the eigenvalues, relative
    // Called now and then: what is being done, and the share that is done, NAN: not known. False: stop. NULL:
    // nobody listens.
    bool (*progress)(void* user, const char* what, double share);
    void* progress_user;
} CordEigenProblem;

typedef struct CordEigenSolver {
    const char* name;
    // Eigenvalues ascending (count), and vectors one after the other (count x size), each with phi M phi = 1
    // and those of equal eigenvalues at right angles. If it fails, `why` says why in one sentence.
    CordResult (*solve)(void* user, const CordEigenProblem* problem, double* lambda, double* phi, char* why,
                        size_t why_size);
    void* user;
} CordEigenSolver;

struct CordModalHooks {
    CordEigenSolver solver; // zeros: the built-in one for all
    int solver_from;        // unknowns from which on it is asked, and not the built-in one; 0: 100000
    // Modes that were found are kept by the content of the structure. load fills in `bytes` if there are
    // `size` of them under the key and returns whether it did.
    bool (*load)(void* user, const uint64_t key[2], void* bytes, size_t size);
    void (*save)(void* user, const uint64_t key[2], const void* bytes, size_t size);
    void* store_user;
    bool (*progress)(void* user, const char* what, double share); // as above
    void* progress_user;
};

#ifdef __cplusplus
}
#endif

#endif
