#include "contact/contact_turning.h"

#include "contact/friction.h"

static double radius_of(const Colliders* cs, const ContactPoint* contact, int side)
{
    return cs->segments[side == 0 ? contact->key.a : contact->key.b].radius;
}

static bool is_free(double at)
{
    return at > 0.0 && at < 1.0;
}

// At the closest point of a free parameter the separation p is perpendicular to the edge e: dp e + p de = 0,
// with dp = d + e_a ds - e_b dt, and d the motion of a's point relative to b's. `lack` is d e + p de.
static void slide_points(const ContactPoint* contact, const CordVec3 e[2], const double lack[2], double s[2])
{
    double aa = vec3_dot(e[0], e[0]), bb = vec3_dot(e[1], e[1]), ab = vec3_dot(e[0], e[1]);
    bool free_a = is_free(contact->s), free_b = is_free(contact->t);
    if (free_a && free_b) {
        double det = aa * bb - ab * ab;
        s[0] = (ab * lack[1] - bb * lack[0]) / det;
        s[1] = (aa * lack[1] - ab * lack[0]) / det;
        return;
    }
    s[0] = free_a ? -lack[0] / aa : 0.0;
    s[1] = free_b ? lack[1] / bb : 0.0;
}

static void turn_chord(const ContactPoint* contact, int side, CordVec3 edge, CordVec3 chord,
                       ContactTurning* by)
{
    CordVec3 t = contact->axis[side], c = contact->chord_axis[side];
    double inv = contact->inv_chord[side], roll = contact->roll[side];
    by->axis[side] = vec3_mul(vec3_reject(edge, t), contact->inv_len[side]);
    if (!contact_point_has_chord(contact, side)) {
        by->chord[side] = by->axis[side];
        by->inv[side] = -contact->inv_len[side] * contact->inv_len[side] * vec3_dot(edge, t);
        by->roll[side] = 0.0;
        return;
    }
    by->chord[side] = vec3_mul(vec3_reject(chord, c), inv);
    by->inv[side] = -inv * inv * vec3_dot(chord, c);
    by->roll[side] = -roll * roll * (vec3_dot(by->axis[side], c) + vec3_dot(t, by->chord[side]));
}

ContactTurning contact_turning(const Colliders* cs, const ContactPoint* contact,
                               const CordVec3 move[TURNING_NODES])
{
    double distance = contact->gap + radius_of(cs, contact, 0) + radius_of(cs, contact, 1);
    CordVec3 n = contact->n, e[2], edge[2];
    for (int k = 0; k < 2; k++) {
        e[k] = vec3_mul(contact->axis[k], 1.0 / contact->inv_len[k]);
        edge[k] = vec3_sub(move[4 * k + 1], move[4 * k]);
    }
    CordVec3 d = vec3_sub(vec3_madd(move[0], edge[0], contact->s), vec3_madd(move[4], edge[1], contact->t));
    ContactTurning by;
    const double lack[2] = {vec3_dot(d, e[0]) + distance * vec3_dot(n, edge[0]),
                            vec3_dot(d, e[1]) + distance * vec3_dot(n, edge[1])};
    slide_points(contact, e, lack, by.s);
    CordVec3 p = vec3_madd(vec3_madd(d, e[0], by.s[0]), e[1], -by.s[1]);
    by.n = vec3_mul(vec3_reject(p, n), 1.0 / distance);
    for (int k = 0; k < 2; k++) {
        by.arm[k] = (k == 0 ? -0.5 : 0.5) * vec3_dot(n, p);
        turn_chord(contact, k, edge[k], vec3_sub(move[4 * k + 3], move[4 * k + 2]), &by);
    }
    return by;
}

