#include "export/sequence.h"

#include "export/export.h"
#include "export/geometry.h"

#include <stdlib.h>

CordResult sequence_no_memory(CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY,
                       "there is not enough memory for these frames; choose fewer with --frames");
}

CordResult sequence_not_finite(CordMessage* message)
{
    return export_fail(message, CORD_BAD_ARGUMENT,
                       "something in the frames is not finite, or too far away for single precision; choose "
                       "earlier ones with --frames");
}

// Sets the first edge of each rod in the curves, which do not contain hidden rods.
static void place_rods(Sequence* sequence, const CordFrame* frame)
{
    for (int r = 0, edge = 0; r < sequence->rod_count && r < frame->rod_count; r++) {
        sequence->rods[r].first_edge = edge;
        edge += sequence->rods[r].hidden ? 0 : frame->rods[r].edge_count;
    }
}

CordResult sequence_read(Sequence* sequence, int index, CordFrame* frame, CordMessage* message)
{
    CORD_TRY(sequence->frames->read(sequence->frames->user, sequence->def->first + index, frame, message));
    picture_curves_free(&sequence->curves);
    place_rods(sequence, frame);
    return tube_curves(frame, &sequence->curves, message);
}

const TubeSection* sequence_sections(Sequence* sequence, const CordFrame* frame, int rod)
{
    tube_sections(&sequence->rods[rod], frame, &sequence->curves, sequence->sections);
    return sequence->sections;
}

void sequence_pose_solids(Sequence* sequence, const CordFrame* frame, int index)
{
    for (int i = 0; i < sequence->body_count + sequence->obstacle_count; i++) {
        Pose pose = solid_pose(frame, i);
        keyframes_set(&sequence->solids[i], 0, index, &pose);
    }
}

int sequence_group(const Sequence* sequence, int rod)
{
    const CordPictureDef* picture = &sequence->picture;
    return picture_rod_group(picture->groups, picture->groups ? picture->group_count : 0, rod);
}

// ---- the pass over all frames

static CordResult add_first_frame(Sequence* sequence, const CordFrame* frame, CordMessage* message)
{
    sequence->body_count = frame->body_count;
    sequence->obstacle_count = frame->obstacle_count;
    sequence->surface_count = frame->surface_count;
    sequence->floor = picture_floor_height(frame);
    sequence->rods = calloc((size_t)frame->rod_count + 1, sizeof *sequence->rods);
    if (!sequence->rods) {
        return sequence_no_memory(message);
    }
    for (int r = 0; r < frame->rod_count; r++) {
        sequence->rod_count++;
        CORD_TRY(tube_plan_begin(&sequence->rods[r], frame, r, message));
    }
    place_rods(sequence, frame);
    return CORD_OK;
}

static CordResult add_frame(Sequence* sequence, const CordFrame* frame, CordMessage* message)
{
    if (frame->rod_count != sequence->rod_count || frame->body_count != sequence->body_count ||
        frame->obstacle_count != sequence->obstacle_count ||
        frame->surface_count != sequence->surface_count) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "the frame at t = %g s has other rods, bodies, obstacles or surfaces than the first; "
            "choose frames that have the same ones, with --frames",
            frame->time);
    }
    for (int r = 0; r < sequence->rod_count; r++) {
        CORD_TRY(tube_plan_add(&sequence->rods[r], frame, &sequence->curves, message));
    }
    picture_bounds(frame, 1.0, &sequence->low, &sequence->high);
    return CORD_OK;
}

static CordResult add_frames(Sequence* sequence, int total, CordMessage* message)
{
    for (int k = 0; k < total; k++) {
        CordFrame frame;
        CORD_TRY(sequence_read(sequence, k, &frame, message));
        if (k == 0) {
            CORD_TRY(add_first_frame(sequence, &frame, message));
        }
        CORD_TRY(add_frame(sequence, &frame, message));
        sequence->time[k] = frame.time;
        sequence->count = k + 1;
        if (!export_progress(sequence->def, 0, total)) {
            break;
        }
    }
    return CORD_OK;
}

// Players need times that increase, in the single precision that files store. Along a branch time may
// decrease.
static void set_times(Sequence* sequence)
{
    double start = sequence->time[0];
    sequence->counted = sequence->frames->recording && cord_recording_is_branch(sequence->frames->recording);
    for (int k = 0; k < sequence->count; k++) {
        sequence->time[k] -= start;
        sequence->counted =
            sequence->counted || (k > 0 && !((float)sequence->time[k] > (float)sequence->time[k - 1]));
    }
    for (int k = 0; sequence->counted && k < sequence->count; k++) {
        sequence->time[k] = k * SEQUENCE_INTERVAL;
    }
}

static CordResult settle(Sequence* sequence, CordMessage* message)
{
    int most = 0;
    set_times(sequence);
    for (int r = 0; r < sequence->rod_count; r++) {
        tube_plan_finish(&sequence->rods[r]);
        most = sequence->rods[r].count > most ? sequence->rods[r].count : most;
    }
    if (sequence->low.x > sequence->high.x) { // there are only planes
        sequence->low = (CordVec3){-0.5, -0.5, -0.5};
        sequence->high = (CordVec3){0.5, 0.5, 0.5};
    }
    picture_place(&sequence->picture, sequence->low, sequence->high);
    sequence->sections = calloc((size_t)most + 1, sizeof *sequence->sections);
    int solids = sequence->body_count + sequence->obstacle_count;
    sequence->solids = calloc((size_t)solids + 1, sizeof *sequence->solids);
    bool good = sequence->sections && sequence->solids;
    for (int i = 0; good && i < solids; i++) {
        good = keyframes_make(&sequence->solids[i], 1, sequence->count);
    }
    return good ? CORD_OK : sequence_no_memory(message);
}

CordResult sequence_begin(Sequence* sequence, const CordFrames* frames, const CordExportDef* def,
                          CordMessage* message)
{
    int total = def->last - def->first + 1;
    *sequence = (Sequence){.frames = frames, .def = def, .low = {1, 1, 1}, .high = {-1, -1, -1}};
    sequence->picture = def->picture ? *def->picture : cord_picture_def_default();
    sequence->time = calloc((size_t)total, sizeof *sequence->time);
    if (!sequence->time) {
        return sequence_no_memory(message);
    }
    CORD_TRY(add_frames(sequence, total, message));
    return settle(sequence, message);
}

void sequence_end(Sequence* sequence)
{
    for (int r = 0; r < sequence->rod_count; r++) {
        tube_plan_free(&sequence->rods[r]);
    }
    for (int i = 0; sequence->solids && i < sequence->body_count + sequence->obstacle_count; i++) {
        keyframes_free(&sequence->solids[i]);
    }
    free(sequence->rods);
    free(sequence->solids);
    free(sequence->sections);
    free(sequence->time);
    picture_curves_free(&sequence->curves);
    *sequence = (Sequence){0};
}
