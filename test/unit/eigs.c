#include <cordage/eigs.h>

#include "beam_matrices.h"
#include "check.h"
#include "math/lanczos.h"
#include "mode_pairs.h"

static ModePairs find(const CordEigenProblem* p)
{
    ModePairs pairs = mode_pairs(p);
    char why[256] = "";
    const CordEigenSolver* solver = cord_eigs_solver();
    CordResult result = solver->solve(solver->user, p, pairs.lambda, pairs.phi, why, sizeof why);
    CHECK_STR(why, "");
    CHECK_OK(result);
    return pairs;
}

TEST(it_is_in_this_build)
{
    CHECK(cord_eigs_solver() != NULL);
    CHECK_STR(cord_eigs_solver()->name, "arpack");
}

// The least stiff way of this sphere, which is held at one node, is 1e8 times softer than its elements: 1e-16
// of these is 1e-8.
TEST(modes_of_a_sphere_are_those_of_the_built_in_solver)
{
    BeamNet net = beam_net_sphere(9, 14, 1.0);
    for (int count = 1; count < 40; count += 12) {
        BeamMatrices m = beam_matrices(&net, count, -1.0);
        ModePairs found = find(&m.problem), own = mode_pairs(&m.problem);
        Memory memory;
        Message message = {""};
        memory_init(&memory, (CordAllocator){0});
        CHECK_OK(lanczos_lowest(&memory, &m.problem, own.lambda, own.phi, &message));
        mode_pairs_check(&m.problem, &found, 1e-11, 1e-9);
        for (int k = 0; k < count; k++) {
            CHECK_NEAR(found.lambda[k] / own.lambda[k], 1.0, 1e-7);
        }
        mode_pairs_free(&found), mode_pairs_free(&own), beam_matrices_free(&m);
    }
    beam_net_free(&net);
}

TEST(short_elements_lose_no_digits)
{
    mode_pairs_check_fine_beam(find);
}

// More copies than ARPACK finds by itself.
TEST(equal_beams_have_equal_modes_all_of_them)
{
    enum { BEAMS = 9, N = 12 };
    BeamNet net = mode_pairs_beams(BEAMS, N);
    for (int count = 1; count <= 4 * BEAMS + 1; count += 6) {
        BeamMatrices m = beam_matrices(&net, count, 0.0);
        ModePairs found = find(&m.problem);
        mode_pairs_check(&m.problem, &found, 1e-11, 1e-9);
        mode_pairs_check_beams(&found, count, BEAMS, N);
        mode_pairs_free(&found), beam_matrices_free(&m);
    }
    beam_net_free(&net);
}

static bool stop_after(void* user, const char* what, double share)
{
    CHECK(what[0] != '\0' && (isnan(share) || (share >= 0.0 && share <= 1.0)));
    return --*(int*)user >= 0;
}

static CordResult try(const CordEigenProblem* p, char why[256])
{
    ModePairs pairs = mode_pairs(p);
    CordResult result = cord_eigs_solver()->solve(NULL, p, pairs.lambda, pairs.phi, why, 256);
    mode_pairs_free(&pairs);
    return result;
}

TEST(what_cannot_be_found_is_refused)
{
    BeamNet net = beam_net_line(4, 1.0);
    BeamMatrices m = beam_matrices(&net, 23, 0.0);
    char why[256] = "";
    CHECK_RESULT(try(&m.problem, why), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(why, "1 to 22");
    m.problem.count = 3, m.problem.shift = 1e9;
    CHECK_RESULT(try(&m.problem, why), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(why, "not positive definite");
    m.problem.shift = 0.0;
    for (int calls = 0; calls < 12; calls += 4) {
        int left = calls;
        m.problem.progress = stop_after, m.problem.progress_user = &left;
        CHECK_RESULT(try(&m.problem, why), CORD_NOT_CONVERGED);
        CHECK_CONTAINS(why, "stopped");
    }
    beam_matrices_free(&m), beam_net_free(&net);
}

// From one unknown beyond what it takes at the least.
TEST(small_problems_are_solved_too)
{
    BeamNet net = beam_net_line(1, 1.0);
    for (int count = 1; count <= 4; count++) {
        BeamMatrices m = beam_matrices(&net, count, 0.0);
        ModePairs found = find(&m.problem);
        mode_pairs_check(&m.problem, &found, 1e-11, 1e-9);
        mode_pairs_free(&found), beam_matrices_free(&m);
    }
    beam_net_free(&net);
}

TEST_GROUP(eigs)
