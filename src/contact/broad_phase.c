// Broad phase: candidate pairs of segments, solids and mesh features, by fat boxes in a bounding-volume
// hierarchy.
#include "base/real.h"
#include "base/sort.h"
#include "contact/colliders.h"

#include <string.h>

#define MARGIN 0.5    // radii: margin of a fat box on each side
#define AHEAD 4.0     // steps like the present one that the margin allows for
#define FAR_AHEAD 4.0 // radii: limit of that part of the margin, of solids
// Radii: nodes that move farther in a step are fast. Their margins do not allow for steps to come, which
// would need boxes so large that most pairs would be candidates.
#define FAST 0.1
#define WIDER 32.0 // factor by which the margin of a solid far from all rods grows
#define WIDER_MOST 4

static Aabb box_of(CordVec3 p)
{
    return (Aabb){{p.x, p.y, p.z}, {p.x, p.y, p.z}};
}

static Aabb wider(Aabb box, double more)
{
    for (int k = 0; k < 3; k++) {
        box.lo[k] -= more;
        box.hi[k] += more;
    }
    return box;
}

// The box about a segment's path, as seen from something that moves by `mean` meanwhile.
static Aabb motion_box(const Colliders* cs, const Segment* g, CordVec3 mean, double more)
{
    Aabb box = box_of(cs->searched_from[g->node[0]]);
    aabb_add(&box, cs->searched_from[g->node[1]]);
    aabb_add(&box, vec3_sub(cs->searched_to[g->node[0]], mean));
    aabb_add(&box, vec3_sub(cs->searched_to[g->node[1]], mean));
    return wider(box, g->radius + more);
}

static bool is_within(CordVec3 p, CordVec3 center, double far)
{
    CordVec3 by = vec3_sub(p, center);
    return vec3_dot(by, by) <= far * far;
}

// What wakes sleeping rods is all that could come near them in any direction.
static bool any_sleeps(const Colliders* cs)
{
    bool any = false;
    for (int i = 0; i < cs->rod_count && !any; i++) {
        any = cs->rods[i].rod->rest.asleep;
    }
    return any;
}

// How far the motion of a node of the segment may start and end from where it was searched. Slow nodes may
// also start where they end now, so that the next steps and iterates need no search.
static double slack_of(const Colliders* cs, const Segment* g, int node, bool wakes)
{
    double travel = colliders_node_travel(cs, node), margin = MARGIN * g->radius;
    return travel <= FAST * g->radius  ? margin + (1.0 + AHEAD) * travel
           : wakes                     ? margin + travel
           : cs->rods[g->rod].may_stop ? margin + 0.5 * travel
                                       : margin;
}

static void set_slack(Colliders* cs)
{
    bool wakes = any_sleeps(cs);
    for (int n = 0; n < cs->node_count; n++) {
        cs->searched_from[n] = cs->from[n];
        cs->searched_to[n] = cs->to[n];
        cs->slack[n] = INFINITY;
    }
    for (int i = 0; i < cs->segment_count; i++) {
        const Segment* g = &cs->segments[i];
        for (int k = 0; k < 2; k++) {
            double* slack = &cs->slack[g->node[k]];
            *slack = real_min(*slack, slack_of(cs, g, g->node[k], wakes));
        }
    }
    for (int i = 0; i < cs->rod_count; i++) { // what may stop ends about the middle of its way
        const ColliderRod* r = &cs->rods[i];
        for (int n = r->first_node; n < r->first_node + r->node_count && r->may_stop && !wakes; n++) {
            cs->searched_to[n] = vec3_mul(vec3_add(cs->from[n], cs->to[n]), 0.5);
        }
    }
}

static double segment_slack(const Colliders* cs, const Segment* g)
{
    return real_max(cs->slack[g->node[0]], cs->slack[g->node[1]]) + 0.5 * cs->reach;
}

static SweptBall swept_ball(const Colliders* cs, const Segment* g)
{
    const CordVec3 *from = cs->searched_from, *to = cs->searched_to;
    CordVec3 p = from[g->node[0]], q = from[g->node[1]], r = to[g->node[0]], s = to[g->node[1]];
    double half = 0.5 * real_max(vec3_length(vec3_sub(q, p)), vec3_length(vec3_sub(s, r)));
    return (SweptBall){vec3_mul(vec3_add(p, q), 0.5), vec3_mul(vec3_add(r, s), 0.5),
                       half + g->radius + segment_slack(cs, g)};
}

