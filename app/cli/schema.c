#include "command.h"
#include "heap.h"
#include "options.h"

#include <cordage/io.h>

#include <stdio.h>
#include <stdlib.h>

static int schema_command(void* given, const Operands* operands)
{
    size_t size = cord_scene_schema(NULL, 0);
    char* text = heap_take(size + 1, 1);
    (void)given, (void)operands;
    cord_scene_schema(text, size + 1);
    fwrite(text, 1, size, stdout);
    free(text);
    return EXIT_GOOD;
}

const Command command_schema = {
    .name = "schema",
    .arguments = "",
    .summary = "the JSON Schema of scene files",
    .usage = "schema",
    .about = "Prints the JSON Schema of scene files: every key, what it means, its range and its default.",
    .closing = "Editors that know JSON Schema complete keys and underline mistakes with it.\n"
               "\n"
               "examples:\n"
               "  cordage schema > scene.schema.json",
    .operands = {0, 0},
    .run = schema_command,
};
