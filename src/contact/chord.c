#include "contact/chord.h"

#include "base/real.h"

#define LEAST_CHORD 0.5  // over the radius: a sharp fold may bring the ends of a chord closer than that
#define LEAST_COSINE 0.5 // between axis and chord, likewise

static double node_arc(const Colliders* cs, const ColliderRod* r, int node) // beyond both ends of a ring, too
{
    int turns = 0;
    for (; node < 0; node += r->segment_count) {
        turns--;
    }
    for (; node > r->segment_count; node -= r->segment_count) {
        turns++;
    }
    const Segment* all = &cs->segments[r->first_segment];
    double whole = all[r->segment_count - 1].arc[1];
    return turns * whole + (node < r->segment_count ? all[node].arc[0] : whole);
}

bool chord_is_segment(const Colliders* cs, int segment)
{
    const Segment* g = &cs->segments[segment];
    return g->arc[1] - g->arc[0] >= 2.0 * g->radius || cs->rods[g->rod].rod->line.ends;
}

// The end of its segment at which a contact stays; -1: it moves along the segment.
static int end_of(const ContactPoint* contact, int side)
{
    int part = contact->key.part, end = contact->s == 1.0;
    switch (contact->kind) {
    case CONTACT_TRIANGLE: return part;
    case CONTACT_SOLID: return part % CONTACT_PARTS == 0 || !(contact->s == 0.0 || end) ? -1 : end;
    default: return (part - 1) / 2 == side && part > 0 ? (part - 1) % 2 : -1;
    }
}

static void find_nodes(const Colliders* cs, const Segment* g, int end, int node[2])
{
    const ColliderRod* r = &cs->rods[g->rod];
    bool closed = r->rod->line.closed;
    int lo = g->edge + (end == 1), hi = g->edge + (end != 0), last = r->segment_count;
    int most = closed ? last / 2 : last;
    while (hi == lo || (hi - lo < most && node_arc(cs, r, hi) - node_arc(cs, r, lo) < 2.0 * g->radius)) {
        lo -= closed || lo > 0;
        hi += closed || hi < last;
    }
    node[0] = r->first_node + (lo + (closed ? last : 0)) % r->node_count;
    node[1] = r->first_node + hi % r->node_count;
}

Chord chord_of(const Colliders* cs, const CordVec3* x, const ContactPoint* contact, int side)
{
    int segment = side == 0 ? contact->key.a : contact->key.b;
    const Segment* g = &cs->segments[segment];
    Chord chord = {.node = {g->node[0], g->node[1]}};
    if (!chord_is_segment(cs, segment)) {
        find_nodes(cs, g, end_of(contact, side), chord.node);
    }
    CordVec3 along = vec3_sub(x[chord.node[1]], x[chord.node[0]]);
    chord.inv_len = 1.0 / real_max(vec3_length(along), LEAST_CHORD * g->radius);
    chord.axis = vec3_mul(along, chord.inv_len);
    chord.roll = 1.0 / real_max(vec3_dot(contact->axis[side], chord.axis), LEAST_COSINE);
    return chord;
}
