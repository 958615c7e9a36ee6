// Cross-sections, and the stiffness and mass of a section and a material.
#include "base/real.h"
#include "math/dense.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>

static double squared(double a)
{
    return a * a;
}

CordSection cord_section_disc(double radius)
{
    return cord_section_tube(radius, 0.0);
}

CordSection cord_section_tube(double outer, double inner)
{
    double fourth = squared(squared(outer)) - squared(squared(inner));
    return (CordSection){.area = CORD_PI * (squared(outer) - squared(inner)),
                         .I1 = CORD_PI / 4.0 * fourth,
                         .I2 = CORD_PI / 4.0 * fourth,
                         .J = CORD_PI / 2.0 * fourth,
                         .radius = outer};
}

CordSection cord_section_ellipse(double half1, double half2)
{
    double a2 = squared(half1), b2 = squared(half2);
    return (CordSection){.area = CORD_PI * half1 * half2,
                         // bending about m1 spans the extent along m2
                         .I1 = CORD_PI / 4.0 * half1 * half2 * b2,
                         .I2 = CORD_PI / 4.0 * half1 * half2 * a2,
                         .J = CORD_PI * half1 * a2 * half2 * b2 / (a2 + b2),
                         .radius = real_max(half1, half2)};
}

// tanh by its Taylor series at a / 1024 and ten doublings, tanh 2y = 2 tanh y / (1 + tanh^2 y).
static double torsion_tanh(double a)
{
    if (a > 20.0) {
        return 1.0; // 1 - tanh(20) < 1e-17
    }
    double y = a / 1024.0, s = y * y;
    double t = y * (1.0 - s / 3.0 * (1.0 - 0.4 * s)); // y < 0.02: the next term is below 1e-13
    for (int i = 0; i < 10; i++) {
        t = 2.0 * t / (1.0 + t * t);
    }
    return t;
}

CordSection cord_section_rectangle(double width1, double width2)
{
    double a = real_max(width1, width2), b = real_min(width1, width2), series = 0.0;
    for (int n = 9; n >= 1; n -= 2) {
        // Timoshenko and Goodier, Theory of Elasticity, 3rd edition, article 109; the term n = 11 is below
        // 1e-5
        double n5 = squared(squared(n)) * n;
        series += torsion_tanh(n * CORD_PI * a / (2.0 * b)) / n5;
    }
    double pi5 = squared(squared(CORD_PI)) * CORD_PI;
    return (CordSection){.area = width1 * width2,
                         .I1 = width1 * width2 * squared(width2) / 12.0,
                         .I2 = width2 * width1 * squared(width1) / 12.0,
                         .J = a * b * squared(b) * (1.0 / 3.0 - 64.0 / pi5 * b / a * series),
                         .radius = 0.5 * a};
}

// Torsion of an H section by Prandtl's stress function: its Laplacian is -2, it is 0 on the boundary, and J
// is twice its integral. A quarter consists of a web, 0 < x < a and 0 < y < c, and half a flange, a < x < a +
// t and 0 < y < e, which meet at x = a. Each has a cosine series in y; the interface values g have WEB_TERMS
// terms, such that the slopes from both sides agree. The reentrant corner limits convergence to the power
// 4/3; with these terms J is right to 5e-4.
enum { WEB_TERMS = 16 };

typedef struct Quarter {
    double a, c, t, e;
} Quarter;

// Wave numbers of the web, whose cosines are 0 at y = c and sines (-1)^k.
static double web_wave(const Quarter* q, int k)
{
    return (k + 0.5) * CORD_PI / q->c;
}

static double flange_wave(const Quarter* q, int m)
{
    return (m + 0.5) * CORD_PI / q->e;
}

static double sign_of(int k)
{
    return k % 2 == 0 ? 1.0 : -1.0;
}

// Integral over the width of the web of the product of two cosines.
static double overlap(const Quarter* q, int k, double flange, double cosine)
{
    double web = web_wave(q, k);
    return fabs(web - flange) * q->c < 1e-6 ? 0.5 * q->c
                                            : web * sign_of(k) * cosine / ((web - flange) * (web + flange));
}

// k-th coefficient of c^2 - y^2, the stress function of a long web.
static double strip_part(const Quarter* q, int k)
{
    double wave = web_wave(q, k);
    return 4.0 * sign_of(k) / (q->c * wave * wave * wave);
}

