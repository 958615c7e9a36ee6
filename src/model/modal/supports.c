// The supports of a modal rod, its rigid motions, and the carrier that moves with the supports.
#include "base/real.h"
#include "math/eigen_jacobi.h"
#include "model/modal/modal.h"
#include "rod/network.h"

#include <stdio.h>
#include <string.h>

static const CordVec3 axis_of_space[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// ---- from clamps

static void set_axes(CordVec3 axes[3], CordVec3 first) // orthonormal, from a unit vector
{
    axes[0] = first;
    axes[1] = vec3_any_normal(first);
    axes[2] = vec3_cross(first, axes[1]);
}

static CordVec3 tangent_at(const Rod* rod, int node) // rest tangent of the node's first edge
{
    const CordModal* m = modal_of(rod);
    const int* ends = modal_ends(rod);
    for (int j = 0; j < rod->line.edge_count; j++) {
        if (ends[2 * j] == node || ends[2 * j + 1] == node) {
            return vec3_unit(vec3_sub(m->rest[ends[2 * j + 1]], m->rest[ends[2 * j]]));
        }
    }
    return axis_of_space[0];
}

static Support support_from(const Rod* rod, const Clamp* clamp, int node)
{
    Support s = {.node = node};
    for (int k = 0; k < 3; k++) {
        s.axes[k] = s.axes[3 + k] = axis_of_space[k];
    }
    if (clamp->def.fix == CORD_FIX_FREEDOMS) {
        s.held = clamp->def.freedoms;
        return s;
    }
    s.held = CORD_HOLD_X | CORD_HOLD_Y | CORD_HOLD_Z;
    if (clamp->def.slides) {
        set_axes(s.axes, clamp->axis);
        s.held = CORD_HOLD_Y | CORD_HOLD_Z; // the second and third axis of the support
    }
    if (clamp->def.fix == CORD_FIX_FRAME) {
        s.held |= CORD_HOLD_TURN_X | CORD_HOLD_TURN_Y | CORD_HOLD_TURN_Z;
    } else if (clamp->def.fix == CORD_FIX_DIRECTION) {
        set_axes(s.axes + 3, tangent_at(rod, node));
        s.held |= CORD_HOLD_TURN_Y | CORD_HOLD_TURN_Z;
    }
    return s;
}

static bool is_same(const Support* a, const Support* b)
{
    return a->node == b->node && a->held == b->held && memcmp(a->axes, b->axes, sizeof a->axes) == 0;
}

static bool is_support(const Clamp* clamp)
{
    return clamp->holds && !clamp->def.guide;
}

const Clamp* supports_leader(const Rod* rod)
{
    for (int i = 0; i < rod->clamp_count; i++) {
        if (is_support(rod->clamps[i])) {
            return rod->clamps[i];
        }
    }
    return NULL;
}

// The modes belong to the present supports at their initial place. Once the rod has been stepped, supports
// may not be added, removed or replaced, because other supports would need other modes.
static CordResult check_unmoved(const Rod* rod, bool changed, Message* message)
{
    const CordModal* m = modal_of(rod);
    const Clamp* first = supports_leader(rod);
    bool moved = first && vec3_length(vec3_sub(first->point, m->origin)) > 0.0;
    return m->found && rod->stepped && (changed || moved)
               ? message_fail(
                     message, CORD_NOT_SUPPORTED,
                     "rod '%s' is modal: its supports cannot come, go or be made anew once it has moved",
                     rod->name)
               : CORD_OK;
}

CordResult supports_take(Memory* memory, Rod* rod, bool* changed, Message* message)
{
    CordModal* m = modal_of(rod);
    int count = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        count += is_support(rod->clamps[i]) ? rod->clamps[i]->node_count : 0;
    }
    Support* supports = memory_array(memory, Support, count);
    if (!supports) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for the supports of rod '%s'", rod->name);
    }
    *changed = count != m->support_count;
    count = 0;
    for (int i = 0; i < rod->clamp_count; i++) {
        for (int k = 0; is_support(rod->clamps[i]) && k < rod->clamps[i]->node_count; k++) {
            supports[count] = support_from(rod, rod->clamps[i], rod->clamps[i]->node[k]);
            *changed = *changed || !is_same(&supports[count], &m->supports[count]);
            count++;
        }
    }
    CordResult result = check_unmoved(rod, *changed, message);
    if (result != CORD_OK) { // the supports of the present modes stay
        memory_array_free(memory, supports, count);
        return result;
    }
    memory_array_free(memory, m->supports, m->support_count);
    m->supports = supports, m->support_count = count;
    return CORD_OK;
}

