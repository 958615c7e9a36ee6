// The search for where nodes go. Its functional is looked at from within: what it says of itself must be
// true.
#include "adapt/patch.c"

#include "differences.h"
#include "heap.h"
#include "remesh_rods.h"

#define NODES 12
#define RADIUS 0.01
#define CHANGED 6 // the node
#define GAP 1.0   // of the radius: wide, so that differences have room

typedef enum Kind { FAST, FLAT, INEXTENSIBLE, RING, CORDE, CORDE_FRAMES, KINDS } Kind;
typedef enum Near { NOTHING, OVERLAP_ROD, OVERLAP_BALL, NEARS } Near;

typedef struct Scene {
    CordWorld* world;
    Rod* rod;
    Colliders colliders;
    PatchContact contact;
    Remesh map;
    PatchChange change;
    Message message;
} Scene;

static CordRodDef rod_def(Kind kind)
{
    CordRodDef def = kind == RING ? ring_def(2 * NODES) : line_def(NODES);
    def.section = cord_section_disc(RADIUS);
    def.adapt.on = true;
    def.model = kind == CORDE || kind == CORDE_FRAMES ? CORD_MODEL_CORDE : CORD_MODEL_DER;
    def.integrator = kind == CORDE_FRAMES ? CORD_INTEGRATOR_BACKWARD_EULER : CORD_INTEGRATOR_VERLET;
    def.stiffness.EI2 *= kind == FAST || kind == INEXTENSIBLE ? 1.0 : 2.0;
    def.inextensible = kind == INEXTENSIBLE;
    def.rest = CORD_REST_STRAIGHT;
    def.twist = 2.0;
    return def;
}

// Shaken, twisted, with its ends held.
static Rod* add_shaken(CordWorld* world, Kind kind, uint64_t* seed)
{
    CordRodDef def = rod_def(kind);
    CordRodId id = add_rod(world, &def);
    if (kind != RING) {
        hold(world, id, cord_at_start(), CORD_FIX_FRAME);
        hold(world, id, cord_at_end(), CORD_FIX_FRAME);
    }
    CHECK_OK(world_prepare(world));
    if (kind != INEXTENSIBLE) {
        shake(world, id, seed, 0.001);
    }
    Rod* rod = world_rod(world, id);
    rod->stepped = true;
    stepper_jump_frames(rod, 0.0);
    return rod;
}

static void open_contact(Scene* s) // with what there is to touch
{
    s->colliders.reach = GAP * RADIUS;
    colliders_begin_step(&s->colliders);
    CHECK(broad_phase_update(&s->world->memory, &s->colliders));
    s->contact.colliders = &s->colliders;
    s->contact.tolerance = 0.01;
}

// A rod as it is made, with an edge halved: nothing but a node between two halves may go.
static Scene made_scene(const CordRodDef* def, int node, bool goes, int neighbour)
{
    Scene s = {.world = new_weightless_world()};
    s.rod = world_rod(s.world, add_rod(s.world, def));
    CHECK_OK(world_prepare(s.world));
    halve_edge(s.world, s.rod, node - 1);
    CHECK(remesh_reserve(&s.world->memory, &s.map, 16, 1));
    s.change =
        (PatchChange){.rod = s.rod, .node = node, .goes = goes, .neighbour = neighbour, .iterations = 20};
    return s;
}

static PatchEnd find(Scene* s, PatchContact* contact)
{
    return patch_find(&s->world->memory, &s->map, &s->change, contact, &s->message);
}

