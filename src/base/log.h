// What the library has to say goes to the caller's log, or nowhere.
#ifndef CORD_BASE_LOG_H
#define CORD_BASE_LOG_H

#include <cordage/cordage.h>

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void log_write(const CordLog* log, CordLogLevel level, const char* format, ...);

#endif
