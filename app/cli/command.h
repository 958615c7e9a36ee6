// The commands of the program. Each is one function in one file. It gets its own arguments, argv[0] being the
// command's name, and returns the exit status. main.c has the table.
#ifndef CORDAGE_CLI_COMMAND_H
#define CORDAGE_CLI_COMMAND_H

// The exit status of every command.
enum {
    EXIT_GOOD = 0,   // it worked
    EXIT_FAILED = 1, // the run failed: it diverged, the disk was full, it was interrupted
    EXIT_USAGE = 2,  // the user's input was wrong: an option, a path, a scene
};

typedef struct Command {
    const char* name;
    const char* arguments; // for the list in the program's help
    const char* summary;   // one line
    int (*run)(int argc, char** argv);
} Command;

int cordage_run(int argc, char** argv);
int cordage_solve(int argc, char** argv);
int cordage_compare(int argc, char** argv);
int cordage_modes(int argc, char** argv);
int cordage_check(int argc, char** argv);
int cordage_info(int argc, char** argv);
int cordage_export(int argc, char** argv);
int cordage_render(int argc, char** argv);
int cordage_view(int argc, char** argv);
int cordage_bench(int argc, char** argv);
int cordage_reproduce(int argc, char** argv);
int cordage_scenes(int argc, char** argv);
int cordage_new(int argc, char** argv);
int cordage_schema(int argc, char** argv);

#endif
