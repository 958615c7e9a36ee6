// --model of the commands that have it, and how rods are said to be simulated.
#ifndef CORDAGE_CLI_MODEL_H
#define CORDAGE_CLI_MODEL_H

#include "json.h"
#include "options.h"

#include <cordage/io.h>

#define MODEL_OPTION(target)                                                                                 \
    {                                                                                                        \
        "model", 0, OPTION_TEXT, target, "M", "model of every rod: the same as --set 'rods[*].model=\"M\"'"  \
    }

typedef struct ModelText {
    char text[64];
} ModelText;

// Adds it to the settings, which have room for one more and refer to the text from then on; NULL: nothing to add. False: it is no name, which has been said.
bool model_setting(const char* command, const char* model, OptionList* settings, ModelText* text);

// How a rod takes its steps, as its scene asks for it.
typedef struct ModelWay {
    const char* model;
    const char *solver, *method; // of position-based steps; NULL: it takes none, or its solver has no methods
    int substeps, iterations;    // likewise
} ModelWay;

typedef struct WayText {
    char text[96];
} WayText;

ModelWay model_way(const CordRodDef* def);
WayText model_way_text(const ModelWay* way); // "der", or "pbd: xpbd, direct, 4 substeps of at most 10 iterations"

enum { WAYS_MOST = 8 };

typedef struct WayList { // the ways of a scene's rods, and how many rods have each
    ModelWay items[WAYS_MOST];
    int rods[WAYS_MOST];
    int count;
    int others; // rods that have none of them
} WayList;

WayList model_ways(const CordScene* scene);
void model_ways_print(const WayList* list);
void model_ways_json(Json* j, const WayList* list);
bool model_ways_positioned(const WayList* list); // is there a rod that takes position-based steps?

#endif
