#include "scene/names.h"

#include "base/sort.h"
#include "scene/notes.h"

#include <stdio.h>
#include <string.h>

#define MOST_LETTERS 40 // no guesses are made about longer names
#define MOST_GUESSES 1000

static char letter(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c - 'A' + 'a');
    }
    return c == '-' || c == ' ' ? '_' : c; // "Free-Along" is free_along
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// The Damerau-Levenshtein distance: letters inserted, deleted or replaced, and neighbours exchanged.
static int distance(const char* a, const char* b)
{
    int rows[3][MOST_LETTERS + 1];
    int n = (int)strlen(a), m = (int)strlen(b);
    for (int j = 0; j <= m; j++) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            bool same = letter(a[i - 1]) == letter(b[j - 1]);
            row[j] = least(above[j - 1] + !same, 1 + least(above[j], row[j - 1]));
            bool exchanged = i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) &&
                             letter(a[i - 2]) == letter(b[j - 1]);
            if (exchanged) {
                row[j] = least(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[n % 3][m];
}

// The distance of two words. If one is a part of the other, as knot of torus_knot, it is at most the limit.
static int word_distance(const char* word, const char* name, int limit)
{
    size_t n = strlen(word), m = strlen(name);
    if (m > MOST_LETTERS) {
        return limit + 1;
    }
    bool part = (n >= 3 && strstr(name, word)) || (m >= 3 && strstr(word, name));
    int edits = distance(word, name);
    return part ? least(edits, limit) : edits;
}

typedef struct Synonym { // another word for the same thing
    const char *word, *name;
    const char* why; // NULL: no explanation is needed
} Synonym;

static const Synonym synonyms[] = {
    {"cube", "box", NULL},
    {"ball", "sphere", NULL},
    {"ground", "plane", NULL},
    {"floor", "plane", NULL},
    {"midpoint", "implicit", "the midpoint rule"},
    {"implicit_midpoint", "implicit", "the midpoint rule"},
};

static const Synonym* find_synonym(const char* word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms && strlen(word) <= MOST_LETTERS; i++) {
        if (distance(word, synonyms[i].word) == 0) {
            return &synonyms[i];
        }
    }
    return NULL;
}

const char* name_nearest(const char* word, NameAt name, const void* context, int count)
{
    size_t length = strlen(word);
    if (length == 0 || length > MOST_LETTERS) {
        return NULL;
    }
    int limit = length < 2 ? 0 : length < 4 ? 1 : (int)(length + 1) / 3; // one letter is never guessed at
    const Synonym* synonym = find_synonym(word);
    const char* best = NULL;
    for (int i = 0, nearest = limit + 1; i < count && i < MOST_GUESSES; i++) {
        const char* candidate = name(context, i);
        int d = candidate ? word_distance(word, candidate, limit) : limit + 1;
        d = candidate && synonym && strcmp(candidate, synonym->name) == 0 ? 0 : d;
        if (d < nearest) {
            nearest = d;
            best = candidate;
        }
    }
    return best;
}

NameHint name_hint(const char* word, NameAt name, const void* context, int count)
{
    NameHint hint = {""};
    const char* nearest = name_nearest(word, name, context, count);
    if (nearest) {
        const Synonym* synonym = find_synonym(word);
        const char* why = synonym && strcmp(synonym->name, nearest) == 0 ? synonym->why : NULL;
        snprintf(hint.text, sizeof hint.text, "; did you mean %s%s%s%s?", utf8_quote(nearest).text,
                 why ? " (" : "", why ? why : "", why ? ")" : "");
    }
    return hint;
}

// ---- the index

static int entry_order(const void* a, const void* b)
{
    const NameEntry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : x->index - y->index;
}

bool name_index_make(Pool* pool, NameIndex* index, NameAt name, const void* context, int count)
{
    *index = (NameIndex){.sorted = pool_array(pool, NameEntry, count)};
    if (!index->sorted) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const char* text = name(context, i);
        if (text) {
            index->sorted[index->count++] = (NameEntry){text, i};
        }
    }
    heap_sort(index->sorted, index->count, sizeof *index->sorted, entry_order);
    return true;
}

int name_index_find(const NameIndex* index, const char* name)
{
    int low = 0, high = index->count; // binary search for the first that is not before `name`
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(index->sorted[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < index->count && strcmp(index->sorted[low].name, name) == 0;
    return found ? index->sorted[low].index : -1;
}
