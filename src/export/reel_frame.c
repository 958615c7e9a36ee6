// Reels: one frame, as docs/reel.md has it.
#include "export/reel_parts.h"

#include <math.h>

enum {
    FRAME_HEAD = 24,
    ROD_BYTES = 56,
    NODE_BYTES = 12,
    EDGE_BYTES = 16,
    POSE_BYTES = 28,
    CONTACT_BYTES = 32
};

static const double STEPS_MOST = 9007199254740992.0; // 2^53: what a double counts up to

static uint64_t surface_vertices(const ReelLayout* layout)
{
    uint64_t count = 0;
    for (int i = 0; i < layout->surface_count; i++) {
        count += (uint64_t)layout->surfaces[i].vertex_count;
    }
    return count;
}

static uint64_t frame_size(const ReelLayout* layout, uint64_t contacts)
{
    return FRAME_HEAD + (uint64_t)layout->rod_count * ROD_BYTES + (uint64_t)layout->node_count * NODE_BYTES +
           (uint64_t)layout->edge_count * EDGE_BYTES +
           ((uint64_t)layout->body_count + (uint64_t)layout->obstacle_count) * POSE_BYTES +
           contacts * CONTACT_BYTES + surface_vertices(layout) * 12;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// What is not known of nodes, edges and rods: one array of NAN serves them all.
static int unknown_count(const ReelLayout* layout)
{
    return larger(larger(layout->node_count, layout->edge_count), layout->rod_count);
}

static uint64_t frame_room(const ReelLayout* layout, int contacts)
{
    return (uint64_t)layout->rod_count * (sizeof(CordEnergy) + 2 * sizeof(double)) +
           ((uint64_t)layout->node_count + (uint64_t)layout->edge_count) * sizeof(CordVec3) +
           (uint64_t)layout->edge_count * sizeof(double) + (uint64_t)unknown_count(layout) * sizeof(CordVec3) +
           (uint64_t)contacts * sizeof(CordContact) + surface_vertices(layout) * sizeof(CordVec3) +
           (uint64_t)layout->surface_count * MEMORY_ALIGN + 16 * MEMORY_ALIGN;
}

static void take_times(ReelTake* take, CordFrame* frame)
{
    frame->time = reel_take_f64(take);
    double steps = reel_take_f64(take);
    frame->contact_count = reel_take_int(take);
    uint32_t zero = reel_take_u32(take);
    if (!isfinite(frame->time) || !(steps >= 0.0 && steps <= STEPS_MOST) || steps != floor(steps) || zero != 0) {
        reel_take_fail(take, "its time or its number of steps is none");
    }
    frame->steps = take->problem ? 0 : (int64_t)steps;
}

static void take_rods(ReelTake* take, const ReelLayout* layout, CordEnergy* energy)
{
    for (int i = 0; i < layout->rod_count; i++) {
        CordEnergy* e = &energy[i];
        e->kinetic = reel_take_f64(take);
        e->bend = reel_take_f64(take);
        e->twist = reel_take_f64(take);
        e->stretch = reel_take_f64(take);
        e->gravity = reel_take_f64(take);
        if (!isfinite(e->kinetic) || !isfinite(e->bend) || !isfinite(e->twist) || !isfinite(e->stretch) ||
            !isfinite(e->gravity)) {
            reel_take_fail(take, "an energy in it is not finite");
        }
    }
}

static void take_turns(ReelTake* take, double* turns, int count)
{
    for (int i = 0; i < count; i++) {
        turns[i] = reel_take_f64(take);
        if (isinf(turns[i])) {
            reel_take_fail(take, "a twist or writhe in it is not finite");
        }
    }
}

// Rotations that were unit are so to the accuracy of a float: 1e-6 would do. Wide of it, since what they are for is to be looked at.
static void take_pose(ReelTake* take, CordVec3* position, CordQuat* rotation)
{
    double q[4] = {0.0, 0.0, 0.0, 1.0};
    *position = reel_take_vec3(take);
    reel_take_f32s(take, q, 4);
    *rotation = (CordQuat){q[0], q[1], q[2], q[3]};
    double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(norm - 1.0) < 1e-2)) {
        reel_take_fail(take, "a rotation in it is none");
    }
}

static void take_solids(ReelTake* take, ReelLayout* layout)
{
    const CordVec3 unknown = {NAN, NAN, NAN};
    for (int i = 0; i < layout->body_count; i++) {
        CordFrameBody* body = &layout->bodies[i];
        take_pose(take, &body->position, &body->rotation);
        body->velocity = body->spin = unknown;
        body->energy = (CordEnergy){NAN, NAN, NAN, NAN, NAN};
    }
    for (int i = 0; i < layout->obstacle_count; i++) {
        CordFrameObstacle* obstacle = &layout->obstacles[i];
        take_pose(take, &obstacle->position, &obstacle->rotation);
        obstacle->force = obstacle->torque = unknown;
    }
}

