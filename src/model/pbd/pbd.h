// Position-based rods (Umetani, Schmidt and Stam 2014), and their physical form. docs/models/pbd.md has the
// equations. Strain and energy are those of a framed rod (model/framed) whose corners have CORNER_LAW_PBD,
// which implicit integrators and static solves use as they are; step/position*.c has the position-based step.
#ifndef CORD_MODEL_PBD_PBD_H
#define CORD_MODEL_PBD_PBD_H

#include "model/framed/framed.h"
#include "model/model.h"
#include "model/pbd/measure.h"

typedef struct CordPbd {
    CordPbdDef def;     // with what a zero in it stands for
    Framed* framed;     // its material frames
    bool inextensible;  // as it was asked for: see stiffen in pbd.c
    bool dynamic_twist; // likewise, for implicit steps
    // By slot of the edge. Spins at the end of the step under way; of the paper's solver, its ghost points
    // and what they go on with.
    double* spin_end;                       // [rad/s]
    double* tension_end;                    // likewise, of edges, with viscous resistance [N]
    double *ghost[3], *ghost_v[3], *mid[3]; // [m], [m/s], [m/s]
    double *ghost_next[3], *ghost_v_next[3], *mid_next[3];
    // damped rods: beta and lengths at the start of the last substep (slot_count)
    double *past[3], *past_length;
    double *past_next[3], *past_length_next; // of the step under way
    double since;                            // its length; 0: there was none [s]
    double* block;                           // all of these
    size_t block_size;
} CordPbd;

static inline CordPbd* pbd_of(const Rod* rod)
{
    return (CordPbd*)rod->data;
}

static inline bool pbd_has_ghosts(const Rod* rod)
{
    return pbd_of(rod)->ghost[0] != NULL;
}

// Springs so much stiffer than the inertia of an element over the square of a substep move as if they were
// rods; more would use up the digits of what is soft.
#define PBD_STIFFEST 1e10

// EA / L, as a substep of that length has it; 0: as it is [N/m]
double pbd_stretch(const Rod* rod, int edge, double part);
// of a corner's stiffness, that a substep of that length has
double pbd_bend_share(const Rod* rod, double K, double part);
// of the edge there, about its tangent, in a step of h [kg m^2]
double pbd_spin_inertia(const Rod* rod, int slot, double h);
void pbd_place_ghosts(const Rod* rod); // where the frames have them, at the speed of their edges

// query.c
void pbd_energy(const Rod* rod, CordEnergy* energy);
void pbd_gradient(const Rod* rod, CordVec3* dE_dx);
void pbd_sections(const Rod* rod, CordVec3* force, double* tension);
void pbd_moments(const Rod* rod, CordVec3* moment);
double pbd_spin_moment(const Rod* rod, int edge); // about the tangent, on the frame [N m]

bool pbd_is_direct(const CordPbdDef* def); // solved by elimination, not by sweeps

// Newton's method takes the rod over: what the direct solver converges to is backward Euler. Room first,
// which may fail; then the rod is a framed one, with lengths and inertia of frames as its def asked for them.
CordResult pbd_reserve_framed(Memory* m, Rod* rod, Message* message);
void pbd_become_framed(Memory* m, Rod* rod);

#endif
