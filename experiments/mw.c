#include "mw.h"

#include <math.h>
#include <stdlib.h>

double mw_length(Lab* lab, const CordWorld* world, int rod)
{
    CordRodId id = cord_world_rod(world, rod);
    const CordVec3* x = lab_nodes(lab, world, rod);
    double length = 0.0;
    for (int i = 1; i < cord_rod_node_count(world, id); i++) {
        length += cord_vec3_distance(x[i - 1], x[i]);
    }
    return length / cord_rod_length(world, id);
}

static double frame_cost(Lab* lab, CordWorld* world)
{
    enum { WARM = 20, FRAMES = 100, ROUNDS = 9 };
    CordRodId rod = cord_world_rod(world, 0);
    CordVec3* x = lab_room(lab, (size_t)cord_rod_node_count(world, rod), sizeof *x);
    double best = INFINITY;
    lab_steps(lab, world, mw_step, WARM);
    for (int round = 0; round < ROUNDS; round++) {
        double clock = lab_clock(lab);
        for (int i = 0; i < FRAMES; i++) {
            lab_ok(lab, world, cord_world_step(world, mw_step));
            lab_ok(lab, world, cord_rod_positions(world, rod, x));
        }
        best = fmin(best, (lab_clock(lab) - clock) / FRAMES);
    }
    return best;
}

TimingModal timing_modal(Lab* lab, CordWorld* world)
{
    LabState start = {0};
    CordModalReport report;
    CordRodId rod = cord_world_rod(world, 0);
    TimingModal cost = {.nodes = cord_rod_node_count(world, rod),
                        .elements = cord_rod_edge_count(world, rod)};
    double clock = lab_clock(lab);
    cost.found = cord_rod_mode_count(world, rod);
    cost.modes = lab_clock(lab) - clock;
    lab_ok(lab, world, cord_rod_modal_report(world, rod, &report));
    lab_keep(lab, world, &start);
    cost.unknowns = report.unknowns;
    cost.frame = frame_cost(lab, world);
    lab_restore(lab, world, &start);
    return cost;
}
