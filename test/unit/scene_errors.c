// Scenes that are wrong: each error's whole text, its line and its column.
#include "scene_text.h"

// The rod's own keys, on line 2, from column 1.
#define ROD_LINE(keys)                                                                                       \
    "{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'disc': {'radius': 0.01}},\n" keys "}]}"
#define LINE "'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 10"
#define CHECK_SCENE(keys, expected) CHECK_NOTES(SCENE_WITH("\n" keys ",\n", ""), "2:" expected "\n")
#define CHECK_ROD(keys, expected) CHECK_NOTES(ROD_LINE(keys), "2:" expected "\n")

TEST(the_convention_of_errors_is_kept)
{
    CHECK_NOTES(
        "{'cordage': 1,\n 'rods': [{'material': 'rubber',\n  'section': {'disc': {'radius': -0.001}}, " LINE "}]}",
        "3:34: error: rods[0].section.disc.radius is -0.001; a radius is a length in metres and must be positive\n");
}

TEST(unknown_keys_are_errors_at_the_key)
{
    CHECK_SCENE("'titel': 'x'", "1: error: titel is not a key of a scene; did you mean \"title\"?");
    CHECK_SCENE("'wind': 3", "1: error: wind is not a key of a scene; the keys are " SCENE_KEYS);
    CHECK_ROD("'elemnts': 10, " LINE, "1: error: rods[0].elemnts is not a key of a rod; did you mean \"elements\"?");
    CHECK_SCENE("'time': {'End': 3}", "10: error: time.End is not a key of a time; did you mean \"end\"?");
    CHECK_SCENE("'loads': [{'drog': {}}]",
                "12: error: loads[0].drog is not a key of a load; did you mean \"drag\"?");
}

TEST(a_misspelt_key_that_is_needed_is_told_once)
{
    CHECK_NOTES("{'cordge': 1, 'rods': [{'material': 'rubber', 'section': {'disc': {'radus': 1}}, " LINE "}]}",
                "1:2: error: cordge is not a key of a scene; did you mean \"cordage\"?\n"
                "1:68: error: rods[0].section.disc.radus is not a key of a disc; did you mean \"radius\"?\n");
    CHECK_ROD("'shap': {'circle': {'radius': 1}}, 'elements': 9",
              "1: error: rods[0].shap is not a key of a rod; did you mean \"shape\"?");
    CHECK_SCENE("'clamps': [{'rod': 'rope', 'att': 'end'}]",
                "28: error: clamps[0].att is not a key of a clamp; did you mean \"at\"?");
    // what is missing besides is still told
    CHECK_ROD("'shape': {'helix': {'radus': 1, 'turns': 2}}, 'elements': 9",
              "20: error: rods[0].shape.helix has no pitch; write the rise of one turn in metres\n"
              "2:21: error: rods[0].shape.helix.radus is not a key of a helix; did you mean \"radius\"?");
}

TEST(later_parts_are_recognised)
{
    char adapt[200];
    snprintf(adapt, sizeof adapt, "2:1: error: adapt is not in this version of Cordage (%s); leave it out\n",
             cord_version());
    CHECK_NOTES(SCENE_WITH("\n'adapt': [],\n", ""), adapt);
}

TEST(wrong_types_say_what_is_there_and_what_to_write)
{
    CHECK_NOTES("[]", "1:1: error: the scene is a list of 0; a scene is written as an object, in { }\n");
    CHECK_SCENE("'title': 3", "10: error: title is 3; a title is text and must be text in double quotes");
    CHECK_SCENE("'gravity': -9.81",
                "12: error: gravity is -9.81; gravity is in metres per second squared and must be three numbers, such as [0, 0, 1]");
    CHECK_SCENE("'gravity': [0, 0, '1']",
                "19: error: gravity[2] is \"1\"; gravity is in metres per second squared and must be a number");
    CHECK_SCENE("'time': 3", "9: error: time is 3; a time is written as an object, in { }");
    CHECK_SCENE("'time': {'end': null}", "17: error: time.end is null; a time is in seconds and must be a number");
    CHECK_SCENE("'clamps': {}", "11: error: clamps is an object; clamps are a list, in [ ]");
    CHECK_SCENE("'materials': []",
                "14: error: materials is a list of 0; materials are an object, such as {\"rope\": {\"like\": \"nylon\"}}");
    CHECK_ROD("'inextensible': 'yes', " LINE,
              "17: error: rods[0].inextensible is \"yes\"; this says whether a rod keeps its length and must be true or false");
    CHECK_ROD("'twist': 3, " LINE, "10: error: rods[0].twist is 3; an angle is written as an object, in { }");
    CHECK_NOTES("{'cordage': 1, 'rods': [7]}", "1:25: error: rods[0] is 7; a rod is written as an object, in { }\n");
}

