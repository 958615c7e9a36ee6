// Ctrl-C and SIGTERM, asked for politely.
#ifndef CORDAGE_CLI_INTERRUPT_H
#define CORDAGE_CLI_INTERRUPT_H

#include <stdbool.h>

// From now on the first SIGINT or SIGTERM raises a flag; a second of its kind ends the program at once.
void interrupt_watch(void);
bool interrupt_raised(void);

#endif
