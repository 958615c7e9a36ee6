#include "solve/band_system.h"

#include "base/real.h"
#include "math/eigen_jacobi.h"
#include "math/kernel.h"

#include <string.h>

KERNEL_DECLARE(BandKernels, band_kernels);

// ---- layout

// A corner couples three nodes, and the tension that is ordered before a right port.
static BandLduWidth width_of(int block, bool right)
{
    return block == 4 ? band_ldu_block_width(2) : band_ldu_width(2 * block + 2 + (right ? 1 : 0));
}

static int unknowns_of(const Rod* rod) // of all its spans, at most
{
    return 5 * rod->line.node_count + 1 + BAND_PORT_MOST;
}

size_t band_scratch(const Rod* rod, int count)
{
    int n = unknowns_of(rod), extra = 1 + BAND_PORT_MOST; // each span adds a port and a tension
    size_t bands = arena_space(sizeof(double), (int)band_ldu_space(n, width_of(5, true), BAND_PORT_MOST));
    size_t more = arena_space(sizeof(double), (int)band_ldu_space(extra, width_of(5, true), BAND_PORT_MOST));
    return bands + (size_t)count * more + arena_space(sizeof(double), n) +
           (size_t)count * arena_space(sizeof(double), extra);
}

void band_open(BandSystem* s, Rod* rod, bool tensions, int left, int right, Arena* scratch)
{
    const CordCenterline* c = &rod->line;
    *s = (BandSystem){.rod = rod, .block = tensions ? 5 : 4, .left = left >= 0, .right = right >= 0};
    s->first = s->left ? (left + 1) % c->node_count : 0;
    int end = right < 0 ? c->node_count : right > left || !c->closed ? right : right + c->node_count;
    s->blocks = end - (s->left ? left + 1 : 0);
    s->port_size = s->left || s->right ? (tensions ? 8 : 7) : 0;
    int n = s->block * s->blocks + (s->right ? (tensions ? 1 : 0) + s->port_size : 0);
    int border = s->left ? s->port_size : 0;
    BandLduWidth width = width_of(s->block, s->right);
    double* space = arena_push(scratch, double, band_ldu_space(n, width, border));
    band_ldu_init(&s->band, n, width, border, space);
    s->r = arena_push(scratch, double, n);
}

// A sliding edge also needs its tension as an unknown: it ties the two nodes together.
bool band_needs_tensions(const Rod* rod)
{
    bool slides = false;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        slides |= clamp->holds && clamp->def.slides && clamp->node_count == 2;
    }
    return rod->inextensible || slides;
}

void band_clear_right(BandSystem* s)
{
    memset(s->r, 0, (size_t)s->band.n * sizeof *s->r);
    memset(s->r_left, 0, sizeof s->r_left);
}

void band_clear(BandSystem* s)
{
    band_clear_right(s);
    if (s->right_only) {
        return;
    }
    band_ldu_clear(&s->band);
    memset(s->held_left, 0, sizeof s->held_left);
    memset(s->held_right, 0, sizeof s->held_right);
}

int band_port(const BandSystem* s)
{
    return s->right ? s->band.n - s->port_size : s->band.n;
}

// Order in a port: x of its first node, angle, x of the second node, tension.
int band_x(const BandSystem* s, int k)
{
    if (s->left && k <= 0) {
        return k < 0 ? -1 : -1 - 4;
    }
    if (s->right && k >= s->blocks) {
        return band_port(s) + (k == s->blocks ? 0 : 4);
    }
    return k * s->block;
}

int band_angle(const BandSystem* s, int k)
{
    if (s->left && k < 0) {
        return -1 - 3;
    }
    return s->right && k == s->blocks ? band_port(s) + 3 : k * s->block + 3;
}

int band_tension(const BandSystem* s, int k)
{
    if (s->left && k < 0) {
        return -1 - 7;
    }
    if (s->right && k >= s->blocks - 1) {
        return k == s->blocks ? band_port(s) + 7 : s->block * s->blocks;
    }
    return (k + 1) * s->block + 4;
}

int band_corner_from(const BandSystem* s)
{
    return s->left ? 0 : 1;
}

int band_corner_to(const BandSystem* s)
{
    return s->right ? s->blocks + 1 : s->blocks - 1;
}

