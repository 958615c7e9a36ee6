// Parts of the glTF export. A .glb file is a JSON text and a buffer of bytes, both in gltf_file.c.
// gltf_material.c has the colours, gltf_animation.c the keyframes and skins, gltf_rod.c, gltf_solid.c and
// gltf_surface.c the objects, and gltf.c the whole.
//
// Cordage's z axis points up, and so does glTF's y axis. Skinned meshes are written in glTF's axes. All
// joints, bodies and obstacles are children of one node that rotates Cordage's axes into glTF's. Skinning
// multiplies matrices in single precision, so a scene far from the origin is less accurate.
#ifndef CORD_EXPORT_GLTF_H
#define CORD_EXPORT_GLTF_H

#include "export/mesh.h"
#include "export/output.h"
#include "export/sequence.h"
#include "export/tessellation.h"

// ---- the file

typedef enum GltfList { // arrays of the JSON text, in this order
    GLTF_NODES,
    GLTF_MESHES,
    GLTF_SKINS,
    GLTF_MATERIALS,
    GLTF_TEXTURES,
    GLTF_SAMPLERS,
    GLTF_IMAGES,
    GLTF_ACCESSORS,
    GLTF_VIEWS,
    GLTF_ROOTS,    // nodes of the scene
    GLTF_CHILDREN, // of the node that rotates the axes
    GLTF_CHANNELS, // of the animation
    GLTF_TRACKS,   // its samplers
    GLTF_LIST_COUNT
} GltfList;

typedef struct GltfText {
    FILE* file;
    char* text;
    size_t size;
    int count; // entries
} GltfText;

typedef struct GltfMaterial {
    uint32_t colors[2]; // a texture has two; a plain colour has the same twice
    bool both_sides;
    int index;
} GltfMaterial;

typedef struct Gltf {
    GltfText lists[GLTF_LIST_COUNT];
    uint8_t* bytes; // (capacity)
    size_t size, capacity;
    size_t view_start;
    bool no_memory, not_finite, too_large;
    GltfMaterial* materials;
    int material_count;
} Gltf;

enum { GLTF_VERTICES = 34962, GLTF_TRIANGLES = 34963 }; // the target of a buffer view; 0: none

typedef enum GltfKind { GLTF_U8 = 5121, GLTF_U16 = 5123, GLTF_U32 = 5125, GLTF_F32 = 5126 } GltfKind;

bool gltf_open(Gltf* g); // false: no memory
void gltf_close(Gltf* g);
CordResult gltf_write(Gltf* g, const char* name, FILE* file, CordMessage* message);
CordResult gltf_too_large(double bytes, CordMessage* message); // fails: a file has less than 4 GB

// Begins an entry of a list and returns the file to write it to. Its number is the list's count before the
// call.
FILE* gltf_entry(Gltf* g, GltfList list);
void gltf_numbers(FILE* file, const float* values, int count); // in brackets

// The bytes of one buffer view. Its number is the count of views before it was begun.
int gltf_view_begin(Gltf* g);
void gltf_put_bytes(Gltf* g, const void* bytes, size_t size);
void gltf_put_float(Gltf* g, double value);
void gltf_put_vector(Gltf* g, CordVec3 v);
void gltf_put_u16(Gltf* g, unsigned value);
void gltf_view_end(Gltf* g, int target);

// An accessor of `count` elements in the current buffer view, from `offset` on or from the view's beginning,
// with their bounds (width).
int gltf_accessor(Gltf* g, GltfKind kind, const char* type, int count, size_t offset);
// The same for all of the view, which it ends.
int gltf_view_close(Gltf* g, GltfKind kind, const char* type, int count, int target);
int gltf_accessor_between(Gltf* g, const char* type, int count, const float* low, const float* high,
                          int width);
int gltf_weights(Gltf* g, int count); // of normalised integers

// Whole buffer views with one accessor.
int gltf_positions(Gltf* g, const CordVec3* x, int count); // [m]
int gltf_normals(Gltf* g, const CordVec3* n, int count);
// Triangles of all faces, or, if tones is not NULL, of those that have this tone; -1: there are none.
int gltf_faces(Gltf* g, const MeshFace* faces, int count, const uint8_t* tones, int tone);

typedef struct GltfPrimitive { // accessors, and a material; -1: none
    int positions, normals, texture, joints, weights, triangles, material;
} GltfPrimitive;

int gltf_mesh(Gltf* g, const GltfPrimitive* primitives, int count); // its number

CordVec3 gltf_up(CordVec3 a); // Cordage's axes to glTF's

// ---- colours

int gltf_material(Gltf* g, uint32_t color, bool both_sides);
int gltf_material_textured(Gltf* g, uint32_t strong, uint32_t light);

// ---- animations and skins

// The pose of a node in the first frame, as part of its entry.
void gltf_animation_place(FILE* file, const Keyframes* m, int joint);
// Animates nodes `first`, first + 1, ... where they change over the frames. `times` is the accessor from
// gltf_times.
void gltf_animation_animate(Gltf* g, const Keyframes* m, const Sequence* sequence, int first, int times);
int gltf_times(Gltf* g, const Sequence* sequence);

// A joint as a node. It is named after the object that it moves and has one number as extra data, such as
// "node": 3; key NULL: none.
void gltf_joint(Gltf* g, const Keyframes* m, int joint, const char* name, const char* key, double value);
// A skin whose joints are the nodes from `first` on, with their keyframes. The mesh is at rest in these
// poses.
int gltf_skin(Gltf* g, const char* name, const Pose* rest, const Keyframes* m, const Sequence* sequence,
              int first, int times);
void gltf_root(Gltf* g, const char* name, int mesh, int skin); // a node with a mesh; skin -1: none

enum { GLTF_JOINTS_MOST = 65535 }; // of one skin: vertices store 16-bit indices

// ---- objects

typedef struct GltfRod {
    TubeSection* rest; // sections in the first frame (count)
    Keyframes keyframes;
} GltfRod;

CordResult gltf_rod_begin(GltfRod* rod, Sequence* sequence, const CordFrame* frame, int index,
                          CordMessage* message);
void gltf_rod_add_frame(GltfRod* rod, Sequence* sequence, const CordFrame* frame, int index, int k);
bool gltf_rod_write(Gltf* g, const GltfRod* rod, const Sequence* sequence, const CordFrame* frame, int index,
                    int times);
void gltf_rod_free(GltfRod* rod);

bool gltf_solid_write(Gltf* g, const Sequence* sequence, const CordFrame* frame, int index, int times);

typedef struct GltfSurface {
    int joint_count;
    int* keys;      // key of each joint: edge and part of the edge (joint_count)
    int* joint;     // joint of each key; -1: none
    double* length; // rest length of the edge [m] (joint_count)
    Pose* rest;     // (joint_count)
    Mesh mesh;      // at rest, in glTF's axes
    Keyframes keyframes;
} GltfSurface;

// The rest pose is the first frame of the recording, in which surfaces were tied to their rods.
CordResult gltf_surface_begin(GltfSurface* s, const Sequence* sequence, const CordFrame* rest, int index,
                              CordMessage* message);
void gltf_surface_add_frame(GltfSurface* s, const CordFrame* frame, int index, int k);
void gltf_surface_write(Gltf* g, const GltfSurface* s, const Sequence* sequence, const CordFrame* frame,
                        int index, int times);
void gltf_surface_free(GltfSurface* s);

#endif
