// Input that nobody would write on purpose, or only on purpose: a clear note, no crash, no hang, no leak.
#include "scene_text.h"

#include <unistd.h>

// ---- files under test/hostile

typedef struct Hostile {
    const char* file;
    const char* note; // the first one
} Hostile;

static const Hostile hostile[] = {
    {"deep_lists.json", "2:73: error: this is nested more than 64 levels deep"},
    {"deep_objects.json", "2:325: error: this is nested more than 64 levels deep"},
    {"binary_junk.json", "1:1: error: the byte 0xa5 here is not UTF-8 text; a scene is a text file"},
    {"nul_byte.json", "2:12: error: the byte 0x00 here is not UTF-8 text; a scene is a text file"},
    {"bad_utf8.json", "2:14: error: the byte 0xe9 here is not UTF-8 text; a scene is a text file"},
    {"utf16.json", "1:1: error: this text is in UTF-16; save it as UTF-8"},
    {"number_too_large.json", "2:17: error: this number is too large; the largest is about 1.8e308"},
    {"long_number.json", "2:17: error: this number is too large; the largest is about 1.8e308"},
    {"not_a_number.json", "2:19: error: NaN is not a number here; every number must be finite"},
    {"infinite.json", "2:19: error: -Infinity is not a number here; every number must be finite"},
    {"cut_short.json", "2:115: error: expected a value, not the end of the text"},
    {"open_comment.json", "2:1: error: this comment is never closed; write */ at its end"},
    {"recording.json", "1:1: error: this is an HDF5 file, such as a recording, and not a scene"},
    {"empty.json", "1:1: error: there is nothing here but space and comments"},
    {"space.json", "3:1: error: there is nothing here but space and comments"},
    {"long_key.json", "2:1: error: \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...\" is not a key "
                      "of a scene; the keys are " SCENE_KEYS},
    {"terminal_escape.json", "2:1: error: ?[31m?red is not a key of a scene; the keys are " SCENE_KEYS},
    {"thousand_errors.json", "2:1: error: x0 is not a key of a scene; the keys are " SCENE_KEYS},
    {"printf.json", "2:1: error: %s%n%s is not a key of a scene; the keys are " SCENE_KEYS},
    {"inertia_of_lists.json",
     "2:13: error: bodies[0].inertia[0] is a list of 1; a row of an inertia is three numbers"},
    {"joint_of_crowds.json", "2:1: error: joints[0].rods is a list of 1000; it may have at most 16 entries"},
    {"stations_backwards.json",
     "2:35: error: rods[0].section.along[1] has a size at the start and at the end; at one station a size is "
     "one number"},
    {"taper_of_anything.json", "2:18: error: rods[0].section.tube.outer_radius[0] is null; a radius is a "
                               "length in metres and must be a number"},
    {"body_escape.json", "2:9: error: welds[0].body is \"?[31m%s%n\xc3\xa9\", and no body has that name"},
    {"branch_of_switches.json",
     "2:56: error: solve.switch[1].amplitude is -1e300; an amplitude is in metres and must be at least -1e9"},
    {"weights_of_anything.json", "2:22: error: rods[0].pbd.weights.bend[0] is a list of 1; a weight is the "
                                 "share of an error that one sweep puts right "
                                 "and must be a number"},
    {"network_of_anything.json",
     "2:10: error: rods[0].shape.network.edges[1] has an object for a node; nodes are numbered from 0"},
    {"endless_grid.json", "2:1: error: rods[0].shape.grid makes 3.000004e+24 nodes and 3.000006e+24 "
                          "elements; a network has at most 20000000 of each"},
    {"endless_file.json",
     "2:28: error: rods[0].shape.file.path is \"/dev/zero\": it is not an ordinary file"},
};

static CordScene* load_bad(const char* path)
{
    CordScene* scene;
    CHECK_RESULT(cord_scene_load(path, NULL, 0, &scene), CORD_BAD_FILE);
    return scene;
}

