// Rods.
#include "base/real.h"
#include "scene/strands.h"

#include <math.h>
#include <string.h>

#define MOST_RODS 10000000 // strands included

typedef struct RodKeys {
    CordRodDef def;
    MaterialUse material;
    bool contact;
    int model, integrator, length_method;
    int preset; // read before the others
    SceneSection section;
    SceneStiffness stiffness;
    SceneFrame frame;
    int elements; // 0: not given
    const JsonValue *shape, *strands, *rest, *parts;
    SceneNetwork network;
} RodKeys;

typedef struct Damping {
    double ratio, frequency, time;
} Damping;

// ---- words

static const char* model_name(int i)
{
    return i < CORD_MODEL_COUNT ? cord_model_name((CordModel)i) : NULL;
}

static const Words model_words = {.what = "a model", .name = model_name};

static const Word integrator_list[] = {
    {"verlet", CORD_INTEGRATOR_VERLET},
    {"symplectic_euler", CORD_INTEGRATOR_SYMPLECTIC_EULER},
    {"implicit", CORD_INTEGRATOR_MIDPOINT},
    {"backward_euler", CORD_INTEGRATOR_BACKWARD_EULER},
};
static const Words integrator_words = WORDS("an integrator", integrator_list);

static const Word length_list[] = {
    {"rattle", CORD_LENGTH_RATTLE},
    {"fast_projection", CORD_LENGTH_FAST_PROJECTION},
};
static const Words length_words = WORDS("a length method", length_list);

static const Word rest_list[] = {{"as_shaped", CORD_REST_AS_SHAPED}, {"straight", CORD_REST_STRAIGHT}};
static const Words rest_words = WORDS("a rest shape", rest_list);

// ---- damping

static const Quantity quantity_ratio = {
    .what = "a damping ratio is a fraction of critical damping", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e6)};

static const Field damping_fields[] = {
    {FIELD("ratio", NUMBER, Damping, ratio),
     .about = "Fraction of critical damping of a vibration of the given frequency; it grows with the "
              "frequency.",
     .quantity = &quantity_ratio},
    {FIELD("frequency", NUMBER, Damping, frequency),
     .about = "Frequency of the vibration that has this ratio.", .quantity = &quantity_frequency},
    {FIELD("time", NUMBER, Damping, time),
     .about = "Retardation time: viscous stiffnesses are the elastic ones times this.",
     .quantity = &quantity_time},
};
static const Table table_damping =
    TABLE("damping", "a damping", damping_fields,
          .about = "Internal damping, which does not damp rigid motion: a ratio and its frequency, or a "
                   "time.");

static void read_damping(Reader* r, const JsonValue* value, void* time)
{
    Damping d = {NAN, NAN, NAN};
    if (!read_table(r, value, &table_damping, &d)) {
        return;
    }
    if (!isnan(d.time) && isnan(d.ratio) && isnan(d.frequency)) {
        *(double*)time = d.time;
    } else if (isnan(d.time) && !isnan(d.ratio) && !isnan(d.frequency)) {
        *(double*)time = cord_damping_time(d.ratio, d.frequency);
    } else {
        reader_error(r, value,
                     "takes a ratio and the frequency it is for, or a time alone; write "
                     "{\"ratio\": 0.05, \"frequency\": 10} or {\"time\": 0.001}");
    }
}

// ---- frames

static void radial_start(void* keys)
{
    *(SceneFrame*)keys = (SceneFrame){.axis = {0, 0, 1}};
}

static const Field radial_fields[] = {
    {FIELD("center", VECTOR, SceneFrame, center), .about = "A point on the axis.",
     .quantity = &quantity_position},
    {FIELD("axis", VECTOR, SceneFrame, axis), .about = "Direction of the axis.",
     .quantity = &quantity_direction},
};
static const Table table_radial =
    TABLE("radial", "a radial frame", radial_fields, .about = "An axis that m1 points away from.",
          .size = sizeof(SceneFrame), .start = radial_start);

static void read_toward(Reader* r, const JsonValue* value, void* target)
{
    SceneFrame* frame = target;
    if (read_vector(r, value, &quantity_direction, &frame->toward)) {
        frame->rule = FRAME_TOWARD;
        frame->at = value;
    }
}

