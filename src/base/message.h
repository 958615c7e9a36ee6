// The sentence that goes with a failure, and the log.
#ifndef CORD_BASE_MESSAGE_H
#define CORD_BASE_MESSAGE_H

#include <cordage/cordage.h>

typedef struct Message {
    char text[512];
} Message;

// Formats the sentence and returns `result`, so that a failure is one statement: return message_fail(m,
// CORD_..., "...").
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
CordResult
message_fail(Message* m, CordResult result, const char* format, ...);

// Messages of the library go to the caller's log; without one they are dropped.
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void log_write(const CordLog* log, CordLogLevel level, const char* format, ...);

#define CORD_TRY(call)                                                                                       \
    do {                                                                                                     \
        CordResult cord_try_result = (call);                                                                 \
        if (cord_try_result != CORD_OK) {                                                                    \
            return cord_try_result;                                                                          \
        }                                                                                                    \
    } while (0)

#endif
