#include "step/modal_contact.h"

#include "base/real.h"

#include <string.h>

#define MOST_ITERATIONS 12         // iterations of contact search and force solve
#define TOLERANCE 1e-4             // motion of contacts over the radius in the last iteration
#define MOST_FRICTION_ITERATIONS 8 // fixed-point iterations between normal forces and friction limits
#define JAM 2.0                    // largest normal force for friction, over that without friction
#define FRICTION_TOLERANCE 1e-3    // change of friction limits over the largest normal force, at convergence
#define DAMPED_AFTER 4             // iterations after which the next one starts from half of the step
#define TANGENT_COMPLIANCE 1e-4    // tangential over normal compliance: sticking contacts creep by so much
// Compliance of the modes over the residual flexibility, below which supports hold a point.
#define HELD 1e-3
#define DEEPEST 1.0        // largest penetration that is corrected at once, over the rod length
#define MOST_RECOVERY 0.05 // penetration that a step may recover, over the radius

// ---- memory

bool modal_contact_make(Memory* m, ModalContact* t, Rod* rod, int index)
{
    const CordCenterline* c = &rod->line;
    t->rod = rod, t->index = index, t->node_count = c->node_count;
    t->node_radius = memory_array(m, double, c->node_count);
    t->node_edge = memory_array(m, int, c->node_count);
    t->force = memory_array(m, CordVec3, c->node_count);
    if (!t->node_radius || !t->node_edge || !t->force || !colliders_add_rod(m, &t->colliders, rod, index)) {
        return false;
    }
    t->colliders.rods_pass = true;
    for (int j = c->edge_count - 1; j >= 0; j--) {
        double radius = rod_radius_at(rod, j);
        for (int end = 0; end < 2; end++) {
            int node = end == 0 ? edge_start(c, j) : edge_end(c, j);
            t->node_edge[node] = j;
            t->node_radius[node] = real_max(t->node_radius[node], radius);
        }
        t->colliders.reach = real_max(t->colliders.reach, radius);
    }
    return true;
}

typedef struct Scratch {
    double *free, *scale, *y, *from, *force, *relax; // (modes) each; `relax` is scratch of the springs
} Scratch;

#define SCRATCH_ARRAYS 5

static Scratch scratch_of(const ModalContact* t)
{
    double* a = t->room;
    int n = t->modes;
    return (Scratch){a, a + n, a + 2 * n, a + 3 * n, a + 4 * n, a + SCRATCH_ARRAYS * n};
}

bool modal_contact_reserve(Memory* m, ModalContact* t)
{
    int n = modal_of(t->rod)->count, need = SCRATCH_ARRAYS * n + springs_room(n);
    if (n != t->modes) {
        t->warm.count = 0;
        memset(t->force, 0, sizeof *t->force * (size_t)t->node_count);
    }
    t->modes = n;
    return memory_reserve(m, (void**)&t->room, need, &t->room_count, sizeof(double)) &&
           arena_reserve(m, &t->scratch, modal_scratch(t->rod));
}

static void free_points(Memory* m, ModalPoints* points)
{
    memory_array_free(m, points->all, points->capacity);
}

void modal_contact_free(Memory* m, ModalContact* t)
{
    free_points(m, &t->points);
    free_points(m, &t->before);
    free_points(m, &t->warm);
    colliders_free(m, &t->colliders);
    arena_free(m, &t->scratch);
    memory_array_free(m, t->node_radius, t->node_count);
    memory_array_free(m, t->node_edge, t->node_count);
    memory_array_free(m, t->force, t->node_count);
    memory_array_free(m, t->springs, t->spring_capacity);
    memory_array_free(m, t->rows, t->row_capacity);
    memory_array_free(m, t->room, t->room_count);
    *t = (ModalContact){0};
}

static bool copy_points(Memory* m, const ModalPoints* from, ModalPoints* to)
{
    if (!memory_reserve(m, (void**)&to->all, from->count, &to->capacity, sizeof(ModalPoint))) {
        return false;
    }
    if (from->count > 0) {
        memcpy(to->all, from->all, sizeof(ModalPoint) * (size_t)from->count);
    }
    to->count = from->count;
    return true;
}

