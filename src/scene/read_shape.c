// Shapes: the curve of a rod at the start, or without stress.
#include "scene/values.h"

#include <math.h>
#include <stdlib.h>

#define NEEDED_POINT "three numbers in metres, such as [0, 0, 0]"
#define NEEDED_RADIUS "it in metres"
#define KNOT_MARGIN 1.3 // a knot without a size has room for ropes so much thicker
#define LEAST_SINE 1e-9 // least sine of the angle between two axes

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
    List points; // CordVec3
} Points;

typedef struct File {
    const char* path;
} File;

bool check_axes(Reader* r, const JsonValue* value, CordVec3 a, CordVec3 b, const char* names)
{
    if (cord_vec3_length(cord_vec3_cross(a, b)) > LEAST_SINE * cord_vec3_length(a) * cord_vec3_length(b)) {
        return true;
    }
    return reader_error(r, value, "has %s in the same direction; they must not be parallel", names);
}

// ---- line

static const Field line_fields[] = {
    {FIELD("from", VECTOR, Line, from), .about = "Point where it starts.", .needed = NEEDED_POINT,
     .quantity = &quantity_position},
    {FIELD("to", VECTOR, Line, to), .about = "Point where it ends.", .needed = NEEDED_POINT,
     .quantity = &quantity_position},
};
static void line_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Line* line = keys;
    if (cord_vec3_equal(line->from, line->to)) {
        reader_error(r, value, "goes from a point to the same point; its two ends must be apart");
        return;
    }
    *(SceneShape*)target =
        (SceneShape){cord_shape_line(line->from, line->to, 0), .noun = "a line", .cannot_close = true};
}

static const Table table_line = TABLE("line", "a line", line_fields, .about = "A straight line.",
                                      .size = sizeof(Line), .convert = line_convert);

// ---- points

static void read_point(Reader* r, const JsonValue* entry, int index, void* entries)
{
    CordVec3* points = entries;
    points[index] = (CordVec3){NAN, NAN, NAN};
    if (read_vector(r, entry, &quantity_position, &points[index]) && index > 0 &&
        cord_vec3_equal(points[index], points[index - 1])) {
        reader_error(r, entry, "is the same point as the one before it; neighbours must be apart");
    }
}

static const Field points_fields[] = {
    {FIELD("points", VECTORS, Points, points), .about = "The points of the curve.",
     .needed = "a list of points in metres", .quantity = &quantity_position, .least = 2,
     .example = "[[0, 0, 0], [1, 0, 0]]", ENTRIES(CordVec3, read_point)},
};
static const Table table_points = TABLE("points", "a curve through points", points_fields,
                                        .about = "A curve through points.", .size = sizeof(Points));

static void read_points(Reader* r, const JsonValue* value, void* target)
{
    CordShapeKind kind = (CordShapeKind)r->field->tag;
    bool is_polyline = kind == CORD_SHAPE_POLYLINE;
    Points keys = {{NULL, 0}};
    if (read_table(r, value, &table_points, &keys)) {
        *(SceneShape*)target = (SceneShape){
            .shape = {.kind = kind, .points = keys.points.entries, .point_count = keys.points.count},
            .noun = is_polyline ? "a polyline" : "a spline",
            .has_vertices = is_polyline};
    }
}

static const Field file_fields[] = {
    {FIELD("path", STRING, File, path),
     .about = "Path of the file, relative to the scene's folder. Each line has x, y and z in metres; a "
              "header is allowed.",
     .needed = "the path of a CSV file, as seen from the scene's folder"},
};

static void file_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    SceneShape read = {
        .shape = {.kind = CORD_SHAPE_POLYLINE}, .noun = "a file of points", .has_vertices = true};
    if (read_points_file(r, value, ((const File*)keys)->path, &read.shape)) {
        *(SceneShape*)target = read;
    }
}

static const Table table_file =
    TABLE("file", "a file of points", file_fields, .about = "Points from a CSV file.", .size = sizeof(File),
          .convert = file_convert);

// ---- circle and ellipse

static void read_degrees(Reader* r, const JsonValue* value, void* target)
{
    double* degrees = target;
    if (!check_list(r, value, 2, 2, "write the angles where the arc begins and ends, such as [0, 180]")) {
        return;
    }
    if (!read_numbers(r, value, &quantity_degrees, 2, degrees)) {
        return;
    }
    double sweep = degrees[1] - degrees[0];
    if (!(sweep > 0.0 && sweep <= 360.0)) {
        reader_error(r, value, "must go from an angle to a larger one, by at most 360 degrees");
    }
}

