// Poly data in XML, as VTK reads it.
#include "export/vtk.h"

#include "export/export.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------- base64

static void base64_group(Base64* b, int bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = b->bits << (8 * (3 - bytes));
    char text[4];
    for (int i = 0; i < 4; i++) {
        text[i] = i <= bytes ? digits[(bits >> (18 - 6 * i)) & 63] : '=';
    }
    fwrite(text, 1, 4, b->file);
    b->bits = 0;
    b->held = 0;
}

void base64_put(Base64* b, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; i++) {
        b->bits = b->bits << 8 | bytes[i];
        b->held++;
        if (b->held == 3) {
            base64_group(b, 3);
        }
    }
}

static void base64_end(Base64* b)
{
    if (b->held > 0) {
        base64_group(b, b->held);
    }
}

// ---------------------------------------------------------------------------------------------------- arrays

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

// ---------------------------------------------------------------------------------------------------- files

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
