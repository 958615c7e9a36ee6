// A scene once read: defs for everything in it, each with the place in the text that asked for it.
#ifndef CORD_SCENE_SCENE_H
#define CORD_SCENE_SCENE_H

#include "scene/fields.h"

#include <cordage/io.h>

typedef struct SceneMaterial {
    const char* name;
    CordMaterial material;
} SceneMaterial;

typedef struct SceneRod {
    CordRodDef def;
    const JsonValue* at;
    bool is_whole; // its shape could be read, so its nodes can be counted
    int clamp_count;
    bool holds_turn; // one of its clamps does
} SceneRod;

typedef struct SceneClamp {
    CordClampDef def;
    int rod; // -1: not known
    const JsonValue* at;
} SceneClamp;

typedef struct SceneLoad {
    CordLoadDef def;
    int rod; // -1: every rod, or not known
    const JsonValue* at;
} SceneLoad;

typedef struct SceneProbe {
    CordProbeDef def;
    int rod;
    const JsonValue* at;
} SceneProbe;

struct CordScene {
    Pool pool; // all of this, but for the struct itself
    const char* path;
    const char* text;
    size_t size;
    NoteText* texts; // by source: the file's, then each setting's value
    const char** settings;
    int setting_count;
    JsonTree tree;
    JsonValue root;
    Notes read_notes; // from reading
    Notes notes;      // and from the last build

    CordSceneRun run;
    CordSceneCamera camera;
    CordVec3 gravity;
    SceneMaterial* materials;
    int material_count;
    NameIndex material_index;
    SceneRod* rods;
    int rod_count;
    NameIndex rod_index;
    SceneClamp* clamps;
    int clamp_count;
    SceneLoad* loads;
    int load_count;
    SceneProbe* probes;
    int probe_count;
};

// As cord_scene_load and cord_scene_parse, with the allocator that all memory of the scene comes from.
CordResult scene_load(CordAllocator allocator, const char* path, const char* const* settings,
                      int setting_count, CordScene** scene);
CordResult scene_parse(CordAllocator allocator, const char* text, size_t size, const char* path,
                       const char* const* settings, int setting_count, CordScene** scene);

// Fills the scene from its tree; what is wrong goes to its notes.
void scene_read(CordScene* scene);

// The tables of every object a scene can hold.
extern const Table* const scene_tables[];
extern const int scene_table_count;

#endif
