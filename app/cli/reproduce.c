#include "reproduce.h"

#include "command.h"
#include "options.h"
#include "source.h"
#include "talk.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Experiment {
    const char* id;
    const char* summary;
    bool (*run)(const char* directory);
} Experiment;

static const Experiment experiments[] = {
    {"theory", "closed-form results for straight rods: equilibria, frequencies, buckling; order of convergence",
     theory_run},
    {"overhand", "overhand knots drawn tight: radius of the loop, friction, crossings; a solve and a run",
     overhand_run},
    {"square-knot", "a square knot: it holds 100 N by friction, and slips with less of it", square_knot_run},
    {"der-fig1", "DER figure 1: a trefoil knot with twisted ends, and the twist at which it jumps", der_fig1_run},
    {"der-fig2", "DER figure 2: helical perversion, two hands in one spring", der_fig2_run},
    {"der-fig5", "DER figure 5: asymmetry of twist in a V and a semicircle", der_fig5_run},
    {"der-fig6", "DER figure 6: torque transducer, the energies of two bodies and the cord between them",
     der_fig6_run},
    {"der-fig7", "DER figure 7: localised helical buckling, and its envelope", der_fig7_run},
    {"der-fig8", "DER figure 8: Michell's instability, the map of stability of a twisted ring", der_fig8_run},
    {"der-fig9", "DER figure 9: plectonemes, how many and how they merge", der_fig9_run},
    {"der-fig10", "DER figure 10: a chain of open links, pulled until it breaks", der_fig10_run},
    {"der-fig11", "DER figure 11: Wilberforce's pendulum, and its beat", der_fig11_run},
    {"der-fig12", "DER figure 12: a tree in the wind, and one that nothing keeps from spinning", der_fig12_run},
    {"der-table1", "DER table 1: what a step of each figure costs, phase by phase", der_table1_run},
    {"corde-fig1", "CORDE figure 1: looping under torsion, and what the ratio of stiffnesses does to the loop",
     corde_fig1_run},
    {"corde-fig5", "CORDE figure 5: cords of 1000, 100 and 50 elements coil up to the same shape", corde_fig5_run},
    {"corde-fig5-quick", "the same with 200, 100 and 50 elements: a tenth of the time", corde_fig5_quick_run},
    {"corde-fig6", "CORDE figure 6: stiff wires in a stack, and springs that fall, bounce and bear a weight",
     corde_fig6_run},
    {"corde-fig7", "CORDE figure 7: a thread knotted by a hand, and a coiled one; frames per second", corde_fig7_run},
    {"corde-table1", "CORDE table 1: what forces and integration cost by the number of elements", corde_table1_run},
    {"acm-fig1",
     "ACM figure 1: a bar that hangs by Prusik knots, and a double Fisherman's knot in ropes of unequal radii",
     acm_fig1_run},
    {"acm-fig3", "ACM figure 3: a fixed and an adaptive rod against a bar, and the paths of their tips", acm_fig3_run},
    {"acm-fig4", "ACM figure 4: a thread held on four poles by a shoelace knot, untied, slips down", acm_fig4_run},
    {"acm-fig5", "ACM figure 5: a double Fisherman's knot, its ropes fine all along, adaptive, and coarse",
     acm_fig5_run},
    {"acm-fig6", "ACM figure 6: iterations and time against collisions, of a coil that falls", acm_fig6_run},
    {"acm-fig7", "ACM figure 7: a coil of 2,000 nodes that falls, and where the time goes", acm_fig7_run},
    {"acm-table1", "ACM table 1: nodes, contacts and time of ropes that are fine all along, adaptive, and coarse",
     acm_table1_run},
    {"pber-fig3", "PBER figure 3: a rod that hangs and one that falls, for three kinds of gravity on ghost points",
     pber_fig3_run},
    {"mw-fig3",
     "MW figure 3: a rubber rod in eight modes under three gravities, beside DER; its frequencies beside theory",
     mw_fig3_run},
    {"mw-fig4", "MW figure 4: a helix on a ball that turns, and its rigid copy", mw_fig4_run},
    {"mw-fig5", "MW figure 5: rods of a disc, a square and an H of equal area, and their torsion constants",
     mw_fig5_run},
    {"mw-fig6", "MW figure 6: a frame of 170 nodes and 336 beams, a hundred times as heavy as rubber", mw_fig6_run},
    {"mw-fig7", "MW figure 7: an animal of 9,836 nodes and 29,502 beams, in frames per second", mw_fig7_run},
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

// ---------------------------------------------------------------------------------------------------- files

static bool path_in(const char* directory, const char* name, char* path, size_t size)
{
    int length = snprintf(path, size, "%s/%s", directory, name);
    return length > 0 && (size_t)length < size;
}

FILE* reproduce_file(const char* directory, const char* name)
{
    char path[4096];
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        talk_error("%s: cannot make this directory for the results (%s)", directory, strerror(errno));
        return NULL;
    }
    FILE* file = path_in(directory, name, path, sizeof path) ? fopen(path, "w") : NULL;
    if (!file) {
        talk_error("%s/%s: cannot be written (%s)", directory, name, strerror(errno));
    }
    return file;
}

