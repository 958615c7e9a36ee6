// The colliders: candidates against brute force, bounds of gaps against gaps, and turns that are too far.
#include "contact/narrow_phase.h"
#include "contact_random.h"
#include "world_rods.h"

#include <stdlib.h>

enum { RODS = 4, NODES = 9, SEGMENTS = RODS * NODES, SOLIDS = 8, FEATURES = 64 };
static const double radii[RODS] = {0.01, 0.01, 0.02, 0.006}; // [m]
#define THICK 0.02
#define REACH 0.001

typedef struct Scene {
    CordWorld* world;
    CordRodId ids[RODS];
    Colliders colliders;
    Mesh mesh;
    uint64_t seed;
} Scene;

static void put_rods(Scene* s, Colliders* colliders)
{
    for (int i = 0; i < RODS; i++) {
        CHECK(colliders_add_rod(&s->world->memory, colliders, world_rod(s->world, s->ids[i]), i));
    }
    colliders->reach = REACH;
}

// Three open rods and a ring.
static Scene open_scene(uint64_t seed)
{
    Scene s = {.world = new_weightless_world(), .seed = seed};
    for (int i = 0; i < RODS; i++) {
        CordRodDef def = i == RODS - 1 ? ring_def(NODES) : line_def(NODES);
        def.section = cord_section_disc(radii[i]);
        CHECK_OK(cord_rod_create(s.world, &def, &s.ids[i]));
    }
    put_rods(&s, &s.colliders);
    return s;
}

static void close_scene(Scene* s)
{
    mesh_destroy(&s->world->memory, &s->mesh);
    colliders_free(&s->world->memory, &s->colliders);
    cord_world_destroy(s->world);
}

static CordQuat random_turn(uint64_t* seed, double most)
{
    return cord_quat_about(random_vec3(seed, 1.0), random_in(seed, -most, most));
}

// ---- rods

static CordVec3 at_share(const Colliders* cs, int node, double share)
{
    return between(cs->from[node], cs->to[node], share);
}

static double gap_at(const Colliders* cs, int a, int b, double share)
{
    const Segment *p = &cs->segments[a], *q = &cs->segments[b];
    return closest_segment_segment(at_share(cs, p->node[0], share), at_share(cs, p->node[1], share),
                                   at_share(cs, q->node[0], share), at_share(cs, q->node[1], share))
               .distance -
           p->radius - q->radius;
}

// All are in a heap at the moment `meet` of their ways, of `far` metres each at the most.
static void set_ways(Scene* s, double heap, double far, double meet)
{
    Colliders* cs = &s->colliders;
    for (int r = 0; r < RODS; r++) {
        CordVec3 x = random_vec3(&s->seed, heap), way = random_vec3(&s->seed, far);
        for (int n = 0; n < NODES; n++) {
            int at = cs->rods[r].first_node + n;
            x = vec3_add(x, random_vec3(&s->seed, 0.5 * heap));
            way = vec3_add(way, random_vec3(&s->seed, 0.3 * far));
            cs->from[at] = vec3_madd(x, way, -meet);
            cs->to[at] = vec3_madd(x, way, 1.0 - meet);
        }
    }
}

static void nudge(Scene* s, double size) // of all, as in the steps that come next
{
    for (int n = 0; n < s->colliders.node_count; n++) {
        s->colliders.from[n] = s->colliders.to[n];
        s->colliders.to[n] = vec3_add(s->colliders.to[n], random_vec3(&s->seed, size));
    }
}

static bool is_candidate(const Colliders* cs, int a, int b)
{
    for (int i = 0; i < cs->pair_count; i++) {
        if (cs->pairs[i].a == a && cs->pairs[i].b == b) {
            return true;
        }
    }
    return false;
}

static void check_sorted(const Colliders* cs)
{
    for (int i = 0; i < cs->pair_count; i++) {
        const SegmentPair* p = &cs->pairs[i];
        CHECK(0 <= p->a && p->a < p->b && p->b < cs->segment_count);
        CHECK(!filter_rejects_segments(cs, p->a, p->b));
        CHECK(i == 0 || p[-1].a < p->a || (p[-1].a == p->a && p[-1].b < p->b));
    }
}

