// Contact settings of a scene.
#include "scene/utf8.h"
#include "scene/values.h"

#include <math.h>

#define MOST_PAIRS 1000

typedef struct ContactKeys {
    CordContactDef def;
    int response;
} ContactKeys;

// ---- pairs of materials

static void read_two_materials(Reader* r, const JsonValue* value, void* target)
{
    int* surface = target;
    if (value->kind != JSON_ARRAY || value->count != 2) {
        reader_error(r, value, "is %s; a pair is of two materials, such as [\"nylon\", \"steel\"]",
                     reader_describe(r, value));
        return;
    }
    const JsonValue* name = value->first;
    for (int i = 0; i < 2; i++, name = name->next) {
        MaterialUse use = {.surface = 0};
        Path path = {r->path, NULL, i};
        r->path = &path;
        read_material_name(r, name, &use);
        r->path = path.up;
        surface[i] = use.surface;
    }
}

static const Field pair_fields[] = {
    {FIELD("materials", STRINGS, CordFrictionPair, surface),
     .about = "Names of the two materials, which may be the same.",
     .needed = "two names, such as [\"nylon\", \"steel\"]", .least = 2, .most = 2,
     .read = read_two_materials},
    {FIELD("friction", NUMBER, CordFrictionPair, friction), .about = "Coefficient of friction.",
     .needed = "the coefficient of friction between them", .quantity = &quantity_friction},
};
static const Table table_contact_pair =
    TABLE("contact_pair", "a pair of materials", pair_fields, .about = "Friction between two materials.");

static bool is_same(const CordFrictionPair* a, const CordFrictionPair* b)
{
    return (a->surface[0] == b->surface[0] && a->surface[1] == b->surface[1]) ||
           (a->surface[0] == b->surface[1] && a->surface[1] == b->surface[0]);
}

static void read_one_pair(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordFrictionPair* pairs = user;
    if (!read_table(r, entry, &table_contact_pair, &pairs[index])) {
        pairs[index] = (CordFrictionPair){.surface = {0, 0}};
        return;
    }
    for (int i = 0; i < index; i++) {
        if (is_same(&pairs[i], &pairs[index])) {
            reader_error(r, entry, "is of the same materials as pairs[%d]; leave one of them out", i);
            return;
        }
    }
}

static void read_pairs(Reader* r, const JsonValue* value, void* target)
{
    ContactKeys* keys = target;
    bool is_list = value->kind == JSON_ARRAY;
    if (is_list && value->count > MOST_PAIRS) {
        reader_error(r, value, "is a list of %u; at most %d are kept", value->count, MOST_PAIRS);
        return;
    }
    CordFrictionPair* pairs = is_list ? pool_array(r->pool, CordFrictionPair, value->count) : NULL;
    if (is_list && !pairs) {
        return;
    }
    if (read_list(r, value, "pairs are a list", read_one_pair, pairs)) {
        keys->def.pairs = pairs;
        keys->def.pair_count = (int)value->count;
    }
}

// ---- the table

static const Quantity quantity_gap = {
    .what = "a gap is a share of the thinner rod's radius", QUANTITY_POSITIVE, QUANTITY_UP_TO(0.5)};
static const Quantity quantity_tolerance = {
    .what = "a tolerance is a share of the thinner rod's radius", QUANTITY_POSITIVE, QUANTITY_UP_TO(0.1)};
static const Quantity quantity_iterations = {
    .what = "iterations are counted", .must = "be at least 1", .low = 1, QUANTITY_UP_TO(1000000)};

static const Word response_list[] = {{"impulses", CORD_RESPONSE_IMPULSES}, {"zones", CORD_RESPONSE_ZONES}};
static const Words response_words = WORDS("a response", response_list);

static void contact_start(void* keys)
{
    CordContactDef def = cord_contact_def_default();
    *(ContactKeys*)keys = (ContactKeys){def, (int)def.response};
}

