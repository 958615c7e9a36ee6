#include "rod_method.h"

#include "console.h"

#include <cordage/math.h>

#include <stdio.h>
#include <string.h>

RodMethod rod_method(const CordRodDef* def)
{
    RodMethod way = {.model = cord_model_name(def->model)};
    if (def->model == CORD_MODEL_MODAL) {
        way.modes = def->modal.modes;
        way.linear = def->modal.linear;
        return way;
    }
    way.integrator = def->integrator == CORD_INTEGRATOR_MIDPOINT         ? "implicit"
                     : def->integrator == CORD_INTEGRATOR_BACKWARD_EULER ? "backward_euler"
                                                                         : NULL;
    if (def->model != CORD_MODEL_PBD || way.integrator) {
        return way;
    }
    bool paper = def->pbd.solver == CORD_PBD_PBD, sweeps = paper || def->pbd.method == CORD_PBD_SWEEPS;
    way.solver = paper ? "pbd" : "xpbd";
    way.method = paper ? NULL : sweeps ? "sweeps" : "direct";
    way.substeps = def->pbd.substeps;
    way.iterations = def->pbd.iterations > 0 ? def->pbd.iterations : sweeps ? 20 : 24;
    return way;
}

RodMethodText rod_method_text(const RodMethod* way)
{
    RodMethodText t;
    if (way->modes > 0) {
        snprintf(t.text, sizeof t.text, "%s: %d mode%s, %s", way->model, way->modes, text_plural(way->modes),
                 way->linear ? "linear" : "warped");
        return t;
    }
    if (way->integrator) {
        snprintf(t.text, sizeof t.text, "%s: %s by Newton's method", way->model,
                 strcmp(way->integrator, "implicit") == 0 ? "midpoint rule" : "backward Euler");
        return t;
    }
    if (!way->solver) {
        snprintf(t.text, sizeof t.text, "%s", way->model);
        return t;
    }
    bool direct = way->method && strcmp(way->method, "direct") == 0;
    snprintf(t.text, sizeof t.text, "%s: %s%s%s, %d substep%s of %s%d %s%s", way->model, way->solver,
             way->method ? ", " : "", way->method ? way->method : "", way->substeps,
             text_plural(way->substeps), direct ? "at most " : "", way->iterations,
             direct ? "iteration" : "sweep", text_plural(way->iterations));
    return t;
}

static bool same_method(const RodMethod* a,
                        const RodMethod* b) // equal names are the same pointer
{
    return a->model == b->model && a->integrator == b->integrator && a->solver == b->solver &&
           a->method == b->method && a->substeps == b->substeps && a->iterations == b->iterations &&
           a->modes == b->modes && a->linear == b->linear;
}

RodMethodList rod_methods(const CordScene* scene)
{
    RodMethodList list = {.count = 0};
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        RodMethod way = rod_method(cord_scene_rod(scene, i));
        int k = 0;
        while (k < list.count && !same_method(&way, &list.items[k])) {
            k++;
        }
        if (k == ROD_METHODS_MOST) {
            list.others++;
            continue;
        }
        list.items[k] = way;
        list.rods[k]++;
        list.count = k == list.count ? k + 1 : list.count;
    }
    return list;
}

void rod_methods_print(const RodMethodList* list)
{
    for (int i = 0; i < list->count; i++) {
        printf("%-16s%s", i == 0 ? "model" : "", rod_method_text(&list->items[i]).text);
        if (list->count > 1) {
            printf(" (%d rod%s)", list->rods[i], text_plural(list->rods[i]));
        }
        printf("\n");
    }
    if (list->others > 0) {
        printf("%-16sand %d rod%s in yet other ways\n", "", list->others, text_plural(list->others));
    }
}

void rod_methods_json(Json* j, const RodMethodList* list)
{
    json_array(j, "models");
    for (int i = 0; i < list->count; i++) {
        const RodMethod* way = &list->items[i];
        json_object(j, NULL);
        json_text(j, "model", way->model);
        json_int(j, "rods", list->rods[i]);
        if (way->integrator) {
            json_text(j, "integrator", way->integrator);
        }
        if (way->solver) {
            json_text(j, "solver", way->solver);
            json_text(j, "method", way->method);
            json_int(j, "substeps", way->substeps);
            json_int(j, "iterations", way->iterations);
        }
        if (way->modes > 0) {
            json_int(j, "modes", way->modes);
            json_bool(j, "warped", !way->linear);
        }
        json_close_object(j);
    }
    json_close_array(j);
}

// ---- sweeps

// Estimates how much softer than its springs a chain is, for one kind of wave. `fast` and `slow` are the
// squared angular frequencies of its shortest and longest waves. Gauss-Seidel needs sweeps in proportion to
// the condition number of 1/h^2 + w^2. With fewer sweeps the springs have about that share of their
// stiffness, and displacements under a load grow accordingly. For nine rods of docs/models/pbd.md, with 10 to
// 1000 sweeps, the error of the tip was between a quarter of this estimate and four times as much.
static SweepEstimate sweeps_of(double fast, double slow, double load, double length, double h, int sweeps)
{
    SweepEstimate s = {.needed = 0.5 * (1.0 + h * h * fast) / (1.0 + h * h * slow)};
    double give = load * (1.0 / slow + h * h) / length; // h^2: the residual of one step counts, too
    s.off = fmin(1.0, give * fmax(1.0, s.needed / sweeps)) - fmin(1.0, give);
    return s;
}

SweepEstimate sweep_estimate(const CordWorld* world, CordRodId rod, double h, int sweeps)
{
    CordStiffness k = cord_rod_stiffness(world, rod);
    double L = cord_rod_length(world, rod), n = cord_rod_edge_count(world, rod), l = L / n;
    double g = cord_vec3_length(cord_world_gravity(world));
    double mass = cord_rod_mass(world, rod) / L; // [kg/m]
    double bend = fmax(k.EI1, k.EI2) / mass, stretch = k.EA / mass;
    // The longest waves are those of a cantilever. A rod that swings down pulls with three times its weight.
    SweepEstimate b =
        sweeps_of(16.0 * bend / (l * l * l * l), 12.36 * bend / (L * L * L * L), g, L, h, sweeps);
    SweepEstimate s = sweeps_of(4.0 * stretch / (l * l), 2.467 * stretch / (L * L), 3.0 * g, L, h, sweeps);
    return b.off > s.off ? b : s;
}
