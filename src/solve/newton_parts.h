// What the files of a system share with each other alone: system_rod.c has the equations of a rod,
// system_bodies.c those of bodies, system.c solves them.
#ifndef CORD_SOLVE_NEWTON_PARTS_H
#define CORD_SOLVE_NEWTON_PARTS_H

#include "solve/newton.h"

typedef struct EdgeForce { // of one edge: n times direction
    CordVec3 mean;         // along which it pulls
    CordVec3 end;          // the edge's direction at the end of the step: how its length answers
    double spread;         // 1 / length over which the direction turns [1/m]
    double miss;       // by how much the length is off what the tension asks, as a change of y sees it [m]
    double compliance; // [m/N]; 0: inextensible
} EdgeForce;

EdgeForce system_edge_force(const System* sys, const SystemRod* r, int s);
// all that the kernels need to know of them, but where they go
StrandEdges system_edges(const System* sys, const SystemRod* r);
// stiffness along the edge [N/m]
double system_augmented(const System* sys, const SystemRod* r, int s, double compliance);
bool system_is_held(const SystemRod* r, int s);

// What acts on a node besides its neighbours: how it answers to y, and the force. Carried nodes hand both to
// their bodies.
typedef struct NodeForce {
    double K[9]; // row-major [N/m]
    double f[3]; // [N]
} NodeForce;

typedef struct SystemPulls { // loads on a rod's nodes that go with where these are, or how fast
    bool drag;               // is spread over the rod
    bool tethers;            // act on single nodes
} SystemPulls;

SystemPulls system_pulls(const System* sys, const SystemRod* r);
NodeForce system_node_force(const System* sys, const SystemRod* r, int s, SystemPulls pulls);
// The terms at y of a load that pushes, or their rate while rates are asked for. False: it does not act.
bool system_load_terms(const System* sys, const SystemRod* r, const Load* load, LoadTerms* f);
void system_assemble_rod(System* sys, SystemRod* r);

typedef enum ArmSide {
    ARM_END, // how nodes answer to the body: by where it will be
    ARM_MEAN // how the body answers to forces on nodes: halfway, so that angular momentum is kept
} ArmSide;

CordVec3 system_arm(const System* sys, const Weld* weld, int k, ArmSide side);
JoinMap system_join_map(const System* sys, const Join* join, ArmSide side);
// force and torque on a body, of a node's force
void system_add_wrench(double wrench[6], CordVec3 arm, CordVec3 f);
// a strand onto the bodies at its ends
void system_condense(System* sys, const Strand* s, const JoinStrand* js);
void system_assemble_bodies(System* sys);

#endif
