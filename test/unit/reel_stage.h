// A frame made by hand that has one of everything: a ring, a network, a body, a mesh and a torus, a surface,
// contacts. All numbers are floats, so that a reel gives them back exactly.
#ifndef CORDAGE_TEST_REEL_STAGE_H
#define CORDAGE_TEST_REEL_STAGE_H

#include "export_fixture.h"

#include <cordage/reel.h>

enum { STAGE_NODES = 7, STAGE_EDGES = 6, STAGE_CONTACTS = 3, STAGE_VERTICES = 3 };

typedef struct ReelStage {
    CordFrame frame;
    CordFrameRod rods[2];
    CordEnergy energy[2];
    double stretch[2], twist[2], writhe[2];
    CordVec3 x[STAGE_NODES], skin[STAGE_NODES];
    CordVec3 m1[STAGE_EDGES];
    double radius[STAGE_EDGES], tension[STAGE_EDGES];
    int ends[2 * STAGE_EDGES];
    CordFrameBody bodies[1];
    CordFrameObstacle obstacles[2];
    CordVec3 corners[3];
    int corner_triangles[6];
    CordFrameSurface surfaces[1];
    CordVec3 vertices[STAGE_VERTICES];
    int triangles[3];
    CordContact contacts[STAGE_CONTACTS];
} ReelStage;

static inline void reel_stage_solids(ReelStage* s)
{
    s->bodies[0] = (CordFrameBody){.name = "crate",
                                   .solid.shape = CORD_SOLID_BOX,
                                   .solid.size = {1, 2, 0.5},
                                   .position = {4, 5, 6},
                                   .rotation = {0, 0.6f, 0, 0.8f}};
    s->corners[1].x = 1, s->corners[2].y = 1;
    s->corner_triangles[1] = 1, s->corner_triangles[2] = 2;
    s->corner_triangles[4] = 2, s->corner_triangles[5] = 1;
    s->obstacles[0] = (CordFrameObstacle){.name = "sail",
                                          .solid.shape = CORD_SOLID_MESH,
                                          .solid.mesh.vertices = s->corners,
                                          .solid.mesh.triangles = s->corner_triangles,
                                          .solid.mesh.vertex_count = 3,
                                          .solid.mesh.triangle_count = 2,
                                          .position = {0, 0, -1},
                                          .rotation = {0, 0, 0, 1}};
    s->obstacles[1] = (CordFrameObstacle){.name = "R\xc3\xadng",
                                          .solid.shape = CORD_SOLID_TORUS,
                                          .solid.size = {0.5, 0.125, 0},
                                          .rotation = {1, 0, 0, 0}};
    for (int i = 0; i < STAGE_VERTICES; i++) {
        s->vertices[i] = (CordVec3){0.5 * i, -i, 2};
        s->triangles[i] = STAGE_VERTICES - 1 - i;
    }
    s->surfaces[0] = (CordFrameSurface){.name = "leaf",
                                        .rod = 1,
                                        .hides = true,
                                        .vertex_count = STAGE_VERTICES,
                                        .triangle_count = 1,
                                        .vertices = s->vertices,
                                        .triangles = s->triangles};
}

static inline void reel_stage_fill(ReelStage* s) // it refers to itself
{
    *s = (ReelStage){0};
    static const int ends[2 * STAGE_EDGES] = {0, 1, 1, 2, 2, 0, 3, 6, 6, 4, 5, 6};
    s->rods[0] = (CordFrameRod){"ring", 0, 3, 0, 3, true, false};
    s->rods[1] = (CordFrameRod){"twig", 3, 4, 3, 3, false, true};
    s->energy[0] = (CordEnergy){1.1, 2.2, 3.3, 4.4, -5.5};
    s->twist[0] = 0.1, s->twist[1] = NAN;
    s->writhe[0] = -0.7, s->writhe[1] = NAN;
    for (int i = 0; i < STAGE_NODES; i++) {
        s->x[i] = (CordVec3){i, 0.25 * i * i, i % 3};
        s->skin[i] = (CordVec3){i, 0.25 * i * i, i % 3 + 0.5};
    }
    for (int e = 0; e < STAGE_EDGES; e++) {
        s->m1[e] = (CordVec3){0, 0, e % 2 == 0 ? 1 : -1};
        s->radius[e] = 0.125 * (1 + e);
        s->tension[e] = 3.5 * e - 4;
        s->ends[2 * e] = ends[2 * e], s->ends[2 * e + 1] = ends[2 * e + 1];
    }
    reel_stage_solids(s);
    for (int i = 0; i < STAGE_CONTACTS; i++) {
        s->contacts[i] = (CordContact){.rod = 1,
                                       .edge = 2,
                                       .kind = (CordTouch)i,
                                       .point = {i, 2, 3},
                                       .normal = {0, 1, 0},
                                       .push = 0.5 + i,
                                       .gap = -1};
    }
    s->frame = (CordFrame){.time = 0.1,
                           .steps = 1234567890123,
                           .rod_count = 2,
                           .node_count = STAGE_NODES,
                           .edge_count = STAGE_EDGES,
                           .rods = s->rods,
                           .energy = s->energy,
                           .stretch = s->stretch,
                           .twist = s->twist,
                           .x = s->x,
                           .v = s->x,
                           .moment = s->x,
                           .ends = s->ends,
                           .m1 = s->m1,
                           .radius = s->radius,
                           .tension = s->tension,
                           .force = s->m1,
                           .body_count = 1,
                           .bodies = s->bodies,
                           .obstacle_count = 2,
                           .obstacles = s->obstacles,
                           .contact_count = STAGE_CONTACTS,
                           .contacts = s->contacts,
                           .surface_count = 1,
                           .surfaces = s->surfaces};
}

