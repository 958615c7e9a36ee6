// Contacts as points: where rods are touched, and how hard.
#include "export/vtk.h"

typedef enum Field { FIELD_ROD, FIELD_EDGE, FIELD_KIND, FIELD_OTHER, FIELD_SLIDES } Field;

static int32_t field_of(const CordContact* contact, Field field)
{
    switch (field) {
    case FIELD_ROD: return contact->rod;
    case FIELD_EDGE: return contact->edge;
    case FIELD_KIND: return (int32_t)contact->kind;
    case FIELD_OTHER: return contact->other;
    case FIELD_SLIDES: return contact->slides;
    }
    return 0;
}

static void array_integers(FILE* file, const char* name, const CordFrame* frame, Field field)
{
    VtkArray array = vtk_array_begin(file, "Int32", name, 1, (size_t)frame->contact_count * sizeof(int32_t));
    for (int i = 0; i < frame->contact_count; i++) {
        int32_t value = field_of(&frame->contacts[i], field);
        base64_put(&array.text, &value, sizeof value);
    }
    vtk_array_end(&array);
}

// A number or a vector that lies `offset` bytes into each contact.
static void array_values(FILE* file, const char* name, int components, const CordFrame* frame, size_t offset)
{
    size_t count = (size_t)frame->contact_count * (size_t)components;
    VtkArray array = vtk_array_begin(file, "Float32", name, components, count * sizeof(float));
    for (int i = 0; i < frame->contact_count; i++) {
        const double* values = (const double*)((const char*)&frame->contacts[i] + offset);
        for (int k = 0; k < components; k++) {
            float value = (float)values[k];
            base64_put(&array.text, &value, sizeof value);
        }
    }
    vtk_array_end(&array);
}

static void array_points(FILE* file, const CordFrame* frame)
{
    VtkArray array =
        vtk_array_begin(file, "Float64", "points", 3, (size_t)frame->contact_count * sizeof(CordVec3));
    for (int i = 0; i < frame->contact_count; i++) {
        base64_put(&array.text, &frame->contacts[i].point, sizeof(CordVec3));
    }
    vtk_array_end(&array);
}

static void array_sequence(FILE* file, const char* name, int count, int64_t first)
{
    VtkArray array = vtk_array_begin(file, "Int64", name, 1, (size_t)count * sizeof(int64_t));
    for (int64_t i = first; i < first + count; i++) {
        base64_put(&array.text, &i, sizeof i);
    }
    vtk_array_end(&array);
}

bool vtk_put_contacts(FILE* file, const CordFrame* frame, const VtkScope* scope)
{
    (void)scope;
    int count = frame->contact_count;
    vtk_put_piece(file, &(VtkPiece){.time = frame->time, .points = count, .verts = count});
    fputs("<PointData Normals=\"normal\">\n", file);
    array_values(file, "normal", 3, frame, offsetof(CordContact, normal));
    array_values(file, "push", 1, frame, offsetof(CordContact, push));
    array_values(file, "friction", 3, frame, offsetof(CordContact, friction));
    array_values(file, "gap", 1, frame, offsetof(CordContact, gap));
    array_integers(file, "slides", frame, FIELD_SLIDES);
    array_integers(file, "rod", frame, FIELD_ROD);
    array_integers(file, "edge", frame, FIELD_EDGE);
    array_integers(file, "kind", frame, FIELD_KIND);
    array_integers(file, "other", frame, FIELD_OTHER);
    fputs("</PointData>\n<Points>\n", file);
    array_points(file, frame);
    fputs("</Points>\n<Verts>\n", file);
    array_sequence(file, "connectivity", count, 0);
    array_sequence(file, "offsets", count, 1);
    fputs("</Verts>\n", file);
    vtk_put_end(file);
    return true;
}
