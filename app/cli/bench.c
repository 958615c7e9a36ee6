// How fast each part is, beside the goals and what others need for the same.
#include "../../experiments/timing.h"
#include "bench_contact.h"
#include "bench_create.h"
#include "bench_modal.h"
#include "bench_pbd.h"
#include "bench_world.h"
#include "command.h"
#include "json.h"
#include "options.h"
#include "reproduce.h"
#include "talk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 }; // timings of each case; the best is the least disturbed one

typedef struct BenchResult {
    double value;     // NAN: it failed
    char detail[128]; // what it was measured with, or ""
} BenchResult;

typedef struct BenchCase {
    const char* name;
    const char* summary;
    const char* unit;
    double goal; // NAN: none
    const char* others;
    BenchResult (*measure)(const struct BenchCase* c, int threads);
    BenchScale scale;
} BenchCase;

// ---- steps

static double cost_of(BenchScale scale, int threads) // [ns per element and step]
{
    BenchWorld b;
    bench_world_open(&b, scale, threads);
    if (!b.world) {
        return NAN;
    }
    bool implicit = scale.integrator == CORD_INTEGRATOR_MIDPOINT;
    // elements times steps
    double elements = (double)scale.rods * scale.elements, work = implicit ? 2e5 : 1e7;
    double h = implicit ? 1e-3 : 0.5 * cord_world_step_advice(b.world).step;
    int steps = (int)fmax(implicit ? 4.0 : 20.0, work / elements);
    bool good = cord_world_step_many(b.world, h, implicit ? 10 : 100) == CORD_OK; // warm-up
    double seconds = good ? bench_time_steps(b.world, h, steps, implicit ? 3 : ROUNDS, threads) : (double)NAN;
    bench_world_close(&b);
    return 1e9 * seconds / (steps * elements);
}

static BenchResult step_cost(const BenchCase* c, int threads)
{
    return (BenchResult){.value = cost_of(c->scale, threads)};
}

static BenchResult memory_cost(const BenchCase* c, int threads) // [bytes per element]
{
    BenchWorld b;
    bench_world_open(&b, c->scale, threads);
    bool good = b.world && cord_world_step(b.world, 1e-9) == CORD_OK;
    double held = (double)b.bytes / ((double)c->scale.rods * c->scale.elements);
    bench_world_close(&b);
    return (BenchResult){.value = good ? held : (double)NAN};
}

static BenchResult creation_cost(const BenchCase* c, int threads) // [s]
{
    (void)threads;
    BenchCreation cost = bench_creation(c->scale.rods);
    BenchResult r = {.value = cost.rods};
    snprintf(r.detail, sizeof r.detail,
             "all else %.3g s, first step %.3g s; rods destroyed %.3g s, all else %.3g s", cost.others,
             cost.step, cost.rods_destroyed, cost.others_destroyed);
    return r;
}

static BenchResult linear_creation(const BenchCase* c, int threads)
{
    enum { FEW = 10000 };
    (void)threads;
    BenchCreation few = bench_creation(FEW), many = bench_creation(c->scale.rods);
    double small = (few.rods + few.others + few.rods_destroyed + few.others_destroyed) / FEW,
           large = (many.rods + many.others + many.rods_destroyed + many.others_destroyed) / c->scale.rods;
    BenchResult r = {.value = large / small};
    snprintf(r.detail, sizeof r.detail, "%.3g us at %d, %.3g us at %d", 1e6 * small, FEW, 1e6 * large,
             c->scale.rods);
    return r;
}

// What an element of a long rod costs, over what one of a short rod does. Elements are as long in both.
static BenchResult linear_cost(const BenchCase* c, int threads)
{
    BenchScale few = c->scale;
    few.elements = 50;
    few.length = c->scale.length * few.elements / c->scale.elements;
    double small = cost_of(few, threads), large = cost_of(c->scale, threads);
    BenchResult r = {.value = large / small};
    snprintf(r.detail, sizeof r.detail, "%.4g ns at %d, %.4g ns at %d", small, few.elements, large,
             c->scale.elements);
    return r;
}

