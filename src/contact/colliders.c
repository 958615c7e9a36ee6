#include "contact/colliders.h"

#include "base/real.h"

#include <string.h>

#define MOST_PIECES 64 // of a segment, against a solid

// ---- adding and removing

void colliders_clear(Colliders* cs)
{
    cs->rod_count = cs->segment_count = cs->node_count = cs->solid_count = 0;
    cs->pair_count = cs->solid_pair_count = cs->mesh_pair_count = 0;
    cs->candidates_valid = false;
}

static bool grow_nodes(Memory* m, Colliders* cs, int count)
{
    CordVec3** arrays[5] = {&cs->begin, &cs->from, &cs->to, &cs->searched_from, &cs->searched_to};
    int* capacities[5] = {&cs->node_capacity[0], &cs->node_capacity[1], &cs->node_capacity[2],
                          &cs->searched_capacity[0], &cs->searched_capacity[1]};
    for (int i = 0; i < 5; i++) {
        if (!memory_reserve(m, (void**)arrays[i], count, capacities[i], sizeof(CordVec3))) {
            return false;
        }
    }
    return memory_reserve(m, (void**)&cs->slack, count, &cs->searched_capacity[2], sizeof(double));
}

static bool grow_segments(Memory* m, Colliders* cs, int count)
{
    double** paths[4] = {&cs->travel, &cs->away, &cs->motion, &cs->clear};
    for (int i = 0; i < 4; i++) {
        if (!memory_reserve(m, (void**)paths[i], count, &cs->path_capacity[i], sizeof(double))) {
            return false;
        }
    }
    return memory_reserve(m, (void**)&cs->segments, count, &cs->segment_capacity, sizeof(Segment)) &&
           memory_reserve(m, (void**)&cs->boxes, count, &cs->box_capacity, sizeof(Aabb)) &&
           memory_reserve(m, (void**)&cs->balls, count, &cs->ball_capacity, sizeof(SweptBall));
}

// The node of a chain belongs to the segment after it, if there is one, and that of a network to the first of
// its segments.
static void set_owners(Colliders* cs, const ColliderRod* r)
{
    Segment* all = cs->segments + r->first_segment;
    const CordCenterline* c = &r->rod->line;
    int* first = r->rod->line.ends ? cs->owners : NULL;
    for (int n = 0; first && n < c->node_count; n++) {
        first[n] = -1;
    }
    for (int j = 0; j < r->segment_count; j++) {
        for (int k = 0; k < 2; k++) {
            int own = r->first_segment + j, next = k == 0 ? -1 : colliders_neighbour(cs, own, 1);
            int* known = first ? &first[all[j].node[k] - r->first_node] : NULL;
            if (known && *known < 0) {
                *known = own;
            }
            all[j].owner[k] = known ? *known : next >= 0 ? next : own;
        }
    }
}

bool colliders_add_rod(Memory* m, Colliders* cs, Rod* rod, int index)
{
    const CordCenterline* c = &rod->line;
    int nodes = cs->node_count + c->node_count, segments = cs->segment_count + c->edge_count;
    if (!memory_reserve(m, (void**)&cs->rods, cs->rod_count + 1, &cs->rod_capacity, sizeof(ColliderRod)) ||
        !memory_reserve(m, (void**)&cs->owners, c->ends ? c->node_count : 0, &cs->owner_capacity,
                        sizeof(int)) ||
        !grow_segments(m, cs, segments) || !grow_nodes(m, cs, nodes)) {
        return false;
    }
    double arc = 0.0;
    cs->thin = cs->rod_count > 0 ? cs->thin : INFINITY;
    for (int j = 0; j < c->edge_count; j++) {
        double next = arc + edge_rest_len(c, j);
        cs->segments[cs->segment_count + j] =
            (Segment){.node = {cs->node_count + edge_start(c, j), cs->node_count + edge_end(c, j)},
                      .rod = cs->rod_count,
                      .edge = j,
                      .radius = rod_radius_at(rod, j),
                      .arc = {arc, next}};
        cs->thin = real_min(cs->thin, rod_radius_at(rod, j));
        arc = next;
    }
    cs->rods[cs->rod_count++] = (ColliderRod){.rod = rod,
                                              .index = index,
                                              .first_node = cs->node_count,
                                              .first_segment = cs->segment_count,
                                              .node_count = c->node_count,
                                              .segment_count = c->edge_count};
    cs->node_count = nodes;
    cs->segment_count = segments;
    cs->candidates_valid = false;
    set_owners(cs, &cs->rods[cs->rod_count - 1]);
    return true;
}

