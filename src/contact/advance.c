#include "contact/advance.h"

#define FINEST 1e-6  // stretches of the way that are looked at
#define MOST 200     // moments that are looked at
#define KEEP 0.05    // of the gap there was: never given up
#define ENOUGH 0.1   // and where it is this small, there is no point in going on
#define TOUCHING 64.0 // roundings: a gap below it is none

// What the distance must not fall below. Heights are wrong by a rounding, and so is the distance that is compared to them: with two
// roundings to spare, what is certain to the computer is certain.
//
// Things that start apart keep a part of their gap, which is more than that. Things that touch at the start, or are nearer still,
// must not come nearer than they have been, but for rounding, until they are seen to be apart.
typedef struct Goal {
    double near;
    double level;
    double enough; // distance at which it is not worth going on
    double spare;  // two roundings [m]
    bool touching;
} Goal;

static Goal goal_at(const Moment* start, double near, double rounding)
{
    double gap = start->distance - near;
    if (gap > TOUCHING * rounding) {
        return (Goal){.near = near, .level = near + KEEP * gap, .enough = near + ENOUGH * gap};
    }
    double spare = 2.0 * rounding;
    return (Goal){near, fmin(near, start->distance) - 2.0 * spare, -INFINITY, spare, .touching = true};
}

static void goal_follow(Goal* g, const Moment* m)
{
    double apart = 0.5 * TOUCHING * g->spare;
    if (g->touching && m->distance > g->near + apart) {
        g->touching = false;
        g->level = g->near + g->spare;
        g->enough = g->near + 0.5 * apart;
    } else if (g->touching) {
        g->level = fmax(g->level, fmin(g->near, m->distance) - 2.0 * g->spare);
    }
}

static bool comes_nearer(const Goal* g, const Moment* m)
{
    return g->touching && m->distance < g->near && m->rate < -2.0 * g->spare;
}

double advance_until(const Advance* a, double near)
{
    Moment now = a->look(a->pair, 0.0);
    Goal goal = goal_at(&now, near, a->rounding);
    if (goal.touching && now.rate < -2.0 * goal.spare) {
        return 0.0;
    }
    double stretch = 1.0, reach = a->reach(a->pair, &now, goal.level);
    for (int i = 1; i < MOST && now.time + reach < 1.0; i++) {
        stretch = fmin(goal.touching ? stretch : fmax(stretch, reach), 1.0 - now.time);
        Moment next = a->look(a->pair, stretch < 1.0 - now.time ? now.time + stretch : 1.0);
        bool certain = stretch <= reach || a->holds(a->pair, &now, &next, goal.level);
        if (!certain || comes_nearer(&goal, &next)) {
            if (stretch < FINEST) {
                break;
            }
            stretch *= 0.5;
            continue;
        }
        if (next.time >= 1.0 || next.distance <= goal.enough) {
            return next.time;
        }
        now = next;
        stretch *= 2.0;
        goal_follow(&goal, &now);
        reach = a->reach(a->pair, &now, goal.level);
    }
    double end = fmin(now.time + reach, 1.0);
    return end < 1.0 && goal.touching ? now.time : end;
}