// The same for junctions of rods.
static BenchResult junction_cost(const BenchCase* c, int threads)
{
    enum { FEW = 10, MANY = 1000 };
    (void)c, (void)threads;
    double few = 1e6 * bench_junction_cost(FEW), many = 1e6 * bench_junction_cost(MANY);
    BenchResult r = {.value = many / few};
    snprintf(r.detail, sizeof r.detail, "%.3g us at %d, %.3g us at %d", few, FEW, many, MANY);
    return r;
}

static double iterations_of(CordWorld* world, double h, int steps) // of one step in the mean
{
    int64_t sum = 0;
    for (int i = 0; i < steps && cord_world_step(world, h) == CORD_OK; i++) {
        sum += cord_world_step_report(world).iterations;
    }
    return (double)sum / steps;
}

static BenchResult swing_cost(const BenchCase* c, int threads)
{
    const double h = 1e-3;
    enum { STEPS = 500 };
    BenchResult r = {.value = NAN};
    BenchWorld b;
    bench_cantilever_open(&b, c->scale.elements, c->scale.integrator, CORD_FIX_POSITION);
    if (b.world && cord_world_step_many(b.world, h, 100) == CORD_OK) {
        r.value =
            1e9 * bench_time_steps(b.world, h, STEPS, ROUNDS, threads) / ((double)STEPS * c->scale.elements);
        snprintf(r.detail, sizeof r.detail, "%.3g iterations a step", iterations_of(b.world, h, STEPS));
    }
    bench_world_close(&b);
    return r;
}

// ---- the cantilever

static const double cantilever_time = 0.2; // [s]

static CordVec3 tip_of(const CordWorld* world)
{
    CordRodId rod = cord_world_rod(world, 0);
    int nodes = cord_rod_node_count(world, rod);
    CordVec3 tip = {NAN, NAN, NAN}, *x = malloc(sizeof *x * (size_t)nodes);
    if (x && cord_rod_positions(world, rod, x) == CORD_OK) {
        tip = x[nodes - 1];
    }
    free(x);
    return tip;
}

// Where the tip is after cantilever_time in so many equal steps; *seconds is the least time of several rounds
// it took.
static CordVec3 cantilever_tip(int elements, CordIntegrator integrator, int steps, int rounds,
                               double* seconds)
{
    CordVec3 tip = {NAN, NAN, NAN};
    BenchWorld b;
    bench_cantilever_open(&b, elements, integrator, CORD_FIX_FRAME);
    if (b.world) {
        *seconds = bench_time_steps(b.world, cantilever_time / steps, steps, rounds, 1);
        tip = isfinite(*seconds) ? tip_of(b.world) : tip;
    }
    bench_world_close(&b);
    return tip;
}

