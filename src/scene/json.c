#include "scene/json.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "scene/notes.h"
#include "scene/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Parser {
    JsonTree* tree;
    const char* text;
    uint32_t size;
    uint32_t at;
    uint16_t source;
    int depth;
} Parser;

static bool parse_value(Parser* p, JsonValue* value);

// ---- errors

POOL_PRINTF(3, 4) static bool fail(Parser* p, uint32_t offset, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->tree->report.error(p->tree->report.user, p->source, offset, text);
    return false;
}

static int peek(const Parser* p)
{
    return p->at < p->size ? (unsigned char)p->text[p->at] : -1;
}

// The next character in words, for messages.
typedef struct Found {
    char text[48];
} Found;

static Found found(const Parser* p)
{
    Found f;
    int c = peek(p);
    if (c < 0) {
        snprintf(f.text, sizeof f.text, "the end of the text");
    } else if (c < 0x20 || c == 0x7f) {
        snprintf(f.text, sizeof f.text, "the control character 0x%02x", (unsigned)c);
    } else {
        int bytes = utf8_length(p->text + p->at);
        snprintf(f.text, sizeof f.text, "'%.*s'", bytes, p->text + p->at);
    }
    return f;
}

static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static int word_length(const Parser* p)
{
    uint32_t end = p->at;
    while (end < p->size && end - p->at < 40 && is_word((unsigned char)p->text[end])) {
        end++;
    }
    return (int)(end - p->at);
}

// ---- space

static bool skip_comment(Parser* p)
{
    uint32_t open = p->at;
    const char* rest = p->text + open + 2;
    size_t left = p->size - open - 2;
    if (p->text[open + 1] == '/') {
        const char* end = memchr(rest, '\n', left);
        p->at = end ? (uint32_t)(end - p->text) : p->size;
        return true;
    }
    for (const char* star = memchr(rest, '*', left); star;
         star = memchr(star + 1, '*', left - (size_t)(star + 1 - rest))) {
        if (star + 1 < rest + left && star[1] == '/') {
            p->at = (uint32_t)(star + 2 - p->text);
            return true;
        }
    }
    return fail(p, open, "this comment is never closed; write */ at its end");
}

static bool skip_space(Parser* p)
{
    for (;;) {
        int c = peek(p);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            p->at++;
        } else if (c == '/' && p->at + 1 < p->size &&
                   (p->text[p->at + 1] == '/' || p->text[p->at + 1] == '*')) {
            if (!skip_comment(p)) {
                return false;
            }
        } else {
            return true;
        }
    }
}

// ---- strings

