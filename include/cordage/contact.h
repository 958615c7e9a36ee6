// Contact: rods collide with themselves, each other, obstacles and bodies, and never pass through them.
//
// It is off until cord_world_set_contact turns it on: rods then pass through each other, and cost less. The
// collision shape of a rod is a tube of the section's radius about each edge. Parts of one rod that are
// closer along it than half a turn of that radius do not collide.
#ifndef CORDAGE_CONTACT_H
#define CORDAGE_CONTACT_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the world's contact

// The contact response of explicit rods. Implicit rods and static solves find contact forces inside Newton's
// method instead.
typedef enum CordResponse {
    CORD_RESPONSE_IMPULSES, // impulses of all contacts together, warm-started from step to step
    // impact zones, one contact after the other, with approximate friction (ACM section 6)
    CORD_RESPONSE_ZONES,
} CordResponse;

// The contact of two surfaces. Surfaces are numbers that the defs of rods, bodies and obstacles carry. Start
// from cord_surface_pair_default.
typedef struct CordSurfacePair {
    int surface[2];
    double friction;         // static
    double friction_kinetic; // kinetic friction coefficient, at most `friction`; NAN: equal to `friction`
    double restitution;      // 0 to 1; NAN: that of all contacts
    // largest couple against rolling and spinning, over the normal force [m]; NAN: the larger one of the two
    // materials'
    double rolling_friction, spinning_friction;
} CordSurfacePair;

// The same friction at rest and sliding, restitution as of all contacts, and resistance to rolling and
// spinning by material.
CORD_API CordSurfacePair cord_surface_pair_default(int surface, int other, double friction);

// Limits the cost of contact in one step, for explicit, position-based and modal rods.
//
// A step that exhausts its budget still ends, and nothing passes through anything. Contacts are then less
// exact: overlaps of up to a quarter of the thinner radius may remain for later steps. A rod that would come
// closer moves only part of its way and loses the remaining speed. cord_world_contact_report tells what is
// left. Driven clamps and obstacles do not stop: where they press rods that the budget does not suffice to
// move, the step is retried at half its length, past its budget.
typedef struct CordBudget {
    // Gauss-Seidel sweeps over the contacts, and solves of rods between them; 0: no limit
    int iterations;
    // Limit on the wall-clock time of the whole step [s]; 0: none. It needs CordWorldDef.clock, and makes
    // results irreproducible.
    double seconds;
} CordBudget;

// Explicit and position-based rods at rest may sleep. A rod falls asleep once no node of it, or of any rod it
// pushes, has travelled more than `tolerance` within `time`, and within three steps. The surface of a rod
// that spins travels as well. With gravity, a clamp or an obstacle must hold one of these rods up.
// A sleeping rod is not stepped: it keeps its positions and contact forces, and has no velocity. It wakes
// when something awake comes near, when its clamps or the wind move, or when a call changes the world. The
// motions of clamps and obstacles wake only what they touch. Adaptive and welded rods, and rods with loads
// other than drag, do not sleep.
typedef struct CordSleep {
    double time;      // [s]; 0: nothing sleeps
    double tolerance; // over the rod's radius, above 0 and at most 1
} CordSleep;

CORD_API CordSleep cord_sleep_default(void); // nothing sleeps; tolerance 0.01

typedef struct CordContactDef {
    bool on;
    CordResponse response;
    // of all pairs that `pairs` does not name; NAN: the geometric mean of the two materials'
    double friction;
    // Kinetic friction coefficient; NAN: equal to `friction`, or the materials' where that is NAN.
    double friction_kinetic;
    // Surfaces that slip faster than this have kinetic friction, others static friction [m/s].
    double stick_speed;
    // Coefficient of restitution, 0 to 1, for pairs not listed in `pairs`. NAN: the larger of the two
    // materials' values.
    double restitution;
    double impact_speed;          // surfaces that approach each other more slowly do not rebound [m/s]
    const CordSurfacePair* pairs; // (pair_count); copied
    int pair_count;
    // surfaces that are nearer to each other, over the thinner rod's radius, are listed as contacts, and
    // refine adaptive rods
    double gap;
    // explicit rods: largest penetration left, over the thinner rod's radius
    double tolerance;
    int iterations; // of an explicit step, before it is retried at half its length
    // rods collide with themselves and each other, and not only with obstacles and bodies; false: for dense
    // hair
    bool rods;
    bool watch_topology; // a step that would change a knot or a link fails
    CordBudget budget;   // of each step
    CordSleep sleep;     // of rods at rest
} CordContactDef;

