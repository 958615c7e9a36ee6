// The ledger against what it must add up to: the energy and the momentum that rods have.
#include "claims.h"

#include <cordage/ledger.h>

// A rod on a clamp that is shaken and turned, pushed, dragged and damped.
static CordWorld* driven_world(const Subject* s)
{
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = subject_rod(s, 21);
    def.twist = 0.0;
    def.material.viscosity = def.inextensible ? 0.0 : 500.0;
    CordRodId rod = add_rod(world, &def);
    CordMotion motions[] = {cord_motion_oscillate((CordVec3){0, 0.02, 0.01}, 3.0, 0.0),
                            cord_motion_rotate((CordVec3){1, 0, 0}, 1.0, 0.0, 1.0)};
    hold_moving(world, rod, s->model == CORD_MODEL_MODAL ? cord_at_start() : cord_at_edge(0), CORD_FIX_FRAME,
                motions, s->model == CORD_MODEL_MODAL ? 1 : 2);
    add_force(world, rod, cord_at_end(), (CordVec3){0.2, 0.5, 0.1});
    add_drag(world, rod, 0.1);
    return world;
}

static CordLedger ledger_after(CordWorld* world, double h, int steps)
{
    CordLedger ledger;
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    for (int i = 0; i < steps; i++) {
        run(world, h, 1);
        CHECK_WORLD_OK(world, cord_ledger_update(world));
    }
    CHECK_WORLD_OK(world, cord_ledger_read(world, &ledger));
    return ledger;
}

typedef struct Shares { // of the energy that was turned over
    double error, lost; // not accounted for, and taken by the integrator
} Shares;

static Shares ledger_shares(const Subject* s, int finer)
{
    double h = s->step / finer;
    CordWorld* world = driven_world(s);
    CordLedger ledger = ledger_after(world, h, (int)(0.2 / h + 0.5));
    Shares shares = {.error = ledger.error / ledger.turnover};
    double sum = 0.0;
    for (int i = 0; i < ledger.entry_count; i++) {
        const CordLedgerEntry* entry = &ledger.entries[i];
        sum += entry->done.work;
        shares.lost -= entry->kind == CORD_LEDGER_INTEGRATOR ? entry->done.work / ledger.turnover : 0.0;
    }
    CHECK_NEAR(sum, ledger.energy - ledger.energy_start, 1e-12 * ledger.turnover);
    CHECK(ledger.judged == (s->solver != CORD_PBD_PBD && s->model != CORD_MODEL_MODAL));
    print_message("    h %.1e: of %.3g J %.2g are not accounted for, the integrator has taken %.2g\n", h,
                  ledger.turnover, shares.error, shares.lost);
    cord_world_destroy(world);
    return shares;
}

// Symplectic steps keep energy, and the forces are read once a step: what is left is the error of that, to
// 1e-8 by round-off. Implicit and direct position-based steps tell what they lose, to the tolerance of their
// solvers: backward Euler less with shorter steps, the midpoint rule hardly anything; half of the forces by
// which position-based steps carry spin along act at the start. Sweeps, the weights of the paper's
// position-based steps and fast projection lose energy without a trace, and never make any. Modes have
// consistent masses, and their supports lumped ones.
static void closes(const Subject* s)
{
    Shares coarse = ledger_shares(s, 1), fine = ledger_shares(s, 2);
    bool fast = s->length_method == CORD_LENGTH_FAST_PROJECTION, weights = s->solver == CORD_PBD_PBD;
    bool sweeps = s->method == CORD_PBD_SWEEPS;
    bool modal = s->model == CORD_MODEL_MODAL, lossy = subject_is_lossy(s);
    bool midpoint = s->integrator == CORD_INTEGRATOR_MIDPOINT, told = lossy || midpoint;
    bool turns_first = s->dynamic_twist && s->model == CORD_MODEL_PBD;
    if (fast || weights || sweeps) {
        CHECK(coarse.error < 0.0 && fine.error < 0.0);
        return;
    }
    CHECK_NEAR(fine.error, 0.0, modal ? 1e-2 : !told ? 2.5e-4 : turns_first ? 1e-6 : 1e-10);
    CHECK(modal || told || fabs(fine.error) < fmax(1e-8, 0.65 * fabs(coarse.error)));
    CHECK(lossy      ? fine.lost > 0.01 && fine.lost < 0.65 * coarse.lost
          : midpoint ? fabs(fine.lost) < 0.65 * fabs(coarse.lost) && fabs(fine.lost) < 1e-4
                     : fine.lost == 0.0);
}

