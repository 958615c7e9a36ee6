#include "export/text.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

// ---- names
enum { REPLACEMENT = 0xfffd };

// Added to a byte that is not UTF-8. These codes are lone surrogates, which no character has, and Python's
// "surrogateescape" uses the same ones.
enum { BAD = 0xdc00 };

static uint32_t next(const char** text) // the next character, and moves on
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

static bool is_plain(uint32_t code) // needs no escape in quotes of either kind
{
    return code >= 0x20 && code <= 0x7e && code != '"' && code != '\\' && code != '\'';
}

typedef enum Language { JSON, PYTHON, PYTHON_PATH } Language;

static void put_quoted(FILE* file, const char* text, const char* ending, Language language)
{
    putc('"', file);
    while (*text != '\0') {
        uint32_t code = next(&text);
        code = is_bad(code) && language != PYTHON_PATH ? REPLACEMENT : code;
        if (is_plain(code)) {
            putc((int)code, file);
        } else if (code < 0x10000) {
            fprintf(file, "\\u%04x", code);
        } else if (language == JSON) { // a surrogate pair
            fprintf(file, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        } else {
            fprintf(file, "\\U%08x", code);
        }
    }
    fprintf(file, "%s\"", ending);
}

void text_json(FILE* file, const char* text, const char* ending)
{
    put_quoted(file, text, ending, JSON);
}

void text_python(FILE* file, const char* text, bool path)
{
    put_quoted(file, text, "", path ? PYTHON_PATH : PYTHON);
}

// ---- numbers

// Every character that is not a digit, a sign or a letter belongs to the locale's decimal separator, which
// may have several bytes.
static const char* text_with_point(char text[NUMBER_TEXT_MOST])
{
    size_t kept = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        bool plain = strchr("0123456789+-einfa", text[i]) != NULL;
        if (plain) {
            text[kept++] = text[i];
        } else if (kept == 0 || text[kept - 1] != '.') {
            text[kept++] = '.';
        }
    }
    text[kept] = '\0';
    return text;
}

const char* number_text(double value, char text[NUMBER_TEXT_MOST])
{
    snprintf(text, NUMBER_TEXT_MOST, "%.15g", value);
    if (value == value && strtod(text, NULL) != value) {
        snprintf(text, NUMBER_TEXT_MOST, "%.17g", value);
    }
    return text_with_point(text);
}

const char* number_text_short(double value, char text[NUMBER_TEXT_MOST])
{
    snprintf(text, NUMBER_TEXT_MOST, "%.9g", value);
    return text_with_point(text);
}

// ---- bytes

static void base64_group(Base64* b, int bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = b->bits << (8 * (3 - bytes));
    char text[4];
    for (int i = 0; i < 4; i++) {
        text[i] = i <= bytes ? digits[(bits >> (18 - 6 * i)) & 63] : '=';
    }
    fwrite(text, 1, 4, b->file);
    b->bits = 0;
    b->held = 0;
}

void base64_put(Base64* b, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; i++) {
        b->bits = b->bits << 8 | bytes[i];
        b->held++;
        if (b->held == 3) {
            base64_group(b, 3);
        }
    }
}

void base64_end(Base64* b)
{
    if (b->held > 0) {
        base64_group(b, b->held);
    }
}
