// Kernels of the length projection, compiled for each instruction set.
#ifndef CORD_SOLVE_RATTLE_KERNEL_H
#define CORD_SOLVE_RATTLE_KERNEL_H

// cos^2 of a fifth of a radian. An edge that turns farther in one step needs a shorter step.
#define RATTLE_COS2_MOST_TURN 0.96

// Arrays are by slot, as in rod/centerline.h. An edge has the slot of its first node.
typedef struct RattleArrays {
    int slot_count;
    int edge_slots;         // slots with an edge after them, including copies across a seam
    int first, rows;        // first slot and number of the edges themselves
    const double* x[3];     // start of the step [m]
    double* v[3];           // predicted velocity, corrected by `finish` [m/s]
    double* x_next[3];      // [m], written by `finish`
    const double* w;        // inverse mass [1/kg]
    const double* rest_len; // [m]
    const double* inv_rest; // [1/m]
    double h;               // [s]
    double* lambda;         // Lagrange multipliers: node i moves by w (y_i - y_{i-1}), y = lambda d [kg]
    double* d[3];           // edge vectors at the start [m]
    double* e[3];           // edge vectors as predicted, before multipliers [m]
    double *lower, *diag, *upper; // Jacobian of the residual by lambda, of terms e.d
    double* residual;             // constraint (|e|^2 - rest^2) / 2 at the present multipliers [m^2]
} RattleArrays;

typedef struct RattleKernels {
    void (*start)(const RattleArrays* a); // d and e from x, v and h
    // Residual at the present lambda; linearise also writes the Jacobian. Both return the largest | |e|^2 /
    // rest^2 - 1 |, or INFINITY if any is not a number. linearise returns INFINITY also if an edge turns too
    // far.
    double (*linearise)(const RattleArrays* a);
    double (*evaluate)(const RattleArrays* a);
    // v += u / h, x_next = x + h v; returns the sum of the squares of v
    double (*finish)(const RattleArrays* a);
} RattleKernels;

#endif
