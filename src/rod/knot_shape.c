// From a drawing to a space curve. A spline through the points of each strand is cut into short segments.
// Where these cross in the plane the strand has the heights of the drawing, and between crossings a cubic
// with zero slopes (smoothstep).
#include "rod/knot_shape.h"

#include "base/assert.h"
#include "base/real.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "rod/knot_table.h"
#include "rod/shape.h"

#include <string.h>

#define PER_PIECE 16      // segments between two points of a drawing
#define MOST_POINTS 80    // of a strand in the table
#define MOST_CROSSINGS 64 // of a strand in the table
#define MOST_TAIL_PIECES 1000

typedef struct Curve { // a strand
    CordVec3* x;       // in units of the drawing (count)
    // centripetal parameter of the spline: slow where the drawing turns back, so that turns are round in
    // space (count)
    double* along;
    int count; // a closed curve repeats its first point at the end
    bool closed;
} Curve;

typedef struct Knot { // all strands
    const KnotDrawing* drawing;
    Curve curves[KNOT_STRANDS];
    double low[2], high[2]; // of the drawing
} Knot;

static const KnotDrawing* find(const char* name)
{
    for (int k = 0; name && k < knot_drawing_count; k++) {
        if (strcmp(knot_drawings[k].name, name) == 0) {
            return &knot_drawings[k];
        }
    }
    return NULL;
}

// ---- in the plane

static void curve_draw(Curve* c, const KnotStrand* strand)
{
    CordVec3 points[MOST_POINTS];
    for (int i = 0; i < strand->point_count; i++) {
        points[i] = (CordVec3){strand->points[i][0], strand->points[i][1], 0.0};
    }
    CordShape spline = {.points = points, .point_count = strand->point_count};
    for (int i = 0; i < c->count; i++) {
        int k = i > 0 ? (i - 1) / PER_PIECE : 0, next = k + 1 < strand->point_count ? k + 1 : 0;
        double step = sqrt(vec3_length(vec3_sub(points[next], points[k]))) / PER_PIECE; // centripetal
        c->x[i] = shape_spline_point(&spline, c->closed, (double)i / (c->count - 1));
        c->along[i] = i > 0 ? c->along[i - 1] + step : 0.0;
    }
}

// Crossing of segment a..b with p..q in the plane, as a fraction of a..b; negative: none. Half-open, so that
// a curve through a vertex of another crosses it once.
static double crossing_at(CordVec3 a, CordVec3 b, CordVec3 p, CordVec3 q)
{
    double ap = (q.x - p.x) * (a.y - p.y) - (q.y - p.y) * (a.x - p.x);
    double bp = (q.x - p.x) * (b.y - p.y) - (q.y - p.y) * (b.x - p.x);
    double pa = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
    double qa = (b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x);
    bool across = (ap < 0.0) != (bp < 0.0) && (pa < 0.0) != (qa < 0.0);
    return across ? ap / (ap - bp) : -1.0;
}

static bool neighbours(const Curve* c, int i, int j)
{
    int segments = c->count - 1, steps = i < j ? j - i : i - j;
    return steps < 2 || (c->closed && steps == segments - 1);
}

typedef struct Crossings { // along a strand
    double along[MOST_CROSSINGS + 2];
    double height[MOST_CROSSINGS + 2];
    int count;
} Crossings;

static void crossing_add(Crossings* found, double along)
{
    int k = found->count < MOST_CROSSINGS ? found->count++ : MOST_CROSSINGS - 1;
    for (; k > 0 && found->along[k - 1] > along; k--) {
        found->along[k] = found->along[k - 1];
    }
    found->along[k] = along;
}

static void find_crossings(const Knot* knot, int strand, Crossings* found)
{
    const Curve* c = &knot->curves[strand];
    *found = (Crossings){.count = 0};
    for (int i = 0; i + 1 < c->count; i++) {
        CordVec3 a = c->x[i], b = c->x[i + 1];
        for (int s = 0; s < knot->drawing->strand_count; s++) {
            const Curve* other = &knot->curves[s];
            for (int j = 0; j + 1 < other->count; j++) {
                double at = s == strand && neighbours(c, i, j)
                                ? -1.0
                                : crossing_at(a, b, other->x[j], other->x[j + 1]);
                if (at >= 0.0) {
                    crossing_add(found, c->along[i] + at * (c->along[i + 1] - c->along[i]));
                }
            }
        }
        if (knot->drawing->pole > 0.0 && (a.x < 0.0) != (b.x < 0.0)) {
            crossing_add(found, c->along[i] + a.x / (a.x - b.x) * (c->along[i + 1] - c->along[i]));
        }
    }
}

