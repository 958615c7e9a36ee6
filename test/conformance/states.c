// The same bits: from a saved state, by many steps at once, on threads, in any order and any company.
#include "claims.h"

// ---- answers

static uint64_t fold(uint64_t hash, const void* bytes, size_t size) // FNV-1a
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const uint8_t*)bytes)[i]) * 1099511628211u;
    }
    return hash;
}

// All that can be asked of a world, as one number.
static uint64_t answers(CordWorld* world)
{
    uint64_t hash = 14695981039346656037u;
    CordFrame f;
    CHECK_WORLD_OK(world, cord_world_frame(world, &f));
    hash = fold(hash, f.x, sizeof *f.x * (size_t)f.node_count);
    hash = fold(hash, f.v, sizeof *f.v * (size_t)f.node_count);
    hash = fold(hash, f.moment, sizeof *f.moment * (size_t)f.node_count);
    hash = fold(hash, f.m1, sizeof *f.m1 * (size_t)f.edge_count);
    hash = fold(hash, f.tension, sizeof *f.tension * (size_t)f.edge_count);
    hash = fold(hash, f.force, sizeof *f.force * (size_t)f.edge_count);
    hash = fold(hash, f.energy, sizeof *f.energy * (size_t)f.rod_count);
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordVec3 x[64];
        CordMomentum m = cord_rod_momentum(world, cord_world_rod(world, i));
        CHECK(cord_rod_node_count(world, cord_world_rod(world, i)) <= 64);
        CHECK_OK(cord_rod_forces(world, cord_world_rod(world, i), x));
        hash = fold(hash, x, sizeof *x * (size_t)cord_rod_node_count(world, cord_world_rod(world, i)));
        hash = fold(hash, &m, sizeof m);
    }
    for (int i = 0; i < cord_world_clamp_count(world); i++) {
        CordVec3 reaction[2];
        CHECK_OK(cord_clamp_reaction(world, cord_world_clamp(world, i), &reaction[0], &reaction[1]));
        hash = fold(hash, reaction, sizeof reaction);
    }
    cord_world_step_advice(world);
    return hash;
}

// ---- saved states

// Before the first step, between steps, and after clamps have let go. The other world was stepped by steps of
// another length, and has let go of more.
static void resume(const Subject* s)
{
    CordWorld *world = busy(s), *other = busy(s);
    run(other, 0.9 * s->step, 30);
    for (int i = 0; i < 4; i++) {
        double time = cord_world_time(world);
        Saved then = save(world);
        run(world, s->step, 8);
        uint64_t end = cord_world_state_hash(world);
        restore(world, &then);
        CHECK(cord_world_time(world) == time);
        CHECK_INT(cord_world_steps(world), 8 * i);
        run(world, s->step, 8);
        CHECK(cord_world_state_hash(world) == end);
        restore(other, &then);
        run(other, s->step, 8);
        CHECK(cord_world_state_hash(other) == end);
        drop_saved(&then);
    }
    cord_world_destroy(world);
    cord_world_destroy(other);
}

// Velocities, reactions and viscous forces depend on the step that was, not only on those to come.
static void answers_come_back(const Subject* s)
{
    CordWorld *world = busy(s), *other = busy(s);
    for (int i = 0; i < 3; i++) {
        Saved then = save(world);
        uint64_t asked = answers(world);
        CHECK(cord_world_state_hash(world) == then.hash); // asking changed nothing
        CHECK(answers(world) == asked);
        if (s->model != CORD_MODEL_MODAL) { // whose clamps note accelerations from what a query computed
            run(other, 0.7 * s->step, 3);   // somewhere else
        }
        restore(other, &then);
        CHECK(answers(other) == asked);
        run(world, s->step, 11), run(other, s->step, 11);
        CHECK(cord_world_state_hash(world) ==
              cord_world_state_hash(other)); // and the asked one goes on alike
        drop_saved(&then);
    }
    cord_world_destroy(world);
    cord_world_destroy(other);
}

static CordWorld* hanging_rod(const Subject* s)
{
    CordWorld* world = new_world((CordVec3){0, 0.05, -0.2});
    CordRodDef def = subject_rod(s, 11);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    add_force(world, rod, cord_at_end(), (CordVec3){0.002, 0.001, 0});
    return world;
}

// Tensions of a solve have more digits than the lengths of edges can tell.
static void a_solve_comes_back(const Subject* s)
{
    CordWorld* world = hanging_rod(s);
    solve_as(world, false);
    for (int i = 0; i < 3; i++) {
        CordWorld* other = hanging_rod(s);
        Saved then = save(world);
        restore(other, &then);
        CHECK(answers(other) == answers(world));
        run(world, s->step, 1), run(other, s->step, 1);
        CHECK(answers(other) == answers(world));
        CHECK(cord_world_state_hash(other) == cord_world_state_hash(world));
        drop_saved(&then);
        cord_world_destroy(other);
    }
    cord_world_destroy(world);
}

