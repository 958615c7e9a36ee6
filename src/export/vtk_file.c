// Files of PolyData in VTK's XML format.
#include "export/text.h"
#include "export/vtk.h"

#include "export/export.h"

#include <string.h>

// ---- arrays

VtkArray vtk_array_begin(FILE* file, const char* type, const char* name, int components, size_t bytes)
{
    VtkArray array = {file, {.file = file}};
    fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">", type,
            name, components);
    uint64_t size = bytes;
    base64_put(&array.text, &size, sizeof size); // header_type="UInt64"
    return array;
}

void vtk_array_end(VtkArray* array)
{
    base64_end(&array->text);
    fputs("</DataArray>\n", array->file);
}

void vtk_array_doubles(FILE* file, const char* name, int components, const double* values, int rows)
{
    size_t size = (size_t)rows * (size_t)components * sizeof *values;
    VtkArray array = vtk_array_begin(file, "Float64", name, components, size);
    base64_put(&array.text, values, size);
    vtk_array_end(&array);
}

void vtk_array_floats(FILE* file, const char* name, int components, const double* values, int rows)
{
    size_t count = (size_t)rows * (size_t)components;
    VtkArray array = vtk_array_begin(file, "Float32", name, components, count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        float value = (float)values[i];
        base64_put(&array.text, &value, sizeof value);
    }
    vtk_array_end(&array);
}

void vtk_array_column(FILE* file, const Column* column, const CordFrame* frame)
{
    static const char* const names[] = {
        [MEMORY_F32] = "Float32", [MEMORY_I64] = "Int64", [MEMORY_INT] = "Int32", [MEMORY_U8] = "UInt8"};
    ColumnMemory type = column->memory == MEMORY_F64    ? MEMORY_F32
                        : column->memory == MEMORY_BOOL ? MEMORY_INT
                                                        : column->memory;
    int count = column_rows(frame, column->row);
    const char* elements = column_elements(column, frame); // NULL where there are none
    size_t bytes = (size_t)count * (size_t)column->width * memory_size(type);
    VtkArray array = vtk_array_begin(file, names[type], column->vtk, column->width, bytes);
    for (int i = 0; i < count; i++) {
        const char* number = elements + column->offset + (size_t)i * (size_t)column->stride;
        for (int k = 0; k < column->width; k++) {
            uint64_t value;
            number_convert(column->memory, number + (size_t)k * memory_size(column->memory), type, &value);
            base64_put(&array.text, &value, memory_size(type));
        }
    }
    vtk_array_end(&array);
}

// ---- files

static const char* byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? "LittleEndian" : "BigEndian";
}

void vtk_put_head(FILE* file, const char* type)
{
    fprintf(file,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
            type, byte_order());
}

void vtk_put_piece(FILE* file, const VtkPiece* piece)
{
    char text[NUMBER_TEXT_MOST];
    vtk_put_head(file, "PolyData");
    fprintf(file,
            "<PolyData>\n<FieldData>\n"
            "<DataArray type=\"Float64\" Name=\"time\" NumberOfTuples=\"1\" format=\"ascii\">%s</DataArray>\n"
            "</FieldData>\n",
            number_text(piece->time, text));
    fprintf(file,
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"%d\">\n",
            piece->points, piece->verts, piece->lines, piece->polys);
}

void vtk_put_end(FILE* file)
{
    fputs("</Piece>\n</PolyData>\n</VTKFile>\n", file);
}
