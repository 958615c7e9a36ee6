// Clamps, and what they do to the ends of the rods they hold.
#include "scene/clamp_nodes.h"

#include <math.h>
#include <string.h>

#define MOST_PER_ROD 1000
#define MOST_PER_MODAL_ROD 1000000
#define MOST_CLAMPS 10000000

typedef struct ClampKeys {
    CordClampDef def;
    ClampPlace at;
    MotionList motion;
    int rod;
} ClampKeys;

// ---- what is fixed

static const Word freedom_list[] = {
    {"x", CORD_HOLD_X},           {"y", CORD_HOLD_Y},           {"z", CORD_HOLD_Z},
    {"turn_x", CORD_HOLD_TURN_X}, {"turn_y", CORD_HOLD_TURN_Y}, {"turn_z", CORD_HOLD_TURN_Z},
};
static const Words freedom_words = WORDS("a freedom", freedom_list);

static void read_freedom(Reader* r, const JsonValue* entry, int index, void* user)
{
    unsigned* freedoms = user;
    int one = 0;
    (void)index;
    if (read_word(r, entry, &freedom_words, &one) && (*freedoms & (unsigned)one)) {
        reader_error(r, entry, "is %s once more; leave it out", reader_describe(r, entry));
    }
    *freedoms |= (unsigned)one;
}

static void read_freedoms(Reader* r, const JsonValue* value, void* target)
{
    CordClampDef* def = target;
    def->fix = CORD_FIX_FREEDOMS;
    if (read_list(r, value, "freedoms are a list, such as [\"x\", \"z\", \"turn_y\"]", read_freedom,
                  &def->freedoms) &&
        value->count == 0) {
        reader_error(r, value, "is empty; write what is held, such as [\"x\", \"z\", \"turn_y\"]");
    }
}

static const Field fix_fields[] = {
    {WHOLE("freedoms", WORDS), .about = "Displacements along the axes, and turns about them.",
     .needed = "what is held, such as [\"x\", \"z\", \"turn_y\"]", .words = &freedom_words, .least = 1,
     .most = 6, .read = read_freedoms},
};
static const Table table_fix = TABLE("fix", "what is fixed", fix_fields,
                                     .about = "The freedoms of a modal rod's node that a clamp holds.");

static void read_fix(Reader* r, const JsonValue* value, void* target)
{
    CordClampDef* def = target;
    if (value->kind == JSON_OBJECT) {
        read_table(r, value, &table_fix, def);
        return;
    }
    int fix = (int)def->fix;
    read_word(r, value, &fix_words, &fix);
    def->fix = (CordFix)fix;
}

// ---- the table

static const Quantity quantity_torque = {.what = "a torque is in newton metres", .unit = "N m", QUANTITY_ANY};

static void clamp_start(void* keys)
{
    *(ClampKeys*)keys = (ClampKeys){.def = cord_clamp_def_default(), .rod = -1};
}

static const Field clamp_fields[] = {
    {FIELD("rod", STRING, ClampKeys, rod),
     .about = "Name of the rod, or of strands, each of which then has such a clamp.",
     .otherwise = "the only rod", .read = read_rod_or_strands},
    {FIELD("at", PLACE, ClampKeys, at), .about = "Place on the rod.",
     .needed = "where it holds the rod, such as \"start\"", .table = &table_clamp_place,
     .read = read_clamp_place},
    {FIELD("fix", WORD_OR_OBJECT, ClampKeys, def),
     .about = "What the clamp holds: position holds a node; direction an edge that may turn about itself; "
              "frame an edge and its turn; freedoms some freedoms of a modal rod's node.",
     .otherwise = "`\"position\"`", .words = &fix_words, .table = &table_fix, .read = read_fix},
    {FIELD("free_along", VECTOR, ClampKeys, def.axis),
     .about = "Direction along which the clamp slides freely.", .otherwise = "held",
     .quantity = &quantity_direction},
    {FIELD("torque", NUMBER, ClampKeys, def.torque),
     .about = "Torque about the rod's tangent in place of a held turn; it needs a clamp of the frame.",
     .otherwise = "none", .quantity = &quantity_torque},
    {FIELD("guide", BOOL, ClampKeys, def.guide),
     .about = "Whether the clamp leads the position of a modal rod's node by a force, as far as the modes "
              "can follow, and is no support.",
     .what = "this says whether a clamp of a modal rod leads a node instead of holding it"},
    {FIELD("motion", LIST, ClampKeys, motion), .about = "Motions of the clamp, which are combined in order.",
     .otherwise = "stands still", .table = &table_motion, .read = read_motions},
    {FIELD("release", NUMBER, ClampKeys, def.release), .about = "Time at which the clamp lets go.",
     .otherwise = "never", .quantity = &quantity_time},
};
const Table table_clamp = TABLE("clamp", "a clamp", clamp_fields, .about = "A clamp.",
                                .size = sizeof(ClampKeys), .start = clamp_start);

