#include "camera.h"

#include <math.h>

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
