// From the apex, about which the rod is symmetric (half a turn about the y axis maps it to itself), to one
// clamp: four unknowns and four conditions. The twisting stiffness plays no part: it only says how many turns
// of the ends go with a couple. Van der Heijden, Neukirch, Goss and Thompson, Instability and self-contact
// phenomena in the writhing of clamped rods (Int. J. Mech. Sci. 45, 161, 2003), have such solutions.
#include "kirchhoff.h"

#include <cordage/math.h>

enum { STEPS = 200 /* of half the rod */, UNKNOWNS = 4, MOST_ITERATIONS = 20, TAIL = 2 };
static const double tail = 1000.0;
static const double enough = 1e-10;

typedef struct Section { // where the rod is, its tangent, and the moment in it
    CordVec3 x, t, m;
} Section;

static Section section_plus(Section a, Section b, double share)
{
    return (Section){cord_vec3_madd(a.x, b.x, share), cord_vec3_madd(a.t, b.t, share),
                     cord_vec3_madd(a.m, b.m, share)};
}

static Section slope(Section s, CordVec3 force)
{
    return (Section){s.t, cord_vec3_cross(s.m, s.t), cord_vec3_cross(force, s.t)};
}

static Section advance(Section s, CordVec3 force, double h) // Runge-Kutta
{
    Section k1 = slope(s, force), k2 = slope(section_plus(s, k1, 0.5 * h), force);
    Section k3 = slope(section_plus(s, k2, 0.5 * h), force), k4 = slope(section_plus(s, k3, h), force);
    s = section_plus(section_plus(s, k1, h / 6.0), k2, h / 3.0);
    return section_plus(section_plus(s, k3, h / 3.0), k4, h / 6.0);
}

// Nodes from the apex to the clamp, if there is room for them (STEPS + 1).
static Section shoot(const KirchhoffRod* rod, CordVec3* x)
{
    CordVec3 t = {cos(rod->tilt), 0, sin(rod->tilt)}, inward = {0, -1, 0};
    CordVec3 zero = {0}, bending = cord_vec3_madd(zero, cord_vec3_cross(t, inward), rod->curvature);
    CordVec3 force = {rod->pull, 0, rod->side};
    Section s = {.t = t, .m = cord_vec3_madd(bending, t, rod->couple)};
    for (int i = 0; i < STEPS; i++) {
        if (x) {
            x[i] = s.x;
        }
        s = advance(s, force, 0.5 / STEPS);
    }
    if (x) {
        x[STEPS] = s.x;
    }
    return s;
}

// What is missing at the clamp: the rod goes along x there, and ends where it should.
static void miss(const KirchhoffRod* rod, double r[UNKNOWNS])
{
    Section end = shoot(rod, NULL);
    r[0] = end.t.y, r[1] = end.t.z;
    r[2] = end.x.x - 0.5 * (1.0 - rod->shortening), r[3] = end.x.z;
}

static double* unknown(KirchhoffRod* rod, int i)
{
    double* all[UNKNOWNS] = {&rod->tilt, &rod->pull, &rod->side, &rod->couple};
    return all[i];
}

// Gauss, with the largest pivot of each column.
static void eliminate(double a[UNKNOWNS][UNKNOWNS + 1])
{
    for (int c = 0; c < UNKNOWNS; c++) {
        int best = c;
        for (int r = c + 1; r < UNKNOWNS; r++) {
            best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
        }
        for (int k = 0; k <= UNKNOWNS; k++) {
            double swap = a[c][k];
            a[c][k] = a[best][k], a[best][k] = swap;
        }
        for (int r = 0; r < UNKNOWNS; r++) {
            double factor = r == c ? 0.0 : a[r][c] / a[c][c];
            for (int k = c; k <= UNKNOWNS; k++) {
                a[r][k] -= factor * a[c][k];
            }
        }
    }
}

// One step of Newton's method, with differences for derivatives. What was missing before it comes back.
static double improve(KirchhoffRod* rod)
{
    double a[UNKNOWNS][UNKNOWNS + 1], r[UNKNOWNS], moved[UNKNOWNS], size = 0.0;
    miss(rod, r);
    for (int c = 0; c < UNKNOWNS; c++) {
        KirchhoffRod other = *rod;
        double by = 1e-6 * (1.0 + fabs(*unknown(rod, c)));
        *unknown(&other, c) += by;
        miss(&other, moved);
        for (int k = 0; k < UNKNOWNS; k++) {
            a[k][c] = (moved[k] - r[k]) / by;
        }
        a[c][UNKNOWNS] = r[c];
        size = fabs(r[c]) <= size ? size : fabs(r[c]); // not a number stays so
    }
    eliminate(a);
    for (int c = 0; c < UNKNOWNS; c++) {
        *unknown(rod, c) -= a[c][UNKNOWNS] / a[c][c];
    }
    return size;
}

static double writhe(const KirchhoffRod* rod)
{
    CordVec3 half[STEPS + 1], x[2 * STEPS + 1 + 2 * TAIL];
    int last = 2 * STEPS + 2 * TAIL;
    shoot(rod, half);
    for (int i = 0; i <= STEPS; i++) {
        x[TAIL + STEPS + i] = half[i];
        x[TAIL + STEPS - i] = (CordVec3){-half[i].x, half[i].y, -half[i].z};
    }
    x[1] = cord_vec3_add(x[TAIL], (CordVec3){-tail, 0, 0}),
    x[0] = cord_vec3_add(x[1], (CordVec3){0, 0, tail});
    x[last - 1] = cord_vec3_add(x[last - TAIL], (CordVec3){tail, 0, 0});
    x[last] = cord_vec3_add(x[last - 1], (CordVec3){0, 0, tail});
    return cord_polygon_writhe(x, last + 1, true);
}

bool kirchhoff_solve(KirchhoffRod* rod)
{
    double missing = 1.0;
    for (int i = 0; i < MOST_ITERATIONS && missing > enough; i++) {
        missing = improve(rod);
    }
    if (!(missing <= enough)) {
        return false;
    }
    rod->depth = -shoot(rod, NULL).x.y;
    rod->writhe = writhe(rod);
    return true;
}

// The localised shape of an infinite rod: curvature^2 = 4 T - M^2, and twice the curvature over T is the
// shortening.
KirchhoffRod kirchhoff_long(double shortening, double curvature)
{
    double pull = 2.0 * curvature / shortening;
    return (KirchhoffRod){.shortening = shortening,
                          .curvature = curvature,
                          .tilt = acos(fmax(1.0 - curvature * curvature / (2.0 * pull), -1.0)),
                          .pull = pull,
                          .couple = sqrt(fmax(4.0 * pull - curvature * curvature, 0.0))};
}

double kirchhoff_turns(const KirchhoffRod* rod, double stiffness)
{
    return rod->couple / (2.0 * CORD_PI * stiffness) + rod->writhe;
}
