// Settings of the model modal: how many modes there are, and how they are damped.
#include "scene/values.h"

static const Words rigid_words =
    WORDS("what is done about rigid motions", {"refuse", CORD_RIGID_REFUSE}, {"remove", CORD_RIGID_REMOVE});

static const Quantity quantity_modes = AT_LEAST(1, "modes are counted from the lowest", NULL, 10000);
static const Quantity quantity_mass_damping = NOT_NEGATIVE("damping by mass is per second", "1/s", 1e9);

static void read_ratio(Reader* r, const JsonValue* entry, int index, void* user)
{
    double* ratios = user;
    read_number(r, entry, &quantity_ratio, &ratios[index]);
}

// A damping ratio is one number for all modes, or a list for the lowest ones.
static void read_ratios(Reader* r, const JsonValue* value, void* target)
{
    CordModalDef* def = target;
    if (value->kind != JSON_ARRAY) {
        read_number(r, value, &quantity_ratio, &def->damping_ratio);
        return;
    }
    List ratios;
    if (read_entries(r, value, read_ratio, sizeof(double), &ratios)) {
        def->damping_ratios = ratios.entries;
        def->damping_ratio_count = ratios.count;
    }
}

static void modal_start(void* keys)
{
    *(CordModalDef*)keys = cord_rod_def_default().modal;
}

static const Field modal_fields[] = {
    {FIELD("modes", COUNT, CordModalDef, modes),
     .about = "Number of modes from the lowest frequency on. A few more are kept if the last ones share "
              "their frequency.",
     .quantity = &quantity_modes},
    {FIELD("mass_damping", NUMBER, CordModalDef, mass_damping),
     .about = "Damping in proportion to mass, which damps slow modes more.",
     .quantity = &quantity_mass_damping},
    {WHOLE("damping_ratio", NUMBER_OR_NUMBERS),
     .about = "Fraction of critical damping in addition to that of mass and stiffness: one number for all "
              "modes, or a list for the lowest ones.",
     .otherwise = "0", .quantity = &quantity_ratio, .least = 1,
     .example = "[0.02, 0.03] for the two lowest modes", .read = read_ratios},
    {FIELD("linear", BOOL, CordModalDef, linear),
     .about = "Whether modes are not warped, which is for small deformations."},
    {FIELD("rigid", WORD, CordModalDef, rigid),
     .about = "Treatment of rigid motions that nothing resists: refuse is an error that names them, remove "
              "leaves them out.",
     .words = &rigid_words},
};
const Table table_modal = TABLE("modal", "what modal adds", modal_fields,
                                .about = "Settings of the model modal: the number of modes and their "
                                         "damping.",
                                .size = sizeof(CordModalDef), .start = modal_start);

// ---- checks

static void warn_unused(Reader* r, const JsonValue* entry, const char* key, const char* why)
{
    if (json_member(entry, key)) {
        member_warning(r, entry, key, "is not used by the model \"modal\", %s; leave it out", why);
    }
}

void modal_check(Reader* r, const JsonValue* entry, CordRodDef* def)
{
    warn_unused(r, entry, "integrator", "whose modes are stepped exactly");
    warn_unused(r, entry, "length_method", "whose lengths follow from its modes");
    if (def->inextensible) {
        warn_unused(r, entry, "inextensible", "whose lengths follow from its modes");
        def->inextensible = false;
    }
    if (def->dynamic_twist) {
        warn_unused(r, entry, "dynamic_twist", "whose frames always turn with their inertia");
    }
}

// What makes contact of a scene part of Newton's method, in which modal rods cannot take part; NULL: nothing
// does.
static const char* newton_cause(const CordScene* scene)
{
    for (int i = 0; i < scene->rod_count; i++) {
        const CordRodDef* def = &scene->rods[i].def;
        if (def->model != CORD_MODEL_MODAL && (def->integrator == CORD_INTEGRATOR_MIDPOINT ||
                                               def->integrator == CORD_INTEGRATOR_BACKWARD_EULER)) {
            return "implicit rods: make these explicit or position-based";
        }
    }
    for (int i = 0; i < scene->body_count; i++) {
        if (!scene->bodies[i].def.intangible) {
            return "bodies: give them \"contact\": false";
        }
    }
    return scene->weld_count + scene->joint_count > 0 ? "welds and joints: leave these out" : NULL;
}

void modal_check_contact(Reader* r)
{
    const CordScene* scene = r->scene;
    const char* cause = scene->contact.on ? newton_cause(scene) : NULL;
    for (int i = 0; i < scene->rod_count && cause; i++) {
        const SceneRod* rod = &scene->rods[i];
        if (rod->def.model == CORD_MODEL_MODAL && !rod->def.intangible && rod->at) {
            reader_error(r, rod->at,
                         "is modal, and its contacts cannot be solved for beside those of %s, or give this "
                         "rod \"contact\": false",
                         cause);
            return; // one note will do
        }
    }
}
