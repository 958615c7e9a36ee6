// MW, figure 7: an animal of 29,502 beams, the edges of a closed surface of triangles: frames per second.
#include "bench_modal.h"
#include "mw.h"
#include "reproduce.h"

#include <math.h>

enum { NODES = 9836, ELEMENTS = 29502, STEPS = 90 };
static const double paper = 300.0, goal = 7500.0; // frames per second; the paper's on a graphics card
static const double modes_goal = 10.0;            // to find the modes [s]
static const double moves_least = 0.02;           // some node, from where it is on the rigid animal [m]
static const double moments[] = {1.2, 1.5, 2.0};  // of the pictures [s]
enum { PICTURES = 3 };
static const MwView view = {{1.3, -2.6, 1.1}, {-0.03, 0, 0.42}, 26.0, 0.0, 1.0};

// The farthest that a node comes from where it was beside the first held one, in which the ground's own motion is left out.
static double moved(const CordVec3* rest, const CordVec3* x, int foot)
{
    double most = 0.0;
    CordVec3 by = {x[foot].x - rest[foot].x, x[foot].y - rest[foot].y, x[foot].z - rest[foot].z};
    for (int i = 0; i < NODES; i++) {
        most = fmax(most, mw_distance(x[i], (CordVec3){rest[i].x + by.x, rest[i].y + by.y, rest[i].z + by.z}));
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

static bool shake(CordWorld* world, const char* directory, double* farthest)
{
    static CordVec3 rest[NODES], x[NODES];
    CordRodId rod = cord_world_rod(world, 0);
    bool good = cord_rod_node_count(world, rod) == NODES && cord_rod_positions(world, rod, rest) == CORD_OK;
    int foot = lowest_node(rest), drawn = 0;
    *farthest = 0.0;
    for (int i = 0; i < STEPS && good; i++) {
        good = mw_advance(world, 1) && cord_rod_positions(world, rod, x) == CORD_OK;
        *farthest = fmax(*farthest, moved(rest, x, foot));
        if (good && drawn < PICTURES && cord_world_time(world) > moments[drawn] - 0.5 * mw_step) {
            char name[32];
            snprintf(name, sizeof name, "mw-fig7-%d", ++drawn);
            mw_picture(world, &view, directory, name);
        }
    }
    return good;
}

static bool judge(const BenchModal* b, double farthest)
{
    double speed = 1.0 / b->frame;
    bool counts = b->nodes == NODES && b->elements == ELEMENTS,
         moves = farthest >= moves_least && isfinite(farthest);
    bool faster = speed > paper;
    printf("  %d nodes and %d elements, should be %d and %d: %s\n", b->nodes, b->elements, NODES, ELEMENTS,
           mw_verdict(counts));
    printf("  nodes move by up to %.3g m beside the ground, should be more than %g: %s\n", farthest,
           moves_least, mw_verdict(moves));
    printf("  %d modes of %d unknowns found in %.3g s; the goal is %g s: %s\n", b->found, b->unknowns,
           b->modes, modes_goal, b->modes <= modes_goal ? "reached" : "missed");
    printf("  %.0f frames per second, the paper has %g: %s; the goal is %g: %s\n", speed, paper,
           mw_verdict(faster), goal, speed >= goal ? "reached" : "missed");
    return counts && moves && faster;
}

bool mw_fig7_run(const char* directory)
{
    FILE* csv = reproduce_file(directory, "mw-fig7.csv");
    CordWorld* world = csv ? mw_scene("modal/fig7", NULL, 0) : NULL;
    double farthest = NAN;
    bool good = world && shake(world, directory, &farthest);
    cord_world_destroy(world);
    BenchModal cost = good ? bench_modal_animal() : (BenchModal){.frame = NAN};
    good = good && isfinite(cost.frame);
    if (good) {
        fprintf(csv, "nodes,elements,unknowns,modes,farthest_m,modes_s,frames_per_s\n%d,%d,%d,%d,%.6g,%.6g,%.6g\n",
                cost.nodes, cost.elements, cost.unknowns, cost.found, farthest, cost.modes, 1.0 / cost.frame);
    }
    if (csv) {
        fclose(csv);
    }
    if (!good) {
        return false;
    }
    printf("an animal of rubber rods, 8 mm in radius, on ground that is shaken; steps of 1/30 s\n");
    bool pass = judge(&cost, farthest);
    printf("mw-fig7: %s\n", mw_verdict(pass));
    return pass;
}
