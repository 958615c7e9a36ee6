// Frames in equilibrium at fixed positions: Newton's method on their turns, with a tridiagonal matrix.
#include "base/real.h"
#include "math/tridiag_partition.h"
#include "model/framed/framed.h"

#include <string.h>

#define MOST_ITERATIONS 400
#define TURN_MOST 0.5       // in one iteration [rad]
#define TURN_SURE 0.1       // up to here Newton's method needs no check where DER's energy is convex [rad]
#define TURN_LEAST 1e-8     // shorter ones need not be followed by another [rad]
#define MOST_SHORTENINGS 12 // of turns that lead uphill, each to a quarter
#define ROUND_OFF 1e-14     // of energies, relative
#define MOMENT_ENOUGH 1e-12 // left on a frame, over the least 2 GJ / l
#define LEAST_STIFFNESS                                                                                      \
    1e-12 // relative: turns that cost nothing, such as that of a free round rod as a whole, are not made

// ---- the system

static CornerTurns turns_of(const Framed* g, double viscous)
{
    return (CornerTurns){.stiffer = 1.0 + viscous,
                         .trace = 2.0 * LEAST_STIFFNESS * (1.0 + viscous) * g->bounds.GJ2_most,
                         .diag = g->diag,
                         .moment = g->turn,
                         .link = g->link,
                         .may_turn = g->may_turn};
}

double framed_turn_system(const Framed* g, const FrameSet* f, const Rod* rod, double viscous)
{
    CornerInput in = framed_input(f, rod, viscous);
    CornerTurns turns = turns_of(g, in.viscous);
    return g->kernels->turning(&in, &turns);
}

// From the moments of the corners to those that turn the frames: some are held, and torques act on some.
static void add_clamps(const Framed* g, const Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (!clamp->holds || clamp->def.fix != CORD_FIX_FRAME) {
            continue;
        }
        int s = slot_of(&rod->line, clamp->edge);
        if (clamp->def.has_torque) {
            g->turn[s] += g->torque[s];
        } else {
            g->turn[s] = 0.0;
            g->diag[s] = 1.0;
        }
    }
    bool turned = loads_have_torque(rod);
    for (int s = rod->line.halo; turned && s < rod->line.halo + rod->line.edge_count; s++) {
        g->turn[s] += g->may_turn[s] * g->load_torque[s];
    }
}

static double largest_moment(const Framed* g, const Rod* rod) // before they become turns
{
    const CordCenterline* c = &rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        most = real_max(most, fabs(g->turn[s]));
    }
    return most;
}

// What couples the turns of two frames, over g->link: the viscous part is in those of a law that has them
// from the state already.
static double link_factor(const Framed* g, double viscous)
{
    return g->law == CORNER_LAW_DER ? 1.0 + viscous : 1.0;
}

// Moments become turns; returns the largest, -1 if the matrix is not positive definite.
static double solve(const Framed* g, const Rod* rod, double viscous)
{
    int first = rod->line.halo;
    TridiagPartition chain = {.n = rod->line.edge_count,
                              .factor = link_factor(g, viscous),
                              .link = g->link + first,
                              .diag = g->diag + first,
                              .r = g->turn + first,
                              .work = {g->scratch[0], g->scratch[1], g->scratch[2]}};
    return tridiag_partition_solve(&chain);
}

// What the corners at both ends of an edge couple it by. (Those of DER's law add as much to the diagonal,
// held or not.)
static double coupling(const Framed* g, const FrameSet* f, double viscous, int s)
{
    return g->law == CORNER_LAW_DER ? (1.0 + viscous) * (f->nodes.GJ2[s] + f->nodes.GJ2[s + 1])
                                    : fabs(g->link[s]) + fabs(g->link[s + 1]);
}

// Where bending would rather turn a frame over than hold it, the matrix may not be definite. Then as much is
// added as makes it so, or not much more, and the step goes downhill.
static double solve_stiffened(const Framed* g, const FrameSet* f, const Rod* rod, double viscous)
{
    const CordCenterline* c = &rod->line;
    double least = 0.0, added = 0.0, most = -1.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        least = real_min(least, g->may_turn[s] * (g->diag[s] - coupling(g, f, viscous, s)));
    }
    for (double share = 0x1p-28; share < 8.0 && most < 0.0; share *= 4.0) {
        double more = -share * least - added;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            g->diag[s] += more;
        }
        added += more;
        most = solve(g, rod, viscous);
    }
    return most;
}

// ---- the turns

static void scale_turns(const Framed* g, const Rod* rod, double factor)
{
    const CordCenterline* c = &rod->line;
    for (int s = c->halo; factor != 1.0 && s < c->halo + c->edge_count; s++) {
        g->turn[s] *= factor;
    }
    centerline_wrap_one(c, g->turn);
}

// What the frames make as small as they can: energy less what torques do in turns that have been made.
static double potential(const Framed* g, const FrameSet* f, const Rod* rod, double viscous, bool turned)
{
    CornerInput in = framed_input(f, rod, viscous);
    CornerEnergy e = g->kernels->energy(&in);
    double work = 0.0;
    for (int s = rod->line.halo; turned && s < rod->line.halo + rod->line.edge_count; s++) {
        work += (g->torque[s] + g->load_torque[s]) * g->turn[s];
    }
    return e.bend + e.twist + e.viscous - work;
}

