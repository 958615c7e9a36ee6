// Quasistatic material frames (DER section 5.1): Newton's method for the frame angles at fixed positions,
// with a tridiagonal matrix and a line search.
#include "base/real.h"
#include "math/tridiag_partition.h"
#include "model/framed/framed.h"

#include <limits.h>
#include <string.h>

#define MOST_ITERATIONS 400
#define TURN_MOST 0.5         // largest angle of one iteration [rad]
#define TURN_SURE 0.1         // up to this angle a convex DER energy needs no line search [rad]
#define TURN_LEAST 1e-8       // an iteration with a smaller angle is the last one [rad]
#define TURN_OVER 0.1         // angle of an iteration that leaves an unstable equilibrium [rad]
#define INVERSE_ITERATIONS 20 // each shrinks other modes to 3/4 at most: 3e-3 of them is left
#define MOST_SHORTENINGS 12   // line search: step reductions, each to a quarter
#define ROUND_OFF 1e-14       // relative round-off of energies
#define MOMENT_ENOUGH 1e-12   // tolerance of the residual moment on a frame, relative to the least 2 GJ / l
#define LEAST_BEND 1e-14      // [rad^2]: less bending energy than this, over GJ / l, is lost in round-off
// Relative stiffness added to the diagonal. It suppresses rotations without energy, such as the rotation of a
// free round rod about its axis, which the round-off of moments turns by that over this. A rotation that
// bending resists with a stiffness k less than this still finds its equilibrium, to MOMENT_ENOUGH, within a
// hundred iterations: 2 LEAST_STIFFNESS / k of them for each factor e, of a moment that is k at the most.
#define LEAST_STIFFNESS 1e-10

// ---- the system

static CornerTurns turns_of(const Framed* g, double viscous)
{
    return (CornerTurns){.last = INT_MAX,
                         .stiffer = 1.0 + viscous,
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

double framed_moment_on_frame(const Framed* g, const Rod* rod, int slot)
{
    CornerInput in = framed_input(&g->now, rod, framed_viscous_now(g));
    CornerTurns turns = turns_of(g, in.viscous);
    turns.first = slot / 4 * 4, turns.last = slot + 1;
    g->kernels->turning(&in, &turns);
    return g->turn[slot];
}

// Adds torques to the right-hand side, and replaces the rows of held frames by unit rows.
static void add_torques(const Framed* g, const Rod* rod)
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

static double largest_moment(const Framed* g, const Rod* rod) // the residual; valid before `solve`
{
    const CordCenterline* c = &rod->line;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        most = real_max(most, fabs(g->turn[s]));
    }
    return most;
}

// Factor of the off-diagonal entries in g->link. In round DER rods these are constant and elastic; in others
// they depend on the state and already contain the viscous part.
static double link_factor(const Framed* g, double viscous)
{
    return g->law == CORNER_LAW_DER && !g->now.nodes.uneven ? 1.0 + viscous : 1.0;
}

// Solves for the frame angles in place of the moments. Returns the largest angle, or -1 if the matrix is not
// positive definite.
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

// Sum of the off-diagonal entries in the row of an edge. Twist of the DER law adds the same amount to the
// diagonal, whether the neighbours are held or not.
static double coupling(const Framed* g, const FrameSet* f, double viscous, int s)
{
    double twist = g->law == CORNER_LAW_DER ? (1.0 + viscous) * (f->nodes.GJ2[s] + f->nodes.GJ2[s + 1]) : 0.0;
    return real_max(twist, fabs(g->link[s]) + fabs(g->link[s + 1]));
}

// Regularised solve. Where bending favours turning a frame over, the matrix may be indefinite. A multiple of
// the unit matrix, increased by factors of four until the matrix is positive definite, makes the step a
// descent direction.
static double solve_regularised(const Framed* g, const FrameSet* f, const Rod* rod, double viscous)
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

// Potential that the frames minimise: the energy minus the work of the torques. turned: g->turn has been
// applied.
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

// Backtracking line search: shortens the step until the potential does not increase.
static void line_search(const Framed* g, FrameSet* f, const Rod* rod, double viscous)
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
        line_search(g, f, rod, viscous);
    }
}

// Moments that turn all frames the same way, as bending does that turns a rod over.
static void push_all(const Framed* g, const Rod* rod)
{
    for (int s = rod->line.halo; s < rod->line.halo + rod->line.edge_count; s++) {
        g->turn[s] = g->may_turn[s];
    }
}

// Leaves an equilibrium in which bending would turn frames over, along its least stable mode: by inverse
// iteration from g->turn, with the regularised matrix. The frames go to the side where the energy is lower.
static void turn_over(const Framed* g, FrameSet* f, const Rod* rod, double viscous, double most)
{
    double energy[2];
    for (int n = 0; n < INVERSE_ITERATIONS; n++) {
        scale_turns(g, rod, 1.0 / most);
        most = solve(g, rod, viscous);
    }
    scale_turns(g, rod, TURN_OVER / most);
    copy_axes(rod, g->scratch, f->edges.m1);
    for (int k = 0; k < 2; k++) {
        framed_turn(g, f, rod, g->turn);
        energy[k] = potential(g, f, rod, viscous, true);
        copy_axes(rod, f->edges.m1, g->scratch);
        scale_turns(g, rod, -1.0);
    }
    scale_turns(g, rod, energy[0] <= energy[1] ? 1.0 : -1.0);
    framed_turn(g, f, rod, g->turn);
}

// ---- equilibrium

