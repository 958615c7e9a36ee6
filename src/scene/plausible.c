// Values that cannot be meant: each is allowed, but what follows from it in the built scene is not what
// anyone wants, and a slip of units is the likely cause. Tables say what is compared with which limits.
#include "scene/build.h"

#include "base/real.h"
#include "scene/doubt.h"
#include "scene/values.h"

#include <math.h>
#include <string.h>

#define MOST_GRAVITY 30.0 // that of Jupiter and some more [m/s^2]
#define LIMP 100.0 // weight over bending stiffness, w L^3 / EI, from which on a rod hangs as a rope does

// Values as they stand in the scene; NULL: not given, so that they cannot be a slip.

// The first number in an object or a list.
static const JsonValue* first_number(const JsonValue* value)
{
    while (value && (value->kind == JSON_ARRAY || value->kind == JSON_OBJECT)) {
        value = value->kind == JSON_OBJECT && value->first ? value->first->next : value->first;
    }
    return number_or_null(value);
}

static const JsonValue* radius_at(const Subject* s)
{
    const JsonValue* section = member_of(s->rod->at, "section");
    const JsonValue* sizes = section && section->count > 0 ? section->first->next : NULL;
    const JsonValue *radius = member_of(sizes, "radius"), *outer = member_of(sizes, "outer_radius");
    bool one = sizes && sizes->kind == JSON_OBJECT; // no list of stations
    return one ? first_number(radius ? radius : outer ? outer : sizes) : NULL;
}

const JsonValue* material_at(const Subject* s, const char* key)
{
    const JsonValue* material = member_of(s->rod->at, "material");
    if (material && material->kind == JSON_STRING) {
        material = member_of(member_of(&s->scene->root, "materials"), material->string);
    }
    return number_or_null(member_of(material, key));
}

static const JsonValue* young_at(const Subject* s)
{
    return material_at(s, "young");
}

static const JsonValue* density_at(const Subject* s)
{
    return member_of(member_of(s->rod->at, "stiffness"), "mass_per_length") ? NULL
                                                                            : material_at(s, "density");
}

static const JsonValue* friction_at(const Subject* s)
{
    return material_at(s, "friction");
}

static const JsonValue* stretch_at(const Subject* s)
{
    return number_or_null(member_of(member_of(s->rod->at, "stiffness"), "stretch"));
}

static const JsonValue* young_for_stretch_at(const Subject* s)
{
    return stretch_at(s) ? NULL : young_at(s);
}

static const JsonValue* elements_at(const Subject* s)
{
    return number_or_null(member_of(s->rod->at, "elements"));
}

static const JsonValue* elements_or_points_at(const Subject* s)
{
    const JsonValue* elements = elements_at(s);
    return elements ? elements : s->rod->at;
}

static const JsonValue* ratio_at(const Subject* s)
{
    return number_or_null(member_of(member_of(s->rod->at, "damping"), "ratio"));
}

static const JsonValue* retardation_at(const Subject* s)
{
    return number_or_null(member_of(member_of(s->rod->at, "damping"), "time"));
}

static const JsonValue* velocity_at(const Subject* s)
{
    return member_of(s->rod->at, "velocity");
}

static const JsonValue* of_section(const Subject* s, const char* key) // of an explicit one
{
    return number_or_null(member_of(member_of(member_of(s->rod->at, "section"), "explicit"), key));
}

static const JsonValue* second_moment_at(const Subject* s) // the larger one
{
    const JsonValue *I1 = of_section(s, "I1"), *I2 = of_section(s, "I2");
    return I1 && I2 && I2->number > I1->number ? I2 : I1;
}

static const JsonValue* rod_at(const Subject* s)
{
    return s->rod->at;
}

static const JsonValue* rest_at(const Subject* s)
{
    return s->rod->def.rest == CORD_REST_SHAPE ? member_of(s->rod->at, "rest") : NULL;
}

static const JsonValue* gravity_at(const Subject* s)
{
    return member_of(&s->scene->root, "gravity");
}

static const JsonValue* time_at(const Subject* s, const char* key)
{
    return number_or_null(member_of(member_of(&s->scene->root, "time"), key));
}

static const JsonValue* step_at(const Subject* s)
{
    return time_at(s, "step");
}

static const JsonValue* end_at(const Subject* s)
{
    return time_at(s, "end");
}

static const JsonValue* fps_at(const Subject* s)
{
    return time_at(s, "fps");
}

