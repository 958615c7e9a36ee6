// How fast each part is, beside a goal and what other programs need for the same.
#include "../../experiments/timing.h"
#include "bench_world.h"
#include "command.h"
#include "console.h"
#include "json.h"
#include "options.h"
#include "reproduce.h"

#include <cordage/contact.h>
#include <cordage/math.h>

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 }; // timings of each case; the best is the least disturbed one

typedef struct BenchResult {
    double value;     // NAN: it failed
    char detail[160]; // what was measured, or ""
} BenchResult;

typedef struct BenchCase {
    const char* name;
    const char* unit;
    double goal; // NAN: none
    BenchResult (*measure)(Lab* lab, const BenchRods* rods);
    const BenchRods* rods; // what is measured; NULL: the function knows
    const char* about;
    const char* others; // other programs, in the same unit
} BenchCase;

// The cost at the last size over the cost at the first.
static BenchResult ratio(int count, const double* cost, const int* size, const char* unit)
{
    BenchResult r = {.value = cost[count - 1] / cost[0]};
    for (int i = 0, n = 0; i < count; i++) {
        n += snprintf(r.detail + n, sizeof r.detail - (size_t)n, "%s%.4g %s at %d", i > 0 ? ", " : "",
                      cost[i], unit, size[i]);
    }
    return r;
}

// ---- steps

static double step_cost(Lab* lab, const BenchRods* rods) // [ns per element and step]
{
    bool implicit = rods->integrator == CORD_INTEGRATOR_MIDPOINT;
    double elements = (double)rods->rods * rods->elements, element_steps = implicit ? 2e5 : 1e7;
    CordWorld* world = bench_rods(lab, rods, NULL);
    BenchTiming timing = {.h = implicit ? 1e-3 : 0.5 * cord_world_step_advice(world).step,
                          .warm_up = implicit ? 10 : 100,
                          .steps = (int)fmax(implicit ? 4.0 : 20.0, element_steps / elements),
                          .rounds = implicit ? 3 : ROUNDS,
                          .threads = rods->threads};
    return 1e9 * bench_step_time(lab, world, timing) / elements;
}

static BenchResult measure_steps(Lab* lab, const BenchRods* rods)
{
    return (BenchResult){.value = step_cost(lab, rods)};
}

// A long rod against a short one. Elements have the same length in both.
static BenchResult measure_long(Lab* lab, const BenchRods* rods)
{
    BenchRods few = *rods;
    few.elements = 50;
    few.length = rods->length * few.elements / rods->elements;
    double cost[] = {step_cost(lab, &few), step_cost(lab, rods)};
    return ratio(2, cost, (int[]){few.elements, rods->elements}, "ns");
}

static BenchResult measure_memory(Lab* lab, const BenchRods* rods) // [bytes per element]
{
    size_t* bytes = lab_room(lab, 1, sizeof *bytes);
    CordWorld* world = bench_rods(lab, rods, bytes);
    lab_steps(lab, world, 1e-9, 1);
    return (BenchResult){.value = (double)*bytes / ((double)rods->rods * rods->elements)};
}

static double half_stable_step(CordWorld* world)
{
    return 0.5 * cord_world_step_advice(world).step;
}

static double junction_cost(Lab* lab, int junctions) // [us per junction and step]
{
    CordWorld* world = bench_junctions(lab, junctions);
    BenchTiming timing = {.h = half_stable_step(world),
                          .warm_up = 20,
                          .steps = (int)fmax(10.0, 1e4 / junctions),
                          .rounds = 15,
                          .threads = 1};
    return 1e6 * bench_step_time(lab, world, timing) / junctions;
}

static BenchResult measure_junctions(Lab* lab, const BenchRods* rods)
{
    (void)rods;
    double cost[] = {junction_cost(lab, 10), junction_cost(lab, 1000)};
    return ratio(2, cost, (int[]){10, 1000}, "us");
}

static double mean_iterations(Lab* lab, CordWorld* world, double h,
                              int steps) // of Newton's method, in a step
{
    int64_t sum = 0;
    for (int i = 0; i < steps; i++) {
        lab_steps(lab, world, h, 1);
        sum += cord_world_step_report(world).iterations;
    }
    return (double)sum / steps;
}

