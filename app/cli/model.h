// --model of the commands that have it.
#ifndef CORDAGE_CLI_MODEL_H
#define CORDAGE_CLI_MODEL_H

#include "options.h"

#define MODEL_OPTION(target)                                                                                 \
    {                                                                                                        \
        "model", 0, OPTION_TEXT, target, "M", "model of every rod: the same as --set 'rods[*].model=\"M\"'"  \
    }

typedef struct ModelText {
    char text[64];
} ModelText;

// Adds it to the settings, which have room for one more and refer to the text from then on; NULL: nothing to add. False: it is no name, which has been said.
bool model_setting(const char* command, const char* model, OptionList* settings, ModelText* text);

#endif
