// The falling coil of ACM, figures 6 and 7.
#ifndef CORDAGE_CLI_ACM_COIL_H
#define CORDAGE_CLI_ACM_COIL_H

#include <cordage/contact.h>

#include <stdbool.h>

enum { COIL_SAMPLES = 14 };

typedef struct CoilSample { // ten steps
    double time;            // after the last of them [s]
    int near;               // pairs that are not farther apart than a twentieth of a radius
    int collisions;         // pairs that would overlap if the first step took no notice of contact
    double depth;           // of those in the mean, over the radius
    double iterations;      // in the mean
    int most_iterations;
    double contact; // to find contacts and to respond, in the mean [s]
    double others;  // forces, the step of velocities, frames, in the mean [s]
    double deepest; // overlap that is left after any of them, over the radius
} CoilSample;

typedef struct CoilRun {
    CoilSample at[COIL_SAMPLES];
    int64_t retries;
} CoilRun;

extern const double coil_step;      // the paper's [s]
extern const double coil_tolerance; // likewise, over the radius

// The scene acm/fig7, from the moment when it lands. False: it failed, and that was said.
bool coil_run(CordResponse response, CoilRun* run);

#endif
