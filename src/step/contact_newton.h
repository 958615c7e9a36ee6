// Contacts inside Newton's method, for implicit steps and equilibria: non-penetration and Coulomb friction
// hold exactly at the end of the step.
//
// At each iterate the step and the gaps are linearised, A d = r + J' f, and the contact forces f are found
// together with the Newton step d:
//
//   0 <= f_n  _|_  gap + n.(J d) >= 0,    |f_t| <= mu f_n,    sliding: f_t = -mu f_n u_t / |u_t|
//
// where u_t is the tangential motion of the whole step. A proximal term 1/rho makes the forces unique where
// contacts are redundant: it adds (f - f') / rho to the motion J d, with the forces f' of the iterate before,
// and vanishes as the iterates converge (augmented Lagrangian).
//
// Semismooth Newton iterations solve for f (Alart and Curnier 1991), with the natural map f = P(f - v / w)
// onto the friction cone. Each of them is one sparse matrix A + J' C J of all rods and bodies, with an
// unsymmetric block C for each contact. Near the solution the matrix has the second derivatives of contacts
// (contact_newton_curvature.c). Where the iterations do not settle, the proximal term grows; if that does not
// help, friction gets fixed limits (Tresca's law) for a while: that problem is convex where friction is
// isotropic, and a line search goes down its potential.
//
// Far from the solution contacts open and close in every iterate. There the law is smoothed, so that forces
// rise over a part of the radius, which shrinks to 0 as the iterates converge, and the matrix holds the rods
// by more than their inertia.
#ifndef CORD_STEP_CONTACT_NEWTON_H
#define CORD_STEP_CONTACT_NEWTON_H

#include "contact/surface_law.h"
#include "contact/warm_start.h"
#include "step/angular_momentum.h"
#include "step/contact_newton_sparse.h"

typedef struct ContactNewtonRod { // a rod of the colliders, in its Newton system
    NewtonSystem* sys;
    NewtonRod* rod;
} ContactNewtonRod;

typedef struct ContactNewtonBody { // a solid of the colliders that belongs to a body
    int solid;
    NewtonBody* body;     // in a Newton system, or `free_body`
    NewtonBody free_body; // a body without welds has its own unknowns here
    bool is_free;
    CordVec3 origin; // of the body's system: its pose is relative to it [m]
} ContactNewtonBody;

typedef enum ContactGrip { // of friction, in a solve for an equilibrium
    GRIP_COULOMB,
    GRIP_OFF,   // no friction
    GRIP_FROZEN // contacts in `stuck` do not slip whatever their force is; the others have no friction
} ContactGrip;

typedef enum ContactState { CONTACT_OPEN, CONTACT_STICKS, CONTACT_SLIDES } ContactState;

typedef struct NewtonContactPoint { // the law of one contact point, linearised at the iterate
    double w;                       // compliance of what it pushes, about [m/N]
    double rho;                     // 1 / proximal term [N/m]; see ContactNewton.ease
    double compliance;              // of an obstacle that gives way [m/N]; 0: rigid
    double gap;                     // at the iterate, less the overlap at the start of the step [m]
    CordVec3 slip;                  // tangential motion from the start of the step to the iterate [m]
    double normal_before;           // forces of the iterate before [N]
    CordVec3 friction_before;
    CoulombPoint law;  // with the compliance of the nodes
    double f[3], v[3]; // force and motion in its axes, as solved for so far; see coulomb.h
    double f_next[3], v_next[3];
    double f_kept[3], v_kept[3];
    CordVec3 u_kept;
    CordVec3 u;     // J d: motion of the surfaces by the Newton step d [m]
    CordVec3 force; // on a at the end of the iteration, within the friction cone [N]
    CordVec3 g;     // constant part of the linearised force: g - C u [N]
    double C[9];    // -df/du [N/m]
    ContactState state;
    bool pushes; // normally or by friction
    bool active; // in an equilibrium: it is held (contact_statics.h)
} NewtonContactPoint;

