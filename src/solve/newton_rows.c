#include "solve/newton_rows.h"

#include "base/assert.h"
#include "solve/newton_parts.h"

#include <string.h>

enum { ANGLE = 3, TENSION = 4 }; // places in the block row of a node

bool row_pairs_add(RowPairs* p, int i, int j)
{
    if (p->count == p->capacity &&
        !memory_grow(p->memory, (void**)&p->all, p->count, &p->capacity, sizeof(SparseLduPair))) {
        return false;
    }
    p->all[p->count++] = (SparseLduPair){i, j};
    return true;
}

// ---- numbers

static int block_of(const NewtonRod* r) // unknowns of a node
{
    return r->span_count > 0 ? r->spans->block : 4;
}

static const Weld* weld_at(const NewtonRod* r, int node) // NULL: no body carries the node
{
    const Clamp* clamp = r->held[node];
    return clamp && clamp->carrier && r->rod->assembly ? weld_of(clamp) : NULL;
}

bool newton_frame_is_carried(const NewtonRod* r, int edge)
{
    const Weld* weld = weld_at(r, edge);
    return weld && weld->clamp.edge == edge && weld->clamp.def.fix == CORD_FIX_FRAME;
}

static bool is_in_one_body(const NewtonRod* r, int edge) // the whole edge
{
    const Weld *a = weld_at(r, edge), *b = weld_at(r, edge_end(&r->rod->line, edge));
    return a && b && a->body == b->body;
}

static bool both_are_held(const NewtonRod* r, int s)
{
    return newton_is_held(r, s) && newton_is_held(r, s + 1);
}

// Whether the tension of an edge needs a block row of its own.
static bool is_apart(const NewtonRod* r, int edge)
{
    const CordCenterline* c = &r->rod->line;
    int s = slot_of(c, edge);
    return r->held[edge_end(c, edge)] && (!both_are_held(r, s) || newton_slides_as_one(r, s));
}

int newton_number_rows(NewtonSystem* sys, int first)
{
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        r->row = first;
        first += c->node_count;
        for (int j = 0; j < c->edge_count; j++) {
            bool none = block_of(r) < 5 || is_in_one_body(r, j);
            r->tension_row[j] = none ? -1 : is_apart(r, j) ? first++ : r->row + edge_end(c, j);
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        sys->bodies[i].row = first++;
    }
    return first;
}

static bool has_own_row(const NewtonRod* r, int edge) // the tension of the edge
{
    return r->tension_row[edge] >= r->row + r->rod->line.node_count;
}

void newton_put_row_sizes(const NewtonSystem* sys, int* sizes)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        for (int n = 0; n < r->rod->line.node_count; n++) {
            sizes[r->row + n] = block_of(r);
        }
        for (int j = 0; j < r->rod->line.edge_count; j++) {
            if (has_own_row(r, j)) {
                sizes[r->tension_row[j]] = 1;
            }
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        sizes[sys->bodies[i].row] = 6;
    }
}

// ---- sparsity pattern

// The block rows of a node's unknowns, and of the body that carries it. Returns how many there are.
static int rows_of(const NewtonSystem* sys, const NewtonRod* r, int node, int rows[2])
{
    const Weld* weld = weld_at(r, node);
    rows[0] = r->row + node;
    rows[1] = weld ? sys->bodies[weld->body->index].row : -1;
    return weld ? 2 : 1;
}

static bool add_node_pairs(const NewtonSystem* sys, const NewtonRod* r, int a, int b, RowPairs* pairs)
{
    int from[2], to[2], from_count = rows_of(sys, r, a, from), to_count = rows_of(sys, r, b, to);
    bool good = true;
    for (int i = 0; i < from_count; i++) {
        for (int k = 0; k < to_count; k++) {
            good = good && (from[i] == to[k] || row_pairs_add(pairs, from[i], to[k]));
        }
    }
    return good;
}

static bool add_tension_pairs(const NewtonSystem* sys, const NewtonRod* r, int edge, RowPairs* pairs)
{
    int ends[2] = {edge, edge_end(&r->rod->line, edge)}, rows[2];
    bool good = true;
    for (int k = 0; k < 2; k++) {
        for (int n = rows_of(sys, r, ends[k], rows) - 1; n >= 0; n--) {
            good = good && row_pairs_add(pairs, r->tension_row[edge], rows[n]);
        }
    }
    return good;
}

