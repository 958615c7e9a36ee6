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
    const double* start[3]; // velocity at the start of the kick [m/s]
    double* v[3];           // velocity after the kick of all other forces [m/s]
    const double* w;        // inverse mass [1/kg]
    const double* rest_len; // [m]
    double time, kick;      // [s]
    Load* const* loads;     // all loads of the rod; other kinds are skipped
    int load_count;
} DragArrays;

typedef struct DragKernels {
    // m dv/dt = f + force - C v over the kick, f the other forces. With the bits of loads_drag_at, and
    // r = kick C / m along and across the rod:
    //
    //     v <- (start + (1 + r/2) (v - start + kick force / m)) / (1 + r + r^2/2)
    //
    // of second order, since 1 / (1 + r + r^2/2) is exp(-r) up to r^3. Motion against a constant force tends
    // to its limit f / C at any r, without oscillations.
    void (*apply)(const DragArrays* a);
} DragKernels;

KERNEL_DECLARE(DragKernels, drag_kernels);

#endif
