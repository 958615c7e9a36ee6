#include "rod/network.h"

#include "math/vec3.h"

static CordResult check_edge(const CordShape* s, int j, Message* message)
{
    int a = s->ends[2 * j], b = s->ends[2 * j + 1];
    if (a < 0 || b < 0 || a >= s->node_count || b >= s->node_count) {
        return message_fail(message, CORD_BAD_ARGUMENT,
                            "edge %d joins nodes %d and %d; the network has nodes 0 to %d", j, a, b,
                            s->node_count - 1);
    }
    if (a == b) {
        return message_fail(message, CORD_BAD_ARGUMENT, "edge %d joins node %d with itself", j, a);
    }
    double length = vec3_length(vec3_sub(s->points[b], s->points[a]));
    return isfinite(length) && length > 0.0
               ? CORD_OK
               : message_fail(message, CORD_BAD_ARGUMENT,
                              "edge %d has no length: nodes %d and %d are at one place", j, a, b);
}

static CordResult check_isolated(const CordShape* s, const int* degree, Message* message)
{
    for (int i = 0; i < s->node_count; i++) {
        if (degree[i] == 0) {
            return message_fail(message, CORD_BAD_ARGUMENT,
                                "node %d of the network has no edge; leave it out, or join it", i);
        }
    }
    return CORD_OK;
}

// Each edge is listed under its node of lower degree, so that hubs cost nothing; only edges of one list are
// compared.
static CordResult check_duplicates(const CordShape* s, const int* start, const int* listed, Message* message)
{
    for (int i = 0; i < s->node_count; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            for (int l = start[i]; l < k; l++) {
                const int *a = &s->ends[2 * listed[k]], *b = &s->ends[2 * listed[l]];
                if (a[0] + a[1] == b[0] + b[1]) {
                    return message_fail(message, CORD_BAD_ARGUMENT,
                                        "edges %d and %d join the same two nodes, %d and %d", listed[l],
                                        listed[k], a[0], a[1]);
                }
            }
        }
    }
    return CORD_OK;
}

static int listed_under(const CordShape* s, const int* degree, int j)
{
    int a = s->ends[2 * j], b = s->ends[2 * j + 1];
    bool first = degree[a] < degree[b] || (degree[a] == degree[b] && a < b);
    return first ? a : b;
}

static void list_edges(const CordShape* s, const int* degree, int* start, int* listed)
{
    for (int j = 0; j < s->edge_count; j++) {
        start[listed_under(s, degree, j) + 1]++;
    }
    for (int i = 0; i < s->node_count; i++) {
        start[i + 1] += start[i];
    }
    for (int j = s->edge_count - 1; j >= 0; j--) { // from the back: start ends up one entry on
        listed[--start[listed_under(s, degree, j) + 1]] = j;
    }
    for (int i = 0; i < s->node_count; i++) {
        start[i] = start[i + 1];
    }
    start[s->node_count] = s->edge_count;
}

CordResult network_check(Memory* m, const CordShape* s, Message* message)
{
    for (int j = 0; j < s->edge_count; j++) {
        CORD_TRY(check_edge(s, j, message));
    }
    int* degree = memory_array(m, int, s->node_count);
    int* start = memory_array(m, int, s->node_count + 1);
    int* listed = memory_array(m, int, s->edge_count);
    CordResult result = CORD_NO_MEMORY;
    if (degree && start && listed) {
        for (int k = 0; k < 2 * s->edge_count; k++) {
            degree[s->ends[k]]++;
        }
        list_edges(s, degree, start, listed);
        result = check_isolated(s, degree, message);
        result = result == CORD_OK ? check_duplicates(s, start, listed, message) : result;
    } else {
        message_fail(message, result, "no memory to check a network of %d edges", s->edge_count);
    }
    memory_array_free(m, degree, s->node_count);
    memory_array_free(m, start, s->node_count + 1);
    memory_array_free(m, listed, s->edge_count);
    return result;
}

// Union-find with path halving.
static int root_of(int* parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

int network_components(const int* ends, int edge_count, int node_count, int* component)
{
    for (int i = 0; i < node_count; i++) {
        component[i] = i;
    }
    for (int j = 0; j < edge_count; j++) {
        int a = root_of(component, ends[2 * j]), b = root_of(component, ends[2 * j + 1]);
        component[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < node_count; i++) {
        component[i] = root_of(component, i);
    }
    int count = 0;
    for (int i = 0; i < node_count; i++) { // a root comes before all that it is the root of
        component[i] = component[i] == i ? count++ : component[component[i]];
    }
    return count;
}
