// What pbd adds to a rod: how position-based steps are taken.
#include "scene/values.h"

// ---- keys

typedef struct PbdKeys {
    CordPbdDef def;
    int solver, method, order, gravity;
} PbdKeys;

static const Word solver_list[] = {
    {"xpbd", CORD_PBD_XPBD},
    {"pbd", CORD_PBD_PBD},
};
static const Words solver_words = WORDS("a solver", solver_list);

static const Word method_list[] = {
    {"direct", CORD_PBD_DIRECT},
    {"sweeps", CORD_PBD_SWEEPS},
};
static const Words method_words = WORDS("a method", method_list);

static const Word order_list[] = {
    {"natural", CORD_PBD_NATURAL},
    {"bilateral", CORD_PBD_BILATERAL},
    {"interleaved", CORD_PBD_INTERLEAVED},
};
static const Words order_words = WORDS("an order of constraints", order_list);

static const Word gravity_list[] = {
    {"modified", CORD_PBD_GRAVITY_MODIFIED},
    {"full", CORD_PBD_GRAVITY_FULL},
    {"none", CORD_PBD_GRAVITY_NONE},
};
static const Words gravity_words = WORDS("gravity on ghost points", gravity_list);

static const Quantity quantity_substeps = {.what = "substeps are the parts that a step is taken in",
                                           .must = "be at least 1",
                                           .low = 1,
                                           QUANTITY_UP_TO(10000)};
static const Quantity quantity_iterations = {.what = "iterations are counted in each substep",
                                             .must = "be at least 1",
                                             .low = 1,
                                             QUANTITY_UP_TO(100000)};
static const Quantity quantity_tolerance = {
    .what = "a tolerance is a share of the mean edge", QUANTITY_POSITIVE, QUANTITY_UP_TO(0.1)};
static const Quantity quantity_weight = {.what =
                                             "a weight is the share of an error that one sweep puts right",
                                         QUANTITY_NOT_NEGATIVE,
                                         QUANTITY_UP_TO(1)};
static const Quantity quantity_ghost_mass = { // what its edge would keep beyond that is next to nothing
    .what = "the mass of a ghost point is a share of its edge's",
    QUANTITY_POSITIVE,
    QUANTITY_UP_TO(0.99)};
static const Quantity quantity_ghost_length = {
    .what = "the distance of a ghost point is a multiple of its edge's length",
    QUANTITY_POSITIVE,
    QUANTITY_UP_TO(1000)};
static const Quantity quantity_pbd_damping = {.what =
                                                  "damping is the share of velocities that a step takes away",
                                              QUANTITY_NOT_NEGATIVE,
                                              QUANTITY_UP_TO(1)};

static void weights_start(void* keys)
{
    *(CordPbdDef*)keys = cord_rod_def_default().pbd;
}

static const Field weight_fields[] = {
    {FIELD("bend", PAIR, CordPbdDef, weight_bend1),
     .about = "Weight of bending: one number, or [about m1, about m2].", .quantity = &quantity_weight},
    {FIELD("twist", NUMBER, CordPbdDef, weight_twist), .about = "Weight of twist.",
     .quantity = &quantity_weight},
    {FIELD("stretch", NUMBER, CordPbdDef, weight_stretch), .about = "Weight of the edges' lengths.",
     .quantity = &quantity_weight},
};
static const Table table_weights =
    TABLE("weights", "weights", weight_fields,
          .about = "Shares of an error that one sweep of the solver \"pbd\" corrects.",
          .size = sizeof(CordPbdDef), .start = weights_start);

static PbdKeys keys_of(CordPbdDef def)
{
    return (PbdKeys){def, (int)def.solver, (int)def.method, (int)def.order, (int)def.gravity};
}

static void pbd_start(void* keys)
{
    *(PbdKeys*)keys = keys_of(cord_rod_def_default().pbd);
}

