// Decimal numbers, as JSON writes them, to the nearest double (ties to even), whatever the locale.
#ifndef CORD_SCENE_NUMBER_H
#define CORD_SCENE_NUMBER_H

#include <stddef.h>

// Reads the number at the start of text (size bytes, at least one) and sets how many bytes it takes. Returns
// NULL, or what is wrong with it; *length is then how far it was read.
const char* number_read(const char* text, size_t size, size_t* length, double* value);

#endif
