// Tiles: from rays to pixels.
#include "export/picture.h"

#include "export/geometry.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    SIDE = 128,                      // of a tile [pixels]
    WIDE = SIDE + 2 * PICTURE_REACH, // with its border
};

typedef struct Rays { // numbers of rays per pixel
    int first;        // for every pixel
    int light;        // the first of these that also trace shadow rays
    int all;          // for pixels to antialias
} Rays;

static Rays rays_for(int samples)
{
    Rays rays = {.first = samples < 4 ? samples : 4, .all = samples};
    rays.light = samples < 16 ? (samples + 1) / 2 : samples / 8;
    rays.light = rays.light < rays.first ? rays.light : rays.first;
    return rays;
}

// Positions of a pixel's rays: a tent filter two pixels wide, which joins neighbours without stairs.
static double tent(double s)
{
    return s < 0.5 ? sqrt(2.0 * s) - 1.0 : 1.0 - sqrt(2.0 - 2.0 * s);
}

// The face that a ray contributes to. A third solid counts as the second one, because little of it is
// visible.
static PictureFace* pixel_meet(PicturePixel* pixel, int solid, int tone, const PictureHit* hit)
{
    PictureFace *first = &pixel->faces[0],
                *face = first->solid < 0 || first->solid == solid ? first : first + 1;
    pixel->mixed = pixel->mixed || (first->solid >= 0 && (first->solid != solid || first->tone != tone));
    if (face->solid < 0) {
        face->solid = solid;
        face->tone = tone;
        face->depth = (float)hit->distance;
        face->normal[0] = (float)hit->normal.x;
        face->normal[1] = (float)hit->normal.y;
        face->normal[2] = (float)hit->normal.z;
    }
    return face;
}

// Networks have one colour, because strands would end at every joint and look like dashes.
static int rod_tone(const PictureScene* s, const PictureHit* hit)
{
    if (s->curves.edges[hit->edge].network) {
        return 0;
    }
    CordVec3 tangent = picture_curves_tangent(&s->curves, hit->edge, hit->u);
    CordVec3 m1 = picture_curves_m1(&s->curves, hit->edge, hit->u, tangent);
    return picture_stage_strand(cord_vec3_dot(hit->normal, m1), cord_vec3_dot(hit->normal, tangent));
}

typedef struct Look {
    int solid, tone; // as in PictureFace
    bool matte;
    PictureColor color;
} Look;

// A surface has its rod's strong colour, or, if the rod is visible too, the light one.
static Look look_of(const PictureScene* s, CordVec3 point, const PictureHit* hit)
{
    if (hit->edge >= 0) {
        int rod = s->curves.edges[hit->edge].rod, tone = rod_tone(s, hit);
        return (Look){rod, tone, false, picture_stage_rod_color(&s->stage, rod, tone)};
    }
    int solid = s->rod_count + hit->body;
    if (hit->body >= s->bodies.count) {
        const CordFrameSurface* surface = s->surfaces.list[hit->body - s->bodies.count].from;
        int tone = surface->hides ? 0 : 1;
        return (Look){solid, tone, false, picture_stage_rod_color(&s->stage, surface->rod, tone)};
    }
    const PictureSolid* body = &s->bodies.list[hit->body];
    int tone = picture_solid_tone(body, point);
    return (Look){solid, tone, body->obstacle, picture_stage_body_color(&s->stage, body, tone)};
}

// Does it belong to the pixel's first face?
static bool pixel_add_solid(const PictureScene* s, PicturePixel* pixel, CordVec3 direction, CordVec3 point,
                            const PictureHit* hit)
{
    Look look = look_of(s, point, hit);
    bool matte = look.matte;
    PictureColor own = look.color;
    double facing = max_of(0.0, cord_vec3_dot(hit->normal, s->stage.key));
    double lamp = facing * s->stage.key_strength;
    double highlight = facing > 0 && !matte ? picture_stage_highlight(&s->stage, hit->normal, direction) : 0;
    double ambient = picture_stage_ambient(hit->normal);
    double sheen = matte ? 0 : picture_stage_sheen(hit->normal, direction);
    double colors[3] = {own.r, own.g, own.b};
    PictureFace* face = pixel_meet(pixel, look.solid, look.tone, hit);
    for (int i = 0; i < 3; i++) {
        face->lit[i] += (float)(colors[i] * lamp + highlight);
        face->ambient[i] += (float)(colors[i] * ambient + sheen);
    }
    pixel->covered += 1.0f;
    return face == &pixel->faces[0];
}

