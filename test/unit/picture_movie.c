#include "picture_frames.h"

#include <unistd.h>

enum { FRAMES = 6 };

// A short rod that walks along x: frame k is at x = 10 k. Frame `bad` is not finite, frame `missing` cannot
// be read.
typedef struct Walk {
    Stage* stage;
    int bad, missing;
    int reads;
} Walk;

static CordResult walk_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    Walk* walk = user;
    walk->reads++;
    if (index == walk->missing) {
        snprintf(message->text, sizeof message->text, "frame %d is missing", index);
        return CORD_BAD_FILE;
    }
    for (int i = 0; i < walk->stage->frame.node_count; i++) {
        walk->stage->x[i] = (CordVec3){10.0 * index + i, 0, index == walk->bad ? NAN : 0};
    }
    walk->stage->frame.time = 0.1 * index;
    *frame = walk->stage->frame;
    return CORD_OK;
}

static Walk walk_make(void)
{
    return (Walk){.stage = stage_line(1, 4, 0.2, 1), .bad = -1, .missing = -1};
}

static CordFrames walk_frames(Walk* walk)
{
    return (CordFrames){.count = FRAMES, .read = walk_read, .user = walk};
}

static bool exists(const char* path) // or what was to become it
{
    char part[600];
    snprintf(part, sizeof part, "%s.part", path);
    return file_size(path) >= 0 || file_size(part) >= 0;
}

static void skip_unless_able(void)
{
    skip_without_pictures();
    if (system("ffmpeg -version >/dev/null 2>&1") != 0) {
        skip();
    }
}

static CordResult movie_made(Walk* walk, const char* path, CordProgress progress, CordMessage* message)
{
    CordFrames frames = walk_frames(walk);
    CordPictureDef def = plain_def(63, 47); // odd: the movie is 64 x 48
    def.samples = 1;
    def.least_radius = 0.05;
    return cord_picture_mp4(&frames, &def, 25, 0, -1, path, progress, message);
}

// Reads one number about the movie's picture stream with ffprobe.
static double probed(const char* path, const char* entry)
{
    char command[900], text[64] = "";
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=%s -of csv=p=0 '%s'",
             entry, path);
    FILE* pipe = popen(command, "r");
    CHECK(pipe != NULL);
    CHECK(fgets(text, sizeof text, pipe) != NULL);
    pclose(pipe);
    return atof(text);
}

// The movie of a walk fails, and leaves no file.
static void check_refused(Walk* walk, const char* path, CordResult expected, const char* text)
{
    CordMessage message = {""};
    CHECK_RESULT(movie_made(walk, path, (CordProgress){0}, &message), expected);
    CHECK_CONTAINS(message.text, text);
    CHECK(!exists(path));
}

static const char* check_made(const char* name, CordProgress progress)
{
    Walk walk = walk_make();
    CordMessage message = {""};
    const char* path = test_path(name);
    check_said(movie_made(&walk, path, progress, &message), &message);
    CHECK_STR(message.text, "");
    return path;
}

TEST(movie_has_every_frame_and_an_even_size)
{
    skip_unless_able();
    Progress count = {0};
    const char* path = check_made("whole.mp4", (CordProgress){progress_count, &count});
    CHECK_INT(count.calls, FRAMES);
    CHECK_INT(count.last_done, FRAMES);
    CHECK_INT(count.last_total, FRAMES);
    CHECK_NEAR(probed(path, "nb_read_frames"), FRAMES, 0);
    CHECK_NEAR(probed(path, "width"), 64, 0);
    CHECK_NEAR(probed(path, "height"), 48, 0);
    CHECK_NEAR(probed(path, "r_frame_rate"), 25, 0);
    CHECK(file_size(path) > 0 && file_size(test_path("whole.mp4.part")) < 0);
}

TEST(names_are_never_taken_for_options_or_addresses)
{
    skip_unless_able();
    Walk walk = walk_make();
    CordMessage message = {""};
    char here[512];
    CHECK(getcwd(here, sizeof here) != NULL);
    const char* path = test_path("-y http:x 'quoted'.mp4");
    CHECK_INT(chdir(test_directory), 0);
    CHECK_OK(movie_made(&walk, "-y http:x 'quoted'.mp4", (CordProgress){0}, &message));
    CHECK_INT(chdir(here), 0);
    CHECK(file_size(path) > 0);
}

TEST(stopping_early_keeps_what_is_done)
{
    skip_unless_able();
    Progress count = {.stop_after = 2};
    const char* path = check_made("stopped.mp4", (CordProgress){progress_count, &count});
    CHECK_NEAR(probed(path, "nb_read_frames"), 2, 0);
}

TEST(some_frames_only)
{
    skip_unless_able();
    Walk walk = walk_make();
    CordFrames frames = walk_frames(&walk);
    CordPictureDef def = plain_def(64, 48);
    CordMessage message = {""};
    const char* path = test_path("some.mp4");
    CHECK_OK(cord_picture_mp4(&frames, &def, 29.97, 2, 4, path, (CordProgress){0}, &message));
    CHECK_NEAR(probed(path, "nb_read_frames"), 3, 0);
}

