#include "adapt/patch.h"

#include "math/descent.h"

#define STIFF 1e2    // of EI / l^2: EA of what does not stretch, while positions are searched
#define ENOUGH 1e-7  // of the energy that is about: a search that would win less is over
#define OVERLAP 1e2  // of EI / l^3: what surfaces that overlap push back with
#define PIECE_MOST 8 // nodes
#define SHORTER 4    // times that the way is halved if its end is too near something
#define LENGTH_LEFT 1e-13
#define LENGTH_ITERATIONS 30

typedef struct Patch {
    Rod piece;
    Clamp ends[2];
    Clamp* list[2];
    const CordModelOps* ops;
    const PatchChange* change;
    PatchContact* contact; // NULL: nothing touches
    Memory* memory;
    int moved[2], moved_count; // nodes of the piece
    int stage_node[3];         // of the stage: of the moved ones, and of the one that goes
    CordVec3 held_end;         // the other end of what becomes one
    CordVec3 start[2];         // where the moved ones set out from
    CordVec3 force[2];
    double stiffness; // of surfaces that overlap [N/m]
    double matrix[36];
    bool failed; // no memory
} Patch;

// ---- the piece

// Two nodes on either side of what moves, where there are as many.
static void choose_piece(const PatchChange* ch, int* first, int* count)
{
    const CordCenterline* c = &ch->rod->line;
    int low = ch->node, high = ch->node;
    if (ch->neighbour >= 0 && ch->neighbour == (ch->node + 1) % c->node_count) {
        high++;
    } else if (ch->neighbour >= 0) {
        low--;
    }
    int from = low - 2, to = high + 2;
    if (!c->closed) {
        from = from > 0 ? from : 0;
        to = to < c->node_count - 1 ? to : c->node_count - 1;
    }
    *count = to - from + 1;
    *first = (from + c->node_count) % c->node_count;
}

static double stiffest_bend(const Rod* rod, int edge)
{
    const CordStiffness* k = rod_stiffness_at(rod, edge);
    return fmax(k->EI1, k->EI2);
}

static double shortest_edge(const Rod* rod)
{
    double least = INFINITY;
    for (int j = 0; j < rod->line.edge_count; j++) {
        least = fmin(least, edge_rest_len(&rod->line, j));
    }
    return least;
}

// What does not stretch hardly does.
static void stiffen(Patch* p)
{
    Rod* rod = &p->piece;
    double l = shortest_edge(rod), pull = vec3_length(p->force[0]) + vec3_length(p->force[1]);
    for (int j = 0; j < (rod->along ? rod->line.edge_count : 1); j++) {
        CordStiffness* k = rod->along ? &rod->along[j] : &rod->stiffness;
        k->EA = STIFF * fmax(fmax(k->EI1, k->EI2) / (l * l), pull) + 1e-300;
    }
}

// An end of the piece that is not one of the rod: its edge is held as it is.
static CordResult hold_end(Patch* p, int which, Message* message)
{
    Rod* rod = &p->piece;
    CordClampDef def = cord_clamp_def_default();
    CordVec3 m1[PIECE_MOST];
    def.at = cord_at_edge(which == 0 ? 0 : rod->line.edge_count - 1);
    def.fix = CORD_FIX_FRAME;
    p->ops->frames(rod, m1);
    CORD_TRY(clamp_init(p->memory, &p->ends[which], rod, &def, m1[def.at.index], message));
    p->ends[which].holds = true;
    p->list[rod->clamp_count] = &p->ends[which];
    rod->clamps = p->list;
    rod->clamp_count++;
    return CORD_OK;
}

static int node_of_piece(const Remesh* map, int node)
{
    for (int i = 0; i < map->node_count; i++) {
        if (map->node[i] == node) {
            return i;
        }
    }
    return -1;
}

