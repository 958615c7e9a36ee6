// ACM, figure 6: what it takes to resolve n collisions of a falling coil, by the paper's response and by the
// default one.
#include "acm_coil.h"

static void follow(Lab* lab, CordResponse response, const char* name)
{
    coil_run(lab, response, name);
    lab_say(lab, "%s: iterations grow as collisions to the power %.2f", name,
            lab_power(lab, "coil", name, "collisions", "iterations"));
    // A handful of collisions among thousands of contacts may take as many iterations: six sweeps are the
    // least.
    lab_below(lab, lab_text(lab, "%s: iterations over collisions, where they are most", name),
              lab_last(lab, "coil", name, "ratio"), 1.0, NULL);
    lab_below(lab, lab_text(lab, "%s: overlap that is left, over the radius", name),
              lab_most(lab, "coil", name, "left/r"), coil_tolerance, "the paper's tolerance");
}

static void run(Lab* lab)
{
    lab_say(lab, "a coil of 2,000 nodes falls on the ground; to %g of a radius, steps of %g s",
            coil_tolerance, coil_step);
    follow(lab, CORD_RESPONSE_ZONES, "zones of impact");
    follow(lab, CORD_RESPONSE_IMPULSES, "impulses");
}

#define PANEL(label, column, range, ...)                                                                     \
    {                                                                                                        \
        .x = "collisions n", .y = label,                                                                     \
        .set = "set logscale xy\nset xrange [5:2000]\nset key top left\nset yrange " range,                  \
        .curves = LAB_CURVES({"coil", "zones of impact", .x = "collisions", .y = column,                     \
                              .with = "points pt 7 lc rgb '#c8452f'",                                        \
                              .title = "zones of impact, the paper''s response"},                            \
                             {"coil", "impulses", .x = "collisions", .y = column,                            \
                              .with = "points pt 5 lc rgb '#2455a4'", .title = "impulses, the default"},     \
                             __VA_ARGS__)                                                                    \
    }

const Experiment experiment_acm_fig6 = {
    .id = "acm-fig6",
    .about = "ACM figure 6: iterations and time against collisions, of a coil that falls",
    .source = "ACM figure 6",
    .run = run,
    .tables = LAB_TABLES({"coil", .columns = COIL_COLUMNS, .shown = true}),
    .panels = LAB_PANELS(PANEL("iterations of a step", "iterations", "[1:2000]",
                               {.y = "x", .with = "lines dt 2 lc rgb '#808080'", .title = "n"}),
                         PANEL("contact, one step [ms]", "contact", "[0.5:50]", {.y = NULL})),
    .layout = "1,2",
};
