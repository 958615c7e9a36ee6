#include "command.h"
#include "http.h"
#include "input.h"
#include "progress.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Largest recording that the page plays: MOST_REEL in app/web/src/ui/files.js [bytes]
static const int64_t page_most = 500000000;

typedef struct ViewOptions {
    int port;
    const char* frames;
    bool no_browser;
    OptionList settings;
} ViewOptions;

static bool goes_on(void)
{
    return !interrupt_raised();
}

static int64_t file_size(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? (int64_t)status.st_size : 0;
}

static int open_page(HttpAsset* page)
{
    char path[LIBRARY_PATH_MOST];
    if (!library_page(path)) {
        return EXIT_FAILED;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return error_failed("%s cannot be read: %s", path, strerror(errno));
    }
    *page = (HttpAsset){"/", "text/html; charset=utf-8", file, file_size(file)};
    return EXIT_GOOD;
}

// ---- the reel

static int write_reel(Input* input, const char* frames, const char* path)
{
    InputScene scene;
    CordExportDef def = cord_export_def_default();
    if (!input_frame_range(frames, input->frames.count, &def.first, &def.last)) {
        return EXIT_USAGE;
    }
    if (!input_scene_gather(input, &scene)) {
        return EXIT_FAILED;
    }
    FrameProgress progress = progress_frames_begin("preparing frame");
    CordMessage message = {""};
    def.format = "reel";
    def.path = path;
    def.scene = scene.scene;
    def.live = !input->recorded;
    def.most = page_most;
    def.progress = progress_frames_hook(&progress);
    CordResult result = cord_export(&input->frames, &def, &message);
    progress_clear(&progress.line);
    input_scene_free(&scene);
    if (result != CORD_OK) {
        console_error("%s", message.text);
    } else if (interrupt_raised()) {
        console_error("interrupted after %d of %d", progress.done, progress.total);
    }
    return result != CORD_OK || interrupt_raised() ? EXIT_FAILED : EXIT_GOOD;
}

// The file is unlinked while it is open, so that nothing is left behind however the program ends.
static int make_reel(Input* input, const char* frames, HttpAsset* reel)
{
    const char* chosen = getenv("TMPDIR");
    char folder[LIBRARY_PATH_MOST], path[LIBRARY_PATH_MOST + 16];
    int length = snprintf(folder, sizeof folder, "%s/cordage-XXXXXX", chosen && *chosen ? chosen : "/tmp");
    if (length >= (int)sizeof folder || !mkdtemp(folder)) {
        return error_failed(
            "no temporary folder can be made at %s: %s; set TMPDIR to a place that can be written to", folder,
            strerror(errno));
    }
    snprintf(path, sizeof path, "%s/data.reel", folder);
    int status = write_reel(input, frames, path), file = -1;
    if (status == EXIT_GOOD) {
        file = open(path, O_RDONLY | O_CLOEXEC);
        *reel = (HttpAsset){"/data.reel", "application/octet-stream", file, file < 0 ? 0 : file_size(file)};
    }
    unlink(path);
    rmdir(folder);
    if (status == EXIT_GOOD && file < 0) {
        status = error_failed("%s cannot be read: %s", path, strerror(errno));
    }
    return status;
}

static int open_reel(const char* name, const ViewOptions* o, HttpAsset* reel)
{
    Input input;
    int status = input_open(&input, name, &o->settings);
    if (status == EXIT_GOOD) {
        status = make_reel(&input, o->frames, reel);
        input_close(&input);
    }
    return status;
}

// ---- the browser

extern char** environ;

static bool is_set(const char* name)
{
    const char* value = getenv(name);
    return value && *value;
}

// The browser gets the default signal actions, and its own process group, so that Ctrl-C does not end it.
static bool attributes_make(posix_spawnattr_t* attributes)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    sigaddset(&usual, SIGCHLD);
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    return posix_spawnattr_setsigdefault(attributes, &usual) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 && posix_spawnattr_setflags(attributes, flags) == 0;
}

