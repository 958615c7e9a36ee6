// MW, figure 6: a frame of 336 beams, a hundred times as heavy as rubber.
#include "mw.h"

#include <math.h>

enum { NODES = 170, ELEMENTS = 336, MODES = 8, REST_STEPS = 900 };
static const double half = 0.1;         // length of the frame, from where it is held [m]
static const double turn_least = 0.35;  // of its ends, from the horizontal [rad]
static const double length_most = 0.05; // change of length of elements that warping may make, in the mean
static const double even_most = 1e-6;   // between the two ends, of what they drop by: the frame is symmetric
static const LabView view = {{0.12, -0.62, 0.33}, {0, 0, 0.185}, 15.0, 0.1, 0.4};

typedef struct Sag { // of its two ends
    double drop[2];  // in the mean of their nodes [m]
    double turn[2];  // of the last cubes, from the horizontal [rad]
} Sag;

// The middle of the nodes that were at `from` along the frame.
static CordVec3 middle_of(const CordVec3* rest, const CordVec3* x, double from)
{
    CordVec3 sum = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < NODES; i++) {
        if (fabs(rest[i].x - from) < 1e-3 * half) {
            sum = cord_vec3_add(sum, x[i]);
            count++;
        }
    }
    return (CordVec3){sum.x / count, sum.y / count, sum.z / count};
}

static double mean_stretch(const CordFrame* frame, const CordVec3* rest)
{
    double sum = 0.0;
    for (int e = 0; e < frame->edge_count; e++) {
        int n[2];
        cord_frame_ends(frame, 0, e, n);
        sum += fabs(cord_vec3_distance(frame->x[n[0]], frame->x[n[1]]) /
                        cord_vec3_distance(rest[n[0]], rest[n[1]]) -
                    1.0);
    }
    return sum / frame->edge_count;
}

static void look_at_ends(const CordFrame* frame, const CordVec3* rest, Sag* s)
{
    for (int side = 0; side < 2; side++) {
        double end = side ? half : -half;
        CordVec3 was = middle_of(rest, rest, end), is = middle_of(rest, frame->x, end);
        CordVec3 before = middle_of(rest, frame->x, 0.8 * end);
        s->drop[side] = was.z - is.z;
        s->turn[side] = atan2(before.z - is.z, fabs(is.x - before.x));
    }
}

static void judge(Lab* lab, const CordFrame* frame, const CordVec3* rest)
{
    Sag s;
    look_at_ends(frame, rest, &s);
    lab_row(lab, "", NULL, s.drop[0], s.drop[1], s.turn[0], s.turn[1], mean_stretch(frame, rest));
    lab_above(lab, "at rest its ends are turned by, at the least [rad]", fmin(s.turn[0], s.turn[1]),
              turn_least, NULL);
    lab_near(lab, "both ends are lower alike [m]", s.drop[0], s.drop[1], even_most, "symmetry");
    lab_below(lab, "lengths of elements change by, in the mean", mean_stretch(frame, rest), length_most,
              "inextensible beams");
}

static void run(Lab* lab)
{
    CordWorld* world = lab_world(lab, "modal/fig6", "rods[0].modal.damping_ratio=0.7");
    CordRodId rod = cord_world_rod(world, 0);
    CordVec3 rest[NODES];
    CordMode mode;
    CordFrame frame;
    lab_say(lab, "a frame of rubber beams, 2 x 2 x 20 cm, 110,000 kg/m^3, held around its middle");
    if (lab_equal(lab, "nodes", cord_rod_node_count(world, rod), NODES, NULL) &&
        lab_equal(lab, "elements", cord_rod_edge_count(world, rod), ELEMENTS, NULL)) {
        lab_ok(lab, world, cord_rod_positions(world, rod, rest));
        lab_ok(lab, world, cord_rod_mode(world, rod, 0, &mode));
        lab_say(lab, "  %d modes, for %d asked for; the lowest at %.4g Hz", cord_rod_mode_count(world, rod),
                MODES, sqrt(mode.omega2) / (2.0 * CORD_PI));
        lab_steps(lab, world, mw_step, REST_STEPS);
        lab_ok(lab, world, cord_world_frame(world, &frame));
        judge(lab, &frame, rest);
        lab_picture(lab, world, &view, "");
    }
    TimingModal cost = timing_modal(lab, lab_world_timed(lab, LAB_UNTIMED, "modal/fig6", LAB_AS_SHIPPED));
    lab_say(lab, "  modes found in %.3g s; %.0f frames per second", cost.modes, 1.0 / cost.frame);
}

const Experiment experiment_mw_fig6 = {
    .id = "mw-fig6",
    .about = "MW figure 6: a frame of 170 nodes and 336 beams, a hundred times as heavy as rubber",
    .source = "MW figure 6",
    .run = run,
    .tables = LAB_TABLES({"", .columns = "drop [m],other [m],turn [rad],other [rad],longer", .shown = true}),
};
