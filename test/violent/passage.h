// Decides from outside whether anything passed through anything in a step. It sees positions alone, and has
// formulas of its own: it calls nothing of the library.
//
// Between two states of the world every node is taken to move on a straight line, obstacles are at rest in
// their own axes, and conservative advancement follows the distance between the axes of edges, and from an
// axis to a solid. Axes that meet have passed through each other, if the library took the step as a straight
// line as well. A step that the library took in parts, or by iterations, may have led around an end instead:
// then shorter steps decide, or, in a crowd, links.
#ifndef CORDAGE_TEST_VIOLENT_PASSAGE_H
#define CORDAGE_TEST_VIOLENT_PASSAGE_H

#include <cordage/cordage.h>

enum { MOST_RODS = 6, MOST_NODES = 64, MOST_SOLIDS = 4 }; // of a violent scene
enum { ROOM_FOR_RODS = 40, ROOM_FOR_SOLIDS = 24 };        // of a crowd

typedef struct Axis { // of a rod
    int nodes, edges;
    bool closed;
    double radius, edge_length; // [m]; the length is that of an edge at rest, and all edges are alike
    CordVec3 x[MOST_NODES];     // [m]
} Axis;

typedef struct Placed { // a solid where it is
    CordSolid solid;    // a mesh is borrowed
    CordVec3 position;
    CordQuat rotation;
} Placed;

typedef struct Snapshot {
    int rod_count, solid_count;
    Axis rods[ROOM_FOR_RODS];
    Placed solids[ROOM_FOR_SOLIDS];
} Snapshot;

typedef struct Passage {
    bool solid;     // the other one is a solid
    int rod, edge;  // what met something
    int other;      // rod or solid
    int other_edge; // -1: a solid
    double when;    // share of the step
} Passage;

// Finds axes that meet on the way from one state to the next. Edges of one rod that are nearer to each other
// along it than pi r do not count. False: nothing met anything.
bool passage_find(const Snapshot* before, const Snapshot* after, Passage* passage);

// Did the link of two rods change, whichever way the step led from one state to the next? Two rings have a
// linking number, by Gauss's integral. Open rods are continued by straight tails; a passage changes their
// link for tails in every direction, and a way around one end does not.
bool passage_changes_links(const Snapshot* before, const Snapshot* after, int rod, int other);

// The linking number of two rings, by Gauss's integral.
double gauss_link(const Axis* a, const Axis* b);

// The deepest overlap of the surfaces over the thinner radius, and where it is; negative: everything is
// apart.
double deepest_overlap(const Snapshot* s, Passage* where);

// The least distance of the surfaces of one rod from those of all others, of itself and of solids [m].
double clearance_of(const Snapshot* s, int rod);

// Shows the checker passages and near misses that were made by hand, and prints each. Returns how many it got
// wrong (checker_test.c).
int checker_mistakes(void);

#endif
