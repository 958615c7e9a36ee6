#include "rod/clamp.h"

#include "world_rods.h"

// ---- places

typedef struct Line { // a rod whose edges have lengths of 1, 2, 3, 4
    CordWorld* world;
    CordRodId id;
    const CordCenterline* c;
} Line;

static Line line_of(bool closed)
{
    static const CordVec3 open[] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {6, 0, 0}, {10, 0, 0}};
    static const CordVec3 ring[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    Line line = {.world = new_weightless_world()};
    CordRodDef def = line_def(5);
    def.shape = closed ? cord_shape_points(ring, 4) : cord_shape_points(open, 5);
    def.closed = closed;
    def.rest = CORD_REST_STRAIGHT;
    line.id = add_rod(line.world, &def);
    line.c = &world_rod(line.world, line.id)->line;
    return line;
}

static Message message;

static int node_at(const Line* line, CordPlace at)
{
    message.text[0] = '\0';
    return place_node(line->c, at, &message);
}

static int edge_at(const Line* line, CordPlace at)
{
    message.text[0] = '\0';
    return place_edge(line->c, at, &message);
}

TEST(start_end_node_and_edge_are_where_they_say)
{
    Line line = line_of(false);
    CHECK_INT(node_at(&line, cord_at_start()), 0);
    CHECK_INT(node_at(&line, cord_at_end()), 4);
    CHECK_INT(node_at(&line, cord_at_node(3)), 3);
    CHECK_INT(edge_at(&line, cord_at_start()), 0);
    CHECK_INT(edge_at(&line, cord_at_end()), 3);
    CHECK_INT(edge_at(&line, cord_at_edge(2)), 2);
    cord_world_destroy(line.world);
}

TEST(an_arc_length_means_the_nearest_node_and_the_edge_it_lies_on)
{
    Line line = line_of(false);
    static const struct {
        double arc;
        int node, edge;
    } places[] = {{0.0, 0, 0}, {0.4, 0, 0}, {0.6, 1, 0}, {0.9, 1, 0}, {1.1, 1, 1}, {1.9, 1, 1},
                  {2.1, 2, 1}, {2.9, 2, 1}, {3.1, 2, 2}, {4.4, 2, 2}, {4.6, 3, 2}, {5.9, 3, 2},
                  {6.1, 3, 3}, {7.9, 3, 3}, {8.1, 4, 3}, {10.0, 4, 3}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CHECK_INT(node_at(&line, cord_at_arc(places[i].arc)), places[i].node);
        CHECK_INT(edge_at(&line, cord_at_arc(places[i].arc)), places[i].edge);
    }
    cord_world_destroy(line.world);
}

TEST(the_end_of_a_ring_is_its_start)
{
    Line line = line_of(true);
    CHECK_INT(node_at(&line, cord_at_end()), 0);
    CHECK_INT(node_at(&line, cord_at_arc(3.9)), 0); // nearer to the first node, across the seam
    CHECK_INT(edge_at(&line, cord_at_end()), 3);
    CHECK_INT(edge_at(&line, cord_at_arc(3.9)), 3);
    cord_world_destroy(line.world);
}

TEST(places_off_the_rod_or_of_the_wrong_kind_are_refused)
{
    Line line = line_of(false);
    CHECK_INT(node_at(&line, cord_at_node(5)), -1);
    CHECK_CONTAINS(message.text, "no node 5; the rod has nodes 0 to 4");
    CHECK_INT(node_at(&line, cord_at_node(-1)), -1);
    CHECK_INT(edge_at(&line, cord_at_edge(4)), -1);
    CHECK_CONTAINS(message.text, "no edge 4");
    CHECK_INT(node_at(&line, cord_at_edge(1)), -1);
    CHECK_CONTAINS(message.text, "acts on a node");
    CHECK_INT(edge_at(&line, cord_at_node(1)), -1);
    CHECK_CONTAINS(message.text, "acts on an edge");
    CHECK_INT(node_at(&line, cord_at_arc(10.1)), -1);
    CHECK_CONTAINS(message.text, "10 m long");
    CHECK_INT(edge_at(&line, cord_at_arc(-0.1)), -1);
    CHECK_INT(node_at(&line, cord_at_arc(NAN)), -1);
    CHECK(node_at(&line, cord_at_arc(10.0 * (1 + 1e-12))) == 4); // a sum of lengths may be off by round-off
    cord_world_destroy(line.world);
}

// ---- what a clamp takes hold of

static Clamp* clamp_of(CordWorld* world, CordClampId id)
{
    return slots_get(&world->clamps, id.slot, id.generation);
}

