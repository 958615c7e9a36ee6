#include "model.h"

#include "talk.h"

#include <stdio.h>
#include <string.h>

bool model_setting(const char* command, const char* model, OptionList* settings, ModelText* text)
{
    if (!model) {
        return true;
    }
    if (strlen(model) > 32 || strpbrk(model, "\"\\")) {
        talk_error("%s --model takes the name of a model, such as der", command);
        return false;
    }
    snprintf(text->text, sizeof text->text, "rods[*].model=\"%s\"", model);
    settings->items[settings->count++] = text->text;
    return true;
}

// ---------------------------------------------------------------------------------------------------- how rods are simulated

static bool is_implicit(const CordRodDef* def)
{
    return def->integrator == CORD_INTEGRATOR_MIDPOINT || def->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

ModelWay model_way(const CordRodDef* def)
{
    ModelWay way = {.model = cord_model_name(def->model)};
    if (def->model != CORD_MODEL_PBD || is_implicit(def)) {
        return way;
    }
    bool paper = def->pbd.solver == CORD_PBD_PBD, sweeps = paper || def->pbd.method == CORD_PBD_SWEEPS;
    way.solver = paper ? "pbd" : "xpbd";
    way.method = paper ? NULL : sweeps ? "sweeps" : "direct";
    way.substeps = def->pbd.substeps;
    way.iterations = def->pbd.iterations > 0 ? def->pbd.iterations : sweeps ? 20 : 24;
    return way;
}

WayText model_way_text(const ModelWay* way)
{
    WayText t;
    if (!way->solver) {
        snprintf(t.text, sizeof t.text, "%s", way->model);
        return t;
    }
    bool direct = way->method && strcmp(way->method, "direct") == 0;
    snprintf(t.text, sizeof t.text, "%s: %s%s%s, %d substep%s of %s%d %s%s", way->model, way->solver,
             way->method ? ", " : "", way->method ? way->method : "", way->substeps,
             talk_plural(way->substeps), direct ? "at most " : "", way->iterations,
             direct ? "iteration" : "sweep", talk_plural(way->iterations));
    return t;
}

static bool same_way(const ModelWay* a, const ModelWay* b) // both by model_way: equal names are the same text
{
    return a->model == b->model && a->solver == b->solver && a->method == b->method &&
           a->substeps == b->substeps && a->iterations == b->iterations;
}

WayList model_ways(const CordScene* scene)
{
    WayList list = {.count = 0};
    for (int i = 0; i < cord_scene_rod_count(scene); i++) {
        ModelWay way = model_way(cord_scene_rod(scene, i));
        int k = 0;
        while (k < list.count && !same_way(&way, &list.items[k])) {
            k++;
        }
        if (k == WAYS_MOST) {
            list.others++;
            continue;
        }
        list.items[k] = way;
        list.rods[k]++;
        list.count = k == list.count ? k + 1 : list.count;
    }
    return list;
}

void model_ways_print(const WayList* list)
{
    for (int i = 0; i < list->count; i++) {
        printf("%-16s%s", i == 0 ? "model" : "", model_way_text(&list->items[i]).text);
        if (list->count > 1) {
            printf(" (%d rod%s)", list->rods[i], talk_plural(list->rods[i]));
        }
        printf("\n");
    }
    if (list->others > 0) {
        printf("%-16sand %d rod%s in yet other ways\n", "", list->others, talk_plural(list->others));
    }
}

void model_ways_json(Json* j, const WayList* list)
{
    json_array(j, "models");
    for (int i = 0; i < list->count; i++) {
        const ModelWay* way = &list->items[i];
        json_object(j, NULL);
        json_text(j, "model", way->model);
        json_int(j, "rods", list->rods[i]);
        if (way->solver) {
            json_text(j, "solver", way->solver);
            json_text(j, "method", way->method);
            json_int(j, "substeps", way->substeps);
            json_int(j, "iterations", way->iterations);
        }
        json_close_object(j);
    }
    json_close_array(j);
}

bool model_ways_positioned(const WayList* list)
{
    bool any = false;
    for (int i = 0; i < list->count; i++) {
        any = any || list->items[i].solver;
    }
    return any;
}
