// One vibration, recorded as if it were a run.
#ifndef CORDAGE_CLI_VIBRATION_H
#define CORDAGE_CLI_VIBRATION_H

#include <cordage/io.h>

typedef struct Vibration {
    CordResult (*pose)(void* user, double time); // puts the world where it is at that time
    void* user;
    int number;    // of the mode, from 1
    double period; // [s]
} Vibration;

// What a shape of displacements u is to be multiplied by, so that no node moves by more than the amplitude
// [m]; NAN: a twentieth of what the nodes x span.
double vibration_scale(const CordVec3* x, const CordVec3* u, int nodes, double amplitude);

// Two periods, to `path`, or a file named after the scene. Status of the program; what is wrong has been
// said.
int vibration_record(const Vibration* v, const CordScene* scene, CordWorld* world, const char* path);

#endif
