// Materials of a scene. One may start from a material that comes with Cordage.
#include "scene/values.h"

#include <math.h>
#include <string.h>

static const Quantity quantity_young = POSITIVE("Young's modulus is in pascals", "Pa", 1e15);
static const Quantity quantity_poisson = {.what = "Poisson's ratio has no unit",
                                          .must = "be above -1",
                                          .low = -1.0,
                                          .low_open = true,
                                          .high = 0.5,
                                          .high_text = "0.5"};
static const Quantity quantity_across =
    NOT_NEGATIVE("this is a multiple of the friction along the rod", NULL, 100);
static const Quantity quantity_backward =
    NOT_NEGATIVE("this is a multiple of the friction forwards along the rod", NULL, 100);
static const Quantity quantity_viscosity = NOT_NEGATIVE("a viscosity is in pascal seconds", "Pa s", 1e15);
static const Quantity quantity_modulus = POSITIVE("a modulus is in pascals", "Pa", 1e15);

static const char* preset_name(int i)
{
    return i < cord_material_count() ? cord_material_named(i)->name : NULL;
}

static const Words material_words = {.what = "a material that comes with Cordage", .name = preset_name};

static const char* preset_name_at(const void* context, int i)
{
    (void)context;
    return preset_name(i);
}

static int find_preset_index(const char* name) // -1: there is none
{
    int i = cord_material_count() - 1;
    while (i >= 0 && strcmp(cord_material_named(i)->name, name) != 0) {
        i--;
    }
    return i;
}

static const CordNamedMaterial* find_preset(const char* name)
{
    return cord_material_named(find_preset_index(name));
}

// Checks the name alone: the material has started from it before its table is read.
static void read_like(Reader* r, const JsonValue* value, void* material)
{
    (void)material;
    const char* name;
    if (read_string(r, value, "the name of a material", &name) && !find_preset(name)) {
        NameHint hint = reader_hint(r, name, preset_name_at, NULL, cord_material_count());
        reader_error(r, value, "is %s, and no material that comes with Cordage has that name%s",
                     reader_describe(r, value), hint.text);
    }
}

