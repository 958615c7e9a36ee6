// Obstacles in a world: made, refused, moved, kept in the state, and given back.
#include "world/obstacle.h"
#include "world_parts.h"

static const CordVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static CordObstacleDef shape_def(CordSolidShape shape, CordVec3 size)
{
    CordObstacleDef def = cord_obstacle_def_default();
    def.solid.shape = shape;
    def.solid.size = size;
    return def;
}

static CordObstacleDef mesh_def(void)
{
    CordObstacleDef def = shape_def(CORD_SOLID_MESH, (CordVec3){0, 0, 0});
    def.solid.mesh.vertices = corners, def.solid.mesh.vertex_count = 4;
    def.solid.mesh.triangles = faces, def.solid.mesh.triangle_count = 4;
    return def;
}

static CordObstacleId add_moving(CordWorld* world, CordMotion motion)
{
    CordObstacleDef def = cord_obstacle_def_default();
    def.motions = &motion, def.motion_count = 1;
    return add_obstacle(world, &def);
}

static Pose pose_of(const CordWorld* world, CordObstacleId id)
{
    Pose pose;
    CHECK_OK(cord_obstacle_pose(world, id, &pose.point, &pose.rotation));
    return pose;
}

static Obstacle* inside(const CordWorld* world, CordObstacleId id)
{
    return slots_get(&world->obstacles, id.slot, id.generation);
}

// ---- making

TEST(the_default_is_the_ground)
{
    CordWorld* world = new_weightless_world();
    CordObstacleId id = add_ground(world, 0.0);
    CordFrame frame;
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK_INT(frame.obstacle_count, 1);
    CHECK_INT(frame.obstacles[0].solid.shape, CORD_SOLID_PLANE);
    CHECK_STR(frame.obstacles[0].name, "obstacle1");
    CHECK_VEC3(frame.obstacles[0].position, ((CordVec3){0, 0, 0}), 0.0);
    CHECK_NEAR(frame.obstacles[0].rotation.w, 1.0, 0.0);
    CHECK_NEAR(inside(world, id)->def.friction, 0.3, 0.0);
    CHECK_INT(frame.contact_count, 0);
    cord_world_destroy(world);
}

TEST(every_shape_is_made_and_shown)
{
    const CordVec3 size = {0.3, 0.1, 0.2}; // all can have it
    CordWorld* world = new_weightless_world();
    CordFrame frame;
    for (int shape = 0; shape < CORD_SOLID_COUNT; shape++) {
        CordObstacleDef def =
            cord_solid_kind(shape)->is_mesh ? mesh_def() : shape_def((CordSolidShape)shape, size);
        def.position = (CordVec3){shape, 2, 3};
        add_obstacle(world, &def);
    }
    CHECK_INT(cord_world_obstacle_count(world), CORD_SOLID_COUNT);
    CHECK_OK(cord_world_frame(world, &frame));
    for (int shape = 0; shape < CORD_SOLID_COUNT; shape++) {
        const CordSolid* solid = &frame.obstacles[shape].solid;
        CHECK_INT(solid->shape, shape);
        CHECK_VEC3(frame.obstacles[shape].position, ((CordVec3){shape, 2, 3}), 0.0);
        if (!cord_solid_kind(shape)->is_mesh) {
            CHECK_VEC3(solid->size, size, 0.0);
            CHECK(solid->mesh.vertices == NULL && solid->mesh.triangle_count == 0);
        }
    }
    cord_world_destroy(world);
}

TEST(a_mesh_is_copied)
{
    Heap heap = {0};
    CordWorld* world = world_on(&heap);
    CordFrame frame;
    CordVec3 own_corners[4];
    int own_faces[12];
    memcpy(own_corners, corners, sizeof corners);
    memcpy(own_faces, faces, sizeof faces);
    CordObstacleDef def = mesh_def();
    def.solid.mesh.vertices = own_corners, def.solid.mesh.triangles = own_faces;
    CordObstacleId id = add_obstacle(world, &def);
    memset(own_corners, 0, sizeof own_corners);
    memset(own_faces, 0, sizeof own_faces);
    CHECK_OK(cord_world_frame(world, &frame));
    const CordSolidMesh* mesh = &frame.obstacles[0].solid.mesh;
    CHECK_INT(mesh->vertex_count, 4);
    CHECK_INT(mesh->triangle_count, 4);
    for (int i = 0; i < 12; i++) { // whatever the order in which they are kept
        CHECK(mesh->triangles[i] >= 0 && mesh->triangles[i] < 4);
    }
    CordVec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        sum = vec3_add(sum, mesh->vertices[i]);
    }
    CHECK_VEC3(sum, ((CordVec3){1, 1, 1}), 0.0);
    CHECK_OK(cord_obstacle_destroy(world, id));
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

