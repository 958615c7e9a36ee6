// Declarations shared by the files of a Newton system only: newton_rod.c has the equations of a rod,
// newton_loads.c the loads in them, newton_bodies.c the equations of bodies, newton.c solves them.
#ifndef CORD_SOLVE_NEWTON_PARTS_H
#define CORD_SOLVE_NEWTON_PARTS_H

#include "solve/newton.h"

// Opens an island in given arrays of its rods and bodies.
void newton_open_in(NewtonSystem* sys, const Island* island, bool tensions, NewtonRod* rods,
                    NewtonBody* bodies, Arena* scratch);
NewtonBody newton_body_at_rest(Body* body);
// Sets `force` and `own` to what acts on a body by itself: push, contact and inertia, or the rate of its
// push.
void newton_set_own_force(const NewtonSystem* sys, NewtonBody* b);

// newton_group.c: the same for a coupled system.
void newton_assemble_group(NewtonSystem* sys);
void newton_put_group_right(NewtonSystem* sys);

typedef struct EdgeForce { // the force in one edge, n times its mean direction
    CordVec3 mean;         // direction of the force
    CordVec3 end;          // unit tangent at the end of the step: the gradient of the length
    double spread;         // derivative of the direction by the edge vector, across the edge [1/m]
    double residual;       // residual of the tension's law n = EA strain, or of the length, as y sees it [m]
    double compliance;     // [m/N]; 0: inextensible
} EdgeForce;

EdgeForce newton_edge_force(const NewtonSystem* sys, const NewtonRod* r, int s);
// Fills all fields of the kernels' argument except the place in the band.
BandEdges newton_edges(const NewtonSystem* sys, const NewtonRod* r);
// Augmented Lagrangian stiffness along the edge [N/m].
double newton_augmented(const NewtonSystem* sys, const NewtonRod* r, int s, double compliance);
bool newton_is_held(const NewtonRod* r, int s);

// Inertia, weight, drag and tethers at a node: the force and minus its derivative by y. Carried nodes pass
// both on to their bodies.
typedef struct NodeForce {
    double K[9]; // row-major [N/m]
    double f[3]; // [N]
} NodeForce;

typedef struct NewtonPulls { // loads on a rod's nodes that depend on position or velocity
    bool drag;               // drag spread over the rod
    bool tethers;            // springs and dampers at single nodes
} NewtonPulls;

NewtonPulls newton_pulls(const NewtonSystem* sys, const NewtonRod* r);
NodeForce newton_node_force(const NewtonSystem* sys, const NewtonRod* r, int s, NewtonPulls pulls);
// Evaluates a load's terms at y, or their rate while rates are assembled. Returns false if the load does not
// act.
bool newton_load_terms(const NewtonSystem* sys, const NewtonRod* r, const Load* load, LoadTerms* f);
void newton_add_loads(NewtonSystem* sys, NewtonRod* r, BandSystem* st); // newton_loads.c
void newton_assemble_rod(NewtonSystem* sys, NewtonRod* r);

static inline int newton_edge_at(const NewtonRod* r, int slot) // edge or node index
{
    const CordCenterline* c = &r->rod->line;
    return (slot - c->halo + c->node_count) % c->node_count;
}

typedef enum ArmSide {
    ARM_END, // derivative of node positions by the body's pose: the arm at the end of the step
    ARM_MEAN // torque of node forces on the body: the mean arm, which conserves angular momentum
} ArmSide;

CordVec3 newton_arm(const NewtonSystem* sys, const Weld* weld, int k, ArmSide side);
JoinMap newton_join_map(const NewtonSystem* sys, const Join* join, ArmSide side);
// Adds a node's force, and its torque about the body's centre, to a body's wrench.
void newton_add_wrench(double wrench[6], CordVec3 arm, CordVec3 f);
// Adds the Schur complement of a span to the block rows of the joins at its ends.
void newton_condense(NewtonSystem* sys, const BandSystem* s, const JoinSpan* js);
void newton_assemble_bodies(NewtonSystem* sys);

#endif
