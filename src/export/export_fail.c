// Apart from files, which the browser has none of: readers there fail with a sentence, too.
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
