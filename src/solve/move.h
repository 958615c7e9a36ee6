// A change of a rod's state (positions, tensions and frame angles, by slot), or the generalised forces
// conjugate to it.
#ifndef CORD_SOLVE_MOVE_H
#define CORD_SOLVE_MOVE_H

#include "base/arena.h"
#include "rod/centerline.h"

typedef struct Move {
    double* x[3];  // [m], or [N]
    double* n;     // tension of the edge after the slot's node [N], or its length residual [m]
    double* angle; // frame angle of that edge [rad], or torque [N m]
} Move;

size_t slots_scratch(const CordCenterline* c, int count);    // bytes of `count` arrays
double* slots_push(const CordCenterline* c, Arena* scratch); // a zeroed array by slot
void slots_copy(const CordCenterline* c, double* const to[3], double* const from[3]);
void slots_shift(const CordCenterline* c, double* const to[3], double* const from[3], CordVec3 by);

size_t move_scratch(const CordCenterline* c);
Move move_open(const CordCenterline* c, Arena* scratch); // all zero
void move_clear(const CordCenterline* c, Move* m);
void move_copy(const CordCenterline* c, Move* to, const Move* from);
void move_add(const CordCenterline* c, Move* to, const Move* from, double share);
void move_wrap(const CordCenterline* c, Move* m);

#endif
