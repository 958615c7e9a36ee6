#include "body/inertia.h"

#include "math/elementary.h"

// ---- tensors

void tensor_add_point(double t[6], double mass, CordVec3 arm)
{
    double square = vec3_dot(arm, arm);
    t[0] += mass * (square - arm.x * arm.x);
    t[1] += mass * (square - arm.y * arm.y);
    t[2] += mass * (square - arm.z * arm.z);
    t[3] -= mass * arm.x * arm.y;
    t[4] -= mass * arm.x * arm.z;
    t[5] -= mass * arm.y * arm.z;
}

// R t R' = sum over i, j of t_ij b_i b_j', where b_i are the columns of R.
void tensor_rotate(CordQuat q, const double t[6], double turned[6])
{
    CordVec3 b[3] = {quat_rotate(q, (CordVec3){1, 0, 0}), quat_rotate(q, (CordVec3){0, 1, 0}),
                     quat_rotate(q, (CordVec3){0, 0, 1})};
    CordVec3 c[3]; // t_ij b_j
    for (int i = 0; i < 3; i++) {
        double row[3] = {i == 0 ? t[0] : t[2 + i],
                         i == 1   ? t[1]
                         : i == 0 ? t[3]
                                  : t[5],
                         i == 2 ? t[2] : t[4 + i]};
        c[i] = vec3_add(vec3_mul(b[0], row[0]), vec3_madd(vec3_mul(b[1], row[1]), b[2], row[2]));
    }
    turned[0] = b[0].x * c[0].x + b[1].x * c[1].x + b[2].x * c[2].x;
    turned[1] = b[0].y * c[0].y + b[1].y * c[1].y + b[2].y * c[2].y;
    turned[2] = b[0].z * c[0].z + b[1].z * c[1].z + b[2].z * c[2].z;
    turned[3] = b[0].x * c[0].y + b[1].x * c[1].y + b[2].x * c[2].y;
    turned[4] = b[0].x * c[0].z + b[1].x * c[1].z + b[2].x * c[2].z;
    turned[5] = b[0].y * c[0].z + b[1].y * c[1].z + b[2].y * c[2].z;
}

CordVec3 tensor_solve(const double t[6], CordVec3 a)
{
    double l10 = t[3] / t[0], l20 = t[4] / t[0];
    double d1 = t[1] - l10 * t[3], l21 = (t[5] - l20 * t[3]) / d1;
    double d2 = t[2] - l20 * t[4] - l21 * l21 * d1;
    double y = a.y - l10 * a.x, z = (a.z - l20 * a.x - l21 * y) / d2;
    y = y / d1 - l21 * z;
    return (CordVec3){a.x / t[0] - l10 * y - l20 * z, y, z};
}

// ---- principal axes

// One Jacobi rotation of axes i and j about the third, k, so that a_ij = 0. Returns the rotation.
static CordQuat annihilate(double a[3][3], int i, int j, int k)
{
    double ratio = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    double t = (ratio < 0.0 ? -1.0 : 1.0) / (fabs(ratio) + sqrt(ratio * ratio + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c, off = a[i][j];
    a[i][i] -= t * off;
    a[j][j] += t * off;
    a[i][j] = a[j][i] = 0.0;
    double ki = a[k][i], kj = a[k][j];
    a[k][i] = a[i][k] = c * ki - s * kj;
    a[k][j] = a[j][k] = s * ki + c * kj;
    // the new axis i is c i - s j: a rotation about k = i x j
    double half_c = sqrt(0.5 * (1.0 + c)), half_s = -0.5 * s / half_c;
    double axis[3] = {0, 0, 0};
    axis[k] = j == (i + 1) % 3 ? half_s : -half_s;
    return (CordQuat){axis[0], axis[1], axis[2], half_c};
}

Principal inertia_principal(const double t[6])
{
    double a[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    Principal p = {.axes = quat_identity()};
    static const int pairs[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    double size = fabs(t[0]) + fabs(t[1]) + fabs(t[2]);
    for (int sweep = 0; sweep < 12; sweep++) { // converges quadratically: more than five were never needed
        for (int n = 0; n < 3; n++) {
            const int* at = pairs[n];
            if (fabs(a[at[0]][at[1]]) > 1e-17 * size) {
                p.axes = quat_unit(quat_mul(p.axes, annihilate(a, at[0], at[1], at[2])));
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        p.moments[i] = a[i][i];
    }
    return p;
}

CordResult inertia_check(const double tensor[6], const char* name, Message* message)
{
    for (int i = 0; i < 6; i++) {
        if (!isfinite(tensor[i])) {
            return message_fail(message, CORD_BAD_ARGUMENT, "the inertia of body '%s' must be finite numbers",
                                name);
        }
    }
    Principal p = inertia_principal(tensor);
    double sum = p.moments[0] + p.moments[1] + p.moments[2];
    for (int i = 0; i < 3; i++) {
        if (!(p.moments[i] > 1e-12 * sum)) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "the inertia of body '%s' has a principal moment of %g kg m^2; all three must be positive",
                name, p.moments[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        if (p.moments[i] > (0.5 + 1e-9) * sum) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "the inertia of body '%s' has principal moments %g, %g and %g kg m^2; none "
                                "can be larger than the "
                                "other two together",
                                name, p.moments[0], p.moments[1], p.moments[2]);
        }
    }
    return CORD_OK;
}
