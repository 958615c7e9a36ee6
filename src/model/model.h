// The interface of an elastic model: rest shape, strain, energy, forces, material frames and moments of a
// deformed rod. A model knows no integrator and no contact. There are five forms: uniform (DER), quaternion
// (CORDE), position-based (PBER), modal (MW), and framed, which can use the energy of any of the first three.
#ifndef CORD_MODEL_MODEL_H
#define CORD_MODEL_MODEL_H

#include "model/corner.h"
#include "rod/remesh.h"

#include <cordage/modal.h>

typedef struct StepInfo {
    double time; // at the start of the step [s]
    double h;    // [s]
    // time over which forces act [s]: h, or half the interval between the last velocities and the new ones
    double kick;
    CordVec3 gravity;
    bool in_contact; // contacts are resolved after the prediction
} StepInfo;

// The time integration rule that decides how material frames follow positions that were just committed.
typedef enum RateRule {
    RATES_EXPLICIT, // strain rates are measured from the start of the step; frames turn by the new spin
    RATES_END,      // backward Euler: frames already stand at the end of the step
    RATES_MIDPOINT, // implicit midpoint: frames stand at the middle of the step
} RateRule;

typedef struct FramesUpdate {
    double time; // time at which the clamps are evaluated for held frames [s]
    double h;    // length of the step that was committed [s]; 0: positions were set by the user
    RateRule rates;
    bool settled; // the step has already left the frames in equilibrium, friction included
    bool jump;    // nodes were inserted or removed between two steps: the strain rates are kept
} FramesUpdate;

typedef struct RodSpin {    // rotation of material frames with inertia about their tangents, by slot
    double* now;            // angular velocity [rad/s]
    double* next;           // mean angular velocity of the step [rad/s]
    double* end;            // and that at its end: the same but for position-based rods
    const double* inertia;  // [kg m^2]
    const double* may_turn; // 1, or 0 where a clamp holds the frame
} RodSpin;

typedef struct BoundInput {
    const double* tension; // by edge [N]
    const double* rate;    // by edge: rate of its length over that length, times its strain [1/s]; NULL: 0
    double least_tension;  // lower bound that is applied to the tension of each edge [N]
    double h;              // step for which the stiffest stable penalty is wanted [s]; 0: it is not wanted
} BoundInput;

typedef struct SpectralBound { // stability limit of the explicit step
    double omega2;             // upper bound of the highest squared angular frequency [1/s^2]
    CordStepLimit limit;       // the term that sets the bound
    int node;                  // the node where it does
    double drift;              // largest product of a squared frequency and the rate of its edges [1/s^3]
    int drift_node;            // the node where it is
    double penalty;            // stiffest penalty that is stable at BoundInput.h [N]; 0: there is none
} SpectralBound;

typedef struct ModalRest {
    int iterations;
    double residual; // relative to the displacement that linear theory gives for the load
} ModalRest;

// A reduced model: node positions are functions of a few generalised coordinates (modal amplitudes).
typedef struct ReducedModel {
    void (*node_velocities)(Rod* rod);     // writes node velocities from the reduced velocities
    void (*set_node_velocities)(Rod* rod); // sets the reduced velocities from the node velocities
    // Fits the reduced state to nodes at x with velocities v, with the supports where they are at `time`.
    CordResult (*fit)(Memory* m, Rod* rod, double time, const CordVec3* x, const CordVec3* v,
                      Message* message);
    CordResult (*equilibrium)(Memory* m, Rod* rod, CordVec3 gravity, double time, ModalRest* rest,
                              Message* message);
    int (*mode_count)(const Rod* rod);
    // The lowest `count` modes: squared angular frequencies, and mode shapes with three displacement
    // components per node; consecutive mode shapes are `stride` doubles apart.
    void (*modes)(const Rod* rod, int count, double* omega2, double* shape, size_t stride);
} ReducedModel;

