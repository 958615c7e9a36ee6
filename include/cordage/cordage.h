// Cordage: a simulator of thin elastic rods. This header is the simulation: worlds, rods, bodies, the step,
// and what can be asked of them, with clamps (cordage/clamp.h), loads (cordage/load.h) and frames
// (cordage/frame.h), which it includes. Contact is in cordage/contact.h, adaptive rods in cordage/adapt.h,
// equilibria in cordage/solve.h, rigid-body engines in cordage/body.h, scene files and recordings in
// cordage/io.h, shapes of bodies and obstacles in cordage/solid.h, networks of beams and their modes in
// cordage/modal.h, surfaces that go along with rods in cordage/surface.h, the ledger of energy and momentum
// in cordage/ledger.h.
//
// SI units and radians throughout, right-handed axes. Nothing here prints, exits or keeps a global: two
// worlds may run on two threads; one world is used by one thread at a time, questions included (their answers
// are kept inside it). A function that can fail returns a CordResult, and cord_world_message() says in one
// sentence what was wrong. Defs are plain values: take the default, change what matters, pass a pointer;
// everything is copied.
#ifndef CORDAGE_CORDAGE_H
#define CORDAGE_CORDAGE_H

#include <cordage/clamp.h>
#include <cordage/load.h>
#include <cordage/solid.h>
#include <cordage/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORD_VERSION_MAJOR 0
#define CORD_VERSION_MINOR 1
#define CORD_VERSION_PATCH 0

CORD_API const char* cord_version(void); // "0.1.0"

// ---- the world

// Memory. alloc returns size bytes at an address that is a multiple of align (a power of two, at most 64), or
// NULL; free gets back the size and align it was allocated with. Both may be NULL: the C library's heap is
// used.
typedef struct CordAllocator {
    void* (*alloc)(void* user, size_t size, size_t align);
    void (*free)(void* user, void* memory, size_t size, size_t align);
    void* user;
} CordAllocator;

typedef enum CordLogLevel { CORD_LOG_DEBUG, CORD_LOG_INFO, CORD_LOG_WARNING, CORD_LOG_ERROR } CordLogLevel;

typedef struct CordLog {
    void (*write)(void* user, CordLogLevel level, const char* text); // NULL: silence
    void* user;
} CordLog;

// Threads. run calls task(context, i) once for each i in [0, count), in any order and on any threads, and
// returns when all are done. NULL: run in place. Results do not depend on it.
typedef struct CordTasks {
    void (*run)(void* user, void (*task)(void* context, int index), void* context, int count);
    void* user;
} CordTasks;

CORD_API CordTasks cord_tasks_openmp(int threads); // OpenMP with that many threads; in place if built without

// A clock, if steps are to be timed phase by phase: now returns seconds from any start. NULL: nothing is
// timed.
typedef struct CordClock {
    double (*now)(void* user);
    void* user;
} CordClock;

typedef struct CordBodyEngine CordBodyEngine; // cordage/body.h
typedef struct CordModalHooks CordModalHooks; // cordage/modal.h

typedef struct CordWorldDef {
    CordVec3 gravity; // [m/s^2]
    CordAllocator allocator;
    CordLog log;
    CordTasks tasks;
    CordClock clock;
    const CordBodyEngine* engine; // what moves rigid bodies; NULL: our own, for free bodies
    void* engine_user;
    // for modal rods: another eigensolver, where modes are kept, progress; copied. NULL: none
    const CordModalHooks* modal;
} CordWorldDef;

CORD_API CordWorldDef cord_world_def_default(void); // gravity (0, 0, -9.81)
CORD_API CordResult cord_world_create(const CordWorldDef* def, CordWorld** world);
CORD_API void cord_world_destroy(CordWorld* world); // frees all the world owns; NULL is fine

// One sentence about the last call on this world that failed; "" if none has. Valid until the next call that
// fails.
CORD_API const char* cord_world_message(const CordWorld* world);

// Advances by h > 0 [s]. On any result but CORD_OK the world is as it was before the call.
CORD_API CordResult cord_world_step(CordWorld* world, double h);

// count steps of h each: the same bits as calling cord_world_step that often, and faster for many small rods.
CORD_API CordResult cord_world_step_many(CordWorld* world, double h, int count);

CORD_API double cord_world_time(const CordWorld* world);   // [s]
CORD_API int64_t cord_world_steps(const CordWorld* world); // steps since creation
// the length last asked for [s]; 0 before the first
CORD_API double cord_world_last_step(const CordWorld* world);
CORD_API int64_t cord_world_retries(const CordWorld* world);  // steps that had to be taken in halves
CORD_API CordVec3 cord_world_gravity(const CordWorld* world); // [m/s^2]
CORD_API CordResult cord_world_set_gravity(CordWorld* world, CordVec3 gravity);