TEST(values_out_of_range_say_the_range)
{
    CHECK_NOTES("{'cordage': 2, 'rods': [{'material': 'rubber', 'section': {'disc': {'radius': 1}}, " LINE "}]}",
                "1:13: error: cordage is 2; \"cordage\" is the version of the format and must be 1\n");
    CHECK_SCENE("'time': {'step': 0}", "18: error: time.step is 0; a time step is in seconds and must be positive");
    CHECK_SCENE("'time': {'step': 'fast'}",
                "18: error: time.step is \"fast\"; a time step is \"auto\" or a number of seconds");
    CHECK_SCENE("'time': {'end': -1}", "17: error: time.end is -1; a time is in seconds and must not be negative");
    CHECK_SCENE("'time': {'fps': 1e7}",
                "17: error: time.fps is 1e7; fps counts recorded frames per simulated second and must be at most 1e6");
    CHECK_SCENE("'materials': {'x': {'young': -1, 'density': 1}}",
                "30: error: materials.x.young is -1; Young's modulus is in pascals and must be positive");
    CHECK_SCENE("'materials': {'x': {'young': 1, 'density': 1, 'poisson': 0.51}}",
                "58: error: materials.x.poisson is 0.51; Poisson's ratio has no unit and must be at most 0.5");
    CHECK_SCENE("'materials': {'x': {'young': 1, 'density': 1, 'poisson': -1.0}}",
                "58: error: materials.x.poisson is -1.0; Poisson's ratio has no unit and must be above -1");
    CHECK_ROD("'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 0",
              "70: error: rods[0].elements is 0; elements are the pieces a rod is cut into and must be at least 1");
    CHECK_ROD("'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 2.5",
              "70: error: rods[0].elements is 2.5; elements are the pieces a rod is cut into and must be a whole number");
    CHECK_ROD("'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 10000001",
              "70: error: rods[0].elements is 10000001; elements are the pieces a rod is cut into and must be at most 10000000");
    CHECK_ROD("'shape': {'circle': {'radius': 1}}, 'elements': 2",
              "49: error: rods[0].elements is 2; a closed rod needs at least 3");
    CHECK_ROD("'shape': {'line': {'from': [0, 0, 0], 'to': [1e10, 0, 0]}}, 'elements': 10",
              "46: error: rods[0].shape.line.to[0] is 1e10; a position is in metres and must be at most 1e9");
    CHECK_SCENE("'camera': {'fov': 0}",
                "19: error: camera.fov is 0; fov is the vertical field of view in degrees and must be positive");
}

TEST(what_is_missing_is_named_with_what_to_write)
{
    CHECK_NOTES("{}", "1:1: error: the scene has no cordage; write \"cordage\": 1, the version of the format\n"
                      "1:1: error: the scene has no rods; write a list with at least one rod\n");
    CHECK_NOTES("{'cordage': 1, 'rods': []}", "1:24: error: rods is empty; a scene has at least one rod\n");
    CHECK_NOTES("{'cordage': 1, 'rods': [{}]}",
                "1:25: error: rods[0] has no shape; write where the rod is, such as {\"line\": {\"from\": [0, 0, 0], \"to\": [1, 0, "
                "0]}}\n");
    CHECK_NOTES(
        "{'cordage': 1, 'rods': [{" LINE "}]}",
        "1:25: error: rods[0] has no material; name one, such as \"nylon\", or give all of stiffness: bend, twist, stretch "
        "and mass_per_length\n"
        "1:25: error: rods[0] has no section; write one, such as {\"disc\": {\"radius\": 0.005}} (metres)\n");
    CHECK_NOTES(ROD_LINE("'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}"),
                "1:25: error: rods[0] has no elements; write how many pieces a line is cut into, such as \"elements\": 100\n");
    CHECK_NOTES(ROD_LINE("'shape': {'circle': {}}, 'elements': 9"),
                "2:21: error: rods[0].shape.circle has no radius; write it in metres\n");
    CHECK_SCENE("'materials': {'x': {}}",
                "20: error: materials.x has no young; write Young's modulus in pascals, such as 2e9, or \"like\": \"nylon\"\n"
                "2:20: error: materials.x has no density; write it in kilograms per cubic metre, such as 1000");
    CHECK_SCENE("'clamps': [{}]", "12: error: clamps[0] has no at; write where it holds the rod, such as \"start\"");
    CHECK_SCENE("'probes': [{'measure': 'position'}]",
                "12: error: probes[0] has no at; write where it measures, such as \"end\"");
    CHECK_SCENE("'loads': [{'drag': {}}]",
                "20: error: loads[0].drag has neither along nor across; write one or both in newton "
                "seconds per square metre");
}

