// Contact of modal rods, each by itself with the obstacles: step, queries and state.
#include "base/real.h"
#include "world/contact_parts.h"
#include "world/obstacle.h"

// ---- colliders

static bool add_obstacles(CordWorld* w, ModalContact* t)
{
    for (int i = 0; i < w->obstacles.live_count; i++) {
        if (!contact_add_obstacle(w, &t->colliders, i)) {
            return false;
        }
    }
    return true;
}

static void clear_contacts(CordWorld* w)
{
    WorldContact* c = w->touch;
    for (int i = 0; i < c->modal_count; i++) {
        modal_contact_free(&w->memory, &c->modal[i]);
    }
    c->modal_count = 0;
}

bool contact_modal_fill(CordWorld* w)
{
    WorldContact* c = w->touch;
    clear_contacts(w);
    for (int i = 0; i < w->rods.live_count; i++) {
        Rod* rod = slots_at(&w->rods, i);
        if (stepper_of(rod)->contact != CONTACT_MODAL || rod->intangible) {
            continue;
        }
        if (!memory_grow(&w->memory, (void**)&c->modal, c->modal_count, &c->modal_capacity,
                         sizeof(ModalContact))) {
            return false;
        }
        ModalContact* t = &c->modal[c->modal_count++];
        *t = (ModalContact){0};
        if (!modal_contact_make(&w->memory, t, rod, i) || !add_obstacles(w, t)) {
            clear_contacts(w);
            return false;
        }
    }
    return true;
}

CordResult contact_modal_prepare(CordWorld* w)
{
    for (int i = 0; i < w->touch->modal_count; i++) {
        if (!modal_contact_reserve(&w->memory, &w->touch->modal[i])) {
            return contact_no_memory(w);
        }
        if (contact_may_rebound(w, &w->touch->modal[i].colliders)) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED,
                                "rod '%s' is modal, and modal rods do not rebound; set the restitution of it "
                                "and of all obstacles and pairs to 0",
                                w->touch->modal[i].rod->name);
        }
        if (contact_may_roll(w, &w->touch->modal[i].colliders)) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED,
                                "rod '%s' is modal, and modal rods do not roll; set the rolling and spinning "
                                "friction of it and of all obstacles and pairs to 0",
                                w->touch->modal[i].rod->name);
        }
        const ColliderSolid* soft = contact_find_compliant(&w->touch->modal[i].colliders);
        if (soft) {
            return message_fail(&w->message, CORD_NOT_SUPPORTED,
                                "rod '%s' is modal, and obstacle '%s' compliant; modal rods touch rigid "
                                "obstacles alone: leave its stiffness out, or take another model",
                                w->touch->modal[i].rod->name,
                                ((const Obstacle*)slots_at(&w->obstacles, soft->index))->name);
        }
    }
    return CORD_OK;
}

void contact_modal_free(CordWorld* w)
{
    clear_contacts(w);
    memory_array_free(&w->memory, w->touch->modal, w->touch->modal_capacity);
}

bool contact_has_modal(const CordWorld* w)
{
    return w->contact.on && w->touch && w->touch->modal_count > 0;
}

// ---- steps

static void solids_over(CordWorld* w, Colliders* cs, double h)
{
    for (int i = 0; i < cs->solid_count; i++) {
        const Obstacle* o = slots_at(&w->obstacles, cs->solids[i].index);
        cs->solids[i].begin = obstacle_pose_at(o, w->time);
        cs->solids[i].goal = obstacle_pose_at(o, w->time + h);
    }
}

// Largest number of substeps. Where the contact state is still unknown at that length, the step is accepted
// as it is.
#define MOST_PARTS 16.0

// The obstacle motions know the length of the whole step, of which h may be a substep.
static bool may_be_halved(const CordWorld* w, double h)
{
    const Obstacle* o = slots_at(&w->obstacles, 0);
    return h * MOST_PARTS > 1.5 * (o->to - o->from);
}

