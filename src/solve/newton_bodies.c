// The equations of bodies, and the Schur complements of the spans between them.
#include "body/inertia.h"
#include "solve/newton_parts.h"

#include <string.h>

static CordVec3 arm_of(const Pose* pose, const Weld* weld, int k)
{
    return quat_rotate(pose->rotation, weld->clamp.offset[k]);
}

CordVec3 newton_arm(const NewtonSystem* sys, const Weld* weld, int k, ArmSide side)
{
    const NewtonBody* b = &sys->bodies[weld->body->index];
    CordVec3 end = arm_of(&b->pose, weld, k);
    return side == ARM_MEAN && sys->midpoint ? vec3_mul(vec3_add(end, arm_of(&b->before, weld, k)), 0.5)
                                             : end;
}

JoinMap newton_join_map(const NewtonSystem* sys, const Join* join, ArmSide side)
{
    const NewtonRod* r = &sys->rods[join->rod];
    int s = slot_of(&r->rod->line, join->edge);
    CordVec3 zero = {0, 0, 0}, t = vec3_unit(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
    return join_map(sys->joins, join, join->a ? newton_arm(sys, join->a, join->a_k, side) : zero,
                    join->b ? newton_arm(sys, join->b, join->b_k, side) : zero, t);
}

static void add_block(NewtonSystem* sys, int i, int j, int row, int column, double value)
{
    double* block = sparse_ldu_at(sys->blocks, i, j);
    block[row * sparse_ldu_stride(sys->blocks, j) + column] += value;
}

// Adds T_left^T S T_right to the blocks of the rows that both joins touch.
static void add_mapped(NewtonSystem* sys, const JoinMap* left, const JoinMap* right, int size,
                       double S[][BAND_PORT_MOST])
{
    for (int a = 0; a < left->count; a++) {
        for (int b = 0; b < right->count; b++) {
            double ST[BAND_PORT_MOST][6];
            for (int i = 0; i < size; i++) {
                for (int q = 0; q < right->size[b]; q++) {
                    ST[i][q] = 0.0;
                    for (int j = 0; j < size; j++) {
                        ST[i][q] += S[i][j] * right->T[b][j][q];
                    }
                }
            }
            for (int p = 0; p < left->size[a]; p++) {
                for (int q = 0; q < right->size[b]; q++) {
                    double sum = 0.0;
                    for (int i = 0; i < size; i++) {
                        sum += left->T[a][i][p] * ST[i][q];
                    }
                    add_block(sys, left->row[a], right->row[b], p, q, sum);
                }
            }
        }
    }
}

typedef struct PortMatrices {
    double LL[BAND_PORT_MOST][BAND_PORT_MOST], LR[BAND_PORT_MOST][BAND_PORT_MOST];
    double RL[BAND_PORT_MOST][BAND_PORT_MOST], RR[BAND_PORT_MOST][BAND_PORT_MOST];
} PortMatrices;

static void read_ports(const BandSystem* s, PortMatrices* p)
{
    const BandLdu* b = &s->band;
    int at = band_port(s);
    for (int i = 0; i < s->port_size; i++) {
        for (int j = 0; j < s->port_size; j++) {
            p->RR[i][j] = s->right && band_ldu_has(b, at + i, at + j) ? *band_ldu_at(b, at + i, at + j) : 0.0;
            p->LL[i][j] = s->left ? b->corner[i * b->border_stride + j] : 0.0;
            p->RL[i][j] = s->left && s->right ? b->col[(at + i) * b->border_stride + j] : 0.0;
            p->LR[i][j] = s->left && s->right ? b->row[(at + j) * b->border_stride + i] : 0.0;
        }
    }
}

void newton_condense(NewtonSystem* sys, const BandSystem* s, const JoinSpan* js)
{
    PortMatrices p;
    JoinMap left = {0}, right = {0}, left_row = {0}, right_row = {0};
    read_ports(s, &p);
    if (s->left) {
        left = newton_join_map(sys, &sys->joins->joins[js->left], ARM_END);
        left_row = newton_join_map(sys, &sys->joins->joins[js->left], ARM_MEAN);
        add_mapped(sys, &left_row, &left, s->port_size, p.LL);
    }
    if (s->right) {
        right = newton_join_map(sys, &sys->joins->joins[js->right], ARM_END);
        right_row = newton_join_map(sys, &sys->joins->joins[js->right], ARM_MEAN);
        add_mapped(sys, &right_row, &right, s->port_size, p.RR);
    }
    if (s->left && s->right) {
        add_mapped(sys, &left_row, &right, s->port_size, p.LR);
        add_mapped(sys, &right_row, &left, s->port_size, p.RL);
    }
}

void newton_add_wrench(double wrench[6], CordVec3 arm, CordVec3 f)
{
    CordVec3 torque = vec3_cross(arm, f);
    wrench[0] += f.x, wrench[1] += f.y, wrench[2] += f.z;
    wrench[3] += torque.x, wrench[4] += torque.y, wrench[5] += torque.z;
}

static void add_body_mass(NewtonSystem* sys, int i)
{
    const NewtonBody* b = &sys->bodies[i];
    const double* t = b->inertia.tensor;
    double I[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}},
           mass = (1.0 + sys->extra_inertia) * sys->mass;
    for (int k = 0; k < 3; k++) {
        add_block(sys, i, i, k, k, mass * b->inertia.mass);
        add_block(sys, i, i, 3 + k, 3 + k, b->indifferent);
        for (int j = 0; j < 3; j++) {
            add_block(sys, i, i, 3 + k, 3 + j, mass * I[k][j]);
        }
    }
}