static void pixel_add_ray(const PictureScene* s, PicturePixel* pixel, int x, int y, int ray, const Rays* rays)
{
    double p[2];
    picture_spread(ray, p);
    CordVec3 from = cord_vec3_scale(s->camera.forward, -1.0);
    CordVec3 direction = picture_camera_ray(&s->camera, x + 0.5 + tent(p[0]), y + 0.5 + tent(p[1]));
    double ground = picture_stage_floor_distance(&s->stage, from, direction);
    PictureHit hit;
    if (picture_tracer_hit(s->tracer, from, direction, &hit) && hit.distance < ground) {
        CordVec3 point = cord_vec3_madd(from, direction, hit.distance);
        if (pixel_add_solid(s, pixel, direction, point, &hit) && ray < rays->light) {
            picture_light_solid(s, x, y, ray, rays->light, point, &hit, pixel);
        }
    } else {
        pixel->mixed = true;
    }
}

static void pixel_start(const PictureScene* s, PicturePixel* pixel, int x, int y, const Rays* rays)
{
    *pixel = (PicturePixel){.faces = {{.solid = -1}, {.solid = -1}}};
    if (picture_mask_at(&s->mask, x, y)) {
        for (int ray = 0; ray < rays->first; ray++) {
            pixel_add_ray(s, pixel, x, y, ray, rays);
        }
    }
    if (pixel->covered < (float)rays->first) {
        picture_light_floor(s, x, y, pixel);
    }
}

static void floor_refine(const PictureScene* s, PictureTile* tile)
{
    CordVec3 eye = cord_vec3_scale(s->camera.forward, -1.0);
    for (int k = 0; k < tile->wide * tile->high; k++) {
        int i = k % tile->wide, j = k / tile->wide, x = tile->x + i, y = tile->y + j;
        CordVec3 direction = picture_camera_ray(&s->camera, x + 0.5, y + 0.5);
        double distance = picture_stage_floor_distance(&s->stage, eye, direction);
        if (tile->pixels[k].floor_seen > 0 && isfinite(distance)) {
            PictureFloor floor = picture_stage_floor(&s->camera, direction, distance);
            if (picture_light_wants_more(&s->stage, tile, i, j, floor.foot)) {
                picture_light_floor_more(s, x, y, &tile->pixels[k]);
            }
        }
    }
    picture_light_sum(tile);
}

// Does a pixel need antialiasing? A solid is near, and its neighbourhood is not all one tone of it.
static bool pixel_is_uneven(const PictureTile* tile, int i, int j)
{
    const PicturePixel* here = &tile->pixels[j * tile->wide + i];
    bool solid = false, mixed = false;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            const PicturePixel* near = here + dy * tile->wide + dx;
            solid = solid || near->covered > 0;
            mixed = mixed || near->mixed || near->faces[0].solid != here->faces[0].solid ||
                    near->faces[0].tone != here->faces[0].tone;
        }
    }
    return solid && mixed;
}

enum { TONES = 32768 }; // steps from black to twice white: fine enough for the dark end of sRGB

// Light above the range of a screen is compressed towards white instead of being clipped.
static double shoulder(double c)
{
    return c < 0.8 ? c : 0.8 + 0.2 * (1.0 - exp((0.8 - c) / 0.2));
}

static void tones_make(uint8_t tones[TONES])
{
    for (int k = 0; k < TONES; k++) {
        double c = shoulder(2.0 * k / TONES);
        double s = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055; // sRGB
        tones[k] = (uint8_t)(255.0 * min_of(s, 1.0) + 0.5);
    }
}

static uint8_t tone_of(const uint8_t tones[TONES], double c)
{
    return tones[(int)clamp(0.5 * TONES * c + 0.5, 0.0, TONES - 1.0)];
}

// What a pixel shows behind rods and solids.
static PictureColor pixel_stage(const PictureScene* s, const PictureTile* tile, int i, int j)
{
    double x = tile->x + i + 0.5, y = tile->y + j + 0.5;
    PictureColor background = picture_stage_background(x / s->camera.width, y / s->camera.height);
    CordVec3 direction = picture_camera_ray(&s->camera, x, y);
    double distance =
        picture_stage_floor_distance(&s->stage, cord_vec3_scale(s->camera.forward, -1.0), direction);
    if (!isfinite(distance)) {
        return background;
    }
    PictureFloor floor = picture_stage_floor(&s->camera, direction, distance);
    if (floor.fade <= 0) {
        return background;
    }
    PictureColor c = picture_stage_floor_color(&s->stage, &floor, background);
    double light = 1.0 + floor.fade * (picture_light_on_floor(&s->stage, tile, i, j, floor.foot) - 1.0);
    return (PictureColor){c.r * light, c.g * light, c.b * light};
}

