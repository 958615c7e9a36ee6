#include "compare.h"
#include "json.h"

#include <math.h>

static const char* state_name(CompareState state)
{
    static const char* const names[] = {"refused", "done", "stopped", "diverged", "interrupted"};
    return names[state];
}

static bool has_run(const CompareRun* run)
{
    return run->state != COMPARE_REFUSED;
}

static double cpu_per_second(const CompareRun* run) // NAN before the first step
{
    double time = cord_world_time(run->sim.world);
    return time > 0.0 ? run->report.cpu / time : NAN;
}

typedef struct Turns { // of all rods [turns]
    double twist, writhe;
} Turns;

static Turns turns_of(const Report* report)
{
    Turns turns = {0};
    for (int i = 0; report->rods && i < report->rod_count; i++) {
        turns.twist += report->rods[i].twist;
        turns.writhe += report->rods[i].writhe;
    }
    return turns;
}

// ---- as tables

typedef struct Cell {
    char text[32];
} Cell;

static Cell cell_number(const char* format, double value) // "-" if it is not finite
{
    Cell c;
    snprintf(c.text, sizeof c.text, isfinite(value) ? format : "-", value);
    return c;
}

static int name_width(const Compare* c)
{
    int width = 5;
    for (int k = 0; k < c->variants.count; k++) {
        int length = snprintf(NULL, 0, "%s", c->variants.items[k].name);
        width = length > width ? length : width;
    }
    return width;
}

static void print_cost(const Compare* c, int width)
{
    printf("%-*s %10s %10s %10s %12s  %s\n", width, "cost", "steps", "shortest", "longest", "CPU s per s",
           "ended");
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        if (!has_run(run)) {
            printf("%-*s %10s %10s %10s %12s  refused\n", width, run->variant->name, "-", "-", "-", "-");
            continue;
        }
        printf("%-*s %10s %10s %10s %12s  %s%sat t = %.4g s\n", width, run->variant->name,
               text_count(run->report.steps).text, cell_number("%.3g", run->report.shortest).text,
               cell_number("%.3g", run->report.longest).text, cell_number("%.3g", cpu_per_second(run)).text,
               run->state == COMPARE_DONE ? "" : state_name(run->state),
               run->state == COMPARE_DONE ? "" : " ", cord_world_time(run->sim.world));
    }
    printf("Steps in seconds; processor time of the steps alone for a simulated second, a noisy figure: "
           "whatever else\n"
           "the machine does changes it.\n");
}

// A diverged state has no meaningful energies.
static void print_energies(const Compare* c, int width)
{
    printf("\n%-*s %12s %12s %12s %12s %12s %12s\n", width, "energy [J]", "kinetic", "bend", "twist",
           "stretch", "gravity", "total");
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        if (run->state == COMPARE_DIVERGED) {
            printf("%-*s %12s\n", width, run->variant->name, "diverged");
        } else if (has_run(run)) {
            CordEnergy e = run->last.energy;
            printf("%-*s %12.5g %12.5g %12.5g %12.5g %12.5g %12.5g\n", width, run->variant->name, e.kinetic,
                   e.bend, e.twist, e.stretch, e.gravity, report_total(e));
        }
    }
}

static void print_geometry(const Compare* c, int width)
{
    printf("\n%-*s %12s %12s %16s\n", width, "geometry", "twist", "writhe", "least gap [m]");
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        if (run->state == COMPARE_DIVERGED) {
            printf("%-*s %12s\n", width, run->variant->name, "diverged");
        } else if (has_run(run)) {
            Turns turns = turns_of(&run->last);
            printf("%-*s %12.6g %12s %16s\n", width, run->variant->name, turns.twist,
                   cell_number("%.6g", turns.writhe).text, cell_number("%.3g", run->gap).text);
        }
    }
    printf("Turns at the end, all rods together; the least gap between surfaces at any frame, where contact "
           "is on.\n");
}

// The last frame that the run shares with the reference, other than the first, where all are equal. NULL:
// none.
static const CompareRow* last_compared(const CompareRun* run)
{
    const CompareRow* last = NULL;
    for (int i = 1; i < run->row_count; i++) {
        last = run->rows[i].compared ? &run->rows[i] : last;
    }
    return last;
}

static void print_difference(const CompareRun* run, int width)
{
    const CompareRow* last = last_compared(run);
    if (!last) {
        printf("%-*s nothing to compare: they share no frame but the first\n", width, run->variant->name);
        return;
    }
    printf("%-*s %11s %11s %11s %11s %12s  ", width, run->variant->name,
           cell_number("%.3g %%", 100.0 * run->largest.share).text,
           cell_number("%.4g", run->largest_time).text,
           cell_number("%.3g %%", 100.0 * last->difference.share).text,
           cell_number("%.3g %%", 100.0 * last->difference.rms_share).text,
           cell_number("%.3g", last->difference.twist).text);
    printf(isnan(run->over_time) ? "never\n" : "t = %.4g s\n", run->over_time);
}

static void print_differences(const Compare* c, int width)
{
    const char* name = compare_reference(c)->variant->name;
    printf("\n%-*s %11s %11s %11s %11s %12s  %s\n", width, "difference", "largest", "at t [s]", "at the end",
           "rms there", "twist there", "over 1 % from");
    for (int k = 0; k < c->variants.count; k++) {
        if (has_run(&c->runs[k]) && k != c->reference && c->runs[k].row_count > 0) {
            print_difference(&c->runs[k], width);
        }
    }
    printf(
        "Distance of nodes from those of %s, as a share of the rod's length; difference of twist in turns.\n",
        name);
}

