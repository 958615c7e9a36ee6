// Conversion of a straight round rod to the framed form: for a solve and back, and for good.
#include "model/der/uniform.h"

Framed* der_make_frames(Memory* memory, Rod* rod)
{
    int n = rod->line.edge_count;
    CordVec3* m1 = memory_array(memory, CordVec3, n);
    double* turn_before = memory_array(memory, double, n);
    Framed* g = NULL;
    if (m1 && turn_before) {
        der_twist_frames(rod, m1);
        for (int j = 0; j < n; j++) {
            turn_before[(j + 1) % n] = der_twist_turn_after(rod, j);
        }
        g = framed_from_frames(memory, rod, m1, turn_before);
    }
    memory_array_free(memory, m1, n);
    memory_array_free(memory, turn_before, n);
    return g;
}

CordResult der_open_frames(Memory* memory, Rod* rod, Message* message)
{
    Framed* g = der_make_frames(memory, rod);
    if (!g || !framed_open_trial(memory, g, rod)) {
        framed_destroy(memory, g);
        return message_fail(message, CORD_NO_MEMORY, "no memory to solve for rod '%s'", rod->name);
    }
    framed_lend(rod, g);
    return CORD_OK;
}

void der_close_frames(Memory* memory, Rod* rod, double time)
{
    if (rod->form != MODEL_FRAMED) { // opening failed
        return;
    }
    Framed* g = framed_return(rod);
    CordDer* m = der_of(rod);
    const CordCenterline* c = &rod->line;
    m->anchor_t = edge_tangent(c, m->anchor_edge);
    m->anchor_m1 = slot_get(g->now.edges.m1, slot_of(c, m->anchor_edge));
    for (int j = 0; j < c->edge_count; j++) {
        // node j is before edge j; g->turn serves as scratch
        bool inner = c->closed || j > 0;
        g->turn[j] = inner ? framed_stressed_turn(g, rod, j) : 0.0;
    }
    der_twist_set_turns(rod, g->turn);
    framed_destroy(memory, g);
    der_twist_settle(rod, time);
}

// Frames of an earlier call may be out of date.
CordResult der_reserve_framed(Memory* memory, Rod* rod, Message* message)
{
    CordDer* m = der_of(rod);
    framed_destroy(memory, m->framed);
    m->framed = der_make_frames(memory, rod);
    return m->framed && framed_open_trial(memory, m->framed, rod)
               ? CORD_OK
               : message_fail(message, CORD_NO_MEMORY, "no memory for rod '%s'", rod->name);
}
