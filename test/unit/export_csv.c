#include "export_text.h"

#include "export/section.h"
#include "export/text.h"

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

static CordResult read_rods_alone(void* user, int index, CordFrame* frame, CordMessage* message)
{
    (void)index, (void)message;
    *frame = *(const CordFrame*)user;
    frame->body_count = frame->obstacle_count = 0;
    return CORD_OK;
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
    def.table = CORD_TABLE_PROBES;
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

// Reads `count` numbers, the first of them where `at` is.
static const char* read_numbers(const char* at, double* values, int count)
{
    char* end;
    for (int i = 0; i < count; i++) {
        values[i] = strtod(at, &end);
        CHECK(end > at && *end == (i == count - 1 ? '\n' : ','));
        at = end + 1;
    }
    return at;
}

// One row of a table of sections: time, rod, number, and four numbers.
static const char* read_section(const char* at, const CordFrame* frame, int rod, int index, double values[4])
{
    char* end;
    CHECK(strtod(at, &end) == frame->time && *end == ',');
    bool quoted = end[1] == '"';
    size_t length = strlen(frame->rods[rod].name);
    CHECK(strncmp(end + 1 + quoted, frame->rods[rod].name, length) == 0);
    at = end + 1 + length + (quoted ? 2 : 0);
    CHECK_INT(strtol(at + 1, &end, 10), index);
    return read_numbers(end + 1, values, 4);
}

static CordVec3 resolved(SectionAxes axes, double m1, double m2, double t)
{
    CordVec3 x = {axes.t.y * axes.m1.z - axes.t.z * axes.m1.y, axes.t.z * axes.m1.x - axes.t.x * axes.m1.z,
                  axes.t.x * axes.m1.y - axes.t.y * axes.m1.x}; // m2
    return (CordVec3){m1 * axes.m1.x + m2 * x.x + t * axes.t.x, m1 * axes.m1.y + m2 * x.y + t * axes.t.y,
                      m1 * axes.m1.z + m2 * x.z + t * axes.t.z};
}

// Tension and shear add up to the section's force again, bending and torque to its moment; arcs to the
// length.
TEST(internal_forces_along_the_axes_add_up)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordMessage message = {""};
    CordFrame frame;
    for (int k = 0; k < 2; k++) {
        bool forces = k == 0;
        CordExportDef def = export_def("csv", record_path(forces ? "forces.csv" : "moments.csv"));
        def.table = forces ? CORD_TABLE_FORCES : CORD_TABLE_MOMENTS;
        CHECK_OK(cord_export(&frames, &def, &message));
        char* text = export_load(def.path);
        const char* head = forces ? "time,rod,edge,arc,tension,shear1,shear2\n"
                                  : "time,rod,node,arc,moment1,moment2,torque\n";
        const char* at = text + strlen(head);
        CHECK(strncmp(text, head, strlen(head)) == 0);
        for (int i = 0; i < frames.count; i++) {
            CHECK_OK(frames.read(frames.user, i, &frame, &message));
            for (int r = 0; r < frame.rod_count; r++) {
                const CordFrameRod* rod = &frame.rods[r];
                double arc = 0.0, most = 0.0;
                for (int j = 0; j < rod->node_count; j++) { // rounded to float, each relative to the largest
                    CordVec3 m = frame.moment[rod->first_node + j];
                    most = fmax(most, forces && j < rod->edge_count
                                          ? fabs(frame.tension[rod->first_edge + j]) + 10.0
                                          : fabs(m.x) + fabs(m.y) + fabs(m.z));
                }
                for (int j = 0; j < (forces ? rod->edge_count : rod->node_count); j++) {
                    double v[4], length = j < rod->edge_count ? section_edge_length(&frame, rod, j) : 0.0;
                    at = read_section(at, &frame, r, j, v);
                    CHECK_NEAR(v[0], forces ? arc + 0.5 * length : arc, 1e-15); // the same sums, rounded
                    arc += length;
                    SectionAxes axes =
                        forces ? section_of_edge(&frame, rod, j) : section_of_node(&frame, rod, j);
                    CordVec3 whole =
                        forces ? resolved(axes, v[2], v[3], v[1]) : resolved(axes, v[1], v[2], v[3]);
                    CordVec3 stored =
                        forces ? frame.force[rod->first_edge + j] : frame.moment[rod->first_node + j];
                    CHECK_VEC3(whole, stored, 1e-6 * most);
                }
            }
        }
        CHECK(*at == '\0');
        free(text);
    }
    cord_recording_close(recording);
}

