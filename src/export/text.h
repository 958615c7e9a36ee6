// Names in files that have their own way of writing characters. They come from anywhere: nothing is taken for
// granted.
#ifndef CORD_EXPORT_TEXT_H
#define CORD_EXPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

void text_json(FILE* file, const char* text, const char* ending); // in quotes; the ending is of plain letters
void text_python(FILE* file, const char* text,
                 bool path); // in quotes; in a path, bytes that are no UTF-8 are kept as Python keeps them

#endif
