// What the experiments time and `cordage bench` does, too.
#ifndef CORDAGE_EXPERIMENTS_TIMING_H
#define CORDAGE_EXPERIMENTS_TIMING_H

#include "lab.h"

enum { TIMING_TABLE1 = 9 }; // rows of DER, table 1

typedef struct TimingStep { // of a step of a figure's scene
    int figure, vertices;
    double step;                                       // its length [s]
    double forces, contact, frames, projection, total; // what it costs [s]; NAN: the paper gives none
} TimingStep;

TimingStep timing_table1_paper(int row);

// Of the shipped scene, in the paper's steps or the longest stable ones. lengths: how they are kept, as in
// "length_method" of scenes; NULL: the default.
TimingStep timing_table1(Lab* lab, int row, const char* lengths);

typedef struct TimingRopes { // of the double Fisherman's knot of ACM, table 1
    double nodes, contacts;  // in the mean
    double step;             // time of the processor for one [s]
} TimingRopes;

void timing_fisherman(Lab* lab, TimingRopes* fine, TimingRopes* adaptive);

typedef struct TimingModal {
    double modes; // to find them [s]
    double frame; // a step, with all forces, and the positions of all nodes [s]
    int nodes, elements, unknowns, found;
} TimingModal;

// Of the world's rod 0, with steps of 1/30 s. The world must not have looked at a state before, and is left
// in the state it had.
TimingModal timing_modal(Lab* lab, CordWorld* world);

#endif
