// Adaptive rods: where a rod takes in nodes, and gives them up.
#include "scene/values.h"

#include <cordage/adapt.h>

#include <math.h>

typedef struct AdaptKeys {
    CordAdaptDef def;
    int placement;
} AdaptKeys;

static const Word placement_list[] = {
    {"minimum", CORD_PLACEMENT_MINIMUM},
    {"midpoint", CORD_PLACEMENT_MIDPOINT},
};
static const Words placement_words = WORDS("a placement", placement_list);

static const Quantity quantity_turning = {.what = "the turn of an element is in radians",
                                          .unit = "rad",
                                          QUANTITY_POSITIVE,
                                          .high = CORD_PI,
                                          .high_text = "pi"};
// Elements are halved and joined by twos, so that only powers of two can be reached.
static const Quantity quantity_shortest = {
    .what = "the shortest element is a part of one that the rod is made with",
    .must = "be 1, 0.5, 0.25, ... or 0.015625 (1/64)",
    .low = 1.0 / 64.0,
    .high = 1.0};
static const Quantity quantity_longest = {
    .what = "the longest element is so many of those that the rod is made with",
    .must = "be 1, 2, 4, ... or 64",
    .low = 1.0,
    .high = 64.0};
static const Quantity quantity_iterations = {.what =
                                                 "this is the most iterations that finding a place may take",
                                             .must = "be at least 1",
                                             .low = 1,
                                             QUANTITY_UP_TO(1000)};

static void adapt_start(void* keys)
{
    AdaptKeys* adapt = keys;
    *adapt = (AdaptKeys){.def = cord_adapt_def_default()};
    adapt->placement = (int)adapt->def.placement;
    adapt->def.on = true;
}

static const Field adapt_fields[] = {
    {FIELD("on", BOOL, AdaptKeys, def.on), .about = "Whether the rod is adaptive.",
     .what = "this says whether a rod is adaptive"},
    {FIELD("refine_turn", NUMBER, AdaptKeys, def.refine_turn),
     .about = "An element that turns by more than this is halved.", .quantity = &quantity_turning},
    {FIELD("merge_turn", NUMBER, AdaptKeys, def.merge_turn),
     .about = "Two halves that each turn by less than this may be merged; it is below refine_turn.",
     .quantity = &quantity_turning},
    {FIELD("by_contact", BOOL, AdaptKeys, def.by_contact),
     .about = "Whether an element is halved that is touched in both its halves.",
     .what = "this says whether elements are halved where they are touched"},
    {FIELD("merge_time", NUMBER, AdaptKeys, def.merge_time),
     .about = "Time for which two halves must have existed without contact before they are merged.",
     .quantity = &quantity_time},
    {FIELD("shortest", POWER, AdaptKeys, def.shortest),
     .about = "Shortest element as a part of one that the rod is made with: 1, 0.5, 0.25, ... 0.015625.",
     .quantity = &quantity_shortest},
    {FIELD("longest", POWER, AdaptKeys, def.longest),
     .about = "Largest number of the rod's first elements that may be merged into one: 1, 2, 4, ... 64.",
     .quantity = &quantity_longest},
    {FIELD("placement", WORD, AdaptKeys, placement),
     .about = "Place of a new node: minimum is where the energy of the elements around it is least, "
              "midpoint is the middle of its element, for comparison.",
     .words = &placement_words},
    {FIELD("iterations", COUNT, AdaptKeys, def.iterations),
     .about = "Most iterations of the search for the least energy.", .quantity = &quantity_iterations},
    {FIELD("blend", NUMBER, AdaptKeys, def.blend),
     .about = "Time in which pictures fade from the surface before a change to the surface after it.",
     .quantity = &quantity_time},
};
const Table table_adapt = TABLE("adapt", "adaptivity", adapt_fields,
                                .about = "Settings of an adaptive rod: where it adds nodes and removes them.",
                                .size = sizeof(AdaptKeys), .start = adapt_start);

// What is merged must not be halved again at once. The key that is given is to blame; of two, the lower.
static void check_turns(Reader* r, const JsonValue* keys, const CordAdaptDef* def)
{
    const JsonValue *refine = json_member(keys, "refine_turn"), *merge = json_member(keys, "merge_turn");
    Path path;
    if (def->merge_turn < def->refine_turn) {
        return;
    }
    reader_enter(r, &path, merge ? "merge_turn" : "refine_turn");
    if (merge) {
        reader_error(r, merge,
                     "is %g; elements are merged that turn by less than those that are halved, so write less "
                     "than refine_turn, %g",
                     def->merge_turn, def->refine_turn);
    } else {
        reader_error(r, refine,
                     "is %g; elements are halved that turn by more than those that are merged, so write more "
                     "than merge_turn, %g",
                     def->refine_turn, def->merge_turn);
    }
    reader_leave(r, &path);
}

void read_adapt(Reader* r, const JsonValue* value, void* target)
{
    CordAdaptDef* adapt = target;
    AdaptKeys keys;
    adapt_start(&keys);
    if (value->kind == JSON_BOOL) {
        keys.def.on = value->truth;
    } else if (value->kind != JSON_OBJECT) {
        reader_error(
            r, value,
            "is %s; write {} for an adaptive rod, with what differs from the default in it, or false",
            reader_describe(r, value));
        return;
    } else if (read_table(r, value, &table_adapt, &keys)) {
        check_turns(r, value, &keys.def);
    }
    *adapt = keys.def;
    adapt->placement = (CordPlacement)keys.placement;
}
