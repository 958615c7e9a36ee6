// A scene once read: defs for everything in it, each with the place in the text that asked for it.
#ifndef CORD_SCENE_SCENE_H
#define CORD_SCENE_SCENE_H

#include "scene/fields.h"
#include "scene/stations.h"

#include <cordage/io.h>
#include <cordage/math.h>
#include <cordage/surface.h>

typedef struct SceneMaterial {
    const char* name;
    CordMaterial material;
} SceneMaterial;

typedef struct SceneSection {
    const SectionStation* stations; // (count)
    int count;                      // 0: not given, 1: the same everywhere
} SceneSection;

typedef struct SceneStiffness {
    CordStiffness whole;              // the same everywhere
    const StiffnessStation* stations; // on top of it (count)
    int count;
} SceneStiffness;

typedef enum FrameRule {
    FRAME_CARRIED, // as CordRodDef has it: m1 at the first edge, or any
    FRAME_TOWARD,  // m1 in a direction, as far as it is at right angles to the edge
    FRAME_RADIAL,  // m1 away from an axis, likewise
} FrameRule;

typedef struct SceneFrame {
    FrameRule rule;
    CordVec3 toward;
    CordVec3 center, axis;
    const JsonValue* at; // NULL: not given
} SceneFrame;

typedef struct NetworkPart { // what some edges of a network have of their own
    SceneSection section;    // count 0: not given
    bool has_material;
    CordMaterial material;
    CordVec3 m1;
    const JsonValue* m1_at; // NULL: not given
} NetworkPart;

typedef struct NetworkEdge {   // where an edge has from what is its own:
    int section, material, m1; // a part, counted from 1; 0: it has what the rod has
} NetworkEdge;

typedef struct SceneNetwork {
    int edge_count;           // as they are written, before they are cut; 0: it is no network
    int split;                // elements of each
    const double* size;       // of an edge's section, over the rod's (edge_count); NULL: 1
    const NetworkPart* parts; // (part_count)
    int part_count;
    const NetworkEdge* edges; // (edge_count); NULL: there are no parts
} SceneNetwork;

typedef struct SceneRod {
    // its arrays along the rod are made when it is built: along.h; its integrator is what it will take steps
    // by
    CordRodDef def;
    CordIntegrator integrator; // that the scene asks for
    SceneSection section;
    SceneStiffness stiffness;
    SceneFrame frame;
    SceneNetwork network;
    int entry; // in the list of rods
    const JsonValue* at;
    bool is_whole; // its shape could be read, so its nodes can be counted
    int clamp_count;
    int joined_count; // its welds and joints
} SceneRod;

typedef struct SceneEntry { // of the list of rods
    const char* name;       // the rod's, or what the names of its strands begin with
    int first, count;       // of its rods
    bool is_strands;
    const JsonValue* at;
} SceneEntry;

typedef struct SceneClamp {
    CordClampDef def;
    int rod;   // -1: not known
    int entry; // in the list of clamps
    const JsonValue* at;
} SceneClamp;

typedef struct SceneBody {
    CordBodyDef def;
    const JsonValue* at;
} SceneBody;

typedef struct SceneWeld {
    CordWeldDef def;
    int rod, body;              // -1: not known
    CordVec3 offset;            // on the body, where the welded point should be [m]
    const JsonValue* offset_at; // NULL: it may be anywhere
    const JsonValue* at;
} SceneWeld;

typedef struct SceneJoint {
    CordJointDef def;
    int rods[CORD_JOINT_MOST]; // -1: not known
    const JsonValue* at;
} SceneJoint;

typedef struct SceneObstacle {
    CordObstacleDef def;
    const JsonValue* at;
} SceneObstacle;

typedef struct SceneSurface {
    CordSurfaceDef def;
    int rod; // -1: not known
    const JsonValue* at;
} SceneSurface;

typedef struct SceneLoad {
    CordLoadDef def;
    int rod;     // -1: every rod, a body, or not known
    int body;    // -1: none
    bool is_air; // only the wind for drags that have none of their own
    const JsonValue* at;
} SceneLoad;

typedef struct SceneProbe {
    CordProbeDef def;
    int rod, body, obstacle; // -1: none
    const JsonValue* at;
} SceneProbe;

typedef struct SceneFile { // that was read for the scene
    const char *name, *path;
} SceneFile;

struct CordScene {
    Pool pool; // all of this, but for the struct itself
    const char* path;
    const char* text;
    size_t size;
    NoteText* texts; // by source: the file's, then each setting's value
    const char** settings;
    int setting_count;
    const CordFiles* lent; // the caller's, while the scene is read; NULL: files are on the disk
    SceneFile* files;      // that were read (file_capacity)
    int file_count, file_capacity;
    JsonTree tree;
    JsonValue root;
    Notes read_notes; // from reading
    Notes notes;      // and from the last build

    CordSceneRun run;
    CordSceneCamera camera;
    CordSceneSolve solve;
    CordVec3 gravity;
    const char* engine;         // "free" if it is not given
    const JsonValue* engine_at; // NULL: not given
    SceneMaterial* materials;
    int material_count;
    int inline_material_count; // that stand in rods
    NameIndex material_index;
    SceneRod* rods;
    int rod_count;
    NameIndex rod_index;
    SceneEntry* entries; // that the rods are of
    int entry_count;
    NameIndex entry_index;
    SceneClamp* clamps; // (clamp_capacity)
    int clamp_count, clamp_capacity;
    SceneBody* bodies;
    int body_count;
    NameIndex body_index;
    SceneWeld* welds;
    int weld_count;
    SceneJoint* joints;
    int joint_count;
    CordSceneBodyJoint* body_joints;
    int body_joint_count;
    SceneObstacle* obstacles;
    int obstacle_count;
    NameIndex obstacle_index;
    CordContactDef contact;
    SceneSurface* surfaces;
    int surface_count;
    SceneLoad* loads;
    int load_count;
    SceneProbe* probes;
    int probe_count;
};

// a / |a|, or `otherwise` if a has no direction. cord_vec3_unit_or multiplies by 1 / |a|, which rounds twice.
static inline CordVec3 unit_or(CordVec3 a, CordVec3 otherwise)
{
    double length = cord_vec3_length(a);
    return length > 0.0 && isfinite(length) ? cord_vec3_div(a, length) : otherwise;
}

// As cord_scene_load and cord_scene_parse, with the allocator that all memory of the scene comes from.
CordResult scene_load(CordAllocator allocator, const char* path, const char* const* settings,
                      int setting_count, CordScene** scene);
CordResult scene_parse(CordAllocator allocator, const CordFiles* files, const char* text, size_t size,
                       const char* path, const char* const* settings, int setting_count, CordScene** scene);

// Fills the scene from its tree; what is wrong goes to its notes.
void scene_read(CordScene* scene);

// The bytes of a file that the scene names, from the caller's files or from the disk; those from the disk are
// put into `pool`, and have a zero after them. NULL: *problem says why, or there is no memory. The name must
// be in the scene's pool.
const char* scene_file(CordScene* scene, Pool* pool, const char* name, size_t most, size_t* size,
                       const char** problem);

// A table and all that its fields lead to. Those that are made are in the pool. Returns how many there are;
// 0: no memory.
int tables_from(Pool* pool, const Table* root, const Table* list[], int most);
size_t schema_write(const Table* root, char* text, size_t room); // as cord_scene_schema

extern const Table table_scene;

#endif