// ---- heights

static double level_of(char letter)
{
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    return letter == 'o' ? 1.0 : letter == 'u' ? -1.0 : 'a' - 1.0 - letter;
}

// Sets heights at all crossings, and before the first and after the last: ends of an open strand lie in the
// plane, a closed one goes on.
static void set_heights(const Curve* c, const char* letters, double level, Crossings* found)
{
    int n = found->count;
    double length = c->along[c->count - 1];
    for (int k = n; k > 0; k--) {
        found->along[k] = found->along[k - 1];
        found->height[k] = level * level_of(letters[k - 1]);
    }
    found->along[0] = c->closed ? found->along[n] - length : 0.0;
    found->along[n + 1] = c->closed ? found->along[1] + length : length;
    found->height[0] = c->closed ? found->height[n] : 0.0;
    found->height[n + 1] = c->closed ? found->height[1] : 0.0;
}

static double height_at(const Crossings* crossings, double along, int* k)
{
    while (*k < crossings->count && crossings->along[*k + 1] < along) {
        ++*k;
    }
    double part = (along - crossings->along[*k]) / (crossings->along[*k + 1] - crossings->along[*k]);
    part = real_min(real_max(part, 0.0), 1.0);
    return crossings->height[*k] +
           part * part * (3.0 - 2.0 * part) * (crossings->height[*k + 1] - crossings->height[*k]);
}

static void curve_raise(Curve* c, const KnotStrand* strand, double level, Crossings* found)
{
    CORD_ASSERT(found->count == (int)strlen(strand->heights));
    set_heights(c, strand->heights, level, found);
    for (int i = 0, k = 0; i < c->count; i++) {
        c->x[i].z = height_at(found, c->along[i], &k);
    }
}

// ---- knots

static void knot_destroy(Memory* m, Knot* knot)
{
    for (int s = 0; s < knot->drawing->strand_count; s++) {
        memory_array_free(m, knot->curves[s].x, knot->curves[s].count);
        memory_array_free(m, knot->curves[s].along, knot->curves[s].count);
    }
}

static void measure(Knot* knot, const Curve* c)
{
    for (int i = 0; i < c->count; i++) {
        knot->low[0] = real_min(knot->low[0], c->x[i].x), knot->high[0] = real_max(knot->high[0], c->x[i].x);
        knot->low[1] = real_min(knot->low[1], c->x[i].y), knot->high[1] = real_max(knot->high[1], c->x[i].y);
    }
}

// False: no memory, and nothing is left to destroy.
static bool knot_create(Memory* m, Knot* knot, const KnotDrawing* drawing)
{
    *knot = (Knot){.drawing = drawing, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    bool room = true;
    for (int s = 0; s < drawing->strand_count; s++) {
        const KnotStrand* strand = &drawing->strands[s];
        Curve* c = &knot->curves[s];
        c->closed = strand->closed;
        c->count = PER_PIECE * (strand->closed ? strand->point_count : strand->point_count - 1) + 1;
        c->x = memory_array(m, CordVec3, c->count);
        c->along = memory_array(m, double, c->count);
        room = room && c->x && c->along;
    }
    if (!room) {
        knot_destroy(m, knot);
        return false;
    }
    Crossings found[KNOT_STRANDS];
    for (int s = 0; s < drawing->strand_count; s++) {
        curve_draw(&knot->curves[s], &drawing->strands[s]);
        measure(knot, &knot->curves[s]);
    }
    for (int s = 0; s < drawing->strand_count; s++) {
        find_crossings(knot, s, &found[s]);
    }
    for (int s = 0; s < drawing->strand_count; s++) {
        curve_raise(&knot->curves[s], &drawing->strands[s], drawing->level, &found[s]);
    }
    return true;
}

// ---- clearance

// Least radius of curvature: of the circle that is tangent to two successive segments at their middles.
static double sharpest_bend(const Curve* c)
{
    double least = INFINITY;
    int first = c->closed ? 0 : 1;
    for (int i = first; i + 1 < c->count; i++) {
        CordVec3 d = vec3_sub(c->x[i], c->x[i > 0 ? i - 1 : c->count - 2]),
                 e = vec3_sub(c->x[i + 1], c->x[i]);
        double len_d = vec3_length(d), len_e = vec3_length(e);
        double half_tangent = vec3_length(vec3_cross(d, e)) / (len_d * len_e + vec3_dot(d, e));
        least = real_min(least, 0.25 * (len_d + len_e) / half_tangent);
    }
    return least;
}

// The thickness of a curve: half the least distance of two points whose arc length apart is more than half a
// turn at that radius (pi times half the distance), and at most its least radius of curvature.
static double clearance_with_self(const Curve* c)
{
    double least = INFINITY, length = 0.0;
    for (int i = 0; i + 1 < c->count; i++) {
        length += vec3_length(vec3_sub(c->x[i + 1], c->x[i]));
    }
    for (int i = 0; i < c->count; i++) {
        double along = 0.0;
        for (int j = i + 1; j < c->count; j++) {
            along += vec3_length(vec3_sub(c->x[j], c->x[j - 1]));
            double shorter = c->closed ? real_min(along, length - along) : along;
            double half = 0.5 * vec3_length(vec3_sub(c->x[i], c->x[j]));
            least = half < shorter / CORD_PI ? real_min(least, half) : least;
        }
    }
    return real_min(least, sharpest_bend(c));
}

static double clearance_between(const Curve* a, const Curve* b)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            least = real_min(least, 0.5 * vec3_length(vec3_sub(a->x[i], b->x[j])));
        }
    }
    return least;
}

