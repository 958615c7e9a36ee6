// PLY, as text and in binary of either byte order. A header lists the elements that follow and their
// properties. Vertices, faces and edges are read; other elements are passed over. Faces are polygons, which
// are cut into triangles from their first corner.
#include "scene/mesh_text.h"

#include <math.h>
#include <string.h>

#define MOST_ELEMENTS 64    // kinds of elements
#define MOST_PROPERTIES 512 // of all kinds
#define MOST_ITEMS 2e9      // elements of one kind

typedef enum PlyFormat { PLY_NONE, PLY_TEXT, PLY_LITTLE, PLY_BIG } PlyFormat; // byte orders

typedef enum PlyType {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT,
    PLY_DOUBLE
} PlyType;

static const int type_bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};

static const struct {
    const char* name;
    PlyType type;
} type_names[] = {
    {"char", PLY_INT8},   {"uchar", PLY_UINT8},   {"short", PLY_INT16},   {"ushort", PLY_UINT16},
    {"int", PLY_INT32},   {"uint", PLY_UINT32},   {"float", PLY_FLOAT},   {"double", PLY_DOUBLE},
    {"int8", PLY_INT8},   {"uint8", PLY_UINT8},   {"int16", PLY_INT16},   {"uint16", PLY_UINT16},
    {"int32", PLY_INT32}, {"uint32", PLY_UINT32}, {"float32", PLY_FLOAT}, {"float64", PLY_DOUBLE},
};

typedef enum PlyUse { USE_NONE, USE_X, USE_Y, USE_Z, USE_FIRST, USE_SECOND, USE_CORNERS } PlyUse;

typedef enum PlyKind { KIND_VERTEX, KIND_FACE, KIND_EDGE, KIND_OTHER } PlyKind;

typedef struct PlyProperty {
    PlyType type, count_type;
    bool is_list;
    PlyUse use;
} PlyProperty;

typedef struct PlyElement {
    PlyKind kind;
    int count;
    int first, property_count; // its properties
} PlyElement;

typedef struct Ply {
    MeshText* text;
    MeshFile* mesh;
    PlyFormat format;
    bool filling; // the second pass, after triangles have been counted
    PlyElement elements[MOST_ELEMENTS];
    int element_count;
    PlyProperty properties[MOST_PROPERTIES];
    int property_count;
    int triangle_count; // so far
} Ply;

static bool fail(MeshText* t, const char* problem)
{
    return mesh_text_fail(t, t->at, problem);
}

// ---- the header

static bool next_word(MeshText* t) // false: the line ends
{
    while (mesh_text_peek(t) == ' ' || mesh_text_peek(t) == '\t') {
        t->at++;
    }
    return !mesh_text_at_line_end(t);
}

static bool read_format(Ply* p)
{
    static const char* const names[] = {
        [PLY_TEXT] = "ascii", [PLY_LITTLE] = "binary_little_endian", [PLY_BIG] = "binary_big_endian"};
    MeshText* t = p->text;
    next_word(t);
    for (int i = PLY_TEXT; i <= PLY_BIG; i++) {
        if (mesh_text_take(t, names[i])) {
            p->format = (PlyFormat)i;
            return true;
        }
    }
    return fail(t, "a format is ascii, binary_little_endian or binary_big_endian");
}

static PlyKind read_kind(MeshText* t)
{
    static const char* const names[] = {[KIND_VERTEX] = "vertex", [KIND_FACE] = "face", [KIND_EDGE] = "edge"};
    for (int i = 0; i < KIND_OTHER; i++) {
        if (mesh_text_take(t, names[i])) {
            return (PlyKind)i;
        }
    }
    mesh_text_skip_word(t);
    return KIND_OTHER;
}

static bool is_there(const Ply* p, PlyKind kind)
{
    bool there = false;
    for (int i = 0; i < p->element_count; i++) {
        there = there || p->elements[i].kind == kind;
    }
    return there;
}