// Returns how many pairs came near.
static int check_pairs(const Colliders* cs, double share)
{
    int near = 0;
    for (int a = 0; a < cs->segment_count; a++) {
        for (int b = a + 1; b < cs->segment_count; b++) {
            if (!filter_rejects_segments(cs, a, b) && gap_at(cs, a, b, share) <= REACH) {
                CHECK(is_candidate(cs, a, b));
                near++;
            }
        }
    }
    return near;
}

// Each rod drifts through the heap at a pace of its own, so that it uses up the room that its boxes have on
// one side.
TEST(candidates_last_until_room_is_used_up)
{
    int near = 0, searches = 0;
    for (int i = 0; i < 100; i++) {
        Scene s = open_scene((uint64_t)i + 300);
        Colliders* cs = &s.colliders;
        CordVec3 drift[RODS];
        set_ways(&s, 0.03, 0.0, 0.0);
        for (int r = 0; r < RODS; r++) {
            drift[r] = random_vec3(&s.seed, 0.01 * random_power(&s.seed, -2.0, -0.5));
        }
        for (int n = 0; n < cs->node_count; n++) {
            cs->to[n] = vec3_madd(cs->to[n], drift[n / NODES], -30.0);
        }
        for (int step = 0; step < 60; step++) {
            for (int n = 0; n < cs->node_count; n++) {
                cs->from[n] = cs->to[n];
                cs->to[n] = vec3_add(cs->to[n], drift[n / NODES]);
            }
            CHECK(broad_phase_update(&s.world->memory, cs));
            near += check_pairs(cs, 1.0);
        }
        searches += (int)cs->searches;
        close_scene(&s);
    }
    CHECK(near > 30000);
    CHECK(searches > 300 && searches < 3000);
}

static double reach_along(CordVec3 p0, CordVec3 p1, CordVec3 q0, CordVec3 q1, int k)
{
    const double p[2] = {(&p0.x)[k], (&p1.x)[k]}, q[2] = {(&q0.x)[k], (&q1.x)[k]};
    return fmax(fmin(p[0], p[1]) - fmax(q[0], q[1]), fmin(q[0], q[1]) - fmax(p[0], p[1]));
}

// What stands still is a candidate if boxes about the tubes, half a radius wider, are within reach.
TEST(what_is_far_is_no_candidate)
{
    int pairs = 0;
    for (int i = 0; i < 100; i++) {
        Scene s = open_scene((uint64_t)i + 500);
        Colliders* cs = &s.colliders;
        set_ways(&s, 0.1, 0.0, 0.0);
        CHECK(broad_phase_update(&s.world->memory, cs));
        for (int k = 0; k < cs->pair_count; k++) {
            const Segment *a = &cs->segments[cs->pairs[k].a], *b = &cs->segments[cs->pairs[k].b];
            for (int c = 0; c < 3; c++) {
                double apart = reach_along(cs->to[a->node[0]], cs->to[a->node[1]], cs->to[b->node[0]],
                                           cs->to[b->node[1]], c);
                CHECK(apart <= 1.5 * (a->radius + b->radius) + REACH + 1e-12); // rounding of boxes
            }
        }
        pairs += cs->pair_count;
        close_scene(&s);
    }
    CHECK(pairs > 1000);
}

