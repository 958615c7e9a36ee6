// The corners of a general rod: energy against its first and second derivatives, frames that keep their
// angles, and the kernels against each other.
#include "framed_links.h"

#include "math/kernel.h"

KERNEL_DECLARE(CornerKernels, corner_der);
KERNEL_DECLARE(CornerKernels, corner_corde);
KERNEL_DECLARE(CornerKernels, corner_pbd);

static void each_law(void (*check)(CornerLaw law))
{
    for (CornerLaw law = 0; law < CORNER_LAW_COUNT; law++) {
        check(law);
    }
}

// ---- derivatives

// Energy of the corner at slot s with its variables e, phi_e, f, phi_f moved.
static double energy_moved(Links* c, int s, const double d[8])
{
    static double kept[ARRAYS][SLOTS + 2 * PAD];
    memcpy(kept, c->space, sizeof kept);
    for (int k = 0; k < 3; k++) {
        c->x[k][s - 1] -= d[k], c->x[k][s + 1] += d[4 + k];
    }
    follow_nodes(c);
    c->turn[s - 1] = 2 * tan(0.5 * d[3]), c->turn[s] = 2 * tan(0.5 * d[7]);
    turn_frames(c);
    CornerInput one = c->in;
    one.first = s, one.last = s + 1;
    CornerEnergy e = c->kernels->energy(&one);
    memcpy(c->space, kept, sizeof kept);
    return e.bend + e.twist + e.viscous;
}

static double moved_by(Links* c, int s, int a, double by_a, int b, double by_b)
{
    double d[8] = {0};
    d[a] += by_a, d[b] += by_b;
    return energy_moved(c, s, d);
}

static void read_gradient(const Links* c, int s, double g[8])
{
    const CornerGradient* t = &c->terms.gradient;
    for (int k = 0; k < 3; k++) {
        g[k] = t->e[k][s], g[4 + k] = t->f[k][s];
    }
    g[3] = t->phi_e[s], g[7] = t->phi_f[s];
}

static void read_hessian(const Links* c, int s, double h[8][8])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const CornerHessian* t = &c->terms.hessian;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            h[i][j] = t->ee[at[i][j]][s], h[4 + i][4 + j] = t->ff[at[i][j]][s];
            h[i][4 + j] = h[4 + j][i] = t->ef[3 * i + j][s];
        }
        h[i][3] = h[3][i] = t->e_phi_e[i][s], h[i][7] = h[7][i] = t->e_phi_f[i][s];
        h[4 + i][3] = h[3][4 + i] = t->f_phi_e[i][s], h[4 + i][7] = h[7][4 + i] = t->f_phi_f[i][s];
    }
    h[3][3] = t->phi_ee[s], h[7][7] = t->phi_ff[s], h[3][7] = h[7][3] = t->phi_ef[s];
}

#define STEP 1e-3 // of edges of length 1 and of angles; Richardson's extrapolation leaves its fourth power

static double slope(Links* c, int s, int a)
{
    double one = (moved_by(c, s, a, STEP, a, 0) - moved_by(c, s, a, -STEP, a, 0)) / (2 * STEP);
    double two = (moved_by(c, s, a, 2 * STEP, a, 0) - moved_by(c, s, a, -2 * STEP, a, 0)) / (4 * STEP);
    return (4 * one - two) / 3;
}

static double bend_of(Links* c, int s, int a, int b, double step)
{
    return (moved_by(c, s, a, step, b, step) - moved_by(c, s, a, step, b, -step) -
            moved_by(c, s, a, -step, b, step) + moved_by(c, s, a, -step, b, -step)) /
           (4 * step * step);
}

