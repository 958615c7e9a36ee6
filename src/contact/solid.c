#include "contact/solid.h"

#include "contact/closest_points.h"
#include "contact/conservative_advancement.h"
#include "contact/solid_parts.h"

#include <stdio.h>
#include <string.h>

// The shapes, each at the foot of contact/solid_<name>.c.
extern const SolidKind solid_plane, solid_sphere, solid_box, solid_cylinder, solid_capsule, solid_torus,
    solid_tube, solid_mesh, solid_cone;

const SolidKind* const solid_kinds[CORD_SOLID_COUNT] = {
    [CORD_SOLID_PLANE] = &solid_plane,     [CORD_SOLID_SPHERE] = &solid_sphere,
    [CORD_SOLID_BOX] = &solid_box,         [CORD_SOLID_CYLINDER] = &solid_cylinder,
    [CORD_SOLID_CAPSULE] = &solid_capsule, [CORD_SOLID_TORUS] = &solid_torus,
    [CORD_SOLID_TUBE] = &solid_tube,       [CORD_SOLID_MESH] = &solid_mesh,
    [CORD_SOLID_CONE] = &solid_cone,
};

double solid_radius(const CordSolid* solid)
{
    const SolidKind* kind = solid_kind(solid);
    return kind->radius ? kind->radius(solid) : INFINITY;
}

double solid_least_measure(const CordSolid* solid)
{
    const SolidKind* kind = solid_kind(solid);
    return kind->feature ? kind->feature(solid) : INFINITY;
}

// ---- segments
//
// The signed distance from what is convex is convex along a line. That from a torus or a tube is not; but a
// line's distance rho from the axis is, and so the line can be cut into a few pieces on each of which the
// distance has one dip at the most:
//
//   torus, and the rim of a tube    the square of the distance from a circle of radius R about the axis is a
//   square - 2 R rho, which
//                                   is concave where rho^3 < R m^2 w^2 / L^2, and convex on either side of
//                                   that. m is the least rho of the whole line, w its length L seen along the
//                                   axis
//   outside of a tube               convex, as that of a cylinder, from the middle of its wall outwards
//   bore of a tube                  inner radius - rho: concave
//   within its wall, near the bore  the larger of that and |z| - length / 2, cut where they are the same
//   its ends, near the bore         |z| - length / 2, which the rim's distance goes over into without a
//   corner

typedef struct Sample {
    double s, distance;
    double slope; // over s [m]
} Sample;

static Sample sample_at(const SolidLine* l, double s)
{
    SolidPoint p = solid_point(l->solid, vec3_madd(l->a, l->d, s));
    return (Sample){s, p.distance, vec3_dot(p.normal, l->d)};
}

void cut_at(SolidLine* l, double s)
{
    if (!(s > 0.0 && s < 1.0)) {
        return;
    }
    int i = l->cut_count++;
    for (; l->cuts[i - 1] > s; i--) {
        l->cuts[i] = l->cuts[i - 1];
    }
    l->cuts[i] = s;
}

void cut_at_roots(SolidLine* l, double a, double b, double c) // of a s^2 + 2 b s + c
{
    double square = b * b - a * c;
    if (square >= 0.0) {
        double q = b > 0.0 ? -b - sqrt(square) : -b + sqrt(square); // no cancellation
        cut_at(l, q / a);
        cut_at(l, c / q);
    }
}

void cut_at_radius(SolidLine* l, double rho)
{
    double ww = l->d.x * l->d.x + l->d.y * l->d.y;
    cut_at_roots(l, ww, l->a.x * l->d.x + l->a.y * l->d.y, l->a.x * l->a.x + l->a.y * l->a.y - rho * rho);
}