bool colliders_add_solid(Memory* m, Colliders* cs, const ColliderSolid* solid)
{
    if (!memory_reserve(m, (void**)&cs->solids, cs->solid_count + 1, &cs->solid_capacity,
                        sizeof(ColliderSolid))) {
        return false;
    }
    cs->solids[cs->solid_count++] = *solid;
    cs->candidates_valid = false;
    return true;
}

void colliders_free(Memory* m, Colliders* cs)
{
    memory_array_free(m, cs->rods, cs->rod_capacity);
    memory_array_free(m, cs->segments, cs->segment_capacity);
    memory_array_free(m, cs->boxes, cs->box_capacity);
    memory_array_free(m, cs->balls, cs->ball_capacity);
    memory_array_free(m, cs->searched_from, cs->searched_capacity[0]);
    memory_array_free(m, cs->searched_to, cs->searched_capacity[1]);
    memory_array_free(m, cs->slack, cs->searched_capacity[2]);
    memory_array_free(m, cs->travel, cs->path_capacity[0]);
    memory_array_free(m, cs->away, cs->path_capacity[1]);
    memory_array_free(m, cs->motion, cs->path_capacity[2]);
    memory_array_free(m, cs->clear, cs->path_capacity[3]);
    memory_array_free(m, cs->unsorted, cs->unsorted_capacity);
    memory_array_free(m, cs->starts, cs->start_capacity);
    memory_array_free(m, cs->owners, cs->owner_capacity);
    memory_array_free(m, cs->near, cs->near_capacity);
    memory_array_free(m, cs->begin, cs->node_capacity[0]);
    memory_array_free(m, cs->from, cs->node_capacity[1]);
    memory_array_free(m, cs->to, cs->node_capacity[2]);
    memory_array_free(m, cs->solids, cs->solid_capacity);
    memory_array_free(m, cs->pairs, cs->pair_capacity);
    memory_array_free(m, cs->solid_pairs, cs->solid_pair_capacity);
    memory_array_free(m, cs->mesh_pairs, cs->mesh_pair_capacity);
    bvh_free(m, &cs->bvh);
    *cs = (Colliders){0};
}

void colliders_begin_step(Colliders* cs)
{
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int n = 0; n < r->node_count; n++) {
            cs->to[r->first_node + n] = node_position(&r->rod->line, n);
        }
    }
    if (cs->candidates_valid) {
        colliders_find_away(cs, cs->to);
        for (int i = 0; i < cs->segment_count; i++) {
            cs->travel[i] += cs->away[i];
        }
    }
    size_t size = sizeof(CordVec3) * (size_t)cs->node_count;
    if (size > 0) {
        memcpy(cs->begin, cs->to, size);
        memcpy(cs->from, cs->to, size);
    }
    for (int i = 0; i < cs->solid_count; i++) {
        cs->solids[i].from = cs->solids[i].to = cs->solids[i].begin;
    }
}

void colliders_move_solids(Colliders* cs, double share)
{
    for (int i = 0; i < cs->solid_count; i++) {
        ColliderSolid* s = &cs->solids[i];
        if (s->kind == CORD_TOUCH_BODY) { // moved by its own forces
            continue;
        }
        s->to = share == 1.0 ? s->goal : pose_interpolate(s->from, s->goal, share);
    }
}