// All that the next step depends on: for trial steps, checkpoints, restarts. The bytes are little-endian and
// the same on every platform, and fit a world built by the same calls in the same order.
CORD_API size_t cord_world_state_size(const CordWorld* world);
CORD_API CordResult cord_world_state_get(const CordWorld* world, void* bytes, size_t size);
CORD_API CordResult cord_world_state_set(CordWorld* world, const void* bytes, size_t size);
CORD_API uint64_t cord_world_state_hash(const CordWorld* world);

// Goes on from how another world stands, which may have been built of the same things with another model,
// other values or other numbers of elements: takes over the time, and of rods and bodies, each from the one
// of the same place in the order of creation, where they are, how they move and how they are twisted. Rods
// that have other nodes are sampled anew along their length, modal ones take the nearest shape that their
// modes have. For a world that has not stepped yet; what moved clamps and obstacles of the old one from
// outside is to be told this one as well, before. Thicker rods may overlap afterwards: cord_world_untangle.
// Refused where a rod with other nodes would lose a knot or a link that contact keeps (CORD_NOT_SUPPORTED).
// If it fails the world is of no more use.
CORD_API CordResult cord_world_carry(CordWorld* world, const CordWorld* from);

// ---- rods

typedef enum CordModel {
    CORD_MODEL_DER,   // discrete elastic rods: docs/models/der.md
    CORD_MODEL_CORDE, // Cosserat rods with quaternions: docs/models/corde.md
    CORD_MODEL_PBD,   // position-based rods: docs/models/pbd.md
    CORD_MODEL_MODAL, // beams in their modes of vibration, warped: docs/models/modal.md
    CORD_MODEL_COUNT
} CordModel;

CORD_API const char* cord_model_name(CordModel model); // "der", "corde", "pbd", "modal", or NULL

typedef enum CordIntegrator {
    CORD_INTEGRATOR_VERLET, // symplectic Euler staggered by half a kick: Stoermer-Verlet, second order
    CORD_INTEGRATOR_SYMPLECTIC_EULER, // the paper's: first order
    // Implicit: steps far beyond the explicit limit. Rods that are joined must share one integrator.
    // second order, no numerical damping: keeps momentum, and energy but for what bending turns up
    CORD_INTEGRATOR_MIDPOINT,
    CORD_INTEGRATOR_BACKWARD_EULER, // first order, damps what the step does not resolve: the robust choice
} CordIntegrator;

// How inextensible rods keep their length.
typedef enum CordLengthMethod {
    CORD_LENGTH_RATTLE,          // keeps energy: no drift over long runs
    CORD_LENGTH_FAST_PROJECTION, // the paper's: loses energy
} CordLengthMethod;

// A curve, sampled into nodes at equal arc length when the rod is made; points and polyline without elements
// keep the vertices given. Arrays are borrowed until the call that takes the def returns.
typedef enum CordShapeKind {
    CORD_SHAPE_POINTS,   // the nodes themselves
    CORD_SHAPE_LINE,     // from p to q
    CORD_SHAPE_POLYLINE, // through the points, resampled
    CORD_SHAPE_SPLINE,   // Catmull-Rom (centripetal) through the points
    // centre p, half-axes a and b along axis1 and axis2; an arc if the angles leave less than a turn
    CORD_SHAPE_ELLIPSE,
    CORD_SHAPE_HELIX, // around axis1 from p, starting along axis2: radius a, pitch b, turns
    // centre p, axis1: winds `knot_p` times around the axis and `knot_q` times through the hole, on a torus
    // of radii a and b
    CORD_SHAPE_TORUS_KNOT,
    // a rope of the knot of a name, drawn in the plane of axis1 and axis2: centre p, width a along axis1,
    // tails b
    CORD_SHAPE_KNOT,
    // any graph: the points are its nodes, and `ends` says which of them an edge joins. Modal rods alone
    CORD_SHAPE_NETWORK,
} CordShapeKind;

typedef struct CordShape {
    CordShapeKind kind;
    int node_count; // nodes after sampling; a closed rod does not repeat its first node
    CordVec3 p, q;
    CordVec3 axis1, axis2;       // need not be unit or orthogonal; axis2 is made orthogonal to axis1
    double a, b;                 // [m]
    double turns;                // helix; its sign is the handedness (+ right-handed)
    double angle_from, angle_to; // ellipse [rad]
    int knot_p, knot_q;
    const char* knot_name;
    int knot_strand;        // which of its ropes: 0, 1 ...
    bool knot_mirrored;     // what passes over passes under
    const CordVec3* points; // [m] (point_count)
    int point_count;
    const int* ends; // network: the two nodes of each edge (2 edge_count)
    int edge_count;  // likewise
} CordShape;

