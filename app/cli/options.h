// Parses the command line of one command from a table of its options, and prints its help from the same
// table.
//
// A long option takes its value after '=' or from the next argument. A short option takes it from the rest of
// its own argument or from the next one. "--" ends the options. Options and operands may be mixed. When an
// option is given twice the last value counts; a list option collects every value.
#ifndef CORDAGE_CLI_OPTIONS_H
#define CORDAGE_CLI_OPTIONS_H

#include "console.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum OptionKind {
    OPTION_FLAG,   // bool
    OPTION_TEXT,   // const char*
    OPTION_NUMBER, // double, finite
    OPTION_INT,    // int
    OPTION_LIST,   // OptionList, freed after the command
} OptionKind;

typedef struct OptionList {
    const char** items; // (count) the list owns them
    int count;
} OptionList;

typedef struct Option {
    const char* name; // without its dashes
    char letter;      // 0: none
    OptionKind kind;
    size_t offset;     // of the value in the command's struct of options
    const char* value; // name of the value in the help; NULL for flags
    const char* help;
} Option;

enum { OPTIONS_MOST_OPERANDS = 64 };

typedef struct Operands {
    const char* items[OPTIONS_MOST_OPERANDS];
    int count;
} Operands;

// Adds a formatted text to a list that starts as {0}.
void option_list_add(OptionList* list, const char* format, ...) CONSOLE_PRINTF(2, 3);
void option_list_free(OptionList* list);

// Returns the name nearest to a misspelt word, or NULL if none is near. name(context, i) is the i-th of
// `count` names.
const char* option_nearest(const char* word, const char* (*name)(const void* context, int i),
                           const void* context, int count);

// Reports that there is no `what` of that name. Suggests the nearest name; without one, prints the hint.
void option_no_such(const char* what, const char* name, const char* nearest, const char* hint);

// Each reads the whole text as one value. False: it is none.
bool option_number(const char* text, double* value); // a finite number
bool option_int(const char* text, int* value);
bool option_vector(const char* text, double value[3]); // "x,y,z"

#endif
