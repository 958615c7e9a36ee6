// The export to Blender from the inside: names that are nothing but names, stops and failures.
// test/scene/test_blender.py has what Python and Blender see.
#include "export_text.h"
#include "network_frames.h"

TEST(names_cannot_leave_their_quotes)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("blender", "odd.py");
    net->rods[0].name = "a\"\n'''\\\nimport os\r\x7f\xff\xc3\xa9\xf0\x9f\xaa\xa2";
    char* text = export_text(&frames, &def);
    CHECK_CONTAINS(text, "{\"name\": \"a\\u0022\\u000a\\u0027\\u0027\\u0027\\u005c\\u000aimport "
                         "os\\u000d\\u007f\\ufffd\\u00e9\\U0001faa2\", ");
    for (const char* c = text; *c != '\0'; c++) {
        CHECK(*c == '\n' || (*c >= ' ' && *c <= '~'));
    }
}

TEST(a_path_keeps_its_bytes)
{
    CordFrames frames = net_frames(net_frame());
    CordExportDef def = export_def("blender", "\xff.py");
    char* text = export_text(&frames, &def);
    // as Python has file names that are no UTF-8
    CHECK_CONTAINS(text, "\nNAME = \"\\ufffd\"\nDIRECTORY = \"\\udcff\"\n");
    CHECK(file_size(record_path("\xff/meshes.bin")) > 0);
}

TEST(surfaces_and_networks_are_objects)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    frames.count = 3;
    CordExportDef def = export_def("blender", "net.py");
    char* text = export_text(&frames, &def);
    CHECK_CONTAINS(text, "{\"name\": \"rope\", ");
    CHECK_CONTAINS(text, "\"cache\": \"rod_1.pc2\", ");
    CHECK_CONTAINS(text, "{\"name\": \"roof\", ");
    CHECK_INT(file_size(record_path("net/surface_0.pc2")), 32 + 3 * 12 * NET_VERTICES);
    CHECK_INT(file_size(record_path("net/rod_1.pc2")), 32 + 3 * 12 * 6 * (4 * 8 + 2));
    net->surface.hides = true;
    text = export_text(&frames, &def);
    CHECK(strstr(text, "frame, bent") == NULL);
}

TEST(stopping_keeps_the_frames_that_are_done)
{
    CordFrames frames = export_change_frames();
    CordExportDef def = export_def("blender", "stop.py");
    Progress stop = {.stop_after = CHANGE_FRAMES + 2}; // all are looked at first
    def.progress = (CordProgress){progress_count, &stop};
    char* text = export_text(&frames, &def);
    CHECK_CONTAINS(text, "\nFRAMES = 2\n");
    char* cache = file_load(record_path("stop/rod_0.pc2"));
    CHECK(memcmp(cache, "POINTCACHE2", 12) == 0 && cache[12] == 1 && cache[28] == 2);
    CHECK_INT(file_size(record_path("stop/rod_0.pc2")), 32 + 2 * 12 * (uint8_t)cache[16]);
}

TEST(a_full_disk_leaves_no_script)
{
    CordFrames frames = net_frames(net_frame());
    frames.count = 3;
    CordExportDef def = export_def("blender", "full.py");
    CordMessage message = {""};
    record_limit_size(4096);
    CordResult result = cord_export(&frames, &def, &message);
    record_limit_size(RLIM_INFINITY);
    CHECK_RESULT(result, CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "cannot be written");
    CHECK(file_size(def.path) < 0 && file_size(record_path("full/rod_1.pc2.part")) < 0);
}

TEST(paths_that_name_no_file_are_refused)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("blender", "far.py");
    def.path = "-";
    export_check_refused(&frames, &def,
                         "- names no file, and blender makes several; give a name such as run.py");
    def.path = "";
    export_check_refused(&frames, &def, "the empty path names no file");
    net->radius[0] = 1e39;
    def = export_def("blender", "far.py");
    export_check_refused(&frames, &def, "not finite");
    CHECK(file_size(def.path) < 0);
}

TEST_GROUP(export_blender)
