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
    option_no_such("experiment", id, nearest, "cordage reproduce lists them");
    return NULL;
}

typedef struct ReproduceOptions {
    const char* directory;
    bool quick;
} ReproduceOptions;

static void list_experiments(void)
{
    static const char* const costs[] = {[LAB_SHORT] = "",
                                        [LAB_LONG] = "; takes long, but for --quick",
                                        [LAB_TIMING] = "; wants a machine that does nothing else"};
    for (int i = 0; lab_experiment(i); i++) {
        const Experiment* e = lab_experiment(i);
        printf("%-12s %s%s\n", e->id, e->about, costs[e->cost]);
    }
}

static int reproduce_command(void* given, const Operands* operands)
{
    const ReproduceOptions* o = given;
    bool pass = true;
    if (operands->count == 0) {
        list_experiments();
    }
    for (int i = 0; i < operands->count; i++) {
        if (!find(operands->items[i])) {
            return EXIT_USAGE;
        }
    }
    for (int i = 0; i < operands->count; i++) {
        pass &= lab_run(reproduce_host(), find(operands->items[i]), o->directory, o->quick);
    }
    return pass ? EXIT_GOOD : EXIT_FAILED;
}

static const Option options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(ReproduceOptions, directory), "DIR",
     "where tables and plots go (default: reproduce)"},
    {"quick", 0, OPTION_FLAG, offsetof(ReproduceOptions, quick), NULL,
     "the short form of those that take long"},
};

const Command command_reproduce = {
    .name = "reproduce",
    .arguments = "[ID]...",
    .summary = "an experiment against theory: pass or fail",
    .usage = "reproduce [ID]... [-o DIR] [--quick]",
    .about = "Runs an experiment, compares it with theory, plots it, and says pass or fail.\n"
             "Without an ID it lists the experiments.",
    .closing = "example:\n  cordage reproduce theory -o results\n",
    .operands = {0, OPTIONS_MOST_OPERANDS},
    COMMAND_OPTIONS(ReproduceOptions, .directory = "reproduce"),
    .run = reproduce_command,
};