TEST(bodies_read_back_bit_for_bit)
{
    CordRecording* recording = export_recording();
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("csv", record_path("bodies.csv"));
    CordMessage message = {""};
    CordFrame frame;
    def.table = CORD_TABLE_BODIES;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(def.path);
    const char* head = "time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,kinetic,gravity\n";
    const char* at = text + strlen(head);
    CHECK(strncmp(text, head, strlen(head)) == 0);
    for (int i = 0; i < frames.count; i++) {
        CHECK_OK(frames.read(frames.user, i, &frame, &message));
        CHECK_INT(frame.body_count, 2);
        for (int b = 0; b < 2; b++) {
            char* end;
            double v[15];
            CHECK(strtod(at, &end) == frame.time);
            const char* name = b == 0 ? ",ball," : ",\"brick, red\",";
            CHECK(strncmp(end, name, strlen(name)) == 0);
            at = read_numbers(end + strlen(name), v, 15);
            CHECK(record_same_bytes(v, &frame.bodies[b].position, 3 * sizeof *v));
            CHECK(record_same_bytes(v + 3, &frame.bodies[b].rotation, 4 * sizeof *v));
            CHECK(record_same_bytes(v + 7, &frame.bodies[b].velocity, 3 * sizeof *v));
            CHECK(record_same_bytes(v + 10, &frame.bodies[b].spin, 3 * sizeof *v));
            CHECK(v[13] == frame.bodies[b].energy.kinetic && v[14] == frame.bodies[b].energy.gravity);
        }
    }
    CHECK(*at == '\0');
    free(text);
    CHECK_OK(frames.read(frames.user, 0, &frame, &message));
    CordFrames none = {.count = 1, .read = read_rods_alone, .user = &frame};
    export_check_refused(&none, &def, "there are no bodies to export");
    cord_recording_close(recording);
}

TEST(contacts_name_what_touches)
{
    ExportTouch touch = export_touch();
    CordFrames frames = export_touch_frames(&touch);
    CordExportDef def = export_def("csv", record_path("contacts.csv"));
    CordMessage message = {""};
    def.table = CORD_TABLE_CONTACTS;
    def.last = 2;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(def.path);
    CHECK_STR(text,
              "time,rod,edge,at,kind,other,other_edge,other_at,x,y,z,nx,ny,nz,gap,push,fx,fy,fz,slides\n"
              "0.5,\"bar, long\",0,0.5,rod,bar,0,0.25,0.5,0,0.2,0,0,1,-0,2,0.5,-1.5,0,0\n"
              "0.5,bar,0,1,obstacle,\"ring, red\",,,1,0,0,0,0,1,-0.5,3,0.5,-1.5,1,1\n"
              "0.5,bar,0,0.125,body,ball,,,0.125,0,0,0,0,1,-1,4,0.5,-1.5,2,0\n");
    free(text);
}

TEST(obstacles_have_their_places_and_forces)
{
    ExportTouch touch = export_touch();
    CordFrames frames = export_touch_frames(&touch);
    CordExportDef def = export_def("csv", record_path("obstacles.csv"));
    CordMessage message = {""};
    def.table = CORD_TABLE_OBSTACLES;
    def.first = def.last = 3;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(def.path);
    CHECK_STR(text, "time,obstacle,x,y,z,qx,qy,qz,qw,fx,fy,fz,tx,ty,tz\n"
                    "0.75,ground,0,0,0,0,0,0,1,1,2,-3,0,0,0\n"
                    "0.75,\"ring, red\",0,0,5,0,0,0,1,0,0,0,4,5,6\n");
    free(text);
    CordFrame frame;
    CHECK_OK(frames.read(frames.user, 0, &frame, &message));
    CordFrames none = {.count = 1, .read = read_rods_alone, .user = &frame};
    def.first = def.last = 0;
    export_check_refused(&none, &def, "there are no obstacles to export; add \"obstacles\" to the scene");
}