CORD_API CordShape cord_shape_points(const CordVec3* points, int point_count);
CORD_API CordShape cord_shape_line(CordVec3 from, CordVec3 to, int node_count);
CORD_API CordShape cord_shape_polyline(const CordVec3* points, int point_count, int node_count);
CORD_API CordShape cord_shape_spline(const CordVec3* points, int point_count, int node_count);
// closed
CORD_API CordShape cord_shape_circle(CordVec3 center, CordVec3 normal, double radius, int node_count);
CORD_API CordShape cord_shape_ellipse(CordVec3 center, CordVec3 axis1, CordVec3 axis2, double a, double b,
                                      int node_count);
CORD_API CordShape cord_shape_helix(CordVec3 start_center, CordVec3 axis, double radius, double pitch,
                                    double turns, int node_count);
CORD_API CordShape cord_shape_torus_knot(CordVec3 center, CordVec3 axis, int p, int q, double a, double b,
                                         int node_count);
CORD_API CordShape cord_shape_network(const CordVec3* nodes, int node_count, const int* ends, int edge_count);
CORD_API CordShape cord_shape_knot(const char* name, int strand, CordVec3 center, double size, double tails,
                                   int node_count); // in the plane of x and y

// The knots there are: docs/scene.md says what each is. They are made from drawings, with heights for what
// passes over and under, and are loose: pull them tight. They scale with their size, the width of the drawing
// without the tails. A rod of so few nodes that its knot comes undone is refused.
CORD_API int cord_knot_count(void);
CORD_API const char* cord_knot_name(int index);               // "overhand", ...; NULL if out of range
CORD_API int cord_knot_strands(const char* name);             // ropes it is tied in; 0: there is no such knot
CORD_API bool cord_knot_closed(const char* name, int strand); // is that rope a ring?
// the largest radius that its ropes may have [m]
CORD_API double cord_knot_clearance(const char* name, double size);
// radius of the pole that it is tied around, along axis2 [m]; 0: none
CORD_API double cord_knot_pole(const char* name, double size);

// The geometry of a cross-section. I1 and I2 are for bending about m1 and m2; J is the Saint-Venant torsion
// constant.
typedef struct CordSection {
    double area;   // [m^2]
    double I1, I2; // [m^4]
    double J;      // [m^4]
    double radius; // of the tube used for contact and pictures [m]
} CordSection;

CORD_API CordSection cord_section_disc(double radius);
CORD_API CordSection cord_section_tube(double outer_radius, double inner_radius);
CORD_API CordSection cord_section_ellipse(double half1, double half2);     // half-axes along m1 and m2
CORD_API CordSection cord_section_rectangle(double width1, double width2); // full widths along m1 and m2
// height along m1
CORD_API CordSection cord_section_h(double height, double width, double web, double flange);

typedef struct CordMaterial {
    double young;           // E [Pa]
    double poisson;         // nu
    double density;         // [kg/m^3]
    double friction;        // static Coulomb coefficient against itself
    double friction_across; // across the rod, as a multiple of that along it: snakes, laid ropes
    // of what slides, at most `friction`; NAN: the same as `friction`
    double friction_kinetic;
    // against sliding backwards, from the rod's end to its start, as a multiple of that forwards: scales,
    // hair
    double friction_backward;
    // Share of the speed with which surfaces part that approached each other, 0 to 1. Of two materials, the
    // larger one counts.
    double restitution;
    // Resistance to rolling and to spinning about the normal: the largest couple of a contact, over its
    // normal force [m]. Of two materials, the larger one counts.
    double rolling_friction, spinning_friction;
    // resists the rate of strain as E resists strain (Kelvin-Voigt) [Pa s]; damps no rigid motion
    double viscosity;
    // Moduli that override E and G for one kind of deformation; NAN: not set. A rope of strands bends far
    // more easily than a bar of the same E.
    double bend_modulus, twist_modulus, stretch_modulus; // [Pa]
} CordMaterial;

// young 1e9, poisson 0.35, density 1000, friction 0.3, alike in all directions, at rest and sliding; no
// restitution and no resistance to rolling and spinning
CORD_API CordMaterial cord_material_default(void);

// What the models use. A field that is NAN comes from material and section.
typedef struct CordStiffness {
    double EI1, EI2;        // bending about m1, m2 [N m^2]
    double GJ;              // twisting [N m^2]
    double EA;              // stretching [N]
    double mass_per_length; // [kg/m]
    double EI12; // couples the two bendings: not zero if m1, m2 are not the section's principal axes [N m^2]
    double spin_inertia; // about the tangent, per length: density (I1 + I2) [kg m]
    // about m1 and m2, per length: density I1 and I2 [kg m]; corde alone has use for them
    double rotary1, rotary2;
} CordStiffness;

