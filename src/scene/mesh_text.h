// A cursor over the bytes of a mesh file, and the formats that are read with it.
#ifndef CORD_SCENE_MESH_TEXT_H
#define CORD_SCENE_MESH_TEXT_H

#include "scene/mesh_file.h"

typedef struct MeshText {
    Pool* pool;    // for the mesh
    Pool* scratch; // freed when the file has been read
    const char* bytes;
    size_t size, at;
    double scale;
    const char* problem; // what is wrong at `at`; NULL: nothing
} MeshText;

static inline int mesh_text_peek(const MeshText* t) // a line end at the end of the text
{
    return t->at < t->size ? (unsigned char)t->bytes[t->at] : '\n';
}

static inline bool mesh_text_at_line_end(const MeshText* t)
{
    int c = mesh_text_peek(t);
    return c == '\n' || c == '\r';
}

// The bytes of a line continuation: a backslash before a line end, or at the end of the text. 0: none is
// here.
static inline size_t mesh_text_joint(const MeshText* t)
{
    if (mesh_text_peek(t) != '\\') {
        return 0;
    }
    size_t next = t->at + 1;
    size_t returns = next < t->size && t->bytes[next] == '\r';
    size_t feeds = next + returns < t->size && t->bytes[next + returns] == '\n';
    return returns + feeds > 0 || next == t->size ? 1 + returns + feeds : 0;
}

static inline bool mesh_text_at_gap(const MeshText* t) // space between words
{
    int c = mesh_text_peek(t);
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || (c == '\\' && mesh_text_joint(t) > 0);
}

void mesh_text_skip_line(MeshText* t); // to the start of the next
void mesh_text_skip_word(MeshText* t); // to the gap after it
void mesh_text_skip_gaps(MeshText* t); // to the next word, or to the end of the text

// Passes the word if it is here, in any case. False: it is not.
bool mesh_text_take(MeshText* t, const char* word);

bool mesh_text_fail(MeshText* t, size_t at, const char* problem); // moves back to `at`, and returns false

// Each sets `problem` if it returns false.
bool mesh_text_number(MeshText* t, double* value);
// Scales a number that was read, and checks that it is not too large.
bool mesh_text_coordinate(MeshText* t, double value, double* target);
bool mesh_text_position(MeshText* t, double* target); // a number, as a coordinate

#define MESH_TOO_MANY(things) "there are more than 10000000 " things

// The arrays of a mesh that has its counts. False: there is no memory.
bool mesh_allocate(Pool* pool, MeshFile* mesh);

// A triangle of a polygon's fan. Its middle edge is one of the polygon's; the first triangle of a fan also
// has the edge before it, and the last one the edge after it.
void mesh_set_triangle(MeshFile* mesh, int index, int a, int b, int c);

// The formats. Each fills the mesh or sets `problem`. Text begins behind its byte order mark.
void mesh_obj_read(MeshText* t, MeshFile* mesh);
bool mesh_stl_is_binary(const char* bytes, size_t size); // its size is what its count says
void mesh_stl_read_binary(MeshText* t, MeshFile* mesh);  // also of a file that only seems to be STL
void mesh_stl_read_text(MeshText* t, MeshFile* mesh);
bool mesh_ply_is(const char* bytes, size_t size); // by its first word
bool mesh_ply_read(MeshText* t, MeshFile* mesh);  // returns whether the file is binary

#endif
