// CORDE (Spillmann and Teschner 2007). docs/models/corde.md has the equations; numbers in brackets are those
// of the paper. Explicit rods have a quaternion on every edge, and a penalty keeps its third axis on the
// tangent (33). Implicit rods keep it there exactly and are framed (model/framed). Explicit rods are
// converted to the framed form for the time of a solve.
#ifndef CORD_MODEL_CORDE_QUATERNION_H
#define CORD_MODEL_CORDE_QUATERNION_H

#include "model/corde/kernel.h"
#include "model/framed/framed.h"
#include "model/model.h"

#define CORDE_SURE_TURN 0.17 // 10 degrees: a rotation in a step that does not leave the model's range [rad]
#define CORDE_MOST_TURN 1.5  // largest rotation of an edge with inertia in a step [rad]
#define CORDE_SCRATCH 9      // scratch arrays, for queries and the right-hand side of Newton's system
#define CORDE_FACTORS 24     // arrays of the factors of Newton's matrix for the orientations

// Twist of the corners between the first and the last edge whose clamp holds the frame; in a ring that of
// all.
typedef struct CordeTurns {
    double sum;  // [rad]
    double most; // of a corner, its size [rad]
    int node;    // where that is
} CordeTurns;

typedef struct CordCorde { // explicit rods
    const CordeKernels* kernels;
    CordeEdges edges;
    CordeCorners corners;
    double* omega_next[3]; // omega at the end of the step; NULL: orientations are quasistatic (slot_count)
    double* scratch[CORDE_SCRATCH];
    // Quasistatic orientations: the factors of Newton's matrix are reused until the orientations have turned
    // far from those that the matrix was assembled at.
    double* factors[CORDE_FACTORS]; // of the matrix at base_q and base_inv_h
    double* base_q[4];
    double* base_aside[2]; // components of the tangents along the first two axes
    double base_inv_h;     // 1 / step [1/s]; NAN: there is no matrix yet
    double turned;         // largest rotation since then [rad]
    bool factored;         // the factors are valid
    bool definite;         // the matrix is positive definite with little regularisation
    double* block;         // all of these arrays
    size_t block_size;
    bool inertial;       // orientations have inertia and are stepped explicitly
    bool printed;        // strains are those of (25) as printed
    bool drags;          // friction acts: (28), (30), or that of the retardation time
    bool round;          // straight at rest, with equal stiffness and inertia about the first two axes
    bool loose;          // no clamp and no torque acts about the third axis
    double damping_time; // retardation time of bending and twisting [s]
    double penalty;      // kappa of the def [N]; NAN: computed from the stiffness
    double drag_stretch; // gamma_t of the def [N s]; NAN: computed from the retardation time
    double drag_turn;    // gamma_r of the def [N m^2 s]; NAN: computed from the retardation time
    Framed* framed;      // the framed form, for solves
    double seam;         // closed rods: the angle that was glued in at node 0 [rad]
    double seam_sign;    // sign of the quaternions past the seam
    bool at_risk;        // CordeKick.at_risk of the last kick
    CordVec3 reference_velocity; // CordeKick.reference_velocity of the last kick: the velocity of a node
    double shortest;             // rest length of the shortest edge [m]
    CordeTurns before; // what an update of the orientations must keep; sum NAN: not counted, none is at risk
    char lost[200];    // a sentence that says that the update has lost turns; empty: it has not
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
CordResult corde_reserve_framed(Memory* m, Rod* rod, Message* message); // see model.h
// Hands over the frames for good, with the spins about the tangents. The rod's data keeps none.
Framed* corde_take_frames(Rod* rod);

// tables.c: arrays computed from stiffnesses, lengths and clamps.
void corde_fill_tables(CordCorde* m, const Rod* rod);

// energy.c: one function for each energy of the paper, and for the dissipation potentials D_t (28) and D_r
// (30) [W]. That of turning includes the Kelvin-Voigt part.
typedef struct CordeBend {
    double bend, twist; // [J]
} CordeBend;

double corde_stretch_energy(const CordCorde* m, const CordCenterline* c);
CordeBend corde_bend_energy(const CordCorde* m, const CordCenterline* c);
double corde_parallel_energy(const CordCorde* m, const CordCenterline* c);
double corde_stretch_friction(const CordCorde* m, const CordCenterline* c);
double corde_turn_friction(const CordCorde* m, const CordCenterline* c);

// orientation.c: orientations that are set, held or transported.
CordQuat corde_orientation(const CordCorde* m, int slot);
// rotates the third axis to t by the minimal rotation
void corde_align(CordCorde* m, int slot, CordVec3 t);
CordVec3 corde_strain(CordQuat p, bool printed); // strain of the relative rotation p, about the axes
// convert orientations from the framed form and to it; the twist keeps its full turns
void corde_from_frames(CordCorde* m, const Rod* rod);
void corde_to_frames(CordCorde* m, const Rod* rod);
// Copies the orientations of edges that stay. New edges must already have theirs from the frames; they take
// the angular velocity of the edge that they were part of.
void corde_remesh_orientations(CordCorde* m, const Rod* rod, const CordCorde* old, const Remesh* map);
// rotates orientations as the tangents have turned since the framed form was current
void corde_carry_from_frames(CordCorde* m, const Rod* rod);
void corde_set_spin(CordCorde* m, const Rod* rod, CordVec3 spin); // sets every angular velocity [rad/s]
// Sets held orientations to their clamps at `time`, with the angular velocity over h; h = 0: at rest. Returns
// the largest rotation, as twice the sine of its half. INFINITY: a clamp has turned by more than the nearest
// angle, and the orientations between clamps with it.
double corde_hold(CordCorde* m, const Rod* rod, double time, double h);
// An update of the orientations begins. In a step it counts the turns between clamps where some corner has
// half a turn or more; where nodes may have jumped, corde_relax counts them.
void corde_begin_turns(CordCorde* m, const Rod* rod, bool in_step);
CordeTurns corde_turns(const CordCorde* m, const Rod* rod);
// It ends; `settled`: orientations were found. False: they were not, or turns were lost since they were
// counted; m->lost then says so. Past half a turn the strain of a corner resists a rotation about any axis
// alike, and only the penalty keeps an edge from turning over, which takes two turns out of the rod.
bool corde_end_turns(CordCorde* m, const Rod* rod, bool settled);
void corde_carry(CordCorde* m, const Rod* rod);         // aligns all with their tangents by minimal rotations
void corde_wrap(CordCorde* m, const CordCenterline* c); // fills the halo slots past a ring's seam
CordVec3 corde_axis(const CordCorde* m, const Rod* rod, int edge); // first axis, transported to the tangent

// quasistatic.c: corde_solve_turns finds the orientations at the end of a step of h, corde_relax those in
// equilibrium. False: no solution was found.
bool corde_solve_turns(CordCorde* m, const Rod* rod, double time, double h);
bool corde_relax(CordCorde* m, const Rod* rod);

// query.c
void corde_energy(const Rod* rod, CordEnergy* energy);
double corde_dissipation(const Rod* rod); // twice the dissipation functions (28) and (30) [W]
void corde_gradient(const Rod* rod, CordVec3* dE_dx);
void corde_frames(const Rod* rod, CordVec3* m1);
void corde_sections(const Rod* rod, CordVec3* force, double* tension);
void corde_moments(const Rod* rod, CordVec3* moment);
CordVec3 corde_couple(const Rod* rod, int edge, double* stiffness);
double corde_twist(const Rod* rod);
const char* corde_trouble(const Rod* rod, int* node);
void corde_spin(const Rod* rod, double lag, double* energy, CordVec3* momentum);
void corde_advance_spin(Rod* rod, double time, double lag);

#endif