static double distance(CordVec3 a, CordVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static int steps_of(double h)
{
    return (int)ceil(cantilever_time / h);
}

// The converged answer: four times as many elements, and half of the step that is stable there. Its own error
// is a sixteenth or less of what is measured.
static CordVec3 cantilever_answer(int elements)
{
    double seconds, h = NAN;
    BenchWorld b;
    bench_cantilever_open(&b, elements, CORD_INTEGRATOR_VERLET, CORD_FIX_FRAME);
    if (b.world) {
        h = 0.5 * cord_world_step_advice(b.world).step;
    }
    bench_world_close(&b);
    return isfinite(h) ? cantilever_tip(elements, CORD_INTEGRATOR_VERLET, steps_of(h), 1, &seconds)
                       : (CordVec3){NAN, NAN, NAN};
}

typedef struct Attempt {
    CordIntegrator integrator;
    double h; // [s]; 0: the longest stable one
} Attempt;

static const Attempt attempts[] = {
    {CORD_INTEGRATOR_VERLET, 0.0},     {CORD_INTEGRATOR_MIDPOINT, 0.002},
    {CORD_INTEGRATOR_MIDPOINT, 0.005}, {CORD_INTEGRATOR_MIDPOINT, 0.01},
    {CORD_INTEGRATOR_MIDPOINT, 0.02},  {CORD_INTEGRATOR_BACKWARD_EULER, 0.001},
};

// Stable at first, and a little less, for the tension to come.
static double longest_stable(int elements)
{
    BenchWorld b;
    double h = NAN;
    bench_cantilever_open(&b, elements, CORD_INTEGRATOR_VERLET, CORD_FIX_FRAME);
    if (b.world) {
        h = 0.95 * cord_world_step_advice(b.world).step;
    }
    bench_world_close(&b);
    return h;
}

// The fastest way of those tried, of which the tip is right within one part in a hundred of how far it has
// come.
static BenchResult cantilever_cost(const BenchCase* c, int threads)
{
    (void)threads;
    BenchResult best = {.value = NAN};
    CordVec3 answer = cantilever_answer(4 * c->scale.elements);
    double came = distance(answer, (CordVec3){1, 0, 0});
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        bool is_explicit = attempts[i].integrator == CORD_INTEGRATOR_VERLET;
        double h = is_explicit ? longest_stable(c->scale.elements) : attempts[i].h, seconds = NAN;
        int steps = steps_of(h);
        CordVec3 tip = cantilever_tip(c->scale.elements, attempts[i].integrator, steps, ROUNDS, &seconds);
        double error = distance(tip, answer) / came, cost = seconds / cantilever_time;
        if (error < 0.01 && !(cost >= best.value)) {
            best.value = cost;
            snprintf(best.detail, sizeof best.detail, "%s, steps of %.2g s, tip off by %.2g %%",
                     is_explicit ? "explicit" : "implicit", cantilever_time / steps, 100.0 * error);
        }
    }
    return best;
}

// ---- the paper's table

static BenchResult table1_cost(const BenchCase* c, int threads)
{
    BenchResult worst = {.value = 0.0};
    Lab* lab = lab_open(reproduce_host());
    (void)c, (void)threads;
    for (int i = 0; i < TIMING_TABLE1 && lab && isfinite(worst.value); i++) {
        TimingStep cost, paper = timing_table1_paper(i);
        double share = timing_table1(lab, i, NULL, &cost) ? cost.total / paper.total : (double)NAN;
        if (!(share <= worst.value)) {
            worst.value = share;
            snprintf(worst.detail, sizeof worst.detail, "figure %d, %.3g us, %.0f times faster", paper.figure,
                     1e6 * cost.total, 1.0 / share);
        }
    }
    lab_close(lab);
    return worst;
}

static BenchResult fig11_cost(const BenchCase* c, int threads)
{
    BenchResult r = {.value = NAN};
    Lab* lab = lab_open(reproduce_host());
    (void)c, (void)threads;
    for (int i = 0; i < TIMING_TABLE1 && lab; i++) {
        TimingStep cost;
        if (timing_table1_paper(i).figure == 11 && timing_table1(lab, i, NULL, &cost)) {
            r.value = 1e6 * cost.total;
        }
    }
    lab_close(lab);
    return r;
}

// ---- position-based rods

static BenchResult pbd_cost(const BenchCase* c, int threads) // of an iteration [ns per element]
{
    BenchPbd cost = bench_pbd(c->scale, threads);
    BenchResult r = {.value = 1e9 * cost.iteration};
    snprintf(r.detail, sizeof r.detail, "a whole step %.4g ns per element", 1e9 * cost.step);
    return r;
}

static double strands_per_ms(const BenchCase* c, int threads)
{
    return 1e-3 * c->scale.rods / bench_hair(c->scale.rods, c->scale.elements, threads);
}

static BenchResult hair_speed(const BenchCase* c, int threads)
{
    double one = strands_per_ms(c, 1), two = strands_per_ms(c, 2);
    BenchResult r = {.value = threads == 1 ? one : threads == 2 ? two : strands_per_ms(c, threads)};
    snprintf(r.detail, sizeof r.detail, "%.4g with 1 thread, %.4g with 2", one, two);
    return r;
}

// ---- modal rods

