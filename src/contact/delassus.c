#include "contact/delassus.h"

#include "base/real.h"
#include "contact/delassus_kernel.h"
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
           memory_reserve(m, (void**)&y->groups, cs->rod_count, &y->group_capacity, sizeof(DelassusBatch)) &&
           memory_reserve(m, (void**)&y->by_group, cs->rod_count, &y->by_group_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->node, cs->node_count, &y->node_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->node_at, cs->node_count, &y->node_at_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->place, cs->node_count, &y->place_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&y->u, cs->node_count, &y->u_capacity[0], 4 * sizeof(double)) &&
           memory_reserve(m, (void**)&y->u_before, cs->node_count, &y->u_capacity[1], 4 * sizeof(double)) &&
           memory_reserve(m, (void**)&y->u_direction, cs->node_count, &y->u_capacity[2],
                          4 * sizeof(double)) &&
           memory_reserve(m, (void**)&y->inverse, cs->node_count, &y->u_capacity[3], 4 * sizeof(double)) &&
           memory_reserve(m, (void**)&y->rows, b->count, &y->row_capacity,
                          DELASSUS_MOST_NODES * DELASSUS_ROWS * sizeof(double));
}

static bool yields(const ContactConstraints* b, int i)
{
    return b->contacts.all[b->past[i].contact].yields;
}

static int first_of_group(DelassusRod* rods, int rod)
{
    while (rods[rod].first_of_group != rod) {
        rods[rod].first_of_group = rods[rods[rod].first_of_group].first_of_group; // halves the path
        rod = rods[rod].first_of_group;
    }
    return rod;
}

// Groups rods that contacts couple, in the order of their first rods.
static void find_groups(Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    for (int i = 0; i < cs->rod_count; i++) {
        y->rods[i] = (DelassusRod){.first_of_group = i,
                                   .group = -1,
                                   .first_node = cs->rods[i].first_node,
                                   .node_count = cs->rods[i].node_count};
    }
    for (int i = 0; i < b->count; i++) {
        const ContactConstraint* c = &b->all[i];
        for (int side = 0; side < c->sides && is_active(b, i); side++) {
            int p = first_of_group(y->rods, c->side[0].rod), q = first_of_group(y->rods, c->side[side].rod);
            y->rods[p < q ? q : p].first_of_group = p < q ? p : q;
            y->rods[c->side[side].rod].group = 0; // it is touched
        }
    }
    y->group_count = y->touched_count = 0;
    for (int i = 0; i < cs->rod_count; i++) {
        int first = first_of_group(y->rods, i);
        if (y->rods[i].group == 0 && first == i) {
            y->groups[y->group_count] = (DelassusBatch){0};
        }
        y->rods[i].group = y->rods[i].group < 0 ? -1 : first == i ? y->group_count++ : y->rods[first].group;
    }
}

// Sorts touched rods by group.
static void sort_rods(Delassus* y, const Colliders* cs)
{
    for (int i = 0; i < cs->rod_count; i++) {
        if (y->rods[i].group >= 0) {
            y->groups[y->rods[i].group].last_rod++;
        }
    }
    for (int g = 0; g < y->group_count; g++) {
        int count = y->groups[g].last_rod;
        y->groups[g].last_rod = y->touched_count;
        y->touched_count += count;
    }
    for (int i = 0; i < cs->rod_count; i++) {
        if (y->rods[i].group >= 0) {
            y->by_group[y->groups[y->rods[i].group].last_rod++] = i;
        }
    }
}

