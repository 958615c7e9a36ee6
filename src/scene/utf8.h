// Text that is written: characters, and quotations for messages.
#ifndef CORD_SCENE_UTF8_H
#define CORD_SCENE_UTF8_H

#include "base/utf8.h"

int utf8_write(char* out, uint32_t code); // 1 to 4 bytes; returns how many

// A text in double quotes for a message: cut short if it is long, '?' for what would upset a terminal.
typedef struct Utf8Quote {
    char text[64];
} Utf8Quote;

Utf8Quote utf8_quote(const char* text);

#endif