// Differences are good to 1e-12 of a few derivatives, and to round-off, 1e-16 of the energy over the step or
// its square.
static void check_derivatives(CornerLaw law, int slots, uint64_t seed, double viscous)
{
    Links* c = random_links(law, slots, seed, viscous);
    c->kernels->hessian(&c->in, &c->terms.gradient, &c->terms.hessian);
    for (int s = 1; s < slots - 1; s++) {
        double g[8], h[8][8], g_size = 0.0, h_size = 0.0;
        read_gradient(c, s, g);
        read_hessian(c, s, h);
        for (int a = 0; a < 8; a++) {
            g_size = fmax(g_size, fabs(g[a]));
            for (int b = 0; b < 8; b++) {
                h_size = fmax(h_size, fabs(h[a][b]));
            }
        }
        for (int a = 0; a < 8; a++) {
            CHECK_NEAR((slope(c, s, a) - g[a]) / g_size, 0.0, 1e-9);
            for (int b = 0; b <= a; b++) {
                double second = (4 * bend_of(c, s, a, b, STEP) - bend_of(c, s, a, b, 2 * STEP)) / 3;
                CHECK_NEAR((second - h[a][b]) / h_size, 0.0, 1e-8);
            }
        }
    }
    free(c);
}

// Without viscous moments and with them; of one corner, and of more than two sets of lanes.
static void check_all_derivatives(CornerLaw law)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        check_derivatives(law, 3, seed, 0.0);
        check_derivatives(law, 12, seed, 0.0);
        check_derivatives(law, 3, seed, 0.7);
        check_derivatives(law, 12, seed, 30.0);
    }
}

TEST(first_and_second_derivatives_are_exact)
{
    each_law(check_all_derivatives);
}

// The same sums in another order: round-off of entries of order 1 to 100. What the matrix has beside its
// diagonal is, of DER's law of round rods, twist alone; of the others it comes with the rest, but for frames
// that are held.
static void check_system(CornerLaw law)
{
    for (int slots = 3; slots <= SLOTS; slots++) {
        double viscous = slots % 2 ? 0.7 : 0.0;
        Links* c = random_links(law, slots, 5, viscous);
        double space[4][SLOTS + 2 * PAD] = {{0}}, *diag = space[0] + PAD, *moment = space[1] + PAD,
                                    *link = space[2] + PAD, *may_turn = space[3] + PAD;
        CornerTurns turns = {.last = slots,
                             .stiffer = 1.0 + viscous,
                             .trace = 0.25,
                             .diag = diag,
                             .moment = moment,
                             .link = link,
                             .may_turn = may_turn};
        for (int s = 0; s < slots - 1; s++) {
            may_turn[s] = s == 3 ? 0.0 : 1.0;
        }
        double bend = c->kernels->turning(&c->in, &turns), most = 0.0;
        c->kernels->hessian(&c->in, &c->terms.gradient, &c->terms.hessian);
        const CornerHessian* h = &c->terms.hessian;
        const CornerGradient* g = &c->terms.gradient;
        for (int s = 0; s < slots - 1; s++) {
            bool first = s == 0, last = s == slots - 2;
            double phi = (first ? 0.0 : g->phi_f[s]) + (last ? 0.0 : g->phi_e[s + 1]);
            CHECK_NEAR(moment[s], -phi, 1e-13);
            CHECK_NEAR(diag[s], 0.25 + (first ? 0.0 : h->phi_ff[s]) + (last ? 0.0 : h->phi_ee[s + 1]), 1e-13);
        }
        for (int s = 1; s < slots - 1; s++) {
            bool constant = law == CORNER_LAW_DER && !c->nodes.uneven;
            double coupled = constant ? -(1.0 + viscous) * c->nodes.GJ2[s] : -link[s];
            bool held = !constant && (s == 3 || s == 4);
            CHECK_NEAR(held ? 0.0 : h->phi_ef[s], coupled, constant ? 1e-14 : 1e-13);
            double cosine = vec3_dot(slot_get(c->edges.t, s - 1), slot_get(c->edges.t, s));
            most = fmax(most, c->nodes.GJ2[s] * 4.0 * (1.0 - cosine) / (1.0 + cosine));
        }
        CHECK_NEAR(bend, most, 1e-13 * most);
        free(c);
    }
}

