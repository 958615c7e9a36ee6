#include "export_text.h"

#include "export/export.h"

#include <locale.h>

// Reads one line of `time,rod,node,x,y,z`; a name in quotes may hold commas.
static const char* read_node(const char* at, double* time, char* rod, int* node, CordVec3* x)
{
    char* end;
    *time = strtod(at, &end);
    CHECK(*end == ',');
    at = end + 1;
    bool quoted = *at == '"';
    at += quoted;
    size_t length = strcspn(at, quoted ? "\"" : ",");
    memcpy(rod, at, length);
    rod[length] = '\0';
    at += length + (quoted ? 2 : 1);
    *node = (int)strtol(at, &end, 10);
    x->x = strtod(end + 1, &end);
    x->y = strtod(end + 1, &end);
    x->z = strtod(end + 1, &end);
    CHECK(*end == '\n');
    return end + 1;
}

TEST(nodes_read_back_bit_for_bit)
{
    const char* path = record_path("nodes.csv");
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("csv", path);
    CordMessage message = {""};
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(path);
    const char* at = text;
    CHECK(strncmp(at, "time,rod,node,x,y,z\n", 20) == 0);
    at += 20;
    for (int i = 0; i < frames.count; i++) {
        CordFrame frame;
        CHECK_OK(frames.read(frames.user, i, &frame, &message));
        for (int r = 0; r < frame.rod_count; r++) {
            for (int k = 0; k < frame.rods[r].node_count; k++) {
                double time;
                char rod[64];
                int node;
                CordVec3 x;
                at = read_node(at, &time, rod, &node, &x);
                CHECK(time == frame.time && node == k);
                CHECK_STR(rod, frame.rods[r].name);
                CHECK(record_same_bytes(&x, &frame.x[frame.rods[r].first_node + k], sizeof x));
            }
        }
    }
    CHECK(*at == '\0');
    free(text);
    cord_recording_close(recording);
}

TEST(a_range_of_frames_is_written)
{
    const char* path = record_path("range.csv");
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("csv", path);
    CordMessage message = {""};
    def.first = 1;
    def.last = 2;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(path);
    int lines = 0;
    for (const char* c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    CHECK_INT(lines, 1 + 2 * (10 + 12)); // the nodes of the two rods
    free(text);
    def.first = 3;
    export_check_refused(&frames, &def, "frames 3 to 2 are none");
    def.first = 4;
    export_check_refused(&frames, &def, "there is no frame 4; frames go from 0 to 3");
    def.first = 0;
    def.last = 99;
    export_check_refused(&frames, &def, "there is no frame 99");
    cord_recording_close(recording);
}

TEST(probes_are_a_wide_table_that_reads_back)
{
    enum { ROWS = (EXPORT_FRAMES - 1) * RECORD_STEPS_PER_FRAME, COLUMNS = 1 + 3 + 1 + 5 };
    const char* path = record_path("probes.csv");
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("csv", path);
    CordMessage message = {""};
    def.probes = true;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(path);
    char* at = strchr(text, '\n');
    CHECK(at != NULL);
    *at++ = '\0';
    CHECK(strncmp(text, "time,tip.x,tip.y,tip.z,pull.", 28) == 0);
    CHECK_CONTAINS(text, ",energy.kinetic,energy.bend,energy.twist,energy.stretch,energy.gravity");
    double times[ROWS], tip[ROWS * 3], pull[ROWS], energy[ROWS * 5];
    CHECK_OK(cord_recording_probe_times(recording, times, &message));
    CHECK_OK(cord_recording_probe_values(recording, 0, tip, &message));
    CHECK_OK(cord_recording_probe_values(recording, 1, pull, &message));
    CHECK_OK(cord_recording_probe_values(recording, 2, energy, &message));
    for (int row = 0; row < ROWS; row++) {
        double values[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            values[c] = strtod(at, &at);
            CHECK(*at == (c == COLUMNS - 1 ? '\n' : ','));
            at++;
        }
        CHECK(values[0] == times[row] && values[4] == pull[row]);
        CHECK(record_same_bytes(values + 1, tip + 3 * row, 3 * sizeof *tip));
        CHECK(record_same_bytes(values + 5, energy + 5 * row, 5 * sizeof *energy));
    }
    CHECK(*at == '\0');
    free(text);
    def.format = "obj";
    export_check_refused(&frames, &def, "csv alone");
    cord_recording_close(recording);
}

TEST(a_world_without_recording_is_one_frame_and_no_probes)
{
    RecordRun run = record_world(NULL);
    CordFrames frames = cord_world_frames(run.world);
    CordExportDef def = export_def("csv", record_path("world.csv"));
    CordMessage message = {""};
    CHECK_OK(cord_export(&frames, &def, &message));
    CHECK(record_size(def.path) > 0);
    CordFrame frame;
    CHECK_RESULT(frames.read(frames.user, 1, &frame, &message), CORD_BAD_ARGUMENT);
    def.probes = true;
    export_check_refused(&frames, &def, "there are no probes");
    cord_world_destroy(run.world);
    cord_scene_destroy(run.scene);
}

TEST(stopping_leaves_what_is_done)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("csv", record_path("stopped.csv"));
    CordMessage message = {""};
    ExportStop stop = {.stop_after = 2};
    def.progress = (CordProgress){export_count, &stop};
    CHECK_OK(cord_export(&frames, &def, &message));
    CHECK_INT(stop.calls, 2);
    CHECK_INT(stop.last_done, 2);
    CHECK_INT(stop.last_total, EXPORT_FRAMES);
    char* text = export_load(def.path);
    int lines = 0;
    for (const char* c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    CHECK_INT(lines, 1 + 2 * (10 + 12));
    free(text);
    cord_recording_close(recording);
}

TEST(a_failure_leaves_the_old_file)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    const char* path = record_path("kept.csv");
    CordMessage message = {""};
    FILE* file = fopen(path, "w");
    CHECK(file && fputs("old", file) >= 0 && fclose(file) == 0);
    CordExportDef def = export_def("csv", path);
    def.probes = true;
    CordFrames none = frames;
    none.recording = NULL;
    export_check_refused(&none, &def, "there are no probes");
    char* text = export_load(path);
    CHECK_STR(text, "old");
    free(text);
    CHECK(record_size(record_path("kept.csv.part")) < 0);
    def.probes = false;
    CHECK_OK(cord_export(&frames, &def, &message));
    CHECK(record_size(path) > 1000 && record_size(record_path("kept.csv.part")) < 0);
    cord_recording_close(recording);
}

