// A contact by itself, where rods tell how they give way: what it pushes and gathers, and that it is solved
// for at once.
#include "yield_stage.h"

// ---- one contact

typedef void (*YieldClaim)(Given* g, int i, uint64_t* seed);

static CordVec3 random_felt(uint64_t* seed)
{
    CordVec3 f = random_vec3(seed, 1.0);
    return (CordVec3){f.x > 0.0 ? 1.0 : STIFF, f.y > 0.0 ? 1.0 : STIFF, f.z > 0.0 ? 1.0 : STIFF};
}

// Two rods that both tell, of which one does, or none; one on a ball; one on itself.
static void for_many_contacts(YieldClaim claim)
{
    static const double sines[] = {0.0, 0.01, 0.1, 0.5, 1.0}, across[] = {1.0, 3.0, 0.3};
    int loops = 0, pairs = 0, balls = 0;
    uint64_t seed = 7;
    for (int i = 0; i < 600; i++) {
        int kind = i % 6;
        Scene s = kind == 5 ? open_loop(&seed) : open_scene(kind == 4 ? 1 : 2);
        if (kind == 4) {
            add_solid(&s, CORD_SOLID_SPHERE, (CordVec3){0.05, 0, 0},
                      (CordVec3){0.01, 0, -0.05 - 1.05 * RADIUS});
        }
        if (kind < 5) {
            place_pair(&s, &seed, sines[i / 6 % 5]);
        }
        s.stage.rods[0].rod->friction_across = across[i / 30 % 3];
        s.friction.friction = pow(10.0, random_in(&seed, -2.0, 0.5));
        Given g = open_given(s);
        CHECK(g.y.order_count > 0);
        for (int rod = 0; rod < g.s.stage.rod_count; rod++) {
            if (kind > 3 || (kind + 1) >> rod & 1) {
                tell(&g, rod, &seed, i % 12 < 6 ? (CordVec3){1, 1, 1} : random_felt(&seed));
            }
        }
        const Blow* first = &g.s.blows.all[g.y.order[0]];
        loops += g.s.stage.rod_count == 1 && first->sides == 2;
        pairs += g.s.stage.rod_count == 2, balls += first->sides == 1;
        claim(&g, random_in(&seed, 0.0, 1.0) < 0.5 ? 0 : g.y.order_count - 1, &seed);
        close_given(&g);
    }
    CHECK(loops == 100 && pairs == 400 && balls == 100);
}

static YieldBatch only(const Given* g, int k)
{
    return (YieldBatch){k, k + 1, 0, g->y.node_count};
}

static double largest(const Given* g, const Unknowns* u)
{
    double most = 0.0;
    for (int i = 0; i < 4 * g->y.node_count; i++) {
        most = fmax(most, fabs(u->of[i]) * (i % 4 == 3 ? RADIUS : 1.0));
    }
    return most;
}

// What it did to u, starting from nothing, and what it must have seen of u = `seen`, since it sticks: gap and
// slip are nothing then.
static CordVec3 seen_by(Given* g, int k, const Unknowns* seen, Unknowns* done)
{
    int i = g->y.order[k];
    Blow* blow = &g->s.blows.all[i];
    const Yield* yield = &g->y.all[i];
    size_t size = 4 * sizeof(double) * (size_t)g->y.node_count;
    blow->push = 0.0, blow->drag = (CordVec3){0, 0, 0};
    memcpy(g->y.u, seen->of, size);
    yields_sweep(&g->y, &g->s.blows, only(g, k), 0.0, 1, false);
    CHECK(blow->push > 0.0 && !blow->slides);
    memcpy(done->of, g->y.u, size);
    CordVec3 own = vec3_mul(blow->n, -yield->give * blow->push - yield->gap);
    for (int n = 0; n < 2; n++) {
        CordVec3 e = yield->across[n];
        double drag = vec3_dot(blow->drag, e);
        own =
            vec3_madd(own, e, -yield->slip[n] - yield->aside[n] * blow->push - yield->give_across[n] * drag);
        own = vec3_madd(own, blow->n, -yield->aside[n] * drag);
    }
    for (int n = 0; n < 4 * g->y.node_count; n++) {
        done->of[n] -= seen->of[n];
    }
    return own;
}

