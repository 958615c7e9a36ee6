// The topology watch: what may not pass through each other does so here, since one of the two is intangible.
#include "world_parts.h"

#include <stdlib.h>

enum { NODES = 41 };

typedef struct Pair {
    CordWorld* world;
    CordRodId left, right;
    CordClampId clamps[4]; // of the right one's ends the last two
} Pair;

static CordRodDef cord_def(const char* name, const CordVec3* points, int count)
{
    CordRodDef def = line_def(NODES);
    def.name = name;
    def.shape = cord_shape_polyline(points, count, NODES);
    def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
    def.section = cord_section_disc(0.005);
    def.stiffness.EI1 = def.stiffness.EI2 = def.stiffness.GJ = 1.0; // follows its ends at once
    return def;
}

static void hold_and_watch(Pair* p, int ends, CordFix fix, bool watch)
{
    for (int i = 0; i < ends; i++) {
        p->clamps[i] =
            hold(p->world, i < 2 ? p->left : p->right, i % 2 ? cord_at_end() : cord_at_start(), fix);
    }
    CordContactDef contact = cord_contact_def_default();
    contact.watch_topology = watch;
    CHECK_OK(cord_world_set_contact(p->world, &contact));
}

// Two bights, one through the other. They rest as they are.
static Pair hooked(bool held, bool watch)
{
    const CordVec3 x[4] = {{-1, 0.2, 0}, {0.2, 0.2, 0}, {0.2, -0.2, 0}, {-1, -0.2, 0}};
    const CordVec3 y[4] = {{1, 0, 0.2}, {0, 0, 0.2}, {0, 0, -0.2}, {1, 0, -0.2}};
    Pair p = {.world = new_weightless_world()};
    CordRodDef def = cord_def("left", x, 4);
    p.left = add_rod(p.world, &def);
    def = cord_def("right", y, 4);
    def.intangible = true;
    p.right = add_rod(p.world, &def);
    hold_and_watch(&p, held ? 4 : 3, CORD_FIX_FRAME, watch);
    return p;
}

// The right one is drawn out to the right by 2 cm a step in 60 steps, or until one is refused.
static CordResult draw(Pair* p)
{
    CordResult result = CORD_OK;
    for (int i = 1; i <= 60 && result == CORD_OK; i++) {
        for (int k = 2; k < 4; k++) {
            if (cord_clamp_holds(p->world, p->clamps[k])) {
                CHECK_OK(
                    cord_clamp_move(p->world, p->clamps[k], (CordVec3){0.02 * i, 0, 0}, quat_identity()));
            }
        }
        result = cord_world_step(p->world, 0.05);
    }
    return result;
}

TEST(held_cords_that_pass_through_each_other_stop_the_run)
{
    Pair p = hooked(true, true);
    int64_t link = cord_rod_linking_number(p.world, p.left, p.right);
    CHECK_INT(link * link, 1);
    CHECK_RESULT(draw(&p), CORD_DIVERGED);
    char words[120];
    snprintf(words, sizeof words,
             "rods 'left' and 'right' passed through each other: their linking number would change by %d",
             (int)-link);
    CHECK_CONTAINS(cord_world_message(p.world), words);
    CHECK_INT(cord_rod_linking_number(p.world, p.left, p.right), link); // the step did not happen
    cord_world_destroy(p.world);
}

TEST(what_is_not_watched_or_not_held_passes)
{
    Pair p = hooked(true, false);
    CHECK_OK(draw(&p));
    CHECK_INT(cord_rod_linking_number(p.world, p.left, p.right), 0);
    cord_world_destroy(p.world);
    p = hooked(false, true);
    CHECK(cord_rod_is_tied(p.world, p.left) && !cord_rod_is_tied(p.world, p.right));
    CHECK_OK(draw(&p));
    cord_world_destroy(p.world);
    p = hooked(true, true); // and what is let go may pass from then on
    CHECK_OK(cord_world_step(p.world, 0.05));
    CHECK_OK(cord_clamp_destroy(p.world, p.clamps[3]));
    CHECK_OK(draw(&p));
    cord_world_destroy(p.world);
}

// Two straight cords, one across the other, are turned about x as a whole. On the way the lines that close
// them change their number, but no step does.
TEST(ends_that_move_change_no_link)
{
    const CordVec3 ends[4] = {{-1, -0.1, 0}, {1, 0.1, 0}, {0.1, -1, 0.1}, {-0.1, 1, 0.1}};
    Pair p = {.world = new_weightless_world()};
    CordRodDef def = cord_def("left", ends, 2);
    p.left = add_rod(p.world, &def);
    def = cord_def("right", ends + 2, 2);
    p.right = add_rod(p.world, &def);
    hold_and_watch(&p, 4, CORD_FIX_POSITION, true);
    int64_t link = cord_rod_linking_number(p.world, p.left, p.right);
    int others = 0;
    for (int i = 1; i <= 25; i++) {
        CordQuat turn = {cord_sin(0.05 * i), 0, 0, cord_cos(0.05 * i)};
        for (int k = 0; k < 4; k++) {
            CordVec3 to = vec3_sub(quat_rotate(turn, ends[k]), ends[k]);
            CHECK_OK(cord_clamp_move(p.world, p.clamps[k], to, quat_identity()));
        }
        run(p.world, 0.05, 1);
        others += cord_rod_linking_number(p.world, p.left, p.right) != link;
    }
    CHECK(others > 0);
    cord_world_destroy(p.world);
}

