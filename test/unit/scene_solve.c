// Statics in a scene: what `cordage solve` is told.
#include "scene_text.h"

static CordScene* made(const char* text)
{
    SceneText s = scene_text(text, NULL);
    char* notes = scene_text_notes(s.scene);
    CHECK_STR(notes, "");
    CHECK_OK(s.result);
    free(notes);
    return s.scene;
}

TEST(every_key_of_solve_arrives)
{
    CordScene* s = made(SCENE_WITH("'solve': {'method': 'arc', 'from': 1, 'to': 3, 'step': 0.5, 'least': 0.25, 'most': 0.75, 'points': 9,"
                                   "'tolerance': 1e-7, 'iterations': 11, 'accept_saddle': true, 'seed': 12,"
                                   "'switch': [{'at': 1, 'amplitude': 0.1}, {'at': 3, 'amplitude': -0.2}],"
                                   "'perturb': {'amplitude': -0.3, 'mode': 2}}, ",
                                   ""));
    const CordSceneSolve* solve = cord_scene_solve(s);
    CHECK(solve->given);
    CHECK_INT(solve->branch.method, CORD_BRANCH_ARC);
    CHECK_NEAR(solve->branch.from, 1.0, 0.0);
    CHECK_NEAR(solve->branch.to, 3.0, 0.0);
    CHECK_NEAR(solve->branch.step, 0.5, 0.0);
    CHECK_NEAR(solve->branch.least, 0.25, 0.0);
    CHECK_NEAR(solve->branch.most, 0.75, 0.0);
    CHECK_INT(solve->branch.points, 9);
    CHECK_NEAR(solve->branch.solve.tolerance, 1e-7, 0.0);
    CHECK_INT(solve->branch.solve.iterations, 11);
    CHECK(solve->branch.solve.accept_saddle);
    CHECK_INT(solve->branch.solve.seed, 12);
    CHECK_INT(solve->switch_count, 2);
    CHECK_INT(solve->switches[0].at, 1);
    CHECK_NEAR(solve->switches[0].amplitude, 0.1, 0.0);
    CHECK_INT(solve->switches[1].at, 3);
    CHECK_NEAR(solve->switches[1].amplitude, -0.2, 0.0);
    CHECK_NEAR(solve->push, -0.3, 0.0);
    CHECK_INT(solve->push_mode, 2);
    cord_scene_destroy(s);
}

TEST(what_is_left_out_of_solve_has_its_default)
{
    CordBranchDef def = cord_branch_def_default();
    const char* const texts[] = {SCENE_WITH("'time': {'end': 7}, ", ""),
                                 SCENE_WITH("'time': {'end': 7}, 'solve': {}, ", "")};
    for (int i = 0; i < 2; i++) {
        CordScene* s = made(texts[i]);
        const CordSceneSolve* solve = cord_scene_solve(s);
        CHECK_INT(solve->given, i);
        CHECK_INT(solve->branch.method, def.method);
        CHECK_NEAR(solve->branch.from, 0.0, 0.0);
        CHECK_NEAR(solve->branch.to, 7.0, 0.0); // the end of time
        CHECK_NEAR(solve->branch.step, def.step, 0.0);
        CHECK_INT(solve->branch.points, def.points);
        CHECK_NEAR(solve->branch.solve.tolerance, def.solve.tolerance, 0.0);
        CHECK_INT(solve->branch.solve.seed, def.solve.seed);
        CHECK_INT(solve->switch_count, 0);
        CHECK_NEAR(solve->push, 0.0, 0.0);
        cord_scene_destroy(s);
    }
    CordScene* s = made(SCENE_WITH("'solve': {'perturb': {'amplitude': 1}}, ", ""));
    CHECK_INT(cord_scene_solve(s)->push_mode, 1); // the softest
    cord_scene_destroy(s);
}

#define CHECK_SOLVE(keys, expected)                                                                          \
    CHECK_NOTES(SCENE_WITH("\n'solve': {" keys "},\n", ""), "2:" expected "\n")

TEST(a_solve_that_cannot_be_is_refused)
{
    CHECK_SOLVE("'metod': 'arc'", "11: error: solve.metod is not a key of a solve; did you mean \"method\"?");
    CHECK_SOLVE("'method': 'arch'",
                "21: error: solve.method is \"arch\"; a method is \"natural\" or \"arc\"; did you mean \"arc\"?");
    CHECK_SOLVE("'from': 2, 'to': 1",
                "10: error: solve ends before it begins: it goes from 2 to 1 s; \"to\" is the end of time if it is not given");
    CHECK_SOLVE("'from': 6",
                "10: error: solve ends before it begins: it goes from 6 to 5 s; \"to\" is the end of time if it is not given");
    CHECK_SOLVE("'least': 2, 'most': 1", "10: error: solve has a least step that is longer than the most");
    CHECK_SOLVE("'points': 0", "21: error: solve.points is 0; points are counted and must be at least 1");
    CHECK_SOLVE("'step': 0", "19: error: solve.step is 0; a step of the branch is in seconds and must be positive");
    CHECK_SOLVE("'tolerance': 2",
                "24: error: solve.tolerance is 2; a tolerance is relative to the largest force in the rods and must be at most 1");
    CHECK_SOLVE("'seed': 1.5",
                "19: error: solve.seed is 1.5; a seed chooses random numbers and must be a whole number");
    CHECK_SOLVE("'switch': {'at': 1}", "21: error: solve.switch is an object; switches are a list, in [ ]");
    CHECK_SOLVE("'switch': [{'at': 1}]",
                "22: error: solve.switch[0] has no amplitude; write how far to push in metres");
    CHECK_SOLVE("'switch': [{'at': 1, 'amplitude': 0}]",
                "45: error: solve.switch[0].amplitude is 0; a push must be more or less than that");
    CHECK_SOLVE("'switch': [{'at': 2, 'amplitude': 1}, {'at': 2, 'amplitude': 1}]",
                "49: error: solve.switch[1] is not after the switch before it; bifurcations are counted along the branch");
    CHECK_SOLVE("'switch': [{'at': 0, 'amplitude': 1}]",
                "29: error: solve.switch[0].at is 0; bifurcations are counted from 1 and must be at least 1");
    CHECK_SOLVE("'perturb': {'mode': 1}",
                "22: error: solve.perturb has no amplitude; write how far to push in metres");
    CHECK_SOLVE("'perturb': {'amplitude': 1, 'mode': 0}",
                "47: error: solve.perturb.mode is 0; modes are counted from the softest and must be at least 1");
}

TEST_MAIN(every_key_of_solve_arrives, what_is_left_out_of_solve_has_its_default, a_solve_that_cannot_be_is_refused)