TEST(a_branch_is_a_row_for_each_point)
{
    const char* path = record_path("branch.h5");
    RecordRun run = record_world(NULL);
    CordMessage message = {""};
    run.branch = true;
    CordRecorderDef recorder = record_def(&run, path);
    CHECK_OK(cord_recorder_create(&recorder, run.world, &run.recorder, &message));
    record_frames(&run, 4);
    record_end(&run);
    CordRecording* recording = record_read(path);
    CordFrames frames = cord_recording_frames(recording);
    CordExportDef def = export_def("csv", record_path("branch.csv"));
    def.table = CORD_TABLE_BRANCH;
    def.first = 1;
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(def.path);
    const char* line = strchr(text, '\n');
    CHECK(strncmp(text, "point,time,arc,event,event_time,unstable,", 41) == 0 && line);
    static const char* const events[] = {"point", "fold", "bifurcation", "jump"};
    for (int i = 1; i < 4; i++) {
        CordFrame frame;
        CHECK_OK(frames.read(frames.user, i, &frame, &message));
        CordBranchPoint point = record_point(i, frame.time);
        int index, unstable, used;
        double time, arc, event_time, rest[7];
        char event[16];
        CHECK_INT(sscanf(line + 1, "%d,%lf,%lf,%15[a-z],%lf,%d,%n", &index, &time, &arc, event, &event_time,
                         &unstable, &used),
                  6);
        CHECK(index == i && time == point.time && arc == point.arc && event_time == point.event_time);
        CHECK_STR(event, events[i]);
        CHECK_INT(unstable, point.solve.unstable);
        line = read_numbers(line + 1 + used, rest, 7) - 1;
        CHECK(rest[0] == point.least_eigenvalue && rest[1] == point.solve.energy);
        CHECK(rest[2] == point.solve.residual && rest[3] == point.solve.residual_relative);
        CHECK(rest[4] == point.solve.converged && rest[5] == point.solve.iterations);
        CHECK(rest[6] == point.solve.saddles_left);
    }
    CHECK(line[1] == '\0');
    free(text);
    cord_recording_close(recording);
    recording = export_recording();
    frames = cord_recording_frames(recording);
    def.first = 0;
    export_check_refused(&frames, &def, "there is no branch to export");
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
    def.table = CORD_TABLE_PROBES;
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
    def.table = CORD_TABLE_PROBES;
    CordFrames none = frames;
    none.recording = NULL;
    export_check_refused(&none, &def, "there are no probes");
    char* text = export_load(path);
    CHECK_STR(text, "old");
    free(text);
    CHECK(record_size(record_path("kept.csv.part")) < 0);
    def.table = CORD_TABLE_NODES;
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
    CHECK_INT(cord_export_format_count(), 7);
    for (int i = 0; i < cord_export_format_count(); i++) {
        CHECK(cord_export_format(i)->name[0] != '\0' && cord_export_format(i)->summary[0] != '\0');
    }
    CHECK(cord_export_format(-1) == NULL && cord_export_format(7) == NULL);
    for (int i = 0; i < CORD_TABLE_COUNT; i++) {
        CHECK(cord_export_table_name((CordExportTable)i)[0] != '\0');
    }
    CHECK(cord_export_table_name(CORD_TABLE_COUNT) == NULL);
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
    // the last has a point of two bytes
    const char* locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (int i = 0; i < 3; i++) {
        if (setlocale(LC_NUMERIC, locales[i])) {
            CHECK_STR(number_text(-1234.5e-20, text), "-1.2345e-17");
            CHECK_STR(number_text(1.0 / 3.0, text), "0.33333333333333331");
        }
    }
    setlocale(LC_NUMERIC, "C");
}

// As many rows of each rod as it has nodes in the frame.
TEST(numbers_of_nodes_may_change)
{
    ExportChange change;
    CordFrames frames = export_change_frames(&change);
    CordExportDef def = export_def("csv", record_path("change.csv"));
    CordMessage message = {""};
    CHECK_OK(cord_export(&frames, &def, &message));
    char* text = export_load(def.path);
    const char* at = strchr(text, '\n') + 1;
    for (int k = 0; k < CHANGE_FRAMES; k++) {
        for (int i = 0; i < export_change_nodes[k] + CHANGE_OTHER; i++) {
            bool rope = i < export_change_nodes[k];
            int node = rope ? i : i - export_change_nodes[k], length = 0;
            char row[80];
            snprintf(row, sizeof row, "%d,%s,%d,%d,%d,%d\n", k, rope ? "rope" : "bar", node, node,
                     rope ? k : 0, rope ? 0 : 5);
            length = (int)strlen(row);
            CHECK(strncmp(at, row, (size_t)length) == 0); // where the nodes are, not their skin
            at += length;
        }
    }
    CHECK_STR(at, "");
    free(text);
}

TEST_GROUP(export_csv, numbers_of_nodes_may_change, nodes_read_back_bit_for_bit, a_range_of_frames_is_written,
           probes_are_a_wide_table_that_reads_back, internal_forces_along_the_axes_add_up,
           bodies_read_back_bit_for_bit, contacts_name_what_touches, obstacles_have_their_places_and_forces,
           a_branch_is_a_row_for_each_point, a_world_without_recording_is_one_frame_and_no_probes,
           stopping_leaves_what_is_done, a_failure_leaves_the_old_file,
           a_place_that_cannot_be_written_is_named, formats_are_listed, numbers_read_back_and_have_a_point)
