#include "contact/narrow_phase.h"

#include "contact/closest_segments_kernel.h"
#include "contact/narrow_parts.h"

#include <limits.h>
#include <string.h>

// Over the radius: how deep rods may sink into compliant obstacles, which else they might pass.
#define MOST_SINK 0.9

// ---- collecting

void narrow_note_gap(NarrowPhase* f, const ContactPoint* contact, double gap, double s, double t)
{
    bool gives =
        contact->kind != CONTACT_SEGMENTS && solid_is_compliant(&f->colliders->solids[contact->key.b]);
    f->out->deepest = real_max(f->out->deepest, -gap / contact->radius - (gives ? MOST_SINK : 0.0));
    if (gap < f->out->nearest) {
        f->out->nearest = gap;
        f->out->worst = *contact;
        f->out->worst.s = s, f->out->worst.t = t, f->out->worst.gap = gap;
    }
}

double contact_points_depth(const ContactPoints* points, const Colliders* cs, bool* soft)
{
    const ContactPoint* worst = &points->worst;
    bool found = points->deepest > 0.0 && worst->kind != CONTACT_SEGMENTS;
    *soft = found && solid_is_compliant(&cs->solids[worst->key.b]) && -worst->gap > MOST_SINK * worst->radius;
    return *soft ? -worst->gap / worst->radius : points->deepest;
}

// Contacts that do not fit into the list are only counted: see fill_lists.
void narrow_add_contact(NarrowPhase* f, const ContactPoint* contact)
{
    ContactPoints* ts = f->out;
    if (contact->gap >= contact->reach) {
        return;
    }
    if (ts->count < ts->capacity) {
        ts->all[ts->count] = *contact;
    }
    ts->count++;
}

// ---- candidates

// Sets the gap beyond which a pair cannot come into contact.
static void find_clear(const Colliders* cs, const ContactLaw* law)
{
    for (int i = 0; i < cs->segment_count; i++) {
        double radius = cs->segments[i].radius, travel = law->travel ? law->travel[i] : 0.0,
               spare = 0.5 * law->gap * radius; // half of a pair's, or more
        cs->clear[i] = cs->travel[i] + cs->away[i] +
                       (law->moves ? cs->motion[i] + spare : 2.0 * (travel + spare) + 0.5e-3 * radius);
    }
}

static bool is_left_out(const NarrowPhase* f, int segment)
{
    const Colliders* cs = f->colliders;
    return f->law->awake && cs->rods[cs->segments[segment].rod].rod->rest.asleep;
}

#define LANES 4 // of the kernel

// Pairs of segments that are near, four at a time.
typedef struct NearPairs {
    SegmentPair* pair[LANES];
    int count;
} NearPairs;

static void test_near(NarrowPhase* f, NearPairs* near)
{
    int node[4][LANES];
    ClosestPoints closest[LANES];
    for (int k = 0; k < LANES && near->count > 0; k++) {
        const SegmentPair* pair = near->pair[k < near->count ? k : 0];
        const int *a = f->colliders->segments[pair->a].node, *b = f->colliders->segments[pair->b].node;
        node[0][k] = a[0], node[1][k] = a[1], node[2][k] = b[0], node[3][k] = b[1];
    }
    if (near->count > 0) {
        KERNEL_CHOOSE(closest_segments_kernels)->four(f->x, node, closest);
    }
    for (int k = 0; k < near->count; k++) {
        narrow_test_pair(f, near->pair[k], &closest[k]);
    }
    near->count = 0;
}

static void test_pairs(NarrowPhase* f, int first, int last)
{
    const Colliders* cs = f->colliders;
    NearPairs near = {.count = 0};
    for (int i = first; i < last; i++) {
        SegmentPair* pair = &cs->pairs[i];
        if (pair_is_clear(cs, pair) || (is_left_out(f, pair->a) && is_left_out(f, pair->b))) {
            continue;
        }
        near.pair[near.count++] = pair;
        if (near.count == LANES) {
            test_near(f, &near);
        }
    }
    test_near(f, &near);
}

static void test_solids(NarrowPhase* f, int first, int last)
{
    for (int i = first; i < last; i++) {
        const SolidPair* pair = &f->colliders->solid_pairs[i];
        if (!is_left_out(f, pair->segment)) {
            narrow_test_solid(f, pair);
        }
    }
}

static void test_meshes(NarrowPhase* f, int first, int last)
{
    for (int i = first; i < last; i++) {
        const MeshPair* pair = &f->colliders->mesh_pairs[i];
        if (!is_left_out(f, pair->segment)) {
            (pair->kind == MESH_TRIANGLE ? narrow_test_triangle : narrow_test_edge)(f, pair);
        }
    }
}

static int between(int i, int lo, int hi)
{
    return i < lo ? lo : i > hi ? hi : i;
}

