// Initial material frames and rest strains of a framed rod.
#include "base/real.h"
#include "math/elementary.h"
#include "model/framed/framed.h"
#include "rod/frame.h"

static CordVec3 edge_axis(double* const a[3], const CordCenterline* c, int edge)
{
    return slot_get(a, slot_of(c, edge));
}

static double angle_at(const FrameSet* f, const CordCenterline* c, int node)
{
    int before = edge_before(c, node);
    CordVec3 s = edge_axis(f->edges.t, c, before), t = edge_axis(f->edges.t, c, node);
    CordVec3 u = frame_transport(edge_axis(f->edges.m1, c, before), s, t);
    return frame_angle(u, edge_axis(f->edges.m1, c, node), t);
}

static void place_frames(Framed* g, const Rod* rod, const CordVec3* x, CordVec3 first, const CordVec3* along)
{
    const CordCenterline* c = &rod->line;
    CordVec3 s = {0, 0, 0}, u = s;
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 t = vec3_unit(vec3_sub(x[edge_end(c, j)], x[j]));
        CordVec3 wish = along ? along[j] : j == 0 ? first : frame_transport(u, s, t);
        CordVec3 across = vec3_reject(wish, t);
        bool any = vec3_dot(across, across) <= 1e-20 * vec3_dot(wish, wish) || vec3_dot(wish, wish) == 0.0;
        u = any ? vec3_any_normal(t) : vec3_unit(across);
        slot_set(g->now.edges.t, slot_of(c, j), t);
        slot_set(g->now.edges.m1, slot_of(c, j), u);
        s = t;
    }
    framed_wrap(&g->now, c);
}

static double total_bend_length(const Rod* rod)
{
    double sum = 0.0;
    for (int k = 0; k < inner_count(&rod->line); k++) {
        sum += rod_bend_length(rod, inner_node(&rod->line, k));
    }
    return sum;
}

// Rotates the frames so that `twist` is added uniformly along the rod. The frame of edge 0 stays.
static void add_twist(Framed* g, const Rod* rod, double twist)
{
    const CordCenterline* c = &rod->line;
    double length = total_bend_length(rod), angle = 0.0;
    for (int j = 1; j < c->edge_count && twist != 0.0; j++) { // node j sits before edge j
        angle += twist * rod_bend_length(rod, j) / length;
        int s = slot_of(c, j);
        slot_set(g->now.edges.m1, s,
                 frame_rotate(slot_get(g->now.edges.m1, s), slot_get(g->now.edges.t, s), angle));
    }
    framed_wrap(&g->now, c);
}

// Writes the angles m between neighbouring frames, each unwrapped to its share of `twist`.
static void measure_near(Framed* g, const Rod* rod, double twist, double* m)
{
    const CordCenterline* c = &rod->line;
    double length = total_bend_length(rod);
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k);
        m[slot_of(c, i)] = frame_unwrap(angle_at(&g->now, c, i), twist * rod_bend_length(rod, i) / length);
    }
}

// Holonomy of a ring: the angle from the last frame, transported over node 0, to the first one. Spread evenly
// along the ring, it closes the frames. A ring bent from a straight rod has this angle glued in as its seam
// instead, and is not twisted by it.
static double closing_twist(const Framed* g, const Rod* rod)
{
    return rod->line.closed ? angle_at(&g->now, &rod->line, 0) : 0.0;
}

