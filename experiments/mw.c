#include "mw.h"

#include <math.h>
#include <stdlib.h>

double mw_length(Lab* lab, const CordWorld* world, int rod)
{
    CordRodId id = cord_world_rod(world, rod);
    const CordVec3* x = lab_nodes(lab, world, rod);
    double length = 0.0;
    for (int i = 1; i < cord_rod_node_count(world, id); i++) {
        length += lab_distance(x[i - 1], x[i]);
    }
    return length / cord_rod_length(world, id);
}

static double frame_cost(Lab* lab, CordWorld* world)
{
    enum { WARM = 20, FRAMES = 100, ROUNDS = 9 };
    CordRodId rod = cord_world_rod(world, 0);
    CordVec3* x = lab_room(lab, (size_t)cord_rod_node_count(world, rod), sizeof *x);
    double best = INFINITY;
    bool good = lab_steps(lab, world, mw_step, WARM);
    for (int round = 0; round < ROUNDS && good; round++) {
        double clock = lab_clock(lab);
        for (int i = 0; i < FRAMES && good; i++) {
            good = cord_world_step(world, mw_step) == CORD_OK && cord_rod_positions(world, rod, x) == CORD_OK;
        }
        best = fmin(best, (lab_clock(lab) - clock) / FRAMES);
    }
    return good ? best : (double)NAN;
}

TimingModal mw_cost(Lab* lab, CordWorld* world)
{
    TimingModal cost = {.modes = NAN, .frame = NAN};
    LabState start = {0};
    CordRodId rod = cord_world_rod(world, 0);
    cost.nodes = cord_rod_node_count(world, rod);
    cost.elements = cord_rod_edge_count(world, rod);
    double clock = lab_clock(lab);
    cost.found = cord_rod_mode_count(world, rod);
    clock = lab_clock(lab) - clock;
    CordModalReport report;
    if (cost.found > 0 && cord_rod_modal_report(world, rod, &report) == CORD_OK &&
        lab_keep(lab, world, &start)) {
        cost.modes = clock;
        cost.unknowns = report.unknowns;
        cost.frame = frame_cost(lab, world);
        cost.frame = lab_restore(lab, world, &start) ? cost.frame : (double)NAN;
    }
    return cost;
}

TimingModal timing_modal(Lab* lab, CordWorld* world)
{
    TimingModal cost = world ? mw_cost(lab, world) : (TimingModal){.modes = NAN, .frame = NAN};
    cord_world_destroy(world);
    return cost;
}
