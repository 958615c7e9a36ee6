#include "contact/stage.h"

#include "math/trig.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 0.5      // of a radius: what a fat box has to spare on each side
#define AHEAD 4.0     // steps as long as the present one for which it lasts
#define FAR_AHEAD 4.0 // radii: at the most

// ---- putting on stage

void stage_clear(Stage* st)
{
    st->rod_count = st->segment_count = st->node_count = st->solid_count = 0;
    st->pair_count = st->solid_pair_count = st->mesh_pair_count = 0;
    st->found = false;
}

static bool grow_to(Memory* m, void** array, int count, int* capacity, size_t size)
{
    if (count <= *capacity) {
        return true;
    }
    int room = count > 2 * *capacity ? count : 2 * *capacity;
    void* larger = memory_alloc(m, size * (size_t)room);
    if (!larger) {
        return false;
    }
    if (*capacity > 0) {
        memcpy(larger, *array, size * (size_t)*capacity);
    }
    memory_free(m, *array, size * (size_t)*capacity);
    *array = larger;
    *capacity = room;
    return true;
}

static bool grow_nodes(Memory* m, Stage* st, int count)
{
    CordVec3** arrays[3] = {&st->begin, &st->from, &st->to};
    int capacity = st->node_capacity;
    for (int i = 0; i < 3; i++) {
        int own = st->node_capacity;
        if (!grow_to(m, (void**)arrays[i], count, &own, sizeof(CordVec3))) {
            return false; // those that grew are larger than they need be, and freed by what they are known to be
        }
        capacity = own;
    }
    st->node_capacity = capacity;
    return true;
}

bool stage_add_rod(Memory* m, Stage* st, Rod* rod, int index)
{
    const CordCenterline* c = &rod->line;
    int nodes = st->node_count + c->node_count, segments = st->segment_count + c->edge_count;
    if (!grow_to(m, (void**)&st->rods, st->rod_count + 1, &st->rod_capacity, sizeof(StageRod)) ||
        !grow_to(m, (void**)&st->segments, segments, &st->segment_capacity, sizeof(Segment)) ||
        !grow_to(m, (void**)&st->boxes, segments, &st->box_capacity, sizeof(Box)) || !grow_nodes(m, st, nodes)) {
        return false;
    }
    double arc = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        double next = arc + edge_rest_len(c, j);
        st->segments[st->segment_count + j] =
            (Segment){.node = {st->node_count + j, st->node_count + edge_end(c, j)},
                      .rod = st->rod_count,
                      .edge = j,
                      .radius = rod_radius_at(rod, j),
                      .arc = {arc, next}};
        arc = next;
    }
    st->rods[st->rod_count++] = (StageRod){.rod = rod,
                                           .index = index,
                                           .first_node = st->node_count,
                                           .first_segment = st->segment_count,
                                           .node_count = c->node_count,
                                           .segment_count = c->edge_count};
    st->node_count = nodes;
    st->segment_count = segments;
    st->found = false;
    return true;
}

bool stage_add_solid(Memory* m, Stage* st, const StageSolid* solid)
{
    if (!grow_to(m, (void**)&st->solids, st->solid_count + 1, &st->solid_capacity, sizeof(StageSolid)) ||
        !grow_to(m, (void**)&st->searched, st->solid_count + 1, &st->searched_capacity, sizeof(Pose))) {
        return false;
    }
    st->solids[st->solid_count++] = *solid;
    st->found = false;
    return true;
}

void stage_free(Memory* m, Stage* st)
{
    memory_array_free(m, st->rods, st->rod_capacity);
    memory_array_free(m, st->segments, st->segment_capacity);
    memory_array_free(m, st->boxes, st->box_capacity);
    memory_array_free(m, st->begin, st->node_capacity);
    memory_array_free(m, st->from, st->node_capacity);
    memory_array_free(m, st->to, st->node_capacity);
    memory_array_free(m, st->solids, st->solid_capacity);
    memory_array_free(m, st->searched, st->searched_capacity);
    memory_array_free(m, st->pairs, st->pair_capacity);
    memory_array_free(m, st->solid_pairs, st->solid_pair_capacity);
    memory_array_free(m, st->mesh_pairs, st->mesh_pair_capacity);
    tree_free(m, &st->tree);
    *st = (Stage){0};
}

