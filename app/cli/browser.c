#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>

extern char** environ;

static bool is_set(const char* name)
{
    const char* value = getenv(name);
    return value && *value;
}

// What this program ignores is nobody else's business, and Ctrl-C here must not end a browser that has just
// been started.
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

static bool start(char* const* arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    bool good = posix_spawn_file_actions_init(&actions) == 0;
    if (!good || posix_spawnattr_init(&attributes) != 0) {
        return false;
    }
    for (int i = 0; i < 3; i++) { // it says much, and none of it to the person who has asked
        good = good && posix_spawn_file_actions_addopen(&actions, i, "/dev/null",
                                                        i == 0 ? O_RDONLY : O_WRONLY, 0) == 0;
    }
    good = good && attributes_make(&attributes) &&
           posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return good;
}

bool browser_open(const char* address)
{
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
        return false;
    }
    signal(SIGCHLD, SIG_IGN); // nobody waits for it
    return start((char* const[]){"xdg-open", (char*)address, NULL});
}
