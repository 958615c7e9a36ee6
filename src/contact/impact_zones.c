#include "contact/impact_zones.h"

#include "base/real.h"
#include "base/sort.h"

void impact_zones_begin(ImpactZones* z)
{
    z->zone_count = z->deepest_rounds = z->collisions = 0;
    z->rounds = 0;
}

void impact_zones_free(Memory* m, ImpactZones* z)
{
    memory_array_free(m, z->all, z->capacity);
    memory_array_free(m, z->parent, z->parent_capacity);
    *z = (ImpactZones){0};
}

// ---- collisions

typedef struct Penetration { // a collision at the colliders' present `to`
    double depth;            // [m]; 0 or less: they do not overlap
    double s, t;
    CordVec3 n;
    double radius;
} Penetration;

static Penetration segments_penetration(const Colliders* cs, const Collision* c)
{
    const Segment *a = &cs->segments[c->a], *b = &cs->segments[c->b];
    ClosestPoints near = closest_segment_segment(cs->to[a->node[0]], cs->to[a->node[1]], cs->to[b->node[0]],
                                                 cs->to[b->node[1]]);
    Penetration m = {.depth = a->radius + b->radius - near.distance, .s = near.s, .t = near.t};
    m.n = near.distance > 0.0 ? vec3_mul(near.separation, 1.0 / near.distance) : (CordVec3){0, 0, 1};
    m.radius = real_min(a->radius, b->radius);
    return m;
}

static Penetration solid_penetration(const Colliders* cs, const Collision* c)
{
    const Segment* a = &cs->segments[c->a];
    const ColliderSolid* s = &cs->solids[c->b];
    SolidPoint near = solid_segment(&s->solid, pose_into(&s->to, cs->to[a->node[0]]),
                                    pose_into(&s->to, cs->to[a->node[1]]), a->radius);
    return (Penetration){.depth = a->radius - near.distance,
                         .s = near.s,
                         .n = quat_rotate(s->to.rotation, near.normal),
                         .radius = a->radius};
}

static Penetration penetration_of(const Colliders* cs, const Collision* c)
{
    return c->kind == CONTACT_SEGMENTS ? segments_penetration(cs, c) : solid_penetration(cs, c);
}

static bool add(Memory* m, ImpactZones* z, Collision c)
{
    if (z->count == z->capacity && !memory_grow(m, (void**)&z->all, z->count, &z->capacity, sizeof c)) {
        return false;
    }
    z->all[z->count++] = c;
    return true;
}

static bool find_collisions(Memory* m, ImpactZones* z, const Colliders* cs, double tolerance, double* deepest)
{
    z->count = 0;
    *deepest = 0.0;
    for (int i = 0; i < cs->pair_count + cs->solid_pair_count; i++) {
        bool rods = i < cs->pair_count;
        const SolidPair* solid = rods ? NULL : &cs->solid_pairs[i - cs->pair_count];
        Collision c = {rods ? CONTACT_SEGMENTS : CONTACT_SOLID, rods ? cs->pairs[i].a : solid->segment,
                       rods ? cs->pairs[i].b : solid->solid, 0};
        Penetration now = penetration_of(cs, &c);
        *deepest = real_max(*deepest, now.depth / now.radius);
        if (now.depth > tolerance * now.radius && !add(m, z, c)) {
            return false;
        }
    }
    return true;
}

// ---- zones: collisions that share a node, directly or through others, by union-find

static int root_of(int* parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int* parent, int i, int j)
{
    int p = root_of(parent, i), q = root_of(parent, j);
    parent[p > q ? p : q] = p > q ? q : p;
}

static int by_zone(const void* p, const void* q)
{
    const Collision *a = p, *b = q;
    return a->zone != b->zone ? (a->zone < b->zone ? -1 : 1)
           : a->a != b->a     ? (a->a < b->a ? -1 : 1)
                              : (a->b > b->b) - (a->b < b->b);
}

static bool group(Memory* m, ImpactZones* z, const Colliders* cs)
{
    if (!memory_reserve(m, (void**)&z->parent, cs->node_count, &z->parent_capacity, sizeof(int))) {
        return false;
    }
    for (int n = 0; n < cs->node_count; n++) {
        z->parent[n] = n;
    }
    for (int i = 0; i < z->count; i++) {
        const Collision* c = &z->all[i];
        const int* a = cs->segments[c->a].node;
        join(z->parent, a[0], a[1]);
        if (c->kind == CONTACT_SEGMENTS) {
            const int* b = cs->segments[c->b].node;
            join(z->parent, a[0], b[0]);
            join(z->parent, b[0], b[1]);
        }
    }
    for (int i = 0; i < z->count; i++) {
        z->all[i].zone = root_of(z->parent, cs->segments[z->all[i].a].node[0]);
    }
    heap_sort(z->all, z->count, sizeof *z->all, by_zone);
    return true;
}

// ---- displacements

static void displace(Colliders* cs, const ContactConstraints* b, int node, CordVec3 by)
{
    if (b->w[node] > 0.0) {
        cs->to[node] = vec3_add(cs->to[node], by);
        b->moved.x[node] = vec3_add(b->moved.x[node], by);
    }
}

static double mass_at(const ContactConstraints* b, const Segment* g,
                      double s) // barycentrically weighted; INFINITY: held
{
    double p = b->w[g->node[0]] > 0.0 ? 1.0 / b->w[g->node[0]] : INFINITY;
    double q = b->w[g->node[1]] > 0.0 ? 1.0 / b->w[g->node[1]] : INFINITY;
    return (s < 1.0 ? p * (1.0 - s) : 0.0) + (s > 0.0 ? q * s : 0.0);
}