TEST(of_several_kinds_exactly_one_is_given)
{
    CHECK_ROD("'shape': {}, 'elements': 9",
              "10: error: rods[0].shape has none of its keys; give one: line, polyline, spline, circle, "
              "ellipse, helix, torus_knot, knot, file, network, grid, tree or mesh");
    CHECK_ROD("'twist': {'turns': 1, 'degrees': 2}, " LINE,
              "10: error: rods[0].twist has more than one of its keys; give one: turns, degrees or angle");
    CHECK_SCENE("'clamps': [{'at': {'node': 1, 'edge': 1}}]",
                "19: error: clamps[0].at has more than one of its keys; give one: node, edge, arc, nodes or box");
    CHECK_SCENE("'loads': [{}]", "11: error: loads[0] has none of its keys; give one: force, spring, drag or wind");
}

TEST(names_that_are_not_there_are_guessed)
{
    CHECK_NOTES(
        "{'cordage': 1, 'rods': [{'material': 'nylonn', 'section': {'disc': {'radius': 0.01}}, " LINE "}]}",
        "1:38: error: rods[0].material is \"nylonn\", and no material has that name; did you mean \"nylon\"?\n");
    CHECK_NOTES("{'cordage': 1, 'rods': [{'material': 'kevlar', 'section': {'disc': {'radius': 0.01}}, " LINE "}]}",
                "1:38: error: rods[0].material is \"kevlar\", and no material has that name; docs/materials.md lists those that "
                "come with Cordage\n");
    CHECK_SCENE("'materials': {'x': {'like': 'stele'}}",
                "29: error: materials.x.like is \"stele\", and no material that comes with "
                "Cordage has that name; did you mean \"steel\"?");
    CHECK_SCENE("'clamps': [{'rod': 'rop', 'at': 'end'}]",
                "20: error: clamps[0].rod is \"rop\", and no rod has that name; did you mean \"rope\"?");
    CHECK_SCENE(
        "'probes': [{'measure': 'positon', 'at': 'end'}]",
        "24: error: probes[0].measure is \"positon\"; a measure is \"position\", \"velocity\", \"frame\", \"force\", \"torque\", "
        "\"tension\", \"moment\", \"energy\", \"momentum\", \"twist\" or \"writhe\"; did you mean \"position\"?");
    CHECK_SCENE("'clamps': [{'at': 'strat'}]",
                "19: error: clamps[0].at is \"strat\"; a place is \"start\", \"end\", {\"node\": 3}, "
                "{\"edge\": 3} or {\"arc\": 0.5} (metres)");
    CHECK_ROD("'rest': 'strait', " LINE,
              "9: error: rods[0].rest is \"strait\"; a rest shape is \"as_shaped\" or \"straight\"; did you mean \"straight\"?");
}

TEST(names_must_be_plain_and_differ)
{
    CHECK_NOTES("{'cordage': 1, 'rods': [{'name': 'a', 'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, " LINE
                "},\n"
                "{'name': 'a', 'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, " LINE "}]}",
                "2:10: error: rods[1].name is \"a\", and so is that of rods[0]; names must differ\n");
    CHECK_NOTES("{'cordage': 1, 'rods': [{'name': 'rod2', 'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, " LINE
                "},\n"
                "{'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, " LINE "}]}",
                "2:1: error: rods[1].name is \"rod2\", and so is that of rods[0]; names must differ\n");
    CHECK_SCENE("'probes': [{'name': 'p', 'measure': 'twist'}, {'name': 'p', 'measure': 'twist'}]",
                "56: error: probes[1].name is \"p\", and so is that of probes[0]; names must differ");
    CHECK_ROD("'name': 'a/b', " LINE,
              "9: error: rods[0].name is \"a/b\"; a name has 1 to 60 bytes and none of [ ] / and control "
              "characters");
    CHECK_ROD("'name': '', " LINE,
              "9: error: rods[0].name is \"\"; a name has 1 to 60 bytes and none of [ ] / and control characters");
}

