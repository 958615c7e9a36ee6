#include "step/contact_newton_parts.h"

#include "body/inertia.h"
#include "solve/newton_parts.h"
#include "step/contact_newton.h"

#include <string.h>

#define FIRST_POOL ((size_t)1 << 16) // [bytes]
#define MOST_POOL (SIZE_MAX / 4)

void sparse_free(Memory* m, SparseSystem* s)
{
    arena_free(m, &s->pool);
    memory_array_free(m, s->sizes, s->size_capacity);
    memory_array_free(m, s->offset, s->offset_capacity);
    memory_array_free(m, s->pairs.all, s->pairs.capacity);
    memory_array_free(m, s->later.all, s->later.capacity);
    memory_array_free(m, s->pairs_of_blocks.all, s->pairs_of_blocks.capacity);
    memory_array_free(m, s->later_of_blocks.all, s->later_of_blocks.capacity);
    memory_array_free(m, s->r, s->r_capacity);
    memory_array_free(m, s->right, s->right_capacity);
    memory_array_free(m, s->parts, s->parts_capacity);
    memory_array_free(m, s->turns, s->turns_capacity);
    *s = (SparseSystem){0};
}

// ---- sparsity pattern

NewtonBody* sparse_body_of(const ContactNewton* t, int solid)
{
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].solid == solid) {
            return t->bodies[i].body;
        }
    }
    return NULL;
}

bool sparse_find_bow(const ContactNewton* t, const ContactPoint* contact, Bow* bow)
{
    const Colliders* cs = &t->colliders;
    int before = contact->kind == CONTACT_SOLID && contact->s == 0.0
                     ? colliders_neighbour(cs, contact->key.a, -1)
                     : -1;
    if (before < 0) {
        return false;
    }
    const ColliderSolid* solid = &cs->solids[contact->key.b];
    const Segment* after = &cs->segments[contact->key.a];
    int node[3] = {cs->segments[before].node[0], after->node[0], after->node[1]};
    double gap[3];
    for (int k = 0; k < 3; k++) {
        gap[k] = solid_point(&solid->solid, pose_into(&solid->to, cs->to[node[k]])).distance;
    }
    double l0 = vec3_length(vec3_sub(cs->to[node[1]], cs->to[node[0]])),
           l1 = vec3_length(vec3_sub(cs->to[node[2]], cs->to[node[1]]));
    double bend = 2.0 * ((gap[2] - gap[1]) / l1 - (gap[1] - gap[0]) / l0) / (l0 + l1);
    *bow = (Bow){{node[0], node[2]}, l0 + l1, bend};
    return bend > 0.0;
}

// The block rows of a contact. Returns their number.
static int rows_of(const ContactNewton* t, int i, int at[MOST_PARTS])
{
    const ContactPoint* contact = &t->contacts.all[i];
    const ContactParts* all = &t->sparse.parts[i];
    int count = 0;
    for (; count < all->count; count++) {
        at[count] = all->part[count].at;
    }
    Bow bow;
    if (t->smooth && sparse_find_bow(t, contact, &bow)) {
        const Segment* g = &t->colliders.segments[contact->key.a];
        const ContactNewtonRod* r = &t->rods[g->rod];
        at[count++] = newton_node_row(r->sys, r->rod, bow.node[0] - t->colliders.rods[g->rod].first_node);
    }
    return count;
}

static bool add_contact_pairs(ContactNewton* t, int i)
{
    int at[MOST_PARTS], count = rows_of(t, i, at);
    bool good = true;
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < a; b++) {
            good = good && (at[a] == at[b] || row_pairs_add(&t->sparse.pairs, at[a], at[b]));
        }
    }
    return good;
}

