// Joints: of rods with each other, and of bodies with each other.
#include "scene/values.h"

#include <string.h>

// ---- rods

typedef struct Joined { // a rod of a joint, and the place on it
    int rod;            // -1: not known
    CordPlace at;
} Joined;

typedef struct JointKeys {
    CordJointDef def;
    List rods; // Joined
} JointKeys;

static const Words kind_words = WORDS("a joint of rods", {"weld", CORD_JOINT_WELD}, {"pin", CORD_JOINT_PIN});

static void read_joined(Reader* r, const JsonValue* entry, int index, void* entries)
{
    Joined* joined = (Joined*)entries + index;
    joined->rod = -1;
    if (!check_list(r, entry, 2, 2,
                    "a rod of a joint is its name and a place, such as [\"rope\", \"end\"]")) {
        return;
    }
    read_rod(r, entry->first, &joined->rod);
    read_place(r, entry->first->next, &joined->at);
}

static void joint_start(void* keys)
{
    *(JointKeys*)keys = (JointKeys){.def = cord_joint_def_default()};
}

static const Field joint_fields[] = {
    {FIELD("name", NAME, JointKeys, def.name), .about = "Name in recordings.",
     .otherwise = "`joint1`, `joint2`, ..."},
    {FIELD("kind", WORD, JointKeys, def.kind),
     .about = "Kind of joint: with weld the edges keep their angles to each other, with pin they turn "
              "freely.",
     .words = &kind_words},
    {FIELD("rods", JOINED, JointKeys, rods), .about = "The name of each rod, and the place on it.",
     .needed = "which ends are joined, such as [[\"a\", \"end\"], [\"b\", \"start\"]]", .table = &table_place,
     .least = 2, .most = CORD_JOINT_MOST, ENTRIES(Joined, read_joined)},
};
const Table table_joint = TABLE("joint", "a joint", joint_fields, .about = "A joint of rods with each other.",
                                .size = sizeof(JointKeys), .start = joint_start);

static void check_places(Reader* r, const SceneJoint* joint, const JsonValue* rods)
{
    bool pin = joint->def.kind == CORD_JOINT_PIN;
    const JsonValue* entry = rods->first;
    for (int i = 0; i < joint->def.count; i++, entry = entry->next) {
        place_check(r, entry->first->next, joint->def.at[i], joint->rods[i],
                    pin ? PLACE_OF_NODE : PLACE_OF_EDGE, pin ? "a pin joins" : "a weld joins");
        joined_count(r, entry, joint->rods[i]);
        if (!pin) {
            half_edge(r, entry, joint->def.at[i], joint->rods[i], "joins the end");
        }
    }
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    SceneJoint* joint = (SceneJoint*)entries + index;
    JointKeys keys;
    joint_start(&keys);
    keys.def.name = pool_format(r->pool, "joint%d", index + 1);
    bool good = read_table(r, entry, &table_joint, &keys);
    const Joined* rods = keys.rods.entries;
    *joint = (SceneJoint){.def = keys.def, .at = entry};
    joint->def.count = keys.rods.count;
    for (int i = 0; i < keys.rods.count; i++) {
        joint->rods[i] = rods[i].rod;
        joint->def.at[i] = rods[i].at;
    }
    if (good) {
        check_places(r, joint, json_member(entry, "rods"));
    }
}

// Frames and recordings list joints among the bodies, so they must not have the same names.
static void check_names_of_bodies(Reader* r)
{
    const CordScene* scene = r->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        const char* name = scene->joints[i].def.name; // NULL: there was no memory for it
        int body = name ? name_index_find(&scene->body_index, name) : -1;
        if (body >= 0) {
            reader_error(r, scene->joints[i].at, "is called %s, and so is bodies[%d]; names must differ",
                         utf8_quote(name).text, body);
        }
    }
}

void read_joints(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    List joints = read_named(r, value, read_entry, NAMED_LIST(SceneJoint, def.name, NULL, 0), NULL);
    scene->joints = joints.entries;
    scene->joint_count = joints.count;
    check_names_of_bodies(r);
}

// ---- bodies

typedef struct BodyJointKeys {
    CordSceneBodyJoint joint;
    int bodies[2]; // -1: the world
} BodyJointKeys;

static const Words body_joint_words =
    WORDS("a joint of bodies", {"ball", CORD_SCENE_JOINT_BALL}, {"hinge", CORD_SCENE_JOINT_HINGE},
          {"slider", CORD_SCENE_JOINT_SLIDER}, {"fixed", CORD_SCENE_JOINT_FIXED});

// Reads the names of two bodies. The second may be "world".
static void read_pair_of_bodies(Reader* r, const JsonValue* value, void* target)
{
    int* bodies = target;
    if (!check_list(r, value, 2, 2,
                    "a joint is of two bodies, such as [\"a\", \"b\"] or [\"a\", \"world\"]")) {
        return;
    }
    const JsonValue* second = value->first->next;
    read_body(r, value->first, &bodies[0]);
    if (second->kind != JSON_STRING || strcmp(second->string, "world") != 0) {
        read_body(r, second, &bodies[1]);
    }
    if (bodies[0] >= 0 && bodies[0] == bodies[1]) {
        reader_error(r, value, "names one body twice; a joint is of two");
    }
}

static const Field body_joint_fields[] = {
    {FIELD("kind", WORD, BodyJointKeys, joint.kind),
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

static void read_body_joint(Reader* r, const JsonValue* entry, int index, void* entries)
{
    BodyJointKeys keys = {.bodies = {-1, -1}};
    CordSceneBodyJoint* joint = &keys.joint;
    if (read_table(r, entry, &table_body_joint, &keys)) {
        bool anchored = joint->kind == CORD_SCENE_JOINT_BALL || joint->kind == CORD_SCENE_JOINT_HINGE;
        bool guided = joint->kind == CORD_SCENE_JOINT_HINGE || joint->kind == CORD_SCENE_JOINT_SLIDER;
        if (anchored && !json_member(entry, "anchor")) {
            reader_error(r, entry, "has no anchor; write the point where the bodies meet, in metres");
        }
        if (guided && !json_member(entry, "axis")) {
            reader_error(r, entry, "has no axis; write the direction it %s, such as [0, 0, 1]",
                         joint->kind == CORD_SCENE_JOINT_HINGE ? "turns about" : "slides along");
        }
    }
    for (int i = 0; i < 2; i++) {
        joint->bodies[i] = keys.bodies[i] >= 0 ? r->scene->bodies[keys.bodies[i]].def.name : NULL;
    }
    ((CordSceneBodyJoint*)entries)[index] = *joint;
}

void read_body_joints(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    List joints;
    read_entries(r, value, read_body_joint, sizeof(CordSceneBodyJoint), &joints);
    scene->body_joints = joints.entries;
    scene->body_joint_count = joints.count;
    scene->body_joints_at = value;
    if (joints.count > 0 && strcmp(scene->engine, "free") == 0) {
        reader_error(r, value, "need an engine that has joints; write \"engine\": \"ode\"");
    }
}
