// A rod: a tube that is skinned to a joint at every ring, or, of a network, to one for every edge, which is stretched along it.
#include "export/gltf.h"

#include "export/picture_math.h"

#include <stdlib.h>
#include <string.h>

static int joint_count(const RodRings* rings)
{
    return rings->network && !rings->hidden ? rings->edges : rings->count;
}

static double ratio(double now, double before)
{
    return before > 0.0 ? now / before : 1.0;
}

static MotionPose joint_pose(const RodRings* rings, const Ring* now, const Ring* rest, int joint)
{
    int ring = rings->network ? 2 * joint : joint;
    const Ring* r = &now[ring];
    double wide = ratio(r->radius, rest[ring].radius), along = wide;
    if (rings->network) {
        along = ratio(pv_length(pv_sub(now[ring + 1].center, now[ring].center)),
                      pv_length(pv_sub(rest[ring + 1].center, rest[ring].center)));
    }
    return (MotionPose){r->center, {r->m1, r->m2, r->t}, {wide, wide, along}};
}

// ---------------------------------------------------------------------------------------------------- frames

CordResult gltf_rod_begin(GltfRod* rod, Take* take, const CordFrame* frame, int index, CordMessage* message)
{
    const RodRings* rings = &take->rods[index];
    const Ring* list = take_rings(take, frame, index);
    if (take->count > 1 && joint_count(rings) > GLTF_JOINTS_MOST) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "rod \"%s\" needs %d joints, and a skin in glTF has %d at the most; export one frame, or "
                           "to blender, which has no such limit",
                           frame->rods[index].name, joint_count(rings), GLTF_JOINTS_MOST);
    }
    rod->rest = calloc((size_t)rings->count + 1, sizeof *rod->rest);
    if (!rod->rest || !motion_make(&rod->motion, joint_count(rings), take->count)) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for %d frames of rod \"%s\"",
                           take->count, frame->rods[index].name);
    }
    memcpy(rod->rest, list, (size_t)rings->count * sizeof *list);
    return CORD_OK;
}

void gltf_rod_see(GltfRod* rod, Take* take, const CordFrame* frame, int index, int k)
{
    const Ring* now = take_rings(take, frame, index);
    for (int joint = 0; joint < rod->motion.joints; joint++) {
        MotionPose pose = joint_pose(&take->rods[index], now, rod->rest, joint);
        motion_set(&rod->motion, joint, k, &pose);
    }
}

void gltf_rod_free(GltfRod* rod)
{
    free(rod->rest);
    motion_free(&rod->motion);
    *rod = (GltfRod){0};
}

// ---------------------------------------------------------------------------------------------------- the mesh

static int put_places(Gltf* g, const Sleeve* sleeve, const Ring* rest, bool normals, CordVec3* scratch)
{
    for (int i = 0; i < sleeve->vertex_count; i++) {
        const SleeveVertex* v = &sleeve->vertices[i];
        CordVec3 (*place)(const Ring*, CordVec3) = normals ? sleeve_direction : sleeve_point;
        scratch[i] = gltf_up(place(&rest[v->ring], v->place));
    }
    return normals ? gltf_normals(g, scratch, sleeve->vertex_count)
                   : gltf_positions(g, scratch, sleeve->vertex_count);
}

static int put_texture(Gltf* g, const Sleeve* sleeve)
{
    gltf_view_begin(g);
    for (int i = 0; i < sleeve->vertex_count; i++) {
        gltf_put_float(g, sleeve->vertices[i].u);
        gltf_put_float(g, sleeve->vertices[i].v);
    }
    int accessor = gltf_accessor(g, GLTF_F32, "VEC2", sleeve->vertex_count, 0);
    gltf_view_end(g, GLTF_VERTICES);
    return accessor;
}

static int put_joints(Gltf* g, const Sleeve* sleeve, bool network)
{
    gltf_view_begin(g);
    for (int i = 0; i < sleeve->vertex_count; i++) {
        gltf_put_u16(g, (unsigned)(network ? sleeve->vertices[i].ring / 2 : sleeve->vertices[i].ring));
        gltf_put_bytes(g, (uint8_t[6]){0}, 6);
    }
    int accessor = gltf_accessor(g, GLTF_U16, "VEC4", sleeve->vertex_count, 0);
    gltf_view_end(g, GLTF_VERTICES);
    return accessor;
}

