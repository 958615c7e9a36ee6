// Blender: NAME.py, a script that builds a scene of the run, and a directory NAME with its numbers.
#include "export/blender.h"

#include "export/export.h"
#include "export/output.h"
#include "export/text.h"

#include <stdlib.h>

typedef struct BlenderExport {
    char* directory;
    Sequence sequence;
    BlenderCaches caches;
    BlenderMaterials materials;
    Output data, script;
    BlenderNumbers numbers; // of the data
    FILE* objects;          // the list of objects in the script
    char* text;
    size_t text_size;
} BlenderExport;

static CordResult export_begin(BlenderExport* e, CordMessage* message)
{
    CORD_TRY(output_open_in(e->directory, ".py", &e->script, message));
    CORD_TRY(output_folder_make(e->directory, message));
    CORD_TRY(output_open_in(e->directory, "/meshes.bin", &e->data, message));
    e->numbers = (BlenderNumbers){.file = e->data.file};
    e->objects = open_memstream(&e->text, &e->text_size);
    return e->objects ? CORD_OK : sequence_no_memory(message);
}

// ---- meshes

static int cache_material(BlenderExport* e, const BlenderCache* c, const CordFrame* frame)
{
    const CordFrameSurface* surface = c->surfaces ? &frame->surfaces[c->members[0]] : NULL;
    int rod = surface ? surface->rod : c->members[0], group = sequence_group(&e->sequence, rod);
    bool textured = !surface && !e->sequence.rods[rod].network;
    uint32_t first = picture_stage_pair(group, surface && !surface->hides ? 1 : 0);
    return blender_material(&e->materials, first, textured ? picture_stage_pair(group, 1) : first);
}

static void put_name(FILE* script, const char* name)
{
    fputs("    {\"name\": ", script);
    text_python(script, name, false);
    fputs(", ", script);
}

static void put_cache(BlenderExport* e, const BlenderCache* c, const CordFrame* frame)
{
    char many[32];
    snprintf(many, sizeof many, "%d %s", c->count, c->surfaces ? "surfaces" : "rods");
    put_name(e->objects, c->count > 1  ? many
                         : c->surfaces ? frame->surfaces[c->members[0]].name
                                       : frame->rods[c->members[0]].name);
    BlenderPart part = blender_part(&e->numbers, "points");
    blender_cache_points(c, &e->sequence, frame, &e->numbers);
    blender_part_end(&e->numbers, part, e->objects);
    blender_cache_faces(&e->numbers, c, frame, e->objects);
    if (e->sequence.count > 1) {
        fprintf(e->objects, "\"cache\": \"%s\", ", c->file);
    }
    fprintf(e->objects, "\"materials\": [%d]},\n", cache_material(e, c, frame));
}

static CordResult put_caches(BlenderExport* e, CordMessage* message)
{
    CordFrame frame;
    CORD_TRY(sequence_read(&e->sequence, 0, &frame, message));
    if (!blender_caches_make(&e->caches, &e->sequence, &frame)) {
        return sequence_no_memory(message);
    }
    for (int i = 0; i < e->caches.count; i++) {
        put_cache(e, &e->caches.list[i], &frame);
        CORD_TRY(e->sequence.count > 1
                     ? blender_cache_open(&e->caches.list[i], &e->sequence, e->directory, message)
                     : CORD_OK);
    }
    return CORD_OK;
}

// Written after all frames were read, because the poses are known then.
static CordResult put_solids(BlenderExport* e, const CordFrame* frame, CordMessage* message)
{
    for (int i = 0; i < e->sequence.body_count + e->sequence.obstacle_count; i++) {
        SolidModel model;
        if (!solid_model_make(&model, frame, i, e->sequence.low, e->sequence.high,
                              2 * e->sequence.def->sides)) {
            return sequence_no_memory(message);
        }
        if (model.mesh.face_count > 0) {
            put_name(e->objects, model.name);
            blender_solid(&e->numbers, &model, e->objects);
            blender_poses(&e->numbers, &e->sequence.solids[i], e->sequence.count, e->objects);
            fprintf(e->objects, "\"materials\": [%d, %d]},\n",
                    blender_material(&e->materials, model.colors[0], model.colors[0]),
                    blender_material(&e->materials, model.colors[1], model.colors[1]));
        }
        solid_model_free(&model);
    }
    return CORD_OK;
}

// ---- frames

static void add_frame(BlenderExport* e, const CordFrame* frame, int k)
{
    for (int i = 0; i < e->caches.count; i++) {
        BlenderCache* c = &e->caches.list[i];
        if (c->out.file) {
            blender_cache_points(c, &e->sequence, frame, &c->numbers);
            e->numbers.not_finite = e->numbers.not_finite || c->numbers.not_finite;
        }
    }
    sequence_pose_solids(&e->sequence, frame, k);
}

static bool files_fail(const BlenderExport* e)
{
    bool fail = ferror(e->data.file) != 0;
    for (int i = 0; i < e->caches.count; i++) {
        const Output* out = &e->caches.list[i].out;
        fail = fail || (out->file && ferror(out->file) != 0);
    }
    return fail;
}

// Leaves the last frame that was read, for its names and meshes.
static CordResult read_frames(BlenderExport* e, CordFrame* frame, CordMessage* message)
{
    int total = e->sequence.count;
    for (int k = 0; k < total && !files_fail(e); k++) {
        CORD_TRY(sequence_read(&e->sequence, k, frame, message));
        add_frame(e, frame, k);
        if (!export_progress(e->sequence.def, k + 1, total)) {
            e->sequence.count = k + 1;
        }
        total = e->sequence.count;
    }
    return CORD_OK;
}

// ---- the export

// The script is closed last, so that everything it needs exists when it does.
static CordResult close_files(BlenderExport* e, CordMessage* message)
{
    if (e->numbers.not_finite) {
        return sequence_not_finite(message);
    }
    for (int i = 0; i < e->caches.count; i++) {
        BlenderCache* c = &e->caches.list[i];
        CORD_TRY(c->out.file ? blender_cache_close(c, e->sequence.count, message) : CORD_OK);
    }
    CORD_TRY(output_close(&e->data, message));
    bool good = fflush(e->objects) == 0 && !ferror(e->objects) && !e->materials.no_memory;
    if (!good) {
        return sequence_no_memory(message);
    }
    blender_script(e->script.file, &e->sequence, &e->materials, e->text, e->directory);
    return output_close(&e->script, message);
}

static CordResult export_frames(BlenderExport* e, const CordFrames* frames, const CordExportDef* def,
                                CordMessage* message)
{
    CordFrame frame;
    CORD_TRY(sequence_begin(&e->sequence, frames, def, message));
    CORD_TRY(export_begin(e, message));
    CORD_TRY(put_caches(e, message));
    CORD_TRY(read_frames(e, &frame, message));
    CORD_TRY(put_solids(e, &frame, message));
    return close_files(e, message);
}

static void export_end(BlenderExport* e)
{
    blender_caches_free(&e->caches);
    sequence_end(&e->sequence);
    if (e->objects) {
        fclose(e->objects);
    }
    free(e->text);
    free(e->materials.colors);
    output_abandon(&e->data);
    output_abandon(&e->script);
    free(e->directory);
}

static CordResult blender_export(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    BlenderExport e = {0};
    CORD_TRY(output_folder(def, ".py", &e.directory, message));
    CordResult result = export_frames(&e, frames, def, message);
    export_end(&e);
    return result;
}

const ExportWriter export_blender = {
    .format = {"blender", "NAME.py, a script that makes a scene of the run in Blender, and a directory NAME "
                          "with its meshes and caches"},
    .write = blender_export,
};
