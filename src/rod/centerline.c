#include "rod/centerline.h"

#include "base/real.h"

#include <string.h>

// An odd number of SIMD values: a kernel reads the same slot of some thirty arrays, and a power of two apart
// they would compete for one set of the cache.
size_t centerline_stride(const CordCenterline* c)
{
    size_t wides = ((size_t)c->slot_count + CENTERLINE_PAD + 3) / 4;
    return (wides | 1) * 4;
}

size_t centerline_block_size(const CordCenterline* c, size_t arrays)
{
    return (CENTERLINE_PAD + arrays * centerline_stride(c)) * sizeof(double);
}

CordResult centerline_create(Memory* m, CordCenterline* c, int node_count, bool closed)
{
    *c = (CordCenterline){.node_count = node_count,
                          .edge_count = closed ? node_count : node_count - 1,
                          .closed = closed,
                          .halo = closed ? CENTERLINE_HALO : 0};
    c->slot_count = node_count + 2 * c->halo;
    size_t stride = centerline_stride(c);
    c->block_size = centerline_block_size(c, 17);
    c->block = memory_alloc(m, c->block_size);
    if (!c->block) {
        return CORD_NO_MEMORY;
    }
    double* at = c->block + CENTERLINE_PAD;
    for (size_t k = 0; k < 3; k++) {
        c->x[k] = at + k * stride;
        c->v[k] = at + (3 + k) * stride;
        c->x_next[k] = at + (8 + k) * stride;
        c->v_next[k] = at + (11 + k) * stride;
    }
    c->w = at + 6 * stride;
    c->rest_len = at + 7 * stride;
    c->pull = at + 14 * stride;
    c->pull_next = at + 15 * stride;
    c->inv_rest = at + 16 * stride;
    return CORD_OK;
}

CordResult centerline_make_network(Memory* m, CordCenterline* c, const int* ends, int edge_count)
{
    c->edge_count = edge_count;
    c->ends = memory_array(m, int, 2 * (size_t)edge_count);
    c->edge_len = memory_array(m, double, edge_count);
    if (!c->ends || !c->edge_len) {
        return CORD_NO_MEMORY;
    }
    memcpy(c->ends, ends, sizeof *ends * 2 * (size_t)edge_count);
    return CORD_OK;
}

void centerline_destroy(Memory* m, CordCenterline* c)
{
    memory_free(m, c->block, c->block_size);
    memory_array_free(m, c->ends, 2 * (size_t)c->edge_count);
    memory_array_free(m, c->edge_len, c->edge_count);
    *c = (CordCenterline){0};
}

void centerline_wrap_one(const CordCenterline* c, double* a)
{
    int n = c->node_count;
    for (int s = 0; s < c->halo; s++) {
        a[s] = a[s + n];
        a[c->halo + n + s] = a[c->halo + s];
    }
}

void centerline_wrap(const CordCenterline* c, double* const a[3])
{
    for (int k = 0; k < 3; k++) {
        centerline_wrap_one(c, a[k]);
    }
}

static void swap(double** a, double** b)
{
    double* t = *a;
    *a = *b;
    *b = t;
}

void centerline_commit(CordCenterline* c)
{
    for (int k = 0; k < 3; k++) {
        swap(&c->x[k], &c->x_next[k]);
        swap(&c->v[k], &c->v_next[k]);
    }
}

void centerline_commit_pull(CordCenterline* c)
{
    swap(&c->pull, &c->pull_next);
}

#define NEAR 64.0 // lengths within which the round-off of coordinates is about that of their differences

CordVec3 origin_near(CordVec3 x, double length)
{
    int exponent;
    frexp(NEAR * length, &exponent);
    double size = ldexp(1.0, exponent);
    return (CordVec3){size * floor(x.x / size + 0.5), size * floor(x.y / size + 0.5),
                      size * floor(x.z / size + 0.5)};
}

double centerline_rest_length(const CordCenterline* c)
{
    double sum = 0.0;
    for (int j = 0; j < c->edge_count; j++) {
        sum += edge_rest_len(c, j);
    }
    return sum;
}

int centerline_fold(const CordCenterline* c)
{
    for (int k = 0; k < inner_count(c) && !c->ends; k++) {
        int i = inner_node(c, k);
        CordVec3 a = edge_tangent(c, edge_before(c, i)), b = edge_tangent(c, i);
        if (!(1.0 + vec3_dot(a, b) > 1e-15)) { // round-off: kb = 2 e x f / (|e| |f| + e.f) has a pole there
            return i;
        }
    }
    return -1;
}
