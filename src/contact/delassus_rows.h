// J u and A^-1 J' f of a constraint whose block is known. Only kernels include this file.
#ifndef CORD_CONTACT_DELASSUS_ROWS_H
#define CORD_CONTACT_DELASSUS_ROWS_H

#include "contact/delassus.h"
#include "math/wide.h"

// J u in the axes of the block.
static inline void rows_motion(const Delassus* y, const DelassusBlock* block, double motion[4])
{
    CordWide sum[4] = {wide_set(0.0), wide_set(0.0), wide_set(0.0), wide_set(0.0)};
    const double* J = block->J;
    for (int i = 0; i < block->node_count; i++, J += DELASSUS_ROWS) {
        CordWide u = wide_load(y->u + 4 * block->node[i]);
        sum[0] += wide_load(J) * u;
        sum[1] += wide_load(J + 4) * u;
        sum[2] += wide_load(J + 8) * u;
    }
    wide_transpose(sum);
    wide_store(motion, (sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// Adds the motion of the whole rod by a force and a torque at one of its nodes.
static inline void rows_push_node(const Delassus* y, const DelassusRod* rod, int node, const double f[4])
{
    if (!rod->W) {
        double* u = y->u + 4 * node;
        wide_store(u, wide_load(u) + wide_load(y->inverse + 4 * node) * wide_load(f));
        return;
    }
    const size_t size = 4 * (size_t)rod->count;
    const double* W = rod->W + 4 * size * (size_t)y->place[node];
    CordWide a = wide_set(f[0]), b = wide_set(f[1]), c = wide_set(f[2]), d = wide_set(f[3]);
    for (int i = 0; i < rod->count; i++, W += 4) {
        double* u = y->u + 4 * (rod->first_node + y->node[rod->first + i]);
        wide_store(u, wide_load(u) + ((wide_load(W) * a + wide_load(W + size) * b) +
                                      (wide_load(W + 2 * size) * c + wide_load(W + 3 * size) * d)));
    }
}

WIDE_INLINE CordWide rows_sum(const double* rows, CordWide n, CordWide s, CordWide t)
{
    return (wide_load(rows) * n + wide_load(rows + 4) * s) + wide_load(rows + 8) * t;
}

// u += A^-1 J' f, with f in the axes of the block.
static inline void rows_push(const Delassus* y, const ContactConstraint* c, const DelassusBlock* block,
                             const double f[4])
{
    CordWide n = wide_set(f[0]), s = wide_set(f[1]), t = wide_set(f[2]);
    for (int side = 0; side < c->sides; side++) {
        const DelassusRod* rod = &y->rods[c->side[side].rod];
        const double* G = block->G[side];
        for (int i = 0; G && i < rod->count; i++, G += DELASSUS_ROWS) {
            double* u = y->u + 4 * (rod->first_node + y->node[rod->first + i]);
            wide_store(u, wide_load(u) + rows_sum(G, n, s, t));
        }
        int i = side == 0 ? 0 : block->first_of_b,
            last = side == 0 && block->first_of_b < block->node_count ? block->first_of_b : block->node_count;
        for (; !block->G[side] && i < last; i++) {
            CordWide on_node = rows_sum(block->J + DELASSUS_ROWS * i, n, s, t);
            if (rod->W) {
                double force[4];
                wide_store(force, on_node);
                rows_push_node(y, rod, block->node[i], force);
                continue;
            }
            double* u = y->u + 4 * block->node[i];
            wide_store(u, wide_load(u) + wide_load(y->inverse + 4 * block->node[i]) * on_node);
        }
    }
}

#endif
