// What the files of the harness share.
#ifndef CORDAGE_EXPERIMENTS_LAB_INSIDE_H
#define CORDAGE_EXPERIMENTS_LAB_INSIDE_H

#include "lab.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stddef.h>

enum {
    LAB_TEXTS = 8,
    LAB_TEXT_SIZE = 400,
    LAB_NODES = 3,
    LAB_TABLES_MOST = 8,
    LAB_SERIES = 32,
    LAB_SERIES_SIZE = 64
};

typedef struct LabRoom {
    struct LabRoom* next;
    alignas(max_align_t) unsigned char bytes[];
} LabRoom;

typedef struct LabWorld {
    struct LabWorld* next;
    CordWorld* world; // NULL: it was discarded
} LabWorld;

typedef struct LabNodes {
    CordVec3* x;
    int room;
} LabNodes;

typedef struct LabSheet { // what was written of a table
    FILE* csv;            // NULL: no row yet
    char series[LAB_SERIES][LAB_SERIES_SIZE];
    int series_count;
    double* values; // (row_count x column_count)
    int* of;        // the series of each row; -1: it has none (row_count)
    int row_count, column_count, room;
} LabSheet;

struct Lab {
    const LabHost* host;
    const Experiment* experiment;
    const char* directory;
    bool quick;
    int passed, failed;
    LabSheet sheets[LAB_TABLES_MOST]; // in the order of the experiment's tables
    LabRoom* rooms;
    LabWorld* worlds; // in rooms
    jmp_buf end;      // where the experiment goes when a call fails
    char texts[LAB_TEXTS][LAB_TEXT_SIZE];
    unsigned text;
    LabNodes nodes[LAB_NODES];
    unsigned node;
};

// the program ends where the experiment has no such table
int lab_table_index(const Lab* lab, const char* name);
// its number, from 1; 0: there is none
int lab_column(const LabTable* table, const char* name, size_t length);
bool lab_tables_close(Lab* lab); // false: something could not be written, and that was said
void lab_plot(Lab* lab);         // writes the script of the panels, and has it drawn

#endif
