#include "compare.h"
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool compare_write(const Compare* c)
{
    FILE* csv = plot_file(c->directory, "compare.csv");
    if (!csv) {
        return false;
    }
    fprintf(csv, "time,name,run,largest,rms,share,rms_share,twist_difference,kinetic,bend,twist,stretch,"
                 "gravity,total,turns\n");
    for (int k = 0; k < c->variants.count; k++) {
        const CompareRun* run = &c->runs[k];
        for (int i = 0; i < run->row_count; i++) {
            const CompareRow* row = &run->rows[i];
            const Difference* d = &row->difference;
            const CordEnergy* e = &row->energy;
            fprintf(csv, "%.9g,%s,%d", row->time, run->variant->name, k);
            if (row->compared) {
                fprintf(csv, ",%.9g,%.9g,%.9g,%.9g,%.9g", d->largest, d->rms, d->share, d->rms_share,
                        d->twist);
            } else {
                fprintf(csv, ",,,,,");
            }
            fprintf(csv, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", e->kinetic, e->bend, e->twist, e->stretch,
                    e->gravity, report_total(*e), row->twist);
        }
    }
    if (fclose(csv) == 0) {
        return true;
    }
    return error_false("%s/compare.csv: cannot be written (%s)", c->directory, strerror(errno));
}

// ---- the plot

// A run has the same colour as in the picture. All but the reference are dashed, so that coinciding curves
// show.
static void line_style(FILE* script, const Compare* c, int run)
{
    bool first = run == c->reference;
    fprintf(script, "with lines lw %d%s lc rgb '#%06x' ", first ? 3 : 2, first ? "" : " dt (8,5)",
            cord_picture_color(run));
}

static int key_width(const Compare* c) // [characters]
{
    size_t longest = 0;
    for (int k = 0; k < c->variants.count; k++) {
        size_t length = strlen(c->variants.items[k].name);
        longest = length > longest ? length : longest;
    }
    return 12 + (int)longest;
}

// At least a decade: gnuplot rejects an empty range, which is what the line at 1 % alone would give.
static void difference_range(FILE* script, const Compare* c)
{
    double low = COMPARE_SHARE, high = COMPARE_SHARE;
    for (int k = 0; k < c->variants.count; k++) {
        for (int i = 0; i < c->runs[k].row_count; i++) {
            double share = c->runs[k].rows[i].difference.share;
            bool drawn = c->runs[k].rows[i].compared && share > 0.0 && isfinite(share);
            low = drawn ? fmin(low, share) : low;
            high = drawn ? fmax(high, share) : high;
        }
    }
    double room = sqrt(fmax(1.2, 10.0 * low / high));
    fprintf(script, "set yrange [%.9g:%.9g]\n", 100.0 * low / room, 100.0 * high * room);
}

static void plot_difference(FILE* script, const Compare* c)
{
    const char* name = compare_reference(c)->variant->name;
    fprintf(script,
            "set origin 0,0.6\nset size 1,0.4\nset rmargin %d\nset logscale y\nset format y '10^{%%T}'\n"
            "set key outside right top Left reverse\nset title 'largest distance from %s' noenhanced\n"
            "set ylabel '%% of the length'\n",
            key_width(c), name);
    difference_range(script, c);
    fprintf(script, "plot NaN ");
    // the reference has no curve here, but its line in the key serves all plots
    line_style(script, c, c->reference);
    fprintf(script, "title '%s' noenhanced", name);
    for (int k = 0; k < c->variants.count; k++) {
        if (c->runs[k].row_count > 0 && k != c->reference) {
            fprintf(script, ", \\\n     'compare.csv' using 1:($3 == %d && $6 > 0 ? 100*$6 : NaN) skip 1 ",
                    k);
            line_style(script, c, k);
            fprintf(script, "title '%s' noenhanced", c->runs[k].variant->name);
        }
    }
    fprintf(script,
            ", \\\n     %g with lines dt 3 lw 1 lc rgb '#808080' title '%g %%'\n"
            "set rmargin 2\nunset logscale\nset format y '%%g'\nunset key\nunset ylabel\n",
            100.0 * COMPARE_SHARE, 100.0 * COMPARE_SHARE);
}

enum { ENERGIES = 6, ENERGY_COLUMN = 9 }; // the first column of energies in compare.csv

static const char* const energy_names[ENERGIES] = {"kinetic energy",    "bending energy",
                                                   "twisting energy",   "stretching energy",
                                                   "energy of gravity", "total energy"};

static double energy_part(CordEnergy e, int part)
{
    const double parts[ENERGIES] = {e.kinetic, e.bend, e.twist, e.stretch, e.gravity, report_total(e)};
    return parts[part];
}

// 1, 2 or 5 times a power of ten that gives three to six tics.
static double tic_step(double range)
{
    double power = pow(10.0, floor(log10(range / 3.0))), digit = range / 3.0 / power;
    return power * (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0);
}

// gnuplot finds a range unless the values are constant; its own tics are too many for small plots.
static void range_set(FILE* script, const Compare* c, int part)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < c->variants.count; k++) {
        for (int i = 0; i < c->runs[k].row_count; i++) {
            double value = energy_part(c->runs[k].rows[i].energy, part);
            low = isfinite(value) ? fmin(low, value) : low;
            high = isfinite(value) ? fmax(high, value) : high;
        }
    }
    if (low > high) { // nothing to draw
        low = high = 0.0;
    }
    if (high - low > 1e-9 * fmax(fabs(low), fabs(high))) {
        fprintf(script, "set yrange [*:*]\nset ytics %.9g nomirror\n", tic_step(high - low));
    } else {
        double room = low != 0.0 ? 0.1 * fabs(low) : 1.0;
        fprintf(script, "set yrange [%.9g:%.9g]\nset ytics %.9g nomirror\n", low - room, high + room, room);
    }
}

static void plot_energy(FILE* script, const Compare* c, int part)
{
    const char* separator = "plot ";
    range_set(script, c, part);
    for (int k = 0; k < c->variants.count; k++) {
        if (c->runs[k].row_count > 0) {
            fprintf(script, "%s'compare.csv' using 1:($3 == %d ? $%d : NaN) skip 1 ", separator, k,
                    ENERGY_COLUMN + part);
            line_style(script, c, k);
            separator = ", \\\n     ";
        }
    }
    fprintf(script, "\n");
}

bool compare_plot(const Compare* c, bool quiet)
{
    Plot plot = {.directory = c->directory, .name = "compare", .quiet = quiet};
    FILE* script = plot_open(&plot);
    if (!script) {
        return false;
    }
    fprintf(
        script,
        "set datafile separator ','\nset xrange [0:%.9g]\nset tics nomirror\nset border 3\nset lmargin 10\n"
        "set multiplot\n",
        c->end);
    plot_difference(script, c);
    for (int i = 0; i < ENERGIES; i++) {
        bool top = i < 3;
        fprintf(script, "set origin %g,%g\nset size 0.333,%g\nset title '%s [J]'\nset xlabel '%s'\n",
                (i % 3) / 3.0, top ? 0.32 : 0.0, top ? 0.28 : 0.32, energy_names[i], top ? "" : "time [s]");
        plot_energy(script, c, i);
    }
    fprintf(script, "unset multiplot\n");
    return plot_close(&plot, script);
}
