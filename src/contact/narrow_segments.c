// Finds the contact points of pairs of segments.
#include "contact/narrow_parts.h"
#include "contact/time_of_impact.h"

#define MOST_CROSSING 0.5 // sin^2 of the angle from which on segments always count as crossing
#define ALIKE 1.1         // ratio of lengths of segments that count as equally long
// Over the radius: a pair that starts farther apart counts only if its paths meet: one that passes at a
// distance would seem to have passed through itself, as seen along the normal of its start.
#define FAR 0.5
// Likewise: it touches where its paths first meet, since the normal of its start is not that of the contact.
// Impulses that are not along the normal of the start change the angular momentum.
#define FARTHEST 2.0

// ---- segment against segment, or edge of a mesh

// Sets normal, gap and arms. `separation` points from the point on b to the point on a.
static void set_geometry(ContactPoint* contact, CordVec3 separation, double distance, double radius_a,
                         double radius_b)
{
    contact->n = vec3_mul(separation, 1.0 / distance);
    contact->gap = distance - radius_a - radius_b;
    contact->arm[0] = vec3_mul(contact->n, -(radius_a + 0.5 * contact->gap));
    contact->arm[1] = vec3_mul(contact->n, radius_b + 0.5 * contact->gap);
}

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
    narrow_add_contact(f, &contact);
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

void narrow_test_sides(NarrowPhase* f, ContactPoint* contact, const Side* a, const Side* b,
                       const ClosestPoints* c)
{
    double radii = a->radius + b->radius;
    narrow_note_gap(f, contact, c->distance - radii, c->s, c->t);
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
    contact->waits = has_to_wait(f, contact, radii);
    if (crosses) {
        narrow_add_contact(f, contact);
        return;
    }
    for (int part = 1; part <= 4; part++) {
        add_end(f, contact, a, b, part);
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

static double reach_of(const Colliders* cs, const ContactLaw* law, int a, int b)
{
    double spare = law->gap * real_min(cs->segments[a].radius, cs->segments[b].radius);
    return law->travel ? law->travel[a] + law->travel[b] + spare : spare;
}

void narrow_test_pair(NarrowPhase* f, SegmentPair* pair, const ClosestPoints* at)
{
    double reach = reach_of(f->colliders, f->law, pair->a, pair->b);
    double radius = real_min(f->colliders->segments[pair->a].radius, f->colliders->segments[pair->b].radius);
    bool moves = f->law->moves;
    double spare = f->law->gap * radius;
    Side a = side_of(f, pair->a), b = side_of(f, pair->b);
    ClosestPoints c = *at;
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
    ContactPoint* contact = &f->between_rods;
    contact->key = (ContactKey){pair->a, pair->b, 0, 0};
    contact->radius = radius;
    contact->time = time;
    contact->reach = reach;
    narrow_test_sides(f, contact, &a, &b, &c);
}