static int hex_value(int c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The value of four hexadecimal digits at `at`; -1: they are not there.
static int32_t hex_code(const Parser* p, uint32_t at)
{
    int32_t code = 0;
    for (uint32_t i = at; i < at + 4; i++) {
        int digit = i < p->size ? hex_value((unsigned char)p->text[i]) : -1;
        if (digit < 0) {
            return -1;
        }
        code = 16 * code + digit;
    }
    return code;
}

// Writes a character in UTF-8. Returns how many bytes it has.
static int utf8_write(char* out, uint32_t code)
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

// Reads \uXXXX, or the two of a surrogate pair, from the backslash on.
static bool parse_unicode(Parser* p, char** out)
{
    uint32_t open = p->at;
    int32_t code = hex_code(p, open + 2);
    if (code < 0) {
        return fail(p, open, "\\u needs four hexadecimal digits, such as \\u00e9");
    }
    if (code == 0) {
        return fail(p, open, "a string cannot hold the character \\u0000");
    }
    p->at += 6;
    if (code >= 0xd800 && code < 0xe000) {
        bool pair =
            code < 0xdc00 && p->at + 1 < p->size && p->text[p->at] == '\\' && p->text[p->at + 1] == 'u';
        int32_t low = pair ? hex_code(p, p->at + 2) : -1;
        if (low < 0xdc00 || low >= 0xe000) {
            return fail(p, open, "\\u%.4s is half of a surrogate pair; the other half must be next to it",
                        p->text + open + 2);
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        p->at += 6;
    }
    *out += utf8_write(*out, (uint32_t)code);
    return true;
}

static bool parse_escape(Parser* p, char** out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    int c = p->at + 1 < p->size ? p->text[p->at + 1] : 0;
    if (c == 'u') {
        return parse_unicode(p, out);
    }
    const char* letter = c ? strchr(letters, c) : NULL;
    if (!letter) {
        return fail(p, p->at,
                    "this escape is not one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX; a backslash itself "
                    "is \\\\");
    }
    *(*out)++ = meanings[letter - letters];
    p->at += 2;
    return true;
}

// Finds the closing quote of the string whose content begins here.
static bool find_quote(Parser* p, uint32_t* quote)
{
    for (uint32_t i = p->at; i < p->size; i++) {
        unsigned char c = (unsigned char)p->text[i];
        if (c == '"') {
            *quote = i;
            return true;
        }
        if (c == '\n') {
            break;
        }
        if (c == '\\') {
            i++;
        } else if (c < 0x20) {
            return fail(p, i, "a string cannot hold the control character 0x%02x as it is; write \\u%04x", c,
                        c);
        }
    }
    return fail(p, p->at - 1, "this string is not closed on its line; a \" is missing");
}

static bool parse_string(Parser* p, JsonValue* value)
{
    p->at++;
    uint32_t quote = 0;
    if (!find_quote(p, &quote)) {
        return false;
    }
    // a character is never longer than its escape
    char* start = pool_take(p->tree->pool, quote - p->at + 1, 1);
    if (!start) {
        return false;
    }
    char* out = start;
    while (p->at < quote) {
        const char* from = p->text + p->at;
        const char* escape = memchr(from, '\\', quote - p->at);
        size_t plain = escape ? (size_t)(escape - from) : quote - p->at;
        memcpy(out, from, plain);
        out += plain;
        p->at += (uint32_t)plain;
        if (escape && !parse_escape(p, &out)) {
            return false;
        }
    }
    p->at = quote + 1;
    value->kind = JSON_STRING;
    value->string = start;
    value->count = (uint32_t)(out - start);
    return true;
}

// ---- words and numbers

static bool word_is(const Parser* p, int length, const char* word)
{
    return (int)strlen(word) == length && memcmp(p->text + p->at, word, (size_t)length) == 0;
}

static bool word_is_like(const Parser* p, int length, const char* word)
{
    for (int i = 0; i < length; i++) {
        if ((p->text[p->at + (uint32_t)i] | 0x20) != word[i]) {
            return false;
        }
    }
    return (int)strlen(word) == length;
}

static bool parse_word(Parser* p, JsonValue* value)
{
    int length = word_length(p);
    const char* word = p->text + p->at;
    if (word_is(p, length, "true") || word_is(p, length, "false")) {
        value->kind = JSON_BOOL;
        value->truth = *word == 't';
    } else if (word_is(p, length, "null")) {
        value->kind = JSON_NULL;
    } else if (word_is_like(p, length, "nan") || word_is_like(p, length, "inf") ||
               word_is_like(p, length, "infinity")) {
        return fail(p, p->at, "%.*s is not a number here; every number must be finite", length, word);
    } else if (word_is_like(p, length, "true") || word_is_like(p, length, "false")) {
        return fail(p, p->at, "%.*s is not a value; write it in small letters", length, word);
    } else {
        return fail(p, p->at, "%.*s is not a value; text needs double quotes around it", length, word);
    }
    p->at += (uint32_t)length;
    return true;
}

static bool parse_number(Parser* p, JsonValue* value)
{
    uint32_t start = p->at;
    size_t length;
    if (peek(p) == '-' && start + 1 < p->size && (p->text[start + 1] | 0x20) == 'i') {
        return fail(p, start, "-Infinity is not a number here; every number must be finite");
    }
    const char* problem = number_read(p->text + start, p->size - start, &length, &value->number);
    if (problem) {
        return fail(p, start, "%s", problem);
    }
    p->at += (uint32_t)length;
    if (is_word(peek(p)) || peek(p) == '.') {
        return fail(p, start, "this is not a number; numbers look like 12, -0.5 or 2e9");
    }
    value->kind = JSON_NUMBER;
    return true;
}

// ---- lists and objects

JsonValue* json_value_make(JsonTree* tree, JsonValue* parent)
{
    if (tree->value_count >= JSON_MOST_VALUES) {
        return NULL;
    }
    tree->value_count++;
    JsonValue* value = pool_array(tree->pool, JsonValue, 1);
    if (value) {
        value->parent = parent;
    }
    return value;
}

static JsonValue* value_make(Parser* p, JsonValue* parent)
{
    JsonValue* value = json_value_make(p->tree, parent);
    if (!value && !p->tree->pool->failed) {
        fail(p, p->at, "there are more than %u values; put long lists of points into a CSV file",
             JSON_MOST_VALUES);
    }
    return value;
}

// Reads the comma after an entry, unless the closing bracket follows, which the caller reads.
static bool parse_comma(Parser* p, int closing, uint32_t open)
{
    if (!skip_space(p)) {
        return false;
    }
    int c = peek(p);
    if (c == ',') {
        p->at++;
        return skip_space(p);
    }
    if (c == closing) {
        return true;
    }
    if (c < 0) {
        return fail(p, open, "this %c is never closed; a %c is missing", p->text[open], closing);
    }
    if (c == '"' || c == '{' || c == '[') {
        return fail(p, p->at, "a comma is missing before this");
    }
    return fail(p, p->at, "expected a comma or %c, not %s", closing, found(p).text);
}

static bool parse_array(Parser* p, JsonValue* array)
{
    uint32_t open = p->at++;
    array->kind = JSON_ARRAY;
    JsonValue** tail = &array->first;
    if (!skip_space(p)) {
        return false;
    }
    while (peek(p) != ']') {
        if (peek(p) < 0) {
            return fail(p, open, "this [ is never closed; a ] is missing");
        }
        JsonValue* entry = value_make(p, array);
        if (!entry || !parse_value(p, entry) || !parse_comma(p, ']', open)) {
            return false;
        }
        *tail = entry;
        tail = &entry->next;
        array->count++;
    }
    p->at++;
    return true;
}

static bool parse_key(Parser* p, JsonValue* key)
{
    key->offset = p->at;
    key->source = p->source;
    if (peek(p) == '"') {
        return parse_string(p, key);
    }
    int length = word_length(p);
    if (length > 0) {
        return fail(p, p->at, "a key needs double quotes: \"%.*s\"", length, p->text + p->at);
    }
    return fail(p, p->at, "expected a key in double quotes or }, not %s", found(p).text);
}

static bool parse_member(Parser* p, JsonValue* object, JsonValue** tail)
{
    JsonValue* key = value_make(p, object);
    JsonValue* value = key ? value_make(p, object) : NULL;
    if (!value || !parse_key(p, key) || !skip_space(p)) {
        return false;
    }
    if (peek(p) != ':') {
        return fail(p, p->at, "expected : after the key %s, not %s", utf8_quote(key->string).text,
                    found(p).text);
    }
    p->at++;
    key->next = value;
    *tail = key;
    return skip_space(p) && parse_value(p, value);
}

static bool same_key(const JsonValue* a, const JsonValue* b)
{
    return a->count == b->count && memcmp(a->string, b->string, a->count) == 0;
}

// Equal keys stay in the order of the text.
static int key_order(const void* one, const void* other)
{
    const JsonValue *a = *(const JsonValue*const*)one, *b = *(const JsonValue*const*)other;
    if (same_key(a, b)) {
        return a->offset < b->offset ? -1 : 1;
    }
    return a->count != b->count ? (a->count < b->count ? -1 : 1) : memcmp(a->string, b->string, a->count);
}

static void report_repeated(Parser* p, const JsonValue* key)
{
    fail(p, key->offset, "the key %s is given twice in this object", utf8_quote(key->string).text);
}

// Sorts the keys: unlike a hash table this is fast for any text, even a hostile one.
static bool find_repeated_keys(Parser* p, const JsonValue* object)
{
    int n = (int)object->count, i = 0;
    Memory* memory = &p->tree->pool->memory;
    const JsonValue** keys = memory_array(memory, const JsonValue*, n);
    if (!keys) {
        p->tree->pool->failed = true;
        return false;
    }
    for (const JsonValue* key = object->first; key; key = key->next->next) {
        keys[i++] = key;
    }
    heap_sort(keys, n, sizeof *keys, key_order);
    for (i = 1; i < n; i++) {
        if (same_key(keys[i - 1], keys[i])) {
            report_repeated(p, keys[i]);
        }
    }
    memory_array_free(memory, keys, n);
    return true;
}

static bool is_repeated(const JsonValue* object, const JsonValue* key)
{
    for (const JsonValue* other = object->first; other != key; other = other->next->next) {
        if (same_key(other, key)) {
            return true;
        }
    }
    return false;
}

static bool parse_object(Parser* p, JsonValue* object)
{
    uint32_t open = p->at++;
    object->kind = JSON_OBJECT;
    JsonValue** tail = &object->first;
    if (!skip_space(p)) {
        return false;
    }
    while (peek(p) != '}') {
        if (peek(p) < 0) {
            return fail(p, open, "this { is never closed; a } is missing");
        }
        if (!parse_member(p, object, tail) || !parse_comma(p, '}', open)) {
            return false;
        }
        tail = &(*tail)->next->next;
        object->count++;
    }
    p->at++;
    if (object->count > 16) {
        return find_repeated_keys(p, object);
    }
    for (const JsonValue* key = object->first; key; key = key->next->next) {
        if (is_repeated(object, key)) {
            report_repeated(p, key);
        }
    }
    return true;
}

// ---- values

static bool parse_nested(Parser* p, JsonValue* value)
{
    if (p->depth == JSON_MOST_DEPTH) {
        return fail(p, p->at, "this is nested more than %d levels deep", JSON_MOST_DEPTH);
    }
    p->depth++;
    bool done = peek(p) == '{' ? parse_object(p, value) : parse_array(p, value);
    p->depth--;
    return done;
}

static bool parse_value(Parser* p, JsonValue* value)
{
    value->offset = p->at;
    value->source = p->source;
    int c = peek(p);
    if (c == '{' || c == '[') {
        return parse_nested(p, value);
    }
    if (c == '"') {
        return parse_string(p, value);
    }
    if (c == '-' || c == '.' || (c >= '0' && c <= '9')) {
        return parse_number(p, value);
    }
    if (c == '\'') {
        return fail(p, p->at, "text needs double quotes around it, not single ones");
    }
    if (c == '+') {
        return fail(p, p->at, "a number may not start with +; leave it out");
    }
    if (is_word(c)) {
        return parse_word(p, value);
    }
    return fail(p, p->at, "expected a value, not %s", found(p).text);
}

// Refuses what is not UTF-8 text, so that the parser need not check characters.
static bool check_text(Parser* p, const char* text, size_t size)
{
    if (size > JSON_MOST_BYTES) {
        return fail(p, 0, "a scene has at most %zu MB of text; put long lists of points into CSV files",
                    JSON_MOST_BYTES >> 20);
    }
    if (size >= 4 && memcmp(text, "\x89HDF", 4) == 0) {
        return fail(p, 0, "this is an HDF5 file, such as a recording, and not a scene");
    }
    if (size >= 8 && memcmp(text, "CORDREEL", 8) == 0) {
        return fail(p, 0, "this is a reel, and not a scene; \"cordage info\" tells what is in it");
    }
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return fail(p, 0, "this text is in UTF-16; save it as UTF-8");
    }
    size_t bad = utf8_check(text, size);
    if (bad < size) {
        return fail(p, (uint32_t)bad, "the byte 0x%02x here is not UTF-8 text; a scene is a text file",
                    (unsigned)(unsigned char)text[bad]);
    }
    return true;
}

bool json_parse(JsonTree* tree, const char* text, size_t size, uint16_t source, JsonValue* value)
{
    Parser p = {.tree = tree, .text = text, .size = (uint32_t)size, .source = source};
    if (!check_text(&p, text, size)) {
        return false;
    }
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        p.at = 3; // skips a byte order mark
    }
    if (!skip_space(&p)) {
        return false;
    }
    if (peek(&p) < 0) {
        return fail(&p, p.at, "there is nothing here but space and comments");
    }
    if (!parse_value(&p, value) || !skip_space(&p)) {
        return false;
    }
    return peek(&p) < 0 || fail(&p, p.at, "expected the end of the text, not %s", found(&p).text);
}

