// Stretches of inextensible rods, of one or of several that are joined, that are taut between two held nodes.
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

#define MOST_PIECES 1000 // from one joint to the next

// Share of the length of a piece by which it must lengthen the chord of its path. In a path of ENOUGH_SLACK
// that sags evenly it is 0.97. Such a path goes through no joint twice.
#define LEAST_GAIN 0.9

typedef struct Piece { // of a rod, between two nodes that are held or joined, with none such between them
    const NewtonRod* r;
    int from, edges; // node and number of edges
    int step;        // 1, or -1: against the rod's direction
} Piece;

typedef struct Path Path;
struct Path { // from one held node to another
    const NewtonSystem* sys;
    const Path* before; // without its last piece; NULL: it has one piece
    Piece piece;        // the last
    int pieces, rods;
    double length;  // at rest [m]
    CordVec3 chord; // from its first node to its last, without what bodies put between its pieces
};

static int node_at(const Piece* p, int k) // the k-th from its start
{
    int count = p->r->rod->line.node_count;
    return (p->from + p->step * k + count) % count;
}

static int node_slot(const Piece* p, int k)
{
    return slot_of(&p->r->rod->line, node_at(p, k));
}

static int edge_slot(const Piece* p, int k)
{
    return node_slot(p, p->step > 0 ? k : k + 1);
}

static CordVec3 edge_along(const Path* path, const Piece* p, int k)
{
    return vec3_mul(newton_edge_vector(path->sys, p->r, edge_slot(p, k)), p->step);
}

