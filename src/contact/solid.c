#include "contact/solid.h"

#include "base/real.h"
#include "contact/advance.h"
#include "math/trig.h"

static const CordVec3 upwards = {0, 0, 1};

// ---- points

static double distance_from_axis(CordVec3 p)
{
    return sqrt(p.x * p.x + p.y * p.y);
}

static CordVec3 away_from_axis(CordVec3 p) // unit; on the axis, any
{
    double rho = distance_from_axis(p);
    return rho > 0.0 ? (CordVec3){p.x / rho, p.y / rho, 0.0} : (CordVec3){1, 0, 0};
}

// What is within a radius of a core, from which the point is off by `off`.
static SolidPoint round_a_core(CordVec3 off, double radius, CordVec3 normal_in_core)
{
    double length = vec3_length(off);
    return (SolidPoint){length - radius, 0.0, length > 0.0 ? vec3_mul(off, 1.0 / length) : normal_in_core};
}

// What lies behind two or three faces at right angles, given how far the point is in front of each.
static SolidPoint behind_faces(const double* front, const CordVec3* normals, int count)
{
    CordVec3 off = {0, 0, 0};
    int most = 0;
    for (int k = 0; k < count; k++) {
        off = vec3_madd(off, normals[k], front[k] > 0.0 ? front[k] : 0.0);
        most = front[k] > front[most] ? k : most;
    }
    double length = vec3_length(off);
    return length > 0.0 ? (SolidPoint){length, 0.0, vec3_mul(off, 1.0 / length)}
                        : (SolidPoint){front[most], 0.0, normals[most]};
}

static SolidPoint box_point(CordVec3 size, CordVec3 p)
{
    const double front[3] = {fabs(p.x) - 0.5 * size.x, fabs(p.y) - 0.5 * size.y, fabs(p.z) - 0.5 * size.z};
    const CordVec3 normals[3] = {
        {p.x < 0.0 ? -1.0 : 1.0, 0, 0}, {0, p.y < 0.0 ? -1.0 : 1.0, 0}, {0, 0, p.z < 0.0 ? -1.0 : 1.0}};
    return behind_faces(front, normals, 3);
}

// A rectangle that is turned about z; it has no inner radius if that is not positive.
static SolidPoint turned_point(double outer, double inner, double length, CordVec3 p)
{
    double rho = distance_from_axis(p), out = rho - outer, in = inner > 0.0 ? inner - rho : -INFINITY;
    const double front[2] = {out > in ? out : in, fabs(p.z) - 0.5 * length};
    const CordVec3 normals[2] = {vec3_mul(away_from_axis(p), out > in ? 1.0 : -1.0),
                                 {0, 0, p.z < 0.0 ? -1.0 : 1.0}};
    return behind_faces(front, normals, 2);
}

SolidPoint solid_point(const Solid* solid, CordVec3 p)
{
    CordVec3 size = solid->size, off = p;
    double half = 0.5 * size.z;
    switch (solid->shape) {
    case CORD_OBSTACLE_SPHERE: return round_a_core(p, size.x, upwards);
    case CORD_OBSTACLE_BOX: return box_point(size, p);
    case CORD_OBSTACLE_CYLINDER: return turned_point(size.x, 0.0, size.z, p);
    case CORD_OBSTACLE_CAPSULE:
        off.z = p.z > half ? p.z - half : p.z < -half ? p.z + half : 0.0;
        return round_a_core(off, size.x, (CordVec3){1, 0, 0});
    case CORD_OBSTACLE_TORUS:
        off = vec3_mul(away_from_axis(p), distance_from_axis(p) - size.x);
        off.z = p.z;
        return round_a_core(off, size.y, upwards);
    case CORD_OBSTACLE_TUBE: return turned_point(size.x, size.y, size.z, p);
    default: return (SolidPoint){p.z, 0.0, upwards};
    }
}

