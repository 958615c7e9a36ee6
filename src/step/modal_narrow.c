// Narrow phase of a modal rod against solids, at the end of a step and on the motion there: its nodes, and
// points of its edges that are nearer than both ends.
#include "base/real.h"
#include "base/sort.h"
#include "step/modal_contact.h"

#define MARGIN 0.5     // distance over the radius within which points are kept
#define MOST_PIECES 64 // pieces of an edge
#define DIP 1e-3       // how much nearer than both ends an inner point must be, over the radius
#define SAME_SIDE 0.7  // cosine of normals below which the point passed through the solid

typedef struct MovingContact { // contact of a moving segment with a feature, in the solid's axes
    double gap; // gap at the end [m]; extrapolated from the time of impact if it passed through
    CordVec3 n; // unit
    double s;   // position on the segment
} MovingContact;

typedef struct Closest {
    double distance; // [m]
    CordVec3 n;      // unit
    double s;
} Closest;

typedef struct Feature {    // feature of a solid, in its axes
    const CordSolid* solid; // NULL: the corners below
    // vertices of a triangle, tested against points, or of an edge, tested against segments
    CordVec3 corner[3];
    int corners;
} Feature;

static MovingPoint point_along(const MovingPoint p[2], double s)
{
    return (MovingPoint){vec3_madd(vec3_mul(p[0].from, 1.0 - s), p[1].from, s),
                         vec3_madd(vec3_mul(p[0].to, 1.0 - s), p[1].to, s)};
}

static CordVec3 at_time(const MovingPoint* p, double time)
{
    return vec3_madd(vec3_mul(p->from, 1.0 - time), p->to, time);
}

static Closest find_closest(const Feature* f, CordVec3 a, CordVec3 b, double far)
{
    if (f->solid) {
        SolidPoint p = solid_segment(f->solid, a, b, far);
        return (Closest){p.distance, p.normal, p.s};
    }
    const CordVec3* c = f->corner;
    ClosestPoints near = f->corners == 3 ? closest_point_triangle(a, c[0], c[1], c[2])
                                         : closest_segment_segment(a, b, c[0], c[1]);
    CordVec3 across = f->corners == 3 ? vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]))
                                      : vec3_cross(vec3_sub(b, a), vec3_sub(c[1], c[0]));
    CordVec3 n = near.distance > 0.0       ? vec3_mul(near.separation, 1.0 / near.distance)
                 : vec3_length(across) > 0 ? vec3_unit(across)
                                           : (CordVec3){0, 0, 1};
    return (Closest){near.distance, n, near.s};
}

static double time_of_impact(const Feature* f, const MovingPoint p[2], double near)
{
    if (f->solid) {
        return solid_time_of_impact(f->solid, p, near);
    }
    MovingPoint c[3];
    for (int k = 0; k < f->corners; k++) {
        c[k].from = c[k].to = f->corner[k];
    }
    return f->corners == 3 ? point_triangle_time_of_impact(p, c, near) : segments_time_of_impact(p, c, near);
}

static double largest_motion(const MovingPoint p[2])
{
    return real_max(vec3_length(vec3_sub(p[0].to, p[0].from)), vec3_length(vec3_sub(p[1].to, p[1].from)));
}

// Does the moving segment come nearer than half of its contact distance? If so, the time of impact tells the
// side from which it came.
static bool find_impact(const Feature* f, const MovingPoint p[2], double radius, MovingContact* m)
{
    double motion = largest_motion(p);
    Closest first = find_closest(f, p[0].from, p[1].from, radius + motion);
    double near = 0.5 * real_min(first.distance, radius);
    if (!(first.distance > 0.0) || first.distance - motion >= near) {
        return false;
    }
    double time = time_of_impact(f, p, near);
    if (time >= 1.0) {
        return false;
    }
    Closest met = find_closest(f, at_time(&p[0], time), at_time(&p[1], time), radius + motion);
    MovingPoint at = point_along(p, met.s);
    double on = vec3_dot(met.n, vec3_sub(at.to, at_time(&at, time)));
    *m = (MovingContact){met.distance + on - radius, met.n, met.s};
    return true;
}

