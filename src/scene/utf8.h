// UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF. NUL counts as an
// error too.
#ifndef CORD_SCENE_UTF8_H
#define CORD_SCENE_UTF8_H

#include <stddef.h>
#include <stdint.h>

size_t utf8_check(const char* text, size_t size); // offset of the first byte that is wrong; size: none is
int utf8_length(const char* text);        // bytes of the character that begins here, in text that is right
int utf8_write(char* out, uint32_t code); // 1 to 4 bytes; returns how many

// A text in double quotes for a message: cut short if it is long, '?' for what would upset a terminal.
typedef struct Utf8Quote {
    char text[64];
} Utf8Quote;

Utf8Quote utf8_quote(const char* text);

#endif
