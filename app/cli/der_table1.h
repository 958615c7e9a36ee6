// DER, table 1: what a step of each figure's scene costs, phase by phase.
#ifndef CORDAGE_CLI_DER_TABLE1_H
#define CORDAGE_CLI_DER_TABLE1_H

#include <stdbool.h>

enum { TABLE1_ROWS = 9 };

typedef struct Table1Cost {
    int figure;
    int vertices;
    double step; // length of a step [s]
    // Of one step [s]; NAN: the paper gives none.
    double forces, contact, frames, projection, total;
} Table1Cost;

const Table1Cost* table1_paper(int row);

// Of the shipped scene, in the paper's steps or the longest stable ones. lengths: how they are kept, as in "length_method" of
// scenes; NULL: the default. False: it failed, and that was said.
bool table1_measure(int row, const char* lengths, Table1Cost* cost);

#endif