// The nodes between the ports come first, then those of a port that this span assembles.
static int inner_nodes(const BandSystem* s)
{
    return s->blocks - (s->left ? 1 : 0);
}

int band_node_count(const BandSystem* s)
{
    return inner_nodes(s) + (s->own_left ? 2 : 0) + (s->own_right ? 2 : 0);
}

int band_node(const BandSystem* s, int i)
{
    int inner = inner_nodes(s);
    if (i < inner) {
        return i + (s->left ? 1 : 0);
    }
    return s->own_right && i < inner + 2 ? s->blocks + i - inner : i - (band_node_count(s) - 2) - 1;
}

static int inner_edges(const BandSystem* s)
{
    return s->right ? s->blocks : s->blocks - 1;
}

int band_edge_count(const BandSystem* s)
{
    return inner_edges(s) + (s->own_left ? 1 : 0) + (s->own_right ? 1 : 0);
}

int band_edge(const BandSystem* s, int i)
{
    return i < inner_edges(s) ? i : s->own_right && i == inner_edges(s) ? s->blocks : -1;
}

bool band_has(const BandSystem* s, int node, int* k)
{
    int count = s->rod->line.node_count;
    for (int turn = -count; turn <= count; turn += count) {
        *k = node - s->first + turn;
        bool inner = *k >= (s->left ? 1 : 0) && *k < s->blocks;
        bool port = (s->own_right && (*k == s->blocks || *k == s->blocks + 1)) ||
                    (s->own_left && (*k == -1 || *k == 0));
        if (inner || port) {
            return true;
        }
    }
    return false;
}

// ---- assembly

void band_add(BandSystem* s, int i, int j, double value)
{
    BandLdu* b = &s->band;
    if (s->right_only) {
        return;
    }
    if (i >= 0 && j >= 0) {
        *band_ldu_at(b, i, j) += value;
    } else if (i >= 0) {
        b->col[i * b->border_stride + (-1 - j)] += value;
    } else if (j >= 0) {
        b->row[j * b->border_stride + (-1 - i)] += value;
    } else {
        b->corner[(-1 - i) * b->border_stride + (-1 - j)] += value;
    }
}

void band_add_right(BandSystem* s, int i, double value)
{
    *(i >= 0 ? &s->r[i] : &s->r_left[-1 - i]) += value;
}

typedef struct CornerIndex {
    int at[11]; // x before, angle before, x, angle, x after
} CornerIndex;

static CornerIndex corner_index(const BandSystem* s, int k)
{
    CornerIndex c;
    int x[3] = {band_x(s, k - 1), band_x(s, k), band_x(s, k + 1)};
    for (int i = 0; i < 3; i++) {
        c.at[i] = band_next(x[0], i), c.at[4 + i] = band_next(x[1], i), c.at[8 + i] = band_next(x[2], i);
    }
    c.at[3] = band_angle(s, k - 1);
    c.at[7] = band_angle(s, k);
    return c;
}

// Chain rule from the derivatives by the two edge vectors to those by the three nodes.
static void corner_gradient(const CornerGradient* t, int slot, double g[11])
{
    for (int i = 0; i < 3; i++) {
        double e = t->e[i][slot], f = t->f[i][slot];
        g[i] = -e, g[4 + i] = e - f, g[8 + i] = f;
    }
    g[3] = t->phi_e[slot];
    g[7] = t->phi_f[slot];
}

static void corner_hessian(const CornerHessian* t, int slot, double h[11][11])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double ee = t->ee[at[i][j]][slot], ff = t->ff[at[i][j]][slot];
            double ef = t->ef[3 * i + j][slot], fe = t->ef[3 * j + i][slot];
            h[i][j] = ee, h[i][4 + j] = ef - ee, h[i][8 + j] = -ef;
            h[4 + i][j] = fe - ee, h[4 + i][4 + j] = ee - ef - fe + ff, h[4 + i][8 + j] = ef - ff;
            h[8 + i][j] = -fe, h[8 + i][4 + j] = fe - ff, h[8 + i][8 + j] = ff;
        }
        double e_e = t->e_phi_e[i][slot], e_f = t->e_phi_f[i][slot];
        double f_e = t->f_phi_e[i][slot], f_f = t->f_phi_f[i][slot];
        h[i][3] = h[3][i] = -e_e, h[i][7] = h[7][i] = -e_f;
        h[4 + i][3] = h[3][4 + i] = e_e - f_e, h[4 + i][7] = h[7][4 + i] = e_f - f_f;
        h[8 + i][3] = h[3][8 + i] = f_e, h[8 + i][7] = h[7][8 + i] = f_f;
    }
    h[3][3] = t->phi_ee[slot], h[7][7] = t->phi_ff[slot];
    h[3][7] = h[7][3] = t->phi_ef[slot];
}

