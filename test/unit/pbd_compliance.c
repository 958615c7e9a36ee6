// How the end of a position-based step moves with what pushes the rod: W that models tell, against steps that
// were pushed.
#include "model/pbd/pbd.h"
#include "pbd_ways.h"
#include "rod/load.h"
#include "step/position.h"
#include "world/world.h"

#define NODES 9
// A push, times h^2 and over the inverse mass: what it moves is below 1e-5 of an edge, and its round-off
// below 1e-9 of what it moves.
#define PUSH 1e-8

static const int every[NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8}; // node

typedef struct Pushed {
    CordWorld* world;
    Rod* rod;
    StepInfo step;
    Arena scratch;
    double v[3][NODES + 8], spin[NODES + 8]; // as forces leave them, by slot
} Pushed;

static void copy_slots(const CordCenterline* c, double* to, const double* from)
{
    memcpy(to, from, sizeof *to * (size_t)c->slot_count);
}

static Pushed start(CordWorld* world)
{
    Pushed p = {.world = world,
                .rod = slots_at(&world->rods, 0),
                .step = {world->time, STEP, STEP, world->gravity, true}};
    const CordCenterline* c = &p.rod->line;
    CHECK(c->slot_count <= NODES + 8);
    CHECK(arena_reserve(&world->memory, &p.scratch, pbd_compliance_scratch(p.rod)));
    model_position.kick(p.rod, &p.step, false);
    clamps_apply(p.rod, world->time + STEP, STEP, c->v_next);
    for (int k = 0; k < 3; k++) {
        copy_slots(c, p.v[k], c->v_next[k]);
    }
    copy_slots(c, p.spin, pbd_of(p.rod)->framed->spin_next);
    return p;
}

static void end(Pushed* p)
{
    arena_free(&p->world->memory, &p->scratch);
    cord_world_destroy(p->world);
}

// The step with a push on one of the four unknowns of a node; where that brings all of them.
static void advance(Pushed* p, int node, int unknown, double push, double out[4 * NODES])
{
    const CordCenterline* c = &p->rod->line;
    Framed* g = pbd_of(p->rod)->framed;
    for (int k = 0; k < 3; k++) {
        copy_slots(c, c->v_next[k], p->v[k]);
    }
    copy_slots(c, g->spin_next, p->spin);
    int s = slot_of(c, node);
    if (unknown < 3) {
        c->v_next[unknown][s] += c->w[s] * push / p->step.h;
    } else {
        g->spin_next[s] += g->may_turn[s] / g->spin_inertia[s] * push / p->step.h;
    }
    pbd_advance(&p->rod, 1, &p->step, false, &p->scratch);
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < 3; k++) {
            out[4 * i + k] = c->x_next[k][slot_of(c, i)];
        }
        out[4 * i + 3] = i < c->edge_count ? p->step.h * g->spin_next[slot_of(c, i)] : 0.0;
    }
}

typedef struct Off {
    double x, turn; // the largest of what W says less what pushes do, over the largest that a push does
} Off;

static bool can_be_pushed(const Rod* rod, int i)
{
    const CordCenterline* c = &rod->line;
    return i % 4 < 3 ? c->w[slot_of(c, i / 4)] > 0.0
                     : i / 4 < c->edge_count && pbd_of(rod)->framed->may_turn[slot_of(c, i / 4)] > 0.0;
}

static Off error_of(Pushed* p)
{
    double W[16 * NODES * NODES], by[4 * NODES], back[4 * NODES];
    Off off = {0.0, 0.0};
    advance(p, 0, 0, 0.0, by);
    Compliance wanted = {NODES, every, W, NULL};
    pbd_compliance(&p->rod, 1, &p->step, &wanted, &p->scratch);
    for (int i = 0; i < 4 * NODES; i++) {
        double push = PUSH * (i % 4 == 3 ? 1e-3 : 1.0), most[2] = {0.0, 0.0}, worst[2] = {0.0, 0.0};
        if (!can_be_pushed(p->rod, i)) {
            continue;
        }
        advance(p, i / 4, i % 4, push, by);
        advance(p, i / 4, i % 4, -push, back);
        for (int j = 0; j < 4 * NODES; j++) {
            double slope = (by[j] - back[j]) / (2.0 * push), told = W[4 * NODES * i + j];
            CHECK(told == W[4 * NODES * j + i]);
            most[j % 4 == 3] = fmax(most[j % 4 == 3], fabs(slope));
            worst[j % 4 == 3] = fmax(worst[j % 4 == 3], fabs(slope - told));
        }
        off.x = most[0] > 1e-6 ? fmax(off.x, worst[0] / most[0]) : off.x; // what no torque moves is noise
        off.turn = most[1] > 1e-6 ? fmax(off.turn, worst[1] / most[1]) : off.turn;
    }
    return off;
}

