// Settings of the model corde, and the presets of the paper's Table 2.
#include "scene/values.h"

#include <string.h>

// ---- keys

static const Words orientation_words =
    WORDS("a way to step orientations", {"quasistatic", CORD_ORIENTATIONS_QUASISTATIC},
          {"explicit", CORD_ORIENTATIONS_EXPLICIT});

static const Words strain_words = {.what = "a measure of strain",
                                   .list = (const Word[]){{"tangent", false}, {"printed", true}, {NULL, 0}},
                                   .is_flag = true};

static const Quantity quantity_penalty = POSITIVE("a penalty is in newtons", "N", 1e18);
static const Quantity quantity_friction_stretch =
    NOT_NEGATIVE("internal friction of stretching is in newton seconds", "N s", 1e15);
static const Quantity quantity_friction_turn =
    NOT_NEGATIVE("internal friction of turning is in newton square metre seconds", "N m^2 s", 1e15);

static void corde_start(void* keys)
{
    *(CordCordeDef*)keys = cord_rod_def_default().corde;
}

static const Field corde_fields[] = {
    {FIELD("orientations", WORD, CordCordeDef, orientations),
     .about = "How explicit integrators step the orientations: quasistatic keeps them in equilibrium, so "
              "that the centreline alone limits the step; explicit gives them inertia, as the paper does.",
     .words = &orientation_words},
    {FIELD("penalty", NUMBER, CordCordeDef, penalty),
     .about = "Spring constant kappa that keeps the third director on the tangent.",
     .otherwise = "from the bending stiffness, edge by edge", .quantity = &quantity_penalty},
    {FIELD("friction_stretch", NUMBER, CordCordeDef, friction_stretch),
     .about = "Internal friction of stretching, gamma_t.",
     .otherwise = "EA times the retardation time of `damping`", .quantity = &quantity_friction_stretch},
    {FIELD("friction_turn", NUMBER, CordCordeDef, friction_turn),
     .about = "Internal friction of bending and twisting, gamma_r.",
     .otherwise = "the same of the three stiffnesses", .quantity = &quantity_friction_turn},
    {FIELD("strain", WORD, CordCordeDef, printed_strain),
     .about = "Measure of the turn phi between neighbours: tangent is (4/l) tan(phi/4); printed is (2/l) "
              "sin(phi/2), for explicit integrators alone.",
     .words = &strain_words},
};
const Table table_corde =
    TABLE("corde", "what corde adds", corde_fields, .about = "Settings of the model corde.",
          .size = sizeof(CordCordeDef), .start = corde_start);

// ---- checks

// The library's own message. It stands at the key that asks for the printed strain; a preset has no key.
static void refuse_printed(Reader* r, const JsonValue* entry, const JsonValue* strain, const char* rod)
{
    if (!notes_room(r->notes, true)) {
        return;
    }
    const JsonValue* at = strain ? strain : entry;
    const char* what = strain ? "" : " of its preset";
    const char* instead = strain ? "leave it out" : "write \"corde\": {\"strain\": \"tangent\"}";
    notes_add(r->notes, true, at->source, at->offset,
              "%s: rod '%s': the printed strain%s is for explicit integrators; %s, or take \"verlet\" or "
              "\"symplectic_euler\"",
              reader_path(r, at), rod, what, instead);
}

void corde_check(Reader* r, const JsonValue* entry, const CordRodDef* def, bool spin, bool rotary)
{
    const JsonValue* corde = json_member(entry, "corde");
    bool is_explicit =
        def->integrator == CORD_INTEGRATOR_VERLET || def->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER;
    if (is_explicit && def->corde.orientations == CORD_ORIENTATIONS_EXPLICIT && !(spin && rotary)) {
        // a preset, which asks for them without this key, has the inertia
        member_error(r, corde ? corde : entry, "orientations",
                     "is \"explicit\", and the rod has no inertia for it; give rotary_inertia and "
                     "spin_inertia in stiffness, or a material and a section");
    } else if (is_explicit && def->dynamic_twist && spin && !rotary) {
        // frames with inertia make all orientations explicit
        member_error(r, entry, "dynamic_twist",
                     "makes orientations of corde explicit, and they have no inertia about m1 and m2; give "
                     "rotary_inertia in stiffness, or a material and a section");
    }
    if (!is_explicit && def->corde.printed_strain) {
        refuse_printed(r, entry, corde ? json_member(corde, "strain") : NULL, def->name);
    }
}

// ---- presets: Table 2 of the paper

static const struct {
    const char* name; // a material of the same name has the moduli and the density
    double radius;    // [m]
    double kappa;     // [N]
    double gamma_t;   // [N s]; printed with the unit of gamma_r
    double gamma_r;   // [N m^2 s]
} table2[] = {
    {"corde_table2_rope", 0.01, 100e3, 10e-6, 1e-6},
    {"corde_table2_wire", 0.001, 300e3, 0.05e-6, 0.01e-6},
    {"corde_table2_thread", 0.001, 0.1e3, 1e-6, 0.1e-6},
};

enum { PRESETS = sizeof table2 / sizeof *table2 };

static const char* preset_name(int i)
{
    return i < PRESETS ? table2[i].name : NULL;
}

const Words preset_words = {.what = "a preset", .name = preset_name};

static const CordMaterial* material_of(const char* name)
{
    int i = 0;
    while (strcmp(cord_material_named(i)->name, name) != 0) {
        i++;
    }
    return &cord_material_named(i)->material;
}

// Eqs. (11) and (14) as printed: with r^2, where the second moments of area of a disc have r^4.
static CordStiffness printed_stiffness(const CordMaterial* m, double radius)
{
    double area = cord_section_disc(radius).area;
    return (CordStiffness){.EI1 = m->young * area / 4.0,
                           .EI2 = m->young * area / 4.0,
                           .GJ = m->twist_modulus * area / 2.0,
                           .EA = m->stretch_modulus * area,
                           .mass_per_length = m->density * area,
                           .EI12 = 0.0,
                           .spin_inertia = m->density * area / 2.0,
                           .rotary1 = m->density * area / 4.0,
                           .rotary2 = m->density * area / 4.0};
}

bool preset_find(const char* name, RodPreset* preset)
{
    int row = 0;
    while (row < PRESETS && strcmp(table2[row].name, name) != 0) {
        row++;
    }
    if (row == PRESETS) {
        return false;
    }
    *preset = (RodPreset){.radius = table2[row].radius,
                          .model = CORD_MODEL_CORDE,
                          .integrator = CORD_INTEGRATOR_SYMPLECTIC_EULER,
                          .stiffness = printed_stiffness(material_of(name), table2[row].radius),
                          .corde = {.orientations = CORD_ORIENTATIONS_EXPLICIT,
                                    .penalty = table2[row].kappa,
                                    .friction_stretch = table2[row].gamma_t,
                                    .friction_turn = table2[row].gamma_r,
                                    .printed_strain = true}};
    return true;
}
