// STL, as text and in binary: triangles by the positions of their corners. Corners at the same place become
// one vertex.
#include "scene/mesh_text.h"

#include <math.h>
#include <string.h>

#define HEADER_BYTES 80
#define COUNT_BYTES 4
#define TRIANGLE_BYTES 50 // a normal and three corners as floats, then two bytes more
#define NORMAL_BYTES 12

// ---- vertices from corners

#define MOST_PROBES 1000 // a file may be made so that all hashes collide: then some corners are not merged

typedef struct Corners {
    MeshText* text;
    CordVec3* vertices; // (vertex_capacity)
    int* triangles;     // the vertex of each corner (corner_capacity)
    int vertex_count, corner_count;
    int vertex_capacity, corner_capacity;
    int* slots; // 1 + the vertex, 0: empty (slot_count, a power of two)
    size_t slot_count;
    bool failed; // there is no memory
} Corners;

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static uint64_t position_hash(CordVec3 p)
{
    uint64_t bits[3];
    memcpy(bits, &p, sizeof bits);
    return mix(mix(mix(bits[0]) + bits[1]) + bits[2]);
}

// The slot of this position, or the first empty one; NULL: neither was found.
static int* find_slot(const Corners* c, CordVec3 p)
{
    size_t at = (size_t)position_hash(p);
    for (int probe = 0; probe < MOST_PROBES; probe++, at++) {
        int* slot = &c->slots[at & (c->slot_count - 1)];
        if (*slot == 0 || cord_vec3_equal(c->vertices[*slot - 1], p)) {
            return slot;
        }
    }
    return NULL;
}

static bool grow_vertices(Corners* c)
{
    Pool* pool = c->text->scratch;
    if (!pool_grow(pool, (void**)&c->vertices, c->vertex_count, &c->vertex_capacity, sizeof *c->vertices)) {
        return false;
    }
    while (c->slot_count < 2 * (size_t)c->vertex_capacity) {
        c->slot_count = 2 * c->slot_count + (c->slot_count == 0);
    }
    c->slots = pool_array(pool, int, c->slot_count);
    for (int i = 0; c->slots && i < c->vertex_count; i++) {
        int* slot = find_slot(c, c->vertices[i]);
        if (slot && *slot == 0) {
            *slot = i + 1;
        }
    }
    return c->slots != NULL;
}

// False: there is no memory, or a triangle too many.
static bool add_corner(Corners* c, CordVec3 p)
{
    if (c->corner_count == 3 * MESH_FILE_MOST_TRIANGLES) {
        return mesh_text_fail(c->text, c->text->at, MESH_TOO_MANY("triangles"));
    }
    if ((c->vertex_count == c->vertex_capacity && !grow_vertices(c)) ||
        !pool_grow(c->text->scratch, (void**)&c->triangles, c->corner_count, &c->corner_capacity,
                   sizeof *c->triangles)) {
        c->failed = true;
        return false;
    }
    int* slot = find_slot(c, p);
    int vertex = slot && *slot > 0 ? *slot - 1 : c->vertex_count++;
    c->vertices[vertex] = p;
    if (slot) {
        *slot = vertex + 1;
    }
    c->triangles[c->corner_count++] = vertex;
    return true;
}

// Copies the mesh from scratch memory to the pool.
static void hand_out(const Corners* c, MeshFile* mesh)
{
    Pool* pool = c->text->pool;
    mesh->vertices = pool_array(pool, CordVec3, c->vertex_count);
    mesh->triangles = pool_array(pool, int, c->corner_count);
    if (mesh->vertices && mesh->triangles && c->corner_count > 0) {
        memcpy(mesh->vertices, c->vertices, sizeof *c->vertices * (size_t)c->vertex_count);
        memcpy(mesh->triangles, c->triangles, sizeof *c->triangles * (size_t)c->corner_count);
    }
    mesh->vertex_count = c->vertex_count;
    mesh->triangle_count = c->corner_count / 3;
}

// ---- binary

