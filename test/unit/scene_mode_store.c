#include <cordage/io.h>
#include <cordage/modal.h>

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const uint64_t key[2] = {0x0123456789abcdefu, 42};

typedef struct Kept {
    char root[256];
    CordModeStore store;
    CordModalHooks hooks;
} Kept;

// In a directory of its own, which does not exist yet, nor does the one it is in.
static void begin(Kept* k)
{
    snprintf(k->root, sizeof k->root, "%s/mode_store_XXXXXX", CORD_BINARY_DIR);
    CHECK(mkdtemp(k->root) != NULL);
    k->store = (CordModeStore){.most_bytes = 1 << 20};
    k->hooks = (CordModalHooks){0};
    snprintf(k->store.directory, sizeof k->store.directory, "%s/a/b", k->root);
    cord_mode_store_hooks(&k->store, &k->hooks);
}

static bool load(Kept* k, const uint64_t id[2], void* bytes, size_t size)
{
    return k->hooks.load(k->hooks.store_user, id, bytes, size);
}

static void save(Kept* k, const uint64_t id[2], const void* bytes, size_t size)
{
    k->hooks.save(k->hooks.store_user, id, bytes, size);
}

// The files there are; the last one's path, if asked for.
static int count_files(const Kept* k, char path[2048])
{
    int count = 0;
    DIR* directory = opendir(k->store.directory);
    for (struct dirent* entry = directory ? readdir(directory) : NULL; entry; entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            count++;
            if (path) {
                snprintf(path, 2048, "%s/%s", k->store.directory, entry->d_name);
            }
        }
    }
    if (directory) {
        closedir(directory);
    }
    return count;
}

static void end(Kept* k)
{
    char path[2048];
    while (count_files(k, path) > 0) {
        CHECK_INT(unlink(path), 0);
    }
    rmdir(k->store.directory);
    snprintf(path, sizeof path, "%s/a", k->root);
    rmdir(path), rmdir(k->root);
}

TEST(what_was_kept_comes_back)
{
    Kept k;
    begin(&k);
    char bytes[1000], back[1000] = "";
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 7);
    }
    CHECK(!load(&k, key, back, sizeof back));
    save(&k, key, bytes, sizeof bytes);
    CHECK(load(&k, key, back, sizeof back));
    CHECK(memcmp(bytes, back, sizeof bytes) == 0);
    CHECK(!load(&k, (uint64_t[2]){key[0], 43}, back, sizeof back));
    CHECK(!load(&k, key, back, sizeof back - 1));
    bytes[0] = 'x';
    save(&k, key, bytes, sizeof bytes); // in place of the one before
    CHECK(load(&k, key, back, sizeof back));
    CHECK(back[0] == 'x');
    CHECK_INT(count_files(&k, NULL), 1);
    end(&k);
}

TEST(a_damaged_file_is_not_used)
{
    Kept k;
    begin(&k);
    char bytes[100] = "modes", back[100], path[2048];
    save(&k, key, bytes, sizeof bytes);
    CHECK_INT(count_files(&k, path), 1);
    struct stat status;
    CHECK_INT(stat(path, &status), 0);
    for (long at = 0; at < (long)status.st_size; at++) { // each byte of it turned over, and back
        for (int turn = 0; turn < 2; turn++) {
            FILE* file = fopen(path, "r+b");
            fseek(file, at, SEEK_SET);
            int byte = fgetc(file);
            fseek(file, at, SEEK_SET);
            fputc(byte ^ 0x10, file);
            fclose(file);
            CHECK(load(&k, key, back, sizeof back) == (turn == 1));
        }
    }
    for (long size = (long)status.st_size - 1; size >= 0; size -= 7) {
        CHECK_INT(truncate(path, size), 0);
        CHECK(!load(&k, key, back, sizeof back));
    }
    save(&k, key, bytes, sizeof bytes);
    CHECK(load(&k, key, back, sizeof back));
    CHECK_INT(truncate(path, status.st_size + 1), 0);
    CHECK(!load(&k, key, back, sizeof back));
    end(&k);
}

TEST(a_directory_that_cannot_be_made_keeps_nothing)
{
    Kept k;
    begin(&k);
    char bytes[10] = "modes", path[2048];
    snprintf(path, sizeof path, "%s/a", k.root);
    FILE* file = fopen(path, "w"); // a file where a directory should be
    CHECK(file && fclose(file) == 0);
    save(&k, key, bytes, sizeof bytes);
    CHECK(!load(&k, key, bytes, sizeof bytes));
    CHECK_INT(unlink(path), 0);
    k.store.directory[0] = '\0';
    save(&k, key, bytes, sizeof bytes);
    CHECK(!load(&k, key, bytes, sizeof bytes));
    snprintf(k.store.directory, sizeof k.store.directory, "%s/a/b", k.root);
    end(&k);
}

static void make_older(const Kept* k, uint64_t id, int seconds)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%016llx%016llx.modes", k->store.directory, 0ull, (unsigned long long)id);
    struct timespec then = {.tv_sec = time(NULL) - seconds};
    CHECK_INT(utimensat(AT_FDCWD, path, (struct timespec[2]){then, then}, 0), 0);
}

// Four files of 1 kB and a little, room for three and a half: the one that was used longest ago goes.
TEST(what_was_not_used_for_the_longest_time_goes_first)
{
    Kept k;
    begin(&k);
    static char bytes[1000];
    k.store.most_bytes = 3700;
    for (uint64_t id = 1; id <= 3; id++) {
        save(&k, (uint64_t[2]){0, id}, bytes, sizeof bytes);
        make_older(&k, id, 1000 * (4 - (int)id));
    }
    CHECK(load(&k, (uint64_t[2]){0, 1}, bytes, sizeof bytes)); // now 2 is the oldest
    save(&k, (uint64_t[2]){0, 4}, bytes, sizeof bytes);
    CHECK_INT(count_files(&k, NULL), 3);
    for (uint64_t id = 1; id <= 4; id++) {
        CHECK(load(&k, (uint64_t[2]){0, id}, bytes, sizeof bytes) == (id != 2));
    }
    static char large[4000];
    save(&k, key, large, sizeof large); // more than all that may be kept: the others stay
    CHECK_INT(count_files(&k, NULL), 3);
    end(&k);
}

TEST(the_directory_comes_from_the_environment)
{
    setenv("HOME", "/home/somebody", 1);
    unsetenv("XDG_CACHE_HOME"), unsetenv("CORDAGE_CACHE");
    CHECK_STR(cord_mode_store_default().directory, "/home/somebody/.cache/cordage/modes");
    setenv("XDG_CACHE_HOME", "/var/cache", 1);
    CHECK_STR(cord_mode_store_default().directory, "/var/cache/cordage/modes");
    setenv("CORDAGE_CACHE", "/tmp/kept", 1);
    CHECK_STR(cord_mode_store_default().directory, "/tmp/kept");
    CHECK_INT(cord_mode_store_default().most_bytes, 1 << 30);
    setenv("CORDAGE_CACHE", "", 1);
    CHECK_STR(cord_mode_store_default().directory, "");
    static char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    setenv("CORDAGE_CACHE", longest, 1);
    CHECK_STR(cord_mode_store_default().directory, "");
}

TEST_GROUP(scene_mode_store)
