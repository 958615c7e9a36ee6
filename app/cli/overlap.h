// Scenes that start with rods inside each other or inside obstacles: refused, or untangled first.
#ifndef CORDAGE_CLI_OVERLAP_H
#define CORDAGE_CLI_OVERLAP_H

#include <cordage/contact.h>
#include <cordage/io.h>

#include <stdbool.h>

// Where contact is on. What is wrong has been said when it returns other than EXIT_GOOD.
int overlap_settle(CordWorld* world, const CordScene* scene, bool untangle);

#endif
