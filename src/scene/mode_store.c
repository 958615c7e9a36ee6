// A cache of modes in files, one for each structure, named by a key of its content. Several programs may use
// a directory at once: a file appears whole or not at all, and a damaged file counts as absent.
#include <cordage/io.h>
#include <cordage/modal.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_MOST 1200 // a directory's name, and a file's
#define ENDING ".modes"
#define UNFINISHED ".unfinished" // in the name of a file that is being written
#define STALE (24 * 3600)        // an unfinished file of this age is deleted [s]

typedef struct Header {
    char magic[8];
    uint32_t version;
    uint32_t order; // 1 in the byte order of the writer
    uint64_t key[2];
    uint64_t size;     // of the data [bytes]
    uint64_t checksum; // of the data
} Header;

// FNV-1a
static uint64_t checksum_of(const void* bytes, size_t size)
{
    uint64_t sum = 14695981039346656037u;
    for (const unsigned char *p = bytes, *end = p + size; p < end; p++) {
        sum = (sum ^ *p) * 1099511628211u;
    }
    return sum;
}

static Header header_for(const uint64_t key[2], const void* bytes, size_t size)
{
    Header h = {
        .magic = {'C', 'O', 'R', 'D', 'M', 'O', 'D', 'E'}, .version = 1, .order = 1, .key = {key[0], key[1]}};
    h.size = size;
    h.checksum = checksum_of(bytes, size);
    return h;
}

static bool path_of(const CordModeStore* store, const uint64_t key[2], char path[PATH_MOST])
{
    int length = snprintf(path, PATH_MOST, "%s/%016llx%016llx" ENDING, store->directory,
                          (unsigned long long)key[0], (unsigned long long)key[1]);
    return store->directory[0] != '\0' && length < PATH_MOST;
}

// ---- directories

// Makes the directory, and those above it that are missing.
static void make_directory(const char* directory)
{
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s", directory);
    for (char* p = path + 1; *p; p++) {
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0777);
            *p = '/';
        }
    }
    mkdir(path, 0777);
}

static bool ends_in(const char* name, const char* ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

// Deletes stale unfinished files. Returns the size of all modes, and finds the file that was used least
// recently.
static int64_t look_around(const CordModeStore* store, char oldest[PATH_MOST])
{
    DIR* directory = opendir(store->directory);
    int64_t total = 0;
    struct stat status;
    time_t then = 0;
    oldest[0] = '\0';
    for (struct dirent* entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory)) {
        char path[PATH_MOST + sizeof entry->d_name];
        snprintf(path, sizeof path, "%s/%s", store->directory, entry->d_name);
        bool ours = ends_in(entry->d_name, ENDING), unfinished = strstr(entry->d_name, UNFINISHED) != NULL;
        if ((!ours && !unfinished) || strlen(path) >= PATH_MOST || lstat(path, &status) != 0 ||
            !S_ISREG(status.st_mode)) {
            continue;
        }
        if (unfinished && status.st_mtime < time(NULL) - STALE) {
            unlink(path);
        } else if (ours) {
            total += status.st_size;
            if (oldest[0] == '\0' || status.st_mtime < then) {
                strcpy(oldest, path);
                then = status.st_mtime;
            }
        }
    }
    if (directory) {
        closedir(directory);
    }
    return total;
}

static void make_room(const CordModeStore* store)
{
    char oldest[PATH_MOST];
    while (look_around(store, oldest) > store->most_bytes && oldest[0] != '\0' && unlink(oldest) == 0) {
    }
}

// ---- files

static bool read_file(FILE* file, const uint64_t key[2], void* bytes, size_t size)
{
    Header h;
    if (fread(&h, sizeof h, 1, file) != 1 || h.size != size || fread(bytes, 1, size, file) != size ||
        fgetc(file) != EOF) {
        return false;
    }
    Header expected = header_for(key, bytes, size);
    return memcmp(&h, &expected, sizeof h) == 0;
}

static bool load(void* user, const uint64_t key[2], void* bytes, size_t size)
{
    char path[PATH_MOST];
    FILE* file = path_of(user, key, path) ? fopen(path, "rb") : NULL;
    if (!file) {
        return false;
    }
    bool good = read_file(file, key, bytes, size);
    if (good) {
        futimens(fileno(file), NULL); // marks it as used now
    }
    fclose(file);
    return good;
}

static bool write_file(int descriptor, const uint64_t key[2], const void* bytes, size_t size)
{
    FILE* file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return false;
    }
    Header h = header_for(key, bytes, size);
    bool good = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

static void save(void* user, const uint64_t key[2], const void* bytes, size_t size)
{
    const CordModeStore* store = user;
    char path[PATH_MOST], unfinished[PATH_MOST + sizeof UNFINISHED + 8];
    if (!path_of(store, key, path) || (int64_t)(size + sizeof(Header)) > store->most_bytes) {
        return;
    }
    make_directory(store->directory);
    snprintf(unfinished, sizeof unfinished, "%s" UNFINISHED "XXXXXX", path);
    int descriptor = mkstemp(unfinished);
    if (descriptor < 0) {
        return;
    }
    if (!write_file(descriptor, key, bytes, size) || rename(unfinished, path) != 0) {
        unlink(unfinished);
        return;
    }
    make_room(store);
}

// ---- the store

static bool set_directory(CordModeStore* store, const char* base, const char* below)
{
    if (!base || base[0] == '\0') {
        return false;
    }
    int length = snprintf(store->directory, sizeof store->directory, "%s%s", base, below);
    if ((size_t)length >= sizeof store->directory) {
        store->directory[0] = '\0';
    }
    return true;
}

CordModeStore cord_mode_store_default(void)
{
    CordModeStore store = {.most_bytes = (int64_t)1 << 30};
    const char* own = getenv("CORDAGE_CACHE");
    if (own) {
        set_directory(&store, own, "");
    } else if (!set_directory(&store, getenv("XDG_CACHE_HOME"), "/cordage/modes")) {
        set_directory(&store, getenv("HOME"), "/.cache/cordage/modes");
    }
    return store;
}

void cord_mode_store_hooks(CordModeStore* store, CordModalHooks* hooks)
{
    hooks->load = load;
    hooks->save = save;
    hooks->store_user = store;
}
