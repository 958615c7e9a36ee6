// What the experiments of modal warping share.
#ifndef CORDAGE_EXPERIMENTS_MW_H
#define CORDAGE_EXPERIMENTS_MW_H

#include "timing.h"

static const double mw_step = 1.0 / 30.0; // the paper's [s]

// of all its elements as they are, over that at rest
double mw_length(Lab* lab, const CordWorld* world, int rod);

#endif