// Contact on, friction by material, stick_speed 1e-3, restitution by material, impact_speed 0.01,
// gap 0.05, tolerance 1e-3, 200 iterations, cord_sleep_default.
CORD_API CordContactDef cord_contact_def_default(void);
CORD_API CordResult cord_world_set_contact(CordWorld* world, const CordContactDef* def);
// The def as it was set. Its pairs belong to the world, until the next cord_world_set_contact.
CORD_API CordContactDef cord_world_contact_def(const CordWorld* world);
// Changes the budget of the steps to come, and nothing else. Zeros: no limits.
CORD_API CordResult cord_world_set_budget(CordWorld* world, CordBudget budget);
CORD_API CordResult cord_world_set_sleep(CordWorld* world, CordSleep sleep); // and wakes all rods
CORD_API bool cord_rod_is_asleep(const CordWorld* world, CordRodId rod);

// ---- obstacles

// An obstacle is a solid at its position and rotation, which moves by its motions.
typedef struct CordObstacleDef {
    const char* name; // NULL: "obstacle1", ...
    CordSolid solid;
    CordVec3 position; // [m]
    CordQuat rotation;
    // combined in order, like a clamp's; rotations about a clamped point are about its position
    const CordMotion* motions;
    int motion_count;
    double friction;                            // against itself, like a material's
    double friction_kinetic;                    // likewise; NAN: the same as `friction`
    double restitution;                         // likewise
    double rolling_friction, spinning_friction; // likewise [m]
    // A compliant obstacle gives way: it pushes by its stiffness times the depth of a rod in it, for each
    // length of the rod [N/m^2], and by its damping times the speed at which it is pressed in [N s/m^2].
    // INFINITY: it is rigid. A step in which a rod would sink in by more than 0.9 of its radius fails.
    double stiffness, damping;
    int surface;
} CordObstacleDef;

// the ground: the half-space below z = 0, rigid, friction 0.3
CORD_API CordObstacleDef cord_obstacle_def_default(void);
CORD_API CordResult cord_obstacle_create(CordWorld* world, const CordObstacleDef* def,
                                         CordObstacleId* obstacle);
CORD_API CordResult cord_obstacle_destroy(CordWorld* world, CordObstacleId obstacle);
CORD_API int cord_world_obstacle_count(const CordWorld* world);
CORD_API CordObstacleId cord_world_obstacle(const CordWorld* world, int index); // in order of creation
CORD_API const char* cord_obstacle_name(const CordWorld* world, CordObstacleId obstacle);
CORD_API CordResult cord_obstacle_pose(const CordWorld* world, CordObstacleId obstacle, CordVec3* position,
                                       CordQuat* rotation);
// The force [N] of all rods on it, and the torque about its position [N m], over the last step or at the
// equilibrium.
CORD_API CordResult cord_obstacle_force(const CordWorld* world, CordObstacleId obstacle, CordVec3* force,
                                        CordVec3* torque);
// Moves it from outside, as cord_clamp_move moves a clamp.
CORD_API CordResult cord_obstacle_move(CordWorld* world, CordObstacleId obstacle, CordVec3 offset,
                                       CordQuat rotation);

// ---- contacts

