// Moving rods along a solution of Newton's system without changing the lengths of their edges.
#include "solve/statics.h"

#include <string.h>

#define LENGTH_ENOUGH 1e-13 // of an edge's length
#define LENGTH_ITERATIONS 60

// ---- lengths

double statics_largest_miss(const Statics* st)
{
    double most = 0.0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        const SystemRod* r = &st->sys.rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            double len = vec3_length(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
            most = fmax(most, fabs(len - st->rods[i].length[s]) * c->inv_rest[s]);
        }
    }
    return most;
}

static bool is_rigid(const SystemRod* r, int s)
{
    return system_is_carried(r, s) && system_is_carried(r, s + 1);
}

void statics_set_lengths(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        const SystemRod* r = &st->sys.rods[i];
        const CordCenterline* c = &r->rod->line;
        double* length = st->rods[i].length;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            double strain = r->rod->inextensible ? 0.0 : r->n[s] / rod_stiffness_at(r->rod, s - c->halo)->EA;
            length[s] = c->rest_len[s] * fmax(1.0 + strain, 0.1); // a step too far must not turn an edge inside out
            if (is_rigid(r, s)) {
                length[s] = vec3_length(edge_vector(c, s - c->halo));
            }
        }
        centerline_wrap_one(c, length);
    }
}

// ---- the solution

void statics_keep_solution(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        move_copy(&st->sys.rods[i].rod->line, &st->rods[i].solution, &st->sys.rods[i].move);
    }
    for (int i = 0; i < st->sys.body_count; i++) {
        memcpy(st->bodies[i].solution, st->sys.bodies[i].move, sizeof st->bodies[i].solution);
    }
}

// ---- one rod

typedef struct Lay {
    const SystemRod* r;
    const StaticsRod* st;
    double share;
} Lay;

// Does anything but the edges beside it decide where a node goes? In a rod that nothing holds one node stands for all.
static bool is_anchor(const Lay* lay, int node)
{
    const Rod* rod = lay->r->rod;
    int s = slot_of(&rod->line, node);
    return rod->line.w[s] == 0.0 || (lay->st->slides && clamp_of_node(rod, node)) ||
           system_is_carried(lay->r, s) || node == lay->st->stand_in;
}

// An edge turned as the solution turns it, and as long as its tension asks.
static CordVec3 turned_edge(const Lay* lay, int edge)
{
    int s = slot_of(&lay->r->rod->line, edge);
    CordVec3 e = vec3_sub(slot_get(lay->st->before, s + 1), slot_get(lay->st->before, s));
    CordVec3 de = vec3_sub(slot_get(lay->st->solution.x, s + 1), slot_get(lay->st->solution.x, s));
    return vec3_mul(vec3_unit(vec3_madd(e, de, lay->share)), lay->st->length[s]);
}

// Nodes (from, to) put one after the other at turned edges, from the place of `from` on; what misses at `to`, if that is an anchor, is shared out.
static void lay_edges(const Lay* lay, int from, int to, bool anchored)
{
    const CordCenterline* c = &lay->r->rod->line;
    int count = c->node_count, between = to - from;
    CordVec3 at = slot_get(lay->r->y, slot_of(c, from % count)), end = at, miss = {0, 0, 0};
    for (int k = from; k < to; k++) {
        end = vec3_add(end, turned_edge(lay, k % count));
    }
    if (anchored) {
        miss = vec3_sub(slot_get(lay->r->y, slot_of(c, to % count)), end);
    }
    for (int k = from; k < to - (anchored ? 1 : 0); k++) {
        at = vec3_madd(vec3_add(at, turned_edge(lay, k % count)), miss, 1.0 / between);
        slot_set(lay->r->y, slot_of(c, (k + 1) % count), at);
    }
}

// Backwards, before the first anchor of an open rod.
static void lay_backwards(const Lay* lay, int from)
{
    const CordCenterline* c = &lay->r->rod->line;
    CordVec3 at = slot_get(lay->r->y, slot_of(c, from));
    for (int k = from - 1; k >= 0; k--) {
        at = vec3_sub(at, turned_edge(lay, k));
        slot_set(lay->r->y, slot_of(c, k), at);
    }
}

