// The scene as a whole: its top-level keys, in an order that lets later parts refer to earlier ones.
#include "scene/held.h"

#include <math.h>
#include <string.h>

// ---- time

static const Quantity quantity_step = {
    .what = "a time step is in seconds", .unit = "s", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};
static const Quantity quantity_fps = {
    .what = "fps counts recorded frames per simulated second", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e6)};

static const Word step_list[] = {{"auto", 0}};
static const Words step_words = WORDS("a time step", step_list);

static void read_step(Reader* r, const JsonValue* value, void* step)
{
    if (value->kind == JSON_STRING && strcmp(value->string, "auto") == 0) {
        *(double*)step = 0.0;
    } else if (value->kind == JSON_STRING) {
        reader_error(r, value, "is %s; a time step is \"auto\" or a number of seconds",
                     reader_describe(r, value));
    } else {
        read_number(r, value, &quantity_step, step);
    }
}

static void time_start(void* keys)
{
    *(CordSceneRun*)keys = (CordSceneRun){.end = 5.0, .fps = 60.0};
}

static const Field time_fields[] = {
    {FIELD("step", WORD_OR_NUMBER, CordSceneRun, step), .about = "Time step; \"auto\" chooses a stable one.",
     .otherwise = "`\"auto\"`", .quantity = &quantity_step, .words = &step_words, .read = read_step},
    {FIELD("end", NUMBER, CordSceneRun, end), .about = "Time at which the run ends.",
     .quantity = &quantity_time},
    {FIELD("fps", NUMBER, CordSceneRun, fps), .about = "Recorded frames per simulated second.",
     .quantity = &quantity_fps},
};
static const Table table_time = TABLE("time", "a time", time_fields, .about = "The time of a run.",
                                      .size = sizeof(CordSceneRun), .start = time_start);

// ---- camera

static const Quantity quantity_fov = {.what = "fov is the vertical field of view in degrees",
                                      .unit = "degrees",
                                      QUANTITY_POSITIVE,
                                      QUANTITY_UP_TO(170)};
static const Quantity quantity_scale = {
    .what = "radius_scale is a factor", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e6)};
static const Quantity quantity_height = {.what = "the ground's height is in metres", QUANTITY_ANY};

static void read_fov(Reader* r, const JsonValue* value, void* target)
{
    double degrees;
    if (read_number(r, value, &quantity_fov, &degrees)) {
        *(double*)target = CORD_PI / 180.0 * degrees;
    }
}

static void read_ground(Reader* r, const JsonValue* value, void* target)
{
    CordSceneCamera* camera = target;
    camera->has_ground = true;
    if (value->kind == JSON_BOOL) {
        camera->ground = value->truth;
    } else if (value->kind == JSON_NUMBER) {
        camera->ground = read_number(r, value, &quantity_height, &camera->ground_height);
    } else {
        reader_error(r, value, "is %s; write true, false, or the floor's height in metres",
                     reader_describe(r, value));
    }
}

static const Field camera_fields[] = {
    {FIELD("from", VECTOR, CordSceneCamera, eye), .about = "Position of the camera; give target as well.",
     .otherwise = "chosen to fit", .quantity = &quantity_position},
    {FIELD("target", VECTOR, CordSceneCamera, target),
     .about = "Point that the camera looks at; give from as well.", .otherwise = "chosen to fit",
     .quantity = &quantity_position},
    {FIELD("up", VECTOR, CordSceneCamera, up), .about = "Direction that is up in pictures.",
     .otherwise = "`[0, 0, 1]`", .quantity = &quantity_direction},
    {FIELD("fov", NUMBER, CordSceneCamera, field_of_view), .about = "Vertical field of view.",
     .otherwise = "that of the renderer", .quantity = &quantity_fov, .read = read_fov},
    {FIELD("radius_scale", NUMBER, CordSceneCamera, radius_scale),
     .about = "Factor by which rods are drawn thicker than they are.", .otherwise = "1",
     .quantity = &quantity_scale},
    {WHOLE("ground", BOOL_OR_NUMBER), .about = "A floor: true, false, or its height z in metres.",
     .otherwise = "as the renderer is told", .quantity = &quantity_height, .read = read_ground},
};
static const Table table_camera =
    TABLE("camera", "a camera", camera_fields,
          .about = "Where pictures are taken from. What is left out is chosen to fit the scene.");

