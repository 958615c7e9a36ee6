// Modal rods in scenes: their keys, what is of no use to them, and how clamps hold their nodes.
#include "scene_text.h"

#include "scene/scene.h"

#define SOLID_ROD "'material': 'rubber', 'section': {'disc': {'radius': 0.01}}, "
#define LINE "'shape': {'line': {'from': [0, 0, 0], 'to': [1, 0, 0]}}, 'elements': 4"
// The rod's keys, on line 2, from column 1; clamps on line 3.
#define MODAL(rod_keys, scene_keys)                                                                          \
    "{'cordage': 1, 'rods': [{'name': 'beam',\n" rod_keys "'model': 'modal', " SOLID_ROD LINE "}]" scene_keys "}"
#define CLAMPED(clamp) MODAL("", ",\n'clamps': [" clamp "]")

static CordModalDef modal_of(const char* text)
{
    SceneText s = scene_text(text, NULL);
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    CHECK_OK(s.result);
    CHECK_INT(s.scene->rods[0].def.model, CORD_MODEL_MODAL);
    CordModalDef def = s.scene->rods[0].def.modal;
    free(notes);
    cord_scene_destroy(s.scene);
    return def;
}

// ---- keys

TEST(what_is_left_out_is_the_library_s)
{
    CordModalDef library = cord_rod_def_default().modal, none = modal_of(MODAL("", ""));
    CHECK_INT(none.modes, 8);
    CHECK_INT(none.modes, library.modes);
    CHECK_NEAR(none.mass_damping, library.mass_damping, 0.0);
    CHECK_NEAR(none.damping_ratio, library.damping_ratio, 0.0);
    CHECK(none.damping_ratios == NULL);
    CHECK_INT(none.linear, library.linear);
    CHECK_INT(none.rigid, CORD_RIGID_REFUSE);
}

TEST(each_key_arrives)
{
    CordModalDef def = modal_of(MODAL(
        "'modal': {'modes': 12, 'mass_damping': 0.5, 'damping_ratio': 0.02, 'linear': true, 'rigid': 'remove'}, ",
        ""));
    CHECK_INT(def.modes, 12);
    CHECK_NEAR(def.mass_damping, 0.5, 0.0);
    CHECK_NEAR(def.damping_ratio, 0.02, 0.0);
    CHECK(def.damping_ratios == NULL && def.linear);
    CHECK_INT(def.rigid, CORD_RIGID_REMOVE);
}

TEST(ratios_of_single_modes_arrive)
{
    SceneText s = scene_text(MODAL("'modal': {'damping_ratio': [0.25, 0, 0.5]}, ", ""), NULL);
    const CordModalDef* def = &s.scene->rods[0].def.modal;
    CHECK_OK(s.result);
    CHECK_INT(def->damping_ratio_count, 3);
    CHECK_NEAR(def->damping_ratios[0], 0.25, 0.0);
    CHECK_NEAR(def->damping_ratios[1], 0.0, 0.0);
    CHECK_NEAR(def->damping_ratios[2], 0.5, 0.0);
    cord_scene_destroy(s.scene);
}

TEST(other_models_leave_the_keys_alone)
{
    CHECK_NOTES("{'cordage': 1, 'rods': [{'modal': {'modes': 3}, " SOLID_ROD LINE "}]}", "");
}

#define CHECK_MODAL(keys, expected) CHECK_NOTES(MODAL("'modal': {" keys "}, ", ""), "2:" expected "\n")

TEST(what_is_wrong_with_a_key_is_told)
{
    CHECK_MODAL("'modes': 0",
                "20: error: rods[0].modal.modes is 0; modes are counted from the lowest and must be at least 1");
    CHECK_MODAL("'modes': 1.5",
                "20: error: rods[0].modal.modes is 1.5; modes are counted from the lowest and must be a whole number");
    CHECK_MODAL("'mass_damping': -1",
                "27: error: rods[0].modal.mass_damping is -1; damping by mass is per second and must not be negative");
    CHECK_MODAL("'damping_ratio': [0.1, -1]", "34: error: rods[0].modal.damping_ratio[1] is -1; a damping ratio is a "
                                              "fraction of critical damping and must not be negative");
    CHECK_MODAL("'damping_ratio': []", "28: error: rods[0].modal.damping_ratio is empty; write a number for all modes, or "
                                       "one for each of the lowest, such as [0.02, 0.03]");
    CHECK_MODAL("'rigid': 'keep'", "20: error: rods[0].modal.rigid is \"keep\"; what is done about rigid motions is "
                                   "\"refuse\" or \"remove\"");
    CHECK_MODAL("'mode': 3",
                "11: error: rods[0].modal.mode is not a key of what modal adds; did you mean \"modes\"?");
}