TEST(wrong_numbers_are_refused)
{
    const struct {
        double fps;
        int first, last, width;
        const char* text;
    } wrong[] = {{25, 0, FRAMES, 64, "there are 6"},      {25, -1, -1, 64, "there are 6"},
                 {25, 4, 3, 64, "there are 6"},           {0, 0, -1, 64, "pictures per second"},
                 {NAN, 0, -1, 64, "pictures per second"}, {25, 0, -1, 0, "0 x 48 pixels"}};
    Walk walk = walk_make();
    CordFrames frames = walk_frames(&walk);
    const char* path = test_path("wrong.mp4");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CordPictureDef def = plain_def(wrong[k].width, 48);
        CordMessage message = {""};
        CHECK_RESULT(cord_picture_mp4(&frames, &def, wrong[k].fps, wrong[k].first, wrong[k].last, path,
                                      (CordProgress){0}, &message),
                     CORD_BAD_ARGUMENT);
        CHECK_CONTAINS(message.text, wrong[k].text);
    }
    CHECK_INT(walk.reads, 0);
    CHECK(!exists(path));
}

TEST(unwritable_paths_are_named)
{
    Walk walk = walk_make();
    check_refused(&walk, "/no/such/directory/a.mp4", CORD_BAD_FILE, "/no/such/directory/a.mp4");
}

TEST(failed_frames_leave_no_file)
{
    skip_unless_able();
    const char* path = test_path("failed.mp4");
    Walk walk = walk_make();
    walk.bad = 3;
    check_refused(&walk, path, CORD_BAD_ARGUMENT, "node 0 of rod \"rope\"");
    walk.bad = -1;
    walk.missing = 4;
    check_refused(&walk, path, CORD_BAD_FILE, "frame 4 is missing");
}

// One camera for the whole walk: the rod is at the left in the first frame and at the right in the last.
TEST(camera_stands_still)
{
    skip_unless_able();
    const char* path = check_made("camera.mp4", (CordProgress){0});
    char command[1200];
    snprintf(command, sizeof command, "ffmpeg -loglevel error -i '%s' -f rawvideo -pix_fmt rgb24 -", path);
    FILE* pipe = popen(command, "r");
    CHECK(pipe != NULL);
    static unsigned char rgb[FRAMES][3 * 64 * 48];
    CHECK_INT(fread(rgb, sizeof rgb[0], FRAMES, pipe), FRAMES);
    pclose(pipe);
    double center[FRAMES];
    for (int k = 0; k < FRAMES; k++) {
        double sum = 0, count = 0;
        for (int i = 0; i < 64 * 48; i++) {
            if (rgb[k][3 * i] > rgb[k][3 * i + 2] + 15) { // the rod's colours, in a small blurred picture
                sum += i % 64;
                count++;
            }
        }
        CHECK(count > 0);
        center[k] = sum / count;
        CHECK(k == 0 || center[k] > center[k - 1] + 5);
    }
    CHECK(center[0] < 12 && center[FRAMES - 1] > 52);
}

// ---- other ffmpegs

static char kept_path[8192];

static void path_set(const char* directories)
{
    const char* path = getenv("PATH");
    snprintf(kept_path, sizeof kept_path, "%s", path ? path : "");
    CHECK_INT(setenv("PATH", directories, 1), 0);
}

static void path_restore(void)
{
    CHECK_INT(setenv("PATH", kept_path, 1), 0);
}

TEST(missing_ffmpeg_is_named_with_its_package)
{
    Walk walk = walk_make();
    const char* path = test_path("none.mp4");
    const char* empty[] = {"", "/no/such/directory"};
    for (int k = 0; k < 2; k++) {
        path_set(empty[k]);
        CordMessage message = {""};
        CordResult result = movie_made(&walk, path, (CordProgress){0}, &message);
        path_restore();
        CHECK_RESULT(result, CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(message.text, "ffmpeg");
        CHECK_CONTAINS(message.text, "install");
        CHECK(!exists(path));
    }
    CHECK_INT(walk.reads, 0); // found out before any work
}

// Runs a movie with a shell script in ffmpeg's place.
static void check_script_refused(const char* script, const char* text)
{
    const char *directory = test_path("bin"), *program = test_path("bin/ffmpeg");
    const char* path = test_path("script.mp4");
    char lines[200];
    Walk walk = walk_make();
    CordMessage message = {""};
    skip_without_pictures();
    mkdir(directory, 0755); // it may be there already
    snprintf(lines, sizeof lines, "#!/bin/sh\n%s\n", script);
    file_save(program, lines, strlen(lines));
    CHECK_INT(chmod(program, 0755), 0);
    path_set(directory);
    CordResult result = movie_made(&walk, path, (CordProgress){0}, &message);
    path_restore();
    CHECK_RESULT(result, CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "script.mp4");
    CHECK_CONTAINS(message.text, text);
    CHECK(!exists(path));
}

TEST(what_ffmpeg_says_is_passed_on)
{
    check_script_refused("echo 'no encoder' >&2; echo 'by that name' >&2; exit 1",
                         "no encoder by that name"); // in one line
}

TEST(ffmpeg_that_stops_reading_is_an_error_not_a_signal)
{
    check_script_refused("exec <&-; exit 0", "stopped");
    check_script_refused("kill -9 $$", "killed");
}

TEST_GROUP(picture_movie)
