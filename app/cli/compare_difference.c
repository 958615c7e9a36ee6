#include "compare.h"

#include <cordage/math.h>

typedef struct Polygon { // a rod of a frame
    const CordVec3* x;   // [m] (nodes)
    // rest length from the start [m] (nodes); NULL: the current length is used instead
    const double* arc;
    double closing; // rest length of the edge that closes a ring with arcs [m]
    int nodes, edges;
} Polygon;

static CordVec3 edge_end(const Polygon* p, int edge)
{
    return p->x[(edge + 1) % p->nodes];
}

static double edge_length_now(const Polygon* p, int edge)
{
    return cord_vec3_distance(p->x[edge], edge_end(p, edge));
}

static double edge_length(const Polygon* p, int edge)
{
    return !p->arc               ? edge_length_now(p, edge)
           : edge + 1 < p->nodes ? p->arc[edge + 1] - p->arc[edge]
                                 : p->closing;
}

static Polygon polygon_of(const CordFrame* frame, int rod, bool with_arcs)
{
    const CordFrameRod* r = &frame->rods[rod];
    Polygon p = {.x = frame->x + r->first_node, .nodes = r->node_count, .edges = r->edge_count};
    if (with_arcs) {
        double now = 0.0;
        for (int j = 0; j + 1 < p.nodes; j++) {
            now += edge_length_now(&p, j);
        }
        p.arc = frame->arc + r->first_node;
        // it is assumed to be stretched as the other edges
        p.closing = edge_length_now(&p, p.nodes - 1) * p.arc[p.nodes - 1] / fmax(now, 1e-300);
    }
    return p;
}

static double polygon_length(const Polygon* p)
{
    double sum = 0.0;
    for (int j = 0; j < p->edges; j++) {
        sum += edge_length(p, j);
    }
    return sum;
}

// ---- walking along

typedef struct Walk { // along a polygon, forwards only
    const Polygon* polygon;
    int edge;
    double passed; // length of the edges before it [m]
} Walk;

static CordVec3 walk_to(Walk* w, double arc) // [m]
{
    const Polygon* p = w->polygon;
    double length = edge_length(p, w->edge);
    while (w->edge < p->edges - 1 && w->passed + length < arc) {
        w->passed += length;
        length = edge_length(p, ++w->edge);
    }
    double t = length > 0.0 ? fmin(fmax((arc - w->passed) / length, 0.0), 1.0) : 0.0;
    CordVec3 a = p->x[w->edge], b = edge_end(p, w->edge);
    return cord_vec3_madd(a, cord_vec3_sub(b, a), t);
}

// ---- differences

typedef struct Distances { // of one rod
    double largest;        // [m]
    double squares;        // their sum [m^2]
    int count;
} Distances;

static void distances_add(Distances* d, double value)
{
    d->largest = fmax(d->largest, value);
    d->squares += value * value;
    d->count++;
}

// Adaptive rods may have the same number of nodes at other places.
static bool nodes_match(const Polygon* a, const Polygon* b)
{
    bool match = a->nodes == b->nodes;
    for (int i = 0; match && a->arc && i < a->nodes; i++) {
        match = fabs(a->arc[i] - b->arc[i]) <= 1e-9 * a->arc[a->nodes - 1];
    }
    return match;
}

static Distances distances_by_node(const Polygon* a, const Polygon* b)
{
    Distances d = {0};
    for (int i = 0; i < a->nodes; i++) {
        distances_add(&d, cord_vec3_distance(a->x[i], b->x[i]));
    }
    return d;
}

static Distances distances_by_arc(const Polygon* fine, const Polygon* coarse)
{
    Distances d = {0};
    Walk walk = {.polygon = coarse};
    double scale = polygon_length(coarse) / fmax(polygon_length(fine), 1e-300), arc = 0.0;
    for (int i = 0; i < fine->nodes; i++) {
        distances_add(&d, cord_vec3_distance(fine->x[i], walk_to(&walk, scale * arc)));
        arc += i < fine->edges ? edge_length(fine, i) : 0.0;
    }
    return d;
}

Difference difference_of(const CordFrame* a, const CordFrame* b, const double* lengths)
{
    Difference sum = {0};
    double squares = 0.0, share_squares = 0.0;
    int count = 0;
    for (int rod = 0; rod < a->rod_count; rod++) {
        bool arcs = a->arc && b->arc;
        Polygon p = polygon_of(a, rod, arcs), q = polygon_of(b, rod, arcs);
        bool network = a->rods[rod].network || b->rods[rod].network;
        if (network && p.nodes != q.nodes) { // a network has no arc length
            continue;
        }
        Distances d = network || nodes_match(&p, &q) ? distances_by_node(&p, &q)
                      : p.nodes > q.nodes            ? distances_by_arc(&p, &q)
                                                     : distances_by_arc(&q, &p);
        double length = lengths[rod];
        if (d.largest / length > sum.share) {
            sum.share = d.largest / length;
            sum.rod = rod;
        }
        sum.largest = fmax(sum.largest, d.largest);
        squares += d.squares;
        share_squares += d.squares / (length * length);
        count += d.count;
    }
    sum.rms = sqrt(squares / fmax(1.0, count));
    sum.rms_share = sqrt(share_squares / fmax(1.0, count));
    return sum;
}
