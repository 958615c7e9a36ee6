// Welds of rods to bodies.
#include "scene/values.h"

typedef struct WeldKeys {
    CordWeldDef def;
    int rod, body, fix;
    CordVec3 offset;
} WeldKeys;

static void weld_start(void* keys)
{
    WeldKeys* weld = keys;
    *weld = (WeldKeys){.def = cord_weld_def_default(), .rod = -1, .body = -1};
    weld->fix = (int)weld->def.fix;
}

static const Field weld_fields[] = {
    {FIELD("rod", STRING, WeldKeys, rod), .about = "Name of the rod.", .otherwise = "the only rod",
     .read = read_rod},
    {FIELD("at", PLACE, WeldKeys, def.at), .about = "Place on the rod.",
     .needed = "which place of the rod, such as \"end\"", .table = &table_place},
    {FIELD("body", STRING, WeldKeys, body), .about = "Name of the body.", .otherwise = "the only body",
     .read = read_body},
    {FIELD("fix", WORD, WeldKeys, fix),
     .about = "What the weld holds: frame holds an edge and its turn; direction an edge that may turn "
              "about itself; position a node, as a ball joint.",
     .words = &fix_words},
    {FIELD("offset", VECTOR, WeldKeys, offset),
     .about = "Place of the welded point on the body, from its centre in its own axes. It is compared with "
              "the place of the rod and moves nothing.",
     .otherwise = "not compared", .quantity = &quantity_position},
};
const Table table_weld = TABLE("weld", "a weld", weld_fields, .about = "A weld of a rod to a body.",
                               .size = sizeof(WeldKeys), .start = weld_start);

static void check_place(Reader* r, const JsonValue* entry, const CordWeldDef* def, int rod)
{
    bool node = def->fix == CORD_FIX_POSITION;
    Path path;
    reader_enter(r, &path, "at");
    place_check(r, json_member(entry, "at"), def->at, rod, node ? PLACE_OF_NODE : PLACE_OF_EDGE,
                node ? "a weld of the position holds" : "a weld of the direction or frame holds");
    reader_leave(r, &path);
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    WeldKeys keys;
    weld_start(&keys);
    bool good = read_table(r, entry, &table_weld, &keys);
    keys.def.fix = (CordFix)keys.fix;
    if (good) {
        keys.rod = rod_or_only(r, entry, keys.rod);
        keys.body = body_or_only(r, entry, keys.body);
        check_place(r, entry, &keys.def, keys.rod);
        joined_count(r, entry, keys.rod);
    }
    if (good && keys.def.fix != CORD_FIX_POSITION) {
        half_edge(r, entry, keys.def.at, keys.rod, "holds the direction of the end");
    }
    scene->welds[index] =
        (SceneWeld){keys.def, keys.rod, keys.body, keys.offset, json_member(entry, "offset"), entry};
}

void read_welds(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    scene->welds = value->kind == JSON_ARRAY ? pool_array(r->pool, SceneWeld, value->count) : NULL;
    if (value->kind == JSON_ARRAY && !scene->welds) {
        return;
    }
    read_list(r, value, "welds are a list", read_entry, scene);
    scene->weld_count = scene->welds ? (int)value->count : 0;
}
