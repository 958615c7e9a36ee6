// What a rigid-body engine must offer, so that rods can be welded to its bodies. The library has one of its
// own, for free bodies; cord_ode (where built) is another; examples/own_engine.c shows how to write a third.
//
// Rods and engine take turns: forces of the rods are added, the engine steps its bodies as if nothing else
// held them, and the library then corrects bodies and rods together, so that welds hold: momentum is passed
// on exactly, whatever the engine does in between. Poses are of the centre of mass, velocities and inertia in
// the axes of space.
#ifndef CORDAGE_BODY_H
#define CORDAGE_BODY_H

#include <cordage/cordage.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CordBodyState {
    CordVec3 position; // [m]
    CordQuat rotation;
    CordVec3 velocity; // [m/s]
    CordVec3 spin;     // [rad/s]
} CordBodyState;

typedef struct CordBodyInertia {
    double mass;      // [kg]
    double tensor[6]; // xx yy zz xy xz yz about the centre, as the body stands now [kg m^2]
} CordBodyInertia;

struct CordBodyEngine {
    const char* name;
    bool same_bits; // does the same input give the same bits on every platform?

    // A new body; its handle is what the other calls get. def has mass and inertia filled in.
    CordResult (*create)(void* user, const CordBodyDef* def, void** body);
    void (*destroy)(void* user, void* body);

    CordBodyState (*get)(void* user, void* body);
    void (*set)(void* user, void* body, const CordBodyState* state);
    CordBodyInertia (*inertia)(void* user, void* body);

    // acts during the next step, then is gone
    void (*add_wrench)(void* user, void* body, CordVec3 force, CordVec3 torque);

    // All bodies: velocities gain before * acceleration, poses move for h, velocities gain after *
    // acceleration. Rods keep their velocities half a step before their positions: `before` is h, but for the
    // first step and where h changes.
    void (*step)(void* user, CordVec3 gravity, double before, double h, double after);

    // An impulse [N s, N m s] that came on top at the start of the step just taken, the second about the
    // body's centre there: adds to the velocities what it makes of them, and moves the pose by `lever` [s]
    // times that. Comes several times in a step.
    void (*correct)(void* user, void* body, CordVec3 impulse, CordVec3 angular_impulse, double lever);

    // All that the engine's next step depends on besides the bodies' states: warm starts, random numbers.
    // NULL: nothing.
    size_t (*state_size)(void* user);
    void (*state_get)(void* user, void* bytes);
    bool (*state_set)(void* user, const void* bytes, size_t size);

    bool makes_energy; // may bodies gain energy by design, as where they are pushed apart that overlap?
};

// ---- cord_ode
//
// Bodies moved by the Open Dynamics Engine, in a library of its own: they touch each other, with friction,
// and may be jointed. Its steps are first order, and not the same to the bit on every platform. One thread at
// a time makes and destroys engines.

typedef struct CordOdeDef {
    double friction; // Coulomb coefficient of bodies against each other
    double bounce;   // restitution, 0 to 1
    double step;     // longer ones are taken in pieces [s]
} CordOdeDef;

CORD_API CordOdeDef cord_ode_def_default(void); // friction 0.3, no bounce, 1 ms

// An engine and its user, for CordWorldDef. Destroy it after the world.
CORD_API CordResult cord_ode_create(const CordOdeDef* def, const CordBodyEngine** engine, void** user);
CORD_API void cord_ode_destroy(void* user);
CORD_API const char* cord_ode_message(const void* user); // about the last call below that failed

typedef enum CordOdeJointKind {
    CORD_ODE_BALL,   // the anchor is common
    CORD_ODE_HINGE,  // and the axis
    CORD_ODE_SLIDER, // bodies keep their turn, and slide along the axis
    CORD_ODE_FIXED,
} CordOdeJointKind;

typedef struct CordOdeJointDef {
    CordOdeJointKind kind;
    const char* bodies[2]; // by their names; the second may be NULL: the world
    CordVec3 anchor;       // [m], in space, as the bodies are now
    CordVec3 axis;         // likewise
} CordOdeJointDef;

CORD_API CordResult cord_ode_joint(void* user, const CordOdeJointDef* def);
// ground: all with normal . x < offset is solid
CORD_API CordResult cord_ode_plane(void* user, CordVec3 normal, double offset);

#ifdef __cplusplus
}
#endif

#endif