static BenchResult measure_swing(Lab* lab, const BenchRods* rods)
{
    const double h = 1e-3;
    enum { STEPS = 500 };
    CordWorld* world = bench_cantilever(lab, rods->elements, rods->integrator, CORD_FIX_POSITION);
    BenchTiming timing = {h, 100, STEPS, ROUNDS, rods->threads};
    BenchResult r = {.value = 1e9 * bench_step_time(lab, world, timing) / rods->elements};
    snprintf(r.detail, sizeof r.detail, "%.3g iterations a step", mean_iterations(lab, world, h, STEPS));
    return r;
}

// ---- the cantilever

static const double cantilever_time = 0.2; // [s]

// The tip after cantilever_time in equal steps. *seconds is the time of the best of several rounds; NAN: the
// steps failed.
static CordVec3 cantilever_tip(Lab* lab, int elements, CordIntegrator integrator, int steps, int rounds,
                               double* seconds)
{
    CordWorld* world = bench_cantilever(lab, elements, integrator, CORD_FIX_FRAME);
    *seconds = bench_time_steps(world, cantilever_time / steps, steps, rounds, 1);
    return lab_node(lab, world, 0, -1);
}

// Explicit steps of `share` of the stable step in the initial state.
static int cantilever_steps(Lab* lab, int elements, double share)
{
    CordWorld* world = bench_cantilever(lab, elements, CORD_INTEGRATOR_VERLET, CORD_FIX_FRAME);
    return (int)ceil(cantilever_time / (share * cord_world_step_advice(world).step));
}

typedef struct Attempt {
    CordIntegrator integrator;
    double h; // [s]; 0: the longest stable step
} Attempt;

static const Attempt attempts[] = {
    {CORD_INTEGRATOR_VERLET, 0.0},     {CORD_INTEGRATOR_MIDPOINT, 0.002},
    {CORD_INTEGRATOR_MIDPOINT, 0.005}, {CORD_INTEGRATOR_MIDPOINT, 0.01},
    {CORD_INTEGRATOR_MIDPOINT, 0.02},  {CORD_INTEGRATOR_BACKWARD_EULER, 0.001},
};

// The fastest attempt whose tip is within 1 % of its displacement of the converged one. That has four times
// as many elements and half the stable step: its own error is a sixteenth of what is measured. The longest
// stable step is 0.95 of the initial advice, since the tension grows.
static BenchResult measure_cantilever(Lab* lab, const BenchRods* rods)
{
    BenchResult best = {.value = NAN};
    int fine = 4 * rods->elements;
    double seconds;
    CordVec3 answer =
        cantilever_tip(lab, fine, CORD_INTEGRATOR_VERLET, cantilever_steps(lab, fine, 0.5), 1, &seconds);
    double moved = cord_vec3_distance(answer, cord_vec3(1, 0, 0));
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        bool is_explicit = attempts[i].h == 0.0;
        int steps = is_explicit ? cantilever_steps(lab, rods->elements, 0.95)
                                : (int)ceil(cantilever_time / attempts[i].h);
        CordVec3 tip = cantilever_tip(lab, rods->elements, attempts[i].integrator, steps, ROUNDS, &seconds);
        double error = cord_vec3_distance(tip, answer) / moved, cost = seconds / cantilever_time;
        if (isfinite(cost) && error < 0.01 && !(cost >= best.value)) {
            best.value = cost;
            snprintf(best.detail, sizeof best.detail, "%s, steps of %.2g s, tip off by %.2g %%",
                     is_explicit ? "explicit" : "implicit", cantilever_time / steps, 100.0 * error);
        }
    }
    return best;
}

// ---- scenes of the papers

static BenchResult measure_table1(Lab* lab, const BenchRods* rods)
{
    BenchResult worst = {.value = 0.0};
    (void)rods;
    for (int i = 0; i < TIMING_TABLE1; i++) {
        TimingStep cost = timing_table1(lab, i, NULL), paper = timing_table1_paper(i);
        double share = cost.total / paper.total;
        if (share > worst.value) {
            worst.value = share;
            snprintf(worst.detail, sizeof worst.detail, "figure %d, %.3g us, %.0f times faster", paper.figure,
                     1e6 * cost.total, 1.0 / share);
        }
    }
    return worst;
}

static BenchResult measure_fig11(Lab* lab, const BenchRods* rods)
{
    int row = 0;
    (void)rods;
    while (timing_table1_paper(row).figure != 11) {
        row++;
    }
    return (BenchResult){.value = 1e6 * timing_table1(lab, row, NULL).total};
}