void stage_begin(Stage* st)
{
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        for (int n = 0; n < r->node_count; n++) {
            st->begin[r->first_node + n] = node_position(&r->rod->line, n);
        }
    }
    size_t size = sizeof(CordVec3) * (size_t)st->node_count;
    if (size > 0) {
        memcpy(st->from, st->begin, size);
        memcpy(st->to, st->begin, size);
    }
    for (int i = 0; i < st->solid_count; i++) {
        st->solids[i].from = st->solids[i].to = st->solids[i].begin;
    }
}

void stage_move_solids(Stage* st, double share)
{
    for (int i = 0; i < st->solid_count; i++) {
        StageSolid* s = &st->solids[i];
        if (s->kind == CORD_TOUCH_BODY) { // moved by what pushes it
            continue;
        }
        s->to = share == 1.0 ? s->goal : pose_between(s->from, s->goal, share);
    }
}

CordVec3 stage_point(const Stage* st, const CordVec3* x, int segment, double s)
{
    const Segment* g = &st->segments[segment];
    CordVec3 a = x[g->node[0]], b = x[g->node[1]];
    return vec3_madd(vec3_mul(a, 1.0 - s), b, s);
}

CordVec3 stage_edge(const Stage* st, const CordVec3* x, int segment)
{
    const Segment* g = &st->segments[segment];
    return vec3_sub(x[g->node[1]], x[g->node[0]]);
}

// ---- who is near whom

// A rod that bends as sharply as its own radius allows needs half a turn to touch itself.
bool stage_are_neighbours(const Stage* st, int a, int b)
{
    const Segment *p = &st->segments[a], *q = &st->segments[b];
    if (p->rod != q->rod) {
        return false;
    }
    const Rod* rod = st->rods[p->rod].rod;
    double gap = p->arc[0] < q->arc[0] ? q->arc[0] - p->arc[1] : p->arc[0] - q->arc[1];
    if (rod->line.closed) {
        double span = fmax(p->arc[1], q->arc[1]) - fmin(p->arc[0], q->arc[0]);
        gap = fmin(gap, rod->length - span);
    }
    return gap < 0.5 * CORD_PI * (p->radius + q->radius);
}

static void grow_box(Box* box, CordVec3 p)
{
    double x[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++) {
        box->lo[k] = fmin(box->lo[k], x[k]);
        box->hi[k] = fmax(box->hi[k], x[k]);
    }
}

static Box box_of(CordVec3 p)
{
    return (Box){{p.x, p.y, p.z}, {p.x, p.y, p.z}};
}

static Box swept_box(const Stage* st, const Segment* g, double more)
{
    Box box = box_of(st->from[g->node[0]]);
    grow_box(&box, st->from[g->node[1]]);
    grow_box(&box, st->to[g->node[0]]);
    grow_box(&box, st->to[g->node[1]]);
    for (int k = 0; k < 3; k++) {
        box.lo[k] -= g->radius + more;
        box.hi[k] += g->radius + more;
    }
    return box;
}

static double way(const Stage* st, int node)
{
    return vec3_length(vec3_sub(st->to[node], st->from[node]));
}

static void fatten(Stage* st)
{
    st->slack = 0.0;
    for (int i = 0; i < st->segment_count; i++) {
        const Segment* g = &st->segments[i];
        double ahead = AHEAD * fmax(way(st, g->node[0]), way(st, g->node[1]));
        double room = ROOM * g->radius + fmin(ahead, FAR_AHEAD * g->radius);
        st->boxes[i] = swept_box(st, g, 0.5 * st->reach + room);
        st->slack = fmax(st->slack, ROOM * g->radius);
    }
}

// How far any point of a solid has moved, at the most.
static double moved(const StageSolid* s, const Pose* before, const Pose* now)
{
    CordQuat p = before->rotation, q = now->rotation;
    double c = fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w), radius;
    double turn = c < 1.0 ? 2.0 * sqrt(2.0 * (1.0 - c)) : 0.0; // no less than the angle's chord
    if (s->mesh) {
        double far2 = 0.0;
        for (int k = 0; k < 3; k++) {
            double far = fmax(fabs(s->mesh->box.lo[k]), fabs(s->mesh->box.hi[k]));
            far2 += far * far;
        }
        radius = sqrt(far2);
    } else {
        radius = solid_radius(&s->solid);
    }
    return vec3_length(vec3_sub(now->point, before->point)) + (turn > 0.0 ? turn * radius : 0.0);
}

