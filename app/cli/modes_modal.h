// The modes of modal rods, which they have by themselves: as tables, and one of them as a recording or a
// picture.
#ifndef CORDAGE_CLI_MODES_MODAL_H
#define CORDAGE_CLI_MODES_MODAL_H

#include "simulation.h"

typedef struct ModalModesOptions {
    const char* output; // FILE.h5 or FILE.png; NULL: tables alone
    const char* rod;    // whose vibration it has; NULL: the first that is modal
    int shown;          // mode, from 1
    double amplitude;   // [m]; NAN: chosen
    bool json;
} ModalModesOptions;

bool modes_modal_any(const CordScene* scene);

// Status of the program; what is wrong has been said.
int modes_modal_go(const Simulation* s, const ModalModesOptions* options);

#endif
