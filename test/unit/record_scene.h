// A small run to record: an open and a closed rod that move and turn, two bodies, probes of several widths,
// and two obstacles, of which the open rod falls onto one after a few frames.
#ifndef CORD_TEST_RECORD_SCENE_H
#define CORD_TEST_RECORD_SCENE_H

#include "check.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/io.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_STEP 2e-4
#define RECORD_STEPS_PER_FRAME 7

static const char record_scene_text[] =
    "{ \"cordage\": 1, \"title\": \"recorded\", \"time\": { \"step\": 2e-4, \"end\": 0.1, \"fps\": 714 },\n"
    "  \"rods\": [\n"
    "    { \"name\": \"rope\", \"model\": \"der\", \"material\": \"rubber\", \"inextensible\": true,\n"
    "      \"section\": { \"disc\": { \"radius\": 0.004 } }, \"elements\": 9,\n"
    "      \"shape\": { \"line\": { \"from\": [0, 0, 0], \"to\": [0.3, 0.1, 0.2] } } },\n"
    "    { \"name\": \"ring, small\", \"model\": \"der\", \"material\": \"rubber\", \"closed\": true,\n"
    "      \"section\": { \"disc\": { \"radius\": 0.003 } }, \"elements\": 12, \"rest\": \"straight\",\n"
    "      \"shape\": { \"ellipse\": { \"center\": [0, 0, 1], \"axis1\": [0, 0.3, 1], \"axis2\": [1, 0, 0],\n"
    "                                  \"half1\": 0.1, \"half2\": 0.06 } } } ],\n"
    "  \"clamps\": [{ \"rod\": \"rope\", \"at\": \"start\", \"fix\": \"position\" }],\n"
    "  \"probes\": [\n"
    "    { \"name\": \"tip\", \"rod\": \"rope\", \"at\": \"end\", \"measure\": \"position\" },\n"
    "    { \"name\": \"pull\", \"rod\": \"rope\", \"at\": { \"edge\": 2 }, \"measure\": \"tension\" },\n"
    "    { \"name\": \"energy\", \"rod\": \"ring, small\", \"measure\": \"energy\" } ] }\n";

typedef struct RecordRun {
    CordScene* scene;
    CordWorld* world;
    CordRecorder* recorder;
    bool branch; // its frames are put as points of a branch
} RecordRun;

static char record_directory[64];

static inline int record_remove_one(const char* path, const struct stat* info, int type, struct FTW* walk)
{
    (void)info, (void)type, (void)walk;
    return remove(path);
}