// Wave lengths down to a fourth of the shortest one of the web; more than 4000 terms make no difference.
// Sizes that make no section have none.
static int flange_terms(const Quarter* q)
{
    return (int)real_max(real_min(4.0 * WEB_TERMS * q->e / q->c + 1.0, 4000.0), 0.0);
}

static bool solve_interface(const Quarter* q, double g[WEB_TERMS])
{
    double A[WEB_TERMS * WEB_TERMS] = {0}, I[WEB_TERMS];
    for (int k = 0; k < WEB_TERMS; k++) {
        double wave = web_wave(q, k), slope = 0.5 * q->c * wave * torsion_tanh(wave * q->a);
        A[k * WEB_TERMS + k] = slope;
        g[k] = slope * strip_part(q, k);
    }
    for (int m = 0; m < flange_terms(q); m++) {
        double wave = flange_wave(q, m), cosine = cord_cos(wave * q->c);
        double stiff = 2.0 * wave / (q->e * torsion_tanh(wave * q->t));
        double load = 4.0 * sign_of(m) * torsion_tanh(0.5 * wave * q->t) / (q->e * wave * wave);
        for (int k = 0; k < WEB_TERMS; k++) {
            I[k] = overlap(q, k, wave, cosine);
            g[k] += load * I[k];
        }
        for (int i = 0; i < WEB_TERMS * WEB_TERMS; i++) {
            A[i] += stiff * I[i / WEB_TERMS] * I[i % WEB_TERMS];
        }
    }
    return dense_solve(WEB_TERMS, A, g);
}

// J in addition to that of the two flanges alone.
static double web_torsion(const Quarter* q)
{
    double g[WEB_TERMS], sum = q->a * 2.0 * q->c * squared(q->c) / 3.0;
    if (!solve_interface(q, g)) {
        return NAN; // the section has no extent
    }
    for (int k = 0; k < WEB_TERMS; k++) {
        double wave = web_wave(q, k);
        sum += (g[k] - strip_part(q, k)) * torsion_tanh(wave * q->a) * sign_of(k) / squared(wave);
    }
    for (int m = 0; m < flange_terms(q); m++) {
        double wave = flange_wave(q, m), cosine = cord_cos(wave * q->c), part = 0.0;
        for (int k = 0; k < WEB_TERMS; k++) {
            part += 2.0 / q->e * g[k] * overlap(q, k, wave, cosine);
        }
        sum += part * torsion_tanh(0.5 * wave * q->t) * sign_of(m) / squared(wave);
    }
    return 8.0 * sum;
}

CordSection cord_section_h(double height, double width, double web, double flange)
{
    double inner = height - 2.0 * flange;
    Quarter quarter = {0.5 * inner, 0.5 * web, flange, 0.5 * width};
    return (CordSection){.area = 2.0 * width * flange + inner * web,
                         .I1 = (2.0 * flange * width * squared(width) + inner * web * squared(web)) / 12.0,
                         .I2 = (width * height * squared(height) - (width - web) * inner * squared(inner)) /
                               12.0,
                         .J = 2.0 * cord_section_rectangle(flange, width).J + web_torsion(&quarter),
                         .radius = 0.5 * real_max(height, width)};
}

CordMaterial cord_material_default(void)
{
    return (CordMaterial){.young = 1e9,
                          .poisson = 0.35,
                          .density = 1000.0,
                          .friction = 0.3,
                          .friction_across = 1.0,
                          .friction_kinetic = NAN,
                          .friction_backward = 1.0,
                          .bend_modulus = NAN,
                          .twist_modulus = NAN,
                          .stretch_modulus = NAN};
}

static double first_set(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

CordStiffness cord_stiffness_from(const CordMaterial* m, const CordSection* s)
{
    double bend = first_set(m->bend_modulus, m->young);
    double twist = first_set(m->twist_modulus, m->young / (2.0 * (1.0 + m->poisson)));
    double stretch = first_set(m->stretch_modulus, m->young);
    return (CordStiffness){.EI1 = bend * s->I1,
                           .EI2 = bend * s->I2,
                           .GJ = twist * s->J,
                           .EA = stretch * s->area,
                           .mass_per_length = m->density * s->area,
                           .EI12 = 0.0,
                           .spin_inertia = m->density * (s->I1 + s->I2),
                           .rotary1 = m->density * s->I1,
                           .rotary2 = m->density * s->I2};
}

CordStiffness cord_stiffness_unset(void)
{
    return (CordStiffness){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

double cord_damping_time(double ratio, double frequency)
{
    return ratio / (CORD_PI * frequency); // ratio to critical damping: omega time / 2
}
