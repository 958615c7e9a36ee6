// Who is near whom.
#include "base/real.h"
#include "base/sort.h"
#include "contact/kin.h"
#include "contact/stage.h"

#include <string.h>

#define ROOM 0.5      // of a radius: what a fat box has to spare on each side
#define AHEAD 4.0     // steps as long as the present one for which it lasts
#define FAR_AHEAD 4.0 // radii: at the most
#define WIDER 32.0    // times the room that solids have which are far from all rods
#define WIDER_MOST 4

static void grow_box(Box* box, CordVec3 p)
{
    double x[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++) {
        box->lo[k] = x[k] < box->lo[k] ? x[k] : box->lo[k];
        box->hi[k] = x[k] > box->hi[k] ? x[k] : box->hi[k];
    }
}

static Box box_of(CordVec3 p)
{
    return (Box){{p.x, p.y, p.z}, {p.x, p.y, p.z}};
}

static Box wider(Box box, double more)
{
    for (int k = 0; k < 3; k++) {
        box.lo[k] -= more;
        box.hi[k] += more;
    }
    return box;
}

static Box swept_box(const Stage* st, const Segment* g, double more)
{
    Box box = box_of(st->from[g->node[0]]);
    grow_box(&box, st->from[g->node[1]]);
    grow_box(&box, st->to[g->node[0]]);
    grow_box(&box, st->to[g->node[1]]);
    return wider(box, g->radius + more);
}

static bool box_has(const Box* box, CordVec3 p)
{
    return p.x >= box->lo[0] && p.x <= box->hi[0] && p.y >= box->lo[1] && p.y <= box->hi[1] &&
           p.z >= box->lo[2] && p.z <= box->hi[2];
}

static double room_of(const Stage* st, const Segment* g)
{
    double ahead = AHEAD * real_max(stage_way(st, g->node[0]), stage_way(st, g->node[1]));
    return ROOM * g->radius + real_min(ahead, FAR_AHEAD * g->radius);
}

