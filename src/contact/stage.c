#include "contact/stage.h"

#include "math/trig.h"

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
    for (int i = 0; i < 3; i++) {
        if (!grow_to(m, (void**)arrays[i], count, &st->node_capacity[i], sizeof(CordVec3))) {
            return false;
        }
    }
    return true;
}

bool stage_add_rod(Memory* m, Stage* st, Rod* rod, int index)
{
    const CordCenterline* c = &rod->line;
    int nodes = st->node_count + c->node_count, segments = st->segment_count + c->edge_count;
    if (!grow_to(m, (void**)&st->rods, st->rod_count + 1, &st->rod_capacity, sizeof(StageRod)) ||
        !grow_to(m, (void**)&st->segments, segments, &st->segment_capacity, sizeof(Segment)) ||
        !grow_to(m, (void**)&st->boxes, segments, &st->box_capacity, sizeof(Box)) ||
        !grow_to(m, (void**)&st->rooms, nodes, &st->room_capacity, sizeof(Box)) || !grow_nodes(m, st, nodes)) {
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
    if (!grow_to(m, (void**)&st->solids, st->solid_count + 1, &st->solid_capacity, sizeof(StageSolid))) {
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
    memory_array_free(m, st->rooms, st->room_capacity);
    memory_array_free(m, st->unsorted, st->unsorted_capacity);
    memory_array_free(m, st->starts, st->start_capacity);
    memory_array_free(m, st->begin, st->node_capacity[0]);
    memory_array_free(m, st->from, st->node_capacity[1]);
    memory_array_free(m, st->to, st->node_capacity[2]);
    memory_array_free(m, st->solids, st->solid_capacity);
    memory_array_free(m, st->pairs, st->pair_capacity);
    memory_array_free(m, st->solid_pairs, st->solid_pair_capacity);
    memory_array_free(m, st->mesh_pairs, st->mesh_pair_capacity);
    tree_free(m, &st->tree);
    *st = (Stage){0};
}

void stage_begin(Stage* st)
{
    double far2 = 0.0;
    for (int i = 0; i < st->rod_count; i++) {
        const StageRod* r = &st->rods[i];
        for (int n = 0; n < r->node_count; n++) {
            CordVec3 x = node_position(&r->rod->line, n), *begin = &st->begin[r->first_node + n];
            CordVec3 by = st->found ? vec3_sub(x, *begin) : (CordVec3){0, 0, 0};
            far2 = fmax(far2, vec3_dot(by, by));
            *begin = x;
        }
    }
    st->travel += sqrt(far2);
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

static double way(const Stage* st, int node)
{
    return vec3_length(vec3_sub(st->to[node], st->from[node]));
}

static double room_of(const Stage* st, const Segment* g)
{
    double ahead = AHEAD * fmax(way(st, g->node[0]), way(st, g->node[1]));
    return ROOM * g->radius + fmin(ahead, FAR_AHEAD * g->radius);
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
                all->lo[c] = fmax(all->lo[c], own.lo[c]);
                all->hi[c] = fmin(all->hi[c], own.hi[c]);
            }
        }
    }
}

static double radius_of(const StageSolid* s) // of the ball about its origin that holds it
{
    if (!s->mesh) {
        return solid_radius(&s->solid);
    }
    double far2 = 0.0;
    for (int k = 0; k < 3; k++) {
        double far = fmax(fabs(s->mesh->box.lo[k]), fabs(s->mesh->box.hi[k]));
        far2 += far * far;
    }
    return sqrt(far2);
}

// How far any point of a solid has moved, at the most.
static double moved(const StageSolid* s, const Pose* before, const Pose* now)
{
    CordQuat p = before->rotation, q = now->rotation;
    double c = fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
    double turn = c < 1.0 ? 2.0 * sqrt(2.0 * (1.0 - c)) : 0.0; // no less than the angle's chord
    return vec3_length(vec3_sub(now->point, before->point)) + (turn > 0.0 ? turn * radius_of(s) : 0.0);
}

