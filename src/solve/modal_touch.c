#include "solve/modal_touch.h"

#include "base/real.h"

#include <string.h>

#define MOST_ROUNDS 12   // of looking where all is, and pushing
#define ENOUGH 1e-4      // of a radius: by which a round may move what touches, for it to be the last
#define MOST_TURNS 8     // of pushes and friction, which go with each other
#define JAM 2.0          // times the push without friction, that friction goes by at the most
#define STEADY 1e-3      // of the largest push: by which friction may change in the last of them
#define HALF_WAY 4       // rounds after which the next one looks from half of the way
#define GIVE_ACROSS 1e-4 // of what contacts give way by: what sticks creeps by so much in each step
// of what modes left out would let a point give way by: if those that there are do less, supports hold it
#define HELD 1e-3
#define DEEPEST 1.0 // of the rod's length: nothing is pushed by more at once
#define LET_GO 0.05 // of a radius: by which a penetration may go back in a step

// ---- memory

bool modal_touch_make(Memory* m, ModalTouch* t, Rod* rod, int index)
{
    const CordCenterline* c = &rod->line;
    t->rod = rod, t->index = index, t->node_count = c->node_count;
    t->node_radius = memory_array(m, double, c->node_count);
    t->node_edge = memory_array(m, int, c->node_count);
    t->force = memory_array(m, CordVec3, c->node_count);
    if (!t->node_radius || !t->node_edge || !t->force || !stage_add_rod(m, &t->stage, rod, index)) {
        return false;
    }
    t->stage.rods_pass = true;
    for (int j = c->edge_count - 1; j >= 0; j--) {
        double radius = rod_radius_at(rod, j);
        for (int end = 0; end < 2; end++) {
            int node = end == 0 ? edge_start(c, j) : edge_end(c, j);
            t->node_edge[node] = j;
            t->node_radius[node] = real_max(t->node_radius[node], radius);
        }
        t->stage.reach = real_max(t->stage.reach, radius);
    }
    return true;
}

typedef struct Room {
    double *free, *scale, *y, *from, *force, *relax; // (modes) each, the last for springs
} Room;

#define ROOM_ARRAYS 5

static Room room_of(const ModalTouch* t)
{
    double* a = t->room;
    int n = t->modes;
    return (Room){a, a + n, a + 2 * n, a + 3 * n, a + 4 * n, a + ROOM_ARRAYS * n};
}

