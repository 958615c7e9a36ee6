// Parts of a picture. A frame becomes curves (picture_curve.c), solids (picture_solid.c) with markers on
// nodes (picture_marker.c), and surfaces (picture_surface.c). They are traced (picture_trace.c) on a lit
// stage (picture_stage.c, picture_light.c) through a camera (picture_camera.c), tile by tile
// (picture_tile.c).
//
// All parts use the camera's units: the target is the origin, and the eye is at distance 1. So millimetres
// and kilometres look the same to the tracer, which computes in single precision.
#ifndef CORD_EXPORT_PICTURE_H
#define CORD_EXPORT_PICTURE_H

#include "export/output.h"

// ---- the camera

typedef struct PictureCamera {
    CordVec3 origin;                // the target [m]
    double scale;                   // from the eye to the target, the unit of length [m]
    CordVec3 right, up, forward;    // unit vectors; the eye is at -forward
    double half_width, half_height; // of the picture, at distance 1
    int width, height;              // [pixels]
} PictureCamera;

CordResult picture_camera_make(const CordPictureDef* def, PictureCamera* camera, CordMessage* message);
CordVec3 picture_camera_point(const PictureCamera* camera, CordVec3 x);         // metres to units
CordVec3 picture_camera_ray(const PictureCamera* camera, double px, double py); // unit direction from the eye
// The pixel of a point in units. Returns its distance in front of the eye; pixels are set only if it is
// positive.
double picture_camera_project(const PictureCamera* camera, CordVec3 point, double pixel[2]);

// As cord_picture_bounds, for rods drawn `radius_scale` times as thick.
void picture_bounds(const CordFrame* frame, double radius_scale, CordVec3* low, CordVec3* high);

static inline const CordVec3* picture_skin(const CordFrame* frame) // where nodes are drawn
{
    return frame->skin ? frame->skin : frame->x;
}

// ---- the curves

typedef struct PictureEdge {
    CordVec3 t, m1; // unit
    double length;
    int rod;
    bool network;            // its edges are straight and end in spheres
    int before, after;       // the neighbours along the rod; -1: none
    double turn;             // rotation of the material frame about the rod, from this edge to the next [rad]
    int first_piece, pieces; // straight pieces for the tracer
} PictureEdge;

typedef struct PictureBezier {
    CordVec3 x[4];
    double radius[2]; // at its ends
} PictureBezier;

typedef struct PictureCurves {
    int edge_count, piece_count;
    PictureEdge* edges;     // (edge_count)
    PictureBezier* control; // (edge_count)
} PictureCurves;

CordResult picture_curves_make(const CordFrame* frame, const CordPictureDef* def, const PictureCamera* camera,
                               PictureCurves* curves, CordMessage* message);
void picture_curves_free(PictureCurves* curves);

CordVec3 picture_curves_point(const PictureCurves* curves, int edge, double u); // u in [0, 1] along the edge
double picture_curves_radius(const PictureCurves* curves, int edge, double u);
// From a u close to the result.
double picture_curves_nearest(const PictureCurves* curves, int edge, double u, CordVec3 point);

// The curve's unit tangent, and the first material axis there. In the middle of an edge it is the edge's own
// axis, and it rotates uniformly about the tangent from one middle to the next.
CordVec3 picture_curves_tangent(const PictureCurves* curves, int edge, double u);
CordVec3 picture_curves_m1(const PictureCurves* curves, int edge, double u, CordVec3 tangent);

// ---- bodies and obstacles

typedef enum PictureMarker { MARKER_NONE, MARKER_BLACK, MARKER_WHITE } PictureMarker;

typedef struct PictureSolid {
    CordSolid solid; // its sizes in units
    bool obstacle, is_endless;
    PictureMarker marker; // on the node of a rod: a ball whose z axis points to the eye
    CordVec3 center;
    CordVec3 axes[3];   // unit
    CordVec3 low, high; // bounding box
    CordVec3 corner;    // of the squares of a plane
    double square;      // their side
    double metre;       // in units, for a mesh
} PictureSolid;

