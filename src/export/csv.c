// Comma-separated values: every node of every frame, or the probes of a recording.
#include "export/export.h"
#include "export/writer.h"

#include <stdlib.h>
#include <string.h>

static void put_number(FILE* file, double value)
{
    char text[NUMBER_TEXT_MOST];
    fputs(number_text(value, text), file);
}

// A name in quotes if it would not stay in one field without (RFC 4180). `suffix` follows inside the quotes.
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

// ---------------------------------------------------------------------------------------------------- nodes

static void put_frame(FILE* file, const CordFrame* frame)
{
    for (int r = 0; r < frame->rod_count; r++) {
        const CordFrameRod* rod = &frame->rods[r];
        for (int i = 0; i < rod->node_count; i++) {
            CordVec3 x = frame->x[rod->first_node + i];
            put_number(file, frame->time);
            putc(',', file);
            put_name(file, rod->name, "");
            fprintf(file, ",%d,", i);
            put_number(file, x.x);
            putc(',', file);
            put_number(file, x.y);
            putc(',', file);
            put_number(file, x.z);
            putc('\n', file);
        }
    }
}

static CordResult write_nodes(FILE* file, const CordFrames* frames, const CordExportDef* def, CordMessage* message)
{
    fputs("time,rod,node,x,y,z\n", file);
    int total = def->last - def->first + 1;
    for (int i = 0; i < total && !ferror(file); i++) {
        CordFrame frame;
        CORD_TRY(frames->read(frames->user, def->first + i, &frame, message));
        put_frame(file, &frame);
        if (!export_progress(def, i + 1, total)) {
            break;
        }
    }
    return CORD_OK;
}

// ---------------------------------------------------------------------------------------------------- probes

typedef struct ProbeTable { // all of it in memory: a row of the file takes one value from each
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

static CordResult write_probes(FILE* file, const CordFrames* frames, const CordExportDef* def, CordMessage* message)
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
    CordResult result = def->probes ? write_probes(out.file, frames, def, message)
                                    : write_nodes(out.file, frames, def, message);
    if (result != CORD_OK) {
        output_abandon(&out);
        return result;
    }
    return output_close(&out, message);
}

const ExportWriter export_csv = {
    .format = {"csv", "a table for spreadsheets and scripts: time,rod,node,x,y,z; with probes, one column each"},
    .write = csv_write,
};
