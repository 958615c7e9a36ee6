// Loads and probes.
#include "base/assert.h"
#include "scene/values.h"

#include <math.h>
#include <stdio.h>

// ---- tables of keys, from what the library says of the kinds of loads

enum { KEYS_MOST = 16 };

typedef struct LoadTable {
    Table table;
    Field fields[KEYS_MOST];
} LoadTable;

typedef struct LoadTables {
    LoadTable load, wind, wind_load;
    LoadTable kinds[CORD_LOAD_COUNT];
} LoadTables;

typedef struct LoadKeys {
    CordLoadDef def;
    int rod, body;
    bool is_air;
} LoadKeys;

static void read_kind(Reader* r, const JsonValue* value, void* target);
static void read_wind_load(Reader* r, const JsonValue* value, void* target);
static void read_wind_of_drag(Reader* r, const JsonValue* value, void* target);

static void load_start(void* keys)
{
    *(LoadKeys*)keys = (LoadKeys){.def = cord_load_def_default(), .rod = -1, .body = -1};
}

static void start_table(LoadTable* t, const char* name, const char* noun, const char* about)
{
    t->table = (Table){.name = name,
                       .noun = noun,
                       .about = about,
                       .fields = t->fields,
                       .size = sizeof(LoadKeys),
                       .start = load_start};
}

static void add_key(LoadTable* t, Field field)
{
    CORD_ASSERT(t->table.count < KEYS_MOST);
    t->fields[t->table.count++] = field;
}

static void add_fields(Pool* pool, LoadTable* t, const CordLoadKindInfo* kind, bool grouped)
{
    for (const CordField* f = kind->fields; f->key; f++) {
        Field field;
        if ((f->group != NULL) == grouped && field_from(pool, f, offsetof(LoadKeys, def), &field)) {
            add_key(t, field);
        }
    }
}

static const char* group_of(const CordLoadKindInfo* kind)
{
    const CordField* f = kind->fields;
    while (f->key && !f->group) {
        f++;
    }
    return f->key ? f->group : NULL;
}

static void add_rod(LoadTable* t, bool any)
{
    add_key(t, (Field){FIELD("rod", STRING, LoadKeys, rod), .about = "Name of the rod.",
                       .otherwise = any ? "every rod" : "the only rod", .read = read_rod});
}

static void add_place(LoadTable* t, bool on_body)
{
    add_key(t, (Field){FIELD("at", PLACE, LoadKeys, def.at), .about = "Place on the rod.",
                       .otherwise = on_body ? "needed on a rod" : "needed", .table = &table_place});
    if (on_body) {
        add_key(t,
                (Field){FIELD("body", STRING, LoadKeys, body),
                        .about = "Name of a body that it acts on in place of a rod: a force, on its centre.",
                        .read = read_body});
    }
}

static void add_times(LoadTable* t)
{
    add_key(t, (Field){FIELD("from", NUMBER, LoadKeys, def.from), .about = "Time at which the load begins.",
                       .quantity = &quantity_time});
    add_key(t, (Field){FIELD("to", NUMBER, LoadKeys, def.to), .about = "Time at which the load ends.",
                       .quantity = &quantity_time});
}

static void fill_kind(Pool* pool, LoadTables* all, int i)
{
    const CordLoadKindInfo* kind = cord_load_kind(i);
    LoadTable* t = &all->kinds[i];
    bool on_rod = kind->on & CORD_LOAD_ON_ROD;
    start_table(t, kind->name, pool_format(pool, "a %s", kind->name), kind->about);
    add_rod(t, on_rod);
    if (!on_rod) {
        add_place(t, kind->on & CORD_LOAD_ON_BODY);
    }
    add_fields(pool, t, kind, false);
    if (group_of(kind)) {
        add_key(t, (Field){.name = group_of(kind),
                           .kind = FIELD_OBJECT,
                           .about = "Motion of the air.",
                           .otherwise = "it stands still",
                           .table = &all->wind.table,
                           .read = read_wind_of_drag});
    }
    add_times(t);
    add_key(&all->load, (Field){.name = kind->name,
                                .kind = FIELD_OBJECT,
                                .variant = true,
                                .table = &t->table,
                                .read = read_kind,
                                .tag = i});
}

static void fill_winds(Pool* pool, LoadTables* all)
{
    const CordLoadKindInfo* drag = cord_load_kind(CORD_LOAD_DRAG);
    LoadTable* t = &all->wind_load;
    start_table(&all->wind, "wind", "a wind", "Moving air.");
    add_fields(pool, &all->wind, drag, true);
    start_table(t, "wind_load", "a wind", "Moving air, and its drag on rods.");
    add_fields(pool, t, drag, true);
    add_rod(t, true);
    add_fields(pool, t, drag, false);
    add_times(t);
    add_key(&all->load,
            (Field){WHOLE("wind", OBJECT),
                    .about = "Wind. With along or across it is a drag in moving air; without, it is the "
                             "air for every other drag.",
                    .variant = true, .table = &t->table, .read = read_wind_load});
}

