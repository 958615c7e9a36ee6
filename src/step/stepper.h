// Time steppers. Each rod has one stepper (rod->stepper), and nobody above this folder asks which. A stepper
// predicts the end of an island's step into x_next and v_next, which contacts may still change, and commits
// it once the step is accepted.
#ifndef CORD_STEP_STEPPER_H
#define CORD_STEP_STEPPER_H

#include "base/stopwatch.h"
#include "model/model.h"
#include "solve/island.h"

#define STEPPER_BATCH 4 // most rods in a SIMD batch

typedef struct StepTimes {
    double kick;    // time over which the forces of the step act [s]
    double lag;     // time by which velocities lag behind positions now [s]
    double after;   // part of a welded body's kick that acts after its drift [s]
    bool staggered; // velocities lag half a step behind positions
    // When forces do their work: 0 is the start of the step, 1 its end, 0.5 the mean of both. Contact may
    // change it: it then holds until the step is committed.
    double force_at;
    bool pushes_first; // forces and torques on points act as they are at the start of the step
} StepTimes;

typedef enum ContactResponse { // how contacts of its rods are solved: world/contact.h
    CONTACT_IMPULSES,          // by impulses after the prediction
    CONTACT_NEWTON,            // inside Newton's method, for all rods together
} ContactResponse;

// Compliance (Delassus operator) W = J A^-1 J^T of nodes in contact: the first-order change of the end of a
// step by impulses on them. A force F and a torque T count as F h^2 and T h^2.
typedef struct Compliance {
    int count;       // number of nodes
    const int* node; // ascending (count)
    // Row-major: x, y and z of each node and the rotation of the edge after it [1/kg], [1/(kg m)], [1/(kg
    // m^2)] ((4 count)^2).
    double* W;
    // Of a rod that moves in `rank` ways: W = factor' factor and a diagonal. By way, x, y and z of each node
    // (rank x 3 count); NULL: not asked for.
    double* factor;
} Compliance;

typedef struct Stepper {
    const char* name;
    bool any_step;    // steps of any length are stable
    int batch;        // largest batch of rods
    int adapt_every;  // steps between two remeshing checks of an adaptive rod
    int ledger_every; // steps between two updates of the ledger, for it to cost little
    bool frees_nodes; // its steps tell the velocities of held nodes without their clamps (Clamp.v_free)
    ContactResponse contact;
    // Elasticity acts within its steps: contact solves the rods that it moves again, in batches.
    bool again;
    // Newton's method also solves for welded bodies; else welds are projected after the prediction.
    bool joins;
    CordResult (*create)(Memory* m, Rod* rod, Message* message); // creates rod->stepping; NULL: it has none
    void (*destroy)(Memory* m, Rod* rod);
    // carries rod->stepping to new nodes; false: no memory
    bool (*remesh)(Memory* m, Rod* rod, const Remesh* map);
    bool (*alike)(const Rod* a, const Rod* b); // may they share a batch? NULL if batch is 1
    bool (*may_retry)(const Rod* rod);         // may a shorter step cure a failure? NULL: no
    // Names what loses energy in its steps without a trace (world/ledger.h); NULL: nothing
    const char* (*hidden_loss)(const Rod* rod);
    // Says how its steps would have less numerical damping; NULL, or it returns NULL: they keep energy where
    // they resolve the motion.
    const char* (*damping_advice)(const Rod* rod);
    size_t (*scratch)(const Island* island); // of predict, join and apply; NULL: none
    StepTimes (*times)(const Rod* rod, double h);
    // The number of parts that the rod asks each step to be taken in. Its stepper takes them, or, with
    // `by_world`, the world does, since contact must act in each of them: a contact force over all parts
    // would throw back what it stops. NULL: one.
    int (*substeps)(Rod* rod, bool by_world);
    double (*node_share)(const Rod* rod); // share of a node's mass that forces on it move; NULL: all of it
    // Steps each rod by itself. What welds tie it to follows in `join`.
    CordResult (*predict)(const Island* island, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                          Message* message);
    // Makes the welds of an assembly hold, after its bodies have moved freely for the step and its rods were
    // predicted. Calls the engines of bodies, so one thread alone does. NULL: its rods cannot be welded.
    CordResult (*join)(const Island* assembly, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                       Message* message);
    // Contact impulses have changed v_next: predicts x_next again from it.
    CordResult (*apply)(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Message* message);
    // Contact lets the rod take a share of its motion only: shortens what the stepper keeps beside x_next,
    // v_next and the spins of frames. NULL: nothing.
    void (*shorten)(Rod* rod, double share);
    // Contact corrects positions alone: keeps the velocities that the stepper has beside v_next and spins, or
    // restores them. NULL: nothing.
    void (*keep)(Rod* rod, bool restore);
    int compliance_nodes; // most nodes in contact for which W is worth its cost, (4 nodes)^2 entries
    size_t (*compliance_scratch)(const Rod* rod); // 0: only inverse masses are known
    int (*compliance_rank)(const Rod* rod);       // rows of Compliance.factor; NULL: it has none
    void (*compliance)(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                       Arena* scratch);
    void (*commit)(Rod* rod, const StepInfo* step); // cannot fail
    // Brings the frames to the end of the step, after `commit`. NULL: `commit` has done so.
    void (*settle)(Rod* rod, const StepInfo* step);
    // Inner forces of the step, which act at `time`, after `commit` and before `settle`, by node [N]. NULL:
    // they are those of its end.
    void (*forces)(const Rod* rod, double time, CordVec3* f);
    RateRule (*rates)(const Rod* rod); // how frames follow positions; NULL: RATES_EXPLICIT
    // did the last step leave the frames in equilibrium? NULL: no
    bool (*frames_settled)(const Rod* rod);
    void (*set_contact)(Rod* rod, bool on); // contact with friction was turned on or off; NULL: nothing
    void (*rest)(Rod* rod); // clears the history in rod->stepping after a static solve; NULL: nothing
    // Switch the rod to Newton's method where it is coupled to something that its own stepper cannot solve
    // for. Memory is reserved first, which may fail; then the switch is made. Velocities must be those of the
    // time of the positions. NULL: no switch is needed.
    CordResult (*reserve_switch)(Memory* m, Rod* rod, Message* message);
    void (*switch_to_newton)(Memory* m, Rod* rod);
    CordIntegrator newton; // integrator after the switch
    // The longest accurate step, by the error of the last one; NULL: stability limits the step.
    double (*accurate_step)(const Rod* rod, CordVec3 gravity);
    void (*state)(Rod* rod, Bytes* b); // NULL: the model's state is all
} Stepper;

