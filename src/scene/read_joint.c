// Joints: of rods with each other, and of bodies with each other.
#include "scene/utf8.h"
#include "scene/values.h"

#include <string.h>

// ---- rods

typedef struct JointKeys {
    SceneJoint joint;
    int kind;
    const JsonValue* rods;
} JointKeys;

static const Word kind_list[] = {{"weld", CORD_JOINT_WELD}, {"pin", CORD_JOINT_PIN}};
static const Words kind_words = WORDS("a joint of rods", kind_list);

// One rod of a joint: its name and the place on it.
static void read_joined(Reader* r, const JsonValue* entry, int index, void* user)
{
    SceneJoint* joint = user;
    if (entry->kind != JSON_ARRAY || entry->count != 2) {
        reader_error(r, entry, "is %s; a rod of a joint is its name and a place, such as [\"rope\", \"end\"]",
                     reader_describe(r, entry));
        return;
    }
    Path path = {r->path, NULL, 0};
    r->path = &path;
    joint->rods[index] = -1;
    read_rod(r, entry->first, &joint->rods[index]);
    path.index = 1;
    read_place(r, entry->first->next, &joint->def.at[index]);
    r->path = path.up;
}

static void read_joined_list(Reader* r, const JsonValue* value, void* target)
{
    SceneJoint* joint = target;
    if (value->kind == JSON_ARRAY && (value->count < 2 || value->count > CORD_JOINT_MOST)) {
        reader_error(r, value, "is a list of %u; a joint is of 2 to %d rods", value->count, CORD_JOINT_MOST);
        return;
    }
    if (read_list(r, value, "the rods of a joint are a list", read_joined, joint)) {
        joint->def.count = (int)value->count;
    }
}

static void joint_start(void* keys)
{
    JointKeys* joint = keys;
    *joint = (JointKeys){.joint = {.def = cord_joint_def_default()}};
    joint->kind = (int)joint->joint.def.kind;
}

static const Field joint_fields[] = {
    {FIELD("name", NAME, JointKeys, joint.def.name), .about = "Name in recordings.",
     .otherwise = "`joint1`, `joint2`, ..."},
    {FIELD("kind", WORD, JointKeys, kind),
     .about = "Kind of joint: with weld the edges keep their angles to each other, with pin they turn "
              "freely.",
     .words = &kind_words},
    {FIELD("rods", JOINED, JointKeys, rods), .about = "The name of each rod, and the place on it.",
     .needed = "which ends are joined, such as [[\"a\", \"end\"], [\"b\", \"start\"]]", .table = &table_place,
     .least = 2, .most = CORD_JOINT_MOST, .keep = true},
};
const Table table_joint = TABLE("joint", "a joint", joint_fields, .about = "A joint of rods with each other.",
                                .size = sizeof(JointKeys), .start = joint_start);

static void check_places(Reader* r, const SceneJoint* joint, const JsonValue* rods)
{
    bool pin = joint->def.kind == CORD_JOINT_PIN;
    const JsonValue* entry = rods->first;
    Path list, path = {&list, NULL, 0}, place = {&path, NULL, 1};
    reader_enter(r, &list, "rods");
    for (int i = 0; i < joint->def.count; i++, entry = entry->next) {
        path.index = i;
        r->path = &place;
        place_check(r, entry->first->next, joint->def.at[i], joint->rods[i],
                    pin ? PLACE_OF_NODE : PLACE_OF_EDGE, pin ? "a pin joins" : "a weld joins");
        r->path = &path;
        joined_count(r, entry, joint->rods[i]);
        if (!pin) {
            half_edge(r, entry, joint->def.at[i], joint->rods[i], "joins the end");
        }
    }
    reader_leave(r, &list);
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    JointKeys keys;
    joint_start(&keys);
    keys.joint.at = entry;
    keys.joint.def.name = pool_format(r->pool, "joint%d", index + 1);
    bool good = read_table(r, entry, &table_joint, &keys);
    keys.joint.def.kind = (CordJointKind)keys.kind;
    good = keys.rods && read_at(r, "rods", keys.rods, read_joined_list, &keys.joint) && good;
    if (good) {
        check_places(r, &keys.joint, keys.rods);
    }
    scene->joints[index] = keys.joint;
}

static const char* joint_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->joints[i].def.name;
}

static const JsonValue* joint_place(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->joints[i].at;
}

// Frames and recordings list joints among the bodies.
static void check_names(Reader* r)
{
    CordScene* scene = r->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        int body = name_index_find(&scene->body_index, scene->joints[i].def.name);
        if (body >= 0) {
            Path path = {r->path, NULL, i};
            r->path = &path;
            reader_error(r, scene->joints[i].at, "is called %s, and so is bodies[%d]; names must differ",
                         utf8_quote(scene->joints[i].def.name).text, body);
            r->path = path.up;
        }
    }
}

