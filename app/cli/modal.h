// The modes of a scene's modal rods: the hooks with which this program finds and caches them, what the search
// costs, and what it found.
#ifndef CORDAGE_CLI_MODAL_H
#define CORDAGE_CLI_MODAL_H

#include "json.h"
#include "simulation.h"

#include <cordage/modal.h>

const CordModalHooks* modal_hooks(
    void); // valid until the program ends; reports a long search on standard error
CordModalHooks modal_hooks_uncached(void); // always searches, silently
void modal_set_quiet(bool quiet);          // report nothing from now on

// Must be called for a new world, so that modal_hooks can announce what the search will cost.
void modal_expect(const CordScene* scene, const CordWorld* world);

bool scene_rod_is_modal(const CordScene* scene, int rod);
double modal_frequency(const CordMode* mode); // [Hz]

typedef struct ModalSearch { // upper bounds for all modal rods, from their numbers of nodes and elements
    int rods;
    double unknowns;
    double memory;  // [bytes]
    double seconds; // [s]
} ModalSearch;

ModalSearch modal_search_estimate(const CordScene* scene, const CordWorld* world); // does not search
void modal_search_print(const ModalSearch* search, const CordScene* scene, const CordWorld* world,
                        bool found);
void modal_search_json(Json* j, const ModalSearch* search);

// Finds the modes of all modal rods, and reports where their number differs from what was asked for. Returns
// an exit status; an error has been reported.
int modal_search_run(const Simulation* s, bool quiet);

#endif
