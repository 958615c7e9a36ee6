// Rods: the keys that all models share.
#include "base/real.h"
#include "scene/values.h"

#include <math.h>
#include <string.h>

#define MOST_STRETCHES 10000
#define MOST_RODS 10000000 // strands included

typedef struct RodKeys {
    SceneRod rod;
    MaterialUse material;
    bool contact;
    int preset;   // read before the others
    int elements; // 0: not given
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

static const Words integrator_words =
    WORDS("an integrator", {"verlet", CORD_INTEGRATOR_VERLET},
          {"symplectic_euler", CORD_INTEGRATOR_SYMPLECTIC_EULER}, {"implicit", CORD_INTEGRATOR_MIDPOINT},
          {"backward_euler", CORD_INTEGRATOR_BACKWARD_EULER});

static const Words length_words = WORDS("a length method", {"rattle", CORD_LENGTH_RATTLE},
                                        {"fast_projection", CORD_LENGTH_FAST_PROJECTION});

static const Words rest_words =
    WORDS("a rest shape", {"as_shaped", CORD_REST_AS_SHAPED}, {"straight", CORD_REST_STRAIGHT});

// ---- damping

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
static void damping_convert(Reader* r, const JsonValue* value, const void* keys, void* time)
{
    const Damping* d = keys;
    if (!isnan(d->time) && isnan(d->ratio) && isnan(d->frequency)) {
        *(double*)time = d->time;
    } else if (isnan(d->time) && !isnan(d->ratio) && !isnan(d->frequency)) {
        *(double*)time = cord_damping_time(d->ratio, d->frequency);
    } else {
        reader_error(r, value,
                     "takes a ratio and the frequency it is for, or a time alone; write "
                     "{\"ratio\": 0.05, \"frequency\": 10} or {\"time\": 0.001}");
    }
}

static const Table table_damping =
    TABLE("damping", "a damping", damping_fields,
          .about = "Internal damping, which does not damp rigid motion: a ratio and its frequency, or a "
                   "time.",
          .size = sizeof(Damping), .defaults = &(const Damping){NAN, NAN, NAN}, .convert = damping_convert);

// ---- frames

static const Field radial_fields[] = {
    {FIELD("center", VECTOR, SceneFrame, center), .about = "A point on the axis.",
     .quantity = &quantity_position},
    {FIELD("axis", VECTOR, SceneFrame, axis), .about = "Direction of the axis.",
     .quantity = &quantity_direction},
};
static void radial_convert(Reader* r, const JsonValue* value, const void* keys, void* target)
{
    SceneFrame* frame = target;
    (void)r;
    *frame = *(const SceneFrame*)keys;
    frame->rule = FRAME_RADIAL;
    frame->at = value;
}

static const Table table_radial =
    TABLE("radial", "a radial frame", radial_fields, .about = "An axis that m1 points away from.",
          .size = sizeof(SceneFrame), .defaults = &(const SceneFrame){.axis = {0, 0, 1}},
          .convert = radial_convert);

static void read_toward(Reader* r, const JsonValue* value, void* target)
{
    SceneFrame* frame = target;
    if (read_vector(r, value, &quantity_direction, &frame->toward)) {
        frame->rule = FRAME_TOWARD;
        frame->at = value;
    }
}

static const Field frame_fields[] = {
    {WHOLE("toward", VECTOR),
     .about = "Direction that m1 points in, as far as it is at right angles to the edge.", .variant = true,
     .quantity = &quantity_direction, .read = read_toward},
    {VARIANT("radial", table_radial),
     .about = "Axis that m1 points away from, as far as that is at right angles to the edge."},
};
static const Table table_frame =
    TABLE("frame", "a frame", frame_fields, .about = "Direction of m1 at every edge: exactly one rule.");

static void read_frame(Reader* r, const JsonValue* value, void* target)
{
    RodKeys* keys = target;
    if (value->kind == JSON_ARRAY) {
        keys->rod.frame.at = value;
        read_vector(r, value, &quantity_direction, &keys->rod.def.m1);
    } else {
        read_table(r, value, &table_frame, &keys->rod.frame);
    }
}

// ---- shapes

static bool check_closed(Reader* r, const JsonValue* at, const SceneShape* shape, bool closed)
{
    if (closed && shape->cannot_close) {
        return reader_error(r, at, "is %s, which cannot be closed; leave \"closed\" out", shape->noun);
    }
    if (!closed && shape->is_loop) {
        return reader_error(r, at, "is %s, which is closed; for an open rod take an arc or points",
                            shape->noun);
    }
    const CordShape* s = &shape->shape;
    if (closed && s->points && s->point_count < 3) {
        return reader_error(r, at, "has %d points; a closed rod needs at least 3", s->point_count);
    }
    CordVec3 a = s->points ? s->points[0] : (CordVec3){0, 0, 0},
             b = s->points ? s->points[s->point_count - 1] : a;
    if (closed && s->points && cord_vec3_equal(a, b)) {
        return reader_error(
            r, at, "ends in its first point; a closed rod does not repeat it, so leave the last one out");
    }
    return true;
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
    read_table(r, value, &table_shape, &shape);
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

// ---- the table

static const Quantity quantity_elements =
    AT_LEAST(1, "elements are the pieces a rod is cut into", NULL, 10000000);
static void rod_start(void* keys)
{
    *(RodKeys*)keys =
        (RodKeys){.rod = {.def = cord_rod_def_default(), .stiffness = {.whole = cord_stiffness_unset()}},
                  .material = {cord_material_default(), 0},
                  .contact = true,
                  .preset = -1};
}

static const Field rod_fields[] = {
    {FIELD("name", NAME, RodKeys, rod.def.name), .about = "Name for clamps, loads, probes and recordings.",
     .otherwise = "`rod1`, `rod2`, ..."},
    {FIELD("preset", WORD, RodKeys, preset),
     .about = "A row of Table 2 of the CORDE paper that gives model, integrator, section, stiffness and "
              "corde. Every key beside it wins.",
     .words = &preset_words},
    {FIELD("model", WORD, RodKeys, rod.def.model),
     .about = "Model of the rod: der (discrete elastic rods), corde (Cosserat rods with quaternions), pbd "
              "(position-based rods) or modal (beams in their modes of vibration).",
     .words = &model_words},
    {FIELD("integrator", WORD, RodKeys, rod.def.integrator),
     .about = "Time integration. Explicit: verlet (second order) and symplectic_euler (first order). "
              "Implicit, with far longer steps: implicit (midpoint rule, second order) and backward_euler "
              "(robust).",
     .words = &integrator_words},
    {FIELD("inextensible", BOOL, RodKeys, rod.def.inextensible),
     .about = "Whether the rod keeps its length exactly."},
    {FIELD("length_method", WORD, RodKeys, rod.def.length_method),
     .about = "How an inextensible rod keeps its length; fast_projection loses energy.",
     .words = &length_words},
    {FIELD("material", STRING_OR_OBJECT, RodKeys, material),
     .about = "Name of a material, or the material itself.",
     .otherwise = "needed, unless `stiffness` gives all", .table = &table_material, .read = read_material},
    {FIELD("section", OBJECT, RodKeys, rod.section), .about = "Cross-section.",
     .otherwise = "needed, unless `stiffness` gives all", .table = &table_section},
    {FIELD("stiffness", OBJECT, RodKeys, rod.stiffness),
     .about = "Stiffnesses that replace those of material and section.",
     .otherwise = "from material and section", .table = &table_stiffness},
    {FIELD("damping", OBJECT, RodKeys, rod.def.damping_time),
     .about = "Internal damping, which replaces the viscosity of the material.",
     .otherwise = "the material's `viscosity`", .table = &table_damping},
    {FIELD("corde", OBJECT, RodKeys, rod.def.corde),
     .about = "Settings of the model corde; other models ignore them.", .table = &table_corde},
    {FIELD("pbd", OBJECT, RodKeys, rod.def.pbd),
     .about = "Settings of the model pbd; other models ignore them.", .table = &table_pbd},
    {FIELD("modal", OBJECT, RodKeys, rod.def.modal),
     .about = "Settings of the model modal; other models ignore them.", .table = &table_modal},
    {FIELD("adapt", BOOL_OR_OBJECT, RodKeys, rod.def.adapt),
     .about = "Adaptive refinement, which adds nodes where the rod bends or is touched and removes them "
              "again: settings, true or false.",
     .otherwise = "`false`", .table = &table_adapt, .read = read_adapt},
    {WHOLE("shape", OBJECT), .about = "Curve of the rod at the start.",
     .otherwise = "needed, unless the rod has `strands`", .either = true, .table = &table_shape,
     .later = true},
    {WHOLE("parts", LIST),
     .about = "Edges of a network that have a section, a material or an axis m1 of their own. Where two "
              "parts name the same edge, the later one counts.",
     .table = &table_part, .later = true, .read = read_network_parts},
    {WHOLE("strands", OBJECT), .about = "Many rods of this kind that grow on a mesh, in place of a shape.",
     .either = true, .table = &table_strands, .later = true},
    {FIELD("elements", COUNT, RodKeys, elements),
     .about = "Number of elements. The points of a polyline or a file are the nodes if it is left out.",
     .otherwise = "needed, but for `polyline` and `file`; networks have `split`",
     .quantity = &quantity_elements},
    {WHOLE("rest", WORD_OR_OBJECT), .about = "Shape of the rod without stress.",
     .otherwise = "`\"as_shaped\"`", .words = &rest_words, .table = &table_shape, .later = true,
     .read = read_rest},
    {FIELD("closed", BOOL, RodKeys, rod.def.closed), .about = "Whether the rod is a ring.",
     .otherwise = "as its shape is"},
    {WHOLE("frame", VECTOR_OR_OBJECT),
     .about = "Direction of the section's axis m1: at the first edge, from which it is carried along "
              "without twist, or by a rule for every edge.",
     .otherwise = "some direction", .quantity = &quantity_direction, .table = &table_frame,
     .read = read_frame},
    {FIELD("rest_frame", VECTOR, RodKeys, rod.def.rest_m1),
     .about = "Direction of m1 at the first edge of the rest shape.", .otherwise = "as `frame`",
     .quantity = &quantity_direction},
    {FIELD("twist", OBJECT, RodKeys, rod.def.twist),
     .about = "Twist at the start, from one end to the other or once around a ring.", .otherwise = "0",
     .table = &table_angle},
    {FIELD("rest_twist", OBJECT, RodKeys, rod.def.rest_twist),
     .about = "Twist of the rod without stress, from one end to the other or once around a ring.",
     .otherwise = "0", .table = &table_angle},
    {FIELD("dynamic_twist", BOOL, RodKeys, rod.def.dynamic_twist),
     .about = "Whether the frames turn with their own inertia; otherwise they are in equilibrium at all "
              "times."},
    {FIELD("velocity", VECTOR, RodKeys, rod.def.velocity), .about = "Velocity at the start.",
     .quantity = &quantity_velocity},
    {FIELD("spin", VECTOR, RodKeys, rod.def.spin),
     .about = "Angular velocity about the centre of mass at the start.", .quantity = &quantity_spin},
    {FIELD("stretches", LIST, RodKeys, rod.def),
     .about = "Stretches of the rod that have the friction of another material. Where two overlap, the later "
              "one counts.",
     .otherwise = "the same friction all along", .table = &table_surface_stretch, .most = MOST_STRETCHES,
     .read = read_surface_stretches},
    {FIELD("contact", BOOL, RodKeys, contact),
     .about = "Whether the rod touches anything, in a scene with contact."},
};
const Table table_rod =
    TABLE("rod", "a rod", rod_fields, .about = "A rod.", .size = sizeof(RodKeys), .start = rod_start);

// ---- stiffness

typedef struct GivenStiffness { // which stiffnesses the scene gives, for the whole rod or along it
    bool bend, twist, stretch, mass, spin, rotary;
} GivenStiffness;

static GivenStiffness stiffness_given(const SceneStiffness* s)
{
    const CordStiffness *a = &s->whole, *b = s->count > 0 ? &s->stations[0].value : a;
    return (GivenStiffness){.bend = !isnan(a->EI1) || !isnan(b->EI1),
                            .twist = !isnan(a->GJ) || !isnan(b->GJ),
                            .stretch = !isnan(a->EA) || !isnan(b->EA),
                            .mass = !isnan(a->mass_per_length) || !isnan(b->mass_per_length),
                            .spin = !isnan(a->spin_inertia) || !isnan(b->spin_inertia),
                            .rotary = !isnan(a->rotary1) || !isnan(b->rotary1)};
}

// A rod needs material and section for whatever its stiffness does not give.
static void check_stiffness(Reader* r, const JsonValue* entry, SceneRod* rod)
{
    GivenStiffness s = stiffness_given(&rod->stiffness);
    bool modal = rod->def.model == CORD_MODEL_MODAL;
    bool given = s.bend && s.twist && s.mass && (s.stretch || (rod->def.inextensible && !modal));
    bool material = json_member(entry, "material") != NULL, section = json_member(entry, "section") != NULL;
    if (!given && !material && !key_is_misspelt(entry, &table_rod, "material")) {
        reader_error(r, entry,
                     "has no material; name one, such as \"nylon\", or give all of stiffness: bend, twist, "
                     "stretch and mass_per_length");
    }
    if (!given && !section && !key_is_misspelt(entry, &table_rod, "section")) {
        reader_error(r, entry, "has no section; write one, such as {\"disc\": {\"radius\": 0.005}} (metres)");
    }
    bool known = !given || (material && section);
    bool spin = known || s.spin, rotary = known || s.rotary;
    if (rod->def.dynamic_twist && !spin) {
        reader_error(
            r, entry,
            "has a dynamic_twist and no inertia for it; give spin_inertia in stiffness, or a material and a "
            "section");
    }
    if (rod->def.model == CORD_MODEL_CORDE) {
        corde_check(r, entry, &rod->def, spin, rotary);
    }
    if (rod->def.model == CORD_MODEL_PBD) {
        pbd_check(r, entry, &rod->def);
    }
    if (modal) {
        modal_check(r, entry, &rod->def);
    }
    for (int i = 0; !given && i < rod->section.count; i++) {
        if (!material_makes_stiffness(&rod->def.material, &rod->section.stations[i])) {
            reader_error(r, entry, "has a section so small that its stiffness is zero");
            break;
        }
    }
}

// ---- nodes

// How many nodes the shape is sampled into; points without elements are the nodes themselves.
static bool set_nodes(Reader* r, const JsonValue* entry, const RodKeys* keys, SceneShape* shape)
{
    CordShape* s = &shape->shape;
    const JsonValue* given = json_member(entry, "elements");
    if (given && keys->elements == 0) {
        return false; // reported already
    }
    if (!given && key_is_misspelt(entry, &table_rod, "elements")) {
        return false;
    }
    if (!given && !shape->has_vertices) {
        return reader_error(
            r, entry, "has no elements; write how many pieces %s is cut into, such as \"elements\": 100",
            shape->noun);
    }
    if (!given) {
        s->kind = CORD_SHAPE_POINTS;
        s->node_count = s->point_count;
        return true;
    }
    if (keys->rod.def.closed && keys->elements < 3) {
        return member_error(r, entry, "elements", "is %d; a closed rod needs at least 3", keys->elements);
    }
    s->node_count = keys->rod.def.closed ? keys->elements : keys->elements + 1;
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

// A knot by name turns contact on, without which it would come undone. Modal rods hardly move.
static void keep_knot(Reader* r, const JsonValue* entry, const RodKeys* keys)
{
    CordScene* scene = r->scene;
    if (keys->rod.def.model == CORD_MODEL_MODAL) {
        return;
    }
    if (!keys->contact) {
        member_warning(r, entry, "contact",
                       "is false, so the rod passes through itself and its knot comes undone; leave it out");
        return;
    }
    scene->contact.on = true;
    scene->knot_at = scene->knot_at ? scene->knot_at : entry;
}

static bool read_curve(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    const JsonValue* value = json_member(entry, "shape");
    SceneShape shape = {.noun = NULL, .radius = thickest(&keys->rod.section)};
    read_table(r, value, &table_shape, &shape);
    bool is_network = shape.network.edge_count > 0;
    if (shape.noun && !json_member(entry, "closed")) {
        keys->rod.def.closed = shape.is_loop;
    }
    bool good = shape.noun && (is_network || check_closed(r, value, &shape, keys->rod.def.closed));
    good = good && (is_network || set_nodes(r, entry, keys, &shape));
    keys->rod.network = shape.network;
    keys->rod.def.shape = good ? shape.shape : keys->rod.def.shape;
    if (good && shape.is_knot) {
        keep_knot(r, entry, keys);
    }
    return good;
}

// Strands get their shapes where they grow. This sets what they share.
static bool set_strands(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    SceneShape shape = {.noun = "a strand", .cannot_close = true};
    bool good = check_closed(r, entry, &shape, keys->rod.def.closed) && set_nodes(r, entry, keys, &shape);
    keys->rod.def.shape.node_count = shape.shape.node_count;
    return good;
}

static bool has_shape(Reader* r, const JsonValue* entry)
{
    bool has = json_member(entry, "shape") || json_member(entry, "strands");
    if (!has) {
        reader_error(r, entry,
                     "has no shape; write where the rod is, such as {\"line\": {\"from\": [0, 0, 0], \"to\": "
                     "[1, 0, 0]}}");
    }
    return has;
}

static bool read_shape_or_strands(Reader* r, const JsonValue* entry, RodKeys* keys)
{
    bool shape = json_member(entry, "shape") != NULL, strands = json_member(entry, "strands") != NULL;
    if (shape && strands) {
        return reader_error(r, entry, "has both a shape and strands; leave one of them out");
    }
    return strands ? set_strands(r, entry, keys) : shape && read_curve(r, entry, keys);
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
    keys->rod.section = (SceneSection){station, 1};
    keys->rod.stiffness.whole = preset.stiffness;
    keys->rod.def.corde = preset.corde;
    keys->rod.def.model = preset.model;
    keys->rod.def.integrator = preset.integrator;
    material_find(r->scene, name->string, &keys->material);
}

// Do the frames begin with the spin of the rod? Those without inertia have none, nor have ghost points.
// Contact with friction gives inertia to those of implicit rods.
static bool frames_spin(const CordScene* scene, const SceneRod* rod)
{
    const CordRodDef* d = &rod->def;
    bool implicit =
        rod->integrator == CORD_INTEGRATOR_MIDPOINT || rod->integrator == CORD_INTEGRATOR_BACKWARD_EULER;
    bool rubs = scene->contact.on && (scene->contact.friction != 0.0 || scene->contact.pair_count > 0);
    bool directors = d->model == CORD_MODEL_CORDE && d->corde.orientations == CORD_ORIENTATIONS_EXPLICIT;
    bool position = d->model == CORD_MODEL_PBD && !implicit;
    return position ? d->pbd.solver != CORD_PBD_PBD
                    : d->dynamic_twist || (directors && !implicit) || (implicit && rubs);
}

static void check_spin(Reader* r, const SceneRod* rod)
{
    const CordRodDef* d = &rod->def;
    const JsonValue* entry = rod->at;
    CordVec3 e = {d->shape.q.x - d->shape.p.x, d->shape.q.y - d->shape.p.y, d->shape.q.z - d->shape.p.z};
    double along = d->spin.x * e.x + d->spin.y * e.y + d->spin.z * e.z;
    bool straight = d->shape.kind == CORD_SHAPE_LINE && d->model != CORD_MODEL_MODAL;
    if (straight && along != 0.0 && !frames_spin(r->scene, rod)) {
        member_warning(
            r, entry, "spin",
            "has a part about the rod's own axis, which has no effect: the rod is straight and its "
            "frames have no inertia; %s",
            d->model == CORD_MODEL_PBD && !d->dynamic_twist ? "take the solver \"xpbd\""
                                                            : "set \"dynamic_twist\": true");
    } else if (straight && along != 0.0 && d->model == CORD_MODEL_PBD && !d->dynamic_twist) {
        member_warning(
            r, entry, "spin",
            "is about the rod's own axis, and position-based steps leave out the gyroscopic forces of "
            "what spins and bends; set \"dynamic_twist\": true");
    }
}

void rods_check_spin(Reader* r)
{
    const CordScene* scene = r->scene;
    for (int i = 0; i < scene->entry_count; i++) {
        const SceneRod* rod = &scene->rods[scene->entries[i].first];
        if (rod->is_whole) {
            check_spin(r, rod);
        }
    }
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    CordScene* scene = r->scene;
    RodKeys keys;
    SceneRod* rod = &keys.rod;
    rod_start(&keys);
    rod->at = entry;
    rod->def.name = pool_format(r->pool, "rod%d", index + 1);
    start_from_preset(r, entry, &keys);
    bool good = read_table(r, entry, &table_rod, &keys) && has_shape(r, entry);
    rod->def.material = keys.material.material;
    rod->def.surface = keys.material.surface;
    rod->def.intangible = !keys.contact;
    rod->integrator = rod->def.integrator;
    if (good) {
        check_stiffness(r, entry, rod);
    }
    rod->is_whole = read_shape_or_strands(r, entry, &keys);
    bool is_network = rod->network.edge_count > 0;
    if (rod->is_whole && !is_network) {
        read_later(r, entry, &table_rod, "rest", &rod->def);
    }
    rod->def.stiffness = rod->stiffness.whole;
    if (rod->section.count > 0) { // where the section varies, this is the one in the middle
        rod->def.section = section_at(rod->section.stations, rod->section.count, 0.5);
    }
    if (is_network) {
        rod->is_whole = network_check_keys(r, entry, rod) && rod->is_whole;
    }
    if (rod->is_whole) {
        read_later(r, entry, &table_rod, "parts", rod);
    }
    SceneRod* first = &scene->rods[scene->rod_count];
    *first = *rod;
    const JsonValue* strands = json_member(entry, "strands");
    int count = strands ? strands_make(r, strands, first) : 1;
    ((SceneEntry*)entries)[index] =
        (SceneEntry){rod->def.name, scene->rod_count, count, strands != NULL, entry};
    scene->rod_count += count;
}

// A rod may not have the name of a strand.
static void check_strand_names(Reader* r)
{
    const CordScene* scene = r->scene;
    const NameIndex* index = &scene->rod_index;
    for (int i = 1; i < index->count && notes_room(r->notes, true); i++) {
        const NameEntry *one = &index->sorted[i - 1], *other = one + 1;
        const SceneRod *a = &scene->rods[one->index], *b = &scene->rods[other->index];
        bool strand = json_member(a->at, "strands") || json_member(b->at, "strands");
        if (strand && a->at != b->at && strcmp(one->name, other->name) == 0) {
            reader_error(r, b->at, "has a rod called \"%s\", and so has %s; names must differ", one->name,
                         reader_path(r, a->at));
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
        return reader_error(r, value, "has %zu rods, with all strands; at most %d are kept", count,
                            MOST_RODS);
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
    read_list(r, value, read_entry, scene->entries);
    scene->entry_count = scene->entries ? (int)value->count : 0;
    NamedList entries = NAMED_LIST(SceneEntry, name, scene->entries, scene->entry_count);
    NamedList rods = NAMED_LIST(SceneRod, def.name, scene->rods, scene->rod_count);
    names_check(r, &entries, &scene->entry_index);
    if (name_index_make(r->pool, &scene->rod_index, named_at, &rods, rods.count)) {
        check_strand_names(r);
    }
}
