// Scenes that are right: every key arrives where it should.
#include "scene_text.h"

#include "scene/scene.h"

static const double pi = 3.14159265358979323846;

#define DISC "'section': {'disc': {'radius': 0.01}}, "
#define SOLID(keys) ROD(SOLID_ROD keys)

static const CordRodDef* rod_of(const CordScene* s)
{
    CHECK(s->rod_count > 0);
    return &s->rods[0].def;
}

TEST(what_is_left_out_has_its_default)
{
    CordScene* s = made(SCENE);
    CordRodDef def = cord_rod_def_default();
    CHECK_STR(s->run.title, "");
    CHECK_NEAR(s->run.step, 0.0, 0.0);
    CHECK_NEAR(s->run.end, 5.0, 0.0);
    CHECK_NEAR(s->run.fps, 60.0, 0.0);
    CHECK_VEC3(s->gravity, ((CordVec3){0, 0, -9.81}), 0.0);
    CHECK_INT(rod_of(s)->model, def.model);
    CHECK_INT(rod_of(s)->integrator, def.integrator);
    CHECK_INT(rod_of(s)->rest, CORD_REST_AS_SHAPED);
    CHECK(!rod_of(s)->inextensible && !rod_of(s)->closed && !rod_of(s)->half_edge_start);
    CHECK(isnan(rod_of(s)->stiffness.EI1) && isnan(rod_of(s)->stiffness.mass_per_length));
    CHECK(isnan(s->camera.eye.x) && isnan(s->camera.field_of_view) && !s->camera.has_ground);
}

