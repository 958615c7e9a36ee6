// Makes a failing scene smaller: drops parts, takes features away and halves counts, as long as it fails.
#include "relations.h"

#include <string.h>

static void drop(void* things, size_t size, int* count, int index)
{
    char* at = (char*)things + (size_t)index * size;
    memmove(at, at + size, (size_t)(*count - 1 - index) * size);
    --*count;
}

#define DROP(s, array, count, index) drop((s)->array, sizeof *(s)->array, &(s)->count, index)

static bool drop_rod(Scene* s, int rod)
{
    if (rod >= s->rod_count || s->rod_count == 1) {
        return false;
    }
    DROP(s, rods, rod_count, rod);
    for (int i = s->clamp_count - 1; i >= 0; i--) {
        if (s->clamps[i].rod == rod) {
            DROP(s, clamps, clamp_count, i);
        } else {
            s->clamps[i].rod -= s->clamps[i].rod > rod;
        }
    }
    for (int i = s->load_count - 1; i >= 0; i--) {
        if (s->loads[i].rod == rod) {
            DROP(s, loads, load_count, i);
        } else {
            s->loads[i].rod -= s->loads[i].rod > rod;
        }
    }
    for (int i = s->weld_count - 1; i >= 0; i--) {
        if (s->welds[i].rod == rod) {
            DROP(s, welds, weld_count, i);
        } else {
            s->welds[i].rod -= s->welds[i].rod > rod;
        }
    }
    for (int i = s->joint_count - 1; i >= 0; i--) {
        int* rods = s->joints[i].rods;
        if (rods[0] == rod || rods[1] == rod) {
            DROP(s, joints, joint_count, i);
        } else {
            rods[0] -= rods[0] > rod, rods[1] -= rods[1] > rod;
        }
    }
    return true;
}

static bool drop_body(Scene* s, int body)
{
    if (body >= s->body_count) {
        return false;
    }
    DROP(s, bodies, body_count, body);
    for (int i = s->weld_count - 1; i >= 0; i--) {
        if (s->welds[i].body == body) {
            DROP(s, welds, weld_count, i);
        } else {
            s->welds[i].body -= s->welds[i].body > body;
        }
    }
    for (int i = s->load_count - 1; i >= 0; i--) {
        if (s->loads[i].body == body) {
            DROP(s, loads, load_count, i);
        } else {
            s->loads[i].body -= s->loads[i].body > body;
        }
    }
    return true;
}

static bool drop_clamp(Scene* s, int i)
{
    if (i >= s->clamp_count) {
        return false;
    }
    DROP(s, clamps, clamp_count, i);
    return true;
}

static bool drop_motion(Scene* s, int i)
{
    if (i >= s->clamp_count || s->clamps[i].motion_count == 0) {
        return false;
    }
    s->clamps[i].motion_count--;
    return true;
}

static bool drop_obstacle_motion(Scene* s, int i)
{
    if (i >= s->obstacle_count || s->obstacles[i].motion_count == 0) {
        return false;
    }
    s->obstacles[i].motion_count--;
    return true;
}

static bool drop_load(Scene* s, int i)
{
    if (i >= s->load_count) {
        return false;
    }
    DROP(s, loads, load_count, i);
    return true;
}

static bool drop_weld(Scene* s, int i)
{
    if (i >= s->weld_count) {
        return false;
    }
    DROP(s, welds, weld_count, i);
    return true;
}

static bool drop_joint(Scene* s, int i)
{
    if (i >= s->joint_count) {
        return false;
    }
    DROP(s, joints, joint_count, i);
    return true;
}

static bool drop_contact(Scene* s, int i)
{
    bool had = i == 0 && s->contact;
    s->contact = had ? false : s->contact;
    s->obstacle_count = had ? 0 : s->obstacle_count;
    return had;
}

static bool drop_obstacle(Scene* s, int i)
{
    if (i >= s->obstacle_count) {
        return false;
    }
    DROP(s, obstacles, obstacle_count, i);
    return true;
}

static bool drop_gravity(Scene* s, int i)
{
    bool had = i == 0 && cord_vec3_length(s->gravity) > 0.0;
    s->gravity = had ? cord_vec3(0, 0, 0) : s->gravity;
    return had;
}

static bool halve_steps(Scene* s, int i)
{
    bool can = i == 0 && s->steps > 1;
    s->steps = can ? s->steps / 2 : s->steps;
    return can;
}

