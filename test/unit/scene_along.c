// What varies along a rod: sections and stiffnesses at stations, frames by a rule.
#include "scene_edges.h"

#define ROD_WITH(keys) "{'cordage': 1, 'rods': [{'material': 'rubber', " keys "}]}"
#define DISC "'section': {'disc': {'radius': 0.01}}, "

// ---- stations

TEST(a_section_is_interpolated_by_its_sizes)
{
    const SectionStation stations[] = {
        {0.25, SECTION_RECTANGLE, {1, 4}}, {0.5, SECTION_RECTANGLE, {3, 2}}, {1, SECTION_RECTANGLE, {3, 1}}};
    const struct {
        double at, width1, width2;
    } cases[] = {{0, 1, 4}, {0.25, 1, 4}, {0.375, 2, 3}, {0.5, 3, 2}, {0.75, 3, 1.5}, {1, 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CordSection a = section_at(stations, 3, cases[i].at),
                    b = cord_section_rectangle(cases[i].width1, cases[i].width2);
        CHECK_NEAR(a.area, b.area, 0.0); // halves and quarters are exact
        CHECK_NEAR(a.I1, b.I1, 0.0);
        CHECK_NEAR(a.I2, b.I2, 0.0);
    }
    CHECK_NEAR(section_at(stations, 1, 0.9).area, 4.0, 0.0); // one station: the same everywhere
}

TEST(the_station_before_is_found_among_many)
{
    enum { COUNT = 1001 };
    static StiffnessStation stations[COUNT];
    for (int i = 0; i < COUNT; i++) {
        stations[i] = (StiffnessStation){i / 1000.0, {.EI1 = (i % 7) * 1.0, .GJ = NAN}};
    }
    for (int i = 0; i < COUNT - 1; i++) {
        double at = (i + 0.5) / 1000.0;
        CordStiffness s = stiffness_at(stations, COUNT, at);
        CHECK_NEAR(s.EI1, 0.5 * (i % 7 + (i + 1) % 7), 1e-9); // rounding of `at`, over a thousandth
        CHECK(isnan(s.GJ));
    }
}

// ---- sections

TEST(a_taper_gives_each_edge_the_section_at_its_middle)
{
    CordScene* s = made(ROD_WITH("'section': {'disc': {'radius': [0.01, 0.002]}}, " LINE));
    CordRodDef def = scene_edges(s)->def;
    CHECK_INT(def.along_count, 4);
    CHECK(def.sections && !def.stiffnesses && !def.m1_along);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(def.sections[i].radius, 0.01 - 0.008 * (i + 0.5) / 4, 1e-17);
        CHECK_NEAR(def.sections[i].I1, cord_section_disc(def.sections[i].radius).I1, 0.0);
    }
    CHECK_NEAR(def.section.radius, 0.006, 1e-17); // the middle's
}

TEST(stations_are_at_fractions_of_the_length)
{
    // the clamp makes the first edge half as long: 1/7, 2/7, 2/7, 2/7
    CordScene* s = made("{'cordage': 1, 'clamps': [{'at': 'start', 'fix': 'frame'}], 'rods': [{'material': "
                        "'rubber', 'section': {'along': ["
                        "{'at': 0, 'tube': {'outer_radius': 0.007, 'inner_radius': 0.001}},"
                        "{'at': 1, 'tube': {'outer_radius': 0.014, 'inner_radius': 0.008}}]}, " LINE "}]}");
    const double middle[] = {0.5, 2, 4, 6};
    CordRodDef def = scene_edges(s)->def;
    CHECK_INT(def.along_count, 4);
    for (int i = 0; i < 4; i++) {
        CordSection b = cord_section_tube(0.007 + 0.001 * middle[i], 0.001 + 0.001 * middle[i]);
        CHECK_NEAR(def.sections[i].radius, b.radius, 1e-17);
        CHECK_NEAR(def.sections[i].area, b.area, 1e-18); // rounding of the radii
    }
}

TEST(every_kind_of_section_may_taper)
{
    const char* const sections[] = {
        "'disc': {'radius': [1, 3]}",
        "'tube': {'outer_radius': [2, 4], 'inner_radius': 1}",
        "'ellipse': {'half1': [1, 3], 'half2': 1}",
        "'rectangle': {'width1': [1, 3], 'width2': 1}",
        "'h': {'height': [8, 10], 'width': 4, 'web': 1, 'flange': 1}",
        "'explicit': {'area': [1, 3], 'I1': 1, 'I2': 1, 'J': 1, 'radius': 1}",
    };
    const CordSection middle[] = {
        cord_section_disc(2),       cord_section_tube(3, 1),
        cord_section_ellipse(2, 1), cord_section_rectangle(2, 1),
        cord_section_h(9, 4, 1, 1), {.area = 2, .I1 = 1, .I2 = 1, .J = 1, .radius = 1}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        CordScene* s = made_from(ROD_WITH("'section': {%s}, " LINE), sections[i]);
        CHECK_NEAR(s->rods[0].def.section.area, middle[i].area, 0.0);
        CHECK_NEAR(s->rods[0].def.section.I1, middle[i].I1, 0.0);
        CHECK_INT(s->rods[0].section.count, 2);
    }
}

