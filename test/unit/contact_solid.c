// Every kind of solid: a row below says by its definition what is inside, and each claim is made of every
// row.
#include "body/inertia.h"
#include "check.h"
#include "contact/solid.h"
#include "contact_random.h"
#include "math/elementary.h"

#include <stdlib.h>

// ---- what is inside

static double rho_of(CordVec3 p)
{
    return sqrt(p.x * p.x + p.y * p.y);
}

static bool in_plane(CordVec3 s, CordVec3 p)
{
    (void)s;
    return p.z < 0.0;
}

static bool in_sphere(CordVec3 s, CordVec3 p)
{
    return vec3_length(p) < s.x;
}

static bool in_box(CordVec3 s, CordVec3 p)
{
    return fabs(p.x) < 0.5 * s.x && fabs(p.y) < 0.5 * s.y && fabs(p.z) < 0.5 * s.z;
}

static bool in_cylinder(CordVec3 s, CordVec3 p)
{
    return rho_of(p) < s.x && fabs(p.z) < 0.5 * s.z;
}

static bool in_capsule(CordVec3 s, CordVec3 p)
{
    double over = fmax(fabs(p.z) - 0.5 * s.z, 0.0);
    return p.x * p.x + p.y * p.y + over * over < s.x * s.x;
}

static bool in_torus(CordVec3 s, CordVec3 p)
{
    double off = rho_of(p) - s.x;
    return off * off + p.z * p.z < s.y * s.y;
}

static bool in_tube(CordVec3 s, CordVec3 p)
{
    return in_cylinder(s, p) && rho_of(p) > s.y;
}

static bool in_cone(CordVec3 s, CordVec3 p)
{
    double up = p.z + 0.25 * s.z; // above the base
    return up > 0.0 && rho_of(p) < s.x * (1.0 - up / s.z);
}

typedef struct Row {
    CordSolid solid;
    bool (*holds)(CordVec3 size, CordVec3 p);
    bool is_convex;
} Row;

static const Row rows[] = {
    {{CORD_SOLID_PLANE, {0, 0, 0}, {0}}, in_plane, true},
    {{CORD_SOLID_SPHERE, {0.7, 0, 0}, {0}}, in_sphere, true},
    {{CORD_SOLID_BOX, {0.8, 1.4, 0.5}, {0}}, in_box, true},
    {{CORD_SOLID_BOX, {1.0, 1.0, 1.0}, {0}}, in_box, true},
    {{CORD_SOLID_CYLINDER, {0.6, 0, 1.1}, {0}}, in_cylinder, true},
    {{CORD_SOLID_CYLINDER, {0.9, 0, 0.1}, {0}}, in_cylinder, true},
    {{CORD_SOLID_CAPSULE, {0.4, 0, 0.9}, {0}}, in_capsule, true},
    {{CORD_SOLID_CAPSULE, {0.4, 0, 0}, {0}}, in_capsule, true},
    {{CORD_SOLID_TORUS, {0.7, 0.2, 0}, {0}}, in_torus, false},
    {{CORD_SOLID_TORUS, {0.5, 0.45, 0}, {0}}, in_torus, false},
    {{CORD_SOLID_TUBE, {0.8, 0.5, 1.0}, {0}}, in_tube, false},
    {{CORD_SOLID_TUBE, {0.9, 0.2, 0.1}, {0}}, in_tube, false},
    {{CORD_SOLID_TUBE, {0.51, 0.5, 1.6}, {0}}, in_tube, false},
    {{CORD_SOLID_TUBE, {0.8, 0.0, 1.0}, {0}}, in_tube, true},
    {{CORD_SOLID_CONE, {0.6, 0, 1.1}, {0}}, in_cone, true},
    {{CORD_SOLID_CONE, {0.9, 0, 0.2}, {0}}, in_cone, true},
};
#define ROW_COUNT ((int)(sizeof rows / sizeof rows[0]))

static bool holds_point(const Row* row, CordVec3 p)
{
    return row->holds(row->solid.size, p);
}

static CordVec3 random_unit(uint64_t* seed)
{
    return vec3_unit(random_vec3(seed, 1.0));
}

