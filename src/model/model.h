// What a rod model offers. A NULL entry means "does not apply".
#ifndef CORD_MODEL_MODEL_H
#define CORD_MODEL_MODEL_H

#include "rod/rod.h"

typedef struct StepInfo {
    double time; // at the start of the step [s]
    double h;    // [s]
    double kick; // time over which forces act: h, or half of what lies between the last velocities and these [s]
    CordVec3 gravity;
} StepInfo;

typedef struct StepLimitAt { // what bounds the explicit step, and where
    double omega2;           // an upper bound of the highest squared angular frequency [1/s^2]
    CordStepLimit limit;
    int node;
} StepLimitAt;

typedef struct CordModelOps {
    const char* name;
    CordResult (*create)(Memory* m, Rod* rod, const CordRodDef* def, Message* message); // refuses what it cannot do
    void (*destroy)(Memory* m, Rod* rod);
    CordResult (*update_held)(Memory* m, Rod* rod, double time, Message* message); // clamps came or went
    // Elastic forces and gravity: v_next from x and v; with drift also x_next = x + h v_next, in one go where nothing else acts.
    // Returns the sum of the squares of v_next, which shows whether all is finite.
    double (*kick)(const Rod* rod, const StepInfo* step, bool drift);
    void (*settle)(Rod* rod, double time); // frames follow the centreline that was just committed
    void (*frames)(const Rod* rod, CordVec3* m1);
    void (*energy)(const Rod* rod, CordEnergy* energy); // the elastic parts
    void (*gradient)(const Rod* rod, CordVec3* dE_dx);  // adds, by node
    void (*tension)(const Rod* rod, double* tension);   // elastic part, by edge
    void (*moments)(const Rod* rod, CordVec3* moment);  // by node
    double (*spin_moment)(const Rod* rod, int edge); // twisting moment on a held edge: minus dE/dtheta there
    double (*twist)(const Rod* rod);                 // in all [rad]
    StepLimitAt (*limit)(const Rod* rod, const double* tension, double least_tension); // tension by edge, but at least
    void (*state)(Rod* rod, Bytes* b);
} CordModelOps;

extern const CordModelOps cord_model_der;

const CordModelOps* model_ops(CordModel model); // NULL: no such model

#endif