extern const Stepper stepper_explicit, stepper_implicit, stepper_position, stepper_modal,
    stepper_implicit_any;

const Stepper* stepper_of(const Rod* rod);
StepperId stepper_choose(const CordRodDef* def);

// Updates frames after positions were committed (h > 0) or set (h = 0). stepper_jump_frames: the positions
// belong to new nodes.
void stepper_update_frames(Rod* rod, double time, double h);
void stepper_jump_frames(Rod* rod, double time);

// Stepper.reserve_switch and Stepper.switch_to_newton, for any rod. The second returns whether the stepper
// changed.
CordResult stepper_reserve_switch(Memory* m, Rod* rod, Message* message);
bool stepper_switch(Memory* m, Rod* rod);

void stepper_rest(Rod* rod);        // clears velocity and history, as after a static solve
void rod_state(Rod* rod, Bytes* b); // the state of a rod without its clamps and its model

// ---- shared by the steppers

void stepper_state(Rod* rod, Bytes* b); // Stepper.state of positions, velocities and multipliers
// Commits what all steppers share, in this order: clamps and loads, centreline, and frames.
void stepper_commit(Rod* rod, const StepInfo* step);
void stepper_commit_clamps(Rod* rod, const StepInfo* step);
void stepper_commit_line(Rod* rod, const StepInfo* step);
void stepper_settle(Rod* rod, const StepInfo* step);
// May a clamp turn frames farther than the model can follow? stepper_check_turns then fails, so that the step
// is retried at half its length.
bool stepper_may_cut_turns(const Rod* rod);
const char* stepper_hidden_loss(const Rod* rod);    // Stepper.hidden_loss
const char* stepper_damping_advice(const Rod* rod); // Stepper.damping_advice
CordResult stepper_check_turns(const Rod* rod, const StepInfo* step, Message* message);
// Fails if the frames found no equilibrium when they were last updated (rod->unsettled).
CordResult stepper_check_frames(const Rod* rod, Message* message);
bool stepper_frames_may_fail(const Rod* rod); // Model.frames_may_fail
// Fails if a clamp turns too far, or if clamps will be farther apart than the rod is long.
CordResult stepper_check_start(const Rod* rod, const StepInfo* step, Message* message);
CordResult stepper_check_trouble(const Rod* rod, Message* message); // Model.trouble
double stepper_speed2(const Rod* rod);                              // sum of |v_next|^2
CordResult stepper_check_speed(const Rod* rod, double speed2, double h, Message* message);
CordResult stepper_check_speeds(const Island* island, double h, Message* message); // of all its rods
// Ends the step at positions x (node_count) instead, with a share of its velocities; held nodes keep theirs.
void stepper_shorten(Rod* rod, const CordVec3* x, double share);
void stepper_keep_free(const Rod* rod);                // stores v_next as the contact-free velocity
void stepper_drift(const CordCenterline* c, double h); // x_next = x + h v_next

#endif
