// Clamps: what holds the rods and moves them.
#include "scene/clamp_nodes.h"

#include <math.h>

#define MOST_PER_ROD 1000
#define MOST_PER_MODAL_ROD 1000000
#define MOST_CLAMPS 10000000

typedef struct ClampKeys {
    CordClampDef def;
    ClampPlace at;
    List motion; // CordMotion
    int rod;
} ClampKeys;

// ---- what is fixed

static const Words freedom_words =
    WORDS("a freedom", {"x", CORD_HOLD_X}, {"y", CORD_HOLD_Y}, {"z", CORD_HOLD_Z},
          {"turn_x", CORD_HOLD_TURN_X}, {"turn_y", CORD_HOLD_TURN_Y}, {"turn_z", CORD_HOLD_TURN_Z});

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
    read_list(r, value, read_freedom, &def->freedoms);
}

static const Field fix_fields[] = {
    {WHOLE("freedoms", WORDS), .about = "Displacements along the axes, and turns about them.",
     .needed = "what is held, such as [\"x\", \"z\", \"turn_y\"]", .words = &freedom_words, .least = 1,
     .most = 6, .example = "[\"x\", \"z\", \"turn_y\"]", .read = read_freedoms},
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

static const Quantity quantity_torque = ANY_NUMBER("a torque is in newton metres", "N m");

static void clamp_start(void* keys)
{
    *(ClampKeys*)keys = (ClampKeys){.def = cord_clamp_def_default(), .rod = -1};
}

static const Field clamp_fields[] = {
    {FIELD("rod", ROD, ClampKeys, rod),
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
              "can follow, and is no support."},
    {FIELD("motion", LIST, ClampKeys, motion), .about = "Motions of the clamp, which are combined in order.",
     .otherwise = "stands still", .table = &table_motion, .example = "[{\"translate\": ...}]",
     ENTRIES(CordMotion, read_motion)},
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

// Clamps of modal rods hold a node, with all its freedoms or some. The model finds the nodes of an edge.
static void check_place(Reader* r, const JsonValue* entry, const CordClampDef* def, int rod)
{
    bool node = def->fix == CORD_FIX_POSITION || def->fix == CORD_FIX_FREEDOMS;
    PlaceUse use = node ? PLACE_OF_NODE : is_modal(r->scene, rod) ? PLACE_OF_ANY : PLACE_OF_EDGE;
    place_check(r, json_member(entry, "at"), def->at, rod, use,
                node ? "a clamp of the position holds" : "a clamp of the direction or frame holds");
}

static bool is_at_rest(const CordKeyframe* key)
{
    return cord_vec3_equal(key->offset, cord_vec3(0, 0, 0)) && key->rotation.w == 1.0;
}

// Keyframes are offsets from where the rod is, so the first one should be zero.
static void check_start(Reader* r, const JsonValue* motion, const CordClampDef* def)
{
    const JsonValue* entry = motion ? motion->first : NULL;
    for (int i = 0; i < def->motion_count; i++, entry = entry->next) {
        if (def->motions[i].kind == CORD_MOTION_KEYFRAMES && !is_at_rest(&def->motions[i].keys[0])) {
            reader_warning(
                r, json_member(entry, "keyframes")->first,
                "is the first and not at rest, so the clamp jumps there when the run begins; begin with an "
                "offset of zero");
        }
    }
}

static void check_uses(Reader* r, const JsonValue* entry, const CordClampDef* def, int rod)
{
    if (def->fix == CORD_FIX_FREEDOMS && rod >= 0 && !is_modal(r->scene, rod)) {
        member_error(
            r, entry, "fix",
            "names freedoms, and rod \"%s\" is no modal one; write \"position\", \"direction\" or \"frame\"",
            r->scene->rods[rod].def.name);
    }
    if (def->slides && def->fix == CORD_FIX_FREEDOMS) {
        member_error(
            r, entry, "free_along",
            "is for clamps that hold all directions; leave it out, and its direction out of freedoms");
    }
    if (def->has_torque && def->fix != CORD_FIX_FRAME) {
        member_error(r, entry, "torque", "needs a clamp of the frame; write \"fix\": \"frame\"");
    }
}

// ---- clamps

static void add_clamp(Reader* r, const SceneClamp* clamp)
{
    CordScene* scene = r->scene;
    if (scene->clamp_count == MOST_CLAMPS) {
        reader_error(r, clamp->at, "is one too many: at most %d clamps are kept, with one for each node",
                     MOST_CLAMPS);
        return;
    }
    if (!pool_grow(r->pool, (void**)&scene->clamps, scene->clamp_count, &scene->clamp_capacity,
                   sizeof *scene->clamps)) {
        return;
    }
    scene->clamps[scene->clamp_count++] = *clamp;
    SceneRod* rod = clamp->rod >= 0 ? &scene->rods[clamp->rod] : NULL;
    int most = is_modal(scene, clamp->rod) ? MOST_PER_MODAL_ROD : MOST_PER_ROD;
    if (rod && ++rod->clamp_count == most + 1) {
        reader_error(r, clamp->at, "is one too many: rod \"%s\" has more than %d clamps", rod->def.name,
                     most);
    }
}

// A clamp of many nodes becomes one for each of them.
static void add_many(Reader* r, const ClampPlace* place, SceneClamp* clamp)
{
    ClampNodes nodes;
    bool good = clamp_nodes_make(r, clamp->at, place, clamp->rod, &nodes);
    if (good && nodes.count > 1) {
        good = clamp_nodes_move(r, clamp->at, nodes.middle, &clamp->def);
    }
    for (int i = 0; good && i < nodes.count; i++) {
        clamp->def.at = cord_at_node(nodes.list[i]);
        add_clamp(r, clamp);
    }
}

static void read_entry(Reader* r, const JsonValue* entry, int index, void* user)
{
    CordScene* scene = user;
    ClampKeys keys;
    (void)index;
    clamp_start(&keys);
    keys.at.one = keys.def.at;
    bool good = read_table(r, entry, &table_clamp, &keys);
    keys.def.at = keys.at.one;
    keys.def.motions = keys.motion.entries, keys.def.motion_count = keys.motion.count;
    RodRange strands = rods_of(scene, entry);
    if (good) {
        keys.rod = strands.first >= 0 ? strands.first : rod_or_only(r, entry, keys.rod);
        keys.def.slides = json_member(entry, "free_along") != NULL;
        keys.def.has_torque = json_member(entry, "torque") != NULL;
        if (!keys.at.many) {
            check_place(r, entry, &keys.def, keys.rod);
        }
        check_uses(r, entry, &keys.def, keys.rod);
        check_start(r, json_member(entry, "motion"), &keys.def);
    }
    for (int i = 0; i < strands.count; i++) {
        int rod = good && keys.rod >= 0 ? keys.rod + i : -1;
        SceneClamp clamp = {keys.def, rod, entry};
        if (keys.at.many && rod >= 0 && scene->rods[rod].is_whole) {
            add_many(r, &keys.at, &clamp);
        } else if (!keys.at.many) {
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
            half_edge(r, clamp->at, clamp->def.at, clamp->rod, "holds the direction of the end");
        }
    }
}

// A clamp of strands becomes one for each of them.
static bool make_clamps(Reader* r, const JsonValue* value)
{
    size_t count = 0;
    for (const JsonValue* entry = value->first; entry; entry = entry->next) {
        count += (size_t)rods_of(r->scene, entry).count;
    }
    if (count > MOST_CLAMPS) {
        return reader_error(r, value, "is %zu clamps, with one for each strand; at most %d are kept", count,
                            MOST_CLAMPS);
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
    read_list(r, value, read_entry, scene);
    set_half_edges(r);
}
