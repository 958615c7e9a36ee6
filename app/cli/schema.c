#include "command.h"
#include "console.h"
#include "options.h"

#include <cordage/io.h>

#include <stdio.h>
#include <stdlib.h>

static int schema_print(void)
{
    size_t size = cord_scene_schema(NULL, 0);
    char* text = size > 0 ? malloc(size + 1) : NULL;
    if (!text) {
        return error_failed("there is no memory for the schema");
    }
    cord_scene_schema(text, size + 1);
    fwrite(text, 1, size, stdout);
    free(text);
    return EXIT_GOOD;
}

static int schema_command(void* given, const Operands* operands)
{
    (void)given, (void)operands;
    return schema_print();
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
