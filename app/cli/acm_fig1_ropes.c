#include "acm_fig1_ropes.h"

#include "reproduce.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>

#include <math.h>

// As in the scene: step [s], pull at the standing ends and at the tails [N], radius of the thin rope [m].
static const double step = 5e-5, pull = 20.0, tails[2] = {4.0, -2.5}, thin = 0.002;
static const double tight = 0.2, are_free = 0.25,
                    end = 0.35; // the tails begin to be let go, are free, and then it is watched [s]
static const double dry = 0.4; // friction from then on; wet, as in the scene, the knot slides together more easily
static const double overlap_most = 1e-3; // of a radius: the contact's tolerance

enum { ROPES = 2, LOOKS = 70 };

typedef struct Joined {
    CordWorld* world;
    CordRodId rod[ROPES];
    double slip;    // of the standing end since the tails are free [m]
    double deepest; // overlap, over the radius
} Joined;

// What pulls at a tail goes, bit by bit.
static bool let_go(const Joined* j, int rope)
{
    CordLoadDef def = cord_load_def_default();
    CordLoadId load;
    def.rod = j->rod[rope];
    def.at = cord_at_end();
    def.force = (CordVec3){-tails[rope], 0, 0};
    def.from = tight;
    def.ramp = are_free - tight;
    return cord_load_create(j->world, &def, &load) == CORD_OK;
}

static bool joined_open(Joined* j, const char* model)
{
    char setting[64];
    snprintf(setting, sizeof setting, "rods[*].model=%s", model);
    *j = (Joined){.world = reproduce_scene("acm/fig1_ropes", (const char*[]){setting}, 1)};
    bool good = j->world;
    for (int i = 0; i < ROPES && good; i++) {
        j->rod[i] = cord_world_rod(j->world, i);
        good = let_go(j, i);
    }
    return good;
}

static double standing_end(const Joined* j)
{
    double value[3] = {0.0};
    (void)cord_probe_read(j->world, cord_world_probe(j->world, 0), value);
    return value[0];
}

static bool make_dry(Joined* j)
{
    CordContactDef contact = cord_world_contact_def(j->world);
    contact.friction = dry;
    return cord_world_set_contact(j->world, &contact) == CORD_OK;
}

static bool watch(Joined* j, const char* model, FILE* csv)
{
    int steps = (int)nearbyint(end / (LOOKS * step));
    double from = 0.0;
    bool good = true;
    for (int i = 1; i <= LOOKS && good; i++) {
        good = cord_world_step_many(j->world, step, steps) == CORD_OK;
        double time = cord_world_time(j->world);
        CordContactReport report = cord_world_contact_report(j->world);
        from = time < are_free + 0.5 * step ? standing_end(j) : from;
        j->deepest = fmax(j->deepest, report.deepest);
        fprintf(csv, "%s,%.6g,%.9g,%d,%d,%d\n", model, time, standing_end(j), report.contacts,
                cord_rod_node_count(j->world, j->rod[0]), cord_rod_node_count(j->world, j->rod[1]));
        good = good && (fabs(time - tight) > 0.5 * step || make_dry(j));
    }
    j->slip = standing_end(j) - from;
    return good;
}

static bool judge(const Joined* j)
{
    bool tied = true;
    int nodes = 0, finest = 0;
    for (int i = 0; i < ROPES; i++) {
        CordAdaptReport report = cord_rod_adapt_report(j->world, j->rod[i]);
        tied &= cord_rod_knot(j->world, j->rod[i]) == 5; // a double overhand's determinant
        nodes += report.nodes, finest += report.finest;
    }
    bool holds = fabs(j->slip) <= thin, apart = j->deepest <= overlap_most;
    printf("  its tails free, it holds %g N: %.2f mm drawn out of it in %g s, the thin rope's radius of %g mm allowed: %s\n",
           pull, 1e3 * j->slip, end - are_free, 1e3 * thin, holds ? "pass" : "FAIL");
    printf("  a double overhand knot in each, as they were tied: %s; deepest overlap %.2g of a radius, %g allowed: %s; %d nodes of %d\n",
           tied ? "pass" : "FAIL", j->deepest, overlap_most, apart ? "pass" : "FAIL", nodes, finest);
    fflush(stdout);
    return holds && tied && apart;
}

static bool tell(const char* model, FILE* csv)
{
    Joined j;
    printf("%s: ropes of 8 and 4 mm joined by a double Fisherman's knot, dressed wet (friction 0.1), held dry (%g)\n",
           model, dry);
    bool good = joined_open(&j, model) && watch(&j, model, csv);
    if (!good && j.world) {
        fprintf(stderr, "%s\n", cord_world_message(j.world));
    }
    good = good && judge(&j);
    cord_world_destroy(j.world);
    return good;
}

static void plot(const char* directory)
{
    ReproducePlot p = {.directory = directory, .name = "acm-fig1_ropes"};
    FILE* script = reproduce_plot_open(&p);
    if (!script) {
        return;
    }
    fprintf(script,
            "set datafile separator ','\nset grid\nset xlabel 'time [s]'\nset ylabel 'standing end, along the pull [m]'\nset key bottom right\n"
            "set arrow 1 from 0.2, graph 0 to 0.2, graph 1 nohead dt 2 lc rgb 'grey40'\nset arrow 2 from 0.25, graph 0 to 0.25, graph 1 nohead dt 2 lc rgb 'grey40'\n"
            "set label 1 'tails are let go' at 0.202, graph 0.3\nset label 2 'tails are free' at 0.252, graph 0.25\n"
            "plot for [m in 'der corde'] 'acm-fig1_ropes.csv' using (stringcolumn(1) eq m ? $2 : 1/0):3 with lines lw 2 title m\n");
    reproduce_plot_close(&p, script);
}

bool fig1_ropes_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "acm-fig1_ropes.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "model,time_s,standing_m,near,nodes_thick,nodes_thin\n");
    bool der = tell("der", csv), corde = tell("corde", csv);
    fclose(csv);
    plot(directory);
    return der && corde;
}
