// What a deformed rod costs: rest shape, strain, energy, forces, frames and moments. A model knows no
// integrator and no contact. There are five forms: uniform, quaternion, position-based, modal, and framed,
// which takes the law of any of the first three.
#ifndef CORD_MODEL_MODEL_H
#define CORD_MODEL_MODEL_H

#include "model/corner.h"
#include "rod/remesh.h"

#include <cordage/modal.h>

typedef struct StepInfo {
    double time; // at the start of the step [s]
    double h;    // [s]
    // time over which forces act: h, or half of what lies between the last velocities and these [s]
    double kick;
    CordVec3 gravity;
    bool in_contact; // contacts are resolved after the prediction
} StepInfo;

// How material frames get to positions that were just committed.
typedef enum RateRule {
    RATES_EXPLICIT, // strain rates count from the start of the step; frames turn by the new spin
    RATES_END,      // backward Euler: frames are at the end of the step already
    RATES_MIDPOINT, // frames are at the middle of the step
} RateRule;

typedef struct FramesUpdate {
    double time; // held frames go where their clamps have them then [s]
    double h;    // length of the step that led here [s]; 0: positions were set
    RateRule rates;
    bool settled; // the step has left the frames in equilibrium, friction included
    bool jump;    // nodes were inserted or removed between two steps: strain rates go on as they were
} FramesUpdate;

typedef struct RodSpin { // of frames with inertia, by slot
    double* now;         // [rad/s]
    double* next;        // at the end of the step [rad/s]
    const double* inertia;
    const double* may_turn; // 1, or 0 where a frame is held
} RodSpin;

typedef struct BoundInput {
    const double* tension; // by edge [N]
    double least_tension;  // that each edge counts with at the least [N]
    double h;              // with which the stiffest penalty is asked for; 0: it is not [s]
} BoundInput;

typedef struct SpectralBound { // of the explicit step, and where it comes from
    double omega2;             // upper bound of the highest squared angular frequency [1/s^2]
    CordStepLimit limit;
    int node;
    double penalty; // stiffest one that a step of BoundInput.h is stable with; 0: there is none [N]
} SpectralBound;

typedef struct ModalRest {
    int iterations;
    double residual; // relative to what linear theory makes of the load
} ModalRest;

// A model of few unknowns, whose positions follow from them.
typedef struct ReducedModel {
    void (*node_velocities)(Rod* rod);     // fills in those of the nodes
    void (*set_node_velocities)(Rod* rod); // takes over those of the nodes
    // takes the shape nearest to nodes at x that move at v, with the supports as they are at `time`
    CordResult (*fit)(Memory* m, Rod* rod, double time, const CordVec3* x, const CordVec3* v,
                      Message* message);
    CordResult (*equilibrium)(Memory* m, Rod* rod, CordVec3 gravity, double time, ModalRest* rest,
                              Message* message);
    int (*mode_count)(const Rod* rod);
    // the lowest `count`: squared angular frequencies, and three numbers by node every `stride`
    void (*modes)(const Rod* rod, int count, double* omega2, double* shape, size_t stride);
} ReducedModel;

// A NULL entry means "does not apply".
typedef struct Model {
    const char* name;
    bool node_turns; // nodes have turns of their own: clamps hold freedoms of nodes and not edges
    // Why it takes no torque; NULL: it takes one.
    const char* (*refuses_torque)(const Rod* rod);
    // From a def. It may hand the rod over to the framed model: rod->form then says so.
    CordResult (*create)(Memory* m, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                         Message* message);
    void (*destroy)(Memory* m, Rod* rod);
    // Clamps or loads have come or gone. release: twist that nothing holds goes.
    CordResult (*constrain)(Memory* m, Rod* rod, double time, bool release, Message* message);
    // Elastic forces and gravity: v_next from x and v; with drift also x_next = x + h v_next. Returns the sum
    // of the squares of v_next, which shows whether all is finite.
    double (*kick)(const Rod* rod, const StepInfo* step, bool drift);
    void (*update_frames)(Rod* rod, const FramesUpdate* update);
    void (*material_frames)(const Rod* rod, CordVec3* m1);
    RodSpin (*spin)(const Rod* rod);
    // Kinetic energy [J] and angular momentum [kg m^2/s] of orientations whose rates lie `lag` before them.
    void (*spin_energy)(const Rod* rod, double lag, double* energy, CordVec3* momentum);
    void (*energy)(const Rod* rod, CordEnergy* energy); // the elastic parts
    void (*gradient)(const Rod* rod, CordVec3* dE_dx);  // of the energy alone; adds, by node
    bool (*is_damped)(const Rod* rod); // section forces have a viscous part, beside that of the energy
    // Forces in the sections and tensions, by edge, without those that keep lengths. Either may be NULL.
    void (*sections)(const Rod* rod, CordVec3* force, double* tension);
    void (*moments)(const Rod* rod, CordVec3* moment); // by node
    // On an edge's frame, beside the forces on its nodes [N m]; and its stiffness as the edge is turned about
    // any axis across it [N m].
    CordVec3 (*couple)(const Rod* rod, int edge, double* stiffness);
    double (*twist)(const Rod* rod); // total [rad]
    SpectralBound (*bound)(const Rod* rod, const BoundInput* in);
    // What the model can hardly measure any more, whatever the step, where, and what to do about it.
    const char* (*trouble)(const Rod* rod, int* node);
    // For a solve the rod becomes a framed one, whose trial frames are there, and then itself again.
    CordResult (*open_frames)(Memory* m, Rod* rod, Message* message);
    void (*close_frames)(Memory* m, Rod* rod, double time);
    // Adaptive rods: strain without stress at an inner node, as remesh_rest_strain has it; the model's part
    // of a rod that remesh_rod has made, whose clamps are numbered as its nodes are.
    void (*rest_strain)(const Rod* rod, int node, double strain[3]);
    CordResult (*remesh)(Memory* m, Rod* rod, const Remesh* map, Message* message);
    void (*state)(Rod* rod, Bytes* b);
    const ReducedModel* reduced; // NULL: nodes are the unknowns
} Model;

extern const Model model_uniform, model_quaternion, model_position, model_modal, model_framed;

const Model* model_of(const Rod* rod);
// Chooses the rod's form from the def, and makes its data. The caller has checked def->model.
CordResult model_create(Memory* m, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                        Message* message);

// The couple that a clamp or weld takes from the edge it holds: all of it, or what is not about the tangent
// where it lets the edge turn [N m].
CordVec3 model_couple(const Clamp* clamp);

#endif
