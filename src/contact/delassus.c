#include "contact/delassus.h"

#include "base/real.h"
#include "contact/rolling.h"

#include <string.h>

#define LEAST 1e-9 // smallest ratio of the two tangential eigenvalues

// ---- active constraints and their nodes

static bool is_active(const ContactConstraints* b, int i)
{
    return !b->past[i].at_rest;
}

static bool reserve(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    return memory_reserve(m, (void**)&y->all, b->count, &y->block_capacity, sizeof(DelassusBlock)) &&
           memory_reserve(m, (void**)&y->order, b->count, &y->order_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->rods, cs->rod_count, &y->rod_capacity, sizeof(DelassusRod)) &&
           memory_reserve(m, (void**)&y->node, cs->node_count, &y->node_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->place, cs->node_count, &y->place_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->u, cs->node_count, &y->u_capacity[0], 4 * sizeof(double)) &&
           memory_reserve(m, (void**)&y->u_before, cs->node_count, &y->u_capacity[1], 4 * sizeof(double)) &&
           memory_reserve(m, (void**)&y->u_direction, cs->node_count, &y->u_capacity[2], 4 * sizeof(double));
}

static bool yields(const ContactConstraints* b, int i)
{
    return b->contacts.all[b->past[i].contact].yields;
}

// Sorts the active constraints by rod, otherwise in their own order. Those that yield come last: where one is
// corrected before the one that it yields to, it takes the impulse of both, and hands it on by the slack that
// it yields in each sweep.
static void find_order(Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    int sum = 0;
    for (int i = 0; i < b->count; i++) {
        y->rods[b->all[i].side[0].rod].last_constraint += is_active(b, i);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        DelassusRod* rod = &y->rods[i];
        int count = rod->last_constraint;
        rod->first_constraint = rod->last_constraint = sum;
        sum += count;
    }
    y->order_count = sum;
    for (int i = 0; i < 2 * b->count; i++) {
        int at = i % b->count;
        if (is_active(b, at) && yields(b, at) == (i >= b->count)) {
            y->order[y->rods[b->all[at].side[0].rod].last_constraint++] = at;
        }
    }
}

static void find_nodes(Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    memset(y->place, 0, sizeof *y->place * (size_t)cs->node_count);
    for (int k = 0; k < y->order_count; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        for (int j = 0; j < 4 * c->sides; j++) {
            y->place[c->side[j / 4].node[j % 4]] = 1;
        }
    }
    y->node_count = 0;
    for (int i = 0; i < cs->rod_count; i++) {
        DelassusRod* rod = &y->rods[i];
        rod->first = y->node_count;
        rod->first_node = cs->rods[i].first_node, rod->node_count = cs->rods[i].node_count;
        for (int n = 0; n < cs->rods[i].node_count; n++) {
            int* place = &y->place[cs->rods[i].first_node + n];
            if (*place) {
                *place = y->node_count - rod->first;
                y->node[y->node_count++] = n;
            }
        }
        rod->count = y->node_count - rod->first;
    }
}

bool delassus_find(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    if (!reserve(m, y, b, cs)) {
        return false;
    }
    memset(y->rods, 0, sizeof *y->rods * (size_t)cs->rod_count);
    find_order(y, b, cs);
    find_nodes(y, b, cs);
    for (int k = 0; k < y->order_count; k++) {
        DelassusBlock* block = &y->all[y->order[k]];
        block->G[0] = block->G[1] = NULL;
    }
    return true;
}

// For each node in contact of the rod: the motion by a unit force along x, along y and along z.
#define COLUMNS 12

size_t delassus_columns(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    size_t sum = 0;
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        for (int side = 0; side < c->sides; side++) {
            const DelassusRod* rod = &y->rods[c->side[side].rod];
            sum += rod->W ? COLUMNS * (size_t)rod->count : 0;
        }
    }
    return sum;
}

