// Settings of adaptive rods: where nodes are added and removed.
#include "scene/values.h"

#include <cordage/adapt.h>

#include <math.h>

static const Words placement_words =
    WORDS("a placement", {"minimum", CORD_PLACEMENT_MINIMUM}, {"midpoint", CORD_PLACEMENT_MIDPOINT});

static const Quantity quantity_turning = {.what = "the turn of an element is in radians",
                                          .unit = "rad",
                                          .must = "be positive",
                                          .low_open = true,
                                          .high = CORD_PI,
                                          .high_text = "pi"};
// Elements are halved and merged in pairs, so lengths are powers of two of the first ones.
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
static const Quantity quantity_search =
    AT_LEAST(1, "this is the most iterations that finding a place may take", NULL, 1000);

static void adapt_start(void* keys)
{
    CordAdaptDef* adapt = keys;
    *adapt = cord_adapt_def_default();
    adapt->on = true;
}

static const Field adapt_fields[] = {
    {FIELD("on", BOOL, CordAdaptDef, on), .about = "Whether the rod is adaptive."},
    {FIELD("refine_turn", NUMBER, CordAdaptDef, refine_turn),
     .about = "An element that turns by more than this is halved.", .quantity = &quantity_turning},
    {FIELD("merge_turn", NUMBER, CordAdaptDef, merge_turn),
     .about = "Two halves that each turn by less than this may be merged; it is below refine_turn.",
     .quantity = &quantity_turning},
    {FIELD("by_contact", BOOL, CordAdaptDef, by_contact),
     .about = "Whether an element is halved that is touched in both its halves."},
    {FIELD("merge_time", NUMBER, CordAdaptDef, merge_time),
     .about = "Time for which two halves must have existed without contact before they are merged.",
     .quantity = &quantity_time},
    {FIELD("shortest", POWER, CordAdaptDef, shortest),
     .about = "Shortest element as a part of one that the rod is made with: 1, 0.5, 0.25, ... 0.015625.",
     .quantity = &quantity_shortest},
    {FIELD("longest", POWER, CordAdaptDef, longest),
     .about = "Largest number of the rod's first elements that may be merged into one: 1, 2, 4, ... 64.",
     .quantity = &quantity_longest},
    {FIELD("placement", WORD, CordAdaptDef, placement),
     .about = "Place of a new node: minimum is where the energy of the elements around it is least, "
              "midpoint is the middle of its element, for comparison.",
     .words = &placement_words},
    {FIELD("iterations", COUNT, CordAdaptDef, iterations),
     .about = "Most iterations of the search for the least energy.", .quantity = &quantity_search},
    {FIELD("blend", NUMBER, CordAdaptDef, blend),
     .about = "Time in which pictures fade from the surface before a change to the surface after it.",
     .quantity = &quantity_time},
};
// What is merged must not be halved again at once. The note is about the lower key that is given.
static void check_turns(Reader* r, const JsonValue* value, void* keys)
{
    const CordAdaptDef* def = keys;
    if (def->merge_turn < def->refine_turn) {
        return;
    }
    if (json_member(value, "merge_turn")) {
        member_error(r, value, "merge_turn",
                     "is %g; elements are merged that turn by less than those that are halved, so write less "
                     "than refine_turn, %g",
                     def->merge_turn, def->refine_turn);
    } else {
        member_error(r, value, "refine_turn",
                     "is %g; elements are halved that turn by more than those that are merged, so write more "
                     "than merge_turn, %g",
                     def->refine_turn, def->merge_turn);
    }
}

const Table table_adapt = TABLE("adapt", "adaptivity", adapt_fields,
                                .about = "Settings of an adaptive rod: where it adds nodes and removes them.",
                                .size = sizeof(CordAdaptDef), .start = adapt_start, .check = check_turns);

void read_adapt(Reader* r, const JsonValue* value, void* target)
{
    CordAdaptDef adapt;
    adapt_start(&adapt);
    if (value->kind == JSON_BOOL) {
        adapt.on = value->truth;
    } else if (value->kind == JSON_OBJECT) {
        read_table(r, value, &table_adapt, &adapt);
    } else {
        value_error(r, value,
                    "write {} for an adaptive rod, with what differs from the default in it, or false");
        return;
    }
    *(CordAdaptDef*)target = adapt;
}
