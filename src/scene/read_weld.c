// Welds of rods to bodies.
#include "scene/values.h"

static void weld_start(void* keys)
{
    *(SceneWeld*)keys = (SceneWeld){.def = cord_weld_def_default(), .rod = -1, .body = -1};
}

static const Field weld_fields[] = {
    {FIELD("rod", ROD, SceneWeld, rod), .about = "Name of the rod.", .otherwise = "the only rod"},
    {FIELD("at", PLACE, SceneWeld, def.at), .about = "Place on the rod.",
     .needed = "which place of the rod, such as \"end\"", .table = &table_place},
    {FIELD("body", BODY, SceneWeld, body), .about = "Name of the body.", .otherwise = "the only body"},
    {FIELD("fix", WORD, SceneWeld, def.fix),
     .about = "What the weld holds: frame holds an edge and its turn; direction an edge that may turn "
              "about itself; position a node, as a ball joint.",
     .words = &fix_words},
    {FIELD("offset", VECTOR, SceneWeld, offset),
     .about = "Place of the welded point on the body, from its centre in its own axes. It is compared with "
              "the place of the rod and moves nothing.",
     .otherwise = "not compared", .quantity = &quantity_position},
};
const Table table_weld = TABLE("weld", "a weld", weld_fields, .about = "A weld of a rod to a body.",
                               .size = sizeof(SceneWeld), .start = weld_start);

static void read_entry(Reader* r, const JsonValue* entry, int index, void* entries)
{
    SceneWeld* weld = (SceneWeld*)entries + index;
    weld_start(weld);
    weld->at = entry;
    weld->offset_at = json_member(entry, "offset");
    if (read_table(r, entry, &table_weld, weld)) {
        bool node = weld->def.fix == CORD_FIX_POSITION;
        weld->rod = rod_or_only(r, entry, weld->rod);
        weld->body = body_or_only(r, entry, weld->body);
        place_check(r, json_member(entry, "at"), weld->def.at, weld->rod,
                    node ? PLACE_OF_NODE : PLACE_OF_EDGE,
                    node ? "a weld of the position holds" : "a weld of the direction or frame holds");
        joined_count(r, entry, weld->rod);
        if (!node) {
            half_edge(r, entry, weld->def.at, weld->rod, "holds the direction of the end");
        }
    }
}

void read_welds(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    List welds;
    read_entries(r, value, read_entry, sizeof(SceneWeld), &welds);
    scene->welds = welds.entries;
    scene->weld_count = welds.count;
}