static bool halve_elements(Scene* s, int i)
{
    if (i >= s->rod_count || s->rods[i].elements < 6 || s->rods[i].shape.kind == NODES) {
        return false;
    }
    s->rods[i].elements /= 2;
    return true;
}

#define SIMPLER(name, member, plain)                                                                         \
    static bool name(Scene* s, int i)                                                                        \
    {                                                                                                        \
        if (i >= s->rod_count || s->rods[i].member == (plain)) {                                             \
            return false;                                                                                    \
        }                                                                                                    \
        s->rods[i].member = (plain);                                                                         \
        return true;                                                                                         \
    }

SIMPLER(extend, inextensible, false)
SIMPLER(no_fast, fast_projection, false)
SIMPLER(still_frames, dynamic_twist, false)
SIMPLER(no_twist, twist, 0.0)
SIMPLER(no_rest_twist, rest_twist, 0.0)
SIMPLER(no_damping, damping_time, 0.0)
SIMPLER(as_shaped, rest, AS_SHAPED)
SIMPLER(disc, section, DISC)
SIMPLER(verlet, integrator, CORD_INTEGRATOR_VERLET)
SIMPLER(der, model, CORD_MODEL_DER)
SIMPLER(directors, explicit_orientations, false)
SIMPLER(one_substep, substeps, 1)
SIMPLER(no_weights, weights, false)
SIMPLER(no_sweeps, sweeps, false)
SIMPLER(no_velocity_x, velocity.x, 0.0)
SIMPLER(no_velocity_y, velocity.y, 0.0)
SIMPLER(no_velocity_z, velocity.z, 0.0)
SIMPLER(no_spin_x, spin.x, 0.0)
SIMPLER(no_spin_y, spin.y, 0.0)
SIMPLER(no_spin_z, spin.z, 0.0)

static bool make_line(Scene* s, int i)
{
    if (i >= s->rod_count || s->rods[i].closed || s->rods[i].shape.kind == LINE) {
        return false;
    }
    Shape* shape = &s->rods[i].shape;
    CordVec3 a = shape_end(shape, false), b = shape_end(shape, true);
    shape->kind = LINE, shape->points[0] = a, shape->points[1] = b, shape->point_count = 2;
    return true;
}

static bool hold_position(Scene* s, int i)
{
    if (i >= s->clamp_count || s->clamps[i].fix == CORD_FIX_POSITION) {
        return false;
    }
    s->clamps[i].fix = CORD_FIX_POSITION, s->clamps[i].torque = NAN;
    return true;
}

static bool no_slide(Scene* s, int i)
{
    if (i >= s->clamp_count || isnan(s->clamps[i].free_along.x)) {
        return false;
    }
    s->clamps[i].free_along.x = NAN;
    return true;
}

static bool no_release(Scene* s, int i)
{
    if (i >= s->clamp_count || isnan(s->clamps[i].release)) {
        return false;
    }
    s->clamps[i].release = NAN;
    return true;
}

static bool (*const reductions[])(Scene* s, int index) = {
    drop_contact, drop_rod,    drop_body,      drop_joint,    drop_weld,
    drop_load,    drop_clamp,  drop_obstacle,  drop_motion,   drop_obstacle_motion,
    drop_gravity, halve_steps, halve_elements, no_fast,       extend,
    still_frames, no_twist,    no_rest_twist,  no_damping,    as_shaped,
    disc,         der,         verlet,         directors,     one_substep,
    no_weights,   no_sweeps,   no_velocity_x,  no_velocity_y, no_velocity_z,
    no_spin_x,    no_spin_y,   no_spin_z,      make_line,     hold_position,
    no_slide,     no_release};

static bool fails(const Relation* r, const Scene* s, Verdict* v)
{
    static Subject subject;
    if ((r->applies != NULL && !r->applies(s)) || subject_prepare(&subject, s, v) != HOLDS) {
        return false;
    }
    relation_check(r, &subject, v);
    return v->finding == FAILS;
}

void scene_minimise(const Relation* r, Scene* s, double least, Verdict* v)
{
    static Scene smaller;
    for (bool again = true; again;) {
        again = false;
        for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++) {
            for (int i = 0; i < MOST_CLAMPS; i++) {
                Verdict now = {0};
                smaller = *s;
                if (reductions[k](&smaller, i) && fails(r, &smaller, &now) && now.ratio >= least &&
                    now.group == v->group) {
                    *s = smaller, *v = now, again = true, i--;
                }
            }
        }
    }
}