#define MATERIAL_NUMBER(member, unit, sentence)                                                              \
    FIELD(#member, NUMBER, CordMaterial, member), .about = (sentence), .quantity = &(unit)

static void material_start(void* keys)
{
    CordMaterial* material = keys;
    *material = cord_material_default();
    material->young = NAN; // these two must be given
    material->density = NAN;
}

static const Field material_fields[] = {
    {WHOLE("like", WORD), .about = "Material that comes with Cordage and gives the values that are left out.",
     .words = &material_words, .read = read_like},
    {MATERIAL_NUMBER(young, quantity_young, "Young's modulus."),
     .otherwise = "needed, unless the material starts from another or all three moduli are given"},
    {MATERIAL_NUMBER(poisson, quantity_poisson, "Poisson's ratio.")},
    {MATERIAL_NUMBER(density, quantity_density, "Density."),
     .otherwise = "needed, unless the material starts from another"},
    {MATERIAL_NUMBER(friction, quantity_friction,
                     "Coefficient of static friction against the same material.")},
    {MATERIAL_NUMBER(friction_kinetic, quantity_friction,
                     "Coefficient of kinetic friction against the same material, of what slides."),
     .otherwise = "`friction`"},
    {MATERIAL_NUMBER(friction_across, quantity_across,
                     "Friction across the rod as a multiple of the friction along it: snakes, laid ropes.")},
    {MATERIAL_NUMBER(friction_backward, quantity_backward,
                     "Friction against sliding backwards, towards the rod's start, as a multiple of that "
                     "forwards: scales of hair and snakes.")},
    {MATERIAL_NUMBER(restitution, quantity_restitution,
                     "Share of the speed with which what hits rebounds. Of two materials, the larger one "
                     "counts.")},
    {MATERIAL_NUMBER(rolling_friction, quantity_rolling,
                     "Resistance to rolling: the largest couple of a contact about tangents, over its normal "
                     "force. Of two materials, the larger one counts.")},
    {MATERIAL_NUMBER(spinning_friction, quantity_rolling,
                     "Resistance to spinning about the normal, likewise.")},
    {MATERIAL_NUMBER(viscosity, quantity_viscosity,
                     "Viscosity, which resists the rate of strain as young resists strain. It does not damp "
                     "rigid motion.")},
    {MATERIAL_NUMBER(bend_modulus, quantity_modulus,
                     "Modulus for bending: the strands of a rope slide, so that it bends easily."),
     .otherwise = "`young`"},
    {MATERIAL_NUMBER(twist_modulus, quantity_modulus, "Modulus for twisting."),
     .otherwise = "`young` / (2 (1 + `poisson`))"},
    {MATERIAL_NUMBER(stretch_modulus, quantity_modulus, "Modulus for stretching."), .otherwise = "`young`"},
};
const Table table_material = TABLE("material", "a material", material_fields, .about = "A material.",
                                   .size = sizeof(CordMaterial), .start = material_start);

void check_kinetic(Reader* r, const JsonValue* entry, double friction, double friction_kinetic)
{
    if (friction_kinetic > friction) { // false where either is not given
        member_error(r, entry, "friction_kinetic",
                     "is %g, above the static friction, %g%s; write a number between 0 and that, or leave it "
                     "out",
                     friction_kinetic, friction, json_member(entry, "friction") ? "" : " by default");
    }
}

static CordMaterial start_from(const JsonValue* value, const char* name)
{
    const JsonValue* like = value->kind == JSON_OBJECT ? json_member(value, "like") : NULL;
    if (like && like->kind == JSON_STRING) {
        name = like->string;
    }
    const CordNamedMaterial* preset = name ? find_preset(name) : NULL;
    CordMaterial material;
    material_start(&material);
    return preset ? preset->material : material;
}

// `name` is what the scene calls the material; NULL: it stands in a rod.
static void read_properties(Reader* r, const JsonValue* value, const char* name, CordMaterial* material)
{
    CordMaterial m = start_from(value, name);
    if (!read_table(r, value, &table_material, &m)) {
        return;
    }
    bool moduli = !isnan(m.bend_modulus) && !isnan(m.twist_modulus) && !isnan(m.stretch_modulus);
    if (isnan(m.young) && moduli) {
        m.young = m.stretch_modulus;
    }
    if (isnan(m.young)) {
        reader_error(r, value,
                     "has no young; write Young's modulus in pascals, such as 2e9, or \"like\": \"nylon\"");
    }
    if (isnan(m.density)) {
        reader_error(r, value, "has no density; write it in kilograms per cubic metre, such as 1000");
    }
    check_kinetic(r, value, m.friction, m.friction_kinetic);
    *material = m;
}

static const char* material_name(const void* context, int i)
{
    const CordScene* scene = context;
    return i < scene->material_count ? scene->materials[i].name
                                     : cord_material_named(i - scene->material_count)->name;
}

void read_materials(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    if (value->kind != JSON_OBJECT) {
        value_error(r, value, "materials are an object, such as {\"rope\": {\"like\": \"nylon\"}}");
        return;
    }
    scene->materials = pool_array(r->pool, SceneMaterial, value->count);
    if (!scene->materials) {
        return;
    }
    for (const JsonValue* key = value->first; key; key = key->next->next) {
        SceneMaterial* material = &scene->materials[scene->material_count++];
        *material = (SceneMaterial){key->string, cord_material_default()};
        read_properties(r, key->next, key->string, &material->material);
    }
    name_index_make(r->pool, &scene->material_index, material_name, scene, scene->material_count);
}

// ---- what things are made of

// Surfaces are numbered: 0 for no material, then the scene's materials, those that come with Cordage, and
// those that stand in a rod.
static int surface_of_preset(const CordScene* scene, int preset)
{
    return 1 + scene->material_count + preset;
}

int surface_count(const CordScene* scene)
{
    return surface_of_preset(scene, cord_material_count()) + scene->inline_material_count;
}

bool material_find(const CordScene* scene, const char* name, MaterialUse* use)
{
    int own = name_index_find(&scene->material_index, name), preset = find_preset_index(name);
    if (own >= 0) {
        *use = (MaterialUse){scene->materials[own].material, 1 + own};
    } else if (preset >= 0) {
        *use = (MaterialUse){cord_material_named(preset)->material, surface_of_preset(scene, preset)};
    }
    return own >= 0 || preset >= 0;
}

void read_material_name(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = r->scene;
    const char* name;
    if (!read_string(r, value, "the name of a material", &name)) {
        return;
    }
    if (!material_find(scene, name, target)) {
        int count = scene->material_count + cord_material_count();
        NameHint hint = reader_hint(r, name, material_name, scene, count);
        reader_error(r, value, "is %s, and no material has that name%s", reader_describe(r, value),
                     hint.text[0] ? hint.text : "; docs/materials.md lists those that come with Cordage");
    }
}

void read_material(Reader* r, const JsonValue* value, void* target)
{
    MaterialUse* use = target;
    if (value->kind == JSON_OBJECT) {
        read_properties(r, value, NULL, &use->material);
        use->surface = surface_count(r->scene);
        r->scene->inline_material_count++;
    } else if (value->kind == JSON_STRING) {
        read_material_name(r, value, use);
    } else {
        value_error(r, value, "a material is a name in double quotes, or an object, in { }");
    }
}

// Stiffnesses of very thin sections are zero: the fourth power of their size underflows.
bool material_makes_stiffness(const CordMaterial* material, const SectionStation* section)
{
    CordSection made = section_make(section);
    CordStiffness s = cord_stiffness_from(material, &made);
    return s.EI1 > 0.0 && s.EI2 > 0.0 && s.GJ > 0.0 && s.EA > 0.0 && s.mass_per_length > 0.0;
}

double surface_friction(const SurfaceKeys* keys)
{
    return isnan(keys->friction) ? keys->material.material.friction : keys->friction;
}

double surface_friction_kinetic(const SurfaceKeys* keys)
{
    bool own = !isnan(keys->friction) || !isnan(keys->friction_kinetic);
    return own ? keys->friction_kinetic : keys->material.material.friction_kinetic;
}

double surface_restitution(const SurfaceKeys* keys)
{
    return isnan(keys->restitution) ? keys->material.material.restitution : keys->restitution;
}

double surface_rolling(const SurfaceKeys* keys)
{
    return isnan(keys->rolling) ? keys->material.material.rolling_friction : keys->rolling;
}

double surface_spinning(const SurfaceKeys* keys)
{
    return isnan(keys->spinning) ? keys->material.material.spinning_friction : keys->spinning;
}

// ---- stretches of another material

typedef struct StretchKeys {
    double from, to;
    MaterialUse material;
} StretchKeys;

static const Field stretch_fields[] = {
    {FIELD("from", NUMBER, StretchKeys, from), .about = "Rest length from the rod's start to its beginning.",
     .needed = "where it begins, in metres from the rod's start", .quantity = &quantity_arc},
    {FIELD("to", NUMBER, StretchKeys, to), .about = "Rest length from the rod's start to its end.",
     .needed = "where it ends, in metres from the rod's start", .quantity = &quantity_arc},
    {FIELD("material", MATERIAL, StretchKeys, material),
     .about = "Name of the material whose friction it has.", .needed = "the name of a material"},
};
const Table table_surface_stretch =
    TABLE("stretch", "a stretch", stretch_fields,
          .about = "A stretch of a rod with the friction of another material.");

static void read_stretch(Reader* r, const JsonValue* entry, int index, void* entries)
{
    StretchKeys keys = {.material = {cord_material_default(), 0}};
    if (read_table(r, entry, &table_surface_stretch, &keys) && !(keys.from < keys.to)) {
        reader_error(r, entry, "goes from %g to %g; write the smaller length first", keys.from, keys.to);
    }
    ((CordSurfaceStretch*)entries)[index] =
        (CordSurfaceStretch){keys.from, keys.to, keys.material.material, keys.material.surface};
}

void read_surface_stretches(Reader* r, const JsonValue* value, void* target)
{
    CordRodDef* def = target;
    List stretches;
    if (read_entries(r, value, read_stretch, sizeof(CordSurfaceStretch), &stretches)) {
        def->stretches = stretches.entries;
        def->stretch_count = stretches.count;
    }
}
