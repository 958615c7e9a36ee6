#include "scene/mesh_grid.h"

#include "base/real.h"

#define MOST_PER_SIDE 128 // cells along the longest side
#define SHARED_MOST 32    // cells of a triangle, on average

static const int cells_per_triangle = 4;
static const CordVec3 up = {0, 0, 1};

// ---- the mesh

static CordVec3 vertex(const MeshFile* mesh, int triangle, int corner)
{
    return mesh->vertices[mesh->triangles[3 * triangle + corner]];
}

static CordVec3* make_normals(Pool* pool, const MeshFile* mesh)
{
    CordVec3* normals = pool_array(pool, CordVec3, mesh->vertex_count);
    for (int i = 0; normals && i < mesh->triangle_count; i++) {
        CordVec3 a = vertex(mesh, i, 0);
        CordVec3 n =
            cord_vec3_cross(cord_vec3_sub(vertex(mesh, i, 1), a), cord_vec3_sub(vertex(mesh, i, 2), a));
        for (int k = 0; k < 3; k++) {
            CordVec3* sum = &normals[mesh->triangles[3 * i + k]];
            *sum = cord_vec3_add(*sum, n);
        }
    }
    for (int i = 0; normals && i < mesh->vertex_count; i++) {
        normals[i] = unit_or(normals[i], up);
    }
    return normals;
}

// ---- the grid

typedef struct Range { // a block of cells
    int low[3], high[3];
} Range;

static int cell_at(const MeshGrid* c, int axis, double x)
{
    double low = axis == 0 ? c->low.x : axis == 1 ? c->low.y : c->low.z;
    double at = floor((x - low) / c->size);
    return at < 0.0 ? 0 : at >= c->count[axis] ? c->count[axis] - 1 : (int)at;
}

static void grow(double low[3], double high[3], CordVec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++) {
        low[k] = real_min(low[k], at[k]);
        high[k] = real_max(high[k], at[k]);
    }
}

// The cells within reach of a triangle, by its bounding box.
static Range cells_of(const MeshGrid* c, int triangle)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    Range range;
    for (int k = 0; k < 3; k++) {
        grow(low, high, vertex(c->mesh, triangle, k));
    }
    for (int k = 0; k < 3; k++) {
        range.low[k] = cell_at(c, k, low[k] - c->reach);
        range.high[k] = cell_at(c, k, high[k] + c->reach);
    }
    return range;
}

static int64_t cells_in(const Range* r)
{
    return (int64_t)(r->high[0] - r->low[0] + 1) * (r->high[1] - r->low[1] + 1) *
           (r->high[2] - r->low[2] + 1);
}

// Lays a grid with `per_side` cells along its longest side. Returns the number of entries of all cells.
static int64_t lay(MeshGrid* c, int per_side)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0.0;
    int64_t places = 0;
    for (int i = 0; i < c->mesh->vertex_count; i++) {
        grow(low, high, c->mesh->vertices[i]);
    }
    for (int k = 0; k < 3; k++) {
        low[k] -= c->reach, high[k] += c->reach;
        most = real_max(most, high[k] - low[k]);
    }
    c->low = (CordVec3){low[0], low[1], low[2]};
    c->size = most / per_side;
    for (int k = 0; k < 3; k++) {
        int count = (int)ceil((high[k] - low[k]) / c->size);
        c->count[k] = count < 1 ? 1 : count > per_side ? per_side : count;
    }
    for (int i = 0; i < c->mesh->triangle_count; i++) {
        Range range = cells_of(c, i);
        places += cells_in(&range);
    }
    return places;
}

static int cell_index(const MeshGrid* c, int x, int y, int z)
{
    return (z * c->count[1] + y) * c->count[0] + x;
}

// Counts a triangle in each of its cells. With `put` it is entered there, from the end of the cell's entries.
static void enter(MeshGrid* c, int triangle, bool put)
{
    Range r = cells_of(c, triangle);
    for (int z = r.low[2]; z <= r.high[2]; z++) {
        for (int y = r.low[1]; y <= r.high[1]; y++) {
            for (int x = r.low[0]; x <= r.high[0]; x++) {
                int* first = &c->first[cell_index(c, x, y, z)];
                if (put) {
                    c->triangles[--*first] = triangle;
                } else {
                    ++*first;
                }
            }
        }
    }
}