TEST(keys_that_modes_have_no_use_for_are_told_of)
{
    CHECK_NOTES(
        MODAL("'integrator': 'implicit', 'inextensible': true, 'length_method': 'rattle', 'dynamic_twist': true, ",
              ""),
        "2:15: warning: rods[0].integrator is not used by the model \"modal\", whose modes are stepped exactly; leave "
        "it out\n"
        "2:43: warning: rods[0].inextensible is not used by the model \"modal\", whose lengths follow from its modes; "
        "leave it out\n"
        "2:66: warning: rods[0].length_method is not used by the model \"modal\", whose lengths follow from its modes; "
        "leave it out\n"
        "2:93: warning: rods[0].dynamic_twist is not used by the model \"modal\", whose frames always turn with their "
        "inertia; leave it out\n");
    CHECK_NOTES(MODAL("'inextensible': false, 'dynamic_twist': false, ", ""), "");
}

// Lengths of modal rods are not kept by a constraint, so that they need a stiffness.
TEST(an_inextensible_modal_rod_still_needs_a_stretching_stiffness)
{
    CHECK_NOTES(
        "{'cordage': 1, 'rods': [\n{'model': 'modal', 'stiffness': {'bend': 1, 'twist': 1, 'mass_per_length': 1}, "
        "'inextensible': true, " LINE "}]}",
        "2:1: error: rods[0] has no material; name one, such as \"nylon\", or give all of stiffness: bend, twist, "
        "stretch and mass_per_length\n"
        "2:1: error: rods[0] has no section; write one, such as {\"disc\": {\"radius\": 0.005}} (metres)\n"
        "2:96: warning: rods[0].inextensible is not used by the model \"modal\", whose lengths follow from its modes; "
        "leave it out\n");
}

// ---- clamps

static SceneText clamped(const char* text)
{
    SceneText s = scene_text(text, NULL);
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    CHECK_OK(s.result);
    free(notes);
    return s;
}

TEST(clamped_ends_have_no_half_edges)
{
    SceneText s = clamped(CLAMPED("{'at': 'start', 'fix': 'frame'}, {'at': {'node': 4}, 'fix': 'frame'}"));
    CHECK(!s.scene->rods[0].def.half_edge_start && !s.scene->rods[0].def.half_edge_end);
    CHECK_INT(s.scene->clamps[1].def.at.kind, CORD_AT_NODE);
    CHECK_INT(s.scene->clamps[1].def.at.index, 4);
    cord_scene_destroy(s.scene);
    s = scene_text(CLAMPED("{'at': 'start', 'fix': 'frame'}"), "rods[0].model=der");
    CHECK(s.scene->rods[0].def.half_edge_start);
    cord_scene_destroy(s.scene);
}

// A clamp of the frame holds one node of a modal rod, so that its neighbour can be held as well.
TEST(a_clamp_of_the_frame_holds_one_node)
{
    CHECK_NOTES(CLAMPED("{'at': 'start', 'fix': 'frame'}, {'at': {'node': 1}}"), "");
    CHECK_NOTES(CLAMPED("{'at': 'start', 'fix': 'frame'},\n{'at': {'node': 0}}"),
                "4:1: error: clamps[1] holds node 0 of rod \"beam\", which clamps[0] (line 3) holds already; leave one of "
                "them out: one clamp says all that is held of a node\n");
}

TEST(freedoms_are_added_up)
{
    SceneText s =
        clamped(CLAMPED("{'at': 'start', 'fix': {'freedoms': ['x', 'turn_z']}}, "
                        "{'at': 'end', 'fix': {'freedoms': ['x', 'y', 'z', 'turn_x', 'turn_y', 'turn_z']}}"));
    CHECK_INT(s.scene->clamps[0].def.fix, CORD_FIX_FREEDOMS);
    CHECK_INT(s.scene->clamps[0].def.freedoms, CORD_HOLD_X | CORD_HOLD_TURN_Z);
    CHECK_INT(s.scene->clamps[1].def.freedoms, 63);
    cord_scene_destroy(s.scene);
}

#define CHECK_CLAMP(clamp, expected) CHECK_NOTES(CLAMPED(clamp), "3:" expected "\n")

