#include "rod/grid.h"

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

static int power_of_two(double value) // 0: it is none, up to GRID_MOST
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
    if (!(d->merge_turn >= 0.0 && d->merge_turn < d->refine_turn && d->refine_turn <= 3.141592653589793)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "an adaptive rod halves elements that turn by more than %g rad and merges those that turn by less than %g; the "
                            "first must be the larger, and at most pi",
                            d->refine_turn, d->merge_turn);
    }
    if (!(isfinite(d->merge_time) && d->merge_time >= 0.0 && isfinite(d->blend) && d->blend >= 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the times to merge (%g s) and to blend (%g s) of an adaptive rod must not be negative",
                            d->merge_time, d->blend);
    }
    if (power_of_two(1.0 / d->shortest) == 0 || power_of_two(d->longest) == 0) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the shortest element of an adaptive rod is 1, 1/2, 1/4 ... 1/%d of what it was made with, and the longest 1, 2, 4 ... "
                            "%d; they are %g and %g",
                            GRID_MOST, GRID_MOST, d->shortest, d->longest);
    }
    if (d->iterations < 1 || (d->placement != CORD_PLACEMENT_MINIMUM && d->placement != CORD_PLACEMENT_MIDPOINT)) {
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

static bool copy_base(Memory* m, RodGrid* g, const Rod* rod)
{
    const int n = g->base_count;
    g->base_len = memory_array(m, double, n);
    g->strain = memory_array(m, double, 3 * (n + 1));
    g->along = rod->along ? memory_array(m, CordStiffness, n) : NULL;
    g->radii = rod->radii ? memory_array(m, double, n) : NULL;
    if (!g->base_len || !g->strain || (rod->along && !g->along) || (rod->radii && !g->radii)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        g->base_len[j] = edge_rest_len(&rod->line, j);
        if (rod->along) {
            g->along[j] = rod->along[j], g->radii[j] = rod->radii[j];
        }
    }
    return true;
}

RodGrid* grid_create(Memory* m, const Rod* rod, const CordAdaptDef* def)
{
    const CordCenterline* c = &rod->line;
    RodGrid* g = memory_array(m, RodGrid, 1);
    if (!g) {
        return NULL;
    }
    *g = (RodGrid){.def = *def, .base_count = c->edge_count, .unit = power_of_two(1.0 / def->shortest)};
    g->longest = g->unit * power_of_two(def->longest);
    if (!copy_base(m, g, rod) || !grid_reserve(m, g, c->node_count)) {
        grid_destroy(m, g);
        return NULL;
    }
    for (int i = 0; i < c->node_count; i++) {
        g->tick[i] = i * g->unit;
        g->since[i] = g->merged[i] = g->changed[i] = -INFINITY;
    }
    int ends = c->closed ? 0 : 1, blocks = g->longest / g->unit;
    g->report.made_with = g->report.nodes = c->node_count;
    g->report.finest = g->base_count * g->unit + ends;
    g->report.coarsest = g->base_count / blocks + g->base_count % blocks + ends;
    return g;
}

void grid_destroy(Memory* m, RodGrid* g)
{
    if (!g) {
        return;
    }
    memory_array_free(m, g->base_len, g->base_count);
    memory_array_free(m, g->strain, 3 * (g->base_count + 1));
    memory_array_free(m, g->along, g->base_count);
    memory_array_free(m, g->radii, g->base_count);
    free_marks(m, g);
    memory_free(m, g, sizeof *g);
}

// ---- where nodes are

int grid_tick_after(const RodGrid* g, const CordCenterline* c, int edge)
{
    return edge + 1 < c->node_count ? g->tick[edge + 1] : grid_end(g);
}

int grid_edge_at(const RodGrid* g, const CordCenterline* c, int tick)
{
    int low = 0, high = c->edge_count; // the edge is in [low, high)
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        *(g->tick[middle] <= tick ? &low : &high) = middle;
    }
    return low;
}