// Bound of the residual moment after a Newton step, for the DER law. It is half the third derivative of the
// energy times the square of the angle, and what the stiffness added to the diagonal has held back. The
// twisting energy is quadratic and has no third derivative. Those of the bending energy with respect to the
// angle of one frame and two of itself and its neighbour, in which A and B rotate with the frames, add up to
// at most 2 dB |A|^2 / l + B |A| |A0| / l, with B the larger bending stiffness, dB the difference of the two,
// and |A| = |kb|. The viscous energy has the same bound with the past strains, close to A, in place of A0.
static double residual_bound(const Framed* g, double bend, double viscous, double most)
{
    const FramedBounds* b = &g->bounds;
    double third =
        2.0 * (1.0 + viscous) * b->uneven * bend + b->stiff * (sqrt(bend * b->rest_bend) + viscous * bend);
    return 0.5 * third * most * most + turns_of(g, viscous).trace * most;
}

// Whether the system is surely positive definite but for what is too little to turn a frame within some
// iterations: what bending may favour is dB |A|^2 / l + B |A| |A0| / l, with the letters above. It is nothing
// in round rods that are straight by nature.
static bool is_convex(const Framed* g, double bend, double viscous)
{
    const FramedBounds* b = &g->bounds;
    return b->uneven * bend + b->stiff * sqrt(bend * b->rest_bend) < 10.0 * turns_of(g, viscous).trace;
}

// Moment on a frame that the round-off of coordinates makes, with the letters above: (B |A0| + B |A|) / l by
// bending and GJ |A| / l by the twist of a transported frame, times that of kb.
static double moment_noise(const Framed* g, const Rod* rod, double bend)
{
    const FramedBounds* b = &g->bounds;
    return framed_kb_noise(g, rod) * (1.0 + b->stiff) * sqrt(b->GJ2_most) * (sqrt(b->rest_bend) + sqrt(bend));
}

// Whether bending resists or favours turns by no more than that noise: the rod is straight, as far as its
// coordinates tell. Its frames must not turn to where round-off bends it. Call this before `solve`.
static bool is_straight(const Framed* g, const FrameSet* f, const Rod* rod, double viscous, double bend,
                        double noise)
{
    const CordCenterline* c = &rod->line;
    double trace = turns_of(g, viscous).trace, most = 0.0;
    bool straight = noise > 0.0 && bend <= LEAST_BEND * g->bounds.GJ2_most;
    for (int s = c->halo; straight && s < c->halo + c->edge_count; s++) {
        most = real_max(most, g->may_turn[s] * fabs(g->diag[s] - trace - coupling(g, f, viscous, s)));
    }
    return straight && most <= noise;
}

// Newton iterations. The caller has assembled the first system; `bend` is the largest GJ2 |kb|^2 returned
// with it. `spin`, if given, is corrected by the angles over the last step. Returns the iteration count, or
// -1.
static int relax(const Framed* g, FrameSet* f, const Rod* rod, double viscous, double bend, double* spin)
{
    if (g->bounds.GJ2_most == 0.0) { // a rod of one edge has no corner
        return 1;
    }
    // without a bound of the residual it is read from the next system
    const bool measured = g->law != CORNER_LAW_DER;
    const double per_step = spin && rod->last_step > 0.0 ? 1.0 / rod->last_step : 0.0;
    double moment = 0.0, enough = 0.0;
    bool turned_over = false;
    for (int n = 1; n <= MOST_ITERATIONS; n++) {
        if (n > 1) {
            bend = framed_turn_system(g, f, rod, viscous);
        }
        add_torques(g, rod);
        double noise = moment_noise(g, rod, bend);
        enough = real_max(MOMENT_ENOUGH * g->bounds.GJ2_least, noise);
        // Angles need not become small: round-off of moments turns frames that hardly anything holds.
        moment = largest_moment(g, rod);
        bool balanced = (n > 1 || !spin) && moment <= enough;
        bool straight = is_straight(g, f, rod, viscous, bend, noise);
        if (balanced && (straight || is_convex(g, bend, viscous))) {
            return n - 1;
        }
        double most = solve(g, rod, viscous);
        bool definite = most >= 0.0;
        if (balanced && !definite && !turned_over) { // later it is left to round-off
            push_all(g, rod);
            turned_over = true;
        }
        most = definite ? most : solve_regularised(g, f, rod, viscous);
        if (balanced && (definite || most == 0.0)) {
            return n - 1;
        }
        if (!isfinite(most) || most < 0.0) {
            return -1;
        }
        if (straight || (!spin && framed_is_round(g, rod))) {
            framed_stop_idle_turn(g, &rod->line, g->turn);
        }
        if (balanced) {
            turn_over(g, f, rod, viscous, most);
        } else {
            turn_frames(g, f, rod, viscous, most, definite);
        }
        for (int s = 0; per_step > 0.0 && s < rod->line.slot_count; s++) {
            spin[s] += per_step * g->turn[s];
        }
        bool last = most <= TURN_LEAST || (!measured && residual_bound(g, bend, viscous, most) <= enough);
        if (definite && most <= CORNER_SMALL_TURN && last) {
            return n;
        }
    }
    return moment <= (1.0 + viscous) * enough ? MOST_ITERATIONS : -1; // the round-off of viscous moments
}

int framed_relax(Framed* g, FrameSet* f, const Rod* rod, double viscous)
{
    return relax(g, f, rod, viscous, framed_turn_system(g, f, rod, viscous), NULL);
}

// The frames of explicit rods start from an extrapolation with the spin of the last step. One iteration then
// usually suffices.
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