static void check_refused(CordWorld* world, const uint8_t* bytes, size_t size)
{
    uint64_t before = cord_world_state_hash(world);
    CHECK_RESULT(cord_world_state_set(world, bytes, size), CORD_BAD_STATE);
    CHECK_CONTAINS(cord_world_message(world), "does not fit this world");
    CHECK(cord_world_state_hash(world) == before);
}

// Bytes that make no sense are refused and change nothing; what is taken is only another state.
static void damage(const Subject* s)
{
    CordWorld* world = busy(s);
    uint64_t seed = 77;
    run(world, s->step, 5);
    Saved saved = save(world);
    for (size_t size = 0; size < saved.size; size += 1 + saved.size / 60) {
        uint8_t* cut = malloc(size + 1); // of this very size, so that a sanitizer sees a read past its end
        memcpy(cut, saved.bytes, size);
        check_refused(world, cut, size);
        free(cut);
    }
    uint8_t* bytes = calloc(1, saved.size + 8);
    memcpy(bytes, saved.bytes, saved.size);
    check_refused(world, bytes, saved.size + 8);
    for (int i = 0; i < 300; i++) {
        size_t at = (size_t)random_in(&seed, 0.0, i < 100 ? 200.0 : (double)saved.size);
        bytes[at] = (uint8_t)random_int(&seed, 256);
        CordResult result = cord_world_state_set(world, bytes, saved.size);
        CHECK(result == CORD_OK || result == CORD_BAD_STATE);
        CHECK(result == CORD_OK || cord_world_state_hash(world) == saved.hash);
        bytes[at] = saved.bytes[at];
        restore(world, &saved);
    }
    for (size_t i = 0; i < saved.size; i++) {
        bytes[i] = (uint8_t)random_int(&seed, 256);
    }
    check_refused(world, bytes, saved.size);
    free(bytes);
    drop_saved(&saved);
    cord_world_destroy(world);
}

// ---- a failure

// A rod that has taken a step and diverges in the next one.
static CordRodId add_hopeless(CordWorld* world, double step)
{
    enum { NODES = 11 };
    CordRodDef def = cord_rod_def_default();
    CordVec3 v[NODES];
    def.shape = cord_shape_line((CordVec3){5, 5, 5}, (CordVec3){6, 5, 5}, NODES);
    CordRodId rod = add_rod(world, &def);
    run(world, step, 1);
    for (int i = 0; i < NODES; i++) {
        v[i] = (CordVec3){0, 0, 1e200};
    }
    CHECK_OK(cord_rod_set_velocities(world, rod, v));
    return rod;
}

// By the time its failure is found, other rods have been predicted, or have taken several steps. The failed
// call must leave no trace in them.
static void failure_beside(const Subject* s)
{
    for (int at = 0; at < 2; at++) { // the first step, and a later one
        CordWorld *world = busy(s), *other = busy(s);
        run(world, s->step, 5 * at), run(other, s->step, 5 * at);
        CordRodId hopeless = add_hopeless(world, s->step), same = add_hopeless(other, s->step);
        uint64_t before = cord_world_state_hash(world);
        CHECK_RESULT(cord_world_step(world, s->step), CORD_DIVERGED);
        CHECK(cord_world_state_hash(world) == before);
        CHECK_RESULT(cord_world_step_many(world, s->step, 4), CORD_DIVERGED);
        CHECK(cord_world_state_hash(world) == before);
        CHECK_OK(cord_rod_destroy(world, hopeless)), CHECK_OK(cord_rod_destroy(other, same));
        // Setting positions discards the history that steppers keep from the last step.
        for (int i = 0; i < BUSY_RODS && s->model != CORD_MODEL_MODAL; i++) {
            CordVec3 x[64];
            CHECK(cord_rod_node_count(world, cord_world_rod(world, i)) <= 64);
            CHECK_OK(cord_rod_positions(world, cord_world_rod(world, i), x));
            CHECK_OK(cord_rod_set_positions(world, cord_world_rod(world, i), x));
            CHECK_OK(cord_rod_set_positions(other, cord_world_rod(other, i), x));
        }
        CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
        run(world, s->step, 5), run(other, s->step, 5);
        CHECK(cord_world_state_hash(world) == cord_world_state_hash(other));
        cord_world_destroy(world);
        cord_world_destroy(other);
    }
}