// Rest strains A, B and m, for every law. They are computed from frames on the rest shape, which set_frames
// replaces afterwards. all: the rest twist, with what closes a ring.
static CordResult set_rest(Memory* memory, Framed* g, const Rod* rod, const CordRodDef* def, double* all,
                           Message* message)
{
    const CordCenterline* c = &rod->line;
    CordVec3* x = memory_array(memory, CordVec3, c->node_count);
    if (!x) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    }
    CordResult result = rod_rest_nodes(memory, rod, def, x, message);
    if (result == CORD_OK) {
        bool own = vec3_length(def->rest_m1) > 0.0;
        bool shaped = def->rest == CORD_REST_AS_SHAPED;
        bool any = !shaped && vec3_length(def->m1) == 0.0; // then it goes with the frame of the shape
        CordVec3 t = edge_tangent(c, 0), t_rest = vec3_unit(vec3_sub(x[edge_end(c, 0)], x[0]));
        CordVec3 m1 = any ? frame_transport(vec3_any_normal(t), t, t_rest) : def->m1;
        CordVec3 first = own ? def->rest_m1 : def->m1_along ? def->m1_along[0] : m1;
        place_frames(g, rod, x, first, shaped && !own ? def->m1_along : NULL);
        *all = def->rest_twist + (shaped && def->m1_along ? 0.0 : closing_twist(g, rod));
        add_twist(g, rod, *all);
        measure_near(g, rod, *all, g->now.nodes.rest_m);
        CornerInput in = framed_input(&g->now, rod, 0.0);
        corner_kernels(CORNER_LAW_DER)->strains(&in, g->now.nodes.rest_A, g->now.nodes.rest_B);
    }
    memory_array_free(memory, x, c->node_count);
    return result;
}

// The only rest strain of a straight rod is its rest twist.
static void set_straight_rest(Framed* g, const Rod* rod, double twist)
{
    double length = total_bend_length(rod);
    for (int k = 0; k < inner_count(&rod->line); k++) {
        int i = inner_node(&rod->line, k);
        g->now.nodes.rest_m[slot_of(&rod->line, i)] = twist * rod_bend_length(rod, i) / length;
    }
}

#define LEAST_SEAM 1e-9 // [rad]: the round-off of frames that close

// A ring is glued as it is made, at whatever angle its frames meet: the seam is twisted by no more than its
// share. The rest shape was glued at another angle, if at all.
static void glue(Framed* g, const Rod* rod, double twist, double rest_twist)
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, 0);
    double part = rod_bend_length(rod, 0) / total_bend_length(rod), rest = rest_twist * part;
    double seam = n->m[s] - (twist - rest_twist) * part - rest;
    g->seam = fabs(seam) > LEAST_SEAM ? seam : 0.0;
    if (fabs(n->rest_m[s] - rest - g->seam) > LEAST_SEAM) {
        n->rest_m[s] = rest + g->seam;
    }
    if (n->glued) {
        n->glued[s] = g->seam;
    }
}

static void set_frames(Framed* g, const Rod* rod, const CordRodDef* def, double rest_twist, CordVec3* x)
{
    const CordCenterline* c = &rod->line;
    bool straight = def->rest == CORD_REST_STRAIGHT;
    for (int i = 0; i < c->node_count; i++) {
        x[i] = node_position(c, i);
    }
    place_frames(g, rod, x, def->m1, def->m1_along);
    double all = def->twist + (straight || def->m1_along ? 0.0 : closing_twist(g, rod));
    add_twist(g, rod, all);
    measure_near(g, rod, all, g->now.nodes.m);
    if (c->closed && (straight || !def->m1_along)) {
        glue(g, rod, all, rest_twist);
    }
}

// Converts the rest strains A and m, of which m contains the seam angle, to the strains of the CORDE or PBD
// law (the formulas of corner_corde.c and corner_pbd.c).
static void measure_turn(const Framed* g, int s, double seam)
{
    const CornerNodes* n = &g->now.nodes;
    double A[2] = {n->rest_A[0][s], n->rest_A[1][s]}, sine, cosine;
    cord_sin_cos(0.5 * (n->rest_m[s] - seam), &sine, &cosine);
    double S = sqrt(1.0 + 0.25 * (A[0] * A[0] + A[1] * A[1])); // p_4 is cosine / S
    double factor = g->law == CORNER_LAW_CORDE ? 2.0 * (1.0 / (S + cosine)) : 1.0 / cosine;
    n->rest_A[0][s] = factor * (cosine * A[0] + sine * A[1]);
    n->rest_A[1][s] = factor * (cosine * A[1] - sine * A[0]);
    n->rest_B[0][s] = 2.0 * factor * sine;
    n->rest_B[1][s] = 0.0;
    n->rest_m[s] = seam;
}