static void read_camera(Reader* r, const JsonValue* value, void* target)
{
    CordSceneCamera* camera = target;
    if (!read_table(r, value, &table_camera, camera)) {
        return;
    }
    bool from = json_member(value, "from") != NULL, to = json_member(value, "target") != NULL;
    if (from != to) {
        reader_error(r, value, "has %s alone; write both from and target", from ? "from" : "target");
    } else if (from && cord_vec3_equal(camera->eye, camera->target)) {
        reader_error(r, value, "looks from a point to the same point; from and target must be apart");
    }
}

// ---- the scene

typedef struct SceneKeys {
    const char* schema;
    const char* title;
    int version;
    CordVec3 gravity;
    CordSceneRun run;
    CordSceneCamera camera;
    int engine;
    const JsonValue *materials, *rods, *clamps, *bodies, *welds, *joints, *body_joints, *obstacles, *contact,
        *surfaces, *loads, *probes, *solve;
} SceneKeys;

static const Quantity quantity_version = {
    .what = "\"cordage\" is the version of the format", .must = "be 1", .low = 1, .high = 1};
static const Quantity quantity_gravity = {
    .what = "gravity is in metres per second squared", .unit = "m/s^2", QUANTITY_ANY};

enum { ENGINE_FREE, ENGINE_ODE };
static const Word engine_list[] = {{"free", ENGINE_FREE}, {"ode", ENGINE_ODE}};
static const Words engine_words = WORDS("an engine", engine_list);

static void scene_start(void* keys)
{
    const CordVec3 not_given = {NAN, NAN, NAN};
    SceneKeys* scene = keys;
    *scene = (SceneKeys){.title = "",
                         .gravity = cord_world_def_default().gravity,
                         .camera = {not_given, not_given, not_given, NAN, NAN, false, false, NAN}};
    time_start(&scene->run);
}

static const Field scene_fields[] = {
    {FIELD("$schema", STRING, SceneKeys, schema), .about = "Address of this schema, for editors.",
     .what = "the schema's address is text"},
    {FIELD("cordage", COUNT, SceneKeys, version), .about = "Version of the scene format.",
     .needed = "\"cordage\": 1, the version of the format", .quantity = &quantity_version},
    {FIELD("title", STRING, SceneKeys, title), .about = "What the scene shows, in a few words.",
     .what = "a title is text"},
    {FIELD("gravity", VECTOR, SceneKeys, gravity), .about = "Acceleration of gravity.",
     .quantity = &quantity_gravity},
    {FIELD("time", OBJECT, SceneKeys, run),
     .about = "How long the scene runs, with which time step, and how often it is recorded.",
     .table = &table_time},
    {FIELD("materials", MAP, SceneKeys, materials),
     .about = "The scene's own materials, by name. A name that comes with Cordage starts from that "
              "material's values.",
     .table = &table_material, .keep = true},
    {FIELD("rods", LIST, SceneKeys, rods), .about = "The rods of the scene.",
     .needed = "a list with at least one rod", .table = &table_rod, .least = 1, .keep = true},
    {FIELD("clamps", LIST, SceneKeys, clamps), .about = "What holds the rods and moves them.",
     .table = &table_clamp, .keep = true},
    {FIELD("engine", WORD, SceneKeys, engine),
     .about = "What moves the rigid bodies. \"free\" is built in and does not let bodies touch each other; "
              "\"ode\" knows contact and joints between bodies.",
     .words = &engine_words},
    {FIELD("bodies", LIST, SceneKeys, bodies), .about = "Rigid bodies.", .table = &table_body, .keep = true},
    {FIELD("welds", LIST, SceneKeys, welds), .about = "Joins of rods to bodies.", .table = &table_weld,
     .keep = true},
    {FIELD("joints", LIST, SceneKeys, joints), .about = "Joins of rods to each other.", .table = &table_joint,
     .keep = true},
    {FIELD("body_joints", LIST, SceneKeys, body_joints),
     .about = "Joins of bodies to each other; they need the engine \"ode\".", .table = &table_body_joint,
     .keep = true},
    {FIELD("obstacles", LIST, SceneKeys, obstacles),
     .about = "Solids that rods touch and cannot pass. A scene with obstacles has contact.",
     .table = &table_obstacle, .most = MOST_OBSTACLES, .keep = true},
    {FIELD("surfaces", LIST, SceneKeys, surfaces),
     .about = "Surfaces of triangles that follow a rod in pictures and exports.", .table = &table_surface,
     .most = MOST_SURFACES, .keep = true},
    {FIELD("contact", BOOL_OR_OBJECT, SceneKeys, contact),
     .about = "Contact of rods with themselves, other rods, bodies and obstacles: settings, true or false.",
     .otherwise = "on if the scene has obstacles", .table = &table_contact, .keep = true},
    {FIELD("loads", LIST, SceneKeys, loads), .about = "Forces, torques, springs, drag and wind.",
     .table = &table_load, .keep = true},
    {FIELD("probes", LIST, SceneKeys, probes), .about = "Quantities that are measured in every step.",
     .table = &table_probe, .keep = true},
    {FIELD("solve", OBJECT, SceneKeys, solve), .about = "Equilibria that `cordage solve` computes.",
     .otherwise = "from the start to the end of time", .table = &table_solve, .keep = true},
    {FIELD("camera", OBJECT, SceneKeys, camera), .about = "Hints for pictures.", .otherwise = "chosen to fit",
     .table = &table_camera, .read = read_camera},
};
const Table table_scene =
    TABLE("scene", "a scene", scene_fields,
          .about = "A scene: its rods, what holds them, and what acts on them. All values are in SI units.",
          .size = sizeof(SceneKeys), .start = scene_start);

