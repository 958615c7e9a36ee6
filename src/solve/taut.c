// Stretches of inextensible rods, of one or of several that are joined end to end, that are taut between two
// held nodes.
//
// The lengths of such a stretch depend on each other: one constraint follows from the others, and the
// multipliers are not unique (Nocedal and Wright, section 12.5). Forces along the stretch are balanced by
// many tensions. Forces across it are balanced by none: a slack of s leaves a tension in proportion to
// 1/sqrt(s), which grows without bound as the slack goes to zero.
#include "solve/taut.h"

#include "base/real.h"

#include <float.h>
#include <stdlib.h>

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

// ---- paths

#define MOST_PIECES                                                                                          \
    1000 // rods that are joined one to the next; longer paths, which take long, are not checked

// Share of the length of a piece by which it must lengthen the chord of its path. In a path of ENOUGH_SLACK
// that sags evenly it is 0.97. Such a path goes through no joint twice.
#define LEAST_GAIN 0.9

typedef struct Piece {
    const NewtonRod* r;
    int from, to; // nodes; to < from: against the rod's direction; in a ring `to` may be past the last node
} Piece;

typedef struct Path Path;
struct Path { // from one held node to another
    const NewtonSystem* sys;
    const Path* before; // without its last piece; NULL: it has one piece
    Piece piece;        // the last
    int count;
    double length;  // at rest [m]
    CordVec3 chord; // from its first node to its last
};

static int node_slot(const Piece* p, int node)
{
    return slot_of(&p->r->rod->line, node % p->r->rod->line.node_count);
}

static int edges_of(const Piece* p)
{
    return abs(p->to - p->from);
}

static int edge_slot(const Piece* p, int k) // the k-th edge from its start
{
    return node_slot(p, p->to > p->from ? p->from + k : p->from - 1 - k);
}

static CordVec3 edge_along(const Path* path, const Piece* p, int k)
{
    return vec3_mul(newton_edge_vector(path->sys, p->r, edge_slot(p, k)), p->to > p->from ? 1.0 : -1.0);
}

static Path add_piece(const NewtonSystem* sys, const Path* before, Piece p)
{
    Path path = before ? *before : (Path){.sys = sys};
    const double* rest = p.r->rod->line.rest_len;
    for (int k = 0; k < edges_of(&p); k++) {
        path.length += rest[edge_slot(&p, k)];
    }
    path.before = before, path.piece = p, path.count++;
    path.chord = vec3_add(path.chord, newton_chord(sys, p.r, node_slot(&p, p.from), node_slot(&p, p.to)));
    return path;
}

static bool may_stretch(const NewtonRod* r)
{
    return !r->rod->inextensible && !r->rod->stiffened;
}

// Whether it has so little slack that a load across it may find no tension.
static bool is_short(const Path* path)
{
    return vec3_length(path->chord) > path->length * (1.0 - ENOUGH_SLACK);
}

// ---- whether its tension bears what it cannot

// Whether the slack between the held nodes explains the shape. A bent path takes up length; if that differs
// from the slack by more than SLACK_ERROR, edges that are off their lengths by what the solver tolerates, or
// coordinates by round-off, make the shape and its tension.
static bool slack_is_known(const Path* path)
{
    double slack = (path->length - vec3_length(path->chord)) / path->length, bent = 0.0, round_off = 0.0;
    CordVec3 u = vec3_unit(path->chord);
    for (const Path* at = path; at; at = at->before) {
        const Piece* p = &at->piece;
        const CordCenterline* c = &p->r->rod->line;
        for (int k = 0; k < edges_of(p); k++) {
            CordVec3 e = edge_along(path, p, k);
            double along = vec3_dot(e, u);
            CordVec3 across = vec3_madd(e, u, -along); // its length less the part along:
            bent += vec3_dot(across, across) / (vec3_length(e) + along) / path->length;
        }
        double size = vec3_length(slot_get(c->x, node_slot(p, p->from))) +
                      vec3_length(slot_get(c->x, node_slot(p, p->to)));
        round_off += DBL_EPSILON * (edges_of(p) + size / path->length);
    }
    return fabs(bent - slack) + round_off <= SLACK_ERROR * slack;
}

// Force across, on a node, that needs no tension: that which the round-off of positions makes of the
// stiffness of corners, tension and inertia, and that which bending bears with a deflection w of sqrt(eps)
// times the length, at which the path takes up less length, in the order of w^2 / length, than doubles tell
// apart.
static double least_across(const Path* path)
{
    double most = 0.0, EI = INFINITY, size = 0.0;
    int edges = 0;
    for (const Path* at = path; at; at = at->before) {
        const Piece* p = &at->piece;
        const CordCenterline* c = &p->r->rod->line;
        size = real_max(size, p->r->rod->length + vec3_length(slot_get(c->x, node_slot(p, p->from))));
        edges += edges_of(p);
        for (int k = 0; k < edges_of(p); k++) {
            int s = edge_slot(p, k);
            const CordStiffness* stiff = rod_stiffness_at(p->r->rod, s - c->halo);
            double inv = c->inv_rest[s], bend = 16.0 * real_max(stiff->EI1, stiff->EI2) * inv * inv * inv;
            most = real_max(most, bend + fabs(p->r->n[s]) * inv + path->sys->mass * p->r->weight[s]);
            EI = real_min(EI, real_min(stiff->EI1, stiff->EI2));
        }
    }
    double borne =
        48.0 * EI * sqrt(DBL_EPSILON) / (path->length * path->length); // by a beam, F L^3 / (48 EI) = w
    return 2.0 * DBL_EPSILON * size * most + borne / edges;
}

