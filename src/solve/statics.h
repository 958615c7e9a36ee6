// Equilibria of a rod: Newton's method that goes downhill.
//
// The energy is minimised over positions and frames. Each step solves with the exact second derivatives, made definite by a share of the mass where they are not, and goes
// along the rods of that length: edges are brought back to the length that the step's tensions ask for, so that a stiff rod can turn
// far in one step. Where forces balance but the energy has a way down still (a saddle), the step goes that way.
#ifndef CORD_SOLVE_STATICS_H
#define CORD_SOLVE_STATICS_H

#include "solve/system.h"

#include <cordage/solve.h>

typedef struct Statics { // of one rod
    System sys;
    double* before[3];     // y before a step (slot_count)
    double* n_before;      // likewise
    double* turned_before; // likewise
    double* length;        // that edges are to have [m] (slot_count)
    double* mode[3];       // the softest motion (slot_count)
    double* solution;      // of Newton's system, kept (unknowns of the strand)
    double* force;         // that was to be balanced, by unknown (likewise)
    double solution_left[STRAND_PORT_MOST];
    double soft;        // a squared frequency below which the rod is taken for free to move [1/s^2]
    double least_force; // [N]
    int nodes;          // of the rod
    bool found;         // a shift that makes the matrix definite
    bool slides;        // does any clamp?
    int stand_in;       // the node that is taken for an anchor where nothing is held; -1: something is
    int tensions;       // how many are unknowns: as many pivots are negative in a stable state
} Statics;

typedef struct StaticsEnergy {
    double sum;
    double noise; // what round-off makes of it
} StaticsEnergy;

size_t statics_scratch(const Rod* rod);
void statics_open(Statics* st, Rod* rod, CordVec3 gravity, double time, Arena* scratch);

// From the rod's present state. The rod is left in the best state found.
CordResult statics_solve(Statics* st, const CordSolveDef* def, CordSolveReport* report, Message* message);

// Moves the rod by `amplitude` [m] along its softest motion, which modes.c has left in mode and strand.
CordResult statics_push(Statics* st, double amplitude, Message* message);

// Moves clamps to where they are at `time` in one step of Newton's method. CORD_NOT_CONVERGED: the step was too long, nothing has changed.
CordResult statics_follow(Statics* st, double time, Message* message);

// ---- parts that the files of the static solver share

void statics_keep(Statics* st);    // the trial is where the rod is; steps are taken from here
void statics_go_back(Statics* st); // to there
void statics_accept(Statics* st);  // the rod goes where the trial is
StaticsEnergy statics_energy(const System* sys);
int statics_count_unstable(Statics* st);   // factors; negative eigenvalues
bool statics_factor_definite(Statics* st); // raises sys.mass until there are none
bool statics_shift_clamps(Statics* st, double time); // how far held places have to go to be where they belong; false: nowhere
void statics_forget_shift(Statics* st);

// lay.c
void statics_set_lengths(Statics* st);             // that the tensions ask for
double statics_largest_miss(const Statics* st);    // of lengths, relative
void statics_keep_solution(Statics* st);           // of the strand, for the next
bool statics_try_share(Statics* st, double share); // along it, with lengths kept

// modes.c
int statics_modes_block(const Rod* rod, int count);
size_t statics_modes_scratch(const Rod* rod, int count);
// The softest `count` motions with such a matrix: omega^2 ascending, shapes (3 node_count each) of unit mass.
bool statics_modes(Statics* st, int count, double* omega2, double* shape, Arena* scratch);
double statics_softest(Statics* st, uint64_t seed); // with a definite matrix factored: the softest motion as solution and in mode; its omega^2

#endif