// ---- many steps, threads, order

static void step_many(const Subject* s)
{
    CordWorld *one = busy(s), *many = busy(s);
    const int counts[] = {1, 3, 0, 4, 17}; // over the releases of clamps
    for (int i = 0; i < 5; i++) {
        run(one, s->step, counts[i]);
        run_many(many, s->step, counts[i]);
        CHECK(cord_world_state_hash(one) == cord_world_state_hash(many));
        CHECK(answers(one) == answers(many));
        CHECK_INT(cord_world_steps(many), cord_world_steps(one));
        CHECK(cord_world_time(many) == cord_world_time(one));
    }
    cord_world_destroy(one);
    cord_world_destroy(many);
}

static void backwards(void* user, void (*task)(void* context, int index), void* context, int count)
{
    (*(int*)user)++;
    for (int i = count - 1; i >= 0; i--) {
        task(context, i);
    }
}

static void threads(const Subject* s)
{
    int calls = 0;
    const CordTasks tasks[] = {{0}, cord_tasks_openmp(2), {backwards, &calls}};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        CordWorldDef def = cord_world_def_default();
        def.tasks = tasks[i];
        CordWorld* world = busy_world(s, &def);
        add_busy_rods(world, s); // more than fit the lanes of one task
        add_busy_rods(world, s);
        run(world, s->step, 10);
        run_many(world, s->step, 15);
        hash[i] = cord_world_state_hash(world);
        cord_world_destroy(world);
    }
    CHECK(calls > 10); // the scheduler was asked
    CHECK(hash[1] == hash[0] && hash[2] == hash[0]);
}

enum { MOST_ORDERED = 64 };

// Rods that do not touch move as they would in any other order of creation.
static void order_of_rods(const Subject* s)
{
    CordVec3 x[2][BUSY_RODS][MOST_ORDERED];
    memset(x, 0, sizeof x);
    for (int order = 0; order < 2; order++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        for (int k = 0; k < BUSY_RODS; k++) {
            CordVec3 points[TUMBLER_NODES];
            int i = order ? BUSY_RODS - 1 - k : k;
            CordRodDef def = busy_rod(s, i, points);
            add_busy_clamps(world, s, add_rod(world, &def), i % 2);
        }
        run_many(world, s->step, 25);
        for (int k = 0; k < BUSY_RODS; k++) {
            CordRodId rod = cord_world_rod(world, k);
            CHECK(cord_rod_node_count(world, rod) <= MOST_ORDERED);
            CHECK_OK(cord_rod_positions(world, rod, x[order][order ? BUSY_RODS - 1 - k : k]));
        }
        cord_world_destroy(world);
    }
    CHECK_INT(memcmp(x[0], x[1], sizeof x[0]), 0);
}

// A rod beside rods of all other subjects moves as it does alone.
static void company(const Subject* s)
{
    CordVec3 x[2][MOST_ORDERED], v[2][MOST_ORDERED];
    memset(x, 0, sizeof x), memset(v, 0, sizeof v);
    for (int alone = 0; alone < 2; alone++) {
        CordWorld* world = new_world((CordVec3){0, 0, -9.81});
        CordRodId mine = {0, 0};
        for (int k = 0; k < SUBJECTS; k++) {
            if (!alone || &subjects[k] == s) {
                CordRodDef def = subject_rod(&subjects[k], 9 + k % 3);
                CordRodId rod = add_rod(world, &def);
                hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
                mine = &subjects[k] == s ? rod : mine;
            }
        }
        run_many(world, 1e-5, 20); // short enough for all of them
        CHECK(cord_rod_node_count(world, mine) <= MOST_ORDERED);
        CHECK_OK(cord_rod_positions(world, mine, x[alone]));
        CHECK_OK(cord_rod_velocities(world, mine, v[alone]));
        CHECK(size_of(v[alone][8]) > 0.0);
        cord_world_destroy(world);
    }
    CHECK_INT(memcmp(x[0], x[1], sizeof x[0]), 0);
    CHECK_INT(memcmp(v[0], v[1], sizeof v[0]), 0);
}

static const Claim claims[] = {
    {.name = "resume", .run = resume},
    {.name = "answers come back", .run = answers_come_back},
    {.name = "a solve comes back", .needs = IS_PHYSICAL, .run = a_solve_comes_back},
    {.name = "damage", .run = damage},
    {.name = "step_many", .run = step_many},
    {.name = "threads", .run = threads},
    {.name = "order of rods", .run = order_of_rods},
    {.name = "company", .run = company},
    {.name = "failure beside", .run = failure_beside},
};

CLAIM_GROUP(states)
