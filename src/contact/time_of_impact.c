#include "contact/time_of_impact.h"

#include "contact/bvh.h"

#define FINEST 1e-6   // shortest interval, as a fraction of the motion
#define MOST 200      // evaluations at most
#define KEEP 0.05     // fraction of the initial gap that is kept for certain
#define ENOUGH 0.1    // fraction of the initial gap at which the advancement may stop
#define TOUCHING 64.0 // rounding errors: a smaller gap counts as touching

// Heights and the level that they are compared with have rounding errors. A pair that starts apart keeps a
// fraction of its gap, which is at least three rounding errors, so it certainly stays above `near`. A pair
// that touches at the start, or is closer still, must not come closer than it has been, except for the four
// rounding errors without which it could not even stay in place.
double conservative_advancement(const Advancement* a, double near)
{
    Separation now = a->separation_at(a->pair, 0.0);
    double gap = now.distance - near, spare = 4.0 * a->rounding;
    bool touching = !(gap > TOUCHING * a->rounding);
    if (touching && now.rate < -spare) {
        return 0.0;
    }
    double level = touching ? real_min(near, now.distance) - spare : near + KEEP * gap;
    double enough = touching ? -INFINITY : near + ENOUGH * gap;
    double interval = 1.0, safe = a->safe_time(a->pair, &now, level);
    for (int i = 1; i < MOST && now.time + safe < 1.0; i++) {
        interval = real_min(real_max(interval, safe), 1.0 - now.time);
        Separation next = a->separation_at(a->pair, interval < 1.0 - now.time ? now.time + interval : 1.0);
        if (interval > safe && !a->stays_apart(a->pair, &now, &next, level)) {
            if (interval < FINEST) {
                break;
            }
            interval *= 0.5;
            continue;
        }
        if (next.time >= 1.0 || next.distance <= enough) {
            return next.time;
        }
        now = next;
        interval *= 2.0;
        level = touching ? real_max(level, real_min(near, now.distance) - spare) : level;
        safe = a->safe_time(a->pair, &now, level);
    }
    return real_min(now.time + safe, 1.0);
}

// ---- two convex features

// Two convex features by their corners, those of the first feature first, relative to one corner and to their
// mean motion. What they have in common does not change their distance, and would only cost precision.
typedef struct Corners {
    CordVec3 from[5], motion[5]; // positions at the start, and displacements over the whole motion [m]
    int first, count;
    double rounding; // see Advancement [m]
} Corners;

static ClosestPoints closest(const Corners* c, const CordVec3* x)
{
    if (c->first == 1) {
        return closest_point_triangle(x[0], x[1], x[2], x[3]);
    }
    return c->count == 4 ? closest_segment_segment(x[0], x[1], x[2], x[3])
                         : closest_segment_triangle(x[0], x[1], x[2], x[3], x[4]);
}

// Displacement of the closest point of the first feature relative to that of the second.
static CordVec3 motion_at(const Corners* c, const ClosestPoints* at)
{
    const CordVec3 *a = c->motion, *b = c->motion + c->first;
    CordVec3 first = c->first == 1 ? a[0] : vec3_madd(a[0], vec3_sub(a[1], a[0]), at->s);
    CordVec3 second = c->count - c->first == 2 ? vec3_madd(b[0], vec3_sub(b[1], b[0]), at->t)
                                               : vec3_madd(vec3_madd(b[0], vec3_sub(b[1], b[0]), at->u),
                                                           vec3_sub(b[2], b[0]), at->v);
    return vec3_sub(first, second);
}

// ---- the normal

// The gap between the two features' projections on a normal.
static double height_between(const Corners* c, const CordVec3* x, CordVec3 n)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < c->first; i++) {
        low = real_min(low, vec3_dot(n, x[i]));
    }
    for (int i = c->first; i < c->count; i++) {
        high = real_max(high, vec3_dot(n, x[i]));
    }
    return low - high;
}

// slope of an edge against the plane of the normal, below which it counts as perpendicular
#define LEVEL 1e-5

// Makes the normal perpendicular to the edges that nearly are. The vector between closest points has a
// rounding error in proportion to the features' size, so over a short distance its direction is imprecise;
// the edges between which they lie give it better.
static CordVec3 straightened(const Corners* c, const CordVec3* x, CordVec3 n)
{
    CordVec3 straight = n, base[2];
    int base_count = 0;
    for (int i = 0; i < c->count; i++) {
        for (int j = i + 1; j < (i < c->first ? c->first : c->count) && base_count < 2; j++) {
            CordVec3 e = vec3_sub(x[j], x[i]);
            double least = LEVEL * vec3_length(e);
            if (fabs(vec3_dot(n, e)) > least) {
                continue;
            }
            for (int k = 0; k < base_count; k++) {
                e = vec3_reject(e, base[k]);
            }
            if (vec3_length(e) > least) {
                base[base_count] = vec3_unit(e);
                straight = vec3_reject(straight, base[base_count++]);
            }
        }
    }
    straight = vec3_unit(straight);
    return height_between(c, x, straight) > height_between(c, x, n) ? straight : n;
}

// ---- the callbacks of conservative advancement

