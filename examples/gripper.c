// A robot's gripper holds the end of a cable and gets a pose every step: it carries the end up and over in an
// arc while the wrist turns with it. cord_clamp_move sets the pose, cord_clamp_reaction returns the force on
// the wrist.
#include <cordage/cordage.h>
#include <cordage/math.h>

#include <stdio.h>

// The target of the gripper at time t, relative to its start: smooth from rest to rest in 2 s.
static CordVec3 gripper_path(double t, CordQuat* wrist)
{
    double s = t < 2.0 ? t / 2.0 : 1.0;
    double angle = CORD_PI * s * s * (3.0 - 2.0 * s);
    *wrist = cord_quat_about((CordVec3){0, 1, 0}, -angle); // x turns to z, to -x
    return (CordVec3){0.2 * (cos(angle) - 1.0), 0, 0.2 * sin(angle)};
}

static CordResult make_cable(CordWorld* world, CordRodId* cable, CordClampId* wall, CordClampId* gripper)
{
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0.5, 0, 0}, 41);
    def.section = cord_section_disc(0.003);
    def.material.young = 2e6;
    def.half_edge_start = def.half_edge_end = true; // both ends are clamped by direction
    CordResult result = cord_rod_create(world, &def, cable);
    if (result == CORD_OK) {
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = *cable;
        clamp.fix = CORD_FIX_FRAME;
        result = cord_clamp_create(world, &clamp, wall);
        if (result == CORD_OK) {
            clamp.at = cord_at_end();
            result = cord_clamp_create(world, &clamp, gripper);
        }
    }
    CordLoadDef drag = cord_load_def_default(); // of every rod
    drag.kind = CORD_LOAD_DRAG;
    drag.along = drag.across = 0.2;
    CordLoadId load;
    return result == CORD_OK ? cord_load_create(world, &drag, &load) : result;
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world = NULL;
    CordRodId cable;
    CordClampId wall, gripper;
    CordResult result = cord_world_create(&world_def, &world);
    if (result == CORD_OK) {
        result = make_cable(world, &cable, &wall, &gripper);
    }
    double h = world ? 0.5 * cord_world_step_advice(world).step : 1.0, next = 0.25;
    CordVec3 x[41] = {{0}}, force = {0}, torque, at_wall = {0};
    while (result == CORD_OK && cord_world_time(world) < 3.0) {
        CordQuat wrist;
        CordVec3 offset = gripper_path(cord_world_time(world) + h, &wrist); // where to be when this step ends
        result = cord_clamp_move(world, gripper, offset, wrist);
        if (result == CORD_OK) {
            result = cord_world_step(world, h);
        }
        if (result == CORD_OK && cord_world_time(world) >= next) {
            result = cord_clamp_reaction(world, gripper, &force, &torque);
            cord_rod_positions(world, cable, x);
            printf("t = %.2f s   gripper at (%.3f, %.3f) m   pulled by (%6.3f, %6.3f) N\n",
                   cord_world_time(world), x[40].x, x[40].z, force.x, force.z);
            next += 0.25;
        }
    }
    if (result != CORD_OK || cord_clamp_reaction(world, wall, &at_wall, &torque) != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
        cord_world_destroy(world);
        return 1;
    }
    double weight = 9.81 * cord_rod_mass(world, cable), carried = -(force.z + at_wall.z);
    printf("at rest the wall and the gripper carry %.4f N; the cable weighs %.4f N\n", carried, weight);
    cord_world_destroy(world);
    return fabs(carried - weight) < 1e-3 * weight ? 0 : 1;
}
