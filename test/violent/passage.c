#include "passage.h"

#include "vectors.h"

#include <stdlib.h>

static double clamped(double s, double low, double high)
{
    return s < low ? low : s > high ? high : s;
}

static CordVec3 between(CordVec3 a, CordVec3 b, double s) // (1 - s) a + s b
{
    return plus(times(a, 1.0 - s), times(b, s));
}

// ---- segments

typedef struct Segment {
    CordVec3 p, q;
} Segment;

static double point_from_segment(CordVec3 x, Segment s)
{
    CordVec3 e = minus(s.q, s.p);
    double ee = dot(e, e), at = ee > 0.0 ? clamped(dot(minus(x, s.p), e) / ee, 0.0, 1.0) : 0.0;
    return size_of(minus(x, plus(s.p, times(e, at))));
}

// The least of five distances: from each end to the other segment, and between the two lines, where they are
// nearest inside both. Where they are parallel to a millionth the ends suffice.
static double segment_from_segment(Segment a, Segment b)
{
    CordVec3 d = minus(a.q, a.p), e = minus(b.q, b.p), n = cross(d, e), w = minus(b.p, a.p);
    double nn = dot(n, n), s = dot(cross(w, e), n), t = dot(cross(w, d), n);
    if (nn > 1e-12 * dot(d, d) * dot(e, e) && s > 0.0 && s < nn && t > 0.0 && t < nn) {
        return fabs(dot(w, n)) / sqrt(nn);
    }
    return fmin(fmin(point_from_segment(a.p, b), point_from_segment(a.q, b)),
                fmin(point_from_segment(b.p, a), point_from_segment(b.q, a)));
}

static int next_node(const Axis* a, int edge)
{
    return edge + 1 < a->nodes ? edge + 1 : 0;
}

static Segment edge_of(const Axis* a, int edge)
{
    return (Segment){a->x[edge], a->x[next_node(a, edge)]};
}

static Segment segment_at(Segment from, Segment to, double s)
{
    return (Segment){between(from.p, to.p, s), between(from.q, to.q, s)};
}

static double most_motion(Segment from, Segment to)
{
    return fmax(size_of(minus(to.p, from.p)), size_of(minus(to.q, from.q)));
}

static bool are_neighbours(const Axis* a, int i, int j) // edges of one rod, i < j
{
    int apart = j - i - 1, around = a->edges - (j - i) - 1;
    return a->edge_length * (a->closed && around < apart ? around : apart) < pi * a->radius;
}

// ---- solids, in their own axes: signed distances

static double in_plane(double u, double v) // distance from a rectangle, of which u and v are distances
{
    return fmin(fmax(u, v), 0.0) + hypot(fmax(u, 0.0), fmax(v, 0.0));
}

static double box_distance(CordVec3 size, CordVec3 p)
{
    double x = fabs(p.x) - size.x / 2, y = fabs(p.y) - size.y / 2, z = fabs(p.z) - size.z / 2;
    CordVec3 out = {fmax(x, 0.0), fmax(y, 0.0), fmax(z, 0.0)};
    return fmin(fmax(x, fmax(y, z)), 0.0) + size_of(out);
}

static double cone_distance(CordVec3 size, CordVec3 p)
{
    double rho = hypot(p.x, p.y), low = -size.z / 4, top = 0.75 * size.z;
    CordVec3 at = {rho, 0, p.z};
    Segment base = {{0, 0, low}, {size.x, 0, low}}, side = {{size.x, 0, low}, {0, 0, top}};
    double away = fmin(point_from_segment(at, base), point_from_segment(at, side));
    bool inside = p.z > low && rho * size.z < size.x * (top - p.z);
    return inside ? -away : away;
}

static double triangle_distance(CordVec3 x, const CordVec3* c)
{
    CordVec3 n = cross(minus(c[1], c[0]), minus(c[2], c[0]));
    double area = dot(n, n), least = INFINITY;
    bool over = area > 0.0;
    for (int k = 0; k < 3; k++) {
        Segment side = {c[k], c[(k + 1) % 3]};
        over = over && dot(cross(minus(side.q, side.p), minus(x, side.p)), n) >= 0.0;
        least = fmin(least, point_from_segment(x, side));
    }
    return over ? fabs(dot(minus(x, c[0]), n)) / sqrt(area) : least;
}

