#include "contact/motion_limit.h"

#include "base/real.h"

#include <string.h>

#define MOST_PASSES 8 // over all pairs, before all rods form one group

static int group_of(const MotionLimit* limit, int rod)
{
    while (limit->group[rod] != rod) {
        rod = limit->group[rod];
    }
    return rod;
}

// The group of a and b, with the smaller share of the two.
static int merge(MotionLimit* limit, int a, int b)
{
    int p = group_of(limit, a), q = group_of(limit, b);
    int first = p < q ? p : q, last = p < q ? q : p;
    limit->group[last] = first;
    limit->share[first] = real_min(limit->share[p], limit->share[q]);
    return first;
}

// ---- energy

// Upper bound of the energy that a share of its motion takes to compress the edge [J]. An edge that turns is
// shorter on the way than at the ends of its motion. The next step gives an inextensible edge its length
// back, and its nodes the speed that this takes.
static double compression(const MotionLimit* limit, const Colliders* cs, const double* w, int segment,
                          double h)
{
    const Segment* g = &cs->segments[segment];
    const Rod* rod = cs->rods[g->rod].rod;
    int i = g->node[0], j = g->node[1];
    CordVec3 before = vec3_sub(cs->from[j], cs->from[i]), after = vec3_sub(limit->whole[j], limit->whole[i]),
             now = vec3_sub(cs->to[j], cs->to[i]);
    double rest = g->arc[1] - g->arc[0],
           lost = real_min(vec3_length(before), vec3_length(after)) - vec3_length(now);
    if (!(lost > 0.0)) {
        return 0.0;
    }
    double lightest = real_max(w[i], w[j]), stiffness = rod_stiffness_at(rod, g->edge)->EA / rest;
    return 0.5 * lost * lost *
           (rod->inextensible ? (lightest > 0.0 ? 1.0 / (lightest * h * h) : 0.0) : stiffness);
}

// True if the limited motion of a rod has no more energy than the whole.
static bool loses_energy(const MotionLimit* limit, const Colliders* cs, const double* w, const ColliderRod* r,
                         double h)
{
    double set_free = 0.0, taken = 0.0;
    for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
        CordVec3 whole = vec3_sub(limit->whole[n], cs->from[n]), now = vec3_sub(cs->to[n], cs->from[n]);
        set_free += w[n] > 0.0 ? 0.5 * (vec3_dot(whole, whole) - vec3_dot(now, now)) / (w[n] * h * h) : 0.0;
    }
    for (int j = r->first_segment; j < r->first_segment + r->segment_count; j++) {
        taken += compression(limit, cs, w, j, h);
    }
    return taken <= set_free;
}

// ---- passes

// Sets `to` by the shares of the groups.
static void move_rods(const MotionLimit* limit, Colliders* cs, const double* w)
{
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        double share = limit->share[group_of(limit, i)];
        for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
            CordVec3 by = vec3_sub(limit->whole[n], cs->from[n]);
            cs->to[n] = share == 1.0 || w[n] == 0.0 ? limit->whole[n] : vec3_madd(cs->from[n], by, share);
        }
    }
}

typedef struct Pass {
    MotionLimit* limit;
    bool changed;
    bool stuck; // rods that do not move meet something
} Pass;

// Rods with the same share have met on the first part of the whole motion, so a smaller share keeps them
// apart. Rods with different shares get the smaller one, with which the passes before found them apart.
static void add_impact(void* user, const Impact* impact)
{
    Pass* pass = user;
    MotionLimit* limit = pass->limit;
    int other = impact->other < 0 ? impact->rod : impact->other, group = merge(limit, impact->rod, other);
    double share = limit->tested[impact->rod];
    if (share == limit->tested[other]) {
        limit->share[group] = real_min(limit->share[group], share * impact->time);
        pass->stuck |= share == 0.0;
    }
    pass->changed = true;
}

static void stop_where_energy_rises(MotionLimit* limit, Colliders* cs, const double* w, double h)
{
    bool stopped = false;
    for (int i = 0; i < cs->rod_count; i++) {
        double* share = &limit->share[group_of(limit, i)];
        if (*share > 0.0 && *share < 1.0 && !loses_energy(limit, cs, w, &cs->rods[i], h)) {
            *share = 0.0;
            stopped = true;
        }
    }
    if (stopped) {
        move_rods(limit, cs, w);
    }
}

static Pass next_pass(MotionLimit* limit, Colliders* cs, const double* w, double h)
{
    Pass pass = {.limit = limit};
    for (int i = 0; i < cs->rod_count; i++) {
        limit->tested[i] = limit->share[group_of(limit, i)];
    }
    colliders_visit_impacts(cs, TIME_OF_OVERLAP, add_impact, &pass);
    move_rods(limit, cs, w);
    stop_where_energy_rises(limit, cs, w, h);
    return pass;
}

static bool reserve(Memory* m, MotionLimit* limit, const Colliders* cs)
{
    return memory_reserve(m, (void**)&limit->share, cs->rod_count, &limit->share_capacity, sizeof(double)) &&
           memory_reserve(m, (void**)&limit->tested, cs->rod_count, &limit->tested_capacity,
                          sizeof(double)) &&
           memory_reserve(m, (void**)&limit->group, cs->rod_count, &limit->group_capacity, sizeof(int)) &&
           memory_reserve(m, (void**)&limit->whole, cs->node_count, &limit->whole_capacity, sizeof(CordVec3));
}

bool motion_limit_find(Memory* m, MotionLimit* limit, Colliders* cs, const double* w, double h)
{
    limit->no_memory = !reserve(m, limit, cs);
    if (limit->no_memory) {
        return false;
    }
    memcpy(limit->whole, cs->to, sizeof *cs->to * (size_t)cs->node_count);
    for (int i = 0; i < cs->rod_count; i++) {
        limit->share[i] = 1.0;
        limit->group[i] = i;
    }
    Pass pass = {.changed = true};
    for (int n = 0; n < MOST_PASSES && pass.changed && !pass.stuck; n++) {
        pass = next_pass(limit, cs, w, h);
    }
    if (pass.changed && !pass.stuck) {
        for (int i = 0; i < cs->rod_count; i++) {
            limit->share[merge(limit, 0, i)] = 0.0;
        }
        move_rods(limit, cs, w);
        pass = next_pass(limit, cs, w, h);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        limit->share[i] = limit->share[group_of(limit, i)];
    }
    return !pass.changed;
}

void motion_limit_free(Memory* m, MotionLimit* limit)
{
    memory_array_free(m, limit->share, limit->share_capacity);
    memory_array_free(m, limit->tested, limit->tested_capacity);
    memory_array_free(m, limit->group, limit->group_capacity);
    memory_array_free(m, limit->whole, limit->whole_capacity);
    *limit = (MotionLimit){0};
}
