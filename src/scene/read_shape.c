// Shapes: the curve a rod begins as, or would take if nothing pulled at it.
#include "scene/values.h"

#include <math.h>
#include <stdlib.h>

#define NEEDED_POINT "three numbers in metres, such as [0, 0, 0]"
#define NEEDED_RADIUS "it in metres"
#define MOST_KNOTS 64
#define KNOT_MARGIN 1.3 // how much thicker ropes could be in a knot whose size is not given
#define LEAST_SINE 1e-9 // of the angle between two axes that are not parallel

typedef struct Line {
    CordVec3 from, to;
} Line;

typedef struct Circle { // and ellipses
    CordVec3 center, normal, start, axis1, axis2;
    double radius, half1, half2;
    double degrees[2];
} Circle;

typedef struct Helix {
    CordVec3 center, axis, start;
    double radius, pitch, turns;
} Helix;

typedef struct TorusKnot {
    CordVec3 center, axis;
    int p, q;
    double radius, tube_radius;
} TorusKnot;

typedef struct Knot {
    int kind; // -1: not given
    int strand;
    CordVec3 center, axis1, axis2;
    double size, tails, radius; // NAN: not given
    bool mirrored;
} Knot;

typedef struct Points {
    const JsonValue* points;
} Points;

typedef struct File {
    const JsonValue* path;
} File;

// ---- small geometry

