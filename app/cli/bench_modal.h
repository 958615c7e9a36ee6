// Modal rods in frames per second, and what finding their modes takes.
#ifndef CORDAGE_CLI_BENCH_MODAL_H
#define CORDAGE_CLI_BENCH_MODAL_H

#include "../../experiments/timing.h"

TimingModal bench_modal_animal(void); // the scene modal/fig7

// A ball of beams, the edges of triangles, that stands on its lower pole: so many rings of twice as many
// nodes.
TimingModal bench_modal_ball(int rings, int modes);

#endif
