// Whether a knot survives being cut into straight elements: their chords cut corners, and long ones cut
// through other parts of the rope.
#include "base/real.h"
#include "math/vec3.h"
#include "rod/knot.h"
#include "rod/knot_shape.h"
#include "rod/shape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FINER 2          // points of the curve, over those of its drawing
#define PER_WINDING 16   // points of a torus knot
#define POLE_LENGTH 10.0 // of half the pole of a hitch, over the size of the knot
#define MOST_CURVES 4    // ropes of a knot, and a pole
#define FINEST_TRIED 64  // numbers of elements are tried in steps of one, or of this part of them
#define MOST_TRIED 10000 // for a curve of more points than this, as many elements are asked for

typedef struct Curves { // the ropes of a knot and the pole of a hitch
    CordVec3* x;        // all their points; those of the rope that is cut come first (room)
    int count, room;
    KnotCurve list[MOST_CURVES];
    int list_count;
} Curves;

static bool is_knot(const CordShape* s)
{
    bool torus = s->kind == CORD_SHAPE_TORUS_KNOT && abs(s->knot_p) > 1 && abs(s->knot_q) > 1;
    return torus || s->kind == CORD_SHAPE_KNOT;
}

static CordResult no_memory(Message* message)
{
    return message_fail(message, CORD_NO_MEMORY, "no memory for a knot");
}

// ---- curves

static bool curves_add(Memory* m, Curves* c, const CordVec3* x, KnotCurve curve)
{
    int room = c->count + curve.count;
    CordVec3* all = memory_array(m, CordVec3, room);
    if (!all) {
        return false;
    }
    if (c->count > 0) {
        memcpy(all, c->x, (size_t)c->count * sizeof *all);
    }
    memcpy(all + c->count, x, (size_t)curve.count * sizeof *all);
    memory_array_free(m, c->x, c->room);
    c->x = all;
    c->count = c->room = room;
    c->list[c->list_count++] = curve;
    return true;
}

// Adds the curve of the shape, sampled at the nodes and at parts - 1 places between each two of them.
static CordResult add_rope(Memory* m, Curves* c, const CordShape* s, ShapeEnds ends, int parts,
                           Message* message)
{
    ShapeEnds fine = ends;
    int nodes = ends.tick ? ends.tick_count : s->node_count, unit = ends.tick ? ends.tick_unit : 1;
    int count = ends.closed ? nodes * parts : (nodes - 1) * parts + 1;
    int* tick = memory_array(m, int, count);
    CordVec3* x = memory_array(m, CordVec3, count);
    CordResult result = tick && x ? CORD_OK : no_memory(message);
    for (int i = 0; result == CORD_OK && i < count; i++) {
        int node = i / parts, part = i % parts, next = node + 1;
        int from = ends.tick ? ends.tick[node] : node;
        int to = next >= nodes ? s->node_count * unit : ends.tick ? ends.tick[next] : next;
        tick[i] = from * parts + (part > 0 ? (to - from) * part : 0);
    }
    fine.tick = tick, fine.tick_unit = unit * parts, fine.tick_count = count;
    result = result == CORD_OK ? shape_sample(m, s, fine, x, message) : result;
    if (result == CORD_OK && !curves_add(m, c, x, (KnotCurve){count, ends.closed, parts})) {
        result = no_memory(message);
    }
    memory_array_free(m, x, count);
    memory_array_free(m, tick, count);
    return result;
}

static CordResult add_other_ropes(Memory* m, Curves* c, const CordShape* s, Message* message)
{
    CordResult result = CORD_OK;
    for (int k = 0; result == CORD_OK && k < cord_knot_strands(s->knot_name); k++) {
        CordShape other = *s;
        CordVec3* x = NULL;
        int count = 0;
        other.knot_strand = k;
        if (k == s->knot_strand) {
            continue;
        }
        result = knot_shape_points(m, &other, &x, &count, message);
        if (result == CORD_OK &&
            !curves_add(m, c, x, (KnotCurve){count, cord_knot_closed(s->knot_name, k), 1})) {
            result = no_memory(message);
        }
        memory_array_free(m, x, count);
    }
    return result;
}

static CordResult add_pole(Memory* m, Curves* c, const CordShape* s, Message* message)
{
    CordVec3 e1 = vec3_unit(s->axis1), e2 = vec3_unit(vec3_reject(s->axis2, e1));
    CordVec3 x[2] = {vec3_madd(s->p, e2, -POLE_LENGTH * s->a), vec3_madd(s->p, e2, POLE_LENGTH * s->a)};
    return !(cord_knot_pole(s->knot_name, 1.0) > 0.0) || curves_add(m, c, x, (KnotCurve){2, false, 1})
               ? CORD_OK
               : no_memory(message);
}

