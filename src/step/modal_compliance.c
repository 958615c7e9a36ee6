// Contact of modal rods: impulses on nodes as forces on the modes, and the compliance of nodes.
//
// Modes alone cannot keep a rod off what it touches: there are fewer of them than there may be contacts. Each
// node therefore yields to its own contact force beyond the modes, by the flexibility of the modes left out.
#include "step/modal.h"

#include <string.h>

// The change of a node's position with each amplitude, at amplitudes q and the end of the step, in world axes
// [1/sqrt(kg)]. Entries of a mode are `stride` apart, and x, y and z follow each other.
static void find_rows(const Rod* rod, const double* q, int node, double* rows, int stride)
{
    const CordModal* m = modal_of(rod);
    size_t nodes = (size_t)rod->line.node_count;
    CordVec3 u, w;
    modal_node(rod, q, node, &u, &w);
    Warp warp = warp_of(m->def.linear ? (CordVec3){0, 0, 0} : w);
    for (int k = 0; k < m->count; k++) {
        const double* phi = m->shape + ((size_t)k * nodes + (size_t)node) * NODE_FREEDOMS;
        CordVec3 move = {phi[0], phi[1], phi[2]};
        if (!m->def.linear) {
            move = warp_velocity(&warp, u, (CordVec3){phi[3], phi[4], phi[5]}, move);
        }
        CordVec3 d = quat_rotate(m->next.carrier.pose.rotation, move);
        double* out = rows + (size_t)k * (size_t)stride;
        out[0] = d.x, out[1] = d.y, out[2] = d.z;
    }
}

static bool is_free(const Rod* rod, int node)
{
    return rod->line.w[slot_of(&rod->line, node)] > 0.0;
}

// Share of the inertia of the modes left out that nodes yield by in short steps. What yields has no momentum,
// so that a part of an impact would be lost on it; without any, what jams nodes that the modes cannot move
// would throw the rest of the rod about.
#define INERTIA 0.03

// What a node yields by the modes left out. In rest their terms phi^2 / omega^2 decrease from the last kept
// mode on; at the rate of bending modes, omega ~ k^2, their sum is a third of the mode count times the last
// term. [1/kg], for a force as F h^2
static double yield_of(const Rod* rod, double h)
{
    const CordModal* m = modal_of(rod);
    double turn2 = h * h * m->omega2[m->count - 1], share = INERTIA + (1.0 - INERTIA) * turn2 / (1.0 + turn2);
    return share * m->count / (3.0 * rod_mass(rod) * (1.0 + turn2));
}

// The impulse on a node, as F h^2, which contact has added to its velocity [kg m].
static CordVec3 impulse_on(const Rod* rod, int node, double h)
{
    const CordCenterline* c = &rod->line;
    int s = slot_of(c, node);
    return is_free(rod, node)
               ? vec3_mul(vec3_sub(slot_get(c->v_next, s), slot_get(rod->v_free, s)), h / c->w[s])
               : (CordVec3){0, 0, 0};
}

static bool is_zero(CordVec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

// With the rows in the middle of the way that the step takes, forces do as much work on the modes as on the
// nodes, to third order in the way. Rows at its end would feed what turns.
void modal_contact_force(const Rod* rod, const double* q, double h, double* rows, double* force)
{
    const CordModal* m = modal_of(rod);
    for (int k = 0; k < m->count; k++) {
        force[k] = 0.0;
    }
    for (int i = 0; i < rod->line.node_count; i++) {
        CordVec3 f = vec3_mul(impulse_on(rod, i, h), 1.0 / (h * h));
        if (is_zero(f)) {
            continue;
        }
        find_rows(rod, q, i, rows, 3);
        for (int k = 0; k < m->count; k++) {
            const double* row = rows + 3 * k;
            force[k] += row[0] * f.x + row[1] * f.y + row[2] * f.z;
        }
    }
}

// In double precision, unlike the nodes that nothing pushes: short steps resolve small motions.
void modal_yield(Rod* rod, double h)
{
    CordModal* m = modal_of(rod);
    const ModalState* next = &m->next;
    double yield = yield_of(rod, h);
    m->next.yields = false;
    for (int i = 0; i < rod->line.node_count; i++) {
        CordVec3 P = impulse_on(rod, i, h);
        if (is_zero(P)) {
            continue;
        }
        CordVec3 x = vec3_add(m->rest[i], modal_node_now(rod, next->q, i).d);
        slot_set(rod->line.x_next, slot_of(&rod->line, i),
                 vec3_madd(carrier_out(m, &next->carrier, x), P, yield));
        m->next.yields = true;
    }
    centerline_wrap(&rod->line, rod->line.x_next);
}

// ---- the Delassus operator

size_t modal_compliance_scratch(const Rod* rod)
{
    size_t nodes =
        rod->line.node_count < MODAL_MOST_TOUCHED ? (size_t)rod->line.node_count : MODAL_MOST_TOUCHED;
    return arena_space(sizeof(double) * 3 * nodes, modal_of(rod)->count) +
           arena_space(sizeof(double) * 3 * nodes, 1);
}

int modal_compliance_rank(const Rod* rod)
{
    return modal_of(rod)->count;
}

// Rows of all nodes, by mode, times the square root of how far a force moves the mode.
static void find_scaled_rows(const Rod* rod, const Compliance* wanted, double h, double* rows)
{
    const CordModal* m = modal_of(rod);
    int size = 3 * wanted->count;
    for (int i = 0; i < wanted->count; i++) {
        find_rows(rod, m->next.q, wanted->node[i], rows + 3 * i, size);
        for (int k = 0; k < m->count; k++) {
            double scale = is_free(rod, wanted->node[i]) ? 1.0 / sqrt(modal_implicit(m, k, h)) : 0.0;
            for (int axis = 0; axis < 3; axis++) {
                rows[k * size + 3 * i + axis] *= scale;
            }
        }
    }
}

void modal_compliance(Rod* const* rods, int count, const StepInfo* step, const Compliance* wanted,
                      Arena* scratch)
{
    (void)count; // one
    const Rod* rod = rods[0];
    const CordModal* m = modal_of(rod);
    int size = 3 * wanted->count;
    arena_reset(scratch);
    double* rows = arena_push(scratch, double, (size_t)size*(size_t)m->count);
    double *sum = arena_push(scratch, double, size), yield = yield_of(rod, step->h);
    find_scaled_rows(rod, wanted, step->h, rows);
    if (wanted->factor) {
        memcpy(wanted->factor, rows, sizeof *rows * (size_t)size * (size_t)m->count);
    }
    memset(wanted->W, 0, sizeof(double) * 16 * (size_t)wanted->count * (size_t)wanted->count);
    for (int i = 0; i < size; i++) {
        memset(sum, 0, sizeof *sum * (size_t)size);
        for (int k = 0; k < m->count; k++) {
            const double *row = rows + (size_t)k * (size_t)size, share = row[i];
            for (int j = 0; j < size; j++) {
                sum[j] += share * row[j];
            }
        }
        sum[i] += is_free(rod, wanted->node[i / 3]) ? yield : 0.0;
        double* out = wanted->W + (size_t)(4 * (i / 3) + i % 3) * 4 * (size_t)wanted->count;
        for (int j = 0; j < wanted->count; j++) {
            out[4 * j] = sum[3 * j], out[4 * j + 1] = sum[3 * j + 1], out[4 * j + 2] = sum[3 * j + 2];
        }
    }
}