// Another rod across that node, above it, or a ball below: their surfaces overlap by 0.4 of the radius.
static void add_near(Scene* s, Near near)
{
    Memory* m = &s->world->memory;
    CordVec3 at = node_position(&s->rod->line, CHANGED);
    double away = 1.6 * RADIUS;
    CHECK(colliders_add_rod(m, &s->colliders, s->rod, 0));
    if (near == OVERLAP_ROD) {
        CordRodDef def = line_def(3);
        def.section = cord_section_disc(RADIUS);
        def.shape = cord_shape_line(vec3_add(at, (CordVec3){0.011, -0.1, away}),
                                    vec3_add(at, (CordVec3){-0.004, 0.2, away}), 3);
        CHECK(colliders_add_rod(m, &s->colliders, world_rod(s->world, add_rod(s->world, &def)), 1));
    } else {
        Pose pose = {vec3_add(at, (CordVec3){0.007, 0.002, RADIUS - away - 3.0 * RADIUS}), {0, 0, 0, 1}};
        ColliderSolid ball = {.solid = {.shape = CORD_SOLID_SPHERE, .size = {3.0 * RADIUS, 0, 0}},
                              .begin = pose,
                              .goal = pose,
                              .from = pose,
                              .to = pose};
        CHECK(colliders_add_solid(m, &s->colliders, &ball));
    }
    open_contact(s);
}

static void open_scene_in(Scene* s, CordWorld* world, Kind kind, Near near, bool goes, int side,
                          uint64_t* seed)
{
    *s = (Scene){.world = world};
    s->rod = add_shaken(world, kind, seed);
    halve_edge(world, s->rod, CHANGED - 1); // nothing but a node between two halves may go
    stepper_jump_frames(s->rod, 0.0);
    if (near != NOTHING) {
        add_near(s, near);
    }
    CHECK(remesh_reserve(&world->memory, &s->map, 16, 1));
    s->change = (PatchChange){.rod = s->rod,
                              .node = CHANGED,
                              .goes = goes,
                              .neighbour = side == 0 ? -1 : CHANGED + side,
                              .iterations = 20,
                              .force = {random_vec3(seed, 0.1), random_vec3(seed, 0.1)}};
}

static void open_scene(Scene* s, Kind kind, Near near, bool goes, int side, uint64_t seed)
{
    open_scene_in(s, new_weightless_world(), kind, near, goes, side, &seed);
}

static void close_scene(Scene* s)
{
    patch_contact_free(&s->world->memory, &s->contact);
    colliders_free(&s->world->memory, &s->colliders);
    remesh_free(&s->world->memory, &s->map);
    cord_world_destroy(s->world);
}

// As patch_find opens it, up to the search.
static void open_patch(Scene* s, Patch* p)
{
    *p = (Patch){.change = &s->change,
                 .contact = s->contact.colliders ? &s->contact : NULL,
                 .memory = &s->world->memory,
                 .collider_node = {-1, -1, -1}};
    CHECK_OK(patch_open_piece(p, &s->map, &s->message));
    for (int k = 0; k < p->moved_count; k++) {
        p->start[k] = node_position(&p->piece.line, p->moved[k]);
    }
    CHECK(patch_set_colliders(p));
    double l = patch_shortest_edge(&p->piece);
    p->stiffness = OVERLAP_STIFFNESS * patch_bend_stiffness(&p->piece, 0) / (l * l * l);
}

static void start_of(const Patch* p, double* x)
{
    for (int k = 0; k < p->moved_count; k++) {
        x[3 * k] = p->start[k].x, x[3 * k + 1] = p->start[k].y, x[3 * k + 2] = p->start[k].z;
    }
}

// ---- the functional

// Frames are in equilibrium wherever the nodes are, so they have no part in the gradient: it is that of the
// energy at frames that stay, and the differences say whether that is so.
static double check_gradient(Scene* s)
{
    Patch p;
    double x[6], g[6], unused[6], most = 0.0, touching = 0.0;
    open_patch(s, &p);
    start_of(&p, x);
    int n = 3 * p.moved_count;
    double h = 1e-4 * patch_shortest_edge(&p.piece), base = functional(&p, x, g);
    CHECK(isfinite(base));
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(g[i]));
    }
    for (int i = 0; i < n; i++) { // of the fourth order
        double at = x[i], f[4];
        for (int k = 0; k < 4; k++) {
            x[i] = at + steps_away(k) * h;
            f[k] = functional(&p, x, unused);
        }
        x[i] = at;
        // what equilibrium leaves of moments
        CHECK_NEAR(g[i], slope_between(f, h), 2e-7 * most);
    }
    if (p.contact) {
        CordVec3 contact[2] = {{0, 0, 0}, {0, 0, 0}};
        functional(&p, x, g);
        touching = patch_touch_energy(&p, contact);
    }
    patch_close_piece(&p);
    return touching;
}

