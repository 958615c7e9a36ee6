// What all of export/ shares: failures with one sentence, and the table of an export format.
#ifndef CORD_EXPORT_EXPORT_H
#define CORD_EXPORT_EXPORT_H

#include "base/message.h"

#include <cordage/io.h>

#include <stdio.h>

// Formats the sentence (message may be NULL) and returns the result, so that a failure is one line.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CordResult
export_fail(CordMessage* message, CordResult result, const char* format, ...);

// Fails with the world's own sentence.
CordResult export_fail_world(CordMessage* message, CordResult result, const CordWorld* world);
// As cord_world_frame, with a message.
CordResult export_world_frame(CordWorld* world, CordFrame* frame, CordMessage* message);

// An export format; export.c lists them.
typedef struct ExportWriter {
    CordExportFormat format;
    // The def is checked: frames first <= last exist, and there are at least 3 sides.
    CordResult (*write)(const CordFrames* frames, const CordExportDef* def, CordMessage* message);
} ExportWriter;

extern const ExportWriter export_csv, export_vtk, export_obj, export_glb, export_blender, export_reel,
    export_html;

// Tells the caller that `done` of `total` frames are written; false: stop here.
bool export_progress(const CordExportDef* def, int done, int total);

#endif