TEST(a_place_that_cannot_be_written_is_named)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    const char* formats[] = {"csv", "obj", "vtk"};
    for (int i = 0; i < 3; i++) {
        CordExportDef def = export_def(formats[i], record_path("nowhere/out"));
        export_check_refused(&frames, &def, "its directory does not exist");
        def.path = "";
        export_check_refused(&frames, &def, i < 2 ? "no path is given" : "names no file");
        def.path = NULL;
        export_check_refused(&frames, &def, i < 2 ? "no path is given" : "names no file");
    }
    CordExportDef def = export_def("csv", record_directory);
    export_check_refused(&frames, &def, "it is a directory");
    def.path = "/dev/full"; // every write fails as on a full disk
    export_check_refused(&frames, &def, "the disk is full");
    def.format = "svg";
    export_check_refused(&frames, &def, "there is no export format svg; choose one of csv, vtk, obj");
    CordFrames none = {.count = 0};
    def.format = "csv";
    export_check_refused(&none, &def, "there is no frame to export");
    cord_recording_close(recording);
}

TEST(formats_are_listed)
{
    CHECK_INT(cord_export_format_count(), 3);
    for (int i = 0; i < cord_export_format_count(); i++) {
        CHECK(cord_export_format(i)->name[0] != '\0' && cord_export_format(i)->summary[0] != '\0');
    }
    CHECK(cord_export_format(-1) == NULL && cord_export_format(3) == NULL);
}

TEST(numbers_read_back_and_have_a_point)
{
    char text[NUMBER_TEXT_MOST];
    CHECK_STR(number_text(0.1, text), "0.1");
    CHECK_STR(number_text(1.0 / 3.0, text), "0.33333333333333331");
    CHECK_STR(number_text(-0.0, text), "-0");
    CHECK_STR(number_text(1e300, text), "1e+300");
    CHECK_STR(number_text(INFINITY, text), "inf");
    CHECK_STR(number_text_short(1.0 / 3.0, text), "0.333333333");
    const char* locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"}; // the last has a point of two bytes
    for (int i = 0; i < 3; i++) {
        if (setlocale(LC_NUMERIC, locales[i])) {
            CHECK_STR(number_text(-1234.5e-20, text), "-1.2345e-17");
            CHECK_STR(number_text(1.0 / 3.0, text), "0.33333333333333331");
        }
    }
    setlocale(LC_NUMERIC, "C");
}

TEST_MAIN(nodes_read_back_bit_for_bit, a_range_of_frames_is_written, probes_are_a_wide_table_that_reads_back,
          a_world_without_recording_is_one_frame_and_no_probes, stopping_leaves_what_is_done,
          a_failure_leaves_the_old_file, a_place_that_cannot_be_written_is_named, formats_are_listed,
          numbers_read_back_and_have_a_point)
