// The parts of the export to Blender: what is deformed, with its cache of points (blender_cache.c), a file of
// meshes and poses (blender_data.c), the script in Python that reads both (blender_script.c), and the whole
// (blender.c).
#ifndef CORD_EXPORT_BLENDER_H
#define CORD_EXPORT_BLENDER_H

#include "export/output.h"
#include "export/sequence.h"
#include "export/solid_mesh.h"
#include "export/tessellation.h"

// ---- numbers

typedef struct BlenderNumbers { // a file of floats and whole numbers, four bytes each
    FILE* file;
    size_t size; // [bytes]
    bool not_finite;
} BlenderNumbers;

void blender_put_int(BlenderNumbers* n, int value);
void blender_put_float(BlenderNumbers* n, double value);
void blender_put_vector(BlenderNumbers* n, CordVec3 v);

// A stretch of the file that the script reads: told there as "name": (where it begins, how many numbers).
typedef struct BlenderPart {
    const char* name;
    size_t start;
} BlenderPart;

BlenderPart blender_part(const BlenderNumbers* n, const char* name);
void blender_part_end(const BlenderNumbers* n, BlenderPart part, FILE* script);

// ---- what is deformed

typedef struct BlenderCache {
    bool surfaces; // what it has: surfaces, or tubes of rods
    int* members;  // which (count)
    int count;
    TubeMesh* tubes; // of rods (count)
    int points;
    char file[24]; // its name within the directory
    Output out;
    BlenderNumbers numbers; // of that
} BlenderCache;

typedef struct BlenderCaches {
    int count;
    BlenderCache* list; // (count)
} BlenderCaches;

// As the first frame has them. Each rod and each surface is an object of its own, as long as they are not too
// many to be handled; else one for each colour. False: no memory.
bool blender_caches_make(BlenderCaches* caches, Sequence* sequence, const CordFrame* frame);
void blender_caches_free(BlenderCaches* caches); // and what was written, if it was not closed

void blender_cache_points(const BlenderCache* c, Sequence* sequence, const CordFrame* frame,
                          BlenderNumbers* to);
CordResult blender_cache_open(BlenderCache* c, const Sequence* sequence, const char* directory,
                              CordMessage* message);
CordResult blender_cache_close(BlenderCache* c, int frames, CordMessage* message);

// ---- meshes and poses

// Faces and what goes with them, and poses of one thing in the first `frames` frames. Points of caches come
// first, by blender_cache_points.
void blender_cache_faces(BlenderNumbers* n, const BlenderCache* c, const CordFrame* frame, FILE* script);
void blender_solid(BlenderNumbers* n, const SolidModel* model, FILE* script);
void blender_poses(BlenderNumbers* n, const Keyframes* keyframes, int frames, FILE* script);

// ---- the script

typedef struct BlenderMaterials {
    uint32_t (*colors)[2]; // strong and light; equal: it has no texture (count)
    int count;
    bool no_memory;
} BlenderMaterials;

// its number; once asked for, it is there
int blender_material(BlenderMaterials* m, uint32_t strong, uint32_t light);

// `objects` is the text of a list of dicts: one for each, as the functions above tell them.
void blender_script(FILE* file, const Sequence* sequence, const BlenderMaterials* materials,
                    const char* objects, const char* directory);

#endif