// ---------------------------------------------------------------------------------------------------- scenes

static double clock_now(void* user)
{
    (void)user;
    return talk_clock();
}

CordWorld* reproduce_scene_with(const CordWorldDef* hooks, const char* name, const char* const* settings,
                                int setting_count)
{
    char path[LIBRARY_PATH_MOST];
    CordScene* scene = NULL;
    CordWorld* world = NULL;
    if (!library_find(name, path)) {
        return NULL;
    }
    CordResult result = cord_scene_load(path, settings, setting_count, &scene);
    if (result == CORD_OK) {
        result = cord_scene_build(scene, hooks, &world);
    }
    if (!scene || result == CORD_NO_MEMORY) {
        talk_error("%s: there is no memory for the scene", path);
    } else if (result != CORD_OK) {
        talk_scene_notes(scene, true);
    }
    cord_scene_destroy(scene);
    return world;
}

CordWorld* reproduce_scene(const char* name, const char* const* settings, int setting_count)
{
    CordWorldDef hooks = cord_world_def_default();
    hooks.clock.now = clock_now;
    return reproduce_scene_with(&hooks, name, settings, setting_count);
}

// ---------------------------------------------------------------------------------------------------- plots

FILE* reproduce_plot_open(const ReproducePlot* plot)
{
    char name[512];
    snprintf(name, sizeof name, "%s.gnuplot", plot->name);
    return reproduce_file(plot->directory, name);
}

// gnuplot in the directory of results, once for each kind of picture. False: it is not there, or failed.
static bool draw(const ReproducePlot* plot, const char* terminal, const char* ending)
{
    char commands[1600], name[600];
    size_t n = 0;
    for (const char* c = plot->name; *c && n + 2 < sizeof name; c++) { // a quote in quotes is doubled
        name[n++] = *c;
        name[n] = *c;
        n += *c == '\'';
    }
    name[n] = '\0';
    snprintf(commands, sizeof commands, "set terminal %s; set output '%s.%s'; load '%s.gnuplot'", terminal,
             name, ending, name);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(plot->directory) == 0) {
            execlp("gnuplot", "gnuplot", "-e", commands, (char*)NULL);
        }
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool reproduce_plot_close(const ReproducePlot* plot, FILE* script)
{
    bool here = strcmp(plot->directory, ".") == 0; // then the name alone will do
    const char *folder = here ? "" : plot->directory, *slash = here ? "" : "/";
    bool drawn = fclose(script) == 0 && draw(plot, "svg size 900,560 background rgb 'white'", "svg") &&
                 draw(plot, "pngcairo size 1200,750 background rgb 'white'", "png");
    if (!drawn) {
        talk_warning("no plot was drawn: gnuplot is needed (Debian: gnuplot-nox); the script is %s%s%s.gnuplot",
                     folder, slash, plot->name);
    } else if (!plot->quiet) {
        talk_note("%s%s%s.svg and .png show it", folder, slash, plot->name);
    }
    return drawn;
}

// ---------------------------------------------------------------------------------------------------- the command

static const char* experiment_name(const void* context, int i)
{
    (void)context;
    return experiments[i].id;
}

static const Experiment* find(const char* id)
{
    for (int i = 0; i < EXPERIMENTS; i++) {
        if (strcmp(experiments[i].id, id) == 0) {
            return &experiments[i];
        }
    }
    const char* nearest = option_nearest(id, experiment_name, NULL, EXPERIMENTS);
    talk_error("there is no experiment '%s'%s%s%s; cordage reproduce lists them", id,
               nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

int cordage_reproduce(int argc, char** argv)
{
    const char* directory = "reproduce";
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &directory, "DIR", "where tables and plots go (default: reproduce)"},
    };
    const OptionSet set = {.usage = "reproduce [ID]... [-o DIR]",
                           .about = "Runs an experiment, compares it with theory, plots it, and says pass or fail.\n"
                                    "Without an ID it lists the experiments.",
                           .options = options,
                           .option_count = sizeof options / sizeof *options,
                           .closing = "example:\n  cordage reproduce theory -o results\n",
                           .least = 0,
                           .most = OPTIONS_MOST_OPERANDS};
    Operands operands;
    int status = options_parse(&set, argc, argv, &operands);
    if (status != OPTIONS_PARSED) {
        return status;
    }
    for (int i = 0; i < EXPERIMENTS && operands.count == 0; i++) {
        printf("%-10s %s\n", experiments[i].id, experiments[i].summary);
    }
    bool pass = true;
    for (int i = 0; i < operands.count; i++) {
        if (!find(operands.items[i])) {
            return EXIT_USAGE;
        }
    }
    for (int i = 0; i < operands.count; i++) {
        pass &= find(operands.items[i])->run(directory);
    }
    return pass ? EXIT_GOOD : EXIT_FAILED;
}