static double clearance_from_pole(const Curve* c, double pole)
{
    double least = INFINITY;
    for (int i = 0; i < c->count; i++) {
        least = real_min(least, sqrt(c->x[i].x * c->x[i].x + c->x[i].z * c->x[i].z) - pole);
    }
    return least;
}

static double knot_clearance(const Knot* knot)
{
    double least = INFINITY;
    for (int s = 0; s < knot->drawing->strand_count; s++) {
        const Curve* c = &knot->curves[s];
        least = real_min(least, clearance_with_self(c));
        for (int t = s + 1; t < knot->drawing->strand_count; t++) {
            least = real_min(least, clearance_between(c, &knot->curves[t]));
        }
        if (knot->drawing->pole > 0.0) {
            least = real_min(least, clearance_from_pole(c, knot->drawing->pole * knot->drawing->level));
        }
    }
    return least;
}

// ---- shapes

CordResult knot_shape_check(const CordShape* s, bool closed, Message* message)
{
    const KnotDrawing* drawing = find(s->knot_name);
    if (!drawing) {
        char names[400] = "";
        for (int k = 0; k < knot_drawing_count; k++) {
            strcat(names, k > 0 ? k + 1 < knot_drawing_count ? ", " : " and " : "");
            strcat(names, knot_drawings[k].name);
        }
        return message_fail(message, CORD_BAD_ARGUMENT, "there is no knot \"%.40s\"; there are %s",
                            s->knot_name ? s->knot_name : "", names);
    }
    if (s->knot_strand < 0 || s->knot_strand >= drawing->strand_count) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the knot %s has no rope %d; it is tied in %d",
                            drawing->name, s->knot_strand, drawing->strand_count);
    }
    if (drawing->strands[s->knot_strand].closed != closed) {
        return message_fail(message, CORD_BAD_ARGUMENT, "rope %d of the knot %s is %s", s->knot_strand,
                            drawing->name,
                            closed ? "open and cannot be closed" : "a ring: make it a closed rod");
    }
    if (!(isfinite(s->a) && s->a > 0.0 && isfinite(s->b) && s->b >= 0.0)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the knot's size is %g and its tails %g; they are lengths in metres, the size is positive "
            "and tails are not negative",
            s->a, s->b);
    }
    return CORD_OK;
}

// Pieces of a tail, as long as those of the drawing beside it, so that the spline through all points is even.
static int tail_pieces(const Curve* c, double tails)
{
    double piece = vec3_length(vec3_sub(c->x[1], c->x[0]));
    return c->closed || tails == 0.0 ? 0 : (int)real_min(real_max(tails / piece, 1.0), MOST_TAIL_PIECES);
}

// Direction of a strand at an end point of the drawing, from the point before it.
static CordVec3 end_direction(const CordShape* s, const signed char end[2], const signed char before[2])
{
    CordVec3 e1 = vec3_unit(s->axis1), e2 = vec3_unit(vec3_reject(s->axis2, e1));
    return vec3_unit(vec3_madd(vec3_mul(e1, end[0] - before[0]), e2, end[1] - before[1]));
}

