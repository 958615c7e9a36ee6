// What the program lends to the experiments.
#ifndef CORDAGE_CLI_REPRODUCE_H
#define CORDAGE_CLI_REPRODUCE_H

#include "../../experiments/lab.h"

const LabHost* reproduce_host(void); // there until the program ends

#endif
