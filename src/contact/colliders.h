// The colliders: the segments of all rods, analytic solids and meshes, with the candidate pairs that the
// broad phase found among them.
//
// Every segment has a fat box, which holds its tube over the current step with a margin, as seen from what
// all of them move on the average. Pairs whose fat boxes overlap, and that come near each other as seen from
// each other, are the candidates. They stay valid while the nodes start and end within the margins of where
// they did, so most steps need no new search.
#ifndef CORD_CONTACT_COLLIDERS_H
#define CORD_CONTACT_COLLIDERS_H

#include "base/tasks.h"
#include "contact/mesh.h"
#include "contact/solid.h"
#include "rod/rod.h"

typedef struct ColliderRod {
    Rod* rod;
    int index; // in the world
    int first_node, first_segment;
    int node_count, segment_count;
    bool passes_itself;
    double kick;   // time over which forces, and with them contact, change its velocities [s]
    bool may_stop; // searches allow for its nodes to end anywhere on their way
} ColliderRod;

typedef struct Segment { // a capsule about an edge
    int node[2];         // of the colliders
    int rod;             // of the colliders
    int edge;
    double radius; // [m]
    double arc[2]; // rest length from the rod's start to its ends [m]
    int owner[2];  // the segment that counts the contacts of each end: one of those that meet there
} Segment;

typedef struct ColliderSolid {
    CordSolid solid;     // where `mesh` is NULL
    const Mesh* mesh;    // NULL: an analytic solid
    Pose begin, goal;    // at the start and at the end of the step
    Pose from, to;       // at the ends of the motion that is examined now
    CordTouch kind;      // an obstacle or a body
    const Pose* carrier; // of a body: rods do not touch it where they are welded to it
    int index;           // in the world
    ContactSurface surface;
    double stiffness, damping; // per length of a rod [N/m^2], [N s/m^2]; 0: it is rigid
    double turn;               // angle in the step, full turns included [rad]
    double
        detour; // deviation of its origin's path from a straight line, where it turns about another point [m]
    Pose searched; // pose at the last search
    double margin; // distance that it may move before the next search [m]
} ColliderSolid;

typedef struct SegmentPair {
    int a, b;
    double gap_bound; // lower bound of the gap plus the segments' paths since the search [m]: see
                      // pair_gap_bound
} SegmentPair;

typedef struct SolidPair {
    int segment, solid;
} SolidPair;

typedef enum MeshFeature { MESH_TRIANGLE, MESH_EDGE } MeshFeature;

typedef struct MeshPair {
    int segment, solid;
    MeshFeature kind;
    int feature; // triangle or edge
} MeshPair;

typedef struct SweptBall { // holds the tube of a segment, with its margin, at any time of the motion
    CordVec3 from, to;     // its middle at both ends of the motion [m]
    double radius;
} SweptBall;

typedef struct Colliders {
    ColliderRod* rods; // (rod_count)
    int rod_count, rod_capacity;
    Segment* segments; // (segment_count)
    int segment_count, segment_capacity;
    CordVec3* begin; // positions at the start of the step [m] (node_count)
    CordVec3* from;  // positions at the start of the motion that is examined now [m] (node_count)
    CordVec3* to;    // positions at its end [m] (node_count)
    int node_count, node_capacity[3];
    ColliderSolid* solids; // (solid_count)
    int solid_count, solid_capacity;
    bool rods_pass; // rods touch neither themselves nor each other
    double thin;    // smallest radius of all segments; INFINITY: there are none [m]
    double reach;   // largest distance at which surfaces interact [m]
    Aabb* boxes;    // fat boxes (segment_count)
    SweptBall* balls;
    int box_capacity, ball_capacity;
    // Candidates are valid while each node's motion starts and ends no farther than `slack` from these
    // (node_count).
    CordVec3 *searched_from, *searched_to;
    double* slack;
    int searched_capacity[3];
    // Paths of segments as seen from the mean motion of all nodes, or upper bounds of them (segment_count):
    double* travel; // from the search to `begin` [m]
    double* away;   // from `begin` to the positions of the last colliders_find_away [m]
    double* motion; // from `from` to `to`, of the last test for impacts [m]
    // Of two segments whose pair has a gap bound beyond the sum of theirs, nothing that is sought now can
    // come together: see pair_is_clear [m] (segment_count).
    double* clear;
    int path_capacity[4];
    Bvh bvh;
    SegmentPair* pairs; // candidates, sorted by a, then b
    int pair_count, pair_capacity;
    SegmentPair* unsorted;
    int unsorted_capacity;
    int* near; // segments near a solid, during a search
    int near_count, near_capacity;
    int* starts; // counters of the counting sort (segment_count + 1)
    int start_capacity;
    int* owners; // of the nodes of a network, while it is added
    int owner_capacity;
    SolidPair* solid_pairs;
    int solid_pair_count, solid_pair_capacity;
    MeshPair* mesh_pairs;
    int mesh_pair_count, mesh_pair_capacity;
    CordTasks tasks;       // what detection runs on
    bool candidates_valid; // they belong to these rods and solids
    int64_t searches;
    int64_t turn_tests; // segments that were compared with a solid that turns
} Colliders;

// Clear the colliders, then add rods and solids one by one. There are no candidates until a search. False: no
// memory.
void colliders_clear(Colliders* cs);
bool colliders_add_rod(Memory* m, Colliders* cs, Rod* rod, int index);
bool colliders_add_solid(Memory* m, Colliders* cs, const ColliderSolid* solid);
void colliders_free(Memory* m, Colliders* cs);