static CordResult open_piece(Patch* p, Remesh* map, Message* message)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    int first, count;
    choose_piece(ch, &first, &count);
    if (c->closed && count > c->node_count) {
        return message_fail(message, CORD_NOT_SUPPORTED, "rod '%s' has too few nodes to move any", ch->rod->name);
    }
    remesh_fill_piece(map, ch->rod, first, count, ch->goes ? ch->node : -1);
    if (!remesh_rod(p->memory, &p->piece, map)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory to change the nodes of rod '%s'", ch->rod->name);
    }
    for (int k = 0; k < 2; k++) {
        int node = k == 0 && !ch->goes ? ch->node : k == 1 ? ch->neighbour : -1;
        if (node >= 0) {
            p->force[p->moved_count] = ch->force[k];
            p->moved[p->moved_count++] = node_of_piece(map, node);
        }
    }
    if (ch->rod->inextensible) {
        stiffen(p);
    }
    rod_update_held(&p->piece);
    CORD_TRY(p->ops->remesh(p->memory, &p->piece, map, message));
    int lowest = p->moved_count > 0 ? p->moved[0] : 2, highest = lowest;
    for (int k = 1; k < p->moved_count; k++) {
        lowest = p->moved[k] < lowest ? p->moved[k] : lowest,
        highest = p->moved[k] > highest ? p->moved[k] : highest;
    }
    bool rings = c->closed;
    if (lowest >= 2 || rings) {
        CORD_TRY(hold_end(p, 0, message));
    }
    if (highest + 2 < p->piece.line.node_count || rings) {
        CORD_TRY(hold_end(p, 1, message));
    }
    rod_update_held(&p->piece);
    return p->ops->update_held(p->memory, &p->piece, ch->time, message);
}

static void close_piece(Patch* p)
{
    for (int k = 0; k < p->piece.clamp_count; k++) {
        clamp_free(p->memory, p->list[k]);
    }
    if (p->piece.data || p->piece.framed) {
        p->ops->destroy(p->memory, &p->piece);
    }
    rod_free_arrays(p->memory, &p->piece);
}

// ---- what touches

void patch_contact_free(Memory* m, PatchContact* c)
{
    memory_array_free(m, c->near.pairs, c->pair_capacity);
    memory_array_free(m, c->near.solid_pairs, c->solid_capacity);
    memory_array_free(m, c->near.mesh_pairs, c->mesh_capacity);
    touches_free(m, &c->touches);
    *c = (PatchContact){0};
}

static bool is_concerned(const Patch* p, int segment)
{
    const Segment* g = &p->contact->stage->segments[segment];
    for (int k = 0; k < 3; k++) {
        if (p->stage_node[k] >= 0 && (g->node[0] == p->stage_node[k] || g->node[1] == p->stage_node[k])) {
            return true;
        }
    }
    return false;
}

// The stage with those candidates alone that the moved nodes have a part in. It has no nodes, as far as it is asked how far things have gone since the search: each pair is measured.
static bool gather_candidates(Patch* p)
{
    PatchContact* c = p->contact;
    const Stage* st = c->stage;
    Stage near = c->near;
    SegmentPair* pairs = near.pairs;
    SolidPair* solids = near.solid_pairs;
    MeshPair* meshes = near.mesh_pairs;
    near = *st;
    near.pairs = pairs, near.solid_pairs = solids, near.mesh_pairs = meshes;
    near.node_count = near.pair_count = near.solid_pair_count = near.mesh_pair_count = 0;
    bool room = true;
    for (int i = 0; i < st->pair_count && room; i++) {
        if (is_concerned(p, st->pairs[i].a) || is_concerned(p, st->pairs[i].b)) {
            room = memory_grow(p->memory, (void**)&near.pairs, near.pair_count, &c->pair_capacity,
                               sizeof(SegmentPair));
            if (room) {
                near.pairs[near.pair_count++] = st->pairs[i];
            }
        }
    }
    for (int i = 0; i < st->solid_pair_count && room; i++) {
        if (is_concerned(p, st->solid_pairs[i].segment)) {
            room = memory_grow(p->memory, (void**)&near.solid_pairs, near.solid_pair_count,
                               &c->solid_capacity, sizeof(SolidPair));
            if (room) {
                near.solid_pairs[near.solid_pair_count++] = st->solid_pairs[i];
            }
        }
    }
    for (int i = 0; i < st->mesh_pair_count && room; i++) {
        if (is_concerned(p, st->mesh_pairs[i].segment)) {
            room = memory_grow(p->memory, (void**)&near.mesh_pairs, near.mesh_pair_count, &c->mesh_capacity,
                               sizeof(MeshPair));
            if (room) {
                near.mesh_pairs[near.mesh_pair_count++] = st->mesh_pairs[i];
            }
        }
    }
    c->near = near;
    return room;
}

