// A session of the browser: a scene, the world made from it, and what the user holds, pins and twists in it.
#ifndef CORDAGE_WEB_SESSION_H
#define CORDAGE_WEB_SESSION_H

#include <cordage/pace.h>
#include <cordage/reel.h>

#define WEB(name) __attribute__((export_name(#name)))

enum { PINS_MOST = 64, TWISTS_MOST = 32 };

typedef struct Hand { // a spring between a node and the pointer
    bool holds;
    int rod, node;
    CordLoadId spring;
    CordVec3 target;  // [m]
    double stiffness; // [N/m]; 0: chosen for the rod
} Hand;

typedef struct Pin { // a node that is held where the user let go of it
    int rod, node;
    double along; // place between the first node and the last, 0 to 1; finds the node after remeshing
    CordVec3 at;  // [m]
    CordClampId clamp;
} Pin;

typedef struct Twist { // turns an end about its own axis
    int rod;
    bool at_end;
    bool own; // the clamp was made for this twist; else it is the scene's
    CordClampId clamp;
    CordVec3 axis;         // unit, towards increasing node numbers, as the clamp began
    double wanted, turned; // since the end was taken [turns]
    double began;          // `turned` when the clamp was made [turns]
} Twist;

typedef struct Session {
    CordScene* scene; // NULL: the text is no scene; the message says why
    CordWorld* world; // NULL: it could not be built; the scene's notes say why
    CordPace pace;
    CordMessage message;
    int line, column; // the place in the scene that the message is about; 0: none
    Hand hand;
    Pin pins[PINS_MOST];
    int pin_count;
    Twist twists[TWISTS_MOST];
    int twist_count;
    CordReelBytes layout, layout_before, frame; // payloads of chunks
    int frames;                                 // frames made so far
    CordReelBytes text;                         // JSON
} Session;

// True if a clamp of this kind holds an edge, that is a node and the next; else it holds one node.
static inline bool hold_is_of_edge(CordFix fix)
{
    return fix == CORD_FIX_DIRECTION || fix == CORD_FIX_FRAME;
}

// ---- hold.c

bool hold_is_turning(const Session* s); // an end has not reached its wanted turns yet
// Turns the ends for the next step, of h; writes how far they were turned before to `turned` (TWISTS_MOST).
void hold_turn(Session* s, double h, double* turned);
// Turns them back: that step failed.
void hold_unturn(Session* s, const double* turned);
// Takes over the state of another session with its hand, pins and twists. False: the message says why not.
bool hold_carry(Session* s, const Session* from);

#endif