int band_slot(const BandSystem* s, int k)
{
    const CordCenterline* c = &s->rod->line;
    return c->halo + (s->first + k + c->node_count) % c->node_count;
}

static void add_corner(BandSystem* s, int k, const CornerTerms* terms)
{
    int slot = band_slot(s, k) - terms->base;
    CornerIndex c = corner_index(s, k);
    double g[11], h[11][11];
    corner_gradient(&terms->gradient, slot, g);
    if (!s->right_only) {
        corner_hessian(&terms->hessian, slot, h);
    }
    for (int i = 0; i < 11; i++) {
        band_add_right(s, c.at[i], -g[i]);
        for (int j = 0; j < 11 && !s->right_only; j++) {
            band_add(s, c.at[i], c.at[j], h[i][j]);
        }
    }
}

const BandKernels* band_kernels(void)
{
    return KERNEL_CHOOSE(band_kernels);
}

int band_run(const BandSystem* s, int from, int to)
{
    int end = band_slot(s, from) + (to - from), last = s->rod->line.halo + s->rod->line.node_count;
    return end <= last ? to - from : to - from - (end - last);
}

// Corners with contiguous slots, none of whose nodes belongs to a port, go four at a time.
void band_add_corners(BandSystem* s, const CornerTerms* terms, int from, int to)
{
    const BandKernels* kernels = band_kernels();
    // the inner corners are [first, last)
    int first = s->left ? 2 : 1, last = s->right ? s->blocks - 1 : s->blocks;
    last = last < to ? last : to;
    for (int k = from; k < (first < to ? first : to); k++) {
        add_corner(s, k, terms);
    }
    first = first > from ? first : from;
    for (int k = first; k < last;) {
        int slot = band_slot(s, k), count = band_run(s, k, last);
        kernels->add_corners(
            &(BandCorners){&s->band, s->r, terms, s->block, (k - 1) * s->block, slot, count, !s->right_only});
        k += count;
    }
    for (int k = last > first ? last : first; k < to; k++) {
        add_corner(s, k, terms);
    }
}

void band_add_edge(BandSystem* s, int k, const double K[9])
{
    int a = band_x(s, k), b = band_x(s, k + 1);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double v = K[3 * i + j];
            band_add(s, band_next(a, i), band_next(a, j), v);
            band_add(s, band_next(b, i), band_next(b, j), v);
            band_add(s, band_next(a, i), band_next(b, j), -v);
            band_add(s, band_next(b, i), band_next(a, j), -v);
        }
    }
}

// The first block has no edge before its node, and the last none after it. The nodes of a left port are not
// in the band.
void band_seal_first(BandSystem* s)
{
    for (int i = 0; i < 3 && s->left; i++) {
        *band_ldu_at(&s->band, i, i) = 1.0;
    }
    if (s->block == 5) {
        *band_ldu_at(&s->band, 4, 4) = 1.0;
    }
}

void band_seal_last(BandSystem* s)
{
    if (!s->right) {
        int last = s->block * (s->blocks - 1) + 3;
        *band_ldu_at(&s->band, last, last) = 1.0;
    }
}

// ---- prescribed unknowns

static void clear_column(BandSystem* s, int i) // clears the row as well
{
    BandLdu* b = &s->band;
    for (int j = band_ldu_first(b, i); j <= band_ldu_last(b, i); j++) {
        *band_ldu_at(b, i, j) = *band_ldu_at(b, j, i) = 0.0;
    }
    for (int k = 0; k < b->border; k++) {
        b->col[i * b->border_stride + k] = b->row[i * b->border_stride + k] = 0.0;
    }
}

