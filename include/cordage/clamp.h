// Clamps: places on a rod, and how they are held and moved there. cordage/cordage.h includes this header.
#ifndef CORDAGE_CLAMP_H
#define CORDAGE_CLAMP_H

#include <cordage/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CordPlaceKind {
    CORD_AT_START,
    CORD_AT_END,
    CORD_AT_NODE,
    CORD_AT_EDGE,
    CORD_AT_ARC
} CordPlaceKind;

typedef struct CordPlace {
    CordPlaceKind kind;
    int index;  // CORD_AT_NODE, CORD_AT_EDGE
    double arc; // CORD_AT_ARC: rest length from the start [m]; the nearest node, or edge middle, is meant
} CordPlace;

CORD_API CordPlace cord_at_start(void);
CORD_API CordPlace cord_at_end(void);
CORD_API CordPlace cord_at_node(int node);
CORD_API CordPlace cord_at_edge(int edge);
CORD_API CordPlace cord_at_arc(double arc);

typedef enum CordFix {
    CORD_FIX_POSITION,  // a node
    CORD_FIX_DIRECTION, // an edge: position and tangent; free to turn about it
    CORD_FIX_FRAME,     // an edge: position, tangent and material frame
    CORD_FIX_FREEDOMS,  // modal rods alone, a node: whichever of its six freedoms `freedoms` names
} CordFix;

// The six freedoms of a node, to be added up: displacements along the axes of space, and turns about them.
typedef enum CordFreedom {
    CORD_HOLD_X = 1,
    CORD_HOLD_Y = 2,
    CORD_HOLD_Z = 4,
    CORD_HOLD_TURN_X = 8,
    CORD_HOLD_TURN_Y = 16,
    CORD_HOLD_TURN_Z = 32,
} CordFreedom;

typedef enum CordMotionKind {
    CORD_MOTION_TRANSLATE, // by `vector` in all, between from and to
    CORD_MOTION_ROTATE,    // by `angle` in all about `axis` through `center`, between from and to
    CORD_MOTION_KEYFRAMES, // offsets and rotations at given times, linear between them, held before and after
    CORD_MOTION_OSCILLATE, // `vector` sin(2 pi frequency (t - from) + phase), less its value at from
} CordMotionKind;

typedef enum CordEase {
    CORD_EASE_LINEAR,
    CORD_EASE_SMOOTH
} CordEase; // smooth starts and stops without a jolt

typedef struct CordKeyframe {
    double time;       // [s], increasing
    CordVec3 offset;   // from where the clamp began [m]
    CordQuat rotation; // from how the clamp began; between keys along the shorter arc
} CordKeyframe;

typedef struct CordMotion {
    CordMotionKind kind;
    double from, to; // [s]; INFINITY as `to` of an oscillation: for ever
    CordEase ease;
    CordVec3 vector; // [m]
    CordVec3 axis;
    CordVec3 center;         // [m]
    bool center_is_clamp;    // rotate about the clamped point itself, wherever it is
    double angle;            // [rad]
    double frequency, phase; // [Hz], [rad]
    const CordKeyframe* keys;
    int key_count;
} CordMotion;

CORD_API CordMotion cord_motion_translate(CordVec3 by, double from, double to);
// about the clamped point
CORD_API CordMotion cord_motion_rotate(CordVec3 axis, double angle, double from, double to);
CORD_API CordMotion cord_motion_keyframes(const CordKeyframe* keys, int key_count);
CORD_API CordMotion cord_motion_oscillate(CordVec3 amplitude, double frequency, double phase);

typedef struct CordClampDef {
    CordRodId rod;
    CordPlace at;
    CordFix fix;
    unsigned freedoms; // CORD_FIX_FREEDOMS: the held ones, a sum of CordFreedom
    // modal rods, position: no support, but a force that leads the node there, as far as the modes can; each
    // guide may move as it likes
    bool guide;
    bool slides; // free to move along `axis`, which stays fixed in space
    CordVec3 axis;
    bool has_torque; // CORD_FIX_FRAME: instead of holding the turn about the tangent, apply this torque
    double torque;   // about the rod's own tangent, towards increasing node numbers [N m]
    const CordMotion* motions; // combined in order, each about the pose the ones before it left
    int motion_count;
    double release; // time at which the clamp lets go [s]; INFINITY: never
} CordClampDef;

CORD_API CordClampDef cord_clamp_def_default(void); // position, at the start, never released
CORD_API CordResult cord_clamp_create(CordWorld* world, const CordClampDef* def, CordClampId* clamp);
CORD_API CordResult cord_clamp_destroy(CordWorld* world, CordClampId clamp); // lets go now
CORD_API int cord_world_clamp_count(const CordWorld* world);
CORD_API CordClampId cord_world_clamp(const CordWorld* world, int index); // in order of creation

// Drives a clamp from outside, as a gripper would: where it is at the end of the next step, relative to where
// it began, on top of its motions. It stays there until the next call. A frame that is to be followed may
// turn by less than half a turn in a step.
CORD_API CordResult cord_clamp_move(CordWorld* world, CordClampId clamp, CordVec3 offset, CordQuat rotation);

// What the rod does to the clamp, over the last step: force [N] and torque about the clamped point [N m].
CORD_API CordResult cord_clamp_reaction(const CordWorld* world, CordClampId clamp, CordVec3* force,
                                        CordVec3* torque);
// Do clamps, where they are at `time`, hold an inextensible rod farther apart than it is long between them?
// Such a pair, if so.
CORD_API bool cord_world_overreach(const CordWorld* world, double time, CordClampId pair[2]);
CORD_API bool cord_clamp_holds(const CordWorld* world, CordClampId clamp); // false once released or destroyed
// What it holds now, and how: a node, or the first node of an edge.
CORD_API CordResult cord_clamp_at(const CordWorld* world, CordClampId clamp, CordRodId* rod, int* node,
                                  CordFix* fix);

#ifdef __cplusplus
}
#endif

#endif