// Where the moved nodes are, on stage; what goes is in the middle of the element that it leaves.
static void place_on_stage(const Patch* p, const CordVec3* x)
{
    const Stage* st = p->contact->stage;
    for (int k = 0; k < p->moved_count; k++) {
        st->to[p->stage_node[k]] = x[k];
    }
    if (p->change->goes) {
        CordVec3 other = p->moved_count > 0 ? x[0] : st->to[p->stage_node[1]];
        st->to[p->stage_node[2]] = vec3_mul(vec3_add(other, p->held_end), 0.5);
    }
}

static int moved_by_stage_node(const Patch* p, int node)
{
    for (int k = 0; k < p->moved_count; k++) {
        if (p->stage_node[k] == node) {
            return k;
        }
    }
    return -1;
}

// A force on a point of a segment, as its nodes have it; half of what pulls at the one that goes is its neighbour's.
static void pull(const Patch* p, int segment, double at, CordVec3 f, CordVec3* gradient)
{
    const Segment* g = &p->contact->stage->segments[segment];
    for (int k = 0; k < 2; k++) {
        double share = k == 0 ? 1.0 - at : at;
        int moved = moved_by_stage_node(p, g->node[k]);
        if (p->change->goes && g->node[k] == p->stage_node[2] && p->moved_count > 0) {
            gradient[0] = vec3_madd(gradient[0], f, -0.5 * share);
        }
        if (moved >= 0) {
            gradient[moved] = vec3_madd(gradient[moved], f, -share);
        }
    }
}

static void add_tilts(const Patch* p, CordVec3* gradient)
{
    const Touches* ts = &p->contact->touches;
    for (int i = 0; i < ts->tilt_count; i++) {
        const TouchTilt* t = &ts->tilts[i];
        for (int k = 0; k < 4; k++) {
            int segment = k < 2 ? t->a : t->b;
            if (segment >= 0) {
                pull(p, segment, k % 2 == 0 ? 0.0 : 1.0, t->force[k], gradient);
            }
        }
    }
}

// How far pairs were apart says nothing once nodes have moved.
static void forget_gaps(const PatchContact* c)
{
    for (int i = 0; i < c->near.pair_count; i++) {
        c->near.pairs[i].clear = -INFINITY;
    }
}

static bool find_touches(Patch* p, const CordVec3* x)
{
    PatchContact* c = p->contact;
    forget_gaps(c);
    p->failed |= !touches_find(p->memory, &c->touches, &c->near, x, &c->law);
    forget_gaps(c);
    return !p->failed;
}

// Barriers, as implicit steps have them.
static double barrier_sum(Patch* p, CordVec3* gradient)
{
    PatchContact* c = p->contact;
    if (!find_touches(p, c->near.to)) {
        return INFINITY;
    }
    for (int i = 0; i < c->touches.count; i++) {
        const Touch* t = &c->touches.all[i];
        if (t->push != 0.0) {
            pull(p, t->key.a, t->s, vec3_mul(t->n, t->push), gradient);
            if (t->kind == TOUCH_SEGMENTS) {
                pull(p, t->key.b, t->t, vec3_mul(t->n, -t->push), gradient);
            }
        }
    }
    add_tilts(p, gradient);
    return c->touches.energy;
}

// What overlaps is pushed apart at its closest points: less than contact would do, and smooth but where segments are parallel.
static double overlap_of_pair(const Patch* p, const SegmentPair* pair, CordVec3* gradient)
{
    const Stage* st = &p->contact->near;
    const Segment *a = &st->segments[pair->a], *b = &st->segments[pair->b];
    const CordVec3* x = st->to;
    Closest c = segment_segment(x[a->node[0]], x[a->node[1]], x[b->node[0]], x[b->node[1]]);
    double deep = a->radius + b->radius - c.distance;
    if (!(deep > 0.0) || c.distance == 0.0) {
        return 0.0;
    }
    CordVec3 f = vec3_mul(c.apart, p->stiffness * deep / c.distance);
    pull(p, pair->a, c.s, f, gradient);
    pull(p, pair->b, c.t, vec3_mul(f, -1.0), gradient);
    return 0.5 * p->stiffness * deep * deep;
}