// Sorts the active constraints by group and rod, otherwise in their own order. Those that yield come last
// among those of a rod. Where one is corrected before the one that it yields to, it takes the impulse of
// both, and hands it on by the slack that it yields in each sweep; backward sweeps do correct it first, but
// the other one pushes by then.
static void find_order(Delassus* y, const ContactConstraints* b)
{
    int sum = 0;
    for (int k = 0; k < y->touched_count; k++) {
        y->rods[y->by_group[k]].last_constraint = 0;
    }
    for (int i = 0; i < b->count; i++) {
        y->rods[b->all[i].side[0].rod].last_constraint += is_active(b, i);
    }
    for (int k = 0; k < y->touched_count; k++) {
        DelassusRod* rod = &y->rods[y->by_group[k]];
        int count = rod->last_constraint;
        rod->first_constraint = rod->last_constraint = sum;
        sum += count;
        if (k == 0 || rod->group != y->rods[y->by_group[k - 1]].group) {
            y->groups[rod->group].first = rod->first_constraint;
        }
        y->groups[rod->group].last = sum;
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
    for (int k = 0; k < y->touched_count; k++) {
        DelassusRod* rod = &y->rods[y->by_group[k]];
        DelassusBatch* group = &y->groups[rod->group];
        rod->first = y->node_count;
        for (int n = 0; n < rod->node_count; n++) {
            int* place = &y->place[rod->first_node + n];
            if (*place) {
                *place = y->node_count - rod->first;
                y->node_at[y->node_count] = rod->first_node + n;
                y->node[y->node_count++] = n;
            }
        }
        rod->count = y->node_count - rod->first;
        group->first_node = group->last_node == 0 ? rod->first : group->first_node;
        group->last_node = y->node_count;
    }
}

static void find_inverse_masses(Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    for (int i = 0; i < cs->node_count; i++) {
        double* inverse = y->inverse + 4 * i;
        inverse[0] = inverse[1] = inverse[2] = b->w[i];
        inverse[3] = 0.0;
    }
    for (int i = 0; i < cs->segment_count; i++) {
        y->inverse[4 * cs->segments[i].node[0] + 3] = b->w_spin[i];
    }
}

static int add_node(DelassusBlock* block, int first, int node)
{
    for (int i = first; i < block->node_count; i++) {
        if (block->node[i] == node) {
            return i;
        }
    }
    block->node[block->node_count] = node;
    return block->node_count++;
}

bool delassus_find(Memory* m, Delassus* y, const ContactConstraints* b, const Colliders* cs)
{
    if (!reserve(m, y, b, cs)) {
        return false;
    }
    find_groups(y, b, cs);
    sort_rods(y, cs);
    find_order(y, b);
    find_nodes(y, b, cs);
    find_inverse_masses(y, b, cs);
    double* J = y->rows;
    for (int i = 0; i < b->count; i++) {
        y->all[i].J = NULL;
    }
    for (int k = 0; k < y->order_count; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        DelassusBlock* block = &y->all[y->order[k]];
        block->known = false;
        block->J = J;
        block->G[0] = block->G[1] = NULL;
        block->W_nn = block->W_tt[0] = block->lambda = block->last[0] = block->last[1] = 0.0;
        block->node_count = 0;
        for (int i = 0; i < 4 * c->sides; i++) {
            block->first_of_b = i < 4 ? DELASSUS_MOST_NODES : i == 4 ? block->node_count : block->first_of_b;
            add_node(block, i < 4 ? 0 : block->first_of_b, c->side[i / 4].node[i % 4]);
        }
        J += DELASSUS_ROWS * block->node_count;
    }
    return true;
}

bool delassus_select(Delassus* y, const ContactConstraints* b)
{
    for (int i = 0; i < b->count; i++) {
        if (is_active(b, i) && !y->all[i].J) {
            return false;
        }
    }
    find_order(y, b);
    return true;
}

size_t delassus_columns(const Delassus* y, const ContactConstraints* b, DelassusBatch batch)
{
    size_t sum = 0;
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        for (int side = 0; side < c->sides; side++) {
            const DelassusRod* rod = &y->rods[c->side[side].rod];
            sum += rod->W ? DELASSUS_ROWS * (size_t)rod->count : 0;
        }
    }
    return sum;
}

void delassus_set_columns(const Delassus* y, const ContactConstraints* b, DelassusBatch batch, double* room)
{
    for (int k = batch.first; k < batch.last; k++) {
        const ContactConstraint* c = &b->all[y->order[k]];
        for (int side = 0; side < c->sides; side++) {
            const DelassusRod* rod = &y->rods[c->side[side].rod];
            y->all[y->order[k]].G[side] = rod->W ? room : NULL;
            room += rod->W ? DELASSUS_ROWS * rod->count : 0;
        }
    }
}

