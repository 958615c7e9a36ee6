// Statics: equilibria, branches of them, their stability, and the vibrations about them. No time is stepped:
// the time of the world is the parameter that clamps and loads move with.
#ifndef CORDAGE_SOLVE_H
#define CORDAGE_SOLVE_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

// What friction does in an equilibrium with contact. Coulomb's law alone has no unique one: where things come
// to rest depends on the way.
typedef enum CordSolveFriction {
    // as in a run that is slow: friction resists each step of the solve; natural branches and single solves
    CORD_SOLVE_FRICTION_COULOMB,
    CORD_SOLVE_FRICTION_OFF, // there is none: contacts push along their normals alone
    // Contacts that touch at the start and do not slide there stay where they are on both surfaces, whatever
    // force that takes, until they open; all others, and those that come later, have no friction.
    CORD_SOLVE_FRICTION_FROZEN,
} CordSolveFriction;

typedef struct CordSolveDef {
    double tolerance;   // of the force that is left on a node, relative to the largest force in the rods
    int iterations;     // at the most
    bool accept_saddle; // stop where forces balance even if the equilibrium is unstable
    uint64_t seed;      // of the push that leaves a saddle: another seed may find another way down
    CordSolveFriction friction; // with contact; CORD_SOLVE_FRICTION_COULOMB by default
} CordSolveDef;

typedef struct CordSolveReport {
    bool converged;
    int iterations;
    double residual;          // largest force left on a node [N]
    double residual_relative; // to the largest force in the rods: what the tolerance is for
    // negative eigenvalues of the energy at the solution: 0 is stable; -1: not known, since none was found,
    // or since a contact slides with friction. Contacts that press are held: what counts is the energy of
    // motions along which they neither open nor close, and where they stick, do not slip. Under loads without
    // a potential (torques on rods, most wind) 0 says that no small motion grows without oscillating
    // (divergence), 1 that one does, and -1 that neither is certain; flutter, which oscillates, is not
    // judged.
    int unstable;
    int saddles_left; // how often an unstable equilibrium was left on the way
    double energy;    // elastic and potential [J]
} CordSolveReport;

CORD_API CordSolveDef cord_solve_def_default(void);

// The equilibrium near the present state: clamps where they are at the present time, loads as they are now,
// all velocities zero afterwards. CORD_NOT_CONVERGED: the world holds the best state found, the report its
// residual, the message advice.
CORD_API CordResult cord_world_solve(CordWorld* world, const CordSolveDef* def, CordSolveReport* report);
// clamps go there in the next step or solve
CORD_API CordResult cord_world_set_time(CordWorld* world, double time);
// Is anything that acts on rods prescribed to change after `from` and until `to` [s]: do clamps or obstacles
// move, do clamps let go, do loads come, go, grow or vary? If not, an equilibrium stays one all that time.
CORD_API bool cord_world_changes(const CordWorld* world, double from, double to);

// A branch of equilibria, followed as time runs: clamps and loads move as they would in a run, but every
// point is at rest.
typedef struct CordBranch CordBranch;

typedef enum CordBranchMethod {
    CORD_BRANCH_NATURAL, // time goes up; jumps to another branch where this one ends
    // Arc length: follows the branch around folds, where time runs back. With contact, contacts open and
    // close along it. Friction must be off or frozen, and rods must not be modal.
    CORD_BRANCH_ARC,
} CordBranchMethod;

typedef struct CordBranchDef {
    CordBranchMethod method;
    CordSolveDef solve; // for ARC, saddles are always accepted
    double from, to;    // time [s]: where to start, and the range to stay in
    double step;        // first step in time [s]; 0: a fiftieth of the range
    // steps in time stay between [s]; 0: chosen from step, and no longer than follows what drives the rods
    // (CordStepAdvice.drive)
    double least, most;
    int points; // at the most
} CordBranchDef;

typedef enum CordBranchEvent {
    CORD_BRANCH_POINT, // just a point
    CORD_BRANCH_FOLD,  // time turned back since the point before
    // stability changed without a fold: another branch crosses, or a contact has opened or closed
    CORD_BRANCH_BIFURCATION,
    CORD_BRANCH_JUMP, // natural: the branch ended, and the rods jumped to another equilibrium
    CORD_BRANCH_END,  // the range is done: no new point
} CordBranchEvent;

typedef struct CordBranchPoint {
    double time; // [s]
    double arc;  // along the branch from its start
    CordBranchEvent event;
    // of a fold, interpolated, or of a bifurcation, solved for [s]. A motion counts as unstable only well
    // below zero, so that a bifurcation may lie a little before the point before.
    double event_time;
    int crossed; // modes whose stability changed at a bifurcation: 2 where a round rod gives way in any plane
    CordSolveReport solve;
    // of the energy, in units of kinetic energy: omega^2 of the softest vibration [1/s^2], with contacts that
    // press held; NAN: not known, since loads or friction have no potential; 0: less than what round-off and
    // the residual make of it
    double least_eigenvalue;
} CordBranchPoint;

CORD_API CordBranchDef cord_branch_def_default(void);
// One at a time. Until it is destroyed, or the world is, nothing may be made, destroyed, stepped or solved:
// such calls return CORD_BAD_ARGUMENT. Clamps may be driven and forces set between its points.
CORD_API CordResult cord_branch_create(CordWorld* world, const CordBranchDef* def, CordBranch** branch);
// Does this world have a branch that the def can follow? Otherwise CORD_BAD_ARGUMENT or CORD_NOT_SUPPORTED,
// with a message, as cord_branch_create would return it.
CORD_API CordResult cord_branch_check(CordWorld* world, const CordBranchDef* def);
CORD_API void cord_branch_destroy(CordBranch* branch);
// The next point; the world is left there. The first one is the start.
CORD_API CordResult cord_branch_next(CordBranch* branch, CordBranchPoint* point);
// Where the last point is past a bifurcation, go on along the branch that crosses (ARC alone): the
// equilibrium that is `amplitude` [m] from the bifurcation along the mode that is free there, at whatever
// time. Its sign chooses the side of the mode's largest component. The world is left there; on failure, at
// the last point.
CORD_API CordResult cord_branch_switch(CordBranch* branch, double amplitude);

// The softest vibrations of the present equilibrium: squared angular frequencies, ascending [1/s^2], and
// shapes (nodes of all rods in order of creation, mass-normalised) if shape is not NULL. Negative: unstable.
// Costs count + a few band solves each. Contacts are held: this is the linearised problem in which surfaces
// that touch (within the tolerance of contact, pressing or not) neither open nor close, and where friction
// sticks, do not slip. Small vibrations are so as long as every contact is pressed together more than they
// pull at it. At rest nothing slides: a contact at the limit of its friction is held as well. Where anything
// moves, contacts that slide are held along their normals alone.
CORD_API CordResult cord_world_modes(CordWorld* world, int count, double* omega2, CordVec3* shape);
// The same with another friction, for an equilibrium that was solved for with it. OFF: all contacts are held
// along their normals alone. The others are alike.
CORD_API CordResult cord_world_modes_with(CordWorld* world, CordSolveFriction friction, int count,
                                          double* omega2, CordVec3* shape);

#ifdef __cplusplus
}
#endif

#endif
