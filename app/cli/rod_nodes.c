#include "rod_nodes.h"

#include <math.h>
#include <stdlib.h>

typedef struct Places { // along a rod, in order
    const double* arc;  // [m] (count)
    int count;
    double slack; // two that are closer are one [m]
} Places;

// Is one of them between the two, and neither of these?
static bool has_between(const Places* p, double low, double high)
{
    int first = 0, end = p->count;
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (p->arc[middle] > low + p->slack) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return first < p->count && p->arc[first] < high - p->slack;
}

static bool has(const Places* p, double arc)
{
    return has_between(p, arc - 2.0 * p->slack, arc + 2.0 * p->slack);
}

typedef bool Change(CordWorld* world, CordRodId rod, const Places* wanted, const double* arc);

// Both go from the end, so that the numbers of what comes next stay as they are. Has anything changed?
static bool halve(CordWorld* world, CordRodId rod, const Places* wanted, const double* arc)
{
    bool changed = false;
    int nodes = cord_rod_node_count(world, rod);
    double length = cord_rod_length(world, rod);
    for (int j = cord_rod_edge_count(world, rod) - 1; j >= 0; j--) {
        double end = j + 1 < nodes ? arc[j + 1] : length;
        changed = (has_between(wanted, arc[j], end) && cord_rod_refine(world, rod, j) == CORD_OK) || changed;
    }
    return changed;
}

static bool merge(CordWorld* world, CordRodId rod, const Places* wanted, const double* arc)
{
    bool changed = false;
    for (int i = cord_rod_node_count(world, rod) - 1; i >= 0; i--) {
        changed = (!has(wanted, arc[i]) && cord_rod_merge(world, rod, i) == CORD_OK) || changed;
    }
    return changed;
}

static double* arcs_of(const CordWorld* world, CordRodId rod) // NULL: no memory
{
    double* arc = calloc((size_t)cord_rod_node_count(world, rod) + 1, sizeof *arc);
    if (arc) {
        cord_rod_arcs(world, rod, arc);
    }
    return arc;
}

static bool change_all(CordWorld* world, CordRodId rod, const Places* wanted, Change* change)
{
    bool changed = true, good = true;
    while (changed && good) {
        double* arc = arcs_of(world, rod);
        good = arc != NULL;
        changed = good && change(world, rod, wanted, arc);
        free(arc);
    }
    return good;
}

static bool has_all(const CordWorld* world, CordRodId rod, const Places* wanted)
{
    double* arc = arcs_of(world, rod);
    bool good = arc && cord_rod_node_count(world, rod) == wanted->count;
    for (int i = 0; good && i < wanted->count; i++) {
        good = fabs(arc[i] - wanted->arc[i]) < wanted->slack;
    }
    free(arc);
    return good;
}

bool rod_nodes_take(CordWorld* world, CordRodId rod, const double* arc, int count)
{
    const Places wanted = {arc, count, 1e-9 * cord_rod_length(world, rod)};
    return change_all(world, rod, &wanted, halve) && change_all(world, rod, &wanted, merge) &&
           has_all(world, rod, &wanted);
}