// ---- one clamp

static bool is_modal(const CordScene* scene, int rod)
{
    return rod >= 0 && scene->rods[rod].def.model == CORD_MODEL_MODAL;
}

// Clamps of modal rods hold a node, with all its freedoms or some; which nodes an edge means is left to the
// model.
static void check_place(Reader* r, const JsonValue* entry, const CordClampDef* def, int rod)
{
    const JsonValue* at = json_member(entry, "at");
    bool node = def->fix == CORD_FIX_POSITION || def->fix == CORD_FIX_FREEDOMS;
    PlaceUse use = node ? PLACE_OF_NODE : is_modal(r->scene, rod) ? PLACE_OF_ANY : PLACE_OF_EDGE;
    Path path;
    reader_enter(r, &path, "at");
    place_check(r, at, def->at, rod, use,
                node ? "a clamp of the position holds" : "a clamp of the direction or frame holds");
    reader_leave(r, &path);
}

static bool is_at_rest(const CordKeyframe* key)
{
    return cord_vec3_equal(key->offset, cord_vec3(0, 0, 0)) && key->rotation.w == 1.0;
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
            reader_warning(
                r, json_member(entry, "keyframes")->first,
                "is the first and not at rest, so the clamp jumps there when the run begins; begin with an "
                "offset of zero");
        }
    }
    reader_leave(r, &list);
}

static void check_uses(Reader* r, const JsonValue* entry, const CordClampDef* def, bool many)
{
    const JsonValue *torque = json_member(entry, "torque"), *along = json_member(entry, "free_along");
    Path path;
    if (along && def->fix == CORD_FIX_FREEDOMS) {
        reader_enter(r, &path, "free_along");
        reader_error(
            r, along,
            "is for clamps that hold all directions; leave it out, and its direction out of freedoms");
        reader_leave(r, &path);
    }
    if (torque && def->fix != CORD_FIX_FRAME) {
        reader_enter(r, &path, "torque");
        reader_error(r, torque, "needs a clamp of the frame; write \"fix\": \"frame\"");
        reader_leave(r, &path);
    }
    for (int i = 0; i < def->motion_count && def->fix == CORD_FIX_POSITION && !many; i++) {
        const CordMotion* motion = &def->motions[i];
        if (motion->kind == CORD_MOTION_ROTATE && motion->center_is_clamp) {
            reader_enter(r, &path, "motion");
            reader_warning(
                r, json_member(entry, "motion"),
                "turns a clamp that holds a position alone about that position, which does nothing; give a "
                "center, or fix the direction or frame");
            reader_leave(r, &path);
        }
    }
}

static void check_freedoms(Reader* r, const JsonValue* entry, const CordClampDef* def, int rod)
{
    if (def->fix == CORD_FIX_FREEDOMS && rod >= 0 && !is_modal(r->scene, rod)) {
        Path path;
        reader_enter(r, &path, "fix");
        reader_error(
            r, json_member(entry, "fix"),
            "names freedoms, and rod \"%s\" is no modal one; write \"position\", \"direction\" or \"frame\"",
            r->scene->rods[rod].def.name);
        reader_leave(r, &path);
    }
}