// The given strain is the bending angle in the halfway frame and the twist [rad]. A is the curvature of the
// halfway frame rotated by half the twist.
void framed_set_rest(Framed* g, const Rod* rod, int node, const double strain[3])
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    double angle = sqrt(strain[0] * strain[0] + strain[1] * strain[1]), sine, cosine, half_sine, half_cosine;
    double seam = node == 0 ? g->seam : 0.0;
    cord_sin_cos(0.5 * angle, &half_sine, &half_cosine);
    double factor = angle > 0.0 ? 2.0 * half_sine / (half_cosine * angle) : 1.0; // |kb| = 2 tan(angle / 2)
    double rho[2] = {factor * strain[0], factor * strain[1]};
    cord_sin_cos(0.5 * (strain[2] + seam), &sine, &cosine);
    n->rest_A[0][s] = cosine * rho[0] - sine * rho[1], n->rest_A[1][s] = sine * rho[0] + cosine * rho[1];
    n->rest_B[0][s] = cosine * rho[0] + sine * rho[1], n->rest_B[1][s] = cosine * rho[1] - sine * rho[0];
    n->rest_m[s] = strain[2] + seam;
    if (g->law != CORNER_LAW_DER) {
        measure_turn(g, s, seam);
    }
}

void framed_rest_strain(const Framed* g, const Rod* rod, int node, double strain[3])
{
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(&rod->line, node);
    double rho[2], angle, sine, cosine;
    if (g->law != CORNER_LAW_DER) {
        double a[3] = {n->rest_A[0][s], n->rest_A[1][s], n->rest_B[0][s]}; // about m2, -m1 and t
        double square = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / 16.0, w = (1.0 - square) / (1.0 + square);
        double factor = 0.25 * (1.0 + w);
        if (g->law == CORNER_LAW_PBD) { // p need not be a unit quaternion: only its angles are used
            w = 1.0, factor = 0.5;
        }
        double p[3] = {factor * a[0], factor * a[1], factor * a[2]};
        rho[0] = p[0], rho[1] = p[1];
        angle = 2.0 * cord_atan2(sqrt(p[0] * p[0] + p[1] * p[1]), sqrt(p[2] * p[2] + w * w));
        strain[2] = 2.0 * cord_atan2(p[2], w);
    } else {
        double A[2] = {n->rest_A[0][s], n->rest_A[1][s]};
        cord_sin_cos(0.5 * n->rest_m[s], &sine, &cosine);
        rho[0] = cosine * A[0] + sine * A[1], rho[1] = cosine * A[1] - sine * A[0];
        angle = 2.0 * cord_atan2(0.5 * sqrt(A[0] * A[0] + A[1] * A[1]), 1.0);
        strain[2] = n->rest_m[s] - (node == 0 ? g->seam : 0.0);
    }
    double length = sqrt(rho[0] * rho[0] + rho[1] * rho[1]), factor = length > 0.0 ? angle / length : 0.0;
    strain[0] = factor * rho[0], strain[1] = factor * rho[1];
}

static void finish_rest(Framed* g, const Rod* rod)
{
    const CordCenterline* c = &rod->line;
    for (int k = 0; k < inner_count(c) && g->law != CORNER_LAW_DER; k++) {
        int i = inner_node(c, k);
        measure_turn(g, slot_of(c, i), i == 0 ? g->seam : 0.0);
    }
    framed_wrap_rest(&g->now, c);
    framed_update_held(g, rod);
}

