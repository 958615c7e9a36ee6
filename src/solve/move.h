// A change of a rod's state, or the forces that go with it: positions, tensions and frame angles, by slot.
#ifndef CORD_SOLVE_MOVE_H
#define CORD_SOLVE_MOVE_H

#include "base/arena.h"
#include "rod/centerline.h"

typedef struct Move {
    double* x[3];  // [m], or [N]
    double* n;     // of the edge after the slot's node [N], or [m]
    double* angle; // likewise [rad], or [N m]
} Move;

size_t slots_scratch(const CordCenterline* c, int count);    // bytes that `count` arrays take
double* slots_push(const CordCenterline* c, Arena* scratch); // an array of zeros

size_t move_scratch(const CordCenterline* c);
Move move_open(const CordCenterline* c, Arena* scratch); // all zero
void move_clear(const CordCenterline* c, Move* m);
void move_copy(const CordCenterline* c, Move* to, const Move* from);
void move_add(const CordCenterline* c, Move* to, const Move* from, double share);
void move_wrap(const CordCenterline* c, Move* m);

#endif
