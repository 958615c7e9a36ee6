// Networks and surfaces in obj, vtk and csv.
#include "export_text.h"
#include "network_frames.h"

#include "export/section.h"
#include "export/tessellation.h"

static char* export_net(NetFrame* net, const char* format, const char* name, CordExportTable table)
{
    CordFrames frames = net_frames(net);
    CordExportDef def = export_def(format, name);
    def.sides = 16;
    def.table = table;
    export_write(&frames, &def);
    return file_load(strcmp(format, "vtk") == 0 ? record_path("net/net_00000.vtp") : def.path);
}

TEST(ends_of_chains_and_networks_are_told)
{
    NetFrame* net = net_frame();
    int nodes[2];
    cord_frame_ends(&net->frame, 0, 1, nodes);
    CHECK(nodes[0] == 1 && nodes[1] == 2);
    cord_frame_ends(&net->frame, 1, 0, nodes);
    CHECK(nodes[0] == 7 && nodes[1] == 3);
    net->frame.ends = NULL; // a frame without networks has none, and a ring closes
    net->rods[0].closed = true;
    cord_frame_ends(&net->frame, 0, 2, nodes);
    CHECK(nodes[0] == 2 && nodes[1] == 0);
}

TEST(a_network_has_no_arc_and_no_moments_but_axes_of_its_own)
{
    NetFrame* net = net_frame();
    CordSectionForce forces[6];
    CordSectionMoment moments[5];
    cord_frame_forces(&net->frame, 1, forces);
    cord_frame_moments(&net->frame, 1, moments);
    SectionAxes axes = section_of_edge(&net->frame, &net->rods[1], 4); // from (0, 0, 0) to (1, 0, 0)
    CHECK_VEC3(axes.t, ((CordVec3){1, 0, 0}), 1e-15);
    CHECK_VEC3(axes.m1, ((CordVec3){0, -1, 0}), 1e-15);
    for (int j = 0; j < 6; j++) {
        CHECK(isnan(forces[j].arc) && forces[j].tension == 12.0 + j);
    }
    CHECK_NEAR(forces[4].shear2, -6.0, 1e-14); // along m2 = t x m1 = -z
    for (int i = 0; i < 5; i++) {
        CHECK(isnan(moments[i].arc) && isnan(moments[i].torque));
    }
    cord_frame_forces(&net->frame, 0, forces);
    CHECK_NEAR(forces[1].arc, 1.5, 1e-15);
}

// A tube of 8 sides for each edge, whatever the sides asked for, with two rows to a round end: 4 x 8 points
// and 2 poles. The chain has 3 sections of 16 and four rows to an end: 9 x 16 and 2.
TEST(obj_has_a_closed_tube_for_every_edge_and_the_surface)
{
    NetFrame* net = net_frame();
    char* text = export_net(net, "obj", "net.obj", CORD_TABLE_NODES);
    CHECK_CONTAINS(text, "o frame,_bent\n");
    CHECK_CONTAINS(text, "o roof\n");
    CHECK_INT(export_occurrences(text, "\nv "), 146 + 6 * 34 + NET_VERTICES);
    CHECK_INT(export_occurrences(text, "\nf "), 10 * 16 + 6 * 5 * 8 + NET_TRIANGLES);
    CHECK_CONTAINS(text, "\nf 351//351 352//352 353//353\n"); // the roof's first triangle, after all tubes
    net->surface.hides = true;
    text = export_net(net, "obj", "net.obj", CORD_TABLE_NODES);
    CHECK_INT(export_occurrences(text, "\nv "), 146 + NET_VERTICES);
    CHECK(strstr(text, "o frame,_bent\n") == NULL);
}