// Maps the curve from the plane of the drawing to that of the shape.
static void place(const Knot* knot, const CordShape* s, const Curve* c, CordVec3* x, int count)
{
    double unit = s->a / (knot->high[0] - knot->low[0]), up = s->knot_mirrored ? -unit : unit;
    CordVec3 e1 = vec3_unit(s->axis1), e2 = vec3_unit(vec3_reject(s->axis2, e1)), e3 = vec3_cross(e1, e2);
    for (int i = 0; i < count; i++) {
        CordVec3 p = vec3_madd(s->p, e1, unit * (c->x[i].x - 0.5 * (knot->low[0] + knot->high[0])));
        p = vec3_madd(p, e2, unit * (c->x[i].y - 0.5 * (knot->low[1] + knot->high[1])));
        x[i] = vec3_madd(p, e3, up * c->x[i].z);
    }
}

CordResult knot_shape_points(Memory* m, const CordShape* s, CordVec3** points, int* count, Message* message)
{
    Knot knot;
    if (!knot_create(m, &knot, find(s->knot_name))) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for a knot");
    }
    const Curve* c = &knot.curves[s->knot_strand];
    int n = c->closed ? c->count - 1 : c->count;
    int tail = tail_pieces(c, s->b * (knot.high[0] - knot.low[0]) / s->a);
    CordVec3* x = memory_array(m, CordVec3, n + 2 * tail);
    if (!x) {
        knot_destroy(m, &knot);
        return message_fail(message, CORD_NO_MEMORY, "no memory for a knot");
    }
    CordVec3 *first = x + tail, *last = x + tail + n - 1;
    place(&knot, s, c, first, n);
    const KnotStrand* strand = &knot.drawing->strands[s->knot_strand];
    CordVec3 before = end_direction(s, strand->points[0], strand->points[1]);
    CordVec3 after =
        end_direction(s, strand->points[strand->point_count - 1], strand->points[strand->point_count - 2]);
    for (int k = 1; k <= tail; k++) {
        *(first - k) = vec3_madd(*first, before, s->b * k / tail);
        *(last + k) = vec3_madd(*last, after, s->b * k / tail);
    }
    knot_destroy(m, &knot);
    *points = x;
    *count = n + 2 * tail;
    return CORD_OK;
}

CordShape cord_shape_knot(const char* name, int strand, CordVec3 center, double size, double tails,
                          int node_count)
{
    return (CordShape){.kind = CORD_SHAPE_KNOT,
                       .node_count = node_count,
                       .p = center,
                       .axis1 = {1, 0, 0},
                       .axis2 = {0, 1, 0},
                       .a = size,
                       .b = tails,
                       .knot_name = name,
                       .knot_strand = strand};
}

// ---- questions

int cord_knot_count(void)
{
    return knot_drawing_count;
}

const char* cord_knot_name(int index)
{
    return index >= 0 && index < knot_drawing_count ? knot_drawings[index].name : NULL;
}

int cord_knot_strands(const char* name)
{
    const KnotDrawing* drawing = find(name);
    return drawing ? drawing->strand_count : 0;
}

bool cord_knot_closed(const char* name, int strand)
{
    const KnotDrawing* drawing = find(name);
    return drawing && strand >= 0 && strand < drawing->strand_count && drawing->strands[strand].closed;
}

double cord_knot_clearance(const char* name, double size)
{
    const KnotDrawing* drawing = find(name);
    Memory heap;
    Knot knot;
    memory_init(&heap, (CordAllocator){0});
    if (!drawing || !knot_create(&heap, &knot, drawing)) {
        return 0.0;
    }
    double clearance = knot_clearance(&knot) / (knot.high[0] - knot.low[0]);
    knot_destroy(&heap, &knot);
    return clearance * size;
}

double cord_knot_pole(const char* name, double size)
{
    const KnotDrawing* drawing = find(name);
    Memory heap;
    Knot knot;
    memory_init(&heap, (CordAllocator){0});
    if (!drawing || drawing->pole == 0.0 || !knot_create(&heap, &knot, drawing)) {
        return 0.0;
    }
    double pole = drawing->pole * drawing->level / (knot.high[0] - knot.low[0]);
    knot_destroy(&heap, &knot);
    return pole * size;
}
