#include "export/text.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

// What stands for a byte that is no UTF-8: no character has these numbers, and Python's file names mean the
// same by them.
enum { BAD = 0xdc00 };

static uint32_t next(const char** text) // the character that it begins with
{
    const unsigned char* c = (const unsigned char*)*text;
    size_t length = (size_t)utf8_length(*text);
    if (utf8_check(*text, strnlen(*text, length)) < length) {
        (*text)++;
        return BAD + c[0];
    }
    uint32_t code = length == 1 ? c[0] : (uint32_t)(c[0] & (0xff >> (length + 1)));
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | (c[i] & 0x3f);
    }
    *text += length;
    return code;
}

static bool is_bad(uint32_t code)
{
    return code >= BAD && code < BAD + 0x100;
}

static bool is_plain(uint32_t code) // in quotes of either kind
{
    return code >= 0x20 && code <= 0x7e && code != '"' && code != '\\' && code != '\'';
}

void text_json(FILE* file, const char* text, const char* ending)
{
    putc('"', file);
    while (*text != '\0') {
        uint32_t code = next(&text);
        code = is_bad(code) ? REPLACEMENT : code;
        if (is_plain(code)) {
            putc((int)code, file);
        } else if (code >= 0x10000) { // as two halves
            fprintf(file, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        } else {
            fprintf(file, "\\u%04x", code);
        }
    }
    fprintf(file, "%s\"", ending);
}

void text_python(FILE* file, const char* text, bool path)
{
    putc('"', file);
    while (*text != '\0') {
        uint32_t code = next(&text);
        code = is_bad(code) && !path ? REPLACEMENT : code;
        if (is_plain(code)) {
            putc((int)code, file);
        } else {
            fprintf(file, code >= 0x10000 ? "\\U%08x" : "\\u%04x", code);
        }
    }
    putc('"', file);
}
