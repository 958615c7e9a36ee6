// Wavefront OBJ. Statements v are vertices, f polygons, which are cut into triangles from their first corner,
// and l lines from vertex to vertex. Everything else is passed over.
#include "scene/mesh_text.h"

typedef struct Obj {
    MeshText* text;
    MeshFile* mesh;                               // its arrays are NULL in the first pass, which counts
    int vertex_count, triangle_count, line_count; // so far
} Obj;

// Moves to the next word of the statement. False: it ends here.
static bool next_word(MeshText* t)
{
    while (mesh_text_at_gap(t) && !mesh_text_at_line_end(t)) {
        size_t joint = mesh_text_joint(t);
        t->at += joint > 0 ? joint : 1;
    }
    return !mesh_text_at_line_end(t) && mesh_text_peek(t) != '#';
}

static bool read_vertex(Obj* obj)
{
    MeshText* t = obj->text;
    if (obj->vertex_count == MESH_FILE_MOST_TRIANGLES) {
        return mesh_text_fail(t, t->at, MESH_TOO_MANY("vertices"));
    }
    int i = obj->vertex_count++;
    if (!obj->mesh->vertices) {
        return true;
    }
    double p[3];
    for (int k = 0; k < 3; k++) {
        if (!next_word(t)) {
            return mesh_text_fail(t, t->at, "a vertex needs three numbers, such as v 0 0 1");
        }
        if (!mesh_text_position(t, &p[k])) {
            return false;
        }
    }
    obj->mesh->vertices[i] = (CordVec3){p[0], p[1], p[2]};
    return true;
}

static const char* no_such_vertex(const Obj* obj, bool back, int64_t number)
{
    int count = back ? obj->vertex_count : obj->mesh->vertex_count;
    const char* text = pool_format(obj->text->pool, "there is no vertex %s%lld; the file has %d%s",
                                   back ? "-" : "", (long long)number, count, back ? " up to here" : "");
    return text ? text : "there is no such vertex";
}

// Reads the vertex of a corner, such as 3, 3/1, 3//2 or 3/1/2; texture and normal are passed over. Vertices
// are counted from 1, or back from the last one so far, which is -1.
static bool read_corner(Obj* obj, int* vertex)
{
    MeshText* t = obj->text;
    size_t start = t->at;
    bool back = mesh_text_peek(t) == '-';
    int64_t number = 0;
    t->at += back;
    size_t digits = t->at;
    for (int c = mesh_text_peek(t); c >= '0' && c <= '9'; t->at++, c = mesh_text_peek(t)) {
        number = number < INT32_MAX ? 10 * number + (c - '0') : number;
    }
    bool is_number = t->at > digits && (mesh_text_at_gap(t) || mesh_text_peek(t) == '/');
    int64_t index = back ? obj->vertex_count - number : number - 1;
    if (is_number && number > 0 && index >= 0 && index < obj->mesh->vertex_count) {
        mesh_text_skip_word(t);
        *vertex = (int)index;
        return true;
    }
    return mesh_text_fail(t, start,
                          !is_number    ? "expected the number of a vertex"
                          : number == 0 ? "vertices of a face are counted from 1"
                                        : no_such_vertex(obj, back, number));
}

// Reads the next corner of a face or a line; the first pass only skips it. False: something is wrong.
static bool next_corner(Obj* obj, int* vertex)
{
    if (obj->mesh->triangles) {
        return read_corner(obj, vertex);
    }
    mesh_text_skip_word(obj->text);
    *vertex = 0;
    return true;
}

static bool read_face(Obj* obj)
{
    MeshText* t = obj->text;
    MeshFile* mesh = obj->mesh;
    int first = 0, before = 0, vertex = 0, count = 0, first_triangle = obj->triangle_count;
    for (; next_word(t); count++, before = vertex) {
        if (!next_corner(obj, &vertex)) {
            return false;
        }
        first = count == 0 ? vertex : first;
        if (count >= 2 && obj->triangle_count == MESH_FILE_MOST_TRIANGLES) {
            return mesh_text_fail(t, t->at, MESH_TOO_MANY("triangles"));
        }
        if (count >= 2 && mesh->triangles) {
            mesh_set_triangle(mesh, obj->triangle_count, first, before, vertex);
        }
        obj->triangle_count += count >= 2;
    }
    if (!mesh->triangles) {
        return true;
    }
    if (count < 3) {
        return mesh_text_fail(t, t->at, "a face needs at least three vertices");
    }
    mesh->outer[first_triangle] |= MESH_OUTER_1;
    mesh->outer[obj->triangle_count - 1] |= MESH_OUTER_3;
    return true;
}

static bool read_lines(Obj* obj)
{
    MeshText* t = obj->text;
    int before = 0, vertex = 0, count = 0;
    for (; next_word(t); count++, before = vertex) {
        if (!next_corner(obj, &vertex)) {
            return false;
        }
        if (count > 0 && obj->line_count == MESH_FILE_MOST_TRIANGLES) {
            return mesh_text_fail(t, t->at, MESH_TOO_MANY("lines"));
        }
        if (count > 0 && obj->mesh->lines) {
            int* ends = &obj->mesh->lines[2 * (size_t)obj->line_count];
            ends[0] = before, ends[1] = vertex;
        }
        obj->line_count += count > 0;
    }
    return true;
}

static bool read_statements(Obj* obj)
{
    MeshText* t = obj->text;
    obj->vertex_count = obj->triangle_count = obj->line_count = 0;
    while (t->at < t->size) {
        next_word(t);
        if ((mesh_text_take(t, "v") && !read_vertex(obj)) || (mesh_text_take(t, "f") && !read_face(obj)) ||
            (mesh_text_take(t, "l") && !read_lines(obj))) {
            return false;
        }
        mesh_text_skip_line(t);
    }
    return true;
}

void mesh_obj_read(MeshText* t, MeshFile* mesh)
{
    Obj obj = {.text = t, .mesh = mesh};
    size_t start = t->at;
    if (!read_statements(&obj)) {
        return;
    }
    mesh->vertex_count = obj.vertex_count;
    mesh->triangle_count = obj.triangle_count;
    mesh->line_count = obj.line_count;
    t->at = start;
    if (mesh_allocate(t->pool, mesh)) {
        read_statements(&obj);
    }
}
