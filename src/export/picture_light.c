// Light: how much of the lamp and of the sky reaches a point. Shadow rays find it, and it is averaged over
// neighbouring pixels.
//
// The directions of the rays repeat after a period of pixels, and the averages cover whole periods. So all
// points of an open surface use the same directions, and the sampling error is not noise but a sum of faint
// copies.
#include "export/picture.h"

#include "export/geometry.h"

#include <stdlib.h>

enum {
    FLOOR_PERIOD = 16, // one direction per pixel
    FLOOR_MORE = 7,    // additional directions where the average is over fewer pixels
    SOLID_PERIOD = 8,  // several directions per pixel, because a rod covers fewer pixels
};

_Static_assert(FLOOR_PERIOD* FLOOR_PERIOD == PICTURE_DIRECTIONS,
               "each pixel of a period has its own direction");

// Roberts' two-dimensional sequence, from the plastic number.
void picture_spread(int index, double point[2])
{
    double a = 0.5 + 0.7548776662466927 * index, b = 0.5 + 0.5698402909980532 * index;
    point[0] = a - floor(a);
    point[1] = b - floor(b);
}

// The rank of a pixel in a square of period by period pixels, in Bayer's order: neighbours have distant
// ranks.
static int pixel_rank(int x, int y, int period)
{
    int rank = 0;
    for (int bit = 1; bit < period; bit *= 2) {
        int a = (x & bit) != 0, b = (y & bit) != 0;
        rank = 4 * rank + 2 * (a ^ b) + b;
    }
    return rank;
}

static CordVec3 lamp_direction(const PictureStage* stage, int index)
{
    double p[2];
    picture_spread(index, p);
    double radius = sqrt(p[0]), angle = 2.0 * CORD_PI * p[1];
    CordVec3 to = cord_vec3_madd(stage->key, stage->key_u, radius * cos(angle));
    return cord_vec3_unit_or(cord_vec3_madd(to, stage->key_v, radius * sin(angle)), stage->key);
}

// Density proportional to the cosine with the normal, as the irradiance weighs the sky.
static CordVec3 sky_direction(CordVec3 normal, int index)
{
    double p[2];
    picture_spread(index, p);
    double radius = sqrt(p[0]), angle = 2.0 * CORD_PI * p[1];
    CordVec3 u, v;
    frame_about(normal, &u, &v);
    CordVec3 to = cord_vec3_madd(cord_vec3_scale(u, radius * cos(angle)), v, radius * sin(angle));
    return cord_vec3_madd(to, normal, sqrt(max_of(0.0, 1.0 - p[0])));
}

void picture_light_prepare(PictureScene* scene)
{
    for (int k = 0; k < PICTURE_DIRECTIONS; k++) {
        scene->to_lamp[k] = lamp_direction(&scene->stage, k);
        scene->to_sky[k] = sky_direction((CordVec3){0, 0, 1}, k);
    }
}

// Three orders of the pixels, so that the position of a ray in its pixel, the lamp and the sky are not
// correlated.
static void floor_ray(const PictureScene* scene, int x, int y, int turn, PicturePixel* pixel)
{
    int shift = 23 * turn; // with this stride, 8 points are as far apart as possible
    double place[2];
    picture_spread(pixel_rank(FLOOR_PERIOD - 1 - x, y, FLOOR_PERIOD) + shift, place);
    CordVec3 eye = cord_vec3_scale(scene->camera.forward, -1.0);
    CordVec3 direction = picture_camera_ray(&scene->camera, x + place[0], y + place[1]);
    double distance = picture_stage_floor_distance(&scene->stage, eye, direction);
    if (!isfinite(distance)) {
        return;
    }
    CordVec3 point = cord_vec3_madd(eye, direction, distance);
    CordVec3 to_lamp = scene->to_lamp[(pixel_rank(x, y, FLOOR_PERIOD) + shift) % PICTURE_DIRECTIONS];
    CordVec3 to_sky = scene->to_sky[(pixel_rank(y, x, FLOOR_PERIOD) + shift) % PICTURE_DIRECTIONS];
    double lamp_gap = picture_tracer_reach(scene->tracer, point, to_lamp);
    double sky_gap = picture_tracer_reach(scene->tracer, point, to_sky);
    pixel->floor_seen += 1.0f;
    if (isfinite(lamp_gap)) {
        pixel->floor_no_lamp += 1.0f;
        pixel->floor_lamp_gap += (float)lamp_gap;
    }
    if (isfinite(sky_gap)) {
        pixel->floor_no_sky += 1.0f;
        pixel->floor_sky_gap += (float)sky_gap;
    }
}