CordVec3 colliders_axis_point(const Colliders* cs, const CordVec3* x, int segment, double s)
{
    const Segment* g = &cs->segments[segment];
    CordVec3 a = x[g->node[0]], b = x[g->node[1]];
    return vec3_madd(vec3_mul(a, 1.0 - s), b, s);
}

// ---- displacements

double colliders_node_travel(const Colliders* cs, int node)
{
    return vec3_length(vec3_sub(cs->to[node], cs->from[node]));
}

double solid_extent(const ColliderSolid* s)
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

double solid_moved(const ColliderSolid* s, const Pose* before, const Pose* now)
{
    CordQuat p = before->rotation, q = now->rotation;
    double c = fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
    double turn = c < 1.0 ? 2.0 * sqrt(2.0 * (1.0 - c)) : 0.0; // an upper bound of the angle's chord
    return vec3_length(vec3_sub(now->point, before->point)) + (turn > 0.0 ? turn * solid_extent(s) : 0.0);
}

// ---- bounds of gaps

#define FASTEST 1e6 // mean motion, over the thinnest radius, whose rounding errors stay far below a radius

CordVec3 colliders_mean_motion(const Colliders* cs, const CordVec3* from, const CordVec3* to)
{
    CordVec3 sum = {0, 0, 0};
    for (int n = 0; n < cs->node_count; n++) {
        sum = vec3_add(sum, vec3_sub(to[n], from[n]));
    }
    CordVec3 mean = vec3_mul(sum, 1.0 / real_max(cs->node_count, 1.0));
    return vec3_length(mean) <= FASTEST * cs->thin ? mean : (CordVec3){0, 0, 0};
}

static double node_path2(const CordVec3* from, const CordVec3* to, CordVec3 mean, int node)
{
    CordVec3 by = vec3_sub(vec3_sub(to[node], from[node]), mean);
    return vec3_dot(by, by);
}

#define LEAST_PATHS 4096 // segments that are worth a task of their own

typedef struct PathTasks {
    const Colliders* colliders;
    const CordVec3 *from, *to;
    CordVec3 mean;
    double* path;
} PathTasks;

static void find_paths_in_range(void* context, int range, int first, int last)
{
    const PathTasks* t = context;
    double known2 = 0.0;
    int known = -1; // second node of the segment before, which mostly is the first one of the next
    (void)range;
    for (int i = first; i < last; i++) {
        const int* n = t->colliders->segments[i].node;
        double first2 = n[0] == known ? known2 : node_path2(t->from, t->to, t->mean, n[0]);
        known = n[1];
        known2 = node_path2(t->from, t->to, t->mean, known);
        t->path[i] = sqrt(first2 > known2 ? first2 : known2);
    }
}

void colliders_find_paths(const Colliders* cs, const CordVec3* from, const CordVec3* to, double* path)
{
    PathTasks t = {cs, from, to, colliders_mean_motion(cs, from, to), path};
    int ranges = tasks_ranges(&cs->tasks, cs->segment_count, LEAST_PATHS);
    tasks_run_ranges(&cs->tasks, ranges, cs->segment_count, find_paths_in_range, &t);
}

void colliders_find_away(const Colliders* cs, const CordVec3* x)
{
    if (x != cs->begin && memcmp(x, cs->begin, sizeof *x * (size_t)cs->node_count) != 0) {
        colliders_find_paths(cs, cs->begin, x, cs->away);
    } else if (cs->segment_count > 0) {
        memset(cs->away, 0, sizeof *cs->away * (size_t)cs->segment_count);
    }
}

#define UNSURE 1e-6 // of the radii: rounding of gaps and displacements

double pair_gap_bound(const Colliders* cs, const SegmentPair* pair)
{
    return pair->gap_bound - (cs->travel[pair->a] + cs->travel[pair->b]) -
           (cs->away[pair->a] + cs->away[pair->b]);
}

