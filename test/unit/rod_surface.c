// Skinning: the search for the closest edges, and the vertices that follow their ties.
#include "rod/surface.h"

#include "base_heap.h"
#include "check.h"
#include "contact/closest_points.h"
#include "math/elementary.h"
#include "math/vec3.h"
#include "random.h"

enum { NODES_MOST = 600, EDGES_MOST = 1800 };

typedef struct Net {
    Memory memory;
    CordVec3 x[NODES_MOST], m1[EDGES_MOST];
    int ends[2 * EDGES_MOST];
    SurfaceRod rod;
    EdgeBvh tree;
} Net;

static void net_start(Net* net, int nodes, int edges)
{
    net->memory = new_memory();
    net->rod = (SurfaceRod){net->x, net->m1, net->ends, 0, nodes, edges};
}

static void net_finish(Net* net)
{
    for (int j = 0; j < net->rod.edge_count; j++) {
        CordVec3 t = vec3_unit(vec3_sub(net->x[net->ends[2 * j + 1]], net->x[net->ends[2 * j]]));
        net->m1[j] = vec3_any_normal(t);
    }
    CHECK(edge_bvh_create(&net->memory, &net->tree, net->x, net->ends, net->rod.edge_count));
}

static void net_free(Net* net)
{
    edge_bvh_destroy(&net->memory, &net->tree);
    CHECK_INT(net->memory.bytes, 0);
}

static void net_random(Net* net, uint64_t seed, int nodes, int edges)
{
    net_start(net, nodes, edges);
    for (int i = 0; i < nodes; i++) {
        net->x[i] = random_vec3(&seed, 1.0);
    }
    for (int j = 0; j < edges; j++) {
        net->ends[2 * j] = j % nodes;
        net->ends[2 * j + 1] = (j % nodes + 1 + (int)random_in(&seed, 0, nodes - 2)) % nodes;
    }
    net_finish(net);
}

// A straight chain along x of edges of length 1, from 0 on.
static void net_line(Net* net, int edges)
{
    net_start(net, edges + 1, edges);
    for (int i = 0; i <= edges; i++) {
        net->x[i] = (CordVec3){i, 0, 0};
    }
    for (int j = 0; j < edges; j++) {
        net->ends[2 * j] = j, net->ends[2 * j + 1] = j + 1;
    }
    net_finish(net);
}

// ---- the search

static double segment_distance(const Net* net, int edge, CordVec3 p)
{
    return closest_point_segment(p, net->x[net->ends[2 * edge]], net->x[net->ends[2 * edge + 1]]).distance;
}

TEST(the_nearest_edges_are_found_in_order)
{
    static Net net;
    enum { MOST = 5 };
    for (int k = 0; k < 60; k++) {
        int nodes = 3 + k * k % 500, edges = 1 + (k * k * k) % 1700;
        net_random(&net, (uint64_t)k, nodes, edges);
        uint64_t seed = 77 + (uint64_t)k;
        for (int i = 0; i < 20; i++) {
            CordVec3 p = vec3_mul(random_vec3(&seed, 1.0), 2.0); // some of them outside
            ClosestEdge found[MOST];
            int count = edge_bvh_closest(&net.tree, p, MOST, found);
            CHECK_INT(count, edges < MOST ? edges : MOST);
            int nearer = 0;
            for (int j = 0; j < edges; j++) {
                nearer += segment_distance(&net, j, p) < found[count - 1].distance - 1e-12;
            }
            CHECK(nearer < count); // by rounding alone two may change places
            for (int j = 0; j < count; j++) {
                // of order 1
                CHECK_NEAR(found[j].distance, segment_distance(&net, found[j].edge, p), 1e-15 * 10);
                CHECK(j == 0 || found[j - 1].distance <= found[j].distance);
            }
        }
        net_free(&net);
    }
}

