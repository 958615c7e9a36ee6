// Recordings of networks and of surfaces that go along with rods.
#include "hold.h"
#include "record_scene.h"

// A mast on three legs, whose feet stand: a modal network, and a sail at it.
static const CordVec3 nodes[7] = {{0, 0, 1},   {0.3, 0, 0.5},   {-0.15, 0.26, 0.5}, {-0.15, -0.26, 0.5},
                                  {0.6, 0, 0}, {-0.3, 0.52, 0}, {-0.3, -0.52, 0}};
static const int ends[2 * 9] = {0, 1, 2, 0, 0, 3, 1, 4, 5, 2, 3, 6, 1, 2, 2, 3, 3, 1};
static const CordVec3 corners[4] = {{0, 0, 1}, {0.1, 0.3, 0.6}, {-0.15, 0.26, 0.5}, {0.2, 0, 0.8}};
static const int triangles[6] = {0, 1, 2, 0, 3, 1};

static CordRodId mast_create(CordWorld* world)
{
    CordRodId rod;
    CordRodDef def = cord_rod_def_default();
    def.name = "mast, tall";
    def.model = CORD_MODEL_MODAL;
    def.shape = cord_shape_network(nodes, 7, ends, 9);
    def.section = cord_section_disc(0.01);
    CHECK_WORLD_OK(world, cord_rod_create(world, &def, &rod));
    for (int foot = 4; foot < 7; foot++) {
        CordClampId id;
        CordClampDef clamp = cord_clamp_def_default();
        clamp.rod = rod;
        clamp.at = (CordPlace){.kind = CORD_AT_NODE, .index = foot};
        clamp.fix = CORD_FIX_FREEDOMS;
        clamp.freedoms = 63;
        CHECK_OK(cord_clamp_create(world, &clamp, &id));
    }
    return rod;
}

static void sail_create(CordWorld* world, CordRodId rod, bool hides)
{
    CordSurfaceId id;
    CordSurfaceDef def = cord_surface_def_default();
    def.name = "sail, torn";
    def.rod = rod;
    def.vertices = corners;
    def.vertex_count = 4;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.hides = hides;
    CHECK_OK(cord_surface_create(world, &def, &id));
}

// The usual run with the mast between its rods and what follows, and sails at the mast and at the ring.
static RecordRun mast_run(void)
{
    RecordRun run = record_world(NULL);
    CordRodId mast = mast_create(run.world);
    sail_create(run.world, mast, true);
    CordSurfaceId id;
    CordSurfaceDef def = {.rod = cord_world_rod(run.world, 1),
                          .vertices = nodes,
                          .vertex_count = 7,
                          .triangles = triangles,
                          .triangle_count = 2};
    CHECK_OK(cord_surface_create(run.world, &def, &id));
    return run;
}

static void check_networks(const CordFrame* put, const CordFrame* read)
{
    CHECK(put->ends && read->ends);
    CHECK_INT(read->edge_count, put->edge_count);
    CHECK(memcmp(read->ends, put->ends, 2 * (size_t)put->edge_count * sizeof *put->ends) == 0);
    for (int r = 0; r < put->rod_count; r++) {
        CHECK(read->rods[r].network == put->rods[r].network &&
              read->rods[r].first_edge == put->rods[r].first_edge);
    }
    CHECK(memcmp(read->x, put->x, (size_t)put->node_count * sizeof *put->x) == 0);
}

static void check_surfaces(const CordFrame* put, const CordFrame* read)
{
    CHECK_INT(read->surface_count, put->surface_count);
    for (int i = 0; i < put->surface_count; i++) {
        const CordFrameSurface *a = &put->surfaces[i], *b = &read->surfaces[i];
        CHECK_STR(b->name, a->name);
        CHECK(b->rod == a->rod && b->hides == a->hides && b->vertex_count == a->vertex_count &&
              b->triangle_count == a->triangle_count);
        CHECK(memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0);
        for (int k = 0; k < a->vertex_count; k++) {
            // recordings keep m1 as floats: 6e-8, by an arm of up to 2 m
            CHECK_VEC3(b->vertices[k], a->vertices[k], 3e-7);
        }
    }
}

