// Errors and warnings about a scene. They are collected while it is read, and sorted by place at the end.
#ifndef CORD_SCENE_NOTES_H
#define CORD_SCENE_NOTES_H

#include "scene/pool.h"

#define NOTES_MOST 100        // further notes are only counted
#define NOTE_WHOLE UINT32_MAX // the offset of a note about the whole text

typedef struct NoteText { // a text that values are from
    const char* text;
    size_t size;
    const char* setting; // the whole setting; NULL: the text is the scene file
} NoteText;

typedef struct Note {
    bool is_error;
    uint16_t source;
    uint32_t offset;
    int number;       // in the order in which they were added
    int line, column; // set by notes_finish
    const char* text;
} Note;

typedef struct Notes {
    Pool* pool;
    const NoteText* texts; // by source; the scene file is 0
    Note list[NOTES_MOST];
    int count;
    int warning_count;              // kept warnings: at most half of all, to leave room for errors
    int more_errors, more_warnings; // not kept
    char more[80];                  // a sentence about them; set by notes_finish
    int error_count;                // all errors, kept or not
} Notes;

// A text in double quotes for a message: cut short if it is long, with '?' for control characters.
typedef struct Utf8Quote {
    char text[64];
} Utf8Quote;

Utf8Quote utf8_quote(const char* text);

bool notes_room(const Notes* notes, bool is_error); // whether one more would be kept
POOL_PRINTF(5, 6)
void notes_add(Notes* notes, bool is_error, uint16_t source, uint32_t offset, const char* format, ...);
void notes_finish(Notes* notes); // sorts them, and finds lines and columns

#endif
