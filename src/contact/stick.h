// What touches do to rods and solids, and friction: Coulomb's, with true sticking.
//
// A touch that lasts carries a drift: by how much its two surfaces have moved over each other since they
// began to stick. Friction pulls it back like a spring that yields: it grows with the drift to mu times the
// push at the slip length, a hundredth of a radius, and no further; what goes beyond is lost. At rest the
// spring holds, so nothing creeps. Within a step the push is that of its start.
#ifndef CORD_CONTACT_STICK_H
#define CORD_CONTACT_STICK_H

#include "contact/touch.h"

#include <cordage/contact.h>

// A change of all that is on stage, or the forces that go with it.
typedef struct StageMove {
    CordVec3* x;   // (node_count)
    double* spin;  // of segments about their own axes (segment_count)
    double* solid; // shift and turn, force and torque, of each solid (6 solid_count)
} StageMove;

bool stage_move_reserve(Memory* m, StageMove* move, const Stage* st, size_t* size); // false: no memory
void stage_move_free(Memory* m, StageMove* move, size_t* size);
void stage_move_clear(StageMove* move, const Stage* st);

// How surface a moves over surface b at a touch; and a force on a, with its opposite on b, at the point
// between the surfaces. One is the transpose of the other, so momentum is kept.
CordVec3 touch_gather(const Stage* st, const Touch* touch, const StageMove* move);
void touch_scatter(const Stage* st, const Touch* touch, CordVec3 force, StageMove* move); // adds
// adds what the barrier makes of tilts
void touches_tilt(const Stage* st, const Touches* touches, StageMove* force);

typedef struct FrictionLaw {
    double friction; // NAN: of the surfaces
    const CordFrictionPair* pairs;
    int pair_count;
} FrictionLaw;

typedef struct Grip { // of a touch
    double mu;        // along rod a, or in all directions
    double across[2]; // across a and b, over that along
} Grip;

Grip touch_grip(const Stage* st, const Touch* touch, const FrictionLaw* law); // by key and kind alone
// By how much friction in the unit direction e is more than mu has it: `sides` 2 for two rods, 1 for a solid.
double grip_factor(const CordVec3 axis[2], const double across[2], int sides, CordVec3 e);

typedef struct Stick {
    Touch touch; // as it was at the start of the step
    Grip grip;
    CordVec3 drift; // at the start of the step [m]
    CordVec3 slip;  // now: drift and what has been added since [m]
    CordVec3 force; // on a [N]
    bool slides;
} Stick;

typedef struct StickMemory { // of a touch, from one step to the next
    TouchKey key;
    CordVec3 drift; // [m]
    CordVec3 force; // on a, over the step [N]
    bool slides;
} StickMemory;

typedef struct Sticks {
    Stick* all;
    int count, capacity;
    StickMemory* kept; // sorted by key
    int kept_count, kept_capacity;
} Sticks;

TouchKey touch_memory_key(const Touch* touch); // one that no touch of another kind has
int touch_key_order(const TouchKey* p,
                    // -1, 0 or 1, of memory keys: that in which touches are found, but for those of meshes
                    const TouchKey* q);
// Segments [first, first + old_count) have become others: now[i], or -1 if what is known of segment first + i
// says nothing any more; those after them are `shift` further on. False: the key's is such a one.
typedef struct TouchShift {
    int first, old_count, shift;
    const int* now; // (old_count)
} TouchShift;
bool touch_key_move(TouchKey* key, const TouchShift* shift); // of memory keys
// of the point of a solid that was there at the start of the step; 0: it is a rod
CordVec3 touch_solid_way(const Stage* st, const Touch* touch);

// At the start of a step: those of its touches that push, with what is remembered of them. False: no memory.
bool sticks_begin(Memory* m, Sticks* s, const Stage* st, const Touches* touches, const FrictionLaw* law);
// Slips and forces after the surfaces have moved by u(touch) since the start of the step.
void stick_update(Stick* stick, CordVec3 u);
typedef struct StickStiffness {
    CordVec3 e[2]; // unit, at right angles to each other and to the normal
    double k[2];   // [N/m]
} StickStiffness;
// `secant`, 0 to 1: how much of the stiffness of a spring that ends where it is now goes into that along the
// slip, beyond its own. With all of it, Newton's method cannot overshoot.
StickStiffness stick_stiffness(const Stick* stick, double secant);
const StickMemory* sticks_remember(const Sticks* s, const Touch* touch); // NULL: nothing is known of it
bool sticks_reserve(Memory* m, Sticks* s, int count); // room to remember so many; false: no memory
bool sticks_end(Memory* m, Sticks* s);                // the step stands: drifts are kept. False: no memory
void sticks_free(Memory* m, Sticks* s);

#endif
