// A spring from a node to a point in space: a hand, or a tether.
//
// Over a step a spring is linear and implicit (TetherShares in rod/load.h). K is less than the stiffness
// where the force would exceed its limit, at the start of the step or at the predicted end, whichever is
// farther away. Its node then has an effective mass and another velocity, and any step is stable. (A node of
// an explicit rod that a body carries is treated explicitly: there K h^2 must stay below the mass of the
// body.)
#include "base/real.h"
#include "rod/load.h"
#include "rod/rod.h"

static CordResult check(const CordLoadDef* def, Message* message)
{
    if (!vec3_finite(def->target)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "the target of a spring must be finite");
    }
    if (!(isfinite(def->stiffness) && def->stiffness > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a spring's stiffness is %g N/m; it must be positive and finite", def->stiffness);
    }
    if (!(isfinite(def->damping) && def->damping >= 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a spring's damping is %g N s/m; it must be finite and not negative",
                            def->damping);
    }
    if (!(def->most > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a spring pulls with at most %g N; it must be positive, or INFINITY", def->most);
    }
    return CORD_OK;
}

// Secant stiffness K of a step from x whose predicted end is `ahead` [N/m].
static double stiffness(const Load* load, CordVec3 x, CordVec3 ahead)
{
    const CordLoadDef* d = &load->def;
    double far = real_max(vec3_length(vec3_sub(d->target, x)), vec3_length(vec3_sub(d->target, ahead)));
    return d->stiffness * far > d->most ? d->most / far : d->stiffness;
}

static LoadTether tether(const Load* load, CordVec3 from, CordVec3 ahead)
{
    const CordLoadDef* d = &load->def;
    return (LoadTether){d->target, stiffness(load, from, ahead), d->damping, d->most};
}

// Where the force is at its limit, this secant stiffness is larger than the tangent, which is zero along the
// spring and would lead Newton's method astray from far away.
static LoadTerms terms(const Load* load, double share, const LoadPoint* at)
{
    (void)share;
    LoadTether s = tether(load, at->from, at->ahead);
    double K = s.stiffness;
    return (LoadTerms){.force = vec3_mul(vec3_sub(s.target, at->x), K),
                       .K = {K, 0, 0, 0, K, 0, 0, 0, K},
                       .damping = s.damping};
}

static double energy(const Load* load, double share, const LoadPoint* at)
{
    const CordLoadDef* d = &load->def;
    double far = vec3_length(vec3_sub(d->target, at->x)), most = d->most;
    (void)share;
    return d->stiffness * far > most ? most * (far - 0.5 * most / d->stiffness)
                                     : 0.5 * d->stiffness * far * far;
}

// ---- steps of explicit and position-based rods

static bool is_carried(const Load* load)
{
    const Clamp* clamp = clamp_of_node(load->rod, load->node);
    return clamp && clamp->carrier;
}

// Several springs at one node are applied one by one, each with the effective mass that those before it left.
// That is what all at once would do, since their K does not depend on what the others have done.
static void kick_one(const Load* load, const LoadStep* step, const CordCenterline* c, double* const v[3])
{
    double h = step->h, kick = step->kick;
    int s = slot_of(c, load->node);
    double w = c->w[s];
    if (w == 0.0) { // clamped
        return;
    }
    CordVec3 x = slot_get(c->x, s), start = slot_get(c->v, s);
    LoadTether t = tether(load, x, vec3_madd(x, start, h));
    TetherShares share = tether_shares(&t, rod_node_mass(load->rod, load->node), step);
    double pull = h * t.stiffness, C = t.damping;
    CordVec3 pushed = vec3_madd(slot_get(v, s), vec3_sub(t.target, x), kick * t.stiffness * w);
    if (is_carried(load)) { // explicit: the body's mass adds to the node's
        slot_set(v, s, vec3_madd(pushed, start, -kick * C * w));
        return;
    }
    double heavier = 1.0 + kick * (share.ahead * pull + share.damped * C) * w,
           lasting = kick * (share.behind * pull - (1.0 - share.damped) * C) * w;
    slot_set(v, s, vec3_mul(vec3_madd(pushed, start, lasting), 1.0 / heavier));
    c->w[s] = w / heavier;
}

static void kick(Rod* rod, const LoadStep* step, double* const v[3])
{
    double time = step->backward ? time_just_before(step->time + step->h) : step->time;
    for (int i = 0; i < rod->load_count; i++) {
        const Load* load = rod->loads[i];
        if (load->kind == &load_spring && load_acts(load, time)) {
            kick_one(load, step, &rod->line, v);
            rod->sprung = true;
        }
    }
    if (rod->sprung) {
        centerline_wrap_one(&rod->line, rod->line.w);
    }
}

static const CordField fields[] = {
    LOAD_FIELD_VECTOR(target, "Point that it pulls to.", "m"),
    {.key = "stiffness",
     .about = "Stiffness.",
     .unit = "N/m",
     .type = CORD_FIELD_NUMBER,
     .offset = offsetof(CordLoadDef, stiffness),
     .high = 1e12,
     .low_open = true,
     .needed = true},
    {.key = "damping",
     .about = "Damping of the node's velocity.",
     .unit = "N s/m",
     .type = CORD_FIELD_NUMBER,
     .offset = offsetof(CordLoadDef, damping),
     .high = 1e9},
    {.key = "most",
     .about = "Largest force of the spring.",
     .otherwise = "as hard as it takes",
     .unit = "N",
     .type = CORD_FIELD_NUMBER,
     .offset = offsetof(CordLoadDef, most),
     .high = 1e12,
     .low_open = true},
    {.key = NULL},
};

const LoadKind load_spring = {
    .info = {"spring",
             "A spring of zero rest length from a node of a rod to a point in space: a hand, or a tether.",
             CORD_LOAD_ON_NODE, fields},
    .value = offsetof(CordLoadDef, target),
    .check = check,
    .terms = terms,
    .energy = energy,
    .tether = tether,
    .kick = kick,
};
