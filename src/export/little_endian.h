// Numbers as little-endian bytes, on every machine.
#ifndef CORD_EXPORT_LITTLE_ENDIAN_H
#define CORD_EXPORT_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline void little_endian_put_u32(uint8_t* to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void little_endian_put_f32(uint8_t* to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    little_endian_put_u32(to, bits);
}

static inline void little_endian_put_u64(uint8_t* to, uint64_t value)
{
    little_endian_put_u32(to, (uint32_t)value);
    little_endian_put_u32(to + 4, (uint32_t)(value >> 32));
}

static inline void little_endian_put_f64(uint8_t* to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    little_endian_put_u64(to, bits);
}

static inline uint32_t little_endian_get_u32(const uint8_t* from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline uint64_t little_endian_get_u64(const uint8_t* from)
{
    return little_endian_get_u32(from) | (uint64_t)little_endian_get_u32(from + 4) << 32;
}

#endif