static void fatten(Colliders* cs, CordVec3 mean)
{
    set_slack(cs);
    for (int i = 0; i < cs->segment_count; i++) {
        const Segment* g = &cs->segments[i];
        cs->boxes[i] = motion_box(cs, g, mean, segment_slack(cs, g));
        cs->balls[i] = swept_ball(cs, g);
    }
}

static bool is_up_to_date(const Colliders* cs)
{
    for (int i = 0; i < cs->solid_count; i++) {
        const ColliderSolid* s = &cs->solids[i];
        if (solid_moved(s, &s->searched, &s->from) > s->margin ||
            solid_moved(s, &s->searched, &s->to) > s->margin) {
            return false;
        }
    }
    for (int n = 0; n < cs->node_count; n++) {
        if (!is_within(cs->from[n], cs->searched_from[n], cs->slack[n]) ||
            !is_within(cs->to[n], cs->searched_to[n], cs->slack[n])) {
            return false;
        }
    }
    return true;
}

typedef struct Search {
    Memory* memory;
    Colliders* colliders;
    int segment, solid;
    MeshFeature kind;
} Search;

static bool add_pair(void* context, int i, int j)
{
    Search* s = context;
    Colliders* cs = s->colliders;
    const SweptBall *a = &cs->balls[i], *b = &cs->balls[j];
    if (!balls_may_meet(a->from, a->to, b->from, b->to, a->radius + b->radius) ||
        filter_rejects_segments(cs, i, j)) {
        return true;
    }
    if (!memory_reserve(s->memory, (void**)&cs->pairs, cs->pair_count + 1, &cs->pair_capacity,
                        sizeof(SegmentPair))) {
        return false;
    }
    SegmentPair* pair = &cs->pairs[cs->pair_count++];
    *pair = (SegmentPair){i, j, -INFINITY};
    double slack = segment_slack(cs, &cs->segments[i]) + segment_slack(cs, &cs->segments[j]);
    pair_note_gap(cs, pair, vec3_length(vec3_sub(a->from, b->from)) - (a->radius + b->radius - slack));
    return true;
}

static bool add_feature(void* context, int i)
{
    Search* s = context;
    Colliders* cs = s->colliders;
    if (!memory_reserve(s->memory, (void**)&cs->mesh_pairs, cs->mesh_pair_count + 1, &cs->mesh_pair_capacity,
                        sizeof(MeshPair))) {
        return false;
    }
    cs->mesh_pairs[cs->mesh_pair_count++] = (MeshPair){s->segment, s->solid, s->kind, i};
    return true;
}

// The box about a world-space box in the axes of a pose, widened by `more`.
static Aabb box_into(const Pose* pose, const Aabb* box, double more)
{
    CordVec3 center = {0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]),
                       0.5 * (box->lo[2] + box->hi[2])};
    CordVec3 c = pose_into(pose, center);
    double half[3] = {0, 0, 0}, at[3] = {c.x, c.y, c.z};
    CordQuat back = {-pose->rotation.x, -pose->rotation.y, -pose->rotation.z, pose->rotation.w};
    for (int k = 0; k < 3; k++) {
        CordVec3 axis = {k == 0, k == 1, k == 2};
        CordVec3 u = vec3_mul(quat_rotate(back, axis), 0.5 * (box->hi[k] - box->lo[k]));
        half[0] += fabs(u.x), half[1] += fabs(u.y), half[2] += fabs(u.z);
    }
    Aabb out;
    for (int k = 0; k < 3; k++) {
        out.lo[k] = at[k] - half[k] - more;
        out.hi[k] = at[k] + half[k] + more;
    }
    return out;
}

static Aabb path_box(const Colliders* cs, int segment)
{
    const Segment* g = &cs->segments[segment];
    return motion_box(cs, g, (CordVec3){0, 0, 0}, segment_slack(cs, g));
}

