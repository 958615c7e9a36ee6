// A rod: a tube that is skinned to one joint for every section. A network has one joint for every edge, which
// is scaled along it.
#include "export/gltf.h"

#include "export/geometry.h"

#include <stdlib.h>
#include <string.h>

static int joint_count(const TubePlan* plan)
{
    return plan->network && !plan->hidden ? plan->edges : plan->count;
}

static double ratio(double now, double before)
{
    return before > 0.0 ? now / before : 1.0;
}

static Pose joint_pose(const TubePlan* plan, const TubeSection* now, const TubeSection* rest, int joint)
{
    int section = plan->network ? 2 * joint : joint;
    const TubeSection* r = &now[section];
    double wide = ratio(r->radius, rest[section].radius), along = wide;
    if (plan->network) {
        along = ratio(cord_vec3_length(cord_vec3_sub(now[section + 1].center, now[section].center)),
                      cord_vec3_length(cord_vec3_sub(rest[section + 1].center, rest[section].center)));
    }
    return (Pose){r->center, {r->m1, r->m2, r->t}, {wide, wide, along}};
}

// ---- frames

CordResult gltf_rod_begin(GltfRod* rod, Sequence* sequence, const CordFrame* frame, int index,
                          CordMessage* message)
{
    const TubePlan* plan = &sequence->rods[index];
    const TubeSection* list = sequence_sections(sequence, frame, index);
    if (sequence->count > 1 && joint_count(plan) > GLTF_JOINTS_MOST) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "rod \"%s\" needs %d joints, and a skin in glTF has %d at the most; export one frame, or "
            "to blender, which has no such limit",
            frame->rods[index].name, joint_count(plan), GLTF_JOINTS_MOST);
    }
    rod->rest = calloc((size_t)plan->count + 1, sizeof *rod->rest);
    if (!rod->rest || !keyframes_make(&rod->keyframes, joint_count(plan), sequence->count)) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for %d frames of rod \"%s\"",
                           sequence->count, frame->rods[index].name);
    }
    memcpy(rod->rest, list, (size_t)plan->count * sizeof *list);
    return CORD_OK;
}

void gltf_rod_add_frame(GltfRod* rod, Sequence* sequence, const CordFrame* frame, int index, int k)
{
    const TubeSection* now = sequence_sections(sequence, frame, index);
    for (int joint = 0; joint < rod->keyframes.joints; joint++) {
        Pose pose = joint_pose(&sequence->rods[index], now, rod->rest, joint);
        keyframes_set(&rod->keyframes, joint, k, &pose);
    }
}

void gltf_rod_free(GltfRod* rod)
{
    free(rod->rest);
    keyframes_free(&rod->keyframes);
    *rod = (GltfRod){0};
}

// ---- the mesh

static int put_places(Gltf* g, const TubeMesh* tube, const TubeSection* rest, bool normals, CordVec3* scratch)
{
    for (int i = 0; i < tube->vertex_count; i++) {
        const TubeVertex* v = &tube->vertices[i];
        CordVec3 (*place)(const TubeSection*, CordVec3) = normals ? tube_direction : tube_point;
        scratch[i] = gltf_up(place(&rest[v->section], v->place));
    }
    return normals ? gltf_normals(g, scratch, tube->vertex_count)
                   : gltf_positions(g, scratch, tube->vertex_count);
}

static int put_texture(Gltf* g, const TubeMesh* tube)
{
    gltf_view_begin(g);
    for (int i = 0; i < tube->vertex_count; i++) {
        gltf_put_float(g, tube->vertices[i].u);
        gltf_put_float(g, tube->vertices[i].v);
    }
    return gltf_view_close(g, GLTF_F32, "VEC2", tube->vertex_count, GLTF_VERTICES);
}

