#include "contact/narrow_phase.h"

// The distance is D = min |p| over the free parameters s, t, with p = p0 + d + e_a ds - e_b dt, where d is
// the motion of a's point relative to b's and the edges e turn, too. Its second derivative is D'' = |P d|^2 /
// D - v' (T' T)^-1 v / D with P the projection perpendicular to n, T = P (e_a, -e_b), c = n (de_a, -de_b) and
// v = T' d + D c.
typedef struct CurveRow {
    CordVec3 at;     // coefficient of d
    double slope[2]; // coefficients of n de_a and n de_b
} CurveRow;

static void add_row(GeometricStiffness* curve, const ContactPoint* contact, const CurveRow* row,
                    double stiffness)
{
    CordVec3* node = curve->node[curve->count];
    CordVec3 a = vec3_mul(contact->n, row->slope[0]), b = vec3_mul(contact->n, row->slope[1]);
    node[0] = vec3_madd(vec3_mul(a, -1.0), row->at, 1.0 - contact->s);
    node[1] = vec3_madd(a, row->at, contact->s);
    node[2] = vec3_madd(vec3_mul(b, -1.0), row->at, contact->t - 1.0);
    node[3] = vec3_madd(b, row->at, -contact->t);
    curve->stiffness[curve->count++] = stiffness;
}

// One free parameter: T is one vector. `side` 0: s, 1: t.
static void add_one_free(GeometricStiffness* curve, const ContactPoint* contact, int side, double D)
{
    double sign = side == 0 ? 1.0 : -1.0;
    CordVec3 T = vec3_mul(vec3_reject(contact->axis[side], contact->n), sign / contact->inv_len[side]);
    CurveRow row = {.at = T};
    row.slope[side] = sign * D;
    add_row(curve, contact, &row, contact->push / (D * vec3_dot(T, T)));
}

// Two free parameters: T spans the plane perpendicular to n, and Gram-Schmidt orthogonalisation inverts T' T.
static void add_two_free(GeometricStiffness* curve, const ContactPoint* contact, double D)
{
    CordVec3 T0 = vec3_mul(vec3_reject(contact->axis[0], contact->n), 1.0 / contact->inv_len[0]);
    CordVec3 T1 = vec3_mul(vec3_reject(contact->axis[1], contact->n), -1.0 / contact->inv_len[1]);
    double g00 = vec3_dot(T0, T0), mix = vec3_dot(T0, T1) / g00;
    CordVec3 R = vec3_madd(T1, T0, -mix);
    CurveRow first = {.at = T0, .slope = {D, 0.0}}, second = {.at = R, .slope = {-mix * D, -D}};
    add_row(curve, contact, &first, contact->push / (D * g00));
    add_row(curve, contact, &second, contact->push / (D * vec3_dot(R, R)));
}

static bool is_free(double at)
{
    return at > 0.0 && at < 1.0;
}

static void curve_of_rods(GeometricStiffness* curve, const ContactPoint* contact, double D, bool b_is_rod)
{
    CordVec3 e = vec3_any_normal(contact->n);
    CurveRow across[2] = {{.at = e}, {.at = vec3_cross(contact->n, e)}};
    bool s = is_free(contact->s), t = is_free(contact->t);
    if (s && t) { // with the two rows below, only the edges' rotation is left
        add_two_free(curve, contact, D);
    } else if (s || t) {
        add_one_free(curve, contact, s ? 0 : 1, D);
    }
    for (int i = 0; i < 2; i++) {
        add_row(curve, contact, &across[i], -contact->push / D);
    }
    for (int i = 0; i < curve->count && !b_is_rod; i++) {
        curve->node[i][2] = curve->node[i][3] = (CordVec3){0, 0, 0};
    }
}

#define CURVE_STEP 1e-4 // over the radius: of the differences that give the curvature of a solid

