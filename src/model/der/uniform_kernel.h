// The inner loops of uniform DER rods, written once on math/wide.h and compiled for each instruction set. The
// table of the widest set that this processor runs is chosen when a rod is created.
#ifndef CORD_MODEL_DER_UNIFORM_KERNEL_H
#define CORD_MODEL_DER_UNIFORM_KERNEL_H

#include <stdbool.h>

typedef struct DerKick {
    int slot_count;
    int edge_slots;         // slots with an edge after them
    const double* x[3];     // [m] (slot_count)
    const double* v[3];     // [m/s] (slot_count)
    const double* w;        // inverse mass [1/kg] (slot_count)
    const double* inv_rest; // 1 / rest length of the edge after the slot [1/m] (slot_count)
    const double* bend;     // 8 EI / l of an inner node, else 0 [N m] (slot_count)
    // twisting moment at an inner node, else 0 [N m] (slot_count); NULL: no twist
    const double* moment;
    const double* EA;  // of the edge after the slot [N] (slot_count); NULL: inextensible
    double gravity[3]; // [m/s^2]
    double kick;       // time over which the forces act [s]
    double h;          // time over which the new velocity moves the nodes [s]; 0: positions are not written
    double* v_next[3]; // may be v (slot_count)
    double* x_next[3]; // may be x (slot_count)
} DerKick;

typedef struct DerKernels {
    // v_next = v + kick (w f(x) + gravity), and x_next = x + h v_next if h > 0. Returns the sum of the
    // squares of v_next, which is not finite if any of them is not.
    double (*kick)(const DerKick* k);
} DerKernels;

const DerKernels* der_kernels(void);

#endif
