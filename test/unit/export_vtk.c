#include "export_text.h"

static CordFrames export_all(const char* name, Progress* stop)
{
    CordFrames frames = export_frames();
    CordExportDef def = export_def("vtk", name);
    if (stop) {
        def.progress = (CordProgress){progress_count, stop};
    }
    export_write(&frames, &def);
    return frames;
}

TEST(the_series_lists_every_frame_at_its_time)
{
    CordFrames frames = export_all("run & all.pvd", NULL);
    char* text = file_load(record_path("run & all.pvd"));
    const char* at = text;
    for (int i = 0; i < EXPORT_FRAMES; i++) {
        CordFrame frame;
        char file[64], path[96];
        frame = frame_at(&frames, i);
        at = strstr(at, "<DataSet timestep=\"");
        CHECK(at != NULL);
        at += strlen("<DataSet timestep=\"");
        CHECK(strtod(at, NULL) == frame.time);
        snprintf(file, sizeof file, "file=\"run &amp; all/run &amp; all_%05d.vtp\"", i);
        CHECK_CONTAINS(at, file);
        snprintf(path, sizeof path, "run & all/run & all_%05d.vtp", i);
        CHECK(file_size(record_path(path)) > 0);
    }
    CHECK(strstr(at, "<DataSet") == NULL);
}

TEST(points_are_exact_and_lines_close)
{
    CordFrames frames = export_all("exact", NULL); // .pvd is added
    CordFrame frame;
    CHECK(file_size(record_path("exact.pvd")) > 0);
    frame = frame_at(&frames, 2);
    char* text = file_load(record_path("exact/exact_00002.vtp"));
    CHECK_CONTAINS(text, "NumberOfPoints=\"22\"");
    CHECK_CONTAINS(text, "NumberOfLines=\"2\"");
    size_t size;
    double* points = export_array(text, "points", "Float64", 3, &size);
    CHECK_INT(size, 22 * sizeof(CordVec3));
    CHECK(record_same_bytes(points, frame.x, size));
    int64_t* lines = export_array(text, "connectivity", "Int64", 1, &size);
    CHECK_INT(size, (10 + 13) * sizeof *lines);
    for (int i = 0; i < 10; i++) {
        CHECK_INT(lines[i], i);
    }
    CHECK_INT(lines[10], 10);
    CHECK_INT(lines[21], 21);
    CHECK_INT(lines[22], 10); // the ring ends where it began
    int64_t* offsets = export_array(text, "offsets", "Int64", 1, &size);
    CHECK(size == 2 * sizeof *offsets && offsets[0] == 10 && offsets[1] == 23);
}

TEST(values_at_points_are_those_of_nodes_and_the_means_of_edges)
{
    CordFrames frames = export_all("values.pvd", NULL);
    CordFrame frame = frame_at(&frames, 3);
    char* text = file_load(record_path("values/values_00003.vtp"));
    size_t size;
    float* velocity = export_array(text, "velocity", "Float32", 3, &size);
    float* tension = export_array(text, "tension", "Float32", 1, &size);
    CHECK_INT(size, 22 * sizeof *tension);
    for (int i = 0; i < 22; i++) {
        CHECK(velocity[3 * i + 1] == (float)frame.v[i].y);
    }
    CHECK(tension[0] == (float)frame.tension[0]);
    CHECK(tension[9] == (float)frame.tension[8]);
    CHECK(tension[4] == (float)(0.5 * (frame.tension[3] + frame.tension[4])));
    CHECK(tension[10] == (float)(0.5 * (frame.tension[9 + 11] + frame.tension[9]))); // the ring's first node
    float* force = export_array(text, "force", "Float32", 3, &size);
    CHECK_INT(size, 22 * 3 * sizeof *force);
    CHECK(force[1] == (float)frame.force[0].y);
    CHECK(force[3 * 4 + 2] == (float)(0.5 * (frame.force[3].z + frame.force[4].z)));
    CHECK(force[3 * 10] == (float)(0.5 * (frame.force[9 + 11].x + frame.force[9].x)));
    double* energy = export_array(text, "energy", "Float64", 5, &size);
    CHECK(size == 10 * sizeof *energy && record_same_bytes(energy, frame.energy, size));
}