void picture_light_floor(const PictureScene* scene, int x, int y, PicturePixel* pixel)
{
    floor_ray(scene, x, y, 0, pixel);
}

void picture_light_floor_more(const PictureScene* scene, int x, int y, PicturePixel* pixel)
{
    for (int turn = 1; turn <= FLOOR_MORE; turn++) {
        floor_ray(scene, x, y, turn, pixel);
    }
}

void picture_light_solid(const PictureScene* scene, int x, int y, int ray, int rays, CordVec3 point,
                         const PictureHit* hit, PicturePixel* pixel)
{
    double error =
        hit->edge < 0 ? 5e-6 : 0.03 * picture_curves_radius(&scene->curves, hit->edge, hit->u) + 1e-6;
    CordVec3 clear =
        cord_vec3_madd(cord_vec3_add(point, hit->lift), hit->normal, error); // of the surface that was hit
    double facing = cord_vec3_dot(hit->normal, scene->stage.key);
    if (facing > 0) {
        CordVec3 to = lamp_direction(&scene->stage, pixel_rank(x, y, SOLID_PERIOD) * rays + ray);
        pixel->lamp_all += (float)facing;
        pixel->lamp += picture_tracer_blocked(scene->tracer, clear, to) ? 0.0f : (float)facing;
    }
    CordVec3 to = sky_direction(hit->normal, pixel_rank(y, x, SOLID_PERIOD) * rays + ray);
    pixel->sky_all += 1.0f;
    pixel->sky += picture_tracer_blocked(scene->tracer, clear, to) ? 0.0f : 1.0f;
}

// ---- on the floor

static PictureFloorSum sum_add(PictureFloorSum a, PictureFloorSum b, double s) // a + s b
{
    return (PictureFloorSum){
        a.seen + s * b.seen,         a.no_lamp + s * b.no_lamp, a.no_sky + s * b.no_sky,
        a.lamp_gap + s * b.lamp_gap, a.sky_gap + s * b.sky_gap,
    };
}

// Every pixel has the same weight, whatever its number of rays; otherwise shadows, which get more, would
// spread.
static PictureFloorSum pixel_floor(const PicturePixel* p)
{
    double share = p->floor_seen > 0 ? 1.0 / (double)p->floor_seen : 0;
    return (PictureFloorSum){
        p->floor_seen > 0,
        share * (double)p->floor_no_lamp,
        share * (double)p->floor_no_sky,
        share * (double)p->floor_lamp_gap,
        share * (double)p->floor_sky_gap,
    };
}

void picture_light_sum(PictureTile* tile)
{
    int stride = tile->wide + 1;
    for (int i = 0; i < stride; i++) {
        tile->sums[i] = (PictureFloorSum){0};
    }
    for (int j = 0; j < tile->high; j++) {
        PictureFloorSum row = {0};
        tile->sums[(j + 1) * stride] = row;
        for (int i = 0; i < tile->wide; i++) {
            PictureFloorSum one = pixel_floor(&tile->pixels[j * tile->wide + i]);
            row = sum_add(row, one, 1.0);
            tile->sums[(j + 1) * stride + i + 1] = sum_add(tile->sums[j * stride + i + 1], row, 1.0);
        }
    }
}

// The pixels from (i - left, j - up) to (i + left, j + up).
static PictureFloorSum sum_box(const PictureTile* tile, int i, int j, int left, int up)
{
    const PictureFloorSum* low = &tile->sums[(j - up) * (tile->wide + 1)];
    const PictureFloorSum* high = &tile->sums[(j + up + 1) * (tile->wide + 1)];
    PictureFloorSum sum = sum_add(high[i + left + 1], high[i - left], -1.0);
    return sum_add(sum_add(sum, low[i + left + 1], -1.0), low[i - left], 1.0);
}

// A whole period around a pixel: 2 half + 1 rows and columns, of which the outermost count half.
static PictureFloorSum sum_period(const PictureTile* tile, int i, int j, int half)
{
    PictureFloorSum sum = sum_box(tile, i, j, half, half);
    sum = sum_add(sum, sum_box(tile, i, j, half - 1, half), 1.0);
    sum = sum_add(sum, sum_box(tile, i, j, half, half - 1), 1.0);
    return sum_add(sum, sum_box(tile, i, j, half - 1, half - 1), 1.0);
}

