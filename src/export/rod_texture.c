#include "export/rod_texture.h"

#include "export/geometry.h"
#include "export/picture.h"

#include <string.h>

enum { FINER = 16 }; // samples in a pixel, so that the border between the colours is smooth

void rod_texture_pixels(uint32_t strong, uint32_t light, uint8_t rgb[3 * ROD_TEXTURE_WIDTH])
{
    for (int i = 0; i < ROD_TEXTURE_WIDTH; i++) {
        double share = 0.0; // of the light colour
        for (int k = 0; k < FINER; k++) {
            double angle = 2.0 * CORD_PI * (i * FINER + k + 0.5) / (ROD_TEXTURE_WIDTH * FINER);
            share += picture_stage_strand(cos(angle), 0.0) / (double)FINER;
        }
        for (int c = 0; c < 3; c++) {
            double a = (double)(strong >> (16 - 8 * c) & 0xff), b = (double)(light >> (16 - 8 * c) & 0xff);
            rgb[3 * i + c] = (uint8_t)lround(a + share * (b - a));
        }
    }
}

// ---- PNG

typedef struct Png {
    uint8_t* bytes;
    size_t size;
} Png;

static void put_u32(Png* p, uint32_t value) // big-endian
{
    for (int i = 0; i < 4; i++) {
        p->bytes[p->size++] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void put_bytes(Png* p, const void* bytes, size_t size)
{
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static uint32_t crc(const uint8_t* bytes, size_t size)
{
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
        }
    }
    return ~sum;
}

static void put_chunk(Png* p, const char tag[4], const void* data, size_t size)
{
    put_u32(p, (uint32_t)size);
    size_t start = p->size;
    put_bytes(p, tag, 4);
    put_bytes(p, data, size);
    put_u32(p, crc(p->bytes + start, p->size - start));
}

static uint32_t adler(const uint8_t* bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

// One row of pixels, unfiltered and in a stored block: compressed it would not be shorter.
size_t rod_texture_png(uint32_t strong, uint32_t light, uint8_t png[ROD_TEXTURE_PNG])
{
    enum { ROW = 1 + 3 * ROD_TEXTURE_WIDTH };
    static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t head[13], data[7 + ROW + 4], row[ROW] = {0};
    Png file = {png, 0}, part = {head, 0};
    put_u32(&part, ROD_TEXTURE_WIDTH);
    put_u32(&part, 1);
    put_bytes(&part, (uint8_t[]){8, 2, 0, 0, 0}, 5); // 8 bits, RGB, defaults
    rod_texture_pixels(strong, light, row + 1);
    part = (Png){data, 0};
    put_bytes(&part, (uint8_t[]){0x78, 0x01, 0x01, ROW & 0xff, ROW >> 8, ~ROW & 0xff, ~ROW >> 8 & 0xff}, 7);
    put_bytes(&part, row, ROW);
    put_u32(&part, adler(row, ROW));
    put_bytes(&file, magic, sizeof magic);
    put_chunk(&file, "IHDR", head, sizeof head);
    put_chunk(&file, "IDAT", data, sizeof data);
    put_chunk(&file, "IEND", "", 0);
    return file.size;
}
