// The worlds that `cordage bench` measures, and the timing of their steps.
#ifndef CORDAGE_CLI_BENCH_WORLD_H
#define CORDAGE_CLI_BENCH_WORLD_H

#include "../../experiments/lab.h"

// Rods of soft rubber in free fall, wavy so that every term of the forces counts.
typedef struct BenchRods {
    int rods, elements, threads;
    double length; // of each rod [m]
    CordIntegrator integrator;
    bool inextensible;
    bool general; // an anisotropic section, and a rest curvature that differs from the shape
    CordModel model;
    CordOrientations orientations; // of corde
    CordPbdSolver solver;          // of pbd
    int iterations;                // of pbd in each step, exactly; 0: the default
} BenchRods;

// *bytes becomes the memory that it holds, and must outlive it; NULL: not counted.
CordWorld* bench_rods(Lab* lab, const BenchRods* def, size_t* bytes);

// A metre of rubber, 2 cm thick and horizontal: clamped (CORD_FIX_FRAME), or hung by a hinge.
CordWorld* bench_cantilever(Lab* lab, int elements, CordIntegrator integrator, CordFix fix);

// A row of junctions of three inextensible rods of ten elements: a stem from junction to junction, and a twig
// from each. They start slightly bent, and vibrate.
CordWorld* bench_junctions(Lab* lab, int junctions);

// Close-coiled springs of rubber in rows, each pressed together by its own tension. Explicit.
CordWorld* bench_springs(Lab* lab, int springs, int elements);

// An overhand knot that is pulled tight. Implicit.
CordWorld* bench_knot(Lab* lab, int elements);

// Position-based ropes in layers, every other layer across, that fall into an open box.
CordWorld* bench_heap(Lab* lab, int ropes, int elements, int threads);

// Position-based ropes as in a game: half of them fall on boxes and the ground, the others swing from hooks
// and reach them.
CordWorld* bench_game(Lab* lab, int ropes, int elements);

// Strands of hair, each clamped at its root, that fall from the horizontal.
CordWorld* bench_hair(Lab* lab, int strands, int elements, int threads);

// A modal rod: the edges of a triangulated ball that stands on its lower pole, with `rings` rings of twice as
// many nodes.
CordWorld* bench_ball(Lab* lab, int rings, int modes);

typedef struct BenchTiming {
    double h;           // length of a step [s]
    int warm_up, steps; // steps before, and in each round
    int rounds;         // the best one counts
    int threads;
} BenchTiming;

double bench_step_time(Lab* lab, CordWorld* world, BenchTiming timing); // of one [s]

// Time of `steps` steps in the best of several rounds from the same state [s]; NAN: they failed. Processor
// time on one thread, so that other programs do not count; wall time on several.
double bench_time_steps(CordWorld* world, double h, int steps, int rounds, int threads);

typedef struct BenchFrames { // steps that were timed one by one, by processor time
    int steps;               // that were taken
    double mean, worst;      // of one [s]
    bool refused;            // a step failed, and ended them
} BenchFrames;

// Takes up to `steps` steps, and no more once they have taken `limit` [s].
BenchFrames bench_frames(CordWorld* world, double h, int steps, double limit);

// Times to create and to destroy `count` rods of eight elements, and what belongs to them [s].
typedef struct BenchCreation {
    double rods;             // creating the rods
    double others;           // a clamp, a load, a probe, a body, a weld and an obstacle for each
    double step;             // the first step, which prepares everything
    double rods_destroyed;   // with clamps, loads, probes and welds, in the order of creation
    double others_destroyed; // bodies, obstacles and the world
} BenchCreation;

BenchCreation bench_creation(Lab* lab, int count);

#endif
