// A pendulum, and the forces in its cord and on its hook: cord_rod_tensions gives the tension of each edge,
// cord_clamp_reaction the force on a clamp. Released from the horizontal, a pendulum pulls with three times
// its weight at the bottom.
#include <cordage/cordage.h>

#include <math.h>
#include <stdio.h>

static const double bob = 0.5, gravity = 9.81; // [kg], [m/s^2]

// A rod of a single edge, 1 m long. Each of its two nodes carries half of its mass: the free one is a bob on
// a massless cord, the other sits in the hook, which feels its weight too.
static CordResult make_pendulum(CordWorld* world, CordRodId* cord, CordClampId* hook)
{
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, 2);
    def.stiffness.mass_per_length = 2.0 * bob;
    def.inextensible = true;
    CordResult result = cord_rod_create(world, &def, cord);
    if (result != CORD_OK) {
        return result;
    }
    CordClampDef clamp = cord_clamp_def_default();
    clamp.rod = *cord;
    return cord_clamp_create(world, &clamp, hook);
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, -gravity};
    CordWorld* world = NULL;
    CordRodId cord;
    CordClampId hook;
    CordResult result = cord_world_create(&world_def, &world);
    if (result == CORD_OK) {
        result = make_pendulum(world, &cord, &hook);
    }
    double most = 0.0, worst = 0.0;
    for (int i = 1; i <= 2000 && result == CORD_OK; i++) {
        CordVec3 x[2], force, torque;
        double tension;
        result = cord_world_step(world, 1e-3);
        result = result == CORD_OK ? cord_rod_positions(world, cord, x) : result;
        result = result == CORD_OK ? cord_rod_tensions(world, cord, &tension) : result;
        result = result == CORD_OK ? cord_clamp_reaction(world, hook, &force, &torque) : result;
        if (result != CORD_OK) {
            break;
        }
        double theory = -3.0 * bob * gravity * x[1].z; // 3 m g sin(angle below the horizontal)
        most = fmax(most, tension);
        worst = fmax(worst, fabs(tension - theory));
        if (i % 100 == 0 && i <= 1000) {
            printf("t = %.1f s   tension %6.3f N (theory %6.3f)   hook pulled by (%6.3f, %7.3f) N\n",
                   cord_world_time(world), tension, theory, force.x, force.z);
        }
    }
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
    }
    cord_world_destroy(world);
    printf("most: %.4f times the weight; never off by more than %.0e N\n", most / (bob * gravity), worst);
    return result == CORD_OK && worst < 1e-4 ? 0 : 1;
}
