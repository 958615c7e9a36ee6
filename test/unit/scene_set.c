// Settings: --set path=value.
#include "scene_text.h"

#include "scene/scene.h"

static void check_set(const char* settings, const char* expected)
{
    CHECK_NOTES_SET(
        SCENE_WITH("'materials': {'soft': {'young': 1e6, 'density': 1000}}, 'time': {'end': 2}, ", ""),
        settings, expected);
}

TEST(values_of_every_kind_are_set)
{
    CordScene* s = made_set(
        SCENE,
        "rods[0].elements=200\ntime.end=2.5\ntime.fps=24\ntitle=A rope, \"hung\"\ngravity=[0, 0, -1.62]\n"
        "rods[0].inextensible=true\nrods[0].material={\"like\": \"steel\", \"young\": 1e11}");
    CHECK_INT(s->rods[0].def.shape.node_count, 201);
    CHECK_NEAR(s->run.end, 2.5, 0.0);
    CHECK_NEAR(s->run.fps, 24.0, 0.0);
    CHECK_STR(s->run.title, "A rope, \"hung\"");
    CHECK_NEAR(s->gravity.z, -1.62, 0.0);
    CHECK(s->rods[0].def.inextensible);
    CHECK_NEAR(s->rods[0].def.material.young, 1e11, 0.0);
    CHECK_NEAR(s->rods[0].def.material.density, 7850.0, 0.0);
}

TEST(names_reach_entries_and_members)
{
    CordScene* s = made_set(SCENE_WITH("'materials': {'a=b.c': {'young': 1e6, 'density': 1000}}, ", ""),
                            "rods[rope].elements=7\nmaterials[a=b.c].young=2e6\nrods[rope].material=a=b.c");
    CHECK_INT(s->rods[0].def.shape.node_count, 8);
    CHECK_NEAR(s->rods[0].def.material.young, 2e6, 0.0);
}

TEST(a_star_reaches_all_and_each_has_its_own)
{
    CordScene* s =
        made_set(SCENE, "rods[1]={}\nrods[1].shape={\"line\": {\"from\": [0, 0, 1], \"to\": [1, 0, 1]}}\n"
                        "rods[*].section={\"disc\": {\"radius\": 0.02}}\nrods[*].material=steel\n"
                        "rods[*].elements=20\nrods[1].section.disc.radius=0.03");
    CHECK_INT(s->rod_count, 2);
    CHECK_INT(s->rods[1].def.shape.node_count, 21);
    CHECK_NEAR(s->rods[0].def.section.radius, 0.02, 0.0);
    CHECK_NEAR(s->rods[1].def.section.radius, 0.03, 0.0);
}

TEST(missing_members_are_made)
{
    CordScene* s =
        made_set(SCENE, "camera.fov=90\nclamps[0].at=start\nclamps[0].fix=frame\nclamps[1].at.node="
                        "10\nmaterials.rubber.young=3e6");
    CHECK_NEAR(s->camera.field_of_view, 1.5707963267948966, 0.0);
    CHECK_INT(s->clamp_count, 2);
    CHECK_INT(s->clamps[0].def.fix, CORD_FIX_FRAME);
    CHECK_INT(s->clamps[1].def.at.index, 10);
    CHECK_NEAR(s->rods[0].def.material.young, 3e6, 0.0);
    CHECK_NEAR(s->rods[0].def.material.density, 950.0, 0.0); // the rest of rubber is as it comes
}

TEST(the_last_setting_counts)
{
    CordScene* s = made_set(SCENE, "time.end=1\ntime.end=2");
    CHECK_NEAR(s->run.end, 2.0, 0.0);
    CHECK_INT(cord_scene_setting_count(s), 2);
    CHECK_STR(cord_scene_setting(s, 1), "time.end=2");
    CHECK(cord_scene_setting(s, 2) == NULL);
}

TEST(the_text_keeps_what_was_read)
{
    CordScene* s = made_set(SCENE, "time.end=1");
    size_t size;
    const char* text = cord_scene_text(s, &size);
    CHECK_INT(size, strlen(SCENE));
    CHECK(strstr(text, "time") == NULL);
}

TEST(notes_on_a_set_value_name_the_setting)
{
    check_set("rods[0].elements=0",
              "0:0: error: --set rods[0].elements=0: rods[0].elements is 0; elements are the pieces a "
              "rod is cut into and must be at least 1\n");
    check_set("rods[0].elemnts=5",
              "0:0: error: --set rods[0].elemnts=5: rods[0].elemnts is not a key of a rod; did you mean "
              "\"elements\"?\n");
    check_set("rod[0].elements=5",
              "0:0: error: --set rod[0].elements=5: rod is not a key of a scene; did you mean \"rods\"?\n");
    check_set("rods[0].model=finite", "0:0: error: --set rods[0].model=finite: rods[0].model is \"finite\"; "
                                      "a model is \"der\", \"corde\", \"pbd\" or "
                                      "\"modal\"\n");
    check_set("rods[0].pbd.substeps=0",
              "0:0: error: --set rods[0].pbd.substeps=0: rods[0].pbd.substeps is 0; substeps are "
              "the parts that a step is taken in and must be at least 1\n");
    check_set("time.end=2e", "0:0: error: --set time.end=2e: an exponent needs digits, such as 1e-3\n");
}

