// Statics: the equilibria that `cordage solve` computes.
#include "scene/values.h"

#include <math.h>

typedef struct Perturb {
    double amplitude;
    int mode;
} Perturb;

typedef struct SolveKeys {
    CordSceneSolve solve;
    List switches;
    int seed;
} SolveKeys;

static const Quantity quantity_amplitude = ANY_NUMBER("an amplitude is in metres", "m");
static const Quantity quantity_counted = AT_LEAST(1, "bifurcations are counted from 1", NULL, 1e6);
static const Quantity quantity_mode = AT_LEAST(1, "modes are counted from the softest", NULL, 1000);

// ---- switches

static const Field switch_fields[] = {
    {FIELD("at", COUNT, CordSceneSwitch, at),
     .about = "Number of the bifurcation, counted along the way from 1.",
     .needed = "which bifurcation, the first being 1", .quantity = &quantity_counted},
    {FIELD("amplitude", NUMBER, CordSceneSwitch, amplitude),
     .about = "How far from the bifurcation the branch is looked for; its sign chooses the side.",
     .needed = "how far to push in metres", .quantity = &quantity_amplitude},
};
static const Table table_switch =
    TABLE("switch", "a switch", switch_fields,
          .about = "A bifurcation at which the branch is left for the one that crosses.");

static bool check_amplitude(Reader* r, const JsonValue* value, double amplitude)
{
    if (amplitude == 0.0) {
        member_error(r, value, "amplitude", "is 0; a push must be more or less than that");
    }
    return amplitude != 0.0;
}

static void read_switch(Reader* r, const JsonValue* entry, int index, void* entries)
{
    CordSceneSwitch* switches = entries;
    CordSceneSwitch one = {0};
    if (!read_table(r, entry, &table_switch, &one) || !check_amplitude(r, entry, one.amplitude)) {
        return;
    }
    switches[index] = one;
    if (index > 0 && one.at <= switches[index - 1].at) {
        reader_error(r, entry,
                     "is not after the switch before it; bifurcations are counted along the branch");
    }
}

// ---- perturbation

static const Field perturb_fields[] = {
    {FIELD("amplitude", NUMBER, Perturb, amplitude),
     .about = "Largest displacement; its sign chooses the side.", .needed = "how far to push in metres",
     .quantity = &quantity_amplitude},
    {FIELD("mode", COUNT, Perturb, mode), .about = "Number of the vibration, counted from the softest.",
     .quantity = &quantity_mode},
};
static void perturb_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    const Perturb* perturb = keys;
    CordSceneSolve* solve = target;
    if (check_amplitude(r, value, perturb->amplitude)) {
        solve->push = perturb->amplitude;
        solve->push_mode = perturb->mode;
    }
}

static const Table table_perturb =
    TABLE("perturb", "a perturbation", perturb_fields, .about = "A push of the rods before the start.",
          .size = sizeof(Perturb), .defaults = &(const Perturb){.mode = 1}, .convert = perturb_convert);

// ---- the branch

static const Words method_words =
    WORDS("a method", {"natural", CORD_BRANCH_NATURAL}, {"arc", CORD_BRANCH_ARC});

static const Words friction_words =
    WORDS("what friction does", {"coulomb", CORD_SOLVE_FRICTION_COULOMB}, {"off", CORD_SOLVE_FRICTION_OFF},
          {"frozen", CORD_SOLVE_FRICTION_FROZEN});

static const Quantity quantity_step = POSITIVE("a step of the branch is in seconds", "s", 1e9);
static const Quantity quantity_points = AT_LEAST(1, "points are counted", NULL, 1000000);
static const Quantity quantity_tolerance =
    POSITIVE("a tolerance is relative to the largest force in the rods", NULL, 1);
static const Quantity quantity_seed = NOT_NEGATIVE("a seed chooses random numbers", NULL, 2147483647);

static void solve_start(void* keys)
{
    *(SolveKeys*)keys = (SolveKeys){.solve = {.branch = cord_branch_def_default()}};
}

