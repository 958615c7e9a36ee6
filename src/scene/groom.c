#include "scene/groom.h"

#include "base/real.h"

#define MOST_TRIES 10000  // places that are tried for one root
#define MOST_STRANDS 1000 // strands that are tried for one that keeps clear
#define PIECES 4          // steps in which an element is grown

// ---- random numbers

typedef enum Draw { // what a random number is for
    DRAW_START,
    DRAW_B,
    DRAW_C,
    DRAW_LENGTH,
    DRAW_CLEARANCE,
    DRAW_LEAN,                 // three numbers
    DRAW_CURL = DRAW_LEAN + 3, // three numbers
    DRAW_COUNT = DRAW_CURL + 3,
} Draw;

static const uint64_t golden = 0x9e3779b97f4a7c15u; // 2^64 over the golden ratio

// A hash: each bit of the result depends on all bits of x.
static uint64_t scatter(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static double fraction(uint64_t bits) // in [0, 1)
{
    return (double)(bits >> 11) * 0x1p-53;
}

static double draw(const Groom* g, uint64_t place, int what)
{
    uint64_t seed = scatter(golden * (uint64_t)(g->def.seed + 1));
    return fraction(scatter(seed + golden * (place * DRAW_COUNT + (uint64_t)what + 1)));
}

static double draw_between(const Groom* g, uint64_t place, int what, const double range[2])
{
    return range[0] + draw(g, place, what) * (range[1] - range[0]);
}

static CordVec3 draw_vector(const Groom* g, uint64_t place, int what) // in [-1, 1]^3
{
    return (CordVec3){2.0 * draw(g, place, what) - 1.0, 2.0 * draw(g, place, what + 1) - 1.0,
                      2.0 * draw(g, place, what + 2) - 1.0};
}

// ---- roots

static bool is_above(const GroomPlane* plane, CordVec3 p)
{
    return cord_vec3_dot(cord_vec3_sub(p, plane->through), plane->normal) >= 0.0;
}

// Whether roots may be on a triangle: no plane has all of it below.
static bool may_hold(const GroomDef* def, int triangle)
{
    const int* of = &def->mesh->triangles[3 * triangle];
    bool may = true;
    for (int i = 0; i < def->plane_count; i++) {
        bool above = false;
        for (int k = 0; k < 3; k++) {
            above = above || is_above(&def->where[i], def->mesh->vertices[of[k]]);
        }
        may = may && above;
    }
    return may;
}

static double area_of(const MeshFile* mesh, int triangle)
{
    const int* of = &mesh->triangles[3 * triangle];
    CordVec3 a = mesh->vertices[of[0]];
    return 0.5 * cord_vec3_length(cord_vec3_cross(cord_vec3_sub(mesh->vertices[of[1]], a),
                                                  cord_vec3_sub(mesh->vertices[of[2]], a)));
}

// The first triangle whose cumulative area exceeds this one.
static int triangle_at(const Groom* g, double area)
{
    int low = 0, high = g->def.mesh->triangle_count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (g->area[middle] > area) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// Steps of the golden ratio spread roots evenly over the area, however many there are.
static bool find_root(Groom* g, MeshPoint* root, uint64_t* place)
{
    double whole = g->area[g->def.mesh->triangle_count - 1];
    uint64_t start = scatter(golden * (uint64_t)(g->def.seed + 1));
    for (int i = 0; whole > 0.0 && i < MOST_TRIES; i++) {
        *place = g->next++;
        int triangle = triangle_at(g, whole * fraction(start + golden * *place));
        double b = draw(g, *place, DRAW_B), c = draw(g, *place, DRAW_C);
        bool folded = b + c > 1.0; // in the other half of the parallelogram
        *root = mesh_grid_point(&g->grid, triangle, folded ? 1.0 - b : b, folded ? 1.0 - c : c);
        bool above = true;
        for (int k = 0; k < g->def.plane_count; k++) {
            above = above && is_above(&g->def.where[k], root->point);
        }
        if (above) {
            return true;
        }
    }
    return false;
}

bool groom_make(Pool* pool, const GroomDef* def, Groom* groom)
{
    double piece = def->length[1] / (PIECES * def->elements), sum = 0.0;
    // at least a step: no step may pass through the mesh unseen
    double reach = real_max(real_max(def->style.clearance[1], def->lift), piece);
    *groom = (Groom){.def = *def, .area = pool_array(pool, double, def->mesh->triangle_count)};
    if (!groom->area || !mesh_grid_make(pool, def->mesh, reach, &groom->grid)) {
        return false;
    }
    for (int i = 0; i < def->mesh->triangle_count; i++) {
        sum += may_hold(def, i) ? area_of(def->mesh, i) : 0.0;
        groom->area[i] = sum;
    }
    return true;
}

// ---- growing

typedef struct Tip { // the end of a strand that grows
    CordVec3 x;      // [m]
    CordVec3 way;    // unit direction of growth, without the curl
    CordVec3 round;  // unit vector across it, from the axis of the curl to the strand
} Tip;

// A unit vector at right angles to another.
static CordVec3 any_across(CordVec3 way)
{
    bool x_is_small = fabs(way.x) < 0.6;
    CordVec3 axis = {x_is_small, !x_is_small, 0};
    return unit_or(cord_vec3_reject(axis, way), axis);
}

// Turns `round` by a small angle about `way`. The tangent of half the angle is two terms of its series, which
// is exact enough: strands need no exact number of turns.
static CordVec3 turn_round(CordVec3 round, CordVec3 way, double angle)
{
    CordVec3 r = unit_or(cord_vec3_reject(round, way), any_across(way)), side = cord_vec3_cross(way, r);
    double t = 0.5 * angle * (1.0 + angle * angle / 12.0), d = 1.0 + t * t;
    CordVec3 turned = {0, 0, 0};
    turned = cord_vec3_madd(turned, r, (1.0 - t * t) / d);
    return cord_vec3_madd(turned, side, 2.0 * t / d);
}

// Grows a strand by one piece towards `lean`, at the distance `clear` from the mesh. `curl` is the sine of
// the helix's angle to its axis, and `angle` the turn of the helix in this piece.
static void advance(const Groom* g, Tip* tip, CordVec3 lean, double piece, double clear, double curl,
                    double angle)
{
    double share = real_min(piece / g->def.style.bend, 1.0);
    CordVec3 way = unit_or(cord_vec3_madd(tip->way, cord_vec3_sub(lean, tip->way), share), tip->way);
    tip->round = turn_round(tip->round, way, angle);
    CordVec3 go = {0, 0, 0};
    go = cord_vec3_madd(cord_vec3_madd(go, way, sqrt(1.0 - curl * curl)), tip->round, curl);
    CordVec3 to = cord_vec3_madd(tip->x, go, piece);
    MeshPoint near;
    if (mesh_grid_nearest(&g->grid, to, &near)) {
        double off = cord_vec3_dot(cord_vec3_sub(to, near.point), near.normal),
               in = cord_vec3_dot(way, near.normal);
        if (off < clear) {
            to = cord_vec3_madd(to, near.normal, clear - off);
            go = unit_or(cord_vec3_sub(to, tip->x), go);
            way = in < 0.0 ? unit_or(cord_vec3_madd(way, near.normal, -in), way) : way;
        }
    }
    tip->x = cord_vec3_madd(tip->x, go, piece);
    tip->way = way;
}

static void grow(const Groom* g, MeshPoint root, uint64_t place, CordVec3* points)
{
    const GroomStyle* style = &g->def.style;
    int pieces = PIECES * g->def.elements;
    double length = draw_between(g, place, DRAW_LENGTH, g->def.length), piece = length / pieces;
    double clearance = draw_between(g, place, DRAW_CLEARANCE, style->clearance);
    bool leans = cord_vec3_dot(style->lean, style->lean) > 0.0;
    CordVec3 lean = unit_or(leans ? style->lean : root.normal, root.normal);
    lean = unit_or(cord_vec3_madd(lean, draw_vector(g, place, DRAW_LEAN), style->spread), lean);
    double wave = style->curl_turns > 0.0 ? (1.0 - style->curl_from) * length / style->curl_turns : INFINITY;
    Tip tip = {cord_vec3_madd(root.point, root.normal, g->def.lift), root.normal,
               draw_vector(g, place, DRAW_CURL)};
    points[0] = tip.x;
    for (int i = 0; i < pieces; i++) {
        double grown = i * piece,
               curled = (grown - style->curl_from * length) / wave; // turns of the curl so far
        double curl = real_min(real_max(curled, 0.0), 1.0) * 2.0 * CORD_PI * style->curl_radius /
                      wave; // its radius grows in its first turn
        advance(g, &tip, lean, piece, real_min(g->def.lift + grown, clearance), curl,
                2.0 * CORD_PI * piece / wave);
        if ((i + 1) % PIECES == 0) {
            points[(i + 1) / PIECES] = tip.x;
        }
    }
}

// ---- keeping clear

// Whether all of a line keeps the distance `least` from the mesh, by conservative advancement: each step is
// as long as the room around the point, or a thousandth of the line.
static bool line_is_clear(const Groom* g, CordVec3 a, CordVec3 b)
{
    CordVec3 line = cord_vec3_sub(b, a);
    double length = cord_vec3_length(line), at = 0.0;
    while (true) {
        CordVec3 p = cord_vec3_madd(a, line, length > 0.0 ? at / length : 0.0);
        MeshPoint near;
        double room = g->grid.reach - g->def.least;
        if (mesh_grid_nearest(&g->grid, p, &near)) {
            CordVec3 off = cord_vec3_sub(p, near.point);
            room = cord_vec3_dot(off, near.normal) > 0.0 ? cord_vec3_length(off) - g->def.least : -1.0;
        }
        if (room < 0.0 || at == length) {
            return room >= 0.0;
        }
        at = real_min(at + real_max(room, 1e-3 * length), length);
    }
}

// Whether a rod through the points keeps clear. Its nodes may lie anywhere between the points, and its edges
// then cut the corners. They cut most from middle to middle, so those lines are checked too.
static bool is_clear(const Groom* g, const CordVec3* points)
{
    for (int i = 0; i < g->def.elements; i++) {
        CordVec3 middle = cord_vec3_madd(points[i], cord_vec3_sub(points[i + 1], points[i]), 0.5);
        if (!line_is_clear(g, points[i], points[i + 1])) {
            return false;
        }
        if (i + 1 < g->def.elements) {
            CordVec3 next = cord_vec3_madd(points[i + 1], cord_vec3_sub(points[i + 2], points[i + 1]), 0.5);
            if (!line_is_clear(g, middle, next)) {
                return false;
            }
        }
    }
    return true;
}

GroomEnd groom_grow(Groom* g, CordVec3* points)
{
    MeshPoint root;
    uint64_t place;
    for (int i = 0; i < MOST_STRANDS; i++) {
        if (!find_root(g, &root, &place)) {
            return GROOM_NO_ROOT;
        }
        grow(g, root, place, points);
        if (is_clear(g, points)) {
            return GROOM_GROWN;
        }
    }
    return GROOM_NO_ROOM;
}