void pair_note_gap(const Colliders* cs, SegmentPair* pair, double gap)
{
    double radii = cs->segments[pair->a].radius + cs->segments[pair->b].radius;
    pair->gap_bound = gap - UNSURE * radii + (cs->travel[pair->a] + cs->travel[pair->b]) -
                      (cs->away[pair->a] + cs->away[pair->b]);
}

#define SURE 1e-9 // of `near`: rounding of the distance of balls

bool pair_may_meet(const Colliders* cs, const SegmentPair* pair, const CordVec3* x, double near)
{
    const int *a = cs->segments[pair->a].node, *b = cs->segments[pair->b].node;
    const CordVec3* to = cs->to;
    CordVec3 p = vec3_sub(x[a[1]], x[a[0]]), q = vec3_sub(to[a[1]], to[a[0]]), r = vec3_sub(x[b[1]], x[b[0]]),
             s = vec3_sub(to[b[1]], to[b[0]]);
    double half = 0.5 * (sqrt(real_max(vec3_dot(p, p), vec3_dot(q, q))) +
                         sqrt(real_max(vec3_dot(r, r), vec3_dot(s, s))));
    return balls_may_meet(vec3_madd(x[a[0]], p, 0.5), vec3_madd(to[a[0]], q, 0.5), vec3_madd(x[b[0]], r, 0.5),
                          vec3_madd(to[b[0]], s, 0.5), (1.0 + SURE) * (near + half));
}

double pair_relative_path(const Colliders* cs, const SegmentPair* pair, const CordVec3* x)
{
    const int *a = cs->segments[pair->a].node, *b = cs->segments[pair->b].node;
    double far2 = 0.0;
    for (int k = 0; k < 4; k++) {
        int i = a[k / 2], j = b[k % 2];
        CordVec3 by = vec3_sub(vec3_sub(cs->to[i], x[i]), vec3_sub(cs->to[j], x[j]));
        far2 = real_max(far2, vec3_dot(by, by));
    }
    return sqrt(far2);
}

// ---- continuous collision detection

static MovingPoint moving_point(const Colliders* cs, int node)
{
    return (MovingPoint){cs->from[node], cs->to[node]};
}

#define MOST_OVERLAP 0.25 // of TIME_OF_OVERLAP, over the thinner radius
#define PASSING (-1.0)    // share_left that allows half of the touching distance, or of the present one

// The smallest distance allowed for a pair at `distance` now whose surfaces touch at `touching`. Iterates may
// overlap a little, but not with what no contact has held off yet.
static double least_distance(double distance, double touching, double thin, double reach, double share_left)
{
    if (share_left == TIME_OF_OVERLAP) {
        return real_min(distance, touching - MOST_OVERLAP * thin);
    }
    if (share_left == TIME_OF_ITERATES) {
        return distance > touching + reach ? touching : 0.9 * real_min(distance, touching);
    }
    return share_left == PASSING ? 0.5 * real_min(distance, touching)
           : distance > touching ? touching + share_left * (distance - touching)
                                 : 0.9 * distance;
}

// Prepares bounds of gaps at `from`, and of paths from there to `to`.
static void find_bounds(const Colliders* cs, double share_left)
{
    double far = 1.0 / (1.0 - real_max(share_left, 0.0));
    colliders_find_away(cs, cs->from);
    colliders_find_paths(cs, cs->from, cs->to, cs->motion);
    for (int i = 0; i < cs->segment_count; i++) {
        cs->clear[i] = cs->travel[i] + cs->away[i] + far * cs->motion[i];
    }
}

static double segment_pair_time_of_impact(const Colliders* cs, SegmentPair* pair, double share_left)
{
    if (pair_is_clear(cs, pair)) {
        return 1.0;
    }
    const Segment *a = &cs->segments[pair->a], *b = &cs->segments[pair->b];
    MovingPoint p[2] = {moving_point(cs, a->node[0]), moving_point(cs, a->node[1])},
                q[2] = {moving_point(cs, b->node[0]), moving_point(cs, b->node[1])};
    ClosestPoints now = closest_segment_segment(p[0].from, p[1].from, q[0].from, q[1].from);
    pair_note_gap(cs, pair, now.distance - a->radius - b->radius);
    double near = least_distance(now.distance, a->radius + b->radius, real_min(a->radius, b->radius),
                                 cs->reach, share_left);
    return now.distance - pair_relative_path(cs, pair, cs->from) >= near ||
                   !pair_may_meet(cs, pair, cs->from, near)
               ? 1.0
               : segments_time_of_impact(p, q, near);
}

