// Rigid bodies as the world keeps them, and the welds that tie rods to them. What moves them is behind
// cordage/body.h.
#ifndef CORD_BODY_BODY_H
#define CORD_BODY_BODY_H

#include "base/message.h"
#include "rod/rod.h"

#include <cordage/body.h>

typedef struct Body {
    CordBodyId id;
    char name[64];
    CordBodyDef def;              // mass and inertia filled in
    const CordBodyEngine* engine; // what moves it
    void* engine_user;
    void* handle;
    bool is_joint;             // of rods: nothing to be seen
    Pose pose;                 // as the last step left it; welded edges follow it
    CordBodyState start_state; // at the start of the step under way
    CordVec3 start_L;          // angular momentum then, about its centre [kg m^2/s]
    bool has_outside;          // moved by an engine with forces of its own, which only its motion tells:
    CordVec3 outside_force, outside_torque; // all but what rods did to it, over the last step [N], [N m]
    CordVec3 force, torque;                 // pushed with, during the next step [N], [N m]
    Assembly* assembly;                     // with the rods it is welded to; NULL: flies alone
    int index;                              // in its assembly
    int64_t revision;                       // of the world, when `now` was worked out
    CordBodyState now;                      // velocities at the time of the positions
    List welds, loads;                      // that act on it
} Body;

typedef struct Weld {
    CordWeldId id;
    Clamp clamp; // one of the rod's; carried by the body
    Body* body;
    Link link; // of the body's
    // of the rod on the body at each node, over the last step [N]: what the next one starts from
    CordVec3 pull[2];
    CordVec3 pull_next[2];
    CordVec3 pull_now[2]; // in the present state; worked out together with the velocities
} Weld;

static inline Weld* weld_of(const Clamp* clamp) // of a clamp that a body carries
{
    return (Weld*)((char*)clamp - offsetof(Weld, clamp));
}

// Takes the def over, with name, mass and inertia filled in; refuses what is wrong with it.
CordResult body_init(Body* body, const CordBodyDef* def, Message* message);
void body_init_joint(Body* body, const char* name, CordVec3 position, double mass, const double inertia[6]);

// where the body has a welded node [m]
static inline CordVec3 body_node(const Pose* pose, const Weld* weld, int k)
{
    return vec3_add(pose->point, quat_rotate(pose->rotation, weld->clamp.offset[k]));
}

CordBodyInertia body_inertia(const Body* body); // as it stands now in its engine
CordEnergy body_energy(const Body* body, CordVec3 gravity, const CordBodyState* state);
CordMomentum body_momentum(const Body* body, const CordBodyState* state);

#endif