TEST(the_system_of_the_turns_is_that_of_the_whole)
{
    each_law(check_system);
}

// In one go and one after the other; turning before or after frames are carried is the same.
static void check_following(CornerLaw law)
{
    for (int slots = 3; slots <= SLOTS; slots++) {
        Links* c = random_links(law, slots, 21, slots % 2 ? 0.7 : 0.0);
        Links* d = random_links(law, slots, 21, slots % 2 ? 0.7 : 0.0);
        uint64_t seed = 22;
        double space[6][SLOTS + 2 * PAD] = {{0}};
        CornerTurns turns = {.last = slots,
                             .stiffer = 1.0 + c->in.viscous,
                             .diag = space[0] + PAD,
                             .moment = space[1] + PAD,
                             .link = space[2] + PAD,
                             .may_turn = c->edges.inv_len}; // any numbers will do
        CornerTurns again = turns;
        again.diag = space[3] + PAD, again.moment = space[4] + PAD, again.link = space[5] + PAD;
        const double* const x[3] = {c->x[0], c->x[1], c->x[2]};
        for (int s = 0; s < slots; s++) {
            slot_set(c->x, s, vec3_add(slot_get(c->x, s), random_vec3(&seed, 0.02)));
            c->turn[s] = s < slots - 1 ? random_in(&seed, -1, 1) : 0.0;
            d->turn[s] = 0.9 * CORNER_SMALL_TURN * c->turn[s];
        }
        double bend = c->kernels->follow(&c->in, x, c->turn, 0.9 * CORNER_SMALL_TURN, &turns);
        CHECK(bend == c->kernels->turning(&c->in, &again));
        CHECK(memcmp(space[0], space[3], 3 * sizeof space[0]) == 0);
        for (int s = 0; s < slots - 1; s++) { // one row alone has the same bits
            again.first = s / 4 * 4, again.last = s + 1, again.moment[s] = NAN;
            c->kernels->turning(&c->in, &again);
            CHECK(again.moment[s] == turns.moment[s]);
        }
        d->kernels->follow(&d->in, x, NULL, 0.0, NULL);
        d->kernels->nudge(&d->in, d->turn);
        for (int s = 0; s < slots - 1; s++) {
            CHECK_VEC3(slot_get(c->edges.m1, s), slot_get(d->edges.m1, s), 2e-15);
            // as large as 8; there is no first one
            CHECK_NEAR(c->nodes.m[s], d->nodes.m[s], s > 0 ? 4e-15 : 1.0);
        }
        free(c);
        free(d);
    }
}

TEST(following_with_the_system_is_following_and_the_system)
{
    each_law(check_following);
}

TEST(the_gradient_alone_is_that_beside_the_second_derivatives)
{
    for (int slots = 3; slots <= SLOTS; slots++) {
        Links* c = random_links((CornerLaw)(slots % CORNER_LAW_COUNT), slots, 6, slots % 2 ? 0.7 : 0.0);
        double alone[SLOTS][8], beside[SLOTS][8];
        c->kernels->gradient(&c->in, &c->terms.gradient);
        for (int s = 1; s < slots - 1; s++) {
            read_gradient(c, s, alone[s]);
        }
        c->kernels->hessian(&c->in, &c->terms.gradient, &c->terms.hessian);
        for (int s = 1; s < slots - 1; s++) {
            read_gradient(c, s, beside[s]);
        }
        CHECK(memcmp(alone[1], beside[1], (size_t)(slots - 2) * sizeof alone[1]) == 0);
        free(c);
    }
}

// ---- energy

