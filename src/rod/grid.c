#include "rod/grid.h"

#include "base/real.h"
#include "math/elementary.h"
#include "rod/rod.h"

CordAdaptDef cord_adapt_def_default(void)
{
    return (CordAdaptDef){.refine_turn = 0.6,
                          .merge_turn = 0.2,
                          .by_contact = true,
                          .merge_time = 0.1,
                          .shortest = 0.25,
                          .longest = 1.0,
                          .placement = CORD_PLACEMENT_MINIMUM,
                          .iterations = 20,
                          .blend = 0.05};
}

// ---- the def

static int power_of_two(double value) // 0: it is none of 1 .. GRID_MOST
{
    for (int p = 1; p <= GRID_MOST; p *= 2) {
        if (value == (double)p) {
            return p;
        }
    }
    return 0;
}

CordResult grid_check_def(const CordAdaptDef* d, Message* message)
{
    if (!(d->merge_turn >= 0.0 && d->merge_turn < d->refine_turn && d->refine_turn <= CORD_PI)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "an adaptive rod halves elements that turn by more than %g rad and merges those "
                            "that turn by less than %g; the "
                            "first must be the larger, and at most pi",
                            d->refine_turn, d->merge_turn);
    }
    if (!(isfinite(d->merge_time) && d->merge_time >= 0.0 && isfinite(d->blend) && d->blend >= 0.0)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the times to merge (%g s) and to blend (%g s) of an adaptive rod must not be negative",
            d->merge_time, d->blend);
    }
    if (power_of_two(1.0 / d->shortest) == 0 || power_of_two(d->longest) == 0) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the shortest element of an adaptive rod is 1, 1/2, 1/4 ... 1/%d of what it was "
                            "made with, and the longest 1, 2, 4 ... "
                            "%d; they are %g and %g",
                            GRID_MOST, GRID_MOST, d->shortest, d->longest);
    }
    if (d->iterations < 1 ||
        (d->placement != CORD_PLACEMENT_MINIMUM && d->placement != CORD_PLACEMENT_MIDPOINT)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the placement of new nodes (%d) is none that there is, or its iterations (%d) are not positive",
            (int)d->placement, d->iterations);
    }
    return CORD_OK;
}

// ---- memory

static void free_marks(Memory* m, RodGrid* g)
{
    memory_array_free(m, g->tick, g->capacity);
    memory_array_free(m, g->since, g->capacity);
    memory_array_free(m, g->merged, g->capacity);
    memory_array_free(m, g->aside, g->capacity);
    memory_array_free(m, g->changed, g->capacity);
}

bool grid_reserve(Memory* m, RodGrid* g, int count)
{
    if (count <= g->capacity) {
        return true;
    }
    RodGrid more = {.capacity = count};
    more.tick = memory_array(m, int, count);
    more.since = memory_array(m, double, count);
    more.merged = memory_array(m, double, count);
    more.aside = memory_array(m, CordVec3, count);
    more.changed = memory_array(m, double, count);
    if (!more.tick || !more.since || !more.merged || !more.aside || !more.changed) {
        free_marks(m, &more);
        return false;
    }
    for (int i = 0; i < g->capacity; i++) {
        more.tick[i] = g->tick[i], more.since[i] = g->since[i], more.merged[i] = g->merged[i];
        more.aside[i] = g->aside[i], more.changed[i] = g->changed[i];
    }
    free_marks(m, g);
    g->tick = more.tick, g->since = more.since, g->merged = more.merged;
    g->aside = more.aside, g->changed = more.changed;
    g->capacity = count;
    return true;
}

int grid_tick_count(const RodGrid* g, bool closed)
{
    return g->end + (closed ? 0 : 1);
}

// An open rod keeps at least two elements and a closed one four, or as many as it was made with.
static int least_elements(int elements, bool closed)
{
    int least = closed ? 4 : 2;
    return elements < least ? elements : least;
}

// Elements of the greatest length, and the rest in shorter powers of two.
static int fewest_elements(const RodGrid* g, int elements, bool closed)
{
    int block = g->longest / g->unit, count = elements / block, least = least_elements(elements, closed);
    for (int rest = elements % block; rest > 0; rest &= rest - 1) {
        count++;
    }
    return count > least ? count : least;
}

