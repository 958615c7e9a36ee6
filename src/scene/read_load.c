// Loads and probes.
#include "scene/values.h"

#include <math.h>
#include <string.h>

typedef struct LoadKeys {
    CordLoadDef def;
    int rod, body;
    bool is_air;
} LoadKeys;

// ---- loads

static const Quantity quantity_force = {.what = "a force is in newtons", QUANTITY_ANY};
static const Quantity quantity_torque = {.what = "a torque is in newton metres", QUANTITY_ANY};
static const Quantity quantity_drag = {
    .what = "a drag is in newton seconds per square metre", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e9)};

#define LOAD_TIMES                                                                                           \
    {FIELD("from", NUMBER, LoadKeys, def.from), .quantity = &quantity_time},                                 \
    {                                                                                                        \
        FIELD("to", NUMBER, LoadKeys, def.to), .quantity = &quantity_time                                    \
    }
#define LOAD_ROD                                                                                             \
    {                                                                                                        \
        FIELD("rod", OTHER, LoadKeys, rod), .read = read_rod                                                 \
    }
#define LOAD_DRAG                                                                                            \
    {FIELD("along", NUMBER, LoadKeys, def.along), .quantity = &quantity_drag},                               \
    {                                                                                                        \
        FIELD("across", NUMBER, LoadKeys, def.across), .quantity = &quantity_drag                            \
    }

static void check_times(Reader* r, const JsonValue* value, const CordLoadDef* def)
{
    if (!(def->from < def->to)) {
        reader_error(r, value, "ends before it begins; \"to\" must be after \"from\"");
    }
}

// ---- forces

static const Field force_fields[] = {
    LOAD_ROD,
    {FIELD("at", OTHER, LoadKeys, def.at), .read = read_place},
    {FIELD("body", OTHER, LoadKeys, body), .read = read_body},
    {FIELD("force", VECTOR, LoadKeys, def.force), .quantity = &quantity_force},
    {FIELD("torque", VECTOR, LoadKeys, def.torque), .quantity = &quantity_torque},
    {FIELD("ramp", NUMBER, LoadKeys, def.ramp), .quantity = &quantity_time},
    LOAD_TIMES,
};
const Table table_force = TABLE("force", "a force", force_fields);

static void check_place_on_rod(Reader* r, const JsonValue* value, LoadKeys* keys, const char* what)
{
    const JsonValue* at = json_member(value, "at");
    Path path;
    keys->rod = rod_or_only(r, value, keys->rod);
    if (!at) {
        reader_error(r, value, "has no at; write where it pulls, such as \"end\"");
        return;
    }
    reader_enter(r, &path, "at");
    place_check(r, at, keys->def.at, keys->rod, PLACE_OF_NODE, what);
    reader_leave(r, &path);
}

static void check_force_on_rod(Reader* r, const JsonValue* value, LoadKeys* keys)
{
    const JsonValue* torque = json_member(value, "torque");
    Path path;
    if (torque) {
        reader_enter(r, &path, "torque");
        reader_error(r, torque, "acts on a body; a rod is twisted by a clamp of the frame with a torque");
        reader_leave(r, &path);
    }
    check_place_on_rod(r, value, keys, "a force acts on");
}

static void read_force(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    keys->def.kind = CORD_LOAD_FORCE;
    if (!read_table(r, value, &table_force, keys)) {
        return;
    }
    if (json_member(value, "ramp") && !json_member(value, "from")) {
        keys->def.from = 0.0; // what has always acted would not grow
    }
    check_times(r, value, &keys->def);
    bool on_body = json_member(value, "body") != NULL;
    if (!json_member(value, "force") && !(on_body && json_member(value, "torque"))) {
        reader_error(r, value,
                     on_body ? "has neither force nor torque; write one in newtons, or newton metres"
                             : "has no force; write three numbers in newtons");
    }
    if (!on_body) {
        check_force_on_rod(r, value, keys);
    } else if (json_member(value, "rod") || json_member(value, "at")) {
        reader_error(r, value, "is on a body, at its centre; leave out rod and at");
    }
}

// ---- springs

static const Quantity quantity_spring = {
    .what = "a spring's stiffness is in newtons per metre", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e12)};
static const Quantity quantity_damper = {
    .what = "a spring's damping is in newton seconds per metre", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e9)};
