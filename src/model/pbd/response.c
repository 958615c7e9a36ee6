// How the end of a position-based step moves with what pushes the rod: what the kernel needs to know of it.
#include "model/pbd/pbd.h"

#include "math/cpu.h"

#include <string.h>

enum { PER_NODE = 16 }; // of the columns of a node

// ---- second derivatives of bending and twisting, at the end of the step

// Frames of their own beside the arrays of the rod that do not change; strains at the start of the step, where it is damped; the second derivatives.
enum { OF_FRAMES = 8, OF_PAST = 6, OF_SECOND = OF_FRAMES + OF_PAST + CORNER_TERMS_ARRAYS };

static double* next_array(double** block, size_t stride)
{
    double* array = *block + CENTERLINE_PAD;
    *block += stride;
    return array;
}

static FrameSet frames_at_end(const Rod* rod, const StepInfo* step, double** block)
{
    const CordCenterline* c = &rod->line;
    const Framed* g = rod->framed;
    const size_t stride = centerline_stride(c);
    FrameSet f = g->now;
    double** own[OF_FRAMES] = {&f.edges.t[0],  &f.edges.t[1],  &f.edges.t[2],    &f.edges.m1[0],
                               &f.edges.m1[1], &f.edges.m1[2], &f.edges.inv_len, &f.nodes.m};
    for (int i = 0; i < OF_FRAMES; i++) {
        double* array = next_array(block, stride);
        memcpy(array - CENTERLINE_PAD, *own[i] - CENTERLINE_PAD, sizeof *array * stride);
        *own[i] = array;
    }
    CornerInput in = framed_input(&f, rod, 0.0);
    g->kernels->follow(&in, (const double* const[3]){c->x_next[0], c->x_next[1], c->x_next[2]}, g->spin_next,
                       step->h, NULL);
    framed_wrap(&f, c);
    framed_hold(g, &f, rod, step->time + step->h);
    if (rod->damping_time > 0.0) {
        FramedStrains past;
        for (int i = 0; i < FRAMED_STRAINS; i++) {
            past.of[i] = next_array(block, stride);
        }
        framed_strains(g, &g->now, rod, &past);
        f.nodes.past_A[0] = past.of[0], f.nodes.past_A[1] = past.of[1];
        f.nodes.past_B[0] = past.of[2], f.nodes.past_B[1] = past.of[3], f.nodes.past_m = past.of[4];
    }
    return f;
}

// Where the stiffness of a corner is more than the step can use, its second derivatives are not those of the step.
static bool is_capped(const Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    const CornerNodes* n = &rod->framed->now.nodes;
    double most = 0.0;
    for (int i = c->closed ? 0 : 1; i < (c->closed ? c->node_count : c->node_count - 1); i++) {
        int s = slot_of(c, i);
        most = fmax(most, fmax(fmax(n->K[0][s], n->K[2][s]), n->GJ2[s]));
    }
    return most > 0.0 && pbd_bend_share(rod, most, h) < 1.0;
}

// The arrays of CornerHessian lie one after the other, but for those of the gradient's phi before its own.
static size_t array_of(int k)
{
    return (size_t)(k < PBD_SECOND - 3 ? 6 + k : 8 + k);
}

static void put_second(PbdLanes* p, const PbdLane* lane, const StepInfo* step, double* block)
{
    const Rod* rod = lane->rod;
    const CordCenterline* c = &rod->line;
    FrameSet f = frames_at_end(rod, step, &block);
    CornerTerms terms = {0};
    const size_t stride = centerline_stride(c);
    double* first = block + CENTERLINE_PAD;
    corner_terms_open(&terms, first, stride);
    CornerInput in = framed_input(&f, rod, rod->damping_time / p->h);
    rod->framed->kernels->hessian(&in, &terms.gradient, &terms.hessian);
    for (int i = c->closed ? 0 : 1; i < (c->closed ? c->node_count : c->node_count - 1); i++) {
        for (int k = 0; k < PBD_SECOND; k++) {
            p->second[PBD_SECOND * i + k][lane->at] = first[array_of(k) * stride + (size_t)slot_of(c, i)];
        }
    }
    p->exact[lane->at] = is_capped(rod, p->h) ? 0 : -1;
}

// ---- the whole of it

// Sweeps that have not converged give way elsewhere.
size_t pbd_response_scratch(const Rod* rod)
{
    int n = rod->line.node_count;
    return pbd_is_direct(&pbd_of(rod)->def)
               ? pbd_scratch(rod) + arena_space(sizeof(CordWide), PER_NODE * n) +
                     arena_space(sizeof(CordWide), PBD_SECOND * n) +
                     arena_space(sizeof(double) * centerline_stride(&rod->line), OF_SECOND)
               : 0;
}

// Where the step has brought it. Held frames go where their clamp takes them.
static void put_end(const PbdLanes* p, const PbdLane* lane)
{
    const CordCenterline* c = &lane->rod->line;
    const Framed* g = lane->rod->framed;
    for (int i = 0; i < p->node_count; i++) {
        PbdSlot* slot = &p->slots[i];
        int s = slot_of(c, i), at = lane->at;
        bool held = slot->spin_w[at] == 0.0;
        slot->x.x[at] = c->x_next[0][s], slot->x.y[at] = c->x_next[1][s], slot->x.z[at] = c->x_next[2][s];
        slot->turn[at] = i >= p->edge_count ? 0.0 : held ? p->h * slot->spin[at] : lane->h * g->spin_next[s];
    }
}

// A force that acts all through n substeps moves what is free by (n + 1) / 2n of F h^2 / m: one step that is as much shorter does the same, and what is stiff gives way alike in both.
void pbd_response(Rod* const* rods, int count, const StepInfo* step, const ModelResponse* wanted, Arena* scratch)
{
    ModelResponse by_lane[WIDE_LANES] = {{0}};
    double n = pbd_of(rods[0])->def.substeps, h = step->h * sqrt((n + 1.0) / (2.0 * n));
    PbdLanes p = pbd_lanes_open(rods[0], h, step, scratch);
    p.def.substeps = 1;
    CordWide* columns = arena_push(scratch, CordWide, PER_NODE * p.node_count);
    p.second = arena_push(scratch, CordWide, PBD_SECOND * p.node_count);
    double* block = arena_push(scratch, double, OF_SECOND* centerline_stride(&rods[0]->line));
    memset(block, 0, OF_SECOND * centerline_stride(&rods[0]->line) * sizeof *block);
    for (int i = 0; i < WIDE_LANES; i++) {
        PbdLane lane = {rods[i < count ? i : count - 1], i, step->h};
        pbd_lanes_put(&p, &lane, step);
        put_end(&p, &lane);
        put_second(&p, &lane, step, block);
        by_lane[i] = i < count ? wanted[i] : by_lane[i];
    }
    CPU_CHOOSE(pbd_response_avx2, pbd_response_plain)(&p, by_lane, 1.0 / (step->h * step->h), columns);
}
