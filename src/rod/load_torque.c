// A torque T on an edge of a rod, or on a body. It keeps its axis in space.
//
// On an edge e with the tangent t, the part of T across t is a couple of forces on the edge's two nodes, F on
// the second and -F on the first. The part about t turns the material frame:
//
//     F = (T x e) / |e|^2,      e x F = T - (T.t) t,      moment of the frame = T.t
//
// The forces add up to zero, and the moment is exactly T. A torque about an axis that is fixed in space has
// no potential (Ziegler, Principles of Structural Stability, 1968): its work depends on the path, and its
// stiffness is not symmetric.
//
//     dF/de = [T]x / |e|^2 - 2 F e' / |e|^2,      d(T.t)/de = (T - (T.t) t)' / |e|
//
// Neither depends on the angle of the frame.
#include "math/elementary.h"
#include "rod/load.h"
#include "rod/rod.h"

static CordResult check(const CordLoadDef* def, Message* message)
{
    return vec3_finite(def->torque) ? CORD_OK
                                    : message_fail(message, CORD_BAD_ARGUMENT, "a torque must be finite");
}

static LoadTerms terms(const Load* load, double share, const LoadPoint* at)
{
    CordVec3 T = vec3_mul(load->def.torque, share), e = at->edge;
    double inv2 = 1.0 / vec3_dot(e, e), inv = sqrt(inv2);
    CordVec3 F = vec3_mul(vec3_cross(T, e), inv2), t = vec3_mul(e, inv);
    LoadTerms f = {.force = F, .torque = vec3_dot(T, t)};
    f.turning = vec3_mul(vec3_madd(T, t, -f.torque), -inv);
    double a[3] = {F.x, F.y, F.z}, b[3] = {e.x, e.y, e.z};
    double cross[9] = {0, -T.z, T.y, T.z, 0, -T.x, -T.y, T.x, 0};
    for (int k = 0; k < 9; k++) {
        f.K[k] = inv2 * (2.0 * a[k / 3] * b[k % 3] - cross[k]);
    }
    return f;
}

// Minus the work since the edge was at `edge_from`: of rotating the edge from there, and of rotating its
// frame.
static double energy(const Load* load, double share, const LoadPoint* at)
{
    CordVec3 from = vec3_unit(at->edge_from), to = vec3_unit(at->edge), axis = vec3_cross(from, to);
    double sine = vec3_length(axis), angle = cord_atan2(sine, vec3_dot(from, to));
    CordVec3 turn = vec3_mul(axis, sine > 0.0 ? angle / sine : 1.0);
    CordVec3 mean = vec3_mul(vec3_add(from, to), 0.5 * at->turned);
    return -share * vec3_dot(load->def.torque, vec3_add(turn, mean));
}

static void kick(Rod* rod, const LoadStep* step, double* const v[3])
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share = load->kind == &load_torque ? load_share(load, step->time) : 0.0;
        if (share > 0.0) {
            int a = slot_of(c, load->node), b = slot_of(c, edge_end(c, load->edge));
            CordVec3 f = terms(load, share, &(LoadPoint){.edge = edge_vector(c, load->edge)}).force;
            slot_set(v, a, vec3_madd(slot_get(v, a), f, -step->kick * c->w[a]));
            slot_set(v, b, vec3_madd(slot_get(v, b), f, step->kick * c->w[b]));
        }
    }
}

static void wrench(const Load* load, double share, CordVec3* force, CordVec3* torque)
{
    (void)force;
    *torque = vec3_madd(*torque, load->def.torque, share);
}

static const CordField fields[] = {
    LOAD_FIELD_VECTOR(torque, "Torque.", "N m"),
    LOAD_FIELD_RAMP,
    {.key = NULL},
};

const LoadKind load_torque = {
    .info = {"torque", "A torque on an edge of a rod, or on a body. It keeps its axis in space.",
             CORD_LOAD_ON_EDGE | CORD_LOAD_ON_BODY, fields},
    .value = offsetof(CordLoadDef, torque),
    .check = check,
    .terms = terms,
    .energy = energy,
    .kick = kick,
    .wrench = wrench,
};
