#include "contact/friction.h"

#include "base/real.h"
#include "base/sort.h"
#include "contact/chord.h"

#include <stdlib.h>
#include <string.h>

// ---- vectors over the degrees of freedom

bool dof_vector_reserve(Memory* m, DofVector* move, const Colliders* cs, size_t* size)
{
    size_t nodes = (size_t)cs->node_count * 3, segments = (size_t)cs->segment_count,
           solids = 6 * (size_t)cs->solid_count;
    size_t need = sizeof(double) * (nodes + segments + solids);
    if (need > *size) {
        double* block = memory_alloc(m, need);
        if (!block) {
            return false;
        }
        memory_free(m, move->x, *size);
        *size = need;
        move->x = (CordVec3*)block;
    }
    move->spin = (double*)move->x + nodes;
    move->solid = move->spin + segments;
    return true;
}

void dof_vector_free(Memory* m, DofVector* move, size_t* size)
{
    memory_free(m, move->x, *size);
    *move = (DofVector){0};
    *size = 0;
}

void dof_vector_clear(DofVector* move, const Colliders* cs)
{
    size_t count = 3 * (size_t)cs->node_count + (size_t)cs->segment_count + 6 * (size_t)cs->solid_count;
    if (count > 0) {
        memset(move->x, 0, sizeof(double) * count);
    }
}

// ---- the Jacobian

static void set_chord(const Colliders* cs, const CordVec3* x, ContactPoint* contact, int side)
{
    int segment = side == 0 ? contact->key.a : contact->key.b;
    if (chord_is_segment(cs, segment)) {
        return;
    }
    Chord chord = chord_of(cs, x, contact, side);
    contact->chord[side][0] = chord.node[0], contact->chord[side][1] = chord.node[1];
    contact->chord_axis[side] = chord.axis;
    contact->inv_chord[side] = chord.inv_len;
    contact->roll[side] = chord.roll;
}

void contact_point_set_chords(const Colliders* cs, const CordVec3* x, ContactPoint* contact)
{
    for (int side = 0; side < (contact->kind == CONTACT_SEGMENTS ? 2 : 1); side++) {
        set_chord(cs, x, contact, side);
    }
}

// A segment turns with its axis, or with a longer chord, and by its own spin about it.
static CordVec3 segment_turn(const Colliders* cs, const ContactPoint* contact, int side,
                             const DofVector* move)
{
    int segment = side == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[segment];
    CordVec3 a = move->x[g->node[0]], b = move->x[g->node[1]], t = contact->axis[side];
    if (contact_point_has_chord(contact, side)) {
        CordVec3 c = contact->chord_axis[side],
                 across = vec3_sub(move->x[contact->chord[side][1]], move->x[contact->chord[side][0]]),
                 turned = vec3_mul(vec3_cross(c, across), contact->inv_chord[side]);
        return vec3_madd(turned, c, contact->roll[side] * (move->spin[segment] - vec3_dot(t, turned)));
    }
    return vec3_madd(vec3_mul(vec3_cross(t, vec3_sub(b, a)), contact->inv_len[side]), t, move->spin[segment]);
}

static CordVec3 gather_segment(const Colliders* cs, const ContactPoint* contact, int side,
                               const DofVector* move)
{
    const Segment* g = &cs->segments[side == 0 ? contact->key.a : contact->key.b];
    double s = side == 0 ? contact->s : contact->t;
    CordVec3 a = move->x[g->node[0]], b = move->x[g->node[1]], turn = segment_turn(cs, contact, side, move);
    return vec3_add(vec3_madd(vec3_mul(a, 1.0 - s), b, s), vec3_cross(turn, contact->arm[side]));
}

CordVec3 contact_point_gather_turn(const Colliders* cs, const ContactPoint* contact, const DofVector* move)
{
    CordVec3 turn = segment_turn(cs, contact, 0, move);
    const double* b = move->solid + 6 * contact->key.b;
    return vec3_sub(turn, contact->kind == CONTACT_SEGMENTS ? segment_turn(cs, contact, 1, move)
                                                            : (CordVec3){b[3], b[4], b[5]});
}

CordVec3 contact_point_solid_velocity(const ContactPoint* contact, const DofVector* velocity)
{
    if (contact->kind == CONTACT_SEGMENTS) {
        return (CordVec3){0, 0, 0};
    }
    const double* b = velocity->solid + 6 * contact->key.b;
    return vec3_add((CordVec3){b[0], b[1], b[2]}, vec3_cross((CordVec3){b[3], b[4], b[5]}, contact->arm[1]));
}

CordVec3 contact_point_gather(const Colliders* cs, const ContactPoint* contact, const DofVector* move)
{
    CordVec3 u = gather_segment(cs, contact, 0, move);
    if (contact->kind == CONTACT_SEGMENTS) {
        return vec3_sub(u, gather_segment(cs, contact, 1, move));
    }
    return vec3_sub(u, contact_point_solid_velocity(contact, move));
}

