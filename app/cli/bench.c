// How fast each part is, beside the goals and what others need for the same.
#include "command.h"
#include "options.h"
#include "talk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 }; // timings of each case; the best is the least disturbed one

typedef struct Scale { // what a case simulates
    int rods, elements;
    bool inextensible;
} Scale;

typedef struct BenchCase {
    const char* name;
    const char* summary;
    const char* unit;
    double goal;
    const char* others;
    double (*measure)(const struct BenchCase* c, int threads); // NAN: it failed
    Scale scale;
} BenchCase;

// ---------------------------------------------------------------------------------------------------- the worlds

typedef struct Heap {
    size_t bytes;
} Heap;

static void* heap_alloc(void* user, size_t size, size_t align)
{
    ((Heap*)user)->bytes += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void heap_free(void* user, void* memory, size_t size, size_t align)
{
    (void)align;
    ((Heap*)user)->bytes -= size;
    free(memory);
}

// Rods of soft rubber, wavy so that every term of the forces counts, falling freely.
static CordWorld* make_world(Scale scale, int threads, Heap* heap)
{
    CordWorldDef def = cord_world_def_default();
    def.tasks = cord_tasks_openmp(threads);
    def.allocator = (CordAllocator){heap_alloc, heap_free, heap};
    CordWorld* world;
    if (cord_world_create(&def, &world) != CORD_OK) {
        return NULL;
    }
    int nodes = scale.elements + 1;
    CordVec3* x = malloc(sizeof *x * (size_t)nodes);
    CordResult result = x ? CORD_OK : CORD_NO_MEMORY;
    for (int i = 0; i < scale.rods && result == CORD_OK; i++) {
        for (int k = 0; k < nodes; k++) {
            double s = (double)k / scale.elements;
            x[k] = (CordVec3){s, 0.02 * sin(7.0 * s + i), 0.02 * cos(5.0 * s)};
        }
        CordRodDef rod = cord_rod_def_default();
        rod.material.young = 1e6;
        rod.shape = cord_shape_points(x, nodes);
        rod.rest = CORD_REST_STRAIGHT;
        rod.inextensible = scale.inextensible;
        CordRodId id;
        result = cord_rod_create(world, &rod, &id);
    }
    free(x);
    if (result != CORD_OK) {
        cord_world_destroy(world);
        return NULL;
    }
    return world;
}

// ---------------------------------------------------------------------------------------------------- measures

// Of one thread the processor's time counts, so that other programs on the machine do not; of several, the clock's.
static double bench_clock(int threads)
{
    return threads > 1 ? talk_clock() : talk_cpu_clock();
}

static double step_cost(const BenchCase* c, int threads) // [ns per element and step]
{
    Heap heap = {0};
    CordWorld* world = make_world(c->scale, threads, &heap);
    if (!world) {
        return NAN;
    }
    double elements = (double)c->scale.rods * c->scale.elements, best = INFINITY;
    double h = 0.5 * cord_world_step_advice(world).step;
    int steps = (int)fmax(20.0, 1e7 / elements);
    bool good = cord_world_step_many(world, h, 100) == CORD_OK; // warm-up
    for (int round = 0; round < ROUNDS && good; round++) {
        double clock = bench_clock(threads);
        good = cord_world_step_many(world, h, steps) == CORD_OK;
        best = fmin(best, (bench_clock(threads) - clock) / (steps * elements));
    }
    cord_world_destroy(world);
    return good ? 1e9 * best : NAN;
}

static double memory_cost(const BenchCase* c, int threads) // [bytes per element]
{
    Heap heap = {0};
    CordWorld* world = make_world(c->scale, threads, &heap);
    if (!world) {
        return NAN;
    }
    bool good = cord_world_step(world, 1e-9) == CORD_OK;
    double held = (double)heap.bytes / ((double)c->scale.rods * c->scale.elements);
    cord_world_destroy(world);
    return good ? held : NAN;
}

static const BenchCase cases[] = {
    {"der-explicit",
     "DER explicit, extensible, one rod of 1,000 elements",
     "ns per element and step",
     10.0,
     "PyElastica 294, DisMech 668",
     step_cost,
     {1, 1000, false}},
    {"der-rattle",
     "DER explicit, inextensible (RATTLE), one rod of 1,000 elements",
     "ns per element and step",
     30.0,
     "",
     step_cost,
     {1, 1000, true}},
    {"der-many",
     "DER explicit, extensible, 1,000 rods of 50 elements",
     "ns per element and step",
     9.0,
     "PyElastica 715",
     step_cost,
     {1000, 50, false}},
    {"der-memory",
     "DER explicit, memory of one rod of 1,000 elements",
     "bytes per element",
     500.0,
     "PyElastica 1,536; PositionBasedDynamics 657",
     memory_cost,
     {1, 1000, false}},
};
enum { CASES = sizeof cases / sizeof *cases };

// ---------------------------------------------------------------------------------------------------- the command

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

static void print_row(const BenchCase* c, double value, bool json, bool first)
{
    if (json) {
        printf("%s\n  {\"case\": \"%s\", \"summary\": \"%s\", \"unit\": \"%s\", \"measured\": ", first ? "" : ",",
               c->name, c->summary, c->unit);
        printf(isfinite(value) ? "%.4g" : "null", value);
        printf(", \"goal\": %g, \"others\": \"%s\"}", c->goal, c->others);
        return;
    }
    printf("%-13s %8.4g %-24s goal %5g %-7s %s%s%s%s\n", c->name, value, c->unit, c->goal,
           value <= c->goal ? "reached" : "missed", c->summary, *c->others ? " (" : "", c->others,
           *c->others ? ")" : "");
}

int cordage_bench(int argc, char** argv)
{
    bool json = false;
    int threads = 1;
    const Option options[] = {
        {"json", 0, OPTION_FLAG, &json, NULL, "print JSON"},
        {"threads", 0, OPTION_INT, &threads, "N", "threads for the cases with many rods (default: 1)"},
    };
    const OptionSet set = {.usage = "bench [CASE]... [--json] [--threads N]",
                           .about = "Measures the speed of each part; the best of several timings counts.\n\n"
                                    "cases:\n"
                                    "  der-explicit   DER explicit, extensible, one rod of 1,000 elements\n"
                                    "  der-rattle     the same, inextensible\n"
                                    "  der-many       1,000 rods of 50 elements\n"
                                    "  der-memory     bytes per element",
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
    bool good = true, first = true;
    printf("%s", json ? "[" : "");
    for (int i = 0; i < CASES; i++) {
        if (is_chosen(&operands, cases[i].name)) {
            double value = cases[i].measure(&cases[i], threads);
            print_row(&cases[i], value, json, first);
            fflush(stdout);
            good &= isfinite(value);
            first = false;
        }
    }
    printf("%s", json ? "\n]\n" : "");
    return good ? EXIT_GOOD : EXIT_FAILED;
}
