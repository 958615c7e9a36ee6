// What corde adds to a rod, and the paper's own ropes, wires and threads.
#include "scene/values.h"

#include <string.h>

// ---- keys

enum { STRAIN_TANGENT, STRAIN_PRINTED };

typedef struct CordeKeys {
    CordCordeDef def;
    int orientations, strain;
} CordeKeys;

static const Word orientation_list[] = {
    {"quasistatic", CORD_ORIENTATIONS_QUASISTATIC},
    {"explicit", CORD_ORIENTATIONS_EXPLICIT},
};
static const Words orientation_words = WORDS("a way to step orientations", orientation_list);

static const Word strain_list[] = {
    {"tangent", STRAIN_TANGENT},
    {"printed", STRAIN_PRINTED},
};
static const Words strain_words = WORDS("a measure of strain", strain_list);

static const Quantity quantity_penalty = {
    .what = "a penalty is in newtons", .unit = "N", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e18)};
static const Quantity quantity_friction_stretch = {.what =
                                                       "internal friction of stretching is in newton seconds",
                                                   .unit = "N s",
                                                   QUANTITY_NOT_NEGATIVE,
                                                   QUANTITY_UP_TO(1e15)};
static const Quantity quantity_friction_turn = {
    .what = "internal friction of turning is in newton square metre seconds",
    .unit = "N m^2 s",
    QUANTITY_NOT_NEGATIVE,
    QUANTITY_UP_TO(1e15)};

static CordeKeys keys_of(CordCordeDef def)
{
    return (CordeKeys){def, (int)def.orientations, def.printed_strain ? STRAIN_PRINTED : STRAIN_TANGENT};
}

static void corde_start(void* keys)
{
    *(CordeKeys*)keys = keys_of(cord_rod_def_default().corde);
}

static const Field corde_fields[] = {
    {FIELD("orientations", WORD, CordeKeys, orientations),
     .about = "How explicit integrators step the orientations: quasistatic keeps them in equilibrium, so "
              "that the centreline alone limits the step; explicit gives them inertia, as the paper does.",
     .words = &orientation_words},
    {FIELD("penalty", NUMBER, CordeKeys, def.penalty),
     .about = "Spring constant kappa that keeps the third director on the tangent.",
     .otherwise = "from the bending stiffness, edge by edge", .quantity = &quantity_penalty},
    {FIELD("friction_stretch", NUMBER, CordeKeys, def.friction_stretch),
     .about = "Internal friction of stretching, gamma_t.",
     .otherwise = "EA times the retardation time of `damping`", .quantity = &quantity_friction_stretch},
    {FIELD("friction_turn", NUMBER, CordeKeys, def.friction_turn),
     .about = "Internal friction of bending and twisting, gamma_r.",
     .otherwise = "the same of the three stiffnesses", .quantity = &quantity_friction_turn},
    {FIELD("strain", WORD, CordeKeys, strain),
     .about = "Measure of the turn phi between neighbours: tangent is (4/l) tan(phi/4); printed is (2/l) "
              "sin(phi/2), for explicit integrators alone.",
     .words = &strain_words},
};
const Table table_corde =
    TABLE("corde", "what corde adds", corde_fields, .about = "Settings of the model corde.",
          .size = sizeof(CordeKeys), .start = corde_start);

void read_corde(Reader* r, const JsonValue* value, void* target)
{
    CordCordeDef* corde = target;
    CordeKeys keys = keys_of(*corde);
    read_table(r, value, &table_corde, &keys);
    *corde = keys.def;
    corde->orientations = (CordOrientations)keys.orientations;
    corde->printed_strain = keys.strain == STRAIN_PRINTED;
}

// ---- checks

static void refuse_explicit(Reader* r, const JsonValue* at)
{
    Path corde, orientations;
    reader_enter(r, &corde, "corde");
    reader_enter(r, &orientations, "orientations");
    reader_error(
        r, at,
        "is \"explicit\", and the rod has no inertia for it; give rotary_inertia and spin_inertia in "
        "stiffness, or a material and a section");
    reader_leave(r, &orientations);
    reader_leave(r, &corde);
}

// Frames that turn with their inertia are explicit orientations: about all axes.
static void refuse_dynamic(Reader* r, const JsonValue* at)
{
    Path path;
    reader_enter(r, &path, "dynamic_twist");
    reader_error(r, at,
                 "makes orientations of corde explicit, and they have no inertia about m1 and m2; give "
                 "rotary_inertia in "
                 "stiffness, or a material and a section");
    reader_leave(r, &path);
}

// As the library says it, where a key asks for the printed strain; a preset asks for it without one.
static void refuse_printed(Reader* r, const JsonValue* entry, const JsonValue* strain, const char* rod)
{
    if (!notes_room(r->notes, true)) {
        return;
    }
    const JsonValue* at = strain ? strain : entry;
    const char* what = strain ? "" : " of its preset";
    const char* instead = strain ? "leave it out" : "write \"corde\": {\"strain\": \"tangent\"}";
    notes_add(r->notes, true, at->source, at->offset,
              "%s%s: rod '%s': the printed strain%s is for explicit integrators; %s, or take \"verlet\" or "
              "\"symplectic_euler\"",
              reader_path(r), strain ? ".corde.strain" : "", rod, what, instead);
}

void corde_check(Reader* r, const JsonValue* entry, const CordRodDef* def, bool spin, bool rotary)
{
    const JsonValue* corde = json_member(entry, "corde");
    const JsonValue* orientations = corde ? json_member(corde, "orientations") : NULL;
    bool is_explicit =
        def->integrator == CORD_INTEGRATOR_VERLET || def->integrator == CORD_INTEGRATOR_SYMPLECTIC_EULER;
    if (is_explicit && def->corde.orientations == CORD_ORIENTATIONS_EXPLICIT && !(spin && rotary)) {
        refuse_explicit(r, orientations ? orientations : entry);
    } else if (is_explicit && def->dynamic_twist && spin && !rotary) {
        refuse_dynamic(r, json_member(entry, "dynamic_twist"));
    }
    if (!is_explicit && def->corde.printed_strain) {
        refuse_printed(r, entry, corde ? json_member(corde, "strain") : NULL, def->name);
    }
}

// ---- presets: Table 2 of the paper

enum { ROPE, WIRE, THREAD };

static const Word preset_list[] = {
    {"corde_table2_rope", ROPE}, // materials have these names, too: with the moduli and the density
    {"corde_table2_wire", WIRE},
    {"corde_table2_thread", THREAD},
};
const Words preset_words = WORDS("a preset", preset_list);

static const struct {
    double radius;  // [m]
    double kappa;   // [N]
    double gamma_t; // [N s]; printed with the unit of gamma_r
    double gamma_r; // [N m^2 s]
} table2[] = {
    [ROPE] = {0.01, 100e3, 10e-6, 1e-6},
    [WIRE] = {0.001, 300e3, 0.05e-6, 0.01e-6},
    [THREAD] = {0.001, 0.1e3, 1e-6, 0.1e-6},
};

static const CordMaterial* material_of(const char* name)
{
    int i = 0;
    while (strcmp(cord_material_named(i)->name, name) != 0) {
        i++;
    }
    return &cord_material_named(i)->material;
}

// Eqs. (11) and (14) as they are printed, with r^2 where the second moments of a disc have r^4.
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
    int i = 0;
    while (i < preset_words.count && strcmp(preset_list[i].name, name) != 0) {
        i++;
    }
    if (i == preset_words.count) {
        return false;
    }
    int row = preset_list[i].value;
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
