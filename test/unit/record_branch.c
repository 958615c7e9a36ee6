// The points of a branch are frames, and what is known of each is beside them.
#include "record_scene.h"

enum { POINTS = 12 };

TEST(every_point_reads_back_bit_for_bit)
{
    const char* path = record_path("branch.h5");
    CordMessage message = {""};
    record_until(record_to(record_branch(), path), POINTS);
    CordRecording* recording = record_read(path);
    CHECK(cord_recording_is_branch(recording) && cord_recording_complete(recording));
    CHECK_INT(cord_recording_frames(recording).count, POINTS);
    CordBranchPoint point;
    for (int i = 0; i < POINTS; i++) {
        point = record_read_point(recording, i);
        record_check_point(&point, i, record_frame(recording, i).time);
    }
    CHECK_RESULT(cord_recording_branch_point(recording, POINTS, &point, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "has no point 12");
}

// Past a fold the parameter runs back, and two points may have the same.
TEST(times_may_go_down)
{
    const char* path = record_path("fold.h5");
    const double times[] = {0, 0.5, 1, 0.75, 0.5, -0.25, 0.5};
    RecordRun run = record_to(record_branch(), path);
    CordFrame frame;
    CHECK_OK(cord_world_frame(run.world, &frame));
    for (int i = 0; i < 7; i++) {
        CordBranchPoint point = record_point(i, times[i]);
        frame.time = times[i];
        record_put(&run, &frame, &point);
    }
    record_end(&run);
    CordRecording* recording = record_read(path);
    for (int i = 0; i < 7; i++) {
        CordBranchPoint point = record_read_point(recording, i);
        CHECK(record_frame(recording, i).time == times[i]);
        record_check_point(&point, i, times[i]);
    }
}

TEST(a_run_takes_no_points_and_a_branch_no_frames)
{
    RecordRun run = record_start(record_path("run.h5"));
    RecordRun branch = record_to(record_branch(), record_path("branch.h5"));
    CordMessage message = {""};
    CordBranchPoint point = record_point(0, 0);
    CHECK_RESULT(cord_recorder_put_branch_point(run.recorder, &point, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "is not the recording of a branch");
    record_check_put_refused(&branch, "is the recording of a branch");
    record_until(run, 1);
    record_until(branch, 1);
    CordRecording* recording = record_read(record_path("run.h5"));
    CHECK_RESULT(cord_recording_branch_point(recording, 0, &point, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "it has 0");
}

TEST(a_branch_is_not_resumed)
{
    const char* path = record_path("branch.h5");
    CordMessage message = {""};
    record_until(record_to(record_branch(), path), 3);
    RecordRun run = record_world(NULL);
    for (int i = 0; i < 2; i++) {
        run.branch = i == 1;
        CHECK_RESULT(record_resume(&run, path, &message), CORD_BAD_FILE);
        CHECK_CONTAINS(message.text, "a branch of equilibria is followed in one go");
    }
}

TEST_GROUP(record_branch)
