// Compiled twice on x86-64: see cmake/CordageKernels.cmake.
#include "solve/band_system_kernel.h"

#include "math/kernel.h"
#include "math/wide3.h"

#define ROWS 11 // x before, angle before, x, angle, x after

// Transposes a 4 x 4 matrix.
WIDE_INLINE void transpose(CordWide v[4])
{
    CordWide a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
             b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    CordWide c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
             d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Adds four consecutive entries for each of four corners. `at` is the place of the first corner's entries.
WIDE_INLINE void add_group(double* at, ptrdiff_t step, int count, CordWide a, CordWide b, CordWide c,
                           CordWide d)
{
    CordWide v[4] = {a, b, c, d};
    transpose(v);
    for (int lane = 0; lane < count; lane++) {
        double* to = at + lane * step;
        wide_store(to, wide_load(to) + v[lane]);
    }
}

typedef struct Terms { // terms of four corners by their three nodes, converted from those by the two edge
                       // vectors
    CordWide h[ROWS][ROWS];
    CordWide g[ROWS];
} Terms;

WIDE_INLINE void read_gradient(const CornerGradient* t, int s, Terms* out)
{
    for (int i = 0; i < 3; i++) {
        CordWide e = wide_load(t->e[i] + s), f = wide_load(t->f[i] + s);
        out->g[i] = e, out->g[4 + i] = f - e, out->g[8 + i] = -f;
    }
    out->g[3] = -wide_load(t->phi_e + s);
    out->g[7] = -wide_load(t->phi_f + s);
}

WIDE_INLINE void read_hessian(const CornerHessian* t, int s, Terms* out)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    CordWide ee[6], ff[6], ef[9];
    for (int i = 0; i < 6; i++) {
        ee[i] = wide_load(t->ee[i] + s), ff[i] = wide_load(t->ff[i] + s);
    }
    for (int i = 0; i < 9; i++) {
        ef[i] = wide_load(t->ef[i] + s);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            CordWide a = ee[at[i][j]], b = ff[at[i][j]], x = ef[3 * i + j], y = ef[3 * j + i];
            out->h[i][j] = a, out->h[i][4 + j] = x - a, out->h[i][8 + j] = -x;
            out->h[4 + i][j] = y - a, out->h[4 + i][4 + j] = (a - x) - (y - b), out->h[4 + i][8 + j] = x - b;
            out->h[8 + i][j] = -y, out->h[8 + i][4 + j] = y - b, out->h[8 + i][8 + j] = b;
        }
        CordWide e_e = wide_load(t->e_phi_e[i] + s), e_f = wide_load(t->e_phi_f[i] + s);
        CordWide f_e = wide_load(t->f_phi_e[i] + s), f_f = wide_load(t->f_phi_f[i] + s);
        out->h[i][3] = out->h[3][i] = -e_e, out->h[i][7] = out->h[7][i] = -e_f;
        out->h[4 + i][3] = out->h[3][4 + i] = e_e - f_e, out->h[4 + i][7] = out->h[7][4 + i] = e_f - f_f;
        out->h[8 + i][3] = out->h[3][8 + i] = f_e, out->h[8 + i][7] = out->h[7][8 + i] = f_f;
    }
    out->h[3][3] = wide_load(t->phi_ee + s), out->h[7][7] = wide_load(t->phi_ff + s);
    out->h[3][7] = out->h[7][3] = wide_load(t->phi_ef + s);
}

// Columns come in groups of four: a node's position and the angle after it. The last node has no angle, and
// zero is added there.
WIDE_INLINE void add_row(double* at, ptrdiff_t step, int count, int block, const CordWide h[ROWS])
{
    add_group(at, step, count, h[0], h[1], h[2], h[3]);
    add_group(at + block, step, count, h[4], h[5], h[6], h[7]);
    add_group(at + 2 * block, step, count, h[8], h[9], h[10], wide_set(0.0));
}

WIDE_INLINE void add_all(const BandCorners* s, const int block, const bool matrix)
{
    static const int node[ROWS] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2},
                     part[ROWS] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2};
    const ptrdiff_t stride = s->band->stride - 1; // offset from one row to the next at the same column
    for (int k = 0; k < s->count; k += WIDE_LANES) {
        int count = s->count - k < WIDE_LANES ? s->count - k : WIDE_LANES, base = s->first + k * block;
        Terms t;
        read_gradient(&s->terms->gradient, s->slot + k - s->terms->base, &t);
        if (matrix) {
            read_hessian(&s->terms->hessian, s->slot + k - s->terms->base, &t);
        }
        for (int r = 0; r < ROWS && matrix; r++) {
            double* at = band_ldu_at(s->band, base + node[r] * block + part[r], base);
            add_row(at, block * stride + block, count, block, t.h[r]);
        }
        add_row(s->right + base, block, count, block, t.g);
    }
}

