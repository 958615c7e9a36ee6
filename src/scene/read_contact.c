// Contact settings of a scene.
#include "scene/values.h"

#include <math.h>

#define MOST_PAIRS 1000

// ---- pairs of materials

static void read_two_materials(Reader* r, const JsonValue* value, void* target)
{
    int* surface = target;
    if (!check_list(r, value, 2, 2, "a pair is of two materials, such as [\"nylon\", \"steel\"]")) {
        return;
    }
    const JsonValue* name = value->first;
    for (int i = 0; i < 2; i++, name = name->next) {
        MaterialUse use = {.surface = 0};
        read_material_name(r, name, &use);
        surface[i] = use.surface;
    }
}

static const Field pair_fields[] = {
    {FIELD("materials", STRINGS, CordSurfacePair, surface),
     .about = "Names of the two materials, which may be the same.",
     .needed = "two names, such as [\"nylon\", \"steel\"]", .least = 2, .most = 2,
     .read = read_two_materials},
    {FIELD("friction", NUMBER, CordSurfacePair, friction), .about = "Coefficient of static friction.",
     .needed = "the coefficient of friction between them", .quantity = &quantity_friction},
    {FIELD("friction_kinetic", NUMBER, CordSurfacePair, friction_kinetic),
     .about = "Coefficient of kinetic friction, of what slides.", .otherwise = "`friction`",
     .quantity = &quantity_friction},
    {FIELD("restitution", NUMBER, CordSurfacePair, restitution),
     .about = "Share of the speed with which what hits rebounds.", .otherwise = "that of `contact`",
     .quantity = &quantity_restitution},
    {FIELD("rolling_friction", NUMBER, CordSurfacePair, rolling_friction),
     .about = "Resistance to rolling: the largest couple about tangents over the normal force.",
     .otherwise = "the larger one of the two materials'", .quantity = &quantity_rolling},
    {FIELD("spinning_friction", NUMBER, CordSurfacePair, spinning_friction),
     .about = "Resistance to spinning about the normal, likewise.",
     .otherwise = "the larger one of the two materials'", .quantity = &quantity_rolling},
};
static const Table table_contact_pair =
    TABLE("contact_pair", "a pair of materials", pair_fields, .about = "Friction between two materials.");

static bool is_same(const CordSurfacePair* a, const CordSurfacePair* b)
{
    return (a->surface[0] == b->surface[0] && a->surface[1] == b->surface[1]) ||
           (a->surface[0] == b->surface[1] && a->surface[1] == b->surface[0]);
}

static void read_one_pair(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordSurfacePair* pairs = user;
    pairs[index] = cord_surface_pair_default(0, 0, 0.0);
    if (!read_table(r, entry, &table_contact_pair, &pairs[index])) {
        pairs[index] = cord_surface_pair_default(0, 0, 0.0);
        return;
    }
    check_kinetic(r, entry, pairs[index].friction, pairs[index].friction_kinetic);
    for (int i = 0; i < index; i++) {
        if (is_same(&pairs[i], &pairs[index])) {
            reader_error(r, entry, "is of the same materials as pairs[%d]; leave one of them out", i);
            return;
        }
    }
}

static void read_pairs(Reader* r, const JsonValue* value, void* target)
{
    CordContactDef* def = target;
    List pairs;
    if (read_entries(r, value, read_one_pair, sizeof(CordSurfacePair), &pairs)) {
        def->pairs = pairs.entries;
        def->pair_count = pairs.count;
    }
}

// ---- the table

static const Quantity quantity_contact_speed =
    NOT_NEGATIVE("this is a speed in metres per second", "m/s", 1e6);
static const Quantity quantity_gap = POSITIVE("a gap is a share of the thinner rod's radius", NULL, 0.5);
static const Quantity quantity_tolerance =
    POSITIVE("a tolerance is a share of the thinner rod's radius", NULL, 0.1);

static const Quantity quantity_budget = POSITIVE("a budget is in seconds a step", "s", 1e6);

