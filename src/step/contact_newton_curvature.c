// Second derivatives of contacts in the sparse matrix (contact_newton_sparse.h): near the solution they make
// Newton's method converge quadratically.
#include "base/real.h"
#include "contact/contact_turning.h"
#include "solve/newton_parts.h"
#include "step/contact_newton_parts.h"

#include <string.h>

// ---- of gaps

// A rank-one term of the geometric stiffness, by parts of the contact.
typedef struct CurvatureTerm {
    int count;
    int part[4];
    RowVector g[4];
    double known; // its product with the prescribed motion
} CurvatureTerm;

// Adds the motion of a node along g.
static void add_node_to_term(const ContactNewtonRod* r, int node, int part, CordVec3 g, CurvatureTerm* term)
{
    const Clamp* clamp = sparse_clamp_at(r->rod, node);
    RowMap map = newton_node_map(r->sys, r->rod, node);
    CordVec3 x = sparse_free_part(clamp, g);
    RowVector* by = &term->g[term->count];
    *by = (RowVector){.row = map.row, .size = map.size};
    row_map_put(&map, x, by->T);
    if (clamp) {
        CordVec3 shift = slot_get(r->rod->shift.x, slot_of(&r->rod->rod->line, node));
        term->known += vec3_dot(vec3_sub(g, x), shift);
    }
    term->part[term->count++] = part;
}

static void add_body_to_term(const NewtonBody* body, int part, const double motion[6], CurvatureTerm* term)
{
    RowVector* by = &term->g[term->count];
    *by = (RowVector){.row = body->row, .size = 6};
    memcpy(by->T, motion, 6 * sizeof *motion);
    term->part[term->count++] = part;
}

static void add_term(const ContactNewton* t, const ContactParts* all, double stiffness,
                     const CurvatureTerm* term)
{
    for (int i = 0; i < term->count; i++) {
        const RowVector* row = &term->g[i];
        double scaled[SPARSE_LDU_MAX_SIZE];
        for (int k = 0; k < row->size; k++) {
            scaled[k] = stiffness * row->T[k];
        }
        for (int j = 0; j < term->count; j++) {
            const RowVector* column = &term->g[j];
            sparse_ldu_add_outers(&t->sparse.blocks, all->block[term->part[i]][term->part[j]], row->size,
                                  column->size, column->row, 1, scaled, column->T);
        }
    }
}

// A body's motion acts on the contact as the opposite motion of the rod. `g` as GeometricStiffness.node.
static void put_body(const ContactNewton* t, int i, const CordVec3 g[4], CurvatureTerm* term)
{
    const ContactPoint* contact = &t->contacts.all[i];
    const NewtonBody* body = sparse_body_of(t, contact->key.b);
    if (!body || !t->at_rest) {
        return;
    }
    const ColliderSolid* solid = &t->colliders.solids[contact->key.b];
    CordVec3 arm = vec3_sub(colliders_axis_point(&t->colliders, t->colliders.to, contact->key.a, contact->s),
                            solid->to.point),
             at = vec3_add(g[0], g[1]), slope = vec3_madd(g[1], at, -contact->s),
             e = vec3_mul(contact->axis[0], 1.0 / contact->inv_len[0]),
             turn = vec3_add(vec3_cross(arm, at), vec3_cross(e, slope));
    double motion[6] = {-at.x, -at.y, -at.z, -turn.x, -turn.y, -turn.z};
    add_body_to_term(body, t->sparse.parts[i].second, motion, term);
}

static CurvatureTerm map_term(const ContactNewton* t, int i, const CordVec3 g[4])
{
    const ContactPoint* contact = &t->contacts.all[i];
    const Colliders* cs = &t->colliders;
    bool solid = contact->kind != CONTACT_SEGMENTS;
    CurvatureTerm term = {0};
    for (int k = 0; k < (solid ? 2 : 4); k++) {
        const Segment* segment = &cs->segments[k < 2 ? contact->key.a : contact->key.b];
        int node = segment->node[k % 2] - cs->rods[segment->rod].first_node,
            part = k < 2 ? k : t->sparse.parts[i].second + k - 2;
        add_node_to_term(&t->rods[segment->rod], node, part, g[k], &term);
    }
    if (solid) {
        put_body(t, i, g, &term);
    }
    return term;
}

