// The world: owns rods, clamps, loads and probes, and steps them.
#ifndef CORD_WORLD_WORLD_H
#define CORD_WORLD_WORLD_H

#include "base/slots.h"
#include "model/model.h"

typedef struct Probe {
    char name[64];
    CordMeasure measure;
    Rod* rod;
    int node, edge;     // where, as the measure needs
    const Clamp* clamp; // whose force or torque
} Probe;

typedef struct FrameBuffers { // what a CordFrame points to; grows, never shrinks
    int rod_capacity, node_capacity, edge_capacity;
    CordFrameRod* rods;
    CordEnergy* energy;
    double* stretch;
    CordVec3 *x, *v, *moment; // (node_capacity)
    CordVec3* m1;             // (edge_capacity)
    double *radius, *tension; // (edge_capacity)
} FrameBuffers;

struct CordWorld {
    Memory memory;
    CordLog log;
    CordTasks tasks;
    CordVec3 gravity; // [m/s^2]
    double time;      // [s]
    int64_t steps;
    double last_step; // as it was asked for [s]
    int64_t retries;  // steps that were taken in halves
    int64_t revision; // goes up whenever something changes that queries depend on
    Slots rods, clamps, loads, probes;
    Arena scratch; // of the step
    Arena query;   // of queries
    Message message;
    FrameBuffers frame;
    void* backup; // state before step_many, or a step in halves (backup_size)
    size_t backup_size;
};

Rod* world_rod(const CordWorld* w, CordRodId id); // NULL: no such rod, and the message says so
CordResult bad_id(const CordWorld* w, const char* what);
Message* world_message(const CordWorld* w);

// Masses and models' tables brought up to date with the clamps, and scratch for a step reserved.
CordResult world_prepare(const CordWorld* w);
CordResult rod_prepare(CordWorld* w, Rod* rod); // one rod's part of it

// Puts back a state that cord_world_state_get gave of this very world, whatever clamps have let go since. Takes no memory.
size_t world_state_count(const CordWorld* w); // bytes of the state of a world that is prepared
void world_restore(CordWorld* w, const void* bytes, size_t size);

double rod_kick(const Rod* rod, double h); // time over which the forces of the next step act
double rod_lag(const Rod* rod);            // time by which its velocities lie before its positions

// Forces, velocities and tensions of a rod as it is now; NULL: no memory, and the message says so. Kept until something
// changes, so that many probes on one rod cost one evaluation.
const RodNow* rod_now(const CordWorld* w, const Rod* rod);
void rod_now_free(Memory* m, Rod* rod);

CordEnergy rod_energy_now(const CordWorld* w, const Rod* rod, const CordVec3* v);
CordMomentum rod_momentum_now(const Rod* rod, const CordVec3* v);
CordResult clamp_reaction_now(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque);

#endif