TEST(names_are_given_or_found_and_differ)
{
    CordWorld* world = new_weightless_world();
    CordObstacleDef def = cord_obstacle_def_default();
    CordObstacleId id;
    def.name = "obstacle2";
    add_obstacle(world, &def);
    def.name = NULL;
    id = add_obstacle(world, &def);
    CHECK_STR(cord_obstacle_name(world, id), "obstacle3");
    def.name = "obstacle2";
    CHECK_RESULT(cord_obstacle_create(world, &def, &id), CORD_BAD_ARGUMENT);
    CHECK_STR(cord_world_message(world), "there is an obstacle named 'obstacle2' already");
    char name[65];
    memset(name, 'x', 64);
    name[64] = '\0';
    def.name = name;
    CHECK_RESULT(cord_obstacle_create(world, &def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "64 characters; at most 63");
    CHECK_INT(cord_world_obstacle_count(world), 2);
    name[63] = '\0';
    CHECK_STR(cord_obstacle_name(world, add_obstacle(world, &def)), name);
    cord_world_destroy(world);
}

static void refused(CordWorld* world, const CordObstacleDef* def, const char* message)
{
    CordObstacleId id = {7, 7};
    CHECK_RESULT(cord_obstacle_create(world, def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), message);
    CHECK_INT(id.slot, 0);
    CHECK_INT(cord_world_obstacle_count(world), 0);
}

TEST(sizes_that_are_none_are_refused)
{
    static const struct {
        CordSolidShape shape;
        CordVec3 size;
        const char* message;
    } bad[] = {
        {CORD_SOLID_SPHERE, {0, 1, 1}, "obstacle 'obstacle1': the size of its sphere is (0, 1, 1) m"},
        {CORD_SOLID_SPHERE, {NAN, 0, 0}, "must be positive"},
        {CORD_SOLID_SPHERE, {1, INFINITY, 0}, "must be positive"},
        {CORD_SOLID_BOX, {1, -1, 1}, "its box"},
        {CORD_SOLID_BOX, {1, 1, 0}, "its box"},
        {CORD_SOLID_CYLINDER, {1, 0, 0}, "its cylinder"},
        {CORD_SOLID_CYLINDER, {0, 0, 1}, "its cylinder"},
        {CORD_SOLID_CAPSULE, {1, 0, -2}, "its capsule"},
        {CORD_SOLID_TORUS, {1, 0, 0}, "its torus"},
        {CORD_SOLID_TORUS, {1, 1, 0}, "a torus has a hole"},
        {CORD_SOLID_TUBE, {1, 0.5, 0}, "its tube"},
        {CORD_SOLID_TUBE, {1, 1, 1}, "its inner radius is 1 m and its outer one 1 m"},
        {CORD_SOLID_TUBE, {0.5, 0.6, 1}, "wider outside than inside"},
        {CORD_SOLID_CONE, {1, 0, 0}, "its cone"},
        {CORD_SOLID_COUNT, {1, 1, 1}, "there is no shape number"},
        {(CordSolidShape)-1, {1, 1, 1}, "there is no shape number -1"},
    };
    CordWorld* world = new_weightless_world();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CordObstacleDef def = shape_def(bad[i].shape, bad[i].size);
        refused(world, &def, bad[i].message);
    }
    cord_world_destroy(world);
}

TEST(places_turns_and_friction_that_are_none_are_refused)
{
    CordWorld* world = new_weightless_world();
    CordObstacleDef def = cord_obstacle_def_default();
    def.position.y = NAN;
    refused(world, &def, "its position must be finite");
    def = cord_obstacle_def_default();
    def.rotation = (CordQuat){0, 0, 0, 1.1};
    refused(world, &def, "its rotation has length 1.1; a rotation is a unit quaternion");
    def.rotation = (CordQuat){0, 0, 0, 0};
    refused(world, &def, "length 0");
    def.rotation = (CordQuat){NAN, 0, 0, 1};
    refused(world, &def, "its rotation");
    def = cord_obstacle_def_default();
    def.friction = -0.1;
    refused(world, &def, "its friction is -0.1; it must be between 0 and 100");
    def.friction = NAN;
    refused(world, &def, "its friction");
    def = cord_obstacle_def_default();
    def.motion_count = 1;
    refused(world, &def, "its motions are said to be 1, and none are given");
    CordMotion motion = cord_motion_translate((CordVec3){1, 0, 0}, 2.0, 1.0);
    def.motions = &motion;
    refused(world, &def, "it must end after it begins");
    cord_world_destroy(world);
}

