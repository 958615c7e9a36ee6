// Finds the contact points of segments with solids and meshes.
#include "contact/narrow_parts.h"

#include <stdlib.h>

// Over the radius: a segment that bridges a solid by more is long beside it, and is pushed at its closest
// point. A push on a node is off the true contact by up to half a segment; but if it is moved from one node
// to the next, the surfaces move by no more than the sagitta, and this bound makes that a part of a radius.
#define MOST_SAGITTA 0.25
// Cosine of the angle between the normals at the ends of a segment that pushes at its nodes. About a sharp
// edge they differ, and the sagitta changes as fast as the segment moves, so that it cannot be frozen.
#define LEAST_COSINE 0.95

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

static double solid_reach(const Colliders* cs, const ContactLaw* law, int segment, int solid)
{
    double spare = law->gap * cs->segments[segment].radius;
    return law->travel ? travel_to_solid(cs, segment, solid) + spare : spare;
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
    narrow_add_contact(f, &contact);
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
    narrow_note_gap(f, contact, least.distance - contact->radius, at, 0.0);
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
    b->reach = solid_reach(f->colliders, f->law, segment, solid);
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
    return b->least.distance - f->colliders->segments[b->segment].radius < b->reach;
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

void narrow_test_solid(NarrowPhase* f, const SolidPair* pair)
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
    narrow_note_gap(f, &contact, bridge->least.distance - side.radius, bridge->least.s, 0.0);
    if (is_near(f, bridge)) {
        test_nodes(f, &contact);
    }
}

// ---- segment against mesh

void narrow_test_triangle(NarrowPhase* f, const MeshPair* pair)
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
        narrow_note_gap(f, &contact, c.distance - side.radius, (double)k, 0.0);
        if (c.distance - side.radius < contact.reach && c.distance > 0.0) {
            SolidPoint at = {.distance = c.distance, .normal = vec3_mul(c.separation, 1.0 / c.distance)};
            add_solid_contact(f, &contact, &at, (double)k, k);
        }
    }
}

void narrow_test_edge(NarrowPhase* f, const MeshPair* pair)
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
    narrow_test_sides(f, &contact, &a, &b, &c);
    int end = f->out->count < f->out->capacity ? f->out->count : f->out->capacity;
    for (int i = first; i < end; i++) { // arms of a mesh start at its origin
        ContactPoint* t = &f->out->all[i];
        CordVec3 point = vec3_add(along(&a, t->s), t->arm[0]);
        t->arm[1] = vec3_sub(point, solid->to.point);
    }
}
