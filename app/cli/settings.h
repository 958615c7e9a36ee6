// Options of several commands that change a value of the scene. Each becomes a setting "path=value" after
// those given with --set, so that a recording holds all of them and the scene's reader checks their values.
#ifndef CORDAGE_CLI_SETTINGS_H
#define CORDAGE_CLI_SETTINGS_H

#include "options.h"

#define SETTINGS_OPTION(target, help)                                                                        \
    {                                                                                                        \
        "set", 0, OPTION_LIST, target, "PATH=VALUE", help                                                    \
    }
#define SETTINGS_HELP "change any value of the scene, as in run; may be given many times"
#define SETTINGS_HELP_FILE "change a value of a scene; may be given many times"
#define MODEL_OPTION(target)                                                                                 \
    {                                                                                                        \
        "model", 0, OPTION_TEXT, target, "M", "model of every rod: the same as --set 'rods[*].model=\"M\"'"  \
    }
#define FRICTION_OPTION(target)                                                                              \
    {                                                                                                        \
        "friction", 0, OPTION_TEXT, target, "F",                                                             \
            "of rods that touch: coulomb resists each step of the solve; off;\n"                             \
            "frozen: contacts that stick at the start stay where they are"                                   \
    }

// Each adds one setting, or none if the option was not given (NULL, NAN). False: an error has been reported.
bool settings_add_model(OptionList* settings, const char* command, const char* model);
bool settings_add_step(OptionList* settings, const char* command, const char* step); // [s], or "auto"
// Of a solve: coulomb, off or frozen.
bool settings_add_friction(OptionList* settings, const char* command, const char* friction);
void settings_add_end(OptionList* settings, double until); // [s]

// Is the value of the option --until or --threads valid? False: an error has been reported.
bool settings_check_until(const char* command, double until); // NAN: not given
bool settings_check_threads(const char* command, int threads);

#endif
