// Settings of the model pbd: how position-based steps are taken.
#include "scene/values.h"

// ---- keys

static const Words solver_words = WORDS("a solver", {"xpbd", CORD_PBD_XPBD}, {"pbd", CORD_PBD_PBD});

static const Words method_words = WORDS("a method", {"direct", CORD_PBD_DIRECT}, {"sweeps", CORD_PBD_SWEEPS});

static const Words order_words =
    WORDS("an order of constraints", {"natural", CORD_PBD_NATURAL}, {"bilateral", CORD_PBD_BILATERAL},
          {"interleaved", CORD_PBD_INTERLEAVED});

static const Words gravity_words = WORDS("gravity on ghost points", {"modified", CORD_PBD_GRAVITY_MODIFIED},
                                         {"full", CORD_PBD_GRAVITY_FULL}, {"none", CORD_PBD_GRAVITY_NONE});

static const Quantity quantity_substeps =
    AT_LEAST(1, "substeps are the parts that a step is taken in", NULL, 10000);
static const Quantity quantity_sweeps = AT_LEAST(1, "iterations are counted in each substep", NULL, 100000);
static const Quantity quantity_tolerance = POSITIVE("a tolerance is a share of the mean edge", NULL, 0.1);
static const Quantity quantity_weight =
    NOT_NEGATIVE("a weight is the share of an error that one sweep puts right", NULL, 1);
// an edge must keep some of its mass
static const Quantity quantity_ghost_mass =
    POSITIVE("the mass of a ghost point is a share of its edge's", NULL, 0.99);
static const Quantity quantity_ghost_length =
    POSITIVE("the distance of a ghost point is a multiple of its edge's length", NULL, 1000);
static const Quantity quantity_pbd_damping =
    NOT_NEGATIVE("damping is the share of velocities that a step takes away", NULL, 1);

static void pbd_start(void* keys)
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
          .size = sizeof(CordPbdDef), .start = pbd_start);

static const Field pbd_fields[] = {
    {FIELD("solver", WORD, CordPbdDef, solver),
     .about = "\"xpbd\" has stiffness in physical units at any step, given enough iterations; \"pbd\" is "
              "Algorithm 1 of the paper, whose stiffness depends on weights, step and iterations.",
     .words = &solver_words},
    {FIELD("method", WORD, CordPbdDef, method),
     .about = "Method of xpbd: direct solves all constraints of a rod at once, sweeps takes one after the "
              "other (Gauss-Seidel).",
     .words = &method_words},
    {FIELD("substeps", COUNT, CordPbdDef, substeps),
     .about = "Number of parts that each step is divided into.", .quantity = &quantity_substeps},
    {FIELD("iterations", COUNT, CordPbdDef, iterations),
     .about = "Iterations in each substep: the number of sweeps, or the most that the direct method takes.",
     .otherwise = "20 sweeps, or 24 if direct", .quantity = &quantity_sweeps},
    {FIELD("tolerance", NUMBER, CordPbdDef, tolerance),
     .about = "The direct method stops after an iteration that moves no node by more than this share of "
              "the mean edge.",
     .quantity = &quantity_tolerance},
    {FIELD("order", WORD, CordPbdDef, order),
     .about = "Order of the constraints in a sweep: natural goes along the rod; bilateral from both ends "
              "to the middle; interleaved takes every other one, then those between.",
     .words = &order_words},
    {WHOLE("weights", OBJECT), .about = "Weights of the solver \"pbd\", which replace stiffness.",
     .otherwise = "1 each", .table = &table_weights},
    {FIELD("ghost_gravity", WORD, CordPbdDef, gravity),
     .about = "Gravity on the ghost points of the solver \"pbd\": modified is the paper's; with full, "
              "hanging rods bend; with none, falling rods spin.",
     .words = &gravity_words},
    {FIELD("ghost_mass", NUMBER, CordPbdDef, ghost_mass),
     .about = "Share of an edge's mass that its ghost point has, in the solver \"pbd\".",
     .quantity = &quantity_ghost_mass},
    {FIELD("ghost_length", NUMBER, CordPbdDef, ghost_length),
     .about = "Distance of a ghost point from its edge over the edge's rest length, in the solver \"pbd\".",
     .quantity = &quantity_ghost_length},
    {FIELD("damping", NUMBER, CordPbdDef, damping),
     .about = "Share of the velocities relative to a rigid motion that a step removes, in the solver "
              "\"pbd\".",
     .quantity = &quantity_pbd_damping},
};
const Table table_pbd = TABLE("pbd", "what pbd adds", pbd_fields,
                              .about = "Settings of the model pbd: how position-based steps are taken.",
                              .size = sizeof(CordPbdDef), .start = pbd_start);