// A NULL entry means "does not apply".
typedef struct Model {
    const char* name;
    bool node_turns; // nodes have rotational degrees of freedom: clamps hold those of nodes, not edges
    // Returns the reason why the model accepts no torque, or NULL if it accepts one.
    const char* (*refuses_torque)(const Rod* rod);
    // Creates the model's data from a def. It may choose the framed form instead and set rod->form to it.
    CordResult (*create)(Memory* m, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                         Message* message);
    // Sets stiffnesses that are chosen for the rod's weight. Called after creation, and where gravity [m/s^2]
    // changes.
    void (*fit_to_gravity)(Rod* rod, double gravity);
    void (*destroy)(Memory* m, Rod* rod);
    // Rebuilds the tables after clamps or loads were added or removed. release: twist that no clamp holds
    // is removed.
    CordResult (*constrain)(Memory* m, Rod* rod, double time, bool release, Message* message);
    // Explicit velocity update from elastic forces and gravity: computes v_next from x and v, and with
    // `drift` also x_next = x + h v_next. Returns the sum of the squares of v_next, which is not finite if
    // any of them is not.
    double (*kick)(const Rod* rod, const StepInfo* step, bool drift);
    // Frames with inertia: adds to v_next the impulses of spin_forces, at the mean of v and v_next, which all
    // other forces and the clamps have changed already. Overwrites x_next.
    void (*kick_spin)(const Rod* rod, const StepInfo* step);
    // What kick_spin gives to one node, of any mass, in the step that is about to be committed [N s].
    CordVec3 (*spin_impulse)(const Rod* rod, double kick, int node);
    void (*update_frames)(Rod* rod, const FramesUpdate* update);
    // True: update_frames may fail, and then sets rod->unsettled.
    bool (*frames_may_fail)(const Rod* rod);
    // True: in one step the model cannot follow a clamp that turns a frame past the nearest angle
    // (clamp_turn).
    bool (*takes_near_turns)(const Rod* rod);
    void (*material_frames)(const Rod* rod, CordVec3* m1);
    RodSpin (*spin)(const Rod* rod);
    // Rotational kinetic energy [J] and angular momentum [kg m^2/s] of the frames. The angular velocities
    // are those of the time `lag` before the orientations.
    void (*spin_energy)(const Rod* rod, double lag, double* energy, CordVec3* momentum);
    // Spins after `lag` more of the present moments, by edge. NULL: as RodSpin tells.
    void (*spins)(const Rod* rod, double lag, double* spin);
    // Brings spins that lag behind the frames to their time, by the moments there and the loads at `time`.
    void (*advance_spin)(Rod* rod, double time, double lag);
    // Adds the forces by which edges that turn carry the spin of their frames along, by node [N].
    void (*spin_forces)(const Rod* rod, CordVec3* f);
    void (*energy)(const Rod* rod, CordEnergy* energy); // writes the elastic parts
    void (*gradient)(const Rod* rod, CordVec3* dE_dx);  // adds dE/dx of the elastic energy, by node
    bool (*is_physical)(
        const Rod* rod);               // is there an elastic energy, of which forces are the slope? NULL: yes
    bool (*is_damped)(const Rod* rod); // section forces have a viscous part beside the elastic one
    // Power that internal friction takes out of the motion, at the strain rates of the last step [W].
    double (*dissipation)(const Rod* rod);
    // Section forces and tensions, by edge, without the constraint forces of inextensible edges. Either
    // output may be NULL.
    void (*sections)(const Rod* rod, CordVec3* force, double* tension);
    void (*moments)(const Rod* rod, CordVec3* moment); // by node
    // The couple on an edge's material frame that is not part of the nodal forces [N m]; `stiffness` is its
    // derivative with respect to a rotation of the edge about an axis perpendicular to the tangent [N m].
    CordVec3 (*couple)(const Rod* rod, int edge, double* stiffness);
    double (*twist)(const Rod* rod); // total [rad]
    SpectralBound (*bound)(const Rod* rod, const BoundInput* in);
    // Reports a strain near the limit of what the model can measure, which no smaller step cures. Returns a
    // sentence that says what to do and sets `node`, or returns NULL.
    const char* (*trouble)(const Rod* rod, int* node);
    // A solve converts the rod to the framed form with open trial frames, and converts it back afterwards.
    CordResult (*open_frames)(Memory* m, Rod* rod, Message* message);
    void (*close_frames)(Memory* m, Rod* rod, double time);
    // Convert the rod to the framed form with open trial frames for good, for steps by Newton's method.
    // reserve_framed allocates, and fails where that form cannot replace the model. become_framed follows at
    // once and cannot fail. A rod that is framed already needs the first alone.
    CordResult (*reserve_framed)(Memory* m, Rod* rod, Message* message);
    void (*become_framed)(Memory* m, Rod* rod);
    // Adaptive rods: rest_strain is the stress-free strain at an inner node, in the convention of
    // remesh_rest_strain. remesh builds the model's data for a rod that remesh_rod has made; the clamps of
    // that rod already refer to its new nodes.
    void (*rest_strain)(const Rod* rod, int node, double strain[3]);
    CordResult (*remesh)(Memory* m, Rod* rod, const Remesh* map, Message* message);
    void (*state)(Rod* rod, Bytes* b);
    const ReducedModel* reduced; // NULL: nodes are the unknowns
} Model;

extern const Model model_uniform, model_quaternion, model_position, model_modal, model_framed;

const Model* model_of(const Rod* rod);
// Sets the rod's form from the def and creates the model's data. def->model must be below CORD_MODEL_COUNT.
CordResult model_create(Memory* m, Rod* rod, const CordRodDef* def, const CordModalHooks* hooks,
                        Message* message);

// The reaction couple of a clamp or weld on the edge that it holds [N m]. Where the clamp lets the edge turn
// about its tangent, the component along the tangent is left out.
CordVec3 model_couple(const Clamp* clamp);

#endif
