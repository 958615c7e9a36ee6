// Branches of equilibria: folds, bifurcations, jumps, switching, and ends.
#include "solve/arc_length.h"
#include "world/island.h"
#include "world_branches.h"

#define MOST_POINTS 400

// ---- folds: a shallow arch under a load at its crown
//
// One wave of a cosine, naturally curved, clamped at both ends, stiff across its plane. Its rise is 1.6 times
// the thickness that EI and EA stand for, sqrt(12 EI / EA): enough for the load that the crown carries to
// have a greatest and a least value, where the arch snaps through, and too little for it to give way to one
// side before.

#define RISE 0.033

static CordLoadDef ramp_def(CordVec3 force) // all of it at t = 1
{
    CordLoadDef def = cord_load_def_default();
    def.from = 0.0, def.ramp = 1.0, def.force = force;
    return def;
}

// A body pinned to the crown changes nothing, whether the load is on the node or on the body.
typedef enum Crown { CROWN_BARE, CROWN_BODY, CROWN_LOADED_BODY, CROWNS } Crown;

static void load_crown(CordWorld* world, CordRodId rod, Crown crown, double load)
{
    CordLoadDef def = ramp_def((CordVec3){0, 0, -load});
    def.rod = rod, def.at = cord_at_node(NODES / 2);
    if (crown != CROWN_BARE) {
        CordBodyId body = add_odd_body(world, node_of(world, rod, NODES / 2), 1e-3, 0.02);
        add_weld(world, rod, cord_at_node(NODES / 2), body, CORD_FIX_POSITION);
        if (crown == CROWN_LOADED_BODY) {
            def.rod = (CordRodId){0, 0}, def.body = body;
        }
    }
    add_load(world, &def);
}

static CordRodId arch(CordWorld* world, Crown crown, double load)
{
    static CordVec3 x[NODES];
    for (int i = 0; i < NODES; i++) {
        double s = (double)i / (NODES - 1);
        x[i] = (CordVec3){s, 0, 0.5 * RISE * (1.0 - cos(2 * CORD_PI * s))};
    }
    CordRodDef def = line_def(NODES);
    def.shape = cord_shape_points(x, NODES);
    def.stiffness.EI2 = 20 * RODS_EI, def.stiffness.GJ = 50 * RODS_GJ, def.m1 = (CordVec3){0, 1, 0};
    CordRodId rod = add_rod(world, &def);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold(world, rod, cord_at_end(), CORD_FIX_FRAME);
    load_crown(world, rod, crown, load);
    return rod;
}

typedef struct Trace {
    int points, folds, bifurcations, jumps;
    double fold_time[4]; // [s]
    double height[MOST_POINTS], time[MOST_POINTS];
    int unstable[MOST_POINTS];
} Trace;

static void follow(CordWorld* world, CordBranch* branch, CordRodId rod, Trace* t)
{
    *t = (Trace){0};
    for (;;) {
        CordBranchPoint p = next(world, branch);
        if (p.event == CORD_BRANCH_END) {
            return;
        }
        CHECK(t->points < MOST_POINTS);
        CHECK(t->points == 0 || p.solve.iterations > 0); // each is found, not just met
        t->height[t->points] = node_of(world, rod, NODES / 2).z;
        t->time[t->points] = p.time, t->unstable[t->points++] = p.solve.unstable;
        if (p.event == CORD_BRANCH_FOLD && t->folds < 4) {
            t->fold_time[t->folds++] = p.event_time;
        }
        t->bifurcations += p.event == CORD_BRANCH_BIFURCATION;
        t->jumps += p.event == CORD_BRANCH_JUMP;
    }
}

static Trace arch_trace(Crown crown, CordBranchMethod method, double step)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = arch(world, crown, 0.05);
    CordBranch* branch = open_branch(world, method, 0.0, 1.0, step);
    Trace t;
    follow(world, branch, rod, &t);
    CHECK_NEAR(cord_world_time(world), 1.0, 1e-12);
    CHECK(weld_gap(world) < 1e-12);
    close_branch(world, branch);
    return t;
}

static double largest_time(const Trace* t, int until)
{
    double most = -INFINITY;
    for (int i = 0; i < until; i++) {
        most = fmax(most, t->time[i]);
    }
    return most;
}