TEST(what_does_not_vary_needs_no_arrays)
{
    CordScene* s = made(ROD_WITH(DISC "'frame': [0, 0, 1], 'stiffness': {'bend': 1}, " LINE));
    CordRodDef def = scene_edges(s)->def;
    CHECK(!def.sections && !def.stiffnesses && !def.m1_along);
    CHECK_NEAR(def.stiffness.EI1, 1.0, 0.0);
    CHECK_VEC3(def.m1, ((CordVec3){0, 0, 1}), 0.0);
}

// ---- stiffnesses

TEST(stiffnesses_at_stations_come_on_top_of_the_whole_rod_s)
{
    CordScene* s =
        made(ROD_WITH(DISC "'stiffness': {'twist': 5, 'bend_coupling': 0.25, 'spin_inertia': 7, 'along': ["
                           "{'at': 0, 'bend': [2, 4]}, {'at': 1, 'bend': [10, 4]}]}, " LINE));
    CordRodDef def = scene_edges(s)->def;
    CHECK_NEAR(def.stiffness.GJ, 5.0, 0.0);
    CHECK_NEAR(def.stiffness.EI12, 0.25, 0.0);
    CHECK_NEAR(def.stiffness.spin_inertia, 7.0, 0.0);
    CHECK(isnan(def.stiffness.EI1));
    const double first[] = {3, 5, 7, 9};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(def.stiffnesses[i].EI1, first[i], 0.0);
        CHECK_NEAR(def.stiffnesses[i].EI2, 4.0, 0.0);
        CHECK(isnan(def.stiffnesses[i].GJ) && isnan(def.stiffnesses[i].EA) && isnan(def.stiffnesses[i].EI12));
    }
}

TEST(stiffnesses_at_stations_can_stand_for_material_and_section)
{
    CordScene* s = made("{'cordage': 1, 'rods': [{'stiffness': {'mass_per_length': 1, 'along': ["
                        "{'at': 0, 'bend': 1, 'twist': 1, 'stretch': 1}, {'at': 1, 'bend': 2, 'twist': 2, "
                        "'stretch': 2}]}, " LINE "}]}");
    CHECK_INT(s->rods[0].stiffness.count, 2);
}

// ---- frames

TEST(toward_points_m1_as_far_as_the_edge_lets_it)
{
    CordScene* s = made(
        ROD_WITH(DISC "'frame': {'toward': [0, 0, 2]}, 'rest': 'straight', "
                      "'shape': {'polyline': {'points': [[0, 0, 0], [1, 0, 0], [2, 0, 1], [2, 1, 1]]}}"));
    CordRodDef def = scene_edges(s)->def;
    CHECK_INT(def.along_count, 3);
    CHECK_VEC3(def.m1_along[0], ((CordVec3){0, 0, 1}), 0.0);
    CHECK_VEC3(def.m1_along[1], ((CordVec3){-sqrt(0.5), 0, sqrt(0.5)}), 1e-15); // rounding
    CHECK_VEC3(def.m1_along[2], ((CordVec3){0, 0, 1}), 0.0);
}

TEST(radial_points_m1_away_from_the_axis)
{
    CordScene* s = made(
        ROD_WITH(DISC "'frame': {'radial': {'center': [5, 0, 7], 'axis': [0, 0, -3]}}, 'rest': 'straight', "
                      "'shape': {'circle': {'center': [5, 0, 0], 'radius': 2}}, 'elements': 12"));
    const SceneEdges* edges = scene_edges(s);
    CHECK_INT(edges->def.along_count, 12);
    for (int i = 0; i < 12; i++) {
        CordVec3 a = edges->x[i], b = edges->x[(i + 1) % 12], m1 = edges->def.m1_along[i];
        CordVec3 out = {0.5 * (a.x + b.x) - 5, 0.5 * (a.y + b.y), 0};
        double size = sqrt(out.x * out.x + out.y * out.y);
        CHECK_VEC3(m1, ((CordVec3){out.x / size, out.y / size, 0}), 1e-15);
        // a chord is at right angles to its own radius
        CHECK_NEAR(m1.x * (b.x - a.x) + m1.y * (b.y - a.y), 0.0, 1e-15);
    }
}

TEST_GROUP(scene_along)