DelassusBatch delassus_all(const Delassus* y)
{
    return (DelassusBatch){0, y->order_count, 0, y->node_count, y->touched_count};
}

DelassusBatch delassus_of_rod(const Delassus* y, int rod)
{
    const DelassusRod* r = &y->rods[rod];
    return (DelassusBatch){r->first_constraint, r->last_constraint, r->first, r->first + r->count, 0};
}

static void read_impulse(DelassusBlock* block, const ContactConstraint* c)
{
    block->impulse[0] = c->normal_impulse;
    block->impulse[1] = vec3_dot(c->friction_impulse, block->across[0]);
    block->impulse[2] = vec3_dot(c->friction_impulse, block->across[1]);
    block->impulse[3] = 0.0;
    block->slides = c->slides;
}

// Starts to count impulses, in the axes of the block.
static void start_block(const Delassus* y, const ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    DelassusBlock* block = &y->all[i];
    read_impulse(block, c);
    block->gap = c->gap;
    for (int k = 0; k < 2; k++) {
        block->slip[k] = vec3_dot(c->slip, block->across[k]);
    }
    memcpy(block->start, block->impulse, sizeof block->start);
    memcpy(block->before, block->impulse, sizeof block->before);
    memset(block->direction, 0, sizeof block->direction);
    block->last[0] = block->last[1] = 0.0;
}

void delassus_begin(const Delassus* y, ContactConstraints* b, DelassusBatch batch)
{
    for (int n = batch.first_node; n < batch.last_node; n++) {
        memset(y->u + 4 * y->node_at[n], 0, 4 * sizeof(double));
        memset(y->u_direction + 4 * y->node_at[n], 0, 4 * sizeof(double));
    }
    for (int k = batch.first; k < batch.last; k++) {
        bool known = y->all[y->order[k]].known;
        if (known) {
            start_block(y, b, y->order[k]);
        }
        if (b->rolls) {
            rolling_begin(b, y->order[k], !known);
        }
    }
}

// A vector in the axes of a block.
static CordVec3 in_space(const DelassusBlock* block, CordVec3 n, const double f[3])
{
    return vec3_madd(vec3_madd(vec3_mul(block->across[0], f[1]), block->across[1], f[2]), n, f[0]);
}

void delassus_end(const Delassus* y, ContactConstraints* b, DelassusBatch batch)
{
    for (int k = batch.first; k < batch.last; k++) {
        const DelassusBlock* block = &y->all[y->order[k]];
        ContactConstraint* c = &b->all[y->order[k]];
        if (block->known) { // others have not changed
            const double friction[3] = {0.0, block->impulse[1], block->impulse[2]};
            c->normal_impulse = block->impulse[0];
            c->friction_impulse = in_space(block, c->n, friction);
            c->slides = block->slides;
        }
    }
}

void delassus_free(Memory* m, Delassus* y)
{
    memory_array_free(m, y->all, y->block_capacity);
    memory_array_free(m, y->order, y->order_capacity);
    memory_array_free(m, y->rods, y->rod_capacity);
    memory_array_free(m, y->groups, y->group_capacity);
    memory_array_free(m, y->by_group, y->by_group_capacity);
    memory_array_free(m, y->node, y->node_capacity);
    memory_array_free(m, y->node_at, y->node_at_capacity);
    memory_array_free(m, y->place, y->place_capacity);
    memory_array_free(m, y->u, 4 * y->u_capacity[0]);
    memory_array_free(m, y->u_before, 4 * y->u_capacity[1]);
    memory_array_free(m, y->u_direction, 4 * y->u_capacity[2]);
    memory_array_free(m, y->inverse, 4 * y->u_capacity[3]);
    memory_array_free(m, y->rows, DELASSUS_MOST_NODES * DELASSUS_ROWS * y->row_capacity);
    *y = (Delassus){0};
}

// ---- motion and push

void delassus_motion(const Delassus* y, const DelassusBlock* block, double motion[4])
{
    KERNEL_CHOOSE(delassus_kernels)->motion(y, block, motion);
}

void delassus_push(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block,
                   const double f[4])
{
    KERNEL_CHOOSE(delassus_kernels)->push(y, c, block, f);
}

