// Contact on several threads: the bits of one thread, whatever order tasks are run in, and no memory that is
// taken within tasks.
#include "heap.h"
#include "world/contact_parts.h"
#include "world/world.h"
#include "world_rods.h"

#include <cordage/contact.h>

enum { RODS = 120, EDGES = 72, STEPS = 2 };

// ---- schedulers

typedef struct Backwards { // runs tasks in place, the last one first
    Heap* heap;
    int64_t tasks, allocations; // of loops of more than one task, and in their tasks
} Backwards;

static void run_backwards(void* user, void (*task)(void* context, int index), void* context, int count)
{
    Backwards* b = user;
    int64_t calls = b->heap ? b->heap->calls : 0;
    for (int i = count - 1; i >= 0; i--) {
        task(context, i);
    }
    b->tasks += count;
    b->allocations += b->heap ? b->heap->calls - calls : 0;
}

static CordWorldDef def_with(Backwards* b)
{
    CordWorldDef def = b->heap ? def_on(b->heap) : cord_world_def_default();
    def.tasks = (CordTasks){run_backwards, b};
    return def;
}

// ---- the scene

// Rods that lie side by side on the ground, and rods that cross them and fall on them: enough for several
// tasks of every loop of contact. One end of each is held, where contacts do not count.
static CordWorld* mat(const CordWorldDef* def, CordModel model)
{
    CordWorld* world = make_world(def);
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef ground = cord_obstacle_def_default();
    CordObstacleId id;
    CordClampDef clamp = cord_clamp_def_default();
    CordClampId held;
    uint64_t seed = 5;
    contact.budget.iterations = 10;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_OK(cord_obstacle_create(world, &ground, &id));
    for (int i = 0; i < RODS; i++) {
        CordRodDef rod = cord_rod_def_default();
        CordRodId rope;
        bool above = i % 4 == 3;
        double side = 0.0040001 * (above ? 4 * (i / 4) : i - i / 4), z = above ? 0.006001 : 0.0020001;
        CordVec3 from = {0, side, z}, to = {0.36, side, z};
        rod.model = model;
        rod.section = cord_section_disc(0.002);
        rod.material.young = 1e7;
        rod.material.bend_modulus = rod.material.twist_modulus = 1e6;
        rod.shape = above
                        ? cord_shape_line((CordVec3){from.y, from.x, z}, (CordVec3){to.y, to.x, z}, EDGES + 1)
                        : cord_shape_line(from, to, EDGES + 1);
        CHECK_OK(cord_rod_create(world, &rod, &rope));
        clamp.rod = rope, clamp.at = cord_at_start(), clamp.fix = CORD_FIX_POSITION;
        CHECK_OK(cord_clamp_create(world, &clamp, &held));
        CordVec3 v[EDGES + 1], fast = random_vec3(&seed, above ? 0.5 : 0.1);
        for (int n = 0; n <= EDGES; n++) {
            v[n] = n == 0 ? (CordVec3){0, 0, 0} : (CordVec3){fast.x, fast.y, -fabs(fast.z)};
        }
        CHECK_OK(cord_rod_set_velocities(world, rope, v));
    }
    return world;
}

static double step_of(CordModel model)
{
    return model == CORD_MODEL_PBD ? 1.0 / 240.0 : 2e-5;
}

// ---- the same bits

static void check_same_points(const ContactPoints* a, const ContactPoints* b)
{
    CHECK_INT(a->count, b->count);
    CHECK_NEAR(a->nearest, b->nearest, 0.0);
    CHECK_NEAR(a->deepest, b->deepest, 0.0);
    CHECK(a->left_out == b->left_out);
    CHECK(a->nearest == INFINITY || memcmp(&a->worst.key, &b->worst.key, sizeof a->worst.key) == 0);
    for (int i = 0; i < a->count; i++) {
        const ContactPoint *p = &a->all[i], *q = &b->all[i];
        CHECK(memcmp(&p->key, &q->key, sizeof p->key) == 0 && p->kind == q->kind);
        CHECK(p->s == q->s && p->t == q->t && p->gap == q->gap && p->time == q->time && p->reach == q->reach);
        CHECK(memcmp(&p->n, &q->n, sizeof p->n) == 0 && memcmp(p->arm, q->arm, sizeof p->arm) == 0);
    }
}

