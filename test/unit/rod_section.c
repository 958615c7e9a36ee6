#include "check.h"

#include <cordage/cordage.h>

#include <stdlib.h>

#define PI 3.14159265358979323846

static void near(double actual, double expected, double relative)
{
    CHECK_NEAR(actual / expected, 1.0, relative);
}

#define ROUND 1e-15 // a handful of products

TEST(a_disc_has_the_textbook_moments)
{
    CordSection s = cord_section_disc(0.01);
    near(s.area, PI * 1e-4, ROUND);
    near(s.I1, PI / 4 * 1e-8, ROUND);
    near(s.I2, PI / 4 * 1e-8, ROUND);
    near(s.J, PI / 2 * 1e-8, ROUND);
    CHECK_NEAR(s.radius, 0.01, 0.0);
}

TEST(a_tube_is_a_disc_less_its_bore)
{
    CordSection s = cord_section_tube(0.01, 0.008), a = cord_section_disc(0.01), b = cord_section_disc(0.008);
    near(s.area, a.area - b.area, 4 * ROUND);
    near(s.I1, a.I1 - b.I1, 4 * ROUND);
    near(s.J, a.J - b.J, 4 * ROUND);
    CHECK_NEAR(s.radius, 0.01, 0.0);
}

TEST(an_ellipse_bends_about_m1_with_the_extent_along_m2)
{
    CordSection s = cord_section_ellipse(0.03, 0.01);
    near(s.area, PI * 3e-4, ROUND);
    near(s.I1, PI / 4 * 0.03 * 1e-6, ROUND);
    near(s.I2, PI / 4 * 27e-6 * 0.01, ROUND);
    near(s.J, PI * 27e-6 * 1e-6 / (9e-4 + 1e-4), 2 * ROUND); // Saint-Venant's exact result
    near(cord_section_ellipse(0.01, 0.01).J, cord_section_disc(0.01).J, 2 * ROUND);
}

TEST(a_rectangle_has_the_textbook_moments)
{
    CordSection s = cord_section_rectangle(0.03, 0.01); // wide along m1
    near(s.area, 3e-4, ROUND);
    near(s.I1, 0.03 * 1e-6 / 12, ROUND); // stiffer about m2
    near(s.I2, 0.01 * 27e-6 / 12, ROUND);
}

// Timoshenko and Goodier, Theory of Elasticity, section 109, table 8: J = k1 (2a)^3 (2b), to the four digits
// given.
TEST(a_rectangle_twists_as_in_timoshenkos_table)
{
    const double ratio[] = {1.0, 1.5, 2.0, 3.0, 5.0, 10.0},
                 k1[] = {0.1406, 0.196, 0.229, 0.263, 0.291, 0.312};
    for (int i = 0; i < 6; i++) {
        double J = cord_section_rectangle(1.0, ratio[i]).J;
        CHECK_NEAR(J / ratio[i], k1[i], i == 0 ? 5e-5 : 5.1e-4);
        CHECK_NEAR(cord_section_rectangle(ratio[i], 1.0).J, J, 0.0);
    }
    CHECK_NEAR(cord_section_rectangle(1.0, 1.0).J, 0.140577014955, 3e-6); // terms from n = 11 are left out
}

// An H has two flanges across m1 (the height), and one web along it.
TEST(an_h_section_is_two_flanges_and_a_web)
{
    const double height = 0.1, width = 0.08, web = 0.002, flange = 0.003, inner = height - 2 * flange;
    CordSection s = cord_section_h(height, width, web, flange);
    near(s.area, 2 * width * flange + inner * web, ROUND);
    double arm = 0.5 * (height - flange); // Steiner, for bending about m2
    double I2 = 2 * (width * pow(flange, 3) / 12 + width * flange * arm * arm) + web * pow(inner, 3) / 12;
    near(s.I2, I2, 10 * ROUND);
    near(s.I1, 2 * flange * pow(width, 3) / 12 + inner * pow(web, 3) / 12, 2 * ROUND);
    CHECK(s.I1 + s.I2 > 20 * s.J); // the polar moment would be far too stiff
    near(s.J, (2 * width * pow(flange, 3) + inner * pow(web, 3)) / 3,
         0.5 / 26); // thin walls; ends and joints are of the order of flange / width
}

enum { MOST_CELLS = 256 };

