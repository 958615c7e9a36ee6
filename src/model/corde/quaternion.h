// CORDE (Spillmann and Teschner 2007). docs/models/corde.md has the equations. Explicit rods have a
// quaternion on every edge, which a penalty keeps on the tangent. Implicit rods hold it there exactly, and
// are framed (model/framed); explicit ones become so for the time of a solve.
#ifndef CORD_MODEL_CORDE_QUATERNION_H
#define CORD_MODEL_CORDE_QUATERNION_H

#include "model/corde/kernel.h"
#include "model/framed/framed.h"
#include "model/model.h"

#define CORDE_MOST_TURN 1.5 // of an edge with inertia, in a step [rad]
#define CORDE_SCRATCH 9     // arrays, for what queries ask for and the right-hand side of the turns
#define CORDE_FACTORS 24    // arrays: of Newton's matrix for the turns

typedef struct CordCorde { // of explicit rods
    const CordeKernels* kernels;
    CordeEdges edges;
    CordeCorners corners;
    double* omega_next[3]; // of the step under way; NULL: orientations are in equilibrium (slot_count)
    double* scratch[CORDE_SCRATCH];
    // Orientations that are solved for: the matrix stays until they have turned far from where it was made.
    double* factors[CORDE_FACTORS]; // of the matrix at base_q and base_inv_h
    double* base_q[4];
    double* base_aside[2]; // of the tangents, along the first two axes
    double base_inv_h;     // 1 / step; NAN: there is none yet [1/s]
    double turned;         // since, at the most [rad]
    bool factored;         // the factors are there
    double* block;         // all of these
    size_t block_size;
    bool inertial;       // orientations are explicit
    bool printed;        // strains are as printed
    bool drags;          // friction acts: (28), (30), or that of the retardation time
    bool round;          // straight at rest, and alike about the first two axes
    bool loose;          // nothing holds or turns any about the third axis
    double damping_time; // of bending and twisting [s]
    double penalty;      // as given [N]; NAN: from the stiffness
    double drag_stretch; // gamma_t, as given [N s]; NAN: from the retardation time
    double drag_turn;    // gamma_r, likewise [N m^2 s]
    Framed* framed;      // that it becomes in a solve
    double seam;         // closed rods: the angle that was glued in at node 0 [rad]
    double seam_sign;    // and the sign with which quaternions go on there
} CordCorde;

static inline CordCorde* corde_of(const Rod* rod)
{
    return (CordCorde*)rod->data;
}

CordeInput corde_input(const CordCorde* m, const Rod* rod, bool friction);
SpectralBound corde_bound(const Rod* rod, const BoundInput* in); // limit.c
double corde_couple_stiffness(const Rod* rod, int edge);

// quaternion_frames.c
CordResult corde_open_frames(Memory* m, Rod* rod, Message* message);
void corde_close_frames(Memory* m, Rod* rod, double time);

// tables.c: what follows from stiffnesses, lengths and clamps.
void corde_fill_tables(CordCorde* m, const Rod* rod);

// energy.c: one function for each, as the paper has them, and the potentials of friction (D_t, D_r) [W]; that
// of turning with the Kelvin-Voigt part.
typedef struct CordeBend {
    double bend, twist; // [J]
} CordeBend;

double corde_stretch_energy(const CordCorde* m, const CordCenterline* c);
CordeBend corde_bend_energy(const CordCorde* m, const CordCenterline* c);
double corde_parallel_energy(const CordCorde* m, const CordCenterline* c);
double corde_stretch_friction(const CordCorde* m, const CordCenterline* c);
double corde_turn_friction(const CordCorde* m, const CordCenterline* c);

// orient.c: orientations that are set, held or carried along.
CordQuat corde_orientation(const CordCorde* m, int slot);
void corde_align(CordCorde* m, int slot, CordVec3 t); // third axis to t, with the least turn
CordVec3 corde_strain(CordQuat p, bool printed); // of the turn p from one edge to the next, about the axes
void corde_from_frames(CordCorde* m, const Rod* rod); // from the framed rod, with the whole turns it has
void corde_to_frames(CordCorde* m, const Rod* rod);   // and back
// Of edges that stay, as they were; the others have them from frames already, and rates from what they were
// part of.
void corde_remesh_orientations(CordCorde* m, const Rod* rod, const CordCorde* old, const Remesh* map);
// by as much as tangents have turned since the framed rod had them
void corde_carry_from_frames(CordCorde* m, const Rod* rod);
void corde_set_spin(CordCorde* m, const Rod* rod, CordVec3 spin); // all turn at this rate [rad/s]
void corde_hold(CordCorde* m, const Rod* rod, double time,
                double h); // held ones to where clamps have them, at the rates of a step; 0: at none
void corde_carry(CordCorde* m, const Rod* rod); // every one to its tangent, with no more turn than that takes
void corde_wrap(CordCorde* m, const CordCenterline* c);            // copies across the seam of a ring
CordVec3 corde_axis(const CordCorde* m, const Rod* rod, int edge); // the first one, carried to the tangent

// turns.c: orientations at the end of a step, solved for; and in equilibrium. False: there are none.
bool corde_solve_turns(CordCorde* m, const Rod* rod, double time, double h);
bool corde_relax(CordCorde* m, const Rod* rod);

// query.c
void corde_energy(const Rod* rod, CordEnergy* energy);
void corde_gradient(const Rod* rod, CordVec3* dE_dx);
void corde_frames(const Rod* rod, CordVec3* m1);
void corde_sections(const Rod* rod, CordVec3* force, double* tension);
void corde_moments(const Rod* rod, CordVec3* moment);
CordVec3 corde_couple(const Rod* rod, int edge, double* stiffness);
double corde_twist(const Rod* rod);
const char* corde_trouble(const Rod* rod, int* node);
void corde_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum);

#endif
