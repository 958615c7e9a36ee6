// Broad phase: candidate pairs of segments, solids and mesh features, by fat boxes in a bounding-volume
// hierarchy.
#include "base/real.h"
#include "base/sort.h"
#include "contact/colliders.h"

#include <string.h>

#define MARGIN 0.5    // radii: margin of a fat box on each side
#define AHEAD 4.0     // steps like the present one that the margin allows for
#define FAR_AHEAD 4.0 // radii: limit of that part of the margin
#define WIDER 32.0    // factor by which the margin of a solid far from all rods grows
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

static Aabb motion_box(const Colliders* cs, const Segment* g, double more)
{
    Aabb box = box_of(cs->from[g->node[0]]);
    aabb_add(&box, cs->from[g->node[1]]);
    aabb_add(&box, cs->to[g->node[0]]);
    aabb_add(&box, cs->to[g->node[1]]);
    return wider(box, g->radius + more);
}

static bool box_has(const Aabb* box, CordVec3 p)
{
    return p.x >= box->lo[0] && p.x <= box->hi[0] && p.y >= box->lo[1] && p.y <= box->hi[1] &&
           p.z >= box->lo[2] && p.z <= box->hi[2];
}

static double margin_of(const Colliders* cs, const Segment* g)
{
    double ahead =
        AHEAD * real_max(colliders_node_travel(cs, g->node[0]), colliders_node_travel(cs, g->node[1]));
    return MARGIN * g->radius + real_min(ahead, FAR_AHEAD * g->radius);
}

// A node may move as far as the margins of both its segments' boxes allow.
static void fatten(Colliders* cs)
{
    for (int n = 0; n < cs->node_count; n++) {
        cs->node_bounds[n] = (Aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    for (int i = 0; i < cs->segment_count; i++) {
        const Segment* g = &cs->segments[i];
        double margin = margin_of(cs, g);
        cs->boxes[i] = motion_box(cs, g, 0.5 * cs->reach + margin);
        for (int k = 0; k < 2; k++) {
            Aabb own = box_of(cs->from[g->node[k]]), *all = &cs->node_bounds[g->node[k]];
            aabb_add(&own, cs->to[g->node[k]]);
            own = wider(own, margin);
            for (int c = 0; c < 3; c++) {
                all->lo[c] = real_max(all->lo[c], own.lo[c]);
                all->hi[c] = real_min(all->hi[c], own.hi[c]);
            }
        }
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
        if (!box_has(&cs->node_bounds[n], cs->from[n]) || !box_has(&cs->node_bounds[n], cs->to[n])) {
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
    if (filter_rejects_segments(cs, i, j)) {
        return true;
    }
    if (!memory_reserve(s->memory, (void**)&cs->pairs, cs->pair_count + 1, &cs->pair_capacity,
                        sizeof(SegmentPair))) {
        return false;
    }
    cs->pairs[cs->pair_count++] = (SegmentPair){i, j, -INFINITY};
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

static bool find_mesh(Memory* m, Colliders* cs, int segment, int solid)
{
    const ColliderSolid* s = &cs->solids[solid];
    Aabb box = box_into(&s->searched, &cs->boxes[segment], 0.5 * cs->reach + s->margin);
    Search search = {m, cs, segment, solid, MESH_TRIANGLE};
    if (!mesh_triangles_near(s->mesh, &box, add_feature, &search)) {
        return false;
    }
    search.kind = MESH_EDGE;
    return mesh_edges_near(s->mesh, &box, add_feature, &search);
}

static bool find_solid(Memory* m, Colliders* cs, int segment, int solid)
{
    const ColliderSolid* s = &cs->solids[solid];
    const Aabb* box = &cs->boxes[segment];
    CordVec3 center = {0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]),
                       0.5 * (box->lo[2] + box->hi[2])};
    double half2 = 0.0;
    for (int k = 0; k < 3; k++) {
        half2 += 0.25 * (box->hi[k] - box->lo[k]) * (box->hi[k] - box->lo[k]);
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
#define MANY 8

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

// Finds the segments near the bounding ball of a solid.
static bool find_near(Memory* m, Colliders* cs, int solid, double margin)
{
    const ColliderSolid* s = &cs->solids[solid];
    Search search = {.memory = m, .colliders = cs};
    Aabb box = wider(box_of(s->searched.point), solid_extent(s) + 0.5 * cs->reach + margin);
    cs->near_count = 0;
    return bvh_query(&cs->bvh, cs->boxes, &box, add_near, &search);
}

// A solid far from all rods gets a larger margin, so that it is not searched again soon.
static bool widen_margin(Memory* m, Colliders* cs, int solid)
{
    ColliderSolid* s = &cs->solids[solid];
    for (int i = 0; i < WIDER_MOST && cs->near_count == 0 && isfinite(s->margin); i++) {
        if (!find_near(m, cs, solid, WIDER * s->margin)) {
            return false;
        }
        s->margin = cs->near_count == 0 ? WIDER * s->margin : s->margin;
    }
    cs->near_count = 0;
    return true;
}

static bool find_solids(Memory* m, Colliders* cs)
{
    double thick = 0.0;
    for (int i = 0; i < cs->segment_count; i++) {
        thick = real_max(thick, cs->segments[i].radius);
    }
    for (int k = 0; k < cs->solid_count; k++) {
        set_margin(&cs->solids[k], thick);
        if (!find_near(m, cs, k, cs->solids[k].margin) || (cs->near_count == 0 && !widen_margin(m, cs, k))) {
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
    cs->travel = 0.0;
    fatten(cs);
    Search search = {.memory = m, .colliders = cs};
    if (!bvh_fit(m, &cs->bvh, cs->boxes, cs->segment_count) ||
        (!cs->rods_pass && !bvh_pairs(&cs->bvh, cs->boxes, add_pair, &search)) || !find_solids(m, cs) ||
        (cs->pair_count > 0 && !sort_pairs(m, cs))) {
        return false;
    }
    cs->candidates_valid = true;
    return true;
}
