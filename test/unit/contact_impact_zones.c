// Impact zones: displacements that keep linear momentum, and part what collides.
#include "collider_rods.h"
#include "contact/impact_zones.h"

#define RADIUS 0.01
#define LEN 0.1 // of an element [m]
#define TOLERANCE 1e-3

enum { MOST_NODES = 16 };

typedef struct Scene { // rods of two elements each
    CordWorld* world;
    Colliders colliders;
    ContactConstraints constraints;
    ImpactZones zones;
    CordVec3 predicted[MOST_NODES];
    double left;
} Scene;

static Scene open_scene(int rods, uint64_t* seed)
{
    Scene s = {.world = new_weightless_world()};
    Memory* m = &s.world->memory;
    add_straight_rods(s.world, &s.colliders, rods, 3, LEN, RADIUS);
    CHECK(s.colliders.node_count <= MOST_NODES);
    s.constraints.w_capacity = s.colliders.node_count;
    s.constraints.w = memory_array(m, double, s.colliders.node_count);
    for (int n = 0; n < s.colliders.node_count; n++) {
        s.constraints.w[n] = random_in(seed, 0.2, 5.0);
    }
    return s;
}

static void close_scene(Scene* s)
{
    Memory* m = &s->world->memory;
    impact_zones_free(m, &s->zones);
    contact_constraints_free(m, &s->constraints);
    colliders_free(m, &s->colliders);
    cord_world_destroy(s->world);
}

// From `begin` to `to`, which is put right.
static void resolve(Scene* s, double mu, int most)
{
    Colliders* cs = &s->colliders;
    Memory* m = &s->world->memory;
    SurfaceLaws law = {.friction = mu, .friction_kinetic = NAN};
    size_t size = sizeof(CordVec3) * (size_t)cs->node_count;
    memcpy(cs->from, cs->begin, size);
    memcpy(s->predicted, cs->to, size);
    CHECK(broad_phase_update(m, cs));
    CHECK(dof_vector_reserve(m, &s->constraints.moved, cs, &s->constraints.moved_size));
    dof_vector_clear(&s->constraints.moved, cs);
    impact_zones_begin(&s->zones);
    CHECK(impact_zones_resolve(m, &s->zones, cs, &s->constraints, &law, TOLERANCE, most, &s->left));
    for (int n = 0; n < cs->node_count; n++) { // what was moved is where it was moved to
        CHECK_VEC3(vec3_sub(cs->to[n], s->predicted[n]), s->constraints.moved.x[n], 1e-15);
    }
}

static CordVec3 momentum(const Scene* s)
{
    CordVec3 sum = {0, 0, 0};
    for (int n = 0; n < s->colliders.node_count; n++) {
        sum = vec3_madd(sum, s->constraints.moved.x[n], 1.0 / s->constraints.w[n]);
    }
    return sum;
}

// Gap between the first elements of two rods, over the radius.
static double gap_of(const Scene* s, int a, int b)
{
    const CordVec3 *p = s->colliders.to + 3 * a, *q = s->colliders.to + 3 * b;
    return closest_segment_segment(p[0], p[1], q[0], q[1]).distance / RADIUS - 2.0;
}

// Rod b crosses rod a somewhere inside their first elements, above it at the start and too near at the end;
// their second elements lead away, and are never that near.
static void cross(Scene* s, int a, int b, uint64_t* seed, CordVec3 slip)
{
    Colliders* cs = &s->colliders;
    double angle = random_in(seed, 1.0, 2.1), u = random_in(seed, 0.1, 0.6), v = random_in(seed, 0.1, 0.6);
    CordVec3 d = {LEN, 0, 0}, e = {LEN * cord_cos(angle), LEN * cord_sin(angle), 0};
    CordVec3 low = {3.0 * LEN * a, 0, 0}, high = vec3_add(low, (CordVec3){0, 0, 2.1 * RADIUS});
    cs->begin[3 * a] = vec3_madd(low, d, -u);
    cs->begin[3 * a + 1] = vec3_madd(low, d, 1.0 - u);
    cs->begin[3 * a + 2] = vec3_add(cs->begin[3 * a + 1], (CordVec3){0, 0, -LEN});
    cs->begin[3 * b] = vec3_madd(high, e, -v);
    cs->begin[3 * b + 1] = vec3_madd(high, e, 1.0 - v);
    cs->begin[3 * b + 2] = vec3_add(cs->begin[3 * b + 1], (CordVec3){0, 0, LEN});
    CordVec3 down = {0, 0, -RADIUS * random_in(seed, 0.2, 1.2)};
    for (int n = 0; n < 3; n++) {
        cs->to[3 * a + n] = cs->begin[3 * a + n];
        cs->to[3 * b + n] = vec3_add(vec3_add(cs->begin[3 * b + n], down), slip);
    }
}

