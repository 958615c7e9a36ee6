// Cross-sections and what they and a material give in stiffness and mass.
#include "math/trig.h"
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
                         .I1 = CORD_PI / 4.0 * half1 * half2 * b2, // bending about m1 spans the extent along m2
                         .I2 = CORD_PI / 4.0 * half1 * half2 * a2,
                         .J = CORD_PI * half1 * a2 * half2 * b2 / (a2 + b2),
                         .radius = fmax(half1, half2)};
}

// tanh for the torsion series, from the exponential's own series of halvings: needs no library function.
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
    double a = fmax(width1, width2), b = fmin(width1, width2), series = 0.0;
    for (int n = 9; n >= 1; n -= 2) { // Timoshenko and Goodier, Theory of Elasticity, section 109; n = 11 adds below 1e-5
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

CordSection cord_section_h(double height, double width, double web, double flange)
{
    double inner = height - 2.0 * flange;
    return (CordSection){.area = 2.0 * width * flange + inner * web,
                         .I1 = (2.0 * flange * width * squared(width) + inner * web * squared(web)) / 12.0,
                         .I2 = (width * height * squared(height) - (width - web) * inner * squared(inner)) / 12.0,
                         .J = (2.0 * width * flange * squared(flange) + inner * web * squared(web)) / 3.0, // thin walls
                         .radius = 0.5 * fmax(height, width)};
}

CordMaterial cord_material_default(void)
{
    return (CordMaterial){.young = 1e9,
                          .poisson = 0.35,
                          .density = 1000.0,
                          .friction = 0.3,
                          .friction_across = 1.0,
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
    return ratio / (CORD_PI * frequency); // of critical: omega time / 2
}
