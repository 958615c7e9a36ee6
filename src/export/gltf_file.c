// A .glb file: a header, a chunk of JSON and a chunk of bytes.
#include "export/gltf.h"

#include "export/little_endian.h"
#include "export/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- the text

bool gltf_open(Gltf* g)
{
    bool good = true;
    *g = (Gltf){0};
    for (int i = 0; good && i < GLTF_LIST_COUNT; i++) {
        g->lists[i].file = open_memstream(&g->lists[i].text, &g->lists[i].size);
        good = g->lists[i].file != NULL;
    }
    if (!good) {
        gltf_close(g);
    }
    return good;
}

void gltf_close(Gltf* g)
{
    for (int i = 0; i < GLTF_LIST_COUNT; i++) {
        if (g->lists[i].file) {
            fclose(g->lists[i].file);
        }
        free(g->lists[i].text);
    }
    free(g->bytes);
    free(g->materials);
    *g = (Gltf){0};
}

FILE* gltf_entry(Gltf* g, GltfList list)
{
    GltfText* text = &g->lists[list];
    fputs(text->count++ > 0 ? ",\n" : "", text->file);
    return text->file;
}

void gltf_numbers(FILE* file, const float* values, int count)
{
    char text[NUMBER_TEXT_MOST];
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s%s", i > 0 ? "," : "[", number_text_short((double)values[i], text));
    }
    putc(']', file);
}

// ---- the bytes

// Reserves bytes in the buffer. NULL: there is no memory, and only the size is counted.
static uint8_t* reserve(Gltf* g, size_t more)
{
    size_t start = g->size;
    if (more == 0) {
        return NULL;
    }
    g->size += more;
    g->too_large = g->too_large || g->size > UINT32_MAX;
    if (g->size > g->capacity && !g->no_memory && !g->too_large) {
        size_t capacity = 2 * g->size + 4096;
        uint8_t* grown = realloc(g->bytes, capacity);
        g->no_memory = grown == NULL;
        g->bytes = grown ? grown : g->bytes;
        g->capacity = grown ? capacity : g->capacity;
    }
    return g->no_memory || g->too_large ? NULL : g->bytes + start;
}

int gltf_view_begin(Gltf* g)
{
    static const uint8_t zeros[4] = {0};
    gltf_put_bytes(g, zeros, (4 - g->size % 4) % 4); // alignment of floats
    g->view_start = g->size;
    return g->lists[GLTF_VIEWS].count;
}

void gltf_put_bytes(Gltf* g, const void* bytes, size_t size)
{
    uint8_t* to = reserve(g, size);
    if (to) {
        memcpy(to, bytes, size);
    }
}

void gltf_put_float(Gltf* g, double value)
{
    uint8_t* to = reserve(g, 4);
    g->not_finite = g->not_finite || !(fabs(value) <= (double)FLT_MAX);
    if (to && !g->not_finite) {
        little_endian_put_f32(to, (float)value);
    }
}

void gltf_put_vector(Gltf* g, CordVec3 v)
{
    gltf_put_float(g, v.x);
    gltf_put_float(g, v.y);
    gltf_put_float(g, v.z);
}

