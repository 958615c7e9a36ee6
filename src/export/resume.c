// Resuming a recording: everything up to its last snapshot is copied into a new file, which then replaces the
// old one. The old file is only read, so a crash leaves it as it was.
#include "export/export.h"
#include "export/recorder.h"
#include "export/recording.h"

#include <cordage/ledger.h>

#include <stdlib.h>
#include <string.h>

// ---- comparison with the run

static CordResult no_memory(const CordRecording* old, CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "%s: there is not enough memory to resume it", old->path);
}

static CordResult fits_fail(const CordRecording* old, const char* what, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE,
                       "%s cannot be resumed: %s; resume it as it was started, or start a new recording",
                       old->path, what);
}

// A mesh comes from a file, which may have changed since, so its vertices are compared as well.
static CordResult fits_run(const CordRecording* old, const CordRecorderDef* def, CordWorld* world,
                           CordMessage* message)
{
    CordFrame frame;
    CORD_TRY(export_world_frame(world, &frame, message));
    Description d;
    if (!description_gather(&d, def, &frame, world)) {
        return no_memory(old, message);
    }
    const Description* was = &old->description;
    bool same_scene =
        d.scene_size == was->scene_size && memcmp(d.scene_text, was->scene_text, d.scene_size) == 0;
    DescriptionGroup other = description_compare(&d, was);
    description_free(&d);
    char what[64];
    snprintf(what, sizeof what, "its %s are not those of the world", description_group_name(other));
    return !same_scene ? fits_fail(old, "the scene is not the one it was started with", message)
           : other == GROUP_SCENE
               ? fits_fail(old, "the settings are not the ones it was started with", message)
           : other != GROUP_COUNT ? fits_fail(old, what, message)
                                  : CORD_OK;
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
    if (old->description.branch || def->branch) {
        return export_fail(
            message, CORD_BAD_FILE,
            "%s cannot be resumed: a branch of equilibria is followed in one go; solve it again", old->path);
    }
    return fits_run(old, def, world, message);
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
        return no_memory(old, message);
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
            continue; // a damaged snapshot before the last one is not needed
        }
        bool good = recorder_append_snapshot(rec, &s);
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

static bool restore(CordWorld* world, const RecordingSnapshot* s)
{
    const uint8_t* ledger = s->bytes + s->state_size;
    size_t size = s->size - s->state_size;
    CordResult result = cord_world_state_set(world, s->bytes, s->state_size);
    if (result == CORD_OK && (size > 0 || cord_ledger_is_open(world))) {
        result = size > 0 ? cord_ledger_state_set(world, ledger, size) : cord_ledger_open(world);
    }
    return result == CORD_OK;
}

static CordResult resume_into(CordRecorder* rec, CordRecording* old, CordMessage* message)
{
    RecordingSnapshot snapshot;
    int64_t index;
    CORD_TRY(snapshot_find(old, &index, &snapshot, message));
    CordResult result = copy_all(rec, old, index, &snapshot, message);
    if (result == CORD_OK && !restore(rec->world, &snapshot)) {
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
    } else if (!recorder_commit(rec)) { // it was killed before its first frame: start again
        return recorder_fail(rec, "the recording could not be started", message);
    }
    return recording_lock_publish(&rec->lock, true, message);
}

CordResult cord_recorder_resume(const CordRecorderDef* def, CordWorld* world, CordRecorder** recorder,
                                CordMessage* message)
{
    // Opened first, so that no other run can append to the old file.
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
