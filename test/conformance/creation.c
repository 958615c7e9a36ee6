// What is made later counts as much as what was made first.
#include "claims.h"

static void add_held_rod(CordWorld* world, const Subject* s, int nodes)
{
    CordRodDef def = subject_rod(s, nodes);
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
}

static CordWorld* held_world(const Subject* s)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    add_held_rod(world, s, 11);
    return world;
}

static uint64_t last_hash(CordWorld* world) // of a world that is no longer needed
{
    uint64_t hash = cord_world_state_hash(world);
    cord_world_destroy(world);
    return hash;
}

// Every query prepares what a step needs. A rod that is made after it must be prepared for as well.
static void after_a_query(const Subject* s)
{
    uint64_t hash[2];
    for (int look = 0; look < 2; look++) {
        CordWorld* world = held_world(s);
        if (look) {
            CHECK(isfinite(cord_rod_energy(world, cord_world_rod(world, 0)).gravity));
        }
        add_held_rod(world, s, 41);
        run(world, s->step, 5);
        hash[look] = last_hash(world);
    }
    CHECK(hash[0] == hash[1]);
}

// A rod that was destroyed leaves nothing behind.
static void come_and_go(const Subject* s)
{
    uint64_t hash[2];
    for (int guest = 0; guest < 2; guest++) {
        CordWorld* world = held_world(s);
        run(world, s->step, 1);
        if (guest) {
            add_held_rod(world, s, 41);
        }
        run(world, s->step, 1);
        if (guest) {
            CHECK_OK(cord_rod_destroy(world, cord_world_rod(world, 1)));
        }
        run(world, s->step, 1);
        hash[guest] = last_hash(world);
    }
    CHECK(hash[0] == hash[1]);
}

static const Claim claims[] = {
    {.name = "made after a query", .run = after_a_query},
    {.name = "come and go", .run = come_and_go},
};

CLAIM_GROUP(creation)