TEST(meshes_that_are_none_are_refused)
{
    Heap heap = {0};
    CordWorld* world = world_on(&heap);
    CordObstacleDef def = mesh_def();
    def.solid.mesh.vertices = NULL;
    refused(world, &def, "its mesh has 0 vertices and 4 triangles");
    def = mesh_def();
    def.solid.mesh.triangle_count = 0;
    refused(world, &def, "its mesh has 4 vertices and 0 triangles");
    def.solid.mesh.triangle_count = -1;
    refused(world, &def, "its mesh");
    int outside[3] = {0, 1, 4}, flat[3] = {0, 1, 1};
    def = mesh_def();
    def.solid.mesh.triangles = outside, def.solid.mesh.triangle_count = 1;
    refused(world, &def, "obstacle 'obstacle1': ");
    def.solid.mesh.triangles = flat;
    refused(world, &def, "obstacle 'obstacle1': "); // nothing is left of it
    CordVec3 bad[4] = {{0, 0, 0}, {1, 0, 0}, {0, INFINITY, 0}, {0, 0, 1}};
    def = mesh_def();
    def.solid.mesh.vertices = bad;
    refused(world, &def, "obstacle 'obstacle1': ");
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

TEST(a_turn_that_is_nearly_unit_is_made_so)
{
    CordWorld* world = new_weightless_world();
    CordObstacleDef def = cord_obstacle_def_default();
    def.rotation = (CordQuat){0.7071, 0, 0, 0.7071}; // four digits: 1e-5 short
    CordQuat q = pose_of(world, add_obstacle(world, &def)).rotation;
    CHECK_NEAR(quat_norm(q), 1.0, 1e-15); // rounding
    CHECK_NEAR(q.x, sqrt(0.5), 1e-15);
    cord_world_destroy(world);
}

TEST(an_id_is_good_until_its_obstacle_is_destroyed)
{
    CordWorld* world = new_weightless_world();
    CordObstacleId first = add_ground(world, 0.0), second = add_ground(world, 0.0);
    CordVec3 a, b;
    CordQuat q;
    CHECK_OK(cord_obstacle_destroy(world, first));
    CHECK_INT(cord_world_obstacle_count(world), 1);
    CHECK_INT(cord_world_obstacle(world, 0).slot, second.slot);
    CHECK_INT(cord_world_obstacle(world, 1).slot, 0);
    CHECK_RESULT(cord_obstacle_destroy(world, first), CORD_BAD_ID);
    CHECK_STR(cord_world_message(world), "this obstacle does not exist (any more)");
    CHECK_RESULT(cord_obstacle_pose(world, first, &a, &q), CORD_BAD_ID);
    CHECK_RESULT(cord_obstacle_force(world, first, &a, &b), CORD_BAD_ID);
    CHECK_RESULT(cord_obstacle_move(world, first, (CordVec3){0, 0, 0}, quat_identity()), CORD_BAD_ID);
    CHECK(cord_obstacle_name(world, first) == NULL);
    CordObstacleId third = add_ground(world, 0.0); // in the slot of the first
    CHECK(cord_obstacle_name(world, first) == NULL);
    CHECK(cord_obstacle_name(world, third) != NULL);
    cord_world_destroy(world);
}

TEST(forces_are_nothing_until_something_touches)
{
    CordWorld* world = new_weightless_world();
    CordObstacleId id = add_ground(world, 0.0);
    CordVec3 force = {1, 1, 1}, torque = {1, 1, 1};
    CHECK_OK(cord_obstacle_force(world, id, &force, &torque));
    CHECK_VEC3(force, ((CordVec3){0, 0, 0}), 0.0);
    CHECK_VEC3(torque, ((CordVec3){0, 0, 0}), 0.0);
    torque = (CordVec3){1, 1, 1};
    CHECK_OK(cord_obstacle_force(world, id, NULL, &torque)); // what is not asked for is passed over
    CHECK_VEC3(torque, ((CordVec3){0, 0, 0}), 0.0);
    CHECK_OK(cord_obstacle_force(world, id, NULL, NULL));
    CHECK_OK(cord_obstacle_pose(world, id, NULL, NULL));
    cord_world_destroy(world);
}

// ---- motions

TEST(motions_are_followed_from_the_pose_it_was_given)
{
    CordWorld* world = new_weightless_world();
    CordObstacleDef def = shape_def(CORD_SOLID_BOX, (CordVec3){1, 1, 1});
    CordMotion motions[2] = {cord_motion_translate((CordVec3){0, 0, 2}, 0.0, 1.0),
                             cord_motion_rotate((CordVec3){0, 0, 1}, CORD_PI, 1.0, 2.0)};
    def.position = (CordVec3){1, 0, 0};
    def.rotation = cord_quat_about((CordVec3){0, 0, 1}, 0.5 * CORD_PI);
    def.motions = motions, def.motion_count = 2;
    CordObstacleId id = add_obstacle(world, &def);
    run(world, 0.25, 2);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){1, 0, 1}), 1e-15);
    run(world, 0.25, 6);
    Pose pose = pose_of(world, id); // turned by three quarters in all, about itself
    CHECK_VEC3(pose.point, ((CordVec3){1, 0, 2}), 1e-15);
    CHECK_VEC3(quat_rotate(pose.rotation, (CordVec3){1, 0, 0}), ((CordVec3){0, -1, 0}), 1e-15);
    cord_world_destroy(world);
}

