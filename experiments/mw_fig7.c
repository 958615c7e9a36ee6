// MW, figure 7: an animal of 29,502 beams, the edges of a closed surface of triangles: frames per second.
#include "mw.h"

#include <math.h>

enum { NODES = 9836, ELEMENTS = 29502, STEPS = 90 };
static const double paper = 300.0, goal = 7500.0; // frames per second; the paper's on a graphics card
static const double modes_goal = 10.0;            // to find the modes [s]
static const double moves_least = 0.02;           // some node, from where it is on the rigid animal [m]
static const double moments[] = {1.2, 1.5, 2.0};  // of the pictures [s]
enum { PICTURES = 3 };
static const LabView view = {{1.3, -2.6, 1.1}, {-0.03, 0, 0.42}, 26.0, 0.0, 1.0};

// The farthest that a node comes from where it was beside the first held one, in which the ground's own
// motion is left out.
static double moved(const CordVec3* rest, const CordVec3* x, int foot)
{
    double most = 0.0;
    CordVec3 by = cord_vec3_sub(x[foot], rest[foot]);
    for (int i = 0; i < NODES; i++) {
        most = fmax(most, cord_vec3_distance(x[i], cord_vec3_add(rest[i], by)));
    }
    return most;
}

static int lowest_node(const CordVec3* x)
{
    int lowest = 0;
    for (int i = 1; i < NODES; i++) {
        lowest = x[i].z < x[lowest].z ? i : lowest;
    }
    return lowest;
}

static double shake(Lab* lab, CordWorld* world)
{
    CordVec3* rest = lab_room(lab, NODES, sizeof *rest);
    lab_ok(lab, world, cord_rod_positions(world, cord_world_rod(world, 0), rest));
    int foot = lowest_node(rest), drawn = 0;
    double farthest = 0.0;
    for (int i = 0; i < STEPS; i++) {
        lab_steps(lab, world, mw_step, 1);
        farthest = fmax(farthest, moved(rest, lab_nodes(lab, world, 0), foot));
        if (drawn < PICTURES && cord_world_time(world) > moments[drawn] - 0.5 * mw_step) {
            lab_picture(lab, world, &view, lab_text(lab, "%d", ++drawn));
        }
    }
    return isfinite(farthest) ? farthest : 0.0;
}

static void run(Lab* lab)
{
    CordWorld* world = lab_world_timed(lab, LAB_UNTIMED, "modal/fig7", LAB_AS_SHIPPED);
    lab_say(lab, "an animal of rubber rods, 8 mm in radius, on ground that is shaken; steps of 1/30 s");
    TimingModal cost = timing_modal(lab, world);
    lab_above(lab, "nodes move beside the ground, at the most [m]",
              cost.nodes == NODES ? shake(lab, world) : 0.0, moves_least, NULL);
    lab_row(lab, "", NULL, cost.nodes, cost.elements, cost.unknowns, cost.found, cost.modes,
            1.0 / cost.frame);
    lab_equal(lab, "nodes", cost.nodes, NODES, NULL);
    lab_equal(lab, "elements", cost.elements, ELEMENTS, NULL);
    lab_above(lab, "frames per second", 1.0 / cost.frame, paper, "MW figure 7, on a graphics card");
    lab_goal(lab, "seconds to find the modes", cost.modes, modes_goal, "our own");
    lab_goal(lab, "milliseconds a frame", 1e3 * cost.frame, 1e3 / goal, "our own");
}

const Experiment experiment_mw_fig7 = {
    .id = "mw-fig7",
    .about = "MW figure 7: an animal of 9,836 nodes and 29,502 beams, in frames per second",
    .source = "MW figure 7",
    .cost = LAB_TIMING,
    .run = run,
    .tables = LAB_TABLES({"", .columns = "nodes,elements,unknowns,modes,modes [s],frames/s", .shown = true}),
};
