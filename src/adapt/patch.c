#include "adapt/patch_parts.h"

#include "base/real.h"
#include "math/descent.h"

#define ENOUGH 1e-7 // of the energy that is about: a search that would win less is over
#define LEAST 1e-4  // rad^2: what a piece that is straight counts as, in bending energy over EI / l
// of EI / l^3: what surfaces that overlap push back with. Less leaves more of them too near in the end, more
// takes more iterations
#define OVERLAP 1e2
#define SHORTER 4 // times that the way is halved if its end is too near something

// ---- the functional: ACM eq. (3)

static double value(void* context, const double* x, double* gradient)
{
    Patch* p = context;
    CordCenterline* c = &p->piece.line;
    CordVec3 all[PIECE_MOST] = {{0, 0, 0}}, at[2], touch[2] = {{0, 0, 0}, {0, 0, 0}};
    double work = 0.0;
    for (int k = 0; k < p->moved_count; k++) {
        at[k] = (CordVec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        slot_set(c->x, slot_of(c, p->moved[k]), at[k]);
        work += vec3_dot(p->force[k], vec3_sub(at[k], p->start[k]));
    }
    p->ops->jump(&p->piece, p->change->time);
    CordEnergy energy = {0};
    p->ops->energy(&p->piece, &energy);
    p->ops->gradient(&p->piece, all);
    double sum = energy.bend + energy.twist + energy.stretch - work;
    if (p->contact) {
        patch_place_on_stage(p, at);
        sum += patch_touch_energy(p, touch);
    }
    for (int k = 0; k < p->moved_count; k++) {
        CordVec3 g = vec3_add(vec3_sub(all[p->moved[k]], p->force[k]), touch[k]);
        gradient[3 * k] = g.x, gradient[3 * k + 1] = g.y, gradient[3 * k + 2] = g.z;
    }
    return p->piece.unsettled || p->failed || !isfinite(sum) ? INFINITY : sum;
}

static void precondition(void* context, const double* gradient, double* direction)
{
    const Patch* p = context;
    int n = 3 * p->moved_count;
    for (int i = 0; i < n; i++) {
        direction[i] = gradient[i];
    }
    descent_solve(p->matrix, n, direction);
}

// Adds k |sum_i a_i x_i|^2 / 2 to the matrix, where the sum is over `count` nodes from `first` on; of its
// part along a unit vector alone, if one is given.
static void add_row(Patch* p, int first, const double* a, int count, double k, const CordVec3* along)
{
    int n = 3 * p->moved_count;
    for (int r = 0; r < p->moved_count; r++) {
        for (int s = 0; s < p->moved_count; s++) {
            int i = p->moved[r] - first, j = p->moved[s] - first;
            if (i < 0 || i >= count || j < 0 || j >= count) {
                continue;
            }
            double t[3] = {along ? along->x : 0.0, along ? along->y : 0.0, along ? along->z : 0.0};
            for (int u = 0; u < 3; u++) {
                for (int v = 0; v < 3; v++) {
                    double part = along ? t[u] * t[v] : u == v ? 1.0 : 0.0;
                    p->matrix[(3 * r + u) * n + 3 * s + v] += k * a[i] * a[j] * part;
                }
            }
        }
    }
}

// The Hessian of a nearly straight rod.
static bool make_matrix(Patch* p)
{
    const Rod* rod = &p->piece;
    const CordCenterline* c = &rod->line;
    int n = 3 * p->moved_count;
    for (int i = 0; i < n * n; i++) {
        p->matrix[i] = 0.0;
    }
    for (int j = 0; j < c->edge_count; j++) {
        CordVec3 t = edge_tangent(c, j);
        double a[2] = {-1.0, 1.0}, l = edge_rest_len(c, j), k = rod_stiffness_at(rod, j)->EA / l;
        double stretch = real_max(vec3_length(edge_vector(c, j)) / l - 1.0, 0.0);
        add_row(p, j, a, 2, k, &t);
        add_row(p, j, a, 2, k * stretch + 1e-9 * k, NULL); // a string's, and so that chains have one
    }
    for (int i = 1; i < c->edge_count; i++) {
        double u = 1.0 / edge_rest_len(c, i - 1), v = 1.0 / edge_rest_len(c, i);
        double a[3] = {u, -(u + v), v},
               EI = 0.5 * (patch_bend_stiffness(rod, i - 1) + patch_bend_stiffness(rod, i));
        add_row(p, i - 1, a, 3, 2.0 * EI / (1.0 / u + 1.0 / v), NULL);
    }
    return descent_factor(p->matrix, n);
}

// ---- the search

static void search(Patch* p, PatchEnd* end, CordVec3* to)
{
    double x[6], gradient[6];
    for (int k = 0; k < p->moved_count; k++) {
        x[3 * k] = p->start[k].x, x[3 * k + 1] = p->start[k].y, x[3 * k + 2] = p->start[k].z;
    }
    double l = patch_shortest_edge(&p->piece), EI = patch_bend_stiffness(&p->piece, 0);
    p->stiffness = OVERLAP * EI / (l * l * l);
    p->spare = LEAST * EI / l;
    CordEnergy energy = {0};
    p->ops->energy(&p->piece, &energy);
    p->first = value(p, x, gradient);
    Descent d = {.count = 3 * p->moved_count,
                 .value = value,
                 .precondition = precondition,
                 .context = p,
                 .iterations = p->change->iterations,
                 .enough = ENOUGH * (energy.bend + energy.twist + p->spare)};
    if (p->moved_count > 0 && make_matrix(p)) {
        end->iterations += descent_run(&d, x).iterations;
    }
    for (int k = 0; k < p->moved_count; k++) {
        to[k] = (CordVec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
    }
}

// Lengths that were put right, or a shorter way, may have led uphill, and a new node had better stay in the
// middle then.
static bool is_no_worse(Patch* p, const CordVec3* at)
{
    double x[6], gradient[6];
    for (int k = 0; k < p->moved_count; k++) {
        x[3 * k] = at[k].x, x[3 * k + 1] = at[k].y, x[3 * k + 2] = at[k].z;
    }
    return p->change->goes || p->moved_count == 0 || value(p, x, gradient) <= p->first;
}

// By how much mass is moved, times how far [kg m]; that of a node that goes, too, from where it is to between
// its neighbours.
static CordVec3 moved_aside(const Patch* p, const CordVec3* x)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    CordVec3 sum = {0, 0, 0};
    for (int k = 0; k < p->moved_count; k++) {
        sum = vec3_madd(sum, vec3_sub(x[k], p->start[k]), rod_node_mass(&p->piece, p->moved[k]));
    }
    if (ch->goes) {
        CordVec3 a = node_position(c, ch->node - 1), b = node_position(c, edge_end(c, ch->node));
        CordVec3 by = vec3_sub(vec3_mul(vec3_add(a, b), 0.5), node_position(c, ch->node));
        sum = vec3_madd(sum, by, rod_node_mass(ch->rod, ch->node));
    }
    return sum;
}

static bool stays_about(const Patch* p, const CordVec3* x)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    double length = edge_rest_len(c, edge_before(c, ch->node)) + edge_rest_len(c, ch->node);
    double mass = rod_stiffness_at(ch->rod, ch->node)->mass_per_length * length;
    return ch->aside == 0.0 || vec3_length(moved_aside(p, x)) <= ch->aside * mass * length;
}

