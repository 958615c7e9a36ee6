#include "rod/drag_kernel.h"

#include "math/wide3.h"
#include "math/wide_trig.h"

typedef struct WideDrag { // NodeDrag of four nodes
    Wide3 t;
    CordWide along, across;
    Wide3 force;
} WideDrag;

WIDE_INLINE Wide3 set3(CordVec3 a)
{
    return (Wide3){wide_set(a.x), wide_set(a.y), wide_set(a.z)};
}

WIDE_INLINE CordWideMask lane_is(int lane)
{
    return (CordWideMask)((CordWideMask){0, 1, 2, 3} == (CordWideMask){lane, lane, lane, lane});
}

// Tangents at four nodes by central differences.
WIDE_INLINE Wide3 node_tangents(const DragArrays* a, int s)
{
    Wide3 here = load3(a->x, s), behind = load3(a->x, s - 1), ahead = load3(a->x, s + 1);
    if (a->open) {
        behind = select3(lane_is(a->first - s), here, behind);
        ahead = select3(lane_is(a->first + a->count - 1 - s), here, ahead);
    }
    Wide3 across = sub3(ahead, behind);
    CordWide length = wide_sqrt(dot3(across, across));
    return select3((CordWideMask)(length > wide_set(0.0)), mul3(across, wide_set(1.0) / length), zero3());
}

WIDE_INLINE Wide3 winds(const CordWind* w, Wide3 x, double time)
{
    Wide3 u = set3(wind_mean(w, time));
    if (w->vortex == 0.0) {
        return u;
    }
    WindVortices vortices = wind_vortices(w);
    Wide3 at = mul3(madd3(x, set3(w->velocity), wide_set(-time)), wide_set(vortices.wave_number)), s, c;
    wide_sin_cos(at.x, &s.x, &c.x);
    wide_sin_cos(at.y, &s.y, &c.y);
    wide_sin_cos(at.z, &s.z, &c.z);
    Wide3 turn = {s.z + c.y, s.x + c.z, s.y + c.x};
    return madd3(u, turn, wide_set(vortices.speed));
}

WIDE_INLINE WideDrag drag_at(const DragArrays* a, int s)
{
    WideDrag drag = {node_tangents(a, s), wide_set(0.0), wide_set(0.0), zero3()};
    CordWide length = wide_set(0.5) * (wide_load(a->rest_len + s - 1) + wide_load(a->rest_len + s));
    Wide3 x = load3(a->x, s);
    for (int i = 0; i < a->load_count; i++) {
        const CordLoadDef* d = &a->loads[i]->def;
        if (a->loads[i]->kind != &load_drag || !load_acts(a->loads[i], a->time)) {
            continue;
        }
        CordWide along = wide_set(d->along) * length, across = wide_set(d->across) * length;
        Wide3 wind = winds(&d->wind, x, a->time), part = mul3(drag.t, dot3(wind, drag.t));
        drag.along += along;
        drag.across += across;
        drag.force = madd3(madd3(drag.force, part, along), sub3(wind, part), across);
    }
    return drag;
}

// One part of the velocity, along or across the rod, from before the kick and from after it: drag_kernel.h.
WIDE_INLINE Wide3 slowed(Wide3 start, Wide3 u, CordWide r)
{
    const CordWide one = wide_set(1.0);
    CordWide more = one + wide_set(0.5) * r;
    return mul3(madd3(start, sub3(u, start), more), one / (one + r * more));
}

static void apply(const DragArrays* given)
{
    const DragArrays own = *given; // a copy that no store to the arrays can alias
    const DragArrays* a = &own;
    for (int i = 0; i < a->count; i += WIDE_LANES) {
        int s = a->first + i;
        WideDrag drag = drag_at(a, s);
        CordWide rate = wide_set(a->kick) * wide_load(a->w + s);
        Wide3 before = load3((const double*const*)a->v, s), u = madd3(before, drag.force, rate);
        Wide3 start = load3(a->start, s), start_along = mul3(drag.t, dot3(start, drag.t));
        Wide3 along = mul3(drag.t, dot3(u, drag.t));
        u = add3(slowed(start_along, along, rate * drag.along),
                 slowed(sub3(start, start_along), sub3(u, along), rate * drag.across));
        store3(a->v, s, select3(wide_first(a->count - i), u, before));
    }
}

const DragKernels KERNEL(drag_kernels) = {.apply = apply};
