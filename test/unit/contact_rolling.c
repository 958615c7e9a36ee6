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

// ---- the axes about which a contact resists

static TurningAxes axes_of(CordVec3 a, CordVec3 b, ContactKind kind, CordTouch solid)
{
    ColliderSolid body = {.kind = solid};
    Colliders cs = {.solids = &body, .solid_count = 1};
    ContactPoint contact = {.kind = kind, .n = {0, 0, 1}, .axis = {a, b}};
    return contact_point_turning_axes(&cs, &contact);
}

static void check_shares(const TurningAxes* axes, double normal, double along, double across)
{
    const double expected[3] = {normal, along, across};
    for (int k = 0; k < 3; k++) {
        double size = vec3_length(axes->axis[k]), product = vec3_dot(axes->axis[k], axes->dual[k]);
        CHECK_NEAR(size, expected[k], 1e-15);
        CHECK_NEAR(product, size > 0.0 ? 1.0 : 0.0, 1e-15);
        CHECK_NEAR(vec3_dot(axes->axis[k], axes->axis[(k + 1) % 3]), 0.0, 1e-15);
    }
}

TEST(a_contact_resists_about_the_axes_of_its_rods_and_all_of_a_body)
{
    const CordVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, none = {0, 0, 0};
    TurningAxes axes = axes_of(x, none, CONTACT_SOLID, CORD_TOUCH_OBSTACLE);
    check_shares(&axes, 0.0, 1.0, 0.0);
    CHECK_VEC3(axes.axis[1], x, 1e-15);
    axes = axes_of(z, none, CONTACT_SOLID, CORD_TOUCH_OBSTACLE);
    check_shares(&axes, 1.0, 0.0, 0.0);
    axes = axes_of((CordVec3){0.6, 0, 0.8}, none, CONTACT_SOLID, CORD_TOUCH_OBSTACLE);
    check_shares(&axes, 0.8, 0.6, 0.0);
    axes = axes_of(x, none, CONTACT_SOLID, CORD_TOUCH_BODY);
    check_shares(&axes, 1.0, 1.0, 1.0);
    axes = axes_of(z, none, CONTACT_SOLID, CORD_TOUCH_BODY);
    check_shares(&axes, 1.0, 1.0, 1.0);
    axes = axes_of(x, vec3_mul(x, -1.0), CONTACT_SEGMENTS, CORD_TOUCH_ROD);
    check_shares(&axes, 0.0, 1.0, 0.0);
    axes = axes_of(x, y, CONTACT_SEGMENTS, CORD_TOUCH_ROD);
    check_shares(&axes, 1.0, 1.0, 1.0);
    axes = axes_of(x, (CordVec3){0.8, 0.6, 0}, CONTACT_SEGMENTS, CORD_TOUCH_ROD); // cosine 0.8
    check_shares(&axes, 0.6, 1.0, sqrt(1.0 - 0.8));
}

TEST_GROUP(contact_rolling)
