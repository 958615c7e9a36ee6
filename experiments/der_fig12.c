// DER, figure 12: a tree in a wind with vortices. It is made of rods welded at junctions, with one closed
// loop among them; its resistance to twist keeps it from spinning, and without it spins.
#include "lab.h"

#include <math.h>
#include <string.h>

static const double step = 2.5e-4, every = 0.02; // as in the scene; between samples [s]
static const double most_turn = 30.0, least_spin = 90.0,
                    quick_spin = 60.0; // [deg]: of the tree, and of the one without twist
static const double together = 1e-9;   // gaps at junctions, relative to an element's length

typedef struct End { // of a rod
    CordRodId rod;
    bool last;    // its last node; else its first
    int junction; // which rod's ends meet there: the number of the first of them
} End;

typedef struct Tree {
    CordWorld* world;
    CordBodyId crown; // the junction at the top of the trunk
    int vertices, rods, junctions, loops;
    End* ends;      // (2 rods)
    CordVec3* x;    // of a rod's nodes, for a moment
    double element; // length of a short one [m]
} Tree;

enum { SAMPLES = 126, QUICK = 91 };

// ---- the tree

static CordVec3 end_position(const Tree* t, const End* end)
{
    int last = cord_rod_node_count(t->world, end->rod) - 1;
    cord_rod_positions(t->world, end->rod, t->x);
    return t->x[end->last ? last : 0];
}

// Ends that are at one point belong to one junction: in the scene they are written alike.
static void find_ends(Tree* t)
{
    for (int i = 0; i < 2 * t->rods; i++) {
        t->ends[i] = (End){.rod = cord_world_rod(t->world, i / 2), .last = i % 2, .junction = i};
        CordVec3 x = end_position(t, &t->ends[i]);
        for (int k = 0; k < i; k++) {
            if (cord_vec3_distance(x, end_position(t, &t->ends[k])) < 1e-9) {
                t->ends[i].junction = t->ends[k].junction;
                break;
            }
        }
    }
}

static void count(Lab* lab, Tree* t)
{
    int longest = 0;
    t->rods = cord_world_rod_count(t->world);
    t->junctions = cord_world_body_count(t->world);
    t->element = INFINITY;
    for (int i = 0; i < t->rods; i++) {
        CordRodId rod = cord_world_rod(t->world, i);
        int nodes = cord_rod_node_count(t->world, rod);
        t->vertices += nodes;
        longest = nodes > longest ? nodes : longest;
        t->element = fmin(t->element, cord_rod_length(t->world, rod) / (nodes - 1));
    }
    // Rods and junctions are the nodes of a graph, welds its edges; it hangs together.
    t->loops = cord_world_weld_count(t->world) - (t->rods + t->junctions) + 1;
    t->ends = lab_room(lab, 2 * (size_t)t->rods, sizeof *t->ends);
    t->x = lab_room(lab, (size_t)longest, sizeof *t->x);
}

static Tree open_tree(Lab* lab, const char* setting)
{
    Tree t = {.world = lab_world(lab, "der/fig12", "%s", setting)};
    count(lab, &t);
    for (int i = 0; i < t.junctions; i++) {
        CordBodyId id = cord_world_body(t.world, i);
        t.crown = strcmp(cord_body_name(t.world, id), "crown") == 0 ? id : t.crown;
    }
    find_ends(&t);
    return t;
}

// ---- what is measured

static double largest_gap(const Tree* t)
{
    double most = 0.0;
    for (int i = 0; i < 2 * t->rods; i++) {
        if (t->ends[i].junction != i) {
            CordVec3 a = end_position(t, &t->ends[i]), b = end_position(t, &t->ends[t->ends[i].junction]);
            most = fmax(most, cord_vec3_distance(a, b) / t->element);
        }
    }
    return most;
}

static double angle_of(CordQuat q) // about the vertical, however it leans [deg]
{
    return 2.0 * atan2(q.z, q.w) * 180.0 / CORD_PI;
}

static double total_energy(const Tree* t) // [J]
{
    double sum = 0.0;
    for (int i = 0; i < t->rods; i++) {
        CordEnergy e = cord_rod_energy(t->world, cord_world_rod(t->world, i));
        sum += e.kinetic + e.bend + e.twist;
    }
    for (int i = 0; i < t->junctions; i++) {
        sum += cord_body_energy(t->world, cord_world_body(t->world, i)).kinetic;
    }
    return sum;
}

