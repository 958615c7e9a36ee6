// Plots by gnuplot, and files beside them.
#ifndef CORDAGE_CLI_PLOT_H
#define CORDAGE_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

// A file in a directory of results, open for writing; NULL: it could not be made, and that was said.
FILE* plot_file(const char* directory, const char* name);

typedef struct Plot {
    const char* directory;
    const char* name;
    bool quiet; // if all goes well
} Plot;

// Write the script, without its terminal and output, to what plot_open gives; plot_close then draws it.
FILE* plot_open(const Plot* plot);
bool plot_close(const Plot* plot, FILE* script);

// Draws NAME.svg and NAME.png by the script NAME.gnuplot. Without gnuplot the script stays, and that is said,
// and false comes back.
bool plot_draw(const Plot* plot);

#endif
