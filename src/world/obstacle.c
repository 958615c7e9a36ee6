// Obstacles: creation, destruction, motion and queries.
#include "world/obstacle.h"

#include "base/message.h"
#include "base/real.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define MOST_FRICTION 100.0
#define UNIT_TOLERANCE 1e-3 // tolerance on the length of a rotation, for input with few digits

static CordResult no_memory(CordWorld* w)
{
    return message_fail(&w->message, CORD_NO_MEMORY, "the allocator has no memory left");
}

static Obstacle* find_obstacle(const CordWorld* w, CordObstacleId id)
{
    return slots_get(&w->obstacles, id.slot, id.generation);
}

// ---- checks

CordObstacleDef cord_obstacle_def_default(void)
{
    return (CordObstacleDef){.solid.shape = CORD_SOLID_PLANE,
                             .rotation = {0, 0, 0, 1},
                             .friction = 0.3,
                             .friction_kinetic = NAN,
                             .stiffness = INFINITY};
}

static CordResult check_compliance(const CordObstacleDef* def, Message* message)
{
    bool rigid = isinf(def->stiffness);
    if (!(def->stiffness > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "its stiffness is %g; it is in N/m^2 and must be positive, or INFINITY for a "
                            "rigid obstacle",
                            def->stiffness);
    }
    if (!(def->damping >= 0.0 && isfinite(def->damping)) || (rigid && def->damping > 0.0)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "its damping is %g; it is in N s/m^2, must not be negative, and takes a finite "
                            "stiffness beside it",
                            def->damping);
    }
    if (!rigid && def->solid.shape == CORD_SOLID_MESH) {
        return message_fail(message, CORD_NOT_SUPPORTED,
                            "it is a mesh, and meshes are rigid; leave its stiffness out, or take another "
                            "shape");
    }
    return CORD_OK;
}

static CordResult check_def(const CordObstacleDef* def, Message* message)
{
    CORD_TRY(cord_solid_check(&def->solid, message->text, sizeof message->text));
    if (!vec3_finite(def->position)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "its position must be finite");
    }
    double norm = quat_norm(def->rotation);
    if (!(fabs(norm - 1.0) <= UNIT_TOLERANCE)) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "its rotation has length %g; a rotation is a unit quaternion, scalar part last",
                            norm);
    }
    if (!(def->friction >= 0.0 && def->friction <= MOST_FRICTION)) {
        return message_fail(message, CORD_BAD_ARGUMENT, "its friction is %g; it must be between 0 and %g",
                            def->friction, MOST_FRICTION);
    }
    CORD_TRY(contact_surface_check_kinetic(def->friction, def->friction_kinetic, "the obstacle", message));
    CORD_TRY(contact_surface_check_restitution(def->restitution, "the obstacle", message));
    CORD_TRY(contact_surface_check_turning(def->rolling_friction, def->spinning_friction, "the obstacle",
                                           message));
    CORD_TRY(check_compliance(def, message));
    return motions_check(def->motions, def->motion_count, "its motions", message);
}

// ---- pose

// The pose that the motions and the drive prescribe.
static Pose prescribed(const Obstacle* o, double time)
{
    Pose start = {o->def.position, o->def.rotation};
    Pose pose = motions_apply(o->def.motions, o->def.motion_count, start, time);
    pose.point = vec3_add(pose.point, o->drive_offset);
    pose.rotation = quat_mul(o->drive_rotation, pose.rotation);
    return pose;
}

Pose obstacle_pose_at(const Obstacle* o, double time)
{
    if (!o->interpolates || time >= o->to) {
        return prescribed(o, time);
    }
    return pose_interpolate(o->pose, prescribed(o, o->to), (time - o->from) / (o->to - o->from));
}

double obstacle_turn(const Obstacle* o, double from, double to)
{
    return o->interpolates
               ? vec3_length(pose_rotation_vector(obstacle_pose_at(o, from), obstacle_pose_at(o, to)))
               : motions_rotation_bound(o->def.motions, o->def.motion_count, from, to);
}

