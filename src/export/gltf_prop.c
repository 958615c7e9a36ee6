// Rigid bodies and obstacles: a node each, which has the pose of the thing, with a mesh in the thing's own
// axes.
#include "export/gltf.h"

#include "export/text.h"

// The faces of one tone; -1: there are none.
static int put_tone(Gltf* g, const Prop* prop, int tone)
{
    int corners = 0;
    for (int f = 0; f < prop->mesh.face_count; f++) {
        if (prop->tones[f] == tone) {
            if (corners == 0) {
                gltf_view_begin(g);
            }
            corners += gltf_put_face(g, &prop->mesh.faces[f]);
        }
    }
    if (corners == 0) {
        return -1;
    }
    int accessor = gltf_accessor(g, GLTF_U32, "SCALAR", corners, 0);
    gltf_view_end(g, GLTF_TRIANGLES);
    return accessor;
}

static int put_mesh(Gltf* g, const Prop* prop)
{
    int positions = gltf_positions(g, prop->mesh.x, prop->mesh.vertex_count);
    int normals = gltf_normals(g, prop->mesh.normal, prop->mesh.vertex_count);
    const int triangles[2] = {put_tone(g, prop, 0), put_tone(g, prop, 1)};
    FILE* file = gltf_entry(g, GLTF_MESHES);
    fputs("{\"primitives\":[", file);
    for (int tone = 0; tone < 2; tone++) {
        if (triangles[tone] >= 0) {
            fprintf(file, "%s{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,\"material\":%d}",
                    tone == 1 && triangles[0] >= 0 ? "," : "", positions, normals, triangles[tone],
                    gltf_material(g, prop->colors[tone], prop->both_sides));
        }
    }
    fputs("]}", file);
    return g->lists[GLTF_MESHES].count - 1;
}

bool gltf_prop_write(Gltf* g, const Motion* motion, const Sequence* sequence, const CordFrame* frame,
                     int index, int times)
{
    Prop prop;
    if (!prop_make(&prop, sequence, frame, index)) {
        return false;
    }
    if (prop.mesh.face_count > 0) { // a joint of rods has none
        int mesh = put_mesh(g, &prop), node = g->lists[GLTF_NODES].count;
        FILE* file = gltf_entry(g, GLTF_NODES);
        fputs("{\"name\":", file);
        text_json(file, prop.name, "");
        fprintf(file, ",\"mesh\":%d", mesh);
        gltf_motion_place(file, motion, 0);
        putc('}', file);
        fprintf(gltf_entry(g, GLTF_CHILDREN), "%d", node);
        gltf_motion_animate(g, motion, sequence, node, times);
    }
    prop_free(&prop);
    return true;
}