static const Field budget_fields[] = {
    {FIELD("iterations", COUNT, CordBudget, iterations),
     .about =
         "Most iterations of contact in a step: sweeps over all contacts, and solves of rods between them.",
     .otherwise = "no limit", .quantity = &quantity_iterations},
    {FIELD("seconds", NUMBER, CordBudget, seconds),
     .about = "Most seconds of a step, by the clock. A run is then not reproducible.",
     .otherwise = "no limit", .quantity = &quantity_budget},
};
static const Table table_budget =
    TABLE("contact_budget", "a budget", budget_fields, .about = "What contact may cost in a step.",
          .size = sizeof(CordBudget));

static const Quantity quantity_sleep_time = POSITIVE("a time before rods sleep is in seconds", "s", 1e9);
static const Quantity quantity_sleep_tolerance =
    POSITIVE("the tolerance of sleep is a share of a radius", NULL, 1);

static const Field sleep_fields[] = {
    {FIELD("time", NUMBER, CordSleep, time), .about = "Time at rest after which rods sleep.",
     .needed = "a time in seconds, such as 0.5", .quantity = &quantity_sleep_time},
    {FIELD("tolerance", NUMBER, CordSleep, tolerance),
     .about = "A rod is at rest if no node travels more than this in that time, as a share of its radius.",
     .otherwise = "0.01", .quantity = &quantity_sleep_tolerance},
};
static const Table table_sleep = TABLE("contact_sleep", "sleep", sleep_fields,
                                       .about = "When rods at rest sleep.", .size = sizeof(CordSleep));

// An object of settings, or false. `example` is what could be written.
static void read_settings(Reader* r, const JsonValue* value, const Table* table, const char* example,
                          void* target)
{
    if (value->kind == JSON_OBJECT) {
        read_table(r, value, table, target);
    } else if (value->kind != JSON_BOOL || value->truth) {
        value_error(r, value, "write %s, with values of your own, or leave it out to turn it off", example);
    }
}

static void read_budget(Reader* r, const JsonValue* value, void* budget)
{
    read_settings(r, value, &table_budget, "{ \"iterations\": 20 }", budget);
}

static void read_sleep(Reader* r, const JsonValue* value, void* sleep)
{
    read_settings(r, value, &table_sleep, "{ \"time\": 0.5 }", sleep);
}

static const Words response_words =
    WORDS("a response", {"impulses", CORD_RESPONSE_IMPULSES}, {"zones", CORD_RESPONSE_ZONES});

static void contact_start(void* keys)
{
    *(CordContactDef*)keys = cord_contact_def_default();
}

static const Field contact_fields[] = {
    {FIELD("friction", NUMBER, CordContactDef, friction),
     .about = "Coefficient of static friction of all that pairs does not name.",
     .otherwise = "the geometric mean of the two things' own", .quantity = &quantity_friction},
    {FIELD("friction_kinetic", NUMBER, CordContactDef, friction_kinetic),
     .about = "Coefficient of kinetic friction, of what slides, beside friction.",
     .otherwise = "`friction`, or the geometric mean of the two things' own", .quantity = &quantity_friction},
    {FIELD("stick_speed", NUMBER, CordContactDef, stick_speed),
     .about = "Surfaces that slip faster have kinetic friction, others static friction.",
     .quantity = &quantity_contact_speed},
    {FIELD("restitution", NUMBER, CordContactDef, restitution),
     .about = "Share of the speed with which what hits rebounds, of all that pairs does not name.",
     .otherwise = "the larger one of the two things' own", .quantity = &quantity_restitution},
    {FIELD("impact_speed", NUMBER, CordContactDef, impact_speed),
     .about = "Surfaces that approach each other more slowly do not rebound.",
     .quantity = &quantity_contact_speed},
    {WHOLE("pairs", LIST), .about = "Coefficients of friction between two materials.",
     .table = &table_contact_pair, .most = MOST_PAIRS, .read = read_pairs},
    {FIELD("gap", NUMBER, CordContactDef, gap),
     .about = "Surfaces that are nearer to each other, as a share of the thinner rod's radius, are listed as "
              "contacts and refine adaptive rods.",
     .quantity = &quantity_gap},
    {FIELD("response", WORD, CordContactDef, response),
     .about = "Contact response of explicit and position-based rods: impulses solves all contacts at once; "
              "zones solves "
              "impact zones one contact after the other, as in the paper.",
     .words = &response_words},
    {FIELD("tolerance", NUMBER, CordContactDef, tolerance),
     .about = "Largest penetration of explicit rods that remains, as a share of the thinner rod's radius.",
     .quantity = &quantity_tolerance},
    {FIELD("iterations", COUNT, CordContactDef, iterations),
     .about = "Most iterations for explicit rods before a step is halved.", .quantity = &quantity_iterations},
    {FIELD("budget", FALSE_OR_OBJECT, CordContactDef, budget),
     .about = "What contact may cost in a step: a step whose budget is spent ends with what it has, and "
              "nothing passes through anything; or false.",
     .otherwise = "no limit", .table = &table_budget, .read = read_budget},
    {FIELD("sleep", FALSE_OR_OBJECT, CordContactDef, sleep),
     .about = "Puts resting explicit and position-based rods to sleep: they are left out of steps "
              "until something touches or moves them; or false.",
     .otherwise = "no rod sleeps", .table = &table_sleep, .read = read_sleep},
    {FIELD("rods", BOOL, CordContactDef, rods),
     .about = "Whether rods touch themselves and each other; otherwise they touch obstacles and bodies "
              "alone."},
    {FIELD("watch_topology", BOOL, CordContactDef, watch_topology),
     .about = "Whether a run stops if a knot or a link changes."},
};
const Table table_contact = TABLE("contact", "contact", contact_fields, .about = "Settings of contact.",
                                  .size = sizeof(CordContactDef), .start = contact_start);