bool delassus_reserve_together(Memory* m, Delassus* y)
{
    const int size = 3 * DELASSUS_MOST_TOGETHER;
    return memory_reserve(m, (void**)&y->together, DELASSUS_MOST_TOGETHER, &y->together_capacity,
                          sizeof(int)) &&
           memory_reserve(m, (void**)&y->dense, 2 * size * size + 5 * size, &y->dense_capacity,
                          sizeof(double));
}

bool delassus_reserve_few(Memory* m, Delassus* y, int count, int rank)
{
    return memory_reserve(m, (void**)&y->few_index, count, &y->few_index_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->few, 6 * count * rank + 12 * count + rank * (rank + 1),
                          &y->few_capacity, sizeof(double));
}

void delassus_set_columns(const Delassus* y, const ContactConstraints* b, DelassusBatch batch, double* room)
{
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        for (int side = 0; side < c->sides; side++) {
            const DelassusRod* rod = &y->rods[c->side[side].rod];
            y->all[y->order[k]].G[side] = rod->W ? room : NULL;
            room += rod->W ? COLUMNS * rod->count : 0;
        }
    }
}

DelassusBatch delassus_all(const Delassus* y, const Colliders* cs)
{
    return (DelassusBatch){0, y->order_count, 0, cs->node_count};
}

DelassusBatch delassus_of_rod(const Delassus* y, int rod)
{
    const DelassusRod* r = &y->rods[rod];
    return (DelassusBatch){r->first_constraint, r->last_constraint, r->first_node,
                           r->first_node + r->node_count};
}

static bool has_compliance(const Delassus* y, const ContactConstraint* c)
{
    return y->rods[c->side[0].rod].W || (c->sides == 2 && y->rods[c->side[1].rod].W);
}

void delassus_begin(const Delassus* y, ContactConstraints* b, DelassusBatch batch)
{
    size_t first = 4 * (size_t)batch.first_node,
           size = 4 * sizeof(double) * (size_t)(batch.last_node - batch.first_node);
    memset(y->u + first, 0, size);
    memset(y->u_direction + first, 0, size);
    bool fresh = b->rounds == 0;
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        DelassusBlock* block = &y->all[y->order[k]];
        bool forget =
            fresh || (b->per_rod && has_compliance(y, c)); // else W is what it was in the last round
        if (forget) {
            block->known = false;
            block->W_nn = block->W_tt[0] = block->lambda = 0.0;
        }
        if (b->rolls) {
            rolling_begin(b, y->order[k], forget);
        }
        block->start = block->before = (ContactImpulse){c->normal_impulse, c->friction_impulse};
        block->direction = (ContactImpulse){0};
    }
}

void delassus_free(Memory* m, Delassus* y)
{
    memory_array_free(m, y->all, y->block_capacity);
    memory_array_free(m, y->order, y->order_capacity);
    memory_array_free(m, y->rods, y->rod_capacity);
    memory_array_free(m, y->node, y->node_capacity);
    memory_array_free(m, y->place, y->place_capacity);
    memory_array_free(m, y->together, y->together_capacity);
    memory_array_free(m, y->dense, y->dense_capacity);
    memory_array_free(m, y->few_index, y->few_index_capacity);
    memory_array_free(m, y->few, y->few_capacity);
    memory_array_free(m, y->u, 4 * y->u_capacity[0]);
    memory_array_free(m, y->u_before, 4 * y->u_capacity[1]);
    memory_array_free(m, y->u_direction, 4 * y->u_capacity[2]);
    *y = (Delassus){0};
}

// ---- motion and push

static inline CordVec3 node_motion(const double* u, int node)
{
    return (CordVec3){u[4 * node], u[4 * node + 1], u[4 * node + 2]};
}

