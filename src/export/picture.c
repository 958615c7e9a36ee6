// Rendering a frame.
#include "export/picture.h"

#include "export/geometry.h"

enum { SIZE_MOST = 16384, SAMPLES_MOST = 4096 };

CordPictureDef cord_picture_def_default(void)
{
    return (CordPictureDef){
        .width = 1280,
        .height = 720,
        .fit = true,
        .eye = {0.30, -1.0, 0.36},
        .up = {0, 0, 1},
        .field_of_view = 30.0 * CORD_PI / 180.0,
        .radius_scale = 1.0,
        .least_radius = 0.003,
        .ground = true,
        .ground_height = NAN,
        .samples = 16,
        .label = true,
    };
}

CordResult picture_check(const CordPictureDef* d, CordMessage* message)
{
    if (d->width < 1 || d->height < 1 || d->width > SIZE_MOST || d->height > SIZE_MOST) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the picture is %d x %d pixels; each side must be from 1 to %d", d->width,
                           d->height, SIZE_MOST);
    }
    if (d->samples < 1 || d->samples > SAMPLES_MOST) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the picture has %d rays per pixel; write from 1 to %d", d->samples, SAMPLES_MOST);
    }
    if (!(d->field_of_view >= 1e-3 && d->field_of_view <= 3.0)) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the picture's field of view is %g rad; it must be from 0.001 to 3",
                           d->field_of_view);
    }
    if (!(d->radius_scale > 0 && d->radius_scale <= 1e9)) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "the picture's radius scale is %g; it must be positive (1 draws rods as thick as they are)",
            d->radius_scale);
    }
    if (!(d->least_radius >= 0 && d->least_radius <= 0.2)) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the picture's least radius is %g of its height; it must be from 0 to 0.2",
                           d->least_radius);
    }
    for (int k = 0; d->groups && k < d->group_count; k++) {
        if (d->groups[k].rod_count < 0) {
            return export_fail(message, CORD_BAD_ARGUMENT,
                               "group %d of the picture has %d rods; write 0 or more", k,
                               d->groups[k].rod_count);
        }
    }
    return CORD_OK;
}

void picture_place(CordPictureDef* def, CordVec3 low, CordVec3 high)
{
    CordPictureDef placed = *def;
    cord_picture_fit(&placed, low, high);
    if (def->fit) {
        *def = placed;
    } else { // the caller has placed the camera
        def->ground_height = placed.ground_height;
    }
}

static CordResult scene_make(PictureScene* scene, const CordFrame* frame, CordMessage* message)
{
    const CordPictureDef* def = scene->def;
    CORD_TRY(picture_camera_make(def, &scene->camera, message));
    CORD_TRY(picture_curves_make(frame, def, &scene->camera, &scene->curves, message));
    CORD_TRY(picture_solids_make(frame, &scene->camera, &scene->bodies, message));
    CORD_TRY(picture_surfaces_make(frame, &scene->camera, &scene->surfaces, message));
    if (def->nodes) {
        CORD_TRY(picture_markers_make(frame, &scene->curves, &scene->camera, &scene->bodies, message));
    }
    CORD_TRY(
        picture_tracer_create(&scene->curves, &scene->bodies, &scene->surfaces, &scene->tracer, message));
    picture_stage_make(def, &scene->camera, &scene->stage);
    picture_light_prepare(scene);
    return picture_mask_make(&scene->curves, &scene->bodies, &scene->surfaces, &scene->camera, &scene->mask)
               ? CORD_OK
               : export_fail(message, CORD_NO_MEMORY, "no memory left to draw the picture");
}

static void scene_free(PictureScene* scene)
{
    picture_mask_free(&scene->mask);
    picture_tracer_destroy(scene->tracer);
    picture_curves_free(&scene->curves);
    picture_solids_free(&scene->bodies);
    picture_surfaces_free(&scene->surfaces);
}

CordResult picture_render(const CordFrame* frame, const CordPictureDef* def, double span, uint8_t* rgb,
                          CordMessage* message)
{
    CORD_TRY(picture_check(def, message));
    CordPictureDef placed = *def;
    CordVec3 low = {1, 1, 1}, high = {-1, -1, -1};
    picture_bounds(frame, def->radius_scale, &low, &high);
    picture_place(&placed, low, high);
    double floor = picture_floor_height(frame);
    placed.ground_height = isnan(floor) ? placed.ground_height : floor;
    PictureScene scene = {.def = &placed, .rod_count = frame->rod_count, .rgb = rgb};
    CordResult result = scene_make(&scene, frame, message);
    if (result == CORD_OK) {
        result = picture_tiles_run(&scene, message);
    }
    if (result == CORD_OK && placed.label) {
        picture_label_draw(&scene.stage, frame->time, span, placed.width, placed.height, rgb);
    }
    if (result == CORD_OK) {
        picture_legend_draw(&scene.stage, placed.width, placed.height, rgb);
    }
    scene_free(&scene);
    return result;
}

CordResult cord_picture_render(const CordFrame* frame, const CordPictureDef* def, uint8_t* rgb,
                               CordMessage* message)
{
    return picture_render(frame, def, fabs(frame->time), rgb, message);
}
