#include "console.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void say(const char* kind, const char* format, va_list values)
{
    fputs(kind, stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

void console_error(const char* format, ...)
{
    va_list values;
    va_start(values, format);
    say("cordage: error: ", format, values);
    va_end(values);
}

void console_warning(const char* format, ...)
{
    va_list values;
    va_start(values, format);
    say("cordage: warning: ", format, values);
    va_end(values);
}

void console_note(const char* format, ...)
{
    va_list values;
    va_start(values, format);
    say("", format, values);
    va_end(values);
}

int console_scene_notes(const CordScene* scene, bool only_errors)
{
    int errors = 0;
    for (int i = 0; i < cord_scene_note_count(scene); i++) {
        CordSceneNote note = cord_scene_note(scene, i);
        errors += note.is_error;
        if (only_errors && !note.is_error) {
            continue;
        }
        const char* kind = note.is_error ? "error" : "warning";
        if (note.line > 0) {
            fprintf(stderr, "%s:%d:%d: %s: %s\n", cord_scene_path(scene), note.line, note.column, kind,
                    note.text);
        } else {
            fprintf(stderr, "%s: %s: %s\n", cord_scene_path(scene), kind, note.text);
        }
    }
    return errors;
}

Text text_duration(double seconds)
{
    Text t;
    int whole = seconds < 2e9 ? (int)seconds : 0;
    if (!(seconds < 2e9)) {
        snprintf(t.text, sizeof t.text, "decades");
    } else if (seconds < 60.0) {
        snprintf(t.text, sizeof t.text, seconds < 1.0 ? "%.2g s" : "%.3g s", seconds);
    } else if (seconds < 3600.0) {
        snprintf(t.text, sizeof t.text, "%d min %d s", whole / 60, whole % 60);
    } else if (seconds < 86400.0) {
        snprintf(t.text, sizeof t.text, "%d h %d min", whole / 3600, whole / 60 % 60);
    } else {
        snprintf(t.text, sizeof t.text, "%d d %d h", whole / 86400, whole / 3600 % 24);
    }
    return t;
}

Text text_bytes(double bytes)
{
    static const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000.0;
        unit++;
    }
    Text t;
    snprintf(t.text, sizeof t.text, "%.3g %s", bytes, units[unit]);
    return t;
}

Text text_percent(double share)
{
    Text t;
    double percent = 100.0 * share;
    snprintf(t.text, sizeof t.text, fabs(percent) >= 10.0 && fabs(percent) < 1e6 ? "%.0f %%" : "%.2g %%",
             percent);
    return t;
}

Text text_count(int64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    int sign = digits[0] == '-';
    Text t;
    int n = 0;
    for (int i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0) {
            t.text[n++] = ' ';
        }
        t.text[n++] = digits[i];
    }
    t.text[n] = '\0';
    return t;
}

bool text_ends_with(const char* text, const char* ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length > ending_length && strcmp(text + length - ending_length, ending) == 0;
}

const char* text_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

double clock_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_cpu(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) {
        return clock_wall();
    }
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
