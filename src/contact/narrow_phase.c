#include "contact/narrow_phase.h"

#include "base/real.h"
#include "contact/time_of_impact.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CROSSING 0.5 // sin^2 of the angle from which on segments always count as crossing
#define ALIKE 1.1         // ratio of lengths of segments that count as equally long
// Over the radius: a segment that bridges a solid by more is long beside it, and is pushed at its closest
// point. A push on a node is off the true contact by up to half a segment; but if it is moved from one node
// to the next, the surfaces move by no more than the sagitta, and this bound makes that a part of a radius.
#define MOST_SAGITTA 0.25
// Cosine of the angle between the normals at the ends of a segment that pushes at its nodes. About a sharp
// edge they differ, and the sagitta changes as fast as the segment moves, so that it cannot be frozen.
#define LEAST_COSINE 0.95
// Over the radius: a pair that starts farther apart counts only if its paths meet: one that passes at a
// distance would seem to have passed through itself, as seen along the normal of its start.
#define FAR 0.5
// Likewise: it touches where its paths first meet, since the normal of its start is not that of the contact.
// Impulses that are not along the normal of the start change the angular momentum.
#define FARTHEST 2.0

// Over the radius: how deep rods may sink into compliant obstacles, which else they might pass.
#define MOST_SINK 0.9

// ---- reach

// Path length of the segment over the whole step, seen from the solid.
static double travel_to_solid(const Colliders* cs, int segment, int solid)
{
    const ColliderSolid* s = &cs->solids[solid];
    double most = 0.0;
    for (int k = 0; k < 2; k++) {
        int n = cs->segments[segment].node[k];
        most = real_max(
            most, vec3_length(vec3_sub(pose_into(&s->goal, cs->to[n]), pose_into(&s->begin, cs->begin[n]))));
    }
    return most;
}

static double reach_of(const Colliders* cs, const ContactLaw* law, int a, int b)
{
    double spare = law->gap * real_min(cs->segments[a].radius, cs->segments[b].radius);
    return law->travel ? law->travel[a] + law->travel[b] + spare : spare;
}

static double solid_reach(const Colliders* cs, const ContactLaw* law, int segment, int solid)
{
    double spare = law->gap * cs->segments[segment].radius;
    return law->travel ? travel_to_solid(cs, segment, solid) + spare : spare;
}

// ---- collecting

// A segment near a solid.
typedef struct Bridge {
    int segment, solid;
    SolidPoint end[2];
    SolidPoint least;        // of the whole segment
    double sagitta;          // of the nearer end above the closest point [m]
    double sagitta_at_start; // of the step
    bool is_short;           // it pushes at its nodes
} Bridge;

#define BRIDGES 4 // consecutive segments whose bridges are kept

typedef struct NarrowPhase { // of a range of the candidates
    ContactPoints* out;
    const Colliders* colliders;
    const CordVec3* x;
    const ContactLaw* law;
    Bridge bridges[BRIDGES];
} NarrowPhase;

static void note_gap(NarrowPhase* f, const ContactPoint* contact, double gap, double s, double t)
{
    bool gives =
        contact->kind != CONTACT_SEGMENTS && solid_is_compliant(&f->colliders->solids[contact->key.b]);
    f->out->deepest = real_max(f->out->deepest, -gap / contact->radius - (gives ? MOST_SINK : 0.0));
    if (gap < f->out->nearest) {
        f->out->nearest = gap;
        f->out->worst = *contact;
        f->out->worst.s = s, f->out->worst.t = t, f->out->worst.gap = gap;
    }
}

double contact_points_depth(const ContactPoints* points, const Colliders* cs, bool* soft)
{
    const ContactPoint* worst = &points->worst;
    bool found = points->deepest > 0.0 && worst->kind != CONTACT_SEGMENTS;
    *soft = found && solid_is_compliant(&cs->solids[worst->key.b]) && -worst->gap > MOST_SINK * worst->radius;
    return *soft ? -worst->gap / worst->radius : points->deepest;
}

// Those that the list has no room for are counted only: see fill_lists.
static void add_contact(NarrowPhase* f, const ContactPoint* contact)
{
    ContactPoints* ts = f->out;
    if (contact->gap >= contact->reach) {
        return;
    }
    if (ts->count < ts->capacity) {
        ts->all[ts->count] = *contact;
    }
    ts->count++;
}

typedef struct Side { // a segment of a rod, or an edge of a mesh
    CordVec3 p, q;
    double radius;
    double rest_len; // independent of p and q [m]
} Side;

static Side side_of(const NarrowPhase* f, int segment)
{
    const Segment* g = &f->colliders->segments[segment];
    return (Side){f->x[g->node[0]], f->x[g->node[1]], g->radius, g->arc[1] - g->arc[0]};
}