static double point_from_solid(const CordSolid* s, CordVec3 p)
{
    double rho = hypot(p.x, p.y), R = s->size.x, half = s->size.z / 2;
    switch (s->shape) {
    case CORD_SOLID_PLANE: return p.z;
    case CORD_SOLID_SPHERE: return size_of(p) - R;
    case CORD_SOLID_BOX: return box_distance(s->size, p);
    case CORD_SOLID_CYLINDER: return in_plane(rho - R, fabs(p.z) - half);
    case CORD_SOLID_CAPSULE: return point_from_segment(p, (Segment){{0, 0, -half}, {0, 0, half}}) - R;
    case CORD_SOLID_TORUS: return hypot(rho - R, p.z) - s->size.y;
    case CORD_SOLID_TUBE:
        return in_plane(fabs(rho - (R + s->size.y) / 2) - (R - s->size.y) / 2, fabs(p.z) - half);
    case CORD_SOLID_CONE: return cone_distance(s->size, p);
    default: return INFINITY;
    }
}

static double segment_from_triangle(Segment e, const CordVec3* c)
{
    double least = fmin(triangle_distance(e.p, c), triangle_distance(e.q, c));
    CordVec3 n = cross(minus(c[1], c[0]), minus(c[2], c[0]));
    double p = dot(minus(e.p, c[0]), n), q = dot(minus(e.q, c[0]), n);
    for (int k = 0; k < 3; k++) {
        least = fmin(least, segment_from_segment(e, (Segment){c[k], c[(k + 1) % 3]}));
    }
    if (p * q < 0.0 &&
        triangle_distance(between(e.p, e.q, p / (p - q)), c) < 1e-12 * size_of(minus(e.p, e.q))) {
        return 0.0;
    }
    return least;
}

static double segment_from_mesh(const CordSolidMesh* m, Segment e)
{
    double least = INFINITY;
    for (int i = 0; i < m->triangle_count; i++) {
        CordVec3 c[3];
        for (int k = 0; k < 3; k++) {
            c[k] = m->vertices[m->triangles[3 * i + k]];
        }
        least = fmin(least, segment_from_triangle(e, c));
    }
    return least;
}

// The least along part of a segment, by golden sections: exact where the distance is convex.
static double least_along(const CordSolid* s, Segment e, double low, double high)
{
    const double share = 0.6180339887498949;
    double a = high - share * (high - low), b = low + share * (high - low);
    double fa = point_from_solid(s, between(e.p, e.q, a)), fb = point_from_solid(s, between(e.p, e.q, b));
    for (int i = 0; i < 36; i++) {
        if (fa < fb) {
            high = b, b = a, fb = fa, a = high - share * (high - low);
            fa = point_from_solid(s, between(e.p, e.q, a));
        } else {
            low = a, a = b, fa = fb, b = low + share * (high - low);
            fb = point_from_solid(s, between(e.p, e.q, b));
        }
    }
    return fmin(fa, fb);
}

// Distances from convex solids are convex along a line. Those from a torus and a tube are searched in parts.
static double segment_from_solid(const CordSolid* s, Segment e)
{
    if (s->shape == CORD_SOLID_MESH) {
        return segment_from_mesh(&s->mesh, e);
    }
    double least = fmin(point_from_solid(s, e.p), point_from_solid(s, e.q));
    if (s->shape == CORD_SOLID_PLANE) {
        return least;
    }
    int parts = s->shape == CORD_SOLID_TORUS || s->shape == CORD_SOLID_TUBE ? 8 : 1;
    for (int k = 0; k < parts; k++) {
        least = fmin(least, least_along(s, e, (double)k / parts, (k + 1.0) / parts));
    }
    return least;
}

static CordVec3 into(const Placed* s, CordVec3 x) // the solid's axes
{
    CordQuat back = {-s->rotation.x, -s->rotation.y, -s->rotation.z, s->rotation.w};
    return rotate(back, minus(x, s->position));
}