// At s0 - w and s0 + w, where s0 is nearest to the axis. One that meets the axis has a corner there: w is 0.
void cut_round_circle(SolidLine* l, double radius)
{
    double ww = l->d.x * l->d.x + l->d.y * l->d.y, mw = l->a.x * l->d.y - l->a.y * l->d.x;
    double rho = cord_pow(radius * mw * mw / vec3_dot(l->d, l->d), 1.0 / 3.0);
    double nearest = -(l->a.x * l->d.x + l->a.y * l->d.y) / ww;
    double w = sqrt(real_max(rho * rho - mw * mw / ww, 0.0) / ww);
    cut_at(l, nearest - w);
    cut_at(l, nearest + w);
}

static Sample sample_between(const SolidLine* l, Sample lo, Sample hi, double s)
{
    return sample_at(l, real_min(real_max(s, lo.s), hi.s));
}

static double level_place(Sample lo, Sample hi) // where the chord of the slopes is zero
{
    return lo.s - (hi.s - lo.s) * lo.slope / (hi.slope - lo.slope);
}

// The bottom of a dip, between a place where the distance falls and one where it rises: where the slopes'
// chord is zero, if it is smooth; where tangents meet, if it is a corner; and half-way, lest one end never
// moves. A smooth bottom is so flat that its place is known to half of the digits of its depth; two more
// chords find the rest, for the sake of the normal there.
static Sample bottom_between(const SolidLine* l, Sample lo, Sample hi)
{
    double tolerance = 1e-15 * l->scale;
    for (int i = 0; i < 90 && real_min(-lo.slope, hi.slope) * (hi.s - lo.s) > tolerance; i++) {
        double meet = lo.s + (lo.distance - hi.distance + hi.slope * (hi.s - lo.s)) / (hi.slope - lo.slope);
        double s = i % 3 == 0 ? level_place(lo, hi) : i % 3 == 1 ? meet : 0.5 * (lo.s + hi.s);
        Sample at = sample_between(l, lo, hi, s);
        *(at.slope < 0.0 ? &lo : &hi) = at;
    }
    for (int i = 0; i < 2 && lo.slope < hi.slope; i++) {
        Sample at = sample_between(l, lo, hi, level_place(lo, hi));
        *(at.slope < 0.0 ? &lo : &hi) = at;
    }
    bool same = fabs(lo.distance - hi.distance) <= tolerance;
    return (same ? -lo.slope < hi.slope : lo.distance < hi.distance) ? lo : hi;
}

// Slopes are taken a little inside a piece, since at a cut itself there may be a corner.
static Sample least_over_pieces(const SolidLine* l)
{
    Sample best = sample_at(l, 0.0);
    double inside = real_min(1e-13 * l->scale / vec3_length(l->d), 1.0);
    for (int i = 1; i < l->cut_count; i++) {
        double from = l->cuts[i - 1], to = l->cuts[i];
        Sample end = sample_at(l, to);
        best = end.distance < best.distance ? end : best;
        if (to - from > 2.0 * inside) {
            Sample lo = sample_at(l, from + inside), hi = sample_at(l, to - inside);
            if (lo.slope < 0.0 && hi.slope > 0.0) {
                Sample bottom = bottom_between(l, lo, hi);
                best = bottom.distance < best.distance ? bottom : best;
            }
        }
    }
    return best;
}

static double least_along(const CordSolid* solid, CordVec3 a, CordVec3 b, double far)
{
    SolidLine l = {.solid = solid, .a = a, .d = vec3_sub(b, a), .cut_count = 1};
    double length = vec3_length(l.d);
    if (sample_at(&l, 0.5).distance - 0.5 * length >= far || !(length > 0.0)) {
        return 0.5;
    }
    l.scale = real_max(vec3_length(a), vec3_length(b)) + solid_radius(solid);
    if (solid_kind(solid)->cuts) {
        solid_kind(solid)->cuts(&l);
    }
    l.cuts[l.cut_count++] = 1.0;
    return least_over_pieces(&l).s;
}

SolidPoint solid_segment(const CordSolid* solid, CordVec3 a, CordVec3 b, double far)
{
    const SolidKind* kind = solid_kind(solid);
    double s = kind->along ? kind->along(solid, a, b) : least_along(solid, a, b, far);
    SolidPoint p = kind->point(solid, vec3_madd(a, vec3_sub(b, a), s));
    p.s = s;
    return p;
}

