// Compliance of a position-based step: prepares the lanes for the kernel.
#include "step/position.h"

#include "math/kernel.h"
#include "step/position_lanes.h"

enum { PER_NODE = 16 + 4 * PBD_RING }; // numbers of a node in four columns, and its seed

// 0 with Gauss-Seidel sweeps: unless they converge, their compliance is another one, which is unknown.
size_t pbd_compliance_scratch(const Rod* rod)
{
    int n = rod->line.node_count;
    return pbd_is_direct(&pbd_of(rod)->def) ? pbd_scratch(rod) + arena_space(sizeof(CordWide), PER_NODE * n)
                                            : 0;
}

// Puts the end of the step into a lane. Held frames go to their clamp's target.
static void put_end(const PbdLanes* p, const PbdLane* lane)
{
    const CordCenterline* c = &lane->rod->line;
    const Framed* g = pbd_of(lane->rod)->framed;
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* slot = &p->slots[i];
        int s = slot_of(c, i), at = lane->at;
        bool held = slot->spin_w[at] == 0.0;
        CordVec3 x = vec3_sub(slot_get(c->x_next, s), lane->origin);
        slot->x.x[at] = x.x, slot->x.y[at] = x.y, slot->x.z[at] = x.z;
        slot->tension[at] = i >= p->edge_count ? 0.0 : pbd_of(lane->rod)->tension_end[s];
        slot->turn[at] = i >= p->edge_count ? 0.0 : held ? p->h * slot->spin[at] : lane->h * g->spin_next[s];
    }
}

void pbd_compliance(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                    Arena* scratch)
{
    Compliance by_lane[WIDE_LANES] = {{0}};
    PbdLanes p = pbd_lanes_open(rods[0], step->h, step, scratch);
    CordWide* columns = arena_push(scratch, CordWide, PER_NODE * p.node_count);
    for (int i = 0; i < WIDE_LANES; i++) {
        PbdLane lane = pbd_lane(rods[i < count ? i : count - 1], i, step->h, false);
        pbd_lanes_put(&p, &lane, step);
        put_end(&p, &lane);
        by_lane[i] = i < count ? wanted[i] : by_lane[i];
    }
    KERNEL_CHOOSE(pbd_compliance)(&p, by_lane, 1.0 / (step->h * step->h), columns);
}
