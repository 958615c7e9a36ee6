// Numbers as bytes of files: the lowest byte first, on every machine.
#ifndef CORD_EXPORT_LITTLE_H
#define CORD_EXPORT_LITTLE_H

#include <stdint.h>
#include <string.h>

static inline void little_u32(uint8_t* to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void little_f32(uint8_t* to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    little_u32(to, bits);
}

#endif