static bool add_system_pairs(ContactNewton* t)
{
    bool good = true;
    for (int i = 0; i < t->system_count; i++) {
        good = good && (!contact_newton_is_in_sparse(t, i) ||
                        newton_add_row_pairs(&t->systems[i], &t->sparse.pairs, &t->sparse.later));
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

static CordResult create_blocks(Memory* m, SparseSystem* s)
{
    size_t more = s->pool.size;
    for (;;) {
        arena_reset(&s->pool);
        memory_init(&s->from_pool, (CordAllocator){pool_alloc, pool_free, &s->pool});
        CordResult result =
            sparse_ldu_create_ordered(&s->from_pool, &s->blocks, s->sizes, s->row_count, s->pairs.all,
                                      s->pairs.count, s->later.all, s->later.count);
        if (result != CORD_NO_MEMORY) {
            return result;
        }
        more = more > 0 ? 2 * more : FIRST_POOL;
        if (more > MOST_POOL || !arena_reserve(m, &s->pool, more)) {
            return CORD_NO_MEMORY;
        }
    }
}

// Finds the blocks of a contact. False: the pattern lacks one.
static bool place_contact(ContactNewton* t, int i)
{
    ContactParts* all = &t->sparse.parts[i];
    int at[MOST_PARTS], count = all->is_placed ? 0 : rows_of(t, i, at);
    for (int a = 0; a < count; a++) {
        for (int b = 0; b <= a; b++) {
            double* block[2];
            if (!sparse_ldu_pair_at(&t->sparse.blocks, at[a], at[b], block)) {
                return false;
            }
            all->block[a][b] = block[0], all->block[b][a] = block[1];
        }
    }
    return all->is_placed = true;
}

static bool is_in_pattern(const NewtonContactPoint* p)
{
    return p->pushes || p->normal_before > 0.0;
}

static bool are_same(const RowPairs* p, const RowPairs* q)
{
    return p->count == q->count &&
           (p->count == 0 || memcmp(p->all, q->all, sizeof *p->all * (size_t)p->count) == 0);
}

// The blocks of an earlier step serve again if they were created of the same pairs: the elimination order
// depends on nothing else.
static bool blocks_fit(const SparseSystem* s)
{
    const SparseLdu* b = &s->blocks;
    return b->count == s->row_count &&
           memcmp(b->offset, s->offset, sizeof *s->offset * (size_t)(s->row_count + 1)) == 0 &&
           are_same(&s->pairs, &s->pairs_of_blocks) && are_same(&s->later, &s->later_of_blocks);
}

static void swap_pairs(RowPairs* p, RowPairs* q)
{
    RowPairs kept = *p;
    *p = *q;
    *q = kept;
}

static bool renew_blocks(Memory* m, SparseSystem* s)
{
    if (blocks_fit(s)) {
        return true;
    }
    bool good = create_blocks(m, s) == CORD_OK;
    swap_pairs(&s->pairs, &s->pairs_of_blocks);
    swap_pairs(&s->later, &s->later_of_blocks);
    return good;
}

static bool place_contacts(ContactNewton* t)
{
    bool good = true;
    for (int i = 0; i < t->contacts.count && good; i++) {
        good = !is_in_pattern(&t->points[i]) || place_contact(t, i);
    }
    return good;
}

// Renews the sparsity pattern only if a new pair appears; pairs that are gone stay as zeros until then.
static bool update_pattern(ContactNewton* t)
{
    SparseSystem* s = &t->sparse;
    if (s->is_built && place_contacts(t)) {
        return true;
    }
    s->is_built = false;
    s->pairs.memory = s->later.memory = t->memory;
    s->pairs.count = s->later.count = 0;
    bool good = add_system_pairs(t);
    for (int i = 0; i < t->contacts.count && good; i++) {
        s->parts[i].is_placed = false;
        good = !is_in_pattern(&t->points[i]) || add_contact_pairs(t, i);
    }
    s->is_built = good && renew_blocks(t->memory, s);
    return s->is_built && place_contacts(t);
}

// ---- assembly

static void fill_free_body(ContactNewton* t, int i)
{
    const SparseLdu* b = &t->sparse.blocks;
    const NewtonBody* body = t->bodies[i].body;
    int at = body->row, stride = sparse_ldu_stride(b, at);
    const double* I = body->inertia.tensor;
    double inertia[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}},
           *block = sparse_ldu_at(b, at, at), mass = (1.0 + t->extra_inertia) * t->mass;
    for (int k = 0; k < 3; k++) {
        block[k * stride + k] = mass * body->inertia.mass;
        for (int j = 0; j < 3; j++) {
            block[(3 + k) * stride + 3 + j] = mass * inertia[k][j];
        }
    }
}

const Clamp* sparse_clamp_at(const NewtonRod* r, int node)
{
    const Clamp* clamp = r->held[node];
    return clamp && !newton_is_carried(r, slot_of(&r->rod->line, node)) ? clamp : NULL;
}

CordVec3 sparse_free_part(const Clamp* clamp, CordVec3 g)
{
    return !clamp              ? g
           : clamp->def.slides ? vec3_mul(clamp->axis, vec3_dot(clamp->axis, g))
                               : (CordVec3){0, 0, 0};
}

static void add_column(ContactPart* part, int column, CordVec3 v)
{
    part->B[0][column] += v.x, part->B[1][column] += v.y, part->B[2][column] += v.z;
}

static CordVec3 axis_of(int k)
{
    return (CordVec3){k == 0, k == 1, k == 2};
}

// The motion of the surface where a node moves by e: with it by `share`, and with the rotation of the edge,
// or chord, that it turns by `lever`.
static CordVec3 motion_by(const ContactPoint* contact, int side, Told told, double share, double lever,
                          CordVec3 e)
{
    bool has = contact_point_has_chord(contact, side);
    CordVec3 t = contact->axis[side], c = has ? contact->chord_axis[side] : t,
             turn = vec3_mul(vec3_cross(c, e), lever);
    turn = has ? vec3_madd(turn, c, -contact->roll[side] * vec3_dot(t, turn)) : turn;
    return told == TOLD_TURN ? turn : vec3_madd(vec3_cross(turn, contact->arm[side]), e, share);
}

// The columns of a node, or of the body that carries it. A clamp prescribes a part of the motion, which is
// added to `known`.
static ContactPart node_part(const ContactNewtonRod* at, int node, const ContactPoint* contact, int side,
                             Told told, double share, double lever, CordVec3* known)
{
    const NewtonRod* r = at->rod;
    const Clamp* clamp = sparse_clamp_at(r, node);
    RowMap map = newton_node_map(at->sys, r, node);
    ContactPart part = {.at = map.row, .size = map.size};
    for (int k = 0; k < map.size; k++) {
        CordVec3 e = sparse_free_part(clamp, row_map_column(&map, k));
        add_column(&part, k, motion_by(contact, side, told, share, lever, e));
    }
    if (clamp) {
        CordVec3 shift = slot_get(r->shift.x, slot_of(&r->rod->line, node));
        *known = vec3_add(*known, motion_by(contact, side, told, share, lever,
                                            vec3_sub(shift, sparse_free_part(clamp, shift))));
    }
    return part;
}

// Adds the rotation of the segment's frame, which may belong to the first part. Returns the number of parts.
static int put_frame(const ContactNewtonRod* at, int edge, CordVec3 spin, ContactPart* part, int count,
                     CordVec3* known)
{
    int slot = slot_of(&at->rod->rod->line, edge);
    RowVector map = newton_frame_map(at->sys, at->rod, edge);
    if (framed_of(at->rod->rod)->may_turn[slot] == 0.0 && !newton_frame_is_carried(at->rod, edge)) {
        *known = vec3_madd(*known, spin, at->rod->shift.angle[slot]);
        return count;
    }
    int k = map.row == part[0].at ? 0 : count;
    if (k == count) {
        part[count++] = (ContactPart){.at = map.row};
    }
    part[k].size = map.size;
    for (int c = 3; c < map.size; c++) {
        add_column(&part[k], c, vec3_mul(spin, map.T[c]));
    }
    return count;
}

// Returns the number of parts.
static int put_side(const ContactNewton* t, const ContactPoint* contact, int side, Told told,
                    ContactPart* part, CordVec3* known)
{
    const Colliders* cs = &t->colliders;
    const Segment* g = &cs->segments[side == 0 ? contact->key.a : contact->key.b];
    const ContactNewtonRod* r = &t->rods[g->rod];
    bool has = contact_point_has_chord(contact, side);
    double s = side == 0 ? contact->s : contact->t, sign = side == 0 ? 1.0 : -1.0,
           lever = has ? 0.0 : sign * contact->inv_len[side], by_chord = sign * contact->inv_chord[side];
    int first = cs->rods[g->rod].first_node, count = 2;
    part[0] = node_part(r, g->node[0] - first, contact, side, told, sign * (1.0 - s), -lever, known);
    part[1] = node_part(r, g->node[1] - first, contact, side, told, sign * s, lever, known);
    for (int k = 0; k < 2 && has; k++) {
        part[count++] = node_part(r, contact->chord[side][k] - first, contact, side, told, 0.0,
                                  k == 0 ? -by_chord : by_chord, known);
    }
    CordVec3 about = has ? vec3_mul(contact->chord_axis[side], contact->roll[side]) : contact->axis[side],
             spin = vec3_mul(told == TOLD_TURN ? about : vec3_cross(about, contact->arm[side]), sign);
    return put_frame(r, g->edge, spin, part, count, known);
}

static void split_contact(const ContactNewton* t, const ContactPoint* contact, Told told, ContactParts* all)
{
    all->known = (CordVec3){0, 0, 0};
    all->second = all->count = put_side(t, contact, 0, told, all->part, &all->known);
    if (contact->kind == CONTACT_SEGMENTS) {
        all->count += put_side(t, contact, 1, told, all->part + all->count, &all->known);
        return;
    }
    const NewtonBody* body = sparse_body_of(t, contact->key.b);
    if (!body) {
        return;
    }
    ContactPart* part = &all->part[all->count++];
    *part = (ContactPart){.at = body->row, .size = 6};
    for (int k = 0; k < 3; k++) {
        CordVec3 back = vec3_mul(axis_of(k), -1.0);
        add_column(part, k, told == TOLD_TURN ? (CordVec3){0, 0, 0} : back);
        add_column(part, 3 + k, told == TOLD_TURN ? back : vec3_cross(contact->arm[1], axis_of(k)));
    }
}

// C M
static void multiply_rows(const double C[9], const double M[3][SPARSE_LDU_MAX_SIZE],
                          double rows[3][SPARSE_LDU_MAX_SIZE])
{
    for (int m = 0; m < 3; m++) {
        for (int c = 0; c < SPARSE_LDU_MAX_SIZE; c++) {
            rows[m][c] = C[3 * m] * M[0][c] + C[3 * m + 1] * M[1][c] + C[3 * m + 2] * M[2][c];
        }
    }
}

// Adds the block column of part j to J' C M.
static void add_block_column(const ContactNewton* t, const double C[9], const ContactParts* all, int j)
{
    const ContactPart* column = &all->part[j];
    double rows[3][SPARSE_LDU_MAX_SIZE];
    multiply_rows(C, column->M, rows);
    for (int k = 0; k < all->count; k++) {
        sparse_ldu_add_outers(&t->sparse.blocks, all->block[k][j], all->part[k].size, column->size,
                              column->at, 3, all->part[k].B[0], rows[0]);
    }
}

static void add_force(const ContactNewton* t, const ContactParts* all, CordVec3 force, double* right)
{
    const SparseLdu* b = &t->sparse.blocks;
    double f[3] = {force.x, force.y, force.z};
    for (int k = 0; k < all->count; k++) {
        const ContactPart* part = &all->part[k];
        double* r = right + b->offset[part->at];
        for (int c = 0; c < part->size; c++) {
            r[c] += part->B[0][c] * f[0] + part->B[1][c] * f[1] + part->B[2][c] * f[2];
        }
    }
}

void sparse_add_contact_force(const ContactNewton* t, int i, CordVec3 force, double* right)
{
    add_force(t, &t->sparse.parts[i], force, right);
}

CordVec3 sparse_contact_motion(const ContactNewton* t, int i, const double* x)
{
    const SparseLdu* b = &t->sparse.blocks;
    const ContactParts* all = &t->sparse.parts[i];
    CordVec3 u = {0, 0, 0};
    for (int k = 0; k < all->count; k++) {
        const ContactPart* part = &all->part[k];
        const double* at = x + b->offset[part->at];
        for (int c = 0; c < part->size; c++) {
            u.x += part->M[0][c] * at[c], u.y += part->M[1][c] * at[c], u.z += part->M[2][c] * at[c];
        }
    }
    return u;
}

// (M - B) x
static CordVec3 turning_motion(const ContactNewton* t, const ContactParts* all, const double* x)
{
    const SparseLdu* b = &t->sparse.blocks;
    CordVec3 u = {0, 0, 0};
    for (int k = 0; k < all->count; k++) {
        const ContactPart* part = &all->part[k];
        const double* at = x + b->offset[part->at];
        for (int c = 0; c < part->size; c++) {
            u.x += (part->M[0][c] - part->B[0][c]) * at[c];
            u.y += (part->M[1][c] - part->B[1][c]) * at[c];
            u.z += (part->M[2][c] - part->B[2][c]) * at[c];
        }
    }
    return u;
}

void sparse_add_turning(ContactNewton* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        const ContactParts* all = &t->sparse.parts[i];
        if (all->count > 0 && all->turns) {
            t->points[i].u = vec3_add(t->points[i].u, turning_motion(t, all, t->sparse.r));
        }
    }
}

