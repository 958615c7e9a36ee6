// The texture of a rod, as pictures show it: two strands in the strong colour, along m1 and -m1, and the
// light colour between them.
#ifndef CORD_EXPORT_ROD_TEXTURE_H
#define CORD_EXPORT_ROD_TEXTURE_H

#include <stddef.h>
#include <stdint.h>

enum {
    ROD_TEXTURE_WIDTH = 128,                      // pixels, once around
    ROD_TEXTURE_PNG = 3 * ROD_TEXTURE_WIDTH + 128 // largest size of the file [bytes]
};

// The pixels once around the rod, from m1 towards m2.
void rod_texture_pixels(uint32_t strong, uint32_t light, uint8_t rgb[3 * ROD_TEXTURE_WIDTH]);
// The same as a PNG file; returns its size.
size_t rod_texture_png(uint32_t strong, uint32_t light, uint8_t png[ROD_TEXTURE_PNG]);

#endif