double solid_radius(const Solid* solid)
{
    CordVec3 size = solid->size;
    switch (solid->shape) {
    case CORD_OBSTACLE_SPHERE: return size.x;
    case CORD_OBSTACLE_BOX: return 0.5 * vec3_length(size);
    case CORD_OBSTACLE_CAPSULE: return size.x + 0.5 * size.z;
    case CORD_OBSTACLE_TORUS: return size.x + size.y;
    case CORD_OBSTACLE_CYLINDER:
    case CORD_OBSTACLE_TUBE: return sqrt(size.x * size.x + 0.25 * size.z * size.z);
    default: return INFINITY;
    }
}

double solid_least_measure(const Solid* solid)
{
    CordVec3 size = solid->size;
    switch (solid->shape) {
    case CORD_OBSTACLE_BOX: return real_min(size.x, real_min(size.y, size.z));
    case CORD_OBSTACLE_CYLINDER: return real_min(2.0 * size.x, size.z);
    case CORD_OBSTACLE_CAPSULE: return size.z > 0.0 ? size.z : INFINITY;
    case CORD_OBSTACLE_TORUS: return real_min(size.y, real_max(size.x - size.y, 0.0));
    case CORD_OBSTACLE_TUBE:
        return real_min(size.x - size.y, real_min(size.y > 0.0 ? size.y : INFINITY, size.z));
    default: return INFINITY;
    }
}

// ---- segments
//
// The signed distance from what is convex is convex along a line. That from a torus or a tube is not; but a line's distance rho
// from the axis is, and so the line can be cut into a few pieces on each of which the distance has one dip at the most:
//
//   torus, and the rim of a tube    the square of the distance from a circle of radius R about the axis is a square - 2 R rho, which
//                                   is concave where rho^3 < R m^2 w^2 / L^2, and convex on either side of that. m is the
//                                   least rho of the whole line, w its length L seen along the axis
//   outside of a tube               convex, as that of a cylinder, from the middle of its wall outwards
//   bore of a tube                  inner radius - rho: concave
//   within its wall, near the bore  the larger of that and |z| - length / 2, cut where they are the same
//   its ends, near the bore         |z| - length / 2, which the rim's distance goes over into without a corner

typedef struct Line {
    const Solid* solid;
    CordVec3 a, d;
    double size;     // of the numbers that are rounded [m]
    double cuts[12]; // in order, the ends 0 and 1 included
    int cut_count;
} Line;

typedef struct Sample {
    double s, distance;
    double slope; // over s [m]
} Sample;

static Sample sample_at(const Line* l, double s)
{
    SolidPoint p = solid_point(l->solid, vec3_madd(l->a, l->d, s));
    return (Sample){s, p.distance, vec3_dot(p.normal, l->d)};
}

static void cut_at(Line* l, double s)
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

static void cut_at_roots(Line* l, double a, double b, double c) // of a s^2 + 2 b s + c
{
    double square = b * b - a * c;
    if (square >= 0.0) {
        double q = b > 0.0 ? -b - sqrt(square) : -b + sqrt(square); // no cancellation
        cut_at(l, q / a);
        cut_at(l, c / q);
    }
}

static void cut_at_radius(Line* l, double rho)
{
    double ww = l->d.x * l->d.x + l->d.y * l->d.y;
    cut_at_roots(l, ww, l->a.x * l->d.x + l->a.y * l->d.y, l->a.x * l->a.x + l->a.y * l->a.y - rho * rho);
}

// At s0 - w and s0 + w, where s0 is nearest to the axis. One that meets the axis has a corner there: w is 0.
static void cut_round_circle(Line* l, double radius)
{
    double ww = l->d.x * l->d.x + l->d.y * l->d.y, mw = l->a.x * l->d.y - l->a.y * l->d.x;
    double rho = cord_pow(radius * mw * mw / vec3_dot(l->d, l->d), 1.0 / 3.0);
    double nearest = -(l->a.x * l->d.x + l->a.y * l->d.y) / ww;
    double w = sqrt(real_max(rho * rho - mw * mw / ww, 0.0) / ww);
    cut_at(l, nearest - w);
    cut_at(l, nearest + w);
}