static const Field contact_fields[] = {
    {FIELD("friction", NUMBER, ContactKeys, def.friction),
     .about = "Coefficient of friction of all that pairs does not name.",
     .otherwise = "the geometric mean of the two things' own", .quantity = &quantity_friction},
    {WHOLE("pairs", LIST), .about = "Coefficients of friction between two materials.",
     .table = &table_contact_pair, .most = MOST_PAIRS, .read = read_pairs},
    {FIELD("gap", NUMBER, ContactKeys, def.gap),
     .about = "Thickness of the layer in which implicit rods and statics push, as a share of the thinner "
              "rod's radius.",
     .quantity = &quantity_gap},
    {FIELD("response", WORD, ContactKeys, response),
     .about = "Contact response of explicit rods: impulses solves all contacts at once; zones solves "
              "impact zones one contact after the other, as in the paper.",
     .words = &response_words},
    {FIELD("tolerance", NUMBER, ContactKeys, def.tolerance),
     .about = "Largest penetration of explicit rods that remains, as a share of the thinner rod's radius.",
     .quantity = &quantity_tolerance},
    {FIELD("iterations", COUNT, ContactKeys, def.iterations),
     .about = "Most iterations for explicit rods before a step is halved.", .quantity = &quantity_iterations},
    {FIELD("rods", BOOL, ContactKeys, def.rods),
     .about = "Whether rods touch themselves and each other; otherwise they touch obstacles and bodies "
              "alone.",
     .what = "this says whether rods touch themselves and each other, and not obstacles and bodies alone"},
    {FIELD("watch_topology", BOOL, ContactKeys, def.watch_topology),
     .about = "Whether a run stops if a knot or a link changes.",
     .what = "this says whether a run stops if a knot or a link changes"},
};
const Table table_contact = TABLE("contact", "contact", contact_fields, .about = "Settings of contact.",
                                  .size = sizeof(ContactKeys), .start = contact_start);

// ---- what has no effect

// Which surfaces are to be met with in the scene.
static bool* used_surfaces(Reader* r)
{
    const CordScene* scene = r->scene;
    bool* used = pool_array(r->pool, bool, surface_count(scene));
    for (int i = 0; used && i < scene->rod_count; i++) {
        used[scene->rods[i].def.surface] = true;
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
    Path list, one = {&list, NULL, 0}, names = {&one, "materials", 0}, name = {&names, NULL, 0};
    reader_enter(r, &list, "pairs");
    for (int i = 0; used && i < def->pair_count; i++, entry = entry->next) {
        const JsonValue* at = json_member(entry, "materials")->first;
        one.index = i;
        r->path = &name;
        for (int k = 0; k < 2; k++, at = at->next) {
            name.index = k;
            if (!used[def->pairs[i].surface[k]]) {
                reader_warning(r, at, "is %s, and no rod, body or obstacle is made of it",
                               reader_describe(r, at));
            }
        }
    }
    reader_leave(r, &list);
}

// One coefficient for all leaves no room for those of single things.
static void check_friction(Reader* r, const JsonValue* entry, const char* list, int index)
{
    const JsonValue* own = json_member(entry, "friction");
    if (own) {
        Path top = {NULL, list, 0}, one = {&top, NULL, index}, path = {&one, "friction", 0};
        const Path* before = r->path;
        r->path = &path;
        reader_warning(
            r, own,
            "has no effect, since the friction of contact is that of everything; leave one of them out");
        r->path = before;
    }
}

static void check_effects(Reader* r, const JsonValue* value, const CordContactDef* def)
{
    const CordScene* scene = r->scene;
    check_pairs(r, value, def);
    for (int i = 0; !isnan(def->friction) && i < scene->body_count; i++) {
        check_friction(r, scene->bodies[i].at, "bodies", i);
    }
    for (int i = 0; !isnan(def->friction) && i < scene->obstacle_count; i++) {
        check_friction(r, scene->obstacles[i].at, "obstacles", i);
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
        }
        return;
    }
    if (value->kind != JSON_OBJECT) {
        reader_error(r, value, "is %s; contact is true, false, or an object of settings, in { }",
                     reader_describe(r, value));
        return;
    }
    ContactKeys keys = {.def = scene->contact, .response = (int)scene->contact.response};
    if (read_table(r, value, &table_contact, &keys)) {
        check_effects(r, value, &keys.def);
    }
    scene->contact = keys.def;
    scene->contact.response = (CordResponse)keys.response;
    scene->contact.on = true;
}
