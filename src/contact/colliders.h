// What can touch: the segments of all rods, solids by formula and meshes, and which of them are near each
// other.
//
// Every segment has a fat box: it holds the segment's tube over the step under way, with room to spare. Pairs
// whose fat boxes overlap are the candidates. They stay valid while tubes stay inside their boxes, so that
// most steps look at the candidates alone.
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
} ColliderRod;

typedef struct Segment {
    int node[2]; // of the colliders
    int rod;     // of the colliders
    int edge;
    double radius; // [m]
    double arc[2]; // rest length from the rod's start to its ends [m]
} Segment;

typedef struct ColliderSolid {
    CordSolid solid;     // or
    const Mesh* mesh;    // NULL: a solid by formula
    Pose begin, goal;    // at the start and at the end of the step
    Pose from, to;       // of the way that it goes now
    CordTouch kind;      // an obstacle or a body
    const Pose* carrier; // of a body: rods do not touch it where they are welded to it
    int index;           // in the world
    int surface;
    double friction;
    double turn; // in the step, by any number of turns [rad]
    // of its origin from the straight way, where that is because it turns about another point [m]
    double detour;
    Pose searched; // where it was at the search
    double margin; // by which it may move until there is another [m]
} ColliderSolid;

typedef struct SegmentPair {
    int a, b;
    // no more than their gap and twice the travel of nodes since the search [m]: see pair_gap_bound
    double gap_bound;
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
    CordVec3* begin; // positions at the start of the step (node_count)
    CordVec3* from;  // from where they go now: the same, or on the way (node_count)
    CordVec3* to;    // where they go (node_count)
    int node_count, node_capacity[3];
    ColliderSolid* solids; // (solid_count)
    int solid_count, solid_capacity;
    bool rods_pass; // through themselves and each other
    double reach;   // how far surfaces feel each other [m]
    Aabb* boxes;    // fat (segment_count)
    int box_capacity;
    Aabb* node_bounds; // in which each node may move until there is another search (node_count)
    int room_capacity;
    double travel; // from search to `begin`, of any node, at the most [m]
    Bvh bvh;
    SegmentPair* pairs; // candidates, sorted
    int pair_count, pair_capacity;
    SegmentPair* unsorted;
    int unsorted_capacity;
    int* near; // segments, while they are looked for
    int near_count, near_capacity;
    int* starts; // of the pairs of each segment, while they are sorted (segment_count + 1)
    int start_capacity;
    SolidPair* solid_pairs;
    int solid_pair_count, solid_pair_capacity;
    MeshPair* mesh_pairs;
    int mesh_pair_count, mesh_pair_capacity;
    bool candidates_valid; // candidates belong to these rods and solids
    int64_t searches;
} Colliders;

// Rods and solids are put among the colliders one after the other, after clearing it; then nothing is near
// anything until a search. False: no memory.
void colliders_clear(Colliders* cs);
bool colliders_add_rod(Memory* m, Colliders* cs, Rod* rod, int index);
bool colliders_add_solid(Memory* m, Colliders* cs, const ColliderSolid* solid);
void colliders_free(Memory* m, Colliders* cs);

void colliders_begin_step(Colliders* cs); // a step: rods and solids are where they set out from
// `to` of obstacles is a share of the way from `from` to the goal
void colliders_move_solids(Colliders* cs, double share);
CordVec3 colliders_axis_point(const Colliders* cs, const CordVec3* x, int segment,
                              double s); // on a segment's axis

double colliders_node_travel(const Colliders* cs, int node); // how far it goes [m]
double solid_extent(const ColliderSolid* solid); // radius of the ball about its origin that holds it [m]
// any point of it, at the most [m]
double solid_moved(const ColliderSolid* solid, const Pose* before, const Pose* now);

// Candidates for all that moves from `from` to `to`: looked for anew if need be. False: no memory.
bool broad_phase_update(Memory* m, Colliders* cs);

// A pair need not be looked at while things have gone less far than they were apart when it was last
// measured. `away`: how far any node at positions x is from where it began the step, at the most [m].
double colliders_displacement(const Colliders* cs, const CordVec3* x);
double pair_gap_bound(const Colliders* cs, const SegmentPair* pair, double away); // no more than the gap [m]
void pair_note_gap(const Colliders* cs, SegmentPair* pair, double gap, double away);

// The share of the way from `from` to `to` that all can go without any two surfaces coming nearer than
// `share_left` of the gap that they have. Candidates must be up to date.
double colliders_time_of_impact(const Colliders* cs, double share_left);

// Does a solid that rods may come near turn so far in the step that straight ways, as seen from it, are not
// where it goes?
bool colliders_turn_too_far(const Colliders* cs);

// Does anything come nearer on its way to anything else than half of what they would touch at? Explicit steps
// that end well may have passed through on the way.
bool colliders_tunnel(const Colliders* cs);
bool colliders_path_is_free(const Colliders* cs); // likewise, however short the way is: nothing does

static inline CordVec3 pose_into(const Pose* pose, CordVec3 p) // from space to its axes
{
    CordQuat back = {-pose->rotation.x, -pose->rotation.y, -pose->rotation.z, pose->rotation.w};
    return quat_rotate(back, vec3_sub(p, pose->point));
}

static inline CordVec3 pose_out(const Pose* pose, CordVec3 p)
{
    return vec3_add(pose->point, quat_rotate(pose->rotation, p));
}

#endif
