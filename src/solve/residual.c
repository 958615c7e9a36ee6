// The energy that a static solve minimises, and the forces that are left where it has not.
#include "base/real.h"
#include "solve/statics.h"

#define ENERGY_NOISE 1e-13 // relative to the energies that cancel: a smaller change of energy means nothing

// ---- energy

// Rotation of an edge's frame by the body that carries it, since the iteration began [rad].
static double turned_by_body(const Statics* st, int rod, int edge, CordVec3 e)
{
    const Assembly* a = st->sys.joins ? st->sys.joins->assembly : NULL;
    for (int i = 0; a && i < a->tie_count; i++) {
        const Tie* tie = &a->ties[i];
        const Clamp* clamp = &tie->weld->clamp;
        if (tie->rod == rod && tie->k == 0 && clamp->edge == edge && clamp->def.fix == CORD_FIX_FRAME) {
            const double* gone = st->sys.bodies[tie->body].gone;
            return vec3_dot(vec3_unit(e), (CordVec3){gone[3], gone[4], gone[5]});
        }
    }
    return 0.0;
}

// Where the energy of a load is evaluated. A load without a potential counts its work since the iteration
// began.
static LoadPoint load_point(const Statics* st, int rod, const Load* load)
{
    const NewtonRod* r = &st->sys.rods[rod];
    int s = slot_of(&r->rod->line, load->node);
    LoadPoint at = {.time = st->sys.time, .x = vec3_add(slot_get(r->y, s), st->sys.origin)};
    if (load->edge >= 0) {
        at.edge = vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s));
        at.edge_from = vec3_sub(slot_get(r->start, s + 1), slot_get(r->start, s));
        at.turned =
            r->turned[s] - st->rods[rod].turned_before[s] + turned_by_body(st, rod, load->edge, at.edge);
    }
    return at;
}

// Work since the iteration began of the wind as it was there, so that its derivative is the force.
static double work_of_wind(const Statics* st, const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    double sum = 0.0;
    for (int n = 0; n < c->node_count && loads_have_drag(r->rod, st->sys.time); n++) {
        int s = slot_of(c, n);
        CordVec3 gone = vec3_sub(slot_get(r->y, s), slot_get(r->start, s));
        sum += vec3_dot(loads_wind_at(r->rod, n, r->start, st->sys.origin, st->sys.time).force, gone);
    }
    return sum;
}

static double potential_of_loads(const Statics* st, int index)
{
    const NewtonSystem* sys = &st->sys;
    const NewtonRod* r = &sys->rods[index];
    const Rod* rod = r->rod;
    const CordCenterline* c = &rod->line;
    const double* torque = framed_of(rod)->torque;
    double sum = 0.0;
    for (int i = 0; i < c->node_count; i++) {
        sum -= rod_node_mass(rod, i) * vec3_dot(sys->gravity, slot_get(r->y, slot_of(c, i)));
    }
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        double share = load->kind->energy ? load_share(load, sys->time) : 0.0;
        if (share > 0.0) {
            LoadPoint at = load_point(st, index, load);
            sum += load->kind->energy(load, share, &at);
        }
    }
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        sum -= torque[s] * r->turned[s];
    }
    return sum - work_of_wind(st, r);
}

static double stretching(const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    double sum = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count && !r->rod->inextensible; s++) {
        double len = vec3_length(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
        double change = len - c->rest_len[s];
        sum += 0.5 * change * change / r->soft[s];
    }
    return sum;
}

StaticsEnergy statics_energy(const Statics* st)
{
    const NewtonSystem* sys = &st->sys;
    StaticsEnergy all = {0.0, 0.0};
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        double elastic = framed_trial_energy(r->rod, 0.0) + stretching(r), loads = potential_of_loads(st, i);
        double weight = rod_mass(r->rod) * vec3_length(sys->gravity) * r->rod->length;
        all.sum += elastic + loads;
        all.noise += ENERGY_NOISE * (fabs(elastic) + fabs(loads) + weight);
    }
    for (int i = 0; i < sys->body_count; i++) {
        const NewtonBody* b = &sys->bodies[i];
        CordVec3 force = {b->push[0], b->push[1], b->push[2]};
        double height = vec3_dot(force, b->pose.point);
        double turn = b->push[3] * b->gone[3] + b->push[4] * b->gone[4] + b->push[5] * b->gone[5];
        all.sum -= height + turn;
        all.noise += ENERGY_NOISE * (fabs(height) + fabs(turn));
    }
    return all;
}

double statics_energy_in_scene(const Statics* st)
{
    const NewtonSystem* sys = &st->sys;
    CordVec3 force = {0, 0, 0}; // whose potential is relative to sys->origin
    for (int i = 0; i < sys->rod_count; i++) {
        const Rod* rod = sys->rods[i].rod;
        for (int n = 0; n < rod->line.node_count; n++) {
            force = vec3_madd(force, sys->gravity, rod_node_mass(rod, n));
        }
    }
    for (int i = 0; i < sys->body_count; i++) {
        const double* push = sys->bodies[i].push;
        force = vec3_add(force, (CordVec3){push[0], push[1], push[2]});
    }
    double coupled = sys->coupling ? sys->coupling->energy(sys->coupled) : 0.0;
    return statics_energy(st).sum - vec3_dot(force, sys->origin) + coupled;
}

