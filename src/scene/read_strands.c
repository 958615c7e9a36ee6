// Strands: one entry that makes many rods, which grow on a mesh.
#include "scene/groom.h"

#include <math.h>

#define MOST_STRANDS 100000
#define MOST_ELEMENTS 10000000 // of all strands of an entry
#define MOST_PLANES 100
#define STEEPEST_CURL 0.98 // sine of the greatest angle of a curl to its axis
#define LIFT 1.5           // height of roots above the mesh, in radii of the strands
#define LEAST 1.2          // least distance of a strand from the mesh, in radii
#define BEND_SHARE 0.2     // share of a strand's length in which it bends, if `bend` is not given

typedef struct StrandKeys {
    PlacedMesh surface;
    List where; // GroomPlane
    GroomDef def;
} StrandKeys;

static const Quantity quantity_clearance = POSITIVE("a clearance is a distance in metres", "m", 1e9);

// ---- style

static const Quantity quantity_curl_turns = NOT_NEGATIVE("the turns of a curl are counted", NULL, 10000);
static const Quantity quantity_curl_from = NOT_NEGATIVE("this is a share of the strand's length", NULL, 0.99);
static const Quantity quantity_spread = NOT_NEGATIVE("a spread is a share", NULL, 10);

static const GroomStyle default_style = {.bend = NAN, .curl_from = 0.5};

static const Field curl_fields[] = {
    {FIELD("radius", NUMBER, GroomStyle, curl_radius), .about = "Radius.", .needed = "it in metres",
     .quantity = &quantity_radius},
    {FIELD("turns", NUMBER, GroomStyle, curl_turns), .about = "Number of turns.",
     .needed = "how many turns it has", .quantity = &quantity_curl_turns},
    {FIELD("from", NUMBER, GroomStyle, curl_from),
     .about = "Place along the strand where the helix begins, as a share of its length.",
     .quantity = &quantity_curl_from},
};
static const Table table_curl =
    TABLE("curl", "a curl", curl_fields,
          .about = "A helix at the end of a strand. Each strand begins it at another angle.",
          .size = sizeof(GroomStyle), .defaults = &default_style);

static const Field style_fields[] = {
    {FIELD("lean", VECTOR, GroomStyle, lean),
     .about = "Direction that a strand turns to, from the mesh's normal at its root.",
     .otherwise = "the normal at its root", .quantity = &quantity_direction},
    {FIELD("bend", NUMBER, GroomStyle, bend), .about = "Length in which a strand turns to that direction.",
     .otherwise = "a fifth of the least `length`", .quantity = &quantity_length},
    {FIELD("spread", NUMBER, GroomStyle, spread),
     .about = "Scatter of the strands about that direction, as a share.", .quantity = &quantity_spread},
    {FIELD("clearance", RANGE, GroomStyle, clearance),
     .about = "Distance that a strand keeps from the mesh: one number, or [least, most], between which "
              "each strand draws its own.",
     .otherwise = "1.5 radii", .quantity = &quantity_clearance},
    {WHOLE("curl", OBJECT), .about = "Helix at the end of a strand.", .table = &table_curl},
};
static const Table table_style = TABLE("style", "a style", style_fields, .about = "The course of strands.",
                                       .size = sizeof(GroomStyle), .defaults = &default_style);

// ---- where

static void read_half_space(Reader* r, const JsonValue* entry, int index, void* entries)
{
    CordObstacleDef plane = cord_obstacle_def_default();
    read_table(r, entry, &table_plane, &plane);
    ((GroomPlane*)entries)[index] =
        (GroomPlane){plane.position, cord_quat_rotate(plane.rotation, (CordVec3){0, 0, 1})};
}

// ---- the table

static const Quantity quantity_strands = AT_LEAST(1, "strands are counted", NULL, 100000);
static const Quantity quantity_seed =
    NOT_NEGATIVE("a seed is a whole number that random ones begin with", NULL, 1000000000);

static const StrandKeys default_strands = {.def = {.style = {.bend = NAN, .curl_from = 0.5}}};

static const Field strand_fields[] = {
    {FIELD("mesh", OBJECT, StrandKeys, surface), .about = "Mesh that they grow on.",
     .needed = "what they stand on, such as {\"file\": \"head.obj\"}", .table = &table_mesh},
    {FIELD("count", COUNT, StrandKeys, def.count), .about = "Number of strands.",
     .needed = "how many there are, such as 1000", .quantity = &quantity_strands},
    {FIELD("length", RANGE, StrandKeys, def.length),
     .about = "Length of the strands: one number, or [least, most], between which lengths are drawn evenly.",
     .needed = "how long they are in metres: a number, or [least, most]", .quantity = &quantity_length},
    {FIELD("where", LIST, StrandKeys, where), .about = "Planes that all roots are above.",
     .otherwise = "all of the mesh", .table = &table_plane, .most = MOST_PLANES,
     ENTRIES(GroomPlane, read_half_space)},
    {FIELD("seed", COUNT, StrandKeys, def.seed),
     .about = "Seed of the random numbers; another seed makes other strands.", .quantity = &quantity_seed},
    {FIELD("style", OBJECT, StrandKeys, def.style), .about = "Course of the strands.",
     .otherwise = "straight off the mesh", .table = &table_style},
};
const Table table_strands =
    TABLE("strands", "strands", strand_fields,
          .about = "Many rods that grow on a mesh, such as hair on a head. They are named NAME_00001, "
                   "NAME_00002, ...",
          .size = sizeof(StrandKeys), .defaults = &default_strands);