CORD_API CordStiffness cord_stiffness_unset(void); // every field NAN
CORD_API CordStiffness cord_stiffness_from(const CordMaterial* material, const CordSection* section);

// The retardation time [s] that damps a vibration of `frequency` [Hz] with `ratio` of critical damping.
// Damping by a retardation time grows with frequency, as that of a Kelvin-Voigt solid does: ratio = pi
// frequency time.
CORD_API double cord_damping_time(double ratio, double frequency);

typedef enum CordRest {
    CORD_REST_AS_SHAPED, // the initial shape is free of stress
    CORD_REST_STRAIGHT,  // straight, with the initial shape's edge lengths
    CORD_REST_SHAPE,     // a shape of its own, with as many nodes; its edge lengths are the rest lengths
} CordRest;

// How the quaternions of an explicit corde rod are stepped.
typedef enum CordOrientations {
    // in equilibrium at the new positions, at all times: the centreline alone limits the step
    CORD_ORIENTATIONS_QUASISTATIC,
    // with their inertia, which limits the step; with the integrator SYMPLECTIC_EULER as the paper has it,
    // (40) to (42)
    CORD_ORIENTATIONS_EXPLICIT,
} CordOrientations;

// What explicit corde rods have beside the rest. Those with an implicit integrator, and static solves, hold
// the directors to the tangents exactly and need no penalty.
typedef struct CordCordeDef {
    CordOrientations orientations;
    // kappa, which keeps the third director on the tangent [N]; NAN: from the bending stiffness, edge by edge
    double penalty;
    // Internal friction, eqs. (28) and (30): gamma_t [N s] and gamma_r [N m^2 s]; NAN: from the retardation
    // time, as of every other model.
    double friction_stretch, friction_turn;
    // A turn phi between neighbours is measured as (2/l) sin(phi/2), as eq. (25) is printed, and not as (4/l)
    // tan(phi/4).
    bool printed_strain;
} CordCordeDef;

// How a position-based rod takes its steps. Those with an implicit integrator take them by Newton's method,
// as implicit rods of every model do.
typedef enum CordPbdSolver {
    // in physical units: EI, GJ and EA, whatever the step and, once there are enough, the iterations
    CORD_PBD_XPBD,
    // the paper's Algorithm 1: points, ghost points, and weights that mean something else at every step and
    // number of iterations
    CORD_PBD_PBD,
} CordPbdSolver;

typedef enum CordPbdMethod { // xpbd
    CORD_PBD_DIRECT,         // all constraints of a rod at once: linear cost, a few iterations
    CORD_PBD_SWEEPS,         // one after the other (Gauss-Seidel)
} CordPbdMethod;

typedef enum CordPbdOrder { // of constraints in a sweep
    CORD_PBD_NATURAL,       // along the rod
    CORD_PBD_BILATERAL,     // from both ends to the middle, in turn
    CORD_PBD_INTERLEAVED,   // every other one along the rod, and then those between
} CordPbdOrder;

typedef enum CordPbdGravity {  // on ghost points, pbd
    CORD_PBD_GRAVITY_MODIFIED, // the paper's: as much as the edge is falling, the rest to its ends
    CORD_PBD_GRAVITY_FULL,     // hanging rods bend
    CORD_PBD_GRAVITY_NONE,     // falling rods spin
} CordPbdGravity;

typedef struct CordPbdDef {
    CordPbdSolver solver;
    CordPbdMethod method;
    CordPbdOrder order;
    CordPbdGravity gravity;
    int substeps;   // that a step is taken in
    int iterations; // in each: sweeps, or at the most if direct; 0: 20 sweeps, or 24 if direct
    // direct: no more iterations after one that moves no node by more than this share of the mean edge
    double tolerance;
    // pbd: shares of what constraints are off by that one sweep puts right, 0 to 1: bending about m1 and m2,
    // twist; length of edges.
    double weight_bend1, weight_bend2, weight_twist, weight_stretch;
    double ghost_mass;   // pbd: share of an edge's mass that its ghost point has
    double ghost_length; // pbd: distance of the ghost point from its edge, over the rest length of that
    // pbd: share of what velocities differ from those of a rigid rod that a substep takes away
    double damping;
} CordPbdDef;

// A structure with nothing to hold it, or too little, has motions that no stiffness resists.
typedef enum CordRigid {
    CORD_RIGID_REFUSE, // such a structure is an error, which names the motions
    CORD_RIGID_REMOVE, // they are left out: it vibrates where it is, and nothing carries it away
} CordRigid;

