#include "branch_plot.h"

#include "heap.h"
#include "library.h"
#include "options.h"
#include "plot.h"

#include <cordage/math.h>

#include <stdlib.h>
#include <string.h>

typedef struct Curve {
    CordBranchPoint* points; // (count)
    double* y;               // (count)
    int count;
    char label[128]; // of y
} Curve;

// ---- the axis

static const char* probe_name(const void* context, int i)
{
    return cord_probe_name(context, cord_world_probe(context, i));
}

static bool find_column(CordMeasure measure, const char* text, int* column)
{
    for (int k = 0; k < cord_measure_size(measure); k++) {
        if (strcmp(cord_measure_column(measure, k), text) == 0) {
            *column = k;
            return true;
        }
    }
    return false;
}

bool branch_axis_find(BranchAxis* axis, const CordWorld* world, const char* text)
{
    *axis = (BranchAxis){.probe = -1, .column = -1};
    int count = cord_world_probe_count(world);
    for (int i = 0; text && i < count; i++) {
        const char* name = probe_name(world, i);
        size_t length = strlen(name);
        CordMeasure measure = cord_probe_measure(world, cord_world_probe(world, i));
        bool whole = strcmp(text, name) == 0;
        bool part = !whole && strncmp(text, name, length) == 0 && text[length] == '.' &&
                    find_column(measure, text + length + 1, &axis->column);
        if (whole || part) {
            axis->probe = i;
            return true;
        }
    }
    if (text) {
        const char* nearest = option_nearest(text, probe_name, world, count);
        console_error(
            "--plot: the scene has no probe '%s'%s%s%s; it takes a name, or name.column such as tip.z", text,
            nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    return !text;
}

// ---- the curve

static const char* measure_unit(CordMeasure measure)
{
    static const char* const units[CORD_MEASURE_COUNT] = {
        [CORD_MEASURE_POSITION] = "m", [CORD_MEASURE_VELOCITY] = "m/s", [CORD_MEASURE_FORCE] = "N",
        [CORD_MEASURE_TORQUE] = "N m", [CORD_MEASURE_TENSION] = "N",    [CORD_MEASURE_MOMENT] = "N m",
        [CORD_MEASURE_ENERGY] = "J",   [CORD_MEASURE_TWIST] = "turns",  [CORD_MEASURE_WRITHE] = "turns",
        [CORD_MEASURE_LINK] = "turns",
    };
    return units[measure] ? units[measure] : "SI";
}

static int column_that_changes(const double* values, int rows, int size)
{
    int best = 0;
    double most = -1.0;
    for (int k = 0; k < size; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < rows; i++) {
            low = fmin(low, values[i * size + k]);
            high = fmax(high, values[i * size + k]);
        }
        if (high - low > most) {
            most = high - low;
            best = k;
        }
    }
    return best;
}

static bool read_probe(CordRecording* recording, BranchAxis axis, Curve* c, CordMessage* message)
{
    CordMeasure measure = cord_recording_probe_measure(recording, axis.probe);
    int size = cord_measure_size(measure);
    double* values = heap_take((size_t)size * (size_t)c->count, sizeof *values);
    bool good = cord_recording_probe_rows(recording) == c->count &&
                cord_recording_probe_values(recording, axis.probe, values, message) == CORD_OK;
    int column = !good ? 0 : axis.column >= 0 ? axis.column : column_that_changes(values, c->count, size);
    for (int i = 0; i < c->count && good; i++) {
        c->y[i] = values[i * size + column];
    }
    free(values);
    snprintf(c->label, sizeof c->label, "%.60s %s%s[%s]", cord_recording_probe_name(recording, axis.probe),
             size > 1 ? cord_measure_column(measure, column) : "", size > 1 ? " " : "",
             measure_unit(measure));
    return good;
}

static double farthest(const CordFrame* frame, const CordVec3* from)
{
    double most = 0.0;
    for (int i = 0; i < frame->node_count; i++) {
        most = fmax(most, cord_vec3_distance(frame->x[i], from[i]));
    }
    return most;
}

static bool read_displacement(CordRecording* recording, Curve* c, CordMessage* message)
{
    CordFrames frames = cord_recording_frames(recording);
    CordFrame frame;
    CordVec3* start = NULL;
    bool good = true;
    for (int i = 0; i < c->count && good; i++) {
        good = frames.read(frames.user, i, &frame, message) == CORD_OK;
        if (good && !start) {
            start = heap_take((size_t)frame.node_count, sizeof *start);
            memcpy(start, frame.x, sizeof *start * (size_t)frame.node_count);
        }
        c->y[i] = good ? farthest(&frame, start) : NAN;
    }
    free(start);
    snprintf(c->label, sizeof c->label, "largest displacement [m]");
    return good;
}

static bool read_curve(const char* path, BranchAxis axis, Curve* c)
{
    CordMessage message = {"the probes have no reading for each point"};
    CordRecording* recording = NULL;
    bool good = cord_recording_open(path, &recording, &message) == CORD_OK;
    c->count = good ? cord_recording_frames(recording).count : 0;
    c->points = heap_take((size_t)c->count, sizeof *c->points);
    c->y = heap_take((size_t)c->count, sizeof *c->y);
    for (int i = 0; i < c->count && good; i++) {
        good = cord_recording_branch_point(recording, i, &c->points[i], &message) == CORD_OK;
    }
    good = good && (axis.probe >= 0 ? read_probe(recording, axis, c, &message)
                                    : read_displacement(recording, c, &message));
    if (!good) {
        console_warning("no plot was drawn: %s", message.text);
    }
    cord_recording_close(recording);
    return good;
}

// ---- the script

typedef enum Stability { STABLE, UNSTABLE, UNKNOWN, STABILITY_COUNT } Stability;

static Stability stability_at(const Curve* c, int i)
{
    int unstable = c->points[i].solve.unstable;
    return unstable < 0 ? UNKNOWN : unstable > 0 ? UNSTABLE : STABLE;
}

typedef struct Dot {
    double t, y;
} Dot;

static Dot dot_at(const Curve* c, int i)
{
    return (Dot){c->points[i].time, c->y[i]};
}

static bool has_event(const Curve* c, int i) // between the previous point and this one
{
    return i > 0 && (c->points[i].event == CORD_BRANCH_FOLD || c->points[i].event == CORD_BRANCH_BIFURCATION);
}

// The event lies on the line between the two points; a fold lies on the parabola through both whose vertex it
// is.
static Dot event_dot(const Curve* c, int i)
{
    const CordBranchPoint *before = &c->points[i - 1], *p = &c->points[i];
    double to = p->event_time - before->time, whole = p->time - before->time,
           part = whole != 0.0 ? to / whole : 0.5;
    if (p->event == CORD_BRANCH_FOLD) {
        double a = sqrt(fabs(to)), b = sqrt(fabs(p->event_time - p->time));
        part = a + b > 0.0 ? a / (a + b) : 0.5;
    }
    part = fmin(fmax(part, 0.0), 1.0);
    return (Dot){p->event_time, c->y[i - 1] + part * (c->y[i] - c->y[i - 1])};
}

// Another branch was taken after a bifurcation: otherwise the stability changes only at an event.
static bool is_switch(const Curve* c, int i)
{
    return c->points[i].event == CORD_BRANCH_BIFURCATION && c->points[i + 1].event == CORD_BRANCH_POINT &&
           c->points[i].solve.unstable != c->points[i + 1].solve.unstable;
}

enum { PIECE_JUMP = STABILITY_COUNT, PIECE_COUNT };

typedef struct Line {
    Dot from, to;
    int piece; // the stability of the branch there, or PIECE_JUMP
} Line;

// The lines from a point to the next: one, or two that meet at the event between them. A branch that was
// switched to starts at the bifurcation. Returns the number of lines.
static int lines_after(const Curve* c, int i, Line lines[2])
{
    Dot a = dot_at(c, i), b = dot_at(c, i + 1);
    int before = (int)stability_at(c, i), after = (int)stability_at(c, i + 1);
    if (c->points[i + 1].event == CORD_BRANCH_JUMP) {
        lines[0] = (Line){a, b, PIECE_JUMP};
        return 1;
    }
    if (!has_event(c, i + 1)) {
        // neither end tells where stability begins or ends to be known
        int all = before == (int)UNKNOWN ? before : after;
        lines[0] = (Line){is_switch(c, i) ? event_dot(c, i) : a, b, all};
        return 1;
    }
    Dot at = event_dot(c, i + 1);
    lines[0] = (Line){a, at, before};
    lines[1] = (Line){at, b, after};
    return 2;
}

// Each writes a data block for gnuplot, with a blank line between separate curves, and returns its number of
// rows.
static int write_lines(FILE* script, const Curve* c, int piece)
{
    int rows = 0;
    Dot last = {NAN, NAN};
    fprintf(script, "$line%d << END\n", piece);
    for (int i = 0; i + 1 < c->count; i++) {
        Line lines[2];
        int count = lines_after(c, i, lines);
        for (int k = 0; k < count; k++) {
            const Line* l = &lines[k];
            if (l->piece != piece) {
                continue;
            }
            if (l->from.t != last.t || l->from.y != last.y) {
                fprintf(script, "\n%.9g %.9g\n", l->from.t, l->from.y);
            }
            fprintf(script, "%.9g %.9g\n", l->to.t, l->to.y);
            last = l->to;
            rows++;
        }
    }
    fprintf(script, "END\n");
    return rows;
}

static int write_points(FILE* script, const Curve* c, Stability stability)
{
    int rows = 0;
    fprintf(script, "$point%d << END\n", stability);
    for (int i = 0; i < c->count; i++) {
        if (stability_at(c, i) == stability) {
            fprintf(script, "%.9g %.9g\n", c->points[i].time, c->y[i]);
            rows++;
        }
    }
    fprintf(script, "END\n");
    return rows;
}

static int write_events(FILE* script, const Curve* c, CordBranchEvent event)
{
    int rows = 0;
    fprintf(script, "$event%d << END\n", event);
    for (int i = 1; i < c->count; i++) {
        if (c->points[i].event == event) {
            Dot at = event_dot(c, i);
            fprintf(script, "%.9g %.9g\n", at.t, at.y);
            rows++;
        }
    }
    fprintf(script, "END\n");
    return rows;
}

// gnuplot warns of an empty range, and would show the round-off of a nearly empty one.
static void write_flat_range(FILE* script, const Curve* c)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < c->count; i++) {
        low = fmin(low, c->y[i]);
        high = fmax(high, c->y[i]);
    }
    double size = fmax(fabs(low), fabs(high));
    if (high - low <= 1e-9 * size) {
        double room = size > 0.0 ? 0.1 * size : 1.0;
        fprintf(script, "set yrange [%.9g:%.9g]\n", low - room, high + room);
    }
}

