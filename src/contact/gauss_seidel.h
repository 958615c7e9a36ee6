// Gauss-Seidel sweeps over contact constraints, accelerated by conjugate gradients. Each correction solves
// for the normal and the friction impulse of its contact together: sticking inside the friction cone, or
// sliding on it against the direction of slip (nonsmooth contact dynamics: Moreau 1988, Jean 1999). First
// corrections are exact; later ones may leave a tenth of what they change.
#ifndef CORD_CONTACT_GAUSS_SEIDEL_H
#define CORD_CONTACT_GAUSS_SEIDEL_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/tasks.h"
#include "contact/delassus.h"

typedef struct SweepLimits {
    double tolerance; // of corrections, over what the normal impulses move
    double loose;     // likewise, once there were `few` sweeps,
    double far;       // if they are below this, over the radius
    double floor;     // corrections that are small enough in any case [m]
    int few, most;
    const Budget* budget;   // of these sweeps; NULL: no limit
    bool blind;             // some rods respond otherwise than W tells, so conjugate gradients would not help
    const Arena* scratch;   // of rod_newton.h; NULL: sweeps alone
    const CordTasks* tasks; // for the stretches of a large batch; NULL: they are swept in place
} SweepLimits;

typedef struct SweepResult {
    int count;
    double change; // largest displacement in the first sweep: the residual before [m]
    double last;   // the same in the last sweep [m]
    double enough; // the residual that the tolerance allows [m]
    bool cut;      // the budget ended them
} SweepResult;

// Sweeps over a batch, after delassus_begin.
SweepResult gauss_seidel_solve(const Delassus* y, ContactConstraints* b, DelassusBatch batch,
                               const SweepLimits* limits);
// The friction coefficient along d, a vector of this size.
double constraint_grip(const ContactConstraint* c, const ConstraintHistory* past, CordVec3 d, double size);
// After a round of sweeps. Projection of the rods' lengths undoes a part of every round, which makes rounds
// converge slowly and linearly; once the ratio of successive rounds is steady, their limit is extrapolated
// (Aitken's delta-squared process). True: it was.
bool aitken_extrapolate(ContactConstraints* b, const Colliders* cs);

#endif
