// The harness of the experiments: worlds from shipped scenes, tables, comparisons that decide pass or fail,
// plots as data.
//
// An experiment is a const at the foot of its file; list.c has them all. The program lists and runs them with
// lab_experiment and lab_run; everything else here is for the experiments.
//
// The first call that fails ends the experiment: its message is printed, and the function that made it does
// not return. So no experiment checks results. Only comparisons go on after a failure.
#ifndef CORDAGE_EXPERIMENTS_LAB_H
#define CORDAGE_EXPERIMENTS_LAB_H

#include <cordage/adapt.h>
#include <cordage/contact.h>
#include <cordage/math.h>
#include <cordage/modal.h>

#include <stdbool.h>
#include <stdio.h>

#if defined(__GNUC__)
#define LAB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LAB_PRINTF(text, first)
#endif

typedef struct Lab Lab; // one experiment that runs

// ---- experiments

typedef enum LabCost {
    LAB_SHORT,
    LAB_LONG,   // has a quick form, by lab_pick
    LAB_TIMING, // wants a machine that does nothing else
} LabCost;

typedef struct LabTable {
    const char* name;    // of the file ID-NAME.csv; "": ID.csv
    const char* columns; // names, with units in brackets, separated by commas: "model,time [s],nodes"
    bool shown;          // its rows are printed, too
} LabTable;

// A curve of a plot. Columns go by their names without units; a formula has them in braces: "100*{error}".
typedef struct LabCurve {
    const char* table; // NULL: y is a formula of x
    const char* only;  // a series, by its name in the first column; NULL: all rows; LAB_EACH: one curve each
    const char* where; // a formula that is true for the rows it shows; NULL: all
    const char *x, *y; // x NULL: the bars of a histogram, named by the first column
    // gnuplot's style; NULL: lines. Without a colour in it, the next of the palette is taken
    const char* with;
    const char* title; // NULL: none; of LAB_EACH: the series' names
    bool right;        // y is on the right axis
} LabCurve;

#define LAB_EACH "*"

// A curve of one series (NULL: of all rows), and of the rows for which a formula is true.
#define LAB_CURVE(sheet, series, x, y, style, name) LAB_CURVE_WHERE(sheet, series, NULL, x, y, style, name)
#define LAB_CURVE_WHERE(sheet, series, formula, x, y, style, name)                                           \
    {                                                                                                        \
        sheet, series, formula, x, y, style, name, false                                                     \
    }

typedef struct LabPanel {
    const char *title, *x, *y, *right; // labels; NULL: none
    const char* set;                   // ranges, scales and the like, as gnuplot's commands; NULL: none
    const LabCurve* curves;            // the last has no y
} LabPanel;

// Lists as the fields below take them.
#define LAB_TABLES(...) ((const LabTable[]){__VA_ARGS__, {.name = NULL}})
#define LAB_CURVES(...) ((const LabCurve[]){__VA_ARGS__, {.y = NULL}})
#define LAB_PANELS(...) ((const LabPanel[]){__VA_ARGS__, {.curves = NULL}})

typedef struct Experiment {
    const char* id;
    const char* about;
    const char* source; // of what it compares with, where a comparison names no other
    LabCost cost;
    void (*run)(Lab* lab);
    const LabTable* tables; // the last has no name; NULL: none
    const LabPanel* panels; // of ID.svg and ID.png; the last has no curves; NULL: none
    const char* layout;     // of the panels: "rows,columns"; "": each sets its own place; NULL: there is one
} Experiment;

// What the program lends to the experiments.
typedef struct LabHost {
    // A shipped scene's world. NULL: it could not be made, and that was said.
    CordWorld* (*open)(const CordWorldDef* hooks, const char* scene, const char* const* settings,
                       int setting_count);
    // for writing; NULL: it cannot be, and that was said
    FILE* (*file)(const char* directory, const char* name);
    void (*plot)(const char* directory, const char* name);  // draws NAME.gnuplot, and says so
    void (*note)(const char* format, ...) LAB_PRINTF(1, 2); // to standard error
    double (*clock)(void);                                  // of the wall [s]
    double (*cpu_clock)(void);                              // of the processor's time [s]
    // Time of some steps, at its best of several rounds, each from the same state [s]; NAN: they failed.
    double (*time)(CordWorld* world, double h, int steps, int rounds, int threads);
    CordModalHooks modal;
} LabHost;

const Experiment* lab_experiment(int index); // NULL: there are no more
// true: it passed
bool lab_run(const LabHost* host, const Experiment* experiment, const char* directory, bool quick);

// Runs a part of an experiment, for its worlds and timings alone. False: it failed, and that was said.
bool lab_try(const LabHost* host, void (*part)(Lab* lab, void* context), void* context);

// ---- worlds

#define LAB_AS_SHIPPED "%s", "" // no settings

typedef enum LabTimed { // the phases of a world's steps, which costs a little
    LAB_UNTIMED,
    LAB_BY_WALL,
    LAB_BY_CPU, // other programs on the machine count little
} LabTimed;

// A shipped scene's world with settings as --set takes them, separated by semicolons; lab_world's is timed by
// the clock on the wall. The lab destroys its worlds when the experiment ends.
CordWorld* lab_world(Lab* lab, const char* scene, const char* settings, ...) LAB_PRINTF(3, 4);
CordWorld* lab_world_timed(Lab* lab, LabTimed timed, const char* scene, const char* settings, ...)
    LAB_PRINTF(4, 5);
CordWorld* lab_world_empty(Lab* lab, CordVec3 gravity, LabTimed timed); // nothing is in it

void lab_adopt(Lab* lab, CordWorld* world);   // a world that was made elsewhere; NULL: that failed
void lab_discard(Lab* lab, CordWorld* world); // before the experiment ends

