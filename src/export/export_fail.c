// In a file of its own because the module of the browser, which has no files, uses it without output.c.
#include "export/export.h"

#include <stdarg.h>

CordResult export_fail(CordMessage* message, CordResult result, const char* format, ...)
{
    if (message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
    }
    return result;
}
