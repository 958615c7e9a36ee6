// Trial frames for implicit steps and static solves: where they come from, and go to.
#include "model/der/der.h"

bool der_make_framed(Memory* memory, Rod* rod)
{
    int n = rod->line.edge_count;
    CordVec3* m1 = memory_array(memory, CordVec3, n);
    double* turn_before = memory_array(memory, double, n);
    if (m1 && turn_before) {
        der_twist_frames(rod, m1);
        for (int j = 0; j < n; j++) {
            turn_before[(j + 1) % n] = der_twist_turn_after(rod, j);
        }
        rod->framed = framed_from_frames(memory, rod, m1, turn_before);
    }
    memory_array_free(memory, m1, n);
    memory_array_free(memory, turn_before, n);
    return rod->framed != NULL;
}

// A straight round rod becomes a general one while it is solved for, and then itself again.
static CordResult open(Memory* memory, Rod* rod, Message* message)
{
    CordDer* m = der_of(rod);
    m->lent = !rod->framed;
    if ((rod->framed || der_make_framed(memory, rod)) && framed_open_trial(memory, rod->framed, rod)) {
        return CORD_OK;
    }
    if (m->lent) {
        framed_destroy(memory, rod->framed);
        rod->framed = NULL;
        m->lent = false;
    }
    return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
}

static void close(Memory* memory, Rod* rod, double time)
{
    CordDer* m = der_of(rod);
    Framed* g = rod->framed;
    if (!m->lent) {
        if (g) {
            framed_close_trial(memory, g, rod);
        }
        return;
    }
    const CordCenterline* c = &rod->line;
    m->anchor_t = edge_tangent(c, m->anchor_edge);
    m->anchor_m1 = slot_get(g->now.edges.m1, slot_of(c, m->anchor_edge));
    for (int j = 0; j < c->edge_count; j++) {
        // node j sits before edge j; the arrays are the general rod's own
        bool inner = c->closed || j > 0;
        g->turn[j] = inner ? framed_stressed_turn(g, rod, j) : 0.0;
    }
    der_twist_set_turns(rod, g->turn);
    rod->framed = NULL;
    m->lent = false;
    framed_destroy(memory, g);
    der_twist_settle(rod, time);
}

const ModelTrial der_trial = {
    .open = open,
    .close = close,
    FRAMED_TRIAL,
};