// A ball and a brick: the brick's 24 vertices come last, and move as its pose and velocity say.
TEST(bodies_are_a_series_of_their_own)
{
    CordFrames frames = export_all("with.pvd", NULL);
    CordFrame frame = frame_at(&frames, 2);
    char* list = file_load(record_path("with_bodies.pvd"));
    CHECK_CONTAINS(list, "file=\"with/with_bodies_00002.vtp\"");
    CHECK_CONTAINS(list, "</VTKFile>");
    char* text = file_load(record_path("with/with_bodies_00002.vtp"));
    size_t size;
    CordVec3* points = export_array(text, "points", "Float64", 3, &size);
    int count = (int)(size / sizeof *points);
    float* velocity = export_array(text, "velocity", "Float32", 3, &size);
    CHECK_INT(size, (size_t)count * 3 * sizeof *velocity);
    int32_t* body = export_array(text, "body", "Int32", 1, &size);
    CHECK(size == (size_t)count * sizeof *body && body[0] == 0 && body[count - 24] == 1 &&
          body[count - 25] == 0);
    const CordFrameBody* brick = &frame.bodies[1];
    for (int i = count - 24; i < count; i++) {
        CordVec3 d = {points[i].x - brick->position.x, points[i].y - brick->position.y,
                      points[i].z - brick->position.z};
        // half its diagonal, squared
        CHECK_NEAR(d.x * d.x + d.y * d.y + d.z * d.z, (0.01 + 0.04 + 0.09) / 4.0, 1e-12);
        CHECK_NEAR((double)velocity[3 * i], brick->velocity.x + brick->spin.y * d.z - brick->spin.z * d.y,
                   1e-6);
    }
    for (int i = 0; i < count - 24; i++) {
        CordVec3 d = {points[i].x - frame.bodies[0].position.x, points[i].y - frame.bodies[0].position.y,
                      points[i].z - frame.bodies[0].position.z};
        CHECK_NEAR(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), 0.01, 1e-12);
    }
    int64_t* corners = export_array(text, "connectivity", "Int64", 1, &size);
    for (size_t i = 0; i < size / sizeof *corners; i++) {
        CHECK(corners[i] >= 0 && corners[i] < count);
    }
    CHECK_INT(corners[size / sizeof *corners - 1], count - 1);
}

TEST(contacts_are_points_from_the_first_frame_on)
{
    CordFrames frames = export_touch_frames();
    CordExportDef def = export_def("vtk", "touch.pvd");
    export_write(&frames, &def);
    char* list = file_load(record_path("touch_contacts.pvd"));
    CHECK_CONTAINS(list, "timestep=\"0\" part=\"0\" file=\"touch/touch_contacts_00000.vtp\"");
    CHECK_CONTAINS(list, "timestep=\"0.75\" part=\"0\" file=\"touch/touch_contacts_00003.vtp\"");
    char* text = file_load(record_path("touch/touch_contacts_00001.vtp"));
    CHECK_CONTAINS(text, "NumberOfPoints=\"0\" NumberOfVerts=\"0\"");
    CHECK_CONTAINS(text, ">0.25</DataArray>"); // its time
    text = file_load(record_path("touch/touch_contacts_00002.vtp"));
    CHECK_CONTAINS(text, "NumberOfPoints=\"3\" NumberOfVerts=\"3\"");
    size_t size;
    CordVec3* points = export_array(text, "points", "Float64", 3, &size);
    float* push = export_array(text, "push", "Float32", 1, &size);
    float* friction = export_array(text, "friction", "Float32", 3, &size);
    float* normal = export_array(text, "normal", "Float32", 3, &size);
    int32_t* kind = export_array(text, "kind", "Int32", 1, &size);
    int32_t* other = export_array(text, "other", "Int32", 1, &size);
    int64_t* offsets = export_array(text, "offsets", "Int64", 1, &size);
    const ExportTouch* touch = frames.user;
    CHECK_INT(size, TOUCH_CONTACTS * sizeof *offsets);
    for (int i = 0; i < TOUCH_CONTACTS; i++) {
        const CordContact* c = &touch->contacts[i];
        CHECK(record_same_bytes(&points[i], &c->point, sizeof c->point) && normal[3 * i + 2] == 1.0f);
        CHECK(push[i] == (float)c->push && friction[3 * i + 2] == (float)c->friction.z);
        CHECK(kind[i] == (int32_t)c->kind && other[i] == c->other && offsets[i] == i + 1);
    }
}