static bool is_up_to_date(const Stage* st)
{
    for (int i = 0; i < st->solid_count; i++) {
        const StageSolid* s = &st->solids[i];
        if (moved(s, &s->searched, &s->from) > s->room || moved(s, &s->searched, &s->to) > s->room) {
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
    if (stage_are_neighbours(st, i, j)) {
        return true;
    }
    if (!grow_to(s->memory, (void**)&st->pairs, st->pair_count + 1, &st->pair_capacity, sizeof(SegmentPair))) {
        return false;
    }
    st->pairs[st->pair_count++] = (SegmentPair){i, j, -INFINITY};
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

// All of its way, and some more.
static void set_room(StageSolid* s, double thick)
{
    double way = moved(s, &s->from, &s->to);
    s->searched = s->from;
    s->room = ROOM * thick + way + fmin(AHEAD * way, FAR_AHEAD * thick);
}

static bool find_solids(Memory* m, Stage* st)
{
    double thick = 0.0;
    for (int i = 0; i < st->segment_count; i++) {
        thick = fmax(thick, st->segments[i].radius);
    }
    for (int k = 0; k < st->solid_count; k++) {
        set_room(&st->solids[k], thick);
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
    if (!grow_to(m, (void**)&st->unsorted, st->pair_count, &st->unsorted_capacity, sizeof(SegmentPair)) ||
        !grow_to(m, (void**)&st->starts, st->segment_count + 1, &st->start_capacity, sizeof(int))) {
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
        !tree_pairs(&st->tree, st->boxes, note_pair, &search) || !find_solids(m, st) ||
        (st->pair_count > 0 && !sort_pairs(m, st))) {
        return false;
    }
    st->found = true;
    return true;
}

// ---- how near

double stage_away(const Stage* st, const CordVec3* x)
{
    double far2 = 0.0;
    for (int n = 0; n < st->node_count && x != st->begin; n++) {
        CordVec3 by = vec3_sub(x[n], st->begin[n]);
        far2 = fmax(far2, vec3_dot(by, by));
    }
    return sqrt(far2);
}

#define UNSURE 1e-6 // of the radii: rounding of gaps and of how far things have gone

double stage_clear_gap(const Stage* st, const SegmentPair* pair, double away)
{
    return pair->clear - 2.0 * (st->travel + away);
}

void stage_note_gap(const Stage* st, SegmentPair* pair, double gap, double away)
{
    double radii = st->segments[pair->a].radius + st->segments[pair->b].radius;
    pair->clear = gap - UNSURE * radii + 2.0 * (st->travel - away);
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

// `away`: of `from`.
static double sweep_pair(const Stage* st, SegmentPair* pair, double share_left, double away)
{
    const Segment *a = &st->segments[pair->a], *b = &st->segments[pair->b];
    double bound =
        fmax(way(st, a->node[0]), way(st, a->node[1])) + fmax(way(st, b->node[0]), way(st, b->node[1]));
    double left = stage_clear_gap(st, pair, away);
    if (left > 0.0 && left * (1.0 - fmax(share_left, 0.0)) > bound) {
        return 1.0;
    }
    SweptPoint p[2] = {swept(st, a->node[0]), swept(st, a->node[1])},
               q[2] = {swept(st, b->node[0]), swept(st, b->node[1])};
    Closest now = segment_segment(p[0].from, p[1].from, q[0].from, q[1].from);
    stage_note_gap(st, pair, now.distance - a->radius - b->radius, away);
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
    double share = 1.0, away = stage_away(st, st->from);
    for (int i = 0; i < st->pair_count; i++) {
        share = fmin(share, sweep_pair(st, &st->pairs[i], share_left, away));
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

#define DETOUR 0.1 // of a radius
#define TURN 1.0   // rad: by which a step may turn anything

bool stage_turns_too_far(const Stage* st, double h)
{
    for (int i = 0; i < st->segment_count; i++) {
        const Segment* g = &st->segments[i];
        const CordCenterline* c = &st->rods[g->rod].rod->line;
        for (int k = 0; k < st->solid_count; k++) {
            const StageSolid* s = &st->solids[k];
            if (s->turn == 0.0) {
                continue;
            }
            double far = vec3_length(vec3_sub(st->begin[g->node[0]], s->begin.point));
            double way = h * vec3_length(slot_get(c->v, slot_of(c, g->edge))) + g->arc[1] - g->arc[0] +
                         g->radius + moved(s, &s->begin, &s->goal);
            if (far - way <= radius_of(s) &&
                (s->turn > TURN || s->detour + far * s->turn * s->turn / 8.0 > DETOUR * g->radius)) {
                return true;
            }
        }
    }
    return false;
}

bool stage_passes(const Stage* st)
{
    if (all_are_slow(st)) {
        return false;
    }
    double away = stage_away(st, st->from);
    for (int i = 0; i < st->pair_count; i++) {
        if (sweep_pair(st, &st->pairs[i], PASSING, away) < 1.0) {
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
