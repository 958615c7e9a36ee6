#include "report.h"

#include <math.h>
#include <stdlib.h>

static const double writhe_pairs_most = 5e7; // over all rods: a few seconds

double report_total(CordEnergy e)
{
    return e.kinetic + e.bend + e.twist + e.stretch + e.gravity;
}

static void add_energy(CordEnergy* sum, CordEnergy e)
{
    sum->kinetic += e.kinetic;
    sum->bend += e.bend;
    sum->twist += e.twist;
    sum->stretch += e.stretch;
    sum->gravity += e.gravity;
}

static void add_scaled(CordVec3* sum, CordVec3 v, double scale)
{
    sum->x += scale * v.x;
    sum->y += scale * v.y;
    sum->z += scale * v.z;
}

static void report_rod(RodReport* r, const CordFrame* frame, int index)
{
    r->rod = frame->rods[index];
    r->energy = frame->energy[index];
    r->stretch = frame->stretch[index];
    r->length = r->mass = NAN;
    r->tension_least = INFINITY;
    r->tension_greatest = -INFINITY;
    for (int k = 0; k < r->rod.edge_count; k++) {
        double tension = frame->tension[r->rod.first_edge + k];
        r->tension_least = fmin(r->tension_least, tension);
        r->tension_greatest = fmax(r->tension_greatest, tension);
    }
    const CordVec3* x = frame->x + r->rod.first_node;
    r->twist = cord_polygon_twist(x, r->rod.node_count, r->rod.closed, frame->m1 + r->rod.first_edge);
}

// A frame holds no masses; a world of the same scene, put where the frame is, knows them.
static void report_masses(RodReport* r, const CordFrame* frame, CordWorld* world, CordRodId rod, bool moves_world)
{
    if (cord_rod_node_count(world, rod) != r->rod.node_count) {
        return; // the nodes are no longer those of the scene
    }
    r->length = cord_rod_length(world, rod);
    r->mass = cord_rod_mass(world, rod);
    r->has_momentum =
        !moves_world || (cord_rod_set_positions(world, rod, frame->x + r->rod.first_node) == CORD_OK &&
                         cord_rod_set_velocities(world, rod, frame->v + r->rod.first_node) == CORD_OK);
    if (r->has_momentum) {
        r->momentum = cord_rod_momentum(world, rod);
    }
}

static void report_sum(Report* report)
{
    double mass = 0.0;
    report->has_momentum = true;
    for (int i = 0; i < report->rod_count; i++) {
        const RodReport* r = &report->rods[i];
        add_energy(&report->energy, r->energy);
        report->stretch = fmax(report->stretch, r->stretch);
        report->has_momentum = report->has_momentum && r->has_momentum;
        add_scaled(&report->momentum.linear, r->momentum.linear, 1.0);
        add_scaled(&report->momentum.angular, r->momentum.angular, 1.0);
        add_scaled(&report->momentum.center, r->momentum.center, r->mass);
        mass += r->mass;
    }
    CordVec3 sum = report->momentum.center;
    report->momentum.center = (CordVec3){0};
    add_scaled(&report->momentum.center, sum, 1.0 / mass);
}

bool report_make(Report* report, const CordFrame* frame, CordWorld* world, bool moves_world)
{
    *report = (Report){.time = frame->time,
                       .steps = frame->steps,
                       .rod_count = frame->rod_count,
                       .node_count = frame->node_count,
                       .edge_count = frame->edge_count};
    report->rods = calloc((size_t)frame->rod_count + 1, sizeof *report->rods);
    if (!report->rods) {
        return false;
    }
    double pairs = 0.0;
    for (int i = 0; i < frame->rod_count; i++) {
        RodReport* r = &report->rods[i];
        report_rod(r, frame, i);
        pairs += 0.5 * (double)r->rod.edge_count * (double)r->rod.edge_count;
        bool skip = pairs > writhe_pairs_most;
        const CordVec3* x = frame->x + r->rod.first_node;
        r->writhe = skip ? NAN : cord_polygon_writhe(x, r->rod.node_count, r->rod.closed);
        report->writhe_skipped = report->writhe_skipped || skip;
    }
    report->distance = distance_least(frame);
    // From here on the world is asked, and a frame of its own would be lost.
    for (int i = 0; world && i < report->rod_count; i++) {
        report_masses(&report->rods[i], frame, world, cord_world_rod(world, i), moves_world);
    }
    report_sum(report);
    return true;
}

void report_free(Report* report)
{
    free(report->rods);
    report->rods = NULL;
}