// ---- the tree

bool json_copy(JsonTree* tree, const JsonValue* from, JsonValue* to)
{
    JsonValue *next = to->next, *parent = to->parent;
    *to = *from;
    to->next = next;
    to->parent = parent;
    if (from->kind != JSON_ARRAY && from->kind != JSON_OBJECT) {
        return true;
    }
    JsonValue** tail = &to->first;
    *tail = NULL;
    for (const JsonValue* entry = from->first; entry; entry = entry->next) {
        *tail = json_value_make(tree, to);
        if (!*tail || !json_copy(tree, entry, *tail)) { // JSON_MOST_DEPTH bounds the recursion
            return false;
        }
        tail = &(*tail)->next;
    }
    return true;
}

const JsonValue* json_member(const JsonValue* object, const char* key)
{
    for (const JsonValue* k = object->kind == JSON_OBJECT ? object->first : NULL; k; k = k->next->next) {
        if (strcmp(k->string, key) == 0) {
            return k->next;
        }
    }
    return NULL;
}

JsonPosition json_position_start(const char* text, size_t size)
{
    bool marked = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; // a byte order mark takes no column
    return (JsonPosition){.text = text, .size = size, .offset = marked ? 3 : 0, .line = 1, .column = 1};
}

void json_position_move(JsonPosition* at, size_t offset)
{
    for (; at->offset < offset && at->offset < at->size; at->offset++) {
        char c = at->text[at->offset];
        if (c == '\n') {
            at->line++;
            at->column = 1;
        } else if (((unsigned char)c & 0xc0) != 0x80) { // not a continuation byte of UTF-8
            at->column++;
        }
    }
}
