#include "contact/touch.h"

#include "base/real.h"
#include "math/elementary.h"
#include "rod/grid.h"

#include <string.h>

#define DIP                                                                                                  \
    0.1 // of the reach: what crossing segments may be nearer than their ends, where the ends begin to count
#define MOST_TILT 0.5  // sin^2 of the angle from which on segments cross for certain
#define MOST_PIECES 64 // of a segment, for what touches solids
#define PARTS 3        // numbers that a piece takes: its nearest point, its ends
#define LEAST_EA 1e-6  // of EA: forces of rods that hardly bend

// ---- the barrier

double barrier_energy(const Barrier* b, double gap)
{
    double x = gap / b->reach;
    return x >= 1.0   ? 0.0
           : x <= 0.0 ? INFINITY
                      : b->scale * b->reach * (-cord_log(x) - (1.0 - x) * (1.5 - 0.5 * x));
}

double barrier_push(const Barrier* b, double gap)
{
    double x = gap / b->reach;
    return x >= 1.0 || x <= 0.0 ? 0.0 : b->scale * (1.0 - x) * (1.0 - x) / x;
}

double barrier_stiffness(const Barrier* b, double gap)
{
    double x = gap / b->reach;
    return x >= 1.0 || x <= 0.0 ? 0.0 : b->scale / b->reach * (1.0 / (x * x) - 1.0);
}

// The force that bends a rod about as sharply as its radius allows, or moves it by a radius in a step:
// whichever is more. It changes neither with velocities nor with strains, so that what a barrier holds is an
// energy.
static double force_scale(const Stage* st, const TouchLaw* law, int segment)
{
    const Segment* g = &st->segments[segment];
    const Rod* rod = st->rods[g->rod].rod;
    const CordStiffness* k = rod_stiffness_at(rod, g->edge);
    // of an element as the rod was made with it: barriers do not change as it is halved
    double len =
        rod->grid ? rod->length * rod->grid->unit / rod->grid->end : edge_rest_len(&rod->line, g->edge);
    double mass = k->mass_per_length * len;
    double bend = real_max(real_min(k->EI1, k->EI2) / (g->radius * g->radius), LEAST_EA * k->EA);
    return real_max(bend, law->mass * mass * g->radius);
}

// Over the whole step, as seen from the solid.
static double way_to_solid(const Stage* st, int segment, int solid)
{
    const StageSolid* s = &st->solids[solid];
    double most = 0.0;
    for (int k = 0; k < 2; k++) {
        int n = st->segments[segment].node[k];
        most = real_max(
            most, vec3_length(vec3_sub(pose_into(&s->goal, st->to[n]), pose_into(&s->begin, st->begin[n]))));
    }
    return most;
}

static double reach_of(const Stage* st, const TouchLaw* law, int a, int b)
{
    double spare = law->gap * real_min(st->segments[a].radius, st->segments[b].radius);
    return law->way ? law->way[a] + law->way[b] + spare : spare;
}

static double scale_of(const Stage* st, const TouchLaw* law, int a, int b)
{
    return law->no_barrier || law->way ? 0.0 : real_min(force_scale(st, law, a), force_scale(st, law, b));
}

static Barrier solid_barrier(const Stage* st, const TouchLaw* law, int segment, int solid)
{
    double spare = law->gap * st->segments[segment].radius;
    return law->way ? (Barrier){way_to_solid(st, segment, solid) + spare, 0.0}
                    : (Barrier){spare, law->no_barrier ? 0.0 : force_scale(st, law, segment)};
}

// ---- collecting

typedef struct Finder {
    Memory* memory;
    Touches* out;
    const Stage* stage;
    const CordVec3* x;
    const TouchLaw* law;
    double away; // of x: see stage_away
    bool failed;
} Finder;

static void keep(Finder* f, const Touch* touch)
{
    Touches* ts = f->out;
    if (!memory_grow(f->memory, (void**)&ts->all, ts->count, &ts->capacity, sizeof(Touch))) {
        f->failed = true;
        return;
    }
    ts->all[ts->count++] = *touch;
}

static void keep_tilt(Finder* f, const TouchTilt* tilt)
{
    Touches* ts = f->out;
    if (!memory_grow(f->memory, (void**)&ts->tilts, ts->tilt_count, &ts->tilt_capacity, sizeof(TouchTilt))) {
        f->failed = true;
        return;
    }
    ts->tilts[ts->tilt_count++] = *tilt;
}

