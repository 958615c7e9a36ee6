// Moving a rod along a solution of Newton's system without changing the lengths of its edges.
#include "solve/statics.h"

#include <string.h>

#define LENGTH_ENOUGH 1e-13 // of an edge's length
#define LENGTH_ITERATIONS 60

double statics_largest_miss(const Statics* st) // of lengths, relative
{
    const CordCenterline* c = &st->sys.rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double len = vec3_length(vec3_sub(slot_get(st->sys.y, s + 1), slot_get(st->sys.y, s)));
        most = fmax(most, fabs(len - st->length[s]) * c->inv_rest[s]);
    }
    return most;
}

// Lengths that the tensions ask for.
void statics_set_lengths(Statics* st)
{
    const System* sys = &st->sys;
    const CordCenterline* c = &sys->rod->line;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double strain = sys->rod->inextensible ? 0.0 : sys->n[s] / rod_stiffness_at(sys->rod, s - c->halo)->EA;
        st->length[s] = c->rest_len[s] * fmax(1.0 + strain, 0.1); // a step too far must not turn an edge inside out
    }
    centerline_wrap_one(c, st->length);
}

// The solution, kept while lengths are corrected in its place.
void statics_keep_solution(Statics* st)
{
    memcpy(st->solution, st->sys.strand.r, (size_t)st->sys.strand.band.n * sizeof(double));
    memcpy(st->solution_left, st->sys.strand.r_left, sizeof st->solution_left);
}

static double kept(const Statics* st, int i)
{
    return i >= 0 ? st->solution[i] : st->solution_left[-1 - i];
}

static CordVec3 kept_move(const Statics* st, int k) // of node k of the strand
{
    int x = strand_x(&st->sys.strand, k);
    return (CordVec3){kept(st, x), kept(st, strand_next(x, 1)), kept(st, strand_next(x, 2))};
}

// Does anything but the edges beside it decide where node k goes? In a ring without clamps, node 0 stands for all.
static bool is_anchor(const Statics* st, int k)
{
    const CordCenterline* c = &st->sys.rod->line;
    int s = strand_slot(&st->sys.strand, k);
    return c->w[s] == 0.0 || (st->slides && clamp_of_node(st->sys.rod, s - c->halo));
}

// Edge k turned as the solution turns it, and as long as its tension asks.
static CordVec3 turned_edge(const Statics* st, int k, double share)
{
    const System* sys = &st->sys;
    int s = strand_slot(&sys->strand, k), count = st->nodes;
    CordVec3 e = vec3_sub(slot_get(st->before, s + 1), slot_get(st->before, s));
    CordVec3 de = vec3_sub(kept_move(st, (k + 1) % count), kept_move(st, k % count));
    return vec3_mul(vec3_unit(vec3_madd(e, de, share)), st->length[s]);
}

// Nodes (from, to) put one after the other at turned edges, from the place of `from` on; what misses at `to`, if that is an anchor, is shared out.
static void lay_edges(Statics* st, int from, int to, double share, bool anchored)
{
    System* sys = &st->sys;
    int count = st->nodes, between = to - from;
    CordVec3 at = slot_get(sys->y, strand_slot(&sys->strand, from % count)), end = at;
    for (int k = from; k < to; k++) {
        end = vec3_add(end, turned_edge(st, k % count, share));
    }
    CordVec3 miss = {0, 0, 0};
    if (anchored) {
        miss = vec3_sub(slot_get(sys->y, strand_slot(&sys->strand, to % count)), end);
    }
    for (int k = from; k < to - (anchored ? 1 : 0); k++) {
        at = vec3_madd(vec3_add(at, turned_edge(st, k % count, share)), miss, 1.0 / between);
        slot_set(sys->y, strand_slot(&sys->strand, (k + 1) % count), at);
    }
}

// Backwards, before the first anchor of an open rod.
static void lay_backwards(Statics* st, int from, double share)
{
    System* sys = &st->sys;
    CordVec3 at = slot_get(sys->y, strand_slot(&sys->strand, from));
    for (int k = from - 1; k >= 0; k--) {
        at = vec3_sub(at, turned_edge(st, k, share));
        slot_set(sys->y, strand_slot(&sys->strand, k), at);
    }
}

// Anchors go where the solution moves them, the nodes between them as their edges turn. Along straight lines edges that turn would grow, and bringing them back to
// their length would bend the rod.
static void lay_rod(Statics* st, double share)
{
    System* sys = &st->sys;
    bool ring = sys->strand.ring;
    int first = -1, last = -1, count = st->nodes;
    for (int k = 0; k < count; k++) {
        int s = strand_slot(&sys->strand, k);
        slot_set(sys->y, s, vec3_madd(slot_get(st->before, s), kept_move(st, k), share));
        if (is_anchor(st, k) || k == st->stand_in) {
            if (first < 0) {
                first = k;
            } else {
                lay_edges(st, last, k, share, true);
            }
            last = k;
        }
    }
    if (ring) {
        lay_edges(st, last, first + count, share, true);
    } else {
        lay_edges(st, last, count - 1, share, false);
        lay_backwards(st, first, share);
    }
    centerline_wrap(&sys->rod->line, sys->y);
}

// What is left of the lengths' misses goes as the rod gives way most easily: by the matrix that is factored.
static bool correct_lengths(Statics* st)
{
    System* sys = &st->sys;
    Strand* strand = &sys->strand;
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
        system_put_misses(sys);
        if (!strand_solve(strand)) {
            return false;
        }
        system_shift(sys);
    }
    return miss <= 1e-10;
}

// Along the solution by a share of it, on a rod of the lengths that the tensions there ask for.
bool statics_try_share(Statics* st, double share)
{
    System* sys = &st->sys;
    const CordCenterline* c = &sys->rod->line;
    const Strand* strand = &sys->strand;
    const double* may_turn = sys->trial->may_turn(sys->rod);
    statics_go_back(st);
    for (int k = 0; k < strand_edge_to(strand); k++) {
        sys->n[strand_slot(strand, k)] += share * kept(st, strand_tension(strand, k));
    }
    for (int k = 0; k < strand_frame_to(strand); k++) {
        int s = strand_slot(strand, k);
        sys->change[s] = may_turn[s] * share * kept(st, strand_angle(strand, k));
    }
    statics_set_lengths(st);
    lay_rod(st, share);
    if (!correct_lengths(st)) {
        return false;
    }
    centerline_wrap_one(c, sys->n);
    centerline_wrap_one(c, sys->change);
    for (int s = 0; s < c->slot_count; s++) {
        sys->turned[s] += sys->change[s];
    }
    sys->trial->follow(sys->rod, sys->y, sys->time);
    sys->trial->turn(sys->rod, sys->change);
    return true;
}
