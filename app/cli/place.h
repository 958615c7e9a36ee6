// Where in the scene a failure of its world comes from.
#ifndef CORDAGE_CLI_PLACE_H
#define CORDAGE_CLI_PLACE_H

#include <cordage/io.h>

typedef struct Place {
    int line, column; // 0: not known
} Place;

Place place_of(const CordScene* scene, CordSceneThing thing, int index);
Place place_named(const CordScene* scene, const CordWorld* world,
                  const char* message); // the obstacle, body or rod that it names
void place_say(const CordScene* scene, Place place, const char* message); // "path:line:column: error: ...", or without a line

// Says an error of the world as "path:line:column: error: ...": at the clamp that goes too far at `time`, at the rod or
// body that the message names, or without a line if it is about none.
void place_error(const CordScene* scene, const CordWorld* world, double time, const char* message);

#endif
