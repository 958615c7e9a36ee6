// Rolling and spinning resistance of contact constraints: the couple of a contact beyond that of its friction
// force. With w the turn of surface a relative to surface b in the step, about the axes of the contact (see
// TurningAxes in surface_law.h),
//
//   |C_t| <= b_r P_n;   rolling:  C_t = -b_r P_n w_t / |w_t|      about tangents, with the length b_r
//   |C_n| <= b_s P_n;   spinning: C_n = -b_s P_n w_n / |w_n|      about the normal, with the length b_s
//
// Within the limits nothing turns. The normal impulse P_n is what sweeps have found so far: they correct the
// couple of a contact, and then its force.
#ifndef CORD_CONTACT_ROLLING_H
#define CORD_CONTACT_ROLLING_H

#include "contact/delassus.h"

// Corrects the couple of constraint i, counting on the force that follows it where the contact sticks.
// Returns the displacement of the surfaces by it, at the radius [m].
double rolling_correct(const Delassus* y, ContactConstraints* b, int i);

// The couple C of least turn with |C| <= limit about two axes, where C turns by W C and `goal` is the turn to
// be made good: C = goal / W within the limit, or (W + lambda) C = goal with |C| = limit. Exposed for its
// test.
void rolling_within(const double W[2], const double goal[2], double limit, double C[2]);

// For all couples of a batch: starts a round; stores the impulses before a sweep; adds the squared norm of
// the sweep; makes a step of conjugate gradients: see accelerate in gauss_seidel.c.
void rolling_begin(ContactConstraints* b, int i, bool forget);
void rolling_begin_sweep(ContactConstraints* b, int i);
double rolling_sweep_norm2(const ContactConstraints* b, int i);
void rolling_accelerate(ContactConstraints* b, int i, double share);
// Adds a share of what the couple has changed in the round to what contact has moved.
void rolling_apply(ContactConstraints* b, int i, double share);
void rolling_retreat(ContactConstraints* b, int i); // takes half of it back

#endif
