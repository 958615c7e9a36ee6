// Going on with a recording: what is finished up to its last snapshot is copied into a new file, which then
// takes its place. The old file is only read: a crash on the way leaves it as it was.
#include "export/export.h"
#include "export/recorder.h"
#include "export/recording.h"

#include <stdlib.h>
#include <string.h>

// ---- does it fit?

static CordResult fits_fail(const CordRecording* old, const char* what, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE,
                       "%s cannot be resumed: %s; resume it as it was started, or start a new recording",
                       old->path, what);
}

static CordResult fits_scene(const CordRecording* old, const CordScene* scene, CordMessage* message)
{
    size_t size = 0;
    const char* text = scene ? cord_scene_text(scene, &size) : "";
    if (size != old->scene_size || memcmp(text, old->scene_text, size) != 0) {
        return fits_fail(old, "the scene is not the one it was started with", message);
    }
    int count = scene ? cord_scene_setting_count(scene) : 0;
    bool same = count == old->settings.count;
    for (int i = 0; same && i < count; i++) {
        same = strcmp(cord_scene_setting(scene, i), hdf5_name(&old->settings, i)) == 0;
    }
    return same ? CORD_OK : fits_fail(old, "the settings are not the ones it was started with", message);
}

// A mesh comes from a file, which may be another one by now.
static bool obstacles_equal(const CordFrameObstacle* a, const CordFrameObstacle* b)
{
    const CordSolidMesh *m = &a->solid.mesh, *n = &b->solid.mesh;
    return strcmp(a->name, b->name) == 0 && a->solid.shape == b->solid.shape &&
           memcmp(&a->solid.size, &b->solid.size, sizeof a->solid.size) == 0 &&
           m->vertex_count == n->vertex_count && m->triangle_count == n->triangle_count &&
           (m->vertex_count == 0 ||
            memcmp(m->vertices, n->vertices, (size_t)m->vertex_count * sizeof *m->vertices) == 0) &&
           (m->triangle_count == 0 ||
            memcmp(m->triangles, n->triangles, 3 * (size_t)m->triangle_count * sizeof *m->triangles) == 0);
}

static bool networks_equal(const CordFrame* frame, const CordRecording* old, int rod)
{
    const CordFrameRod* r = &frame->rods[rod];
    bool same = r->network == (old->network[rod] != 0);
    if (!same || !r->network) {
        return same;
    }
    const int32_t* ends = old->ends + 2 * old->ends_offset[rod];
    same = old->ends_offset[rod + 1] - old->ends_offset[rod] == r->edge_count;
    for (int k = 0; same && k < 2 * r->edge_count; k++) {
        same = frame->ends[2 * r->first_edge + k] - r->first_node == ends[k];
    }
    return same;
}

static bool ties_equal(const CordSurfaceTie* a, const CordSurfaceTie* b)
{
    return a->edge == b->edge && a->weight == b->weight && a->along == b->along &&
           memcmp(&a->offset, &b->offset, sizeof a->offset) == 0;
}

static bool surfaces_equal(const CordFrameSurface* a, const CordFrameSurface* b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->rod == b->rod && a->hides == b->hides &&
                a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
                memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0;
    for (size_t k = 0; same && k < (size_t)CORD_SURFACE_TIES * (size_t)a->vertex_count; k++) {
        same = ties_equal(&a->ties[k], &b->ties[k]);
    }
    return same;
}

static CordResult fits_world(const CordRecording* old, CordWorld* world, CordMessage* message)
{
    CordFrame frame;
    CordResult result = cord_world_frame(world, &frame);
    if (result != CORD_OK) {
        return export_fail_world(message, result, world);
    }
    bool same = frame.rod_count == old->rods.count;
    for (int i = 0; same && i < frame.rod_count; i++) {
        same = strcmp(frame.rods[i].name, hdf5_name(&old->rods, i)) == 0 &&
               frame.rods[i].closed == (old->closed[i] != 0) && networks_equal(&frame, old, i);
    }
    if (!same) {
        return fits_fail(old, "its rods are not those of the world", message);
    }
    same = frame.body_count == old->bodies.count;
    for (int i = 0; same && i < frame.body_count; i++) {
        const CordFrameBody *body = &frame.bodies[i], *was = &old->body_list[i];
        same = strcmp(body->name, was->name) == 0 && body->solid.shape == was->solid.shape &&
               memcmp(&body->solid.size, &was->solid.size, sizeof body->solid.size) == 0;
    }
    if (!same) {
        return fits_fail(old, "its bodies are not those of the world", message);
    }
    same = frame.obstacle_count == old->obstacles.count;
    for (int i = 0; same && i < frame.obstacle_count; i++) {
        same = obstacles_equal(&frame.obstacles[i], &old->obstacle_list[i]);
    }
    if (!same) {
        return fits_fail(old, "its obstacles are not those of the world", message);
    }
    same = frame.surface_count == old->surfaces.count;
    for (int i = 0; same && i < frame.surface_count; i++) {
        same = surfaces_equal(&frame.surfaces[i], &old->surface_list[i]);
    }
    if (!same) {
        return fits_fail(old, "its surfaces are not those of the world", message);
    }
    same = cord_world_probe_count(world) == old->probes.count;
    for (int i = 0; same && i < old->probes.count; i++) {
        CordProbeId probe = cord_world_probe(world, i);
        same = strcmp(cord_probe_name(world, probe), hdf5_name(&old->probes, i)) == 0 &&
               cord_probe_measure(world, probe) == old->measures[i];
    }
    return same ? CORD_OK : fits_fail(old, "its probes are not those of the world", message);
}