// A group that falls has the candidates that it has at rest, however far it falls in a step, and a gap that
// is known stays known.
TEST(what_all_rods_move_alike_makes_no_candidates)
{
    int known = 0, pairs = 0;
    for (int i = 0; i < 100; i++) {
        Scene s = open_scene((uint64_t)i + 700);
        Colliders* cs = &s.colliders;
        set_ways(&s, 0.1, 0.0, 0.0);
        CHECK(broad_phase_update(&s.world->memory, cs));
        int at_rest = cs->pair_count;
        CordVec3 fall = vec3_mul(vec3_unit(random_vec3(&s.seed, 1.0)), 0.5);
        memcpy(cs->begin, cs->from, sizeof *cs->from * (size_t)cs->node_count);
        for (int n = 0; n < cs->node_count; n++) {
            cs->to[n] = vec3_add(cs->to[n], fall);
        }
        CHECK(broad_phase_update(&s.world->memory, cs));
        CHECK_INT(cs->pair_count, at_rest);
        colliders_find_away(cs, cs->to);
        for (int k = 0; k < cs->pair_count; k++) {
            const SegmentPair* pair = &cs->pairs[k];
            CHECK(pair_gap_bound(cs, pair) <= gap_at(cs, pair->a, pair->b, 1.0));
            known += pair_gap_bound(cs, pair) > 0.0;
        }
        pairs += cs->pair_count;
        close_scene(&s);
    }
    CHECK(pairs > 1000);
    CHECK(known > 100);
}

// Rods that retreat along their ways, as where a budget is spent, find all that they may meet in one search.
TEST(what_may_stop_on_its_way_needs_no_new_search)
{
    int near = 0;
    for (int i = 0; i < 100; i++) {
        Scene s = open_scene((uint64_t)i + 1100);
        Colliders* cs = &s.colliders;
        CordVec3 goal[RODS * NODES];
        set_ways(&s, 0.06, 0.2, random_in(&s.seed, 0.0, 1.0));
        memcpy(goal, cs->to, sizeof goal);
        cs->rods[0].may_stop = cs->rods[2].may_stop = true;
        CHECK(broad_phase_update(&s.world->memory, cs));
        for (int try = 0; try < 10; try++) {
            for (int r = 0; r < RODS; r += 2) {
                double share = random_in(&s.seed, 0.0, 1.0);
                for (int n = r * NODES; n < (r + 1) * NODES; n++) {
                    cs->to[n] = vec3_madd(cs->from[n], vec3_sub(goal[n], cs->from[n]), share);
                }
            }
            CHECK(broad_phase_update(&s.world->memory, cs));
            for (int k = 0; k <= 8; k++) {
                near += check_pairs(cs, k / 8.0);
            }
        }
        CHECK_INT((int)cs->searches, 1);
        close_scene(&s);
    }
    CHECK(near > 1000);
}

TEST(no_pair_of_segments_that_comes_near_is_missed)
{
    int near = 0, searches = 0, calls = 0;
    for (int i = 0; i < 300; i++) {
        Scene s = open_scene((uint64_t)i + 1);
        double meet = random_in(&s.seed, 0.0, 1.0);
        set_ways(&s, 0.06, i % 4 == 0 ? 0.0 : 0.01 * random_power(&s.seed, -3.0, 3.5), meet);
        for (int step = 0; step < 5; step++, calls++) {
            CHECK(broad_phase_update(&s.world->memory, &s.colliders));
            check_sorted(&s.colliders);
            near += check_pairs(&s.colliders, meet);
            for (int k = 0; k <= 8; k++) {
                near += check_pairs(&s.colliders, k / 8.0);
            }
            nudge(&s, 0.01 * random_power(&s.seed, -3.0, 0.5)); // some within the boxes, some not
        }
        searches += (int)s.colliders.searches;
        close_scene(&s);
    }
    CHECK(near > 30000);
    CHECK(searches > 300 && searches < calls - 300); // candidates were used again, and looked for anew
}

// ---- solids

static const CordSolid solids[] = {
    {CORD_SOLID_PLANE, {0, 0, 0}, {0}},        {CORD_SOLID_SPHERE, {0.05, 0, 0}, {0}},
    {CORD_SOLID_BOX, {0.3, 0.2, 0.002}, {0}},  {CORD_SOLID_CYLINDER, {0.05, 0, 0.3}, {0}},
    {CORD_SOLID_CAPSULE, {0.03, 0, 0.2}, {0}}, {CORD_SOLID_TORUS, {0.2, 0.03, 0}, {0}},
    {CORD_SOLID_TUBE, {0.1, 0.08, 0.3}, {0}},  {CORD_SOLID_CONE, {0.1, 0, 0.3}, {0}},
    {CORD_SOLID_MESH, {0, 0, 0}, {0}}};

