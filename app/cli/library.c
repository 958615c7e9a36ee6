#include "library.h"

#include "console.h"
#include "heap.h"
#include "options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_directory(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool join(char path[LIBRARY_PATH_MOST], const char* directory, const char* name)
{
    return snprintf(path, LIBRARY_PATH_MOST, "%s/%s", directory, name) < LIBRARY_PATH_MOST;
}

// The directory of the program; "": unknown.
static void program_directory(char path[LIBRARY_PATH_MOST])
{
    ssize_t length = readlink("/proc/self/exe", path, LIBRARY_PATH_MOST - 1);
    path[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
    }
}

bool library_directory(char path[LIBRARY_PATH_MOST])
{
    const char* chosen = getenv("CORDAGE_SCENES");
    if (chosen && *chosen) {
        snprintf(path, LIBRARY_PATH_MOST, "%s", chosen);
        return is_directory(path);
    }
    static const char* const beside[] = {"../share/cordage/scenes", "../scenes"};
    char program[LIBRARY_PATH_MOST];
    program_directory(program);
    for (int i = 0; i < 2; i++) {
        if (join(path, program, beside[i]) && is_directory(path)) {
            return true;
        }
    }
    snprintf(path, LIBRARY_PATH_MOST, "%s", CORDAGE_SOURCE_SCENES); // a build outside the source tree
    return is_directory(path);
}

static bool page_in(char path[LIBRARY_PATH_MOST], const char* directory)
{
    return join(path, directory, "cordage.html") && access(path, R_OK) == 0;
}

bool library_page(char path[LIBRARY_PATH_MOST])
{
    const char* chosen = getenv("CORDAGE_WEB");
    if (chosen && *chosen) {
        if (!page_in(path, chosen)) {
            return error_false(
                "there is no cordage.html in %s, which CORDAGE_WEB names; \"make web\" makes it", chosen);
        }
        return true;
    }
    static const char* const beside[] = {"../share/cordage/web", "web", "../web"};
    char program[LIBRARY_PATH_MOST], directory[LIBRARY_PATH_MOST];
    program_directory(program);
    for (int i = 0; i < 3; i++) {
        if (join(directory, program, beside[i]) && page_in(path, directory)) {
            return true;
        }
    }
    if (page_in(path, CORDAGE_SOURCE_WEB)) {
        return true;
    }
    return error_false("the page of the browser has not been made; \"make web\" makes it");
}

// ---- listing

static void library_add(Library* library, const char* folder, const char* file, size_t length)
{
    library->names = heap_grow(library->names, (size_t)library->count + 1, sizeof *library->names);
    size_t size = strlen(folder) + length + 2;
    char* name = heap_take(size, 1);
    snprintf(name, size, "%s%s%.*s", folder, *folder ? "/" : "", (int)length, file);
    library->names[library->count++] = name;
}

// The schema for editors lies beside the scenes.
static bool is_scene_name(const char* name)
{
    return text_ends_with(name, ".json") && !text_ends_with(name, ".schema.json");
}

static bool list_folder(Library* library, const char* directory, const char* folder)
{
    char path[LIBRARY_PATH_MOST];
    DIR* entries = join(path, directory, folder) ? opendir(path) : NULL;
    if (!entries) {
        return false;
    }
    bool good = true;
    for (struct dirent* entry = readdir(entries); entry && good; entry = readdir(entries)) {
        char inside[LIBRARY_PATH_MOST];
        if (entry->d_name[0] == '.' || !join(inside, path, entry->d_name)) {
            continue;
        }
        if (is_scene_name(entry->d_name)) {
            library_add(library, folder, entry->d_name, strlen(entry->d_name) - strlen(".json"));
        } else if (!*folder && is_directory(inside)) { // one level only
            good = list_folder(library, directory, entry->d_name);
        }
    }
    closedir(entries);
    return good;
}

