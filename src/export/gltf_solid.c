// Rigid bodies and obstacles: one node each, with the pose of the solid and a mesh in the solid's own axes.
#include "export/gltf.h"

#include "export/text.h"

// The accessor of the faces of one tone; -1: there are none.
static int put_tone(Gltf* g, const SolidModel* model, int tone)
{
    int corners = 0;
    for (int f = 0; f < model->mesh.face_count; f++) {
        if (model->tones[f] == tone) {
            if (corners == 0) {
                gltf_view_begin(g);
            }
            corners += gltf_put_face(g, &model->mesh.faces[f]);
        }
    }
    if (corners == 0) {
        return -1;
    }
    return gltf_view_close(g, GLTF_U32, "SCALAR", corners, GLTF_TRIANGLES);
}

static int put_mesh(Gltf* g, const SolidModel* model)
{
    int positions = gltf_positions(g, model->mesh.x, model->mesh.vertex_count);
    int normals = gltf_normals(g, model->mesh.normal, model->mesh.vertex_count);
    const int triangles[2] = {put_tone(g, model, 0), put_tone(g, model, 1)};
    GltfPrimitive tones[2];
    int count = 0;
    for (int tone = 0; tone < 2; tone++) {
        if (triangles[tone] >= 0) {
            int material = gltf_material(g, model->colors[tone], model->both_sides);
            tones[count++] = (GltfPrimitive){positions, normals, -1, -1, -1, triangles[tone], material};
        }
    }
    return gltf_mesh(g, tones, count);
}

bool gltf_solid_write(Gltf* g, const Sequence* sequence, const CordFrame* frame, int index, int times)
{
    const Keyframes* keyframes = &sequence->solids[index];
    SolidModel model;
    if (!solid_model_make(&model, frame, index, sequence->low, sequence->high, 2 * sequence->def->sides)) {
        return false;
    }
    if (model.mesh.face_count > 0) { // a joint of rods has no faces
        int mesh = put_mesh(g, &model), node = g->lists[GLTF_NODES].count;
        FILE* file = gltf_entry(g, GLTF_NODES);
        fputs("{\"name\":", file);
        text_json(file, model.name, "");
        fprintf(file, ",\"mesh\":%d", mesh);
        gltf_animation_place(file, keyframes, 0);
        putc('}', file);
        fprintf(gltf_entry(g, GLTF_CHILDREN), "%d", node);
        gltf_animation_animate(g, keyframes, sequence, node, times);
    }
    solid_model_free(&model);
    return true;
}
