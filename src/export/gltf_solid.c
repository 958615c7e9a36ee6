// Rigid bodies and obstacles: one node each, with the pose of the solid and a mesh in the solid's own axes.
#include "export/gltf.h"

#include "export/text.h"

static int put_mesh(Gltf* g, const SolidModel* model)
{
    int positions = gltf_positions(g, model->mesh.x, model->mesh.vertex_count);
    int normals = gltf_normals(g, model->mesh.normal, model->mesh.vertex_count);
    GltfPrimitive tones[2];
    int triangles[2], count = 0;
    for (int tone = 0; tone < 2; tone++) {
        triangles[tone] = gltf_faces(g, model->mesh.faces, model->mesh.face_count, model->tones, tone);
    }
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
