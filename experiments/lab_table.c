// Tables: a csv file each, and printed where that is asked for.
#include "lab_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int lab_table_index(const Lab* lab, const char* name)
{
    const LabTable* tables = lab->experiment->tables;
    for (int i = 0; tables && tables[i].name; i++) {
        if (strcmp(tables[i].name, name) == 0) {
            return i;
        }
    }
    fprintf(stderr, "%s has no table \"%s\"\n", lab->experiment->id, name);
    exit(EXIT_FAILURE);
}

int lab_column(const LabTable* table, const char* name, size_t length)
{
    const char* at = table->columns;
    for (int i = 1; at; i++) {
        size_t size = strcspn(at, ","), word = strcspn(at, "[,");
        while (word > 0 && at[word - 1] == ' ') {
            word--;
        }
        if (word == length && strncmp(at, name, length) == 0) {
            return i;
        }
        at = at[size] ? at + size + 1 : NULL;
    }
    return 0;
}

// The widths of printed columns are those of their names, and never less than a number's.
static const char* print_name(const char* columns, bool text)
{
    enum { TEXT = 28, NUMBER = 11 };
    int length = (int)strcspn(columns, ",");
    printf(text ? "  %-*.*s" : " %*.*s", text ? TEXT : NUMBER, length, columns);
    return columns[length] ? columns + length + 1 : NULL;
}

static bool open_sheet(Lab* lab, const LabTable* table, LabSheet* sheet, bool text)
{
    char name[100];
    snprintf(name, sizeof name, "%s%s%s.csv", lab->experiment->id, *table->name ? "-" : "", table->name);
    sheet->csv = lab->host->file(lab->directory, name);
    if (!sheet->csv) {
        lab->failed++;
        return false;
    }
    fprintf(sheet->csv, "%s\n", table->columns);
    const char* column = table->shown ? table->columns : NULL;
    for (bool first = true; column; first = false) {
        column = print_name(column, text && first);
    }
    printf(table->shown ? "\n" : "");
    return true;
}

static int series_number(const LabSheet* sheet, const char* series) // -1: there is none of this name
{
    int i = sheet->series_count - 1;
    while (i >= 0 && (!series || strcmp(sheet->series[i], series) != 0)) {
        i--;
    }
    return i;
}

static void keep_row(LabSheet* sheet, const char* series, const double* values, int count)
{
    if (series && series_number(sheet, series) < 0 && sheet->series_count < LAB_SERIES) {
        snprintf(sheet->series[sheet->series_count++], LAB_SERIES_SIZE, "%s", series);
    }
    if (sheet->row_count == sheet->room) {
        sheet->room = 2 * sheet->room + 100;
        sheet->column_count = count;
        sheet->values = realloc(sheet->values, sizeof *sheet->values * (size_t)(sheet->room * count));
        sheet->of = realloc(sheet->of, sizeof *sheet->of * (size_t)sheet->room);
        if (!sheet->values || !sheet->of) {
            fprintf(stderr, "there is no memory for a table\n");
            exit(EXIT_FAILURE);
        }
    }
    sheet->of[sheet->row_count] = series_number(sheet, series);
    memcpy(sheet->values + sheet->row_count * count, values, sizeof *values * (size_t)count);
    sheet->row_count++;
}

void lab_row_of(Lab* lab, const char* table, const char* series, const double* values, int count)
{
    int index = lab_table_index(lab, table);
    LabSheet* sheet = &lab->sheets[index];
    if (!sheet->csv && !open_sheet(lab, &lab->experiment->tables[index], sheet, series != NULL)) {
        return;
    }
    bool shown = lab->experiment->tables[index].shown;
    keep_row(sheet, series, values, count);
    if (series) {
        fprintf(sheet->csv, "%s,", series);
        if (shown) {
            printf("  %-28s", series);
        }
    }
    for (int i = 0; i < count; i++) {
        fprintf(sheet->csv, "%.10g%c", values[i], i < count - 1 ? ',' : '\n');
        if (shown && isnan(values[i])) {
            printf(" %11s", "-");
        } else if (shown) {
            printf(" %11.5g", values[i]);
        }
    }
    printf(shown ? "\n" : "");
}

// ---- what a table holds

typedef struct Column { // of a series
    const LabSheet* sheet;
    int index, series; // series -1: all rows
} Column;

