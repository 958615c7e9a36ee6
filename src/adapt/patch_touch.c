// Contact near a patch: candidate pairs, energy and gradient, and the test of the result.
#include "adapt/patch_parts.h"
#include "base/real.h"

void patch_contact_free(Memory* m, PatchContact* c)
{
    memory_array_free(m, c->near.pairs, c->pair_capacity);
    memory_array_free(m, c->near.solid_pairs, c->solid_capacity);
    memory_array_free(m, c->near.mesh_pairs, c->mesh_capacity);
    contact_points_free(m, &c->contacts);
    *c = (PatchContact){0};
}

static bool is_concerned(const Patch* p, int segment)
{
    const Segment* g = &p->contact->colliders->segments[segment];
    for (int k = 0; k < 3; k++) {
        if (p->collider_node[k] >= 0 &&
            (g->node[0] == p->collider_node[k] || g->node[1] == p->collider_node[k])) {
            return true;
        }
    }
    return false;
}

// Copies the candidate pairs that involve moved nodes. The copy has no nodes, so no motion since the broad
// phase is known and every pair is measured.
static bool gather_candidates(Patch* p)
{
    PatchContact* c = p->contact;
    const Colliders* cs = c->colliders;
    Colliders near = c->near;
    SegmentPair* pairs = near.pairs;
    SolidPair* solids = near.solid_pairs;
    MeshPair* meshes = near.mesh_pairs;
    near = *cs;
    near.pairs = pairs, near.solid_pairs = solids, near.mesh_pairs = meshes;
    near.node_count = near.pair_count = near.solid_pair_count = near.mesh_pair_count = 0;
    bool room = true;
    for (int i = 0; i < cs->pair_count && room; i++) {
        if (is_concerned(p, cs->pairs[i].a) || is_concerned(p, cs->pairs[i].b)) {
            room = memory_grow(p->memory, (void**)&near.pairs, near.pair_count, &c->pair_capacity,
                               sizeof(SegmentPair));
            if (room) {
                near.pairs[near.pair_count++] = cs->pairs[i];
            }
        }
    }
    for (int i = 0; i < cs->solid_pair_count && room; i++) {
        if (is_concerned(p, cs->solid_pairs[i].segment)) {
            room = memory_grow(p->memory, (void**)&near.solid_pairs, near.solid_pair_count,
                               &c->solid_capacity, sizeof(SolidPair));
            if (room) {
                near.solid_pairs[near.solid_pair_count++] = cs->solid_pairs[i];
            }
        }
    }
    for (int i = 0; i < cs->mesh_pair_count && room; i++) {
        if (is_concerned(p, cs->mesh_pairs[i].segment)) {
            room = memory_grow(p->memory, (void**)&near.mesh_pairs, near.mesh_pair_count, &c->mesh_capacity,
                               sizeof(MeshPair));
            if (room) {
                near.mesh_pairs[near.mesh_pair_count++] = cs->mesh_pairs[i];
            }
        }
    }
    c->near = near;
    return room;
}

// Moves the collider nodes to x. A removed node goes to the middle of the merged element.
void patch_place_colliders(const Patch* p, const CordVec3* x)
{
    const Colliders* cs = p->contact->colliders;
    for (int k = 0; k < p->moved_count; k++) {
        cs->to[p->collider_node[k]] = vec3_add(x[k], p->origin);
    }
    if (p->change->goes) {
        CordVec3 other = cs->to[p->collider_node[p->moved_count > 0 ? 0 : 1]];
        cs->to[p->collider_node[2]] = vec3_mul(vec3_add(other, p->held_end), 0.5);
    }
}

static int moved_by_collider_node(const Patch* p, int node)
{
    for (int k = 0; k < p->moved_count; k++) {
        if (p->collider_node[k] == node) {
            return k;
        }
    }
    return -1;
}

// Distributes a force on a point of a segment to the segment's nodes. Half of the force on the removed node
// belongs to its neighbour.
static void add_force(const Patch* p, int segment, double at, CordVec3 f, CordVec3* gradient)
{
    const Segment* g = &p->contact->colliders->segments[segment];
    for (int k = 0; k < 2; k++) {
        double share = k == 0 ? 1.0 - at : at;
        int moved = moved_by_collider_node(p, g->node[k]);
        if (p->change->goes && g->node[k] == p->collider_node[2] && p->moved_count > 0) {
            gradient[0] = vec3_madd(gradient[0], f, -0.5 * share);
        }
        if (moved >= 0) {
            gradient[moved] = vec3_madd(gradient[moved], f, -share);
        }
    }
}

// Known gaps are void once nodes have moved.
static void forget_gaps(const PatchContact* c)
{
    for (int i = 0; i < c->near.pair_count; i++) {
        c->near.pairs[i].gap_bound = -INFINITY;
    }
}

static bool find_touches(Patch* p, const CordVec3* x)
{
    PatchContact* c = p->contact;
    ContactLaw overlaps = {0};
    forget_gaps(c);
    p->failed |= !narrow_phase_find(p->memory, &c->contacts, &c->near, x, &overlaps);
    forget_gaps(c);
    return !p->failed;
}