static inline CordVec3 side_motion(const double* u, const ContactSide* side, CordVec3 n)
{
    CordVec3 p = node_motion(u, side->node[0]), q = node_motion(u, side->node[1]);
    bool segment = contact_side_is_segment(side);
    const CordVec3 move[4] = {p, q, segment ? p : node_motion(u, side->node[2]),
                              segment ? q : node_motion(u, side->node[3])};
    return contact_side_motion(side, n, move, u[4 * side->node[0] + 3]);
}

CordVec3 delassus_motion(const Delassus* y, const ContactConstraint* c)
{
    CordVec3 u = side_motion(y->u, &c->side[0], c->n);
    return c->sides == 2 ? vec3_sub(u, side_motion(y->u, &c->side[1], c->n)) : u;
}

static CordVec3 side_turn(const double* u, const ContactSide* side)
{
    const CordVec3 move[4] = {node_motion(u, side->node[0]), node_motion(u, side->node[1]),
                              node_motion(u, side->node[2]), node_motion(u, side->node[3])};
    return contact_side_turn(side, move, u[4 * side->node[0] + 3]);
}

CordVec3 delassus_turn(const Delassus* y, const ContactConstraint* c)
{
    CordVec3 turn = side_turn(y->u, &c->side[0]);
    return c->sides == 2 ? vec3_sub(turn, side_turn(y->u, &c->side[1])) : turn;
}

// The lever turns a surface across the normal, so the axis alone counts.
static inline double normal_motion_of_side(const double* u, const ContactSide* side, CordVec3 n)
{
    const double *p = u + 4 * side->node[0], *q = u + 4 * side->node[1], s = side->s, r = 1.0 - s;
    return n.x * (r * p[0] + s * q[0]) + n.y * (r * p[1] + s * q[1]) + n.z * (r * p[2] + s * q[2]);
}

double delassus_normal_motion(const Delassus* y, const ContactConstraint* c)
{
    double u = normal_motion_of_side(y->u, &c->side[0], c->n);
    return c->sides == 2 ? u - normal_motion_of_side(y->u, &c->side[1], c->n) : u;
}

// Adds the motion of the whole rod by a force and a torque at one of its nodes in contact.
static void add_columns(const Delassus* y, const DelassusRod* rod, int node, CordVec3 f, double torque)
{
    const size_t size = 4 * (size_t)rod->count;
    const double *x = rod->W + 4 * size * (size_t)y->place[node], *p = x + size, *q = p + size, *r = q + size;
    for (int i = 0; i < rod->count; i++) {
        double* u = y->u + 4 * (rod->first_node + y->node[rod->first + i]);
        for (int k = 0; k < 4; k++) {
            int at = 4 * i + k;
            u[k] += (x[at] * f.x + p[at] * f.y) + (q[at] * f.z + r[at] * torque);
        }
    }
}

static bool is_zero(CordVec3 f)
{
    return f.x == 0.0 && f.y == 0.0 && f.z == 0.0;
}

static inline void push_node(const Delassus* y, const ContactConstraints* b, int node, CordVec3 f)
{
    double *u = y->u + 4 * node, w = b->w[node];
    u[0] += w * f.x, u[1] += w * f.y, u[2] += w * f.z;
}

static void push_side(const Delassus* y, const ContactConstraints* b, const ContactSide* side,
                      const SideForce* force)
{
    const DelassusRod* rod = &y->rods[side->rod];
    if (!rod->W && contact_side_is_segment(side)) {
        push_node(y, b, side->node[0], vec3_add(force->node[0], force->node[2]));
        push_node(y, b, side->node[1], vec3_add(force->node[1], force->node[3]));
        y->u[4 * side->node[0] + 3] += b->w_spin[side->segment] * force->torque;
        return;
    }
    for (int k = 0; k < 4; k++) {
        int node = side->node[k];
        double torque = k == 0 ? force->torque : 0.0;
        if (rod->W) {
            if (torque != 0.0 || !is_zero(force->node[k])) {
                add_columns(y, rod, node, force->node[k], torque);
            }
            continue;
        }
        push_node(y, b, node, force->node[k]);
        y->u[4 * node + 3] += k == 0 ? b->w_spin[side->segment] * torque : 0.0;
    }
}

