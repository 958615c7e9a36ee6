#include "export/export.h"

#include <string.h>

static const ExportWriter* const writers[] = {&export_csv,     &export_vtk,  &export_obj, &export_glb,
                                              &export_blender, &export_reel, &export_html};
#define WRITER_COUNT ((int)(sizeof writers / sizeof writers[0]))

const char* cord_io_features(void)
{
    static const char features[] = ""
#ifdef CORD_HDF5
                                   " hdf5"
#endif
#ifdef CORD_EMBREE
                                   " embree"
#endif
#ifdef CORD_PNG
                                   " png"
#endif
        ;
    return features[0] == ' ' ? features + 1 : features;
}

int cord_export_format_count(void)
{
    return WRITER_COUNT;
}

const CordExportFormat* cord_export_format(int index)
{
    return index >= 0 && index < WRITER_COUNT ? &writers[index]->format : NULL;
}

const char* cord_export_table_name(CordExportTable table)
{
    static const char* const names[CORD_TABLE_COUNT] = {
        [CORD_TABLE_NODES] = "nodes",         [CORD_TABLE_FORCES] = "forces",
        [CORD_TABLE_MOMENTS] = "moments",     [CORD_TABLE_BODIES] = "bodies",
        [CORD_TABLE_OBSTACLES] = "obstacles", [CORD_TABLE_CONTACTS] = "contacts",
        [CORD_TABLE_PROBES] = "probes",       [CORD_TABLE_BRANCH] = "branch",
        [CORD_TABLE_LEDGER] = "ledger"};
    return (int)table >= 0 && table < CORD_TABLE_COUNT ? names[table] : NULL;
}

CordExportDef cord_export_def_default(void)
{
    return (CordExportDef){.first = 0, .last = -1, .sides = 12};
}

bool export_progress(const CordExportDef* def, int done, int total)
{
    return !def->progress.update || def->progress.update(def->progress.user, done, total);
}

static CordResult fail_format(const char* name, CordMessage* message)
{
    char list[128] = "";
    for (int i = 0; i < WRITER_COUNT; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", writers[i]->format.name);
    }
    return export_fail(message, CORD_BAD_ARGUMENT, "there is no export format %s; choose one of %s",
                       name ? name : "(none)", list);
}

static CordResult check_frames(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    if (frames->count == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "there is no frame to export: the run ended before its first one");
    }
    if (def->first < 0 || def->first >= frames->count || def->last >= frames->count) {
        int wrong = def->first < 0 || def->first >= frames->count ? def->first : def->last;
        return export_fail(message, CORD_BAD_ARGUMENT, "there is no frame %d; frames go from 0 to %d", wrong,
                           frames->count - 1);
    }
    if (def->last < def->first) {
        return export_fail(message, CORD_BAD_ARGUMENT, "frames %d to %d are none; give the earlier one first",
                           def->first, def->last);
    }
    return CORD_OK;
}

static CordResult check_table(const ExportWriter* writer, const CordExportDef* def, CordMessage* message)
{
    const char* name = cord_export_table_name(def->table);
    if (!name) {
        return export_fail(message, CORD_BAD_ARGUMENT, "there is no table %d; they count from 0 to %d",
                           def->table, CORD_TABLE_COUNT - 1);
    }
    if (def->table != CORD_TABLE_NODES && writer != &export_csv) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "a table of %s can be exported to csv alone, not to %s", name, def->format);
    }
    return CORD_OK;
}

CordResult cord_export(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    const ExportWriter* writer = NULL;
    for (int i = 0; i < WRITER_COUNT && def->format; i++) {
        if (strcmp(writers[i]->format.name, def->format) == 0) {
            writer = writers[i];
        }
    }
    if (!writer) {
        return fail_format(def->format, message);
    }
    CordExportDef checked = *def;
    if (def->last == -1) {
        checked.last = frames->count - 1;
    }
    CORD_TRY(check_table(writer, def, message));
    bool live = def->live && (writer == &export_reel || writer == &export_html);
    if (def->table != CORD_TABLE_PROBES && !live) {
        CORD_TRY(check_frames(frames, &checked, message));
    }
    if (def->sides < 3 || def->sides > 1000) {
        return export_fail(message, CORD_BAD_ARGUMENT, "a tube of %d sides cannot be made; give 3 to 1000",
                           def->sides);
    }
    return writer->write(frames, &checked, message);
}

// ---- a world's frame

CordResult export_fail_world(CordMessage* message, CordResult result, const CordWorld* world)
{
    return export_fail(message, result, "%s", cord_world_message(world));
}

CordResult export_world_frame(CordWorld* world, CordFrame* frame, CordMessage* message)
{
    CordResult result = cord_world_frame(world, frame);
    return result == CORD_OK ? result : export_fail_world(message, result, world);
}

static CordResult world_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    if (index != 0) {
        return export_fail(message, CORD_BAD_ARGUMENT, "there is no frame %d; a world has one, frame 0",
                           index);
    }
    return export_world_frame(user, frame, message);
}

CordFrames cord_world_frames(CordWorld* world)
{
    return (CordFrames){.count = 1, .read = world_read, .user = world};
}
