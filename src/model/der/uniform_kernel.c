// Compiled twice on x86-64: see cmake/CordageKernels.cmake.
#include "model/der/uniform_kernel.h"

#include "math/kernel.h"
#include "math/wide3.h"

// State passed from one block of four edges to the next. The section force p, the derivative of the energy
// with respect to the edge vector, needs the curvature at both ends of the edge, so that it is completed one
// block late.
typedef struct Block {
    Wide3 t;          // tangents
    CordWide inv_len; // 1 / length
    Wide3 own;        // p without the part of the node at the edge's far end
    Wide3 far;        // that part for the edge before, not yet multiplied by its inv_len
} Block;

// Bending and twisting forces. At an inner node, with s and t the tangents before and after and c = s.t, the
// energy is E = EI |kb|^2 / l = (4 EI / l) (1 - c) / (1 + c) (DER section 4.2.1 and eq. 1). Hence dE/dc = -g
// with g = bend / (1 + c)^2. As dc/de is (s - c t) / |e| for the edge after and (t - c s) / |e| for the edge
// before, p gains g (c t - s) / |e| and g (c s - t) / |e|. The twisting moment M adds M kb / (2 |e|) on both
// sides, the gradient of the holonomy (DER eq. 9). Lengths are the current ones, and their derivatives are
// included.
WIDE_INLINE Block edge(const DerKick* k, int s, const Block* before, bool stretch, bool twist, int count)
{
    Block b;
    const CordWide one = wide_set(1.0), zero = wide_set(0.0);
    const bool masked = count < WIDE_LANES; // lanes past the last edge get length one and tangent zero
    const double* const x1[3] = {k->x[0] + 1, k->x[1] + 1, k->x[2] + 1};
    Wide3 e = sub3(load3(x1, s), load3(k->x, s));
    CordWide len2 = dot3(e, e);
    if (masked) {
        len2 = wide_select(wide_first(count), len2, one);
    }
    CordWide len = wide_sqrt(len2);
    b.inv_len = one / len;
    b.t = mul3(e, b.inv_len);
    if (masked) {
        b.t = select3(wide_first(count), b.t, (Wide3){zero, zero, zero});
    }
    Wide3 tangent_before = earlier3(before->t, b.t);
    CordWide c = dot3(tangent_before, b.t);
    CordWide r = one / (one + c);
    CordWide g = wide_load(k->bend + s) * r * r;
    CordWide gc = g * c;
    CordWide along = gc * b.inv_len;
    if (stretch) {
        along += wide_load(k->EA + s) * (len * wide_load(k->inv_rest + s) - one);
    }
    b.own = sub3(mul3(b.t, along), mul3(tangent_before, g * b.inv_len));
    b.far = sub3(mul3(tangent_before, gc), mul3(b.t, g));
    if (twist) {
        Wide3 turn = mul3(cross3(tangent_before, b.t), wide_load(k->moment + s) * r);
        b.own = add3(b.own, mul3(turn, b.inv_len));
        b.far = add3(b.far, turn);
    }
    return b;
}

// Updates the four nodes from slot s, of which `count` exist; padding stays zero.
WIDE_INLINE CordWide node(const DerKick* k, int s, int count, Wide3 f, bool drift)
{
    CordWide weight = wide_load(k->w + s) * wide_set(k->kick);
    CordWide force[3] = {f.x, f.y, f.z}, sum = wide_set(0.0);
    for (int i = 0; i < 3; i++) {
        CordWide v = wide_load(k->v[i] + s) + (force[i] * weight + wide_set(k->kick * k->gravity[i]));
        if (count < WIDE_LANES) {
            v = wide_select(wide_first(count), v, wide_set(0.0));
        }
        wide_store(k->v_next[i] + s, v);
        if (drift) {
            wide_store(k->x_next[i] + s, wide_load(k->x[i] + s) + v * wide_set(k->h));
        }
        sum += v * v;
    }
    return sum;
}

// Completes p of a block with the part `far_after` of the next block, and updates its nodes.
WIDE_INLINE CordWide complete(const DerKick* k, int s, int count, const Block* block, Wide3 far_after,
                              Wide3* p_before, bool drift)
{
    Wide3 p = add3(block->own, mul3(later3(block->far, far_after), block->inv_len));
    Wide3 f = sub3(p, earlier3(*p_before, p));
    *p_before = p;
    return node(k, s, count, f, drift);
}

WIDE_INLINE double kick_along(const DerKick* given, bool stretch, bool twist, bool drift)
{
    const DerKick own = *given; // a copy that no store can alias, so that it stays in registers
    const DerKick* k = &own;
    const CordWide zero = wide_set(0.0);
    Block before = {.t = zero3(), .inv_len = zero, .own = zero3(), .far = zero3()};
    Wide3 p_before = zero3();
    CordWide sum = zero;
    int s = 0;
    for (; s + WIDE_LANES <= k->edge_slots; s += WIDE_LANES) {
        Block here = edge(k, s, &before, stretch, twist, WIDE_LANES);
        if (s > 0) {
            sum += complete(k, s - WIDE_LANES, WIDE_LANES, &before, here.far, &p_before, drift);
        }
        before = here;
    }
    for (; s < k->slot_count + WIDE_LANES; s += WIDE_LANES) {
        // the last edges; their nodes follow one block later
        int edges = k->edge_slots > s ? k->edge_slots - s : 0;
        Block here = edge(k, s, &before, stretch, twist, edges);
        if (s > 0) {
            int left = k->slot_count - (s - WIDE_LANES);
            sum += complete(k, s - WIDE_LANES, left < WIDE_LANES ? left : WIDE_LANES, &before, here.far,
                            &p_before, drift);
        }
        before = here;
    }
    return wide_sum(sum);
}

static double kick(const DerKick* k)
{
    bool drift = k->h > 0.0;
    if (k->EA) {
        return k->moment ? drift ? kick_along(k, true, true, true) : kick_along(k, true, true, false)
               : drift ? kick_along(k, true, false, true)
                         : kick_along(k, true, false, false);
    }
    return k->moment ? drift ? kick_along(k, false, true, true) : kick_along(k, false, true, false)
           : drift ? kick_along(k, false, false, true)
                     : kick_along(k, false, false, false);
}

extern const DerKernels KERNEL(der_kernels);
const DerKernels KERNEL(der_kernels) = {.kick = kick};
