// Where a clamped rod comes to rest, from Kirchhoff's equations by shooting:
//
// x' = (1 + n.t / EA) t,  d_i' = kappa x d_i,  m' = -x' x n,  n' = -w, with kappa = sum (m.d_i / K_i +
// kappa0_i) d_i, from a clamp at s = 0. The force is known: n(0) is all of the load. The moment at the clamp
// is found so that none is left at the free end.
#ifndef CORDAGE_TEST_VALIDATE_KIRCHHOFF_H
#define CORDAGE_TEST_VALIDATE_KIRCHHOFF_H

#include "rods.h"

typedef struct OdeRod {
    double K[3];      // EI about d1, EI about d2, GJ about t
    double kappa0[3]; // in the same axes, at rest
    double EA;        // INFINITY: inextensible
    double length;
    CordVec3 force;     // at the end
    CordVec3 weight;    // per length
    CordVec3 d1, d2, t; // at the clamp
} OdeRod;

typedef struct OdeState {
    CordVec3 x, d1, d2, t, m, n;
} OdeState;

static inline OdeState ode_rates(const OdeRod* r, const OdeState* y)
{
    CordVec3 d[3] = {y->d1, y->d2, y->t}, kappa = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        kappa = plus(kappa, times(d[i], dot(y->m, d[i]) / r->K[i] + r->kappa0[i]));
    }
    CordVec3 dx = times(y->t, 1.0 + dot(y->n, y->t) / r->EA);
    return (OdeState){dx,
                      cross(kappa, y->d1),
                      cross(kappa, y->d2),
                      cross(kappa, y->t),
                      cross(y->n, dx),
                      times(r->weight, -1.0)};
}

static inline OdeState ode_add(const OdeState* y, const OdeState* k, double h)
{
    return (OdeState){plus(y->x, times(k->x, h)), plus(y->d1, times(k->d1, h)), plus(y->d2, times(k->d2, h)),
                      plus(y->t, times(k->t, h)), plus(y->m, times(k->m, h)),   plus(y->n, times(k->n, h))};
}

// Runge and Kutta's fourth order; 400 steps leave 1e-9 or less.
static inline OdeState ode_shoot(const OdeRod* r, CordVec3 moment)
{
    enum { STEPS = 400 };
    double h = r->length / STEPS;
    OdeState y = {{0, 0, 0}, r->d1, r->d2, r->t, moment, plus(r->force, times(r->weight, r->length))};
    for (int i = 0; i < STEPS; i++) {
        OdeState a = ode_rates(r, &y), at = ode_add(&y, &a, h / 2), b = ode_rates(r, &at);
        at = ode_add(&y, &b, h / 2);
        OdeState c = ode_rates(r, &at);
        at = ode_add(&y, &c, h);
        OdeState d = ode_rates(r, &at);
        y = ode_add(&y, &a, h / 6), y = ode_add(&y, &b, h / 3), y = ode_add(&y, &c, h / 3),
        y = ode_add(&y, &d, h / 6);
    }
    return y;
}

static inline CordVec3 solve_3(CordVec3 a, CordVec3 b, CordVec3 c, CordVec3 r) // a x + b y + c z = r
{
    double det = dot(a, cross(b, c));
    return (CordVec3){dot(r, cross(b, c)) / det, dot(a, cross(r, c)) / det, dot(a, cross(b, r)) / det};
}

// The tip of the rod, with the load brought on in ten parts.
static inline CordVec3 ode_tip(OdeRod rod)
{
    CordVec3 moment = {0, 0, 0}, force = rod.force, weight = rod.weight;
    OdeState end = {0};
    for (int part = 1; part <= 10; part++) {
        rod.force = times(force, part / 10.0), rod.weight = times(weight, part / 10.0);
        double size = size_of(rod.force) * rod.length + size_of(rod.weight) * rod.length * rod.length;
        for (int n = 0; n < 30; n++) {
            double step = 1e-6 * size;
            end = ode_shoot(&rod, moment);
            CordVec3 slope[3];
            for (int k = 0; k < 3; k++) {
                CordVec3 by = {k == 0 ? step : 0, k == 1 ? step : 0, k == 2 ? step : 0};
                OdeState moved = ode_shoot(&rod, plus(moment, by));
                slope[k] = times(minus(moved.m, end.m), 1.0 / step);
            }
            moment = minus(moment, solve_3(slope[0], slope[1], slope[2], end.m));
            if (size_of(end.m) < 1e-13 * size) {
                break;
            }
        }
        CHECK(size_of(end.m) < 1e-10 * size);
    }
    return end.x;
}

// Length and stiffnesses 1, along x.
static inline OdeRod straight_ode(void)
{
    return (OdeRod){{1, 1, 1}, {0, 0, 0}, INFINITY,  1.0,      {0, 0, 0},
                    {0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
}

#endif
