// Where bodies and obstacles are in a step with contact.
#include "world/contact_parts.h"
#include "world/obstacle.h"

void contact_move_solids(CordWorld* w, double h)
{
    Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->solid_count; i++) {
        ColliderSolid* s = &cs->solids[i];
        if (s->kind == CORD_TOUCH_BODY) {
            const Body* body = slots_at(&w->bodies, s->index);
            CordBodyState now = body->engine->get(body->engine_user, body->handle);
            s->begin = s->goal = body->pose;
            s->goal.point = vec3_madd(s->goal.point, now.velocity, h);
            s->turn = h * vec3_length(now.spin);
            continue;
        }
        const Obstacle* o = slots_at(&w->obstacles, s->index);
        s->begin = obstacle_pose_at(o, w->time);
        s->goal = obstacle_pose_at(o, w->time + h);
        s->turn = obstacle_turn(o, w->time, w->time + h);
        s->detour = obstacle_detour(o, w->time, w->time + h);
    }
}

void contact_place_obstacles(CordWorld* w, double time)
{
    Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->solid_count; i++) {
        ColliderSolid* s = &cs->solids[i];
        if (s->kind == CORD_TOUCH_OBSTACLE) {
            const Obstacle* o = slots_at(&w->obstacles, s->index);
            s->begin = o->pose;
            s->goal = obstacle_pose_at(o, time);
        }
    }
}

void contact_place_solids(CordWorld* w, double time)
{
    Colliders* cs = &w->touch->newton.colliders;
    contact_place_obstacles(w, time);
    for (int i = 0; i < cs->solid_count; i++) {
        ColliderSolid* s = &cs->solids[i];
        if (s->kind == CORD_TOUCH_BODY) {
            s->begin = s->goal = ((const Body*)slots_at(&w->bodies, s->index))->pose;
        }
    }
}

void contact_commit_solids(CordWorld* w)
{
    const Colliders* cs = &w->touch->newton.colliders;
    for (int i = 0; i < cs->solid_count; i++) {
        if (cs->solids[i].kind == CORD_TOUCH_OBSTACLE) {
            ((Obstacle*)slots_at(&w->obstacles, cs->solids[i].index))->pose = cs->solids[i].goal;
        }
    }
}