// The tension comes after the free nodes before it, of which there is one less than tensions if the first of
// them follows a held node. The bodies that it pulls must then be eliminated as well: a straight
// inextensible rod between two bodies has no other compliance.
static bool add_tension_order(const NewtonSystem* sys, const NewtonRod* r, int edge, RowPairs* later)
{
    const CordCenterline* c = &r->rod->line;
    int tension = r->tension_row[edge], ends[2] = {edge, edge_end(c, edge)}, node = edge, rows[2];
    bool good = row_pairs_add(later, tension, r->row + ends[1]);
    while (good && node >= 0 && !r->held[node]) {
        good = row_pairs_add(later, tension, r->row + node);
        node = c->closed ? (node + c->node_count - 1) % c->node_count : node - 1;
    }
    for (int k = 0; k < 2 && node >= 0; k++) {
        good = good && (rows_of(sys, r, ends[k], rows) < 2 || row_pairs_add(later, tension, rows[1]));
    }
    return good;
}

static bool add_rod_pairs(const NewtonSystem* sys, const NewtonRod* r, RowPairs* pairs, RowPairs* later)
{
    const CordCenterline* c = &r->rod->line;
    bool good = true;
    for (int n = 0; n < c->node_count && good; n++) {
        good = add_node_pairs(sys, r, n, n, pairs);
        for (int k = n + 1; k <= n + 2 && (c->closed || k < c->node_count); k++) {
            good = good && add_node_pairs(sys, r, n, k % c->node_count, pairs);
        }
    }
    for (int j = 0; j < c->edge_count && good; j++) {
        good = !has_own_row(r, j) ||
               (add_tension_pairs(sys, r, j, pairs) && add_tension_order(sys, r, j, later));
    }
    return good;
}

bool newton_add_row_pairs(const NewtonSystem* sys, RowPairs* pairs, RowPairs* later)
{
    bool good = true;
    for (int i = 0; i < sys->rod_count; i++) {
        good = good && add_rod_pairs(sys, &sys->rods[i], pairs, later);
    }
    return good;
}

// ---- maps from the block rows

int newton_node_row(const NewtonSystem* sys, const NewtonRod* r, int node)
{
    const Weld* weld = weld_at(r, node);
    return weld ? sys->bodies[weld->body->index].row : r->row + node;
}

int newton_frame_row(const NewtonSystem* sys, const NewtonRod* r, int edge)
{
    return newton_frame_is_carried(r, edge) ? newton_node_row(sys, r, edge) : r->row + edge;
}

static CordVec3 arm_of(const NewtonSystem* sys, const NewtonRod* r, int node)
{
    const Weld* weld = weld_at(r, node);
    return newton_arm(sys, weld, weld->clamp.node_count > 1 && weld->clamp.node[1] == node, ARM_END);
}

