// Coulomb's law of one contact, as a projection onto the friction cone.
#include "check.h"
#include "math/elementary.h"
#include "random.h"
#include "step/coulomb.h"

static CoulombPoint random_point(uint64_t* seed, ContactPoint* contact)
{
    *contact = (ContactPoint){.kind = CONTACT_SOLID, .axis = {{0, 1, 0}}};
    CoulombPoint p = {.contact = contact,
                      .axis = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                      .mu = random_in(seed, 0.05, 1.0),
                      .bound = -1.0,
                      .shape = {{1.0, 1.0}, {1.0, 1.0}, true}};
    p.w = cord_exp(random_in(seed, -5.0, 5.0));
    return p;
}

static void random_state(uint64_t* seed, const CoulombPoint* p, double f[3], double v[3])
{
    for (int k = 0; k < 3; k++) {
        f[k] = random_in(seed, -1.0, 1.0), v[k] = p->w * random_in(seed, -1.0, 1.0);
    }
}

// The projection is the nearest point of the disc of the normal force: what it lacks of the wanted friction
// is along the outer normal of the disc, to a positive factor.
TEST(friction_is_projected_to_the_nearest_point_of_the_cone)
{
    uint64_t seed = 3;
    int sliding = 0, sticking = 0, open = 0;
    for (int i = 0; i < 20000; i++) {
        ContactPoint contact;
        CoulombPoint p = random_point(&seed, &contact);
        double f[3], v[3], F[3];
        random_state(&seed, &p, f, v);
        p.bound = i % 3 == 0 ? random_in(&seed, 0.0, 1.0) : -1.0;
        CoulombProjection to = coulomb_project(&p, f, v);
        coulomb_defect(&to, f, F);
        double limits = p.bound < 0.0 ? to.normal : p.bound,
               size = sqrt(to.friction[0] * to.friction[0] + to.friction[1] * to.friction[1]);
        CHECK(to.normal >= 0.0 && size <= p.mu * limits * (1.0 + 1e-12));
        CHECK_NEAR(F[0], f[0] - to.normal, 0.0);
        if (!to.slides) {
            sticking += limits > 0.0, open += limits == 0.0;
            CHECK_NEAR(to.friction[0], limits > 0.0 ? f[1] - v[1] / p.w : 0.0, 0.0);
            continue;
        }
        sliding++;
        CHECK_NEAR(size, p.mu * limits, 1e-10 * p.mu * limits);
        double a = p.w * (to.wanted[0] - to.friction[0]), b = p.w * (to.wanted[1] - to.friction[1]),
               lacks = sqrt(a * a + b * b);
        CHECK_NEAR(a * to.friction[1] - b * to.friction[0], 0.0, 1e-8 * lacks * size);
        CHECK(a * to.friction[0] + b * to.friction[1] > 0.0);
    }
    CHECK(sliding > 3000 && sticking > 1000 && open > 1000);
}

// Where f obeys Coulomb's law it is its own projection, whatever the weights are.
TEST(forces_that_obey_the_law_stay_as_they_are)
{
    uint64_t seed = 5;
    for (int i = 0; i < 5000; i++) {
        ContactPoint contact;
        CoulombPoint p = random_point(&seed, &contact);
        double angle = random_in(&seed, 0.0, 6.28), slip = random_in(&seed, 0.0, 1.0), most = p.mu * 2.0;
        double sliding = i % 2 == 0 ? 1.0 : random_in(&seed, 0.0, 1.0), moves = i % 2 == 0 ? slip : 0.0;
        double f[3] = {2.0, -most * sliding * cord_cos(angle), -most * sliding * cord_sin(angle)};
        double v[3] = {0.0, moves * cord_cos(angle), moves * cord_sin(angle)}, F[3];
        CoulombProjection to = coulomb_project(&p, f, v);
        coulomb_defect(&to, f, F);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(F[k], 0.0, 1e-9);
        }
    }
}

// A smooth normal force is that of the law beyond the join, rises with a continuous slope, and is at most a
// quarter of the join above it. Where the fixed point f = P(f - v / w) is, the gap is within `smooth`.
TEST(smooth_forces_join_the_law)
{
    uint64_t seed = 11;
    int joined = 0;
    for (int i = 0; i < 5000; i++) {
        ContactPoint contact;
        CoulombPoint exact = random_point(&seed, &contact), smooth = exact;
        double f[3], v[3], e = random_in(&seed, 0.01, 1.0), d = 1e-6;
        random_state(&seed, &exact, f, v);
        smooth.smoothing = e * exact.w;
        double z = f[0] - v[0] / exact.w;
        CoulombProjection sharp = coulomb_project(&exact, f, v), to = coulomb_project(&smooth, f, v);
        CHECK(to.normal >= sharp.normal && to.normal <= sharp.normal + 0.25 * e * (1.0 + 1e-12));
        CHECK(fabs(z) < e || to.normal == sharp.normal);
        joined += fabs(z) < e;
        double more[3] = {f[0] + d, f[1], f[2]}, less[3] = {f[0] - d, f[1], f[2]};
        double slope =
            (coulomb_project(&smooth, more, v).normal - coulomb_project(&smooth, less, v).normal) / (2.0 * d);
        CHECK_NEAR(to.rise, slope, 0.5 * d / e + 1e-9); // the slope's own slope is 1 / 2e
        // f between 0 and e belongs to the gap w (sqrt(f) - sqrt(e))^2
        double force = e * random_in(&seed, 0.0, 1.0), root = sqrt(force) - sqrt(e);
        const double at[3] = {force, 0, 0}, gap[3] = {exact.w * root * root, 0, 0};
        CHECK(gap[0] <= smooth.smoothing);
        CHECK_NEAR(coulomb_project(&smooth, at, gap).normal, force, 1e-12);
    }
    CHECK(joined > 500);
}

// Friction that is too large keeps its direction and gets the size of the limit there: half of mu across a
// rod along y, three times as much backwards.
TEST(friction_is_shortened_to_its_limit_in_every_direction)
{
    const CordVec3 axis[2] = {{0, 1, 0}, {0, 1, 0}};
    const FrictionShape shape = {.across = {0.5, 1.0}, .backward = {3.0, 1.0}};
    uint64_t seed = 13;
    int within = 0;
    for (int i = 0; i < 2000; i++) {
        double angle = random_in(&seed, -3.14, 3.14), size = random_in(&seed, 0.0, 4.0), c = cord_cos(angle),
               s = cord_sin(angle), along = s > 0.0 ? 3.0 * s : s, limit = sqrt(along * along + 0.25 * c * c);
        CordVec3 friction = friction_within_cone(axis, &shape, 1, (CordVec3){size * c, size * s, 0}, 1.0);
        double left = fmin(size, limit);
        within += size < limit;
        CHECK_VEC3(friction, ((CordVec3){left * c, left * s, 0}), 1e-12);
    }
    CHECK(within > 300 && within < 1700);
    CordVec3 none = friction_within_cone(axis, &shape, 1, (CordVec3){0, 0, 0}, 1.0);
    CHECK_NEAR(vec3_length(none), 0.0, 0.0);
}

TEST_GROUP(step_coulomb)