static void cut_at_height(Line* l, double z)
{
    cut_at(l, (z - l->a.z) / l->d.z);
}

// Where rho = reach - side z.
static void cut_in_wall(Line* l, double reach, double side)
{
    CordVec3 a = l->a, d = l->d;
    double e = reach - side * a.z;
    cut_at_roots(l, d.x * d.x + d.y * d.y - d.z * d.z, a.x * d.x + a.y * d.y + side * e * d.z,
                 a.x * a.x + a.y * a.y - e * e);
}

static void cut_tube(Line* l)
{
    CordVec3 size = l->solid->size;
    double half = 0.5 * size.z;
    cut_at_radius(l, 0.5 * (size.x + size.y));
    cut_round_circle(l, size.y);
    cut_at_height(l, -half), cut_at_height(l, half);
    cut_in_wall(l, size.y + half, 1.0), cut_in_wall(l, size.y + half, -1.0);
}

static Sample sample_between(const Line* l, Sample lo, Sample hi, double s)
{
    return sample_at(l, real_min(real_max(s, lo.s), hi.s));
}

static double level_place(Sample lo, Sample hi) // where the chord of the slopes is zero
{
    return lo.s - (hi.s - lo.s) * lo.slope / (hi.slope - lo.slope);
}

// The bottom of a dip, between a place where the distance falls and one where it rises: where the slopes' chord is zero, if it is
// smooth; where tangents meet, if it is a corner; and half-way, lest one end never moves. A smooth bottom is so flat that its
// place is known to half of the digits of its depth; two more chords find the rest, for the sake of the normal there.
static Sample bottom_between(const Line* l, Sample lo, Sample hi)
{
    double tolerance = 1e-15 * l->size;
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
static Sample least_over_pieces(const Line* l)
{
    Sample best = sample_at(l, 0.0);
    double inside = real_min(1e-13 * l->size / vec3_length(l->d), 1.0);
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

static double least_along(const Solid* solid, CordVec3 a, CordVec3 b, double far)
{
    Line l = {.solid = solid, .a = a, .d = vec3_sub(b, a), .cut_count = 1};
    double length = vec3_length(l.d);
    if (sample_at(&l, 0.5).distance - 0.5 * length >= far || !(length > 0.0)) {
        return 0.5;
    }
    l.size = real_max(vec3_length(a), vec3_length(b)) + solid_radius(solid);
    if (solid->shape == CORD_OBSTACLE_TORUS) {
        cut_round_circle(&l, solid->size.x);
    } else if (solid->shape == CORD_OBSTACLE_TUBE && solid->size.y > 0.0) {
        cut_tube(&l);
    }
    l.cuts[l.cut_count++] = 1.0;
    return least_over_pieces(&l).s;
}

SolidPoint solid_segment(const Solid* solid, CordVec3 a, CordVec3 b, double far)
{
    CordVec3 low = {0, 0, -0.5 * solid->size.z}, high = {0, 0, 0.5 * solid->size.z};
    double s;
    switch (solid->shape) {
    case CORD_OBSTACLE_PLANE: s = a.z < b.z ? 0.0 : a.z > b.z ? 1.0 : 0.5; break;
    case CORD_OBSTACLE_SPHERE: s = point_segment_at((CordVec3){0, 0, 0}, a, b); break;
    case CORD_OBSTACLE_CAPSULE: s = segment_segment(a, b, low, high).s; break;
    default: s = least_along(solid, a, b, far); break;
    }
    SolidPoint p = solid_point(solid, vec3_madd(a, vec3_sub(b, a), s));
    p.s = s;
    return p;
}

// ---- sweeps

typedef struct Swept {
    const Solid* solid;
    CordVec3 from[2], way[2];
    double speed;    // the faster end's [m]
    double rounding; // as Advance's [m]
} Swept;

// How far the solid, or the least convex one that holds it, reaches along a unit vector. A plane's normal is its only one.
static double reach_along(const Solid* solid, CordVec3 n)
{
    CordVec3 size = solid->size;
    switch (solid->shape) {
    case CORD_OBSTACLE_SPHERE: return size.x;
    case CORD_OBSTACLE_BOX: return 0.5 * (fabs(n.x) * size.x + fabs(n.y) * size.y + fabs(n.z) * size.z);
    case CORD_OBSTACLE_CAPSULE: return size.x + 0.5 * fabs(n.z) * size.z;
    case CORD_OBSTACLE_TORUS: return size.x * distance_from_axis(n) + size.y;
    case CORD_OBSTACLE_CYLINDER:
    case CORD_OBSTACLE_TUBE: return size.x * distance_from_axis(n) + 0.5 * fabs(n.z) * size.z;
    default: return 0.0;
    }
}

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
    double all = INFINITY, support = reach_along(w->solid, now->normal);
    for (int i = 0; i < 2; i++) {
        double height = vec3_dot(now->normal, now->at[i]) - support;
        all = real_min(all, time_above(level, height, vec3_dot(now->normal, w->way[i])));
    }
    return real_max(all, time_above(level, now->distance, -w->speed));
}

// By the plane that turns along (advance.h). How far a convex solid reaches is a convex function of the normal, so while that turns,
// it is at most what it would be if it changed evenly.
static bool clear_of_hull(const Swept* w, const Moment* from, const Moment* to, double level)
{
    CordVec3 m = from->normal, n = to->normal;
    double m_reach = reach_along(w->solid, m), n_reach = reach_along(w->solid, n);
    double height = level_between(level, m, n);
    bool both = true;
    for (int i = 0; i < 2; i++) {
        CordVec3 p = from->at[i], q = to->at[i];
        double middle = 0.5 * (vec3_dot(m, q) + vec3_dot(n, p) - m_reach - n_reach);
        both = both && stays_above(height, vec3_dot(m, p) - m_reach, middle, vec3_dot(n, q) - n_reach);
    }
    return both;
}

// By the cylinder round the axis that the solid leaves free: a point's distance from the axis is largest at one end of its way, and
// along a segment at one of its ends.
static bool clear_in_bore(const Swept* w, const Moment* from, const Moment* to, double level)
{
    CordVec3 size = w->solid->size;
    double bore = w->solid->shape == CORD_OBSTACLE_TUBE    ? size.y
                  : w->solid->shape == CORD_OBSTACLE_TORUS ? size.x - size.y
                                                           : 0.0;
    double most = bore - level;
    return most > 0.0 && distance_from_axis(from->at[0]) <= most && distance_from_axis(from->at[1]) <= most &&
           distance_from_axis(to->at[0]) <= most && distance_from_axis(to->at[1]) <= most;
}

// By the two distances: the square of that from any set at all is a square of the way plus a concave function.
static bool clear_by_distance(const Swept* w, const Moment* from, const Moment* to, double level)
{
    double core = w->solid->shape == CORD_OBSTACLE_TORUS ? w->solid->size.y : 0.0;
    double least = level + core, start = from->distance + core, end = to->distance + core;
    double way = w->speed * (to->time - from->time), middle = 0.5 * (start * start + end * end - way * way);
    return least > 0.0 && start > 0.0 && end > 0.0 && stays_above(least * least, start * start, middle, end * end);
}

static bool holds(const void* pair, const Moment* from, const Moment* to, double level)
{
    const Swept* w = pair;
    return clear_of_hull(w, from, to, level) || clear_in_bore(w, from, to, level) ||
           clear_by_distance(w, from, to, level);
}

double solid_sweep(const Solid* solid, const SweptPoint a[2], double near)
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
    w.rounding = 2e-13 * (size + (isfinite(radius) ? radius : 0.0)); // twice what a dip's bottom may be missed by
    double far = near + w.speed + 2.0 * w.rounding;
    if (solid_segment(solid, a[0].from, a[1].from, far).distance >= far) {
        return 1.0;
    }
    Advance advance = {.pair = &w, .rounding = w.rounding, .look = look, .reach = reach, .holds = holds};
    return advance_until(&advance, near);
}