static MovingPoint moving_into(const Colliders* cs, const ColliderSolid* s, int node)
{
    return (MovingPoint){pose_into(&s->from, cs->from[node]), pose_into(&s->to, cs->to[node])};
}

static double solid_pair_time_of_impact(const Colliders* cs, const SolidPair* pair, double share_left)
{
    const Segment* g = &cs->segments[pair->segment];
    const ColliderSolid* s = &cs->solids[pair->solid];
    MovingPoint p[2] = {moving_into(cs, s, g->node[0]), moving_into(cs, s, g->node[1])};
    double bound =
        real_max(vec3_length(vec3_sub(p[0].to, p[0].from)), vec3_length(vec3_sub(p[1].to, p[1].from)));
    double now = solid_segment(&s->solid, p[0].from, p[1].from, g->radius + cs->reach + bound).distance;
    double near = least_distance(now, g->radius, g->radius, cs->reach, share_left);
    return now - bound >= near ? 1.0 : solid_time_of_impact(&s->solid, p, near);
}

static double mesh_pair_time_of_impact(const Colliders* cs, const MeshPair* pair, double share_left)
{
    const Segment* g = &cs->segments[pair->segment];
    const ColliderSolid* s = &cs->solids[pair->solid];
    MovingPoint p[2] = {moving_into(cs, s, g->node[0]), moving_into(cs, s, g->node[1])}, t[3];
    const int* corner = pair->kind == MESH_TRIANGLE ? s->mesh->triangles + 3 * pair->feature
                                                    : s->mesh->edges + 2 * pair->feature;
    int corners = pair->kind == MESH_TRIANGLE ? 3 : 2;
    for (int k = 0; k < corners; k++) {
        t[k].from = t[k].to = s->mesh->vertices[corner[k]];
    }
    if (pair->kind == MESH_EDGE) {
        double now = closest_segment_segment(p[0].from, p[1].from, t[0].from, t[1].from).distance;
        return segments_time_of_impact(p, t,
                                       least_distance(now, g->radius, g->radius, cs->reach, share_left));
    }
    double now = closest_segment_triangle(p[0].from, p[1].from, t[0].from, t[1].from, t[2].from).distance;
    return segment_triangle_time_of_impact(p, t,
                                           least_distance(now, g->radius, g->radius, cs->reach, share_left));
}

#define LEAST_TIMED 512 // candidates that are worth a task of their own

typedef struct ImpactTasks {
    const Colliders* colliders;
    double share_left;
    bool any;                   // a range ends at the first pair that does not complete its motion
    double share[TASKS_RANGES]; // time of the first impact in a range
} ImpactTasks;

// Candidates are pairs of segments, then segments with solids, then segments with features of meshes.
static double candidate_time_of_impact(const Colliders* cs, int i, double share_left)
{
    int solid = i - cs->pair_count, feature = solid - cs->solid_pair_count;
    return solid < 0     ? segment_pair_time_of_impact(cs, &cs->pairs[i], share_left)
           : feature < 0 ? solid_pair_time_of_impact(cs, &cs->solid_pairs[solid], share_left)
                         : mesh_pair_time_of_impact(cs, &cs->mesh_pairs[feature], share_left);
}

static void find_impact_in_range(void* context, int range, int first, int last)
{
    ImpactTasks* t = context;
    double share = 1.0;
    for (int i = first; i < last && !(t->any && share < 1.0); i++) {
        share = real_min(share, candidate_time_of_impact(t->colliders, i, t->share_left));
    }
    t->share[range] = share;
}

