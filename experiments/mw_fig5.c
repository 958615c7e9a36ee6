// MW, figure 5: rods of equal area of section, a disc, a square and an H: how far they bend, and their
// torsion constants.
#include "mw.h"
#include "torsion.h"

#include <math.h>

enum { DISC, SQUARE, H, RODS }; // of the scene, in the order of the paper: the first bends the most
enum { REST_STEPS = 600 };
static const char* const names[RODS] = {"disc", "square", "H"};
static const double height = 0.2, length = 0.2; // at which they are held, and of the rods [m]
static const double radius = 0.004;             // of the disc [m]
static const double torsion_most = 0.01;        // error of the constants
static const double square_J = 0.140577014;     // a^4: Timoshenko and Goodier, section 109
// of the scene's H, in halves of its web
static const TorsionH proportions = {.height = 32, .width = 32, .web = 2, .flange = 4};
static const LabView view = {{0.45, -0.62, 0.36}, {0.09, 0, 0.165}, 15.0, 0.06, 1.0};

static double unit_of(double area) // of the proportions [m]
{
    const TorsionH* h = &proportions;
    return sqrt(area / (2.0 * h->width * h->flange + (h->height - 2.0 * h->flange) * h->web));
}

static void make_sections(CordSection sections[RODS])
{
    double area = CORD_PI * radius * radius, side = sqrt(area), unit = unit_of(area);
    sections[DISC] = cord_section_disc(radius);
    sections[SQUARE] = cord_section_rectangle(side, side);
    sections[H] = cord_section_h(unit * proportions.height, unit * proportions.width, unit * proportions.web,
                                 unit * proportions.flange);
}

static void judge_bending(Lab* lab, const CordSection sections[RODS])
{
    CordWorld* world = lab_world(lab, "modal/fig5", "rods[*].modal.damping_ratio=0.7");
    double drop[RODS];
    lab_steps(lab, world, mw_step, REST_STEPS);
    for (int i = 0; i < RODS; i++) {
        const CordSection* s = &sections[i];
        drop[i] = height - lab_node(lab, world, i, -1).z;
        lab_row(lab, "", names[i], 1e6 * s->area, 1e12 * s->I2, 1e12 * s->J, drop[i]);
        lab_near(lab, lab_text(lab, "area of the %s [m^2]", names[i]), s->area, sections[DISC].area, 1e-12,
                 "the disc's");
    }
    lab_above(lab, "the disc bends more than the square: drop of its tip over the other's",
              drop[DISC] / drop[SQUARE], 1.02, "MW figure 5; I of the square is pi / 3 that of the disc");
    lab_above(lab, "the square bends more than the H: drop of its tip over the other's",
              drop[SQUARE] / drop[H], 2.0, NULL);
    lab_picture(lab, world, &view, "");
}

static void judge_torsion(Lab* lab, const CordSection sections[RODS])
{
    double side = sqrt(sections[SQUARE].area), unit = unit_of(sections[H].area);
    lab_near(lab, "torsion constant of a square as it is computed here [a^4]",
             torsion_constant((TorsionH){16, 16, 16, 8}) / 65536.0, square_J, 1e-4,
             "Timoshenko and Goodier, section 109");
    lab_near(lab, "torsion constant of the square [mm^4]", 1e12 * sections[SQUARE].J,
             1e12 * square_J * pow(side, 4.0), torsion_most, "Timoshenko and Goodier, section 109");
    lab_near(lab, "torsion constant of the H [mm^4]", 1e12 * sections[H].J,
             1e12 * torsion_constant(proportions) * pow(unit, 4.0), torsion_most,
             "Prandtl's equation, on three grids");
    lab_say(lab,
            "  the polar moment of the H, which the paper's eq. (2) has, is %.3g times its torsion "
            "constant",
            (sections[H].I1 + sections[H].I2) / sections[H].J);
}

static void run(Lab* lab)
{
    CordSection sections[RODS];
    make_sections(sections);
    lab_say(lab, "rubber rods of %g m, a disc, a square and an H of equal area, under their weight", length);
    judge_bending(lab, sections);
    judge_torsion(lab, sections);
}

const Experiment experiment_mw_fig5 = {
    .id = "mw-fig5",
    .about = "MW figure 5: rods of a disc, a square and an H of equal area, and their torsion constants",
    .source = "MW figure 5",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "section,area [mm^2],I [mm^4],J [mm^4],drop [m]", .shown = true}),
};
