#include "contact/zones.h"

#include "base/real.h"
#include "base/sort.h"

void zones_begin(Zones* z)
{
    z->zone_count = z->deepest_rounds = z->collisions = 0;
    z->rounds = 0;
}

void zones_free(Memory* m, Zones* z)
{
    memory_array_free(m, z->all, z->capacity);
    memory_array_free(m, z->parent, z->parent_capacity);
    *z = (Zones){0};
}

// ---- collisions

typedef struct Meeting { // a collision as it is now
    double depth;        // [m]; not positive: there is none
    double s, t;
    CordVec3 n;
    double radius;
} Meeting;

static Meeting meet_segments(const Stage* st, const Collision* c)
{
    const Segment *a = &st->segments[c->a], *b = &st->segments[c->b];
    Closest near =
        segment_segment(st->to[a->node[0]], st->to[a->node[1]], st->to[b->node[0]], st->to[b->node[1]]);
    Meeting m = {.depth = a->radius + b->radius - near.distance, .s = near.s, .t = near.t};
    m.n = near.distance > 0.0 ? vec3_mul(near.apart, 1.0 / near.distance) : (CordVec3){0, 0, 1};
    m.radius = real_min(a->radius, b->radius);
    return m;
}

static Meeting meet_solid(const Stage* st, const Collision* c)
{
    const Segment* a = &st->segments[c->a];
    const StageSolid* s = &st->solids[c->b];
    SolidPoint near = solid_segment(&s->solid, pose_into(&s->to, st->to[a->node[0]]),
                                    pose_into(&s->to, st->to[a->node[1]]), a->radius);
    return (Meeting){.depth = a->radius - near.distance,
                     .s = near.s,
                     .n = quat_rotate(s->to.rotation, near.normal),
                     .radius = a->radius};
}

static Meeting meet(const Stage* st, const Collision* c)
{
    return c->kind == TOUCH_SEGMENTS ? meet_segments(st, c) : meet_solid(st, c);
}

static bool add(Memory* m, Zones* z, Collision c)
{
    if (z->count == z->capacity && !memory_grow(m, (void**)&z->all, z->count, &z->capacity, sizeof c)) {
        return false;
    }
    z->all[z->count++] = c;
    return true;
}

static bool find_collisions(Memory* m, Zones* z, const Stage* st, double tolerance, double* deepest)
{
    z->count = 0;
    *deepest = 0.0;
    for (int i = 0; i < st->pair_count + st->solid_pair_count; i++) {
        bool rods = i < st->pair_count;
        const SolidPair* solid = rods ? NULL : &st->solid_pairs[i - st->pair_count];
        Collision c = {rods ? TOUCH_SEGMENTS : TOUCH_SOLID, rods ? st->pairs[i].a : solid->segment,
                       rods ? st->pairs[i].b : solid->solid, 0};
        Meeting now = meet(st, &c);
        *deepest = real_max(*deepest, now.depth / now.radius);
        if (now.depth > tolerance * now.radius && !add(m, z, c)) {
            return false;
        }
    }
    return true;
}

// ---- zones: collisions that share a node, directly or through others

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

static bool group(Memory* m, Zones* z, const Stage* st)
{
    if (!memory_reserve(m, (void**)&z->parent, st->node_count, &z->parent_capacity, sizeof(int))) {
        return false;
    }
    for (int n = 0; n < st->node_count; n++) {
        z->parent[n] = n;
    }
    for (int i = 0; i < z->count; i++) {
        const Collision* c = &z->all[i];
        const int* a = st->segments[c->a].node;
        join(z->parent, a[0], a[1]);
        if (c->kind == TOUCH_SEGMENTS) {
            const int* b = st->segments[c->b].node;
            join(z->parent, a[0], b[0]);
            join(z->parent, b[0], b[1]);
        }
    }
    for (int i = 0; i < z->count; i++) {
        z->all[i].zone = root_of(z->parent, st->segments[z->all[i].a].node[0]);
    }
    heap_sort(z->all, z->count, sizeof *z->all, by_zone);
    return true;
}

// ---- displacements

static void displace(Stage* st, const Blows* b, int node, CordVec3 by)
{
    if (b->w[node] > 0.0) {
        st->to[node] = vec3_add(st->to[node], by);
        b->moved.x[node] = vec3_add(b->moved.x[node], by);
    }
}

static double mass_at(const Blows* b, const Segment* g, double s) // barycentrically weighted; INFINITY: held
{
    double p = b->w[g->node[0]] > 0.0 ? 1.0 / b->w[g->node[0]] : INFINITY;
    double q = b->w[g->node[1]] > 0.0 ? 1.0 / b->w[g->node[1]] : INFINITY;
    return (s < 1.0 ? p * (1.0 - s) : 0.0) + (s > 0.0 ? q * s : 0.0);
}

