// Modal rods in scenes: their keys, what is of no use to them, and how clamps hold their nodes.
#include "scene_text.h"

#include "scene/scene.h"

// The rod's keys, on line 2, from column 1; clamps on line 3.
#define MODAL(rod_keys, scene_keys)                                                                          \
    "{'cordage': 1, 'rods': [{'name': 'beam',\n" rod_keys "'model': 'modal', " SOLID_ROD LINE                \
    "}]" scene_keys "}"
#define CLAMPED(clamp) MODAL("", ",\n'clamps': [" clamp "]")

static CordModalDef modal_of(const char* text)
{
    CordScene* scene = made(text);
    CHECK_INT(scene->rods[0].def.model, CORD_MODEL_MODAL);
    return scene->rods[0].def.modal;
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
    CordModalDef def = modal_of(MODAL("'modal': {'modes': 12, 'mass_damping': 0.5, 'damping_ratio': 0.02, "
                                      "'linear': true, 'rigid': 'remove'}, ",
                                      ""));
    CHECK_INT(def.modes, 12);
    CHECK_NEAR(def.mass_damping, 0.5, 0.0);
    CHECK_NEAR(def.damping_ratio, 0.02, 0.0);
    CHECK(def.damping_ratios == NULL && def.linear);
    CHECK_INT(def.rigid, CORD_RIGID_REMOVE);
}

TEST(ratios_of_single_modes_arrive)
{
    CordScene* s = made(MODAL("'modal': {'damping_ratio': [0.25, 0, 0.5]}, ", ""));
    const CordModalDef* def = &s->rods[0].def.modal;
    CHECK_INT(def->damping_ratio_count, 3);
    CHECK_NEAR(def->damping_ratios[0], 0.25, 0.0);
    CHECK_NEAR(def->damping_ratios[1], 0.0, 0.0);
    CHECK_NEAR(def->damping_ratios[2], 0.5, 0.0);
}

// ---- clamps

TEST(clamped_ends_have_no_half_edges)
{
    CordScene* s = made(CLAMPED("{'at': 'start', 'fix': 'frame'}, {'at': {'node': 4}, 'fix': 'frame'}"));
    CHECK(!s->rods[0].def.half_edge_start && !s->rods[0].def.half_edge_end);
    CHECK_INT(s->clamps[1].def.at.kind, CORD_AT_NODE);
    CHECK_INT(s->clamps[1].def.at.index, 4);
    s = scene_text(CLAMPED("{'at': 'start', 'fix': 'frame'}"), "rods[0].model=der").scene;
    CHECK(s->rods[0].def.half_edge_start);
}

TEST(freedoms_are_added_up)
{
    CordScene* s =
        made(CLAMPED("{'at': 'start', 'fix': {'freedoms': ['x', 'turn_z']}}, "
                     "{'at': 'end', 'fix': {'freedoms': ['x', 'y', 'z', 'turn_x', 'turn_y', 'turn_z']}}"));
    CHECK_INT(s->clamps[0].def.fix, CORD_FIX_FREEDOMS);
    CHECK_INT(s->clamps[0].def.freedoms, CORD_HOLD_X | CORD_HOLD_TURN_Z);
    CHECK_INT(s->clamps[1].def.freedoms, 63);
}

// ---- many nodes

TEST(a_clamp_of_nodes_is_one_for_each)
{
    CordScene* s = made(CLAMPED("{'at': {'nodes': [3, 1]}, 'fix': 'frame', 'release': 2}, {'at': 'end'}"));
    CHECK_INT(s->clamp_count, 3);
    CHECK_INT(s->clamps[0].def.at.index, 1);
    CHECK_INT(s->clamps[1].def.at.index, 3);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(s->clamps[i].def.at.kind, CORD_AT_NODE);
        CHECK_INT(s->clamps[i].def.fix, CORD_FIX_FRAME);
        CHECK_NEAR(s->clamps[i].def.release, 2.0, 0.0);
        CHECK(s->clamps[i].at == s->clamps[0].at);
    }
    CHECK(s->clamps[2].at != s->clamps[0].at);
}

// The nodes of the line are at 0, 0.25, 0.5, 0.75 and 1.
TEST(a_box_holds_the_nodes_in_it_with_those_on_its_faces)
{
    CordScene* s = made(CLAMPED("{'at': {'box': {'low': [0.25, 0, 0], 'high': [0.8, 0, 0]}}}"));
    CHECK_INT(s->clamp_count, 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(s->clamps[i].def.at.index, 1 + i);
    }
}

// Nodes 0, 1 and 4 have their middle at x = 5/12. A turn about it goes before what moves them in parallel.
TEST(nodes_that_turn_do_so_about_their_middle)
{
    CordScene* s =
        made(CLAMPED("{'at': {'nodes': [0, 1, 4]}, 'motion': [{'translate': {'by': [0, 0, 1]}, 'to': 1}, "
                     "{'rotate': {'axis': [0, 0, 1], 'turns': 1}, 'to': 1}, "
                     "{'rotate': {'axis': [0, 0, 1], 'turns': 1, 'center': [7, 0, 0]}, 'to': 1}]}"));
    for (int i = 0; i < 3; i++) {
        const CordMotion* m = s->clamps[i].def.motions;
        CHECK_INT(s->clamps[i].def.motion_count, 3);
        CHECK_INT(m[0].kind, CORD_MOTION_ROTATE);
        CHECK(!m[0].center_is_clamp);
        CHECK_VEC3(m[0].center, ((CordVec3){5.0 / 12.0, 0, 0}), 1e-15); // a sum of three numbers below 1
        CHECK_INT(m[1].kind, CORD_MOTION_TRANSLATE);
        CHECK_INT(m[2].kind, CORD_MOTION_ROTATE);
        CHECK_VEC3(m[2].center, ((CordVec3){7, 0, 0}), 0.0);
    }
    s = made(CLAMPED("{'at': {'nodes': [4]}, 'fix': 'frame', 'motion': [{'rotate': {'axis': [0, 0, 1], "
                     "'turns': 1}, 'to': 1}]}"));
    CHECK(s->clamps[0].def.motions[0].center_is_clamp);
}

TEST_GROUP(scene_modal)
