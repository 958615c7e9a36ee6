// Exports of a small recording, and their files as text.
#ifndef CORD_TEST_EXPORT_TEXT_H
#define CORD_TEST_EXPORT_TEXT_H

#include "record_scene.h"

enum { EXPORT_FRAMES = 4 };

static inline CordRecording* export_recording(void)
{
    const char* path = record_path("run.h5");
    if (record_size(path) < 0) {
        RecordRun run = record_start(path);
        record_frames(&run, EXPORT_FRAMES);
        record_end(&run);
    }
    return record_read(path);
}

static inline char* export_load(const char* path) // the caller frees it
{
    long size = record_size(path);
    CHECK(size >= 0);
    char* text = malloc((size_t)size + 1);
    FILE* file = fopen(path, "rb");
    CHECK(text && file && fread(text, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    text[size] = '\0';
    return text;
}

static inline CordExportDef export_def(const char* format, const char* path)
{
    CordExportDef def = cord_export_def_default();
    def.format = format;
    def.path = path;
    return def;
}

static inline void export_check_refused(const CordFrames* frames, const CordExportDef* def, const char* text)
{
    CordMessage message = {""};
    CHECK(cord_export(frames, def, &message) != CORD_OK);
    CHECK_CONTAINS(message.text, text);
}

typedef struct ExportStop {
    int calls, last_done, last_total;
    int stop_after; // calls
} ExportStop;

static inline bool export_count(void* user, int done, int total)
{
    ExportStop* stop = user;
    stop->calls++;
    stop->last_done = done;
    stop->last_total = total;
    return stop->calls < stop->stop_after;
}

#endif