static CordVec3 along(const Side* s, double at)
{
    return vec3_madd(vec3_mul(s->p, 1.0 - at), s->q, at);
}

// Sets normal, gap and arms. `separation` points from the point on b to the point on a.
static void set_geometry(ContactPoint* contact, CordVec3 separation, double distance, double radius_a,
                         double radius_b)
{
    contact->n = vec3_mul(separation, 1.0 / distance);
    contact->gap = distance - radius_a - radius_b;
    contact->arm[0] = vec3_mul(contact->n, -(radius_a + 0.5 * contact->gap));
    contact->arm[1] = vec3_mul(contact->n, radius_b + 0.5 * contact->gap);
}

static void set_axis(ContactPoint* contact, int side, CordVec3 e)
{
    double len = vec3_length(e);
    contact->axis[side] = vec3_mul(e, 1.0 / len);
    contact->inv_len[side] = 1.0 / len;
}

static bool owns_end(const Colliders* cs, int segment, int end)
{
    return cs->segments[segment].owner[end] == segment;
}

// By how much a segment may be closer to another, or to a solid, than its ends, where these are held off
// instead of it [m].
static double dip_of(const ContactLaw* law, double radius)
{
    return 0.25 * law->tolerance * radius;
}

// ---- segment against segment, or edge of a mesh

// Each node counts once: of the two segments that share an end, and of the two that meet at the point closest
// to an end, one is chosen. `at` is that point's parameter on the other segment.
static bool is_counted_once(const NarrowPhase* f, const ContactPoint* contact, int part, double at)
{
    bool of_a = part <= 2, starts = part == 1 || part == 3;
    int own = of_a ? contact->key.a : contact->key.b, other = of_a ? contact->key.b : contact->key.a;
    bool other_is_rod = of_a ? contact->kind == CONTACT_SEGMENTS : true;
    bool own_is_rod = of_a || contact->kind == CONTACT_SEGMENTS;
    bool inside = at > 0.0 && at < 1.0;
    return (!own_is_rod || owns_end(f->colliders, own, starts ? 0 : 1)) &&
           (!other_is_rod || inside || owns_end(f->colliders, other, at > 0.0));
}

// Where sagittas are measured, and choices made that must not change while a step is solved.
static const CordVec3* shape_of(const NarrowPhase* f)
{
    return f->law->shape ? f->law->shape : f->colliders->begin;
}

// How far the end of a segment sticks out along n beyond its two neighbours [m]; INFINITY: it ends its rod.
static double corner_height(const NarrowPhase* f, int segment, int end, CordVec3 n)
{
    const Segment* g = &f->colliders->segments[segment];
    int other = colliders_neighbour(f->colliders, segment, end == 0 ? -1 : 1);
    if (other < 0) {
        return INFINITY;
    }
    const CordVec3* at = f->law->frozen ? shape_of(f) : f->x;
    CordVec3 x = at[g->node[end]], p = at[g->node[1 - end]], q = at[f->colliders->segments[other].node[end]];
    return vec3_dot(n, vec3_sub(x, vec3_mul(vec3_add(p, q), 0.5)));
}

// Of two segments that lie side by side, the nodes of the shorter one are held off the longer one, and those
// of a if they are alike. To hold the nodes of both would be twice as many constraints as there are ways to
// move, which makes impulses ambiguous and sweeps slow. Corners that stick out are always held off. Implicit
// steps solve for ambiguous forces as well, and need all nodes where rods bend sharply around each other.
static bool is_redundant(const NarrowPhase* f, const ContactPoint* contact, int part, const Side* a,
                         const Side* b)
{
    bool of_a = part <= 2, a_holds = a->rest_len <= ALIKE * b->rest_len;
    if (contact->kind != CONTACT_SEGMENTS || of_a == a_holds) {
        return false;
    }
    int segment = of_a ? contact->key.a : contact->key.b, end = part == 1 || part == 3 ? 0 : 1;
    CordVec3 n = vec3_mul(contact->n, of_a ? -1.0 : 1.0);
    return corner_height(f, segment, end, n) <= dip_of(f->law, contact->radius);
}

#define SAME_PLACE 1e-3 // over the radius: nodes so close to each other along the rods face each other

// Do an end of b and one of a face each other? They are one contact, that of a.
static bool faces_end(const Side* a, const Side* b, int part, double s)
{
    if (part <= 2) {
        return false;
    }
    double far = SAME_PLACE * real_min(a->radius, b->radius), end = s < 0.5 ? 0.0 : 1.0,
           t = closest_on_segment(end == 0.0 ? a->p : a->q, b->p, b->q);
    return fabs(s - end) * a->rest_len <= far && fabs(t - (part == 3 ? 0.0 : 1.0)) * b->rest_len <= far;
}