CordVec3 sparse_contact_known(const ContactNewton* t, int i)
{
    return t->sparse.parts[i].known;
}

// Adds J' C M to the matrix, and J' (g - f' - C u) to the right-hand side, where u is the prescribed part of
// the motion and f' are the forces that the right-hand side holds already.
static void fill_contact(ContactNewton* t, int i)
{
    const NewtonContactPoint* p = &t->points[i];
    const ContactParts* all = &t->sparse.parts[i];
    if (!is_in_pattern(p)) {
        return;
    }
    CordVec3 before = vec3_madd(p->friction_before, t->contacts.all[i].n, p->normal_before),
             right = vec3_sub(vec3_sub(p->g, before), contact_newton_mul(p->C, all->known));
    sparse_add_contact_force(t, i, right, t->sparse.r);
    for (int k = 0; k < all->count && p->pushes; k++) {
        add_block_column(t, p->C, all, k);
    }
    if (all->turns && p->normal_before > 0.0) {
        sparse_fill_friction(t, i);
    }
}

static void add_couple_column(const ContactNewton* t, const double C[9], const ContactParts* all,
                              const ContactPart* column, const double M[3][SPARSE_LDU_MAX_SIZE])
{
    const SparseLdu* b = &t->sparse.blocks;
    double rows[3][SPARSE_LDU_MAX_SIZE];
    multiply_rows(C, M, rows);
    for (int k = 0; k < all->count; k++) {
        const ContactPart* row = &all->part[k];
        sparse_ldu_add_outers(b, sparse_ldu_at(b, row->at, column->at), row->size, column->size, column->at,
                              3, row->B[0], rows[0]);
    }
}