static Segment segment_into(const Placed* s, Segment e)
{
    return (Segment){into(s, e.p), into(s, e.q)};
}

// ---- conservative advancement

static const double touching = 1e-3; // axes have met that are this near, over a radius

// The first share of the step at which two moving segments meet; INFINITY: they never do. No point moves
// faster than `speed` towards the other, so that nothing is passed over.
static double rods_meet(Segment a0, Segment a1, Segment b0, Segment b1, double near)
{
    double speed = most_motion(a0, a1) + most_motion(b0, b1), at = 0.0;
    for (int i = 0; i < 10000; i++) {
        double apart = segment_from_segment(segment_at(a0, a1, at), segment_at(b0, b1, at));
        if (apart < near) {
            return at;
        }
        at += apart / speed;
        if (!(at < 1.0)) {
            return (double)INFINITY;
        }
    }
    return at;
}

static double solid_meets(const CordSolid* s, Segment e0, Segment e1, double near)
{
    double speed = most_motion(e0, e1), at = 0.0;
    for (int i = 0; i < 10000; i++) {
        double apart = segment_from_solid(s, segment_at(e0, e1, at));
        if (apart < near) {
            return at;
        }
        at += apart / speed;
        if (!(at < 1.0)) {
            return segment_from_solid(s, e1) < near ? 1.0 : (double)INFINITY;
        }
    }
    return at;
}

static bool boxes_apart(Segment a0, Segment a1, Segment b0, Segment b1) // of the two paths
{
    const double *a[4] = {&a0.p.x, &a0.q.x, &a1.p.x, &a1.q.x}, *b[4] = {&b0.p.x, &b0.q.x, &b1.p.x, &b1.q.x};
    for (int k = 0; k < 3; k++) {
        double a_low = INFINITY, a_high = -INFINITY, b_low = INFINITY, b_high = -INFINITY;
        for (int i = 0; i < 4; i++) {
            a_low = fmin(a_low, a[i][k]), a_high = fmax(a_high, a[i][k]);
            b_low = fmin(b_low, b[i][k]), b_high = fmax(b_high, b[i][k]);
        }
        if (a_low > b_high || b_low > a_high) {
            return true;
        }
    }
    return false;
}

static bool rods_passage(const Snapshot* s, const Snapshot* t, int a, int b, Passage* found)
{
    const Axis *a0 = &s->rods[a], *a1 = &t->rods[a], *b0 = &s->rods[b], *b1 = &t->rods[b];
    double near = touching * fmin(a0->radius, b0->radius);
    for (int i = 0; i < a0->edges; i++) {
        Segment from = edge_of(a0, i), to = edge_of(a1, i);
        for (int j = a == b ? i + 1 : 0; j < b0->edges; j++) {
            Segment other0 = edge_of(b0, j), other1 = edge_of(b1, j);
            if ((a == b && are_neighbours(a0, i, j)) || boxes_apart(from, to, other0, other1)) {
                continue;
            }
            double when = rods_meet(from, to, other0, other1, near);
            if (when <= 1.0) {
                *found = (Passage){false, a, i, b, j, when};
                return true;
            }
        }
    }
    return false;
}

static bool solid_passage(const Snapshot* s, const Snapshot* t, int a, int solid, Passage* found)
{
    const Placed *from = &s->solids[solid], *to = &t->solids[solid];
    for (int i = 0; i < s->rods[a].edges; i++) {
        Segment e0 = segment_into(from, edge_of(&s->rods[a], i));
        Segment e1 = segment_into(to, edge_of(&t->rods[a], i));
        double when = solid_meets(&from->solid, e0, e1, touching * s->rods[a].radius);
        if (when <= 1.0) {
            *found = (Passage){true, a, i, solid, -1, when};
            return true;
        }
    }
    return false;
}

