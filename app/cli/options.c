#include "options.h"

#include "command.h"
#include "console.h"
#include "heap.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values

bool option_number(const char* text, double* value)
{
    char* end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

bool option_int(const char* text, int* value)
{
    char* end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX) {
        return false;
    }
    *value = (int)number;
    return true;
}

bool option_vector(const char* text, double value[3])
{
    for (int i = 0; i < 3; i++) {
        char* end;
        value[i] = strtod(text, &end);
        if (end == text || !isfinite(value[i]) || *end != (i < 2 ? ',' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

void option_list_add(OptionList* list, const char* format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    char* text = heap_take((size_t)length + 1, 1);
    list->items = heap_grow(list->items, (size_t)list->count + 1, sizeof *list->items);
    va_start(values, format);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    list->items[list->count++] = text;
}

void option_list_free(OptionList* list)
{
    for (int i = 0; i < list->count; i++) {
        free((char*)list->items[i]);
    }
    free(list->items);
    *list = (OptionList){0};
}

// ---- nearest name

enum { WORD_MOST = 40 }; // longer words are not compared

// Damerau-Levenshtein distance: letters to insert, delete, change or swap with a neighbour to turn a into b.
static int word_distance(const char* a, const char* b)
{
    int length_a = (int)strlen(a), length_b = (int)strlen(b);
    int rows[3][WORD_MOST + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= length_b; j++) {
        before[j] = last[j] = j;
    }
    for (int i = 1; i <= length_a; i++) {
        now[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
        int* spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[length_b];
}

const char* option_nearest(const char* word, const char* (*name)(const void* context, int i),
                           const void* context, int count)
{
    size_t length = strlen(word);
    if (length == 0 || length > WORD_MOST) {
        return NULL;
    }
    const char* nearest = NULL;
    int least = 2 + (int)length / 4; // a name that differs in more letters is not suggested
    for (int i = 0; i < count; i++) {
        const char* candidate = name(context, i);
        if (strlen(candidate) > WORD_MOST) {
            continue;
        }
        bool begins = strncmp(candidate, word, length) == 0; // an abbreviation
        int distance = begins ? 1 : word_distance(word, candidate);
        if (distance < least && distance < (int)strlen(candidate)) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

void option_no_such(const char* what, const char* name, const char* nearest, const char* hint)
{
    if (nearest) {
        console_error("there is no %s \"%s\"; did you mean \"%s\"?", what, name, nearest);
    } else {
        console_error("there is no %s \"%s\"; %s", what, name, hint);
    }
}

static const char* option_name(const void* context, int i)
{
    const Command* command = context;
    return i < command->option_count ? command->options[i].name : "help";
}

// ---- help

enum { HELP_COLUMN = 26, OPTIONS_PARSED = -1 };

static void print_option(char letter, const char* name, const char* value, const char* help)
{
    char left[96];
    int width = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", letter ? '-' : ' ', letter ? letter : ' ',
                         letter ? "," : " ", name, value ? " " : "", value ? value : "");
    if (width >= HELP_COLUMN) {
        printf("%s\n%*s", left, HELP_COLUMN, "");
    } else {
        printf("%-*s", HELP_COLUMN, left);
    }
    for (const char* c = help; *c; c++) {
        putchar(*c);
        if (*c == '\n') {
            printf("%*s", HELP_COLUMN, "");
        }
    }
    putchar('\n');
}

static void print_help(const Command* command)
{
    printf("usage: cordage %s\n\n%s\n\noptions:\n", command->usage, command->about);
    for (int i = 0; i < command->option_count; i++) {
        const Option* o = &command->options[i];
        print_option(o->letter, o->name, o->value, o->help);
    }
    print_option('h', "help", NULL, "print this and stop");
    if (command->print_list) {
        command->print_list();
    }
    if (command->closing) {
        printf("\n%s\n", command->closing);
    }
}

// ---- parsing

// Returns OPTIONS_PARSED or the exit status, as the functions below do.
static int option_take(const Option* option, const char* command, const char* text, void* options)
{
    void* target = (char*)options + option->offset;
    bool fits = true;
    switch (option->kind) {
    case OPTION_FLAG: *(bool*)target = true; break;
    case OPTION_TEXT: *(const char**)target = text; break;
    case OPTION_NUMBER: fits = option_number(text, target); break;
    case OPTION_INT: fits = option_int(text, target); break;
    case OPTION_LIST: option_list_add(target, "%s", text); return OPTIONS_PARSED;
    }
    if (!fits) {
        console_error("%s --%s takes %s, not \"%s\"", command, option->name,
                      option->kind == OPTION_INT ? "a whole number" : "a number", text);
    }
    return fits ? OPTIONS_PARSED : EXIT_USAGE;
}

static const Option* option_find(const Command* command, const char* argument, size_t length)
{
    for (int i = 0; i < command->option_count; i++) {
        const Option* o = &command->options[i];
        bool is_long = strncmp(argument, "--", 2) == 0 && strlen(o->name) == length - 2 &&
                       strncmp(argument + 2, o->name, length - 2) == 0;
        bool is_short = argument[1] != '-' && o->letter && argument[1] == o->letter;
        if (is_long || is_short) {
            return o;
        }
    }
    return NULL;
}

static void option_unknown(const Command* command, const char* argument, size_t length)
{
    char word[WORD_MOST + 2];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), argument);
    const char* nearest =
        option_nearest(word + strspn(word, "-"), option_name, command, command->option_count + 1);
    if (nearest) {
        console_error("%s has no option %s; did you mean --%s?", command->name, word, nearest);
    } else {
        console_error("%s has no option %s; \"cordage %s --help\" lists those it has", command->name, word,
                      command->name);
    }
}

// Takes the option at argv[*index], and the next argument if that is its value.
static int option_parse(const Command* command, int argc, char** argv, int* index, void* options)
{
    const char* argument = argv[*index];
    bool is_long = argument[1] == '-';
    const char* equals = is_long ? strchr(argument, '=') : NULL;
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const Option* option = option_find(command, argument, length);
    if (!option) {
        option_unknown(command, argument, length);
        return EXIT_USAGE;
    }
    const char* rest = equals ? equals + 1 : !is_long && argument[2] ? argument + 2 : NULL;
    if (option->kind == OPTION_FLAG) {
        if (rest) {
            return error_usage("%s --%s takes no value", argv[0], option->name);
        }
    } else if (!rest) {
        if (*index + 1 >= argc) {
            return error_usage("%s --%s needs a value: --%s %s", argv[0], option->name, option->name,
                               option->value);
        }
        rest = argv[++*index];
    }
    return option_take(option, argv[0], rest, options);
}

static int parse(const Command* command, int argc, char** argv, void* options, Operands* operands)
{
    operands->count = 0;
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const char* argument = argv[i];
        if (options_ended || argument[0] != '-' || argument[1] == '\0') {
            if (operands->count >= command->operands.most || operands->count >= OPTIONS_MOST_OPERANDS) {
                return error_usage(
                    "%s does not know what to do with \"%s\"; \"cordage %s --help\" says what it takes",
                    argv[0], argument, argv[0]);
            }
            operands->items[operands->count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help(command);
            return EXIT_GOOD;
        } else {
            int status = option_parse(command, argc, argv, &i, options);
            if (status != OPTIONS_PARSED) {
                return status;
            }
        }
    }
    if (operands->count < command->operands.least) {
        return error_usage("%s needs more: usage is \"cordage %.*s\"", argv[0],
                           (int)strcspn(command->usage, "\n"), command->usage);
    }
    return OPTIONS_PARSED;
}

int command_run_with(const Command* command, int argc, char** argv)
{
    Operands operands;
    void* options = heap_take(1, command->size + 1);
    if (command->size > 0) {
        memcpy(options, command->defaults, command->size);
    }
    int status = parse(command, argc, argv, options, &operands);
    if (status == OPTIONS_PARSED) {
        status = command->run(options, &operands);
    }
    for (int i = 0; i < command->option_count; i++) {
        if (command->options[i].kind == OPTION_LIST) {
            option_list_free((void*)((char*)options + command->options[i].offset));
        }
    }
    free(options);
    return status;
}
