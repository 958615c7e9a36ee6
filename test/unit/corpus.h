// The inputs of a fuzzer that are kept in a folder, and bytes that are random and the same on every run.
#ifndef CORDAGE_TEST_CORPUS_H
#define CORDAGE_TEST_CORPUS_H

#include "check.h"
#include "random.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS_MOST_BYTES ((size_t)1 << 20)

typedef int64_t (*CorpusRun)(const uint8_t* data, size_t size);

static inline uint8_t* corpus_load(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    uint8_t* bytes = malloc(CORPUS_MOST_BYTES);
    CHECK(file != NULL && bytes != NULL);
    *size = fread(bytes, 1, CORPUS_MOST_BYTES, file);
    fclose(file);
    return bytes;
}

static inline int corpus_run(const char* folder, CorpusRun run) // returns the number of files
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", CORD_SOURCE_DIR, folder);
    DIR* directory = opendir(path);
    CHECK(directory != NULL);
    int count = 0;
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s/%s", CORD_SOURCE_DIR, folder, entry->d_name);
            size_t size;
            uint8_t* bytes = corpus_load(path, &size);
            run(bytes, size);
            free(bytes);
            count++;
        }
    }
    closedir(directory);
    return count;
}

static inline uint8_t corpus_byte(uint64_t* seed)
{
    return (uint8_t)(random_bits(seed) >> 56);
}

#endif
