// Loads and probes.
#include "scene/values.h"

#include <math.h>
#include <string.h>

typedef struct LoadKeys {
    CordLoadDef def;
    int rod;
} LoadKeys;

// ---- loads

static const Quantity quantity_force = {.what = "a force is in newtons", QUANTITY_ANY};
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

static const Field force_fields[] = {
    LOAD_ROD,
    {FIELD("at", OTHER, LoadKeys, def.at), .needed = "where it pulls, such as \"end\"", .read = read_place},
    {FIELD("force", VECTOR, LoadKeys, def.force), .needed = "three numbers in newtons", .quantity = &quantity_force},
    LOAD_TIMES,
};
const Table table_force = TABLE("force", "a force", force_fields);

static const Field drag_fields[] = {
    LOAD_ROD,
    {FIELD("along", NUMBER, LoadKeys, def.along), .quantity = &quantity_drag},
    {FIELD("across", NUMBER, LoadKeys, def.across), .quantity = &quantity_drag},
    LOAD_TIMES,
};
const Table table_drag = TABLE("drag", "a drag", drag_fields);

static void check_times(Reader* r, const JsonValue* value, const CordLoadDef* def)
{
    if (!(def->from < def->to)) {
        reader_error(r, value, "ends before it begins; \"to\" must be after \"from\"");
    }
}

static void read_force(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    keys->def.kind = CORD_LOAD_FORCE;
    if (!read_table(r, value, &table_force, keys)) {
        return;
    }
    check_times(r, value, &keys->def);
    keys->rod = rod_or_only(r, value, keys->rod);
    Path path;
    reader_enter(r, &path, "at");
    place_check(r, json_member(value, "at"), keys->def.at, keys->rod, PLACE_OF_NODE, "a force acts on");
    reader_leave(r, &path);
}

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

static const Field load_fields[] = {
    {.name = "force", .kind = FIELD_OTHER, .variant = true, .read = read_force},
    {.name = "drag", .kind = FIELD_OTHER, .variant = true, .read = read_drag},
    {.name = "wind", .kind = FIELD_LATER, .variant = true},
};
const Table table_load = TABLE("load", "a load", load_fields);

static void read_load(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    LoadKeys keys = {.def = cord_load_def_default(), .rod = -1};
    read_table(r, entry, &table_load, &keys);
    scene->loads[index] = (SceneLoad){keys.def, keys.rod, entry};
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
}

// ---- probes

typedef struct ProbeKeys {
    CordProbeDef def;
    int rod, measure;
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

static void read_probe(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    ProbeKeys keys = {.rod = -1};
    keys.def.name = pool_format(r->pool, "probe%d", index + 1);
    if (read_table(r, entry, &table_probe, &keys)) {
        keys.rod = rod_or_only(r, entry, keys.rod);
        check_probe(r, entry, &keys);
    }
    keys.def.measure = (CordMeasure)keys.measure;
    scene->probes[index] = (SceneProbe){keys.def, keys.rod, entry};
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
