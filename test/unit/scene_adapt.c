// The key adapt of a rod.
#include "scene_text.h"

#include "scene/scene.h"

#define BARE_ROD                                                                                             \
    "'stiffness': {'bend': 1, 'twist': 1, 'stretch': 1, 'mass_per_length': 1}, 'elements': 4, "              \
    "'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}"
// The rod's keys, on line 2, from column 1.
#define ROD(keys) "{'cordage': 1, 'rods': [{'name': 'rope',\n" keys ", " BARE_ROD "}]}"
#define CHECK_ADAPT(value, expected) CHECK_NOTES(ROD("'adapt': " value), "2:" expected "\n")

static CordAdaptDef adapt_of(const char* text, const char* settings)
{
    SceneText s = scene_text(text, settings);
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    CHECK_OK(s.result);
    CHECK_INT(s.scene->rod_count, 1);
    CordAdaptDef adapt = s.scene->rods[0].def.adapt;
    free(notes);
    cord_scene_destroy(s.scene);
    return adapt;
}

static void check_default(CordAdaptDef a)
{
    CHECK_NEAR(a.refine_turn, 0.6, 0.0);
    CHECK_NEAR(a.merge_turn, 0.2, 0.0);
    CHECK_INT(a.by_contact, true);
    CHECK_NEAR(a.merge_time, 0.1, 0.0);
    CHECK_NEAR(a.shortest, 0.25, 0.0);
    CHECK_NEAR(a.longest, 1.0, 0.0);
    CHECK_INT(a.placement, CORD_PLACEMENT_MINIMUM);
    CHECK_INT(a.iterations, 20);
    CHECK_NEAR(a.blend, 0.05, 0.0);
}

TEST(rods_are_adaptive_if_they_say_so)
{
    static const char* const on[] = {ROD("'adapt': {}"), ROD("'adapt': true"), ROD("'adapt': {'on': true}")};
    static const char* const off[] = {ROD("'adapt': false"), ROD("'adapt': {'on': false}")};
    for (int i = 0; i < 3; i++) {
        CordAdaptDef a = adapt_of(on[i], NULL);
        CHECK_INT(a.on, true);
        check_default(a);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_INT(adapt_of(off[i], NULL).on, false);
    }
    CHECK_INT(adapt_of(ROD("'closed': false"), NULL).on, false);
}

TEST(each_key_arrives)
{
    CordAdaptDef a = adapt_of(ROD("'adapt': {'refine_turn': 0.5, 'merge_turn': 0.125, 'by_contact': false, "
                                  "'merge_time': 0, 'shortest': 0.015625, 'longest': 64, 'placement': 'midpoint', "
                                  "'iterations': 7, 'blend': 0.25}"),
                              NULL);
    CHECK_INT(a.on, true);
    CHECK_NEAR(a.refine_turn, 0.5, 0.0);
    CHECK_NEAR(a.merge_turn, 0.125, 0.0);
    CHECK_INT(a.by_contact, false);
    CHECK_NEAR(a.merge_time, 0.0, 0.0);
    CHECK_NEAR(a.shortest, 1.0 / 64.0, 0.0);
    CHECK_NEAR(a.longest, 64.0, 0.0);
    CHECK_INT(a.placement, CORD_PLACEMENT_MIDPOINT);
    CHECK_INT(a.iterations, 7);
    CHECK_NEAR(a.blend, 0.25, 0.0);
}

TEST(settings_turn_it_on_and_off)
{
    CHECK_INT(adapt_of(ROD("'adapt': {'shortest': 0.5}"), "rods[0].adapt.on=false").on, false);
    CHECK_NEAR(adapt_of(ROD("'adapt': {'shortest': 0.5}"), "rods[0].adapt.on=false").shortest, 0.5, 0.0);
    CHECK_INT(adapt_of(ROD("'adapt': {}"), "rods[*].adapt=false").on, false);
    CHECK_INT(adapt_of(ROD("'closed': false"), "rods[rope].adapt={}").on, true);
    CordAdaptDef a = adapt_of(ROD("'closed': false"), "rods[rope].adapt.longest=2");
    CHECK_INT(a.on, true);
    CHECK_NEAR(a.longest, 2.0, 0.0);
}