// One file serves for as long as nothing moves. The plane is a square before the first frame's rods.
TEST(obstacles_are_written_when_they_move)
{
    CordFrames frames = export_touch_frames();
    CordExportDef def = export_def("vtk", "moved.pvd");
    export_write(&frames, &def);
    char* list = file_load(record_path("moved_obstacles.pvd"));
    CHECK_CONTAINS(list, "timestep=\"0.5\" part=\"0\" file=\"moved/moved_obstacles_00000.vtp\"");
    CHECK_CONTAINS(list, "timestep=\"0.75\" part=\"0\" file=\"moved/moved_obstacles_00003.vtp\"");
    CHECK(file_size(record_path("moved/moved_obstacles_00001.vtp")) < 0);
    char* text = file_load(record_path("moved/moved_obstacles_00003.vtp"));
    size_t size;
    CordVec3* points = export_array(text, "points", "Float64", 3, &size);
    int32_t* obstacle = export_array(text, "obstacle", "Int32", 1, &size);
    int count = (int)(size / sizeof *obstacle);
    CHECK_INT(count, 4 + 2 * 12 * 12);
    for (int i = 0; i < 4; i++) {
        CHECK(obstacle[i] == 0 && points[i].z == 0.0);
        CHECK(fabs(points[i].x - 0.5) > 1.0 && fabs(points[i].y) > 2.0); // past all that is there
    }
    for (int i = 4; i < count; i++) {
        double across = hypot(points[i].x, points[i].y) - 0.5;
        CHECK_INT(obstacle[i], 1);
        CHECK_NEAR(hypot(across, points[i].z - 5.0), 0.1, 1e-12);
    }
}

// Where time may run back, players get the numbers of the points.
TEST(a_branch_is_counted)
{
    CordFrames frames = export_branch_frames();
    CordExportDef def = export_def("vtk", "branch.pvd");
    char* text = export_text(&frames, &def);
    CHECK_CONTAINS(text, "<DataSet timestep=\"2\" part=\"0\" file=\"branch/branch_00002.vtp\"/>");
    CordFrame frame = frame_at(&frames, 2);
    text = file_load(record_path("branch/branch_00002.vtp"));
    const char* time = strstr(text, "Name=\"time\" NumberOfTuples=\"1\" format=\"ascii\">");
    CHECK(time && strtod(strchr(time, '>') + 1, NULL) == frame.time);
}

TEST(stopping_leaves_a_series_that_opens)
{
    Progress stop = {.stop_after = 2};
    export_all("stopped.pvd", &stop);
    char* text = file_load(record_path("stopped.pvd"));
    CHECK_CONTAINS(text, "stopped_00001.vtp");
    CHECK(strstr(text, "stopped_00002.vtp") == NULL);
    CHECK_CONTAINS(text, "</VTKFile>");
}

TEST(a_file_in_the_way_is_named)
{
    CordFrames frames = export_frames();
    file_save(record_path("taken"), "", 0);
    CordExportDef def = export_def("vtk", "taken.pvd");
    export_check_refused(&frames, &def, "a file of that name is there");
    CHECK(file_size(record_path("taken.pvd")) < 0);
}

TEST(adaptive_rods_have_levels_and_lengths_along)
{
    CordFrames frames = export_change_frames();
    CordExportDef def = export_def("vtk", "change.pvd");
    export_write(&frames, &def);
    for (int k = 0; k < CHANGE_FRAMES; k++) {
        int count = export_change_nodes[k] + CHANGE_OTHER;
        char path[64];
        CordFrame frame;
        size_t size;
        snprintf(path, sizeof path, "change/change_%05d.vtp", k);
        frame = frame_at(&frames, k);
        char* text = file_load(record_path(path));
        uint8_t* levels = export_array(text, "level", "UInt8", 1, &size);
        CHECK_INT(size, count);
        CHECK(record_same_bytes(levels, frame.level, size));
        float* arcs = export_array(text, "arc", "Float32", 1, &size);
        CHECK_INT(size, (size_t)count * sizeof *arcs);
        for (int i = 0; i < count; i++) {
            CHECK(arcs[i] == 0.5f * (float)i);
        }
        double* points = export_array(text, "points", "Float64", 3, &size);
        CHECK(size == (size_t)count * sizeof *frame.x && record_same_bytes(points, frame.x, size));
    }
}

TEST_GROUP(export_vtk)
