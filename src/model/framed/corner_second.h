// Hessian of the energy of four corners at a time, for every law. The law itself adds the material part
// (add_stiffness). Only kernels include this header.
#ifndef CORD_MODEL_FRAMED_CORNER_SECOND_H
#define CORD_MODEL_FRAMED_CORNER_SECOND_H

#include "model/framed/corner_wide.h"

// Derivatives of the strains with respect to the local variables: tau, the change of t_e in the frame of e,
// and sigma, the change of t_f in the frame of f. The derivative of (A1, A2) with respect to phi_e is
// (A2, -A1), and that of B with respect to phi_f has the same form.
typedef struct Slopes {
    CordWide A_tau[2][2], A_sigma[2][2], B_tau[2][2], B_sigma[2][2];
    CordWide m_tau[2], m_sigma[2]; // holonomy: kb/2 (DER eq. 9)
} Slopes;

WIDE_INLINE Slopes slopes_of(const Corner* k)
{
    Slopes d;
    const Wide3 *me[2] = {&k->e.m1, &k->e.m2}, *mf[2] = {&k->f.m1, &k->f.m2};
    CordWide qc = k->q * k->c;
    for (int i = 0; i < 2; i++) {
        CordWide rA = k->r * k->A[i], rB = k->r * k->B[i];
        for (int j = 0; j < 2; j++) {
            d.A_tau[i][j] = -(rA * k->a[j]);
            d.B_sigma[i][j] = -(rB * k->b[j]);
            d.A_sigma[i][j] = k->q * dot3(*me[i], *mf[j]) - rA * k->b[j];
            d.B_tau[i][j] = -(k->q * dot3(*me[j], *mf[i])) - rB * k->a[j];
        }
        d.A_tau[i][i] -= qc;
        d.B_sigma[i][i] += qc;
    }
    const CordWide half = wide_set(0.5);
    d.m_tau[0] = -(half * k->A[1]), d.m_tau[1] = half * k->A[0];
    d.m_sigma[0] = -(half * k->B[1]), d.m_sigma[1] = half * k->B[0];
    return d;
}

typedef struct Local {                 // gradient with respect to the local variables
    CordWide tau[2], sigma[2];         // of bending
    CordWide tau_all[2], sigma_all[2]; // of bending and twist
} Local;

WIDE_INLINE Local local_gradient(const Corner* k, const Slopes* d)
{
    Local g;
    for (int j = 0; j < 2; j++) {
        g.tau[j] = k->g_e[0] * d->A_tau[0][j] + k->g_e[1] * d->A_tau[1][j] + k->g_f[0] * d->B_tau[0][j] +
                   k->g_f[1] * d->B_tau[1][j];
        g.sigma[j] = k->g_e[0] * d->A_sigma[0][j] + k->g_e[1] * d->A_sigma[1][j] +
                     k->g_f[0] * d->B_sigma[0][j] + k->g_f[1] * d->B_sigma[1][j];
        g.tau_all[j] = g.tau[j] + k->T * d->m_tau[j];
        g.sigma_all[j] = g.sigma[j] + k->T * d->m_sigma[j];
    }
    return g;
}

WIDE_INLINE Wide3 in_frame(const Frame* f, CordWide u, CordWide v)
{
    return madd3(mul3(f->m1, u), f->m2, v);
}

// Hessian with respect to the local variables tau, phi_e, sigma, phi_f.
typedef struct Second {
    CordWide tt[3], ss[3]; // 11 12 22
    CordWide ts[2][2];
    CordWide t_e[2], t_f[2], s_e[2], s_f[2]; // mixed with phi_e and phi_f
    CordWide ee, ef, ff;                     // of phi_e and phi_f
} Second;

typedef struct Row { // derivatives of one strain with respect to all local variables
    CordWide tau[2], sigma[2], e, f;
} Row;

// Adds u v'. The caller adds terms whose sum is symmetric; only the upper triangle is stored.
WIDE_INLINE void add_product(Second* h, const Row* u, const Row* v)
{
    h->tt[0] += u->tau[0] * v->tau[0], h->tt[1] += u->tau[0] * v->tau[1], h->tt[2] += u->tau[1] * v->tau[1];
    h->ss[0] += u->sigma[0] * v->sigma[0], h->ss[1] += u->sigma[0] * v->sigma[1];
    h->ss[2] += u->sigma[1] * v->sigma[1];
    for (int i = 0; i < 2; i++) {
        h->ts[i][0] += u->tau[i] * v->sigma[0], h->ts[i][1] += u->tau[i] * v->sigma[1];
        h->t_e[i] += u->tau[i] * v->e, h->t_f[i] += u->tau[i] * v->f;
        h->s_e[i] += u->sigma[i] * v->e, h->s_f[i] += u->sigma[i] * v->f;
    }
    h->ee += u->e * v->e, h->ef += u->e * v->f, h->ff += u->f * v->f;
}

