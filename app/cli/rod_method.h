// How the rods of a scene are integrated, in words.
#ifndef CORDAGE_CLI_ROD_METHOD_H
#define CORDAGE_CLI_ROD_METHOD_H

#include "json.h"

#include <cordage/io.h>

// The method by which a rod is stepped. A position-based rod that is welded, for example, uses Newton's
// method.
typedef struct RodMethod {
    const char* model;
    const char* integrator;      // of implicit steps: "implicit" or "backward_euler"; NULL: not implicit
    const char *solver, *method; // of position-based steps; NULL: none, or the solver has one method
    int substeps, iterations;    // of position-based steps
    int modes;                   // of a modal rod; 0: not modal
    bool linear;                 // without warping
} RodMethod;

typedef struct RodMethodText {
    char text[96];
} RodMethodText;

RodMethod rod_method(const CordRodDef* def);
// "der", "der: midpoint rule by Newton's method", or "pbd: xpbd, direct, 4 substeps of at most 10 iterations"
RodMethodText rod_method_text(const RodMethod* way);

enum { ROD_METHODS_MOST = 8 };

typedef struct RodMethodList { // the methods of a scene, and the number of rods of each
    RodMethod items[ROD_METHODS_MOST];
    int rods[ROD_METHODS_MOST];
    int count;
    int others; // rods with further methods
} RodMethodList;

RodMethodList rod_methods(const CordScene* scene);
void rod_methods_print(const RodMethodList* list);
void rod_methods_json(Json* j, const RodMethodList* list);

typedef struct SweepEstimate {
    double needed; // sweeps for a substep, roughly
    // error with fewer sweeps under the rod's own weight, over its length; roughly, at most 1
    double off;
} SweepEstimate;

SweepEstimate sweep_estimate(const CordWorld* world, CordRodId rod, double h,
                             int sweeps); // h: substep [s]

#endif