static CordWorld* world_of(CordRodDef def, bool held)
{
    CordWorld* world = new_world(down);
    def.pbd.tolerance = 1e-13;
    def.dynamic_twist = true;
    CordRodId rod = add_rod(world, &def);
    if (held) {
        hold(world, rod, cord_at_start(), CORD_FIX_FRAME);
    }
    CHECK_OK(world_prepare(world));
    return world;
}

// Differences are as good as the steps they are taken of: tolerance 1e-13 of an edge, over what PUSH moves.
#define EXACT 1e-7
// Turns are counted along the way that their edge went, and W counts them from the end of it: what bends in
// the step has them otherwise by as much as it turns, and the inertia of frames makes a little of that felt
// in positions.
#define TURNED 1e-2

static void check_told(CordRodDef def, bool held, int steps)
{
    CordWorld* world = world_of(def, held);
    run(world, STEP, steps);
    Pushed p = start(world);
    Off off = error_of(&p);
    CHECK_NEAR(off.x, 0.0, held ? TURNED : EXACT);
    CHECK(held || off.turn <= EXACT);
    end(&p);
}

TEST(rods_give_way_as_they_tell)
{
    for (int i = 0; i < 16; i++) {
        CordRodDef def = pbd_def(i & 4 ? ring_def(NODES) : line_def(NODES), DIRECT);
        def.damping_time = i & 2 ? 0.01 : 0.0;
        def.stiffness.EI2 = i & 8 ? 0.05 : RODS_EI;
        check_told(def, i & 1, i & 4 ? 20 : 0);
    }
}

// Compressed and bent, a rod gives way far more than its slopes alone say: by half as much again in a ring
// that is held open.
TEST(stress_counts)
{
    CordRodDef def = pbd_def(ring_def(NODES), DIRECT);
    def.stiffness.GJ = 10.0 * RODS_GJ;
    check_told(def, false, 20);
}

// Some of its nodes alone, and rods beside each other, are told the same bits.
TEST(company_and_what_else_is_asked_change_nothing)
{
    CordWorld* world = new_world(down);
    Rod* rods[STEPPER_BATCH];
    double all[STEPPER_BATCH][16 * NODES * NODES], some[STEPPER_BATCH][16 * NODES * NODES];
    const int few[3] = {2, 5, 7};
    Compliance wanted[STEPPER_BATCH];
    for (int i = 0; i < STEPPER_BATCH; i++) {
        CordRodDef def = pbd_def(line_def(NODES), DIRECT);
        def.stiffness.EI1 *= 1 + i, def.twist = 0.3 * i, def.rest = CORD_REST_STRAIGHT;
        CordRodId id = add_rod(world, &def);
        if (i % 2) {
            hold(world, id, cord_at_start(), CORD_FIX_FRAME);
        }
    }
    run(world, STEP, 5);
    StepInfo step = {world->time, STEP, STEP, world->gravity, true};
    Arena scratch = {0};
    CHECK(arena_reserve(&world->memory, &scratch, pbd_compliance_scratch(slots_at(&world->rods, 0))));
    for (int i = 0; i < STEPPER_BATCH; i++) {
        rods[i] = slots_at(&world->rods, i);
        wanted[i] = (Compliance){NODES, every, all[i], NULL};
        pbd_compliance(&rods[i], 1, &step, &wanted[i], &scratch);
        wanted[i] = (Compliance){i == 2 ? NODES : 3, i == 2 ? every : few, some[i], NULL};
    }
    pbd_compliance(rods, STEPPER_BATCH, &step, wanted, &scratch);
    for (int i = 0; i < STEPPER_BATCH; i++) {
        for (int k = 0; k < 4 * wanted[i].count; k++) {
            for (int m = 0; m < 4 * wanted[i].count; m++) {
                int from = 4 * wanted[i].node[k / 4] + k % 4, to = 4 * wanted[i].node[m / 4] + m % 4;
                CHECK(some[i][4 * wanted[i].count * k + m] == all[i][4 * NODES * from + to]);
            }
        }
    }
    arena_free(&world->memory, &scratch);
    cord_world_destroy(world);
}

TEST_GROUP(pbd_compliance)
