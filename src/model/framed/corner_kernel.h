// The kernels of a law: loops along the rod. A law's file has, for four corners, before it includes this one:
//
//     LAW_NAME(suffix)      the name of the kernels
//     LAW_LINKS             whether what couples the turns of two frames depends on the state
//     Law, law_at           stiffness, and with it the moments g_e, g_f and T in the corner
//     law_strains           what the law measures from rest and past
//     law_energy            twice the energies
//     law_moment            what the corner passes on
//     law_turns             second derivatives in the turns of the two frames
//     add_stiffness         all second derivatives but those that moments bring by the geometry of A, B and m
//
// Compiled twice on x86-64: see cmake/CordageKernels.cmake. Names differ by the suffix; results do not differ.
#ifdef CORD_KERNEL_AVX2
#define CORNER_KERNELS LAW_NAME(avx2)
#define CORNER_KERNELS_NAME "avx2"
#else
#define CORNER_KERNELS LAW_NAME(plain)
#define CORNER_KERNELS_NAME "plain"
#endif

#define STRIP 64 // slots

static void strains(const CornerInput* in, double* const A[2], double* const B[2])
{
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        law_strains(in, s, &k, A, B);
    }
}

static CornerEnergy energy(const CornerInput* in)
{
    LawEnergy sum = {wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    for (int s = in->first; s < in->last; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        LawEnergy here = law_energy(in, s, &k, wide_first(in->last - s));
        sum.bend += here.bend, sum.twist += here.twist;
        if (in->viscous > 0.0) {
            sum.viscous += here.viscous;
        }
    }
    return (CornerEnergy){0.5 * wide_sum(sum.bend), 0.5 * wide_sum(sum.twist),
                          0.5 * in->viscous * wide_sum(sum.viscous)};
}

// ---- derivatives

WIDE_INLINE void gradient_along(const CornerInput* in, const CornerGradient* out, bool damped)
{
    for (int s = in->first; s < in->last; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        law_at(in, s, &k, damped);
        store_gradient(out, s - in->base, &k);
    }
}

static void gradient(const CornerInput* in, const CornerGradient* out)
{
    in->viscous > 0.0 ? gradient_along(in, out, true) : gradient_along(in, out, false);
}

WIDE_INLINE void hessian_along(const CornerInput* in, const CornerGradient* slope, const CornerHessian* out,
                               bool damped)
{
    const CordWide zero = wide_set(0.0), stiffer = wide_set(1.0 + in->viscous);
    for (int s = in->first; s < in->last; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        Law law = law_at(in, s, &k, damped);
        Slopes d = slopes_of(&k);
        Local g = local_gradient(&k, &d);
        Second h = {{zero, zero, zero},
                    {zero, zero, zero},
                    {{zero, zero}, {zero, zero}},
                    {zero, zero},
                    {zero, zero},
                    {zero, zero},
                    {zero, zero},
                    zero,
                    zero,
                    zero};
        add_stiffness(&h, &k, &law, &d, stiffer);
        add_geometric(&h, &k, &d, &g);
        store_gradient(slope, s - in->base, &k);
        store_hessian(out, s - in->base, &k, &h, &g);
    }
}

static void hessian(const CornerInput* in, const CornerGradient* slope, const CornerHessian* out)
{
    in->viscous > 0.0 ? hessian_along(in, slope, out, true) : hessian_along(in, slope, out, false);
}

// ---- turns of the frames alone

typedef struct Rows { // of four edges: what the corner before them adds
    CordWide moment, diag;
} Rows;

// Row s of the system has what the corners at both ends of edge s make of its turn: four rows, the first of which belongs to the edge before
// slot s, are completed by the four corners from there. Returns GJ2 |kb|^2.
WIDE_INLINE CordWide add_rows(const CornerInput* in, const CornerTurns* out, int s, Corner* k, Rows* before,
                              bool damped)
{
    Law law = law_at(in, s, k, damped);
    LawTurns second = law_turns(&law, k, wide_set(out->stiffer), damped);
    Rows here = {.moment = phi_f_gradient(k), .diag = second.ff};
    wide_store(out->moment + s - 1, -(wide_earlier(before->moment, here.moment) + phi_e_gradient(k)));
    wide_store(out->diag + s - 1, wide_earlier(before->diag, here.diag) + (second.ee + wide_set(out->trace)));
    if (LAW_LINKS) {
        CordWide free = wide_load(out->may_turn + s - 1) * wide_load(out->may_turn + s);
        wide_store(out->link + s, -(free * second.ef));
    }
    *before = here;
    return law.GJ2 * (wide_set(1.0) - k->c) * (k->q + k->q);
}

WIDE_INLINE double largest(CordWide a)
{
    return fmax(fmax(a[0], a[1]), fmax(a[2], a[3]));
}

WIDE_INLINE double turning_along(const CornerInput* in, const CornerTurns* out, bool damped)
{
    CordWide bend = wide_set(0.0);
    Rows before = {bend, bend};
    for (int s = 0; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        bend = wide_max(bend, add_rows(in, out, s, &k, &before, damped));
    }
    return largest(bend);
}

static double turning(const CornerInput* in, const CornerTurns* turns)
{
    const CornerEdges edges = *in->edges;
    const CornerNodes nodes = *in->nodes;
    const CornerTurns out = *turns;
    CornerInput own = *in; // a copy that no store to the arrays can reach
    own.edges = &edges, own.nodes = &nodes;
    return own.viscous > 0.0 ? turning_along(&own, &out, true) : turning_along(&own, &out, false);
}

// Edges, then their corners: each a chain of operations that wait for each other, so that short loops, which have several of
// them under way, are faster than a long one. What they pass on stays in the nearest cache.
WIDE_INLINE double follow_along(const CornerInput* in, const double* const x[3], const double* spin, double h,
                                const CornerTurns* out, bool damped)
{
    const CordWide zero = wide_set(0.0);
    CordWide bend = zero;
    Rows rows = {zero, zero};
    for (int from = 0; from < in->slot_count; from += STRIP) {
        int to = in->slot_count - from < STRIP ? in->slot_count : from + STRIP;
        for (int s = from; s < to; s += WIDE_LANES) {
            follow_edges(in->edges, x, spin, h, s, in->slot_count - 1 - s, out);
        }
        for (int s = from; s < to; s += WIDE_LANES) {
            Corner k = corner_at(in, s);
            wide_store(in->nodes->m + s, twist_of(&k, wide_load(in->nodes->m + s)));
            if (out) {
                bend = wide_max(bend, add_rows(in, out, s, &k, &rows, damped));
            }
        }
    }
    return largest(bend);
}

static double follow(const CornerInput* in, const double* const x[3], const double* spin, double h,
                     const CornerTurns* turns)
{
    const CornerEdges edges = *in->edges;
    const CornerNodes nodes = *in->nodes;
    const double* const from[3] = {x[0], x[1], x[2]};
    CornerInput own = *in;
    own.edges = &edges, own.nodes = &nodes;
    if (!turns) {
        return spin ? follow_along(&own, from, spin, h, NULL, false)
                    : follow_along(&own, from, NULL, h, NULL, false);
    }
    const CornerTurns out = *turns;
    return own.viscous > 0.0 ? follow_along(&own, from, spin, h, &out, true)
                             : follow_along(&own, from, spin, h, &out, false);
}

WIDE_INLINE void moments_along(const CornerInput* in, double* const moment[3], bool damped)
{
    for (int s = 1; s < in->slot_count; s += WIDE_LANES) {
        Corner k = corner_at(in, s);
        law_at(in, s, &k, damped);
        store3(moment, s, law_moment(&k));
    }
}

static void moments(const CornerInput* in, double* const moment[3])
{
    in->viscous > 0.0 ? moments_along(in, moment, true) : moments_along(in, moment, false);
}

// ---- the explicit step

// What one block of four edges leaves behind for the next: the section force p needs the corners at both ends of the edge, so it is
// completed one block late.
typedef struct Sections {
    Wide3 own; // p, but for the part from the corner at the edge's far end
    Wide3 far; // that part for the edge before
} Sections;

WIDE_INLINE CordWide tension_of(const CornerKick* k, int s, CordWide inv_len, bool damped)
{
    const CordWide zero = wide_set(0.0);
    CordWide len = wide_select((CordWideMask)(inv_len > zero), wide_set(1.0) / inv_len, zero); // padding has none
    CordWide change = len - wide_load(k->rest_len + s);
    if (damped) {
        change += wide_set(k->in.viscous) * (len - wide_load(k->past_len + s));
    }
    return wide_load(k->EA + s) * change * wide_load(k->inv_rest + s);
}

WIDE_INLINE Sections sections_at(const CornerKick* k, int s, Wide3* m2, bool damped)
{
    Corner c = {.e = frame_at(k->in.edges, s - 1), .f = frame_at(k->in.edges, s)};
    c.e.m2 = earlier3(*m2, c.f.m2);
    *m2 = c.f.m2;
    strains_of(&c);
    law_at(&k->in, s, &c, damped);
    Wide3 on_e, on_f;
    tangent_gradient(&c, &on_e, &on_f);
    CordWide tension = tension_of(k, s, c.f.inv_len, damped);
    return (Sections){.own = add3(mul3(on_f, c.f.inv_len), mul3(c.f.t, tension)), .far = mul3(on_e, c.e.inv_len)};
}

// The four nodes from slot s, `count` of which are there; padding stays zero.
WIDE_INLINE CordWide kick_nodes(const CornerKick* k, int s, int count, Wide3 f)
{
    CordWide weight = wide_load(k->w + s) * wide_set(k->kick), force[3] = {f.x, f.y, f.z}, sum = wide_set(0.0);
    for (int i = 0; i < 3; i++) {
        CordWide v = wide_load(k->v[i] + s) + (force[i] * weight + wide_set(k->kick * k->gravity[i]));
        v = wide_select(wide_first(count), v, wide_set(0.0));
        wide_store(k->v_next[i] + s, v);
        if (k->h > 0.0) {
            wide_store(k->x_next[i] + s, wide_load(k->x[i] + s) + v * wide_set(k->h));
        }
        sum += v * v;
    }
    return sum;
}

// Along the rod: each block's sections, and with the next one's what they do to its nodes. Or the sections alone.
WIDE_INLINE double sections_along(const CornerKick* given, bool damped, bool kick)
{
    const CornerEdges edges = *given->in.edges;
    const CornerNodes nodes = *given->in.nodes;
    CornerKick own = *given; // copies that no store to the arrays can reach
    own.in.edges = &edges, own.in.nodes = &nodes;
    const CornerKick* k = &own;
    const int slots = k->in.slot_count;
    Wide3 m2 = zero3(), p_before = zero3();
    Sections before = sections_at(k, 0, &m2, damped);
    CordWide sum = wide_set(0.0);
    for (int s = 0; s < slots; s += WIDE_LANES) {
        Sections here = {zero3(), zero3()};
        if (s + WIDE_LANES < slots) {
            here = sections_at(k, s + WIDE_LANES, &m2, damped);
        }
        Wide3 p = add3(before.own, later3(before.far, here.far));
        if (kick) {
            sum += kick_nodes(k, s, slots - s, sub3(p, earlier3(p_before, p)));
        } else {
            store3(k->section, s, p);
        }
        p_before = p;
        before = here;
    }
    return wide_sum(sum);
}

static void sections(const CornerKick* k)
{
    k->in.viscous > 0.0 ? sections_along(k, true, false) : sections_along(k, false, false);
}

static double kick(const CornerKick* k)
{
    return k->in.viscous > 0.0 ? sections_along(k, true, true) : sections_along(k, false, true);
}

extern const CornerKernels CORNER_KERNELS;
const CornerKernels CORNER_KERNELS = {.name = CORNER_KERNELS_NAME,
                                      .follow = follow,
                                      .turn = turn,
                                      .nudge = nudge,
                                      .measure = measure,
                                      .energy = energy,
                                      .strains = strains,
                                      .gradient = gradient,
                                      .hessian = hessian,
                                      .turning = turning,
                                      .moments = moments,
                                      .sections = sections,
                                      .kick = kick};
