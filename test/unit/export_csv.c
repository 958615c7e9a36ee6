#include "export_text.h"

#include "export/section.h"
#include "export/text.h"

#include <locale.h>

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

// Reads a row: the time, a name, which has quotes if it has a comma, a number unless it is -1, and values.
static const char* read_row(const char* at, double time, const char* name, int number, double* values,
                            int count)
{
    char *end, field[80];
    const char* quote = strchr(name, ',') ? "\"" : "";
    CHECK(strtod(at, &end) == time);
    snprintf(field, sizeof field, ",%s%s%s,", quote, name, quote);
    CHECK(strncmp(end, field, strlen(field)) == 0);
    at = end + strlen(field);
    if (number >= 0) {
        CHECK_INT(strtol(at, &end, 10), number);
        CHECK(*end == ',');
        at = end + 1;
    }
    return read_numbers(at, values, count);
}

// Where the rows of a table begin, which has this head.
static const char* rows_after(const char* text, const char* head)
{
    CHECK(strncmp(text, head, strlen(head)) == 0);
    return text + strlen(head);
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
    CordFrames frames = export_frames();
    CordExportDef def = export_def("csv", "nodes.csv");
    const char* at = rows_after(export_text(&frames, &def), "time,rod,node,x,y,z\n");
    for (int i = 0; i < frames.count; i++) {
        CordFrame frame = frame_at(&frames, i);
        for (int r = 0; r < frame.rod_count; r++) {
            for (int k = 0; k < frame.rods[r].node_count; k++) {
                double x[3];
                at = read_row(at, frame.time, frame.rods[r].name, k, x, 3);
                CHECK(record_same_bytes(x, &frame.x[frame.rods[r].first_node + k], sizeof x));
            }
        }
    }
    CHECK(*at == '\0');
}

TEST(a_range_of_frames_is_written)
{
    CordFrames frames = export_frames();
    CordExportDef def = export_def("csv", "range.csv");
    def.first = 1;
    def.last = 2;
    // the nodes of the two rods
    CHECK_INT(export_occurrences(export_text(&frames, &def), "\n"), 1 + 2 * (10 + 12));
    def.first = 3;
    export_check_refused(&frames, &def, "frames 3 to 2 are none");
    def.first = 4;
    export_check_refused(&frames, &def, "there is no frame 4; frames go from 0 to 3");
    def.first = 0;
    def.last = 99;
    export_check_refused(&frames, &def, "there is no frame 99");
}