static inline CordResult reel_put_end(CordReelBytes* bytes, size_t mark, CordResult result)
{
    return result == CORD_OK ? cord_reel_chunk_end(bytes, mark) : result;
}

static inline CordResult reel_put_scene(CordReelBytes* bytes)
{
    static const char* const settings[] = {"gravity=[0,0,0]", "rods[*].model=\"pbd\""};
    static const CordReelFile files[] = {
        {"a/b.obj", "v 0 0 0\n", 8}, {"dots.csv", "\0\xff\0", 3}, {"none", "", 0}};
    const CordReelScene scene = {.path = "knot.json",
                                 .text = "{ \"cordage\": 1 }",
                                 .text_size = 16,
                                 .settings = settings,
                                 .setting_count = 2,
                                 .files = files,
                                 .file_count = 3};
    size_t mark = cord_reel_chunk_begin(bytes, "SCEN");
    return reel_put_end(bytes, mark, mark ? cord_reel_put_scene(&scene, bytes) : CORD_NO_MEMORY);
}

static inline CordResult reel_put_layout(const CordFrame* frame, CordReelBytes* bytes)
{
    size_t mark = cord_reel_chunk_begin(bytes, "LAYO");
    return reel_put_end(bytes, mark, mark ? cord_reel_put_layout(frame, bytes) : CORD_NO_MEMORY);
}

static inline CordResult reel_put_frame(const CordFrame* frame, const double* writhe, CordReelBytes* bytes)
{
    size_t mark = cord_reel_chunk_begin(bytes, "FRAM");
    return reel_put_end(bytes, mark, mark ? cord_reel_put_frame(frame, writhe, bytes) : CORD_NO_MEMORY);
}

// A scene, the frame above, and a second one without contacts, half a second later.
static inline CordResult reel_put_whole(ReelStage* s, CordReelBytes* bytes)
{
    CordResult result = cord_reel_put_head(bytes);
    result = result == CORD_OK ? reel_put_scene(bytes) : result;
    result = result == CORD_OK ? reel_put_layout(&s->frame, bytes) : result;
    result = result == CORD_OK ? reel_put_frame(&s->frame, s->writhe, bytes) : result;
    CordFrame second = s->frame;
    second.contact_count = 0;
    second.twist = NULL; // not known
    second.time += 0.5;
    return result == CORD_OK ? reel_put_frame(&second, NULL, bytes) : result;
}

// ---- reels and their bytes

static inline void reel_release_bytes(void* bytes)
{
    cord_reel_bytes_free(bytes);
    free(bytes);
}

static inline CordReelBytes* reel_bytes(void) // none yet
{
    return keep(calloc(1, sizeof(CordReelBytes)), reel_release_bytes);
}

static inline CordReelBytes* reel_whole(ReelStage* s)
{
    CordReelBytes* bytes = reel_bytes();
    CHECK_OK(reel_put_whole(s, bytes));
    return bytes;
}

static inline void reel_release(void* reel)
{
    cord_reel_close(reel);
}

static inline CordReel* reel_open(const CordReelBytes* bytes)
{
    CordReel* reel;
    CordMessage message = {""};
    check_said(cord_reel_open(bytes->data, bytes->size, &reel, &message), &message);
    CHECK_STR(message.text, "");
    return keep(reel, reel_release);
}

static inline CordReel* reel_of_frame(const CordFrame* frame) // without a scene
{
    CordReelBytes* bytes = reel_bytes();
    CHECK_OK(cord_reel_put_head(bytes));
    CHECK_OK(reel_put_layout(frame, bytes));
    CHECK_OK(reel_put_frame(frame, NULL, bytes));
    return reel_open(bytes);
}

static inline CordFrame reel_frame(CordReel* reel, int index)
{
    CordFrames frames = cord_reel_frames(reel);
    return frame_at(&frames, index);
}

#endif