// ---- rigid motions

typedef struct Hold {     // supports of one connected component
    double gram[6][6];    // Gram matrix of the rigid motions (translation, rotation) in the held axes
    CordVec3 center;      // centroid of its nodes
    double size;          // length scale of rotations [m]
    int node, node_count; // first node, and number of nodes
} Hold;

static void add_row(Hold* hold, const double row[6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            hold->gram[i][j] += row[i] * row[j];
        }
    }
}

static void add_support(Hold* hold, const Support* s, CordVec3 x)
{
    CordVec3 arm = vec3_mul(vec3_sub(x, hold->center), 1.0 / hold->size);
    for (int k = 0; k < NODE_FREEDOMS; k++) {
        CordVec3 a = s->axes[k], turn = k < 3 ? vec3_cross(arm, a) : a;
        if (s->held >> k & 1) {
            add_row(hold,
                    (double[6]){k < 3 ? a.x : 0, k < 3 ? a.y : 0, k < 3 ? a.z : 0, turn.x, turn.y, turn.z});
        }
    }
}

// Eigenvalue of the Gram matrix below which a rigid motion is free. Each held degree of freedom contributes
// about 1; round-off is 1e-16, and a support at a millionth of the size from another gives 1e-12.
#define HARDLY_HELD 1e-10

static void name_motion(const double v[6], char* text, size_t size)
{
    double shift = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    bool turns = shift < 1.0 - 1e-6; // eigenvectors have unit length
    const double* a = turns ? v + 3 : v;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) {
        if (fabs(a[k]) > 0.999999 * length) {
            snprintf(text, size, "%s %c", turns ? "turn about" : "shift along", "xyz"[k]);
            return;
        }
    }
    snprintf(text, size, "%s (%.3g, %.3g, %.3g)", turns ? "turn about" : "shift along", a[0] / length,
             a[1] / length, a[2] / length);
}

