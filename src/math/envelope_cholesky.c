#include "math/envelope_cholesky.h"

#include "base/assert.h"
#include "math/cuthill_mckee.h"
#include "math/envelope_cholesky_kernel.h"

#include <string.h>

static const EnvelopeKernels* kernels(void)
{
    return KERNEL_CHOOSE(envelope_kernels);
}

static void find_envelope(Envelope* e, const CordEigenProblem* p)
{
    for (int i = 0; i < e->rows / 4; i++) {
        int first = 4 * i;
        for (int a = 4 * i; a < 4 * i + 4 && a < e->n; a++) {
            for (int k = p->start[e->order[a]]; k < p->start[e->order[a] + 1]; k++) {
                int column = e->place[p->row[k]];
                first = column < first ? column : first;
            }
        }
        e->first[i] = first / 4 * 4;
        e->start[i + 1] = e->start[i] + 4 * (size_t)(4 * i + 4 - e->first[i]);
    }
}

bool envelope_create(Memory* memory, const CordEigenProblem* p, Envelope* e)
{
    *e = (Envelope){.memory = memory, .n = p->size, .rows = (p->size + 3) / 4 * 4};
    e->order = memory_array(memory, int, e->n);
    e->place = memory_array(memory, int, e->n);
    e->first = memory_array(memory, int, e->rows / 4);
    e->start = memory_array(memory, size_t, e->rows / 4 + 1);
    e->x = memory_array(memory, double, ENVELOPE_MAX_SIDES * e->rows);
    bool good = e->order && e->place && e->first && e->start && e->x &&
                reverse_cuthill_mckee(memory, e->n, p->start, p->row, e->order);
    if (good) {
        for (int i = 0; i < e->n; i++) {
            e->place[e->order[i]] = i;
        }
        find_envelope(e, p);
        e->l = memory_array(memory, double, e->start[e->rows / 4]);
    }
    if (!good || !e->l) {
        envelope_destroy(e);
        return false;
    }
    return true;
}

void envelope_destroy(Envelope* e)
{
    if (!e->memory) {
        return;
    }
    if (e->l) {
        memory_array_free(e->memory, e->l, e->start[e->rows / 4]);
    }
    memory_array_free(e->memory, e->order, e->n);
    memory_array_free(e->memory, e->place, e->n);
    memory_array_free(e->memory, e->first, e->rows / 4);
    memory_array_free(e->memory, e->start, e->rows / 4 + 1);
    memory_array_free(e->memory, e->x, ENVELOPE_MAX_SIDES * e->rows);
    *e = (Envelope){0};
}

static double* entry(const Envelope* e, int row, int column)
{
    return e->l + e->start[row / 4] + 4 * (size_t)(column - e->first[row / 4]) + row % 4;
}

int envelope_factor(const Envelope* e, const CordEigenProblem* p, double shift)
{
    memset(e->l, 0, e->start[e->rows / 4] * sizeof *e->l);
    for (int i = 0; i < e->n; i++) {
        for (int k = p->start[e->order[i]]; k < p->start[e->order[i] + 1]; k++) {
            int column = e->place[p->row[k]];
            if (column / 4 <= i / 4) {
                *entry(e, i, column) = p->K[k] - shift * p->M[k];
            }
        }
    }
    for (int i = e->n; i < e->rows; i++) {
        *entry(e, i, i) = 1.0;
    }
    int bad = kernels()->factor(e);
    return bad >= 0 ? e->order[bad] : -1;
}

void envelope_solve(const Envelope* e, int count, double* x)
{
    CORD_ASSERT(count <= ENVELOPE_MAX_SIDES);
    for (int k = 0; k < count; k++) {
        double *in = x + (size_t)k * (size_t)e->n, *out = e->x + (size_t)k * (size_t)e->rows;
        for (int i = 0; i < e->rows; i++) {
            out[i] = i < e->n ? in[e->order[i]] : 0.0;
        }
    }
    kernels()->solve(e, count, e->x);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < e->n; i++) {
            x[(size_t)k * (size_t)e->n + (size_t)e->order[i]] = e->x[(size_t)k * (size_t)e->rows + (size_t)i];
        }
    }
}