static const Quantity quantity_most = {
    .what = "the most that a spring pulls with is in newtons", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e12)};

static const Field spring_fields[] = {
    LOAD_ROD,
    {FIELD("at", OTHER, LoadKeys, def.at), .read = read_place},
    {FIELD("target", VECTOR, LoadKeys, def.target), .needed = "where it pulls to, such as [0, 0, 1]",
     .quantity = &quantity_position},
    {FIELD("stiffness", NUMBER, LoadKeys, def.stiffness), .needed = "it in newtons per metre, such as 50",
     .quantity = &quantity_spring},
    {FIELD("damping", NUMBER, LoadKeys, def.damping), .quantity = &quantity_damper},
    {FIELD("most", NUMBER, LoadKeys, def.most), .quantity = &quantity_most},
    LOAD_TIMES,
};
const Table table_spring = TABLE("spring", "a spring", spring_fields);

static void read_spring(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    keys->def.kind = CORD_LOAD_SPRING;
    if (read_table(r, value, &table_spring, keys)) {
        check_times(r, value, &keys->def);
        check_place_on_rod(r, value, keys, "a spring pulls at");
    }
}

// ---- wind

static const Quantity quantity_gust = {.what = "gust is the strength of gusts as a fraction of the wind",
                                       QUANTITY_NOT_NEGATIVE,
                                       QUANTITY_UP_TO(1000)};
static const Quantity quantity_period = {
    .what = "the period of gusts is in seconds", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};
static const Quantity quantity_vortex = {
    .what = "vortex is the speed in a vortex in metres per second", QUANTITY_NOT_NEGATIVE, QUANTITY_UP_TO(1e6)};
static const Quantity quantity_spacing = {
    .what = "the spacing of vortices is in metres", QUANTITY_POSITIVE, QUANTITY_UP_TO(1e9)};

#define WIND_FIELDS                                                                                          \
    {FIELD("velocity", VECTOR, LoadKeys, def.wind.velocity),                                                 \
     .needed = "it in metres per second, such as [3, 0, 0]", .quantity = &quantity_velocity},                \
        {FIELD("gust", NUMBER, LoadKeys, def.wind.gust), .quantity = &quantity_gust},                        \
        {FIELD("period", NUMBER, LoadKeys, def.wind.period), .quantity = &quantity_period},                  \
        {FIELD("vortex", NUMBER, LoadKeys, def.wind.vortex), .quantity = &quantity_vortex},                  \
    {                                                                                                        \
        FIELD("spacing", NUMBER, LoadKeys, def.wind.spacing), .quantity = &quantity_spacing                  \
    }

static const Field wind_fields[] = {WIND_FIELDS};
const Table table_wind = TABLE("wind", "a wind", wind_fields);

static void check_wind(Reader* r, const JsonValue* value, const CordWind* wind)
{
    if (wind->gust > 0.0 && !json_member(value, "period")) {
        reader_error(r, value, "has gusts and no period; write how often they come, in seconds");
    }
    if (wind->vortex > 0.0 && !json_member(value, "spacing")) {
        reader_error(r, value, "has vortices and no spacing; write how far apart they are, in metres");
    }
}

static void read_wind_of_drag(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    if (read_table(r, value, &table_wind, keys)) {
        check_wind(r, value, &keys->def.wind);
    }
}

// ---- drag

static const Field drag_fields[] = {
    LOAD_ROD,
    LOAD_DRAG,
    {.name = "wind", .kind = FIELD_OTHER, .read = read_wind_of_drag},
    LOAD_TIMES,
};
const Table table_drag = TABLE("drag", "a drag", drag_fields);

static void read_drag(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    keys->def.kind = CORD_LOAD_DRAG;
    if (!read_table(r, value, &table_drag, keys)) {
        return;
    }
    check_times(r, value, &keys->def);
    if (!json_member(value, "along") && !json_member(value, "across")) {
        reader_error(r, value, "has neither along nor across; write one or both in newton seconds per square metre");
    }
}

static const Field wind_load_fields[] = {WIND_FIELDS, LOAD_ROD, LOAD_DRAG, LOAD_TIMES};
const Table table_wind_load = TABLE("wind_load", "a wind", wind_load_fields);

