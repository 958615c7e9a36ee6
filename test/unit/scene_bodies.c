// Rigid bodies in scenes, what joins them to rods, and what joins rods to each other.
#include "scene_text.h"

#include "scene/scene.h"

#include <cordage/body.h>

#define ROD(name, from, to)                                                                                  \
    "{'name': '" name "', 'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, "                     \
    "'shape': {'line': {'from': " from ", 'to': " to "}}, 'elements': 10}"
#define TWO_RODS ROD("a", "[0, 0, 0]", "[1, 0, 0]") ", " ROD("b", "[1, 0, 0]", "[1, 1, 0]")
#define TWO(keys) "{'cordage': 1, 'rods': [" TWO_RODS "],\n" keys "}"
#define BALL "'shape': {'sphere': {'radius': 0.1}}"
#define BOB "'bodies': [{'name': 'bob', " BALL ", 'mass': 1, 'position': [1.1, 0, 0]}], "
#define CHECK_SCENE(keys, expected) CHECK_NOTES(SCENE_WITH("\n" keys ",\n", ""), "2:" expected "\n")
#define CHECK_BODY(keys, expected) CHECK_SCENE("'bodies': [{" keys "}]", expected)
#define CHECK_TWO(keys, expected) CHECK_NOTES(TWO(keys), "2:" expected "\n")

static CordScene* made(const char* text)
{
    SceneText s = scene_text(text, NULL);
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    CHECK_OK(s.result);
    free(notes);
    return s.scene;
}

// ---- bodies