TEST(the_gradient_is_that_of_the_functional)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (Near near = 0; near < NEARS; near++) {
            for (int goes = 0; goes < 2; goes++) {
                for (int side = -1; side <= 1; side++) {
                    if (goes && side == 0) { // nothing moves
                        continue;
                    }
                    Scene s;
                    open_scene(&s, kind, near, goes, side, (uint64_t)(kind + 10 * near));
                    double touching = check_gradient(&s);
                    CHECK_INT(touching > 0.0, near != NOTHING); // they do touch
                    close_scene(&s);
                }
            }
        }
    }
}

// A piece's own energy is what the gradient at its inner nodes belongs to: with the forces that hold a rod at
// bay, it has none.
TEST(what_is_in_equilibrium_is_at_its_least)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        if (kind == INEXTENSIBLE) { // which is another rod, while it is searched
            continue;
        }
        Scene s;
        open_scene(&s, kind, NOTHING, false, 1, (uint64_t)kind);
        CordVec3 force[REMESH_MOST] = {{0, 0, 0}};
        model_of(s.rod)->gradient(s.rod, force);
        s.change.force[0] = force[CHANGED], s.change.force[1] = force[CHANGED + 1];
        Patch p;
        double x[6], g[6], size = vec3_length(force[CHANGED]) + vec3_length(force[CHANGED + 1]);
        open_patch(&s, &p);
        start_of(&p, x);
        functional(&p, x, g);
        CHECK(size > 1e-2);
        // As near as frames are in equilibrium; but the directors of explicit corde rods are off the tangents
        // by what the penalty allows, and those of the edges that are held are not.
        double left = kind == CORDE ? 5e-3 : 1e-8;
        for (int i = 0; i < 6; i++) {
            CHECK_NEAR(g[i], 0.0, left * size);
        }
        patch_close_piece(&p);
        PatchEnd end = find(&s, NULL);
        CHECK_OK(end.result);
        for (int k = 0; k < 2; k++) {
            double moved = vec3_length(vec3_sub(end.x[k], node_position(&s.rod->line, CHANGED + k)));
            // a search that would win 1e-7 of the energy is over
            CHECK_NEAR(moved, 0.0, (kind == CORDE ? 1e-3 : 1e-6) * patch_shortest_edge(s.rod));
        }
        close_scene(&s);
    }
}

// ---- the search

static void copy_nodes(const Rod* rod, CordVec3* x)
{
    for (int i = 0; i < rod->line.node_count; i++) {
        x[i] = node_position(&rod->line, i);
    }
}

// The functional with the moved nodes at x, and the square of its slope.
static double functional_and_slope(Patch* p, double* x, double* slope)
{
    double g[6], value = functional(p, x, g);
    *slope = 0.0;
    for (int i = 0; i < 3 * p->moved_count; i++) {
        *slope += g[i] * g[i];
    }
    return value;
}

