#include "solve/joins.h"

#include <string.h>

// ---- joins of one rod

static int weld_edge(const Weld* weld) // the welded edge, or the edge next to a welded node
{
    const CordCenterline* c = &weld->clamp.rod->line;
    int node = weld->clamp.node[0];
    return weld->clamp.edge >= 0 ? weld->clamp.edge : node < c->edge_count ? node : node - 1;
}

static Join join_of(const Weld* weld, int rod)
{
    Join join = {.rod = rod, .edge = weld_edge(weld), .own = -1};
    if (weld->clamp.edge >= 0) {
        join.a = join.b = weld;
        join.b_k = 1;
        join.frame = weld->clamp.def.fix == CORD_FIX_FRAME ? weld : NULL;
    } else if (weld->clamp.node[0] == join.edge) {
        join.a = weld;
    } else {
        join.b = weld;
    }
    return join;
}

// Insertion sort along the rod: welds come in the order of their creation.
static void add_join(Joins* j, int first, Join join)
{
    int at = j->join_count++;
    for (;
         at > first && (j->joins[at - 1].edge > join.edge || (j->joins[at - 1].edge == join.edge && join.a));
         at--) {
        j->joins[at] = j->joins[at - 1];
    }
    j->joins[at] = join;
}

// Two pins on the nodes of one edge make one join. A pin is counted at the edge after its node, except a pin
// on the last node of an open rod.
static bool merge_pins(Join* join, const Join* next, int edge_after)
{
    const Weld* pin = next->edge == edge_after && !next->b   ? next->a
                      : next->edge == join->edge && !next->a ? next->b
                                                             : NULL;
    if (!pin || !join->a || join->b) {
        return false;
    }
    join->b = pin;
    return true;
}

static void add_joins(Joins* j, int rod)
{
    const Rod* r = j->assembly->rods[rod];
    int first = j->join_count, count = r->line.edge_count, last = first;
    for (int i = 0; i < r->clamp_count; i++) {
        if (r->clamps[i]->carrier) {
            add_join(j, first, join_of(weld_of(r->clamps[i]), rod));
        }
    }
    for (int i = first + 1; i < j->join_count; i++) {
        if (!merge_pins(&j->joins[last], &j->joins[i], j->joins[last].edge + 1)) {
            j->joins[++last] = j->joins[i];
        }
    }
    if (r->line.closed && last > first && j->joins[last].edge == count - 1 &&
        merge_pins(&j->joins[last], &j->joins[first], 0)) {
        for (int i = first; i < last; i++) {
            j->joins[i] = j->joins[i + 1];
        }
        last--;
    }
    j->join_count = last + 1;
}

// ---- spans

static CordResult welds_too_close(const Rod* rod, const Join* a, const Join* b, Message* message)
{
    return message_fail(message, CORD_NOT_SUPPORTED,
                        "rod '%s' is welded at edges %d and %d; an implicit step or a solve needs two edges "
                        "between them: take more "
                        "elements",
                        rod->name, a->edge, b->edge);
}

// A clamp on the node next to a join would leave the tension between them with a zero pivot.
static CordResult check_clamps(const Rod* rod, const Join* join, Message* message)
{
    const CordCenterline* c = &rod->line;
    int beside[2] = {join->edge - 1, join->edge + 2};
    for (int i = 0; i < 2; i++) {
        bool there = c->closed || (beside[i] >= 0 && beside[i] < c->node_count);
        int node = (beside[i] + c->node_count) % c->node_count;
        if (there && clamp_in_space(rod, node)) {
            return message_fail(message, CORD_NOT_SUPPORTED,
                                "rod '%s' is clamped at node %d, next to the weld at edge %d; an implicit "
                                "step or a solve needs a free node "
                                "between them: take more elements",
                                rod->name, node, join->edge);
        }
    }
    return CORD_OK;
}

static void add_span(Joins* j, int rod, int left, int right)
{
    j->spans[j->span_count++] = (JoinSpan){rod, left, right, false, false};
}