// With a drag of its own it is a load; without, it is the air in which the scene's drags act.
static void read_wind_load(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    keys->def.kind = CORD_LOAD_DRAG;
    if (!read_table(r, value, &table_wind_load, keys)) {
        return;
    }
    check_wind(r, value, &keys->def.wind);
    check_times(r, value, &keys->def);
    keys->is_air = !json_member(value, "along") && !json_member(value, "across");
    if (keys->is_air && (json_member(value, "rod") || json_member(value, "from") || json_member(value, "to"))) {
        reader_error(r, value,
                     "has neither along nor across, so it is the wind of every drag at all times; leave out rod, from "
                     "and to, or give it a drag of its own");
    }
}

static const Field load_fields[] = {
    {.name = "force", .kind = FIELD_OTHER, .variant = true, .read = read_force},
    {.name = "spring", .kind = FIELD_OTHER, .variant = true, .read = read_spring},
    {.name = "drag", .kind = FIELD_OTHER, .variant = true, .read = read_drag},
    {.name = "wind", .kind = FIELD_OTHER, .variant = true, .read = read_wind_load},
};
const Table table_load = TABLE("load", "a load", load_fields);

// ---- all loads

static void read_load(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    LoadKeys keys = {.def = cord_load_def_default(), .rod = -1, .body = -1};
    read_table(r, entry, &table_load, &keys);
    scene->loads[index] = (SceneLoad){keys.def, keys.rod, keys.body, keys.is_air, entry};
}

static bool has_own_wind(const JsonValue* load)
{
    const JsonValue* drag = json_member(load, "drag");
    return drag && drag->kind == JSON_OBJECT && json_member(drag, "wind");
}

// Gives the wind of one load to every drag that has none; returns to how many.
static int give_air(CordScene* scene, const CordWind* wind)
{
    int count = 0;
    for (int i = 0; i < scene->load_count; i++) {
        SceneLoad* load = &scene->loads[i];
        bool is_drag = load->at->kind == JSON_OBJECT && json_member(load->at, "drag");
        if (is_drag && !has_own_wind(load->at)) {
            load->def.wind = *wind;
            count++;
        }
    }
    return count;
}

static void spread_air(Reader* r)
{
    CordScene* scene = r->scene;
    int first = -1;
    for (int i = 0; i < scene->load_count; i++) {
        const SceneLoad* load = &scene->loads[i];
        if (!load->is_air) {
            continue;
        }
        const JsonValue* value = json_member(load->at, "wind");
        Path entry = {r->path, NULL, i}, wind = {&entry, "wind", 0};
        r->path = &wind;
        if (first >= 0) {
            reader_error(r, value, "is a second wind for every drag; loads[%d].wind is the first", first);
        } else if (give_air(scene, &load->def.wind) == 0) {
            reader_error(r, value, "has nothing to act on; give it along and across, or add a drag");
        }
        first = first < 0 ? i : first;
        r->path = entry.up;
    }
}

void read_loads(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    scene->loads = value->kind == JSON_ARRAY ? pool_array(r->pool, SceneLoad, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->loads) {
        return;
    }
    read_list(r, value, "loads are a list", read_load, scene);
    scene->load_count = scene->loads ? (int)value->count : 0;
    spread_air(r);
}

// ---- probes

typedef struct ProbeKeys {
    CordProbeDef def;
    int rod, body, obstacle, measure;
} ProbeKeys;

static void read_measure(Reader* r, const JsonValue* value, void* target)
{
    Word list[CORD_MEASURE_COUNT];
    for (int i = 0; i < CORD_MEASURE_COUNT; i++) {
        list[i] = (Word){cord_measure_name((CordMeasure)i), i};
    }
    Words words = {"a measure", list, CORD_MEASURE_COUNT};
    read_word(r, value, &words, target);
}

static const Field probe_fields[] = {
    {FIELD("name", OTHER, ProbeKeys, def.name), .read = read_name},
    {FIELD("rod", OTHER, ProbeKeys, rod), .read = read_rod},
    {FIELD("at", OTHER, ProbeKeys, def.at), .read = read_place},
    {FIELD("body", OTHER, ProbeKeys, body), .read = read_body},
    {FIELD("obstacle", OTHER, ProbeKeys, obstacle), .read = read_obstacle},
    {FIELD("measure", OTHER, ProbeKeys, measure), .needed = "what it measures, such as \"position\"",
     .read = read_measure},
};
const Table table_probe = TABLE("probe", "a probe", probe_fields);

