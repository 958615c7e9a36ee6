#include "base/utf8.h"

#include <string.h>

int utf8_length(const char* text)
{
    unsigned char c = (unsigned char)*text;
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

// Length of the valid character at text; 0: there is none.
static size_t check_one(const unsigned char* text, size_t size)
{
    unsigned char c = text[0];
    if (c < 0x80) {
        return c > 0;
    }
    if (c < 0xc2 || c > 0xf4) {
        return 0;
    }
    size_t length = (size_t)utf8_length((const char*)text);
    if (size < length) {
        return 0;
    }
    // After four first bytes the range of the second is narrower: overlong forms, surrogates, beyond
    // U+10FFFF.
    unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

size_t utf8_check(const char* text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        uint64_t eight;
        while (size - at >= sizeof eight) { // eight bytes at a time, while they are ASCII without NUL
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & 0x8080808080808080u) ||
                ((eight - 0x0101010101010101u) & ~eight & 0x8080808080808080u)) {
                break;
            }
            at += sizeof eight;
        }
        if (at == size) {
            break;
        }
        size_t length = check_one((const unsigned char*)text + at, size - at);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return size;
}
