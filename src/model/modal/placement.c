// Node positions from modal amplitudes, and the modal forces of body accelerations, point loads and wind.
#include "math/kernel.h"
#include "model/modal/kernel.h"
#include "model/modal/modal.h"

#include <string.h>

KERNEL_DECLARE(ModalKernels, modal_kernels);

// ---- positions, and the load of body accelerations

static void set_matrix(CordQuat q, double turn[9])
{
    for (int k = 0; k < 3; k++) {
        CordVec3 a = quat_rotate(q, (CordVec3){k == 0, k == 1, k == 2});
        turn[k] = a.x, turn[3 + k] = a.y, turn[6 + k] = a.z;
    }
}

static bool is_carried(const CordModal* m, const Pose* pose)
{
    return !pose_equals(*pose, (Pose){m->origin, quat_identity()});
}

void modal_evaluate(const Rod* rod, const Carrier* c, const double* q, double* const x[3], const Pull* pull,
                    const double* ahead, double* load)
{
    const CordModal* m = modal_of(rod);
    const CordCenterline* line = &rod->line;
    ModalArrays a = {.block_count = m->block_count,
                     .mode_count = m->count,
                     .table = m->table,
                     .q = q,
                     .ahead = ahead,
                     .warp = !m->def.linear,
                     .even = {pull->even.x, pull->even.y, pull->even.z},
                     .spreads = pull->spreads,
                     .origin = {m->origin.x, m->origin.y, m->origin.z},
                     .shift = {c->pose.point.x, c->pose.point.y, c->pose.point.z},
                     .carried = is_carried(m, &c->pose),
                     .reach = rod->length,
                     .load = load,
                     .room = m->room};
    memcpy(a.spread, pull->spread, sizeof a.spread);
    set_matrix(c->pose.rotation, a.turn);
    for (int k = 0; k < 3; k++) {
        a.rest[k] = m->wide[k];
        a.x[k] = x ? x[k] + line->halo : NULL;
    }
    const ModalKernels* kernels = KERNEL_CHOOSE(modal_kernels);
    kernels->place(&a);
    if (x) {
        centerline_wrap(line, x);
    }
}

void modal_place(const Rod* rod, ModalState* s, double* const x[3])
{
    modal_of(rod)->nodes_known = false;
    modal_evaluate(rod, &s->carrier, s->q, x, &s->pull, NULL, NULL);
    s->ahead_valid = false;
}

// ---- body acceleration of a step

CordVec3 modal_inward(const Carrier* c, CordVec3 a)
{
    return quat_rotate(quat_conjugate(c->pose.rotation), a);
}

static void add_cross2(CordVec3 w, double share, double A[3][3]) // A += share [w]^2
{
    double a[3] = {w.x, w.y, w.z}, square = vec3_dot(w, w);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            A[i][j] += share * (a[i] * a[j] - (i == j ? square : 0.0));
        }
    }
}

void modal_add_cross(CordVec3 w, double share, double A[3][3])
{
    A[0][1] -= share * w.z, A[0][2] += share * w.y;
    A[1][0] += share * w.z, A[1][2] -= share * w.x;
    A[2][0] -= share * w.y, A[2][1] += share * w.x;
}

// Gravity and the inertial accelerations of the moving carrier: g - a - alpha x r - omega x (omega x r),
// without the Coriolis term. With velocities in the carrier's axes a = v' + omega x v, which is exact over a
// step of a steady rotation and contains the full momentum of velocity jumps.
Pull modal_pull(CordVec3 gravity, const Carrier* from, const Carrier* to, double h)
{
    Carrier middle = {.pose = pose_interpolate(from->pose, to->pose, 0.5)};
    CordVec3 a = vec3_mul(vec3_sub(to->velocity, from->velocity), 1.0 / h);
    a = vec3_madd(a, vec3_cross(from->spin, from->velocity), 0.5);
    a = vec3_madd(a, vec3_cross(to->spin, to->velocity), 0.5);
    CordVec3 alpha = vec3_mul(vec3_sub(to->spin, from->spin), 1.0 / h);
    Pull pull = {.even = vec3_sub(modal_inward(&middle, gravity), a)};
    modal_add_cross(alpha, -1.0, pull.spread);
    add_cross2(from->spin, -0.5, pull.spread);
    add_cross2(to->spin, -0.5, pull.spread);
    for (int k = 0; k < 9; k++) {
        pull.spreads |= pull.spread[k / 3][k % 3] != 0.0;
    }
    return pull;
}

// ---- point loads and wind

// Adds Phi^T f for the three degrees of freedom of a node from `first` on: 0 displacement, 3 rotation.
static void add_projected(const Rod* rod, int node, int first, CordVec3 f, double* force)
{
    const CordModal* m = modal_of(rod);
    for (int k = 0; k < m->count; k++) {
        const double* phi =
            m->shape + ((size_t)k * (size_t)rod->line.node_count + (size_t)node) * NODE_FREEDOMS + first;
        force[k] += phi[0] * f.x + phi[1] * f.y + phi[2] * f.z;
    }
}