TEST(wrong_values_are_refused)
{
    CHECK_ADAPT("3", "10: error: rods[0].adapt is 3; write {} for an adaptive rod, with what differs from the default in it, "
                     "or false");
    CHECK_ADAPT("{'refine_turns': 1}",
                "11: error: rods[0].adapt.refine_turns is not a key of adaptivity; did you mean \"refine_turn\"?");
    CHECK_ADAPT("{'on': 1}",
                "17: error: rods[0].adapt.on is 1; this says whether a rod is adaptive and must be true or false");
    CHECK_ADAPT("{'refine_turn': 'never'}",
                "26: error: rods[0].adapt.refine_turn is \"never\"; the turn of an element is in radians and must be a number");
    CHECK_ADAPT("{'refine_turn': 3.2}",
                "26: error: rods[0].adapt.refine_turn is 3.2; the turn of an element is in radians and must be at most pi");
    CHECK_ADAPT("{'merge_turn': 0}",
                "25: error: rods[0].adapt.merge_turn is 0; the turn of an element is in radians and must be positive");
    CHECK_ADAPT("{'merge_time': -1}",
                "25: error: rods[0].adapt.merge_time is -1; a time is in seconds and must not be negative");
    CHECK_ADAPT("{'blend': -1}",
                "20: error: rods[0].adapt.blend is -1; a time is in seconds and must not be negative");
    CHECK_ADAPT("{'placement': 'minimun'}",
                "24: error: rods[0].adapt.placement is \"minimun\"; a placement is \"minimum\" or \"midpoint\"; did you mean \"minimum\"?");
    CHECK_ADAPT("{'iterations': 0}",
                "25: error: rods[0].adapt.iterations is 0; this is the most iterations that finding a place may take and must be at least 1");
    CHECK_ADAPT("{'iterations': 1001}",
                "25: error: rods[0].adapt.iterations is 1001; this is the most iterations that finding a place may take and must be at "
                "most 1000");
}

TEST(lengths_of_elements_are_powers_of_two)
{
    static const char *const shortest[] = {"0.3", "0.01", "2", "0"}, *const longest[] = {"3", "65", "128", "0.5"};
    for (int i = 0; i < 4; i++) {
        char text[400], expected[400];
        snprintf(text, sizeof text, ROD("'adapt': {'shortest': %s}"), shortest[i]);
        snprintf(expected, sizeof expected,
                 "2:23: error: rods[0].adapt.shortest is %s; the shortest element is a part of one that the rod is made with and "
                 "must be 1, 0.5, 0.25, ... or 0.015625 (1/64)\n",
                 shortest[i]);
        CHECK_NOTES(text, expected);
        snprintf(text, sizeof text, ROD("'adapt': {'longest': %s}"), longest[i]);
        snprintf(expected, sizeof expected,
                 "2:22: error: rods[0].adapt.longest is %s; the longest element is so many of those that the rod is made with and "
                 "must be 1, 2, 4, ... or 64\n",
                 longest[i]);
        CHECK_NOTES(text, expected);
    }
}

TEST(merging_is_for_less_turning_than_halving)
{
    CHECK_ADAPT("{'merge_turn': 0.6}",
                "25: error: rods[0].adapt.merge_turn is 0.6; elements are merged that turn by less than those that "
                "are halved, so write less than refine_turn, 0.6");
    CHECK_ADAPT("{'refine_turn': 0.1}",
                "26: error: rods[0].adapt.refine_turn is 0.1; elements are halved that turn by more than those "
                "that are merged, so write more than merge_turn, 0.2");
    CHECK_ADAPT("{'refine_turn': 0.1, 'merge_turn': 0.15}",
                "45: error: rods[0].adapt.merge_turn is 0.15; elements are merged that turn by less than those that are halved, so write "
                "less than refine_turn, 0.1");
}

TEST_MAIN(rods_are_adaptive_if_they_say_so, each_key_arrives, settings_turn_it_on_and_off,
          wrong_values_are_refused, lengths_of_elements_are_powers_of_two, merging_is_for_less_turning_than_halving)