TEST(two_crossing_segments_are_parted_to_tolerance)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200; i++) {
        Scene s = open_scene(2, &seed);
        cross(&s, 0, 1, &seed, vec3_reject(random_vec3(&seed, 0.3 * RADIUS), (CordVec3){0, 0, 1}));
        double deep = -gap_of(&s, 0, 1);
        CHECK(deep > 0.05);
        resolve(&s, i % 2 == 0 ? 0.0 : 0.4, 200);
        CHECK(s.left <= TOLERANCE);
        CHECK(gap_of(&s, 0, 1) >= -TOLERANCE && gap_of(&s, 0, 1) <= 1e-12); // and not pushed beyond
        CHECK_VEC3(momentum(&s), ((CordVec3){0, 0, 0}), 1e-15);             // kg m, of moves of centimetres
        CHECK_INT(s.zones.zone_count, 1);
        CHECK_INT(s.zones.collisions, 1);
        CHECK(s.zones.rounds == s.zones.deepest_rounds && s.zones.rounds > 1);
        CHECK_VEC3(s.constraints.moved.x[2], ((CordVec3){0, 0, 0}), 0.0); // no part of it
        close_scene(&s);
    }
}

// Eq. (10), once: each segment by its share of the masses at the point, and its nodes by their barycentric
// coordinates.
TEST(one_iteration_is_equation_10)
{
    uint64_t seed = 2;
    for (int i = 0; i < 100; i++) {
        Scene s = open_scene(2, &seed);
        cross(&s, 0, 1, &seed, (CordVec3){0, 0, 0});
        const CordVec3* x = s.colliders.to;
        const double* w = s.constraints.w;
        ClosestPoints c = closest_segment_segment(x[0], x[1], x[3], x[4]);
        CordVec3 n = vec3_mul(c.separation, 1.0 / c.distance);
        double depth = 2.0 * RADIUS - c.distance;
        double ma = (1.0 - c.s) / w[0] + c.s / w[1], mb = (1.0 - c.t) / w[3] + c.t / w[4];
        resolve(&s, 0.0, 1);
        CordVec3 a = vec3_mul(n, depth * mb / (ma + mb)), b = vec3_mul(n, -depth * ma / (ma + mb));
        const CordVec3* moved = s.constraints.moved.x;
        CHECK_VEC3(moved[0], vec3_mul(a, 1.0 - c.s), 1e-15);
        CHECK_VEC3(moved[1], vec3_mul(a, c.s), 1e-15);
        CHECK_VEC3(moved[3], vec3_mul(b, 1.0 - c.t), 1e-15);
        CHECK_VEC3(moved[4], vec3_mul(b, c.t), 1e-15);
        close_scene(&s);
    }
}