// Candidates are pairs of segments, then segments with solids, then segments with features of meshes.
static void test_candidates(NarrowPhase* f, int first, int last)
{
    const Colliders* cs = f->colliders;
    const int start[4] = {0, cs->pair_count, cs->pair_count + cs->solid_pair_count, INT_MAX};
    void (*const test[3])(NarrowPhase*, int, int) = {test_pairs, test_solids, test_meshes};
    for (int k = 0; k < 3; k++) {
        test[k](f, between(first, start[k], start[k + 1]) - start[k],
                between(last, start[k], start[k + 1]) - start[k]);
    }
}

#define LEAST_RANGE 1024 // candidates that are worth a task of their own
#define LEAST_JOINED 512 // contact points, likewise of being copied

typedef struct NarrowPhaseTasks {
    ContactPoints* lists; // of the ranges of candidates
    const Colliders* colliders;
    const CordVec3* x;
    const ContactLaw* law;
    ContactPoint* joined;
    int starts[TASKS_RANGES + 1]; // of the lists in `joined`
} NarrowPhaseTasks;

static void find_in_range(void* context, int range, int first, int last)
{
    const NarrowPhaseTasks* t = context;
    ContactPoints* list = &t->lists[range];
    NarrowPhase f = {.out = list,
                     .colliders = t->colliders,
                     .x = t->x,
                     .law = t->law,
                     .between_rods.kind = CONTACT_SEGMENTS};
    for (int i = 0; i < BRIDGES; i++) {
        f.bridges[i].segment = -1;
    }
    list->count = 0;
    list->left_out = false;
    list->deepest = 0.0;
    list->nearest = INFINITY;
    test_candidates(&f, first, last);
}

static void join_range(void* context, int range)
{
    const NarrowPhaseTasks* t = context;
    const ContactPoints* list = &t->lists[range];
    if (list->count > 0) {
        memcpy(t->joined + t->starts[range], list->all, sizeof *list->all * (size_t)list->count);
    }
}

// Appends the lists of all ranges.
static bool join_lists(Memory* m, ContactPoints* ts, NarrowPhaseTasks* t, int ranges)
{
    ts->count = 0;
    ts->left_out = false;
    ts->deepest = 0.0;
    ts->nearest = INFINITY;
    for (int i = 0; i < ranges; i++) {
        const ContactPoints* list = &t->lists[i];
        t->starts[i] = ts->count;
        ts->count += list->count;
        ts->left_out |= list->left_out;
        ts->deepest = real_max(ts->deepest, list->deepest);
        if (list->nearest < ts->nearest) {
            ts->nearest = list->nearest;
            ts->worst = list->worst;
        }
    }
    if (!memory_reserve(m, (void**)&ts->all, ts->count, &ts->capacity, sizeof *ts->all)) {
        ts->count = 0;
        return false;
    }
    const CordTasks in_place = {NULL, NULL};
    t->joined = ts->all;
    tasks_run(ts->count < LEAST_JOINED ? &in_place : &t->colliders->tasks, join_range, t, ranges);
    return true;
}

// Tasks allocate nothing. A list that was too short is made longer, and filled again.
static bool fill_lists(Memory* m, NarrowPhaseTasks* t, int ranges, int candidates)
{
    tasks_run_ranges(&t->colliders->tasks, ranges, candidates, find_in_range, t);
    for (int i = 0; i < ranges; i++) {
        ContactPoints* list = &t->lists[i];
        if (list->count > list->capacity) {
            if (!memory_reserve(m, (void**)&list->all, list->count, &list->capacity, sizeof *list->all)) {
                list->count = 0;
                return false;
            }
            find_in_range(t, i, tasks_range_start(ranges, candidates, i),
                          tasks_range_start(ranges, candidates, i + 1));
        }
    }
    return true;
}

bool narrow_phase_find(Memory* m, ContactPoints* ts, const Colliders* cs, const CordVec3* x,
                       const ContactLaw* law)
{
    int candidates = cs->pair_count + cs->solid_pair_count + cs->mesh_pair_count,
        ranges = tasks_ranges(&cs->tasks, candidates, LEAST_RANGE);
    NarrowPhaseTasks t = {.lists = ts, .colliders = cs, .x = x, .law = law};
    colliders_find_away(cs, x);
    if (law->moves) {
        colliders_find_paths(cs, cs->begin, cs->to, cs->motion);
    }
    find_clear(cs, law);
    if (ranges == 1) {
        return fill_lists(m, &t, 1, candidates);
    }
    if (!memory_reserve(m, (void**)&ts->ranges, ranges, &ts->range_capacity, sizeof *ts->ranges)) {
        return false;
    }
    t.lists = ts->ranges;
    return fill_lists(m, &t, ranges, candidates) && join_lists(m, ts, &t, ranges);
}

void contact_points_free(Memory* m, ContactPoints* ts)
{
    for (int i = 0; i < ts->range_capacity; i++) {
        memory_array_free(m, ts->ranges[i].all, ts->ranges[i].capacity);
    }
    memory_array_free(m, ts->ranges, ts->range_capacity);
    memory_array_free(m, ts->all, ts->capacity);
    *ts = (ContactPoints){0};
}
