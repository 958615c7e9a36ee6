// Length projection of the moved nodes, by Newton's method on the squares of up to three edge lengths.
#include "adapt/patch_parts.h"

#include "base/real.h"
#include "math/dense.h"

#define TOLERANCE 1e-13 // over a squared length: a few rounding errors
#define ITERATIONS 30   // four or five are usual, unless there is no solution
#define EDGES_MOST 4

typedef struct Rattle {
    const CordCenterline* line;
    bool moved[PIECE_MOST]; // (nodes of the piece)
    int edges[EDGES_MOST], count;
    double wrong[EDGES_MOST]; // half the excess of the squared length [m^2]
} Rattle;

// Largest error over the squared lengths.
static double measure(Rattle* s)
{
    double most = 0.0;
    for (int r = 0; r < s->count; r++) {
        CordVec3 e = edge_vector(s->line, s->edges[r]);
        double l = edge_rest_len(s->line, s->edges[r]);
        s->wrong[r] = 0.5 * (vec3_dot(e, e) - l * l);
        most = real_max(most, fabs(s->wrong[r]) / (l * l));
    }
    return most;
}

// Change of the square of edge r for a displacement along edge s, through the nodes that they share.
static double coupling(const Rattle* s, int r, int other)
{
    int a = s->edges[r], b = s->edges[other];
    CordVec3 e = edge_vector(s->line, a), f = edge_vector(s->line, b);
    double shared = a == b       ? (double)s->moved[a] + (double)s->moved[a + 1]
                    : b == a + 1 ? -(double)s->moved[b]
                    : a == b + 1 ? -(double)s->moved[a]
                                 : 0.0;
    return shared * vec3_dot(e, f);
}

static bool solve(Rattle* s)
{
    double a[EDGES_MOST * EDGES_MOST];
    for (int r = 0; r < s->count; r++) {
        for (int k = 0; k < s->count; k++) {
            a[r * s->count + k] = coupling(s, r, k);
        }
    }
    if (!dense_cholesky_factor(a, s->count)) {
        return false;
    }
    dense_cholesky_solve(a, s->count, s->wrong);
    return true;
}

static void apply_correction(const Rattle* s)
{
    CordVec3 by[PIECE_MOST] = {{0, 0, 0}};
    for (int r = 0; r < s->count; r++) {
        int j = s->edges[r];
        CordVec3 e = edge_vector(s->line, j);
        by[j] = vec3_madd(by[j], e, s->wrong[r]);
        by[j + 1] = vec3_madd(by[j + 1], e, -s->wrong[r]);
    }
    for (int i = 0; i < s->line->node_count; i++) {
        if (s->moved[i]) {
            int slot = slot_of(s->line, i);
            slot_set(s->line->x, slot, vec3_add(slot_get(s->line->x, slot), by[i]));
        }
    }
}

static Rattle lengths_of(const Patch* p)
{
    Rattle s = {.line = &p->piece.line};
    for (int k = 0; k < p->moved_count; k++) {
        s.moved[p->moved[k]] = true;
    }
    for (int j = 0; j < s.line->edge_count && s.count < EDGES_MOST; j++) {
        if (s.moved[j] || s.moved[j + 1]) {
            s.edges[s.count++] = j;
        }
    }
    return s;
}

bool patch_keep_lengths(const Patch* p, CordVec3* x)
{
    if (!p->change->rod->inextensible) {
        return true;
    }
    Rattle s = lengths_of(p);
    for (int k = 0; k < p->moved_count; k++) {
        slot_set(s.line->x, slot_of(s.line, p->moved[k]), x[k]);
    }
    bool kept = false;
    for (int n = 0; n < ITERATIONS && !kept; n++) {
        kept = measure(&s) <= TOLERANCE;
        if (!kept && !solve(&s)) {
            return false;
        }
        if (!kept) {
            apply_correction(&s);
        }
    }
    for (int k = 0; k < p->moved_count; k++) {
        x[k] = node_position(s.line, p->moved[k]);
    }
    return kept;
}