CordResult resume_fits(const CordRecording* old, const CordRecorderDef* def, CordWorld* world,
                       CordMessage* message)
{
    if (strcmp(old->version, cord_version()) != 0) {
        return export_fail(
            message, CORD_BAD_FILE,
            "%s cannot be resumed: it was written by cordage %s and this is %s, which may not compute "
            "the same bits; resume it with that version, or start a new recording",
            old->path, old->version, cord_version());
    }
    if (old->shape.branch || def->branch) {
        return export_fail(
            message, CORD_BAD_FILE,
            "%s cannot be resumed: a branch of equilibria is followed in one go; solve it again", old->path);
    }
    CORD_TRY(fits_scene(old, def->scene, message));
    return fits_world(old, world, message);
}

// ---- copying

// The last snapshot that is not damaged.
static CordResult snapshot_find(CordRecording* old, int64_t* index, RecordingSnapshot* snapshot,
                                CordMessage* message)
{
    for (*index = old->count[COUNT_SNAPSHOTS] - 1; *index >= 0; (*index)--) {
        if (recording_read_snapshot(old, *index, snapshot, NULL) == CORD_OK) {
            return CORD_OK;
        }
    }
    return fits_fail(old, "it holds no whole snapshot to go on from", message);
}

static CordResult copy_probes(CordRecorder* rec, CordRecording* old, int64_t end, CordMessage* message)
{
    while (rec->probes && rec->count[COUNT_PROBE_ROWS] < end) {
        int64_t first = rec->count[COUNT_PROBE_ROWS];
        int64_t count = end - first < PROBE_BUFFER ? end - first : PROBE_BUFFER;
        for (int i = 0; i <= rec->shape.probe_count; i++) {
            CORD_TRY(recording_probe_range(old, i, first, count, rec->probes[i].rows, message));
        }
        rec->buffered = (int)count;
        if (!recorder_append_probes(rec)) {
            return recorder_fail(rec, "the probes were not copied", message);
        }
    }
    return CORD_OK;
}

static CordResult copy_frames(CordRecorder* rec, CordRecording* old, int64_t count, CordMessage* message)
{
    int64_t* ends = calloc((size_t)old->count[COUNT_FRAMES] + 1, sizeof *ends);
    if (!ends) {
        return export_fail(message, CORD_NO_MEMORY, "%s: there is not enough memory to resume it", old->path);
    }
    CordResult result = recording_probe_ends(old, ends, message);
    for (int i = 0; result == CORD_OK && i < (int)count; i++) {
        CordFrame frame;
        result = copy_probes(rec, old, ends[i], message);
        if (result == CORD_OK) {
            result = recording_read_frame(old, i, &frame, message);
        }
        if (result == CORD_OK && !recorder_append_frame(rec, &frame, NULL)) {
            result = recorder_fail(rec, "the frames were not copied", message);
        }
    }
    free(ends);
    return result;
}

static CordResult copy_snapshots(CordRecorder* rec, CordRecording* old, int64_t count, CordMessage* message)
{
    for (int64_t i = 0; i < count; i++) {
        RecordingSnapshot s;
        if (recording_read_snapshot(old, i, &s, NULL) != CORD_OK) {
            continue; // a damaged one before the last is of no use to anyone
        }
        bool good = recorder_append_snapshot(rec, s.bytes, s.size, s.frames, s.probe_rows);
        free(s.bytes);
        if (!good) {
            return recorder_fail(rec, "the snapshots were not copied", message);
        }
    }
    return CORD_OK;
}

static CordResult copy_all(CordRecorder* rec, CordRecording* old, int64_t index,
                           const RecordingSnapshot* snapshot, CordMessage* message)
{
    CORD_TRY(copy_frames(rec, old, snapshot->frames, message));
    CORD_TRY(copy_probes(rec, old, snapshot->probe_rows, message));
    CORD_TRY(copy_snapshots(rec, old, index + 1, message));
    return recorder_commit(rec) ? CORD_OK : recorder_fail(rec, "the recording was not copied", message);
}

// ---- resuming

static CordResult resume_into(CordRecorder* rec, CordRecording* old, CordMessage* message)
{
    RecordingSnapshot snapshot;
    int64_t index;
    CORD_TRY(snapshot_find(old, &index, &snapshot, message));
    CordResult result = copy_all(rec, old, index, &snapshot, message);
    if (result == CORD_OK && cord_world_state_set(rec->world, snapshot.bytes, snapshot.size) != CORD_OK) {
        result = fits_fail(old, "its snapshot does not fit the world", message);
    }
    free(snapshot.bytes);
    rec->snapshot_steps = cord_world_steps(rec->world);
    return result;
}

static CordResult resume_run(CordRecorder* rec, const CordRecorderDef* def, CordRecording* old,
                             CordMessage* message)
{
    CORD_TRY(resume_fits(old, def, rec->world, message));
    if (old->count[COUNT_FRAMES] > 0 || old->count[COUNT_SNAPSHOTS] > 0) {
        CORD_TRY(resume_into(rec, old, message));
    } else if (!recorder_commit(rec)) { // killed before its first frame: from the start
        return recorder_fail(rec, "the recording could not be started", message);
    }
    return recording_lock_publish(&rec->lock, true, message);
}

CordResult cord_recorder_resume(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                                CordMessage* message)
{
    // first, so that no other run can add to the old file
    CORD_TRY(recorder_open(def, world, recorder, message));
    CordRecording* old = NULL;
    CordResult result = cord_recording_open(def->path, &old, message);
    if (result == CORD_OK) {
        result = resume_run(*recorder, def, old, message);
    }
    cord_recording_close(old);
    if (result != CORD_OK) {
        recorder_free(*recorder);
        *recorder = NULL;
    }
    return result;
}