// ---- sweeps

typedef struct Swept {
    const CordSolid* solid;
    CordVec3 from[2], way[2];
    double speed;    // the faster end's [m]
    double rounding; // as Advance's [m]
} Swept;

static Moment look(const void* pair, double time)
{
    const Swept* w = pair;
    Moment m = {.time = time,
                .at = {vec3_madd(w->from[0], w->way[0], time), vec3_madd(w->from[1], w->way[1], time)}};
    SolidPoint p = solid_segment(w->solid, m.at[0], m.at[1], INFINITY);
    CordVec3 motion = vec3_madd(w->way[0], vec3_sub(w->way[1], w->way[0]), p.s);
    double blur = real_min(w->rounding / fabs(p.distance), 1.0); // of the normal
    m.distance = p.distance;
    m.normal = p.normal;
    m.rate = vec3_dot(p.normal, motion) + vec3_length(motion) * blur; // not less than it is
    return m;
}

static double reach(const void* pair, const Moment* now, double level)
{
    const Swept* w = pair;
    double all = INFINITY, support = solid_kind(w->solid)->support(w->solid, now->normal);
    for (int i = 0; i < 2; i++) {
        double height = vec3_dot(now->normal, now->at[i]) - support;
        all = real_min(all, time_above(level, height, vec3_dot(now->normal, w->way[i])));
    }
    return real_max(all, time_above(level, now->distance, -w->speed));
}

// By the plane that turns along (advance.h). How far a convex solid reaches is a convex function of the
// normal, so while that turns, it is at most what it would be if it changed evenly.
static bool clear_of_hull(const Swept* w, const Moment* from, const Moment* to, double level)
{
    CordVec3 m = from->normal, n = to->normal;
    double m_reach = solid_kind(w->solid)->support(w->solid, m),
           n_reach = solid_kind(w->solid)->support(w->solid, n);
    double height = level_between(level, m, n);
    bool both = true;
    for (int i = 0; i < 2; i++) {
        CordVec3 p = from->at[i], q = to->at[i];
        double middle = 0.5 * (vec3_dot(m, q) + vec3_dot(n, p) - m_reach - n_reach);
        both = both && stays_above(height, vec3_dot(m, p) - m_reach, middle, vec3_dot(n, q) - n_reach);
    }
    return both;
}

// By the cylinder round the axis that the solid leaves free: a point's distance from the axis is largest at
// one end of its way, and along a segment at one of its ends.
static bool clear_in_bore(const Swept* w, const Moment* from, const Moment* to, double level)
{
    double (*bore)(const CordSolid*) = solid_kind(w->solid)->bore;
    double most = (bore ? bore(w->solid) : 0.0) - level;
    return most > 0.0 && distance_from_axis(from->at[0]) <= most && distance_from_axis(from->at[1]) <= most &&
           distance_from_axis(to->at[0]) <= most && distance_from_axis(to->at[1]) <= most;
}

// By the two distances: the square of that from any set at all is a square of the way plus a concave
// function.
static bool clear_by_distance(const Swept* w, const Moment* from, const Moment* to, double level)
{
    double (*core_of)(const CordSolid*) = solid_kind(w->solid)->core;
    double core = core_of ? core_of(w->solid) : 0.0;
    double least = level + core, start = from->distance + core, end = to->distance + core;
    double way = w->speed * (to->time - from->time), middle = 0.5 * (start * start + end * end - way * way);
    return least > 0.0 && start > 0.0 && end > 0.0 &&
           stays_above(least * least, start * start, middle, end * end);
}

static bool holds(const void* pair, const Moment* from, const Moment* to, double level)
{
    const Swept* w = pair;
    return clear_of_hull(w, from, to, level) || clear_in_bore(w, from, to, level) ||
           clear_by_distance(w, from, to, level);
}

