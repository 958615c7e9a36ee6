// The inner loop of rod/load_drag.c.
#ifndef CORD_ROD_DRAG_KERNEL_H
#define CORD_ROD_DRAG_KERNEL_H

#include "math/kernel.h"
#include "rod/load.h"

// Arrays go by slot, as in rod/centerline.h.
typedef struct DragArrays {
    int first, count;       // slots of the nodes
    bool open;              // an open rod: the first and the last node have one neighbour
    const double* x[3];     // [m]
    double* v[3];           // [m/s]
    const double* w;        // inverse mass [1/kg]
    const double* rest_len; // [m]
    double time, kick;      // [s]
    Load* const* loads;     // all loads of the rod; other kinds are skipped
    int load_count;
} DragArrays;

typedef struct DragKernels {
    // v <- (1 + kick C / m)^-1 (v + kick force / m), with the bits of loads_drag_at
    void (*apply)(const DragArrays* a);
} DragKernels;

KERNEL_DECLARE(DragKernels, drag_kernels);

#endif
