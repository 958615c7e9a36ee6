// Graphs from meshes: vertices at the same place become one node, and each edge of a polygon one edge.
#include "base/real.h"
#include "scene/graph.h"

#include <string.h>

#define FINEST_CELL 1e-12 // least size of a hash cell, relative to the mesh's extent
#define MOST_PROBES 1000  // a file may be made so that all hashes collide: then some vertices are not merged

double graph_extent(const CordVec3* points, int count)
{
    CordVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < count; i++) {
        low = (CordVec3){real_min(low.x, points[i].x), real_min(low.y, points[i].y),
                         real_min(low.z, points[i].z)};
        high = (CordVec3){real_max(high.x, points[i].x), real_max(high.y, points[i].y),
                          real_max(high.z, points[i].z)};
    }
    return count > 0 ? cord_vec3_length(cord_vec3_sub(high, low)) : 0.0;
}

// ---- vertices at the same place

typedef struct Cell {
    double i, j, k; // whole numbers
} Cell;

typedef struct Merger {
    const CordVec3* x;
    double merge, size; // merging distance, and size of a hash cell, no smaller [m]
    int* slots;         // 1 + a vertex that is kept, 0: empty (slot_count, a power of two)
    size_t slot_count;
} Merger;

static Cell cell_of(const Merger* m, CordVec3 p)
{
    return (Cell){floor(p.x / m->size), floor(p.y / m->size), floor(p.z / m->size)};
}

static uint64_t cell_hash(Cell c)
{
    const double parts[3] = {c.i + 0.0, c.j + 0.0, c.k + 0.0}; // -0 becomes +0
    uint64_t bits[3], h = 0;
    memcpy(bits, parts, sizeof bits);
    for (int k = 0; k < 3; k++) {
        h = ((h + bits[k]) ^ (h + bits[k]) >> 32) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    return h;
}

// The slot of a vertex of the cell within `merge` of p, or the first empty one; NULL: neither was found.
static int* find_slot(const Merger* m, Cell cell, CordVec3 p)
{
    size_t at = (size_t)cell_hash(cell);
    for (int probe = 0; probe < MOST_PROBES; probe++, at++) {
        int* slot = &m->slots[at & (m->slot_count - 1)];
        if (*slot == 0 || cord_vec3_length(cord_vec3_sub(m->x[*slot - 1], p)) <= m->merge) {
            return slot;
        }
    }
    return NULL;
}

static int kept_near(const Merger* m, CordVec3 p)
{
    Cell c = cell_of(m, p);
    for (int n = 0; n < 27; n++) {
        Cell near = {c.i + n % 3 - 1, c.j + n / 3 % 3 - 1, c.k + n / 9 - 1};
        const int* slot = find_slot(m, near, p);
        if (slot && *slot > 0) {
            return *slot - 1;
        }
    }
    return -1;
}

// Sets to[i] to the vertex that vertex i is merged into, or to i.
static bool merge_vertices(Pool* scratch, const CordVec3* x, int count, double merge, int* to, int* merged)
{
    double extent = graph_extent(x, count);
    Merger m = {.x = x,
                .merge = merge,
                .size = real_max(real_max(merge, FINEST_CELL * extent), 1e-300),
                .slot_count = 16};
    while (m.slot_count < 2 * (size_t)count) {
        m.slot_count *= 2;
    }
    m.slots = pool_array(scratch, int, m.slot_count);
    for (int i = 0; m.slots && i < count; i++) {
        int kept = kept_near(&m, x[i]);
        to[i] = kept >= 0 ? kept : i;
        *merged += kept >= 0;
        int* slot = kept < 0 ? find_slot(&m, cell_of(&m, x[i]), x[i]) : NULL;
        if (slot) {
            *slot = i + 1;
        }
    }
    return m.slots != NULL;
}

// ---- edges

typedef struct Collector {
    const int* to;
    int* ends; // (2 most)
    int count;
    EdgeSet set;
    GraphMesh* report;
} Collector;

static void add_edge(Collector* c, int a, int b)
{
    int from = c->to[a], to = c->to[b];
    if (from == to) {
        c->report->flat++;
        return;
    }
    c->ends[2 * (size_t)c->count] = from, c->ends[2 * (size_t)c->count + 1] = to;
    c->count += edge_set_add(&c->set, c->ends, c->count) < 0;
}

static void collect(Collector* c, const MeshFile* mesh)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int* corner = &mesh->triangles[3 * (size_t)i];
        for (int k = 0; k < 3; k++) {
            if (!mesh->outer || (mesh->outer[i] >> k & 1)) {
                add_edge(c, corner[k], corner[(k + 1) % 3]);
            }
        }
    }
    for (int i = 0; i < mesh->line_count; i++) {
        add_edge(c, mesh->lines[2 * (size_t)i], mesh->lines[2 * (size_t)i + 1]);
    }
}

// Makes the graph of the vertices that have edges, numbered anew in their order; `number` is scratch.
static bool hand_out(Pool* pool, const Collector* c, const CordVec3* x, int count, int* number, Graph* graph)
{
    int nodes = 0;
    for (size_t i = 0; i < 2 * (size_t)c->count; i++) {
        number[c->ends[i]] = 1;
    }
    for (int i = 0; i < count; i++) {
        nodes += number[i];
        c->report->lone += c->to[i] == i && number[i] == 0;
    }
    if (!graph_make(pool, nodes, c->count, graph)) {
        return false;
    }
    for (int i = 0, next = 0; i < count; i++) {
        if (number[i] > 0) {
            graph->nodes[next] = x[i];
            number[i] = next++;
        }
    }
    for (size_t i = 0; i < 2 * (size_t)c->count; i++) {
        graph->ends[i] = number[c->ends[i]];
    }
    return true;
}

bool graph_from_mesh(Pool* pool, const PlacedMesh* placed, double merge, Graph* graph, GraphMesh* report)
{
    const MeshFile* mesh = &placed->mesh;
    Pool scratch = pool_beside(pool);
    int count = mesh->vertex_count;
    size_t most = 3 * (size_t)mesh->triangle_count + (size_t)mesh->line_count;
    CordVec3* x = pool_array(&scratch, CordVec3, count);
    int* to = pool_array(&scratch, int, count);
    int* number = pool_array(&scratch, int, count);
    Collector c = {.to = to, .ends = pool_array(&scratch, int, 2 * most), .report = report};
    bool made = edge_set_make(&c.set, &scratch, most) && x && to && number && c.ends;
    *report = (GraphMesh){0};
    for (int i = 0; made && i < count; i++) {
        x[i] = cord_vec3_add(placed->position, cord_quat_rotate(placed->rotation, mesh->vertices[i]));
    }
    made = made && merge_vertices(&scratch, x, count, merge, to, &report->merged);
    if (made) {
        collect(&c, mesh);
        made = hand_out(pool, &c, x, count, number, graph);
    }
    pool_end(&scratch, pool);
    return made;
}
