// --model of the commands that have it, and how rods are said to be simulated.
#ifndef CORDAGE_CLI_MODEL_H
#define CORDAGE_CLI_MODEL_H

#include "json.h"

#include <cordage/io.h>

// How a rod takes its steps. One that asks for position-based steps and is welded, say, has those of Newton's
// method.
typedef struct ModelWay {
    const char* model;
    const char* integrator;      // by Newton's method: "implicit" or "backward_euler"; NULL: not by that
    const char *solver, *method; // of position-based steps; NULL: it takes none, or its solver has no methods
    int substeps, iterations;    // likewise
    int modes;                   // that a modal rod asks for; 0: it is none
    bool linear;                 // without warping
} ModelWay;

typedef struct WayText {
    char text[96];
} WayText;

ModelWay model_way(const CordRodDef* def);
// "der", "der: midpoint rule by Newton's method", or "pbd: xpbd, direct, 4 substeps of at most 10 iterations"
WayText model_way_text(const ModelWay* way);

enum { WAYS_MOST = 8 };

typedef struct WayList { // the ways of a scene's rods, and how many rods have each
    ModelWay items[WAYS_MOST];
    int rods[WAYS_MOST];
    int count;
    int others; // rods that have none of them
} WayList;

WayList model_ways(const CordScene* scene);
void model_ways_print(const WayList* list);
void model_ways_json(Json* j, const WayList* list);

typedef struct ModelSweeps {
    double needed; // in a substep, roughly
    // how far from where it should be a rod is with fewer, under its own weight, over its length: roughly, at
    // most 1
    double off;
} ModelSweeps;

ModelSweeps model_sweeps(const CordWorld* world, CordRodId rod, double h, int sweeps); // h: of a substep [s]

#endif
