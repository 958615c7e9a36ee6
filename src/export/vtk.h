// Parts of the VTK export: files of PolyData (vtk_file.c) and their contents (vtk.c,
// vtk_mesh.c). Arrays are inline base64, which is exact, valid XML, and readable since VTK 5.
#ifndef CORD_EXPORT_VTK_H
#define CORD_EXPORT_VTK_H

#include "export/columns.h"
#include "export/text.h"

#include <cordage/io.h>

typedef struct VtkArray { // one DataArray being written
    FILE* file;
    Base64 text;
} VtkArray;

VtkArray vtk_array_begin(FILE* file, const char* type, const char* name, int components, size_t bytes);
void vtk_array_end(VtkArray* array);
void vtk_array_doubles(FILE* file, const char* name, int components, const double* values, int rows);
void vtk_array_floats(FILE* file, const char* name, int components, const double* values, int rows);
void vtk_array_column(FILE* file, const Column* column, const CordFrame* frame); // Float32, Int32 or UInt8

typedef struct VtkPiece {
    double time; // [s]
    int points, verts, lines, polys;
} VtkPiece;

void vtk_put_head(FILE* file, const char* type);
void vtk_put_piece(FILE* file, const VtkPiece* piece);
void vtk_put_end(FILE* file);

typedef struct VtkScope { // the same for all frames of an export
    int sides;            // of round surfaces
    CordVec3 low, high;   // bounds of the first frame, which the squares of planes cover [m]
} VtkScope;

// Each writes a whole file. Returns false if there is no memory.
bool vtk_put_bodies(FILE* file, const CordFrame* frame, const VtkScope* scope);
bool vtk_put_obstacles(FILE* file, const CordFrame* frame, const VtkScope* scope);
bool vtk_put_surfaces(FILE* file, const CordFrame* frame, const VtkScope* scope);

#endif