void band_hold(BandSystem* s, int i, double value)
{
    if (i < 0) {
        s->held_left[-1 - i] = true;
        return;
    }
    if (s->right && i >= band_port(s)) {
        s->held_right[i - band_port(s)] = true;
        return;
    }
    if (s->right_only) { // the coupling to the others has been eliminated: they keep their values
        s->r[i] = value;
        return;
    }
    if (value != 0.0) { // the coupling to the others goes to the right-hand side
        const BandLdu* b = &s->band;
        for (int j = band_ldu_first(b, i); j <= band_ldu_last(b, i); j++) {
            s->r[j] -= *band_ldu_at(b, j, i) * value;
        }
        for (int k = 0; k < b->border; k++) {
            s->r_left[k] -= b->row[i * b->border_stride + k] * value;
        }
    }
    clear_column(s, i);
    *band_ldu_at(&s->band, i, i) = 1.0;
    s->r[i] = value;
}

// Projects rows and columns of the node onto the axis: P K P + k (1 - P) with P = axis axis^T, and k as large
// as the entries of K, so that the sum keeps the digits of both. Where the matrix is kept, no value is given.
void band_slide(BandSystem* s, int k, CordVec3 axis, CordVec3 value)
{
    BandLdu* b = &s->band;
    double a[3] = {axis.x, axis.y, axis.z};
    CordVec3 across = vec3_reject(value, axis);
    double d[3] = {across.x, across.y, across.z};
    int x = band_x(s, k);
    if (s->right_only) {
        double along = a[0] * s->r[x] + a[1] * s->r[x + 1] + a[2] * s->r[x + 2];
        for (int i = 0; i < 3; i++) {
            s->r[x + i] = along * a[i];
        }
        return;
    }
    int from = band_ldu_first(b, x + 2), to = band_ldu_last(b, x);
    for (int j = from; j <= to; j++) {
        for (int i = 0; i < 3; i++) {
            s->r[j] -= *band_ldu_at(b, j, x + i) * d[i];
        }
    }
    for (int j = from; j <= to; j++) {
        double along = 0.0, down = 0.0;
        for (int i = 0; i < 3; i++) {
            along += a[i] * *band_ldu_at(b, j, x + i);
            down += a[i] * *band_ldu_at(b, x + i, j);
        }
        for (int i = 0; i < 3 && (j < x || j > x + 2); i++) {
            *band_ldu_at(b, j, x + i) = along * a[i];
            *band_ldu_at(b, x + i, j) = down * a[i];
        }
    }
    double stiff = 0.0, most = 0.0, right = a[0] * s->r[x] + a[1] * s->r[x + 1] + a[2] * s->r[x + 2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            stiff += a[i] * a[j] * *band_ldu_at(b, x + i, x + j);
            most = real_max(most, fabs(*band_ldu_at(b, x + i, x + j)));
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            *band_ldu_at(b, x + i, x + j) = (stiff - most) * a[i] * a[j] + (i == j ? most : 0.0);
        }
        s->r[x + i] = right * a[i] + most * d[i];
    }
}

// The edge's tension becomes the Lagrange multiplier that ties its two nodes together along the axis.
void band_slide_together(BandSystem* s, int k, CordVec3 axis, double offset)
{
    double a[3] = {axis.x, axis.y, axis.z};
    int n = band_tension(s, k), x = band_x(s, k), y = band_x(s, k + 1);
    s->r[n] = offset;
    if (s->right_only) {
        return;
    }
    clear_column(s, n);
    for (int i = 0; i < 3; i++) {
        *band_ldu_at(&s->band, n, x + i) = *band_ldu_at(&s->band, x + i, n) = -a[i];
        *band_ldu_at(&s->band, n, y + i) = *band_ldu_at(&s->band, y + i, n) = a[i];
    }
}

// ---- solution