static double overlap_of_solid(const Patch* p, const SolidPair* pair, CordVec3* gradient)
{
    const Stage* st = &p->contact->near;
    const Segment* g = &st->segments[pair->segment];
    const StageSolid* s = &st->solids[pair->solid];
    SolidPoint near = solid_segment(&s->solid, pose_into(&s->to, st->to[g->node[0]]),
                                    pose_into(&s->to, st->to[g->node[1]]), 2.0 * g->radius);
    double deep = g->radius - near.distance;
    if (!(deep > 0.0)) {
        return 0.0;
    }
    pull(p, pair->segment, near.s, vec3_mul(quat_rotate(s->to.rotation, near.normal), p->stiffness * deep),
         gradient);
    return 0.5 * p->stiffness * deep * deep;
}

static double overlap_sum(const Patch* p, CordVec3* gradient)
{
    const Stage* st = &p->contact->near;
    double sum = 0.0;
    for (int i = 0; i < st->pair_count; i++) {
        sum += overlap_of_pair(p, &st->pairs[i], gradient);
    }
    for (int i = 0; i < st->solid_pair_count; i++) {
        sum += overlap_of_solid(p, &st->solid_pairs[i], gradient);
    }
    return sum;
}

// Energy of what touches, and its gradient; meshes have their say in the end.
static double touch_energy(Patch* p, CordVec3* gradient)
{
    return p->contact->law.no_barrier ? overlap_sum(p, gradient) : barrier_sum(p, gradient);
}

// ---- the functional: ACM eq. (3)

static double value(void* context, const double* x, double* gradient)
{
    Patch* p = context;
    CordCenterline* c = &p->piece.line;
    CordVec3 all[PIECE_MOST] = {{0, 0, 0}}, at[2], touch[2] = {{0, 0, 0}, {0, 0, 0}};
    double work = 0.0;
    for (int k = 0; k < p->moved_count; k++) {
        at[k] = (CordVec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        slot_set(c->x, slot_of(c, p->moved[k]), at[k]);
        work += vec3_dot(p->force[k], vec3_sub(at[k], p->start[k]));
    }
    p->ops->jump(&p->piece, p->change->time);
    CordEnergy energy = {0};
    p->ops->energy(&p->piece, &energy);
    p->ops->gradient(&p->piece, all);
    double sum = energy.bend + energy.twist + energy.stretch - work;
    if (p->contact) {
        place_on_stage(p, at);
        sum += touch_energy(p, touch);
    }
    for (int k = 0; k < p->moved_count; k++) {
        CordVec3 g = vec3_add(vec3_sub(all[p->moved[k]], p->force[k]), touch[k]);
        gradient[3 * k] = g.x, gradient[3 * k + 1] = g.y, gradient[3 * k + 2] = g.z;
    }
    return p->piece.unsettled || p->failed || !isfinite(sum) ? INFINITY : sum;
}

static void precondition(void* context, const double* gradient, double* direction)
{
    const Patch* p = context;
    int n = 3 * p->moved_count;
    for (int i = 0; i < n; i++) {
        direction[i] = gradient[i];
    }
    descent_solve(p->matrix, n, direction);
}

// Adds k (sum_i a_i x_i)^2 / 2 to the matrix, where the sum is over three nodes from `first` on: across t alone, along it alone, or both.
static void add_row(Patch* p, int first, const double* a, int count, double k, const CordVec3* along)
{
    int n = 3 * p->moved_count;
    for (int r = 0; r < p->moved_count; r++) {
        for (int s = 0; s < p->moved_count; s++) {
            int i = p->moved[r] - first, j = p->moved[s] - first;
            if (i < 0 || i >= count || j < 0 || j >= count) {
                continue;
            }
            double t[3] = {along ? along->x : 0.0, along ? along->y : 0.0, along ? along->z : 0.0};
            for (int u = 0; u < 3; u++) {
                for (int v = 0; v < 3; v++) {
                    double part = along ? t[u] * t[v] : u == v ? 1.0 : 0.0;
                    p->matrix[(3 * r + u) * n + 3 * s + v] += k * a[i] * a[j] * part;
                }
            }
        }
    }
}

// The Hessian of a nearly straight rod.
static bool make_matrix(Patch* p)
{
    const Rod* rod = &p->piece;
    const CordCenterline* c = &rod->line;
    int n = 3 * p->moved_count;
    for (int i = 0; i < n * n; i++) {
        p->matrix[i] = 0.0;
    }
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 t = edge_tangent(c, j);
        double a[2] = {-1.0, 1.0}, l = edge_rest_len(c, j), k = rod_stiffness_at(rod, j)->EA / l;
        double stretch = fmax(vec3_length(edge_vector(c, j)) / l - 1.0, 0.0);
        add_row(p, j, a, 2, k, &t);
        add_row(p, j, a, 2, k * stretch + 1e-9 * k, NULL); // a string's, and so that chains have one
    }
    for (int i = 1; i < c->edge_count; i++) {
        double u = 1.0 / edge_rest_len(c, i - 1), v = 1.0 / edge_rest_len(c, i);
        double a[3] = {u, -(u + v), v}, EI = 0.5 * (stiffest_bend(rod, i - 1) + stiffest_bend(rod, i));
        add_row(p, i - 1, a, 3, 2.0 * EI / (1.0 / u + 1.0 / v), NULL);
    }
    return descent_factor(p->matrix, n);
}

