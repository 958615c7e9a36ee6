// A reel in a file, read whole.
#ifndef CORDAGE_CLI_REEL_FILE_H
#define CORDAGE_CLI_REEL_FILE_H

#include <cordage/reel.h>

typedef struct ReelFile {
    CordReel* reel;
    void* bytes;
    const char* path; // stays the caller's
} ReelFile;

bool reel_file_is(const char* path); // does the file look like a reel?

// What is wrong has been said when it returns other than EXIT_GOOD; there is then nothing to be closed.
int reel_file_open(ReelFile* file, const char* path);
void reel_file_close(ReelFile* file);

// The scene in it, as cord_scene_parse has it. CORD_BAD_FILE and no scene: there is none.
CordResult reel_file_scene(const ReelFile* file, CordScene** scene);

#endif
