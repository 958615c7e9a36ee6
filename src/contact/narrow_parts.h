// Shared by the files of the narrow phase: narrow_phase.c (candidates), narrow_segments.c (pairs of
// segments), narrow_solids.c (segments with solids and meshes).
#ifndef CORD_CONTACT_NARROW_PARTS_H
#define CORD_CONTACT_NARROW_PARTS_H

#include "base/real.h"
#include "contact/narrow_phase.h"

// A segment near a solid.
typedef struct Bridge {
    int segment, solid;
    SolidPoint end[2];
    SolidPoint least;        // of the whole segment
    double sagitta;          // of the nearer end above the closest point [m]
    double sagitta_at_start; // of the step
    double reach;            // [m]
    bool is_short;           // it pushes at its nodes
} Bridge;

#define BRIDGES 4 // consecutive segments whose bridges are kept

typedef struct NarrowPhase { // of a range of the candidates
    ContactPoints* out;
    const Colliders* colliders;
    const CordVec3* x;
    const ContactLaw* law;
    Bridge bridges[BRIDGES];
    ContactPoint between_rods; // under test; what no such contact has remains zero
} NarrowPhase;

// Candidates one by one. `at`: the closest points of the pair.
void narrow_test_pair(NarrowPhase* f, SegmentPair* pair, const ClosestPoints* at);
void narrow_test_solid(NarrowPhase* f, const SolidPair* pair);
void narrow_test_triangle(NarrowPhase* f, const MeshPair* pair);
void narrow_test_edge(NarrowPhase* f, const MeshPair* pair);

// Reports a gap, which is the smallest so far or not, and a contact, which is within its reach or not.
void narrow_note_gap(NarrowPhase* f, const ContactPoint* contact, double gap, double s, double t);
void narrow_add_contact(NarrowPhase* f, const ContactPoint* contact);

typedef struct Side { // a segment of a rod, or an edge of a mesh
    CordVec3 p, q;
    double radius;
    double rest_len; // independent of p and q [m]
} Side;

static inline Side side_of(const NarrowPhase* f, int segment)
{
    const Segment* g = &f->colliders->segments[segment];
    return (Side){f->x[g->node[0]], f->x[g->node[1]], g->radius, g->arc[1] - g->arc[0]};
}

static inline CordVec3 along(const Side* s, double at)
{
    return vec3_madd(vec3_mul(s->p, 1.0 - at), s->q, at);
}

static inline void set_axis(ContactPoint* contact, int side, CordVec3 e)
{
    double len = vec3_length(e);
    contact->axis[side] = vec3_mul(e, 1.0 / len);
    contact->inv_len[side] = 1.0 / len;
}

static inline bool owns_end(const Colliders* cs, int segment, int end)
{
    return cs->segments[segment].owner[end] == segment;
}

// By how much a segment may be closer to another, or to a solid, than its ends, where these are held off
// instead of it [m].
static inline double dip_of(const ContactLaw* law, double radius)
{
    return 0.25 * law->tolerance * radius;
}

// Where sagittas are measured, and choices made that must not change while a step is solved.
static inline const CordVec3* shape_of(const NarrowPhase* f)
{
    return f->law->shape ? f->law->shape : f->colliders->begin;
}

// Is a pair too far apart to matter? Pairs within twice the reach are kept, since the smallest gap is
// reported.
static inline bool are_far(const ClosestPoints* c, double radii, double reach, double radius)
{
    return c->distance - radii >= 2.0 * reach + 1e-3 * radius;
}

// Finds the contacts of two segments, or of one with the edge of a mesh, that are not far.
void narrow_test_sides(NarrowPhase* f, ContactPoint* contact, const Side* a, const Side* b,
                       const ClosestPoints* c);

#endif
