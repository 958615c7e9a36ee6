// Surfaces of a world: made, refused, placed by frames, gone with their rod.
#include "world/surface.h"

#include "world_parts.h"

#include <cordage/modal.h>

static const CordVec3 corners[4] = {{0.1, 0.05, 0}, {0.9, 0.05, 0}, {0.9, -0.05, 0.02}, {0.1, -0.05, 0.02}};
static const int triangles[6] = {0, 1, 2, 0, 2, 3};

static CordSurfaceDef leaf_def(CordRodId rod)
{
    CordSurfaceDef def = cord_surface_def_default();
    def.name = "leaf";
    def.rod = rod;
    def.vertices = corners;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    return def;
}

static CordWorld* rod_world(CordRodId* rod)
{
    CordWorld* world = new_weightless_world();
    *rod = add_line(world, 11);
    return world;
}

TEST(a_surface_is_where_it_was_made_until_the_rod_moves)
{
    CordRodId rod;
    CordSurfaceId id;
    CordWorld* world = rod_world(&rod);
    CordSurfaceDef def = leaf_def(rod);
    CHECK_OK(cord_surface_create(world, &def, &id));
    CHECK_INT(cord_world_surface_count(world), 1);
    CHECK_STR(cord_surface_name(world, id), "leaf");
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK_INT(frame.surface_count, 1);
    CHECK(frame.surfaces[0].hides && frame.surfaces[0].rod == 0 && frame.surfaces[0].triangle_count == 2);
    CHECK(memcmp(frame.surfaces[0].triangles, triangles, sizeof triangles) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK_VEC3(frame.surfaces[0].vertices[i], corners[i], 1e-15); // of order 1
    }
    // All of it turned about z and shifted: the frames of the edges follow their tangents.
    CordVec3 x[11];
    CordQuat q = cord_quat_about((CordVec3){0, 0, 1}, 0.7);
    for (int i = 0; i < 11; i++) {
        x[i] = vec3_add(quat_rotate(q, (CordVec3){0.1 * i, 0, 0}), (CordVec3){1, 2, 3});
    }
    CHECK_OK(cord_rod_set_positions(world, rod, x));
    CHECK_OK(cord_world_frame(world, &frame));
    for (int i = 0; i < 4; i++) {
        CordVec3 expected = vec3_add(quat_rotate(q, corners[i]), (CordVec3){1, 2, 3});
        CHECK_VEC3(frame.surfaces[0].vertices[i], expected,
                   1e-12); // rounding of an edge of 0.1 at a distance of 4, by an arm of its half
    }
    cord_world_destroy(world);
}

TEST(surfaces_go_with_their_rod_and_one_by_one)
{
    CordRodId rods[2];
    CordSurfaceId ids[3];
    CordWorld* world = rod_world(&rods[0]);
    CordRodDef rod = ring_def(12);
    rods[1] = add_rod(world, &rod);
    for (int i = 0; i < 3; i++) {
        CordSurfaceDef def = leaf_def(rods[i % 2]);
        def.name = i == 0 ? "leaf" : NULL;
        CHECK_OK(cord_surface_create(world, &def, &ids[i]));
    }
    CHECK_STR(cord_surface_name(world, ids[1]), "surface2");
    CHECK_OK(cord_rod_destroy(world, rods[0])); // with the first and the third
    CHECK_INT(cord_world_surface_count(world), 1);
    CHECK(cord_surface_name(world, ids[0]) == NULL && cord_world_surface(world, 0).slot == ids[1].slot);
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK(frame.surface_count == 1 && frame.surfaces[0].rod == 0);
    CHECK_OK(cord_surface_destroy(world, ids[1]));
    CHECK_RESULT(cord_surface_destroy(world, ids[1]), CORD_BAD_ID);
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK_INT(frame.surface_count, 0);
    cord_world_destroy(world);
}

static void check_refused(CordWorld* world, const CordSurfaceDef* def, CordResult expected, const char* words)
{
    CordSurfaceId id;
    int before = cord_world_surface_count(world);
    CHECK_RESULT(cord_surface_create(world, def, &id), expected);
    CHECK_CONTAINS(cord_world_message(world), words);
    CHECK(id.slot == 0 && cord_world_surface_count(world) == before);
}

TEST(what_cannot_be_a_surface_is_refused_with_a_reason)
{
    CordRodId rod;
    CordSurfaceId id;
    CordWorld* world = rod_world(&rod);
    CordRodDef refined = line_def(11);
    refined.adapt.on = true;
    CordRodId adaptive = add_rod(world, &refined);
    CordSurfaceDef good = leaf_def(rod), def = good;
    def.triangle_count = 0;
    check_refused(world, &def, CORD_BAD_ARGUMENT, "0 triangles");
    def = good, def.vertices = NULL;
    check_refused(world, &def, CORD_BAD_ARGUMENT, "0 vertices");
    def = good, def.triangles = (const int[]){0, 1, 2, 0, 2, 4};
    check_refused(world, &def, CORD_BAD_ARGUMENT, "triangle 1 has vertex 4");
    def = good, def.vertices = (const CordVec3[]){{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}, {0, 0, 1}};
    check_refused(world, &def, CORD_BAD_ARGUMENT, "vertex 2 is not finite");
    def = good, def.rod = (CordRodId){9, 9};
    check_refused(world, &def, CORD_BAD_ID, "rod");
    def = good, def.rod = adaptive;
    check_refused(world, &def, CORD_NOT_SUPPORTED, "adaptive");
    check_refused(world, NULL, CORD_BAD_ARGUMENT, "surface");
    CHECK_OK(cord_surface_create(world, &good, &id));
    check_refused(world, &good, CORD_BAD_ARGUMENT, "already");
    cord_world_destroy(world);
}

// ---- modal rods

static bool count_progress(void* user, const char* what, double share)
{
    (void)what, (void)share;
    ++*(int*)user;
    return true;
}

// Those of a large network take seconds or more: they are found when they are needed.
TEST(a_surface_on_a_modal_rod_needs_no_modes)
{
    int told = 0;
    CordModalHooks modal = {.progress = count_progress, .progress_user = &told};
    CordWorldDef hooks = cord_world_def_default();
    hooks.gravity = (CordVec3){0, 0, 0};
    hooks.modal = &modal;
    CordSurfaceId id;
    CordWorld* world = make_world(&hooks);
    CordRodDef line = line_def(11);
    line.model = CORD_MODEL_MODAL;
    CordRodId rod = add_rod(world, &line);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    CordSurfaceDef def = leaf_def(rod);
    CHECK_OK(cord_surface_create(world, &def, &id));
    CHECK_INT(told, 0);
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK(told > 0); // the frame does need them
    for (int i = 0; i < 4; i++) {
        CHECK_VEC3(frame.surfaces[0].vertices[i], corners[i], 1e-15); // of order 1
    }
    cord_world_destroy(world);
}

TEST_GROUP(world_surface)
