// A rope of two metres, clamped at one end, falls for a moment: its centre of mass must have come down.
#include <cordage/cordage.h>
#include <stdio.h>

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world = NULL;
    if (cord_world_create(&world_def, &world) != CORD_OK) {
        return 1;
    }
    CordRodDef rod_def = cord_rod_def_default();
    rod_def.shape = cord_shape_line((CordVec3){0.0, 0.0, 0.0}, (CordVec3){2.0, 0.0, 0.0}, 21);
    CordRodId rod;
    CordClampDef clamp_def = cord_clamp_def_default();
    CordClampId clamp;
    CordResult result = cord_rod_create(world, &rod_def, &rod);
    if (result == CORD_OK) {
        clamp_def.rod = rod;
        result = cord_clamp_create(world, &clamp_def, &clamp);
    }
    double h = 0.5 * cord_world_step_advice(world).step;
    for (int i = 0; i < 100 && result == CORD_OK; i++) {
        result = cord_world_step(world, h);
    }
    double height = result == CORD_OK ? cord_rod_momentum(world, rod).center.z : 0.0;
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), cord_world_message(world));
    }
    cord_world_destroy(world);
    printf("version %s: the centre of mass is at %g m\n", cord_version(), height);
    return height < 0.0 ? 0 : 1;
}
