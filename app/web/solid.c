// Tessellates the surfaces of solids for the page.
#include "session.h"

#include <stdlib.h>

typedef struct Surface { // one block of memory: this struct, the vertices, the corners
    uint32_t vertex_count, corner_count;
    float* vertices;   // position and normal (6 vertex_count)
    uint32_t* corners; // vertex indices, three for each triangle (corner_count)
} Surface;

static void count_vertex(void* user, CordVec3 x, CordVec3 normal, int point)
{
    Surface* s = user;
    (void)x, (void)normal, (void)point;
    s->vertex_count++;
}

static void count_face(void* user, int count, const int* vertices)
{
    Surface* s = user;
    (void)vertices;
    s->corner_count += 3 * ((uint32_t)count - 2);
}

static void put_vertex(void* user, CordVec3 x, CordVec3 normal, int point)
{
    Surface* s = user;
    const double values[6] = {x.x, x.y, x.z, normal.x, normal.y, normal.z};
    (void)point;
    for (int k = 0; k < 6; k++) {
        s->vertices[6 * s->vertex_count + (uint32_t)k] = (float)values[k];
    }
    s->vertex_count++;
}

static void put_face(void* user, int count, const int* vertices)
{
    Surface* s = user;
    for (int k = 1; k + 1 < count; k++) {
        s->corners[s->corner_count++] = (uint32_t)vertices[0];
        s->corners[s->corner_count++] = (uint32_t)vertices[k];
        s->corners[s->corner_count++] = (uint32_t)vertices[k + 1];
    }
}

// Tessellates a shape that has sizes. The caller frees the Surface; NULL: no memory.
WEB(web_solid) Surface* web_solid(int shape, double x, double y, double z, int sides)
{
    CordSolid solid = {.shape = (CordSolidShape)shape, .size = {x, y, z}};
    Surface count = {0};
    cord_solid_tessellate(&solid, sides, &(CordMeshSink){count_vertex, count_face, &count});
    Surface* s = malloc(sizeof *s + 24 * (size_t)count.vertex_count + 4 * (size_t)count.corner_count);
    if (s) {
        *s = (Surface){.vertices = (float*)(s + 1)};
        s->corners = (uint32_t*)(s->vertices + 6 * count.vertex_count);
        cord_solid_tessellate(&solid, sides, &(CordMeshSink){put_vertex, put_face, s});
    }
    return s;
}

// How a shape is drawn: its tones (0, 1 or 2), plus 4 if it is endless, plus 8 if it is a mesh.
WEB(web_solid_look) int web_solid_look(int shape)
{
    const CordSolidKind* kind = cord_solid_kind(shape);
    return (int)kind->tones + (kind->is_endless ? 4 : 0) + (kind->is_mesh ? 8 : 0);
}
