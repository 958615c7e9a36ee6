// Semismooth Newton iterations for the contacts of one rod, with all others as they are (Alart and Curnier
// 1991). Contacts that lie close to each other along a stiff rod are nearly the same constraint: a sweep
// passes impulses from one to the other in small steps, and may need hundreds of them.
#ifndef CORD_CONTACT_ROD_NEWTON_H
#define CORD_CONTACT_ROD_NEWTON_H

#include "base/arena.h"
#include "contact/delassus.h"

// Solves for those constraints [first, last) of the order, all of one rod, of whose last two corrections one
// was larger than `enough` [m]: of two that pass load on to each other, one moves in forward sweeps, and the
// other in backward ones. Impulses change only if that makes the residual of these contacts smaller. True:
// they do.
bool rod_newton_solve(const Delassus* y, ContactConstraints* b, int first, int last, double enough,
                      Arena scratch);
// The same for all constraints of a rod with a factor that have pushed, however many they are.
bool rod_newton_solve_few(const Delassus* y, ContactConstraints* b, int first, int last, double enough,
                          Arena scratch);
size_t rod_newton_scratch(const DelassusRod* rod); // scratch memory that either function needs [bytes]

#endif