static void add_end(NarrowPhase* f, const ContactPoint* pair, const Side* a, const Side* b, int part)
{
    double end = part == 1 || part == 3 ? 0.0 : 1.0, s = end, t = end;
    if (part <= 2) {
        t = closest_on_segment(part == 1 ? a->p : a->q, b->p, b->q);
    } else {
        s = closest_on_segment(part == 3 ? b->p : b->q, a->p, a->q);
    }
    CordVec3 separation = vec3_sub(along(a, s), along(b, t));
    double distance = vec3_length(separation);
    if (distance - a->radius - b->radius >= pair->reach || distance == 0.0 ||
        is_redundant(f, pair, part, a, b) || !is_counted_once(f, pair, part, part <= 2 ? t : s) ||
        (f->law->frozen && faces_end(a, b, part, s))) {
        return;
    }
    ContactPoint contact = *pair;
    contact.key.part = part;
    contact.s = s, contact.t = t;
    set_geometry(&contact, separation, distance, a->radius, b->radius);
    add_contact(f, &contact);
}

// The choice between closest points and ends must not change while a step is solved, so it is made by the
// directions of the segments where sagittas are measured.
static CordVec3 crossing_of(const NarrowPhase* f, const ContactPoint* contact)
{
    if (!f->law->frozen || contact->kind != CONTACT_SEGMENTS) {
        return vec3_cross(contact->axis[0], contact->axis[1]);
    }
    CordVec3 axis[2];
    for (int k = 0; k < 2; k++) {
        const int* node = f->colliders->segments[k == 0 ? contact->key.a : contact->key.b].node;
        axis[k] = vec3_unit(vec3_sub(shape_of(f)[node[1]], shape_of(f)[node[0]]));
    }
    return vec3_cross(axis[0], axis[1]);
}

// Is the closest point of a pair at an end of `segment` counted by the segment that it shares this end with?
// It is if the distance falls along that one, and of two that meet at their closest points the first is.
static bool next_counts(const NarrowPhase* f, int segment, int other, double at, CordVec3 n)
{
    if (at > 0.0 && at < 1.0) {
        return false;
    }
    int end = at > 0.0, next = colliders_neighbour(f->colliders, segment, end == 0 ? -1 : 1);
    if (next < 0 || filter_rejects_segments(f->colliders, next, other)) {
        return false;
    }
    const int* node = f->colliders->segments[next].node;
    return end == 1 || vec3_dot(n, vec3_sub(f->x[node[0]], f->x[node[1]])) < 0.0;
}

static bool neighbour_counts(const NarrowPhase* f, const ContactPoint* contact)
{
    return f->law->travel && contact->kind == CONTACT_SEGMENTS &&
           (next_counts(f, contact->key.a, contact->key.b, contact->s, contact->n) ||
            next_counts(f, contact->key.b, contact->key.a, contact->t, vec3_mul(contact->n, -1.0)));
}

// In a long step, contacts that yield wait until those that they yield to are solved for. A pair that still
// overlaps then is not the same crossing, and counts.
static bool has_to_wait(const NarrowPhase* f, const ContactPoint* contact, double radii)
{
    const int *a = f->colliders->segments[contact->key.a].node,
              *b = f->colliders->segments[contact->key.b].node;
    const CordVec3* x = f->colliders->to;
    return f->law->coarse && contact->yields &&
           (!f->law->settled || closest_segment_segment(x[a[0]], x[a[1]], x[b[0]], x[b[1]]).distance >
                                    radii - f->law->tolerance * contact->radius);
}

static void test_sides(NarrowPhase* f, ContactPoint* contact, const Side* a, const Side* b,
                       const ClosestPoints* c)
{
    double radii = a->radius + b->radius;
    note_gap(f, contact, c->distance - radii, c->s, c->t);
    if (c->distance - radii >= contact->reach || c->distance == 0.0) {
        return;
    }
    set_axis(contact, 0, vec3_sub(a->q, a->p));
    set_axis(contact, 1, vec3_sub(b->q, b->p));
    contact->s = c->s, contact->t = c->t;
    set_geometry(contact, c->separation, c->distance, a->radius, b->radius);
    CordVec3 cross = crossing_of(f, contact);
    double dip = dip_of(f->law, contact->radius), half = 0.5 * real_min(a->rest_len, b->rest_len);
    bool crosses = vec3_dot(cross, cross) >= real_min(MOST_CROSSING, 2.0 * dip * radii / (half * half));
    contact->yields = crosses && neighbour_counts(f, contact);
    if (has_to_wait(f, contact, radii)) {
        return;
    }
    if (crosses) {
        add_contact(f, contact);
        return;
    }
    for (int part = 1; part <= 4; part++) {
        add_end(f, contact, a, b, part);
    }
}