static CordVec3 turned(double angle, double rho, double z)
{
    return (CordVec3){rho * cord_cos(angle), rho * cord_sin(angle), z};
}

// ---- kinds

TEST(every_kind_has_a_row_and_says_what_it_is)
{
    int met[CORD_SOLID_COUNT] = {0};
    for (int k = 0; k < ROW_COUNT; k++) {
        met[rows[k].solid.shape]++;
    }
    for (int shape = 0; shape < CORD_SOLID_COUNT; shape++) {
        const CordSolidKind* kind = cord_solid_kind(shape);
        CordSolidShape found;
        CHECK(met[shape] > 0 || kind->is_mesh);
        CHECK(strlen(kind->name) > 2 && strlen(kind->plural) > 2 && strlen(kind->about) > 5);
        CHECK(cord_solid_named(kind->name, &found) && (int)found == shape);
        CHECK(kind->can_be_body == (solid_kinds[shape]->inertia != NULL));
        CHECK(kind->is_endless == (!solid_kinds[shape]->radius && !kind->is_mesh));
        CHECK((kind->size_count > 0) == !(kind->is_endless || kind->is_mesh));
        for (int i = 0; i < kind->size_count; i++) { // what the reader of scenes takes for granted
            const CordField* size = &kind->sizes[i];
            CHECK(size->low == 0.0 && size->low_open && size->high == 1e9 && size->needed);
            CHECK(strcmp(size->unit, "m") == 0 && size->offset < sizeof(CordVec3));
        }
    }
    CHECK(!cord_solid_kind(-1) && !cord_solid_kind(CORD_SOLID_COUNT));
    CHECK(!cord_solid_named("egg", &(CordSolidShape){0}));
}

TEST(sizes_that_cannot_be_are_refused)
{
    for (int k = 0; k < ROW_COUNT; k++) {
        const CordSolidKind* kind = cord_solid_kind((int)rows[k].solid.shape);
        char text[200];
        for (int i = 0; i < kind->size_count; i++) {
            const double wrong[] = {0.0, -1.0, NAN, INFINITY};
            for (int w = 0; w < 4; w++) {
                CordSolid bad = rows[k].solid;
                memcpy((char*)&bad.size + kind->sizes[i].offset, &wrong[w], sizeof wrong[w]);
                CHECK_RESULT(cord_solid_check(&bad, text, sizeof text), CORD_BAD_ARGUMENT);
                CHECK_CONTAINS(text, kind->name);
            }
        }
    }
}

// ---- points

// something beside it is inside, or is not
static bool is_at_surface(const Row* row, CordVec3 p, bool in, uint64_t* seed)
{
    bool found = false;
    for (int i = 0; i < 1000 && !found; i++) { // a thin wedge holds one in thirty directions
        found = holds_point(row, vec3_madd(p, random_unit(seed), 1e-9)) == in;
    }
    return found;
}

// By brute force: no point of the ball of that radius is on the other side of the surface, and one beside its
// rim is.
TEST(distances_are_those_to_the_nearest_point_of_the_surface)
{
    uint64_t seed = 1;
    for (int k = 0; k < ROW_COUNT; k++) {
        int inside = 0;
        for (int n = 0; n < 400; n++) {
            CordVec3 p = random_vec3(&seed, n % 2 ? 0.7 : 1.5), normal;
            double distance = cord_solid_distance(&rows[k].solid, p, &normal), near = fabs(distance) - 1e-9;
            bool in = holds_point(&rows[k], p);
            CHECK(in == (distance < 0.0));
            CHECK(is_at_surface(&rows[k], vec3_madd(p, normal, -distance), !in, &seed));
            for (int i = 0; i < 300; i++) {
                double r = i % 3 ? near : near * random_in(&seed, 0.0, 1.0);
                CHECK(holds_point(&rows[k], vec3_madd(p, random_unit(&seed), r)) == in);
            }
            inside += in;
        }
        CHECK(inside > 0 && inside < 400);
    }
}

