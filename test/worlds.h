// Worlds for tests of every kind: made, stepped, saved and restored by calls that must succeed.
#ifndef CORD_TEST_WORLDS_H
#define CORD_TEST_WORLDS_H

#include "heap.h"
#include "hold.h"
#include "random.h"

#include <cordage/solve.h>

#include <stdlib.h>

// Makes a call again that ran out of memory. It must have changed nothing, and so it must succeed.
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        CordResult result_ = (call);                                                                         \
        if (result_ == CORD_NO_MEMORY) {                                                                     \
            CHECK_CONTAINS(cord_world_message(world), "memory");                                             \
            result_ = (call);                                                                                \
        }                                                                                                    \
        check_world_ok(world, #call, result_, __FILE__, __LINE__);                                           \
    } while (0)

static inline CordWorld* make_world(const CordWorldDef* def)
{
    CordWorld* world;
    CHECK_OK(cord_world_create(def, &world));
    return world;
}

static inline CordWorld* world_on(Heap* heap)
{
    CordWorldDef def = def_on(heap);
    return make_world(&def);
}

static inline CordWorld* new_world(CordVec3 gravity)
{
    CordWorldDef def = cord_world_def_default();
    def.gravity = gravity;
    return make_world(&def);
}

static inline CordWorld* new_weightless_world(void)
{
    return new_world((CordVec3){0, 0, 0});
}

static inline void run(CordWorld* world, double h, int steps) // one by one
{
    for (int i = 0; i < steps; i++) {
        CordResult result = cord_world_step(world, h);
        if (result != CORD_OK) {
            print_error("step %d: %s\n", i, cord_world_message(world));
        }
        CHECK_OK(result);
    }
}

static inline void run_many(CordWorld* world, double h, int steps) // at once
{
    CHECK_WORLD_OK(world, cord_world_step_many(world, h, steps));
}

static inline CordLoadId add_load(CordWorld* world, const CordLoadDef* def)
{
    CordLoadId id;
    CHECK_WORLD_OK(world, cord_load_create(world, def, &id));
    return id;
}

static inline CordLoadId add_drag(CordWorld* world, CordRodId rod, double across)
{
    CordLoadDef def = cord_load_def_default();
    def.kind = CORD_LOAD_DRAG, def.rod = rod, def.along = across, def.across = across;
    return add_load(world, &def);
}

static inline CordSolveReport solve_as(CordWorld* world, bool accept_saddle)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.accept_saddle = accept_saddle;
    CHECK_WORLD_OK(world, cord_world_solve(world, &def, &report));
    CHECK(report.converged);
    return report;
}

static inline double elastic_energy(const CordWorld* world, CordRodId rod)
{
    CordEnergy e = cord_rod_energy(world, rod);
    return e.bend + e.twist + e.stretch;
}

static inline double total_energy(const CordWorld* world, CordRodId rod)
{
    CordEnergy e = cord_rod_energy(world, rod);
    return e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
}

// ---- states

typedef struct Saved {
    size_t size;
    uint8_t* bytes;
    uint64_t hash;
} Saved;

static inline Saved save(const CordWorld* world)
{
    Saved s = {.size = cord_world_state_size(world), .hash = cord_world_state_hash(world)};
    CHECK(s.size > 0);
    s.bytes = malloc(s.size);
    CHECK_OK(cord_world_state_get(world, s.bytes, s.size));
    return s;
}

static inline void restore(CordWorld* world, const Saved* s)
{
    CHECK_WORLD_OK(world, cord_world_state_set(world, s->bytes, s->size));
    CHECK(cord_world_state_hash(world) == s->hash);
}

static inline void drop_saved(Saved* s)
{
    free(s->bytes);
    *s = (Saved){0};
}

#endif