TEST(a_single_edge_is_a_tree_too)
{
    static Net net;
    net_line(&net, 1);
    ClosestEdge found[5];
    CHECK_INT(edge_bvh_closest(&net.tree, (CordVec3){0.25, 1, 0}, 5, found), 1);
    CHECK_NEAR(found[0].along, 0.25, 1e-15); // of order 1
    CordSurfaceTie ties[CORD_SURFACE_TIES];
    surface_tie(&net.rod, &net.tree, (CordVec3){-1, 1, 0}, ties);
    CHECK(ties[0].weight == 1.0 && ties[1].weight == 0.0);
    net_free(&net);
}

// ---- ties

static CordVec3 turn(CordQuat q, CordVec3 shift, CordVec3 p)
{
    return vec3_add(quat_rotate(q, p), shift);
}

TEST(ties_put_vertices_where_they_were_and_turn_with_the_rod)
{
    static Net net;
    uint64_t seed = 5;
    net_random(&net, 11, 200, 500);
    CordVec3 p[300];
    CordSurfaceTie ties[300][CORD_SURFACE_TIES];
    for (int i = 0; i < 300; i++) {
        p[i] = random_vec3(&seed, 1.0);
        surface_tie(&net.rod, &net.tree, p[i], ties[i]);
        double sum = 0.0;
        for (int k = 0; k < CORD_SURFACE_TIES; k++) {
            sum += ties[i][k].weight;
        }
        CHECK_NEAR(sum, 1.0, 1e-15);                               // rounding of four parts of 1
        CHECK_VEC3(surface_place(&net.rod, ties[i]), p[i], 1e-14); // numbers of order 1
    }
    CordQuat q = cord_quat_about((CordVec3){1, 2, 3}, 2.0);
    CordVec3 shift = {3, -4, 5};
    for (int i = 0; i < 200; i++) {
        net.x[i] = turn(q, shift, net.x[i]);
    }
    for (int j = 0; j < 500; j++) {
        net.m1[j] = quat_rotate(q, net.m1[j]);
    }
    for (int i = 0; i < 300; i++) {
        // 1e-12: rounding of positions of order 10, by an edge of a hundredth, whose direction has lost two
        // digits.
        CHECK_VEC3(surface_place(&net.rod, ties[i]), turn(q, shift, p[i]), 1e-12);
    }
    net_free(&net);
}

TEST(a_vertex_at_a_node_stays_at_the_node)
{
    static Net net;
    uint64_t seed = 8;
    net_random(&net, 3, 100, 300);
    CordSurfaceTie ties[100][CORD_SURFACE_TIES];
    for (int i = 0; i < 100; i++) {
        surface_tie(&net.rod, &net.tree, net.x[i], ties[i]);
    }
    for (int i = 0; i < 100; i++) {
        net.x[i] = vec3_add(net.x[i], vec3_mul(random_vec3(&seed, 1.0), 0.7));
    }
    for (int i = 0; i < 100; i++) {
        CordVec3 p = surface_place(&net.rod, ties[i]);
        CHECK(p.x == net.x[i].x && p.y == net.x[i].y && p.z == net.x[i].z);
    }
    net_free(&net);
}

// Weights go to zero where another edge takes over: a small step of the vertex changes them a little.
TEST(neighbouring_vertices_are_held_alike)
{
    static Net net;
    net_line(&net, 12);
    double greatest = 0.0;
    double last[12] = {0};
    const double step = 1e-3;
    for (int i = 0; i < 10000; i++) {
        CordSurfaceTie ties[CORD_SURFACE_TIES];
        double now[12] = {0};
        surface_tie(&net.rod, &net.tree, (CordVec3){1.0 + step * i, 0.3, 0.2}, ties);
        for (int k = 0; k < CORD_SURFACE_TIES; k++) {
            now[ties[k].edge] += ties[k].weight;
        }
        for (int j = 0; j < 12 && i > 0; j++) {
            greatest = fmax(greatest, fabs(now[j] - last[j]));
        }
        memcpy(last, now, sizeof now);
    }
    // They go from 1/2 to nearly all within a third of an edge: a slope of about 2, and a jump would be a
    // tenth and more.
    CHECK(greatest < 5.0 * step);
    net_free(&net);
}