static BenchResult modal_frame(const BenchCase* c, int threads)
{
    (void)c, (void)threads;
    TimingModal b = bench_modal_animal();
    BenchResult r = {.value = 1e6 * b.frame};
    snprintf(r.detail, sizeof r.detail, "%.0f frames/s; %d modes found in %.3g s", 1.0 / b.frame, b.found,
             b.modes);
    return r;
}

static BenchResult modal_search(const BenchCase* c, int threads)
{
    (void)c, (void)threads;
    TimingModal b = bench_modal_animal();
    BenchResult r = {.value = b.modes};
    snprintf(r.detail, sizeof r.detail, "%d modes of %d unknowns", b.found, b.unknowns);
    return r;
}

// A frame in 64 modes against one in eight.
static BenchResult modal_by_modes(const BenchCase* c, int threads)
{
    enum { RINGS = 25, COUNTS = 4 };
    double cost[COUNTS]; // [s]
    (void)c, (void)threads;
    for (int i = 0, modes = 8; i < COUNTS; i++, modes *= 2) {
        cost[i] = bench_modal_ball(RINGS, modes).frame;
    }
    BenchResult r = {.value = cost[COUNTS - 1] / cost[0]};
    snprintf(r.detail, sizeof r.detail, "%.3g us in 8 modes, %.3g in 16, %.3g in 32, %.3g in 64",
             1e6 * cost[0], 1e6 * cost[1], 1e6 * cost[2], 1e6 * cost[3]);
    return r;
}

// A node of a frame among many, against one among few.
static BenchResult modal_by_nodes(const BenchCase* c, int threads)
{
    enum { COUNTS = 3 };
    static const int rings[COUNTS] = {10, 25, 60};
    TimingModal b[COUNTS];
    double cost[COUNTS]; // [ns per node]
    (void)c, (void)threads;
    for (int i = 0; i < COUNTS; i++) {
        b[i] = bench_modal_ball(rings[i], 8);
        cost[i] = 1e9 * b[i].frame / b[i].nodes;
    }
    BenchResult r = {.value = cost[COUNTS - 1] / cost[0]};
    snprintf(r.detail, sizeof r.detail, "%.3g ns at %d, %.3g at %d, %.3g at %d; modes in %.2g, %.2g, %.2g s",
             cost[0], b[0].nodes, cost[1], b[1].nodes, cost[2], b[2].nodes, b[0].modes, b[1].modes,
             b[2].modes);
    return r;
}

// ---- contact

static BenchResult touch_result(BenchTouch t, double unit) // unit [s]
{
    BenchResult r = {.value = t.seconds / unit};
    snprintf(r.detail, sizeof r.detail, "%d contacts, %.3g iterations a step", t.contacts, t.iterations);
    return r;
}

static BenchResult spring_cost(const BenchCase* c, int threads)
{
    (void)threads;
    return touch_result(bench_springs(1, c->scale.elements), 1e-6);
}

static BenchResult coil_cost(const BenchCase* c, int threads)
{
    (void)c, (void)threads;
    return touch_result(bench_coil(), 1e-3);
}

static BenchResult knot_cost(const BenchCase* c, int threads)
{
    (void)threads;
    return touch_result(bench_knot(c->scale.elements), 1e-3);
}

static BenchResult adaptive_cost(const BenchCase* c, int threads)
{
    TimingRopes fine, adaptive;
    BenchResult r = {.value = NAN};
    Lab* lab = lab_open(reproduce_host());
    (void)c, (void)threads;
    if (lab && timing_fisherman(lab, &fine, &adaptive)) {
        r.value = adaptive.step / fine.step;
        snprintf(r.detail, sizeof r.detail, "%.4g of %.4g us; %.0f of %.0f nodes, %.1f of %.1f contacts",
                 1e6 * adaptive.step, 1e6 * fine.step, adaptive.nodes, fine.nodes, adaptive.contacts,
                 fine.contacts);
    }
    lab_close(lab);
    return r;
}