// In the first iteration by mu times the normal displacement, as far as there is any.
TEST(friction_takes_slip_away_and_never_turns_it_around)
{
    uint64_t seed = 3;
    int stopped = 0, slowed = 0;
    for (int i = 0; i < 200; i++) {
        Scene s = open_scene(2, &seed);
        double mu = i % 2 == 0 ? 0.1 : 0.5, size = RADIUS * (i % 4 < 2 ? 0.02 : 1.0);
        CordVec3 slip = vec3_mul(vec3_unit(vec3_reject(random_vec3(&seed, 1.0), (CordVec3){0, 0, 1})), size);
        cross(&s, 0, 1, &seed, slip);
        const CordVec3 *x = s.colliders.to, *moved;
        ClosestPoints c = closest_segment_segment(x[0], x[1], x[3], x[4]);
        CordVec3 n = vec3_mul(c.separation, 1.0 / c.distance),
                 across = vec3_reject(vec3_sub(x[3], s.colliders.begin[3]), n); // b over a
        double depth = 2.0 * RADIUS - c.distance, most = fmin(mu * depth, vec3_length(across));
        resolve(&s, mu, 1);
        moved = s.constraints.moved.x;
        CordVec3 all = vec3_sub(vec3_add(moved[3], moved[4]), vec3_add(moved[0], moved[1]));
        CHECK_VEC3(vec3_reject(all, n), vec3_mul(vec3_unit(across), -most), 1e-14);
        CHECK_VEC3(momentum(&s), ((CordVec3){0, 0, 0}), 1e-15);
        stopped += most < mu * depth, slowed += most == mu * depth;
        close_scene(&s);
    }
    CHECK(stopped > 30 && slowed > 30);
}

// All iterations of a zone of one collision, as the paper has them.
static void resolve_by_hand(CordVec3* x, const CordVec3* begin, const double* w, double mu)
{
    double deep = INFINITY;
    for (double fade = 1.0; deep > 0.5 * TOLERANCE * RADIUS; fade *= 0.5) {
        ClosestPoints c = closest_segment_segment(x[0], x[1], x[3], x[4]);
        const double share[6] = {1.0 - c.s, c.s, 0.0, 1.0 - c.t, c.t, 0.0};
        CordVec3 n = vec3_mul(c.separation, 1.0 / c.distance), way = {0, 0, 0};
        double ma = share[0] / w[0] + share[1] / w[1], mb = share[3] / w[3] + share[4] / w[4];
        deep = 2.0 * RADIUS - c.distance;
        for (int i = 0; i < 6; i++) {
            way = vec3_madd(way, vec3_sub(x[i], begin[i]), i < 3 ? share[i] : -share[i]);
        }
        CordVec3 slip = vec3_reject(way, n), by = vec3_mul(n, fmax(deep, 0.0));
        double far = vec3_length(slip);
        by = vec3_madd(by, slip, far > 0.0 ? -fmin(fade * mu * fmax(deep, 0.0), far) / far : 0.0);
        for (int i = 0; i < 6; i++) {
            x[i] = vec3_madd(x[i], by, share[i] * (i < 3 ? mb : -ma) / (ma + mb));
        }
    }
}

TEST(friction_fades_by_half_with_each_iteration)
{
    uint64_t seed = 8;
    for (int i = 0; i < 50; i++) {
        Scene s = open_scene(2, &seed);
        CordVec3 x[6];
        cross(&s, 0, 1, &seed, (CordVec3){0.3 * RADIUS, 0.2 * RADIUS, 0});
        memcpy(x, s.colliders.to, sizeof x);
        resolve_by_hand(x, s.colliders.begin, s.constraints.w, 0.5);
        resolve(&s, 0.5, 200);
        for (int n = 0; n < 6; n++) {
            CHECK_VEC3(s.colliders.to[n], x[n], 1e-14);
        }
        close_scene(&s);
    }
}

TEST(what_is_held_stays_where_it_is)
{
    uint64_t seed = 4;
    for (int i = 0; i < 50; i++) {
        Scene s = open_scene(2, &seed);
        cross(&s, 0, 1, &seed, (CordVec3){0, 0, 0});
        s.constraints.w[0] = s.constraints.w[1] = 0.0; // of the lower one
        resolve(&s, 0.3, 200);
        CHECK(s.left <= TOLERANCE && gap_of(&s, 0, 1) >= -TOLERANCE);
        CHECK_VEC3(s.constraints.moved.x[0], ((CordVec3){0, 0, 0}), 0.0);
        CHECK_VEC3(s.constraints.moved.x[1], ((CordVec3){0, 0, 0}), 0.0);
        close_scene(&s);
    }
    Scene s = open_scene(2, &seed);
    cross(&s, 0, 1, &seed, (CordVec3){0, 0, 0});
    s.constraints.w[0] = s.constraints.w[1] = s.constraints.w[3] = s.constraints.w[4] = 0.0;
    double deep = -gap_of(&s, 0, 1);
    resolve(&s, 0.3, 5);
    CHECK_NEAR(s.left, deep, 1e-12); // and it says so
    close_scene(&s);
}