TEST(motions_and_keyframes_are_copied)
{
    Heap heap = {0};
    CordWorld* world = world_on(&heap);
    CordKeyframe keys[2] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}}, {1.0, {0, 4, 0}, {0, 0, 0, 1}}};
    CordObstacleId id = add_moving(world, cord_motion_keyframes(keys, 2));
    memset(keys, 0, sizeof keys);
    run(world, 0.25, 1);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){0, 1, 0}), 1e-15);
    cord_world_destroy(world);
    CHECK_INT(heap.held, 0);
}

TEST(one_that_is_made_later_is_where_its_motions_have_it_then)
{
    CordWorld* world = new_weightless_world();
    run(world, 0.25, 1);
    CordObstacleId id = add_moving(world, cord_motion_translate((CordVec3){4, 0, 0}, 0.0, 1.0));
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){1, 0, 0}), 1e-15);
    run(world, 0.25, 1);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){2, 0, 0}), 1e-15);
    cord_world_destroy(world);
}

TEST(many_steps_bring_it_where_single_ones_do)
{
    CordVec3 points[2];
    for (int many = 0; many < 2; many++) {
        CordWorld* world = new_weightless_world();
        add_line(world, 5);
        CordObstacleId id = add_moving(world, cord_motion_oscillate((CordVec3){1, 0, 0}, 1.0, 0.3));
        if (many) {
            CHECK_OK(cord_world_step_many(world, 1e-3, 37));
        } else {
            run(world, 1e-3, 37);
        }
        points[many] = pose_of(world, id).point;
        cord_world_destroy(world);
    }
    CHECK(points[0].x != 0.0);
    CHECK_VEC3(points[0], points[1], 0.0);
}

// ---- during a step

TEST(a_motion_is_followed_within_a_step)
{
    CordWorld* world = new_weightless_world();
    CordMotion motion = cord_motion_translate((CordVec3){1, 0, 0}, 0.0, 1.0);
    motion.ease = CORD_EASE_SMOOTH;
    Obstacle* o = inside(world, add_moving(world, motion));
    obstacles_begin_step(world, 0.0, 0.5);
    // the quintic at a quarter: 10/64 - 15/256 + 6/1024
    CHECK_NEAR(obstacle_pose_at(o, 0.25).point.x, 0.103515625, 1e-15);
    cord_world_destroy(world);
}

TEST(what_drives_it_takes_it_there_in_a_straight_line_over_the_next_step)
{
    CordWorld* world = new_weightless_world();
    CordObstacleDef def = cord_obstacle_def_default();
    def.position = (CordVec3){1, 0, 0};
    CordObstacleId id = add_obstacle(world, &def);
    Obstacle* o = inside(world, id);
    CHECK_OK(cord_obstacle_move(world, id, (CordVec3){0, 2, 0}, cord_quat_about((CordVec3){1, 0, 0}, 1.0)));
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){1, 0, 0}), 0.0); // not yet
    obstacles_begin_step(world, 0.0, 0.5);
    CHECK_VEC3(obstacle_pose_at(o, 0.0).point, ((CordVec3){1, 0, 0}), 0.0);
    Pose half = obstacle_pose_at(o, 0.25);
    CHECK_VEC3(half.point, ((CordVec3){1, 1, 0}), 1e-15);
    CHECK_NEAR(half.rotation.x, cord_sin(0.25), 1e-15); // half of one radian
    obstacles_rollback(world);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){1, 0, 0}), 0.0);
    run(world, 0.5, 1);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){1, 2, 0}), 0.0);
    CHECK_NEAR(pose_of(world, id).rotation.x, cord_sin(0.5), 1e-15);
    run(world, 0.5, 1); // and stays
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){1, 2, 0}), 0.0);
    cord_world_destroy(world);
}