// ---- what follows from them; NAN: nothing that could be wrong

static double thickness(const Subject* s, double value)
{
    (void)value;
    return 2.0 * s->rod->def.section.radius / s->length;
}

// The mean stretch of a rod that hangs from its end.
static double stretch_by_weight(const Subject* s, double value)
{
    (void)value;
    bool keeps_length = s->rod->def.inextensible || s->rod->def.model == CORD_MODEL_MODAL;
    return keeps_length ? NAN
                        : 1.0 + 0.5 * s->stiffness.mass_per_length * s->gravity * s->length / s->stiffness.EA;
}

static double shape_length(const Subject* s) // as the rod begins [m]
{
    int n = cord_rod_node_count(s->world, s->id), edges = cord_rod_edge_count(s->world, s->id);
    double sum = 0.0;
    Pool scratch = pool_beside(&s->scene->pool);
    CordVec3* x = pool_array(&scratch, CordVec3, n);
    bool known = x && cord_rod_positions(s->world, s->id, x) == CORD_OK;
    for (int i = 0; known && i < edges; i++) {
        sum += cord_vec3_distance(x[i], x[(i + 1) % n]);
    }
    pool_end(&scratch, &s->scene->pool);
    return known ? sum : NAN;
}

static double stretch_at_first(const Subject* s, double length)
{
    return shape_length(s) / length;
}

static double length_of(const Subject* s) // at rest [m]
{
    return s->length;
}

static double gyration(const Subject* s, double I) // radius of gyration over the rod's length
{
    const JsonValue* area = of_section(s, "area");
    return area ? sqrt(I / area->number) / s->length : NAN;
}

// Young's modulus of what is as heavy as metal or stone. A density above that of any metal stands for what a
// rod carries.
static double young_of_heavy(const Subject* s, double young)
{
    double density = s->rod->def.material.density;
    return density > 2500.0 && density < 25000.0 ? young : NAN;
}

// Elements of a rod that hangs as a rope does. One that is joined to others may be a link of a chain.
static double elements_of_rope(const Subject* s, double elements)
{
    double EI = real_max(s->stiffness.EI1, s->stiffness.EI2);
    double weight = s->stiffness.mass_per_length * s->gravity * s->length;
    bool limp = weight * s->length * s->length > LIMP * EI;
    bool other = s->rod->def.model == CORD_MODEL_MODAL || s->rod->def.adapt.on || s->rod->joined_count > 0;
    return limp && !other ? elements : NAN;
}

// The cosine of the largest angle between two successive elements of a curve.
static double sharpest_turn(const Subject* s, double elements)
{
    CordShapeKind kind = s->rod->def.shape.kind;
    int n = cord_rod_node_count(s->world, s->id), last = s->rod->def.closed ? n : n - 2;
    if (kind == CORD_SHAPE_POINTS || kind == CORD_SHAPE_POLYLINE || kind == CORD_SHAPE_NETWORK ||
        elements > 1e6) {
        return NAN;
    }
    Pool scratch = pool_beside(&s->scene->pool);
    CordVec3* x = pool_array(&scratch, CordVec3, n);
    double least = 1.0;
    if (x && cord_rod_positions(s->world, s->id, x) == CORD_OK) {
        for (int i = 0; i < last; i++) {
            CordVec3 a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
            least = real_min(least,
                             cord_vec3_dot(unit_or(cord_vec3_sub(b, a), a), unit_or(cord_vec3_sub(c, b), b)));
        }
    }
    pool_end(&scratch, &s->scene->pool);
    return least;
}

// The most that the motions of a clamp twist the rod about the given tangent [rad].
static double turn_of_clamp(const CordClampDef* clamp, CordVec3 tangent)
{
    double sum = 0.0, most = 0.0;
    for (int k = 0; k < clamp->motion_count; k++) {
        const CordMotion* m = &clamp->motions[k];
        double about =
            m->kind == CORD_MOTION_ROTATE ? cord_vec3_dot(unit_or(m->axis, tangent), tangent) : 0.0;
        sum += m->angle * about;
        most = fabs(sum) > fabs(most) ? sum : most;
    }
    return most;
}