TEST(shapes_that_cannot_be_are_refused)
{
    CHECK_ROD("'shape': {'line': {'from': [1, 1, 1], 'to': [1, 1, 1]}}, 'elements': 9",
              "19: error: rods[0].shape.line goes from a point to the same point; its two ends must be apart");
    CHECK_ROD("'closed': true, " LINE,
              "26: error: rods[0].shape is a line, which cannot be closed; leave \"closed\" out");
    CHECK_ROD("'closed': false, 'shape': {'circle': {'radius': 1}}, 'elements': 9",
              "27: error: rods[0].shape is a circle, which is closed; for an open rod take an arc or points");
    CHECK_ROD("'shape': {'circle': {'radius': 1, 'degrees': [0, 400]}}, 'elements': 9",
              "46: error: rods[0].shape.circle.degrees must go from an angle to a larger one, by at most 360 degrees");
    CHECK_ROD("'shape': {'circle': {'radius': 1, 'degrees': 180}}, 'elements': 9",
              "46: error: rods[0].shape.circle.degrees is 180; write the angles where the arc begins and ends, such "
              "as [0, 180]");
    CHECK_ROD("'shape': {'helix': {'radius': 1, 'pitch': 1, 'turns': 1, 'start': [0, 0, 1]}}, 'elements': 9",
              "20: error: rods[0].shape.helix has axis and start in the same direction; they must not be parallel");
    CHECK_ROD("'shape': {'circle': {'radius': true}}, 'elements': 9",
              "32: error: rods[0].shape.circle.radius is true; a radius is a length in metres and must be a number");
    CHECK_ROD("'shape': {'circle': {'radius': 1, 'normal': [0, 0, 0]}}, 'elements': 9",
              "45: error: rods[0].shape.circle.normal is zero; a direction is three numbers and must not be zero");
    CHECK_ROD("'shape': {'circle': {'radius': 1, 'start': [0, 0, 3]}}, 'elements': 9",
              "21: error: rods[0].shape.circle has normal and start in the same direction; they must not be parallel");
    CHECK_ROD("'shape': {'polyline': {'points': [[0, 0, 0], [0, 0, 0]]}}",
              "46: error: rods[0].shape.polyline.points[1] is the same point as the one before it; neighbours must be apart");
    CHECK_ROD("'shape': {'polyline': {'points': [[0, 0, 0]]}}",
              "34: error: rods[0].shape.polyline.points is a list of 1; a curve needs at least two points");
    CHECK_ROD("'closed': true, 'shape': {'polyline': {'points': [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]]}}",
              "26: error: rods[0].shape ends in its first point; a closed rod does not repeat it, so leave the last one out");
    CHECK_ROD("'closed': true, 'shape': {'polyline': {'points': [[0, 0, 0], [1, 0, 0]]}}",
              "26: error: rods[0].shape has 2 points; a closed rod needs at least 3");
    CHECK_ROD("'shape': {'torus_knot': {'p': 2, 'q': 4, 'radius': 2, 'tube_radius': 1}}, 'elements': 9",
              "25: error: rods[0].shape.torus_knot has p 2 and q 4; they must have no common divisor, such as 2 and 3");
    CHECK_ROD("'shape': {'torus_knot': {'p': 2, 'q': 3, 'radius': 1, 'tube_radius': 1}}, 'elements': 9",
              "25: error: rods[0].shape.torus_knot has a tube_radius that is not smaller than its radius");
    CHECK_ROD("'shape': {'helix': {'radius': 1, 'pitch': 1, 'turns': 0}}, 'elements': 9",
              "20: error: rods[0].shape.helix has 0 turns; a helix needs more or less than that");
    CHECK_ROD("'rest': {'circle': {'radius': 1}}, " LINE,
              "9: error: rods[0].rest is a circle, which is closed; for an open rod take an arc or points");
}