static void add_corners(const BandCorners* s)
{
    if (s->block == 4) {
        s->matrix ? add_all(s, 4, true) : add_all(s, 4, false);
    } else {
        s->matrix ? add_all(s, 5, true) : add_all(s, 5, false);
    }
}

// ---- edges

typedef struct EdgeTerms { // terms of four edges
    Wide3 mean, end, force;
    CordWide across, pull; // K = across + (pull - across) mean end'
    CordWide residual, compliance;
} EdgeTerms;

WIDE_INLINE Wide3 edge_of(const double* const a[3], int s)
{
    const double* const next[3] = {a[0] + 1, a[1] + 1, a[2] + 1};
    return sub3(load3(next, s), load3(a, s));
}

WIDE_INLINE EdgeTerms edge_terms(const BandEdges* k, int s, bool midpoint, bool unknown)
{
    const CordWide one = wide_set(1.0), two = wide_set(2.0), half = wide_set(midpoint ? 0.5 : 1.0);
    const CordWide v = wide_set(k->viscous), stiffer = one + v;
    EdgeTerms t;
    Wide3 e = edge_of(k->y, s), before = edge_of(k->x, s), after = midpoint ? sub3(mul3(e, two), before) : e;
    CordWide l0 = wide_sqrt(dot3(before, before)), l1 = wide_sqrt(dot3(after, after));
    CordWide spread = midpoint ? two / (l0 + l1) : one / l1, n = wide_load(k->n + s);
    CordWide rest = wide_load(k->rest_len + s), soft = wide_load(k->soft + s);
    CordWideMask stiff = (CordWideMask)(soft == wide_set(0.0));
    CordWide change = (midpoint ? half * (l0 + l1) : l1) - rest + v * half * (l1 - l0);
    t.end = mul3(after, one / l1);
    t.mean = mul3(e, spread);
    t.compliance = soft / stiffer;
    t.residual = wide_select(stiff, half * (l1 - rest), (change - soft * n) / stiffer);
    t.across = n * spread;
    t.pull = unknown ? wide_set(0.0) : one / t.compliance;
    t.force = mul3(t.mean, unknown ? n : n + t.residual * t.pull);
    return t;
}

WIDE_INLINE Wide3 stiffness_row(const EdgeTerms* t, CordWide m, int i)
{
    Wide3 row = mul3(t->end, (t->pull - t->across) * m);
    row.x = i == 0 ? row.x + t->across : row.x;
    row.y = i == 1 ? row.y + t->across : row.y;
    row.z = i == 2 ? row.z + t->across : row.z;
    return row;
}

typedef struct EdgePlace {
    double* at;     // place of the first edge's first node in the band
    ptrdiff_t row;  // offset from one row to the next
    ptrdiff_t step; // offset from one edge to the next
    int count;
} EdgePlace;

WIDE_INLINE void add_stiffness(const EdgePlace* p, const EdgeTerms* t, int block, CordWide inertia)
{
    const CordWide zero = wide_set(0.0), m[3] = {t->mean.x, t->mean.y, t->mean.z};
    for (int i = 0; i < 3; i++) {
        Wide3 r = stiffness_row(t, m[i], i);
        CordWide own[3] = {r.x, r.y, r.z};
        double *a = p->at + i * p->row, *b = p->at + (block + i) * p->row;
        add_group(a + block, p->step, p->count, -r.x, -r.y, -r.z, zero);
        add_group(b, p->step, p->count, -r.x, -r.y, -r.z, zero);
        add_group(b + block, p->step, p->count, r.x, r.y, r.z, zero);
        own[i] += inertia;
        add_group(a, p->step, p->count, own[0], own[1], own[2], zero);
    }
}