static double pairs_time_of_impact(const Colliders* cs, double share_left, bool any)
{
    ImpactTasks t = {.colliders = cs, .share_left = share_left, .any = any};
    int candidates = cs->pair_count + cs->solid_pair_count + cs->mesh_pair_count,
        ranges = tasks_ranges(&cs->tasks, candidates, LEAST_TIMED);
    find_bounds(cs, share_left);
    tasks_run_ranges(&cs->tasks, ranges, candidates, find_impact_in_range, &t);
    double share = 1.0;
    for (int i = 0; i < ranges; i++) {
        share = real_min(share, t.share[i]);
    }
    return share;
}

void colliders_visit_impacts(const Colliders* cs, double share_left, const bool* tested,
                             void (*visit)(void* user, const Impact* impact), void* user)
{
    find_bounds(cs, share_left);
    for (int i = 0; i < cs->pair_count; i++) {
        SegmentPair* pair = &cs->pairs[i];
        int rod = cs->segments[pair->a].rod, other = cs->segments[pair->b].rod;
        double time = tested[rod] || tested[other] ? segment_pair_time_of_impact(cs, pair, share_left) : 1.0;
        if (time < 1.0) {
            visit(user, &(Impact){rod, other, time});
        }
    }
    for (int i = 0; i < cs->solid_pair_count; i++) {
        int rod = cs->segments[cs->solid_pairs[i].segment].rod;
        double time = tested[rod] ? solid_pair_time_of_impact(cs, &cs->solid_pairs[i], share_left) : 1.0;
        if (time < 1.0) {
            visit(user, &(Impact){rod, -1, time});
        }
    }
    for (int i = 0; i < cs->mesh_pair_count; i++) {
        int rod = cs->segments[cs->mesh_pairs[i].segment].rod;
        double time = tested[rod] ? mesh_pair_time_of_impact(cs, &cs->mesh_pairs[i], share_left) : 1.0;
        if (time < 1.0) {
            visit(user, &(Impact){rod, -1, time});
        }
    }
}

double colliders_time_of_impact(const Colliders* cs, double share_left)
{
    return pairs_time_of_impact(cs, share_left, false);
}

// Nothing can tunnel if every node moves by less than a tenth of the thinnest radius: from touching to half
// of the touching distance each needs five times that.
static bool all_are_slow(const Colliders* cs)
{
    double far = 0.0, thin = cs->thin;
    for (int n = 0; n < cs->node_count; n++) {
        CordVec3 by = vec3_sub(cs->to[n], cs->from[n]);
        far = real_max(far, vec3_dot(by, by));
    }
    for (int i = 0; i < cs->solid_count; i++) {
        if (solid_moved(&cs->solids[i], &cs->solids[i].from, &cs->solids[i].to) > 0.1 * thin) {
            return false;
        }
    }
    return far <= 0.01 * thin * thin;
}

#define DETOUR 0.1 // largest deviation from a straight path, in radii
#define TURN 1.0   // largest turn of a solid in a step [rad]

static double turn_path(const Colliders* cs, const Segment* g)
{
    return real_max(colliders_node_travel(cs, g->node[0]), colliders_node_travel(cs, g->node[1])) +
           g->arc[1] - g->arc[0] + g->radius;
}

typedef struct TurnSearch {
    Colliders* colliders;
    const ColliderSolid* solid;
    double moved, extent; // of the solid [m]
    bool too_far;
} TurnSearch;

static bool test_turn(void* context, int segment) // false: it turns too far, and the search may end
{
    TurnSearch* t = context;
    const ColliderSolid* s = t->solid;
    const Segment* g = &t->colliders->segments[segment];
    double path = turn_path(t->colliders, g);
    double far = vec3_length(vec3_sub(t->colliders->begin[g->node[0]], s->begin.point));
    t->colliders->turn_tests++;
    t->too_far = far - path - s->detour - t->moved <= t->extent &&
                 (s->turn > TURN || s->detour + (far + path) * s->turn * s->turn / 8.0 > DETOUR * g->radius);
    return !t->too_far;
}