// A crumpled sheet that does not lie about its origin.
static void make_mesh(Scene* s)
{
    CordVec3 v[16];
    int t[3 * 18], n = 0;
    Message message;
    for (int i = 0; i < 16; i++) {
        v[i] = vec3_add((CordVec3){0.1 * (i % 4), 0.1 * (i / 4) - 0.1, 0.05}, random_vec3(&s->seed, 0.03));
        if (i % 4 < 3 && i / 4 < 3) {
            const int corners[6] = {i, i + 1, i + 5, i, i + 5, i + 4};
            memcpy(t + n, corners, sizeof corners);
            n += 6;
        }
    }
    CHECK_OK(mesh_create(&s->world->memory, &s->mesh, v, 16, t, n / 3, &message));
    CHECK(s->mesh.triangle_count + s->mesh.edge_count < FEATURES);
}

static void add_solid(Scene* s, int kind, Pose from, Pose to)
{
    ColliderSolid solid = {.solid = solids[kind], .begin = from, .goal = to, .from = from, .to = to};
    if (solids[kind].shape == CORD_SOLID_MESH) {
        make_mesh(s);
        solid.mesh = &s->mesh;
    }
    CHECK(colliders_add_solid(&s->world->memory, &s->colliders, &solid));
}

static CordVec3 surface_point(Scene* s)
{
    const ColliderSolid* solid = &s->colliders.solids[0];
    if (solid->mesh) {
        return solid->mesh->vertices[random_int(&s->seed, solid->mesh->vertex_count)];
    }
    CordVec3 p = random_vec3(&s->seed, 0.3);
    SolidPoint at = solid_point(&solid->solid, p);
    return vec3_madd(p, at.normal, -at.distance);
}

// Rods with ways of up to `far` that lead past points of the solid's surface, as it stands in `pose` at that
// moment.
static void set_ways_past(Scene* s, const Pose* pose, double far, double meet)
{
    for (int r = 0; r < RODS; r++) {
        CordVec3 way = random_vec3(&s->seed, far), x = pose_out(pose, surface_point(s));
        for (int n = 0; n < NODES; n++) {
            int at = s->colliders.rods[r].first_node + n;
            s->colliders.from[at] = vec3_madd(x, way, -meet);
            s->colliders.to[at] = vec3_madd(x, way, 1.0 - meet);
            x = vec3_add(x, random_vec3(&s->seed, 0.05));
        }
    }
}

static bool has_solid(const Colliders* cs, int segment)
{
    for (int i = 0; i < cs->solid_pair_count; i++) {
        if (cs->solid_pairs[i].segment == segment && cs->solid_pairs[i].solid == 0) {
            return true;
        }
    }
    return false;
}

static bool has_feature(const Colliders* cs, int segment, MeshFeature kind, int feature)
{
    for (int i = 0; i < cs->mesh_pair_count; i++) {
        const MeshPair* p = &cs->mesh_pairs[i];
        if (p->segment == segment && p->solid == 0 && p->kind == kind && p->feature == feature) {
            return true;
        }
    }
    return false;
}

static int check_mesh(const Colliders* cs, int segment, CordVec3 p, CordVec3 q, double far)
{
    const Mesh* mesh = cs->solids[0].mesh;
    const CordVec3* v = mesh->vertices;
    int near = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int* c = mesh->triangles + 3 * i;
        if (closest_segment_triangle(p, q, v[c[0]], v[c[1]], v[c[2]]).distance <= far) {
            CHECK(has_feature(cs, segment, MESH_TRIANGLE, i));
            near++;
        }
    }
    for (int i = 0; i < mesh->edge_count; i++) {
        const int* c = mesh->edges + 2 * i;
        if (closest_segment_segment(p, q, v[c[0]], v[c[1]]).distance <= far) {
            CHECK(has_feature(cs, segment, MESH_EDGE, i));
            near++;
        }
    }
    return near;
}