TEST(it_ends_lower_and_leaves_the_rod_as_it_is)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (int goes = 0; goes < 2; goes++) {
            Scene s;
            Patch p;
            CordVec3 before[REMESH_MOST], after[REMESH_MOST];
            double x[6], start, least, slope[2];
            open_scene(&s, kind, NOTHING, goes, 1, (uint64_t)(kind + 5));
            copy_nodes(s.rod, before);
            PatchEnd end = find(&s, NULL);
            CHECK_OK(end.result);
            CHECK(end.iterations > 0 && end.iterations <= 20);
            copy_nodes(s.rod, after);
            CHECK_INT(memcmp(before, after, sizeof(CordVec3) * (size_t)s.rod->line.node_count), 0);
            open_patch(&s, &p);
            start_of(&p, x);
            start = functional_and_slope(&p, x, &slope[0]);
            for (int k = 0; k < p.moved_count; k++) {
                CordVec3 to = vec3_sub(end.x[goes ? 1 : k], p.origin);
                x[3 * k] = to.x, x[3 * k + 1] = to.y, x[3 * k + 2] = to.z;
            }
            least = functional_and_slope(&p, x, &slope[1]);
            CHECK(kind == INEXTENSIBLE || least < start);
            CHECK(kind == INEXTENSIBLE || slope[1] < 1e-4 * slope[0]); // a hundredth is left of what pulls
            patch_close_piece(&p);
            close_scene(&s);
        }
    }
}

// Not a chord but a bow, of which there is more than the way: moved nodes are put where their edges have
// their length.
TEST(edges_that_do_not_stretch_keep_their_length)
{
    for (int goes = 0; goes < 2; goes++) {
        CordRodDef def = rod_def(INEXTENSIBLE);
        CordVec3 x[NODES];
        for (int i = 0; i < NODES; i++) {
            x[i] = (CordVec3){0.3 * cos(0.3 * i), 0.3 * sin(0.3 * i), 0.01 * i};
        }
        def.shape = cord_shape_points(x, NODES);
        Scene s = made_scene(&def, CHANGED, goes, CHANGED + 1);
        const Rod* rod = s.rod;
        PatchEnd end = find(&s, NULL);
        CHECK_OK(end.result);
        CordVec3 a = node_position(&rod->line, CHANGED - 1), b = end.x[0], c = end.x[1],
                 d = node_position(&rod->line, CHANGED + 2);
        double len[3] = {edge_rest_len(&rod->line, CHANGED - 1), edge_rest_len(&rod->line, CHANGED),
                         edge_rest_len(&rod->line, CHANGED + 1)};
        CHECK_NEAR(vec3_length(vec3_sub(d, c)), len[2], 2e-13 * len[2]);
        if (goes) {
            CHECK_NEAR(vec3_length(vec3_sub(c, a)), len[0] + len[1], 2e-13 * len[0]);
        } else {
            CHECK_NEAR(vec3_length(vec3_sub(b, a)), len[0], 2e-13 * len[0]);
            CHECK_NEAR(vec3_length(vec3_sub(c, b)), len[1], 2e-13 * len[1]);
            // a bow of 0.3 rad, and no fold
            CHECK(vec3_length(vec3_sub(b, vec3_mul(vec3_add(a, c), 0.5))) < 0.2 * len[0]);
        }
        close_scene(&s);
    }
}

// ---- what is in the way

// A rod that goes over another at a node: where the node would go, its element would cut through.
static void open_bridge(Scene* s)
{
    CordRodDef def = rod_def(FAST);
    def.twist = 0.0;
    *s = made_scene(&def, CHANGED, true, -1);
    CordCenterline* c = &s->rod->line;
    CordVec3 top = node_position(c, CHANGED);
    top.z += 2.2 * RADIUS;
    slot_set(c->x, slot_of(c, CHANGED), top);
    CordRodDef other = line_def(3);
    other.section = cord_section_disc(RADIUS);
    other.shape = cord_shape_line((CordVec3){top.x, -0.1, top.z - 2.1 * RADIUS},
                                  (CordVec3){top.x, 0.1, top.z - 2.1 * RADIUS}, 3);
    CHECK(colliders_add_rod(&s->world->memory, &s->colliders, s->rod, 0));
    CHECK(colliders_add_rod(&s->world->memory, &s->colliders, world_rod(s->world, add_rod(s->world, &other)),
                            1));
    open_contact(s);
}

