// The world: owns rods, clamps, loads and probes, and steps them.
#ifndef CORD_WORLD_WORLD_H
#define CORD_WORLD_WORLD_H

#include "base/slots.h"
#include "model/model.h"

typedef struct Probe {
    char name[64];
    CordMeasure measure;
    Rod* rod;
    int node, edge; // where, as the measure needs
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
    int64_t retries; // steps that were taken in halves
    Slots rods, clamps, loads, probes;
    Arena scratch; // of the step
    Arena query;   // of queries
    Message message;
    FrameBuffers frame;
    void* backup; // state before step_many (backup_size)
    size_t backup_size;
};

Rod* world_rod(const CordWorld* w, CordRodId id); // NULL: no such rod, and the message says so
CordResult bad_id(const CordWorld* w, const char* what);
Message* world_message(const CordWorld* w);

// Masses and models' tables brought up to date with the clamps, and scratch for a step reserved.
CordResult world_prepare(const CordWorld* w);

// Empty scratch for a query on this rod: room for two of its node arrays of vectors, one of numbers, and what lengths need.
// NULL: no memory, and the message says so.
Arena* world_query_scratch(const CordWorld* w, const Rod* rod);

double rod_kick(const Rod* rod, double h);               // time over which the forces of the next step act
double rod_lag(const Rod* rod);                          // time by which its velocities lie before its positions

CordResult rod_velocities_now(const CordWorld* w, const Rod* rod, CordVec3* v); // at the time of the positions
CordResult rod_tensions_now(const CordWorld* w, const Rod* rod, double* tension);
CordEnergy rod_energy_now(const CordWorld* w, const Rod* rod, const CordVec3* v);
CordMomentum rod_momentum_now(const Rod* rod, const CordVec3* v);
CordResult clamp_reaction_now(const CordWorld* w, const Clamp* clamp, CordVec3* force, CordVec3* torque);

#endif