static void note_gap(Finder* f, const Touch* touch, double gap, double s, double t)
{
    f->out->deepest = real_max(f->out->deepest, -gap / touch->radius);
    if (gap < f->out->nearest) {
        f->out->nearest = gap;
        f->out->worst = *touch;
        f->out->worst.s = s, f->out->worst.t = t, f->out->worst.gap = gap;
    }
}

// Adds the touch if the barrier reaches it, and returns its energy for a share of one.
static double add_touch(Finder* f, Touch* touch, double share)
{
    if (touch->gap >= touch->barrier.reach) {
        return 0.0;
    }
    double energy = touch->barrier.scale > 0.0 ? barrier_energy(&touch->barrier, touch->gap) : 0.0;
    touch->share = share;
    touch->push = share * barrier_push(&touch->barrier, touch->gap);
    touch->stiffness = share * barrier_stiffness(&touch->barrier, touch->gap);
    f->out->energy += share > 0.0 ? share * energy : 0.0;
    if (share > 0.0) {
        keep(f, touch);
    }
    return energy;
}

typedef struct Side { // a segment of a rod, or an edge of a mesh
    CordVec3 p, q;
    double radius;
    double rest_len; // that does not change with p and q [m]
} Side;

static Side side_of(const Finder* f, int segment)
{
    const Segment* g = &f->stage->segments[segment];
    return (Side){f->x[g->node[0]], f->x[g->node[1]], g->radius, g->arc[1] - g->arc[0]};
}

static CordVec3 along(const Side* s, double at)
{
    return vec3_madd(vec3_mul(s->p, 1.0 - at), s->q, at);
}

// Fills in where two points are near each other: `apart` leads from that of b to that of a.
static void place(Touch* touch, CordVec3 apart, double distance, double radius_a, double radius_b)
{
    touch->n = vec3_mul(apart, 1.0 / distance);
    touch->gap = distance - radius_a - radius_b;
    touch->arm[0] = vec3_mul(touch->n, -(radius_a + 0.5 * touch->gap));
    touch->arm[1] = vec3_mul(touch->n, radius_b + 0.5 * touch->gap);
}

static void set_axis(Touch* touch, int side, CordVec3 e)
{
    double len = vec3_length(e);
    touch->axis[side] = vec3_mul(e, 1.0 / len);
    touch->inv_len[side] = 1.0 / len;
}

static bool is_last(const Stage* st, int segment) // of an open rod
{
    const Segment* g = &st->segments[segment];
    const StageRod* r = &st->rods[g->rod];
    return !r->rod->line.closed && g->edge == r->segment_count - 1;
}

// How much nearer than its ends a segment may be, over the radius, where its ends begin to count.
static double dip_of(const TouchLaw* law)
{
    return law->way ? 0.25 * law->tolerance : DIP * law->gap;
}

// ---- segment against segment, or edge of a mesh

// The share of the closest points, by x = sin^2 of the angle over where it becomes one.
static double crossing_share(double x, double* slope)
{
    *slope = x < 1.0 ? 2.0 * (1.0 - x) : 0.0;
    return x < 1.0 ? x * (2.0 - x) : 1.0;
}

// Of ends that two segments share, and of segments that meet at the point nearest to an end, one counts.
// `at`: that point, on the other one.
static bool is_counted_once(const Finder* f, const Touch* touch, int part, double at)
{
    bool of_a = part <= 2, starts = part == 1 || part == 3;
    int own = of_a ? touch->key.a : touch->key.b, other = of_a ? touch->key.b : touch->key.a;
    bool other_is_rod = of_a ? touch->kind == TOUCH_SEGMENTS : true;
    bool own_is_rod = of_a || touch->kind == TOUCH_SEGMENTS;
    return (!own_is_rod || starts || is_last(f->stage, own)) &&
           (!other_is_rod || at < 1.0 || is_last(f->stage, other));
}