static const Field circle_fields[] = {
    {FIELD("center", VECTOR, Circle, center), .about = "Centre.", .quantity = &quantity_position},
    {FIELD("normal", VECTOR, Circle, normal), .about = "Direction of its axis.",
     .quantity = &quantity_direction},
    {FIELD("radius", NUMBER, Circle, radius), .about = "Radius.", .needed = NEEDED_RADIUS,
     .quantity = &quantity_radius},
    {FIELD("start", VECTOR, Circle, start), .about = "Direction from the centre to the point at 0 degrees.",
     .otherwise = "some normal of the axis", .quantity = &quantity_direction},
    {FIELD("degrees", NUMBERS, Circle, degrees), .about = "Angles at which an arc begins and ends.",
     .otherwise = "all around", .quantity = &quantity_degrees, .least = 2, .most = 2, .read = read_degrees},
};
static const Field ellipse_fields[] = {
    {FIELD("center", VECTOR, Circle, center), .about = "Centre.", .quantity = &quantity_position},
    {FIELD("axis1", VECTOR, Circle, axis1), .about = "Direction of the first axis, where 0 degrees is.",
     .quantity = &quantity_direction},
    {FIELD("axis2", VECTOR, Circle, axis2), .about = "Direction of the second axis.",
     .quantity = &quantity_direction},
    {FIELD("half1", NUMBER, Circle, half1), .about = "Half-axis along axis1.", .needed = NEEDED_RADIUS,
     .quantity = &quantity_length},
    {FIELD("half2", NUMBER, Circle, half2), .about = "Half-axis along axis2.", .needed = NEEDED_RADIUS,
     .quantity = &quantity_length},
    {FIELD("degrees", NUMBERS, Circle, degrees), .about = "Angles at which an arc begins and ends.",
     .otherwise = "all around", .quantity = &quantity_degrees, .least = 2, .most = 2, .read = read_degrees},
};
static SceneShape make_arc(CordShape shape, const double degrees[2], const char* noun)
{
    const double radians = CORD_PI / 180.0;
    bool whole = degrees[1] - degrees[0] == 360.0;
    shape.angle_from = radians * degrees[0];
    if (!whole || degrees[0] != 0.0) { // else the shape's own 2 pi is exact
        shape.angle_to = whole ? shape.angle_to + shape.angle_from : radians * degrees[1];
    }
    return (SceneShape){shape, .noun = whole ? noun : "an arc", .is_loop = whole, .cannot_close = !whole};
}

static void circle_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Circle* c = keys;
    CordShape shape = cord_shape_circle(c->center, c->normal, c->radius, 0);
    if (json_member(value, "start")) {
        if (!check_axes(r, value, c->normal, c->start, "normal and start")) {
            return;
        }
        shape.axis2 = cord_vec3_cross(c->normal, c->start);
        shape.axis1 = cord_vec3_cross(shape.axis2, c->normal); // the part of start across the normal
    }
    *(SceneShape*)target = make_arc(shape, c->degrees, "a circle");
}

static const Table table_circle = TABLE(
    "circle", "a circle", circle_fields, .about = "A circle, or an arc of one.", .size = sizeof(Circle),
    .defaults = &(const Circle){.normal = {0, 0, 1}, .degrees = {0.0, 360.0}}, .convert = circle_convert);

static void ellipse_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Circle* c = keys;
    if (check_axes(r, value, c->axis1, c->axis2, "axis1 and axis2")) {
        CordShape shape = cord_shape_ellipse(c->center, c->axis1, c->axis2, c->half1, c->half2, 0);
        *(SceneShape*)target = make_arc(shape, c->degrees, "an ellipse");
    }
}

static const Table table_ellipse = TABLE(
    "ellipse", "an ellipse", ellipse_fields, .about = "An ellipse, or an arc of one.", .size = sizeof(Circle),
    .defaults = &(const Circle){.axis1 = {1, 0, 0}, .axis2 = {0, 1, 0}, .degrees = {0.0, 360.0}},
    .convert = ellipse_convert);

// ---- helix and torus knot

static const Quantity quantity_pitch = ANY_NUMBER("a pitch is the rise in metres of one turn", "m");
static const Quantity quantity_winding = AT_LEAST(-1000, "a torus knot's windings are counted", NULL, 1000);