// Is a pair too far apart to matter? Pairs within twice the reach are kept, since the smallest gap is
// reported.
static bool are_far(const ClosestPoints* c, double radii, double reach, double radius)
{
    return c->distance - radii >= 2.0 * reach + 1e-3 * radius;
}

// Pairs with wider gaps are too far apart, or do not move towards each other so far.
static void find_clear(const Colliders* cs, const ContactLaw* law)
{
    for (int i = 0; i < cs->segment_count; i++) {
        double radius = cs->segments[i].radius, travel = law->travel ? law->travel[i] : 0.0,
               spare = 0.5 * law->gap * radius; // half of a pair's, or more
        cs->clear[i] = cs->travel[i] + cs->away[i] +
                       (law->moves ? cs->motion[i] + spare : 2.0 * (travel + spare) + 0.5e-3 * radius);
    }
}

// The time at which the pair comes within `near` on its way; 1: it does not. Moves the sides to there.
static double go_to_impact(const NarrowPhase* f, const SegmentPair* pair, double near, Side* a, Side* b)
{
    const Colliders* cs = f->colliders;
    const int *i = cs->segments[pair->a].node, *j = cs->segments[pair->b].node;
    MovingPoint p[2] = {{a->p, cs->to[i[0]]}, {a->q, cs->to[i[1]]}},
                q[2] = {{b->p, cs->to[j[0]]}, {b->q, cs->to[j[1]]}};
    double time = segments_time_of_impact(p, q, near);
    a->p = vec3_madd(a->p, vec3_sub(p[0].to, a->p), time);
    a->q = vec3_madd(a->q, vec3_sub(p[1].to, a->q), time);
    b->p = vec3_madd(b->p, vec3_sub(q[0].to, b->p), time);
    b->q = vec3_madd(b->q, vec3_sub(q[1].to, b->q), time);
    return time;
}

static void test_pair(NarrowPhase* f, SegmentPair* pair)
{
    double reach = reach_of(f->colliders, f->law, pair->a, pair->b);
    double radius = real_min(f->colliders->segments[pair->a].radius, f->colliders->segments[pair->b].radius);
    bool moves = f->law->moves;
    double spare = f->law->gap * radius;
    if (moves && pair_gap_bound(f->colliders, pair) >= reach) {
        return;
    }
    Side a = side_of(f, pair->a), b = side_of(f, pair->b);
    ClosestPoints c = closest_segment_segment(a.p, a.q, b.p, b.q);
    double radii = a.radius + b.radius, gap = c.distance - radii, time = 0.0;
    pair_note_gap(f->colliders, pair, gap);
    if (moves) {
        reach = gap > spare ? pair_relative_path(f->colliders, pair, f->colliders->begin) + spare : reach;
        if (gap >= reach) {
            return;
        }
        if (gap > FAR * radius) {
            if (!pair_may_meet(f->colliders, pair, f->colliders->begin, radii + spare)) {
                return;
            }
            Side p = a, q = b;
            f->out->left_out |= f->law->at_hand;
            time = f->law->at_hand ? 1.0 : go_to_impact(f, pair, radii + spare, &p, &q);
            if (time >= 1.0) {
                return;
            }
            if (gap > FARTHEST * radius) {
                a = p, b = q;
                c = closest_segment_segment(a.p, a.q, b.p, b.q);
            }
        }
    } else if (are_far(&c, radii, reach, radius)) {
        return;
    }
    ContactPoint contact = {.key = {pair->a, pair->b, 0, 0},
                            .kind = CONTACT_SEGMENTS,
                            .radius = radius,
                            .time = time,
                            .reach = reach};
    test_sides(f, &contact, &a, &b, &c);
}

// ---- segment against solid

static void set_solid_geometry(ContactPoint* contact, const NarrowPhase* f, const SolidPoint* at, double s)
{
    const ColliderSolid* solid = &f->colliders->solids[contact->key.b];
    CordVec3 axis_point = colliders_axis_point(f->colliders, f->x, contact->key.a, s);
    contact->s = s;
    contact->n = quat_rotate(solid->to.rotation, at->normal);
    contact->gap = at->distance - contact->radius - contact->sagitta;
    contact->arm[0] = vec3_mul(contact->n, -(contact->radius + 0.5 * contact->gap));
    contact->arm[1] = vec3_sub(vec3_add(axis_point, contact->arm[0]), solid->to.point);
}

static void add_solid_contact(NarrowPhase* f, const ContactPoint* pair, const SolidPoint* at, double s,
                              int part)
{
    ContactPoint contact = *pair;
    contact.key.part = part;
    set_solid_geometry(&contact, f, at, s);
    add_contact(f, &contact);
}

