// Adaptive rods in recordings. The frames are made by hand, so that the numbers of nodes change as they like.
#include "record_scene.h"

enum { FRAMES = 10, NODES_MOST = 6000 };

// A rope and a ring, made with 10 and 12 nodes; the rope alone is adaptive.
static const int rope_nodes[FRAMES] = {10, 13, 5000, 10, 11, 2, 700, 701, 3000, 37};
static const int ring_nodes = 12;

static void random_fill(double* values, int count)
{
    for (int i = 0; i < count; i++) {
        values[i] = record_random_half();
    }
}

typedef struct Changed { // a frame whose rods are our own
    CordFrame frame;
    CordFrameRod rods[2];
    CordVec3 x[NODES_MOST], v[NODES_MOST], moment[NODES_MOST], skin[NODES_MOST];
    uint8_t level[NODES_MOST];
    double arc[NODES_MOST];
    CordVec3 m1[NODES_MOST], force[NODES_MOST];
    double radius[NODES_MOST], tension[NODES_MOST];
    CordAdaptReport adapt[2];
} Changed;

static void changed_lay(Changed* c, int nodes)
{
    CordFrame* f = &c->frame;
    memcpy(c->rods, f->rods, sizeof c->rods);
    c->rods[0].node_count = nodes;
    c->rods[0].edge_count = nodes - 1;
    c->rods[1].first_node = nodes;
    c->rods[1].first_edge = nodes - 1;
    f->rods = c->rods;
    f->node_count = nodes + ring_nodes;
    f->edge_count = nodes - 1 + ring_nodes;
    f->x = c->x, f->v = c->v, f->moment = c->moment, f->skin = c->skin;
    f->level = c->level, f->arc = c->arc, f->adapt = c->adapt;
    f->m1 = c->m1, f->force = c->force, f->radius = c->radius, f->tension = c->tension;
    f->contact_count = 0;
}

static Changed* changed_make(CordWorld* world, int index) // the same memory each time
{
    static Changed changed;
    Changed* c = &changed;
    CHECK_OK(cord_world_frame(world, &c->frame));
    CHECK_INT(c->frame.rod_count, 2);
    record_random = (uint32_t)index + 1;
    changed_lay(c, rope_nodes[index]);
    int nodes = c->frame.node_count, edges = c->frame.edge_count;
    random_fill((double*)c->x, 3 * nodes);
    random_fill((double*)c->v, 3 * nodes);
    random_fill((double*)c->moment, 3 * nodes);
    random_fill((double*)c->skin, 3 * nodes);
    random_fill(c->arc, nodes);
    random_fill((double*)c->m1, 3 * edges);
    random_fill((double*)c->force, 3 * edges);
    random_fill(c->radius, edges);
    random_fill(c->tension, edges);
    for (int i = 0; i < nodes; i++) {
        c->level[i] = (uint8_t)(i % 7);
        c->skin[i].x += 1e-12; // kept to the last bit
        c->arc[i] += 1e-12;
    }
    c->adapt[0] = (CordAdaptReport){.made_with = 10,
                                    .nodes = rope_nodes[index],
                                    .finest = 5000,
                                    .coarsest = 10,
                                    .refined = 1000 + index,
                                    .merged = 200 + index,
                                    .kept_off = 3,
                                    .iterations = 40000 + index,
                                    .steps = 5 + index,
                                    .node_steps = 9e15 - index, // as a double has it still
                                    .flickers = index};
    return c;
}

static RecordRun changed_world(void)
{
    return record_world("rods[0].adapt={}");
}

static void changed_put(RecordRun* run, int first, int end)
{
    for (int i = first; i < end; i++) {
        record_put(run, &changed_make(run->world, i)->frame, NULL);
    }
}

// Backwards, and twice: room for more does not stay in the way.
static void changed_check(const char* path)
{
    RecordRun run = changed_world();
    CordRecording* recording = record_read(path);
    CHECK_INT(cord_recording_frames(recording).count, FRAMES);
    for (int k = 2 * FRAMES - 1; k >= 0; k--) {
        CordFrame frame = record_frame(recording, k % FRAMES);
        CHECK_INT(frame.rods[0].node_count, rope_nodes[k % FRAMES]);
        record_check_frame(&frame, &changed_make(run.world, k % FRAMES)->frame);
    }
}

TEST(frames_come_back_whatever_their_number_of_nodes)
{
    const char* path = record_path("changed.h5");
    RecordRun run = record_to(changed_world(), path);
    changed_put(&run, 0, FRAMES);
    record_end(&run);
    changed_check(path);
}

TEST(a_resumed_recording_keeps_them)
{
    const char* path = record_path("changed.h5");
    CordMessage message = {""};
    RecordRun run = record_to(changed_world(), path);
    changed_put(&run, 0, FRAMES - 1);
    CHECK_OK(cord_recorder_put_snapshot(run.recorder, &message));
    record_end(&run);
    run = record_on(changed_world(), path);
    changed_put(&run, FRAMES - 1, FRAMES);
    record_end(&run);
    changed_check(path);
}

// Without a skin of its own a rod is drawn where it is.
TEST(a_skin_that_is_not_given_is_the_nodes)
{
    const char* path = record_path("bare.h5");
    RecordRun run = record_to(changed_world(), path);
    Changed* c = changed_make(run.world, 1);
    c->frame.skin = NULL;
    record_put(&run, &c->frame, NULL);
    record_end(&run);
    CordFrame frame = record_frame(record_read(path), 0);
    CHECK(record_same_bytes(frame.skin, c->x, (size_t)frame.node_count * sizeof *c->x));
}

// Rows that are rewritten as they fill must not be compressed: each time would leave a copy in the file.
TEST(changing_numbers_of_nodes_waste_no_room)
{
    const char* path = record_path("room.h5");
    RecordRun run = record_to(changed_world(), path);
    const int wide = 2;
    for (int i = 0; i < 20; i++) {
        changed_put(&run, wide, wide + 1);
    }
    record_end(&run);
    // x, v, moment, skin, level, arc; m1, radius, tension, force
    double nodes = rope_nodes[wide] + ring_nodes;
    double bytes = 20.0 * nodes * (24 + 12 + 12 + 24 + 1 + 8 + 12 + 4 + 4 + 12);
    CHECK((double)file_size(path) < bytes + 1e6); // of the rest
}

TEST(rods_that_are_not_adaptive_add_nothing)
{
    const char* path = record_path("plain.h5");
    record_until(record_start(path), 2);
    CordRecording* recording = record_read(path);
    CordFrame frame = record_frame(recording, 1);
    CHECK(!frame.adapt && !frame.level && !frame.skin);
    for (int c = 0; c < column_count; c++) {
        LayoutDef def;
        bool solid = columns[c].row == ROW_BODY || columns[c].row == ROW_OBSTACLE;
        CHECK(layout_def(&recording->shape, c, &def) == (solid || !columns[c].has));
    }
}

TEST_GROUP(record_adapt)