TEST(each_hostile_file_gets_its_note)
{
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        char path[1000], expected[400];
        snprintf(path, sizeof path, "%s/test/hostile/%s", CORD_SOURCE_DIR, hostile[i].file);
        snprintf(expected, sizeof expected, "%s\n", hostile[i].note);
        CordScene* scene = load_bad(path);
        char* notes = scene_text_notes(scene);
        if (strncmp(notes, expected, strlen(expected)) != 0) {
            check_fail(__FILE__, __LINE__, "%s: %.400s\nexpected %s", hostile[i].file, notes, expected);
        }
        free(notes);
        cord_scene_destroy(scene);
    }
}

TEST(after_a_hundred_notes_the_rest_is_counted)
{
    CordScene* scene = load_bad(CORD_SOURCE_DIR "/test/hostile/thousand_errors.json");
    CHECK_INT(cord_scene_note_count(scene), 101);
    CHECK_STR(cord_scene_note(scene, 100).text, "900 more errors and 0 more warnings are not shown");
    CHECK(cord_scene_note(scene, 100).is_error);
    cord_scene_destroy(scene);
}

// Adds entries to the text, which has room for them. An entry may have its number in it, and after that its
// number from the end.
static void put_entries(char* text, const char* before, const char* entry, int count, const char* after)
{
    char* at = text + strlen(text);
    at += sprintf(at, "%s", before);
    for (int i = 0; i < count; i++) {
        at += sprintf(at, entry, i, count - 1 - i);
    }
    sprintf(at, "%s", after);
}

#define RODS "'rods': [{" SOLID_ROD LINE_OF("50000") "}]"

TEST(many_warnings_leave_room_for_errors)
{
    char* text = calloc(1, 100000);
    put_entries(text, "{'cordage': 1, 'probes': [", "{'at': 'end', 'measure': 'energy'},", 200,
                "],\n'wrong': 1, " RODS "}");
    SceneText s = scene_text(text, NULL);
    free(text);
    CHECK_INT(cord_scene_note_count(s.scene), 52);
    CHECK(!cord_scene_note(s.scene, 49).is_error);
    CHECK(cord_scene_note(s.scene, 50).is_error);
    CHECK_INT(cord_scene_note(s.scene, 50).line, 2);
    CHECK_STR(cord_scene_note(s.scene, 51).text, "0 more errors and 150 more warnings are not shown");
    CHECK(!cord_scene_note(s.scene, 51).is_error);
}

static void check_unreadable(const char* path, const char* expected)
{
    CordScene* scene = load_bad(path);
    CHECK_INT(cord_scene_note_count(scene), 1);
    CordSceneNote note = cord_scene_note(scene, 0);
    CHECK_INT(note.line, 0);
    CHECK_STR(note.text, expected);
    CHECK_STR(cord_scene_path(scene), path);
    CordWorld* world;
    CHECK_RESULT(cord_scene_build(scene, NULL, &world), CORD_BAD_FILE);
    CHECK(world == NULL);
    cord_scene_destroy(scene);
}

TEST(files_that_cannot_be_read_say_why)
{
    check_unreadable(CORD_SOURCE_DIR "/no/such/scene.json", "cannot be read: there is no such file");
    check_unreadable(CORD_SOURCE_DIR, "cannot be read: it is a folder");
    check_unreadable("", "cannot be read: there is no such file");
    check_unreadable("/dev/zero", "cannot be read: it is larger than 64 MB, the most that is read");
}

// A sparse file: nothing of it is on the disk.
TEST(a_huge_file_is_refused_at_once)
{
    char path[] = "/tmp/cordage_huge_XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    CHECK(ftruncate(file, (off_t)100 << 20) == 0);
    close(file);
    CordScene* scene = load_bad(path);
    unlink(path);
    CHECK_STR(cord_scene_note(scene, 0).text,
              "cannot be read: it has 100 MB; the most that is read is 64 MB");
    cord_scene_destroy(scene);
}

TEST(a_huge_text_is_refused)
{
    size_t size = (size_t)100 << 20;
    char* text = malloc(size);
    memset(text, ' ', size);
    CordScene* scene;
    CHECK_RESULT(cord_scene_parse(text, size, "", NULL, 0, &scene), CORD_BAD_FILE);
    CHECK_CONTAINS(cord_scene_note(scene, 0).text, "a scene has at most 64 MB");
    cord_scene_destroy(scene);
    free(text);
}

// ---- points from CSV files

