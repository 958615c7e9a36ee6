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

// theory_beam.c: vibrations of beams
double theory_beam_root(int k, double sign); // the k-th x > 0 with cos(x) cosh(x) = sign: -1, held at one end; 1, free

typedef struct TheoryBeam {
    double length;             // [m]
    double EI, GJ, EA;         // [N m^2], [N m^2], [N]
    double mass, spin_inertia; // per length [kg/m], [kg m]
} TheoryBeam;

double theory_cantilever_bend(const TheoryBeam* b, int k); // k = 1, 2, ... [Hz]
double theory_cantilever_twist(const TheoryBeam* b, int k);
double theory_cantilever_stretch(const TheoryBeam* b, int k);

#endif
