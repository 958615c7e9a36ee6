// How far the rods of two frames of the same moment are from each other.
#ifndef CORDAGE_CLI_COMPARE_DIFFERENCE_H
#define CORDAGE_CLI_COMPARE_DIFFERENCE_H

#include <cordage/cordage.h>

typedef struct Difference {
    double largest, rms;     // distance of nodes [m]
    double share, rms_share; // the same, each as a share of its rod's length
    int rod;                 // where the share is largest
    double twist; // largest difference of a rod's twist, which the frames alone do not tell [turns]
} Difference;

// Node by node if both have the same ones; else at the nodes of the finer one, against the other at the same
// rest length from its start, or at the same share of its length if frames do not know that. Networks go node
// by node, and are left out if they have other numbers of them. Both frames have the same number of rods;
// lengths are the rods' own [m] (rod_count).
Difference difference_of(const CordFrame* a, const CordFrame* b, const double* lengths);

#endif
