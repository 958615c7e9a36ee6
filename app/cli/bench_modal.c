#include "bench_modal.h"

#include "finding.h"
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>

static TimingModal measure(Lab* lab, CordWorld* world)
{
    TimingModal cost = lab ? timing_modal(lab, world) : (TimingModal){.modes = NAN, .frame = NAN};
    lab_close(lab);
    return cost;
}

TimingModal bench_modal_animal(void)
{
    Lab* lab = lab_open(reproduce_host());
    return measure(lab, lab ? lab_world_timed(lab, LAB_UNTIMED, "modal/fig7", LAB_AS_SHIPPED) : NULL);
}

// ---- balls

typedef struct Ball {
    int rings, around, nodes, edges;
    CordVec3* x; // (nodes): the lower pole, the rings, the upper pole
    int* ends;   // (2 edges)
} Ball;

static void ball_edge(Ball* b, int from, int to)
{
    b->ends[2 * b->edges] = from;
    b->ends[2 * b->edges + 1] = to;
    b->edges++;
}

static void ball_connect(Ball* b)
{
    for (int i = 0; i < b->rings; i++) {
        for (int j = 0; j < b->around; j++) {
            int here = 1 + i * b->around + j, next = 1 + i * b->around + (j + 1) % b->around;
            ball_edge(b, here, next);
            ball_edge(b, here, i + 1 < b->rings ? here + b->around : b->nodes - 1);
            if (i + 1 < b->rings) {
                ball_edge(b, here, next + b->around);
            }
            if (i == 0) {
                ball_edge(b, 0, here);
            }
        }
    }
}

static bool ball_make(Ball* b, int rings)
{
    const double pi = 3.14159265358979324, radius = 0.5;
    *b = (Ball){.rings = rings, .around = 2 * rings, .nodes = 2 * rings * rings + 2};
    b->x = malloc(sizeof *b->x * (size_t)b->nodes);
    b->ends = malloc(sizeof *b->ends * 6 * (size_t)b->nodes);
    if (!b->x || !b->ends) {
        return false;
    }
    b->x[0] = (CordVec3){0, 0, 0};
    b->x[b->nodes - 1] = (CordVec3){0, 0, 2.0 * radius};
    for (int i = 0; i < rings; i++) {
        double polar = pi * (i + 1) / (rings + 1);
        for (int j = 0; j < b->around; j++) {
            double turn = 2.0 * pi * j / b->around;
            b->x[1 + i * b->around + j] =
                (CordVec3){radius * sin(polar) * cos(turn), radius * sin(polar) * sin(turn),
                           radius * (1.0 - cos(polar))};
        }
    }
    ball_connect(b);
    return true;
}

static CordWorld* ball_world(const Ball* b, int modes)
{
    CordModalHooks hooks = finding_hooks_anew();
    CordWorldDef def = cord_world_def_default();
    def.modal = &hooks;
    CordRodDef rod = cord_rod_def_default();
    rod.model = CORD_MODEL_MODAL;
    rod.modal.modes = modes;
    rod.material.young = 1.1e7;
    rod.section = cord_section_disc(0.008);
    rod.shape = cord_shape_network(b->x, b->nodes, b->ends, b->edges);
    CordClampDef clamp = cord_clamp_def_default();
    clamp.at = cord_at_node(0);
    clamp.fix = CORD_FIX_FRAME;
    CordClampId id;
    CordWorld* world = NULL;
    if (cord_world_create(&def, &world) != CORD_OK || cord_rod_create(world, &rod, &clamp.rod) != CORD_OK ||
        cord_clamp_create(world, &clamp, &id) != CORD_OK) {
        cord_world_destroy(world);
        return NULL;
    }
    return world;
}

TimingModal bench_modal_ball(int rings, int modes)
{
    Ball b;
    CordWorld* world = ball_make(&b, rings) ? ball_world(&b, modes) : NULL;
    free(b.x);
    free(b.ends);
    return measure(lab_open(reproduce_host()), world);
}
