// Where in the scene a failure of its world comes from.
#ifndef CORDAGE_CLI_PLACE_H
#define CORDAGE_CLI_PLACE_H

#include <cordage/io.h>

typedef struct Place {
    int line, column; // 0: not known
} Place;

Place place_of(const CordScene* scene, CordSceneThing thing, int index);
Place place_of_failure(const CordScene* scene, const CordWorld* world, double time,
                       const char* message); // cord_scene_blame
// "path:line:column: error: ...", or without a line
void place_say(const CordScene* scene, Place place, const char* message);

// Says an error of the world where it comes from, as cord_scene_blame has it.
void place_error(const CordScene* scene, const CordWorld* world, double time, const char* message);

#endif