TEST(a_wrong_path_names_its_wrong_part)
{
    check_set("rods[3].elements=5",
              "0:0: error: --set rods[3].elements=5: rods has 1 entry; the index is 0, or 1 to add one\n");
    check_set("rods[99999999999999999999].x=5", "0:0: error: --set rods[99999999999999999999].x=5: rods has "
                                                "1 entry; the index is 0, or 1 to add one\n");
    check_set("rods[ripe].elements=5",
              "0:0: error: --set rods[ripe].elements=5: rods has no entry with the name \"ripe\"; did you "
              "mean \"rope\"?\n");
    check_set(
        "rods.elements=5",
        "0:0: error: --set rods.elements=5: rods is a list; write rods[0].elements, or rods[*].elements "
        "for all its entries\n");
    check_set("time.end.x=5",
              "0:0: error: --set time.end.x=5: time.end is a number, so there is no \"x\" in it\n");
    check_set("rods[0].material.young=5", "0:0: error: --set rods[0].material.young=5: rods[0].material is "
                                          "text, so there is no \"young\" in it\n");
    check_set("cordage[0]=5",
              "0:0: error: --set cordage[0]=5: cordage is a number, so there is no \"0\" in it\n");
    check_set("clamps[*].fix=frame",
              "0:0: error: --set clamps[*].fix=frame: clamps is empty, so [*] is nothing\n");
    check_set(
        "clamps[1].fix=frame",
        "0:0: error: --set clamps[1].fix=frame: clamps is empty; the index is 0, which adds an entry\n");
}

TEST(an_index_beyond_several_entries_says_which_there_are)
{
    CHECK_NOTES_SET(SCENE_WITH("'clamps': [{'at': 'start'}, {'at': 'end'}], ", ""), "clamps[7].fix=frame",
                    "0:0: error: --set clamps[7].fix=frame: clamps has 2 entries; the index is 0 to 1, or 2 "
                    "to add one\n");
}

TEST(too_many_settings_are_refused)
{
    enum { COUNT = 70000 };
    const char** list = malloc(COUNT * sizeof *list);
    for (int i = 0; i < COUNT; i++) {
        list[i] = "time.end=1";
    }
    CordScene* scene;
    CHECK_RESULT(cord_scene_parse("{}", 2, "", list, COUNT, &scene), CORD_BAD_FILE);
    CHECK_STR(cord_scene_note(scene, 0).text, "there are more than 65534 settings");
    cord_scene_destroy(scene);
    free(list);
}

TEST(a_setting_that_is_none_says_its_form)
{
    check_set("hello", "0:0: error: --set hello: a setting has the form path=value, such as time.end=2\n");
    check_set("=5", "0:0: error: --set =5: the path is empty; it looks like rods[0].elements\n");
    check_set("time.=5",
              "0:0: error: --set time.=5: a key is missing in the path; it looks like rods[0].elements\n");
    check_set(".end=5",
              "0:0: error: --set .end=5: a key is missing in the path; it looks like rods[0].elements\n");
    check_set("rods[0.elements=5", "0:0: error: --set rods[0.elements=5: a ] is missing in the path\n");
    check_set("rods[]=5", "0:0: error: --set rods[]=5: [] is empty; write an index, a name or * in it\n");
    check_set("rods[0]elements=5",
              "0:0: error: --set rods[0]elements=5: a . is missing after the ] in the path\n");
    check_set("time.end=",
              "0:0: error: --set time.end=: there is no value after the =; an empty text is written \"\"\n");
    check_set("a\xff=1", "0:0: error: --set a?=1: a setting must be UTF-8 text\n");
    check_set("title=[1,", "0:0: error: --set title=[1,: this [ is never closed; a ] is missing\n");
    check_set("time.end=NaN",
              "0:0: error: --set time.end=NaN: NaN is not a number here; every number must be finite\n");
    check_set("time.end=1e400",
              "0:0: error: --set time.end=1e400: this number is too large; the largest is about 1.8e308\n");
}

TEST(a_path_is_limited_in_depth)
{
    char path[400] = "a";
    for (int i = 0; i < 64; i++) {
        strcat(path, ".a");
    }
    strcat(path, "=1");
    SceneText s = scene_text(SCENE, path);
    CHECK_INT(s.result, CORD_BAD_FILE);
    CHECK_CONTAINS(cord_scene_note(s.scene, 0).text, "...: the path has more than 64 parts");
}

TEST(wrong_settings_do_not_hide_what_else_is_wrong)
{
    CHECK_NOTES_SET(SCENE_WITH("'titel': 1, ", ""), "x\ny",
                    "0:0: error: --set x: a setting has the form path=value, such as time.end=2\n"
                    "0:0: error: --set y: a setting has the form path=value, such as time.end=2\n"
                    "1:16: error: titel is not a key of a scene; did you mean \"title\"?\n");
}

TEST_GROUP(scene_set)
