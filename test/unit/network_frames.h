// A frame made by hand: a chain, a network, and a surface that goes along with the network.
#ifndef CORDAGE_TEST_NETWORK_FRAMES_H
#define CORDAGE_TEST_NETWORK_FRAMES_H

#include "export_fixture.h"

#include <cordage/surface.h>

enum { NET_NODES = 8, NET_EDGES = 8, NET_VERTICES = 4, NET_TRIANGLES = 2 };

typedef struct NetFrame {
    CordFrame frame;
    CordFrameRod rods[2];
    CordEnergy energy[2];
    double stretch[2];
    CordVec3 x[NET_NODES], v[NET_NODES], moment[NET_NODES];
    CordVec3 m1[NET_EDGES], force[NET_EDGES];
    double radius[NET_EDGES], tension[NET_EDGES];
    int ends[2 * NET_EDGES];
    CordFrameSurface surface;
    CordVec3 vertices[NET_VERTICES];
    int triangles[3 * NET_TRIANGLES];
    CordSurfaceTie ties[CORD_SURFACE_TIES * NET_VERTICES];
} NetFrame;

// A rope of three nodes along x at y = 3, and a square of side 1 with a pole on its middle, which four struts
// hold. The square is a surface as well, whose corners go along with their nodes.
static inline NetFrame* net_frame(void)
{
    static const CordVec3 x[NET_NODES] = {{0, 3, 0}, {1, 3, 0}, {2, 3, 0}, {0, 0, 0},
                                          {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};
    static const int ends[2 * NET_EDGES] = {0, 1, 1, 2, 7, 3, 4, 7, 5, 7, 7, 6, 3, 4, 6, 5};
    static const int triangles[3 * NET_TRIANGLES] = {0, 1, 2, 0, 2, 3};
    // of the network: corner 1 at the end, corner 3 at the start
    static const int corner_edges[NET_VERTICES] = {0, 4, 5, 5};
    static const double corner_along[NET_VERTICES] = {1, 1, 1, 0};
    NetFrame* n = keep_zeros(sizeof *n);
    n->rods[0] = (CordFrameRod){"rope", 0, 3, 0, 2, false, false};
    n->rods[1] = (CordFrameRod){"frame, bent", 3, 5, 2, 6, false, true};
    for (int i = 0; i < NET_NODES; i++) {
        n->x[i] = x[i];
        n->v[i] = (CordVec3){i, 0.5, 0};
        n->moment[i] = (CordVec3){0, i, 0.25};
    }
    for (int j = 0; j < NET_EDGES; j++) {
        n->ends[2 * j] = ends[2 * j], n->ends[2 * j + 1] = ends[2 * j + 1];
        n->m1[j] = (CordVec3){0.6, -0.8, 0};
        n->force[j] = (CordVec3){0, 0, j};
        n->radius[j] = 0.0625 * (1 + j);
        n->tension[j] = 10.0 + j;
    }
    n->energy[1] = (CordEnergy){1, 2, 3, 4, 5};
    n->stretch[1] = 0.5;
    for (int k = 0; k < 3 * NET_TRIANGLES; k++) {
        n->triangles[k] = triangles[k];
    }
    for (int i = 0; i < NET_VERTICES; i++) {
        n->ties[CORD_SURFACE_TIES * i] =
            (CordSurfaceTie){.edge = corner_edges[i], .weight = 1, .along = corner_along[i]};
    }
    n->surface = (CordFrameSurface){.name = "roof",
                                    .rod = 1,
                                    .vertex_count = NET_VERTICES,
                                    .triangle_count = NET_TRIANGLES,
                                    .vertices = n->vertices,
                                    .triangles = n->triangles,
                                    .ties = n->ties};
    n->frame = (CordFrame){
        .time = 0.5, .rod_count = 2, .node_count = NET_NODES, .edge_count = NET_EDGES, .rods = n->rods};
    CordFrame* f = &n->frame;
    f->energy = n->energy, f->stretch = n->stretch, f->x = n->x, f->v = n->v, f->moment = n->moment;
    f->ends = n->ends, f->m1 = n->m1, f->radius = n->radius, f->tension = n->tension, f->force = n->force;
    f->surface_count = 1, f->surfaces = &n->surface;
    cord_surface_place(f, &n->surface, n->vertices);
    return n;
}

static inline CordResult net_frame_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    (void)index, (void)message;
    *frame = ((NetFrame*)user)->frame;
    return CORD_OK;
}

static inline CordFrames net_frames(NetFrame* n)
{
    return (CordFrames){.count = 1, .read = net_frame_read, .user = n};
}

#endif