static void pixel_resolve(const PictureScene* s, const PictureTile* tile, int i, int j, double rays,
                          const uint8_t tones[TONES])
{
    const PicturePixel* pixel = &tile->pixels[j * tile->wide + i];
    double c[3] = {0, 0, 0}, behind = 1.0 - (double)pixel->covered / rays;
    if (behind > 0) {
        PictureColor stage = pixel_stage(s, tile, i, j);
        c[0] = behind * stage.r, c[1] = behind * stage.g, c[2] = behind * stage.b;
    }
    for (int f = 0; f < 2 && pixel->faces[f].solid >= 0; f++) {
        const PictureFace* face = &pixel->faces[f];
        double lamp, sky;
        picture_light_on_solid(tile, i, j, f, &lamp, &sky);
        for (int k = 0; k < 3; k++) {
            c[k] += ((double)face->lit[k] * lamp + (double)face->ambient[k] * sky) / rays;
        }
    }
    uint8_t* rgb = &s->rgb[3 * ((size_t)(tile->y + j) * (size_t)s->camera.width + (size_t)(tile->x + i))];
    for (int k = 0; k < 3; k++) {
        rgb[k] = tone_of(tones, c[k]);
    }
}

static void tile_draw(const PictureScene* s, PictureTile* tile, bool* uneven, const uint8_t tones[TONES])
{
    Rays rays = rays_for(s->def->samples);
    const int reach = PICTURE_REACH;
    for (int k = 0; k < tile->wide * tile->high; k++) {
        pixel_start(s, &tile->pixels[k], tile->x + k % tile->wide, tile->y + k / tile->wide, &rays);
    }
    picture_light_sum(tile);
    floor_refine(s, tile);
    for (int j = reach; j < tile->high - reach; j++) {
        for (int i = reach; i < tile->wide - reach; i++) { // all are judged before any of them changes
            uneven[j * tile->wide + i] = pixel_is_uneven(tile, i, j);
        }
    }
    for (int j = reach; j < tile->high - reach; j++) {
        for (int i = reach; i < tile->wide - reach; i++) {
            int k = j * tile->wide + i;
            for (int ray = rays.first; uneven[k] && ray < rays.all; ray++) {
                pixel_add_ray(s, &tile->pixels[k], tile->x + i, tile->y + j, ray, &rays);
            }
        }
    }
    for (int j = reach; j < tile->high - reach; j++) {
        for (int i = reach; i < tile->wide - reach; i++) {
            pixel_resolve(s, tile, i, j, uneven[j * tile->wide + i] ? rays.all : rays.first, tones);
        }
    }
}

typedef struct TileRun {
    const PictureScene* scene;
    int across; // number of tiles
    uint8_t tones[TONES];
    atomic_bool failed;
} TileRun;

static void tile_task(void* context, int index)
{
    TileRun* run = context;
    const PictureCamera* camera = &run->scene->camera;
    int x = index % run->across * SIDE, y = index / run->across * SIDE;
    PictureTile tile = {
        .x = x - PICTURE_REACH,
        .y = y - PICTURE_REACH,
        .wide = (camera->width - x < SIDE ? camera->width - x : SIDE) + 2 * PICTURE_REACH,
        .high = (camera->height - y < SIDE ? camera->height - y : SIDE) + 2 * PICTURE_REACH,
        .pixels = malloc(sizeof *tile.pixels * WIDE * WIDE),
        .sums = malloc(sizeof *tile.sums * (WIDE + 1) * (WIDE + 1)),
    };
    bool* uneven = malloc(sizeof *uneven * WIDE * WIDE);
    if (tile.pixels && tile.sums && uneven) {
        tile_draw(run->scene, &tile, uneven, run->tones);
    } else {
        atomic_store(&run->failed, true);
    }
    free(tile.pixels);
    free(tile.sums);
    free(uneven);
}

CordResult picture_tiles_run(const PictureScene* scene, CordMessage* message)
{
    TileRun run = {.scene = scene, .across = (scene->camera.width + SIDE - 1) / SIDE};
    atomic_init(&run.failed, false);
    tones_make(run.tones);
    int count = run.across * ((scene->camera.height + SIDE - 1) / SIDE);
    CordTasks tasks = scene->def->tasks;
    if (tasks.run) {
        tasks.run(tasks.user, tile_task, &run, count);
    } else {
        for (int k = 0; k < count; k++) {
            tile_task(&run, k);
        }
    }
    if (atomic_load(&run.failed)) {
        return export_fail(message, CORD_NO_MEMORY, "no memory left to draw the picture");
    }
    return CORD_OK;
}