// Modal rods: linear beams in the m lowest modes of vibration about their rest shape, warped so that large
// turns do not stretch them. See cordage/modal.h and docs/models/modal.md. Damping: C = mass_damping M +
// damping_time K (Rayleigh), and a ratio of critical damping for every mode, or each.
typedef struct CordModalDef {
    int modes;            // m, as many at the least: modes of the same frequency are kept together
    double mass_damping;  // [1/s]
    double damping_ratio; // of every mode, on top of Rayleigh's
    // of the lowest modes, one by one, instead of damping_ratio (damping_ratio_count); NULL: none
    const double* damping_ratios;
    int damping_ratio_count;
    bool linear; // without warping: small deformations alone
    CordRigid rigid;
} CordModalDef;

// Where an adaptive rod puts a node that it takes in.
typedef enum CordPlacement {
    // where the energy of the elements around it is least, with a neighbour moved, too
    CORD_PLACEMENT_MINIMUM,
    CORD_PLACEMENT_MIDPOINT, // in the middle of the element, and no neighbour moves: for comparison
} CordPlacement;

// A rod that takes in nodes where it bends and where it is touched, and gives them up again: cordage/adapt.h,
// docs/adapt.md. An element, as the rod was made with it, is halved, and its halves again; neighbours that
// were one become one.
typedef struct CordAdaptDef {
    bool on;
    double refine_turn; // an element that turns by more is halved [rad]
    double merge_turn;  // two halves each of which turns by less may become one [rad]
    bool by_contact;    // an element that is touched in both its halves is halved
    double merge_time;  // for which halves must have been there, and free of contact, to become one [s]
    double shortest;    // element over what it is part of: 1, 1/2, 1/4, ... 1/64
    double longest;     // 1, or 2, 4, ... 64: so many elements that the rod was made with may become one
    CordPlacement placement;
    int iterations; // of the search for the least energy, at the most
    double blend;   // time in which pictures go from the rod's skin before a change to that after it [s]
} CordAdaptDef;

// A stretch of a rod with another surface, such as a grip of rubber or a waxed end.
typedef struct CordSurfaceStretch {
    double from, to; // rest length from the rod's start [m]
    // its coefficients of friction, and no other property, are those of this stretch
    CordMaterial material;
    int surface; // for coefficients of friction between pairs
} CordSurfaceStretch;

typedef struct CordRodDef {
    const char* name; // for messages and recordings; NULL: "rod1", "rod2", ...
    CordModel model;
    CordIntegrator integrator;
    bool inextensible;
    CordLengthMethod length_method;
    CordMaterial material;
    CordSection section;
    CordStiffness stiffness; // overrides; NAN: from material and section
    CordShape shape;
    bool closed;
    CordRest rest;
    CordShape rest_shape; // for CORD_REST_SHAPE
    // Sections that vary along the rod: one for each edge of the sampled shape, or NULL. Stiffnesses given
    // here override edge by edge, those above for the whole rod.
    const CordSection* sections;      // (along_count)
    const CordStiffness* stiffnesses; // (along_count)
    int along_count;                  // must be the number of edges
    // The material axis m1. On the first edge it is `m1`, made orthogonal to the tangent, and from there it
    // is carried along without twist; zero: any direction will do. Or `m1_along`, one for each edge. `twist`
    // comes on top.
    CordVec3 m1;
    const CordVec3* m1_along; // (along_count), or NULL
    CordVec3 rest_m1; // likewise in the rest shape; zero: as `m1`, or if that is zero, carried over from the
                      // first edge of the shape without twist
    // uniform, from the first edge to the last or once around, in the stress-free state [rad]; a rod that is
    // to begin without stress has the same `twist`
    double rest_twist;
    // Retardation time: viscous stiffnesses are this times the elastic ones [s]; NAN: from the viscosity.
    // Explicit integrators are of first order in it.
    double damping_time;
    bool dynamic_twist; // frames turn with their own inertia, instead of being in equilibrium at all times
    // Implicit integrators: the error of position that a step should make at the most, as a share of the
    // rod's length. The step advice follows it.
    double step_error;
    // Initial uniform twist from the first edge to the last, or around a ring [rad]. Free ends untwist in the
    // first step: an open rod keeps it if clamps of the frame have taken hold of both ends by then.
    double twist;
    CordVec3 velocity; // initial velocity of every node [m/s]
    // initial angular velocity about the rod's centre of mass, and of frames with inertia [rad/s]
    CordVec3 spin;
    // A clamp of direction or frame acts at the middle of its edge. With these, sampling makes the first
    // (last) edge half as long and the clamp acts at the very end: set them for an end that will be clamped
    // so. See docs/models/der.md.
    bool half_edge_start, half_edge_end;
    bool intangible; // touches nothing: see cordage/contact.h
    int surface;     // for coefficients of friction between pairs
    // Where stretches overlap, the last one counts. NULL: the surface is the same all along.
    const CordSurfaceStretch* stretches; // (stretch_count); copied
    int stretch_count;
    CordCordeDef corde; // other models leave it alone
    CordPbdDef pbd;     // likewise
    CordModalDef modal; // likewise
    CordAdaptDef adapt;
} CordRodDef;

