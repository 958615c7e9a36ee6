#include "reel_file.h"

#include "command.h"
#include "talk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool reel_file_is(const char* path)
{
    char start[8];
    struct stat status;
    bool ordinary = stat(path, &status) == 0 && S_ISREG(status.st_mode); // what is read from a pipe is gone
    FILE* file = ordinary ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) {
        fclose(file);
    }
    return cord_reel_is(start, size);
}

static void* read_bytes(const char* path, size_t* size)
{
    struct stat status;
    FILE* file = fopen(path, "rb");
    void* bytes = NULL;
    if (!file || fstat(fileno(file), &status) != 0) {
        talk_error("%s cannot be read: %s", path, strerror(errno));
    } else if (status.st_size > CORD_REEL_MOST) {
        talk_error("%s has %s; the most that is read of a reel is %s", path,
                   talk_bytes((double)status.st_size).text, talk_bytes(CORD_REEL_MOST).text);
    } else if (!(bytes = malloc((size_t)status.st_size + 1))) {
        talk_error("%s cannot be read: there is not enough memory", path);
    } else {
        *size = fread(bytes, 1, (size_t)status.st_size, file);
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

int reel_file_open(ReelFile* file, const char* path)
{
    size_t size = 0;
    CordMessage message = {""};
    *file = (ReelFile){.path = path, .bytes = read_bytes(path, &size)};
    if (!file->bytes) {
        return EXIT_FAILED;
    }
    CordResult result = cord_reel_open(file->bytes, size, &file->reel, &message);
    if (result != CORD_OK) {
        talk_error("%s: %s", path, message.text);
        reel_file_close(file);
        return result == CORD_NO_MEMORY ? EXIT_FAILED : EXIT_USAGE;
    }
    return EXIT_GOOD;
}

void reel_file_close(ReelFile* file)
{
    cord_reel_close(file->reel);
    free(file->bytes);
    *file = (ReelFile){0};
}

CordResult reel_file_scene(const ReelFile* file, CordScene** scene)
{
    const CordReelScene* kept = cord_reel_scene(file->reel);
    *scene = NULL;
    if (!kept) {
        return CORD_BAD_FILE;
    }
    return cord_reel_scene_parse(kept, scene);
}
