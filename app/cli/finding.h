// Modes of modal rods, as this program finds them: with ARPACK where it is in the build, kept between runs,
// and with a word on standard error where it takes long.
#ifndef CORDAGE_CLI_FINDING_H
#define CORDAGE_CLI_FINDING_H

#include <cordage/io.h>
#include <cordage/modal.h>

const CordModalHooks* finding_hooks(void);                           // there until the program ends
CordModalHooks finding_hooks_anew(void);                             // always found anew, and in silence
void finding_expect(const CordScene* scene, const CordWorld* world); // looks at what its modal rods will take
void finding_be_quiet(bool quiet);                                   // nothing is said from now on

#endif