// Returns how many segments or features are near where the solid stands in `pose`, a share of the way on.
static int check_solid(const Colliders* cs, const Pose* pose, double share)
{
    int near = 0;
    for (int i = 0; i < cs->segment_count; i++) {
        const Segment* g = &cs->segments[i];
        CordVec3 p = pose_into(pose, at_share(cs, g->node[0], share)),
                 q = pose_into(pose, at_share(cs, g->node[1], share));
        double far = g->radius + REACH;
        if (cs->solids[0].mesh) {
            near += check_mesh(cs, i, p, q, far);
        } else if (solid_segment(&cs->solids[0].solid, p, q, far).distance <= far) {
            CHECK(has_solid(cs, i));
            near++;
        }
    }
    return near;
}

static int check_way(const Colliders* cs, double meet)
{
    const ColliderSolid* s = &cs->solids[0];
    int near = 0;
    for (int k = -1; k <= 8; k++) {
        double share = k < 0 ? meet : k / 8.0;
        Pose pose = pose_interpolate(s->from, s->to, share);
        near += check_solid(cs, &pose, share);
    }
    return near;
}

TEST(nothing_that_comes_near_a_solid_which_moves_and_turns_is_missed)
{
    int near[SOLIDS] = {0}, searches = 0, calls = 0;
    for (int i = 0; i < 400; i++) {
        Scene s = open_scene((uint64_t)i + 1000);
        int kind = i % SOLIDS;
        double meet = random_in(&s.seed, 0.0, 1.0), far = 0.01 * random_power(&s.seed, -3.0, 3.5);
        Pose from = {random_vec3(&s.seed, 0.5), random_turn(&s.seed, 3.0)}, to = from;
        if (i % 3 > 0) {
            to.point = vec3_add(to.point, random_vec3(&s.seed, i % 3 == 1 ? far : 0.01 * far));
            to.rotation = quat_mul(random_turn(&s.seed, fmin(far, 3.1)), to.rotation);
        }
        add_solid(&s, kind, from, to);
        Pose then = pose_interpolate(from, to, meet);
        set_ways_past(&s, &then, i % 2 == 0 ? far : 0.01 * far, meet);
        for (int step = 0; step < 4; step++, calls++) {
            CHECK(broad_phase_update(&s.world->memory, &s.colliders));
            near[kind] += check_way(&s.colliders, meet);
            ColliderSolid* solid = &s.colliders.solids[0];
            double size = 0.01 * random_power(&s.seed, -3.0, 0.5);
            nudge(&s, size);
            solid->from = solid->to;
            solid->to.point = vec3_add(solid->to.point, random_vec3(&s.seed, size));
            solid->to.rotation = quat_mul(random_turn(&s.seed, size), solid->to.rotation);
        }
        searches += (int)s.colliders.searches;
        close_scene(&s);
    }
    for (int k = 0; k < SOLIDS; k++) {
        CHECK(near[k] > 300);
    }
    CHECK(searches > 400 && searches < calls - 200);
}

// ---- turns

// A turn about any point, as the motions of obstacles make: the way is a circle, and not what poses at its
// ends tell.
static Pose turned_about(const Pose* pose, CordVec3 center, CordVec3 axis, double angle)
{
    CordQuat q = cord_quat_about(axis, angle);
    return (Pose){vec3_add(center, quat_rotate(q, vec3_sub(pose->point, center))),
                  quat_mul(q, pose->rotation)};
}

static double detour(const Pose* from, CordVec3 center, CordVec3 axis, double angle)
{
    Pose to = turned_about(from, center, axis, angle);
    double most = 0.0;
    for (int k = 0; k <= 64; k++) { // of 100 turns: every 16th part of a turn
        Pose pose = turned_about(from, center, axis, k / 64.0 * angle);
        most = fmax(most, vec3_length(vec3_sub(pose.point, pose_interpolate(*from, to, k / 64.0).point)));
    }
    return most;
}

