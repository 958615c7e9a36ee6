#include "command.h"
#include "console.h"
#include "library.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

// The first line of comment in the scene says what there is to see.
static int first_comment(const CordScene* scene, const char** text)
{
    size_t size = 0;
    const char* all = cord_scene_text(scene, &size);
    const char* end = all ? all + size : NULL;
    for (const char* line = all; line && line < end;) {
        const char* next = memchr(line, '\n', (size_t)(end - line));
        const char* stop = next ? next : end;
        while (line < stop && (*line == ' ' || *line == '\t')) {
            line++;
        }
        if (stop - line > 2 && line[0] == '/' && line[1] == '/') {
            line += 2;
            while (line < stop && *line == ' ') {
                line++;
            }
            *text = line;
            return (int)(stop - line);
        }
        line = next ? next + 1 : end;
    }
    *text = "";
    return 0;
}

static void list_scene(const char* directory, const char* name)
{
    char path[LIBRARY_PATH_MOST];
    CordScene* scene = NULL;
    if (!library_path(directory, name, path) || (cord_scene_load(path, NULL, 0, &scene), !scene)) {
        return;
    }
    const char* title = cord_scene_run(scene)->title;
    const char* comment;
    int length = first_comment(scene, &comment);
    printf("%-24s %s\n", name, title && *title ? title : "(no title)");
    if (length > 0) {
        printf("%-24s %.*s\n", "", length, comment);
    }
    cord_scene_destroy(scene);
}

static int scenes_tell(bool where)
{
    char directory[LIBRARY_PATH_MOST];
    if (!library_directory(directory)) {
        return error_usage("there is no directory of scenes at %s; set CORDAGE_SCENES to where they are",
                           directory);
    }
    if (where) {
        puts(directory);
        return EXIT_GOOD;
    }
    Library library;
    if (!library_list(directory, &library)) {
        return error_failed("the directory of scenes, %s, cannot be read", directory);
    }
    for (int i = 0; i < library.count; i++) {
        list_scene(directory, library.names[i]);
    }
    library_free(&library);
    return EXIT_GOOD;
}

typedef struct ScenesOptions {
    bool where;
} ScenesOptions;

static int scenes_command(void* given, const Operands* operands)
{
    (void)operands;
    return scenes_tell(((const ScenesOptions*)given)->where);
}

static const Option options[] = {
    {"where", 0, OPTION_FLAG, offsetof(ScenesOptions, where), NULL,
     "print the directory they are in, and nothing else"},
};

const Command command_scenes = {
    .name = "scenes",
    .arguments = "",
    .summary = "the scenes that ship",
    .usage = "scenes [options]",
    .about =
        "Lists the scenes that ship with the program: the name to use, the title, and what there is to see.",
    .closing =
        "A scene's name works wherever a command takes a scene; CORDAGE_SCENES in the environment names\n"
        "another directory to find them in.\n"
        "\n"
        "examples:\n"
        "  cordage scenes\n"
        "  cordage run swing\n"
        "  cp \"$(cordage scenes --where)\"/swing.json mine.json",
    .operands = {0, 0},
    COMMAND_OPTIONS(ScenesOptions, .where = false),
    .run = scenes_command,
};