// What an element costs among many, over what it costs among 1,000; contacts are as many for each.
static BenchResult linear_contact_cost(const BenchCase* c, int threads)
{
    enum { COUNTS = 3 };
    double cost[COUNTS]; // [ns per element and step]
    (void)threads;
    for (int i = 0, springs = 1; i < COUNTS; i++, springs *= 10) {
        cost[i] = 1e9 * bench_same_steps(springs, c->scale.elements) / ((double)springs * c->scale.elements);
    }
    BenchResult r = {.value = cost[COUNTS - 1] / cost[0]};
    snprintf(r.detail, sizeof r.detail, "%.4g ns at 1,000, %.4g at 10,000, %.4g at 100,000", cost[0], cost[1],
             cost[2]);
    return r;
}

// ---- cases

#define PER_STEP "ns per element and step"

static const BenchCase cases[] = {
    {"der-explicit",
     "DER explicit, extensible, one rod of 1,000 elements",
     PER_STEP,
     10.0,
     "PyElastica 294, DisMech 668",
     step_cost,
     {.rods = 1, .elements = 1000, .length = 1.0}},
    {"der-rattle",
     "DER explicit, inextensible (RATTLE), one rod of 1,000 elements",
     PER_STEP,
     30.0,
     "",
     step_cost,
     {.rods = 1, .elements = 1000, .length = 1.0, .inextensible = true}},
    {"der-general",
     "DER explicit, anisotropic and curved, quasistatic frame, one rod of 1,000 elements",
     PER_STEP,
     60.0,
     "",
     step_cost,
     {.rods = 1, .elements = 1000, .length = 1.0, .general = true}},
    {"der-many",
     "DER explicit, extensible, 1,000 rods of 50 elements",
     PER_STEP,
     9.0,
     "PyElastica 715",
     step_cost,
     {.rods = 1000, .elements = 50, .length = 1.0}},
    {"der-implicit",
     "DER implicit, 100 elements, steps of 1 ms, a rod swinging",
     PER_STEP,
     500.0,
     "DisMech 16,000 to 19,000",
     swing_cost,
     {.elements = 100, .integrator = CORD_INTEGRATOR_MIDPOINT}},
    {"corde",
     "CORDE explicit, orientations too, extensible, one rod of 1,000 elements",
     PER_STEP,
     20.0,
     "the paper 1,240",
     step_cost,
     {.rods = 1,
      .elements = 1000,
      .length = 1.0,
      .model = CORD_MODEL_CORDE,
      .orientations = CORD_ORIENTATIONS_EXPLICIT}},
    {"corde-quasistatic",
     "CORDE explicit, quasistatic orientations, extensible, one rod of 1,000 elements",
     PER_STEP,
     NAN,
     "",
     step_cost,
     {.rods = 1, .elements = 1000, .length = 1.0, .model = CORD_MODEL_CORDE}},
    {"pbd-sweep",
     "PBER, one sweep over all constraints, 1,000 rods of 50 elements",
     "ns per element",
     50.0,
     "PositionBasedDynamics 1,300",
     pbd_cost,
     {.rods = 1000, .elements = 50, .length = 1.0, .model = CORD_MODEL_PBD, .solver = CORD_PBD_PBD}},
    {"pbd-sweep-single",
     "PBER, one sweep over all constraints, one rod of 1,000 elements",
     "ns per element",
     210.0,
     "",
     pbd_cost,
     {.rods = 1, .elements = 1000, .length = 1.0, .model = CORD_MODEL_PBD, .solver = CORD_PBD_PBD}},
    {"xpbd",
     "XPBD, one iteration of the direct method, 1,000 rods of 50 elements",
     "ns per element",
     NAN,
     "",
     pbd_cost,
     {.rods = 1000, .elements = 50, .length = 1.0, .model = CORD_MODEL_PBD}},
    {"xpbd-single",
     "XPBD, one iteration of the direct method, one rod of 1,000 elements",
     "ns per element",
     NAN,
     "",
     pbd_cost,
     {.rods = 1, .elements = 1000, .length = 1.0, .model = CORD_MODEL_PBD}},
    {"hair",
     "XPBD, 10,000 strands of hair of 30 elements, steps of 1/240 s",
     "strands per ms",
     NAN,
     "",
     hair_speed,
     {.rods = 10000, .elements = 30}},
    {"modal",
     "modal warping, 9,836 nodes, 29,502 elements, 8 modes, with forces: one frame",
     "us per frame",
     1e6 / 7500.0,
     "the paper 3,300, on a graphics card",
     modal_frame,
     {0}},
    {"modal-search", "the same, its modes", "s", 10.0, "", modal_search, {0}},
    {"modal-modes",
     "modal warping, a ball of 1,252 nodes: a frame in 64 modes against one in 8",
     "times the cost",
     8.0,
     "",
     modal_by_modes,
     {0}},
    {"modal-nodes",
     "modal warping, balls in 8 modes: a node of 7,202 against one of 202",
     "times the cost",
     1.5,
     "",
     modal_by_nodes,
     {0}},
    {"standard-cantilever",
     "1 m of soft rubber, 100 elements, released; tip right to 1 % after 0.2 s",
     "s per simulated second",
     0.005,
     "PyElastica 0.306, DisMech explicit 0.357",
     cantilever_cost,
     {.elements = 100}},
    {"linear-explicit",
     "DER explicit: an element of 50,000 against one of 50",
     "times the cost",
     1.5,
     "",
     linear_cost,
     {.rods = 1, .elements = 50000, .length = 500.0}},
    {"linear-implicit",
     "DER implicit: an element of 50,000 against one of 50",
     "times the cost",
     1.5,
     "",
     linear_cost,
     {.rods = 1, .elements = 50000, .length = 500.0, .integrator = CORD_INTEGRATOR_MIDPOINT}},
    {"linear-bodies",
     "rods of ten elements welded at junctions: a junction of 1,000 against one of 10",
     "times the cost",
     1.5,
     "",
     junction_cost,
     {0}},
    {"der-table1",
     "steps of the scenes of DER's table 1: the one that gains least",
     "of the paper's time",
     0.0333,
     "",
     table1_cost,
     {0}},
    {"der-fig11",
     "a step of Wilberforce's pendulum, 20 vertices",
     "us per step",
     2.0,
     "the paper 27",
     fig11_cost,
     {0}},
    {"contact-helix",
     "a close-coiled spring of 800 elements in contact with itself, explicit",
     "us per step",
     60.0,
     "PyElastica 22,900",
     spring_cost,
     {.elements = 800}},
    {"contact-coil",
     "the falling coil of ACM's figure 7, 2,000 nodes, explicit, steps of 0.1 ms",
     "ms per step",
     7.0,
     "the paper 710",
     coil_cost,
     {0}},
    {"linear-contact",
     "springs in contact, explicit: an element among 100,000 against one among 1,000",
     "times the cost",
     1.2,
     "",
     linear_contact_cost,
     {.elements = 1000}},
    {"contact-implicit",
     "an overhand knot of 200 elements while it is pulled tight, implicit, steps of 1 ms",
     "ms per step",
     2.0,
     "",
     knot_cost,
     {.elements = 200}},
    {"adaptive",
     "the double Fisherman's knot of ACM's table 1, adaptive ropes against ropes that are fine all along",
     "of their time",
     0.5,
     "the paper 0.55",
     adaptive_cost,
     {0}},
    {"der-memory",
     "DER explicit, memory of one rod of 1,000 elements",
     "bytes per element",
     500.0,
     "PyElastica 1,536; PositionBasedDynamics 657",
     memory_cost,
     {.rods = 1, .elements = 1000, .length = 1.0}},
    {"create", "making 100,000 rods of 8 elements", "s", 3.0, "", creation_cost, {.rods = 100000}},
    {"linear-create",
     "a rod with clamp, load, probe, body, weld and obstacle, made and destroyed, of 100,000 against 10,000",
     "times",
     1.5,
     "",
     linear_creation,
     {.rods = 100000}},
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
    for (int i = 0; i < chosen->count; i++) {
        if (strcmp(chosen->items[i], name) == 0) {
            return true;
        }
    }
    return chosen->count == 0;
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
            talk_error("there is no case '%s'%s%s%s; cordage bench --help lists them", chosen->items[i],
                       nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
            return false;
        }
    }
    return true;
}