// Adds the geometric stiffness of a gap, -f_n d2(gap)/dx2, a sum of rank-one terms of either sign.
static void fill_gap_curvature(ContactNewton* t, int i)
{
    const SparseLdu* b = &t->sparse.blocks;
    GeometricStiffness curve = contact_point_stiffness(&t->colliders, &t->contacts.all[i], t->at_rest);
    for (int n = 0; n < curve.count; n++) {
        CurvatureTerm term = map_term(t, i, curve.node[n]);
        for (int k = 0; k < term.count; k++) {
            double* r = t->sparse.r + b->offset[term.g[k].row];
            for (int c = 0; c < term.g[k].size; c++) {
                r[c] -= curve.stiffness[n] * term.known * term.g[k].T[c];
            }
        }
        add_term(t, &t->sparse.parts[i], curve.stiffness[n], &term);
    }
}

typedef struct RowMatrix { // a vector by the unknowns of a block row
    int row;
    double T[3][SPARSE_LDU_MAX_SIZE];
} RowMatrix;

// Adds the product of two vectors by K, T_u' K T_v, and its transpose.
static void add_turning(const SparseLdu* b, const RowMatrix* u, const RowMatrix* v, double K[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sparse_ldu_add_outer(b, sparse_ldu_at(b, u->row, v->row), sparse_ldu_size(b, u->row), v->row,
                                 K[i][j], u->T[i], v->T[j]);
            sparse_ldu_add_outer(b, sparse_ldu_at(b, v->row, u->row), sparse_ldu_size(b, v->row), u->row,
                                 K[i][j], v->T[j], u->T[i]);
        }
    }
}

// A body that turns by a takes the normal with it, as its second-order motion. With w the motion of the
// rod's point relative to the body's centre and p the arm from there, the gap's second derivative has
// 2 a.(n x w) + (n.a) (a.p) - a.a n.p.
static void fill_body_turning(ContactNewton* t, const ContactPoint* contact)
{
    const NewtonBody* body = contact->kind == CONTACT_SEGMENTS ? NULL : sparse_body_of(t, contact->key.b);
    if (!body || !t->at_rest) {
        return;
    }
    const Colliders* cs = &t->colliders;
    const Segment* g = &cs->segments[contact->key.a];
    const ContactNewtonRod* r = &t->rods[g->rod];
    CordVec3 n = vec3_mul(contact->n, -contact->push),
             p = vec3_sub(colliders_axis_point(cs, cs->to, contact->key.a, contact->s),
                          cs->solids[contact->key.b].to.point);
    double cross[3][3] = {{0, -n.z, n.y}, {n.z, 0, -n.x}, {-n.y, n.x, 0}};
    RowMatrix turn = {.row = body->row, .T = {{0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}}},
              shift = {.row = body->row, .T = {{-1}, {0, -1}, {0, 0, -1}}};
    add_turning(&t->sparse.blocks, &turn, &shift, cross);
    for (int k = 0; k < 2; k++) {
        int node = g->node[k] - cs->rods[g->rod].first_node;
        double share = k == 0 ? 1.0 - contact->s : contact->s;
        RowMap from = newton_node_map(r->sys, r->rod, node);
        RowMatrix map = {.row = from.row};
        for (int c = 0; c < from.size; c++) {
            CordVec3 e = sparse_free_part(sparse_clamp_at(r->rod, node), row_map_column(&from, c));
            map.T[0][c] = share * e.x, map.T[1][c] = share * e.y, map.T[2][c] = share * e.z;
        }
        add_turning(&t->sparse.blocks, &turn, &map, cross);
    }
    const double N[3] = {n.x, n.y, n.z}, P[3] = {p.x, p.y, p.z};
    double tilt[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) { // half, since its transpose is added, too
            tilt[i][j] = 0.25 * (N[i] * P[j] + P[i] * N[j]) - (i == j ? 0.5 * vec3_dot(n, p) : 0.0);
        }
    }
    add_turning(&t->sparse.blocks, &turn, &turn, tilt);
}

