// Stretches of inextensible rods, joined ones too, that are taut between two held nodes: see taut.c.
#ifndef CORD_SOLVE_TAUT_H
#define CORD_SOLVE_TAUT_H

#include "solve/newton.h"

// Counts the redundant length constraints of a rod: in each taut stretch one follows from the others, and the
// tension is undetermined. Adds `pull` to the tensions n of these stretches, by slot (NULL: to none).
int taut_pull(const Rod* rod, double* n, double pull);

// False: every stretch has enough slack to bear any load, so that taut_check cannot fail. Always true of rods
// that are joined.
bool taut_may_fail(const NewtonSystem* sys, const NewtonRod* rod);

// Fails if the tension of a stretch that begins in the rod, and may go on in rods that are joined to it,
// bears a force across it of more than `least` [N], though the stretch has no slack, or so little that
// errors of lengths decide on the tension.
CordResult taut_check(const NewtonSystem* sys, const NewtonRod* rod, double least, Message* message);

// Says that the rod is taut between the nodes `from` and `to`.
CordResult taut_fail(const Rod* rod, int from, int to, Message* message);

#endif