TEST(distances_change_by_no_more_than_a_point_moves)
{
    uint64_t seed = 2;
    for (int k = 0; k < ROW_COUNT; k++) {
        for (int n = 0; n < 20000; n++) {
            CordVec3 p = random_vec3(&seed, 1.2),
                     q = vec3_add(p, random_vec3(&seed, random_power(&seed, -6.0, 0.3)));
            double change = solid_point(&rows[k].solid, q).distance - solid_point(&rows[k].solid, p).distance;
            // a few roundings of numbers of order 1
            CHECK(fabs(change) <= vec3_length(vec3_sub(q, p)) + 1e-15);
        }
    }
}

// On one side of a surface that is equally near to two of its parts, and the other: not smooth there.
static bool is_smooth(const CordSolid* s, CordVec3 p, double within)
{
    CordVec3 n = solid_point(s, p).normal;
    uint64_t seed = 7;
    for (int i = 0; i < 12; i++) {
        CordVec3 q = vec3_add(p, random_vec3(&seed, within));
        if (vec3_dot(solid_point(s, q).normal, n) < 0.99) {
            return false;
        }
    }
    return true;
}

TEST(normals_are_the_gradient)
{
    uint64_t seed = 3;
    for (int k = 0; k < ROW_COUNT; k++) {
        const CordSolid* s = &rows[k].solid;
        int smooth = 0;
        for (int n = 0; n < 3000; n++) {
            CordVec3 p = random_vec3(&seed, 1.2);
            SolidPoint at = solid_point(s, p);
            CHECK_NEAR(vec3_length(at.normal), 1.0, 4e-16);
            if (!is_smooth(s, p, 1e-3)) {
                continue;
            }
            smooth++;
            const CordVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            for (int i = 0; i < 3; i++) { // radii of curvature are above 0.01 there: error (1e-6 / 0.01)^2
                double h = 1e-6, there = solid_point(s, vec3_madd(p, axes[i], h)).distance;
                double slope = (there - solid_point(s, vec3_madd(p, axes[i], -h)).distance) / (2.0 * h);
                CHECK_NEAR(slope, vec3_dot(at.normal, axes[i]), 1e-7);
            }
        }
        CHECK(smooth > 2000);
    }
}

TEST(normals_are_unit_where_there_is_more_than_one)
{
    const CordVec3 places[] = {{0, 0, 0},        {0, 0, 0.3}, {0, 0, -2},      {0.7, 0, 0},   {0, 0.5, 0},
                               {0.4, 0.7, 0.25}, {0.5, 0, 5}, {0.25, 0.25, 0}, {0, 0, 1e-200}};
    for (int k = 0; k < ROW_COUNT; k++) {
        for (int i = 0; i < (int)(sizeof places / sizeof places[0]); i++) {
            CHECK_NEAR(vec3_length(solid_point(&rows[k].solid, places[i]).normal), 1.0, 4e-16);
        }
    }
}

TEST(balls_and_supports_hold_a_solid_tightly)
{
    uint64_t seed = 4;
    for (int k = 0; k < ROW_COUNT; k++) {
        const CordSolid* s = &rows[k].solid;
        bool endless = cord_solid_kind((int)s->shape)->is_endless;
        double radius = solid_radius(s), far = 0.0, support[20], reach[20];
        CordVec3 n[20];
        CHECK(isinf(radius) == endless);
        for (int i = 0; i < 20; i++) {
            n[i] = random_unit(&seed);
            reach[i] = -INFINITY, support[i] = cord_solid_support(s, n[i]);
            CHECK(isinf(support[i]) == endless);
        }
        for (int m = 0; m < 100000 && !endless; m++) {
            CordVec3 p = random_vec3(&seed, 1.2);
            if (holds_point(&rows[k], p)) {
                far = fmax(far, vec3_length(p));
                for (int i = 0; i < 20; i++) {
                    reach[i] = fmax(reach[i], vec3_dot(n[i], p));
                }
            }
        }
        CHECK(endless || (far <= radius && far >= 0.9 * radius));
        for (int i = 0; i < 20 && !endless; i++) {
            CHECK(reach[i] <= support[i] && reach[i] >= support[i] - 0.1);
        }
    }
}