static CordVec3 tangent_of(const NewtonRod* r, int edge)
{
    int s = slot_of(&r->rod->line, edge);
    return vec3_unit(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
}

double newton_frame_turned(const NewtonSystem* sys, const NewtonRod* r, int edge)
{
    if (!newton_frame_is_carried(r, edge)) {
        return r->turned[slot_of(&r->rod->line, edge)];
    }
    const NewtonBody* body = &sys->bodies[weld_at(r, edge)->body->index];
    return vec3_dot(tangent_of(r, edge), pose_rotation_vector(body->before, body->pose));
}

RowMap newton_node_map(const NewtonSystem* sys, const NewtonRod* r, int node)
{
    if (!weld_at(r, node)) {
        return (RowMap){.row = r->row + node, .size = 3};
    }
    return (RowMap){.row = newton_node_row(sys, r, node), .size = 6, .arm = arm_of(sys, r, node)};
}

RowVector newton_frame_map(const NewtonSystem* sys, const NewtonRod* r, int edge)
{
    RowVector map = {.row = newton_frame_row(sys, r, edge), .size = ANGLE + 1};
    if (newton_frame_is_carried(r, edge)) {
        CordVec3 t = tangent_of(r, edge);
        map.size = 6;
        map.T[3] = t.x, map.T[4] = t.y, map.T[5] = t.z;
    } else {
        map.T[ANGLE] = 1.0;
    }
    return map;
}

static RowVector tension_map(const NewtonRod* r, int edge)
{
    bool own = has_own_row(r, edge);
    RowVector map = {.row = r->tension_row[edge], .size = own ? 1 : TENSION + 1};
    map.T[map.size - 1] = 1.0;
    return map;
}

static RowVector position_map(const NewtonSystem* sys, const NewtonRod* r, int node, int i)
{
    RowVector map = {.row = r->row + node, .size = 3};
    if (weld_at(r, node)) {
        RowMap all = newton_node_map(sys, r, node);
        map.row = all.row, map.size = all.size;
        row_map_put(&all, (CordVec3){i == 0, i == 1, i == 2}, map.T);
    } else {
        map.T[i] = 1.0;
    }
    return map;
}

// ---- the unknowns of a span

typedef struct SpanUnknown {
    int node; // of the rod; -1: unused
    int part; // 0 .. 2: x of the node; ANGLE, TENSION: of the edge after it
} SpanUnknown;

static int node_at(const BandSystem* s, int k)
{
    return band_slot(s, k) - s->rod->line.halo;
}

static SpanUnknown port_unknown(const BandSystem* s, int k, int i) // its first node is k
{
    return i < 4    ? (SpanUnknown){node_at(s, k), i}
           : i == 7 ? (SpanUnknown){node_at(s, k), TENSION}
                    : (SpanUnknown){node_at(s, k + 1), i - 4};
}

// i as in band_x.
static SpanUnknown unknown_at(const BandSystem* s, int i)
{
    const SpanUnknown unused = {-1, 0};
    int port = i < 0 ? -1 - i : i - band_port(s);
    if (i < 0 || (s->right && port >= 0)) {
        bool held = s->ring && (s->held_left[port] || s->held_right[port]);
        return held ? unused : port_unknown(s, i < 0 ? -1 : s->blocks, port);
    }
    int k = i / s->block, part = i % s->block;
    if (k == s->blocks) { // the tension before a right port
        return (SpanUnknown){node_at(s, k - 1), TENSION};
    }
    if (k == 0 && (part == TENSION || (s->left && part < ANGLE))) {
        return unused;
    }
    if (part == ANGLE && !s->right && k == s->blocks - 1) {
        return unused;
    }
    return part == TENSION ? (SpanUnknown){node_at(s, k - 1), TENSION} : (SpanUnknown){node_at(s, k), part};
}

static RowVector map_of(const NewtonSystem* sys, const NewtonRod* r, const BandSystem* s, int i)
{
    SpanUnknown u = unknown_at(s, i);
    return u.node < 0          ? (RowVector){.row = -1}
           : u.part == TENSION ? tension_map(r, u.node)
           : u.part == ANGLE   ? newton_frame_map(sys, r, u.node)
                               : position_map(sys, r, u.node, u.part);
}

// ---- the matrix

static bool is_whole(const NewtonRod* r, const BandSystem* s, int k) // the tension is in the block of node k
{
    return s->block == 4 || k == 0 || r->tension_row[node_at(s, k - 1)] == r->row + node_at(s, k);
}

// Couples the unknowns of two nodes between the ports, except tensions with block rows of their own.
static void fill_inner(const NewtonRod* r, const BandSystem* s, int k, int n, const SparseLdu* b)
{
    const BandLdu* band = &s->band;
    int i = r->row + node_at(s, k), j = r->row + node_at(s, n), stride = sparse_ldu_stride(b, i);
    int rows = is_whole(r, s, k) ? s->block : 4, columns = is_whole(r, s, n) ? s->block : 4;
    double* block[2];
    bool coupled = sparse_ldu_pair_at(b, i, j, block);
    CORD_ASSERT(coupled), (void)coupled;
    double *upper = block[0], *lower = block[1];
    for (int p = 0; p < rows; p++) {
        const double* from = band_ldu_at(band, k * s->block + p, n * s->block);
        int first = k == n ? p : 0, end = band->half - ((n - k) * s->block - p) + 1;
        if (first == 0 && columns == 4 && end >= 4) { // as nearly all are
            for (int q = 0; q < 4; q++) {
                upper[p * stride + q] = lower[q * stride + p] = from[q];
            }
            continue;
        }
        for (int q = first; q < columns && q < end; q++) {
            upper[p * stride + q] = lower[q * stride + p] = from[q];
        }
    }
}

static void add_entry(const SparseLdu* b, const RowVector* row, const RowVector* column, double value)
{
    double* block = sparse_ldu_at(b, row->row, column->row);
    CORD_ASSERT(block);
    sparse_ldu_add_outer(b, block, sparse_ldu_size(b, row->row), column->row, value, row->T, column->T);
}

static void add_pair(const SparseLdu* b, const RowVector* u, const RowVector* v, double value)
{
    if (value != 0.0 && u->row >= 0 && v->row >= 0) {
        add_entry(b, u, v, value);
        add_entry(b, v, u, value);
    }
}

static bool is_inner(const NewtonRod* r, const BandSystem* s, int i) // fill_inner has row i of the band
{
    int k = i / s->block;
    return k < s->blocks && (k > 0 || !s->left) && (i % s->block != TENSION || is_whole(r, s, k));
}

// The next row of the band that fill_inner leaves out; band.n: there is none.
static int next_outer(const NewtonRod* r, const BandSystem* s, int i)
{
    for (i++; i < s->band.n && is_inner(r, s, i); i++) {
        if (s->block == 4) {
            i = s->block * s->blocks - 1;
        }
    }
    return i;
}

static void fill_outer(const NewtonSystem* sys, const NewtonRod* r, const BandSystem* s, int i,
                       const SparseLdu* b)
{
    RowVector u = map_of(sys, r, s, i);
    for (int j = band_ldu_first(&s->band, i); j <= band_ldu_last(&s->band, i) && u.row >= 0; j++) {
        double value = j < i ? *band_ldu_at(&s->band, j, i) : *band_ldu_at(&s->band, i, j);
        if (value == 0.0 || (j < i && !is_inner(r, s, j))) {
            continue;
        }
        RowVector v = map_of(sys, r, s, j);
        if (i == j) {
            add_entry(b, &u, &u, value);
        } else {
            add_pair(b, &u, &v, value);
        }
    }
}

// The left port couples with the nodes 1 and 2 of the span, or with a right port in their place.
static void fill_left_port(const NewtonSystem* sys, const NewtonRod* r, const BandSystem* s,
                           const SparseLdu* b)
{
    const BandLdu* band = &s->band;
    int most = 3 * s->block + 1 + s->port_size, rows = most < band->n ? most : band->n;
    RowVector port[BAND_PORT_MOST];
    for (int k = 0; k < s->port_size; k++) {
        port[k] = map_of(sys, r, s, -1 - k);
        for (int j = 0; j < k; j++) {
            add_pair(b, &port[j], &port[k], band->corner[j * band->border_stride + k]);
        }
        double value = band->corner[k * band->border_stride + k];
        if (port[k].row >= 0 && value != 0.0) {
            add_entry(b, &port[k], &port[k], value);
        }
    }
    for (int i = 0; i < rows; i++) {
        RowVector v = map_of(sys, r, s, i);
        for (int k = 0; k < s->port_size; k++) {
            add_pair(b, &v, &port[k], band->col[i * band->border_stride + k]);
        }
    }
}

static void fill_span(const NewtonSystem* sys, const NewtonRod* r, const BandSystem* s, const SparseLdu* b)
{
    for (int k = s->left ? 1 : 0; k < s->blocks; k++) {
        for (int n = k; n < s->blocks && n <= k + 2; n++) {
            fill_inner(r, s, k, n, b);
        }
    }
    for (int i = next_outer(r, s, -1); i < s->band.n; i = next_outer(r, s, i)) {
        fill_outer(sys, r, s, i, b);
    }
    if (s->left) {
        fill_left_port(sys, r, s, b);
    }
}

static void set_unit_pivot(const SparseLdu* b, int row, int i)
{
    sparse_ldu_at(b, row, row)[i * sparse_ldu_stride(b, row) + i] = 1.0;
}

static bool has_tension(const NewtonRod* r, int node) // whether its block row holds one
{
    const CordCenterline* c = &r->rod->line;
    int before = node > 0 ? node - 1 : c->closed ? c->edge_count - 1 : -1;
    return before >= 0 && r->tension_row[before] == r->row + node;
}

// Unit pivots for unused unknowns.
static void seal_rod(const NewtonRod* r, const SparseLdu* b)
{
    const CordCenterline* c = &r->rod->line;
    for (int n = 0; n < c->node_count; n++) {
        for (int i = 0; i < 3 && r->held[n] && weld_at(r, n); i++) {
            set_unit_pivot(b, r->row + n, i);
        }
        if (n >= c->edge_count || newton_frame_is_carried(r, n)) {
            set_unit_pivot(b, r->row + n, ANGLE);
        }
        if (block_of(r) == 5 && !has_tension(r, n)) {
            set_unit_pivot(b, r->row + n, TENSION);
        }
    }
}

static void seal_held_port(const NewtonRod* r, const BandSystem* s, const SparseLdu* b)
{
    for (int i = 0; i < s->port_size && s->ring; i++) {
        if (s->held_left[i] || s->held_right[i]) {
            SpanUnknown u = port_unknown(s, -1, i);
            bool apart = u.part == TENSION && has_own_row(r, u.node);
            int row = u.part == TENSION ? r->tension_row[u.node] : r->row + u.node;
            set_unit_pivot(b, row, apart ? 0 : u.part);
        }
    }
}

static void fill_body(const NewtonSystem* sys, int i, const SparseLdu* b)
{
    int row = sys->bodies[i].row, stride = sparse_ldu_stride(b, row);
    const double* from = sparse_ldu_at(sys->blocks, i, i);
    double* to = sparse_ldu_at(b, row, row);
    for (int p = 0; p < 6; p++) {
        for (int q = 0; q < 6; q++) {
            to[p * stride + q] = from[p * sparse_ldu_stride(sys->blocks, i) + q];
        }
    }
}

void newton_fill_rows(const NewtonSystem* sys, const SparseLdu* b)
{
    CORD_ASSERT(!sys->midpoint); // forces would act on a body by another arm than its nodes move by
    for (int i = 0; i < sys->body_count; i++) {
        fill_body(sys, i, b);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        for (int k = 0; k < r->span_count; k++) {
            fill_span(sys, r, &r->spans[k], b);
            seal_held_port(r, &r->spans[k], b);
        }
        seal_rod(r, b);
    }
}

// ---- right-hand side and solution

static void put_unknown(const NewtonSystem* sys, const NewtonRod* r, const BandSystem* s, int i,
                        const int* offset, double* right)
{
    RowVector u = map_of(sys, r, s, i);
    double value = i < 0 ? s->r_left[-1 - i] : s->r[i];
    for (int k = 0; u.row >= 0 && k < offset[u.row + 1] - offset[u.row]; k++) {
        right[offset[u.row] + k] += u.T[k] * value;
    }
}

static void put_span(const NewtonSystem* sys, const NewtonRod* r, const BandSystem* s, const int* offset,
                     double* right)
{
    for (int k = s->left ? 1 : 0; k < s->blocks; k++) {
        size_t count = (size_t)(is_whole(r, s, k) ? s->block : 4);
        memcpy(right + offset[r->row + node_at(s, k)], s->r + (ptrdiff_t)k * s->block, count * sizeof *right);
    }
    for (int i = next_outer(r, s, -1); i < s->band.n; i = next_outer(r, s, i)) {
        put_unknown(sys, r, s, i, offset, right);
    }
    for (int i = 0; i < s->port_size && s->left; i++) {
        put_unknown(sys, r, s, -1 - i, offset, right);
    }
}

void newton_put_rows(const NewtonSystem* sys, const int* offset, double* right)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        for (int k = 0; k < r->span_count; k++) {
            put_span(sys, r, &r->spans[k], offset, right);
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            right[offset[sys->bodies[i].row] + k] += sys->bodies[i].own[k];
        }
    }
}

