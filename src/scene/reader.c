#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

// ---- paths

static int path_write(const Path* path, char* out, size_t size)
{
    if (!path) {
        return 0;
    }
    int used = path_write(path->up, out, size); // JSON_MOST_DEPTH bounds the recursion
    size_t left = (size_t)used < size ? size - (size_t)used : 0;
    char* at = left > 0 ? out + used : NULL;
    if (path->key) {
        return used + snprintf(at, left, "%s%s", path->up ? "." : "", path->key);
    }
    return used + snprintf(at, left, "[%d]", path->index);
}

const char* reader_path(Reader* r)
{
    if (!r->path) {
        return "the scene";
    }
    int size = path_write(r->path, NULL, 0);
    char* text = pool_take(r->pool, (size_t)size + 1, 1);
    if (!text) {
        return "";
    }
    path_write(r->path, text, (size_t)size + 1);
    return text;
}

void reader_enter(Reader* r, Path* path, const char* key)
{
    *path = (Path){r->path, key, 0};
    r->path = path;
}

void reader_enter_index(Reader* r, Path* path, int index)
{
    *path = (Path){r->path, NULL, index};
    r->path = path;
}

void reader_enter_entry(Reader* r, Path path[2], const char* list, int index)
{
    reader_enter(r, &path[0], list);
    reader_enter_index(r, &path[1], index);
}

void reader_leave(Reader* r, const Path* path)
{
    r->path = path->up;
}

// ---- notes

// The text is only made if the note is kept: a million errors must not cost a million sentences.
static void add_note(Reader* r, const JsonValue* at, bool is_error, const char* format, va_list arguments)
{
    bool room = notes_room(r->notes, is_error);
    const char* text = room ? pool_vformat(r->pool, format, arguments) : "";
    notes_add(r->notes, is_error, at->source, at->offset, "%s %s", room ? reader_path(r) : "",
              text ? text : "");
}

void reader_error(Reader* r, const JsonValue* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_note(r, at, true, format, arguments);
    va_end(arguments);
}

void reader_warning(Reader* r, const JsonValue* at, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_note(r, at, false, format, arguments);
    va_end(arguments);
}

static void add_member_note(Reader* r, const JsonValue* object, const char* key, bool is_error,
                            const char* format, va_list arguments)
{
    const JsonValue* at = json_member(object, key);
    Path path;
    reader_enter(r, &path, key);
    add_note(r, at ? at : object, is_error, format, arguments);
    reader_leave(r, &path);
}

void member_error(Reader* r, const JsonValue* object, const char* key, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_member_note(r, object, key, true, format, arguments);
    va_end(arguments);
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