bool passage_find(const Snapshot* before, const Snapshot* after, Passage* passage)
{
    for (int a = 0; a < before->rod_count; a++) {
        for (int b = a; b < before->rod_count; b++) {
            if (rods_passage(before, after, a, b, passage)) {
                return true;
            }
        }
        for (int k = 0; k < before->solid_count; k++) {
            if (solid_passage(before, after, a, k, passage)) {
                return true;
            }
        }
    }
    return false;
}

// ---- links

// The solid angle of two segments, seen from each other, over 4 pi (Klenin and Langowski 2000, eq. 13).
static double gauss_pair(Segment a, Segment b)
{
    CordVec3 r[4] = {minus(b.p, a.p), minus(b.q, a.p), minus(b.q, a.q), minus(b.p, a.q)}, n[4];
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        CordVec3 c = cross(r[k], r[(k + 1) % 4]);
        double size = size_of(c);
        n[k] = size > 0.0 ? times(c, 1.0 / size) : c;
    }
    for (int k = 0; k < 4; k++) {
        sum += asin(clamped(dot(n[k], n[(k + 1) % 4]), -1.0, 1.0));
    }
    double side = dot(cross(minus(b.q, b.p), minus(a.q, a.p)), r[0]);
    return (side > 0.0 ? sum : side < 0.0 ? -sum : 0.0) / (4.0 * pi);
}

double gauss_link(const Axis* a, const Axis* b)
{
    double sum = 0.0;
    for (int i = 0; i < a->edges; i++) {
        for (int j = 0; j < b->edges; j++) {
            sum += gauss_pair(edge_of(a, i), edge_of(b, j));
        }
    }
    return sum;
}

// Six times the volume between two moving segments: a cubic in the share of the step.
static double volume_at(const Segment s[4], double at)
{
    Segment a = segment_at(s[0], s[1], at), b = segment_at(s[2], s[3], at);
    return dot(cross(minus(a.q, a.p), minus(b.q, b.p)), minus(b.p, a.p));
}

// Do the segments cross where they lie in one plane?
static bool cross_at(const Segment s[4], double at)
{
    Segment a = segment_at(s[0], s[1], at), b = segment_at(s[2], s[3], at);
    CordVec3 d = minus(a.q, a.p), e = minus(b.q, b.p), n = cross(d, e), w = minus(b.p, a.p);
    double nn = dot(n, n), u = dot(cross(w, e), n), v = dot(cross(w, d), n);
    return u >= 0.0 && u <= nn && v >= 0.0 && v <= nn && nn > 0.0;
}

// The signed number of times that two moving segments cross: roots of the cubic, between its turning points.
static int signed_crossings(const Segment s[4])
{
    double f0 = volume_at(s, 0.0), f1 = volume_at(s, 1.0 / 3), f2 = volume_at(s, 2.0 / 3),
           f3 = volume_at(s, 1.0);
    double c3 = 4.5 * (f3 - 3 * f2 + 3 * f1 - f0), c2 = 4.5 * (2 * f0 - 5 * f1 + 4 * f2 - f3);
    double c1 = f3 - f0 - c2 - c3, root = c2 * c2 - 3 * c3 * c1, knots[4] = {0, 1, 1, 1};
    if (root > 0.0) {
        double q = -(c2 + copysign(sqrt(root), c2)), t0 = q / (3 * c3), t1 = c1 / q;
        knots[1] = clamped(fmin(t0, t1), 0.0, 1.0), knots[2] = clamped(fmax(t0, t1), 0.0, 1.0);
    }
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        double low = knots[k], high = knots[k + 1], at_low = volume_at(s, low), at_high = volume_at(s, high);
        bool up = at_high > 0.0;
        if ((at_low > 0.0) == up) {
            continue;
        }
        for (int i = 0; i < 60; i++) {
            double middle = 0.5 * (low + high);
            *((volume_at(s, middle) > 0.0) == up ? &high : &low) = middle;
        }
        sum += cross_at(s, high) ? (up ? 1 : -1) : 0;
    }
    return sum;
}