static double end_touch(Finder* f, const Touch* pair, const Side* a, const Side* b, int part, double share)
{
    double end = part == 1 || part == 3 ? 0.0 : 1.0, s = end, t = end;
    if (part <= 2) {
        t = point_segment_at(part == 1 ? a->p : a->q, b->p, b->q);
    } else {
        s = point_segment_at(part == 3 ? b->p : b->q, a->p, a->q);
    }
    CordVec3 apart = vec3_sub(along(a, s), along(b, t));
    double distance = vec3_length(apart);
    if (distance - a->radius - b->radius >= pair->barrier.reach ||
        (f->law->way && !is_counted_once(f, pair, part, part <= 2 ? t : s))) {
        return 0.0;
    }
    Touch touch = *pair;
    touch.key.part = part;
    touch.s = s, touch.t = t;
    place(&touch, apart, distance, a->radius, b->radius);
    return add_touch(f, &touch, share);
}

static void add_crossing_tilt(Finder* f, const Touch* touch, double excess, double slope)
{
    CordVec3 ta = touch->axis[0], tb = touch->axis[1];
    double q = vec3_dot(ta, tb);
    CordVec3 da = vec3_mul(vec3_madd(tb, ta, -q), -2.0 * q * touch->inv_len[0] * slope * excess);
    CordVec3 db = vec3_mul(vec3_madd(ta, tb, -q), -2.0 * q * touch->inv_len[1] * slope * excess);
    TouchTilt tilt = {.a = touch->key.a, .b = touch->kind == TOUCH_SEGMENTS ? touch->key.b : -1};
    tilt.force[0] = da, tilt.force[1] = vec3_mul(da, -1.0);
    tilt.force[2] = db, tilt.force[3] = vec3_mul(db, -1.0);
    keep_tilt(f, &tilt);
}

static void touch_sides(Finder* f, Touch* touch, const Side* a, const Side* b, const Closest* c)
{
    double radii = a->radius + b->radius;
    note_gap(f, touch, c->distance - radii, c->s, c->t);
    if (c->distance - radii >= touch->barrier.reach || c->distance == 0.0) {
        return;
    }
    set_axis(touch, 0, vec3_sub(a->q, a->p));
    set_axis(touch, 1, vec3_sub(b->q, b->p));
    touch->s = c->s, touch->t = c->t;
    place(touch, c->apart, c->distance, a->radius, b->radius);
    CordVec3 cross = vec3_cross(touch->axis[0], touch->axis[1]);
    double dip = dip_of(f->law) * touch->radius, half = 0.5 * real_min(a->rest_len, b->rest_len);
    double full = real_min(MOST_TILT, 2.0 * dip * radii / (half * half)), slope;
    double m = crossing_share(vec3_dot(cross, cross) / full, &slope);
    m = f->law->way && m < 1.0 ? 0.0 : m;
    double energy = add_touch(f, touch, m);
    if (m == 1.0) {
        return;
    }
    double ends = 0.0;
    for (int part = 1; part <= 4; part++) {
        ends += 0.5 * end_touch(f, touch, a, b, part, 0.5 * (1.0 - m));
    }
    if (isfinite(energy - ends)) {
        add_crossing_tilt(f, touch, energy - ends, slope / full);
    }
}

// Are segments too far apart to be looked at? The nearest of those that are not tell how near things are.
static bool are_far(const Closest* c, double radii, double reach, double radius)
{
    return c->distance - radii >= 2.0 * reach + 1e-3 * radius;
}

static void touch_pair(Finder* f, SegmentPair* pair)
{
    double reach = reach_of(f->stage, f->law, pair->a, pair->b);
    double radius = real_min(f->stage->segments[pair->a].radius, f->stage->segments[pair->b].radius);
    if (stage_clear_gap(f->stage, pair, f->away) >= 2.0 * reach + 1e-3 * radius) {
        return;
    }
    Side a = side_of(f, pair->a), b = side_of(f, pair->b);
    Closest c = segment_segment(a.p, a.q, b.p, b.q);
    stage_note_gap(f->stage, pair, c.distance - a.radius - b.radius, f->away);
    if (are_far(&c, a.radius + b.radius, reach, radius)) {
        return;
    }
    Touch touch = {.key = {pair->a, pair->b, 0, 0},
                   .kind = TOUCH_SEGMENTS,
                   .radius = radius,
                   .barrier = {reach, scale_of(f->stage, f->law, pair->a, pair->b)}};
    touch_sides(f, &touch, &a, &b, &c);
}

// ---- segment against solid

