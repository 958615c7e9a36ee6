#include "step/coulomb.h"

#include "base/real.h"

#define SECULAR 40     // iterations of the secular equation
#define ON_CONE 1e-12  // relative tolerance of the secular equation
#define ROUNDING 1e-13 // over the radius: the least motion that counts

static double grip_along(const CoulombPoint* p, const double t[2], double size)
{
    if (p->even || size == 0.0) {
        return p->mu;
    }
    CordVec3 e = vec3_mul(vec3_madd(vec3_mul(p->axis[1], t[0]), p->axis[2], t[1]), 1.0 / size);
    return p->mu *
           friction_anisotropy(p->contact->axis, p->across, p->contact->kind == CONTACT_SEGMENTS ? 2 : 1, e);
}

// ---- the natural map

// See contact/gauss_seidel.c.
static void solve_sliding(const CoulombPoint* p, const double goal[2], double normal, Projection* to)
{
    double *d = to->to, lambda = 0.0, least = 0.0, most = INFINITY, last = 0.0, last_share = 0.0;
    for (int n = 0; n < SECULAR; n++) {
        double a = 1.0 / (p->w[1] + lambda), b = 1.0 / (p->w[2] + lambda);
        d[0] = goal[0] * a, d[1] = goal[1] * b;
        double size2 = d[0] * d[0] + d[1] * d[1], size = sqrt(size2);
        to->grip = grip_along(p, d, size);
        double share = to->grip * normal / size;
        if (fabs(share - 1.0) <= ON_CONE) {
            break;
        }
        double slope = share * (d[0] * d[0] * a + d[1] * d[1] * b) / size2,
               next = lambda + (1.0 - share) / slope;
        if (n > 0 && !p->even) {
            double secant = lambda + (1.0 - share) * (lambda - last) / (share - last_share);
            next = secant > least ? secant : next;
        }
        *(share < 1.0 ? &least : &most) = lambda;
        last = lambda, last_share = share;
        lambda = next > least && next < most ? next : 0.5 * (least + most);
    }
    double size = sqrt(d[0] * d[0] + d[1] * d[1]);
    to->limit = to->grip * normal;
    double scale = size > 0.0 ? to->limit / size : 0.0;
    d[0] *= scale, d[1] *= scale; // exactly onto the cone
    to->lambda = lambda;
}

// The larger of z and 0, or a parabola that joins both where |z| < e.
static void project_normal(double z, double e, Projection* to)
{
    bool joins = fabs(z) < e;
    to->normal = joins ? 0.25 * (z + e) * (z + e) / e : real_max(0.0, z);
    to->rise = joins ? 0.5 * (z + e) / e : z > 0.0;
}

Projection contact_project(const CoulombPoint* p, const double f[3], const double v[3])
{
    Projection to = {0};
    project_normal(f[0] - v[0] / p->w[0], p->smooth / p->w[0], &to);
    double limits = p->bound < 0.0 ? to.normal : p->bound;
    if (p->mu > 0.0 && limits > 0.0) {
        double by_slip = p->smooth > 0.0 ? 0.0 : 1.0; // smooth friction is a function of the slip already
        to.to[0] = to.t[0] = f[1] - by_slip * v[1] / p->w[1];
        to.to[1] = to.t[1] = f[2] - by_slip * v[2] / p->w[2];
        double size = sqrt(to.t[0] * to.t[0] + to.t[1] * to.t[1]);
        to.grip = grip_along(p, to.t, size);
        to.limit = to.grip * limits;
        to.slides = size > to.limit;
        if (to.slides && p->even && p->w[1] == p->w[2]) {
            to.lambda = to.limit > 0.0 ? p->w[1] * (size / to.limit - 1.0) : INFINITY;
            to.to[0] *= to.limit / size, to.to[1] *= to.limit / size;
        } else if (to.slides) {
            const double goal[2] = {p->w[1] * to.t[0], p->w[2] * to.t[1]};
            solve_sliding(p, goal, limits, &to);
        }
    }
    return to;
}

void contact_defect(const Projection* to, const double f[3], double F[3])
{
    F[0] = f[0] - to->normal;
    F[1] = f[1] - to->to[0], F[2] = f[2] - to->to[1];
}

// Soft directions count by their forces.
void residual_add(Residual* sum, const CoulombPoint* p, const double f[3], const double F[3])
{
    for (int k = 0; k < 3; k++) {
        double w = real_min(p->w[k], p->w[0]);
        sum->merit += w * F[k] * F[k];
        sum->most = real_max(sum->most, w * fabs(F[k]));
    }
    sum->scale = real_max(sum->scale, p->w[0] * fabs(f[0]));
}

bool residual_is_enough(const Residual* r, double tolerance, double radius)
{
    return r->most <= real_max(tolerance * r->scale, ROUNDING * radius);
}