static CordVec3 node_motion(const double* u, int node)
{
    return (CordVec3){u[4 * node], u[4 * node + 1], u[4 * node + 2]};
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

void delassus_push_couple(const Delassus* y, const ContactConstraint* c, CordVec3 couple)
{
    for (int at = 0; at < c->sides; at++) {
        const ContactSide* side = &c->side[at];
        SideForce force = contact_side_couple(side, at == 0 ? couple : vec3_mul(couple, -1.0));
        for (int k = 0; k < 4; k++) {
            CordVec3 f = force.node[k];
            const double on_node[4] = {f.x, f.y, f.z, k == 0 ? force.torque : 0.0};
            KERNEL_CHOOSE(delassus_kernels)->push_node(y, &y->rods[side->rod], side->node[k], on_node);
        }
    }
}

// ---- diagonal blocks

// Adds the forces on a side by a unit force or couple to a row of each of its nodes.
static void add_to_row(const DelassusBlock* block, const ContactSide* side, int first, const SideForce* force,
                       double sign, double* row)
{
    for (int k = 0; k < 4; k++) {
        int i = first;
        while (block->node[i] != side->node[k]) {
            i++;
        }
        double* out = row + DELASSUS_ROWS * i;
        out[0] += sign * force->node[k].x;
        out[1] += sign * force->node[k].y;
        out[2] += sign * force->node[k].z;
        out[3] += k == 0 ? sign * force->torque : 0.0;
    }
}

// Three rows of J, by unit forces along these axes on the surfaces, or by couples about them.
static void find_rows(const DelassusBlock* block, const ContactConstraint* c, const CordVec3 axes[3],
                      bool couples, double* rows)
{
    memset(rows, 0, sizeof *rows * (size_t)(DELASSUS_ROWS * block->node_count));
    for (int at = 0; at < c->sides; at++) {
        const ContactSide* side = &c->side[at];
        for (int k = 0; k < 3; k++) {
            SideForce force =
                couples ? contact_side_couple(side, axes[k]) : contact_side_force(side, c->n, axes[k]);
            add_to_row(block, side, at == 0 ? 0 : block->first_of_b, &force, at == 0 ? 1.0 : -1.0,
                       rows + 4 * k);
        }
    }
}

static double dot4(const double* p, const double* q)
{
    return (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]);
}

// Adds P A^-1 Q' by the compliance of a rod between two nodes.
static void add_by_compliance(const Delassus* y, const DelassusRod* rod, int node, int by, const double* P,
                              const double* Q, double sum[3][3])
{
    const int size = 4 * rod->count;
    const double* W = rod->W + (size_t)size * (size_t)(4 * y->place[by]) + 4 * y->place[node];
    for (int k = 0; k < 3; k++) {
        const double* q = Q + 4 * k;
        double u[4];
        for (int j = 0; j < 4; j++) {
            u[j] = (W[j] * q[0] + W[size + j] * q[1]) + (W[2 * size + j] * q[2] + W[3 * size + j] * q[3]);
        }
        for (int l = 0; l < 3; l++) {
            sum[l][k] += dot4(P + 4 * l, u);
        }
    }
}

// P A^-1 Q' of two sets of three rows. Where masses alone respond, nodes that both sides share are left out:
// contacts of a rod with itself are far apart along it.
static void find_product(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block,
                         const double* P, const double* Q, double product[3][3])
{
    memset(product, 0, 9 * sizeof(double));
    for (int i = 0; i < block->node_count; i++) {
        int side = i >= block->first_of_b;
        const DelassusRod* rod = &y->rods[c->side[side].rod];
        const double *p = P + DELASSUS_ROWS * i, *q = Q + DELASSUS_ROWS * i,
                     *inverse = y->inverse + 4 * block->node[i];
        for (int k = 0; k < 3 && !rod->W; k++) {
            const double u[4] = {inverse[0] * q[4 * k], inverse[1] * q[4 * k + 1], inverse[2] * q[4 * k + 2],
                                 inverse[3] * q[4 * k + 3]};
            for (int l = 0; l < 3; l++) {
                product[l][k] += dot4(p + 4 * l, u);
            }
        }
        for (int j = 0; j < block->node_count && rod->W; j++) {
            if (c->side[j >= block->first_of_b].rod == c->side[side].rod) {
                add_by_compliance(y, rod, block->node[i], block->node[j], p, Q + DELASSUS_ROWS * j, product);
            }
        }
    }
}