typedef struct PictureSolids {
    int count;       // of visible solids
    int exact_count; // the first of them, which have equations
    int mesh_count;  // the next, which are triangles; the rest are planes
    PictureSolid* list;
} PictureSolids;

// A plane that faces up is the floor and is not one of them.
CordResult picture_solids_make(const CordFrame* frame, const PictureCamera* camera, PictureSolids* bodies,
                               CordMessage* message);
void picture_solids_free(PictureSolids* bodies);

// picture_marker.c: adds a marker for every node of the curves' rods, on the side of the eye.
CordResult picture_markers_make(const CordFrame* frame, const PictureCurves* curves,
                                const PictureCamera* camera, PictureSolids* bodies, CordMessage* message);

bool picture_solid_box(const CordFrameObstacle* solid, CordVec3* low,
                       CordVec3* high); // [m]; false: invisible or endless
// Not for triangles, which the tracer intersects. The distance is along the ray from `from`.
bool picture_solid_hit(const PictureSolid* body, CordVec3 from, CordVec3 direction, double* distance);
// The outward unit normal at a point of the surface.
CordVec3 picture_solid_normal(const PictureSolid* body, CordVec3 point);
int picture_solid_tone(const PictureSolid* body, CordVec3 point); // 0 or 1: which of its two colours

// The height of the highest plane that faces up [m]; NAN: there is none.
double picture_floor_height(const CordFrame* frame);

// ---- surfaces of rods

typedef struct PictureSurface {
    const CordFrameSurface* from;
    CordVec3 *x, *normal; // (vertex_count)
} PictureSurface;

typedef struct PictureSurfaces {
    int count;
    PictureSurface* list; // (count)
} PictureSurfaces;

CordResult picture_surfaces_make(const CordFrame* frame, const PictureCamera* camera,
                                 PictureSurfaces* surfaces, CordMessage* message);
void picture_surfaces_free(PictureSurfaces* surfaces);

// At a point of a triangle, given by the shares of its corners: the unit normal of the smooth surface that
// shading assumes, and the height of that surface above the triangle, outside (side 1) or inside (-1).
CordVec3 picture_surface_normal(const PictureSurface* surface, int triangle, const double share[3]);
CordVec3 picture_surface_lift(const PictureSurface* surface, int triangle, const double share[3],
                              double side);

// ---- the tracer

typedef struct PictureTracer PictureTracer;

typedef struct PictureHit {
    double distance; // along the unit direction
    CordVec3 normal; // unit, outwards
    int edge;        // of a rod; -1: a solid or a surface
    double u;        // along the edge
    int body;        // a solid; from the number of solids on, a surface
    CordVec3 lift;   // to the point that shadow rays start from
} PictureHit;

CordResult picture_tracer_create(const PictureCurves* curves, const PictureSolids* bodies,
                                 const PictureSurfaces* surfaces, PictureTracer** tracer,
                                 CordMessage* message);
void picture_tracer_destroy(PictureTracer* tracer);
bool picture_tracer_hit(const PictureTracer* tracer, CordVec3 from, CordVec3 direction, PictureHit* hit);
bool picture_tracer_blocked(const PictureTracer* tracer, CordVec3 from, CordVec3 direction);
// The distance to the first hit, or INFINITY.
double picture_tracer_reach(const PictureTracer* tracer, CordVec3 from, CordVec3 direction);

// ---- the stage

typedef struct PictureColor { // linear; 1 is white
    double r, g, b;
} PictureColor;

#define PICTURE_PAIRS 8

typedef enum PictureLook { LOOK_BODY, LOOK_OBSTACLE, LOOK_PLANE, LOOK_MARKER, LOOK_COUNT } PictureLook;

