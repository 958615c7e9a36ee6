#include "step/coulomb.h"

#include "base/real.h"

#define ROUNDING 1e-13 // over the radius: the least motion that counts

static double grip_along(const CoulombPoint* p, const double t[2], double size)
{
    if (p->shape.even || size == 0.0) {
        return p->mu;
    }
    CordVec3 e = vec3_mul(vec3_madd(vec3_mul(p->axis[1], t[0]), p->axis[2], t[1]), 1.0 / size);
    return p->mu *
           friction_anisotropy(p->contact->axis, &p->shape, p->contact->kind == CONTACT_SEGMENTS ? 2 : 1, e);
}

// ---- the natural map

// The larger of z and 0, or a parabola that joins both where |z| < e.
static void project_normal(double z, double e, CoulombProjection* to)
{
    bool joins = fabs(z) < e;
    to->normal = joins ? 0.25 * (z + e) * (z + e) / e : real_max(0.0, z);
    to->rise = joins ? 0.5 * (z + e) / e : z > 0.0;
}

CoulombProjection coulomb_project(const CoulombPoint* p, const double f[3], const double v[3])
{
    CoulombProjection to = {0};
    project_normal(f[0] - v[0] / p->w, p->smoothing / p->w, &to);
    double limits = p->bound < 0.0 ? to.normal : p->bound;
    if (p->mu > 0.0 && limits > 0.0) {
        bool wants = p->smoothing == 0.0; // smooth friction is a function of the slip already
        to.wanted[0] = f[1] - (wants ? v[1] / p->w : 0.0), to.wanted[1] = f[2] - (wants ? v[2] / p->w : 0.0);
        double size = sqrt(to.wanted[0] * to.wanted[0] + to.wanted[1] * to.wanted[1]);
        to.grip = grip_along(p, to.wanted, size);
        to.limit = to.grip * limits;
        to.slides = size > to.limit;
        double share = to.slides ? to.limit / size : 1.0;
        to.friction[0] = share * to.wanted[0], to.friction[1] = share * to.wanted[1];
    }
    return to;
}

void coulomb_defect(const CoulombProjection* to, const double f[3], double F[3])
{
    F[0] = f[0] - to->normal;
    F[1] = f[1] - to->friction[0], F[2] = f[2] - to->friction[1];
}

void coulomb_residual_add(CoulombResidual* sum, const CoulombPoint* p, const double f[3], const double F[3])
{
    for (int k = 0; k < 3; k++) {
        sum->merit += p->w * F[k] * F[k];
        sum->most = real_max(sum->most, p->w * fabs(F[k]));
    }
    sum->scale = real_max(sum->scale, p->w * fabs(f[0]));
}

bool coulomb_residual_is_small(const CoulombResidual* r, double tolerance, double radius)
{
    return r->most <= real_max(tolerance * r->scale, ROUNDING * radius);
}