static const Field pbd_fields[] = {
    {FIELD("solver", WORD, PbdKeys, solver),
     .about = "\"xpbd\" has stiffness in physical units at any step, given enough iterations; \"pbd\" is "
              "Algorithm 1 of the paper, whose stiffness depends on weights, step and iterations.",
     .words = &solver_words},
    {FIELD("method", WORD, PbdKeys, method),
     .about = "Method of xpbd: direct solves all constraints of a rod at once, sweeps takes one after the "
              "other (Gauss-Seidel).",
     .words = &method_words},
    {FIELD("substeps", COUNT, PbdKeys, def.substeps),
     .about = "Number of parts that each step is divided into.", .quantity = &quantity_substeps},
    {FIELD("iterations", COUNT, PbdKeys, def.iterations),
     .about = "Iterations in each substep: the number of sweeps, or the most that the direct method takes.",
     .otherwise = "20 sweeps, or 24 if direct", .quantity = &quantity_iterations},
    {FIELD("tolerance", NUMBER, PbdKeys, def.tolerance),
     .about = "The direct method stops after an iteration that moves no node by more than this share of "
              "the mean edge.",
     .quantity = &quantity_tolerance},
    {FIELD("order", WORD, PbdKeys, order),
     .about = "Order of the constraints in a sweep: natural goes along the rod; bilateral from both ends "
              "to the middle; interleaved takes every other one, then those between.",
     .words = &order_words},
    {FIELD("weights", OBJECT, PbdKeys, def),
     .about = "Weights of the solver \"pbd\", which replace stiffness.", .otherwise = "1 each",
     .table = &table_weights},
    {FIELD("ghost_gravity", WORD, PbdKeys, gravity),
     .about = "Gravity on the ghost points of the solver \"pbd\": modified is the paper's; with full, "
              "hanging rods bend; with none, falling rods spin.",
     .words = &gravity_words},
    {FIELD("ghost_mass", NUMBER, PbdKeys, def.ghost_mass),
     .about = "Share of an edge's mass that its ghost point has, in the solver \"pbd\".",
     .quantity = &quantity_ghost_mass},
    {FIELD("ghost_length", NUMBER, PbdKeys, def.ghost_length),
     .about = "Distance of a ghost point from its edge over the edge's rest length, in the solver \"pbd\".",
     .quantity = &quantity_ghost_length},
    {FIELD("damping", NUMBER, PbdKeys, def.damping),
     .about = "Share of the velocities relative to a rigid motion that a step removes, in the solver "
              "\"pbd\".",
     .quantity = &quantity_pbd_damping},
};
const Table table_pbd = TABLE("pbd", "what pbd adds", pbd_fields,
                              .about = "Settings of the model pbd: how position-based steps are taken.",
                              .size = sizeof(PbdKeys), .start = pbd_start);

void read_pbd(Reader* r, const JsonValue* value, void* target)
{
    CordPbdDef* pbd = target;
    PbdKeys keys = keys_of(*pbd);
    read_table(r, value, &table_pbd, &keys);
    *pbd = keys.def;
    pbd->solver = (CordPbdSolver)keys.solver;
    pbd->method = (CordPbdMethod)keys.method;
    pbd->order = (CordPbdOrder)keys.order;
    pbd->gravity = (CordPbdGravity)keys.gravity;
}

// ---- checks

typedef enum PbdWay { WAY_DIRECT, WAY_SWEEPS, WAY_PAPER, WAY_COUNT } PbdWay;

// Keys that not every way of stepping has a use for.
static const struct {
    const char* key;
    bool used[WAY_COUNT];
    const char* instead; // what would make use of it
} partial_keys[] = {
    {"method", {true, true, false}, "\"solver\": \"xpbd\""},
    {"tolerance", {true, false, false}, "\"solver\": \"xpbd\", \"method\": \"direct\""},
    {"order", {false, true, true}, "\"method\": \"sweeps\""},
    {"weights", {false, false, true}, "\"solver\": \"pbd\""},
    {"ghost_gravity", {false, false, true}, "\"solver\": \"pbd\""},
    {"ghost_mass", {false, false, true}, "\"solver\": \"pbd\""},
    {"ghost_length", {false, false, true}, "\"solver\": \"pbd\""},
    {"damping", {false, false, true}, "\"solver\": \"pbd\""},
};

static PbdWay way_of(const CordPbdDef* def)
{
    return def->solver == CORD_PBD_PBD ? WAY_PAPER : def->method == CORD_PBD_SWEEPS ? WAY_SWEEPS : WAY_DIRECT;
}

// By what it is not used: of xpbd by one of its methods, or by both.
static const char* user_name(const bool used[WAY_COUNT], PbdWay way)
{
    static const char* const methods[] = {
        [WAY_DIRECT] = "method \"direct\"", [WAY_SWEEPS] = "method \"sweeps\""};
    bool by_other = way != WAY_PAPER && used[way == WAY_DIRECT ? WAY_SWEEPS : WAY_DIRECT];
    return way == WAY_PAPER ? "solver \"pbd\"" : by_other ? methods[way] : "solver \"xpbd\"";
}

static void warn_of_keys(Reader* r, const JsonValue* pbd, PbdWay way)
{
    for (size_t i = 0; i < sizeof partial_keys / sizeof *partial_keys; i++) {
        const JsonValue* at = json_member(pbd, partial_keys[i].key);
        if (at && !partial_keys[i].used[way]) {
            Path path;
            reader_enter(r, &path, partial_keys[i].key);
            reader_warning(r, at, "is not used by the %s; leave it out, or write %s",
                           user_name(partial_keys[i].used, way), partial_keys[i].instead);
            reader_leave(r, &path);
        }
    }
}

