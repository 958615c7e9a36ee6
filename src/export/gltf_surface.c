// Surfaces of rods. A tie does what skinning does: each edge carries the vertex rigidly, and the vertex is at
// the weighted mean. So the joints are edges, and the weights are those of the ties. A tie beside an edge
// stretches with it, and a tie beyond an end keeps its distance from that end. So an edge has up to three
// joints: one that is scaled, and one at either end.
#include "export/gltf.h"

#include "export/geometry.h"
#include "export/section.h"
#include "export/tessellation.h"

#include <stdlib.h>

enum { TIES = CORD_SURFACE_TIES };
_Static_assert(TIES == 4, "a vertex of glTF has four joints");

// Ties that disagree about the position of a vertex by more than this share of the scene's size are from
// another frame.
static const double apart_most = 1e-4;

// ---- at rest

typedef enum JointKind { AT_START, ALONG, AT_END, JOINT_KINDS } JointKind;

static int joint_key(const CordSurfaceTie* tie)
{
    JointKind kind = tie->along <= 0.0 ? AT_START : tie->along >= 1.0 ? AT_END : ALONG;
    return JOINT_KINDS * tie->edge + (int)kind;
}

static Pose joint_pose(const CordFrame* frame, int rod, int key, double rest_length)
{
    int nodes[2], edge = key / JOINT_KINDS;
    JointKind kind = (JointKind)(key % JOINT_KINDS);
    SectionAxes axes = section_of_edge(frame, &frame->rods[rod], edge);
    double stretch = kind == ALONG && rest_length > 0.0
                         ? section_edge_length(frame, &frame->rods[rod], edge) / rest_length
                         : 1.0;
    cord_frame_ends(frame, rod, edge, nodes);
    return (Pose){frame->x[nodes[kind == AT_END ? 1 : 0]],
                  {axes.m1, cord_vec3_cross(axes.t, axes.m1), axes.t},
                  {1, 1, stretch}};
}

static void find_joints(GltfSurface* s, const CordFrame* rest, const CordFrameSurface* surface)
{
    for (int k = 0; k < TIES * surface->vertex_count; k++) {
        const CordSurfaceTie* tie = &surface->ties[k];
        int key = joint_key(tie);
        if (tie->weight > 0.0 && s->joint[key] < 0) {
            s->joint[key] = s->joint_count;
            s->keys[s->joint_count] = key;
            s->length[s->joint_count] = section_edge_length(rest, &rest->rods[surface->rod], tie->edge);
            s->rest[s->joint_count] = joint_pose(rest, surface->rod, key, s->length[s->joint_count]);
            s->joint_count++;
        }
    }
}

// The largest distance between a vertex and the position that one of its ties gives.
static double ties_apart(const GltfSurface* s, const CordFrameSurface* surface)
{
    double most = 0.0;
    for (int i = 0; i < surface->vertex_count; i++) {
        for (int k = 0; k < TIES && surface->ties[TIES * i + k].weight > 0.0; k++) {
            const CordSurfaceTie* tie = &surface->ties[TIES * i + k];
            int key = joint_key(tie), joint = s->joint[key];
            const Pose* pose = &s->rest[joint];
            double along = key % JOINT_KINDS == ALONG ? tie->along * s->length[joint] : 0.0;
            CordVec3 place = {tie->offset.y, tie->offset.z, tie->offset.x + along};
            CordVec3 at = cord_vec3_add(pose->position, axes_to_space(pose->axes, place));
            most = max_of(most, cord_vec3_length(cord_vec3_sub(at, surface->vertices[i])));
        }
    }
    return most;
}

static bool surface_alloc(GltfSurface* s, const CordFrame* rest, const CordFrameSurface* surface)
{
    size_t keys = JOINT_KINDS * (size_t)rest->rods[surface->rod].edge_count;
    s->keys = calloc(keys + 1, sizeof *s->keys);
    s->joint = calloc(keys + 1, sizeof *s->joint);
    s->length = calloc(keys + 1, sizeof *s->length);
    s->rest = calloc(keys + 1, sizeof *s->rest);
    if (!s->keys || !s->joint || !s->length || !s->rest || !mesh_of_surface(&s->mesh, surface)) {
        return false;
    }
    for (size_t j = 0; j < keys; j++) {
        s->joint[j] = -1;
    }
    return true;
}

static CordResult no_memory(const CordFrameSurface* surface, CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for surface \"%s\"",
                       surface->name);
}