// Edges, then the tails of an open rod: the first one leads in to the start, the other one out of the end.
static Segment tailed_edge(const Axis* a, int i, CordVec3 tail)
{
    if (i < a->edges) {
        return edge_of(a, i);
    }
    CordVec3 end = a->x[i == a->edges ? 0 : a->nodes - 1], far = plus(end, tail);
    return i == a->edges ? (Segment){far, end} : (Segment){end, far};
}

static int link_change(const Axis* a0, const Axis* a1, const Axis* b0, const Axis* b1, CordVec3 tail)
{
    int sum = 0, a_count = a0->edges + (a0->closed ? 0 : 2), b_count = b0->edges + (b0->closed ? 0 : 2);
    for (int i = 0; i < a_count; i++) {
        Segment from = tailed_edge(a0, i, tail), to = tailed_edge(a1, i, tail);
        for (int j = 0; j < b_count; j++) {
            Segment s[4] = {from, to, tailed_edge(b0, j, tail), tailed_edge(b1, j, tail)};
            sum += boxes_apart(s[0], s[1], s[2], s[3]) ? 0 : signed_crossings(s);
        }
    }
    return sum;
}

bool passage_changes_links(const Snapshot* before, const Snapshot* after, int rod, int other)
{
    static const CordVec3 far[4] = {
        {1e3, 1.1e3, 0.9e3}, {1.2e3, -1e3, -1.1e3}, {-1e3, 0.9e3, -1.2e3}, {-1.1e3, -1e3, 1e3}};
    const Axis *a0 = &before->rods[rod], *a1 = &after->rods[rod], *b0 = &before->rods[other],
               *b1 = &after->rods[other];
    if (rod == other) {
        return false;
    }
    if (a0->closed && b0->closed) {
        return fabs(gauss_link(a1, b1) - gauss_link(a0, b0)) > 0.5;
    }
    for (int k = 0; k < 4; k++) {
        if (link_change(a0, a1, b0, b1, far[k]) == 0) {
            return false;
        }
    }
    return true;
}

// ---- overlap

static double rods_gap(const Axis* a, const Axis* b, bool same, Passage* at) // [m]
{
    double least = INFINITY;
    for (int i = 0; i < a->edges; i++) {
        for (int j = same ? i + 1 : 0; j < b->edges; j++) {
            double apart = same && are_neighbours(a, i, j)
                               ? INFINITY
                               : segment_from_segment(edge_of(a, i), edge_of(b, j));
            if (apart < least) {
                least = apart, at->edge = i, at->other_edge = j;
            }
        }
    }
    return least - a->radius - b->radius;
}

static double solid_gap(const Axis* a, const Placed* s, Passage* at) // [m]
{
    double least = INFINITY;
    for (int i = 0; i < a->edges; i++) {
        double apart = segment_from_solid(&s->solid, segment_into(s, edge_of(a, i)));
        if (apart < least) {
            least = apart, at->edge = i, at->other_edge = -1;
        }
    }
    return least - a->radius;
}

double clearance_of(const Snapshot* s, int rod)
{
    Passage at;
    double least = INFINITY;
    for (int b = 0; b < s->rod_count; b++) {
        least = fmin(least, rods_gap(&s->rods[rod], &s->rods[b], b == rod, &at));
    }
    for (int k = 0; k < s->solid_count; k++) {
        least = fmin(least, solid_gap(&s->rods[rod], &s->solids[k], &at));
    }
    return least;
}

double deepest_overlap(const Snapshot* s, Passage* where)
{
    double deepest = -INFINITY;
    for (int a = 0; a < s->rod_count; a++) {
        for (int b = a; b < s->rod_count + s->solid_count; b++) {
            bool solid = b >= s->rod_count;
            int other = solid ? b - s->rod_count : b;
            Passage at = {.solid = solid, .rod = a, .other = other, .when = 1.0};
            double thinner = solid ? s->rods[a].radius : fmin(s->rods[a].radius, s->rods[b].radius);
            double gap = solid ? solid_gap(&s->rods[a], &s->solids[other], &at)
                               : rods_gap(&s->rods[a], &s->rods[b], a == b, &at);
            if (-gap / thinner > deepest) {
                deepest = -gap / thinner, *where = at;
            }
        }
    }
    return deepest;
}