// Anchors go where the solution moves them, the nodes between them as their edges turn. Along straight lines edges that turn would grow, and bringing them back to
// their length would bend the rod.
static void lay_rod(const Lay* lay)
{
    const CordCenterline* c = &lay->r->rod->line;
    int first = -1, last = -1, count = c->node_count;
    for (int k = 0; k < count; k++) {
        int s = slot_of(c, k);
        if (!system_is_carried(lay->r, s)) { // the others are there already
            slot_set(lay->r->y, s,
                     vec3_madd(slot_get(lay->st->before, s), slot_get(lay->st->solution.x, s), lay->share));
        }
    }
    for (int k = 0; k < count; k++) {
        if (is_anchor(lay, k)) {
            if (first < 0) {
                first = k;
            } else {
                lay_edges(lay, last, k, true);
            }
            last = k;
        }
    }
    if (c->closed) {
        lay_edges(lay, last, first + count, true);
    } else {
        lay_edges(lay, last, count - 1, false);
        lay_backwards(lay, first);
    }
    centerline_wrap(c, lay->r->y);
}

// ---- all of it

// By the solution of misses, in straight lines; angles are gathered in the kept solution, whose share is still to be turned.
static void shift(Statics* st, double share)
{
    System* sys = &st->sys;
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        for (int s = 0; s < c->slot_count; s++) {
            for (int k = 0; k < 3; k++) {
                r->y[k][s] += r->move.x[k][s];
            }
            r->n[s] += r->move.n[s];
            st->rods[i].solution.angle[s] += r->move.angle[s] / share;
        }
    }
    system_shift_bodies(sys, 1.0);
    for (int i = 0; i < sys->rod_count; i++) {
        centerline_wrap(&sys->rods[i].rod->line, sys->rods[i].y);
    }
}

// What is left of the lengths' misses goes as the rod gives way most easily: by the matrix that is factored.
static bool correct_lengths(Statics* st, double share)
{
    double miss = INFINITY;
    for (int n = 0; n < LENGTH_ITERATIONS; n++) {
        statics_set_lengths(st);
        double before = miss;
        miss = statics_largest_miss(st);
        if (miss <= LENGTH_ENOUGH) {
            return true;
        }
        if (!(miss < before)) {
            break;
        }
        system_put_misses(&st->sys);
        if (!system_solve(&st->sys)) {
            return false;
        }
        shift(st, share);
    }
    return miss <= 1e-10;
}

static void put_solution(Statics* st)
{
    for (int i = 0; i < st->sys.rod_count; i++) {
        move_copy(&st->sys.rods[i].rod->line, &st->sys.rods[i].move, &st->rods[i].solution);
    }
    for (int i = 0; i < st->sys.body_count; i++) {
        memcpy(st->sys.bodies[i].move, st->bodies[i].solution, sizeof st->bodies[i].solution);
    }
}

bool statics_try_share(Statics* st, double share)
{
    System* sys = &st->sys;
    statics_go_back(st);
    put_solution(st);
    system_shift_bodies(sys, share);
    for (int i = 0; i < sys->rod_count; i++) {
        SystemRod* r = &sys->rods[i];
        for (int s = 0; s < r->rod->line.slot_count; s++) {
            r->n[s] += share * r->move.n[s];
            st->rods[i].angle_before[s] = r->move.angle[s];
        }
    }
    statics_set_lengths(st);
    for (int i = 0; i < sys->rod_count; i++) {
        lay_rod(&(Lay){&sys->rods[i], &st->rods[i], share});
    }
    bool good = correct_lengths(st, share);
    if (good) {
        put_solution(st);
        system_follow(sys, share);
    }
    for (int i = 0; i < sys->rod_count; i++) { // corrections belong to this share alone
        memcpy(st->rods[i].solution.angle, st->rods[i].angle_before,
               (size_t)sys->rods[i].rod->line.slot_count * sizeof(double));
    }
    return good;
}
