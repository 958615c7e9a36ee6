// The command line of one command: its options, its operands, its help.
//
// A long option takes its value after '=' or as the next argument, a short one as the rest of its own
// argument or the next; "--" ends the options; options and operands mix freely. An option given twice takes
// its last value, a list option collects them all.
#ifndef CORDAGE_CLI_OPTIONS_H
#define CORDAGE_CLI_OPTIONS_H

#include <stdbool.h>

typedef enum OptionKind {
    OPTION_FLAG,   // bool*
    OPTION_TEXT,   // const char**
    OPTION_NUMBER, // double*, finite
    OPTION_INT,    // int*
    OPTION_LIST,   // OptionList*
} OptionKind;

typedef struct OptionList {
    const char** items; // (count) as many as there are arguments at the most
    int count;
} OptionList;

typedef struct Option {
    const char* name; // without its dashes
    char letter;      // 0: none
    OptionKind kind;
    void* target;      // what is not given is left alone
    const char* value; // what the help calls the value; NULL for flags
    const char* help;
} Option;

typedef struct OptionSet {
    const char* usage; // "run SCENE [options]"; several lines if there are several ways
    const char* about; // what the command does
    const Option* options;
    int option_count;
    const char* closing; // after the options: notes and examples
    int least, most;     // operands
} OptionSet;

enum { OPTIONS_MOST_OPERANDS = 8 };

typedef struct Operands {
    const char* items[OPTIONS_MOST_OPERANDS];
    int count;
} Operands;

enum { OPTIONS_PARSED = -1 };

// Fills in the targets and the operands. OPTIONS_PARSED: go on; any other value is the exit status (help was
// asked for and printed, or something was wrong and said).
int options_parse(const OptionSet* set, int argc, char** argv, Operands* operands);

// A list option's memory: room for every argument. To be freed whatever options_parse returns.
bool option_list_make(OptionList* list, int argc);
void option_list_free(OptionList* list);

// The name nearest to a misspelt one, or NULL if none is near. name(context, i) gives the i-th, for i in [0,
// count).
const char* option_nearest(const char* word, const char* (*name)(const void* context, int i),
                           const void* context, int count);

bool option_number(const char* text, double* value);   // the whole text is one finite number
bool option_int(const char* text, int* value);         // the whole text is one int
bool option_vector(const char* text, double value[3]); // "x,y,z"

#endif
