#include "math/cuthill_mckee.h"

#include "base/sort.h"

#include <string.h>

typedef struct Ranked {
    int degree, group;
} Ranked;

// A group (supervariable) is a run of unknowns with the same pattern. Their graph has far fewer edges.
typedef struct Graph {
    Memory* memory;
    int size;
    int entries;
    int count;      // groups
    int* group;     // of each unknown (size)
    int* first;     // first unknown of a group (count + 1)
    int* start;     // first neighbour of a group (count + 1)
    int* neighbour; // (start[count])
    int* level;     // distance from the root of the search; -1: not reached (count)
    int* queue;     // groups in the order of the search (count)
    bool* placed;   // (count)
    Ranked* ranked; // neighbours to be sorted (count)
} Graph;

static bool same_entries(const int* start, const int* row, int a, int b)
{
    int n = start[a + 1] - start[a];
    return start[b + 1] - start[b] == n &&
           memcmp(row + start[a], row + start[b], (size_t)n * sizeof *row) == 0;
}

static void find_groups(Graph* g, const int* start, const int* row)
{
    for (int i = 0; i < g->size; i++) {
        if (i == 0 || !same_entries(start, row, i - 1, i)) {
            g->first[g->count++] = i;
        }
        g->group[i] = g->count - 1;
    }
    g->first[g->count] = g->size;
}

// Rows ascend and groups are runs, so the entries of a group are next to each other.
static void find_neighbours(Graph* g, const int* start, const int* row)
{
    int used = 0;
    for (int a = 0; a < g->count; a++) {
        g->start[a] = used;
        int column = g->first[a], last = a;
        for (int k = start[column]; k < start[column + 1]; k++) {
            int b = g->group[row[k]];
            if (b != last && b != a) {
                g->neighbour[used++] = b;
                last = b;
            }
        }
    }
    g->start[g->count] = used;
}

static int degree(const Graph* g, int a)
{
    return g->start[a + 1] - g->start[a];
}

static int by_degree(const void* p, const void* q)
{
    const Ranked *a = p, *b = q;
    return a->degree != b->degree ? a->degree - b->degree : a->group - b->group;
}

// Breadth-first search from `from` through the groups that are not placed. Appends to the queue from
// `at` on, neighbours sorted by degree if `ranked`, and returns its end.
static int breadth_first(Graph* g, int from, int at, bool ranked)
{
    int end = at;
    g->queue[end++] = from;
    g->level[from] = 0;
    for (int head = at; head < end; head++) {
        int a = g->queue[head], count = 0;
        for (int k = g->start[a]; k < g->start[a + 1]; k++) {
            int b = g->neighbour[k];
            if (g->level[b] < 0 && !g->placed[b]) {
                g->level[b] = g->level[a] + 1;
                g->ranked[count++] = (Ranked){degree(g, b), b};
            }
        }
        if (ranked) {
            heap_sort(g->ranked, count, sizeof *g->ranked, by_degree);
        }
        for (int k = 0; k < count; k++) {
            g->queue[end++] = g->ranked[k].group;
        }
    }
    return end;
}

static void clear_levels(Graph* g, int at, int end)
{
    for (int k = at; k < end; k++) {
        g->level[g->queue[k]] = -1;
    }
}

// Pseudo-peripheral node of a component (George and Liu 1979): goes on to the farthest node of
// least degree while that increases the distance.
static int pseudo_peripheral(Graph* g, int from, int at)
{
    int depth = -1;
    for (;;) {
        int end = breadth_first(g, from, at, false), farthest = g->level[g->queue[end - 1]],
            best = g->queue[end - 1];
        for (int k = end - 1; k >= at && g->level[g->queue[k]] == farthest; k--) {
            best = degree(g, g->queue[k]) < degree(g, best) ? g->queue[k] : best;
        }
        clear_levels(g, at, end);
        if (farthest <= depth) {
            return from;
        }
        depth = farthest;
        from = best;
    }
}

static void number_groups(Graph* g, int* order)
{
    int end = 0;
    for (int a = 0; a < g->count; a++) {
        if (!g->placed[a]) {
            int begin = end;
            end = breadth_first(g, pseudo_peripheral(g, a, begin), begin, true);
            for (int k = begin; k < end; k++) {
                g->placed[g->queue[k]] = true;
            }
        }
    }
    int at = 0;
    for (int k = g->count - 1; k >= 0; k--) {
        for (int i = g->first[g->queue[k]]; i < g->first[g->queue[k] + 1]; i++) {
            order[at++] = i;
        }
    }
}

static bool graph_create(Graph* g)
{
    g->group = memory_array(g->memory, int, g->size);
    g->first = memory_array(g->memory, int, g->size + 1);
    g->start = memory_array(g->memory, int, g->size + 1);
    g->neighbour = memory_array(g->memory, int, g->entries);
    g->level = memory_array(g->memory, int, g->size);
    g->queue = memory_array(g->memory, int, g->size);
    g->placed = memory_array(g->memory, bool, g->size);
    g->ranked = memory_array(g->memory, Ranked, g->size);
    return g->group && g->first && g->start && g->neighbour && g->level && g->queue && g->placed && g->ranked;
}

static void graph_destroy(Graph* g)
{
    memory_array_free(g->memory, g->group, g->size);
    memory_array_free(g->memory, g->first, g->size + 1);
    memory_array_free(g->memory, g->start, g->size + 1);
    memory_array_free(g->memory, g->neighbour, g->entries);
    memory_array_free(g->memory, g->level, g->size);
    memory_array_free(g->memory, g->queue, g->size);
    memory_array_free(g->memory, g->placed, g->size);
    memory_array_free(g->memory, g->ranked, g->size);
}

bool reverse_cuthill_mckee(Memory* memory, int size, const int* start, const int* row, int* order)
{
    Graph g = {.memory = memory, .size = size, .entries = start[size]};
    bool good = graph_create(&g);
    if (good) {
        find_groups(&g, start, row);
        find_neighbours(&g, start, row);
        for (int a = 0; a < g.count; a++) {
            g.level[a] = -1;
        }
        number_groups(&g, order);
    }
    graph_destroy(&g);
    return good;
}