RodGrid* grid_create(Memory* m, const CordAdaptDef* def, int elements, bool closed)
{
    RodGrid* g = memory_array(m, RodGrid, 1);
    if (!g) {
        return NULL;
    }
    *g = (RodGrid){.def = *def, .unit = power_of_two(1.0 / def->shortest)};
    g->end = elements * g->unit;
    g->longest = g->unit * power_of_two(def->longest);
    int ends = closed ? 0 : 1, most = grid_tick_count(g, closed);
    if (!grid_reserve(m, g, most)) {
        grid_destroy(m, g);
        return NULL;
    }
    for (int i = 0; i < most; i++) {
        g->tick[i] = i;
        g->since[i] = g->merged[i] = g->changed[i] = -INFINITY;
    }
    g->node_count = most;
    g->report.made_with = elements + ends;
    g->report.finest = most;
    g->report.coarsest = fewest_elements(g, elements, closed) + ends;
    return g;
}

static double corner_angle(const CordVec3* x, int count, bool closed, int i)
{
    if (!closed && (i <= 0 || i >= count - 1)) {
        return 0.0;
    }
    CordVec3 a = vec3_sub(x[i % count], x[(i + count - 1) % count]),
             b = vec3_sub(x[(i + 1) % count], x[i % count]);
    return cord_atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

// Turning angle within, and half of that at the ends.
static double turn_between(const CordVec3* x, int count, bool closed, int from, int to)
{
    double sum = 0.5 * (corner_angle(x, count, closed, from) + corner_angle(x, count, closed, to));
    for (int i = from + 1; i < to; i++) {
        sum += corner_angle(x, count, closed, i);
    }
    return sum;
}

static void divide_element(RodGrid* g, const CordVec3* x, bool closed, int from, int to, bool keep)
{
    int count = grid_tick_count(g, closed);
    if (!keep && to - from > 1 && turn_between(x, count, closed, from, to) > g->def.refine_turn) {
        divide_element(g, x, closed, from, (from + to) / 2, false);
        divide_element(g, x, closed, (from + to) / 2, to, false);
        return;
    }
    g->tick[g->node_count++] = from;
}

void grid_choose_nodes(RodGrid* g, const CordVec3* x, bool closed, bool keep_start, bool keep_end, bool plain)
{
    g->node_count = 0;
    for (int from = 0; from < g->end; from += g->unit) {
        bool held = (keep_start && from == 0) || (keep_end && from + g->unit == g->end);
        divide_element(g, x, closed, from, from + g->unit, plain || held);
    }
    if (!closed) {
        g->tick[g->node_count++] = g->end;
    }
    g->report.nodes = g->node_count;
}

bool grid_set_base(Memory* m, RodGrid* g, const Rod* rod)
{
    const int n = g->base_count = rod->line.edge_count;
    g->base_tick = memory_array(m, int, n + 1);
    g->base_len = memory_array(m, double, n);
    g->strain = memory_array(m, double, 3 * (n + 1));
    g->kink = memory_array(m, double, 3 * (n + 1));
    g->along = rod->along ? memory_array(m, CordStiffness, n) : NULL;
    g->radii = rod->radii ? memory_array(m, double, n) : NULL;
    if (!g->base_tick || !g->base_len || !g->strain || !g->kink || (rod->along && !g->along) ||
        (rod->radii && !g->radii)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        g->base_tick[j] = g->tick[j];
        g->base_len[j] = edge_rest_len(&rod->line, j);
        if (rod->along) {
            g->along[j] = rod->along[j], g->radii[j] = rod->radii[j];
        }
    }
    g->base_tick[n] = g->end;
    return true;
}

void grid_destroy(Memory* m, RodGrid* g)
{
    if (!g) {
        return;
    }
    memory_array_free(m, g->base_tick, g->base_count + 1);
    memory_array_free(m, g->base_len, g->base_count);
    memory_array_free(m, g->strain, 3 * (g->base_count + 1));
    memory_array_free(m, g->kink, 3 * (g->base_count + 1));
    memory_array_free(m, g->along, g->base_count);
    memory_array_free(m, g->radii, g->base_count);
    free_marks(m, g);
    memory_free(m, g, sizeof *g);
}

// ---- where nodes are

int grid_tick_after(const RodGrid* g, const CordCenterline* c, int edge)
{
    return edge + 1 < c->node_count ? g->tick[edge + 1] : g->end;
}

// Binary search: the last of `count` ascending ticks that is not beyond `tick`.
static int last_tick(const int* ticks, int count, int tick)
{
    int low = 0, high = count;
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        *(ticks[middle] <= tick ? &low : &high) = middle;
    }
    return low;
}