TEST(probes_are_a_wide_table_that_reads_back)
{
    enum { ROWS = (EXPORT_FRAMES - 1) * RECORD_STEPS_PER_FRAME, COLUMNS = 1 + 3 + 1 + 5 };
    CordFrames frames = export_frames();
    CordExportDef def = export_def("csv", "probes.csv");
    def.table = CORD_TABLE_PROBES;
    char* text = export_text(&frames, &def);
    char* end = strchr(text, '\n');
    CHECK(end != NULL);
    *end = '\0';
    CHECK(strncmp(text, "time,tip.x,tip.y,tip.z,pull.", 28) == 0);
    CHECK_CONTAINS(text, ",energy.kinetic,energy.bend,energy.twist,energy.stretch,energy.gravity");
    const double *times = record_probe(frames.recording, -1), *tip = record_probe(frames.recording, 0);
    const double *pull = record_probe(frames.recording, 1), *energy = record_probe(frames.recording, 2);
    const char* at = end + 1;
    for (int row = 0; row < ROWS; row++) {
        double values[COLUMNS];
        at = read_numbers(at, values, COLUMNS);
        CHECK(values[0] == times[row] && values[4] == pull[row]);
        CHECK(record_same_bytes(values + 1, tip + 3 * row, 3 * sizeof *tip));
        CHECK(record_same_bytes(values + 5, energy + 5 * row, 5 * sizeof *energy));
    }
    CHECK(*at == '\0');
    def.format = "obj";
    export_check_refused(&frames, &def, "csv alone");
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
    CordFrames frames = export_frames();
    for (int k = 0; k < 2; k++) {
        bool forces = k == 0;
        CordExportDef def = export_def("csv", forces ? "forces.csv" : "moments.csv");
        def.table = forces ? CORD_TABLE_FORCES : CORD_TABLE_MOMENTS;
        const char* at =
            rows_after(export_text(&frames, &def), forces ? "time,rod,edge,arc,tension,shear1,shear2\n"
                                                          : "time,rod,node,arc,moment1,moment2,torque\n");
        for (int i = 0; i < frames.count; i++) {
            CordFrame frame = frame_at(&frames, i);
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
                    at = read_row(at, frame.time, rod->name, j, v, 4);
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
    }
}

TEST(bodies_read_back_bit_for_bit)
{
    CordFrames frames = export_frames();
    CordExportDef def = export_def("csv", "bodies.csv");
    def.table = CORD_TABLE_BODIES;
    const char* at = rows_after(export_text(&frames, &def),
                                "time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,kinetic,gravity\n");
    for (int i = 0; i < frames.count; i++) {
        CordFrame frame = frame_at(&frames, i);
        CHECK_INT(frame.body_count, 2);
        for (int b = 0; b < 2; b++) {
            const CordFrameBody* body = &frame.bodies[b];
            double v[15];
            at = read_row(at, frame.time, b == 0 ? "ball" : "brick, red", -1, v, 15);
            CHECK(record_same_bytes(v, &body->position, 3 * sizeof *v));
            CHECK(record_same_bytes(v + 3, &body->rotation, 4 * sizeof *v));
            CHECK(record_same_bytes(v + 7, &body->velocity, 3 * sizeof *v));
            CHECK(record_same_bytes(v + 10, &body->spin, 3 * sizeof *v));
            CHECK(v[13] == body->energy.kinetic && v[14] == body->energy.gravity);
        }
    }
    CHECK(*at == '\0');
    CordFrame frame = frame_at(&frames, 0);
    CordFrames none = {.count = 1, .read = read_rods_alone, .user = &frame};
    export_check_refused(&none, &def, "there are no bodies to export");
}

TEST(contacts_name_what_touches)
{
    CordFrames frames = export_touch_frames();
    CordExportDef def = export_def("csv", "contacts.csv");
    def.table = CORD_TABLE_CONTACTS;
    def.last = 2;
    CHECK_STR(export_text(&frames, &def),
              "time,rod,edge,at,kind,other,other_edge,other_at,x,y,z,nx,ny,nz,gap,push,fx,fy,fz,slides\n"
              "0.5,\"bar, long\",0,0.5,rod,bar,0,0.25,0.5,0,0.2,0,0,1,-0,2,0.5,-1.5,0,0\n"
              "0.5,bar,0,1,obstacle,\"ring, red\",,,1,0,0,0,0,1,-0.5,3,0.5,-1.5,1,1\n"
              "0.5,bar,0,0.125,body,ball,,,0.125,0,0,0,0,1,-1,4,0.5,-1.5,2,0\n");
}

TEST(obstacles_have_their_places_and_forces)
{
    CordFrames frames = export_touch_frames();
    CordExportDef def = export_def("csv", "obstacles.csv");
    def.table = CORD_TABLE_OBSTACLES;
    def.first = def.last = 3;
    CHECK_STR(export_text(&frames, &def), "time,obstacle,x,y,z,qx,qy,qz,qw,fx,fy,fz,tx,ty,tz\n"
                                          "0.75,ground,0,0,0,0,0,0,1,1,2,-3,0,0,0\n"
                                          "0.75,\"ring, red\",0,0,5,0,0,0,1,0,0,0,4,5,6\n");
    CordFrame frame = frame_at(&frames, 0);
    CordFrames none = {.count = 1, .read = read_rods_alone, .user = &frame};
    def.first = def.last = 0;
    export_check_refused(&none, &def, "there are no obstacles to export; add \"obstacles\" to the scene");
}

TEST(a_branch_is_a_row_for_each_point)
{
    CordFrames frames = export_branch_frames();
    CordExportDef def = export_def("csv", "branch.csv");
    def.table = CORD_TABLE_BRANCH;
    def.first = 1;
    char* text = export_text(&frames, &def);
    const char* line = strchr(text, '\n');
    CHECK(strncmp(text, "point,time,arc,event,event_time,unstable,", 41) == 0 && line);
    static const char* const events[] = {"point", "fold", "bifurcation", "jump"};
    for (int i = 1; i < 4; i++) {
        CordFrame frame = frame_at(&frames, i);
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
    frames = export_frames();
    def.first = 0;
    export_check_refused(&frames, &def, "there is no branch to export");
}

TEST(a_world_without_recording_is_one_frame_and_no_probes)
{
    RecordRun run = record_world(NULL);
    CordFrames frames = cord_world_frames(run.world);
    CordExportDef def = export_def("csv", "world.csv");
    export_write(&frames, &def);
    CHECK(file_size(def.path) > 0);
    check_no_frame(&frames, 1, "there is no frame 1");
    def.table = CORD_TABLE_PROBES;
    export_check_refused(&frames, &def, "there are no probes");
}

TEST(stopping_leaves_what_is_done)
{
    CordFrames frames = export_frames();
    CordExportDef def = export_def("csv", "stopped.csv");
    Progress stop = {.stop_after = 2};
    def.progress = (CordProgress){progress_count, &stop};
    export_write(&frames, &def);
    CHECK_INT(stop.calls, 2);
    CHECK_INT(stop.last_done, 2);
    CHECK_INT(stop.last_total, EXPORT_FRAMES);
    CHECK_INT(export_occurrences(file_load(def.path), "\n"), 1 + 2 * (10 + 12));
}

TEST(a_failure_leaves_the_old_file)
{
    CordFrames frames = export_frames();
    const char* path = record_path("kept.csv");
    file_save(path, "old", 3);
    CordExportDef def = export_def("csv", "kept.csv");
    def.table = CORD_TABLE_PROBES;
    CordFrames none = frames;
    none.recording = NULL;
    export_check_refused(&none, &def, "there are no probes");
    CHECK_STR(file_load(path), "old");
    CHECK(file_size(record_path("kept.csv.part")) < 0);
    def.table = CORD_TABLE_NODES;
    export_write(&frames, &def);
    CHECK(file_size(path) > 1000 && file_size(record_path("kept.csv.part")) < 0);
}

TEST(a_place_that_cannot_be_written_is_named)
{
    CordFrames frames = export_frames();
    const char* formats[] = {"csv", "obj", "vtk"};
    for (int i = 0; i < 3; i++) {
        CordExportDef def = export_def(formats[i], "nowhere/out");
        export_check_refused(&frames, &def, "its directory does not exist");
        def.path = "";
        export_check_refused(&frames, &def, i < 2 ? "no path is given" : "names no file");
        def.path = NULL;
        export_check_refused(&frames, &def, i < 2 ? "no path is given" : "names no file");
    }
    CordExportDef def = export_def("csv", "unused");
    def.path = test_directory;
    export_check_refused(&frames, &def, "it is a directory");
    def.path = "/dev/full"; // every write fails as on a full disk
    export_check_refused(&frames, &def, "the disk is full");
    def.format = "svg";
    export_check_refused(&frames, &def, "there is no export format svg; choose one of csv, vtk, obj");
    CordFrames none = {.count = 0};
    def.format = "csv";
    export_check_refused(&none, &def, "there is no frame to export");
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
    CordFrames frames = export_change_frames();
    CordExportDef def = export_def("csv", "change.csv");
    char* text = export_text(&frames, &def);
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
}

TEST_GROUP(export_csv)