static bool reserve_rows(Memory* m, ModalContact* t)
{
    return memory_reserve(m, (void**)&t->springs, t->points.count, &t->spring_capacity, sizeof(Spring)) &&
           memory_reserve(m, (void**)&t->rows, 3 * t->points.count * t->modes, &t->row_capacity,
                          sizeof(double));
}

// ---- Jacobians of contact points

// Adds a share of dx/dq of a node, in world axes, to three rows.
static void add_rows(const ModalContact* t, const ModalState* s, int node, double share, double* rows)
{
    const CordModal* m = modal_of(t->rod);
    int n = t->modes;
    CordVec3 u, w;
    modal_node(t->rod, s->q, node, &u, &w);
    Warp warp = warp_of(m->def.linear ? (CordVec3){0, 0, 0} : w);
    for (int k = 0; k < n; k++) {
        const double* phi = m->shape + ((size_t)k * (size_t)t->node_count + (size_t)node) * NODE_FREEDOMS;
        CordVec3 move = {phi[0], phi[1], phi[2]};
        if (!m->def.linear) {
            move = warp_velocity(&warp, u, (CordVec3){phi[3], phi[4], phi[5]}, move);
        }
        CordVec3 d = vec3_mul(quat_rotate(s->carrier.pose.rotation, move), share);
        rows[k] += d.x, rows[n + k] += d.y, rows[2 * n + k] += d.z;
    }
}

static void set_rows(const ModalContact* t, const ModalPoint* p, double* rows)
{
    const int* node = t->colliders.segments[p->edge].node;
    memset(rows, 0, sizeof(double) * 3 * (size_t)t->modes);
    for (int end = 0; end < 2; end++) {
        double share = end == 0 ? 1.0 - p->at : p->at;
        if (share > 0.0) {
            add_rows(t, &modal_of(t->rod)->next, node[end], share, rows);
        }
    }
}

static double* rows_of(const ModalContact* t, int point)
{
    return t->rows + (size_t)point * 3 * (size_t)t->modes;
}

static Springs springs_of(const ModalContact* t, const double* scale, int count)
{
    return (Springs){t->springs, t->rows, scale, count, t->modes, scratch_of(t).relax};
}

// Residual flexibility of the truncated modes in a step of h. Their terms phi^2 / omega^2 decrease from the
// last kept mode on; at the rate of bending modes, omega ~ k^2, their sum is a third of the mode count times
// the last term.
static double residual_flexibility(const ModalContact* t, double h)
{
    const CordModal* m = modal_of(t->rod);
    double last = m->omega2[m->count - 1], share = m->count / (3.0 * rod_mass(t->rod));
    return share * real_min(0.5 * h * h, 1.0 / last);
}

// The friction limit, in the direction of the last friction force or else against the slip.
static double friction_limit(const ModalContact* t, const ModalPoint* p, double push)
{
    if (p->grip.shape.even) {
        return p->grip.mu * push;
    }
    const int* node = t->colliders.segments[p->edge].node;
    CordVec3 axis[2] = {vec3_unit(vec3_sub(t->colliders.to[node[1]], t->colliders.to[node[0]]))};
    CordVec3 e = vec3_length(p->friction) > 0.0 ? p->friction : vec3_mul(p->slip, -1.0);
    return vec3_length(e) > 0.0
               ? p->grip.mu * push * friction_anisotropy(axis, &p->grip.shape, 1, vec3_unit(e))
               : 0.0;
}

static void add_to_modes(const ModalContact* t, int point, CordVec3 f, double* force)
{
    int n = t->modes;
    const double* row = rows_of(t, point);
    for (int k = 0; k < n; k++) {
        force[k] += row[k] * f.x + row[n + k] * f.y + row[2 * n + k] * f.z;
    }
}

// ---- contact forces during the step

static void copy_positions(const ModalContact* t)
{
    const CordCenterline* c = &t->rod->line;
    for (int i = 0; i < t->node_count; i++) {
        t->colliders.to[i] = slot_get(c->x_next, slot_of(c, i));
    }
}