static void check_same_constraints(const ContactConstraints* a, const ContactConstraints* b)
{
    check_same_points(&a->contacts, &b->contacts);
    CHECK_INT(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        CHECK_INT(a->past[i].contact, b->past[i].contact);
        CHECK(a->all[i].gap == b->all[i].gap && a->all[i].normal_impulse == b->all[i].normal_impulse);
    }
}

static void check_same_steps(const CordWorldDef* def, CordModel model)
{
    CordWorldDef alone = cord_world_def_default();
    CordWorld *a = mat(&alone, model), *b = mat(def, model);
    for (int n = 0; n < STEPS; n++) {
        CHECK_OK(cord_world_step(a, step_of(model)));
        CHECK_OK(cord_world_step(b, step_of(model)));
        CHECK(cord_world_state_hash(a) == cord_world_state_hash(b));
        check_same_constraints(&a->touch->constraints, &b->touch->constraints);
        check_same_points(&a->touch->newton.contacts, &b->touch->newton.contacts);
    }
    CHECK_INT(cord_world_contact_count(a), cord_world_contact_count(b));
    int pushing = 0;
    for (int i = 0; i < a->touch->constraints.count; i++) {
        pushing += a->touch->constraints.all[i].normal_impulse > 0.0;
    }
    CHECK(a->touch->constraints.count > 5000 && pushing > 1000); // several tasks each
    cord_world_destroy(a);
    cord_world_destroy(b);
}

TEST(contact_has_the_same_bits_in_any_order_of_its_tasks)
{
    Backwards b = {.heap = NULL};
    CordWorldDef def = def_with(&b);
    check_same_steps(&def, CORD_MODEL_DER);
    CHECK(b.tasks > 100);
    check_same_steps(&def, CORD_MODEL_PBD);
}

TEST(contact_has_the_same_bits_at_any_thread_count)
{
    const int threads[] = {2, 3, 7};
    for (int i = 0; i < 3; i++) {
        CordWorldDef def = cord_world_def_default();
        def.tasks = cord_tasks_openmp(threads[i]);
        check_same_steps(&def, i == 1 ? CORD_MODEL_PBD : CORD_MODEL_DER);
    }
}

// ---- memory

TEST(tasks_of_contact_allocate_nothing)
{
    Heap heap = {0};
    Backwards b = {.heap = &heap};
    CordWorldDef def = def_with(&b);
    CordWorld* world = mat(&def, CORD_MODEL_DER);
    CHECK_OK(cord_world_step(world, step_of(CORD_MODEL_DER)));
    CHECK(b.tasks > 20);
    CHECK_INT(b.allocations, 0);
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

TEST(a_step_on_several_threads_may_fail_at_every_allocation)
{
    Heap heap = {0};
    Backwards b = {.heap = &heap};
    CordWorldDef def = def_with(&b);
    CordWorld* world = mat(&def, CORD_MODEL_DER);
    CHECK_OK(cord_world_step(world, step_of(CORD_MODEL_DER)));
    int failed = 0;
    CordResult result = CORD_NO_MEMORY;
    for (int64_t n = 1; result != CORD_OK; n++) {
        uint64_t hash = cord_world_state_hash(world);
        contact_points_free(&world->memory, &world->touch->constraints.contacts);
        contact_points_free(&world->memory, &world->touch->newton.contacts);
        heap.fail = heap.calls + n;
        result = cord_world_step(world, step_of(CORD_MODEL_DER));
        heap.fail = 0;
        CHECK(result == CORD_OK || (result == CORD_NO_MEMORY && cord_world_state_hash(world) == hash));
        failed += result != CORD_OK;
    }
    CHECK(failed > 20); // the lists of ranges are among them
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

TEST_GROUP(contact_threads)