static int put_joints(Gltf* g, const TubeMesh* tube, bool network)
{
    gltf_view_begin(g);
    for (int i = 0; i < tube->vertex_count; i++) {
        gltf_put_u16(g, (unsigned)(network ? tube->vertices[i].section / 2 : tube->vertices[i].section));
        gltf_put_bytes(g, (uint8_t[6]){0}, 6);
    }
    return gltf_view_close(g, GLTF_U16, "VEC4", tube->vertex_count, GLTF_VERTICES);
}

static int put_weights(Gltf* g, const TubeMesh* tube)
{
    gltf_view_begin(g);
    for (int i = 0; i < tube->vertex_count; i++) {
        gltf_put_bytes(g, (uint8_t[4]){255}, 4);
    }
    int accessor = gltf_weights(g, tube->vertex_count);
    gltf_view_end(g, GLTF_VERTICES);
    return accessor;
}

static int put_mesh(Gltf* g, const GltfRod* rod, const TubeMesh* tube, const Sequence* sequence, int index,
                    CordVec3* scratch)
{
    const TubePlan* plan = &sequence->rods[index];
    int group = sequence_group(sequence, index);
    uint32_t strong = picture_stage_pair(group, 0), light = picture_stage_pair(group, 1);
    GltfPrimitive a = {.texture = -1, .joints = -1};
    a.material = plan->network ? gltf_material(g, strong, false) : gltf_material_textured(g, strong, light);
    a.positions = put_places(g, tube, rod->rest, false, scratch);
    a.normals = put_places(g, tube, rod->rest, true, scratch);
    a.triangles = gltf_faces(g, tube->faces, tube->face_count, NULL, 0);
    if (!plan->network) {
        a.texture = put_texture(g, tube);
    }
    if (sequence->count > 1) {
        a.joints = put_joints(g, tube, plan->network);
        a.weights = put_weights(g, tube);
    }
    return gltf_mesh(g, &a, 1);
}

// ---- the nodes

static void put_joint(Gltf* g, const GltfRod* rod, const TubePlan* plan, const char* name, int joint)
{
    int node = tube_plan_node(plan, joint);
    const char* key = plan->network ? "edge" : plan->adaptive ? "arc" : node >= 0 ? "node" : NULL;
    gltf_joint(g, &rod->keyframes, joint, name, key,
               plan->network    ? joint
               : plan->adaptive ? plan->arc[joint]
                                : node);
}

static bool put_skin(Gltf* g, const GltfRod* rod, const Sequence* sequence, const char* name, int index,
                     int mesh, int times)
{
    const TubePlan* plan = &sequence->rods[index];
    int joints = rod->keyframes.joints, first = g->lists[GLTF_NODES].count;
    Pose* rest = calloc((size_t)joints + 1, sizeof *rest);
    if (!rest) {
        return false;
    }
    for (int i = 0; i < joints; i++) {
        rest[i] = joint_pose(plan, rod->rest, rod->rest, i);
        put_joint(g, rod, plan, name, i);
    }
    gltf_root(g, name, mesh, gltf_skin(g, name, rest, &rod->keyframes, sequence, first, times));
    free(rest);
    return true;
}

bool gltf_rod_write(Gltf* g, const GltfRod* rod, const Sequence* sequence, const CordFrame* frame, int index,
                    int times)
{
    const TubePlan* plan = &sequence->rods[index];
    const char* name = frame->rods[index].name;
    TubeMesh tube;
    if (plan->hidden) {
        return true;
    }
    if (!tube_mesh_make(&tube, plan, rod->rest, sequence->def->sides)) {
        return false;
    }
    CordVec3* scratch = calloc((size_t)tube.vertex_count + 1, sizeof *scratch);
    bool good = scratch != NULL;
    if (good) {
        int mesh = put_mesh(g, rod, &tube, sequence, index, scratch);
        if (sequence->count > 1) {
            good = put_skin(g, rod, sequence, name, index, mesh, times);
        } else {
            gltf_root(g, name, mesh, -1);
        }
    }
    free(scratch);
    tube_mesh_free(&tube);
    return good;
}