typedef struct Piece { // of a segment: its ends in the solid's axes, and its parameters on the segment
    CordVec3 p, q;
    double from, to;
    int first_part;
    bool ends; // its second end counts here; otherwise the next piece or segment counts it
} Piece;

// How much nearer to the solid the middle of a piece is than its ends, where choices are made.
static double bow_of(const NarrowPhase* f, const ContactPoint* contact, const Piece* piece)
{
    const ColliderSolid* solid = &f->colliders->solids[contact->key.b];
    const Pose* pose = f->law->shape ? &solid->to : &solid->begin;
    const int* node = f->colliders->segments[contact->key.a].node;
    CordVec3 p = pose_into(pose, shape_of(f)[node[0]]),
             e = vec3_sub(pose_into(pose, shape_of(f)[node[1]]), p);
    double distance[3];
    for (int k = 0; k < 3; k++) {
        double at = piece->from + 0.5 * k * (piece->to - piece->from);
        distance[k] = solid_point(&solid->solid, vec3_madd(p, e, at)).distance;
    }
    return 0.5 * (distance[0] + distance[2]) - distance[1];
}

static void test_piece(NarrowPhase* f, const ContactPoint* contact, const Piece* piece)
{
    const ColliderSolid* solid = &f->colliders->solids[contact->key.b];
    double far = contact->radius + contact->reach, half = 0.5 * vec3_length(vec3_sub(piece->q, piece->p));
    SolidPoint mid = solid_point(&solid->solid, vec3_mul(vec3_add(piece->p, piece->q), 0.5));
    if (mid.distance - half >= far) {
        return;
    }
    SolidPoint least = solid_segment(&solid->solid, piece->p, piece->q, far);
    double at = piece->from + least.s * (piece->to - piece->from);
    note_gap(f, contact, least.distance - contact->radius, at, 0.0);
    if (least.distance >= far) {
        return;
    }
    SolidPoint end[2] = {solid_point(&solid->solid, piece->p), solid_point(&solid->solid, piece->q)};
    double bow = 0.5 * (end[0].distance + end[1].distance) - mid.distance;
    if (f->law->frozen) {
        bow = bow_of(f, contact, piece);
    }
    if (bow >= dip_of(f->law, contact->radius)) {
        add_solid_contact(f, contact, &least, at, piece->first_part);
        return;
    }
    for (int k = 0; k < (piece->ends ? 2 : 1); k++) {
        add_solid_contact(f, contact, &end[k], k == 0 ? piece->from : piece->to, piece->first_part + k + 1);
    }
}

// ---- nodes against solids
//
// Contacts in the middles of neighbouring segments leave the zigzag of nodes free, which friction excites,
// and alternating pushes cancel at the nodes between them, so that impulses are not unique. Where segments
// are short beside the solid, it therefore pushes nodes. If d0 and d1 are the distances of a segment's ends
// and d is its own, it touches once the nearer end is its sagitta, min(d0, d1) - d, above touch. A node's gap
// counts the larger sagitta of its two segments, which is measured at the start of the step.

static double sagitta_of(const NarrowPhase* f, int segment, int solid, const CordVec3* x, const Pose* pose,
                         double* bow, double* cosine)
{
    const CordSolid* s = &f->colliders->solids[solid].solid;
    const int* node = f->colliders->segments[segment].node;
    CordVec3 p = pose_into(pose, x[node[0]]), q = pose_into(pose, x[node[1]]);
    SolidPoint at0 = solid_point(s, p), at1 = solid_point(s, q);
    double d0 = at0.distance, d1 = at1.distance, mid = solid_point(s, vec3_mul(vec3_add(p, q), 0.5)).distance;
    *cosine = vec3_dot(at0.normal, at1.normal);
    double sagitta = real_max(0.0, real_min(d0, d1) - solid_segment(s, p, q, INFINITY).distance);
    *bow = real_max(sagitta, 0.5 * (d0 + d1) - mid);
    return sagitta;
}