TEST(an_arch_is_followed_around_both_of_its_folds)
{
    Trace t = arch_trace(CROWN_BARE, CORD_BRANCH_ARC, 0.01);
    CHECK_INT(t.folds, 2);
    CHECK_INT(t.bifurcations, 0);
    int first = 0, second = t.points - 1; // unstable between the folds, stable before and after
    while (t.unstable[first] == 0) {
        first++;
    }
    while (t.unstable[second] == 0) {
        second--;
    }
    for (int i = first; i <= second; i++) {
        CHECK_INT(t.unstable[i], 1);
    }
    // the branch turns at its greatest load, within a step
    CHECK_NEAR(t.fold_time[0], largest_time(&t, first + 1), 0.01);
    CHECK(t.fold_time[0] >= largest_time(&t, first + 1) - 1e-6); // no point is farther than the fold
    CHECK(t.fold_time[1] < t.fold_time[0]);
    CHECK(t.height[0] == RISE && t.height[t.points - 1] < -RISE);
    for (int i = 1; i < t.points; i++) {
        CHECK(t.height[i] < t.height[i - 1]); // the crown goes down all the way
    }
}

// With time alone to go by, the arch jumps where its branch ends, and lands on the branch beyond: where the
// arc leads, too.
TEST(natural_continuation_jumps_at_the_fold)
{
    Trace natural = arch_trace(CROWN_BARE, CORD_BRANCH_NATURAL, 0.01),
          arc = arch_trace(CROWN_BARE, CORD_BRANCH_ARC, 0.01);
    CHECK_INT(natural.jumps, 1);
    CHECK_INT(natural.folds, 0);
    int at = 0;
    while (natural.height[at] > 0.0) {
        at++;
    }
    CHECK_NEAR(natural.time[at], arc.fold_time[0], 0.011); // the first point past it
    CHECK_NEAR(natural.height[natural.points - 1], arc.height[arc.points - 1], 1e-9);
    for (int i = 0; i < natural.points; i++) {
        CHECK_INT(natural.unstable[i], 0);
    }
}

TEST(an_arch_with_a_body_on_its_crown_folds_where_it_does_alone)
{
    Trace traces[CROWNS];
    for (Crown crown = 0; crown < CROWNS; crown++) {
        traces[crown] = arch_trace(crown, CORD_BRANCH_ARC, 0.01);
        CHECK_INT(traces[crown].folds, 2);
        CHECK_INT(traces[crown].bifurcations, 0);
        // Points lie elsewhere, since the body's mass counts for the way. Between them a fold is found to
        // 4e-5 s: so far it goes when steps are halved.
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(traces[crown].fold_time[i], traces[CROWN_BARE].fold_time[i], 4e-5);
        }
        CHECK_NEAR(traces[crown].height[traces[crown].points - 1],
                   traces[CROWN_BARE].height[traces[CROWN_BARE].points - 1], 1e-9);
    }
}

// A heavy body with arms, whose weight and load turn it as its rod bends: how nodes and body go with the
// load, against equilibria a little before and after.
static CordVec3 settled_at(CordWorld* world, CordRodId rod, double time)
{
    CordSolveDef def = cord_solve_def_default();
    CordSolveReport report;
    def.tolerance = 1e-12;
    CHECK_OK(cord_world_set_time(world, time));
    CHECK_OK(cord_world_solve(world, &def, &report));
    return node_of(world, rod, NODES - 1);
}

TEST(rates_along_an_arc_are_those_of_the_equilibria)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_world((CordVec3){0, 0, -0.5});
        CordRodDef def = line_def(NODES);
        def.inextensible = inextensible;
        CordRodId rod = add_rod(world, &def);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        CordLoadDef load = ramp_def((CordVec3){0.001, 0.003, 0.002});
        load.body = add_odd_body(world, (CordVec3){1.1, 0.1, -0.15}, 0.02, 0.05);
        add_weld(world, rod, cord_at_end(), load.body, CORD_FIX_FRAME);
        add_load(world, &load);
        const double near = 1e-3;
        CordVec3 before = settled_at(world, rod, 0.5 - near), after = settled_at(world, rod, 0.5 + near);
        settled_at(world, rod, 0.5);
        Island g = world_solve_island(world, 0);
        ArcLength arc;
        Arena arena = {0};
        CHECK_OK(island_open(world, &g));
        NewtonGroup group = {.islands = &g, .island_count = 1};
        CHECK(arena_reserve(&world->memory, &arena, arc_length_scratch(&group)));
        arc_length_open(&arc, &group, world->gravity, 0.5, &arena);
        arc.st.loads = &world->loads;
        arc.st.soft *= 1e-6; // what keeps free motions in hand is no part of the rates
        arc_length_begin(&arc, 0.5);
        CHECK(arc_length_steps(&arc, 0.5, 1e-6));
        const CordCenterline* c = &arc.st.sys.rods->rod->line;
        CordVec3 rate = slot_get(arc.rods->rate.x, slot_of(c, NODES - 1)),
                 seen = vec3_mul(vec3_sub(after, before), 0.5 / near);
        CHECK(vec3_length(seen) > 0.05);
        CHECK_VEC3(rate, seen, 1e-5 * vec3_length(seen)); // the difference's own error is near^2 of it
        island_close(world, &g);
        arena_free(&world->memory, &arena);
        cord_world_destroy(world);
    }
}