static void place_solid(Touch* touch, const Finder* f, const SolidPoint* at, double s)
{
    const StageSolid* solid = &f->stage->solids[touch->key.b];
    CordVec3 axis_point = stage_point(f->stage, f->x, touch->key.a, s);
    touch->s = s;
    touch->n = quat_rotate(solid->to.rotation, at->normal);
    touch->gap = at->distance - touch->radius;
    touch->arm[0] = vec3_mul(touch->n, -(touch->radius + 0.5 * touch->gap));
    touch->arm[1] = vec3_sub(vec3_add(axis_point, touch->arm[0]), solid->to.point);
}

static double solid_touch(Finder* f, const Touch* pair, const SolidPoint* at, double s, int part,
                          double share)
{
    Touch touch = *pair;
    touch.key.part = part;
    place_solid(&touch, f, at, s);
    return add_touch(f, &touch, share);
}

// What is longer than a solid's least measure may touch it in more than one place: in pieces of half that it
// does not.
static int pieces_of(const Stage* st, int segment, int solid)
{
    const Segment* g = &st->segments[segment];
    double least = real_max(solid_least_measure(&st->solids[solid].solid), 2.0 * g->radius);
    double pieces = ceil(2.0 * (g->arc[1] - g->arc[0]) / least);
    return pieces < MOST_PIECES ? (int)real_max(pieces, 1.0) : MOST_PIECES;
}

typedef struct Piece { // of a segment: as seen from the solid, and where on the segment
    CordVec3 p, q;
    double from, to;
    int first_part;
    bool ends; // does its second end count by itself? Else the next piece, or segment, has it too
} Piece;

static void touch_piece(Finder* f, const Touch* touch, const Piece* piece)
{
    const StageSolid* solid = &f->stage->solids[touch->key.b];
    double far = touch->radius + touch->barrier.reach, half = 0.5 * vec3_length(vec3_sub(piece->q, piece->p));
    SolidPoint mid = solid_point(&solid->solid, vec3_mul(vec3_add(piece->p, piece->q), 0.5));
    if (mid.distance - half >= far) {
        return;
    }
    SolidPoint least = solid_segment(&solid->solid, piece->p, piece->q, far);
    double at = piece->from + least.s * (piece->to - piece->from);
    note_gap(f, touch, least.distance - touch->radius, at, 0.0);
    if (least.distance >= far) {
        return;
    }
    SolidPoint end[2] = {solid_point(&solid->solid, piece->p), solid_point(&solid->solid, piece->q)};
    double dip = dip_of(f->law) * touch->radius;
    double x = (0.5 * (end[0].distance + end[1].distance) - mid.distance) / dip;
    x = real_min(real_max(x, 0.0), 1.0);
    double m = x * x * (3.0 - 2.0 * x), slope = 6.0 * x * (1.0 - x) / dip;
    m = f->law->way && m < 1.0 ? 0.0 : m;
    double energy = solid_touch(f, touch, &least, at, piece->first_part, m);
    if (m == 1.0) {
        return;
    }
    for (int k = 0; k < (f->law->way && !piece->ends ? 1 : 2); k++) {
        double s = k == 0 ? piece->from : piece->to;
        energy -= 0.5 * solid_touch(f, touch, &end[k], s, piece->first_part + k + 1, 0.5 * (1.0 - m));
    }
    if (slope > 0.0 && isfinite(energy)) {
        TouchTilt tilt = {.a = touch->key.a, .b = -1};
        for (int k = 0; k < 2; k++) {
            double s = k == 0 ? piece->from : piece->to;
            CordVec3 change = vec3_sub(vec3_mul(end[k].normal, 0.5), vec3_mul(mid.normal, 0.5));
            CordVec3 force = quat_rotate(solid->to.rotation, vec3_mul(change, -slope * energy));
            tilt.force[0] = vec3_madd(tilt.force[0], force, 1.0 - s);
            tilt.force[1] = vec3_madd(tilt.force[1], force, s);
        }
        keep_tilt(f, &tilt);
    }
}

