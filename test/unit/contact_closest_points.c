// Least distances, against a search that knows no special case: along each parameter in turn the distance is
// convex, so golden sections find the least of it, in long double.
#include "check.h"
#include "contact/closest_segments_kernel.h"
#include "contact_random.h"

// ---- the search

typedef struct Long3 {
    long double x, y, z;
} Long3;

static Long3 long_sub(CordVec3 a, CordVec3 b)
{
    return (Long3){(long double)a.x - (long double)b.x, (long double)a.y - (long double)b.y,
                   (long double)a.z - (long double)b.z};
}

static Long3 long_madd(Long3 a, Long3 b, long double s)
{
    return (Long3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static long double long_dot(Long3 a, Long3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Least of |r - t e| for t from 0 to `most`.
static long double least_along(Long3 r, Long3 e, long double most)
{
    long double ee = long_dot(e, e), t = ee > 0.0L ? long_dot(r, e) / ee : 0.0L;
    t = t < 0.0L ? 0.0L : t > most ? most : t;
    Long3 apart = long_madd(r, e, -t);
    return sqrtl(long_dot(apart, apart));
}

typedef struct Search { // |r + s d - u e - v f|, by levels: s, then u, then v by formula
    Long3 r, d, e, f;
    bool triangle;
} Search;

static long double least_in(const Search* q, int level, Long3 r, long double most);

static long double least_at(const Search* q, int level, Long3 r, long double x)
{
    if (level == 0) {
        Long3 at = long_madd(r, q->d, x);
        return q->triangle ? least_in(q, 1, at, 1.0L) : least_along(at, q->e, 1.0L);
    }
    return least_along(long_madd(r, q->e, -x), q->f, 1.0L - x);
}

static long double least_in(const Search* q, int level, Long3 r, long double most)
{
    const long double golden = 0.61803398874989484820L;
    long double lo = 0.0L, hi = most, x0 = hi - golden * hi, x1 = golden * hi;
    long double f0 = least_at(q, level, r, x0), f1 = least_at(q, level, r, x1);
    long double best = fminl(least_at(q, level, r, lo), least_at(q, level, r, hi));
    for (int i = 0; i < 90; i++) {
        best = fminl(best, fminl(f0, f1));
        if (f0 < f1) {
            hi = x1, x1 = x0, f1 = f0, x0 = hi - golden * (hi - lo);
            f0 = least_at(q, level, r, x0);
        } else {
            lo = x0, x0 = x1, f0 = f1, x1 = lo + golden * (hi - lo);
            f1 = least_at(q, level, r, x1);
        }
    }
    return best;
}

static double searched_segments(const CordVec3 x[4])
{
    Search q = {.d = long_sub(x[1], x[0]), .e = long_sub(x[3], x[2])};
    return (double)least_in(&q, 0, long_sub(x[0], x[2]), 1.0L);
}

static double searched_point_triangle(const CordVec3 x[4])
{
    Search q = {.e = long_sub(x[2], x[1]), .f = long_sub(x[3], x[1]), .triangle = true};
    return (double)least_in(&q, 1, long_sub(x[0], x[1]), 1.0L);
}

static double searched_segment_triangle(const CordVec3 x[5])
{
    Search q = {
        .d = long_sub(x[1], x[0]), .e = long_sub(x[3], x[2]), .f = long_sub(x[4], x[2]), .triangle = true};
    return (double)least_in(&q, 0, long_sub(x[0], x[2]), 1.0L);
}

// ---- what it is tried on

static CordVec3 on_line(uint64_t* seed, CordVec3 a, CordVec3 b, double off)
{
    return vec3_add(between(a, b, random_in(seed, -2.0, 2.0)), random_vec3(seed, off));
}

static void nearly_degenerate(uint64_t* seed, CordVec3* x, int count)
{
    for (int i = 0; i < count; i++) {
        x[i] = random_vec3(seed, 1.0);
    }
    double off = random_int(seed, 2) ? 0.0 : random_power(seed, -17.0, -1.0);
    CordVec3 d = vec3_sub(x[1], x[0]),
             aside = vec3_mul(random_vec3(seed, 1.0), random_power(seed, -12.0, 0.0));
    switch (random_int(seed, 10)) {
    case 0: x[1] = vec3_add(x[0], random_vec3(seed, off)); break; // no length
    case 1: x[3] = x[2], x[1] = vec3_add(x[0], random_vec3(seed, off)); break;
    case 2:
        x[3] = vec3_add(vec3_madd(x[2], d, random_in(seed, -2.0, 2.0)), random_vec3(seed, off));
        break; // parallel
    case 3:    // one line
        for (int i = 2; i < count; i++) {
            x[i] = on_line(seed, x[0], x[1], off);
        }
        break;
    case 4: // one line beside another
        for (int i = 2; i < count; i++) {
            x[i] = vec3_add(on_line(seed, x[0], x[1], off), aside);
        }
        break;
    case 5: x[count - 1] = on_line(seed, x[count - 3], x[count - 2], off); break; // no area
    case 6: // aimed at a triangle without area
        x[count - 1] = on_line(seed, x[count - 3], x[count - 2], off);
        x[0] =
            between(between(x[2], x[3], random_in(seed, 0.0, 0.5)), x[count - 1], random_in(seed, 0.0, 0.5));
        x[1] = vec3_madd(x[0], aside, -1.0), x[0] = vec3_madd(x[0], aside, random_in(seed, 0.0, 1.0));
        break;
    case 7: // sizes that have nothing to do with each other
        x[0] = vec3_mul(x[0], random_power(seed, -9.0, 9.0)),
        x[1] = vec3_mul(x[1], random_power(seed, -9.0, 9.0));
        break;
    case 8: // points of a lattice: many ties
        for (int i = 0; i < count; i++) {
            x[i] = (CordVec3){floor(2.5 * x[i].x), floor(2.5 * x[i].y), floor(2.5 * x[i].z)};
        }
        break;
    default: // far from the origin
        for (int i = 0; i < count; i++) {
            x[i] = vec3_add(x[i], (CordVec3){1e5, -7e4, 3e4});
        }
        break;
    }
}

static double extent(const CordVec3* x, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            most = fmax(most, vec3_length(vec3_sub(x[i], x[j])));
        }
    }
    return most;
}

#define ROUNDINGS 2e-15 // of the extent: a dozen roundings, whatever is degenerate

// ---- segments

// What comes out holds together: the parameters are on the segments, and the points there are `apart`, which
// is as long as it says.
static void check_pair(const ClosestPoints* c, CordVec3 first, CordVec3 second, double size)
{
    CHECK(c->s >= 0.0 && c->s <= 1.0 && c->t >= 0.0 && c->t <= 1.0);
    CHECK(c->u >= 0.0 && c->v >= 0.0 && c->u + c->v <= 1.0 + 1e-15);
    CHECK_NEAR(vec3_length(c->separation), c->distance, ROUNDINGS * size);
    double off = vec3_length(vec3_sub(vec3_sub(first, second), c->separation));
    // the points themselves are rounded where they are
    double far = fmax(vec3_length(first), vec3_length(second));
    CHECK_NEAR(off, 0.0, ROUNDINGS * (size + far));
}

TEST(segments_are_as_near_as_a_search_finds)
{
    uint64_t seed = 1;
    for (int n = 0; n < 20000; n++) {
        CordVec3 x[4];
        nearly_degenerate(&seed, x, 4);
        ClosestPoints c = closest_segment_segment(x[0], x[1], x[2], x[3]);
        double size = extent(x, 4);
        CHECK_NEAR(c.distance, searched_segments(x), ROUNDINGS * size);
        check_pair(&c, between(x[0], x[1], c.s), between(x[2], x[3], c.t), size);
    }
}

// Crossing at a height, at angles from a right one to 1e-12: the distance is the height.
TEST(nearly_parallel_segments_lose_nothing)
{
    for (double angle = 1.0; angle > 0.9e-12; angle *= 0.1) {
        for (double height = 1.0; height > 0.9e-15; height *= 0.1) {
            CordVec3 a0 = {-1, -0.6 * angle, 0}, a1 = {1, 0.6 * angle, 0};
            CordVec3 b0 = {-1, 0.4 * angle, height}, b1 = {1, -0.4 * angle, height};
            CHECK_NEAR(closest_segment_segment(a0, a1, b0, b1).distance, height, ROUNDINGS);
            CHECK_NEAR(closest_segment_segment(a1, a0, b0, b1).distance, height, ROUNDINGS);
        }
    }
}

TEST(parallel_segments_meet_in_the_middle_of_their_overlap)
{
    CordVec3 a0 = {0, 0, 0}, a1 = {4, 0, 0}, b0 = {1, 2, 0}, b1 = {6, 2, 0};
    ClosestPoints c = closest_segment_segment(a0, a1, b0, b1), back = closest_segment_segment(a0, a1, b1, b0);
    CHECK_NEAR(c.distance, 2.0, 0.0);
    CHECK_NEAR(c.s, 2.5 / 4, 3e-16); // two roundings
    CHECK_NEAR(c.t, 1.5 / 5, 3e-16);
    CHECK_NEAR(back.s, 2.5 / 4, 3e-16);
    CHECK_NEAR(back.t, 3.5 / 5, 3e-16);
    CHECK_VEC3(c.separation, ((CordVec3){0, -2, 0}), 0.0);
    ClosestPoints beyond = closest_segment_segment(a0, a1, (CordVec3){7, 4, 0}, (CordVec3){9, 4, 0});
    CHECK_NEAR(beyond.distance, 5.0, 1e-15);
    CHECK_NEAR(beyond.s, 1.0, 0.0);
    CHECK_NEAR(beyond.t, 0.0, 0.0);
    ClosestPoints one_line = closest_segment_segment(a0, a1, (CordVec3){3, 0, 0}, (CordVec3){9, 0, 0});
    CHECK_NEAR(one_line.distance, 0.0, 0.0);
    CHECK_NEAR(one_line.s, 3.5 / 4, 3e-16);
}

TEST(segments_without_length_are_points)
{
    CordVec3 p = {1, 2, 3}, a = {0, 0, 3}, b = {2, 0, 3};
    ClosestPoints c = closest_segment_segment(p, p, a, b), swapped = closest_segment_segment(a, b, p, p);
    CHECK_NEAR(c.distance, 2.0, 0.0);
    CHECK_NEAR(c.t, 0.5, 0.0);
    CHECK_NEAR(swapped.distance, 2.0, 0.0);
    CHECK_NEAR(swapped.s, 0.5, 0.0);
    CHECK_NEAR(closest_segment_segment(p, p, a, a).distance, sqrt(5.0), 1e-15);
    CHECK_NEAR(closest_segment_segment(p, p, p, p).distance, 0.0, 0.0);
    CHECK_NEAR(closest_point_segment(p, a, a).distance, sqrt(5.0), 1e-15);
    CordVec3 almost = {1e-200, 2.0, 3.0}, tiny = {0.0, 2.0, 3.0}; // its squares underflow
    CHECK_NEAR(closest_segment_segment(almost, tiny, a, b).distance, 2.0, 1e-15);
}

TEST(points_are_as_near_to_segments_as_a_search_finds)
{
    uint64_t seed = 2;
    for (int n = 0; n < 20000; n++) {
        CordVec3 x[4];
        nearly_degenerate(&seed, x, 4);
        x[1] = x[0];
        ClosestPoints c = closest_point_segment(x[0], x[2], x[3]);
        double size = extent(x, 4);
        CHECK_NEAR(c.distance, searched_segments(x), ROUNDINGS * size);
        CHECK_NEAR(c.t, closest_on_segment(x[0], x[2], x[3]), 0.0);
        check_pair(&c, x[0], between(x[2], x[3], c.t), size);
    }
}

// ---- four pairs at a time

static void check_four(const ClosestSegmentsKernels* kernels, const CordVec3 x[16], int node[4][4])
{
    ClosestPoints four[4];
    kernels->four(x, node, four);
    for (int k = 0; k < 4; k++) {
        const CordVec3* y = x + 4 * k;
        ClosestPoints one = closest_segment_segment(y[0], y[1], y[2], y[3]);
        CHECK(memcmp(&four[k], &one, sizeof one) == 0);
    }
}

TEST(four_pairs_of_segments_have_the_bits_of_one)
{
    uint64_t seed = 6;
    int node[4][4];
    for (int k = 0; k < 16; k++) {
        node[k % 4][k / 4] = k;
    }
    for (int n = 0; n < 20000; n++) {
        CordVec3 x[16];
        for (int k = 0; k < 16; k += 4) {
            nearly_degenerate(&seed, x + k, 4);
        }
        x[5] = n % 3 == 0 ? x[4] : x[5]; // a segment without length
        x[7] = n % 5 == 0 ? x[6] : x[7];
        check_four(&closest_segments_kernels_plain, x, node);
        check_four(KERNEL_CHOOSE(closest_segments_kernels), x, node);
    }
}

// ---- triangles

static CordVec3 on_triangle(const CordVec3* x, const ClosestPoints* c)
{
    return vec3_madd(vec3_madd(x[0], vec3_sub(x[1], x[0]), c->u), vec3_sub(x[2], x[0]), c->v);
}

TEST(points_are_as_near_to_triangles_as_a_search_finds)
{
    uint64_t seed = 3;
    for (int n = 0; n < 20000; n++) {
        CordVec3 x[4];
        nearly_degenerate(&seed, x, 4);
        ClosestPoints c = closest_point_triangle(x[0], x[1], x[2], x[3]);
        double size = extent(x, 4);
        CHECK_NEAR(c.distance, searched_point_triangle(x), ROUNDINGS * size);
        check_pair(&c, x[0], on_triangle(x + 1, &c), size);
    }
}

TEST(segments_are_as_near_to_triangles_as_a_search_finds)
{
    uint64_t seed = 4;
    for (int n = 0; n < 2000; n++) {
        CordVec3 x[5];
        nearly_degenerate(&seed, x, 5);
        ClosestPoints c = closest_segment_triangle(x[0], x[1], x[2], x[3], x[4]);
        double size = extent(x, 5);
        CHECK_NEAR(c.distance, searched_segment_triangle(x), ROUNDINGS * size);
        check_pair(&c, between(x[0], x[1], c.s), on_triangle(x + 2, &c), size);
    }
}

TEST(a_segment_that_pierces_a_triangle_is_at_no_distance)
{
    uint64_t seed = 5;
    for (int n = 0; n < 20000; n++) {
        CordVec3 x[3], d = random_vec3(&seed, 1.0);
        for (int i = 0; i < 3; i++) {
            x[i] = random_vec3(&seed, 1.0);
        }
        double u = random_in(&seed, 0.01, 0.49), v = random_in(&seed, 0.01, 0.49),
               s = random_in(&seed, 0.01, 0.99);
        double slope = fabs(vec3_dot(d, vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]))));
        CordVec3 at = vec3_madd(vec3_madd(x[0], vec3_sub(x[1], x[0]), u), vec3_sub(x[2], x[0]), v);
        CordVec3 p = vec3_madd(at, d, -s), q = vec3_madd(at, d, 1.0 - s);
        if (slope < 1e-3) {
            continue; // all but in its plane: where it pierces is not known to many digits
        }
        ClosestPoints c = closest_segment_triangle(p, q, x[0], x[1], x[2]);
        CHECK_NEAR(c.distance, 0.0, 0.0);
        CHECK_VEC3(c.separation, ((CordVec3){0, 0, 0}), 0.0);
        CHECK_NEAR(c.s, s, 1e-12); // a few roundings over the slope
        CHECK_NEAR(c.u, u, 1e-12);
        CHECK_NEAR(c.v, v, 1e-12);
    }
}

TEST(a_segment_in_the_plane_of_a_triangle_is_at_no_distance_if_it_meets_it)
{
    CordVec3 a = {0, 0, 0}, b = {3, 0, 0}, c = {0, 3, 0};
    CHECK_NEAR(closest_segment_triangle((CordVec3){1, 1, 0}, (CordVec3){0.5, 0.5, 0}, a, b, c).distance, 0.0,
               0.0);
    CHECK_NEAR(closest_segment_triangle((CordVec3){-1, 1, 0}, (CordVec3){9, 1, 0}, a, b, c).distance, 0.0,
               1e-16);
    CHECK_NEAR(closest_segment_triangle((CordVec3){-1, -1, 0}, (CordVec3){9, -1, 0}, a, b, c).distance, 1.0,
               0.0);
    CHECK_NEAR(closest_segment_triangle((CordVec3){1, 1, 2}, (CordVec3){1, 1, 5}, a, b, c).distance, 2.0,
               0.0);
}

TEST_GROUP(contact_closest_points)
