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
    CordVec3** arrays[3] = {&cs->begin, &cs->from, &cs->to};
    for (int i = 0; i < 3; i++) {
        if (!memory_reserve(m, (void**)arrays[i], count, &cs->node_capacity[i], sizeof(CordVec3))) {
            return false;
        }
    }
    return true;
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
        !memory_reserve(m, (void**)&cs->segments, segments, &cs->segment_capacity, sizeof(Segment)) ||
        !memory_reserve(m, (void**)&cs->boxes, segments, &cs->box_capacity, sizeof(Aabb)) ||
        !memory_reserve(m, (void**)&cs->node_bounds, nodes, &cs->node_bound_capacity, sizeof(Aabb)) ||
        !memory_reserve(m, (void**)&cs->owners, c->ends ? c->node_count : 0, &cs->owner_capacity,
                        sizeof(int)) ||
        !grow_nodes(m, cs, nodes)) {
        return false;
    }
    double arc = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        double next = arc + edge_rest_len(c, j);
        cs->segments[cs->segment_count + j] =
            (Segment){.node = {cs->node_count + edge_start(c, j), cs->node_count + edge_end(c, j)},
                      .rod = cs->rod_count,
                      .edge = j,
                      .radius = rod_radius_at(rod, j),
                      .arc = {arc, next}};
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
    memory_array_free(m, cs->node_bounds, cs->node_bound_capacity);
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
    double far2 = 0.0;
    for (int i = 0; i < cs->rod_count; i++) {
        const ColliderRod* r = &cs->rods[i];
        for (int n = 0; n < r->node_count; n++) {
            CordVec3 x = node_position(&r->rod->line, n), *begin = &cs->begin[r->first_node + n];
            CordVec3 by = cs->candidates_valid ? vec3_sub(x, *begin) : (CordVec3){0, 0, 0};
            far2 = real_max(far2, vec3_dot(by, by));
            *begin = x;
        }
    }
    cs->travel += sqrt(far2);
    size_t size = sizeof(CordVec3) * (size_t)cs->node_count;
    if (size > 0) {
        memcpy(cs->from, cs->begin, size);
        memcpy(cs->to, cs->begin, size);
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

double colliders_displacement(const Colliders* cs, const CordVec3* x)
{
    double far2 = 0.0;
    for (int n = 0; n < cs->node_count && x != cs->begin; n++) {
        CordVec3 by = vec3_sub(x[n], cs->begin[n]);
        far2 = real_max(far2, vec3_dot(by, by));
    }
    return sqrt(far2);
}

#define UNSURE 1e-6 // of the radii: rounding of gaps and displacements

double pair_gap_bound(const Colliders* cs, const SegmentPair* pair, double away)
{
    return pair->gap_bound - 2.0 * (cs->travel + away);
}

void pair_note_gap(const Colliders* cs, SegmentPair* pair, double gap, double away)
{
    double radii = cs->segments[pair->a].radius + cs->segments[pair->b].radius;
    pair->gap_bound = gap - UNSURE * radii + 2.0 * (cs->travel - away);
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

// `away`: displacement of `from` since the start of the step.
static double segment_pair_time_of_impact(const Colliders* cs, SegmentPair* pair, double share_left,
                                          double away)
{
    const Segment *a = &cs->segments[pair->a], *b = &cs->segments[pair->b];
    double bound = real_max(colliders_node_travel(cs, a->node[0]), colliders_node_travel(cs, a->node[1])) +
                   real_max(colliders_node_travel(cs, b->node[0]), colliders_node_travel(cs, b->node[1]));
    double left = pair_gap_bound(cs, pair, away);
    if (left > 0.0 && left * (1.0 - real_max(share_left, 0.0)) > bound) {
        return 1.0;
    }
    MovingPoint p[2] = {moving_point(cs, a->node[0]), moving_point(cs, a->node[1])},
                q[2] = {moving_point(cs, b->node[0]), moving_point(cs, b->node[1])};
    ClosestPoints now = closest_segment_segment(p[0].from, p[1].from, q[0].from, q[1].from);
    pair_note_gap(cs, pair, now.distance - a->radius - b->radius, away);
    double near = least_distance(now.distance, a->radius + b->radius, real_min(a->radius, b->radius),
                                 cs->reach, share_left);
    return now.distance - bound >= near ? 1.0 : segments_time_of_impact(p, q, near);
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

// `any`: stops at the first pair that does not complete its motion.
static double pairs_time_of_impact(const Colliders* cs, double share_left, bool any)
{
    double share = 1.0, away = colliders_displacement(cs, cs->from);
    for (int i = 0; i < cs->pair_count && !(any && share < 1.0); i++) {
        share = real_min(share, segment_pair_time_of_impact(cs, &cs->pairs[i], share_left, away));
    }
    for (int i = 0; i < cs->solid_pair_count && !(any && share < 1.0); i++) {
        share = real_min(share, solid_pair_time_of_impact(cs, &cs->solid_pairs[i], share_left));
    }
    for (int i = 0; i < cs->mesh_pair_count && !(any && share < 1.0); i++) {
        share = real_min(share, mesh_pair_time_of_impact(cs, &cs->mesh_pairs[i], share_left));
    }
    return share;
}

void colliders_visit_impacts(const Colliders* cs, double share_left, const bool* tested, const double* travel,
                             void (*visit)(void* user, const Impact* impact), void* user)
{
    double away = colliders_displacement(cs, cs->from);
    for (int i = 0; i < cs->pair_count; i++) {
        SegmentPair* pair = &cs->pairs[i];
        int rod = cs->segments[pair->a].rod, other = cs->segments[pair->b].rod;
        double left = pair_gap_bound(cs, pair, away);
        if ((!tested[rod] && !tested[other]) || (left > 0.0 && left > travel[pair->a] + travel[pair->b])) {
            continue;
        }
        double time = segment_pair_time_of_impact(cs, pair, share_left, away);
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
    double far = 0.0, thin = INFINITY;
    for (int n = 0; n < cs->node_count; n++) {
        CordVec3 by = vec3_sub(cs->to[n], cs->from[n]);
        far = real_max(far, vec3_dot(by, by));
    }
    for (int i = 0; i < cs->segment_count; i++) {
        thin = real_min(thin, cs->segments[i].radius);
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

static bool turns_too_far(const Colliders* cs, const ColliderSolid* s, const Segment* g)
{
    double path = real_max(colliders_node_travel(cs, g->node[0]), colliders_node_travel(cs, g->node[1])) +
                  g->arc[1] - g->arc[0] + g->radius;
    double far = vec3_length(vec3_sub(cs->begin[g->node[0]], s->begin.point));
    return far - path - s->detour - solid_moved(s, &s->begin, &s->goal) <= solid_extent(s) &&
           (s->turn > TURN || s->detour + (far + path) * s->turn * s->turn / 8.0 > DETOUR * g->radius);
}

bool colliders_turn_too_far(const Colliders* cs)
{
    bool far = false;
    for (int k = 0; k < cs->solid_count; k++) {
        for (int i = 0; i < cs->segment_count && (cs->solids[k].turn > 0.0 || cs->solids[k].detour > 0.0);
             i++) {
            far = far || turns_too_far(cs, &cs->solids[k], &cs->segments[i]);
        }
    }
    return far;
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