static CordResult add_spans(Joins* j, int rod, int first, Message* message)
{
    const Rod* r = j->assembly->rods[rod];
    const CordCenterline* c = &r->line;
    int last = j->join_count - 1;
    for (int i = first; i < last; i++) {
        if (j->joins[i + 1].edge - j->joins[i].edge < 3) {
            return welds_too_close(r, &j->joins[i], &j->joins[i + 1], message);
        }
    }
    for (int i = first; i <= last; i++) {
        CORD_TRY(check_clamps(r, &j->joins[i], message));
    }
    if (!c->closed && j->joins[first].edge > 0) {
        add_span(j, rod, -1, first);
    }
    for (int i = first; i < last; i++) {
        add_span(j, rod, i, i + 1);
    }
    if (c->closed) {
        if (j->joins[first].edge + c->edge_count - j->joins[last].edge < 3) {
            return welds_too_close(r, &j->joins[last], &j->joins[first], message);
        }
        add_span(j, rod, last, first);
    } else if (j->joins[last].edge < c->edge_count - 1) {
        add_span(j, rod, last, -1);
    }
    return CORD_OK;
}

// ---- block rows

// The port's unknowns that no body carries. Their order in a port: x of its first node, angle, x of the
// second node, tension.
static void find_own(Join* join, bool tensions)
{
    bool rigid = join->a && join->b && join->a->body == join->b->body;
    bool own[BAND_PORT_MOST] = {!join->a, !join->a, !join->a, !join->frame,
                                !join->b, !join->b, !join->b, tensions && !rigid};
    for (int i = 0; i < BAND_PORT_MOST; i++) {
        if (own[i]) {
            join->own_at[join->own_size++] = i;
        }
    }
}

static int rows_of(const Join* join, int rows[3])
{
    int count = 0;
    if (join->a) {
        rows[count++] = join->a->body->index;
    }
    if (join->b && (count == 0 || rows[0] != join->b->body->index)) {
        rows[count++] = join->b->body->index;
    }
    if (join->own >= 0) {
        rows[count++] = join->own;
    }
    return count;
}

static void add_pairs(SparseLduPair* pairs, int* count, const int* rows, int row_count)
{
    for (int i = 0; i < row_count; i++) {
        for (int k = 0; k < i; k++) {
            if (rows[i] != rows[k]) {
                pairs[(*count)++] = (SparseLduPair){rows[k], rows[i]};
            }
        }
    }
}

static CordResult make_blocks(Memory* m, Joins* j)
{
    int bodies = j->assembly->body_count, rows = bodies + j->join_count, count = 0;
    int most_pairs = 15 * (j->span_count + j->join_count);
    int* sizes = memory_array(m, int, rows);
    SparseLduPair* pairs = memory_array(m, SparseLduPair, most_pairs);
    CordResult result = sizes && pairs ? CORD_OK : CORD_NO_MEMORY;
    if (result == CORD_OK) {
        rows = bodies;
        for (int i = 0; i < bodies; i++) {
            sizes[i] = 6;
        }
        for (int i = 0; i < j->join_count; i++) {
            Join* join = &j->joins[i];
            if (join->own_size > 0) {
                join->own = rows;
                sizes[rows++] = join->own_size;
            }
        }
        for (int i = 0; i < j->join_count; i++) {
            int touched[6];
            add_pairs(pairs, &count, touched, rows_of(&j->joins[i], touched));
        }
        for (int i = 0; i < j->span_count; i++) {
            const JoinSpan* s = &j->spans[i];
            int touched[6], n = s->left >= 0 ? rows_of(&j->joins[s->left], touched) : 0;
            n += s->right >= 0 ? rows_of(&j->joins[s->right], touched + n) : 0;
            add_pairs(pairs, &count, touched, n);
        }
        result = sparse_ldu_create(m, &j->blocks, sizes, rows, pairs, count);
    }
    memory_array_free(m, sizes, bodies + j->join_count);
    memory_array_free(m, pairs, most_pairs);
    return result;
}

