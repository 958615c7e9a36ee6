// The services that the program gives to the experiments.
#ifndef CORDAGE_CLI_REPRODUCE_H
#define CORDAGE_CLI_REPRODUCE_H

#include "../../experiments/lab.h"

const LabHost* reproduce_host(void); // valid until the program ends

#endif