void delassus_push_couple(const Delassus* y, const ContactConstraints* b, const ContactConstraint* c,
                          CordVec3 couple)
{
    for (int side = 0; side < c->sides; side++) {
        SideForce force = contact_side_couple(&c->side[side], side == 0 ? couple : vec3_mul(couple, -1.0));
        push_side(y, b, &c->side[side], &force);
    }
}

static void push_by_columns(const Delassus* y, const DelassusRod* rod, const double* G, CordVec3 f)
{
    for (int i = 0; i < rod->count; i++, G += COLUMNS) {
        double* u = y->u + 4 * (rod->first_node + y->node[rod->first + i]);
        for (int k = 0; k < 4; k++) {
            u[k] += (G[k] * f.x + G[4 + k] * f.y) + G[8 + k] * f.z;
        }
    }
}

void delassus_push(const Delassus* y, const ContactConstraints* b, int i, CordVec3 f)
{
    const ContactConstraint* c = &b->all[i];
    const DelassusBlock* block = &y->all[i];
    for (int side = 0; side < c->sides; side++) {
        CordVec3 force = side == 0 ? f : vec3_mul(f, -1.0);
        if (block->G[side]) {
            push_by_columns(y, &y->rods[c->side[side].rod], block->G[side], force);
        } else {
            SideForce on_nodes = contact_side_force(&c->side[side], c->n, force);
            push_side(y, b, &c->side[side], &on_nodes);
        }
    }
}

// ---- diagonal blocks

// The motion of a side's node by a force and a torque at another node of the same rod; of its segment, too.
static CordVec3 node_response(const Delassus* y, const DelassusRod* rod, int node, int by, CordVec3 f,
                              double torque, double* spin)
{
    const int size = 4 * rod->count;
    const double* W = rod->W + (size_t)size * (size_t)(4 * y->place[by]) + 4 * y->place[node];
    double u[4];
    for (int k = 0; k < 4; k++) {
        u[k] = W[k] * f.x + W[size + k] * f.y + W[2 * size + k] * f.z + W[3 * size + k] * torque;
    }
    *spin += u[3];
    return (CordVec3){u[0], u[1], u[2]};
}

// The motion u of the nodes of `side`, and the spin of its segment, by a force on `other`, both on one rod.
static double own_response_by_compliance(const Delassus* y, const ContactSide* side, const ContactSide* other,
                                         const SideForce* force, CordVec3 u[4])
{
    const DelassusRod* rod = &y->rods[side->rod];
    double spin = 0.0, unused;
    for (int k = 0; k < 4; k++) {
        u[k] = (CordVec3){0, 0, 0};
        for (int i = 0; i < 4; i++) {
            u[k] = vec3_add(u[k], node_response(y, rod, side->node[k], other->node[i], force->node[i],
                                                i == 0 ? force->torque : 0.0, k == 0 ? &spin : &unused));
        }
    }
    return spin;
}

// Likewise by a force on it, where masses alone respond.
static double own_response_by_masses(const ContactConstraints* b, const ContactSide* side,
                                     const SideForce* force, CordVec3 u[4])
{
    const int* node = side->node;
    double spin = b->w_spin[side->segment] * force->torque;
    if (contact_side_is_segment(side)) {
        u[0] = u[2] = vec3_mul(vec3_add(force->node[0], force->node[2]), b->w[node[0]]);
        u[1] = u[3] = vec3_mul(vec3_add(force->node[1], force->node[3]), b->w[node[1]]);
        return spin;
    }
    for (int k = 0; k < 4; k++) {
        CordVec3 sum = force->node[k];
        for (int i = 0; i < 4; i++) {
            sum = i != k && node[i] == node[k] ? vec3_add(sum, force->node[i]) : sum;
        }
        u[k] = vec3_mul(sum, b->w[node[k]]);
    }
    return spin;
}

