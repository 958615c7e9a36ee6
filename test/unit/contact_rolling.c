// The couples of contacts against rolling and spinning: what they turn, their limits, and what sweeps leave.
#include "constraint_scenes.h"
#include "contact/gauss_seidel.h"
#include "contact/rolling.h"

// ---- one couple

// Within the limit nothing is left to turn; at the limit what is left has the couple's direction.
TEST(a_couple_makes_the_turn_good_or_opposes_what_is_left_at_its_limit)
{
    uint64_t seed = 4;
    int within = 0, beyond = 0;
    for (int i = 0; i < 20000; i++) {
        double ratio = pow(10.0, random_in(&seed, -9.0, 0.0)), C[2];
        const double W[2] = {2.0, 2.0 * ratio},
                     goal[2] = {random_in(&seed, -1.0, 1.0), ratio * random_in(&seed, -1.0, 1.0)};
        double limit = i % 50 == 0 ? 0.0 : pow(10.0, random_in(&seed, -3.0, 1.0));
        rolling_within(W, goal, limit, C);
        double size = sqrt(C[0] * C[0] + C[1] * C[1]), p = goal[0] - W[0] * C[0], q = goal[1] - W[1] * C[1];
        CHECK(size <= limit * (1.0 + 1e-12));
        if (size < limit * (1.0 - 1e-11)) {
            CHECK(fabs(p) <= 1e-15 && fabs(q) <= 1e-15 * ratio);
            within++;
            continue;
        }
        CHECK(p * C[0] + q * C[1] >= -1e-15 * limit);
        CHECK(fabs(p * C[1] - q * C[0]) <= 1e-11 * limit);
        beyond++;
    }
    CHECK(within > 5000 && beyond > 5000);
}

// ---- J and its transpose

typedef void (*PairClaim)(Scene* s, int i, uint64_t* seed);

// Contacts of two rods that cross or lie alongside, and of a rod on a ball.
static void for_many_pairs(PairClaim claim)
{
    static const double sines[] = {0.0, 0.01, 0.1, 0.5, 1.0};
    uint64_t seed = 3;
    for (int i = 0; i < 150; i++) {
        Scene s = open_scene(i % 3 == 2 ? 1 : 2);
        if (i % 3 == 2) {
            add_solid(&s, CORD_SOLID_SPHERE, (CordVec3){0.05, 0, 0},
                      (CordVec3){0.01, 0, -0.05 - 1.05 * RADIUS});
        }
        place_pair(&s, &seed, sines[i % 5]);
        s.friction.rolls = true;
        for (int rod = 0; rod < s.colliders.rod_count; rod++) {
            s.colliders.rods[rod].rod->surface.rolling = 0.2 * RADIUS;
            s.colliders.rods[rod].rod->surface.spinning = 0.1 * RADIUS;
        }
        begin(&s);
        CHECK(s.constraints.count > 0);
        for (int k = 0; k < s.constraints.count; k++) {
            claim(&s, k, &seed);
        }
        close_scene(&s);
    }
}

static double power(const Colliders* cs, const DofVector* force, const DofVector* move)
{
    double sum = 0.0;
    for (int n = 0; n < cs->node_count; n++) {
        sum += vec3_dot(force->x[n], move->x[n]);
    }
    for (int k = 0; k < cs->segment_count; k++) {
        sum += force->spin[k] * move->spin[k];
    }
    for (int k = 0; k < 6 * cs->solid_count; k++) {
        sum += force->solid[k] * move->solid[k];
    }
    return sum;
}

static void check_transpose(Scene* s, int i, uint64_t* seed)
{
    const Colliders* cs = &s->colliders;
    const ContactConstraint* c = &s->constraints.all[i];
    const ContactPoint* contact = touch_of(s, i);
    CordVec3 couple = random_vec3(seed, 1.0);
    DofVector force = {0}, move = {0};
    size_t size[2] = {0, 0};
    CHECK(dof_vector_reserve(&s->world->memory, &force, cs, &size[0]));
    CHECK(dof_vector_reserve(&s->world->memory, &move, cs, &size[1]));
    dof_vector_clear(&force, cs);
    dof_vector_clear(&move, cs);
    for (int n = 0; n < cs->node_count; n++) {
        move.x[n] = random_vec3(seed, 1.0);
    }
    for (int k = 0; k < cs->segment_count; k++) {
        move.spin[k] = random_in(seed, -1.0, 1.0);
    }
    contact_point_scatter_couple(cs, contact, couple, &force);
    double work = vec3_dot(couple, contact_point_gather_turn(cs, contact, &move));
    CHECK_NEAR(power(cs, &force, &move), work, 1e-13 / LEN);
    CHECK_NEAR(vec3_dot(couple, constraint_turn(c, &move)), work, 1e-13 / LEN);
    dof_vector_clear(&s->constraints.moved, cs);
    constraint_apply_couple(&s->constraints, c, couple);
    divide_by_masses(s);
    CHECK_NEAR(power(cs, &s->constraints.moved, &move), work, 1e-12 / LEN);
    if (contact->kind == CONTACT_SEGMENTS) { // equal and opposite: no force and no torque on the two together
        check_balance(cs, cs->begin, &s->constraints.moved, 1e-13 / LEN, 1e-14);
    }
    dof_vector_free(&s->world->memory, &force, &size[0]);
    dof_vector_free(&s->world->memory, &move, &size[1]);
}

TEST(a_couple_keeps_momentum_and_is_the_transpose_of_the_turn)
{
    for_many_pairs(check_transpose);
}

TEST_GROUP(contact_rolling)
