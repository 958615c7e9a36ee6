#include "json.h"

#include <inttypes.h>
#include <math.h>

Json json_begin(FILE* out)
{
    return (Json){.out = out};
}

void json_end(Json* j)
{
    fputc('\n', j->out);
}

// Length of the UTF-8 character at s; 0: invalid, overlong or a surrogate.
static int utf8_length(const unsigned char* s)
{
    if (s[0] < 0x80) {
        return 1;
    }
    int length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                 : (s[0] & 0xf0) == 0xe0       ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

static void write_string(Json* j, const char* text)
{
    fputc('"', j->out);
    for (const unsigned char* s = (const unsigned char*)text; *s;) {
        int length = utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", j->out);
            length = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(j->out, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(j->out, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)length, j->out);
        }
        s += length;
    }
    fputc('"', j->out);
}

static void begin_item(Json* j, const char* key)
{
    if (j->has_items[j->depth]) {
        fputc(',', j->out);
    }
    if (j->depth > 0) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    j->has_items[j->depth] = true;
    if (key) {
        write_string(j, key);
        fputs(": ", j->out);
    }
}

static void open_group(Json* j, const char* key, char bracket)
{
    begin_item(j, key);
    fputc(bracket, j->out);
    j->has_items[++j->depth] = false;
}

static void close_group(Json* j, char bracket)
{
    bool had_items = j->has_items[j->depth--];
    if (had_items) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(bracket, j->out);
}

void json_object(Json* j, const char* key)
{
    open_group(j, key, '{');
}

void json_array(Json* j, const char* key)
{
    open_group(j, key, '[');
}

void json_close_object(Json* j)
{
    close_group(j, '}');
}

void json_close_array(Json* j)
{
    close_group(j, ']');
}

void json_text(Json* j, const char* key, const char* value)
{
    begin_item(j, key);
    if (value) {
        write_string(j, value);
    } else {
        fputs("null", j->out);
    }
}

static void write_number(Json* j, double value)
{
    if (isfinite(value)) {
        fprintf(j->out, "%.17g", value);
    } else {
        fputs("null", j->out);
    }
}

void json_number(Json* j, const char* key, double value)
{
    begin_item(j, key);
    write_number(j, value);
}

void json_int(Json* j, const char* key, int64_t value)
{
    begin_item(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void json_bool(Json* j, const char* key, bool value)
{
    begin_item(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(Json* j, const char* key)
{
    begin_item(j, key);
    fputs("null", j->out);
}

void json_vector(Json* j, const char* key, CordVec3 value)
{
    begin_item(j, key);
    fputc('[', j->out);
    write_number(j, value.x);
    fputs(", ", j->out);
    write_number(j, value.y);
    fputs(", ", j->out);
    write_number(j, value.z);
    fputc(']', j->out);
}

void json_quat(Json* j, const char* key, CordQuat value)
{
    const double parts[] = {value.x, value.y, value.z, value.w};
    json_array(j, key);
    for (int i = 0; i < 4; i++) {
        json_number(j, NULL, parts[i]);
    }
    json_close_array(j);
}