// The slope of a rod against the solid that it touches with a node: it turns, or moves along the solid, whose
// normal turns by `bend` along the rod.
static CurvatureTerm slope_term(const ContactNewton* t, int i, const Bow* bow)
{
    const ContactPoint* contact = &t->contacts.all[i];
    const ContactParts* all = &t->sparse.parts[i];
    const Colliders* cs = &t->colliders;
    const Segment* g = &cs->segments[contact->key.a];
    const ContactNewtonRod* r = &t->rods[g->rod];
    const NewtonBody* body = sparse_body_of(t, contact->key.b);
    int first = cs->rods[g->rod].first_node;
    CordVec3 turn = vec3_mul(contact->n, 1.0 / bow->length), bend = contact_point_bend(cs, contact);
    CurvatureTerm term = {0};
    add_node_to_term(r, bow->node[0] - first, all->count, vec3_mul(turn, -1.0), &term);
    add_node_to_term(r, bow->node[1] - first, 1, turn, &term);
    add_node_to_term(r, g->node[0] - first, 0, bend, &term);
    if (body) {
        CordVec3 arm = vec3_sub(cs->to[g->node[0]], cs->solids[contact->key.b].to.point),
                 by_turn = vec3_sub(vec3_cross(contact->n, contact->axis[0]), vec3_cross(arm, bend));
        double motion[6] = {-bend.x, -bend.y, -bend.z, by_turn.x, by_turn.y, by_turn.z};
        add_body_to_term(body, all->second, motion, &term);
    }
    return term;
}

// A smooth rod that turns where it touches rolls on to another place of itself, which shortens its gap by
// half the square of the slope over the relative curvature. A polygon touches with a node, which stays the
// same until a neighbour touches: its stability lacks that.
static void fill_rolling(ContactNewton* t, int i)
{
    const ContactPoint* contact = &t->contacts.all[i];
    Bow bow;
    if (!t->smooth || !sparse_find_bow(t, contact, &bow)) {
        return;
    }
    double stiffness = contact->push / bow.curvature, most = t->points[i].rho * bow.length * bow.length;
    CurvatureTerm term = slope_term(t, i, &bow);
    add_term(t, &t->sparse.parts[i], real_min(stiffness, most), &term);
}

void sparse_fill_curvature(ContactNewton* t, int i)
{
    fill_gap_curvature(t, i);
    fill_body_turning(t, &t->contacts.all[i]);
    fill_rolling(t, i);
}

// ---- of friction

static bool is_plain(const RowMap* map, const Clamp* clamp)
{
    return map->size == 3 && !clamp;
}

static TurningNode node_at(const ContactNewton* t, const Segment* g, int at)
{
    const ContactNewtonRod* rod = &t->rods[g->rod];
    int node = at - t->colliders.rods[g->rod].first_node;
    TurningNode out = {.map = newton_node_map(rod->sys, rod->rod, node),
                       .clamp = sparse_clamp_at(rod->rod, node)};
    out.plain = is_plain(&out.map, out.clamp);
    return out;
}

static const Segment* segment_of(const ContactNewton* t, const ContactPoint* contact, int side)
{
    return &t->colliders.segments[side == 0 ? contact->key.a : contact->key.b];
}

// The part of a node has its block row, and parts come in the order of the nodes.
static int find_part(const ContactParts* all, int from, int row)
{
    while (all->part[from].at != row) {
        from++;
    }
    return from;
}

static bool may_turn(const ContactNewtonRod* rod, int edge)
{
    return framed_of(rod->rod->rod)->may_turn[slot_of(&rod->rod->rod->line, edge)] != 0.0;
}

// Sets the nodes of a contact, its frames, and how far both have moved since the start of the step.
static void find_nodes(const ContactNewton* t, const ContactPoint* contact, ContactParts* all,
                       TurningMotion* moved)
{
    const Colliders* cs = &t->colliders;
    for (int k = 0, part = 0; k < TURNING_NODES; k++) {
        const Segment* g = segment_of(t, contact, k / 4);
        bool has = contact_point_has_chord(contact, k / 4), of_chord = k % 4 >= 2;
        int at = of_chord && has ? contact->chord[k / 4][k % 2] : g->node[k % 2];
        all->node[k] = node_at(t, g, at);
        all->node[k].part = of_chord && !has ? -1 : find_part(all, part, all->node[k].map.row);
        part = all->node[k].part < 0 ? part : all->node[k].part + 1;
        moved->node[k] = vec3_sub(cs->to[at], cs->begin[at]);
    }
    for (int side = 0; side < 2; side++) {
        const Segment* g = segment_of(t, contact, side);
        const ContactNewtonRod* rod = &t->rods[g->rod];
        bool free = newton_frame_is_carried(rod->rod, g->edge) || may_turn(rod, g->edge);
        all->frame[side] =
            free ? find_part(all, all->node[4 * side].part, newton_frame_row(rod->sys, rod->rod, g->edge))
                 : -1;
        moved->spin[side] = newton_frame_turned(rod->sys, rod->rod, g->edge);
    }
}

