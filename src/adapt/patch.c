#include "adapt/patch_parts.h"

#include "base/real.h"
#include "math/dense.h"
#include "math/nonlinear_cg.h"

#define TOLERANCE 1e-7     // relative energy tolerance of the search
#define LEAST_BENDING 1e-4 // bending energy over EI / l that a straight piece counts as [rad^2]
// Penalty on overlaps, over EI / l^3. With less, more surfaces stay too near; with more, the search takes
// longer.
#define OVERLAP_STIFFNESS 1e2
#define MOST_HALVINGS 4 // halvings of the path if its end is too near something

// ---- the functional: ACM eq. (3)

static double functional(void* context, const double* x, double* gradient)
{
    Patch* p = context;
    CordCenterline* c = &p->piece.line;
    CordVec3 all[PIECE_MOST] = {{0, 0, 0}}, at[2], contact[2] = {{0, 0, 0}, {0, 0, 0}};
    double work = 0.0;
    for (int k = 0; k < p->moved_count; k++) {
        at[k] = (CordVec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        slot_set(c->x, slot_of(c, p->moved[k]), at[k]);
        work += vec3_dot(p->force[k], vec3_sub(at[k], p->start[k]));
    }
    stepper_jump_frames(&p->piece, p->change->time);
    CordEnergy energy = {0};
    model_of(&p->piece)->energy(&p->piece, &energy);
    model_of(&p->piece)->gradient(&p->piece, all);
    double sum = energy.bend + energy.twist + energy.stretch - work;
    if (p->contact) {
        patch_place_colliders(p, at);
        sum += patch_touch_energy(p, contact);
    }
    for (int k = 0; k < p->moved_count; k++) {
        CordVec3 g = vec3_add(vec3_sub(all[p->moved[k]], p->force[k]), contact[k]);
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
    dense_cholesky_solve(p->matrix, n, direction);
}

// Adds k |sum_i a_i x_i|^2 / 2 to the matrix, where the sum is over `count` nodes from `first` on. Given a
// unit vector, adds only the part along it.
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
static bool factor_preconditioner(Patch* p)
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
        add_row(p, j, a, 2, k * stretch + 1e-9 * k, NULL); // geometric stiffness; regularises chains
    }
    for (int i = 1; i < c->edge_count; i++) {
        double u = 1.0 / edge_rest_len(c, i - 1), v = 1.0 / edge_rest_len(c, i);
        double a[3] = {u, -(u + v), v},
               EI = 0.5 * (patch_bend_stiffness(rod, i - 1) + patch_bend_stiffness(rod, i));
        add_row(p, i - 1, a, 3, 2.0 * EI / (1.0 / u + 1.0 / v), NULL);
    }
    return dense_cholesky_factor(p->matrix, n);
}

// ---- the search

