#include "contact/delassus_kernel.h"

#include "contact/delassus_rows.h"

#include <string.h>

static void motion(const Delassus* y, const DelassusBlock* block, double u[4])
{
    rows_motion(y, block, u);
}

static void push(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block, const double f[4])
{
    rows_push(y, c, block, f);
}

static void push_node(const Delassus* y, const DelassusRod* rod, int node, const double f[4])
{
    rows_push_node(y, rod, node, f);
}

// Adds the motion of a node by the forces of three rows on another one.
WIDE_INLINE void add_response(const double* W, size_t size, const double* J, double* G)
{
    CordWide x = wide_load(W), y = wide_load(W + size), z = wide_load(W + 2 * size),
             turn = wide_load(W + 3 * size);
    for (int k = 0; k < 3; k++, J += 4, G += 4) {
        wide_store(G, wide_load(G) + ((x * wide_set(J[0]) + y * wide_set(J[1])) +
                                      (z * wide_set(J[2]) + turn * wide_set(J[3]))));
    }
}

static void find_columns(const Delassus* y, const DelassusBlock* block, const DelassusRod* rod, int first,
                         int last, double* G)
{
    const size_t size = 4 * (size_t)rod->count;
    memset(G, 0, DELASSUS_ROWS * (size_t)rod->count * sizeof *G);
    for (int j = first; j < last; j++) {
        const double* W = rod->W + 4 * size * (size_t)y->place[block->node[j]];
        for (int i = 0; i < rod->count; i++) {
            add_response(W + 4 * i, size, block->J + DELASSUS_ROWS * j, G + DELASSUS_ROWS * i);
        }
    }
}

extern const DelassusKernels KERNEL(delassus_kernels);
const DelassusKernels KERNEL(delassus_kernels) = {
    .motion = motion, .push = push, .push_node = push_node, .columns = find_columns};
