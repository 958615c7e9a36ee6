// Exit status, messages to standard error, readable numbers, and clocks.
#ifndef CORDAGE_CLI_CONSOLE_H
#define CORDAGE_CLI_CONSOLE_H

#include <cordage/io.h>

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CONSOLE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CONSOLE_PRINTF(text, first)
#endif

// The exit status of every command.
enum {
    EXIT_GOOD = 0,   // it worked
    EXIT_FAILED = 1, // the run failed: it diverged, the disk was full, it was interrupted
    EXIT_USAGE = 2,  // the user's input was wrong: an option, a path, a scene
};

void console_error(const char* format, ...) CONSOLE_PRINTF(1, 2);   // "cordage: error: ..."
void console_warning(const char* format, ...) CONSOLE_PRINTF(1, 2); // "cordage: warning: ..."
void console_note(const char* format, ...) CONSOLE_PRINTF(1, 2);    // the text alone

// Each reports an error as console_error does, and returns what its name says.
#define error_false(...) (console_error(__VA_ARGS__), false)
#define error_usage(...) (console_error(__VA_ARGS__), EXIT_USAGE)
#define error_failed(...) (console_error(__VA_ARGS__), EXIT_FAILED)

// Prints the scene's notes as "path:line:column: error: text". Returns the number of errors.
int console_scene_notes(const CordScene* scene, bool only_errors);

// By value, so that several fit in one printf.
typedef struct Text {
    char text[48];
} Text;

Text text_duration(double seconds); // "0.42 s", "3 min 20 s", "2 h 5 min"
Text text_bytes(double bytes);      // "512 B", "1.5 MB"
Text text_count(int64_t count);     // "1 234 567"
Text text_percent(double share);    // "0.0012 %", "100 %"

bool text_ends_with(const char* text, const char* ending); // and is longer

const char* text_plural(int64_t count); // "" for one, "s" for any other number

double clock_wall(void); // monotonic [s]
double clock_cpu(void);  // processor time of all threads [s]

#endif