double obstacle_detour(const Obstacle* o, double from, double to)
{
    Pose start = {o->def.position, o->def.rotation};
    return o->interpolates ? 0.0
                           : motions_chord_deviation(o->def.motions, o->def.motion_count, start, from, to);
}

void obstacles_begin_step(CordWorld* w, double from, double to)
{
    for (int i = 0; i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        bool jumps = motions_jump(o->def.motions, o->def.motion_count, from, to);
        o->interpolates = jumps || !pose_equals(o->pose, prescribed(o, from));
        o->from = from;
        o->to = to;
    }
}

void obstacles_commit_motion(CordWorld* w)
{
    for (int i = 0; i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        o->interpolates = false;
        o->pose = prescribed(o, w->time);
    }
}

void obstacles_rollback(CordWorld* w)
{
    for (int i = 0; i < w->obstacles.live_count; i++) {
        ((Obstacle*)slots_at(&w->obstacles, i))->interpolates = false;
    }
}

// Without obstacles nothing is written, so that the state equals that of a world without them.
void obstacles_state(CordWorld* w, Bytes* b)
{
    if (w->obstacles.live_count > 0) {
        bytes_expect(b, w->obstacles.live_count);
    }
    for (int i = 0; i < w->obstacles.live_count; i++) {
        Obstacle* o = slots_at(&w->obstacles, i);
        bytes_doubles(b, &o->drive_offset.x, 3);
        bytes_doubles(b, &o->drive_rotation.x, 4);
        bytes_doubles(b, &o->pose.point.x, 3);
        bytes_doubles(b, &o->pose.rotation.x, 4);
        bytes_doubles(b, &o->force.x, 3);
        bytes_doubles(b, &o->torque.x, 3);
    }
}

// ---- creation and destruction

static void free_obstacle(CordWorld* w, Obstacle* o)
{
    mesh_destroy(&w->memory, &o->mesh);
    motions_free(&w->memory, o->def.motions, o->def.motion_count);
    memory_free(&w->memory, o, sizeof *o);
}

static CordResult copy_mesh(CordWorld* w, Obstacle* o, const CordObstacleDef* def, Message* message)
{
    const CordSolidMesh* from = &def->solid.mesh;
    CORD_TRY(mesh_create(&w->memory, &o->mesh, from->vertices, from->vertex_count, from->triangles,
                         from->triangle_count, message));
    o->def.solid.mesh =
        (CordSolidMesh){o->mesh.vertices, o->mesh.vertex_count, o->mesh.triangles, o->mesh.triangle_count};
    return CORD_OK;
}

static CordResult init_obstacle(CordWorld* w, Obstacle* o, const CordObstacleDef* def, Message* message)
{
    CORD_TRY(check_def(def, message));
    o->def = *def;
    o->def.name = o->name;
    o->def.rotation = quat_unit(def->rotation);
    o->def.solid.mesh = (CordSolidMesh){0};
    o->drive_rotation = quat_identity();
    o->def.motions = motions_copy(&w->memory, def->motions, def->motion_count);
    if (!o->def.motions) {
        return message_fail(message, CORD_NO_MEMORY, "no memory for its motions");
    }
    if (cord_solid_kind((int)def->solid.shape)->is_mesh) {
        CORD_TRY(copy_mesh(w, o, def, message));
    }
    o->pose = prescribed(o, w->time);
    return CORD_OK;
}

static void log_obstacle(const CordWorld* w, const Obstacle* o)
{
    if (!obstacle_mesh(o)) {
        log_write(&w->log, CORD_LOG_INFO, "obstacle '%s': %s", o->name,
                  cord_solid_kind((int)o->def.solid.shape)->name);
        return;
    }
    log_write(&w->log, CORD_LOG_INFO, "obstacle '%s': mesh of %d triangles, %s", o->name,
              o->mesh.triangle_count,
              o->mesh.closed ? "closed" : "not closed: a surface that nothing passes, from either side");
    if (o->mesh.degenerate > 0) {
        log_write(&w->log, CORD_LOG_WARNING, "obstacle '%s': %d triangles without area are left out", o->name,
                  o->mesh.degenerate);
    }
}

