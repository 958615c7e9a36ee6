// Tubes around rods: where their sections are, how many, and that the meshes around them close.
#include "export_text.h"
#include "network_frames.h"

#include "export/sequence.h"

static const double pi = 3.14159265358979323846;

// A chain of n nodes on a circle of radius 1 in the x-y plane, the angle from one to the next given, whose
// material axis turns by `twist` from edge to edge.
enum { ARC_MOST = 40 };

typedef struct ArcLength {
    CordFrame frame;
    CordFrameRod rod;
    CordVec3 x[ARC_MOST], m1[ARC_MOST];
    double radius[ARC_MOST];
} ArcLength;

static ArcLength* arc_length(int nodes, double angle, double twist, bool closed)
{
    ArcLength* a = keep_zeros(sizeof *a);
    int edges = closed ? nodes : nodes - 1;
    a->rod = (CordFrameRod){"arc", 0, nodes, 0, edges, closed, false};
    for (int i = 0; i < nodes; i++) {
        a->x[i] = (CordVec3){cos(angle * i), sin(angle * i), 0};
    }
    for (int j = 0; j < edges; j++) {
        double at = angle * (j + 0.5), turn = twist * j; // outwards, turned towards t x outwards = -z
        a->m1[j] = (CordVec3){cos(turn) * cos(at), cos(turn) * sin(at), -sin(turn)};
        a->radius[j] = 0.05;
    }
    a->frame =
        (CordFrame){.rod_count = 1, .node_count = nodes, .edge_count = edges, .rods = &a->rod, .x = a->x};
    a->frame.m1 = a->m1, a->frame.radius = a->radius;
    return a;
}

typedef struct Made { // sections of one frame, and a mesh around them
    TubePlan plan;
    TubeSection list[8 * ARC_MOST];
    TubeMesh tube;
} Made;

static void made_release(void* made)
{
    tube_plan_free(&((Made*)made)->plan);
    tube_mesh_free(&((Made*)made)->tube);
    free(made);
}

static CordResult plan_add(TubePlan* plan, const CordFrame* frame, TubeSection* list, CordMessage* message)
{
    PictureCurves curves;
    CHECK_OK(tube_curves(frame, &curves, message));
    CordResult result = tube_plan_add(plan, frame, &curves, message);
    tube_plan_finish(plan);
    if (result == CORD_OK && list) {
        CHECK(plan->count <= 8 * ARC_MOST);
        tube_sections(plan, frame, &curves, list);
    }
    picture_curves_free(&curves);
    return result;
}

static Made* sections_make(const CordFrame* frame, int rod)
{
    Made* made = keep(calloc(1, sizeof *made), made_release);
    CordMessage message = {""};
    check_said(tube_plan_begin(&made->plan, frame, rod, &message), &message);
    for (int r = 0; r < rod; r++) {
        made->plan.first_edge += frame->rods[r].edge_count;
    }
    check_said(plan_add(&made->plan, frame, made->list, &message), &message);
    return made;
}

static const TubeMesh* tube_make(Made* made, int sides)
{
    CHECK(tube_mesh_make(&made->tube, &made->plan, made->list, sides));
    return &made->tube;
}

static void check_axes(const TubeSection* section)
{
    CHECK_NEAR(cord_vec3_dot(section->t, section->t), 1.0, 1e-14);
    CHECK_NEAR(cord_vec3_dot(section->m1, section->m1), 1.0, 1e-14);
    CHECK_NEAR(cord_vec3_dot(section->m1, section->t), 0.0, 1e-14);
    CHECK_VEC3(section->m2, cord_vec3_cross(section->t, section->m1), 1e-15);
}

TEST(a_gentle_chain_has_a_section_at_each_node)
{
    ArcLength* arc = arc_length(20, 0.2, 0.3, false);
    Made* made = sections_make(&arc->frame, 0);
    CHECK_INT(made->plan.count, 20);
    for (int i = 0; i < 20; i++) {
        CHECK_INT(tube_plan_node(&made->plan, i), i);
        CHECK_VEC3(made->list[i].center, arc->x[i], 0.0);
        CHECK_VEC3(made->list[i].t, ((CordVec3){-sin(0.2 * i), cos(0.2 * i), 0}), 1e-14); // of the circle
        double turn = 0.3 * (i == 0 ? 0.0 : i == 19 ? 18.0 : i - 0.5); // half way between the edges
        CordVec3 out = {cos(0.2 * i), sin(0.2 * i), 0};
        CHECK_NEAR(cord_vec3_dot(made->list[i].m1, out), cos(turn), 1e-14);
        CHECK_NEAR(made->list[i].m1.z, -sin(turn), 1e-14);
        check_axes(&made->list[i]);
    }
}

