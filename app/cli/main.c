// The program cordage: its table of commands, its help and its exit status.
#include "command.h"
#include "console.h"
#include "options.h"
#include "progress.h"
#include "simulation.h"

#include <cordage/eigs.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const Command* const commands[] = {
    &command_run,       &command_solve,  &command_compare, &command_modes,  &command_check,
    &command_info,      &command_export, &command_render,  &command_view,   &command_bench,
    &command_reproduce, &command_scenes, &command_new,     &command_schema,
};
enum { COMMAND_COUNT = (int)(sizeof commands / sizeof commands[0]) };

static const char* command_name(const void* context, int i)
{
    (void)context;
    return i < COMMAND_COUNT ? commands[i]->name : "help";
}

static const Command* command_find(const char* name)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_help(FILE* out)
{
    fprintf(out, "usage: cordage COMMAND [arguments]\n"
                 "\n"
                 "Simulates thin elastic rods: ropes, wires, threads, hair.\n"
                 "\n"
                 "commands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %-10s %s\n", commands[i]->name, commands[i]->arguments, commands[i]->summary);
    }
    fprintf(out, "\n"
                 "  cordage COMMAND --help     options and examples of a command\n"
                 "  cordage --version          version, and what this build can do\n"
                 "\n"
                 "to begin:\n"
                 "  cordage run swing && cordage render swing.h5 -o swing.mp4\n"
                 "  cordage new mine && cordage run mine.json\n"
                 "\n"
                 "Exit status: 0 it worked, 1 the run failed, 2 the input was wrong.\n");
}

static const char* instructions(void)
{
#if defined(__x86_64__) && !defined(CORD_NO_AVX2)
    return __builtin_cpu_supports("avx2") ? "avx2" : "plain (this processor has no avx2)";
#else
    return "plain";
#endif
}

static void print_version(void)
{
    printf("cordage %s\n", cord_version());
#if defined(__clang__)
    printf("compiler     %s\n", __VERSION__);
#elif defined(__GNUC__)
    printf("compiler     gcc %s\n", __VERSION__);
#endif
    printf("simd         %s\n", instructions());
    printf("threads      %s\n", cord_tasks_openmp(2).run ? "openmp" : "none (built without openmp)");
    const char* features[] = {cord_io_features(), simulation_engine,
                              cord_eigs_solver() ? cord_eigs_solver()->name : NULL};
    int count = 0;
    printf("features    ");
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (features[i] && *features[i]) {
            printf(" %s", features[i]);
            count++;
        }
    }
    puts(count > 0 ? "" : " none");
}

static int command_unknown(const char* name)
{
    const char* nearest = option_nearest(name, command_name, NULL, COMMAND_COUNT + 1);
    option_no_such("command", name, nearest, "\"cordage --help\" lists them");
    return EXIT_USAGE;
}

// "cordage help run" is "cordage run --help".
static int command_help(int argc, char** argv)
{
    if (argc < 2) {
        print_help(stdout);
        return EXIT_GOOD;
    }
    const Command* command = command_find(argv[1]);
    char help[] = "--help";
    char* arguments[] = {argv[1], help, NULL};
    return command ? command_run_with(command, 2, arguments) : command_unknown(argv[1]);
}

static int dispatch(int argc, char** argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char* word = argv[1];
    const Command* command = command_find(word);
    if (command) {
        return command_run_with(command, argc - 1, argv + 1);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        print_version();
        return EXIT_GOOD;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        return command_help(argc - 1, argv + 1);
    }
    return command_unknown(word);
}

int main(int argc, char** argv)
{
    // A file size limit and a closed pipe become errors of write, instead of ending the program.
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    int status = dispatch(argc, argv);
    if (status == EXIT_USAGE && interrupt_raised()) {
        // a search that Ctrl-C cut short is not a mistake of the user
        status = EXIT_FAILED;
    }
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_GOOD) {
        if (errno != EPIPE) { // "cordage info FILE | head" closes the pipe early
            console_error("standard output cannot be written: %s",
                          errno ? strerror(errno) : "an earlier write failed");
        }
        status = EXIT_FAILED;
    }
    return status;
}