int grid_edge_at(const RodGrid* g, const CordCenterline* c, int tick)
{
    return last_tick(g->tick, c->edge_count, tick);
}

bool grid_can_halve(const RodGrid* g, const CordCenterline* c, int edge)
{
    return grid_tick_after(g, c, edge) - g->tick[edge] > 1;
}

// The initial element that contains a tick or begins there.
static int base_at(const RodGrid* g, int tick)
{
    return last_tick(g->base_tick, g->base_count, tick);
}

// Initial elements merge only if they have the same section.
static bool are_alike(const RodGrid* g, int from, int to)
{
    for (int j = base_at(g, from) + 1; g->along && j < g->base_count && g->base_tick[j] < to; j++) {
        const CordStiffness *a = &g->along[j], *b = &g->along[j - 1];
        if (a->EI1 != b->EI1 || a->EI2 != b->EI2 || a->EI12 != b->EI12 || a->GJ != b->GJ || a->EA != b->EA ||
            a->mass_per_length != b->mass_per_length || a->spin_inertia != b->spin_inertia ||
            a->rotary1 != b->rotary1 || a->rotary2 != b->rotary2 || g->radii[j] != g->radii[j - 1]) {
            return false;
        }
    }
    return true;
}

// The two elements beside a node merge if they are halves of a dyadic element. A closed rod keeps its first
// node.
bool grid_can_merge(const RodGrid* g, const CordCenterline* c, int node)
{
    if (node <= 0 || node >= c->edge_count) {
        return false;
    }
    int from = g->tick[node - 1], middle = g->tick[node], to = grid_tick_after(g, c, node), both = to - from;
    return middle - from == to - middle && from % both == 0 && both <= g->longest && are_alike(g, from, to) &&
           c->edge_count > least_elements(g->end / g->unit, c->closed);
}

// Ticks come from files: each element must be one that halving and merging can lead to.
bool grid_admits(const RodGrid* g, const CordCenterline* c, const int* tick, int node_count)
{
    int edges = c->closed ? node_count : node_count - 1;
    bool good = edges >= least_elements(g->end / g->unit, c->closed) && tick[0] == 0 &&
                (c->closed || tick[node_count - 1] == g->end);
    for (int j = 0; j < edges && good; j++) {
        int end = j + 1 < node_count ? tick[j + 1] : g->end, size = end - tick[j];
        good = size > 0 && size <= g->longest && (size & (size - 1)) == 0 && tick[j] % size == 0 &&
               end <= g->end && are_alike(g, tick[j], end);
    }
    return good;
}

int grid_level(const RodGrid* g, int tick)
{
    int level = 0;
    for (int step = g->unit; tick % step != 0; step /= 2) {
        level++;
    }
    return level;
}

// ---- elements

double grid_length(const RodGrid* g, int from, int to)
{
    int j = base_at(g, from), size = g->base_tick[j + 1] - g->base_tick[j];
    if (to - from <= size) {
        return g->base_len[j] * (double)(to - from) / size;
    }
    double sum = 0.0;
    for (; j < g->base_count && g->base_tick[j] < to; j++) {
        sum += g->base_len[j];
    }
    return sum;
}

static void add_strain(const RodGrid* g, int base_node, double length, double strain[3])
{
    for (int k = 0; k < 3; k++) {
        strain[k] += length * g->strain[3 * base_node + k];
    }
}

// Within an initial element strain is linear from node to node, and a corner has half of each element beside
// it, which keeps the sum. The strain of nodes inside a merged element is distributed to its ends, linearly
// by distance.
void grid_strain(const RodGrid* g, int from, int to, bool at_end, double strain[3])
{
    int first = base_at(g, from), size = g->base_tick[first + 1] - g->base_tick[first];
    if (to - from <= size) {
        double share = (double)((at_end ? to : from) - g->base_tick[first]) / size,
               half = 0.5 * grid_length(g, from, to);
        add_strain(g, first, (1.0 - share) * half, strain);
        add_strain(g, first + 1, share * half, strain);
        return;
    }
    double length = grid_length(g, from, to), at = 0.0;
    // each half of an initial element belongs to the node beside it
    for (int j = first; j < g->base_count && g->base_tick[j] < to; j++) {
        double before = at / length, after = (at + g->base_len[j]) / length, half = 0.5 * g->base_len[j];
        add_strain(g, j, half * (at_end ? before : 1.0 - before), strain);
        add_strain(g, j + 1, half * (at_end ? after : 1.0 - after), strain);
        at += g->base_len[j];
        if (g->base_tick[j + 1] < to) {
            grid_add_kink(g, g->base_tick[j + 1], at_end ? after : 1.0 - after, strain);
        }
    }
}

