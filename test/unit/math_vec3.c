#include "check.h"
#include "math/vec3.h"
#include "random.h"

static CordQuat random_quat(uint64_t* seed)
{
    CordVec3 v = random_vec3(seed, 1.0);
    return quat_unit((CordQuat){v.x, v.y, v.z, random_in(seed, -1, 1)});
}

// Components are of order 1, so tolerances are a few units of 1.1e-16.
#define ROUND 2e-15

TEST(cross_and_dot_obey_lagrange)
{
    uint64_t seed = 1;
    for (int i = 0; i < 1000; i++) {
        CordVec3 a = random_vec3(&seed, 1.0), b = random_vec3(&seed, 1.0), c = vec3_cross(a, b);
        double ab = vec3_dot(a, b);
        CHECK_NEAR(vec3_dot(c, a), 0.0, ROUND);
        CHECK_NEAR(vec3_dot(c, b), 0.0, ROUND);
        CHECK_NEAR(vec3_dot(c, c), vec3_dot(a, a) * vec3_dot(b, b) - ab * ab, ROUND);
    }
}

TEST(cross_is_right_handed)
{
    CordVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    CHECK_VEC3(vec3_cross(x, y), z, 0.0);
    CHECK_VEC3(vec3_cross(y, z), x, 0.0);
    CHECK_VEC3(vec3_cross(z, x), y, 0.0);
}

TEST(a_rejected_vector_is_at_right_angles)
{
    uint64_t seed = 2;
    for (int i = 0; i < 1000; i++) {
        CordVec3 t = vec3_unit(random_vec3(&seed, 1.0)), a = vec3_reject(random_vec3(&seed, 1.0), t);
        CHECK_NEAR(vec3_dot(a, t), 0.0, ROUND);
    }
}

TEST(any_normal_is_unit_and_normal_for_every_direction)
{
    uint64_t seed = 3;
    const CordVec3 axes[] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0.6, 0.8, 0}, {0, 0.6, -0.8}, {-0.8, 0, 0.6}};
    for (int i = 0; i < 1000; i++) {
        CordVec3 t = i < 6 ? axes[i] : vec3_unit(random_vec3(&seed, 1.0)), n = vec3_any_normal(t);
        CHECK_NEAR(vec3_dot(n, t), 0.0, ROUND);
        CHECK_NEAR(vec3_length(n), 1.0, ROUND);
    }
}

TEST(finite_looks_at_every_component)
{
    CHECK(vec3_finite((CordVec3){1, 2, 3}));
    CHECK(!vec3_finite((CordVec3){NAN, 0, 0}));
    CHECK(!vec3_finite((CordVec3){0, INFINITY, 0}));
    CHECK(!vec3_finite((CordVec3){0, 0, -INFINITY}));
}

TEST(rotations_keep_lengths_and_angles)
{
    uint64_t seed = 4;
    for (int i = 0; i < 1000; i++) {
        CordQuat q = random_quat(&seed);
        CordVec3 a = random_vec3(&seed, 1.0), b = random_vec3(&seed, 1.0);
        CordVec3 qa = quat_rotate(q, a), qb = quat_rotate(q, b);
        CHECK_NEAR(vec3_dot(qa, qb), vec3_dot(a, b), 3 * ROUND);
        CHECK_VEC3(quat_rotate(q, vec3_cross(a, b)), vec3_cross(qa, qb), 3 * ROUND); // no mirror
    }
}

TEST(a_product_is_the_right_factor_first)
{
    uint64_t seed = 5;
    for (int i = 0; i < 1000; i++) {
        CordQuat p = random_quat(&seed), q = random_quat(&seed);
        CordVec3 a = random_vec3(&seed, 1.0);
        CHECK_VEC3(quat_rotate(quat_mul(p, q), a), quat_rotate(p, quat_rotate(q, a)), 3 * ROUND);
        CHECK_NEAR(quat_norm(quat_mul(p, q)), 1.0, ROUND);
    }
}

TEST(a_quarter_turn_about_z_takes_x_to_y)
{
    CordQuat q = cord_quat_about((CordVec3){0, 0, 7}, 1.57079632679489662);
    CHECK_VEC3(quat_rotate(q, (CordVec3){1, 0, 0}), ((CordVec3){0, 1, 0}), ROUND);
    CHECK_VEC3(quat_rotate(quat_identity(), (CordVec3){1, 2, 3}), ((CordVec3){1, 2, 3}), 0.0);
}

TEST_GROUP(math_vec3)