TEST(knots_that_cannot_be_are_refused)
{
    CHECK_ROD("'shape': {'knot': {'name': 'overhand', 'size': 0.01}}, 'elements': 9",
              "19: error: rods[0].shape.knot has a size of 0.01, too small for ropes of radius 0.01, which would overlap; write "
              "0.196, or leave the size out");
    CHECK_ROD("'shape': {'knot': {'name': 'square', 'strand': 2, 'size': 1}}, 'elements': 9",
              "19: error: rods[0].shape.knot has strand 2, but square is tied in two ropes: write 0 or 1");
    CHECK_ROD("'shape': {'knot': {'name': 'bowline', 'strand': 1, 'size': 1}}, 'elements': 9",
              "19: error: rods[0].shape.knot has strand 1, but bowline is tied in one rope: leave strand out");
    CHECK_ROD("'shape': {'knot': {'size': 1}}, 'elements': 9",
              "19: error: rods[0].shape.knot has no name; write which knot, such as \"overhand\"");
    CHECK_ROD("'shape': {'knot': {'name': 'overhand', 'size': 1, 'axis1': [0, 2, 0]}}, 'elements': 9",
              "19: error: rods[0].shape.knot has axis1 and axis2 in the same direction; they must not be parallel");
    CHECK_ROD("'closed': true, 'shape': {'knot': {'name': 'overhand', 'size': 1}}, 'elements': 9",
              "26: error: rods[0].shape is a knot in a rope with two ends, which cannot be closed; leave \"closed\" out");
    CHECK_ROD("'rest': {'knot': {'name': 'overhand'}}, " LINE,
              "18: error: rods[0].rest.knot has no size, and no radius of the rope to take it from; write a size in metres");
}

TEST(sections_that_cannot_be_are_refused)
{
    CHECK_NOTES(
        "{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'tube': {'outer_radius': 1, 'inner_radius': 1}}, " LINE
        "}]}",
        "1:68: error: rods[0].section.tube has an inner_radius that is not smaller than its outer_radius\n");
    CHECK_NOTES("{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'h': {'height': 1, 'width': 1, 'web': 2, 'flange': 0.1}}, " LINE
                "}]}",
                "1:65: error: rods[0].section.h is no H: its web must not be wider than its width, and two flanges lower than its "
                "height\n");
    CHECK_NOTES("{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'disc': {'radius': 1e-100}}, " LINE
                "}]}",
                "1:25: error: rods[0] has a section so small that its stiffness is zero\n");
    CHECK_ROD("'stiffness': {'bend': [1, 2, 3]}, " LINE,
              "23: error: rods[0].stiffness.bend is a list of 3; a bending stiffness is in newton square metres and must be a number, "
              "or two as [about m1, about m2]");
}

TEST(places_must_be_on_the_rod_and_of_the_right_kind)
{
    CHECK_SCENE("'clamps': [{'at': {'node': 11}}]", "19: error: clamps[0].at is node 11; the rod has nodes 0 to 10");
    CHECK_SCENE("'clamps': [{'at': {'edge': 10}, 'fix': 'frame'}]",
                "19: error: clamps[0].at is edge 10; the rod has edges 0 to 9");
    CHECK_SCENE("'clamps': [{'at': {'node': -1}}]",
                "28: error: clamps[0].at.node is -1; an index counts from 0 and must not be negative");
    CHECK_SCENE("'clamps': [{'at': {'edge': 1}}]",
                "19: error: clamps[0].at is an edge; a clamp of the position holds a node, so write {\"node\": 1}");
    CHECK_SCENE("'clamps': [{'at': {'node': 1}, 'fix': 'frame'}]",
                "19: error: clamps[0].at is a node; a clamp of the direction or frame holds an edge, so write {\"edge\": 1}");
    CHECK_SCENE("'loads': [{'force': {'at': {'edge': 1}, 'force': [0, 0, 1]}}]",
                "28: error: loads[0].force.at is an edge; a force acts on a node, so write {\"node\": 1}");
    CHECK_SCENE("'probes': [{'at': {'edge': 1}, 'measure': 'velocity'}]",
                "19: error: probes[0].at is an edge; this is measured at a node, so write {\"node\": 1}");
    CHECK_NOTES(
        ROD_LINE("'shape': {'circle': {'radius': 1}}, 'elements': 9}],\n'clamps': [{'at': 'start'}], 'x': [{"),
        "3:19: error: clamps[0].at is \"start\"; a closed rod has no ends, so write {\"node\": 0} or {\"edge\": 0}\n"
        "3:30: error: x is not a key of a scene; the keys are " SCENE_KEYS "\n");
}

#define HELD_ADVICE                                                                                          \
    "leave one of them out: a clamp of the frame holds position and direction, and both nodes of its edge"

