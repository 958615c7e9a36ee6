// Equilibria of a twisted rod between two clamps that face each other, before it touches itself: Kirchhoff's
// equations, without elements. The rod is inextensible, straight at rest and bends alike about all axes.
//
// In units of its length L and its bending stiffness B.
#ifndef CORDAGE_EXPERIMENTS_KIRCHHOFF_H
#define CORDAGE_EXPERIMENTS_KIRCHHOFF_H

#include <stdbool.h>

typedef struct KirchhoffRod {
    double shortening; // by how much the clamps are nearer than L: as given
    double curvature;  // at the apex: as given
    double tilt;       // of the tangent there, against the line of the clamps [rad]
    double pull, side; // force along the line of the clamps, and square to it and to the apex
    double couple;     // M: the twisting moment, the same everywhere
    double depth;      // distance of the apex from the line of the clamps
    double writhe;     // of the rod with straight tails [turns]
} KirchhoffRod;

// As the rod would be if it were long: a place to begin.
KirchhoffRod kirchhoff_long(double shortening, double curvature);

// Finds the equilibrium with the shortening and the apex curvature given, from the rest as a guess. False:
// there is none near.
bool kirchhoff_solve(KirchhoffRod* rod);

// By how much the ends are turned against each other [turns], for a twisting stiffness over the bending
// stiffness.
double kirchhoff_turns(const KirchhoffRod* rod, double stiffness);

#endif
