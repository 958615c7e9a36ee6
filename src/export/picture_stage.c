// The stage: a lamp, a sky, a floor with a grid, and all colours.
#include "export/picture.h"

#include "export/geometry.h"

// On the open floor lamp and sky add up to 1, so that the floor shows its own colour and merges with the
// background.
static const double key_share = 0.62;
static const double key_radius = 0.085; // soft shadows [rad]

// The radiance of the sky is a + b z in a direction whose height is z: brighter above, with the floor's
// reflection below. Its irradiance on a normal of height z is then exactly a + 2/3 b z.
static const double sky_base = 0.29;
static const double sky_slope = 0.135; // a + 2/3 b is the sky's share of the light on the floor

// Pairs of strong and light colours. Neighbours differ in lightness as well as hue, for colour-blind eyes.
// The light ones are darker than the background, so that a thin rod is visible all along.
static const uint32_t pair_colors[PICTURE_PAIRS][2] = {
    {0xcb3f0a, 0xf6cf9f}, // vermilion, sand
    {0x0a4f8f, 0x9dcbf0}, // blue, ice
    {0x05704f, 0x9fdcbf}, // green, mint
    {0xc98200, 0xffe394}, // amber, straw
    {0x86296a, 0xebb0d6}, // plum, rose
    {0x1f8ccc, 0xc2e6fb}, // sky, mist
    {0x2b3240, 0xb3becd}, // slate, silver
    {0x6e6208, 0xdcd488}, // olive, lime
};

static const uint32_t solid_colors[LOOK_COUNT][2] = {
    [LOOK_BODY] = {0x5b6b7a, 0xa9b5bf},     // steel, pale
    [LOOK_OBSTACLE] = {0xa39b90, 0xb3aca2}, // two tones of stone
    [LOOK_PLANE] = {0xcbc6be, 0xd3cec7},    // lighter, because planes are behind everything
    [LOOK_MARKER] = {0x0c0d0f, 0xffffff},
};