TEST(every_key_of_a_body_arrives)
{
    CordScene* s =
        made(SCENE_WITH("'bodies': [{'name': 'bob', " BALL ", 'mass': 2, 'inertia': [3, 4, 5], 'position': [1, 2, 3],"
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
    cord_scene_destroy(s);
}

TEST(bodies_of_every_shape_are_read)
{
    const struct {
        const char* text;
        CordBodyShape shape;
        CordVec3 size;
    } cases[] = {
        {"'sphere': {'radius': 1}", CORD_BODY_SPHERE, {1, 0, 0}},
        {"'box': {'size': [1, 2, 3]}", CORD_BODY_BOX, {1, 2, 3}},
        {"'cylinder': {'radius': 1, 'length': 4}", CORD_BODY_CYLINDER, {1, 0, 4}},
        {"'capsule': {'radius': 2, 'length': 5}", CORD_BODY_CAPSULE, {2, 0, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text, SCENE_WITH("'bodies': [{'shape': {%s}, 'mass': 1}], ", ""), cases[i].text);
        CordScene* s = made(text);
        CHECK_INT(s->bodies[0].def.shape, cases[i].shape);
        CHECK_VEC3(s->bodies[0].def.size, cases[i].size, 0.0);
        CHECK(isnan(s->bodies[0].def.inertia[0])); // from the shape
        cord_scene_destroy(s);
    }
}

TEST(bodies_that_cannot_be_are_refused)
{
    CHECK_BODY("'mass': 1",
               "12: error: bodies[0] has no shape; write what it is, such as {\"sphere\": {\"radius\": 0.02}}");
    CHECK_BODY(BALL, "12: error: bodies[0] has neither mass nor density; write one: mass in kilograms, or density in kilograms per "
                     "cubic metre");
    CHECK_BODY(BALL ", 'mass': 1, 'density': 1",
               "12: error: bodies[0] has both mass and density; write one: mass in kilograms, or density in kilograms per cubic "
               "metre");
    CHECK_BODY(BALL ", 'mass': 0", "59: error: bodies[0].mass is 0; a mass is in kilograms and must be positive");
    CHECK_BODY("'mass': 1, 'shape': {'sphere': {'radius': 0}}",
               "55: error: bodies[0].shape.sphere.radius is 0; a radius is a length in metres and must be positive");
    CHECK_BODY("'mass': 1, 'shape': {'heart': {'radius': 1}}",
               "34: error: bodies[0].shape.heart is not a key of a body's shape; the keys are sphere, box, cylinder or capsule");
    CHECK_BODY("'mass': 1, 'shape': {'box': {'size': [1, 1, -1]}}",
               "57: error: bodies[0].shape.box.size[2] is -1; the widths of a box are in metres and must be positive");
    CHECK_BODY("'mass': 1, 'shape': {'capsule': {'radius': 1}}",
               "45: error: bodies[0].shape.capsule has no length; write it in metres");
    CHECK_BODY(BALL ", 'mass': 1, 'rotation': {'axis': [0, 0, 1]}",
               "74: error: bodies[0].rotation has none of its keys; give one: turns, degrees or angle");
    CHECK_NOTES(
        SCENE_WITH("\n'bodies': [{'name': 'x', " BALL ", 'mass': 1}, {'name': 'x', " BALL ", 'mass': 1}],\n", ""),
        "2:85: error: bodies[1].name is \"x\", and so is that of bodies[0]; names must differ\n");
    CHECK_SCENE("'bodies': {}", "11: error: bodies is an object; bodies are a list, in [ ]");
}

#define INERTIA(value) BALL ", 'mass': 1, 'inertia': " value

TEST(an_inertia_is_symmetric_and_positive)
{
    CHECK_BODY(INERTIA("[0, 0, 0]"),
               "74: error: bodies[0].inertia[0] is 0; a moment of inertia is in kilogram square metres and must be positive");
    CHECK_BODY(INERTIA("[1, 1]"),
               "73: error: bodies[0].inertia is a list of 2; an inertia is three moments, [xx, yy, zz], or three rows of three");
    CHECK_BODY(INERTIA("[[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]"),
               "73: error: bodies[0].inertia has 0.1 in row 1, column 2 and 0.2 in row 2, column 1; an inertia is symmetric");
    CHECK_BODY(INERTIA("[[1, 0, 0], [0, 1, 0.25], [0, -0.25, 1]]"),
               "73: error: bodies[0].inertia has 0.25 in row 2, column 3 and -0.25 in row 3, column 2; an inertia is symmetric");
    CHECK_BODY(INERTIA("[[1, 2, 0], [2, 1, 0], [0, 0, 1]]"),
               "73: error: bodies[0].inertia is not positive definite: about some axis it would turn with no inertia or less; products "
               "of inertia must be smaller than the moments");
    CHECK_BODY(INERTIA("[[1, 0, 0], [0, 0, 0], [0, 0, 1]]"),
               "89: error: bodies[0].inertia[1][1] is 0; a moment of inertia is in kilogram square metres and must be positive");
    CHECK_BODY(INERTIA("[[1, 0, 0], [0, 1], [0, 0, 1]]"),
               "85: error: bodies[0].inertia[1] is a list of 2; a row of an inertia is three numbers");
}

// ---- welds

TEST(welds_are_read)
{
    CordScene* s = made(TWO(
        BOB "'welds': [{'rod': 'a', 'at': 'end', 'body': 'bob', 'offset': [-0.1, 0, 0]},"
            "{'rod': 'b', 'at': {'node': 3}, 'fix': 'position'}, {'rod': 'b', 'at': {'edge': 7}, 'fix': 'direction'}]"));
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
    cord_scene_destroy(s);
}

TEST(welds_that_cannot_be_are_refused)
{
    CHECK_TWO(BOB "'welds': [{'rod': 'a', 'at': 'end', 'body': 'bub'}]",
              "148: error: welds[0].body is \"bub\", and no body has that name; did you mean \"bob\"?");
    CHECK_TWO("'welds': [{'rod': 'a', 'at': 'end', 'body': 'bob'}]",
              "45: error: welds[0].body is \"bob\", and no body has that name");
    CHECK_TWO("'welds': [{'rod': 'a', 'at': 'end'}]",
              "11: error: welds[0] has no body, and the scene has none either");
    CHECK_TWO(BOB "'welds': [{'rod': 'c', 'at': 'end'}]",
              "122: error: welds[0].rod is \"c\", and no rod has that name");
    CHECK_TWO(BOB "'welds': [{'at': 'end'}]",
              "114: error: welds[0] has no rod; write the name of one, since there are 2");
    CHECK_TWO(BOB "'welds': [{'rod': 'a'}]",
              "114: error: welds[0] has no at; write which place of the rod, such as \"end\"");
    CHECK_TWO(BOB "'welds': [{'rod': 'a', 'at': {'node': 2}}]",
              "133: error: welds[0].at is a node; a weld of the direction or frame holds an edge, so write {\"edge\": 2}");
    CHECK_TWO(BOB "'welds': [{'rod': 'a', 'at': {'edge': 2}, 'fix': 'position'}]",
              "133: error: welds[0].at is an edge; a weld of the position holds a node, so write {\"node\": 2}");
    CHECK_TWO(BOB "'welds': [{'rod': 'a', 'at': {'edge': 10}}]",
              "133: error: welds[0].at is edge 10; the rod has edges 0 to 9");
    CHECK_TWO(BOB "'welds': [{'rod': 'a', 'at': 'end', 'fix': 'turn'}]",
              "147: error: welds[0].fix is \"turn\"; what is fixed is \"position\", \"direction\" or \"frame\"");
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
    cord_scene_destroy(s);
}

#define ENDS "'rods': [['a', 'end'], ['b', 'start']]"

TEST(joints_that_cannot_be_are_refused)
{
    CHECK_TWO("'joints': [{}]",
              "12: error: joints[0] has no rods; write which ends are joined, such as [[\"a\", \"end\"], [\"b\", \"start\"]]");
    CHECK_TWO("'joints': [{'rods': [['a', 'end']]}]",
              "21: error: joints[0].rods is a list of 1; a joint is of 2 to 16 rods");
    CHECK_TWO("'joints': [{'rods': ['a', 'b']}]",
              "22: error: joints[0].rods[0] is \"a\"; a rod of a joint is its name and a place, such as [\"rope\", \"end\"]\n"
              "2:27: error: joints[0].rods[1] is \"b\"; a rod of a joint is its name and a place, such as [\"rope\", \"end\"]");
    CHECK_TWO("'joints': [{'rods': [['a', 'end'], ['c', 'start']]}]",
              "37: error: joints[0].rods[1][0] is \"c\", and no rod has that name");
    CHECK_TWO("'joints': [{'rods': [['a', 'end'], ['b', 'first']]}]",
              "42: error: joints[0].rods[1][1] is \"first\"; a place is \"start\", \"end\", {\"node\": 3}, {\"edge\": 3} or {\"arc\": 0.5} "
              "(metres)");
    CHECK_TWO("'joints': [{'rods': [['a', 'end'], ['b', {'node': 0}]]}]",
              "42: error: joints[0].rods[1][1] is a node; a weld joins an edge, so write {\"edge\": 0}");
    CHECK_TWO("'joints': [{'kind': 'pin', 'rods': [['a', 'end'], ['b', {'edge': 0}]]}]",
              "57: error: joints[0].rods[1][1] is an edge; a pin joins a node, so write {\"node\": 0}");
    CHECK_TWO("'joints': [{'kind': 'glue', " ENDS "}]",
              "21: error: joints[0].kind is \"glue\"; a joint of rods is \"weld\" or \"pin\"");
    CHECK_TWO("'joints': [{'name': 'j', " ENDS "}, {'name': 'j', 'rods': [['a', 'start'], ['b', 'end']]}]",
              "76: error: joints[1].name is \"j\", and so is that of joints[0]; names must differ");
    CHECK_TWO(BOB "'joints': [{'name': 'bob', " ENDS "}]",
              "115: error: joints[0] is called \"bob\", and so is bodies[0]; names must differ");
}

// ---- engines, and joints of bodies

#define DOOR "'bodies': [{'name': 'door', " BALL ", 'mass': 1}, {'name': 'knob', " BALL ", 'mass': 1}], "

TEST(joints_of_bodies_are_read)
{
    CordScene* s = made(SCENE_WITH(
        "'engine': 'ode', " DOOR "'body_joints': [{'kind': 'hinge', 'bodies': ['knob', 'door'], 'anchor': [1, 2, 3],"
        "'axis': [0, 0, 1]}, {'kind': 'ball', 'bodies': ['door', 'world'], 'anchor': [4, 5, 6]},"
        "{'kind': 'slider', 'bodies': ['door', 'world'], 'axis': [0, 1, 0]}, {'kind': 'fixed', 'bodies': ['door', 'knob']}], ",
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
    cord_scene_destroy(s);
}

#define CHECK_JOINT(keys, expected)                                                                          \
    CHECK_NOTES(SCENE_WITH("'engine': 'ode', " DOOR "\n'body_joints': [{" keys "}],\n", ""), "2:" expected "\n")

TEST(joints_of_bodies_that_cannot_be_are_refused)
{
    CHECK_JOINT("'bodies': ['door', 'world']",
                "17: error: body_joints[0] has no kind; write ball, hinge, slider or fixed");
    CHECK_JOINT("'kind': 'ball', 'bodies': ['door', 'world']",
                "17: error: body_joints[0] has no anchor; write the point where the bodies meet, in metres");
    CHECK_JOINT("'kind': 'slider', 'bodies': ['door', 'world']",
                "17: error: body_joints[0] has no axis; write the direction it slides along, such as [0, 0, 1]");
    CHECK_JOINT("'kind': 'fixed', 'bodies': ['door', 'dor']",
                "54: error: body_joints[0].bodies[1] is \"dor\", and no body has that name; did you mean \"door\"?");
    CHECK_JOINT("'kind': 'fixed', 'bodies': ['door', 'door']",
                "45: error: body_joints[0].bodies names one body twice; a joint is of two");
    CHECK_JOINT("'kind': 'fixed', 'bodies': ['door']",
                "45: error: body_joints[0].bodies is a list of 1; a joint is of two bodies, such as [\"a\", \"b\"] or [\"a\", \"world\"]");
    CHECK_NOTES(SCENE_WITH(DOOR "\n'body_joints': [{'kind': 'fixed', 'bodies': ['door', 'world']}],\n", ""),
                "2:16: error: body_joints need an engine that has joints; write \"engine\": \"ode\"\n");
    CHECK_SCENE("'engine': 'od'",
                "11: error: engine is \"od\"; an engine is \"free\" or \"ode\"; did you mean \"ode\"?");
}

static CordResult build_with(const char* text, const CordBodyEngine* engine, char* notes, size_t size)
{
    SceneText s = scene_text(text, NULL);
    CordWorldDef hooks = cord_world_def_default();
    CordWorld* world;
    hooks.engine = engine;
    CordResult result = cord_scene_build(s.scene, &hooks, &world);
    char* all = scene_text_notes(s.scene);
    snprintf(notes, size, "%s", all);
    free(all);
    cord_world_destroy(world);
    cord_scene_destroy(s.scene);
    return result;
}

TEST(an_engine_that_is_not_there_is_told)
{
    const CordBodyEngine other = {.name = "other"};
    const char* refusal =
        "1:26: error: engine is \"ode\", which is not in this build of Cordage; leave it out to have free bodies\n";
    char notes[300];
    CHECK_RESULT(build_with(SCENE_WITH("'engine': 'ode', ", ""), NULL, notes, sizeof notes), CORD_NOT_SUPPORTED);
    CHECK_STR(notes, refusal);
    CHECK_RESULT(build_with(SCENE_WITH("'engine': 'ode', ", ""), &other, notes, sizeof notes), CORD_NOT_SUPPORTED);
    CHECK_STR(notes, refusal);
    CHECK_OK(build_with(SCENE_WITH("'engine': 'free', ", ""), &other, notes, sizeof notes));
    CHECK_STR(notes, "");
}

static CordResult create_nothing(void* user, const CordBodyDef* def, void** body)
{
    (void)user, (void)def, (void)body;
    return CORD_NOT_SUPPORTED;
}

// An engine that makes no body tells by that which one was asked.
TEST(the_engine_is_the_scene_s_or_else_the_caller_s)
{
    const CordBodyEngine other = {.name = "other", .create = create_nothing},
                         ode = {.name = "ode", .create = create_nothing};
    const char* body = "'bodies': [{'name': 'bob', " BALL ", 'mass': 1}], ";
    char text[2][600], notes[300];
    snprintf(text[0], sizeof text[0], SCENE_WITH("%s", ""), body);
    snprintf(text[1], sizeof text[1], SCENE_WITH("'engine': 'ode', %s", ""), body);
    CHECK_RESULT(build_with(text[0], &other, notes, sizeof notes), CORD_NOT_SUPPORTED);
    CHECK_STR(notes, "1:27: error: bodies[0]: the engine 'other' cannot make body 'bob'\n");
    CHECK_RESULT(build_with(text[1], &ode, notes, sizeof notes), CORD_NOT_SUPPORTED);
    CHECK_STR(notes, "1:44: error: bodies[0]: the engine 'ode' cannot make body 'bob'\n");
    CHECK_OK(build_with(text[0], NULL, notes, sizeof notes));
}

// ---- from the scene to the world

TEST(bodies_welds_and_joints_are_in_the_world)
{
    CordScene* s = made(TWO(
        BOB "'welds': [{'rod': 'b', 'at': 'end'}], 'joints': [{'name': 'corner', 'rods': [['a', 'end'], ['b', 'start']]}],"
            "'loads': [{'force': {'body': 'bob', 'force': [0, 0, 1]}}],"
            "'probes': [{'body': 'bob', 'measure': 'position'}, {'rod': 'b', 'at': 'end', 'measure': 'force'}]"));
    CordWorld* world;
    CHECK_OK(cord_scene_build(s, NULL, &world));
    CHECK_INT(cord_world_body_count(world), 2); // the joint is one
    CHECK_STR(cord_body_name(world, cord_world_body(world, 0)), "bob");
    CHECK_STR(cord_body_name(world, cord_world_body(world, 1)), "corner");
    CHECK_INT(cord_world_weld_count(world), 3); // two of them at the joint
    CHECK_INT(cord_world_probe_count(world), 2);
    double values[CORD_PROBE_MOST];
    CHECK_OK(cord_probe_read(world, cord_world_probe(world, 0), values));
    CHECK_NEAR(values[0], 1.1, 0.0);
    CHECK_OK(cord_world_step(world, 1e-5));
    cord_world_destroy(world);
    cord_scene_destroy(s);
}

static void check_refused(const char* text, const char* expected)
{
    SceneText s = scene_text(text, NULL);
    CordWorld* world = NULL;
    CordResult result = s.result == CORD_OK ? cord_scene_build(s.scene, NULL, &world) : s.result;
    char* all = scene_text_notes(s.scene);
    char notes[1000];
    snprintf(notes, sizeof notes, "%s", all);
    free(all);
    cord_world_destroy(world);
    cord_scene_destroy(s.scene);
    CHECK(result == CORD_BAD_FILE || result == CORD_BAD_ARGUMENT || result == CORD_NOT_SUPPORTED);
    CHECK_STR(notes, expected);
}

// The world's own words, with the place in the text that asked for it.
TEST(what_cannot_be_joined_is_told_by_line_and_column)
{
    check_refused(
        TWO("'joints': [{'rods': [['a', 'end'], ['b', 'start']]},\n {'name': 'loop', 'rods': [['b', 'end'], ['a', 'start']]}]"),
        "3:2: error: joints[1]: joint 'loop': rod 'a' is 1.41 m away from rod 'b' where they are to be joined, so that they "
        "cannot close; move them together\n");
    check_refused(TWO("'bodies': [\n {'name': 'bob', " BALL ", 'mass': 1, 'inertia': [1, 1, 9]}]"),
                  "3:78: error: bodies[0]: the inertia of body 'bob' has principal moments 1, 1 and 9 kg m^2; none can be larger than the "
                  "other two together\n");
    check_refused(
        TWO("'clamps': [{'rod': 'a', 'at': {'arc': 0.5}},\n {'rod': 'a', 'at': {'arc': 0.51}}]"),
        "3:2: error: clamps[1]: node 5 of rod 'a' is held by another clamp already; choose another place, or leave one of them out\n");
    check_refused(
        TWO("'clamps': [{'rod': 'a', 'at': {'arc': 1}}], 'joints': [\n {'name': 'knee', 'rods': [['a', 'end'], ['b', 'start']]}]"),
        "3:2: error: joints[0]: joint 'knee': node 10 of rod 'a' is held by another clamp already; choose another place, or leave one "
        "of them out\n");
}

// By the reader, which names both and their lines. A joint or weld holds both nodes of its edge; one free node is left beside it.
TEST(what_is_held_twice_is_told_by_both_its_holders)
{
    check_refused(TWO(BOB "'welds': [{'rod': 'a', 'at': 'end'},\n {'rod': 'a', 'at': {'edge': 9}}]"),
                  "3:2: error: welds[1] holds node 9 of rod \"a\", which welds[0] (line 2) holds already; leave one of them out, or put "
                  "them an edge apart: a weld of the frame holds both nodes of its edge\n");
    check_refused(TWO(BOB "'clamps': [{'rod': 'a', 'at': {'node': 10}}], 'welds': [\n {'rod': 'a', 'at': 'end'}]"),
                  "3:2: error: welds[0] holds node 10 of rod \"a\", which clamps[0] (line 2) holds already; a body moves with its rod "
                  "only where that is not clamped: weld it elsewhere, or leave the clamp out\n");
    check_refused(
        TWO("'clamps': [{'rod': 'b', 'at': {'node': 0}}], 'joints': [\n {'rods': [['a', 'end'], ['b', 'start']]}]"),
        "3:2: error: joints[0] joins node 0 of rod \"b\", which clamps[0] (line 2) holds already; a joint may not be clamped: "
        "clamp the rod beside it, at {\"node\": 3}, say\n");
    check_refused(
        TWO("'clamps': [{'rod': 'a', 'at': {'node': 10}}], 'joints': [\n {'kind': 'pin', 'rods': [['a', 'end'], ['b', 'start']]}]"),
        "3:2: error: joints[0] joins node 10 of rod \"a\", which clamps[0] (line 2) holds already; a joint may not be clamped: "
        "clamp the rod beside it, at {\"node\": 8}, say\n");
    check_refused(
        TWO(BOB "'welds': [{'rod': 'a', 'at': 'end'}], 'joints': [\n {'rods': [['a', 'end'], ['b', 'start']]}]"),
        "3:2: error: joints[0] joins node 9 of rod \"a\", which welds[0] (line 2) holds already; weld the body to the rod beside "
        "the joint, at {\"edge\": 6}, say\n");
    check_refused(
        TWO("'joints': [{'rods': [['a', 'end'], ['b', 'start']]},\n {'rods': [['b', {'edge': 1}], ['a', 'start']]}]"),
        "3:2: error: joints[1] joins node 1 of rod \"b\", which joints[0] (line 2) joins already; name all rods that meet there "
        "in one joint\n");
    check_refused(
        TWO("'joints': [\n {'rods': [['a', 'end'], ['a', {'edge': 8}]]}]"),
        "3:2: error: joints[0] names node 9 of rod \"a\" twice; a joint is of places that are apart along the rod\n");
}

// A rod from the origin to (1, 0, 0) in ten elements, the last of which is half as long where a frame is welded there; a body at
// (1.1, 0, 0), turned by a quarter about z.
#define TURNED(weld)                                                                                                \
    "{'cordage': 1, 'rods': [" ROD(                                                                                 \
        "a", "[0, 0, 0]",                                                                                           \
        "[1, 0, 0]") "], 'bodies': [{'name': 'bob', " BALL ", 'mass': 1,"                                           \
                     "'position': [1.1, 0, 0], 'rotation': {'axis': [0, 0, 1], 'degrees': 90}}],\n'welds': [{" weld \
                     "}]}"

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
        "'at': {'arc': 0.34}, 'fix': 'position', 'offset': [0, 0.8000009, 0]", // within a millionth of the length
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char text[800];
        snprintf(text, sizeof text, TURNED("%s"), right[i]);
        CordScene* s = made(text);
        CordWorld* world;
        CordResult result = cord_scene_build(s, NULL, &world);
        if (result != CORD_OK) {
            check_fail(__FILE__, __LINE__, "%s: %s", right[i], cord_scene_note(s, 0).text);
        }
        cord_world_destroy(world);
        cord_scene_destroy(s);
    }
    check_refused(TURNED("'at': 'end', 'offset': [0.1, 0, 0]"),
                  "2:35: error: welds[0].offset is at (1.1, 0.1, 0) on body \"bob\", and the welded point of rod \"a\" is at (1, 0, 0); move "
                  "the body to (1, -0.1, 0), or leave offset out\n");
    check_refused(TURNED("'at': {'arc': 0.34}, 'fix': 'position', 'offset': [0, 0.800002, 0]"),
                  "2:62: error: welds[0].offset is at (0.299998, 0, 0) on body \"bob\", and the welded point of rod \"a\" is at (0.3, 0, 0); "
                  "move the body to (1.100002, 0, 0), or leave offset out\n");
}

// ---- loads and probes

TEST(forces_and_probes_of_bodies_are_read)
{
    CordScene* s = made(SCENE_WITH(
        DOOR "'loads': [{'force': {'body': 'knob', 'force': [1, 2, 3], 'torque': [4, 5, 6]}}, {'force': {'body': 'door', 'torque': [7, 8, 9]}}],"
             "'probes': [{'body': 'knob', 'measure': 'frame'}, {'at': 'end', 'measure': 'position'}], ",
        ""));
    CHECK_INT(s->loads[0].body, 1);
    CHECK_INT(s->loads[0].rod, -1);
    CHECK_VEC3(s->loads[0].def.force, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_VEC3(s->loads[0].def.torque, ((CordVec3){4, 5, 6}), 0.0);
    CHECK_INT(s->loads[1].body, 0);
    CHECK_VEC3(s->loads[1].def.torque, ((CordVec3){7, 8, 9}), 0.0);
    CHECK_INT(s->probes[0].body, 1);
    CHECK_INT(s->probes[0].rod, -1);
    CHECK_INT(s->probes[0].def.measure, CORD_MEASURE_FRAME);
    CHECK_INT(s->probes[1].body, -1);
    CHECK_INT(s->probes[1].rod, 0);
    cord_scene_destroy(s);
}

TEST(forces_and_probes_of_bodies_that_cannot_be_are_refused)
{
    CHECK_NOTES(SCENE_WITH(DOOR "\n'loads': [{'force': {'body': 'door', 'at': 'end', 'force': [0, 0, 1]}}],\n", ""),
                "2:21: error: loads[0].force is on a body, at its centre; leave out rod and at\n");
    CHECK_NOTES(SCENE_WITH(DOOR "\n'loads': [{'force': {'body': 'door'}}],\n", ""),
                "2:21: error: loads[0].force has neither force nor torque; write one in newtons, or newton metres\n");
    CHECK_NOTES(SCENE_WITH(DOOR "\n'probes': [{'body': 'door', 'rod': 'rope', 'measure': 'energy'}],\n", ""),
                "2:12: error: probes[0] measures a body; leave out rod and at\n");
    CHECK_NOTES(SCENE_WITH(DOOR "\n'probes': [{'body': 'door', 'measure': 'tension'}],\n", ""),
                "2:12: error: probes[0] measures the tension of a body; a body has position, velocity, frame, energy and momentum\n");
    CHECK_NOTES(SCENE_WITH(DOOR "\n'probes': [{'body': 'dor', 'measure': 'energy'}],\n", ""),
                "2:21: error: probes[0].body is \"dor\", and no body has that name; did you mean \"door\"?\n");
}

TEST_MAIN(every_key_of_a_body_arrives, bodies_of_every_shape_are_read, bodies_that_cannot_be_are_refused,
          an_inertia_is_symmetric_and_positive, welds_are_read, welds_that_cannot_be_are_refused,
          joints_are_read, joints_that_cannot_be_are_refused, joints_of_bodies_are_read,
          joints_of_bodies_that_cannot_be_are_refused, an_engine_that_is_not_there_is_told,
          the_engine_is_the_scene_s_or_else_the_caller_s, bodies_welds_and_joints_are_in_the_world,
          what_cannot_be_joined_is_told_by_line_and_column, what_is_held_twice_is_told_by_both_its_holders,
          a_weld_sits_where_its_offset_says, forces_and_probes_of_bodies_are_read,
          forces_and_probes_of_bodies_that_cannot_be_are_refused)
