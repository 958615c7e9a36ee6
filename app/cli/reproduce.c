#include "reproduce.h"

#include "bench_world.h"
#include "command.h"
#include "input.h"
#include "modal.h"
#include "options.h"
#include "plot.h"

#include <string.h>

static void draw(const char* directory, const char* name)
{
    (void)plot_draw(&(Plot){.directory = directory, .name = name});
}

const LabHost* reproduce_host(void)
{
    static LabHost host = {.open = input_world,
                           .file = plot_file,
                           .plot = draw,
                           .note = console_note,
                           .clock = clock_wall,
                           .cpu_clock = clock_cpu,
                           .time = bench_time_steps};
    host.modal = modal_hooks_uncached();
    return &host;
}

static int experiment_count(void)
{
    int count = 0;
    while (lab_experiment(count)) {
        count++;
    }
    return count;
}

static const char* experiment_name(const void* context, int i)
{
    (void)context;
    return lab_experiment(i)->id;
}

static const Experiment* find(const char* id)
{
    for (int i = 0; lab_experiment(i); i++) {
        if (strcmp(lab_experiment(i)->id, id) == 0) {
            return lab_experiment(i);
        }
    }
    const char* nearest = option_nearest(id, experiment_name, NULL, experiment_count());
    console_error("there is no experiment '%s'%s%s%s; cordage reproduce lists them", id,
                  nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

int cordage_reproduce(int argc, char** argv)
{
    const char* directory = "reproduce";
    bool quick = false;
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &directory, "DIR", "where tables and plots go (default: reproduce)"},
        {"quick", 0, OPTION_FLAG, &quick, NULL, "the short form of those that take long"},
    };
    const OptionSet set = {
        .usage = "reproduce [ID]... [-o DIR] [--quick]",
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
    for (int i = 0; lab_experiment(i) && operands.count == 0; i++) {
        static const char* const costs[] = {[LAB_SHORT] = "",
                                            [LAB_LONG] = "; takes long, but for --quick",
                                            [LAB_TIMING] = "; wants a machine that does nothing else"};
        const Experiment* e = lab_experiment(i);
        printf("%-12s %s%s\n", e->id, e->about, costs[e->cost]);
    }
    bool pass = true;
    for (int i = 0; i < operands.count; i++) {
        if (!find(operands.items[i])) {
            return EXIT_USAGE;
        }
    }
    for (int i = 0; i < operands.count; i++) {
        pass &= lab_run(reproduce_host(), find(operands.items[i]), directory, quick);
    }
    return pass ? EXIT_GOOD : EXIT_FAILED;
}