// 0.5 rad are 28.6 degrees, for two pieces of at most 15; a twist of 1.5 rad is 86 degrees, for three of at
// most 40.
TEST(bends_and_twists_have_sections_between_the_nodes)
{
    const struct {
        double angle, twist;
        int pieces;
    } cases[] = {{0.2, 0.3, 1}, {0.5, 0.0, 2}, {0.1, 1.5, 3}, {1.5, 0.0, 6}, {0.1, 3.1, 5}};
    for (int k = 0; k < 5; k++) {
        ArcLength* arc = arc_length(10, cases[k].angle, cases[k].twist, false);
        Made* made = sections_make(&arc->frame, 0);
        CHECK_INT(made->plan.count, 9 * cases[k].pieces + 1);
        for (int i = 0; i < made->plan.count; i++) {
            bool at_node = i % cases[k].pieces == 0;
            CHECK_INT(tube_plan_node(&made->plan, i), at_node ? i / cases[k].pieces : -1);
            check_axes(&made->list[i]);
            CordVec3 c = made->list[i].center;
            // curves of pictures: 3e-4 at a quarter turn
            CHECK_NEAR(sqrt(cord_vec3_dot(c, c)), 1.0, at_node ? 1e-15 : 5e-4);
        }
    }
}

TEST(what_one_frame_needs_all_have)
{
    CordMessage message = {""};
    Made* made = sections_make(&arc_length(10, 0.1, 0.0, false)->frame, 0);
    CHECK_INT(made->plan.count, 10);
    CHECK_OK(plan_add(&made->plan, &arc_length(10, 0.5, 0.0, false)->frame, NULL, &message));
    CHECK_INT(made->plan.count, 19);
    CHECK_RESULT(plan_add(&made->plan, &arc_length(9, 0.5, 0.0, false)->frame, NULL, &message),
                 CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(message.text, "rod \"arc\" has 10 nodes at first and 9");
}

// Nodes at 0 1/2 1, at 0 1/6 ... 1 and at 0 1/4 ... 1 of its length: nine places in all.
TEST(an_adaptive_rod_has_sections_where_any_frame_has_nodes)
{
    CordFrames frames = export_change_frames();
    const ExportChange* change = frames.user;
    CordExportDef def = export_def("glb", "unused");
    def.last = CHANGE_FRAMES - 1;
    CordMessage message = {""};
    Sequence sequence;
    CHECK_OK(sequence_begin(&sequence, &frames, &def, &message));
    CHECK(sequence.rods[0].adaptive && !sequence.rods[1].adaptive);
    CHECK_INT(sequence.rods[0].count, 9);
    for (int k = 0; k < CHANGE_FRAMES; k++) {
        CordFrame frame;
        CHECK_OK(sequence_read(&sequence, k, &frame, &message));
        const TubeSection* sections = sequence_sections(&sequence, &frame, 0);
        int nodes = frame.rods[0].node_count, met = 0;
        for (int i = 0; i < 9; i++) {
            CHECK_NEAR(sections[i].center.x, sequence.rods[0].arc[i] * (nodes - 1),
                       1e-14);                                 // it is straight, and long as it has nodes
            CHECK_NEAR(sections[i].center.z, 0.25 * k, 1e-15); // on the skin
            met += sections[i].center.x == change->x[met].x;
        }
        CHECK_INT(met, nodes);
    }
    sequence_end(&sequence);
}

TEST(a_network_has_sections_at_the_ends_of_its_edges)
{
    NetFrame* net = net_frame();
    Made* made = sections_make(&net->frame, 1);
    CHECK_INT(made->plan.count, 12);
    for (int k = 0; k < 12; k++) {
        CHECK_VEC3(made->list[k].center, net->x[net->ends[4 + k]], 0.0);
        CHECK_NEAR(made->list[k].radius, net->radius[2 + k / 2], 0.0);
        CHECK_INT(tube_plan_node(&made->plan, k), -1);
        check_axes(&made->list[k]);
    }
}

// ---- meshes

static double volume(const TubeMesh* s, const TubeSection* list)
{
    MeshFace* faces = keep_zeros((size_t)s->face_count * sizeof *faces);
    CordVec3* x = keep_zeros((size_t)s->point_count * sizeof *x);
    for (int f = 0; f < s->face_count; f++) {
        faces[f].count = s->faces[f].count;
        for (int c = 0; c < faces[f].count; c++) {
            const TubeVertex* v = &s->vertices[s->faces[f].vertex[c]];
            faces[f].vertex[c] = v->point;
            x[v->point] = tube_point(&list[v->section], v->place);
        }
    }
    return export_volume(faces, s->face_count, x);
}

static void check_vertices(const TubeMesh* s, const TubeSection* list)
{
    for (int i = 0; i < s->vertex_count; i++) {
        const TubeVertex *v = &s->vertices[i], *first = &s->vertices[s->first[v->point]];
        CHECK_NEAR(cord_vec3_dot(v->place, v->place), 1.0, 1e-14);
        CHECK_VEC3(tube_point(&list[v->section], v->place), tube_point(&list[first->section], first->place),
                   1e-15);
    }
}

TEST(tubes_close_and_have_their_volume)
{
    const int sides[] = {3, 8, 13, 40};
    for (int k = 0; k < 8; k++) {
        bool closed = k % 2 == 1;
        int n = sides[k / 2], nodes = 30;
        ArcLength* arc = arc_length(nodes, closed ? 2.0 * pi / nodes : 0.2, closed ? 0.0 : 0.3, closed);
        Made* made = sections_make(&arc->frame, 0);
        const TubeMesh* tube = tube_make(made, n);
        check_vertices(tube, made->list);
        double length = closed ? 2.0 * pi : 0.2 * (nodes - 1), r = 0.05;
        double whole = pi * r * r * (length + (closed ? 0.0 : 4.0 / 3.0 * r));
        // As of bodies: a polygon of n sides has 1 - 2 pi^2 / (3 n^2) of its circle; and chords are shorter
        // than arcs, and walls that turn are narrower: 2 %.
        double missing = fmin(1.0, 25.0 / (n * n) + 0.02);
        double found = volume(tube, made->list);
        CHECK(found < whole && found > whole * (1.0 - missing) && found > 0.0);
    }
}

TEST(the_texture_begins_at_the_material_axis_and_goes_once_around)
{
    const TubeMesh* tube = tube_make(sections_make(&arc_length(12, 0.2, 0.3, false)->frame, 0), 12);
    double last = -INFINITY;
    for (int i = 0; i < tube->vertex_count; i += 13) {
        const TubeVertex* v = &tube->vertices[i];
        bool pole = fabs(v->place.z) == 1.0;
        CHECK(v->v > last);
        last = v->v;
        for (int c = 0; c < 13 && !pole; c++) {
            double angle = 2.0 * pi * v[c].u, wide = sqrt(1.0 - v->place.z * v->place.z);
            CHECK_NEAR(v[c].u, c / 12.0, 1e-15);
            CHECK_VEC3(v[c].place, ((CordVec3){wide * cos(angle), wide * sin(angle), v->place.z}), 1e-15);
        }
    }
    double chord = 2.0 * sin(0.1), circumference = 2.0 * pi * 0.05;
    CHECK_NEAR(last, 11.0 * chord / circumference + 0.25, 1e-12); // and a quarter of the way around the end
}

TEST(tubes_of_a_network_are_each_closed)
{
    NetFrame* net = net_frame();
    Made* made = sections_make(&net->frame, 1);
    const TubeMesh* tube = tube_make(made, 100); // which is too many for a network
    CHECK_INT(tube->point_count, 6 * (4 * 8 + 2));
    check_vertices(tube, made->list);
    CHECK(volume(tube, made->list) > 0.0);
}

// Folded back on itself, without length, turned by half a turn: nothing that is not a number comes out.
TEST(degenerate_rods_give_finite_tubes)
{
    CordVec3 x[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}};
    CordVec3 m1[] = {{0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    double radius[] = {0.1, 0, 0.1, 0.1};
    CordFrameRod rod = {"odd", 0, 5, 0, 4, false, false};
    CordFrame frame = {
        .rod_count = 1, .node_count = 5, .edge_count = 4, .rods = &rod, .x = x, .m1 = m1, .radius = radius};
    Made* made = sections_make(&frame, 0);
    const TubeMesh* tube = tube_make(made, 7);
    for (int i = 0; i < tube->vertex_count; i++) {
        const TubeVertex* v = &tube->vertices[i];
        CordVec3 at = tube_point(&made->list[v->section], v->place);
        CordVec3 normal = tube_direction(&made->list[v->section], v->place);
        CHECK(isfinite(at.x) && isfinite(at.y) && isfinite(at.z) && isfinite(v->u) && isfinite(v->v));
        CHECK_NEAR(cord_vec3_dot(normal, normal), 1.0, 1e-12);
    }
}

TEST_GROUP(export_tessellation)
