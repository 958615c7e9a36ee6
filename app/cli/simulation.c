#include "simulation.h"

#include "command.h"
#include "modal.h"

#include <cordage/body.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the engine

#ifdef CORDAGE_ODE

const char* const simulation_engine = "ode";

static CordResult engine_create(const CordScene* scene, CordWorldDef* hooks, void** engine)
{
    if (strcmp(cord_scene_engine(scene), "ode") != 0) {
        return CORD_OK;
    }
    CordOdeDef def = cord_ode_def_default();
    CordResult result = cord_ode_create(&def, &hooks->engine, engine);
    hooks->engine_user = *engine;
    return result;
}

// Joins the bodies of a world that has been built.
static CordResult engine_join(void* engine, const CordScene* scene)
{
    static const CordOdeJointKind kinds[] = {[CORD_SCENE_JOINT_BALL] = CORD_ODE_BALL,
                                             [CORD_SCENE_JOINT_HINGE] = CORD_ODE_HINGE,
                                             [CORD_SCENE_JOINT_SLIDER] = CORD_ODE_SLIDER,
                                             [CORD_SCENE_JOINT_FIXED] = CORD_ODE_FIXED};
    for (int i = 0; i < cord_scene_body_joint_count(scene); i++) {
        const CordSceneBodyJoint* joint = cord_scene_body_joint(scene, i);
        CordOdeJointDef def = {.kind = kinds[joint->kind],
                               .bodies = {joint->bodies[0], joint->bodies[1]},
                               .anchor = joint->anchor,
                               .axis = joint->axis};
        CordResult result = cord_ode_joint(engine, &def);
        if (result != CORD_OK) {
            console_error("%s: body_joints[%d]: %s", cord_scene_path(scene), i, cord_ode_message(engine));
            return result;
        }
    }
    return CORD_OK;
}

static void engine_destroy(void* engine)
{
    cord_ode_destroy(engine);
}

#else

const char* const simulation_engine = NULL;

// A scene that asks for an engine is refused by cord_scene_build, with its line.
static CordResult engine_create(const CordScene* scene, CordWorldDef* hooks, void** engine)
{
    (void)scene, (void)hooks, (void)engine;
    return CORD_OK;
}

static CordResult engine_join(void* engine, const CordScene* scene)
{
    (void)engine, (void)scene;
    return CORD_OK;
}

static void engine_destroy(void* engine)
{
    (void)engine;
}

#endif

// ---- loading and building

bool simulation_find(const char* name, const char* advice, char path[LIBRARY_PATH_MOST])
{
    if (!library_find(name, path)) {
        return false;
    }
    if (cord_recording_is(path)) {
        return error_false("%s is a recording; %s %s", path, advice, path);
    }
    return true;
}

// The notes are printed once the world is built, which may add some.
int simulation_load(Simulation* s, const char* path, const OptionList* settings, bool warnings)
{
    const char* const* items = settings ? settings->items : NULL;
    CordResult result = cord_scene_load(path, items, settings ? settings->count : 0, &s->scene);
    if (!s->scene) {
        return error_failed("%s: there is no memory to read the scene", path);
    }
    if (result == CORD_OK) {
        return EXIT_GOOD;
    }
    console_scene_notes(s->scene, !warnings);
    cord_scene_destroy(s->scene);
    s->scene = NULL;
    return EXIT_USAGE;
}

static double wall_now(void* user)
{
    (void)user;
    return clock_wall();
}

CordResult simulation_build_with(Simulation* s, CordWorldDef hooks)
{
    s->world = NULL;
    s->engine = NULL;
    if (!hooks.clock.now && cord_scene_contact(s->scene)->budget.seconds > 0.0) {
        hooks.clock.now = wall_now;
    }
    hooks.modal = hooks.modal ? hooks.modal : modal_hooks();
    CordResult result = engine_create(s->scene, &hooks, &s->engine);
    if (result == CORD_OK) {
        result = cord_scene_build(s->scene, &hooks, &s->world);
    }
    if (result == CORD_OK) {
        result = engine_join(s->engine, s->scene);
        modal_expect(s->scene, s->world);
    }
    if (result != CORD_OK) {
        cord_world_destroy(s->world);
        engine_destroy(s->engine);
        s->world = NULL;
        s->engine = NULL;
    }
    return result;
}

int simulation_build(Simulation* s, int threads, bool warnings)
{
    CordWorldDef hooks = cord_world_def_default();
    hooks.tasks = cord_tasks_openmp(threads);
    CordResult result = simulation_build_with(s, hooks);
    console_scene_notes(s->scene, !warnings);
    if (result == CORD_NO_MEMORY) {
        return error_failed("%s: there is no memory for the scene's rods", cord_scene_path(s->scene));
    }
    return result == CORD_OK ? EXIT_GOOD : EXIT_USAGE;
}

void simulation_destroy(Simulation* s)
{
    cord_world_destroy(s->world);
    engine_destroy(s->engine);
    cord_scene_destroy(s->scene);
    *s = (Simulation){0};
}

int64_t simulation_node_count(const CordWorld* world)
{
    int64_t nodes = 0;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        nodes += cord_rod_node_count(world, cord_world_rod(world, i));
    }
    return nodes;
}

bool simulation_has_equilibria(const Simulation* s)
{
    const char* path = cord_scene_path(s->scene);
    if (cord_scene_body_joint_count(s->scene) > 0) {
        ScenePlace place;
        cord_scene_place(s->scene, CORD_SCENE_BODY_JOINT, 0, &place.line, &place.column);
        scene_error_at(s->scene, place,
                       "body_joints are the engine's, and equilibria know nothing of them; run the scene "
                       "until it comes to rest instead");
        return false;
    }
    if (strcmp(cord_scene_engine(s->scene), "free") != 0) {
        console_warning("%s: in equilibria bodies do not touch each other", path);
    }
    return true;
}