static void read_radial(Reader* r, const JsonValue* value, void* target)
{
    SceneFrame* frame = target;
    radial_start(frame);
    if (read_table(r, value, &table_radial, frame)) {
        frame->rule = FRAME_RADIAL;
        frame->at = value;
    }
}

static const Field frame_fields[] = {
    {WHOLE("toward", VECTOR),
     .about = "Direction that m1 points in, as far as it is at right angles to the edge.", .variant = true,
     .quantity = &quantity_direction, .read = read_toward},
    {WHOLE("radial", OBJECT),
     .about = "Axis that m1 points away from, as far as that is at right angles to the edge.",
     .variant = true, .table = &table_radial, .read = read_radial},
};
static const Table table_frame =
    TABLE("frame", "a frame", frame_fields, .about = "Direction of m1 at every edge: exactly one rule.");

static void read_frame(Reader* r, const JsonValue* value, void* target)
{
    RodKeys* keys = target;
    if (value->kind == JSON_ARRAY) {
        keys->frame.at = value;
        read_vector(r, value, &quantity_direction, &keys->def.m1);
    } else {
        read_table(r, value, &table_frame, &keys->frame);
    }
}

// ---- the table

static const Quantity quantity_elements = {.what = "elements are the pieces a rod is cut into",
                                           .must = "be at least 1",
                                           .low = 1,
                                           QUANTITY_UP_TO(10000000)};
static void rod_start(void* keys)
{
    RodKeys* rod = keys;
    *rod = (RodKeys){.def = cord_rod_def_default(),
                     .material = {cord_material_default(), 0},
                     .contact = true,
                     .preset = -1,
                     .stiffness = {.whole = cord_stiffness_unset()}};
    rod->model = (int)rod->def.model;
    rod->integrator = (int)rod->def.integrator;
    rod->length_method = (int)rod->def.length_method;
}

