// The response of explicit rods: displacements of all contacts at once, such that nothing overlaps at the end
// of the step (ACM section 6, in the form that keeps angular momentum, too).
//
// A contact pushes along its normal at the start of the step, with equal and opposite displacements weighed
// by inverse masses, and never pulls; friction is at most mu times as much, and sticks where less will do.
// Each is corrected in turn until all hold (Gauss-Seidel). What was needed is kept and is the next step's
// first guess, so that stacks and knots at rest take few sweeps.
#ifndef CORD_CONTACT_GAUSS_SEIDEL_H
#define CORD_CONTACT_GAUSS_SEIDEL_H

#include "contact/constraint.h"

typedef struct ConstraintHistory {      // what sweeps do not look at
    int contact;                        // of the touches
    double across[2];                   // friction across a and b, over that along
    CordVec3 deflection;                // at the start of the step [m]
    double gap;                         // where things were measured [m]
    double normal_impulse, normal_step; // what it was after the last round, and by how much it grew in it
    CordVec3 friction_impulse, friction_step;
    bool at_rest;  // its rods are not busy
    double change; // of its displacement in the last round, over the radius
} ConstraintHistory;

typedef struct ConstraintRod { // what a rod's contacts are about
    bool active;               // they do not all hold yet
    double same, size;         // of the last round with the one before, and of that
    double share;              // what the last round did, of what the one before did
    bool extrapolates;         // to all that would follow
    bool has_compliance;       // how it gives way: see yield.h
} ConstraintRod;

typedef struct ImpulseWarmStart {
    ContactKey key;
    double force; // normal, over the step [N]
    CordVec3 friction;
    CordVec3 deflection;
    bool slides;
} ImpulseWarmStart;

typedef struct ContactConstraints {
    ContactPoints contacts; // that may come to push
    ContactConstraint* all;
    ConstraintHistory* past; // (count)
    int count, capacity, past_capacity;
    ImpulseWarmStart* warm; // sorted by key
    int warm_count, warm_capacity;
    DofVector moved; // by contact: displacements of nodes, turns of segments about their axes
    size_t moved_size;
    double* w; // inverse masses of nodes (colliders.node_count)
    // inverse moments of inertia of segments about their axes; 0: they do not spin (colliders.segment_count)
    double* w_spin;
    double* travel; // how far each segment was to go when the blows were found [m] (colliders.segment_count)
    int w_capacity, w_spin_capacity, travel_capacity;
    bool per_rod;        // rods whose contacts all hold are left alone while others do not yet
    ConstraintRod* rods; // (colliders.rod_count)
    int rod_capacity;
    double target_gap; // gap that is to be there in the end, over the radius
    int rounds;        // of sweeps, in this try
    double share;      // of the last round, of what the one before did
    int sweeps;        // in the last step
    int64_t sweeps_total;
} ContactConstraints;

// At the start of a step, with the colliders' `to` as predicted, w and w_spin filled in: all that may come to
// touch, with what was kept for a first guess, whose displacements are in `moved`. False: no memory.
bool contact_constraints_begin(Memory* m, ContactConstraints* b, Colliders* cs, const ContactLaw* law,
                               const FrictionLaw* friction, double h);
// Measures gaps where things are now (the colliders' `to`), and slips by how they have moved since the start
// of the step. Returns the deepest penetration, over the thinner radius.
double contact_constraints_measure(ContactConstraints* b, const Colliders* cs, const DofVector* since_begin);
// Which rods have contacts that do not hold to within `enough` of a radius, or that the last round has moved
// by more.
void contact_constraints_find_active(ContactConstraints* b, const Colliders* cs, double enough);
// Sweeps over all until the worst has less than `enough` of its radius left to go, as far as the inverse
// masses tell, or `most` times. Returns the largest change of a displacement in the first sweep, over the
// radius.
double gauss_seidel_sweep(ContactConstraints* b, double enough, int most);
// After a round of sweeps. What lengths take away of each round makes it slow: once every round does the same
// share of the one before, all that would follow is done at once (Aitken). True: it was.
bool aitken_extrapolate(ContactConstraints* b, const Colliders* cs);
void contact_constraints_apply(ContactConstraints* b, int constraint,
                               CordVec3 force); // adds what it displaces
CordVec3 contact_constraints_slip(const ContactConstraints* b,
                                  int constraint); // as measured, with what contact has moved since [m]
bool contact_constraints_reserve(Memory* m, ContactConstraints* b,
                                 int count); // room to remember so many; false: no memory
bool contact_constraints_end(Memory* m, ContactConstraints* b, double h); // the step stands; false: no memory
const ImpulseWarmStart* contact_constraints_warm_start(const ContactConstraints* b,
                                                       const ContactPoint* contact);
void contact_constraints_free(Memory* m, ContactConstraints* b);

#endif
