#include "step/barrier_sparse.h"

#include "body/inertia.h"
#include "solve/newton_parts.h"
#include "step/barrier.h"

#include <string.h>

#define FIRST_POOL ((size_t)1 << 16) // [bytes]
#define MOST_POOL (SIZE_MAX / 4)

#define MOST_PARTS 9

struct ContactPart { // of one block row
    int at;
    double B[3][8]; // motion of the surface a by its unknowns, relative to b; padded as sparse_ldu_add_outer
};

bool sparse_suits(const BarrierSolver* t)
{
    for (int i = 0; i < t->system_count; i++) {
        if (t->systems[i].joins || t->systems[i].rods->spans->ring) {
            return false;
        }
    }
    return true;
}

void sparse_free(Memory* m, SparseSystem* s)
{
    arena_free(m, &s->pool);
    memory_array_free(m, s->sizes, s->size_capacity);
    memory_array_free(m, s->pairs, s->pair_capacity);
    memory_array_free(m, s->r, s->r_capacity);
    memory_array_free(m, s->right, s->right_capacity);
    memory_array_free(m, s->parts, s->part_capacity);
    *s = (SparseSystem){0};
}

// ---- sparsity pattern

static bool add_pair(BarrierSolver* t, int i, int j)
{
    SparseSystem* s = &t->sparse;
    if (s->pair_count == s->pair_capacity &&
        !memory_grow(t->memory, (void**)&s->pairs, s->pair_count, &s->pair_capacity, sizeof(SparseLduPair))) {
        return false;
    }
    s->pairs[s->pair_count++] = (SparseLduPair){i, j};
    return true;
}

static int body_row(const BarrierSolver* t, int solid)
{
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].solid == solid) {
            return t->colliders.node_count + i;
        }
    }
    return -1;
}

// ---- the Jacobian of a contact, by block rows


// Block rows of a contact: the nodes of each segment and of its chord, and the body.
static int rows_of(const BarrierSolver* t, const ContactPoint* contact, int at[MOST_PARTS])
{
    const Colliders* cs = &t->colliders;
    int count = 0;
    for (int side = 0; side < (contact->kind == CONTACT_SEGMENTS ? 2 : 1); side++) {
        const int* node = cs->segments[side == 0 ? contact->key.a : contact->key.b].node;
        at[count++] = node[0], at[count++] = node[1];
        if (contact_point_has_chord(contact, side)) {
            at[count++] = contact->chord[side][0], at[count++] = contact->chord[side][1];
        }
    }
    int body = contact->kind == CONTACT_SEGMENTS ? -1 : body_row(t, contact->key.b);
    if (body >= 0) {
        at[count++] = body;
    }
    return count;
}

static bool add_contact_pairs(BarrierSolver* t, const ContactPoint* contact)
{
    int at[MOST_PARTS], count = rows_of(t, contact, at);
    bool good = true;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < a; b++) {
            good = good && (at[a] == at[b] || add_pair(t, at[a], at[b]));
        }
    }
    return good;
}

static bool add_rod_pairs(BarrierSolver* t)
{
    bool good = true;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        int first = t->colliders.rods[i].first_node, count = t->colliders.rods[i].node_count;
        for (int k = 0; k < count; k++) {
            good = good && (k + 1 >= count || add_pair(t, first + k, first + k + 1)) &&
                   (k + 2 >= count || add_pair(t, first + k, first + k + 2));
        }
    }
    return good;
}

static void* pool_alloc(void* user, size_t size, size_t align)
{
    Arena* pool = user;
    (void)align; // the arena's alignment is at least as large
    return arena_space(size, 1) <= pool->size - pool->used ? arena_push_bytes(pool, size) : NULL;
}

static void pool_free(void* user, void* block, size_t size, size_t align) // the pool is emptied as one
{
    (void)user, (void)block, (void)size, (void)align;
}