bool modal_touch_reserve(Memory* m, ModalTouch* t)
{
    int n = modal_of(t->rod)->count, need = ROOM_ARRAYS * n + springs_room(n);
    if (n != t->modes) {
        t->kept.count = 0;
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

void modal_touch_free(Memory* m, ModalTouch* t)
{
    free_points(m, &t->points);
    free_points(m, &t->before);
    free_points(m, &t->kept);
    stage_free(m, &t->stage);
    arena_free(m, &t->scratch);
    memory_array_free(m, t->node_radius, t->node_count);
    memory_array_free(m, t->node_edge, t->node_count);
    memory_array_free(m, t->force, t->node_count);
    memory_array_free(m, t->springs, t->spring_capacity);
    memory_array_free(m, t->rows, t->row_capacity);
    memory_array_free(m, t->room, t->room_count);
    *t = (ModalTouch){0};
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

static bool reserve_rows(Memory* m, ModalTouch* t)
{
    return memory_reserve(m, (void**)&t->springs, t->points.count, &t->spring_capacity, sizeof(Spring)) &&
           memory_reserve(m, (void**)&t->rows, 3 * t->points.count * t->modes, &t->row_capacity,
                          sizeof(double));
}

// ---- how points go with the modes

// dx/dq of a node at the amplitudes q, in space: a share of it is added to three rows.
static void add_rows(const ModalTouch* t, const ModalState* s, int node, double share, double* rows)
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

static void set_rows(const ModalTouch* t, const ModalPoint* p, double* rows)
{
    const int* node = t->stage.segments[p->edge].node;
    memset(rows, 0, sizeof(double) * 3 * (size_t)t->modes);
    for (int end = 0; end < 2; end++) {
        double share = end == 0 ? 1.0 - p->at : p->at;
        if (share > 0.0) {
            add_rows(t, &modal_of(t->rod)->next, node[end], share, rows);
        }
    }
}

static double* rows_of(const ModalTouch* t, int point)
{
    return t->rows + (size_t)point * 3 * (size_t)t->modes;
}

static Springs springs_of(const ModalTouch* t, const double* scale, int count)
{
    return (Springs){t->springs, t->rows, scale, count, t->modes, room_of(t).relax};
}

// Of the modes that were left out, in a step of h. Their terms phi^2 / omega^2 fall off from the last one
// that was not: by as many as there are modes, at the rate of bending, a third of them counts.
static double give_of(const ModalTouch* t, double h)
{
    const CordModal* m = modal_of(t->rod);
    double last = m->omega2[m->count - 1], share = m->count / (3.0 * rod_mass(t->rod));
    return share * real_min(0.5 * h * h, 1.0 / last);
}

// What friction is at the most, in the direction that it had or else against the slip.
static double friction_limit(const ModalTouch* t, const ModalPoint* p, double push)
{
    if (p->grip.across[0] == 1.0) {
        return p->grip.mu * push;
    }
    const int* node = t->stage.segments[p->edge].node;
    CordVec3 axis[2] = {vec3_unit(vec3_sub(t->stage.to[node[1]], t->stage.to[node[0]]))};
    CordVec3 e = vec3_length(p->friction) > 0.0 ? p->friction : p->slip;
    return vec3_length(e) > 0.0 ? p->grip.mu * push * grip_factor(axis, p->grip.across, 1, vec3_unit(e))
                                : 0.0;
}

static void add_to_modes(const ModalTouch* t, int point, CordVec3 f, double* force)
{
    int n = t->modes;
    const double* row = rows_of(t, point);
    for (int k = 0; k < n; k++) {
        force[k] += row[k] * f.x + row[n + k] * f.y + row[2 * n + k] * f.z;
    }
}

// ---- forces that act for all of the step

static void take_places(const ModalTouch* t)
{
    const CordCenterline* c = &t->rod->line;
    for (int i = 0; i < t->node_count; i++) {
        t->stage.to[i] = slot_get(c->x_next, slot_of(c, i));
    }
}

static void place(ModalTouch* t) // by the amplitudes at the end of the step
{
    modal_place(t->rod, &modal_of(t->rod)->next, t->rod->line.x_next);
    take_places(t);
}

static void place_at(ModalTouch* t, const double* y)
{
    ModalState* next = &modal_of(t->rod)->next;
    Room r = room_of(t);
    for (int k = 0; k < t->modes; k++) {
        next->q[k] = r.free[k] + r.scale[k] * y[k];
    }
    place(t);
}

// By how much a point gives way to a force along its normal, by the modes scaled so [m/N], or [m/s] to an
// impulse.
static double way_out(const ModalTouch* t, const double* rows, CordVec3 n, const double* scale)
{
    int modes = t->modes;
    double sum = 0.0;
    for (int k = 0; k < modes; k++) {
        double a = scale[k] * (rows[k] * n.x + rows[modes + k] * n.y + rows[2 * modes + k] * n.z);
        sum += a * a;
    }
    return sum;
}

// Rows of all points; those that supports hold are left out, for no force on them moves a mode.
static void take_rows(ModalTouch* t, double give)
{
    Room r = room_of(t);
    int kept = 0;
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        double* rows = rows_of(t, kept);
        set_rows(t, p, rows);
        if (way_out(t, rows, p->n, r.scale) > HELD * give) {
            t->points.all[kept++] = *p;
        }
    }
    t->points.count = kept;
}

// About where all is, at the freedoms `from`.
static void set_springs(ModalTouch* t, const StepInfo* step, const FrictionLaw* law)
{
    Room r = room_of(t);
    double give = give_of(t, step->h), deepest = DEEPEST * t->rod->length;
    take_rows(t, give);
    Springs s = springs_of(t, r.scale, t->points.count);
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        Touch touch = {.key = {p->edge, p->key.b, 0, 0}, .kind = TOUCH_SOLID};
        p->grip = touch_grip(&t->stage, &touch, law);
        t->springs[i] = (Spring){.n = p->n, .give = give, .give_across = GIVE_ACROSS * give};
        CordVec3 moved = springs_move(&s, i, r.from); // nothing is in `at` yet
        t->springs[i].at = vec3_sub(vec3_madd(p->slip, p->n, real_max(p->gap, -deepest)), moved);
    }
}

// What the springs come to at y.
static void take_forces(ModalTouch* t, const Springs* s, const double* y)
{
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        CordVec3 f = springs_force(&s->all[i], springs_move(s, i, y), &p->slides);
        p->push = real_max(vec3_dot(f, p->n), 0.0);
        p->friction = vec3_reject(f, p->n);
    }
}