static BenchResult measure_adaptive(Lab* lab, const BenchRods* rods)
{
    TimingRopes fine, adaptive;
    (void)rods;
    timing_fisherman(lab, &fine, &adaptive);
    BenchResult r = {.value = adaptive.step / fine.step};
    snprintf(r.detail, sizeof r.detail, "%.4g of %.4g us; %.0f of %.0f nodes, %.1f of %.1f contacts",
             1e6 * adaptive.step, 1e6 * fine.step, adaptive.nodes, fine.nodes, adaptive.contacts,
             fine.contacts);
    return r;
}

// ---- position-based rods

static const double pbd_h = 1.0 / 240.0; // [s]

static double pbd_step_time(Lab* lab, BenchRods rods,
                            int iterations) // [s per element]; 0: default iterations
{
    rods.iterations = iterations;
    double elements = (double)rods.rods * rods.elements;
    return bench_step_time(lab, bench_rods(lab, &rods, NULL),
                           (BenchTiming){pbd_h, 12, (int)fmax(2.0, 1e5 / elements), ROUNDS, rods.threads}) /
           elements;
}

// The cost of an iteration is the difference between steps of many and of few, so that the rest of a step
// does not count.
static BenchResult measure_iteration(Lab* lab, const BenchRods* rods)
{
    enum { FEW = 2, MANY = 12 };
    double difference = pbd_step_time(lab, *rods, MANY) - pbd_step_time(lab, *rods, FEW);
    BenchResult r = {.value = 1e9 * difference / (MANY - FEW)};
    snprintf(r.detail, sizeof r.detail, "a whole step %.4g ns per element",
             1e9 * pbd_step_time(lab, *rods, 0));
    return r;
}

// From one step to the next every strand has left the cache, as in an animation with a picture of every step.
static double strands_per_ms(Lab* lab, const BenchRods* rods, int threads)
{
    CordWorld* world = bench_hair(lab, rods->rods, rods->elements, threads);
    return 1e-3 * rods->rods / bench_step_time(lab, world, (BenchTiming){pbd_h, 12, 1, 9, threads});
}

static BenchResult measure_hair(Lab* lab, const BenchRods* rods)
{
    double one = strands_per_ms(lab, rods, 1), two = strands_per_ms(lab, rods, 2);
    BenchResult r = {.value = rods->threads == 1   ? one
                              : rods->threads == 2 ? two
                                                   : strands_per_ms(lab, rods, rods->threads)};
    snprintf(r.detail, sizeof r.detail, "%.4g with 1 thread, %.4g with 2", one, two);
    return r;
}

// ---- modal rods

static TimingModal animal_cost(Lab* lab)
{
    return timing_modal(lab, lab_world_timed(lab, LAB_UNTIMED, "modal/fig7", LAB_AS_SHIPPED));
}

static BenchResult measure_modal_frame(Lab* lab, const BenchRods* rods)
{
    (void)rods;
    TimingModal b = animal_cost(lab);
    BenchResult r = {.value = 1e6 * b.frame};
    snprintf(r.detail, sizeof r.detail, "%.0f frames/s; %d modes found in %.3g s", 1.0 / b.frame, b.found,
             b.modes);
    return r;
}

static BenchResult measure_modal_search(Lab* lab, const BenchRods* rods)
{
    (void)rods;
    TimingModal b = animal_cost(lab);
    BenchResult r = {.value = b.modes};
    snprintf(r.detail, sizeof r.detail, "%d modes of %d unknowns", b.found, b.unknowns);
    return r;
}

static BenchResult measure_modal_modes(Lab* lab, const BenchRods* rods)
{
    enum { COUNTS = 4 };
    static const int modes[COUNTS] = {8, 16, 32, 64};
    double cost[COUNTS]; // [us]
    (void)rods;
    for (int i = 0; i < COUNTS; i++) {
        cost[i] = 1e6 * timing_modal(lab, bench_ball(lab, 25, modes[i])).frame;
    }
    return ratio(COUNTS, cost, modes, "us");
}