static CordVec3 vector_at(const double* r)
{
    return (CordVec3){r[0], r[1], r[2]};
}

static double tension_at(const NewtonRod* r, int edge, const int* offset, const double* x)
{
    int row = r->tension_row[edge];
    return row < 0 ? 0.0 : x[offset[row] + (has_own_row(r, edge) ? 0 : TENSION)];
}

static void get_rod(const NewtonSystem* sys, NewtonRod* r, const int* offset, const double* x)
{
    const CordCenterline* c = &r->rod->line;
    for (int n = 0; n < c->node_count; n++) {
        const double *own = x + offset[r->row + n], *body = x + offset[newton_node_row(sys, r, n)];
        bool carried = body != own;
        CordVec3 turn = carried ? vector_at(body + 3) : (CordVec3){0, 0, 0}, move = vector_at(body);
        int s = slot_of(c, n);
        slot_set(r->move.x, s, carried ? vec3_add(move, vec3_cross(turn, arm_of(sys, r, n))) : move);
        if (n < c->edge_count) {
            r->move.angle[s] = newton_frame_is_carried(r, n) ? vec3_dot(tangent_of(r, n), turn) : own[ANGLE];
            r->move.n[s] = tension_at(r, n, offset, x);
        }
    }
    move_wrap(c, &r->move);
}

void newton_get_rows(NewtonSystem* sys, const int* offset, const double* x)
{
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].move, x + offset[sys->bodies[i].row], sizeof sys->bodies[i].move);
    }
    for (int i = 0; i < sys->rod_count; i++) {
        get_rod(sys, &sys->rods[i], offset, x);
    }
}