// The derivative of what contact_point_scatter gives one side.
static void side_forces(const ContactPoint* contact, int side, double arm, const ContactTurning* by,
                        CordVec3 f, CordVec3 df, TurningForces* out)
{
    bool has = contact_point_has_chord(contact, side);
    CordVec3 t = contact->axis[side], c = has ? contact->chord_axis[side] : t, nf = vec3_cross(contact->n, f),
             moment = vec3_mul(nf, arm),
             turned = vec3_madd(vec3_mul(nf, by->arm[side]),
                                vec3_add(vec3_cross(by->n, f), vec3_cross(contact->n, df)), arm);
    double s = side == 0 ? contact->s : contact->t, roll = has ? contact->roll[side] : 1.0,
           inv = has ? contact->inv_chord[side] : contact->inv_len[side], along = vec3_dot(moment, c),
           torque = by->roll[side] * along + roll * (vec3_dot(turned, c) + vec3_dot(moment, by->chord[side]));
    CordVec3 across = vec3_madd(moment, t, -roll * along),
             change = vec3_madd(vec3_madd(turned, t, -torque), by->axis[side], -roll * along),
             couple = vec3_madd(
                 vec3_mul(vec3_add(vec3_cross(change, c), vec3_cross(across, by->chord[side])), inv),
                 vec3_cross(across, c), by->inv[side]);
    CordVec3* node = out->node + 4 * side;
    node[0] = vec3_madd(vec3_mul(df, 1.0 - s), f, -by->s[side]);
    node[1] = vec3_madd(vec3_mul(df, s), f, by->s[side]);
    node[2] = vec3_mul(couple, -1.0), node[3] = couple;
    out->torque[side] = torque;
}

static double arm_of(const Colliders* cs, const ContactPoint* contact, int side)
{
    double arm = radius_of(cs, contact, side) + 0.5 * contact->gap;
    return side == 0 ? -arm : arm;
}

TurningForces contact_turning_forces(const Colliders* cs, const ContactPoint* contact,
                                     const ContactTurning* by, CordVec3 f, CordVec3 df)
{
    TurningForces out;
    side_forces(contact, 0, arm_of(cs, contact, 0), by, f, df, &out);
    side_forces(contact, 1, arm_of(cs, contact, 1), by, vec3_mul(f, -1.0), vec3_mul(df, -1.0), &out);
    return out;
}

// The derivative of what contact_point_gather takes of one side. `across` moves the ends of the chord apart,
// `along` those of the segment.
static CordVec3 side_motion(const ContactPoint* contact, int side, double arm, const ContactTurning* by,
                            CordVec3 along, CordVec3 across, double spin)
{
    bool has = contact_point_has_chord(contact, side);
    CordVec3 t = contact->axis[side], c = has ? contact->chord_axis[side] : t;
    double inv = has ? contact->inv_chord[side] : contact->inv_len[side],
           roll = has ? contact->roll[side] : 1.0;
    CordVec3 turn = vec3_mul(vec3_cross(c, across), inv),
             change = vec3_madd(vec3_mul(vec3_cross(by->chord[side], across), inv), vec3_cross(c, across),
                                by->inv[side]);
    double left = spin - vec3_dot(t, turn),
           by_spin = by->roll[side] * left - roll * (vec3_dot(by->axis[side], turn) + vec3_dot(t, change));
    change = vec3_madd(vec3_madd(change, by->chord[side], roll * left), c, by_spin);
    turn = vec3_madd(turn, c, roll * left);
    CordVec3 lever = vec3_madd(vec3_mul(contact->n, by->arm[side]), by->n, arm);
    return vec3_add(vec3_madd(vec3_mul(vec3_cross(change, contact->n), arm), along, by->s[side]),
                    vec3_cross(turn, lever));
}

CordVec3 contact_turning_motion(const Colliders* cs, const ContactPoint* contact, const ContactTurning* by,
                                const TurningMotion* u)
{
    CordVec3 motion[2];
    for (int k = 0; k < 2; k++) {
        const CordVec3* x = u->node + 4 * k;
        CordVec3 along = vec3_sub(x[1], x[0]),
                 across = contact_point_has_chord(contact, k) ? vec3_sub(x[3], x[2]) : along;
        motion[k] = side_motion(contact, k, arm_of(cs, contact, k), by, along, across, u->spin[k]);
    }
    return vec3_sub(motion[0], motion[1]);
}
