// Values of contact that cannot be meant.
#include "base/real.h"
#include "scene/doubt.h"

#include <math.h>

#define DEEPEST 0.9      // over the radius: a run fails where a rod would sink deeper into an obstacle
#define SHALLOW 0.1      // likewise, of an obstacle that is stiff enough
#define MOST_TURNING 1.5 // over the radius: resistance to rolling and spinning

// ---- values as they stand in the scene; NULL: not given

static const JsonValue* rolling_at(const Subject* s)
{
    return s->scene->contact.on ? material_at(s, "rolling_friction") : NULL;
}

static const JsonValue* spinning_at(const Subject* s)
{
    return s->scene->contact.on ? material_at(s, "spinning_friction") : NULL;
}

static const JsonValue* rolling_on_at(const Subject* s)
{
    return number_or_null(member_of(s->obstacle->at, "rolling_friction"));
}

static const JsonValue* spinning_on_at(const Subject* s)
{
    return number_or_null(member_of(s->obstacle->at, "spinning_friction"));
}

// The largest value that pairs of materials have for a key.
static const JsonValue* largest_of_pairs(const Subject* s, const char* key)
{
    const JsonValue *pairs = member_of(member_of(&s->scene->root, "contact"), "pairs"), *most = NULL;
    for (const JsonValue* pair = pairs ? pairs->first : NULL; pair; pair = pair->next) {
        const JsonValue* value = number_or_null(member_of(pair, key));
        most = value && (!most || value->number > most->number) ? value : most;
    }
    return most;
}

static const JsonValue* rolling_of_pairs_at(const Subject* s)
{
    return largest_of_pairs(s, "rolling_friction");
}

static const JsonValue* spinning_of_pairs_at(const Subject* s)
{
    return largest_of_pairs(s, "spinning_friction");
}

static const JsonValue* bed_at(const Subject* s)
{
    return number_or_null(member_of(s->obstacle->at, "stiffness"));
}

static const JsonValue* sleep_at(const Subject* s)
{
    const JsonValue* contact = member_of(&s->scene->root, "contact");
    return number_or_null(member_of(member_of(contact, "sleep"), "time"));
}

// ---- what follows from them; NAN: nothing that could be wrong

static double over_radius(const Subject* s, double length)
{
    return length / s->rod->def.section.radius;
}

static double over_thickest(const Subject* s, double length)
{
    return length / s->thickest;
}

// The part of gravity that presses what lies on an obstacle into it. A plane takes what is along its normal.
static double pressing(const Subject* s)
{
    const CordObstacleDef* def = &s->obstacle->def;
    CordVec3 normal = cord_quat_rotate(def->rotation, cord_vec3(0, 0, 1));
    CordVec3 down = unit_or(s->scene->gravity, cord_vec3(0, 0, 0));
    double share = def->solid.shape == CORD_SOLID_PLANE ? -cord_vec3_dot(down, normal) : 1.0;
    return s->gravity * real_max(0.0, share);
}

static double depth_in_bed(const Subject* s, double stiffness) // over the radius
{
    return s->heaviest * pressing(s) / stiffness;
}

static double stiffness_to_bear(const Subject* s)
{
    return s->heaviest * pressing(s) / SHALLOW;
}

// For how long what swings counts as at rest where it turns back, over the time of sleep: in a time t about
// that place it travels g t^2 / 4.
static double rest_of_swing(const Subject* s, double time)
{
    double far = s->scene->contact.sleep.tolerance * s->thickest;
    return s->gravity > 0.0 ? 2.0 * sqrt(far / s->gravity) / time : NAN;
}

// ---- the rows

#define IS_LENGTH "this is a length in metres: for a coefficient, multiply that by the radius"
#define ROLLS_NOWHERE                                                                                        \
    .unit = " m", .measure = over_thickest, .high = MOST_TURNING,                                            \
    .why = "it is %.3g times the thickest rod's radius, so that no rod would roll down a slope of 55 "       \
           "degrees",                                                                                        \
    .otherwise = IS_LENGTH
#define SPINS_NOWHERE                                                                                        \
    .unit = " m", .measure = over_thickest, .high = MOST_TURNING,                                            \
    .why = "it is %.3g times the thickest rod's radius, and no contact is as wide", .otherwise = IS_LENGTH

const Doubt contact_doubts[] = {
    {.kind = OF_ROD,
     .at = rolling_at,
     .unit = " m",
     .measure = over_radius,
     .high = MOST_TURNING,
     .why = "it is %.3g times the rod's radius, so that it would not roll down a slope of 55 degrees",
     .otherwise = IS_LENGTH},
    {.kind = OF_ROD,
     .at = spinning_at,
     .unit = " m",
     .measure = over_radius,
     .high = MOST_TURNING,
     .why = "it is %.3g times the rod's radius, and no contact is as wide",
     .otherwise = IS_LENGTH},
    {.kind = OF_OBSTACLE, .at = rolling_on_at, ROLLS_NOWHERE},
    {.kind = OF_OBSTACLE, .at = spinning_on_at, SPINS_NOWHERE},
    {.kind = OF_SCENE, .at = rolling_of_pairs_at, ROLLS_NOWHERE},
    {.kind = OF_SCENE, .at = spinning_of_pairs_at, SPINS_NOWHERE},
    {.kind = OF_OBSTACLE,
     .at = bed_at,
     .unit = " N/m^2",
     .measure = depth_in_bed,
     .high = DEEPEST,
     .enough = stiffness_to_bear,
     .verdict = "is too soft for the rods that fall on it",
     .why = "the heaviest would lie %.3g times its radius deep, and a run fails at 0.9",
     .otherwise = "for a tenth of the radius write %.0f"},
    {.kind = OF_SCENE,
     .at = sleep_at,
     .unit = " s",
     .measure = rest_of_swing,
     .high = 1.0,
     .verdict = "is too short",
     .why = "a rod that swings is slow for %.3g times as long where it turns back, and would fall asleep",
     .otherwise = "such times are 0.1 to 1 s"},
};

const int contact_doubt_count = (int)(sizeof contact_doubts / sizeof *contact_doubts);