// With steps that are far too long, most are taken back: bodies, too.
TEST(steps_of_an_arc_that_are_too_long_are_taken_back)
{
    for (Crown crown = 0; crown < CROWNS; crown++) {
        CHECK_INT(arch_trace(crown, CORD_BRANCH_ARC, 0.5).folds, 2);
    }
}

// ---- a column: bifurcation, and both sides of the branch that crosses

// What moves at no cost in the scene of a column: nothing, another rod, or the column itself along its axis.
typedef enum Neutral { NEUTRAL_NONE, NEUTRAL_ROD, NEUTRAL_COLUMN } Neutral;

// Pinned, its upper end free to slide down, under a multiple of Euler's load, pi^2 EI / L^2, at t = 1.
static CordRodId column_beside(CordWorld* world, Neutral neutral, double EA, bool inextensible, double ratio)
{
    if (neutral == NEUTRAL_ROD) {
        CordRodDef other = line_def(6);
        other.shape = cord_shape_line((CordVec3){0, 2, 0}, (CordVec3){1, 2, 0}, 6);
        add_rod(world, &other);
    }
    CordRodDef def = line_def(NODES);
    def.stiffness.EI2 = 3 * RODS_EI, def.m1 = (CordVec3){0, 1, 0}; // bends about y, in the plane of x and z
    def.stiffness.EA = EA, def.inextensible = inextensible;
    CordRodId rod = add_rod(world, &def);
    hold_sliding(world, rod, cord_at_end(), CORD_FIX_POSITION, (CordVec3){1, 0, 0});
    CordLoadDef load = ramp_def((CordVec3){-ratio * CORD_PI * CORD_PI * RODS_EI, 0, 0});
    load.rod = rod, load.at = cord_at_end();
    add_load(world, &load);
    if (neutral == NEUTRAL_COLUMN) {
        hold_sliding(world, rod, cord_at_start(), CORD_FIX_POSITION, (CordVec3){1, 0, 0});
        load.force.x = -load.force.x, load.at = cord_at_start();
        add_load(world, &load);
    } else {
        hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    }
    return rod;
}

static CordRodId column_under(CordWorld* world, double EA, bool inextensible, double ratio)
{
    return column_beside(world, NEUTRAL_NONE, EA, inextensible, ratio);
}

static CordRodId column(CordWorld* world, double EA, bool inextensible) // Euler's load at t = 0.8
{
    return column_under(world, EA, inextensible, 1.25);
}

// The time of the first bifurcation of a column.
static double first_bifurcation(double from, double step, Neutral neutral)
{
    CordWorld* world = new_weightless_world();
    column_beside(world, neutral, 1000.0, true, 1.25);
    CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, from, 1.0, step);
    CordBranchPoint p = next(world, branch);
    while (p.event == CORD_BRANCH_POINT) {
        p = next(world, branch);
    }
    CHECK_INT(p.event, CORD_BRANCH_BIFURCATION);
    CHECK_NEAR(cord_world_time(world), p.time, 0.0); // the world is at the point, not at the bifurcation
    close_branch(world, branch);
    return p.event_time;
}

// Newton's tolerance moves a bifurcation by 1e-9; a line between two points would be off by 1e-3. Just past
// it the unstable motion is too slow to count as such: a search for where it begins to count would be off by
// 8e-6.
TEST(a_bifurcation_does_not_depend_on_the_steps)
{
    double time = first_bifurcation(0.0, 0.03, NEUTRAL_NONE);
    CHECK_NEAR(first_bifurcation(0.0, 0.2, NEUTRAL_NONE), time, 1e-7);
    CHECK_NEAR(first_bifurcation(0.0, 0.007, NEUTRAL_NONE), time, 1e-7);
    CHECK_NEAR(first_bifurcation(time + 4e-6 - 0.1, 0.05, NEUTRAL_NONE), time, 1e-7);
    for (int steps = 1; steps < 4; steps++) { // lowest eigenvalue before it: zero, of what is neutral
        CHECK_NEAR(first_bifurcation(0.0, 0.03 * steps, NEUTRAL_ROD), time, 1e-7);
        CHECK_NEAR(first_bifurcation(0.0, 0.03 * steps, NEUTRAL_COLUMN), time, 1e-7);
    }
}

