#include "step/barrier_sparse.h"

#include "body/inertia.h"
#include "solve/newton_parts.h"
#include "step/barrier.h"

#include <string.h>

#define FIRST_POOL ((size_t)1 << 16) // [bytes]
#define MOST_POOL (SIZE_MAX / 4)

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

static int rows_of(const BarrierSolver* t, const BarrierRow* row, int at[5])
{
    int count = 0;
    for (int k = 0; k < 4; k++) {
        if (row->node[k] >= 0) {
            at[count++] = row->node[k];
        }
    }
    if (row->solid >= 0) {
        at[count++] = body_row(t, row->solid);
    }
    return count;
}

static bool add_row_pairs(BarrierSolver* t, const BarrierRow* row)
{
    int at[5], count = rows_of(t, row, at);
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

static bool pattern_has_row(const BarrierSolver* t, const BarrierRow* row)
{
    int at[5], count = rows_of(t, row, at);
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < a; b++) {
            if (!sparse_ldu_at(&t->sparse.blocks, at[a], at[b])) {
                return false;
            }
        }
    }
    return true;
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
    for (int i = 0; i < t->row_count; i++) {
        if (!pattern_has_row(t, &t->rows[i])) {
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
    for (int i = 0; i < t->row_count && good; i++) {
        good = add_row_pairs(t, &t->rows[i]);
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

typedef struct RowPart { // the part of a contact row in one block row
    int at;
    double g[8];
} RowPart;

// Removes the constrained part of a row at a clamped node; a sliding clamp leaves the part along its axis.
// Adds the prescribed motion times the removed part to `known`.
static CordVec3 free_part(const NewtonRod* r, int node, CordVec3 g, double* known)
{
    const CordCenterline* c = &r->rod->line;
    const Clamp* clamp = r->held[node];
    if (!clamp) {
        return g;
    }
    CordVec3 along =
        clamp->def.slides ? vec3_mul(clamp->axis, vec3_dot(clamp->axis, g)) : (CordVec3){0, 0, 0};
    *known += vec3_dot(vec3_sub(g, along), slot_get(r->shift.x, slot_of(c, node)));
    return along;
}

static int split_row(const BarrierSolver* t, const BarrierRow* row, RowPart part[5], double* known)
{
    const Colliders* cs = &t->colliders;
    int count = 0;
    *known = 0.0;
    for (int k = 0; k < 4; k++) {
        if (row->node[k] < 0) {
            continue;
        }
        int segment = k < 2 ? row->of[0] : row->of[1], rod = cs->segments[segment].rod;
        const NewtonRod* r = t->rods[rod].rod;
        CordVec3 g = free_part(r, row->node[k] - cs->rods[rod].first_node, row->x[k], known);
        part[count] = (RowPart){row->node[k], {g.x, g.y, g.z}};
        if (k % 2 == 0 && row->segment[k / 2] >= 0) {
            int s = slot_of(&r->rod->line, cs->segments[segment].edge);
            bool turns = framed_of(r->rod)->may_turn[s] > 0.0;
            part[count].g[3] = turns ? row->spin[k / 2] : 0.0;
            *known += turns ? 0.0 : row->spin[k / 2] * r->shift.angle[s];
        }
        count++;
    }
    if (row->solid >= 0) {
        part[count] = (RowPart){.at = body_row(t, row->solid)};
        memcpy(part[count].g, row->body, sizeof row->body);
        count++;
    }
    return count;
}

static void fill_row(BarrierSolver* t, const BarrierRow* row)
{
    const SparseLdu* b = &t->sparse.blocks;
    RowPart part[5];
    double known, stiffness = row->sign * row->root * row->root;
    int count = split_row(t, row, part, &known);
    for (int i = 0; i < count; i++) {
        int size = sparse_ldu_size(b, part[i].at);
        for (int j = 0; j < count; j++) {
            double* block = sparse_ldu_at(b, part[i].at, part[j].at);
            sparse_ldu_add_outer(b, block, size, part[j].at, stiffness, part[i].g, part[j].g);
        }
        double* r = t->sparse.r + b->offset[part[i].at];
        for (int k = 0; k < size && known != 0.0; k++) {
            r[k] -= stiffness * known * part[i].g[k];
        }
    }
}

void sparse_set_right_side(BarrierSolver* t)
{
    const SparseLdu* b = &t->sparse.blocks;
    for (int i = 0; i < t->colliders.rod_count; i++) {
        const BandSystem* cs = t->rods[i].rod->spans;
        memcpy(t->sparse.r + b->offset[t->colliders.rods[i].first_node], cs->r,
               sizeof(double) * (size_t)(cs->blocks * cs->block));
    }
    for (int i = 0; i < t->body_count; i++) {
        memcpy(t->sparse.r + b->offset[t->colliders.node_count + i], t->bodies[i].body->force,
               sizeof t->bodies[i].body->force);
    }
}

bool sparse_fill(BarrierSolver* t)
{
    if (!update_pattern(t)) {
        return false;
    }
    sparse_ldu_clear(&t->sparse.blocks);
    sparse_set_right_side(t);
    for (int i = 0; i < t->colliders.rod_count; i++) {
        fill_rod(t, i);
    }
    for (int i = 0; i < t->body_count; i++) {
        fill_body(t, i);
    }
    for (int i = 0; i < t->row_count; i++) {
        fill_row(t, &t->rows[i]);
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