static bool read_element(Ply* p)
{
    MeshText* t = p->text;
    if (!next_word(t)) {
        return fail(t, "an element has a name and a number, such as element vertex 8");
    }
    PlyKind kind = read_kind(t);
    double count;
    next_word(t);
    size_t start = t->at;
    if (!mesh_text_number(t, &count) || count != floor(count) || count < 0.0 || count > MOST_ITEMS) {
        return mesh_text_fail(t, start, "expected how many of them there are");
    }
    if (kind != KIND_OTHER && count > MESH_FILE_MOST_TRIANGLES) {
        return mesh_text_fail(t, start, MESH_TOO_MANY("of them"));
    }
    if (kind != KIND_OTHER && is_there(p, kind)) {
        return fail(t, "this element has been there already");
    }
    if (p->element_count == MOST_ELEMENTS) {
        return fail(t, "there are more than 64 kinds of elements");
    }
    p->elements[p->element_count++] =
        (PlyElement){.kind = kind, .count = (int)count, .first = p->property_count};
    return true;
}

static bool read_type(MeshText* t, PlyType* type)
{
    next_word(t);
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (mesh_text_take(t, type_names[i].name)) {
            *type = type_names[i].type;
            return true;
        }
    }
    return fail(t, "expected a type: char, uchar, short, ushort, int, uint, float or double");
}

static PlyUse read_use(MeshText* t, PlyKind kind, bool is_list)
{
    static const struct {
        PlyKind kind;
        const char* name;
        PlyUse use;
    } uses[] = {
        {KIND_VERTEX, "x", USE_X},
        {KIND_VERTEX, "y", USE_Y},
        {KIND_VERTEX, "z", USE_Z},
        {KIND_EDGE, "vertex1", USE_FIRST},
        {KIND_EDGE, "vertex2", USE_SECOND},
        {KIND_FACE, "vertex_indices", USE_CORNERS},
        {KIND_FACE, "vertex_index", USE_CORNERS},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].kind == kind && (uses[i].use == USE_CORNERS) == is_list &&
            mesh_text_take(t, uses[i].name)) {
            return uses[i].use;
        }
    }
    return USE_NONE;
}

static bool read_property(Ply* p)
{
    MeshText* t = p->text;
    PlyElement* element = p->element_count > 0 ? &p->elements[p->element_count - 1] : NULL;
    PlyProperty property = {.use = USE_NONE};
    if (!element || p->property_count == MOST_PROPERTIES) {
        return fail(t,
                    element ? "there are more than 512 properties" : "a property stands after its element");
    }
    next_word(t);
    property.is_list = mesh_text_take(t, "list");
    if ((property.is_list && !read_type(t, &property.count_type)) || !read_type(t, &property.type)) {
        return false;
    }
    next_word(t);
    property.use = read_use(t, element->kind, property.is_list);
    p->properties[p->property_count++] = property;
    element->property_count++;
    return true;
}

// Whether the element has these properties, each once.
static bool has_uses(const Ply* p, PlyKind kind, PlyUse from, PlyUse to)
{
    int count[USE_CORNERS + 1] = {0};
    bool whole = true;
    for (int i = 0; i < p->element_count; i++) {
        const PlyElement* e = &p->elements[i];
        for (int k = 0; e->kind == kind && k < e->property_count; k++) {
            count[p->properties[e->first + k].use]++;
        }
    }
    for (int use = (int)from; use <= (int)to; use++) {
        whole = whole && count[use] == 1;
    }
    return whole;
}

static bool check_header(Ply* p)
{
    MeshText* t = p->text;
    if (p->format == PLY_NONE) {
        return fail(t, "there is no format before end_header");
    }
    if (!is_there(p, KIND_VERTEX) || !has_uses(p, KIND_VERTEX, USE_X, USE_Z)) {
        return fail(t, "there is no element vertex with the properties x, y and z");
    }
    if (is_there(p, KIND_FACE) && !has_uses(p, KIND_FACE, USE_CORNERS, USE_CORNERS)) {
        return fail(t, "faces need a property list vertex_indices");
    }
    if (is_there(p, KIND_EDGE) && !has_uses(p, KIND_EDGE, USE_FIRST, USE_SECOND)) {
        return fail(t, "edges need the properties vertex1 and vertex2");
    }
    return true;
}

// Moves behind the header, where the data begin. With `two` its lines end in two bytes.
static bool pass_header(MeshText* t, bool two)
{
    mesh_text_skip_line(t);
    t->at += two && t->at < t->size && t->bytes[t->at] == '\n';
    return true;
}