// The closest point of a segment slides along it as it moves: D'' loses (e' H d + n de)^2 / (e' H e), where H
// is the second derivative of the solid's distance, `k` its eigenvalues and `rows` its eigenvectors.
static void add_sliding(GeometricStiffness* curve, const ContactPoint* contact, const CurveRow rows[2],
                        const double k[2])
{
    CordVec3 e = vec3_mul(contact->axis[0], 1.0 / contact->inv_len[0]), He = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        He = vec3_madd(He, rows[i].at, k[i] * vec3_dot(rows[i].at, e));
    }
    double bend = vec3_dot(e, He);
    if (bend > 0.0) {
        CurveRow row = {.at = He, .slope = {1.0, 0.0}};
        add_row(curve, contact, &row, contact->push / bend);
    }
}

static CordVec3 normal_change(const ContactPoint* contact, const ColliderSolid* solid, CordVec3 axis_point,
                              CordVec3 e)
{
    double step = CURVE_STEP * contact->radius;
    CordVec3 normal[2];
    for (int side = 0; side < 2; side++) {
        CordVec3 at = pose_into(&solid->to, vec3_madd(axis_point, e, side == 0 ? -step : step));
        normal[side] = quat_rotate(solid->to.rotation, solid_point(&solid->solid, at).normal);
    }
    return vec3_mul(vec3_sub(normal[1], normal[0]), 0.5 / step);
}

CordVec3 contact_point_bend(const Colliders* cs, const ContactPoint* contact)
{
    return vec3_reject(normal_change(contact, &cs->solids[contact->key.b],
                                     colliders_axis_point(cs, cs->to, contact->key.a, contact->s),
                                     contact->axis[0]),
                       contact->n);
}

// The distance from a solid is curved as its level surface is. Its curvature is found from the normals on
// either side; along an axis of symmetry of the 2 x 2 matrix it is a sum of two rank-one terms.
static void curve_of_solid(GeometricStiffness* curve, const ContactPoint* contact, const ColliderSolid* solid,
                           CordVec3 axis_point, bool slides)
{
    CordVec3 e[2] = {vec3_any_normal(contact->n)};
    double k[2][2];
    e[1] = vec3_cross(contact->n, e[0]);
    for (int i = 0; i < 2; i++) {
        CordVec3 change = normal_change(contact, solid, axis_point, e[i]);
        k[i][0] = vec3_dot(change, e[0]), k[i][1] = vec3_dot(change, e[1]);
    }
    double half = 0.5 * (k[0][0] - k[1][1]), off = 0.5 * (k[0][1] + k[1][0]),
           mean = 0.5 * (k[0][0] + k[1][1]);
    double size = sqrt(half * half + off * off), c = 1.0, s = 0.0;
    if (size > 0.0) { // cosine and sine of half the angle of (half, off)
        c = sqrt(0.5 * (1.0 + half / size));
        s = c > 0.0 ? off / (2.0 * size * c) : 1.0;
    }
    CurveRow rows[2] = {{.at = vec3_madd(vec3_mul(e[0], c), e[1], s)},
                        {.at = vec3_madd(vec3_mul(e[1], c), e[0], -s)}};
    add_row(curve, contact, &rows[0], -contact->push * (mean + size));
    add_row(curve, contact, &rows[1], -contact->push * (mean - size));
    if (slides) {
        add_sliding(curve, contact, rows, (double[2]){mean + size, mean - size});
    }
    for (int i = 0; i < curve->count; i++) {
        curve->node[i][2] = curve->node[i][3] = (CordVec3){0, 0, 0};
    }
}

GeometricStiffness contact_point_stiffness(const Colliders* cs, const ContactPoint* contact, bool slides)
{
    GeometricStiffness curve = {0};
    if (contact->kind == CONTACT_SEGMENTS || contact->kind == CONTACT_EDGE) {
        double radii = cs->segments[contact->key.a].radius +
                       (contact->kind == CONTACT_SEGMENTS ? cs->segments[contact->key.b].radius : 0.0);
        curve_of_rods(&curve, contact, contact->gap + radii, contact->kind == CONTACT_SEGMENTS);
    } else if (contact->kind == CONTACT_SOLID) {
        curve_of_solid(&curve, contact, &cs->solids[contact->key.b],
                       colliders_axis_point(cs, cs->to, contact->key.a, contact->s),
                       slides && is_free(contact->s));
    }
    return curve;
}