static bool is_implicit(const CordRodDef* def)
{
    return def->integrator == CORD_INTEGRATOR_MIDPOINT || def->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
}

static void check_length_method(Reader* r, const JsonValue* entry)
{
    const JsonValue* at = json_member(entry, "length_method");
    if (at) {
        Path path;
        reader_enter(r, &path, "length_method");
        reader_warning(r, at, "is not used by the model \"pbd\", whose own steps keep lengths; leave it out");
        reader_leave(r, &path);
    }
}

void pbd_check(Reader* r, const JsonValue* entry, const CordRodDef* def)
{
    const JsonValue* pbd = json_member(entry, "pbd");
    Path path;
    check_length_method(r, entry);
    if (!pbd) {
        return;
    }
    reader_enter(r, &path, "pbd");
    if (is_implicit(def)) {
        reader_warning(
            r, pbd,
            "is not used: an implicit integrator takes no position-based steps; leave one of them out");
    } else {
        warn_of_keys(r, pbd, way_of(&def->pbd));
    }
    reader_leave(r, &path);
}

// ---- steps that the scene as a whole decides about

// Where contact is on, rods that are joined or implicit, and bodies that can be touched, have all rods solved
// together.
static bool all_are_together(const CordScene* scene)
{
    bool together = false;
    for (int i = 0; i < scene->rod_count; i++) {
        together = together || scene->rods[i].joined_count > 0 || is_implicit(&scene->rods[i].def);
    }
    for (int i = 0; i < scene->body_count; i++) {
        together = together || !scene->bodies[i].def.intangible;
    }
    return together && scene->contact.on;
}

static void warn_of_newton(Reader* r, const SceneRod* rod)
{
    const JsonValue* pbd = json_member(rod->at, "pbd");
    Path list, entry = {&list, NULL, rod->entry}, path;
    if (!pbd) {
        return;
    }
    reader_enter(r, &list, "rods");
    r->path = &entry;
    reader_enter(r, &path, "pbd");
    reader_warning(
        r, pbd, "is not used: %s, so its steps are of backward Euler by Newton's method; leave it out",
        rod->joined_count > 0 ? "the rod is welded or joined"
                              : "the rod shares its contacts with bodies, or with rods that are welded, "
                                "joined or implicit");
    reader_leave(r, &path);
    reader_leave(r, &list);
}

static bool takes_sweeps(const SceneRod* rod)
{
    return rod->def.model == CORD_MODEL_PBD && !is_implicit(&rod->def) && way_of(&rod->def.pbd) != WAY_DIRECT;
}

// Sweeps have one inverse mass for all directions, and so one drag.
static void warn_of_drag(Reader* r, int index)
{
    const CordScene* scene = r->scene;
    const SceneLoad* load = &scene->loads[index];
    const SceneRod* swept = NULL;
    for (int i = 0; i < scene->rod_count && !swept; i++) {
        swept = takes_sweeps(&scene->rods[i]) && (load->rod < 0 || load->rod == i) ? &scene->rods[i] : NULL;
    }
    if (swept && !load->is_air && load->def.along != load->def.across) {
        Path list, entry = {&list, NULL, index};
        reader_enter(r, &list, "loads");
        r->path = &entry;
        reader_warning(r, load->at,
                       "drags rod \"%s\" by the mean of all directions, %.3g, both along and across: sweeps "
                       "know no other; "
                       "take %s",
                       swept->def.name, (load->def.along + 2.0 * load->def.across) / 3.0,
                       way_of(&swept->def.pbd) == WAY_PAPER ? "\"solver\": \"xpbd\""
                                                            : "\"method\": \"direct\"");
        reader_leave(r, &list);
    }
}

void pbd_check_steps(Reader* r)
{
    CordScene* scene = r->scene;
    bool all = all_are_together(scene);
    int told = -1; // strands are told of once
    for (int i = 0; i < scene->rod_count; i++) {
        SceneRod* rod = &scene->rods[i];
        bool positioned = rod->def.model == CORD_MODEL_PBD && !is_implicit(&rod->def);
        if (!positioned || !(all || rod->joined_count > 0)) {
            continue;
        }
        rod->def.integrator = CORD_INTEGRATOR_BACKWARD_EULER;
        if (told != rod->entry) {
            warn_of_newton(r, rod);
            told = rod->entry;
        }
    }
    for (int i = 0; i < scene->load_count; i++) {
        warn_of_drag(r, i);
    }
}
