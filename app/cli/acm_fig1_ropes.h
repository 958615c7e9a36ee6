// The right half of ACM, figure 1: ropes of unequal radii, joined by a double Fisherman's knot.
#ifndef CORDAGE_CLI_ACM_FIG1_ROPES_H
#define CORDAGE_CLI_ACM_FIG1_ROPES_H

#include <stdbool.h>

bool fig1_ropes_run(const char* directory); // true: all is as it should be

#endif
