// The response of explicit rods: displacements of all contacts at once, such that nothing overlaps at the end of the step (ACM section 6, in the form that keeps angular momentum, too).
//
// A contact pushes along its normal at the start of the step, with equal and opposite displacements weighed by inverse masses, and never pulls; friction is at most mu times as much, and sticks where
// less will do. Each is corrected in turn until all hold (Gauss-Seidel). What was needed is kept and is the next step's first guess, so that stacks and knots at rest take few sweeps.
#ifndef CORD_CONTACT_IMPULSE_H
#define CORD_CONTACT_IMPULSE_H

#include "contact/stick.h"

typedef struct Blow {   // a contact of an explicit step
    Stick stick;        // its touch as it was at the start of the step; its friction is not the spring's here
    double gap;         // now, at the predicted positions with all that has been done [m]
    double push;        // along the normal, over the inverse mass there: m d/h^2 would be the force [kg m]
    CordVec3 drag;      // of friction, likewise
    double give;        // inverse mass along the normal [1/kg]
    double give_across; // and across it, no less than in any direction
    double push_before, push_step;   // what push was after the last round, and by how much it grew in it
    CordVec3 drag_before, drag_step; // likewise
    CordVec3 way; // of surface a over surface b, as predicted, with all that has been done [m]
} Blow;

typedef struct BlowMemory {
    TouchKey key;
    double force; // normal, over the step [N]
    CordVec3 friction;
    CordVec3 drift;
    bool slides;
} BlowMemory;

typedef struct Blows {
    Touches touches; // that may come to push
    Blow* all;
    int count, capacity;
    BlowMemory* kept; // sorted by key
    int kept_count, kept_capacity;
    StageMove moved; // by contact: displacements of nodes, turns of segments about their axes
    size_t moved_size;
    double* w; // inverse masses of nodes (stage.node_count)
    double* w_spin; // inverse moments of inertia of segments about their axes; 0: they do not spin (stage.segment_count)
    double* way; // how far each segment was to go when the blows were found [m] (stage.segment_count)
    int w_capacity, w_spin_capacity, way_capacity;
    double thinnest; // radius of all segments [m]
    double wanted;   // gap that is to be there in the end, over the radius
    int rounds;      // of sweeps, in this try
    double share;    // of the last round, of what the one before did
    int sweeps;      // in the last step
    int64_t sweeps_in_all;
} Blows;

// At the start of a step, with the stage's `to` as predicted, w and w_spin filled in: all that may come to touch, with what was kept for a first guess, whose displacements are in `moved`. False: no memory.
bool blows_begin(Memory* m, Blows* b, Stage* st, const TouchLaw* law, const FrictionLaw* friction, double h);
void blows_measure(Blows* b, const Stage* st, const StageMove* since_begin); // gaps and slips where things are now
// Measures gaps where things are now (the stage's `to`), and slips by how they have moved since the start of the step; then sweeps over all until the worst has less than `enough` of its radius left to go, as far as the inverse masses tell, or `most` times. Returns
// the largest change of a displacement, over the radius.
double blows_sweep(Blows* b, const Stage* st, const StageMove* since_begin, double enough, int most);
// Has anything gone farther than it was to, so that it may touch what is not among the blows? `spare` is the law's gap that they were found with.
bool blows_have_strayed(const Blows* b, const Stage* st, double spare);
// After a round of sweeps. What lengths take away of each round makes it slow: once every round does the same share of the one before, all that would follow is done at once (Aitken).
void blows_foresee(Blows* b, const Stage* st);
double blows_deepest(const Blows* b, const Stage* st); // penetration at `to`, over the thinner radius
bool blows_reserve(Memory* m, Blows* b, int count);    // room to remember so many; false: no memory
bool blows_end(Memory* m, Blows* b, double h);         // the step stands; false: no memory
const BlowMemory* blows_remember(const Blows* b, const Touch* touch);
void blows_free(Memory* m, Blows* b);

#endif
