// Output files, which take their place only when they are whole, and exports of several files.
#ifndef CORD_EXPORT_OUTPUT_H
#define CORD_EXPORT_OUTPUT_H

#include "export/export.h"

// Why a file could not be made or written, from errno, as part of a sentence: "the disk is full; make room".
const char* output_error_text(const char* path, int error);

// A file that is written as PATH.part and then renamed, so that a failure or a kill leaves the old file as it
// was. A path that is not a regular file (a pipe, /dev/stdout) is written in place. The path "-" is standard
// output.
typedef struct Output {
    FILE* file;
    char* path; // where it will be
    char* part; // where it is being written; NULL: in place
} Output;

CordResult output_open(Output* out, const char* path, CordMessage* message);
// Renames the file to its path. Reports write errors that happened since output_open.
CordResult output_close(Output* out, CordMessage* message);
void output_abandon(Output* out); // removes what was written
// Closes the file if `result` is CORD_OK, abandons it otherwise, and returns the first failure.
CordResult output_finish(Output* out, CordResult result, CordMessage* message);

// All bytes of a file, and a zero after them; the caller frees them. NULL: errno says why.
char* input_read(const char* path, size_t most, size_t* size);

// An export of several files is NAME.ENDING, which the user opens, and a directory NAME beside it.

// The directory that goes with a path: the path without the ending. The caller frees it. Fails if the path
// does not name a file.
CordResult output_folder(const CordExportDef* def, const char* ending, char** directory,
                         CordMessage* message);
CordResult output_folder_make(const char* directory, CordMessage* message); // may exist already
const char* output_folder_name(const char* directory);                      // the last part of its path
// Opens the file whose path is `directory` followed by `ending`: "/points.bin" is inside, ".py" beside it.
CordResult output_open_in(const char* directory, const char* ending, Output* out, CordMessage* message);

#endif