static void fill_couple(ContactNewton* t, int i)
{
    const NewtonCouple* couple = &t->couples[i];
    ContactParts* all = &t->sparse.turns[i];
    if (!couple->pushes && vec3_dot(couple->before, couple->before) == 0.0) {
        return;
    }
    if (all->count == 0) {
        split_contact(t, &t->contacts.all[i], TOLD_TURN, all);
    }
    const ContactParts *motion = &t->sparse.parts[i], *turn = all;
    CordVec3 by_known =
        vec3_add(contact_newton_mul(couple->C, all->known), contact_newton_mul(couple->D, motion->known));
    add_force(t, all, vec3_sub(vec3_sub(couple->g, couple->before), by_known), t->sparse.r);
    for (int k = 0; k < all->count && couple->pushes; k++) {
        add_couple_column(t, couple->C, turn, &turn->part[k], turn->part[k].B);
    }
    for (int k = 0; k < motion->count && couple->follows; k++) {
        add_couple_column(t, couple->D, turn, &motion->part[k], motion->part[k].M);
    }
}

static int number_rows(ContactNewton* t)
{
    int count = 0;
    for (int i = 0; i < t->system_count; i++) {
        count = contact_newton_is_in_sparse(t, i) ? newton_number_rows(&t->systems[i], count) : count;
    }
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            t->bodies[i].body->row = count++;
        }
    }
    return count;
}

