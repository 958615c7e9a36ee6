// Position-based rods in a game loop: a thread hangs from a hand that sweeps it over a table and once reaches
// below it. Frames are of 1/60 s, in four steps each. A step that fails leaves the world unchanged: the hand
// moves back, and the loop continues.
#include <cordage/contact.h>
#include <cordage/math.h>

#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 40, FRAMES = 180, STEPS = 4 };
static const double frame = 1.0 / 60.0, height = 0.3; // [s], of the hand at first [m]

static void must(const CordWorld* world, CordResult result)
{
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
        exit(1);
    }
}

static CordRodId make_thread(CordWorld* world)
{
    CordRodDef def = cord_rod_def_default();
    CordRodId thread;
    def.model = CORD_MODEL_PBD; // any step is stable, and stiffness is in physical units
    def.inextensible = true;
    def.section = cord_section_disc(0.002);
    def.material.young = 1e7, def.material.density = 1100.0, def.material.friction = 0.3;
    def.shape = cord_shape_line((CordVec3){0, 0, height}, (CordVec3){0.4, 0, height}, ELEMENTS + 1);
    must(world, cord_rod_create(world, &def, &thread));
    return thread;
}

static CordClampId take_its_end(CordWorld* world, CordRodId thread)
{
    CordClampDef def = cord_clamp_def_default();
    CordClampId hand;
    def.rod = thread, def.at = cord_at_start(), def.fix = CORD_FIX_POSITION;
    must(world, cord_clamp_create(world, &def, &hand));
    return hand;
}

static void lay_table(CordWorld* world)
{
    CordObstacleDef table = cord_obstacle_def_default(); // the plane z = 0
    CordObstacleId id;
    CordContactDef contact = cord_contact_def_default();
    must(world, cord_obstacle_create(world, &table, &id));
    contact.tolerance = 0.02;        // of a radius: it does not show
    contact.budget.iterations = 100; // a step ends then, with what it has
    contact.sleep.time = 0.5;        // a thread that lies still for so long costs nothing [s]
    must(world, cord_world_set_contact(world, &contact));
}

// The hand goes down to the table and along it; for a fifth of a second its target is below.
static CordVec3 where_the_player_points(double time)
{
    double down = fmin(time, 1.0) * (height - 0.01), below = time > 1.5 && time < 1.7 ? 0.05 : 0.0;
    return (CordVec3){0.1 * sin(3.0 * time), 0.1 * time, -down - below};
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    CordWorld* world;
    must(NULL, cord_world_create(&world_def, &world));
    CordRodId thread = make_thread(world);
    CordClampId hand = take_its_end(world, thread);
    lay_table(world);
    CordVec3 x[ELEMENTS + 1], last = {0, 0, 0}; // where the hand was led to last, and all went well
    int refused = 0;
    double lowest = INFINITY;
    for (int n = 1; n <= FRAMES; n++) {
        CordVec3 wanted = where_the_player_points(n * frame);
        for (int k = 0; k < STEPS; k++) {
            must(world, cord_clamp_move(world, hand, wanted, (CordQuat){0, 0, 0, 1}));
            CordResult result = cord_world_step(world, frame / STEPS);
            if (result == CORD_NOT_CONVERGED) {
                // something is pressed and has nowhere to go: cord_world_message says what
                refused++;
                must(world, cord_clamp_move(world, hand, last, (CordQuat){0, 0, 0, 1}));
                result = cord_world_step(world, frame / STEPS);
            } else {
                last = wanted;
            }
            must(world, result);
        }
        must(world, cord_rod_positions(world, thread, x)); // to be drawn
        for (int i = 0; i <= ELEMENTS; i++) {
            lowest = fmin(lowest, x[i].z);
        }
    }
    double length = 0.0;
    for (int i = 0; i < ELEMENTS; i++) {
        length += cord_vec3_distance(x[i + 1], x[i]);
    }
    CordStepReport report = cord_world_step_report(world);
    printf("%d frames: the thread is %.6f m long, never lower than %.4f mm above the table\n", FRAMES, length,
           1e3 * lowest);
    printf("%d steps were refused while the hand was below it; %lld ran out of iterations\n", refused,
           (long long)report.unfinished_in_all);
    cord_world_destroy(world);
    return refused > 0 && fabs(length - 0.4) < 1e-4 && lowest > 0.98 * 0.002 ? 0 : 1;
}