// The most that the motions of clamps twist a straight rod [rad].
static double wound_by_clamps(const Subject* s)
{
    const CordRodDef* def = &s->rod->def;
    double least = INFINITY, most = -INFINITY;
    CordVec3 tangent = cord_vec3_sub(def->shape.q, def->shape.p);
    for (int i = 0; def->shape.kind == CORD_SHAPE_LINE && i < s->scene->clamp_count; i++) {
        const SceneClamp* clamp = &s->scene->clamps[i];
        if (clamp->rod == s->rod - s->scene->rods && clamp->def.fix == CORD_FIX_FRAME) {
            double wound = turn_of_clamp(&clamp->def, unit_or(tangent, tangent));
            least = real_min(least, wound), most = real_max(most, wound);
        }
    }
    return real_max(0.0, most - least);
}

// sin and cos of half the angle, at most a right angle
static CordQuat half_turn(double angle)
{
    return cord_quat_about((CordVec3){1, 0, 0}, real_min(angle, CORD_PI));
}

// A part of the angle of twist of a corde or pbd element whose tangent is the strain, 4 tan(phi/4) and
// 2 tan(phi/2); others have none.
static double part_of_twist(const Subject* s)
{
    CordModel model = s->rod->def.model;
    return model == CORD_MODEL_CORDE ? 0.25 : model == CORD_MODEL_PBD ? 0.5 : 0.0;
}

static double strained_twist(const Subject* s) // of the whole rod [rad]
{
    return fabs(s->rod->def.twist - s->rod->def.rest_twist) + wound_by_clamps(s);
}

// How many per cent the torque of a twisted corde or pbd rod is too high: strain times its derivative is
// tan a / cos^2 a of its part a.
static double torque_error(const Subject* s, double elements)
{
    double part = part_of_twist(s), a = part > 0.0 ? part * strained_twist(s) / elements : 0.0;
    CordQuat q = half_turn(2.0 * a);
    return a > 0.0 ? 100.0 * (q.x / (q.w * q.w * q.w * a) - 1.0) : NAN;
}

static double elements_for_torque(const Subject* s)
{
    return part_of_twist(s) * strained_twist(s) / 0.0863; // tan a / (a cos^2 a) is 1.01
}

static bool is_flat_der(const Subject* s) // round ones have no axes to miss
{
    double EI1 = s->stiffness.EI1, EI2 = s->stiffness.EI2;
    return s->rod->def.model == CORD_MODEL_DER && real_max(EI1, EI2) > 1.1 * real_min(EI1, EI2);
}

static double turned_frames(const Subject* s) // from one end to the other, at most [rad]
{
    return real_max(fabs(s->rod->def.twist) + wound_by_clamps(s), fabs(s->rod->def.rest_twist));
}

// From one element of a flat der rod to the next [degrees]. At half a turn all bend about the same axis in
// space; a strip of 8 elements is off by 1, 3, 12 and 98 % at 90, 120, 144 and 168 degrees
// (docs/models/der.md).
static double turned_axes(const Subject* s, double elements)
{
    return is_flat_der(s) && elements > 1.0 ? turned_frames(s) / (elements - 1.0) * (180.0 / CORD_PI) : NAN;
}

static double elements_for_axes(const Subject* s)
{
    return ceil(turned_frames(s) / (0.5 * CORD_PI)) + 1.0;
}

static double weight(const Subject* s) // [N]
{
    return s->stiffness.mass_per_length * s->length * s->gravity;
}

static double frames_of_run(const Subject* s, double fps)
{
    return fps < 0.05 ? fps * s->scene->run.end : NAN;
}

// ---- the table

#define STRETCHES "under its own weight the rod would stretch to %.3g times its length"