// ---- residual

// Component of the force on a sliding clamp along its axis. The nodes of a sliding edge move together, so
// that forces between them cancel.
static double force_along(const NewtonRod* r, const Clamp* clamp)
{
    double along = 0.0;
    for (int k = 0; k < clamp->node_count; k++) {
        along += vec3_dot(slot_get(r->force.x, slot_of(&r->rod->line, clamp->node[k])), clamp->axis);
    }
    return fabs(along);
}

// Difference between the tension of an edge and the one that its length makes, but for what the round-off of
// positions makes. In an inextensible rod the length makes none.
static double tension_error(const Statics* st, int rod, int s)
{
    const NewtonRod* r = &st->sys.rods[rod];
    double len = vec3_length(vec3_sub(slot_get(r->y, s + 1), slot_get(r->y, s)));
    double off = fabs(len - st->rods[rod].length[s]) - 2.0 * STATICS_ROUND_OFF * r->rod->length;
    return r->soft[s] > 0.0 && off > 0.0 ? off / r->soft[s] : 0.0;
}

// Largest residual force. Moments are divided by the length of an edge.
double statics_largest_force(const Statics* st)
{
    double most = 0.0;
    for (int i = 0; i < st->sys.rod_count; i++) {
        const NewtonRod* r = &st->sys.rods[i];
        const CordCenterline* c = &r->rod->line;
        const double* may_turn = framed_of(r->rod)->may_turn;
        for (int n = 0; n < c->node_count; n++) {
            int s = slot_of(c, n);
            const Clamp* clamp = st->rods[i].slides ? clamp_in_space(r->rod, n) : NULL;
            bool slides = clamp && clamp->def.slides;
            double size = slides ? force_along(r, clamp) : vec3_length(slot_get(r->force.x, s));
            bool free = c->w[s] > 0.0 && !newton_is_carried(r, s);
            most = !free || size <= most ? most : size;
            double moment = n < c->edge_count ? may_turn[s] * fabs(r->force.angle[s]) / c->rest_len[s] : 0.0;
            most = moment <= most ? most : moment;
            double tension = n < c->edge_count ? tension_error(st, i, s) : 0.0;
            most = tension <= most ? most : tension;
        }
    }
    double length = st->sys.rods->rod->length;
    for (int i = 0; i < st->sys.body_count; i++) {
        for (int k = 0; k < 6; k++) {
            double size = fabs(st->sys.bodies[i].force[k]) / (k < 3 ? 1.0 : length);
            most = size <= most ? most : size;
        }
    }
    return most;
}

static bool is_rigid_edge(const NewtonRod* r, int s) // held or carried at both ends
{
    const double* w = r->rod->line.w;
    return (w[s] == 0.0 && w[s + 1] == 0.0) || newton_is_rigid(r, s);
}

// The largest force in a section from bending, twist or, if asked for, tension, or the weight.
double statics_section_force(const Statics* st, bool with_tension)
{
    const NewtonSystem* sys = &st->sys;
    double most = real_max(st->least_force, newton_mass(sys) * vec3_length(sys->gravity));
    for (int i = 0; i < sys->rod_count; i++) {
        const NewtonRod* r = &sys->rods[i];
        const CordCenterline* c = &r->rod->line;
        const CornerGradient* g = &r->terms.gradient;
        for (int s = c->halo; s < c->halo + c->edge_count; s++) {
            if (is_rigid_edge(r, s)) { // bending next to it shows as shear on a very short lever
                continue;
            }
            CordVec3 f = slot_get((double*const*)g->f, s),
                     p = vec3_add(f, slot_get((double*const*)g->e, s + 1));
            double moment = vec3_length(f) * c->rest_len[s] + fabs(g->phi_f[s]);
            double tension = with_tension ? fabs(r->n[s]) : 0.0;
            most = real_max(most, vec3_length(p) + tension + moment / r->rod->length);
        }
    }
    return most;
}

// Smallest residual that forces which cancel can reach: positions have round-off, and the stiffness of
// corners and tensions at the last assembly turns it into forces.
double statics_round_off(const NewtonRod* r)
{
    const CordCenterline* c = &r->rod->line;
    const CornerHessian* h = &r->terms.hessian;
    double most = 0.0;
    for (int s = c->halo; s < c->halo + c->edge_count; s++) {
        double stiff = fabs(r->n[s]) * c->inv_rest[s];
        for (int k = 0; k < 3; k++) {
            static const int diagonal[3] = {0, 3, 5};
            stiff += fabs(h->ff[diagonal[k]][s]) + fabs(h->ee[diagonal[k]][s + 1]);
        }
        most = real_max(most, stiff);
    }
    return STATICS_ROUND_OFF * r->rod->length * most;
}
