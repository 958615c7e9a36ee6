#include "contact/stage.h"

#include "base/real.h"

#include <string.h>

// ---- putting on stage

void stage_clear(Stage* st)
{
    st->rod_count = st->segment_count = st->node_count = st->solid_count = 0;
    st->pair_count = st->solid_pair_count = st->mesh_pair_count = 0;
    st->found = false;
}

static bool grow_nodes(Memory* m, Stage* st, int count)
{
    CordVec3** arrays[3] = {&st->begin, &st->from, &st->to};
    for (int i = 0; i < 3; i++) {
        if (!memory_reserve(m, (void**)arrays[i], count, &st->node_capacity[i], sizeof(CordVec3))) {
            return false;
        }
    }
    return true;
}

bool stage_add_rod(Memory* m, Stage* st, Rod* rod, int index)
{
    const CordCenterline* c = &rod->line;
    int nodes = st->node_count + c->node_count, segments = st->segment_count + c->edge_count;
    if (!memory_reserve(m, (void**)&st->rods, st->rod_count + 1, &st->rod_capacity, sizeof(StageRod)) ||
        !memory_reserve(m, (void**)&st->segments, segments, &st->segment_capacity, sizeof(Segment)) ||
        !memory_reserve(m, (void**)&st->boxes, segments, &st->box_capacity, sizeof(Box)) ||
        !memory_reserve(m, (void**)&st->rooms, nodes, &st->room_capacity, sizeof(Box)) ||
        !grow_nodes(m, st, nodes)) {
        return false;
    }
    double arc = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        double next = arc + edge_rest_len(c, j);
        st->segments[st->segment_count + j] =
            (Segment){.node = {st->node_count + edge_start(c, j), st->node_count + edge_end(c, j)},
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
    if (!memory_reserve(m, (void**)&st->solids, st->solid_count + 1, &st->solid_capacity,
                        sizeof(StageSolid))) {
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
    memory_array_free(m, st->near, st->near_capacity);
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
            far2 = real_max(far2, vec3_dot(by, by));
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
        s->to = share == 1.0 ? s->goal : pose_interpolate(s->from, s->goal, share);
    }
}

CordVec3 stage_point(const Stage* st, const CordVec3* x, int segment, double s)
{
    const Segment* g = &st->segments[segment];
    CordVec3 a = x[g->node[0]], b = x[g->node[1]];
    return vec3_madd(vec3_mul(a, 1.0 - s), b, s);
}

// ---- how far

double stage_way(const Stage* st, int node)
{
    return vec3_length(vec3_sub(st->to[node], st->from[node]));
}

double solid_extent(const StageSolid* s)
{
    if (!s->mesh) {
        return solid_radius(&s->solid);
    }
    double far2 = 0.0;
    for (int k = 0; k < 3; k++) {
        double far = real_max(fabs(s->mesh->box.lo[k]), fabs(s->mesh->box.hi[k]));
        far2 += far * far;
    }
    return sqrt(far2);
}

double solid_moved(const StageSolid* s, const Pose* before, const Pose* now)
{
    CordQuat p = before->rotation, q = now->rotation;
    double c = fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
    double turn = c < 1.0 ? 2.0 * sqrt(2.0 * (1.0 - c)) : 0.0; // no less than the angle's chord
    return vec3_length(vec3_sub(now->point, before->point)) + (turn > 0.0 ? turn * solid_extent(s) : 0.0);
}

// ---- how near

double stage_away(const Stage* st, const CordVec3* x)
{
    double far2 = 0.0;
    for (int n = 0; n < st->node_count && x != st->begin; n++) {
        CordVec3 by = vec3_sub(x[n], st->begin[n]);
        far2 = real_max(far2, vec3_dot(by, by));
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
    return share_left == PASSING ? 0.5 * real_min(apart, touch)
           : apart > touch       ? touch + share_left * (apart - touch)
                                 : 0.9 * apart;
}

// `away`: of `from`.
static double sweep_pair(const Stage* st, SegmentPair* pair, double share_left, double away)
{
    const Segment *a = &st->segments[pair->a], *b = &st->segments[pair->b];
    double bound = real_max(stage_way(st, a->node[0]), stage_way(st, a->node[1])) +
                   real_max(stage_way(st, b->node[0]), stage_way(st, b->node[1]));
    double left = stage_clear_gap(st, pair, away);
    if (left > 0.0 && left * (1.0 - real_max(share_left, 0.0)) > bound) {
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
    double bound =
        real_max(vec3_length(vec3_sub(p[0].to, p[0].from)), vec3_length(vec3_sub(p[1].to, p[1].from)));
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
        share = real_min(share, sweep_pair(st, &st->pairs[i], share_left, away));
    }
    for (int i = 0; i < st->solid_pair_count; i++) {
        share = real_min(share, sweep_solid(st, &st->solid_pairs[i], share_left));
    }
    for (int i = 0; i < st->mesh_pair_count; i++) {
        share = real_min(share, sweep_mesh(st, &st->mesh_pairs[i], share_left));
    }
    return share;
}

// Nothing passes through anything where all go less than a tenth of the thinnest radius: from touching to
// half of that takes five times as much of each.
static bool all_are_slow(const Stage* st)
{
    double far = 0.0, thin = INFINITY;
    for (int n = 0; n < st->node_count; n++) {
        CordVec3 by = vec3_sub(st->to[n], st->from[n]);
        far = real_max(far, vec3_dot(by, by));
    }
    for (int i = 0; i < st->segment_count; i++) {
        thin = real_min(thin, st->segments[i].radius);
    }
    for (int i = 0; i < st->solid_count; i++) {
        if (solid_moved(&st->solids[i], &st->solids[i].from, &st->solids[i].to) > 0.1 * thin) {
            return false;
        }
    }
    return far <= 0.01 * thin * thin;
}

#define DETOUR 0.1 // of a radius
#define TURN 1.0   // rad: by which a step may turn anything

static bool turns_too_far(const Stage* st, const StageSolid* s, const Segment* g)
{
    double way =
        real_max(stage_way(st, g->node[0]), stage_way(st, g->node[1])) + g->arc[1] - g->arc[0] + g->radius;
    double far = vec3_length(vec3_sub(st->begin[g->node[0]], s->begin.point));
    return far - way - s->detour - solid_moved(s, &s->begin, &s->goal) <= solid_extent(s) &&
           (s->turn > TURN || s->detour + (far + way) * s->turn * s->turn / 8.0 > DETOUR * g->radius);
}

bool stage_turns_too_far(const Stage* st)
{
    bool far = false;
    for (int k = 0; k < st->solid_count; k++) {
        for (int i = 0; i < st->segment_count && (st->solids[k].turn > 0.0 || st->solids[k].detour > 0.0);
             i++) {
            far = far || turns_too_far(st, &st->solids[k], &st->segments[i]);
        }
    }
    return far;
}

bool stage_way_is_free(const Stage* st)
{
    double away = stage_away(st, st->from);
    for (int i = 0; i < st->pair_count; i++) {
        if (sweep_pair(st, &st->pairs[i], PASSING, away) < 1.0) {
            return false;
        }
    }
    for (int i = 0; i < st->solid_pair_count; i++) {
        if (sweep_solid(st, &st->solid_pairs[i], PASSING) < 1.0) {
            return false;
        }
    }
    for (int i = 0; i < st->mesh_pair_count; i++) {
        if (sweep_mesh(st, &st->mesh_pairs[i], PASSING) < 1.0) {
            return false;
        }
    }
    return true;
}

bool stage_passes(const Stage* st)
{
    return !all_are_slow(st) && !stage_way_is_free(st);
}