static CordResult create_blocks(Memory* m, SparseSystem* s, int count)
{
    size_t more = s->pool.size;
    for (;;) {
        arena_reset(&s->pool);
        memory_init(&s->from_pool, (CordAllocator){pool_alloc, pool_free, &s->pool});
        CordResult result =
            sparse_ldu_create(&s->from_pool, &s->blocks, s->sizes, count, s->pairs, s->pair_count);
        if (result != CORD_NO_MEMORY) {
            return result;
        }
        more = more > 0 ? 2 * more : FIRST_POOL;
        if (more > MOST_POOL || !arena_reserve(m, &s->pool, more)) {
            return CORD_NO_MEMORY;
        }
    }
}

static bool create_matrix(BarrierSolver* t)
{
    SparseSystem* s = &t->sparse;
    int count = t->colliders.node_count + t->body_count;
    if (!barrier_reserve(t->memory, (void**)&s->sizes, count, &s->size_capacity, sizeof(int))) {
        return false;
    }
    for (int i = 0; i < t->colliders.rod_count; i++) {
        for (int k = 0; k < t->colliders.rods[i].node_count; k++) {
            s->sizes[t->colliders.rods[i].first_node + k] = t->rods[i].rod->spans->block;
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        s->sizes[t->colliders.node_count + i] = 6;
    }
    s->node_count = t->colliders.node_count, s->body_count = t->body_count;
    return create_blocks(t->memory, s, count) == CORD_OK &&
           barrier_reserve(t->memory, (void**)&s->r, s->blocks.n, &s->r_capacity, sizeof(double));
}

static bool pattern_has_contact(const BarrierSolver* t, const ContactPoint* contact)
{
    int at[MOST_PARTS], count = rows_of(t, contact, at);
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < a; b++) {
            if (!sparse_ldu_at(&t->sparse.blocks, at[a], at[b])) {
                return false;
            }
        }
    }
    return true;
}

static bool is_in_pattern(const NewtonContactPoint* p)
{
    return p->state != CONTACT_OPEN || p->normal_before > 0.0;
}

static bool pattern_has_all(const BarrierSolver* t)
{
    const SparseSystem* s = &t->sparse;
    if (s->blocks.count == 0 || s->node_count != t->colliders.node_count || s->body_count != t->body_count) {
        return false;
    }
    for (int i = 0; i < t->colliders.rod_count; i++) {
        if (s->sizes[t->colliders.rods[i].first_node] != t->rods[i].rod->spans->block) {
            return false;
        }
    }
    for (int i = 0; i < t->contacts.count; i++) {
        if (is_in_pattern(&t->points[i]) && !pattern_has_contact(t, &t->contacts.all[i])) {
            return false;
        }
    }
    return true;
}

// Renews the sparsity pattern only if a new pair appears; pairs that are gone stay as zeros until then.
static bool update_pattern(BarrierSolver* t)
{
    if (pattern_has_all(t)) {
        return true;
    }
    t->sparse.pair_count = 0;
    bool good = add_rod_pairs(t);
    for (int i = 0; i < t->contacts.count && good; i++) {
        good = !is_in_pattern(&t->points[i]) || add_contact_pairs(t, &t->contacts.all[i]);
    }
    return good && create_matrix(t);
}

// ---- assembly

static void fill_rod(BarrierSolver* t, int i)
{
    const BandSystem* cs = t->rods[i].rod->spans;
    const BandLdu* band = &cs->band;
    const SparseLdu* b = &t->sparse.blocks;
    int first = t->colliders.rods[i].first_node, size = cs->block;
    for (int k = 0; k < cs->blocks; k++) {
        for (int n = k; n < cs->blocks && n <= k + 2; n++) {
            double *upper = sparse_ldu_at(b, first + k, first + n),
                   *lower = sparse_ldu_at(b, first + n, first + k);
            int stride = sparse_ldu_stride(b, first);
            for (int p = 0; p < size; p++) {
                for (int q = 0; q < size; q++) {
                    int row = k * size + p, column = n * size + q;
                    if (column >= row && column - row <= band->half) {
                        upper[p * stride + q] = lower[q * stride + p] = *band_ldu_at(band, row, column);
                    }
                }
            }
        }
    }
}

