// Names, numbers and bytes as text. Names may hold any bytes, so every writer escapes them.
#ifndef CORD_EXPORT_TEXT_H
#define CORD_EXPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A string literal of JSON, with its quotes. `ending` is appended inside them and must be plain ASCII.
void text_json(FILE* file, const char* text, const char* ending);
// A string literal of Python, with its quotes. In a path, bytes that are not UTF-8 are kept as Python's
// "surrogateescape" keeps them; elsewhere they become U+FFFD.
void text_python(FILE* file, const char* text, bool path);

// The shortest of 15 or 17 significant digits that reads back as the same number. The decimal separator is a
// point in every locale.
#define NUMBER_TEXT_MOST 32
const char* number_text(double value, char text[NUMBER_TEXT_MOST]);
const char* number_text_short(double value, char text[NUMBER_TEXT_MOST]); // 9 digits, for floats

typedef struct Base64 {
    FILE* file;
    uint32_t bits;
    int held; // bytes in `bits`, at most 2
} Base64;

void base64_put(Base64* b, const void* data, size_t size);
void base64_end(Base64* b); // writes the bytes held, and the padding

#endif
