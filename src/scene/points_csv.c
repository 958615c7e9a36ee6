// Points from a CSV file. Each line has x, y and z in metres, separated by commas, semicolons, tabs or
// spaces. Empty lines and lines that begin with # are passed over, and the first line may be a header.
#include "scene/number.h"
#include "scene/values.h"

#include <math.h>
#include <string.h>

#define MOST_POINTS 10000000

typedef struct Csv {
    const char* text;
    size_t size, at;
    const char* problem; // what is wrong at `at`; NULL: nothing
} Csv;

static int peek(const Csv* csv)
{
    return csv->at < csv->size ? (unsigned char)csv->text[csv->at] : '\n';
}

static void skip_blanks(Csv* csv)
{
    while (csv->at < csv->size && (peek(csv) == ' ' || peek(csv) == '\t' || peek(csv) == '\r')) {
        csv->at++;
    }
}

static void skip_line(Csv* csv)
{
    const char* end = memchr(csv->text + csv->at, '\n', csv->size - csv->at);
    csv->at = end ? (size_t)(end - csv->text) + 1 : csv->size;
}

static bool at_number(const Csv* csv)
{
    return strchr("+-.0123456789", peek(csv)) && peek(csv) != 0;
}

static bool read_coordinate(Csv* csv, double* value)
{
    skip_blanks(csv);
    csv->at += peek(csv) == '+';
    if (!at_number(csv)) {
        csv->problem = "expected a number";
        return false;
    }
    size_t length;
    csv->problem = number_read(csv->text + csv->at, csv->size - csv->at, &length, value);
    if (!csv->problem && fabs(*value) > quantity_position.high) {
        csv->problem = "a position is in metres and must be at most 1e9";
    }
    csv->at += csv->problem ? 0 : length;
    return !csv->problem;
}

static bool read_separator(Csv* csv)
{
    size_t before = csv->at;
    skip_blanks(csv);
    if (peek(csv) == ',' || peek(csv) == ';') {
        csv->at++;
        return true;
    }
    if (csv->at > before && peek(csv) != '\n') {
        return true;
    }
    csv->problem = "expected three numbers on this line";
    return false;
}

static bool read_row(Csv* csv, CordVec3* point)
{
    if (!read_coordinate(csv, &point->x) || !read_separator(csv) || !read_coordinate(csv, &point->y) ||
        !read_separator(csv) || !read_coordinate(csv, &point->z)) {
        return false;
    }
    skip_blanks(csv);
    if (peek(csv) != '\n') {
        csv->problem = "expected the end of the line after three numbers";
        return false;
    }
    csv->at += csv->at < csv->size;
    return true;
}

static bool row_is_empty(Csv* csv)
{
    skip_blanks(csv);
    return peek(csv) == '\n' || peek(csv) == '#';
}

// Counts the rows if points is NULL, else fills it.
static int read_rows(Csv* csv, CordVec3* points)
{
    int count = 0;
    csv->at = csv->size >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (bool first = true; csv->at < csv->size && !csv->problem;) {
        if (row_is_empty(csv)) {
            skip_line(csv);
            continue;
        }
        CordVec3 point;
        size_t start = csv->at;
        if (first && !at_number(csv)) {
            skip_line(csv);
        } else if (count == MOST_POINTS) {
            csv->problem = "there are more than 10000000 points";
        } else if (read_row(csv, &point)) {
            if (points && count > 0 && cord_vec3_equal(points[count - 1], point)) {
                csv->at = start;
                csv->problem = "this is the same point as the one before it; neighbours must be apart";
            } else if (points) {
                points[count] = point;
            }
            count++;
        }
        first = false;
    }
    return count;
}

bool read_points_file(Reader* r, const JsonValue* object, const char* path, CordShape* shape)
{
    const char *problem, *name = reader_describe(r, json_member(object, "path"));
    Csv csv = {0};
    csv.text = scene_file(r->scene, r->pool, path, JSON_MOST_BYTES, &csv.size, &problem);
    if (!csv.text) {
        return member_error(r, object, "path", "is %s: %s", name, problem ? problem : "no memory");
    }
    int count = read_rows(&csv, NULL);
    CordVec3* points = csv.problem ? NULL : pool_array(r->pool, CordVec3, count);
    if (points) {
        read_rows(&csv, points);
    }
    if (csv.problem) {
        JsonPosition at = json_position_start(csv.text, csv.size);
        json_position_move(&at, csv.at);
        return member_error(r, object, "path", "is %s: line %d, column %d: %s", name, at.line, at.column,
                            csv.problem);
    }
    if (count < 2) {
        return member_error(r, object, "path", "is %s: it has %d points; a curve needs at least two", name,
                            count);
    }
    shape->points = points;
    shape->point_count = count;
    return points != NULL;
}
