#include "export/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether the folder of a file exists, such as /proc, in which nobody can create files. That of a link that
// leads nowhere does not.
static bool folder_exists(const char* path)
{
    char* folder = strdup(path);
    char* slash = folder ? strrchr(folder, '/') : NULL;
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        free(folder);
        return false;
    }
    if (slash) {
        slash[slash == folder] = '\0'; // keeps the slash of the root
    }
    bool exists = !slash || (stat(folder, &info) == 0 && S_ISDIR(info.st_mode));
    free(folder);
    return exists;
}

const char* output_error_text(const char* path, int error)
{
    switch (error) {
    case ENOSPC: return "the disk is full; make room or write somewhere else";
    case EDQUOT: return "the disk quota is used up; make room or write somewhere else";
    case EFBIG:
        return "the file would grow past the largest size allowed here; raise the limit or write somewhere "
               "else";
    case ENOENT:
        return folder_exists(path) ? "no file can be created in that directory; write somewhere else"
                                   : "its directory does not exist; make it first, or write somewhere else";
    case ENOTDIR: return "a part of its path is a file where a directory is needed; give another path";
    case EISDIR: return "it is a directory; give the name of a file";
    case EACCES:
    case EPERM: return "writing there is not permitted; change the permissions or write somewhere else";
    case EROFS: return "the file system is read-only; write somewhere else";
    case ENAMETOOLONG: return "the name is too long; give a shorter one";
    case EPIPE: return "the program reading it has gone";
    case ENOMEM: return "there is not enough memory";
    default: return strerror(error);
    }
}

static CordResult output_fail(const char* path, int error, CordMessage* message)
{
    return export_fail(message, CORD_BAD_FILE, "%s cannot be written: %s", path,
                       output_error_text(path, error));
}

// False for links and pipes: renaming would replace them by a file.
static bool output_takes_rename(const char* path)
{
    struct stat info;
    return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

static int output_refusal(const char* path) // errno, or 0 if the path may be written to
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return 0; // fopen reports the reason
    }
    if (S_ISDIR(info.st_mode)) {
        return EISDIR;
    }
    return access(path, W_OK) == 0 ? 0 : errno; // a rename would ignore that the file is read-only
}

static int output_start(Output* out, const char* path) // errno, or 0
{
    size_t size = strlen(path) + sizeof ".part";
    bool renames = output_takes_rename(path);
    out->path = malloc(size);
    out->part = renames ? malloc(size) : NULL;
    if (!out->path || (renames && !out->part)) {
        return ENOMEM;
    }
    snprintf(out->path, size, "%s", path);
    if (renames) {
        snprintf(out->part, size, "%s.part", path);
    }
    out->file = fopen(renames ? out->part : out->path, "wb");
    return out->file ? 0 : errno;
}

CordResult output_open(Output* out, const char* path, CordMessage* message)
{
    *out = (Output){0};
    if (!path || path[0] == '\0') {
        return export_fail(message, CORD_BAD_ARGUMENT, "no path is given; name the file to write");
    }
    if (strcmp(path, "-") == 0) {
        out->file = stdout;
        return CORD_OK;
    }
    int error = output_refusal(path);
    if (error == 0) {
        error = output_start(out, path);
    }
    if (error != 0) {
        output_abandon(out);
        return output_fail(path, error, message);
    }
    return CORD_OK;
}

static void output_free(Output* out)
{
    free(out->path);
    free(out->part);
    *out = (Output){0};
}

CordResult output_close(Output* out, CordMessage* message)
{
    // stdio only records that some write failed. A flush that fails gives the reason; otherwise a full disk
    // is the likely one.
    int error = 0;
    bool failed = ferror(out->file) != 0;
    if (fflush(out->file) != 0) {
        failed = true;
        error = errno;
    }
    if (out->file != stdout && fclose(out->file) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    out->file = NULL;
    if (!failed && out->part && rename(out->part, out->path) != 0) {
        failed = true;
        error = errno;
    }
    CordResult result =
        failed ? output_fail(out->path ? out->path : "standard output", error != 0 ? error : ENOSPC, message)
               : CORD_OK;
    if (failed && out->part) {
        remove(out->part);
    }
    output_free(out);
    return result;
}

void output_abandon(Output* out)
{
    if (out->file && out->file != stdout) {
        fclose(out->file);
        if (out->part) {
            remove(out->part);
        }
    }
    output_free(out);
}

CordResult output_finish(Output* out, CordResult result, CordMessage* message)
{
    if (result == CORD_OK) {
        return output_close(out, message);
    }
    output_abandon(out);
    return result;
}

// ---- whole files

char* input_read(const char* path, size_t most, size_t* size)
{
    FILE* file = fopen(path, "rb");
    size_t room = 1 << 16;
    char* bytes = file ? malloc(room) : NULL;
    *size = 0;
    while (bytes) {
        *size += fread(bytes + *size, 1, room - 1 - *size, file);
        if (*size < room - 1) {
            bytes[*size] = '\0';
            break;
        }
        room *= 2;
        char* larger = room <= most ? realloc(bytes, room) : NULL;
        if (!larger) {
            free(bytes);
            errno = ENOMEM;
        }
        bytes = larger;
    }
    if (bytes && ferror(file)) {
        free(bytes);
        bytes = NULL;
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

// ---- folders

CordResult output_folder(const CordExportDef* def, const char* ending, char** directory, CordMessage* message)
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

CordResult output_folder_make(const char* directory, CordMessage* message)
{
    struct stat info;
    if (mkdir(directory, 0777) == 0 ||
        (errno == EEXIST && stat(directory, &info) == 0 && S_ISDIR(info.st_mode))) {
        return CORD_OK;
    }
    return export_fail(message, CORD_BAD_FILE, "the directory %s cannot be made: %s", directory,
                       errno == EEXIST ? "a file of that name is there; give another name"
                                       : output_error_text(directory, errno));
}

CordResult output_open_in(const char* directory, const char* ending, Output* out, CordMessage* message)
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

const char* output_folder_name(const char* directory)
{
    const char* slash = strrchr(directory, '/');
    return slash ? slash + 1 : directory;
}
