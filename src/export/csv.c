// Comma-separated values (RFC 4180): a row for every node, edge, body, obstacle, contact, entry of the ledger
// or point of a branch, or for every reading of the probes.
#include "export/output.h"
#include "export/recording_layout.h"
#include "export/text.h"

#include <cordage/ledger.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_number(FILE* file, double value)
{
    char text[NUMBER_TEXT_MOST];
    fputs(number_text(value, text), file);
}

// A name in quotes if it contains a separator. `suffix` follows inside the quotes.
static void put_name(FILE* file, const char* name, const char* suffix)
{
    bool quotes = strpbrk(name, ",\"\r\n") != NULL;
    if (quotes) {
        putc('"', file);
    }
    for (const char* c = name; *c != '\0'; c++) {
        if (*c == '"') {
            putc('"', file);
        }
        putc(*c, file);
    }
    fputs(suffix, file);
    if (quotes) {
        putc('"', file);
    }
}

static void put_numbers(FILE* file, const double* values, int count) // each after a comma
{
    for (int i = 0; i < count; i++) {
        putc(',', file);
        put_number(file, values[i]);
    }
}

// As put_numbers, but the fields stay empty if the values are not known.
static void put_known(FILE* file, const double* values, int count, bool known)
{
    for (int i = 0; i < count; i++) {
        put_numbers(file, values + i, known ? 1 : 0);
        fputs(known ? "" : ",", file);
    }
}

// The label of a number, after a comma.
static void put_label(FILE* file, const char* labels, int number)
{
    for (int i = 0; i < number; i++) {
        labels += strcspn(labels, " ") + 1;
    }
    fprintf(file, ",%.*s", (int)strcspn(labels, " "), labels);
}

// ---- frames

// The first fields of a row: time and name, and in put_place the number of the node or edge.
static void put_named(FILE* file, double time, const char* name)
{
    put_number(file, time);
    putc(',', file);
    put_name(file, name, "");
}

static void put_place(FILE* file, double time, const char* name, int index)
{
    put_named(file, time, name);
    fprintf(file, ",%d", index);
}

// The remaining fields of a row: all columns of one node, body, obstacle or contact.
static void put_columns(FILE* file, const CordFrame* frame, ColumnRow row, int index)
{
    for (int c = 0; c < column_count; c++) {
        const Column* column = &columns[c];
        if (column->row == row && column->csv) {
            double numbers[COLUMN_WIDEST];
            const char* elements = column_elements(column, frame);
            column_get(column, elements + (size_t)index * column->stride, 1, numbers);
            put_numbers(file, numbers, column->width);
        }
    }
    putc('\n', file);
}

static bool put_nodes(FILE* file, const CordFrame* frame)
{
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int i = 0; i < rod->node_count; i++) {
            put_place(file, frame->time, rod->name, i);
            put_columns(file, frame, ROW_NODE, rod->first_node + i);
        }
    }
    return true;
}

static bool put_forces(FILE* file, const CordFrame* frame)
{
    CordSectionForce* forces = calloc((size_t)frame->edge_count + 1, sizeof *forces);
    for (int r = 0; forces && r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        cord_frame_forces(frame, r, forces);
        for (int j = 0; j < rod->edge_count; j++) {
            put_place(file, frame->time, rod->name, j);
            put_known(file, &forces[j].arc, 1, !rod->network); // a network has no arc length
            put_numbers(file, (const double*)&forces[j] + 1, 3);
            putc('\n', file);
        }
    }
    free(forces);
    return forces != NULL;
}

static bool put_moments(FILE* file, const CordFrame* frame)
{
    CordSectionMoment* moments = calloc((size_t)frame->node_count + 1, sizeof *moments);
    for (int r = 0; moments && r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        cord_frame_moments(frame, r, moments);
        for (int i = 0; i < rod->node_count; i++) {
            put_place(file, frame->time, rod->name, i);
            // a network has no sections at its nodes
            put_known(file, (const double*)&moments[i], 4, !rod->network);
            putc('\n', file);
        }
    }
    free(moments);
    return moments != NULL;
}

static bool put_bodies(FILE* file, const CordFrame* frame)
{
    for (int i = 0; i < frame->body_count; i++) {
        put_named(file, frame->time, frame->bodies[i].name);
        put_columns(file, frame, ROW_BODY, i);
    }
    return true;
}

static bool put_obstacles(FILE* file, const CordFrame* frame)
{
    for (int i = 0; i < frame->obstacle_count; i++) {
        put_named(file, frame->time, frame->obstacles[i].name);
        put_columns(file, frame, ROW_OBSTACLE, i);
    }
    return true;
}