// Twice the integral of Prandtl's stress function of an H, its sizes in multiples of its thinnest wall, by
// differences on a grid of n cells to that: Gauss and Seidel's method, overrelaxed, until it is done.
static double prandtl(int height, int width, int web, int flange, int n)
{
    static double f[MOST_CELLS + 1][MOST_CELLS + 1];
    int rows = height * n, columns = width * n;
    CHECK(rows <= MOST_CELLS && columns <= MOST_CELLS);
    memset(f, 0, sizeof f);
    double change = 1.0, most = 0.0, sum = 0.0,
           over = 2.0 / (1.0 + 2.2 / (n * fmax(web, flange))); // as is best for a wall so thick
    for (int sweep = 0; sweep < 20000 && change > 1e-9 * most; sweep++) {
        change = sum = 0.0;
        for (int i = 1; i < rows; i++) {
            bool across = i < flange * n || i > rows - flange * n;
            for (int j = 1; j < columns; j++) {
                if (across || abs(2 * j - columns) < web * n) {
                    double d =
                        0.25 * (f[i - 1][j] + f[i + 1][j] + f[i][j - 1] + f[i][j + 1] + 2.0 / (n * n)) -
                        f[i][j];
                    f[i][j] += over * d;
                    change = fmax(change, fabs(d)), most = fmax(most, f[i][j]), sum += f[i][j];
                }
            }
        }
    }
    CHECK(change <= 1e-9 * most);
    return 2.0 * sum / (n * n);
}

// Corners that are turned in make the error go as the 4/3rd power of the grid, and what two grids make of the
// limit is within a few parts in a thousand of it.
TEST(an_h_twists_as_prandtls_stress_function_says)
{
    const int sizes[][4] = {{16, 16, 1, 2}, {3, 3, 1, 1},  {5, 5, 1, 1},
                            {12, 12, 1, 3}, {12, 8, 3, 1}, {8, 8, 2, 2}};
    for (int i = 0; i < 6; i++) {
        const int* s = sizes[i];
        // even: a web has its middle on a line of the grid
        int n = MOST_CELLS / 4 / (s[0] > s[1] ? s[0] : s[1]) * 2;
        double coarse = prandtl(s[0], s[1], s[2], s[3], n), fine = prandtl(s[0], s[1], s[2], s[3], 2 * n),
               power = pow(2.0, 4.0 / 3);
        double J = cord_section_h(s[0], s[1], s[2], s[3]).J, limit = (power * fine - coarse) / (power - 1.0);
        print_message(
            "    H of %d x %d, web %d, flange %d: J %.6g, on two grids %.6g and %.6g, in the limit %.6g\n",
            s[0], s[1], s[2], s[3], J, coarse, fine, limit);
        near(J, limit, 5e-3);
    }
}

// One that is filled up is a rectangle.
TEST(an_h_with_a_web_as_wide_as_its_flanges_is_a_rectangle)
{
    // terms of the rectangle's series that are left out
    near(cord_section_h(4, 4, 4, 1).J, 0.140577014955 * 256, 2e-5);
    near(cord_section_h(6, 3, 3, 1).J, cord_section_rectangle(6, 3).J, 2e-4);
    near(cord_section_h(3, 6, 6, 1).J, cord_section_rectangle(6, 3).J, 2e-4);
}

TEST(stiffness_is_modulus_times_moment)
{
    CordMaterial m = cord_material_default();
    m.young = 2e9, m.poisson = 0.25, m.density = 1100;
    CordSection section = cord_section_rectangle(0.03, 0.01);
    CordStiffness s = cord_stiffness_from(&m, &section);
    near(s.EI1, 2e9 * section.I1, ROUND);
    near(s.EI2, 2e9 * section.I2, ROUND);
    near(s.GJ, 0.8e9 * section.J, ROUND); // G = E / (2 (1 + nu))
    near(s.EA, 2e9 * section.area, ROUND);
    near(s.mass_per_length, 1100 * section.area, ROUND);
}

TEST(a_modulus_of_its_own_overrides_one_kind_of_deformation)
{
    CordMaterial m = cord_material_default();
    m.bend_modulus = 1e6, m.twist_modulus = 2e6, m.stretch_modulus = 3e6;
    CordSection section = cord_section_disc(0.01);
    CordStiffness s = cord_stiffness_from(&m, &section);
    near(s.EI1, 1e6 * section.I1, ROUND);
    near(s.GJ, 2e6 * section.J, ROUND);
    near(s.EA, 3e6 * section.area, ROUND);
}

// Whoever takes the section refuses it. The number of terms of a series must not overflow, which sanitizers
// see.
TEST(sizes_of_any_magnitude_are_taken)
{
    const double sizes[] = {0.0, -1.0, 1e-300, -1e-300, 1e300, -1e300, INFINITY, -INFINITY, NAN, 1.0};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
        double height = sizes[i % COUNT], width = sizes[i / COUNT % COUNT], web = sizes[i / COUNT / COUNT];
        CHECK(isnan(cord_section_h(height, width, web, 1.0).radius) == (isnan(height) && isnan(width)));
    }
}

TEST_GROUP(rod_section)