static void json_row(Json* j, const BenchCase* c, const BenchResult* r)
{
    json_object(j, NULL);
    json_text(j, "case", c->name);
    json_text(j, "summary", c->summary);
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
    printf("%-19s %8.4g %-23s %-18s %s%s%s%s%s%s\n", c->name, r->value, c->unit, goal, c->summary,
           *r->detail ? ": " : "", r->detail, *c->others ? " (" : "", c->others, *c->others ? ")" : "");
    fflush(stdout);
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
            BenchResult r = cases[i].measure(&cases[i], threads);
            if (as_json) {
                json_row(&json, &cases[i], &r);
            } else {
                print_row(&cases[i], &r);
            }
            good &= isfinite(r.value);
        }
    }
    if (as_json) {
        json_close_array(&json);
        json_end(&json);
    }
    return good;
}

int cordage_bench(int argc, char** argv)
{
    bool json = false;
    int threads = 1;
    const Option options[] = {
        {"json", 0, OPTION_FLAG, &json, NULL, "print JSON"},
        {"threads", 0, OPTION_INT, &threads, "N", "threads for the cases with many rods (default: 1)"},
    };
    const OptionSet set = {
        .usage = "bench [CASE]... [--json] [--threads N]",
        .about =
            "Measures the speed of each part; the best of several timings counts.\n\n"
            "cases:\n"
            "  der-explicit         DER explicit, extensible, one rod of 1,000 elements\n"
            "  der-rattle           the same, inextensible\n"
            "  der-general          the same, anisotropic and curved by nature\n"
            "  der-many             1,000 rods of 50 elements\n"
            "  der-implicit         implicit steps of 1 ms, a rod of 100 elements that swings\n"
            "  corde                CORDE explicit, orientations too, one rod of 1,000 elements\n"
            "  corde-quasistatic    the same, orientations in equilibrium\n"
            "  pbd-sweep            PBER: a sweep over all constraints of 1,000 rods of 50 elements\n"
            "  pbd-sweep-single     the same of one rod of 1,000 elements\n"
            "  xpbd                 XPBD: an iteration of the direct method, 1,000 rods of 50 elements\n"
            "  xpbd-single          the same, one rod of 1,000 elements\n"
            "  hair                 strands of hair that are stepped in a millisecond, by one thread and by "
            "two\n"
            "  modal                a frame of an animal of 29,502 beams, in 8 modes\n"
            "  modal-search         finding these modes\n"
            "  modal-modes          a frame of a ball of beams in 64 modes against one in 8\n"
            "  modal-nodes          a node of a ball of 7,202 against one of 202\n"
            "  standard-cantilever  a second of a soft rod that falls, by the fastest way that is right to 1 "
            "%\n"
            "  linear-explicit      an element of a rod of 50,000 against one of a rod of 50\n"
            "  linear-implicit      the same with implicit steps\n"
            "  linear-bodies        a junction of rods among 1,000 against one among 10\n"
            "  der-table1           steps of the figures of the paper on DER, as a share of its times\n"
            "  der-fig11            a step of one of them\n"
            "  contact-helix        a step of a close-coiled spring in contact with itself\n"
            "  contact-coil         a step of a coil of 2,000 nodes that has fallen on the ground\n"
            "  linear-contact       an element of springs in contact, among 100,000 against among 1,000\n"
            "  contact-implicit     an implicit step of a knot that is pulled tight\n"
            "  adaptive             steps of a knot of adaptive ropes, against ropes that are fine all "
            "along\n"
            "  der-memory           bytes per element",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .closing = "example:\n  cordage bench der-explicit\n",
        .least = 0,
        .most = OPTIONS_MOST_OPERANDS};
    Operands operands;
    int status = options_parse(&set, argc, argv, &operands);
    if (status != OPTIONS_PARSED) {
        return status;
    }
    if (!all_exist(&operands)) {
        return EXIT_USAGE;
    }
    return bench_all(&operands, threads, json) ? EXIT_GOOD : EXIT_FAILED;
}