static void check_points(const char* csv, size_t size, const char* expected)
{
    const char* text = ROD(SOLID_ROD "'shape': {'file': {'path': 'a.csv'}}");
    char full[400] = "";
    if (*expected) {
        snprintf(full, sizeof full, "2:89: error: rods[0].shape.file.path is \"a.csv\": %s\n", expected);
    }
    CHECK_NOTED(scene_text_with(text, NULL, &(SceneTextFile){csv, size}).scene, full);
}

#define CHECK_POINTS(csv, expected) check_points((csv), sizeof(csv) - 1, (expected))

TEST(points_are_read_in_every_usual_form)
{
    CHECK_POINTS("0,0,0\n1,0,0\n", "");
    CHECK_POINTS("x,y,z\n0,0,0\n1,0,0", "");
    CHECK_POINTS("\xef\xbb\xbf# points\r\n\r\n x ; y ; z\r\n0;0;0\r\n 1.5e0;\t-2 ; +3 \r\n", "");
    CHECK_POINTS("0 0 0\n1\t0\t0\n", "");
}

TEST(wrong_points_are_told_by_line_and_column)
{
    CHECK_POINTS("", "it has 0 points; a curve needs at least two");
    CHECK_POINTS("x,y,z\n1,2,3\n", "it has 1 points; a curve needs at least two");
    CHECK_POINTS("0,0,0\n1,0\n", "line 2, column 4: expected three numbers on this line");
    CHECK_POINTS("0,0,0\n1,0,\n", "line 2, column 5: expected a number");
    CHECK_POINTS("0,0,0\n1,0,0,0\n", "line 2, column 6: expected the end of the line after three numbers");
    CHECK_POINTS("0,0,0\n1,0,nan\n", "line 2, column 5: expected a number");
    CHECK_POINTS("0,0,0\n1,0,1e400\n",
                 "line 2, column 5: this number is too large; the largest is about 1.8e308");
    CHECK_POINTS("0,0,0\n1,0,-2e9\n", "line 2, column 5: a position is in metres and must be at most 1e9");
    CHECK_POINTS("0,0,0\n0,0,0\n",
                 "line 2, column 1: this is the same point as the one before it; neighbours must be apart");
    CHECK_POINTS("x\ny\n", "line 2, column 1: expected a number");
    CHECK_POINTS("0,0,0\n\0,0,0\n", "line 2, column 1: expected a number");
}

// ---- a scene with everything, cut short and spoilt

TEST(a_scene_cut_at_any_byte_is_refused)
{
    size_t size;
    char* text = scene_text_file("test/fuzz/scene/everything.json", &size);
    CordScene* scene;
    CHECK_OK(cord_scene_parse(text, size, "", NULL, 0, &scene));
    cord_scene_destroy(scene);
    size_t end = size;
    while (text[end - 1] != '}') {
        end--;
    }
    for (size_t cut = 0; cut < end; cut++) {
        char* part = malloc(cut); // its own block, so that a byte too many is found
        memcpy(part, text, cut);
        CordResult result = cord_scene_parse(part, cut, "", NULL, 0, &scene);
        free(part);
        if (result != CORD_BAD_FILE) {
            check_fail(__FILE__, __LINE__, "cut after %zu bytes it is read", cut);
        }
        CHECK(cord_scene_note(scene, 0).is_error && cord_scene_note(scene, 0).line > 0);
        cord_scene_destroy(scene);
    }
    free(text);
}