static int put_weights(Gltf* g, const Sleeve* sleeve)
{
    gltf_view_begin(g);
    for (int i = 0; i < sleeve->vertex_count; i++) {
        gltf_put_bytes(g, (uint8_t[4]){255}, 4);
    }
    int accessor = gltf_weights(g, sleeve->vertex_count);
    gltf_view_end(g, GLTF_VERTICES);
    return accessor;
}

static int put_triangles(Gltf* g, const Sleeve* sleeve)
{
    int corners = 0;
    gltf_view_begin(g);
    for (int f = 0; f < sleeve->face_count; f++) {
        corners += gltf_put_face(g, &sleeve->faces[f]);
    }
    int accessor = gltf_accessor(g, GLTF_U32, "SCALAR", corners, 0);
    gltf_view_end(g, GLTF_TRIANGLES);
    return accessor;
}

static int put_mesh(Gltf* g, const GltfRod* rod, const Sleeve* sleeve, const Take* take, int index, CordVec3* scratch)
{
    const RodRings* rings = &take->rods[index];
    int group = take_group(take, index);
    uint32_t strong = picture_stage_pair(group, 0), light = picture_stage_pair(group, 1);
    int material = rings->network ? gltf_material(g, strong, false) : gltf_material_striped(g, strong, light);
    int positions = put_places(g, sleeve, rod->rest, false, scratch);
    int normals = put_places(g, sleeve, rod->rest, true, scratch), triangles = put_triangles(g, sleeve);
    int texture = rings->network ? -1 : put_texture(g, sleeve);
    int joints = take->count > 1 ? put_joints(g, sleeve, rings->network) : -1;
    int weights = take->count > 1 ? put_weights(g, sleeve) : -1;
    FILE* file = gltf_entry(g, GLTF_MESHES);
    fprintf(file, "{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", positions, normals);
    if (texture >= 0) {
        fprintf(file, ",\"TEXCOORD_0\":%d", texture);
    }
    if (joints >= 0) {
        fprintf(file, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", joints, weights);
    }
    fprintf(file, "},\"indices\":%d,\"material\":%d}]}", triangles, material);
    return g->lists[GLTF_MESHES].count - 1;
}

// ---------------------------------------------------------------------------------------------------- the nodes

static void put_joint(Gltf* g, const GltfRod* rod, const RodRings* rings, const char* name, int joint)
{
    int node = rod_rings_node(rings, joint);
    const char* key = rings->network ? "edge" : rings->adaptive ? "arc" : node >= 0 ? "node" : NULL;
    gltf_joint(g, &rod->motion, joint, name, key,
               rings->network    ? joint
               : rings->adaptive ? rings->arc[joint]
                                 : node);
}

static bool put_skin(Gltf* g, const GltfRod* rod, const Take* take, const char* name, int index, int mesh, int times)
{
    const RodRings* rings = &take->rods[index];
    int joints = rod->motion.joints, first = g->lists[GLTF_NODES].count;
    MotionPose* rest = calloc((size_t)joints + 1, sizeof *rest);
    if (!rest) {
        return false;
    }
    for (int i = 0; i < joints; i++) {
        rest[i] = joint_pose(rings, rod->rest, rod->rest, i);
        put_joint(g, rod, rings, name, i);
    }
    gltf_skinned(g, name, mesh, rest, joints, first);
    gltf_motion_animate(g, &rod->motion, take, first, times);
    free(rest);
    return true;
}

bool gltf_rod_write(Gltf* g, const GltfRod* rod, const Take* take, const CordFrame* frame, int index, int times)
{
    const RodRings* rings = &take->rods[index];
    const char* name = frame->rods[index].name;
    Sleeve sleeve;
    if (rings->hidden) {
        return true;
    }
    if (!sleeve_make(&sleeve, rings, rod->rest, take->def->sides)) {
        return false;
    }
    CordVec3* scratch = calloc((size_t)sleeve.vertex_count + 1, sizeof *scratch);
    bool good = scratch != NULL;
    if (good) {
        int mesh = put_mesh(g, rod, &sleeve, take, index, scratch);
        if (take->count > 1) {
            good = put_skin(g, rod, take, name, index, mesh, times);
        } else {
            gltf_still(g, name, mesh);
        }
    }
    free(scratch);
    sleeve_free(&sleeve);
    return good;
}
