// Frequencies and buckling of a straight rod: its stiffness is taken from the program's own forces by
// differences, and its eigenvalues are counted by the signs of the pivots.
#include "theory.h"

#include <cordage/cordage.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAND = 5 }; // a node's force reaches two nodes far: with two displacements each, five off the diagonal

typedef struct Band { // symmetric, by rows: entry (i, i - k) at [i][k]
    int n;
    double (*rows)[BAND + 1];
} Band;

typedef struct Stand { // a straight rod of length, stiffness and mass per length 1 along x, and its sideways freedom
    CordWorld* world;
    CordRodId rod;
    int nodes;
    int first, last; // free nodes
    CordVec3 *x, *f; // (nodes)
    double* mass;    // the program's own (nodes)
} Stand;

// ---------------------------------------------------------------------------------------------------- the rod

static bool hold(const Stand* s, CordPlace at)
{
    CordClampDef clamp = cord_clamp_def_default();
    clamp.rod = s->rod;
    clamp.at = at;
    clamp.fix = CORD_FIX_FRAME;
    CordClampId id;
    return cord_clamp_create(s->world, &clamp, &id) == CORD_OK;
}

static bool stand_make(Stand* s, int elements, bool start, bool end, double twist)
{
    *s = (Stand){.nodes = elements + 1, .first = start ? 2 : 0, .last = end ? elements - 2 : elements};
    CordWorldDef world_def = cord_world_def_default();
    world_def.gravity = (CordVec3){0, 0, 0};
    CordRodDef def = cord_rod_def_default();
    def.stiffness = (CordStiffness){.EI1 = 1.0, .EI2 = 1.0, .GJ = 1.0, .EA = NAN, .mass_per_length = 1.0};
    def.inextensible = true;
    def.half_edge_start = start;
    def.half_edge_end = end;
    def.twist = twist;
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){1, 0, 0}, s->nodes);
    s->x = malloc(sizeof *s->x * (size_t)s->nodes);
    s->f = malloc(sizeof *s->f * (size_t)s->nodes);
    s->mass = malloc(sizeof *s->mass * (size_t)s->nodes);
    return s->x && s->f && s->mass && cord_world_create(&world_def, &s->world) == CORD_OK &&
           cord_rod_create(s->world, &def, &s->rod) == CORD_OK && (!start || hold(s, cord_at_start())) &&
           (!end || hold(s, cord_at_end())) && cord_rod_positions(s->world, s->rod, s->x) == CORD_OK &&
           cord_rod_masses(s->world, s->rod, s->mass) == CORD_OK;
}

static void stand_free(Stand* s)
{
    cord_world_destroy(s->world);
    free(s->x);
    free(s->f);
    free(s->mass);
}

static double* sideways(CordVec3* a, int freedom)
{
    return freedom % 2 == 0 ? &a[freedom / 2].y : &a[freedom / 2].z;
}

// ---------------------------------------------------------------------------------------------------- its stiffness

// Central differences of the forces. Sideways forces of a straight rod are exact to round-off relative to
// themselves, so the displacement may be tiny; it must be, as its square times the stiffest entry adds to the
// softest mode.
static bool stiffness(Stand* s, Band* k)
{
    const double small = 1e-9 / s->nodes;
    k->n = 2 * (s->last - s->first + 1);
    memset(k->rows, 0, sizeof *k->rows * (size_t)k->n);
    for (int j = 0; j < k->n; j++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double* moved = sideways(s->x + s->first, j);
            double kept = *moved;
            *moved = kept + sign * small;
            bool good = cord_rod_set_positions(s->world, s->rod, s->x) == CORD_OK &&
                        cord_rod_forces(s->world, s->rod, s->f) == CORD_OK;
            *moved = kept;
            if (!good) {
                return false;
            }
            for (int i = j; i <= j + BAND && i < k->n; i++) {
                k->rows[i][i - j] -= sign * *sideways(s->f + s->first, i) / (2.0 * small);
            }
        }
    }
    return true;
}

// How many eigenvalues of k - shift m lie below zero: the negative pivots (Sylvester).
static int eigenvalues_below(const Stand* s, const Band* k, double shift, double (*work)[BAND + 1])
{
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

// ---------------------------------------------------------------------------------------------------- frequencies

// The angular frequency of the mode'th sideways mode; each comes twice, once in y and once in z.
static double frequency(int elements, bool clamped, int mode)
{
    Stand s;
    Band k = {0}, work = {0};
    double omega = NAN;
    k.rows = malloc(sizeof *k.rows * 2 * (size_t)(elements + 1));
    work.rows = malloc(sizeof *work.rows * 2 * (size_t)(elements + 1));
    if (stand_make(&s, elements, clamped, false, 0.0) && k.rows && work.rows && stiffness(&s, &k)) {
        double low = 0.0, high = 1e6;
        for (int i = 0; i < 100; i++) {
            double middle = 0.5 * (low + high);
            if (eigenvalues_below(&s, &k, middle, work.rows) >= 2 * mode) {
                high = middle;
            } else {
                low = middle;
            }
        }
        omega = sqrt(0.5 * (low + high));
    }
    stand_free(&s);
    free(k.rows);
    free(work.rows);
    return omega;
}

static double squared(double x)
{
    return x * x;
}

double theory_cantilever_1(int elements)
{
    return frequency(elements, true, 1);
}

double theory_cantilever_2(int elements)
{
    return frequency(elements, true, 2);
}

double theory_cantilever_3(int elements)
{
    return frequency(elements, true, 3);
}

double theory_cantilever_1_exact(void)
{
    return squared(theory_beam_root(1, -1.0));
}

double theory_cantilever_2_exact(void)
{
    return squared(theory_beam_root(2, -1.0));
}

double theory_cantilever_3_exact(void)
{
    return squared(theory_beam_root(3, -1.0));
}

double theory_free_1(int elements) // the first two modes move the rod as a whole
{
    return frequency(elements, false, 3);
}

double theory_free_2(int elements)
{
    return frequency(elements, false, 4);
}

double theory_free_3(int elements)
{
    return frequency(elements, false, 5);
}

double theory_free_1_exact(void)
{
    return squared(theory_beam_root(1, 1.0));
}

double theory_free_2_exact(void)
{
    return squared(theory_beam_root(2, 1.0));
}

double theory_free_3_exact(void)
{
    return squared(theory_beam_root(3, 1.0));
}

// ---------------------------------------------------------------------------------------------------- buckling

static int unstable_directions(int elements, double twist)
{
    Stand s;
    Band k = {0}, work = {0};
    int count = -1;
    k.rows = malloc(sizeof *k.rows * 2 * (size_t)(elements + 1));
    work.rows = malloc(sizeof *work.rows * 2 * (size_t)(elements + 1));
    if (stand_make(&s, elements, true, true, twist) && k.rows && work.rows && stiffness(&s, &k)) {
        count = eigenvalues_below(&s, &k, 0.0, work.rows);
    }
    stand_free(&s);
    free(k.rows);
    free(work.rows);
    return count;
}

// The twist between two clamps, free to approach each other, at which the straight rod first has a way to
// give.
double theory_twist_buckling(int elements)
{
    double low = 0.0, high = 15.0;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        int count = unstable_directions(elements, middle);
        if (count < 0) {
            return NAN;
        }
        if (count > 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return 0.5 * (low + high);
}

double theory_twist_buckling_exact(void)
{
    double x = 4.4934; // tan x = x; the critical moment is 2 x EI / L
    for (int i = 0; i < 20; i++) {
        x -= (sin(x) - x * cos(x)) / (x * sin(x));
    }
    return 2.0 * x;
}
