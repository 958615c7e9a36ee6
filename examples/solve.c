// Statics: a steel ruler stands in a vice and carries a growing load on its tip. cord_world_solve finds an
// equilibrium, cord_world_modes its vibrations, and a branch the load at which the ruler buckles: Euler's
// pi^2 EI / (4 L^2).
#include <cordage/math.h>
#include <cordage/solve.h>

#include <stdio.h>

static const double length = 0.5, width = 0.02, thickness = 0.001; // [m]

// The load reaches `full` at t = 1 s, so that the time is the share of it.
static CordResult make_ruler(CordWorld* world, double full, CordRodId* ruler)
{
    CordRodDef def = cord_rod_def_default();
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){0, 0, length}, 61);
    def.section = cord_section_rectangle(thickness, width); // along m1 and m2: it bends towards m1
    def.material.density = 7850, def.material.young = 210e9, def.material.poisson = 0.3;
    def.m1 = (CordVec3){1, 0, 0};
    def.half_edge_start = true; // a clamped edge acts at its middle: half as long, it ends at the vice
    CordClampDef vice = cord_clamp_def_default();
    CordLoadDef weight = cord_load_def_default();
    CordClampId clamp;
    CordLoadId load;
    CordResult result = cord_rod_create(world, &def, ruler);
    vice.rod = weight.rod = *ruler;
    vice.fix = CORD_FIX_FRAME;
    weight.at = cord_at_end();
    weight.force = (CordVec3){0, 0, -full};
    weight.from = 0.0, weight.ramp = 1.0;
    result = result == CORD_OK ? cord_clamp_create(world, &vice, &clamp) : result;
    return result == CORD_OK ? cord_load_create(world, &weight, &load) : result;
}

int main(void)
{
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordWorld* world = NULL;
    CordRodId ruler;
    CordSolveDef solve = cord_solve_def_default();
    CordSolveReport report;
    CordBranchDef branch_def = cord_branch_def_default();
    CordBranch* branch = NULL;
    CordBranchPoint point = {.event = CORD_BRANCH_POINT};
    double EI = 210e9 * width * thickness * thickness * thickness / 12.0, omega2[2];
    double euler = CORD_PI * CORD_PI * EI / (4.0 * length * length), buckles = 0.0;
    CordResult result = cord_world_create(&world_def, &world);
    result = result == CORD_OK ? make_ruler(world, 2.0 * euler, &ruler) : result;
    for (int i = 0; i < 2 && result == CORD_OK; i++) { // without a load, and with three quarters of Euler's
        result = cord_world_set_time(world, 0.375 * i);
        result = result == CORD_OK ? cord_world_solve(world, &solve, &report) : result;
        result = result == CORD_OK ? cord_world_modes(world, 2, omega2, NULL) : result;
        if (result == CORD_OK) {
            printf("at %.2f of Euler's load: %s, vibrates at %.4f and %.4f Hz\n", 0.75 * i,
                   report.unstable == 0 ? "stable" : "unstable", sqrt(omega2[0]) / (2.0 * CORD_PI),
                   sqrt(omega2[1]) / (2.0 * CORD_PI));
        }
    }
    branch_def.method = CORD_BRANCH_ARC; // goes on where the ruler is unstable, and tells where it became so
    branch_def.from = 0.375, branch_def.to = 1.0;
    result = result == CORD_OK ? cord_branch_create(world, &branch_def, &branch) : result;
    while (result == CORD_OK && point.event != CORD_BRANCH_END && point.event != CORD_BRANCH_BIFURCATION) {
        result = cord_branch_next(branch, &point);
    }
    if (result == CORD_OK && point.event == CORD_BRANCH_BIFURCATION) {
        buckles = 2.0 * point.event_time;
        result = cord_branch_switch(branch, 0.005); // along the branch that crosses, pushed by 5 mm
    }
    while (result == CORD_OK && point.event != CORD_BRANCH_END) {
        result = cord_branch_next(branch, &point);
    }
    CordVec3 x[61] = {{0}};
    result = result == CORD_OK ? cord_rod_positions(world, ruler, x) : result;
    if (result != CORD_OK) {
        fprintf(stderr, "%s: %s\n", cord_result_name(result), world ? cord_world_message(world) : "no world");
    }
    printf("buckles at %.5f of Euler's load; at twice that load its tip is %.4f m off the axis and %.4f m "
           "high\n",
           buckles, fabs(x[60].x), x[60].z);
    cord_branch_destroy(branch);
    cord_world_destroy(world);
    return result == CORD_OK && fabs(buckles - 1.0) < 1e-3 ? 0 : 1;
}