static uint32_t next_random(uint32_t* state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void spoil(char* text, size_t* size, uint32_t* state)
{
    static const char letters[] = "{}[]\",:/*\\0-eE.x \n";
    for (uint32_t changes = 1 + next_random(state) % 4; changes > 0; changes--) {
        size_t at = next_random(state) % *size;
        switch (next_random(state) % 4) {
        case 0: text[at] = letters[next_random(state) % (sizeof letters - 1)]; break;
        case 1: text[at] = (char)next_random(state); break;
        case 2: { // leave some out
            size_t count = next_random(state) % 20;
            count = count < *size - at ? count : *size - at - 1;
            memmove(text + at, text + at + count, *size - at - count);
            *size -= count;
            break;
        }
        default: { // repeat some
            size_t count = next_random(state) % 20;
            count = count < *size - at ? count : *size - at;
            memmove(text + at + count, text + at, *size - at);
            *size += count;
        }
        }
    }
}

static bool has_error(const CordScene* scene)
{
    bool found = false;
    for (int i = 0; i < cord_scene_note_count(scene); i++) {
        found = found || cord_scene_note(scene, i).is_error;
    }
    return found;
}

TEST(a_spoilt_scene_never_does_harm)
{
    size_t size;
    char* text = scene_text_file("test/fuzz/scene/everything.json", &size);
    char* copy = malloc(size + 100);
    uint32_t state = 20240229;
    int refused = 0;
    for (int i = 0; i < 3000; i++) {
        size_t copy_size = size;
        memcpy(copy, text, size);
        spoil(copy, &copy_size, &state);
        CordScene* scene;
        CordResult result = cord_scene_parse(copy, copy_size, "", NULL, 0, &scene);
        CHECK(result == CORD_OK || result == CORD_BAD_FILE);
        CHECK((result == CORD_BAD_FILE) == has_error(scene));
        refused += result == CORD_BAD_FILE;
        cord_scene_destroy(scene);
    }
    CHECK(refused > 1500); // most of them are wrong now
    free(copy);
    free(text);
}

// ---- sizes that would be slow if anything were quadratic; a hang is the failure

TEST(many_entries_are_read_in_reasonable_time)
{
    enum { COUNT = 50000 };
    char* text = calloc(1, (size_t)40 << 20);
    put_entries(text, "{'cordage': 1, 'materials': {", "'m%d': {'young': 1e6, 'density': 1000},", COUNT,
                "}, ");
    put_entries(
        text, "'rods': [",
        "{'name': 'r%d', 'material': 'm%d', 'section': {'disc': {'radius': 0.01}}, " LINE_OF("6") "},", COUNT,
        "], ");
    put_entries(text, "'clamps': [", "{'rod': 'r%d', 'at': 'start'},", COUNT, "], ");
    put_entries(text, "'bodies': [", "{'name': 'b%d', 'shape': {'sphere': {'radius': 0.01}}, 'mass': 1},",
                COUNT, "], ");
    put_entries(text, "'welds': [", "{'rod': 'r%d', 'body': 'b%d', 'at': {'edge': 1}},", COUNT, "], ");
    put_entries(text, "'joints': [", "{'kind': 'pin', 'rods': [['r%d', 'end'], ['r%d', {'node': 4}]]},",
                COUNT, "]}");
    made(text);
    free(text);
}

// The note with this number is the one expected.
static void check_note(char* text, int index, const char* expected)
{
    SceneText s = scene_text(text, NULL);
    free(text);
    CHECK_RESULT(s.result, CORD_BAD_FILE);
    CHECK_STR(cord_scene_note(s.scene, index).text, expected);
}

TEST(a_million_unknown_keys_are_counted)
{
    char* text = calloc(1, (size_t)20 << 20);
    put_entries(text, "{", "'x%d': 0,", 1000000, "}");
    check_note(text, 100, "999902 more errors and 0 more warnings are not shown");
}

TEST(rods_of_one_name_are_counted)
{
    char* text = calloc(1, (size_t)20 << 20);
    put_entries(text, "{'cordage': 1, 'rods': [", "{'name': 'a', " SOLID_ROD LINE "},", 50000, "]}");
    check_note(text, 100, "49899 more errors and 0 more warnings are not shown");
}

TEST(clamps_on_one_rod_are_limited)
{
    char* text = calloc(1, (size_t)1 << 20);
    put_entries(text, "{'cordage': 1, " RODS ", 'clamps': [", "{'at': {'node': %d}},", 1001, "]}");
    check_note(text, 0, "clamps[1000] is one too many: rod \"rod1\" has more than 1000 clamps");
}

TEST(welds_and_joints_on_one_rod_are_limited)
{
    char* text = calloc(1, (size_t)1 << 20);
    put_entries(text,
                "{'cordage': 1, " RODS ", 'bodies': [{'shape': {'sphere': {'radius': 0.01}}, 'mass': 1}], "
                "'welds': [",
                "{'at': {'arc': %d}},", 10001, "]}");
    check_note(text, 0, "welds[10000] is one too many: rod \"rod1\" has more than 10000 welds and joints");
}

TEST_GROUP(scene_hostile)
