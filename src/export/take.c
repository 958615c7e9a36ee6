#include "export/take.h"

#include "export/picture_math.h"
#include "export/writer.h"

#include <stdlib.h>

static void place_rods(Take* take, const CordFrame* frame) // in the curves, which hidden rods are not among
{
    for (int r = 0, edge = 0; r < take->rod_count && r < frame->rod_count; r++) {
        take->rods[r].first_edge = edge;
        edge += take->rods[r].hidden ? 0 : frame->rods[r].edge_count;
    }
}

CordResult take_read(Take* take, int index, CordFrame* frame, CordMessage* message)
{
    CORD_TRY(take->frames->read(take->frames->user, take->def->first + index, frame, message));
    picture_curves_free(&take->curves);
    place_rods(take, frame);
    return ring_curves(frame, &take->curves, message);
}

const Ring* take_rings(Take* take, const CordFrame* frame, int rod)
{
    rod_rings_fill(&take->rods[rod], frame, &take->curves, take->rings);
    return take->rings;
}

int take_group(const Take* take, int rod)
{
    const CordPictureDef* picture = &take->picture;
    return picture_rod_group(picture->groups, picture->groups ? picture->group_count : 0, rod);
}

// ---------------------------------------------------------------------------------------------------- looking at all frames

static CordResult no_memory(CordMessage* message)
{
    return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to export these frames");
}

static CordResult see_first(Take* take, const CordFrame* frame, CordMessage* message)
{
    take->body_count = frame->body_count;
    take->obstacle_count = frame->obstacle_count;
    take->surface_count = frame->surface_count;
    take->floor = picture_obstacle_floor(frame);
    take->rods = calloc((size_t)frame->rod_count + 1, sizeof *take->rods);
    if (!take->rods) {
        return no_memory(message);
    }
    for (int r = 0; r < frame->rod_count; r++) {
        take->rod_count++;
        CORD_TRY(rod_rings_begin(&take->rods[r], frame, r, message));
    }
    place_rods(take, frame);
    return CORD_OK;
}

static CordResult see_frame(Take* take, const CordFrame* frame, CordMessage* message)
{
    if (frame->rod_count != take->rod_count || frame->body_count != take->body_count ||
        frame->obstacle_count != take->obstacle_count || frame->surface_count != take->surface_count) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "the frame at t = %g s has other rods, bodies, obstacles or surfaces than the first; "
                           "choose frames that have the same ones, with --frames",
                           frame->time);
    }
    for (int r = 0; r < take->rod_count; r++) {
        CORD_TRY(rod_rings_see(&take->rods[r], frame, &take->curves, message));
    }
    picture_bounds(frame, 1.0, &take->low, &take->high);
    return CORD_OK;
}

static CordResult see_all(Take* take, int total, CordMessage* message)
{
    for (int k = 0; k < total; k++) {
        CordFrame frame;
        CORD_TRY(take_read(take, k, &frame, message));
        if (k == 0) {
            CORD_TRY(see_first(take, &frame, message));
        }
        CORD_TRY(see_frame(take, &frame, message));
        take->time[k] = frame.time;
        take->count = k + 1;
        if (!export_progress(take->def, 0, total)) {
            break;
        }
    }
    return CORD_OK;
}

// Players want times that grow, as the floats that they are stored as. Along a branch time may run back.
static void settle_times(Take* take)
{
    double start = take->time[0];
    take->counted = take->frames->recording && cord_recording_is_branch(take->frames->recording);
    for (int k = 0; k < take->count; k++) {
        take->time[k] -= start;
        take->counted = take->counted || (k > 0 && !((float)take->time[k] > (float)take->time[k - 1]));
    }
    for (int k = 0; take->counted && k < take->count; k++) {
        take->time[k] = k * TAKE_COUNTED;
    }
}

static CordResult settle(Take* take, CordMessage* message)
{
    int most = 0;
    settle_times(take);
    for (int r = 0; r < take->rod_count; r++) {
        rod_rings_settle(&take->rods[r]);
        most = take->rods[r].count > most ? take->rods[r].count : most;
    }
    if (take->low.x > take->high.x) { // nothing but planes
        take->low = (CordVec3){-0.5, -0.5, -0.5};
        take->high = (CordVec3){0.5, 0.5, 0.5};
    }
    picture_place(&take->picture, take->low, take->high);
    take->rings = calloc((size_t)most + 1, sizeof *take->rings);
    return take->rings ? CORD_OK : no_memory(message);
}

CordResult take_begin(Take* take, const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    int total = def->last - def->first + 1;
    *take = (Take){.frames = frames, .def = def, .low = {1, 1, 1}, .high = {-1, -1, -1}};
    take->picture = def->picture ? *def->picture : cord_picture_def_default();
    take->time = calloc((size_t)total, sizeof *take->time);
    if (!take->time) {
        return no_memory(message);
    }
    CORD_TRY(see_all(take, total, message));
    return settle(take, message);
}

void take_end(Take* take)
{
    for (int r = 0; r < take->rod_count; r++) {
        rod_rings_free(&take->rods[r]);
    }
    free(take->rods);
    free(take->rings);
    free(take->time);
    picture_curves_free(&take->curves);
    *take = (Take){0};
}
