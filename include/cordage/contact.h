// Contact: rods that touch themselves, each other, obstacles and bodies, and never pass through them.
//
// It is off until a world is told otherwise (cord_world_set_contact): rods then pass through each other, and
// cost less. What touches is a tube of the section's radius about each edge; parts of one rod that are nearer
// along it than half a turn of that radius do not touch each other.
#ifndef CORDAGE_CONTACT_H
#define CORDAGE_CONTACT_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the world's contact

// How explicit rods respond. Implicit rods and static solves have a barrier: an energy that grows without
// bound as a gap closes.
typedef enum CordResponse {
    CORD_RESPONSE_IMPULSES, // impulses of all contacts at once, kept from step to step
    // the paper's: zones of impact, one contact after the other (ACM section 6), friction its approximation
    CORD_RESPONSE_ZONES,
} CordResponse;

// A coefficient of friction between two surfaces. Surfaces are numbers that rods, bodies and obstacles are
// given in their defs.
typedef struct CordFrictionPair {
    int surface[2];
    double friction;
} CordFrictionPair;

typedef struct CordContactDef {
    bool on;
    CordResponse response;
    double friction; // of all that `pairs` does not name; NAN: the geometric mean of the two materials'
    const CordFrictionPair* pairs; // (pair_count); copied
    int pair_count;
    double gap; // thickness of the layer in which a barrier pushes, as a share of the thinner rod's radius
    // explicit rods: penetration that is left at the most, as a share of the thinner rod's radius
    double tolerance;
    int iterations; // of an explicit step, before it is taken in halves
    // rods touch themselves and each other, and not only obstacles and bodies; false: for hair, of which
    // there is too much
    bool rods;
    bool watch_topology; // a step that would change a knot or a link fails instead
} CordContactDef;

// on, friction by material, gap 0.05, tolerance 1e-3, 200 iterations
CORD_API CordContactDef cord_contact_def_default(void);
CORD_API CordResult cord_world_set_contact(CordWorld* world, const CordContactDef* def);
// as it was set; its pairs are the world's, until it is set again
CORD_API CordContactDef cord_world_contact_def(const CordWorld* world);

// ---- obstacles

// An obstacle is solid where its shape is, at its position and turned by its rotation, and moves as it is
// told.
typedef struct CordObstacleDef {
    const char* name; // NULL: "obstacle1", ...
    CordSolid solid;
    CordVec3 position; // [m]
    CordQuat rotation;
    // combined in order, as those of clamps; rotations about a clamped point are about its position
    const CordMotion* motions;
    int motion_count;
    double friction; // against itself, as a material's
    int surface;
} CordObstacleDef;

CORD_API CordObstacleDef cord_obstacle_def_default(void); // the ground: all below z = 0, friction 0.3
CORD_API CordResult cord_obstacle_create(CordWorld* world, const CordObstacleDef* def,
                                         CordObstacleId* obstacle);
CORD_API CordResult cord_obstacle_destroy(CordWorld* world, CordObstacleId obstacle);
CORD_API int cord_world_obstacle_count(const CordWorld* world);
CORD_API CordObstacleId cord_world_obstacle(const CordWorld* world, int index); // in order of creation
CORD_API const char* cord_obstacle_name(const CordWorld* world, CordObstacleId obstacle);
CORD_API CordResult cord_obstacle_pose(const CordWorld* world, CordObstacleId obstacle, CordVec3* position,
                                       CordQuat* rotation);
// What all rods do to it, over the last step, or at the equilibrium: force [N] and torque about its position
// [N m].
CORD_API CordResult cord_obstacle_force(const CordWorld* world, CordObstacleId obstacle, CordVec3* force,
                                        CordVec3* torque);
// Drives it from outside, as cord_clamp_move does a clamp.
CORD_API CordResult cord_obstacle_move(CordWorld* world, CordObstacleId obstacle, CordVec3 offset,
                                       CordQuat rotation);

// ---- what touches

// Those that push on each other now, in a fixed order. Valid until the next call on the world.
CORD_API int cord_world_contact_count(const CordWorld* world);
CORD_API const CordContact* cord_world_contacts(const CordWorld* world); // (cord_world_contact_count)

typedef struct CordContactReport {
    int contacts;
    double deepest; // penetration, over the thinner radius; 0: none
    // least gap between surfaces, of all that are near [m]; INFINITY: nothing is. Negative: penetration
    double nearest;
    double energy;  // of barriers [J]; explicit rods have none
    int iterations; // of the response, or of Newton's method, in the last step
    int64_t iterations_in_all;
    int64_t searches;   // how often pairs were looked for anew
    int64_t candidates; // pairs of elements that were near in the last search
} CordContactReport;

CORD_API CordContactReport cord_world_contact_report(const CordWorld* world);

// The deepest place where rods overlap themselves, each other, obstacles or bodies, wherever contact is on or
// not. False: nowhere.
CORD_API bool cord_world_deepest(const CordWorld* world, CordContact* deepest);

// Pushes overlapping rods apart until nothing overlaps, as far as no rod has to pass through another for it.
// CORD_NOT_CONVERGED: it would have to, and the message says where.
CORD_API CordResult cord_world_untangle(CordWorld* world);

// ---- knots and links

// The determinant of a knot, exactly: 1 for a polygon without one, 3 for a trefoil, 5 for a figure eight, 9
// for a square knot and for a granny. It stays the same as long as nothing passes through anything; different
// knots may share it.
//
// An open polygon is closed first. Each end is carried on along a straight line, away from the polygon's
// centre (the mean of its points, by length), and the two are joined outside a ball that holds all of the
// polygon, where nothing is in the way. So a knot is counted as long as its tails come out of it, whichever
// way their last edges happen to point. Ends in the same direction from the centre are joined by a straight
// line instead.
//
// Parts nearer to each other than a billionth of that ball's radius are taken to touch, and the later one
// along the polygon to pass over. -1: a node that is not finite, more than 100,000 crossings that simple
// moves do not take out, a number of more than 63 bits, or no memory.
CORD_API int64_t cord_polygon_knot(const CordVec3* x, int node_count, bool closed);
CORD_API int64_t cord_rod_knot(const CordWorld* world, CordRodId rod);

// The linking number of two polygons, rounded to what it is. Rings as they are; an open polygon is closed
// first, by what is taken to hold its ends: straight lines from them, away from the middle of all ends of the
// two, which are joined far outside, those of the first nearer than those of the second. So it stays the same
// as long as nothing passes through anything, nor slips over a held end, and ends do not move around each
// other. CORD_NO_LINK: ends of the two that lie in one direction from the middle, so that the lines would run
// into each other; a node that is not finite; or no memory.
#define CORD_NO_LINK INT64_MIN
CORD_API int64_t cord_polygon_linking_number(const CordVec3* x, int x_count, bool x_closed, const CordVec3* y,
                                             int y_count, bool y_closed);
CORD_API int64_t cord_rod_linking_number(const CordWorld* world, CordRodId rod, CordRodId other);

// Is a rod closed, or held in space at both ends? What watch_topology watches: knots of such rods, and links
// of two of them.
CORD_API bool cord_rod_is_tied(const CordWorld* world, CordRodId rod);

#ifdef __cplusplus
}
#endif

#endif