static bool find_mesh(Memory* m, Colliders* cs, int segment, int solid)
{
    const ColliderSolid* s = &cs->solids[solid];
    Aabb path = path_box(cs, segment), box = box_into(&s->searched, &path, 0.5 * cs->reach + s->margin);
    Search search = {.memory = m, .colliders = cs, .segment = segment, .solid = solid, .kind = MESH_TRIANGLE};
    if (!mesh_triangles_near(s->mesh, &box, add_feature, &search)) {
        return false;
    }
    search.kind = MESH_EDGE;
    return mesh_edges_near(s->mesh, &box, add_feature, &search);
}

static bool find_solid(Memory* m, Colliders* cs, int segment, int solid)
{
    const ColliderSolid* s = &cs->solids[solid];
    const Aabb box = path_box(cs, segment);
    CordVec3 center = {0.5 * (box.lo[0] + box.hi[0]), 0.5 * (box.lo[1] + box.hi[1]),
                       0.5 * (box.lo[2] + box.hi[2])};
    double half2 = 0.0;
    for (int k = 0; k < 3; k++) {
        half2 += 0.25 * (box.hi[k] - box.lo[k]) * (box.hi[k] - box.lo[k]);
    }
    double far = sqrt(half2) + 0.5 * cs->reach + s->margin;
    if (solid_point(&s->solid, pose_into(&s->searched, center)).distance > far) {
        return true;
    }
    if (!memory_reserve(m, (void**)&cs->solid_pairs, cs->solid_pair_count + 1, &cs->solid_pair_capacity,
                        sizeof(SolidPair))) {
        return false;
    }
    cs->solid_pairs[cs->solid_pair_count++] = (SolidPair){segment, solid};
    return true;
}

// The margin holds the whole motion and some more.
static void set_margin(ColliderSolid* s, double thick)
{
    double path = solid_moved(s, &s->from, &s->to);
    s->searched = s->from;
    s->margin = MARGIN * thick + path + real_min(AHEAD * path, FAR_AHEAD * thick);
}

static bool add_near(void* context, int i)
{
    Search* s = context;
    Colliders* cs = s->colliders;
    if (!memory_grow(s->memory, (void**)&cs->near, cs->near_count, &cs->near_capacity, sizeof(int))) {
        return false;
    }
    cs->near[cs->near_count++] = i;
    return true;
}

static int order_of_ints(const void* p, const void* q)
{
    int a = *(const int*)p, b = *(const int*)q;
    return (a > b) - (a < b);
}

// With more than one in MANY segments near, going through all segments is faster than sorting.
#define MANY 64

// Sorts them in ascending order, which does not depend on the hierarchy.
static bool order_near(Memory* m, Colliders* cs)
{
    if (MANY * (int64_t)cs->near_count < cs->segment_count) {
        heap_sort(cs->near, cs->near_count, sizeof *cs->near, order_of_ints);
        return true;
    }
    if (!memory_reserve(m, (void**)&cs->starts, cs->segment_count + 1, &cs->start_capacity, sizeof(int))) {
        return false;
    }
    memset(cs->starts, 0, sizeof *cs->starts * (size_t)cs->segment_count);
    for (int n = 0; n < cs->near_count; n++) {
        cs->starts[cs->near[n]] = 1;
    }
    cs->near_count = 0;
    for (int i = 0; i < cs->segment_count; i++) {
        if (cs->starts[i]) {
            cs->near[cs->near_count++] = i;
        }
    }
    return true;
}

// The box about an analytic solid, by its support function, which may be infinite, or that about the bounding
// ball of a mesh.
static Aabb solid_box_of(const ColliderSolid* s)
{
    Aabb box = box_of(s->searched.point);
    if (s->mesh) {
        return wider(box, solid_extent(s));
    }
    CordQuat q = s->searched.rotation, back = {-q.x, -q.y, -q.z, q.w};
    for (int k = 0; k < 3; k++) {
        CordVec3 n = quat_rotate(back, (CordVec3){k == 0, k == 1, k == 2});
        box.hi[k] += cord_solid_support(&s->solid, n);
        box.lo[k] -= cord_solid_support(&s->solid, vec3_mul(n, -1.0));
    }
    return box;
}

