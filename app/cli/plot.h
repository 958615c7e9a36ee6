// Plots made by gnuplot, and files beside them.
#ifndef CORDAGE_CLI_PLOT_H
#define CORDAGE_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

// Opens a file for writing in a directory of results, which is made if needed. NULL: an error has been
// reported.
FILE* plot_file(const char* directory, const char* name);

typedef struct Plot {
    const char* directory;
    const char* name;
    bool quiet; // report failures only
} Plot;

// The caller writes the script, without terminal and output, to the file from plot_open. plot_close draws it.
FILE* plot_open(const Plot* plot);
bool plot_close(const Plot* plot, FILE* script);

// Draws NAME.svg and NAME.png from NAME.gnuplot. False: gnuplot is missing or failed, and a warning has been
// printed.
bool plot_draw(const Plot* plot);

#endif