// The law of corner.h, written out for one corner.
static CornerEnergy plain_energy(const Links* c, int s)
{
    const CornerNodes* n = &c->nodes;
    CordVec3 t[2] = {slot_get(c->edges.t, s - 1), slot_get(c->edges.t, s)};
    CordVec3 kb = vec3_mul(vec3_cross(t[0], t[1]), 2.0 / (1.0 + vec3_dot(t[0], t[1])));
    CornerEnergy sum = {0};
    double d[2][2], p[2][2]; // strains from those at rest, and from those of the past
    for (int j = 0; j < 2; j++) {
        CordVec3 m1 = slot_get(c->edges.m1, s - 1 + j), m2 = vec3_cross(t[j], m1);
        double w[2] = {vec3_dot(kb, m2), -vec3_dot(kb, m1)},
               stiff = (j == 0 ? n->soft_e : n->soft_f)[s] + n->r[s];
        for (int k = 0; k < 2; k++) {
            d[j][k] = w[k] - (j == 0 ? n->rest_A : n->rest_B)[k][s];
            p[j][k] = w[k] - (j == 0 ? n->past_A : n->past_B)[k][s];
            sum.bend += 0.5 * stiff * d[j][k] * d[j][k];
            sum.viscous += 0.5 * c->in.viscous * stiff * p[j][k] * p[j][k];
        }
    }
    sum.bend += n->Q[0][s] * (d[0][0] * d[1][0] - d[0][1] * d[1][1]) +
                n->Q[1][s] * (d[0][0] * d[1][1] + d[0][1] * d[1][0]);
    sum.viscous += c->in.viscous * (n->Q[0][s] * (p[0][0] * p[1][0] - p[0][1] * p[1][1]) +
                                    n->Q[1][s] * (p[0][0] * p[1][1] + p[0][1] * p[1][0]));
    double twist = n->m[s] - n->rest_m[s], since = n->m[s] - n->past_m[s];
    sum.twist = 0.5 * n->GJ2[s] * twist * twist;
    sum.viscous += 0.5 * c->in.viscous * n->GJ2[s] * since * since;
    return sum;
}

TEST(the_energy_is_the_one_written_down)
{
    for (int slots = 3; slots <= SLOTS; slots++) {
        Links* c = random_links(CORNER_LAW_DER, slots, 7, 0.7);
        CornerEnergy sum = {0}, given = c->kernels->energy(&c->in);
        for (int s = 1; s < slots - 1; s++) {
            CornerEnergy one = plain_energy(c, s);
            sum.bend += one.bend, sum.twist += one.twist, sum.viscous += one.viscous;
        }
        CHECK_NEAR(given.bend, sum.bend, 1e-13 * sum.bend); // the same sums in another order
        CHECK_NEAR(given.twist, sum.twist, 1e-13 * sum.twist);
        CHECK_NEAR(given.viscous, sum.viscous, 1e-13 * sum.viscous);
        free(c);
    }
}

// Edges of any sections, straight at rest, that are glued at any angle: the energy of their stiffness, of
// that after the corner turned by the angle, in the frame halfway between those of the edges, which are
// twisted by any angle beyond the glued one.
TEST(bending_costs_what_it_does_in_the_frame_halfway)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Links* c = random_links(CORNER_LAW_DER, 4, seed, 0.0);
        CornerInput one = c->in;
        uint64_t own = seed;
        CornerNodes* n = &c->nodes;
        one.last = 2;
        n->glued[1] = seed % 3 ? random_in(&own, -4, 4) : 0.0;
        framed_mean_stiffness(&c->edges, n, 1);
        n->rest_A[0][1] = n->rest_A[1][1] = n->rest_B[0][1] = n->rest_B[1][1] = 0.0;
        CordVec3 t[2] = {slot_get(c->edges.t, 0), slot_get(c->edges.t, 1)}, m1 = slot_get(c->edges.m1, 0);
        CordVec3 kb = vec3_mul(vec3_cross(t[0], t[1]), 2.0 / (1.0 + vec3_dot(t[0], t[1])));
        double A[2] = {vec3_dot(kb, vec3_cross(t[0], m1)), -vec3_dot(kb, m1)}, sum = 0.0;
        for (int j = 0; j < 2; j++) {
            double half = 0.5 * (n->m[1] - n->glued[1]) + (j == 0 ? 0.0 : n->glued[1]);
            double u = cos(half) * A[0] + sin(half) * A[1], v = cos(half) * A[1] - sin(half) * A[0];
            sum += 0.5 * n->inv_l[1] *
                   (c->edges.B11[j] * u * u + 2 * c->edges.B12[j] * u * v + c->edges.B22[j] * v * v);
        }
        CHECK_NEAR(c->kernels->energy(&one).bend, sum, 1e-13 * sum);
        free(c);
    }
}