// Parts in an order that lets later ones refer to earlier ones, whatever their order in the text.
static void read_parts(Reader* r, const SceneKeys* keys)
{
    const struct {
        const char* key;
        const JsonValue* value;
        void (*read)(Reader* r, const JsonValue* value, void* scene);
    } parts[] = {
        {"clamps", keys->clamps, read_clamps},
        {"bodies", keys->bodies, read_bodies},
        {"welds", keys->welds, read_welds},
        {"joints", keys->joints, read_joints},
        {"loads", keys->loads, read_loads},
        {"body_joints", keys->body_joints, read_body_joints},
        {"obstacles", keys->obstacles, read_obstacles},
        {"contact", keys->contact, read_contact},
        {"surfaces", keys->surfaces, read_surfaces},
        {"probes", keys->probes, read_probes},
    };
    if (keys->materials) {
        read_at(r, "materials", keys->materials, read_materials, r->scene);
    }
    bool rods_known = keys->rods && read_at(r, "rods", keys->rods, read_rods, r->scene);
    rods_known = rods_known || r->scene->rod_count > 0;
    for (size_t i = 0; rods_known && i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].value) {
            read_at(r, parts[i].key, parts[i].value, parts[i].read, r->scene);
        }
    }
    held_check(r);
    pbd_check_steps(r);
    modal_check_contact(r);
}

void scene_read(CordScene* scene)
{
    Reader r = {.pool = &scene->pool, .notes = &scene->notes, .scene = scene};
    SceneKeys keys;
    scene_start(&keys);
    read_table(&r, &scene->root, &table_scene, &keys);
    scene->run = keys.run;
    scene->run.title = keys.title;
    scene->gravity = keys.gravity;
    scene->camera = keys.camera;
    scene->engine = engine_list[keys.engine].name;
    scene->engine_at = scene->root.kind == JSON_OBJECT ? json_member(&scene->root, "engine") : NULL;
    read_parts(&r, &keys);
    scene->solve.branch = cord_branch_def_default();
    scene->solve.branch.from = 0.0;
    scene->solve.branch.to = scene->run.end;
    if (keys.solve) {
        read_at(&r, "solve", keys.solve, read_solve, &scene->solve);
    }
}
