// Loads on rods and bodies: forces, torques, springs and drag. cordage/cordage.h includes this header.
#ifndef CORDAGE_LOAD_H
#define CORDAGE_LOAD_H

#include <cordage/clamp.h>
#include <cordage/field.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CordLoadKind { // in the order in which explicit steps apply them
    CORD_LOAD_FORCE,        // `force` on the node at a place, or on a body at its centre
    // `torque` on the edge at a place, or on a body; it keeps its axis in space. At a node it is on the edge
    // that begins there
    CORD_LOAD_TORQUE,
    // a hand, or a tether: from the node at a place to `target`, of no length of its own. Steps of any length
    // are stable with it
    CORD_LOAD_SPRING,
    // viscous: force per length is -along u_tangential - across u_normal, u the velocity in the wind
    CORD_LOAD_DRAG,
    CORD_LOAD_COUNT
} CordLoadKind;

enum { // what a load may act on
    CORD_LOAD_ON_NODE = 1,
    CORD_LOAD_ON_EDGE = 2,
    CORD_LOAD_ON_ROD = 4, // all of a rod, or of every rod
    CORD_LOAD_ON_BODY = 8
};

typedef struct CordLoadKindInfo { // what a front end needs to know of a kind of load
    const char* name;             // "force": the key of a scene
    const char* about;            // one or two sentences: what it is
    unsigned on;                  // CORD_LOAD_ON_...
    // values of CordLoadDef that it uses, besides its place and its times; the last has no key
    const CordField* fields;
} CordLoadKindInfo;

CORD_API const CordLoadKindInfo* cord_load_kind(int kind); // NULL past the last

// Air that moves: a uniform wind, gusts that come and go, and vortices that it carries along. It acts through
// drag.
typedef struct CordWind {
    CordVec3 velocity; // [m/s]
    double gust;       // amplitude of gusts, as a fraction of the wind
    double period;     // of the gusts [s]
    double vortex;     // greatest speed in a vortex [m/s]; 0: none
    double spacing;    // of the vortices, which are as large [m]
} CordWind;

typedef struct CordLoadDef {
    CordLoadKind kind;
    CordRodId rod; // null: every rod, those made later too (drag only)
    CordPlace at;
    CordBodyId body;      // force, torque: on this body instead of a rod
    CordVec3 force;       // [N]
    CordVec3 torque;      // [N m]
    double along, across; // [N s/m^2]
    CordWind wind;        // drag: of the air
    CordVec3 target;      // spring: where it pulls to [m]
    double stiffness;     // spring [N/m]
    double damping;       // spring: of the node's velocity [N s/m]
    double most;          // spring: it pulls no harder, damping aside [N]; INFINITY: as hard as it takes
    double from, to;      // acts while from <= t < to [s]
    double ramp;          // time over which a force or torque grows to what it is, from `from` on [s]
} CordLoadDef;

// a force, always acting; a spring may pull as hard as it takes
CORD_API CordLoadDef cord_load_def_default(void);
CORD_API CordResult cord_load_create(CordWorld* world, const CordLoadDef* def, CordLoadId* load);
CORD_API CordResult cord_load_destroy(CordWorld* world, CordLoadId load);
CORD_API CordResult cord_load_set_force(CordWorld* world, CordLoadId load, CordVec3 force);
CORD_API CordResult cord_load_set_torque(CordWorld* world, CordLoadId load, CordVec3 torque);
CORD_API CordResult cord_load_set_target(CordWorld* world, CordLoadId load, CordVec3 target); // of a spring
CORD_API CordResult cord_load_at(
    const CordWorld* world, CordLoadId load, CordRodId* rod,
    // of a force or a spring, or where the edge of a torque begins, now: adaptive rods number theirs anew
    int* node);
CORD_API CordResult cord_load_force(const CordWorld* world, CordLoadId load,
                                    CordVec3* force); // of a force or a spring, now [N]

#ifdef __cplusplus
}
#endif

#endif
