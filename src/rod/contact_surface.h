// The surfaces of rods and solids: what friction depends on, also where it changes along a rod.
#ifndef CORD_ROD_CONTACT_SURFACE_H
#define CORD_ROD_CONTACT_SURFACE_H

#include "base/memory.h"
#include "base/message.h"

#include <cordage/cordage.h>

typedef struct ContactSurface {
    int id;                   // as the pairs of the contact def name it
    double friction;          // static coefficient against itself
    double friction_kinetic;  // of what slides
    double friction_across;   // across a rod, over that along it
    double friction_backward; // backwards along a rod, over that forwards
    double restitution;
    double rolling, spinning; // largest couples over the normal force [m]
} ContactSurface;

typedef struct ContactStretch { // a stretch of a rod with a surface of its own
    double from, to;            // rest length from the rod's start [m]
    ContactSurface surface;
} ContactStretch;

ContactSurface contact_surface_of_material(const CordMaterial* material, int id);
ContactSurface contact_surface_of_solid(int id, double friction, double friction_kinetic, double restitution);
// Kinetic friction, where NAN stands for that at rest.
double contact_surface_kinetic(double friction, double friction_kinetic);

// The checks name what is wrong. `what` is whose friction it is.
CordResult contact_surface_check_material(const CordMaterial* material, Message* message);
CordResult contact_surface_check_kinetic(double friction, double friction_kinetic, const char* what,
                                         Message* message);
CordResult contact_surface_check_restitution(double restitution, const char* what, Message* message);
CordResult contact_surface_check_turning(double rolling, double spinning, const char* what, Message* message);

// Stretches of a def, checked against the rod's length, and copied. They belong to the caller.
CordResult contact_stretches_create(Memory* m, const CordRodDef* def, double length,
                                    ContactStretch** stretches, Message* message);
// The surface of the last stretch that holds an arc length [m]; NULL: none does.
const ContactSurface* contact_stretches_find(const ContactStretch* stretches, int count, double arc);

#endif
