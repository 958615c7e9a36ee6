// Position-based elastic rods (PBER, Umetani, Schmidt and Stam 2014), and their compliant form (XPBD) with
// stiffness in SI units. docs/models/pbd.md has the equations. Strain and energy are those of a framed rod
// (model/framed) with CORNER_LAW_PBD, which implicit integrators and static solves use directly.
// step/position*.c has the position-based step.
#ifndef CORD_MODEL_PBD_PBD_H
#define CORD_MODEL_PBD_PBD_H

#include "model/framed/framed.h"
#include "model/model.h"
#include "model/pbd/measure.h"

typedef struct CordPbd {
    CordPbdDef def;     // with defaults in place of zeros
    int substeps;       // as in the def, or 1 where the world takes them: see Stepper.substeps
    Framed* framed;     // its material frames
    bool inextensible;  // as in the def: see stiffen in pbd.c
    double least_force; // that stretches an inextensible rod by a billionth, if it weighs less [N]
    bool dynamic_twist; // as in the def, for implicit steps and pbd_carries_spin
    // By slot of the edge. The ghost points exist with the paper's solver only.
    double* spin_end;                       // spin at the end of the step under way [rad/s]
    double* tension_end;                    // tension at the end of the step, viscous part included [N]
    double *ghost[3], *ghost_v[3], *mid[3]; // ghost points [m], their and the midpoints' velocity [m/s]
    double *ghost_next[3], *ghost_v_next[3], *mid_next[3];
    // damped rods: beta and lengths at the start of the last substep (slot_count)
    double *past[3], *past_length;
    double *past_next[3], *past_length_next; // of the step under way
    double since;                            // damped rods: length of the last substep [s]; 0: there was none
    int wound;                               // node that the step under way twists too far; -1: none
    double* block;                           // all of these arrays
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

// Share of a node's mass that is its own; ghost points have the rest.
static inline double pbd_node_share(const Rod* rod)
{
    return pbd_has_ghosts(rod) ? 1.0 - pbd_of(rod)->def.ghost_mass : 1.0;
}

// Upper limit of a spring's stiffness relative to m / part^2, the inertia of an element over the squared
// substep. A spring of this stiffness is rigid for all purposes; a stiffer one would cost digits of the soft
// modes.
#define PBD_STIFFEST 1e10

// EA / L of an edge, limited for a substep of `part` seconds; part = 0: not limited [N/m]
double pbd_stretch(const Rod* rod, int edge, double part);
// factor by which the stiffness K of a corner is limited for a substep of `part` seconds
double pbd_bend_share(const Rod* rod, double K, double part);
// Do edges that turn carry the spin of their frames along (pbd_precess)? Where "dynamic_twist" is asked
// for.
bool pbd_carries_spin(const Rod* rod);
// moment of inertia of an edge about its tangent, as used in a step of h [kg m^2]
double pbd_spin_inertia(const Rod* rod, int slot, double h);

// query.c
void pbd_energy(const Rod* rod, CordEnergy* energy);
double pbd_dissipation(const Rod* rod); // [W]
void pbd_gradient(const Rod* rod, CordVec3* dE_dx);
void pbd_sections(const Rod* rod, CordVec3* force, double* tension);
void pbd_moments(const Rod* rod, CordVec3* moment);
double pbd_spin_moment(const Rod* rod, int edge); // moment on the frame about the tangent [N m]

bool pbd_is_direct(const CordPbdDef* def); // a direct solver, not Gauss-Seidel sweeps

#endif
