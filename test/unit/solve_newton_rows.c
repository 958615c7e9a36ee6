// Newton systems as block rows of a sparse matrix, against the same systems solved by their bands: rings,
// rods with clamps, and rods that are welded to bodies, alone and with stiff springs between any two nodes,
// as contacts add them.
#include "solve/newton_rows.h"
#include "world/island.h"
#include "world_bodies.h"

#include "math/dense.h"
#include "model/framed/framed.h"

#include <stdlib.h>
#include <string.h>

#define STEP 0.01
#define SPRINGS 3
#define SPRING 1e6 // [N/m]

typedef void (*Build)(CordWorld* world, bool inextensible);

typedef struct Bench {
    CordWorld* world;
    Rod* rod;
    Arena arena;
    NewtonSystem sys;
    RowPairs pairs, later;
    SparseLdu blocks;
    int sizes[512];
    double right[2048], x[2048];
} Bench;

typedef struct Spring { // between two nodes, with a lever on the frame after the first
    int rod[2], node[2];
    CordVec3 n;
    double lever;
} Spring;

// ---- what is solved

static CordRodId add(CordWorld* world, CordRodDef def, bool inextensible)
{
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.inextensible = inextensible;
    def.stiffness.EI2 = 4 * RODS_EI;
    CordRodId id = add_rod(world, &def);
    uint64_t seed = 5;
    shake(world, id, &seed, 0.01);
    return id;
}

static void clamp(CordWorld* world, CordRodId rod, CordPlace at, CordFix fix, bool slides)
{
    CordClampDef def = cord_clamp_def_default();
    def.rod = rod, def.at = at, def.fix = fix, def.slides = slides;
    def.axis = (CordVec3){1, 0.2, 0};
    CordClampId id;
    CHECK_WORLD_OK(world, cord_clamp_create(world, &def, &id));
}

static void build_line(CordWorld* world, bool inextensible)
{
    add(world, line_def(12), inextensible);
}

static void build_clamped_line(CordWorld* world, bool inextensible)
{
    CordRodId rod = add(world, line_def(16), inextensible);
    clamp(world, rod, cord_at_start(), CORD_FIX_FRAME, false);
    clamp(world, rod, cord_at_node(7), CORD_FIX_POSITION, false);
    clamp(world, rod, cord_at_node(11), CORD_FIX_POSITION, true);
    clamp(world, rod, cord_at_end(), CORD_FIX_POSITION, false);
}

static void build_ring(CordWorld* world, bool inextensible)
{
    add(world, ring_def(14), inextensible);
}

static void build_small_ring(CordWorld* world, bool inextensible)
{
    add(world, ring_def(4), inextensible);
}

static void build_clamped_ring(CordWorld* world, bool inextensible)
{
    CordRodId rod = add(world, ring_def(14), inextensible);
    clamp(world, rod, cord_at_node(13), CORD_FIX_POSITION, false);
    clamp(world, rod, cord_at_edge(4), CORD_FIX_FRAME, false);
}

// Two bodies joined by a rod, with a ring through both of them and another rod that ends in the air.
static void build_assembly(CordWorld* world, bool inextensible)
{
    CordRodId between = add(world, line_def(12), inextensible), end = add(world, line_def(12), inextensible),
              ring = add(world, ring_def(14), inextensible);
    CordBodyId a = add_odd_body(world, (CordVec3){0.1, 0.1, 0}, 0.1, 0.05),
               b = add_odd_body(world, (CordVec3){0.9, 0.1, 0.2}, 0.2, 0.03);
    add_weld(world, between, cord_at_start(), a, CORD_FIX_FRAME);
    add_weld(world, between, cord_at_end(), b, CORD_FIX_FRAME);
    add_weld(world, end, cord_at_node(5), b, CORD_FIX_POSITION);
    add_weld(world, ring, cord_at_edge(13), a, CORD_FIX_FRAME);
    add_weld(world, ring, cord_at_node(6), b, CORD_FIX_POSITION);
}