// Where masses alone respond, nodes that both sides share are left out: contacts of a rod with itself are far
// apart along it.
static bool responds(const Delassus* y, const ContactConstraint* c, int side, int other)
{
    return c->side[side].rod == c->side[other].rod && (y->rods[c->side[side].rod].W || side == other);
}

static double own_response(const Delassus* y, const ContactConstraints* b, const ContactSide* side,
                           const ContactSide* other, const SideForce* force, CordVec3 u[4])
{
    return y->rods[side->rod].W ? own_response_by_compliance(y, side, other, force, u)
                                : own_response_by_masses(b, side, force, u);
}

static CordVec3 own_motion_of_side(const Delassus* y, const ContactConstraints* b, const ContactConstraint* c,
                                   const ContactSide* side, const ContactSide* other, CordVec3 f)
{
    CordVec3 u[4];
    SideForce force = contact_side_force(other, c->n, f);
    double spin = own_response(y, b, side, other, &force, u);
    return contact_side_motion(side, c->n, u, spin);
}

// The turn of a relative to b by a couple on a, and its opposite on b; and the motion of the surfaces.
static CordVec3 own_turn(const Delassus* y, const ContactConstraints* b, const ContactConstraint* c,
                         CordVec3 couple, CordVec3* motion)
{
    CordVec3 sum = {0, 0, 0}, u[4];
    *motion = (CordVec3){0, 0, 0};
    for (int side = 0; side < c->sides; side++) {
        for (int other = 0; other < c->sides; other++) {
            if (responds(y, c, side, other)) {
                SideForce force = contact_side_couple(&c->side[other], couple);
                double spin = own_response(y, b, &c->side[side], &c->side[other], &force, u),
                       sign = side == other ? 1.0 : -1.0;
                sum = vec3_madd(sum, contact_side_turn(&c->side[side], u, spin), sign);
                *motion = vec3_madd(*motion, contact_side_motion(&c->side[side], c->n, u, spin), sign);
            }
        }
    }
    return sum;
}

static void find_columns(const Delassus* y, const ContactConstraint* c, int at, double* G)
{
    const ContactSide* side = &c->side[at];
    const DelassusRod* rod = &y->rods[side->rod];
    const CordVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const size_t size = 4 * (size_t)rod->count;
    memset(G, 0, COLUMNS * (size_t)rod->count * sizeof *G);
    for (int axis = 0; axis < 3; axis++) {
        SideForce force = contact_side_force(side, c->n, axes[axis]);
        for (int k = 0; k < 4; k++) {
            const double* W = rod->W + 4 * size * (size_t)y->place[side->node[k]];
            CordVec3 f = force.node[k];
            double torque = k == 0 ? force.torque : 0.0;
            if (torque == 0.0 && is_zero(f)) {
                continue;
            }
            double* out = G + 4 * axis;
            for (int i = 0; i < rod->count; i++, W += 4, out += COLUMNS) {
                for (size_t j = 0; j < 4; j++) {
                    out[j] +=
                        (W[j] * f.x + W[size + j] * f.y) + (W[2 * size + j] * f.z + W[3 * size + j] * torque);
                }
            }
        }
    }
}

// The motion of the surface of one side by a force on that of another, both on one rod.
static CordVec3 motion_by_columns(const Delassus* y, const ContactConstraint* c, const ContactSide* side,
                                  const double* G, CordVec3 f)
{
    double u[4][4];
    for (int n = 0; n < 4; n++) {
        const double* at = G + COLUMNS * y->place[side->node[n]];
        for (int k = 0; k < 4; k++) {
            u[n][k] = (at[k] * f.x + at[4 + k] * f.y) + at[8 + k] * f.z;
        }
    }
    const CordVec3 move[4] = {{u[0][0], u[0][1], u[0][2]},
                              {u[1][0], u[1][1], u[1][2]},
                              {u[2][0], u[2][1], u[2][2]},
                              {u[3][0], u[3][1], u[3][2]}};
    return contact_side_motion(side, c->n, move, u[0][3]);
}

