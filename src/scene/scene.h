// A scene that has been read: defs of everything in it, each with its place in the text.
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
    int count;                      // 0: not given; 1: the section does not vary
} SceneSection;

typedef struct SceneStiffness {
    CordStiffness whole;              // what does not vary
    const StiffnessStation* stations; // what varies (count)
    int count;
} SceneStiffness;

typedef enum FrameRule {
    FRAME_CARRIED, // m1 is given at the first edge, or not at all, and transported along the rod
    FRAME_TOWARD,  // m1 is the part of a direction at right angles to the edge
    FRAME_RADIAL,  // m1 is the part of the direction away from an axis at right angles to the edge
} FrameRule;

typedef struct SceneFrame {
    FrameRule rule;
    CordVec3 toward;
    CordVec3 center, axis;
    const JsonValue* at; // NULL: not given
} SceneFrame;

typedef struct NetworkPart { // properties of some edges of a network
    SceneSection section;    // count 0: not given
    bool has_material;
    CordMaterial material;
    CordVec3 m1;
    const JsonValue* m1_at; // NULL: not given
} NetworkPart;

typedef struct NetworkEdge {   // the parts that give an edge its properties
    int section, material, m1; // a part, counted from 1; 0: as the rod
} NetworkEdge;

typedef struct SceneNetwork {
    int edge_count;           // edges before they are split; 0: the rod is no network
    int split;                // elements of each edge
    const double* size;       // scale of an edge's section, relative to the rod's (edge_count); NULL: 1
    const NetworkPart* parts; // (part_count)
    int part_count;
    const NetworkEdge* edges; // (edge_count); NULL: there are no parts
} SceneNetwork;

typedef struct SceneRod {
    CordRodDef def; // without per-edge arrays, which edge_arrays_make makes; with the integrator used
    CordIntegrator integrator; // the integrator that the scene asks for
    SceneSection section;
    SceneStiffness stiffness;
    SceneFrame frame;
    SceneNetwork network;
    const JsonValue* at;
    bool is_whole; // its shape could be read, so its nodes are known
    int clamp_count;
    int joined_count; // welds and joints
} SceneRod;

typedef struct SceneEntry { // an entry of the list of rods
    const char* name;       // of the rod, or the beginning of the names of its strands
    int first, count;       // its rods
    bool is_strands;
    const JsonValue* at;
} SceneEntry;

typedef struct SceneClamp {
    CordClampDef def;
    int rod; // -1: not known
    const JsonValue* at;
} SceneClamp;

typedef struct SceneBody {
    CordBodyDef def;
    const JsonValue* at;
} SceneBody;

typedef struct SceneWeld {
    CordWeldDef def;
    int rod, body;              // -1: not known
    CordVec3 offset;            // place of the welded point on the body [m]
    const JsonValue* offset_at; // NULL: not given
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
    bool is_air; // not a load, but the wind of drags that have none of their own
    const JsonValue* at;
    CordLoadId id; // in the world that was built last
} SceneLoad;

typedef struct SceneProbe {
    CordProbeDef def;
    int rod, body, obstacle; // -1: none
    const JsonValue* at;
} SceneProbe;

typedef struct SceneFile { // a file that was read for the scene
    const char *name, *path;
} SceneFile;

struct CordScene {
    Pool pool; // all memory of the scene but for this struct
    const char* path;
    const char* text;
    size_t size;
    NoteText* texts; // by source: the scene file, then the value of each setting
    const char** settings;
    int setting_count;
    const CordFiles* lent; // files of the caller, while the scene is read; NULL: files are on the disk
    SceneFile* files;      // files that were read (file_capacity)
    int file_count, file_capacity;
    JsonTree tree;
    JsonValue root;
    Notes read_notes; // of reading
    Notes notes;      // of reading and of the last build

    CordSceneRun run;
    CordSceneCamera camera;
    CordSceneSolve solve;
    CordVec3 gravity;
    const char* engine;         // "free" if it is not given
    const JsonValue* engine_at; // NULL: not given
    SceneMaterial* materials;
    int material_count;
    int inline_material_count; // materials that stand in rods
    NameIndex material_index;
    SceneRod* rods;
    int rod_count;
    NameIndex rod_index;
    SceneEntry* entries; // of the list of rods
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
    const JsonValue* body_joints_at; // their list
    SceneObstacle* obstacles;
    int obstacle_count;
    NameIndex obstacle_index;
    CordContactDef contact;
    const JsonValue* knot_at; // the first rod that is a knot by name; NULL: there is none
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

// cord_scene_parse_with, with an allocator for all memory of the scene; without a text cord_scene_load.
CordResult scene_parse(CordAllocator allocator, const CordFiles* files, const char* text, size_t size,
                       const char* path, const char* const* settings, int setting_count, CordScene** scene);

static inline Reader scene_reader(CordScene* scene)
{
    return (Reader){.pool = &scene->pool, .notes = &scene->notes, .scene = scene};
}

// Fills the scene from its tree, and adds notes about what is wrong.
void scene_read(CordScene* scene);

// The bytes of a file that the scene names, from the caller's files or from the disk. Bytes from the disk are
// put into `pool`, with a zero after them. NULL: *problem says why, or there is no memory. The name must be
// in the scene's pool.
const char* scene_file(CordScene* scene, Pool* pool, const char* name, size_t most, size_t* size,
                       const char** problem);

// Lists a table and all tables that its fields lead to. Expanded tables are in the pool. Returns how many
// there are; 0: there is no memory.
int tables_from(Pool* pool, const Table* root, const Table* list[], int most);
size_t schema_write(const Table* root, char* text, size_t room); // cord_scene_schema of one table

extern const Table table_scene;

#endif
