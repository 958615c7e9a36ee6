// A contact by itself, of rods with a compliance: what it pushes and gathers, and that it is solved
// for at once.
#include "delassus_scenes.h"

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
        s.colliders.rods[0].rod->surface.friction_across = across[i / 30 % 3];
        s.friction.friction = pow(10.0, random_in(&seed, -2.0, 0.5));
        Given g = open_given(s);
        CHECK(g.y.order_count > 0);
        for (int rod = 0; rod < g.s.colliders.rod_count; rod++) {
            if (kind > 3 || (kind + 1) >> rod & 1) {
                tell(&g, rod, &seed, i % 12 < 6 ? (CordVec3){1, 1, 1} : random_felt(&seed));
            }
        }
        if (i % 7 < 4) {
            use_columns(&g);
        }
        const ContactConstraint* first = &g.s.constraints.all[g.y.order[0]];
        loops += g.s.colliders.rod_count == 1 && first->sides == 2;
        pairs += g.s.colliders.rod_count == 2, balls += first->sides == 1;
        claim(&g, random_in(&seed, 0.0, 1.0) < 0.5 ? 0 : g.y.order_count - 1, &seed);
        close_given(&g);
    }
    CHECK(loops == 100 && pairs == 400 && balls == 100);
}

static DelassusBatch only(const Given* g, int k)
{
    DelassusBatch one = delassus_all(&g->y);
    one.first = k, one.last = k + 1;
    return one;
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
    ContactConstraint* constraint = &g->s.constraints.all[i];
    const DelassusBlock* block = &g->y.all[i];
    constraint->normal_impulse = 0.0, constraint->friction_impulse = (CordVec3){0, 0, 0};
    put_u(g, seen);
    sweep_until(g, only(g, k), 0.0, 1);
    CHECK(constraint->normal_impulse > 0.0 && !constraint->slides);
    *done = get_u(g);
    CordVec3 own = vec3_mul(constraint->n, -block->W_nn * constraint->normal_impulse - constraint->gap);
    for (int n = 0; n < 2; n++) {
        CordVec3 e = block->across[n];
        double drag = vec3_dot(constraint->friction_impulse, e);
        own = vec3_madd(own, e,
                        -vec3_dot(constraint->slip, e) - block->W_tn[n] * constraint->normal_impulse -
                            block->W_tt[n] * drag);
        own = vec3_madd(own, constraint->n, -block->W_tn[n] * drag);
    }
    for (int n = 0; n < 4 * g->y.node_count; n++) {
        done->of[n] -= seen->of[n];
    }
    return own;
}

static void check_transpose(Given* g, int k, uint64_t* seed)
{
    int i = g->y.order[k];
    ContactConstraint* constraint = &g->s.constraints.all[i];
    Unknowns z, u, pushed;
    for (int n = 0; n < MOST_UNKNOWNS; n++) {
        z.of[n] = random_in(seed, -1.0, 1.0) * RADIUS * (n % 4 == 3 ? RADIUS : 1.0);
    }
    u = respond(g, &z);
    constraint->mu = 1e9; // it sticks, and is deep enough to be pushed whatever u is
    constraint->gap = -1e3 * RADIUS;
    delassus_begin(&g->y, &g->s.constraints, only(g, k));
    CordVec3 own = seen_by(g, k, &u, &pushed), force = force_of(g, i);
    Unknowns right = moved_by(g, i, force);
    double scale = largest(g, &right), work = product(g, &z, &pushed);
    for (int n = 0; n < 4 * g->y.node_count; n++) { // nothing else has moved, and this as touches have it
        CHECK_NEAR(pushed.of[n] * (n % 4 == 3 ? RADIUS : 1.0), right.of[n] * (n % 4 == 3 ? RADIUS : 1.0),
                   10.0 * ROUND_OFF * scale); // less what had been there before
    }
    // What is seen was taken from the gap and from what the force moves.
    double from = 1e3 * RADIUS + vec3_length(gather(g, i, right)) +
                  (g->y.all[i].W_nn + g->y.all[i].W_tt[0]) * vec3_length(force);
    CHECK_NEAR(vec3_dot(force, own), work, ROUND_OFF * vec3_length(force) * from);
    CHECK_NEAR(vec3_length(vec3_sub(own, gather(g, i, u))), 0.0, ROUND_OFF * from);
}

TEST(what_a_contact_gathers_is_the_transpose_of_what_it_pushes)
{
    for_many_contacts(check_transpose);
}

static void check_inverse_mass(Given* g, int k, uint64_t* seed)
{
    (void)seed;
    int i = g->y.order[k];
    const ContactConstraint* constraint = &g->s.constraints.all[i];
    const DelassusBlock* block = &g->y.all[i];
    delassus_diagonal(&g->y, &g->s.constraints, i);
    CordVec3 along = gather(g, i, moved_by(g, i, constraint->n)), by[2];
    double most = fmax(block->W_nn, block->W_tt[0]);
    CHECK_NEAR(block->W_nn, vec3_dot(along, constraint->n), ROUND_OFF * most);
    CHECK(block->W_tt[0] >= block->W_tt[1] && block->W_tt[1] > 0.0);
    for (int n = 0; n < 2; n++) {
        CordVec3 e = block->across[n];
        by[n] = gather(g, i, moved_by(g, i, e));
        CHECK_NEAR(vec3_length(e), 1.0, ROUND_OFF);
        CHECK_NEAR(vec3_dot(e, constraint->n), 0.0, ROUND_OFF);
        CHECK_NEAR(block->W_tn[n], vec3_dot(along, e), ROUND_OFF * most);
        CHECK_NEAR(block->W_tt[n], vec3_dot(by[n], e), ROUND_OFF * most);
    }
    CHECK_NEAR(vec3_dot(block->across[0], block->across[1]), 0.0, ROUND_OFF);
    CHECK_NEAR(vec3_dot(by[0], block->across[1]), 0.0, ROUND_OFF * most);
    CHECK_NEAR(vec3_dot(by[1], block->across[0]), 0.0, ROUND_OFF * most);
}

TEST(inverse_mass_is_what_a_push_really_moves_and_its_axes_are_its_own)
{
    for_many_contacts(check_inverse_mass);
}

static Tally of_one;

// Pushed by a tenth of a radius and dragged by any way, it is right after two corrections: of the first, and
// one that finds nothing to do.
static void check_alone(Given* g, int k, uint64_t* seed)
{
    int i = g->y.order[k];
    ContactConstraint* constraint = &g->s.constraints.all[i];
    double size = RADIUS * pow(10.0, random_in(seed, -3.0, 1.0));
    constraint->slip = vec3_reject(random_vec3(seed, size), constraint->n);
    constraint->gap = -0.1 * RADIUS;
    g->y.order[0] = i, g->y.order_count = 1;
    delassus_begin(&g->y, &g->s.constraints, only(g, 0));
    SweepResult done = sweep_until(g, only(g, 0), 1e-8, 50);
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

TEST_GROUP(contact_delassus)