void read_joints(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    NameIndex index;
    scene->joints = value->kind == JSON_ARRAY ? pool_array(r->pool, SceneJoint, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->joints) {
        return;
    }
    read_list(r, value, "joints are a list", read_entry, scene);
    scene->joint_count = scene->joints ? (int)value->count : 0;
    if (name_index_make(r->pool, &index, joint_name, scene, scene->joint_count)) {
        names_check(r, "joints", &index, joint_place, scene);
        check_names(r);
    }
}

// ---- bodies

typedef struct BodyJointKeys {
    CordSceneBodyJoint joint;
    int kind;
    int bodies[2]; // -1: the world
} BodyJointKeys;

static const Word body_joint_list[] = {
    {"ball", CORD_SCENE_JOINT_BALL},
    {"hinge", CORD_SCENE_JOINT_HINGE},
    {"slider", CORD_SCENE_JOINT_SLIDER},
    {"fixed", CORD_SCENE_JOINT_FIXED},
};
static const Words body_joint_words = WORDS("a joint of bodies", body_joint_list);

// Two names, the second of which may be the world's.
static void read_pair_of_bodies(Reader* r, const JsonValue* value, void* target)
{
    int* bodies = target;
    if (value->kind != JSON_ARRAY || value->count != 2) {
        reader_error(r, value,
                     "is %s; a joint is of two bodies, such as [\"a\", \"b\"] or [\"a\", \"world\"]",
                     reader_describe(r, value));
        return;
    }
    const JsonValue* second = value->first->next;
    Path path = {r->path, NULL, 0};
    r->path = &path;
    read_body(r, value->first, &bodies[0]);
    path.index = 1;
    if (second->kind != JSON_STRING || strcmp(second->string, "world") != 0) {
        read_body(r, second, &bodies[1]);
    }
    r->path = path.up;
    if (bodies[0] >= 0 && bodies[0] == bodies[1]) {
        reader_error(r, value, "names one body twice; a joint is of two");
    }
}

static const Field body_joint_fields[] = {
    {FIELD("kind", WORD, BodyJointKeys, kind),
     .about = "Kind of joint: ball shares a point, hinge a point and an axis; slider slides along an axis; "
              "fixed makes one body of both.",
     .needed = "ball, hinge, slider or fixed", .words = &body_joint_words},
    {FIELD("bodies", STRINGS, BodyJointKeys, bodies),
     .about = "Names of the two bodies; the second may be \"world\".",
     .needed = "two names, such as [\"a\", \"world\"]", .least = 2, .most = 2, .read = read_pair_of_bodies},
    {FIELD("anchor", VECTOR, BodyJointKeys, joint.anchor), .about = "Common point of a ball or a hinge.",
     .otherwise = "needed for ball and hinge", .quantity = &quantity_position},
    {FIELD("axis", VECTOR, BodyJointKeys, joint.axis), .about = "Axis of a hinge or a slider.",
     .otherwise = "needed for hinge and slider", .quantity = &quantity_direction},
};
const Table table_body_joint = TABLE("body_joint", "a joint of bodies", body_joint_fields,
                                     .about = "A joint of bodies with each other.");

static void read_body_joint(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    BodyJointKeys keys = {.bodies = {-1, -1}};
    if (read_table(r, entry, &table_body_joint, &keys)) {
        bool anchored = keys.kind == CORD_SCENE_JOINT_BALL || keys.kind == CORD_SCENE_JOINT_HINGE;
        bool guided = keys.kind == CORD_SCENE_JOINT_HINGE || keys.kind == CORD_SCENE_JOINT_SLIDER;
        if (anchored && !json_member(entry, "anchor")) {
            reader_error(r, entry, "has no anchor; write the point where the bodies meet, in metres");
        }
        if (guided && !json_member(entry, "axis")) {
            reader_error(r, entry, "has no axis; write the direction it %s, such as [0, 0, 1]",
                         keys.kind == CORD_SCENE_JOINT_HINGE ? "turns about" : "slides along");
        }
    }
    for (int i = 0; i < 2; i++) {
        keys.joint.bodies[i] = keys.bodies[i] >= 0 ? scene->bodies[keys.bodies[i]].def.name : NULL;
    }
    keys.joint.kind = (CordSceneJointKind)keys.kind;
    scene->body_joints[index] = keys.joint;
}

void read_body_joints(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    scene->body_joints =
        value->kind == JSON_ARRAY ? pool_array(r->pool, CordSceneBodyJoint, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->body_joints) {
        return;
    }
    read_list(r, value, "body_joints are a list", read_body_joint, scene);
    scene->body_joint_count = scene->body_joints ? (int)value->count : 0;
    if (scene->body_joint_count > 0 && strcmp(scene->engine, "free") == 0) {
        reader_error(r, value, "need an engine that has joints; write \"engine\": \"ode\"");
    }
}