TEST(a_column_s_branch_crosses_another_at_euler_s_load)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = column(world, 1000.0, inextensible);
        CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, 0.03);
        int events = 0;
        for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
            if (p.event != CORD_BRANCH_POINT) {
                CHECK_INT(p.event, CORD_BRANCH_BIFURCATION);
                CHECK_NEAR(p.event_time, 0.8, 1e-3); // the mesh, 0.05 %, and the strain, 1e-5
                events++;
            }
            CHECK_INT(p.solve.unstable, p.time > 0.8 ? 1 : 0);
            CHECK((p.least_eigenvalue < 0.0) == (p.solve.unstable > 0));
            CHECK_NEAR(node_of(world, rod, NODES / 2).z, 0.0, 1e-12); // straight all the way
        }
        CHECK_INT(events, 1);
        close_branch(world, branch);
    }
}

// The middle's deflection at P / Pcr = 1.25: the elastica's, from elliptic integrals. Half the column is
// Timoshenko's cantilever of length 1/2: K(k) = (pi/2) sqrt(P / Pcr), and the deflection is 2 k / sqrt(P /
// EI).
static double elastica_middle(double ratio)
{
    double low = 0.0, high = 0.999, K = 0.0;
    for (int n = 0; n < 60; n++) {
        double k = 0.5 * (low + high), a = 1.0, b = sqrt(1 - k * k);
        for (int i = 0; i < 8; i++) { // Gauss: K = pi / 2 agm(1, k')
            double mean = 0.5 * (a + b);
            b = sqrt(a * b), a = mean;
        }
        K = 0.5 * CORD_PI / a;
        *(K < 0.5 * CORD_PI * sqrt(ratio) ? &low : &high) = k;
    }
    return 2 * low / (CORD_PI * sqrt(ratio));
}

static double switched_middle(bool inextensible, Neutral neutral, double amplitude)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = column_beside(world, neutral, 1000.0, inextensible, 1.25);
    CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, 0.02);
    bool switched = false;
    double last = 0.0, z = 0.0;
    for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
        if (!switched && p.event == CORD_BRANCH_BIFURCATION) {
            CHECK_OK(cord_branch_switch(branch, amplitude));
            switched = true;
        } else if (switched) {
            CHECK_INT(p.event, CORD_BRANCH_POINT);
            z = node_of(world, rod, NODES / 2).z;
            CHECK_INT(p.solve.unstable, 0);
            CHECK(p.time > 0.8 && fabs(z) > fabs(last)); // grows with the load
            last = z;
        }
    }
    CHECK(switched);
    CHECK_NEAR(cord_world_time(world), 1.0, 1e-12);
    close_branch(world, branch);
    return z;
}

TEST(switching_leads_to_the_buckled_branch_on_either_side)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        double left = switched_middle(inextensible, NEUTRAL_NONE, 0.02),
               right = switched_middle(inextensible, NEUTRAL_ROD, -0.02);
        CHECK(left > 0.0 && right < 0.0);
        CHECK_NEAR(left, -right, 1e-7);
        CHECK_NEAR(left / elastica_middle(1.25), 1.0, 5e-3); // the mesh, and what it does to the load
    }
}

// A point of the branch that falls on the critical load itself, as near as steps of a fiftieth come: the
// crossing branch has hardly begun there.
TEST(a_branch_is_switched_at_the_critical_load_itself)
{
    for (int side = -1; side <= 1; side += 2) {
        CordWorld* world = new_weightless_world();
        CordRodId rod = column(world, 1e4, false);
        CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, 0.02);
        for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
            if (p.event == CORD_BRANCH_BIFURCATION) {
                CHECK_NEAR(p.time, 0.8, 1e-9);
                CHECK_OK(cord_branch_switch(branch, 0.02 * side));
            }
        }
        CHECK_NEAR(side * node_of(world, rod, NODES / 2).z / elastica_middle(1.25), 1.0, 5e-3); // the mesh
        close_branch(world, branch);
    }
}