// ---- lengths

// Moved nodes to where the edges at them have their length again: Newton's method on the squares of up to three lengths.
static bool keep_lengths(const Patch* p, CordVec3* x)
{
    const CordCenterline* c = &p->piece.line;
    if (!p->change->rod->inextensible) {
        return true;
    }
    for (int k = 0; k < p->moved_count; k++) {
        slot_set(c->x, slot_of(c, p->moved[k]), x[k]);
    }
    for (int n = 0; n < LENGTH_ITERATIONS; n++) {
        double a[16] = {0.0}, wrong[4] = {0.0}, most = 0.0;
        int edges[4], count = 0, is_moved[PIECE_MOST] = {0};
        for (int k = 0; k < p->moved_count; k++) {
            is_moved[p->moved[k]] = 1;
        }
        for (int j = 0; j < c->edge_count; j++) {
            if (count < 4 && (is_moved[j] || is_moved[j + 1])) {
                CordVec3 e = edge_vector(c, j);
                double l = edge_rest_len(c, j);
                wrong[count] = 0.5 * (vec3_dot(e, e) - l * l);
                most = fmax(most, fabs(wrong[count]) / (l * l));
                edges[count++] = j;
            }
        }
        if (most <= LENGTH_LEFT) {
            for (int k = 0; k < p->moved_count; k++) {
                x[k] = slot_get(c->x, slot_of(c, p->moved[k]));
            }
            return true;
        }
        for (int r = 0; r < count; r++) {
            for (int s = 0; s < count; s++) {
                CordVec3 e = edge_vector(c, edges[r]), f = edge_vector(c, edges[s]);
                int d = edges[s] - edges[r];
                double shared = d == 0    ? (double)(is_moved[edges[r]] + is_moved[edges[r] + 1])
                                : d == 1  ? -(double)is_moved[edges[s]]
                                : d == -1 ? -(double)is_moved[edges[r]]
                                          : 0.0;
                a[r * count + s] = shared * vec3_dot(e, f);
            }
            a[r * count + r] *= 1.0 + 1e-14;
        }
        if (!descent_factor(a, count)) {
            return false;
        }
        descent_solve(a, count, wrong);
        CordVec3 by[PIECE_MOST] = {{0, 0, 0}};
        for (int r = 0; r < count; r++) {
            CordVec3 e = edge_vector(c, edges[r]);
            by[edges[r]] = vec3_madd(by[edges[r]], e, wrong[r]);
            by[edges[r] + 1] = vec3_madd(by[edges[r] + 1], e, -wrong[r]);
        }
        for (int k = 0; k < p->moved_count; k++) {
            int s = slot_of(c, p->moved[k]);
            slot_set(c->x, s, vec3_add(slot_get(c->x, s), by[p->moved[k]]));
        }
    }
    return false;
}

// ---- the end

// Is nothing too near anything there, and has nothing passed through anything on the way?
static bool is_clear(Patch* p, const CordVec3* x, double deepest_before)
{
    PatchContact* c = p->contact;
    if (!c) {
        return true;
    }
    place_on_stage(p, x);
    if (!find_touches(p, c->near.to)) {
        return false;
    }
    bool apart = c->law.no_barrier ? c->touches.deepest <= fmax(c->tolerance, deepest_before)
                                   : isfinite(c->touches.energy) && c->touches.nearest > 0.0;
    return apart && stage_way_is_free(&c->near);
}