bool mesh_grid_make(Pool* pool, const MeshFile* mesh, double reach, MeshGrid* grid)
{
    *grid = (MeshGrid){.mesh = mesh, .reach = reach, .normals = make_normals(pool, mesh)};
    int64_t wanted = (int64_t)cells_per_triangle * mesh->triangle_count;
    int per_side = 1;
    while (per_side < MOST_PER_SIDE && (int64_t)(per_side + 1) * (per_side + 1) * (per_side + 1) <= wanted) {
        per_side++;
    }
    int64_t places = lay(grid, per_side);
    while (per_side > 1 && places > (int64_t)SHARED_MOST * mesh->triangle_count) {
        // long triangles are in many cells, so cells are made larger
        per_side = (per_side + 1) / 2;
        places = lay(grid, per_side);
    }
    int count = grid->count[0] * grid->count[1] * grid->count[2];
    grid->first = pool_array(pool, int, count + 1);
    grid->triangles = pool_array(pool, int, places);
    if (!grid->normals || !grid->first || !grid->triangles) {
        return false;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        enter(grid, i, false);
    }
    for (int i = 0; i < count; i++) { // the end of each cell's entries, and once all are entered, their start
        grid->first[i] += i > 0 ? grid->first[i - 1] : 0;
    }
    grid->first[count] = (int)places;
    for (int i = mesh->triangle_count - 1; i >= 0; i--) {
        enter(grid, i, true);
    }
    return true;
}

// ---- nearest points

MeshPoint mesh_grid_point(const MeshGrid* grid, int triangle, double b, double c)
{
    const int* of = &grid->mesh->triangles[3 * triangle];
    const double share[3] = {1.0 - b - c, b, c};
    MeshPoint p = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        p.point = cord_vec3_madd(p.point, grid->mesh->vertices[of[k]], share[k]);
        p.normal = cord_vec3_madd(p.normal, grid->normals[of[k]], share[k]);
    }
    p.normal = unit_or(p.normal, grid->normals[of[0]]);
    return p;
}

typedef struct Nearest {
    double distance2; // squared distance [m^2]
    int triangle;
    double b, c;
} Nearest;

static double distance2(CordVec3 a, CordVec3 ab, CordVec3 ac, double b, double c, CordVec3 p)
{
    CordVec3 d = cord_vec3_sub(cord_vec3_madd(cord_vec3_madd(a, ab, b), ac, c), p);
    return cord_vec3_dot(d, d);
}

// The place on an edge, 0 to 1, that is nearest to the point `from` away from its start.
static double along(CordVec3 from, CordVec3 edge)
{
    double whole = cord_vec3_dot(edge, edge);
    return whole > 0.0 ? real_min(real_max(cord_vec3_dot(from, edge) / whole, 0.0), 1.0) : 0.0;
}

static void keep_nearer(Nearest* best, Nearest other)
{
    *best = other.distance2 < best->distance2 ? other : *best;
}

// The nearest point of a triangle: the foot of the perpendicular if it is inside, else a point of an edge.
static Nearest nearest_on(const MeshFile* mesh, int triangle, CordVec3 p)
{
    CordVec3 a = vertex(mesh, triangle, 0), ab = cord_vec3_sub(vertex(mesh, triangle, 1), a);
    CordVec3 ac = cord_vec3_sub(vertex(mesh, triangle, 2), a), bc = cord_vec3_sub(ac, ab),
             ap = cord_vec3_sub(p, a);
    CordVec3 n = cord_vec3_cross(ab, ac);
    double area = cord_vec3_dot(n, n);
    double b = cord_vec3_dot(cord_vec3_cross(ap, ac), n) / area,
           c = cord_vec3_dot(cord_vec3_cross(ab, ap), n) / area;
    if (area > 0.0 && b >= 0.0 && c >= 0.0 && b + c <= 1.0) {
        return (Nearest){distance2(a, ab, ac, b, c, p), triangle, b, c};
    }
    double s = along(ap, ab), t = along(ap, ac), u = along(cord_vec3_sub(ap, ab), bc);
    Nearest best = {distance2(a, ab, ac, s, 0.0, p), triangle, s, 0.0};
    keep_nearer(&best, (Nearest){distance2(a, ab, ac, 0.0, t, p), triangle, 0.0, t});
    keep_nearer(&best, (Nearest){distance2(a, ab, ac, 1.0 - u, u, p), triangle, 1.0 - u, u});
    return best;
}

bool mesh_grid_nearest(const MeshGrid* c, CordVec3 p, MeshPoint* nearest)
{
    int cell = cell_index(c, cell_at(c, 0, p.x), cell_at(c, 1, p.y), cell_at(c, 2, p.z));
    Nearest best = {INFINITY, 0, 0.0, 0.0};
    for (int i = c->first[cell]; i < c->first[cell + 1]; i++) {
        keep_nearer(&best, nearest_on(c->mesh, c->triangles[i], p));
    }
    if (!(best.distance2 <= c->reach * c->reach)) {
        return false;
    }
    *nearest = mesh_grid_point(c, best.triangle, best.b, best.c);
    return true;
}
