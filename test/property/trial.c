// Runs a scene through the public interface, and reads all that can be asked of the world at its end.
#include "trial.h"

#include "random.h"

#include <cordage/contact.h>
#include <cordage/solve.h>

#include <stdlib.h>
#include <string.h>

const char* const group_names[GROUPS] = {
    "position",      "velocity",      "frame",          "twist",          "energy",        "tension",
    "moment",        "section force", "clamp force",    "clamp torque",   "body position", "body axis",
    "body velocity", "body spin",     "obstacle force", "obstacle torque"};

// ---- observation

static void see(Observation* o, Group group, Nature nature, Unit unit, CordVec3 v)
{
    if (o->count < MOST_QUANTITIES) {
        o->all[o->count++] = (Quantity){group, nature, unit, {v.x, v.y, v.z}};
    }
}

static void see_number(Observation* o, Group group, Nature nature, Unit unit, double x)
{
    see(o, group, nature, unit, cord_vec3(x, 0, 0));
}

static const Unit length = {1, 0, 0}, speed = {1, 0, -1}, none = {0, 0, 0}, energy = {2, 1, -2},
                  newton = {1, 1, -2}, turning = {0, 0, -1};

static int node_of(const Rod* r, int i, int nodes) // of the rod as it was generated
{
    return !r->reversed ? i : r->closed ? (nodes - i) % nodes : nodes - 1 - i;
}

// Whether anything determines how the frames of a rod stand as a whole. Those of a round rod that nothing
// holds may turn about the tangent at no cost, and by any angle that round-off leads to. A flat one that is
// straight at rest is the same after half a turn. Frames that are not given stand in any direction.
static bool frames_are_held(const Scene* s, int rod)
{
    const Rod* r = &s->rods[rod];
    for (int i = 0; i < s->clamp_count && r->frame != FRAME_ANY; i++) {
        if (s->clamps[i].rod == rod && s->clamps[i].fix == CORD_FIX_FRAME && isnan(s->clamps[i].torque) &&
            isnan(s->clamps[i].release)) {
            return true;
        }
    }
    bool straight = r->rest == STRAIGHT || (r->rest == AS_SHAPED && r->shape.kind == LINE);
    return !rod_is_round(r) && !straight;
}

static void see_rod(Observation* o, const Scene* s, int index, const CordWorld* world, CordRodId rod)
{
    const Rod* r = &s->rods[index];
    bool held = frames_are_held(s, index);
    static CordVec3 x[MOST_NODES], v[MOST_NODES], m1[MOST_NODES], moment[MOST_NODES], force[MOST_NODES];
    static double tension[MOST_NODES];
    int nodes = cord_rod_node_count(world, rod), edges = cord_rod_edge_count(world, rod);
    double sign =
        r->reversed ? -1.0 : 1.0; // a section force and a moment are of the part after on that before
    if (nodes > MOST_NODES) {
        return;
    }
    cord_rod_positions(world, rod, x), cord_rod_velocities(world, rod, v);
    cord_rod_material_frames(world, rod, m1), cord_rod_moments(world, rod, moment);
    cord_rod_section_forces(world, rod, force), cord_rod_tensions(world, rod, tension);
    for (int i = 0; i < nodes; i++) {
        int k = node_of(r, i, nodes);
        see(o, OF_POSITION, POINT, length, x[k]);
        see(o, OF_VELOCITY, POLAR, speed, v[k]);
        see(o, OF_MOMENT, AXIAL, energy, cord_vec3_scale(moment[k], sign));
    }
    for (int j = 0; j < edges; j++) {
        int k = r->reversed ? edges - 1 - j : j;
        if (held) {
            see(o, OF_FRAME, POLAR, none, m1[k]);
        }
        see_number(o, OF_TENSION, SCALAR, newton, tension[k]);
        see(o, OF_SECTION_FORCE, POLAR, newton, cord_vec3_scale(force[k], sign));
    }
    CordEnergy e = cord_rod_energy(world, rod);
    see_number(o, OF_ENERGY, SCALAR, energy, e.kinetic), see_number(o, OF_ENERGY, SCALAR, energy, e.bend);
    see_number(o, OF_ENERGY, SCALAR, energy, e.twist), see_number(o, OF_ENERGY, SCALAR, energy, e.stretch);
    see_number(o, OF_TWIST, PSEUDO, none, cord_rod_twist(world, rod));
}

