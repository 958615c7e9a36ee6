#include "contact/colliders.h"

#include "base/real.h"
#include "math/elementary.h"
#include "rod/clamp.h"

// ---- arc length along rods

// Arc length between two intervals of a rod.
static double between(const ColliderRod* r, const double a[2], const double b[2])
{
    double gap = a[0] < b[0] ? b[0] - a[1] : a[0] - b[1];
    if (r->rod->line.closed) {
        double span = real_max(a[1], b[1]) - real_min(a[0], b[0]);
        gap = real_min(gap, r->rod->length - span);
    }
    return real_max(gap, 0.0);
}

static double arc_of_node(const Colliders* cs, const ColliderRod* r, int node)
{
    const Segment* g = &cs->segments[r->first_segment];
    return node < r->segment_count ? g[node].arc[0] : g[node - 1].arc[1];
}

// Arc length between a segment and a clamp.
static double from_clamp(const Colliders* cs, const Segment* g, const Clamp* clamp)
{
    const ColliderRod* r = &cs->rods[g->rod];
    double p = arc_of_node(cs, r, clamp->node[0]), q = p;
    if (clamp->node_count == 2) {
        q = p + edge_rest_len(&r->rod->line, clamp->edge);
    }
    return between(r, g->arc, (const double[2]){p, q});
}

// A rod bent as sharply as its own radius allows needs half a turn of that radius to come back to itself.
static double half_turn(double radius)
{
    return CORD_PI * radius;
}

// ---- joined rods

// The direction in which the rod leaves its clamp, in the axes of the body that carries it. False: any
// direction.
static bool exit_direction(const Clamp* clamp, CordVec3* direction)
{
    if (clamp->node_count < 2) {
        return false;
    }
    CordVec3 e = vec3_sub(clamp->offset[1], clamp->offset[0]);
    *direction = vec3_unit(clamp->node[0] == 0 ? e : vec3_mul(e, -1.0));
    return true;
}

// How far from their joint two rods overlap, given the angle between them.
static double overlap_of(const Clamp* a, const Clamp* b, double radii)
{
    CordVec3 p, q;
    if (!exit_direction(a, &p) || !exit_direction(b, &q)) {
        return half_turn(radii);
    }
    double distance = vec3_length(vec3_sub(p, q)); // distance of two points, each a metre from the joint
    return distance > 0.0 ? radii / distance : INFINITY;
}

static bool are_joined(const Colliders* cs, const Segment* a, const Segment* b)
{
    const Rod *p = cs->rods[a->rod].rod, *q = cs->rods[b->rod].rod;
    double radii = a->radius + b->radius;
    for (int i = 0; i < p->clamp_count; i++) {
        const Clamp* c = p->clamps[i];
        for (int k = 0; c->carrier && k < q->clamp_count; k++) {
            const Clamp* d = q->clamps[k];
            if (d->carrier != c->carrier || d == c) {
                continue;
            }
            double of_a = from_clamp(cs, a, c), of_b = from_clamp(cs, b, d);
            if (of_a + of_b < half_turn(0.5 * radii) || real_max(of_a, of_b) < overlap_of(c, d, radii)) {
                return true;
            }
        }
    }
    return false;
}

bool filter_rejects_segments(const Colliders* cs, int a, int b)
{
    const Segment *p = &cs->segments[a], *q = &cs->segments[b];
    const ColliderRod* r = &cs->rods[p->rod];
    return (p->rod == q->rod &&
            (r->passes_itself || between(r, p->arc, q->arc) < half_turn(0.5 * (p->radius + q->radius)))) ||
           are_joined(cs, p, q);
}

// ---- rods welded to bodies

#define MOST_STEPS 64

// The distance from a point in a solid to where a rod leaving in a direction is clear of it, by sphere
// tracing: a step of the distance cannot overshoot the surface from inside.
static double exit_distance(const CordSolid* solid, CordVec3 p, CordVec3 direction, double radius)
{
    double far = 0.0, most = 2.0 * solid_radius(solid) + radius;
    for (int i = 0; i < MOST_STEPS && far < most; i++) {
        double d = solid_point(solid, vec3_madd(p, direction, far)).distance - radius;
        if (d >= 0.0) {
            return far;
        }
        far += real_max(-d, 0.1 * radius);
    }
    return most;
}

static double weld_exit_distance(const CordSolid* solid, const Clamp* clamp, double radius)
{
    double most = 0.0;
    for (int k = 0; k < clamp->node_count; k++) {
        CordVec3 p = vec3_add(clamp->point, clamp->offset[k]);
        CordVec3 e = vec3_sub(clamp->offset[1], clamp->offset[0]);
        bool inside = solid_point(solid, p).distance < radius;
        if (clamp->node_count < 2) { // free to leave in any direction
            return inside ? 2.0 * solid_radius(solid) + radius : 0.0;
        }
        most = real_max(most, exit_distance(solid, p, vec3_unit(vec3_mul(e, k == 1 ? 1.0 : -1.0)), radius));
    }
    return most;
}

bool filter_rejects_solid(const Colliders* cs, int segment, int solid)
{
    const Segment* g = &cs->segments[segment];
    const Rod* rod = cs->rods[g->rod].rod;
    const ColliderSolid* s = &cs->solids[solid];
    for (int i = 0; s->carrier && i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        double most = 2.0 * solid_radius(&s->solid) + g->radius + half_turn(g->radius);
        double along = clamp->carrier == s->carrier ? from_clamp(cs, g, clamp) : INFINITY;
        if (along < most && along < weld_exit_distance(&s->solid, clamp, g->radius) + half_turn(g->radius)) {
            return true;
        }
    }
    return false;
}