static ContactTurning turning_by(const ContactNewton* t, const ContactPoint* contact, int k, int axis)
{
    CordVec3 move[TURNING_NODES] = {{0}};
    move[k] = (CordVec3){axis == 0, axis == 1, axis == 2};
    return contact_turning(&t->colliders, contact, move);
}

// Adds the motion of a contact by that of a node along three axes to its part.
static void add_motion(ContactPart* part, const TurningNode* node, const CordVec3 by[3])
{
    for (int c = 0; c < node->map.size; c++) {
        CordVec3 e = sparse_free_part(node->clamp, row_map_column(&node->map, c));
        CordVec3 u = vec3_madd(vec3_madd(vec3_mul(by[0], e.x), by[1], e.y), by[2], e.z);
        part->M[0][c] += u.x, part->M[1][c] += u.y, part->M[2][c] += u.z;
    }
}

// Slip is the tangential motion since the start of the step. Friction stays perpendicular to the normal.
static void turn_by_node(const ContactNewton* t, int i, int k, const TurningMotion* moved,
                         TurningForces by[3], CordVec3 motion[3])
{
    const ContactPoint* contact = &t->contacts.all[i];
    CordVec3 friction = t->points[i].friction_before;
    for (int axis = 0; axis < 3; axis++) {
        ContactTurning turning = turning_by(t, contact, k, axis);
        CordVec3 change = vec3_mul(contact->n, -vec3_dot(turning.n, friction));
        by[axis] = contact_turning_forces(&t->colliders, contact, &turning, friction, change);
        motion[axis] =
            vec3_reject(contact_turning_motion(&t->colliders, contact, &turning, moved), contact->n);
    }
}

// Adds those of node `of` to those of node `to` with the other sign.
static void take_back(TurningForces by[][3], CordVec3 motion[][3], int to, int of)
{
    for (int axis = 0; axis < 3; axis++) {
        const TurningForces* from = &by[of][axis];
        for (int k = 0; k < TURNING_NODES; k++) {
            by[to][axis].node[k] = vec3_sub(by[to][axis].node[k], from->node[k]);
        }
        by[to][axis].torque[0] -= from->torque[0], by[to][axis].torque[1] -= from->torque[1];
        motion[to][axis] = vec3_sub(motion[to][axis], motion[of][axis]);
    }
}

void sparse_turn_parts(const ContactNewton* t, int i, ContactParts* all)
{
    const ContactPoint* contact = &t->contacts.all[i];
    for (int k = 0; k < all->count; k++) {
        memcpy(all->part[k].M, all->part[k].B, sizeof all->part[k].B);
    }
    all->turns = t->curved && !t->at_rest && contact->kind == CONTACT_SEGMENTS && t->points[i].law.mu > 0.0;
    if (!all->turns) {
        return;
    }
    TurningMotion moved;
    find_nodes(t, contact, all, &moved);
    CordVec3 motion[TURNING_NODES][3] = {{{0}}};
    memset(all->by, 0, sizeof all->by);
    // Nothing turns where the ends of both segments, or those of a chord, move alike: the last one has the
    // rest.
    static const int last[TURNING_NODES] = {5, 5, 2, 2, 5, 5, 6, 6};
    for (int k = 0; k < TURNING_NODES; k++) {
        if (k != last[k] && all->node[k].part >= 0) {
            turn_by_node(t, i, k, &moved, all->by[k], motion[k]);
            take_back(all->by, motion, last[k], k);
        }
    }
    for (int k = 0; k < TURNING_NODES; k++) {
        if (all->node[k].part >= 0) {
            add_motion(&all->part[all->node[k].part], &all->node[k], motion[k]);
        }
    }
}

