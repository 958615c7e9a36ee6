#include "place.h"

#include "talk.h"

#include <cordage/contact.h>

#include <stdio.h>
#include <string.h>

Place place_of(const CordScene* scene, CordSceneThing thing, int index)
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

static Place clamp_place(const CordScene* scene, const CordWorld* world, CordClampId id)
{
    for (int i = 0; i < cord_world_clamp_count(world); i++) {
        CordClampId other = cord_world_clamp(world, i);
        if (other.slot == id.slot && other.generation == id.generation) {
            return place_of(scene, CORD_SCENE_CLAMP, i);
        }
    }
    return (Place){0, 0};
}

// The later one in the file: it was written when the other was there.
static Place overreach_place(const CordScene* scene, const CordWorld* world, double time)
{
    CordClampId pair[2];
    if (!cord_world_overreach(world, time, pair)) {
        return (Place){0, 0};
    }
    Place a = clamp_place(scene, world, pair[0]), b = clamp_place(scene, world, pair[1]);
    return b.line > a.line || (b.line == a.line && b.column > a.column) ? b : a;
}

Place place_named(const CordScene* scene, const CordWorld* world, const char* message)
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

void place_say(const CordScene* scene, Place place, const char* message)
{
    if (place.line > 0) {
        talk_note("%s:%d:%d: error: %s", cord_scene_path(scene), place.line, place.column, message);
    } else {
        talk_error("%s", message);
    }
}

void place_error(const CordScene* scene, const CordWorld* world, double time, const char* message)
{
    Place place = overreach_place(scene, world, time);
    place_say(scene, place.line > 0 ? place : place_named(scene, world, message), message);
}
