// Files that were cut, changed or are something else: a sentence, never a crash, and never wrong numbers.
#include "record_scene.h"

// HDF5 1.10 itself leaks some 400 bytes for each description of a table whose checksum is wrong.
CORD_API const char* __lsan_default_suppressions(void);
CORD_API const char* __lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

enum { FRAMES = 9, ROWS = (FRAMES - 1) * RECORD_STEPS_PER_FRAME };

static double* expected_probe; // (ROWS * 3)

// A branch has every table that a run has, and more.
static CordRecording* make_expected(const char* path)
{
    record_until(record_to(record_branch(), path), FRAMES);
    CordRecording* recording = record_read(path);
    expected_probe = record_probe(recording, 0);
    return recording;
}

static bool is_whole(CordResult result, const CordMessage* message)
{
    if (result != CORD_OK) {
        CHECK_CONTAINS(message->text, "is damaged");
    }
    return result == CORD_OK;
}

// Reads all there is. Whatever is given out without an error must be right.
static bool read_all(const char* path, CordRecording* expected)
{
    CordMessage message = {""};
    CordRecording* recording;
    bool whole = true;
    if (cord_recording_open(path, &recording, &message) != CORD_OK) {
        CHECK_CONTAINS(message.text, path);
        return false;
    }
    CordFrames frames = cord_recording_frames(recording);
    CHECK_INT(frames.count, FRAMES);
    for (int i = 0; i < frames.count; i++) {
        CordFrame frame;
        CordBranchPoint point;
        bool frame_is = is_whole(frames.read(frames.user, i, &frame, &message), &message);
        if (frame_is) {
            CordFrame right = record_frame(expected, i);
            record_check_frame(&frame, &right);
        }
        bool point_is =
            frame_is && is_whole(cord_recording_branch_point(recording, i, &point, &message), &message);
        if (point_is) {
            record_check_point(&point, i, frame.time);
        }
        whole = whole && point_is;
    }
    double values[ROWS * 3];
    bool probe_is = is_whole(cord_recording_probe_values(recording, 0, values, &message), &message);
    CHECK(!probe_is || record_same_bytes(values, expected_probe, sizeof values));
    cord_recording_close(recording);
    return whole && probe_is;
}

TEST(a_file_cut_anywhere_says_so)
{
    const char *path = record_path("whole.h5"), *cut = record_path("cut.h5");
    CordRecording* expected = make_expected(path);
    char* bytes = file_load(path);
    size_t length = (size_t)file_size(path);
    int whole = 0, tried = 0;
    for (size_t size = 0; size < length; size += size < 64 ? 1 : 577) {
        file_save(cut, bytes, size);
        whole += read_all(cut, expected);
        tried++;
    }
    CHECK(tried > 300);
    CHECK(whole < tried / 50); // only what HDF5 adds at the very end may be missing without loss
}

static uint32_t random_next(uint32_t* state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

TEST(changed_bytes_are_found_or_harmless)
{
    const char *path = record_path("whole.h5"), *changed = record_path("changed.h5");
    CordRecording* expected = make_expected(path);
    char* bytes = file_load(path);
    size_t length = (size_t)file_size(path);
    uint32_t random = 1;
    int found = 0;
    for (int round = 0; round < 600; round++) {
        size_t at[8];
        char old[8];
        int count = 1 + round % 8;
        for (int i = 0; i < count; i++) {
            at[i] = random_next(&random) % length;
            old[i] = bytes[at[i]];
            bytes[at[i]] ^= (char)(1 + random_next(&random) % 255);
        }
        file_save(changed, bytes, length);
        found += !read_all(changed, expected);
        for (int i = count - 1; i >= 0; i--) {
            bytes[at[i]] = old[i];
        }
    }
    CHECK(found > 60); // much of a small file is room for more
}

// Every byte of the first pages in turn: the superblock, the groups, the descriptions of the tables.
TEST(a_changed_beginning_is_found_or_harmless)
{
    const char *path = record_path("whole.h5"), *changed = record_path("changed.h5");
    CordRecording* expected = make_expected(path);
    char* bytes = file_load(path);
    size_t length = (size_t)file_size(path);
    for (size_t at = 0; at < 4096; at += at < 96 ? 1 : 13) {
        bytes[at] ^= (char)0xff;
        file_save(changed, bytes, length);
        read_all(changed, expected);
        bytes[at] ^= (char)0xff;
    }
}

static void check_refused(const char* path, const char* text)
{
    CordMessage message = {""};
    CordRecording* recording;
    CHECK(cord_recording_open(path, &recording, &message) != CORD_OK);
    CHECK(recording == NULL);
    CHECK_CONTAINS(message.text, text);
}

TEST(what_is_no_recording_is_refused)
{
    const char* path = record_path("other");
    check_refused(path, "there is no such file");
    check_refused(test_directory, "is a directory");
    file_save(path, "", 0);
    check_refused(path, "is not a recording");
    CHECK(!cord_recording_is(path));
    file_save(path, record_scene_text, sizeof record_scene_text);
    check_refused(path, "is not a recording");
    CHECK(!cord_recording_is(path) && !cord_recording_is(test_directory) && !cord_recording_is("/nowhere"));
    static uint8_t junk[4096] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    file_save(path, junk, sizeof junk);
    check_refused(path, "is damaged");
    CHECK(cord_recording_is(path));
    check_refused(NULL, "no path is given");
}

TEST_GROUP(record_damage)