static CordVec3 cross(CordVec3 a, CordVec3 b)
{
    return (CordVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(CordVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static bool same(CordVec3 a, CordVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Two axes that span a plane; a note about `value` if they do not.
static bool check_axes(Reader* r, const JsonValue* value, CordVec3 a, CordVec3 b, const char* names)
{
    if (length(cross(a, b)) > LEAST_SINE * length(a) * length(b)) {
        return true;
    }
    reader_error(r, value, "has %s in the same direction; they must not be parallel", names);
    return false;
}

// ---- line

static const Field line_fields[] = {
    {FIELD("from", VECTOR, Line, from), .needed = NEEDED_POINT, .quantity = &quantity_position},
    {FIELD("to", VECTOR, Line, to), .needed = NEEDED_POINT, .quantity = &quantity_position},
};
const Table table_line = TABLE("line", "a line", line_fields);

static void read_line(Reader* r, const JsonValue* value, void* target)
{
    Line line = {0};
    if (!read_table(r, value, &table_line, &line)) {
        return;
    }
    if (same(line.from, line.to)) {
        reader_error(r, value, "goes from a point to the same point; its two ends must be apart");
        return;
    }
    *(SceneShape*)target =
        (SceneShape){cord_shape_line(line.from, line.to, 0), .noun = "a line", .cannot_close = true};
}

// ---- points

static void read_point(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordVec3* points = user;
    points[index] = (CordVec3){NAN, NAN, NAN};
    if (read_vector(r, entry, &quantity_position, &points[index]) && index > 0 &&
        same(points[index], points[index - 1])) {
        reader_error(r, entry, "is the same point as the one before it; neighbours must be apart");
    }
}

static void read_point_list(Reader* r, const JsonValue* value, void* target)
{
    CordShape* shape = target;
    CordVec3* points = value->kind == JSON_ARRAY ? pool_array(r->pool, CordVec3, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !points) {
        return;
    }
    if (!read_list(r, value, "points are a list, such as [[0, 0, 0], [1, 0, 0]]", read_point, points)) {
        return;
    }
    if (value->count < 2) {
        reader_error(r, value, "is a list of %u; a curve needs at least two points", value->count);
        return;
    }
    shape->points = points;
    shape->point_count = (int)value->count;
}

static const Field points_fields[] = {
    {FIELD("points", KEEP, Points, points), .needed = "a list of points in metres"},
};
const Table table_points = TABLE("points", "a curve through points", points_fields);

static bool read_points(Reader* r, const JsonValue* value, CordShape* shape)
{
    Points keys = {NULL};
    return read_table(r, value, &table_points, &keys) && read_at(r, "points", keys.points, read_point_list, shape);
}

static void read_polyline(Reader* r, const JsonValue* value, void* target)
{
    SceneShape read = {.noun = "a polyline", .has_vertices = true};
    read.shape.kind = CORD_SHAPE_POLYLINE;
    if (read_points(r, value, &read.shape)) {
        *(SceneShape*)target = read;
    }
}

static void read_spline(Reader* r, const JsonValue* value, void* target)
{
    SceneShape read = {.noun = "a spline"};
    read.shape.kind = CORD_SHAPE_SPLINE;
    if (read_points(r, value, &read.shape)) {
        *(SceneShape*)target = read;
    }
}

static const Field file_fields[] = {
    {FIELD("path", KEEP, File, path), .needed = "the path of a CSV file, as seen from the scene's folder"},
};
const Table table_file = TABLE("file", "a file of points", file_fields);

static void read_path(Reader* r, const JsonValue* value, void* shape)
{
    read_points_file(r, value, shape);
}

static void read_file(Reader* r, const JsonValue* value, void* target)
{
    File keys = {NULL};
    SceneShape read = {.noun = "a file of points", .has_vertices = true};
    read.shape.kind = CORD_SHAPE_POLYLINE;
    if (read_table(r, value, &table_file, &keys) && read_at(r, "path", keys.path, read_path, &read.shape)) {
        *(SceneShape*)target = read;
    }
}

// ---- circle and ellipse

static void read_degrees(Reader* r, const JsonValue* value, void* target)
{
    double* degrees = target;
    if (value->kind != JSON_ARRAY || value->count != 2) {
        reader_error(r, value, "is %s; write the angles where the arc begins and ends, such as [0, 180]",
                     reader_describe(r, value));
        return;
    }
    if (!read_number(r, value->first, &quantity_degrees, &degrees[0]) ||
        !read_number(r, value->first->next, &quantity_degrees, &degrees[1])) {
        return;
    }
    double sweep = degrees[1] - degrees[0];
    if (!(sweep > 0.0 && sweep <= 360.0)) {
        reader_error(r, value, "must go from an angle to a larger one, by at most 360 degrees");
    }
}

static const Field circle_fields[] = {
    {FIELD("center", VECTOR, Circle, center), .quantity = &quantity_position},
    {FIELD("normal", VECTOR, Circle, normal), .quantity = &quantity_direction},
    {FIELD("radius", NUMBER, Circle, radius), .needed = NEEDED_RADIUS, .quantity = &quantity_radius},
    {FIELD("start", VECTOR, Circle, start), .quantity = &quantity_direction},
    {FIELD("degrees", OTHER, Circle, degrees), .read = read_degrees},
};
const Table table_circle = TABLE("circle", "a circle", circle_fields);

static const Field ellipse_fields[] = {
    {FIELD("center", VECTOR, Circle, center), .quantity = &quantity_position},
    {FIELD("axis1", VECTOR, Circle, axis1), .quantity = &quantity_direction},
    {FIELD("axis2", VECTOR, Circle, axis2), .quantity = &quantity_direction},
    {FIELD("half1", NUMBER, Circle, half1), .needed = NEEDED_RADIUS, .quantity = &quantity_length},
    {FIELD("half2", NUMBER, Circle, half2), .needed = NEEDED_RADIUS, .quantity = &quantity_length},
    {FIELD("degrees", OTHER, Circle, degrees), .read = read_degrees},
};
const Table table_ellipse = TABLE("ellipse", "an ellipse", ellipse_fields);

static SceneShape make_arc(CordShape shape, const double degrees[2], const char* noun)
{
    const double radians = 3.14159265358979323846 / 180.0;
    bool whole = degrees[1] - degrees[0] == 360.0;
    shape.angle_from = radians * degrees[0];
    if (!whole || degrees[0] != 0.0) { // the shape's own end of a full turn is exact
        shape.angle_to = whole ? shape.angle_to + shape.angle_from : radians * degrees[1];
    }
    return (SceneShape){shape, .noun = whole ? noun : "an arc", .is_loop = whole, .cannot_close = !whole};
}

static void read_circle(Reader* r, const JsonValue* value, void* target)
{
    Circle c = {.normal = {0, 0, 1}, .degrees = {0.0, 360.0}};
    if (!read_table(r, value, &table_circle, &c)) {
        return;
    }
    CordShape shape = cord_shape_circle(c.center, c.normal, c.radius, 0);
    if (json_member(value, "start")) {
        if (!check_axes(r, value, c.normal, c.start, "normal and start")) {
            return;
        }
        shape.axis2 = cross(c.normal, c.start);
        shape.axis1 = cross(shape.axis2, c.normal); // start, less what it has along the normal
    }
    *(SceneShape*)target = make_arc(shape, c.degrees, "a circle");
}

static void read_ellipse(Reader* r, const JsonValue* value, void* target)
{
    Circle c = {.axis1 = {1, 0, 0}, .axis2 = {0, 1, 0}, .degrees = {0.0, 360.0}};
    if (read_table(r, value, &table_ellipse, &c) && check_axes(r, value, c.axis1, c.axis2, "axis1 and axis2")) {
        CordShape shape = cord_shape_ellipse(c.center, c.axis1, c.axis2, c.half1, c.half2, 0);
        *(SceneShape*)target = make_arc(shape, c.degrees, "an ellipse");
    }
}

// ---- helix and torus knot

static const Quantity quantity_pitch = {.what = "a pitch is the rise in metres of one turn", QUANTITY_ANY};
static const Quantity quantity_winding = {
    .what = "a torus knot's windings are counted", .must = "be at least -1000", .low = -1000, QUANTITY_UP_TO(1000)};

static const Field helix_fields[] = {
    {FIELD("center", VECTOR, Helix, center), .quantity = &quantity_position},
    {FIELD("axis", VECTOR, Helix, axis), .quantity = &quantity_direction},
    {FIELD("start", VECTOR, Helix, start), .quantity = &quantity_direction},
    {FIELD("radius", NUMBER, Helix, radius), .needed = NEEDED_RADIUS, .quantity = &quantity_radius},
    {FIELD("pitch", NUMBER, Helix, pitch), .needed = "the rise of one turn in metres", .quantity = &quantity_pitch},
    {FIELD("turns", NUMBER, Helix, turns), .needed = "how many turns, positive for a right-handed helix",
     .quantity = &quantity_turns},
};
const Table table_helix = TABLE("helix", "a helix", helix_fields);

static void read_helix(Reader* r, const JsonValue* value, void* target)
{
    Helix h = {.axis = {0, 0, 1}};
    if (!read_table(r, value, &table_helix, &h)) {
        return;
    }
    if (h.turns == 0.0) {
        reader_error(r, value, "has 0 turns; a helix needs more or less than that");
        return;
    }
    CordShape shape = cord_shape_helix(h.center, h.axis, h.radius, h.pitch, h.turns, 0);
    if (json_member(value, "start")) {
        if (!check_axes(r, value, h.axis, h.start, "axis and start")) {
            return;
        }
        shape.axis2 = h.start;
    }
    *(SceneShape*)target = (SceneShape){shape, .noun = "a helix", .cannot_close = true};
}

static const Field torus_knot_fields[] = {
    {FIELD("center", VECTOR, TorusKnot, center), .quantity = &quantity_position},
    {FIELD("axis", VECTOR, TorusKnot, axis), .quantity = &quantity_direction},
    {FIELD("p", COUNT, TorusKnot, p), .needed = "how often it winds around the axis, such as 2",
     .quantity = &quantity_winding},
    {FIELD("q", COUNT, TorusKnot, q), .needed = "how often it winds through the hole, such as 3",
     .quantity = &quantity_winding},
    {FIELD("radius", NUMBER, TorusKnot, radius), .needed = NEEDED_RADIUS, .quantity = &quantity_radius},
    {FIELD("tube_radius", NUMBER, TorusKnot, tube_radius), .needed = NEEDED_RADIUS, .quantity = &quantity_radius},
};
const Table table_torus_knot = TABLE("torus_knot", "a torus knot", torus_knot_fields);

static int common_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return abs(a);
}

static void read_torus_knot(Reader* r, const JsonValue* value, void* target)
{
    TorusKnot k = {.axis = {0, 0, 1}};
    if (!read_table(r, value, &table_torus_knot, &k)) {
        return;
    }
    if (k.p == 0 || k.q == 0 || common_divisor(k.p, k.q) != 1) {
        reader_error(r, value, "has p %d and q %d; they must have no common divisor, such as 2 and 3", k.p, k.q);
        return;
    }
    if (k.tube_radius >= k.radius) {
        reader_error(r, value, "has a tube_radius that is not smaller than its radius");
        return;
    }
    CordShape shape = cord_shape_torus_knot(k.center, k.axis, k.p, k.q, k.radius, k.tube_radius, 0);
    *(SceneShape*)target = (SceneShape){shape, .noun = "a torus knot", .is_loop = true};
}

// ---- knots

static void read_knot_name(Reader* r, const JsonValue* value, void* target)
{
    Word list[MOST_KNOTS];
    int count = cord_knot_count() < MOST_KNOTS ? cord_knot_count() : MOST_KNOTS;
    for (int i = 0; i < count; i++) {
        list[i] = (Word){cord_knot_name(i), i};
    }
    Words words = {"a knot", list, count};
    read_word(r, value, &words, target);
}

static const Quantity quantity_strand = {
    .what = "the ropes of a knot are counted from 0", .must = "not be negative", .low = 0, QUANTITY_UP_TO(1000)};
static const Quantity quantity_tails = {
    .what = "tails are lengths in metres", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e9)};

static const Field knot_fields[] = {
    {FIELD("name", OTHER, Knot, kind), .needed = "which knot, such as \"overhand\"", .read = read_knot_name},
    {FIELD("strand", COUNT, Knot, strand), .quantity = &quantity_strand},
    {FIELD("center", VECTOR, Knot, center), .quantity = &quantity_position},
    {FIELD("axis1", VECTOR, Knot, axis1), .quantity = &quantity_direction},
    {FIELD("axis2", VECTOR, Knot, axis2), .quantity = &quantity_direction},
    {FIELD("size", NUMBER, Knot, size), .quantity = &quantity_length},
    {FIELD("radius", NUMBER, Knot, radius), .quantity = &quantity_radius},
    {FIELD("tails", NUMBER, Knot, tails), .quantity = &quantity_tails},
    {FIELD("mirrored", BOOL, Knot, mirrored), .what = "this says whether a knot is turned into its mirror image"},
};
const Table table_knot = TABLE("knot", "a knot", knot_fields);

// Room for ropes of the radius given, or of the rod's own.
static bool size_knot(Reader* r, const JsonValue* value, Knot* k)
{
    const char* name = cord_knot_name(k->kind);
    double wanted = KNOT_MARGIN * k->radius / cord_knot_clearance(name, 1.0);
    if (isnan(k->size) && !(k->radius > 0.0)) {
        reader_error(r, value, "has no size, and no radius of the rope to take it from; write a size in metres");
        return false;
    }
    if (k->radius > cord_knot_clearance(name, k->size)) {
        reader_error(r, value,
                     "has a size of %g, too small for ropes of radius %g, which would overlap; write %.3g, or leave the "
                     "size out",
                     k->size, k->radius, wanted);
        return false;
    }
    k->size = isnan(k->size) ? wanted : k->size;
    return true;
}

static void read_knot(Reader* r, const JsonValue* value, void* target)
{
    SceneShape* shape = target;
    Knot k = {.kind = -1, .axis1 = {1, 0, 0}, .axis2 = {0, 1, 0}, .size = NAN, .tails = NAN, .radius = shape->radius};
    if (!read_table(r, value, &table_knot, &k) || !check_axes(r, value, k.axis1, k.axis2, "axis1 and axis2")) {
        return;
    }
    const char* name = cord_knot_name(k.kind);
    int ropes = cord_knot_strands(name);
    if (k.strand >= ropes) {
        reader_error(r, value, "has strand %d, but %s is tied in %s", k.strand, name,
                     ropes == 1 ? "one rope: leave strand out" : "two ropes: write 0 or 1");
        return;
    }
    if (!size_knot(r, value, &k)) {
        return;
    }
    CordShape curve = cord_shape_knot(name, k.strand, k.center, k.size, isnan(k.tails) ? k.size : k.tails, 0);
    curve.axis1 = k.axis1;
    curve.axis2 = k.axis2;
    curve.knot_mirrored = k.mirrored;
    bool closed = cord_knot_closed(name, k.strand);
    *shape = (SceneShape){curve, .noun = closed ? "a knot in a ring" : "a knot in a rope with two ends",
                          .is_loop = closed, .cannot_close = !closed};
}

// ---- any shape

static const Field shape_fields[] = {
    {.name = "line", .kind = FIELD_OTHER, .variant = true, .read = read_line},
    {.name = "polyline", .kind = FIELD_OTHER, .variant = true, .read = read_polyline},
    {.name = "spline", .kind = FIELD_OTHER, .variant = true, .read = read_spline},
    {.name = "circle", .kind = FIELD_OTHER, .variant = true, .read = read_circle},
    {.name = "ellipse", .kind = FIELD_OTHER, .variant = true, .read = read_ellipse},
    {.name = "helix", .kind = FIELD_OTHER, .variant = true, .read = read_helix},
    {.name = "torus_knot", .kind = FIELD_OTHER, .variant = true, .read = read_torus_knot},
    {.name = "knot", .kind = FIELD_OTHER, .variant = true, .read = read_knot},
    {.name = "file", .kind = FIELD_OTHER, .variant = true, .read = read_file},
    {.name = "network", .kind = FIELD_OTHER, .variant = true, .read = read_shape_network},
    {.name = "grid", .kind = FIELD_OTHER, .variant = true, .read = read_shape_grid},
    {.name = "tree", .kind = FIELD_OTHER, .variant = true, .read = read_shape_tree},
    {.name = "mesh", .kind = FIELD_OTHER, .variant = true, .read = read_shape_mesh},
};
const Table table_shape = TABLE("shape", "a shape", shape_fields);

void read_shape(Reader* r, const JsonValue* value, void* shape)
{
    read_table(r, value, &table_shape, shape);
}
