// What the experiments of modal warping share.
#ifndef CORDAGE_EXPERIMENTS_MW_H
#define CORDAGE_EXPERIMENTS_MW_H

#include "timing.h"

static const double mw_step = 1.0 / 30.0; // the paper's [s]

// Times the search for the modes of rod 0 and its steps, and leaves the world in the state it had. The world
// must not have looked at a state before.
TimingModal mw_cost(Lab* lab, CordWorld* world);

// of all its elements as they are, over that at rest
double mw_length(Lab* lab, const CordWorld* world, int rod);

#endif
