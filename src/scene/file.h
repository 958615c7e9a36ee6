// Whole files into memory.
#ifndef CORD_SCENE_FILE_H
#define CORD_SCENE_FILE_H

#include "scene/pool.h"

#include <cordage/io.h>

// The file's bytes, with a zero after them. Returns NULL and says why: "there is no such file". A file of
// more than `most` bytes is refused, and with `ordinary` also pipes and devices.
char* file_read(Pool* pool, const char* path, size_t most, bool ordinary, size_t* size, const char** problem);

// The same from the files that the caller has. The bytes stay the caller's, and no zero follows them.
const char* file_lent(Pool* pool, const CordFiles* files, const char* name, size_t most, size_t* size,
                      const char** problem);

// `path`, relative to the folder of the file `from`.
const char* file_beside(Pool* pool, const char* from, const char* path);

#endif