TEST(a_clamp_holds_a_node_or_the_middle_of_an_edge)
{
    Line line = line_of(false);
    Clamp* node = clamp_of(line.world, hold(line.world, line.id, cord_at_node(1), CORD_FIX_POSITION));
    CHECK_INT(node->node_count, 1);
    CHECK_VEC3(node->point, ((CordVec3){1, 0, 0}), 0.0);
    Clamp* edge = clamp_of(line.world, hold(line.world, line.id, cord_at_edge(2), CORD_FIX_FRAME));
    CHECK_INT(edge->node_count, 2);
    CHECK_VEC3(edge->point, ((CordVec3){4.5, 0, 0}), 0.0);
    CHECK_VEC3(edge->offset[0], ((CordVec3){-1.5, 0, 0}), 0.0);
    CHECK_VEC3(edge->offset[1], ((CordVec3){1.5, 0, 0}), 0.0);
    CHECK_NEAR(edge->m1.x, 0.0, 0.0);
    CHECK_NEAR(vec3_length(edge->m1), 1.0, 1e-15);
    cord_world_destroy(line.world);
}

TEST(a_half_edge_is_held_at_the_rods_end)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    def.half_edge_start = def.half_edge_end = true;
    CordRodId rod = add_rod(world, &def);
    const Clamp* start = clamp_of(world, hold(world, rod, cord_at_start(), CORD_FIX_FRAME));
    const Clamp* end = clamp_of(world, hold(world, rod, cord_at_end(), CORD_FIX_DIRECTION));
    CHECK_VEC3(start->point, ((CordVec3){0, 0, 0}), 0.0);
    CHECK_VEC3(end->point, ((CordVec3){1, 0, 0}), 0.0);
    cord_world_destroy(world);
}

TEST(held_nodes_have_no_inverse_mass_and_those_that_slide_have)
{
    Line line = line_of(false);
    hold(line.world, line.id, cord_at_edge(0), CORD_FIX_DIRECTION);
    CordClampDef slide = clamp_def(line.id, cord_at_end(), CORD_FIX_POSITION);
    slide.slides = true, slide.axis = (CordVec3){0, 0, 2};
    add_clamp(line.world, &slide);
    CHECK_OK(world_prepare(line.world));
    const Rod* rod = world_rod(line.world, line.id);
    const double expected[] = {0, 0, 1 / (RODS_MASS * 2.5), 1 / (RODS_MASS * 3.5), 1 / (RODS_MASS * 2.0)};
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(rod->line.w[i], expected[i], 1e-14);
    }
    CordVec3 seen = clamp_filter(rod, 4, (CordVec3){1, 2, 3});
    CHECK_VEC3(seen, ((CordVec3){0, 0, 3 * expected[4]}), 1e-14);
    CHECK_VEC3(clamp_filter(rod, 0, (CordVec3){1, 2, 3}), ((CordVec3){0, 0, 0}), 0.0);
    CHECK_VEC3(clamp_filter(rod, 2, (CordVec3){1, 0, 0}), ((CordVec3){expected[2], 0, 0}), 1e-14);
    cord_world_destroy(line.world);
}

// ---- where it goes

TEST(clamped_nodes_are_where_the_motion_says_after_every_step)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = line_def(11);
    CordRodId rod = add_rod(world, &def);
    CordMotion motions[] = {cord_motion_rotate((CordVec3){0, 0, 1}, CORD_PI, 0.0, 0.1),
                            cord_motion_translate((CordVec3){0, 1, 0}, 0.05, 0.1)};
    motions[0].ease = CORD_EASE_SMOOTH;
    CordClampDef clamp = clamp_def(rod, cord_at_start(), CORD_FIX_FRAME);
    clamp.motions = motions, clamp.motion_count = 2;
    add_clamp(world, &clamp);
    motions[0] = cord_motion_translate((CordVec3){9, 9, 9}, 0.0, 1.0); // the def was copied
    for (int i = 1; i <= 100; i++) {
        run(world, 1e-3, 1);
        double t = cord_world_time(world), s = t / 0.1, turn = CORD_PI * s * s * s * (10 - s * (15 - 6 * s));
        double rise = t > 0.05 ? (t - 0.05) / 0.05 : 0.0;
        CordVec3 x[11], middle = {0.05, fmin(rise, 1.0), 0};
        CHECK_OK(cord_rod_positions(world, rod, x));
        CordVec3 arm = {0.05 * cos(turn), 0.05 * sin(turn), 0};
        CHECK_VEC3(x[0], vec3_sub(middle, arm), 1e-12); // x + h (target - x) / h
        CHECK_VEC3(x[1], vec3_add(middle, arm), 1e-12);
    }
    cord_world_destroy(world);
}