// What touches the rod: its kind, its name, and the place on it, which is empty for bodies and obstacles.
static void put_other(FILE* file, const CordFrame* frame, const CordContact* contact)
{
    const char* name = contact->kind == CORD_TOUCH_ROD        ? frame->rods[contact->other].name
                       : contact->kind == CORD_TOUCH_OBSTACLE ? frame->obstacles[contact->other].name
                                                              : frame->bodies[contact->other].name;
    put_label(file, "rod obstacle body", (int)contact->kind);
    putc(',', file);
    put_name(file, name, "");
    put_known(file, (double[]){contact->other_edge, contact->other_at}, 2, contact->kind == CORD_TOUCH_ROD);
}

static bool put_contacts(FILE* file, const CordFrame* frame)
{
    for (int i = 0; i < frame->contact_count; i++) {
        const CordContact* contact = &frame->contacts[i];
        put_place(file, frame->time, frame->rods[contact->rod].name, contact->edge);
        put_numbers(file, &contact->at, 1);
        put_other(file, frame, contact);
        put_columns(file, frame, ROW_CONTACT, i);
    }
    return true;
}

static bool put_ledger(FILE* file, const CordFrame* frame)
{
    for (int i = 0; i < frame->ledger_count; i++) {
        const CordLedgerEntry* entry = &frame->ledger[i];
        const CordWork* done = &entry->done;
        put_named(file, frame->time, entry->name);
        fprintf(file, ",%s", cord_ledger_kind_name(entry->kind));
        put_numbers(file,
                    (double[]){done->work, done->exchanged, done->impulse.x, done->impulse.y, done->impulse.z,
                               done->angular.x, done->angular.y, done->angular.z},
                    8);
        putc('\n', file);
    }
    return true;
}

typedef struct FrameTable {
    const char* head;                                // names of the fields that do not come from columns
    ColumnRow row;                                   // whose columns follow; ROW_COUNT: none
    bool (*put)(FILE* file, const CordFrame* frame); // false: no memory
} FrameTable;

static const FrameTable frame_tables[CORD_TABLE_COUNT] = {
    [CORD_TABLE_NODES] = {"time,rod,node", ROW_NODE, put_nodes},
    [CORD_TABLE_FORCES] = {"time,rod,edge,arc,tension,shear1,shear2", ROW_COUNT, put_forces},
    [CORD_TABLE_MOMENTS] = {"time,rod,node,arc,moment1,moment2,torque", ROW_COUNT, put_moments},
    [CORD_TABLE_BODIES] = {"time,body", ROW_BODY, put_bodies},
    [CORD_TABLE_OBSTACLES] = {"time,obstacle", ROW_OBSTACLE, put_obstacles},
    [CORD_TABLE_CONTACTS] = {"time,rod,edge,at,kind,other,other_edge,other_at", ROW_CONTACT, put_contacts},
    [CORD_TABLE_LEDGER] = {"time,entry,kind,work,exchanged,px,py,pz,Lx,Ly,Lz", ROW_COUNT, put_ledger},
};

static void put_head(FILE* file, const FrameTable* table)
{
    fputs(table->head, file);
    for (int c = 0; c < column_count; c++) {
        if (columns[c].row == table->row && columns[c].csv) {
            fprintf(file, ",%s", columns[c].csv);
        }
    }
    putc('\n', file);
}

