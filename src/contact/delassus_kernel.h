// Kernels of the Delassus operator: see delassus_rows.h.
#ifndef CORD_CONTACT_DELASSUS_KERNEL_H
#define CORD_CONTACT_DELASSUS_KERNEL_H

#include "contact/delassus.h"
#include "math/kernel.h"

typedef struct DelassusKernels {
    void (*motion)(const Delassus*, const DelassusBlock*, double motion[4]);
    void (*push)(const Delassus*, const ContactConstraint*, const DelassusBlock*, const double f[4]);
    void (*push_node)(const Delassus*, const DelassusRod*, int node, const double f[4]);
    // Motion of all nodes in contact of the rod by the nodes [first, last) of the block, into G.
    void (*columns)(const Delassus*, const DelassusBlock*, const DelassusRod*, int first, int last,
                    double* G);
} DelassusKernels;

KERNEL_DECLARE(DelassusKernels, delassus_kernels);

#endif