// New limits of friction. Returns by how much they change, over the largest push.
static double set_limits(ModalTouch* t)
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

// Friction goes with the push, and that with friction: they take turns, from pushes without friction on. In
// few modes two contacts may jam, each with friction that presses on the other, and the forces would grow
// without end: so friction goes by no more than some times the push that there would be without it.
static void relax(ModalTouch* t, const Springs* s, double* y)
{
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        springs_relax(s, y);
        take_forces(t, s, y);
        for (int i = 0; i < t->points.count && turn == 0; i++) {
            t->points.all[i].alone = t->points.all[i].push;
        }
        if (set_limits(t) <= STEADY) {
            break;
        }
    }
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        double size = vec3_length(p->friction), most = t->springs[i].most;
        p->friction = size > most ? vec3_mul(p->friction, most / size) : p->friction;
    }
}

// By how far at the most what touches goes from one place to another, over its radius.
static double way_between(const ModalTouch* t, const Springs* s, const double* from, const double* to)
{
    double way = 0.0;
    for (int i = 0; i < t->points.count; i++) {
        CordVec3 by = vec3_sub(springs_move(s, i, to), springs_move(s, i, from));
        way = real_max(way, vec3_length(by) / t->points.all[i].radius);
    }
    return way;
}

static void swap_points(ModalTouch* t)
{
    ModalPoints kept = t->before;
    t->before = t->points, t->points = kept;
}

// Rounds of looking and pushing, until they change no more. Leaves the points that were pushed, and the
// freedoms. False: no memory.
static bool push_out(Memory* m, ModalTouch* t, const StepInfo* step, const FrictionLaw* law)
{
    Room r = room_of(t);
    size_t size = sizeof(double) * (size_t)t->modes;
    memset(r.y, 0, size);
    memset(r.from, 0, size);
    t->left = 0.0;
    for (t->rounds = 0;;) {
        if (!modal_look(m, t, t->rounds > 0) || !reserve_rows(m, t)) {
            return false;
        }
        if (t->rounds == 0 && t->points.count == 0) {
            return true;
        }
        set_springs(t, step, law);
        Springs s = springs_of(t, r.scale, t->points.count);
        relax(t, &s, r.y);
        t->left = way_between(t, &s, r.from, r.y);
        t->rounds++;
        if (t->left <= ENOUGH || t->rounds == MOST_ROUNDS) {
            return true;
        }
        for (int k = 0; k < t->modes; k++) {
            r.from[k] = t->rounds < HALF_WAY ? r.y[k] : 0.5 * (r.from[k] + r.y[k]);
        }
        place_at(t, r.from);
        swap_points(t);
    }
}

// ---- impulses at the end of the step