static uint32_t read_u32(const char* bytes) // little-endian
{
    const unsigned char* b = (const unsigned char*)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float read_float(const char* bytes)
{
    uint32_t bits = read_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t size_of(uint32_t triangles)
{
    return HEADER_BYTES + COUNT_BYTES + (uint64_t)TRIANGLE_BYTES * triangles;
}

bool mesh_stl_is_binary(const char* bytes, size_t size)
{
    return size >= HEADER_BYTES + COUNT_BYTES && size == size_of(read_u32(bytes + HEADER_BYTES));
}

static bool read_corner(MeshText* t, Corners* c)
{
    double p[3];
    for (int k = 0; k < 3; k++, t->at += sizeof(float)) {
        if (!mesh_text_coordinate(t, (double)read_float(t->bytes + t->at), &p[k])) {
            return false;
        }
    }
    return add_corner(c, (CordVec3){p[0], p[1], p[2]});
}

void mesh_stl_read_binary(MeshText* t, MeshFile* mesh)
{
    if (t->size < HEADER_BYTES + COUNT_BYTES) {
        mesh_text_fail(
            t, t->size,
            "the file ends before the number of triangles, which is at byte 80 of a binary STL file");
        return;
    }
    uint32_t count = read_u32(t->bytes + HEADER_BYTES);
    if (!mesh_stl_is_binary(t->bytes, t->size)) {
        t->at = HEADER_BYTES;
        t->problem = pool_format(
            t->pool,
            "%u triangles of binary STL would take %llu bytes, and the file has %zu; it is damaged, or "
            "neither OBJ nor STL",
            count, (unsigned long long)size_of(count), t->size);
        return;
    }
    Corners corners = {.text = t};
    for (uint32_t i = 0; i < count; i++) {
        t->at = (size_t)size_of(i) + NORMAL_BYTES;
        for (int k = 0; k < 3; k++) {
            if (!read_corner(t, &corners)) {
                return;
            }
        }
    }
    hand_out(&corners, mesh);
}

// ---- text

static bool expect(MeshText* t, const char* word, const char* problem)
{
    mesh_text_skip_gaps(t);
    if (mesh_text_take(t, word)) {
        return true;
    }
    return mesh_text_fail(t, t->at, t->at < t->size ? problem : "the file ends within a triangle");
}

static bool read_vertex(MeshText* t, Corners* c)
{
    if (!expect(t, "vertex", "expected vertex: a loop has three")) {
        return false;
    }
    double p[3];
    for (int k = 0; k < 3; k++) {
        mesh_text_skip_gaps(t);
        if (!mesh_text_position(t, &p[k])) {
            return false;
        }
    }
    return add_corner(c, (CordVec3){p[0], p[1], p[2]});
}

// Reads "facet normal x y z outer loop vertex ... vertex ... vertex ... endloop endfacet" after its first
// word. The normal is passed over: it follows from the vertices, and is often wrong.
static bool read_facet(MeshText* t, Corners* c)
{
    if (!expect(t, "normal", "expected normal after facet")) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        mesh_text_skip_gaps(t);
        mesh_text_skip_word(t);
    }
    return expect(t, "outer", "expected outer loop after a normal of three numbers") &&
           expect(t, "loop", "expected loop after outer") && read_vertex(t, c) && read_vertex(t, c) &&
           read_vertex(t, c) && expect(t, "endloop", "expected endloop after three vertices") &&
           expect(t, "endfacet", "expected endfacet after endloop");
}

// The text is a list of solids: solid NAME, its facets, endsolid NAME.
void mesh_stl_read_text(MeshText* t, MeshFile* mesh)
{
    Corners corners = {.text = t};
    bool inside = false;
    for (mesh_text_skip_gaps(t); t->at < t->size; mesh_text_skip_gaps(t)) {
        if (mesh_text_take(t, inside ? "endsolid" : "solid")) {
            inside = !inside;
            mesh_text_skip_line(t);
        } else if (inside && mesh_text_take(t, "facet")) {
            if (!read_facet(t, &corners)) {
                return;
            }
        } else {
            t->problem = inside ? "expected facet or endsolid" : "expected solid";
            return;
        }
    }
    if (inside) {
        t->problem = "the file ends before endsolid; it may have been cut short";
        return;
    }
    hand_out(&corners, mesh);
}