typedef struct PictureStage {
    CordVec3 key, key_u, key_v; // towards the lamp (unit), and from its centre to its rim
    double key_strength;        // on a surface that faces the lamp
    double key_share;           // share of the light on the open floor; the rest is the sky's
    double key_radius;          // [rad]
    bool floor;
    double floor_z;        // units
    double grid;           // spacing of the floor's lines; units
    double grid_metres;    // the same in metres: 1, 2 or 5 times a power of ten
    double grid_x, grid_y; // where lines cross
    int grid_strong;       // one line of so many is stronger
    int grid_i, grid_j;    // lines from a stronger one to the one through grid_x, grid_y
    PictureColor pairs[PICTURE_PAIRS][2];
    const CordPictureGroup* groups; // of rods that share a pair of colours (group_count)
    int group_count;
    PictureColor solids[LOOK_COUNT][2];
} PictureStage;

double picture_stage_grid(const PictureCamera* camera); // spacing of the floor's lines [m]
void picture_stage_make(const CordPictureDef* def, const PictureCamera* camera, PictureStage* stage);
PictureColor picture_stage_background(double across, double down); // position in the picture, from 0 to 1

// The point of the floor that a ray from the eye meets.
typedef struct PictureFloor {
    CordVec3 point;
    double foot_x, foot_y; // size of a pixel there, along the lines of the grid
    double foot;           // mean of the two
    double fade;           // 1 near the target; 0 far away, where the floor has the background's colour
} PictureFloor;

// INFINITY: the ray does not meet the floor.
double picture_stage_floor_distance(const PictureStage* stage, CordVec3 from, CordVec3 direction);
PictureFloor picture_stage_floor(const PictureCamera* camera, CordVec3 direction, double distance);
PictureColor picture_stage_floor_color(const PictureStage* stage, const PictureFloor* floor,
                                       PictureColor background);

// Two strands run along each rod, on the sides of m1 and -m1, in its strong colour (0); between them it is
// light (1), so that both colours are visible from every side. `across` and `along` are the components of the
// normal along m1 and the tangent.
int picture_stage_strand(double across, double along);
PictureColor picture_stage_body_color(const PictureStage* stage, const PictureSolid* body, int tone);
uint32_t picture_stage_pair(int group, int strand);                  // 0xrrggbb
uint32_t picture_stage_solid(bool obstacle, bool endless, int tone); // 0xrrggbb
PictureColor picture_color_linear(uint32_t hex);
int picture_rod_group(const CordPictureGroup* groups, int group_count, int rod);
PictureColor picture_stage_rod_color(const PictureStage* stage, int rod, int strand);
double picture_stage_ambient(CordVec3 normal); // from the open sky
double picture_stage_highlight(const PictureStage* stage, CordVec3 normal, CordVec3 direction);
double picture_stage_sheen(CordVec3 normal, CordVec3 direction); // reflection of the sky

// ---- the picture

// PICTURE_REACH: the radius in pixels over which light is averaged, which extends beyond the picture's edge.
#define PICTURE_REACH 8
#define PICTURE_DIRECTIONS 256 // from the floor, for shadow rays

// The squares of the picture that may show a solid. The others need no primary rays.
typedef struct PictureMask {
    int across, down; // squares
    bool* squares;    // (across x down); the first starts PICTURE_REACH pixels outside the picture
} PictureMask;

bool picture_mask_make(const PictureCurves* curves, const PictureSolids* bodies,
                       const PictureSurfaces* surfaces, const PictureCamera* camera,
                       PictureMask* mask); // false: no memory
void picture_mask_free(PictureMask* mask);
// a pixel at most PICTURE_REACH outside the picture
bool picture_mask_at(const PictureMask* mask, int x, int y);

