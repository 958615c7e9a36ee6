// Whole files into memory.
#ifndef CORD_SCENE_FILE_H
#define CORD_SCENE_FILE_H

#include "scene/pool.h"

#include <cordage/io.h>

// The file's bytes and a zero after them. Returns NULL and says why: "there is no such file". A file that has
// more than `most` bytes is refused; pipes and devices too, if only ordinary files are wanted.
char* file_read(Pool* pool, const char* path, size_t most, bool ordinary, size_t* size, const char** problem);

// The same from the files of the caller, whose the bytes stay; no zero is after them.
const char* file_lent(Pool* pool, const CordFiles* files, const char* name, size_t most, size_t* size,
                      const char** problem);

// `path` as seen from the folder that the file `from` is in.
const char* file_beside(Pool* pool, const char* from, const char* path);

#endif
