// Violent scenes from seeds, judged from outside: nothing may pass through anything.
//
//     test_violent [--seeds LIST] [--limit SECONDS] [--quiet] [--without-contact] [--budget ITERATIONS]
//     test_violent --self-test
//     test_violent --crowd game|heap ...    (crowd.h)
//
// LIST is seeds and ranges with commas: 3,7,100:200 (without the last). A scene that takes more than the
// limit of processor time is ended and counts as cut short. Each scene prints a line; --quiet prints failures
// alone.
// --budget gives each step so many iterations of contact, and allows the overlaps that it may leave.
// --without-contact turns contact off, so that the checker must find passages. --self-test shows the checker
// passages and near misses that were made by hand, and scenes without contact.
//
// After each step passage.c looks for anything that passed through anything. A step that fails is refused: it
// must leave the hash of the state as it was. Where nothing drives the scene its energy may not rise.
#include "crowd.h"
#include "scene.h"

#include "random.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Integrators let the energy swing about in steps with contact as well, explicit ones by the square of the
// step times what moves to and fro between motion and strain. The most that it may rise above the least so
// far, over the largest kinetic and elastic energy so far.
static const double most_rise = 0.02;
// The library stops at an overlap of 1e-3 of the thinner radius.
static const double most_overlap = 2e-3;
static const double most_overlap_spent = 0.26; // a quarter, where the budget of a step was spent

enum { MOST_HALVINGS = 6, MOST_REFUSALS = 6 };

typedef enum Verdict {
    HOLDS,
    REFUSED,
    UNSUPPORTED,
    PASSAGE,
    OVERLAP,
    ENERGY,
    HASH,
    NOT_FINITE,
    VERDICTS
} Verdict;

static const char* const verdict_names[VERDICTS] = {"holds",   "refused", "unsupported", "passage",
                                                    "overlap", "energy",  "hash",        "not finite"};

typedef struct Run {
    Scene scene;
    CordWorld* world;
    int budget; // iterations a step; 0: no limit
    uint64_t random;
    CordVec3 from[MOST_RODS], offsets[MOST_RODS]; // of the jerked clamps, where a step begins and ends [m]
    double least_energy, scale;                   // [J]
    double last_energy;                           // of the step before [J]
    int last_contacts;                            // likewise
    double rise;                                  // of energy, over the scale
    double deepest;                               // overlap, over the thinner radius
    int steps, refusals, ambiguous;
    int contacts; // the most in a step
    Passage passage;
    char message[256];
} Run;

// ---- the state of the world

