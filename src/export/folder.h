// Exports of several files: NAME.ENDING, which is the one to open, and beside it a directory NAME with the
// rest.
#ifndef CORD_EXPORT_FOLDER_H
#define CORD_EXPORT_FOLDER_H

#include "export/export.h"

// The directory that goes with a path, which is it without the ending; the caller frees it. Fails if the path
// names no file.
CordResult folder_of(const CordExportDef* def, const char* ending, char** directory, CordMessage* message);
CordResult folder_make(const char* directory, CordMessage* message); // one that is there will do
CordResult folder_open(const char* directory, const char* ending, Output* out,
                       CordMessage* message);   // a file: "/points.bin" is within it, ".py" beside it
const char* folder_name(const char* directory); // its last part

#endif
