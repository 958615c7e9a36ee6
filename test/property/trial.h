// Runs of a scene, and what is observed at their end.
#ifndef CORDAGE_TEST_PROPERTY_TRIAL_H
#define CORDAGE_TEST_PROPERTY_TRIAL_H

#include "scene.h"

enum { MOST_NODES = 512 }; // of a rod that is observed

// ---- what is observed

typedef enum Group { // quantities that are compared with one scale
    OF_POSITION,
    OF_VELOCITY,
    OF_FRAME,
    OF_TWIST,
    OF_ENERGY,
    OF_TENSION,
    OF_MOMENT,
    OF_SECTION_FORCE,
    OF_CLAMP_FORCE,
    OF_CLAMP_TORQUE,
    OF_BODY_POSITION,
    OF_BODY_AXIS,
    OF_BODY_VELOCITY,
    OF_BODY_SPIN,
    OF_OBSTACLE_FORCE,
    OF_OBSTACLE_TORQUE,
    GROUPS
} Group;

extern const char* const group_names[GROUPS];

typedef struct Quantity {
    Group group;
    Nature nature;
    Unit unit;
    double value[3];
} Quantity;

enum { MOST_QUANTITIES = 4096 };

typedef struct Observation { // things are in the order in which the scene was generated
    int count;
    Quantity all[MOST_QUANTITIES];
} Observation;

typedef struct Distance {
    double error[GROUPS]; // largest difference
    double scale[GROUPS]; // largest value
} Distance;

// The number of quantities must be the same in both.
Distance observation_distance(const Observation* a, const Observation* b);

// ---- runs

typedef struct RunDef {
    int threads; // 0: in place
    bool many;   // step_many instead of single steps
    int splits;  // so many times the world is saved, and another one built that goes on from there
    bool solve;  // an equilibrium instead of steps
    uint64_t seed;
    // Noise of the velocities, so that nodes are displaced by this within a step [m]. It comes before the
    // step `noise_at`, so that a run with a noise of zero and one with a small one tell how the scene
    // amplifies it. -1: none.
    int noise_at;
    double noise;
    // Before every step the positions of nodes are set anew, rounded as they are this far from the origin [m]
    bool sets_positions;
    double far;
} RunDef;

typedef struct Outcome {
    bool refused; // the scene could not be built
    CordResult result;
    int steps;       // that were taken
    int64_t retries; // steps taken in parts, or whose iterations ran out
    char message[512];
    uint64_t hash; // of the state at the end
    double EA;     // largest stretching stiffness, of springs in place of constraints, too [N]
    Observation seen;
} Outcome;

RunDef run_def(void);
void scene_run(const Scene* s, const RunDef* def, Outcome* outcome);
CordWorld* scene_world(const Scene* s, int threads, char message[512]); // NULL: refused

void scene_observe(const Scene* s, CordWorld* world, Observation* seen);

#endif