typedef struct TurnBounds { // of all segments
    double path;            // the longest turn_path [m]
    double thin;            // the smallest radius [m]
    double out;             // how far one is outside of its fat box, at most [m]; NAN: there are no boxes
} TurnBounds;

static TurnBounds turn_bounds(const Colliders* cs)
{
    TurnBounds b = {0.0, INFINITY, NAN};
    double out2 = 0.0;
    for (int i = 0; i < cs->segment_count; i++) {
        b.path = real_max(turn_path(cs, &cs->segments[i]), b.path);
        b.thin = real_min(cs->segments[i].radius, b.thin);
    }
    for (int n = 0; n < cs->node_count && cs->candidates_valid; n++) {
        CordVec3 by = vec3_sub(cs->begin[n], cs->searched_from[n]);
        out2 = real_max(vec3_dot(by, by), out2);
    }
    b.out = cs->candidates_valid ? sqrt(out2) : NAN;
    return b;
}

#define ROUNDED 1e-9 // relative: more than the rounding of the sums of test_turn

// Only segments with their start within `near` of the solid's origin can be met in the turn.
static bool solid_turns_too_far(Colliders* cs, const ColliderSolid* s, const TurnBounds* b)
{
    TurnSearch search = {
        .colliders = cs, .solid = s, .moved = solid_moved(s, &s->begin, &s->goal), .extent = solid_extent(s)};
    double near = (1.0 + ROUNDED) * (b->path + s->detour + search.moved + search.extent);
    if (s->turn <= TURN && s->detour + (near + b->path) * s->turn * s->turn / 8.0 <= DETOUR * b->thin) {
        return false; // for none of them
    }
    if (!isnan(b->out)) {
        CordVec3 p = s->begin.point;
        double far = near + b->out;
        Aabb box = {{p.x - far, p.y - far, p.z - far}, {p.x + far, p.y + far, p.z + far}};
        bvh_query(&cs->bvh, cs->boxes, &box, test_turn, &search);
    }
    for (int i = 0; i < cs->segment_count && isnan(b->out) && !search.too_far; i++) {
        test_turn(&search, i);
    }
    return search.too_far;
}

bool colliders_turn_too_far(Colliders* cs)
{
    TurnBounds bounds = {.path = NAN};
    bool too_far = false;
    for (int k = 0; k < cs->solid_count && !too_far; k++) {
        const ColliderSolid* s = &cs->solids[k];
        if (s->turn > 0.0 || s->detour > 0.0) {
            bounds = isnan(bounds.path) ? turn_bounds(cs) : bounds;
            too_far = solid_turns_too_far(cs, s, &bounds);
        }
    }
    return too_far;
}

bool colliders_path_is_free(const Colliders* cs)
{
    return pairs_time_of_impact(cs, PASSING, true) >= 1.0;
}

bool colliders_tunnel(const Colliders* cs)
{
    return !all_are_slow(cs) && !colliders_path_is_free(cs);
}

int colliders_neighbour(const Colliders* cs, int segment, int side)
{
    const Segment* g = &cs->segments[segment];
    const ColliderRod* r = &cs->rods[g->rod];
    int edge = g->edge + side;
    bool exists = r->rod->line.closed || (edge >= 0 && edge < r->segment_count);
    return exists && !r->rod->line.ends ? r->first_segment + (edge + r->segment_count) % r->segment_count
                                        : -1;
}

int colliders_pieces(const Colliders* cs, int segment, int solid)
{
    const Segment* g = &cs->segments[segment];
    double least = real_max(solid_least_measure(&cs->solids[solid].solid), 2.0 * g->radius);
    double pieces = ceil(2.0 * (g->arc[1] - g->arc[0]) / least);
    return pieces < MOST_PIECES ? (int)real_max(pieces, 1.0) : MOST_PIECES;
}