// A step that fails in its second half has turned frames in the first.
TEST(a_step_that_is_rolled_back_has_turned_nothing)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    CordRodId id = add_rod(world, &def);
    CordClampId clamp = hold(world, id, cord_at_start(), CORD_FIX_FRAME);
    double turn[64];
    run(world, 1e-3, 1);
    CHECK_OK(cord_clamp_move(world, clamp, (CordVec3){0, 0, 0}, cord_quat_about((CordVec3){1, 0, 0}, 3.0)));
    Rod* rod = world_rod(world, id);
    for (int i = 0; i < 2; i++) {
        clamps_begin_step(rod, 0.0, 1.0);
        CHECK_NEAR(clamp_turn(rod->clamps[0], CLAMP_NOW, 1.0), 3.0, 1e-14);
        clamps_turn_frames(rod, CLAMP_NOW, 0.75, false, turn);
        clamps_rollback(rod);
    }
    cord_world_destroy(world);
}

TEST(keyframes_are_copied_with_the_def)
{
    CordWorld* world = new_weightless_world();
    CordRodDef def = line_def(11);
    CordRodId rod = add_rod(world, &def);
    CordKeyframe keys[] = {{0.0, {0, 0, 0}, {0, 0, 0, 1}}, {0.01, {0, 0, 0.001}, {0, 0, 0, 1}}};
    CordMotion motion = cord_motion_keyframes(keys, 2);
    CordClampDef clamp = clamp_def(rod, cord_at_start(), CORD_FIX_POSITION);
    clamp.motions = &motion, clamp.motion_count = 1;
    add_clamp(world, &clamp);
    keys[1].offset.z = 99.0;
    run(world, 1e-3, 20);
    CordVec3 x[11];
    CHECK_OK(cord_rod_positions(world, rod, x));
    CHECK_VEC3(x[0], ((CordVec3){0, 0, 0.001}), 1e-15);
    cord_world_destroy(world);
}

// ---- what is refused

static void refused(CordClampDef def, CordWorld* world, const char* part)
{
    CordClampId id;
    CHECK_RESULT(cord_clamp_create(world, &def, &id), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), part);
    CHECK_INT(id.slot, 0);
}

TEST(clamps_that_make_no_sense_are_refused)
{
    Line line = line_of(false);
    CordClampDef good = clamp_def(line.id, cord_at_start(), CORD_FIX_FRAME), bad = good;
    bad.slides = true;
    refused(bad, line.world, "axis");
    bad.axis = (CordVec3){NAN, 0, 0};
    refused(bad, line.world, "axis");
    bad = good, bad.fix = CORD_FIX_DIRECTION, bad.has_torque = true;
    refused(bad, line.world, "torque acts on a clamp of the frame");
    bad = good, bad.has_torque = true, bad.torque = INFINITY;
    refused(bad, line.world, "torque must be finite");
    bad = good, bad.at = cord_at_edge(1), bad.has_torque = true, bad.torque = 1.0;
    refused(bad, line.world, "at an end of an open rod");
    bad = good, bad.release = NAN;
    refused(bad, line.world, "lets go");
    CordMotion motion = cord_motion_translate((CordVec3){NAN, 0, 0}, 0, 1);
    bad = good, bad.motions = &motion, bad.motion_count = 1;
    refused(bad, line.world, "finite");
    bad.motions = NULL;
    refused(bad, line.world, "motions");
    bad.motion_count = -1;
    refused(bad, line.world, "motions");
    bad = good, bad.at = cord_at_node(1);
    refused(bad, line.world, "acts on an edge");
    CHECK_INT(cord_world_clamp_count(line.world), 0);
    cord_world_destroy(line.world);
}

TEST(a_node_is_held_by_one_clamp_at_a_time)
{
    Line line = line_of(false);
    CordClampId first = hold(line.world, line.id, cord_at_edge(1), CORD_FIX_FRAME);
    refused(clamp_def(line.id, cord_at_node(2), CORD_FIX_POSITION), line.world, "node 2");
    refused(clamp_def(line.id, cord_at_edge(2), CORD_FIX_DIRECTION), line.world, "held by another clamp");
    hold(line.world, line.id, cord_at_edge(3), CORD_FIX_DIRECTION);
    CHECK_OK(cord_clamp_destroy(line.world, first));
    hold(line.world, line.id, cord_at_node(2), CORD_FIX_POSITION);
    cord_world_destroy(line.world);
}

// ---- rods whose length is fixed, between clamps