static void search(Patch* p, PatchEnd* end, CordVec3* to)
{
    double x[6], gradient[6];
    for (int k = 0; k < p->moved_count; k++) {
        x[3 * k] = p->start[k].x, x[3 * k + 1] = p->start[k].y, x[3 * k + 2] = p->start[k].z;
    }
    double l = patch_shortest_edge(&p->piece), EI = patch_bend_stiffness(&p->piece, 0);
    p->stiffness = OVERLAP_STIFFNESS * EI / (l * l * l);
    p->spare = LEAST_BENDING * EI / l;
    CordEnergy energy = {0};
    model_of(&p->piece)->energy(&p->piece, &energy);
    p->first = functional(p, x, gradient);
    NonlinearCg d = {.count = 3 * p->moved_count,
                     .value = functional,
                     .precondition = precondition,
                     .context = p,
                     .iterations = p->change->iterations,
                     .enough = TOLERANCE * (energy.bend + energy.twist + p->spare)};
    if (p->moved_count > 0 && factor_preconditioner(p)) {
        end->iterations += nonlinear_cg_minimize(&d, x).iterations;
    }
    for (int k = 0; k < p->moved_count; k++) {
        to[k] = (CordVec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
    }
}

// Length projection or a shortened path may have raised the energy. A new node then stays in the middle.
static bool is_no_worse(Patch* p, const CordVec3* at)
{
    double x[6], gradient[6];
    for (int k = 0; k < p->moved_count; k++) {
        x[3 * k] = at[k].x, x[3 * k + 1] = at[k].y, x[3 * k + 2] = at[k].z;
    }
    return p->change->goes || p->moved_count == 0 || functional(p, x, gradient) <= p->first;
}

// Sum of mass times displacement [kg m]. A removed node moves to the middle between its neighbours.
static CordVec3 mass_displacement(const Patch* p, const CordVec3* x)
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

static bool displacement_is_allowed(const Patch* p, const CordVec3* x)
{
    const PatchChange* ch = p->change;
    const CordCenterline* c = &ch->rod->line;
    double length = edge_rest_len(c, edge_before(c, ch->node)) + edge_rest_len(c, ch->node);
    double mass = rod_stiffness_at(ch->rod, ch->node)->mass_per_length * length;
    return ch->aside == 0.0 || vec3_length(mass_displacement(p, x)) <= ch->aside * mass * length;
}

static bool try_positions(Patch* p, const CordVec3* to, PatchEnd* end, double deepest)
{
    for (int k = 0; k < p->moved_count; k++) {
        end->x[k] = vec3_madd(p->start[k], vec3_sub(to[k], p->start[k]), end->share);
    }
    return patch_keep_lengths(p, end->x) && displacement_is_allowed(p, end->x) && is_no_worse(p, end->x) &&
           patch_is_clear(p, end->x, deepest);
}

static void restore_start(Patch* p, PatchEnd* end)
{
    end->share = 0.0;
    for (int k = 0; k < p->moved_count; k++) {
        end->x[k] = p->start[k];
    }
    if (p->contact) {
        patch_place_colliders(p, end->x);
    }
}

// Goes as far along the path to the minimum as lengths and surroundings allow. If the path left the region of
// the candidate pairs, the search is repeated once with more of them.
static bool move_to_minimum(Patch* p, PatchEnd* end)
{
    CordVec3 to[2];
    double deepest = patch_deepest(p);
    bool there = false;
    for (int n = 0; n < 2 && !there && !p->failed; n++) {
        p->wider = false;
        search(p, end, to);
        end->share = 1.0;
        there = try_positions(p, to, end, deepest);
        if (!there && p->wider && n == 0) {
            restore_start(p, end);
            continue;
        }
        for (int k = 0; k < MOST_HALVINGS && !there && !p->failed; k++) {
            end->share *= 0.5;
            there = try_positions(p, to, end, deepest);
        }
        break;
    }
    if (!there) {
        restore_start(p, end);
    }
    return there || !p->change->goes;
}

static CordResult solve_patch(Patch* p, Remesh* map, PatchEnd* end, Message* message)
{
    CORD_TRY(patch_open_piece(p, map, message));
    for (int k = 0; k < p->moved_count; k++) {
        p->start[k] = node_position(&p->piece.line, p->moved[k]);
    }
    if (!patch_set_colliders(p)) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for contacts");
    }
    bool there = move_to_minimum(p, end);
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
    Patch p = {.change = change,
               .contact = contact && contact->colliders ? contact : NULL,
               .memory = m,
               .collider_node = {-1, -1, -1}};
    PatchEnd end = {.result = CORD_OK};
    end.result = solve_patch(&p, map, &end, message);
    for (int k = 0; k < 2; k++) {
        end.x[k] = vec3_add(end.x[k], p.origin);
    }
    if (change->goes && end.result == CORD_OK && p.moved_count > 0) { // only the neighbour moves
        end.x[1] = end.x[0];
    }
    patch_leave_colliders(&p, end.result == CORD_OK);
    patch_close_piece(&p);
    return end;
}