static Path add_piece(const NewtonSystem* sys, const Path* before, Piece p)
{
    Path path = before ? *before : (Path){.sys = sys};
    const double* rest = p.r->rod->line.rest_len;
    for (int k = 0; k < p.edges; k++) {
        path.length += rest[edge_slot(&p, k)];
    }
    path.rods += !before || before->piece.r != p.r;
    path.before = before, path.piece = p, path.pieces++;
    path.chord = vec3_add(path.chord, newton_chord(sys, p.r, node_slot(&p, 0), node_slot(&p, p.edges)));
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
        for (int k = 0; k < p->edges; k++) {
            CordVec3 e = edge_along(path, p, k);
            double along = vec3_dot(e, u);
            CordVec3 across = vec3_madd(e, u, -along); // its length less the part along:
            bent += vec3_dot(across, across) / (vec3_length(e) + along) / path->length;
        }
        double size = vec3_length(slot_get(c->x, node_slot(p, 0))) +
                      vec3_length(slot_get(c->x, node_slot(p, p->edges)));
        round_off += DBL_EPSILON * (p->edges + size / path->length);
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
        size = real_max(size, p->r->rod->length + vec3_length(slot_get(c->x, node_slot(p, 0))));
        edges += p->edges;
        for (int k = 0; k < p->edges; k++) {
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
        for (int k = p->edges - 1; k >= 0; k--) {
            CordVec3 pull = vec3_mul(vec3_unit(edge_along(path, p, k)), p->r->n[edge_slot(p, k)]);
            bool last = at == path && k == p->edges - 1;
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

// Whether its tension bears more than `least` across it.
static bool bears_across(const Path* path, double least)
{
    return across_of(path) > real_max(least, least_across(path));
}

static const Piece* first_piece(const Path* path)
{
    while (path->before) {
        path = path->before;
    }
    return &path->piece;
}

static CordResult check_path(const Path* path, double least, Message* message)
{
    if (!is_short(path) || !bears_across(path, least) || slack_is_known(path)) {
        return CORD_OK;
    }
    const Piece *first = first_piece(path), *last = &path->piece;
    int to = node_at(last, last->edges);
    if (path->rods == 1) {
        return taut_fail(first->r->rod, first->from, to, message);
    }
    return message_fail(message, CORD_NOT_CONVERGED,
                        "the %d joined rods from rod '%s', node %d, to rod '%s', node %d, are taut between "
                        "these clamps, where no tension balances what pulls across them: give them slack, or "
                        "let one of them stretch",
                        path->rods, first->r->rod->name, first->from, last->r->rod->name, to);
}

// ---- rods that are joined

static bool is_held(const NewtonRod* r, int node)
{
    return r->rod->line.w[slot_of(&r->rod->line, node)] == 0.0;
}

// The piece from a node to the next one that is held or joined, or to the end of the rod. It has no edges
// where the rod ends, and where an edge is part of a body.
static Piece piece_from(const NewtonRod* r, int node, int step)
{
    const CordCenterline* c = &r->rod->line;
    Piece p = {r, node, 0, step};
    for (bool on = true; on && p.edges < c->edge_count; p.edges++) {
        int to = node_at(&p, p.edges), end = step > 0 ? c->node_count - 1 : 0;
        if ((!c->closed && to == end) || newton_is_rigid(r, edge_slot(&p, p.edges))) {
            break;
        }
        to = node_at(&p, p.edges + 1);
        on = !is_held(r, to) && !newton_is_carried(r, slot_of(c, to));
    }
    return p;
}

static CordResult check_joined(const Path* path, double least, Message* message);

// Checks all paths that go on with the piece from a node.
static CordResult check_further(const Path* path, const NewtonRod* r, int node, int step, double least,
                                Message* message)
{
    Piece p = piece_from(r, node, step);
    if (p.edges == 0) {
        return CORD_OK;
    }
    Path longer = add_piece(path->sys, path, p);
    double gain = vec3_length(longer.chord) - vec3_length(path->chord);
    if (!is_short(&longer) || gain <= LEAST_GAIN * (longer.length - path->length)) {
        return CORD_OK;
    }
    return is_held(r, node_at(&p, p.edges)) ? check_path(&longer, least, message)
                                            : check_joined(&longer, least, message);
}

// Checks all paths that go on from the last piece: along all rods of the body that carries its last node.
static CordResult check_joined(const Path* path, double least, Message* message)
{
    const Piece* last = &path->piece;
    const Clamp* clamp = last->r->held[node_at(last, last->edges)];
    if (!clamp || !clamp->carrier) {
        return CORD_OK;
    }
    if (path->pieces == MOST_PIECES) {
        return !bears_across(path, least)
                   ? CORD_OK
                   : message_fail(message, CORD_NOT_SUPPORTED,
                                  "more than %d joints are in one line from rod '%s', node %d, with forces "
                                  "across it: whether these rods are taut is not known; join fewer, or let "
                                  "one of them stretch",
                                  MOST_PIECES, first_piece(path)->r->rod->name, first_piece(path)->from);
    }
    for (Link* link = weld_of(clamp)->body->welds.first; link; link = link->after) {
        const Weld* weld = LIST_ENTRY(link, Weld, link);
        const NewtonRod* r = &path->sys->rods[weld->rod_index];
        for (int k = 0; k < 2 * weld->clamp.node_count && !may_stretch(r); k++) {
            CORD_TRY(check_further(path, r, weld->clamp.node[k / 2], k % 2 ? 1 : -1, least, message));
        }
    }
    return CORD_OK;
}

bool taut_may_fail(const NewtonSystem* sys, const NewtonRod* r)
{
    bool may = sys->joins && !may_stretch(r);
    for (Stretch st = {.to = -1}; !may && !may_stretch(r) && next_stretch(r->rod, &st);) {
        Path path = add_piece(sys, NULL, (Piece){r, st.from, st.to - st.from, 1});
        may = is_short(&path);
    }
    return may;
}

CordResult taut_check(const NewtonSystem* sys, const NewtonRod* r, double least, Message* message)
{
    for (Stretch st = {.to = -1}; !may_stretch(r) && next_stretch(r->rod, &st);) {
        Path path = add_piece(sys, NULL, (Piece){r, st.from, st.to - st.from, 1});
        CORD_TRY(check_path(&path, least, message));
    }
    for (int i = 0; sys->joins && !may_stretch(r) && i < 2 * r->rod->line.node_count; i++) {
        Piece p = is_held(r, i / 2) ? piece_from(r, i / 2, i % 2 ? 1 : -1) : (Piece){0};
        if (p.edges > 0 && !is_held(r, node_at(&p, p.edges))) {
            Path path = add_piece(sys, NULL, p);
            CORD_TRY(check_joined(&path, least, message));
        }
    }
    return CORD_OK;
}