static CordVec3 axis_point(const ModalTouch* t, const ModalPoint* p)
{
    const int* node = t->stage.segments[p->edge].node;
    return vec3_madd(vec3_mul(t->stage.to[node[0]], 1.0 - p->at), t->stage.to[node[1]], p->at);
}

// Of the rod over the solid, by rates and by what carries the rod.
static CordVec3 velocity_of(const ModalTouch* t, int point, double h)
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

static void drop_idle(ModalPoints* points)
{
    int kept = 0;
    for (int i = 0; i < points->count; i++) {
        if (points->all[i].push > 0.0) {
            points->all[kept++] = points->all[i];
        }
    }
    points->count = kept;
}

// What is in touch stops there: impulses that take back some of what the forces did, but never pull, and give
// way to modes left out by the same share as those. Leaves in `change` what they do to the rates.
static void stop(ModalTouch* t, double h, double* change)
{
    Room r = room_of(t);
    size_t size = sizeof(double) * (size_t)t->modes;
    double *ones = r.free, in_step = give_of(t, h); // nobody needs free amplitudes any more
    for (int k = 0; k < t->modes; k++) {
        ones[k] = 1.0;
    }
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        double* rows = rows_of(t, i);
        set_rows(t, p, rows);
        double give = in_step * way_out(t, rows, p->n, ones) / way_out(t, rows, p->n, r.scale);
        t->springs[i] = (Spring){.n = p->n, .give = give, .give_across = GIVE_ACROSS * give};
        t->springs[i].at = velocity_of(t, i, h);
        t->springs[i].had = vec3_mul(vec3_madd(p->friction, p->n, p->push), h);
    }
    Springs s = springs_of(t, ones, t->points.count);
    memset(r.y, 0, size);
    relax(t, &s, r.y);
    memset(change, 0, size);
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i]; // with impulses, so far
        add_to_modes(t, i, vec3_sub(vec3_madd(p->friction, p->n, p->push), t->springs[i].had), change);
        p->push /= h, p->friction = vec3_mul(p->friction, 1.0 / h);
    }
}

// ---- the step

// Forces of all points on the modes, by the rows that they were found with.
static void forces_on_modes(const ModalTouch* t, double* force)
{
    memset(force, 0, sizeof(double) * (size_t)t->modes);
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        add_to_modes(t, i, vec3_madd(p->friction, p->n, p->push), force);
    }
}

