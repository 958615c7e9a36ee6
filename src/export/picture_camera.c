// The camera: bounds of what it shows, its position, and the rays through its pixels.
#include "export/picture.h"

#include "export/geometry.h"
#include "export/mesh.h"
#include "export/tessellation.h"

// Width of the free border, as a fraction of half the picture.
static const double margin = 0.1;

typedef struct Box { // empty if low is above high
    CordVec3 low, high;
} Box;

static void bounds_add(CordVec3 x, double radius, CordVec3* low, CordVec3* high)
{
    if (!cord_vec3_finite(x)) {
        return; // the render reports it; the box must stay finite
    }
    double r = isfinite(radius) && radius > 0 ? radius : 0;
    *low = (CordVec3){fmin(low->x, x.x - r), fmin(low->y, x.y - r), fmin(low->z, x.z - r)};
    *high = (CordVec3){fmax(high->x, x.x + r), fmax(high->y, x.y + r), fmax(high->z, x.z + r)};
}

// Bounds of both ends of every edge, with its radius. Rods that a surface hides do not count.
static void bounds_rods(const CordFrame* frame, double radius_scale, Box* box)
{
    for (int k = 0; k < frame->rod_count; k++) {
        const CordFrameRod* rod = &frame->rods[k];
        for (int j = surface_hides(frame, k) ? rod->edge_count : 0; j < rod->edge_count; j++) {
            double radius = frame->radius[rod->first_edge + j] * radius_scale;
            int nodes[2];
            cord_frame_ends(frame, k, j, nodes);
            bounds_add(picture_skin(frame)[nodes[0]], radius, &box->low, &box->high);
            bounds_add(picture_skin(frame)[nodes[1]], radius, &box->low, &box->high);
        }
    }
}

static void bounds_surfaces(const CordFrame* frame, Box* box)
{
    for (int k = 0; k < frame->surface_count; k++) {
        for (int i = 0; i < frame->surfaces[k].vertex_count; i++) {
            bounds_add(frame->surfaces[k].vertices[i], 0, &box->low, &box->high);
        }
    }
}

static void bounds_bodies(const CordFrame* frame, Box* box)
{
    for (int k = 0; k < frame->body_count; k++) {
        CordFrameObstacle solid = solid_from_body(&frame->bodies[k]);
        CordVec3 low, high;
        if (picture_solid_box(&solid, &low, &high)) {
            bounds_add(low, 0, &box->low, &box->high);
            bounds_add(high, 0, &box->low, &box->high);
        }
    }
}

// Of an obstacle much larger than what moves, only a part counts: as far around the moving things as they are
// wide.
static void bounds_obstacles(const CordFrame* frame, Box* box)
{
    Box moving = *box;
    CordVec3 span = cord_vec3_sub(moving.high, moving.low);
    double around = fmax(span.x, fmax(span.y, span.z)); // negative if nothing moves; then all of it counts
    for (int k = 0; k < frame->obstacle_count; k++) {
        CordVec3 low, high;
        if (!picture_solid_box(&frame->obstacles[k], &low, &high)) {
            continue;
        }
        if (around >= 0) {
            CordVec3 least = {moving.low.x - around, moving.low.y - around, moving.low.z - around};
            CordVec3 most = {moving.high.x + around, moving.high.y + around, moving.high.z + around};
            low = (CordVec3){clamp(low.x, least.x, most.x), clamp(low.y, least.y, most.y),
                             clamp(low.z, least.z, most.z)};
            high = (CordVec3){clamp(high.x, least.x, most.x), clamp(high.y, least.y, most.y),
                              clamp(high.z, least.z, most.z)};
        }
        bounds_add(low, 0, &box->low, &box->high);
        bounds_add(high, 0, &box->low, &box->high);
    }
}

