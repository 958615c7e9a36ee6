#include "export/prop.h"

#include "export/picture_math.h"
#include "export/solid.h"

#include <stdlib.h>

int prop_count(const CordFrame* frame)
{
    return frame->body_count + frame->obstacle_count;
}

static CordFrameObstacle solid_at(const CordFrame* frame, int index)
{
    return index < frame->body_count ? solid_from_body(&frame->bodies[index])
                                     : frame->obstacles[index - frame->body_count];
}

MotionPose prop_pose(const CordFrame* frame, int index)
{
    CordFrameObstacle solid = solid_at(frame, index);
    MotionPose pose = {.position = solid.position, .scale = {1, 1, 1}};
    pv_axes(solid.rotation, pose.axes);
    return pose;
}

// From its place to its own axes; of a plane, the square that it is given there stays on it.
static void mesh_to_axes(Mesh* mesh, const CordFrameObstacle* solid)
{
    CordVec3 axes[3];
    pv_axes(solid->rotation, axes);
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->x[i] = pv_to_axes(axes, pv_sub(mesh->x[i], solid->position));
        mesh->normal[i] = pv_to_axes(axes, mesh->normal[i]);
    }
}

// What has no end is one square here, and so has one tone.
static void tones_fill(Prop* prop, const CordFrameObstacle* solid)
{
    const PictureBody body = {.solid = solid->solid, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int f = 0; f < prop->mesh.face_count && !solid_kind(solid)->is_endless; f++) {
        const MeshFace* face = &prop->mesh.faces[f];
        CordVec3 middle = {0, 0, 0};
        for (int c = 0; c < face->count; c++) {
            middle = pv_madd(middle, prop->mesh.x[face->vertex[c]], 1.0 / face->count);
        }
        prop->tones[f] = (uint8_t)picture_body_tone(&body, middle);
    }
}

bool prop_make(Prop* prop, const Sequence* sequence, const CordFrame* frame, int index)
{
    CordFrameObstacle solid = solid_at(frame, index);
    bool obstacle = index >= frame->body_count;
    *prop = (Prop){.name = solid.name, .both_sides = solid_kind(&solid)->is_mesh};
    if (!mesh_make_obstacle(&prop->mesh, &solid, sequence->low, sequence->high, 2 * sequence->def->sides)) {
        return false;
    }
    prop->tones = calloc((size_t)prop->mesh.face_count + 1, sizeof *prop->tones);
    if (!prop->tones) {
        prop_free(prop);
        return false;
    }
    mesh_to_axes(&prop->mesh, &solid);
    tones_fill(prop, &solid);
    for (int tone = 0; tone < 2; tone++) {
        prop->colors[tone] = picture_stage_solid(obstacle, solid_kind(&solid)->is_endless, tone);
    }
    return true;
}

void prop_free(Prop* prop)
{
    mesh_free(&prop->mesh);
    free(prop->tones);
    *prop = (Prop){0};
}