// ---- frames

static double worst_frame(const Links* c)
{
    double worst = 0.0;
    for (int s = 0; s < c->slots - 1; s++) {
        CordVec3 t = slot_get(c->edges.t, s), m1 = slot_get(c->edges.m1, s);
        worst = fmax(worst, fmax(fabs(vec3_dot(m1, m1) - 1.0), fabs(vec3_dot(m1, t))));
    }
    return worst;
}

TEST(frames_stay_orthonormal_however_often_they_are_carried_and_turned)
{
    Links* c = random_links(CORNER_LAW_DER, 17, 8, 0.0);
    uint64_t seed = 9;
    for (int n = 0; n < 20000; n++) {
        for (int s = 0; s < c->slots; s++) {
            slot_set(c->x, s, vec3_add(slot_get(c->x, s), random_vec3(&seed, 0.02)));
            c->turn[s] = random_in(&seed, -0.1, 0.1);
        }
        follow_nodes(c);
        turn_frames(c);
        CHECK_NEAR(worst_frame(c), 0.0, 2e-15); // round-off of one step: it does not pile up
    }
    free(c);
}

// Full turns of the middle frame: the corners beside it have 2 pi more and less, as long as a step is below
// half a turn.
TEST(twist_counts_whole_turns)
{
    for (int steps = 3; steps <= 100; steps++) {
        Links* c = random_links(CORNER_LAW_DER, 9, 10, 0.0);
        double before[2] = {c->nodes.m[4], c->nodes.m[5]};
        c->turn[4] = 2 * tan(CORD_PI / steps);
        for (int n = 0; n < 5 * steps; n++) {
            turn_frames(c);
        }
        CHECK_NEAR(c->nodes.m[4] - before[0], 10 * CORD_PI, 1e-13);
        CHECK_NEAR(c->nodes.m[5] - before[1], -10 * CORD_PI, 1e-13);
        free(c);
    }
}

// Small and large: all branches of the angle.
TEST(changes_of_twist_are_exact)
{
    for (double by = -3.1; by <= 3.1; by += 0.01) {
        Links* c = random_links(CORNER_LAW_DER, 5, 11, 0.0);
        double before = c->nodes.m[2];
        c->turn[2] = 2 * tan(0.5 * by);
        turn_frames(c);
        CHECK_NEAR(c->nodes.m[2] - before, by, 4e-15); // m is as large as 8
        free(c);
    }
}

// The twist that goes with a small turn, and the one measured after it.
TEST(small_turns_take_the_twist_with_them)
{
    for (int n = 0; n <= 10; n++) {
        Links* c = random_links(CORNER_LAW_DER, 17, 15, 0.0);
        uint64_t seed = 16;
        double m[SLOTS];
        for (int s = 0; s < c->slots - 1; s++) {
            c->turn[s] = random_in(&seed, -1, 1) * CORNER_SMALL_TURN;
        }
        c->kernels->nudge(&c->in, c->turn);
        memcpy(m, c->nodes.m, sizeof m);
        c->kernels->measure(&c->in);
        for (int s = 1; s < c->slots - 1; s++) {
            CHECK_NEAR(c->nodes.m[s], m[s], 4e-15);
        }
        CHECK_NEAR(worst_frame(c), 0.0, 2e-15);
        free(c);
    }
}

// ---- forces

#define PLACES (SLOTS + 2 * PAD) // from one array to the next

