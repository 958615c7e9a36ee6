#include "rod/spring.h"

#include "base/real.h"
#include "rod/rod.h"

CordResult spring_check(const CordLoadDef* def, Message* message)
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
                            "a spring's damping is %g N s/m; it must be finite and not negative", def->damping);
    }
    if (!(def->most > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "a spring pulls with at most %g N; it must be positive, or INFINITY", def->most);
    }
    return CORD_OK;
}

bool spring_acts(const Load* load, double time)
{
    return load->def.kind == CORD_LOAD_SPRING && load_acts(load, time);
}

bool springs_act(const Rod* rod, double time)
{
    for (int i = 0; i < rod->load_count; i++) {
        if (spring_acts(rod->loads[i], time)) {
            return true;
        }
    }
    return false;
}

double spring_stiffness(const Load* load, CordVec3 x, CordVec3 ahead)
{
    const CordLoadDef* d = &load->def;
    double far = real_max(vec3_length(vec3_sub(d->target, x)), vec3_length(vec3_sub(d->target, ahead)));
    return d->stiffness * far > d->most ? d->most / far : d->stiffness;
}

CordVec3 spring_force(const Load* load, CordVec3 x, CordVec3 v)
{
    CordVec3 pull = vec3_mul(vec3_sub(load->def.target, x), spring_stiffness(load, x, x));
    return vec3_madd(pull, v, -load->def.damping);
}

double spring_energy(const Load* load, CordVec3 x)
{
    const CordLoadDef* d = &load->def;
    double far = vec3_length(vec3_sub(d->target, x)), most = d->most;
    return d->stiffness * far > most ? most * (far - 0.5 * most / d->stiffness) : 0.5 * d->stiffness * far * far;
}

// ---- steps of explicit and position-based rods

static bool is_carried(const Load* load)
{
    const Clamp* clamp = clamp_of_node(load->rod, load->node);
    return clamp && clamp->carrier;
}

// Several springs at one node add up one by one: each finds the mass that those before it left.
static void take_one(const Load* load, double h, double kick, const CordCenterline* c, double* const v[3])
{
    int s = slot_of(c, load->node);
    double w = c->w[s];
    if (w == 0.0) { // a clamp has it
        return;
    }
    CordVec3 x = slot_get(c->x, s);
    double K = spring_stiffness(load, x, vec3_madd(x, slot_get(v, s), h)),
           heavier = 1.0 + kick * (h * K + load->def.damping) * w;
    CordVec3 pushed = vec3_madd(slot_get(v, s), vec3_sub(load->def.target, x), kick * K * w);
    if (is_carried(load)) { // the body's mass is in its way, too: as any other force
        slot_set(v, s, vec3_madd(pushed, slot_get(c->v, s), -kick * load->def.damping * w));
        return;
    }
    slot_set(v, s, vec3_mul(pushed, 1.0 / heavier));
    c->w[s] = w / heavier;
}

void springs_take(Rod* rod, double time, double h, double kick, double* const v[3])
{
    for (int i = 0; i < rod->load_count; i++) {
        if (spring_acts(rod->loads[i], time)) {
            take_one(rod->loads[i], h, kick, &rod->line, v);
            rod->sprung = true;
        }
    }
    if (rod->sprung) {
        centerline_wrap_one(&rod->line, rod->line.w);
    }
}

void springs_drop(Rod* rod)
{
    if (rod->sprung) {
        rod_weigh_nodes(rod);
        rod->sprung = false;
    }
}

void springs_slow(const Rod* rod, double time, double lag, CordVec3* v)
{
    const CordCenterline* c = &rod->line;
    for (int i = 0; i < rod->load_count && lag > 0.0; i++) {
        const Load* load = rod->loads[i];
        double w = c->w[slot_of(c, load->node)], C = load->def.damping;
        if (spring_acts(load, time) && w > 0.0) {
            CordVec3 x = node_position(c, load->node), before = node_velocity(c, load->node);
            double K = spring_stiffness(load, x, x), heavier = 1.0 + lag * (lag * K + C) * w;
            v[load->node] = vec3_mul(vec3_madd(v[load->node], before, lag * C * w), 1.0 / heavier);
        }
    }
}
