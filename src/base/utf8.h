// UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. NUL is an error too.
#ifndef CORD_BASE_UTF8_H
#define CORD_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

size_t utf8_check(const char* text, size_t size); // offset of the first invalid byte; size: all are valid
int utf8_length(const char* text);                // bytes of the character that begins here, in valid text

#endif
