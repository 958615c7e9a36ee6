// ACM, figure 1 has two halves: the bar that hangs by knots (acm_fig1.c), and the ropes that are joined
// (acm_fig1_ropes.c).
#ifndef CORDAGE_EXPERIMENTS_ACM_FIG1_H
#define CORDAGE_EXPERIMENTS_ACM_FIG1_H

#include "lab.h"

void acm_fig1_ropes(Lab* lab, const char* model); // of unequal radii, joined by a double Fisherman's knot

#endif