static void place(ModalContact* t) // updates positions from the amplitudes at the end of the step
{
    modal_place(t->rod, &modal_of(t->rod)->next, t->rod->line.x_next);
    copy_positions(t);
}

static void place_at(ModalContact* t, const double* y)
{
    ModalState* next = &modal_of(t->rod)->next;
    Scratch r = scratch_of(t);
    for (int k = 0; k < t->modes; k++) {
        next->q[k] = r.free[k] + r.scale[k] * y[k];
    }
    place(t);
}

// Compliance of a contact point along its normal: with the scale of a force in the step [m/N], or with scale
// 1 of an impulse [1/kg].
static double normal_compliance(const ModalContact* t, const double* rows, CordVec3 n, const double* scale)
{
    int modes = t->modes;
    double sum = 0.0;
    for (int k = 0; k < modes; k++) {
        double a = scale[k] * (rows[k] * n.x + rows[modes + k] * n.y + rows[2 * modes + k] * n.z);
        sum += a * a;
    }
    return sum;
}

// Computes the Jacobians of all points. Drops points that supports hold, because no force on them moves a
// mode.
static void find_rows(ModalContact* t, double compliance)
{
    Scratch r = scratch_of(t);
    int kept = 0;
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        double* rows = rows_of(t, kept);
        set_rows(t, p, rows);
        if (normal_compliance(t, rows, p->n, r.scale) > HELD * compliance) {
            t->points.all[kept++] = *p;
        }
    }
    t->points.count = kept;
}

// Velocity of a contact's point on the solid, at the start of the step [m/s].
static CordVec3 velocity_before(const ModalContact* t, const ModalPoint* p, double h)
{
    const int* node = t->colliders.segments[p->edge].node;
    CordVec3 a = modal_node_velocity(t->rod, node[0]), b = modal_node_velocity(t->rod, node[1]);
    return vec3_madd(vec3_madd(vec3_mul(a, 1.0 - p->at), b, p->at), p->carried, -1.0 / h);
}

// The law of a contact, with static or kinetic friction by the slip at the start of the step.
static void set_grip(const ModalContact* t, ModalPoint* p, const SurfaceLaws* laws, double h)
{
    ContactPoint contact = {.key = {p->edge, p->key.b, 0, 0}, .kind = CONTACT_SOLID, .s = p->at};
    p->grip = surface_pair_law(laws, contact_point_surfaces(&t->colliders, &contact));
    if (p->grip.mu != p->grip.mu_kinetic) {
        p->grip.mu = friction_coefficient(laws, &p->grip, p->n, velocity_before(t, p, h));
    }
}

// Linearises all contacts at the unknowns `from`.
static void set_springs(ModalContact* t, const StepInfo* step, const SurfaceLaws* law)
{
    Scratch r = scratch_of(t);
    double compliance = residual_flexibility(t, step->h), deepest = DEEPEST * t->rod->length;
    find_rows(t, compliance);
    Springs s = springs_of(t, r.scale, t->points.count);
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        set_grip(t, p, law, step->h);
        t->springs[i] = (Spring){
            .n = p->n, .compliance = compliance, .compliance_across = TANGENT_COMPLIANCE * compliance};
        CordVec3 moved = springs_move(&s, i, r.from); // `at` is still zero
        t->springs[i].at = vec3_sub(vec3_madd(p->slip, p->n, real_max(p->gap, -deepest)), moved);
    }
}

// Reads the contact forces from the springs at y.
static void read_forces(ModalContact* t, const Springs* s, const double* y)
{
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        CordVec3 f = springs_force(&s->all[i], springs_move(s, i, y), &p->slides);
        p->push = real_max(vec3_dot(f, p->n), 0.0);
        p->friction = vec3_reject(f, p->n);
    }
}

// Updates the friction limits. Returns their largest change over the largest normal force.
static double set_limits(ModalContact* t)
{
    double most = 0.0, change = 0.0;
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        double limit = friction_limit(t, p, real_min(p->push, JAM * p->alone));
        most = real_max(most, p->push);
        change = real_max(change, fabs(limit - t->springs[i].most));
        t->springs[i].most = limit;
    }
    return most > 0.0 ? change / most : 0.0;
}

