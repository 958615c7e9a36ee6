// From a scene to a world.
#include "scene_text.h"

TEST(everything_in_the_scene_is_in_the_world_in_its_order)
{
    CordScene* s = made("{'cordage': 1, 'gravity': [0, 0, -2], 'rods': [{'name': 'a', " SOLID_ROD LINE "},"
                        "{'name': 'b', " SOLID_ROD
                        "'shape': {'line': {'from': [0, 1, 0], 'to': [0, 1, 2]}}, 'elements': 20}],"
                        "'clamps': [{'rod': 'b', 'at': 'start', 'fix': 'frame'}, {'rod': 'a', 'at': 'end'}],"
                        "'loads': [{'drag': {'across': 1}}],"
                        "'probes': [{'name': 'p', 'rod': 'b', 'at': 'end', 'measure': 'position'},"
                        "{'name': 'q', 'rod': 'a', 'measure': 'energy'}]}");
    CordWorld* world = built(s);
    CHECK_NEAR(cord_world_gravity(world).z, -2.0, 0.0);
    CHECK_INT(cord_world_rod_count(world), 2);
    CHECK_STR(cord_rod_name(world, cord_world_rod(world, 0)), "a");
    CHECK_STR(cord_rod_name(world, cord_world_rod(world, 1)), "b");
    CHECK_INT(cord_rod_node_count(world, cord_world_rod(world, 1)), 21);
    CHECK_NEAR(cord_rod_length(world, cord_world_rod(world, 1)), 2.0, 1e-12); // a sum of twenty roundings
    CHECK_INT(cord_world_clamp_count(world), 2);
    CHECK_INT(cord_world_probe_count(world), 2);
    CHECK_STR(cord_probe_name(world, cord_world_probe(world, 0)), "p");
    CHECK_INT(cord_probe_measure(world, cord_world_probe(world, 1)), CORD_MEASURE_ENERGY);
    double tip[CORD_PROBE_MOST];
    CHECK_OK(cord_probe_read(world, cord_world_probe(world, 0), tip));
    CHECK_NEAR(tip[2], 2.0, 1e-12);
}

TEST(things_are_found_in_the_file_again)
{
    CordScene* s = made("{'cordage': 1, 'rods': [{'name': 'a', " SOLID_ROD LINE "},\n"
                        "  {'name': 'b', " SOLID_ROD LINE "}],\n"
                        "'clamps': [{'rod': 'a', 'at': 'start'},   {'rod': 'b', 'at': 'end'}],\n\n"
                        " 'bodies': [{'name': 'bob', 'shape': {'sphere': {'radius': 0.1}}, 'mass': 1, "
                        "'position': [0, 0, 0]}]}");
    int line, column;
    CHECK(cord_scene_place(s, CORD_SCENE_ROD, 1, &line, &column));
    CHECK(line == 2 && column == 3);
    CHECK(cord_scene_place(s, CORD_SCENE_CLAMP, 1, &line, &column));
    CHECK(line == 3 && column == 43);
    CHECK(cord_scene_place(s, CORD_SCENE_BODY, 0, &line, &column));
    CHECK(line == 5 && column == 13);
    CHECK(!cord_scene_place(s, CORD_SCENE_ROD, 2, &line, &column) && line == 0 && column == 0);
    CHECK(!cord_scene_place(s, CORD_SCENE_BODY, -1, &line, &column));
    CHECK(!cord_scene_place(s, (CordSceneThing)7, 0, &line, &column));
}

TEST(all_refusals_are_noted)
{
    CordScene* s = made(ROD(SOLID_ROD LINE "}],\n 'clamps': [{'at': {'arc': 7}},\n  {'at': {'arc': 8}"));
    for (int i = 0; i < 2; i++) { // a second build does not note everything twice
        CordWorld* world;
        CHECK(cord_scene_build(s, NULL, &world) != CORD_OK);
        CHECK(world == NULL);
        CHECK_INT(cord_scene_note_count(s), 2);
        CHECK_INT(cord_scene_note(s, 0).line, 3);
        CHECK_INT(cord_scene_note(s, 1).line, 4);
    }
}

TEST(a_scene_builds_again_to_the_same_state)
{
    CordScene* s = made(SCENE);
    uint64_t hash = cord_world_state_hash(built(s));
    CHECK(cord_world_state_hash(built(s)) == hash);
}

// A sideways turn of a quarter about z, by keyframes, is where a clamp is taken.
TEST(keyframes_turn_a_clamp_as_they_say)
{
    CordScene* s =
        made("{'cordage': 1, 'gravity': [0, 0, 0], 'rods': [{" SOLID_ROD LINE
             "}],'clamps': [{'at': 'start', 'fix':"
             "'frame', 'motion': [{'keyframes': [{'time': 0}, {'time': 0.01, 'offset': [0, 0, 0.01],"
             "'rotate': {'axis': [0, 0, 1], 'degrees': 10}}]}]}]}");
    CordWorld* world = built(s);
    CHECK_OK(cord_world_step_many(world, 1e-4, 110));
    CordVec3 x[5];
    CHECK_OK(cord_rod_positions(world, cord_world_rod(world, 0), x));
    double length = 1.0 / 3.5 / 2.0; // the first of four edges is half as long
    double angle = 10.0 * 3.14159265358979323846 / 180.0;
    CHECK_VEC3(x[0], ((CordVec3){0, 0, 0.01}), 1e-12);
    CHECK_VEC3(x[1], ((CordVec3){length * cos(angle), length * sin(angle), 0.01}), 1e-12);
}

TEST(what_drives_a_scene_is_named_if_it_is_there)
{
    const char* text =
        "{'cordage': 1, 'rods': [{" SOLID_ROD LINE "}], 'clamps': [{'at': 'start', 'fix': 'frame'}]}";
    CHECK(cord_scene_driver(made(text)) == NULL);
    CHECK_STR(cord_scene_driver(scene_text(text, "loads=[{\"drag\": {\"across\": 1}}]").scene), "a load");
    CHECK_STR(
        cord_scene_driver(
            scene_text(text, "clamps[0].motion=[{\"translate\": {\"by\": [0, 0, 1]}, \"to\": 1}]").scene),
        "a clamp's motion");
    CHECK_STR(cord_scene_driver(scene_text(text, "obstacles=[{\"plane\": {\"offset\": -1}, \"motion\": "
                                                 "[{\"translate\": {\"by\": [0, 0, 1]}, \"to\": 1}]}]")
                                    .scene),
              "an obstacle's motion");
}

TEST_GROUP(scene_build)