static void copy_axes(const Rod* rod, double* const to[3], double* const from[3])
{
    for (int k = 0; k < 3; k++) {
        memcpy(to[k], from[k], (size_t)rod->line.slot_count * sizeof *to[k]);
    }
}

// Turns that Newton's method is not sure of are shortened until they lead downhill.
static void turn_downhill(const Framed* g, FrameSet* f, const Rod* rod, double viscous)
{
    double before = potential(g, f, rod, viscous, false);
    copy_axes(rod, g->scratch, f->edges.m1);
    for (int n = 0; n < MOST_SHORTENINGS; n++) {
        framed_turn(g, f, rod, g->turn);
        if (potential(g, f, rod, viscous, true) <= before + ROUND_OFF * fabs(before)) {
            return;
        }
        copy_axes(rod, f->edges.m1, g->scratch);
        scale_turns(g, rod, n + 1 < MOST_SHORTENINGS ? 0.25 : 0.0);
    }
    framed_turn(g, f, rod, g->turn);
}

static void turn_frames(const Framed* g, FrameSet* f, const Rod* rod, double viscous, double most,
                        bool definite)
{
    scale_turns(g, rod, most > TURN_MOST ? TURN_MOST / most : 1.0);
    if (most <= CORNER_SMALL_TURN) {
        CornerInput in = framed_input(f, rod, 0.0);
        g->kernels->nudge(&in, g->turn);
        framed_wrap(f, &rod->line);
    } else if (definite && most <= TURN_SURE && g->law == CORNER_LAW_DER) {
        framed_turn(g, f, rod, g->turn);
    } else {
        turn_downhill(g, f, rod, viscous);
    }
}

// ---- equilibrium

// DER's law. Newton's method leaves of the moments half the third derivative of the energy times the square
// of the turn. Twist has none. The bending energy of a frame at a corner, (A - A0)' B (A - A0) / (2 l), turns
// with A and has 2 dB |A|^2 / l + B |A| |A0| / l at the most, dB the difference of the two stiffnesses and B
// the larger one; the viscous one likewise, with strains of the past that are much like A. |A| is |kb|.
static double moment_left(const Framed* g, double bend, double viscous, double most)
{
    const FramedBounds* b = &g->bounds;
    double third =
        2.0 * (1.0 + viscous) * b->uneven * bend + b->stiff * (sqrt(bend * b->rest_bend) + viscous * bend);
    return 0.5 * third * most * most;
}

// From a system that is set up; bend is what came with it. Rates, if given, gain what the turns make of them
// over the last step.
static int relax(const Framed* g, FrameSet* f, const Rod* rod, double viscous, double bend, double* spin)
{
    if (g->bounds.GJ2_most == 0.0) { // a rod of one edge: it has no corner
        return 1;
    }
    // the next system tells what moments are left: no bound does
    const bool measured = g->law != CORNER_LAW_DER;
    const double enough = MOMENT_ENOUGH * g->bounds.GJ2_least;
    const double per_step = spin && rod->last_step > 0.0 ? 1.0 / rod->last_step : 0.0;
    for (int n = 1; n <= MOST_ITERATIONS; n++) {
        if (n > 1) {
            bend = framed_turn_system(g, f, rod, viscous);
        }
        add_clamps(g, rod);
        if (measured && n > 1 && largest_moment(g, rod) <= enough) {
            return n - 1;
        }
        double most = solve(g, rod, viscous);
        bool definite = most >= 0.0;
        if (!definite && n > 1 && largest_moment(g, rod) <= enough) {
            // balanced where it may fall to either side
            return n;
        }
        most = definite ? most : solve_stiffened(g, f, rod, viscous);
        if (!isfinite(most) || most < 0.0) {
            return -1;
        }
        turn_frames(g, f, rod, viscous, most, definite);
        for (int s = 0; per_step > 0.0 && s < rod->line.slot_count; s++) {
            spin[s] += per_step * g->turn[s];
        }
        bool last = most <= TURN_LEAST || (!measured && moment_left(g, bend, viscous, most) <= enough);
        if (definite && most <= CORNER_SMALL_TURN && last) {
            return n;
        }
    }
    return -1;
}

int framed_relax(Framed* g, FrameSet* f, const Rod* rod, double viscous)
{
    return relax(g, f, rod, viscous, framed_turn_system(g, f, rod, viscous), NULL);
}

// Frames of explicit rods start from where the rates of the last step take them, which is most of the way:
// one iteration is enough as a rule.
int framed_follow_relaxed(Framed* g, const Rod* rod, double viscous, bool extrapolate)
{
    const CordCenterline* c = &rod->line;
    double* spin = extrapolate ? g->spin : NULL;
    CornerInput in = framed_input(&g->now, rod, viscous);
    CornerTurns turns = turns_of(g, viscous);
    double bend = g->kernels->follow(&in, (const double* const[3]){c->x[0], c->x[1], c->x[2]}, spin,
                                     rod->last_step, &turns);
    framed_wrap(&g->now, c);
    return relax(g, &g->now, rod, viscous, bend, spin);
}
