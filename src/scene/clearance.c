// How many elements it takes for rods to be clear of each other.
#include "base/real.h"
#include "scene/build.h"
#include "scene/values.h"

#include <cordage/contact.h>

#include <math.h>

#define MOST_FINER 15.0    // times more elements are tried,
#define MOST_ELEMENTS 5000 // but no more than these
#define STEP_SHARE 0.05    // more of them from one trial to the next
#define STEPS_CLEAR 4      // trials in a row that must be clear: one alone may be by chance

// Creates a rod of the scene with another number of elements. The scene is as it was afterwards.
static bool add_rod(CordScene* scene, int index, int elements, CordWorld* world, const CordWorldDef* hooks)
{
    SceneRod* rod = &scene->rods[index];
    CordRodDef kept = rod->def, def;
    CordRodId id;
    EdgeArrays arrays;
    int nodes = rod->def.closed ? elements : elements + 1;
    rod->def.shape.node_count = nodes;
    rod->def.rest_shape.node_count = nodes;
    bool made = edge_arrays_make(scene, index, hooks, &arrays, &def) == CORD_OK &&
                cord_rod_create(world, &def, &id) == CORD_OK;
    edge_arrays_free(scene, &arrays);
    rod->def = kept;
    return made;
}

static bool are_clear(CordScene* scene, const int rods[2], const int elements[2])
{
    CordWorldDef hooks = cord_world_def_default();
    CordWorld* world;
    CordContact deepest;
    if (cord_world_create(&hooks, &world) != CORD_OK) {
        return false;
    }
    bool made = add_rod(scene, rods[0], elements[0], world, &hooks) &&
                (rods[1] == rods[0] || add_rod(scene, rods[1], elements[1], world, &hooks)) &&
                cord_world_set_contact(world, &scene->contact) == CORD_OK;
    bool clear = made && !cord_world_deepest(world, &deepest);
    cord_world_destroy(world);
    return clear;
}

static bool may_be_finer(const SceneRod* rod)
{
    CordShapeKind kind = rod->def.shape.kind;
    bool given = rod->def.rest == CORD_REST_SHAPE && rod->def.rest_shape.kind == CORD_SHAPE_POINTS;
    return rod->is_whole && !given && kind != CORD_SHAPE_POINTS && kind != CORD_SHAPE_NETWORK &&
           kind != CORD_SHAPE_LINE && rod->def.model != CORD_MODEL_MODAL;
}

// Numbers of elements to try next: `share` of them more, at least one and up to MOST_ELEMENTS.
static void refine(const CordScene* scene, const int rods[2], double share, int elements[2])
{
    for (int k = 0; k < 2; k++) {
        double more = elements[k] + real_max(1.0, floor(share * elements[k]));
        bool may = may_be_finer(&scene->rods[rods[k]]) && elements[k] < MOST_ELEMENTS;
        elements[k] = may ? (int)real_min(more, MOST_ELEMENTS) : elements[k];
    }
}

// Tries the finest first: if that does not help, nothing does.
static bool find_clear(CordScene* scene, const int rods[2], int elements[2])
{
    int finest[2] = {rod_elements(&scene->rods[rods[0]]), rod_elements(&scene->rods[rods[1]])};
    int at[2] = {finest[0], finest[1]}, clear = 0;
    refine(scene, rods, MOST_FINER, finest);
    if ((at[0] >= finest[0] && at[1] >= finest[1]) || !are_clear(scene, rods, finest)) {
        return false;
    }
    while (clear < STEPS_CLEAR) {
        refine(scene, rods, STEP_SHARE, at);
        bool last = at[0] >= finest[0] && at[1] >= finest[1];
        clear = last || are_clear(scene, rods, at) ? clear + 1 : 0;
        if (clear == 1) {
            elements[0] = at[0], elements[1] = at[1];
        }
    }
    return true;
}

bool cord_scene_clear_elements(CordScene* scene, int rod, int other, int elements[2])
{
    if (rod < 0 || rod >= scene->rod_count || other < 0 || other >= scene->rod_count) {
        return false;
    }
    Notes notes = scene->notes;
    bool failed = scene->pool.failed;
    bool found = find_clear(scene, (const int[2]){rod, other}, elements);
    scene->notes = notes;
    scene->pool.failed = failed;
    return found;
}