static Separation separation_at(const void* pair, double time)
{
    const Corners* c = pair;
    Separation m = {.time = time};
    for (int i = 0; i < c->count; i++) {
        m.at[i] = vec3_madd(c->from[i], c->motion[i], time);
    }
    ClosestPoints at = closest(c, m.at);
    m.distance = at.distance;
    if (at.distance > 0.0) {
        m.normal = straightened(c, m.at, vec3_mul(at.separation, 1.0 / at.distance));
        CordVec3 motion = motion_at(c, &at);
        // an upper bound, whatever the rounding of the normal
        m.rate = vec3_dot(m.normal, motion) + vec3_length(motion) * c->rounding / at.distance;
    }
    return m;
}

static bool is_normal(CordVec3 n)
{
    return vec3_dot(n, n) > 0.5;
}

static double safe_time(const void* pair, const Separation* now, double level)
{
    const Corners* c = pair;
    double least = is_normal(now->normal) ? INFINITY : 0.0;
    for (int i = 0; i < c->first; i++) {
        for (int j = c->first; j < c->count; j++) {
            double height = vec3_dot(now->normal, vec3_sub(now->at[i], now->at[j]));
            double rate = vec3_dot(now->normal, vec3_sub(c->motion[i], c->motion[j]));
            least = real_min(least, time_above(level, height, rate));
        }
    }
    return least;
}

static bool stays_apart(const void* pair, const Separation* from, const Separation* to, double level)
{
    const Corners* c = pair;
    CordVec3 m = is_normal(from->normal) ? from->normal : to->normal;
    CordVec3 n = is_normal(to->normal) ? to->normal : from->normal;
    double height = height_between_normals(level, m, n);
    bool all = is_normal(m);
    for (int i = 0; i < c->first && all; i++) {
        for (int j = c->first; j < c->count && all; j++) {
            CordVec3 p = vec3_sub(from->at[i], from->at[j]), q = vec3_sub(to->at[i], to->at[j]);
            double middle = 0.5 * (vec3_dot(m, q) + vec3_dot(n, p));
            all = stays_above(height, vec3_dot(m, p), middle, vec3_dot(n, q));
        }
    }
    return all;
}

// ---- the pairs

// Adds corners from index `at` on. Returns the size of the numbers that were rounded.
static double add_corners(Corners* c, int at, const MovingPoint* points, int count, CordVec3 origin,
                          CordVec3 mean)
{
    double size = 0.0;
    for (int i = 0; i < count; i++) {
        CordVec3 from = vec3_sub(points[i].from, origin), motion = vec3_sub(points[i].to, points[i].from);
        size = real_max(size, vec3_length(from) + vec3_length(motion));
        c->from[at + i] = from;
        c->motion[at + i] = vec3_sub(motion, mean);
    }
    return size;
}

static CordVec3 mean_motion(const MovingPoint* a, int a_count, const MovingPoint* b, int b_count)
{
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < a_count; i++) {
        sum = vec3_add(sum, vec3_sub(a[i].to, a[i].from));
    }
    for (int i = 0; i < b_count; i++) {
        sum = vec3_add(sum, vec3_sub(b[i].to, b[i].from));
    }
    return vec3_mul(sum, 1.0 / (a_count + b_count));
}

// The box about the paths of some corners.
static Aabb path_box(const Corners* c, int from, int to)
{
    Aabb box = AABB_EMPTY;
    for (int i = from; i < to; i++) {
        aabb_add(&box, c->from[i]);
        aabb_add(&box, vec3_add(c->from[i], c->motion[i]));
    }
    return box;
}

static bool never_meet(const Corners* c, double near)
{
    Aabb a = path_box(c, 0, c->first), b = path_box(c, c->first, c->count);
    bool separate = false;
    for (int k = 0; k < 3; k++) {
        separate |= a.lo[k] - b.hi[k] > near || b.lo[k] - a.hi[k] > near;
    }
    return separate;
}

// Rounding errors, in units of 2^-53 of the size: corners have 5, their heights 5 more, the difference of two
// heights 21, and a few more where it is halved, added to or divided; distances have 4 (closest_points.h). 64
// is a safe bound.
static double time_of_impact(const MovingPoint* a, int a_count, const MovingPoint* b, int b_count,
                             double near)
{
    Corners c = {.first = a_count, .count = a_count + b_count};
    CordVec3 origin = a[0].from, mean = mean_motion(a, a_count, b, b_count);
    double size = add_corners(&c, 0, a, a_count, origin, mean);
    size = real_max(size, add_corners(&c, a_count, b, b_count, origin, mean));
    c.rounding = 64 * 0x1p-53 * size;
    if (!vec3_finite(mean)) {
        return 0.0;
    }
    if (never_meet(&c, near + c.rounding)) {
        return 1.0;
    }
    Advancement advance = {.pair = &c,
                           .rounding = c.rounding,
                           .separation_at = separation_at,
                           .safe_time = safe_time,
                           .stays_apart = stays_apart};
    return conservative_advancement(&advance, near);
}

double segments_time_of_impact(const MovingPoint a[2], const MovingPoint b[2], double near)
{
    return time_of_impact(a, 2, b, 2, near);
}

double point_triangle_time_of_impact(const MovingPoint* p, const MovingPoint triangle[3], double near)
{
    return time_of_impact(p, 1, triangle, 3, near);
}

double segment_triangle_time_of_impact(const MovingPoint a[2], const MovingPoint triangle[3], double near)
{
    return time_of_impact(a, 2, triangle, 3, near);
}
