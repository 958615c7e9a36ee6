// Does a run end in an unstable equilibrium that nothing has pushed it out of?
#ifndef CORDAGE_CLI_SADDLE_H
#define CORDAGE_CLI_SADDLE_H

#include "simulation.h"

// Warns if it does. `duration`: for how long the run has stood there, at the most [s]. The world is left as
// it was.
void saddle_warn(const Simulation* s, double duration);

#endif