// The Schur complement on a ring's seam: the sum of the four blocks of its two ports, which are one edge.
static void seam_matrix(const BandSystem* s, double a[][BAND_PORT_MOST])
{
    const BandLdu* b = &s->band;
    int n = s->port_size, at = band_port(s);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = *band_ldu_at(b, at + i, at + j) + b->corner[i * b->border_stride + j] +
                      b->col[(at + i) * b->border_stride + j] + b->row[(at + j) * b->border_stride + i];
        }
    }
    for (int i = 0; i < n; i++) {
        bool held = s->held_left[i] || s->held_right[i];
        for (int j = 0; j < n && held; j++) {
            a[i][j] = a[j][i] = 0.0;
        }
        a[i][i] = held ? 1.0 : a[i][i];
    }
}

// Gaussian elimination with partial pivoting; n is the size of a port. Returns the sign of the determinant.
static int solve_dense(int n, double a[][BAND_PORT_MOST], double* r)
{
    int sign = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        if (!(fabs(a[best][k]) > 0.0)) {
            return 0;
        }
        sign = (a[best][k] < 0.0) == (best == k) ? -sign : sign;
        for (int j = 0; j < n; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        double t = r[k];
        r[k] = r[best], r[best] = t;
        for (int i = k + 1; i < n; i++) {
            double m = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) {
                a[i][j] -= m * a[k][j];
            }
            r[i] -= m * r[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            r[k] -= a[k][j] * r[j];
        }
        r[k] /= a[k][k];
    }
    return sign;
}

// Negative eigenvalues of the seam's matrix; of an unsymmetric one, whether their number is odd.
static int seam_negative(const BandSystem* s, bool symmetric)
{
    double a[BAND_PORT_MOST][BAND_PORT_MOST], packed[BAND_PORT_MOST * BAND_PORT_MOST];
    double values[BAND_PORT_MOST] = {0};
    int n = s->port_size, count = 0;
    seam_matrix(s, a);
    if (!symmetric) {
        return solve_dense(n, a, values) < 0 ? 1 : 0;
    }
    for (int i = 0; i < n * n; i++) {
        packed[i] = a[i / n][i % n];
    }
    eigen_jacobi(n, packed, values, NULL);
    for (int i = 0; i < n; i++) {
        count += values[i] < 0.0;
    }
    return count;
}

BandPivots band_factor(BandSystem* s, bool symmetric)
{
    int pivots = s->right ? band_port(s) : s->band.n;
    LduPivots p = symmetric ? band_ldu_factor_symmetric(&s->band, pivots) : band_ldu_factor(&s->band, pivots);
    return (BandPivots){p.negative + (s->ring ? seam_negative(s, symmetric) : 0), p.least};
}

// ---- streaming

void band_stream_begin(BandSystem* s)
{
    band_clear_right(s);
    s->stream.cleared = s->stream.kept = s->stream.eliminated = 0;
    band_ldu_begin(&s->band, s->band.n);
}

void band_stream_clear(BandSystem* s, int to)
{
    int rows = to < s->blocks ? (to * s->block + 3) / 4 * 4 : s->band.n;
    if (rows > s->stream.cleared) {
        band_ldu_clear_rows(&s->band, s->stream.cleared, rows);
        s->stream.cleared = rows;
    }
}

// A held node changes the equations of two nodes on either side, and a clamp may hold two nodes.
void band_stream_eliminate(BandSystem* s, int ready, bool symmetric)
{
    int rows = ready * s->block, to = ready < s->blocks ? (ready - 3) * s->block : s->band.n;
    band_ldu_save_diagonal(&s->band, s->stream.kept, rows);
    s->stream.kept = rows;
    s->stream.eliminated = band_ldu_eliminate(&s->band, s->stream.eliminated, to, symmetric, s->r);
}

BandPivots band_stream_end(BandSystem* s, bool symmetric)
{
    LduPivots p = band_ldu_end(&s->band, symmetric);
    s->stream.forward = true;
    return (BandPivots){p.negative, p.least};
}

static bool solve_seam(BandSystem* s)
{
    int n = s->port_size, at = band_port(s);
    double a[BAND_PORT_MOST][BAND_PORT_MOST], r[BAND_PORT_MOST];
    seam_matrix(s, a);
    for (int i = 0; i < n; i++) {
        r[i] = s->held_left[i] || s->held_right[i] ? 0.0 : s->r[at + i] + s->r_left[i];
    }
    if (solve_dense(n, a, r) == 0) {
        return false;
    }
    memcpy(s->r + at, r, (size_t)n * sizeof *r);
    memcpy(s->r_left, r, (size_t)n * sizeof *r);
    return true;
}

