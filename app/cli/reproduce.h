// Experiments: what each of them needs to leave its figures behind.
#ifndef CORDAGE_CLI_REPRODUCE_H
#define CORDAGE_CLI_REPRODUCE_H

#include <cordage/cordage.h>

#include <stdbool.h>
#include <stdio.h>

// The world of a shipped scene, with settings as --set takes them (settings may be NULL). NULL: it could not be made,
// and that was said.
CordWorld* reproduce_scene(const char* name, const char* const* settings, int setting_count);

// The same with hooks of one's own: reproduce_scene has a clock, for the times of each phase, which costs a little by itself.
CordWorld* reproduce_scene_with(const CordWorldDef* hooks, const char* name, const char* const* settings,
                                int setting_count);

// A file in the directory of results, open for writing; NULL: it could not be made, and that was said.
FILE* reproduce_file(const char* directory, const char* name);

// A plot by gnuplot. Write the script, without its terminal and output, to what open gives; close draws
// NAME.svg and NAME.png. Without gnuplot the script stays, and that is said, and false comes back.
typedef struct ReproducePlot {
    const char* directory;
    const char* name;
    bool quiet; // if all goes well
} ReproducePlot;

FILE* reproduce_plot_open(const ReproducePlot* plot);
bool reproduce_plot_close(const ReproducePlot* plot, FILE* script);

// The experiments: run, print, and say whether all is as it should be.
bool theory_run(const char* directory);
bool overhand_run(const char* directory);
bool square_knot_run(const char* directory);
bool der_fig1_run(const char* directory);
bool der_fig2_run(const char* directory);
bool der_fig5_run(const char* directory);
bool der_fig6_run(const char* directory);
bool der_fig7_run(const char* directory);
bool der_fig8_run(const char* directory);
bool der_fig9_run(const char* directory);
bool der_fig10_run(const char* directory);
bool der_fig11_run(const char* directory);
bool der_fig12_run(const char* directory);
bool der_table1_run(const char* directory);
bool corde_fig1_run(const char* directory);
bool corde_fig5_run(const char* directory);
bool corde_fig5_quick_run(const char* directory);
bool corde_fig6_run(const char* directory);
bool corde_fig7_run(const char* directory);
bool corde_table1_run(const char* directory);
bool acm_fig3_run(const char* directory);
bool acm_fig1_run(const char* directory);
bool acm_fig4_run(const char* directory);
bool acm_fig5_run(const char* directory);
bool acm_fig6_run(const char* directory);
bool acm_fig7_run(const char* directory);
bool acm_table1_run(const char* directory);
bool pber_fig3_run(const char* directory);
bool mw_fig3_run(const char* directory);
bool mw_fig4_run(const char* directory);
bool mw_fig5_run(const char* directory);
bool mw_fig6_run(const char* directory);
bool mw_fig7_run(const char* directory);

#endif