static bool may_go(Patch* p, const CordVec3* to, PatchEnd* end, double deepest)
{
    for (int k = 0; k < p->moved_count; k++) {
        end->x[k] = vec3_madd(p->start[k], vec3_sub(to[k], p->start[k]), end->share);
    }
    return patch_keep_lengths(p, end->x) && stays_about(p, end->x) && is_no_worse(p, end->x) &&
           patch_is_clear(p, end->x, deepest);
}

static void stay(Patch* p, PatchEnd* end)
{
    end->share = 0.0;
    for (int k = 0; k < p->moved_count; k++) {
        end->x[k] = p->start[k];
    }
    if (p->contact) {
        patch_place_on_stage(p, end->x);
    }
}

// As far along the way to the least energy as lengths and surroundings allow; a new node may stay in the
// middle of its element. If something is in the way that was too far to be seen at first, the search begins
// anew.
static bool go_there(Patch* p, PatchEnd* end)
{
    CordVec3 to[2];
    double deepest = patch_deepest(p);
    bool there = false;
    for (int n = 0; n < 2 && !there && !p->failed; n++) {
        p->wider = false;
        search(p, end, to);
        end->share = 1.0;
        there = may_go(p, to, end, deepest);
        if (!there && p->wider && n == 0) {
            stay(p, end);
            continue;
        }
        for (int k = 0; k < SHORTER && !there && !p->failed; k++) {
            end->share *= 0.5;
            there = may_go(p, to, end, deepest);
        }
        break;
    }
    if (!there) {
        stay(p, end);
    }
    return there || !p->change->goes;
}

static CordResult find(Patch* p, Remesh* map, PatchEnd* end, Message* message)
{
    CORD_TRY(patch_open_piece(p, map, message));
    for (int k = 0; k < p->moved_count; k++) {
        p->start[k] = node_position(&p->piece.line, p->moved[k]);
    }
    if (!patch_set_stage(p)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    bool there = go_there(p, end);
    return p->failed ? message_fail(message, CORD_NO_MEMORY, "no memory for contacts")
           : there   ? CORD_OK
                     : message_fail(
                           message, CORD_NOT_CONVERGED,
                           "rod '%s': the nodes near node %d cannot change without coming too near something",
                           p->change->rod->name, p->change->node);
}

PatchEnd patch_find(Memory* m, Remesh* map, const PatchChange* change, PatchContact* contact,
                    Message* message)
{
    Patch p = {.ops = model_ops(change->rod->model),
               .change = change,
               .contact = contact && contact->stage ? contact : NULL,
               .memory = m,
               .stage_node = {-1, -1, -1}};
    PatchEnd end = {.result = CORD_OK};
    end.result = find(&p, map, &end, message);
    if (change->goes && end.result == CORD_OK && p.moved_count > 0) { // the neighbour alone moves
        end.x[1] = end.x[0];
    }
    patch_leave_stage(&p, end.result == CORD_OK);
    patch_close_piece(&p);
    return end;
}
