// The scene as a whole: its top-level keys, in an order that lets later parts refer to earlier ones.
#include "scene/held.h"

#include <math.h>
#include <string.h>

// ---- time

static const Quantity quantity_step = {.what = "a time step is in seconds", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};
static const Quantity quantity_fps = {
    .what = "fps counts recorded frames per simulated second", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e6)};

static void read_step(Reader* r, const JsonValue* value, void* step)
{
    if (value->kind == JSON_STRING && strcmp(value->string, "auto") == 0) {
        *(double*)step = 0.0;
    } else if (value->kind == JSON_STRING) {
        reader_error(r, value, "is %s; a time step is \"auto\" or a number of seconds", reader_describe(r, value));
    } else {
        read_number(r, value, &quantity_step, step);
    }
}

static const Field time_fields[] = {
    {FIELD("step", OTHER, CordSceneRun, step), .read = read_step},
    {FIELD("end", NUMBER, CordSceneRun, end), .quantity = &quantity_time},
    {FIELD("fps", NUMBER, CordSceneRun, fps), .quantity = &quantity_fps},
};
const Table table_time = TABLE("time", "a time", time_fields);

// ---- camera

static const Quantity quantity_fov = {
    .what = "fov is the vertical field of view in degrees", QUANTITY_POSITIVE, QUANTITY_UP_TO(170)};
static const Quantity quantity_scale = {.what = "radius_scale is a factor", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e6)};
static const Quantity quantity_height = {.what = "the ground's height is in metres", QUANTITY_ANY};

static void read_fov(Reader* r, const JsonValue* value, void* target)
{
    double degrees;
    if (read_number(r, value, &quantity_fov, &degrees)) {
        *(double*)target = 3.14159265358979323846 / 180.0 * degrees;
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
    {FIELD("from", VECTOR, CordSceneCamera, eye), .quantity = &quantity_position},
    {FIELD("target", VECTOR, CordSceneCamera, target), .quantity = &quantity_position},
    {FIELD("up", VECTOR, CordSceneCamera, up), .quantity = &quantity_direction},
    {FIELD("fov", OTHER, CordSceneCamera, field_of_view), .read = read_fov},
    {FIELD("radius_scale", NUMBER, CordSceneCamera, radius_scale), .quantity = &quantity_scale},
    {.name = "ground", .kind = FIELD_OTHER, .read = read_ground},
};
const Table table_camera = TABLE("camera", "a camera", camera_fields);

static void read_camera(Reader* r, const JsonValue* value, void* target)
{
    CordSceneCamera* camera = target;
    if (!read_table(r, value, &table_camera, camera)) {
        return;
    }
    bool from = json_member(value, "from") != NULL, to = json_member(value, "target") != NULL;
    if (from != to) {
        reader_error(r, value, "has %s alone; write both from and target", from ? "from" : "target");
    } else if (from && camera->eye.x == camera->target.x && camera->eye.y == camera->target.y &&
               camera->eye.z == camera->target.z) {
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
static const Quantity quantity_gravity = {.what = "gravity is in metres per second squared", QUANTITY_ANY};

enum { ENGINE_FREE, ENGINE_ODE };
static const Word engine_list[] = {{"free", ENGINE_FREE}, {"ode", ENGINE_ODE}};
static const Words engine_words = WORDS("an engine", engine_list);

static const Field scene_fields[] = {
    {FIELD("$schema", STRING, SceneKeys, schema), .what = "the schema's address is text"},
    {FIELD("cordage", COUNT, SceneKeys, version), .needed = "\"cordage\": 1, the version of the format",
     .quantity = &quantity_version},
    {FIELD("title", STRING, SceneKeys, title), .what = "a title is text"},
    {FIELD("gravity", VECTOR, SceneKeys, gravity), .quantity = &quantity_gravity},
    {FIELD("time", OBJECT, SceneKeys, run), .table = &table_time},
    {FIELD("materials", KEEP, SceneKeys, materials)},
    {FIELD("rods", KEEP, SceneKeys, rods), .needed = "a list with at least one rod"},
    {FIELD("clamps", KEEP, SceneKeys, clamps)},
    {FIELD("engine", WORD, SceneKeys, engine), .words = &engine_words},
    {FIELD("bodies", KEEP, SceneKeys, bodies)},
    {FIELD("welds", KEEP, SceneKeys, welds)},
    {FIELD("joints", KEEP, SceneKeys, joints)},
    {FIELD("body_joints", KEEP, SceneKeys, body_joints)},
    {FIELD("obstacles", KEEP, SceneKeys, obstacles)},
    {FIELD("surfaces", KEEP, SceneKeys, surfaces)},
    {FIELD("contact", KEEP, SceneKeys, contact)},
    {FIELD("loads", KEEP, SceneKeys, loads)},
    {FIELD("probes", KEEP, SceneKeys, probes)},
    {FIELD("solve", KEEP, SceneKeys, solve)},
    {FIELD("camera", OTHER, SceneKeys, camera), .read = read_camera},
    {.name = "adapt", .kind = FIELD_LATER},
};
const Table table_scene = TABLE("scene", "a scene", scene_fields);

static const CordVec3 not_given = {NAN, NAN, NAN};

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
    SceneKeys keys = {.title = "",
                      .gravity = cord_world_def_default().gravity,
                      .run = {.end = 5.0, .fps = 60.0},
                      .camera = {not_given, not_given, not_given, NAN, NAN, false, false, NAN}};
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

const Table* const scene_tables[] = {
    &table_scene,
    &table_time,
    &table_camera,
    &table_material,
    &table_rod,
    &table_section,
    &table_disc,
    &table_tube,
    &table_rectangle,
    &table_h,
    &table_section_ellipse,
    &table_explicit,
    &table_stiffness,
    &table_damping,
    &table_corde,
    &table_pbd,
    &table_weights,
    &table_modal,
    &table_adapt,
    &table_strands,
    &table_style,
    &table_curl,
    &table_section_station,
    &table_stiffness_station,
    &table_frame,
    &table_radial,
    &table_shape,
    &table_line,
    &table_points,
    &table_circle,
    &table_ellipse,
    &table_helix,
    &table_torus_knot,
    &table_knot,
    &table_file,
    &table_network,
    &table_grid,
    &table_tree,
    &table_mesh_network,
    &table_part,
    &table_region,
    &table_angle,
    &table_turn,
    &table_place,
    &table_clamp,
    &table_clamp_place,
    &table_fix,
    &table_motion,
    &table_rotate,
    &table_keyframe,
    &table_translate,
    &table_oscillate,
    &table_body,
    &table_body_shape,
    &table_sphere,
    &table_box,
    &table_cylinder,
    &table_capsule,
    &table_weld,
    &table_joint,
    &table_body_joint,
    &table_obstacle,
    &table_plane,
    &table_obstacle_sphere,
    &table_obstacle_box,
    &table_obstacle_cylinder,
    &table_obstacle_capsule,
    &table_torus,
    &table_obstacle_tube,
    &table_mesh,
    &table_surface,
    &table_contact,
    &table_contact_pair,
    &table_load,
    &table_force,
    &table_spring,
    &table_drag,
    &table_wind,
    &table_wind_load,
    &table_probe,
    &table_solve,
    &table_switch,
    &table_perturb,
};
const int scene_table_count = sizeof scene_tables / sizeof *scene_tables;