typedef struct Rotation {
    double cosine, sine;
} Rotation;

// Diagonalises the symmetric tangential block (a, b; b, c) by a Jacobi rotation.
static Rotation find_rotation(double a, double b, double c, double W_tt[2])
{
    double half = 0.5 * (a - c), size = sqrt(half * half + b * b), mean = 0.5 * (a + c);
    Rotation r = {1.0, 0.0};
    if (size > 0.0) { // half the angle of (half, b)
        double x = sqrt(0.5 * (1.0 + fabs(half) / size)), other = b / (2.0 * size * x);
        r.cosine = half >= 0.0 ? x : fabs(other);
        r.sine = half >= 0.0 ? other : (b >= 0.0 ? x : -x);
    }
    W_tt[0] = mean + size;
    W_tt[1] = real_max(mean - size, LEAST * (mean + size));
    return r;
}

static void rotate(Rotation r, double* one, double* two)
{
    double p = *one, q = *two;
    *one = r.cosine * p + r.sine * q;
    *two = r.cosine * q - r.sine * p;
}

static void rotate_axes(Rotation r, CordVec3* one, CordVec3* two)
{
    rotate(r, &one->x, &two->x);
    rotate(r, &one->y, &two->y);
    rotate(r, &one->z, &two->z);
}

// The force that holds the surfaces where a motion u would part or slip them, in the axes of the block.
static void find_holding_force(const DelassusBlock* block, const ContactConstraint* c, const double u[3],
                               double f[3])
{
    const double *W = block->W_tt, *tn = block->W_tn;
    f[0] = (u[0] - tn[0] * u[1] / W[0] - tn[1] * u[2] / W[1]) /
           (block->W_nn + c->compliance - tn[0] * tn[0] / W[0] - tn[1] * tn[1] / W[1]);
    f[1] = (u[1] - tn[0] * f[0]) / W[0];
    f[2] = (u[2] - tn[1] * f[0]) / W[1];
}

void delassus_couple_diagonal(const Delassus* y, ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    const DelassusBlock* block = &y->all[i];
    ContactCouple* k = &b->couples[i];
    double T[DELASSUS_MOST_NODES * DELASSUS_ROWS], free[3][3], mixed[3][3], W[3][3];
    find_rows(block, c, k->axes.axis, true, T);
    find_product(y, c, block, T, T, free);
    find_product(y, c, block, T, block->J, mixed); // row j: the motion of the surfaces by couple j
    memcpy(W, free, sizeof W);
    for (int j = 0; j < 3 && block->known && block->W_tt[0] > 0.0; j++) {
        double force[3];
        find_holding_force(block, c, mixed[j], force);
        for (int l = 0; l < 3; l++) {
            W[l][j] -= mixed[l][0] * force[0] + mixed[l][1] * force[1] + mixed[l][2] * force[2];
        }
    }
    Rotation r = find_rotation(W[1][1], 0.5 * (W[1][2] + W[2][1]), W[2][2], k->W + 1);
    rotate_axes(r, &k->axes.axis[1], &k->axes.axis[2]);
    rotate_axes(r, &k->axes.dual[1], &k->axes.dual[2]);
    double both = 2.0 * r.cosine * r.sine * 0.5 * (free[1][2] + free[2][1]), p = r.cosine * r.cosine,
           q = r.sine * r.sine;
    k->W[0] = k->W_free[0] = free[0][0];
    k->W_free[1] = real_max(p * free[1][1] + both + q * free[2][2], k->W[1]); // which is not zero
    k->W_free[2] = real_max(q * free[1][1] - both + p * free[2][2], k->W[2]);
    k->known = true;
}

