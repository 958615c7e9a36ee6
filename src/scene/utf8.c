#include "scene/utf8.h"

#include <stdbool.h>
#include <string.h>

int utf8_length(const char* text)
{
    unsigned char c = (unsigned char)*text;
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

// Length of the well-formed character at text, 0 if there is none.
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
    // The second byte's range is narrower after four first bytes: overlong forms, surrogates, beyond
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
            if ((eight & 0x8080808080808080u) || ((eight - 0x0101010101010101u) & ~eight & 0x8080808080808080u)) {
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

int utf8_write(char* out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (char)(marks[length] | code);
    return length;
}

Utf8Quote utf8_quote(const char* text)
{
    Utf8Quote quote = {"\""};
    size_t out = 1;
    while (*text && out < sizeof quote.text - 12) {
        int length = utf8_length(text);
        unsigned char first = (unsigned char)text[0];
        bool control = first < 0x20 || first == 0x7f || (first == 0xc2 && (unsigned char)text[1] < 0xa0);
        if (control) {
            quote.text[out++] = '?';
        } else {
            memcpy(quote.text + out, text, (size_t)length);
            out += (size_t)length;
        }
        text += length;
    }
    strcpy(quote.text + out, *text ? "...\"" : "\"");
    return quote;
}
