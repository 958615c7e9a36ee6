// Loads on a rod in the equations of a step or an equilibrium: at nodes, on edges, and wind on a rod at rest.
#include "solve/newton_parts.h"

static LoadPoint edge_point(const NewtonSystem* sys, const NewtonRod* r, const Load* load)
{
    int s = slot_of(&r->rod->line, load->node);
    bool on_edge = load->edge >= 0;
    return (LoadPoint){.time = newton_load_time(sys),
                       .x = vec3_add(slot_get(r->y, s), sys->origin),
                       .edge = on_edge ? vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s))
                                       : (CordVec3){0, 0, 0}};
}

bool newton_load_terms(const NewtonSystem* sys, const NewtonRod* r, const Load* load, LoadTerms* f)
{
    double now = load_is_explicit(load) ? load_share(load, newton_load_time(sys)) : 0.0, share = now;
    if (load_is_explicit(load) && sys->only_shift) {
        share = sys->rate_step > 0.0
                    ? (load_share(load, newton_load_time(sys) + sys->rate_step) - now) / sys->rate_step
                    : 0.0;
    }
    LoadPoint at = edge_point(sys, r, load);
    if (share != 0.0) {
        *f = load->kind->terms(load, share, &at);
    }
    return share != 0.0;
}

static void add_force(const NewtonRod* r, BandSystem* st, int k, CordVec3 f, double sign)
{
    int x = band_x(st, k);
    if (!newton_is_carried(r, band_slot(st, k))) { // the body takes the force of a carried node
        band_add_right(st, band_next(x, 0), sign * f.x);
        band_add_right(st, band_next(x, 1), sign * f.y);
        band_add_right(st, band_next(x, 2), sign * f.z);
    }
}

// Adds the derivatives, by the edge vector, of the forces on the edge's nodes and of the torque on its frame.
static void add_edge_load_stiffness(BandSystem* st, int k, const LoadTerms* f, bool symmetric)
{
    int x = band_x(st, k), next = band_x(st, k + 1), angle = band_angle(st, k);
    double K[9], g[3] = {f->turning.x, f->turning.y, f->turning.z}, back = symmetric ? 0.5 : 0.0;
    for (int i = 0; i < 9; i++) {
        K[i] = symmetric ? 0.5 * (f->K[i] + f->K[i % 3 * 3 + i / 3]) : f->K[i];
    }
    band_add_edge(st, k, K);
    for (int j = 0; j < 3; j++) {
        band_add(st, angle, band_next(next, j), (1.0 - back) * g[j]);
        band_add(st, angle, band_next(x, j), -(1.0 - back) * g[j]);
        band_add(st, band_next(next, j), angle, back * g[j]);
        band_add(st, band_next(x, j), angle, -back * g[j]);
    }
}

static void add_edge_load(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st, int k,
                          const Load* load)
{
    LoadTerms f;
    if (newton_load_terms(sys, r, load, &f)) {
        add_force(r, st, k, f.force, -1.0);
        add_force(r, st, k + 1, f.force, 1.0);
        band_add_right(st, band_angle(st, k), f.torque);
    }
    double share = load_share(load, newton_load_time(sys));
    if (!st->right_only && share > 0.0) { // the matrix does not depend on whether rates are assembled
        LoadPoint at = edge_point(sys, r, load);
        f = load->kind->terms(load, share, &at);
        add_edge_load_stiffness(st, k, &f, sys->symmetric);
    }
}

static void add_load_on_edge(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st, const Load* load)
{
    for (int n = 0; n < band_edge_count(st); n++) {
        int k = band_edge(st, n);
        if (newton_edge_at(r, band_slot(st, k)) == load->edge) {
            add_edge_load(sys, r, st, k, load);
        }
    }
}

