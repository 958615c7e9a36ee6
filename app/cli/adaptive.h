// What adaptive rods did, in words: for `cordage info` and at the end of `cordage run`.
#ifndef CORDAGE_CLI_ADAPTIVE_H
#define CORDAGE_CLI_ADAPTIVE_H

#include "json.h"

#include <cordage/adapt.h>

typedef struct AdaptiveRods {
    int count;           // 0: no rod is adaptive
    CordAdaptReport sum; // over them
    int64_t steps;       // that the world has taken
} AdaptiveRods;

AdaptiveRods adaptive_rods(const CordFrame* frame);         // all of them
AdaptiveRods adaptive_rod(const CordFrame* frame, int rod); // one; count is 0 if it is not

typedef struct AdaptiveText {
    char nodes[160];   // "41, made with 33, which may become 17 to 129; 36.4 in the mean"
    char changes[240]; // "12 nodes taken in, 4 given up, in 0.8 % of steps; 7.2 iterations each"
} AdaptiveText;

AdaptiveText adaptive_text(const AdaptiveRods* rods);
void adaptive_json(Json* j, const AdaptiveRods* rods); // "adapt": an object, or null

#endif