TEST(turns_are_too_far_or_nothing_on_their_way_is_missed)
{
    const double turns[] = {1e-3,          1e-2,           0.1, 0.5, 0.9, 1.5, 3.0, CORD_PI, 2.0 * CORD_PI,
                            4.0 * CORD_PI, 200.0 * CORD_PI};
    int near = 0, far = 0;
    for (int i = 0; i < 600; i++) {
        Scene s = open_scene((uint64_t)i + 5000);
        double meet = random_in(&s.seed, 0.0, 1.0), angle = turns[i % 11];
        CordVec3 axis = random_vec3(&s.seed, 1.0);
        Pose from = {random_vec3(&s.seed, 0.5), random_turn(&s.seed, 3.0)};
        CordVec3 center = vec3_add(from.point, random_vec3(&s.seed, i % 2 == 0 ? 0.0 : 1.0));
        Pose to = turned_about(&from, center, axis, angle),
             then = turned_about(&from, center, axis, meet * angle);
        add_solid(&s, 1 + i % 7, from, to);
        s.colliders.solids[0].turn = angle;
        s.colliders.solids[0].detour = detour(&from, center, axis, angle);
        set_ways_past(&s, &then, 0.01, meet);
        memcpy(s.colliders.begin, s.colliders.from, sizeof(CordVec3) * (size_t)s.colliders.node_count);
        bool too_far = colliders_turn_too_far(&s.colliders); // without candidates, all segments are tested
        CHECK(broad_phase_update(&s.world->memory, &s.colliders));
        CHECK(colliders_turn_too_far(&s.colliders) == too_far);
        for (int n = 0; i % 3 == 0 && n < s.colliders.node_count; n++) { // the search was some time ago
            CordVec3 by = random_vec3(&s.seed, 0.3);
            s.colliders.begin[n] = vec3_add(s.colliders.begin[n], by);
        }
        Colliders all = s.colliders;
        all.candidates_valid = false;
        CHECK(colliders_turn_too_far(&s.colliders) == colliders_turn_too_far(&all));
        memcpy(s.colliders.begin, s.colliders.from, sizeof(CordVec3) * (size_t)s.colliders.node_count);
        if (too_far) {
            far++;
        } else {
            for (int k = -1; k <= 16; k++) {
                double share = k < 0 ? meet : k / 16.0;
                Pose pose = turned_about(&from, center, axis, share * angle);
                near += check_solid(&s.colliders, &pose, share);
            }
        }
        close_scene(&s);
    }
    CHECK(near > 300);
    CHECK(far > 200);
}

// One rod alongside a box, `gap` from the face that it turns towards it.
static bool box_turns_too_far(double angle, double gap, double speed, bool body)
{
    Scene s = open_scene(1);
    Pose from = {{0, 0, 0}, {0, 0, 0, 1}}, to = {{0, 0, 0}, cord_quat_about((CordVec3){0, 1, 0}, angle)};
    add_solid(&s, 2, from, body ? from : to);
    s.colliders.solids[0].turn = angle;
    s.colliders.solids[0].kind = body ? CORD_TOUCH_BODY : CORD_TOUCH_OBSTACLE;
    for (int r = 0; r < RODS; r++) {
        for (int n = 0; n < NODES; n++) {
            int at = s.colliders.rods[r].first_node + n;
            s.colliders.from[at] =
                (CordVec3){0.02 * n - 0.08, 0.05 * r - 0.075, r == 0 ? 0.001 + 0.01 + gap : 1e3};
            s.colliders.to[at] =
                vec3_add(s.colliders.from[at], (CordVec3){0, 0, r == 0 ? -0.01 * speed : 0.0});
        }
    }
    memcpy(s.colliders.begin, s.colliders.from, sizeof(CordVec3) * (size_t)s.colliders.node_count);
    bool too_far = colliders_turn_too_far(&s.colliders);
    close_scene(&s);
    return too_far;
}