TEST(a_jump_is_spread_over_the_step_that_it_falls_into)
{
    CordWorld* world = new_weightless_world();
    Obstacle* o = inside(world, add_moving(world, cord_motion_translate((CordVec3){1, 0, 0}, 0.1, 0.1)));
    obstacles_begin_step(world, 0.0, 0.5);
    CHECK_NEAR(obstacle_pose_at(o, 0.25).point.x, 0.5, 1e-15);
    CHECK_NEAR(obstacle_pose_at(o, 0.5).point.x, 1.0, 0.0);
    cord_world_destroy(world);
}

TEST(a_step_that_fails_leaves_it_where_it_was)
{
    CordWorld* world = new_weightless_world();
    CordRodDef rod = line_def(5);
    rod.velocity = (CordVec3){1e200, 0, 0};
    add_rod(world, &rod);
    CordObstacleId id = add_ground(world, 0.0);
    CHECK_OK(cord_obstacle_move(world, id, (CordVec3){0, 0, 1}, quat_identity()));
    CHECK(cord_world_step(world, 1.0) != CORD_OK);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){0, 0, 0}), 0.0);
    CHECK(!inside(world, id)->interpolates);
    cord_world_destroy(world);
}

TEST(a_move_that_is_none_is_refused)
{
    CordWorld* world = new_weightless_world();
    CordObstacleId id = add_ground(world, 0.0);
    const char* message = "an obstacle moves by a finite offset and a rotation that is not zero";
    CHECK_RESULT(cord_obstacle_move(world, id, (CordVec3){0, NAN, 0}, quat_identity()), CORD_BAD_ARGUMENT);
    CHECK_STR(cord_world_message(world), message);
    CHECK_RESULT(cord_obstacle_move(world, id, (CordVec3){0, 0, 0}, (CordQuat){0, 0, 0, 0}),
                 CORD_BAD_ARGUMENT);
    run(world, 0.1, 1);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){0, 0, 0}), 0.0);
    cord_world_destroy(world);
}

// ---- state

TEST(the_state_brings_back_where_it_is_and_what_drives_it)
{
    CordWorld* world = new_weightless_world();
    CordObstacleId id = add_moving(world, cord_motion_translate((CordVec3){1, 0, 0}, 0.0, 1.0));
    CHECK_OK(cord_obstacle_move(world, id, (CordVec3){0, 3, 0}, cord_quat_about((CordVec3){0, 0, 1}, 0.5)));
    run(world, 0.25, 1);
    inside(world, id)->force = (CordVec3){1, 2, 3};
    Saved state = save(world);
    Pose then = pose_of(world, id);
    CHECK_OK(cord_obstacle_move(world, id, (CordVec3){5, 5, 5}, quat_identity()));
    CHECK(cord_world_state_hash(world) != state.hash);
    run(world, 0.25, 2);
    inside(world, id)->force = (CordVec3){0, 0, 0};
    restore(world, &state);
    CHECK(pose_equals(pose_of(world, id), then));
    CHECK_VEC3(inside(world, id)->force, ((CordVec3){1, 2, 3}), 0.0);
    run(world, 0.25, 1);
    CHECK_VEC3(pose_of(world, id).point, ((CordVec3){0.5, 3, 0}), 1e-15);
    drop_saved(&state);
    cord_world_destroy(world);
}

TEST(a_state_fits_worlds_with_as_many_obstacles_alone)
{
    CordWorld *without = new_weightless_world(), *with = new_weightless_world();
    add_ground(with, 0.0);
    Saved less = save(without), more = save(with);
    CHECK(more.size > less.size);
    CHECK_RESULT(cord_world_state_set(with, less.bytes, less.size), CORD_BAD_STATE);
    CHECK_RESULT(cord_world_state_set(without, more.bytes, more.size), CORD_BAD_STATE);
    CHECK_OK(cord_obstacle_destroy(with, cord_world_obstacle(with, 0)));
    CHECK_INT(cord_world_state_size(with), less.size); // as if there had never been one
    drop_saved(&less), drop_saved(&more);
    cord_world_destroy(without);
    cord_world_destroy(with);
}

TEST_GROUP(world_obstacle)