static void see_body(Observation* o, const CordWorld* world, CordBodyId body)
{
    CordVec3 position, velocity, spin;
    CordQuat q;
    cord_body_pose(world, body, &position, &q), cord_body_velocity(world, body, &velocity, &spin);
    see(o, OF_BODY_POSITION, POINT, length, position);
    see(o, OF_BODY_VELOCITY, POLAR, speed, velocity);
    see(o, OF_BODY_SPIN, AXIAL, turning, spin);
    see(o, OF_BODY_AXIS, POLAR, none,
        cord_quat_rotate(q, cord_vec3(0, 1, 0))); // its x axis a mirror reverses
    see(o, OF_BODY_AXIS, POLAR, none, cord_quat_rotate(q, cord_vec3(0, 0, 1)));
}

// Index of the thing that was generated as number id.
#define FIND(array, count, wanted, index)                                                                    \
    do {                                                                                                     \
        for ((index) = 0; (index) < (count) && (array)[index].id != (wanted); (index)++) {                   \
        }                                                                                                    \
    } while (0)

void scene_observe(const Scene* s, CordWorld* world, Observation* o)
{
    int k;
    CordVec3 force, torque;
    o->count = 0;
    for (int id = 0; id < MOST_RODS; id++) {
        FIND(s->rods, s->rod_count, id, k);
        if (k < s->rod_count) {
            see_rod(o, s, k, world, cord_world_rod(world, k));
        }
    }
    for (int id = 0; id < MOST_CLAMPS; id++) {
        FIND(s->clamps, s->clamp_count, id, k);
        if (k < s->clamp_count &&
            cord_clamp_reaction(world, cord_world_clamp(world, k), &force, &torque) == CORD_OK) {
            see(o, OF_CLAMP_FORCE, POLAR, newton, force), see(o, OF_CLAMP_TORQUE, AXIAL, energy, torque);
        }
    }
    for (int id = 0; id < MOST_BODIES; id++) {
        FIND(s->bodies, s->body_count, id, k);
        if (k < s->body_count) {
            see_body(o, world, cord_world_body(world, k));
        }
    }
    for (int i = 0; i < s->weld_count; i++) {
        if (cord_weld_reaction(world, cord_world_weld(world, i), &force, &torque) == CORD_OK) {
            see(o, OF_CLAMP_FORCE, POLAR, newton, force), see(o, OF_CLAMP_TORQUE, AXIAL, energy, torque);
        }
    }
    for (int id = 0; id < MOST_OBSTACLES; id++) {
        FIND(s->obstacles, s->obstacle_count, id, k);
        if (k < s->obstacle_count) {
            cord_obstacle_force(world, cord_world_obstacle(world, k), &force, &torque);
            see(o, OF_OBSTACLE_FORCE, POLAR, newton, force),
                see(o, OF_OBSTACLE_TORQUE, AXIAL, energy, torque);
        }
    }
}

Distance observation_distance(const Observation* a, const Observation* b)
{
    Distance d = {{0}, {0}};
    for (int i = 0; i < a->count; i++) {
        const double *p = a->all[i].value, *q = b->all[i].value;
        Group g = a->all[i].group;
        for (int k = 0; k < 3; k++) {
            double error = fabs(p[k] - q[k]);
            d.error[g] = error <= d.error[g] ? d.error[g] : isnan(error) ? INFINITY : error;
            d.scale[g] = fmax(d.scale[g], fabs(p[k]));
        }
    }
    return d;
}

// ---- runs

RunDef run_def(void)
{
    return (RunDef){.noise_at = -1};
}

CordWorld* scene_world(const Scene* s, int threads, char message[512])
{
    CordScene* scene;
    CordWorld* world = NULL;
    CordWorldDef def = cord_world_def_default();
    char* text = scene_text(s);
    if (threads > 0) {
        def.tasks = cord_tasks_openmp(threads);
    }
    CordResult result = cord_scene_parse(text, strlen(text), "property.json", NULL, 0, &scene);
    if (result == CORD_OK) {
        result = cord_scene_build(scene, &def, &world);
    }
    message[0] = '\0';
    for (int i = 0; result != CORD_OK && i < cord_scene_note_count(scene); i++) {
        CordSceneNote note = cord_scene_note(scene, i);
        if (note.is_error) {
            snprintf(message, 512, "%d:%d: %s", note.line, note.column, note.text);
            break;
        }
    }
    cord_scene_destroy(scene);
    free(text);
    return result == CORD_OK ? world : NULL;
}