// ---- a bent tube

typedef struct Bent {
    double side; // least cosine of a triangle's normal with the direction out of the tube
    double fold; // greatest angle between the normals of triangles that follow each other along it [rad]
} Bent;

// A tube about a chain of edges of length 1, bent by `angle` at its middle node, or at every one.
static Bent bend_tube(double radius, double angle, bool corner)
{
    enum { EDGES = 8, RINGS = 81, SIDES = 24 };
    static Net net;
    static CordSurfaceTie ties[RINGS][SIDES][CORD_SURFACE_TIES];
    static CordVec3 p[RINGS][SIDES], center[RINGS];
    net_line(&net, EDGES);
    for (int i = 0; i < RINGS; i++) {
        for (int k = 0; k < SIDES; k++) {
            double a = 2.0 * CORD_PI * k / SIDES;
            CordVec3 x = {EDGES * (double)i / (RINGS - 1), radius * cord_cos(a), radius * cord_sin(a)};
            surface_tie(&net.rod, &net.tree, x, ties[i][k]);
        }
    }
    double heading = corner ? -0.5 * angle : 0.0;
    for (int j = 0; j < EDGES; j++) {
        heading += corner ? (j == EDGES / 2 ? angle : 0.0) : j > 0 ? angle : 0.0;
        CordVec3 t = {cord_cos(heading), cord_sin(heading), 0};
        net.x[j + 1] = vec3_add(net.x[j], t);
        net.m1[j] = quat_rotate(cord_quat_about((CordVec3){0, 0, 1}, heading), net.m1[j]);
    }
    for (int i = 0; i < RINGS; i++) {
        center[i] = (CordVec3){0, 0, 0};
        for (int k = 0; k < SIDES; k++) {
            p[i][k] = surface_place(&net.rod, ties[i][k]);
            center[i] = vec3_madd(center[i], p[i][k], 1.0 / SIDES);
        }
    }
    Bent bent = {INFINITY, 0.0};
    for (int k = 0; k < SIDES; k++) {
        CordVec3 last = {0, 0, 0};
        for (int i = 0; i + 1 < RINGS; i++) {
            CordVec3 a = p[i][k], b = p[i][(k + 1) % SIDES], c = p[i + 1][k];
            CordVec3 n = vec3_unit(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
            bent.side = fmin(bent.side, vec3_dot(n, vec3_unit(vec3_sub(a, center[i]))));
            bent.fold = fmax(bent.fold, i > 0 ? vec3_length(vec3_sub(n, last)) : 0.0); // small angles
            last = n;
        }
    }
    net_free(&net);
    return bent;
}

TEST(a_bent_tube_does_not_turn_inside_out)
{
    // a facet is off by half of 15 degrees
    CHECK_NEAR(bend_tube(0.2, 0.0, true).side, cord_cos(CORD_PI / 24), 1e-9);
    for (int k = 1; k <= 12; k++) {
        CHECK(bend_tube(0.2, 2.0 * k / 12, true).side > 0.3); // a corner of up to 115 degrees
        CHECK(bend_tube(0.05, 2.0 * k / 12, true).side > 0.3);
        // a circle of radius 1.25, of which the tube leaves 0.95
        CHECK(bend_tube(0.3, 0.8 * k / 12, false).side > 0.9);
    }
}

// Ten rings to an edge: one that went along with its nearest edge alone would turn by the whole angle from
// one ring to the next.
TEST(a_bent_tube_has_no_crease_at_its_nodes)
{
    CHECK(bend_tube(0.3, 0.2, false).fold < 0.3 * 0.2);
    CHECK(bend_tube(0.6, 0.2, false).fold < 0.3 * 0.2);
}

TEST_GROUP(rod_surface)