// ---- errors of the world

ScenePlace scene_place_of_error(const Simulation* s, double time, const char* message)
{
    ScenePlace p;
    cord_scene_blame(s->scene, s->world, time, message, &p.line, &p.column);
    return p;
}

void scene_error_at(const CordScene* scene, ScenePlace place, const char* message)
{
    if (place.line > 0) {
        console_note("%s:%d:%d: error: %s", cord_scene_path(scene), place.line, place.column, message);
    } else {
        console_error("%s", message);
    }
}

void simulation_error(const Simulation* s)
{
    const char* message = cord_world_message(s->world);
    scene_error_at(s->scene, scene_place_of_error(s, cord_world_time(s->world), message), message);
}

void simulation_warn_of_failure(const Simulation* s)
{
    const char* message = cord_world_message(s->world);
    ScenePlace place = scene_place_of_error(s, cord_world_time(s->world), message);
    if (place.line > 0) {
        console_note("%s:%d:%d: warning: a run would fail: %s", cord_scene_path(s->scene), place.line,
                     place.column, message);
    } else {
        console_warning("a run would fail: %s", message);
    }
}

// ---- overlap at the start

static const char* other_name(const CordWorld* world, const CordContact* c)
{
    switch (c->kind) {
    case CORD_TOUCH_OBSTACLE: return cord_obstacle_name(world, cord_world_obstacle(world, c->other));
    case CORD_TOUCH_BODY: return cord_body_name(world, cord_world_body(world, c->other));
    default: return cord_rod_name(world, cord_world_rod(world, c->other));
    }
}

// What to do about two rods that overlap: more elements if these cut corners, or more room.
static void remedy_overlap(const Simulation* s, const CordContact* c, char* text, size_t size)
{
    int elements[2], other = c->other;
    const char* name = cord_rod_name(s->world, cord_world_rod(s->world, c->rod));
    if (c->kind != CORD_TOUCH_ROD || !cord_scene_clear_elements(s->scene, c->rod, other, elements)) {
        snprintf(text, size, "move them apart or make them thinner, or push them apart with --untangle");
    } else if (other == c->rod) {
        snprintf(text, size,
                 "its elements are so long that they cut the corners of its curve: write \"elements\": %d or "
                 "more, or give it more room",
                 elements[0]);
    } else {
        snprintf(
            text, size,
            "their elements are so long that they cut the corners of their curves: write \"elements\": %d "
            "or more for rod \"%s\" and %d or more for rod \"%s\", or give them more room",
            elements[0], name, elements[1], cord_rod_name(s->world, cord_world_rod(s->world, other)));
    }
}

static StartReport report_overlap(const Simulation* s, const CordContact* c)
{
    static const char* const kinds[] = {"rod", "obstacle", "body"};
    bool itself = c->kind == CORD_TOUCH_ROD && c->other == c->rod;
    StartReport r = {.refused = true, .overlaps = true, .depth = -c->gap};
    char remedy[320];
    cord_scene_place(s->scene, CORD_SCENE_ROD, c->rod, &r.place.line, &r.place.column);
    remedy_overlap(s, c, remedy, sizeof remedy);
    snprintf(r.message.text, sizeof r.message.text,
             "rod \"%s\" overlaps %s%s%s%s by %.3g m at its edge %d, near (%.4g, %.4g, %.4g) m; %s",
             cord_rod_name(s->world, cord_world_rod(s->world, c->rod)), itself ? "itself" : kinds[c->kind],
             itself ? "" : " \"", itself ? "" : other_name(s->world, c), itself ? "" : "\"", -c->gap, c->edge,
             c->point.x, c->point.y, c->point.z, remedy);
    return r;
}

StartReport overlap_check(const Simulation* s)
{
    StartReport r = {0};
    CordFrame frame;
    CordContact deepest;
    if (!cord_scene_contact(s->scene)->on) {
        return r;
    }
    // The world has no frame where its rods, obstacles and contact exclude each other.
    if (cord_world_frame(s->world, &frame) != CORD_OK) {
        r.refused = true;
        snprintf(r.message.text, sizeof r.message.text, "%s", cord_world_message(s->world));
        r.place = scene_place_of_error(s, NAN, r.message.text);
        return r;
    }
    return cord_world_overlaps(s->world, &deepest) ? report_overlap(s, &deepest) : r;
}

StartReport branch_check(const Simulation* s)
{
    StartReport r = {0};
    CordBranchDef def = cord_scene_solve(s->scene)->branch;
    def.to = def.to > def.from ? def.to : def.from + 1.0; // a single point
    if (cord_branch_check(s->world, &def) != CORD_OK) {
        r.refused = true;
        snprintf(r.message.text, sizeof r.message.text, "%s", cord_world_message(s->world));
        r.place = scene_place_of_error(s, NAN, r.message.text);
    }
    if (r.refused && r.place.line == 0) {
        cord_scene_place(s->scene, CORD_SCENE_SOLVE, 0, &r.place.line, &r.place.column);
    }
    return r;
}

int overlap_resolve(const Simulation* s, bool untangle)
{
    StartReport r = overlap_check(s);
    if (!r.refused) {
        return EXIT_GOOD;
    }
    if (!r.overlaps || !untangle) {
        scene_error_at(s->scene, r.place, r.message.text);
        return EXIT_USAGE;
    }
    if (cord_world_untangle(s->world) != CORD_OK) {
        return error_failed("%s", cord_world_message(s->world));
    }
    console_note("pushed rods apart that overlapped by up to %.3g m", r.depth);
    return EXIT_GOOD;
}
