// Hello rope: one metre of rope is held at one end, let go from the horizontal, and followed for a second.
// docs/hello.md walks through it.
#include <cordage/cordage.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program with the world's message if a call failed.
static void must(const CordWorld* world, CordResult result)
{
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
        exit(1);
    }
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world;
    must(NULL, cord_world_create(&world_def, &world));

    CordRodDef rod_def = cord_rod_def_default();
    rod_def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 51);
    rod_def.section = cord_section_disc(0.005);
    rod_def.material.density = 1100;
    rod_def.material.bend_modulus = 2e6; // fibres slide past each other: far softer to bend than to stretch
    rod_def.inextensible = true;
    CordRodId rope;
    must(world, cord_rod_create(world, &rod_def, &rope));

    CordClampDef clamp_def = cord_clamp_def_default(); // a hinge at the start
    clamp_def.rod = rope;
    CordClampId hinge;
    must(world, cord_clamp_create(world, &clamp_def, &hinge));

    CordVec3 x[51];
    for (int tenth = 1; tenth <= 10; tenth++) {
        int steps = (int)ceil(0.1 / (0.5 * cord_world_step_advice(world).step));
        must(world, cord_world_step_many(world, 0.1 / steps, steps));
        must(world, cord_rod_positions(world, rope, x));
        printf("t = %.1f s   tail at (%6.3f, %6.3f) m\n", cord_world_time(world), x[50].x, x[50].z);
    }
    CordEnergy e = cord_rod_energy(world, rope);
    // the sum began as 0: at rest, straight, at height 0
    double drift = fabs(e.kinetic + e.bend + e.gravity) / e.kinetic;
    printf("kinetic %.3f, bending %.3f, gravity %.3f J: their sum stayed 0 to %.0e of the first\n", e.kinetic,
           e.bend, e.gravity, drift);
    cord_world_destroy(world);
    return drift < 1e-3 ? 0 : 1;
}
