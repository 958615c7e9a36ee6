// Doubts about values that cannot be meant: what is looked at, and a row of what is compared with which
// limits.
#ifndef CORD_SCENE_DOUBT_H
#define CORD_SCENE_DOUBT_H

#include "scene/scene.h"

#define MOST_SLIPS 3

typedef struct Subject { // the scene, one of its bodies or rods, or a load or clamp on that
    CordScene* scene;
    const CordWorld* world;
    CordRodId id;
    const SceneRod* rod;
    const SceneLoad* load;
    const SceneClamp* clamp;
    const SceneBody* body;
    const SceneObstacle* obstacle;
    double gravity;  // at most MOST_GRAVITY: a greater one has its own row [m/s^2]
    double length;   // [m]
    double thickest; // largest radius of all rods [m]
    double heaviest; // largest mass per length over the radius, of rods that nothing holds up [kg/m^2]
    CordStiffness stiffness;
} Subject;

typedef enum Kind { OF_SCENE, OF_ROD, OF_LOAD, OF_CLAMP, OF_BODY, OF_OBSTACLE } Kind;

typedef struct Slip { // another unit in which the value may have been written
    const char* unit;
    double factor;
} Slip;

typedef struct Doubt {
    Kind kind;
    const JsonValue* (*at)(const Subject* s);
    double (*value)(const Subject* s);                 // NULL: as it is written
    const char* noun;                                  // of such a value, with its article
    const char* unit;                                  // of the value, with a space before it
    double (*measure)(const Subject* s, double value); // of a vector, its length is the value
    double low, high;                                  // measures outside cannot be meant
    double (*enough)(const Subject* s);                // elements to take, as %.0f in `otherwise`
    const char* verdict;                               // of the value; NULL: that it cannot be meant
    const char* why; // a clause, with the measure as %.3g or %.2g if it is in it
    Slip slips[MOST_SLIPS];
    double likely_low, likely_high; // values in between are likely to be meant, if a slip leads to one
    const char* otherwise;          // what to do if no slip does
} Doubt;

extern const Doubt load_doubts[]; // of loads, clamps and bodies (load_doubt_count)
extern const int load_doubt_count;
extern const Doubt contact_doubts[]; // of contact, obstacles, and rods in contact (contact_doubt_count)
extern const int contact_doubt_count;

static inline const JsonValue* number_or_null(const JsonValue* value)
{
    return value && value->kind == JSON_NUMBER ? value : NULL;
}

static inline const JsonValue* member_of(const JsonValue* object, const char* key)
{
    return object && object->kind == JSON_OBJECT ? json_member(object, key) : NULL;
}

// The number that the material of the subject's rod gives for a key. NULL: the scene gives none.
const JsonValue* material_at(const Subject* s, const char* key);

static inline double value_itself(const Subject* s, double value)
{
    (void)s;
    return value;
}

// The part of a load, or of the rod's weight, that the modes of a rod carry, in per cent.
double share_of_modes(const Subject* s, double value);

#endif
