// What modal adds to a rod: how many modes, how they are damped.
#include "scene/values.h"

typedef struct ModalKeys {
    CordModalDef def;
    int rigid;
} ModalKeys;

static const Word rigid_list[] = {
    {"refuse", CORD_RIGID_REFUSE},
    {"remove", CORD_RIGID_REMOVE},
};
static const Words rigid_words = WORDS("what is done about rigid motions", rigid_list);

static const Quantity quantity_modes = {
    .what = "modes are counted from the lowest", .must = "be at least 1", .low = 1, QUANTITY_UP_TO(10000)};
static const Quantity quantity_mass_damping = {
    .what = "damping by mass is per second", .unit = "1/s", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e9)};
static const Quantity quantity_ratio = {
    .what = "a damping ratio is a fraction of critical damping", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e6)};

static void read_ratio(Reader* r, const JsonValue* entry, int index, void* user)
{
    double* ratios = user;
    read_number(r, entry, &quantity_ratio, &ratios[index]);
}

// One number for all modes, or one for each of the lowest.
static void read_ratios(Reader* r, const JsonValue* value, void* target)
{
    CordModalDef* def = target;
    if (value->kind != JSON_ARRAY) {
        read_number(r, value, &quantity_ratio, &def->damping_ratio);
        return;
    }
    if (value->count == 0) {
        reader_error(
            r, value,
            "is empty; write a number for all modes, or one for each of the lowest, such as [0.02, 0.03]");
        return;
    }
    double* ratios = pool_array(r->pool, double, value->count);
    if (ratios && read_list(r, value, "ratios are a list", read_ratio, ratios)) {
        def->damping_ratios = ratios;
        def->damping_ratio_count = (int)value->count;
    }
}

static void modal_start(void* keys)
{
    CordModalDef def = cord_rod_def_default().modal;
    *(ModalKeys*)keys = (ModalKeys){def, (int)def.rigid};
}

static const Field modal_fields[] = {
    {FIELD("modes", COUNT, ModalKeys, def.modes),
     .about = "Number of modes from the lowest frequency on. A few more are kept if the last ones share "
              "their frequency.",
     .quantity = &quantity_modes},
    {FIELD("mass_damping", NUMBER, ModalKeys, def.mass_damping),
     .about = "Damping in proportion to mass, which damps slow modes more.",
     .quantity = &quantity_mass_damping},
    {FIELD("damping_ratio", NUMBER_OR_NUMBERS, ModalKeys, def),
     .about = "Fraction of critical damping in addition to that of mass and stiffness: one number for all "
              "modes, or a list for the lowest ones.",
     .otherwise = "0", .quantity = &quantity_ratio, .least = 1, .read = read_ratios},
    {FIELD("linear", BOOL, ModalKeys, def.linear),
     .about = "Whether modes are not warped, which is for small deformations.",
     .what = "this says whether turns are taken for small"},
    {FIELD("rigid", WORD, ModalKeys, rigid),
     .about = "Treatment of rigid motions that nothing resists: refuse is an error that names them, remove "
              "leaves them out.",
     .words = &rigid_words},
};
const Table table_modal = TABLE("modal", "what modal adds", modal_fields,
                                .about = "Settings of the model modal: the number of modes and their "
                                         "damping.",
                                .size = sizeof(ModalKeys), .start = modal_start);

void read_modal(Reader* r, const JsonValue* value, void* target)
{
    CordModalDef* modal = target;
    ModalKeys keys = {*modal, (int)modal->rigid};
    read_table(r, value, &table_modal, &keys);
    *modal = keys.def;
    modal->rigid = (CordRigid)keys.rigid;
}

// ---- checks

static void warn_unused(Reader* r, const JsonValue* entry, const char* key, const char* why)
{
    const JsonValue* at = json_member(entry, key);
    if (at) {
        Path path;
        reader_enter(r, &path, key);
        reader_warning(r, at, "is not used by the model \"modal\", %s; leave it out", why);
        reader_leave(r, &path);
    }
}

void modal_check(Reader* r, const JsonValue* entry, const CordRodDef* def)
{
    warn_unused(r, entry, "integrator", "whose modes are stepped exactly");
    warn_unused(r, entry, "length_method", "whose lengths follow from its modes");
    if (def->inextensible) {
        warn_unused(r, entry, "inextensible", "whose lengths follow from its modes");
    }
    if (def->dynamic_twist) {
        warn_unused(r, entry, "dynamic_twist", "whose frames always turn with their inertia");
    }
}

// Is there anything that it passes through, though contact is on?
static bool meets_others(const CordScene* scene, int index)
{
    int others = 0;
    for (int i = 0; i < scene->rod_count && scene->contact.rods; i++) {
        others += i != index && !scene->rods[i].def.intangible;
    }
    for (int i = 0; i < scene->body_count; i++) {
        others += !scene->bodies[i].def.intangible;
    }
    return others > 0;
}

void modal_check_contact(Reader* r)
{
    const CordScene* scene = r->scene;
    for (int i = 0; i < scene->rod_count && scene->contact.on; i++) {
        const SceneRod* rod = &scene->rods[i];
        if (rod->def.model != CORD_MODEL_MODAL || rod->def.intangible || !meets_others(scene, i) ||
            !rod->at) {
            continue;
        }
        Path list, entry = {&list, NULL, rod->entry};
        reader_enter(r, &list, "rods");
        r->path = &entry;
        reader_warning(
            r, rod->at,
            "is modal, so it touches obstacles alone and passes through other rods and bodies; with "
            "\"contact\": false it touches nothing, and is not told of");
        r->path = &list;
        reader_leave(r, &list);
        return; // once
    }
}
