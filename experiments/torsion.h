// Saint-Venant's torsion constant of a section of square cells, from Prandtl's stress function.
#ifndef CORDAGE_EXPERIMENTS_TORSION_H
#define CORDAGE_EXPERIMENTS_TORSION_H

typedef struct TorsionH {           // in units of any length; a square of side b: {b, b, b, b / 2}
    int height, width, web, flange; // whole, even
} TorsionH;

// J [units^4], extrapolated from three grids; of the H it is good to 1e-3, of a square to 1e-5. NAN: no
// memory.
double torsion_constant(TorsionH h);

#endif