// Solves for normal forces and friction by fixed-point iteration, starting without friction. With few modes
// two contacts may jam: the friction of each presses on the other, and the forces would grow without bound.
// Therefore the friction limit uses at most a multiple of the normal force without friction.
static void relax(ModalContact* t, const Springs* s, double* y)
{
    for (int turn = 0; turn < MOST_FRICTION_ITERATIONS; turn++) {
        springs_relax(s, y);
        read_forces(t, s, y);
        for (int i = 0; i < t->points.count && turn == 0; i++) {
            t->points.all[i].alone = t->points.all[i].push;
        }
        if (set_limits(t) <= FRICTION_TOLERANCE) {
            break;
        }
    }
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        double size = vec3_length(p->friction), most = t->springs[i].most;
        p->friction = size > most ? vec3_mul(p->friction, most / size) : p->friction;
    }
}

// Largest motion of a contact between two states, over its radius.
static double largest_motion(const ModalContact* t, const Springs* s, const double* from, const double* to)
{
    double most = 0.0;
    for (int i = 0; i < t->points.count; i++) {
        CordVec3 by = vec3_sub(springs_move(s, i, to), springs_move(s, i, from));
        most = real_max(most, vec3_length(by) / t->points.all[i].radius);
    }
    return most;
}

static void swap_points(ModalContact* t)
{
    ModalPoints kept = t->before;
    t->before = t->points, t->points = kept;
}

// Iterates contact search and force solve until the contacts stop moving. Leaves the active points
// and the unknowns y. False: no memory.
static bool solve_contacts(Memory* m, ModalContact* t, const StepInfo* step, const SurfaceLaws* law)
{
    Scratch r = scratch_of(t);
    size_t size = sizeof(double) * (size_t)t->modes;
    memset(r.y, 0, size);
    memset(r.from, 0, size);
    t->left = 0.0;
    for (t->rounds = 0;;) {
        if (!modal_narrow_phase(m, t, t->rounds > 0) || !reserve_rows(m, t)) {
            return false;
        }
        if (t->rounds == 0 && t->points.count == 0) {
            return true;
        }
        set_springs(t, step, law);
        Springs s = springs_of(t, r.scale, t->points.count);
        relax(t, &s, r.y);
        t->left = largest_motion(t, &s, r.from, r.y);
        t->rounds++;
        if (t->left <= TOLERANCE || t->rounds == MOST_ITERATIONS) {
            return true;
        }
        for (int k = 0; k < t->modes; k++) {
            r.from[k] = t->rounds < DAMPED_AFTER ? r.y[k] : 0.5 * (r.from[k] + r.y[k]);
        }
        place_at(t, r.from);
        swap_points(t);
    }
}

// ---- impulses at the end of the step

static CordVec3 axis_point(const ModalContact* t, const ModalPoint* p)
{
    const int* node = t->colliders.segments[p->edge].node;
    return vec3_madd(vec3_mul(t->colliders.to[node[0]], 1.0 - p->at), t->colliders.to[node[1]], p->at);
}

// Velocity of the rod relative to the solid, from modal rates and the motion of the supports.
static CordVec3 velocity_of(const ModalContact* t, int point, double h)
{
    const ModalState* s = &modal_of(t->rod)->next;
    const ModalPoint* p = &t->points.all[point];
    const double* row = rows_of(t, point);
    double v[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < t->modes; k++) {
            v[c] += row[c * t->modes + k] * s->rate[k];
        }
    }
    CordVec3 arm = modal_inward(&s->carrier, vec3_sub(axis_point(t, p), s->carrier.pose.point));
    CordVec3 with = vec3_add(s->carrier.velocity, vec3_cross(s->carrier.spin, arm));
    CordVec3 sum = vec3_add((CordVec3){v[0], v[1], v[2]}, quat_rotate(s->carrier.pose.rotation, with));
    return vec3_madd(sum, p->carried, -1.0 / h);
}

static void drop_inactive(ModalPoints* points)
{
    int kept = 0;
    for (int i = 0; i < points->count; i++) {
        if (points->all[i].push > 0.0) {
            points->all[kept++] = points->all[i];
        }
    }
    points->count = kept;
}