// The couple of a contact against rolling and spinning, beyond that of its friction force, with the fields
// that NewtonContactPoint has for the force. See contact_newton_couple.c.
typedef struct NewtonCouple {
    double rolling, spinning; // largest couples over the normal force [m]; both 0: there is none
    double w, weight; // of the projection, about the compliance of what turns [1/(N m)]; its usual one
    double rho;       // 1 / proximal term [N m]
    TurningAxes axes;
    CordVec3 turn;     // of surface a relative to b from the start of the step to the iterate [rad]
    CordVec3 before;   // of the iterate before [N m]
    double f[3], v[3]; // couple and turn in those axes, as solved for so far
    double f_next[3], v_next[3];
    double f_kept[3], v_kept[3];
    CordVec3 u, u_kept; // turn by the Newton step d [rad]
    CordVec3 couple;    // on a at the end of the iteration, within its limits [N m]
    CordVec3 g;  // constant part of the linearised couple: g - C u - D times the motion of the surfaces
    double C[9]; // [N m]
    double D[9]; // at its limits it follows the normal force [N]
    bool pushes, follows;
} NewtonCouple;

struct ContactNewton {
    Colliders colliders;
    ContactPoints contacts;     // at the current iterate
    NewtonContactPoint* points; // (contacts.count)
    int point_capacity;
    NewtonCouple* couples; // (contacts.count), if surfaces.rolls
    int couple_capacity;
    WarmStarts warm; // forces at the end of the last step
    WarmStarts last; // forces of the last iterate
    ContactLaw law;
    // At which sagittas are measured anew; the positions that were found with the last one; and what the last
    // one lacked of them (3 colliders.node_count).
    CordVec3* shapes;
    int shape_capacity;
    SurfaceLaws surfaces;
    ContactGrip grip;
    WarmStarts stuck; // with GRIP_FROZEN, by their keys
    double tolerance; // largest overlap, over the radius
    double left;      // deepest overlap that the last step left, likewise: the next one may start with it
    // In a solve for an equilibrium: loads of the world, which push bodies together with their weight. NULL:
    // bodies have already moved by them in the step.
    const Slots* loads;
    Memory* memory;
    NewtonSystem* systems; // (system_count)
    int system_count;
    ContactNewtonRod* rods; // (colliders.rod_count)
    int rod_capacity;
    Body** solid_bodies; // owner of each solid; NULL: an obstacle (colliders.solid_count)
    int solid_capacity;
    ContactNewtonBody* bodies; // (body_count)
    int body_count, body_capacity;
    ContactIsland* islands; // of the systems, then of the bodies (system_count + body_count)
    int island_capacity;
    double mass; // factor of the masses in the equations, 1/h^2 [1/s^2]
    DofVector force, move;
    size_t force_size, move_size;
    SparseSystem sparse;
    CordVec3* step; // the last Newton step of the nodes (colliders.node_count)
    int step_capacity;
    bool has_step;
    double extra_inertia; // see NewtonSystem
    double smoothing;     // see CoulombPoint; over the radius
    double ease;          // factor on the proximal term: large while contact forces are hard to find
    double enough;        // error of contact forces, over the largest, that is enough in this iteration
    bool is_close;        // to the solution: contact forces must be exact
    bool is_exact;        // Coulomb's law holds at the last iterate
    bool moves;           // forces and motions so far satisfy the equations of motion
    bool curved;          // the matrix has the second derivatives of gaps: they help near the solution
    bool recovers;        // overlaps are put right in positions, after the step
    bool at_rest;         // an equilibrium is solved for: gaps have all their second derivatives
    bool smooth;          // rods count as smooth curves, which roll on solids: see fill_rolling
    bool no_memory;
    int iterations; // Newton iterations of the last step
    int64_t iterations_in_all;
    int64_t solves_in_all; // linear systems
};

// Shared with contact_newton_solve.c and contact_newton_sparse.c.
// Systems of which nothing can touch are solved apart from the sparse matrix.
bool contact_newton_is_in_sparse(const ContactNewton* t, int system);
CordVec3 contact_newton_mul(const double C[9], CordVec3 u);                      // C u
void contact_newton_put_local(const CordVec3 axis[3], double at[3], CordVec3 v); // v in the axes of a contact
CordVec3 contact_newton_get_local(const CordVec3 axis[3], const double at[3]);
// A law g - C u in the axes of a contact, where u is `by_step`, as a law in space.
typedef struct LocalLaw {
    double g[3], C[3][3];
} LocalLaw;
void contact_newton_set_law(const CordVec3 axis[3], const LocalLaw* at, CordVec3 by_step, CordVec3* g,
                            double C[9]);
