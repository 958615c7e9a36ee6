// Reels that have been cut, changed, or made to do harm: refused with a sentence, or read as what they have
// become. Never a byte beyond their end, never an index that is not there.
#include "random.h"
#include "reel_input.h"
#include "reel_stage.h"

static CordReelBytes* sparse_reel(void)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    return reel_whole(&stage);
}

// In memory of just that size, so that sanitizers see who reads on.
static int run_exactly(const uint8_t* data, size_t size)
{
    uint8_t* exact = malloc(size > 0 ? size : 1);
    memcpy(exact, data, size);
    int frames = reel_input_run(exact, size);
    free(exact);
    return frames;
}

TEST(cut_at_any_byte_it_is_refused_or_ends_with_a_whole_frame)
{
    CordReelBytes* bytes = sparse_reel();
    int opened = 0;
    for (size_t size = 0; size < bytes->size; size++) {
        int frames = run_exactly(bytes->data, size);
        opened += frames >= 0;
    }
    CHECK_INT(opened, 3); // after the scene, the layout and the first frame
    CHECK_INT(run_exactly(bytes->data, bytes->size), 2);
}

TEST(any_byte_may_be_any_other)
{
    CordReelBytes* bytes = sparse_reel();
    int refused = 0;
    for (size_t at = 0; at < bytes->size; at++) {
        uint8_t good = bytes->data[at];
        for (int value = 0; value < 256; value += value < 4 || value > 250 ? 1 : 7) {
            bytes->data[at] = (uint8_t)value;
            refused += run_exactly(bytes->data, bytes->size) < 0;
        }
        bytes->data[at] = good;
    }
    CHECK(refused > 1000);
}

static uint32_t random_next(uint64_t* seed)
{
    return (uint32_t)(random_bits(seed) >> 33);
}

TEST(many_changes_at_once_do_no_harm)
{
    static const uint32_t numbers[] = {0,          1,          2,          0x7fffffff, 0x80000000,
                                       0xffffffff, 0xfffffffc, 0x15555556, 0x7f800000, 0x7fc00000};
    CordReelBytes* bytes = sparse_reel();
    uint8_t* copy = keep_zeros(bytes->size);
    uint64_t state = 1;
    for (int round = 0; round < 20000; round++) {
        memcpy(copy, bytes->data, bytes->size);
        for (int changes = 1 + (int)(random_next(&state) % 4); changes > 0; changes--) {
            size_t at = random_next(&state) % (bytes->size / 4) * 4;
            memcpy(copy + at, &numbers[random_next(&state) % (sizeof numbers / sizeof *numbers)], 4);
        }
        size_t size = random_next(&state) % 4 == 0 ? random_next(&state) % bytes->size : bytes->size;
        run_exactly(copy, size);
    }
}

// ---- files

static CordReelBytes reel_of_file(const char* name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/test/fuzz/reel/%s", CORD_SOURCE_DIR, name);
    return (CordReelBytes){.data = (uint8_t*)file_load(path), .size = (size_t)file_size(path)};
}

// Pages that people have saved hold reels: what version 1 is must not change.
TEST(the_format_is_what_it_was)
{
    CordReelBytes then = reel_of_file("everything.reel");
    CHECK(cord_reel_bytes_equal(sparse_reel(), &then));
}

TEST(the_fuzzers_first_reels_are_read)
{
    static const char* const names[] = {"everything.reel", "run.reel", "scene.reel"};
    static const int frames[] = {2, 3, 0};
    for (int i = 0; i < 3; i++) {
        CordReelBytes bytes = reel_of_file(names[i]);
        CHECK_INT(run_exactly(bytes.data, bytes.size), frames[i]);
    }
}

// ---- one thing wrong

static void check_refused(const CordReelBytes* bytes, const char* text)
{
    CordReel* reel;
    CordMessage message = {""};
    CHECK_RESULT(cord_reel_open(bytes->data, bytes->size, &reel, &message), CORD_BAD_FILE);
    CHECK(reel == NULL);
    CHECK_CONTAINS(message.text, text);
}

// The stage is filled again, for the next thing that is wrong.
static void check_stage_refused(ReelStage* s, const char* text)
{
    check_refused(reel_whole(s), text);
    reel_stage_fill(s);
}

