// The export to Blender from the inside: names that are nothing but names, stops and failures.
// test/scene/test_blender.py has what Python and Blender see.
#include "export_text.h"
#include "network_frames.h"

#include <signal.h>
#include <sys/resource.h>

static char* export_script(const CordFrames* frames, const CordExportDef* def)
{
    CordMessage message = {""};
    CHECK_OK(cord_export(frames, def, &message));
    return export_load(def->path);
}

TEST(names_cannot_leave_their_quotes)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("blender", record_path("odd.py"));
    net->rods[0].name = "a\"\n'''\\\nimport os\r\x7f\xff\xc3\xa9\xf0\x9f\xaa\xa2";
    char* text = export_script(&frames, &def);
    CHECK_CONTAINS(text, "{\"name\": \"a\\u0022\\u000a\\u0027\\u0027\\u0027\\u005c\\u000aimport "
                         "os\\u000d\\u007f\\ufffd\\u00e9\\U0001faa2\", ");
    for (const char* c = text; *c != '\0'; c++) {
        CHECK(*c == '\n' || (*c >= ' ' && *c <= '~'));
    }
    free(text);
    free(net);
}

TEST(a_path_keeps_its_bytes)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("blender", record_path("\xff.py"));
    char* text = export_script(&frames, &def);
    // as Python has file names that are no UTF-8
    CHECK_CONTAINS(text, "\nNAME = \"\\ufffd\"\nDIRECTORY = \"\\udcff\"\n");
    CHECK(record_size(record_path("\xff/meshes.bin")) > 0);
    free(text);
    free(net);
}

TEST(surfaces_and_networks_are_objects)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    frames.count = 3;
    CordExportDef def = export_def("blender", record_path("net.py"));
    char* text = export_script(&frames, &def);
    CHECK_CONTAINS(text, "{\"name\": \"rope\", ");
    CHECK_CONTAINS(text, "\"cache\": \"rod_1.pc2\", ");
    CHECK_CONTAINS(text, "{\"name\": \"roof\", ");
    CHECK_INT(record_size(record_path("net/surface_0.pc2")), 32 + 3 * 12 * NET_VERTICES);
    CHECK_INT(record_size(record_path("net/rod_1.pc2")), 32 + 3 * 12 * 6 * (4 * 8 + 2));
    free(text);
    net->surface.hides = true;
    text = export_script(&frames, &def);
    CHECK(strstr(text, "frame, bent") == NULL);
    free(text);
    free(net);
}

TEST(stopping_keeps_the_frames_that_are_done)
{
    ExportChange change;
    CordFrames frames = export_change_frames(&change);
    CordExportDef def = export_def("blender", record_path("stop.py"));
    ExportStop stop = {.stop_after = CHANGE_FRAMES + 2}; // all are looked at first
    def.progress = (CordProgress){export_count, &stop};
    char* text = export_script(&frames, &def);
    CHECK_CONTAINS(text, "\nFRAMES = 2\n");
    char* cache = export_load(record_path("stop/rod_0.pc2"));
    CHECK(memcmp(cache, "POINTCACHE2", 12) == 0 && cache[12] == 1 && cache[28] == 2);
    CHECK_INT(record_size(record_path("stop/rod_0.pc2")), 32 + 2 * 12 * (uint8_t)cache[16]);
    free(cache);
    free(text);
}

TEST(a_full_disk_leaves_no_script)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    frames.count = 3;
    CordExportDef def = export_def("blender", record_path("full.py"));
    CordMessage message = {""};
    struct rlimit limit, old;
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    signal(SIGXFSZ, SIG_IGN);
    limit = old;
    limit.rlim_cur = 4096;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CordResult result = cord_export(&frames, &def, &message);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK_RESULT(result, CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "cannot be written");
    CHECK(record_size(def.path) < 0 && record_size(record_path("full/rod_1.pc2.part")) < 0);
    free(net);
}

TEST(paths_that_name_no_file_are_refused)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("blender", "-");
    export_check_refused(&frames, &def,
                         "- names no file, and blender makes several; give a name such as run.py");
    def.path = "";
    export_check_refused(&frames, &def, "the empty path names no file");
    net->radius[0] = 1e39;
    def.path = record_path("far.py");
    export_check_refused(&frames, &def, "not finite");
    CHECK(record_size(def.path) < 0);
    free(net);
}

TEST_GROUP(export_blender, names_cannot_leave_their_quotes, a_path_keeps_its_bytes,
           surfaces_and_networks_are_objects, stopping_keeps_the_frames_that_are_done,
           a_full_disk_leaves_no_script, paths_that_name_no_file_are_refused)