static const Field helix_fields[] = {
    {FIELD("center", VECTOR, Helix, center), .about = "Point on its axis, level with its start.",
     .quantity = &quantity_position},
    {FIELD("axis", VECTOR, Helix, axis), .about = "Direction of its axis.", .quantity = &quantity_direction},
    {FIELD("start", VECTOR, Helix, start), .about = "Direction from the axis to its start.",
     .otherwise = "some normal of the axis", .quantity = &quantity_direction},
    {FIELD("radius", NUMBER, Helix, radius), .about = "Radius.", .needed = NEEDED_RADIUS,
     .quantity = &quantity_radius},
    {FIELD("pitch", NUMBER, Helix, pitch), .about = "Rise of one turn.",
     .needed = "the rise of one turn in metres", .quantity = &quantity_pitch},
    {FIELD("turns", NUMBER, Helix, turns), .about = "Number of turns; a positive number is right-handed.",
     .needed = "how many turns, positive for a right-handed helix", .quantity = &quantity_turns},
};
static void helix_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Helix* h = keys;
    if (h->turns == 0.0) {
        reader_error(r, value, "has 0 turns; a helix needs more or less than that");
        return;
    }
    CordShape shape = cord_shape_helix(h->center, h->axis, h->radius, h->pitch, h->turns, 0);
    if (json_member(value, "start")) {
        if (!check_axes(r, value, h->axis, h->start, "axis and start")) {
            return;
        }
        shape.axis2 = h->start;
    }
    *(SceneShape*)target = (SceneShape){shape, .noun = "a helix", .cannot_close = true};
}

static const Table table_helix =
    TABLE("helix", "a helix", helix_fields, .about = "A helix.", .size = sizeof(Helix),
          .defaults = &(const Helix){.axis = {0, 0, 1}}, .convert = helix_convert);

static const Field torus_knot_fields[] = {
    {FIELD("center", VECTOR, TorusKnot, center), .about = "Centre.", .quantity = &quantity_position},
    {FIELD("axis", VECTOR, TorusKnot, axis), .about = "Direction of the torus's axis.",
     .quantity = &quantity_direction},
    {FIELD("p", COUNT, TorusKnot, p), .about = "Number of windings around the axis.",
     .needed = "how often it winds around the axis, such as 2", .quantity = &quantity_winding},
    {FIELD("q", COUNT, TorusKnot, q),
     .about = "Number of windings through the hole, which has no common divisor with p.",
     .needed = "how often it winds through the hole, such as 3", .quantity = &quantity_winding},
    {FIELD("radius", NUMBER, TorusKnot, radius), .about = "Radius of the ring.", .needed = NEEDED_RADIUS,
     .quantity = &quantity_radius},
    {FIELD("tube_radius", NUMBER, TorusKnot, tube_radius), .about = "Radius of the ring's tube.",
     .needed = NEEDED_RADIUS, .quantity = &quantity_radius},
};
static int common_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return abs(a);
}

static void torus_knot_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const TorusKnot* k = keys;
    if (k->p == 0 || k->q == 0 || common_divisor(k->p, k->q) != 1) {
        reader_error(r, value, "has p %d and q %d; they must have no common divisor, such as 2 and 3", k->p,
                     k->q);
        return;
    }
    if (k->tube_radius >= k->radius) {
        reader_error(r, value, "has a tube_radius that is not smaller than its radius");
        return;
    }
    CordShape shape = cord_shape_torus_knot(k->center, k->axis, k->p, k->q, k->radius, k->tube_radius, 0);
    bool is_knot = abs(k->p) > 1 && abs(k->q) > 1;
    *(SceneShape*)target = (SceneShape){shape, .noun = "a torus knot", .is_loop = true, .is_knot = is_knot};
}

static const Table table_torus_knot =
    TABLE("torus_knot", "a torus knot", torus_knot_fields, .about = "A knot that winds around a torus.",
          .size = sizeof(TorusKnot), .defaults = &(const TorusKnot){.axis = {0, 0, 1}},
          .convert = torus_knot_convert);

// ---- knots

static const char* knot_name(int i)
{
    return i < cord_knot_count() ? cord_knot_name(i) : NULL;
}

static const Words knot_words = {.what = "a knot", .name = knot_name};

static const Quantity quantity_strand = NOT_NEGATIVE("the ropes of a knot are counted from 0", NULL, 1000);
static const Quantity quantity_tails = NOT_NEGATIVE("tails are lengths in metres", "m", 1e9);

static void knot_start(void* keys)
{
    *(Knot*)keys =
        (Knot){.kind = -1, .axis1 = {1, 0, 0}, .axis2 = {0, 1, 0}, .size = NAN, .tails = NAN, .radius = NAN};
}

