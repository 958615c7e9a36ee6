// What can never act: motions, loads and releases at times that are not reached, motions and loads that are
// shorter than a step, rotations that turn nothing that the clamp holds, drag of no strength. All are
// allowed, and a warning says why nothing comes of them.
#include "scene/build.h"

#include "base/real.h"

#include <math.h>

#define ALONG 1e-9 // sine of the angle between directions that are taken for one, and such a part of a length

typedef struct Times { // what becomes of the times in a scene
    double end;        // of the run, or of the branch of `solve` if that ends later [s]
    double release;    // of the clamp whose motions are looked at [s]; INFINITY: it is held to the end
    double step;       // [s]; 0: auto
} Times;

// ---- times

// An end that was set beside the scene file is not the one that its times are meant for.
static Times times_of(const CordScene* scene)
{
    const JsonValue* time = json_member(&scene->root, "time");
    const JsonValue* end = time && time->kind == JSON_OBJECT ? json_member(time, "end") : NULL;
    double branch = scene->solve.given ? scene->solve.branch.to : 0.0;
    return (Times){.end = end && end->source > 0 ? INFINITY : real_max(scene->run.end, branch),
                   .release = INFINITY,
                   .step = scene->run.step};
}

// A motion or load that goes on from `from` to `to`.
static void check_span(Reader* r, const JsonValue* entry, double from, double to, const Times* times)
{
    double lasts = to - real_max(from, 0.0);
    if (from >= times->release) {
        member_warning(
            r, entry, "from",
            "is %g s, and the clamp lets go at %g s, so nothing comes of it; begin it earlier, or let "
            "the clamp go later",
            from, times->release);
    } else if (from >= times->end) {
        member_warning(
            r, entry, "from",
            "is %g s, and the run ends at %g s, so nothing comes of it; begin it earlier, or let the "
            "run end later",
            from, times->end);
    } else if (lasts <= 0.0 && from < to) {
        member_warning(r, entry, "to",
                       "is %g s, and the run begins at 0 s, so nothing comes of it; end it later", to);
    } else if (lasts > 0.0 && lasts < times->step * (1.0 - 1e-9)) {
        reader_warning(
            r, entry,
            "lasts %g ms, less than a step of %g ms, which cannot follow it; write a shorter step, or "
            "\"auto\"",
            1e3 * lasts, 1e3 * times->step);
    }
}

static double number_or(const JsonValue* object, const char* key, double otherwise)
{
    const JsonValue* value = json_member(object, key);
    return value && value->kind == JSON_NUMBER ? value->number : otherwise;
}

// The entry that a motion was read from. Clamps of many nodes have their motions in another order.
static const JsonValue* entry_of(const JsonValue* motions, const CordMotion* m)
{
    const JsonValue* entry = motions->first;
    while (entry && m->kind != CORD_MOTION_KEYFRAMES &&
           (number_or(entry, "from", 0.0) != m->from || number_or(entry, "to", INFINITY) != m->to)) {
        entry = entry->next;
    }
    while (entry && m->kind == CORD_MOTION_KEYFRAMES && !json_member(entry, "keyframes")) {
        entry = entry->next;
    }
    return entry ? entry : motions;
}

static void check_motions(Reader* r, const JsonValue* owner, const CordMotion* motions, int count,
                          const Times* times)
{
    for (int k = 0; k < count; k++) {
        const CordMotion* m = &motions[k];
        bool keyed = m->kind == CORD_MOTION_KEYFRAMES;
        double from = keyed ? m->keys[0].time : m->from, to = keyed ? m->keys[m->key_count - 1].time : m->to;
        check_span(r, entry_of(json_member(owner, "motion"), m), from, to, times);
    }
}

// ---- what clamps turn

typedef struct Hold { // where a clamp holds its rod
    const CordClampDef* def;
    CordVec3 point, tangent;
    double length; // of the rod [m]
} Hold;

static bool find_hold(CordScene* scene, const CordWorld* world, int index, Hold* hold)
{
    CordRodId rod;
    CordFix fix;
    int node;
    if (cord_clamp_at(world, cord_world_clamp(world, index), &rod, &node, &fix) != CORD_OK) {
        return false;
    }
    int n = cord_rod_node_count(world, rod);
    Pool scratch = pool_beside(&scene->pool);
    CordVec3* x = pool_array(&scratch, CordVec3, n);
    bool found = x && cord_rod_positions(world, rod, x) == CORD_OK;
    if (found) {
        CordVec3 a = x[node], b = x[(node + 1) % n];
        *hold = (Hold){.def = &scene->clamps[index].def, .point = a, .length = cord_rod_length(world, rod)};
        hold->tangent = unit_or(cord_vec3_sub(b, a), cord_vec3(0, 0, 0));
    }
    pool_end(&scratch, &scene->pool);
    return found;
}

