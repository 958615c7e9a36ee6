#include "picture_frames.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static CordResult png_made(const char* path, CordMessage* message)
{
    Stage* s = stage_line(1, 5, 0.05, 1);
    CordPictureDef def = plain_def(83, 47);
    CordResult result = cord_picture_png(&s->frame, &def, path, message);
    if (result == CORD_NOT_SUPPORTED) {
        CHECK_CONTAINS(message->text, "-dev"); // names the package
        skip();
    }
    return result;
}

static unsigned long big_endian(const unsigned char* p)
{
    return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 | (unsigned long)p[2] << 8 | p[3];
}

TEST(png_has_the_size_and_names_the_program)
{
    const char* path = test_path("good.png");
    CordMessage message = {""};
    CHECK_OK(png_made(path, &message));
    const unsigned char* bytes = (const unsigned char*)file_load(path);
    size_t size = (size_t)file_size(path);
    CHECK(size > 100 && size < 100000);
    CHECK_INT(memcmp(bytes, "\x89PNG\r\n\x1a\n", 8), 0);
    CHECK_INT(memcmp(bytes + 12, "IHDR", 4), 0);
    CHECK_INT(big_endian(bytes + 16), 83);
    CHECK_INT(big_endian(bytes + 20), 47);
    CHECK_INT(bytes[24], 8); // bits
    CHECK_INT(bytes[25], 2); // red, green, blue
    bool named = false, ended = false, srgb = false;
    for (size_t at = 8; at + 12 <= size; at += 12 + big_endian(bytes + at)) { // length, name, data, checksum
        const char* data = (const char*)bytes + at + 8;
        srgb = srgb || memcmp(bytes + at + 4, "sRGB", 4) == 0;
        ended = memcmp(bytes + at + 4, "IEND", 4) == 0 && at + 12 == size;
        if (memcmp(bytes + at + 4, "tEXt", 4) == 0) {
            CHECK_STR(data, "Software");
            CHECK_INT(strncmp(data + 9, "Cordage ", 8), 0);
            named = true;
        }
    }
    CHECK(named && srgb && ended);
}

TEST(unwritable_paths_are_named)
{
    CordMessage message = {""};
    CHECK_RESULT(png_made("/no/such/directory/a.png", &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "/no/such/directory/a.png");
    CHECK_RESULT(png_made(CORD_BINARY_DIR, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "directory");
}

TEST(full_disk_is_reported)
{
    struct stat status;
    if (stat("/dev/full", &status) != 0 || !S_ISCHR(status.st_mode)) {
        skip();
    }
    CordMessage message = {""};
    CHECK_RESULT(png_made("/dev/full", &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "full");
    // a failed file is removed, a device never
    CHECK(stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode));
}

TEST(failed_picture_leaves_what_was_there)
{
    const char* path = test_path("kept.png");
    file_save(path, "old", 3);
    Stage* s = stage_line(1, 5, 0.05, 1);
    CordPictureDef def = plain_def(83, 47);
    s->x[1].x = NAN;
    CordMessage message = {""};
    CHECK(cord_picture_png(&s->frame, &def, path, &message) != CORD_OK);
    def.width = -1;
    CHECK(cord_picture_png(&s->frame, &def, path, &message) != CORD_OK);
    CHECK_STR(file_load(path), "old");
}

TEST_GROUP(picture_png)
