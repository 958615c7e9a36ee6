// glTF 2.0 as one binary file: rods as skinned tubes, bodies, obstacles and surfaces, animated by the frames.
#include "export/gltf.h"

#include "export/export.h"
#include "export/output.h"
#include "export/tessellation.h"

#include <stdlib.h>

typedef struct GltfExport {
    Sequence sequence;
    GltfRod* rods;         // (sequence.rod_count)
    GltfSurface* surfaces; // (sequence.surface_count)
} GltfExport;

// Keyframes alone may exceed the limit, so this is reported before all frames are read. A joint has a
// position and a quaternion in each frame.
static CordResult check_size(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    CordFrame frame;
    double joints = 0.0, count = (double)def->last - def->first + 1.0;
    CORD_TRY(frames->read(frames->user, def->first, &frame, message));
    for (int r = 0; r < frame.rod_count; r++) {
        const CordFrameRod* rod = &frame.rods[r];
        joints += surface_hides(&frame, r) ? 0 : rod->network ? rod->edge_count : rod->node_count;
    }
    double bytes = 28.0 * joints * count;
    return count > 1.0 && bytes > UINT32_MAX ? gltf_too_large(bytes, message) : CORD_OK;
}

// ---- frames

static CordResult surfaces_begin(GltfExport* e, CordMessage* message)
{
    CordFrame rest;
    int index = e->sequence.count > 1 ? -e->sequence.def->first : 0; // a single frame is its own rest pose
    if (e->sequence.surface_count == 0) {
        return CORD_OK;
    }
    CORD_TRY(sequence_read(&e->sequence, index, &rest, message));
    if (rest.surface_count != e->sequence.surface_count) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "the recording's first frame has other surfaces than those to be exported; export one frame");
    }
    for (int i = 0; i < e->sequence.surface_count; i++) {
        CORD_TRY(gltf_surface_begin(&e->surfaces[i], &e->sequence, &rest, i, message));
    }
    return CORD_OK;
}

static CordResult export_begin(GltfExport* e, CordMessage* message)
{
    e->rods = calloc((size_t)e->sequence.rod_count + 1, sizeof *e->rods);
    e->surfaces = calloc((size_t)e->sequence.surface_count + 1, sizeof *e->surfaces);
    if (!e->rods || !e->surfaces) {
        return sequence_no_memory(message);
    }
    CORD_TRY(surfaces_begin(e, message));
    CordFrame frame;
    CORD_TRY(sequence_read(&e->sequence, 0, &frame, message));
    for (int r = 0; r < e->sequence.rod_count; r++) {
        CORD_TRY(gltf_rod_begin(&e->rods[r], &e->sequence, &frame, r, message));
    }
    return CORD_OK;
}

static void add_frame(GltfExport* e, const CordFrame* frame, int k)
{
    for (int r = 0; r < e->sequence.rod_count; r++) {
        gltf_rod_add_frame(&e->rods[r], &e->sequence, frame, r, k);
    }
    sequence_pose_solids(&e->sequence, frame, k);
    for (int i = 0; i < e->sequence.surface_count; i++) {
        gltf_surface_add_frame(&e->surfaces[i], frame, i, k);
    }
}

// Leaves the last frame that was read, for its names and meshes.
static CordResult read_frames(GltfExport* e, CordFrame* frame, CordMessage* message)
{
    int total = e->sequence.count;
    for (int k = 0; k < total; k++) {
        CORD_TRY(sequence_read(&e->sequence, k, frame, message));
        add_frame(e, frame, k);
        if (!export_progress(e->sequence.def, k + 1, total) && k > 0) {
            e->sequence.count = k + 1;
            break;
        }
    }
    return CORD_OK;
}

static void export_end(GltfExport* e)
{
    for (int r = 0; e->rods && r < e->sequence.rod_count; r++) {
        gltf_rod_free(&e->rods[r]);
    }
    for (int i = 0; e->surfaces && i < e->sequence.surface_count; i++) {
        gltf_surface_free(&e->surfaces[i]);
    }
    free(e->rods);
    free(e->surfaces);
    sequence_end(&e->sequence);
}

// ---- the file

static bool put_all(Gltf* g, const GltfExport* e, const CordFrame* frame)
{
    const Sequence* sequence = &e->sequence;
    int times = sequence->count > 1 ? gltf_times(g, sequence) : -1;
    bool good = true;
    for (int r = 0; good && r < sequence->rod_count; r++) {
        good = gltf_rod_write(g, &e->rods[r], sequence, frame, r, times);
    }
    for (int i = 0; good && i < sequence->body_count + sequence->obstacle_count; i++) {
        good = gltf_solid_write(g, sequence, frame, i, times);
    }
    for (int i = 0; good && i < sequence->surface_count; i++) {
        gltf_surface_write(g, &e->surfaces[i], sequence, frame, i, times);
    }
    return good;
}

static CordResult write_glb(const GltfExport* e, const CordFrame* frame, FILE* file, CordMessage* message)
{
    Gltf g;
    if (!gltf_open(&g)) {
        return sequence_no_memory(message);
    }
    CordResult result = put_all(&g, e, frame) ? CORD_OK : sequence_no_memory(message);
    if (result == CORD_OK && g.lists[GLTF_MESHES].count == 0) {
        result = export_fail(message, CORD_BAD_ARGUMENT, "there is nothing to be seen in these frames");
    }
    if (result == CORD_OK) {
        result = gltf_write(&g, output_folder_name(e->sequence.def->path), file, message);
    }
    gltf_close(&g);
    return result;
}

static CordResult export_frames(GltfExport* e, const CordFrames* frames, const CordExportDef* def, FILE* file,
                                CordMessage* message)
{
    CordFrame frame;
    CORD_TRY(check_size(frames, def, message));
    CORD_TRY(sequence_begin(&e->sequence, frames, def, message));
    CORD_TRY(export_begin(e, message));
    CORD_TRY(read_frames(e, &frame, message));
    return write_glb(e, &frame, file, message);
}

static CordResult gltf_export(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    Output out;
    GltfExport e = {0};
    CORD_TRY(output_open(&out, def->path, message));
    CordResult result = export_frames(&e, frames, def, out.file, message);
    export_end(&e);
    return output_finish(&out, result, message);
}

const ExportWriter export_glb = {
    .format = {"glb", "glTF 2.0, for viewers, game engines and the web: rods as skinned tubes that move, "
                      "bodies, obstacles, surfaces"},
    .write = gltf_export,
};
