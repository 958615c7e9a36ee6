// --model of the commands that have it, and how rods are said to be simulated.
#ifndef CORDAGE_CLI_ROD_METHOD_H
#define CORDAGE_CLI_ROD_METHOD_H

#include "json.h"

#include <cordage/io.h>

// How a rod takes its steps. One that asks for position-based steps and is welded, say, has those of Newton's
// method.
typedef struct RodMethod {
    const char* model;
    const char* integrator;      // by Newton's method: "implicit" or "backward_euler"; NULL: not by that
    const char *solver, *method; // of position-based steps; NULL: it takes none, or its solver has no methods
    int substeps, iterations;    // likewise
    int modes;                   // that a modal rod asks for; 0: it is none
    bool linear;                 // without warping
} RodMethod;

typedef struct RodMethodText {
    char text[96];
} RodMethodText;

RodMethod rod_method(const CordRodDef* def);
// "der", "der: midpoint rule by Newton's method", or "pbd: xpbd, direct, 4 substeps of at most 10 iterations"
RodMethodText rod_method_text(const RodMethod* way);

enum { ROD_METHODS_MOST = 8 };

typedef struct RodMethodList { // the ways of a scene's rods, and how many rods have each
    RodMethod items[ROD_METHODS_MOST];
    int rods[ROD_METHODS_MOST];
    int count;
    int others; // rods that have none of them
} RodMethodList;

RodMethodList rod_methods(const CordScene* scene);
void rod_methods_print(const RodMethodList* list);
void rod_methods_json(Json* j, const RodMethodList* list);

typedef struct SweepEstimate {
    double needed; // in a substep, roughly
    // how far from where it should be a rod is with fewer, under its own weight, over its length: roughly, at
    // most 1
    double off;
} SweepEstimate;

SweepEstimate sweep_estimate(const CordWorld* world, CordRodId rod, double h,
                             int sweeps); // h: of a substep [s]

#endif