static const Field rod_fields[] = {
    {FIELD("name", NAME, RodKeys, def.name), .about = "Name for clamps, loads, probes and recordings.",
     .otherwise = "`rod1`, `rod2`, ..."},
    {FIELD("preset", WORD, RodKeys, preset),
     .about = "A row of Table 2 of the CORDE paper that gives model, integrator, section, stiffness and "
              "corde. Every key beside it wins.",
     .words = &preset_words},
    {FIELD("model", WORD, RodKeys, model),
     .about = "Model of the rod: der (discrete elastic rods), corde (Cosserat rods with quaternions), pbd "
              "(position-based rods) or modal (beams in their modes of vibration).",
     .words = &model_words},
    {FIELD("integrator", WORD, RodKeys, integrator),
     .about = "Time integration. Explicit: verlet (second order) and symplectic_euler (first order). "
              "Implicit, with far longer steps: implicit (midpoint rule, second order) and backward_euler "
              "(robust).",
     .words = &integrator_words},
    {FIELD("inextensible", BOOL, RodKeys, def.inextensible),
     .about = "Whether the rod keeps its length exactly.",
     .what = "this says whether a rod keeps its length"},
    {FIELD("length_method", WORD, RodKeys, length_method),
     .about = "How an inextensible rod keeps its length; fast_projection loses energy.",
     .words = &length_words},
    {FIELD("material", STRING_OR_OBJECT, RodKeys, material),
     .about = "Name of a material, or the material itself.",
     .otherwise = "needed, unless `stiffness` gives all", .table = &table_material, .read = read_material},
    {FIELD("section", OBJECT, RodKeys, section), .about = "Cross-section.",
     .otherwise = "needed, unless `stiffness` gives all", .table = &table_section, .read = read_section},
    {FIELD("stiffness", OBJECT, RodKeys, stiffness),
     .about = "Stiffnesses that replace those of material and section.",
     .otherwise = "from material and section", .table = &table_stiffness},
    {FIELD("damping", OBJECT, RodKeys, def.damping_time),
     .about = "Internal damping, which replaces the viscosity of the material.",
     .otherwise = "the material's `viscosity`", .table = &table_damping, .read = read_damping},
    {FIELD("corde", OBJECT, RodKeys, def.corde),
     .about = "Settings of the model corde; other models ignore them.", .table = &table_corde,
     .read = read_corde},
    {FIELD("pbd", OBJECT, RodKeys, def.pbd), .about = "Settings of the model pbd; other models ignore them.",
     .table = &table_pbd, .read = read_pbd},
    {FIELD("modal", OBJECT, RodKeys, def.modal),
     .about = "Settings of the model modal; other models ignore them.", .table = &table_modal,
     .read = read_modal},
    {FIELD("adapt", BOOL_OR_OBJECT, RodKeys, def.adapt),
     .about = "Adaptive refinement, which adds nodes where the rod bends or is touched and removes them "
              "again: settings, true or false.",
     .otherwise = "`false`", .table = &table_adapt, .read = read_adapt},
    {FIELD("shape", OBJECT, RodKeys, shape), .about = "Curve of the rod at the start.",
     .otherwise = "needed, unless the rod has `strands`", .either = true, .table = &table_shape,
     .keep = true},
    {FIELD("parts", LIST, RodKeys, parts),
     .about = "Edges of a network that have a section, a material or an axis m1 of their own. Where two "
              "parts name the same edge, the later one counts.",
     .table = &table_part, .keep = true},
    {FIELD("strands", OBJECT, RodKeys, strands),
     .about = "Many rods of this kind that grow on a mesh, in place of a shape.", .either = true,
     .table = &table_strands, .keep = true},
    {FIELD("elements", COUNT, RodKeys, elements),
     .about = "Number of elements. The points of a polyline or a file are the nodes if it is left out.",
     .otherwise = "needed, but for `polyline` and `file`; networks have `split`",
     .quantity = &quantity_elements},
    {FIELD("rest", WORD_OR_OBJECT, RodKeys, rest), .about = "Shape of the rod without stress.",
     .otherwise = "`\"as_shaped\"`", .words = &rest_words, .table = &table_shape, .keep = true},
    {FIELD("closed", BOOL, RodKeys, def.closed), .about = "Whether the rod is a ring.",
     .otherwise = "as its shape is", .what = "this says whether a rod is a ring"},
    {WHOLE("frame", VECTOR_OR_OBJECT),
     .about = "Direction of the section's axis m1: at the first edge, from which it is carried along "
              "without twist, or by a rule for every edge.",
     .otherwise = "some direction", .quantity = &quantity_direction, .table = &table_frame,
     .read = read_frame},
    {FIELD("rest_frame", VECTOR, RodKeys, def.rest_m1),
     .about = "Direction of m1 at the first edge of the rest shape.", .otherwise = "as `frame`",
     .quantity = &quantity_direction},
    {FIELD("twist", OBJECT, RodKeys, def.twist),
     .about = "Twist at the start, from one end to the other or once around a ring.", .otherwise = "0",
     .table = &table_angle, .read = read_angle},
    {FIELD("rest_twist", OBJECT, RodKeys, def.rest_twist),
     .about = "Twist of the rod without stress, from one end to the other or once around a ring.",
     .otherwise = "0", .table = &table_angle, .read = read_angle},
    {FIELD("dynamic_twist", BOOL, RodKeys, def.dynamic_twist),
     .about = "Whether the frames turn with their own inertia; otherwise they are in equilibrium at all "
              "times.",
     .what = "this says whether frames turn with their own inertia"},
    {FIELD("velocity", VECTOR, RodKeys, def.velocity), .about = "Velocity at the start.",
     .quantity = &quantity_velocity},
    {FIELD("spin", VECTOR, RodKeys, def.spin),
     .about = "Angular velocity about the centre of mass at the start.", .quantity = &quantity_spin},
    {FIELD("contact", BOOL, RodKeys, contact),
     .about = "Whether the rod touches anything, in a scene with contact.",
     .what = "this says whether a rod touches anything"},
};
const Table table_rod =
    TABLE("rod", "a rod", rod_fields, .about = "A rod.", .size = sizeof(RodKeys), .start = rod_start);

// ---- stiffness

static double one_given(double whole, double station)
{
    return isnan(station) ? whole : station;
}

// What the scene gives of the stiffness, for the whole rod or along it.
static CordStiffness stiffness_given(const SceneStiffness* s)
{
    CordStiffness along = s->count > 0 ? s->stations[0].value : cord_stiffness_unset();
    return (CordStiffness){.EI1 = one_given(s->whole.EI1, along.EI1),
                           .GJ = one_given(s->whole.GJ, along.GJ),
                           .EA = one_given(s->whole.EA, along.EA),
                           .mass_per_length = one_given(s->whole.mass_per_length, along.mass_per_length),
                           .spin_inertia = one_given(s->whole.spin_inertia, along.spin_inertia),
                           .rotary1 = one_given(s->whole.rotary1, along.rotary1)};
}

