#include "crowd.h"

#include "passage.h"
#include "vectors.h"

#include <cordage/contact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double step = 1.0 / 60.0; // [s]
// A spent budget leaves capsules at most a quarter of a radius deep.
static const double most_overlap = 0.26;
// As in main.c: overlaps are put right in positions, which lifts what lies on them.
static const double most_rise = 0.02;

typedef struct Crowd {
    const char* name;
    int ropes, elements, steps, threads;
    CordBudget budget;
    CordSleep sleep;
    bool unchecked;
    CordWorld* world;
    Snapshot start;
    double radius;
} Crowd;

typedef struct Course { // of a run
    int steps, refused, contacts;
    double mean, worst; // [s]
    double deepest, rise, residual;
    bool passed, finite;
    CordContactReport report;
} Course;

static double now(void* user)
{
    (void)user;
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- scenes

static void add_solid(Crowd* c, CordSolidShape shape, CordVec3 size, CordVec3 position)
{
    CordObstacleDef def = cord_obstacle_def_default();
    CordObstacleId id;
    def.solid.shape = shape, def.solid.size = size, def.position = position;
    (void)cord_obstacle_create(c->world, &def, &id);
    if (!c->unchecked) {
        c->start.solids[c->start.solid_count++] = (Placed){def.solid, position, {0, 0, 0, 1}};
    }
}

static CordRodId add_rope(Crowd* c, CordVec3 from, CordVec3 to)
{
    CordRodDef rod = cord_rod_def_default();
    CordRodId id;
    rod.model = CORD_MODEL_PBD;
    rod.section = cord_section_disc(c->radius);
    rod.material.young = 1e7;
    rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
    rod.shape = cord_shape_line(from, to, c->elements + 1);
    (void)cord_rod_create(c->world, &rod, &id);
    if (!c->unchecked) {
        Axis* axis = &c->start.rods[c->start.rod_count++];
        axis->nodes = c->elements + 1, axis->edges = c->elements, axis->radius = c->radius;
        axis->edge_length = size_of(minus(to, from)) / c->elements;
    }
    return id;
}

static void build_heap(Crowd* c)
{
    enum { LAYER = 10 };
    const double half = 0.15, thick = 0.02, height = 0.4, inner = half + 0.02;
    c->radius = 0.003;
    add_solid(c, CORD_SOLID_PLANE, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 0});
    for (int side = -1; side <= 1; side += 2) {
        double middle = side * (inner + thick / 2);
        add_solid(c, CORD_SOLID_BOX, (CordVec3){2 * inner, thick, height}, (CordVec3){0, middle, height / 2});
        add_solid(c, CORD_SOLID_BOX, (CordVec3){thick, 2 * inner + 2 * thick, height},
                  (CordVec3){middle, 0, height / 2});
    }
    for (int i = 0; i < c->ropes; i++) {
        int layer = i / LAYER;
        double side = 0.03 * (i % LAYER - 0.5 * (LAYER - 1)), z = 0.05 + 0.03 * layer, lean = 0.004 * (i % 3);
        CordVec3 from = {-half, side, z}, to = {half, side + lean, z + lean};
        if (layer % 2 == 1) {
            from = (CordVec3){from.y, from.x, z}, to = (CordVec3){to.y, to.x, to.z};
        }
        (void)add_rope(c, from, to);
    }
}

static void build_game(Crowd* c)
{
    enum { ROW = 10 };
    const double apart = 0.5, length = 0.4, top = 0.15;
    c->radius = 0.005;
    add_solid(c, CORD_SOLID_PLANE, (CordVec3){1, 0, 0}, (CordVec3){0, 0, 0});
    for (int i = 0; i < c->ropes / 2; i++) {
        double x = apart * (i % ROW), y = apart * (i / ROW);
        add_solid(c, CORD_SOLID_BOX, (CordVec3){0.2, 0.2, top}, (CordVec3){x, y, top / 2});
        CordVec3 low = {x - length / 2, y - 0.02, top + 0.02}, hook = {x - 0.1, y + 0.05, 0.5};
        (void)add_rope(c, low, (CordVec3){low.x + length, y + 0.03, low.z});
        CordClampDef clamp = cord_clamp_def_default();
        CordClampId id;
        clamp.rod = add_rope(c, hook, (CordVec3){hook.x - length, hook.y, hook.z});
        clamp.at = cord_at_start(), clamp.fix = CORD_FIX_POSITION;
        (void)cord_clamp_create(c->world, &clamp, &id);
    }
}

static bool build(Crowd* c)
{
    CordWorldDef def = cord_world_def_default();
    def.clock.now = now;
    def.tasks = cord_tasks_openmp(c->threads);
    CordContactDef contact = cord_contact_def_default();
    contact.budget = c->budget;
    contact.sleep = c->sleep;
    if (cord_world_create(&def, &c->world) != CORD_OK ||
        cord_world_set_contact(c->world, &contact) != CORD_OK) {
        return false;
    }
    if (strcmp(c->name, "heap") == 0) {
        build_heap(c);
    } else {
        build_game(c);
    }
    return cord_world_rod_count(c->world) == c->ropes;
}

