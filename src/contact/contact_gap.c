#include "contact/contact_gap.h"

// Fraction of the touching distance. A rod that stayed farther away has gone around a feature, not through
// it.
#define AROUND 0.5

// Negative if it is behind, as seen along n.
static double signed_distance(CordVec3 separation, CordVec3 n)
{
    double distance = vec3_length(separation);
    return vec3_dot(separation, n) < 0.0 ? -distance : distance;
}

// A rod that slides over a mesh goes from one feature to the next and ends up behind the first. It has not
// passed through if its path stayed far enough from the feature.
static double feature_distance(const ContactPoint* contact, CordVec3 separation, double radius)
{
    double distance = signed_distance(separation, contact->n);
    if (distance >= 0.0) {
        return distance;
    }
    CordVec3 start = vec3_mul(contact->n, contact->gap + radius), path = vec3_sub(separation, start);
    double at = real_min(real_max(-vec3_dot(start, path) / vec3_dot(path, path), 0.0), 1.0);
    return vec3_length(vec3_madd(start, path, at)) >= AROUND * radius ? -distance : distance;
}

static CordVec3 sides_separation(int part, const CordVec3 a[2], const CordVec3 b[2])
{
    switch (part) {
    case 1: return closest_point_segment(a[0], b[0], b[1]).separation;
    case 2: return closest_point_segment(a[1], b[0], b[1]).separation;
    case 3: return vec3_mul(closest_point_segment(b[0], a[0], a[1]).separation, -1.0);
    case 4: return vec3_mul(closest_point_segment(b[1], a[0], a[1]).separation, -1.0);
    default: return closest_segment_segment(a[0], a[1], b[0], b[1]).separation;
    }
}

double segments_gap(int part, CordVec3 n, const CordVec3 a[2], const CordVec3 b[2])
{
    return signed_distance(sides_separation(part, a, b), n);
}

#define MOST_SEGMENTS 2 // that a crossing moves along its rods in a step

typedef struct Crossing {
    int segment[2];
    ClosestPoints at;
    double gap; // [m]
} Crossing;

static Crossing crossing_at(const Colliders* cs, int a, int b, CordVec3 n, const CordVec3* x)
{
    const Segment *p = &cs->segments[a], *q = &cs->segments[b];
    Crossing c = {{a, b},
                  .at = closest_segment_segment(x[p->node[0]], x[p->node[1]], x[q->node[0]], x[q->node[1]])};
    c.gap = signed_distance(c.at.separation, n) - p->radius - q->radius;
    return c;
}

// Moves to the next segment of one of the two rods if it is nearer there. False: it is not.
static bool follow_crossing(const Colliders* cs, Crossing* c, int side, CordVec3 n, const CordVec3* x)
{
    double s = side == 0 ? c->at.s : c->at.t;
    int next[2] = {c->segment[0], c->segment[1]};
    next[side] = s > 0.0 && s < 1.0 ? -1 : colliders_neighbour(cs, next[side], s > 0.0 ? 1 : -1);
    if (next[side] < 0 || filter_rejects_segments(cs, next[0], next[1])) {
        return false;
    }
    Crossing there = crossing_at(cs, next[0], next[1], n, x);
    bool nearer = there.gap < c->gap && vec3_dot(there.at.separation, n) > 0.0;
    *c = nearer ? there : *c;
    return nearer;
}

// Rods that have passed through each other are not followed: their distance grows with the overlap.
double crossing_gap(const Colliders* cs, int a, int b, CordVec3 n, const CordVec3* x)
{
    Crossing c = crossing_at(cs, a, b, n, x);
    bool moves = vec3_dot(c.at.separation, n) > 0.0;
    for (int i = 0; i < MOST_SEGMENTS && moves; i++) {
        moves = follow_crossing(cs, &c, 0, n, x) || follow_crossing(cs, &c, 1, n, x);
    }
    return c.gap;
}

static double solid_distance(const Colliders* cs, const ContactPoint* contact, const CordVec3 a[2])
{
    const ColliderSolid* s = &cs->solids[contact->key.b];
    if (contact->key.part == 1) { // the segment's first end, however many pieces it has
        return solid_point(&s->solid, pose_into(&s->to, a[0])).distance;
    }
    int pieces = colliders_pieces(cs, contact->key.a, contact->key.b), i = contact->key.part / CONTACT_PARTS,
        part = contact->key.part % CONTACT_PARTS;
    CordVec3 p = pose_into(&s->to, a[0]), path = vec3_sub(pose_into(&s->to, a[1]), p);
    CordVec3 from = vec3_madd(p, path, (double)i / pieces), to = vec3_madd(p, path, (double)(i + 1) / pieces);
    return part == 0   ? solid_segment(&s->solid, from, to, INFINITY).distance
           : part == 1 ? solid_point(&s->solid, from).distance
                       : solid_point(&s->solid, to).distance;
}

static double triangle_distance(const Colliders* cs, const ContactPoint* contact, const CordVec3 a[2])
{
    const ColliderSolid* s = &cs->solids[contact->key.b];
    const int* corner = s->mesh->triangles + 3 * (contact->key.feature / 2);
    const CordVec3* v = s->mesh->vertices;
    CordVec3 p = pose_into(&s->to, a[contact->key.part]);
    ClosestPoints c = closest_point_triangle(p, v[corner[0]], v[corner[1]], v[corner[2]]);
    return feature_distance(contact, quat_rotate(s->to.rotation, c.separation),
                            cs->segments[contact->key.a].radius);
}

double contact_point_gap(const Colliders* cs, const ContactPoint* contact, const CordVec3* x)
{
    const Segment* g = &cs->segments[contact->key.a];
    CordVec3 a[2] = {x[g->node[0]], x[g->node[1]]};
    if (contact->kind == CONTACT_SEGMENTS) {
        const Segment* o = &cs->segments[contact->key.b];
        CordVec3 b[2] = {x[o->node[0]], x[o->node[1]]};
        return segments_gap(contact->key.part, contact->n, a, b) - g->radius - o->radius;
    }
    if (contact->kind == CONTACT_EDGE) {
        const ColliderSolid* s = &cs->solids[contact->key.b];
        const int* corner = s->mesh->edges + 2 * (contact->key.feature / 2);
        CordVec3 b[2] = {pose_out(&s->to, s->mesh->vertices[corner[0]]),
                         pose_out(&s->to, s->mesh->vertices[corner[1]])};
        return feature_distance(contact, sides_separation(contact->key.part, a, b), g->radius) - g->radius;
    }
    return contact->kind == CONTACT_SOLID ? solid_distance(cs, contact, a) - contact->sagitta - g->radius
                                          : triangle_distance(cs, contact, a) - g->radius;
}