TEST(clamps_that_contradict_are_refused)
{
    CHECK_SCENE("'clamps': [{'at': 'start'}, {'at': {'node': 0}}]",
                "29: error: clamps[1] holds node 0 of rod \"rope\", which clamps[0] (line 2) holds already; " HELD_ADVICE);
    CHECK_SCENE("'clamps': [{'at': {'edge': 4}, 'fix': 'frame'}, {'at': {'node': 5}}]",
                "49: error: clamps[1] holds node 5 of rod \"rope\", which clamps[0] (line 2) holds already; " HELD_ADVICE);
    CHECK_SCENE("'clamps': [{'at': 'start', 'torque': 1}]",
                "38: error: clamps[0].torque needs a clamp of the frame; write \"fix\": \"frame\"");
    CHECK_SCENE("'clamps': [{'at': 'start', 'release': -1}]",
                "39: error: clamps[0].release is -1; a time is in seconds and must not be negative");
    CHECK_NOTES(ROD_LINE("'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 2}],\n"
                         "'clamps': [{'at': 'start', 'fix': 'frame'}], 'probes': [{'measure': 'twist'"),
                "3:12: error: clamps[0] holds the direction of the end of rod \"rod1\", which needs at least 3 elements for that\n");
    CHECK_NOTES("{'cordage': 1, 'rods': [{'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, " LINE "},"
                "{'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, " LINE
                "}],\n'clamps': [{'at': 'start'}]}",
                "2:12: error: clamps[0] has no rod; write the name of one, since there are 2\n");
}

#define CHECK_MOTION(motion, expected)                                                                       \
    CHECK_SCENE("'clamps': [{'at': 'start', 'fix': 'frame', 'motion': [" motion "]}]", expected)

TEST(motions_that_cannot_be_are_refused)
{
    CHECK_MOTION("{'translate': {'by': [1, 0, 0]}}",
                 "55: error: clamps[0].motion[0] has no to; write when the motion ends, in seconds");
    CHECK_MOTION("{'translate': {'by': [1, 0, 0]}, 'from': 2, 'to': 1}",
                 "55: error: clamps[0].motion[0] ends before it begins; \"to\" must not be before \"from\"");
    CHECK_MOTION("{'translate': {'by': [1, 0, 0]}, 'from': 1, 'to': 1}",
                 "55: warning: clamps[0].motion[0] takes no time, so it is a jump; \"to\" should be after \"from\"");
    CHECK_MOTION(
        "{'rotate': {'axis': [0, 0, 0], 'turns': 1}, 'to': 1}",
        "75: error: clamps[0].motion[0].rotate.axis is zero; a direction is three numbers and must not be zero");
    CHECK_MOTION("{'keyframes': [{'time': 0}], 'ease': 'smooth'}",
                 "92: error: clamps[0].motion[0].ease does not apply: between keyframes the motion is linear");
    CHECK_MOTION("{'keyframes': [{'time': 1}, {'time': 1}]}",
                 "83: error: clamps[0].motion[0].keyframes[1] is not later than the "
                 "keyframe before it; their times must increase");
    CHECK_MOTION("{'keyframes': [{'time': 0, 'offset': [1, 0, 0]}]}",
                 "70: warning: clamps[0].motion[0].keyframes[0] is the first and not at rest, so the clamp jumps there when the run "
                 "begins; begin with an offset of zero");
    CHECK_MOTION("{'keyframes': [{'time': 0}, {'time': 1, 'rotate': {'axis': [0, 0, 1], 'turns': 0.5}}]}",
                 "83: error: clamps[0].motion[0].keyframes[1] turns by half a turn or more from the keyframe before; put another "
                 "keyframe between them, or use rotate");
    CHECK_MOTION("{'keyframes': [{'time': 0}, {'time': 1, 'rotate': {'axis': [0, 0, 1], 'degrees': 100}}, "
                 "{'time': 2, 'rotate': {'axis': [0, 0, -2], 'degrees': 100}}]}", // 200 degrees apart
                 "143: error: clamps[0].motion[0].keyframes[2] turns by half a turn or more from the keyframe "
                 "before; put another keyframe between them, or use rotate");
    CHECK_MOTION("{'keyframes': []}",
                 "69: error: clamps[0].motion[0].keyframes is empty; keyframes need at least one");
    CHECK_MOTION(
        "{'oscillate': {'amplitude': [1, 0, 0], 'frequency': 0}}",
        "107: error: clamps[0].motion[0].oscillate.frequency is 0; a frequency is in hertz and must be positive");
    CHECK_SCENE("'clamps': [{'at': 'start', 'motion': [{'rotate': {'axis': [0, 0, 1], 'turns': 1}, 'to': 1}]}]",
                "38: warning: clamps[0].motion turns a clamp that holds a position alone about that position, which does nothing; give "
                "a center, or fix the direction or frame");
}