// A force that stays the same does the work F (q' - q) on oscillators, and obstacles do no more than their
// points' ways allow, beside what lets go of penetrations that were there before. Where looking from place to
// place has come to no end, forces that would do more are all taken down by one share. (Where it has, they
// may seem to do more, for modes turn in a long step.)
static void keep_passive(ModalTouch* t, double* force)
{
    const CordModal* m = modal_of(t->rod);
    Room r = room_of(t);
    double allowed = 0.0, along = 0.0, against = 0.0;
    for (int i = 0; i < t->points.count; i++) {
        const ModalPoint* p = &t->points.all[i];
        allowed += real_max(vec3_dot(vec3_madd(p->friction, p->n, p->push), p->carried), 0.0);
        allowed += p->push * real_min(real_max(-p->gap_before, 0.0), LET_GO * p->radius);
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

static void take_gaps(ModalTouch* t, const double* force)
{
    Room r = room_of(t);
    Springs s = springs_of(t, r.scale, t->points.count);
    for (int k = 0; k < t->modes; k++) {
        r.y[k] = r.scale[k] * force[k];
    }
    for (int i = 0; i < t->points.count; i++) {
        t->points.all[i].gap = vec3_dot(springs_move(&s, i, r.y), t->points.all[i].n);
    }
}

// Between the surfaces, where all is in the end.
static void place_points(const ModalTouch* t)
{
    for (int i = 0; i < t->points.count; i++) {
        ModalPoint* p = &t->points.all[i];
        p->place = vec3_madd(axis_point(t, p), p->n, -(p->radius + 0.5 * p->gap));
    }
}

bool modal_touch_respond(Memory* m, ModalTouch* t, const StepInfo* step, const FrictionLaw* friction)
{
    CordModal* modal = modal_of(t->rod);
    ModalState* next = &modal->next;
    Room r = room_of(t);
    stage_begin(&t->stage);
    stage_move_solids(&t->stage, 1.0);
    take_places(t);
    for (int k = 0; k < t->modes; k++) {
        r.free[k] = next->q[k];
        r.scale[k] = sqrt(real_max(modal->step[k].qf, 0.0));
    }
    if (!copy_points(m, &t->kept, &t->before) || !push_out(m, t, step, friction)) {
        return false;
    }
    if (t->points.count == 0) {
        return true;
    }
    forces_on_modes(t, r.force);
    if (t->left > MODAL_LOOSE) {
        keep_passive(t, r.force);
    }
    memcpy(next->q, r.free, sizeof(double) * (size_t)t->modes);
    modal_push(t->rod, step, r.force, &t->scratch);
    take_gaps(t, r.force);
    place(t);
    drop_idle(&t->points);
    stop(t, step->h, r.from);
    drop_idle(&t->points);
    place_points(t);
    for (int k = 0; k < t->modes; k++) {
        next->rate[k] += r.from[k];
        next->force[k] += r.from[k] / step->h;
        next->extra[k] += r.from[k] / step->h;
    }
    return true;
}

static void sum_forces(ModalTouch* t)
{
    memset(t->force, 0, sizeof *t->force * (size_t)t->node_count);
    for (int i = 0; i < t->kept.count; i++) {
        const ModalPoint* p = &t->kept.all[i];
        const int* node = t->stage.segments[p->edge].node;
        CordVec3 f = vec3_madd(p->friction, p->n, p->push);
        t->force[node[0]] = vec3_madd(t->force[node[0]], f, 1.0 - p->at);
        t->force[node[1]] = vec3_madd(t->force[node[1]], f, p->at);
    }
}

bool modal_touch_reserve_end(Memory* m, ModalTouch* t)
{
    return memory_reserve(m, (void**)&t->kept.all, t->points.count, &t->kept.capacity, sizeof *t->kept.all);
}

void modal_touch_settle(Memory* m, ModalTouch* t)
{
    copy_points(m, &t->points, &t->kept); // there is room
    sum_forces(t);
}

// ---- what is told

CordContact modal_touch_contact(const ModalTouch* t, const ModalPoint* p)
{
    return (CordContact){.rod = t->index,
                         .edge = p->edge,
                         .at = p->at,
                         .kind = CORD_TOUCH_OBSTACLE,
                         .other = t->stage.solids[p->key.b].index,
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

static bool point_fits(const ModalTouch* t, const ModalPoint* p)
{
    return p->edge >= 0 && p->edge < t->stage.segment_count && p->key.b >= 0 &&
           p->key.b < t->stage.solid_count;
}

void modal_touch_state(Memory* m, ModalTouch* t, Bytes* b)
{
    int count = t->kept.count;
    bytes_int(b, &count);
    if (b->mode == BYTES_READ) {
        b->failed |= count < 0 || (size_t)count > b->size / sizeof(double); // each takes more than one word
        b->failed = b->failed ||
                    !memory_reserve(m, (void**)&t->kept.all, count, &t->kept.capacity, sizeof(ModalPoint));
        t->kept.count = b->failed ? 0 : count;
    }
    for (int i = 0; i < t->kept.count && !b->failed; i++) {
        visit_point(&t->kept.all[i], b);
        b->failed |= !point_fits(t, &t->kept.all[i]);
    }
    if (b->mode == BYTES_READ) {
        t->kept.count = b->failed ? 0 : t->kept.count;
        sum_forces(t);
    }
}
