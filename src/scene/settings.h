// Settings of the option --set: path=value puts a value into the scene's tree before the scene is read.
//
//     time.end=2   rods[0].elements=200   rods[*].model=der   rods[rope].material=steel
//
// Members that are missing on the way are made. A list grows by one entry at its end.
#ifndef CORD_SCENE_SETTINGS_H
#define CORD_SCENE_SETTINGS_H

#include "scene/json.h"
#include "scene/notes.h"

// Splits a setting at its '='. False: there is none.
bool setting_split(const char* setting, size_t* path_size, const char** value);

// Applies the setting of notes->texts[source]. False: a note was added, or the pool has failed.
bool setting_apply(JsonTree* tree, Notes* notes, uint16_t source, JsonValue* root);

#endif
