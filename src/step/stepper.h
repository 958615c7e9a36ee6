// How a rod gets from t to t + h. Every rod has one stepper (rod->stepper); nobody above this folder asks
// which. A stepper predicts the end of a step into x_next and v_next, which contacts and welds may still
// change, and commits it once it stands.
#ifndef CORD_STEP_STEPPER_H
#define CORD_STEP_STEPPER_H

#include "base/stopwatch.h"
#include "model/model.h"

#define STEPPER_BATCH 4 // rods that are stepped side by side, at the most

typedef struct StepTimes {
    double kick;    // over which the forces of the step act [s]
    double lag;     // by which velocities lie before positions now [s]
    double after;   // of a welded body's kick, the part that acts after its flight [s]
    bool staggered; // velocities lie half a step before positions
} StepTimes;

typedef enum ContactResponse { // how contacts of its rods are resolved: world/contact.h
    CONTACT_IMPULSES,          // after the prediction, by impulses
    CONTACT_BARRIER,           // inside Newton's method, of all rods together
    CONTACT_MODAL,             // on the modes
} ContactResponse;

// W = J A^-1 J^T of touched nodes: how the end of a step moves, to first order, with impulses on them. Where
// a force is F and a torque T, the impulse counts as F h^2 and T h^2.
typedef struct Compliance {
    int count;       // of the nodes
    const int* node; // ascending (count)
    // Row by row: x, y and z of each node and the turn of the edge after it [1/kg], [1/(kg m)],
    // [1/(kg m^2)] ((4 count)^2).
    double* W;
} Compliance;

typedef struct Stepper {
    const char* name;
    bool any_step;    // steps of any length are stable
    bool exact_start; // goes on with velocities that lengths and welds must allow from the first step on
    int batch;        // rods that may be stepped side by side
    int adapt_every;  // steps between two looks at the nodes of an adaptive rod
    ContactResponse contact;
    bool
        joins; // Newton's method solves for welded bodies, too; else welds are projected after the prediction
    CordResult (*create)(Memory* m, Rod* rod, Message* message); // rod->stepping; NULL: it has none
    void (*destroy)(Memory* m, Rod* rod);
    bool (*remesh)(Memory* m, Rod* rod, const Remesh* map); // rod->stepping of other nodes; false: no memory
    bool (*alike)(const Rod* a, const Rod* b);              // may they share a batch?
    bool (*may_retry)(const Rod* rod); // may a step fail in a way that a shorter one cures? NULL: no
    size_t (*scratch)(const Rod* rod); // NULL: none
    StepTimes (*times)(const Rod* rod, double h);
    CordResult (*predict)(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Stopwatch* watch,
                          Message* message);
    // Contact by impulses: v_next was changed. Predicts x_next from it again.
    CordResult (*apply)(Rod* const* rods, int count, const StepInfo* step, Arena* scratch, Message* message);
    size_t (*compliance_scratch)(const Rod* rod); // 0: inverse masses are all it knows
    void (*compliance)(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                       Arena* scratch);
    void (*commit)(Rod* rod, const StepInfo* step); // cannot fail
    RateRule (*rates)(const Rod* rod);              // how frames get to new positions; NULL: RATES_EXPLICIT
    bool (*frames_settled)(const Rod* rod);         // the last step left frames in equilibrium; NULL: no
    void (*rest)(Rod* rod); // a solve has ended: forgets what steps have left in rod->stepping; NULL: nothing
    // Hands the rod over to Newton's method, where something ties it to others that its own stepper cannot
    // step with. Room first, which may fail; then the switch. NULL: it needs none.
    CordResult (*reserve_switch)(Memory* m, Rod* rod, Message* message);
    void (*switch_to_newton)(Memory* m, Rod* rod);
    // The longest accurate step by the error of the last one; NULL: stability limits it.
    double (*accurate_step)(const Rod* rod, CordVec3 gravity);
    void (*state)(Rod* rod, Bytes* b);
} Stepper;

extern const Stepper stepper_explicit, stepper_implicit, stepper_position, stepper_modal,
    stepper_implicit_any;

const Stepper* stepper_of(const Rod* rod);
StepperId stepper_choose(const CordRodDef* def);

// Frames follow positions that were just committed (h > 0), were set (h = 0), or belong to other nodes
// (jump).
void stepper_update_frames(Rod* rod, double time, double h);
void stepper_jump_frames(Rod* rod, double time);

// A rod that something ties to others is stepped by Newton's method instead, where its own stepper cannot.
// Room first, which may fail; then the switch. Returns whether it was made.
CordResult stepper_reserve_switch(Memory* m, Rod* rod, Message* message);
bool stepper_switch(Memory* m, Rod* rod);
CordIntegrator stepper_welded_integrator(const Rod* rod); // that a rod has once it is welded

void stepper_rest(Rod* rod);        // as a solve leaves it: without velocity and history
void rod_state(Rod* rod, Bytes* b); // all of a rod's state but its clamps' and its model's

// ---- shared by the steppers

enum { STATE_POSITIONS = 1, STATE_PULL = 2 };
void stepper_state(Rod* rod, Bytes* b, unsigned what);
StepTimes stepper_times_together(const Rod* rod, double h); // positions and velocities are of one time
// Commits what all steppers have, in this order: clamps and loads, then centreline and frames.
void stepper_commit(Rod* rod, const StepInfo* step);
void stepper_commit_clamps(Rod* rod, const StepInfo* step);
void stepper_commit_line(Rod* rod, const StepInfo* step);
CordResult stepper_check_frames(const Rod* rod, Message* message); // did they find an equilibrium?
double stepper_speed2(const Rod* rod);                             // sum of the squares of v_next
CordResult stepper_check_speed(const Rod* rod, double speed2, double h, Message* message);
void stepper_keep_free(const Rod* rod);                // contact starts from v_next as it is now
void stepper_drift(const CordCenterline* c, double h); // x_next = x + h v_next

#endif
