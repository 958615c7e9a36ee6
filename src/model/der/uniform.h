// Discrete Elastic Rods (Bergou et al. 2008). docs/models/der.md has the equations. Rods that are naturally
// straight, round, uniform and explicit go by the fast loops of kernel.c and need no frames but where
// something holds them (twist.c); all others are general.
#ifndef CORD_MODEL_DER_UNIFORM_H
#define CORD_MODEL_DER_UNIFORM_H

#include "model/der/uniform_kernel.h"
#include "model/framed/framed.h"
#include "model/model.h"

// An edge at which the twist has a known angle: its frame is held, a torque acts on it, or it closes a ring.
// Between two knots the twist is uniform (DER eq. 5), outside them there is none.
typedef struct DerKnot {
    int edge;      // past the last edge: once around a closed rod
    double theta;  // angle of the material frame from the Bishop frame that starts at the first knot [rad]
    double length; // sum of l_i over the inner nodes from here to the next knot [m]
    double moment; // passed on between here and the next knot [N m]
    const Clamp* clamp; // what holds it, or turns it; NULL: a ring's own seam
} DerKnot;

typedef struct CordDer { // of rods that are not framed: straight, round, uniform and explicit
    const DerKernels* kernels;
    double EI, GJ;  // [N m^2]
    double* bend;   // 8 EI / l at inner nodes [N m] (slot_count)
    double* moment; // at inner nodes [N m] (slot_count)
    double* block;  // the two above
    size_t block_size;
    bool twisted;         // is any moment not zero?
    DerKnot* knots;       // in order along the rod (knot_count)
    DerKnot* spare_knots; // where the next ones are put together (knot_capacity)
    DerKnot* knot_block;  // the two above
    int knot_count, knot_capacity;
    double first_twist; // that an open rod was made with [rad]
    int anchor_edge;    // where material frames start from
    CordVec3 anchor_m1; // there
    CordVec3 anchor_t;
    double seam; // closed rods: angle by which the ends were glued, so that the twist came out as asked [rad]
} CordDer;

static inline CordDer* der_of(const Rod* rod)
{
    return (CordDer*)rod->data;
}

// bend.c: E = sum EI |kb_i|^2 / l_i
double der_bend_energy(const CordDer* m, const CordCenterline* c);
void der_bend_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx); // adds
void der_bend_sections(const CordDer* m, const CordCenterline* c, CordVec3* force); // adds; by edge
void der_bend_moments(const CordDer* m, const CordCenterline* c, CordVec3* moment); // adds

// stretch.c: E = sum EA/2 (|e|/rest - 1)^2 rest
double der_stretch_energy(double EA, const CordCenterline* c);
void der_stretch_gradient(double EA, const CordCenterline* c, CordVec3* dE_dx); // adds
double der_stretch_tension(double EA, const CordCenterline* c, int edge);

// twist.c: E = sum GJ m_i^2 / l_i with m_i / l_i constant between knots
CordResult der_twist_create(Memory* m, Rod* rod, double twist, CordVec3 m1); // m1: wish, on the first edge
bool der_twist_remesh(Memory* m, Rod* rod, const Remesh* map);               // false: no memory
CordResult der_twist_update_held(Memory* m, Rod* rod, double time, bool release, Message* message);
void der_twist_settle(Rod* rod, double time);
void der_twist_frames(const Rod* rod, CordVec3* m1);
double der_twist_energy(const CordDer* m);
// adds; held frames do not turn
void der_twist_gradient(const CordDer* m, const CordCenterline* c, CordVec3* dE_dx);
void der_twist_sections(const CordDer* m, const CordCenterline* c, CordVec3* force); // adds; by edge
void der_twist_moments(const CordDer* m, const CordCenterline* c, CordVec3* moment); // adds
double der_twist_turn_after(const Rod* rod, int edge); // twist from an edge to the next [rad]
// twist before each edge, by edge; frames start from the anchor's as it is
void der_twist_set_turns(Rod* rod, const double* turn);
double der_twist_total(const CordDer* m); // from the first knot to the last [rad]
void der_twist_state(Rod* rod, Bytes* b);

// uniform_frames.c: frames on every edge, as they are. NULL: no memory.
Framed* der_make_frames(Memory* m, Rod* rod);
CordResult der_open_frames(Memory* m, Rod* rod, Message* message);
void der_close_frames(Memory* m, Rod* rod, double time);

#endif