static BenchResult measure_modal_nodes(Lab* lab, const BenchRods* rods)
{
    enum { COUNTS = 3 };
    static const int rings[COUNTS] = {10, 25, 60};
    double cost[COUNTS]; // [ns per node]
    int nodes[COUNTS];
    (void)rods;
    for (int i = 0; i < COUNTS; i++) {
        TimingModal b = timing_modal(lab, bench_ball(lab, rings[i], 8));
        nodes[i] = b.nodes;
        cost[i] = 1e9 * b.frame / b.nodes;
    }
    return ratio(COUNTS, cost, nodes, "ns");
}

// ---- contact

// Times steps of a world in contact, in `unit` [s], and discards it.
static BenchResult contact_cost(Lab* lab, CordWorld* world, BenchTiming t, double unit)
{
    BenchResult r = {.value = bench_step_time(lab, world, t) / unit};
    int64_t before = cord_world_contact_report(world).iterations_in_all;
    lab_steps(lab, world, t.h, t.steps);
    CordContactReport report = cord_world_contact_report(world);
    snprintf(r.detail, sizeof r.detail, "%d contacts, %.3g iterations a step", report.contacts,
             (double)(report.iterations_in_all - before) / t.steps);
    lab_discard(lab, world);
    return r;
}

static BenchResult measure_spring(Lab* lab, const BenchRods* rods)
{
    CordWorld* world = bench_springs(lab, 1, rods->elements);
    int steps = (int)fmax(2.0, 2e5 / rods->elements); // some tenths of a second
    return contact_cost(lab, world, (BenchTiming){half_stable_step(world), 40, steps, ROUNDS, 1}, 1e-6);
}

// The falling coil when it has slumped, in the paper's steps.
static BenchResult coil_cost(Lab* lab, int threads, int clock) // [ms per step]; clock: as of so many threads
{
    CordWorldDef hooks = cord_world_def_default();
    hooks.tasks = cord_tasks_openmp(threads);
    CordWorld* world = reproduce_host()->open(&hooks, "acm/fig7", NULL, 0);
    lab_adopt(lab, world);
    return contact_cost(lab, world, (BenchTiming){1e-4, 900, 20, 5, clock}, 1e-3);
}

static BenchResult measure_coil(Lab* lab, const BenchRods* rods)
{
    (void)rods;
    return coil_cost(lab, 1, 1);
}

static BenchResult measure_knot(Lab* lab, const BenchRods* rods)
{
    return contact_cost(lab, bench_knot(lab, rods->elements), (BenchTiming){1e-3, 150, 20, 5, 1}, 1e-3);
}

// The number of iterations changes from step to step, so every world takes the same steps.
static BenchResult measure_springs(Lab* lab, const BenchRods* rods)
{
    enum { COUNTS = 3 };
    static const int springs[COUNTS] = {1, 10, 100};
    double cost[COUNTS]; // [ns per element and step]
    int elements[COUNTS];
    for (int i = 0; i < COUNTS; i++) {
        double best = INFINITY;
        elements[i] = springs[i] * rods->elements;
        for (int round = 0; round < (springs[i] > 20 ? 2 : 20 / springs[i]); round++) {
            CordWorld* world = bench_springs(lab, springs[i], rods->elements);
            best = fmin(
                best,
                contact_cost(lab, world, (BenchTiming){half_stable_step(world), 40, 20, 1, 1}, 1e-9).value);
        }
        cost[i] = best / elements[i];
    }
    return ratio(COUNTS, cost, elements, "ns");
}

static const double frame_h = 1.0 / 60.0; // [s]
static const double frames_limit = 20.0;  // processor time of the frames of a case [s]

static BenchResult frames_result(const CordWorld* world, BenchFrames f, int steps, double value)
{
    BenchResult r = {.value = 1e3 * value};
    snprintf(r.detail, sizeof r.detail,
             "mean %.4g ms, worst %.4g ms of %d steps%s, %d retried, %d contacts at the end", 1e3 * f.mean,
             1e3 * f.worst, f.steps,
             f.refused         ? ", the last of which failed"
             : f.steps < steps ? ", which took the time allowed"
                               : "",
             (int)cord_world_retries(world), cord_world_contact_report(world).contacts);
    return r;
}

// Two seconds: the ropes fall, and come to lie on each other.
static BenchResult measure_heap(Lab* lab, const BenchRods* rods)
{
    enum { STEPS = 120 };
    CordWorld* world = bench_heap(lab, rods->rods, rods->elements, 1);
    BenchFrames f = bench_frames(world, frame_h, STEPS, frames_limit);
    return frames_result(world, f, STEPS, f.mean);
}