// The bight of the right one is lifted off an end of the left one: over what is taken to hold it, but through
// nothing.
TEST(what_slips_over_a_held_end_passes)
{
    const CordVec3 post[2] = {{0, 0, -0.5}, {0, 0, 0.5}};
    const CordVec3 bight[4] = {{1, 0.1, 0.3}, {-0.1, 0.1, 0.3}, {-0.1, -0.1, 0.3}, {1, -0.1, 0.3}};
    Pair p = {.world = new_weightless_world()};
    CordRodDef def = cord_def("post", post, 2);
    p.left = add_rod(p.world, &def);
    def = cord_def("bight", bight, 4);
    p.right = add_rod(p.world, &def);
    hold_and_watch(&p, 4, CORD_FIX_POSITION, true);
    int64_t link = cord_rod_linking_number(p.world, p.left, p.right);
    for (int i = 1; i <= 30; i++) { // up by 0.6 m, and then off to the right
        CordVec3 to = {i > 15 ? 0.03 * (i - 15) : 0.0, 0, i > 15 ? 0.6 : 0.04 * i};
        for (int k = 2; k < 4; k++) {
            CHECK_OK(cord_clamp_move(p.world, p.clamps[k], to, quat_identity()));
        }
        run(p.world, 0.05, 1);
    }
    CHECK(cord_rod_linking_number(p.world, p.left, p.right) != link);
    cord_world_destroy(p.world);
}

// A ring of 0.2 m about the straight rod along x, or beside it.
static CordResult pass_ring(bool around)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(21);
    def.name = "rod", def.integrator = CORD_INTEGRATOR_BACKWARD_EULER, def.section = cord_section_disc(0.005);
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    hold(world, rod, cord_at_end(), CORD_FIX_POSITION);
    def = ring_def(30);
    def.name = "ring", def.integrator = CORD_INTEGRATOR_BACKWARD_EULER,
    def.section = cord_section_disc(0.005);
    def.shape = cord_shape_circle((CordVec3){0.5, around ? 0 : 0.5, 0}, (CordVec3){1, 0, 0}, 0.2, 30);
    def.velocity = (CordVec3){0, around ? 1.0 : -1.0, 0};
    def.intangible = true;
    CordRodId ring = add_rod(world, &def);
    CordContactDef contact = cord_contact_def_default();
    contact.watch_topology = true;
    CHECK_OK(cord_world_set_contact(world, &contact));
    CHECK_INT(llabs(cord_rod_linking_number(world, rod, ring)), around ? 1 : 0);
    CordResult result = CORD_OK;
    for (int i = 0; i < 60 && result == CORD_OK; i++) {
        result = cord_world_step(world, 0.01);
    }
    if (result == CORD_DIVERGED) {
        CHECK_CONTAINS(cord_world_message(world), "rods 'rod' and 'ring' passed through each other");
    }
    cord_world_destroy(world);
    return result;
}

TEST(a_ring_that_passes_through_a_held_rod_stops_the_run)
{
    CHECK_RESULT(pass_ring(true), CORD_DIVERGED);
    CHECK_RESULT(pass_ring(false), CORD_DIVERGED);
}

// ---- questions

TEST(questions_about_no_rod_have_answers)
{
    Pair p = hooked(true, false);
    CHECK(cord_rod_linking_number(p.world, p.left, p.left) == CORD_NO_LINK);
    CHECK(cord_rod_linking_number(p.world, p.left, (CordRodId){0}) == CORD_NO_LINK);
    CHECK(!cord_rod_is_tied(p.world, (CordRodId){0}));
    CHECK_OK(cord_rod_destroy(p.world, p.right));
    CHECK(cord_rod_linking_number(p.world, p.left, p.right) == CORD_NO_LINK);
    cord_world_destroy(p.world);
}

TEST(links_are_compared_where_rods_are_near)
{
    CordWorld* world = new_weightless_world();
    for (int i = 0; i < 20; i++) { // the last two are linked
        CordRodDef def = ring_def(12);
        CordVec3 center = {i == 19 ? 18.2 : i, 0, 0}, normal = {0, i == 19, i != 19};
        def.shape = cord_shape_circle(center, normal, 0.2, 12);
        def.rest = CORD_REST_AS_SHAPED;
        add_rod(world, &def);
    }
    CordContactDef contact = cord_contact_def_default();
    contact.watch_topology = true;
    CHECK_OK(cord_world_set_contact(world, &contact));
    run(world, 1e-4, 5);
    CHECK_INT(world->topology.link_tests, 5);
    cord_world_destroy(world);
}

TEST_GROUP(world_watch)