static void scale_to_one(Curves* c)
{
    CordVec3 origin = c->x[0];
    double size = 0.0;
    for (int i = 0; i < c->count; i++) {
        c->x[i] = vec3_sub(c->x[i], origin);
        size = real_max(size, vec3_length(c->x[i]));
    }
    for (int i = 0; i < c->count; i++) {
        c->x[i] = vec3_mul(c->x[i], 1.0 / size);
    }
}

// ---- the test

// Points that show the whole curve of a knot.
static CordResult points_needed(Memory* m, const CordShape* s, int* count, Message* message)
{
    CordVec3* x;
    *count = PER_WINDING * (abs(s->knot_p) + abs(s->knot_q));
    if (s->kind == CORD_SHAPE_KNOT) {
        CORD_TRY(knot_shape_points(m, s, &x, count, message));
        memory_array_free(m, x, *count);
    }
    *count *= FINER;
    return CORD_OK;
}

typedef struct Cut {         // a knot that is cut into elements
    bool wants_determinants; // if it is not kept
    bool kept;
    int64_t whole, left; // determinants before and after; -1: not known
} Cut;

static CordResult cut_knot(Memory* m, const CordShape* s, ShapeEnds ends, int points, Cut* cut,
                           Message* message)
{
    int nodes = ends.tick ? ends.tick_count : s->node_count, elements = ends.closed ? nodes : nodes - 1;
    int parts = (points + elements - 1) / elements;
    cut->kept = parts <= 1;
    if (cut->kept) {
        return CORD_OK;
    }
    Curves c = {0};
    CordResult result = add_rope(m, &c, s, ends, parts, message);
    if (result == CORD_OK && s->kind == CORD_SHAPE_KNOT) {
        result = add_other_ropes(m, &c, s, message);
        result = result == CORD_OK ? add_pole(m, &c, s, message) : result;
    }
    if (result == CORD_OK) {
        scale_to_one(&c);
        result = knot_coarsen(m, c.x, c.list, c.list_count, &cut->kept) ? CORD_OK : no_memory(message);
    }
    if (result == CORD_OK && !cut->kept && cut->wants_determinants) {
        int fine = c.list[0].count;
        cut->whole = knot_determinant(m, c.x, fine, ends.closed);
        for (int i = 0; i < nodes; i++) {
            c.x[i] = c.x[i * parts];
        }
        cut->left = knot_determinant(m, c.x, nodes, ends.closed);
    }
    memory_array_free(m, c.x, c.room);
    return result;
}

// ---- how many elements it takes

// Finds the least number of elements from which on the knot is kept: it is kept with all numbers tried up to
// a quarter more. A smaller number may do by chance, if its corners happen to pass the crossings.
static CordResult find_enough(Memory* m, const CordShape* s, ShapeEnds ends, int points, int* enough,
                              Message* message)
{
    CordShape trial = *s;
    ShapeEnds plain = {.closed = ends.closed, .half_start = ends.half_start, .half_end = ends.half_end};
    int extra = ends.closed ? 0 : 1, n = s->node_count - extra;
    *enough = points > MOST_TRIED ? points : 0;
    while (points <= MOST_TRIED && (*enough == 0 || 4 * n < 5 * *enough)) {
        Cut cut = {0};
        n += 1 + n / FINEST_TRIED;
        trial.node_count = n + extra;
        CORD_TRY(cut_knot(m, &trial, plain, points, &cut, message));
        *enough = !cut.kept ? 0 : *enough == 0 ? n : *enough;
    }
    return CORD_OK;
}

CordResult knot_sampling_check(Memory* m, const CordShape* s, ShapeEnds ends, Message* message)
{
    int points, enough, elements = ends.closed ? s->node_count : s->node_count - 1;
    Cut cut = {.wants_determinants = true};
    if (!is_knot(s)) {
        return CORD_OK;
    }
    CORD_TRY(points_needed(m, s, &points, message));
    CORD_TRY(cut_knot(m, s, ends, points, &cut, message));
    if (cut.kept) {
        return CORD_OK;
    }
    CORD_TRY(find_enough(m, s, ends, points, &enough, message));
    bool torus = s->kind == CORD_SHAPE_TORUS_KNOT;
    const char *which = torus ? "torus knot" : "knot ", *name = torus ? "" : s->knot_name;
    if (cut.whole == cut.left || cut.whole < 0 || cut.left < 0) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "the %s%s comes undone when it is cut into %d elements, whose corners pass "
                            "through the rope; it takes at least %d",
                            which, name, elements, enough);
    }
    return message_fail(message, CORD_BAD_ARGUMENT,
                        "the %s%s comes undone when it is cut into %d elements, whose corners pass through "
                        "the rope (its determinant is then %" PRId64 " instead of %" PRId64
                        "); it takes at least %d",
                        which, name, elements, cut.left, cut.whole, enough);
}
