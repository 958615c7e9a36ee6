// The colliders: the segments of all rods, analytic solids and meshes, with the candidate pairs that the
// broad phase found among them.
//
// Every segment has a fat box, which holds its tube over the current step with a margin. Pairs whose fat
// boxes overlap are the candidates. They stay valid while the tubes stay inside their boxes, so most steps
// need no new search.
#ifndef CORD_CONTACT_COLLIDERS_H
#define CORD_CONTACT_COLLIDERS_H

#include "contact/mesh.h"
#include "contact/solid.h"
#include "rod/rod.h"

typedef struct ColliderRod {
    Rod* rod;
    int index; // in the world
    int first_node, first_segment;
    int node_count, segment_count;
    bool passes_itself;
    double kick; // time over which forces, and with them contact, change its velocities [s]
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
    double gap_bound; // lower bound of the gap plus twice the nodes' travel since the search [m]: see
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
    double reach;   // largest distance at which surfaces interact [m]
    Aabb* boxes;    // fat boxes (segment_count)
    int box_capacity;
    Aabb* node_bounds; // candidates are valid while each node stays inside its own (node_count)
    int node_bound_capacity;
    double travel; // upper bound of any node's path from the search to `begin` [m]
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
    bool candidates_valid; // they belong to these rods and solids
    int64_t searches;
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
// A pair need not be measured again before its nodes have moved as far as its gap was. `away` is the largest
// displacement of any node from the start of the step [m].
double colliders_displacement(const Colliders* cs, const CordVec3* x); // of positions x
// A lower bound of the gap [m].
double pair_gap_bound(const Colliders* cs, const SegmentPair* pair, double away);
void pair_note_gap(const Colliders* cs, SegmentPair* pair, double gap, double away);

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
// `travel` is an upper bound of what the nodes of each segment move (segment_count).
void colliders_visit_impacts(const Colliders* cs, double share_left, const bool* tested, const double* travel,
                             void (*visit)(void* user, const Impact* impact), void* user);
// Does a solid near a rod turn so far in the step that straight paths, seen from it, do not describe its
// motion?
bool colliders_turn_too_far(const Colliders* cs);
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