// Cut into small blocks: the error of a cut is that of its surface, a percent.
TEST(inertia_is_that_of_its_pieces)
{
    const CordVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < ROW_COUNT; k++) {
        const CordSolid* s = &rows[k].solid;
        double pieces[6] = {0}, whole[6], volume = 0.0, low[3], d[3],
               exact = cord_solid_inertia(s, 1.0, NULL);
        CordVec3 center = {0, 0, 0};
        CHECK((exact > 0.0) == cord_solid_kind((int)s->shape)->can_be_body);
        if (!(exact > 0.0)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            low[i] = -cord_solid_support(s, vec3_mul(axes[i], -1.0));
            d[i] = (cord_solid_support(s, axes[i]) - low[i]) / 100.0;
        }
        for (int i = 0; i < 1000000; i++) {
            CordVec3 x = {low[0] + (i % 100 + 0.5) * d[0], low[1] + (i / 100 % 100 + 0.5) * d[1],
                          low[2] + (i / 10000 + 0.5) * d[2]};
            if (holds_point(&rows[k], x)) {
                double piece = d[0] * d[1] * d[2];
                volume += piece;
                center = vec3_madd(center, x, piece);
                tensor_add_point(pieces, piece, x);
            }
        }
        CHECK_NEAR(exact / volume, 1.0, 0.01);
        CHECK(vec3_length(center) < 1e-3 * volume);
        cord_solid_inertia(s, exact, whole);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(pieces[i] / whole[i], 1.0, 0.02);
            CHECK_NEAR(whole[3 + i], 0.0, 0.0);
        }
    }
}

// ---- surfaces and rays

typedef struct Made { // of a tessellation
    const CordSolid* solid;
    CordVec3 x[40000], normal[40000];
    int vertices, faces;
    double volume; // that it encloses, six times
} Made;

static void made_vertex(void* user, CordVec3 x, CordVec3 normal, int point)
{
    Made* made = user;
    CordVec3 outside;
    CHECK(point >= 0 && made->vertices < 40000);
    CHECK_NEAR(cord_solid_distance(made->solid, x, &outside), 0.0, 1e-14);
    CHECK_NEAR(vec3_length(normal), 1.0, 1e-15);
    CHECK(cord_solid_distance(made->solid, vec3_madd(x, normal, 1e-6), NULL) > 0.0); // it points outwards
    made->x[made->vertices] = x, made->normal[made->vertices++] = normal;
}

static void made_face(void* user, int count, const int* v)
{
    Made* made = user;
    for (int c = 0; c + 2 < count; c++) {
        CordVec3 a = made->x[v[0]], b = made->x[v[c + 1]], d = made->x[v[c + 2]];
        CordVec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(d, a));
        for (int i = 0; i < count; i++) {
            // counter-clockwise seen from outside
            CHECK(vec3_dot(n, made->normal[v[i]]) > 0.9 * vec3_length(n));
        }
        made->volume += vec3_dot(a, vec3_cross(b, d));
    }
    CHECK(count == 3 || count == 4);
    made->faces++;
}

TEST(tessellations_lie_on_the_surface_and_face_outwards)
{
    Made* made = malloc(sizeof *made);
    for (int k = 0; k < ROW_COUNT; k++) {
        CordSolid s = rows[k].solid;
        if ((s.shape == CORD_SOLID_TUBE && s.size.y == 0.0) ||
            (s.shape == CORD_SOLID_CAPSULE && s.size.z == 0.0)) {
            continue; // not as the checks want them
        }
        bool endless = cord_solid_kind((int)s.shape)->is_endless;
        s.size.x = endless ? 3.0 : s.size.x; // of the square that is shown
        *made = (Made){.solid = &s};
        cord_solid_tessellate(&s, 96, &(CordMeshSink){made_vertex, made_face, made});
        double volume = cord_solid_inertia(&s, 1.0, NULL);
        CHECK(made->faces > 0);
        CHECK(endless || made->volume > 0.0);
        CHECK(volume == 0.0 ||
              (made->volume / 6.0 < (1.0 + 1e-12) * volume && made->volume / 6.0 > 0.99 * volume));
    }
    free(made);
}

// Where a ray first changes sides, by small steps; NAN: it does not.
static double stepped(const Row* row, CordVec3 from, CordVec3 d, double most)
{
    bool in = holds_point(row, from);
    for (int i = 1; i <= 4000; i++) {
        if (holds_point(row, vec3_madd(from, d, most * i / 4000.0)) != in) {
            return most * i / 4000.0;
        }
    }
    return NAN;
}