// Five times Euler's load at t = 1: the column's branch crosses the first mode's at 0.2, that of bending
// about its stiff axis at 0.6, and the second mode's at 0.8. On that one each half of the column is the
// elastica of 1.25 times its own critical load, and both other motions stay unstable.
TEST(a_branch_is_switched_where_the_former_one_is_unstable)
{
    for (int i = 0; i < 4; i++) {
        CordWorld* world = new_weightless_world();
        double side = i % 2 ? -1.0 : 1.0;
        CordRodId rod = column_under(world, 1e4, i / 2, 4.5);
        CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, i % 2 ? 0.1 : 0.03);
        int crossed = 0;
        for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
            crossed += p.event == CORD_BRANCH_BIFURCATION;
            if (p.event == CORD_BRANCH_BIFURCATION && crossed == 3) {
                CHECK_NEAR(p.event_time, 4 / 4.5, 3e-3); // the mesh, 0.2 %
                CHECK_WORLD_OK(world, cord_branch_switch(branch, 0.01 * side));
                CHECK_NEAR(cord_world_time(world), p.event_time, 5e-3);
                CHECK_NEAR(side * node_of(world, rod, NODES / 4).z, 0.01, 1e-3);
            }
            CHECK(crossed < 3 || p.event == CORD_BRANCH_BIFURCATION || p.solve.unstable == 2);
        }
        CHECK_INT(crossed, 3);
        double quarter = side * node_of(world, rod, NODES / 4).z;
        CHECK_NEAR(quarter / (0.5 * elastica_middle(1.125)), 1.0,
                   2e-2); // the mesh, four times that of one wave
        CHECK_NEAR(node_of(world, rod, NODES / 2).z, 0.0, 1e-8);
        close_branch(world, branch);
    }
}

// However long the steps are: a step past several bifurcations goes back to a point between them.
TEST(bifurcations_are_found_one_by_one)
{
    static const double steps[3] = {0.02, 0.3, 0.9}, expected[3] = {1 / 4.5, 3 / 4.5, 4 / 4.5};
    double time[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        CordWorld* world = new_weightless_world();
        column_under(world, 1e4, true, 4.5);
        CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, steps[i]);
        int found = 0;
        for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
            if (p.event == CORD_BRANCH_BIFURCATION) {
                CHECK(found < 3);
                CHECK_INT(p.crossed, 1);
                CHECK_NEAR(p.event_time, expected[found], 3e-3);
                time[i][found++] = p.event_time;
            }
            CHECK_INT(p.solve.unstable, found);
        }
        CHECK_INT(found, 3);
        CHECK_NEAR(cord_world_time(world), 1.0, 0.0);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(time[i][k], time[0][k], 1e-7);
        }
        close_branch(world, branch);
    }
}

// A rod that a clamp twists, and that may shorten.
static CordBranch* twisted_past_bifurcation(CordWorld* world, CordBranchMethod method, CordRodId* rod,
                                            CordBranchPoint* p)
{
    CordRodDef def = line_def(61);
    def.stiffness.EA = 1e6, def.stiffness.EI1 = def.stiffness.EI2 = 1.0, def.stiffness.GJ = 0.7;
    def.stiffness.mass_per_length = 0.1;
    *rod = add_rod(world, &def);
    CordMotion turn = cord_motion_rotate((CordVec3){1, 0, 0}, 6.0 * CORD_PI, 0.0, 3.0);
    CordClampDef clamp = clamp_def(*rod, cord_at_end(), CORD_FIX_FRAME);
    clamp.slides = true, clamp.axis = (CordVec3){1, 0, 0}, clamp.motions = &turn, clamp.motion_count = 1;
    hold(world, *rod, cord_at_start(), CORD_FIX_FRAME);
    add_clamp(world, &clamp);
    CordBranchDef def_branch = cord_branch_def_default();
    CordBranch* branch;
    def_branch.method = method, def_branch.to = 3.0, def_branch.solve.accept_saddle = true;
    CHECK_WORLD_OK(world, cord_branch_create(world, &def_branch, &branch));
    do {
        *p = next(world, branch);
    } while (p->event == CORD_BRANCH_POINT);
    CHECK_NEAR(p->event_time, 2.0433, 5e-3); // 8.987 EI / GJ, in turns, and the mesh
    CHECK_INT(p->crossed, 2);                // round: in any plane
    return branch;
}

// The branch that crosses bends back: it is unstable, and less twist holds it the more it is bent. However
// small the push is, the branch leads away from there.
TEST(a_twisted_rod_is_switched_to_its_unstable_branch)
{
    for (int small = 0; small < 2; small++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod;
        CordBranchPoint p;
        CordBranch* branch = twisted_past_bifurcation(world, CORD_BRANCH_ARC, &rod, &p);
        CHECK_WORLD_OK(world, cord_branch_switch(branch, small ? 1e-10 : 0.01));
        double time = cord_world_time(world), bent = 0.0;
        CHECK_NEAR(time, p.event_time, 0.01);
        for (int n = 0; n < 12; n++) { // continuously, until the rod is a loop
            CordVec3 middle = node_of(world, rod, 30);
            CHECK(hypot(middle.y, middle.z) > bent && hypot(middle.y, middle.z) < bent + 0.1);
            bent = hypot(middle.y, middle.z);
            p = next(world, branch);
            CHECK_INT(p.event, CORD_BRANCH_POINT);
            CHECK_INT(p.solve.unstable, 1);
            CHECK(p.time < time);
            time = p.time;
        }
        CHECK(bent > 0.15);
        close_branch(world, branch);
    }
}