static const double nothing = 1e-6; // rounding error of sums and differences of shares

// A shadow edge of this width may be averaged over about as many pixels: 0, 1, 2 for periods of 4, 8, 16.
static double period_level(double pixels)
{
    return pixels > 0 ? clamp(log2(pixels / 4.0), 0.0, 2.0) : 0.0;
}

static double between(const double values[3], double level)
{
    int k = level < 1.0 ? 0 : 1;
    return values[k] + (level - k) * (values[k + 1] - values[k]);
}

// The edge of the lamp's shadow is as wide as the lamp appears from the rod; the sky's shadow fades over the
// distance to the rod.
static double lamp_level(const PictureStage* stage, PictureFloorSum sum, double foot)
{
    return sum.no_lamp > nothing ? period_level(2.0 * stage->key_radius * sum.lamp_gap / sum.no_lamp / foot)
                                 : 2.0;
}

static double sky_level(PictureFloorSum sum, double foot)
{
    return sum.no_sky > nothing ? period_level(0.5 * sum.sky_gap / sum.no_sky / foot) : 2.0;
}

bool picture_light_wants_more(const PictureStage* stage, const PictureTile* tile, int i, int j, double foot)
{
    int left = i < PICTURE_REACH ? i : PICTURE_REACH, up = j < PICTURE_REACH ? j : PICTURE_REACH;
    left = tile->wide - 1 - i < left ? tile->wide - 1 - i : left;
    up = tile->high - 1 - j < up ? tile->high - 1 - j : up;
    PictureFloorSum sum = sum_box(tile, i, j, left, up);
    return min_of(lamp_level(stage, sum, foot), sky_level(sum, foot)) < 1.9;
}

double picture_light_on_floor(const PictureStage* stage, const PictureTile* tile, int i, int j, double foot)
{
    PictureFloorSum sum = sum_box(tile, i, j, PICTURE_REACH, PICTURE_REACH);
    if (sum.no_lamp < nothing && sum.no_sky < nothing) {
        return 1.0; // no shadow near it
    }
    double no_lamp[3], no_sky[3];
    for (int k = 0; k < 3; k++) {
        sum = sum_period(tile, i, j, 2 << k);
        no_lamp[k] = sum.seen > 0 ? sum.no_lamp / sum.seen : 0;
        no_sky[k] = sum.seen > 0 ? sum.no_sky / sum.seen : 0;
    }
    double lamp = 1.0 - between(no_lamp, lamp_level(stage, sum, foot));
    double sky = 1.0 - between(no_sky, sky_level(sum, foot));
    return stage->key_share * lamp + (1.0 - stage->key_share) * sky;
}

// ---- on a solid

// Is the neighbour on the same surface, with nearly the same normal? Others get a small weight, for isolated
// pixels.
static double likeness(const PictureFace* a, const PictureFace* b)
{
    const double little = 0.02;
    if (a->solid != b->solid || fabs((double)(a->depth - b->depth)) > 0.02) {
        return little;
    }
    double turned =
        (double)(a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2]);
    return max_of(little, smoothstep(0.5, 0.95, turned));
}

void picture_light_on_solid(const PictureTile* tile, int i, int j, int face, double* lamp, double* sky)
{
    const PicturePixel* here = &tile->pixels[j * tile->wide + i];
    const int half = SOLID_PERIOD / 2;
    double lamp_sum = 0, lamp_all = 0, sky_sum = 0, sky_all = 0;
    for (int dy = -half; dy <= half; dy++) {
        for (int dx = -half; dx <= half; dx++) {
            const PicturePixel* near = here + dy * tile->wide + dx;
            if (near->faces[0].solid < 0) {
                continue;
            }
            double w = here->faces[face].solid < 0 ? 1.0 : likeness(&here->faces[face], &near->faces[0]);
            // a whole period, as on the floor
            w *= (abs(dx) == half ? 0.5 : 1.0) * (abs(dy) == half ? 0.5 : 1.0);
            lamp_sum += w * (double)near->lamp;
            lamp_all += w * (double)near->lamp_all;
            sky_sum += w * (double)near->sky;
            sky_all += w * (double)near->sky_all;
        }
    }
    *lamp = lamp_all > 0 ? lamp_sum / lamp_all : 1.0;
    const double bounced = 0.12; // light reflected by what hides the sky, so that nothing is black
    *sky = sky_all > 0 ? bounced + (1.0 - bounced) * sky_sum / sky_all : 1.0;
}
