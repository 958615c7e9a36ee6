// Obstacles and contact in scenes: every shape, every setting, every mistake.
#include "scene_text.h"

#include "scene/scene.h"

static CordVec3 turned(CordQuat q, CordVec3 a)
{
    CordVec3 u = {q.x, q.y, q.z};
    CordVec3 c = {2 * (u.y * a.z - u.z * a.y), 2 * (u.z * a.x - u.x * a.z), 2 * (u.x * a.y - u.y * a.x)};
    return (CordVec3){a.x + q.w * c.x + u.y * c.z - u.z * c.y, a.y + q.w * c.y + u.z * c.x - u.x * c.z,
                      a.z + q.w * c.z + u.x * c.y - u.y * c.x};
}

static void check_axis(const CordObstacleDef* def, CordVec3 axis)
{
    double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    CordVec3 unit = {axis.x / length, axis.y / length, axis.z / length};
    CHECK_VEC3(turned(def->rotation, (CordVec3){0, 0, 1}), unit, 1e-15); // rounding of a few products
}

// ---- shapes

TEST(planes_have_an_offset_or_go_through_a_point)
{
    CordScene* s =
        made(SCENE_WITH("'obstacles': [{'plane': {}}, {'plane': {'normal': [0, 3, 4], 'offset': 2}}, "
                        "{'plane': {'normal': [0, 0, -2], 'through': [1, 2, 3]}}], ",
                        ""));
    CHECK_INT(s->obstacle_count, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(s->obstacles[i].def.solid.shape, CORD_SOLID_PLANE);
    }
    CHECK_VEC3(s->obstacles[0].def.position, ((CordVec3){0, 0, 0}), 0.0);
    check_axis(&s->obstacles[0].def, (CordVec3){0, 0, 1});
    CHECK_VEC3(s->obstacles[1].def.position, ((CordVec3){0, 1.2, 1.6}), 1e-15);
    check_axis(&s->obstacles[1].def, (CordVec3){0, 3, 4});
    CHECK_VEC3(s->obstacles[2].def.position, ((CordVec3){1, 2, 3}), 0.0);
    check_axis(&s->obstacles[2].def, (CordVec3){0, 0, -1});
}

TEST(directions_of_every_size_and_sense_are_found)
{
    static const CordVec3 all[] = {{1, 0, 0},      {0, 1, 0},           {0, -1, 0},      {1, 1, 1},
                                   {-1, 2, -3},    {1e-9, 0, -1},       {0, 1e-160, -1}, {1e-5, 1e-5, 1},
                                   {1e-300, 0, 0}, {0, 1e-200, 1e-200}, {1e9, -1e9, 1e9}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CordScene* s =
            made_from(SCENE_WITH("'obstacles': [{'plane': {'normal': [%.17g, %.17g, %.17g]}}], ", ""),
                      all[i].x, all[i].y, all[i].z);
        CordVec3 a = all[i];
        double most = fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
        check_axis(&s->obstacles[0].def, (CordVec3){a.x / most, a.y / most, a.z / most});
        CordQuat q = s->obstacles[0].def.rotation;
        CHECK_NEAR(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-15);
    }
}

