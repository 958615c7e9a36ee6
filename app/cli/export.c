#include "camera.h"
#include "command.h"
#include "input.h"
#include "output.h"
#include "progress.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const off_t page_large = 50000000; // a larger page takes seconds to open [bytes]

typedef struct ExportOptions {
    const char *format, *output, *frames, *what;
    int sides;
    bool probes;
    OptionList settings;
} ExportOptions;

static const char* format_name(const void* context, int i)
{
    (void)context;
    return cord_export_format(i)->name;
}

typedef struct NameList {
    char text[256];
} NameList;

// "csv, vtk and obj"
static NameList name_list(const char* (*name)(const void* context, int i), int count, const char* last)
{
    NameList list = {""};
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list.text; i++) {
        bool ends = i > 0 && i + 1 == count;
        const char* before = ends ? " " : i > 0 ? ", " : "";
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s%s%s", before,
                                 ends ? last : "", ends ? " " : "", name(NULL, i));
    }
    return list;
}

// Endings of formats that are not written, and what does the same.
static const struct {
    const char *ending, *instead;
} formats_alike[] = {{"usd", "glb"},       {"usda", "glb"}, {"usdc", "glb"}, {"usdz", "glb"},
                     {"gltf", "glb"},      {"fbx", "glb"},  {"abc", "glb"},  {"dae", "glb"},
                     {"blend", "blender"}, {"stl", "obj"},  {"ply", "obj"},  {"vtu", "vtk"},
                     {"vtkhdf", "vtk"},    {"xdmf", "vtk"}, {"txt", "csv"},  {"tsv", "csv"},
                     {"json", "csv"},      {"xlsx", "csv"}, {"htm", "html"}};

static void say_formats(const char* wanted)
{
    NameList names = name_list(format_name, cord_export_format_count(), "and");
    for (size_t i = 0; i < sizeof formats_alike / sizeof *formats_alike; i++) {
        if (strcmp(formats_alike[i].ending, wanted) == 0) {
            console_error("export does not write the format \"%s\"; it writes %s: take %s instead", wanted,
                          names.text, formats_alike[i].instead);
            return;
        }
    }
    const char* nearest = option_nearest(wanted, format_name, NULL, cord_export_format_count());
    console_error("export does not write the format \"%s\"; it writes %s%s%s%s", wanted, names.text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                  nearest ? "\"?" : ", and \"cordage render\" makes pictures and films");
}

// The format named by --to or by the ending of the output; a table on standard output is csv. NULL: an error
// has been reported.
static const char* export_format(const ExportOptions* o)
{
    const char* slash = strrchr(o->output, '/');
    const char* dot = strrchr(slash ? slash : o->output, '.');
    bool table = strcmp(o->output, "-") == 0 && (o->probes || o->what);
    const char* wanted = o->format ? o->format : table ? "csv" : dot ? dot + 1 : "";
    if (!o->format && (strcmp(wanted, "pvd") == 0 || strcmp(wanted, "vtp") == 0)) {
        wanted = "vtk";
    } else if (!o->format && strcmp(wanted, "py") == 0) {
        wanted = "blender";
    }
    int count = cord_export_format_count();
    for (int i = 0; i < count; i++) {
        if (strcmp(format_name(NULL, i), wanted) == 0) {
            return format_name(NULL, i);
        }
    }
    if (*wanted) {
        say_formats(wanted);
    } else {
        console_error("say which format \"%s\" is to have: end it in .csv, .glb or another format's name, or "
                      "add --to FORMAT; \"cordage export --help\" lists them",
                      o->output);
    }
    return NULL;
}

static const char* table_name(const void* context, int i)
{
    (void)context;
    return cord_export_table_name((CordExportTable)i);
}

