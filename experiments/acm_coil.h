// The falling coil of ACM, figures 6 and 7.
#ifndef CORDAGE_EXPERIMENTS_ACM_COIL_H
#define CORDAGE_EXPERIMENTS_ACM_COIL_H

#include "lab.h"

#include <cordage/contact.h>

extern const double coil_step;      // the paper's [s]
extern const double coil_tolerance; // likewise, over the radius

// Of ten steps each: pairs that are not farther apart than a twentieth of a radius; pairs that would overlap
// if the first step took no notice of contact, and how deep in the mean, over the radius; iterations in the
// mean, at the most, and in the mean over collisions; the time of contact and of all else; overlap that is
// left after any of them, over the radius.
#define COIL_COLUMNS                                                                                         \
    "response,time [s],near,collisions,depth/r,iterations,most,ratio,contact [ms],others [ms],left/r"

// The scene acm/fig7, from the moment when it lands: rows of the table "coil". Steps taken in halves come
// back.
int64_t coil_run(Lab* lab, CordResponse response, const char* series);

#endif
