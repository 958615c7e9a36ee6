// A build that has no disk, such as the browser's: files come from the caller alone.
#include "scene/file.h"

char* file_read(Pool* pool, const char* path, size_t most, bool ordinary, size_t* size, const char** problem)
{
    (void)pool, (void)path, (void)most, (void)ordinary;
    *size = 0;
    *problem = "there is no disk to read it from";
    return NULL;
}