TEST(spheres_boxes_and_tori_have_a_centre)
{
    CordScene* s = made(SCENE_WITH(
        "'obstacles': [{'sphere': {'radius': 0.2}}, {'sphere': {'center': [1, 2, 3], 'radius': 0.2}}, "
        "{'box': {'size': [1, 2, 3]}}, "
        "{'box': {'center': [1, 2, 3], 'size': [1, 2, 3], 'rotate': {'axis': [0, 0, 1], 'degrees': "
        "90}}}, "
        "{'torus': {'radius': 0.5, 'tube': 0.1}}, "
        "{'torus': {'center': [1, 2, 3], 'axis': [1, 0, 1], 'radius': 0.5, 'tube': 0.1}}], ",
        ""));
    const CordSolidShape shapes[3] = {CORD_SOLID_SPHERE, CORD_SOLID_BOX, CORD_SOLID_TORUS};
    const CordVec3 sizes[3] = {{0.2, 0, 0}, {1, 2, 3}, {0.5, 0.1, 0}};
    CHECK_INT(s->obstacle_count, 6);
    for (int i = 0; i < 6; i++) {
        const CordObstacleDef* def = &s->obstacles[i].def;
        CHECK_INT(def->solid.shape, shapes[i / 2]);
        CHECK_VEC3(def->solid.size, sizes[i / 2], 0.0);
        CHECK_VEC3(def->position, (i % 2 ? (CordVec3){1, 2, 3} : (CordVec3){0, 0, 0}), 0.0);
    }
    CHECK_VEC3(turned(s->obstacles[3].def.rotation, (CordVec3){1, 0, 0}), ((CordVec3){0, 1, 0}), 1e-15);
    check_axis(&s->obstacles[4].def, (CordVec3){0, 0, 1});
    check_axis(&s->obstacles[5].def, (CordVec3){1, 0, 1});
}

TEST(what_has_an_axis_goes_from_a_point_to_another)
{
    CordScene* s =
        made(SCENE_WITH("'obstacles': [{'cylinder': {'from': [1, 0, 0], 'to': [1, 0, 4], 'radius': 0.2}}, "
                        "{'capsule': {'from': [0, 0, 0], 'to': [0, -3, 4], 'radius': 0.2}}, "
                        "{'tube': {'from': [0, 0, 1], 'to': [0, 0, -1], 'inner': 0.1, 'outer': 0.3}}, "
                        "{'cone': {'from': [1, 2, 0], 'to': [1, 2, 4], 'radius': 0.5}}], ",
                        ""));
    const CordObstacleDef *a = &s->obstacles[0].def, *b = &s->obstacles[1].def, *c = &s->obstacles[2].def;
    CHECK_INT(a->solid.shape, CORD_SOLID_CYLINDER);
    CHECK_VEC3(a->solid.size, ((CordVec3){0.2, 0, 4}), 0.0);
    CHECK_VEC3(a->position, ((CordVec3){1, 0, 2}), 0.0);
    check_axis(a, (CordVec3){0, 0, 1});
    CHECK_INT(b->solid.shape, CORD_SOLID_CAPSULE);
    CHECK_VEC3(b->solid.size, ((CordVec3){0.2, 0, 5}), 1e-15);
    CHECK_VEC3(b->position, ((CordVec3){0, -1.5, 2}), 0.0);
    check_axis(b, (CordVec3){0, -3, 4});
    CHECK_INT(c->solid.shape, CORD_SOLID_TUBE);
    CHECK_VEC3(c->solid.size, ((CordVec3){0.3, 0.1, 2}), 0.0);
    check_axis(c, (CordVec3){0, 0, -1});
    CHECK_INT(s->obstacles[3].def.solid.shape, CORD_SOLID_CONE);
    CHECK_VEC3(s->obstacles[3].def.solid.size, ((CordVec3){0.5, 0, 4}), 0.0);
    CHECK_VEC3(s->obstacles[3].def.position, ((CordVec3){1, 2, 1}), 0.0); // its centre of mass
}

TEST(obstacles_have_names)
{
    CordScene* s = made(SCENE_WITH("'obstacles': [{'plane': {}}, {'name': 'floor', 'plane': {}}], ", ""));
    CHECK_STR(s->obstacles[0].def.name, "obstacle1");
    CHECK_STR(s->obstacles[1].def.name, "floor");
}

TEST(obstacles_move_as_clamps_do)
{
    CordScene* s = made(SCENE_WITH(
        "'obstacles': [{'plane': {}, 'motion': [{'translate': {'by': [0, 0, 1]}, 'from': 1, 'to': 2}, "
        "{'keyframes': [{'time': 0, 'offset': [1, 0, 0]}]}]}], ",
        "")); // keyframes need not begin at rest
    const CordObstacleDef* def = &s->obstacles[0].def;
    CHECK_INT(def->motion_count, 2);
    CHECK_INT(def->motions[0].kind, CORD_MOTION_TRANSLATE);
    CHECK_NEAR(def->motions[0].to, 2.0, 0.0);
    CHECK_INT(def->motions[1].key_count, 1);
}

