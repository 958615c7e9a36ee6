// Discrete Elastic Rods (DER, Bergou et al. 2008). docs/models/der.md has the equations. Rods that are
// naturally straight, round, uniform and explicit use the fast loops of uniform_kernel.c and store angles of
// material frames only where a clamp, a torque or a seam acts (uniform_twist.c). All other rods are framed.
#ifndef CORD_MODEL_DER_UNIFORM_H
#define CORD_MODEL_DER_UNIFORM_H

#include "model/der/uniform_kernel.h"
#include "model/framed/framed.h"
#include "model/model.h"

// A knot is an edge whose frame angle is stored: a clamp holds it or applies a torque to it, or it closes a
// ring. Until the first step, the ends of an open rod that was created with twist are knots as well.
// Between two knots the twist m_i / l_i is uniform (DER eq. 5); outside the knots it vanishes.
typedef struct DerKnot {
    int edge;      // edge_count or more: the knot has gone once around a closed rod
    double theta;  // angle of the material frame from the Bishop frame [rad]; only differences matter
    double length; // sum of l_i over the inner nodes from here to the next knot, twice the arc length [m]
    double moment; // twisting moment between here and the next knot [N m]
    // the clamp that holds or turns the edge; NULL: the seam of a ring, or an end that keeps its initial
    // twist
    const Clamp* clamp;
} DerKnot;

typedef struct CordDer { // rods that are straight, round, uniform and explicit
    const DerKernels* kernels;
    double EI, GJ;  // [N m^2]
    double* bend;   // 8 EI / l at inner nodes [N m] (slot_count)
    double* moment; // twisting moment at inner nodes [N m] (slot_count)
    double* EA;     // of edges; 0 past the last [N] (slot_count)
    double* block;  // the three above
    size_t block_size;
    bool twisted;         // some moment is not zero
    DerKnot* knots;       // in order along the rod (knot_count)
    DerKnot* spare_knots; // the knots that replace them are built here (knot_capacity)
    DerKnot* knot_block;  // the two above
    int knot_count, knot_capacity;
    double first_twist; // twist at creation, of an open rod [rad]
    int anchor_edge;    // the edge from which material frames are transported
    CordVec3 anchor_m1; // material axis of that edge
    CordVec3 anchor_t;  // tangent of that edge
    Framed* framed;     // made by der_reserve_framed, until become_framed takes it; NULL: there is none
    double seam; // closed rods: angle at which the ends are joined, chosen for the twist of the def [rad]
} CordDer;

static inline CordDer* der_of(const Rod* rod)
{
    return (CordDer*)rod->data;
}

// bend.c: E = sum EI |kb_i|^2 / l_i (DER section 4.2.1, isotropic and naturally straight)
double der_bend_energy(const CordDer* m, const CordCenterline* c);
void der_bend_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx); // adds
void der_bend_sections(const CordDer* m, const CordCenterline* c, CordVec3* force); // adds; by edge
void der_bend_moments(const CordDer* m, const CordCenterline* c, CordVec3* moment); // adds

// stretch.c: E = sum EA/2 (|e|/rest - 1)^2 rest
double der_stretch_energy(const CordDer* m, const CordCenterline* c);
void der_stretch_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx); // adds
double der_stretch_tension(const CordDer* m, const CordCenterline* c, int edge);

// uniform_twist.c: E = sum GJ m_i^2 / l_i (DER section 4.2.2) with m_i / l_i constant between knots (eq. 5)
CordResult der_twist_create(Memory* m, Rod* rod, double twist, CordVec3 m1); // m1 of edge 0; 0: any
bool der_twist_remesh(Memory* m, Rod* rod, const Remesh* map);               // false: no memory
CordResult der_twist_update_held(Memory* m, Rod* rod, double time, bool release, Message* message);
void der_twist_settle(Rod* rod, double time);
void der_twist_frames(const Rod* rod, CordVec3* m1);
double der_twist_energy(const CordDer* m);
// adds dE/dx at fixed angles of the held frames
void der_twist_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx);
void der_twist_sections(const CordDer* m, const CordCenterline* c, CordVec3* force); // adds; by edge
void der_twist_moments(const CordDer* m, const CordCenterline* c, CordVec3* moment); // adds
double der_twist_turn_after(const Rod* rod, int edge); // twist from an edge to the next [rad]
// sets the twist at the node before each edge (by edge) and keeps the anchor's frame
void der_twist_set_turns(Rod* rod, const double* turn);
double der_twist_total(const CordDer* m); // from the first knot to the last [rad]
void der_twist_state(Rod* rod, Bytes* b);

// uniform_frames.c: converts to the framed form with the same material frames. NULL: no memory.
Framed* der_make_frames(Memory* m, Rod* rod);
CordResult der_open_frames(Memory* m, Rod* rod, Message* message);
void der_close_frames(Memory* m, Rod* rod, double time);
CordResult der_reserve_framed(Memory* m, Rod* rod, Message* message); // see model.h

#endif