static void check_transpose(Given* g, int k, uint64_t* seed)
{
    int i = g->y.order[k];
    Blow* blow = &g->s.blows.all[i];
    Unknowns z, u, pushed;
    for (int n = 0; n < MOST_UNKNOWNS; n++) {
        z.of[n] = random_in(seed, -1.0, 1.0) * RADIUS * (n % 4 == 3 ? RADIUS : 1.0);
    }
    u = respond(g, &z);
    blow->mu = 1e9; // it sticks, and is deep enough to be pushed whatever u is
    g->s.blows.past[i].gap = -1e3 * RADIUS;
    yields_weigh(&g->y, &g->s.blows, only(g, k));
    CordVec3 own = seen_by(g, k, &u, &pushed), force = force_of(g, i);
    Unknowns right = moved_by(g, i, force);
    double scale = largest(g, &right), work = product(g, &z, &pushed);
    for (int n = 0; n < 4 * g->y.node_count; n++) { // nothing else has moved, and this as touches have it
        CHECK_NEAR(pushed.of[n] * (n % 4 == 3 ? RADIUS : 1.0), right.of[n] * (n % 4 == 3 ? RADIUS : 1.0),
                   10.0 * ROUND_OFF * scale); // less what had been there before
    }
    // What is seen was taken from the gap and from what the force moves.
    double from = 1e3 * RADIUS + vec3_length(gather(g, i, right)) +
                  (g->y.all[i].give + g->y.all[i].give_across[0]) * vec3_length(force);
    CHECK_NEAR(vec3_dot(force, own), work, ROUND_OFF * vec3_length(force) * from);
    CHECK_NEAR(vec3_length(vec3_sub(own, gather(g, i, u))), 0.0, ROUND_OFF * from);
}

TEST(what_a_contact_gathers_is_the_transpose_of_what_it_pushes)
{
    for_many_contacts(check_transpose);
}

static void check_give(Given* g, int k, uint64_t* seed)
{
    (void)seed;
    int i = g->y.order[k];
    const Blow* blow = &g->s.blows.all[i];
    const Yield* yield = &g->y.all[i];
    yields_weigh(&g->y, &g->s.blows, only(g, k));
    CordVec3 along = gather(g, i, moved_by(g, i, blow->n)), by[2];
    double most = fmax(yield->give, yield->give_across[0]);
    CHECK_NEAR(yield->give, vec3_dot(along, blow->n), ROUND_OFF * most);
    CHECK(yield->give_across[0] >= yield->give_across[1] && yield->give_across[1] > 0.0);
    for (int n = 0; n < 2; n++) {
        CordVec3 e = yield->across[n];
        by[n] = gather(g, i, moved_by(g, i, e));
        CHECK_NEAR(vec3_length(e), 1.0, ROUND_OFF);
        CHECK_NEAR(vec3_dot(e, blow->n), 0.0, ROUND_OFF);
        CHECK_NEAR(yield->aside[n], vec3_dot(along, e), ROUND_OFF * most);
        CHECK_NEAR(yield->give_across[n], vec3_dot(by[n], e), ROUND_OFF * most);
    }
    CHECK_NEAR(vec3_dot(yield->across[0], yield->across[1]), 0.0, ROUND_OFF);
    CHECK_NEAR(vec3_dot(by[0], yield->across[1]), 0.0, ROUND_OFF * most);
    CHECK_NEAR(vec3_dot(by[1], yield->across[0]), 0.0, ROUND_OFF * most);
}

TEST(give_is_what_a_push_really_moves_and_its_axes_are_its_own)
{
    for_many_contacts(check_give);
}

static Tally of_one;

// Pushed by a tenth of a radius and dragged by any way, it is right after two corrections: of the first, and
// one that finds nothing to do.
static void check_alone(Given* g, int k, uint64_t* seed)
{
    int i = g->y.order[k];
    Blow* blow = &g->s.blows.all[i];
    double size = RADIUS * pow(10.0, random_in(seed, -3.0, 1.0));
    blow->slip = vec3_reject(random_vec3(seed, size), blow->n);
    g->s.blows.past[i].gap = -0.1 * RADIUS;
    g->y.order[0] = i, g->y.order_count = 1;
    yields_weigh(&g->y, &g->s.blows, only(g, 0));
    YieldSweeps done = yields_sweep(&g->y, &g->s.blows, only(g, 0), 1e-8, 50, false);
    CHECK_INT(done.count, 2);
    // push and drag go together to 1e-9, and may move it by a thousand radii each, which cancel
    check_laws(g, 1e-6, &of_one);
}

TEST(a_contact_alone_is_solved_for_at_once)
{
    of_one = (Tally){0};
    for_many_contacts(check_alone);
    CHECK(of_one.sliding > 150 && of_one.sticking > 150 && of_one.idle == 0);
}

TEST_GROUP(contact_yield, what_a_contact_gathers_is_the_transpose_of_what_it_pushes,
           give_is_what_a_push_really_moves_and_its_axes_are_its_own, a_contact_alone_is_solved_for_at_once)
