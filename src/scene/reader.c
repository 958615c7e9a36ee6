#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

// ---- paths

#define LONG_KEY 60 // bytes of a key that is cut short

static int index_of(const JsonValue* entry)
{
    int index = 0;
    for (const JsonValue* other = entry->parent->first; other != entry; other = other->next) {
        index++;
    }
    return index;
}

// The key of a member; a key is given as its own.
static const JsonValue* key_of(const JsonValue* member)
{
    const JsonValue* key = member->parent->first;
    while (key != member && key->next != member) {
        key = key->next->next;
    }
    return key;
}

const char* reader_path(Reader* r, const JsonValue* value)
{
    const char* text = NULL;
    if (!notes_room(r->notes, true)) {
        return "";
    }
    if (!value->parent) {
        return "the scene";
    }
    // JSON_MOST_DEPTH bounds the recursion
    const char* before = value->parent->parent ? reader_path(r, value->parent) : "";
    if (value->parent->kind == JSON_ARRAY) {
        text = pool_format(r->pool, "%s[%d]", before, index_of(value));
    } else {
        const JsonValue* key = key_of(value);
        text = pool_format(r->pool, "%s%s%s", before, *before ? "." : "",
                           key->count > LONG_KEY ? utf8_quote(key->string).text : key->string);
    }
    return text ? text : "";
}

// ---- notes

// The text is only made if the note is kept: a million errors must not cost a million sentences. The note is
// about `value`, or about its member `key` that is not given.
static void add_note(Reader* r, const JsonValue* at, const JsonValue* value, const char* key, bool is_error,
                     const char* format, va_list arguments)
{
    bool room = notes_room(r->notes, is_error), in_root = key && !value->parent;
    const char* text = room ? pool_vformat(r->pool, format, arguments) : "";
    const char* path = room && !in_root ? reader_path(r, value) : "";
    notes_add(r->notes, is_error, at->source, at->offset, "%s%s%s %s", path, key && !in_root ? "." : "",
              key ? key : "", text ? text : "");
}

bool reader_error(Reader* r, const JsonValue* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_note(r, at, at, NULL, true, format, arguments);
    va_end(arguments);
    return false;
}

void reader_warning(Reader* r, const JsonValue* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_note(r, at, at, NULL, false, format, arguments);
    va_end(arguments);
}

bool value_error(Reader* r, const JsonValue* value, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char* text = notes_room(r->notes, true) ? pool_vformat(r->pool, format, arguments) : NULL;
    va_end(arguments);
    return reader_error(r, value, "is %s; %s", reader_describe(r, value), text ? text : "");
}

bool part_error(Reader* r, const JsonValue* value, const JsonValue* part, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_note(r, part, value, NULL, true, format, arguments);
    va_end(arguments);
    return false;
}

static void add_member_note(Reader* r, const JsonValue* object, const char* key, bool is_error,
                            const char* format, va_list arguments)
{
    const JsonValue *member = json_member(object, key), *at = member ? member : object;
    add_note(r, at, at, member ? NULL : key, is_error, format, arguments);
}

bool member_error(Reader* r, const JsonValue* object, const char* key, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_member_note(r, object, key, true, format, arguments);
    va_end(arguments);
    return false;
}

void member_warning(Reader* r, const JsonValue* object, const char* key, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_member_note(r, object, key, false, format, arguments);
    va_end(arguments);
}

// ---- values and names in words

// The number as the text has it, without rounding.
static const char* describe_number(Reader* r, const JsonValue* value)
{
    const NoteText* from = &r->notes->texts[value->source];
    size_t length = 0;
    while (value->offset + length < from->size && length < 30 &&
           memchr("+-.0123456789eE", from->text[value->offset + length], 15)) {
        length++;
    }
    const char* text = pool_text(r->pool, from->text + value->offset, length);
    return text ? text : "";
}

const char* reader_describe(Reader* r, const JsonValue* value)
{
    if (!notes_room(r->notes, true)) {
        return "";
    }
    const char* text = NULL;
    switch ((JsonKind)value->kind) {
    case JSON_NULL: return "null";
    case JSON_BOOL: return value->truth ? "true" : "false";
    case JSON_NUMBER: return describe_number(r, value);
    case JSON_STRING: text = pool_format(r->pool, "%s", utf8_quote(value->string).text); break;
    case JSON_ARRAY: text = pool_format(r->pool, "a list of %u", value->count); break;
    case JSON_OBJECT: return "an object";
    }
    return text ? text : "";
}

const char* reader_names(Reader* r, const char* quote, NameAt name, const void* context, int count)
{
    const char* list = "";
    int left = 0;
    if (!notes_room(r->notes, true)) {
        return list;
    }
    for (int i = 0; i < count; i++) {
        left += name(context, i) != NULL;
    }
    for (int i = 0; i < count && list; i++) {
        const char* next = name(context, i);
        if (next) {
            left--;
            const char* after = left > 1 ? ", " : left == 1 ? " or " : "";
            list = pool_format(r->pool, "%s%s%s%s%s", list, quote, next, quote, after);
        }
    }
    return list ? list : "";
}

NameHint reader_hint(Reader* r, const char* word, NameAt name, const void* context, int count)
{
    return notes_room(r->notes, true) ? name_hint(word, name, context, count) : (NameHint){""};
}