void modal_add_force(const Rod* rod, int node, CordVec3 local, double* force)
{
    add_projected(rod, node, 0, local, force);
}

// Drag force on all edges at a node past which the air flows at u. All vectors are in the node's own axes, in
// which the edges have their rest directions.
CordVec3 modal_drag(const Rod* rod, int node, double along, double across, CordVec3 u)
{
    const double* l = modal_of(rod)->lengths + 7 * (size_t)node;
    CordVec3 part = {l[1] * u.x + l[2] * u.y + l[3] * u.z, l[2] * u.x + l[4] * u.y + l[5] * u.z,
                     l[3] * u.x + l[5] * u.y + l[6] * u.z};
    return vec3_madd(vec3_mul(u, across * l[0]), part, along - across);
}

NodeNow modal_node_now(const Rod* rod, const double* q, int node)
{
    CordVec3 u, w;
    modal_node(rod, q, node, &u, &w);
    NodeNow now = {.warp = warp_of(modal_of(rod)->def.linear ? (CordVec3){0, 0, 0} : w)};
    now.d = warp_displace(&now.warp, u);
    return now;
}

// Air velocity relative to a node that moves with the carrier, in the node's own axes. The drag matrix
// accounts for the velocity of the node relative to the carrier.
static CordVec3 wind_on(const Rod* rod, const LoadFlow* drag, const Carrier* c, CordVec3 place,
                        const NodeNow* now)
{
    CordVec3 v = vec3_add(c->velocity, vec3_cross(c->spin, vec3_sub(place, modal_of(rod)->origin)));
    return warp_turn_back(&now->warp, vec3_sub(modal_inward(c, drag->wind), v));
}

static void add_wind(const Rod* rod, const Load* load, const Carrier* c, double time, const double* q,
                     double* force)
{
    const CordModal* m = modal_of(rod);
    for (int i = 0; i < rod->line.node_count; i++) {
        NodeNow now = modal_node_now(rod, q, i);
        CordVec3 place = vec3_add(m->rest[i], now.d);
        LoadFlow drag = load_flow(load, carrier_out(m, c, place), time);
        CordVec3 u = wind_on(rod, &drag, c, place, &now);
        modal_add_force(rod, i, modal_drag(rod, i, drag.along, drag.across, u), force);
    }
}

static void add_force_now(const Rod* rod, int node, NodeNow now, CordVec3 f, double* force)
{
    modal_add_force(rod, node, warp_turn_back(&now.warp, f), force);
}

// A load on an edge acts as opposite forces on its two nodes, and as half of its torque on each.
static void add_edge_load(const Rod* rod, const Load* load, double share, const Carrier* c, const double* q,
                          double* force)
{
    const CordModal* m = modal_of(rod);
    int node[2] = {edge_start(&rod->line, load->edge), edge_end(&rod->line, load->edge)};
    NodeNow now[2] = {modal_node_now(rod, q, node[0]), modal_node_now(rod, q, node[1])};
    CordVec3 a = vec3_add(m->rest[node[0]], now[0].d), b = vec3_add(m->rest[node[1]], now[1].d);
    LoadPoint at = {.edge = quat_rotate(c->pose.rotation, vec3_sub(b, a))};
    LoadTerms f = load->kind->terms(load, share, &at);
    CordVec3 turn = vec3_mul(vec3_unit(vec3_sub(b, a)), 0.5 * f.torque);
    for (int i = 0; i < 2; i++) {
        add_force_now(rod, node[i], now[i], modal_inward(c, vec3_mul(f.force, i == 0 ? -1.0 : 1.0)), force);
        add_projected(rod, node[i], 3, warp_turn_back(&now[i].warp, turn), force);
    }
}

void modal_add_loads(const Rod* rod, const Carrier* c, double time, const double* q, double* force)
{
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share =
            load_is_explicit(load) ? load_share(load, time) : 0.0; // the stepper treats the other loads
        if (share > 0.0 && load->edge >= 0) {
            add_edge_load(rod, load, share, c, q, force);
        } else if (share > 0.0) {
            const CordModal* m = modal_of(rod);
            NodeNow now = modal_node_now(rod, q, load->node);
            LoadPoint at = {.time = time, .x = carrier_out(m, c, vec3_add(m->rest[load->node], now.d))};
            CordVec3 f = load->kind->terms(load, share, &at).force;
            add_force_now(rod, load->node, now, modal_inward(c, f), force);
        }
        LoadFlow drag = load_flow(load, (CordVec3){0, 0, 0}, time);
        if (drag.along > 0.0 || drag.across > 0.0) {
            add_wind(rod, load, c, time, q, force);
        }
    }
}