// Stops the active contacts by impulses at the end of the step. They take back part of the contact forces,
// never pull in total, and have the same relative compliance. Writes the change of the rates into `change`.
static void stop_contacts(ModalContact* t, double h, double* change)
{
    Scratch r = scratch_of(t);
    size_t size = sizeof(double) * (size_t)t->modes;
    double *ones = r.free, in_step = residual_flexibility(t, h); // the free amplitudes are no longer needed
    for (int k = 0; k < t->modes; k++) {
        ones[k] = 1.0;
    }
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        double* rows = rows_of(t, i);
        set_rows(t, p, rows);
        double compliance =
            in_step * normal_compliance(t, rows, p->n, ones) / normal_compliance(t, rows, p->n, r.scale);
        t->springs[i] = (Spring){
            .n = p->n, .compliance = compliance, .compliance_across = TANGENT_COMPLIANCE * compliance};
        t->springs[i].at = velocity_of(t, i, h);
        t->springs[i].had = vec3_mul(vec3_madd(p->friction, p->n, p->push), h);
    }
    Springs s = springs_of(t, ones, t->points.count);
    memset(r.y, 0, size);
    relax(t, &s, r.y);
    memset(change, 0, size);
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i]; // still impulses
        add_to_modes(t, i, vec3_sub(vec3_madd(p->friction, p->n, p->push), t->springs[i].had), change);
        p->push /= h, p->friction = vec3_mul(p->friction, 1.0 / h);
    }
}

// ---- the step

// Projects all contact forces on the modes.
static void forces_on_modes(const ModalContact* t, double* force)
{
    memset(force, 0, sizeof(double) * (size_t)t->modes);
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        add_to_modes(t, i, vec3_madd(p->friction, p->n, p->push), force);
    }
}

// Limits the work of contact. A constant force does the work F (q1 - q0) on the oscillators. Obstacles may do
// no more than their own motion allows, plus the recovery of earlier penetration. If the contact search did
// not converge, forces that would do more are scaled down together. (If it did converge, forces may appear to
// do more, because modes rotate in a long step.)
static void limit_work(ModalContact* t, double* force)
{
    const CordModal* m = modal_of(t->rod);
    Scratch r = scratch_of(t);
    double allowed = 0.0, along = 0.0, against = 0.0;
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        allowed += real_max(vec3_dot(vec3_madd(p->friction, p->n, p->push), p->carried), 0.0);
        allowed += p->push * real_min(real_max(-p->gap_before, 0.0), MOST_RECOVERY * p->radius);
    }
    for (int k = 0; k < t->modes; k++) {
        along += force[k] * (r.free[k] - m->now.q[k]);
        against += force[k] * m->step[k].qf * force[k];
    }
    if (along + against <= allowed) {
        return;
    }
    double share = real_max((allowed - along) / against, 0.0);
    for (int k = 0; k < t->modes; k++) {
        force[k] *= share;
    }
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        p->push *= share, p->friction = vec3_mul(p->friction, share);
    }
}

static void update_gaps(ModalContact* t, const double* force)
{
    Scratch r = scratch_of(t);
    Springs s = springs_of(t, r.scale, t->points.count);
    for (int k = 0; k < t->modes; k++) {
        r.y[k] = r.scale[k] * force[k];
    }
    for (int i = 0; i < t->points.count; i++) {
        t->points.all[i].gap = vec3_dot(springs_move(&s, i, r.y), t->points.all[i].n);
    }
}

// Sets the contact points, midway between the surfaces.
static void place_points(const ModalContact* t)
{
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        p->place = vec3_madd(axis_point(t, p), p->n, -(p->radius + 0.5 * p->gap));
    }
}

