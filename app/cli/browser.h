// The browser of the person at this machine.
#ifndef CORDAGE_CLI_BROWSER_H
#define CORDAGE_CLI_BROWSER_H

#include <stdbool.h>

// Asks the desktop to show the address. False: there is no desktop, or nothing to ask it with.
bool browser_open(const char* address);

#endif