// EA is followed by the rest lengths, their inverses, and the lengths of the past.
static CornerKick kick_of(Links* c, double* EA, double* w, double* out[9], const double* v[3])
{
    CornerKick k = {.in = c->in,
                    .EA = EA,
                    .rest_len = EA + PLACES,
                    .inv_rest = EA + 2 * PLACES,
                    .past_len = EA + 3 * PLACES,
                    .w = w,
                    .gravity = {0.3, -0.2, -9.81},
                    .kick = 1e-3,
                    .h = 2e-3};
    for (int i = 0; i < 3; i++) {
        k.x[i] = c->x[i], k.v[i] = v[i];
        k.x_next[i] = out[i], k.v_next[i] = out[3 + i], k.section[i] = out[6 + i];
    }
    return k;
}

// The force of a node is the section force after it less that before it; a section force is the gradient of
// its two corners and the tension.
static void check_kick(CornerLaw law)
{
    for (int slots = 3; slots <= SLOTS; slots++) {
        Links* c = random_links(law, slots, 12, slots % 2 ? 0.7 : 0.0);
        uint64_t seed = 13;
        double space[20][PLACES] = {{0}}, *EA = space[0] + PAD, *w = space[4] + PAD, *out[9];
        const double* v[3] = {space[5] + PAD, space[6] + PAD, space[7] + PAD};
        for (int i = 0; i < 9; i++) {
            out[i] = space[8 + i] + PAD;
        }
        for (int s = 0; s < slots; s++) {
            bool edge = s < slots - 1;
            EA[s] = edge ? random_in(&seed, 0, 2) : 0.0;
            EA[PLACES + s] = edge ? random_in(&seed, 0.5, 1.5) : 0.0;
            EA[2 * PLACES + s] = edge ? 1.0 / EA[PLACES + s] : 0.0;
            EA[3 * PLACES + s] = edge ? random_in(&seed, 0.5, 1.5) : 0.0;
            w[s] = s == 1 ? 0.0 : random_in(&seed, 1, 2);
            for (int i = 0; i < 3; i++) {
                space[5 + i][PAD + s] = random_in(&seed, -1, 1);
            }
        }
        c->kernels->gradient(&c->in, &c->terms.gradient);
        CornerKick k = kick_of(c, EA, w, out, v);
        c->kernels->sections(&k);
        double speed2 = c->kernels->kick(&k), sum = 0.0;
        for (int s = 0; s < slots; s++) {
            double len = s < slots - 1 ? 1.0 / c->edges.inv_len[s] : 0.0;
            double change = len - k.rest_len[s] + c->in.viscous * (len - k.past_len[s]);
            double tension = EA[s] * change * k.inv_rest[s];
            for (int i = 0; i < 3; i++) {
                double p[2] = {s < slots - 1 ? k.section[i][s] : 0.0, s > 0 ? k.section[i][s - 1] : 0.0};
                double next = v[i][s] + k.kick * (w[s] * (p[0] - p[1]) + k.gravity[i]);
                CHECK_NEAR(k.v_next[i][s], next, 1e-15);
                CHECK_NEAR(k.x_next[i][s], c->x[i][s] + k.h * next, 1e-14);
                sum += next * next;
                double own = s < slots - 1 ? tension * c->edges.t[i][s] : 0.0;
                own += s > 0 && s < slots - 1 ? c->terms.gradient.f[i][s] : 0.0;
                own += s < slots - 2 ? c->terms.gradient.e[i][s + 1] : 0.0;
                CHECK_NEAR(p[0], own, 1e-13);
            }
        }
        CHECK_NEAR(speed2, sum, 1e-12);
        free(c);
    }
}

TEST(a_kick_is_the_forces_of_the_sections)
{
    each_law(check_kick);
}

