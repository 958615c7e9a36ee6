#include "rod/edge_bvh.h"

#include "base/assert.h"
#include "math/vec3.h"

#define LEAF_EDGES 4  // at most, in a leaf
#define MOST_FOUND 16 // edges that a query returns
#define MOST_DEPTH 40 // of the stack: an int counts the edges

static double component(CordVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double middle(const EdgeBvh* t, int edge, int axis) // times two: only the order matters
{
    return component(t->x[t->ends[2 * edge]], axis) + component(t->x[t->ends[2 * edge + 1]], axis);
}

static bool comes_before(const EdgeBvh* t, int a, int b, int axis)
{
    double at = middle(t, a, axis), bt = middle(t, b, axis);
    return at < bt || (at == bt && a < b); // so that the tree does not depend on the order of the input
}

// Hoare's selection (quickselect): partitions order[first, end) about the place `half`.
static void partition(EdgeBvh* t, int first, int end, int half, int axis)
{
    int* order = t->order;
    int last = end - 1;
    while (first < last) {
        int pivot = order[first + (last - first) / 2], i = first, j = last;
        while (i <= j) {
            while (comes_before(t, order[i], pivot, axis)) {
                i++;
            }
            while (comes_before(t, pivot, order[j], axis)) {
                j--;
            }
            if (i <= j) {
                int swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (half <= j) {
            last = j;
        } else if (half >= i) {
            first = i;
        } else {
            return;
        }
    }
}

static BoundingBox box_of_edges(const EdgeBvh* t, int first, int end)
{
    BoundingBox box = bounding_box_empty();
    for (int i = first; i < end; i++) {
        for (int k = 0; k < 2; k++) {
            bounding_box_add(&box, t->x[t->ends[2 * t->order[i] + k]]);
        }
    }
    return box;
}

static void build(EdgeBvh* t, int node, int first, int end)
{
    BoundingBox box = t->boxes[node] = box_of_edges(t, first, end);
    if (end - first <= LEAF_EDGES) {
        return;
    }
    CordVec3 size = vec3_sub(box.high, box.low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int half = first + (end - first) / 2;
    partition(t, first, end, half, axis);
    build(t, 2 * node, first, half);
    build(t, 2 * node + 1, half, end);
}

bool edge_bvh_create(Memory* m, EdgeBvh* t, const CordVec3* x, const int* ends, int edge_count)
{
    *t = (EdgeBvh){.x = x, .ends = ends, .edge_count = edge_count, .box_count = 2};
    for (int count = edge_count; count > LEAF_EDGES; count -= count / 2) {
        t->box_count *= 2;
    }
    t->order = memory_array(m, int, edge_count);
    t->boxes = memory_array(m, BoundingBox, t->box_count);
    if (!t->order || !t->boxes) {
        edge_bvh_destroy(m, t);
        return false;
    }
    for (int i = 0; i < edge_count; i++) {
        t->order[i] = i;
    }
    build(t, 1, 0, edge_count);
    return true;
}

void edge_bvh_destroy(Memory* m, EdgeBvh* t)
{
    memory_array_free(m, t->order, t->edge_count);
    memory_array_free(m, t->boxes, t->box_count);
    *t = (EdgeBvh){0};
}

// ---- queries

static double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0.0;
}

static double box_distance2(const BoundingBox* box, CordVec3 p)
{
    CordVec3 d = {outside(box->low.x, box->high.x, p.x), outside(box->low.y, box->high.y, p.y),
                  outside(box->low.z, box->high.z, p.z)};
    return vec3_dot(d, d);
}

static ClosestEdge edge_distance(const EdgeBvh* t, int edge, CordVec3 p)
{
    CordVec3 x0 = t->x[t->ends[2 * edge]], e = vec3_sub(t->x[t->ends[2 * edge + 1]], x0);
    double square = vec3_dot(e, e), s = square > 0.0 ? vec3_dot(vec3_sub(p, x0), e) / square : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return (ClosestEdge){edge, vec3_length(vec3_sub(p, vec3_madd(x0, e, s))), s};
}

typedef struct Query {
    CordVec3 point;
    int most, count;
    ClosestEdge* found; // in order (count)
} Query;

static void insert(Query* s, ClosestEdge near)
{
    int at = s->count;
    while (at > 0 && (near.distance < s->found[at - 1].distance ||
                      (near.distance == s->found[at - 1].distance && near.edge < s->found[at - 1].edge))) {
        at--;
    }
    if (at == s->most) {
        return;
    }
    s->count += s->count < s->most;
    for (int k = s->count - 1; k > at; k--) {
        s->found[k] = s->found[k - 1];
    }
    s->found[at] = near;
}

static bool is_too_far(const Query* s, double distance2)
{
    if (s->count < s->most) {
        return false;
    }
    double reach = s->found[s->most - 1].distance;
    return distance2 > reach * reach;
}

typedef struct Part { // a subtree that is still to be visited
    int node, first, end;
    double distance2;
} Part;

int edge_bvh_closest(const EdgeBvh* t, CordVec3 point, int most, ClosestEdge* found)
{
    CORD_ASSERT(most > 0 && most <= MOST_FOUND);
    Query s = {point, most, 0, found};
    Part stack[MOST_DEPTH];
    int depth = 0;
    stack[depth++] = (Part){1, 0, t->edge_count, box_distance2(&t->boxes[1], point)};
    while (depth > 0) {
        Part part = stack[--depth];
        if (is_too_far(&s, part.distance2)) {
            continue;
        }
        if (part.end - part.first <= LEAF_EDGES) {
            for (int i = part.first; i < part.end; i++) {
                insert(&s, edge_distance(t, t->order[i], point));
            }
            continue;
        }
        int half = part.first + (part.end - part.first) / 2, left = 2 * part.node;
        Part a = {left, part.first, half, box_distance2(&t->boxes[left], point)};
        Part b = {left + 1, half, part.end, box_distance2(&t->boxes[left + 1], point)};
        bool left_first = a.distance2 <= b.distance2;
        stack[depth++] = left_first ? b : a; // the nearer one is visited first
        stack[depth++] = left_first ? a : b;
    }
    return s.count;
}
