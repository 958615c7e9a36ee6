// Modal rods for the claims about physics: the paper's rubber rod, and networks of beams.
#ifndef CORDAGE_TEST_VALIDATE_MODALS_H
#define CORDAGE_TEST_VALIDATE_MODALS_H

#include "rods.h"

#include <cordage/modal.h>

#include <stdlib.h>

#define RUBBER_LENGTH 0.2 // [m]
#define RUBBER_RADIUS 4e-3
#define RUBBER_YOUNG 11e6 // [Pa]
#define RUBBER_DENSITY 1100.0

static inline double rubber_EI(void)
{
    return RUBBER_YOUNG * pi * pow(RUBBER_RADIUS, 4) / 4;
}

static inline double rubber_mass(void) // per length
{
    return RUBBER_DENSITY * pi * RUBBER_RADIUS * RUBBER_RADIUS;
}

// Along x from the origin; incompressible.
static inline CordRodDef rubber_def(int elements, int modes)
{
    CordRodDef def = cord_rod_def_default();
    def.model = CORD_MODEL_MODAL;
    def.material.young = RUBBER_YOUNG, def.material.poisson = 0.5, def.material.density = RUBBER_DENSITY;
    def.section = cord_section_disc(RUBBER_RADIUS);
    def.shape = cord_shape_line((CordVec3){0, 0, 0}, (CordVec3){RUBBER_LENGTH, 0, 0}, elements + 1);
    def.modal.modes = modes;
    return def;
}

static inline CordClampId hold_freedoms(CordWorld* world, CordRodId rod, CordPlace at, unsigned freedoms)
{
    CordClampDef def = clamp_def(rod, at, CORD_FIX_FREEDOMS);
    def.freedoms = freedoms;
    return add_clamp(world, &def);
}

static inline int mode_count(const CordWorld* world, CordRodId rod)
{
    int count = cord_rod_mode_count(world, rod);
    if (count == 0) {
        print_error("%s\n", cord_world_message(world));
    }
    CHECK(count > 0);
    return count;
}

static inline double omega_of(const CordWorld* world, CordRodId rod, int mode)
{
    CordMode m;
    mode_count(world, rod);
    CHECK_OK(cord_rod_mode(world, rod, mode, &m));
    return sqrt(m.omega2);
}

// ---- networks whose beams are split into several elements

#define MOST_BEAMS 64
#define MOST_PARTS 32

typedef struct Frame {
    CordVec3 joint[MOST_BEAMS];
    int beam[MOST_BEAMS][2];
    int joint_count, beam_count;
} Frame;

// Joints come first, as nodes of their own numbers.
static inline CordRodId add_frame(CordWorld* world, const Frame* f, int parts, CordRodDef def)
{
    static CordVec3 x[MOST_BEAMS * (1 + MOST_PARTS)];
    static int ends[2 * MOST_BEAMS * MOST_PARTS];
    int nodes = f->joint_count, edges = 0;
    memcpy(x, f->joint, sizeof *x * (size_t)nodes);
    for (int b = 0; b < f->beam_count; b++) {
        int from = f->beam[b][0], last = from;
        for (int k = 1; k <= parts; k++) {
            int node = k == parts ? f->beam[b][1] : nodes++;
            if (k < parts) {
                x[node] = plus(times(f->joint[from], 1.0 - (double)k / parts),
                               times(f->joint[f->beam[b][1]], (double)k / parts));
            }
            ends[2 * edges] = last, ends[2 * edges + 1] = node;
            edges++, last = node;
        }
    }
    def.shape = cord_shape_network(x, nodes, ends, edges);
    return add_rod(world, &def);
}

#endif