// Sizes far below what a rod can have: their fourth power is zero.
static void check_size(Reader* r, const JsonValue* entry, const CordMaterial* material,
                       const SceneSection* section)
{
    for (int i = 0; i < section->count; i++) {
        CordSection at = section_make(&section->stations[i]);
        CordStiffness made = cord_stiffness_from(material, &at);
        if (!(made.EI1 > 0.0 && made.EI2 > 0.0 && made.GJ > 0.0 && made.EA > 0.0 &&
              made.mass_per_length > 0.0)) {
            reader_error(r, entry, "has a section so small that its stiffness is zero");
            return;
        }
    }
}

// A rod needs material and section for whatever its stiffness does not give.
static void check_stiffness(Reader* r, const JsonValue* entry, const RodKeys* keys)
{
    CordStiffness s = stiffness_given(&keys->stiffness);
    bool modal = keys->def.model == CORD_MODEL_MODAL,
         stretch = !isnan(s.EA) || (keys->def.inextensible && !modal);
    bool given = !isnan(s.EI1) && !isnan(s.GJ) && !isnan(s.mass_per_length) && stretch;
    bool material = json_member(entry, "material") != NULL, section = json_member(entry, "section") != NULL;
    if (!given && !material) {
        reader_error(r, entry,
                     "has no material; name one, such as \"nylon\", or give all of stiffness: bend, twist, "
                     "stretch and mass_per_length");
    }
    if (!given && !section) {
        reader_error(r, entry, "has no section; write one, such as {\"disc\": {\"radius\": 0.005}} (metres)");
    }
    bool known = !given || (material && section);
    bool spin = known || !isnan(s.spin_inertia), rotary = known || !isnan(s.rotary1);
    if (keys->def.dynamic_twist && !spin) {
        reader_error(
            r, entry,
            "has a dynamic_twist and no inertia for it; give spin_inertia in stiffness, or a material and a "
            "section");
    }
    if (keys->def.model == CORD_MODEL_CORDE) {
        corde_check(r, entry, &keys->def, spin, rotary);
    }
    if (keys->def.model == CORD_MODEL_PBD) {
        pbd_check(r, entry, &keys->def);
    }
    if (modal) {
        modal_check(r, entry, &keys->def);
    }
    if (!given) {
        check_size(r, entry, &keys->def.material, &keys->section);
    }
}

// ---- shapes

static bool check_closed(Reader* r, const JsonValue* at, const SceneShape* shape, bool closed)
{
    if (closed && shape->cannot_close) {
        reader_error(r, at, "is %s, which cannot be closed; leave \"closed\" out", shape->noun);
        return false;
    }
    if (!closed && shape->is_loop) {
        reader_error(r, at, "is %s, which is closed; for an open rod take an arc or points", shape->noun);
        return false;
    }
    const CordShape* s = &shape->shape;
    if (closed && s->points && s->point_count < 3) {
        reader_error(r, at, "has %d points; a closed rod needs at least 3", s->point_count);
        return false;
    }
    CordVec3 a = s->points ? s->points[0] : (CordVec3){0, 0, 0},
             b = s->points ? s->points[s->point_count - 1] : a;
    if (closed && s->points && cord_vec3_equal(a, b)) {
        reader_error(r, at,
                     "ends in its first point; a closed rod does not repeat it, so leave the last one out");
        return false;
    }
    return true;
}

// How many nodes the shape is sampled into; points without elements are the nodes themselves.
static bool set_nodes(Reader* r, const JsonValue* entry, const RodKeys* keys, SceneShape* shape)
{
    CordShape* s = &shape->shape;
    const JsonValue* given = json_member(entry, "elements");
    if (given && keys->elements == 0) {
        return false; // reported already
    }
    if (!given && !shape->has_vertices) {
        reader_error(r, entry,
                     "has no elements; write how many pieces %s is cut into, such as \"elements\": 100",
                     shape->noun);
        return false;
    }
    if (!given) {
        s->kind = CORD_SHAPE_POINTS;
        s->node_count = s->point_count;
        return true;
    }
    if (keys->def.closed && keys->elements < 3) {
        Path path;
        reader_enter(r, &path, "elements");
        reader_error(r, given, "is %d; a closed rod needs at least 3", keys->elements);
        reader_leave(r, &path);
        return false;
    }
    s->node_count = keys->def.closed ? keys->elements : keys->elements + 1;
    return true;
}