// Inertia and drag of a carried node, and the geometric stiffness of the force F on it as its arm p turns:
// the Hessian of -F.(rotated p), which is F.p - (F p^T + p F^T) / 2.
static void add_carried(NewtonSystem* sys, const NewtonRod* r, const Tie* tie, CordVec3 total)
{
    CordVec3 q = newton_arm(sys, tie->weld, tie->k, ARM_END),
             p = newton_arm(sys, tie->weld, tie->k, ARM_MEAN);
    NodeForce f = newton_node_force(sys, r, tie->slot, newton_pulls(sys, r));
    double column[3][6] = {{1, 0, 0, 0, q.z, -q.y}, {0, 1, 0, -q.z, 0, q.x}, {0, 0, 1, q.y, -q.x, 0}};
    double row[3][6] = {{1, 0, 0, 0, p.z, -p.y}, {0, 1, 0, -p.z, 0, p.x}, {0, 0, 1, p.y, -p.x, 0}};
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) {
            double sum = 0.0;
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    sum += row[i][a] * f.K[3 * i + j] * column[j][b];
                }
            }
            add_block(sys, tie->body, tie->body, a, b, sum);
        }
    }
    double F[3] = {total.x, total.y, total.z}, arm[3] = {q.x, q.y, q.z}, along = vec3_dot(total, q);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            add_block(sys, tie->body, tie->body, 3 + a, 3 + b,
                      -0.5 * (F[a] * arm[b] + arm[a] * F[b]) + (a == b ? along : 0.0));
        }
    }
}

static CordVec3 load_at(const NewtonSystem* sys, const NewtonRod* r, int s)
{
    const CordCenterline* c = &r->rod->line;
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < r->rod->load_count; i++) {
        const Load* load = r->rod->loads[i];
        int first = slot_of(c, load->node),
            last = load->edge >= 0 ? slot_of(c, edge_end(c, load->edge)) : first;
        LoadTerms f;
        if ((first == s || last == s) && newton_load_terms(sys, r, load, &f)) {
            sum = last == s ? vec3_add(sum, f.force) : vec3_sub(sum, f.force);
        }
    }
    return sum;
}

// Forces on a carried node that no span assembles: loads, contact, inertia and weight.
static CordVec3 own_force(const NewtonSystem* sys, const NewtonRod* r, int s)
{
    CordVec3 load = load_at(sys, r, s);
    if (sys->only_shift) {
        return load;
    }
    NodeForce f = newton_node_force(sys, r, s, newton_pulls(sys, r));
    CordVec3 push = r->touch.push ? r->touch.push[s - r->rod->line.halo] : (CordVec3){0, 0, 0};
    return vec3_add(vec3_add(load, push), (CordVec3){f.f[0], f.f[1], f.f[2]});
}

static void add_torque(double wrench[6], CordVec3 t, double moment)
{
    wrench[3] += moment * t.x, wrench[4] += moment * t.y, wrench[5] += moment * t.z;
}

