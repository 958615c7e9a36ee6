// Statics in a scene: what `cordage solve` is told.
#include "scene_text.h"

TEST(every_key_of_solve_arrives)
{
    CordScene* s = made(SCENE_WITH("'solve': {'method': 'arc', 'from': 1, 'to': 3, 'step': 0.5, 'least': "
                                   "0.25, 'most': 0.75, 'points': 9,"
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
    }
    CordScene* s = made(SCENE_WITH("'solve': {'perturb': {'amplitude': 1}}, ", ""));
    CHECK_INT(cord_scene_solve(s)->push_mode, 1); // the softest
}

TEST_GROUP(scene_solve)