static const Table* make_tables(Pool* pool)
{
    LoadTables* all = pool_array(pool, LoadTables, 1);
    if (!all) {
        return NULL;
    }
    start_table(&all->load, "load", "a load", "A load: exactly one kind.");
    for (int i = 0; i < CORD_LOAD_COUNT; i++) {
        fill_kind(pool, all, i);
    }
    fill_winds(pool, all);
    return pool->failed ? NULL : &all->load.table;
}

const Table table_load = {.name = "load", .make = make_tables};

// ---- one load

static void check_times(Reader* r, const JsonValue* value, const CordLoadDef* def)
{
    if (!(def->from < def->to)) {
        reader_error(r, value, "ends before it begins; \"to\" must be after \"from\"");
    }
}

static void check_place_on_rod(Reader* r, const JsonValue* value, LoadKeys* keys,
                               const CordLoadKindInfo* kind)
{
    const JsonValue* at = json_member(value, "at");
    Path path;
    char what[40];
    snprintf(what, sizeof what, "a %s acts on", kind->name);
    keys->rod = rod_or_only(r, value, keys->rod);
    if (!at) {
        reader_error(r, value, "has no at; write where it acts, such as \"end\"");
        return;
    }
    reader_enter(r, &path, "at");
    place_check(r, at, keys->def.at, keys->rod, kind->on & CORD_LOAD_ON_EDGE ? PLACE_OF_ANY : PLACE_OF_NODE,
                what);
    reader_leave(r, &path);
}

static void check_place(Reader* r, const JsonValue* value, LoadKeys* keys, const CordLoadKindInfo* kind)
{
    bool on_body = json_member(value, "body") != NULL;
    if (on_body && (json_member(value, "rod") || json_member(value, "at"))) {
        reader_error(r, value, "is on a body, at its centre; leave out rod and at");
    } else if (!on_body && !(kind->on & CORD_LOAD_ON_ROD)) {
        check_place_on_rod(r, value, keys, kind);
    }
}

static void read_kind(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    int kind = r->field->tag;
    keys->def.kind = (CordLoadKind)kind;
    if (!read_table(r, value, r->field->table, keys)) {
        return;
    }
    if (json_member(value, "ramp") && !json_member(value, "from")) {
        keys->def.from = 0.0; // what has always acted would not grow
    }
    check_times(r, value, &keys->def);
    check_place(r, value, keys, cord_load_kind(kind));
    if (kind == CORD_LOAD_DRAG && !json_member(value, "along") && !json_member(value, "across")) {
        reader_error(r, value,
                     "has neither along nor across; write one or both in newton seconds per square metre");
    }
}

// ---- wind

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
    if (read_table(r, value, r->field->table, keys)) {
        check_wind(r, value, &keys->def.wind);
    }
}

// With a drag of its own it is a load; without, it is the air in which the scene's drags act.
static void read_wind_load(Reader* r, const JsonValue* value, void* target)
{
    LoadKeys* keys = target;
    keys->def.kind = CORD_LOAD_DRAG;
    if (!read_table(r, value, r->field->table, keys)) {
        return;
    }
    check_wind(r, value, &keys->def.wind);
    check_times(r, value, &keys->def);
    keys->is_air = !json_member(value, "along") && !json_member(value, "across");
    if (keys->is_air &&
        (json_member(value, "rod") || json_member(value, "from") || json_member(value, "to"))) {
        reader_error(
            r, value,
            "has neither along nor across, so it is the wind of every drag at all times; leave out rod, from "
            "and to, or give it a drag of its own");
    }
}

// ---- all loads

static void read_load(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    LoadKeys keys;
    load_start(&keys);
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

static const char* measure_name(int i)
{
    return i < CORD_MEASURE_COUNT ? cord_measure_name((CordMeasure)i) : NULL;
}

static const Words measure_words = {.what = "a measure", .name = measure_name};

static const Field probe_fields[] = {
    {FIELD("name", NAME, ProbeKeys, def.name), .about = "Name in recordings and tables.",
     .otherwise = "`probe1`, `probe2`, ..."},
    {FIELD("rod", STRING, ProbeKeys, rod), .about = "Name of the rod.", .otherwise = "the only rod",
     .read = read_rod},
    {FIELD("at", PLACE, ProbeKeys, def.at),
     .about = "Place of the measurement; energy, momentum, twist and writhe have none.",
     .otherwise = "needed, but for what is of the whole rod", .table = &table_place},
    {FIELD("body", STRING, ProbeKeys, body),
     .about = "Name of a body in place of a rod, for position, velocity, frame, energy or momentum.",
     .read = read_body},
    {FIELD("obstacle", STRING, ProbeKeys, obstacle),
     .about = "Name of an obstacle in place of a rod, for its position or the force or torque of all rods "
              "on it.",
     .read = read_obstacle},
    {FIELD("measure", WORD, ProbeKeys, measure), .about = "Quantity that is measured.",
     .needed = "what it measures, such as \"position\"", .words = &measure_words},
};
const Table table_probe = TABLE("probe", "a probe", probe_fields, .about = "A probe.");

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
        reader_warning(r, entry,
                       "measures what rods do to an obstacle, and contact is false: it will read 0");
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