TEST(a_switch_that_leads_elsewhere_is_refused)
{
    static const char* const why[2] = {"take the method \"arc\"",
                                       "was not reached 0.5 m from there: take a smaller amplitude"};
    for (int arc = 0; arc < 2; arc++) {
        CordWorld* world = new_weightless_world();
        CordRodId rod;
        CordBranchPoint p;
        CordBranch* branch =
            twisted_past_bifurcation(world, arc ? CORD_BRANCH_ARC : CORD_BRANCH_NATURAL, &rod, &p);
        uint64_t hash = cord_world_state_hash(world);
        CHECK(cord_branch_switch(branch, arc ? 0.5 : 0.01) != CORD_OK);
        CHECK_CONTAINS(cord_world_message(world), why[arc]);
        CHECK(cord_world_state_hash(world) == hash && cord_world_time(world) == p.time);
        CHECK(next(world, branch).solve.unstable == 2); // it goes on along the former branch
        close_branch(world, branch);
    }
}

// A round column may lean to any side: to which one costs nothing, and still it stays on the one that it took
// when it gave way.
TEST(a_round_column_keeps_the_plane_that_it_has_buckled_in)
{
    for (int inextensible = 0; inextensible < 2; inextensible++) {
        CordWorld* world = new_weightless_world();
        CordRodDef def = line_def(NODES);
        def.stiffness.EA = 300.0, def.inextensible = inextensible;
        CordRodId rod = add_rod(world, &def);
        CordMotion approach = cord_motion_translate((CordVec3){-0.3, 0, 0}, 0.0, 1.0);
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
        hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, &approach, 1);
        CordBranchDef branch_def = cord_branch_def_default();
        branch_def.step = 0.005;
        CordBranch* branch;
        CHECK_OK(cord_branch_create(world, &branch_def, &branch));
        int points = 0, jumps = 0;
        double plane = NAN;
        for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
            CordVec3 middle = node_of(world, rod, NODES / 2);
            double angle = atan2(middle.z, middle.y);
            if (hypot(middle.y, middle.z) > 0.01) {
                plane = isnan(plane) ? angle : plane;
                CHECK_NEAR(angle, plane, 1e-4); // 0 but for round-off, which nothing holds up
                CHECK_NEAR(p.least_eigenvalue, 0.0, 0.0);
            }
            jumps += p.event == CORD_BRANCH_JUMP;
            points++;
        }
        CHECK_INT(jumps, !inextensible);
        CHECK(points <= 30); // steps grow to a twentieth of the way
        close_branch(world, branch);
    }
}

// By itself natural continuation leaves the column at its load, to whatever side.
TEST(natural_continuation_leaves_a_column_at_its_load)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = column(world, 1000.0, false);
    CordBranch* branch = open_branch(world, CORD_BRANCH_NATURAL, 0.0, 1.0, 0.02);
    int jumps = 0;
    for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
        jumps += p.event == CORD_BRANCH_JUMP;
        CHECK_INT(p.solve.unstable, 0);
        CHECK(p.event != CORD_BRANCH_JUMP || (p.time > 0.8 && p.time < 0.8 + 0.021));
    }
    CHECK_INT(jumps, 1);
    CordVec3 middle = node_of(world, rod, NODES / 2); // a round column bends in any plane
    CHECK_NEAR(sqrt(middle.y * middle.y + middle.z * middle.z) / elastica_middle(1.25), 1.0, 5e-3);
    close_branch(world, branch);
}

// ---- along the way

TEST(the_least_eigenvalue_is_that_of_the_softest_vibration)
{
    CordWorld* world = new_weightless_world();
    column(world, 1000.0, false);
    CordBranch* branch = open_branch(world, CORD_BRANCH_NATURAL, 0.0, 0.5, 0.25);
    double least[3], omega2;
    for (int i = 0; i < 3; i++) {
        CordBranchPoint p = next(world, branch);
        CHECK(p.arc >= 0.0 && p.time == 0.25 * i);
        least[i] = p.least_eigenvalue;
    }
    cord_branch_destroy(branch);
    CHECK_OK(cord_world_modes(world, 1, &omega2, NULL));
    CHECK_NEAR(least[2] / omega2, 1.0, 1e-6);
    CHECK_NEAR((least[0] - least[2]) / (2 * (least[0] - least[1])), 1.0, 1e-3); // falls with the load
    cord_world_destroy(world);
}

