#include "heap.h"
#include "info.h"

#include <cordage/io.h>

#include <math.h>
#include <stdlib.h>

static const double values_most = 1e8; // nodes times frames: several seconds

typedef struct Scratch { // for one rod
    CordSectionForce* forces;
    CordSectionMoment* moments;
} Scratch;

static void offer(ForceReport* report, ForceKind kind, double value, double rank, ForceExtreme at)
{
    ForceExtreme* e = &report->extremes[kind];
    if (isfinite(rank) && (!e->found || rank > e->rank)) {
        *e = at;
        e->found = true;
        e->value = value;
        e->rank = rank;
    }
}

static void add_rod(ForceReport* report, const CordFrame* frame, int index, int rod, const Scratch* scratch)
{
    const CordFrameRod* r = &frame->rods[rod];
    ForceExtreme at = {.rod = rod, .frame = index, .time = frame->time};
    cord_frame_forces(frame, rod, scratch->forces);
    for (at.place = 0; at.place < r->edge_count; at.place++) {
        const CordSectionForce* f = &scratch->forces[at.place];
        double shear = hypot(f->shear1, f->shear2);
        at.arc = f->arc;
        offer(report, FORCE_TENSION, f->tension, f->tension, at);
        offer(report, FORCE_LEAST_TENSION, f->tension, -f->tension, at);
        offer(report, FORCE_SHEAR, shear, shear, at);
    }
    cord_frame_moments(frame, rod, scratch->moments);
    for (at.place = 0; at.place < r->node_count; at.place++) {
        const CordSectionMoment* m = &scratch->moments[at.place];
        double bending = hypot(m->moment1, m->moment2);
        at.arc = m->arc;
        offer(report, FORCE_BENDING, bending, bending, at);
        offer(report, FORCE_TORQUE, m->torque, fabs(m->torque), at);
    }
}

void forces_begin(ForceReport* report, int first, int last)
{
    *report = (ForceReport){.first = first, .last = last};
}

void forces_add_frame(ForceReport* report, const CordFrame* frame, int index)
{
    report->skipped = (double)frame->node_count * (report->last - report->first + 1) > values_most;
    if (report->skipped) {
        return;
    }
    Scratch scratch = {heap_take((size_t)frame->edge_count, sizeof *scratch.forces),
                       heap_take((size_t)frame->node_count, sizeof *scratch.moments)};
    for (int r = 0; r < frame->rod_count; r++) {
        add_rod(report, frame, index, r, &scratch);
    }
    free(scratch.forces);
    free(scratch.moments);
}

// ---- telling

typedef struct ForceWords {
    const char *text, *unit, *key;
    bool at_node;
} ForceWords;

static const ForceWords words[FORCE_COUNT] = {
    [FORCE_TENSION] = {"greatest tension", "N", "greatest_tension", false},
    [FORCE_LEAST_TENSION] = {"least tension", "N", "least_tension", false},
    [FORCE_SHEAR] = {"greatest shear", "N", "greatest_shear", false},
    [FORCE_BENDING] = {"bending moment", "N m", "greatest_bending_moment", true},
    [FORCE_TORQUE] = {"torque", "N m", "greatest_torque", true},
};

void forces_print(const ForceReport* report, const CordFrameRod* rods)
{
    if (report->skipped) {
        printf(
            "\ninternal forces     not looked for: %d frames are too many to read; --frame K looks at one\n",
            report->last - report->first + 1);
        return;
    }
    if (report->first == report->last) {
        printf("\ninternal forces     in frame %d\n", report->first);
    } else {
        printf("\ninternal forces     in frames %d to %d\n", report->first, report->last);
    }
    for (int k = 0; k < FORCE_COUNT; k++) {
        const ForceExtreme* e = &report->extremes[k];
        if (e->found) {
            printf("  %-17s %.6g %s in \"%s\" at ", words[k].text, e->value, words[k].unit,
                   rods[e->rod].name);
            if (!isnan(e->arc)) { // a network has no arc length
                printf("%.6g m (", e->arc);
            }
            printf("%s %d%s, t = %.6g s\n", words[k].at_node ? "node" : "edge", e->place,
                   isnan(e->arc) ? "" : ")", e->time);
        } else {
            printf("  %-17s not recorded\n", words[k].text);
        }
    }
}

void forces_json(Json* j, const ForceReport* report, const CordFrameRod* rods)
{
    json_object(j, "internal_forces");
    for (int k = 0; k < FORCE_COUNT; k++) {
        const ForceExtreme* e = &report->extremes[k];
        if (report->skipped || !e->found) {
            json_null(j, words[k].key);
            continue;
        }
        json_object(j, words[k].key);
        json_number(j, "value", e->value);
        json_text(j, "rod", rods[e->rod].name);
        json_int(j, words[k].at_node ? "node" : "edge", e->place);
        json_number(j, "arc", e->arc);
        json_int(j, "frame", e->frame);
        json_number(j, "time", e->time);
        json_close_object(j);
    }
    json_close_object(j);
}
