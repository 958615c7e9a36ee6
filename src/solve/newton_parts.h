// What the files of a system share with each other alone: newton_rod.c has the equations of a rod,
// newton_bodies.c those of bodies, system.c solves them.
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

EdgeForce newton_edge_force(const NewtonSystem* sys, const NewtonRod* r, int s);
// all that the kernels need to know of them, but where they go
BandEdges newton_edges(const NewtonSystem* sys, const NewtonRod* r);
// stiffness along the edge [N/m]
double newton_augmented(const NewtonSystem* sys, const NewtonRod* r, int s, double compliance);
bool newton_is_held(const NewtonRod* r, int s);

// What acts on a node besides its neighbours: how it answers to y, and the force. Carried nodes hand both to
// their bodies.
typedef struct NodeForce {
    double K[9]; // row-major [N/m]
    double f[3]; // [N]
} NodeForce;

typedef struct NewtonPulls { // loads on a rod's nodes that go with where these are, or how fast
    bool drag;               // is spread over the rod
    bool tethers;            // act on single nodes
} NewtonPulls;

NewtonPulls newton_pulls(const NewtonSystem* sys, const NewtonRod* r);
NodeForce newton_node_force(const NewtonSystem* sys, const NewtonRod* r, int s, NewtonPulls pulls);
// The terms at y of a load that pushes, or their rate while rates are asked for. False: it does not act.
bool newton_load_terms(const NewtonSystem* sys, const NewtonRod* r, const Load* load, LoadTerms* f);
void newton_assemble_rod(NewtonSystem* sys, NewtonRod* r);

typedef enum ArmSide {
    ARM_END, // how nodes answer to the body: by where it will be
    ARM_MEAN // how the body answers to forces on nodes: halfway, so that angular momentum is kept
} ArmSide;

CordVec3 newton_arm(const NewtonSystem* sys, const Weld* weld, int k, ArmSide side);
JoinMap newton_join_map(const NewtonSystem* sys, const Join* join, ArmSide side);
// force and torque on a body, of a node's force
void newton_add_wrench(double wrench[6], CordVec3 arm, CordVec3 f);
// a span onto the bodies at its ends
void newton_condense(NewtonSystem* sys, const BandSystem* s, const JoinSpan* js);
void newton_assemble_bodies(NewtonSystem* sys);

#endif
