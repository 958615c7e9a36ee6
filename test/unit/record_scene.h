// A small run to record: an open and a closed rod that move and turn, two bodies, probes of several widths,
// and two obstacles, of which the open rod falls onto one after a few frames.
#ifndef CORD_TEST_RECORD_SCENE_H
#define CORD_TEST_RECORD_SCENE_H

#include "export_fixture.h"

#include "export/mesh.h"
#include "export/recorder.h"
#include "export/recording.h"

#include <cordage/adapt.h>
#include <cordage/contact.h>

#include <signal.h>
#include <sys/resource.h>
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

// In a build without HDF5 there is nothing to put there: the test is skipped.
static inline const char* record_path(const char* name)
{
    if (!strstr(cord_io_features(), "hdf5")) {
        skip();
    }
    return test_path(name);
}

static uint32_t record_random = 1; // the state

static inline double record_random_half(void) // between -1 and 1, and no more digits than a float has
{
    record_random = record_random * 1664525u + 1013904223u;
    return (double)(record_random >> 9) / (1 << 22) - 1.0;
}

// Writes beyond this size fail as on a full disk.
static inline void record_limit_size(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
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

static inline void record_obstacle(CordWorld* world, const char* name, CordSolid solid, CordVec3 position,
                                   CordQuat rotation)
{
    CordObstacleId id;
    CordObstacleDef def = cord_obstacle_def_default();
    def.name = name;
    def.solid = solid;
    def.position = position;
    def.rotation = rotation;
    CHECK_OK(cord_obstacle_create(world, &def, &id));
}

static inline void record_obstacles(CordWorld* world)
{
    static const CordVec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int triangle[] = {0, 1, 2};
    const CordQuat straight = {0, 0, 0, 1};
    CordContactDef contact = cord_contact_def_default();
    // a tenth of a millimetre below the rod, near its end
    record_obstacle(world, "bump", (CordSolid){.shape = CORD_SOLID_SPHERE, .size = {0.05, 0, 0}},
                    (CordVec3){0.29748, 0.09914, 0.13429}, straight);
    record_obstacle(world, "sail, torn",
                    (CordSolid){.shape = CORD_SOLID_MESH, .mesh = {corners, 3, triangle, 1}},
                    (CordVec3){-7, 0, 0}, straight);
    CHECK_OK(cord_world_set_contact(world, &contact));
}

static inline void record_release_world(void* world)
{
    cord_world_destroy(world);
}

static inline void record_release_scene(void* scene)
{
    cord_scene_destroy(scene);
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
    keep(run.scene, record_release_scene);
    keep(run.world, record_release_world);
    record_bodies(run.world);
    record_obstacles(run.world);
    return run;
}

static inline RecordRun record_branch(void)
{
    RecordRun run = record_world(NULL);
    run.branch = true;
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

static inline CordResult record_create(RecordRun* run, const char* path, CordMessage* message)
{
    CordRecorderDef def = record_def(run, path);
    return cord_recorder_create(&def, run->world, &run->recorder, message);
}

static inline CordResult record_resume(RecordRun* run, const char* path, CordMessage* message)
{
    CordRecorderDef def = record_def(run, path);
    return cord_recorder_resume(&def, run->world, &run->recorder, message);
}

// The run with a recorder that starts a recording, or that goes on with one.
static inline RecordRun record_to(RecordRun run, const char* path)
{
    CordMessage message = {""};
    check_said(record_create(&run, path, &message), &message);
    return run;
}

static inline RecordRun record_on(RecordRun run, const char* path)
{
    CordMessage message = {""};
    check_said(record_resume(&run, path, &message), &message);
    return run;
}

static inline RecordRun record_start(const char* path)
{
    return record_to(record_world(NULL), path);
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

static inline void record_check_point(const CordBranchPoint* point, int index, double time)
{
    CordBranchPoint expected = record_point(index, time);
    const CordSolveReport *p = &point->solve, *q = &expected.solve;
    CHECK(point->time == time && point->arc == expected.arc && point->event == expected.event);
    CHECK(point->event_time == expected.event_time && point->least_eigenvalue == expected.least_eigenvalue);
    CHECK(p->converged == q->converged && p->iterations == q->iterations && p->residual == q->residual);
    CHECK(p->residual_relative == q->residual_relative && p->unstable == q->unstable);
    CHECK(p->saddles_left == q->saddles_left && p->energy == q->energy);
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
        check_said(record_next(run, &message), &message);
    }
}

// A frame that need not be one of the world.
static inline void record_put(RecordRun* run, const CordFrame* frame, const CordBranchPoint* point)
{
    CHECK(recorder_append_frame(run->recorder, frame, point) && recorder_commit(run->recorder));
}

static inline void record_check_put_refused(RecordRun* run, const char* text)
{
    CordMessage message = {""};
    CHECK_RESULT(cord_recorder_put_frame(run->recorder, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, text);
}

static inline void record_end(RecordRun* run)
{
    CordMessage message = {""};
    check_said(cord_recorder_close(run->recorder, &message), &message);
}

static inline void record_until(RecordRun run, int frames)
{
    record_frames(&run, frames);
    record_end(&run);
}

static inline CordRecording* record_open(const char* path)
{
    CordRecording* recording = NULL;
    CordMessage message = {""};
    check_said(cord_recording_open(path, &recording, &message), &message);
    return recording;
}

static inline void record_release_recording(void* recording)
{
    cord_recording_close(recording);
}

static inline CordRecording* record_read(const char* path) // for files that are no longer written to
{
    return keep(record_open(path), record_release_recording);
}

static inline CordFrame record_frame(CordRecording* recording, int index)
{
    CordFrames frames = cord_recording_frames(recording);
    return frame_at(&frames, index);
}

static inline CordBranchPoint record_read_point(CordRecording* recording, int index)
{
    CordBranchPoint point;
    CordMessage message = {""};
    check_said(cord_recording_branch_point(recording, index, &point, &message), &message);
    return point;
}

// All values of a probe, or the times of all probes (-1).
static inline double* record_probe(CordRecording* recording, int probe)
{
    CordMessage message = {""};
    size_t rows = (size_t)cord_recording_probe_rows(recording);
    double* values = keep_zeros(rows * CORD_PROBE_MOST * sizeof *values);
    check_said(probe < 0 ? cord_recording_probe_times(recording, values, &message)
                         : cord_recording_probe_values(recording, probe, values, &message),
               &message);
    return values;
}

static inline RecordingSnapshot record_snapshot(CordRecording* recording, int64_t index)
{
    RecordingSnapshot snapshot;
    CordMessage message = {""};
    check_said(recording_read_snapshot(recording, index, &snapshot, &message), &message);
    keep(snapshot.bytes, free);
    return snapshot;
}

// ---- what is read is what was put: doubles to the last bit, and what tables have as floats rounded once

static inline bool record_same_bytes(const void* a, const void* b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static inline bool record_rounded(const void* read, const void* put, size_t size) // doubles
{
    const double *r = read, *p = put;
    bool same = true;
    for (size_t i = 0; same && i < size / sizeof *p; i++) {
        double rounded = (double)(float)p[i];
        same = record_same_bytes(&r[i], &rounded, sizeof rounded);
    }
    return same;
}

static inline void record_check_solids(const CordFrame* read, const CordFrame* put)
{
    CHECK_INT(read->body_count, put->body_count);
    CHECK_INT(read->obstacle_count, put->obstacle_count);
    for (int i = 0; i < put->body_count + put->obstacle_count; i++) {
        CordFrameObstacle r = solid_of_frame(read, i), p = solid_of_frame(put, i);
        CHECK_STR(r.name, p.name);
        CHECK_INT(r.solid.shape, p.solid.shape);
        CHECK_INT(r.solid.mesh.vertex_count, p.solid.mesh.vertex_count);
        CHECK_INT(r.solid.mesh.triangle_count, p.solid.mesh.triangle_count);
        CHECK(record_same_bytes(&r.solid.size, &p.solid.size, sizeof p.solid.size));
        CHECK(record_same_bytes(&r.position, &p.position, sizeof p.position));
        CHECK(record_same_bytes(&r.rotation, &p.rotation, sizeof p.rotation));
        CHECK(record_same_bytes(&r.force, &p.force, sizeof p.force)); // of a body: zeros
        CHECK(record_same_bytes(&r.torque, &p.torque, sizeof p.torque));
    }
    for (int i = 0; i < put->body_count; i++) {
        const CordFrameBody *r = &read->bodies[i], *p = &put->bodies[i];
        CHECK(record_same_bytes(&r->velocity, &p->velocity, sizeof p->velocity));
        CHECK(record_same_bytes(&r->spin, &p->spin, sizeof p->spin));
        CHECK(record_same_bytes(&r->energy, &p->energy, sizeof p->energy));
    }
}

static inline void record_check_contacts(const CordFrame* read, const CordFrame* put)
{
    CHECK_INT(read->contact_count, put->contact_count);
    for (int i = 0; i < put->contact_count; i++) {
        const CordContact *r = &read->contacts[i], *p = &put->contacts[i];
        CHECK(r->rod == p->rod && r->edge == p->edge && r->kind == p->kind && r->slides == p->slides);
        CHECK(r->other == p->other && r->other_edge == p->other_edge);
        CHECK(record_rounded(&r->at, &p->at, sizeof p->at));
        CHECK(record_rounded(&r->other_at, &p->other_at, sizeof p->other_at));
        CHECK(record_same_bytes(&r->point, &p->point, sizeof p->point));
        CHECK(record_rounded(&r->normal, &p->normal, sizeof p->normal));
        CHECK(record_rounded(&r->gap, &p->gap, sizeof p->gap));
        CHECK(record_rounded(&r->push, &p->push, sizeof p->push));
        CHECK(record_rounded(&r->friction, &p->friction, sizeof p->friction));
    }
}

static inline void record_check_adapt(const CordFrame* read, const CordFrame* put)
{
    size_t nodes = (size_t)put->node_count;
    CHECK(!read->adapt == !put->adapt);
    if (!put->adapt) {
        CHECK(!read->level && !put->level && !read->skin && !put->skin);
        return;
    }
    for (int i = 0; i < put->rod_count; i++) {
        const CordAdaptReport *r = &read->adapt[i], *p = &put->adapt[i];
        CHECK(r->made_with == p->made_with && r->nodes == p->nodes && r->finest == p->finest);
        CHECK(r->coarsest == p->coarsest && r->refined == p->refined && r->merged == p->merged);
        CHECK(r->kept_off == p->kept_off && r->iterations == p->iterations && r->steps == p->steps);
        CHECK(r->node_steps == p->node_steps && r->flickers == p->flickers);
    }
    CHECK(record_same_bytes(read->skin ? read->skin : read->x, put->skin ? put->skin : put->x,
                            nodes * sizeof *put->x));
    CHECK(record_same_bytes(read->level, put->level, nodes));
    CHECK(record_same_bytes(read->arc, put->arc, nodes * sizeof *put->arc));
}

static inline void record_check_frame(const CordFrame* read, const CordFrame* put)
{
    CHECK(read->time == put->time);
    CHECK_INT(read->steps, put->steps);
    CHECK_INT(read->rod_count, put->rod_count);
    CHECK_INT(read->node_count, put->node_count);
    CHECK_INT(read->edge_count, put->edge_count);
    for (int i = 0; i < put->rod_count; i++) {
        const CordFrameRod *r = &read->rods[i], *p = &put->rods[i];
        CHECK_STR(r->name, p->name);
        CHECK(r->first_node == p->first_node && r->node_count == p->node_count);
        CHECK(r->first_edge == p->first_edge && r->edge_count == p->edge_count && r->closed == p->closed);
    }
    size_t rods = (size_t)put->rod_count, nodes = (size_t)put->node_count, edges = (size_t)put->edge_count;
    CHECK(record_same_bytes(read->energy, put->energy, rods * sizeof *put->energy));
    CHECK(record_same_bytes(read->stretch, put->stretch, rods * sizeof *put->stretch));
    CHECK(record_same_bytes(read->x, put->x, nodes * sizeof *put->x));
    CHECK(record_rounded(read->v, put->v, nodes * sizeof *put->v));
    CHECK(record_rounded(read->moment, put->moment, nodes * sizeof *put->moment));
    CHECK(record_rounded(read->m1, put->m1, edges * sizeof *put->m1));
    CHECK(record_rounded(read->radius, put->radius, edges * sizeof *put->radius));
    CHECK(record_rounded(read->tension, put->tension, edges * sizeof *put->tension));
    CHECK(record_rounded(read->force, put->force, edges * sizeof *put->force));
    record_check_solids(read, put);
    record_check_contacts(read, put);
    record_check_adapt(read, put);
}

#endif