// ---- clamps

// A clamp of many nodes is one for each of them.
static void add_clamp(Reader* r, const SceneClamp* clamp)
{
    CordScene* scene = r->scene;
    if (scene->clamp_count == MOST_CLAMPS) {
        reader_error(r, clamp->at, "is one too many: at most %d clamps are kept, with one for each node",
                     MOST_CLAMPS);
        return;
    }
    if (scene->clamp_count == scene->clamp_capacity) {
        int capacity = 2 * scene->clamp_capacity + 16;
        SceneClamp* larger = pool_array(r->pool, SceneClamp, capacity);
        if (!larger) {
            return;
        }
        memcpy(larger, scene->clamps, sizeof *larger * (size_t)scene->clamp_count);
        scene->clamps = larger;
        scene->clamp_capacity = capacity;
    }
    scene->clamps[scene->clamp_count++] = *clamp;
    SceneRod* rod = clamp->rod >= 0 ? &scene->rods[clamp->rod] : NULL;
    int most = is_modal(scene, clamp->rod) ? MOST_PER_MODAL_ROD : MOST_PER_ROD;
    if (rod && ++rod->clamp_count == most + 1) {
        reader_error(r, clamp->at, "is one too many: rod \"%s\" has more than %d clamps", rod->def.name,
                     most);
    }
}

static void add_many(Reader* r, const ClampPlace* place, SceneClamp* clamp)
{
    const JsonValue* at = json_member(clamp->at, "at");
    ClampNodes nodes;
    Path path;
    reader_enter(r, &path, "at");
    bool good = clamp_nodes_make(r, at, place, clamp->rod, &nodes);
    reader_leave(r, &path);
    if (good && nodes.count > 1) {
        good = clamp_nodes_move(r, clamp->at, nodes.middle, &clamp->def);
    }
    for (int i = 0; good && i < nodes.count; i++) {
        clamp->def.at = cord_at_node(nodes.list[i]);
        add_clamp(r, clamp);
    }
    clamp_nodes_free(r, &nodes);
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    ClampKeys keys;
    clamp_start(&keys);
    keys.at.one = keys.def.at;
    bool good = read_table(r, entry, &table_clamp, &keys);
    bool many = keys.at.nodes || keys.at.in_box;
    keys.def.at = keys.at.one;
    keys.def.motions = keys.motion.list, keys.def.motion_count = keys.motion.count;
    RodRange strands = rods_of(scene, entry);
    if (good) {
        keys.rod = strands.first >= 0 ? strands.first : rod_or_only(r, entry, keys.rod);
        keys.def.slides = json_member(entry, "free_along") != NULL;
        keys.def.has_torque = json_member(entry, "torque") != NULL;
        check_freedoms(r, entry, &keys.def, keys.rod);
        if (!many) {
            check_place(r, entry, &keys.def, keys.rod);
        }
        check_uses(r, entry, &keys.def, many);
        check_start(r, json_member(entry, "motion"), &keys.def);
    }
    for (int i = 0; i < strands.count; i++) {
        int rod = good && keys.rod >= 0 ? keys.rod + i : -1;
        SceneClamp clamp = {keys.def, rod, index, entry};
        if (many && rod >= 0 && scene->rods[rod].is_whole) {
            add_many(r, &keys.at, &clamp);
        } else if (!many) {
            add_clamp(r, &clamp);
        }
    }
}

// ---- the ends of rods

static void set_half_edges(Reader* r)
{
    for (int i = 0; i < r->scene->clamp_count; i++) {
        const SceneClamp* clamp = &r->scene->clamps[i];
        if (clamp->def.fix == CORD_FIX_DIRECTION || clamp->def.fix == CORD_FIX_FRAME) {
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
        reader_error(r, value, "is %zu clamps, with one for each strand; at most %d are kept", count,
                     MOST_CLAMPS);
        return false;
    }
    r->scene->clamps = pool_array(r->pool, SceneClamp, count);
    r->scene->clamp_capacity = (int)count;
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
