#include "scene/mesh_text.h"

#include "scene/number.h"

#include <math.h>
#include <string.h>

#define NUMBER_ROOM 64

void mesh_text_skip_line(MeshText* t)
{
    while (!mesh_text_at_line_end(t)) {
        t->at++;
    }
    t->at += t->at < t->size;
}

void mesh_text_skip_word(MeshText* t)
{
    while (!mesh_text_at_gap(t)) {
        t->at++;
    }
}

void mesh_text_skip_gaps(MeshText* t)
{
    while (t->at < t->size && mesh_text_at_gap(t)) {
        t->at++;
    }
}

bool mesh_text_take(MeshText* t, const char* word)
{
    size_t start = t->at;
    for (; *word; word++, t->at++) {
        int c = mesh_text_peek(t);
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != *word) {
            t->at = start;
            return false;
        }
    }
    bool whole = mesh_text_at_gap(t);
    t->at = whole ? t->at : start;
    return whole;
}

bool mesh_text_fail(MeshText* t, size_t at, const char* problem)
{
    t->at = at;
    t->problem = problem;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Writes a number of a mesh file, such as +1, .5, 5. or 007, as JSON has it.
static size_t as_json(const char* word, size_t size, char json[NUMBER_ROOM])
{
    size_t from = 0, to = 0;
    if (word[0] == '-') {
        json[to++] = '-';
    }
    from += word[0] == '-' || word[0] == '+';
    while (from + 1 < size && word[from] == '0' && is_digit(word[from + 1])) {
        from++;
    }
    if (from < size && word[from] == '.' && (from + 1 < size && is_digit(word[from + 1]))) {
        json[to++] = '0';
    }
    while (from < size) {
        bool bare = word[from] == '.' && from > 0 && is_digit(word[from - 1]) &&
                    (from + 1 == size || word[from + 1] == 'e' || word[from + 1] == 'E');
        if (!bare) {
            json[to++] = word[from];
        }
        from++;
    }
    return to;
}

bool mesh_text_number(MeshText* t, double* value)
{
    const char* word = t->bytes + t->at;
    size_t start = t->at, length = 0;
    mesh_text_skip_word(t);
    size_t size = t->at - start;
    t->at = start;
    if (size > 0 && !number_read(word, size, &length, value) && length == size) {
        t->at += size;
        return true;
    }
    char json[NUMBER_ROOM];
    if (size > 0 && size < NUMBER_ROOM - 1) {
        size_t written = as_json(word, size, json);
        if (written > 0 && !number_read(json, written, &length, value) && length == written) {
            t->at += size;
            return true;
        }
    }
    return mesh_text_fail(t, start, "expected a number, and one that is finite");
}

bool mesh_text_coordinate(MeshText* t, double value, double* target)
{
    *target = value * t->scale + 0.0; // -0 becomes +0
    if (fabs(*target) <= quantity_position.high) {
        return true;
    }
    return mesh_text_fail(t, t->at,
                          isfinite(value) ? "a position is in metres and must be at most 1e9"
                                          : "a coordinate of a vertex must be a finite number");
}

bool mesh_text_position(MeshText* t, double* target)
{
    size_t start = t->at;
    double number;
    bool good = mesh_text_number(t, &number) && mesh_text_coordinate(t, number, target);
    t->at = good ? t->at : start;
    return good;
}

bool mesh_allocate(Pool* pool, MeshFile* mesh)
{
    mesh->vertices = pool_array(pool, CordVec3, mesh->vertex_count);
    mesh->triangles = pool_array(pool, int, 3 * (size_t)mesh->triangle_count);
    mesh->outer = pool_array(pool, uint8_t, mesh->triangle_count);
    mesh->lines = pool_array(pool, int, 2 * (size_t)mesh->line_count);
    return mesh->vertices && mesh->triangles && mesh->outer && mesh->lines;
}

void mesh_set_triangle(MeshFile* mesh, int index, int a, int b, int c)
{
    int* corner = &mesh->triangles[3 * (size_t)index];
    corner[0] = a, corner[1] = b, corner[2] = c;
    mesh->outer[index] = MESH_OUTER_2;
}