static const Field solve_fields[] = {
    {FIELD("method", WORD, SolveKeys, solve.branch.method),
     .about = "Continuation: natural increases time; arc follows the branch around folds, where time "
              "decreases.",
     .words = &method_words},
    {FIELD("from", NUMBER, SolveKeys, solve.branch.from), .about = "Time at which the branch starts.",
     .quantity = &quantity_time},
    {FIELD("to", NUMBER, SolveKeys, solve.branch.to), .about = "End of the range of time.",
     .otherwise = "`end` of `time`", .quantity = &quantity_time},
    {FIELD("step", NUMBER, SolveKeys, solve.branch.step), .about = "First step in time.",
     .otherwise = "a fiftieth of the range", .quantity = &quantity_step},
    {FIELD("least", NUMBER, SolveKeys, solve.branch.least), .about = "Shortest step in time.",
     .otherwise = "from `step`", .quantity = &quantity_step},
    {FIELD("most", NUMBER, SolveKeys, solve.branch.most), .about = "Longest step in time.",
     .otherwise = "from `step`", .quantity = &quantity_step},
    {FIELD("points", COUNT, SolveKeys, solve.branch.points), .about = "Most points of the branch.",
     .quantity = &quantity_points},
    {FIELD("tolerance", NUMBER, SolveKeys, solve.branch.solve.tolerance),
     .about = "Residual force on a node, relative to the largest force in the rods.",
     .otherwise = "that of the solver", .quantity = &quantity_tolerance},
    {FIELD("iterations", COUNT, SolveKeys, solve.branch.solve.iterations),
     .about = "Most iterations for one point.", .otherwise = "that of the solver",
     .quantity = &quantity_iterations},
    {FIELD("accept_saddle", BOOL, SolveKeys, solve.branch.solve.accept_saddle),
     .about = "Whether an unstable equilibrium is accepted; otherwise it is left on the way down."},
    {FIELD("friction", WORD, SolveKeys, solve.branch.solve.friction),
     .about = "Friction where rods touch: coulomb resists each step of the solve; off is none; frozen keeps "
              "contacts in place that stick at the start, and leaves it off elsewhere.",
     .words = &friction_words},
    {FIELD("seed", COUNT, SolveKeys, seed),
     .about = "Seed of the push that leaves a saddle; another seed may find another way down.",
     .quantity = &quantity_seed},
    {FIELD("switch", LIST, SolveKeys, switches),
     .about = "Bifurcations at which the branch is left for the one that crosses.", .table = &table_switch,
     ENTRIES(CordSceneSwitch, read_switch)},
    {FIELD("perturb", OBJECT, SolveKeys, solve), .about = "A push before the start.",
     .table = &table_perturb},
};
const Table table_solve = TABLE("solve", "a solve", solve_fields,
                                .about = "Statics: the branch of equilibria that `cordage solve` follows "
                                         "in time.",
                                .size = sizeof(SolveKeys), .start = solve_start);

static void check_range(Reader* r, const JsonValue* value, const CordBranchDef* branch)
{
    if (branch->from > branch->to) {
        reader_error(
            r, value,
            "ends before it begins: it goes from %g to %g s; \"to\" is the end of time if it is not given",
            branch->from, branch->to);
    }
    bool both = json_member(value, "least") && json_member(value, "most");
    if (both && branch->least > branch->most) {
        reader_error(r, value, "has a least step that is longer than the most");
    }
}

void read_solve(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    SolveKeys keys = {.solve = scene->solve};
    keys.solve.given = true;
    if (read_table(r, value, &table_solve, &keys)) {
        if (json_member(value, "seed")) {
            keys.solve.branch.solve.seed = (uint64_t)keys.seed;
        }
        keys.solve.switches = keys.switches.entries;
        keys.solve.switch_count = keys.switches.count;
        check_range(r, value, &keys.solve.branch);
        scene->solve = keys.solve;
    }
}
