#include "settings.h"

#include <math.h>
#include <string.h>

bool settings_add_model(OptionList* settings, const char* command, const char* model)
{
    if (!model) {
        return true;
    }
    if (strlen(model) > 32 || strpbrk(model, "\"\\")) {
        return error_false("%s --model takes the name of a model, such as der", command);
    }
    option_list_add(settings, "rods[*].model=\"%s\"", model);
    return true;
}

bool settings_add_friction(OptionList* settings, const char* command, const char* friction)
{
    if (!friction) {
        return true;
    }
    if (strcmp(friction, "coulomb") != 0 && strcmp(friction, "off") != 0 && strcmp(friction, "frozen") != 0) {
        return error_false("%s --friction is coulomb, off or frozen, not \"%s\"", command, friction);
    }
    option_list_add(settings, "solve.friction=\"%s\"", friction);
    return true;
}

bool settings_add_step(OptionList* settings, const char* command, const char* step)
{
    double h;
    if (step && strcmp(step, "auto") == 0) {
        option_list_add(settings, "time.step=\"auto\"");
    } else if (step && !option_number(step, &h)) {
        return error_false("%s --step takes a number of seconds, or auto, not \"%s\"", command, step);
    } else if (step) {
        option_list_add(settings, "time.step=%.17g", h);
    }
    return true;
}

void settings_add_end(OptionList* settings, double until)
{
    if (!isnan(until)) {
        option_list_add(settings, "time.end=%.17g", until);
    }
}

bool settings_check_until(const char* command, double until)
{
    return isnan(until) || until > 0.0 ||
           error_false("%s --until takes a time in seconds, greater than 0, not %g", command, until);
}

bool settings_check_threads(const char* command, int threads)
{
    return (threads >= 1 && threads <= 1024) ||
           error_false("%s --threads takes a number from 1 to 1024, not %d", command, threads);
}