void picture_bounds(const CordFrame* frame, double radius_scale, CordVec3* low, CordVec3* high)
{
    if (low->x > high->x || low->y > high->y || low->z > high->z) {
        *low = (CordVec3){INFINITY, INFINITY, INFINITY};
        *high = (CordVec3){-INFINITY, -INFINITY, -INFINITY};
    }
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bounds_rods(frame, radius_scale, &box);
    bounds_bodies(frame, &box);
    bounds_surfaces(frame, &box);
    bounds_obstacles(frame, &box);
    bounds_add(box.low, 0, low, high);
    bounds_add(box.high, 0, low, high);
}

void cord_picture_bounds(const CordFrame* frame, CordVec3* low, CordVec3* high)
{
    picture_bounds(frame, 1.0, low, high);
}

// Right, up and forward of a camera that looks along `toward`, with `up` upwards in the picture.
static void view_axes(CordVec3 toward, CordVec3 up, CordVec3 axes[3])
{
    CordVec3 forward = cord_vec3_unit_or(toward, (CordVec3){0, 1, 0});
    CordVec3 right = cord_vec3_cross(forward, cord_vec3_unit_or(up, (CordVec3){0, 0, 1}));
    if (cord_vec3_length(right) < 1e-6) { // looking along up: use the axis that points up on a map
        right = cord_vec3_cross(forward, fabs(forward.y) < 0.9 ? (CordVec3){0, 1, 0} : (CordVec3){0, 0, 1});
    }
    axes[0] = cord_vec3_unit_or(right, (CordVec3){1, 0, 0});
    axes[1] = cord_vec3_cross(axes[0], forward);
    axes[2] = forward;
}

// Makes a box with a positive size out of any two corners.
static void box_mend(CordVec3* low, CordVec3* high)
{
    bool empty = !(low->x <= high->x && low->y <= high->y && low->z <= high->z);
    if (empty || !cord_vec3_finite(*low) || !cord_vec3_finite(*high)) {
        *low = (CordVec3){-0.5, -0.5, -0.5};
        *high = (CordVec3){0.5, 0.5, 0.5};
    }
    double largest = fmax(high->x - low->x, fmax(high->y - low->y, high->z - low->z));
    double far = fmax(fmax(fabs(low->x), fabs(low->y)), fmax(fabs(low->z), largest));
    // no thinner than a line, nor than the rounding error of its coordinates
    double least = fmax(1e-4 * largest, 1e-9 * far);
    double pad = least > 0 ? 0.5 * least : 1e-6;
    *low = (CordVec3){low->x - pad, low->y - pad, low->z - pad};
    *high = (CordVec3){high->x + pad, high->y + pad, high->z + pad};
}

// One direction of the picture, horizontal or vertical. A corner of the box at (along[k], forward[k]), seen
// from an eye at (e, f), appears at (along - e) / (forward - f), which must stay within +-reach.
typedef struct Span {
    double reach;
    double along[8];
} Span;

// The closest f from which all corners can be in view: |along - e| <= reach (forward - f) is linear in e and
// f.
static double span_closest(const Span* s, const double forward[8])
{
    double above = -INFINITY, below = INFINITY;
    for (int k = 0; k < 8; k++) {
        above = fmax(above, s->along[k] - s->reach * forward[k]);
        below = fmin(below, s->along[k] + s->reach * forward[k]);
    }
    return (below - above) / (2.0 * s->reach);
}

// The e that leaves equal borders on both sides, by bisection: the corners move one way as e moves the other.
static double span_center(const Span* s, const double forward[8], double f)
{
    double low = s->along[0], high = s->along[0];
    for (int k = 1; k < 8; k++) {
        low = fmin(low, s->along[k]);
        high = fmax(high, s->along[k]);
    }
    for (int step = 0; step < 60; step++) {
        double e = 0.5 * (low + high), least = INFINITY, most = -INFINITY;
        for (int k = 0; k < 8; k++) {
            double seen = (s->along[k] - e) / (forward[k] - f);
            least = fmin(least, seen);
            most = fmax(most, seen);
        }
        *(least + most > 0 ? &low : &high) = e;
    }
    return 0.5 * (low + high);
}

