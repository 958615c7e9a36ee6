#include "branch_report.h"

#include "command.h"
#include "heap.h"

#include <math.h>
#include <stdlib.h>

enum { EVENTS_SHOWN = 12 }; // of each kind, in text; JSON lists all

BranchReport branch_of(CordBranchPoint* points, int count)
{
    BranchReport b = {.count = count, .points = points, .least_time = INFINITY, .most_time = -INFINITY};
    for (int i = 0; i < count; i++) {
        b.least_time = fmin(b.least_time, points[i].time);
        b.most_time = fmax(b.most_time, points[i].time);
        b.not_converged += !points[i].solve.converged;
    }
    return b;
}

int branch_read(BranchReport* report, const Input* input)
{
    int count = input->frames.count;
    CordBranchPoint* points = heap_take((size_t)count, sizeof *points);
    for (int i = 0; i < count; i++) {
        CordMessage message = {""};
        if (cord_recording_branch_point(input->recording, i, &points[i], &message) != CORD_OK) {
            free(points);
            return error_failed("%s", message.text);
        }
    }
    *report = branch_of(points, count);
    return EXIT_GOOD;
}

void branch_free(BranchReport* report)
{
    free(report->points);
    report->points = NULL;
}

// ---- events

typedef struct EventWords {
    CordBranchEvent event;
    const char *text, *key;
} EventWords;

static const EventWords event_words[] = {
    {CORD_BRANCH_FOLD, "folds", "folds"},
    {CORD_BRANCH_BIFURCATION, "bifurcations", "bifurcations"},
    {CORD_BRANCH_JUMP, "jumps", "jumps"},
};

static bool stability_changes(const BranchReport* report, int i)
{
    return i == 0 || report->points[i].solve.unstable != report->points[i - 1].solve.unstable;
}

// ---- telling

static void print_events(const BranchReport* report, const EventWords* words)
{
    int found = 0;
    for (int i = 0; i < report->count; i++) {
        found += report->points[i].event == words->event;
    }
    printf("  %-17s %d", words->text, found);
    int shown = 0;
    bool between = words->event == CORD_BRANCH_JUMP; // it has no event time
    for (int i = 0; i < report->count && shown < EVENTS_SHOWN; i++) {
        const CordBranchPoint* p = &report->points[i];
        if (p->event == words->event) {
            printf("%s", shown++ > 0 ? ", " : between ? ", between t = " : ", at t = ");
            printf(between ? "%.6g and %.6g" : "%.6g", between ? p[-1].time : p->event_time, p->time);
            if (p->crossed > 1) {
                printf(" (%d modes)", p->crossed);
            }
        }
    }
    printf("%s%s\n", found > 0 ? " s" : "", found > EVENTS_SHOWN ? " ..." : "");
}

bool branch_is_neutral(const CordBranchPoint* point)
{
    return point->solve.unstable == 0 && point->least_eigenvalue <= 0.0;
}

void branch_print_stable(const CordBranchPoint* point)
{
    int unstable = point->solve.unstable;
    if (unstable < 0) {
        printf("stability not known");
    } else if (unstable == 0 && isnan(point->least_eigenvalue)) { // loads have no potential
        printf("no divergence (flutter is not judged)");
    } else if (branch_is_neutral(point)) {
        printf("neutral (a motion costs nothing)");
    } else if (unstable == 0) {
        printf("stable");
    } else {
        printf("%d unstable mode%s", unstable, text_plural(unstable));
    }
}

static void print_stability(const BranchReport* report)
{
    int shown = 0;
    printf("  stability         ");
    for (int i = 0; i < report->count; i++) {
        const CordBranchPoint* p = &report->points[i];
        bool changes = stability_changes(report, i) || branch_is_neutral(p) != branch_is_neutral(p - 1);
        if (changes && shown++ < EVENTS_SHOWN) {
            printf("%s", shown > 1 ? "; " : "");
            branch_print_stable(p);
            printf(" from point %d (t = %.6g s)", i, p->time);
        }
    }
    printf("%s\n", shown > EVENTS_SHOWN ? "; ..." : "");
}

static void json_unstable(Json* j, int unstable)
{
    if (unstable < 0) {
        json_null(j, "unstable");
    } else {
        json_int(j, "unstable", unstable);
    }
}

void branch_print(const BranchReport* report, int point)
{
    const CordBranchPoint* here = &report->points[point];
    printf("branch              %d point%s, t within %.6g to %.6g s, %.6g long\n", report->count,
           text_plural(report->count), report->least_time, report->most_time,
           report->points[report->count - 1].arc);
    for (size_t k = 0; k < sizeof event_words / sizeof event_words[0]; k++) {
        print_events(report, &event_words[k]);
    }
    print_stability(report);
    if (report->not_converged > 0) {
        printf("  not converged     %d point%s\n", report->not_converged, text_plural(report->not_converged));
    }
    printf("  this point        %d, ", point);
    branch_print_stable(here);
    if (isfinite(here->least_eigenvalue)) {
        printf(", softest vibration omega^2 = %.6g /s^2", here->least_eigenvalue);
    } else if (here->solve.converged) {
        printf(", softest vibration not known");
    }
    printf(", residual %.3g N (%.3g of the largest force)\n", here->solve.residual,
           here->solve.residual_relative);
}

static void json_events(Json* j, const BranchReport* report, const EventWords* words)
{
    json_array(j, words->key);
    for (int i = 0; i < report->count; i++) {
        if (report->points[i].event == words->event) {
            json_object(j, NULL);
            json_int(j, "point", i);
            if (words->event == CORD_BRANCH_JUMP) {
                json_number(j, "after", report->points[i - 1].time);
                json_number(j, "time", report->points[i].time);
            } else {
                json_number(j, "time", report->points[i].event_time);
            }
            if (words->event == CORD_BRANCH_BIFURCATION) {
                json_int(j, "modes", report->points[i].crossed);
            }
            json_close_object(j);
        }
    }
    json_close_array(j);
}

static void json_stability(Json* j, const BranchReport* report)
{
    json_array(j, "stability");
    for (int i = 0; i < report->count; i++) {
        if (stability_changes(report, i)) {
            json_object(j, NULL);
            json_int(j, "point", i);
            json_number(j, "time", report->points[i].time);
            json_unstable(j, report->points[i].solve.unstable);
            json_close_object(j);
        }
    }
    json_close_array(j);
}

void branch_json(Json* j, const BranchReport* report, int point)
{
    const CordBranchPoint* here = &report->points[point];
    json_object(j, "branch");
    json_int(j, "points", report->count);
    json_number(j, "least_time", report->least_time);
    json_number(j, "greatest_time", report->most_time);
    json_number(j, "arc", report->points[report->count - 1].arc);
    for (size_t k = 0; k < sizeof event_words / sizeof event_words[0]; k++) {
        json_events(j, report, &event_words[k]);
    }
    json_stability(j, report);
    json_int(j, "not_converged", report->not_converged);
    json_object(j, "this_point");
    json_number(j, "arc", here->arc);
    json_unstable(j, here->solve.unstable);
    json_bool(j, "neutral", branch_is_neutral(here));
    json_number(j, "least_eigenvalue", here->least_eigenvalue);
    json_number(j, "residual", here->solve.residual);
    json_number(j, "residual_relative", here->solve.residual_relative);
    json_bool(j, "converged", here->solve.converged);
    json_close_object(j);
    json_close_object(j);
}