// Ends the experiment with the world's message if a call did not succeed.
void lab_ok(Lab* lab, const CordWorld* world, CordResult result);
void lab_steps(Lab* lab, CordWorld* world, double h, int count);
void lab_solve(Lab* lab, CordWorld* world); // for an equilibrium

CordRodId lab_rod(Lab* lab, CordWorld* world, const CordRodDef* def);
CordLoadId lab_load(Lab* lab, CordWorld* world, const CordLoadDef* def);
CordClampId lab_clamp(Lab* lab, CordWorld* world, CordRodId rod, CordPlace at, CordFix fix);

typedef struct LabState { // of a world; {0} at first
    void* bytes;
    size_t size;
} LabState;

void lab_keep(Lab* lab, CordWorld* world, LabState* state);
void lab_restore(Lab* lab, CordWorld* world, const LabState* state);

const CordVec3* lab_nodes(Lab* lab, const CordWorld* world, int rod);   // there until the third call from now
CordVec3 lab_node(Lab* lab, const CordWorld* world, int rod, int node); // -1: the last
double lab_radius(CordWorld* world);                                    // of the first edge [m]
double lab_overlap(const CordWorld* world, double radius); // the deepest at this moment, over the radius

// By their numbers in the world: the reaction of a clamp, the force on an obstacle, both [N], and the first
// three values of a probe.
CordVec3 lab_reaction(const CordWorld* world, int clamp);
CordVec3 lab_obstacle_force(const CordWorld* world, int obstacle);
CordVec3 lab_probe(const CordWorld* world, int probe);

// Contact as it is by default, with one coefficient of friction for all.
void lab_friction(Lab* lab, CordWorld* world, double friction);

// The sum of the reports of the first rods.
CordAdaptReport lab_adapt_report(const CordWorld* world, int rods);

void* lab_room(Lab* lab, size_t count, size_t size); // zeroed; freed when the experiment ends

// ---- words and tables

double lab_pick(const Lab* lab, double quick, double whole);
// Calls it for der and corde, or in the quick form for one model alone.
void lab_models(Lab* lab, const char* quick, void (*follow)(Lab* lab, const char* model));
void lab_say(Lab* lab, const char* format, ...) LAB_PRINTF(2, 3); // a line
// there until the eighth call from now
const char* lab_text(Lab* lab, const char* format, ...) LAB_PRINTF(2, 3);

// A row of a table: numbers, after the name of the series, without commas, where the first column has one
// (else NULL).
#define lab_row(lab, table, series, ...)                                                                     \
    lab_row_of(lab, table, series, (const double[]){__VA_ARGS__},                                            \
               (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))
void lab_row_of(Lab* lab, const char* table, const char* series, const double* values, int count);

// Of a column's values so far, in the rows of a series (NULL: in all rows); NAN: there are none, or one of
// them is not a number.
double lab_most(const Lab* lab, const char* table, const char* series, const char* column);
double lab_least(const Lab* lab, const char* table, const char* series, const char* column);
double lab_last(const Lab* lab, const char* table, const char* series, const char* column);

// The mean in rows of some times, and the value in the row whose time is nearest.
double lab_mean(const Lab* lab, const char* table, const char* series, const char* column, double from,
                double to);
double lab_at(const Lab* lab, const char* table, const char* series, const char* column, double time);

// What another column holds in the first row in which one is above a value; NAN: it never is.
double lab_first(const Lab* lab, const char* table, const char* series, const char* column, double above,
                 const char* other);

// The power of x by which y grows, by least squares of the logarithms of what is positive.
double lab_power(const Lab* lab, const char* table, const char* series, const char* x, const char* y);

// ---- comparisons
//
// Each is printed with its source (NULL: the experiment's), and decides whether the experiment passes. Limits
// themselves do not pass, and neither does what is not a number.

// Relatively and absolutely within a tolerance of a reference.
bool lab_near(Lab* lab, const char* what, double value, double reference, double tolerance,
              const char* source);
bool lab_within(Lab* lab, const char* what, double value, double reference, double tolerance,
                const char* source);

bool lab_between(Lab* lab, const char* what, double value, double low, double high, const char* source);
bool lab_below(Lab* lab, const char* what, double value, double most, const char* source);
bool lab_above(Lab* lab, const char* what, double value, double least, const char* source);
bool lab_equal(Lab* lab, const char* what, double value, double reference, const char* source);
bool lab_true(Lab* lab, const char* what, bool holds, const char* source);

// The order of convergence between the last two of some errors, or differences, each of half the spacing
// before.
bool lab_order(Lab* lab, const char* what, const double* errors, int count, double low, double high,
               const char* source);

// The deepest overlap, over the radius, is below the tolerance that contact has by default.
extern const double lab_overlap_most;
bool lab_apart(Lab* lab, double deepest);

// A goal is reached or missed, and not judged.
void lab_goal(Lab* lab, const char* what, double value, double most, const char* source);

// ---- pictures

typedef struct LabView {
    CordVec3 eye, target;
    double degrees; // field of view
    double ground;  // z [m]
    double thick;   // rods are drawn so many times as thick as they are
} LabView;

// ID-SUFFIX.png; "": ID.png
void lab_picture(Lab* lab, CordWorld* world, const LabView* view, const char* suffix);

// ---- time

double lab_clock(const Lab* lab); // of the processor [s]

// Time of `steps` steps of h, at its best of several rounds, each from the same state [s].
double lab_time(Lab* lab, CordWorld* world, double h, int steps, int rounds, int threads);

// The phases of a step in the round that was the least disturbed, which is the shortest [s].
CordStepTimes lab_phases(Lab* lab, CordWorld* world, double h, int steps, int rounds);

#endif