typedef struct PictureScene { // all that a tile needs
    const CordPictureDef* def;
    PictureCamera camera;
    PictureStage stage;
    PictureCurves curves;
    PictureSolids bodies;
    PictureSurfaces surfaces;
    int rod_count;
    PictureTracer* tracer;
    PictureMask mask;
    CordVec3 to_lamp[PICTURE_DIRECTIONS], to_sky[PICTURE_DIRECTIONS]; // unit directions from the floor
    uint8_t* rgb;                                                     // (width x height x 3)
} PictureScene;

CordResult picture_tiles_run(const PictureScene* scene, CordMessage* message);

// ---- light

// Each pixel accumulates separately what a surface would show in full light, and how much light reaches it.
// The second is smooth along a surface, so it is averaged over neighbouring pixels before the two are
// multiplied. Soft shadows then have no noise, and no line is blurred.
typedef struct PictureFace { // what a pixel shows of one solid
    // The number of the rod, or, from the number of rods on, of the solid or surface, with its colour; -1:
    // none.
    int solid, tone;
    float normal[3], depth;   // at the first hit
    float lit[3], ambient[3]; // colour in full lamp light, and under the open sky
} PictureFace;

typedef struct PicturePixel {
    float floor_seen;                    // shadow rays from the floor behind it
    float floor_no_lamp, floor_no_sky;   // those that met a rod or a solid
    float floor_lamp_gap, floor_sky_gap; // sum of the distances to it
    float covered;                       // rays that met a rod or a solid
    PictureFace faces[2];                // of the first one met, and of all others, each with its own light
    float lamp, lamp_all;                // lamp light that reached the first one, and the most that could
    float sky, sky_all;
    bool mixed; // rays met different solids or tones, or some met none
} PicturePixel;

typedef struct PictureFloorSum { // over all pixels above and to the left
    double seen, no_lamp, no_sky, lamp_gap, sky_gap;
} PictureFloorSum;

typedef struct PictureTile {
    int x, y;              // first pixel, in the picture
    int wide, high;        // with a border of PICTURE_REACH on each side
    PicturePixel* pixels;  // (wide x high)
    PictureFloorSum* sums; // ((wide + 1) x (high + 1))
} PictureTile;

void picture_light_prepare(PictureScene* scene);

// Traces shadow rays from the floor behind a pixel, or from a hit of the `ray`th of `rays` rays of the pixel.
void picture_light_floor(const PictureScene* scene, int x, int y, PicturePixel* pixel);
void picture_light_floor_more(const PictureScene* scene, int x, int y, PicturePixel* pixel);
void picture_light_solid(const PictureScene* scene, int x, int y, int ray, int rays, CordVec3 point,
                         const PictureHit* hit, PicturePixel* pixel);

void picture_light_sum(PictureTile* tile);
bool picture_light_wants_more(const PictureStage* stage, const PictureTile* tile, int i, int j, double foot);
// The light on the floor as a fraction of the open floor's, and the shares of lamp and sky that reach a face
// of the pixel, at pixel (i, j) of the tile.
double picture_light_on_floor(const PictureStage* stage, const PictureTile* tile, int i, int j, double foot);
void picture_light_on_solid(const PictureTile* tile, int i, int j, int face, double* lamp, double* sky);

// A low-discrepancy sequence: every run of it is spread evenly over the unit square.
void picture_spread(int index, double point[2]);

// Text in the lower corners. `span` is about the longest time shown, so that all frames of a movie use the
// same unit.
void picture_label_draw(const PictureStage* stage, double time, double span, int width, int height,
                        uint8_t* rgb);

// The named groups, with their colours, in the upper left corner.
void picture_legend_draw(const PictureStage* stage, int width, int height, uint8_t* rgb);

CordResult picture_check(const CordPictureDef* def, CordMessage* message);
// Places the camera and the ground where the def leaves them open.
void picture_place(CordPictureDef* def, CordVec3 low, CordVec3 high);

// As cord_picture_render, but the labels of all frames of a movie use the same unit.
CordResult picture_render(const CordFrame* frame, const CordPictureDef* def, double span, uint8_t* rgb,
                          CordMessage* message);

#endif
