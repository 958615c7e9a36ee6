// The keys of the scene itself.
#include "scene/values.h"

#include <math.h>
#include <string.h>

// ---- time

static const Quantity quantity_step = POSITIVE("a time step is in seconds", "s", 1e9);
static const Quantity quantity_fps = POSITIVE("fps counts recorded frames per simulated second", NULL, 1e6);

static const Words step_words = WORDS("a time step", {"auto", 0});

static void read_step(Reader* r, const JsonValue* value, void* step)
{
    if (value->kind == JSON_STRING && strcmp(value->string, "auto") == 0) {
        *(double*)step = 0.0;
    } else if (value->kind == JSON_STRING) {
        value_error(r, value, "a time step is \"auto\" or a number of seconds");
    } else {
        read_number(r, value, &quantity_step, step);
    }
}

static const CordSceneRun default_run = {.end = 5.0, .fps = 60.0};

static const Field time_fields[] = {
    {FIELD("step", WORD_OR_NUMBER, CordSceneRun, step), .about = "Time step; \"auto\" chooses a stable one.",
     .otherwise = "`\"auto\"`", .quantity = &quantity_step, .words = &step_words, .read = read_step},
    {FIELD("end", NUMBER, CordSceneRun, end), .about = "Time at which the run ends.",
     .quantity = &quantity_time},
    {FIELD("fps", NUMBER, CordSceneRun, fps), .about = "Recorded frames per simulated second.",
     .quantity = &quantity_fps},
};
static const Table table_time = TABLE("time", "a time", time_fields, .about = "The time of a run.",
                                      .size = sizeof(CordSceneRun), .defaults = &default_run);

// ---- camera

static const Quantity quantity_fov = POSITIVE("fov is the vertical field of view in degrees", "degrees", 170);
static const Quantity quantity_scale = POSITIVE("radius_scale is a factor", NULL, 1e6);
static const Quantity quantity_height = ANY_NUMBER("the ground's height is in metres", NULL);

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
        value_error(r, value, "write true, false, or the floor's height in metres");
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
static void camera_check(Reader* r, const JsonValue* value, void* keys)
{
    const CordSceneCamera* camera = keys;
    bool from = json_member(value, "from") != NULL, to = json_member(value, "target") != NULL;
    if (from != to) {
        reader_error(r, value, "has %s alone; write both from and target", from ? "from" : "target");
    } else if (from && cord_vec3_equal(camera->eye, camera->target)) {
        reader_error(r, value, "looks from a point to the same point; from and target must be apart");
    }
}

static const Table table_camera =
    TABLE("camera", "a camera", camera_fields,
          .about = "Where pictures are taken from. What is left out is chosen to fit the scene.",
          .check = camera_check);

// ---- the scene

typedef struct SceneKeys {
    const char* schema;
    const char* title;
    int version;
    CordVec3 gravity;
    CordSceneRun run;
    CordSceneCamera camera;
    int engine;
} SceneKeys;

static const Quantity quantity_version = {
    .what = "\"cordage\" is the version of the format", .must = "be 1", .low = 1, .high = 1};
static const Quantity quantity_gravity = {.what = "gravity is in metres per second squared",
                                          .unit = "m/s^2",
                                          .must = "be at least -1e9",
                                          .low = -1e9,
                                          .high = 1e9,
                                          .high_text = "1e9",
                                          .example = "[0, 0, -9.81]"};

enum { ENGINE_FREE, ENGINE_ODE };
static const Words engine_words = WORDS("an engine", {"free", ENGINE_FREE}, {"ode", ENGINE_ODE});

static void scene_start(void* keys)
{
    const CordVec3 not_given = {NAN, NAN, NAN};
    *(SceneKeys*)keys = (SceneKeys){.title = "",
                                    .run = default_run,
                                    .gravity = cord_world_def_default().gravity,
                                    .camera = {not_given, not_given, not_given, NAN, NAN, false, false, NAN}};
}

