// Rigid bodies of a world and the welds that attach rods to them. Engines behind cordage/body.h move them.
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
    bool is_joint;             // a joint of rods, which is not drawn
    Pose pose;                 // after the last step; welded edges follow it
    CordBodyState start_state; // at the start of the present step
    CordVec3 start_L;          // angular momentum about its centre then [kg m^2/s]
    bool has_outside;          // its engine applies forces of its own, which only its motion shows
    CordVec3 outside_force, outside_torque; // all but those of rods, over the last step [N], [N m]
    CordVec3 force, torque;                 // applied by the caller during the next step [N], [N m]
    int assembly;                           // number of its assembly: solve/assembly.h; 0: it moves alone
    int index;                              // in its assembly
    int64_t revision;                       // of the world when `now` was computed
    CordBodyState now;                      // with velocities at the time of the positions
    List welds, loads;                      // that act on it
} Body;

typedef struct Weld {
    CordWeldId id;
    Clamp clamp; // a clamp of the rod that the body carries
    Body* body;
    Link link;     // in the body's list
    int rod_index; // of its rod in the assembly
    // force of the rod on the body at each node, over the last step [N]: the warm start of the next
    CordVec3 pull[2];
    CordVec3 pull_next[2];
    CordVec3 pull_now[2]; // in the present state; computed together with the velocities
} Weld;

static inline Weld* weld_of(const Clamp* clamp) // the clamp must be carried by a body
{
    return (Weld*)((char*)clamp - offsetof(Weld, clamp));
}

// Copies the def and fills in name, mass and inertia; refuses a wrong one.
CordResult body_init(Body* body, const CordBodyDef* def, Message* message);
void body_init_joint(Body* body, const char* name, CordVec3 position, double mass, const double inertia[6]);

// Position of a welded node on the body [m].
static inline CordVec3 body_node(const Pose* pose, const Weld* weld, int k)
{
    return vec3_add(pose->point, quat_rotate(pose->rotation, weld->clamp.offset[k]));
}

CordBodyInertia body_inertia(const Body* body); // in its present orientation
// The same, without what a joint has beyond its nodes so that steps can turn it. Returns the number of axes
// about which that is not zero: none at a pin, two where welded rods are in one line.
int body_own_inertia(const Body* body, CordBodyInertia* own);
CordEnergy body_energy(const Body* body, CordVec3 gravity, const CordBodyState* state);
CordMomentum body_momentum(const Body* body, const CordBodyState* state);

#endif
