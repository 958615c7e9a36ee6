// Projects a polygon to a knot diagram, and simplifies the diagram by Reidemeister moves.
#include "base/real.h"
#include "rod/knot.h"
#include "rod/polygon_bvh.h"

#include "math/vec3.h"

#include <stdlib.h>

#define MOST_FOUND 1000000 // crossings before simplification
#define TOO_NEAR 1e-10     // in the plane: a crossing nearer to a vertex or to another crossing is degenerate
#define TOO_PARALLEL 1e-5  // sine of the angle of two edges whose crossing cannot be placed
#define SAME_HEIGHT 1e-10  // difference of height of two edges that meet in space
#define NUDGE 1e-8         // displacement of the vertices in the plane if every view is degenerate
#define SAME_NUDGED 1e-6   // SAME_HEIGHT then

// Directions of projection in general position. The first without a degenerate crossing is used.
static const CordVec3 views[] = {
    {0.4139, 0.2973, 0.8604},  {-0.7213, 0.5417, 0.4311},  {0.1871, -0.8839, 0.4285},
    {0.9127, 0.3571, -0.1987}, {-0.3347, -0.6411, 0.6907}, {0.5813, 0.7699, 0.2633},
    {-0.9421, 0.0877, 0.3239}, {0.0653, 0.4973, -0.8651},
};
#define VIEW_COUNT ((int)(sizeof views / sizeof *views))

typedef struct Crossing {
    int edge[2];
    double at[2]; // along each edge [length in the plane]
    bool second_over;
} Crossing;

typedef struct Visit { // an edge passes a crossing
    int edge, crossing;
    double at;
    bool over;
} Visit;

typedef struct View {
    Memory* m;
    const CordVec3* x; // rotated, so that the projection is along z
    int count;
    Crossing* crossings;
    int crossing_count, capacity;
    int edge;         // whose crossings are being found
    bool any_will_do; // accept degenerate crossings
    bool degenerate, failed;
} View;

// ---- crossings

static double cross2(CordVec3 a, CordVec3 b)
{
    return a.x * b.y - a.y * b.x;
}

