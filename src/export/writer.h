// An export format: one table per file, listed in export.c.
#ifndef CORD_EXPORT_WRITER_H
#define CORD_EXPORT_WRITER_H

#include <cordage/io.h>

typedef struct ExportWriter {
    CordExportFormat format;
    // The def is checked: frames first <= last exist, sides are at least 3.
    CordResult (*write)(const CordFrames* frames, const CordExportDef* def, CordMessage* message);
} ExportWriter;

extern const ExportWriter export_csv, export_vtk, export_obj, export_glb, export_blender, export_reel,
    export_html;

// Tells the caller that `done` of `total` frames are written; false: stop here.
bool export_progress(const CordExportDef* def, int done, int total);

#endif