static const Field knot_fields[] = {
    {FIELD("name", WORD, Knot, kind), .about = "Name of the knot.",
     .needed = "which knot, such as \"overhand\"", .words = &knot_words},
    {FIELD("strand", COUNT, Knot, strand), .about = "Index of the rope in the knot, 0 or 1.",
     .quantity = &quantity_strand},
    {FIELD("center", VECTOR, Knot, center), .about = "Centre of the drawing.",
     .quantity = &quantity_position},
    {FIELD("axis1", VECTOR, Knot, axis1), .about = "Direction across the drawing, from left to right.",
     .quantity = &quantity_direction},
    {FIELD("axis2", VECTOR, Knot, axis2), .about = "Direction up the drawing.",
     .quantity = &quantity_direction},
    {FIELD("size", NUMBER, Knot, size), .about = "Width of the drawing without the tails.",
     .otherwise = "room for ropes 1.3 times as thick as `radius`", .quantity = &quantity_length},
    {FIELD("radius", NUMBER, Knot, radius), .about = "Radius of the ropes that the knot has room for.",
     .otherwise = "the rod's own", .quantity = &quantity_radius},
    {FIELD("tails", NUMBER, Knot, tails), .about = "Length of straight rope at each end.",
     .otherwise = "the size", .quantity = &quantity_tails},
    {FIELD("mirrored", BOOL, Knot, mirrored), .about = "Whether the knot is its mirror image."},
};
// Makes room for ropes of the radius that is given, or of the rod's own.
static bool size_knot(Reader* r, const JsonValue* value, Knot* k)
{
    const char* name = cord_knot_name(k->kind);
    double wanted = KNOT_MARGIN * k->radius / cord_knot_clearance(name, 1.0);
    if (isnan(k->size) && !(k->radius > 0.0)) {
        return reader_error(r, value,
                            "has no size, and no radius of the rope to take it from; write a size in metres");
    }
    if (k->radius > k->size && 1e-3 * k->radius <= cord_knot_clearance(name, k->size)) {
        return reader_error(r, value,
                            "has a size of %g m, too small for ropes of radius %g m; if that radius is in "
                            "millimetres, write %g",
                            k->size, k->radius, 1e-3 * k->radius);
    }
    if (k->radius > cord_knot_clearance(name, k->size)) {
        return reader_error(
            r, value,
            "has a size of %g, too small for ropes of radius %g, which would overlap; write %.3g, "
            "or leave the size out",
            k->size, k->radius, wanted);
    }
    k->size = isnan(k->size) ? wanted : k->size;
    return true;
}

static void knot_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    SceneShape* shape = target;
    Knot k = *(const Knot*)keys;
    k.radius = isnan(k.radius) ? shape->radius : k.radius;
    if (!check_axes(r, value, k.axis1, k.axis2, "axis1 and axis2")) {
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
                          .is_loop = closed, .cannot_close = !closed, .is_knot = true};
}

static const Table table_knot =
    TABLE("knot", "a knot", knot_fields,
          .about = "A rope of a knot that has a name, loosely tied. It is drawn in the plane of two axes.",
          .size = sizeof(Knot), .start = knot_start, .convert = knot_convert);

// ---- any shape

static const Field shape_fields[] = {
    {VARIANT("line", table_line)},
    {VARIANT("polyline", table_points), .about = "Straight lines from point to point.", .read = read_points,
     .tag = CORD_SHAPE_POLYLINE},
    {VARIANT("spline", table_points), .about = "A smooth curve through points (Catmull-Rom).",
     .read = read_points, .tag = CORD_SHAPE_SPLINE},
    {VARIANT("circle", table_circle)},
    {VARIANT("ellipse", table_ellipse)},
    {VARIANT("helix", table_helix)},
    {VARIANT("torus_knot", table_torus_knot)},
    {VARIANT("knot", table_knot), .about = "A rope of a knot that has a name."},
    {VARIANT("file", table_file)},
    {VARIANT("network", table_network), .about = "Nodes, and edges between any two of them, for modal rods."},
    {VARIANT("grid", table_grid), .about = "A plane grid of beams, or a lattice of boxes, for modal rods."},
    {VARIANT("tree", table_tree), .about = "A tree that branches at every tip, for modal rods."},
    {VARIANT("mesh", table_mesh_network), .about = "The edges of a mesh from a file, for modal rods."},
};
const Table table_shape = TABLE("shape", "a shape", shape_fields, .about = "A shape: exactly one kind.");