// Two seconds, of which the first is not measured: ropes fall on boxes and the ground.
static BenchFrames game_frames(Lab* lab, const BenchRods* rods, int steps, CordWorld** world)
{
    *world = bench_game(lab, rods->rods, rods->elements);
    (void)bench_frames(*world, frame_h, 60, frames_limit);
    return bench_frames(*world, frame_h, steps, frames_limit);
}

static BenchResult measure_game(Lab* lab, const BenchRods* rods)
{
    CordWorld* world;
    BenchFrames f = game_frames(lab, rods, 60, &world);
    return frames_result(world, f, 60, f.mean);
}

static BenchResult measure_game_worst(Lab* lab, const BenchRods* rods)
{
    CordWorld* world;
    BenchFrames f = game_frames(lab, rods, 60, &world);
    return frames_result(world, f, 60, f.worst);
}

// PyElastica's run: turned at a fifth of a turn a second, then 50 s at rest, with drag that slows everything
// down at 2/s. Steps are half the stable one, which changes as the rod twists. Where their number or the time
// runs out, the time is that of the part, over the share that it is.
static BenchResult measure_plectoneme(Lab* lab, const BenchRods* rods)
{
    enum { ROUND = 100, MOST_ROUNDS = 10000 };
    const double turns = 2.78, end = 5.0 * turns + 50.0, limit = 60.0;
    CordWorld* world = lab_world_timed(lab, LAB_UNTIMED, "peers/elastica_plectoneme",
                                       "rods[0].integrator=verlet; rods[0].elements=%d; "
                                       "clamps[1].motion[0].rotate.turns=%g; clamps[1].motion[0].to=%g; "
                                       "loads[0].drag.along=2; loads[0].drag.across=2; loads[1].force.to=8",
                                       rods->elements, turns, 5.0 * turns);
    double begun = clock_cpu(), time = 0.0;
    int most = 0;
    for (int i = 0; i < MOST_ROUNDS && time < end && clock_cpu() - begun < limit; i++) {
        lab_steps(lab, world, half_stable_step(world), ROUND);
        int contacts = cord_world_contact_report(world).contacts;
        most = contacts > most ? contacts : most;
        time = cord_world_time(world);
    }
    BenchResult r = {.value = (clock_cpu() - begun) * fmax(1.0, end / time)};
    snprintf(r.detail, sizeof r.detail,
             "%lld steps to %.3g of %.3g s, up to %d contacts, %.2g mJ of motion at the end",
             (long long)cord_world_steps(world), time, end, most,
             1e3 * cord_rod_energy(world, cord_world_rod(world, 0)).kinetic);
    return r;
}

static double heap_time(Lab* lab, int threads) // of a step as the ropes fall and the first layers land [s]
{
    CordWorld* world = bench_heap(lab, 100, 50, threads);
    return bench_step_time(lab, world, (BenchTiming){frame_h, 0, 7, 1, 2});
}

// The time of two threads over that of one, both by the clock on the wall: the worse of the coil and the
// heap.
static BenchResult measure_threads(Lab* lab, const BenchRods* rods)
{
    (void)rods;
    double coil = coil_cost(lab, 2, 2).value / coil_cost(lab, 1, 2).value,
           heap = heap_time(lab, 2) / heap_time(lab, 1);
    BenchResult r = {.value = fmax(coil, heap)};
    snprintf(r.detail, sizeof r.detail, "coil %.3g, heap %.3g times faster", 1.0 / coil, 1.0 / heap);
    return r;
}

// ---- creation

static BenchResult measure_creation(Lab* lab, const BenchRods* rods)
{
    BenchCreation cost = bench_creation(lab, rods->rods);
    BenchResult r = {.value = cost.rods};
    snprintf(r.detail, sizeof r.detail,
             "all else %.3g s, first step %.3g s; rods destroyed %.3g s, all else %.3g s", cost.others,
             cost.step, cost.rods_destroyed, cost.others_destroyed);
    return r;
}

static BenchResult measure_linear_creation(Lab* lab, const BenchRods* rods)
{
    const int counts[] = {10000, rods->rods};
    double cost[2]; // [us per rod]
    for (int i = 0; i < 2; i++) {
        BenchCreation c = bench_creation(lab, counts[i]);
        cost[i] = 1e6 * (c.rods + c.others + c.step + c.rods_destroyed + c.others_destroyed) / counts[i];
    }
    return ratio(2, cost, counts, "us");
}

