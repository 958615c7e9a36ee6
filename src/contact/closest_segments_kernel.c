#include "contact/closest_segments_kernel.h"

#include "math/wide3.h"

WIDE_INLINE Wide3 gather(const CordVec3* x, const int node[4])
{
    const CordVec3 *a = &x[node[0]], *b = &x[node[1]], *c = &x[node[2]], *d = &x[node[3]];
    return (Wide3){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

WIDE_INLINE CordWide clamp_units(CordWide x)
{
    const CordWide zero = wide_set(0.0), one = wide_set(1.0);
    CordWide above = wide_select((CordWideMask)(x > zero), x, zero),
             below = wide_select((CordWideMask)(x < one), x, one);
    return below + (above - x);
}

WIDE_INLINE CordWide inverses_or_zero(CordWide squared)
{
    const CordWide zero = wide_set(0.0);
    return wide_select((CordWideMask)(squared > wide_set(NO_LENGTH)), wide_set(1.0) / squared, zero);
}

WIDE_INLINE CordWide overlap_middles(CordWide inv, CordWide de, CordWide rd)
{
    const CordWide zero = wide_set(0.0), one = wide_set(1.0);
    CordWide s0 = -rd * inv, s1 = (de - rd) * inv;
    CordWideMask ascends = (CordWideMask)(s0 < s1);
    CordWide lo = wide_select(ascends, s0, s1), hi = wide_select(ascends, s1, s0);
    return clamp_units(wide_set(0.5) * (wide_select((CordWideMask)(lo > zero), lo, zero) +
                                        wide_select((CordWideMask)(hi < one), hi, one)));
}

// Step by step as closest_segment_segment, which explains it.
static void four(const CordVec3* x, int node[4][4], ClosestPoints closest[4])
{
    Wide3 a = gather(x, node[0]), b = gather(x, node[2]);
    Wide3 d = sub3(gather(x, node[1]), a), e = sub3(gather(x, node[3]), b), r = sub3(a, b), n = cross3(d, e);
    CordWide dd = dot3(d, d), ee = dot3(e, e), nn = dot3(n, n), de = dot3(d, e), rd = dot3(r, d),
             re = dot3(r, e), inv = inverses_or_zero(dd);
    CordWideMask crossing = (CordWideMask)(nn > wide_set(PARALLEL) * dd * ee);
    CordWide s = clamp_units(-dot3(cross3(r, e), n) / nn);
    s = wide_all(crossing) ? s : wide_select(crossing, s, overlap_middles(inv, de, rd));
    CordWide t = clamp_units((re + s * de) * inverses_or_zero(ee));
    s = clamp_units((t * de - rd) * inv);
    Wide3 by = madd3(madd3(r, d, s), e, -t);
    CordWide distance = wide_sqrt(dot3(by, by));
    for (int k = 0; k < 4; k++) {
        closest[k] = (ClosestPoints){
            .distance = distance[k], .s = s[k], .t = t[k], .separation = {by.x[k], by.y[k], by.z[k]}};
    }
}

const ClosestSegmentsKernels KERNEL(closest_segments_kernels) = {.four = four};
