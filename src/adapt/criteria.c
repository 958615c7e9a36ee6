#include "adapt/criteria.h"

#include "base/real.h"
#include "rod/grid.h"

#define LEAST_DISTANCE 5 // edges between two changes: see patch.c

bool criteria_holds_edge(const Rod* rod, int edge)
{
    if (grid_edge_weight(rod, edge) != 1.0) { // a half edge exists to be clamped
        return true;
    }
    int end = edge_end(&rod->line, edge);
    for (int i = 0; i < rod->clamp_count; i++) {
        const Clamp* clamp = rod->clamps[i];
        bool at_end = clamp->node[0] == edge || clamp->node[0] == end ||
                      (clamp->node_count > 1 && (clamp->node[1] == edge || clamp->node[1] == end));
        if (clamp->edge == edge || (clamp->joint_mass_share > 0.0 && at_end)) {
            // A joint has taken over mass of its nodes.
            return true;
        }
    }
    for (int i = 0; i < rod->load_count; i++) {
        if (rod->loads[i]->edge == edge) {
            return true;
        }
    }
    return false;
}

// Curvature at each inner node: 2 atan(k/2) / l with k = 2 tan(angle / 2). A rational function approximates
// the arctangent within 1e-5 rad at 0.6 rad, and better below. End nodes take the value of their neighbours.
static void measure_bends(const CordCenterline* c, double* bend)
{
    for (int k = 0; k < inner_count(c); k++) {
        int node = inner_node(c, k), before = edge_before(c, node);
        CordVec3 a = edge_vector(c, before), b = edge_vector(c, node), n = vec3_cross(a, b);
        double under = sqrt(vec3_dot(a, a) * vec3_dot(b, b)) + vec3_dot(a, b),
               y2 = vec3_dot(n, n) / (under * under);
        double angle = 2.0 * sqrt(y2) * (15.0 + 4.0 * y2) / (15.0 + 9.0 * y2);
        bend[node] = 2.0 * angle / (edge_rest_len(c, before) + edge_rest_len(c, node));
    }
    int last = c->node_count - 1;
    if (!c->closed) {
        bend[0] = last > 1 ? bend[1] : 0.0;
        bend[last] = last > 1 ? bend[last - 1] : 0.0;
    }
}

// A kink of the rest shape does not call for more nodes.
static void forgive_kinks(const Rod* rod, double* bend)
{
    const RodGrid* g = rod->grid;
    const CordCenterline* c = &rod->line;
    for (int j = 0; g->kinked && j < g->base_count; j++) {
        double angle = sqrt(g->kink[3 * j] * g->kink[3 * j] + g->kink[3 * j + 1] * g->kink[3 * j + 1]);
        int node = angle > 0.0 ? grid_edge_at(g, c, g->base_tick[j]) : 0;
        if (angle > 0.0 && g->tick[node] == g->base_tick[j]) {
            double length = 0.5 * (edge_rest_len(c, edge_before(c, node)) + edge_rest_len(c, node));
            bend[node] = real_max(bend[node] - angle / length, 0.0);
        }
    }
}

// Turning angle of an element: the mean curvature at its ends times its length.
static double turn_of(const CordCenterline* c, const double* bend, int edge)
{
    return 0.5 * (bend[edge] + bend[edge_end(c, edge)]) * edge_rest_len(c, edge);
}

static double rest_turn_of(const Rod* rod, int edge) // without kinks
{
    const RodGrid* g = rod->grid;
    double turn = 0.0;
    for (int end = 0; end < 2; end++) {
        double strain[3] = {0.0};
        grid_strain(g, g->tick[edge], grid_tick_after(g, &rod->line, edge), end == 1, strain);
        turn += sqrt(strain[0] * strain[0] + strain[1] * strain[1]);
    }
    return turn;
}

// The elements that the rod was made with resolve its rest shape. To refine them there would bend a rod that
// is free of stress: the rest shape of its halves is a smooth curve, on which the old nodes do not lie.
static bool turns_too_much(const Rod* rod, const double* bend, int edge)
{
    double excess = turn_of(&rod->line, bend, edge) - rod->grid->def.refine_turn;
    return excess > 0.0 && excess > rest_turn_of(rod, edge);
}

static bool is_to_be_halved(const Rod* rod, const Criteria* in, int edge)
{
    const RodGrid* g = rod->grid;
    bool touched = g->def.by_contact && in->touched[edge] == (TOUCHED_FIRST | TOUCHED_SECOND);
    return grid_can_halve(g, &rod->line, edge) && (touched || turns_too_much(rod, in->bend, edge)) &&
           !criteria_holds_edge(rod, edge);
}

static bool has_rested(const Rod* rod, const Criteria* in, int edge)
{
    const RodGrid* g = rod->grid;
    return !(g->def.by_contact && in->touched[edge]) && in->time - g->since[edge] >= g->def.merge_time &&
           turn_of(&rod->line, in->bend, edge) < g->def.merge_turn && !criteria_holds_edge(rod, edge);
}

// The merged element must not call for halving again.
static bool is_to_be_removed(const Rod* rod, const Criteria* in, int node)
{
    const CordCenterline* c = &rod->line;
    return !in->pinned[node] && grid_can_merge(rod->grid, c, node) && has_rested(rod, in, node - 1) &&
           has_rested(rod, in, node) &&
           turn_of(c, in->bend, node - 1) + turn_of(c, in->bend, node) < rod->grid->def.refine_turn;
}

// On a ring the last place is near the first.
static bool is_near(const CordCenterline* c, int last, int first, int at)
{
    return (last >= 0 && at - last < LEAST_DISTANCE) ||
           (c->closed && first >= 0 && first + c->edge_count - at < LEAST_DISTANCE);
}

int criteria_choose(const Rod* rod, const Criteria* in, bool* halve, bool* drop)
{
    const CordCenterline* c = &rod->line;
    int count = 0;
    measure_bends(c, in->bend);
    forgive_kinks(rod, in->bend);
    for (int pass = 0; pass < 2 && count == 0; pass++) {
        int first = -1, last = -1;
        for (int i = 0; i < c->node_count; i++) {
            halve[i] = drop[i] = false;
            if (is_near(c, last, first, i) || !(pass == 0 ? i < c->edge_count && is_to_be_halved(rod, in, i)
                                                          : is_to_be_removed(rod, in, i))) {
                continue;
            }
            (pass == 0 ? halve : drop)[i] = true;
            first = first < 0 ? i : first;
            last = i;
            count++;
        }
    }
    return count;
}
