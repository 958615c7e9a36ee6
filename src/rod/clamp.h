// Clamps hold a node or an edge at a prescribed pose, and may let it slide along an axis.
#ifndef CORD_ROD_CLAMP_H
#define CORD_ROD_CLAMP_H

#include "base/bytes.h"
#include "rod/centerline.h"
#include "rod/motion.h"
#include "rod/tally.h"

typedef struct Rod Rod;

// How far a clamp has turned the frame that it holds: that of the rod, or that of a trial state of it.
typedef enum ClampFrame { CLAMP_NOW, CLAMP_TRIAL, CLAMP_FRAMES } ClampFrame;

typedef struct ClampTurn {
    double time;  // at which the frame was last set to its clamp [s]
    double angle; // that the clamp had turned by then about the held edge, since the last step [rad]
} ClampTurn;

typedef struct Clamp {
    CordClampId id;   // zero: part of a weld
    CordClampDef def; // motions are copies
    Rod* rod;
    int edge;       // held edge, -1: a node alone
    int node_count; // 1 or 2
    int node[2];
    CordVec3 offset[2];    // initial offset of the nodes from the clamped point [m]
    CordVec3 point;        // initial clamped point [m]
    CordVec3 m1;           // initial material axis of the edge
    CordVec3 axis;         // unit axis of a sliding clamp
    CordVec3 drive_offset; // actuation by the caller, on top of the motions [m]
    CordQuat drive_rotation;
    bool holds;
    CordVec3 guide_force, guide_force_next; // force of a guide over the last and the present step [N]
    Pose last;                              // pose after the last step or solve
    double last_time;                       // time of that pose [s]
    ClampTurn turned[CLAMP_FRAMES];
    bool interpolates;            // in the present step it moves from there in a straight line
    double from, to;              // time of that step [s]
    double step_turn, full_turns; // turn about the held edge in that step, and its full turns [rad]
    CordVec3 acceleration[2];     // mean over the last step, of the held nodes [m/s^2]
    double w[2];                  // inverse masses of its nodes, as if it held none [1/kg]
    CordVec3 v_free[2];           // explicit steps: velocities that its nodes would have without it [m/s]
    CordVec3 pushed[2];           // forces of contacts on its nodes in this step, for the ledger [N]
    double rubbed;                // likewise their torque on its frame [N m]
    CordVec3 v_pulled[2];         // what fast projection would add to them (solve/rattle.h) [m/s]
    // A weld: a body carries the nodes, which keep their mass. offset, point and m1 are then in the axes of
    // the body.
    const Pose* carrier;     // pose of the body; NULL: held in space
    double joint_mass_share; // share of its nodes' mass that belongs to a joint
    WorkTally tally;         // of the ledger
} Clamp;

CordResult clamp_check_free(const Rod* rod, const int* nodes, int count, Message* message); // held by none?
CordResult clamp_init(Memory* m, Clamp* clamp, Rod* rod, const CordClampDef* def, CordVec3 m1,
                      bool node_turns, Message* message);
// Call this before the rod has the clamp: the stretch of the edge that it is to hold goes to the neighbours,
// as rod_move_stretch says, and the clamp holds the edge where it is then. Returns whether nodes moved.
bool clamp_take_stretch(Clamp* clamp);
void clamp_free(Memory* m, Clamp* clamp);
// Attaches it to a body in the present relative pose.
void clamp_attach_to_body(Clamp* clamp, const Pose* carrier);
Pose clamp_pose(const Clamp* clamp, double time);
CordVec3 clamp_target(const Clamp* clamp, int k, double time); // prescribed position of its k-th node [m]
bool clamp_holds_frame(const Clamp* clamp);                    // it fixes the frame and applies no torque
CordVec3 clamp_frame(const Clamp* clamp, CordVec3 tangent,
                     double time); // material axis it holds, at right angles to the tangent