typedef struct Span {
    CordWorld* world;
    Rod* rod;
    CordClampId first, second;
} Span;

// A ring or a bow of 1 m in 20 edges, held at two nodes that are `apart` edges from each other.
static Span span_of(bool closed, CordIntegrator integrator, int from, int apart)
{
    Span s = {.world = new_weightless_world()};
    CordRodDef def = closed ? ring_def(20) : line_def(21);
    def.shape = closed ? cord_shape_circle((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, 20)
                       : cord_shape_helix((CordVec3){0, 0, 0}, (CordVec3){0, 0, 1}, 0.2, 0.1, 0.5, 21);
    def.inextensible = true, def.integrator = integrator;
    CordRodId id = add_rod(s.world, &def);
    s.rod = world_rod(s.world, id);
    s.first = hold(s.world, id, cord_at_node(from), CORD_FIX_POSITION);
    s.second = hold(s.world, id, cord_at_node((from + apart) % (closed ? 20 : 21)), CORD_FIX_POSITION);
    return s;
}

// in a straight line from the first, to this share of the rod between
static double slack_when_moved(const Span* s, double share)
{
    const CordCenterline* c = &s->rod->line;
    int a = s->rod->clamps[0]->node[0], b = s->rod->clamps[1]->node[0];
    double length = 0.0;
    for (int j = a; j != b; j = edge_end(c, j)) {
        length += edge_rest_len(c, j);
    }
    CordVec3 from = node_position(c, a), to = node_position(c, b), way = vec3_unit(vec3_sub(to, from));
    CordVec3 there = vec3_madd(from, way, share * length);
    CHECK_OK(cord_clamp_move(s->world, s->second, vec3_sub(there, to), quat_identity()));
    return clamps_gap(s->rod, 0.0).slack;
}

TEST(the_slack_between_clamps_is_what_the_rod_has_more)
{
    CordClampId pair[2];
    for (int closed = 0; closed < 2; closed++) {
        Span s = span_of(closed, CORD_INTEGRATOR_VERLET, closed ? 17 : 3, 6); // across the seam
        CHECK_NEAR(slack_when_moved(&s, 0.9), 0.1, 1e-12);
        CHECK(!cord_world_overreach(s.world, 0.0, pair));
        CHECK_NEAR(slack_when_moved(&s, 1.0), 0.0, 1e-12);
        CHECK(clamps_are_within_reach(s.rod, 0.0, &message));
        CHECK_NEAR(slack_when_moved(&s, 1.1), -0.1, 1e-12);
        CHECK(!clamps_are_within_reach(s.rod, 0.0, &message));
        CHECK_CONTAINS(message.text, closed ? "nodes 17 and 3" : "nodes 3 and 9");
        CHECK_CONTAINS(message.text, "farther apart than");
        CHECK(cord_world_overreach(s.world, 0.0, pair));
        CHECK(pair[0].slot + pair[1].slot == s.first.slot + s.second.slot);
        cord_world_destroy(s.world);
    }
}

// The ends of one edge are where its length puts them, neither nearer nor farther: a step, too, says if they
// are not.
TEST(two_clamps_on_one_edge_must_agree_with_its_length)
{
    for (int farther = 0; farther < 2; farther++) {
        for (int integrator = 0; integrator < 4; integrator++) {
            Span s = span_of(false, (CordIntegrator)integrator, 3, 1);
            run(s.world, 1e-4, 1);
            CHECK(s.rod->held_twice);
            uint64_t before = cord_world_state_hash(s.world);
            CHECK(isinf(slack_when_moved(&s, 1.0)));
            CHECK_NEAR(slack_when_moved(&s, farther ? 1.1 : 0.9), -0.1, 1e-12);
            CHECK_RESULT(cord_world_step(s.world, 1e-4), CORD_NOT_CONVERGED);
            CHECK_CONTAINS(cord_world_message(s.world), farther ? "farther apart than" : "nearer than");
            slack_when_moved(&s, 1.0);
            CHECK_OK(cord_clamp_move(s.world, s.second, (CordVec3){0, 0, 0}, quat_identity()));
            CHECK(cord_world_state_hash(s.world) == before);
            run(s.world, 1e-4, 1);
            cord_world_destroy(s.world);
        }
    }
}

TEST(an_extensible_rod_is_never_too_short)
{
    Span s = span_of(false, CORD_INTEGRATOR_VERLET, 3, 6);
    s.rod->inextensible = false;
    CHECK(isinf(slack_when_moved(&s, 2.0)));
    cord_world_destroy(s.world);
}

TEST_GROUP(rod_clamp)