// Back from 1 to 0: the same states.
TEST(a_branch_may_run_backwards)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = arch(world, CROWN_BARE, 0.01);
    CordBranch* branch = open_branch(world, CORD_BRANCH_NATURAL, 1.0, 0.0, 0.1);
    double last = 2.0;
    for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
        CHECK(p.time < last);
        last = p.time;
    }
    CHECK(last == 0.0);
    CHECK_NEAR(node_of(world, rod, NODES / 2).z, RISE, 1e-8); // free of stress again
    close_branch(world, branch);
}

TEST(a_branch_ends_after_as_many_points_as_it_may_have)
{
    CordWorld* world = new_weightless_world();
    column(world, 1000.0, false);
    CordBranchDef def = cord_branch_def_default();
    def.points = 3;
    CordBranch* branch;
    CHECK_OK(cord_branch_create(world, &def, &branch));
    for (int i = 0; i < 3; i++) {
        CHECK(next(world, branch).event != CORD_BRANCH_END);
    }
    double time = cord_world_time(world);
    CHECK_INT(next(world, branch).event, CORD_BRANCH_END);
    CHECK_INT(next(world, branch).event, CORD_BRANCH_END); // and again
    CHECK(cord_world_time(world) == time);
    close_branch(world, branch);
}

// Afterwards the rods are as they were left: an explicit, straight, round rod can be stepped.
TEST(rods_are_themselves_again_after_a_branch)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = add_line(world, NODES);
    CordMotion motion = cord_motion_translate((CordVec3){0, 0.1, 0}, 0, 1);
    hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_FRAME, &motion, 1);
    size_t size = cord_world_state_size(world);
    CordBranch* branch = open_branch(world, CORD_BRANCH_NATURAL, 0.0, 1.0, 0.1);
    while (next(world, branch).event != CORD_BRANCH_END) {
    }
    CordVec3 before = node_of(world, rod, NODES / 2);
    cord_branch_destroy(branch);
    CHECK_INT(cord_world_state_size(world), size);
    run(world, 1e-3, 50);
    CHECK_VEC3(node_of(world, rod, NODES / 2), before, 1e-6); // at rest
    CHECK(cord_world_time(world) > 1.0);
    cord_world_destroy(world);
}

// ---- where it cannot go on

// A bow of a rod, straight at rest, whose ends are pulled apart until it is straight, at t = 0.11, and on.
static CordRodId bow(CordWorld* world)
{
    static const CordVec3 through[3] = {{0, 0, 0}, {0.5, 0, 0.1}, {1, 0, 0}};
    CordRodDef def = line_def(NODES);
    def.shape = cord_shape_spline(through, 3, NODES), def.rest = CORD_REST_STRAIGHT, def.inextensible = true;
    CordRodId rod = add_rod(world, &def);
    CordMotion motion = cord_motion_translate((CordVec3){0.2, 0, 0}, 0, 1);
    hold(world, rod, cord_at_start(), CORD_FIX_POSITION);
    hold_moving(world, rod, cord_at_end(), CORD_FIX_POSITION, &motion, 1);
    return rod;
}

// Follows a branch to a point that fails, of which it leaves no trace in the world.
static CordBranchPoint follow_to_failure(CordWorld* world, CordBranch* branch)
{
    CordBranchPoint p = {0};
    CordResult result = CORD_OK;
    uint64_t hash = 0;
    double time = 0.0;
    for (int i = 0; i < 200 && result == CORD_OK; i++) {
        hash = cord_world_state_hash(world), time = cord_world_time(world);
        result = cord_branch_next(branch, &p);
        CHECK(result != CORD_OK || p.event != CORD_BRANCH_END);
    }
    CHECK_RESULT(result, CORD_NOT_CONVERGED);
    CHECK(cord_world_state_hash(world) == hash && cord_world_time(world) == time);
    CHECK(p.time == time && !p.solve.converged && p.solve.unstable == -1);
    return p;
}

// The branch ends where the rod is straight, says so, and the world keeps the last point.
TEST(a_branch_past_the_rod_s_length_ends_with_a_reason)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = bow(world);
    CordBranch* branch = open_branch(world, CORD_BRANCH_NATURAL, 0.0, 1.0, 0.02);
    double straight = (cord_rod_length(world, rod) - 1.0) / 0.2, time = follow_to_failure(world, branch).time;
    CHECK_CONTAINS(cord_world_message(world), "the branch ends at");
    CHECK_CONTAINS(cord_world_message(world), "its clamps hold nodes 0 and 40");
    CHECK_CONTAINS(cord_world_message(world), "farther apart than the");
    CHECK_NEAR(time, straight, 1e-3); // as far as it goes
    CHECK(cord_rod_stretch(world, rod) < 1e-12);
    close_branch(world, branch);
}