static bool set_stage(Patch* p)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    if (!p->contact) {
        return true;
    }
    int first = p->contact->stage->rods[p->contact->rod].first_node;
    int at[2] = {ch->goes ? ch->neighbour : ch->node, ch->goes ? -1 : ch->neighbour};
    for (int k = 0; k < 2; k++) {
        p->stage_node[k] = at[k] >= 0 ? first + at[k] : -1;
    }
    p->stage_node[2] = ch->goes ? first + ch->node : -1;
    if (ch->goes) {
        int before = ch->node - 1, after = edge_end(c, ch->node);
        p->held_end = node_position(c, ch->neighbour == after ? before : after);
        p->stage_node[1] = p->moved_count == 0 ? first + before : -1;
    }
    return gather_candidates(p);
}

// What the way begins with, and may be left at: where it is deepest now.
static double deepest_now(Patch* p)
{
    PatchContact* c = p->contact;
    return c && find_touches(p, c->near.from) ? c->touches.deepest : 0.0;
}

// As far along the way to the least energy as lengths and surroundings allow.
static bool go_there(Patch* p, const CordVec3* to, PatchEnd* end)
{
    double deepest = deepest_now(p), share = 1.0;
    for (int n = 0; n <= SHORTER + 1 && !p->failed; n++, share *= n <= SHORTER ? 0.5 : 0.0) {
        bool lengths = true;
        for (int k = 0; k < p->moved_count; k++) {
            end->x[k] = vec3_madd(p->start[k], vec3_sub(to[k], p->start[k]), share);
        }
        lengths = share == 0.0 && !p->change->goes ? true : keep_lengths(p, end->x);
        if (lengths && is_clear(p, end->x, deepest)) {
            return true;
        }
    }
    return false;
}

static void search(Patch* p, PatchEnd* end, CordVec3* to)
{
    double x[6];
    for (int k = 0; k < p->moved_count; k++) {
        x[3 * k] = p->start[k].x, x[3 * k + 1] = p->start[k].y, x[3 * k + 2] = p->start[k].z;
    }
    double l = shortest_edge(&p->piece), EI = stiffest_bend(&p->piece, 0);
    p->stiffness = OVERLAP * EI / (l * l * l);
    CordEnergy energy = {0};
    p->ops->energy(&p->piece, &energy);
    Descent d = {.count = 3 * p->moved_count,
                 .value = value,
                 .precondition = precondition,
                 .context = p,
                 .iterations = p->change->iterations,
                 .enough = ENOUGH * (energy.bend + energy.twist + 1e-4 * EI / l)};
    if (p->moved_count > 0 && make_matrix(p)) {
        end->iterations = descent_run(&d, x).iterations;
    }
    for (int k = 0; k < p->moved_count; k++) {
        to[k] = (CordVec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
    }
}

static CordResult find(Patch* p, Remesh* map, PatchEnd* end, Message* message)
{
    CordVec3 to[2];
    CORD_TRY(open_piece(p, map, message));
    for (int k = 0; k < p->moved_count; k++) {
        p->start[k] = node_position(&p->piece.line, p->moved[k]);
    }
    if (!set_stage(p)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    search(p, end, to);
    bool there = go_there(p, to, end);
    return p->failed ? message_fail(message, CORD_NO_MEMORY, "no memory for contacts")
           : there
               ? CORD_OK
               : message_fail(message, CORD_NOT_CONVERGED,
                              "rod '%s': the nodes about node %d cannot change without coming too near something",
                              p->change->rod->name, p->change->node);
}

// The next change sets out from where this one has left things.
static void leave_stage(const Patch* p, bool there)
{
    const Stage* st = p->contact ? p->contact->stage : NULL;
    for (int k = 0; st && k < 3; k++) {
        int n = p->stage_node[k];
        if (n >= 0) {
            *(there ? &st->from[n] : &st->to[n]) = *(there ? &st->to[n] : &st->from[n]);
        }
    }
}

PatchEnd patch_find(Memory* m, Remesh* map, const PatchChange* change, PatchContact* contact, Message* message)
{
    Patch p = {.ops = model_ops(change->rod->model),
               .change = change,
               .contact = contact && contact->stage ? contact : NULL,
               .memory = m,
               .stage_node = {-1, -1, -1}};
    PatchEnd end = {.result = CORD_OK};
    end.result = find(&p, map, &end, message);
    if (change->goes && end.result == CORD_OK && p.moved_count > 0) { // the neighbour alone moves
        end.x[1] = end.x[0];
    }
    leave_stage(&p, end.result == CORD_OK);
    close_piece(&p);
    return end;
}