// Rods from clamps to one body, pinned to it by an end or in the middle.
static void build_hung_body(CordWorld* world, bool inextensible)
{
    CordBodyId body = add_odd_body(world, (CordVec3){1, 0, -0.2}, 0.1, 0.05);
    for (int i = 0; i < 8; i++) {
        CordRodDef def = line_def(8);
        def.shape = cord_shape_line((CordVec3){0.1 * i, 1 - 0.3 * i, 1}, (CordVec3){1, 0.01 * i, 0}, 8);
        CordRodId rod = add(world, def, inextensible);
        clamp(world, rod, cord_at_start(), CORD_FIX_POSITION, false);
        add_weld(world, rod, i % 2 == 0 ? cord_at_end() : cord_at_node(4), body, CORD_FIX_POSITION);
    }
}

static const Build builds[] = {build_line,         build_clamped_line, build_ring,     build_small_ring,
                               build_clamped_ring, build_assembly,     build_hung_body};
#define BUILDS ((int)(sizeof builds / sizeof builds[0]))

// ---- a system in the middle of a step

static void set_rod(NewtonSystem* sys, NewtonRod* r, uint64_t* seed)
{
    const CordCenterline* c = &r->rod->line;
    framed_trial_begin(r->rod, STEP, false);
    for (int s = 0; s < c->slot_count; s++) {
        slot_set(r->start, s, slot_get(c->x, s));
        slot_set(r->y, s, vec3_add(slot_get(c->x, s), random_vec3(seed, 0.01)));
        r->n[s] = random_in(seed, -0.1, 0.1);
        slot_set(r->shift.x, s, random_vec3(seed, 1e-3));
    }
    centerline_wrap(c, r->start);
    centerline_wrap_one(c, r->n);
    sys->midpoint = false;
}

static void set_system(NewtonSystem* sys, uint64_t seed)
{
    sys->reach = STEP, sys->mass = 1.0 / (STEP * STEP);
    sys->gravity = (CordVec3){0, 0, -9.81};
    sys->symmetric = true;
    for (int i = 0; i < sys->rod_count; i++) {
        set_rod(sys, &sys->rods[i], &seed);
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sys->bodies[i].move[k] = random_in(&seed, -0.01, 0.01);
        }
        newton_free_body(&sys->bodies[i]);
    }
    newton_shift_bodies(sys, 1.0);
    for (int i = 0; i < sys->rod_count; i++) {
        NewtonRod* r = &sys->rods[i];
        centerline_wrap(&r->rod->line, r->y);
        framed_trial_follow(r->rod, r->y, 0.0);
    }
    newton_assemble(sys);
}

static Bench* open_bench(Build build, bool inextensible, uint64_t seed)
{
    Bench* b = calloc(1, sizeof *b);
    b->world = new_world((CordVec3){0, 0, -9.81});
    build(b->world, inextensible);
    CHECK_WORLD_OK(b->world, world_prepare(b->world));
    b->rod = world_rod(b->world, cord_world_rod(b->world, 0));
    Assembly* a = assembly_at(&b->world->assemblies, b->rod->assembly);
    Island island = a ? assembly_island(a) : (Island){.rods = &b->rod, .rod_count = 1};
    CHECK(arena_reserve(&b->world->memory, &b->arena, newton_scratch(&island)));
    newton_open(&b->sys, &island, false, &b->arena);
    set_system(&b->sys, seed);
    return b;
}

static void close_bench(Bench* b)
{
    Memory* m = &b->world->memory;
    sparse_ldu_destroy(&b->blocks);
    memory_array_free(m, b->pairs.all, b->pairs.capacity);
    memory_array_free(m, b->later.all, b->later.capacity);
    arena_free(m, &b->arena);
    cord_world_destroy(b->world);
    free(b);
}

// ---- springs

// Nodes that no clamp holds.
static void pick_node(const NewtonSystem* sys, uint64_t* seed, int* rod, int* node)
{
    const NewtonRod* r;
    do {
        *rod = random_int(seed, sys->rod_count);
        r = &sys->rods[*rod];
        *node = random_int(seed, r->rod->line.edge_count);
    } while (r->held[*node] && !r->held[*node]->carrier);
}

