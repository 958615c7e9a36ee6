// glTF from the inside: chunks, names, motions, what is refused. test/web/gltf.test.mjs has what a reader
// sees.
#include "export_text.h"
#include "network_frames.h"

#include "export/keyframes.h"
#include "export/picture.h"
#include "export/rod_texture.h"

static uint32_t u32(const char* bytes)
{
    const uint8_t* b = (const uint8_t*)bytes;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// The JSON of a file whose chunks are as they should be.
static char* write_glb(const CordFrames* frames, const CordExportDef* def)
{
    char* bytes = export_text(frames, def);
    uint32_t whole = u32(bytes + 8), size = u32(bytes + 12);
    CHECK(memcmp(bytes, "glTF", 4) == 0 && u32(bytes + 4) == 2);
    CHECK_INT(file_size(def->path), whole);
    CHECK(memcmp(bytes + 16, "JSON", 4) == 0 && size % 4 == 0);
    CHECK_INT(u32(bytes + 20 + size), whole - 28 - size);
    CHECK(memcmp(bytes + 24 + size, "BIN\0", 4) == 0 && whole % 4 == 0);
    bytes[20 + size] = '\0';
    return bytes + 20;
}

TEST(only_what_moves_has_keys)
{
    CordFrames frames = export_touch_frames();
    CordExportDef def = export_def("glb", "touch.glb");
    char* text = write_glb(&frames, &def);
    CHECK_INT(export_occurrences(text, "\"skin\":"), 2);
    CHECK_INT(export_occurrences(text, "\"path\":"), 1); // the ring, which rises in the last frame
    CHECK_CONTAINS(text, "\"path\":\"translation\"");
    CHECK_CONTAINS(text, "\"name\":\"ring, red\"");
    CHECK_CONTAINS(text, "\"name\":\"bar, long 1\""); // its second joint
    CHECK_CONTAINS(text, "\"extras\":{\"node\":1}");
    def.last = 2;
    text = write_glb(&frames, &def);
    CHECK(strstr(text, "\"animations\"") == NULL); // nothing moves
}

// Two frames of the same: the surface is skinned to the three edges that carry it, and what it hides has no
// joints.
TEST(a_surface_stands_in_for_the_network_that_it_hides)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("glb", "hides.glb");
    frames.count = 2;
    char* text = write_glb(&frames, &def);
    CHECK_INT(export_occurrences(text, "\"skin\":"), 3);
    CHECK_INT(export_occurrences(text, "\"edge\":"), 6 + 4); // corners 2 and 3 are at the two ends of one
    net->surface.hides = true;
    text = write_glb(&frames, &def);
    CHECK_INT(export_occurrences(text, "\"skin\":"), 2);
    CHECK_INT(export_occurrences(text, "\"edge\":"), 4);
    CHECK(strstr(text, "frame, bent") == NULL);
}

TEST(adaptive_rods_have_joints_by_arc)
{
    CordFrames frames = export_change_frames();
    CordExportDef def = export_def("glb", "change.glb");
    char* text = write_glb(&frames, &def);
    CHECK_INT(export_occurrences(text, "\"arc\":"), 9);
    CHECK_INT(export_occurrences(text, "\"node\":"),
              CHANGE_OTHER + export_occurrences(text, "\"target\":{\"node\":"));
}

TEST(stopping_keeps_the_frames_that_are_done)
{
    CordFrames frames = export_change_frames();
    CordExportDef def = export_def("glb", "stop.glb");
    Progress stop = {.stop_after = CHANGE_FRAMES + 2}; // all are looked at first
    def.progress = (CordProgress){progress_count, &stop};
    char* text = write_glb(&frames, &def);
    // two frames, a second apart
    CHECK_CONTAINS(text, "\"type\":\"SCALAR\",\"count\":2,\"min\":[0],\"max\":[1]");
}

// ---- names

TEST(names_are_escaped_and_what_is_no_utf8_is_replaced)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("glb", "odd\"name\n.glb");
    net->rods[0].name = "a\"b\\c\nd\x01\xff\xc3\xa9\xf0\x9f\xaa\xa2\xed\xa0\x80";
    char* text = write_glb(&frames, &def);
    CHECK_CONTAINS(
        text,
        "\"name\":\"a\\u0022b\\u005cc\\u000ad\\u0001\\ufffd\\u00e9\\ud83e\\udea2\\ufffd\\ufffd\\ufffd\"");
    CHECK_CONTAINS(text, "\"scenes\":[{\"name\":\"odd\\u0022name\\u000a.glb\"");
}

// ---- what is refused