bool modal_contact_respond(Memory* m, ModalContact* t, const StepInfo* step, const SurfaceLaws* friction)
{
    CordModal* modal = modal_of(t->rod);
    ModalState* next = &modal->next;
    Scratch r = scratch_of(t);
    colliders_begin_step(&t->colliders);
    colliders_move_solids(&t->colliders, 1.0);
    copy_positions(t);
    for (int k = 0; k < t->modes; k++) {
        r.free[k] = next->q[k];
        r.scale[k] = sqrt(real_max(modal->step[k].qf, 0.0));
    }
    if (!copy_points(m, &t->warm, &t->before) || !solve_contacts(m, t, step, friction)) {
        return false;
    }
    if (t->points.count == 0) {
        return true;
    }
    forces_on_modes(t, r.force);
    if (t->left > MODAL_LOOSE) {
        limit_work(t, r.force);
    }
    memcpy(next->q, r.free, sizeof(double) * (size_t)t->modes);
    modal_push(t->rod, step, r.force, &t->scratch);
    update_gaps(t, r.force);
    place(t);
    drop_inactive(&t->points);
    stop_contacts(t, step->h, r.from);
    drop_inactive(&t->points);
    place_points(t);
    for (int k = 0; k < t->modes; k++) {
        next->rate[k] += r.from[k];
        next->force[k] += r.from[k] / step->h;
        next->extra[k] += r.from[k] / step->h;
    }
    return true;
}

static void sum_forces(ModalContact* t)
{
    memset(t->force, 0, sizeof *t->force * (size_t)t->node_count);
    for (int i = 0; i < t->warm.count; i++) {
        const ModalPoint* p = &t->warm.all[i];
        const int* node = t->colliders.segments[p->edge].node;
        CordVec3 f = vec3_madd(p->friction, p->n, p->push);
        t->force[node[0]] = vec3_madd(t->force[node[0]], f, 1.0 - p->at);
        t->force[node[1]] = vec3_madd(t->force[node[1]], f, p->at);
    }
}

bool modal_contact_reserve_end(Memory* m, ModalContact* t)
{
    return memory_reserve(m, (void**)&t->warm.all, t->points.count, &t->warm.capacity, sizeof *t->warm.all);
}

void modal_contact_commit(Memory* m, ModalContact* t)
{
    copy_points(m, &t->points, &t->warm); // cannot fail: memory was reserved
    sum_forces(t);
}

// ---- output

CordContact modal_contact_describe(const ModalContact* t, const ModalPoint* p)
{
    return (CordContact){.rod = t->index,
                         .edge = p->edge,
                         .at = p->at,
                         .kind = CORD_TOUCH_OBSTACLE,
                         .other = t->colliders.solids[p->key.b].index,
                         .point = p->place,
                         .normal = p->n,
                         .gap = p->gap,
                         .push = p->push,
                         .friction = p->friction,
                         .slides = p->slides};
}

static void visit_point(ModalPoint* p, Bytes* b)
{
    int* key[] = {&p->key.a, &p->key.b, &p->key.feature, &p->key.part, &p->edge};
    for (int i = 0; i < 5; i++) {
        bytes_int(b, key[i]);
    }
    bytes_double(b, &p->at);
    bytes_double(b, &p->radius);
    bytes_doubles(b, &p->n.x, 3);
    bytes_double(b, &p->gap);
    bytes_doubles(b, &p->place.x, 3);
    bytes_double(b, &p->push);
    bytes_doubles(b, &p->friction.x, 3);
    bytes_bool(b, &p->slides);
}

static bool point_fits(const ModalContact* t, const ModalPoint* p)
{
    return p->edge >= 0 && p->edge < t->colliders.segment_count && p->key.b >= 0 &&
           p->key.b < t->colliders.solid_count;
}

void modal_contact_state(Memory* m, ModalContact* t, Bytes* b)
{
    int count = t->warm.count;
    bytes_int(b, &count);
    if (b->mode == BYTES_READ) {
        // each point takes more than one double
        b->failed |= count < 0 || (size_t)count > b->size / sizeof(double);
        b->failed = b->failed ||
                    !memory_reserve(m, (void**)&t->warm.all, count, &t->warm.capacity, sizeof(ModalPoint));
        t->warm.count = b->failed ? 0 : count;
    }
    for (int i = 0; i < t->warm.count && !b->failed; i++) {
        visit_point(&t->warm.all[i], b);
        b->failed |= !point_fits(t, &t->warm.all[i]);
    }
    if (b->mode == BYTES_READ) {
        t->warm.count = b->failed ? 0 : t->warm.count;
        sum_forces(t);
    }
}
