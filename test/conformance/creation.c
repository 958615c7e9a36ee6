// What is made later counts as much as what was made first.
#include "subjects.h"

static CordWorld* new_world(void)
{
    CordWorldDef def = cord_world_def_default();
    CordWorld* world;
    CHECK_OK(cord_world_create(&def, &world));
    return world;
}

static void add_held_rod(CordWorld* world, const Subject* s, int nodes)
{
    CordRodDef def = subject_rod(s, nodes);
    hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
}

// Everything that looks at a state prepares what a step needs; a rod that comes after that must be prepared
// for, too.
static uint64_t two_rods(const Subject* s, bool look)
{
    CordWorld* world = new_world();
    add_held_rod(world, s, 11);
    if (look) {
        CHECK(isfinite(cord_rod_energy(world, cord_world_rod(world, 0)).gravity));
    }
    add_held_rod(world, s, 41);
    for (int i = 0; i < 5; i++) {
        CordResult result = cord_world_step(world, s->step);
        if (result != CORD_OK) {
            print_error("%s: %s\n", s->name, cord_world_message(world));
        }
        CHECK_OK(result);
    }
    uint64_t hash = cord_world_state_hash(world);
    cord_world_destroy(world);
    return hash;
}

TEST(a_rod_made_after_a_query_steps_as_one_made_before_it)
{
    for (int i = 0; i < SUBJECTS; i++) {
        print_message("  %s\n", subjects[i].name);
        CHECK(two_rods(&subjects[i], true) == two_rods(&subjects[i], false));
    }
}

// Likewise after steps: a rod that was destroyed leaves nothing behind.
TEST(rods_that_come_and_go_leave_the_others_as_they_are)
{
    for (int i = 0; i < SUBJECTS; i++) {
        uint64_t hash[2];
        for (int guest = 0; guest < 2; guest++) {
            CordWorld* world = new_world();
            print_message("  %s\n", subjects[i].name);
            add_held_rod(world, &subjects[i], 11);
            CHECK_OK(cord_world_step(world, subjects[i].step));
            if (guest) {
                add_held_rod(world, &subjects[i], 41);
            }
            CHECK_OK(cord_world_step(world, subjects[i].step));
            if (guest) {
                CHECK_OK(cord_rod_destroy(world, cord_world_rod(world, 1)));
            }
            CHECK_OK(cord_world_step(world, subjects[i].step));
            hash[guest] = cord_world_state_hash(world);
            cord_world_destroy(world);
        }
        CHECK(hash[0] == hash[1]);
    }
}

TEST_GROUP(creation, a_rod_made_after_a_query_steps_as_one_made_before_it,
           rods_that_come_and_go_leave_the_others_as_they_are)