CORD_API CordRodDef cord_rod_def_default(void);
CORD_API CordResult cord_rod_create(CordWorld* world, const CordRodDef* def, CordRodId* rod);
CORD_API CordResult cord_rod_destroy(CordWorld* world, CordRodId rod); // and its clamps, loads and probes

CORD_API int cord_world_rod_count(const CordWorld* world);
// in order of creation; null if out of range
CORD_API CordRodId cord_world_rod(const CordWorld* world, int index);

// Queries on an id that is not valid return 0, NULL or false.
CORD_API const char* cord_rod_name(const CordWorld* world, CordRodId rod);
CORD_API int cord_rod_node_count(const CordWorld* world, CordRodId rod);
CORD_API int cord_rod_edge_count(const CordWorld* world, CordRodId rod);
CORD_API double cord_rod_length(const CordWorld* world, CordRodId rod); // rest length [m]
// lumped [kg] (nodes)
CORD_API CordResult cord_rod_masses(const CordWorld* world, CordRodId rod, double* mass);
CORD_API double cord_rod_mass(const CordWorld* world, CordRodId rod); // [kg]
CORD_API CordStiffness cord_rod_stiffness(const CordWorld* world, CordRodId rod);

// Arrays go by node or edge, in order. Velocities read are at the time of the positions and obey the length
// constraints.
CORD_API CordResult cord_rod_positions(const CordWorld* world, CordRodId rod, CordVec3* x);  // [m]   (nodes)
CORD_API CordResult cord_rod_velocities(const CordWorld* world, CordRodId rod, CordVec3* v); // [m/s] (nodes)
// twist is carried along
CORD_API CordResult cord_rod_set_positions(CordWorld* world, CordRodId rod, const CordVec3* x);
CORD_API CordResult cord_rod_set_velocities(CordWorld* world, CordRodId rod, const CordVec3* v);
CORD_API CordResult cord_rod_material_frames(const CordWorld* world, CordRodId rod, CordVec3* m1); // (edges)
// elastic [N] (nodes)
CORD_API CordResult cord_rod_forces(const CordWorld* world, CordRodId rod, CordVec3* f);
// These count viscous forces in, where a rod is damped, with the rates at which the last step strained it.
// [N]   (edges)
CORD_API CordResult cord_rod_tensions(const CordWorld* world, CordRodId rod, double* tension);
CORD_API CordResult cord_rod_moments(const CordWorld* world, CordRodId rod,
                                     // bending and twist, passed on at the node [N m] (nodes)
                                     CordVec3* moment);
// The whole force in a section: what the part after it does to the part before. Its component along the
// tangent is the tension, the rest is shear. [N] (edges)
CORD_API CordResult cord_rod_section_forces(const CordWorld* world, CordRodId rod, CordVec3* force);

typedef struct CordEnergy {
    double kinetic, bend, twist, stretch, gravity; // [J]; gravity is zero at the origin
} CordEnergy;

typedef struct CordMomentum {
    CordVec3 linear;  // [kg m/s]
    CordVec3 angular; // about the origin [kg m^2/s]
    CordVec3 center;  // centre of mass [m]
} CordMomentum;

CORD_API CordEnergy cord_rod_energy(const CordWorld* world, CordRodId rod);
CORD_API CordMomentum cord_rod_momentum(const CordWorld* world, CordRodId rod);
// the largest relative change of length; that of a held edge is shared by its neighbours (docs/models/der.md)
CORD_API double cord_rod_stretch(const CordWorld* world, CordRodId rod);
CORD_API double cord_rod_twist(const CordWorld* world,
                               // of the material frames, from end to end or once around [turns]
                               CordRodId rod);
// Writhe of the polygon, exact. An open one goes on straight along its end edges, to infinity. [turns]
CORD_API double cord_rod_writhe(const CordWorld* world, CordRodId rod);
// Twist + writhe [turns]. It changes only as the frames at the ends turn, or where the rod or its tails pass
// through each other, if the rod is closed, or if its end edges keep to one direction. If they do not, it
// also changes with the direction of the ends.
CORD_API double cord_rod_link(const CordWorld* world, CordRodId rod);

