// Modes of a structure with several connected components ("parts"), each solved separately. In one
// eigenproblem equal parts would have equal eigenvalues, as many as there are parts, and Lanczos solvers do
// not handle that.
#include "model/modal/modal.h"
#include "rod/network.h"

#include <string.h>

typedef struct Parts {
    int count;
    int* of;      // the part of each unknown (size)
    int* place;   // its index within the part (size)
    int* first;   // index of a part's first unknown in `unknown` (count + 1)
    int* unknown; // unknowns sorted by part, ascending in each (size)
    // Matrices of the part being solved, in compressed columns.
    int *start, *row; // (size + 1), (entries)
    double *K, *M;    // (entries)
    // Results of all parts.
    int *pairs, *taken; // number of eigenpairs of a part, and of those already merged (count)
    double* lambda;     // (count x wanted)
    double* phi;        // a part's vectors start at wanted times its first unknown (wanted x size)
} Parts;

static void parts_free(Memory* m, Parts* p, const CordEigenProblem* e)
{
    size_t size = (size_t)e->size, entries = (size_t)e->start[e->size], wanted = (size_t)e->count;
    memory_array_free(m, p->of, size);
    memory_array_free(m, p->place, size);
    memory_array_free(m, p->unknown, size);
    memory_array_free(m, p->first, (size_t)p->count + 1);
    memory_array_free(m, p->pairs, p->count);
    memory_array_free(m, p->taken, p->count);
    memory_array_free(m, p->start, size + 1);
    memory_array_free(m, p->row, entries);
    memory_array_free(m, p->K, entries);
    memory_array_free(m, p->M, entries);
    memory_array_free(m, p->lambda, (size_t)p->count * wanted);
    memory_array_free(m, p->phi, size * wanted);
}

static bool parts_make(Memory* m, Parts* p, const CordEigenProblem* e)
{
    size_t size = (size_t)e->size, entries = (size_t)e->start[e->size], wanted = (size_t)e->count;
    p->of = memory_array(m, int, size);
    p->place = memory_array(m, int, size);
    p->unknown = memory_array(m, int, size);
    p->first = memory_array(m, int, (size_t)p->count + 1);
    p->pairs = memory_array(m, int, p->count);
    p->taken = memory_array(m, int, p->count);
    p->start = memory_array(m, int, size + 1);
    p->row = memory_array(m, int, entries);
    p->K = memory_array(m, double, entries);
    p->M = memory_array(m, double, entries);
    p->lambda = memory_array(m, double, (size_t)p->count* wanted);
    p->phi = memory_array(m, double, size* wanted);
    return p->of && p->place && p->unknown && p->first && p->pairs && p->taken && p->start && p->row &&
           p->K && p->M && p->lambda && p->phi;
}

static void sort_unknowns(Parts* p, const int* component, const ModalMatrix* a)
{
    for (int k = 0; k < NODE_FREEDOMS * a->node_count; k++) {
        if (a->unknown[k] >= 0) {
            p->of[a->unknown[k]] = component[k / NODE_FREEDOMS];
            p->first[component[k / NODE_FREEDOMS] + 1]++;
        }
    }
    for (int c = 0; c < p->count; c++) {
        p->first[c + 1] += p->first[c];
    }
    for (int i = 0; i < a->unknowns; i++) { // `pairs` is not in use yet and counts the unknowns placed
        int c = p->of[i];
        p->place[i] = p->pairs[c]++;
        p->unknown[p->first[c] + p->place[i]] = i;
    }
}

static CordEigenProblem part_problem(Parts* p, const CordEigenProblem* e, int c)
{
    int size = p->first[c + 1] - p->first[c], at = 0;
    for (int j = 0; j < size; j++) {
        int column = p->unknown[p->first[c] + j];
        p->start[j] = at;
        for (int k = e->start[column]; k < e->start[column + 1]; k++, at++) {
            p->row[at] = p->place[e->row[k]];
            p->K[at] = e->K[k], p->M[at] = e->M[k];
        }
    }
    p->start[size] = at;
    CordEigenProblem part = *e;
    part.size = size, part.count = e->count < size ? e->count : size;
    part.start = p->start, part.row = p->row, part.K = p->K, part.M = p->M;
    return part;
}

// Merges the lowest eigenpairs of all parts in ascending order. Equal ones are in the order of the parts.
static void merge(Parts* p, const CordEigenProblem* e, double* lambda, double* phi)
{
    size_t wanted = (size_t)e->count;
    memset(phi, 0, sizeof *phi * wanted * (size_t)e->size);
    for (int k = 0; k < e->count; k++) {
        int best = -1;
        for (int c = 0; c < p->count; c++) {
            bool left = p->taken[c] < p->pairs[c];
            bool lower = left && (best < 0 || p->lambda[(size_t)c * wanted + (size_t)p->taken[c]] <
                                                  p->lambda[(size_t)best * wanted + (size_t)p->taken[best]]);
            best = lower ? c : best;
        }
        int size = p->first[best + 1] - p->first[best], taken = p->taken[best]++;
        const double* own = p->phi + wanted * (size_t)p->first[best] + (size_t)taken * (size_t)size;
        lambda[k] = p->lambda[(size_t)best * wanted + (size_t)taken];
        for (int i = 0; i < size; i++) {
            phi[(size_t)k * (size_t)e->size + (size_t)p->unknown[p->first[best] + i]] = own[i];
        }
    }
}

CordResult parts_lowest(Memory* m, const Rod* rod, const ModalMatrix* a, const CordEigenProblem* e,
                        PartSolver solve, void* user, double* lambda, double* phi, Message* message)
{
    int n = rod->line.node_count;
    int* component = memory_array(m, int, n);
    Parts p = {.count =
                   component ? network_components(modal_ends(rod), rod->line.edge_count, n, component) : 1};
    CordResult result = CORD_OK;
    if (p.count == 1) {
        memory_array_free(m, component, n);
        return component
                   ? solve(user, e, lambda, phi, message)
                   : message_fail(message, CORD_NO_MEMORY, "no memory for the parts of rod '%s'", rod->name);
    }
    if (parts_make(m, &p, e)) {
        sort_unknowns(&p, component, a);
        for (int c = 0; c < p.count && result == CORD_OK; c++) {
            CordEigenProblem part = part_problem(&p, e, c);
            p.pairs[c] = part.count;
            size_t wanted = (size_t)e->count;
            result = part.size == 0 ? CORD_OK
                                    : solve(user, &part, p.lambda + (size_t)c * wanted,
                                            p.phi + wanted * (size_t)p.first[c], message);
        }
    } else {
        result = message_fail(message, CORD_NO_MEMORY, "no memory for the parts of rod '%s'", rod->name);
    }
    if (result == CORD_OK) {
        merge(&p, e, lambda, phi);
    }
    parts_free(m, &p, e);
    memory_array_free(m, component, n);
    return result;
}
