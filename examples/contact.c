// Contact: twenty cables fall crosswise on a sphere on the ground. The contacts and their forces are read
// from the world; on average, ground and sphere bear the weight of the cables.
#include <cordage/contact.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CABLES = 20 };
static const double radius = 0.004, ball = 0.1; // of cables and sphere [m]

// Ends the program with the world's message if a call failed.
static void must(const CordWorld* world, CordResult result)
{
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
        exit(1);
    }
}

// Stacks the cables, each turned against the one below. Returns their weight [N].
static double make_cables(CordWorld* world)
{
    CordRodDef def = cord_rod_def_default(); // explicit: cheap where much touches
    def.section = cord_section_disc(radius);
    def.material.young = 1e6; // soft to stretch, for long steps
    def.material.bend_modulus = 3e5;
    def.material.friction = 0.4;
    double weight = 0.0;
    for (int i = 0; i < CABLES; i++) {
        double angle = 2.4 * i, x = 0.2 * cos(angle), y = 0.2 * sin(angle), z = 2.0 * ball + 0.01 * (i + 1);
        CordRodId cable;
        def.shape = cord_shape_line((CordVec3){-x, -y, z}, (CordVec3){x, y, z}, 17);
        must(world, cord_rod_create(world, &def, &cable));
        weight += 9.81 * cord_rod_mass(world, cable);
    }
    return weight;
}

static void print_contacts(const CordWorld* world)
{
    int count = cord_world_contact_count(world), crossings = 0;
    const CordContact* contacts = cord_world_contacts(world);
    double hardest = 0.0;
    for (int i = 0; i < count; i++) {
        crossings += contacts[i].kind == CORD_TOUCH_ROD;
        hardest = fmax(hardest, contacts[i].push);
    }
    printf("t = %.1f s   %3d contacts, %3d of cable with cable, the hardest %5.2f N\n",
           cord_world_time(world), count, crossings, hardest);
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world;
    must(NULL, cord_world_create(&world_def, &world));
    double weight = make_cables(world);
    CordObstacleDef obstacle_def = cord_obstacle_def_default(); // the ground
    CordObstacleId ground, sphere;
    must(world, cord_obstacle_create(world, &obstacle_def, &ground));
    obstacle_def.solid = (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {ball, 0, 0}};
    obstacle_def.position.z = ball;
    must(world, cord_obstacle_create(world, &obstacle_def, &sphere));
    CordLoadDef air = cord_load_def_default();
    air.kind = CORD_LOAD_DRAG;
    air.along = air.across = 0.3; // brings them to rest sooner
    CordLoadId load;
    must(world, cord_load_create(world, &air, &load));
    CordContactDef contact_def = cord_contact_def_default();
    contact_def.tolerance = 0.01; // of a radius: in a third of the time that the default, 0.001, takes
    must(world, cord_world_set_contact(world, &contact_def));

    double deepest = 0.0, borne = 0.0; // by ground and sphere, in the mean of the last 0.4 s [N]
    for (int tenth = 1; tenth <= 8; tenth++) {
        int steps = (int)ceil(0.1 / (0.8 * cord_world_step_advice(world).step));
        for (int i = 0; i < steps; i++) {
            CordVec3 on_ground, on_sphere, torque;
            must(world, cord_world_step(world, 0.1 / steps));
            must(world, cord_obstacle_force(world, ground, &on_ground, &torque));
            must(world, cord_obstacle_force(world, sphere, &on_sphere, &torque));
            deepest = fmax(deepest, cord_world_contact_report(world).deepest);
            borne -= tenth > 4 ? (on_ground.z + on_sphere.z) / (4.0 * steps) : 0.0;
        }
        print_contacts(world);
    }
    printf("ground and sphere bear %.2f N, the cables weigh %.2f N; never deeper than %.0e radii\n", borne,
           weight, deepest);
    cord_world_destroy(world);
    // They still slide and rock a little: hence 5 %.
    return deepest <= contact_def.tolerance && fabs(borne - weight) < 0.05 * weight ? 0 : 1;
}
