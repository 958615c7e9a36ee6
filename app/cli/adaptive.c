#include "adaptive.h"

#include "console.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add(CordAdaptReport* sum, const CordAdaptReport* r)
{
    sum->made_with += r->made_with;
    sum->nodes += r->nodes;
    sum->finest += r->finest;
    sum->coarsest += r->coarsest;
    sum->refined += r->refined;
    sum->merged += r->merged;
    sum->kept_off += r->kept_off;
    sum->iterations += r->iterations;
    sum->steps += r->steps;
    sum->node_steps += r->node_steps;
    sum->flickers += r->flickers;
}

AdaptiveRods adaptive_rod(const CordFrame* frame, int rod)
{
    AdaptiveRods rods = {.steps = frame->steps};
    if (frame->adapt && frame->adapt[rod].made_with > 0) {
        rods.count = 1;
        rods.sum = frame->adapt[rod];
    }
    return rods;
}

AdaptiveRods adaptive_rods(const CordFrame* frame)
{
    AdaptiveRods rods = {.steps = frame->steps};
    for (int i = 0; i < frame->rod_count; i++) {
        AdaptiveRods one = adaptive_rod(frame, i);
        rods.count += one.count;
        add(&rods.sum, &one.sum);
    }
    return rods;
}

// Each is NAN before the first step or change.
static double mean_nodes(const AdaptiveRods* rods)
{
    return rods->steps > 0 ? rods->sum.node_steps / (double)rods->steps : NAN;
}

static double step_share(const AdaptiveRods* rods) // share of the steps in which a rod changed
{
    return rods->steps > 0 ? (double)rods->sum.steps / ((double)rods->steps * rods->count) : NAN;
}

static double change_iterations(const AdaptiveRods* rods)
{
    int64_t changes = rods->sum.refined + rods->sum.merged;
    return changes > 0 ? (double)rods->sum.iterations / (double)changes : NAN;
}

static void changes_text(const AdaptiveRods* rods, char* text, size_t size)
{
    const CordAdaptReport* r = &rods->sum;
    size_t n = (size_t)snprintf(text, size, "no node taken in or given up");
    if (r->refined + r->merged > 0) {
        n = (size_t)snprintf(text, size,
                             "%s taken in, %s given up, in %.2g %% of steps; %.3g iterations each",
                             text_count(r->refined).text, text_count(r->merged).text,
                             100.0 * step_share(rods), change_iterations(rods));
    }
    if (r->kept_off > 0 && n < size) { // only printed where it happened
        n += (size_t)snprintf(text + n, size - n, "; %s kept off by what is near",
                              text_count(r->kept_off).text);
    }
    if (r->flickers > 0 && n < size) {
        snprintf(text + n, size - n, "; %s undone within merge_time", text_count(r->flickers).text);
    }
}

AdaptiveText adaptive_text(const AdaptiveRods* rods)
{
    const CordAdaptReport* r = &rods->sum;
    AdaptiveText text;
    size_t n = (size_t)snprintf(text.nodes, sizeof text.nodes, "%d, made with %d, which may become %d to %d",
                                r->nodes, r->made_with, r->coarsest, r->finest);
    if (rods->steps > 0 && n < sizeof text.nodes) {
        snprintf(text.nodes + n, sizeof text.nodes - n, "; %.4g in the mean", mean_nodes(rods));
    }
    changes_text(rods, text.changes, sizeof text.changes);
    return text;
}

void adaptive_json(Json* j, const AdaptiveRods* rods)
{
    const CordAdaptReport* r = &rods->sum;
    if (rods->count == 0) {
        json_null(j, "adapt");
        return;
    }
    json_object(j, "adapt");
    json_int(j, "nodes", r->nodes);
    json_int(j, "made_with", r->made_with);
    json_int(j, "coarsest", r->coarsest);
    json_int(j, "finest", r->finest);
    json_number(j, "mean_nodes", mean_nodes(rods));
    json_int(j, "refined", r->refined);
    json_int(j, "merged", r->merged);
    json_int(j, "kept_off", r->kept_off);
    json_int(j, "iterations", r->iterations);
    json_int(j, "steps", r->steps);
    json_int(j, "flickers", r->flickers);
    json_close_object(j);
}