// ---- cases

static const BenchRods one_rod = {.rods = 1, .elements = 1000, .length = 1.0};
static const BenchRods many_rods = {.rods = 1000, .elements = 50, .length = 1.0};
static const BenchRods inextensible = {.rods = 1, .elements = 1000, .length = 1.0, .inextensible = true};
static const BenchRods general = {.rods = 1, .elements = 1000, .length = 1.0, .general = true};
static const BenchRods corde = {.rods = 1, .elements = 1000, .length = 1.0, .model = CORD_MODEL_CORDE};
static const BenchRods corde_explicit = {.rods = 1,
                                         .elements = 1000,
                                         .length = 1.0,
                                         .model = CORD_MODEL_CORDE,
                                         .orientations = CORD_ORIENTATIONS_EXPLICIT};
static const BenchRods xpbd_one = {.rods = 1, .elements = 1000, .length = 1.0, .model = CORD_MODEL_PBD};
static const BenchRods xpbd_many = {.rods = 1000, .elements = 50, .length = 1.0, .model = CORD_MODEL_PBD};
static const BenchRods pber_one = {
    .rods = 1, .elements = 1000, .length = 1.0, .model = CORD_MODEL_PBD, .solver = CORD_PBD_PBD};
static const BenchRods pber_many = {
    .rods = 1000, .elements = 50, .length = 1.0, .model = CORD_MODEL_PBD, .solver = CORD_PBD_PBD};
static const BenchRods long_explicit = {.rods = 1, .elements = 50000, .length = 500.0};
static const BenchRods long_implicit = {
    .rods = 1, .elements = 50000, .length = 500.0, .integrator = CORD_INTEGRATOR_MIDPOINT};
static const BenchRods swing = {.elements = 100, .integrator = CORD_INTEGRATOR_MIDPOINT};
static const BenchRods hair = {.rods = 10000, .elements = 30};
static const BenchRods cantilever = {.elements = 100};
static const BenchRods knot = {.elements = 200};
static const BenchRods spring = {.elements = 800};
static const BenchRods springs = {.elements = 1000};
static const BenchRods heap = {.rods = 100, .elements = 50};
static const BenchRods game = {.rods = 200, .elements = 16};
static const BenchRods plectoneme = {.elements = 50};
static const BenchRods created = {.rods = 100000};

#define PER_STEP "ns per element and step"

