#include "acm_fig1.h"

#include <math.h>

// As in the scene: step [s], pull at the standing ends and at the tails [N], radius of the thin rope [m].
static const double step = 5e-5, pull = 20.0, tails[2] = {4.0, -2.5}, thin = 0.002;
static const double tight = 0.2, are_free = 0.25,
                    end = 0.35; // the tails begin to be let go, are free, and then it is watched [s]
// friction from then on; wet, as in the scene, the knot slides together more easily
static const double dry = 0.4;

enum { ROPES = 2, LOOKS = 70 };

typedef struct Joined {
    CordWorld* world;
    CordRodId rod[ROPES];
    double slip;    // of the standing end since the tails are free [m]
    double deepest; // overlap, over the radius
} Joined;

// What pulls at a tail goes, bit by bit.
static void let_go(Lab* lab, const Joined* j, int rope)
{
    CordLoadDef def = cord_load_def_default();
    def.rod = j->rod[rope];
    def.at = cord_at_end();
    def.force = (CordVec3){-tails[rope], 0, 0};
    def.from = tight;
    def.ramp = are_free - tight;
    lab_load(lab, j->world, &def);
}

static Joined joined_open(Lab* lab, const char* model)
{
    Joined j = {.world = lab_world(lab, "acm/fig1_ropes", "rods[*].model=%s", model)};
    for (int i = 0; i < ROPES; i++) {
        j.rod[i] = cord_world_rod(j.world, i);
        let_go(lab, &j, i);
    }
    return j;
}

static double standing_end(const Joined* j)
{
    return lab_probe(j->world, 0).x;
}

static void watch(Lab* lab, Joined* j, const char* model)
{
    int steps = (int)nearbyint(end / (LOOKS * step));
    double from = 0.0;
    for (int i = 1; i <= LOOKS; i++) {
        lab_steps(lab, j->world, step, steps);
        double time = cord_world_time(j->world);
        CordContactReport report = cord_world_contact_report(j->world);
        from = time < are_free + 0.5 * step ? standing_end(j) : from;
        j->deepest = fmax(j->deepest, report.deepest);
        lab_row(lab, "ropes", model, time, standing_end(j), report.contacts,
                cord_rod_node_count(j->world, j->rod[0]), cord_rod_node_count(j->world, j->rod[1]));
        if (fabs(time - tight) <= 0.5 * step) {
            lab_friction(lab, j->world, dry);
        }
    }
    j->slip = standing_end(j) - from;
}

void acm_fig1_ropes(Lab* lab, const char* model)
{
    lab_say(lab,
            "%s: ropes of 8 and 4 mm joined by a double Fisherman's knot, dressed wet (friction 0.1), "
            "held dry (%g)",
            model, dry);
    Joined j = joined_open(lab, model);
    watch(lab, &j, model);
    for (int i = 0; i < ROPES; i++) {
        lab_equal(lab, lab_text(lab, "determinant of the knot in rope %d", i + 1),
                  (double)cord_rod_knot(j.world, j.rod[i]), 5, "a double overhand, as it was tied");
    }
    lab_below(
        lab,
        lab_text(lab, "its tails free, it holds %g N: drawn out of it in %g s [m]", pull, end - are_free),
        fabs(j.slip), thin, "the thin rope's radius");
    CordAdaptReport report = lab_adapt_report(j.world, ROPES);
    lab_apart(lab, j.deepest);
    lab_say(lab, "  %d nodes of %d", report.nodes, report.finest);
}
