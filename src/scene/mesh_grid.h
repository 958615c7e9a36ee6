// Nearest points on a mesh: its triangles in a grid of cells, each with all that come near it.
#ifndef CORD_SCENE_MESH_GRID_H
#define CORD_SCENE_MESH_GRID_H

#include "scene/mesh_file.h"

typedef struct MeshGrid {
    const MeshFile* mesh;
    const CordVec3* normals; // of the vertices, unit: the mean of their triangles' (vertex_count)
    double reach;            // how far off points are found [m]
    CordVec3 low;            // corner of the grid [m]
    double size;             // of a cell [m]
    int count[3];
    int* first;     // of each cell's in `triangles`, and the end of the last (cells + 1)
    int* triangles; // cell by cell
} MeshGrid;

// Where on a mesh, and which way is out.
typedef struct MeshPoint {
    CordVec3 point;  // [m]
    CordVec3 normal; // unit: that of the vertices around it
} MeshPoint;

// All of it stands in the pool, and the mesh must stay. False: there is no memory.
bool mesh_grid_make(Pool* pool, const MeshFile* mesh, double reach, MeshGrid* grid);

// The point of a triangle whose barycentric coordinates are b and c, from the first vertex towards the second
// and the third.
MeshPoint mesh_grid_point(const MeshGrid* grid, int triangle, double b, double c);

// The point of the mesh that is nearest to p. False: none is within reach.
bool mesh_grid_nearest(const MeshGrid* grid, CordVec3 p, MeshPoint* nearest);

#endif