static Spring random_spring(const NewtonSystem* sys, uint64_t* seed)
{
    Spring s = {.n = random_vec3(seed, 1.0), .lever = random_in(seed, -0.01, 0.01)};
    for (int k = 0; k < 2; k++) {
        pick_node(sys, seed, &s.rod[k], &s.node[k]);
    }
    const NewtonRod* r = &sys->rods[s.rod[0]];
    s.lever *= framed_of(r->rod)->may_turn[slot_of(&r->rod->line, s.node[0])];
    return s;
}

static double elongation(const NewtonSystem* sys, const Spring* s)
{
    const NewtonRod *a = &sys->rods[s->rod[0]], *b = &sys->rods[s->rod[1]];
    int i = slot_of(&a->rod->line, s->node[0]), j = slot_of(&b->rod->line, s->node[1]);
    return vec3_dot(s->n, vec3_sub(slot_get(a->move.x, i), slot_get(b->move.x, j))) +
           s->lever * a->move.angle[i];
}

static void put_pull(NewtonSystem* sys, const Spring* s)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_clear(&sys->rods[i].rod->line, &sys->rods[i].force);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memset(sys->bodies[i].force, 0, sizeof sys->bodies[i].force);
    }
    for (int k = 0; k < 2; k++) {
        NewtonRod* r = &sys->rods[s->rod[k]];
        int slot = slot_of(&r->rod->line, s->node[k]);
        slot_set(r->force.x, slot, vec3_madd(slot_get(r->force.x, slot), s->n, k == 0 ? 1.0 : -1.0));
        r->force.angle[slot] += k == 0 ? s->lever : 0.0;
    }
    newton_put_right(sys);
}

// The spring's gradient by block rows.
static int split_spring(const NewtonSystem* sys, const Spring* s, RowVector part[3])
{
    for (int k = 0; k < 2; k++) {
        RowMap map = newton_node_map(sys, &sys->rods[s->rod[k]], s->node[k]);
        part[k] = (RowVector){.row = map.row};
        double sign = k == 0 ? 1.0 : -1.0;
        row_map_put(&map, vec3_mul(s->n, sign), part[k].T);
    }
    part[2] = newton_frame_map(sys, &sys->rods[s->rod[0]], s->node[0]);
    for (int c = 0; c < SPARSE_LDU_MAX_SIZE; c++) {
        part[2].T[c] *= s->lever;
    }
    return s->lever != 0.0 ? 3 : 2;
}

// ---- both solutions

static void solve_sparse(Bench* b, const Spring* springs, int count)
{
    RowVector part[3];
    b->pairs.memory = b->later.memory = &b->world->memory;
    int rows = newton_number_rows(&b->sys, 0);
    CHECK(rows <= 512);
    newton_put_row_sizes(&b->sys, b->sizes);
    CHECK(newton_add_row_pairs(&b->sys, &b->pairs, &b->later));
    for (int i = 0; i < count; i++) {
        int parts = split_spring(&b->sys, &springs[i], part);
        for (int k = 0; k < parts; k++) {
            for (int j = 0; j < k; j++) {
                CHECK(part[k].row == part[j].row || row_pairs_add(&b->pairs, part[k].row, part[j].row));
            }
        }
    }
    CHECK_OK(sparse_ldu_create_ordered(&b->world->memory, &b->blocks, b->sizes, rows, b->pairs.all,
                                       b->pairs.count, b->later.all, b->later.count));
    newton_fill_rows(&b->sys, &b->blocks);
    for (int i = 0; i < count; i++) {
        int parts = split_spring(&b->sys, &springs[i], part);
        for (int k = 0; k < parts * parts; k++) {
            const RowVector *u = &part[k / parts], *v = &part[k % parts];
            sparse_ldu_add_outer(&b->blocks, sparse_ldu_at(&b->blocks, u->row, v->row),
                                 sparse_ldu_size(&b->blocks, u->row), v->row, SPRING, u->T, v->T);
        }
    }
    CHECK(b->blocks.n <= 2048);
    newton_put_rows(&b->sys, b->blocks.offset, b->right);
    memcpy(b->x, b->right, sizeof b->x);
    CHECK(sparse_ldu_factor(&b->blocks).least > 0.0);
    sparse_ldu_solve(&b->blocks, b->x);
}