static void say_tables(const char* wanted)
{
    const char* nearest = option_nearest(wanted, table_name, NULL, CORD_TABLE_COUNT);
    console_error("export --what takes %s, not \"%s\"%s%s%s",
                  name_list(table_name, CORD_TABLE_COUNT, "or").text, wanted,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// The table named by --what. False: an error has been reported.
static bool export_table(const ExportOptions* o, CordExportTable* table)
{
    const char* wanted = o->probes ? table_name(NULL, CORD_TABLE_PROBES) : o->what;
    if (o->probes && o->what && strcmp(o->what, wanted) != 0) {
        return error_false("export --probes is --what probes; leave it out, or \"--what %s\"", o->what);
    }
    *table = CORD_TABLE_NODES;
    for (int i = 0; wanted && i < CORD_TABLE_COUNT; i++) {
        if (strcmp(table_name(NULL, i), wanted) == 0) {
            *table = (CordExportTable)i;
            return true;
        }
    }
    if (!wanted) {
        return true;
    }
    say_tables(wanted);
    return false;
}

// A reel keeps what an animation needs: positions, tensions, and where rods touch.
static bool table_is_kept(const Input* input, CordExportTable table)
{
    bool lost = table == CORD_TABLE_PROBES || table == CORD_TABLE_CONTACTS || table == CORD_TABLE_MOMENTS ||
                table == CORD_TABLE_LEDGER;
    if (input->reel && input->recorded && lost) {
        return error_false("%s is a reel, which does not keep %s; export the recording that it was made from",
                           input->path, cord_export_table_name(table));
    }
    return true;
}

static bool table_is_there(const Input* input, CordExportTable table)
{
    if (!table_is_kept(input, table)) {
        return false;
    }
    if (table == CORD_TABLE_PROBES && input_probe_count(input) == 0) {
        return error_false("%s has no probes", input->path);
    }
    if (table == CORD_TABLE_PROBES && !input->recording) {
        return error_false("%s is a scene; its probes have readings once it has been run", input->path);
    }
    bool ran = input->recording && !cord_recording_is_branch(input->recording);
    if (table == CORD_TABLE_LEDGER && !ran) {
        return error_false("%s has no ledger; a recording that \"cordage run\" makes has one", input->path);
    }
    if (table == CORD_TABLE_BRANCH && !(input->recording && cord_recording_is_branch(input->recording))) {
        return error_false("%s is not the recording of a branch; \"cordage solve\" makes one", input->path);
    }
    return true;
}

static bool is_for_page(const char* format)
{
    return strcmp(format, "reel") == 0 || strcmp(format, "html") == 0;
}

static const char* export_title(const Input* input)
{
    const char* title = input->sim.scene ? cord_scene_run(input->sim.scene)->title : "";
    const char* slash = strrchr(input->path, '/');
    return *title ? title : slash ? slash + 1 : input->path;
}

static int export_write(Input* input, CordExportDef* def)
{
    FrameProgress progress =
        progress_frames_begin(def->table == CORD_TABLE_PROBES ? "exporting reading" : "exporting frame");
    def->progress = progress_frames_hook(&progress);
    interrupt_watch();
    CordMessage message = {""};
    CordResult result = cord_export(&input->frames, def, &message);
    progress_clear(&progress.line);
    if (result != CORD_OK) {
        console_error("%s", message.text);
        return result == CORD_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
    }
    if (interrupt_raised()) {
        return error_failed("interrupted after %d of %d", progress.done, progress.total);
    }
    return EXIT_GOOD;
}

// Prints the size, since browsers are slow to open large pages.
static void say_size(const char* path, const char* format)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    Text size = text_bytes((double)status.st_size);
    if (strcmp(format, "html") == 0 && status.st_size > page_large) {
        console_warning("%s has %s; browsers may be slow to open it. Fewer frames make it smaller (--frames "
                        "A:B), and \"cordage view\" shows the recording without a page for it",
                        path, size.text);
    } else {
        console_note("%s: %s", path, size.text);
    }
}

// The page runs scenes and plays recordings; it gets the scene in both cases.
static int export_for_page(Input* input, CordExportDef* def)
{
    char page[LIBRARY_PATH_MOST];
    if (strcmp(def->format, "html") == 0) {
        if (!library_page(page)) {
            return EXIT_FAILED;
        }
        def->page = page;
        def->title = export_title(input);
    }
    InputScene scene;
    if (!input_scene_gather(input, &scene)) {
        return EXIT_FAILED;
    }
    def->scene = scene.scene;
    def->live = !input->recorded;
    int status = export_write(input, def);
    input_scene_free(&scene);
    if (status == EXIT_GOOD) {
        say_size(def->path, def->format);
    }
    return status;
}

// Uses the camera of the scene, and one colour for the strands of an entry.
static int export_for_eyes(Input* input, CordExportDef* def)
{
    CordPictureDef picture = cord_picture_def_default();
    CordPictureGroup* groups = NULL;
    if (input->sim.scene) {
        camera_from_scene(cord_scene_camera(input->sim.scene), &picture);
        groups = camera_strands(input->sim.scene, &picture);
    }
    def->picture = &picture;
    int status = export_write(input, def);
    free(groups);
    return status;
}

static int export_source(Input* input, const ExportOptions* o, const char* format)
{
    CordExportDef def = cord_export_def_default();
    def.format = format;
    def.path = o->output;
    if (!export_table(o, &def.table) || !table_is_there(input, def.table)) {
        return EXIT_USAGE;
    }
    if (o->sides > 0) {
        def.sides = o->sides;
    }
    if (!input_frame_range(o->frames, input->frames.count, &def.first, &def.last)) {
        return EXIT_USAGE;
    }
    if (input_is_file(input, o->output)) {
        return error_usage("%s is what is to be read; choose another name with -o", o->output);
    }
    return is_for_page(format) ? export_for_page(input, &def) : export_for_eyes(input, &def);
}

static void print_formats(void)
{
    printf("\nformats:\n");
    for (int i = 0; i < cord_export_format_count(); i++) {
        printf("  %-8s %s\n", cord_export_format(i)->name, cord_export_format(i)->summary);
    }
}

static int export_go(const ExportOptions* o, const char* name)
{
    if (!o->output) {
        return error_usage("export needs to know where to: add -o PATH");
    }
    const char* format = export_format(o);
    if (!format || !output_can_be_written(o->output)) {
        return EXIT_USAGE;
    }
    if (o->sides != 0 && (o->sides < 3 || o->sides > 256)) {
        return error_usage("export --sides takes a number from 3 to 256, not %d", o->sides);
    }
    Input input;
    int status = input_open(&input, name, &o->settings);
    if (status == EXIT_GOOD) {
        status = export_source(&input, o, format);
        input_close(&input);
    }
    return status;
}

static int export_command(void* given, const Operands* operands)
{
    return export_go(given, operands->items[0]);
}

static const Option options[] = {
    {"to", 0, OPTION_TEXT, offsetof(ExportOptions, format), "FORMAT",
     "one of those below; default: from the ending of PATH"},
    {"output", 'o', OPTION_TEXT, offsetof(ExportOptions, output), "PATH",
     "where to; a file of that name is replaced. \"-\": standard output (csv, obj, glb)"},
    {"frames", 0, OPTION_TEXT, offsetof(ExportOptions, frames), "A:B",
     "frames A to B, both included; A: and :B and A alone work, negative\n"
     "numbers count from the end; default: all"},
    {"what", 0, OPTION_TEXT, offsetof(ExportOptions, what), "TABLE",
     "csv: nodes (the default), forces (tension and shear along the rods),\n"
     "moments (bending and torque), bodies, obstacles (and the forces on them),\n"
     "contacts, ledger (of energy and momentum), probes, or branch (its points)"},
    {"probes", 0, OPTION_FLAG, offsetof(ExportOptions, probes), NULL,
     "csv: what the probes read at every step; as --what probes"},
    {"sides", 0, OPTION_INT, offsetof(ExportOptions, sides), "N",
     "of tubes and round bodies in surface formats; default: 12"},
    SETTINGS_OPTION(offsetof(ExportOptions, settings), SETTINGS_HELP_FILE),
};

const Command command_export = {
    .name = "export",
    .arguments = "FILE",
    .summary = "frames and probes for other programs: csv, vtk, obj, html, ...",
    .usage = "export FILE -o PATH [--to FORMAT] [options]",
    .about = "Writes the frames of a recording, or the initial state of a scene, for other programs.\n"
             "As html and reel, a scene is written as it is, to be run in the browser.",
    .print_list = print_formats,
    .closing =
        "examples:\n"
        "  cordage export swing.h5 -o swing.csv                 one row for each node and frame\n"
        "  cordage export swing.h5 -o tip.csv --probes          one row for each step\n"
        "  cordage export swing.h5 --what forces -o -           tension and shear, to standard output\n"
        "  cordage export pile.h5 --what contacts -o pile.csv   what touches, where and how hard\n"
        "  cordage export swing.h5 --to vtk -o swing.pvd        for ParaView\n"
        "  cordage export swing.h5 --frames -1 -o last.obj      the last frame, as a mesh\n"
        "  cordage export swing.h5 -o swing.glb                 for viewers and game engines, all frames\n"
        "  cordage export swing.h5 -o swing.py                  for Blender: blender -P swing.py\n"
        "  cordage export swing.h5 -o swing.html                a page that plays it, in one file\n"
        "  cordage export swing -o swing.html                   a page that runs the scene",
    .operands = {1, 1},
    COMMAND_OPTIONS(ExportOptions, .frames = ":"),
    .run = export_command,
};
