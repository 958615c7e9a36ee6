// Reports on adaptive rods, for `cordage info` and the end of `cordage run`.
#ifndef CORDAGE_CLI_ADAPTIVE_H
#define CORDAGE_CLI_ADAPTIVE_H

#include "json.h"

#include <cordage/adapt.h>

typedef struct AdaptiveRods {
    int count;           // 0: no rod is adaptive
    CordAdaptReport sum; // summed over the adaptive rods
    int64_t steps;       // taken by the world
} AdaptiveRods;

AdaptiveRods adaptive_rods(const CordFrame* frame);         // of all rods
AdaptiveRods adaptive_rod(const CordFrame* frame, int rod); // of one rod; count is 0 if it is not adaptive

typedef struct AdaptiveText {
    char nodes[160];   // "41, made with 33, which may become 17 to 129; 36.4 in the mean"
    char changes[240]; // "12 nodes taken in, 4 given up, in 0.8 % of steps; 7.2 iterations each"
} AdaptiveText;

AdaptiveText adaptive_text(const AdaptiveRods* rods);
void adaptive_json(Json* j, const AdaptiveRods* rods); // "adapt": an object, or null

#endif
