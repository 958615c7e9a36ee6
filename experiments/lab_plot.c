// Plots: from an experiment's panels, a script for gnuplot.
#include "lab_inside.h"

#include <string.h>

static const char* const palette[] = {"#2455a4", "#c8452f", "#2e8b57", "#d59b2d", "#7b3f98", "#41a6b5",
                                      "#a63603", "#6b7280", "#e377c2", "#08306b", "#8c6d31", "#17becf"};
enum { COLORS = sizeof palette / sizeof *palette };

// A formula with the numbers of columns in place of their names in braces.
static void write_formula(FILE* script, const LabTable* table, const char* formula)
{
    int column = lab_column(table, formula, strlen(formula));
    if (column > 0) {
        fprintf(script, "$%d", column);
        return;
    }
    for (const char* at = formula; *at; at++) {
        const char* close = *at == '{' ? strchr(at, '}') : NULL;
        int inside = close ? lab_column(table, at + 1, (size_t)(close - at - 1)) : 0;
        if (inside > 0) {
            fprintf(script, "$%d", inside);
            at = close;
        } else {
            fputc(*at, script);
        }
    }
}

static void write_style(FILE* script, const LabCurve* curve, const char* title, int color)
{
    const char* with = curve->with ? curve->with : "lines lw 2";
    fprintf(script, "%s with %s", curve->right ? " axes x1y2" : "", with);
    if (!strstr(with, "lc ")) {
        fprintf(script, " lc rgb '%s'", palette[color % COLORS]);
    }
    fprintf(script, title ? " title '%s'" : " notitle", title);
}

static void write_rows(FILE* script, const Lab* lab, const LabCurve* curve, const char* series)
{
    const LabTable* table = &lab->experiment->tables[lab_table_index(lab, curve->table)];
    fprintf(script, "'%s%s%s.csv' skip 1 using ", lab->experiment->id, *table->name ? "-" : "", table->name);
    if (!curve->x) {
        fprintf(script, "(");
        write_formula(script, table, curve->y);
        fprintf(script, "):xtic(1)");
        return;
    }
    fprintf(script, "(%s%s%s", series ? "strcol(1) eq '" : "1", series ? series : "", series ? "'" : "");
    if (curve->where) {
        fprintf(script, " && (");
        write_formula(script, table, curve->where);
        fprintf(script, ")");
    }
    fprintf(script, " ? ");
    write_formula(script, table, curve->x);
    fprintf(script, " : 1/0):(");
    write_formula(script, table, curve->y);
    fprintf(script, ")");
}

// One curve, or one for each series, whose colours are the same in all panels. Else how many there were
// before says which colour is the next.
static int write_curve(FILE* script, const Lab* lab, const LabCurve* curve, int before)
{
    bool each = curve->only && strcmp(curve->only, LAB_EACH) == 0;
    const LabSheet* sheet = curve->table ? &lab->sheets[lab_table_index(lab, curve->table)] : NULL;
    int count = each ? sheet->series_count : 1;
    for (int i = 0; i < count; i++) {
        const char* series = each ? sheet->series[i] : curve->only;
        fprintf(script, "%s", before + i > 0 ? ", \\\n     " : "plot ");
        if (curve->table) {
            write_rows(script, lab, curve, series);
        } else {
            fprintf(script, "%s", curve->y);
        }
        const char* title = each && (!curve->title || i > 0) ? (curve->title ? NULL : series) : curve->title;
        write_style(script, curve, title, each ? i : before);
    }
    return before + count;
}

static void write_panel(FILE* script, const Lab* lab, const LabPanel* panel)
{
    const char* const labels[] = {"title",  panel->title, "xlabel",  panel->x,
                                  "ylabel", panel->y,     "y2label", panel->right};
    fprintf(script, "reset\nset encoding utf8\nset datafile separator ','\nset grid\nset samples 500\n");
    for (int i = 0; i < 8; i += 2) {
        if (labels[i + 1]) {
            fprintf(script, "set %s \"%s\"\n", labels[i], labels[i + 1]);
        }
    }
    fprintf(script, panel->right ? "set ytics nomirror\nset y2tics\n" : "");
    fprintf(script, "%s\n", panel->set ? panel->set : "");
    int curves = 0;
    for (const LabCurve* curve = panel->curves; curve->y; curve++) {
        if (!curve->table || lab->sheets[lab_table_index(lab, curve->table)].csv) {
            // a run that failed left no rows
            curves = write_curve(script, lab, curve, curves);
        }
    }
    fprintf(script, "\n");
}

void lab_plot(Lab* lab)
{
    const Experiment* e = lab->experiment;
    char name[100];
    snprintf(name, sizeof name, "%s.gnuplot", e->id);
    FILE* script = lab->host->file(lab->directory, name);
    if (!script) {
        return;
    }
    if (e->layout) {
        fprintf(script, "set multiplot%s%s\n", *e->layout ? " layout " : "", e->layout);
    }
    for (const LabPanel* panel = e->panels; panel->curves; panel++) {
        write_panel(script, lab, panel);
    }
    fprintf(script, e->layout ? "unset multiplot\n" : "");
    fclose(script);
    lab->host->plot(lab->directory, e->id);
}