// Runs that did not reach the end come first, since the tables must be read with that in mind.
static void print_failures(const Compare* c)
{
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        if (run->state == COMPARE_DIVERGED || run->state == COMPARE_STOPPED) {
            printf("%s %s at t = %.4g s of %.4g s; %s.\n", run->variant->name, state_name(run->state),
                   cord_world_time(run->sim.world), c->end,
                   k == c->reference ? "nothing can be compared with it from there on"
                                     : "it is compared up to there");
        }
    }
}

static void print_variants(const Compare* c)
{
    for (int k = 0; k < c->variants.count; k++) {
        const Variant* v = &c->variants.items[k];
        if (v->own == 0) {
            continue;
        }
        printf("%s: %s with", v->name, v->model ? v->model : "the scene");
        for (int i = v->settings.count - v->own; i < v->settings.count; i++) {
            printf(" %s", v->settings.items[i]);
        }
        printf("\n");
    }
}

void compare_print_table(const Compare* c)
{
    int width = name_width(c);
    width = width > 10 ? width : 10;
    print_variants(c);
    print_failures(c);
    print_cost(c, width);
    print_energies(c, width);
    print_geometry(c, width);
    print_differences(c, width);
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        if (run->message[0]) {
            printf("\n%s %s: %s\n", run->variant->name, state_name(run->state), run->message);
        }
    }
}

// ---- as JSON

static void json_variant(Json* j, const Variant* v)
{
    json_text(j, "name", v->name);
    json_text(j, "model", v->model);
    json_array(j, "settings");
    for (int i = v->settings.count - v->own; i < v->settings.count; i++) {
        json_text(j, NULL, v->settings.items[i]);
    }
    json_close_array(j);
}

static void json_difference(Json* j, const Difference* d)
{
    json_number(j, "largest", d->largest);
    json_number(j, "rms", d->rms);
    json_number(j, "share", d->share);
    json_number(j, "rms_share", d->rms_share);
    json_number(j, "twist", d->twist);
}

static void json_rods(Json* j, const Report* report)
{
    json_array(j, "rods");
    for (int i = 0; report->rods && i < report->rod_count; i++) {
        const RodReport* r = &report->rods[i];
        json_object(j, NULL);
        json_text(j, "name", r->rod.name);
        json_int(j, "nodes", r->rod.node_count);
        json_number(j, "twist", r->twist);
        json_number(j, "writhe", r->writhe);
        json_number(j, "stretch", r->stretch);
        report_json_energy(j, r->energy);
        json_close_object(j);
    }
    json_close_array(j);
}

static void json_frames(Json* j, const CompareRun* run)
{
    json_array(j, "frames");
    for (int i = 0; i < run->row_count; i++) {
        const CompareRow* row = &run->rows[i];
        json_object(j, NULL);
        json_number(j, "time", row->time);
        report_json_energy(j, row->energy);
        json_number(j, "twist", row->twist);
        if (row->compared) {
            json_object(j, "difference");
            json_difference(j, &row->difference);
            json_close_object(j);
        } else {
            json_null(j, "difference");
        }
        json_close_object(j);
    }
    json_close_array(j);
}

static void json_run(Json* j, const CompareRun* run, bool is_reference)
{
    Turns turns = turns_of(&run->last);
    json_text(j, "recording", run->path[0] ? run->path : NULL);
    json_number(j, "time", cord_world_time(run->sim.world));
    json_int(j, "steps", run->report.steps);
    json_number(j, "shortest_step", run->report.steps > 0 ? run->report.shortest : NAN);
    json_number(j, "longest_step", run->report.steps > 0 ? run->report.longest : NAN);
    json_int(j, "retries", run->report.retries);
    json_int(j, "iterations", run->report.iterations);
    json_number(j, "cpu_per_second", cpu_per_second(run));
    report_json_energy(j, run->last.energy);
    json_number(j, "twist", turns.twist);
    json_number(j, "writhe", turns.writhe);
    json_number(j, "least_gap", run->gap);
    json_rods(j, &run->last);
    if (!is_reference) {
        bool found = !isnan(run->largest_time);
        json_object(j, "difference");
        json_difference(j, &run->largest);
        json_number(j, "time", run->largest_time);
        json_text(j, "rod", found && run->last.rods ? run->last.rods[run->largest.rod].rod.name : NULL);
        json_number(j, "over_one_percent", run->over_time);
        json_close_object(j);
    }
    json_frames(j, run);
}

void compare_print_json(const Compare* c)
{
    Json json = json_begin(stdout), *j = &json;
    json_object(j, NULL);
    json_text(j, "scene", c->scene);
    json_text(j, "title", c->title);
    json_number(j, "end", c->end);
    json_number(j, "fps", c->fps);
    json_text(j, "reference", compare_reference(c)->variant->name);
    json_text(j, "directory", c->directory);
    json_array(j, "runs");
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        json_object(j, NULL);
        json_variant(j, run->variant);
        json_text(j, "state", state_name(run->state));
        json_text(j, "message", run->message[0] ? run->message : NULL);
        if (has_run(run)) {
            json_run(j, run, k == c->reference);
        }
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
    json_end(j);
}