static void touch_solid(Finder* f, const SolidPair* pair)
{
    const StageSolid* solid = &f->stage->solids[pair->solid];
    Side side = side_of(f, pair->segment);
    CordVec3 p = pose_into(&solid->to, side.p), q = pose_into(&solid->to, side.q);
    Touch touch = {.key = {pair->segment, pair->solid, 0, 0},
                   .kind = TOUCH_SOLID,
                   .radius = side.radius,
                   .barrier = solid_barrier(f->stage, f->law, pair->segment, pair->solid)};
    double far = side.radius + touch.barrier.reach, half = 0.5 * vec3_length(vec3_sub(q, p));
    if (solid_point(&solid->solid, vec3_mul(vec3_add(p, q), 0.5)).distance - half >= far) {
        return;
    }
    set_axis(&touch, 0, vec3_sub(side.q, side.p));
    int pieces = pieces_of(f->stage, pair->segment, pair->solid);
    for (int i = 0; i < pieces; i++) {
        double from = (double)i / pieces, to = i + 1 < pieces ? (double)(i + 1) / pieces : 1.0;
        Piece piece = {vec3_madd(p, vec3_sub(q, p), from),
                       vec3_madd(p, vec3_sub(q, p), to),
                       from,
                       to,
                       PARTS * i,
                       i + 1 == pieces && is_last(f->stage, pair->segment)};
        piece.q = i + 1 == pieces ? q : piece.q;
        touch_piece(f, &touch, &piece);
    }
}

// ---- segment against mesh

static void touch_triangle(Finder* f, const MeshPair* pair)
{
    const StageSolid* solid = &f->stage->solids[pair->solid];
    const int* corner = solid->mesh->triangles + 3 * pair->feature;
    const CordVec3* v = solid->mesh->vertices;
    Side side = side_of(f, pair->segment);
    Touch touch = {.key = {pair->segment, pair->solid, 2 * pair->feature, 0},
                   .kind = TOUCH_TRIANGLE,
                   .radius = side.radius,
                   .barrier = solid_barrier(f->stage, f->law, pair->segment, pair->solid)};
    set_axis(&touch, 0, vec3_sub(side.q, side.p));
    for (int k = 0; k < (is_last(f->stage, pair->segment) ? 2 : 1); k++) {
        CordVec3 p = pose_into(&solid->to, k == 0 ? side.p : side.q);
        Closest c = point_triangle(p, v[corner[0]], v[corner[1]], v[corner[2]]);
        note_gap(f, &touch, c.distance - side.radius, (double)k, 0.0);
        if (c.distance - side.radius < touch.barrier.reach && c.distance > 0.0) {
            SolidPoint at = {.distance = c.distance, .normal = vec3_mul(c.apart, 1.0 / c.distance)};
            solid_touch(f, &touch, &at, (double)k, k, 1.0);
        }
    }
}

static void touch_edge(Finder* f, const MeshPair* pair)
{
    const StageSolid* solid = &f->stage->solids[pair->solid];
    const int* corner = solid->mesh->edges + 2 * pair->feature;
    Side a = side_of(f, pair->segment);
    Side b = {.p = pose_out(&solid->to, solid->mesh->vertices[corner[0]]),
              .q = pose_out(&solid->to, solid->mesh->vertices[corner[1]])};
    b.rest_len = vec3_length(vec3_sub(b.q, b.p));
    Touch touch = {.key = {pair->segment, pair->solid, 2 * pair->feature + 1, 0},
                   .kind = TOUCH_EDGE,
                   .radius = a.radius,
                   .barrier = solid_barrier(f->stage, f->law, pair->segment, pair->solid)};
    int first = f->out->count;
    Closest c = segment_segment(a.p, a.q, b.p, b.q);
    if (are_far(&c, a.radius, touch.barrier.reach, a.radius)) {
        return;
    }
    touch_sides(f, &touch, &a, &b, &c);
    for (int i = first; i < f->out->count; i++) { // its arm is that of the mesh as a whole
        Touch* t = &f->out->all[i];
        CordVec3 point = vec3_add(along(&a, t->s), t->arm[0]);
        t->arm[1] = vec3_sub(point, solid->to.point);
    }
}

// ---- second derivatives

// D = min over the places s, t that are free of |p|, p = p0 + d + e_a ds - e_b dt, where d is what a moves by
// at the touch, less b, and the edges turn, too: so that D'' = |P d|^2 / D - v' (T' T)^-1 v / D with T = P
// (e_a, -e_b), c = n (de_a, -de_b), v = T' d + D c, and P the projection across n.
typedef struct CurveRow {
    CordVec3 at;     // times d
    double slope[2]; // times n de_a, n de_b
} CurveRow;

