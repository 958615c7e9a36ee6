// The commands of the program. Each is one const table in one file: main.c lists the tables, and options.c
// parses the command line and prints the help from them.
#ifndef CORDAGE_CLI_COMMAND_H
#define CORDAGE_CLI_COMMAND_H

#include "options.h"

typedef struct Command {
    const char* name;
    const char* arguments;    // in the program's help
    const char* summary;      // one line, in the program's help
    const char* usage;        // "run SCENE [options]"; one line for each form
    const char* about;        // what the command does
    void (*print_list)(void); // in the help after the options; may be NULL
    const char* closing;      // at the end of the help: notes and examples
    struct {
        int least, most;
    } operands;            // their number
    const Option* options; // (option_count)
    int option_count;
    size_t size;                                         // of the struct that the options fill in [bytes]
    const void* defaults;                                // its initial value (size)
    int (*run)(void* options, const Operands* operands); // exit status; errors have been reported
} Command;

// The options of a command: the table `options` of its file, and the defaults of the struct that they fill
// in.
#define COMMAND_OPTIONS(type, ...)                                                                           \
    .options = options, .option_count = sizeof options / sizeof *options, .size = sizeof(type),              \
    .defaults = &(type)                                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

// Parses the arguments and runs the command, or prints its help. argv[0] is the command's name.
int command_run_with(const Command* command, int argc, char** argv);

extern const Command command_run;
extern const Command command_solve;
extern const Command command_compare;
extern const Command command_modes;
extern const Command command_check;
extern const Command command_info;
extern const Command command_export;
extern const Command command_render;
extern const Command command_view;
extern const Command command_bench;
extern const Command command_reproduce;
extern const Command command_scenes;
extern const Command command_new;
extern const Command command_schema;

#endif