static void fill_body(BarrierSolver* t, int i)
{
    const SparseLdu* b = &t->sparse.blocks;
    const NewtonBody* body = t->bodies[i].body;
    int at = t->colliders.node_count + i, stride = sparse_ldu_stride(b, at);
    const double* I = body->inertia.tensor;
    double inertia[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}},
           *block = sparse_ldu_at(b, at, at);
    for (int k = 0; k < 3; k++) {
        block[k * stride + k] = t->mass * body->inertia.mass;
        for (int j = 0; j < 3; j++) {
            block[(3 + k) * stride + 3 + j] = t->mass * inertia[k][j];
        }
    }
}

// The part of a row at a clamped node that the clamp leaves free: along the axis of a sliding one. The
// prescribed motion times the rest is added to `known`.
static CordVec3 free_part(const NewtonRod* r, int node, CordVec3 g, double* known)
{
    const Clamp* clamp = r->held[node];
    if (!clamp) {
        return g;
    }
    CordVec3 along =
        clamp->def.slides ? vec3_mul(clamp->axis, vec3_dot(clamp->axis, g)) : (CordVec3){0, 0, 0};
    *known += vec3_dot(vec3_sub(g, along), slot_get(r->shift.x, slot_of(&r->rod->line, node)));
    return along;
}

static void put_column(ContactPart* part, int column, CordVec3 v)
{
    part->B[0][column] = v.x, part->B[1][column] = v.y, part->B[2][column] = v.z;
}

static CordVec3 axis_of(int k)
{
    return (CordVec3){k == 0, k == 1, k == 2};
}

// The motion of the surface where a node moves by e: with it by `share`, and with the rotation of the edge, or
// chord, that it turns by `lever`.
static CordVec3 motion_by(const ContactPoint* contact, int side, double share, double lever, CordVec3 e)
{
    bool has = contact_point_has_chord(contact, side);
    CordVec3 t = contact->axis[side], c = has ? contact->chord_axis[side] : t,
             turn = vec3_mul(vec3_cross(c, e), lever);
    turn = has ? vec3_madd(turn, c, -contact->roll[side] * vec3_dot(t, turn)) : turn;
    return vec3_madd(vec3_cross(turn, contact->arm[side]), e, share);
}

// The columns of a node, of which a clamp prescribes a part. That part of the motion is added to `known`.
static void put_node(const NewtonRod* r, int node, const ContactPoint* contact, int side, double share,
                     double lever, ContactPart* part, CordVec3* known)
{
    const CordCenterline* c = &r->rod->line;
    const Clamp* clamp = r->held[node];
    CordVec3 shift = slot_get(r->shift.x, slot_of(c, node));
    for (int k = 0; k < 3; k++) {
        CordVec3 e = axis_of(k);
        if (clamp) {
            CordVec3 held = e;
            e = clamp->def.slides ? vec3_mul(clamp->axis, vec3_dot(clamp->axis, e)) : (CordVec3){0, 0, 0};
            held = vec3_sub(held, e);
            *known = vec3_madd(*known, motion_by(contact, side, share, lever, held),
                               k == 0   ? shift.x
                               : k == 1 ? shift.y
                                        : shift.z);
        }
        put_column(part, k, motion_by(contact, side, share, lever, e));
    }
}

