// Violent scenes from seeds: rods of every model and stepper that are thrown at each other and at obstacles.
#ifndef CORDAGE_TEST_VIOLENT_SCENE_H
#define CORDAGE_TEST_VIOLENT_SCENE_H

#include "passage.h"

#include <cordage/contact.h>

typedef enum Stepper { EXPLICIT, IMPLICIT, POSITION_BASED, MIXED, STEPPERS } Stepper;

extern const char* const stepper_names[STEPPERS];

typedef struct Scene {
    Stepper stepper; // MIXED: every rod has one of its own
    double step;     // [s]
    int steps;
    double thrown;      // largest displacement of a rod in a step, over the radius
    double slenderness; // element length over the radius
    bool driven;        // clamps or obstacles move
    bool swings;        // a rod has the midpoint rule, which does not keep the energy of bending
    int clamp_count;
    CordClampId jerked[MOST_RODS];
    double jerk;    // how far a clamp jumps [m]
    Snapshot start; // rods and obstacles
} Scene;

// Builds the scene of a seed. NULL: the library refused it, and `message` says why. Meshes outlive the world.
CordWorld* scene_build(uint64_t seed, bool contact, Scene* scene, char message[256]);

// Reads rods and obstacles. The radii, lengths and solids come from the scene.
void scene_snapshot(const CordWorld* world, const Scene* scene, Snapshot* snapshot);

#endif
