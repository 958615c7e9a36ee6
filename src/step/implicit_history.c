#include "step/implicit.h"

#include <string.h>

#define HISTORY_ARRAYS 7

static size_t size_of_block(const Rod* rod)
{
    return centerline_block_size(&rod->line, HISTORY_ARRAYS);
}

static bool make(Memory* m, Rod* rod)
{
    size_t stride = centerline_stride(&rod->line);
    ImplicitHistory* history = memory_array(m, ImplicitHistory, 1);
    double* block = history ? memory_alloc(m, size_of_block(rod)) : NULL;
    if (!block) {
        memory_array_free(m, history, 1);
        return false;
    }
    history->block = block;
    for (int k = 0; k < 3; k++) {
        history->accel[k] = block + (size_t)k * stride + CENTERLINE_PAD;
        history->jerk[k] = history->accel[k] + 3 * stride;
    }
    history->pull_rate = history->accel[0] + 6 * stride;
    rod->stepping = history;
    return true;
}

CordResult implicit_history_reserve(Memory* m, Rod* rod, Message* message)
{
    return rod->stepping || make(m, rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}

void implicit_history_free(Memory* m, Rod* rod)
{
    ImplicitHistory* history = implicit_history(rod);
    if (history) {
        memory_free(m, history->block, size_of_block(rod));
        memory_array_free(m, history, 1);
        rod->stepping = NULL;
    }
}

bool implicit_history_remesh(Memory* m, Rod* rod, const Remesh* map)
{
    const ImplicitHistory* old = implicit_history(map->from);
    if (!make(m, rod)) {
        return false;
    }
    ImplicitHistory* history = implicit_history(rod);
    remesh_nodes(rod, map, history->accel, old->accel);
    remesh_nodes(rod, map, history->jerk, old->jerk);
    remesh_edges(rod, map, history->pull_rate, old->pull_rate, false);
    history->frames_settled = old->frames_settled;
    return true;
}

void implicit_history_clear(Rod* rod)
{
    memset(implicit_history(rod)->block, 0, size_of_block(rod));
    implicit_history(rod)->frames_settled = false;
}

// ---- the step

// At sliding clamps, keeps only the common component along the axis.
static void slide_accelerations(const Rod* rod, ImplicitHistory* history)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        bool slides = clamp->holds && clamp->def.slides;
        double accel = slides ? clamp_slide(clamp, history->accel) : 0.0,
               jerk = slides ? clamp_slide(clamp, history->jerk) : 0.0;
        for (int k = 0; slides && k < clamp->node_count; k++) {
            int s = slot_of(c, clamp->node[k]);
            slot_set(history->accel, s, vec3_mul(clamp->axis, accel));
            slot_set(history->jerk, s, vec3_mul(clamp->axis, jerk));
        }
    }
    centerline_wrap(c, history->accel);
    centerline_wrap(c, history->jerk);
}

void implicit_history_update(Rod* rod, double h)
{
    const CordCenterline* c = &rod->line;
    ImplicitHistory* history = implicit_history(rod);
    // time between the middles of the two steps
    double since = rod->last_step > 0.0 ? 0.5 * (rod->last_step + h) : INFINITY;
    for (int s = 0; s < c->slot_count; s++) {
        for (int k = 0; k < 3; k++) {
            double accel = c->w[s] > 0.0 ? (c->v_next[k][s] - c->v[k][s]) / h : 0.0;
            history->jerk[k][s] = (accel - history->accel[k][s]) / since;
            history->accel[k][s] = accel;
        }
        history->pull_rate[s] = (c->pull_next[s] - c->pull[s]) / since;
    }
    slide_accelerations(rod, history);
}

void implicit_history_state(Rod* rod, Bytes* b)
{
    const CordCenterline* c = &rod->line;
    ImplicitHistory* history = implicit_history(rod);
    for (int k = 0; k < 3; k++) {
        bytes_doubles(b, history->accel[k] + c->halo, c->node_count);
        bytes_doubles(b, history->jerk[k] + c->halo, c->node_count);
    }
    bytes_doubles(b, history->pull_rate + c->halo, c->edge_count);
    if (b->mode == BYTES_READ) {
        centerline_wrap(c, history->accel);
        centerline_wrap(c, history->jerk);
        centerline_wrap_one(c, history->pull_rate);
    }
}