// A node may go as far as both boxes that hold it have room for.
static void fatten(Stage* st)
{
    for (int n = 0; n < st->node_count; n++) {
        st->rooms[n] = (Box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    for (int i = 0; i < st->segment_count; i++) {
        const Segment* g = &st->segments[i];
        double room = room_of(st, g);
        st->boxes[i] = swept_box(st, g, 0.5 * st->reach + room);
        for (int k = 0; k < 2; k++) {
            Box own = box_of(st->from[g->node[k]]), *all = &st->rooms[g->node[k]];
            grow_box(&own, st->to[g->node[k]]);
            own = wider(own, room);
            for (int c = 0; c < 3; c++) {
                all->lo[c] = real_max(all->lo[c], own.lo[c]);
                all->hi[c] = real_min(all->hi[c], own.hi[c]);
            }
        }
    }
}

static bool is_up_to_date(const Stage* st)
{
    for (int i = 0; i < st->solid_count; i++) {
        const StageSolid* s = &st->solids[i];
        if (solid_moved(s, &s->searched, &s->from) > s->room ||
            solid_moved(s, &s->searched, &s->to) > s->room) {
            return false;
        }
    }
    for (int n = 0; n < st->node_count; n++) {
        if (!box_has(&st->rooms[n], st->from[n]) || !box_has(&st->rooms[n], st->to[n])) {
            return false;
        }
    }
    return true;
}

typedef struct Search {
    Memory* memory;
    Stage* stage;
    int segment, solid;
    MeshFeature kind;
} Search;

static bool note_pair(void* context, int i, int j)
{
    Search* s = context;
    Stage* st = s->stage;
    if (kin_segments(st, i, j)) {
        return true;
    }
    if (!memory_reserve(s->memory, (void**)&st->pairs, st->pair_count + 1, &st->pair_capacity,
                        sizeof(SegmentPair))) {
        return false;
    }
    st->pairs[st->pair_count++] = (SegmentPair){i, j, -INFINITY};
    return true;
}

static bool note_feature(void* context, int i)
{
    Search* s = context;
    Stage* st = s->stage;
    if (!memory_reserve(s->memory, (void**)&st->mesh_pairs, st->mesh_pair_count + 1, &st->mesh_pair_capacity,
                        sizeof(MeshPair))) {
        return false;
    }
    st->mesh_pairs[st->mesh_pair_count++] = (MeshPair){s->segment, s->solid, s->kind, i};
    return true;
}

// A box of space in the axes of a pose, wider by some.
static Box box_into(const Pose* pose, const Box* box, double more)
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
    Box out;
    for (int k = 0; k < 3; k++) {
        out.lo[k] = at[k] - half[k] - more;
        out.hi[k] = at[k] + half[k] + more;
    }
    return out;
}

static bool find_mesh(Memory* m, Stage* st, int segment, int solid)
{
    const StageSolid* s = &st->solids[solid];
    Box box = box_into(&s->searched, &st->boxes[segment], 0.5 * st->reach + s->room);
    Search search = {m, st, segment, solid, MESH_TRIANGLE};
    if (!mesh_triangles_near(s->mesh, &box, note_feature, &search)) {
        return false;
    }
    search.kind = MESH_EDGE;
    return mesh_edges_near(s->mesh, &box, note_feature, &search);
}

static bool find_solid(Memory* m, Stage* st, int segment, int solid)
{
    const StageSolid* s = &st->solids[solid];
    const Box* box = &st->boxes[segment];
    CordVec3 center = {0.5 * (box->lo[0] + box->hi[0]), 0.5 * (box->lo[1] + box->hi[1]),
                       0.5 * (box->lo[2] + box->hi[2])};
    double half2 = 0.0;
    for (int k = 0; k < 3; k++) {
        half2 += 0.25 * (box->hi[k] - box->lo[k]) * (box->hi[k] - box->lo[k]);
    }
    double far = sqrt(half2) + 0.5 * st->reach + s->room;
    if (solid_point(&s->solid, pose_into(&s->searched, center)).distance > far) {
        return true;
    }
    if (!memory_reserve(m, (void**)&st->solid_pairs, st->solid_pair_count + 1, &st->solid_pair_capacity,
                        sizeof(SolidPair))) {
        return false;
    }
    st->solid_pairs[st->solid_pair_count++] = (SolidPair){segment, solid};
    return true;
}

// All of its way, and some more.
static void set_room(StageSolid* s, double thick)
{
    double way = solid_moved(s, &s->from, &s->to);
    s->searched = s->from;
    s->room = ROOM * thick + way + real_min(AHEAD * way, FAR_AHEAD * thick);
}

static bool note_near(void* context, int i)
{
    Search* s = context;
    Stage* st = s->stage;
    if (!memory_grow(s->memory, (void**)&st->near, st->near_count, &st->near_capacity, sizeof(int))) {
        return false;
    }
    st->near[st->near_count++] = i;
    return true;
}

static int order_of_ints(const void* p, const void* q)
{
    int a = *(const int*)p, b = *(const int*)q;
    return (a > b) - (a < b);
}

// One in so many of all segments: that they are all gone through takes less time than sorting, then.
#define MANY 8

// In ascending order, which does not depend on the tree's.
static bool order_near(Memory* m, Stage* st)
{
    if (MANY * (int64_t)st->near_count < st->segment_count) {
        heap_sort(st->near, st->near_count, sizeof *st->near, order_of_ints);
        return true;
    }
    if (!memory_reserve(m, (void**)&st->starts, st->segment_count + 1, &st->start_capacity, sizeof(int))) {
        return false;
    }
    memset(st->starts, 0, sizeof *st->starts * (size_t)st->segment_count);
    for (int n = 0; n < st->near_count; n++) {
        st->starts[st->near[n]] = 1;
    }
    st->near_count = 0;
    for (int i = 0; i < st->segment_count; i++) {
        if (st->starts[i]) {
            st->near[st->near_count++] = i;
        }
    }
    return true;
}

// Segments near the ball that holds a solid.
static bool find_near(Memory* m, Stage* st, int solid, double room)
{
    const StageSolid* s = &st->solids[solid];
    Search search = {.memory = m, .stage = st};
    Box box = wider(box_of(s->searched.point), solid_extent(s) + 0.5 * st->reach + room);
    st->near_count = 0;
    return tree_hits(&st->tree, st->boxes, &box, note_near, &search);
}

// What is far from all rods has room to come nearer.
static bool widen_room(Memory* m, Stage* st, int solid)
{
    StageSolid* s = &st->solids[solid];
    for (int i = 0; i < WIDER_MOST && st->near_count == 0 && isfinite(s->room); i++) {
        if (!find_near(m, st, solid, WIDER * s->room)) {
            return false;
        }
        s->room = st->near_count == 0 ? WIDER * s->room : s->room;
    }
    st->near_count = 0;
    return true;
}

static bool find_solids(Memory* m, Stage* st)
{
    double thick = 0.0;
    for (int i = 0; i < st->segment_count; i++) {
        thick = real_max(thick, st->segments[i].radius);
    }
    for (int k = 0; k < st->solid_count; k++) {
        set_room(&st->solids[k], thick);
        if (!find_near(m, st, k, st->solids[k].room) || (st->near_count == 0 && !widen_room(m, st, k))) {
            return false;
        }
        if (!order_near(m, st)) {
            return false;
        }
        for (int n = 0; n < st->near_count; n++) {
            int i = st->near[n];
            if (!kin_solid(st, i, k) &&
                !(st->solids[k].mesh ? find_mesh(m, st, i, k) : find_solid(m, st, i, k))) {
                return false;
            }
        }
    }
    return true;
}

// By a counting sort, by b and then by a: an order that does not depend on the tree's.
static void sort_pairs_by(Stage* st, const SegmentPair* from, SegmentPair* to, bool by_a)
{
    memset(st->starts, 0, sizeof *st->starts * (size_t)(st->segment_count + 1));
    for (int i = 0; i < st->pair_count; i++) {
        st->starts[(by_a ? from[i].a : from[i].b) + 1]++;
    }
    for (int i = 0; i < st->segment_count; i++) {
        st->starts[i + 1] += st->starts[i];
    }
    for (int i = 0; i < st->pair_count; i++) {
        to[st->starts[by_a ? from[i].a : from[i].b]++] = from[i];
    }
}

static bool sort_pairs(Memory* m, Stage* st)
{
    if (!memory_reserve(m, (void**)&st->unsorted, st->pair_count, &st->unsorted_capacity,
                        sizeof(SegmentPair)) ||
        !memory_reserve(m, (void**)&st->starts, st->segment_count + 1, &st->start_capacity, sizeof(int))) {
        return false;
    }
    sort_pairs_by(st, st->pairs, st->unsorted, false);
    sort_pairs_by(st, st->unsorted, st->pairs, true);
    return true;
}

bool stage_search(Memory* m, Stage* st)
{
    if (st->found && is_up_to_date(st)) {
        return true;
    }
    st->pair_count = st->solid_pair_count = st->mesh_pair_count = 0;
    st->found = false;
    st->searches++;
    st->travel = 0.0;
    fatten(st);
    Search search = {.memory = m, .stage = st};
    if (!tree_fit(m, &st->tree, st->boxes, st->segment_count) ||
        (!st->rods_pass && !tree_pairs(&st->tree, st->boxes, note_pair, &search)) || !find_solids(m, st) ||
        (st->pair_count > 0 && !sort_pairs(m, st))) {
        return false;
    }
    st->found = true;
    return true;
}
