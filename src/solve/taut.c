// Stretches of inextensible rods that are taut between two held nodes.
//
// The lengths of such a stretch depend on each other: one constraint follows from the others, and the
// multipliers are not unique (Nocedal and Wright, section 12.5). Forces along the stretch are balanced by
// many tensions. Forces across it are balanced by none: a slack of s leaves a tension in proportion to
// 1/sqrt(s), which grows without bound as the slack goes to zero.
#include "solve/taut.h"

#include "base/real.h"

#include <float.h>

#define SLACK_ERROR 1e-2 // relative, of a slack that a tension is computed from: it is off by half as much

// Relative slack of a stretch that bears any load: lengths are kept to far less than SLACK_ERROR of it.
#define ENOUGH_SLACK 1e-2

typedef struct Stretch { // of two edges at least, between two nodes that are held in space
    int from, to;        // nodes; in a ring, `to` may count on past the last node
    double length;       // at rest [m]
} Stretch;

// The stretch after this one; the first after {.to = -1}.
static bool next_stretch(const Rod* rod, Stretch* st)
{
    const CordCenterline* c = &rod->line;
    int nodes = c->node_count, end = c->closed ? 2 * nodes : nodes;
    st->length = 0.0;
    for (int from = st->to, i = from + 1; i < end && from < nodes; i++) {
        st->length += i > 0 ? c->rest_len[slot_of(c, (i - 1) % nodes)] : 0.0;
        if (c->w[slot_of(c, i % nodes)] == 0.0) {
            if (from >= 0 && i - from > 1) {
                st->from = from, st->to = i;
                return true;
            }
            from = i;
            st->length = 0.0;
        }
    }
    return false;
}

int taut_pull(const Rod* rod, double* n, double pull)
{
    const CordCenterline* c = &rod->line;
    int count = 0, nodes = c->node_count;
    for (Stretch st = {.to = -1}; rod->inextensible && next_stretch(rod, &st);) {
        CordVec3 chord = vec3_sub(node_position(c, st.to % nodes), node_position(c, st.from));
        bool taut = vec3_length(chord) >= st.length * (1.0 - CLAMP_NO_SLACK);
        for (int k = st.from; taut && n && k < st.to; k++) {
            n[slot_of(c, k % nodes)] += pull;
        }
        count += taut;
    }
    return count;
}

// Whether the slack between the held nodes explains the shape. A bent stretch takes up length; if that
// differs from the slack by more than SLACK_ERROR, edges that are off their lengths by what the solver
// tolerates, or coordinates by round-off, make the shape and its tension.
static bool slack_is_known(const NewtonSystem* sys, const NewtonRod* r, const Stretch* st, CordVec3 chord)
{
    const CordCenterline* c = &r->rod->line;
    double distance = vec3_length(chord), slack = (st->length - distance) / st->length, bent = 0.0;
    CordVec3 u = vec3_unit(chord);
    for (int k = st->from; k < st->to; k++) {
        CordVec3 e = newton_edge_vector(sys, r, slot_of(c, k % c->node_count));
        double along = vec3_dot(e, u);
        CordVec3 across = vec3_madd(e, u, -along);
        bent +=
            vec3_dot(across, across) / (vec3_length(e) + along) / st->length; // length less the part along
    }
    double size =
        vec3_length(node_position(c, st->from)) + vec3_length(node_position(c, st->to % c->node_count));
    double round_off = DBL_EPSILON * ((double)(st->to - st->from) + size / st->length);
    return fabs(bent - slack) + round_off <= SLACK_ERROR * slack;
}

// Force across, on a node, that needs no tension: that which the round-off of positions makes of the
// stiffness of corners, tension and inertia, and that which bending bears with a deflection w of sqrt(eps)
// times the length, at which the stretch takes up less length, in the order of w^2 / length, than doubles
// tell apart.
static double least_across(const NewtonSystem* sys, const NewtonRod* r, const Stretch* st)
{
    const CordCenterline* c = &r->rod->line;
    double most = 0.0, EI = INFINITY, size = r->rod->length + vec3_length(node_position(c, st->from));
    for (int k = st->from; k < st->to; k++) {
        int edge = k % c->node_count, s = slot_of(c, edge);
        const CordStiffness* stiff = rod_stiffness_at(r->rod, edge);
        double inv = c->inv_rest[s], bend = 16.0 * real_max(stiff->EI1, stiff->EI2) * inv * inv * inv;
        most = real_max(most, bend + fabs(r->n[s]) * inv + sys->mass * r->weight[s]);
        EI = real_min(EI, real_min(stiff->EI1, stiff->EI2));
    }
    double borne =
        48.0 * EI * sqrt(DBL_EPSILON) / (st->length * st->length); // by a beam, F L^3 / (48 EI) = w
    return 2.0 * DBL_EPSILON * size * most + borne / (st->to - st->from);
}

// Largest force across the chord that tension exerts on a node of the stretch.
static double across_of(const NewtonSystem* sys, const NewtonRod* r, const Stretch* st, CordVec3 chord)
{
    const CordCenterline* c = &r->rod->line;
    CordVec3 u = vec3_unit(chord);
    double most = 0.0;
    for (int k = st->from + 1; k < st->to; k++) {
        int after = slot_of(c, k % c->node_count), before = slot_of(c, (k - 1) % c->node_count);
        CordVec3 f = vec3_sub(vec3_mul(vec3_unit(newton_edge_vector(sys, r, after)), r->n[after]),
                              vec3_mul(vec3_unit(newton_edge_vector(sys, r, before)), r->n[before]));
        most = real_max(most, vec3_length(vec3_madd(f, u, -vec3_dot(f, u))));
    }
    return most;
}

CordResult taut_fail(const Rod* rod, int from, int to, Message* message)
{
    return message_fail(
        message, CORD_NOT_CONVERGED,
        "rod '%s' is taut between its clamps at nodes %d and %d, where no tension balances what "
        "pulls across it: give it slack, or let it stretch",
        rod->name, from, to);
}

// The next stretch with so little slack that a load across it may find no tension.
static bool next_short(const NewtonSystem* sys, const NewtonRod* r, Stretch* st, CordVec3* chord)
{
    const CordCenterline* c = &r->rod->line;
    while ((r->rod->inextensible || r->rod->stiffened) && next_stretch(r->rod, st)) {
        *chord = newton_chord(sys, r, slot_of(c, st->from), slot_of(c, st->to % c->node_count));
        if (vec3_length(*chord) > st->length * (1.0 - ENOUGH_SLACK)) {
            return true;
        }
    }
    return false;
}

bool taut_may_fail(const NewtonSystem* sys, const NewtonRod* r)
{
    return next_short(sys, r, &(Stretch){.to = -1}, &(CordVec3){0});
}

CordResult taut_check(const NewtonSystem* sys, const NewtonRod* r, double least, Message* message)
{
    CordVec3 chord;
    for (Stretch st = {.to = -1}; next_short(sys, r, &st, &chord);) {
        if (across_of(sys, r, &st, chord) > real_max(least, least_across(sys, r, &st)) &&
            !slack_is_known(sys, r, &st, chord)) {
            return taut_fail(r->rod, st.from, st.to % r->rod->line.node_count, message);
        }
    }
    return CORD_OK;
}
