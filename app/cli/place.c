#include "place.h"

#include "talk.h"

Place place_of(const CordScene* scene, CordSceneThing thing, int index)
{
    Place p;
    cord_scene_place(scene, thing, index, &p.line, &p.column);
    return p;
}

Place place_of_failure(const CordScene* scene, const CordWorld* world, double time, const char* message)
{
    Place p;
    cord_scene_blame(scene, world, time, message, &p.line, &p.column);
    return p;
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
    place_say(scene, place_of_failure(scene, world, time, message), message);
}
