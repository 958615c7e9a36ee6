// The key adapt of a rod.
#include "scene_text.h"

#include "scene/scene.h"

#define BARE(keys) ROD(keys ", " BARE_ROD LINE)

static CordAdaptDef adapt_of(const char* text, const char* settings)
{
    CordScene* scene = made_set(text, settings);
    CHECK_INT(scene->rod_count, 1);
    return scene->rods[0].def.adapt;
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
    static const char* const on[] = {BARE("'adapt': {}"), BARE("'adapt': true"),
                                     BARE("'adapt': {'on': true}")};
    static const char* const off[] = {BARE("'adapt': false"), BARE("'adapt': {'on': false}")};
    for (int i = 0; i < 3; i++) {
        CordAdaptDef a = adapt_of(on[i], NULL);
        CHECK_INT(a.on, true);
        check_default(a);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_INT(adapt_of(off[i], NULL).on, false);
    }
    CHECK_INT(adapt_of(BARE("'closed': false"), NULL).on, false);
}

TEST(each_key_arrives)
{
    CordAdaptDef a =
        adapt_of(BARE("'adapt': {'refine_turn': 0.5, 'merge_turn': 0.125, 'by_contact': false, "
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
    CHECK_INT(adapt_of(BARE("'adapt': {'shortest': 0.5}"), "rods[0].adapt.on=false").on, false);
    CHECK_NEAR(adapt_of(BARE("'adapt': {'shortest': 0.5}"), "rods[0].adapt.on=false").shortest, 0.5, 0.0);
    CHECK_INT(adapt_of(BARE("'adapt': {}"), "rods[*].adapt=false").on, false);
    CHECK_INT(adapt_of(BARE("'closed': false"), "rods[rope].adapt={}").on, true);
    CordAdaptDef a = adapt_of(BARE("'closed': false"), "rods[rope].adapt.longest=2");
    CHECK_INT(a.on, true);
    CHECK_NEAR(a.longest, 2.0, 0.0);
}

TEST_GROUP(scene_adapt)
