#include "contact/motion_limit.h"

#include "base/real.h"

#include <string.h>

#define FINE_PASSES 6 // over all pairs, before rods that still meet something stop

// ---- energy

static double strain2(CordVec3 p, CordVec3 q, double rest) // squared change of an edge's length [m^2]
{
    double by = vec3_length(vec3_sub(q, p)) - rest;
    return by * by;
}

// Energy that the limited motion takes to stretch or compress an edge, beyond what it has at both ends of the
// whole one [J]: an edge that turns is shorter on the way. The next step gives an inextensible edge its
// length back, and its nodes the speed that this takes.
static double stretching(const MotionLimit* limit, const Colliders* cs, const double* w, int segment,
                         double h)
{
    const Segment* g = &cs->segments[segment];
    const Rod* rod = cs->rods[g->rod].rod;
    int i = g->node[0], j = g->node[1];
    double rest = g->arc[1] - g->arc[0], lightest = real_max(w[i], w[j]),
           most = real_max(strain2(cs->from[i], cs->from[j], rest),
                           strain2(limit->whole[i], limit->whole[j], rest)),
           more = real_max(strain2(cs->to[i], cs->to[j], rest) - most, 0.0);
    return 0.5 * more *
           (!rod->inextensible ? rod_stiffness_at(rod, g->edge)->EA / rest
            : lightest > 0.0   ? 1.0 / (lightest * h * h)
                               : 0.0);
}

// True if the rod's limited motion has no more energy than the whole.
static bool loses_energy(const MotionLimit* limit, const Colliders* cs, const double* w, int rod, double h)
{
    const ColliderRod* r = &cs->rods[rod];
    double set_free = 0.0, taken = 0.0, share = limit->rods[rod].share;
    for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
        CordVec3 by = vec3_sub(limit->motion[n], cs->from[n]);
        set_free += w[n] > 0.0 ? 0.5 * (1.0 - share * share) * vec3_dot(by, by) / (w[n] * h * h) : 0.0;
    }
    for (int j = r->first_segment; j < r->first_segment + r->segment_count; j++) {
        taken += stretching(limit, cs, w, j, h);
    }
    return taken <= set_free;
}

// ---- passes

static CordVec3 limited_end(const MotionLimit* limit, const Colliders* cs, const RodLimit* rod, int node)
{
    CordVec3 moved = vec3_sub(limit->motion[node], cs->from[node]),
             correction = vec3_sub(limit->whole[node], limit->motion[node]),
             x = vec3_madd(cs->from[node], moved, rod->share);
    return rod->share == 1.0 && rod->corrects ? limit->whole[node]
           : rod->corrects                    ? vec3_add(x, correction)
                                              : x;
}

static void move_rod(const MotionLimit* limit, Colliders* cs, const double* w, int rod)
{
    const ColliderRod* r = &cs->rods[rod];
    for (int n = r->first_node; n < r->first_node + r->node_count; n++) {
        cs->to[n] = w[n] == 0.0 ? limit->whole[n] : limited_end(limit, cs, &limit->rods[rod], n);
    }
}

static void move_rod_losing_energy(MotionLimit* limit, Colliders* cs, const double* w, int rod, double h)
{
    RodLimit* of_rod = &limit->rods[rod];
    move_rod(limit, cs, w, rod);
    if (of_rod->corrects && !loses_energy(limit, cs, w, rod, h)) {
        of_rod->corrects = false;
        move_rod(limit, cs, w, rod);
    }
    if (of_rod->share > 0.0 && !loses_energy(limit, cs, w, rod, h)) {
        of_rod->share = 0.0;
        move_rod(limit, cs, w, rod);
    }
}

static void note_impact(void* user, const Impact* impact)
{
    RodLimit* rods = user;
    rods[impact->rod].time = real_min(rods[impact->rod].time, impact->time);
    if (impact->other >= 0) {
        rods[impact->other].time = real_min(rods[impact->other].time, impact->time);
    }
}

// The next limit of a rod that has met something. False: it does not move at all.
static bool tighten(RodLimit* rod, bool stops)
{
    if (rod->share == 0.0 && !rod->corrects) {
        return false;
    }
    rod->corrects &= rod->share > 0.0 && !stops;
    rod->share = stops ? 0.0 : rod->share * rod->time;
    return true;
}

typedef struct Pass {
    bool meets; // rods have met something
    bool stuck; // two that do not move at all have
} Pass;

// What is put right may lead a rod out of the boxes that the candidates were found for.
static Pass next_pass(Memory* m, MotionLimit* limit, Colliders* cs, const double* w, double h, bool stops)
{
    Pass pass = {0};
    for (int i = 0; i < cs->rod_count; i++) {
        cs->rods[i].may_stop = limit->rods[i].share < 1.0;
    }
    limit->no_memory = !broad_phase_update(m, cs);
    if (limit->no_memory) {
        return (Pass){.meets = true, .stuck = true};
    }
    for (int i = 0; i < cs->rod_count; i++) {
        limit->rods[i].time = 1.0;
    }
    colliders_visit_impacts(cs, TIME_OF_OVERLAP, limit->tested, note_impact, limit->rods);
    bool any = false;
    for (int i = 0; i < cs->rod_count; i++) {
        bool met = limit->rods[i].time < 1.0, tightened = met && tighten(&limit->rods[i], stops);
        limit->tested[i] = met; // what does not move may still be met by what does
        pass.meets |= met;
        any |= tightened;
        if (tightened) {
            move_rod_losing_energy(limit, cs, w, i, h);
        }
    }
    pass.stuck = pass.meets && !any;
    return pass;
}

bool motion_limit_find(Memory* m, MotionLimit* limit, Colliders* cs, const double* w, double h)
{
    memcpy(limit->whole, cs->to, sizeof *cs->to * (size_t)cs->node_count);
    for (int i = 0; i < cs->rod_count; i++) {
        limit->rods[i] = (RodLimit){.share = 1.0, .corrects = true};
        limit->tested[i] = true;
        move_rod(limit, cs, w, i);
    }
    Pass pass = {.meets = true};
    for (int n = 0; pass.meets && !pass.stuck;
         n++) { // it ends, since each pass but the first few stops a rod
        pass = next_pass(m, limit, cs, w, h, n >= FINE_PASSES);
    }
    for (int i = 0; i < cs->rod_count; i++) {
        cs->rods[i].may_stop = false;
    }
    return !pass.meets;
}

bool motion_limit_reserve(Memory* m, MotionLimit* limit, const Colliders* cs)
{
    return memory_reserve(m, (void**)&limit->rods, cs->rod_count, &limit->rod_capacity, sizeof(RodLimit)) &&
           memory_reserve(m, (void**)&limit->motion, cs->node_count, &limit->motion_capacity,
                          sizeof(CordVec3)) &&
           memory_reserve(m, (void**)&limit->whole, cs->node_count, &limit->whole_capacity,
                          sizeof(CordVec3)) &&
           memory_reserve(m, (void**)&limit->tested, cs->rod_count, &limit->tested_capacity, sizeof(bool));
}

void motion_limit_free(Memory* m, MotionLimit* limit)
{
    memory_array_free(m, limit->rods, limit->rod_capacity);
    memory_array_free(m, limit->motion, limit->motion_capacity);
    memory_array_free(m, limit->whole, limit->whole_capacity);
    memory_array_free(m, limit->tested, limit->tested_capacity);
    *limit = (MotionLimit){0};
}
