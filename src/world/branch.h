// A branch of equilibria that is being followed: what its points (branch.c) and the switch to a branch that
// crosses it (branch_switch.c) share.
#ifndef CORD_WORLD_BRANCH_H
#define CORD_WORLD_BRANCH_H

#define BRANCH_MOST_ITERATIONS 12 // of Newton's method along the arc
#define BRANCH_MOST_CHANGE                                                                                   \
    2.0 // of positions over edge length in one iteration: with more, the step was too long
#define BRANCH_RATE_STEP 1e-6 // finite-difference step for rates in time, over the range

#include "solve/arc_length.h"
#include "world/contact_group.h"

typedef struct BranchStability { // of one island
    int unstable;                // modes, as CordSolveReport counts them
    double
        least; // omega^2 of its softest vibration [1/s^2]; 0: nothing holds it; NAN: loads have no potential
    double error; // of that
} BranchStability;

struct CordBranch {
    CordWorld* world;
    CordBranchDef def;
    double step;         // next step, in time or along the arc [s]
    double arc;          // arc length so far
    double direction;    // change of time in the last step, over its arc length
    bool follows_drives; // steps are no longer than those that follow what drives the rods
    // in natural steps: displacement of the last step over time, and of the one before [1/s]
    double speed, speed_before;
    int points;
    bool started;
    CordBranchPoint last;
    int unstable_before; // unstable modes of the point before the last
    ArcLength* arcs;     // one for each island; with contact, one for all (arc_count)
    int arc_count;
    Island* islands;               // those of `contact`, or its own (island_count)
    BranchStability* stability[2]; // at the point before the last, and at the last (arc_count)
    int island_count, opened;
    ContactGroup* contact; // NULL: contact is off
    Arena arena;
    void* snapshot; // state before a step (snapshot_size)
    size_t snapshot_size;
};

// advice.c: the longest step that follows what drives the rods at the present time, as CordStepAdvice.drive.
double world_drive_step(const CordWorld* w);
// Solves all rods for equilibrium at `time`, each from its present state.
CordResult branch_solve_at(CordBranch* b, double time, CordSolveReport* report);
// Judges the stability of every island at the last point, where a force of `residual` is left. Returns the
// lowest eigenvalue over all, and its error; NAN where loads or friction have no potential.
double branch_judge(CordBranch* b, double residual, double* error);
// The island whose number of unstable modes has changed since the point before the last; -1: none.
int branch_critical(const CordBranch* b);
// The state that branch_rollback goes back to; false: there was no memory.
bool branch_snapshot(CordBranch* b);
void branch_rollback(CordBranch* b);
double branch_low(const CordBranch* b); // the range of time [s]
double branch_high(const CordBranch* b);
bool branch_has_converged(const CordBranch* b, double change,
                          double before); // Newton's method, by its changes
// branch_contact.c. Opens all rods and bodies as one system.
CordResult branch_open_contact(CordBranch* b);
void branch_close_contact(CordBranch* b);
// The equilibrium in contact at `time`, from the present state.
CordResult branch_solve_contact(CordBranch* b, double time, CordSolveReport* report);
// With the Newton step and the rate solved for: does the move by both, to `time`, agree with the contacts
// that are held? If not, these are revised, and the step has to be solved for again.
bool branch_contact_agrees(CordBranch* b, double time, double along);
void branch_contact_predict(CordBranch* b); // before a step along the tangent
// Is the trial, a step of `ds` along the arc, as near the last point as predicted? If not, contacts have led
// Newton's method to another branch.
bool branch_stays_near(const CordBranch* b, double ds);
void branch_contact_judge(CordBranch* b, bool judges); // see ContactStatics.judges
// After Newton's method has converged: do contact forces agree with gaps, and was nothing passed through?
bool branch_contact_holds(CordBranch* b);
// Newton's method on all rods and time together, in the plane normal to the tangent at distance ds.
bool branch_newton(CordBranch* b, double ds, double time_rate, double* time, int* iterations);
void branch_accept(CordBranch* b, double time); // accepts the trial state of all islands
// Goes `ds` along the arc from the present point, to about `time`, and solves for the equilibrium there.
CordResult branch_solve_along(CordBranch* b, double ds, double time, CordSolveReport* report);

#endif
