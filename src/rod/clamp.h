// Clamps: what holds a node or an edge, where it wants it, and where it lets it slide.
#ifndef CORD_ROD_CLAMP_H
#define CORD_ROD_CLAMP_H

#include "base/bytes.h"
#include "rod/centerline.h"
#include "rod/motion.h"

typedef struct Rod Rod;

typedef struct Clamp {
    CordClampId id;   // zero: it is part of a weld
    CordClampDef def; // motions are our own copies
    Rod* rod;
    int edge;       // held edge, -1: a node alone
    int node_count; // 1 or 2
    int node[2];
    CordVec3 offset[2];    // of the nodes from the clamped point, as it began [m]
    CordVec3 point;        // where the clamped point began [m]
    CordVec3 m1;           // material axis of the edge as it began
    CordVec3 axis;         // unit, if it slides
    CordVec3 drive_offset; // on top of the motions, set from outside [m]
    CordQuat drive_rotation;
    bool holds;
    CordVec3 guide_force,
        guide_force_next;     // a guide: the force it took over the last step, and in the one under way [N]
    Pose last;                // where the last step, or solve, has left it
    bool interpolates;        // in the step under way it goes from there in a straight line
    double from, to;          // the time of that step [s]
    CordVec3 acceleration[2]; // of the held nodes, over the last step [m/s^2]
    // A weld: a body carries the nodes, which keep their mass and are pulled along; offset, point and m1 are
    // then in the body.
    const Pose* carrier;     // the body's, NULL: held in space
    double joint_mass_share; // share of its nodes' mass that a joint has taken over
} Clamp;

CordResult clamp_init(Memory* m, Clamp* clamp, Rod* rod, const CordClampDef* def, CordVec3 m1,
                      Message* message);
void clamp_free(Memory* m, Clamp* clamp);
// from now on a body carries it, in the present relative pose
void clamp_attach_to_body(Clamp* clamp, const Pose* carrier);
Pose clamp_pose(const Clamp* clamp, double time);
CordVec3 clamp_target(const Clamp* clamp, int k, double time); // where it wants its k-th node
bool clamp_holds_frame(const Clamp* clamp);                    // and does not turn it by a torque
CordVec3 clamp_frame(const Clamp* clamp, CordVec3 tangent,
                     double time); // material axis it holds, at right angles to the tangent

// Before a step: what is not where its motions have it, since it was driven or time was set, or is moved at
// an instant, goes there in a straight line, so that parts of the step take their share of the way.
void clamps_begin_step(Rod* rod, double from, double to);
void clamps_commit_motion(Rod* rod,
                          double time); // after a step or a solve: they are where they belong at `time`
void clamps_rollback(Rod* rod);         // after a step that failed: they are where they were
// after `from`, up to `to`: does a motion, at an instant?
bool clamp_jumps(const Clamp* clamp, double from, double to);

// Gives held nodes the velocity in v that brings them where they should be at `time`, h from now; along the
// axis of a sliding clamp they keep their own.
void clamps_apply(const Rod* rod, double time, double h, double* const v[3]);

// Notes the held nodes' accelerations, once the step of h that `kick` belongs to stands in x_next and v_next.
void clamps_commit(Rod* rod, double kick);

#define CLAMP_NO_SLACK 1e-9 // of a length

typedef struct ClampGap { // two clamps that follow on each other, and the rod between them
    const Clamp* clamp[2];
    int node[2];
    double apart;  // [m]
    double length; // of the rod [m]
    // how much longer it is, over its length; negative: it does not fit. INFINITY: there are no two clamps,
    // or it may stretch
    double slack;
} ClampGap;

ClampGap clamps_gap(const Rod* rod, double time); // the one with least slack, where clamps are at `time`
bool clamps_share_edge(const Rod* rod);           // do two of them hold one?
// Does the rod, if its length is fixed, fit between its clamps at `time`? If not, the message says where.
bool clamps_are_within_reach(const Rod* rod, double time, Message* message);

bool clamps_release(Rod* rod, double time); // lets go of what is due; whether any was

// The clamp that holds a node, or carries it; NULL: none.
const Clamp* clamp_of_node(const Rod* rod, int node);

// The same, but not if a body carries the node.
const Clamp* clamp_in_space(const Rod* rod, int node);

// A vector as the inverse mass sees it at a node: scaled, and along the axis only where a clamp slides.
CordVec3 clamp_filter(const Rod* rod, int node, CordVec3 a);

void clamp_state(Clamp* clamp, Bytes* b);

int place_node(const CordCenterline* c, CordPlace at, Message* message); // -1: no such place
int place_edge(const CordCenterline* c, CordPlace at, Message* message);

#endif