// Finds the contact of a moving segment. False: it ends farther away than `far` and did not pass through.
static bool find_contact(const Feature* f, const MovingPoint p[2], double radius, double far,
                         MovingContact* m)
{
    Closest last = find_closest(f, p[0].to, p[1].to, radius + far);
    bool met = find_impact(f, p, radius, m);
    bool through =
        met && !(last.distance > (f->solid ? -INFINITY : 0.0) && vec3_dot(last.n, m->n) > SAME_SIDE);
    if (!through) {
        *m = (MovingContact){last.distance - radius, last.n, last.s};
    }
    return through || m->gap < far;
}

// ---- points

typedef struct NarrowPhase {
    Memory* memory;
    ModalContact* contact;
    bool again, failed;
} NarrowPhase;

static int order_of_points(const void* p, const void* q)
{
    return contact_key_compare(&((const ModalPoint*)p)->key, &((const ModalPoint*)q)->key);
}

static const ModalPoint* find_point(const ModalPoints* points, const ContactKey* key)
{
    int low = 0, high = points->count;
    while (low < high) {
        int middle = (low + high) / 2, order = contact_key_compare(&points->all[middle].key, key);
        if (order == 0) {
            return &points->all[middle];
        }
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

static MovingPoint moving_node(const Colliders* cs, const ColliderSolid* s, int node)
{
    return (MovingPoint){pose_into(&s->begin, cs->begin[node]), pose_into(&s->goal, cs->to[node])};
}

static void add_point(NarrowPhase* l, const ContactKey* key, int edge, double at, double radius,
                      const Feature* f, const MovingContact* m)
{
    ModalPoints* points = &l->contact->points;
    if (!memory_grow(l->memory, (void**)&points->all, points->count, &points->capacity, sizeof(ModalPoint))) {
        l->failed = true;
        return;
    }
    const Colliders* cs = &l->contact->colliders;
    const ColliderSolid* s = &cs->solids[key->b];
    const int* node = cs->segments[edge].node;
    MovingPoint ends[2] = {moving_node(cs, s, node[0]), moving_node(cs, s, node[1])},
                p = point_along(ends, at);
    ModalPoint point = {.key = *key, .edge = edge, .at = at, .radius = radius, .gap = m->gap};
    CordVec3 x = pose_out(&s->goal, p.to);
    point.gap_before = find_closest(f, p.from, p.from, INFINITY).distance - radius;
    point.n = quat_rotate(s->goal.rotation, m->n);
    point.slip = vec3_reject(quat_rotate(s->goal.rotation, vec3_sub(p.to, p.from)), point.n);
    point.carried = vec3_sub(x, pose_out(&s->begin, p.to));
    points->all[points->count++] = point;
}

// Keeps a contact if it is near enough, or carried a force in the previous iteration.
static void test_feature(NarrowPhase* l, const ContactKey* key, const Feature* f, const MovingPoint p[2],
                         double from, double to, double radius, double nearest)
{
    const ModalPoint* before = l->again ? find_point(&l->contact->before, key) : NULL;
    bool stays = before && before->push > 0.0;
    MovingContact m;
    if (!find_contact(f, p, radius, MARGIN * radius, &m) && !stays) {
        return;
    }
    int edge = key->part == 0 ? l->contact->node_edge[key->a] : key->a;
    double at = from + (to - from) * m.s;
    bool inside = at > 0.0 && at < 1.0;
    if (key->part == 0 || (inside && (stays || m.gap < nearest - DIP * radius))) {
        add_point(l, key, edge, at, radius, f, &m);
    }
}

static void test_node(NarrowPhase* l, int segment, int end, int solid, int feature, const Feature* f)
{
    const Colliders* cs = &l->contact->colliders;
    int node = cs->segments[segment].node[end];
    if (l->contact->node_edge[node] != segment) {
        return; // another edge tests this node
    }
    MovingPoint p = moving_node(cs, &cs->solids[solid], node), both[2] = {p, p};
    test_feature(l, &(ContactKey){node, solid, feature, 0}, f, both, (double)end, (double)end,
                 l->contact->node_radius[node], INFINITY);
}

// A segment that is longer than a solid's smallest dimension may touch it in several places. Pieces of half
// that dimension touch it in one.
static int pieces_of(const Segment* g, const CordSolid* solid)
{
    double least = real_max(solid_least_measure(solid), 2.0 * g->radius);
    double pieces = ceil(2.0 * (g->arc[1] - g->arc[0]) / least);
    return pieces < MOST_PIECES ? (int)real_max(pieces, 1.0) : MOST_PIECES;
}

// Gap of the nearer end of an edge at the end of the step, extrapolated if it passed through.
static double end_gap(const Feature* f, const MovingPoint p[2], double radius)
{
    MovingContact m[2];
    for (int k = 0; k < 2; k++) {
        MovingPoint both[2] = {p[k], p[k]};
        find_contact(f, both, radius, INFINITY, &m[k]);
    }
    return real_min(m[0].gap, m[1].gap);
}

static void test_solid(NarrowPhase* l, const SolidPair* pair)
{
    const Colliders* cs = &l->contact->colliders;
    const Segment* g = &cs->segments[pair->segment];
    const ColliderSolid* s = &cs->solids[pair->solid];
    Feature f = {.solid = &s->solid};
    for (int end = 0; end < 2; end++) {
        test_node(l, pair->segment, end, pair->solid, 0, &f);
    }
    if (solid_kind(&s->solid)->kind.is_endless) {
        return; // its nodes are nearer than inner points
    }
    MovingPoint p[2] = {moving_node(cs, s, g->node[0]), moving_node(cs, s, g->node[1])};
    double nearest = end_gap(&f, p, g->radius);
    int pieces = pieces_of(g, &s->solid);
    for (int i = 0; i < pieces; i++) {
        double from = (double)i / pieces, to = (double)(i + 1) / pieces;
        MovingPoint piece[2] = {point_along(p, from), point_along(p, to)};
        test_feature(l, &(ContactKey){pair->segment, pair->solid, 0, i + 1}, &f, piece, from, to, g->radius,
                     nearest);
    }
}

// Tests nodes against triangles, and edges against edges.
static void test_mesh(NarrowPhase* l, const MeshPair* pair)
{
    const Colliders* cs = &l->contact->colliders;
    const Segment* g = &cs->segments[pair->segment];
    const ColliderSolid* s = &cs->solids[pair->solid];
    bool triangle = pair->kind == MESH_TRIANGLE;
    Feature f = {.corners = triangle ? 3 : 2};
    const int* corner =
        triangle ? s->mesh->triangles + 3 * pair->feature : s->mesh->edges + 2 * pair->feature;
    for (int k = 0; k < f.corners; k++) {
        f.corner[k] = s->mesh->vertices[corner[k]];
    }
    if (triangle) {
        test_node(l, pair->segment, 0, pair->solid, 2 * pair->feature, &f);
        test_node(l, pair->segment, 1, pair->solid, 2 * pair->feature, &f);
        return;
    }
    MovingPoint p[2] = {moving_node(cs, s, g->node[0]), moving_node(cs, s, g->node[1])};
    ContactKey key = {pair->segment, pair->solid, 2 * pair->feature + 1, 1};
    test_feature(l, &key, &f, p, 0.0, 1.0, g->radius, INFINITY);
}

bool modal_narrow_phase(Memory* m, ModalContact* t, bool again)
{
    NarrowPhase l = {m, t, again, false};
    t->points.count = 0;
    if (!broad_phase_update(m, &t->colliders)) {
        return false;
    }
    for (int i = 0; i < t->colliders.solid_pair_count; i++) {
        test_solid(&l, &t->colliders.solid_pairs[i]);
    }
    for (int i = 0; i < t->colliders.mesh_pair_count; i++) {
        test_mesh(&l, &t->colliders.mesh_pairs[i]);
    }
    heap_sort(t->points.all, t->points.count, sizeof(ModalPoint), order_of_points);
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* before = find_point(&t->before, &t->points.all[i].key);
        if (before) {
            t->points.all[i].push = before->push, t->points.all[i].friction = before->friction;
        }
    }
    return !l.failed;
}