TEST(networks_and_surfaces_come_back)
{
    const char* path = record_path("mast.h5");
    RecordRun run = record_to(mast_run(), path);
    for (int i = 0; i < 3; i++) {
        record_frames(&run, i + 1);
        CordRecording* recording = record_open(path); // while it is being written
        CordFrame put, read = record_frame(recording, i);
        CHECK_OK(cord_world_frame(run.world, &put));
        check_networks(&put, &read);
        check_surfaces(&put, &read);
        CordVec3 tip = read.x[read.rods[2].first_node], corner = read.surfaces[0].vertices[0];
        // a corner at a node, without rounding
        CHECK(tip.x == corner.x && tip.y == corner.y && tip.z == corner.z);
        CHECK(read.rods[2].network && read.rods[2].edge_count == 9 && read.rods[2].node_count == 7);
        cord_recording_close(recording);
    }
    record_end(&run);
}

TEST(a_resumed_recording_is_that_of_a_run_in_one_go)
{
    const char *whole = record_path("whole.h5"), *cut = record_path("cut.h5");
    record_until(record_to(mast_run(), whole), 8);
    record_until(record_to(mast_run(), cut), 4);
    record_until(record_on(mast_run(), cut), 8);
    CordRecording *a = record_read(whole), *b = record_read(cut);
    for (int i = 0; i < 8; i++) {
        CordFrame p = record_frame(a, i), q = record_frame(b, i);
        check_networks(&p, &q);
        check_surfaces(&p, &q);
    }
}

static void check_other(const CordRecording* recording, const RecordRun* run, const char* text)
{
    CordMessage message = {""};
    CordRecorderDef def = record_def(run, recording->path);
    CHECK_RESULT(resume_fits(recording, &def, run->world, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, text);
}

TEST(a_world_with_other_networks_or_surfaces_does_not_go_on)
{
    const char* path = record_path("other.h5");
    record_until(record_to(mast_run(), path), 2);
    CordRecording* recording = record_read(path);
    RecordRun run = record_world(NULL);
    CordRodId mast = mast_create(run.world);
    check_other(recording, &run, "its surfaces are not those");
    sail_create(run.world, mast, false); // it does not hide the mast, and the other one is missing
    check_other(recording, &run, "its surfaces are not those");
    // as if an edge of the recording had led elsewhere
    ((int32_t*)recording->description.rows[ROD_ENDS])[3] = 1;
    check_other(recording, &run, "its rods are not those");
}

TEST(a_surface_that_comes_later_needs_a_new_recording)
{
    RecordRun run = record_start(record_path("later.h5"));
    record_frames(&run, 1);
    sail_create(run.world, cord_world_rod(run.world, 0), true);
    record_check_put_refused(&run, "began with 0 surfaces");
    CHECK_OK(cord_surface_destroy(run.world, cord_world_surface(run.world, 0)));
    record_end(&run);
}

TEST(a_frame_whose_ties_or_ends_lead_nowhere_is_damaged)
{
    const char* path = record_path("ties.h5");
    CordMessage message = {""};
    CordFrame frame;
    record_until(record_to(mast_run(), path), 1);
    CordRecording* recording = record_read(path);
    recording->tie_edges[0] = 9; // the mast has nine edges
    CHECK_RESULT(recording_read_frame(recording, 0, &frame, &message), CORD_BAD_FILE);
    recording->tie_edges[0] = 8;
    CHECK_OK(recording_read_frame(recording, 0, &frame, &message));
    ((int32_t*)recording->description.rows[ROD_ENDS])[0] = 7; // and seven nodes
    CHECK_RESULT(recording_read_frame(recording, 0, &frame, &message), CORD_BAD_FILE);
    CHECK_CONTAINS(message.text, "frame 0 is damaged");
}

TEST_GROUP(record_network)