static const BenchCase cases[] = {
    {"der-explicit", PER_STEP, 10.0, measure_steps, &one_rod,
     "DER explicit, extensible, one rod of 1,000 elements", "PyElastica 294, DisMech 668"},
    {"der-rattle", PER_STEP, 30.0, measure_steps, &inextensible,
     "DER explicit, inextensible (RATTLE), one rod of 1,000 elements", ""},
    {"der-general", PER_STEP, 60.0, measure_steps, &general,
     "DER explicit, anisotropic and curved, quasistatic frame, one rod of 1,000 elements", ""},
    {"der-many", PER_STEP, 9.0, measure_steps, &many_rods,
     "DER explicit, extensible, 1,000 rods of 50 elements", "PyElastica 715"},
    {"der-implicit", PER_STEP, 500.0, measure_swing, &swing,
     "DER implicit, 100 elements, steps of 1 ms, a rod swinging", "DisMech 16,000 to 19,000"},
    {"corde", PER_STEP, 20.0, measure_steps, &corde_explicit,
     "CORDE explicit, orientations too, extensible, one rod of 1,000 elements", "the paper 1,240"},
    {"corde-quasistatic", PER_STEP, NAN, measure_steps, &corde,
     "CORDE explicit, quasistatic orientations, extensible, one rod of 1,000 elements", ""},
    {"pbd-sweep", "ns per element", 50.0, measure_iteration, &pber_many,
     "PBER, one sweep over all constraints, 1,000 rods of 50 elements", "PositionBasedDynamics 1,300"},
    {"pbd-sweep-single", "ns per element", 210.0, measure_iteration, &pber_one,
     "PBER, one sweep over all constraints, one rod of 1,000 elements", ""},
    {"xpbd", "ns per element", NAN, measure_iteration, &xpbd_many,
     "XPBD, one iteration of the direct method, 1,000 rods of 50 elements", ""},
    {"xpbd-single", "ns per element", NAN, measure_iteration, &xpbd_one,
     "XPBD, one iteration of the direct method, one rod of 1,000 elements", ""},
    {"hair", "strands per ms", NAN, measure_hair, &hair,
     "XPBD, 10,000 strands of hair of 30 elements, steps of 1/240 s", ""},
    {"modal", "us per frame", 1e6 / 7500.0, measure_modal_frame, NULL,
     "modal warping, 9,836 nodes, 29,502 elements, 8 modes, with forces: one frame",
     "the paper 3,300, on a graphics card"},
    {"modal-search", "s", 10.0, measure_modal_search, NULL, "the same, its modes", ""},
    {"modal-modes", "times the cost", 8.0, measure_modal_modes, NULL,
     "modal warping, a ball of 1,252 nodes: a frame in 64 modes against one in 8", ""},
    {"modal-nodes", "times the cost", 1.5, measure_modal_nodes, NULL,
     "modal warping, balls in 8 modes: a node of 7,202 against one of 202", ""},
    {"standard-cantilever", "s per simulated second", 0.005, measure_cantilever, &cantilever,
     "1 m of soft rubber, 100 elements, released; tip right to 1 % after 0.2 s",
     "PyElastica 0.306, DisMech explicit 0.357"},
    {"linear-explicit", "times the cost", 1.5, measure_long, &long_explicit,
     "DER explicit: an element of 50,000 against one of 50", ""},
    {"linear-implicit", "times the cost", 1.5, measure_long, &long_implicit,
     "DER implicit: an element of 50,000 against one of 50", ""},
    {"linear-bodies", "times the cost", 1.5, measure_junctions, NULL,
     "rods of ten elements welded at junctions: a junction of 1,000 against one of 10", ""},
    {"der-table1", "of the paper's time", 0.0333, measure_table1, NULL,
     "steps of the scenes of DER's table 1: the one that gains least", ""},
    {"der-fig11", "us per step", 2.0, measure_fig11, NULL, "a step of Wilberforce's pendulum, 20 vertices",
     "the paper 27"},
    {"contact-helix", "us per step", 60.0, measure_spring, &spring,
     "a close-coiled spring of 800 elements in contact with itself, explicit", "PyElastica 22,900"},
    {"contact-coil", "ms per step", 2.0, measure_coil, NULL,
     "the falling coil of ACM's figure 7, 2,000 nodes, explicit, steps of 0.1 ms", "the paper 710"},
    {"linear-contact", "times the cost", 1.2, measure_springs, &springs,
     "springs in contact, explicit: an element among 100,000 against one among 1,000", ""},
    {"contact-implicit", "ms per step", 2.0, measure_knot, &knot,
     "an overhand knot of 200 elements while it is pulled tight, implicit, steps of 1 ms", ""},
    {"contact-heap", "ms per step", 16.7, measure_heap, &heap,
     "100 position-based ropes of 50 elements falling into an open box, steps of 1/60 s", ""},
    {"contact-game", "ms per frame", 8.0, measure_game, &game,
     "200 position-based ropes of 16 elements, half on boxes and ground, steps of 1/60 s: mean", ""},
    {"contact-game-worst", "ms per frame", 16.0, measure_game_worst, &game, "the same: the worst frame", ""},
    {"contact-plectoneme", "s", 3.65, measure_plectoneme, &plectoneme,
     "a rod of 50 elements twisted by 2.78 turns into a plectoneme, explicit, the whole run of 64 s",
     "PyElastica 73"},
    {"contact-threads", "of the time", 0.625, measure_threads, NULL,
     "contact with two threads against one, on the falling coil and the falling heap", ""},
    {"adaptive", "of their time", 0.5, measure_adaptive, NULL,
     "the double Fisherman's knot of ACM's table 1, adaptive ropes against ropes that are fine all along",
     "the paper 0.55"},
    {"der-memory", "bytes per element", 500.0, measure_memory, &one_rod,
     "DER explicit, memory of one rod of 1,000 elements", "PyElastica 1,536; PositionBasedDynamics 657"},
    {"create", "s", 3.0, measure_creation, &created, "making 100,000 rods of 8 elements", ""},
    {"linear-create", "times", 1.5, measure_linear_creation, &created,
     "a rod with clamp, load, probe, body, weld and obstacle, made, stepped once and destroyed, of 100,000 "
     "against 10,000",
     ""},
};
enum { CASES = sizeof cases / sizeof *cases };

