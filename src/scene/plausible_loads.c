// Values of loads, clamps and bodies that cannot be meant.
#include "base/real.h"
#include "scene/doubt.h"

#include <cordage/modal.h>

#include <math.h>

#define QUICK 1.0 // modes that are found in less are found while a scene is built, to look at loads [s]

// Values as they stand in the scene; NULL: not given, so that they cannot be a slip.

static const JsonValue* force_at(const Subject* s)
{
    return s->load->def.kind == CORD_LOAD_FORCE ? member_of(member_of(s->load->at, "force"), "force") : NULL;
}

static const JsonValue* force_or_torque_at(const Subject* s)
{
    const JsonValue* torque = member_of(member_of(s->load->at, "torque"), "torque");
    return torque ? torque : force_at(s);
}

static const JsonValue* wind_at(const Subject* s)
{
    const JsonValue *own = member_of(member_of(s->load->at, "drag"), "wind"),
                    *all = member_of(s->load->at, "wind");
    return member_of(own ? own : all, "velocity");
}

static const JsonValue* torque_at(const Subject* s)
{
    return member_of(member_of(s->load->at, "torque"), "torque");
}

static const JsonValue* gust_at(const Subject* s)
{
    const JsonValue *own = member_of(member_of(s->load->at, "drag"), "wind"),
                    *all = member_of(s->load->at, "wind");
    return number_or_null(member_of(own ? own : all, "gust"));
}

static const JsonValue* drag_at(const Subject* s)
{
    const JsonValue *drag = member_of(s->load->at, "drag"), *wind = member_of(s->load->at, "wind");
    bool along = s->load->def.along > s->load->def.across;
    return number_or_null(member_of(drag ? drag : wind, along ? "along" : "across"));
}

static const JsonValue* mass_at(const Subject* s)
{
    return number_or_null(member_of(s->body->at, "mass"));
}

// The first translation of a clamp.
static const JsonValue* shift_at(const Subject* s)
{
    const JsonValue* motions = member_of(s->clamp->at, "motion");
    const JsonValue* entry = motions ? motions->first : NULL;
    while (entry && !member_of(entry, "translate")) {
        entry = entry->next;
    }
    return member_of(member_of(entry, "translate"), "by");
}

// ---- what follows from them; NAN: nothing that could be wrong

static double stretch_by_force(const Subject* s, double force)
{
    return !s->rod || s->rod->def.inextensible ? NAN : 1.0 + force / s->stiffness.EA;
}

// What a torque does to the outer fibres of the section: their strain.
static double strain_by_torque(const Subject* s, double torque)
{
    double stiffest = real_max(s->stiffness.GJ, real_max(s->stiffness.EI1, s->stiffness.EI2));
    return s->rod ? torque * s->rod->def.section.radius / stiffest : NAN;
}

static CordVec3 shift_of(const CordClampDef* clamp) // by all its translations [m]
{
    CordVec3 sum = cord_vec3(0, 0, 0);
    for (int k = 0; k < clamp->motion_count; k++) {
        bool goes = clamp->motions[k].kind == CORD_MOTION_TRANSLATE;
        sum = goes ? cord_vec3_add(sum, clamp->motions[k].vector) : sum;
    }
    return sum;
}

// How many times its length a rod would be stretched that this clamp and another hold.
static double stretch_by_clamps(const Subject* s, double by)
{
    double most = 0.0;
    (void)by;
    for (int i = 0; i < s->scene->clamp_count && !s->clamp->def.slides; i++) {
        const SceneClamp* other = &s->scene->clamps[i];
        bool pulls = other != s->clamp && other->rod == s->clamp->rod && !other->def.slides;
        double apart = cord_vec3_distance(shift_of(&s->clamp->def), shift_of(&other->def)) / s->length;
        most = pulls ? real_max(most, apart) : most;
    }
    return most;
}

// How many times a second drag would stop the heaviest rod that it acts on.
static double stops_by_drag(const Subject* s, double drag)
{
    double mass = s->rod ? s->stiffness.mass_per_length : 0.0;
    for (int i = 0; !s->rod && i < s->scene->rod_count; i++) {
        mass = real_max(mass, cord_rod_stiffness(s->world, cord_world_rod(s->world, i)).mass_per_length);
    }
    return drag / mass;
}

