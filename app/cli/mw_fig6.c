// MW, figure 6: a frame of 336 beams, a hundred times as heavy as rubber.
#include "bench_modal.h"
#include "mw.h"
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>

enum { NODES = 170, ELEMENTS = 336, MODES = 8, REST_STEPS = 900 };
static const double half = 0.1;         // length of the frame, from where it is held [m]
static const double turn_least = 0.35;  // of its ends, from the horizontal [rad]
static const double length_most = 0.05; // change of length of elements that warping may make, in the mean
static const double even_most = 1e-6;   // between the two ends, of what they drop by: the frame is symmetric
static const MwView view = {{0.12, -0.62, 0.33}, {0, 0, 0.185}, 15.0, 0.1, 0.4};

typedef struct Sag {
    int nodes, elements, modes;
    double lowest;  // frequency [Hz]
    double drop[2]; // of its two ends, in the mean of their nodes [m]
    double turn[2]; // of its two ends: of the last cubes, from the horizontal [rad]
    double longer;  // mean change of length of elements, over that at rest
} Sag;

// The middle of the nodes that were at `from` along the frame.
static CordVec3 middle_of(const CordVec3* rest, const CordVec3* x, double from)
{
    CordVec3 sum = {0, 0, 0};
    int count = 0;
    for (int i = 0; i < NODES; i++) {
        if (fabs(rest[i].x - from) < 1e-3 * half) {
            sum = (CordVec3){sum.x + x[i].x, sum.y + x[i].y, sum.z + x[i].z};
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
        sum += fabs(mw_distance(frame->x[n[0]], frame->x[n[1]]) / mw_distance(rest[n[0]], rest[n[1]]) - 1.0);
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
    s->longer = mean_stretch(frame, rest);
}

static bool measure(CordWorld* world, const char* directory, Sag* s)
{
    CordRodId rod = cord_world_rod(world, 0);
    CordVec3 rest[NODES];
    CordMode mode;
    CordFrame frame;
    *s = (Sag){.nodes = cord_rod_node_count(world, rod),
               .elements = cord_rod_edge_count(world, rod),
               .modes = cord_rod_mode_count(world, rod)};
    if (s->nodes != NODES || s->modes == 0 || cord_rod_positions(world, rod, rest) != CORD_OK ||
        cord_rod_mode(world, rod, 0, &mode) != CORD_OK || !mw_advance(world, REST_STEPS) ||
        cord_world_frame(world, &frame) != CORD_OK) {
        return false;
    }
    s->lowest = sqrt(mode.omega2) / (2.0 * 3.14159265358979324);
    look_at_ends(&frame, rest, s);
    mw_picture(world, &view, directory, "mw-fig6");
    return true;
}

static bool judge(const Sag* s)
{
    bool counts = s->nodes == NODES && s->elements == ELEMENTS;
    bool bends = fmin(s->turn[0], s->turn[1]) >= turn_least, keeps = s->longer <= length_most;
    bool even = fabs(s->drop[0] / s->drop[1] - 1.0) <= even_most;
    printf("  %d nodes and %d elements, should be %d and %d: %s\n", s->nodes, s->elements, NODES, ELEMENTS,
           mw_verdict(counts));
    printf("  %d modes, for %d asked for; the lowest at %.4g Hz\n", s->modes, MODES, s->lowest);
    printf("  at rest its ends are %.4f and %.4f m lower, turned by %.3g and %.3g rad, should be more than %g: %s\n",
           s->drop[0], s->drop[1], s->turn[0], s->turn[1], turn_least, mw_verdict(bends));
    printf("  both alike to %.2g of that, should be less than %g: %s\n", fabs(s->drop[0] / s->drop[1] - 1.0),
           even_most, mw_verdict(even));
    printf("  lengths of elements change by %.2g %% in the mean, should be less than %g %%: %s\n",
           100.0 * s->longer, 100.0 * length_most, mw_verdict(keeps));
    return counts && bends && keeps && even;
}

bool mw_fig6_run(const char* directory)
{
    const char* settings[] = {"rods[0].modal.damping_ratio=0.7"};
    FILE* csv = reproduce_file(directory, "mw-fig6.csv");
    CordWorld* world = csv ? mw_scene("modal/fig6", settings, 1) : NULL;
    Sag s;
    bool good = world && measure(world, directory, &s);
    cord_world_destroy(world);
    BenchModal cost = good ? bench_modal(mw_scene("modal/fig6", NULL, 0)) : (BenchModal){.frame = NAN};
    if (good) {
        fprintf(csv, "nodes,elements,modes,lowest_Hz,drop_m,other_drop_m,turn_rad,other_turn_rad,longer,frames_per_s\n");
        fprintf(csv, "%d,%d,%d,%.9g,%.9g,%.9g,%.6g,%.6g,%.6g,%.6g\n", s.nodes, s.elements, s.modes, s.lowest,
                s.drop[0], s.drop[1], s.turn[0], s.turn[1], s.longer, 1.0 / cost.frame);
    }
    if (csv) {
        fclose(csv);
    }
    if (!good) {
        return false;
    }
    printf("a frame of rubber beams, 2 x 2 x 20 cm, 110,000 kg/m^3, held around its middle\n");
    bool pass = judge(&s);
    printf("  modes found in %.3g s; %.0f frames per second\n", cost.modes, 1.0 / cost.frame);
    printf("mw-fig6: %s\n", mw_verdict(pass));
    return pass;
}