// The same on bare polygons. Twist sums the angle from each material frame to the next, less the parallel
// transport between them, up to half a turn each; closed polygons include the last edge. Linking number of
// two closed polygons. [turns]
CORD_API double cord_polygon_twist(const CordVec3* x, int node_count, bool closed, const CordVec3* m1);
// Of its own edges. [turns]
CORD_API double cord_polygon_writhe(const CordVec3* x, int node_count, bool closed);
// Of a rod: an open polygon goes on straight along its end edges, to infinity. [turns]
CORD_API double cord_polygon_tailed_writhe(const CordVec3* x, int node_count, bool closed);
CORD_API double cord_polygon_link(const CordVec3* x, int x_count, const CordVec3* y, int y_count); // [turns]

// ---- rigid bodies

typedef struct CordBodyDef {
    const char* name; // NULL: "body1", "body2", ...
    // for pictures, contact, and mass and inertia where these are not given; no plane, torus, tube or mesh
    CordSolid solid;
    double mass;    // [kg]; NAN: from density
    double density; // [kg/m^3]
    // xx yy zz xy xz yz, in the body's axes about its centre [kg m^2]; NAN in the first: from the shape
    double inertia[6];
    CordVec3 position; // of the centre of mass [m]
    CordQuat rotation;
    CordVec3 velocity;                          // [m/s]
    CordVec3 spin;                              // [rad/s], in space
    double friction;                            // against itself, as a material's
    double friction_kinetic;                    // likewise; NAN: the same as `friction`
    double restitution;                         // likewise
    double rolling_friction, spinning_friction; // likewise [m]
    int surface;                                // for coefficients of friction between pairs
    bool intangible;                            // no rod touches it
} CordBodyDef;

// a sphere of 1 cm radius and 1000 kg/m^3 at rest at the origin
CORD_API CordBodyDef cord_body_def_default(void);
CORD_API CordResult cord_body_create(CordWorld* world, const CordBodyDef* def, CordBodyId* body);
CORD_API CordResult cord_body_destroy(CordWorld* world, CordBodyId body); // and its welds
CORD_API int cord_world_body_count(const CordWorld* world);
CORD_API CordBodyId cord_world_body(const CordWorld* world, int index); // in order of creation
CORD_API const char* cord_body_name(const CordWorld* world, CordBodyId body);
CORD_API CordResult cord_body_pose(const CordWorld* world, CordBodyId body, CordVec3* position,
                                   CordQuat* rotation);
CORD_API CordResult cord_body_velocity(const CordWorld* world, CordBodyId body, CordVec3* velocity,
                                       CordVec3* spin);
CORD_API CordResult cord_body_set_velocity(CordWorld* world, CordBodyId body, CordVec3 velocity,
                                           CordVec3 spin);
CORD_API CordResult cord_body_push(CordWorld* world, CordBodyId body, CordVec3 force,
                                   CordVec3 torque); // during the next step [N], [N m]
CORD_API CordEnergy cord_body_energy(const CordWorld* world, CordBodyId body); // kinetic and gravity
CORD_API CordMomentum cord_body_momentum(const CordWorld* world, CordBodyId body);

// A weld: the body carries an edge of a rod (or a node), and the rod pulls and turns the body. They keep the
// relative pose in which they are when the weld is made. An edge takes one weld or one clamp.
typedef struct CordWeldDef {
    CordRodId rod;
    CordPlace at;
    // frame: the edge as a whole; direction: it may spin about itself; position: a node alone, as a ball
    // joint
    CordFix fix;
    CordBodyId body;
} CordWeldDef;

CORD_API CordWeldDef cord_weld_def_default(void); // the frame, at the end
CORD_API CordResult cord_weld_create(CordWorld* world, const CordWeldDef* def, CordWeldId* weld);
CORD_API CordResult cord_weld_destroy(CordWorld* world, CordWeldId weld);
CORD_API int cord_world_weld_count(const CordWorld* world);
CORD_API CordWeldId cord_world_weld(const CordWorld* world, int index);
CORD_API CordResult cord_weld_reaction(const CordWorld* world, CordWeldId weld, CordVec3* force,
                                       CordVec3* torque); // of the rod on the body, about the welded point

// A joint of rods with each other, without a body to be seen: their mass at the joint is shared.
typedef enum CordJointKind {
    CORD_JOINT_WELD, // edges keep their angles to each other
    CORD_JOINT_PIN,  // nodes stay together, edges turn freely
} CordJointKind;

#define CORD_JOINT_MOST 16 // rods at one joint

typedef struct CordJointDef {
    const char* name; // NULL: "joint1", ...
    CordJointKind kind;
    int count; // 2 to CORD_JOINT_MOST
    CordRodId rods[CORD_JOINT_MOST];
    CordPlace at[CORD_JOINT_MOST];
} CordJointDef;