// Turns of the held frames, full ones included, from where they stand to their clamps at `time`, and marks
// the frames as set to that time. Writes the angle of every edge [rad] (slot_count): those between two held
// edges take their share of the difference if `spread`, and stay if not. False: no clamp turns so far that
// the nearest angle could be another; `turn` is not written. A body that carries a clamp turns by less than
// half a turn.
bool clamps_turn_frames(const Rod* rod, ClampFrame frame, double time, bool spread, double* turn);
double clamp_turn(const Clamp* clamp, ClampFrame frame, double time); // of one; 0: the nearest angle is right
// Turn by its motions [rad]; 0: at most a quarter turn.
double clamp_motion_turn(const Clamp* clamp, double from, double to);
void clamp_mark_turn(Clamp* clamp, ClampFrame frame, double time); // its frame is set to `time`
void clamps_begin_trial(const Rod* rod);  // the trial frames are copies of the rod's frames
void clamps_accept_trial(const Rod* rod); // and the other way around

// Begins a step. A clamp that is not at its prescribed pose, because the caller moved it or set the time, or
// because a motion jumps, is interpolated linearly, so that each substep takes its share.
void clamps_begin_step(Rod* rod, double from, double to);
void clamps_commit_motion(Rod* rod,
                          double time); // after a step or solve: they are at their prescribed pose at `time`
void clamps_rollback(Rod* rod);         // after a step that failed
// Does a motion jump in (from, to]?
bool clamp_jumps(const Clamp* clamp, double from, double to);

// Sets the velocity v of held nodes so that they reach their prescribed positions at `time`, h from now.
// Along the axis of a sliding clamp they keep their own velocity.
void clamps_apply(const Rod* rod, double time, double h, double* const v[3]);

// Component of a, by node, along the axis of a sliding clamp: the mean over its nodes by mass.
double clamp_slide(const Clamp* clamp, double* const a[3]);

// Explicit steps. Held nodes have an inverse mass while a kick is computed, so that the kick tells the
// velocity that forces would give them; it is zero otherwise.
void clamps_free_nodes(Rod* rod);
void clamps_hold_nodes(Rod* rod);
void clamps_keep_free(const Rod* rod, double* const v[3]);              // stores v in v_free
void clamps_add_free(const Rod* rod, double* const v[3], double times); // adds v to it, so many times

// Acceleration of a held node now [m/s^2]: where motions lead it, that of the step that follows, if it is as
// long as the last one; else the mean over the last step.
CordVec3 clamp_acceleration(const Clamp* clamp, int node);

// Stores the accelerations of the held nodes, from v_next and the time `kick` over which forces acted.
void clamps_commit(Rod* rod, double kick);

#define CLAMP_NO_SLACK 1e-9 // relative

typedef struct ClampGap { // two successive clamps and the rod between them
    const Clamp* clamp[2];
    int node[2];
    double distance; // distance of the clamps [m]
    double length;   // length of the rod between them [m]
    // (length - distance) / length; negative: the rod does not fit. INFINITY: there are no two clamps, or the
    // rod may stretch
    double slack;
} ClampGap;

ClampGap clamps_gap(const Rod* rod, double time); // the gap with least slack at `time`
bool clamps_share_edge(const Rod* rod);           // do two clamps hold the nodes of one edge?
// Does an inextensible rod fit between its clamps at `time`? If not, the message says where.
bool clamps_are_within_reach(const Rod* rod, double time, Message* message);

bool clamp_is_due(const Clamp* clamp, double time); // does it hold, and is to let go?
bool clamps_are_due(const Rod* rod, double time);   // is any of them?
// Releases the clamps that are due, and returns whether any was. Sets *moved where nodes were moved, so that
// frames must follow. NULL: the nodes come from a rod that was released before, and stay.
bool clamps_release(Rod* rod, double time, bool* moved);

// The clamp or weld of a node; NULL: none.
const Clamp* clamp_of_node(const Rod* rod, int node);

// The same, but NULL if a body carries the node.
const Clamp* clamp_in_space(const Rod* rod, int node);

// The inverse mass matrix of a node times a: along the axis only where a clamp slides.
CordVec3 clamp_filter(const Rod* rod, int node, CordVec3 a);

void clamp_state(Clamp* clamp, double time, Bytes* b); // time: of the world [s]

int place_node(const CordCenterline* c, CordPlace at, Message* message); // -1: no such place
int place_edge(const CordCenterline* c, CordPlace at, Message* message);

#endif