TEST(what_is_wrong_with_freedoms_is_told)
{
    CHECK_CLAMP("{'at': 'end', 'fix': {'freedoms': ['w']}}",
                "47: error: clamps[0].fix.freedoms[0] is \"w\"; a freedom is "
                "\"x\", \"y\", \"z\", \"turn_x\", \"turn_y\" or \"turn_z\"");
    CHECK_CLAMP("{'at': 'end', 'fix': {'freedoms': ['x', 'x']}}",
                "52: error: clamps[0].fix.freedoms[1] is \"x\" once more; leave it out");
    CHECK_CLAMP("{'at': 'end', 'fix': {'freedoms': []}}",
                "46: error: clamps[0].fix.freedoms is empty; write what is held, such as [\"x\", \"z\", \"turn_y\"]");
    CHECK_CLAMP("{'at': 'end', 'fix': {}}",
                "33: error: clamps[0].fix has no freedoms; write what is held, such as [\"x\", \"z\", \"turn_y\"]");
    CHECK_CLAMP("{'at': {'edge': 1}, 'fix': {'freedoms': ['x']}}",
                "19: error: clamps[0].at is an edge; a clamp of the position holds a node, so write {\"node\": 1}");
    CHECK_CLAMP("{'at': 'end', 'fix': {'freedoms': ['x']}, 'free_along': [1, 0, 0]}",
                "68: error: clamps[0].free_along is for clamps that hold all directions; leave it out, and its direction out "
                "of freedoms");
    CHECK_NOTES_SET(CLAMPED("{'at': 'end', 'fix': {'freedoms': ['x']}}"), "rods[0].model=der",
                    "3:33: error: clamps[0].fix names freedoms, and rod \"beam\" is no modal one; write \"position\", "
                    "\"direction\" or \"frame\"\n");
}

// ---- many nodes

TEST(a_clamp_of_nodes_is_one_for_each)
{
    SceneText s = clamped(CLAMPED("{'at': {'nodes': [3, 1]}, 'fix': 'frame', 'release': 2}, {'at': 'end'}"));
    CHECK_INT(s.scene->clamp_count, 3);
    CHECK_INT(s.scene->clamps[0].def.at.index, 1);
    CHECK_INT(s.scene->clamps[1].def.at.index, 3);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(s.scene->clamps[i].def.at.kind, CORD_AT_NODE);
        CHECK_INT(s.scene->clamps[i].def.fix, CORD_FIX_FRAME);
        CHECK_NEAR(s.scene->clamps[i].def.release, 2.0, 0.0);
        CHECK_INT(s.scene->clamps[i].entry, 0);
    }
    CHECK_INT(s.scene->clamps[2].entry, 1);
    cord_scene_destroy(s.scene);
}

// The nodes of the line are at 0, 0.25, 0.5, 0.75 and 1.
TEST(a_box_holds_the_nodes_in_it_with_those_on_its_faces)
{
    SceneText s = clamped(CLAMPED("{'at': {'box': {'low': [0.25, 0, 0], 'high': [0.8, 0, 0]}}}"));
    CHECK_INT(s.scene->clamp_count, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(s.scene->clamps[i].def.at.index, 1 + i);
    }
    cord_scene_destroy(s.scene);
}

TEST(what_is_wrong_with_nodes_and_boxes_is_told)
{
    CHECK_CLAMP("{'at': {'nodes': [1, 5]}}", "33: error: clamps[0].at.nodes[1] is node 5; the rod has nodes 0 to 4");
    CHECK_CLAMP("{'at': {'nodes': [1, 1]}}", "33: error: clamps[0].at.nodes[1] is node 1 once more; leave it out");
    CHECK_CLAMP("{'at': {'nodes': []}}", "29: error: clamps[0].at.nodes is empty; write the nodes that are held");
    CHECK_CLAMP("{'at': {'nodes': [0.5]}}",
                "30: error: clamps[0].at.nodes[0] is 0.5; a node is numbered from 0 and must be a whole number");
    CHECK_CLAMP("{'at': {'box': {'low': [2, 0, 0], 'high': [3, 0, 0]}}}",
                "27: error: clamps[0].at.box has no node of rod \"beam\" in it; move it, or make it larger");
    CHECK_CLAMP("{'at': {'box': {'low': [1, 0, 0], 'high': [0, 0, 0]}}}",
                "27: error: clamps[0].at.box has a low corner that is not below its high one along x, y and z");
    CHECK_CLAMP("{'at': {'box': {'low': [1, 0, 0]}}}",
                "27: error: clamps[0].at.box has no high; write its highest corner in metres");
    CHECK_CLAMP("{'at': {'nodes': [0], 'node': 0}}",
                "19: error: clamps[0].at has more than one of its keys; give one: node, edge, arc, nodes or box");
    CHECK_NOTES_SET(CLAMPED("{'at': {'nodes': [0]}}"), "rods[0].model=pbd",
                    "3:19: error: clamps[0].at holds many nodes, which clamps of modal rods do; write a clamp for each place, "
                    "or \"model\": \"modal\" in rod \"beam\"\n");
    CHECK_CLAMP("{'at': {'nodes': [1, 2]}}, {'at': {'node': 2}}",
                "39: error: clamps[1] holds node 2 of rod \"beam\", which clamps[0] (line 3) holds already; leave one of them "
                "out: one clamp says all that is held of a node");
}

