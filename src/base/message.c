#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

CordResult message_fail(Message* m, CordResult result, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->text, sizeof m->text, format, arguments);
    va_end(arguments);
    return result;
}

void log_write(const CordLog* log, CordLogLevel level, const char* format, ...)
{
    if (!log->write) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->user, level, text);
}