static bool is_up_to_date(const Stage* st)
{
    for (int i = 0; i < st->solid_count; i++) {
        const StageSolid* s = &st->solids[i];
        if (moved(s, &st->searched[i], &s->from) > st->slack || moved(s, &st->searched[i], &s->to) > st->slack) {
            return false;
        }
    }
    for (int i = 0; i < st->segment_count; i++) {
        Box box = swept_box(st, &st->segments[i], 0.5 * st->reach);
        if (!box_holds(&st->boxes[i], &box)) {
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
    if (stage_are_neighbours(st, i, j)) {
        return true;
    }
    if (!grow_to(s->memory, (void**)&st->pairs, st->pair_count + 1, &st->pair_capacity, sizeof(SegmentPair))) {
        return false;
    }
    st->pairs[st->pair_count++] = (SegmentPair){i, j};
    return true;
}

static bool note_feature(void* context, int i)
{
    Search* s = context;
    Stage* st = s->stage;
    if (!grow_to(s->memory, (void**)&st->mesh_pairs, st->mesh_pair_count + 1, &st->mesh_pair_capacity,
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
    Box box = box_into(&s->from, &st->boxes[segment], 0.5 * st->reach + st->slack);
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
    double far = sqrt(half2) + 0.5 * st->reach + st->slack;
    if (solid_point(&s->solid, pose_into(&s->from, center)).distance > far) {
        return true;
    }
    if (!grow_to(m, (void**)&st->solid_pairs, st->solid_pair_count + 1, &st->solid_pair_capacity,
                 sizeof(SolidPair))) {
        return false;
    }
    st->solid_pairs[st->solid_pair_count++] = (SolidPair){segment, solid};
    return true;
}

static bool is_welded(const Stage* st, int segment, int solid)
{
    const Rod* rod = st->rods[st->segments[segment].rod].rod;
    const Pose* carrier = st->solids[solid].carrier;
    for (int i = 0; carrier && i < rod->clamp_count; i++) {
        if (rod->clamps[i]->carrier == carrier) {
            return true;
        }
    }
    return false;
}

static bool find_solids(Memory* m, Stage* st)
{
    for (int k = 0; k < st->solid_count; k++) {
        st->searched[k] = st->solids[k].from;
        for (int i = 0; i < st->segment_count; i++) {
            if (is_welded(st, i, k)) {
                continue;
            }
            if (!(st->solids[k].mesh ? find_mesh(m, st, i, k) : find_solid(m, st, i, k))) {
                return false;
            }
        }
    }
    return true;
}

static int compare_pairs(const void* p, const void* q)
{
    const SegmentPair *a = p, *b = q;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b < b->b ? -1 : a->b > b->b;
}

bool stage_search(Memory* m, Stage* st)
{
    if (st->found && is_up_to_date(st)) {
        return true;
    }
    st->pair_count = st->solid_pair_count = st->mesh_pair_count = 0;
    st->found = false;
    st->searches++;
    fatten(st);
    Search search = {.memory = m, .stage = st};
    if (!tree_fit(m, &st->tree, st->boxes, st->segment_count) ||
        !tree_pairs(&st->tree, st->boxes, note_pair, &search) || !find_solids(m, st)) {
        return false;
    }
    if (st->pair_count > 0) { // an order that does not depend on the tree's
        qsort(st->pairs, (size_t)st->pair_count, sizeof *st->pairs, compare_pairs);
    }
    st->found = true;
    return true;
}

// ---- how far all can go

static SweptPoint swept(const Stage* st, int node)
{
    return (SweptPoint){st->from[node], st->to[node]};
}

#define PASSING (-1.0) // as share_left: half of what they would touch at

// The distance that is not to be gone below, of what is `apart` now and touches at `touch`.
static double least_apart(double apart, double touch, double share_left)
{
    return share_left == PASSING ? 0.5 * fmin(apart, touch)
           : apart > touch       ? touch + share_left * (apart - touch)
                                 : 0.9 * apart;
}

static double sweep_pair(const Stage* st, const SegmentPair* pair, double share_left)
{
    const Segment *a = &st->segments[pair->a], *b = &st->segments[pair->b];
    SweptPoint p[2] = {swept(st, a->node[0]), swept(st, a->node[1])},
               q[2] = {swept(st, b->node[0]), swept(st, b->node[1])};
    double bound =
        fmax(way(st, a->node[0]), way(st, a->node[1])) + fmax(way(st, b->node[0]), way(st, b->node[1]));
    Closest now = segment_segment(p[0].from, p[1].from, q[0].from, q[1].from);
    double near = least_apart(now.distance, a->radius + b->radius, share_left);
    return now.distance - bound >= near ? 1.0 : sweep_segments(p, q, near);
}

static SweptPoint swept_into(const Stage* st, const StageSolid* s, int node)
{
    return (SweptPoint){pose_into(&s->from, st->from[node]), pose_into(&s->to, st->to[node])};
}

static double sweep_solid(const Stage* st, const SolidPair* pair, double share_left)
{
    const Segment* g = &st->segments[pair->segment];
    const StageSolid* s = &st->solids[pair->solid];
    SweptPoint p[2] = {swept_into(st, s, g->node[0]), swept_into(st, s, g->node[1])};
    double bound = fmax(vec3_length(vec3_sub(p[0].to, p[0].from)), vec3_length(vec3_sub(p[1].to, p[1].from)));
    double now = solid_segment(&s->solid, p[0].from, p[1].from, g->radius + st->reach + bound).distance;
    double near = least_apart(now, g->radius, share_left);
    return now - bound >= near ? 1.0 : solid_sweep(&s->solid, p, near);
}

static double sweep_mesh(const Stage* st, const MeshPair* pair, double share_left)
{
    const Segment* g = &st->segments[pair->segment];
    const StageSolid* s = &st->solids[pair->solid];
    SweptPoint p[2] = {swept_into(st, s, g->node[0]), swept_into(st, s, g->node[1])}, t[3];
    const int* corner = pair->kind == MESH_TRIANGLE ? s->mesh->triangles + 3 * pair->feature
                                                    : s->mesh->edges + 2 * pair->feature;
    int corners = pair->kind == MESH_TRIANGLE ? 3 : 2;
    for (int k = 0; k < corners; k++) {
        t[k].from = t[k].to = s->mesh->vertices[corner[k]];
    }
    if (pair->kind == MESH_EDGE) {
        double now = segment_segment(p[0].from, p[1].from, t[0].from, t[1].from).distance;
        return sweep_segments(p, t, least_apart(now, g->radius, share_left));
    }
    double now = segment_triangle(p[0].from, p[1].from, t[0].from, t[1].from, t[2].from).distance;
    return sweep_segment_triangle(p, t, least_apart(now, g->radius, share_left));
}

double stage_sweep(const Stage* st, double share_left)
{
    double share = 1.0;
    for (int i = 0; i < st->pair_count; i++) {
        share = fmin(share, sweep_pair(st, &st->pairs[i], share_left));
    }
    for (int i = 0; i < st->solid_pair_count; i++) {
        share = fmin(share, sweep_solid(st, &st->solid_pairs[i], share_left));
    }
    for (int i = 0; i < st->mesh_pair_count; i++) {
        share = fmin(share, sweep_mesh(st, &st->mesh_pairs[i], share_left));
    }
    return share;
}

// Nothing passes through anything where all go less than a tenth of the thinnest radius: from touching to half of that takes five times as much of each.
static bool all_are_slow(const Stage* st)
{
    double far = 0.0, thin = INFINITY;
    for (int n = 0; n < st->node_count; n++) {
        CordVec3 by = vec3_sub(st->to[n], st->from[n]);
        far = fmax(far, vec3_dot(by, by));
    }
    for (int i = 0; i < st->segment_count; i++) {
        thin = fmin(thin, st->segments[i].radius);
    }
    for (int i = 0; i < st->solid_count; i++) {
        if (moved(&st->solids[i], &st->solids[i].from, &st->solids[i].to) > 0.1 * thin) {
            return false;
        }
    }
    return far <= 0.01 * thin * thin;
}

bool stage_passes(const Stage* st)
{
    if (all_are_slow(st)) {
        return false;
    }
    for (int i = 0; i < st->pair_count; i++) {
        if (sweep_pair(st, &st->pairs[i], PASSING) < 1.0) {
            return true;
        }
    }
    for (int i = 0; i < st->solid_pair_count; i++) {
        if (sweep_solid(st, &st->solid_pairs[i], PASSING) < 1.0) {
            return true;
        }
    }
    for (int i = 0; i < st->mesh_pair_count; i++) {
        if (sweep_mesh(st, &st->mesh_pairs[i], PASSING) < 1.0) {
            return true;
        }
    }
    return false;
}