TEST(more_obstacles_than_are_kept_are_told)
{
    char* text = malloc(200000);
    size_t size = (size_t)sprintf(
        text, "{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, "
              "'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 10}],\n"
              "'obstacles': [");
    for (int i = 0; i <= 10000; i++) {
        size += (size_t)sprintf(text + size, "{'plane':{}},");
    }
    sprintf(text + size, "]}");
    CHECK_NOTES(text, "2:14: error: obstacles is a list of 10001; it may have at most 10000 entries\n");
    free(text);
}

// ---- meshes

TEST(a_mesh_comes_from_its_file)
{
    static const char tetrahedron[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    SceneText s = scene_text_with(
        SCENE_WITH("'obstacles': [{'mesh': {'file': 'a.obj', 'scale': 0.5, 'position': [0, 0, 3], "
                   "'rotate': {'axis': [0, 0, 1], 'turns': 0.25}}}], ",
                   ""),
        NULL, &(SceneTextFile){tetrahedron, sizeof tetrahedron - 1});
    CHECK_NOTED(s.scene, "");
    const CordObstacleDef* def = &s.scene->obstacles[0].def;
    CHECK_INT(def->solid.shape, CORD_SOLID_MESH);
    CHECK_INT(def->solid.mesh.vertex_count, 4);
    CHECK_INT(def->solid.mesh.triangle_count, 4);
    CHECK_VEC3(def->solid.mesh.vertices[3], ((CordVec3){0, 0, 0.5}), 0.0);
    CHECK_INT(def->solid.mesh.triangles[1], 2);
    CHECK_VEC3(def->position, ((CordVec3){0, 0, 3}), 0.0);
    CHECK_NEAR(def->rotation.z, sqrt(0.5), 1e-15);
    CordFrame frame;
    CHECK_OK(cord_world_frame(built(s.scene), &frame));
    CHECK_INT(frame.obstacles[0].solid.mesh.triangle_count, 4);
    CHECK_NEAR(frame.obstacles[0].position.z, 3.0, 0.0);
}

TEST(a_probe_names_its_obstacle)
{
    CordWorld* world = built(made(SCENE_WITH("'obstacles': [{'name': 'floor', 'plane': {}}], "
                                             "'probes': [{'obstacle': 'floor', 'measure': 'force'}],\n",
                                             "")));
    CHECK(cord_probe_measure(world, cord_world_probe(world, 0)) == CORD_MEASURE_FORCE);
}

// ---- surfaces

TEST(kinetic_friction_and_stretches_are_read)
{
    CordScene* s = made(
        "{'cordage': 1, 'materials': {'mine': {'like': 'nylon', 'friction': 0.4, 'friction_kinetic': 0.3, "
        "'friction_backward': 2, 'restitution': 0.2, 'rolling_friction': 1e-3, 'spinning_friction': 2e-3}},"
        "'rods': [{'material': 'mine', 'section': {'disc': {'radius': 0.01}},"
        " 'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 10, 'dynamic_twist': true,"
        " 'stretches': [{'from': 0.1, 'to': 0.25, 'material': 'rubber'}]}],"
        "'obstacles': [{'plane': {'offset': -1}, 'material': 'mine'},"
        "{'plane': {'offset': -1}, 'material': 'mine', 'friction': 0.8},"
        "{'plane': {'offset': -1}, 'friction': 0.8, 'friction_kinetic': 0.7, 'restitution': 0.9, "
        "'rolling_friction': 5e-3}, {'plane': {'offset': -1}, 'stiffness': 2e4, 'damping': 3}],"
        "'contact': {'stick_speed': 0.02, 'impact_speed': 0.3,"
        " 'pairs': [{'materials': ['rubber', 'mine'], 'friction': 0.9, 'friction_kinetic': 0.8, "
        "'spinning_friction': 3e-3}]}}");
    const CordRodDef* def = &s->rods[0].def;
    CHECK_NEAR(def->material.friction_kinetic, 0.3, 0.0);
    CHECK_NEAR(def->material.friction_backward, 2.0, 0.0);
    CHECK_INT(def->stretch_count, 1);
    CHECK_NEAR(def->stretches[0].to, 0.25, 0.0);
    CHECK_INT(def->stretches[0].surface, s->contact.pairs[0].surface[0]);
    CHECK_NEAR(s->obstacles[0].def.friction_kinetic, 0.3, 0.0);
    CHECK(isnan(s->obstacles[1].def.friction_kinetic)); // the material's is not for a friction of its own
    CHECK_NEAR(s->obstacles[2].def.friction_kinetic, 0.7, 0.0);
    CHECK_NEAR(s->contact.pairs[0].friction_kinetic, 0.8, 0.0);
    CHECK_NEAR(s->contact.stick_speed, 0.02, 0.0);
    CHECK_NEAR(s->contact.impact_speed, 0.3, 0.0);
    CHECK_NEAR(def->material.restitution, 0.2, 0.0);
    CHECK_NEAR(s->obstacles[1].def.restitution, 0.2, 0.0);
    CHECK_NEAR(s->obstacles[2].def.restitution, 0.9, 0.0);
    CHECK_NEAR(s->obstacles[3].def.stiffness, 2e4, 0.0);
    CHECK_NEAR(s->obstacles[3].def.damping, 3.0, 0.0);
    CHECK(isinf(s->obstacles[0].def.stiffness));
    CHECK(isnan(s->contact.pairs[0].restitution));
    CHECK_NEAR(def->material.rolling_friction, 1e-3, 0.0);
    CHECK_NEAR(s->obstacles[0].def.rolling_friction, 1e-3, 0.0);
    CHECK_NEAR(s->obstacles[0].def.spinning_friction, 2e-3, 0.0);
    CHECK_NEAR(s->obstacles[2].def.rolling_friction, 5e-3, 0.0);
    CHECK_NEAR(s->obstacles[2].def.spinning_friction, 0.0, 0.0);
    CHECK(isnan(s->contact.pairs[0].rolling_friction));
    CHECK_NEAR(s->contact.pairs[0].spinning_friction, 3e-3, 0.0);
    CordWorld* world = built(s);
    CHECK_INT(cord_world_rod_count(world), 1);
}

TEST(materials_give_friction_and_surface)
{
    CordScene* s =
        made("{'cordage': 1, 'gravity': [0, 0, 0],"
             "'materials': {'mine': {'like': 'nylon', 'friction': 0.4, 'friction_across': 2}, 'brass': {}},"
             "'rods': [{'material': 'mine', 'section': {'disc': {'radius': 0.01}},"
             " 'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 10},"
             "{'material': {'like': 'nylon'}, 'section': {'disc': {'radius': 0.01}},"
             " 'shape': {'line': {'from': [0, 1, 0], 'to': [1, 1, 0]}}, 'elements': 10, 'contact': false},"
             "{'material': {'like': 'nylon'}, 'section': {'disc': {'radius': 0.01}},"
             " 'shape': {'line': {'from': [0, 2, 0], 'to': [1, 2, 0]}}, 'elements': 10}],"
             "'bodies': [{'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, 'position': [0, 0, 1], "
             "'material': 'mine'},"
             "{'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, 'position': [0, 0, 2], 'friction': 0.9, "
             "'contact': false}],"
             "'obstacles': [{'plane': {'offset': -1}, 'material': 'mine', 'friction': 0.8},"
             "{'plane': {'offset': -1}, 'material': 'nylon'}, {'plane': {'offset': -1}, 'material': 'brass'},"
             "{'plane': {'offset': -1}}]}");
    CHECK_NEAR(s->rods[0].def.material.friction_across, 2.0, 0.0);
    CHECK_NEAR(s->bodies[0].def.friction, 0.4, 0.0);
    CHECK_NEAR(s->bodies[1].def.friction, 0.9, 0.0);
    CHECK_NEAR(s->obstacles[0].def.friction, 0.8, 0.0); // its own before the material's
    CHECK_NEAR(s->obstacles[1].def.friction, 0.2, 0.0); // nylon's
    CHECK_NEAR(s->obstacles[3].def.friction, 0.3, 0.0);
    CHECK(!s->rods[0].def.intangible && s->rods[1].def.intangible);
    CHECK(!s->bodies[0].def.intangible && s->bodies[1].def.intangible);
    const int mine = s->rods[0].def.surface, one = s->rods[1].def.surface, other = s->rods[2].def.surface;
    const int nylon = s->obstacles[1].def.surface, brass = s->obstacles[2].def.surface;
    CHECK_INT(s->bodies[0].def.surface, mine);
    CHECK_INT(s->obstacles[0].def.surface, mine);
    CHECK_INT(s->bodies[1].def.surface, 0);
    CHECK_INT(s->obstacles[3].def.surface, 0);
    const int all[5] = {mine, one, other, nylon, brass};
    for (int i = 0; i < 5; i++) {
        CHECK(all[i] > 0);
        for (int k = 0; k < i; k++) {
            CHECK(all[i] != all[k]);
        }
    }
}

// ---- contact

TEST(contact_is_on_with_obstacles_or_when_it_is_asked_for)
{
    static const struct {
        const char* keys;
        bool on;
    } all[] = {
        {"", false},
        {"'contact': false, ", false},
        {"'contact': true, ", true},
        {"'contact': {}, ", true},
        {"'obstacles': [], ", true},
        {"'obstacles': [{'plane': {'offset': -1}}], ", true},
        {"'obstacles': [{'plane': {'offset': -1}}], 'contact': {'gap': 0.1}, ", true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CordScene* s = made_from(SCENE_WITH("%s", ""), all[i].keys);
        CHECK_INT(cord_scene_contact(s)->on, all[i].on);
    }
    SceneText s = scene_text(SCENE_WITH("'obstacles': [{'plane': {}}], 'contact': false, ", ""), NULL);
    CHECK(!cord_scene_contact(s.scene)->on);
}

TEST(every_setting_of_contact_arrives)
{
    CordScene* s = made(SCENE_WITH(
        "'contact': {'friction': 0.25, 'pairs': [{'materials': ['rubber', 'rubber'], 'friction': 0.7}], "
        "'gap': 0.5, 'response': 'zones', 'tolerance': 0.1, 'iterations': 7, 'watch_topology': true}, ",
        ""));
    const CordContactDef* def = cord_scene_contact(s);
    CHECK_NEAR(def->friction, 0.25, 0.0);
    CHECK_INT(def->pair_count, 1);
    CHECK_INT(def->pairs[0].surface[0], s->rods[0].def.surface);
    CHECK_INT(def->pairs[0].surface[1], s->rods[0].def.surface);
    CHECK_NEAR(def->pairs[0].friction, 0.7, 0.0);
    CHECK_NEAR(def->gap, 0.5, 0.0);
    CHECK_INT(def->response, CORD_RESPONSE_ZONES);
    CHECK_NEAR(def->tolerance, 0.1, 0.0);
    CHECK_INT(def->iterations, 7);
    CHECK(def->watch_topology);
    s = made(SCENE_WITH("'contact': {}, ", ""));
    const CordContactDef standard = cord_contact_def_default();
    def = cord_scene_contact(s);
    CHECK(isnan(def->friction) && def->pair_count == 0 && def->response == standard.response);
    CHECK(def->gap == standard.gap && def->tolerance == standard.tolerance &&
          def->iterations == standard.iterations);
}

TEST(settings_reach_into_obstacles_and_contact)
{
    const char* text = SCENE_WITH("'obstacles': [{'name': 'floor', 'plane': {'offset': -1}}], ", "");
    CordScene* s = made_set(
        text, "obstacles[floor].plane.offset=-2\nobstacles[0].friction=0.5\ncontact.gap=0.2\n"
              "contact.pairs[0].materials=[\"rubber\",\"rubber\"]\ncontact.pairs[0].friction=0.1\n"
              "obstacles[1]={\"sphere\": {\"radius\": 0.1, \"center\": [0, 0, -3]}}\nrods[*].contact=false");
    CHECK_INT(s->obstacle_count, 2);
    CHECK_NEAR(s->obstacles[0].def.position.z, -2.0, 0.0);
    CHECK_NEAR(s->obstacles[0].def.friction, 0.5, 0.0);
    CHECK_INT(s->obstacles[1].def.solid.shape, CORD_SOLID_SPHERE);
    CHECK_NEAR(s->contact.gap, 0.2, 0.0);
    CHECK_NEAR(s->contact.pairs[0].friction, 0.1, 0.0);
    CHECK(s->rods[0].def.intangible);
    int line, column;
    CHECK(cord_scene_place(s, CORD_SCENE_OBSTACLE, 0, &line, &column));
    CHECK_INT(column, 30);
    CHECK(!cord_scene_place(s, CORD_SCENE_OBSTACLE, 1, &line, &column)); // it came with a setting
    CHECK(!cord_scene_place(s, CORD_SCENE_OBSTACLE, 2, &line, &column));
    CHECK_NOTES_SET(text, "contact=false",
                    "0:0: warning: --set contact=false: contact is false, so rods pass through the obstacles "
                    "of the scene; "
                    "leave it out to have contact\n");
}

TEST(worlds_have_the_obstacles_of_their_scene)
{
    CordScene* s = made(SCENE_WITH("'obstacles': [{'name': 'floor', 'plane': {'offset': -1}}, "
                                   "{'sphere': {'center': [0, 0, -3], 'radius': 0.1}, "
                                   "'motion': [{'translate': {'by': [0, 0, -1]}, 'to': 1}]}], ",
                                   ""));
    CordWorld* world = built(s);
    CordFrame frame;
    CHECK_INT(cord_world_obstacle_count(world), 2);
    CHECK_STR(cord_obstacle_name(world, cord_world_obstacle(world, 0)), "floor");
    CHECK_OK(cord_world_step(world, 1e-4));
    CHECK_OK(cord_world_frame(world, &frame));
    CHECK_NEAR(frame.obstacles[0].position.z, -1.0, 0.0);
    CHECK_NEAR(frame.obstacles[1].position.z, -3.0001, 1e-15); // a step of that motion
}

// ---- integrators that the scene as a whole decides

#define MIXED(scene_keys, a_keys, b_keys)                                                                    \
    "{'cordage': 1, " scene_keys "'rods': [{'name': 'a',\n" a_keys SOLID_ROD LINE                            \
    "}, {'name': 'b',\n" b_keys SOLID_ROD                                                                    \
    "'shape': {'line': {'from': [0, 1, 0], 'to': [1, 1, 0]}}, 'elements': 4}]}"
#define BALL                                                                                                 \
    "'bodies': [{'name': 'bob', 'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, 'position': [1, 0, 3]}], "
#define GHOST                                                                                                \
    "'bodies': [{'name': 'bob', 'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, 'position': [1, 0, 0], "    \
    "'contact': false}, {'name': 'bib', 'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, 'position': [1, "   \
    "1, 0], "                                                                                                \
    "'contact': false}], "
#define WELDS                                                                                                \
    "'welds': [{'rod': 'a', 'at': 'end', 'body': 'bob'}, {'rod': 'b', 'at': 'end', 'body': 'bib'}], "

// What each rod is stepped by. The scene's world must take its steps so, and its welds.
static void check_steps(const char* text, CordIntegrator a, CordIntegrator b)
{
    CordScene* s = made(text);
    CHECK_INT(cord_scene_rod(s, 0)->integrator, a);
    CHECK_INT(cord_scene_rod(s, 1)->integrator, b);
    CordWorld* world = NULL;
    CHECK_OK(cord_scene_build(s, NULL, &world));
    CHECK_OK(cord_world_step(world, 1e-6));
    cord_world_destroy(world);
}

// Only an integrator that is written is told not to be used.
TEST(explicit_rods_that_share_contacts_with_others_are_implicit)
{
    const CordIntegrator verlet = CORD_INTEGRATOR_VERLET, midpoint = CORD_INTEGRATOR_MIDPOINT,
                         euler = CORD_INTEGRATOR_BACKWARD_EULER;
    CHECK_NOTES(
        MIXED("'contact': {}, " BALL, "'integrator': 'verlet', ", ""),
        "2:15: warning: rods[0].integrator is taken to be \"implicit\": contact is on, and the rod shares "
        "its contacts with bodies, or with rods that are welded, joined or implicit; write \"implicit\" "
        "to say so, or leave it out\n");
    check_steps(MIXED("'contact': {}, " BALL, "", "'model': 'corde', "), midpoint, midpoint);
    check_steps(MIXED("'contact': {}, ", "", "'integrator': 'backward_euler', "), midpoint, euler);
    check_steps(MIXED("'contact': {}, " GHOST, "", ""), verlet, verlet);
    check_steps(MIXED(GHOST WELDS, "", ""), verlet, verlet);
    check_steps(MIXED("'contact': {}, " GHOST WELDS, "", ""), midpoint, midpoint);
}

// All rods that are welded have one integrator, in any order.
TEST(explicit_rods_that_are_welded_take_the_integrator_of_others)
{
    const CordIntegrator midpoint = CORD_INTEGRATOR_MIDPOINT, euler = CORD_INTEGRATOR_BACKWARD_EULER;
    CHECK_NOTES(
        MIXED("'contact': {}, " GHOST WELDS, "'integrator': 'symplectic_euler', ",
              "'integrator': 'backward_euler', "),
        "2:15: warning: rods[0].integrator is taken to be \"backward_euler\": contact is on, and the rod "
        "is welded or joined; write \"backward_euler\" to say so, or leave it out\n");
    check_steps(MIXED("'contact': {}, " GHOST WELDS, "'integrator': 'backward_euler', ", ""), euler, euler);
    check_steps(MIXED("'contact': {}, " GHOST WELDS, "", "'integrator': 'backward_euler', "), euler, euler);
    check_steps(MIXED("'contact': {}, " GHOST WELDS, "", "'integrator': 'implicit', "), midpoint, midpoint);
    check_steps(MIXED("'contact': {}, " GHOST WELDS, "'model': 'pbd', ", ""), euler, euler);
    check_steps(MIXED("'contact': {}, " GHOST WELDS,
                      "'inextensible': true, 'length_method': 'fast_projection', ", ""),
                midpoint, midpoint);
}

TEST(zones_and_the_printed_strain_leave_rods_explicit)
{
    static const char* const texts[] = {
        MIXED("'contact': {'response': 'zones'}, " BALL, "", ""),
        MIXED("'contact': {}, " BALL, "'model': 'corde', 'corde': {'strain': 'printed'}, ", "")};
    static const char* const parts[] = {"the response \"zones\" takes explicit rods alone",
                                        "the printed strain is for explicit steps"};
    for (int i = 0; i < 2; i++) {
        CordScene* s = made(texts[i]);
        CHECK_INT(cord_scene_rod(s, 0)->integrator, CORD_INTEGRATOR_VERLET);
        CordWorld* world = NULL;
        CHECK_OK(cord_scene_build(s, NULL, &world));
        CHECK_RESULT(cord_world_step(world, 1e-6), CORD_NOT_SUPPORTED);
        CHECK_CONTAINS(cord_world_message(world), parts[i]);
        cord_world_destroy(world);
    }
}

TEST_GROUP(scene_contact)