void gltf_put_u16(Gltf* g, unsigned value)
{
    gltf_put_bytes(g, (uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

static void put_corner(Gltf* g, int vertex)
{
    uint8_t* to = reserve(g, 4);
    if (to) {
        little_endian_put_u32(to, (uint32_t)vertex);
    }
}

void gltf_view_end(Gltf* g, int target)
{
    FILE* file = gltf_entry(g, GLTF_VIEWS);
    fprintf(file, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", g->view_start,
            g->size - g->view_start);
    if (target != 0) {
        fprintf(file, ",\"target\":%d", target);
    }
    putc('}', file);
}

// ---- accessors

static FILE* accessor_begin(Gltf* g, GltfKind kind, const char* type, int count, size_t offset)
{
    FILE* file = gltf_entry(g, GLTF_ACCESSORS);
    fprintf(file, "{\"bufferView\":%d,\"componentType\":%d,\"type\":\"%s\",\"count\":%d",
            g->lists[GLTF_VIEWS].count, kind, type, count);
    if (offset != 0) {
        fprintf(file, ",\"byteOffset\":%zu", offset);
    }
    return file;
}

static int accessor_end(Gltf* g, FILE* file)
{
    putc('}', file);
    return g->lists[GLTF_ACCESSORS].count - 1;
}

int gltf_accessor(Gltf* g, GltfKind kind, const char* type, int count, size_t offset)
{
    return accessor_end(g, accessor_begin(g, kind, type, count, offset));
}

int gltf_view_close(Gltf* g, GltfKind kind, const char* type, int count, int target)
{
    int accessor = gltf_accessor(g, kind, type, count, 0);
    gltf_view_end(g, target);
    return accessor;
}

int gltf_accessor_between(Gltf* g, const char* type, int count, const float* low, const float* high,
                          int width)
{
    FILE* file = accessor_begin(g, GLTF_F32, type, count, 0);
    fputs(",\"min\":", file);
    gltf_numbers(file, low, width);
    fputs(",\"max\":", file);
    gltf_numbers(file, high, width);
    return accessor_end(g, file);
}

int gltf_weights(Gltf* g, int count)
{
    FILE* file = accessor_begin(g, GLTF_U8, "VEC4", count, 0);
    fputs(",\"normalized\":true", file);
    return accessor_end(g, file);
}

static void widen(float low[3], float high[3], CordVec3 x)
{
    const double values[3] = {x.x, x.y, x.z};
    for (int c = 0; c < 3; c++) {
        low[c] = fminf(low[c], (float)values[c]);
        high[c] = fmaxf(high[c], (float)values[c]);
    }
}

int gltf_positions(Gltf* g, const CordVec3* x, int count)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    gltf_view_begin(g);
    for (int i = 0; i < count; i++) {
        gltf_put_vector(g, x[i]);
        widen(low, high, x[i]);
    }
    int accessor = gltf_accessor_between(g, "VEC3", count, low, high, 3);
    gltf_view_end(g, GLTF_VERTICES);
    return accessor;
}

int gltf_normals(Gltf* g, const CordVec3* n, int count)
{
    gltf_view_begin(g);
    for (int i = 0; i < count; i++) {
        gltf_put_vector(g, n[i]);
    }
    return gltf_view_close(g, GLTF_F32, "VEC3", count, GLTF_VERTICES);
}

int gltf_faces(Gltf* g, const MeshFace* faces, int count, const uint8_t* tones, int tone)
{
    int corners = 0;
    for (int f = 0; f < count; f++) {
        const MeshFace* face = &faces[f];
        if (tones && tones[f] != tone) {
            continue;
        }
        if (corners == 0) {
            gltf_view_begin(g);
        }
        for (int c = 1; c + 1 < face->count; c++, corners += 3) {
            put_corner(g, face->vertex[0]);
            put_corner(g, face->vertex[c]);
            put_corner(g, face->vertex[c + 1]);
        }
    }
    return corners > 0 ? gltf_view_close(g, GLTF_U32, "SCALAR", corners, GLTF_TRIANGLES) : -1;
}

CordVec3 gltf_up(CordVec3 a)
{
    return (CordVec3){a.x, a.z, -a.y};
}

int gltf_mesh(Gltf* g, const GltfPrimitive* primitives, int count)
{
    FILE* file = gltf_entry(g, GLTF_MESHES);
    for (int i = 0; i < count; i++) {
        const GltfPrimitive* a = &primitives[i];
        fprintf(file, "%s{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", i > 0 ? "," : "{\"primitives\":[",
                a->positions, a->normals);
        if (a->texture >= 0) {
            fprintf(file, ",\"TEXCOORD_0\":%d", a->texture);
        }
        if (a->joints >= 0) {
            fprintf(file, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", a->joints, a->weights);
        }
        fprintf(file, "},\"indices\":%d,\"material\":%d}", a->triangles, a->material);
    }
    fputs("]}", file);
    return g->lists[GLTF_MESHES].count - 1;
}

// ---- the file

static void put_list(FILE* file, const Gltf* g, GltfList list, const char* name)
{
    if (g->lists[list].count > 0) { // glTF has no empty arrays
        fprintf(file, ",\n\"%s\":[\n%s]", name, g->lists[list].text);
    }
}

// The parent of everything in Cordage's axes: a quarter turn about x.
static void put_turned_node(Gltf* g)
{
    const GltfText* children = &g->lists[GLTF_CHILDREN];
    if (children->count == 0) {
        return;
    }
    fflush(children->file);
    fprintf(gltf_entry(g, GLTF_ROOTS), "%d", g->lists[GLTF_NODES].count);
    fprintf(gltf_entry(g, GLTF_NODES),
            "{\"name\":\"cordage\",\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757],\"children\":["
            "%s]}",
            children->text);
}

static bool make_json(Gltf* g, const char* name, FILE* file)
{
    put_turned_node(g);
    for (int i = 0; i < GLTF_LIST_COUNT; i++) {
        if (fflush(g->lists[i].file) != 0 || ferror(g->lists[i].file)) {
            return false;
        }
    }
    fprintf(file, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"cordage %s\"},\n\"scene\":0,\n",
            cord_version());
    fputs("\"scenes\":[{\"name\":", file);
    text_json(file, name, "");
    fprintf(file, ",\"nodes\":[%s]}]", g->lists[GLTF_ROOTS].text);
    static const char* const names[] = {
        [GLTF_NODES] = "nodes",         [GLTF_MESHES] = "meshes",       [GLTF_SKINS] = "skins",
        [GLTF_MATERIALS] = "materials", [GLTF_TEXTURES] = "textures",   [GLTF_SAMPLERS] = "samplers",
        [GLTF_IMAGES] = "images",       [GLTF_ACCESSORS] = "accessors", [GLTF_VIEWS] = "bufferViews"};
    for (int i = GLTF_NODES; i <= GLTF_VIEWS; i++) {
        put_list(file, g, (GltfList)i, names[i]);
    }
    fprintf(file, ",\n\"buffers\":[{\"byteLength\":%zu}]", g->size);
    if (g->lists[GLTF_CHANNELS].count > 0) {
        fprintf(file, ",\n\"animations\":[{\"name\":\"run\",\"channels\":[\n%s],\"samplers\":[\n%s]}]",
                g->lists[GLTF_CHANNELS].text, g->lists[GLTF_TRACKS].text);
    }
    fputs("}\n", file);
    return ferror(file) == 0;
}

static void put_u32(FILE* file, size_t value)
{
    uint8_t bytes[4];
    little_endian_put_u32(bytes, (uint32_t)value);
    fwrite(bytes, 1, sizeof bytes, file);
}

// Chunks are padded to whole words, JSON with spaces and bytes with zeros.
static void put_chunk(FILE* file, const char tag[4], const void* data, size_t size, int padding)
{
    put_u32(file, (size + 3) / 4 * 4);
    fwrite(tag, 1, 4, file);
    fwrite(data, 1, size, file);
    for (size_t i = size; i % 4 != 0; i++) {
        putc(padding, file);
    }
}

CordResult gltf_too_large(double bytes, CordMessage* message)
{
    return export_fail(
        message, CORD_BAD_ARGUMENT,
        "the file would have %.1f GB, and a .glb has less than 4.2; choose fewer frames with --frames, "
        "or fewer --sides",
        bytes * 1e-9);
}

static CordResult put_file(const Gltf* g, const char* json, size_t json_size, FILE* file,
                           CordMessage* message)
{
    size_t whole = 12 + 8 + (json_size + 3) / 4 * 4 + 8 + (g->size + 3) / 4 * 4;
    if (whole > UINT32_MAX) {
        return gltf_too_large((double)whole, message);
    }
    fwrite("glTF", 1, 4, file);
    put_u32(file, 2); // version
    put_u32(file, whole);
    put_chunk(file, "JSON", json, json_size, ' ');
    put_chunk(file, "BIN", g->bytes, g->size, 0); // the tag's fourth byte is the terminating zero
    return CORD_OK;
}

CordResult gltf_write(Gltf* g, const char* name, FILE* file, CordMessage* message)
{
    char* json = NULL;
    size_t size = 0;
    FILE* text = open_memstream(&json, &size);
    bool good = text && !g->no_memory && make_json(g, name, text);
    good = text && fclose(text) == 0 && good;
    CordResult result = g->not_finite  ? sequence_not_finite(message)
                        : g->too_large ? gltf_too_large((double)g->size, message)
                        : !good        ? sequence_no_memory(message)
                                       : put_file(g, json, size, file, message);
    free(json);
    return result;
}