// Penalises overlaps at the closest points: softer than contact, and smooth except where segments are
// parallel.
static double overlap_of_pair(const Patch* p, const SegmentPair* pair, CordVec3* gradient)
{
    const Colliders* cs = &p->contact->near;
    const Segment *a = &cs->segments[pair->a], *b = &cs->segments[pair->b];
    const CordVec3* x = cs->to;
    ClosestPoints c = closest_segment_segment(x[a->node[0]], x[a->node[1]], x[b->node[0]], x[b->node[1]]);
    double deep = a->radius + b->radius - c.distance;
    if (!(deep > 0.0) || c.distance == 0.0) {
        return 0.0;
    }
    CordVec3 f = vec3_mul(c.separation, p->stiffness * deep / c.distance);
    add_force(p, pair->a, c.s, f, gradient);
    add_force(p, pair->b, c.t, vec3_mul(f, -1.0), gradient);
    return 0.5 * p->stiffness * deep * deep;
}

static double overlap_of_solid(const Patch* p, const SolidPair* pair, CordVec3* gradient)
{
    const Colliders* cs = &p->contact->near;
    const Segment* g = &cs->segments[pair->segment];
    const ColliderSolid* s = &cs->solids[pair->solid];
    SolidPoint near = solid_segment(&s->solid, pose_into(&s->to, cs->to[g->node[0]]),
                                    pose_into(&s->to, cs->to[g->node[1]]), 2.0 * g->radius);
    double deep = g->radius - near.distance;
    if (!(deep > 0.0)) {
        return 0.0;
    }
    add_force(p, pair->segment, near.s,
              vec3_mul(quat_rotate(s->to.rotation, near.normal), p->stiffness * deep), gradient);
    return 0.5 * p->stiffness * deep * deep;
}

// Energy of overlaps and its gradient. Meshes are tested at the end only.
double patch_touch_energy(Patch* p, CordVec3* gradient)
{
    const Colliders* cs = &p->contact->near;
    double sum = 0.0;
    for (int i = 0; i < cs->pair_count; i++) {
        sum += overlap_of_pair(p, &cs->pairs[i], gradient);
    }
    for (int i = 0; i < cs->solid_pair_count; i++) {
        sum += overlap_of_solid(p, &cs->solid_pairs[i], gradient);
    }
    return sum;
}

bool patch_set_colliders(Patch* p)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    if (!p->contact) {
        return true;
    }
    int first = p->contact->colliders->rods[p->contact->rod].first_node;
    int at[2] = {ch->goes ? ch->neighbour : ch->node, ch->goes ? -1 : ch->neighbour};
    for (int k = 0; k < 2; k++) {
        p->collider_node[k] = at[k] >= 0 ? first + at[k] : -1;
    }
    p->collider_node[2] = ch->goes ? first + ch->node : -1;
    if (ch->goes) {
        int before = ch->node - 1, after = edge_end(c, ch->node);
        p->held_end = node_position(c, ch->neighbour == after ? before : after);
        p->collider_node[1] = p->moved_count == 0 ? first + before : -1;
    }
    return gather_candidates(p);
}

// The largest overlap at the start, which the result may keep.
double patch_deepest(Patch* p)
{
    PatchContact* c = p->contact;
    if (!c || !find_touches(p, c->near.from)) {
        return 0.0;
    }
    return c->contacts.deepest;
}

// The path may leave the region of the candidate pairs.
static bool update_candidates(Patch* p)
{
    Colliders* cs = p->contact->colliders;
    int64_t searches = cs->searches;
    p->failed |= !broad_phase_update(p->memory, cs);
    p->wider |= cs->searches != searches;
    p->failed |= cs->searches != searches && !gather_candidates(p);
    return !p->failed;
}

static bool has_room(const Patch* p, const CordVec3* x)
{
    double room = p->contact->room, far = 0.0;
    for (int k = 0; k < p->moved_count; k++) {
        far = real_max(far, vec3_length(vec3_sub(x[k], p->start[k])));
    }
    return room == 0.0 || far <= room;
}

// Tests that nothing is too near at x, and that nothing tunnelled on the way.
bool patch_is_clear(Patch* p, const CordVec3* x, double deep)
{
    PatchContact* c = p->contact;
    if (!c) {
        return true;
    }
    if (!has_room(p, x)) {
        return false;
    }
    patch_place_colliders(p, x);
    if (!update_candidates(p) || !find_touches(p, c->near.to)) {
        return false;
    }
    bool clear = c->contacts.deepest <= real_max(c->tolerance, deep);
    return clear && colliders_path_is_free(&c->near);
}

void patch_leave_colliders(const Patch* p, bool there)
{
    const Colliders* cs = p->contact ? p->contact->colliders : NULL;
    for (int k = 0; cs && k < 3; k++) {
        int n = p->collider_node[k];
        if (n >= 0) {
            *(there ? &cs->from[n] : &cs->to[n]) = *(there ? &cs->to[n] : &cs->from[n]);
        }
    }
}
