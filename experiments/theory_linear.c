// Frequencies and buckling of a straight rod: its stiffness is taken from the program's own forces by
// differences, and its eigenvalues are counted by the signs of the pivots.
#include "theory.h"

#include <math.h>
#include <string.h>

enum { BAND = 5 }; // a node's force reaches two nodes far: with two displacements each, five off the diagonal

typedef struct Band { // symmetric, by rows: entry (i, i - k) at [i][k]
    int n;
    double (*rows)[BAND + 1];
} Band;

// a straight rod of length, stiffness and mass per length 1 along x, and its sideways freedom
typedef struct Stand {
    CordWorld* world;
    CordRodId rod;
    int nodes;
    int first, last; // free nodes
    CordVec3 *x, *f; // (nodes)
    double* mass;    // the program's own (nodes)
    Band stiffness;
    double (*work)[BAND + 1]; // its factors
} Stand;

static double* sideways(CordVec3* a, int freedom)
{
    return freedom % 2 == 0 ? &a[freedom / 2].y : &a[freedom / 2].z;
}

// ---- its stiffness

// Central differences of the forces. Sideways forces of a straight rod are exact to round-off relative to
// themselves, so the displacement may be tiny; it must be, as its square times the stiffest entry adds to the
// softest mode.
static void find_stiffness(Lab* lab, Stand* s)
{
    Band* k = &s->stiffness;
    const double small = 1e-9 / s->nodes;
    k->n = 2 * (s->last - s->first + 1);
    memset(k->rows, 0, sizeof *k->rows * (size_t)k->n);
    for (int j = 0; j < k->n; j++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double* moved = sideways(s->x + s->first, j);
            double kept = *moved;
            *moved = kept + sign * small;
            lab_ok(lab, s->world, cord_rod_set_positions(s->world, s->rod, s->x));
            lab_ok(lab, s->world, cord_rod_forces(s->world, s->rod, s->f));
            *moved = kept;
            for (int i = j; i <= j + BAND && i < k->n; i++) {
                k->rows[i][i - j] -= sign * *sideways(s->f + s->first, i) / (2.0 * small);
            }
        }
    }
}

// How many eigenvalues of k - shift m lie below zero: the negative pivots (Sylvester).
static int eigenvalues_below(const Stand* s, double shift)
{
    const Band* k = &s->stiffness;
    double(*work)[BAND + 1] = s->work;
    int negative = 0;
    for (int i = 0; i < k->n; i++) {
        memcpy(work[i], k->rows[i], sizeof work[i]);
        work[i][0] -= shift * s->mass[s->first + i / 2];
        for (int j = i > BAND ? i - BAND : 0; j < i; j++) { // row i of L D L^T
            double sum = work[i][i - j];
            for (int m = i > BAND ? i - BAND : 0; m < j; m++) {
                if (j - m <= BAND) {
                    sum -= work[i][i - m] * work[j][j - m] * work[m][0];
                }
            }
            work[i][i - j] = sum / work[j][0];
        }
        for (int m = i > BAND ? i - BAND : 0; m < i; m++) {
            work[i][0] -= work[i][i - m] * work[i][i - m] * work[m][0];
        }
        negative += work[i][0] < 0.0;
    }
    return negative;
}

// ---- the rod

static Stand stand_make(Lab* lab, int elements, bool start, bool end, double twist)
{
    Stand s = {.nodes = elements + 1, .first = start ? 2 : 0, .last = end ? elements - 2 : elements};
    CordRodDef def = theory_rod(elements);
    def.half_edge_start = start;
    def.half_edge_end = end;
    def.twist = twist;
    s.x = lab_room(lab, (size_t)s.nodes, sizeof *s.x);
    s.f = lab_room(lab, (size_t)s.nodes, sizeof *s.f);
    s.mass = lab_room(lab, (size_t)s.nodes, sizeof *s.mass);
    s.stiffness.rows = lab_room(lab, 2 * (size_t)s.nodes, sizeof *s.stiffness.rows);
    s.work = lab_room(lab, 2 * (size_t)s.nodes, sizeof *s.work);
    s.world = lab_world_empty(lab, (CordVec3){0, 0, 0}, LAB_UNTIMED);
    s.rod = lab_rod(lab, s.world, &def);
    if (start) {
        lab_clamp(lab, s.world, s.rod, cord_at_start(), CORD_FIX_FRAME);
    }
    if (end) {
        lab_clamp(lab, s.world, s.rod, cord_at_end(), CORD_FIX_FRAME);
    }
    lab_ok(lab, s.world, cord_rod_positions(s.world, s.rod, s.x));
    lab_ok(lab, s.world, cord_rod_masses(s.world, s.rod, s.mass));
    find_stiffness(lab, &s);
    return s;
}

// ---- what comes of it

// Each comes twice, once in y and once in z.
double theory_frequency(Lab* lab, int elements, bool clamped, int mode)
{
    Stand s = stand_make(lab, elements, clamped, false, 0.0);
    double low = 0.0, high = 1e6;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(eigenvalues_below(&s, middle) >= 2 * mode ? &high : &low) = middle;
    }
    lab_discard(lab, s.world);
    return sqrt(0.5 * (low + high));
}

// The twist between two clamps, free to approach each other, at which the straight rod first becomes
// unstable.
double theory_twist_buckling(Lab* lab, int elements)
{
    double low = 0.0, high = 15.0;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        Stand s = stand_make(lab, elements, true, true, middle);
        *(eigenvalues_below(&s, 0.0) > 0 ? &high : &low) = middle;
        lab_discard(lab, s.world);
    }
    return 0.5 * (low + high);
}