TEST(rays_meet_the_surface_where_they_first_cross_it)
{
    uint64_t seed = 11;
    for (int k = 0; k < ROW_COUNT; k++) {
        const CordSolid* s = &rows[k].solid;
        int met = 0, missed = 0, other = 0;
        for (int n = 0; n < 1000; n++) {
            CordVec3 from = random_vec3(&seed, n % 4 ? 2.0 : 0.4),
                     d = vec3_sub(random_vec3(&seed, 0.9), from);
            if (n % 10 == 0) { // along an axis
                d = (CordVec3){n % 30 == 0, n % 30 == 10, n % 30 == 20};
            }
            if (cord_solid_kind((int)s->shape)->is_endless && from.z < 0.0) {
                continue; // it is met from the front alone
            }
            double t, expected = stepped(&rows[k], from, d, 4.0);
            if (!cord_solid_ray(s, from, d, &t)) {
                other += !isnan(expected);
                missed++;
                continue;
            }
            CHECK(t > 0.0);
            // as near as marching goes
            CHECK_NEAR(cord_solid_distance(s, vec3_madd(from, d, t), NULL), 0.0, 2e-5);
            other += !(fabs(t - expected) < 2e-3) && t < 4.0; // it only grazes
            met++;
        }
        CHECK(met > 100 && (missed > 100 || s->shape == CORD_SOLID_PLANE) && other < 15);
    }
    double t;
    CordSolid tube = {CORD_SOLID_TUBE, {0.4, 0.3, 0.9}, {0}};
    CHECK(!cord_solid_ray(&tube, (CordVec3){0, 0, -3}, (CordVec3){0, 0, 1}, &t)); // through the hole
    CHECK(cord_solid_ray(&tube, (CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, &t));
    CHECK_NEAR(t, 0.3, 1e-15);
    CHECK(!cord_solid_ray(&tube, (CordVec3){5, 5, 5}, (CordVec3){1, 1, 1}, &t)); // it lies behind
}

TEST(a_mesh_has_the_distance_of_its_nearest_triangle)
{
    const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    CordSolid hull = {CORD_SOLID_MESH, {0, 0, 0}, {corners, 4, triangles, 4}};
    CordVec3 n;
    CHECK_NEAR(cord_solid_distance(&hull, (CordVec3){0.2, 0.2, -0.5}, &n), 0.5, 1e-15);
    CHECK_VEC3(n, ((CordVec3){0, 0, -1}), 1e-15);
    CHECK_NEAR(cord_solid_distance(&hull, (CordVec3){0.1, 0.2, 0.2}, &n), 0.1, 1e-15);
    CHECK_NEAR(cord_solid_support(&hull, vec3_unit((CordVec3){1, 1, 0})), sqrt(0.5), 1e-15);
}

// ---- segments

static double sampled_segment(const CordSolid* s, CordVec3 a, CordVec3 b, int count)
{
    double least = INFINITY;
    for (int i = 0; i <= count; i++) {
        least = fmin(least, solid_point(s, between(a, b, (double)i / count)).distance);
    }
    return least;
}

static void check_segment(const CordSolid* s, CordVec3 a, CordVec3 b)
{
    SolidPoint at = solid_segment(s, a, b, INFINITY);
    double size = fmax(vec3_length(a), vec3_length(b)) + 2.0, length = vec3_length(vec3_sub(b, a));
    CHECK(at.s >= 0.0 && at.s <= 1.0);
    CHECK_NEAR(vec3_length(at.normal), 1.0, 4e-16);
    CHECK_NEAR(at.distance, solid_point(s, between(a, b, at.s)).distance, 1e-15 * size);
    // One step on either side at a finer scale each time: the least that is next to it.
    double sampled = sampled_segment(s, a, b, 500);
    CHECK(at.distance <= sampled + 1e-12 * size);
    // no place is further than that from a sample
    CHECK(at.distance >= sampled - length / 1000.0 - 1e-15 * size);
    for (double h = 1e-2; h > 1e-12; h *= 0.1) {
        CordVec3 before = between(a, b, fmax(at.s - h, 0.0)), after = between(a, b, fmin(at.s + h, 1.0));
        CHECK(at.distance <= solid_point(s, before).distance + 1e-12 * size);
        CHECK(at.distance <= solid_point(s, after).distance + 1e-12 * size);
    }
}

// A tenth of all are of a kind that formulas fail on.
static void random_segment(uint64_t* seed, const CordSolid* s, CordVec3* a, CordVec3* b)
{
    *a = random_vec3(seed, 1.3);
    *b = random_int(seed, 2) ? random_vec3(seed, 1.3)
                             : vec3_add(*a, random_vec3(seed, random_power(seed, -6.0, 0.0)));
    double inner = s->size.y, angle = random_in(seed, 0.0, 6.3);
    switch (random_int(seed, 30)) {
    case 0: *b = *a; break;
    case 1: b->x = a->x, b->y = a->y; break;                                 // along the axis
    case 2: *a = (CordVec3){0, 0, a->z}, *b = (CordVec3){0, 0, b->z}; break; // on it
    case 3: b->z = a->z; break;                                              // across it
    case 4: *b = vec3_mul(*a, -random_in(seed, 0.0, 1.0)); break;            // through the middle
    case 5: b->x = -a->x, b->y = -a->y; break;                               // through the axis
    case 6: a->z = b->z = 0.5 * s->size.z; break;                            // along a face
    case 7: a->z = b->z = 0.0, b->x = -a->x, b->y = -a->y; break;
    case 8: *a = turned(angle, inner, a->z), *b = turned(angle, inner, b->z); break; // along the bore's wall
    case 9:
        *a = turned(angle, inner, a->z), *b = turned(angle + random_in(seed, 0.0, 3.2), inner, b->z);
        break;
    default: break;
    }
}

TEST(segments_have_the_least_distance_of_their_points)
{
    uint64_t seed = 5;
    for (int k = 0; k < ROW_COUNT; k++) {
        for (int n = 0; n < 4000; n++) {
            CordVec3 a, b;
            random_segment(&seed, &rows[k].solid, &a, &b);
            check_segment(&rows[k].solid, a, b);
        }
    }
}

// Chords through a ring's hole: two dips, of which either may be the lower.
TEST(the_lower_of_two_dips_is_found)
{
    CordSolid ring = {CORD_SOLID_TORUS, {0.7, 0.2, 0}, {0}};
    for (int n = -20; n <= 20; n++) {
        double mollifier = 1e-3 * n;
        SolidPoint p = solid_segment(&ring, (CordVec3){-1, 0.1, 0.3 - mollifier},
                                     (CordVec3){1, 0.1, 0.3 + mollifier}, INFINITY);
        CHECK(n == 0 || (n > 0 ? p.s < 0.5 : p.s > 0.5));
        CHECK(p.distance < 0.1 + 1e-9);
        check_segment(&ring, (CordVec3){-1, 0.1, 0.3 - mollifier}, (CordVec3){1, 0.1, 0.3 + mollifier});
    }
}

// Of millions, some of the few in which a dip lies between two others, or next to one, in each part of a
// tube.
TEST(no_dip_beside_a_tube_is_missed)
{
    static const struct {
        CordVec3 size, a, b;
    } cases[] = {
        {{0.7843, 0.6253, 1.007}, {0.06161, 0.1993, 1.017}, {0.7476, -0.6684, 1.203}}, // its rim
        {{0.7169, 0.4183, 2.506}, {0.4193, 0.4819, 1.808}, {0.0743, -0.08183, 1.619}},
        // within its wall, near the bore
        {{0.3142, 0.1902, 9.995}, {0.07982, 0.2182, 1.797}, {0.2039, 0.1456, -5.109}},
        // and on both sides of the middle
        {{0.7047, 0.6558, 8.878}, {-0.01435, 0.687, 0.174}, {0.1487, 0.6604, -5.093}},
        // out of the bore, past the rim
        {{0.8995, 0.7527, 8.293}, {-0.06834, 0.3139, 7.011}, {-0.2146, 0.1705, 1.558}},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        CordSolid tube = {CORD_SOLID_TUBE, cases[i].size, {0}};
        check_segment(&tube, cases[i].a, cases[i].b);
        check_segment(&tube, cases[i].b, cases[i].a);
    }
}

TEST(segments_that_are_far_are_said_to_be_far)
{
    uint64_t seed = 6;
    for (int k = 0; k < ROW_COUNT; k++) {
        for (int n = 0; n < 2000; n++) {
            CordVec3 a, b;
            random_segment(&seed, &rows[k].solid, &a, &b);
            double far = random_in(&seed, -0.2, 1.0),
                   exact = solid_segment(&rows[k].solid, a, b, INFINITY).distance;
            SolidPoint p = solid_segment(&rows[k].solid, a, b, far);
            CHECK(exact >= far ? p.distance >= far : p.distance <= exact + 1e-12);
        }
    }
}

// ---- sweeps

typedef struct Sweep {
    const CordSolid* solid;
    MovingPoint a[2];
    double near;
} Sweep;

static double distance_at(const Sweep* w, double time)
{
    CordVec3 p = between(w->a[0].from, w->a[0].to, time), q = between(w->a[1].from, w->a[1].to, time);
    return solid_segment(w->solid, p, q, INFINITY).distance;
}

static double least_until(const Sweep* w, double share, int count)
{
    double least = INFINITY;
    for (int k = 0; k <= count; k++) {
        least = fmin(least, distance_at(w, share * k / count));
    }
    return least;
}

static double way_of(const Sweep* w)
{
    return fmax(vec3_length(vec3_sub(w->a[0].to, w->a[0].from)),
                vec3_length(vec3_sub(w->a[1].to, w->a[1].from)));
}

static void check_sweep(const Sweep* w, double gap)
{
    double share = solid_time_of_impact(w->solid, w->a, w->near), way = way_of(w);
    CHECK(share >= 0.0 && share <= 1.0);
    CHECK(least_until(w, share, 500) >= w->near - 1e-12 * (3.0 + way));
    if (share < 1.0) {
        CHECK(distance_at(w, share) <= w->near + 0.11 * gap + 2e-6 * way);
    }
}

TEST(sweeps_stop_in_time_and_not_too_early)
{
    uint64_t seed = 7;
    for (int k = 0; k < ROW_COUNT; k++) {
        int stopped = 0;
        for (int n = 0; n < 300; n++) {
            Sweep w = {.solid = &rows[k].solid};
            double motion = random_power(&seed, -3.0, 1.0);
            random_segment(&seed, w.solid, &w.a[0].from, &w.a[1].from);
            for (int i = 0; i < 2; i++) {
                w.a[i].to = vec3_add(w.a[i].from, random_vec3(&seed, motion));
            }
            double distance = distance_at(&w, 0.0);
            w.near = distance * (n % 2 ? random_in(&seed, 0.0, 1.0) : 1.0 - random_power(&seed, -4.0, 0.0));
            if (distance > 1e-2) {
                check_sweep(&w, distance - w.near);
                stopped += solid_time_of_impact(w.solid, w.a, w.near) < 1.0;
            }
        }
        CHECK(stopped > 30);
    }
}

// A rope that touches, and is drawn along what it touches: over the outside of what is convex, and along the
// bore of a tube.
TEST(what_slides_along_a_solid_goes_all_the_way)
{
    uint64_t seed = 8;
    for (int k = 0; k < ROW_COUNT; k++) {
        int slid = 0;
        for (int n = 0; n < 2000 && rows[k].is_convex; n++) {
            Sweep w = {.solid = &rows[k].solid, .near = 0.0};
            CordVec3 a = random_vec3(&seed, 1.5), b = random_vec3(&seed, 1.5);
            SolidPoint p = solid_segment(w.solid, a, b, INFINITY);
            if (p.distance < 0.05) {
                continue;
            }
            w.near = p.distance;
            w.a[0] = (MovingPoint){a, vec3_add(a, vec3_reject(random_vec3(&seed, 0.5), p.normal))};
            w.a[1] = (MovingPoint){b, vec3_add(b, vec3_reject(random_vec3(&seed, 0.5), p.normal))};
            CHECK_NEAR(solid_time_of_impact(w.solid, w.a, w.near), 1.0, 0.0);
            slid++;
        }
        CHECK(slid > 200 || !rows[k].is_convex);
    }
    CordSolid tube = {CORD_SOLID_TUBE, {0.8, 0.5, 1.0}, {0}};
    for (int n = 0; n < 100; n++) {
        double near = 0.1, angle = 0.06 * n;
        CordVec3 a = turned(angle, 0.4, -0.4), b = turned(angle + 0.01 * n, 0.4, 0.2);
        MovingPoint along[2] = {{a, vec3_add(a, (CordVec3){0, 0, 0.9})},
                                {b, vec3_add(b, (CordVec3){0, 0, 0.9})}};
        CHECK_NEAR(solid_time_of_impact(&tube, along, near * (1.0 - 1e-15)), 1.0, 0.0);
        MovingPoint out[2] = {{a, vec3_mul(a, 1.01)}, {b, vec3_mul(b, 1.01)}};
        CHECK_NEAR(solid_time_of_impact(&tube, out, near * (1.0 + 1e-15)), 0.0, 0.0);
    }
}

TEST(what_touches_a_solid_may_move_apart_but_not_come_nearer)
{
    uint64_t seed = 9;
    for (int k = 0; k < ROW_COUNT; k++) {
        for (int n = 0; n < 200; n++) {
            Sweep w = {.solid = &rows[k].solid};
            CordVec3 a = random_vec3(&seed, 1.5), b = random_vec3(&seed, 1.5);
            SolidPoint p = solid_segment(w.solid, a, b, INFINITY);
            if (p.distance < 0.05 || !is_smooth(w.solid, between(a, b, p.s), 1e-3)) {
                continue;
            }
            w.near = p.distance;
            for (int away = -1; away <= 1; away += 2) {
                CordVec3 way = vec3_mul(p.normal, 0.02 * away);
                w.a[0] = (MovingPoint){a, vec3_add(a, way)}, w.a[1] = (MovingPoint){b, vec3_add(b, way)};
                double share = solid_time_of_impact(w.solid, w.a, w.near);
                CHECK(away > 0 ? share > 0.0 : share == 0.0);
                // what counts as touching: sixty roundings of a dip's
                CHECK(least_until(&w, share, 300) >= w.near - 1e-11);
            }
        }
    }
}

TEST(what_is_inside_a_solid_may_leave_it)
{
    CordSolid ball = {CORD_SOLID_SPHERE, {0.5, 0, 0}, {0}};
    MovingPoint a[2] = {{{-0.2, 0, 0.3}, {-0.2, 0, 3}}, {{0.2, 0, 0.3}, {0.2, 0, 3}}};
    CHECK_NEAR(solid_time_of_impact(&ball, a, 0.1), 1.0, 0.0);
    a[0].to.z = a[1].to.z = -3.0;
    CHECK_NEAR(solid_time_of_impact(&ball, a, 0.1), 0.0, 0.0);
}

TEST(a_thousand_radii_in_one_step_do_not_pass_a_solid)
{
    double r = 1e-3;
    for (int k = 0; k < ROW_COUNT; k++) {
        double top = k == 0 ? 0.0 : solid_radius(&rows[k].solid);
        MovingPoint a[2] = {{{-1, 0.61, top + 0.1}, {-1, 0.61, -top - 1}},
                            {{1, 0.6, top + 0.1}, {1, 0.6, -top - 1}}};
        Sweep w = {&rows[k].solid, {a[0], a[1]}, r};
        check_sweep(&w, distance_at(&w, 0.0) - r);
        CHECK(solid_time_of_impact(w.solid, a, r) < 1.0 || least_until(&w, 1.0, 10000) > r);
    }
}

TEST(numbers_that_are_none_go_nowhere)
{
    for (int k = 0; k < ROW_COUNT; k++) {
        MovingPoint a[2] = {{{9, 9, 9}, {9, 9, 9}}, {{9, 9, 8}, {9, NAN, 8}}},
                    b[2] = {{{9, INFINITY, 9}, {9, 9, 9}}, a[0]};
        CHECK_NEAR(solid_time_of_impact(&rows[k].solid, a, 0.1), 0.0, 0.0);
        CHECK_NEAR(solid_time_of_impact(&rows[k].solid, b, 0.1), 0.0, 0.0);
    }
}

TEST_GROUP(contact_solid)