// One more on top of rod b, at the end of the step: as rod a lies below it.
static void cross_again(Scene* s, int a, int b, int top)
{
    Colliders* cs = &s->colliders;
    double up = (gap_of(s, a, b) + 3.9) * RADIUS;
    for (int n = 0; n < 3; n++) {
        cs->begin[3 * top + n] =
            vec3_add(cs->begin[3 * a + n], (CordVec3){0, 0, 4.2 * RADIUS + (n == 2 ? LEN : 0.0)});
        cs->to[3 * top + n] = vec3_add(cs->to[3 * a + n], (CordVec3){0, 0, up + (n == 2 ? 3.0 * LEN : 0.0)});
    }
}

TEST(collisions_that_share_points_are_one_zone)
{
    uint64_t seed = 5;
    for (int more = 0; more < 2; more++) {
        Scene s = open_scene(4 + more, &seed);
        cross(&s, 0, 2, &seed, (CordVec3){0, 0, 0});
        cross(&s, 1, 3, &seed, (CordVec3){0, 0, 0}); // far away from these
        if (more) {
            cross_again(&s, 0, 2, 4);
        }
        resolve(&s, 0.0, 500);
        CHECK_INT(s.zones.zone_count, 2);
        CHECK_INT(s.zones.collisions, 2 + more);
        CHECK(s.left <= TOLERANCE);
        CHECK(gap_of(&s, 0, 2) >= -TOLERANCE && gap_of(&s, 1, 3) >= -TOLERANCE);
        CHECK(!more || gap_of(&s, 2, 4) >= -TOLERANCE);
        CHECK_VEC3(momentum(&s), ((CordVec3){0, 0, 0}), 1e-15);
        close_scene(&s);
    }
}

TEST(rods_are_put_on_top_of_solids)
{
    uint64_t seed = 6;
    for (int i = 0; i < 50; i++) {
        Scene s = open_scene(1, &seed);
        bool plane = i % 2 == 0;
        add_still_solid(s.world, &s.colliders, plane ? CORD_SOLID_PLANE : CORD_SOLID_SPHERE,
                        (CordVec3){0.05, 0, 0}, (CordVec3){0, 0, plane ? 0.0 : -0.05}, 0.0);
        const ColliderSolid* solid = &s.colliders.solids[0];
        for (int n = 0; n < 3; n++) {
            s.colliders.begin[n] = (CordVec3){LEN * (n - 0.4), 0, 1.1 * RADIUS};
            s.colliders.to[n] =
                vec3_add(s.colliders.begin[n], (CordVec3){0, 0, -RADIUS * random_in(&seed, 0.3, 1.0)});
        }
        resolve(&s, 0.0, 500);
        CHECK(s.left <= TOLERANCE && s.zones.collisions > 0);
        for (int k = 0; k < 2; k++) {
            CordVec3 p = pose_into(&solid->to, s.colliders.to[k]),
                     q = pose_into(&solid->to, s.colliders.to[k + 1]);
            CHECK(solid_segment(&solid->solid, p, q, 1.0).distance >= (1.0 - TOLERANCE) * RADIUS);
        }
        close_scene(&s);
    }
}

TEST(what_does_not_collide_is_left_alone)
{
    uint64_t seed = 7;
    Scene s = open_scene(2, &seed);
    cross(&s, 0, 1, &seed, (CordVec3){0, 0, 0});
    for (int n = 3; n < 6; n++) {
        s.colliders.to[n] = s.colliders.begin[n];
    }
    resolve(&s, 0.3, 200);
    CHECK_INT(s.zones.rounds, 0);
    CHECK_NEAR(s.left, 0.0, 0.0);
    for (int n = 0; n < 6; n++) {
        CHECK_VEC3(s.constraints.moved.x[n], ((CordVec3){0, 0, 0}), 0.0);
    }
    close_scene(&s);
}

TEST_GROUP(contact_impact_zones)