// Largest force across the chord that tension exerts on a node of the path.
static double across_of(const Path* path)
{
    CordVec3 u = vec3_unit(path->chord), after = {0, 0, 0};
    double most = 0.0;
    for (const Path* at = path; at; at = at->before) {
        const Piece* p = &at->piece;
        for (int k = edges_of(p) - 1; k >= 0; k--) {
            CordVec3 pull = vec3_mul(vec3_unit(edge_along(path, p, k)), p->r->n[edge_slot(p, k)]);
            bool last = at == path && k == edges_of(p) - 1;
            CordVec3 f = last ? (CordVec3){0, 0, 0} : vec3_sub(after, pull);
            most = real_max(most, vec3_length(vec3_madd(f, u, -vec3_dot(f, u))));
            after = pull;
        }
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

static CordResult check_path(const Path* path, double least, Message* message)
{
    if (!is_short(path) || across_of(path) <= real_max(least, least_across(path)) || slack_is_known(path)) {
        return CORD_OK;
    }
    const Path* start = path;
    while (start->before) {
        start = start->before;
    }
    const Piece *first = &start->piece, *last = &path->piece;
    if (first == last) {
        const Rod* rod = first->r->rod;
        return taut_fail(rod, first->from, first->to % rod->line.node_count, message);
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "the %d joined rods from rod '%s', node %d, to rod '%s', node %d, are taut between "
                        "these clamps, where no tension balances what pulls across them: give them slack, or "
                        "let one of them stretch",
                        path->count, first->r->rod->name, first->from, last->r->rod->name, last->to);
}

// ---- rods that are joined end to end

// The piece of an open rod from the end at `node` to the first held node after it, or to its other end.
static Piece piece_from_end(const NewtonRod* r, int node, bool* held)
{
    const CordCenterline* c = &r->rod->line;
    int step = node == 0 ? 1 : -1, last = c->node_count - 1 - node, to = node;
    do {
        to += step;
        *held = c->w[slot_of(c, to)] == 0.0;
    } while (!*held && to != last);
    return (Piece){r, node, to};
}

// Checks all paths that go on from the last piece, which ends at an end of its rod.
static CordResult check_joined(const Path* path, double least, Message* message)
{
    const NewtonSystem* sys = path->sys;
    const Assembly* a = sys->joins->assembly;
    const Piece* last = &path->piece;
    for (int i = 0; i < a->tie_count; i++) {
        const Tie* here = &a->ties[i];
        bool ends = &sys->rods[here->rod] == last->r && here->slot == node_slot(last, last->to);
        for (int k = 0; ends && k < a->tie_count && path->count < MOST_PIECES; k++) {
            const NewtonRod* r = &sys->rods[a->ties[k].rod];
            const CordCenterline* c = &r->rod->line;
            int node = a->ties[k].slot - c->halo;
            bool on = a->ties[k].body == here->body && !c->closed && (node == 0 || node == c->node_count - 1);
            if (!on || may_stretch(r)) {
                continue;
            }
            bool held;
            Path longer = add_piece(sys, path, piece_from_end(r, node, &held));
            double gain = vec3_length(longer.chord) - vec3_length(path->chord);
            if (is_short(&longer) && gain > LEAST_GAIN * (longer.length - path->length)) {
                CORD_TRY(held ? check_path(&longer, least, message) : check_joined(&longer, least, message));
            }
        }
    }
    return CORD_OK;
}

// Paths that begin in the rod and leave it by its end at `node`.
static CordResult check_from(const NewtonSystem* sys, const NewtonRod* r, int node, double least,
                             Message* message)
{
    bool held = false;
    Piece p = piece_from_end(r, node, &held);
    if (!held || r->rod->line.w[slot_of(&r->rod->line, node)] == 0.0) {
        return CORD_OK;
    }
    Path path = add_piece(sys, NULL, (Piece){r, p.to, p.from});
    return check_joined(&path, least, message);
}

bool taut_may_fail(const NewtonSystem* sys, const NewtonRod* r)
{
    bool may = sys->joins && !may_stretch(r);
    for (Stretch st = {.to = -1}; !may && !may_stretch(r) && next_stretch(r->rod, &st);) {
        Path path = add_piece(sys, NULL, (Piece){r, st.from, st.to});
        may = is_short(&path);
    }
    return may;
}

CordResult taut_check(const NewtonSystem* sys, const NewtonRod* r, double least, Message* message)
{
    for (Stretch st = {.to = -1}; !may_stretch(r) && next_stretch(r->rod, &st);) {
        Path path = add_piece(sys, NULL, (Piece){r, st.from, st.to});
        CORD_TRY(check_path(&path, least, message));
    }
    bool may_go_on = sys->joins && !may_stretch(r) && !r->rod->line.closed;
    for (int i = 0; may_go_on && i < 2; i++) {
        CORD_TRY(check_from(sys, r, i * (r->rod->line.node_count - 1), least, message));
    }
    return CORD_OK;
}