void band_forward(BandSystem* s)
{
    if (s->stream.forward) { // applies once: the next right-hand side is a new one
        s->stream.forward = false;
        return;
    }
    band_ldu_forward(&s->band, s->r, s->left ? s->r_left : NULL);
}

void band_backward(BandSystem* s)
{
    band_ldu_backward(&s->band, s->r, s->left ? s->r_left : NULL);
}

bool band_solve_ring(BandSystem* s)
{
    return !s->ring || solve_seam(s);
}

// ---- moves by slot

static double right_at(const BandSystem* s, int i)
{
    return i >= 0 ? s->r[i] : s->r_left[-1 - i];
}

static void add_node(const BandSystem* s, int k, Move* m)
{
    int slot = band_slot(s, k), x = band_x(s, k);
    for (int i = 0; i < 3; i++) {
        m->x[i][slot] += right_at(s, band_next(x, i));
    }
}

static void add_edge(const BandSystem* s, int k, Move* m)
{
    int slot = band_slot(s, k);
    m->angle[slot] += right_at(s, band_angle(s, k));
    if (s->block == 5) {
        m->n[slot] += right_at(s, band_tension(s, k));
    }
}

void band_get_right(const BandSystem* s, Move* m)
{
    for (int k = s->left ? -1 : 0; k < s->blocks + (s->right ? 2 : 0); k++) {
        add_node(s, k, m);
    }
    for (int k = s->left ? -1 : 0; k < s->blocks + (s->right ? 1 : -1); k++) {
        add_edge(s, k, m);
    }
}

void band_put_right(BandSystem* s, const Move* m)
{
    band_clear_right(s);
    for (int n = 0; n < band_node_count(s); n++) {
        int k = band_node(s, n), slot = band_slot(s, k);
        for (int i = 0; i < 3; i++) {
            band_add_right(s, band_next(band_x(s, k), i), m->x[i][slot]);
        }
    }
    for (int n = 0; n < band_edge_count(s); n++) {
        int k = band_edge(s, n), slot = band_slot(s, k);
        band_add_right(s, band_angle(s, k), m->angle[slot]);
        if (s->block == 5) {
            band_add_right(s, band_tension(s, k), m->n[slot]);
        }
    }
}

// Solution of the `count` blocks from k on, whose slots are contiguous.
static void get_run(const BandSystem* s, int k, int count, Move* m)
{
    int slot = band_slot(s, k);
    const double* r = s->r + (ptrdiff_t)k * s->block;
    for (int i = 0; i < count; i++, r += s->block) {
        m->x[0][slot + i] = r[0], m->x[1][slot + i] = r[1], m->x[2][slot + i] = r[2];
        m->angle[slot + i] = r[3];
        m->n[slot + i] = s->block == 5 ? r[s->block + 4] : 0.0;
    }
}

// Blocks [from, to) hold a node and an edge that this span assembles: after a left port and before the last
// node.
static int own_from(const BandSystem* s)
{
    return s->left ? 1 : 0;
}

static int own_to(const BandSystem* s)
{
    return s->blocks - 1 > own_from(s) ? s->blocks - 1 : own_from(s);
}

void band_get_solution(const BandSystem* s, Move* m)
{
    int from = own_from(s), to = own_to(s);
    for (int k = from; k < to;) {
        int count = band_run(s, k, to);
        get_run(s, k, count, m);
        k += count;
    }
    for (int n = to - from; n < band_node_count(s); n++) {
        int k = band_node(s, n), slot = band_slot(s, k);
        for (int i = 0; i < 3; i++) {
            m->x[i][slot] = right_at(s, band_next(band_x(s, k), i));
        }
    }
    for (int n = from > 0 ? 0 : to; n < band_edge_count(s); n = n + 1 == from ? to : n + 1) {
        int k = band_edge(s, n), slot = band_slot(s, k);
        m->angle[slot] = right_at(s, band_angle(s, k));
        m->n[slot] = s->block == 5 ? right_at(s, band_tension(s, k)) : 0.0;
    }
}