// Limits are beyond what there is: the lightest and the stiffest matter, the gravity of the sun. Of two rows
// about one value the first warns.
static const Doubt doubts[] = {
    {.kind = OF_ROD,
     .at = radius_at,
     .unit = " m",
     .measure = thickness,
     .high = 1.0 / 3.0,
     .why = "the rod is %.3g times as thick as it is long",
     .slips = {{"millimetres", 1e-3}, {"centimetres", 1e-2}, {"micrometres", 1e-6}},
     .likely_low = 1e-4,
     .likely_high = 0.5,
     .otherwise = "sizes of sections and of shapes are in metres"},
    {.kind = OF_ROD,
     .at = young_for_stretch_at,
     .unit = " Pa",
     .measure = stretch_by_weight,
     .high = 3.0,
     .why = STRETCHES,
     .slips = {{"GPa", 1e9}, {"MPa", 1e6}, {"kPa", 1e3}},
     .likely_low = 1e4,
     .likely_high = 1.3e12,
     .otherwise = "moduli are in pascals"},
    {.kind = OF_ROD,
     .at = stretch_at,
     .unit = " N",
     .measure = stretch_by_weight,
     .high = 3.0,
     .why = STRETCHES,
     .slips = {{"kN", 1e3}, {"MN", 1e6}},
     .likely_low = 1e3,
     .likely_high = 1e12,
     .otherwise = "a stiffness of stretching is a force, in newtons"},
    {.kind = OF_ROD,
     .at = young_at,
     .unit = " Pa",
     .measure = young_of_heavy,
     .low = 1e7,
     .high = 1.3e12,
     .why = "nothing that dense is so soft or so stiff",
     .slips = {{"MPa", 1e6}, {"GPa", 1e9}, {"kPa", 1e3}},
     .likely_low = 1e9,
     .likely_high = 1.3e12,
     .otherwise = "Young's modulus is in pascals"},
    {.kind = OF_ROD,
     .at = young_at,
     .unit = " Pa",
     .measure = value_itself,
     .low = 1e3,
     .high = INFINITY, // a high one may stand for a rod that is rigid
     .why = "it is softer than jelly",
     .slips = {{"GPa", 1e9}, {"MPa", 1e6}, {"kPa", 1e3}},
     .likely_low = 1e4,
     .likely_high = 1.3e12,
     .otherwise = "Young's modulus is in pascals"},
    {.kind = OF_ROD,
     .at = density_at,
     .unit = " kg/m^3",
     .measure = value_itself,
     .low = 25.0,
     .high = INFINITY, // a high one may stand for what a rod carries
     .why = "no solid is so light: foam has 30",
     .slips = {{"g/cm^3", 1e3}},
     .likely_low = 25.0,
     .likely_high = 25000.0,
     .otherwise = "densities are in kilograms per cubic metre"},
    {.kind = OF_ROD,
     .at = friction_at,
     .measure = value_itself,
     .high = 5.0,
     .why = "it would hold on any slope and at any pull",
     .slips = {{"per cent", 1e-2}},
     .likely_high = 2.0,
     .otherwise = "coefficients of friction are seldom above 1"},
    {.kind = OF_ROD,
     .at = ratio_at,
     .measure = value_itself,
     .high = 1.5,
     .why = "the vibration would be damped far beyond the critical damping, 1",
     .slips = {{"per cent", 1e-2}},
     .likely_high = 1.0,
     .otherwise = "a ratio is a fraction of critical damping"},
    {.kind = OF_ROD,
     .at = retardation_at,
     .unit = " s",
     .measure = value_itself,
     .high = 10.0,
     .why = "the rod would creep like tar",
     .slips = {{"milliseconds", 1e-3}},
     .likely_high = 1.0,
     .otherwise = "retardation times are in seconds"},
    {.kind = OF_ROD,
     .at = velocity_at,
     .unit = " m/s",
     .measure = value_itself,
     .high = 3000.0,
     .why = "that is faster than a bullet",
     .slips = {{"millimetres per second", 1e-3}},
     .likely_high = 100.0,
     .otherwise = "velocities are in metres per second"},
    {.kind = OF_ROD,
     .at = elements_at,
     .measure = elements_of_rope,
     .low = 4.0,
     .high = INFINITY,
     .why = "a rope that hangs under its own weight cannot bend in so few straight pieces",
     .otherwise = "take 50 or so"},
    {.kind = OF_ROD,
     .at = elements_at,
     .measure = sharpest_turn,
     .low = -0.05, // a right angle, and rounding
     .high = INFINITY,
     .why = "the curve turns back from one element to the next",
     .otherwise = "take so many that it turns by less than 60 degrees from one to the next"},
    {.kind = OF_ROD,
     .at = elements_or_points_at,
     .measure = torque_error,
     .high = 3.0,
     .enough = elements_for_torque,
     .why = "the torque of so much twist on each is %.3g %% too high",
     .otherwise = "for 1 %% take %.0f, or the model \"der\""},
    {.kind = OF_ROD,
     .at = elements_or_points_at,
     .measure = turned_axes,
     .high = 120.5, // and rounding
     .enough = elements_for_axes,
     .why = "a flat rod that is twisted by %.3g degrees from one to the next bends about too few axes",
     .otherwise = "for 90 degrees take %.0f"},
    {.kind = OF_ROD,
     .at = rest_at,
     .value = length_of,
     .noun = "a length",
     .unit = " m",
     .measure = stretch_at_first,
     .low = 0.1,
     .high = 10.0,
     .why = "the rod begins stretched or pressed to %.3g times that",
     .otherwise = "sizes of shapes are in metres, those of `rest` too"},
    {.kind = OF_ROD,
     .at = second_moment_at,
     .unit = " m^4",
     .measure = gyration,
     .high = 1.0 / 3.0,
     .why = "with that area the radius of gyration is %.3g times the length of the rod",
     .otherwise = "second moments of area are in m^4"},
    {.kind = OF_ROD,
     .at = rod_at,
     .value = weight,
     .noun = "a weight",
     .unit = " N",
     .measure = share_of_modes,
     .low = 10.0,
     .high = INFINITY,
     .verdict = "its modes hardly carry",
     .why = "they have %.2g %% of the deflection that it causes along itself",
     .otherwise = "take more modes, or the model \"der\""},
    {.kind = OF_SCENE,
     .at = gravity_at,
     .unit = " m/s^2",
     .measure = value_itself,
     .high = 300.0,
     .why = "that is more than on the sun",
     .slips = {{"cm/s^2", 1e-2}, {"mm/s^2", 1e-3}},
     .likely_low = 1.0,
     .likely_high = 30.0,
     .otherwise = "on the earth it is 9.81"},
    {.kind = OF_SCENE,
     .at = step_at,
     .unit = " s",
     .measure = value_itself,
     .high = 0.5,
     .why = "no motion of a rod is that slow",
     .slips = {{"milliseconds", 1e-3}, {"microseconds", 1e-6}},
     .likely_low = 1e-7,
     .likely_high = 0.1,
     .otherwise = "write \"auto\""},
    {.kind = OF_SCENE,
     .at = end_at,
     .unit = " s",
     .measure = value_itself,
     .high = 1e5,
     .why = "that is longer than a day",
     .slips = {{"milliseconds", 1e-3}},
     .likely_high = 1e5,
     .otherwise = "times are in seconds"},
    {.kind = OF_SCENE,
     .at = fps_at,
     .measure = frames_of_run,
     .low = 1.0,
     .high = INFINITY,
     .why = "the run would end before its second frame",
     .otherwise = "fps counts frames a second, so for one every 1/60 s write 60"},
};

