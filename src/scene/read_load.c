// Loads: forces, torques, springs, drag and wind.
#include "base/assert.h"
#include "scene/values.h"

#include <math.h>
#include <stdio.h>

// ---- tables of keys, from the fields of each kind of load in the library

enum { KEYS_MOST = 16 };

typedef struct LoadTable {
    Table table;
    Field fields[KEYS_MOST];
} LoadTable;

typedef struct LoadTables {
    LoadTable load, wind, wind_load;
    LoadTable kinds[CORD_LOAD_COUNT];
} LoadTables;

static void read_kind(Reader* r, const JsonValue* value, void* target);
static void read_wind_load(Reader* r, const JsonValue* value, void* target);
static void read_wind_of_drag(Reader* r, const JsonValue* value, void* target);

static void load_start(void* keys)
{
    *(SceneLoad*)keys = (SceneLoad){.def = cord_load_def_default(), .rod = -1, .body = -1};
}

static void start_table(LoadTable* t, const char* name, const char* noun, const char* about)
{
    t->table = (Table){.name = name,
                       .noun = noun,
                       .about = about,
                       .fields = t->fields,
                       .size = sizeof(SceneLoad),
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
        if ((f->group != NULL) == grouped && field_from(pool, f, offsetof(SceneLoad, def), &field)) {
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
    add_key(t, (Field){FIELD("rod", ROD, SceneLoad, rod), .about = "Name of the rod.",
                       .otherwise = any ? "every rod" : "the only rod"});
}

static void add_place(LoadTable* t, bool on_body)
{
    add_key(t, (Field){FIELD("at", PLACE, SceneLoad, def.at), .about = "Place on the rod.",
                       .otherwise = on_body ? "needed on a rod" : "needed", .table = &table_place});
    if (on_body) {
        add_key(
            t, (Field){FIELD("body", BODY, SceneLoad, body),
                       .about = "Name of a body that it acts on in place of a rod: a force, on its centre."});
    }
}

static void add_times(LoadTable* t)
{
    add_key(t, (Field){FIELD("from", NUMBER, SceneLoad, def.from), .about = "Time at which the load begins.",
                       .quantity = &quantity_time});
    add_key(t, (Field){FIELD("to", NUMBER, SceneLoad, def.to), .about = "Time at which the load ends.",
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

static const Table* expand_tables(Pool* pool)
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

const Table table_load = {.name = "load", .expand = expand_tables};

// ---- one load

static void check_times(Reader* r, const JsonValue* value, const CordLoadDef* def)
{
    if (!(def->from < def->to)) {
        reader_error(r, value, "ends before it begins; \"to\" must be after \"from\"");
    }
}

static void check_place_on_rod(Reader* r, const JsonValue* value, SceneLoad* load,
                               const CordLoadKindInfo* kind)
{
    char what[40];
    snprintf(what, sizeof what, "a %s acts on", kind->name);
    load->rod = rod_or_only(r, value, load->rod);
    if (!json_member(value, "at")) {
        reader_error(r, value, "has no at; write where it acts, such as \"end\"");
        return;
    }
    place_check(r, json_member(value, "at"), load->def.at, load->rod,
                kind->on & CORD_LOAD_ON_EDGE ? PLACE_OF_ANY : PLACE_OF_NODE, what);
}

static void check_place(Reader* r, const JsonValue* value, SceneLoad* load, const CordLoadKindInfo* kind)
{
    bool on_body = json_member(value, "body") != NULL;
    if (on_body && (json_member(value, "rod") || json_member(value, "at"))) {
        reader_error(r, value, "is on a body, at its centre; leave out rod and at");
    } else if (!on_body && !(kind->on & CORD_LOAD_ON_ROD)) {
        check_place_on_rod(r, value, load, kind);
    }
}

static void read_kind(Reader* r, const JsonValue* value, void* target)
{
    SceneLoad* load = target;
    int kind = r->field->tag;
    load->def.kind = (CordLoadKind)kind;
    if (!read_table(r, value, r->field->table, load)) {
        return;
    }
    if (json_member(value, "ramp") && !json_member(value, "from")) {
        load->def.from = 0.0; // a ramp needs a time at which it begins
    }
    check_times(r, value, &load->def);
    check_place(r, value, load, cord_load_kind(kind));
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
    SceneLoad* load = target;
    if (read_table(r, value, r->field->table, load)) {
        check_wind(r, value, &load->def.wind);
    }
}

// A wind with a drag of its own is a load. Without one it is the air in which the scene's drags act.
static void read_wind_load(Reader* r, const JsonValue* value, void* target)
{
    SceneLoad* load = target;
    load->def.kind = CORD_LOAD_DRAG;
    if (!read_table(r, value, r->field->table, load)) {
        return;
    }
    check_wind(r, value, &load->def.wind);
    check_times(r, value, &load->def);
    load->is_air = !json_member(value, "along") && !json_member(value, "across");
    if (load->is_air &&
        (json_member(value, "rod") || json_member(value, "from") || json_member(value, "to"))) {
        reader_error(
            r, value,
            "has neither along nor across, so it is the wind of every drag at all times; leave out rod, from "
            "and to, or give it a drag of its own");
    }
}

// ---- all loads

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    SceneLoad* load = (SceneLoad*)entries + index;
    load_start(load);
    load->at = entry;
    read_table(r, entry, &table_load, load);
}

static bool has_own_wind(const JsonValue* load)
{
    const JsonValue* drag = json_member(load, "drag");
    return drag && drag->kind == JSON_OBJECT && json_member(drag, "wind");
}

// Gives the wind to every drag that has none of its own. Returns how many there are.
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
        if (first >= 0) {
            member_error(r, load->at, "wind", "is a second wind for every drag; loads[%d].wind is the first",
                         first);
        } else if (give_air(scene, &load->def.wind) == 0) {
            member_error(r, load->at, "wind",
                         "has nothing to act on; give it along and across, or add a drag");
        }
        first = first < 0 ? i : first;
    }
}

void read_loads(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    List loads;
    read_entries(r, value, read_entry, sizeof(SceneLoad), &loads);
    scene->loads = loads.entries;
    scene->load_count = loads.count;
    spread_air(r);
}