// Adds the tension's row and column. The tension is unknown 4 of its second node's block.
WIDE_INLINE void add_tension(const EdgePlace* p, const BandEdges* k, int s, const EdgeTerms* t, double* right)
{
    const int n = 9;
    const CordWide m[3] = {t->mean.x, t->mean.y, t->mean.z}, e[3] = {t->end.x, t->end.y, t->end.z};
    CordWide own = t->compliance + wide_load(k->slack + s);
    for (int lane = 0; lane < p->count; lane++) {
        double* at = p->at + lane * p->step;
        right[lane * 5 + n] -= t->residual[lane];
        for (int i = 0; i < 3 && k->matrix; i++) {
            at[i * p->row + n] -= m[i][lane], at[(5 + i) * p->row + n] += m[i][lane];
            at[n * p->row + i] -= e[i][lane], at[n * p->row + 5 + i] += e[i][lane];
        }
        at[n * p->row + n] -= k->matrix ? own[lane] : 0.0;
    }
}

WIDE_INLINE void edges_along(const BandEdges* k, const int block, const bool midpoint)
{
    const CordWide zero = wide_set(0.0), mass = wide_set(k->mass),
                   held = wide_set((1.0 + k->extra_inertia) * k->mass);
    const ptrdiff_t row = k->band->stride - 1;
    for (int i = 0; i < k->count; i += WIDE_LANES) {
        int s = k->slot + i, base = k->first + i * block;
        EdgePlace p = {band_ldu_at(k->band, base, base), row, block * row + block,
                       k->count - i < WIDE_LANES ? k->count - i : WIDE_LANES};
        EdgeTerms t = edge_terms(k, s, midpoint, block == 5);
        CordWide weight = wide_load(k->weight + s);
        Wide3 gone = sub3(load3(k->y, s), load3(k->start, s)), f = t.force;
        CordWide fall[3] = {gone.x, gone.y, gone.z}, pull[3] = {f.x, f.y, f.z};
        for (int j = 0; j < 3; j++) {
            fall[j] = weight * (wide_set(k->gravity[j]) - mass * fall[j]) + pull[j];
        }
        if (k->matrix) {
            add_stiffness(&p, &t, block, held * weight);
        }
        add_group(k->right + base, block, p.count, fall[0], fall[1], fall[2], zero);
        add_group(k->right + base + block, block, p.count, -f.x, -f.y, -f.z, zero);
        if (block == 5) {
            add_tension(&p, k, s, &t, k->right + base);
        }
    }
}

static void add_edges(const BandEdges* k)
{
    if (k->block == 4) {
        k->midpoint ? edges_along(k, 4, true) : edges_along(k, 4, false);
    } else {
        k->midpoint ? edges_along(k, 5, true) : edges_along(k, 5, false);
    }
}

// ---- the Newton step

// Lengths of vectors, not their components: how Newton's method goes must not depend on the axes.
static double change(const BandMoves* m)
{
    CordWide most = wide_set(0.0);
    for (int i = 0; i < m->count; i += WIDE_LANES) {
        int s = m->slot + i;
        CordWideMask there = wide_first(m->count - i);
        CordWide rest = wide_max(wide_load(m->rest_len + s), wide_load(m->rest_len + s - 1));
        Wide3 x = load3(m->x, s);
        CordWide angle = wide_load(m->angle + s), far = dot3(x, x) / (rest * rest), turn = angle * angle;
        CordWide sum = far + turn; // detects NAN, which the comparisons below would miss
        far = wide_select((CordWideMask)(sum == sum), wide_max(far, turn), sum);
        most = wide_select(there & ~(CordWideMask)(far <= most), far, most);
    }
    double largest = most[0];
    for (int k = 1; k < WIDE_LANES; k++) {
        largest = largest != largest || most[k] <= largest ? largest : most[k];
    }
    return sqrt(largest);
}

WIDE_INLINE void pull_along(const BandMoves* m, const bool midpoint)
{
    const BandEdges* k = m->edges;
    const CordWide share = wide_set(m->share);
    for (int i = 0; i < m->count; i += WIDE_LANES) {
        int s = m->slot + i;
        EdgeTerms t = edge_terms(k, s, midpoint, true);
        CordWide pull = share * (t.residual + dot3(t.end, edge_of(m->x, s))) / t.compliance;
        CordWide n = wide_load(m->n + s);
        wide_store(m->n + s, wide_select(wide_first(m->count - i), n + pull, n));
    }
}

static void pull(const BandMoves* m)
{
    m->edges->midpoint ? pull_along(m, true) : pull_along(m, false);
}

extern const BandKernels KERNEL(band_kernels);
const BandKernels KERNEL(band_kernels) = {
    .add_corners = add_corners, .add_edges = add_edges, .change = change, .pull = pull};