TEST(what_is_wrong_in_a_frame_is_said)
{
    ReelStage s;
    reel_stage_fill(&s);
    s.x[3].y = NAN;
    check_stage_refused(&s, "the frame at byte 552 is wrong: a number in it is not finite");
    s.energy[1].bend = NAN;
    check_stage_refused(&s, "a number in it is not finite");
    s.frame.time = INFINITY;
    check_stage_refused(&s, "a number in it is not finite");
    s.frame.steps = -1;
    check_stage_refused(&s, "a count in it is none");
    s.twist[0] = INFINITY;
    check_stage_refused(&s, "a twist or writhe in it is not finite");
    s.bodies[0].rotation = (CordQuat){0};
    check_stage_refused(&s, "a rotation in it is none");
    s.contacts[0].kind = (CordTouch)3;
    check_stage_refused(&s, "a contact in it is with nothing that is there");
    s.frame.body_count = 0; // which a contact is with
    check_stage_refused(&s, "a contact in it is with nothing that is there");
}

TEST(what_is_wrong_in_a_layout_is_said)
{
    ReelStage s;
    reel_stage_fill(&s);
    s.radius[0] = -1;
    check_stage_refused(&s, "the layout at byte 176 is wrong: a radius in it is negative");
    s.obstacles[1].solid.size.y = -1;
    check_stage_refused(&s, "something in it has a negative size");
    s.ends[7] = 1; // the network's first edge goes to the ring
    check_stage_refused(&s, "it names a node or vertex that is not there");
    s.corner_triangles[5] = 3; // of three corners
    check_stage_refused(&s, "it names a node or vertex that is not there");
    s.triangles[0] = -1;
    check_stage_refused(&s, "it names a node or vertex that is not there");
    s.surfaces[0].rod = 2;
    check_stage_refused(&s, "a surface in it goes along with a rod that is not there");
    s.obstacles[0].solid.shape = CORD_SOLID_COUNT;
    check_stage_refused(&s, "something in it has a shape that is not known");
    s.obstacles[0].solid.shape = CORD_SOLID_SPHERE; // with the mesh that it has
    check_stage_refused(&s, "something in it has a shape that is not known");
    s.bodies[0].solid.shape = CORD_SOLID_PLANE;
    check_stage_refused(&s, "a body in it has a shape that bodies cannot have");
    s.rods[0].name = "\xff";
    check_stage_refused(&s, "a text in it is not UTF-8");
    s.rods[1].first_node = 4; // a gap after the ring
    check_stage_refused(&s, "its rods do not have the nodes and edges that they should");
    s.rods[0].closed = false; // the ring, cut open
    check_stage_refused(&s, "its rods do not have the nodes and edges that they should");
    s.frame.ends = NULL; // of the network
    check_stage_refused(&s, "its rods do not have the nodes and edges that they should");
}

TEST(chunks_come_in_their_order)
{
    ReelStage stage;
    reel_stage_fill(&stage);
    CordReelBytes* bytes = reel_bytes();
    check_refused(bytes, "it is not a reel");
    CHECK_OK(cord_reel_put_head(bytes));
    check_refused(bytes, "the reel is empty");
    CHECK_OK(reel_put_frame(&stage.frame, NULL, bytes));
    check_refused(bytes, "the frame at byte 16 is wrong: there is no layout before it");
    bytes->size = 16;
    CHECK_OK(reel_put_layout(&stage.frame, bytes));
    check_refused(bytes, "the reel is empty");
    CHECK_OK(reel_put_scene(bytes));
    check_refused(bytes, "is wrong: it is not the first thing in the reel");
    bytes->size = 16;
    size_t mark = cord_reel_chunk_begin(bytes, "NEWS");
    CHECK_OK(cord_reel_chunk_end(bytes, mark));
    check_refused(bytes, "it is neither a scene nor a layout nor a frame");
    bytes->data[8] = 2;
    check_refused(bytes, "the reel is of version 2");
}

// A few bytes must not make the reader take memory, or time, for what they say that there is.
TEST(counts_are_believed_only_as_far_as_there_are_bytes)
{
    static const uint8_t largest[4] = {0xff, 0xff, 0xff, 0x7f};
    ReelStage stage;
    reel_stage_fill(&stage);
    for (int field = 0; field < 6; field++) {
        CordReelBytes* bytes = reel_bytes();
        CHECK_OK(cord_reel_put_head(bytes));
        CHECK_OK(reel_put_layout(&stage.frame, bytes));
        CHECK_OK(reel_put_frame(&stage.frame, NULL, bytes));
        memcpy(bytes->data + 32 + 4 * field, largest, 4);
        check_refused(bytes, "the layout at byte 16 is wrong");
    }
}

TEST_GROUP(reel_damage)