#define DOUBTS ((int)(sizeof doubts / sizeof *doubts))

// ---- warnings

typedef struct Told { // values that were warned of, each once for all rods that share it
    const JsonValue* at[NOTES_MOST];
    int count;
} Told;

static bool was_told(Told* told, const JsonValue* at)
{
    for (int i = 0; i < told->count; i++) {
        if (told->at[i] == at) {
            return true;
        }
    }
    bool full = told->count == NOTES_MOST;
    if (!full) {
        told->at[told->count++] = at;
    }
    return full;
}

// The length of a vector, a number, or how many elements a rod has.
static double value_of(const Subject* s, const JsonValue* at)
{
    double sum = 0.0;
    if (at->kind == JSON_NUMBER || at->kind == JSON_OBJECT) {
        return at->kind == JSON_NUMBER ? at->number : cord_rod_edge_count(s->world, s->id);
    }
    for (const JsonValue* part = at->kind == JSON_ARRAY ? at->first : NULL; part; part = part->next) {
        sum += part->kind == JSON_NUMBER ? part->number * part->number : 0.0;
    }
    return sqrt(sum);
}

static const Slip* likely_slip(const Doubt* d, double value)
{
    for (int i = 0; i < MOST_SLIPS && d->slips[i].unit; i++) {
        double meant = value * d->slips[i].factor;
        if (meant >= d->likely_low && meant <= d->likely_high) {
            return &d->slips[i];
        }
    }
    return NULL;
}