TEST(a_node_that_something_is_under_stays)
{
    for (int side = -1; side <= 1; side++) {
        Scene s;
        open_bridge(&s);
        s.change.neighbour = side == 0 ? -1 : CHANGED + side;
        PatchEnd end = find(&s, &s.contact);
        CHECK_RESULT(end.result, CORD_NOT_CONVERGED);
        CHECK_CONTAINS(s.message.text, "near node 6 cannot change without coming too near something");
        for (int i = 0; i < s.colliders.node_count; i++) { // all are where they were
            CHECK_VEC3(s.colliders.to[i], s.colliders.from[i], 0.0);
            CHECK_VEC3(s.colliders.to[i], s.colliders.begin[i], 0.0);
        }
        PatchEnd free = find(&s, NULL);
        CHECK_OK(free.result); // it is what is in the way that keeps it
        close_scene(&s);
    }
}

// However the search ends, nothing is nearer than it may be: overlaps are no deeper than they were, or within
// what is allowed.
TEST(where_nodes_end_nothing_is_deeper_than_before)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        for (Near near = 1; near < NEARS; near++) {
            for (int goes = 0; goes < 2; goes++) {
                Scene s;
                open_scene(&s, kind, near, goes, 1, (uint64_t)(kind + 7 * near));
                ContactPoints before = {0}, after = {0};
                CHECK(narrow_phase_find(&s.world->memory, &before, &s.colliders, s.colliders.from,
                                        &(ContactLaw){.gap = GAP}));
                PatchEnd end = find(&s, &s.contact);
                CHECK(end.result == CORD_OK || end.result == CORD_NOT_CONVERGED);
                for (int i = 0; i < s.colliders.pair_count; i++) {
                    s.colliders.pairs[i].gap_bound = -INFINITY;
                }
                CHECK(narrow_phase_find(&s.world->memory, &after, &s.colliders, s.colliders.to,
                                        &(ContactLaw){.gap = GAP}));
                CHECK(after.deepest <= fmax(before.deepest, s.contact.tolerance));
                contact_points_free(&s.world->memory, &before);
                contact_points_free(&s.world->memory, &after);
                close_scene(&s);
            }
        }
    }
}

// ---- what cannot be

TEST(a_ring_of_few_nodes_is_refused)
{
    CordRodDef def = ring_def(4);
    def.adapt.on = true, def.adapt.refine_turn = 3.0;
    Scene s = made_scene(&def, 2, false, 3);
    CHECK_RESULT(find(&s, NULL).result, CORD_NOT_SUPPORTED);
    CHECK_CONTAINS(s.message.text, "too few nodes");
    close_scene(&s);
}

TEST(a_search_that_finds_no_memory_leaves_nothing_behind)
{
    for (Kind kind = 0; kind < KINDS; kind++) {
        CordResult result = CORD_NO_MEMORY;
        int64_t fails = 0;
        for (; result == CORD_NO_MEMORY; fails++) {
            Heap heap = {0};
            uint64_t seed = 1;
            Scene s;
            open_scene_in(&s, world_on(&heap), kind, kind % 2 ? OVERLAP_ROD : OVERLAP_BALL, false, 1, &seed);
            CordVec3 before[REMESH_MOST], after[REMESH_MOST];
            copy_nodes(s.rod, before);
            heap.fail = heap.calls + 1 + fails;
            result = find(&s, &s.contact).result;
            heap.fail = 0;
            copy_nodes(s.rod, after);
            CHECK_INT(memcmp(before, after, sizeof(CordVec3) * (size_t)s.rod->line.node_count), 0);
            if (result == CORD_NO_MEMORY) {
                CHECK_CONTAINS(s.message.text, "memory");
            }
            close_scene(&s);
            CHECK_INT(heap.held, 0);
        }
        CHECK(fails > 4);
    }
}

TEST_GROUP(adapt_patch)