static void keep_solution(NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_copy(&sys->rods[i].rod->line, &sys->rods[i].kept, &sys->rods[i].move);
    }
    for (int i = 0; i < sys->body_count; i++) {
        memcpy(sys->bodies[i].kept, sys->bodies[i].move, sizeof sys->bodies[i].kept);
    }
}

static void add_to_kept(NewtonSystem* sys, double by)
{
    for (int i = 0; i < sys->rod_count; i++) {
        move_add(&sys->rods[i].rod->line, &sys->rods[i].kept, &sys->rods[i].move, by);
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            sys->bodies[i].kept[k] += by * sys->bodies[i].move[k];
        }
    }
}

// By the bands, and in the space of the springs: (1/k + J A^-1 J') f = J A^-1 r.
static void solve_bands(NewtonSystem* sys, const Spring* springs, int count)
{
    double W[SPRINGS * SPRINGS], f[SPRINGS];
    CHECK(newton_factor(sys, true).least > 0.0);
    CHECK(newton_solve(sys));
    keep_solution(sys);
    for (int i = 0; i < count; i++) {
        f[i] = elongation(sys, &springs[i]);
    }
    for (int j = 0; j < count; j++) {
        put_pull(sys, &springs[j]);
        CHECK(newton_solve(sys));
        for (int i = 0; i < count; i++) {
            W[i * count + j] = elongation(sys, &springs[i]) + (i == j ? 1.0 / SPRING : 0.0);
        }
    }
    CHECK(count == 0 || dense_solve(count, W, f));
    for (int j = 0; j < count; j++) {
        put_pull(sys, &springs[j]);
        CHECK(newton_solve(sys));
        add_to_kept(sys, -f[j]);
    }
}

static void check_same(Bench* b, double tolerance)
{
    NewtonSystem* sys = &b->sys;
    newton_get_rows(sys, b->blocks.offset, b->x);
    double most = 0.0, pull = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < sys->rod_count; i++) {
            const NewtonRod* r = &sys->rods[i];
            const CordCenterline* c = &r->rod->line;
            for (int s = c->halo; s < c->halo + c->node_count; s++) {
                CordVec3 a = slot_get(r->move.x, s), k = slot_get(r->kept.x, s);
                bool edge = s < c->halo + c->edge_count, turns = edge && framed_of(r->rod)->may_turn[s] > 0.0;
                if (pass == 0) {
                    most = fmax(most, vec3_length(k));
                    pull = fmax(pull, edge ? fabs(r->kept.n[s]) : 0.0);
                    continue;
                }
                CHECK_VEC3(a, k, tolerance * most);
                CHECK_NEAR(turns ? r->move.angle[s] : 0.0, turns ? r->kept.angle[s] : 0.0, 1e3 * tolerance);
                CHECK_NEAR(edge ? r->move.n[s] : 0.0, edge ? r->kept.n[s] : 0.0, tolerance * pull);
            }
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(sys->bodies[i].move[k], sys->bodies[i].kept[k], tolerance);
        }
    }
}

static void check_build(int build, bool inextensible, uint64_t seed, int count)
{
    Bench* b = open_bench(builds[build], inextensible, seed);
    Spring springs[SPRINGS];
    for (int i = 0; i < count; i++) {
        springs[i] = random_spring(&b->sys, &seed);
    }
    solve_sparse(b, springs, count);
    solve_bands(&b->sys, springs, count);
    check_same(b, count > 0 ? 1e-10 : 1e-12); // steps of 1e-3 m
    close_bench(b);
}

TEST(block_rows_have_the_newton_step_of_the_bands)
{
    for (int build = 0; build < BUILDS; build++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            check_build(build, false, seed, 0);
            check_build(build, true, seed, 0);
        }
    }
}

TEST(stiff_springs_between_block_rows_act_as_in_their_own_space)
{
    for (int build = 0; build < BUILDS; build++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            check_build(build, false, seed, SPRINGS);
            check_build(build, true, seed, SPRINGS);
        }
    }
}

TEST_GROUP(solve_newton_rows)