static double thickest(const SceneSection* section)
{
    double radius = 0.0;
    for (int i = 0; i < section->count; i++) {
        radius = real_max(radius, section_make(&section->stations[i]).radius);
    }
    return radius;
}

static bool read_curve(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    Path path;
    SceneShape shape = {.noun = NULL, .radius = thickest(&keys->section)};
    reader_enter(r, &path, "shape");
    read_shape(r, keys->shape, &shape);
    bool is_network = shape.network.edge_count > 0;
    if (shape.noun && !json_member(entry, "closed")) {
        keys->def.closed = shape.is_loop;
    }
    bool good = shape.noun && (is_network || check_closed(r, keys->shape, &shape, keys->def.closed));
    reader_leave(r, &path);
    good = good && (is_network || set_nodes(r, entry, keys, &shape));
    keys->network = shape.network;
    keys->def.shape = good ? shape.shape : keys->def.shape;
    return good;
}

// Strands are shaped where they grow; here is what they share.
static bool set_strands(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    SceneShape shape = {.noun = "a strand", .cannot_close = true};
    bool good = check_closed(r, entry, &shape, keys->def.closed) && set_nodes(r, entry, keys, &shape);
    keys->def.shape.node_count = shape.shape.node_count;
    return good;
}

static bool check_there(Reader* r, const JsonValue* entry, const RodKeys* keys)
{
    if (!keys->shape && !keys->strands) {
        reader_error(r, entry,
                     "has no shape; write where the rod is, such as {\"line\": {\"from\": [0, 0, 0], \"to\": "
                     "[1, 0, 0]}}");
    }
    return keys->shape || keys->strands;
}

static bool read_where_it_is(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    if (keys->shape && keys->strands) {
        reader_error(r, entry, "has both a shape and strands; leave one of them out");
        return false;
    }
    return keys->strands ? set_strands(r, entry, keys) : keys->shape && read_curve(r, entry, keys);
}

static void read_rest(Reader* r, const JsonValue* value, void* target)
{
    CordRodDef* def = target;
    if (value->kind != JSON_OBJECT) {
        int rest = (int)def->rest;
        read_word(r, value, &rest_words, &rest);
        def->rest = (CordRest)rest;
        return;
    }
    SceneShape shape = {.noun = NULL};
    read_shape(r, value, &shape);
    if (shape.network.edge_count > 0) {
        reader_error(r, value, "is %s; a rest shape is a curve, and a network rests as it is shaped",
                     shape.noun);
        return;
    }
    if (!shape.noun || !check_closed(r, value, &shape, def->closed)) {
        return;
    }
    if (shape.has_vertices && shape.shape.point_count == def->shape.node_count) {
        shape.shape.kind = CORD_SHAPE_POINTS; // node by node
    }
    shape.shape.node_count = def->shape.node_count;
    def->rest = CORD_REST_SHAPE;
    def->rest_shape = shape.shape;
}

// ---- rods

// A rod that names a preset starts from it, wherever the key stands, so that every key beside it wins.
static void start_from_preset(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    const JsonValue* name = json_member(entry, "preset");
    RodPreset preset;
    SectionStation* station;
    if (!name || name->kind != JSON_STRING || !preset_find(name->string, &preset) ||
        !(station = pool_array(r->pool, SectionStation, 1))) {
        return;
    }
    *station = (SectionStation){.kind = SECTION_DISC, .size = {preset.radius}};
    keys->section = (SceneSection){station, 1};
    keys->stiffness.whole = preset.stiffness;
    keys->def.corde = preset.corde;
    keys->model = (int)preset.model;
    keys->integrator = (int)preset.integrator;
    material_find(r->scene, name->string, &keys->material);
}

