// The parser of the command line under random input: each piece up to a zero is an argument.
#include "../../app/cli/command.h"
#include "../../app/cli/settings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MOST_ARGUMENTS = 32 };

typedef struct FuzzOptions {
    const char *text, *model, *step, *vector;
    double number;
    int count;
    bool flag;
    OptionList settings;
} FuzzOptions;

static int run(void* given, const Operands* operands)
{
    FuzzOptions* o = given;
    double vector[3];
    size_t weight = o->text ? strlen(o->text) : 0;
    for (int i = 0; i < operands->count; i++) {
        weight += strlen(operands->items[i]);
    }
    bool good = settings_add_step(&o->settings, "fuzz", o->step) &&
                settings_add_model(&o->settings, "fuzz", o->model) &&
                settings_check_threads("fuzz", o->count) && settings_check_until("fuzz", o->number);
    settings_add_end(&o->settings, o->number);
    for (int i = 0; i < o->settings.count; i++) {
        weight += strlen(o->settings.items[i]);
    }
    good = good && (!o->vector || option_vector(o->vector, vector));
    return good && weight > 0 ? EXIT_GOOD : EXIT_USAGE;
}

static const Option options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(FuzzOptions, text), "FILE", "text"},
    {"from", 0, OPTION_TEXT, offsetof(FuzzOptions, vector), "X,Y,Z", "a vector"},
    {"until", 'u', OPTION_NUMBER, offsetof(FuzzOptions, number), "T", "a number"},
    {"threads", 'n', OPTION_INT, offsetof(FuzzOptions, count), "N", "a whole number"},
    {"quiet", 'q', OPTION_FLAG, offsetof(FuzzOptions, flag), NULL, "a flag"},
    {"step", 0, OPTION_TEXT, offsetof(FuzzOptions, step), "H", "a step"},
    MODEL_OPTION(offsetof(FuzzOptions, model)),
    SETTINGS_OPTION(offsetof(FuzzOptions, settings), "settings"),
};

static const Command command_fuzz = {.name = "fuzz",
                                     .arguments = "SCENE",
                                     .summary = "nothing",
                                     .usage = "fuzz SCENE [options]",
                                     .about = "Nothing.",
                                     .closing = "examples: none",
                                     .operands = {0, 3},
                                     COMMAND_OPTIONS(FuzzOptions, .number = 1.0, .count = 1),
                                     .run = run};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char* copy = malloc(size + 1);
    char *arguments[MOST_ARGUMENTS + 1] = {(char[]){"fuzz"}}, *at = copy;
    int count = 1;
    memcpy(copy, data, size);
    copy[size] = '\0';
    for (; at < copy + size && count < MOST_ARGUMENTS; at += strlen(at) + 1) {
        arguments[count++] = at;
    }
    int status = command_run_with(&command_fuzz, count, arguments);
    if (status != EXIT_GOOD && status != EXIT_USAGE) {
        abort();
    }
    free(copy);
    return 0;
}
