// Meshes and poses, as numbers of four bytes. The script stores where each begins and how many there are.
#include "export/blender.h"

#include "export/little_endian.h"

#include <float.h>
#include <math.h>

void blender_put_int(BlenderNumbers* n, int value)
{
    uint8_t bytes[4];
    little_endian_put_u32(bytes, (uint32_t)value);
    n->size += fwrite(bytes, 1, sizeof bytes, n->file);
}

void blender_put_float(BlenderNumbers* n, double value)
{
    uint8_t bytes[4];
    n->not_finite = n->not_finite || !(fabs(value) <= (double)FLT_MAX);
    little_endian_put_f32(bytes, n->not_finite ? 0.0f : (float)value);
    n->size += fwrite(bytes, 1, sizeof bytes, n->file);
}

void blender_put_vector(BlenderNumbers* n, CordVec3 v)
{
    blender_put_float(n, v.x);
    blender_put_float(n, v.y);
    blender_put_float(n, v.z);
}

BlenderPart blender_part(const BlenderNumbers* n, const char* name)
{
    return (BlenderPart){name, n->size};
}

void blender_part_end(const BlenderNumbers* n, BlenderPart part, FILE* script)
{
    fprintf(script, "\"%s\": (%zu, %zu), ", part.name, part.start, (n->size - part.start) / 4);
}

// ---- tubes

static void tube_corners(BlenderNumbers* n, const TubeMesh* tube, int first)
{
    for (int f = 0; f < tube->face_count; f++) {
        for (int k = 0; k < tube->faces[f].count; k++) {
            blender_put_int(n, first + tube->vertices[tube->faces[f].vertex[k]].point);
        }
    }
}

static void tube_texture(BlenderNumbers* n, const TubeMesh* tube)
{
    for (int f = 0; f < tube->face_count; f++) {
        for (int k = 0; k < tube->faces[f].count; k++) {
            const TubeVertex* v = &tube->vertices[tube->faces[f].vertex[k]];
            blender_put_float(n, v->u);
            blender_put_float(n, v->v);
        }
    }
}

static void put_sizes(BlenderNumbers* n, const MeshFace* faces, int count)
{
    for (int f = 0; f < count; f++) {
        blender_put_int(n, faces[f].count);
    }
}

static void put_tubes(BlenderNumbers* n, const BlenderCache* c, FILE* script)
{
    BlenderPart part = blender_part(n, "corners");
    for (int i = 0, first = 0; i < c->count; first += c->tubes[i].point_count, i++) {
        tube_corners(n, &c->tubes[i], first);
    }
    blender_part_end(n, part, script);
    part = blender_part(n, "sizes");
    for (int i = 0; i < c->count; i++) {
        put_sizes(n, c->tubes[i].faces, c->tubes[i].face_count);
    }
    blender_part_end(n, part, script);
    part = blender_part(n, "uv");
    for (int i = 0; i < c->count; i++) {
        tube_texture(n, &c->tubes[i]);
    }
    blender_part_end(n, part, script);
}

// ---- surfaces and solids

static void put_triangles(BlenderNumbers* n, const BlenderCache* c, const CordFrame* frame, FILE* script)
{
    int triangles = 0, first = 0;
    BlenderPart part = blender_part(n, "corners");
    for (int i = 0; i < c->count; i++) {
        const CordFrameSurface* surface = &frame->surfaces[c->members[i]];
        for (int k = 0; k < 3 * surface->triangle_count; k++) {
            blender_put_int(n, first + surface->triangles[k]);
        }
        triangles += surface->triangle_count;
        first += surface->vertex_count;
    }
    blender_part_end(n, part, script);
    part = blender_part(n, "sizes");
    for (int k = 0; k < triangles; k++) {
        blender_put_int(n, 3);
    }
    blender_part_end(n, part, script);
}

void blender_cache_faces(BlenderNumbers* n, const BlenderCache* c, const CordFrame* frame, FILE* script)
{
    if (c->surfaces) {
        put_triangles(n, c, frame, script);
    } else {
        put_tubes(n, c, script);
    }
}

// Writes vertices, not points, so that faces which meet at a sharp edge have their own normals.
void blender_solid(BlenderNumbers* n, const SolidModel* model, FILE* script)
{
    const Mesh* mesh = &model->mesh;
    BlenderPart part = blender_part(n, "points");
    for (int i = 0; i < mesh->vertex_count; i++) {
        blender_put_vector(n, mesh->x[i]);
    }
    blender_part_end(n, part, script);
    part = blender_part(n, "corners");
    for (int f = 0; f < mesh->face_count; f++) {
        for (int k = 0; k < mesh->faces[f].count; k++) {
            blender_put_int(n, mesh->faces[f].vertex[k]);
        }
    }
    blender_part_end(n, part, script);
    part = blender_part(n, "sizes");
    put_sizes(n, mesh->faces, mesh->face_count);
    blender_part_end(n, part, script);
    part = blender_part(n, "slots");
    for (int f = 0; f < mesh->face_count; f++) {
        blender_put_int(n, model->tones[f]);
    }
    blender_part_end(n, part, script);
}

// Position and quaternion, scalar first as Blender stores it. A solid that never moves has one pose.
void blender_poses(BlenderNumbers* n, const Keyframes* keyframes, int frames, FILE* script)
{
    bool moves = keyframes_change(keyframes->translation, 3, frames) ||
                 keyframes_change(keyframes->rotation, 4, frames);
    static const int order[4] = {3, 0, 1, 2};
    BlenderPart part = blender_part(n, "poses");
    for (int k = 0; k < (moves ? frames : 1); k++) {
        for (int c = 0; c < 3; c++) {
            blender_put_float(n, (double)keyframes->translation[3 * k + c]);
        }
        for (int c = 0; c < 4; c++) {
            blender_put_float(n, (double)keyframes->rotation[4 * k + order[c]]);
        }
    }
    blender_part_end(n, part, script);
}