// ---- judging

static double energy_of(const CordWorld* world, double* moving)
{
    double sum = 0.0;
    *moving = 0.0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordEnergy e = cord_rod_energy(world, cord_world_rod(world, i));
        *moving += e.kinetic + e.bend + e.twist + e.stretch;
        sum += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
    }
    return sum;
}

static void take_snapshot(const Crowd* c, Snapshot* s)
{
    *s = c->start;
    for (int i = 0; i < s->rod_count; i++) {
        (void)cord_rod_positions(c->world, cord_world_rod(c->world, i), s->rods[i].x);
    }
}

// A step that was taken in halves need not have been a straight motion: its links decide.
static bool has_passed(const Snapshot* before, const Snapshot* after, bool straight)
{
    Passage p;
    return passage_find(before, after, &p) &&
           (straight || p.solid || passage_changes_links(before, after, p.rod, p.other));
}

static Course run(Crowd* c)
{
    static Snapshot before, after;
    Course r = {.finite = true};
    double least = INFINITY, scale = 0.0, moving;
    Passage where;
    take_snapshot(c, &before);
    for (int i = 0; i < c->steps; i++) {
        int64_t retries = cord_world_retries(c->world);
        double begun = now(NULL);
        r.refused += cord_world_step(c->world, step) != CORD_OK;
        double cost = now(NULL) - begun;
        r.mean += cost / c->steps, r.worst = fmax(r.worst, cost);
        r.report = cord_world_contact_report(c->world);
        r.residual = fmax(r.residual, r.report.residual);
        double energy = energy_of(c->world, &moving);
        scale = fmax(scale, moving), least = fmin(least, energy);
        r.rise = fmax(r.rise, (energy - least) / scale);
        r.finite = r.finite && isfinite(energy);
        take_snapshot(c, &after);
        r.passed = r.passed || has_passed(&before, &after, cord_world_retries(c->world) == retries);
        r.deepest = fmax(r.deepest, c->unchecked ? r.report.deepest : deepest_overlap(&after, &where));
        before = after;
    }
    return r;
}

static int print_course(const Crowd* c, const Course* r)
{
    bool good =
        !r->passed && r->finite && r->refused == 0 && r->deepest <= most_overlap && r->rise <= most_rise;
    printf(
        "%s of %d ropes of %d elements, %d steps: %s%s%s%d refused, %lld retried; mean %.2f ms, worst %.2f "
        "ms; spent in %lld steps, %lld motions limited; overlap up to %.2g r, residual up to %.2g r, "
        "energy rises by %.2g; %d asleep; hash %016llx\n",
        c->name, c->ropes, c->elements, c->steps, good ? "holds, " : "FAILS, ", r->passed ? "passed, " : "",
        r->finite ? "" : "not finite, ", r->refused, (long long)cord_world_retries(c->world), 1e3 * r->mean,
        1e3 * r->worst, (long long)r->report.spent_in_all, (long long)r->report.limited_in_all, r->deepest,
        r->residual, r->rise, r->report.asleep, (unsigned long long)cord_world_state_hash(c->world));
    return !good;
}

// ---- options

static bool read_option(Crowd* c, const char* name, const char* value)
{
    const struct {
        const char* name;
        int* value;
    } counts[] = {{"--ropes", &c->ropes},
                  {"--elements", &c->elements},
                  {"--steps", &c->steps},
                  {"--threads", &c->threads},
                  {"--iterations", &c->budget.iterations}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (strcmp(name, counts[i].name) == 0) {
            *counts[i].value = atoi(value);
            return true;
        }
    }
    const struct {
        const char* name;
        double* value;
    } numbers[] = {
        {"--seconds", &c->budget.seconds}, {"--sleep", &c->sleep.time}, {"--tolerance", &c->sleep.tolerance}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].value = atof(value);
            return true;
        }
    }
    return false;
}

int crowd_main(int argc, char** argv)
{
    static Crowd c;
    c = (Crowd){.name = argc > 2 ? argv[2] : "",
                .ropes = 20,
                .elements = 16,
                .steps = 120,
                .threads = 1,
                .sleep = cord_sleep_default()};
    bool known = strcmp(c.name, "heap") == 0 || strcmp(c.name, "game") == 0;
    for (int i = 3; i < argc && known; i++) {
        if (strcmp(argv[i], "--unchecked") == 0) {
            c.unchecked = true;
        } else {
            known = i + 1 < argc && read_option(&c, argv[i], argv[i + 1]);
            i++;
        }
    }
    if (!known || (!c.unchecked && (c.ropes > ROOM_FOR_RODS || c.elements >= MOST_NODES))) {
        fprintf(
            stderr,
            "usage: test_violent --crowd game|heap [--ropes N] [--elements N] [--steps N] "
            "[--iterations N] [--seconds S] [--sleep S] [--tolerance SHARE] [--threads N] [--unchecked]\n");
        return 2;
    }
    if (!build(&c)) {
        fprintf(stderr, "%s\n", cord_world_message(c.world));
        return 2;
    }
    Course course = run(&c);
    int failed = print_course(&c, &course);
    cord_world_destroy(c.world);
    return failed;
}