static void set_sizes(ContactNewton* t)
{
    SparseSystem* s = &t->sparse;
    for (int i = 0; i < t->system_count; i++) {
        if (contact_newton_is_in_sparse(t, i)) {
            newton_put_row_sizes(&t->systems[i], s->sizes);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        s->sizes[t->bodies[i].body->row] = 6;
    }
    s->offset[0] = 0;
    for (int i = 0; i < s->row_count; i++) {
        s->offset[i + 1] = s->offset[i] + s->sizes[i];
    }
}

static void put_right(const ContactNewton* t, double* right)
{
    const SparseSystem* s = &t->sparse;
    memset(right, 0, sizeof *right * (size_t)s->offset[s->row_count]);
    for (int i = 0; i < t->system_count; i++) {
        if (contact_newton_is_in_sparse(t, i)) {
            newton_put_rows(&t->systems[i], s->offset, right);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        const NewtonBody* body = t->bodies[i].body;
        if (t->bodies[i].is_free) {
            memcpy(right + s->offset[body->row], body->force, sizeof body->force);
        }
    }
}

void sparse_take_right(ContactNewton* t)
{
    put_right(t, t->sparse.r);
}

bool sparse_begin(ContactNewton* t)
{
    SparseSystem* s = &t->sparse;
    Memory* m = t->memory;
    s->row_count = number_rows(t);
    if (!contact_newton_reserve(m, (void**)&s->sizes, s->row_count, &s->size_capacity, sizeof(int)) ||
        !contact_newton_reserve(m, (void**)&s->offset, s->row_count + 1, &s->offset_capacity, sizeof(int))) {
        return false;
    }
    set_sizes(t);
    int n = s->offset[s->row_count];
    if (!contact_newton_reserve(m, (void**)&s->parts, t->contacts.count, &s->parts_capacity,
                                sizeof(ContactParts)) ||
        (t->surfaces.rolls && !contact_newton_reserve(m, (void**)&s->turns, t->contacts.count,
                                                      &s->turns_capacity, sizeof(ContactParts))) ||
        !contact_newton_reserve(m, (void**)&s->right, n, &s->right_capacity, sizeof(double)) ||
        !contact_newton_reserve(m, (void**)&s->r, n, &s->r_capacity, sizeof(double))) {
        return false;
    }
    for (int i = 0; i < t->contacts.count; i++) {
        s->parts[i].count = 0;
        s->parts[i].is_placed = false;
        if (t->surfaces.rolls) {
            s->turns[i].count = 0;
        }
    }
    put_right(t, s->right);
    return true;
}

static void set_right_side(ContactNewton* t)
{
    memcpy(t->sparse.r, t->sparse.right, sizeof(double) * (size_t)t->sparse.blocks.n);
}

static void fill_matrix(ContactNewton* t)
{
    sparse_ldu_clear(&t->sparse.blocks);
    for (int i = 0; i < t->system_count; i++) {
        if (contact_newton_is_in_sparse(t, i)) {
            newton_fill_rows(&t->systems[i], &t->sparse.blocks);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        if (t->bodies[i].is_free) {
            fill_free_body(t, i);
        }
    }
}

static void split_contacts(ContactNewton* t)
{
    for (int i = 0; i < t->contacts.count; i++) {
        ContactParts* all = &t->sparse.parts[i];
        if (is_in_pattern(&t->points[i]) && all->count == 0) {
            split_contact(t, &t->contacts.all[i], TOLD_MOTION, all);
            sparse_turn_parts(t, i, all);
        }
    }
}

bool sparse_fill(ContactNewton* t)
{
    split_contacts(t);
    if (!update_pattern(t)) {
        return false;
    }
    set_right_side(t);
    fill_matrix(t);
    for (int i = 0; i < t->contacts.count; i++) {
        fill_contact(t, i);
        if (t->surfaces.rolls) {
            fill_couple(t, i);
        }
        if (t->curved && t->points[i].normal_before > 0.0) {
            sparse_fill_curvature(t, i);
        }
    }
    if (t->curved && !t->at_rest) {
        sparse_fill_torques(t);
    }
    return true;
}

// ---- solving

LduPivots sparse_factor(ContactNewton* t)
{
    return sparse_ldu_factor(&t->sparse.blocks);
}

void sparse_put_moves(ContactNewton* t, const double* x)
{
    const SparseLdu* b = &t->sparse.blocks;
    for (int i = 0; i < t->system_count; i++) {
        if (contact_newton_is_in_sparse(t, i)) {
            newton_get_rows(&t->systems[i], b->offset, x);
        }
    }
    for (int i = 0; i < t->body_count; i++) {
        NewtonBody* body = t->bodies[i].body;
        memcpy(body->move, x + b->offset[body->row], sizeof body->move);
    }
}

void sparse_solve(ContactNewton* t)
{
    sparse_ldu_solve(&t->sparse.blocks, t->sparse.r);
    sparse_put_moves(t, t->sparse.r);
}