static int compare_names(const void* a, const void* b)
{
    const char *name_a = *(char*const*)a, *name_b = *(char*const*)b;
    bool in_folder_a = strchr(name_a, '/'), in_folder_b = strchr(name_b, '/');
    return in_folder_a != in_folder_b ? in_folder_a - in_folder_b : strcmp(name_a, name_b);
}

bool library_list(const char* directory, Library* library)
{
    *library = (Library){0};
    if (!list_folder(library, directory, "")) {
        library_free(library);
        return false;
    }
    if (library->count > 0) {
        qsort(library->names, (size_t)library->count, sizeof *library->names, compare_names);
    }
    return true;
}

void library_free(Library* library)
{
    for (int i = 0; i < library->count; i++) {
        free(library->names[i]);
    }
    free(library->names);
    *library = (Library){0};
}

bool library_path(const char* directory, const char* name, char path[LIBRARY_PATH_MOST])
{
    return snprintf(path, LIBRARY_PATH_MOST, "%s/%s.json", directory, name) < LIBRARY_PATH_MOST;
}

bool library_is_shipped(const char* path, char name[LIBRARY_PATH_MOST])
{
    char directory[LIBRARY_PATH_MOST];
    char* all = library_directory(directory) ? realpath(directory, NULL) : NULL;
    char* one = realpath(path, NULL);
    size_t length = all ? strlen(all) : 0;
    bool shipped = all && one && strncmp(one, all, length) == 0 && one[length] == '/' &&
                   strlen(one + length) <= LIBRARY_PATH_MOST;
    if (shipped) {
        memcpy(name, one + length + 1, strlen(one + length));
    }
    free(all);
    free(one);
    return shipped;
}

// ---- finding

static const char* library_name(const void* context, int i)
{
    const Library* library = context;
    return library->names[i];
}

static void say_not_found(const char* name, const char* directory)
{
    Library library;
    const char* nearest = NULL;
    bool listed = library_list(directory, &library);
    if (listed) {
        nearest = option_nearest(name, library_name, &library, library.count);
    }
    if (nearest) {
        console_error("there is no file \"%s\" and no shipped scene of that name; did you mean \"%s\"?", name,
                      nearest);
    } else {
        console_error("there is no file \"%s\" and no shipped scene of that name; \"cordage scenes\" lists "
                      "those that ship",
                      name);
    }
    library_free(&library);
}

// A file that cannot be read, or is no recording in spite of its name, is not taken for a scene.
static bool is_readable(const char* path)
{
    if (access(path, R_OK) != 0) {
        return error_false("%s cannot be read: %s", path, strerror(errno));
    }
    bool named = text_ends_with(path, ".h5") || text_ends_with(path, ".hdf5");
    if (named && !cord_recording_is(path)) {
        return error_false("%s is not a recording, though its name says so: it does not begin as one", path);
    }
    return true;
}

// A file in the current directory comes before the shipped scene of its name.
static void warn_of_hidden(const char* name)
{
    char directory[LIBRARY_PATH_MOST], shipped[LIBRARY_PATH_MOST];
    if (library_directory(directory) && library_path(directory, name, shipped) &&
        access(shipped, F_OK) == 0) {
        console_warning(
            "the file \"%s\" of this folder is taken, not the shipped scene of that name; for that "
            "one, write %s",
            name, shipped);
    }
}

bool library_find(const char* name, char path[LIBRARY_PATH_MOST])
{
    if (strlen(name) >= LIBRARY_PATH_MOST) {
        return error_false("a path of %zu characters is too long", strlen(name));
    }
    bool named_directory = is_directory(name);
    if (!named_directory && access(name, F_OK) == 0) {
        snprintf(path, LIBRARY_PATH_MOST, "%s", name);
        warn_of_hidden(name);
        return is_readable(path);
    }
    char directory[LIBRARY_PATH_MOST];
    bool exists = library_directory(directory);
    if (exists && library_path(directory, name, path) && access(path, F_OK) == 0) {
        return true;
    }
    if (named_directory) {
        console_error("\"%s\" is a directory; name a scene or a recording in it", name);
    } else {
        say_not_found(name, directory);
    }
    return false;
}
