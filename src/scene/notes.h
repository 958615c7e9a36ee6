// What is wrong with a scene, or worth knowing: collected while it is read, sorted by place at the end.
#ifndef CORD_SCENE_NOTES_H
#define CORD_SCENE_NOTES_H

#include "scene/pool.h"

#define NOTES_MOST 100        // after these they are only counted
#define NOTE_WHOLE UINT32_MAX // as an offset: about the whole text

typedef struct NoteText { // a text that values stand in
    const char* text;
    size_t size;
    const char* setting; // the setting it is from, as given; NULL: it is the scene file
} NoteText;

typedef struct Note {
    bool is_error;
    uint16_t source;
    uint32_t offset;
    int line, column; // set by notes_finish
    const char* text;
} Note;

typedef struct Notes {
    Pool* pool;
    const NoteText* texts; // by source; the scene file is 0
    Note list[NOTES_MOST];
    int count;
    int warning_count;              // of those kept: at most half, so that errors find room
    int more_errors, more_warnings; // not kept
    char more[80];                  // says so; set by notes_finish
    int error_count;                // all, kept or not
} Notes;

// A text in double quotes for a message: cut short if it is long, with '?' for control characters.
typedef struct Utf8Quote {
    char text[64];
} Utf8Quote;

Utf8Quote utf8_quote(const char* text);

bool notes_room(const Notes* notes, bool is_error); // one more would be kept; else its text need not be made
POOL_PRINTF(5, 6)
void notes_add(Notes* notes, bool is_error, uint16_t source, uint32_t offset, const char* format, ...);
void notes_finish(Notes* notes); // sorts, finds lines and columns

#endif