static const Bridge* bridge_of(NarrowPhase* f, int segment, int solid)
{
    Bridge* b = &f->bridges[segment % BRIDGES];
    if (b->segment == segment && b->solid == solid) {
        return b;
    }
    const ColliderSolid* s = &f->colliders->solids[solid];
    Side side = side_of(f, segment);
    CordVec3 p = pose_into(&s->to, side.p), q = pose_into(&s->to, side.q);
    double mid = solid_point(&s->solid, vec3_mul(vec3_add(p, q), 0.5)).distance;
    b->segment = segment, b->solid = solid;
    b->end[0] = solid_point(&s->solid, p), b->end[1] = solid_point(&s->solid, q);
    b->least = solid_segment(&s->solid, p, q, INFINITY);
    b->sagitta = b->sagitta_at_start =
        real_max(0.0, real_min(b->end[0].distance, b->end[1].distance) - b->least.distance);
    double bow = real_max(b->sagitta, 0.5 * (b->end[0].distance + b->end[1].distance) - mid);
    double cosine = vec3_dot(b->end[0].normal, b->end[1].normal);
    if (f->law->frozen && f->x != f->colliders->begin) { // iterates share the sagitta of the start
        b->sagitta = b->sagitta_at_start =
            sagitta_of(f, segment, solid, f->colliders->begin, &s->begin, &bow, &cosine);
    }
    if (f->law->shape) { // or of a later shape
        b->sagitta = sagitta_of(f, segment, solid, f->law->shape, &s->to, &bow, &cosine);
    }
    b->is_short = bow <= MOST_SAGITTA * side.radius && colliders_pieces(f->colliders, segment, solid) == 1 &&
                  cosine >= LEAST_COSINE;
    return b;
}

static int compare_solid_pairs(const void* p, const void* q)
{
    const SolidPair *a = p, *b = q;
    int first = (a->solid > b->solid) - (a->solid < b->solid);
    return first != 0 ? first : (a->segment > b->segment) - (a->segment < b->segment);
}

static bool is_near(const NarrowPhase* f, const Bridge* b)
{
    double reach = solid_reach(f->colliders, f->law, b->segment, b->solid);
    return b->least.distance - f->colliders->segments[b->segment].radius < reach;
}

// Does the segment push its own nodes?
static bool pushes_nodes(NarrowPhase* f, int segment, int solid)
{
    const Colliders* cs = f->colliders;
    SolidPair pair = {segment, solid};
    if (!bsearch(&pair, cs->solid_pairs, (size_t)cs->solid_pair_count, sizeof pair, compare_solid_pairs)) {
        return false;
    }
    const Bridge* b = bridge_of(f, segment, solid);
    return b->is_short && is_near(f, b);
}

// Adds the contact of a segment's end. Its key is that of the segment after the node, where there is one.
static void add_node(NarrowPhase* f, const ContactPoint* pair, int end)
{
    const Colliders* cs = f->colliders;
    int solid = pair->key.b, own = pair->key.a, other = colliders_neighbour(cs, own, end == 0 ? -1 : 1);
    ContactPoint contact = *pair;
    SolidPoint at = bridge_of(f, own, solid)->end[end];
    double touch = bridge_of(f, own, solid)->sagitta + contact.radius,
           at_start = bridge_of(f, own, solid)->sagitta_at_start + contact.radius;
    if (end == 1 && other >= 0) {
        contact.key.a = other;
        contact.radius = cs->segments[other].radius;
    }
    if (other >= 0 && bridge_of(f, other, solid)->is_short) {
        touch = real_max(touch, bridge_of(f, other, solid)->sagitta + cs->segments[other].radius);
        at_start =
            real_max(at_start, bridge_of(f, other, solid)->sagitta_at_start + cs->segments[other].radius);
    }
    int last = end == 1 && other < 0;
    Side side = side_of(f, contact.key.a);
    set_axis(&contact, 0, vec3_sub(side.q, side.p));
    contact.sagitta = touch - contact.radius;
    contact.sagitta_at_start = at_start - contact.radius;
    add_solid_contact(f, &contact, &at, last, 1 + last);
}

static void test_nodes(NarrowPhase* f, const ContactPoint* pair)
{
    for (int end = 0; end < 2; end++) {
        int owner = f->colliders->segments[pair->key.a].owner[end];
        if (owner == pair->key.a || !pushes_nodes(f, owner, pair->key.b)) {
            add_node(f, pair, end);
        }
    }
}

// ---- both

static void test_pieces(NarrowPhase* f, const ContactPoint* contact, CordVec3 p, CordVec3 q)
{
    int segment = contact->key.a, pieces = colliders_pieces(f->colliders, segment, contact->key.b);
    for (int i = 0; i < pieces; i++) {
        double from = (double)i / pieces, to = i + 1 < pieces ? (double)(i + 1) / pieces : 1.0;
        Piece piece = {vec3_madd(p, vec3_sub(q, p), from),
                       vec3_madd(p, vec3_sub(q, p), to),
                       from,
                       to,
                       CONTACT_PARTS * i,
                       i + 1 == pieces && owns_end(f->colliders, segment, 1)};
        piece.q = i + 1 == pieces ? q : piece.q;
        test_piece(f, contact, &piece);
    }
}