// A free rod that a force pulls: the impulses of the force and of gravity are its momentum.
static void impulses(const Subject* s)
{
    Tumbler t = make_tumbler(s, FLAT_OPEN, (CordVec3){0, 0, -9.81});
    add_force(t.world, t.rod, cord_at_end(), (CordVec3){0.3, -0.1, 0.2});
    run(t.world, s->step, 1); // frames into equilibrium, velocities onto what lengths allow
    CordLedger ledger = ledger_after(t.world, s->step, 100);
    double impulse = size_of(ledger.entries[0].done.impulse), angular = size_of(ledger.momentum.angular);
    print_message("    linear off by %.2g, angular by %.2g\n", size_of(ledger.linear_error) / impulse,
                  size_of(ledger.angular_error) / angular);
    CHECK_NEAR(size_of(ledger.linear_error), 0.0, 1e-9 * impulse);
    bool tells = s->method != CORD_PBD_SWEEPS && s->length_method != CORD_LENGTH_FAST_PROJECTION;
    if (subject_is_lossy(s) && tells) { // they tell what they take of it
        bool turns_first = s->dynamic_twist && s->model == CORD_MODEL_PBD;
        CHECK_NEAR(size_of(ledger.angular_error), 0.0, (turns_first ? 2e-5 : 1e-9) * angular);
    }
    cord_world_destroy(t.world);
}

// Explicit steps themselves tell what clamps do: one reading after many steps has their impulse to the last
// digits, and their work as exactly as the steps keep energy. Tensions of inextensible rods are those of the
// present for half a step, which is of second order. Fast projection loses energy.
static void clamps_are_exact(const Subject* s)
{
    bool fast = s->length_method == CORD_LENGTH_FAST_PROJECTION;
    CordWorld* world = new_world((CordVec3){0, 0, -9.81});
    CordRodDef def = subject_rod(s, 21);
    def.twist = 0.0;
    CordRodId rod = add_rod(world, &def);
    CordMotion shaken = cord_motion_oscillate((CordVec3){0, 0.02, 0.01}, 40.0, 0.0);
    hold_moving(world, rod, cord_at_edge(0), CORD_FIX_FRAME, &shaken, 1);
    CordLedger ledger;
    run(world, s->step, 3);
    CHECK_WORLD_OK(world, cord_ledger_open(world));
    CHECK_WORLD_OK(world, cord_world_step_many(world, s->step, (int)(0.02 / s->step)));
    CHECK_WORLD_OK(world, cord_ledger_read(world, &ledger));
    double impulse = size_of(ledger.entries[1].done.impulse);
    print_message("    of %.3g J %.2g are not accounted for, of %.3g N s %.2g\n", ledger.turnover,
                  ledger.error / ledger.turnover, impulse, size_of(ledger.linear_error) / impulse);
    double phase = 6.3 * shaken.frequency * s->step; // that the clamp goes on by in a step
    CHECK_NEAR(size_of(ledger.linear_error), 0.0, impulse * (s->inextensible ? phase * phase : 1e-12));
    CHECK(s->adaptive || fast ||
          fabs(ledger.error) < phase * phase * ledger.turnover); // remeshing takes energy
    cord_world_destroy(world);
}

static const Claim claims[] = {
    {.name = "clamps_are_exact", .needs = IS_EXPLICIT, .run = clamps_are_exact},
    {.name = "closes", .run = closes},
    {.name = "impulses", .needs = IS_CHAIN | IS_PHYSICAL, .run = impulses},
};

CLAIM_GROUP(ledger)