// The largest relative rotation between neighbouring edges that a rod may be created with. It leaves a margin
// to the rotation where the energy of the law becomes NaN: three eighths of a turn for CORDE, a factor of two
// in strain for PBD.
typedef struct TurnLimit {
    double most; // [rad]
    const char *model, *in_words;
} TurnLimit;

static const TurnLimit turn_limits[CORNER_LAW_COUNT] = {
    [CORNER_LAW_CORDE] = {CORD_PI, "corde", "half a turn"},
    [CORNER_LAW_PBD] = {0.875 * CORD_PI, "pbd", "7/16 of a turn"},
};

// The message gives the number of elements at which the largest twist would be admissible. It assumes uniform
// twist per length; a half edge at a clamped end counts as an element.
static CordResult fail_twisted(const Rod* rod, int node, double turn, const TurnLimit* limit,
                               Message* message)
{
    const CordCenterline* c = &rod->line;
    const int count = inner_count(c);
    double most = 0.0;
    for (int k = 0; k < count; k++) {
        most += rod_bend_length(rod, inner_node(c, k)) / rod_bend_length(rod, node);
    }
    double corners = floor(most * fabs(turn) / limit->most) + 1.0;
    return message_fail(message, CORD_BAD_ARGUMENT,
                        "rod '%s' is twisted by %g rad at node %d; an element of a %s rod holds less than "
                        "%s, %g rad: at least %.0f elements would hold it",
                        rod->name, turn, node, limit->model, limit->in_words, limit->most,
                        corners + (c->edge_count - count));
}

// Rotation angle 2 acos(p_4) of a twist m combined with bending by an angle of cosine c.
static double rotation_angle(double m, double c)
{
    double sine, cosine, fold = real_max(1.0 + c, 0.0);
    cord_sin_cos(0.5 * m, &sine, &cosine);
    return 2.0 * cord_atan2(sqrt(sine * sine * fold + (2.0 - fold)), cosine * sqrt(fold));
}

// Total rotation at a node, bending included, the larger of that at rest and now. The PBD strain has a pole
// at half a turn about any axis, so that bending counts too.
static double largest_rotation(const Framed* g, const Rod* rod, int node, double rest, double now)
{
    const CordCenterline* c = &rod->line;
    const CornerNodes* n = &g->now.nodes;
    int s = slot_of(c, node);
    // tan^2 of half the bending angle
    double at_rest = 0.25 * (n->rest_A[0][s] * n->rest_A[0][s] + n->rest_A[1][s] * n->rest_A[1][s]);
    double cosine =
        vec3_dot(edge_axis(g->now.edges.t, c, edge_before(c, node)), edge_axis(g->now.edges.t, c, node));
    return real_max(rotation_angle(rest, (1.0 - at_rest) / (1.0 + at_rest)), rotation_angle(now, cosine));
}

// Checks that the rotations at all corners, at rest and now, are within the limit of the law.
static CordResult check_turns(const Framed* g, const Rod* rod, Message* message)
{
    const CordCenterline* c = &rod->line;
    const TurnLimit* limit = &turn_limits[g->law];
    for (int k = 0; k < inner_count(c) && g->law != CORNER_LAW_DER; k++) {
        int i = inner_node(c, k), s = slot_of(c, i);
        double seam = i == 0 ? g->seam : 0.0, rest = g->now.nodes.rest_m[s] - seam,
               now = g->now.nodes.m[s] - seam;
        double twist = fabs(rest) > fabs(now) ? rest : now;
        if (!(fabs(twist) < limit->most)) {
            return fail_twisted(rod, i, twist, limit, message);
        }
        double turn = g->law == CORNER_LAW_PBD ? largest_rotation(g, rod, i, rest, now) : 0.0;
        if (!(turn < limit->most)) {
            return message_fail(
                message, CORD_BAD_ARGUMENT,
                "rod '%s' turns by %g rad at node %d; an element of a %s rod holds less than %s, "
                "%g rad: put more nodes where it turns",
                rod->name, turn, i, limit->model, limit->in_words, limit->most);
        }
    }
    return CORD_OK;
}

