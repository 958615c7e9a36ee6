// Equilibria of a rod, or of an assembly of rods and bodies: minimisation of the energy by Newton's method
// with a line search (Nocedal and Wright, Numerical Optimization, 2nd edition, chapter 3).
//
// The energy is minimised over positions, frames and poses. Each step solves with the exact Hessian, shifted
// by a multiple of the mass matrix where it is not positive definite. The step is taken along rods of the
// right length: edges turn as the Newton step turns them and have the length that their tensions give, so
// that a stiff rod can turn far in one step. At a saddle point, where forces balance but the Hessian has a
// negative eigenvalue, the step follows the softest mode.
#ifndef CORD_SOLVE_STATICS_H
#define CORD_SOLVE_STATICS_H

#include "solve/newton.h"

#include <cordage/solve.h>

typedef struct StaticsRod { // arrays by slot
    double* before[3];      // trial positions at the last snapshot
    double* n_before;
    double* turned_before;
    double* length;       // target length of the edges [m]
    double* angle_before; // angles of the Newton step, while length corrections are added to them
    Move solution;        // Newton step, saved while length corrections are solved for in its place
    Move mode;            // softest mode
    bool slides;          // whether any clamp slides
    int free_anchor;      // node that serves as the anchor where nothing is held or carried; -1: something is
} StaticsRod;

typedef struct StaticsBody {
    Pose before;
    double solution[6];
    double mode[6];
    bool placed; // its pose for the trial is known
} StaticsBody;

typedef struct Statics {
    NewtonSystem sys;
    StaticsRod* rods;
    StaticsBody* bodies;
    const Slots* loads;     // loads of the world, for those on bodies; NULL: none
    bool inextensible;      // some rod is: its tensions are multipliers
    double soft;            // squared frequency below which a motion counts as free [1/s^2]
    double noise;           // round-off of squared frequencies [1/s^2]
    double least_force;     // residual force that counts as zero [N]
    double round_off;       // round-off of forces that cancel [N]
    int below;              // consecutive iterations with a residual below round_off
    double saddle_residual; // residual at the last saddle that was not left [N]
    double turning;         // of the last Newton step, if it had the least shift [rad]; else INFINITY
    int on_ridge;           // consecutive steps whose Hessian needed a shift
    int tensions;           // number of tension unknowns: as many pivots are negative in a stable state
} Statics;

typedef struct StaticsEnergy {
    double sum;
    double noise; // round-off of the sum
} StaticsEnergy;

size_t statics_scratch(const NewtonGroup* group);
void statics_open(Statics* st, const NewtonGroup* group, CordVec3 gravity, double time, Arena* scratch);
void statics_sync(Statics* st); // sets the trial to the present state of rods and bodies
// Offers other tensions of inextensible rods, by edge of all rods in order [N]. They are taken if forces
// balance better with them than with those that are known.
void statics_offer_tensions(Statics* st, const double* tension);

// Solves from the present state. Rods and bodies are left in the best state found.
CordResult statics_solve(Statics* st, const CordSolveDef* def, CordSolveReport* report, Message* message);

// Reports the equilibrium that the trial is taken for: what force is left, stability and energy.
void statics_report(Statics* st, const CordSolveDef* def, CordSolveReport* report);

// Number of unstable directions of an equilibrium at the trial: negative eigenvalues of the reduced Hessian.
// Loads without a potential make it unsymmetric; then it may not be known (-1).
int statics_count_unstable(Statics* st);

// Factor on the mode that vibration.c has found last, for its largest displacement to be `amplitude` [m]; a
// positive one is along the mode's largest component.
double statics_mode_share(const Statics* st, double amplitude);

// Moves clamps to their targets at `time` by Newton steps, in parts if they move far. CORD_NOT_CONVERGED: the
// motion was too long for that.
CordResult statics_follow(Statics* st, double time, Message* message);

// ---- shared by the files of the static solver only

// Weight and loads on bodies at sys.time, and their rates if sys.rate_step is set.
void statics_push_bodies(Statics* st);
void statics_keep(Statics* st);            // snapshot of the trial: steps start from here
void statics_rollback(Statics* st);        // restores the trial from the snapshot
void statics_accept(Statics* st);          // commits the trial: rods and bodies move there
bool statics_factor_definite(Statics* st); // raises sys.mass until the Hessian is definite
// Factors the Jacobian as it is. Loads without a potential make it unsymmetric; then it is assembled anew in
// full.
NewtonPivots statics_factor_in_full(Statics* st);
// Assembles and factors the definite matrix K + shift M for vibrations, with masses as they are.
bool statics_factor_vibrations(Statics* st);
// Prescribes how far clamps must move to reach their targets. Returns false if none moves.
bool statics_shift_clamps(Statics* st, double time);
void statics_clear_shift(Statics* st);

// residual.c
#define STATICS_ROUND_OFF 4e-16                    // of positions, relative to the length of the rod
StaticsEnergy statics_energy(const Statics* st);   // heights are from sys.origin
double statics_energy_in_scene(const Statics* st); // heights are from the origin of the scene [J]
double statics_largest_force(const Statics* st);   // residual; moments are divided by the length of an edge
// Scale of the residual: the largest force in a section from bending, twist or, if asked for, tension, or the
// weight.
double statics_section_force(const Statics* st, bool with_tension);
// Smallest residual that forces which cancel can reach.
double statics_round_off(const NewtonRod* rod);

// line_search.c
#define STATICS_LENGTH_TOLERANCE 1e-13            // of trials, relative to the edge's length
void statics_set_lengths(Statics* st);            // target lengths from the tensions
double statics_length_error(const Statics* st);   // largest relative length error
void statics_save_solution(Statics* st);          // saves the Newton step for the next function
bool statics_try_step(Statics* st, double share); // trial at a fraction of the step, with lengths kept
// Changes the tensions of inextensible rods by another fraction of the saved step's.
void statics_add_tensions(Statics* st, double share);

// vibration.c
#define STATICS_MOST_MODES 40000            // limit of one call: the projected matrix is indexed by int
int statics_freedom(const Rod* rod);        // number of degrees of freedom
int statics_body_freedom(const Body* body); // those about axes without inertia do not count
size_t statics_modes_scratch(const NewtonSystem* sys, int count);
// Requires a factored definite matrix. Finds the `count` softest modes: omega^2, and their
// shapes (3 entries a node, one an edge, then 6 a body, for each mode), normalised to unit mass.
bool statics_modes(Statics* st, int count, double* omega2, double* shape, Arena* scratch);
double statics_softest(Statics* st, uint64_t seed); // softest mode, to move and mode; returns omega^2
// The same to all digits. Requires a factored definite matrix.
double statics_softest_vibration(Statics* st, Arena* scratch);
size_t statics_softest_scratch(const NewtonSystem* sys);
// Error of that omega^2 where a residual force of so much [N], or of round-off, is left on every node.
double statics_softest_error(const Statics* st, double omega2, double residual);

#endif