// The contacts that push now, in a fixed order. Valid until the next call on the world.
CORD_API int cord_world_contact_count(const CordWorld* world);
CORD_API const CordContact* cord_world_contacts(const CordWorld* world); // (cord_world_contact_count)

typedef struct CordContactReport {
    int contacts;
    double deepest; // largest penetration, over the thinner radius; 0: none
    // smallest gap of all surfaces that are near each other [m]; negative: penetration; INFINITY: none are
    // near
    double nearest;
    int iterations; // of the response, or of Newton's method, in the last step
    int64_t iterations_in_all;
    int64_t searches;   // number of broad-phase searches
    int64_t candidates; // candidate pairs of the last search
    // The budget cut something short in the last step: a round of sweeps, the rounds, or the correction of
    // overlaps. The next three say what that left; all of them may be 0. Of a step that was taken in parts
    // they are those of the last part.
    bool spent;
    int unmet;       // contacts deeper than the tolerance
    double residual; // largest motion of a contact in the last sweep, over the smallest radius in contact
    int limited;     // rods that moved only part of their way
    int asleep;      // number of rods that sleep
    int64_t spent_in_all;   // steps that have spent their budget
    int64_t limited_in_all; // rods that were limited, counted in each step
} CordContactReport;

CORD_API CordContactReport cord_world_contact_report(const CordWorld* world);

// The deepest overlap of rods with themselves, each other, obstacles or bodies, whether contact is on or not.
// False: there is none.
CORD_API bool cord_world_deepest(const CordWorld* world, CordContact* deepest);
// The same for overlaps deeper than the tolerance of contact. Whatever overlaps by less counts as touching,
// so that things may be placed exactly in touch, where rounding makes them overlap a little.
CORD_API bool cord_world_overlaps(const CordWorld* world, CordContact* deepest);

// Pushes overlapping rods apart until nothing overlaps, without any rod passing through another.
// CORD_NOT_CONVERGED: that is impossible, and the message says where.
CORD_API CordResult cord_world_untangle(CordWorld* world);

// ---- knots and links

// The determinant of a knot, exactly: 1 for an unknotted polygon, 3 for a trefoil, 5 for a figure eight, 9
// for a square knot and for a granny. It does not change as long as nothing passes through anything.
// Different knots may share it.
//
// An open polygon is closed first. Each end is extended along a straight line away from the polygon's centre
// (the mean of its points, by length), and the two lines are joined outside a ball that holds all of the
// polygon. So a knot counts as long as its tails come out of it, whichever way their last edges point. Ends
// in the same direction from the centre are joined by a straight line instead.
//
// Parts closer to each other than a billionth of that ball's radius count as touching, and the later one
// along the polygon passes over. -1: a node is not finite, more than 100,000 crossings are left after
// simplification, the number has more than 63 bits, or there is no memory.
CORD_API int64_t cord_polygon_knot(const CordVec3* x, int node_count, bool closed);
CORD_API int64_t cord_rod_knot(const CordWorld* world, CordRodId rod);

// The linking number of two polygons. An open polygon is closed first: straight lines lead from its ends away
// from the middle of all ends of the two, and are joined far outside, those of the first polygon inside those
// of the second. So the number does not change as long as nothing passes through anything, nothing slips over
// a held end, and ends do not move around each other. CORD_NO_LINK: ends of the two lie in one direction from
// the middle, so that the lines would meet; a node is not finite; or there is no memory.
#define CORD_NO_LINK INT64_MIN
CORD_API int64_t cord_polygon_linking_number(const CordVec3* x, int x_count, bool x_closed, const CordVec3* y,
                                             int y_count, bool y_closed);
CORD_API int64_t cord_rod_linking_number(const CordWorld* world, CordRodId rod, CordRodId other);

// Is a rod closed, or held in space at both ends? watch_topology watches the knots of such rods, and the
// links of two of them.
CORD_API bool cord_rod_is_tied(const CordWorld* world, CordRodId rod);

#ifdef __cplusplus
}
#endif

#endif