static const Field scene_fields[] = {
    {FIELD("$schema", STRING, SceneKeys, schema), .about = "Address of this schema, for editors."},
    {FIELD("cordage", COUNT, SceneKeys, version), .about = "Version of the scene format.",
     .needed = "\"cordage\": 1, the version of the format", .quantity = &quantity_version},
    {FIELD("title", STRING, SceneKeys, title), .about = "What the scene shows, in a few words."},
    {FIELD("gravity", VECTOR, SceneKeys, gravity), .about = "Acceleration of gravity.",
     .quantity = &quantity_gravity},
    {FIELD("time", OBJECT, SceneKeys, run),
     .about = "How long the scene runs, with which time step, and how often it is recorded.",
     .table = &table_time},
    {WHOLE("materials", MAP),
     .about = "The scene's own materials, by name. A name that comes with Cordage starts from that "
              "material's values.",
     .table = &table_material, .later = true, .read = read_materials},
    {WHOLE("rods", LIST), .about = "The rods of the scene.", .needed = "a list with at least one rod",
     .table = &table_rod, .least = 1, .later = true, .read = read_rods},
    {WHOLE("clamps", LIST), .about = "What holds the rods and moves them.", .table = &table_clamp,
     .later = true, .read = read_clamps},
    {FIELD("engine", WORD, SceneKeys, engine),
     .about = "What moves the rigid bodies. \"free\" is built in and does not let bodies touch each other; "
              "\"ode\" knows contact and joints between bodies.",
     .words = &engine_words},
    {WHOLE("bodies", LIST), .about = "Rigid bodies.", .table = &table_body, .later = true,
     .read = read_bodies},
    {WHOLE("welds", LIST), .about = "Joins of rods to bodies.", .table = &table_weld, .later = true,
     .read = read_welds},
    {WHOLE("joints", LIST), .about = "Joins of rods to each other.", .table = &table_joint, .later = true,
     .read = read_joints},
    {WHOLE("body_joints", LIST), .about = "Joins of bodies to each other; they need the engine \"ode\".",
     .table = &table_body_joint, .later = true, .read = read_body_joints},
    {WHOLE("obstacles", LIST),
     .about = "Solids that rods touch and cannot pass. A scene with obstacles has contact.",
     .table = &table_obstacle, .most = MOST_OBSTACLES, .later = true, .read = read_obstacles},
    {WHOLE("surfaces", LIST), .about = "Surfaces of triangles that follow a rod in pictures and exports.",
     .table = &table_surface, .most = MOST_SURFACES, .later = true, .read = read_surfaces},
    {WHOLE("contact", BOOL_OR_OBJECT),
     .about = "Contact of rods with themselves, other rods, bodies and obstacles: settings, true or false.",
     .otherwise = "on if the scene has obstacles or a knot by name", .table = &table_contact, .later = true,
     .read = read_contact},
    {WHOLE("loads", LIST), .about = "Forces, torques, springs, drag and wind.", .table = &table_load,
     .later = true, .read = read_loads},
    {WHOLE("probes", LIST), .about = "Quantities that are measured in every step.", .table = &table_probe,
     .later = true, .read = read_probes},
    {WHOLE("solve", OBJECT), .about = "Equilibria that `cordage solve` computes.",
     .otherwise = "from the start to the end of time", .table = &table_solve, .later = true,
     .read = read_solve},
    {FIELD("camera", OBJECT, SceneKeys, camera), .about = "Hints for pictures.", .otherwise = "chosen to fit",
     .table = &table_camera},
};
const Table table_scene =
    TABLE("scene", "a scene", scene_fields,
          .about = "A scene: its rods, what holds them, and what acts on them. All values are in SI units.",
          .size = sizeof(SceneKeys), .start = scene_start);

// Parts that refer to others are read in the order of the table, whatever their order in the text. Nothing
// but materials can be read without rods.
static void read_parts(Reader* r)
{
    CordScene* scene = r->scene;
    for (int i = 0; i < table_scene.count; i++) {
        const Field* field = &scene_fields[i];
        if (field->later) {
            read_later(r, &scene->root, &table_scene, field->name, scene);
        }
        if (field->read == read_rods && scene->rod_count == 0) {
            return;
        }
    }
    supports_check(r);
    choose_steps(r);
    rods_check_spin(r);
    pbd_check_drag(r);
    modal_check_contact(r);
    contact_check_inert(r);
    bodies_check_loose(r);
}

void scene_read(CordScene* scene)
{
    Reader r = scene_reader(scene);
    SceneKeys keys;
    scene_start(&keys);
    read_table(&r, &scene->root, &table_scene, &keys);
    scene->run = keys.run;
    scene->run.title = keys.title;
    scene->gravity = keys.gravity;
    scene->camera = keys.camera;
    scene->engine = word_at(&engine_words, keys.engine);
    scene->engine_at = json_member(&scene->root, "engine");
    scene->solve.branch = cord_branch_def_default();
    scene->solve.branch.from = 0.0;
    scene->solve.branch.to = scene->run.end;
    read_parts(&r);
}
