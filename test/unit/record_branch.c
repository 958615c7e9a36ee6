// The points of a branch are frames, and what is known of each is beside them.
#include "record_scene.h"

#include "export/recorder.h"
#include "export/recording.h"

enum { POINTS = 12 };

static RecordRun branch_start(const char* path)
{
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    run.branch = true;
    CordRecorderDef def = record_def(&run, path);
    CHECK_OK(cord_recorder_create(&def, run.world, &run.recorder, &message));
    return run;
}

TEST(every_point_reads_back_bit_for_bit)
{
    const char* path = record_path("branch.h5");
    RecordRun run = branch_start(path);
    CordMessage message = {""};
    record_frames(&run, POINTS);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CordFrames frames = cord_recording_frames(recording);
    CHECK(cord_recording_is_branch(recording) && cord_recording_complete(recording));
    CHECK_INT(frames.count, POINTS);
    for (int i = 0; i < POINTS; i++) {
        CordFrame frame;
        CordBranchPoint point;
        CHECK_OK(frames.read(frames.user, i, &frame, &message));
        CHECK_OK(cord_recording_branch_point(recording, i, &point, &message));
        CordBranchPoint expected = record_point(i, frame.time);
        CHECK(record_points_equal(&point, &expected));
    }
    CordBranchPoint point;
    CHECK_RESULT(cord_recording_branch_point(recording, POINTS, &point, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "has no point 12");
    cord_recording_close(recording);
}

// Past a fold the parameter runs back, and two points may have the same.
TEST(times_may_go_down)
{
    const char* path = record_path("fold.h5");
    const double times[] = {0, 0.5, 1, 0.75, 0.5, -0.25, 0.5};
    RecordRun run = branch_start(path);
    CordMessage message = {""};
    CordFrame frame;
    CHECK_OK(cord_world_frame(run.world, &frame));
    for (int i = 0; i < 7; i++) {
        CordBranchPoint point = record_point(i, times[i]);
        frame.time = times[i];
        CHECK(recorder_append_frame(run.recorder, &frame, &point) && recorder_commit(run.recorder));
    }
    record_end(&run);
    CordRecording* recording = record_read(path);
    for (int i = 0; i < 7; i++) {
        CordBranchPoint point;
        CHECK_OK(recording_read_frame(recording, i, &frame, &message));
        CHECK_OK(cord_recording_branch_point(recording, i, &point, &message));
        CHECK(frame.time == times[i] && point.time == times[i]);
        CHECK_INT(point.solve.iterations, 3 + i);
    }
    cord_recording_close(recording);
}

TEST(a_run_takes_no_points_and_a_branch_no_frames)
{
    RecordRun run = record_start(record_path("run.h5")), branch = branch_start(record_path("branch.h5"));
    CordMessage message = {""};
    CordBranchPoint point = record_point(0, 0);
    CHECK_RESULT(cord_recorder_put_branch_point(run.recorder, &point, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "is not the recording of a branch");
    CHECK_RESULT(cord_recorder_put_frame(branch.recorder, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "is the recording of a branch");
    record_frames(&run, 1);
    record_frames(&branch, 1);
    record_end(&run);
    record_end(&branch);
    CordRecording* recording = record_read(record_path("run.h5"));
    CHECK_RESULT(cord_recording_branch_point(recording, 0, &point, &message), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "it has 0");
    cord_recording_close(recording);
}

TEST(a_branch_is_not_resumed)
{
    const char* path = record_path("branch.h5");
    RecordRun run = branch_start(path);
    CordMessage message = {""};
    record_frames(&run, 3);
    record_end(&run);
    run = record_world(NULL);
    CordRecorderDef def = record_def(&run, path);
    for (int i = 0; i < 2; i++) {
        def.branch = i == 1;
        CHECK_RESULT(cord_recorder_resume(&def, run.world, &run.recorder, &message), CORD_BAD_FILE);
        CHECK_CONTAINS(message.text, "a branch of equilibria is followed in one go");
    }
    cord_world_destroy(run.world);
    cord_scene_destroy(run.scene);
}

TEST_GROUP(record_branch, every_point_reads_back_bit_for_bit, times_may_go_down,
           a_run_takes_no_points_and_a_branch_no_frames, a_branch_is_not_resumed)
