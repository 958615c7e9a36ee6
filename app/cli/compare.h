// The parts of `cordage compare`: variants of a scene, the runs of each, and how they differ.
#ifndef CORDAGE_CLI_COMPARE_H
#define CORDAGE_CLI_COMPARE_H

#include "report.h"
#include "runner.h"
#include "simulation.h"

// ---- compare_variant.c: what --models names

enum { VARIANTS_MOST = 8, VARIANT_NAME_MOST = 24 }; // as many as pictures have colours

typedef struct Variant {
    char name[VARIANT_NAME_MOST]; // unique; used in tables, plots and file names
    const char* model;            // NULL: the model that the scene gives each rod
    OptionList settings;          // common ones, then the model, then its own
    int own;                      // number of its own settings, the last ones
} Variant;

typedef struct VariantList {
    Variant items[VARIANTS_MOST];
    int count;
} VariantList;

// Reads "MODEL,NAME=MODEL:PATH=VALUE:PATH=VALUE,...". Commas and colons within brackets, braces or quotes
// belong to the value. NULL stands for every model. `common` are the settings of all variants. Returns an
// exit status; an error has been reported. The list must be freed in any case.
int variant_list_parse(VariantList* list, const char* text, const OptionList* common);
void variant_list_free(VariantList* list);

// ---- compare_difference.c: the distance of two frames

typedef struct Difference {
    double largest, rms;     // distance of nodes [m]
    double share, rms_share; // the same, divided by the length of the rod
    int rod;                 // with the largest share
    double twist;            // largest difference of twist; set by the caller [turns]
} Difference;

// Rods with the same nodes are compared node by node. Otherwise the nodes of the finer rod are compared with
// the points of the other at the same rest length from the start, or at the same share of the length if the
// frames have no rest lengths. Networks with different numbers of nodes are left out. Both frames must have
// the same number of rods; lengths [m] (rod_count).
Difference difference_of(const CordFrame* a, const CordFrame* b, const double* lengths);

// ---- compare_overlay.c: the rods of several worlds in one picture

typedef struct Overlay {
    double time; // [s]
    int rod_count, edge_count, node_count, body_count;
    CordFrameRod* rods;    // (rod_count)
    CordVec3* x;           // [m] (node_count)
    CordVec3* m1;          // (edge_count)
    double* radius;        // [m] (edge_count)
    int* ends;             // the nodes of each edge (2 edge_count)
    CordFrameBody* bodies; // (body_count)
    CordPictureGroup groups[VARIANTS_MOST];
    int group_count;
} Overlay;

// Copies what the picture shows of the frames, one for each variant; NULL: the variant has none.
void overlay_make(Overlay* overlay, const CordFrame* const* frames, const VariantList* variants);
void overlay_free(Overlay* overlay);

// Draws them with the obstacles of `stage`. False: a warning has been printed.
bool overlay_draw(const Overlay* overlay, const CordFrame* stage, const CordSceneCamera* camera,
                  const char* path);

// ---- compare.c: the runs

// Two shapes differ visibly if a node is off by more than this share of the rod's length.
#define COMPARE_SHARE 0.01

typedef struct CompareRow { // one run at one frame
    double time;            // [s]
    CordEnergy energy;      // of rods and bodies
    double twist;           // of all rods [turns]
    bool compared;          // false: the reference has not got there
    Difference difference;  // from the reference
} CompareRow;

typedef enum CompareState {
    COMPARE_REFUSED, // the model does not support the scene
    COMPARE_DONE,
    COMPARE_STOPPED, // a step failed, or a frame could not be recorded
    COMPARE_DIVERGED,
    COMPARE_INTERRUPTED,
} CompareState;

typedef struct CompareRun {
    const Variant* variant;
    CompareState state;
    char message[1200]; // why it was refused or stopped
    Simulation sim;
    CordRecorder* recorder;
    char path[LIBRARY_PATH_MOST]; // of the recording; "": none
    RunnerDef def;
    Runner runner;
    RunnerReport report;
    bool at_frame;    // it has just reached a frame
    CompareRow* rows; // (row_count)
    int row_count;
    double gap;          // least gap at any frame [m]; INFINITY: contact is off, or nothing is near
    Difference largest;  // at any frame
    double largest_time; // [s]; NAN: nothing was compared
    double over_time;    // of the first difference beyond COMPARE_SHARE [s]; NAN: none
    Report last;         // of the final state; its rods are NULL if there is none
} CompareRun;

typedef struct Compare {
    const char* title;
    char scene[LIBRARY_PATH_MOST];
    char directory[LIBRARY_PATH_MOST];
    double end, fps; // [s], frames per simulated second
    VariantList variants;
    CompareRun runs[VARIANTS_MOST]; // (variants.count)
    int reference;                  // index of the first run that is not refused
} Compare;

static inline const CompareRun* compare_reference(const Compare* c)
{
    return &c->runs[c->reference];
}

// ---- compare_print.c: to standard output

void compare_print_table(const Compare* c);
void compare_print_json(const Compare* c);

// ---- compare_plot.c: compare.csv and its plot. False: an error has been reported

bool compare_write(const Compare* c);
bool compare_plot(const Compare* c, bool quiet);

#endif