TEST(a_box_that_turns_beside_a_rod_may_not_turn_far)
{
    const double far[] = {0.5 * CORD_PI, CORD_PI, 2.0 * CORD_PI, 200.0 * CORD_PI};
    for (int i = 0; i < 4; i++) {
        for (int body = 0; body < 2; body++) {
            CHECK(box_turns_too_far(far[i], 0.01, 0.0, body));
            CHECK(!box_turns_too_far(far[i], 10.0, 0.0, body));   // it cannot come there,
            CHECK(box_turns_too_far(far[i], 10.0, 1000.0, body)); // unless the rod comes to it
        }
    }
    // 1e-3^2 / 8 of its distance is nothing beside a radius
    CHECK(!box_turns_too_far(1e-3, 0.01, 0.0, false));
    CHECK(!box_turns_too_far(0.0, 0.01, 1000.0, false));
    CHECK(box_turns_too_far(0.9, 0.15, 0.0, false)); // 0.9^2 / 8 of 0.15 m are 15 mm off the straight way
}

// A row of boxes beside a row of rods, all of which turn alike.
static int64_t tests_of_turns(int boxes, double angle)
{
    Scene s = open_scene(1);
    Colliders* cs = &s.colliders;
    colliders_clear(cs);
    for (int i = 0; i < boxes; i++) {
        CHECK(colliders_add_rod(&s.world->memory, cs, world_rod(s.world, s.ids[0]), i));
        Pose from = {{2.0 * i, 0.3, 0}, {0, 0, 0, 1}}, to = {from.point, cord_quat_about(from.point, angle)};
        for (int n = 0; n < NODES; n++) {
            int at = cs->rods[i].first_node + n;
            cs->begin[at] = cs->from[at] = cs->to[at] = (CordVec3){2.0 * i, 0.5, 0.3 * n};
        }
        add_solid(&s, 2, from, to);
        cs->solids[i].turn = angle;
    }
    CHECK(broad_phase_update(&s.world->memory, cs));
    CHECK(!colliders_turn_too_far(cs));
    int64_t tests = cs->turn_tests;
    close_scene(&s);
    return tests;
}

TEST(what_turns_is_compared_with_what_is_near)
{
    int64_t few = tests_of_turns(10, 0.14), many = tests_of_turns(40, 0.14);
    print_message("    %lld tests for 10 boxes and rods, %lld for 40\n", (long long)few, (long long)many);
    CHECK(0 < few && many <= 4 * few);
    CHECK(tests_of_turns(40, 1e-3) == 0); // nothing could be met that turns so slowly
}

// ---- bounds of gaps

static int order(const void* p, const void* q)
{
    const ContactKey *a = &((const ContactPoint*)p)->key, *b = &((const ContactPoint*)q)->key;
    return a->a != b->a   ? (a->a < b->a ? -1 : 1)
           : a->b != b->b ? (a->b < b->b ? -1 : 1)
                          : (a->part > b->part) - (a->part < b->part);
}

// The same touches, bit by bit, as a set of colliders that has never seen these rods finds.
static int check_touches(Scene* s, ContactPoints* own, const CordVec3* x, const ContactLaw* law)
{
    Colliders fresh = {0};
    ContactPoints other = {0};
    Memory* m = &s->world->memory;
    const Colliders* cs = &s->colliders;
    put_rods(s, &fresh);
    size_t size = sizeof(CordVec3) * (size_t)cs->node_count;
    memcpy(fresh.begin, cs->begin, size);
    memcpy(fresh.from, cs->from, size);
    memcpy(fresh.to, cs->to, size);
    CHECK(broad_phase_update(m, &fresh));
    CHECK(narrow_phase_find(m, &other, &fresh, x, law) && narrow_phase_find(m, own, cs, x, law));
    CHECK_INT(own->count, other.count);
    qsort(own->all, (size_t)own->count, sizeof(ContactPoint), order);
    qsort(other.all, (size_t)other.count, sizeof(ContactPoint), order);
    CHECK(own->count == 0 || memcmp(own->all, other.all, sizeof(ContactPoint) * (size_t)own->count) == 0);
    CHECK_NEAR(own->deepest, other.deepest, 0.0);
    double sure = 2.0 * law->gap * 0.006; // of the thinnest: nearer than that, none is left out
    CHECK(own->nearest >= other.nearest);
    CHECK(other.nearest >= sure || own->nearest == other.nearest);
    int count = own->count;
    contact_points_free(m, &other);
    colliders_free(m, &fresh);
    return count;
}

