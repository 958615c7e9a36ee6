// Closest points on a mesh, by a uniform grid: each cell lists the triangles within reach.
#ifndef CORD_SCENE_MESH_GRID_H
#define CORD_SCENE_MESH_GRID_H

#include "scene/mesh_file.h"

typedef struct MeshGrid {
    const MeshFile* mesh;
    const CordVec3* normals; // unit normals of the vertices: means over their triangles (vertex_count)
    double reach;            // greatest distance at which a closest point is found [m]
    CordVec3 low;            // corner of the grid [m]
    double size;             // of a cell [m]
    int count[3];
    int* first;     // start of each cell's triangles, and the end of the last (cells + 1)
    int* triangles; // of all cells, one after the other
} MeshGrid;

typedef struct MeshPoint { // a point of a mesh
    CordVec3 point;        // [m]
    CordVec3 normal;       // unit, interpolated between the vertices
} MeshPoint;

// Makes the grid in the pool. The mesh must live as long. False: there is no memory.
bool mesh_grid_make(Pool* pool, const MeshFile* mesh, double reach, MeshGrid* grid);

// The point of a triangle with the barycentric coordinates 1 - b - c, b and c.
MeshPoint mesh_grid_point(const MeshGrid* grid, int triangle, double b, double c);

// Finds the point of the mesh closest to p. False: none is within reach.
bool mesh_grid_nearest(const MeshGrid* grid, CordVec3 p, MeshPoint* nearest);

#endif