TEST(the_scene_s_own_keys_are_read)
{
    CordScene* s = made(SCENE_WITH(
        "'$schema': 'scene.schema.json', 'title': 'Caf\xc3\xa9', 'gravity': [1, 2, 3],"
        "'time': {'step': 1e-4, 'end': 0, 'fps': 0.5}, 'camera': {'from': [1, 0, 0], 'target': [0, 0, "
        "1], 'up': [0, 1, 0], 'fov': 180e-1, 'radius_scale': 3, 'ground': -2}, ",
        ""));
    CHECK_STR(cord_scene_run(s)->title, "Caf\xc3\xa9");
    CHECK_VEC3(s->gravity, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_NEAR(cord_scene_run(s)->step, 1e-4, 0.0);
    CHECK_NEAR(cord_scene_run(s)->end, 0.0, 0.0);
    CHECK_NEAR(cord_scene_run(s)->fps, 0.5, 0.0);
    const CordSceneCamera* camera = cord_scene_camera(s);
    CHECK_VEC3(camera->eye, ((CordVec3){1, 0, 0}), 0.0);
    CHECK_VEC3(camera->target, ((CordVec3){0, 0, 1}), 0.0);
    CHECK_VEC3(camera->up, ((CordVec3){0, 1, 0}), 0.0);
    CHECK_NEAR(camera->field_of_view, pi / 10.0, 1e-16); // one rounding
    CHECK_NEAR(camera->radius_scale, 3.0, 0.0);
    CHECK(camera->has_ground && camera->ground);
    CHECK_NEAR(camera->ground_height, -2.0, 0.0);
}

TEST(materials_are_found_by_name_and_start_from_what_ships)
{
    CordScene* s = made(
        "{'cordage': 1, 'materials': {'mine': {'young': 1e8, 'density': 900, 'poisson': 0.5, 'friction': 0,"
        " 'bend_modulus': 1, 'twist_modulus': 2, 'stretch_modulus': 3}, 'steel': {'young': 2e11},"
        " 'odd': {'bend_modulus': 5, 'twist_modulus': 6, 'stretch_modulus': 7, 'density': 8}},"
        "'rods': [{'material': 'mine', " DISC LINE "},"
        "{'material': 'steel', " DISC LINE "},"
        "{'material': {'like': 'nylon_rope', 'density': 500}, " DISC LINE "},"
        "{'material': 'odd', " DISC LINE "}]}");
    const CordMaterial *mine = &s->rods[0].def.material, *steel = &s->rods[1].def.material,
                       *rope = &s->rods[2].def.material;
    CHECK_NEAR(mine->young, 1e8, 0.0);
    CHECK_NEAR(mine->poisson, 0.5, 0.0);
    CHECK_NEAR(mine->friction, 0.0, 0.0);
    CHECK_NEAR(mine->bend_modulus, 1.0, 0.0);
    CHECK_NEAR(mine->twist_modulus, 2.0, 0.0);
    CHECK_NEAR(mine->stretch_modulus, 3.0, 0.0);
    CHECK_NEAR(steel->young, 2e11, 0.0);
    CHECK_NEAR(steel->density, 7850.0, 0.0);
    CHECK_NEAR(rope->density, 500.0, 0.0);
    CHECK_STR(s->rods[2].def.name, "rod3");
    CHECK_NEAR(rope->bend_modulus, 17e6, 0.0);
    CHECK_NEAR(s->rods[3].def.material.young, 7.0, 0.0); // three moduli stand in for young
}

static CordSection section_of(const char* section)
{
    CordScene* s =
        made_from("{'cordage': 1, 'rods': [{'material': 'rubber', 'section': %s, " LINE "}]}", section);
    CordSection made_section = rod_of(s)->section;
    return made_section;
}

static void check_section(CordSection a, CordSection b)
{
    CHECK_NEAR(a.area, b.area, 0.0);
    CHECK_NEAR(a.I1, b.I1, 0.0);
    CHECK_NEAR(a.I2, b.I2, 0.0);
    CHECK_NEAR(a.J, b.J, 0.0);
    CHECK_NEAR(a.radius, b.radius, 0.0);
}

TEST(sections_of_every_kind_are_read)
{
    check_section(section_of("{'disc': {'radius': 0.02}}"), cord_section_disc(0.02));
    check_section(section_of("{'tube': {'outer_radius': 0.02, 'inner_radius': 0.01}}"),
                  cord_section_tube(0.02, 0.01));
    check_section(section_of("{'ellipse': {'half1': 0.02, 'half2': 0.01}}"),
                  cord_section_ellipse(0.02, 0.01));
    check_section(section_of("{'rectangle': {'width1': 0.02, 'width2': 0.01}}"),
                  cord_section_rectangle(0.02, 0.01));
    check_section(section_of("{'h': {'height': 0.3, 'width': 0.2, 'web': 0.01, 'flange': 0.02}}"),
                  cord_section_h(0.3, 0.2, 0.01, 0.02));
    check_section(section_of("{'explicit': {'area': 1, 'I1': 2, 'I2': 3, 'J': 4, 'radius': 5}}"),
                  (CordSection){.area = 1, .I1 = 2, .I2 = 3, .J = 4, .radius = 5});
}

TEST(stiffness_can_stand_for_material_and_section)
{
    CordScene* s = made(
        "{'cordage': 1, 'rods': [{'stiffness': {'bend': [1, 2], 'twist': 3, 'stretch': 4, 'mass_per_length': "
        "5}, " LINE
        "}, {'inextensible': true, 'stiffness': {'bend': 0, 'twist': 0, 'mass_per_length': 5}, " LINE "}]}");
    const CordStiffness* a = &s->rods[0].def.stiffness;
    CHECK_NEAR(a->EI1, 1.0, 0.0);
    CHECK_NEAR(a->EI2, 2.0, 0.0);
    CHECK_NEAR(a->GJ, 3.0, 0.0);
    CHECK_NEAR(a->EA, 4.0, 0.0);
    CHECK_NEAR(a->mass_per_length, 5.0, 0.0);
    CHECK_NEAR(s->rods[1].def.stiffness.EI1, 0.0, 0.0);
    CHECK_NEAR(s->rods[1].def.stiffness.EI2, 0.0, 0.0);
    CHECK(isnan(s->rods[1].def.stiffness.EA));
}

TEST(a_rod_s_own_keys_are_read)
{
    CordScene* s =
        made(SOLID("'model': 'der', 'integrator': 'symplectic_euler', 'inextensible': true,"
                   "'length_method': 'fast_projection', 'twist': {'turns': -0.5}, 'velocity': [1, 2, 3],"
                   "'spin': [0, 5, 6], 'rest': 'straight', " LINE));
    const CordRodDef* d = rod_of(s);
    CHECK_STR(d->name, "rope");
    CHECK_INT(d->integrator, CORD_INTEGRATOR_SYMPLECTIC_EULER);
    CHECK(d->inextensible);
    CHECK_INT(d->length_method, CORD_LENGTH_FAST_PROJECTION);
    CHECK_NEAR(d->twist, -pi, 0.0);
    CHECK_VEC3(d->velocity, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_VEC3(d->spin, ((CordVec3){0, 5, 6}), 0.0);
    CHECK_INT(d->rest, CORD_REST_STRAIGHT);
    s = made(SOLID("'twist': {'degrees': 90}, " LINE));
    CHECK_NEAR(rod_of(s)->twist, pi / 2.0, 0.0);
    s = made(SOLID("'twist': {'angle': 7}, " LINE));
    CHECK_NEAR(rod_of(s)->twist, 7.0, 0.0);
}

TEST(every_integrator_has_its_name)
{
    const struct {
        const char* name;
        CordIntegrator integrator;
    } cases[] = {
        {"verlet", CORD_INTEGRATOR_VERLET},
        {"symplectic_euler", CORD_INTEGRATOR_SYMPLECTIC_EULER},
        {"implicit", CORD_INTEGRATOR_MIDPOINT},
        {"backward_euler", CORD_INTEGRATOR_BACKWARD_EULER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CordScene* s = made_from(SOLID("'integrator': '%s', " LINE), cases[i].name);
        CHECK_INT(rod_of(s)->integrator, cases[i].integrator);
    }
}

TEST(damping_is_read_as_time_or_ratio)
{
    CordScene* s = made(SOLID("'damping': {'time': 0.25}, " LINE));
    CHECK_NEAR(rod_of(s)->damping_time, 0.25, 0.0);
    s = made(SOLID("'damping': {'ratio': 0.1, 'frequency': 4}, " LINE));
    CHECK_NEAR(rod_of(s)->damping_time, 0.1 / (4.0 * pi), 1e-17); // ratio = pi frequency time
    s = made("{'cordage': 1, 'materials': {'mud': {'young': 1e6, 'density': 1000, 'viscosity': 70}},"
             "'rods': [{'material': 'mud', " DISC LINE "}]}");
    CHECK_NEAR(rod_of(s)->material.viscosity, 70.0, 0.0);
    s = made(SOLID(LINE));
    CHECK_NEAR(rod_of(s)->material.viscosity, 0.0, 0.0); // of rubber, as it ships
}

TEST(twist_at_rest_and_its_inertia_are_read)
{
    CordScene* s = made(SOLID("'rest_twist': {'turns': 2}, 'dynamic_twist': true, 'frame': [0, 0, 3], "
                              "'rest_frame': [0, 1, 0], " LINE));
    CHECK_NEAR(rod_of(s)->rest_twist, 4.0 * pi, 0.0);
    CHECK(rod_of(s)->dynamic_twist);
    CHECK_VEC3(rod_of(s)->m1, ((CordVec3){0, 0, 3}), 0.0);
    CHECK_VEC3(rod_of(s)->rest_m1, ((CordVec3){0, 1, 0}), 0.0);
}

static void check_shape(const char* keys, CordShape expected, bool closed)
{
    const CordRodDef* def = rod_of(made_from(SOLID("%s"), keys));
    const CordShape* shape = &def->shape;
    CHECK_INT(def->closed, closed);
    CHECK_INT(shape->kind, expected.kind);
    CHECK_INT(shape->node_count, expected.node_count);
    CHECK_VEC3(shape->p, expected.p, 0.0);
    CHECK_VEC3(shape->q, expected.q, 0.0);
    CHECK_VEC3(shape->axis1, expected.axis1, 0.0);
    CHECK_VEC3(shape->axis2, expected.axis2, 0.0);
    CHECK_NEAR(shape->a, expected.a, 0.0);
    CHECK_NEAR(shape->b, expected.b, 0.0);
    CHECK_NEAR(shape->turns, expected.turns, 0.0);
    CHECK_NEAR(shape->angle_from, expected.angle_from, 0.0);
    CHECK_NEAR(shape->angle_to, expected.angle_to, 0.0);
    CHECK_INT(shape->knot_p, expected.knot_p);
    CHECK_INT(shape->knot_q, expected.knot_q);
    CHECK((shape->knot_name != NULL) == (expected.knot_name != NULL));
    CHECK(!shape->knot_name || strcmp(shape->knot_name, expected.knot_name) == 0);
    CHECK_INT(shape->knot_strand, expected.knot_strand);
    CHECK_INT(shape->knot_mirrored, expected.knot_mirrored);
    CHECK_INT(shape->point_count, expected.point_count);
    for (int i = 0; i < expected.point_count; i++) {
        CHECK_VEC3(shape->points[i], expected.points[i], 0.0);
    }
}

#define POINTS "{'points': [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}"

TEST(lines_and_points_become_shapes)
{
    static const CordVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    check_shape("'shape': {'line': {'from': [1, 2, 3], 'to': [4, 5, 6]}}, 'elements': 5",
                cord_shape_line((CordVec3){1, 2, 3}, (CordVec3){4, 5, 6}, 6), false);
    check_shape("'shape': {'polyline': " POINTS "}", cord_shape_points(points, 3), false); // points are nodes
    // a ring has as many nodes as elements
    check_shape("'shape': {'polyline': " POINTS "}, 'elements': 7, 'closed': true",
                cord_shape_polyline(points, 3, 7), true);
    check_shape("'shape': {'spline': " POINTS "}, 'elements': 7", cord_shape_spline(points, 3, 8), false);
}

TEST(round_shapes_close_by_themselves_and_arcs_do_not)
{
    const CordVec3 origin = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    CordShape circle = cord_shape_circle(x, (CordVec3){0, 0, 2}, 3, 8);
    circle.axis1 = (CordVec3){4, 4, 0};  // along start, without what it has along the normal
    circle.axis2 = (CordVec3){-2, 2, 0}; // a quarter turn on, right-handed about the normal
    check_shape("'shape': {'circle': {'center': [1, 0, 0], 'normal': [0, 0, 2], 'radius': 3, "
                "'start': [1, 1, 1]}}, 'elements': 8",
                circle, true);
    CordShape arc = cord_shape_ellipse(origin, x, y, 3, 2, 9);
    arc.angle_from = -pi / 2.0, arc.angle_to = pi / 2.0;
    check_shape("'shape': {'ellipse': {'half1': 3, 'half2': 2, 'degrees': [-90, 90]}}, 'elements': 8", arc,
                false);
    CordShape helix = cord_shape_helix(z, x, 0.2, 0.1, -5, 101);
    helix.axis2 = y;
    check_shape("'shape': {'helix': {'center': [0, 0, 1], 'axis': [1, 0, 0], 'start': [0, 1, 0], "
                "'radius': 0.2, 'pitch': 0.1, 'turns': -5}}, 'elements': 100",
                helix, false);
    check_shape("'shape': {'torus_knot': {'p': 2, 'q': -3, 'radius': 0.2, 'tube_radius': 0.1}}, "
                "'elements': 100",
                cord_shape_torus_knot(origin, z, 2, -3, 0.2, 0.1, 100), true);
}

TEST(knots_are_read)
{
    CordShape knot = cord_shape_knot("prusik", 1, (CordVec3){0, 0, 1}, 2, 0.1, 100);
    knot.axis1 = (CordVec3){0, 1, 0}, knot.axis2 = (CordVec3){0, 0, 1};
    knot.knot_mirrored = true;
    check_shape("'shape': {'knot': {'name': 'prusik', 'strand': 1, 'size': 2, 'tails': 0.1, "
                "'center': [0, 0, 1], 'axis1': [0, 1, 0], 'axis2': [0, 0, 1], 'mirrored': true}}, "
                "'elements': 100",
                knot, true);
}

// Room for ropes of the rod's radius, or of the one that is given, and of 1.3 times as much.
TEST(a_knot_without_a_size_has_room_for_its_rope)
{
    CordScene* s = made(SOLID("'shape': {'knot': {'name': 'overhand'}}, 'elements': 100"));
    double radius = rod_of(s)->section.radius, size = rod_of(s)->shape.a;
    CHECK_NEAR(cord_knot_clearance("overhand", size) / radius, 1.3, 1e-14);
    CHECK_NEAR(rod_of(s)->shape.b, size, 0.0);
    s = made(SOLID("'shape': {'knot': {'name': 'overhand', 'radius': 0.5}}, 'elements': 100"));
    CHECK_NEAR(cord_knot_clearance("overhand", rod_of(s)->shape.a) / 0.5, 1.3, 1e-14);
}

TEST(a_rest_shape_has_the_rod_s_nodes)
{
    CordScene* s = made(SOLID("'rest': {'line': {'from': [0, 0, 0], 'to': [2, 0, 0]}}, " LINE));
    CHECK_INT(rod_of(s)->rest, CORD_REST_SHAPE);
    CHECK_INT(rod_of(s)->rest_shape.node_count, 5);
    s = made(SOLID("'rest': {'polyline': {'points': [[0, 0, 0], [1, 0, 0], [2, 1, 0]]}}, "
                   "'shape': {'polyline': {'points': [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}}"));
    CHECK_INT(rod_of(s)->rest_shape.kind, CORD_SHAPE_POINTS); // as many as nodes: node by node
}

TEST(clamps_are_read)
{
    CordScene* s = made(SCENE_WITH("'clamps': [{'rod': 'rope', 'at': 'start', 'fix': 'frame', 'torque': 0.5, "
                                   "'free_along': [1, 0, 0], 'release': 2},"
                                   "{'at': {'node': 5}}, {'at': {'edge': 8}, 'fix': 'frame'}], ",
                                   ""));
    const CordClampDef *a = &s->clamps[0].def, *b = &s->clamps[1].def, *c = &s->clamps[2].def;
    CHECK_INT(s->clamps[0].rod, 0);
    CHECK_INT(a->fix, CORD_FIX_FRAME);
    CHECK(a->has_torque && a->slides);
    CHECK_NEAR(a->torque, 0.5, 0.0);
    CHECK_VEC3(a->axis, ((CordVec3){1, 0, 0}), 0.0);
    CHECK_NEAR(a->release, 2.0, 0.0);
    CHECK_INT(s->clamps[1].rod, 0); // the only rod
    CHECK_INT(b->fix, CORD_FIX_POSITION);
    CHECK_INT(b->at.kind, CORD_AT_NODE);
    CHECK_INT(b->at.index, 5);
    CHECK(isinf(b->release) && !b->slides && !b->has_torque);
    CHECK_INT(c->at.kind, CORD_AT_EDGE);
    CHECK_INT(c->at.index, 8);
}

TEST(a_clamped_direction_at_an_end_makes_half_an_edge_there)
{
    const struct {
        const char* clamps;
        bool start, end;
    } cases[] = {
        {"{'at': 'start', 'fix': 'frame'}", true, false},
        {"{'at': 'end', 'fix': 'direction'}", false, true},
        {"{'at': 'start', 'fix': 'direction'}, {'at': 'end', 'fix': 'frame'}", true, true},
        {"{'at': 'start', 'fix': 'position'}", false, false},
        {"{'at': {'edge': 0}, 'fix': 'frame'}", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CordScene* s = made_from(SCENE_WITH("'clamps': [%s], ", ""), cases[i].clamps);
        CHECK_INT(rod_of(s)->half_edge_start, cases[i].start);
        CHECK_INT(rod_of(s)->half_edge_end, cases[i].end);
    }
    CordScene* s =
        made(SOLID("'shape': {'polyline': {'points': [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]}}"
                   "}], 'clamps': [{'at': 'start', 'fix': 'frame'"));
    CHECK(!rod_of(s)->half_edge_start); // points that are nodes stay as they are
}

TEST(motions_are_read)
{
    CordScene* s =
        made(SCENE_WITH("'clamps': [{'at': 'start', 'fix': 'frame', 'motion': ["
                        "{'translate': {'by': [1, 2, 3]}, 'from': 1, 'to': 2, 'ease': 'smooth'},"
                        "{'rotate': {'axis': [0, 0, 1], 'turns': 3}, 'to': 2},"
                        "{'rotate': {'axis': [0, 0, 1], 'degrees': 90, 'center': [4, 5, 6]}, 'to': 2},"
                        "{'oscillate': {'amplitude': [0, 0, 0.1], 'frequency': 2, 'phase': 0.5}, 'from': 1},"
                        "{'keyframes': [{'time': 0}, {'time': 1, 'offset': [1, 0, 0], 'rotate': {'axis': [0, "
                        "0, 2], 'degrees': 90}},"
                        "{'time': 2, 'rotate': {'axis': [0, 0, 1], 'turns': 0.7}}]}]}], ",
                        ""));
    CHECK_INT(s->clamps[0].def.motion_count, 5);
    const CordMotion* m = s->clamps[0].def.motions;
    CHECK_INT(m[0].kind, CORD_MOTION_TRANSLATE);
    CHECK_VEC3(m[0].vector, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_NEAR(m[0].from, 1.0, 0.0);
    CHECK_NEAR(m[0].to, 2.0, 0.0);
    CHECK_INT(m[0].ease, CORD_EASE_SMOOTH);
    CHECK_INT(m[1].kind, CORD_MOTION_ROTATE);
    CHECK_NEAR(m[1].angle, 6.0 * pi, 0.0);
    CHECK(m[1].center_is_clamp && !m[2].center_is_clamp);
    CHECK_NEAR(m[2].angle, pi / 2.0, 0.0);
    CHECK_VEC3(m[2].center, ((CordVec3){4, 5, 6}), 0.0);
    CHECK_INT(m[3].kind, CORD_MOTION_OSCILLATE);
    CHECK_NEAR(m[3].frequency, 2.0, 0.0);
    CHECK_NEAR(m[3].phase, 0.5, 0.0);
    CHECK(isinf(m[3].to));
    CHECK_INT(m[4].kind, CORD_MOTION_KEYFRAMES);
    CHECK_INT(m[4].key_count, 3);
    CHECK_VEC3(m[4].keys[1].offset, ((CordVec3){1, 0, 0}), 0.0);
    CHECK_NEAR(m[4].keys[0].rotation.w, 1.0, 0.0);
    CHECK_NEAR(m[4].keys[1].rotation.z, sqrt(0.5), 1e-15); // sin 45 degrees, to rounding
    CHECK_NEAR(m[4].keys[1].rotation.w, sqrt(0.5), 1e-15);
}

TEST(loads_and_probes_are_read)
{
    CordScene* s = made(SCENE_WITH(
        "'loads': [{'force': {'at': 'end', 'force': [1, 2, 3], 'from': 1, 'to': 2}}, {'drag': {'along': 4, "
        "'across': 5}},"
        "{'drag': {'rod': 'rope', 'across': 6}}, {'force': {'at': 'end', 'force': [0, 0, 1], 'ramp': 0.5}}],"
        "'probes': [{'name': 'tip', 'rod': 'rope', 'at': {'arc': 0.5}, 'measure': 'tension'}, {'measure': "
        "'writhe'}], ",
        ""));
    CHECK_INT(s->load_count, 4);
    CHECK_INT(s->loads[0].def.kind, CORD_LOAD_FORCE);
    CHECK_INT(s->loads[0].rod, 0);
    CHECK_VEC3(s->loads[0].def.force, ((CordVec3){1, 2, 3}), 0.0);
    CHECK_NEAR(s->loads[0].def.from, 1.0, 0.0);
    CHECK_NEAR(s->loads[0].def.to, 2.0, 0.0);
    CHECK_INT(s->loads[1].def.kind, CORD_LOAD_DRAG);
    CHECK_INT(s->loads[1].rod, -1); // every rod
    CHECK_NEAR(s->loads[1].def.along, 4.0, 0.0);
    CHECK_NEAR(s->loads[1].def.across, 5.0, 0.0);
    CHECK_INT(s->loads[2].rod, 0);
    CHECK_NEAR(s->loads[0].def.ramp, 0.0, 0.0);
    CHECK_NEAR(s->loads[3].def.ramp, 0.5, 0.0);
    CHECK_NEAR(s->loads[3].def.from, 0.0, 0.0); // what grows begins to when the run does
    CHECK_INT(s->probe_count, 2);
    CHECK_STR(s->probes[0].def.name, "tip");
    CHECK_INT(s->probes[0].def.measure, CORD_MEASURE_TENSION);
    CHECK_INT(s->probes[0].def.at.kind, CORD_AT_ARC);
    CHECK_NEAR(s->probes[0].def.at.arc, 0.5, 0.0);
    CHECK_STR(s->probes[1].def.name, "probe2");
    CHECK_INT(s->probes[1].def.measure, CORD_MEASURE_WRITHE);
}

static void check_wind(CordWind a, CordWind b)
{
    CHECK_VEC3(a.velocity, b.velocity, 0.0);
    CHECK_NEAR(a.gust, b.gust, 0.0);
    CHECK_NEAR(a.period, b.period, 0.0);
    CHECK_NEAR(a.vortex, b.vortex, 0.0);
    CHECK_NEAR(a.spacing, b.spacing, 0.0);
}

#define WIND "'velocity': [1, 2, 3], 'gust': 4, 'period': 5, 'vortex': 6, 'spacing': 7"

TEST(wind_is_a_load_of_its_own_or_part_of_a_drag)
{
    CordScene* s = made(SCENE_WITH(
        "'loads': [{'wind': {" WIND ", 'rod': 'rope', 'along': 8, 'across': 9, 'from': 1, 'to': 2}},"
        "{'drag': {'across': 10, 'wind': {" WIND "}}}, {'drag': {'across': 11}}], ",
        ""));
    const CordWind wind = {{1, 2, 3}, 4, 5, 6, 7};
    CHECK_INT(s->loads[0].def.kind, CORD_LOAD_DRAG);
    CHECK_INT(s->loads[0].rod, 0);
    CHECK(!s->loads[0].is_air);
    CHECK_NEAR(s->loads[0].def.along, 8.0, 0.0);
    CHECK_NEAR(s->loads[0].def.across, 9.0, 0.0);
    CHECK_NEAR(s->loads[0].def.from, 1.0, 0.0);
    CHECK_NEAR(s->loads[0].def.to, 2.0, 0.0);
    check_wind(s->loads[0].def.wind, wind);
    check_wind(s->loads[1].def.wind, wind);
    check_wind(s->loads[2].def.wind, (CordWind){{0, 0, 0}, 0, 0, 0, 0});
}

TEST(wind_without_drag_is_the_air_for_drags_that_have_none)
{
    CordScene* s = made(SCENE_WITH("'loads': [{'drag': {'across': 1}}, {'wind': {" WIND "}},"
                                   "{'drag': {'along': 2, 'wind': {'velocity': [9, 0, 0]}}}, {'force': "
                                   "{'at': 'end', 'force': [0, 0, 1]}}], ",
                                   ""));
    check_wind(s->loads[0].def.wind, (CordWind){{1, 2, 3}, 4, 5, 6, 7});
    CHECK(s->loads[1].is_air);
    check_wind(s->loads[2].def.wind, (CordWind){{9, 0, 0}, 0, 0, 0, 0});
    check_wind(s->loads[3].def.wind, (CordWind){{0, 0, 0}, 0, 0, 0, 0});
}

TEST(parts_may_come_in_any_order)
{
    CordScene* s =
        made("{'probes': [{'at': 'end', 'measure': 'position'}], 'clamps': [{'at': 'start', 'fix': 'frame'}],"
             "'rods': [{'material': 'mine', " DISC LINE "}],"
             "'materials': {'mine': {'young': 1e6, 'density': 1}}, 'cordage': 1}");
    CHECK_NEAR(rod_of(s)->material.density, 1.0, 0.0);
    CHECK(rod_of(s)->half_edge_start);
}

TEST_GROUP(scene_read)
