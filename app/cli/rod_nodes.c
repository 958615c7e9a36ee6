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

bool rod_nodes_take(CordWorld* world, CordRodId rod, const double* arc, int count)
{
    const Places wanted = {arc, count, 1e-9 * cord_rod_length(world, rod)};
    bool changed = true, good = true;
    while (changed && good) {
        int nodes = cord_rod_node_count(world, rod);
        double* now = calloc((size_t)nodes + 1, sizeof *now);
        good = now && cord_rod_arcs(world, rod, now) == CORD_OK;
        changed = good && (halve(world, rod, &wanted, now) || merge(world, rod, &wanted, now));
        if (good && !changed) {
            good = nodes == count;
            for (int i = 0; good && i < count; i++) {
                good = fabs(now[i] - arc[i]) < wanted.slack;
            }
        }
        free(now);
    }
    return good;
}