static int check_bounds(const Colliders* cs, const CordVec3* x)
{
    int known = 0;
    colliders_find_away(cs, x);
    for (int i = 0; i < cs->pair_count; i++) {
        const Segment *a = &cs->segments[cs->pairs[i].a], *b = &cs->segments[cs->pairs[i].b];
        double gap =
            closest_segment_segment(x[a->node[0]], x[a->node[1]], x[b->node[0]], x[b->node[1]]).distance -
            a->radius - b->radius;
        CHECK(pair_gap_bound(cs, &cs->pairs[i]) <= gap);
        known += pair_gap_bound(cs, &cs->pairs[i]) > 0.0;
    }
    return known;
}

static void place_rods(Scene* s, const CordVec3* x)
{
    for (int r = 0; r < RODS; r++) {
        CHECK_OK(cord_rod_set_positions(s->world, s->ids[r], x + s->colliders.rods[r].first_node));
    }
}

// Steps that are tried, given up and tried with half the way, and then stand, with touches looked for at
// every trial.
TEST(bounds_of_gaps_never_exceed_them_and_hide_no_touch)
{
    double way[SEGMENTS] = {0};
    int known = 0, touched = 0, searches = 0;
    for (int i = 0; i < 60; i++) {
        Scene s = open_scene((uint64_t)i + 9000);
        ContactPoints contacts = {0};
        Colliders* cs = &s.colliders;
        CordVec3 x[RODS * NODES];
        set_ways(&s, 0.05, 0.0, 0.0);
        memcpy(x, cs->from, sizeof x);
        const ContactLaw laws[] = {{.gap = 0.05, .tolerance = 1e-3},
                                   {.gap = 0.05, .tolerance = 1e-3, .frozen = true},
                                   {.gap = 0.02, .travel = way, .tolerance = 1e-3}};
        double pace = 0.01 * random_power(&s.seed, -4.0, 0.0);
        for (int step = 0; step < 30; step++) {
            place_rods(&s, x);
            double share = 1.0;
            for (int try = random_int(&s.seed, 3); try >= 0; try--, share *= 0.5) { // the last one stands
                colliders_begin_step(cs);
                for (int n = 0; n < cs->node_count; n++) {
                    cs->to[n] = vec3_add(cs->begin[n], random_vec3(&s.seed, share * pace));
                }
                CHECK(broad_phase_update(&s.world->memory, cs));
                for (int k = 0; k < cs->segment_count; k++) {
                    const int* n = cs->segments[k].node;
                    way[k] = fmax(vec3_length(vec3_sub(cs->to[n[0]], cs->begin[n[0]])),
                                  vec3_length(vec3_sub(cs->to[n[1]], cs->begin[n[1]])));
                }
                known += check_bounds(cs, cs->begin);
                touched += check_touches(&s, &contacts, cs->to, &laws[step % 2]);
                known += check_bounds(cs, cs->to);
                touched += check_touches(&s, &contacts, cs->begin, &laws[2]); // back again
                known += check_bounds(cs, cs->begin);
                colliders_time_of_impact(cs, 0.1);
                known += check_bounds(cs, cs->to);
            }
            memcpy(x, cs->to, sizeof x);
        }
        searches += (int)cs->searches;
        contact_points_free(&s.world->memory, &contacts);
        close_scene(&s);
    }
    CHECK(known > 10000);
    CHECK(touched > 10000);
    CHECK(searches < 60 * 30 / 2); // bounds lived through many steps
}

TEST_GROUP(contact_colliders)