static void take_contacts(ReelTake* take, const ReelLayout* layout, CordContact* contacts, int count)
{
    for (int i = 0; i < count && !take->problem; i++) {
        CordContact* contact = &contacts[i];
        *contact = (CordContact){.at = NAN, .other_at = NAN, .gap = NAN, .friction = {NAN, NAN, NAN}};
        contact->point = reel_take_vec3(take);
        contact->normal = reel_take_vec3(take);
        reel_take_f32s(take, &contact->push, 1);
        uint32_t kind = reel_take_u32(take);
        if (kind > CORD_TOUCH_BODY || (kind == CORD_TOUCH_OBSTACLE && layout->obstacle_count == 0) ||
            (kind == CORD_TOUCH_BODY && layout->body_count == 0)) {
            reel_take_fail(take, "a contact in it is with nothing that is there");
        }
        contact->kind = take->problem ? CORD_TOUCH_ROD : (CordTouch)kind;
    }
}

static void take_surfaces(ReelTake* take, ReelLayout* layout, Arena* arena)
{
    for (int i = 0; i < layout->surface_count; i++) {
        CordFrameSurface* surface = &layout->surfaces[i];
        CordVec3* vertices = arena_push(arena, CordVec3, surface->vertex_count);
        reel_take_vec3s(take, vertices, surface->vertex_count);
        surface->vertices = vertices;
    }
}

static void frame_fill(const ReelLayout* layout, CordFrame* frame)
{
    frame->rod_count = layout->rod_count;
    frame->node_count = layout->node_count;
    frame->edge_count = layout->edge_count;
    frame->rods = layout->rods;
    frame->ends = layout->ends;
    frame->radius = layout->radius;
    frame->body_count = layout->body_count;
    frame->bodies = layout->bodies;
    frame->obstacle_count = layout->obstacle_count;
    frame->obstacles = layout->obstacles;
    frame->surface_count = layout->surface_count;
    frame->surfaces = layout->surfaces;
}

static void frame_unknown(const ReelLayout* layout, Arena* arena, CordFrame* frame)
{
    int count = unknown_count(layout);
    CordVec3* unknown = arena_push(arena, CordVec3, count);
    for (int i = 0; i < count; i++) {
        unknown[i] = (CordVec3){NAN, NAN, NAN};
    }
    frame->v = frame->moment = frame->force = unknown;
    frame->stretch = &unknown->x;
}

const char* reel_frame_take(CordReel* reel, ReelSpan span, CordFrame* frame)
{
    ReelTake take = reel_take_start(reel, span);
    ReelLayout* layout = &reel->layout;
    Arena* arena = &reel->frame_memory;
    *frame = (CordFrame){0};
    take_times(&take, frame);
    if (take.problem) {
        return take.problem;
    }
    if (frame_size(layout, (uint64_t)frame->contact_count) != span.size) {
        return "it has more or fewer bytes than its layout needs";
    }
    if (!reel_arena(reel, arena, frame_room(layout, frame->contact_count))) {
        return reel_no_memory;
    }
    CordEnergy* energy = arena_push(arena, CordEnergy, layout->rod_count);
    reel->twist = arena_push(arena, double, layout->rod_count);
    reel->writhe = arena_push(arena, double, layout->rod_count);
    CordVec3* x = arena_push(arena, CordVec3, layout->node_count);
    CordVec3* m1 = arena_push(arena, CordVec3, layout->edge_count);
    double* tension = arena_push(arena, double, layout->edge_count);
    CordContact* contacts = arena_push(arena, CordContact, frame->contact_count);
    take_rods(&take, layout, energy);
    take_turns(&take, reel->twist, layout->rod_count);
    take_turns(&take, reel->writhe, layout->rod_count);
    reel_take_vec3s(&take, x, layout->node_count);
    reel_take_vec3s(&take, m1, layout->edge_count);
    reel_take_f32s(&take, tension, (size_t)layout->edge_count);
    take_solids(&take, layout);
    take_contacts(&take, layout, contacts, frame->contact_count);
    take_surfaces(&take, layout, arena);
    frame_fill(layout, frame);
    frame_unknown(layout, arena, frame);
    frame->energy = energy;
    frame->x = x;
    frame->m1 = m1;
    frame->tension = tension;
    frame->contacts = contacts;
    return take.problem;
}
