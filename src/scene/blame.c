// Finds the place in the scene that a failure of its world comes from, and what may have caused it.
#include "scene/scene.h"

#include <cordage/contact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Place {
    int line, column; // 0: not known
} Place;

static Place place_of(const CordScene* scene, CordSceneThing thing, int index)
{
    Place p;
    cord_scene_place(scene, thing, index, &p.line, &p.column);
    return p;
}

static bool names(const char* message, const char* kind, const char* name)
{
    char wanted[96];
    snprintf(wanted, sizeof wanted, "%s '%s'", kind, name);
    return strstr(message, wanted) != NULL;
}

static Place place_of_clamp(const CordScene* scene, const CordWorld* world, CordClampId id)
{
    for (int i = 0; i < cord_world_clamp_count(world); i++) {
        CordClampId other = cord_world_clamp(world, i);
        if (other.slot == id.slot && other.generation == id.generation) {
            return place_of(scene, CORD_SCENE_CLAMP, i);
        }
    }
    return (Place){0, 0};
}

// Of two clamps that are too far apart, the later one in the file is to blame.
static Place place_of_overreach(const CordScene* scene, const CordWorld* world, double time)
{
    CordClampId pair[2];
    if (!cord_world_overreach(world, time, pair)) {
        return (Place){0, 0};
    }
    Place a = place_of_clamp(scene, world, pair[0]), b = place_of_clamp(scene, world, pair[1]);
    return b.line > a.line || (b.line == a.line && b.column > a.column) ? b : a;
}

static Place place_of_named(const CordScene* scene, const CordWorld* world, const char* message)
{
    for (int i = 0; i < cord_world_obstacle_count(world); i++) {
        if (names(message, "obstacle", cord_obstacle_name(world, cord_world_obstacle(world, i)))) {
            return place_of(scene, CORD_SCENE_OBSTACLE, i);
        }
    }
    for (int i = 0; i < cord_world_body_count(world); i++) {
        if (names(message, "body", cord_body_name(world, cord_world_body(world, i)))) {
            return place_of(scene, CORD_SCENE_BODY, i);
        }
    }
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        if (names(message, "rod", cord_rod_name(world, cord_world_rod(world, i)))) {
            return place_of(scene, CORD_SCENE_ROD, i);
        }
    }
    return (Place){0, 0};
}

bool cord_scene_blame(const CordScene* scene, const CordWorld* world, double time, const char* message,
                      int* line, int* column)
{
    Place place = isnan(time) ? (Place){0, 0} : place_of_overreach(scene, world, time);
    place = place.line > 0 ? place : place_of_named(scene, world, message);
    *line = place.line;
    *column = place.column;
    return place.line > 0;
}

const char* cord_scene_driver(const CordScene* scene)
{
    for (int i = 0; i < scene->clamp_count; i++) {
        if (scene->clamps[i].def.motion_count > 0) {
            return "a clamp's motion";
        }
    }
    for (int i = 0; i < scene->obstacle_count; i++) {
        if (scene->obstacles[i].def.motion_count > 0) {
            return "an obstacle's motion";
        }
    }
    return scene->load_count > 0 ? "a load" : NULL;
}
