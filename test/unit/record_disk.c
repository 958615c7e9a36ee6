// Places that cannot be recorded to, disks that fill up, and two runs after one file.
#include "record_scene.h"

#include <fcntl.h>
#include <sys/wait.h>

// A limit on the file's size fails the same calls as a full disk, at every size in turn.
TEST(a_full_disk_keeps_what_was_recorded)
{
    const char* path = record_path("full.h5");
    for (rlim_t bytes = 120 << 10; bytes < 400 << 10; bytes += 15017) {
        CordMessage message = {""};
        RecordRun run = record_start(path);
        record_limit_size(bytes);
        CordResult result = CORD_OK;
        int frames = 0;
        while (result == CORD_OK && frames < 2000) {
            frames = cord_recorder_frame_count(run.recorder);
            result = record_next(&run, &message);
        }
        CHECK_RESULT(result, CORD_BAD_FILE);
        CHECK_CONTAINS(message.text, path);
        CHECK_CONTAINS(message.text, "was not recorded: the file would grow past the largest size allowed");
        CHECK_RESULT(cord_recorder_put_frame(run.recorder, &message), CORD_BAD_FILE);
        CHECK_CONTAINS(message.text, "a write failed");
        CHECK_RESULT(cord_recorder_close(run.recorder, &message), CORD_BAD_FILE);
        record_limit_size(RLIM_INFINITY);

        CordRecording* recording = record_read(path);
        CHECK_INT(cord_recording_frames(recording).count, frames);
        for (int i = 0; i < frames; i++) {
            record_frame(recording, i);
        }
        if (frames > 0) {
            record_until(record_on(record_world(NULL), path), frames + 3);
        }
    }
}

// The same when only the closing itself finds no room: a limit below the file's size stops what is rewritten,
// too.
TEST(a_disk_that_fills_up_at_the_end_keeps_all_frames)
{
    const char* path = record_path("end.h5");
    CordMessage message = {""};
    int failed = 0, closed = 0;
    long size = 1;
    for (long bytes = 512; bytes < size + 8192; bytes += 6133) {
        RecordRun run = record_start(path);
        record_frames(&run, 5);
        size = file_size(path);
        record_limit_size((rlim_t)bytes);
        CordResult result = cord_recorder_close(run.recorder, &message);
        record_limit_size(RLIM_INFINITY);
        failed += result != CORD_OK;
        closed += result == CORD_OK;
        CordRecording* recording = record_read(path);
        CHECK_INT(cord_recording_frames(recording).count, 5);
        CHECK(result != CORD_OK || cord_recording_complete(recording));
    }
    CHECK(failed > 0 && closed > 0);
}

static void check_refused(const char* path, const char* text)
{
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    CHECK(record_create(&run, path, &message) != CORD_OK);
    CHECK(run.recorder == NULL);
    CHECK_CONTAINS(message.text, text);
}

TEST(a_place_that_cannot_be_written_is_named)
{
    check_refused(record_path("nowhere/run.h5"), "its directory does not exist");
    check_refused(test_directory, "it is a directory");
    check_refused("/dev/null", "it is a device or a pipe");
    check_refused("", "no path is given");
    check_refused(NULL, "no path is given");
    const char* file = record_path("file");
    file_save(file, "", 0);
    check_refused(record_path("file/run.h5"), "a part of its path is a file");
    record_limit_size(8 << 10);
    check_refused(record_path("tight.h5"), "the recording could not be started: the file would grow past");
    record_limit_size(RLIM_INFINITY);
    CHECK(file_size(record_path("tight.h5")) < 0 && file_size(record_path("tight.h5.part")) < 0);
}

TEST(a_read_only_place_is_named)
{
    if (geteuid() == 0) {
        print_message("  skipped: the superuser may write anywhere\n");
        return;
    }
    const char* directory = record_path("locked");
    CHECK(mkdir(directory, 0555) == 0);
    check_refused(record_path("locked/run.h5"), "writing there is not permitted");
    const char* file = record_path("locked.h5");
    close(open(file, O_CREAT | O_WRONLY, 0444));
    check_refused(file, "writing there is not permitted");
    CHECK_INT(file_size(file), 0);
}

static void check_second_is_refused(const char* path)
{
    RecordRun second = record_world(NULL);
    CordMessage message = {""};
    CHECK_RESULT(record_create(&second, path, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "is being recorded to by another run");
    CHECK_RESULT(record_resume(&second, path, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "is being recorded to by another run");
    CHECK(file_size(record_path("shared.h5.part")) < 0);
}

TEST(two_runs_cannot_record_to_one_file)
{
    const char* path = record_path("shared.h5");
    RecordRun first = record_start(path);
    record_frames(&first, 2);
    check_second_is_refused(path);
    pid_t child = fork();
    if (child == 0) {
        check_second_is_refused(path);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    record_until(first, 4);
    CHECK_INT(cord_recording_frames(record_read(path)).count, 4);
    record_until(record_start(path), 0); // free again
}

// A link stays a link, and the file it names is the recording.
TEST(links_are_followed)
{
    const char *path = record_path("real.h5"), *link = record_path("link.h5");
    CHECK(symlink("real.h5", link) == 0);
    check_refused(link, "its directory does not exist"); // it leads nowhere yet
    file_save(path, "", 0);
    record_until(record_start(link), 1);
    struct stat info;
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(file_size(path) > 0);
}

// What is written to a file that its path does not lead to is lost to whoever looks there.
TEST(a_recording_that_is_removed_is_told_of)
{
    const char *path = record_path("gone.h5"), *other = record_path("other.h5");
    CordMessage message = {""};
    for (int way = 0; way < 4; way++) {
        RecordRun run = record_start(path);
        record_frames(&run, 2);
        if (way == 1) { // another file takes its place
            file_save(other, "x", 1);
            CHECK(rename(other, path) == 0);
        } else if (way == 3) { // it is moved
            CHECK(rename(path, other) == 0);
        } else {
            CHECK(remove(path) == 0);
        }
        CordResult result = way == 2 ? CORD_BAD_FILE : cord_recorder_put_frame(run.recorder, &message);
        CHECK_RESULT(result, CORD_BAD_FILE);
        CHECK_INT(cord_recorder_frame_count(run.recorder), way == 2 ? 2 : 0);
        CordMessage closing = {""};
        CHECK_RESULT(cord_recorder_close(run.recorder, &closing), CORD_BAD_FILE);
        CHECK_CONTAINS(way == 2 ? closing.text : message.text,
                       "was removed, moved or replaced while it was recorded to");
    }
}

TEST(a_directory_without_room_for_files_is_named)
{
    struct stat info;
    if (stat("/proc/self", &info) != 0) {
        print_message("  skipped: there is no /proc\n");
        return;
    }
    check_refused("/proc/a.h5", "no file can be created in that directory");
}

TEST_GROUP(record_disk)