static Column find_column(const Lab* lab, const char* table, const char* series, const char* column)
{
    int index = lab_table_index(lab, table);
    const LabTable* t = &lab->experiment->tables[index];
    Column c = {
        .sheet = &lab->sheets[index], .index = lab_column(t, column, strlen(column)) - 1, .series = -1};
    if (series) {
        int number = series_number(c.sheet, series);
        c.series = number >= 0 ? number : LAB_SERIES; // a name that no row has: the column is empty
    }
    c.index -= c.sheet->series_count > 0; // the first column is text
    return c;
}

static bool next_value(const Column* c, int* row, double* value)
{
    const LabSheet* s = c->sheet;
    while (*row < s->row_count && c->series >= 0 && s->of[*row] != c->series) {
        (*row)++;
    }
    bool there = c->index >= 0 && *row < s->row_count;
    *value = there ? s->values[*row * s->column_count + c->index] : (double)NAN;
    (*row)++;
    return there;
}

// The greatest of the values times a sign.
static double extreme(const Lab* lab, const char* table, const char* series, const char* column, double sign)
{
    Column c = find_column(lab, table, series, column);
    double most = NAN, value;
    for (int row = 0; next_value(&c, &row, &value);) {
        if (isnan(value)) {
            return NAN;
        }
        most = sign * value <= most ? most : sign * value;
    }
    return most;
}

double lab_most(const Lab* lab, const char* table, const char* series, const char* column)
{
    return extreme(lab, table, series, column, 1.0);
}

double lab_least(const Lab* lab, const char* table, const char* series, const char* column)
{
    return -extreme(lab, table, series, column, -1.0);
}

double lab_mean(const Lab* lab, const char* table, const char* series, const char* column, double from,
                double to)
{
    Column c = find_column(lab, table, series, column), time = find_column(lab, table, series, "time");
    double sum = 0.0, value, at;
    int count = 0;
    for (int row = 0, same = 0; next_value(&c, &row, &value) && next_value(&time, &same, &at);) {
        bool within = at > from && at <= to;
        sum += within ? value : 0.0;
        count += within;
    }
    return sum / count;
}

double lab_at(const Lab* lab, const char* table, const char* series, const char* column, double time)
{
    Column c = find_column(lab, table, series, column), times = find_column(lab, table, series, "time");
    double nearest = INFINITY, found = NAN, value, at;
    for (int row = 0, same = 0; next_value(&c, &row, &value) && next_value(&times, &same, &at);) {
        found = fabs(at - time) < nearest ? value : found;
        nearest = fmin(nearest, fabs(at - time));
    }
    return found;
}

double lab_first(const Lab* lab, const char* table, const char* series, const char* column, double above,
                 const char* other)
{
    Column c = find_column(lab, table, series, column), o = find_column(lab, table, series, other);
    double value, found;
    for (int row = 0, same = 0; next_value(&c, &row, &value) && next_value(&o, &same, &found);) {
        if (value > above) {
            return found;
        }
    }
    return NAN;
}

double lab_power(const Lab* lab, const char* table, const char* series, const char* x, const char* y)
{
    Column a = find_column(lab, table, series, x), b = find_column(lab, table, series, y);
    double n = 0.0, su = 0.0, sv = 0.0, suu = 0.0, suv = 0.0, p, q;
    for (int row = 0, same = 0; next_value(&a, &row, &p) && next_value(&b, &same, &q);) {
        if (p > 0.0 && q > 0.0) {
            double u = log(p), v = log(q);
            n += 1.0, su += u, sv += v, suu += u * u, suv += u * v;
        }
    }
    return (n * suv - su * sv) / (n * suu - su * su);
}

double lab_last(const Lab* lab, const char* table, const char* series, const char* column)
{
    Column c = find_column(lab, table, series, column);
    double last = NAN, value;
    for (int row = 0; next_value(&c, &row, &value);) {
        last = value;
    }
    return last;
}

bool lab_tables_close(Lab* lab)
{
    bool good = true;
    for (int i = 0; i < LAB_TABLES_MOST; i++) {
        free(lab->sheets[i].values);
        free(lab->sheets[i].of);
        if (lab->sheets[i].csv && fclose(lab->sheets[i].csv) != 0) {
            lab->host->note("%s/%s: a table could not be written", lab->directory, lab->experiment->id);
            good = false;
        }
    }
    return good;
}