static double density_of_body(const Subject* s, double mass)
{
    return mass / cord_solid_inertia(&s->body->def.solid, mass, NULL);
}

double share_of_modes(const Subject* s, double value)
{
    double share = NAN;
    bool is_modal = s->rod && s->rod->def.model == CORD_MODEL_MODAL && value > 0.0;
    CordModalCost cost = is_modal
                             ? cord_modal_cost(cord_rod_node_count(s->world, s->id),
                                               cord_rod_edge_count(s->world, s->id), s->rod->def.modal.modes)
                             : (CordModalCost){.seconds = INFINITY};
    bool known =
        cost.seconds < QUICK && (s->load ? cord_load_mode_share(s->world, s->load->id, &share)
                                         : cord_rod_weight_mode_share(s->world, s->id, &share)) == CORD_OK;
    return !known ? NAN : share < 1e-4 ? 0.0 : 100.0 * share;
}

// ---- the rows

// Of two rows about one value the first warns.
const Doubt load_doubts[] = {
    {.kind = OF_BODY,
     .at = mass_at,
     .unit = " kg",
     .measure = density_of_body,
     .low = 0.01, // a twentieth of a balloon's gas
     .high = INFINITY,
     .why = "with its size the body has a density of %.3g kg/m^3, less than any gas",
     .otherwise = "masses are in kilograms and sizes in metres"},
    {.kind = OF_CLAMP,
     .at = shift_at,
     .unit = " m",
     .measure = stretch_by_clamps,
     .high = 10.0,
     .why = "the rod would be stretched between its clamps to %.3g times its length",
     .slips = {{"millimetres", 1e-3}, {"centimetres", 1e-2}},
     .likely_high = 10.0,
     .otherwise = "displacements are in metres"},
    {.kind = OF_LOAD,
     .at = gust_at,
     .measure = value_itself,
     .high = 3.0,
     .why = "the wind would blow back harder than it blows",
     .slips = {{"per cent", 1e-2}},
     .likely_low = 0.01,
     .likely_high = 2.0,
     .otherwise = "gusts are a fraction of the wind"},
    {.kind = OF_LOAD,
     .at = drag_at,
     .unit = " N s/m^2",
     .measure = stops_by_drag,
     .high = 1e6,
     .why = "it would stop a rod %.3g times in a second",
     .otherwise = "drag is a force per length and velocity; what does not move is held by a clamp"},
    {.kind = OF_LOAD,
     .at = torque_at,
     .unit = " N m",
     .measure = strain_by_torque,
     .high = 3.0,
     .why = "it would strain the rod to %.3g times its own size",
     .slips = {{"N mm", 1e-3}, {"mN m", 1e-3}},
     .likely_high = 1e3,
     .otherwise = "torques are in newton metres"},
    {.kind = OF_LOAD,
     .at = wind_at,
     .unit = " m/s",
     .measure = value_itself,
     .high = 340.0,
     .why = "that is faster than sound",
     .slips = {{"millimetres per second", 1e-3}, {"centimetres per second", 1e-2}},
     .likely_low = 0.1,
     .likely_high = 100.0,
     .otherwise = "winds are in metres per second"},
    {.kind = OF_LOAD,
     .at = force_at,
     .unit = " N",
     .measure = stretch_by_force,
     .high = 10.0,
     .why = "it would stretch the rod to %.3g times its length",
     .slips = {{"millinewtons", 1e-3}},
     .likely_high = 1e3,
     .otherwise = "forces are in newtons"},
    {.kind = OF_LOAD,
     .at = force_or_torque_at,
     .measure = share_of_modes,
     .low = 10.0,
     .high = INFINITY,
     .verdict = "the rod's modes hardly carry",
     .why = "they have %.2g %% of the deflection that it causes along itself",
     .otherwise = "take more modes, or the model \"der\""},
};

const int load_doubt_count = (int)(sizeof load_doubts / sizeof *load_doubts);