// Subtracts the forces on a node by a motion of another along three axes.
static void subtract_forces(double* block, int stride, const TurningNode* row, const TurningNode* column,
                            const CordVec3 by[3])
{
    if (row->plain && column->plain) {
        for (int c = 0; c < 3; c++) {
            block[c] -= by[c].x, block[stride + c] -= by[c].y, block[2 * stride + c] -= by[c].z;
        }
        return;
    }
    for (int c = 0; c < column->map.size; c++) {
        CordVec3 e = sparse_free_part(column->clamp, row_map_column(&column->map, c));
        CordVec3 f =
            sparse_free_part(row->clamp, vec3_madd(vec3_madd(vec3_mul(by[0], e.x), by[1], e.y), by[2], e.z));
        double force[6];
        row_map_put(&row->map, f, force);
        for (int r = 0; r < row->map.size; r++) {
            block[r * stride + c] -= force[r];
        }
    }
}

// The same on a frame, whose part has the unknowns `map`.
static void subtract_torque(double* block, int stride, const RowVector* map, const TurningNode* column,
                            const double by[3])
{
    for (int c = 0; c < column->map.size; c++) {
        CordVec3 e = sparse_free_part(column->clamp, row_map_column(&column->map, c));
        double torque = by[0] * e.x + by[1] * e.y + by[2] * e.z;
        for (int r = 3; r < map->size; r++) {
            block[r * stride + c] -= map->T[r] * torque;
        }
    }
}

// The part of the node on which force k acts: a segment without a chord has its couple on its ends.
static int part_of(const ContactParts* all, int k)
{
    return all->node[k].part >= 0 ? all->node[k].part : all->node[k - 2].part;
}

void sparse_fill_friction(const ContactNewton* t, int i)
{
    const ContactParts* all = &t->sparse.parts[i];
    RowVector frame[2];
    for (int side = 0; side < 2; side++) {
        const Segment* g = segment_of(t, &t->contacts.all[i], side);
        frame[side] = newton_frame_map(t->rods[g->rod].sys, t->rods[g->rod].rod, g->edge);
    }
    for (int j = 0; j < TURNING_NODES; j++) {
        const TurningNode* column = &all->node[j];
        const TurningForces* by = all->by[j];
        if (column->part < 0) {
            continue;
        }
        int stride = sparse_ldu_stride(&t->sparse.blocks, column->map.row);
        for (int k = 0; k < TURNING_NODES; k++) {
            const CordVec3 force[3] = {by[0].node[k], by[1].node[k], by[2].node[k]};
            subtract_forces(all->block[part_of(all, k)][column->part], stride, &all->node[k], column, force);
        }
        for (int side = 0; side < 2; side++) {
            const double torque[3] = {by[0].torque[side], by[1].torque[side], by[2].torque[side]};
            if (all->frame[side] >= 0) {
                subtract_torque(all->block[all->frame[side]][column->part], stride, &frame[side], column,
                                torque);
            }
        }
    }
}

// Frames follow their edges e by parallel transport, about which second derivatives do not commute: they
// differ by the moment on the frame times the solid angle per motions of the edge, e.(de x de') / |e|^3. A
// rod's own matrix is their mean. Where contact balances its moment by a torque, the other half is left.
static void fill_torque(ContactNewton* t, int segment)
{
    const SparseLdu* b = &t->sparse.blocks;
    const Segment* g = &t->colliders.segments[segment];
    const ContactNewtonRod* rod = &t->rods[g->rod];
    CordVec3 e = vec3_sub(t->colliders.to[g->node[1]], t->colliders.to[g->node[0]]);
    double square = vec3_dot(e, e), half = 0.5 * t->force.spin[segment] / (square * sqrt(square));
    TurningNode node[2] = {node_at(t, g, g->node[0]), node_at(t, g, g->node[1])};
    if (newton_frame_is_carried(rod->rod, g->edge) || !may_turn(rod, g->edge)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        double sign = i / 2 == i % 2 ? -half : half;
        const CordVec3 by[3] = {
            {0, sign * e.z, -sign * e.y}, {-sign * e.z, 0, sign * e.x}, {sign * e.y, -sign * e.x, 0}};
        int row = node[i / 2].map.row, column = node[i % 2].map.row;
        subtract_forces(sparse_ldu_at(b, row, column), sparse_ldu_stride(b, column), &node[i / 2],
                        &node[i % 2], by);
    }
}

void sparse_fill_torques(ContactNewton* t)
{
    for (int i = 0; i < t->colliders.segment_count; i++) {
        if (t->force.spin[i] != 0.0) {
            fill_torque(t, i);
        }
    }
}