bool grid_can_halve(const RodGrid* g, const CordCenterline* c, int edge)
{
    return grid_tick_after(g, c, edge) - g->tick[edge] > 1;
}

// Elements of the base become one if they are alike.
static bool are_alike(const RodGrid* g, int from, int to)
{
    for (int j = from / g->unit + 1; g->along && j < to / g->unit; j++) {
        const CordStiffness *a = &g->along[j], *b = &g->along[j - 1];
        if (a->EI1 != b->EI1 || a->EI2 != b->EI2 || a->EI12 != b->EI12 || a->GJ != b->GJ || a->EA != b->EA ||
            a->mass_per_length != b->mass_per_length || a->spin_inertia != b->spin_inertia ||
            a->rotary1 != b->rotary1 || a->rotary2 != b->rotary2 || g->radii[j] != g->radii[j - 1]) {
            return false;
        }
    }
    return true;
}

// Two that were one, or could have been: a ring keeps its first node.
bool grid_can_merge(const RodGrid* g, const CordCenterline* c, int node)
{
    if (node <= 0 || node >= c->edge_count) {
        return false;
    }
    int from = g->tick[node - 1], middle = g->tick[node], to = grid_tick_after(g, c, node), both = to - from;
    return middle - from == to - middle && from % both == 0 && both <= g->longest && are_alike(g, from, to) &&
           (c->edge_count > 4 || !c->closed) && c->edge_count > 2;
}

// Ticks come from files: each element must be one that halving and merging may lead to.
bool grid_admits(const RodGrid* g, const CordCenterline* c, const int* tick, int node_count)
{
    int edges = c->closed ? node_count : node_count - 1;
    bool good = node_count > 1 && tick[0] == 0 && (c->closed || tick[node_count - 1] == grid_end(g));
    for (int j = 0; j < edges && good; j++) {
        int end = j + 1 < node_count ? tick[j + 1] : grid_end(g), size = end - tick[j];
        good = size > 0 && size <= g->longest && (size & (size - 1)) == 0 && tick[j] % size == 0 &&
               end <= grid_end(g) && are_alike(g, tick[j], end);
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
    int first = from / g->unit, end = (to + g->unit - 1) / g->unit;
    if (end - first <= 1) {
        return g->base_len[first] * (double)(to - from) / g->unit;
    }
    double sum = 0.0;
    for (int j = first; j < end; j++) {
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

// Within an element of the base, strain goes linearly from node to node, and a corner has half of each element beside it: that keeps the sum. Elements that have become one share
// what was at the nodes they no longer have between their ends, by distance.
void grid_strain(const RodGrid* g, int from, int to, bool at_end, double strain[3])
{
    int first = from / g->unit, end = (to + g->unit - 1) / g->unit;
    if (end - first <= 1) {
        double share = (double)((at_end ? to : from) - first * g->unit) / g->unit,
               half = 0.5 * grid_length(g, from, to);
        add_strain(g, first, (1.0 - share) * half, strain);
        add_strain(g, first + 1, share * half, strain);
        return;
    }
    double length = grid_length(g, from, to), at = 0.0;
    for (int j = first; j < end; j++) { // each half of each element belongs to the node beside it
        double before = at / length, after = (at + g->base_len[j]) / length, half = 0.5 * g->base_len[j];
        add_strain(g, j, half * (at_end ? before : 1.0 - before), strain);
        add_strain(g, j + 1, half * (at_end ? after : 1.0 - after), strain);
        at += g->base_len[j];
    }
}

void grid_set_strain(RodGrid* g, const Rod* rod, int node, const double strain[3])
{
    double per = 2.0 / rod_bend_length(rod, node);
    for (int k = 0; k < 3; k++) {
        g->strain[3 * node + k] = per * strain[k];
    }
}

void grid_end_strains(RodGrid* g, const Rod* rod)
{
    int n = g->base_count;
    for (int k = 0; k < 3; k++) {
        double* s = g->strain + k;
        if (rod->line.closed) {
            s[3 * n] = s[0];
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
