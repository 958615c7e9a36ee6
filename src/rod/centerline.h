// The centreline: what contact, loads, output and every model share.
//
// Arrays are indexed by slot, with one array per component, so that kernels run along the rod in SIMD. An
// open rod has one slot per node. A closed rod has a halo of two more slots at each end, which repeat the
// nodes across the seam, so that to a kernel it is an open chain. centerline_wrap refreshes the halo.
#ifndef CORD_ROD_CENTERLINE_H
#define CORD_ROD_CENTERLINE_H

#include "base/memory.h"
#include "math/vec3.h"

// Slots before the first and after the last node of a closed rod: bending couples a node to two on either
// side.
#define CENTERLINE_HALO 2
// Zeros before and after each array that a wide load may read. Two arrays of a block share those between
// them, because a short rod has few nodes and much padding. A wide store may overwrite the first three after
// an array: no load may read farther than four before one.
#define CENTERLINE_PAD 8

typedef struct CordCenterline {
    int node_count;
    int edge_count;
    bool closed;
    int halo;       // slots before node 0: 0, or CENTERLINE_HALO
    int slot_count; // node_count + 2 halo
    double* x[3];   // position [m]                                (slot_count)
    double* v[3];   // velocity, half a step before the position if staggered [m/s]   (slot_count)
    double* w;      // inverse mass [1/kg], 0: held                (slot_count)
    // undeformed length of the edge after the slot's node [m]; 0 past the last   (slot_count)
    double* rest_len;
    double* inv_rest; // 1 / rest length [1/m]                       (slot_count)
    // of inextensible edges: tension over length [N/m], or tension [N] if rod->pull_is_tension   (slot_count)
    double* pull;
    double* pull_next;
    double* x_next[3]; // a step writes here, so that a failed one leaves x and v unchanged
    double* v_next[3];
    double* block;     // memory of all the above
    size_t block_size; // [bytes]
    int* ends;         // network: the two nodes of each edge (2 edge_count); NULL: a chain
    // network: undeformed length by edge [m] (edge_count); rest_len and inv_rest are then zero
    double* edge_len;
} CordCenterline;

CordResult centerline_create(Memory* m, CordCenterline* c, int node_count, bool closed);
// Makes a network of an open chain.
CordResult centerline_make_network(Memory* m, CordCenterline* c, const int* ends, int edge_count);
size_t centerline_stride(const CordCenterline* c); // doubles from one array by slot to the next in a block
// Bytes of a block of arrays by slot. The first one begins after CENTERLINE_PAD doubles.
size_t centerline_block_size(const CordCenterline* c, size_t arrays);
void centerline_destroy(Memory* m, CordCenterline* c);

// Carves arrays by slot out of one block, for models. A first pass without memory counts them.
typedef struct Carver {
    double* next; // where the padding before the next array begins; NULL: count only
    size_t stride;
    size_t count;
} Carver;

static inline double* carve(Carver* c)
{
    c->count++;
    if (!c->next) {
        return NULL;
    }
    double* a = c->next + CENTERLINE_PAD;
    c->next += c->stride;
    return a;
}

// Refreshes the halo of a closed rod.
void centerline_wrap(const CordCenterline* c, double* const a[3]);
void centerline_wrap_one(const CordCenterline* c, double* a);

void centerline_commit(CordCenterline* c);      // x_next and v_next become x and v
void centerline_commit_pull(CordCenterline* c); // pull_next becomes pull

static inline int slot_of(const CordCenterline* c, int node)
{
    return node + c->halo;
}

// Inner nodes have an edge on both sides; in a closed rod all do.
static inline int inner_count(const CordCenterline* c)
{
    return c->closed ? c->node_count : c->node_count - 2;
}

static inline int inner_node(const CordCenterline* c, int k)
{
    return c->closed ? k : k + 1;
}

static inline int edge_before(const CordCenterline* c, int node)
{
    return node > 0 ? node - 1 : c->edge_count - 1;
}

static inline int edge_after(const CordCenterline* c, int node)
{
    (void)c;
    return node;
}

static inline int edge_start(const CordCenterline* c, int edge) // the first node of an edge
{
    return c->ends ? c->ends[2 * edge] : edge;
}

static inline int edge_end(const CordCenterline* c, int edge) // the second node of an edge
{
    if (c->ends) {
        return c->ends[2 * edge + 1];
    }
    return edge + 1 < c->node_count ? edge + 1 : 0;
}

static inline void slot_set(double* const a[3], int s, CordVec3 value)
{
    a[0][s] = value.x, a[1][s] = value.y, a[2][s] = value.z;
}

static inline CordVec3 slot_get(double* const a[3], int s)
{
    return (CordVec3){a[0][s], a[1][s], a[2][s]};
}

static inline CordVec3 node_position(const CordCenterline* c, int node)
{
    return slot_get(c->x, slot_of(c, node));
}

static inline CordVec3 node_velocity(const CordCenterline* c, int node)
{
    return slot_get(c->v, slot_of(c, node));
}

static inline CordVec3 edge_vector(const CordCenterline* c, int edge)
{
    int s = slot_of(c, edge_start(c, edge)), e = c->ends ? c->ends[2 * edge + 1] : s + 1;
    return (CordVec3){c->x[0][e] - c->x[0][s], c->x[1][e] - c->x[1][s], c->x[2][e] - c->x[2][s]};
}

static inline CordVec3 edge_tangent(const CordCenterline* c, int edge)
{
    return vec3_unit(edge_vector(c, edge));
}

static inline double edge_rest_len(const CordCenterline* c, int edge)
{
    return c->ends ? c->edge_len[edge] : c->rest_len[slot_of(c, edge)];
}

// A point near x, for what has this length: the nearest of a grid of some lengths. Next to the origin of the
// scene it is that origin, and differences from it are exact.
CordVec3 origin_near(CordVec3 x, double length);

double centerline_rest_length(const CordCenterline* c); // [m]
int centerline_fold(const CordCenterline* c);           // a node where the rod folds back on itself; -1: none

#endif
