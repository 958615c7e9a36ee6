// The parts of `cordage modes`.
#ifndef CORDAGE_CLI_MODES_H
#define CORDAGE_CLI_MODES_H

#include "simulation.h"

// ---- modes_record.c: one vibration, recorded as if it were a run

typedef struct Vibration {
    CordResult (*pose)(void* user, double time); // moves the world to its pose at that time [s]
    void* user;
    int number;    // of the mode, from 1
    double period; // [s]
} Vibration;

// The factor by which displacements u make no node move farther than the amplitude [m]; NAN: a twentieth of
// the extent of the nodes x.
double vibration_scale(const CordVec3* x, const CordVec3* u, int nodes, double amplitude);

// Can the vibration go to that path, FILE.h5 or FILE.png? False: an error has been reported.
bool vibration_fits(const CordScene* scene, const char* path, bool force);

// Records two periods to FILE.h5, or draws the largest displacement as FILE.png. Returns an exit status; an
// error has been reported.
int vibration_show(const Vibration* v, const CordScene* scene, CordWorld* world, const char* path);

// ---- modes_modal.c: the modes of modal rods

typedef struct ModalModesOptions {
    const char* output; // FILE.h5 or FILE.png; NULL: tables alone
    const char* rod;    // whose vibration is recorded; NULL: the first modal rod
    int shown;          // mode, from 1
    double amplitude;   // [m]; NAN: chosen
    bool json;
} ModalModesOptions;

bool modes_modal_any(const CordScene* scene);
int modes_modal_run(const Simulation* s,
                    const ModalModesOptions* options); // exit status; an error has been reported

#endif
