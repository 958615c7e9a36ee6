#include "export/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

CordResult folder_of(const CordExportDef* def, const char* ending, char** directory, CordMessage* message)
{
    const char* path = def->path;
    if (!path || path[0] == '\0' || path[strlen(path) - 1] == '/' || strcmp(path, "-") == 0) {
        return export_fail(message, CORD_BAD_ARGUMENT,
                           "%s names no file, and %s makes several; give a name such as run%s",
                           path && path[0] ? path : "the empty path", def->format, ending);
    }
    *directory = strdup(path);
    if (!*directory) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to export %s", path);
    }
    size_t length = strlen(path), tail = strlen(ending);
    if (length > tail && strcmp(path + length - tail, ending) == 0) {
        (*directory)[length - tail] = '\0';
    }
    return CORD_OK;
}

CordResult folder_make(const char* directory, CordMessage* message)
{
    struct stat info;
    if (mkdir(directory, 0777) == 0 ||
        (errno == EEXIST && stat(directory, &info) == 0 && S_ISDIR(info.st_mode))) {
        return CORD_OK;
    }
    return export_fail(message, CORD_BAD_FILE, "the directory %s cannot be made: %s", directory,
                       errno == EEXIST ? "a file of that name is there; give another name"
                                       : export_error_text(errno));
}

CordResult folder_open(const char* directory, const char* ending, Output* out, CordMessage* message)
{
    size_t size = strlen(directory) + strlen(ending) + 1;
    char* path = malloc(size);
    if (!path) {
        return export_fail(message, CORD_NO_MEMORY, "there is not enough memory to export %s", directory);
    }
    snprintf(path, size, "%s%s", directory, ending);
    CordResult result = output_open(out, path, message);
    free(path);
    return result;
}

const char* folder_name(const char* directory)
{
    const char* slash = strrchr(directory, '/');
    return slash ? slash + 1 : directory;
}