static void displace_segment(Colliders* cs, const ContactConstraints* b, const Segment* g, double s,
                             CordVec3 by)
{
    displace(cs, b, g->node[0], vec3_mul(by, 1.0 - s));
    displace(cs, b, g->node[1], vec3_mul(by, s));
}

static CordVec3 displacement_of(const Colliders* cs, const Segment* g, double s)
{
    CordVec3 p = vec3_sub(cs->to[g->node[0]], cs->begin[g->node[0]]),
             q = vec3_sub(cs->to[g->node[1]], cs->begin[g->node[1]]);
    return vec3_madd(vec3_mul(p, 1.0 - s), q, s);
}

// Friction opposes the relative displacement of the surfaces in the step. It is mu times the normal
// displacement, halved in each iteration (ACM section 6.3).
static CordVec3 friction(const Colliders* cs, const Collision* c, const Penetration* m, double mu, int round)
{
    CordVec3 motion = displacement_of(cs, &cs->segments[c->a], m->s);
    if (c->kind == CONTACT_SEGMENTS) {
        motion = vec3_sub(motion, displacement_of(cs, &cs->segments[c->b], m->t));
    } else {
        const ColliderSolid* s = &cs->solids[c->b];
        CordVec3 p = colliders_axis_point(cs, cs->begin, c->a, m->s);
        motion = vec3_sub(motion, vec3_sub(pose_out(&s->to, pose_into(&s->begin, p)), p));
    }
    CordVec3 slip = vec3_reject(motion, m->n);
    double far = vec3_length(slip), most = mu * m->depth;
    for (int i = 0; i < round && i < 60; i++) {
        most *= 0.5;
    }
    return far > 0.0 ? vec3_mul(slip, -real_min(most, far) / far) : (CordVec3){0, 0, 0};
}

// Reaction on a solid: minus mass times displacement, and its moment [kg m].
static void react_on_solid(const Colliders* cs, const ContactConstraints* b, const Collision* c,
                           const Penetration* m, CordVec3 by)
{
    const int* node = cs->segments[c->a].node;
    double p = b->w[node[0]] > 0.0 ? (1.0 - m->s) / b->w[node[0]] : 0.0;
    double q = b->w[node[1]] > 0.0 ? m->s / b->w[node[1]] : 0.0;
    CordVec3 f = vec3_mul(by, -p - q), at = colliders_axis_point(cs, cs->to, c->a, m->s);
    CordVec3 arm = vec3_sub(vec3_madd(at, m->n, -cs->segments[c->a].radius), cs->solids[c->b].to.point);
    CordVec3 torque = vec3_cross(arm, f);
    double* sum = b->moved.solid + 6 * c->b;
    sum[0] += f.x, sum[1] += f.y, sum[2] += f.z;
    sum[3] += torque.x, sum[4] += torque.y, sum[5] += torque.z;
}

static void resolve(Colliders* cs, const ContactConstraints* b, const Collision* c, const Penetration* m,
                    double mu, int round)
{
    const Segment* a = &cs->segments[c->a];
    CordVec3 by = vec3_madd(friction(cs, c, m, mu, round), m->n, m->depth);
    if (c->kind != CONTACT_SEGMENTS) {
        displace_segment(cs, b, a, m->s, by);
        react_on_solid(cs, b, c, m, by);
        return;
    }
    const Segment* o = &cs->segments[c->b];
    double ma = mass_at(b, a, m->s), mb = mass_at(b, o, m->t);
    double xi = isinf(ma) ? 0.0 : isinf(mb) ? 1.0 : mb / (ma + mb);
    displace_segment(cs, b, a, m->s, vec3_mul(by, xi));
    displace_segment(cs, b, o, m->t, vec3_mul(by, xi - 1.0));
}

static double mu_of(const Colliders* cs, const Collision* c, const SurfaceLaws* law)
{
    ContactPoint contact = {.key = {c->a, c->b, 0, 0}, .kind = c->kind};
    return surface_pair_law(law, contact_point_surfaces(cs, &contact)).mu_kinetic;
}

static void resolve_zone(ImpactZones* z, Colliders* cs, const ContactConstraints* b, const SurfaceLaws* law,
                         int from, int to, double tolerance, int most)
{
    double deepest = INFINITY;
    int round = 0;
    for (; round < most && deepest > tolerance; round++) {
        deepest = 0.0;
        for (int i = from; i < to; i++) {
            Penetration now = penetration_of(cs, &z->all[i]);
            if (now.depth > 0.0) {
                deepest = real_max(deepest, now.depth / now.radius);
                resolve(cs, b, &z->all[i], &now, mu_of(cs, &z->all[i], law), round);
            }
        }
    }
    z->rounds += round;
    z->deepest_rounds = round > z->deepest_rounds ? round : z->deepest_rounds;
}

// Displaced nodes may collide with others, which join their zone in the next pass, until no collision is
// left.
bool impact_zones_resolve(Memory* m, ImpactZones* z, Colliders* cs, const ContactConstraints* b,
                          const SurfaceLaws* law, double tolerance, int most, double* left)
{
    for (int n = 0; n < most; n++) {
        if (!find_collisions(m, z, cs, tolerance, left) || !group(m, z, cs)) {
            return false;
        }
        if (z->count == 0) {
            break;
        }
        z->collisions = z->count > z->collisions ? z->count : z->collisions;
        int zones = 0;
        for (int from = 0, to; from < z->count; from = to, zones++) {
            for (to = from + 1; to < z->count && z->all[to].zone == z->all[from].zone; to++) {
            }
            resolve_zone(z, cs, b, law, from, to, 0.5 * tolerance, most);
        }
        z->zone_count = zones > z->zone_count ? zones : z->zone_count;
    }
    return true;
}
