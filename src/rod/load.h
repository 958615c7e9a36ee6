// Loads other than gravity. A kind of load is one file, rod/load_<name>.c, with a const LoadKind at its foot.
// load.c lists the kinds in the order in which they are applied. Steps, solves and queries use these tables.
#ifndef CORD_ROD_LOAD_H
#define CORD_ROD_LOAD_H

#include "base/list.h"
#include "base/message.h"
#include "rod/centerline.h"
#include "rod/drive.h"
#include "rod/tally.h"

typedef struct Rod Rod;
typedef struct LoadKind LoadKind;

typedef struct Load {
    CordLoadDef def;
    const LoadKind* kind;
    Rod* rod; // NULL: it acts on every rod, or on a body
    int node; // the node that it acts on, or where its edge begins
    int edge; // the edge that it acts on; -1: none
    CordLoadId id;
    Link link;       // in the list of loads on every rod, or on a body
    WorkTally tally; // of the ledger
} Load;

// Where and when a load is evaluated. Over a step a spring is linear. What it is linearised about must not
// depend on where the step ends, so `from` is the node at the start of the step, and `ahead` is where its
// velocity alone would take it.
typedef struct LoadPoint {
    double time;          // [s]
    CordVec3 x;           // position of the node [m]
    CordVec3 from, ahead; // [m]
    CordVec3 edge;        // a load on an edge: the edge's vector [m]
    CordVec3 edge_from;   // likewise: the vector from which its work is counted [m]
    double turned;        // likewise: how far the edge's frame has turned since then [rad]
} LoadPoint;

// What a load does to its node. A load on an edge does this to the second node of the edge, and the opposite
// to the first.
typedef struct LoadTerms {
    CordVec3 force;   // at rest [N]
    double K[9];      // -d force / dx, x the node's position or the edge's vector; row-major [N/m]
    double damping;   // -d force / dv [N s/m]
    double torque;    // on the edge's frame, about its tangent [N m]
    CordVec3 turning; // -d torque / dx [N]
} LoadTerms;

// A load that is spread over a rod resists its velocity v relative to the wind u. Its force per length is
// -along (v - u)_t - across (v - u)_n, where t is along the rod and n across it.
typedef struct LoadFlow {
    double along, across; // [N s/m^2]
    CordVec3 wind;        // u [m/s]
    bool circulates;      // its force on a rod at rest has no potential
} LoadFlow;

// A load that pulls its node to a point.
typedef struct LoadTether {
    CordVec3 target;           // [m]
    double stiffness, damping; // [N/m], [N s/m]
    double most;               // force [N]
} LoadTether;

typedef struct LoadStep { // an explicit step, or a position-based one
    double time, h;       // [s]
    double kick;          // the time over which forces act [s]
    bool backward;        // tethers act as at its end, as everything does in a step of backward Euler
} LoadStep;

// How an explicit step takes a tether: the spring pulls from x + h (ahead v_next - behind v), and the damper
// resists damped v_next + (1 - damped) v. Where the step resolves their motion, these are the mean
// acceleration and the mean velocity, of second order and without loss of their own. Where it does not, they
// are those of its end, so that a stiff spring comes to rest, and a step of any length is stable.
typedef struct TetherShares {
    double ahead, behind, damped;
} TetherShares;

static inline TetherShares tether_shares(const LoadTether* t, double mass, const LoadStep* step)
{
    if (step->backward) {
        return (TetherShares){1.0, 0.0, 1.0};
    }
    double s = step->h * step->kick * t->stiffness / mass, r = step->kick * t->damping / mass;
    double slow = 1.0 / (1.0 + s * s), weak = 1.0 / (1.0 + r * r);
    return (TetherShares){1.0 - 0.75 * slow, 0.25 * slow, 1.0 - 0.5 * weak};
}

// When in a step of the midpoint rule a tether acts: 0 is its start, 1 its end. mass: of all that the tether
// may move [kg], however finely the rod is divided. Where the step resolves the slowest motion that they may
// have together, h^2 K / mass <= 1, the tether acts in the middle, as all else does, and nothing is lost.
// Where it does not, the tether acts towards the end: a stiff hand would else oscillate for ever.
static inline double tether_share(const LoadTether* t, double mass, double h)
{
    double s = h * h * t->stiffness / mass;
    return s <= 1.0 ? 0.5 : 1.0 - 0.5 / s;
}

enum {
    LOAD_ON_POINTS = CORD_LOAD_ON_NODE | CORD_LOAD_ON_EDGE,
    LOAD_ANYWHERE = LOAD_ON_POINTS | CORD_LOAD_ON_ROD
};

// NULL: does not apply.
struct LoadKind {
    CordLoadKindInfo info;
    // offset in the def of the vector that the caller may change: the state of the load
    size_t value;
    CordResult (*check)(const CordLoadDef* def, Message* message);
    // Called only while the load acts. `share` is load_share, or its rate.
    LoadTerms (*terms)(const Load* load, double share, const LoadPoint* at);
    // in place of terms, for loads that are distributed over rods
    LoadFlow (*flow)(const Load* load, CordVec3 x, double time);
    void (*flow_gradient)(const Load* load, CordVec3 x, double time, double G[9]); // du/dx, row-major [1/s]
    double (*energy)(const Load* load, double share, const LoadPoint* at);         // potential [J]
    LoadTether (*tether)(const Load* load, CordVec3 from, CordVec3 ahead);         // over a step
    void (*kick)(Rod* rod, const LoadStep* step, double* const v[3]); // by all loads of this kind on a rod
    double (*rate)(const Load* load); // of a force that comes and goes [rad/s]
    // on a body or rod; adds to both
    void (*wrench)(const Load* load, double share, CordVec3* force, CordVec3* torque);
};