static void test_solid(NarrowPhase* f, const SolidPair* pair)
{
    const ColliderSolid* solid = &f->colliders->solids[pair->solid];
    Side side = side_of(f, pair->segment);
    CordVec3 p = pose_into(&solid->to, side.p), q = pose_into(&solid->to, side.q);
    ContactPoint contact = {.key = {pair->segment, pair->solid, 0, 0},
                            .kind = CONTACT_SOLID,
                            .radius = side.radius,
                            .reach = solid_reach(f->colliders, f->law, pair->segment, pair->solid)};
    double far = side.radius + contact.reach, half = 0.5 * vec3_length(vec3_sub(q, p));
    if (solid_point(&solid->solid, vec3_mul(vec3_add(p, q), 0.5)).distance - half >= far) {
        return;
    }
    set_axis(&contact, 0, vec3_sub(side.q, side.p));
    const Bridge* bridge = bridge_of(f, pair->segment, pair->solid);
    if (!bridge->is_short) {
        test_pieces(f, &contact, p, q);
        return;
    }
    note_gap(f, &contact, bridge->least.distance - side.radius, bridge->least.s, 0.0);
    if (is_near(f, bridge)) {
        test_nodes(f, &contact);
    }
}

// ---- segment against mesh

static void test_triangle(NarrowPhase* f, const MeshPair* pair)
{
    const ColliderSolid* solid = &f->colliders->solids[pair->solid];
    const int* corner = solid->mesh->triangles + 3 * pair->feature;
    const CordVec3* v = solid->mesh->vertices;
    Side side = side_of(f, pair->segment);
    ContactPoint contact = {.key = {pair->segment, pair->solid, 2 * pair->feature, 0},
                            .kind = CONTACT_TRIANGLE,
                            .radius = side.radius,
                            .reach = solid_reach(f->colliders, f->law, pair->segment, pair->solid)};
    set_axis(&contact, 0, vec3_sub(side.q, side.p));
    for (int k = 0; k < 2; k++) {
        if (!owns_end(f->colliders, pair->segment, k)) {
            continue;
        }
        CordVec3 p = pose_into(&solid->to, k == 0 ? side.p : side.q);
        ClosestPoints c = closest_point_triangle(p, v[corner[0]], v[corner[1]], v[corner[2]]);
        note_gap(f, &contact, c.distance - side.radius, (double)k, 0.0);
        if (c.distance - side.radius < contact.reach && c.distance > 0.0) {
            SolidPoint at = {.distance = c.distance, .normal = vec3_mul(c.separation, 1.0 / c.distance)};
            add_solid_contact(f, &contact, &at, (double)k, k);
        }
    }
}

static void test_edge(NarrowPhase* f, const MeshPair* pair)
{
    const ColliderSolid* solid = &f->colliders->solids[pair->solid];
    const int* corner = solid->mesh->edges + 2 * pair->feature;
    Side a = side_of(f, pair->segment);
    Side b = {.p = pose_out(&solid->to, solid->mesh->vertices[corner[0]]),
              .q = pose_out(&solid->to, solid->mesh->vertices[corner[1]])};
    b.rest_len = vec3_length(vec3_sub(b.q, b.p));
    ContactPoint contact = {.key = {pair->segment, pair->solid, 2 * pair->feature + 1, 0},
                            .kind = CONTACT_EDGE,
                            .radius = a.radius,
                            .reach = solid_reach(f->colliders, f->law, pair->segment, pair->solid)};
    int first = f->out->count;
    ClosestPoints c = closest_segment_segment(a.p, a.q, b.p, b.q);
    if (are_far(&c, a.radius, contact.reach, a.radius)) {
        return;
    }
    test_sides(f, &contact, &a, &b, &c);
    int end = f->out->count < f->out->capacity ? f->out->count : f->out->capacity;
    for (int i = first; i < end; i++) { // arms of a mesh start at its origin
        ContactPoint* t = &f->out->all[i];
        CordVec3 point = vec3_add(along(&a, t->s), t->arm[0]);
        t->arm[1] = vec3_sub(point, solid->to.point);
    }
}

// ---- the narrow phase

static bool is_asleep(const Colliders* cs, int segment)
{
    return cs->rods[cs->segments[segment].rod].rod->rest.asleep;
}

// Candidates are pairs of segments, then segments with solids, then segments with features of meshes.
static void test_candidate(NarrowPhase* f, int i)
{
    const Colliders* cs = f->colliders;
    int solid = i - cs->pair_count, feature = solid - cs->solid_pair_count;
    bool all = !f->law->awake;
    if (solid < 0) {
        SegmentPair* pair = &cs->pairs[i];
        if (pair_is_clear(cs, pair)) {
            return;
        }
        if (all || !is_asleep(cs, pair->a) || !is_asleep(cs, pair->b)) {
            test_pair(f, pair);
        }
    } else if (feature < 0) {
        if (all || !is_asleep(cs, cs->solid_pairs[solid].segment)) {
            test_solid(f, &cs->solid_pairs[solid]);
        }
    } else if (all || !is_asleep(cs, cs->mesh_pairs[feature].segment)) {
        const MeshPair* pair = &cs->mesh_pairs[feature];
        (pair->kind == MESH_TRIANGLE ? test_triangle : test_edge)(f, pair);
    }
}