static double off_axis(CordVec3 axis, CordVec3 a) // distance of a from the line along a unit vector
{
    return cord_vec3_length(cord_vec3_cross(axis, a));
}

// Whether a rotation leaves all that the clamp holds as it is.
static bool turns_nothing(const Hold* hold, const CordMotion* m)
{
    CordVec3 axis = unit_or(m->axis, cord_vec3(1, 0, 0));
    bool about_point =
        m->center_is_clamp || off_axis(axis, cord_vec3_sub(hold->point, m->center)) <= ALONG * hold->length;
    bool holds_turn = hold->def->fix == CORD_FIX_FRAME && !hold->def->has_torque;
    bool about_tangent = hold->def->fix == CORD_FIX_POSITION || off_axis(axis, hold->tangent) <= ALONG;
    return m->kind == CORD_MOTION_ROTATE && m->angle != 0.0 && about_point && about_tangent && !holds_turn;
}

// The first motion of a clamp, if it is a rotation that turns nothing. What comes after another motion is not
// looked at.
static bool is_idle_turn(CordScene* scene, const CordWorld* world, int index)
{
    const SceneClamp* clamp = &scene->clamps[index];
    bool apart = clamp->def.fix == CORD_FIX_FREEDOMS || scene->rods[clamp->rod].network.edge_count > 0;
    Hold hold;
    return !apart && clamp->def.motion_count > 0 && clamp->def.motions[0].kind == CORD_MOTION_ROTATE &&
           find_hold(scene, world, index, &hold) && turns_nothing(&hold, &clamp->def.motions[0]);
}

static void warn_of_turn(Reader* r, const SceneClamp* clamp)
{
    const JsonValue* entry = entry_of(json_member(clamp->at, "motion"), &clamp->def.motions[0]);
    if (clamp->def.fix == CORD_FIX_POSITION) {
        reader_warning(
            r, entry,
            "turns a clamp that holds a position alone about that position, which does nothing; give a "
            "center, or fix the direction or frame");
    } else if (clamp->def.fix == CORD_FIX_DIRECTION) {
        reader_warning(
            r, entry,
            "turns a clamp that holds a direction alone about that direction, which does nothing; fix "
            "the frame");
    } else {
        reader_warning(
            r, entry,
            "turns a clamp about the rod's tangent, and its torque leaves that turn free, so it does "
            "nothing; leave out the torque or the motion");
    }
}

// ---- all of the scene

// Clamps that one entry has made, for strands or many nodes, are warned of once, if none of them turns.
static void check_clamps(Reader* r, const CordWorld* world, const Times* times)
{
    CordScene* scene = r->scene;
    for (int i = 0, next = 0; i < scene->clamp_count; i = next) {
        const SceneClamp* clamp = &scene->clamps[i];
        Times held = *times;
        bool idle = true;
        for (next = i; next < scene->clamp_count && scene->clamps[next].at == clamp->at; next++) {
            idle = idle && is_idle_turn(scene, world, next);
        }
        held.release = clamp->def.release;
        check_motions(r, clamp->at, clamp->def.motions, clamp->def.motion_count, &held);
        if (isfinite(held.release) && held.release > held.end) {
            member_warning(
                r, clamp->at, "release",
                "is %g s, and the run ends at %g s, so nothing comes of it; let go earlier, or let "
                "the run end later",
                held.release, held.end);
        }
        if (idle) {
            warn_of_turn(r, clamp);
        }
    }
}

static void check_load(Reader* r, const SceneLoad* load, const Times* times)
{
    const JsonValue* value = load->at->first->next; // of its kind
    if (load->is_air) {
        return;
    }
    check_span(r, value, load->def.from, load->def.to, times);
    if (load->def.kind == CORD_LOAD_DRAG && load->def.along == 0.0 && load->def.across == 0.0) {
        reader_warning(r, value,
                       "has along and across 0, so nothing comes of it; write one or both in newton "
                       "seconds per square metre");
    }
}

void inert_check(CordScene* scene, const CordWorld* world)
{
    Reader r = scene_reader(scene);
    Times times = times_of(scene);
    check_clamps(&r, world, &times);
    for (int i = 0; i < scene->obstacle_count; i++) {
        const SceneObstacle* o = &scene->obstacles[i];
        check_motions(&r, o->at, o->def.motions, o->def.motion_count, &times);
    }
    for (int i = 0; i < scene->load_count; i++) {
        check_load(&r, &scene->loads[i], &times);
    }
}