CordResult contact_modal_respond(CordWorld* w, double h)
{
    StepInfo step = {w->time, h, h, w->gravity, true};
    SurfaceLaws law = contact_surface_laws(w);
    for (int i = 0; contact_has_modal(w) && i < w->touch->modal_count; i++) {
        ModalContact* t = &w->touch->modal[i];
        Message message;
        solids_over(w, &t->colliders, h);
        if (!modal_contact_respond(&w->memory, t, &step, &law)) {
            return contact_no_memory(w);
        }
        if (t->left > MODAL_LOOSE && may_be_halved(w, h)) {
            return message_fail(
                &w->message, CORD_NOT_CONVERGED,
                "at t = %.9g s rod '%s' comes at an obstacle too fast to tell where it ends up", w->time,
                t->rod->name);
        }
        CordResult result = modal_check_step(t->rod, w->time + h, &message);
        if (result != CORD_OK) {
            return message_fail(&w->message, result, "at t = %.9g s %s", w->time, message.text);
        }
    }
    return CORD_OK;
}

static void push_obstacle(const Colliders* cs, const ModalPoint* p, double h, Obstacle* o)
{
    CordVec3 f = vec3_mul(vec3_madd(p->friction, p->n, p->push), -1.0);
    CordVec3 arm = vec3_sub(p->place, cs->solids[p->key.b].goal.point);
    CordVec3 torque = vec3_cross(arm, f);
    o->force = vec3_add(o->force, f), o->torque = vec3_add(o->torque, torque);
    o->impulse = vec3_madd(o->impulse, f, h);
    o->angular_impulse = vec3_madd(o->angular_impulse, torque, h);
}

CordResult contact_modal_reserve(CordWorld* w)
{
    for (int i = 0; contact_has_modal(w) && i < w->touch->modal_count; i++) {
        if (!modal_contact_reserve_end(&w->memory, &w->touch->modal[i])) {
            return contact_no_memory(w);
        }
    }
    return CORD_OK;
}

// Adds to the obstacle forces that contact_commit has written, where that is on.
void contact_modal_commit(CordWorld* w, double h)
{
    if (!contact_has_modal(w)) {
        return;
    }
    for (int i = 0; !contact_is_on(w) && i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        o->force = o->torque = o->impulse = o->angular_impulse = (CordVec3){0, 0, 0};
    }
    for (int i = 0; i < w->touch->modal_count; i++) {
        ModalContact* t = &w->touch->modal[i];
        modal_contact_commit(&w->memory, t);
        for (int k = 0; k < t->warm.count; k++) {
            const ModalPoint* p = &t->warm.all[k];
            push_obstacle(&t->colliders, p, h, slots_at(&w->obstacles, t->colliders.solids[p->key.b].index));
        }
    }
}

// ---- queries

CordResult contact_modal_list(CordWorld* w)
{
    WorldContact* c = w->touch;
    for (int i = 0; i < c->modal_count; i++) {
        const ModalContact* t = &c->modal[i];
        for (int k = 0; k < t->warm.count; k++) {
            if (!memory_grow(&w->memory, (void**)&c->list, c->list_count, &c->list_capacity,
                             sizeof(CordContact))) {
                return contact_no_memory(w);
            }
            c->list[c->list_count++] = modal_contact_describe(t, &t->warm.all[k]);
        }
    }
    return CORD_OK;
}

void contact_modal_report(const CordWorld* w, CordContactReport* report)
{
    const WorldContact* c = w->touch;
    for (int i = 0; i < c->modal_count; i++) {
        const ModalContact* t = &c->modal[i];
        for (int k = 0; k < t->warm.count; k++) {
            const ModalPoint* p = &t->warm.all[k];
            report->nearest = real_min(report->nearest, p->gap);
            report->deepest = real_max(report->deepest, -p->gap / p->radius);
        }
        report->iterations += t->rounds;
        report->searches += t->colliders.searches;
        report->candidates += (int64_t)t->colliders.solid_pair_count + t->colliders.mesh_pair_count;
    }
}

const CordVec3* contact_modal_forces(const CordWorld* w, const Rod* rod)
{
    for (int i = 0; i < w->touch->modal_count; i++) {
        if (w->touch->modal[i].rod == rod) {
            return w->touch->modal[i].force;
        }
    }
    return NULL;
}

// ---- state

void contact_modal_state(CordWorld* w, Bytes* b)
{
    for (int i = 0; contact_has_modal(w) && i < w->touch->modal_count; i++) {
        modal_contact_state(&w->memory, &w->touch->modal[i], b);
    }
}