void cord_picture_fit(CordPictureDef* def, CordVec3 low, CordVec3 high)
{
    box_mend(&low, &high);
    if (isnan(def->ground_height)) {
        double largest = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
        def->ground_height = low.z - (0.02 + 2.0 * def->least_radius) * largest;
    }
    CordVec3 axes[3];
    view_axes(cord_vec3_sub(def->target, def->eye), def->up, axes);
    double reach = fmax(0.1, 1.0 - margin - 2.0 * def->least_radius) * tan(0.5 * def->field_of_view);
    Span across = {.reach = reach * def->width / def->height}, upward = {.reach = reach};
    double forward[8];
    // corners relative to the middle, so that a scene far from the origin keeps its digits
    CordVec3 middle = cord_vec3_scale(cord_vec3_add(low, high), 0.5);
    for (int k = 0; k < 8; k++) {
        CordVec3 d = cord_vec3_sub(
            (CordVec3){k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z}, middle);
        across.along[k] = cord_vec3_dot(d, axes[0]);
        upward.along[k] = cord_vec3_dot(d, axes[1]);
        forward[k] = cord_vec3_dot(d, axes[2]);
    }
    double f = fmin(span_closest(&across, forward), span_closest(&upward, forward));
    CordVec3 aside = cord_vec3_madd(cord_vec3_scale(axes[0], span_center(&across, forward, f)), axes[1],
                                    span_center(&upward, forward, f));
    def->target = cord_vec3_add(middle, aside);
    def->eye = cord_vec3_madd(def->target, axes[2], f);
    def->fit = false;
}

CordResult picture_camera_make(const CordPictureDef* def, PictureCamera* camera, CordMessage* message)
{
    CordVec3 toward = cord_vec3_sub(def->target, def->eye);
    double distance = cord_vec3_length(toward);
    if (!(distance > 1e-150 && distance < 1e150)) { // squares of lengths must neither underflow nor overflow
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "the picture's eye and target must be two different points with finite coordinates");
    }
    CordVec3 axes[3];
    view_axes(toward, def->up, axes);
    double half_height = tan(0.5 * def->field_of_view);
    *camera = (PictureCamera){
        .origin = def->target,
        .scale = distance,
        .right = axes[0],
        .up = axes[1],
        .forward = axes[2],
        .half_width = half_height * def->width / def->height,
        .half_height = half_height,
        .width = def->width,
        .height = def->height,
    };
    return CORD_OK;
}

CordVec3 picture_camera_point(const PictureCamera* camera, CordVec3 x)
{
    return cord_vec3_scale(cord_vec3_sub(x, camera->origin), 1.0 / camera->scale);
}

CordVec3 picture_camera_ray(const PictureCamera* camera, double px, double py)
{
    double across = (2.0 * px / camera->width - 1.0) * camera->half_width;
    double upward = (1.0 - 2.0 * py / camera->height) * camera->half_height;
    CordVec3 d = cord_vec3_madd(cord_vec3_madd(camera->forward, camera->right, across), camera->up, upward);
    return cord_vec3_scale(d, 1.0 / cord_vec3_length(d));
}

double picture_camera_project(const PictureCamera* camera, CordVec3 point, double pixel[2])
{
    CordVec3 d = cord_vec3_add(point, camera->forward); // from the eye
    double depth = cord_vec3_dot(d, camera->forward);
    if (depth > 0) {
        pixel[0] =
            0.5 * camera->width * (1.0 + cord_vec3_dot(d, camera->right) / (depth * camera->half_width));
        pixel[1] =
            0.5 * camera->height * (1.0 - cord_vec3_dot(d, camera->up) / (depth * camera->half_height));
    }
    return depth;
}
