#include "scene/notes.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "scene/json.h"

#include <stdio.h>
#include <string.h>

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

// Names from outside may hold anything: control characters and invalid UTF-8 become '?'.
static void clean(char* text)
{
    size_t size = strlen(text);
    for (size_t at = utf8_check(text, size); at < size; at += utf8_check(text + at, size - at)) {
        text[at] = '?';
    }
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            *text = '?';
        }
    }
}

bool notes_room(const Notes* notes, bool is_error)
{
    return notes->count < NOTES_MOST && (is_error || notes->warning_count < NOTES_MOST / 2);
}

void notes_add(Notes* notes, bool is_error, uint16_t source, uint32_t offset, const char* format, ...)
{
    notes->error_count += is_error;
    if (!notes_room(notes, is_error)) {
        *(is_error ? &notes->more_errors : &notes->more_warnings) += 1;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char* text = pool_vformat(notes->pool, format, arguments);
    va_end(arguments);
    const char* setting = notes->texts[source].setting;
    if (text && setting) {
        bool is_long = strlen(setting) > 80;
        text = pool_format(notes->pool, "--set %.80s%s: %s", setting, is_long ? "..." : "", text);
    }
    if (text) {
        clean(text);
        notes->warning_count += !is_error;
        notes->list[notes->count] = (Note){
            .is_error = is_error, .source = source, .offset = offset, .number = notes->count, .text = text};
        notes->count++;
    }
}

// The order of notes: settings, then the whole file, then places in the file from top to bottom.
static uint64_t note_rank(const Note* note)
{
    if (note->source > 0) {
        return note->source;
    }
    return note->offset == NOTE_WHOLE ? (uint64_t)1 << 16 : ((uint64_t)1 << 32) + note->offset;
}

static int note_order(const void* a, const void* b)
{
    const Note *one = a, *other = b;
    uint64_t x = note_rank(one), y = note_rank(other);
    return x < y ? -1 : x > y ? 1 : one->number - other->number;
}

void notes_finish(Notes* notes)
{
    heap_sort(notes->list, notes->count, sizeof *notes->list, note_order);
    JsonPosition at = json_position_start(notes->texts[0].text, notes->texts[0].size);
    for (int i = 0; i < notes->count; i++) {
        Note* note = &notes->list[i];
        if (note->source == 0 && note->offset != NOTE_WHOLE) {
            json_position_move(&at, note->offset);
            note->line = at.line;
            note->column = at.column;
        }
    }
    if (notes->more_errors + notes->more_warnings > 0) {
        snprintf(notes->more, sizeof notes->more, "%d more errors and %d more warnings are not shown",
                 notes->more_errors, notes->more_warnings);
    }
}