CordResult cord_obstacle_create(CordWorld* w, const CordObstacleDef* def, CordObstacleId* obstacle)
{
    *obstacle = (CordObstacleId){0};
    CORD_TRY(check_def_given(w, def, "obstacle"));
    CORD_TRY(check_no_branch(w, "no obstacle is made"));
    char name[64];
    CORD_TRY(name_set_choose(&w->obstacles.names, def->name, "obstacle", "an obstacle", name, &w->message));
    Obstacle* o = memory_array(&w->memory, Obstacle, 1);
    if (!o) {
        return no_memory(w);
    }
    Message inner = {""};
    SlotId id;
    memcpy(o->name, name, sizeof o->name);
    CordResult result = init_obstacle(w, o, def, &inner);
    if (result != CORD_OK) {
        message_fail(&w->message, result, "obstacle '%s': %s", name, inner.text);
    } else if (!slots_add(&w->memory, &w->obstacles, o, o->name, &id)) {
        result = no_memory(w);
    }
    if (result != CORD_OK) {
        free_obstacle(w, o);
        return result;
    }
    *obstacle = o->id = (CordObstacleId){id.slot, id.generation};
    world_mark(w, NULL, MARK_COLLIDERS);
    log_obstacle(w, o);
    return CORD_OK;
}

CordResult cord_obstacle_destroy(CordWorld* w, CordObstacleId id)
{
    CORD_TRY(check_no_branch(w, "no obstacle is destroyed"));
    Obstacle* o = find_obstacle(w, id);
    if (!o) {
        return bad_id(w, "obstacle");
    }
    ledger_forget(w, &o->tally);
    slots_remove(&w->obstacles, id.slot, id.generation);
    free_obstacle(w, o);
    world_mark(w, NULL, MARK_COLLIDERS);
    return CORD_OK;
}

void obstacles_destroy_all(CordWorld* w)
{
    for (int i = 0; i < w->obstacles.live_count; i++) {
        free_obstacle(w, slots_at(&w->obstacles, i));
    }
    slots_free(&w->memory, &w->obstacles);
}

// ---- queries and control

int cord_world_obstacle_count(const CordWorld* w)
{
    return w->obstacles.live_count;
}

CordObstacleId cord_world_obstacle(const CordWorld* w, int index)
{
    SlotId id = slots_id_at(&w->obstacles, index);
    return (CordObstacleId){id.slot, id.generation};
}

const char* cord_obstacle_name(const CordWorld* w, CordObstacleId id)
{
    const Obstacle* o = find_obstacle(w, id);
    return o ? o->name : NULL;
}

CordResult cord_obstacle_pose(const CordWorld* w, CordObstacleId id, CordVec3* position, CordQuat* rotation)
{
    const Obstacle* o = find_obstacle(w, id);
    if (!o) {
        return bad_id(w, "obstacle");
    }
    if (position) {
        *position = o->pose.point;
    }
    if (rotation) {
        *rotation = o->pose.rotation;
    }
    return CORD_OK;
}

CordResult cord_obstacle_force(const CordWorld* w, CordObstacleId id, CordVec3* force, CordVec3* torque)
{
    const Obstacle* o = find_obstacle(w, id);
    if (!o) {
        return bad_id(w, "obstacle");
    }
    if (force) {
        *force = o->force;
    }
    if (torque) {
        *torque = o->torque;
    }
    return CORD_OK;
}

CordResult cord_obstacle_move(CordWorld* w, CordObstacleId id, CordVec3 offset, CordQuat rotation)
{
    Obstacle* o = find_obstacle(w, id);
    if (!o) {
        return bad_id(w, "obstacle");
    }
    double norm = quat_norm(rotation);
    if (!vec3_finite(offset) || !isfinite(norm) || norm == 0.0) {
        return message_fail(&w->message, CORD_BAD_ARGUMENT,
                            "an obstacle moves by a finite offset and a rotation that is not zero");
    }
    o->drive_offset = offset;
    o->drive_rotation = quat_unit(rotation);
    return CORD_OK;
}