static double length2(CordVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

static CordVec3 vertex_after(const View* v, int i)
{
    return v->x[i + 1 < v->count ? i + 1 : 0];
}

// Do edges that are nearly parallel in the plane overlap there?
static bool parallels_overlap(CordVec3 a, CordVec3 d, CordVec3 p, CordVec3 q)
{
    double len = length2(d);
    if (len <= TOO_NEAR) { // seen end on
        d = vec3_sub(q, p), len = length2(d);
        CordVec3 w = vec3_sub(a, p);
        double s = (w.x * d.x + w.y * d.y) / len;
        return fabs(cross2(d, w)) <= 2.0 * TOO_NEAR * len && s >= -TOO_NEAR && s <= len + TOO_NEAR;
    }
    CordVec3 wp = vec3_sub(p, a), wq = vec3_sub(q, a);
    double sp = (wp.x * d.x + wp.y * d.y) / len, sq = (wq.x * d.x + wq.y * d.y) / len;
    double hp = cross2(d, wp) / len, hq = cross2(d, wq) / len;
    bool same_side = real_min(hp, hq) > TOO_NEAR || real_max(hp, hq) < -TOO_NEAR;
    return !same_side && real_min(sp, sq) <= len + TOO_NEAR && real_max(sp, sq) >= -TOO_NEAR;
}

// 1: the place `at` along an edge is on it; 0: it is not; -1: too near an end to be sure.
static int on_edge(double at, double length)
{
    if (at < -TOO_NEAR || at > length + TOO_NEAR) {
        return 0;
    }
    return at <= TOO_NEAR || at >= length - TOO_NEAR ? -1 : 1;
}

static bool add_crossing(View* v, Crossing c)
{
    if (v->crossing_count >= MOST_FOUND ||
        !memory_grow(v->m, (void**)&v->crossings, v->crossing_count, &v->capacity, sizeof *v->crossings)) {
        v->failed = true;
        return false;
    }
    v->crossings[v->crossing_count++] = c;
    return true;
}

// Crossing of edge i, along d, and edge j, along e, in the plane, in fractions of their lengths. False: they
// do not cross, or v->degenerate.
static bool crossing_at(View* v, int i, int j, CordVec3 d, CordVec3 e, double at[2])
{
    CordVec3 w = vec3_sub(v->x[j], v->x[i]);
    double len_d = length2(d), len_e = length2(e), sine = cross2(d, e);
    if (!v->any_will_do && fabs(sine) <= TOO_PARALLEL * len_d * len_e) {
        v->degenerate = parallels_overlap(v->x[i], d, v->x[j], vertex_after(v, j));
        return false;
    }
    at[0] = cross2(w, e) / sine;
    at[1] = cross2(w, d) / sine;
    if (v->any_will_do) {
        return at[0] >= 0.0 && at[0] < 1.0 && at[1] >= 0.0 && at[1] < 1.0;
    }
    int on_d = on_edge(at[0] * len_d, len_d), on_e = on_edge(at[1] * len_e, len_e);
    v->degenerate = on_d * on_e != 0 && (on_d < 0 || on_e < 0);
    return on_d * on_e != 0 && !v->degenerate;
}

// If edges meet in space the later one passes over, so that a plane curve is not knotted.
static bool try_crossing(void* user, int j)
{
    View* v = user;
    int i = v->edge;
    bool neighbours = j == i + 1 || (i == 0 && j == v->count - 1);
    if (j <= i || neighbours) {
        return true;
    }
    CordVec3 d = vec3_sub(vertex_after(v, i), v->x[i]), e = vec3_sub(vertex_after(v, j), v->x[j]);
    double at[2];
    if (!crossing_at(v, i, j, d, e, at)) {
        return !v->degenerate;
    }
    double same = v->any_will_do ? SAME_NUDGED : SAME_HEIGHT;
    double rise = v->x[j].z + at[1] * e.z - (v->x[i].z + at[0] * d.z);
    return add_crossing(v, (Crossing){{i, j}, {at[0] * length2(d), at[1] * length2(e)}, rise >= -same});
}

static bool find_crossings(View* v, const PolygonBvh* boxes)
{
    v->crossing_count = 0;
    v->degenerate = false;
    for (v->edge = 0; v->edge < v->count; v->edge++) {
        CordVec3 ends[2] = {v->x[v->edge], vertex_after(v, v->edge)};
        BoundingBox query = bounding_box_of_points(ends, 2, 2.0 * TOO_NEAR);
        query.low.z = -INFINITY, query.high.z = INFINITY;
        if (!polygon_bvh_query(boxes, query, try_crossing, v)) {
            return false;
        }
    }
    return true;
}

// ---- passes

static int visit_order(const void* one, const void* other)
{
    const Visit *a = one, *b = other;
    if (a->edge != b->edge) {
        return a->edge < b->edge ? -1 : 1;
    }
    if (a->at != b->at) {
        return a->at < b->at ? -1 : 1;
    }
    return a->crossing < b->crossing ? -1 : a->crossing > b->crossing;
}

// The Gauss code: crossings in their order along the polygon. False: no memory, or two crossings that cannot
// be told apart.
static bool order_passes(View* v, KnotDiagram* d)
{
    int count = 2 * v->crossing_count;
    Visit* visits = memory_array(v->m, Visit, count);
    KnotPass* passes = memory_array(v->m, KnotPass, count);
    v->failed = !visits || !passes;
    for (int k = 0; k < v->crossing_count && !v->failed; k++) {
        const Crossing* c = &v->crossings[k];
        visits[2 * k] = (Visit){c->edge[0], k, c->at[0], !c->second_over};
        visits[2 * k + 1] = (Visit){c->edge[1], k, c->at[1], c->second_over};
    }
    if (!v->failed) {
        qsort(visits, (size_t)count, sizeof *visits, visit_order);
    }
    for (int i = 0; i < count && !v->failed; i++) {
        passes[i] = (KnotPass){visits[i].crossing, visits[i].over};
        bool near =
            i > 0 && visits[i].edge == visits[i - 1].edge && visits[i].at - visits[i - 1].at <= TOO_NEAR;
        v->degenerate = v->degenerate || (near && !v->any_will_do);
    }
    memory_array_free(v->m, visits, count);
    if (v->failed || v->degenerate) {
        memory_array_free(v->m, passes, count);
        return false;
    }
    *d = (KnotDiagram){passes, v->crossing_count, count};
    return true;
}

// ---- views

static void project(const CordVec3* x, int count, CordVec3 view, double nudge, CordVec3* y)
{
    CordVec3 e3 = vec3_unit(view), e1 = vec3_any_normal(e3), e2 = vec3_cross(e3, e1);
    uint32_t seed = 1;
    for (int i = 0; i < count; i++) {
        double by[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 1664525u + 1013904223u;
            by[k] = nudge * ((double)seed * 0x1p-32 - 0.5);
        }
        y[i] = (CordVec3){vec3_dot(x[i], e1) + by[0], vec3_dot(x[i], e2) + by[1], vec3_dot(x[i], e3)};
    }
}

bool knot_diagram_create(Memory* m, KnotDiagram* d, const CordVec3* x, int count)
{
    *d = (KnotDiagram){0};
    CordVec3* y = memory_array(m, CordVec3, count);
    PolygonBvh boxes;
    View v = {.m = m, .x = y, .count = count};
    bool made = false;
    v.failed = !polygon_bvh_create(m, &boxes, count) || !y;
    for (int k = 0; k <= VIEW_COUNT && !v.failed && !made; k++) {
        v.any_will_do = k == VIEW_COUNT;
        project(x, count, views[k % VIEW_COUNT], v.any_will_do ? NUDGE : 0.0, y);
        polygon_bvh_fit(&boxes, y, count);
        made = find_crossings(&v, &boxes) && order_passes(&v, d);
    }
    memory_array_free(m, v.crossings, v.capacity);
    polygon_bvh_destroy(m, &boxes);
    memory_array_free(m, y, count);
    return made;
}

void knot_diagram_destroy(Memory* m, KnotDiagram* d)
{
    memory_array_free(m, d->passes, d->capacity);
    *d = (KnotDiagram){0};
}

// ---- Reidemeister moves

typedef struct Passes { // cyclic list of the passes that are left
    int *before, *after, *partner;
    int left;
} Passes;

static void unlink_pass(Passes* r, int i)
{
    r->after[r->before[i]] = r->after[i];
    r->before[r->after[i]] = r->before[i];
    r->partner[i] = -1;
    r->left--;
}

// Move I: a strand crosses itself with nothing in between. Move II: two strands cross twice in a row, and one
// is over both times.
static bool simplify_at(Passes* r, const KnotPass* passes, int i)
{
    int j = r->after[i], k = r->partner[i], l = r->partner[j];
    if (k == j) {
        unlink_pass(r, i);
        unlink_pass(r, j);
        return true;
    }
    if (passes[i].over == passes[j].over && (r->after[k] == l || r->after[l] == k)) {
        unlink_pass(r, i);
        unlink_pass(r, j);
        unlink_pass(r, k);
        unlink_pass(r, l);
        return true;
    }
    return false;
}

// Goes around until a full turn finds no move.
static void simplify_passes(Passes* r, const KnotPass* passes)
{
    for (int i = 0, since = 0; r->left > 0 && since < r->left;) {
        int back = i;
        for (int k = 0; k < 2; k++) {
            back = r->before[back];
        }
        if (!simplify_at(r, passes, i)) {
            i = r->after[i];
            since++;
            continue;
        }
        since = 0;
        while (r->left > 0 && r->partner[back] < 0) {
            // before[] of a removed pass still leads to the one before it
            back = r->before[back];
        }
        i = back;
    }
}

static void renumber(KnotDiagram* d, const Passes* r, int* number)
{
    int count = 2 * d->crossing_count, kept = 0, crossings = 0;
    for (int i = 0; i < count; i++) {
        if (r->partner[i] < 0) {
            continue;
        }
        KnotPass pass = d->passes[i];
        if (r->partner[i] > i) {
            number[pass.crossing] = crossings++;
        }
        d->passes[kept++] = (KnotPass){number[pass.crossing], pass.over};
    }
    d->crossing_count = crossings;
}

bool knot_diagram_simplify(Memory* m, KnotDiagram* d)
{
    int count = 2 * d->crossing_count, crossings = d->crossing_count;
    Passes r = {memory_array(m, int, count), memory_array(m, int, count), memory_array(m, int, count), count};
    int* number = memory_array(m, int, crossings);
    bool room = r.before && r.after && r.partner && number;
    for (int i = 0; i < count && room; i++) { // number[] is where the crossing was met first, plus one
        r.before[i] = i > 0 ? i - 1 : count - 1;
        r.after[i] = i + 1 < count ? i + 1 : 0;
        int* met = &number[d->passes[i].crossing];
        if (*met > 0) {
            r.partner[i] = *met - 1;
            r.partner[*met - 1] = i;
        }
        *met = *met > 0 ? *met : i + 1;
    }
    if (room) {
        simplify_passes(&r, d->passes);
        renumber(d, &r, number);
    }
    memory_array_free(m, number, crossings);
    memory_array_free(m, r.partner, count);
    memory_array_free(m, r.after, count);
    memory_array_free(m, r.before, count);
    return room;
}
