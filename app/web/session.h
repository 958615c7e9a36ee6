// What the browser works with: a scene, the world made from it, and what hands do there.
#ifndef CORDAGE_WEB_SESSION_H
#define CORDAGE_WEB_SESSION_H

#include <cordage/pace.h>
#include <cordage/reel.h>

#define WEB(name) __attribute__((export_name(#name)))

enum { PINS_MOST = 64, TWISTS_MOST = 32 };

typedef struct Hand { // a spring between a node and where the pointer is
    bool holds;
    int rod, node;
    CordLoadId spring;
    CordVec3 target;  // [m]
    double stiffness; // [N/m]; 0: by the rod
} Hand;

typedef struct Pin { // a node that stays where it was let go of
    int rod, node;
    double along; // from the first node to the last, 0 to 1: for a rod that has other nodes
    CordVec3 at;  // [m]
    CordClampId clamp;
} Pin;

typedef struct Twist { // of an end about its own axis
    int rod;
    bool at_end;
    bool own; // the clamp was made for it; else it is the scene's
    CordClampId clamp;
    CordVec3 axis;         // unit, towards increasing node numbers, as the clamp began
    double wanted, turned; // since the end was taken [turns]
    double began;          // `turned` when the clamp was made [turns]
} Twist;

typedef struct Session {
    CordScene* scene; // NULL: what was to be opened is no scene; the message says why
    CordWorld* world; // NULL: it could not be built; the scene's notes say why
    CordPace pace;
    CordMessage message;
    int line, column; // of the scene that a message is about; 0: of none
    Hand hand;
    Pin pins[PINS_MOST];
    int pin_count;
    Twist twists[TWISTS_MOST];
    int twist_count;
    CordReelBytes layout, layout_before, frame; // payloads of chunks
    int frames;                                 // that were asked for
    CordReelBytes text;                         // JSON
} Session;

// Does a clamp hold an edge, by its first node and the next? Else the one node.
static inline bool hold_is_of_edge(CordFix fix)
{
    return fix == CORD_FIX_DIRECTION || fix == CORD_FIX_FRAME;
}

// ---- hold.c

bool hold_is_turning(const Session* s); // is an end on its way to where it is wanted?
void hold_turn(Session* s, double h,
               double* turned); // during the next step, of h; into `turned`: how far each was (TWISTS_MOST)
void hold_unturn(Session* s, const double* turned); // that step failed
// pins, hand and twists, and with them where all is; false: the message says why
bool hold_carry(Session* s, const Session* from);

#endif