double solid_time_of_impact(const CordSolid* solid, const MovingPoint a[2], double near)
{
    Swept w = {.solid = solid,
               .from = {a[0].from, a[1].from},
               .way = {vec3_sub(a[0].to, a[0].from), vec3_sub(a[1].to, a[1].from)}};
    double ways[2] = {vec3_length(w.way[0]), vec3_length(w.way[1])}, radius = solid_radius(solid);
    double size = vec3_length(a[0].from) + vec3_length(a[1].from) + ways[0] + ways[1];
    if (!isfinite(size)) {
        return 0.0;
    }
    w.speed = real_max(ways[0], ways[1]);
    // twice what a dip's bottom may be missed by
    w.rounding = 2e-13 * (size + (isfinite(radius) ? radius : 0.0));
    double far = near + w.speed + 2.0 * w.rounding;
    if (solid_segment(solid, a[0].from, a[1].from, far).distance >= far) {
        return 1.0;
    }
    Advance advance = {.pair = &w, .rounding = w.rounding, .look = look, .reach = reach, .holds = holds};
    return conservative_advancement(&advance, near);
}

// ---- what all may ask

const CordSolidKind* cord_solid_kind(int shape)
{
    return shape >= 0 && shape < CORD_SOLID_COUNT ? &solid_kinds[shape]->kind : NULL;
}

bool cord_solid_named(const char* name, CordSolidShape* shape)
{
    for (int i = 0; i < CORD_SOLID_COUNT; i++) {
        if (strcmp(solid_kinds[i]->kind.name, name) == 0) {
            *shape = (CordSolidShape)i;
            return true;
        }
    }
    return false;
}

static bool sizes_are_positive(const CordSolid* solid)
{
    const CordSolidKind* kind = &solid_kind(solid)->kind;
    bool good = vec3_finite(solid->size);
    for (int i = 0; i < kind->size_count; i++) {
        const double* value = (const double*)((const char*)&solid->size + kind->sizes[i].offset);
        for (int k = 0; k < (kind->sizes[i].type == CORD_FIELD_VECTOR ? 3 : 1); k++) {
            good = good && value[k] > 0.0;
        }
    }
    return good;
}

static CordResult check(const CordSolid* solid, Message* message)
{
    if (!cord_solid_kind((int)solid->shape)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "there is no shape number %d", (int)solid->shape);
    }
    const SolidKind* kind = solid_kind(solid);
    CordVec3 s = solid->size;
    if (!sizes_are_positive(solid)) {
        return message_fail(
            message, CORD_BAD_ARGUMENT,
            "the size of its %s is (%g, %g, %g) m; radii, lengths and widths must be positive",
            kind->kind.name, s.x, s.y, s.z);
    }
    return kind->check ? kind->check(solid, message) : CORD_OK;
}

CordResult cord_solid_check(const CordSolid* solid, char* text, size_t size)
{
    Message message = {""};
    CordResult result = check(solid, &message);
    snprintf(text, size, "%s", message.text);
    return result;
}

double cord_solid_distance(const CordSolid* solid, CordVec3 point, CordVec3* normal)
{
    const SolidKind* kind = solid_kind(solid);
    SolidPoint at = kind->point ? kind->point(solid, point) : solid_mesh_point(&solid->mesh, point);
    if (normal) {
        *normal = at.normal;
    }
    return at.distance;
}

double cord_solid_support(const CordSolid* solid, CordVec3 direction)
{
    return solid_kind(solid)->support(solid, direction);
}

double cord_solid_inertia(const CordSolid* solid, double mass, double tensor[6])
{
    double unused[6];
    const SolidKind* kind = solid_kind(solid);
    return kind->inertia ? kind->inertia(solid, mass, tensor ? tensor : unused) : 0.0;
}

void cord_solid_tessellate(const CordSolid* solid, int sides, const CordMeshSink* sink)
{
    solid_kind(solid)->tessellate(solid, sides, sink);
}