TEST(normals_of_surfaces_are_means_and_point_outwards)
{
    NetFrame* net = net_frame();
    CordVec3 normals[NET_VERTICES];
    surface_normals(&net->surface, normals);
    for (int i = 0; i < NET_VERTICES; i++) {
        CHECK_VEC3(normals[i], ((CordVec3){0, 0, 1}), 1e-15);
    }
    net->vertices[3].z =
        // the second triangle alone leans: its normal is (1, -1, 1) / sqrt 3, and as large as the sum of its
        // parts
        1.0;
    surface_normals(&net->surface, normals);
    CHECK_VEC3(normals[1], ((CordVec3){0, 0, 1}), 1e-15);
    CHECK(normals[0].x > 0.1 && normals[0].z > 0.5 && normals[3].x > normals[0].x);
}

TEST(vtk_has_a_line_for_every_edge_with_its_values)
{
    NetFrame* net = net_frame();
    char* text = export_net(net, "vtk", "net.pvd", CORD_TABLE_NODES);
    CHECK_CONTAINS(text, "NumberOfPoints=\"8\"");
    CHECK_CONTAINS(text, "NumberOfLines=\"7\""); // the rope, and six edges
    size_t size;
    int64_t* lines = export_array(text, "connectivity", "Int64", 1, &size);
    CHECK_INT(size, (3 + 2 * 6) * sizeof *lines);
    CHECK(lines[2] == 2 && lines[3] == 7 && lines[4] == 3 && lines[13] == 6 && lines[14] == 5);
    int64_t* offsets = export_array(text, "offsets", "Int64", 1, &size);
    CHECK(size == 7 * sizeof *offsets && offsets[0] == 3 && offsets[1] == 5 && offsets[6] == 15);
    float* tension = export_array(text, "edge_tension", "Float32", 1, &size);
    CHECK(size == 7 * sizeof *tension && isnan(tension[0]) && tension[1] == 12.0f && tension[6] == 17.0f);
    tension = export_array(text, "tension", "Float32", 1, &size);
    CHECK(tension[1] == 10.5f && tension[7] == 13.5f); // the mean of four edges
    float* force = export_array(text, "force", "Float32", 3, &size);
    CHECK(force[3 * 1 + 2] == 0.5f && isnan(force[3 * 7]));
    double* energy = export_array(text, "energy", "Float64", 5, &size);
    CHECK(size == 35 * sizeof *energy && energy[4] == 0.0 && energy[9] == 5.0 && energy[34] == 5.0);
}

TEST(vtk_has_surfaces_as_a_series_of_their_own)
{
    NetFrame* net = net_frame();
    export_net(net, "vtk", "net.pvd", CORD_TABLE_NODES);
    char* list = file_load(record_path("net_surfaces.pvd"));
    CHECK_CONTAINS(list, "file=\"net/net_surfaces_00000.vtp\"");
    char* text = file_load(record_path("net/net_surfaces_00000.vtp"));
    CHECK_CONTAINS(text, "NumberOfPolys=\"2\"");
    size_t size;
    CordVec3* points = export_array(text, "points", "Float64", 3, &size);
    // the square's corners
    CHECK(size == NET_VERTICES * sizeof *points && memcmp(points, net->x + 3, size) == 0);
    int32_t* rod = export_array(text, "rod", "Int32", 1, &size);
    CHECK(size == 2 * sizeof *rod && rod[0] == 1);
}

TEST(csv_leaves_empty_what_a_network_has_not)
{
    NetFrame* net = net_frame();
    char* text = export_net(net, "csv", "forces.csv", CORD_TABLE_FORCES);
    CHECK_CONTAINS(text, "\n0.5,rope,1,1.5,11,");
    CHECK_CONTAINS(text, "\n0.5,\"frame, bent\",4,,16,");
    text = export_net(net, "csv", "moments.csv", CORD_TABLE_MOMENTS);
    CHECK_CONTAINS(text, "\n0.5,\"frame, bent\",4,,,,\n");
    text = export_net(net, "csv", "nodes.csv", CORD_TABLE_NODES);
    CHECK_CONTAINS(text, "\n0.5,\"frame, bent\",4,0.5,0.5,1\n");
}

TEST_GROUP(export_network)