static inline void record_remove(void)
{
    nftw(record_directory, record_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

// The file of that name in a directory that this test makes and takes away again. In a build without HDF5
// there is nothing to put there: the test is skipped.
static inline const char* record_path(const char* name)
{
    static char paths[32][256];
    char path[256];
    if (!strstr(cord_io_features(), "hdf5")) {
        skip();
    }
    if (record_directory[0] == '\0') {
        snprintf(record_directory, sizeof record_directory, "%s", P_tmpdir "/cordage_record_XXXXXX");
        CHECK(mkdtemp(record_directory) != NULL);
        atexit(record_remove);
    }
    snprintf(path, sizeof path, "%s/%s", record_directory, name);
    int i = 0;
    while (paths[i][0] != '\0' && strcmp(paths[i], path) != 0) {
        i++;
        CHECK(i < 32);
    }
    memcpy(paths[i], path, sizeof path);
    return paths[i];
}

static inline long record_size(const char* path) // [bytes]; -1: no such file
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static inline void record_bodies(CordWorld* world)
{
    CordBodyId id;
    CordBodyDef def = cord_body_def_default();
    def.name = "ball";
    def.position = (CordVec3){1, 2, 3};
    def.velocity = (CordVec3){0.5, 0, 0.25};
    def.intangible = true; // the rods are explicit
    CHECK_OK(cord_body_create(world, &def, &id));
    def.name = "brick, red";
    def.solid.shape = CORD_SOLID_BOX;
    def.solid.size = (CordVec3){0.1, 0.2, 0.3};
    def.rotation = cord_quat_about((CordVec3){1, 1, 0}, 0.7);
    def.spin = (CordVec3){3, 7, 1};
    CHECK_OK(cord_body_create(world, &def, &id));
}

static inline void record_obstacles(CordWorld* world)
{
    static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int triangle[] = {0, 1, 2};
    CordObstacleId id;
    CordContactDef contact = cord_contact_def_default();
    CordObstacleDef def = cord_obstacle_def_default();
    def.name = "bump";
    def.solid.shape = CORD_SOLID_SPHERE;
    def.solid.size.x = 0.05;
    // a tenth of a millimetre below the rod, near its end
    def.position = (CordVec3){0.29748, 0.09914, 0.13429};
    CHECK_OK(cord_obstacle_create(world, &def, &id));
    def = cord_obstacle_def_default();
    def.name = "sail, torn";
    def.solid.shape = CORD_SOLID_MESH;
    def.solid.mesh.vertices = corners;
    def.solid.mesh.vertex_count = 3;
    def.solid.mesh.triangles = triangle;
    def.solid.mesh.triangle_count = 1;
    def.position = (CordVec3){-7, 0, 0};
    CHECK_OK(cord_obstacle_create(world, &def, &id));
    CHECK_OK(cord_world_set_contact(world, &contact));
}

static inline RecordRun record_world(const char* setting)
{
    RecordRun run = {0};
    const char* settings[] = {setting};
    CordResult result = cord_scene_parse(record_scene_text, sizeof record_scene_text - 1, "recorded.json",
                                         settings, setting ? 1 : 0, &run.scene);
    for (int i = 0; result != CORD_OK && i < cord_scene_note_count(run.scene); i++) {
        print_error("%s\n", cord_scene_note(run.scene, i).text);
    }
    CHECK_OK(result);
    CordWorldDef hooks = cord_world_def_default();
    CHECK_OK(cord_scene_build(run.scene, &hooks, &run.world));
    record_bodies(run.world);
    record_obstacles(run.world);
    return run;
}

static inline CordRecorderDef record_def(const RecordRun* run, const char* path)
{
    CordRecorderDef def = cord_recorder_def_default();
    def.path = path;
    def.scene = run->scene;
    def.snapshot_every = 4;
    def.branch = run->branch;
    return def;
}

static inline RecordRun record_start(const char* path)
{
    RecordRun run = record_world(NULL);
    CordRecorderDef def = record_def(&run, path);
    CordMessage message = {""};
    CordResult result = cord_recorder_create(&def, run.world, &run.recorder, &message);
    if (result != CORD_OK) {
        print_error("%s\n", message.text);
    }
    CHECK_OK(result);
    return run;
}

// Some point, another one for each index.
static inline CordBranchPoint record_point(int index, double time)
{
    return (CordBranchPoint){
        .time = time,
        .arc = 0.25 * index,
        .event = (CordBranchEvent)(index % CORD_BRANCH_END),
        .event_time = time - 1e-3,
        .solve = {.converged = index % 5 != 4,
                  .iterations = 3 + index,
                  .residual = 1e-9 / (1 + index),
                  .residual_relative = 1e-12 * index,
                  .unstable = index / 3,
                  .saddles_left = index % 2,
                  .energy = -0.125 * index},
        .least_eigenvalue = 10.0 - 4.0 * index,
    };
}

static inline bool record_points_equal(const CordBranchPoint* a, const CordBranchPoint* b)
{
    const CordSolveReport *p = &a->solve, *q = &b->solve;
    return a->time == b->time && a->arc == b->arc && a->event == b->event && a->event_time == b->event_time &&
           a->least_eigenvalue == b->least_eigenvalue && p->converged == q->converged &&
           p->iterations == q->iterations && p->residual == q->residual &&
           p->residual_relative == q->residual_relative && p->unstable == q->unstable &&
           p->saddles_left == q->saddles_left && p->energy == q->energy;
}

// Steps to the next frame's time and puts it; the first frame is the start itself.
static inline CordResult record_next(RecordRun* run, CordMessage* message)
{
    int64_t target = (int64_t)cord_recorder_frame_count(run->recorder) * RECORD_STEPS_PER_FRAME;
    while (cord_world_steps(run->world) < target) {
        CHECK_OK(cord_world_step(run->world, RECORD_STEP));
        CordResult result = cord_recorder_put_probes(run->recorder, message);
        if (result != CORD_OK) {
            return result;
        }
    }
    if (run->branch) {
        CordBranchPoint point =
            record_point(cord_recorder_frame_count(run->recorder), cord_world_time(run->world));
        return cord_recorder_put_branch_point(run->recorder, &point, message);
    }
    return cord_recorder_put_frame(run->recorder, message);
}

static inline void record_frames(RecordRun* run, int count)
{
    CordMessage message = {""};
    while (cord_recorder_frame_count(run->recorder) < count) {
        CHECK_OK(record_next(run, &message));
    }
}

static inline void record_end(RecordRun* run)
{
    CordMessage message = {""};
    CHECK_OK(cord_recorder_close(run->recorder, &message));
    cord_world_destroy(run->world);
    cord_scene_destroy(run->scene);
}

static inline CordRecording* record_read(const char* path)
{
    CordRecording* recording = NULL;
    CordMessage message = {""};
    CordResult result = cord_recording_open(path, &recording, &message);
    if (result != CORD_OK) {
        print_error("%s\n", message.text);
    }
    CHECK_OK(result);
    return recording;
}

static inline bool record_same_bytes(const void* a, const void* b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static inline bool record_bodies_equal(const CordFrame* a, const CordFrame* b)
{
    for (int i = 0; i < a->body_count; i++) {
        const CordFrameBody *p = &a->bodies[i], *q = &b->bodies[i];
        if (strcmp(p->name, q->name) != 0 || p->solid.shape != q->solid.shape ||
            !record_same_bytes(&p->solid.size, &q->solid.size, sizeof p->solid.size) ||
            !record_same_bytes(&p->position, &q->position, sizeof p->position) ||
            !record_same_bytes(&p->rotation, &q->rotation, sizeof p->rotation) ||
            !record_same_bytes(&p->velocity, &q->velocity, sizeof p->velocity) ||
            !record_same_bytes(&p->spin, &q->spin, sizeof p->spin) ||
            !record_same_bytes(&p->energy, &q->energy, sizeof p->energy)) {
            return false;
        }
    }
    return a->body_count == b->body_count;
}

static inline bool record_obstacles_equal(const CordFrame* a, const CordFrame* b)
{
    for (int i = 0; i < a->obstacle_count; i++) {
        const CordFrameObstacle *p = &a->obstacles[i], *q = &b->obstacles[i];
        if (strcmp(p->name, q->name) != 0 || p->solid.shape != q->solid.shape ||
            p->solid.mesh.vertex_count != q->solid.mesh.vertex_count ||
            p->solid.mesh.triangle_count != q->solid.mesh.triangle_count ||
            !record_same_bytes(&p->solid.size, &q->solid.size, sizeof p->solid.size) ||
            !record_same_bytes(&p->position, &q->position, sizeof p->position) ||
            !record_same_bytes(&p->rotation, &q->rotation, sizeof p->rotation) ||
            !record_same_bytes(&p->force, &q->force, sizeof p->force) ||
            !record_same_bytes(&p->torque, &q->torque, sizeof p->torque)) {
            return false;
        }
    }
    return a->obstacle_count == b->obstacle_count;
}

static inline bool record_contacts_equal(const CordFrame* a, const CordFrame* b)
{
    for (int i = 0; i < a->contact_count; i++) {
        const CordContact *p = &a->contacts[i], *q = &b->contacts[i];
        if (p->rod != q->rod || p->edge != q->edge || p->at != q->at || p->kind != q->kind ||
            p->other != q->other || p->other_edge != q->other_edge || p->other_at != q->other_at ||
            !record_same_bytes(&p->point, &q->point, sizeof p->point) ||
            !record_same_bytes(&p->normal, &q->normal, sizeof p->normal) || p->gap != q->gap ||
            p->push != q->push || !record_same_bytes(&p->friction, &q->friction, sizeof p->friction) ||
            p->slides != q->slides) {
            return false;
        }
    }
    return a->contact_count == b->contact_count;
}

static inline bool record_adapt_equal(const CordFrame* a, const CordFrame* b)
{
    size_t nodes = (size_t)a->node_count;
    if (!a->adapt || !b->adapt) {
        return !a->adapt && !b->adapt && !a->level && !b->level && !a->skin && !b->skin;
    }
    for (int r = 0; r < a->rod_count; r++) {
        const CordAdaptReport *p = &a->adapt[r], *q = &b->adapt[r];
        if (p->made_with != q->made_with || p->nodes != q->nodes || p->finest != q->finest ||
            p->coarsest != q->coarsest || p->refined != q->refined || p->merged != q->merged ||
            p->kept_off != q->kept_off || p->iterations != q->iterations || p->steps != q->steps ||
            p->node_steps != q->node_steps || p->flickers != q->flickers) {
            return false;
        }
    }
    return record_same_bytes(a->skin ? a->skin : a->x, b->skin ? b->skin : b->x, nodes * sizeof *a->x) &&
           record_same_bytes(a->level, b->level, nodes) &&
           record_same_bytes(a->arc, b->arc, nodes * sizeof *a->arc);
}

// Both hold the same, to the last bit.
static inline bool record_frames_equal(const CordFrame* a, const CordFrame* b)
{
    if (a->time != b->time || a->steps != b->steps || a->rod_count != b->rod_count ||
        a->node_count != b->node_count || a->edge_count != b->edge_count) {
        return false;
    }
    for (int r = 0; r < a->rod_count; r++) {
        const CordFrameRod *p = &a->rods[r], *q = &b->rods[r];
        if (strcmp(p->name, q->name) != 0 || p->first_node != q->first_node ||
            p->node_count != q->node_count || p->first_edge != q->first_edge ||
            p->edge_count != q->edge_count || p->closed != q->closed) {
            return false;
        }
    }
    size_t rods = (size_t)a->rod_count, nodes = (size_t)a->node_count, edges = (size_t)a->edge_count;
    return record_same_bytes(a->energy, b->energy, rods * sizeof *a->energy) &&
           record_same_bytes(a->stretch, b->stretch, rods * sizeof *a->stretch) &&
           record_same_bytes(a->x, b->x, nodes * sizeof *a->x) &&
           record_same_bytes(a->v, b->v, nodes * sizeof *a->v) &&
           record_same_bytes(a->moment, b->moment, nodes * sizeof *a->moment) &&
           record_same_bytes(a->m1, b->m1, edges * sizeof *a->m1) &&
           record_same_bytes(a->radius, b->radius, edges * sizeof *a->radius) &&
           record_same_bytes(a->tension, b->tension, edges * sizeof *a->tension) &&
           record_same_bytes(a->force, b->force, edges * sizeof *a->force) && record_bodies_equal(a, b) &&
           record_obstacles_equal(a, b) && record_contacts_equal(a, b) && record_adapt_equal(a, b);
}

#endif