static bool read_header(Ply* p)
{
    MeshText* t = p->text;
    mesh_text_take(t, "ply");
    next_word(t);
    bool two = t->at + 1 < t->size && t->bytes[t->at] == '\r' && t->bytes[t->at + 1] == '\n';
    for (; t->at < t->size; mesh_text_skip_line(t)) {
        if (!next_word(t) || mesh_text_take(t, "comment") || mesh_text_take(t, "obj_info")) {
            continue;
        }
        if (mesh_text_take(t, "end_header")) {
            return check_header(p) && pass_header(t, two);
        }
        bool known = mesh_text_take(t, "format")    ? read_format(p)
                     : mesh_text_take(t, "element") ? read_element(p)
                     : mesh_text_take(t, "property")
                         ? read_property(p)
                         : fail(t, "expected format, element, property, comment or end_header");
        if (!known) {
            return false;
        }
    }
    return fail(t, "the file ends before end_header");
}

// ---- values

static bool ends_early(Ply* p)
{
    return fail(p->text, "the file ends before all that its header names; it may have been cut short");
}

static bool at_value(Ply* p, PlyType type)
{
    MeshText* t = p->text;
    if (p->format != PLY_TEXT) {
        return t->size - t->at >= (size_t)type_bytes[type] || ends_early(p);
    }
    mesh_text_skip_gaps(t);
    return t->at < t->size || ends_early(p);
}

static bool skip_value(Ply* p, PlyType type)
{
    if (!at_value(p, type)) {
        return false;
    }
    if (p->format == PLY_TEXT) {
        mesh_text_skip_word(p->text);
    } else {
        p->text->at += (size_t)type_bytes[type];
    }
    return true;
}

static double from_bits(uint64_t bits, PlyType type)
{
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case PLY_INT8: return (double)(int8_t)low;
    case PLY_INT16: return (double)(int16_t)low;
    case PLY_INT32: return (double)(int32_t)low;
    case PLY_FLOAT: memcpy(&single, &low, sizeof single); return (double)single;
    case PLY_DOUBLE: memcpy(&value, &bits, sizeof value); return value;
    default: return (double)bits;
    }
}

// Reads a value that begins at *start, and moves behind it. An error stands at its start.
static bool read_value(Ply* p, PlyType type, size_t* start, double* value)
{
    MeshText* t = p->text;
    if (!at_value(p, type)) {
        return false;
    }
    *start = t->at;
    if (p->format == PLY_TEXT) {
        return mesh_text_number(t, value);
    }
    int count = type_bytes[type];
    uint64_t bits = 0;
    for (int i = 0; i < count; i++) {
        size_t from = t->at + (size_t)(p->format == PLY_BIG ? i : count - 1 - i);
        bits = bits << 8 | (unsigned char)t->bytes[from];
    }
    *value = from_bits(bits, type);
    t->at += (size_t)count;
    return true;
}

static bool is_index(double number, double most)
{
    return number == floor(number) && number >= 0.0 && number <= most;
}

static bool read_vertex_number(Ply* p, PlyType type, int* vertex)
{
    MeshText* t = p->text;
    double number;
    size_t start;
    if (!read_value(p, type, &start, &number)) {
        return false;
    }
    if (is_index(number, p->mesh->vertex_count - 1.0)) {
        *vertex = (int)number;
        return true;
    }
    const char* text = pool_format(t->pool, "there is no vertex %.9g; the file has %d, counted from 0",
                                   number, p->mesh->vertex_count);
    return mesh_text_fail(t, start, text ? text : "there is no such vertex");
}

// Reads the number of values of a list. Each takes at least a byte, which bounds it.
static bool read_list_count(Ply* p, PlyType type, int* count)
{
    MeshText* t = p->text;
    double number;
    size_t start;
    if (!read_value(p, type, &start, &number)) {
        return false;
    }
    if (!is_index(number, (double)(t->size - t->at))) {
        return mesh_text_fail(
            t, start, "a list begins with how many values it has, and the file does not have so many more");
    }
    *count = (int)number;
    return true;
}

static bool skip_list(Ply* p, const PlyProperty* property)
{
    int count = 0;
    bool good = read_list_count(p, property->count_type, &count);
    for (int i = 0; good && i < count; i++) {
        good = skip_value(p, property->type);
    }
    return good;
}

// ---- elements

