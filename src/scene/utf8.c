#include "scene/utf8.h"

#include <stdbool.h>
#include <string.h>

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