// Returns the number of parts.
static int put_side(const BarrierSolver* t, const ContactPoint* contact, int side, ContactPart part[4],
                    CordVec3* known)
{
    const Colliders* cs = &t->colliders;
    int segment = side == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[segment];
    const NewtonRod* r = t->rods[g->rod].rod;
    bool has = contact_point_has_chord(contact, side);
    double s = side == 0 ? contact->s : contact->t, sign = side == 0 ? 1.0 : -1.0,
           lever = has ? 0.0 : sign * contact->inv_len[side], by_chord = sign * contact->inv_chord[side];
    int first = cs->rods[g->rod].first_node, slot = slot_of(&r->rod->line, g->edge);
    part[0] = (ContactPart){.at = g->node[0]};
    part[1] = (ContactPart){.at = g->node[1]};
    put_node(r, g->node[0] - first, contact, side, sign * (1.0 - s), -lever, &part[0], known);
    put_node(r, g->node[1] - first, contact, side, sign * s, lever, &part[1], known);
    for (int k = 0; k < 2 && has; k++) {
        part[2 + k] = (ContactPart){.at = contact->chord[side][k]};
        put_node(r, contact->chord[side][k] - first, contact, side, 0.0, k == 0 ? -by_chord : by_chord,
                 &part[2 + k], known);
    }
    CordVec3 about = has ? vec3_mul(contact->chord_axis[side], contact->roll[side]) : contact->axis[side],
             spin = vec3_mul(vec3_cross(about, contact->arm[side]), sign);
    if (framed_of(r->rod)->may_turn[slot] > 0.0) {
        put_column(&part[0], 3, spin);
    } else {
        *known = vec3_madd(*known, spin, r->shift.angle[slot]);
    }
    return has ? 4 : 2;
}

static int split_contact(const BarrierSolver* t, const ContactPoint* contact, ContactPart part[MOST_PARTS],
                         CordVec3* known)
{
    *known = (CordVec3){0, 0, 0};
    int count = put_side(t, contact, 0, part, known);
    if (contact->kind == CONTACT_SEGMENTS) {
        return count + put_side(t, contact, 1, part + count, known);
    }
    int body = body_row(t, contact->key.b);
    if (body < 0) {
        return count;
    }
    part[count] = (ContactPart){.at = body};
    for (int k = 0; k < 3; k++) {
        put_column(&part[count], k, vec3_mul(axis_of(k), -1.0));
        put_column(&part[count], 3 + k, vec3_cross(contact->arm[1], axis_of(k)));
    }
    return count + 1;
}

// Adds J' C J to the matrix, and J' (g - f' - C u) to the right-hand side, where u is the prescribed part of
// the motion and f' are the forces that the right-hand side holds already.
static void fill_contact(BarrierSolver* t, int i)
{
    const SparseLdu* b = &t->sparse.blocks;
    const NewtonContactPoint* p = &t->points[i];
    const ContactPoint* contact = &t->contacts.all[i];
    ContactPart part[MOST_PARTS];
    CordVec3 known;
    if (p->state == CONTACT_OPEN && p->normal_before == 0.0) {
        return;
    }
    int count = split_contact(t, contact, part, &known);
    CordVec3 before = vec3_madd(p->friction_before, contact->n, p->normal_before),
             right = vec3_sub(vec3_sub(p->g, before), barrier_mul(p->C, known));
    double f[3] = {right.x, right.y, right.z};
    for (int k = 0; k < count; k++) {
        int size = sparse_ldu_size(b, part[k].at);
        double* r = t->sparse.r + b->offset[part[k].at];
        for (int c = 0; c < size; c++) {
            r[c] += part[k].B[0][c] * f[0] + part[k].B[1][c] * f[1] + part[k].B[2][c] * f[2];
        }
        for (int j = 0; j < count && p->state != CONTACT_OPEN; j++) {
            double* block = sparse_ldu_at(b, part[k].at, part[j].at);
            for (int m = 0; m < 3; m++) { // row m of C B_j
                double row[8] = {0};
                for (int c = 0; c < 8; c++) {
                    row[c] = p->C[3 * m] * part[j].B[0][c] + p->C[3 * m + 1] * part[j].B[1][c] +
                             p->C[3 * m + 2] * part[j].B[2][c];
                }
                sparse_ldu_add_outer(b, block, size, part[j].at, 1.0, part[k].B[m], row);
            }
        }
    }
}

