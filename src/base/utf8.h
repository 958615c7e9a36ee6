// UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF. NUL counts as an
// error too.
#ifndef CORD_BASE_UTF8_H
#define CORD_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

size_t utf8_check(const char* text, size_t size); // offset of the first byte that is wrong; size: none is
int utf8_length(const char* text); // bytes of the character that begins here, in text that is right

#endif