// Torque of loads and contact on a frame that a body carries, which no span assembles.
static double torque_on(const NewtonSystem* sys, const NewtonRod* r, int edge)
{
    double sum = r->touch.torque && !sys->only_shift ? r->touch.torque[edge] : 0.0;
    for (int i = 0; i < r->rod->load_count; i++) {
        LoadTerms f;
        if (r->rod->loads[i]->edge == edge && newton_load_terms(sys, r, r->rod->loads[i], &f)) {
            sum += f.torque;
        }
    }
    return sum;
}

static void add_push(double push[6], const Load* load, double share)
{
    CordVec3 force = {push[0], push[1], push[2]}, torque = {push[3], push[4], push[5]};
    load->kind->wrench(load, share, &force, &torque);
    push[0] = force.x, push[1] = force.y, push[2] = force.z;
    push[3] = torque.x, push[4] = torque.y, push[5] = torque.z;
}

void newton_push_body(NewtonBody* b, CordVec3 g, const Slots* loads, double time, double rate_step)
{
    double m = b->inertia.mass, later = time + rate_step;
    double weight[6] = {m * g.x, m * g.y, m * g.z, 0, 0, 0};
    memcpy(b->push, weight, sizeof weight);
    memset(b->push_rate, 0, sizeof b->push_rate);
    for (int j = 0; loads && j < loads->live_count; j++) {
        const Load* load = slots_at(loads, j);
        if (load_is_on_body(load, b->body->id)) {
            double now = load_share(load, time);
            add_push(b->push, load, now);
            if (later > time) {
                add_push(b->push_rate, load, (load_share(load, later) - now) / rate_step);
            }
        }
    }
}

void newton_set_own_force(const NewtonSystem* sys, NewtonBody* b)
{
    CordVec3 gone = {b->gone[3], b->gone[4], b->gone[5]};
    CordVec3 turn = tensor_mul(b->inertia.tensor, gone);
    for (int k = 0; k < 6; k++) {
        double inertia = k < 3 ? b->inertia.mass * b->gone[k] : k == 3 ? turn.x : k == 4 ? turn.y : turn.z;
        b->own[k] = b->force[k] =
            sys->only_shift ? b->push_rate[k] : b->push[k] + b->touch[k] - sys->mass * inertia;
    }
}

static void gather_bodies(NewtonSystem* sys)
{
    for (int i = 0; i < sys->body_count; i++) {
        newton_set_own_force(sys, &sys->bodies[i]);
    }
    const Assembly* a = sys->joins->assembly;
    for (int i = 0; i < a->tie_count; i++) {
        const Tie* tie = &a->ties[i];
        NewtonRod* r = &sys->rods[tie->rod];
        CordVec3 own = own_force(sys, r, tie->slot), total = vec3_add(slot_get(r->force.x, tie->slot), own);
        CordVec3 arm = newton_arm(sys, tie->weld, tie->k, ARM_MEAN);
        slot_set(r->force.x, tie->slot, total);
        sys->carried[i] = sys->only_shift ? sys->carried[i] : total;
        newton_add_wrench(sys->bodies[tie->body].force, arm, total);
        newton_add_wrench(sys->bodies[tie->body].own, arm, own);
        if (tie->k == 0 && tie->weld->clamp.def.fix == CORD_FIX_FRAME) {
            int s = slot_of(&r->rod->line, tie->weld->clamp.edge);
            CordVec3 t = vec3_unit(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
            double own_torque = torque_on(sys, r, tie->weld->clamp.edge);
            add_torque(sys->bodies[tie->body].force, t, r->force.angle[s]);
            if (own_torque != 0.0) {
                add_torque(sys->bodies[tie->body].force, t, own_torque);
                add_torque(sys->bodies[tie->body].own, t, own_torque);
            }
        }
    }
}

void newton_assemble_bodies(NewtonSystem* sys)
{
    const Assembly* a = sys->joins->assembly;
    gather_bodies(sys);
    if (sys->right_only) {
        return;
    }
    sparse_ldu_clear(sys->blocks);
    for (int i = 0; i < sys->body_count; i++) {
        add_body_mass(sys, i);
    }
    for (int i = 0; i < a->tie_count; i++) {
        const NewtonRod* r = &sys->rods[a->ties[i].rod];
        add_carried(sys, r, &a->ties[i], sys->carried[i]);
    }
}
