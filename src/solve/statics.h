// Equilibria of a rod, or of rods and bodies that are welded together: Newton's method that goes downhill.
//
// The energy is minimised over positions, frames and poses. Each step solves with the exact second
// derivatives, made definite by a share of the mass where they are not, and goes along rods of the right
// length: edges turn as the solution turns them and are as long as its tensions ask, so that a stiff rod can
// turn far in one step. Where forces balance but the energy has a way down still (a saddle), the step goes
// that way.
#ifndef CORD_SOLVE_STATICS_H
#define CORD_SOLVE_STATICS_H

#include "solve/newton.h"

#include <cordage/solve.h>

typedef struct StaticsRod { // arrays by slot
    double* before[3];      // y before a step
    double* n_before;
    double* turned_before;
    double* length;       // that edges are to have [m]
    double* angle_before; // angles of the solution, while corrections are added to them
    Move solution;        // of Newton's system, kept while lengths are corrected in its place
    Move mode;            // the softest motion
    bool slides;          // does any clamp?
    int stand_in; // the node that is taken for an anchor where nothing is held or carried; -1: something is
} StaticsRod;

typedef struct StaticsBody {
    Pose before;
    double solution[6];
    double mode[6];
    bool placed; // while rods and bodies are laid out
} StaticsBody;

typedef struct Statics {
    NewtonSystem sys;
    StaticsRod* rods;
    StaticsBody* bodies;
    const Slots* loads; // of the world: those on bodies; NULL: none
    double first_mass;  // to start with: careful steps, where the other side of a saddle is near; 0: none
    double soft;        // a squared frequency below which things are taken for free to move [1/s^2]
    double least_force; // [N]
    double round_off;   // of forces that cancel [N]
    int below;          // iterations in a row with no more than that left
    int on_ridge;       // steps in a row that a way down to the side has kept short
    int tensions;       // how many are unknowns: as many pivots are negative in a stable state
} Statics;

typedef struct StaticsEnergy {
    double sum;
    double noise; // what round-off makes of it
} StaticsEnergy;

size_t statics_scratch(Rod* rod, const Joins* joins);
void statics_open(Statics* st, Rod* rod, const Joins* joins, CordVec3 gravity, double time, Arena* scratch);
void statics_sync(Statics* st); // to where rods and bodies are now

// From the present state. Rods and bodies are left in the best state found.
CordResult statics_solve(Statics* st, const CordSolveDef* def, CordSolveReport* report, Message* message);

// Moves by `amplitude` [m] along the softest motion, which modes.c has found.
double statics_mode_side(const Statics* st); // sign of that motion's largest component
CordResult statics_push(Statics* st, double amplitude, Message* message);

// Moves clamps to where they are at `time` in one step of Newton's method. CORD_NOT_CONVERGED: the step was
// too long, nothing has changed.
CordResult statics_follow(Statics* st, double time, Message* message);

// ---- parts that the files of the static solver share

// weight and loads on bodies as they are at sys.time; and their rates, if sys.rate_step asks for them
void statics_push_bodies(Statics* st);
void statics_keep(Statics* st);            // the trial is where the rods are; steps are taken from here
void statics_go_back(Statics* st);         // to there
void statics_accept(Statics* st);          // rods and bodies go where the trial is
bool statics_factor_definite(Statics* st); // raises sys.mass until the matrix is definite
// The matrix of loads without a potential is not symmetric. This assembles it anew in full, and factors it.
NewtonPivots statics_factor_in_full(Statics* st);
// the same from the softest on, assembled anew, with masses as they are
bool statics_factor_vibrations(Statics* st);
// how far held places have to go to be where they belong; false: nowhere
bool statics_shift_clamps(Statics* st, double time);
void statics_forget_shift(Statics* st);

// lay.c
void statics_set_lengths(Statics* st);             // that the tensions ask for
double statics_largest_miss(const Statics* st);    // of lengths, relative
void statics_keep_solution(Statics* st);           // for the next
bool statics_try_share(Statics* st, double share); // along it, with lengths kept

// modes.c
#define STATICS_MOST_MODES 40000     // asked for at once; their small matrix is indexed by int
int statics_freedom(const Rod* rod); // how many motions it has
size_t statics_modes_scratch(const NewtonSystem* sys, int count);
// With a definite matrix factored: the softest `count` motions, omega^2 ascending, and their shapes (3
// entries a node, then 6 a body, each) of unit mass.
bool statics_modes(Statics* st, int count, double* omega2, double* shape, Arena* scratch);
double statics_softest(Statics* st, uint64_t seed); // the softest as solution and in mode; its omega^2

#endif
