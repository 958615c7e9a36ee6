// What the fuzzer does with bytes that may be a reel, and tests with reels that they have damaged: opens
// them, and looks at all that is in them.
#ifndef CORDAGE_TEST_REEL_INPUT_H
#define CORDAGE_TEST_REEL_INPUT_H

#include <cordage/reel.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REEL_INPUT_MOST_BYTES ((size_t)256 << 20) // that reading one may take

typedef struct ReelBudget {
    size_t left;
} ReelBudget;

static inline void* reel_input_alloc(void* user, size_t size, size_t align)
{
    ReelBudget* budget = user;
    if (size > budget->left) {
        return NULL;
    }
    budget->left -= size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void reel_input_free(void* user, void* memory, size_t size, size_t align)
{
    ReelBudget* budget = user;
    (void)align;
    budget->left += size;
    free(memory);
}

static inline void reel_input_must(bool condition)
{
    if (!condition) {
        abort(); // it was opened, and is not as it should be
    }
}

static inline void reel_input_vectors(const CordVec3* values, int count)
{
    for (int i = 0; i < count; i++) {
        reel_input_must(isfinite(values[i].x) && isfinite(values[i].y) && isfinite(values[i].z));
    }
}

static inline void reel_input_triangles(const int* triangles, int count, int vertices)
{
    for (int i = 0; i < 3 * count; i++) {
        reel_input_must(triangles[i] >= 0 && triangles[i] < vertices);
    }
}

static inline void reel_input_rods(const CordFrame* frame)
{
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        reel_input_must(strlen(rod->name) < SIZE_MAX && isfinite(frame->energy[r].kinetic));
        for (int e = 0; e < rod->edge_count; e++) {
            int ends[2];
            cord_frame_ends(frame, r, e, ends);
            reel_input_must(ends[0] >= rod->first_node && ends[0] < rod->first_node + rod->node_count);
            reel_input_must(ends[1] >= rod->first_node && ends[1] < rod->first_node + rod->node_count);
        }
    }
}

static inline void reel_input_frame(const CordFrame* frame)
{
    reel_input_must(isfinite(frame->time) && frame->steps >= 0);
    reel_input_rods(frame);
    reel_input_vectors(frame->x, frame->node_count);
    reel_input_vectors(frame->m1, frame->edge_count);
    for (int e = 0; e < frame->edge_count; e++) {
        reel_input_must(frame->radius[e] >= 0.0 && isfinite(frame->tension[e]));
    }
    for (int b = 0; b < frame->body_count; b++) {
        reel_input_must(cord_solid_kind((int)frame->bodies[b].solid.shape)->can_be_body &&
                        strlen(frame->bodies[b].name) < SIZE_MAX);
        reel_input_vectors(&frame->bodies[b].position, 1);
    }
    for (int o = 0; o < frame->obstacle_count; o++) {
        const CordFrameObstacle* obstacle = &frame->obstacles[o];
        reel_input_must(obstacle->solid.shape < CORD_SOLID_COUNT && strlen(obstacle->name) < SIZE_MAX);
        reel_input_vectors(obstacle->solid.mesh.vertices, obstacle->solid.mesh.vertex_count);
        reel_input_triangles(obstacle->solid.mesh.triangles, obstacle->solid.mesh.triangle_count,
                             obstacle->solid.mesh.vertex_count);
    }
    for (int s = 0; s < frame->surface_count; s++) {
        const CordFrameSurface* surface = &frame->surfaces[s];
        reel_input_must(surface->rod >= 0 && surface->rod < frame->rod_count &&
                        strlen(surface->name) < SIZE_MAX);
        reel_input_vectors(surface->vertices, surface->vertex_count);
        reel_input_triangles(surface->triangles, surface->triangle_count, surface->vertex_count);
    }
    for (int c = 0; c < frame->contact_count; c++) {
        const CordContact* contact = &frame->contacts[c];
        int others = contact->kind == CORD_TOUCH_ROD        ? frame->rod_count
                     : contact->kind == CORD_TOUCH_OBSTACLE ? frame->obstacle_count
                                                            : frame->body_count;
        reel_input_must(contact->rod < frame->rod_count && contact->other < others);
        reel_input_vectors(&contact->point, 1);
    }
    CordVec3 low = {1, 0, 0}, high = {0};
    cord_picture_bounds(frame, &low, &high);
}

static inline void reel_input_scene(const CordReelScene* scene)
{
    size_t weight = strlen(scene->path);
    for (int i = 0; i < scene->setting_count; i++) {
        weight += strlen(scene->settings[i]);
    }
    for (int i = 0; i < scene->file_count; i++) {
        const unsigned char* bytes = scene->files[i].bytes;
        weight += strlen(scene->files[i].name);
        weight += scene->files[i].size > 0 ? bytes[0] + (size_t)bytes[scene->files[i].size - 1] : 0;
    }
    weight += scene->text_size > 0 ? (size_t)scene->text[scene->text_size - 1] : 0;
    reel_input_must(weight < SIZE_MAX);
}

// The number of frames, or -1: it was refused, and something was said. Everything that opens can be read, in
// any order.
static inline int reel_input_run(const uint8_t* data, size_t size)
{
    ReelBudget budget = {REEL_INPUT_MOST_BYTES};
    CordReel* reel;
    CordMessage message = {""};
    CordAllocator allocator = {reel_input_alloc, reel_input_free, &budget};
    if (cord_reel_open_with(allocator, data, size, &reel, &message) != CORD_OK) {
        reel_input_must(reel == NULL && message.text[0] != '\0' && budget.left == REEL_INPUT_MOST_BYTES);
        return -1;
    }
    if (cord_reel_scene(reel)) {
        reel_input_scene(cord_reel_scene(reel));
    }
    CordFrames frames = cord_reel_frames(reel);
    for (int i = frames.count - 1; i >= 0; i--) {
        CordFrame frame;
        reel_input_must(frames.read(frames.user, i, &frame, &message) == CORD_OK);
        reel_input_frame(&frame);
    }
    int count = frames.count;
    cord_reel_close(reel);
    reel_input_must(budget.left == REEL_INPUT_MOST_BYTES);
    return count;
}

#endif