static void shake_rod(CordWorld* world, CordRodId rod, double speed_of_noise, uint64_t* seed)
{
    static CordVec3 v[MOST_NODES];
    int nodes = cord_rod_node_count(world, rod);
    if (nodes > MOST_NODES || cord_rod_velocities(world, rod, v) != CORD_OK) {
        return;
    }
    for (int i = 0; i < nodes; i++) {
        v[i] = cord_vec3_add(v[i], random_vec3(seed, speed_of_noise));
    }
    cord_rod_set_velocities(world, rod, v);
}

static void shake(const Scene* s, CordWorld* world, const RunDef* def)
{
    uint64_t seed = def->seed + 17;
    double size = def->noise / s->step;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        shake_rod(world, cord_world_rod(world, i), size, &seed);
    }
    for (int i = 0; i < s->body_count; i++) {
        CordBodyId body = cord_world_body(world, i);
        CordVec3 velocity, spin;
        cord_body_velocity(world, body, &velocity, &spin);
        velocity = cord_vec3_add(velocity, random_vec3(&seed, size));
        spin = cord_vec3_add(spin, random_vec3(&seed, size)); // for bodies of about a metre
        cord_body_set_velocity(world, body, velocity, spin);
    }
}

static void round_positions(CordWorld* world, double far)
{
    static CordVec3 x[MOST_NODES];
    const CordVec3 shift = {far, far, far};
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        CordRodId rod = cord_world_rod(world, i);
        int nodes = cord_rod_node_count(world, rod);
        if (nodes > MOST_NODES || cord_rod_positions(world, rod, x) != CORD_OK) {
            continue;
        }
        for (int k = 0; k < nodes; k++) {
            x[k] = cord_vec3_sub(cord_vec3_add(x[k], shift), shift);
        }
        cord_rod_set_positions(world, rod, x);
    }
}

// Another world of the same scene, in the state of this one, which it replaces.
static CordWorld* reborn(const Scene* s, CordWorld* world, Outcome* o)
{
    size_t size = cord_world_state_size(world);
    void* bytes = malloc(size + 1);
    CordWorld* next = scene_world(s, 0, o->message);
    o->result = cord_world_state_get(world, bytes, size);
    if (o->result == CORD_OK && next != NULL) {
        o->result = cord_world_state_set(next, bytes, size);
        if (o->result != CORD_OK) {
            snprintf(o->message, sizeof o->message, "%s", cord_world_message(next));
        }
    }
    free(bytes);
    cord_world_destroy(world);
    return next;
}

static void take_steps(const Scene* s, const RunDef* def, CordWorld** world, Outcome* o)
{
    uint64_t seed = def->seed + 3;
    int splits = def->splits;
    while (o->steps < s->steps && o->result == CORD_OK) {
        int count = def->many ? 1 + random_int(&seed, s->steps - o->steps) : 1;
        if (o->steps == def->noise_at) {
            shake(s, *world, def);
        }
        if (def->sets_positions) {
            round_positions(*world, def->far);
        }
        if (splits > 0 && random_int(&seed, s->steps - o->steps) < splits) {
            splits--;
            *world = reborn(s, *world, o);
        }
        if (*world != NULL && o->result == CORD_OK) {
            o->result =
                def->many ? cord_world_step_many(*world, s->step, count) : cord_world_step(*world, s->step);
            o->steps += o->result == CORD_OK ? count : 0;
        }
    }
}

void scene_run(const Scene* s, const RunDef* def, Outcome* o)
{
    CordWorld* world = scene_world(s, def->threads, o->message);
    o->refused = world == NULL, o->result = CORD_OK, o->steps = 0, o->seen.count = 0, o->hash = 0;
    o->EA = 0.0;
    if (o->refused) {
        return;
    }
    if (def->solve) {
        CordSolveDef how = cord_solve_def_default();
        CordSolveReport report;
        o->result = cord_world_solve(world, &how, &report);
    } else {
        take_steps(s, def, &world, o);
    }
    if (world == NULL) {
        o->refused = true;
        return;
    }
    if (o->result != CORD_OK) {
        snprintf(o->message, sizeof o->message, "%s: %s", cord_result_name(o->result),
                 cord_world_message(world));
    }
    o->hash = cord_world_state_hash(world);
    o->retries = cord_world_retries(world) + cord_world_step_report(world).unfinished_in_all;
    for (int i = 0; i < cord_world_rod_count(world); i++) {
        o->EA = fmax(o->EA, cord_rod_stiffness(world, cord_world_rod(world, i)).EA);
    }
    scene_observe(s, world, &o->seen);
    cord_world_destroy(world);
}