// ---- pairs that nothing is made of

// Marks the surfaces of everything in the scene.
static bool* used_surfaces(Reader* r)
{
    const CordScene* scene = r->scene;
    bool* used = pool_array(r->pool, bool, surface_count(scene));
    for (int i = 0; used && i < scene->rod_count; i++) {
        const CordRodDef* def = &scene->rods[i].def;
        used[def->surface] = true;
        for (int k = 0; k < def->stretch_count; k++) {
            used[def->stretches[k].surface] = true;
        }
    }
    for (int i = 0; used && i < scene->body_count; i++) {
        used[scene->bodies[i].def.surface] = true;
    }
    for (int i = 0; used && i < scene->obstacle_count; i++) {
        used[scene->obstacles[i].def.surface] = true;
    }
    return used;
}

static void check_pairs(Reader* r, const JsonValue* value, const CordContactDef* def)
{
    const bool* used = used_surfaces(r);
    const JsonValue* entry = def->pair_count > 0 ? json_member(value, "pairs")->first : NULL;
    for (int i = 0; used && i < def->pair_count; i++, entry = entry->next) {
        const JsonValue* at = json_member(entry, "materials")->first;
        for (int k = 0; k < 2; k++, at = at->next) {
            if (!used[def->pairs[i].surface[k]]) {
                reader_warning(r, at, "is %s, and no rod, body or obstacle is made of it",
                               reader_describe(r, at));
            }
        }
    }
}

void read_contact(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    if (value->kind == JSON_BOOL) {
        scene->contact.on = value->truth;
        if (!value->truth && scene->obstacle_count > 0) {
            reader_warning(
                r, value,
                "is false, so rods pass through the obstacles of the scene; leave it out to have contact");
        } else if (!value->truth && scene->knot_at) {
            reader_warning(r, value, "is false, so the knot of %s comes undone; leave it out to have contact",
                           reader_path(r, scene->knot_at));
        }
        return;
    }
    if (value->kind != JSON_OBJECT) {
        value_error(r, value, "contact is true, false, or an object of settings, in { }");
        return;
    }
    CordContactDef def = scene->contact;
    if (read_table(r, value, &table_contact, &def)) {
        check_kinetic(r, value, def.friction, def.friction_kinetic);
        if (isnan(def.friction) && !isnan(def.friction_kinetic)) {
            member_error(r, value, "friction_kinetic",
                         "stands without friction; write friction beside it, which is the static one");
        }
        check_pairs(r, value, &def);
    }
    if (!def.rods && scene->knot_at) {
        member_warning(r, value, "rods", "is false, so the knot of %s comes undone; leave it out",
                       reader_path(r, scene->knot_at));
    }
    scene->contact = def;
    scene->contact.on = true;
}
