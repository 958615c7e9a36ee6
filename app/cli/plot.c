#include "plot.h"

#include "console.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool path_in(const char* directory, const char* name, char* path, size_t size)
{
    int length = snprintf(path, size, "%s/%s", directory, name);
    return length > 0 && (size_t)length < size;
}

FILE* plot_file(const char* directory, const char* name)
{
    char path[4096];
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        console_error("%s: cannot make this directory for the results (%s)", directory, strerror(errno));
        return NULL;
    }
    FILE* file = path_in(directory, name, path, sizeof path) ? fopen(path, "w") : NULL;
    if (!file) {
        console_error("%s/%s: cannot be written (%s)", directory, name, strerror(errno));
    }
    return file;
}

FILE* plot_open(const Plot* plot)
{
    char name[512];
    snprintf(name, sizeof name, "%s.gnuplot", plot->name);
    return plot_file(plot->directory, name);
}

// Runs gnuplot in the directory of results. False: it is missing or failed.
static bool draw(const Plot* plot, const char* terminal, const char* ending)
{
    char commands[1600], name[600];
    size_t n = 0;
    for (const char* c = plot->name; *c && n + 2 < sizeof name; c++) { // quotes are doubled
        name[n++] = *c;
        name[n] = *c;
        n += *c == '\'';
    }
    name[n] = '\0';
    snprintf(commands, sizeof commands, "set terminal %s; set output '%s.%s'; load '%s.gnuplot'", terminal,
             name, ending, name);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(plot->directory) == 0) {
            execlp("gnuplot", "gnuplot", "-e", commands, (char*)NULL);
        }
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool plot_close(const Plot* plot, FILE* script)
{
    return fclose(script) == 0 && plot_draw(plot);
}

bool plot_draw(const Plot* plot)
{
    bool here = strcmp(plot->directory, ".") == 0; // the name alone will do
    const char *folder = here ? "" : plot->directory, *slash = here ? "" : "/";
    bool drawn = draw(plot, "svg size 900,560 background rgb 'white'", "svg") &&
                 draw(plot, "pngcairo size 1200,750 background rgb 'white'", "png");
    if (!drawn) {
        console_warning(
            "no plot was drawn: gnuplot is needed (Debian: gnuplot-nox); the script is %s%s%s.gnuplot",
            folder, slash, plot->name);
    } else if (!plot->quiet) {
        console_note("%s%s%s.svg and .png show it", folder, slash, plot->name);
    }
    return drawn;
}
