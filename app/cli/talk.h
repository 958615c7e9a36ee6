// What the program says: errors, warnings and remarks to standard error, and numbers made readable.
#ifndef CORDAGE_CLI_TALK_H
#define CORDAGE_CLI_TALK_H

#include <cordage/io.h>

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TALK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TALK_PRINTF(text, first)
#endif

void talk_error(const char* format, ...) TALK_PRINTF(1, 2);   // "cordage: error: ..."
void talk_warning(const char* format, ...) TALK_PRINTF(1, 2); // "cordage: warning: ..."
void talk_note(const char* format, ...) TALK_PRINTF(1, 2);    // the text alone

// The scene's notes as "path:line:column: error: text"; without warnings if only_errors. Returns the number
// of errors.
int talk_scene_notes(const CordScene* scene, bool only_errors);

// Texts by value, so that several fit in one printf.
typedef struct TalkText {
    char text[48];
} TalkText;

TalkText talk_duration(double seconds); // "0.42 s", "3 min 20 s", "2 h 5 min"
TalkText talk_bytes(double bytes);      // "512 B", "1.5 MB"
TalkText talk_count(int64_t count);     // "1 234 567"

const char* talk_plural(int64_t count); // "" for one, "s" for any other number

double talk_clock(void);     // seconds of a clock that never goes back [s]
double talk_cpu_clock(void); // of the processor's time, all threads of this program together [s]

#endif