CordVec3 delassus_response(const Delassus* y, const ContactConstraints* b, int i, int j, CordVec3 f)
{
    const ContactConstraint *c = &b->all[i], *by = &b->all[j];
    CordVec3 sum = {0, 0, 0};
    for (int side = 0; side < c->sides; side++) {
        for (int other = 0; other < by->sides; other++) {
            if (c->side[side].rod == by->side[other].rod) {
                CordVec3 u = motion_by_columns(y, c, &c->side[side], y->all[j].G[other], f);
                sum = vec3_madd(sum, u, side == other ? 1.0 : -1.0);
            }
        }
    }
    return sum;
}

static CordVec3 own_motion(const Delassus* y, const ContactConstraints* b, int i, CordVec3 f)
{
    const ContactConstraint* c = &b->all[i];
    CordVec3 sum = {0, 0, 0};
    for (int side = 0; side < c->sides; side++) {
        for (int other = 0; other < c->sides; other++) {
            if (responds(y, c, side, other)) {
                const double* G = y->all[i].G[other];
                CordVec3 u = G ? motion_by_columns(y, c, &c->side[side], G, f)
                               : own_motion_of_side(y, b, c, &c->side[side], &c->side[other], f);
                sum = vec3_madd(sum, u, side == other ? 1.0 : -1.0);
            }
        }
    }
    return sum;
}

// Diagonalises the symmetric tangential block (a, b; b, c) by a Jacobi rotation.
static void find_axes(CordVec3 one, CordVec3 two, double a, double b, double c, CordVec3 across[2],
                      double W_tt[2])
{
    double half = 0.5 * (a - c), size = sqrt(half * half + b * b), mean = 0.5 * (a + c);
    double cosine = 1.0, sine = 0.0;
    if (size > 0.0) { // cosine and sine of half the angle of (half, b)
        double x = sqrt(0.5 * (1.0 + fabs(half) / size)), other = b / (2.0 * size * x);
        cosine = half >= 0.0 ? x : fabs(other);
        sine = half >= 0.0 ? other : (b >= 0.0 ? x : -x);
    }
    across[0] = vec3_madd(vec3_mul(one, cosine), two, sine);
    across[1] = vec3_madd(vec3_mul(two, cosine), one, -sine);
    W_tt[0] = mean + size;
    W_tt[1] = real_max(mean - size, LEAST * (mean + size));
}

// The force that holds the surfaces where a motion u would part or slip them.
static CordVec3 holding_force(const DelassusBlock* block, const ContactConstraint* c, CordVec3 u)
{
    const double *W = block->W_tt, *tn = block->W_tn;
    double x = vec3_dot(u, block->across[0]), z = vec3_dot(u, block->across[1]),
           normal = (vec3_dot(u, c->n) - tn[0] * x / W[0] - tn[1] * z / W[1]) /
                    (block->W_nn + c->compliance - tn[0] * tn[0] / W[0] - tn[1] * tn[1] / W[1]);
    CordVec3 f = vec3_madd(vec3_mul(block->across[0], (x - tn[0] * normal) / W[0]), block->across[1],
                           (z - tn[1] * normal) / W[1]);
    return vec3_madd(f, c->n, normal);
}

