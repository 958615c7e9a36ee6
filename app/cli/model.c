#include "model.h"

#include "talk.h"

#include <stdio.h>
#include <string.h>

bool model_setting(const char* command, const char* model, OptionList* settings, ModelText* text)
{
    if (!model) {
        return true;
    }
    if (strlen(model) > 32 || strpbrk(model, "\"\\")) {
        talk_error("%s --model takes the name of a model, such as der", command);
        return false;
    }
    snprintf(text->text, sizeof text->text, "rods[*].model=\"%s\"", model);
    settings->items[settings->count++] = text->text;
    return true;
}