#define LEAST_RANGE 256 // candidates that are worth a task of their own

typedef struct NarrowPhaseTasks {
    ContactPoints* lists; // of the ranges of candidates
    const Colliders* colliders;
    const CordVec3* x;
    const ContactLaw* law;
    ContactPoint* joined;
    int starts[TASKS_RANGES + 1]; // of the lists in `joined`
} NarrowPhaseTasks;

static void find_in_range(void* context, int range, int first, int last)
{
    const NarrowPhaseTasks* t = context;
    ContactPoints* list = &t->lists[range];
    NarrowPhase f = {.out = list, .colliders = t->colliders, .x = t->x, .law = t->law};
    for (int i = 0; i < BRIDGES; i++) {
        f.bridges[i].segment = -1;
    }
    list->count = 0;
    list->left_out = false;
    list->deepest = 0.0;
    list->nearest = INFINITY;
    for (int i = first; i < last; i++) {
        test_candidate(&f, i);
    }
}

static void join_range(void* context, int range)
{
    const NarrowPhaseTasks* t = context;
    const ContactPoints* list = &t->lists[range];
    if (list->count > 0) {
        memcpy(t->joined + t->starts[range], list->all, sizeof *list->all * (size_t)list->count);
    }
}

// Appends the lists of all ranges.
static bool join_lists(Memory* m, ContactPoints* ts, NarrowPhaseTasks* t, int ranges)
{
    ts->count = 0;
    ts->left_out = false;
    ts->deepest = 0.0;
    ts->nearest = INFINITY;
    for (int i = 0; i < ranges; i++) {
        const ContactPoints* list = &t->lists[i];
        t->starts[i] = ts->count;
        ts->count += list->count;
        ts->left_out |= list->left_out;
        ts->deepest = real_max(ts->deepest, list->deepest);
        if (list->nearest < ts->nearest) {
            ts->nearest = list->nearest;
            ts->worst = list->worst;
        }
    }
    if (!memory_reserve(m, (void**)&ts->all, ts->count, &ts->capacity, sizeof *ts->all)) {
        ts->count = 0;
        return false;
    }
    t->joined = ts->all;
    tasks_run(&t->colliders->tasks, join_range, t, ranges);
    return true;
}

// Tasks allocate nothing. A list that was too short is made longer, and filled again.
static bool fill_lists(Memory* m, NarrowPhaseTasks* t, int ranges, int candidates)
{
    tasks_run_ranges(&t->colliders->tasks, ranges, candidates, find_in_range, t);
    for (int i = 0; i < ranges; i++) {
        ContactPoints* list = &t->lists[i];
        if (list->count > list->capacity) {
            if (!memory_reserve(m, (void**)&list->all, list->count, &list->capacity, sizeof *list->all)) {
                list->count = 0;
                return false;
            }
            find_in_range(t, i, tasks_range_start(ranges, candidates, i),
                          tasks_range_start(ranges, candidates, i + 1));
        }
    }
    return true;
}

bool narrow_phase_find(Memory* m, ContactPoints* ts, const Colliders* cs, const CordVec3* x,
                       const ContactLaw* law)
{
    int candidates = cs->pair_count + cs->solid_pair_count + cs->mesh_pair_count,
        ranges = tasks_ranges(&cs->tasks, candidates, LEAST_RANGE);
    NarrowPhaseTasks t = {.lists = ts, .colliders = cs, .x = x, .law = law};
    colliders_find_away(cs, x);
    if (law->moves) {
        colliders_find_paths(cs, cs->begin, cs->to, cs->motion);
    }
    find_clear(cs, law);
    if (ranges == 1) {
        return fill_lists(m, &t, 1, candidates);
    }
    if (!memory_reserve(m, (void**)&ts->ranges, ranges, &ts->range_capacity, sizeof *ts->ranges)) {
        return false;
    }
    t.lists = ts->ranges;
    return fill_lists(m, &t, ranges, candidates) && join_lists(m, ts, &t, ranges);
}

void contact_points_free(Memory* m, ContactPoints* ts)
{
    for (int i = 0; i < ts->range_capacity; i++) {
        memory_array_free(m, ts->ranges[i].all, ts->ranges[i].capacity);
    }
    memory_array_free(m, ts->ranges, ts->range_capacity);
    memory_array_free(m, ts->all, ts->capacity);
    *ts = (ContactPoints){0};
}
