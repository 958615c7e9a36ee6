// Closed-form results that the program must reproduce, each at several resolutions.
#ifndef CORDAGE_CLI_THEORY_H
#define CORDAGE_CLI_THEORY_H

typedef struct TheoryCase {
    const char* name;
    const char* source;              // what the right answer is, and where it comes from
    double (*measure)(int elements); // NAN: the simulation failed
    double (*exact)(void);
    double tolerance; // relative error allowed at 80 elements
} TheoryCase;

// theory_statics.c: equilibria, found by damped motion
double theory_tip_force_small(int elements);
double theory_tip_force_small_exact(void);
double theory_tip_force_large(int elements);
double theory_tip_force_large_exact(void);
double theory_weight_small(int elements);
double theory_weight_small_exact(void);
double theory_weight_large(int elements);
double theory_weight_large_exact(void);
double theory_catenary(int elements);
double theory_catenary_exact(void);

// theory_linear.c: frequencies and buckling, from the forces' derivatives
double theory_cantilever_1(int elements);
double theory_cantilever_2(int elements);
double theory_cantilever_3(int elements);
double theory_cantilever_1_exact(void);
double theory_cantilever_2_exact(void);
double theory_cantilever_3_exact(void);
double theory_free_1(int elements);
double theory_free_2(int elements);
double theory_free_3(int elements);
double theory_free_1_exact(void);
double theory_free_2_exact(void);
double theory_free_3_exact(void);
double theory_twist_buckling(int elements);
double theory_twist_buckling_exact(void);

#endif