static void check_moments(CornerLaw law)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        Links* c = random_links(law, SLOTS, seed, seed % 2 ? 0.7 : 0.0);
        double space[3][SLOTS + 2 * PAD], *moment[3] = {space[0] + PAD, space[1] + PAD, space[2] + PAD};
        c->kernels->moments(&c->in, moment);
        c->kernels->gradient(&c->in, &c->terms.gradient);
        for (int s = 1; s < SLOTS - 1; s++) {
            CordVec3 p = slot_get(c->terms.gradient.f, s), t = slot_get(c->edges.t, s);
            CordVec3 work = vec3_mul(vec3_cross(t, p), 1.0 / c->edges.inv_len[s]);
            work = vec3_madd(work, t, c->terms.gradient.phi_f[s]);
            CHECK_VEC3(slot_get(moment, s), work, 1e-13 * (1.0 + vec3_length(work)));
        }
        free(c);
    }
}

// A moment that is passed on does the work of a turn of all that follows the corner.
TEST(the_moment_is_the_work_of_a_turn)
{
    each_law(check_moments);
}

// ---- one kernel against the other

static void run_all(Links* c, const CornerKernels* k, double* EA, double* w, double* out[12],
                    CornerEnergy* energy, double* speed2)
{
    const double* const x[3] = {c->x[0], c->x[1], c->x[2]};
    const double* v[3] = {c->x[1], c->x[2], c->x[0]}; // any numbers will do
    for (int s = 0; s < c->slots - 1; s++) {
        c->turn[s] = 0.01 * s - 0.05;
    }
    for (int i = 0; i < 3; i++) {
        c->x[i][c->slots / 2] += 0.03;
    }
    k->follow(&c->in, x, c->turn, 1.0, NULL);
    k->turn(&c->edges, c->turn, c->slots - 1);
    k->measure(&c->in);
    *energy = k->energy(&c->in);
    k->hessian(&c->in, &c->terms.gradient, &c->terms.hessian);
    k->gradient(&c->in, &c->terms.gradient);
    k->moments(&c->in, out + 9);
    CornerKick kick = kick_of(c, EA, w, out, v);
    k->sections(&kick);
    *speed2 = k->kick(&kick);
    k->strains(&c->in, c->nodes.past_A, c->nodes.past_B);
    CornerTurns turns = {.last = c->in.slot_count,
                         .stiffer = 1.7,
                         .trace = 0.1,
                         .diag = c->nodes.rest_A[1],
                         .moment = c->nodes.past_m,
                         .link = c->nodes.rest_B[1],
                         .may_turn = c->edges.inv_len};
    *speed2 += k->turning(&c->in, &turns);
    *speed2 += k->follow(&c->in, x, c->turn, 0.1, &turns);
    k->nudge(&c->in, c->turn);
}

static void check_bits(CornerLaw law)
{
    static const CornerKernels* const plains[] = {&corner_der_plain, &corner_corde_plain, &corner_pbd_plain};
    const CornerKernels *plain = plains[law], *other = corner_kernels(law);
    for (int slots = 3; slots <= SLOTS; slots++) {
        Links* a = random_links(law, slots, (uint64_t)slots, slots % 2 ? 0.7 : 0.0);
        Links* b = random_links(law, slots, (uint64_t)slots, slots % 2 ? 0.7 : 0.0);
        double space[2][20][PLACES] = {{{0}}}, *out[12], speed2[2];
        CornerEnergy energy[2];
        for (int which = 0; which < 2; which++) {
            for (int i = 0; i < 12; i++) {
                out[i] = space[which][5 + i] + PAD;
            }
            for (int s = 0; s < slots; s++) {
                for (int i = 0; i < 5; i++) {
                    space[which][i][PAD + s] = 1.0 + 0.1 * (i + 1) * s;
                }
            }
            run_all(which ? b : a, which ? other : plain, space[which][0] + PAD, space[which][4] + PAD, out,
                    &energy[which], &speed2[which]);
        }
        CHECK(memcmp(a->space, b->space, sizeof a->space) == 0);
        CHECK(memcmp(space[0], space[1], sizeof space[0]) == 0);
        CHECK(memcmp(&energy[0], &energy[1], sizeof energy[0]) == 0 && speed2[0] == speed2[1]);
        free(a);
        free(b);
    }
}

TEST(both_kernels_give_the_same_bits)
{
    each_law(check_bits);
}

TEST_GROUP(framed_corner)