static void displace_segment(Stage* st, const Blows* b, const Segment* g, double s, CordVec3 by)
{
    displace(st, b, g->node[0], vec3_mul(by, 1.0 - s));
    displace(st, b, g->node[1], vec3_mul(by, s));
}

static CordVec3 way_of(const Stage* st, const Segment* g, double s)
{
    CordVec3 p = vec3_sub(st->to[g->node[0]], st->begin[g->node[0]]),
             q = vec3_sub(st->to[g->node[1]], st->begin[g->node[1]]);
    return vec3_madd(vec3_mul(p, 1.0 - s), q, s);
}

// Against the way that the surfaces went over each other; mu times the normal displacement, less with each
// iteration (section 6.3).
static CordVec3 friction(const Stage* st, const Collision* c, const Meeting* m, double mu, int round)
{
    CordVec3 way = way_of(st, &st->segments[c->a], m->s);
    if (c->kind == TOUCH_SEGMENTS) {
        way = vec3_sub(way, way_of(st, &st->segments[c->b], m->t));
    } else {
        const StageSolid* s = &st->solids[c->b];
        CordVec3 p = stage_point(st, st->begin, c->a, m->s);
        way = vec3_sub(way, vec3_sub(pose_out(&s->to, pose_into(&s->begin, p)), p));
    }
    CordVec3 slip = vec3_reject(way, m->n);
    double far = vec3_length(slip), most = mu * m->depth;
    for (int i = 0; i < round && i < 60; i++) {
        most *= 0.5;
    }
    return far > 0.0 ? vec3_mul(slip, -real_min(most, far) / far) : (CordVec3){0, 0, 0};
}

// On a solid: what was done to the rod, the other way round. Masses times displacements [kg m].
static void push_back(const Stage* st, const Blows* b, const Collision* c, const Meeting* m, CordVec3 by)
{
    const int* node = st->segments[c->a].node;
    double p = b->w[node[0]] > 0.0 ? (1.0 - m->s) / b->w[node[0]] : 0.0;
    double q = b->w[node[1]] > 0.0 ? m->s / b->w[node[1]] : 0.0;
    CordVec3 f = vec3_mul(by, -p - q), at = stage_point(st, st->to, c->a, m->s);
    CordVec3 arm = vec3_sub(vec3_madd(at, m->n, -st->segments[c->a].radius), st->solids[c->b].to.point);
    CordVec3 torque = vec3_cross(arm, f);
    double* sum = b->moved.solid + 6 * c->b;
    sum[0] += f.x, sum[1] += f.y, sum[2] += f.z;
    sum[3] += torque.x, sum[4] += torque.y, sum[5] += torque.z;
}

static void resolve(Stage* st, const Blows* b, const Collision* c, const Meeting* m, double mu, int round)
{
    const Segment* a = &st->segments[c->a];
    CordVec3 by = vec3_madd(friction(st, c, m, mu, round), m->n, m->depth);
    if (c->kind != TOUCH_SEGMENTS) {
        displace_segment(st, b, a, m->s, by);
        push_back(st, b, c, m, by);
        return;
    }
    const Segment* o = &st->segments[c->b];
    double ma = mass_at(b, a, m->s), mb = mass_at(b, o, m->t);
    double xi = isinf(ma) ? 0.0 : isinf(mb) ? 1.0 : mb / (ma + mb);
    displace_segment(st, b, a, m->s, vec3_mul(by, xi));
    displace_segment(st, b, o, m->t, vec3_mul(by, xi - 1.0));
}

static double mu_of(const Stage* st, const Collision* c, const FrictionLaw* law)
{
    Touch touch = {.key = {c->a, c->b, 0, 0}, .kind = c->kind};
    return touch_grip(st, &touch, law).mu;
}

static void resolve_zone(Zones* z, Stage* st, const Blows* b, const FrictionLaw* law, int from, int to,
                         double tolerance, int most)
{
    double deepest = INFINITY;
    int round = 0;
    for (; round < most && deepest > tolerance; round++) {
        deepest = 0.0;
        for (int i = from; i < to; i++) {
            Meeting now = meet(st, &z->all[i]);
            if (now.depth > 0.0) {
                deepest = real_max(deepest, now.depth / now.radius);
                resolve(st, b, &z->all[i], &now, mu_of(st, &z->all[i], law), round);
            }
        }
    }
    z->rounds += round;
    z->deepest_rounds = round > z->deepest_rounds ? round : z->deepest_rounds;
}

// Displaced points may meet others, which join their zones: until there are none.
bool zones_resolve(Memory* m, Zones* z, Stage* st, const Blows* b, const FrictionLaw* law, double tolerance,
                   int most, double* left)
{
    for (int n = 0; n < most; n++) {
        if (!find_collisions(m, z, st, tolerance, left) || !group(m, z, st)) {
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
            resolve_zone(z, st, b, law, from, to, 0.5 * tolerance, most);
        }
        z->zone_count = zones > z->zone_count ? zones : z->zone_count;
    }
    return true;
}