// Also of frames without inertia, which contact may give them before the first step.
static void set_spin(Framed* g, const Rod* rod, CordVec3 spin)
{
    const CordCenterline* c = &rod->line;
    bool spins = vec3_dot(spin, spin) > 0.0;
    for (int j = 0; spins && j < c->edge_count; j++) {
        g->spin[slot_of(c, j)] = vec3_dot(spin, edge_axis(g->now.edges.t, c, j));
    }
    centerline_wrap_one(c, g->spin);
}

Framed* framed_create(Memory* memory, const Rod* rod, const CordRodDef* def, CornerLaw law,
                      CordResult* result, Message* message)
{
    const CordCenterline* c = &rod->line;
    *result = def->dynamic_twist ? rod_check_spin_inertia(rod, message) : CORD_OK;
    if (*result != CORD_OK) {
        return NULL;
    }
    Framed* g = framed_alloc(memory, rod, law);
    CordVec3* x = memory_array(memory, CordVec3, c->node_count);
    *result = g && x ? CORD_OK : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
    double rest_twist = def->rest_twist;
    if (*result == CORD_OK) {
        framed_update_held(g, rod);
        if (def->rest == CORD_REST_STRAIGHT) {
            set_straight_rest(g, rod, def->rest_twist);
        } else {
            *result = set_rest(memory, g, rod, def, &rest_twist, message);
        }
    }
    if (*result == CORD_OK) {
        set_frames(g, rod, def, rest_twist, x);
        *result = check_turns(g, rod, message);
    }
    if (*result == CORD_OK && def->adapt.on && def->rest != CORD_REST_STRAIGHT && g->seam != 0.0) {
        *result = message_fail(message, CORD_NOT_SUPPORTED,
                               "rod '%s' is an adaptive ring that is curved at rest: it must be twisted by "
                               "whole turns, or not at all",
                               rod->name);
    }
    memory_array_free(memory, x, c->node_count);
    if (*result != CORD_OK) {
        framed_destroy(memory, g);
        return NULL;
    }
    finish_rest(g, rod);
    framed_follow(g, &g->now, rod, c->x);
    set_spin(g, rod, def->spin);
    return g;
}

CordResult framed_create_rod(Memory* memory, Rod* rod, const CordRodDef* def, CornerLaw law, Message* message)
{
    CordResult result;
    rod->form = MODEL_FRAMED;
    rod->data = framed_create(memory, rod, def, law, &result, message);
    return result;
}

Framed* framed_from_frames(Memory* memory, Rod* rod, const CordVec3* m1, const double* turn)
{
    const CordCenterline* c = &rod->line;
    Framed* g = framed_alloc(memory, rod, CORNER_LAW_DER);
    if (!g) {
        return NULL;
    }
    framed_update_held(g, rod);
    for (int j = 0; j < c->edge_count; j++) {
        slot_set(g->now.edges.t, slot_of(c, j), edge_tangent(c, j));
        slot_set(g->now.edges.m1, slot_of(c, j), m1[j]);
    }
    framed_wrap(&g->now, c);
    for (int k = 0; k < inner_count(c); k++) {
        int i = inner_node(c, k), s = slot_of(c, i);
        g->now.nodes.m[s] = frame_unwrap(angle_at(&g->now, c, i), turn[i]);
        // the frames of a ring meet at node 0 at an angle, its seam
        g->seam = i == 0 ? g->now.nodes.m[s] - turn[i] : g->seam;
        g->now.nodes.rest_m[s] = i == 0 ? g->seam : 0.0;
    }
    finish_rest(g, rod);
    framed_follow(g, &g->now, rod, c->x);
    return g;
}

double framed_stressed_turn(const Framed* g, const Rod* rod, int node)
{
    int s = slot_of(&rod->line, node);
    return g->now.nodes.m[s] - g->now.nodes.rest_m[s];
}