static void warn(const Subject* s, const Doubt* d, const JsonValue* at, double value, double measure)
{
    Reader r = scene_reader(s->scene);
    const Slip* slip = likely_slip(d, value);
    const char* unit = d->unit ? d->unit : at->kind == JSON_OBJECT ? " elements" : "";
    const char* why = strstr(d->why, "%.") ? pool_format(r.pool, d->why, measure) : d->why;
    const char* otherwise = d->enough ? pool_format(r.pool, d->otherwise, ceil(d->enough(s))) : d->otherwise;
    bool many = at->kind == JSON_OBJECT && !d->value;
    const char* verdict = d->verdict  ? d->verdict
                          : d->enough ? many ? "are too few" : "is too few"
                                      : "cannot be meant";
    const char* is = d->noun                  ? pool_format(r.pool, "has %s of", d->noun)
                     : at->kind == JSON_ARRAY ? "has a length of"
                     : many                   ? "has"
                                              : "is";
    if (!why || !otherwise || !is) {
        return;
    }
    if (!slip) {
        reader_warning(&r, at, "%s %g%s, which %s: %s; %s", is, value, unit, verdict, why, otherwise);
    } else if (at->kind == JSON_ARRAY) {
        reader_warning(&r, at, "%s %g%s, which cannot be meant: %s; if that is in %s, multiply it by %g", is,
                       value, unit, why, slip->unit, slip->factor);
    } else {
        reader_warning(&r, at, "%s %g%s, which cannot be meant: %s; if that is in %s, write %g", is, value,
                       unit, why, slip->unit, value * slip->factor);
    }
}

static void look_at_all(const Subject* s, Kind kind, const Doubt* all, int count, Told* told)
{
    for (int i = 0; i < count; i++) {
        const Doubt* d = &all[i];
        const JsonValue* at = d->kind == kind ? d->at(s) : NULL;
        double value = !at        ? 0.0
                       : d->value ? d->value(s)
                                  : value_of(s, at),
               measure = at ? d->measure(s, value) : NAN;
        if ((measure < d->low || measure > d->high) && !was_told(told, at)) {
            warn(s, d, at, value, measure);
        }
    }
}

static void look_at(const Subject* s, Kind kind, Told* told)
{
    look_at_all(s, kind, doubts, DOUBTS, told);
    look_at_all(s, kind, load_doubts, load_doubt_count, told);
    look_at_all(s, kind, contact_doubts, contact_doubt_count, told);
}

// Finds what all rods have together.
static void measure_rods(Subject* s)
{
    const CordScene* scene = s->scene;
    for (int i = 0; i < scene->rod_count; i++) {
        const SceneRod* rod = &scene->rods[i];
        double radius = rod->def.section.radius;
        bool lies = !rod->def.intangible && rod->clamp_count + rod->joined_count == 0;
        double mass = lies ? cord_rod_stiffness(s->world, cord_world_rod(s->world, i)).mass_per_length : 0.0;
        s->thickest = real_max(s->thickest, radius);
        s->heaviest = real_max(s->heaviest, mass / radius);
    }
}

void plausible_check(CordScene* scene, const CordWorld* world)
{
    Told told = {.count = 0};
    double gravity = real_min(cord_vec3_length(scene->gravity), MOST_GRAVITY);
    Subject s = {.scene = scene, .world = world, .gravity = gravity};
    measure_rods(&s);
    look_at(&s, OF_SCENE, &told);
    for (int i = 0; i < scene->rod_count; i++) {
        s.rod = &scene->rods[i];
        s.id = cord_world_rod(world, i);
        s.length = cord_rod_length(world, s.id);
        s.stiffness = cord_rod_stiffness(world, s.id);
        look_at(&s, OF_ROD, &told);
    }
    for (int i = 0; i < scene->load_count; i++) {
        s.load = &scene->loads[i];
        s.rod = s.load->rod >= 0 ? &scene->rods[s.load->rod] : NULL;
        if (s.rod) {
            s.id = cord_world_rod(world, s.load->rod);
            s.stiffness = cord_rod_stiffness(world, s.id);
        }
        look_at(&s, OF_LOAD, &told);
    }
    for (int i = 0; i < scene->clamp_count; i++) {
        s.clamp = &scene->clamps[i];
        bool again = i > 0 && s.clamp->at == s.clamp[-1].at; // for strands, or many nodes
        if (!again && s.clamp->def.motion_count > 0) {
            s.length = cord_rod_length(world, cord_world_rod(world, s.clamp->rod));
            look_at(&s, OF_CLAMP, &told);
        }
    }
    for (int i = 0; i < scene->body_count; i++) {
        s.body = &scene->bodies[i];
        look_at(&s, OF_BODY, &told);
    }
    for (int i = 0; i < scene->obstacle_count && scene->contact.on; i++) {
        s.obstacle = &scene->obstacles[i];
        look_at(&s, OF_OBSTACLE, &told);
    }
}