static void add_node_load(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st, int k,
                          const Load* load)
{
    LoadTerms f;
    if (newton_load_terms(sys, r, load, &f)) {
        add_force(r, st, k, f.force, 1.0);
    }
    double share = load_is_explicit(load) ? load_share(load, newton_load_time(sys)) : 0.0;
    if (!st->right_only && share > 0.0 && !newton_is_carried(r, band_slot(st, k))) {
        LoadPoint at = edge_point(sys, r, load);
        int x = band_x(st, k);
        f = load->kind->terms(load, share, &at);
        for (int i = 0; i < 9; i++) {
            if (f.K[i] != 0.0) {
                band_add(st, band_next(x, i / 3), band_next(x, i % 3), f.K[i]);
            }
        }
    }
}

// ---- wind on a rod at rest

// Derivative of the force on node k by the position of node j.
static void add_wind_stiffness(const NewtonSystem* sys, BandSystem* st, int k, int j, const double K[9],
                               double sign)
{
    int row = band_x(st, k), column = band_x(st, j);
    double back = sys->symmetric ? 0.5 : 0.0;
    for (int i = 0; i < 9; i++) {
        band_add(st, band_next(row, i / 3), band_next(column, i % 3), (1.0 - back) * sign * K[i]);
        band_add(st, band_next(column, i % 3), band_next(row, i / 3), back * sign * K[i]);
    }
}

// The force on node k of the span, or its rate while rates are assembled. A body gets the force on a carried
// node through its port, as it gets those of the corners.
static void add_wind_at(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st, int k)
{
    int node = newton_edge_at(r, band_slot(st, k)), x = band_x(st, k), s = slot_of(&r->rod->line, node);
    NodeWind wind = loads_wind_at(r->rod, node, r->y, sys->origin, newton_load_time(sys));
    CordVec3 f = wind.force;
    if (sys->only_shift && sys->rate_step > 0.0) {
        CordVec3 later =
            loads_wind_at(r->rod, node, r->y, sys->origin, newton_load_time(sys) + sys->rate_step).force;
        f = vec3_mul(vec3_sub(later, f), 1.0 / sys->rate_step);
    } else if (sys->only_shift) {
        f = (CordVec3){0, 0, 0};
    }
    band_add_right(st, band_next(x, 0), f.x);
    band_add_right(st, band_next(x, 1), f.y);
    band_add_right(st, band_next(x, 2), f.z);
    add_wind_stiffness(sys, st, k, k, wind.K, 1.0);
    add_wind_stiffness(sys, st, k, k + wind.ahead - s, wind.K_span, 1.0);
    add_wind_stiffness(sys, st, k, k + wind.behind - s, wind.K_span, -1.0);
}

// The wind on a node depends on the nodes beside it, as a corner does: a span assembles that on the nodes of
// its corners, and on an end of the rod.
static void add_wind(const NewtonSystem* sys, const NewtonRod* r, BandSystem* st)
{
    int ends[2] = {-st->first, r->rod->line.node_count - 1 - st->first}; // as nodes of the span
    for (int k = band_corner_from(st); k < band_corner_to(st); k++) {
        add_wind_at(sys, r, st, k);
    }
    for (int i = 0; i < 2 && !r->rod->line.closed; i++) {
        if (ends[i] >= (st->left ? -1 : 0) && ends[i] < st->blocks + (st->right ? 2 : 0)) {
            add_wind_at(sys, r, st, ends[i]);
        }
    }
}

void newton_add_loads(NewtonSystem* sys, NewtonRod* r, BandSystem* st)
{
    if (sys->reach == 0.0 && loads_have_drag(r->rod, newton_load_time(sys))) {
        add_wind(sys, r, st);
    }
    for (int i = 0; i < r->rod->load_count; i++) {
        const Load* load = r->rod->loads[i];
        int k;
        if (load->edge >= 0) {
            add_load_on_edge(sys, r, st, load);
        } else if (band_has(st, load->node, &k)) {
            add_node_load(sys, r, st, k, load);
        }
    }
}

bool newton_is_skew(const NewtonSystem* sys)
{
    for (int i = 0; i < sys->rod_count; i++) {
        const Rod* rod = sys->rods[i].rod;
        // steps keep the tangents of drag, so that its stiffness is symmetric there
        if (loads_have_torque(rod) || (sys->reach == 0.0 && loads_circulate(rod, newton_load_time(sys)))) {
            return true;
        }
    }
    return false;
}
