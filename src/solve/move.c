#include "solve/move.h"

#include <string.h>

size_t slots_scratch(const CordCenterline* c, int count)
{
    return (size_t)count * arena_space(centerline_block_size(c, 1), 1);
}

double* slots_push(const CordCenterline* c, Arena* scratch)
{
    size_t size = centerline_block_size(c, 1);
    double* a = arena_push_bytes(scratch, size);
    memset(a, 0, size);
    return a + CENTERLINE_PAD;
}

void slots_copy(const CordCenterline* c, double* const to[3], double* const from[3])
{
    for (int k = 0; k < 3; k++) {
        memcpy(to[k], from[k], (size_t)c->slot_count * sizeof(double));
    }
}

void slots_shift(const CordCenterline* c, double* const to[3], double* const from[3], CordVec3 by)
{
    for (int s = 0; s < c->slot_count; s++) {
        slot_set(to, s, vec3_add(slot_get(from, s), by));
    }
}

size_t move_scratch(const CordCenterline* c)
{
    return slots_scratch(c, 5);
}

Move move_open(const CordCenterline* c, Arena* scratch)
{
    Move m;
    for (int k = 0; k < 3; k++) {
        m.x[k] = slots_push(c, scratch);
    }
    m.n = slots_push(c, scratch);
    m.angle = slots_push(c, scratch);
    return m;
}

static double* part(const Move* m, int i)
{
    return i < 3 ? m->x[i] : i == 3 ? m->n : m->angle;
}

void move_clear(const CordCenterline* c, Move* m)
{
    for (int i = 0; i < 5; i++) {
        memset(part(m, i), 0, (size_t)c->slot_count * sizeof(double));
    }
}

void move_copy(const CordCenterline* c, Move* to, const Move* from)
{
    for (int i = 0; i < 5; i++) {
        memcpy(part(to, i), part(from, i), (size_t)c->slot_count * sizeof(double));
    }
}

void move_add(const CordCenterline* c, Move* to, const Move* from, double share)
{
    for (int i = 0; i < 5; i++) {
        double *a = part(to, i), *b = part(from, i);
        for (int s = 0; s < c->slot_count; s++) {
            a[s] += share * b[s];
        }
    }
}

void move_wrap(const CordCenterline* c, Move* m)
{
    for (int i = 0; i < 5; i++) {
        centerline_wrap_one(c, part(m, i));
    }
}
