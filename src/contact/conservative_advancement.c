#include "contact/conservative_advancement.h"

#include "base/real.h"

#define FINEST 1e-6   // stretches of the way that are looked at
#define MOST 200      // moments that are looked at
#define KEEP 0.05     // of the gap there was: never given up
#define ENOUGH 0.1    // and where it is this small, there is no point in going on
#define TOUCHING 64.0 // roundings: a gap below it is none

// Heights are wrong by a rounding, and so is the level that they are compared to. What starts apart keeps a
// part of its gap, which is at least three roundings: so it is certain to stay above `near`. What touches at
// the start, or is nearer still, must not come nearer than it has been, but for the four roundings without
// which it could not even stay where it is.
double conservative_advancement(const Advance* a, double near)
{
    Moment now = a->look(a->pair, 0.0);
    double gap = now.distance - near, spare = 4.0 * a->rounding;
    bool touching = !(gap > TOUCHING * a->rounding);
    if (touching && now.rate < -spare) {
        return 0.0;
    }
    double level = touching ? real_min(near, now.distance) - spare : near + KEEP * gap;
    double enough = touching ? -INFINITY : near + ENOUGH * gap;
    double stretch = 1.0, reach = a->reach(a->pair, &now, level);
    for (int i = 1; i < MOST && now.time + reach < 1.0; i++) {
        stretch = real_min(real_max(stretch, reach), 1.0 - now.time);
        Moment next = a->look(a->pair, stretch < 1.0 - now.time ? now.time + stretch : 1.0);
        if (stretch > reach && !a->holds(a->pair, &now, &next, level)) {
            if (stretch < FINEST) {
                break;
            }
            stretch *= 0.5;
            continue;
        }
        if (next.time >= 1.0 || next.distance <= enough) {
            return next.time;
        }
        now = next;
        stretch *= 2.0;
        level = touching ? real_max(level, real_min(near, now.distance) - spare) : level;
        reach = a->reach(a->pair, &now, level);
    }
    return real_min(now.time + reach, 1.0);
}