static void advance(Lab* lab, Tree* t, double time)
{
    lab_steps(lab, t->world, step, (int)nearbyint(time / step));
}

// ---- the experiment

static void follow(Lab* lab, Tree* t, const char* name, bool spins)
{
    CordVec3 stood, at;
    CordQuat turn;
    double angle = 0.0, spin = 0.0;
    cord_body_pose(t->world, t->crown, &stood, &turn);
    lab_row(lab, "", name, 0.0, 0.0, 0.0, 0.0, largest_gap(t));
    int samples = (int)lab_pick(lab, QUICK, SAMPLES);
    for (int i = 1; i < samples; i++) {
        advance(lab, t, every);
        cord_body_pose(t->world, t->crown, &at, &turn);
        spin += remainder(angle_of(turn) - angle, 360.0);
        angle = angle_of(turn);
        lab_row(lab, "", name, i * every, spin, fabs(spin), cord_vec3_distance(at, stood), largest_gap(t));
    }
    lab_say(lab, "%s: its crown goes %.2f m aside; steps taken in halves: %lld", name,
            lab_most(lab, "", name, "aside"), (long long)cord_world_retries(t->world));
    if (spins) {
        lab_above(lab, "it spins: its crown is turned in the end by [deg]", lab_last(lab, "", name, "turned"),
                  lab_pick(lab, quick_spin, least_spin), NULL);
    } else {
        lab_below(lab, "twist holds it: its crown turns at the most by [deg]",
                  lab_most(lab, "", name, "turned"), most_turn, NULL);
    }
    lab_below(lab, "junctions open at the most, over an element's length, by", lab_most(lab, "", name, "gap"),
              together, "rods that are welded");
}

// After the wind has died down, nothing takes energy away.
static void measure_energy(Lab* lab)
{
    Tree t = open_tree(lab, "loads[0].wind.to=0.5");
    advance(lab, &t, 0.5);
    for (int i = 0; i <= 25; i++) {
        lab_row(lab, "energy", NULL, i * every, total_energy(&t));
        advance(lab, &t, every);
    }
    lab_below(lab,
              lab_text(lab, "energy in still air, without drag, over %g s: spread, relatively", 25 * every),
              1.0 - lab_least(lab, "energy", NULL, "energy") / lab_most(lab, "energy", NULL, "energy"), 0.01,
              "it is kept");
}

static void run(Lab* lab)
{
    Tree tree = open_tree(lab, ""), loose = open_tree(lab, "rods[*].stiffness.twist=1e-6");
    lab_say(lab, "a tree in steps of %g ms; stable up to %.3g ms", 1e3 * step,
            1e3 * cord_world_step_advice(tree.world).step);
    lab_above(lab, "vertices", tree.vertices, 1999, NULL);
    lab_above(lab, "junctions", tree.junctions, 99, NULL);
    lab_equal(lab, "closed loops", tree.loops, 1, NULL);
    follow(lab, &tree, "tree", false);
    follow(lab, &loose, "without resistance to twist", true);
    measure_energy(lab);
}

#define PANEL(label, column, more)                                                                           \
    {                                                                                                        \
        .x = "time [s]", .y = label,                                                                         \
        .set = "set lmargin 10\nset rmargin 4\nset xrange [0:2.5]\nset key top left\n" more,                 \
        .curves = LAB_CURVES({"", LAB_EACH, .x = "time", .y = column})                                       \
    }

const Experiment experiment_der_fig12 = {
    .id = "der-fig12",
    .about = "DER figure 12: a tree in the wind, and one that nothing keeps from spinning",
    .source = "DER figure 12",
    .cost = LAB_LONG,
    .run = run,
    .tables = LAB_TABLES({"", .columns = "tree,time [s],turn [deg],turned [deg],aside [m],gap"},
                         {"energy", .columns = "time [s],energy [J]"}),
    .panels = LAB_PANELS(PANEL("turn of the crown [deg]", "turn", ""),
                         PANEL("crown from its place [m]", "aside", "set yrange [0:*]")),
    .layout = "2,1",
};
