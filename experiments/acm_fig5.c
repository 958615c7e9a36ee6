// ACM, figure 5: two ropes tied together by a double Fisherman's knot, fine all along, adaptive, and coarse.
#include "acm_fisherman.h"

#include <math.h>

static const double nodes_most = 0.5, time_most = 0.55; // of the high resolution's
static const double contacts_off = 0.1, shape_off = 0.02;
static const double slip_most = 0.1; // of a radius

static void judge_adaptive(Lab* lab, const FishermanRun* runs)
{
    const FishermanRun *high = &runs[FISHERMAN_HIGH], *adaptive = &runs[FISHERMAN_ADAPTIVE];
    lab_below(lab, "adaptive ropes: share of the nodes", adaptive->nodes / high->nodes, nodes_most,
              "ACM figure 5 has 0.46");
    lab_goal(lab, "adaptive ropes: share of the time", adaptive->step / high->step, time_most,
             "ACM figure 5 has 0.55");
    lab_near(lab, "adaptive ropes: contacts", adaptive->contacts, high->contacts, contacts_off, "fine ropes");
    lab_below(lab,
              lab_text(lab,
                       "adaptive ropes: how far the shape is off, over the %.0f mm of a rope in the knot",
                       500.0 * fisherman_length(&high->shape)),
              fisherman_difference(&high->shape, &adaptive->shape), shape_off, "fine ropes");
}

static void judge_coarse(Lab* lab, const FishermanRun* runs)
{
    const FishermanRun *high = &runs[FISHERMAN_HIGH], *low = &runs[FISHERMAN_LOW];
    lab_above(lab, "coarse ropes do not have this knot: contacts off by",
              fabs(low->contacts / high->contacts - 1.0), contacts_off, "fine ropes");
    lab_above(lab, "coarse ropes do not have this knot: shape off by",
              fisherman_difference(&high->shape, &low->shape), shape_off, "fine ropes");
}

static void judge_knot(Lab* lab, const FishermanRun* runs)
{
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        const FishermanRun* r = &runs[k];
        const char* name = fisherman_names[k];
        lab_true(lab, lab_text(lab, "%s: two double overhand knots in the end as in the beginning", name),
                 r->tied, "determinant 5");
        lab_below(lab, lab_text(lab, "%s: deepest overlap, over the radius", name), r->deepest,
                  lab_overlap_most, "the contact's tolerance");
        if (k != FISHERMAN_LOW) { // the tails of the coarse one swing around
            lab_true(lab, lab_text(lab, "%s: linked as often as in the beginning", name), r->linked,
                     "linking number");
            lab_below(lab, lab_text(lab, "%s: standing ends go apart while it is tight [m]", name),
                      fabs(r->slip), slip_most * fisherman_radius, "a tenth of the radius");
        }
    }
}

static void follow(Lab* lab, const char* model)
{
    lab_say(lab,
            "%s: drawn tight by %g N at all four ends; nodes and time in the mean from 0 to 0.25 s, "
            "contacts from 0.1 s on",
            model, fisherman_pull);
    const FishermanRun* runs = fisherman_run(lab, model, FISHERMAN_AS_SCENE);
    for (int k = 0; k < FISHERMAN_KINDS; k++) {
        const FishermanRun* r = &runs[k];
        for (int i = 0; i < FISHERMAN_SAMPLES; i++) {
            const FishermanSample* s = &r->at[i];
            lab_row(lab, model, fisherman_names[k], s->time, s->nodes, s->contacts, 1e3 * s->step, s->apart);
        }
        lab_row(lab, "means", lab_text(lab, "%s %s", model, fisherman_names[k]), r->nodes, r->contacts,
                1e3 * r->step, 100.0 * fisherman_difference(&runs[FISHERMAN_HIGH].shape, &r->shape));
    }
    judge_adaptive(lab, runs);
    judge_coarse(lab, runs);
    judge_knot(lab, runs);
}

static void run(Lab* lab)
{
    lab_models(lab, "der", follow);
}

#define PANEL(model, label, column, range)                                                                   \
    {                                                                                                        \
        .title = model, .x = "time [s]", .y = label,                                                         \
        .set = "set xrange [0:0.25]\nset xtics 0.1\nset yrange " range,                                      \
        .curves = LAB_CURVES({model, LAB_EACH, .x = "time", .y = column})                                    \
    }
#define COLUMNS "ropes,time [s],nodes,contacts,step [ms],standing ends apart [m]"

const Experiment experiment_acm_fig5 = {
    .id = "acm-fig5",
    .about = "ACM figure 5: a double Fisherman's knot, its ropes fine all along, adaptive, and coarse",
    .source = "ACM figure 5",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES({"der", .columns = COLUMNS}, {"corde", .columns = COLUMNS},
                         {"means", .columns = "ropes,nodes,contacts,step [ms],shape [%]", .shown = true}),
    .panels = LAB_PANELS(PANEL("der", "nodes of both ropes", "nodes", "[0:1600]"),
                         PANEL("der", "contacts that push", "contacts", "[0:70]"),
                         PANEL("der", "one step [ms]", "step", "[0:*]"),
                         PANEL("corde", "nodes of both ropes", "nodes", "[0:1600]"),
                         PANEL("corde", "contacts that push", "contacts", "[0:70]"),
                         PANEL("corde", "one step [ms]", "step", "[0:*]")),
    .layout = "2,3",
};