// ---- the command

static const char* case_name(const void* context, int i)
{
    (void)context;
    return cases[i].name;
}

static bool is_chosen(const Operands* chosen, const char* name)
{
    bool found = chosen->count == 0;
    for (int i = 0; i < chosen->count; i++) {
        found |= strcmp(chosen->items[i], name) == 0;
    }
    return found;
}

static bool all_exist(const Operands* chosen)
{
    for (int i = 0; i < chosen->count; i++) {
        bool found = false;
        for (int k = 0; k < CASES; k++) {
            found |= strcmp(chosen->items[i], cases[k].name) == 0;
        }
        if (!found) {
            const char* nearest = option_nearest(chosen->items[i], case_name, NULL, CASES);
            option_no_such("case", chosen->items[i], nearest, "cordage bench --help lists them");
            return false;
        }
    }
    return true;
}

static void json_row(Json* j, const BenchCase* c, const BenchResult* r)
{
    json_object(j, NULL);
    json_text(j, "case", c->name);
    json_text(j, "summary", c->about);
    json_text(j, "unit", c->unit);
    json_number(j, "measured", r->value);
    json_number(j, "goal", c->goal);
    json_text(j, "detail", r->detail);
    json_text(j, "others", c->others);
    json_close_object(j);
}

static void print_row(const BenchCase* c, const BenchResult* r)
{
    char goal[40] = "no goal";
    if (isfinite(c->goal)) {
        snprintf(goal, sizeof goal, "goal %5.4g %s", c->goal, r->value <= c->goal ? "reached" : "missed");
    }
    printf("%-19s %8.4g %-23s %-18s %s%s%s%s%s%s\n", c->name, r->value, c->unit, goal, c->about,
           *r->detail ? ": " : "", r->detail, *c->others ? " (" : "", c->others, *c->others ? ")" : "");
    fflush(stdout);
}

typedef struct BenchRun { // of one case
    const BenchCase* bench;
    BenchRods rods;
    BenchResult result;
} BenchRun;

static void run_case(Lab* lab, void* context)
{
    BenchRun* run = context;
    run->result = run->bench->measure(lab, &run->rods);
}

static bool bench_all(const Operands* chosen, int threads, bool as_json)
{
    Json json = json_begin(stdout);
    bool good = true;
    if (as_json) {
        json_array(&json, NULL);
    }
    for (int i = 0; i < CASES; i++) {
        if (is_chosen(chosen, cases[i].name)) {
            BenchRun run = {.bench = &cases[i], .result.value = NAN};
            run.rods = cases[i].rods ? *cases[i].rods : (BenchRods){0};
            run.rods.threads = threads;
            lab_try(reproduce_host(), run_case, &run);
            if (as_json) {
                json_row(&json, &cases[i], &run.result);
            } else {
                print_row(&cases[i], &run.result);
            }
            good &= isfinite(run.result.value);
        }
    }
    if (as_json) {
        json_close_array(&json);
        json_end(&json);
    }
    return good;
}

typedef struct BenchOptions {
    bool json;
    int threads;
} BenchOptions;

static void print_cases(void)
{
    printf("\ncases:\n");
    for (int i = 0; i < CASES; i++) {
        printf("  %-20s %s\n", cases[i].name, cases[i].about);
    }
}

static int bench_command(void* given, const Operands* operands)
{
    const BenchOptions* o = given;
    if (!all_exist(operands)) {
        return EXIT_USAGE;
    }
    return bench_all(operands, o->threads, o->json) ? EXIT_GOOD : EXIT_FAILED;
}

static const Option options[] = {
    {"json", 0, OPTION_FLAG, offsetof(BenchOptions, json), NULL, "print JSON"},
    {"threads", 0, OPTION_INT, offsetof(BenchOptions, threads), "N",
     "threads for the cases with many rods (default: 1)"},
};

const Command command_bench = {
    .name = "bench",
    .arguments = "[CASE]...",
    .summary = "how fast each part is",
    .usage = "bench [CASE]... [--json] [--threads N]",
    .about = "Measures the speed of each part; the best of several timings counts.",
    .closing = "example:\n  cordage bench der-explicit\n",
    .print_list = print_cases,
    .operands = {0, OPTIONS_MOST_OPERANDS},
    COMMAND_OPTIONS(BenchOptions, .threads = 1),
    .run = bench_command,
};