// Finds the segments near the box of a solid, which moves by -mean as seen from the boxes.
static bool find_near(Memory* m, Colliders* cs, int solid, CordVec3 mean, double margin)
{
    const ColliderSolid* s = &cs->solids[solid];
    Search search = {.memory = m, .colliders = cs};
    Aabb box = solid_box_of(s);
    const double by[3] = {mean.x, mean.y, mean.z};
    for (int k = 0; k < 3; k++) {
        box.lo[k] -= real_max(by[k], 0.0);
        box.hi[k] -= real_min(by[k], 0.0);
    }
    box = wider(box, 0.5 * cs->reach + margin);
    cs->near_count = 0;
    return bvh_query(&cs->bvh, cs->boxes, &box, add_near, &search);
}

// A solid far from all rods gets a larger margin, so that it is not searched again soon.
static bool widen_margin(Memory* m, Colliders* cs, int solid, CordVec3 mean)
{
    ColliderSolid* s = &cs->solids[solid];
    for (int i = 0; i < WIDER_MOST && cs->near_count == 0 && isfinite(s->margin); i++) {
        if (!find_near(m, cs, solid, mean, WIDER * s->margin)) {
            return false;
        }
        s->margin = cs->near_count == 0 ? WIDER * s->margin : s->margin;
    }
    cs->near_count = 0;
    return true;
}

static bool find_solids(Memory* m, Colliders* cs, CordVec3 mean)
{
    double thick = 0.0;
    for (int i = 0; i < cs->segment_count; i++) {
        thick = real_max(thick, cs->segments[i].radius);
    }
    for (int k = 0; k < cs->solid_count; k++) {
        set_margin(&cs->solids[k], thick);
        if (!find_near(m, cs, k, mean, cs->solids[k].margin) ||
            (cs->near_count == 0 && !widen_margin(m, cs, k, mean))) {
            return false;
        }
        if (!order_near(m, cs)) {
            return false;
        }
        for (int n = 0; n < cs->near_count; n++) {
            int i = cs->near[n];
            if (!filter_rejects_solid(cs, i, k) &&
                !(cs->solids[k].mesh ? find_mesh(m, cs, i, k) : find_solid(m, cs, i, k))) {
                return false;
            }
        }
    }
    return true;
}

// Counting sort by b, then by a: an order that does not depend on the hierarchy.
static void sort_pairs_by(Colliders* cs, const SegmentPair* from, SegmentPair* to, bool by_a)
{
    memset(cs->starts, 0, sizeof *cs->starts * (size_t)(cs->segment_count + 1));
    for (int i = 0; i < cs->pair_count; i++) {
        cs->starts[(by_a ? from[i].a : from[i].b) + 1]++;
    }
    for (int i = 0; i < cs->segment_count; i++) {
        cs->starts[i + 1] += cs->starts[i];
    }
    for (int i = 0; i < cs->pair_count; i++) {
        to[cs->starts[by_a ? from[i].a : from[i].b]++] = from[i];
    }
}

static bool sort_pairs(Memory* m, Colliders* cs)
{
    if (!memory_reserve(m, (void**)&cs->unsorted, cs->pair_count, &cs->unsorted_capacity,
                        sizeof(SegmentPair)) ||
        !memory_reserve(m, (void**)&cs->starts, cs->segment_count + 1, &cs->start_capacity, sizeof(int))) {
        return false;
    }
    sort_pairs_by(cs, cs->pairs, cs->unsorted, false);
    sort_pairs_by(cs, cs->unsorted, cs->pairs, true);
    return true;
}

bool broad_phase_update(Memory* m, Colliders* cs)
{
    if (cs->candidates_valid && is_up_to_date(cs)) {
        return true;
    }
    cs->pair_count = cs->solid_pair_count = cs->mesh_pair_count = 0;
    cs->candidates_valid = false;
    cs->searches++;
    CordVec3 mean = colliders_mean_motion(cs, cs->from, cs->to);
    for (int i = 0; i < cs->segment_count; i++) {
        cs->travel[i] = 0.0;
    }
    colliders_find_away(cs, cs->from);
    fatten(cs, mean);
    Search search = {.memory = m, .colliders = cs};
    if (!bvh_fit(m, &cs->bvh, cs->boxes, cs->segment_count) ||
        (!cs->rods_pass && !bvh_pairs(&cs->bvh, cs->boxes, add_pair, &search)) || !find_solids(m, cs, mean) ||
        (cs->pair_count > 0 && !sort_pairs(m, cs))) {
        return false;
    }
    cs->candidates_valid = true;
    return true;
}
