// Rigid bodies in scenes, what joins them to rods, and what joins rods to each other.
#include "scene_text.h"

#include "scene/scene.h"

#include <cordage/body.h>

#define TWO(keys)                                                                                            \
    "{'cordage': 1, 'rods': [{'name': 'a', " SOLID_ROD LINE_OF(                                              \
        "10") "}, {'name': 'b', " SOLID_ROD                                                                  \
              "'shape': {'line': {'from': [1, 0, 0], 'to': [1, 1, 0]}}, 'elements': 10}],\n" keys "}"
#define BALL "'shape': {'sphere': {'radius': 0.1}}"
#define BOB "'bodies': [{'name': 'bob', " BALL ", 'mass': 1, 'position': [1.1, 0, 0]}], "

// ---- bodies

TEST(every_key_of_a_body_arrives)
{
    CordScene* s = made(SCENE_WITH(
        "'bodies': [{'name': 'bob', " BALL ", 'mass': 2, 'inertia': [3, 4, 5], 'position': [1, 2, 3],"
        "'rotation': {'axis': [0, 0, 2], 'degrees': 90}, 'velocity': [4, 5, 6], 'spin': [7, 8, 9]},"
        "{'shape': {'box': {'size': [1, 2, 3]}}, 'density': 10,"
        "'inertia': [[5, 0.1, 0.2], [0.1, 6, 0.3], [0.2, 0.3, 7]]}], ",
        ""));
    CHECK_INT(s->body_count, 2);
    const CordBodyDef *a = &s->bodies[0].def, *b = &s->bodies[1].def;
    CHECK_STR(a->name, "bob");
    CHECK_NEAR(a->mass, 2.0, 0.0);
    CHECK_VEC3(a->position, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_NEAR(a->rotation.z, sqrt(0.5), 1e-15); // sin 45 degrees, to rounding
    CHECK_NEAR(a->rotation.w, sqrt(0.5), 1e-15);
    CHECK_VEC3(a->velocity, ((CordVec3){4, 5, 6}), 0.0);
    CHECK_VEC3(a->spin, ((CordVec3){7, 8, 9}), 0.0);
    const double moments[2][6] = {{3, 4, 5, 0, 0, 0}, {5, 6, 7, 0.1, 0.2, 0.3}}; // xx yy zz xy xz yz
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(a->inertia[i], moments[0][i], 0.0);
        CHECK_NEAR(b->inertia[i], moments[1][i], 0.0);
    }
    CHECK_STR(b->name, "body2");
    CHECK(isnan(b->mass)); // from the density
    CHECK_NEAR(b->density, 10.0, 0.0);
    CHECK_NEAR(b->rotation.w, 1.0, 0.0);
}