// By its arc the branch goes through the straight rod to the bow on the other side, and time runs back to
// where it began.
TEST(an_arc_goes_through_the_straight_rod_and_back)
{
    CordWorld* world = new_weightless_world();
    CordRodId rod = bow(world);
    double straight = (cord_rod_length(world, rod) - 1.0) / 0.2, first = NAN;
    CordBranch* branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, 0.02);
    int folds = 0;
    for (CordBranchPoint p = next(world, branch); p.event != CORD_BRANCH_END; p = next(world, branch)) {
        double z = node_of(world, rod, NODES / 2).z;
        first = isnan(first) ? z : first;
        if (p.event == CORD_BRANCH_FOLD) {
            CHECK_NEAR(p.event_time, straight, 0.01);
            folds++;
        }
        CHECK(p.time >= 0.0 && p.time < straight);
        CHECK((z > 0.0) == (folds == 0) || fabs(z) < 0.03);
    }
    CHECK_INT(folds, 1);
    CHECK_NEAR(node_of(world, rod, NODES / 2).z, -first, 1e-6);
    CHECK_NEAR(cord_world_time(world), 0.0, 1e-12);
    close_branch(world, branch);
}

// A body that is welded to nothing is at rest until a load on it begins: no equilibrium is left then,
// whatever the arch does.
TEST(a_point_that_fails_leaves_the_world_at_the_one_before)
{
    for (int method = 0; method < 2; method++) {
        CordWorld* world = new_weightless_world();
        arch(world, CROWN_BARE, 0.01);
        CordLoadDef def = cord_load_def_default();
        def.body = add_odd_body(world, (CordVec3){0, 1, 0}, 0.01, 0.05), def.from = 0.55,
        def.force = (CordVec3){0, 0, 1};
        add_load(world, &def);
        CordBranch* branch = open_branch(world, (CordBranchMethod)method, 0.0, 1.0, 0.1);
        double time = follow_to_failure(world, branch).time;
        CHECK_CONTAINS(cord_world_message(world), "welded to nothing");
        CHECK(time < 0.55 && time > 0.55 - 1e-4); // as near as the least step, a ten thousandth of the first
        close_branch(world, branch);
    }
}

TEST(a_first_point_that_fails_leaves_all_rods_as_they_were)
{
    for (int method = 0; method < 2; method++) {
        CordWorld* world = new_world((CordVec3){0, 0, -0.1});
        CordRodDef def = line_def(NODES);
        hold(world, add_rod(world, &def), cord_at_start(), CORD_FIX_FRAME);
        add_rod(world, &def); // nothing holds it
        CordBranch* branch = open_branch(world, (CordBranchMethod)method, 0.0, 1.0, 0.1);
        CordBranchPoint p;
        uint64_t hash = cord_world_state_hash(world);
        CHECK_RESULT(cord_branch_next(branch, &p), CORD_NOT_CONVERGED);
        CHECK(cord_world_state_hash(world) == hash);
        CHECK(!p.solve.converged && p.solve.unstable == -1);
        close_branch(world, branch);
    }
}

TEST(defs_that_make_no_sense_are_refused)
{
    CordWorld* world = new_weightless_world();
    column(world, 1000.0, false);
    const CordBranchDef good = cord_branch_def_default();
    CordBranchDef bad[5] = {good, good, good, good, good};
    CordBranch* branch;
    bad[0].step = -1.0, bad[1].points = 0, bad[2].to = INFINITY, bad[3].solve.tolerance = NAN;
    bad[4].to = bad[4].from;
    for (int i = 0; i < 5; i++) {
        CHECK_RESULT(cord_branch_create(world, &bad[i], &branch), CORD_BAD_ARGUMENT);
        CHECK(branch == NULL);
    }
    CHECK_CONTAINS(cord_world_message(world), "from one time to another");
    branch = open_branch(world, CORD_BRANCH_ARC, 0.0, 1.0, 0.1);
    next(world, branch);
    CHECK_RESULT(cord_branch_switch(branch, 0.0), CORD_BAD_ARGUMENT);
    CHECK_RESULT(cord_branch_switch(branch, NAN), CORD_BAD_ARGUMENT);
    CHECK_RESULT(cord_branch_switch(branch, 0.01), CORD_BAD_ARGUMENT);
    CHECK_CONTAINS(cord_world_message(world), "no bifurcation");
    cord_branch_destroy(branch);
    cord_branch_destroy(NULL);
    cord_world_destroy(world);
}

TEST_GROUP(world_branch)