int strands_count(const JsonValue* entry)
{
    const JsonValue* strands = entry->kind == JSON_OBJECT ? json_member(entry, "strands") : NULL;
    const JsonValue* count = strands && strands->kind == JSON_OBJECT ? json_member(strands, "count") : NULL;
    bool good = count && count->kind == JSON_NUMBER && count->number == floor(count->number) &&
                count->number >= 1.0 && count->number <= MOST_STRANDS;
    return good ? (int)count->number : 1;
}

// ---- strands

// A turn of a helix of radius R, at the angle a to its axis, takes the length 2 pi R / sin a.
static bool check_curl(Reader* r, const JsonValue* value, const GroomDef* def)
{
    const GroomStyle* s = &def->style;
    double room = (1.0 - s->curl_from) * def->length[0], turn = 2.0 * CORD_PI * s->curl_radius;
    if (s->curl_turns * turn <= STEEPEST_CURL * room) {
        return true;
    }
    return reader_error(
        r, value,
        "has a curl of %g turns of radius %g m, which take %.3g m, and only %.3g m of the shortest "
        "strand are left for "
        "them; write fewer turns, or a smaller radius or \"from\"",
        s->curl_turns, s->curl_radius, s->curl_turns * turn / STEEPEST_CURL, room);
}

static bool check_size(Reader* r, const JsonValue* value, const GroomDef* def)
{
    if ((double)def->count * def->elements <= MOST_ELEMENTS) {
        return true;
    }
    return reader_error(r, value, "is %d strands of %d elements each; at most %d elements in all are kept",
                        def->count, def->elements, MOST_ELEMENTS);
}

static bool read_keys(Reader* r, const JsonValue* value, const SceneRod* like, StrandKeys* keys)
{
    double lift = LIFT * like->def.section.radius;
    GroomDef* def = &keys->def;
    *keys = default_strands;
    def->elements = rod_elements(like);
    def->lift = def->style.clearance[0] = def->style.clearance[1] = lift;
    def->least = LEAST * like->def.section.radius;
    if (!read_table(r, value, &table_strands, keys) || !check_curl(r, value, def) ||
        !check_size(r, value, def)) {
        return false;
    }
    mesh_place(&keys->surface);
    def->mesh = &keys->surface.mesh;
    def->where = keys->where.entries, def->plane_count = keys->where.count;
    def->style.bend = isnan(def->style.bend) ? BEND_SHARE * def->length[0] : def->style.bend;
    return true;
}

static void refuse_room(Reader* r, const JsonValue* value)
{
    reader_error(r, value,
                 "have no room: all of them, or nearly all, come within %g radii of the mesh; write thinner "
                 "strands, or more elements",
                 LEAST);
}

static void refuse_where(Reader* r, const JsonValue* value)
{
    if (json_member(value, "where")) {
        member_error(r, value, "where",
                     "leaves nothing of the mesh for roots to be on, or hardly anything; move its planes");
    } else {
        reader_error(r, value,
                     "have a mesh without any area, so that roots have no place on it; take another");
    }
}

static const char* strand_name(Reader* r, const SceneRod* like, int i)
{
    return pool_format(r->pool, "%s_%05d", like->def.name, i + 1);
}

// Grows all strands. Their points are in one array.
static bool grow_all(Reader* r, const JsonValue* value, Groom* groom, SceneRod* rods)
{
    int nodes = groom->def.elements + 1;
    CordVec3* points = pool_array(r->pool, CordVec3, (size_t)groom->def.count * (size_t)nodes);
    const SceneRod like = rods[0];
    for (int i = 0; points && i < groom->def.count; i++, points += nodes) {
        GroomEnd end = groom_grow(groom, points);
        if (end != GROOM_GROWN) {
            (end == GROOM_NO_ROOT ? refuse_where : refuse_room)(r, value);
            return false;
        }
        rods[i] = like;
        rods[i].def.name = strand_name(r, &like, i);
        rods[i].def.shape = cord_shape_polyline(points, nodes, nodes);
    }
    return points != NULL;
}

int strands_make(Reader* r, const JsonValue* value, SceneRod* rods)
{
    StrandKeys keys;
    Groom groom;
    // the first strand has its name even if nothing grows, so that references to it are no errors
    const char* first = strand_name(r, &rods[0], 0);
    bool good = false;
    Pool scratch = pool_beside(r->pool);
    if (read_keys(r, value, &rods[0], &keys) && rods[0].is_whole) {
        good = groom_make(&scratch, &keys.def, &groom) && grow_all(r, value, &groom, rods);
    }
    pool_end(&scratch, r->pool);
    rods[0].is_whole = good;
    rods[0].def.name = first;
    return good ? keys.def.count : 1;
}