static void check_network(Reader* r, const JsonValue* entry, const RodKeys* keys, SceneRod* rod)
{
    if (rod->network.edge_count > 0) {
        rod->is_whole = network_check_keys(r, entry, rod) && rod->is_whole;
    }
    if (keys->parts && rod->is_whole) {
        read_at(r, "parts", keys->parts, read_network_parts, rod);
    }
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    SceneRod* rod = &scene->rods[scene->rod_count];
    RodKeys keys;
    rod_start(&keys);
    keys.def.name = pool_format(r->pool, "rod%d", index + 1);
    start_from_preset(r, entry, &keys);
    bool good = read_table(r, entry, &table_rod, &keys) && check_there(r, entry, &keys);
    keys.def.model = (CordModel)keys.model;
    keys.def.integrator = (CordIntegrator)keys.integrator;
    keys.def.length_method = (CordLengthMethod)keys.length_method;
    keys.def.material = keys.material.material;
    keys.def.surface = keys.material.surface;
    keys.def.intangible = !keys.contact;
    if (good) {
        check_stiffness(r, entry, &keys);
    }
    rod->is_whole = read_where_it_is(r, entry, &keys);
    if (keys.rest && rod->is_whole && keys.network.edge_count == 0) {
        read_at(r, "rest", keys.rest, read_rest, &keys.def);
    }
    keys.def.stiffness = keys.stiffness.whole;
    if (keys.section.count > 0) { // where it varies, this is for what asks for one section of the rod
        keys.def.section = section_at(keys.section.stations, keys.section.count, 0.5);
    }
    rod->def = keys.def;
    rod->integrator = keys.def.integrator;
    rod->section = keys.section;
    rod->stiffness = keys.stiffness;
    rod->frame = keys.frame;
    rod->network = keys.network;
    rod->entry = index;
    rod->at = entry;
    check_network(r, entry, &keys, rod);
    int count = keys.strands ? strands_make(r, keys.strands, rod) : 1;
    scene->entries[index] = (SceneEntry){keys.def.name, scene->rod_count, count, keys.strands != NULL, entry};
    scene->rod_count += count;
}

static const char* rod_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->rods[i].def.name;
}

static const char* entry_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->entries[i].name;
}

static const JsonValue* entry_place(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->entries[i].at;
}

// A rod may not have the name of a strand.
static void check_strand_names(Reader* r)
{
    const CordScene* scene = r->scene;
    const NameIndex* index = &scene->rod_index;
    for (int i = 1; i < index->count && notes_room(r->notes, true); i++) {
        const NameEntry *one = index->sorted[i - 1], *other = index->sorted[i];
        const SceneRod *a = &scene->rods[one->index], *b = &scene->rods[other->index];
        bool strand = scene->entries[a->entry].is_strands || scene->entries[b->entry].is_strands;
        if (strand && a->entry != b->entry && strcmp(one->name, other->name) == 0) {
            Path path = {r->path, NULL, b->entry};
            r->path = &path;
            reader_error(r, b->at, "has a rod called \"%s\", and so has rods[%d]; names must differ",
                         one->name, a->entry);
            r->path = path.up;
        }
    }
}

static bool make_rods(Reader* r, const JsonValue* value)
{
    CordScene* scene = r->scene;
    size_t count = 0;
    for (const JsonValue* entry = value->first; entry; entry = entry->next) {
        count += (size_t)strands_count(entry);
    }
    if (count > MOST_RODS) {
        reader_error(r, value, "has %zu rods, with all strands; at most %d are kept", count, MOST_RODS);
        return false;
    }
    scene->rods = pool_array(r->pool, SceneRod, count);
    scene->entries = pool_array(r->pool, SceneEntry, value->count);
    return scene->rods && scene->entries;
}

void read_rods(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    if (value->kind == JSON_ARRAY && !make_rods(r, value)) {
        return;
    }
    read_list(r, value, "rods are a list", read_entry, scene);
    scene->entry_count = scene->entries ? (int)value->count : 0;
    if (value->kind == JSON_ARRAY && value->count == 0) {
        reader_error(r, value, "is empty; a scene has at least one rod");
    }
    if (name_index_make(r->pool, &scene->rod_index, rod_name, scene, scene->rod_count) &&
        name_index_make(r->pool, &scene->entry_index, entry_name, scene, scene->entry_count)) {
        names_check(r, "rods", &scene->entry_index, entry_place, scene);
        check_strand_names(r);
    }
}
