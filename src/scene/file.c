// Files that the caller has, and names.
#include "scene/file.h"

#include <string.h>

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