static CordResult surface_bind(GltfSurface* s, const Sequence* sequence, const CordFrame* rest, int index,
                               CordMessage* message)
{
    const CordFrameSurface* surface = &rest->surfaces[index];
    if (!surface->ties) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "what ties surface \"%s\" to its rod is not known, so it cannot be skinned; export one "
            "frame, or to blender",
            surface->name);
    }
    find_joints(s, rest, surface);
    double size = cord_vec3_length(cord_vec3_sub(sequence->high, sequence->low));
    if (ties_apart(s, surface) > apart_most * size || s->joint_count > GLTF_JOINTS_MOST) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "surface \"%s\" cannot be skinned: %s; export one frame, or to blender", surface->name,
            s->joint_count > GLTF_JOINTS_MOST ? "it has too many joints for glTF"
                                              : "the first frame is not the one it was tied in");
    }
    return keyframes_make(&s->keyframes, s->joint_count, sequence->count) ? CORD_OK
                                                                          : no_memory(surface, message);
}

CordResult gltf_surface_begin(GltfSurface* s, const Sequence* sequence, const CordFrame* rest, int index,
                              CordMessage* message)
{
    const CordFrameSurface* surface = &rest->surfaces[index];
    if (!surface_alloc(s, rest, surface)) {
        return no_memory(surface, message);
    }
    for (int i = 0; i < s->mesh.vertex_count; i++) {
        s->mesh.x[i] = gltf_up(s->mesh.x[i]);
        s->mesh.normal[i] = gltf_up(s->mesh.normal[i]);
    }
    return sequence->count > 1 ? surface_bind(s, sequence, rest, index, message) : CORD_OK;
}

void gltf_surface_add_frame(GltfSurface* s, const CordFrame* frame, int index, int k)
{
    for (int joint = 0; joint < s->joint_count; joint++) {
        Pose pose = joint_pose(frame, frame->surfaces[index].rod, s->keys[joint], s->length[joint]);
        keyframes_set(&s->keyframes, joint, k, &pose);
    }
}

void gltf_surface_free(GltfSurface* s)
{
    free(s->keys);
    free(s->joint);
    free(s->length);
    free(s->rest);
    mesh_free(&s->mesh);
    keyframes_free(&s->keyframes);
    *s = (GltfSurface){0};
}

// ---- the file

static int put_joints(Gltf* g, const GltfSurface* s, const CordFrameSurface* surface)
{
    gltf_view_begin(g);
    for (int k = 0; k < TIES * surface->vertex_count; k++) {
        const CordSurfaceTie* tie = &surface->ties[k];
        gltf_put_u16(g, tie->weight > 0.0 ? (unsigned)s->joint[joint_key(tie)] : 0);
    }
    return gltf_view_close(g, GLTF_U16, "VEC4", surface->vertex_count, GLTF_VERTICES);
}

// The first weight is 1 minus the others, which are rounded to floats first.
static int put_weights(Gltf* g, const CordFrameSurface* surface)
{
    gltf_view_begin(g);
    for (int i = 0; i < surface->vertex_count; i++) {
        const CordSurfaceTie* ties = &surface->ties[TIES * i];
        float weights[TIES], rest = 1.0f;
        for (int k = TIES - 1; k > 0; k--) {
            weights[k] = ties[k].weight > 0.0 ? (float)ties[k].weight : 0.0f;
            rest -= weights[k];
        }
        weights[0] = rest;
        for (int k = 0; k < TIES; k++) {
            gltf_put_float(g, (double)weights[k]);
        }
    }
    return gltf_view_close(g, GLTF_F32, "VEC4", surface->vertex_count, GLTF_VERTICES);
}

static int put_mesh(Gltf* g, const GltfSurface* s, const Sequence* sequence, const CordFrameSurface* surface)
{
    int group = sequence_group(sequence, surface->rod);
    GltfPrimitive a = {.texture = -1, .joints = -1};
    a.material = gltf_material(g, picture_stage_pair(group, surface->hides ? 0 : 1), true);
    a.positions = gltf_positions(g, s->mesh.x, s->mesh.vertex_count);
    a.normals = gltf_normals(g, s->mesh.normal, s->mesh.vertex_count);
    a.triangles = gltf_faces(g, s->mesh.faces, s->mesh.face_count, NULL, 0);
    if (sequence->count > 1) {
        a.joints = put_joints(g, s, surface);
        a.weights = put_weights(g, surface);
    }
    return gltf_mesh(g, &a, 1);
}

void gltf_surface_write(Gltf* g, const GltfSurface* s, const Sequence* sequence, const CordFrame* frame,
                        int index, int times)
{
    const CordFrameSurface* surface = &frame->surfaces[index];
    int mesh = put_mesh(g, s, sequence, surface), first = g->lists[GLTF_NODES].count;
    if (sequence->count == 1) {
        gltf_root(g, surface->name, mesh, -1);
        return;
    }
    for (int i = 0; i < s->joint_count; i++) {
        gltf_joint(g, &s->keyframes, i, surface->name, "edge", s->keys[i] / JOINT_KINDS);
    }
    gltf_root(g, surface->name, mesh,
              gltf_skin(g, surface->name, s->rest, &s->keyframes, sequence, first, times));
}