TEST(what_cannot_be_shown_is_refused)
{
    NetFrame* net = net_frame();
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def("glb", "none.glb");
    CordFrame whole = net->frame;
    net->frame = (CordFrame){.time = 1};
    export_check_refused(&frames, &def, "there is nothing to be seen");
    net->frame = whole;
    net->radius[0] = 1e39; // beyond a float
    export_check_refused(&frames, &def, "not finite");
    net->radius[0] = 1;
    net->x[1].y = NAN;
    export_check_refused(&frames, &def, "node 1 of rod \"rope\" is not a finite point");
    net->x[1].y = 3;
    frames.count = 2;
    net->surface.ties = NULL;
    export_check_refused(&frames, &def, "what ties surface \"roof\" to its rod is not known");
    net->surface.ties = net->ties;
    net->vertices[1].z += 0.5;
    export_check_refused(&frames, &def, "the first frame is not the one it was tied in");
    CHECK(file_size(def.path) < 0);
}

// Refused by the first frame, so that nobody waits: the others are never read.
TEST(what_would_not_fit_a_file_is_refused_at_once)
{
    CordFrames frames = net_frames(net_frame());
    frames.count = 100000000;
    CordExportDef def = export_def("glb", "large.glb");
    export_check_refused(&frames, &def, "the file would have 25.2 GB"); // 3 nodes and 6 edges, 28 bytes each
    CHECK(file_size(def.path) < 0);
}

// Likewise a reel that is larger than the caller wants it.
TEST(a_reel_beyond_what_is_wanted_is_refused_at_once)
{
    CordFrames frames = net_frames(net_frame());
    CordExportDef def = export_def("reel", "large.reel");
    frames.count = 100000;
    def.most = 1000000;
    export_check_refused(&frames, &def, "the page in the browser holds at most 1 MB");
    CHECK(file_size(def.path) < 0);
}

static CordResult fewer_read(void* user, int index, CordFrame* frame, CordMessage* message)
{
    CHECK_OK(net_frame_read(user, index, frame, message));
    frame->rod_count -= index;
    return CORD_OK;
}

TEST(frames_with_other_rods_are_refused)
{
    NetFrame* net = net_frame();
    net->frame.surface_count = 0;
    CordFrames frames = {.count = 2, .read = fewer_read, .user = net};
    CordExportDef def = export_def("glb", "fewer.glb");
    export_check_refused(&frames, &def, "has other rods, bodies, obstacles or surfaces than the first");
}

// ---- its parts

// Turned step by step through more than a whole turn: the quaternion goes on, and is the rotation that was
// given.
TEST(rotations_go_on_without_a_jump)
{
    enum { FRAMES = 40 };
    Keyframes motion;
    CHECK(keyframes_make(&motion, 1, FRAMES));
    CordVec3 axis = {0.36, 0.48, 0.8};
    for (int k = 0; k < FRAMES; k++) {
        CordQuat q = cord_quat_about(axis, 0.25 * k);
        Pose pose = {.scale = {1, 1, 1}};
        pose.axes[0] = (CordVec3){1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z),
                                  2 * (q.x * q.z - q.w * q.y)};
        pose.axes[1] = (CordVec3){2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z),
                                  2 * (q.y * q.z + q.w * q.x)};
        pose.axes[2] = (CordVec3){2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x),
                                  1 - 2 * (q.x * q.x + q.y * q.y)};
        keyframes_set(&motion, 0, k, &pose);
        const float* got = motion.rotation + 4 * k;
        const double wanted[4] = {axis.x * sin(0.125 * k), axis.y * sin(0.125 * k), axis.z * sin(0.125 * k),
                                  cos(0.125 * k)};
        for (int c = 0; c < 4; c++) {
            CHECK_NEAR(got[c], wanted[c], 1e-7); // a float's rounding
        }
    }
    CHECK(keyframes_change(motion.rotation, 4, FRAMES) && !keyframes_change(motion.rotation, 4, 1));
    CHECK(!keyframes_change(motion.scale, 3, FRAMES));
    keyframes_free(&motion);
}

TEST(stripes_are_strong_where_the_material_axis_points)
{
    uint8_t rgb[3 * ROD_TEXTURE_WIDTH], png[ROD_TEXTURE_PNG];
    rod_texture_pixels(0x102030, 0xd0c0b0, rgb);
    int strong = 0;
    for (int i = 0; i < ROD_TEXTURE_WIDTH; i++) {
        strong += rgb[3 * i] == 0x10 && rgb[3 * i + 1] == 0x20 && rgb[3 * i + 2] == 0x30;
    }
    CHECK(rgb[0] == 0x10 && rgb[3 * (ROD_TEXTURE_WIDTH / 2)] == 0x10 &&
          rgb[3 * (ROD_TEXTURE_WIDTH / 4)] == 0xd0);
    // within 50 degrees; four borders
    CHECK_NEAR(strong / (double)ROD_TEXTURE_WIDTH, 200.0 / 360.0, 4.0 / ROD_TEXTURE_WIDTH);
    CHECK(rod_texture_png(0x102030, 0xd0c0b0, png) <= ROD_TEXTURE_PNG);
}

TEST_GROUP(export_gltf)
