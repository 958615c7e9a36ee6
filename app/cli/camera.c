#include "camera.h"

#include "heap.h"

#include <math.h>
#include <stdlib.h>

// radius of one of n strands over the height of the picture, times sqrt(n)
static const double strands_cover = 0.07;

void camera_from_scene(const CordSceneCamera* camera, CordPictureDef* def)
{
    if (!isnan(camera->eye.x)) {
        def->eye = camera->eye;
        def->target = camera->target;
        def->fit = false;
    }
    def->up = isnan(camera->up.x) ? def->up : camera->up;
    def->field_of_view = isnan(camera->field_of_view) ? def->field_of_view : camera->field_of_view;
    def->radius_scale = isnan(camera->radius_scale) ? def->radius_scale : camera->radius_scale;
    if (camera->has_ground) {
        def->ground = camera->ground;
        def->ground_height = camera->ground_height;
    }
}

// Do two rods come from the same entry of the scene?
static bool is_of_one_entry(const CordScene* scene, int a, int b)
{
    int line[2], column[2];
    return cord_scene_place(scene, CORD_SCENE_ROD, a, &line[0], &column[0]) &&
           cord_scene_place(scene, CORD_SCENE_ROD, b, &line[1], &column[1]) && line[0] == line[1] &&
           column[0] == column[1];
}

CordPictureGroup* camera_strands(const CordScene* scene, CordPictureDef* def)
{
    int rods = cord_scene_rod_count(scene), count = 0, last = 0, most = 0; // last: group of several rods
    CordPictureGroup* groups = heap_take((size_t)rods, sizeof *groups);
    for (int i = 0; i < rods; i++) {
        bool goes_on = i > 0 && is_of_one_entry(scene, i - 1, i);
        count += goes_on ? 0 : 1;
        last = goes_on ? count : last;
        int strands = ++groups[count - 1].rod_count;
        most = strands > most ? strands : most;
    }
    if (last > 0) {
        def->groups = groups;
        def->group_count = last;
        def->least_radius = fmin(def->least_radius, strands_cover / sqrt(most));
    }
    return groups;
}