TEST(loads_and_probes_that_cannot_be_are_refused)
{
    CHECK_SCENE("'loads': [{'force': {'at': 'end', 'force': [0, 0, 1], 'from': 2, 'to': 1}}]",
                "21: error: loads[0].force ends before it begins; \"to\" must be after \"from\"");
    CHECK_SCENE("'probes': [{'at': 'end', 'measure': 'energy'}]",
                "19: warning: probes[0].at is not used: the energy is that of the whole rod");
    CHECK_SCENE("'camera': {'from': [1, 2, 3], 'target': [1, 2, 3]}",
                "11: error: camera looks from a point to the same point; from and target must be apart");
    CHECK_SCENE("'camera': {'ground': 'low'}",
                "22: error: camera.ground is \"low\"; write true, false, or the floor's height in metres");
    CHECK_SCENE("'camera': {'from': [1, 2, 3]}", "11: error: camera has from alone; write both from and target");
}

TEST(forces_say_where_they_act)
{
    CHECK_SCENE("'loads': [{'force': {'force': [0, 0, 1]}}]",
                "21: error: loads[0].force has no at; write where it pulls, such as \"end\"");
    CHECK_SCENE("'loads': [{'force': {'at': 'end'}}]",
                "21: error: loads[0].force has no force; write three numbers in newtons");
    CHECK_SCENE("'loads': [{'force': {'at': 'end', 'force': [0, 0, 1], 'torque': [0, 0, 1]}}]",
                "65: error: loads[0].force.torque acts on a body; a rod is twisted by a clamp of the frame with a torque");
    CHECK_SCENE("'loads': [{'force': {'at': 'end', 'force': [0, 0, 1], 'ramp': -1}}]",
                "63: error: loads[0].force.ramp is -1; a time is in seconds and must not be negative");
    CHECK_SCENE("'loads': [{'force': {'body': 'bob', 'force': [0, 0, 1]}}]",
                "30: error: loads[0].force.body is \"bob\", and no body has that name");
}

TEST(winds_that_cannot_be_are_refused)
{
    CHECK_SCENE("'loads': [{'wind': {'across': 1}}]",
                "20: error: loads[0].wind has no velocity; write it in metres per second, such as [3, 0, 0]");
    CHECK_SCENE("'loads': [{'wind': {'velocity': [1, 0, 0], 'gust': 1, 'across': 1}}]",
                "20: error: loads[0].wind has gusts and no period; write how often they come, in seconds");
    CHECK_SCENE("'loads': [{'drag': {'across': 1, 'wind': {'velocity': [1, 0, 0], 'vortex': 1}}}]",
                "42: error: loads[0].drag.wind has vortices and no spacing; write how far apart they are, in metres");
    CHECK_SCENE("'loads': [{'wind': {'velocity': [1, 0, 0], 'gust': -1, 'across': 1}}]",
                "52: error: loads[0].wind.gust is -1; gust is the strength of gusts as a fraction of the wind and must not be "
                "negative");
    CHECK_SCENE("'loads': [{'wind': {'velocity': [1, 0, 0]}}]",
                "20: error: loads[0].wind has nothing to act on; give it along and across, or add a drag");
    CHECK_SCENE("'loads': [{'drag': {'across': 1}}, {'wind': {'velocity': [1, 0, 0]}}, {'wind': {'velocity': [1, 0, 0]}}]",
                "80: error: loads[2].wind is a second wind for every drag; loads[1].wind is the first");
    CHECK_SCENE("'loads': [{'drag': {'across': 1}}, {'wind': {'velocity': [1, 0, 0], 'to': 1}}]",
                "45: error: loads[1].wind has neither along nor across, so it is the wind of every drag at all times; leave out "
                "rod, from and to, or give it a drag of its own");
}