static void plot_item(FILE* script, bool* first, int rows, const char* item)
{
    if (rows > 0) {
        fprintf(script, "%s%s", *first ? "plot " : ", \\\n     ", item);
        *first = false;
    }
}

static void write_script(FILE* script, const Curve* c)
{
    static const char* const line_styles[PIECE_COUNT] = {
        [STABLE] = "$line0 with lines lc rgb '#1f4e79' lw 2 notitle",
        [UNSTABLE] = "$line1 with lines lc rgb '#c0392b' dt 2 notitle",
        [UNKNOWN] = "$line2 with lines lc rgb '#8a6d3b' dt 4 notitle",
        [PIECE_JUMP] = "$line3 with lines lc rgb '#999999' dt 3 title 'jump'",
    };
    static const char* const point_styles[STABILITY_COUNT] = {
        [STABLE] = "$point0 with points pt 7 ps 0.7 lc rgb '#1f4e79' title 'stable'",
        [UNSTABLE] = "$point1 with points pt 6 ps 0.7 lc rgb '#c0392b' title 'unstable'",
        [UNKNOWN] = "$point2 with points pt 4 ps 0.7 lc rgb '#8a6d3b' title 'stability not known'",
    };
    int lines[PIECE_COUNT], points[STABILITY_COUNT];
    for (int k = 0; k < PIECE_COUNT; k++) {
        lines[k] = write_lines(script, c, k);
    }
    for (int k = 0; k < STABILITY_COUNT; k++) {
        points[k] = write_points(script, c, (Stability)k);
    }
    int folds = write_events(script, c, CORD_BRANCH_FOLD);
    int bifurcations = write_events(script, c, CORD_BRANCH_BIFURCATION);
    fprintf(script, "set termoption noenhanced\nset xlabel 't [s]'\nset ylabel '");
    for (const char* s = c->label; *s; s++) {
        fputs(*s == '\'' ? "''" : (char[]){*s, '\0'}, script);
    }
    fprintf(script,
            "'\nset grid\nset key outside top center horizontal\nset offsets graph 0.02, 0.02, 0.02, 0.02\n");
    write_flat_range(script, c);
    bool first = true;
    for (int k = PIECE_COUNT - 1; k >= 0; k--) { // what is stable lies on top
        plot_item(script, &first, lines[k], line_styles[k]);
    }
    for (int k = STABILITY_COUNT - 1; k >= 0; k--) {
        plot_item(script, &first, points[k], point_styles[k]);
    }
    plot_item(script, &first, folds, "$event1 with points pt 8 ps 1.5 lw 2 lc rgb 'black' title 'fold'");
    plot_item(script, &first, bifurcations,
              "$event2 with points pt 12 ps 1.5 lw 2 lc rgb 'black' title 'bifurcation'");
    fputc('\n', script);
}

// Splits "a/b/rod.h5" into "a/b" and "rod".
static bool split_path(const char* path, char directory[LIBRARY_PATH_MOST], char name[256])
{
    const char* slash = strrchr(path, '/');
    const char* base = slash ? slash + 1 : path;
    const char* dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    int up_to = slash == path ? 1 : (int)(slash ? slash - path : 0);
    return snprintf(directory, LIBRARY_PATH_MOST, "%.*s", slash ? up_to : 1, slash ? path : ".") <
               LIBRARY_PATH_MOST &&
           snprintf(name, 256, "%.*s", (int)length, base) < 256;
}

bool branch_plot(const char* recording_path, BranchAxis axis, bool quiet)
{
    char directory[LIBRARY_PATH_MOST], name[256];
    Curve c = {0};
    Plot plot = {.directory = directory, .name = name, .quiet = quiet};
    bool drawn = false;
    if (split_path(recording_path, directory, name) && read_curve(recording_path, axis, &c)) {
        FILE* script = plot_open(&plot);
        if (script) {
            write_script(script, &c);
            drawn = plot_close(&plot, script);
        }
    }
    free(c.points);
    free(c.y);
    return drawn;
}
