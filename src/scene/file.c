#include "scene/file.h"

#include <string.h>

#ifdef __wasm__ // the browser has no disk: all files come from the caller

char* file_read(Pool* pool, const char* path, size_t most, bool ordinary, size_t* size, const char** problem)
{
    (void)pool, (void)path, (void)most, (void)ordinary;
    *size = 0;
    *problem = "there is no disk to read it from";
    return NULL;
}

#else

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define FIRST_BYTES ((size_t)1 << 16)

static const char* open_problem(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR: return "there is no such file";
    case EACCES:
    case EPERM: return "reading it is not permitted";
    case ENAMETOOLONG: return "its name is too long";
    default: return "it cannot be opened";
    }
}

// A larger block with a copy of what has been read. The pool keeps the old block too, at most as much again.
static char* grow(Pool* pool, const char* text, size_t size, size_t room)
{
    char* larger = pool_take(pool, room + 1, 1);
    if (larger && size > 0) {
        memcpy(larger, text, size);
    }
    return larger;
}

static char* read_all(Pool* pool, FILE* file, size_t expected, size_t most, size_t* size,
                      const char** problem)
{
    size_t room = expected + 1 > FIRST_BYTES ? expected + 1 : FIRST_BYTES;
    char* text = grow(pool, NULL, 0, room);
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, room - *size, file);
        if (ferror(file)) {
            *problem = "reading it failed";
            return NULL;
        }
        if (*size > most) {
            *problem = pool_format(pool, "it is larger than %zu MB, the most that is read", most >> 20);
            return NULL;
        }
        if (*size < room) {
            text[*size] = '\0';
            return text;
        }
        room *= 2;
        text = grow(pool, text, *size, room);
    }
    return NULL;
}

char* file_read(Pool* pool, const char* path, size_t most, bool ordinary, size_t* size, const char** problem)
{
    struct stat status;
    *problem = NULL;
    if (stat(path, &status) != 0) {
        *problem = open_problem(errno);
        return NULL;
    }
    bool is_ordinary = S_ISREG(status.st_mode);
    if (S_ISDIR(status.st_mode) || (ordinary && !is_ordinary)) {
        *problem = S_ISDIR(status.st_mode) ? "it is a folder" : "it is not an ordinary file";
        return NULL;
    }
    if (is_ordinary && status.st_size > (off_t)most) {
        *problem = pool_format(pool, "it has %lld MB; the most that is read is %zu MB",
                               (long long)status.st_size >> 20, most >> 20);
        return NULL;
    }
    FILE* file = fopen(path, "rb");
    if (!file) {
        *problem = open_problem(errno);
        return NULL;
    }
    char* text = read_all(pool, file, is_ordinary ? (size_t)status.st_size : 0, most, size, problem);
    fclose(file);
    return text;
}

#endif

const char* file_lent(Pool* pool, const CordFiles* files, const char* name, size_t most, size_t* size,
                      const char** problem)
{
    const char* bytes = NULL;
    *size = 0;
    *problem = NULL;
    if (!files->read(files->user, name, &bytes, size)) {
        *problem = "it was not given with the scene; choose both together";
        return NULL;
    }
    if (*size > most) {
        *problem =
            pool_format(pool, "it has %zu MB; the most that is read is %zu MB", *size >> 20, most >> 20);
        return NULL;
    }
    return bytes ? bytes : "";
}

const char* file_beside(Pool* pool, const char* from, const char* path)
{
    const char* slash = strrchr(from, '/');
    if (path[0] == '/' || !slash) {
        return path;
    }
    return pool_format(pool, "%.*s/%s", (int)(slash - from), from, path);
}