static void add_row(TouchCurve* curve, const Touch* touch, const CurveRow* row, double stiffness)
{
    CordVec3* node = curve->node[curve->count];
    CordVec3 a = vec3_mul(touch->n, row->slope[0]), b = vec3_mul(touch->n, row->slope[1]);
    node[0] = vec3_madd(vec3_mul(a, -1.0), row->at, 1.0 - touch->s);
    node[1] = vec3_madd(a, row->at, touch->s);
    node[2] = vec3_madd(vec3_mul(b, -1.0), row->at, touch->t - 1.0);
    node[3] = vec3_madd(b, row->at, -touch->t);
    curve->stiffness[curve->count++] = stiffness;
}

// One place is free: T is one vector. `side` 0: s, 1: t.
static void add_one_free(TouchCurve* curve, const Touch* touch, int side, double D)
{
    double sign = side == 0 ? 1.0 : -1.0;
    CordVec3 T = vec3_mul(vec3_reject(touch->axis[side], touch->n), sign / touch->inv_len[side]);
    CurveRow row = {.at = T};
    row.slope[side] = sign * D;
    add_row(curve, touch, &row, touch->push / (D * vec3_dot(T, T)));
}

// Both are: T spans the plane across n, and Gram and Schmidt take its inverse apart.
static void add_two_free(TouchCurve* curve, const Touch* touch, double D)
{
    CordVec3 T0 = vec3_mul(vec3_reject(touch->axis[0], touch->n), 1.0 / touch->inv_len[0]);
    CordVec3 T1 = vec3_mul(vec3_reject(touch->axis[1], touch->n), -1.0 / touch->inv_len[1]);
    double g00 = vec3_dot(T0, T0), mix = vec3_dot(T0, T1) / g00;
    CordVec3 R = vec3_madd(T1, T0, -mix);
    CurveRow first = {.at = T0, .slope = {D, 0.0}}, second = {.at = R, .slope = {-mix * D, -D}};
    add_row(curve, touch, &first, touch->push / (D * g00));
    add_row(curve, touch, &second, touch->push / (D * vec3_dot(R, R)));
}

static bool is_free(double at)
{
    return at > 0.0 && at < 1.0;
}

static void curve_of_rods(TouchCurve* curve, const Touch* touch, double D, bool b_is_rod)
{
    CordVec3 e = vec3_any_normal(touch->n);
    CurveRow across[2] = {{.at = e}, {.at = vec3_cross(touch->n, e)}};
    bool s = is_free(touch->s), t = is_free(touch->t);
    if (s && t) { // the first two and what the free places take off them leave only what edges turn by
        add_two_free(curve, touch, D);
    } else if (s || t) {
        add_one_free(curve, touch, s ? 0 : 1, D);
    }
    for (int i = 0; i < 2; i++) {
        add_row(curve, touch, &across[i], -touch->push / D);
    }
    for (int i = 0; i < curve->count && !b_is_rod; i++) {
        curve->node[i][2] = curve->node[i][3] = (CordVec3){0, 0, 0};
    }
}

TouchCurve touch_curve(const Stage* st, const Touch* touch)
{
    TouchCurve curve = {0};
    if (touch->kind == TOUCH_SEGMENTS || touch->kind == TOUCH_EDGE) {
        double radii = st->segments[touch->key.a].radius +
                       (touch->kind == TOUCH_SEGMENTS ? st->segments[touch->key.b].radius : 0.0);
        curve_of_rods(&curve, touch, touch->gap + radii, touch->kind == TOUCH_SEGMENTS);
    }
    return curve;
}

// ---- what has become of a touch

// Of what they touch at: what kept so far away has gone around the other, and not through it.
#define AROUND 0.5

// Negative behind the other, as seen along n.
static double signed_distance(CordVec3 apart, CordVec3 n)
{
    double distance = vec3_length(apart);
    return vec3_dot(apart, n) < 0.0 ? -distance : distance;
}

// A feature of a mesh has others beside it, over which a rod slides on: it is behind the feature then, but
// has come there on a way that was not too near.
static double feature_distance(const Touch* touch, CordVec3 apart, double radius)
{
    double distance = signed_distance(apart, touch->n);
    if (distance >= 0.0) {
        return distance;
    }
    CordVec3 start = vec3_mul(touch->n, touch->gap + radius), way = vec3_sub(apart, start);
    double at = real_min(real_max(-vec3_dot(start, way) / vec3_dot(way, way), 0.0), 1.0);
    return vec3_length(vec3_madd(start, way, at)) >= AROUND * radius ? -distance : distance;
}