static bool read_polygon(Ply* p, const PlyProperty* property)
{
    MeshText* t = p->text;
    int count = 0, first = 0, before = 0, first_triangle = p->triangle_count;
    bool there = at_value(p, property->count_type);
    size_t start = t->at;
    if (!there || !read_list_count(p, property->count_type, &count)) {
        return false;
    }
    if (count < 3) {
        return mesh_text_fail(t, start, "a face needs at least three vertices");
    }
    if (count - 2 > MESH_FILE_MOST_TRIANGLES - p->triangle_count) {
        return fail(t, MESH_TOO_MANY("triangles"));
    }
    for (int i = 0; i < count; i++) {
        int vertex = 0;
        if (!(p->filling ? read_vertex_number(p, property->type, &vertex) : skip_value(p, property->type))) {
            return false;
        }
        if (i >= 2 && p->filling) {
            mesh_set_triangle(p->mesh, p->triangle_count, first, before, vertex);
        }
        p->triangle_count += i >= 2;
        first = i == 0 ? vertex : first;
        before = vertex;
    }
    if (p->filling) {
        p->mesh->outer[first_triangle] |= MESH_OUTER_1;
        p->mesh->outer[p->triangle_count - 1] |= MESH_OUTER_3;
    }
    return true;
}

static bool read_property_value(Ply* p, const PlyProperty* property, double x[3], int ends[2])
{
    MeshText* t = p->text;
    double value;
    if (property->use == USE_CORNERS) {
        return read_polygon(p, property);
    }
    if (property->is_list) {
        return skip_list(p, property);
    }
    if (property->use == USE_NONE || !p->filling) {
        return skip_value(p, property->type);
    }
    if (property->use == USE_FIRST || property->use == USE_SECOND) {
        return read_vertex_number(p, property->type, &ends[property->use - USE_FIRST]);
    }
    size_t start;
    if (!read_value(p, property->type, &start, &value)) {
        return false;
    }
    bool near = mesh_text_coordinate(t, value, &x[property->use - USE_X]);
    t->at = near ? t->at : start;
    return near;
}

static bool read_items(Ply* p, const PlyElement* e)
{
    MeshFile* mesh = p->mesh;
    for (int i = 0; i < e->count && e->property_count > 0; i++) {
        double x[3] = {0};
        int ends[2] = {0};
        for (int k = 0; k < e->property_count; k++) {
            if (!read_property_value(p, &p->properties[e->first + k], x, ends)) {
                return false;
            }
        }
        if (p->filling && e->kind == KIND_VERTEX) {
            mesh->vertices[i] = (CordVec3){x[0], x[1], x[2]};
        } else if (p->filling && e->kind == KIND_EDGE) {
            mesh->lines[2 * (size_t)i] = ends[0], mesh->lines[2 * (size_t)i + 1] = ends[1];
        }
    }
    return true;
}

static bool read_elements(Ply* p)
{
    bool good = true;
    p->triangle_count = 0;
    for (int i = 0; good && i < p->element_count; i++) {
        good = read_items(p, &p->elements[i]);
    }
    return good;
}

static bool make_arrays(Ply* p)
{
    MeshFile* mesh = p->mesh;
    for (int i = 0; i < p->element_count; i++) {
        mesh->vertex_count = p->elements[i].kind == KIND_VERTEX ? p->elements[i].count : mesh->vertex_count;
        mesh->line_count = p->elements[i].kind == KIND_EDGE ? p->elements[i].count : mesh->line_count;
    }
    mesh->triangle_count = p->triangle_count;
    return mesh_allocate(p->text->pool, mesh);
}

bool mesh_ply_is(const char* bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 &&
           (bytes[3] == '\n' || bytes[3] == '\r' || bytes[3] == ' ');
}

// The first pass counts triangles and finds whether the file is complete. The second one checks the numbers.
bool mesh_ply_read(MeshText* t, MeshFile* mesh)
{
    Ply ply = {.text = t, .mesh = mesh};
    if (!read_header(&ply)) {
        return false;
    }
    size_t start = t->at;
    if (read_elements(&ply)) {
        t->at = start;
        ply.filling = make_arrays(&ply);
        if (ply.filling) {
            read_elements(&ply);
        }
    }
    return ply.format != PLY_TEXT;
}