void delassus_response(const Delassus* y, const ContactConstraints* b, int i, int j, double W[3][3])
{
    const ContactConstraint *c = &b->all[i], *by = &b->all[j];
    const DelassusBlock* block = &y->all[i];
    memset(W, 0, 9 * sizeof(double));
    for (int n = 0; n < block->node_count; n++) {
        int rod = c->side[n >= block->first_of_b].rod, node = block->node[n];
        for (int side = 0; side < by->sides; side++) {
            const double* G = y->all[j].G[side] + DELASSUS_ROWS * y->place[node];
            for (int k = 0; k < 9 && by->side[side].rod == rod; k++) {
                W[k / 3][k % 3] += dot4(block->J + DELASSUS_ROWS * n + 4 * (k / 3), G + 4 * (k % 3));
            }
        }
    }
}

void delassus_diagonal(const Delassus* y, const ContactConstraints* b, int i)
{
    const ContactConstraint* c = &b->all[i];
    DelassusBlock* block = &y->all[i];
    CordVec3 one = vec3_any_normal(c->n), two = vec3_cross(c->n, one), none = {0, 0, 0};
    bool rubs = c->mu > 0.0;
    const CordVec3 axes[3] = {c->n, rubs ? one : none, rubs ? two : none};
    double W[3][3];
    find_rows(block, c, axes, false, block->J);
    find_product(y, c, block, block->J, block->J, W);
    Rotation r = find_rotation(W[1][1], 0.5 * (W[1][2] + W[2][1]), W[2][2], block->W_tt);
    block->known = true;
    block->W_nn = W[0][0];
    block->W_tn[0] = W[1][0], block->W_tn[1] = W[2][0];
    block->across[0] = axes[1], block->across[1] = axes[2];
    rotate(r, &block->W_tn[0], &block->W_tn[1]);
    rotate_axes(r, &block->across[0], &block->across[1]);
    for (int n = 0; n < block->node_count; n++) {
        for (int k = 0; k < 4; k++) {
            double* row = block->J + DELASSUS_ROWS * n + k;
            rotate(r, row + 4, row + 8);
        }
    }
    for (int side = 0; side < c->sides; side++) {
        if (block->G[side]) {
            int first = side == 0 ? 0 : block->first_of_b,
                last = c->sides == 2 && side == 0 ? block->first_of_b : block->node_count;
            KERNEL_CHOOSE(delassus_kernels)
                ->columns(y, block, &y->rods[c->side[side].rod], first, last, block->G[side]);
        }
    }
    start_block(y, b, i);
}

// ---- the end of a round

// Adds a change of impulses to what contact has moved.
static void move_by(const DelassusBlock* block, ContactConstraints* b, ContactConstraint* c,
                    const double change[3])
{
    constraint_apply(b, c, in_space(block, c->n, change));
}

// The result stays within the friction cones, because they are convex.
void delassus_apply(const Delassus* y, ContactConstraints* b, DelassusBatch batch, double share)
{
    for (int k = batch.first; k < batch.last; k++) {
        int i = y->order[k];
        DelassusBlock* block = &y->all[i];
        if (b->rolls) {
            rolling_apply(b, i, share);
        }
        if (!block->known) { // it has not changed
            continue;
        }
        double change[3];
        for (int j = 0; j < 3; j++) {
            change[j] = share * (block->impulse[j] - block->start[j]);
            block->impulse[j] = share < 1.0 ? block->start[j] + change[j] : block->impulse[j];
        }
        move_by(block, b, &b->all[i], change);
    }
    if (share < 1.0) {
        delassus_end(y, b, batch);
    }
}

void delassus_retreat(const Delassus* y, ContactConstraints* b)
{
    for (int k = 0; k < y->order_count; k++) {
        int i = y->order[k];
        DelassusBlock* block = &y->all[i];
        if (block->known) {
            double change[3];
            read_impulse(block, &b->all[i]); // it may have been extrapolated since
            for (int j = 0; j < 3; j++) {
                change[j] = 0.5 * (block->start[j] - block->impulse[j]);
                block->impulse[j] += change[j];
            }
            move_by(block, b, &b->all[i], change);
        }
        if (b->rolls) {
            rolling_retreat(b, i);
        }
    }
    delassus_end(y, b, (DelassusBatch){.last = y->order_count});
}
