// Parts of the Blender export: deformed meshes with caches of their points (blender_cache.c), a file of
// meshes and poses (blender_data.c), the Python script that reads both (blender_script.c), and the whole
// (blender.c).
#ifndef CORD_EXPORT_BLENDER_H
#define CORD_EXPORT_BLENDER_H

#include "export/mesh.h"
#include "export/output.h"
#include "export/sequence.h"
#include "export/tessellation.h"

// ---- numbers

typedef struct BlenderNumbers { // a file of floats and integers of four bytes each
    FILE* file;
    size_t size; // [bytes]
    bool not_finite;
} BlenderNumbers;

void blender_put_int(BlenderNumbers* n, int value);
void blender_put_float(BlenderNumbers* n, double value);
void blender_put_vector(BlenderNumbers* n, CordVec3 v);

// A range of the file that the script reads. The script stores it as "name": (first, count).
typedef struct BlenderPart {
    const char* name;
    size_t start;
} BlenderPart;

BlenderPart blender_part(const BlenderNumbers* n, const char* name);
void blender_part_end(const BlenderNumbers* n, BlenderPart part, FILE* script);

// ---- deformed meshes

typedef struct BlenderCache {
    bool surfaces; // of surfaces; otherwise of tubes of rods
    int* members;  // numbers of its surfaces or rods (count)
    int count;
    TubeMesh* tubes; // of rods (count)
    int points;
    char file[24]; // name in the directory
    Output out;
    BlenderNumbers numbers; // of that file
} BlenderCache;

typedef struct BlenderCaches {
    int count;
    BlenderCache* list; // (count)
} BlenderCaches;

// The caches for the first frame. Each rod and each surface is an object of its own, unless there are too
// many of them; then there is one object for each colour. Returns false if there is no memory.
bool blender_caches_make(BlenderCaches* caches, Sequence* sequence, const CordFrame* frame);
void blender_caches_free(BlenderCaches* caches); // removes files that were not closed

void blender_cache_points(const BlenderCache* c, Sequence* sequence, const CordFrame* frame,
                          BlenderNumbers* to);
CordResult blender_cache_open(BlenderCache* c, const Sequence* sequence, const char* directory,
                              CordMessage* message);
CordResult blender_cache_close(BlenderCache* c, int frames, CordMessage* message);

// ---- meshes and poses

// Faces with their attributes, and the poses of a solid in the first `frames` frames. Points of caches are
// written first, by blender_cache_points.
void blender_cache_faces(BlenderNumbers* n, const BlenderCache* c, const CordFrame* frame, FILE* script);
void blender_solid(BlenderNumbers* n, const SolidModel* model, FILE* script);
void blender_poses(BlenderNumbers* n, const Keyframes* keyframes, int frames, FILE* script);

// ---- the script

typedef struct BlenderMaterials {
    uint32_t (*colors)[2]; // strong and light; equal if it has no texture (count)
    int count;
    bool no_memory;
} BlenderMaterials;

// The number of a material, which is added if it is new.
int blender_material(BlenderMaterials* m, uint32_t strong, uint32_t light);

// `objects` is the text of a Python list with a dict for each object, as the functions above write it.
void blender_script(FILE* file, const Sequence* sequence, const BlenderMaterials* materials,
                    const char* objects, const char* directory);

#endif