static CordResult write_frames(FILE* file, const CordFrames* frames, const CordExportDef* def,
                               CordMessage* message)
{
    const FrameTable* table = &frame_tables[def->table];
    int total = def->last - def->first + 1;
    for (int i = 0; i < total && !ferror(file); i++) {
        CordFrame frame;
        CORD_TRY(frames->read(frames->user, def->first + i, &frame, message));
        bool solids = table->row == ROW_BODY || table->row == ROW_OBSTACLE;
        if (solids && column_rows(&frame, table->row) == 0) {
            const char* name = cord_export_table_name(def->table);
            return export_fail(message, CORD_BAD_ARGUMENT,
                               "there are no %s to export; add \"%s\" to the scene and run it again", name,
                               name);
        }
        if (i == 0) {
            put_head(file, table);
        }
        if (!table->put(file, &frame)) {
            return export_fail(message, CORD_NO_MEMORY,
                               "there is not enough memory for the forces of %d elements", frame.edge_count);
        }
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

// ---- a branch

// A field that is not known, which is a negative count or NAN, stays empty.
static void put_point(FILE* file, int index, const CordBranchPoint* point)
{
    fprintf(file, "%d", index);
    put_numbers(file, &point->time, 1);
    for (int i = 0; i < LAYOUT_BRANCH; i++) {
        const Column* column = &layout_branch[i];
        double number;
        column_get(column, point, 1, &number);
        if (column->labels) {
            put_label(file, column->labels, (int)number);
        } else {
            put_known(file, &number, 1, !isnan(number) && (number >= 0.0 || column->memory != MEMORY_INT));
        }
    }
    putc('\n', file);
}

static CordResult write_branch(FILE* file, const CordFrames* frames, const CordExportDef* def,
                               CordMessage* message)
{
    if (!frames->recording || !cord_recording_is_branch(frames->recording)) {
        return export_fail(
            message, CORD_BAD_ARGUMENT,
            "there is no branch to export; give the recording of one, which cordage solve makes");
    }
    fputs("point,time", file);
    for (int i = 0; i < LAYOUT_BRANCH; i++) {
        fprintf(file, ",%s", layout_branch[i].csv);
    }
    putc('\n', file);
    int total = def->last - def->first + 1;
    for (int i = 0; i < total && !ferror(file); i++) {
        CordBranchPoint point;
        CORD_TRY(cord_recording_branch_point(frames->recording, def->first + i, &point, message));
        put_point(file, def->first + i, &point);
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

// ---- probes

typedef struct ProbeTable { // all in memory, because a row of the file has values of every probe
    int probe_count;
    int64_t rows;
    double** columns; // time, then each probe (probe_count + 1)
    int* widths;      // (probe_count + 1)
} ProbeTable;

static void table_free(ProbeTable* table)
{
    for (int i = 0; table->columns && i <= table->probe_count; i++) {
        free(table->columns[i]);
    }
    free(table->columns);
    free(table->widths);
}

static CordResult table_read(ProbeTable* table, CordRecording* recording, CordMessage* message)
{
    table->probe_count = cord_recording_probe_count(recording);
    table->rows = cord_recording_probe_rows(recording);
    table->columns = calloc((size_t)table->probe_count + 1, sizeof *table->columns);
    table->widths = calloc((size_t)table->probe_count + 1, sizeof *table->widths);
    bool room = table->columns && table->widths;
    for (int i = 0; room && i <= table->probe_count; i++) {
        table->widths[i] = i > 0 ? cord_measure_size(cord_recording_probe_measure(recording, i - 1)) : 1;
        table->columns[i] = calloc((size_t)table->rows * (size_t)table->widths[i] + 1, sizeof(double));
        room = table->columns[i] != NULL;
    }
    if (!room) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory for %lld rows of probes",
                           (long long)table->rows);
    }
    CORD_TRY(cord_recording_probe_times(recording, table->columns[0], message));
    for (int i = 0; i < table->probe_count; i++) {
        CORD_TRY(cord_recording_probe_values(recording, i, table->columns[1 + i], message));
    }
    return CORD_OK;
}

static void put_header(FILE* file, const CordRecording* recording, const ProbeTable* table)
{
    fputs("time", file);
    for (int i = 0; i < table->probe_count; i++) {
        CordMeasure measure = cord_recording_probe_measure(recording, i);
        for (int c = 0; c < table->widths[1 + i]; c++) {
            char suffix[64];
            snprintf(suffix, sizeof suffix, ".%s", cord_measure_column(measure, c));
            putc(',', file);
            put_name(file, cord_recording_probe_name(recording, i), suffix);
        }
    }
    putc('\n', file);
}

static void put_rows(FILE* file, const ProbeTable* table, const CordExportDef* def)
{
    int total = table->rows < INT32_MAX ? (int)table->rows : INT32_MAX;
    for (int64_t row = 0; row < table->rows && !ferror(file); row++) {
        for (int i = 0; i <= table->probe_count; i++) {
            int width = table->widths[i];
            for (int c = 0; c < width; c++) {
                if (i > 0) {
                    putc(',', file);
                }
                put_number(file, table->columns[i][row * width + c]);
            }
        }
        putc('\n', file);
        if ((row + 1) % 1024 == 0 && !export_progress(def, (int)(row + 1), total)) {
            return;
        }
    }
    export_progress(def, total, total);
}

static CordResult write_probes(FILE* file, const CordFrames* frames, const CordExportDef* def,
                               CordMessage* message)
{
    if (!frames->recording || cord_recording_probe_count(frames->recording) == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "there are no probes to export; add \"probes\" to the scene and run it again");
    }
    ProbeTable table = {0};
    CordResult result = table_read(&table, frames->recording, message);
    if (result == CORD_OK) {
        put_header(file, frames->recording, &table);
        put_rows(file, &table, def);
    }
    table_free(&table);
    return result;
}

static CordResult csv_write(const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    Output out;
    CORD_TRY(output_open(&out, def->path, message));
    CordResult result = def->table == CORD_TABLE_PROBES   ? write_probes(out.file, frames, def, message)
                        : def->table == CORD_TABLE_BRANCH ? write_branch(out.file, frames, def, message)
                                                          : write_frames(out.file, frames, def, message);
    return output_finish(&out, result, message);
}

const ExportWriter export_csv = {
    .format = {"csv",
               "a table for spreadsheets and scripts: nodes, forces, bodies, contacts, probes and more"},
    .write = csv_write,
};
