// Frequencies of a straight beam that is held at one end.
#include "theory.h"

#include <math.h>

static const double pi = 3.14159265358979324;

double theory_beam_root(int k, double sign)
{
    double x = pi * (sign < 0.0 ? k - 0.5 : k + 0.5); // but for the first, within a hundredth of it
    for (int i = 0; i < 20; i++) {
        double f = cos(x) - sign / cosh(x), df = -sin(x) + sign * sinh(x) / (cosh(x) * cosh(x));
        x -= f / df;
    }
    return x;
}

double theory_cantilever_bend(const TheoryBeam* b, int k)
{
    double root = theory_beam_root(k, -1.0) / b->length;
    return root * root * sqrt(b->EI / b->mass) / (2.0 * pi);
}

double theory_cantilever_twist(const TheoryBeam* b, int k)
{
    return (2 * k - 1) * sqrt(b->GJ / b->spin_inertia) / (4.0 * b->length);
}

double theory_cantilever_stretch(const TheoryBeam* b, int k)
{
    return (2 * k - 1) * sqrt(b->EA / b->mass) / (4.0 * b->length);
}