static double linear_from_srgb(uint32_t byte)
{
    double c = (double)(byte & 0xff) / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

PictureColor picture_color_linear(uint32_t hex)
{
    return (PictureColor){linear_from_srgb(hex >> 16), linear_from_srgb(hex >> 8), linear_from_srgb(hex)};
}

static PictureColor color_mix(PictureColor a, PictureColor b, double s)
{
    return (PictureColor){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

// The largest of 1, 2 and 5 times a power of ten that is not above `size`.
static double round_down_125(double size)
{
    double power = pow(10.0, floor(log10(size)));
    double digit = size / power * (1.0 + 1e-9); // rounding must not lower a size that is one of them
    return power * (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0);
}

double picture_stage_grid(const PictureCamera* camera)
{
    // across the picture [m]
    double seen = 2.0 * min_of(camera->half_width, 1.8 * camera->half_height) * camera->scale;
    return round_down_125(seen / 10.0);
}

static void stage_grid(const PictureCamera* camera, PictureStage* stage)
{
    stage->grid_metres = picture_stage_grid(camera);
    stage->grid = stage->grid_metres / camera->scale;
    double power = pow(10.0, floor(log10(stage->grid_metres * (1.0 + 1e-9))));
    stage->grid_strong = (int)round(10.0 * power / stage->grid_metres);
    // Counted from the line nearest to the target, so that lines far from the origin keep their digits.
    double i = round(camera->origin.x / stage->grid_metres), j = round(camera->origin.y / stage->grid_metres);
    stage->grid_x = (i * stage->grid_metres - camera->origin.x) / camera->scale;
    stage->grid_y = (j * stage->grid_metres - camera->origin.y) / camera->scale;
    stage->grid_i = (int)fmod(i, stage->grid_strong);
    stage->grid_j = (int)fmod(j, stage->grid_strong);
}

void picture_stage_make(const CordPictureDef* def, const PictureCamera* camera, PictureStage* stage)
{
    *stage = (PictureStage){0};
    // The lamp is over the camera's left shoulder; "up" is z, as it is for the floor.
    CordVec3 side = cord_vec3_unit_or((CordVec3){camera->right.x, camera->right.y, 0}, (CordVec3){1, 0, 0});
    CordVec3 back = {side.y, -side.x, 0};
    CordVec3 key =
        cord_vec3_add(cord_vec3_madd((CordVec3){0, 0, 1.25}, side, -0.6), cord_vec3_scale(back, 0.5));
    stage->key = cord_vec3_unit_or(key, (CordVec3){0, 0, 1});
    frame_about(stage->key, &stage->key_u, &stage->key_v);
    stage->key_u = cord_vec3_scale(stage->key_u, key_radius);
    stage->key_v = cord_vec3_scale(stage->key_v, key_radius);
    stage->key_strength = key_share / stage->key.z;
    stage->key_share = key_share;
    stage->key_radius = key_radius;
    stage->floor_z = (def->ground_height - camera->origin.z) / camera->scale;
    // the floor is not visible from below
    stage->floor = def->ground && isfinite(stage->floor_z) && stage->floor_z < -camera->forward.z;
    stage_grid(camera, stage);
    stage->groups = def->groups;
    stage->group_count = def->groups ? def->group_count : 0;
    for (int k = 0; k < 2 * PICTURE_PAIRS; k++) {
        stage->pairs[k / 2][k % 2] = picture_color_linear(pair_colors[k / 2][k % 2]);
    }
    for (int k = 0; k < 2 * LOOK_COUNT; k++) {
        stage->solids[k / 2][k % 2] = picture_color_linear(solid_colors[k / 2][k % 2]);
    }
}

PictureColor picture_stage_background(double across, double down)
{
    static const PictureColor high = {0.72, 0.755, 0.80}, low = {0.885, 0.89, 0.895};
    PictureColor c = color_mix(high, low, smoothstep(-0.3, 0.6, down));
    double x = across - 0.5, y = down - 0.5;
    // darker towards the corners
    return color_mix(c, (PictureColor){0.6, 0.62, 0.65}, 0.35 * (x * x + y * y));
}

double picture_stage_floor_distance(const PictureStage* stage, CordVec3 from, CordVec3 direction)
{
    double height = from.z - stage->floor_z;
    if (!stage->floor || direction.z >= -1e-6) {
        return INFINITY;
    }
    return height / -direction.z;
}

PictureFloor picture_stage_floor(const PictureCamera* camera, CordVec3 direction, double distance)
{
    PictureFloor floor = {.point =
                              cord_vec3_madd(cord_vec3_scale(camera->forward, -1.0), direction, distance)};
    floor.fade =
        1.0 - smoothstep(0.6, 2.6, sqrt(floor.point.x * floor.point.x + floor.point.y * floor.point.y));
    // The footprint of a pixel is elongated along the ray's direction on the floor.
    double across = distance * 2.0 * camera->half_height / camera->height,
           along = across / max_of(-direction.z, 1e-3);
    double level = sqrt(direction.x * direction.x + direction.y * direction.y);
    double x = level > 0 ? direction.x / level : 0, y = level > 0 ? direction.y / level : 0;
    floor.foot_x = sqrt(across * across * y * y + along * along * x * x);
    floor.foot_y = sqrt(across * across * x * x + along * along * y * y);
    floor.foot = sqrt(across * along);
    return floor;
}

// The share of a pixel of this width around `at` that is covered by lines `line` wide at every multiple of
// `spacing`.
static double grid_cover(double at, double spacing, double line, double width)
{
    double drawn = max_of(line, width);
    double distance = fabs(at / spacing - round(at / spacing)) * spacing;
    double inside = clamp((0.5 * (drawn + width) - distance) / width, 0.0, 1.0);
    double mean = line / spacing; // the share for a pixel wider than the spacing
    double blur = smoothstep(0.3, 1.0, width / spacing);
    return inside * line / drawn * (1.0 - blur) + mean * blur;
}

PictureColor picture_stage_floor_color(const PictureStage* stage, const PictureFloor* floor,
                                       PictureColor background)
{
    static const PictureColor ink = {0.22, 0.27, 0.34};
    double x = floor->point.x - stage->grid_x, y = floor->point.y - stage->grid_y;
    double line = 0.012 * stage->grid, strong_spacing = stage->grid_strong * stage->grid;
    double thin = max_of(grid_cover(x, stage->grid, line, floor->foot_x),
                         grid_cover(y, stage->grid, line, floor->foot_y));
    double strong_x = grid_cover(x + stage->grid_i * stage->grid, strong_spacing, 2.0 * line, floor->foot_x);
    double strong_y = grid_cover(y + stage->grid_j * stage->grid, strong_spacing, 2.0 * line, floor->foot_y);
    return color_mix(background, ink,
                     floor->fade * min_of(1.0, 0.4 * thin + 0.4 * max_of(strong_x, strong_y)));
}

// Within 50 degrees of m1 or -m1: the strong strands are a little wider, because they tell rods apart.
int picture_stage_strand(double across, double along)
{
    return across * across > 0.413 * (1.0 - along * along) ? 0 : 1;
}

static PictureLook look_of(bool obstacle, bool endless)
{
    return !obstacle ? LOOK_BODY : endless ? LOOK_PLANE : LOOK_OBSTACLE;
}

PictureColor picture_stage_body_color(const PictureStage* stage, const PictureSolid* body, int tone)
{
    bool marker = body->marker != MARKER_NONE;
    return stage->solids[marker ? LOOK_MARKER : look_of(body->obstacle, body->is_endless)][tone];
}

uint32_t picture_stage_pair(int group, int strand)
{
    return pair_colors[group % PICTURE_PAIRS][strand];
}

uint32_t picture_stage_solid(bool obstacle, bool endless, int tone)
{
    return solid_colors[look_of(obstacle, endless)][tone];
}

uint32_t cord_picture_color(int group)
{
    return picture_stage_pair(group > 0 ? group : 0, 0);
}

// Each rod after the last group has the next pair of its own.
int picture_rod_group(const CordPictureGroup* groups, int group_count, int rod)
{
    int group = 0;
    while (group < group_count && rod >= groups[group].rod_count) {
        rod -= groups[group].rod_count;
        group++;
    }
    return group < group_count ? group : group + rod;
}

PictureColor picture_stage_rod_color(const PictureStage* stage, int rod, int strand)
{
    return stage->pairs[picture_rod_group(stage->groups, stage->group_count, rod) % PICTURE_PAIRS][strand];
}

double picture_stage_ambient(CordVec3 normal)
{
    return sky_base + 2.0 / 3.0 * sky_slope * normal.z;
}

double picture_stage_highlight(const PictureStage* stage, CordVec3 normal, CordVec3 direction)
{
    CordVec3 half = cord_vec3_unit_or(cord_vec3_sub(stage->key, direction), normal);
    double c = max_of(0.0, cord_vec3_dot(normal, half));
    double c4 = c * c * c * c, c16 = c4 * c4 * c4 * c4;
    return 0.22 * c16 * c16 * c16 * stage->key_strength;
}

double picture_stage_sheen(CordVec3 normal, CordVec3 direction)
{
    double facing = max_of(0.0, -cord_vec3_dot(normal, direction));
    double grazing = 1.0 - facing;
    double square = grazing * grazing;
    double fresnel = 0.03 + 0.25 * square * square * grazing;
    CordVec3 mirror = cord_vec3_madd(direction, normal, 2.0 * facing);
    return fresnel * (0.5 + 0.5 * smoothstep(-0.3, 0.8, mirror.z));
}
