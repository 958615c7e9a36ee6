// What a rod model offers. A NULL entry means "does not apply".
#ifndef CORD_MODEL_MODEL_H
#define CORD_MODEL_MODEL_H

#include "model/corner.h"
#include "rod/remesh.h"

#define MODEL_LANES 4 // rods that are stepped side by side

typedef struct StepInfo {
    double time; // at the start of the step [s]
    double h;    // [s]
    // time over which forces act: h, or half of what lies between the last velocities and these [s]
    double kick;
    CordVec3 gravity;
} StepInfo;

typedef struct StepLimitAt { // what bounds the explicit step, and where
    double omega2;           // an upper bound of the highest squared angular frequency [1/s^2]
    CordStepLimit limit;
    int node;
} StepLimitAt;

// What implicit steps and static solves need: a trial set of frames that can be moved about while the rod
// itself stays as it is. Arrays go by slot.
typedef struct ModelTrial {
    // Implicit rods are always ready; the others are made so for the time of a solve.
    CordResult (*open)(Memory* m, Rod* rod, Message* message);
    void (*close)(Memory* m, Rod* rod, double time);
    // trial frames := the rod's own; viscous moments there will count over h from the strains now
    void (*begin)(Rod* rod, double h);
    // carried to positions x; held ones as at `time`
    void (*follow)(Rod* rod, double* const x[3], double time);
    void (*turn)(Rod* rod, const double* turn); // turned about their tangents
    double (*energy)(Rod* rod, double viscous); // of the corners, with the potential of viscous moments [J]
    // at the slots [from, to)
    void (*terms)(Rod* rod, double viscous, int from, int to, const CornerTerms* terms, bool second);
    void (*accept)(Rod* rod); // the trial frames are the rod's from now on
    // from a frame, carried to the tangent t, on to m1 [rad]
    double (*turn_to)(Rod* rod, int edge, CordVec3 t, CordVec3 m1);
    const double* (*may_turn)(const Rod* rod);     // 1, or 0 where a frame is held
    const double* (*torque)(const Rod* rod);       // from outside [N m]
    double* (*spin)(const Rod* rod);               // of frames with inertia [rad/s]
    double* (*spin_next)(const Rod* rod);          // at the end of the step
    const double* (*spin_inertia)(const Rod* rod); // [kg m^2]
} ModelTrial;

// How the end of a step moves, to first order, with what pushes nodes and turns edges all through it. Where a
// force is F and a torque T, the push is F h^2 and T h^2, as contact has it.
typedef struct ModelResponse {
    int count;       // of the nodes that are pushed
    const int* node; // ascending (count)
    // row by row, x, y and z of each node and the turn of the edge after it: what these do by a push of one
    // on those [1/kg], [1/(kg m)], [1/(kg m^2)] ((4 count)^2)
    double* W;
} ModelResponse;

typedef struct CordModelOps {
    const char* name;
    // refuses what it cannot do
    CordResult (*create)(Memory* m, Rod* rod, const CordRodDef* def, Message* message);
    void (*destroy)(Memory* m, Rod* rod);
    CordResult (*update_held)(Memory* m, Rod* rod, double time, Message* message); // clamps came or went
    // Elastic forces and gravity: v_next from x and v; with drift also x_next = x + h v_next, in one go where
    // nothing else acts. Returns the sum of the squares of v_next, which shows whether all is finite.
    double (*kick)(const Rod* rod, const StepInfo* step, bool drift);
    // Position-based rods. May two be stepped side by side? And the step of MODEL_LANES such at the most:
    // from the velocities, and spins of frames, that forces from outside leave in v_next and spin_next, to
    // x_next, v_next and spin_next. It cannot fail.
    bool (*alike)(const Rod* a, const Rod* b);
    void (*advance)(Rod* const* rods, int count, const StepInfo* step, Arena* scratch);
    size_t (*advance_scratch)(const Rod* rod);
    // of a modal step, which ends at `time`: is it one?
    CordResult (*check)(const Rod* rod, double time, Message* message);
    // Of such a step as it stands, in x_next and spin_next.
    void (*response)(Rod* const* rods, int count, const StepInfo* step, const ModelResponse* wanted,
                     Arena* scratch);
    size_t (*response_scratch)(const Rod* rod); // 0: this rod does not tell
    CordResult (*reserve_implicit)(Memory* m, Rod* rod, Message* message);
    // it takes its steps by Newton's method from now on; room for that is reserved
    void (*make_implicit)(Rod* rod);
    // Where steps keep no velocities of nodes: fills them in for those who ask; and takes those that were
    // set.
    void (*velocities)(Rod* rod);
    void (*take_velocities)(Rod* rod);
    void (*settle)(Rod* rod, double time); // frames follow the centreline that was just committed
    void (*frames)(const Rod* rod, CordVec3* m1);
    void (*energy)(const Rod* rod, CordEnergy* energy); // the elastic parts
    // Of orientations with inertia, whose rates lie `lag` before them: kinetic energy [J], angular momentum
    // [kg m^2/s]. NULL: not told.
    void (*spin)(const Rod* rod, double lag, double* energy, CordVec3* momentum);
    void (*gradient)(const Rod* rod, CordVec3* dE_dx); // adds, by node
    void (*tension)(const Rod* rod, double* tension);  // but that of inextensible edges, by edge
    void (*moments)(const Rod* rod, CordVec3* moment); // by node
    void (*sections)(const Rod* rod, CordVec3* force); // in the sections, by edge; 0 along inextensible ones
    // that acts on an edge's frame, beside the forces on its nodes [N m]
    CordVec3 (*couple)(const Rod* rod, int edge);
    double (*twist)(const Rod* rod); // in all [rad]
    // of that couple, as the edge is turned about any axis across it [N m]; NULL: 0
    double (*couple_stiffness)(const Rod* rod, int edge);
    // tension by edge, but at least
    StepLimitAt (*limit)(const Rod* rod, const double* tension, double least_tension);
    // What the model can hardly measure any more, whatever the step, and what to do about it; where. NULL:
    // nothing.
    const char* (*trouble)(const Rod* rod, int* node);
    double (*penalty_limit)(const Rod* rod, const double* tension, double least_tension,
                            double h); // see cord_rod_penalty_limit
    void (*state)(Rod* rod, Bytes* b);
    // Adaptive rods. Strain without stress at an inner node, as remesh_rest_strain has it; the model's part
    // of a rod that remesh_rod has made, whose clamps are numbered as its nodes are; and, in place of settle,
    // frames that follow positions which were set between two steps: what changes at a rate goes on doing so.
    void (*rest_strain)(const Rod* rod, int node, double strain[3]);
    CordResult (*remesh)(Memory* m, Rod* rod, const Remesh* map, Message* message);
    void (*jump)(Rod* rod, double time);
    const ModelTrial* trial; // NULL: no implicit steps, no static solves
} CordModelOps;

extern const CordModelOps cord_model_der, cord_model_corde, cord_model_pbd, cord_model_modal;

const CordModelOps* model_ops(CordModel model); // NULL: no such model

// The couple that a clamp or weld takes from the edge it holds: all of it, or what is not about the tangent
// where it lets the edge turn [N m].
CordVec3 model_couple(const Clamp* clamp);

#endif
