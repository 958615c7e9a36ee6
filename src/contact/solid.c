#include "contact/solid.h"

#include "contact/closest_points.h"
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
// The signed distance from a convex solid is convex along a line. That from a torus or a tube is not, but it
// is a function of the line's distance rho from the axis, which is convex; so the line can be cut into a few
// pieces with at most one minimum each:
//
// * torus, and the rim of a tube: the squared distance from a circle of radius R about the axis is quadratic
//   but for -2 R rho, concave where rho^3 < R m^2 w^2 / L^2 and convex on either side. m is the least rho of
//   the whole line, L the segment's length, and w the length of its projection along the axis.
// * outside of a tube: convex, like a cylinder's, from the middle of the wall outwards.
// * bore of a tube: inner radius - rho, which is concave.
// * inside the wall, near the bore: the larger of that and |z| - length / 2, cut where they are equal.
// * ends, near the bore: |z| - length / 2, which continues into the rim's distance without a kink.

typedef struct Sample {
    double s, distance;
    double slope; // derivative by s [m]
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

// The cuts are at s0 - w and s0 + w, where s0 is closest to the axis. A line that meets the axis has a kink
// there, and w is 0.
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

static double level_place(Sample lo, Sample hi) // root of the secant of the slopes
{
    return lo.s - (hi.s - lo.s) * lo.slope / (hi.slope - lo.slope);
}

// The minimum between a point where the distance falls and one where it rises, by three steps in turn: the
// secant of the slopes, for a smooth minimum; the intersection of the tangents, for a kink; and bisection, so
// that both ends move. At a smooth minimum s is known to only half the digits of the distance; two more
// secants find the rest, for the sake of the normal.
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

// Slopes are taken slightly inside a piece, since there may be a kink at a cut.
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
    double s = kind->along ? kind->along(solid, a, b) : NAN;
    s = s >= 0.0 ? s : least_along(solid, a, b, far);
    SolidPoint p = kind->point(solid, vec3_madd(a, vec3_sub(b, a), s));
    p.s = s;
    return p;
}

// ---- time of impact

typedef struct MovingSegment {
    const CordSolid* solid;
    CordVec3 from[2], motion[2];
    double speed;    // displacement of the faster end [m]
    double rounding; // see Advancement [m]
} MovingSegment;

static Separation separation_at(const void* pair, double time)
{
    const MovingSegment* w = pair;
    Separation m = {
        .time = time,
        .at = {vec3_madd(w->from[0], w->motion[0], time), vec3_madd(w->from[1], w->motion[1], time)}};
    SolidPoint p = solid_segment(w->solid, m.at[0], m.at[1], INFINITY);
    CordVec3 motion = vec3_madd(w->motion[0], vec3_sub(w->motion[1], w->motion[0]), p.s);
    double blur = real_min(w->rounding / fabs(p.distance), 1.0); // relative error of the normal
    m.distance = p.distance;
    m.normal = p.normal;
    m.rate = vec3_dot(p.normal, motion) + vec3_length(motion) * blur; // an upper bound
    return m;
}

static double safe_time(const void* pair, const Separation* now, double level)
{
    const MovingSegment* w = pair;
    double all = INFINITY, support = solid_kind(w->solid)->support(w->solid, now->normal);
    for (int i = 0; i < 2; i++) {
        double height = vec3_dot(now->normal, now->at[i]) - support;
        all = real_min(all, time_above(level, height, vec3_dot(now->normal, w->motion[i])));
    }
    return real_max(all, time_above(level, now->distance, -w->speed));
}

// By a separating plane that turns (time_of_impact.h). The support function is convex in the normal, so for
// an interpolated normal it is at most the interpolated support.
static bool clear_of_hull(const MovingSegment* w, const Separation* from, const Separation* to, double level)
{
    CordVec3 m = from->normal, n = to->normal;
    double m_reach = solid_kind(w->solid)->support(w->solid, m),
           n_reach = solid_kind(w->solid)->support(w->solid, n);
    double height = height_between_normals(level, m, n);
    bool both = true;
    for (int i = 0; i < 2; i++) {
        CordVec3 p = from->at[i], q = to->at[i];
        double middle = 0.5 * (vec3_dot(m, q) + vec3_dot(n, p) - m_reach - n_reach);
        both = both && stays_above(height, vec3_dot(m, p) - m_reach, middle, vec3_dot(n, q) - n_reach);
    }
    return both;
}

// By the bore: the distance of a point from the axis is largest at an end of its path, and that of a segment
// at one of its ends.
static bool clear_in_bore(const MovingSegment* w, const Separation* from, const Separation* to, double level)
{
    double (*bore)(const CordSolid*) = solid_kind(w->solid)->bore;
    double most = (bore ? bore(w->solid) : 0.0) - level;
    return most > 0.0 && distance_from_axis(from->at[0]) <= most && distance_from_axis(from->at[1]) <= most &&
           distance_from_axis(to->at[0]) <= most && distance_from_axis(to->at[1]) <= most;
}

// By the distances at the two times: the squared distance from any set is a quadratic in time plus a concave
// function.
static bool clear_by_distance(const MovingSegment* w, const Separation* from, const Separation* to,
                              double level)
{
    double (*core_of)(const CordSolid*) = solid_kind(w->solid)->core;
    double core = core_of ? core_of(w->solid) : 0.0;
    double least = level + core, start = from->distance + core, end = to->distance + core;
    double path = w->speed * (to->time - from->time),
           middle = 0.5 * (start * start + end * end - path * path);
    return least > 0.0 && start > 0.0 && end > 0.0 &&
           stays_above(least * least, start * start, middle, end * end);
}

static bool stays_apart(const void* pair, const Separation* from, const Separation* to, double level)
{
    const MovingSegment* w = pair;
    return clear_of_hull(w, from, to, level) || clear_in_bore(w, from, to, level) ||
           clear_by_distance(w, from, to, level);
}

double solid_time_of_impact(const CordSolid* solid, const MovingPoint a[2], double near)
{
    MovingSegment w = {.solid = solid,
                       .from = {a[0].from, a[1].from},
                       .motion = {vec3_sub(a[0].to, a[0].from), vec3_sub(a[1].to, a[1].from)}};
    double paths[2] = {vec3_length(w.motion[0]), vec3_length(w.motion[1])}, radius = solid_radius(solid);
    double size = vec3_length(a[0].from) + vec3_length(a[1].from) + paths[0] + paths[1];
    if (!isfinite(size)) {
        return 0.0;
    }
    w.speed = real_max(paths[0], paths[1]);
    // twice the error of a minimum's distance
    w.rounding = 2e-13 * (size + (isfinite(radius) ? radius : 0.0));
    double far = near + w.speed + 2.0 * w.rounding;
    if (solid_segment(solid, a[0].from, a[1].from, far).distance >= far) {
        return 1.0;
    }
    Advancement advance = {.pair = &w,
                           .rounding = w.rounding,
                           .separation_at = separation_at,
                           .safe_time = safe_time,
                           .stays_apart = stays_apart};
    return conservative_advancement(&advance, near);
}

// ---- the public functions

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
