// Decimal numbers as in JSON, rounded to the nearest double (ties to even), in any locale.
#ifndef CORD_SCENE_NUMBER_H
#define CORD_SCENE_NUMBER_H

#include <stddef.h>

// Reads the number at the start of the text (size bytes, at least one) and sets its length in bytes. Returns
// NULL, or what is wrong with it at *length.
const char* number_read(const char* text, size_t size, size_t* length, double* value);

#endif
