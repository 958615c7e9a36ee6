// The texture of a rod: two strands, on the sides of m1 and -m1, in its strong colour, and light between them, as pictures show it.
#ifndef CORD_EXPORT_STRIPE_H
#define CORD_EXPORT_STRIPE_H

#include <stddef.h>
#include <stdint.h>

enum { STRIPE_WIDTH = 128, STRIPE_PNG = 3 * STRIPE_WIDTH + 128 }; // pixels, once around; bytes at the most

void stripe_pixels(uint32_t strong, uint32_t light, uint8_t rgb[3 * STRIPE_WIDTH]); // from m1 towards m2
size_t stripe_png(uint32_t strong, uint32_t light, uint8_t png[STRIPE_PNG]); // the same as a file; its size

#endif