// NULL: the world has no state, since it cannot be prepared for a step.
static void* save_state(const CordWorld* world, size_t* size)
{
    *size = cord_world_state_size(world);
    void* bytes = *size > 0 ? malloc(*size) : NULL;
    if (bytes != NULL && cord_world_state_get(world, bytes, *size) != CORD_OK) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

static bool all_finite(const CordWorld* world, const Snapshot* s)
{
    double sum = 0.0;
    for (int i = 0; i < s->rod_count; i++) {
        CordVec3 v[MOST_NODES];
        CordRodId rod = cord_world_rod(world, i);
        CordEnergy e = cord_rod_energy(world, rod);
        (void)cord_rod_velocities(world, rod, v);
        sum += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
        for (int k = 0; k < s->rods[i].nodes; k++) {
            sum += dot(s->rods[i].x[k], (CordVec3){1, 1, 1}) + dot(v[k], (CordVec3){1, 1, 1});
        }
    }
    return isfinite(sum);
}

// What changes in a step that neither begins nor ends with contact
// is the integrator's own, and does not count.
static void watch_energy(Run* r)
{
    CordContactReport report = cord_world_contact_report(r->world);
    double sum = 0.0, moving = 0.0;
    for (int i = 0; i < cord_world_rod_count(r->world); i++) {
        CordEnergy e = cord_rod_energy(r->world, cord_world_rod(r->world, i));
        moving += e.kinetic + e.bend + e.twist + e.stretch;
        sum += e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
    }
    if (r->steps > 0 && report.contacts + r->last_contacts == 0) {
        r->least_energy += sum - r->last_energy;
    }
    r->last_energy = sum, r->last_contacts = report.contacts;
    r->scale = fmax(r->scale, moving);
    r->least_energy = fmin(r->least_energy, sum);
    r->rise = r->scale > 0.0 ? fmax(r->rise, (sum - r->least_energy) / r->scale) : r->rise;
}

// ---- steps

// Explicit and position-based rods move along straight lines in a step that was not taken in parts.
static bool is_straight(const Run* r, int64_t retries)
{
    return (r->scene.stepper == EXPLICIT || r->scene.stepper == POSITION_BASED) &&
           cord_world_retries(r->world) == retries;
}

static Verdict judge_state(Run* r, const Snapshot* after)
{
    if (!all_finite(r->world, after)) {
        return NOT_FINITE;
    }
    int contacts = cord_world_contact_report(r->world).contacts;
    r->contacts = contacts > r->contacts ? contacts : r->contacts;
    r->deepest = fmax(r->deepest, deepest_overlap(after, &r->passage));
    if (r->deepest > (r->budget > 0 ? most_overlap_spent : most_overlap)) {
        return OVERLAP;
    }
    if (!r->scene.driven && !r->scene.swings) {
        watch_energy(r);
    }
    return r->rise > most_rise ? ENERGY : HOLDS;
}

typedef struct Part { // of a step, as shares of it
    double begin, end;
} Part;

static Verdict take_step(Run* r, double h, int halvings, Part part);

// Axes met on the straight line between two states of a step that was iterated, or taken in parts: shorter
// steps decide. The library takes a step that fails in the same halves, and comes to the same bits; clamps
// that jump go half of their way in each. Links with tails would not do: an open rod whose ends go around
// another may change them all.
static Verdict take_halves(Run* r, double h, int halvings, Part part, const void* state, size_t size)
{
    double middle = 0.5 * (part.begin + part.end);
    r->ambiguous++;
    if (cord_world_state_set(r->world, state, size) != CORD_OK) {
        snprintf(r->message, sizeof r->message, "%s", cord_world_message(r->world));
        return HASH;
    }
    Verdict v = take_step(r, h / 2, halvings + 1, (Part){part.begin, middle});
    return v == HOLDS ? take_step(r, h / 2, halvings + 1, (Part){middle, part.end}) : v;
}

static Verdict judge_refusal(Run* r, CordResult result, uint64_t hash)
{
    snprintf(r->message, sizeof r->message, "%s", cord_world_message(r->world));
    if (cord_world_state_hash(r->world) != hash) {
        return HASH;
    }
    return result == CORD_NOT_CONVERGED || result == CORD_DIVERGED ? REFUSED : UNSUPPORTED;
}

static Verdict judge_step(Run* r, double h, int halvings, Part part, int64_t retries, const void* state,
                          size_t size)
{
    static Snapshot before, after;
    scene_snapshot(r->world, &r->scene, &after);
    before = r->scene.start;
    if (passage_find(&before, &after, &r->passage)) {
        if (is_straight(r, retries) || halvings == MOST_HALVINGS) {
            return PASSAGE;
        }
        return take_halves(r, h, halvings, part, state, size);
    }
    r->scene.start = after;
    return judge_state(r, &after);
}

static void lead_clamps(Run* r, double share)
{
    for (int i = 0; i < r->scene.clamp_count; i++) {
        CordVec3 way = minus(r->offsets[i], r->from[i]),
                 to = share == 1.0 ? r->offsets[i] : plus(r->from[i], times(way, share));
        (void)cord_clamp_move(r->world, r->scene.jerked[i], to, (CordQuat){0, 0, 0, 1});
    }
}

static Verdict take_step(Run* r, double h, int halvings, Part part)
{
    size_t size;
    lead_clamps(r, part.end);
    void* state = save_state(r->world, &size);
    if (state == NULL) {
        snprintf(r->message, sizeof r->message, "%s", cord_world_message(r->world));
        return UNSUPPORTED;
    }
    uint64_t hash = cord_world_state_hash(r->world);
    int64_t retries = cord_world_retries(r->world);
    CordResult result = cord_world_step(r->world, h);
    Verdict v = result == CORD_OK ? judge_step(r, h, halvings, part, retries, state, size)
                                  : judge_refusal(r, result, hash);
    free(state);
    return v;
}

// ---- scenes

static void jerk_clamps(Run* r)
{
    for (int i = 0; i < r->scene.clamp_count; i++) {
        if (random_int(&r->random, 10) == 0) {
            r->offsets[i] = plus(r->offsets[i], random_vec3(&r->random, r->scene.jerk));
        }
    }
}

static double next_step(const Run* r) // explicit rods that were hit need shorter steps
{
    return r->scene.stepper == EXPLICIT || r->scene.stepper == MIXED
               ? fmin(r->scene.step, 0.5 * cord_world_step_advice(r->world).step)
               : r->scene.step;
}

// Where a step is refused the clamps go back, and the step becomes shorter.
static Verdict run_scene(Run* r, double limit, double* seconds)
{
    clock_t begun = clock();
    Verdict v = HOLDS;
    int row = 0; // refusals one after the other
    for (int i = 0; i < r->scene.steps && v == HOLDS && *seconds <= limit; i++) {
        memcpy(r->from, r->offsets, sizeof r->from);
        jerk_clamps(r);
        v = take_step(r, ldexp(next_step(r), -row), 0, (Part){0.0, 1.0});
        if (v == REFUSED) {
            memcpy(r->offsets, r->from, sizeof r->offsets);
            r->refusals++, row++;
            v = row == MOST_REFUSALS ? REFUSED : HOLDS;
        } else {
            row = 0, r->steps++;
        }
        *seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    }
    return v;
}

typedef struct Options {
    const char* seeds;
    double limit; // [s]
    int budget;   // iterations a step; 0: no limit
    bool quiet, without_contact, self_test;
} Options;

typedef struct Tally {
    int verdicts[VERDICTS], cut, scenes, touched;
    int64_t steps, refusals, ambiguous;
    double seconds, deepest, rise;
} Tally;

static void print_scene(long seed, const Run* r, Verdict v, double seconds, bool cut)
{
    const Scene* s = &r->scene;
    printf("seed %ld %s%s: %s, %d rods, %d solids, %d jerked, l/r %.2g, %.2g r a step; %d contacts, %d "
           "steps, %d refused, %d ambiguous, "
           "overlap %.1g r, energy rises by %.1g, %.2f s",
           seed, verdict_names[v], cut ? " (cut short)" : "", stepper_names[s->stepper], s->start.rod_count,
           s->start.solid_count, s->clamp_count, s->slenderness, s->thrown, r->contacts, r->steps,
           r->refusals, r->ambiguous, fmax(r->deepest, 0.0), r->rise, seconds);
    if (v == PASSAGE || v == OVERLAP) {
        printf("; edge %d of rod %d in %s %d, edge %d, at %.3g of the step", r->passage.edge, r->passage.rod,
               r->passage.solid ? "solid" : "rod", r->passage.other, r->passage.other_edge, r->passage.when);
    }
    printf("%s%s\n", *r->message ? "; " : "", r->message);
}

static Verdict check_seed(const Options* o, long seed, Tally* t)
{
    static Run r;
    double seconds = 0.0;
    r = (Run){.budget = o->budget,
              .random = (uint64_t)seed * 7919u,
              .least_energy = INFINITY,
              .deepest = -INFINITY};
    r.world = scene_build((uint64_t)seed, !o->without_contact, &r.scene, r.message);
    if (r.world != NULL) {
        (void)cord_world_set_budget(r.world, (CordBudget){.iterations = o->budget});
    }
    Verdict v = r.world != NULL ? run_scene(&r, o->limit, &seconds) : UNSUPPORTED;
    bool cut = v == HOLDS && r.steps + r.refusals < r.scene.steps;
    cord_world_destroy(r.world);
    if (!o->quiet || v > UNSUPPORTED) {
        print_scene(seed, &r, v, seconds, cut);
    }
    t->verdicts[v]++, t->scenes++, t->cut += cut, t->touched += r.contacts > 0;
    t->steps += r.steps, t->refusals += r.refusals, t->ambiguous += r.ambiguous, t->seconds += seconds;
    t->deepest = fmax(t->deepest, r.deepest), t->rise = fmax(t->rise, r.rise);
    return v;
}

static int print_tally(const Tally* t)
{
    int failed = 0;
    printf("%d scenes, %d of them with contact, %lld steps, %lld refused steps, %lld ambiguous steps, %d cut "
           "short, %.1f s; overlap up to %.2g r, "
           "energy rises by up to %.2g\n",
           t->scenes, t->touched, (long long)t->steps, (long long)t->refusals, (long long)t->ambiguous,
           t->cut, t->seconds, fmax(t->deepest, 0.0), t->rise);
    for (Verdict v = HOLDS; v < VERDICTS; v++) {
        printf("%s %d%s", verdict_names[v], t->verdicts[v], v + 1 < VERDICTS ? ", " : "\n");
        failed += v > UNSUPPORTED ? t->verdicts[v] : 0;
    }
    return failed;
}

static bool check_seeds(const Options* o, Tally* t)
{
    for (char* at = (char*)o->seeds; *at != '\0'; at += *at == ',') {
        char* start = at;
        long from = strtol(at, &at, 10), to = from + 1;
        if (*at == ':') {
            to = strtol(at + 1, &at, 10);
        }
        if (at == start || (*at != ',' && *at != '\0')) {
            fprintf(stderr, "--seeds %s: write seeds and ranges, as 3,7,100:200\n", o->seeds);
            return false;
        }
        for (long seed = from; seed < to; seed++) {
            (void)check_seed(o, seed, t);
        }
    }
    return true;
}

// ---- the checker on whole scenes

// Without contact most scenes must have a passage or an overlap.
static int test_scenes(void)
{
    enum { SCENES = 20 };
    Tally t = {0};
    Options o = {.limit = 5.0, .quiet = true, .without_contact = true};
    printf("scenes without contact:\n");
    for (long seed = 0; seed < SCENES; seed++) {
        (void)check_seed(&o, seed, &t);
    }
    bool right = t.verdicts[PASSAGE] + t.verdicts[OVERLAP] > SCENES / 2;
    printf("%s: most scenes without contact fail\n", right ? "right" : "WRONG");
    return !right;
}

// ---- the program

static const char usage[] = "usage: test_violent [--seeds A:B | A,B,...] [--limit SECONDS] [--quiet] "
                            "[--without-contact] [--budget N]\n"
                            "       test_violent --self-test\n"
                            "       test_violent --crowd game|heap [OPTION]...\n";

// False: an argument is unknown.
static bool read_options(int argc, char** argv, Options* o)
{
    *o = (Options){.seeds = "0:100", .limit = 20.0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) {
            o->seeds = argv[++i];
        } else if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc) {
            o->limit = atof(argv[++i]);
        } else if (strcmp(argv[i], "--budget") == 0 && i + 1 < argc) {
            o->budget = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--quiet") == 0) {
            o->quiet = true;
        } else if (strcmp(argv[i], "--without-contact") == 0) {
            o->without_contact = true;
        } else if (strcmp(argv[i], "--self-test") == 0) {
            o->self_test = true;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    static Tally tally;
    Options o;
    if (argc > 1 && strcmp(argv[1], "--crowd") == 0) {
        return crowd_main(argc, argv);
    }
    if (!read_options(argc, argv, &o)) {
        fputs(usage, stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); // so that a scene that never ends can be told
    if (o.self_test) {
        return checker_mistakes() + test_scenes() > 0;
    }
    if (!check_seeds(&o, &tally)) {
        return 2;
    }
    return print_tally(&tally) > 0;
}
