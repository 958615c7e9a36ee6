// Finding the modes of a scene's modal rods: what it may take, and what was found.
#ifndef CORDAGE_CLI_MODAL_SEARCH_H
#define CORDAGE_CLI_MODAL_SEARCH_H

#include "json.h"
#include "simulation.h"

#include <cordage/io.h>
#include <cordage/modal.h>

bool modal_is(const CordScene* scene, int rod);
double modal_frequency(const CordMode* mode); // [Hz]

typedef struct ModalSearch { // of all modal rods
    int rods;
    double unknowns;
    double memory, seconds; // at the most, from the numbers of nodes and elements [bytes], [s]
} ModalSearch;

ModalSearch modal_search_estimate(const CordScene* scene, const CordWorld* world); // finds none
void modal_search_print(const ModalSearch* search, const CordScene* scene, const CordWorld* world,
                        bool found);
void modal_search_json(Json* j, const ModalSearch* search);

// Finds them all, and says where more were found than asked for, and what was left out. Status of the
// program; what is wrong has been said.
int modal_search_go(const Simulation* s, bool quiet);

#endif