static bool spawn(char* const* arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    bool good = posix_spawn_file_actions_init(&actions) == 0;
    if (!good || posix_spawnattr_init(&attributes) != 0) {
        return false;
    }
    for (int i = 0; i < 3; i++) { // its messages are of no use here
        good = good && posix_spawn_file_actions_addopen(&actions, i, "/dev/null",
                                                        i == 0 ? O_RDONLY : O_WRONLY, 0) == 0;
    }
    good = good && attributes_make(&attributes) &&
           posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return good;
}

// Asks the desktop to show the address. False: there is no desktop, or no xdg-open.
static bool browser_open(const char* address)
{
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
        return false;
    }
    signal(SIGCHLD, SIG_IGN); // it is not waited for
    return spawn((char* const[]){"xdg-open", (char*)address, NULL});
}

// ---- the command

static int serve(const ViewOptions* o, const HttpAsset* assets, int count)
{
    HttpServer server;
    if (!http_listen(&server, o->port)) {
        return error_failed(
            "nothing can listen on port %d: %s; leave out --port, and one that is free is taken", o->port,
            strerror(errno));
    }
    char address[64];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s", server.port,
             count > 1 ? "#reel=data.reel" : "");
    printf("%s\n", address);
    fflush(stdout);
    bool opened = !o->no_browser && browser_open(address);
    console_note("%s; Ctrl-C ends it",
                 opened ? "the browser opens it" : "open this address in a browser on this machine");
    http_serve(&server, assets, count, goes_on);
    http_close(&server);
    return EXIT_GOOD;
}

static int view_go(const ViewOptions* o, const char* name)
{
    HttpAsset assets[2];
    if (o->port < 0 || o->port > 65535) {
        return error_usage("view --port takes a number from 1 to 65535, or 0 for any that is free, not %d",
                           o->port);
    }
    if (!name && o->settings.count > 0) {
        return error_usage("view --set changes a scene; name one");
    }
    interrupt_watch();
    int status = open_page(&assets[0]);
    if (status != EXIT_GOOD) {
        return status;
    }
    status = name ? open_reel(name, o, &assets[1]) : EXIT_GOOD;
    if (status == EXIT_GOOD) {
        status = serve(o, assets, name ? 2 : 1);
        if (name) {
            close(assets[1].file);
        }
    }
    close(assets[0].file);
    return status;
}

static int view_command(void* given, const Operands* operands)
{
    return view_go(given, operands->count > 0 ? operands->items[0] : NULL);
}

static const Option options[] = {
    {"port", 0, OPTION_INT, offsetof(ViewOptions, port), "N",
     "where to listen; default: a port that is free"},
    {"no-browser", 0, OPTION_FLAG, offsetof(ViewOptions, no_browser), NULL, "only print the address"},
    {"frames", 0, OPTION_TEXT, offsetof(ViewOptions, frames), "A:B",
     "of a recording, frames A to B, as export takes them; default: all"},
    SETTINGS_OPTION(offsetof(ViewOptions, settings), SETTINGS_HELP_FILE),
};

const Command command_view = {
    .name = "view",
    .arguments = "[FILE]",
    .summary = "a scene or a recording in the browser",
    .usage = "view [SCENE|FILE] [options]",
    .about = "Opens the browser: a scene runs there and can be taken by hand, a recording is played. The\n"
             "address goes to standard output. Ctrl-C ends it.",
    .closing =
        "Only programs on this machine can reach it, and all that they get is the page and what was named.\n"
        "Without a name, the page begins with the scenes that come with it. The page itself is made by\n"
        "\"make web\"; \"cordage export --to html\" writes a page that needs no server.\n"
        "\n"
        "examples:\n"
        "  cordage view                             the scenes that ship\n"
        "  cordage view knot.json --set gravity=[0,0,0]\n"
        "  cordage view swing.h5                    plays a recording\n"
        "  cordage view swing --no-browser --port 8000",
    .operands = {0, 1},
    COMMAND_OPTIONS(ViewOptions, .frames = ":"),
    .run = view_command,
};
