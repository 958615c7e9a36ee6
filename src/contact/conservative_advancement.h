// How far along their way two things are certain to stay apart: the search that all sweeps share. Times are
// shares of the way, 0 to 1.
//
// A distance at one moment says nothing of the next. A unit normal does: if one thing lies above some height
// along it and the other below, they are at least the difference apart, and heights of points that move in
// straight lines are linear in time. With one normal at the start of a stretch and another at its end, and
// the normal turned evenly from one to the other in between (which makes it shorter than 1, never longer),
// heights are quadratic in time. So a stretch of any length is certain, or not, by a few dot products at its
// ends: also where things slide along each other, and where they touch at its start and move apart, which no
// bound on their speed could decide.
#ifndef CORD_CONTACT_CONSERVATIVE_ADVANCEMENT_H
#define CORD_CONTACT_CONSERVATIVE_ADVANCEMENT_H

#include "base/real.h"
#include "math/vec3.h"

typedef struct Moment {
    double time;
    double distance; // [m]
    double rate;     // of change of the distance, over the whole way [m]
    CordVec3 normal; // unit, from the second thing to the first; 0: there is none
    CordVec3 at[5];  // the points that move [m]
} Moment;

typedef struct Advance {
    const void* pair;
    double rounding; // no distance and no height along a normal is wrong by more [m]
    Moment (*look)(const void* pair, double time);
    // For how long from now on the distance is certain to be at least `level`; INFINITY: for ever. 0: maybe
    // it is not now.
    double (*reach)(const void* pair, const Moment* now, double level);
    // Whether it is certain to be at least `level` from one moment to another.
    bool (*holds)(const void* pair, const Moment* from, const Moment* to, double level);
} Advance;

// Share of the way up to which the distance does not fall below `near`: see sweep.h.
double conservative_advancement(const Advance* advance, double near);

// Whether c0 (1 - x)^2 + 2 c1 x (1 - x) + c2 x^2 is at least `level` for all x from 0 to 1.
static inline bool stays_above(double level, double c0, double c1, double c2)
{
    double d0 = c0 - level, d1 = c1 - level, d2 = c2 - level;
    return d0 >= 0.0 && d2 >= 0.0 && (d1 >= 0.0 || d1 * d1 <= d0 * d2);
}

// For how long a height at a rate of change stays at least `level`.
static inline double time_above(double level, double height, double rate)
{
    double spare = height - level;
    return !(spare >= 0.0) ? 0.0 : rate < 0.0 ? spare / -rate : INFINITY;
}

// What a height has to be for a distance of `level` while the normal turns from one to the other. It is
// shortest half-way, which matters below zero only.
static inline double level_between(double level, CordVec3 from, CordVec3 to)
{
    return level >= 0.0 ? level : level * sqrt(real_max(0.5 + 0.5 * vec3_dot(from, to), 0.0));
}

#endif