// A join's own unknowns are assembled by the span that ends there, or else by the one that starts there.
static void find_owners(Joins* j)
{
    for (int k = 0; k < j->span_count; k++) {
        JoinSpan* s = &j->spans[k];
        s->own_right = s->right >= 0 && j->joins[s->right].own >= 0;
    }
    for (int r = 0; r < j->assembly->rod_count; r++) {
        // a join at which no span ends is the first of an open rod
        JoinSpan* s = &j->spans[j->first_span[r]];
        if (j->first_span[r] < j->first_span[r + 1] && s->left >= 0 && !j->assembly->rods[r]->line.closed) {
            s->own_left = j->joins[s->left].own >= 0;
        }
    }
}

CordResult joins_create(Memory* m, Joins* j, Assembly* a, bool tensions, Message* message)
{
    *j = (Joins){.assembly = a, .join_capacity = a->tie_count, .span_capacity = a->tie_count + a->rod_count};
    j->joins = memory_array(m, Join, j->join_capacity);
    j->spans = memory_array(m, JoinSpan, j->span_capacity);
    j->first_span = memory_array(m, int, a->rod_count + 1);
    CordResult result = j->joins && j->spans && j->first_span
                            ? CORD_OK
                            : message_fail(message, CORD_NO_MEMORY, "no memory for welded rods");
    for (int r = 0; r < a->rod_count && result == CORD_OK; r++) {
        int first = j->join_count;
        add_joins(j, r);
        for (int i = first; i < j->join_count; i++) {
            find_own(&j->joins[i], tensions || band_needs_tensions(a->rods[r]));
        }
        result = add_spans(j, r, first, message);
        j->first_span[r + 1] = j->span_count;
    }
    if (result == CORD_OK && make_blocks(m, j) != CORD_OK) {
        result = message_fail(message, CORD_NO_MEMORY, "no memory for welded rods");
    }
    if (result != CORD_OK) {
        joins_destroy(m, j);
        return result;
    }
    find_owners(j);
    return CORD_OK;
}

void joins_destroy(Memory* m, Joins* j)
{
    memory_array_free(m, j->joins, j->join_capacity);
    memory_array_free(m, j->spans, j->span_capacity);
    if (j->assembly) {
        memory_array_free(m, j->first_span, j->assembly->rod_count + 1);
    }
    sparse_ldu_destroy(&j->blocks);
    *j = (Joins){0};
}

// ---- maps

// A carried node moves by translation + rotation x arm.
static void put_node(double T[][6], int first, CordVec3 arm)
{
    double cross[3][3] = {{0, arm.z, -arm.y}, {-arm.z, 0, arm.x}, {arm.y, -arm.x, 0}};
    for (int i = 0; i < 3; i++) {
        T[first + i][i] = 1.0;
        for (int k = 0; k < 3; k++) {
            T[first + i][3 + k] = cross[i][k];
        }
    }
}

JoinMap join_map(const Joins* j, const Join* join, CordVec3 arm_a, CordVec3 arm_b, CordVec3 t)
{
    JoinMap map;
    memset(&map, 0, sizeof map);
    map.count = rows_of(join, map.row);
    for (int i = 0; i < map.count; i++) {
        map.size[i] = sparse_ldu_size(&j->blocks, map.row[i]);
        if (map.row[i] == join->own) {
            for (int k = 0; k < join->own_size; k++) {
                map.T[i][join->own_at[k]][k] = 1.0;
            }
            continue;
        }
        if (join->a && join->a->body->index == map.row[i]) {
            put_node(map.T[i], 0, arm_a);
        }
        if (join->b && join->b->body->index == map.row[i]) {
            put_node(map.T[i], 4, arm_b);
        }
        if (join->frame && join->frame->body->index == map.row[i]) {
            map.T[i][3][3] = t.x, map.T[i][3][4] = t.y, map.T[i][3][5] = t.z;
        }
    }
    return map;
}