// Adds the geometric stiffness of a contact, -f_n d2(gap)/dx2, a sum of rank-one terms of either sign.
static void fill_curvature(BarrierSolver* t, const ContactPoint* contact, bool keep)
{
    const SparseLdu* b = &t->sparse.blocks;
    const Colliders* cs = &t->colliders;
    GeometricStiffness curve = contact_point_stiffness(cs, contact);
    int at[4] = {0}, nodes = contact->kind == CONTACT_SEGMENTS ? 4 : 2;
    for (int k = 0; k < nodes; k++) {
        at[k] = cs->segments[k < 2 ? contact->key.a : contact->key.b].node[k % 2];
    }
    for (int n = 0; n < curve.count; n++) {
        double g[4][8] = {{0}}, known = 0.0;
        for (int k = 0; k < nodes; k++) {
            int rod = cs->segments[k < 2 ? contact->key.a : contact->key.b].rod;
            CordVec3 x = free_part(t->rods[rod].rod, at[k] - cs->rods[rod].first_node, curve.node[n][k], &known);
            g[k][0] = x.x, g[k][1] = x.y, g[k][2] = x.z;
        }
        for (int i = 0; i < nodes; i++) {
            int size = sparse_ldu_size(b, at[i]);
            double* r = t->sparse.r + b->offset[at[i]];
            for (int k = 0; k < 3; k++) {
                r[k] -= curve.stiffness[n] * known * g[i][k];
            }
            for (int j = 0; j < nodes && !keep; j++) {
                sparse_ldu_add_outer(b, sparse_ldu_at(b, at[i], at[j]), size, at[j], curve.stiffness[n], g[i],
                                     g[j]);
            }
        }
    }
}

bool sparse_begin(BarrierSolver* t)
{
    SparseSystem* s = &t->sparse;
    int n = 0;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        n += t->rods[i].rod->spans->blocks * t->rods[i].rod->spans->block;
    }
    if (!barrier_reserve(t->memory, (void**)&s->right, n, &s->right_capacity, sizeof(double))) {
        return false;
    }
    n = 0;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const BandSystem* band = t->rods[i].rod->spans;
        memcpy(s->right + n, band->r, sizeof(double) * (size_t)(band->blocks * band->block));
        n += band->blocks * band->block;
    }
    return true;
}

void sparse_restore_right_side(BarrierSolver* t)
{
    const double* from = t->sparse.right;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const BandSystem* band = t->rods[i].rod->spans;
        memcpy(band->r, from, sizeof(double) * (size_t)(band->blocks * band->block));
        from += band->blocks * band->block;
    }
}

static void set_right_side(BarrierSolver* t)
{
    const SparseLdu* b = &t->sparse.blocks;
    memcpy(t->sparse.r, t->sparse.right, sizeof(double) * (size_t)b->offset[t->colliders.node_count]);
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->sparse.r + b->offset[t->colliders.node_count + i], t->bodies[i].body->force,
               sizeof t->bodies[i].body->force);
    }
}

static void fill_matrix(BarrierSolver* t)
{
    sparse_ldu_clear(&t->sparse.blocks);
    for (int i = 0; i < t->colliders.rod_count; i++) {
        fill_rod(t, i);
    }
    for (int i = 0; i < t->body_count; i++) {
        fill_body(t, i);
    }
}

bool sparse_fill(BarrierSolver* t)
{
    if (!update_pattern(t)) {
        return false;
    }
    set_right_side(t);
    fill_matrix(t);
    for (int i = 0; i < t->contacts.count; i++) {
        fill_contact(t, i);
        if (t->curved && t->points[i].normal_before > 0.0) {
            fill_curvature(t, &t->contacts.all[i], false);
        }
    }
    return true;
}

// ---- solving

bool sparse_factor(BarrierSolver* t)
{
    LduPivots pivots = sparse_ldu_factor(&t->sparse.blocks);
    return pivots.least > 0.0;
}

void sparse_solve(BarrierSolver* t)
{
    const SparseLdu* b = &t->sparse.blocks;
    sparse_ldu_solve(b, t->sparse.r);
    for (int i = 0; i < t->colliders.rod_count; i++) {
        NewtonRod* r = t->rods[i].rod;
        memcpy(r->spans->r, t->sparse.r + b->offset[t->colliders.rods[i].first_node],
               sizeof(double) * (size_t)(r->spans->blocks * r->spans->block));
        band_get_solution(r->spans, &r->move);
        move_wrap(&r->rod->line, &r->move);
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->bodies[i].body->move, t->sparse.r + b->offset[t->colliders.node_count + i],
               sizeof t->bodies[i].body->move);
    }
}

