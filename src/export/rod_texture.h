// The texture of a rod: two strands, on the sides of m1 and -m1, in its strong colour, and light between
// them, as pictures show it.
#ifndef CORD_EXPORT_ROD_TEXTURE_H
#define CORD_EXPORT_ROD_TEXTURE_H

#include <stddef.h>
#include <stdint.h>

enum {
    ROD_TEXTURE_WIDTH = 128,
    ROD_TEXTURE_PNG = 3 * ROD_TEXTURE_WIDTH + 128
}; // pixels, once around; bytes at the most

// from m1 towards m2
void rod_texture_pixels(uint32_t strong, uint32_t light, uint8_t rgb[3 * ROD_TEXTURE_WIDTH]);
// the same as a file; its size
size_t rod_texture_png(uint32_t strong, uint32_t light, uint8_t png[ROD_TEXTURE_PNG]);

#endif