TEST(dampings_and_frames_that_cannot_be_are_refused)
{
    const char* damping = "takes a ratio and the frequency it is for, or a time alone; write "
                          "{\"ratio\": 0.05, \"frequency\": 10} or {\"time\": 0.001}\n";
    const char* const wrong[] = {"{'ratio': 0.1}", "{'frequency': 1}", "{'time': 1, 'ratio': 1}",
                                 "{'time': 1, 'ratio': 1, 'frequency': 1}", "{}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[600], expected[300];
        snprintf(text, sizeof text, ROD_LINE("'damping': %s, " LINE), wrong[i]);
        snprintf(expected, sizeof expected, "2:12: error: rods[0].damping %s", damping);
        CHECK_NOTES(text, expected);
    }
    CHECK_ROD("'damping': {'ratio': -1, 'frequency': 1}, " LINE,
              "22: error: rods[0].damping.ratio is -1; a damping ratio is a fraction of critical damping and must not be negative");
    CHECK_ROD("'damping': 0.1, " LINE,
              "12: error: rods[0].damping is 0.1; a damping is written as an object, in { }");
    CHECK_ROD("'frame': [0, 0, 0], " LINE,
              "10: error: rods[0].frame is zero; a direction is three numbers and must not be zero");
    CHECK_ROD("'frame': 'up', " LINE, "10: error: rods[0].frame is \"up\"; a frame is written as an object, in { }");
    CHECK_ROD("'frame': {}, " LINE, "10: error: rods[0].frame has none of its keys; give one: toward or radial");
    CHECK_ROD("'frame': {'towards': [0, 0, 1]}, " LINE,
              "11: error: rods[0].frame.towards is not a key of a frame; did you mean \"toward\"?");
    CHECK_ROD("'frame': {'radial': {'axis': [0, 0, 0]}}, " LINE,
              "30: error: rods[0].frame.radial.axis is zero; a direction is three numbers and must not be zero");
    CHECK_ROD("'rest_frame': {'toward': [0, 0, 1]}, " LINE,
              "15: error: rods[0].rest_frame is an object; a direction is three numbers and must be three numbers, such as [0, 0, 1]");
    CHECK_ROD("'dynamic_twist': 1, " LINE,
              "18: error: rods[0].dynamic_twist is 1; this says whether frames turn with their own inertia and must be true or false");
    CHECK_NOTES("{'cordage': 1, 'rods': [{'dynamic_twist': true, 'stiffness': {'bend': 1, 'twist': 1, 'stretch': 1, 'mass_per_length': 1}, " LINE
                "}]}",
                "1:25: error: rods[0] has a dynamic_twist and no inertia for it; give spin_inertia in stiffness, or a material and a "
                "section\n");
}

TEST(notes_come_in_the_order_of_the_text)
{
    CHECK_NOTES("{'cordage': 1, 'probes': [{'at': 'end', 'measure': 1}],\n'rods': [{'name': 1, 'material': 'rubber', 'section': {'disc': "
                "{'radius': 0.01}}, " LINE "}],\n'titel': 1}",
                "1:52: error: probes[0].measure is 1; a measure is \"position\", \"velocity\", \"frame\", \"force\", \"torque\", \"tension\", "
                "\"moment\", \"energy\", \"momentum\", \"twist\" or \"writhe\"\n"
                "2:19: error: rods[0].name is 1; a name is text and must be text in double quotes\n"
                "3:1: error: titel is not a key of a scene; did you mean \"title\"?\n");
}

TEST(repeated_keys_do_not_stop_the_reading)
{
    CHECK_NOTES(SCENE_WITH("'title': 'a', 'title': 'b', 'gravity': 1, ", ""),
                "1:30: error: the key \"title\" is given twice in this object\n"
                "1:55: error: gravity is 1; gravity is in metres per second squared and must be three numbers, such as [0, 0, 1]\n");
}

TEST_MAIN(the_convention_of_errors_is_kept, unknown_keys_are_errors_at_the_key,
          a_misspelt_key_that_is_needed_is_told_once, later_parts_are_recognised,
          wrong_types_say_what_is_there_and_what_to_write, values_out_of_range_say_the_range,
          what_is_missing_is_named_with_what_to_write, of_several_kinds_exactly_one_is_given,
          names_that_are_not_there_are_guessed, names_must_be_plain_and_differ,
          shapes_that_cannot_be_are_refused, knots_that_cannot_be_are_refused,
          sections_that_cannot_be_are_refused, places_must_be_on_the_rod_and_of_the_right_kind,
          clamps_that_contradict_are_refused, motions_that_cannot_be_are_refused,
          loads_and_probes_that_cannot_be_are_refused, forces_say_where_they_act,
          winds_that_cannot_be_are_refused, dampings_and_frames_that_cannot_be_are_refused,
          notes_come_in_the_order_of_the_text, repeated_keys_do_not_stop_the_reading)