// Sets `begin`, `from` and `to` of all rods and solids to the state at the start of a step.
void colliders_begin_step(Colliders* cs);
// Sets `to` of obstacles to a fraction of the way from `from` to the goal.
void colliders_move_solids(Colliders* cs, double share);
static inline bool solid_is_compliant(const ColliderSolid* solid)
{
    return solid->stiffness > 0.0;
}
CordVec3 colliders_axis_point(const Colliders* cs, const CordVec3* x, int segment, double s);
// Mean motion of all nodes between two positions [m]; 0 if it is too long to be precise, or not finite.
CordVec3 colliders_mean_motion(const Colliders* cs, const CordVec3* from, const CordVec3* to);
double colliders_node_travel(const Colliders* cs, int node); // distance from `from` to `to` [m]
double solid_extent(const ColliderSolid* solid); // radius of the bounding ball about its origin [m]
// Upper bound of the displacement of any of its points [m].
double solid_moved(const ColliderSolid* solid, const Pose* before, const Pose* now);

// ---- broad phase: broad_phase.c, filter.c

// Brings the candidates up to date with the motion from `from` to `to`. False: no memory.
bool broad_phase_update(Memory* m, Colliders* cs);

// The collision filter rejects pairs that belong together and cannot touch: segments of one rod that are
// close along it, rods near a joint of theirs, and a rod and a body where it is welded to it.
bool filter_rejects_segments(const Colliders* cs, int a, int b);
bool filter_rejects_solid(const Colliders* cs, int segment, int solid);

// ---- bounds of gaps
//
// A pair need not be measured again before its segments have moved towards each other as far as its gap was.
// What all nodes move in common does not count.

// Writes to `path` how far each segment moves between two positions of all nodes, at most (segment_count).
void colliders_find_paths(const Colliders* cs, const CordVec3* from, const CordVec3* to, double* path);
void colliders_find_away(const Colliders* cs,
                         const CordVec3* x); // call it before the two below, for gaps at x
double pair_gap_bound(const Colliders* cs, const SegmentPair* pair); // a lower bound of the gap [m]
// True if its gap is wider than what `clear` asks for. It decides about most pairs, and reads little.
static inline bool pair_is_clear(const Colliders* cs, const SegmentPair* pair)
{
    return pair->gap_bound > cs->clear[pair->a] + cs->clear[pair->b];
}
void pair_note_gap(const Colliders* cs, SegmentPair* pair, double gap);
// False if the pair never comes within `near` on its way from positions x to `to`, by the balls about its
// segments. What depends on a pair only if this is true is independent of when candidates were searched.
bool pair_may_meet(const Colliders* cs, const SegmentPair* pair, const CordVec3* x, double near);
// False if two balls whose centers move along lines, with radii that add up to `near`, never meet.
static inline bool balls_may_meet(CordVec3 a_from, CordVec3 a_to, CordVec3 b_from, CordVec3 b_to, double near)
{
    CordVec3 p = vec3_sub(a_from, b_from), by = vec3_sub(vec3_sub(a_to, b_to), p);
    double square = vec3_dot(by, by), ahead = -vec3_dot(p, by),
           t = ahead >= square ? 1.0
               : ahead > 0.0   ? ahead / square
                               : 0.0;
    CordVec3 least = vec3_madd(p, by, t);
    return !(vec3_dot(least, least) > near * near);
}
// Upper bound of how far any point of one segment moves as seen from any point of the other, from positions x
// to `to` [m].
double pair_relative_path(const Colliders* cs, const SegmentPair* pair, const CordVec3* x);

// ---- continuous collision detection; the candidates must be up to date

// share_left for the iterates of a solve, which may overlap, but must not pass
#define TIME_OF_ITERATES (-2.0)
// The fraction of the motion from `from` to `to` after which some gap would fall below `share_left` of what
// it is.
double colliders_time_of_impact(const Colliders* cs, double share_left);
// share_left for motions that may overlap by a quarter of the thinner radius, or as far as they do already
#define TIME_OF_OVERLAP (-3.0)
typedef struct Impact { // of a pair that does not complete its motion
    int rod, other;     // of the colliders; other is -1 for a solid
    double time;        // share of the motion
} Impact;
// Calls `visit` for the impacts of all pairs of which one rod at least is `tested`, in a fixed order.
void colliders_visit_impacts(const Colliders* cs, double share_left, const bool* tested,
                             void (*visit)(void* user, const Impact* impact), void* user);
// Does a solid near a rod turn so far in the step that straight paths, seen from it, do not describe its
// motion?
bool colliders_turn_too_far(Colliders* cs);
// Does a pair come closer during the motion than half of the distance at which it touches? The end of an
// explicit step may be free of overlap although something tunnelled on the way.
bool colliders_tunnel(const Colliders* cs);
bool colliders_path_is_free(const Colliders* cs); // none does; also tests motions too short to tunnel

static inline CordVec3 pose_into(const Pose* pose, CordVec3 p) // from world axes to the pose's
{
    CordQuat back = {-pose->rotation.x, -pose->rotation.y, -pose->rotation.z, pose->rotation.w};
    return quat_rotate(back, vec3_sub(p, pose->point));
}

static inline CordVec3 pose_out(const Pose* pose, CordVec3 p)
{
    return vec3_add(pose->point, quat_rotate(pose->rotation, p));
}

// The segment before or after another one of a chain (`side` -1 or 1); -1: none.
int colliders_neighbour(const Colliders* cs, int segment, int side);
// A segment longer than the solid's smallest feature may touch it in several places; pieces of half that
// length touch it in one.
int colliders_pieces(const Colliders* cs, int segment, int solid);

#endif