// Field of a load that is a vector of its def.
#define LOAD_FIELD_VECTOR(field_key, field_about, field_unit)                                                \
    {                                                                                                        \
        .key = #field_key, .about = field_about, .unit = field_unit, .type = CORD_FIELD_VECTOR,              \
        .offset = offsetof(CordLoadDef, field_key), .low = -1e9, .high = 1e9, .needed = true                 \
    }

// Field of a load that grows over a ramp.
#define LOAD_FIELD_RAMP                                                                                      \
    {                                                                                                        \
        .key = "ramp", .about = "Time over which the load grows to its full size.", .unit = "s",             \
        .type = CORD_FIELD_NUMBER, .offset = offsetof(CordLoadDef, ramp), .high = 1e9                        \
    }

extern const LoadKind load_force, load_torque, load_spring, load_drag;

CordResult load_init(Load* load, Rod* rod, const CordLoadDef* def, Message* message);
CordResult load_check_torque(const Rod* rod, Message* message); // refuses rods without twisting stiffness

static inline bool load_acts(const Load* load, double time)
{
    return time_is_reached(time, load->def.from) && !time_is_reached(time, load->def.to);
}

static inline bool load_switches(const Load* load, double after, double until) // does it come or go?
{
    return time_is_between(load->def.from, after, until) || time_is_between(load->def.to, after, until);
}

static inline bool load_is_on(const Load* load, unsigned places) // CORD_LOAD_ON_...
{
    return (load->kind->info.on & places) != 0;
}

// Is its force known at the start of a step? That of a tether depends on the end of the step.
static inline bool load_is_explicit(const Load* load)
{
    return load->kind->terms && !load->kind->tether;
}

static inline CordVec3* load_value(Load* load)
{
    return (CordVec3*)((char*)&load->def + load->kind->value);
}

bool load_is_on_body(const Load* load, CordBodyId body);
double load_share(const Load* load, double time); // 0: it does not act; otherwise its ramp, up to 1
// Does it come, go, grow or vary at some time after `from` and until `to`?
bool load_changes(const Load* load, double from, double to);
void load_add_drive(const Load* load, Drive* drive);
// Force of a load on a node or an edge in the present state [N].
CordVec3 load_force_now(const Load* load, double time);
bool loads_have_tether(const Rod* rod, double time); // does a load with a tether act?

// All distributed loads at one node: -along times the velocity along t, -across times the rest of the
// velocity, plus `force` from the wind.
typedef struct NodeDrag {
    CordVec3 t;
    double along, across; // [N s/m]
    CordVec3 force;       // [N]
} NodeDrag;

LoadFlow load_flow(const Load* load, CordVec3 x,
                   double time);                   // zero for another kind of load, or one that does not act
bool loads_have_drag(const Rod* rod, double time); // does a distributed load act?
// Force of one distributed load on a node of the rod in the shape x, which moves at v [N].
CordVec3 load_flow_force(const Load* load, const Rod* rod, double* const x[3], int node, CordVec3 v,
                         double time);
NodeDrag loads_drag_at(const Rod* rod, int node, double time);

// All distributed loads at one node of a rod at rest at the positions origin + x, by slot. The force depends
// on the node's own position, through the wind, and on its tangent, which is that of `span`.
typedef struct NodeWind {
    CordVec3 force;    // [N]
    int behind, ahead; // slots of the nodes that span leads from and to
    double K_span[9];  // -d force / d span, row-major [N/m]
    double K[9];       // -d force / dx of the node itself
} NodeWind;

NodeWind loads_wind_at(const Rod* rod, int node, double* const x[3], CordVec3 origin, double time);
// Has the force on this rod at rest no potential? Torques on edges have none, nor has most wind.
bool loads_circulate(const Rod* rod, double time);

bool loads_have_torque(const Rod* rod); // is there a load on an edge, with a torque on its frame?
// Sets the torque about the tangent, by slot, of each edge with such loads [N m]. `clamps`: includes the
// torque of a clamp.
void loads_set_torques(const Rod* rod, double time, bool clamps, double* torque);

// Adds the velocity change over a step by loads on these places (CORD_LOAD_ON_...) to v. Springs are
// implicit: they leave an effective mass at their nodes until loads_restore_masses.
void loads_kick(Rod* rod, const LoadStep* step, unsigned places, double* const v[3]);
void loads_restore_masses(Rod* rod); // undoes effective masses

// Force by which drag and dampers resist the velocity v of a node [N].
CordVec3 loads_resist(const Rod* rod, int node, CordVec3 v, double time);

// Add forces in the present state to f, by node [N]: `times` the force of one load, or those of all loads.
void load_add_force(const Load* load, double time, double times, CordVec3* f);
void loads_add_forces(const Rod* rod, double time, CordVec3* f);
CordVec3 loads_force_on(const Rod* rod, int node, double time); // the same, on one node [N]
// v holds velocities by node to which the present forces were added over `lag`. This takes tethers as a step
// of that time does.
void loads_make_tethers_implicit(const Rod* rod, double time, double lag, CordVec3* v);

// load_drag.c: the wind without its vortices, and the ABC flow of the vortices.
typedef struct WindVortices {
    double wave_number; // [1/m]
    double speed;       // [m/s]
} WindVortices;

CordVec3 wind_mean(const CordWind* w, double time);
WindVortices wind_vortices(const CordWind* w);

#endif
