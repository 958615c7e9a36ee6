#include "command.h"
#include "console.h"
#include "library.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The starter scene, before and after its title.
static const char starter_head[] =
    "// A first scene: a rope held at one end is let go. Change anything and run it again:\n"
    "//   cordage check FILE    reads it and says what it would cost\n"
    "//   cordage run FILE      simulates and records it\n"
    "// Units are metres, kilograms, seconds, radians. Comments and trailing commas are allowed.\n"
    "{\n"
    "  \"cordage\": 1, // version of this format\n"
    "  \"title\": \"";
static const char starter_tail[] =
    "\",\n"
    "  \"gravity\": [0, 0, -9.81],\n"
    "\n"
    "  // \"auto\" picks a stable step and says which; fps counts recorded frames per simulated second.\n"
    "  \"time\": { \"step\": \"auto\", \"end\": 2.0, \"fps\": 30 },\n"
    "\n"
    "  // Real materials come with the program and can be named directly; this one is made here. A rope\n"
    "  // of fibres bends far more easily than a bar of the same stuff: bend_modulus says how easily.\n"
    "  \"materials\": {\n"
    "    \"rope\": { \"young\": 5e7, \"poisson\": 0.35, \"density\": 1100, \"bend_modulus\": 2e6 },\n"
    "  },\n"
    "\n"
    "  \"rods\": [\n"
    "    {\n"
    "      \"name\": \"rope\",\n"
    "      \"model\": \"der\", // or \"corde\", \"pbd\"\n"
    "      \"material\": \"rope\",\n"
    "      \"section\": { \"disc\": { \"radius\": 0.005 } },\n"
    "      \"shape\": { \"line\": { \"from\": [0, 0, 1], \"to\": [1, 0, 1] } },\n"
    "      \"elements\": 50,\n"
    "    },\n"
    "  ],\n"
    "\n"
    "  // What is held: \"position\" is a hinge, \"direction\" a socket, \"frame\" a vice.\n"
    "  \"clamps\": [\n"
    "    { \"rod\": \"rope\", \"at\": \"start\", \"fix\": \"position\" },\n"
    "  ],\n"
    "\n"
    "  // Air, so that the rope comes to rest in the end.\n"
    "  \"loads\": [\n"
    "    { \"drag\": { \"along\": 0.005, \"across\": 0.02 } },\n"
    "  ],\n"
    "\n"
    "  // Measured at every step; \"cordage export FILE.h5 --probes -o probes.csv\" writes them as a table.\n"
    "  \"probes\": [\n"
    "    { \"name\": \"tip\", \"rod\": \"rope\", \"at\": \"end\", \"measure\": \"position\" },\n"
    "    { \"name\": \"pull\", \"rod\": \"rope\", \"at\": \"start\", \"measure\": \"force\" },\n"
    "  ],\n"
    "}\n";

// The name becomes the title, and must not need an escape in JSON.
static bool name_is_plain(const char* base)
{
    for (const char* c = base; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == '"' || *c == '\\') {
            return false;
        }
    }
    return *base != '\0' && *base != '.';
}

static int new_scene(const char* name)
{
    char path[LIBRARY_PATH_MOST];
    bool has_ending = text_ends_with(name, ".json");
    const char* slash = strrchr(name, '/');
    const char* base = slash ? slash + 1 : name;
    if (!name_is_plain(base) ||
        snprintf(path, sizeof path, "%s%s", name, has_ending ? "" : ".json") >= (int)sizeof path) {
        return error_usage("\"%s\" cannot be the name of a scene; use letters, digits, - and _", name);
    }
    FILE* file = fopen(path, "wx"); // not if it is there
    if (!file) {
        return error_usage(errno == EEXIST ? "%s is there already and is left alone; choose another name"
                                           : "%s cannot be made: %s",
                           path, strerror(errno));
    }
    int title_length = (int)strlen(base) - (has_ending ? 5 : 0);
    bool good = fprintf(file, "%s%.*s%s", starter_head, title_length, base, starter_tail) >= 0;
    good = fclose(file) == 0 && good;
    if (!good) {
        console_error("%s cannot be written: %s", path, strerror(errno));
        unlink(path);
        return EXIT_FAILED;
    }
    console_note("%s is ready: cordage run %s", path, path);
    return EXIT_GOOD;
}

static int new_command(void* given, const Operands* operands)
{
    (void)given;
    return new_scene(operands->items[0]);
}

const Command command_new = {
    .name = "new",
    .arguments = "NAME",
    .summary = "a commented starter scene",
    .usage = "new NAME",
    .about =
        "Writes NAME.json: a small scene that runs as it is, with a comment on every part. Never overwrites.",
    .closing = "example:\n"
               "  cordage new rope && cordage run rope.json && cordage render rope.h5 -o rope.mp4",
    .operands = {1, 1},
    .run = new_command,
};