static int free_motions(const Hold* hold, char* names, size_t size)
{
    double a[36], values[6], vectors[36];
    memcpy(a, hold->gram, sizeof a);
    eigen_jacobi(6, a, values, vectors);
    int count = 0;
    while (count < 6 && values[count] < HARDLY_HELD) {
        count++;
    }
    for (int k = 0; k < count && count < 6; k++) {
        double v[6];
        char one[64];
        for (int i = 0; i < 6; i++) {
            v[i] = vectors[6 * i + k];
        }
        name_motion(v, one, sizeof one);
        size_t used = strlen(names);
        snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (count == 6) {
        snprintf(names, size, "shift and turn in all directions");
    }
    return count;
}

static void find_places(const Rod* rod, const int* component, Hold* holds, int parts)
{
    const CordModal* m = modal_of(rod);
    for (int i = rod->line.node_count - 1; i >= 0; i--) {
        Hold* h = &holds[component[i]];
        h->center = vec3_add(h->center, m->rest[i]);
        h->node = i;
        h->node_count++;
    }
    for (int p = 0; p < parts; p++) {
        holds[p].center = vec3_mul(holds[p].center, 1.0 / holds[p].node_count);
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        Hold* h = &holds[component[i]];
        h->size = real_max(h->size, vec3_length(vec3_sub(m->rest[i], h->center)));
    }
}

CordResult supports_free(Memory* memory, const Rod* rod, int* count, char* names, size_t size,
                         Message* message)
{
    const CordModal* m = modal_of(rod);
    int n = rod->line.node_count, parts = 0;
    int* component = memory_array(memory, int, n);
    parts = component ? network_components(modal_ends(rod), rod->line.edge_count, n, component) : 0;
    Hold* holds = component ? memory_array(memory, Hold, parts) : NULL;
    if (!holds) {
        memory_array_free(memory, component, n);
        return message_fail(message, CORD_NO_MEMORY, "no memory for the supports of rod '%s'", rod->name);
    }
    find_places(rod, component, holds, parts);
    for (int i = 0; i < m->support_count; i++) {
        int node = m->supports[i].node;
        add_support(&holds[component[node]], &m->supports[i], m->rest[node]);
    }
    *count = 0;
    names[0] = '\0';
    for (int p = 0; p < parts; p++) {
        char motions[256] = "";
        int free_here = free_motions(&holds[p], motions, sizeof motions);
        if (free_here > 0 && *count == 0 && parts > 1) {
            snprintf(names, size, "of its %d parts, the one of %d nodes with node %d is free to: %s", parts,
                     holds[p].node_count, holds[p].node, motions);
        } else if (free_here > 0 && *count == 0) {
            snprintf(names, size, "it is free to: %s", motions);
        }
        *count += free_here;
    }
    memory_array_free(memory, component, n);
    memory_array_free(memory, holds, parts);
    return CORD_OK;
}

// ---- the carrier

// Fraction of the step over which the velocity of the supports is measured, at its start or end, so that
// velocity jumps are seen in full.
#define INSTANT 1e-3

Pose carrier_pose(const Rod* rod, double time)
{
    const Clamp* clamp = supports_leader(rod);
    return clamp ? clamp_pose(clamp, time) : (Pose){modal_of(rod)->origin, quat_identity()};
}

static Carrier carrier_between(Pose here, Pose from, Pose to, double dt)
{
    CordQuat middle = quat_conjugate(pose_interpolate(from, to, 0.5).rotation);
    CordVec3 v = vec3_mul(vec3_sub(to.point, from.point), 1.0 / dt);
    CordVec3 spin = vec3_mul(pose_rotation_vector(from, to), 1.0 / dt);
    return (Carrier){here, quat_rotate(middle, v), quat_rotate(middle, spin)};
}

Carrier carrier_at(const Rod* rod, double time, double h)
{
    Pose here = carrier_pose(rod, time), earlier = carrier_pose(rod, time - INSTANT * h);
    return carrier_between(here, earlier, here, INSTANT * h);
}

Carrier carrier_from(const Rod* rod, double time, double h)
{
    Pose here = carrier_pose(rod, time), later = carrier_pose(rod, time + INSTANT * h);
    return carrier_between(here, here, later, INSTANT * h);
}

bool carrier_rests(const Carrier* c)
{
    return vec3_dot(c->velocity, c->velocity) + vec3_dot(c->spin, c->spin) == 0.0;
}

static bool is_still(const Clamp* clamp) // at rest at all times
{
    CordVec3 d = clamp->drive_offset;
    CordQuat q = clamp->drive_rotation;
    return clamp->def.motion_count == 0 && !clamp->interpolates && d.x == 0.0 && d.y == 0.0 && d.z == 0.0 &&
           q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
}

CordResult carrier_check(const Rod* rod, double time, Message* message)
{
    const Clamp* first = supports_leader(rod);
    Pose pose = carrier_pose(rod, time);
    bool still = first && is_still(first);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        if (!is_support(clamp) || clamp == first || (still && is_still(clamp))) {
            continue;
        }
        Pose other = clamp_pose(clamp, time);
        CordVec3 due = vec3_add(pose.point, quat_rotate(pose.rotation, vec3_sub(clamp->point, first->point)));
        double off = vec3_length(vec3_sub(other.point, due)),
               turned = vec3_length(pose_rotation_vector(pose, other));
        bool there = off <= 1e-6 * rod->length;
        if (!there || turned > 1e-6) {
            return message_fail(
                message, CORD_NOT_SUPPORTED,
                "the supports of rod '%s' do not move as one: at t = %g s the clamp of node "
                "%d is off by %.3g %s from where that of node %d would carry it; a modal rod needs "
                "one motion for all of its clamps, with one centre",
                rod->name, time, clamp->node[0], there ? turned : off, there ? "rad" : "m", first->node[0]);
        }
    }
    return CORD_OK;
}