CORD_API CordJointDef cord_joint_def_default(void); // a weld of no rods yet
// destroyed as a body is
CORD_API CordResult cord_joint_create(CordWorld* world, const CordJointDef* def, CordBodyId* joint);

// ---- the time step

typedef enum CordStepLimit {
    CORD_LIMIT_NONE,    // nothing oscillates: any step will do
    CORD_LIMIT_STRETCH, // sound along the rod
    CORD_LIMIT_BEND,    // the shortest bending wave
    CORD_LIMIT_TENSION, // the shortest wave of a taut string
    CORD_LIMIT_MOTION,  // an edge that turns or stretches fast: not stability, but accuracy
    CORD_LIMIT_TWIST,   // torsional waves, where frames have inertia, or a body that a rod turns
    CORD_LIMIT_ERROR,   // implicit steps: the error of a step
    CORD_LIMIT_DAMPING, // internal damping, which shortens the step to less than half of what waves allow
    CORD_LIMIT_PENALTY, // corde with explicit orientations: the penalty that keeps them on the tangents
    CORD_LIMIT_TURN,    // likewise: bending, which turns them
} CordStepLimit;

typedef struct CordStepAdvice {
    // longest step that is stable in the present state, and changes no edge vector by more than a tenth of
    // its length, by rotation or by stretching [s]; INFINITY if any is
    double step;
    double change_time; // in which an edge, at its present rate, would stretch by its length or turn by 4 rad
                        // [s]
    double
        drive; // longest step that follows what drives the rods: motions of clamps and obstacles, loads
               // that come and go, gusts and vortices, also if they begin within it [s]; INFINITY: any does
    double event; // when a clamp next lets go, or a motion or a load begins, changes its velocity or ends,
                  // and all of this may change at once [s]; INFINITY: never
    double jump;  // when a load next comes or goes, or a clamp lets go: a step that ends there has all of
                  // what acts before, and nothing of what acts after [s]; INFINITY: never
    double frequency;    // the highest frequency: an upper bound to 0.2 %, sharp for straight rods [Hz]
    CordStepLimit limit; // what sets it
    CordRodId rod;       // where
    int node;
} CordStepAdvice;

CORD_API const char* cord_step_limit_name(CordStepLimit limit); // "stretching waves", ...
CORD_API CordStepAdvice cord_world_step_advice(const CordWorld* world);

// What whoever chooses the steps remembers of the advice. The world only keeps it, with its state, so that a
// run that is resumed takes the same steps. The hash of the state leaves it out. Steps count from creation.
typedef struct CordAdviceMemory {
    int64_t due;   // the number of steps after which the advice is read again
    int64_t since; // the number of steps after which `least` began
    double least;  // the shortest step that was advised since then [s]
} CordAdviceMemory;

CORD_API CordAdviceMemory cord_world_advice_memory(const CordWorld* world);
CORD_API void cord_world_set_advice_memory(CordWorld* world, CordAdviceMemory memory);

// Of a corde rod with explicit orientations: the largest penalty, the same on every edge, with which a step
// of h would be stable [N]; 0: there is none, since something else is too fast for it, or the rod has no
// penalty that limits its step.
CORD_API double cord_rod_penalty_limit(const CordWorld* world, CordRodId rod, double h);

// What the implicit steps did: of the last one, and in all.
typedef struct CordStepReport {
    // of Newton's method, in the last step: the most of any rod; the sum, where it was taken in halves
    int iterations;
    double error;              // estimated error of the positions in the last step [m]
    int64_t iterations_in_all; // of all rods, in steps that failed, too; those that are joined count as one
    int64_t factorings_in_all; // fewer: one matrix may serve several iterations
    // position-based rods whose iterations ran out in the last step: stable, but not where they belong yet
    int unfinished;
    int64_t unfinished_in_all; // the sum of these over all steps
} CordStepReport;

CORD_API CordStepReport cord_world_step_report(const CordWorld* world);

// Where the time of all steps so far went, by the world's clock [s]. Rods on several threads add up.
typedef struct CordStepTimes {
    double forces;   // of explicit rods, and the step of their velocities
    double lengths;  // projection: inextensible rods, and whatever welds join
    double frames;   // material frames follow the centreline
    double bodies;   // the engine
    double implicit; // Newton's method of implicit rods, with their frames, welds and contacts
    double contact;  // of explicit rods
    double adapt;    // nodes that adaptive rods take in and give up, and what decides about them
} CordStepTimes;

CORD_API CordStepTimes cord_world_step_times(const CordWorld* world); // zeros without a clock

#ifdef __cplusplus
}
#endif

#include <cordage/frame.h> // what leaves the simulation

#endif