// Nodes 0, 1 and 4 have their middle at x = 5/12. A turn about it goes before what moves them in parallel.
TEST(nodes_that_turn_do_so_about_their_middle)
{
    SceneText s =
        clamped(CLAMPED("{'at': {'nodes': [0, 1, 4]}, 'motion': [{'translate': {'by': [0, 0, 1]}, 'to': 1}, "
                        "{'rotate': {'axis': [0, 0, 1], 'turns': 1}, 'to': 1}, "
                        "{'rotate': {'axis': [0, 0, 1], 'turns': 1, 'center': [7, 0, 0]}, 'to': 1}]}"));
    for (int i = 0; i < 3; i++) {
        const CordMotion* m = s.scene->clamps[i].def.motions;
        CHECK_INT(s.scene->clamps[i].def.motion_count, 3);
        CHECK_INT(m[0].kind, CORD_MOTION_ROTATE);
        CHECK(!m[0].center_is_clamp);
        CHECK_VEC3(m[0].center, ((CordVec3){5.0 / 12.0, 0, 0}), 1e-15); // a sum of three numbers below 1
        CHECK_INT(m[1].kind, CORD_MOTION_TRANSLATE);
        CHECK_INT(m[2].kind, CORD_MOTION_ROTATE);
        CHECK_VEC3(m[2].center, ((CordVec3){7, 0, 0}), 0.0);
    }
    cord_scene_destroy(s.scene);
    s = clamped(CLAMPED(
        "{'at': {'nodes': [4]}, 'fix': 'frame', 'motion': [{'rotate': {'axis': [0, 0, 1], 'turns': 1}, 'to': 1}]}"));
    CHECK(s.scene->clamps[0].def.motions[0].center_is_clamp);
    cord_scene_destroy(s.scene);
}

TEST(motions_that_would_pull_the_nodes_apart_are_refused)
{
    CHECK_CLAMP("{'at': {'nodes': [0, 1]}, 'motion': [{'keyframes': [{'time': 0}, {'time': 1, 'rotate': {'axis': [1, 0, 0], "
                "'degrees': 10}}]}]}",
                "48: error: clamps[0].motion has keyframes that turn, each node about itself; write rotate, which turns them "
                "about their middle");
    CHECK_CLAMP("{'at': {'nodes': [0, 1]}, 'motion': [{'rotate': {'axis': [0, 0, 1], 'turns': 1, 'center': [7, 0, 0]}, 'to': 1}, "
                "{'rotate': {'axis': [0, 0, 1], 'turns': 1}, 'to': 1}]}",
                "48: error: clamps[0].motion turns the nodes about their middle after a turn that has moved it; give every "
                "rotate a center");
    CHECK_NOTES(CLAMPED("{'at': {'nodes': [0, 1]}, 'motion': [{'keyframes': [{'time': 0}, {'time': 1, 'offset': [0, 0, 1]}]}]}"),
                "");
}

TEST_MAIN(what_is_left_out_is_the_library_s, each_key_arrives, ratios_of_single_modes_arrive,
          other_models_leave_the_keys_alone, what_is_wrong_with_a_key_is_told,
          keys_that_modes_have_no_use_for_are_told_of, an_inextensible_modal_rod_still_needs_a_stretching_stiffness,
          clamped_ends_have_no_half_edges, a_clamp_of_the_frame_holds_one_node, freedoms_are_added_up,
          what_is_wrong_with_freedoms_is_told, a_clamp_of_nodes_is_one_for_each,
          a_box_holds_the_nodes_in_it_with_those_on_its_faces, what_is_wrong_with_nodes_and_boxes_is_told,
          nodes_that_turn_do_so_about_their_middle, motions_that_would_pull_the_nodes_apart_are_refused)