static bool measures_rod(CordMeasure measure)
{
    return measure == CORD_MEASURE_ENERGY || measure == CORD_MEASURE_MOMENTUM ||
           measure == CORD_MEASURE_TWIST || measure == CORD_MEASURE_WRITHE;
}

static PlaceUse measure_use(CordMeasure measure)
{
    switch (measure) {
    case CORD_MEASURE_POSITION:
    case CORD_MEASURE_VELOCITY:
    case CORD_MEASURE_MOMENT: return PLACE_OF_NODE;
    case CORD_MEASURE_FRAME:
    case CORD_MEASURE_TENSION: return PLACE_OF_EDGE;
    default: return PLACE_OF_ANY;
    }
}

static void check_probe(Reader* r, const JsonValue* entry, const ProbeKeys* keys)
{
    CordMeasure measure = (CordMeasure)keys->measure;
    const JsonValue* at = json_member(entry, "at");
    if (!at && !measures_rod(measure)) {
        reader_error(r, entry, "has no at; write where it measures, such as \"end\"");
    }
    if (!at) {
        return;
    }
    Path path;
    reader_enter(r, &path, "at");
    if (measures_rod(measure)) {
        reader_warning(r, at, "is not used: the %s is that of the whole rod", cord_measure_name(measure));
    } else {
        place_check(r, at, keys->def.at, keys->rod, measure_use(measure), "this is measured at");
    }
    reader_leave(r, &path);
}

static void check_obstacle_probe(Reader* r, const JsonValue* entry, CordMeasure measure)
{
    if (json_member(entry, "rod") || json_member(entry, "at") || json_member(entry, "body")) {
        reader_error(r, entry, "measures an obstacle; leave out rod, at and body");
    }
    if (measure != CORD_MEASURE_POSITION && measure != CORD_MEASURE_FORCE && measure != CORD_MEASURE_TORQUE) {
        reader_error(r, entry, "measures the %s of an obstacle; an obstacle has position, force and torque",
                     cord_measure_name(measure));
    }
    if (measure != CORD_MEASURE_POSITION && !r->scene->contact.on) {
        reader_warning(r, entry, "measures what rods do to an obstacle, and contact is false: it will read 0");
    }
}

static void check_body_probe(Reader* r, const JsonValue* entry, CordMeasure measure)
{
    bool possible = measure == CORD_MEASURE_POSITION || measure == CORD_MEASURE_VELOCITY ||
                    measure == CORD_MEASURE_FRAME || measure == CORD_MEASURE_ENERGY ||
                    measure == CORD_MEASURE_MOMENTUM;
    if (json_member(entry, "rod") || json_member(entry, "at")) {
        reader_error(r, entry, "measures a body; leave out rod and at");
    }
    if (!possible) {
        reader_error(r, entry,
                     "measures the %s of a body; a body has position, velocity, frame, energy and momentum",
                     cord_measure_name(measure));
    }
}

static void read_probe(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    ProbeKeys keys = {.rod = -1, .body = -1, .obstacle = -1};
    keys.def.name = pool_format(r->pool, "probe%d", index + 1);
    bool good = read_table(r, entry, &table_probe, &keys);
    if (good && json_member(entry, "obstacle")) {
        check_obstacle_probe(r, entry, (CordMeasure)keys.measure);
    } else if (good && json_member(entry, "body")) {
        check_body_probe(r, entry, (CordMeasure)keys.measure);
    } else if (good) {
        keys.rod = rod_or_only(r, entry, keys.rod);
        check_probe(r, entry, &keys);
    }
    keys.def.measure = (CordMeasure)keys.measure;
    scene->probes[index] = (SceneProbe){keys.def, keys.rod, keys.body, keys.obstacle, entry};
}

static const char* probe_name(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->probes[i].def.name;
}

static const JsonValue* probe_place(const void* context, int i)
{
    const CordScene* scene = context;
    return scene->probes[i].at;
}

void read_probes(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    NameIndex index;
    scene->probes = value->kind == JSON_ARRAY ? pool_array(r->pool, SceneProbe, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->probes) {
        return;
    }
    read_list(r, value, "probes are a list", read_probe, scene);
    scene->probe_count = scene->probes ? (int)value->count : 0;
    if (name_index_make(r->pool, &index, probe_name, scene, scene->probe_count)) {
        names_check(r, "probes", &index, probe_place, scene);
    }
}
