#include "math/residual.h"

typedef struct Sum { // unevaluated sum of two doubles that do not overlap
    double high, low;
} Sum;

// Veltkamp splitting: two parts of 26 bits, whose products are exact.
static Sum split(double a)
{
    double c = 134217729.0 * a, high = c - (c - a); // 2^27 + 1
    return (Sum){high, a - high};
}

// s + a b with the rounding errors of the product (TwoProduct, Dekker) and of the sum (TwoSum, Knuth).
static Sum add_product(Sum s, double a, Sum b_parts, double b)
{
    Sum a_parts = split(a);
    double product = a * b;
    double lost =
        ((a_parts.high * b_parts.high - product) + a_parts.high * b_parts.low + a_parts.low * b_parts.high) +
        a_parts.low * b_parts.low;
    double sum = s.high + product, back = sum - s.high;
    lost += (s.high - (sum - back)) + (product - back);
    return (Sum){sum, s.low + lost};
}

void residual_dot2(const CordEigenProblem* p, double shift, const double* b, const double* x, double* r)
{
    for (int i = 0; i < p->size; i++) {
        Sum stiffness = {0.0, 0.0};
        double mass = 0.0; // no cancellation here
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            double value = x[p->row[k]];
            stiffness = add_product(stiffness, p->K[k], split(value), value);
            mass += p->M[k] * value;
        }
        Sum sum = add_product((Sum){b[i], 0.0}, -1.0, split(stiffness.high), stiffness.high);
        r[i] = sum.high + (sum.low - stiffness.low + shift * mass);
    }
}
