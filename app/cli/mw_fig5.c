// MW, figure 5: rods of equal area of section, a disc, a square and an H: how far they bend, and their torsion constants.
#include "mw.h"
#include "reproduce.h"
#include "torsion.h"

#include <math.h>

enum { DISC, SQUARE, H, RODS }; // of the scene, in the order of the paper: the first bends the most
enum { REST_STEPS = 600 };
static const char* const names[RODS] = {"disc", "square", "H"};
static const double height = 0.2, length = 0.2; // at which they are held, and of the rods [m]
static const double radius = 0.004;             // of the disc [m]
static const double torsion_most = 0.01;        // error of the constants
static const double square_J = 0.140577014;     // a^4: Timoshenko and Goodier, section 109
static const TorsionH proportions = {.height = 32, .width = 32, .web = 2, .flange = 4}; // of the scene's H, in halves of its web
static const MwView view = {{0.45, -0.62, 0.36}, {0.09, 0, 0.165}, 15.0, 0.06, 1.0};

static double unit_of(double area) // of the proportions [m]
{
    const TorsionH* h = &proportions;
    return sqrt(area / (2.0 * h->width * h->flange + (h->height - 2.0 * h->flange) * h->web));
}

static void make_sections(CordSection sections[RODS])
{
    double area = 3.14159265358979324 * radius * radius, side = sqrt(area), unit = unit_of(area);
    sections[DISC] = cord_section_disc(radius);
    sections[SQUARE] = cord_section_rectangle(side, side);
    sections[H] = cord_section_h(unit * proportions.height, unit * proportions.width, unit * proportions.web,
                                 unit * proportions.flange);
}

static bool measure(const char* directory, double drop[RODS])
{
    const char* settings[] = {"rods[*].modal.damping_ratio=0.7"};
    CordWorld* world = mw_scene("modal/fig5", settings, 1);
    bool good = world && mw_advance(world, REST_STEPS);
    for (int i = 0; good && i < RODS; i++) {
        drop[i] = height - mw_node(world, i, -1).z;
    }
    if (good) {
        mw_picture(world, &view, directory, "mw-fig5");
    }
    cord_world_destroy(world);
    return good;
}

static bool judge_bending(const CordSection sections[RODS], const double drop[RODS])
{
    bool ordered = true;
    printf("  %-8s %12s %12s %12s %14s\n", "", "area [mm^2]", "I [mm^4]", "J [mm^4]", "tip drops [m]");
    for (int i = 0; i < RODS; i++) {
        const CordSection* s = &sections[i];
        printf("  %-8s %12.4f %12.2f %12.2f %14.6f\n", names[i], 1e6 * s->area, 1e12 * s->I2, 1e12 * s->J,
               drop[i]);
        ordered = ordered && (i == 0 || drop[i] < drop[i - 1]);
    }
    printf("  the disc bends the most and the H the least, as in the paper: %s\n", mw_verdict(ordered));
    return ordered;
}

static bool judge_constant(const char* name, double ours, double converged)
{
    double off = ours / converged - 1.0;
    bool near = fabs(off) <= torsion_most;
    printf("  torsion constant of the %-6s %.5g mm^4, converged %.5g, off by %.2g %%, %g %% allowed: %s\n",
           name, 1e12 * ours, 1e12 * converged, 100.0 * off, 100.0 * torsion_most, mw_verdict(near));
    return near;
}

static bool judge_torsion(const CordSection sections[RODS])
{
    double side = sqrt(sections[SQUARE].area), unit = unit_of(sections[H].area);
    double computed = torsion_constant((TorsionH){16, 16, 16, 8}) / 65536.0;
    bool checked = fabs(computed / square_J - 1.0) < 1e-4;
    printf("  the way that constants are computed gives %.7f a^4 for a square, should be %.7f: %s\n",
           computed, square_J, mw_verdict(checked));
    bool square = judge_constant("square", sections[SQUARE].J, square_J * pow(side, 4.0));
    bool h = judge_constant("H", sections[H].J, torsion_constant(proportions) * pow(unit, 4.0));
    double polar = sections[H].I1 + sections[H].I2;
    printf("  the polar moment of the H, which the paper's eq. (2) has, is %.3g times its torsion constant\n",
           polar / sections[H].J);
    return checked && square && h;
}

bool mw_fig5_run(const char* directory)
{
    double drop[RODS];
    CordSection sections[RODS];
    FILE* csv = reproduce_file(directory, "mw-fig5.csv");
    make_sections(sections);
    bool good = csv && measure(directory, drop);
    for (int i = 0; good && i < RODS; i++) {
        fprintf(csv, i == 0 ? "section,area_m2,I_m4,J_m4,drop_m\n" : "");
        fprintf(csv, "%s,%.9g,%.9g,%.9g,%.9g\n", names[i], sections[i].area, sections[i].I2, sections[i].J,
                drop[i]);
    }
    if (csv) {
        fclose(csv);
    }
    if (!good) {
        return false;
    }
    printf("rubber rods of %g m, a disc, a square and an H of equal area, under their weight\n", length);
    bool bending = judge_bending(sections, drop), torsion = judge_torsion(sections);
    printf("mw-fig5: %s\n", mw_verdict(bending && torsion));
    return bending && torsion;
}