// ---- checks

typedef enum PbdScheme { SCHEME_DIRECT, SCHEME_SWEEPS, SCHEME_PAPER, SCHEME_COUNT } PbdScheme;

// Keys that not every scheme uses.
static const struct {
    const char* key;
    bool used[SCHEME_COUNT];
    const char* instead; // what to write to make use of it
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

static PbdScheme scheme_of(const CordPbdDef* def)
{
    return def->solver == CORD_PBD_PBD      ? SCHEME_PAPER
           : def->method == CORD_PBD_SWEEPS ? SCHEME_SWEEPS
                                            : SCHEME_DIRECT;
}

// What does not use a key: the solver, or one of the methods of xpbd.
static const char* user_name(const bool used[SCHEME_COUNT], PbdScheme scheme)
{
    static const char* const methods[] = {
        [SCHEME_DIRECT] = "method \"direct\"", [SCHEME_SWEEPS] = "method \"sweeps\""};
    bool by_other = scheme != SCHEME_PAPER && used[scheme == SCHEME_DIRECT ? SCHEME_SWEEPS : SCHEME_DIRECT];
    return scheme == SCHEME_PAPER ? "solver \"pbd\"" : by_other ? methods[scheme] : "solver \"xpbd\"";
}

static void warn_of_keys(Reader* r, const JsonValue* pbd, PbdScheme scheme)
{
    for (size_t i = 0; i < sizeof partial_keys / sizeof *partial_keys; i++) {
        if (json_member(pbd, partial_keys[i].key) && !partial_keys[i].used[scheme]) {
            member_warning(r, pbd, partial_keys[i].key, "is not used by the %s; leave it out, or write %s",
                           user_name(partial_keys[i].used, scheme), partial_keys[i].instead);
        }
    }
}

void pbd_check(Reader* r, const JsonValue* entry, const CordRodDef* def)
{
    const JsonValue* pbd = json_member(entry, "pbd");
    if (json_member(entry, "length_method")) {
        member_warning(r, entry, "length_method",
                       "is not used by the model \"pbd\", whose own steps keep lengths; leave it out");
    }
    if (pbd && is_implicit_def(def)) {
        member_warning(
            r, entry, "pbd",
            "is not used: an implicit integrator takes no position-based steps; leave one of them out");
    } else if (pbd) {
        warn_of_keys(r, pbd, scheme_of(&def->pbd));
    }
}

// ---- checks that need the whole scene

static bool takes_sweeps(const SceneRod* rod)
{
    return rod->def.model == CORD_MODEL_PBD && !is_implicit_def(&rod->def) &&
           scheme_of(&rod->def.pbd) != SCHEME_DIRECT;
}

// Sweeps have one inverse mass for all directions, so drag along and across the rod is their mean.
static void warn_of_drag(Reader* r, int index)
{
    const CordScene* scene = r->scene;
    const SceneLoad* load = &scene->loads[index];
    const SceneRod* swept = NULL;
    for (int i = 0; i < scene->rod_count && !swept; i++) {
        swept = takes_sweeps(&scene->rods[i]) && (load->rod < 0 || load->rod == i) ? &scene->rods[i] : NULL;
    }
    if (swept && !load->is_air && load->def.along != load->def.across) {
        reader_warning(r, load->at,
                       "drags rod \"%s\" by the mean of all directions, %.3g, both along and across: sweeps "
                       "know no other; take %s",
                       swept->def.name, (load->def.along + 2.0 * load->def.across) / 3.0,
                       scheme_of(&swept->def.pbd) == SCHEME_PAPER ? "\"solver\": \"xpbd\""
                                                                  : "\"method\": \"direct\"");
    }
}

void pbd_check_drag(Reader* r)
{
    for (int i = 0; i < r->scene->load_count; i++) {
        warn_of_drag(r, i);
    }
}
