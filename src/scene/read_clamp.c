// Clamps, and what they do to the ends of the rods they hold.
#include "scene/values.h"

#include <math.h>
#include <string.h>

#define MOST_PER_ROD 1000
#define MOST_CLAMPS 10000000

typedef struct ClampKeys {
    CordClampDef def;
    MotionList motion;
    int rod, fix;
} ClampKeys;

static const Quantity quantity_torque = {.what = "a torque is in newton metres", QUANTITY_ANY};

static const Field clamp_fields[] = {
    {FIELD("rod", OTHER, ClampKeys, rod), .read = read_rod_or_strands},
    {FIELD("at", OTHER, ClampKeys, def.at), .needed = "where it holds the rod, such as \"start\"", .read = read_place},
    {FIELD("fix", WORD, ClampKeys, fix), .words = &fix_words},
    {FIELD("free_along", VECTOR, ClampKeys, def.axis), .quantity = &quantity_direction},
    {FIELD("torque", NUMBER, ClampKeys, def.torque), .quantity = &quantity_torque},
    {FIELD("motion", OTHER, ClampKeys, motion), .read = read_motions},
    {FIELD("release", NUMBER, ClampKeys, def.release), .quantity = &quantity_time},
};
const Table table_clamp = TABLE("clamp", "a clamp", clamp_fields);

// ---- one clamp

static void check_place(Reader* r, const JsonValue* entry, const CordClampDef* def, int rod)
{
    const JsonValue* at = json_member(entry, "at");
    bool node = def->fix == CORD_FIX_POSITION;
    Path path;
    reader_enter(r, &path, "at");
    place_check(r, at, def->at, rod, node ? PLACE_OF_NODE : PLACE_OF_EDGE,
                node ? "a clamp of the position holds" : "a clamp of the direction or frame holds");
    reader_leave(r, &path);
}

static bool is_at_rest(const CordKeyframe* key)
{
    CordVec3 by = key->offset;
    return by.x == 0.0 && by.y == 0.0 && by.z == 0.0 && key->rotation.w == 1.0;
}

// A clamp begins where its rod is.
static void check_start(Reader* r, const JsonValue* motion, const CordClampDef* def)
{
    Path list, one = {&list, NULL, 0}, keys = {&one, "keyframes", 0}, first = {&keys, NULL, 0};
    reader_enter(r, &list, "motion");
    const JsonValue* entry = motion ? motion->first : NULL;
    for (int i = 0; i < def->motion_count; i++, entry = entry->next) {
        if (def->motions[i].kind == CORD_MOTION_KEYFRAMES && !is_at_rest(&def->motions[i].keys[0])) {
            one.index = i;
            r->path = &first;
            reader_warning(r, json_member(entry, "keyframes")->first,
                           "is the first and not at rest, so the clamp jumps there when the run begins; begin with an "
                           "offset of zero");
        }
    }
    reader_leave(r, &list);
}

static void check_uses(Reader* r, const JsonValue* entry, const CordClampDef* def)
{
    const JsonValue* torque = json_member(entry, "torque");
    Path path;
    if (torque && def->fix != CORD_FIX_FRAME) {
        reader_enter(r, &path, "torque");
        reader_error(r, torque, "needs a clamp of the frame; write \"fix\": \"frame\"");
        reader_leave(r, &path);
    }
    for (int i = 0; i < def->motion_count && def->fix == CORD_FIX_POSITION; i++) {
        const CordMotion* motion = &def->motions[i];
        if (motion->kind == CORD_MOTION_ROTATE && motion->center_is_clamp) {
            reader_enter(r, &path, "motion");
            reader_warning(r, json_member(entry, "motion"),
                           "turns a clamp that holds a position alone about that position, which does nothing; give a "
                           "center, or fix the direction or frame");
            reader_leave(r, &path);
        }
    }
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    ClampKeys keys = {.def = cord_clamp_def_default(), .rod = -1};
    keys.fix = (int)keys.def.fix;
    bool good = read_table(r, entry, &table_clamp, &keys);
    keys.def.fix = (CordFix)keys.fix;
    keys.def.motions = keys.motion.list, keys.def.motion_count = keys.motion.count;
    RodRange strands = rods_of(scene, entry);
    if (good) {
        keys.rod = strands.first >= 0 ? strands.first : rod_or_only(r, entry, keys.rod);
        keys.def.slides = json_member(entry, "free_along") != NULL;
        keys.def.has_torque = json_member(entry, "torque") != NULL;
        check_place(r, entry, &keys.def, keys.rod);
        check_uses(r, entry, &keys.def);
        check_start(r, json_member(entry, "motion"), &keys.def);
    }
    for (int i = 0; i < strands.count; i++) {
        int rod = good && keys.rod >= 0 ? keys.rod + i : -1;
        scene->clamps[scene->clamp_count++] = (SceneClamp){keys.def, rod, index, entry};
        if (rod >= 0 && ++scene->rods[rod].clamp_count == MOST_PER_ROD + 1) {
            reader_error(r, entry, "is one too many: rod \"%s\" has more than %d clamps",
                         scene->rods[rod].def.name, MOST_PER_ROD);
        }
    }
}

// ---- the ends of rods

static void set_half_edges(Reader* r)
{
    for (int i = 0; i < r->scene->clamp_count; i++) {
        const SceneClamp* clamp = &r->scene->clamps[i];
        if (clamp->def.fix != CORD_FIX_POSITION) {
            Path path = {r->path, NULL, clamp->entry};
            r->path = &path;
            half_edge(r, clamp->at, clamp->def.at, clamp->rod, "holds the direction of the end");
            r->path = path.up;
        }
    }
}

// A clamp of strands is one for each of them.
static bool make_clamps(Reader* r, const JsonValue* value)
{
    size_t count = 0;
    for (const JsonValue* entry = value->first; entry; entry = entry->next) {
        count += (size_t)rods_of(r->scene, entry).count;
    }
    if (count > MOST_CLAMPS) {
        reader_error(r, value, "is %zu clamps, with one for each strand; at most %d are kept", count, MOST_CLAMPS);
        return false;
    }
    r->scene->clamps = pool_array(r->pool, SceneClamp, count);
    return r->scene->clamps != NULL;
}

void read_clamps(Reader* r, const JsonValue* value, void* target)
{
    CordScene* scene = target;
    if (value->kind == JSON_ARRAY && !make_clamps(r, value)) {
        return;
    }
    read_list(r, value, "clamps are a list", read_entry, scene);
    set_half_edges(r);
}