// ---- in the space of the contacts

bool sparse_fill_alone(BarrierSolver* t)
{
    if (!update_pattern(t)) {
        return false;
    }
    set_right_side(t);
    fill_matrix(t);
    for (int i = 0; i < t->contacts.count; i++) {
        if (t->points[i].normal_before > 0.0) {
            fill_curvature(t, &t->contacts.all[i], false);
        }
    }
    return true;
}

// Adds J' f of a contact to a right-hand side.
static void add_force(const BarrierSolver* t, const ContactPart* part, int count, CordVec3 f, double* r)
{
    const SparseLdu* b = &t->sparse.blocks;
    for (int k = 0; k < count; k++) {
        int size = sparse_ldu_size(b, part[k].at);
        double* at = r + b->offset[part[k].at];
        for (int c = 0; c < size; c++) {
            at[c] += part[k].B[0][c] * f.x + part[k].B[1][c] * f.y + part[k].B[2][c] * f.z;
        }
    }
}

static CordVec3 get_motion(const BarrierSolver* t, const ContactPart* part, int count, const double* r)
{
    const SparseLdu* b = &t->sparse.blocks;
    CordVec3 u = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        int size = sparse_ldu_size(b, part[k].at);
        const double* at = r + b->offset[part[k].at];
        for (int c = 0; c < size; c++) {
            u.x += part[k].B[0][c] * at[c], u.y += part[k].B[1][c] * at[c], u.z += part[k].B[2][c] * at[c];
        }
    }
    return u;
}

bool sparse_compliance(BarrierSolver* t, const DenseContacts* d)
{
    SparseSystem* s = &t->sparse;
    CordVec3 known;
    if (!barrier_reserve(t->memory, (void**)&s->parts, MOST_PARTS * d->count, &s->part_capacity,
                         sizeof(ContactPart))) {
        t->no_memory = true;
        return false;
    }
    int count = 0;
    for (int i = 0; i < d->count; i++) {
        count = split_contact(t, &t->contacts.all[i], s->parts + MOST_PARTS * i, &known);
        s->parts[MOST_PARTS * i + MOST_PARTS - 1].at = count;
    }
    for (int j = 0; j < d->n; j++) {
        const ContactPart* part = s->parts + MOST_PARTS * (j / 3);
        memset(s->r, 0, sizeof *s->r * (size_t)s->blocks.n);
        add_force(t, part, part[MOST_PARTS - 1].at, d->all[j / 3].axis[j % 3], s->r);
        sparse_ldu_solve(&s->blocks, s->r);
        for (int i = 0; i < d->count; i++) {
            part = s->parts + MOST_PARTS * i;
            CordVec3 u = get_motion(t, part, part[MOST_PARTS - 1].at, s->r);
            for (int k = 0; k < 3; k++) { // W is symmetric
                d->W[(ptrdiff_t)j * d->n + 3 * i + k] = vec3_dot(d->all[i].axis[k], u);
            }
        }
    }
    return true;
}

void sparse_apply(BarrierSolver* t)
{
    SparseSystem* s = &t->sparse;
    set_right_side(t);
    for (int i = 0; i < t->contacts.count; i++) {
        const NewtonContactPoint* p = &t->points[i];
        const ContactPart* part = s->parts + MOST_PARTS * i;
        CordVec3 before = vec3_madd(p->friction_before, t->contacts.all[i].n, p->normal_before);
        add_force(t, part, part[MOST_PARTS - 1].at, vec3_sub(p->force, before), s->r);
        if (p->normal_before > 0.0) {
            fill_curvature(t, &t->contacts.all[i], true);
        }
    }
    sparse_solve(t);
}