void delassus_couple_diagonal(const Delassus* y, ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    const DelassusBlock* block = &y->all[i];
    ContactCouple* k = &b->couples[i];
    bool holds = block->known && block->W_tt[0] > 0.0;
    CordVec3 *axis = k->axes.axis, *dual = k->axes.dual, one = axis[1], two = axis[2], dual_one = dual[1],
             dual_two = dual[2], u, v, none, p = own_turn(y, b, c, one, &u), q = own_turn(y, b, c, two, &v),
             f = holds ? holding_force(block, c, u) : (CordVec3){0, 0, 0},
             g = holds ? holding_force(block, c, v) : (CordVec3){0, 0, 0};
    double W[3] = {vec3_dot(p, one) - vec3_dot(u, f),
                   0.5 * (vec3_dot(p, two) + vec3_dot(q, one)) - 0.5 * (vec3_dot(u, g) + vec3_dot(v, f)),
                   vec3_dot(q, two) - vec3_dot(v, g)};
    find_axes(one, two, W[0], W[1], W[2], axis + 1, k->W + 1);
    find_axes(dual_one, dual_two, W[0], W[1], W[2], dual + 1, k->W + 1);
    for (int j = 0; j < 3; j++) {
        k->W_free[j] = vec3_dot(own_turn(y, b, c, axis[j], &none), axis[j]);
    }
    for (int j = 1; j < 3; j++) {
        k->W_free[j] = real_max(k->W_free[j], k->W[j]); // which is not zero
    }
    k->W[0] = k->W_free[0];
    k->known = true;
}

void delassus_diagonal(const Delassus* y, const ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    DelassusBlock* block = &y->all[i];
    for (int side = 0; side < c->sides; side++) {
        if (block->G[side]) {
            find_columns(y, c, side, block->G[side]);
        }
    }
    CordVec3 along = own_motion(y, b, i, c->n);
    block->known = true;
    block->W_nn = vec3_dot(along, c->n);
    if (c->mu == 0.0) {
        block->across[0] = block->across[1] = (CordVec3){0, 0, 0};
        block->W_tt[0] = block->W_tt[1] = block->W_tn[0] = block->W_tn[1] = 0.0;
        return;
    }
    CordVec3 one = vec3_any_normal(c->n), two = vec3_cross(c->n, one);
    CordVec3 p = own_motion(y, b, i, one), q = own_motion(y, b, i, two);
    find_axes(one, two, vec3_dot(p, one), 0.5 * (vec3_dot(p, two) + vec3_dot(q, one)), vec3_dot(q, two),
              block->across, block->W_tt);
    for (int k = 0; k < 2; k++) {
        block->W_tn[k] = vec3_dot(along, block->across[k]);
    }
}

// The result stays within the friction cones, because they are convex.
void delassus_apply(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share)
{
    for (int k = batch.first; k < batch.last; k++) {
        int i = y->order[k];
        ContactConstraint* c = &b->all[i];
        const ContactImpulse* first = &y->all[i].start;
        if (b->rolls) {
            rolling_apply(b, i, share);
        }
        if (!y->all[i].known) { // it has not changed
            continue;
        }
        if (share < 1.0) {
            c->normal_impulse = first->normal_impulse + share * (c->normal_impulse - first->normal_impulse);
            c->friction_impulse = vec3_madd(first->friction_impulse,
                                            vec3_sub(c->friction_impulse, first->friction_impulse), share);
        }
        constraint_apply(b, c,
                         vec3_madd(vec3_sub(c->friction_impulse, first->friction_impulse), c->n,
                                   c->normal_impulse - first->normal_impulse));
    }
}

void delassus_retreat(const Delassus* y, ContactConstraints* b)
{
    for (int k = 0; k < y->order_count; k++) {
        ContactConstraint* c = &b->all[y->order[k]];
        const ContactImpulse* first = &y->all[y->order[k]].start;
        double normal = 0.5 * (first->normal_impulse - c->normal_impulse);
        CordVec3 friction = vec3_mul(vec3_sub(first->friction_impulse, c->friction_impulse), 0.5);
        c->normal_impulse += normal;
        c->friction_impulse = vec3_add(c->friction_impulse, friction);
        constraint_apply(b, c, vec3_madd(friction, c->n, normal));
        if (b->rolls) {
            rolling_retreat(b, y->order[k]);
        }
    }
}