WIDE_INLINE Row scaled_sum(const Row* u, CordWide a, const Row* v, CordWide b)
{
    Row w;
    for (int i = 0; i < 2; i++) {
        w.tau[i] = a * u->tau[i] + b * v->tau[i];
        w.sigma[i] = a * u->sigma[i] + b * v->sigma[i];
    }
    w.e = a * u->e + b * v->e;
    w.f = a * u->f + b * v->f;
    return w;
}

WIDE_INLINE Row row_of_A(const Corner* k, const Slopes* d, int i)
{
    CordWide turned = i == 0 ? k->A[1] : -k->A[0];
    return (Row){
        {d->A_tau[i][0], d->A_tau[i][1]}, {d->A_sigma[i][0], d->A_sigma[i][1]}, turned, wide_set(0.0)};
}

WIDE_INLINE Row row_of_B(const Corner* k, const Slopes* d, int i)
{
    CordWide turned = i == 0 ? k->B[1] : -k->B[0];
    return (Row){
        {d->B_tau[i][0], d->B_tau[i][1]}, {d->B_sigma[i][0], d->B_sigma[i][1]}, wide_set(0.0), turned};
}

WIDE_INLINE Row row_of_m(const Slopes* d)
{
    return (Row){{d->m_tau[0], d->m_tau[1]}, {d->m_sigma[0], d->m_sigma[1]}, wide_set(-1.0), wide_set(1.0)};
}

// Adds R' H R, with H the Hessian with respect to two strains u and the twist m, and R their derivatives.
WIDE_INLINE void add_quadratic(Second* h, const Row u[2], const Row* m, CordWide H[3][3])
{
    for (int i = 0; i < 3; i++) {
        Row bend = scaled_sum(&u[0], H[i][0], &u[1], H[i][1]),
            w = scaled_sum(&bend, wide_set(1.0), m, H[i][2]);
        add_product(h, i < 2 ? &u[i] : m, &w);
    }
}

// Geometric part of the Hessian: the moments times the second derivatives of the strains. With M the moment
// vector, K = kb.M, and u and w the gradients of K with respect to tau and sigma:
//   tau tau      -K r 1 + (M_e kb' + kb M_e')/2 - r (t_f u' + u t_f')
//   tau sigma    -q [M] - K r 1 - r (t_f w' + u t_e')
//   twist:  T times  -r/4 (kb t_f' + t_f kb'),  (q [t_e] - r kb t_e')/2
// The sigma sigma block is the tau tau block with e and f exchanged. All components are in the two frames.
WIDE_INLINE void add_geometric(Second* h, const Corner* k, const Slopes* d, const Local* g)
{
    const CordWide half = wide_set(0.5), quarter = wide_set(0.25);
    const Wide3 *me[2] = {&k->e.m1, &k->e.m2}, *mf[2] = {&k->f.m1, &k->f.m2};
    CordWide Ke = k->A[0] * k->g_e[0] + k->A[1] * k->g_e[1], Kf = k->B[0] * k->g_f[0] + k->B[1] * k->g_f[1];
    CordWide Kr = (Ke + Kf) * k->r, Tr = quarter * k->T * k->r;
    CordWide kb_e[2] = {-k->A[1], k->A[0]}, kb_f[2] = {-k->B[1], k->B[0]};
    CordWide M_e[2] = {-k->g_e[1], k->g_e[0]}, M_f[2] = {-k->g_f[1], k->g_f[0]};
    static const int at[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    for (int n = 0; n < 3; n++) {
        int i = at[n][0], j = at[n][1];
        h->tt[n] += half * (M_e[i] * kb_e[j] + kb_e[i] * M_e[j]) -
                    k->r * (k->a[i] * g->tau[j] + g->tau[i] * k->a[j]) -
                    Tr * (kb_e[i] * k->a[j] + k->a[i] * kb_e[j]);
        h->ss[n] += half * (M_f[i] * kb_f[j] + kb_f[i] * M_f[j]) -
                    k->r * (k->b[i] * g->sigma[j] + g->sigma[i] * k->b[j]) -
                    Tr * (kb_f[i] * k->b[j] + k->b[i] * kb_f[j]);
    }
    h->tt[0] -= Kr, h->tt[2] -= Kr, h->ss[0] -= Kr, h->ss[2] -= Kr;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            CordWide G = dot3(*me[i], *mf[j]), across = dot3(*me[1 - i], *mf[j]);
            CordWide turn = i == 0 ? -across : across;
            h->ts[i][j] += k->q * (k->g_f[j] * k->a[i] - k->g_e[i] * k->b[j]) - Kr * G -
                           k->r * (k->a[i] * g->sigma[j] + g->tau[i] * k->b[j]) +
                           half * k->T * (k->q * turn - k->r * kb_e[i] * k->b[j]);
        }
        h->t_e[i] += k->g_e[0] * d->A_tau[1][i] - k->g_e[1] * d->A_tau[0][i];
        h->s_e[i] += k->g_e[0] * d->A_sigma[1][i] - k->g_e[1] * d->A_sigma[0][i];
        h->t_f[i] += k->g_f[0] * d->B_tau[1][i] - k->g_f[1] * d->B_tau[0][i];
        h->s_f[i] += k->g_f[0] * d->B_sigma[1][i] - k->g_f[1] * d->B_sigma[0][i];
    }
    h->ee -= Ke;
    h->ff -= Kf;
}