TEST(bodies_of_every_shape_are_read)
{
    const struct {
        const char* text;
        CordSolidShape shape;
        CordVec3 size;
    } cases[] = {
        {"'sphere': {'radius': 1}", CORD_SOLID_SPHERE, {1, 0, 0}},
        {"'box': {'size': [1, 2, 3]}", CORD_SOLID_BOX, {1, 2, 3}},
        {"'cylinder': {'radius': 1, 'length': 4}", CORD_SOLID_CYLINDER, {1, 0, 4}},
        {"'capsule': {'radius': 2, 'length': 5}", CORD_SOLID_CAPSULE, {2, 0, 5}},
        {"'cone': {'radius': 2, 'height': 5}", CORD_SOLID_CONE, {2, 0, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CordScene* s = made_from(SCENE_WITH("'bodies': [{'shape': {%s}, 'mass': 1}], ", ""), cases[i].text);
        CHECK_INT(s->bodies[0].def.solid.shape, cases[i].shape);
        CHECK_VEC3(s->bodies[0].def.solid.size, cases[i].size, 0.0);
        CHECK(isnan(s->bodies[0].def.inertia[0])); // from the shape
    }
}

// ---- welds

TEST(welds_are_read)
{
    CordScene* s = made(TWO(BOB "'welds': [{'rod': 'a', 'at': 'end', 'body': 'bob', 'offset': [-0.1, 0, 0]},"
                                "{'rod': 'b', 'at': {'node': 3}, 'fix': 'position'}, {'rod': 'b', 'at': "
                                "{'edge': 7}, 'fix': 'direction'}]"));
    CHECK_INT(s->weld_count, 3);
    CHECK_INT(s->welds[0].rod, 0);
    CHECK_INT(s->welds[0].body, 0);
    CHECK_INT(s->welds[0].def.fix, CORD_FIX_FRAME);
    CHECK_INT(s->welds[0].def.at.kind, CORD_AT_END);
    CHECK(s->welds[0].offset_at != NULL && s->welds[1].offset_at == NULL);
    CHECK_VEC3(s->welds[0].offset, ((CordVec3){-0.1, 0, 0}), 0.0);
    CHECK_INT(s->welds[1].rod, 1);
    CHECK_INT(s->welds[1].body, 0); // the only body
    CHECK_INT(s->welds[1].def.fix, CORD_FIX_POSITION);
    CHECK_INT(s->welds[2].def.fix, CORD_FIX_DIRECTION);
    CHECK_INT(s->welds[2].def.at.index, 7);
    CHECK(!s->rods[0].def.half_edge_start && s->rods[0].def.half_edge_end); // as a clamp there would make it
    CHECK(!s->rods[1].def.half_edge_start && !s->rods[1].def.half_edge_end);
}

// ---- joints

TEST(joints_are_read)
{
    CordScene* s = made(TWO(
        "'joints': [{'rods': [['a', 'end'], ['b', 'start']]},"
        "{'name': 'hook', 'kind': 'pin', 'rods': [['b', {'arc': 0.3}], ['a', {'node': 4}], ['b', 'end']]}]"));
    CHECK_INT(s->joint_count, 2);
    const SceneJoint *a = &s->joints[0], *b = &s->joints[1];
    CHECK_STR(a->def.name, "joint1");
    CHECK_INT(a->def.kind, CORD_JOINT_WELD);
    CHECK_INT(a->def.count, 2);
    CHECK_INT(a->rods[0], 0);
    CHECK_INT(a->rods[1], 1);
    CHECK_INT(a->def.at[0].kind, CORD_AT_END);
    CHECK_INT(a->def.at[1].kind, CORD_AT_START);
    CHECK_STR(b->def.name, "hook");
    CHECK_INT(b->def.kind, CORD_JOINT_PIN);
    CHECK_INT(b->def.count, 3);
    CHECK_INT(b->rods[0], 1);
    CHECK_NEAR(b->def.at[0].arc, 0.3, 0.0);
    CHECK_INT(b->def.at[1].index, 4);
    CHECK(s->rods[0].def.half_edge_end && s->rods[1].def.half_edge_start);
    CHECK(!s->rods[0].def.half_edge_start && !s->rods[1].def.half_edge_end); // a pin holds no direction
}

// ---- engines, and joints of bodies

#define DOOR "'bodies': [{'name': 'door', " BALL ", 'mass': 1}, {'name': 'knob', " BALL ", 'mass': 1}], "

TEST(joints_of_bodies_are_read)
{
    CordScene* s = made(
        SCENE_WITH("'engine': 'ode', " DOOR
                   "'body_joints': [{'kind': 'hinge', 'bodies': ['knob', 'door'], 'anchor': [1, 2, 3],"
                   "'axis': [0, 0, 1]}, {'kind': 'ball', 'bodies': ['door', 'world'], 'anchor': [4, 5, 6]},"
                   "{'kind': 'slider', 'bodies': ['door', 'world'], 'axis': [0, 1, 0]}, {'kind': 'fixed', "
                   "'bodies': ['door', 'knob']}], ",
                   ""));
    CHECK_STR(cord_scene_engine(s), "ode");
    CHECK_INT(cord_scene_body_joint_count(s), 4);
    const CordSceneBodyJoint *a = cord_scene_body_joint(s, 0), *b = cord_scene_body_joint(s, 1);
    CHECK_INT(a->kind, CORD_SCENE_JOINT_HINGE);
    CHECK_STR(a->bodies[0], "knob");
    CHECK_STR(a->bodies[1], "door");
    CHECK_VEC3(a->anchor, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_VEC3(a->axis, ((CordVec3){0, 0, 1}), 0.0);
    CHECK_INT(b->kind, CORD_SCENE_JOINT_BALL);
    CHECK(b->bodies[1] == NULL); // the world
    CHECK_INT(cord_scene_body_joint(s, 2)->kind, CORD_SCENE_JOINT_SLIDER);
    CHECK_INT(cord_scene_body_joint(s, 3)->kind, CORD_SCENE_JOINT_FIXED);
    CHECK(cord_scene_body_joint(s, 4) == NULL && cord_scene_body_joint(s, -1) == NULL);
}

static void check_engine(const char* text, const CordBodyEngine* engine, CordResult expected,
                         const char* notes)
{
    CordScene* s = made(text);
    CordWorldDef hooks = cord_world_def_default();
    CordWorld* world;
    hooks.engine = engine;
    CHECK_RESULT(cord_scene_build(s, &hooks, &world), expected);
    cord_world_destroy(world);
    CHECK_NOTED(s, notes);
}

TEST(an_engine_that_is_not_there_is_told)
{
    const CordBodyEngine other = {.name = "other"};
    const char* ode = SCENE_WITH("'engine': 'ode', ", "");
    const char* refusal = "1:26: error: engine is \"ode\", which is not in this build of Cordage; leave it "
                          "out to have free bodies\n";
    check_engine(ode, NULL, CORD_NOT_SUPPORTED, refusal);
    check_engine(ode, &other, CORD_NOT_SUPPORTED, refusal);
    check_engine(SCENE_WITH("'engine': 'free', ", ""), &other, CORD_OK, "");
}

static CordResult create_nothing(void* user, const CordBodyDef* def, void** body)
{
    (void)user, (void)def, (void)body;
    return CORD_NOT_SUPPORTED;
}

#define ONE_BODY "'bodies': [{'name': 'bob', " BALL ", 'mass': 1}], "

// An engine that makes no body tells by that which one was asked.
TEST(the_engine_is_the_scene_s_or_else_the_caller_s)
{
    const CordBodyEngine other = {.name = "other", .create = create_nothing},
                         ode = {.name = "ode", .create = create_nothing};
    check_engine(SCENE_WITH(ONE_BODY, ""), &other, CORD_NOT_SUPPORTED,
                 "1:27: error: bodies[0]: the engine 'other' cannot make body 'bob'\n");
    check_engine(SCENE_WITH("'engine': 'ode', " ONE_BODY, ""), &ode, CORD_NOT_SUPPORTED,
                 "1:44: error: bodies[0]: the engine 'ode' cannot make body 'bob'\n");
    check_engine(SCENE_WITH(ONE_BODY, ""), NULL, CORD_OK, "");
}

// ---- from the scene to the world

TEST(bodies_welds_and_joints_are_in_the_world)
{
    CordScene* s = made(TWO(
        BOB
        "'welds': [{'rod': 'b', 'at': 'end'}], 'joints': [{'name': 'corner', 'rods': [['a', 'end'], ['b', "
        "'start']]}],"
        "'loads': [{'force': {'body': 'bob', 'force': [0, 0, 1]}}],"
        "'probes': [{'body': 'bob', 'measure': 'position'}, {'rod': 'b', 'at': 'end', 'measure': 'force'}]"));
    CordWorld* world = built(s);
    CHECK_INT(cord_world_body_count(world), 2); // the joint is one
    CHECK_STR(cord_body_name(world, cord_world_body(world, 0)), "bob");
    CHECK_STR(cord_body_name(world, cord_world_body(world, 1)), "corner");
    CHECK_INT(cord_world_weld_count(world), 3); // two of them at the joint
    CHECK_INT(cord_world_probe_count(world), 2);
    double values[CORD_PROBE_MOST];
    CHECK_OK(cord_probe_read(world, cord_world_probe(world, 0), values));
    CHECK_NEAR(values[0], 1.1, 0.0);
    CHECK_OK(cord_world_step(world, 1e-5));
}

// A rod from the origin to (1, 0, 0) in ten elements, the last of which is half as long where a frame is
// welded there; a body at (1.1, 0, 0), turned by a quarter about z.
#define TURNED(weld)                                                                                         \
    SCENE_WITH("'bodies': [{'name': 'bob', " BALL ", 'mass': 1, 'position': [1.1, 0, 0], "                   \
               "'rotation': {'axis': [0, 0, 1], 'degrees': 90}}], 'welds': [{" weld "}], ",                  \
               "")

TEST(a_weld_sits_where_its_offset_says)
{
    const char* const right[] = {
        "'at': 'end', 'offset': [0, 0.1, 0]",                            // its y is -x in space
        "'at': 'start', 'offset': [0, 1.1, 0]",                          //
        "'at': {'node': 3}, 'fix': 'position', 'offset': [0, 0.8, 0]",   //
        "'at': {'edge': 3}, 'fix': 'direction', 'offset': [0, 0.75, 0]", // the edge's middle
        "'at': {'arc': 0.36}, 'fix': 'frame', 'offset': [0, 0.75, 0]",
        "'at': {'arc': 0.36}, 'fix': 'position', 'offset': [0, 0.7, 0]", // the nearest node
        "'at': {'arc': 0.34}, 'fix': 'position', 'offset': [0, 0.8, 0]",
        // within a millionth of the length
        "'at': {'arc': 0.34}, 'fix': 'position', 'offset': [0, 0.8000009, 0]",
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        CordScene* s = made_from(TURNED("%s"), right[i]);
        built(s);
        CHECK_NOTED(s, "");
    }
}

// ---- loads and probes

TEST(forces_and_probes_of_bodies_are_read)
{
    CordScene* s = made(SCENE_WITH(
        DOOR "'loads': [{'force': {'body': 'knob', 'force': [1, 2, 3]}}, {'torque': {'body': 'door', "
             "'torque': [7, 8, 9]}}],"
             "'probes': [{'body': 'knob', 'measure': 'frame'}, {'at': 'end', 'measure': 'position'}], ",
        ""));
    CHECK_INT(s->loads[0].body, 1);
    CHECK_INT(s->loads[0].rod, -1);
    CHECK_VEC3(s->loads[0].def.force, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_INT(s->loads[1].def.kind, CORD_LOAD_TORQUE);
    CHECK_INT(s->loads[1].body, 0);
    CHECK_VEC3(s->loads[1].def.torque, ((CordVec3){7, 8, 9}), 0.0);
    CHECK_INT(s->probes[0].body, 1);
    CHECK_INT(s->probes[0].rod, -1);
    CHECK_INT(s->probes[0].def.measure, CORD_MEASURE_FRAME);
    CHECK_INT(s->probes[1].body, -1);
    CHECK_INT(s->probes[1].rod, 0);
}

TEST_GROUP(scene_bodies)