static CordVec3 sides_apart(int part, const CordVec3 a[2], const CordVec3 b[2])
{
    switch (part) {
    case 1: return point_segment(a[0], b[0], b[1]).apart;
    case 2: return point_segment(a[1], b[0], b[1]).apart;
    case 3: return vec3_mul(point_segment(b[0], a[0], a[1]).apart, -1.0);
    case 4: return vec3_mul(point_segment(b[1], a[0], a[1]).apart, -1.0);
    default: return segment_segment(a[0], a[1], b[0], b[1]).apart;
    }
}

double sides_gap(int part, CordVec3 n, const CordVec3 a[2], const CordVec3 b[2])
{
    return signed_distance(sides_apart(part, a, b), n);
}

static double solid_distance(const Stage* st, const Touch* touch, const CordVec3 a[2])
{
    const StageSolid* s = &st->solids[touch->key.b];
    int pieces = pieces_of(st, touch->key.a, touch->key.b), i = touch->key.part / PARTS,
        part = touch->key.part % PARTS;
    CordVec3 p = pose_into(&s->to, a[0]), way = vec3_sub(pose_into(&s->to, a[1]), p);
    CordVec3 from = vec3_madd(p, way, (double)i / pieces), to = vec3_madd(p, way, (double)(i + 1) / pieces);
    return part == 0   ? solid_segment(&s->solid, from, to, INFINITY).distance
           : part == 1 ? solid_point(&s->solid, from).distance
                       : solid_point(&s->solid, to).distance;
}

static double triangle_distance(const Stage* st, const Touch* touch, const CordVec3 a[2])
{
    const StageSolid* s = &st->solids[touch->key.b];
    const int* corner = s->mesh->triangles + 3 * (touch->key.feature / 2);
    const CordVec3* v = s->mesh->vertices;
    CordVec3 p = pose_into(&s->to, a[touch->key.part]);
    Closest c = point_triangle(p, v[corner[0]], v[corner[1]], v[corner[2]]);
    return feature_distance(touch, quat_rotate(s->to.rotation, c.apart), st->segments[touch->key.a].radius);
}

double touch_gap(const Stage* st, const Touch* touch, const CordVec3* x)
{
    const Segment* g = &st->segments[touch->key.a];
    CordVec3 a[2] = {x[g->node[0]], x[g->node[1]]};
    if (touch->kind == TOUCH_SEGMENTS) {
        const Segment* o = &st->segments[touch->key.b];
        CordVec3 b[2] = {x[o->node[0]], x[o->node[1]]};
        return sides_gap(touch->key.part, touch->n, a, b) - g->radius - o->radius;
    }
    if (touch->kind == TOUCH_EDGE) {
        const StageSolid* s = &st->solids[touch->key.b];
        const int* corner = s->mesh->edges + 2 * (touch->key.feature / 2);
        CordVec3 b[2] = {pose_out(&s->to, s->mesh->vertices[corner[0]]),
                         pose_out(&s->to, s->mesh->vertices[corner[1]])};
        return feature_distance(touch, sides_apart(touch->key.part, a, b), g->radius) - g->radius;
    }
    return (touch->kind == TOUCH_SOLID ? solid_distance(st, touch, a) : triangle_distance(st, touch, a)) -
           g->radius;
}

// ---- all of them

bool touches_find(Memory* m, Touches* ts, const Stage* st, const CordVec3* x, const TouchLaw* law)
{
    Finder f = {m, ts, st, x, law, stage_away(st, x), false};
    ts->count = ts->tilt_count = 0;
    ts->energy = ts->deepest = 0.0;
    ts->nearest = INFINITY;
    for (int i = 0; i < st->pair_count && !f.failed; i++) {
        touch_pair(&f, &st->pairs[i]);
    }
    for (int i = 0; i < st->solid_pair_count && !f.failed; i++) {
        touch_solid(&f, &st->solid_pairs[i]);
    }
    for (int i = 0; i < st->mesh_pair_count && !f.failed; i++) {
        if (st->mesh_pairs[i].kind == MESH_TRIANGLE) {
            touch_triangle(&f, &st->mesh_pairs[i]);
        } else {
            touch_edge(&f, &st->mesh_pairs[i]);
        }
    }
    return !f.failed;
}

void touches_free(Memory* m, Touches* ts)
{
    memory_array_free(m, ts->all, ts->capacity);
    memory_array_free(m, ts->tilts, ts->tilt_capacity);
    *ts = (Touches){0};
}