// Hessian with respect to one edge vector e. The derivative of t = e/|e| depends on e itself, which adds
// -(t p' + p t') / |e| with p the gradient.
WIDE_INLINE void store_edge(double* const out[6], int s, const Frame* f, const CordWide h[3],
                            const CordWide g[2])
{
    CordWide scale = f->inv_len * f->inv_len;
    Wide3 u = madd3(in_frame(f, h[0], h[1]), f->t, -g[0]), v = madd3(in_frame(f, h[1], h[2]), f->t, -g[1]);
    Wide3 p = in_frame(f, g[0], g[1]);
    u = mul3(u, scale), v = mul3(v, scale), p = mul3(p, scale);
    wide_store(out[0] + s, u.x * f->m1.x + v.x * f->m2.x - p.x * f->t.x);
    wide_store(out[1] + s, u.x * f->m1.y + v.x * f->m2.y - p.x * f->t.y);
    wide_store(out[2] + s, u.x * f->m1.z + v.x * f->m2.z - p.x * f->t.z);
    wide_store(out[3] + s, u.y * f->m1.y + v.y * f->m2.y - p.y * f->t.y);
    wide_store(out[4] + s, u.y * f->m1.z + v.y * f->m2.z - p.y * f->t.z);
    wide_store(out[5] + s, u.z * f->m1.z + v.z * f->m2.z - p.z * f->t.z);
}

WIDE_INLINE void store_mixed(double* const out[9], int s, const Corner* k, CordWide h[2][2])
{
    CordWide scale = k->e.inv_len * k->f.inv_len;
    Wide3 u = mul3(in_frame(&k->e, h[0][0], h[1][0]), scale),
          v = mul3(in_frame(&k->e, h[0][1], h[1][1]), scale);
    const Wide3 *m1 = &k->f.m1, *m2 = &k->f.m2;
    CordWide rows[3][2] = {{u.x, v.x}, {u.y, v.y}, {u.z, v.z}};
    for (int i = 0; i < 3; i++) {
        wide_store(out[3 * i] + s, rows[i][0] * m1->x + rows[i][1] * m2->x);
        wide_store(out[3 * i + 1] + s, rows[i][0] * m1->y + rows[i][1] * m2->y);
        wide_store(out[3 * i + 2] + s, rows[i][0] * m1->z + rows[i][1] * m2->z);
    }
}

WIDE_INLINE void store_hessian(const CornerHessian* out, int s, const Corner* k, Second* h, const Local* g)
{
    store_edge(out->ee, s, &k->e, h->tt, g->tau_all);
    store_edge(out->ff, s, &k->f, h->ss, g->sigma_all);
    store_mixed(out->ef, s, k, h->ts);
    store3(out->e_phi_e, s, mul3(in_frame(&k->e, h->t_e[0], h->t_e[1]), k->e.inv_len));
    store3(out->e_phi_f, s, mul3(in_frame(&k->e, h->t_f[0], h->t_f[1]), k->e.inv_len));
    store3(out->f_phi_e, s, mul3(in_frame(&k->f, h->s_e[0], h->s_e[1]), k->f.inv_len));
    store3(out->f_phi_f, s, mul3(in_frame(&k->f, h->s_f[0], h->s_f[1]), k->f.inv_len));
    wide_store(out->phi_ee + s, h->ee);
    wide_store(out->phi_ef + s, h->ef);
    wide_store(out->phi_ff + s, h->ff);
}

#endif