void grid_add_kink(const RodGrid* g, int tick, double share, double strain[3])
{
    int j = base_at(g, tick);
    for (int k = 0; k < 3 && g->kinked && g->base_tick[j] == tick; k++) {
        strain[k] += share * g->kink[3 * j + k];
    }
}

double grid_edge_weight(const Rod* rod, int edge)
{
    bool half =
        (rod->ends.half_start && edge == 0) || (rod->ends.half_end && edge == rod->line.edge_count - 1);
    return half ? 2.0 : 1.0;
}

void grid_set_strain(RodGrid* g, const Rod* rod, int node, const double strain[3])
{
    int before = edge_before(&rod->line, node), after = edge_after(&rod->line, node);
    double per = 2.0 / (grid_edge_weight(rod, before) * edge_rest_len(&rod->line, before) +
                        grid_edge_weight(rod, after) * edge_rest_len(&rod->line, after));
    for (int k = 0; k < 3; k++) {
        g->strain[3 * node + k] = per * strain[k];
    }
}

#define SHARP 2.0 // times the strain of its neighbours: what exceeds that is a kink

static double size_of(const double* strain, bool twist) // of bending, or of twist
{
    return twist ? fabs(strain[2]) : sqrt(strain[0] * strain[0] + strain[1] * strain[1]);
}

// Separates the part of a node's strain that exceeds its neighbours: a kink stays at its node.
static void separate_kink(RodGrid* g, const Rod* rod, int node, const double before[3], const double after[3])
{
    int edge = edge_before(&rod->line, node);
    double length = 0.5 * (grid_edge_weight(rod, edge) * g->base_len[edge] +
                           grid_edge_weight(rod, node) * g->base_len[node]);
    double *own = g->strain + 3 * node, *kink = g->kink + 3 * node;
    for (int twist = 0; twist < 2; twist++) {
        double most = SHARP * real_max(size_of(before, twist), size_of(after, twist)),
               size = size_of(own, twist);
        double share = size > most && size * length > 1e-9 ? 1.0 - most / size : 0.0; // beyond round-off
        for (int k = twist ? 2 : 0; k < (twist ? 3 : 2); k++) {
            kink[k] = share * length * own[k];
            own[k] -= share * own[k];
            g->kinked |= kink[k] != 0.0;
        }
    }
}

static void copy_strain(double to[3], const double* from)
{
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
}

// Compares with the original strains of the neighbours, which are saved before they change.
static void separate_kinks(RodGrid* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    double first[3], before[3], own[3];
    copy_strain(first, g->strain);
    copy_strain(before, g->strain + (c->closed ? 3 * (g->base_count - 1) : 0));
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        bool last = c->closed && i == g->base_count - 1;
        copy_strain(own, g->strain + 3 * i);
        separate_kink(g, rod, i, before, last ? first : g->strain + 3 * (i + 1));
        copy_strain(before, own);
    }
}

// An end has no corner, so that its strain is set after the kinks were found.
void grid_finish_strains(RodGrid* g, const Rod* rod)
{
    int n = g->base_count;
    if (n > (rod->line.closed ? 2 : 3)) {
        separate_kinks(g, rod);
    }
    for (int k = 0; k < 3; k++) {
        double* s = g->strain + k;
        if (rod->line.closed) {
            s[3 * n] = s[0];
            g->kink[3 * n + k] = g->kink[k];
        } else if (n > 1) {
            s[0] = s[3], s[3 * n] = s[3 * (n - 1)];
        }
    }
}

void grid_state(RodGrid* g, const CordCenterline* c, Bytes* b)
{
    bytes_doubles(b, g->since, c->edge_count);
    bytes_doubles(b, g->merged, c->edge_count);
    bytes_doubles(b, &g->aside[0].x, 3 * c->node_count);
    bytes_doubles(b, g->changed, c->node_count);
    bytes_bool(b, &g->changes);
    CordAdaptReport* r = &g->report;
    bytes_int(b, &r->nodes);
    bytes_i64(b, &r->refined);
    bytes_i64(b, &r->merged);
    bytes_i64(b, &r->kept_off);
    bytes_i64(b, &r->iterations);
    bytes_i64(b, &r->steps);
    bytes_double(b, &r->node_steps);
    bytes_i64(b, &r->flickers);
}