void contact_newton_set_proximal_terms(ContactNewton* t); // of all contact points, by `ease`
// Couples of contact point i: contact_newton_couple.c. They do nothing for a contact that has none.
void newton_couple_open(ContactNewton* t, int i, const SurfaceLaw* law, const WarmStart* last);
void newton_couple_begin(ContactNewton* t, int i);     // at the couple of the iterate before
void newton_couple_linearise(ContactNewton* t, int i); // about f and v
void newton_couple_find_next(ContactNewton* t, int i); // after a solve
void newton_couple_move(ContactNewton* t, int i, double share);
void newton_couple_keep(ContactNewton* t, int i, bool restore);
void newton_couple_set_weight(ContactNewton* t, int i, bool with_limits);
// Adds what the law lacks at a share of the way to the next couple, or its slope there.
void newton_couple_add_residual(const ContactNewton* t, int i, double share, CoulombResidual* sum);
double newton_couple_slope(const ContactNewton* t, int i, double share);
void newton_couple_end(ContactNewton* t, int i);
// Makes room for `count` elements, but does not keep those of a smaller array. False: no memory.
bool contact_newton_reserve(Memory* m, void** array, int count, int* capacity, size_t size);

// Starts a step. The colliders must hold the rods, and the solids with their poses at the start and the end
// of the step. False: no memory.
bool contact_newton_begin(ContactNewton* t, Memory* m, NewtonSystem* systems, int count, double mass);
void contact_newton_free(Memory* m, ContactNewton* t);
// In a solve, after its start: lets weight and loads push the bodies. Does nothing in a step.
void contact_newton_push_bodies(ContactNewton* t, CordVec3 gravity, double time);
// In a solve: is there a body without welds that may be touched?
bool contact_newton_moves_bodies(const ContactNewton* t);

// Sets the colliders' `to` to the end of the step that belongs to the systems' y.
void contact_newton_update_positions(ContactNewton* t);
// The largest motion of a node in the step, up to the iterate, over the length of an edge.
double contact_newton_motion(const ContactNewton* t);
// The share of the motion to `to`, and of the solids to their end poses, that brings no pair closer than 0.9
// of its touching distance, or of its present one; pairs beyond the reach of contacts may only touch. 0 with
// no_memory set: no memory.
double contact_newton_prediction_limit(ContactNewton* t);
// Did any pair push in the last step, or does it touch on the motion from `from` to `to`? Also true if there
// is no memory.
bool contact_newton_is_near(ContactNewton* t);
// The product of this Newton step with the last one, over the square of the last one; 0 after the first.
double contact_newton_step_ratio(ContactNewton* t);
// The share of the Newton step, from 1 to `share`, after which the first contact that pushes would cease to.
double contact_newton_force_limit(const ContactNewton* t, double share);
// The share of the Newton step, at most `share`, that keeps gaps open like contact_newton_prediction_limit.
double contact_newton_step_limit(ContactNewton* t, double share);
// Call these after y moved by a share of the step: the contact forces follow, and `from` becomes the new
// positions.
void contact_newton_update_forces(ContactNewton* t, double share);
void contact_newton_accept_step(ContactNewton* t, double share);

// Moves bodies without welds by a share of the Newton step.
void contact_newton_move_free_bodies(ContactNewton* t, double share);
// Sets move to the motion since the start of the step. The pose is relative to `origin`.
void contact_newton_set_body_motion(NewtonBody* b, CordVec3 origin);
// Moves them back to a share of their predicted motion.
void contact_newton_rewind_free_bodies(ContactNewton* t, double share);
// The largest motion of a body in the Newton step: over its extent, or its rotation [rad].
double contact_newton_body_change(const ContactNewton* t);

// Finds the contacts at y, and assembles all systems. False: singular, or no memory.
bool contact_newton_assemble(ContactNewton* t);
// Solves for the Newton step, into the systems' moves, together with the contact forces. False: singular.
bool contact_newton_solve(ContactNewton* t);
// The first part of contact_newton_assemble: finds the contacts at y, with the forces of the iterate before,
// which rods and bodies get. False: no memory.
bool contact_newton_find(ContactNewton* t);
// Sets the points' u to the motion of their surfaces by the Newton step in the systems' moves.
void contact_newton_gather(ContactNewton* t);
// Contacts that touch now and do not slide become those that are frozen. False: no memory.
bool contact_newton_freeze(ContactNewton* t);
// Does anything pass through anything on the straight motion from the start of the step to y?
bool contact_newton_tunnels(ContactNewton* t);
// Finds the contacts at the end of the step, with their forces. False: no memory.
bool contact_newton_end(ContactNewton* t);
// Measures sagittas anew, at the positions that were found: the iteration goes on with them.
void contact_newton_renew_sagittas(ContactNewton* t, int round);
// After the step is accepted: its forces warm-start the next. False: no memory.
bool contact_newton_keep_forces(ContactNewton* t);

#endif