static void scatter_segment(const Colliders* cs, const ContactPoint* contact, int side, CordVec3 force,
                            CordVec3 torque, DofVector* move)
{
    int segment = side == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[segment];
    double s = side == 0 ? contact->s : contact->t;
    CordVec3 t = contact->axis[side];
    CordVec3 couple = vec3_mul(vec3_cross(torque, t), contact->inv_len[side]);
    CordVec3 *a = &move->x[g->node[0]], *b = &move->x[g->node[1]];
    if (contact_point_has_chord(contact, side)) {
        CordVec3 c = contact->chord_axis[side], *lo = &move->x[contact->chord[side][0]],
                 *hi = &move->x[contact->chord[side][1]];
        double about = contact->roll[side] * vec3_dot(torque, c);
        couple = vec3_mul(vec3_cross(vec3_madd(torque, t, -about), c), contact->inv_chord[side]);
        *a = vec3_madd(*a, force, 1.0 - s), *b = vec3_madd(*b, force, s);
        *lo = vec3_sub(*lo, couple), *hi = vec3_add(*hi, couple);
        move->spin[segment] += about;
        return;
    }
    *a = vec3_add(*a, vec3_madd(vec3_mul(couple, -1.0), force, 1.0 - s));
    *b = vec3_add(*b, vec3_madd(couple, force, s));
    move->spin[segment] += vec3_dot(t, torque);
}

void contact_point_scatter(const Colliders* cs, const ContactPoint* contact, CordVec3 force, DofVector* move)
{
    CordVec3 back = vec3_mul(force, -1.0);
    scatter_segment(cs, contact, 0, force, vec3_cross(contact->arm[0], force), move);
    if (contact->kind == CONTACT_SEGMENTS) {
        scatter_segment(cs, contact, 1, back, vec3_cross(contact->arm[1], back), move);
        return;
    }
    CordVec3 torque = vec3_cross(contact->arm[1], back);
    double* b = move->solid + 6 * contact->key.b;
    b[0] += back.x, b[1] += back.y, b[2] += back.z;
    b[3] += torque.x, b[4] += torque.y, b[5] += torque.z;
}

void contact_point_scatter_couple(const Colliders* cs, const ContactPoint* contact, CordVec3 couple,
                                  DofVector* move)
{
    const CordVec3 none = {0, 0, 0};
    if (vec3_dot(couple, couple) == 0.0) {
        return;
    }
    scatter_segment(cs, contact, 0, none, couple, move);
    if (contact->kind == CONTACT_SEGMENTS) {
        scatter_segment(cs, contact, 1, none, vec3_mul(couple, -1.0), move);
        return;
    }
    double* b = move->solid + 6 * contact->key.b;
    b[3] -= couple.x, b[4] -= couple.y, b[5] -= couple.z;
}

CordVec3 contact_point_solid_motion(const Colliders* cs, const ContactPoint* contact)
{
    if (contact->kind == CONTACT_SEGMENTS) {
        return (CordVec3){0, 0, 0};
    }
    const ColliderSolid* s = &cs->solids[contact->key.b];
    CordVec3 point = vec3_add(s->begin.point, contact->arm[1]);
    return vec3_sub(pose_out(&s->to, pose_into(&s->begin, point)), point);
}

CordVec3 contact_point_solid_turn(const Colliders* cs, const ContactPoint* contact)
{
    if (contact->kind == CONTACT_SEGMENTS) {
        return (CordVec3){0, 0, 0};
    }
    const ColliderSolid* s = &cs->solids[contact->key.b];
    return pose_rotation_vector(s->begin, s->to);
}

// ---- keys

int contact_key_compare(const ContactKey* p, const ContactKey* q)
{
    bool rods = p->feature < 0;
    if (rods != (q->feature < 0)) {
        return rods ? -1 : 1;
    }
    int a[4] = {rods ? p->a : p->b, rods ? p->b : p->a, p->feature, p->part};
    int b[4] = {rods ? q->a : q->b, rods ? q->b : q->a, q->feature, q->part};
    for (int i = 0; i < 4; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

// Segments and solids are numbered separately, so a key of two segments is marked by the feature -1.
ContactKey contact_persistent_key(const ContactPoint* contact)
{
    ContactKey key = contact->key;
    key.feature = contact->kind == CONTACT_SEGMENTS ? -1 : key.feature;
    return key;
}

static int moved_segment(int segment, const ContactKeyRemap* by)
{
    int at = segment - by->first;
    return at < 0 ? segment : at < by->old_count ? by->now[at] : segment + by->shift;
}

bool contact_key_remap(ContactKey* key, const ContactKeyRemap* by)
{
    key->a = moved_segment(key->a, by);
    key->b = key->feature == -1 ? moved_segment(key->b, by) : key->b;
    return key->a >= 0 && key->b >= 0;
}
